"""The compiled search for groups that others may join."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from discreet.arrays import BoolArray, IntArray
from discreet.search.art.growth import empty_group, fill, missing
from discreet.search.art.people import Index, Limits, Table
from discreet.search.art.tree import conflict, nearest

_SIZE = 0.01  # what each row more costs


class Hosts(NamedTuple):
    """Groups that others may join, while they are `free`: group g has the combinations ``offsets[g]:offsets[g + 1]`` of
    `rows`. Kind k has people in the groups ``starts[k]:starts[k + 1]`` of `groups`, `of_kind` of them.
    """

    offsets: IntArray
    rows: IntArray
    free: BoolArray
    starts: IntArray
    groups: IntArray
    of_kind: IntArray
    alive: IntArray


@njit(cache=True)
def nearest_hosts(
    table: Table, index: Index, offsets: IntArray, rows: IntArray, hosts: Hosts, limits: Limits, wanted: int
) -> IntArray:
    """For each group, those that it would best be joined with, of the ones with the most similar people; or −1."""
    group = empty_group(table, limits.most)
    kinds = np.empty(limits.kinds, dtype=np.int32)
    chosen = np.full((len(offsets) - 1, wanted), -1, dtype=np.int64)
    scores = np.empty(wanted)
    weighed_for = np.full(len(hosts.free), -1, dtype=np.int64)
    together = np.empty(limits.most, dtype=np.int64)
    for i in range(len(chosen)):
        size = offsets[i + 1] - offsets[i]
        together[:size] = rows[offsets[i] : offsets[i + 1]]
        near = nearest(index, hosts.of_kind, hosts.alive, index.points[table.kind[together[0]]], kinds)
        scores[:] = np.inf
        tried = 0
        for k in kinds[:near]:
            for g in hosts.groups[hosts.starts[k] : hosts.starts[k + 1]]:
                members = hosts.rows[hosts.offsets[g] : hosts.offsets[g + 1]]
                if not hosts.free[g] or weighed_for[g] == i or size + len(members) > limits.most:
                    continue
                weighed_for[g] = i
                if _clash(table, together[:size], members):
                    continue
                tried += 1
                together[size : size + len(members)] = members
                fill(table, group, together[: size + len(members)])
                score = _SIZE * len(members) + missing(table, group, limits.r, scores[-1])
                if score < scores[-1]:
                    j = wanted - 1
                    while j > 0 and scores[j - 1] > score:
                        scores[j], chosen[i, j] = scores[j - 1], chosen[i, j - 1]
                        j -= 1
                    scores[j], chosen[i, j] = score, g
                if tried >= limits.tries:
                    break
            if tried >= limits.tries:
                break
    return chosen


@njit(cache=True)
def _clash(table: Table, some: IntArray, others: IntArray) -> bool:
    for one in some:
        for other in others:
            if conflict(table, table.values[one], table.values[other]):
                return True
            if table.person[one] >= 0 and table.person[one] == table.person[other]:
                return True
    return False
