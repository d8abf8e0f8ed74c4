"""Every release of coarser values that a case allows for, by trying all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

from campaign.promises.case import Case, Value
from campaign.promises.definitions import number
from campaign.promises.ladders import ladder
from campaign.promises.lattice import (
    MOST_NODES,
    Choice,
    Generalization,
    Group,
    Release,
    cuts,
    generalizations,
    left_out,
    levels,
    settled,
)
from campaign.promises.rules import Rules, among, asked, delta, presence_kept

_FEW = 10  # rows of a table for which all sets of groups are tried to be left out
_FEW_GROUPED = 7  # rows of a table that is put in groups in all ways
_ABOUT_MORE = frozenset({"robust", "confident_presence", "ambiguity"})  # than groups and a list


@dataclass(frozen=True)
class Possible:
    """Releases that keep the promises: where only what fails is left out (`settling`), and where more is (`any`)."""

    settling: tuple[Release, ...]
    any: tuple[Release, ...]


def possible(case: Case, kind: type[Rules] = Rules) -> Possible | None:
    """All of them; None if a hierarchy follows the data, there are too many, or a promise is about more than groups.

    A release is a generalization and the groups that are left out of it, no more rows than the policy allows. What is
    published keeps every promise against the source and against what is published. Where only what fails is left out,
    that is done until nothing fails, for it changes what the others are compared with.
    """
    choices = _choices(case)
    if choices is None or {a.word for a in asked(case)} & _ABOUT_MORE:
        return None
    rules = kind(case, asked(case))
    limits, hides = next(
        (
            (delta(a.about), a.about.get("suppression", "judged") == "judged")
            for a in rules.asked
            if a.word == "presence"
        ),
        (None, False),
    )
    settling: list[Release] = []
    any_way: list[Release] = []
    for general in generalizations(case.parts(case.quasi_identifiers), choices):
        candidate = _Candidate(case, rules, general, limits, hides and case.limit > 0)
        if candidate.shows_somebody_absent:
            continue
        settling += candidate.settled()
        any_way += candidate.leaving_out_more()
    return Possible(tuple(settling), tuple(any_way or settling))


@dataclass(frozen=True)
class _Candidate:
    """One generalization, and what may be left out of it."""

    case: Case
    rules: Rules
    general: Generalization
    limits: tuple[Fraction, Fraction] | None  # of the chance of being in the table, if that is promised
    hides: bool  # who is left out follows from the people

    @cached_property
    def groups(self) -> list[Group]:
        return list(self.general.groups.values())

    @cached_property
    def people(self) -> Counter[tuple[object, ...]]:
        """How many people of the list have each combination of labels."""
        maps = self.general.maps
        return Counter(
            tuple(leaves[value] for leaves, value in zip(maps, person, strict=True)) for person in self.rules.listed
        )

    @property
    def shows_somebody_absent(self) -> bool:
        """People of whose like nobody is in the table can't be hidden, where absence is to be."""
        absent = set(self.people) - set(self.general.groups) - self.hidden
        return self.limits is not None and self.limits[0] > 0 and bool(absent)

    @cached_property
    def hidden(self) -> frozenset[tuple[object, ...]]:
        """The labels of fewest people, all of a size or none: e rows are expected there, and e + 2 √e are allowed."""
        hidden: set[tuple[object, ...]] = set()
        rows, everybody = len(self.case.rows), len(self.rules.listed)
        for size in sorted(set(self.people.values())) if self.hides else ():
            more = {labels for labels, people in self.people.items() if people <= size}
            expected = Fraction(rows * sum(self.people[labels] for labels in more), everybody)
            spare = self.case.limit - expected
            if spare < 0 or 4 * expected > spare * spare:
                break
            hidden = more
        return frozenset(hidden)

    @cached_property
    def too_sure(self) -> frozenset[Group]:
        """Groups whose people are in the table with a chance beyond the limits."""
        if self.limits is None:
            return frozenset()
        groups = self.general.groups.items()
        return frozenset(
            g for labels, g in groups if not among(self.rules.people_in(g), self.people[labels], self.limits)
        )

    def holds(self, group: Group, staying: Sequence[Group]) -> bool:
        return group not in self.too_sure and self.rules.holds(group, staying)

    def may_be_published(self, staying: Sequence[Group]) -> bool:
        """Are no more rows left out than may be, and everybody in no group as hidden as promised?"""
        gone = len(self.case.rows) - sum(map(len, staying))
        if gone > self.case.limit or not self.rules.names_all(staying):
            return False
        if self.limits is None:
            return True
        if self.hides:
            return among(gone, sum(self.people[labels] for labels in self.hidden), self.limits)
        kept = {labels: group for labels, group in self.general.groups.items() if group in staying}
        covered = [self.people[labels] for labels in kept]
        inside = [self.rules.people_in(group) for group in kept.values()]
        left_out = self.rules.people_in([at for group in self.groups if group not in staying for at in group])
        return presence_kept(inside, covered, left_out, len(self.rules.listed), self.limits)

    def release(self, staying: Sequence[Group]) -> Release:
        return self.general.release([at for group in self.groups if group not in staying for at in group])

    def settled(self) -> Iterator[Release]:
        if self.hides:
            staying = [group for labels, group in self.general.groups.items() if labels not in self.hidden]
            if not all(self.holds(group, staying) for group in staying):
                return
        else:
            staying = settled(self.groups, self.holds)
        if self.may_be_published(staying):
            yield self.release(staying)

    def leaving_out_more(self) -> Iterator[Release]:
        """Where that could help: groups are judged beside the others, or whoever is left out is one group."""
        if self.hides or (not self.rules.compares and self.limits is None) or len(self.case.rows) > _FEW:
            return
        must = [] if self.rules.compares else [group for group in self.groups if not self.holds(group, [group])]
        for gone in left_out(self.groups, must, self.case.limit) or ():
            staying = [group for group in self.groups if group not in gone]
            kept = staying and all(self.holds(group, staying) for group in staying)
            if kept and self.may_be_published(staying):
                yield self.release(staying)


def _choices(case: Case) -> list[list[Choice]] | None:
    """The levels of every column, or all cuts where the search may take any."""
    columns = []
    for name in case.quasi_identifiers:
        labels = ladder(case.hierarchy(name), domain(case, name))
        if labels is None:
            return None
        columns.append(cuts(labels) if case.words.get("search") in ("optimize", "instant_cuts") else levels(labels))
    return columns if prod(map(len, columns)) <= MOST_NODES else None


def domain(case: Case, name: str) -> list[Value]:
    """The leaves of a column: what a taxonomy lists, and what occurs in table and list."""
    at = case.quasi_identifiers.index(name)
    values = case.column(name) + [person[at] for person in case.people or ()]
    labels = ladder(case.hierarchy(name), values + _named_in_marginals(case, name))
    return list(labels) if labels is not None else list(dict.fromkeys(values + _named_in_marginals(case, name)))


def _named_in_marginals(case: Case, name: str) -> list[Value]:
    for promise in asked(case):
        if promise.word == "confident_presence":
            return [value for value, count in promise.about["marginals"][name] if count]
    return []


def partitions(rows: Sequence[int], spare: int) -> Iterator[list[list[int]]]:
    """Every way to put rows in groups, leaving at most `spare` of them out.

    >>> list(partitions([0, 1], 1))
    [[[1]], [[0]], [[0], [1]], [[0, 1]]]
    """
    if not rows:
        yield []
        return
    first, *rest = rows
    if spare:
        yield from partitions(rest, spare - 1)
    for groups in partitions(rest, spare):
        yield [[first], *groups]
        yield from ([*groups[:at], [first, *group], *groups[at + 1 :]] for at, group in enumerate(groups))


def ambiguity_possible(case: Case) -> bool | None:
    """Is there a grouping that keeps (α, β), each column in a table of its own, in each group or over all of them?

    None if there are too many to try, or more is asked.
    """
    [promise, *others] = sorted(asked(case), key=lambda a: a.word != "ambiguity")
    if len(case.rows) > _FEW_GROUPED or others:
        return None
    alpha, beta = number(promise.about["alpha"]), number(promise.about["beta"])
    people, values = case.parts(case.quasi_identifiers), case.column(promise.attribute)

    def keeps(group: list[int]) -> bool:
        entries = prod(len({people[at][d] for at in group}) for d in range(len(people[0])))
        most = max(Counter(values[at] for at in group).values())
        return len(group) <= alpha * entries and most <= beta * len(group)

    def adds_up(groups: list[list[int]]) -> bool:
        sums: dict[tuple[object, ...], Fraction] = {}
        for group in groups:
            listed = [{people[at][d] for at in group} for d in range(len(people[0]))]
            for somebody in product(*listed):
                sums[somebody] = sums.get(somebody, Fraction(0)) + Fraction(len(group), prod(map(len, listed)))
        return max(sums.values()) <= alpha

    together = promise.about.get("presence") == "total" and alpha < 1
    ways = partitions(range(len(people)), case.limit)
    return any(groups and all(map(keeps, groups)) and (not together or adds_up(groups)) for groups in ways)
