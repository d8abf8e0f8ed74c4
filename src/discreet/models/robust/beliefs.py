"""The posteriors of many groups: by the compiled loop, and in whole numbers where that comes too close to 1/r."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.groups import Groups, Pairs, People, Tally
from discreet.models.exact import MARGIN as MARGIN
from discreet.models.exact import pairs
from discreet.models.robust.exact_posteriors import deal_exactly, two_valued_exactly
from discreet.models.robust.knowledge import Knowledge

MOST_STEPS = 1_000_000  # of the exact posteriors of a group under one attribute set; beyond, a bound decides
MOST_POINTS = 3e7  # of an integral that tells posteriors of a large group, times its signatures; beyond, likewise
VERDICTS, LEVELS, PEOPLE = 0, 1, 2  # what is wanted of `judged`
_AT_A_TIME = 8_000_000  # entries times attribute sets
NEAR_TWO, NEAR_FULL = 1, 2  # too close to 1/r to be decided in floating point, in which view
LARGE = 4  # there are so many people, or worlds, that posteriors are integrals


class Protected(NamedTuple):
    """Sets of leaves, as slices ``offsets[x]:offsets[x + 1]`` of `values`; none stand for every value by itself."""

    offsets: IntArray
    values: Codes


class Entries(NamedTuple):
    """Group g has the entries ``offsets[g]:offsets[g + 1]``, with so many `people` each.

    `rows` (attribute sets × entries) says which row of an adversary's knowledge is meant for each.
    """

    offsets: IntArray
    people: IntArray
    rows: IntArray


class Chances(NamedTuple):
    """What she knows: of `supports[i]` people of signature i, ``known[i, v]`` have value v."""

    known: IntArray
    supports: IntArray


class Limits(NamedTuple):
    """No posterior may be above `threshold` = 1/r; so ⌊N / r⌋ people of a group may share a set at all (`allowed`).

    With `prior`, those may be above it that are no surer than she was before. `wanted` is one of VERDICTS, LEVELS and
    PEOPLE; no exact posterior takes more than `most_steps` of a sum, or `most_points` of an integral.
    """

    allowed: IntArray
    threshold: float
    wanted: int
    most_steps: int
    most_points: float
    prior: bool


class Posteriors(NamedTuple):
    """For each group: is it clearly kept, its level, those of its entries, does it rest on a bound, and near ties.

    Entries have two levels, if wanted: proven upper bounds, and the worst of what is known exactly.
    """

    kept: BoolArray
    level: FloatArray
    of_entry: FloatArray
    bounded: BoolArray
    near: NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Worlds:
    """What posteriors are made of, to compute them in whole numbers where floating point comes too close to a limit."""

    tally: Tally
    people: People
    knowledge: Knowledge
    protected: Protected

    def of(self, group: int) -> tuple[slice, Mapping[int, int], list[list[int]]]:
        """The entries of a group, its values with their counts, and the protected sets that somebody has."""
        values = dict(pairs(self.tally, group))
        offsets, members = self.protected
        if len(offsets) == 1:
            sets = [[value] for value in values]
        else:
            listed = [members[a:b].tolist() for a, b in pairwise(offsets.tolist())]
            sets = [s for s in listed if any(value in values for value in s)]
        return slice(*self.people.offsets[group : group + 2].tolist()), values, sets

    def in_two_values(self, group: int, k: int) -> list[list[Fraction] | None]:
        """For each of the sets, what she believes of every entry if she asks "in it or not", by attribute set k.

        None where whole numbers would take too long as well.
        """
        at, values, sets = self.of(group)
        own, counts = self._own(at, k), self.people.counts[at].tolist()
        posteriors = []
        for s in sets:
            inside = [sum(self.knowledge.rows[row, s].tolist()) for row in own]
            outside = [int(self.knowledge.totals[row]) - a for row, a in zip(own, inside, strict=True)]
            posteriors.append(two_valued_exactly(inside, outside, counts, sum(values.get(value, 0) for value in s)))
        return posteriors

    def in_full(self, group: int, k: int) -> list[list[Fraction] | None]:
        """The same if she knows the chances of every value."""
        at, values, sets = self.of(group)
        chances = [tuple(self.knowledge.rows[row, list(values)].tolist()) for row in self._own(at, k)]
        posteriors = deal_exactly(chances, self.people.counts[at].tolist(), list(values.values()))
        if posteriors is None:
            return [None] * len(sets)
        place = {value: v for v, value in enumerate(values)}
        inside = [[place[value] for value in s if value in place] for s in sets]
        return [[sum((p[v] for v in s), Fraction(0)) for p in posteriors] for s in inside]

    def priors(self, group: int, k: int) -> list[list[Fraction]]:
        """For each of the sets, how likely everybody is to have it before any release, by attribute set k."""
        at, _, sets = self.of(group)
        rows, totals = self.knowledge.rows, self.knowledge.totals
        own = self._own(at, k)
        return [[Fraction(sum(rows[row, s].tolist()), int(totals[row])) for row in own] for s in sets]

    def _own(self, at: slice, k: int) -> list[int]:
        """The row of all knowledge that is meant for each entry."""
        own = self.knowledge.finders[k]([codes[at] for codes in self.people.codes]) + self.knowledge.starts[k]
        return own.tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Judged:
    """What the compiled loop found, and what it takes to decide exactly what it could not.

    A group is `kept` unless a posterior is clearly above 1/r; `near` says under which attribute sets (rows) one is too
    close to tell. What was not wanted need not be right: `level` belongs to LEVELS, `of_entry` to PEOPLE.
    """

    kept: BoolArray
    level: FloatArray
    of_entry: FloatArray
    bounded: BoolArray
    near: NDArray[np.uint8]
    worlds: Worlds
    threshold: Fraction
    prior: bool

    @cached_property
    def held(self) -> BoolArray:
        """Which groups keep the promise: decided exactly, where VERDICTS are wanted."""
        held = self.kept.copy()
        for group in np.flatnonzero(held & self.near.any(axis=0)).tolist():
            held[group] = all(above is False for _, above in self.exactly(group))
        return held

    def exactly(self, group: int) -> Iterator[tuple[int, bool | None]]:
        """For entries of a group: is a posterior above 1/r, under an attribute set where one came too close?

        None where whole numbers would take too long as well: then it is not proven to be at most 1/r.
        """
        for k in np.flatnonzero(self.near[:, group]).tolist():
            if self.near[k, group] & NEAR_TWO:
                yield from self._above(group, k, self.worlds.in_two_values(group, k))
            if self.near[k, group] & NEAR_FULL:
                yield from self._above(group, k, self.worlds.in_full(group, k))

    def _above(self, group: int, k: int, beliefs: list[list[Fraction] | None]) -> Iterator[tuple[int, bool | None]]:
        at, _, sets = self.worlds.of(group)
        limits: list[list[Fraction]] = [[self.threshold] * (at.stop - at.start)] * len(sets)
        if self.prior:
            limits = [[max(self.threshold, p) for p in before] for before in self.worlds.priors(group, k)]
        above: list[bool | None] = [False] * (at.stop - at.start)
        for posteriors, most in zip(beliefs, limits, strict=True):
            if posteriors is None:
                above = [a or None for a in above]
            else:
                above = [p > limit or a for p, limit, a in zip(posteriors, most, above, strict=True)]
        yield from zip(range(at.start, at.stop), above, strict=True)


def judged(
    groups: Groups,
    tally: Tally,
    people: People,
    knowledge: Knowledge,
    protected: tuple[IntArray, Codes],
    r: Fraction,
    wanted: int,
    prior: bool = False,
) -> Judged:
    """Judge all groups, so many at a time that it does not take much memory to say who has which signature."""
    from discreet.models.robust.judge_kernels import judge  # late: reading a policy should not wait for kernels
    from discreet.models.robust.judge_large_kernels import judge_large
    from discreet.models.robust.judge_rest_kernels import judge_rest

    sizes, place = np.unique(groups.sizes, return_inverse=True)
    allowed = np.array([n * r.denominator // r.numerator for n in sizes.tolist()], dtype=np.int64)[place]
    entries = max(_AT_A_TIME // len(knowledge.sets), 1)
    cuts = np.searchsorted(people.offsets, np.arange(0, len(people.counts), entries)).tolist()
    sets = Protected(*protected)
    parts = []
    for first, last in pairwise(sorted({0, *cuts, len(groups)})):
        begin, end = people.offsets[first], people.offsets[last]
        t_begin, t_end = tally.offsets[first], tally.offsets[last]
        some = (
            Entries(
                people.offsets[first : last + 1] - begin,
                people.counts[begin:end],
                rows_known(knowledge, people, begin, end),
            ),
            Pairs(
                tally.offsets[first : last + 1] - t_begin,
                tally.values[t_begin:t_end],
                tally.counts[t_begin:t_end],
            ),
            Chances(knowledge.rows, knowledge.totals),
            sets,
            Limits(allowed[first:last], float(1 / r), wanted, MOST_STEPS, MOST_POINTS, prior),
        )
        part, left = judge(*some)
        if (left & LARGE).any():
            judge_large(*some, part, left)
        if left.any():
            judge_rest(*some, part, left)
        parts.append(part)
    if not parts:
        nothing, near = np.zeros(0), np.zeros((len(knowledge.sets), 0), dtype=np.uint8)
        parts = [Posteriors(nothing > 0, nothing, np.zeros((2, 0)), nothing > 0, near)]
    whole = Posteriors(*(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True)))
    return Judged(*whole, Worlds(tally, people, knowledge, sets), 1 / r, prior)


def rows_known(knowledge: Knowledge, people: People, begin: int, end: int) -> IntArray:
    """For every attribute set, the row of all knowledge that is meant for each of some entries."""
    rows = knowledge.signatures([codes[begin:end] for codes in people.codes])
    rows += knowledge.starts[:-1, None]
    return rows
