"""Whose rows a table has, as far as somebody said so: may what is true of rows be said of people?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

PERSON = "person"  # the role of a column that says whose row it is


class Whose(StrEnum):
    """Three cases. `NAMED`: a column says whose row it is, so people may have several, and promises were judged by
    rows and by people. `ONE_EACH`: somebody stated that every row is another person's. `UNSAID`: nothing is known, and
    no text may take a row for a person.

    >>> [f"{whose.everybody} looks like {whose.others(4)}" for whose in (Whose.ONE_EACH, Whose.UNSAID)]
    ['everybody looks like 4 others', 'every row looks like 4 other rows']
    """

    NAMED = "named"
    ONE_EACH = "one row each"
    UNSAID = "unsaid"

    def either(self, of_people: str, of_rows: str) -> str:
        """What to say: the first if it is known whose rows they are."""
        return of_rows if self is Whose.UNSAID else of_people

    @property
    def by_rows(self) -> Whose:
        """How to tell a figure that was counted by rows alone: it is one of people only if each has one row.

        >>> Whose.ONE_EACH.by_rows.people, Whose.NAMED.by_rows.people
        ('people', 'rows')
        """
        return self if self is Whose.ONE_EACH else Whose.UNSAID

    @property
    def several(self) -> bool:
        """May somebody have several rows, which a column of the source tells?"""
        return self is Whose.NAMED

    @property
    def people(self) -> str:
        return self.either("people", "rows")

    @property
    def person(self) -> str:
        return self.either("person", "row")

    @property
    def everybody(self) -> str:
        return self.either("everybody", "every row")

    @property
    def nobody(self) -> str:
        return self.either("nobody", "no row")

    @property
    def somebody(self) -> str:
        return self.either("somebody", "a row")

    @property
    def counted(self) -> str:
        """After a sentence about counts that were held to a promise twice, where people have several rows."""
        return ", by rows and by people" if self is Whose.NAMED else ""

    def others(self, count: int) -> str:
        """So many besides the one that is spoken of.

        >>> Whose.UNSAID.others(1), Whose.NAMED.others(1_000)
        ('1 other row', '1,000 others')
        """
        many = "s" * (count != 1)
        return f"{count:,} {self.either(f'other{many}', f'other row{many}')}"

    def so_many(self, count: int) -> str:
        """
        >>> Whose.NAMED.so_many(1), Whose.NAMED.so_many(2_000), Whose.UNSAID.so_many(1)
        ('1 person', '2,000 people', '1 row')
        """
        return f"{count:,} {self.person if count == 1 else self.people}"


def whose_rows(roles: Iterable[str], one_row_per_person: bool) -> Whose:
    """By the roles of a table's columns, and what was stated.

    >>> whose_rows(["sensitive"], True).value, whose_rows(["sensitive"], False).value
    ('one row each', 'unsaid')
    """
    if PERSON in roles:
        return Whose.NAMED
    return Whose.ONE_EACH if one_row_per_person else Whose.UNSAID


def whose_of(manifest: Mapping[str, Any]) -> Whose:
    """By a manifest, whoever wrote it.

    >>> whose_of({"roles": {"visit": "other", "patient": "person"}, "policy": {}}).value
    'named'
    """
    roles, policy = manifest.get("roles"), manifest.get("policy")
    stated = isinstance(policy, Mapping) and policy.get("one_row_per_person") is True
    return whose_rows(roles.values() if isinstance(roles, Mapping) else (), stated)
