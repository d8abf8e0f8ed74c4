"""People and their values published apart: whoever has rows in several groups may have a value by each of them.

No group may hold two rows of somebody. What is believed of each of his rows adds up, at worst, and the sum is what is
promised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

from campaign.people.definitions import Owner, limit_of, owners
from campaign.people.product import Answer
from campaign.people.rules import PeopleRules
from campaign.people.standing import Standing
from campaign.promises.audited import MORE, Trouble
from campaign.promises.case import Case, Row
from campaign.promises.definitions import keeps, number
from campaign.promises.possible import partitions
from campaign.promises.posteriors import Held, links
from campaign.promises.reading import Group
from campaign.promises.rules import ABOUT_WORLDS, Asked, asked

_FEW = 7  # rows of a table that is put in groups in all ways
Sure = Mapping[tuple[int, Row], Mapping[Held, Fraction]]  # of people of a group, how sure she is that they have it


@dataclass(frozen=True)
class Judge:
    """The promises, and the groups of the files."""

    rules: PeopleRules
    groups: Sequence[Group]

    def troubles(self, standing: Standing) -> list[str]:
        """A line for every group with two rows of one person, and everybody of whom too much is known."""
        owners = self.rules.owners
        wrong = []
        for places in standing:
            most = Counter(owners[at] for at in places).most_common(1)
            if most and most[0][1] > 1:
                wrong.append(f"a group has {most[0][1]} rows of one person")
        sums = [why for promise, sure in self.believed for why in self._sums(promise, sure, standing)]
        return wrong + self.in_groups + sums + self._presences(standing)

    def _presences(self, standing: Standing) -> list[str]:
        """α limits how likely it is that somebody with these quasi-identifiers is there, if it is below 1."""
        wrong = []
        for promise in self.rules.asked:
            alpha = number(promise.about["alpha"]) if promise.word == "ambiguity" else 1
            sums: dict[Owner, Fraction] = {}
            for group, places in zip(self.groups, standing, strict=True) if alpha < 1 else ():
                for at in places:
                    owner = self.rules.owners[at]
                    sums[owner] = sums.get(owner, Fraction(0)) + Fraction(group.size, prod(group.distinct))
            wrong += [f"α = {alpha}: {owner} is there by {sure} in all" for owner, sure in sums.items() if sure > alpha]
        return wrong

    @cached_property
    def in_groups(self) -> list[str]:
        """Of a group without two rows of one person, values are counted in people as they are in rows."""
        wrong = []
        for promise in self.rules.asked:
            if promise.word in ABOUT_WORLDS or not promise.attribute:
                continue
            table = self.rules.people_of_the_table[promise.attribute]
            for group in self.groups:
                if not keeps(promise.promise, group.values[promise.attribute], table, promise.paths):
                    wrong.append(f"{promise.promise} in people: {group.values[promise.attribute]}")
        return wrong

    @cached_property
    def believed(self) -> list[tuple[Asked, Sure]]:
        """For every promise about a chance, and every adversary it is about, how sure she is of whom."""
        case = self.rules.case
        believed: list[tuple[Asked, Sure]] = []
        for promise in self.rules.asked:
            if promise.word == "robust":
                source = case.quasi_identifiers, case.parts(case.quasi_identifiers), case.column(promise.attribute)
                for view in links(promise.about, self.groups, source, promise.attribute):
                    pairs = zip(self.groups, view, strict=True)
                    sure = {
                        (g, person): chances
                        for g, (group, people) in enumerate(pairs)
                        for person, chances in zip(group.people, people, strict=True)
                    }
                    believed.append((promise, sure))
            elif limit_of(promise.promise) is not None:
                believed.append((promise, self._shares(promise.attribute)))
        return believed

    def _shares(self, attribute: str) -> Sure:
        """Whoever knows the group alone: the same of all its people."""
        everybody = set(self.rules.case.parts(self.rules.case.quasi_identifiers))
        return {
            (g, person): {frozenset([value]): Fraction(n, group.size) for value, n in group.values[attribute].items()}
            for g, group in enumerate(self.groups)
            for person in everybody
        }

    def _sums(self, promise: Asked, sure: Sure, standing: Standing) -> Iterator[str]:
        people = self.rules.case.parts(self.rules.case.quasi_identifiers)
        limit = limit_of(promise.promise)
        assert limit is not None
        sums: dict[tuple[Owner, Held], Fraction] = {}
        for g, places in enumerate(standing):
            for at in places:
                for held, chance in sure[g, people[at]].items():
                    key = self.rules.owners[at], held
                    sums[key] = sums.get(key, Fraction(0)) + chance
        for (owner, held), chance in sums.items():
            if chance > limit:
                yield f"{promise.promise}: {owner} has {sorted(map(str, held))} by {chance} in all"


def is_plain(case: Case) -> bool:
    """Do quasi-identifiers tell whose every row is?"""
    whose: dict[Row, set[Owner]] = {}
    for person, owner in zip(case.parts(case.quasi_identifiers), owners(case), strict=True):
        whose.setdefault(person, set()).add(owner)
    return all(len(own) == 1 for own in whose.values())


# --- what was refused ------------------------------------------------------------------------------------------------


def refusal(case: Case, answer: Answer) -> Iterator[Trouble]:
    """Was there a grouping? Searches claim that there is none only where they say so."""
    if _grouping(case):
        claimed = "no release" in answer.message or "no grouping" in answer.message
        yield "refusal" if claimed else MORE, f"a grouping keeps the promises: {answer.message}"[:500]


def _grouping(case: Case) -> bool | None:
    """Is there any that keeps the promises in rows and in people? None if there are too many to try."""
    if len(case.rows) > _FEW:
        return None
    rules = PeopleRules(case, asked(case))
    ways = partitions(range(len(case.rows)), case.limit)
    return any(groups and _keeps(rules, tuple(map(tuple, groups))) for groups in ways)


def _keeps(rules: PeopleRules, standing: Standing) -> bool:
    case, names = rules.case, rules.case.quasi_identifiers
    if any(len({rules.owners[at] for at in places}) < len(places) for places in standing):
        return False
    people = case.parts(names)
    groups = [
        Group(
            len(places),
            (str(g),),
            rules.values(places),
            people=tuple(people[at] for at in places),
            distinct=tuple(len({people[at][d] for at in places}) for d in range(len(names))),
        )
        for g, places in enumerate(standing)
    ]
    if not all(rules.holds(places, standing) for places in standing) or not rules.names_all(standing):
        return False
    for promise in rules.asked:
        if promise.word == "ambiguity":
            alpha, beta = number(promise.about["alpha"]), number(promise.about["beta"])
            if any(g.size > alpha * prod(g.distinct) for g in groups):
                return False
            if any(max(g.values[promise.attribute].values()) > beta * g.size for g in groups):
                return False
    return not Judge(rules, groups).troubles(standing)
