"""The compiled part of `reach`: what follows from units that take all that fits them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, IntArray
from discreet.compiled import kernel

Numbers = NDArray[np.int32]


@kernel
def settled(
    starts: IntArray,
    units: Numbers,
    first: IntArray,
    edges: IntArray,
    kind: Numbers,
    counts: IntArray,
    wanted: IntArray,
    all_in: bool,
) -> tuple[BoolArray, IntArray]:
    """Which edges between kinds and units are left, and how many rows still fit each unit.

    A unit that no more rows fit than it has takes all of them: its kinds fit no other. If no row was left out
    (`all_in`), kinds that fit one unit alone are in it; where these fill it, no other kind fits. Both as often as they
    lead on.
    """
    alive = np.ones(len(units), dtype=np.bool_)
    having, forced = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    options = np.zeros(len(counts), dtype=np.int64)
    for e in range(len(units)):
        having[units[e]] += counts[kind[e]]
        options[kind[e]] += 1
    done, full = np.zeros(len(wanted), dtype=np.bool_), np.zeros(len(wanted), dtype=np.bool_)
    queue = [u for u in range(len(wanted))]
    for k in range(len(counts)):
        if options[k] == 1:
            forced[units[starts[k]]] += counts[k]
    while len(queue):
        u = queue.pop()
        if not done[u] and having[u] == wanted[u]:
            done[u] = True
            for i in range(first[u], first[u + 1]):
                if not alive[edges[i]]:
                    continue
                k = kind[edges[i]]
                if options[k] > 1:
                    forced[u] += counts[k]
                for e in range(starts[k], starts[k + 1]):
                    if alive[e] and units[e] != u:
                        alive[e] = False
                        options[k] -= 1
                        having[units[e]] -= counts[k]
                        queue.append(units[e])
        if all_in and not full[u] and forced[u] == wanted[u] and having[u] > wanted[u]:
            full[u] = True
            for i in range(first[u], first[u + 1]):
                e = edges[i]
                k = kind[e]
                if not alive[e] or options[k] == 1:
                    continue
                alive[e] = False
                options[k] -= 1
                having[u] -= counts[k]
                if options[k] == 1:
                    for other in range(starts[k], starts[k + 1]):
                        if alive[other]:
                            forced[units[other]] += counts[k]
                            queue.append(units[other])
            queue.append(u)
    return alive, having
