"""The compiled loops that count people: who stands in which groups, each person once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.compiled import kernel
from discreet.counts.kernels import members_by_group

GONE = np.int32(-1)  # the group of somebody who stands in none
SEVERAL = np.int32(-2)  # and of somebody who stands in several

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # see `kernels`


class Settled(NamedTuple):
    """Of people who stand in one group: how many there are in each, and the most rows that one of them has."""

    people: IntArray
    most: IntArray


class Movers(NamedTuple):
    """People in several groups: p has ``rows[e]`` rows in group ``group[e]``, e in ``starts[p]:starts[p + 1]``."""

    starts: IntArray
    group: Codes
    rows: IntArray


@kernel
def fold_rows(before: Settled, movers: Movers, to: Codes, groups: int) -> tuple[Settled, Movers, Codes]:
    """The same when groups become others: `to` is what each becomes (`GONE`: it is left out).

    Also where each of the movers stands then: in which group, or `GONE`, or `SEVERAL`.
    """
    settled = np.zeros(groups, dtype=np.int64)
    most = np.zeros(groups, dtype=np.int64)
    for g in range(len(to)):
        if to[g] >= 0:
            settled[to[g]] += before.people[g]
            most[to[g]] = max(most[to[g]], before.most[g])
    starts, group, rows = movers
    people = len(starts) - 1
    home = np.full(people, GONE, dtype=np.int32)
    place = np.zeros(groups, dtype=np.int64)  # where the entry of a person in each group stands, if it is this person's
    owner = np.full(groups, -1, dtype=np.int64)
    new_starts = np.zeros(people + 1, dtype=np.int64)
    new_group = np.empty(len(group), dtype=np.int32)
    new_rows = np.empty(len(group), dtype=np.int64)
    moving, end = 0, 0
    for p in range(people):
        begin = end
        for e in range(starts[p], starts[p + 1]):
            g = to[group[e]]
            if g < 0:
                continue
            if owner[g] != p:
                owner[g], place[g] = p, end
                new_group[end], new_rows[end] = g, 0
                end += 1
            new_rows[place[g]] += rows[e]
        if end == begin:
            continue
        if end == begin + 1:
            g, end = new_group[begin], begin
            home[p] = g
            settled[g] += 1
            most[g] = max(most[g], new_rows[begin])
            continue
        home[p] = SEVERAL
        moving += 1
        new_starts[moving] = end
    still = Movers(new_starts[: moving + 1].copy(), new_group[:end].copy(), new_rows[:end].copy())
    return Settled(settled, most), still, home


@kernel
def fold_values(
    starts: IntArray, group: Codes, value: Codes, to: Codes, home: Codes, width: int
) -> tuple[Codes, Codes, IntArray, Codes, Codes]:
    """The same for who has which value where: each group and value once for a person.

    Returns groups and values of those who stand in one group (by `home`), then the entries of those in several.
    """
    people = len(starts) - 1
    longest = 1
    for p in range(people):
        longest = max(longest, starts[p + 1] - starts[p])
    bits = 2
    while (1 << bits) < 2 * longest:
        bits += 1
    last, down = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    keys = np.zeros(1 << bits, dtype=np.int64)
    owner = np.full(1 << bits, -1, dtype=np.int64)
    out_group = np.empty(len(group), dtype=np.int32)
    out_value = np.empty(len(group), dtype=np.int32)
    new_group = np.empty(len(group), dtype=np.int32)
    new_value = np.empty(len(group), dtype=np.int32)
    new_starts = np.zeros(people + 1, dtype=np.int64)
    out, end, moving = 0, 0, 0
    for p in range(people):
        if home[p] == GONE:
            continue
        for e in range(starts[p], starts[p + 1]):
            g = to[group[e]]
            if g < 0:
                continue
            key = np.int64(g) * width + value[e]
            j = (np.uint64(key) * _SPREAD) >> down
            while owner[j] == p and keys[j] != key:
                j = (j + np.uint64(1)) & last
            if owner[j] == p:
                continue
            owner[j], keys[j] = p, key
            if home[p] == SEVERAL:
                new_group[end], new_value[end] = g, value[e]
                end += 1
            else:
                out_group[out], out_value[out] = g, value[e]
                out += 1
        if home[p] == SEVERAL:
            moving += 1
            new_starts[moving] = end
    return (
        out_group[:out].copy(),
        out_value[:out].copy(),
        new_starts[: moving + 1].copy(),
        new_group[:end].copy(),
        new_value[:end].copy(),
    )


@kernel
def people_by_value(starts: IntArray, value: Codes, width: int) -> IntArray:
    """How many people have each value, whatever their rows: p has ``value[starts[p]:starts[p + 1]]``."""
    people = np.zeros(width, dtype=np.int64)
    last = np.full(width, -1, dtype=np.int64)
    for p in range(len(starts) - 1):
        for e in range(starts[p], starts[p + 1]):
            if last[value[e]] != p:
                last[value[e]] = p
                people[value[e]] += 1
    return people


@kernel
def counted_pairs(group: Codes, groups: int, value: Codes, width: int) -> tuple[IntArray, Codes, IntArray]:
    """How often each group has each value: offsets, values (as they are met), counts."""
    start, member = members_by_group(group, groups)
    place = np.zeros(width, dtype=np.int64)  # where each value of a group stands, if it is this group's
    owner = np.full(width, -1, dtype=np.int64)
    offsets = np.zeros(groups + 1, dtype=np.int64)
    values = np.empty(len(group), dtype=np.int32)
    counts = np.empty(len(group), dtype=np.int64)
    end = 0
    for g in range(groups):
        for m in range(start[g], start[g + 1]):
            v = value[member[m]]
            if owner[v] != g:
                owner[v], place[v] = g, end
                values[end], counts[end] = v, 0
                end += 1
            counts[place[v]] += 1
        offsets[g + 1] = end
    return offsets, values[:end].copy(), counts[:end].copy()
