"""The compiled part of cutting boxes: counting every cut of many boxes at once, and sharing out who is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel


class Domain(NamedTuple):
    """What may be published: per attribute whether any range may be, else the levels of its hierarchy.

    Level l of attribute d has the codes ``level[starts[d] + l * leaves[d]:][: leaves[d]]``. A range is made of whole
    values of level `units`: of any leaves, where that is 0. `weight` is what one leaf more costs a row. Where
    marginals tell of people outside, ``outside[places[d] + leaf]`` have an earlier leaf.
    """

    leaves: IntArray
    heights: IntArray
    ranges: BoolArray
    units: IntArray
    starts: IntArray
    level: Codes
    weight: FloatArray
    outside: IntArray
    places: IntArray


class Crowd(NamedTuple):
    """Combinations of leaves (a row per attribute) and how many there are of each."""

    codes: Codes
    counts: IntArray


class Members(NamedTuple):
    """Who is in each box: box i has the combinations ``entry[starts[i]:starts[i + 1]]`` of a crowd."""

    entry: IntArray
    starts: IntArray


class Cuts(NamedTuple):
    """Ways to cut boxes. Cut c is of box `box[c]` along `attribute[c]`, into the parts ``starts[c]:starts[c + 1]``.

    `gain` is how much loss it saves, `entropy` how much more it tells of who is where: that of the parts' shares. A
    part has leaves `low` to `high` of the attribute, `rows` rows and `people` of the population (or, without one, so
    many outside of the table with such a leaf). Together the parts of a cut are the whole box.
    """

    box: IntArray
    attribute: IntArray
    gain: FloatArray
    entropy: FloatArray
    starts: IntArray
    low: Codes
    high: Codes
    rows: IntArray
    people: IntArray


class Parts(NamedTuple):
    """Boxes cut from others: the place of the cut that each is of, the leaves that it shows, and who is in it."""

    of_cut: IntArray
    low: Codes
    high: Codes
    rows: Members
    people: Members


class Sides(NamedTuple):
    """Which part of a box each leaf of the cut attribute falls in, from leaf `low` on; −1 for one without rows."""

    attribute: int
    low: int
    part: IntArray


@kernel
def all_cuts(
    low: Codes, high: Codes, domain: Domain, table: Crowd, rows: Members, population: Crowd, people: Members, most: int
) -> Cuts:
    """Every cut of a node into the nodes of a lower level; of a range of leaves in two, at `most` places or so."""
    boxes, attributes = low.shape
    cuts, parts, widest = _room(low, high, domain, most)
    box, attribute = np.empty(cuts, np.int64), np.empty(cuts, np.int64)
    gain, entropy, starts = np.empty(cuts), np.empty(cuts), np.zeros(cuts + 1, np.int64)
    part_low, part_high = np.empty(parts, np.int32), np.empty(parts, np.int32)
    part_rows, part_people = np.empty(parts, np.int64), np.empty(parts, np.int64)
    rows_before, people_before = np.empty(widest + 1, np.int64), np.empty(widest + 1, np.int64)
    ends = np.empty(widest + 1, np.int64)
    c = p = 0
    for i in range(boxes):
        for d in range(attributes):
            a, b = low[i, d], high[i, d]
            if a == b:
                continue
            width = b - a + 1
            _count(table, rows, i, d, a, width, rows_before)
            if len(population.counts):
                _count(population, people, i, d, a, width, people_before)
            else:
                for leaf in range(width + 1):
                    earlier = domain.outside[domain.places[d] + a]
                    people_before[leaf] = domain.outside[domain.places[d] + a + leaf] - earlier
            whole = rows_before[width] * (width - 1)
            unit = domain.starts[d] + domain.units[d] * domain.leaves[d]
            in_two = domain.ranges[d] and domain.level[unit + a] != domain.level[unit + b]
            places = domain.heights[d]
            if in_two:
                places = _places(rows_before, domain.level[unit + a : unit + b + 1], most, ends)
            coarser = 1
            for choice in range(places):
                if in_two:
                    n = 2
                else:
                    at = domain.starts[d] + (domain.heights[d] - 1 - choice) * domain.leaves[d]
                    n = domain.level[at + b] - domain.level[at + a] + 1
                    if n == coarser:
                        continue  # the level above has the same nodes here
                    coarser = n
                first, rest, tells = 0, 0, 0.0
                for part in range(n):
                    if in_two:
                        last = ends[choice] if part == 0 else width - 1
                    else:
                        last = first
                        while last < width - 1 and domain.level[at + a + last + 1] == domain.level[at + a + first]:
                            last += 1
                    part_low[p], part_high[p] = a + first, a + last
                    part_rows[p] = rows_before[last + 1] - rows_before[first]
                    part_people[p] = people_before[last + 1] - people_before[first]
                    rest += part_rows[p] * (last - first)
                    if part_people[p]:
                        share = part_people[p] / people_before[width]
                        tells -= share * np.log(share)
                    first = last + 1
                    p += 1
                box[c], attribute[c], gain[c], entropy[c] = i, d, (whole - rest) * domain.weight[d], tells
                c += 1
                starts[c] = p
    return Cuts(
        box[:c],
        attribute[:c],
        gain[:c],
        entropy[:c],
        starts[: c + 1],
        part_low[:p],
        part_high[:p],
        part_rows[:p],
        part_people[:p],
    )


@inner
def _room(low: Codes, high: Codes, domain: Domain, most: int) -> tuple[int, int, int]:
    """How many cuts and parts there are at most, and how many leaves a box has at most."""
    cuts = parts = 0
    widest = 1
    for i in range(low.shape[0]):
        for d in range(low.shape[1]):
            a, b = low[i, d], high[i, d]
            widest = max(widest, b - a + 1)
            unit = domain.starts[d] + domain.units[d] * domain.leaves[d]
            if domain.ranges[d] and domain.level[unit + a] != domain.level[unit + b]:
                places = min(domain.level[unit + b] - domain.level[unit + a], most)
                cuts += places
                parts += 2 * places
            elif a != b:
                cuts += domain.heights[d]
                for level in range(domain.heights[d]):
                    at = domain.starts[d] + level * domain.leaves[d]
                    parts += domain.level[at + b] - domain.level[at + a] + 1
    return cuts, parts, widest


@inner
def _count(crowd: Crowd, members: Members, i: int, d: int, first: int, width: int, before: IntArray) -> None:
    """How many of box i have one of the leaves before each, from `first` on."""
    before[: width + 1] = 0
    for m in range(members.starts[i], members.starts[i + 1]):
        e = members.entry[m]
        before[crowd.codes[d, e] - first + 1] += crowd.counts[e]
    for leaf in range(width):
        before[leaf + 1] += before[leaf]


@inner
def _places(before: IntArray, unit: Codes, most: int, ends: IntArray) -> int:
    """The last leaves of the lower parts to try: all, or those on both sides of gaps that share out the rows evenly.

    Leaves with the same `unit` stay together.
    """
    width = len(unit)
    many = 0
    if unit[width - 1] - unit[0] <= most:
        for leaf in range(width - 1):
            if unit[leaf] != unit[leaf + 1]:
                ends[many] = leaf
                many += 1
        return many
    last, taken, steps, first = -1, -1, most // 2 - 1, 0
    for leaf in range(width):
        if leaf < width - 1 and unit[leaf] == unit[leaf + 1]:
            continue
        if before[leaf + 1] > before[first]:
            share = before[first] * steps // before[width]
            if share > taken:
                if last >= 0:
                    ends[many] = last
                    many += 1
                if first - 1 > last:
                    ends[many] = first - 1
                    many += 1
                taken = share
            last = leaf
        first = leaf + 1
    if last < width - 1:
        ends[many] = last
        many += 1
    return many


@kernel
def share_out(
    low: Codes,
    high: Codes,
    cuts: Cuts,
    chosen: IntArray,
    table: Crowd,
    rows: Members,
    population: Crowd,
    people: Members,
) -> Parts:
    """The parts with rows of the chosen cuts as boxes."""
    boxes = 0
    room_rows = room_people = 0
    widest = 1
    for c in chosen:
        i = cuts.box[c]
        room_rows += rows.starts[i + 1] - rows.starts[i]
        room_people += people.starts[i + 1] - people.starts[i]
        widest = max(widest, high[i, cuts.attribute[c]] - low[i, cuts.attribute[c]] + 1)
        for p in range(cuts.starts[c], cuts.starts[c + 1]):
            boxes += cuts.rows[p] > 0
    of_cut = np.empty(boxes, np.int64)
    new_low, new_high = np.empty((boxes, low.shape[1]), np.int32), np.empty((boxes, low.shape[1]), np.int32)
    new_rows = Members(np.empty(room_rows, np.int64), np.zeros(boxes + 1, np.int64))
    new_people = Members(np.empty(room_people, np.int64), np.zeros(boxes + 1, np.int64))
    part_of = np.empty(widest, np.int64)
    n = int(np.int64(0))  # a literal would have `_deal` compiled three times
    for k, c in enumerate(chosen):
        i, d = cuts.box[c], cuts.attribute[c]
        first = n
        for p in range(cuts.starts[c], cuts.starts[c + 1]):
            here = -1
            if cuts.rows[p] > 0:
                for other in range(low.shape[1]):
                    new_low[n, other], new_high[n, other] = low[i, other], high[i, other]
                new_low[n, d], new_high[n, d] = cuts.low[p], cuts.high[p]
                of_cut[n] = k
                here = n - first
                n += 1
            for leaf in range(cuts.low[p] - low[i, d], cuts.high[p] - low[i, d] + 1):
                part_of[leaf] = here
        sides = Sides(d, low[i, d], part_of)
        _deal(table, rows, i, sides, new_rows, first, n)
        _deal(population, people, i, sides, new_people, first, n)
    return Parts(
        of_cut,
        new_low,
        new_high,
        Members(new_rows.entry[: new_rows.starts[n]], new_rows.starts),
        Members(new_people.entry[: new_people.starts[n]], new_people.starts),
    )


@inner
def _deal(crowd: Crowd, members: Members, i: int, sides: Sides, into: Members, first: int, end: int) -> None:
    """Put the members of box i where they belong among the new boxes `first` to `end`, in the order they had."""
    leaf, starts = crowd.codes[sides.attribute], into.starts
    for m in range(members.starts[i], members.starts[i + 1]):
        part = sides.part[leaf[members.entry[m]] - sides.low]
        if part >= 0:
            starts[first + part + 1] += 1
    for box in range(first, end):
        starts[box + 1] += starts[box]
    at = starts[first:end].copy()
    for m in range(members.starts[i], members.starts[i + 1]):
        part = sides.part[leaf[members.entry[m]] - sides.low]
        if part >= 0:
            into.entry[at[part]] = members.entry[m]
            at[part] += 1


@kernel
def parts_of_rows(cuts: Cuts, chosen: IntArray, table: Crowd, rows: Members) -> tuple[IntArray, IntArray]:
    """For every chosen cut and every entry of its box: the part it falls in, counted over all parts, and the entry."""
    room, widest = 0, 1
    for c in chosen:
        room += rows.starts[cuts.box[c] + 1] - rows.starts[cuts.box[c]]
        widest = max(widest, cuts.high[cuts.starts[c + 1] - 1] - cuts.low[cuts.starts[c]] + 1)
    part, entry = np.empty(room, np.int64), np.empty(room, np.int64)
    part_of = np.empty(widest, np.int64)
    n = parts = 0
    for c in chosen:
        i, d, low = cuts.box[c], cuts.attribute[c], cuts.low[cuts.starts[c]]
        for p in range(cuts.starts[c], cuts.starts[c + 1]):
            part_of[cuts.low[p] - low : cuts.high[p] - low + 1] = parts
            parts += 1
        for m in range(rows.starts[i], rows.starts[i + 1]):
            part[n], entry[n] = part_of[table.codes[d, rows.entry[m]] - low], rows.entry[m]
            n += 1
    return part, entry


@kernel
def widen(first: Codes, last: Codes, crowd: Crowd, members: Members) -> None:
    """Widen ``first[i]..last[i]``, empty to begin with, to the leaves that anybody in box i has."""
    for i in range(first.shape[0]):
        for m in range(members.starts[i], members.starts[i + 1]):
            e = members.entry[m]
            for d in range(first.shape[1]):
                first[i, d] = min(first[i, d], crowd.codes[d, e])
                last[i, d] = max(last[i, d], crowd.codes[d, e])
