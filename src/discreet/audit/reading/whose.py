"""Whose rows a release has, as far as anybody says; and in which words it may be told.

Several rows may be one person's: visits, claims. Nothing in a release says which. So what is counted of its rows is
told of people only where it is known that every row is another person's.
"""

from __future__ import annotations

from dataclasses import dataclass

PEOPLE, ROWS = "people", "rows"
NAMED, ONE_EACH, UNSAID = "named", "one row each", "unsaid"
_ONE = {PEOPLE: "person", ROWS: "row"}
AS_IF = "Counted as if every row were another person's. "  # of what makes no sense otherwise


@dataclass(frozen=True)
class Whose:
    """A column of the source says whose rows they are (`person`), or each is another person's (`one_each`), or neither.

    Both, if the column was looked at and nobody has two.

    >>> Whose(person="patient").case, Whose(one_each=True).case, Whose().case
    ('named', 'one row each', 'unsaid')
    >>> Whose().told("everybody has", "all rows have")
    'all rows have'
    """

    person: str = ""
    one_each: bool = False

    @property
    def case(self) -> str:
        """Named, one row each, or unsaid."""
        return NAMED if self.person else ONE_EACH if self.one_each else UNSAID

    @property
    def unit(self) -> str:
        """What is counted where rows are."""
        return PEOPLE if self.one_each else ROWS

    def told(self, of_people: str, of_rows: str) -> str:
        """What is true of rows, in the words that may be used for it."""
        return of_people if self.one_each else of_rows


def so_many(number: int, of: str) -> str:
    """So many people, or rows.

    >>> so_many(1, PEOPLE), so_many(1200, PEOPLE), so_many(1, ROWS)
    ('1 person', '1,200 people', '1 row')
    """
    return f"{number:,} {_ONE[of] if number == 1 else of}"
