"""Robustness with the limit `prior`, read a second time: at most 1/r, or no surer than before any release.

Whoever is left out is somebody, too: she sees who is missing, and what they have by subtracting what is published from
what she knows of the table. So those who are missing are judged like one more group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray
from discreet.audit.association.left_out import who_is_missing
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worst_case.knowledge import Counted, Knowledge, Known, People
from discreet.audit.worst_case.worlds_exactly import GroupExactly
from discreet.audit.worst_case.worst_case import Beliefs, Judging, sets_of, shares_of_sets

CLOSE = 1e-9
MOST_STEPS = 20_000_000  # of exact arithmetic


@dataclass(frozen=True, eq=False)
class Found:
    """The largest belief of each group that is surer than before (or its largest share), whether all keep to the limit,
    and how many groups that is open of."""

    worst: FloatArray
    kept: bool
    left_open: int


def judged_by_prior(
    view: ReleaseView,
    tally: Tally,
    people: People,
    knowledge: Knowledge,
    said: Mapping[str, Any],
    protected: BoolArray,
    limit: Fraction,
) -> Found:
    """Is nobody linked to a protected value with more than the limit, unless she was as sure before?"""
    summed = summed_up(tally, len(summed_groups(view, tally)))
    return _judged(view, tally, people, summed, knowledge, said, protected, limit)


def summed_groups(view: ReleaseView, tally: Tally) -> FloatArray:
    """As many places as a tally has groups."""
    return np.zeros(max(len(view.sizes), int(tally.group.max(initial=-1)) + 1))


def missing_judged(
    view: ReleaseView,
    tally: Tally,
    knowledge: Knowledge | None,
    said: Mapping[str, Any],
    protected: BoolArray,
    values: tuple[str | None, ...],
    limit: Fraction,
) -> Found | None:
    """The same for those who are missing from the release, as a group; None if it is not known who they are."""
    if not isinstance(knowledge, Counted):
        return None
    missing = who_is_missing(view, tally, knowledge)
    out = np.flatnonzero(missing.out > 0)
    if not len(out):
        return Found(np.zeros(1), True, 0)
    if (missing.missing < 0).any():
        return Found(np.ones(1), False, 0)
    place = {value: i for i, value in enumerate(values)}
    there = np.flatnonzero(missing.missing > 0)
    names = np.array([place[missing.values[i]] for i in there.tolist()], dtype=np.int64)
    order = np.argsort(names)
    group = np.zeros(len(there), dtype=np.int64)
    hidden = Tally(tally.attribute, values, group, names[order], missing.missing[there][order], tally.whole)
    people = People(
        missing.columns,
        knowledge.frequencies.values[:-1],
        tuple(codes[out] for codes in missing.codes),
        np.zeros(len(out), dtype=np.int64),
        missing.out[out],
    )
    return _judged(view, hidden, people, summed_up(hidden, 1), knowledge, said, protected, limit)


def _judged(
    view: ReleaseView,
    tally: Tally,
    people: People,
    summed: Summed,
    knowledge: Knowledge,
    said: Mapping[str, Any],
    protected: BoolArray,
    limit: Fraction,
) -> Found:
    worst, most = shares_of_sets(summed, protected), float(limit)
    kept = _shares_keep(summed, protected, limit)
    steps, open_groups = MOST_STEPS, np.zeros(len(summed.total), dtype=np.bool_)
    open_groups[np.setdiff1d(np.flatnonzero(summed.total), people.group)] = True
    present = [those for those in protected if those[tally.value].any()]
    known = sets_of(view, tally, people, knowledge, said)
    nothing = Beliefs.before(people, np.zeros(len(people.group)), len(summed.total))
    judgings = [Judging(people, summed, those[None, :], len(known), most, prior=True) for those in present]
    for each in known:
        for those, judging in zip(present, judgings, strict=True):
            belief = judging.judged(each, nothing)
            if belief.contradicted.any():
                kept, worst[belief.contradicted] = False, 1.0
            before = _before(each, those)
            risen = (belief.chance > before + CLOSE) & (before < 1)
            np.maximum.at(worst, people.group[risen], belief.chance[risen])
            kept &= not (risen & (belief.chance > most + CLOSE)).any()
            open_to = (belief.bound > np.maximum(belief.chance, most)) & (belief.bound > before) & (before < 1)
            open_to &= ~(risen & (belief.chance > most + CLOSE))  # that is told: it is too much
            open_groups[people.group[open_to]] = True
            near = (np.abs(belief.chance - most) <= CLOSE) | (np.abs(belief.chance - before) <= CLOSE)
            near &= (belief.chance >= most - CLOSE) & (belief.chance >= before - CLOSE) & (before < 1)
            for group in np.unique(people.group[near]).tolist() if kept else ():
                exactly = GroupExactly.of(group, each, people.group, people.many, summed)
                steps -= exactly.steps
                if steps < 0:
                    open_groups[group] = True
                else:
                    kept &= _keeps(exactly, those, limit)
    return Found(worst, kept, int(open_groups.sum()))


def _before(known: Known, those: BoolArray) -> FloatArray:
    """How likely everybody has one of these values, before any release."""
    chance: FloatArray = ((known.weight * those).sum(axis=1) / known.support).astype(np.float64)
    return chance[known.row]


def _keeps(group: GroupExactly, those: BoolArray, limit: Fraction) -> bool:
    """Is everybody's chance at most the limit, or what it was before, in whole numbers?"""
    before = group.before(those)
    return all(
        chance <= max(limit, prior)
        for chances in group.views(those)
        for chance, prior in zip(chances, before, strict=True)
    )


def _shares_keep(summed: Summed, protected: BoolArray, limit: Fraction) -> bool:
    return all(Fraction(count, total) <= limit for count, total in _shares(summed, protected) if total)


def _shares(summed: Summed, protected: BoolArray) -> Iterator[tuple[int, int]]:
    """How many of each group have a protected value (of a set), and how many there are: each pair once."""
    tally = summed.tally
    for those in protected:
        count = np.bincount(tally.group, weights=tally.count * those[tally.value], minlength=len(summed.total))
        yield from map(tuple, np.unique(np.stack([count.astype(np.int64), summed.total], axis=1), axis=0).tolist())
