"""Groups for people who have several rows: no two of one person's in a group, and nothing too likely by all of them.

Whoever finds somebody in several groups of exact values learns from each; what his groups have of a value adds up, and
may come to 1/ℓ. A group of N rows of different values adds 1/N for each of them. So somebody's groups have different
values, or they are larger: t · ℓ rows let t of his groups share a value. Small ones are tried first. Who has a value in
c of his own rows needs c · ℓ for these in any case. Whoever has one row is not concerned, and fills groups up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.base import rows_per_value
from discreet.models.by_people import adds_up
from discreet.search.buckets.bucketizing import Demand, bucketization, regrouped, shuffled_rows
from discreet.search.buckets.dealing_kernels import Limits, Rows, deal, thin_out
from discreet.search.buckets.dropping import dropped
from discreet.search.buckets.injector_rules import Rules
from discreet.search.found_people import check_people, several_rows
from discreet.search.plan import SUPPRESSED, Bucketization, Problem

_FEW = 0.01  # of the rows; so many may be left over before groups are made larger for them, if they may be suppressed
_FAILS = 2  # doublings of the size that don't help, until the rest is given up
_LARGEST = 12  # times ℓ that groups are made before the rest is given up, for those who need no more


@dataclass(frozen=True, eq=False)
class Owned:
    """Single rows of a table in random order: the combination, the owner and the protected set (or −1) of each.

    Owners are numbered 0, 1, … if they have several rows here; −1 stands for everybody else.
    """

    row: IntArray
    person: IntArray
    number: IntArray

    @property
    def by_person(self) -> tuple[IntArray, IntArray]:
        """The rows of owner p are ``starts[p]:starts[p + 1]`` of the second."""
        of_person = np.argsort(self.person, kind="stable")[int((self.person < 0).sum()) :]
        starts = np.searchsorted(self.person[of_person], np.arange(int(self.person.max(initial=-1)) + 2))
        return starts.astype(np.int64), of_person

    @property
    def rows_of_owner(self) -> IntArray:
        """How many rows the owner of each row has."""
        if not len(self.row):
            return self.row
        several = np.bincount(self.person + 1)
        several[0] = 1
        return several[self.person + 1]

    def only(self, which: BoolArray) -> Owned:
        """Some of the rows; owners are numbered anew."""
        return _owned(self.row[which], self.person[which], self.number[which])


def _owned(row: IntArray, person: IntArray, number: IntArray) -> Owned:
    rows = np.bincount(person + 1, minlength=1)
    rows[0] = 0
    place = np.where(rows > 1, np.cumsum(rows > 1) - 1, -1)
    return Owned(row, place[person + 1], number)


def owned_rows(frequency: FrequencySet, number: IntArray, rng: np.random.Generator) -> Owned:
    """All rows of a table in which every combination is one person's, and has a protected set by this `number`."""
    assert frequency.owners is not None
    assert frequency.owners.apart
    row = shuffled_rows(frequency.counts, rng)
    return _owned(row, frequency.owners.person[row].astype(np.int64), number[row])


def summed(problem: Problem, needs: Demand) -> int:
    """The largest ℓ of a promise that adds up over somebody's groups; 0 if each of them is judged by itself."""
    models = [model for model in problem.models if adds_up(model) and model.attribute == needs.attribute]
    return max((rows_per_value(model) for model in models), default=0)


def dealt(problem: Problem, needs: Demand, search: str, rules: Rules | None = None) -> Bucketization:
    """The groups of Anatomy, or with `rules` of Injector, where people have several rows. Raises `Infeasible`.

    Promises that are no matter of the protected values alone may ask for larger groups: twice the size is tried while
    more than a few rows are left out. Rules are not respected then.
    """
    check_people(problem)
    f, rng = problem.frequency, np.random.default_rng(problem.seed)
    everybody, l_of_sum = owned_rows(f, needs.set_of[f.sensitive[needs.attribute]], rng), summed(problem, needs)
    stay = trimmed(everybody, Fraction(1, l_of_sum) if l_of_sum else None, rng)
    rows = everybody.only(stay)
    row = np.append(rows.row, everybody.row[~stay])
    facts: dict[str, object] = {"search": search, "l": needs.l} | ({"rules": rules.number} if rules else {})
    lost = len(row) - len(rows.row)
    few = min(int(_FEW * f.rows), problem.suppression_limit - lost)
    best, size, fails = None, needs.k, 0
    while best is None or (best.suppressed > lost + few and fails < _FAILS and size <= _largest(rows)):
        group = _smallest_groups(rows, replace(needs, k=size), l_of_sum, few, f, rules, rng)
        group = np.append(group, np.full(lost, SUPPRESSED))
        plan = held(problem, bucketization(f, row, np.ones_like(row), group, {}, facts))
        if best is None or plan.suppressed < best.suppressed:
            best, fails = plan, 0
        else:
            fails += plan.suppressed < f.rows  # while no group holds, larger ones may
        if rules is not None and (group == SUPPRESSED).sum() > problem.suppression_limit:
            break
        size *= 1 if rules is not None else 2
        rules = None
    if best.suppressed > problem.suppression_limit:
        raise no_place(problem, best.suppressed, search, bool(l_of_sum))
    return best


def _largest(rows: Owned) -> int:
    """Of groups that are larger on average, there are fewer than somebody has rows."""
    return len(rows.row) // int(rows.rows_of_owner.max(initial=1))


def held(problem: Problem, plan: Bucketization) -> Bucketization:
    """The plan without the groups that have to be left out for a promise."""
    if not plan.group_count:
        return plan
    gone = dropped(problem, plan)
    return plan if not gone.any() else regrouped(plan, np.where(gone, SUPPRESSED, np.cumsum(~gone) - 1))


def trimmed(rows: Owned, cap: Fraction | None, rng: np.random.Generator) -> BoolArray:
    """Which rows can stay at most, if the shares of a set in somebody's groups may add up to `cap`: as many as can be.

    The shares of all sets in one of somebody's groups are 1 together, if all values are protected; so he has at most
    that many times as many rows as there are sets. The shares of one set in all groups of everybody are as many as its
    rows: of these there are at most that many times as many as people.

    >>> rows = Owned(np.arange(6), np.array([0, 0, 0, -1, -1, -1]), np.array([0, 1, 0, 0, 1, 1]))
    >>> int(trimmed(rows, Fraction(1, 2), np.random.default_rng(1)).sum())
    4
    """
    stay = np.ones(len(rows.row), dtype=np.bool_)
    if cap is None or not len(stay):
        return stay
    of_set = np.bincount(rows.number + 1)
    there = rows.number >= 0
    if there.all():
        starts, of_person = rows.by_person
        thin_out(stay, rows.number, starts, of_person, max(int(cap * int((of_set > 0).sum())), 1))
    people = int(rows.person.max(initial=-1)) + 1 + int((rows.person < 0).sum())
    lightest = np.lexsort((rng.random(len(stay)), rows.rows_of_owner))
    lightest = lightest[stay[lightest]]
    stay &= (rank_among(rows.number, lightest) < int(cap * people)) | ~there
    return stay


def rank_among(key: IntArray, order: IntArray) -> IntArray:
    """How many with the same key come before each, in some order; those that are not in the order come last."""
    rank = np.full(len(key), len(key), dtype=np.int64)
    order = order[np.argsort(key[order], kind="stable")]
    first = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1))
    rank[order] = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return rank


def _smallest_groups(
    rows: Owned,
    needs: Demand,
    l_of_sum: int,
    few: int,
    f: FrequencySet,
    rules: Rules | None,
    rng: np.random.Generator,
) -> IntArray:
    """The group of each row (or SUPPRESSED): the smallest that leave few rows over, else those that leave fewest."""
    own = rows.rows_of_owner
    most = int(own.max(initial=1)) if l_of_sum else 1
    chance, lot = rng.random(len(own)), rng.random(len(own))
    best = np.full(len(own), SUPPRESSED, dtype=np.int64)
    for times in range(1, max(min(most, _LARGEST), 1) + 1):
        least = _least(rows, own, times, needs, l_of_sum)
        order = np.lexsort((lot, -own, -least))
        kernel_rows = _kernel_rows(rows, least, needs, f, rules)
        group = deal(kernel_rows, order, Limits(needs.l, l_of_sum, needs.sets), chance)
        if (group < 0).sum() < (best < 0).sum():
            best = group
        if (best < 0).sum() <= few:
            break
    return best


def _least(rows: Owned, own: IntArray, times: int, needs: Demand, l_of_sum: int) -> IntArray:
    """How large the group of each row must be."""
    least = np.full(len(own), needs.k, dtype=np.int64)
    if l_of_sum:
        pair = rows.person * (needs.sets + 1) + rows.number + 1
        _, at, often = np.unique(pair, return_inverse=True, return_counts=True)
        often = np.where(rows.number >= 0, often[at.reshape(-1)], 1)  # of his own rows, those with the same value
        wide = np.where(rows.person >= 0, np.maximum(often, np.minimum(times, own)), 1)
        least = np.maximum(least, wide * l_of_sum)
    return least


def _kernel_rows(rows: Owned, least: IntArray, needs: Demand, f: FrequencySet, rules: Rules | None) -> Rows:
    value = np.zeros(len(rows.row), dtype=np.int64)
    excluded = np.zeros((len(rows.row), 0), dtype=np.uint64)
    if rules is not None:
        value = np.argsort(rules.leaves)[f.sensitive[needs.attribute]][rows.row]
        excluded = np.ascontiguousarray(rules.excluded[rows.row])
    return Rows(rows.person, rows.number, least, value, excluded, *rows.by_person)


def no_place(problem: Problem, rows: int, search: str, adds: bool) -> Infeasible:
    """The error for rows that no group was found for."""
    f = problem.frequency
    together = ", and what all their groups tell of them adds up" if adds else ""
    share = np.ceil(1000 * rows / f.rows) / 1000
    repair = f"write suppress: {share:g}, " if share < 1 else ""
    return Infeasible(
        f"{search} finds no place for {rows:,} of {f.rows:,} rows, {problem.suppression_limit:,} may be suppressed: "
        f"{several_rows(f)}, no two of which may stand in one group{together}",
        repair=f"{repair}weaken a promise, publish fewer rows of each person, or publish coarser values",
    )
