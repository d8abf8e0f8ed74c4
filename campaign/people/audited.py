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


def audited(rules: PeopleRules, alike: Sequence[Alike], groups: int, answer: Answer) -> Iterator[Trouble]:
    """Lines about people of a release of coarser values, where it is plain in which group every row stands.

    Somebody with rows in several groups is in danger by that in which he is most.
    """
    standing: list[list[int]] = [[] for _ in range(groups)]
    for one in alike:
        [group] = one.groups
        if group >= 0:
            standing[group] += one.places
    for line in answer.lines:
        about = _LINES.get(line.adversary)
        if about is None:
            continue
        most: dict[Owner, Fraction] = {}
        for places in standing:
            for owner, sure in about(rules.of_people(places, line.attribute or "")).items():
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


_LINES: dict[str, Callable[[Rows], dict[Owner, Fraction]]] = {
    "prosecutor": _whose,
    "uniform_worlds": _what,
    "homogeneity": _one_value,
}
