"""The compiled loops of `assignments`; see there for the words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel

Numbers = NDArray[np.int32]

_STEPS = 1e8  # of balancing


class Fits(NamedTuple):
    """Entry i of a list (or kind i of people) is `people` people, who fit ``groups[starts[i]:starts[i + 1]]``."""

    starts: IntArray
    groups: Numbers
    people: IntArray


class Limits(NamedTuple):
    """How much is counted: states of one part, states that are kept (times kinds of people), and steps in all."""

    states: int
    kept: int
    work: float


class _States(NamedTuple):
    """A state of a part says how many rows each of its groups has filled.

    Group g of the release is ``local[g]`` of the part, with so many `rows` there; one row of it more is `stride` states
    further on, and ``filled[g, s]`` says whether it has any in state s. `scratch` has room for a weight per state.
    """

    local: IntArray
    rows: IntArray
    stride: IntArray
    filled: BoolArray
    scratch: FloatArray


@kernel
def components(starts: IntArray, groups: Numbers, number: int) -> IntArray:
    """For each group one of those that it shares people with, directly or by others: the same for all of them."""
    root = np.arange(number)
    for i in range(len(starts) - 1):
        for at in range(starts[i] + 1, starts[i + 1]):
            a, b = _root(root, groups[starts[i]]), _root(root, groups[at])
            if a != b:
                root[max(a, b)] = min(a, b)
    for g in range(number):
        root[g] = _root(root, g)
    return root


@inner
def _root(root: IntArray, g: int) -> int:
    while root[g] != g:
        root[g] = root[root[g]]
        g = root[g]
    return g


@kernel
def balanced(fits: Fits, sizes: IntArray, entries: IntArray, shared: BoolArray) -> FloatArray:
    """Odds z_g with which the expected number of people in every group is its size, if each decided by themselves.

    Somebody's chance to be in g is then z_g / (1 + Σ z of the groups that fit): what worlds of many people come to.
    """
    starts, groups, people = fits
    total = 0
    for i in entries:
        total += starts[i + 1] - starts[i]
    odds = np.zeros(len(sizes))
    expected = np.zeros(len(sizes))
    for i in entries:
        for at in range(starts[i], starts[i + 1]):
            expected[groups[at]] += people[i]
    for g in range(len(sizes)):
        if shared[g]:
            odds[g] = (sizes[g] + 0.1) / (max(expected[g] - sizes[g], 0.0) + 0.1)
    for _ in range(max(min(100, int(_STEPS / max(total, 1))), 3)):
        expected[:] = 0.0
        for i in entries:
            whole = 1.0
            for at in range(starts[i], starts[i + 1]):
                whole += odds[groups[at]]
            for at in range(starts[i], starts[i + 1]):
                expected[groups[at]] += people[i] * odds[groups[at]] / whole
        off = 0.0
        for g in range(len(sizes)):
            if shared[g]:
                step = sizes[g] / max(expected[g], 1e-12)
                off = max(off, abs(step - 1.0))
                odds[g] = min(odds[g] * step, 1e9)
        if off < 1e-9:
            break
    return odds


@kernel
def alike(fits: Fits, entries: IntArray) -> tuple[IntArray, Fits]:
    """The kind of each entry, those of one kind fitting the same groups; and of each kind its groups and its people.

    Groups stand in the same order in every entry.
    """
    starts, groups, people = fits
    mixed = np.zeros(len(entries), dtype=np.uint64)
    for e in range(len(entries)):
        code = np.uint64(1469598103934665603)
        for at in range(starts[entries[e]], starts[entries[e] + 1]):
            code = (code ^ np.uint64(groups[at])) * np.uint64(1099511628211)
        mixed[e] = code
    order = np.argsort(mixed)
    kind = np.empty(len(entries), dtype=np.int64)
    first = np.empty(len(entries), dtype=np.int64)
    counts = np.zeros(len(entries), dtype=np.int64)
    kinds, width = 0, 0
    for o in range(len(order)):
        i = entries[order[o]]
        if kinds == 0 or not _same(starts, groups, first[kinds - 1], i):
            first[kinds] = i
            width += starts[i + 1] - starts[i]
            kinds += 1
        kind[order[o]] = kinds - 1
        counts[kinds - 1] += people[i]
    kind_starts = np.zeros(kinds + 1, dtype=np.int64)
    kind_groups = np.empty(width, dtype=np.int32)
    for k in range(kinds):
        length = starts[first[k] + 1] - starts[first[k]]
        kind_starts[k + 1] = kind_starts[k] + length
        kind_groups[kind_starts[k] : kind_starts[k + 1]] = groups[starts[first[k]] : starts[first[k] + 1]]
    return kind, Fits(kind_starts, kind_groups, counts[:kinds].copy())


@inner
def _same(starts: IntArray, groups: Numbers, i: int, j: int) -> bool:
    return np.array_equal(groups[starts[i] : starts[i + 1]], groups[starts[j] : starts[j + 1]])


@kernel
def count_worlds(
    by_part: IntArray,
    part: IntArray,
    kinds: Fits,
    sizes: IntArray,
    odds: FloatArray,
    limits: Limits,
    chance: FloatArray,
    contradicted: BoolArray,
) -> BoolArray:
    """Per kind and group that fits it, the chance of one of its people to be in that group; which groups were counted.

    Part by part (`by_part` sorts the kinds), small ones whatever their number, until the `work` is used up.
    """
    starts, groups, people = kinds
    work = limits.work
    counted = np.zeros(len(sizes), dtype=np.bool_)
    local = np.full(len(sizes), -1, dtype=np.int64)
    begin = 0
    while begin < len(by_part):
        own = part[groups[starts[by_part[begin]]]]
        end = begin
        number, states, steps = 0, 1.0, 0.0
        members = np.empty(64, dtype=np.int64)
        while end < len(by_part) and part[groups[starts[by_part[end]]]] == own:
            k = by_part[end]
            for at in range(starts[k], starts[k + 1]):
                g = groups[at]
                if local[g] < 0 and number < 64 and states <= limits.states:
                    local[g] = number
                    members[number] = g
                    states *= sizes[g] + 1.0
                    number += 1
                elif local[g] < 0:
                    states = np.inf
            width = starts[k + 1] - starts[k]
            fillable = 0
            for at in range(starts[k], starts[k + 1]):
                fillable += sizes[groups[at]]
            steps += 1.0 + width * min(people[k], fillable)
            end += 1
        cost = 2.0 * steps * states
        if states <= limits.states and states * (end - begin) <= limits.kept and cost <= min(work, 1e8):
            work -= cost
            rows = sizes[members[:number]]
            possible = _count(by_part[begin:end], kinds, rows, odds, local, int(states), chance)
            for g in members[:number]:
                counted[g] = possible
                contradicted[g] |= not possible
        for g in members[:number]:
            local[g] = -1
        begin = end
    return counted


@inner
def _count(
    kinds: IntArray, fits: Fits, rows: IntArray, odds: FloatArray, local: IntArray, states: int, chance: FloatArray
) -> bool:
    """The chances in one part, all its worlds counted; False if there are none.

    Each person multiplies the weights of all states by their factor.
    With the balanced odds for z, and the largest weight kept at 1, the states that matter are never far from it.
    """
    starts, groups, people = fits
    stride = np.ones(len(rows) + 1, dtype=np.int64)
    filled = np.empty((len(rows), states), dtype=np.bool_)  # has the group a row filled in the state?
    for g in range(len(rows)):
        stride[g + 1] = stride[g] * (rows[g] + 1)
        for s in range(states):
            filled[g, s] = (s // stride[g]) % (rows[g] + 1) > 0
    part = _States(local, rows, stride, filled, np.empty(states))
    after = np.zeros((len(kinds) + 1, states))
    after[len(kinds), 0] = 1.0
    for at in range(len(kinds) - 1, -1, -1):
        after[at] = after[at + 1]
        _multiply(after[at], kinds[at], people[kinds[at]], fits, odds, part)
    if not after[0, states - 1] > 0.0:
        return False
    before = np.zeros(states)
    before[0] = 1.0
    for at in range(len(kinds)):
        k = kinds[at]
        _multiply(before, k, people[k] - 1, fits, odds, part)  # all but one
        total = 0.0
        for s in range(states):
            total += before[s] * after[at + 1, states - 1 - s]
        for own in range(starts[k], starts[k + 1]):
            g = groups[own]
            step, weight = stride[local[g]], 0.0
            for s in range(step, states):  # the one fills a row
                if filled[local[g], s]:
                    weight += before[s - step] * after[at + 1, states - 1 - s]
            chance[own] = weight * odds[g]
            total += chance[own]
        for own in range(starts[k], starts[k + 1]):
            chance[own] /= total
        _multiply(before, k, 1, fits, odds, part)
    return True


@inner
def _multiply(weights: FloatArray, k: int, people: int, fits: Fits, odds: FloatArray, part: _States) -> None:
    """So many people of a kind more, in place: times (1 + ζ)^people, ζ = Σ z_g, whose terms are C(people, j) ζ^j.

    No more than all rows of their groups can be filled with them. One factor for all weights changes nothing.
    """
    starts, groups = fits.starts, fits.groups
    local, rows, stride, filled, scratch = part
    most = 0
    for at in range(starts[k], starts[k + 1]):
        most += rows[local[groups[at]]]
    scratch[:] = weights
    for j in range(1, min(people, most) + 1):
        share, largest = (people - j + 1.0) / j, 0.0
        for s in range(len(weights) - 1, -1, -1):  # each takes from earlier states
            total = 0.0
            for at in range(starts[k], starts[k + 1]):
                g = local[groups[at]]
                if filled[g, s]:
                    total += odds[groups[at]] * scratch[s - stride[g]]
            scratch[s] = total * share
            weights[s] += scratch[s]
            largest = max(largest, weights[s])
        if largest > 1e100:
            scratch /= largest
            weights /= largest
    weights /= weights.max()
