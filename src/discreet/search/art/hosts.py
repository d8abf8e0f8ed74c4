"""The compiled search for groups that others may join."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.search.art.growth import Group, cannot_hold, missing
from discreet.search.art.people import Index, Limits, Table
from discreet.search.art.tree import conflict, nearest
from discreet.search.art.weighing import Known, look_up, weigh

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


class Found(NamedTuple):
    """For each group (row) the best others, or −1 where there are no more; and with which of them it can't hold,
    whatever the exact verdict takes into account besides. Then scratch: a score for each, and for every group the one
    that it was last weighed for.
    """

    chosen: IntArray
    lost: BoolArray
    scores: FloatArray
    weighed_for: IntArray


def nothing_found(groups: int, wanted: int, hosts: Hosts) -> Found:
    """Room for so many others of each group."""
    return Found(
        np.full((groups, wanted), -1, dtype=np.int64),
        np.zeros((groups, wanted), dtype=np.bool_),
        np.empty(wanted),
        np.full(len(hosts.free), -1, dtype=np.int64),
    )


@kernel
def kinds_near(table: Table, index: Index, rows: IntArray, hosts: Hosts, kinds: Codes) -> None:
    """Fill `kinds`, a row per combination, with the nearest kinds with people in groups, as far as there are so many.

    Free or not: so it stays the same while groups are joined.
    """
    for i in range(len(rows)):
        nearest(index, hosts.of_kind, hosts.alive, index.points[table.kind[rows[i]]], kinds[i])


@kernel
def nearest_hosts(
    table: Table,
    near: Codes,
    offsets: IntArray,
    rows: IntArray,
    hosts: Hosts,
    limits: Limits,
    found: Found,
    room: tuple[Group, Known],
) -> None:
    """For each group, those that it would best be joined with, of the ones with people of `near` kinds.

    `room` is for `most` people.
    """
    chosen, lost, scores, weighed_for = found
    wanted = chosen.shape[1]
    group, known = room
    for i in range(len(chosen)):
        guests = rows[offsets[i] : offsets[i + 1]]
        look_up(table, known, guests)
        scores[:] = np.inf
        tried = 0
        for k in near[i]:
            if k < 0:
                break
            for g in hosts.groups[hosts.starts[k] : hosts.starts[k + 1]]:
                members = hosts.rows[hosts.offsets[g] : hosts.offsets[g + 1]]
                if not hosts.free[g] or weighed_for[g] == i or len(guests) + len(members) > limits.most:
                    continue
                weighed_for[g] = i
                if _clash(table, guests, members):
                    continue
                tried += 1
                weigh(table, known, members, group)
                score = _SIZE * len(members) + missing(table, group, limits.r, scores[-1])
                if score < scores[-1]:
                    j = wanted - 1
                    while j > 0 and scores[j - 1] > score:
                        scores[j], chosen[i, j], lost[i, j] = scores[j - 1], chosen[i, j - 1], lost[i, j - 1]
                        j -= 1
                    scores[j], chosen[i, j], lost[i, j] = score, g, cannot_hold(table, group, limits.r)
                if tried >= limits.tries:
                    break
            if tried >= limits.tries:
                break


@inner
def _clash(table: Table, some: IntArray, others: IntArray) -> bool:
    for one in some:
        for other in others:
            if conflict(table, table.values[one], table.values[other]):
                return True
            if table.person[one] >= 0 and table.person[one] == table.person[other]:
                return True
    return False
