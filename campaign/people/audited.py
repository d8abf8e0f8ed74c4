"""What the audit says of people, beside what counting them says: whose rows, and who has what, of everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from campaign.people.definitions import Owner, chance
from campaign.people.product import Answer
from campaign.people.rules import PeopleRules, Rows
from campaign.people.standing import Alike
from campaign.promises.audited import Trouble, compared
from campaign.promises.case import Value


def audited(rules: PeopleRules, alike: Sequence[Alike], groups: int, answer: Answer) -> Iterator[Trouble]:
    """Lines about people of a release of coarser values, where it is plain in which group every row stands.

    Somebody with rows in several groups is in danger by that in which he is most.
    """
    standing: list[list[int]] = [[] for _ in range(groups)]
    for one in alike:
        [group] = one.groups
        if group >= 0:
            standing[group] += one.places
    published = [at for places in standing for at in places]
    for line in answer.lines:
        about = _LINES.get(line.adversary)
        if about is None:
            continue
        most: dict[Owner, Fraction] = {}
        for places in standing:
            for owner, sure in about(rules, places, line.attribute or "", published).items():
                most[owner] = max(most.get(owner, Fraction(0)), sure)
        yield from compared(line, [(sure, 1) for sure in most.values()])


def _whose(group: Rows) -> dict[Owner, Fraction]:
    """Which rows are his? Those of one of so many people."""
    people = {owner for owner, _ in group}
    return dict.fromkeys(people, Fraction(1, len(people)))


def _what(group: Rows) -> dict[Owner, Fraction]:
    """What does he have? Some value at least once, so many of the rows being his."""
    most = max(Counter(value for _, value in group).values())
    return {owner: chance(len(group), most, own) for owner, own in Counter(owner for owner, _ in group).items()}


def _one_value(group: Rows) -> dict[Owner, Fraction]:
    """Has everybody the same?"""
    return {owner: Fraction(len({value for _, value in group}) == 1) for owner, _ in group}


def _beside_one(group: Rows) -> dict[Owner, Fraction]:
    """What does he have, if all rows of one other are known? Those that tell most."""
    owners = Counter(owner for owner, _ in group)
    sure = _what(group)
    for struck in owners:
        left = [(owner, value) for owner, value in group if owner != struck]
        for owner, chances in _what(left).items() if left else ():
            sure[owner] = max(sure[owner], chances)
    return sure


def _learnt(group: Rows, table: Rows) -> dict[Owner, Fraction]:
    """What does he have, of what was learnt most about? The likeliest of values that are level."""
    inside, everywhere = Counter(value for _, value in group), Counter(value for _, value in table)
    sure: dict[Owner, Fraction] = {}
    for owner, own in Counter(owner for owner, _ in group).items():
        told = {v: chance(len(group), n, own) for v, n in inside.items()}
        gain = {v: after - chance(len(table), everywhere[v], own) for v, after in told.items()}
        sure[owner] = max(told[v] for v in gain if gain[v] == max(gain.values()))
    return sure


def _by_other_values(
    rules: PeopleRules, places: Sequence[int], attribute: str, _: Sequence[int]
) -> dict[Owner, Fraction]:
    """What does he have, if the other sensitive values of all his rows are known?"""
    others = [rules.case.column(name) for name in rules.case.sensitive if name != attribute]
    parts: dict[tuple[Value, ...], list[int]] = {}
    for at in places:
        parts.setdefault(tuple(column[at] for column in others), []).append(at)
    sure: dict[Owner, Fraction] = {}
    for owner in {rules.owners[at] for at in places}:
        none: dict[Value, Fraction] = {}
        for inside in parts.values():
            rows = rules.of_people(inside, attribute)
            own = sum(whose == owner for whose, _ in rows)
            for value, n in Counter(value for _, value in rows).items():
                none[value] = none.get(value, Fraction(1)) * (1 - chance(len(rows), n, own))
        sure[owner] = max(1 - left for left in none.values())
    return sure


_About = Callable[[PeopleRules, Sequence[int], str, Sequence[int]], dict[Owner, Fraction]]


def _by_rows(about: Callable[[Rows], dict[Owner, Fraction]]) -> _About:
    """Of lines that go by whose the rows of a group are, and their values."""
    return lambda rules, places, attribute, _: about(rules.of_people(places, attribute))


def _by_table(rules: PeopleRules, places: Sequence[int], attribute: str, table: Sequence[int]) -> dict[Owner, Fraction]:
    return _learnt(rules.of_people(places, attribute), rules.of_people(table, attribute))


_LINES: dict[str, _About] = {
    "prosecutor": _by_rows(_whose),
    "uniform_worlds": _by_rows(_what),
    "homogeneity": _by_rows(_one_value),
    "known_rows_1": _by_rows(_beside_one),
    "skew": _by_table,
    "other_values": _by_other_values,
}
