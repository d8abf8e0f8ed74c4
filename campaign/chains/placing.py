"""Who stands where: is there a way to put everybody into the groups as they are published?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from campaign.promises.case import Row, Value

_MOST = 100_000  # steps, before it is given up


@dataclass(frozen=True)
class Person:
    """Somebody of a month's table, and the signature that the ledger says the person has in its release."""

    name: Value
    quasi_identifiers: Row
    value: Value
    signature: frozenset[Value]


@dataclass(frozen=True)
class Seats:
    """A published group: how often it has each value, and its exact quasi-identifiers, or the labels of its rows."""

    values: Counter[Value]
    people: Counter[Row]
    labels: Row = ()

    @property
    def signature(self) -> frozenset[Value]:
        return frozenset(self.values)


def placed(
    people: Sequence[Person], groups: Sequence[Seats], covers: Callable[[Row, Row], bool]
) -> Mapping[Value, int] | None:
    """The group of everybody, so that all groups are filled as they are published; None if there is no such way.

    Of exact values, a group has somebody's quasi-identifiers; else its labels hold them. Raises `TimeoutError` where it
    takes too long to say.

    >>> ann, bob = Person("Ann", ("20",), "a", frozenset("ab")), Person("Bob", ("30",), "b", frozenset("ab"))
    >>> exact = Seats(Counter("ab"), Counter([("20",), ("30",)]))
    >>> placed([ann, bob], [exact], lambda label, own: True), placed([ann], [exact], lambda label, own: True)
    ({'Ann': 0, 'Bob': 0}, None)
    """
    values = [Counter(group.values) for group in groups]
    rows = [Counter(group.people) for group in groups]
    if len(people) != sum(v.total() for v in values):
        return None
    options = {
        person.name: [
            g
            for g, group in enumerate(groups)
            if group.signature == person.signature
            and (
                covers(group.labels, person.quasi_identifiers)
                if group.labels
                else group.people[person.quasi_identifiers]
            )
        ]
        for person in people
    }
    order = sorted(people, key=lambda person: len(options[person.name]))
    where: dict[Value, int] = {}
    steps, failed = 0, set[Hashable]()

    def fill(at: int) -> bool:
        nonlocal steps
        if at == len(order):
            return True
        left = (at, *(frozenset((+v).items()) for v in values), *(frozenset((+r).items()) for r in rows))
        if left in failed:
            return False
        if (steps := steps + 1) > _MOST:
            raise TimeoutError
        person = order[at]
        for g in options[person.name]:
            exact = not groups[g].labels
            if values[g][person.value] and (not exact or rows[g][person.quasi_identifiers]):
                values[g][person.value] -= 1
                rows[g][person.quasi_identifiers] -= exact
                where[person.name] = g
                if fill(at + 1):
                    return True
                values[g][person.value] += 1
                rows[g][person.quasi_identifiers] += exact
        failed.add(left)
        return False

    return where if fill(0) else None
