"""The compiled loop of `nearness`: exchanges people of two units where that makes what both publish narrower."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel

_LESS = 1e-9  # what an exchange must save: rounding saves nothing


class Widths(NamedTuple):
    """What a group loses that publishes some leaves of attribute d.

    Of those with `ranges`, the span counts; of others the leaves of the lowest node that holds them: ``first`` and
    ``last`` [d, level, leaf]. Either counts `share[d]` for each leaf beyond one.
    """

    ranges: BoolArray
    first: Codes
    last: Codes
    share: FloatArray


@kernel
def exchanged(people: IntArray, codes: Codes, begin: IntArray, window: int, passes: int, widths: Widths) -> None:
    """Exchange, in place: people[u, j] of unit u with people[v, j] of a unit near it, of the same signature.

    The units of signature s are ``begin[s]:begin[s + 1]``, and are near if at most `window` units apart.
    """
    units, many = people.shape
    cost = np.empty(units)
    for u in range(units):
        cost[u] = _cost(people[u], -1, -1, codes, widths)
    for _ in range(passes):
        better = False
        for s in range(len(begin) - 1):
            for u in range(begin[s], begin[s + 1]):
                for v in range(u + 1, min(u + 1 + window, begin[s + 1])):
                    for j in range(many):
                        if people[u, j] < 0:
                            break
                        here = _cost(people[u], j, people[v, j], codes, widths)
                        if here >= cost[u] + cost[v]:
                            continue
                        there = _cost(people[v], j, people[u, j], codes, widths)
                        if here + there < cost[u] + cost[v] - _LESS:
                            people[u, j], people[v, j] = people[v, j], people[u, j]
                            cost[u], cost[v] = here, there
                            better = True
        if not better:
            break


@inner
def _cost(people: IntArray, place: int, other: int, codes: Codes, widths: Widths) -> float:
    """What a unit loses, with another person at one place."""
    total = 0.0
    for d in range(codes.shape[1]):
        low, high = 1 << 30, -1
        for j in range(len(people)):
            person = other if j == place else people[j]
            if person < 0:
                break
            low, high = min(low, codes[person, d]), max(high, codes[person, d])
        if low != high and not widths.ranges[d]:
            level = 1
            while widths.first[d, level, low] != widths.first[d, level, high]:
                level += 1
            low, high = widths.first[d, level, low], widths.last[d, level, high]
        total += (high - low) * widths.share[d]
    return total
