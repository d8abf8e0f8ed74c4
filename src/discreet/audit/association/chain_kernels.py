"""The compiled loops of `chains`; see there for the theory."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.audit.association.chains import Entries, Search
from discreet.compiled import inner, kernel


@kernel
def linked(here: IntArray, there: IntArray, cell: IntArray, cells: int) -> IntArray:
    """A number for each entry, the same for those of cells that sums tie together, in whatever many steps."""
    parent = np.arange(cells)
    for keys in (here, there):
        highest = -1
        for key in keys:
            highest = max(highest, key)
        owner = np.full(highest + 1, -1, dtype=np.int64)
        for e in range(len(keys)):
            if keys[e] < 0:
                continue
            if owner[keys[e]] < 0:
                owner[keys[e]] = cell[e]
            else:
                parent[_root(parent, cell[e])] = _root(parent, owner[keys[e]])
    number = np.empty(len(cell), dtype=np.int64)
    for e in range(len(cell)):
        number[e] = _root(parent, cell[e])
    return number


@inner
def _root(parent: IntArray, cell: int) -> int:
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]
        cell = parent[cell]
    return cell


@kernel
def go_through(
    entries: Entries, chain: IntArray, least: IntArray, most: IntArray, steps_of_one: int, steps: int
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """E[x] of each entry over all worlds of its chain, and which chains were short enough; entries stand by chain."""
    expected = np.zeros(len(chain))
    settled = np.zeros(len(chain), dtype=np.bool_)
    left = (entries.cells.total.copy(), entries.here.total.copy(), entries.there.total.copy())
    keys = (entries.cells.key, entries.here.key, entries.there.key)
    last = np.zeros((3, len(chain)), dtype=np.bool_)
    for family in range(3):
        seen = np.zeros(len(left[family]), dtype=np.bool_)
        for e in range(len(chain) - 1, -1, -1):
            key = keys[family][e]
            if key >= 0 and not seen[key]:
                seen[key] = True
                last[family, e] = True
    start = 0
    while start < len(chain):
        end = start
        while end < len(chain) and chain[end] == chain[start]:
            end += 1
        allowed = min(steps_of_one, steps)
        used = _one_chain(start, end, Search(keys, left, last, least, most), allowed, expected)
        steps -= used
        if used <= allowed:
            settled[start:end] = True
        start = end
    return expected, settled


@inner
def _one_chain(start: int, end: int, search: Search, allowed: int, expected: FloatArray) -> int:
    """Go through all x of the entries from `start` to `end`; returns how many steps it took, `allowed` + 1 if too many.

    What remains of each sum is as before in the end.
    """
    keys, left, last, least, most = search
    many = end - start
    x = np.full(many, -1, dtype=np.int64)  # −1: not chosen yet
    highest = np.zeros(many, dtype=np.int64)
    logs = np.zeros(many + 1)
    sums = np.zeros(many)
    total = 0.0
    largest = -np.inf
    used = 0
    at = 0
    while at >= 0:
        used += 1
        if used > allowed:
            break
        if at == many:
            used += many
            if logs[many] > largest:
                scale = math.exp(largest - logs[many])
                total *= scale
                sums *= scale
                largest = logs[many]
            weight = math.exp(logs[many] - largest)
            total += weight
            for i in range(many):
                sums[i] += weight * x[i]
            at -= 1
            continue
        e = start + at
        if x[at] < 0:
            low, high = least[e], most[e]
            for family in range(3):
                key = keys[family][e]
                if key >= 0:
                    high = min(high, left[family][key])
                    if last[family, e]:
                        low = max(low, left[family][key])
            if low > high:
                at -= 1
                continue
            x[at], highest[at] = low, high
            change = low
        elif x[at] < highest[at]:
            x[at] += 1
            change = 1
        else:
            for family in range(3):
                if keys[family][e] >= 0:
                    left[family][keys[family][e]] += x[at]
            x[at] = -1
            at -= 1
            continue
        for family in range(3):
            if keys[family][e] >= 0:
                left[family][keys[family][e]] -= change
        logs[at + 1] = logs[at] - math.lgamma(x[at] + 1.0)
        at += 1
    while at >= 0:  # stopped: give back what was taken
        if at < many and x[at] >= 0:
            for family in range(3):
                if keys[family][start + at] >= 0:
                    left[family][keys[family][start + at]] += x[at]
        at -= 1
    if used > allowed or total == 0:
        return allowed + 1
    for i in range(many):
        expected[start + i] = sums[i] / total
    return used
