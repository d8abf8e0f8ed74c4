"""ART where people have several rows: what all groups of a person tell together is kept to 1/r.

Somebody with d rows in groups with protected values is safe if each of these keeps to 1/(r · d). So those with the most
come first, and ask for larger groups; whoever has one row there fills them up, and pays only for himself afterwards.
Protected rows have to be in such groups. Of the others, one of each person who has no protected row may be, whichever
is of use; the rest of them wait, and stand in groups without protected values, or alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.models.base import PrivacyModel, least_rows, rows_per_value
from discreet.models.by_people import adds_up, in_each_of
from discreet.models.robust.robust import Robust
from discreet.search.art.draft import Draft, Gathered
from discreet.search.art.index import stock_of
from discreet.search.plan import Bucketization


def by_row(frequency: FrequencySet) -> tuple[FrequencySet, IntArray]:
    """A table in which each combination is one person's, with every row by itself; and the combination of each."""
    o = frequency.owners
    assert o is not None
    assert o.apart
    row = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
    ones = np.ones(len(row), dtype=np.int64)
    owners = replace(o, row=np.arange(len(row)), person=o.person[row], count=ones)
    single = replace(
        frequency,
        codes=tuple(c[row] for c in frequency.codes),
        sensitive={name: c[row] for name, c in frequency.sensitive.items()},
        counts=ones,
        owners=owners,
    )
    return single, row


@dataclass(frozen=True, eq=False)
class Tickets:
    """In how many groups that count the owner of each row stands at most: for `robust`, those with protected values,
    and for other promises, all. Rows that are `withheld` may stand in no group with protected values.
    """

    person: IntArray
    protected: BoolArray
    withheld: BoolArray
    among_protected: IntArray
    rows: IntArray

    def hold(self, models: tuple[PrivacyModel, ...], f: FrequencySet, groups: Gathered) -> BoolArray:
        """Which groups keep every promise to everybody, whatever his other groups are, as long as they do."""
        if not len(groups):
            return np.zeros(0, dtype=np.bool_)
        starts = groups.offsets[:-1]
        verdict = ~_twice(groups, self.person[groups.rows])
        verdict &= ~(_any(self.withheld[groups.rows], starts) & _any(self.protected[groups.rows], starts))
        alone = Bucketization(f, groups.rows, np.ones_like(groups.rows), groups.group).groups
        for model in models:
            tickets = self.among_protected if isinstance(model, Robust) else self.rows
            most = np.maximum.reduceat(tickets[groups.rows], starts)
            for times in np.unique(most).tolist():
                here = most == times
                verdict[here] &= in_each_of(model, times).holds(alone.where(here))
        return verdict


def others_add_up(models: tuple[PrivacyModel, ...]) -> bool:
    """Is there a promise beside `robust` that is kept by the sum over all groups of a person?"""
    return any(adds_up(model) and not isinstance(model, Robust) for model in models)


def least_of_others(models: tuple[PrivacyModel, ...], rows: int) -> int:
    """How large groups without protected values are made for those who have so many rows."""
    others = [in_each_of(model, rows) for model in models if not isinstance(model, Robust)]
    return max([2, least_rows(others), *map(rows_per_value, others)])


def tickets_of(draft: Draft) -> Tickets:
    """Who may stand where: of unprotected rows, those of people who have a protected one are withheld.

    So are all others of people who have several, where another promise would ask for larger groups because of them.
    """
    owners, protected = draft.problem.frequency.owners, draft.protected
    assert owners is not None
    person, rows = owners.person.astype(np.int64), owners.rows[owners.person]
    among = np.bincount(person[protected], minlength=owners.people)[person]
    ask_for_more = (rows > 1) & others_add_up(draft.problem.models)
    return Tickets(person, protected, ~protected & ((among > 0) | ask_for_more), np.maximum(among, 1), rows)


def have_theirs(draft: Draft, tickets: Tickets) -> BoolArray:
    """Unprotected rows of people who stand in a group with protected values: they may be in no other."""
    done = draft.done
    used = np.zeros(int(tickets.person.max(initial=-1)) + 1, dtype=np.bool_)
    if len(done):
        there = _any(tickets.protected[done.rows], done.offsets[:-1])[done.group]
        used[tickets.person[done.rows[there]]] = True
    return ~tickets.protected & used[tickets.person]


def settled(draft: Draft, tickets: Tickets) -> Tickets:
    """The same where one row is chosen of each who could still stand in a group with protected values, at random."""
    free = draft.rng.permutation(np.flatnonzero(draft.stock.left > 0))
    first = np.zeros(len(tickets.person), dtype=np.bool_)
    first[free[np.unique(tickets.person[free], return_index=True)[1]]] = True
    withheld = tickets.withheld | have_theirs(draft, tickets) | (~tickets.protected & ~first)
    return replace(tickets, withheld=withheld)


def restock(draft: Draft, there: BoolArray) -> None:
    """Of the rows that have no group, let these be found again, and no others."""
    left = there.astype(np.int64)
    left[draft.done.rows] = 0
    draft.stock = stock_of(draft.table, draft.index, left)


def _twice(groups: Gathered, person: IntArray) -> BoolArray:
    """Which groups have two rows of one person?"""
    order = np.lexsort((person, groups.group))
    group, person = groups.group[order], person[order]
    twice = np.zeros(len(groups), dtype=np.bool_)
    twice[group[1:][(group[1:] == group[:-1]) & (person[1:] == person[:-1])]] = True
    return twice


def _any(which: BoolArray, starts: IntArray) -> BoolArray:
    return np.logical_or.reduceat(which, starts)
