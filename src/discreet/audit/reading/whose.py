"""Whose rows a release has, as far as anybody says; and in which words it may be told.

Several rows may be one person's: visits, claims. Nothing in a release says which. So what is counted of its rows is
told of people only where it is known that every row is another person's.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.labels.whose import Whose

PEOPLE, ROWS = Whose.ONE_EACH.people, Whose.UNSAID.people  # what is counted
AS_IF = "Counted as if every row were another person's. "  # of what makes no sense otherwise


@dataclass(frozen=True)
class Ownership:
    """A column of the source says whose rows they are (`person`), or each is another person's (`one_each`), or neither.

    Both, if the column was looked at and nobody has two.

    >>> Ownership(person="patient").case.value, Ownership(one_each=True).case.value, Ownership().case.value
    ('named', 'one row each', 'unsaid')
    >>> Ownership(person="patient").told("everybody has", "all rows have")
    'all rows have'
    """

    person: str = ""
    one_each: bool = False

    @property
    def case(self) -> Whose:
        """Named, one row each, or unsaid."""
        return Whose.NAMED if self.person else self._of_rows

    @property
    def _of_rows(self) -> Whose:
        return Whose.ONE_EACH if self.one_each else Whose.UNSAID

    @property
    def unit(self) -> str:
        """What is counted where rows are."""
        return self._of_rows.people

    def told(self, of_people: str, of_rows: str) -> str:
        """What is true of rows, in the words that may be used for it."""
        return self._of_rows.either(of_people, of_rows)


UNSAID = Ownership()


def so_many(number: int, of: str) -> str:
    """So many people, or rows.

    >>> so_many(1, PEOPLE), so_many(1200, PEOPLE), so_many(1, ROWS)
    ('1 person', '1,200 people', '1 row')
    """
    return (Whose.ONE_EACH if of == PEOPLE else Whose.UNSAID).so_many(number)
