"""What an engine tells about its columns, enough to propose a policy."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True)
class ColumnProfile:
    """Counts of one column; `values` are its most frequent values (at most 1,000) with their counts."""

    name: str
    rows: int
    distinct: int
    nulls: int
    values: tuple[tuple[str | None, int], ...]


@dataclass(frozen=True)
class Ownership:
    """How the rows of a table fall to the owners that a column names, if it says whose row it is.

    ``owners[i]`` of them have ``rows[i]`` rows each (rising). `movers` are owners whose rows differ in some of the
    other columns that were asked about; `differing` counts them for each of these. Rows that name no owner are not
    counted.

    >>> Ownership(rows=(1, 2, 5), owners=(2, 3, 1), movers=1, differing=(1, 0)).median
    2
    """

    rows: tuple[int, ...]
    owners: tuple[int, ...]
    movers: int
    differing: tuple[int, ...]

    @property
    def number(self) -> int:
        """How many owners there are."""
        return sum(self.owners)

    @property
    def repeated(self) -> int:
        """How many owners have several rows."""
        return sum(owners for rows, owners in zip(self.rows, self.owners, strict=True) if rows > 1)

    @property
    def median(self) -> int:
        """How many rows half of the owners have at most."""
        return self.rows[bisect_left(list(accumulate(self.owners)), self.number / 2)] if self.rows else 0

    @property
    def most(self) -> int:
        """How many rows one owner has at most."""
        return max(self.rows, default=0)


@dataclass(frozen=True)
class Uniqueness:
    """How many rows are told apart from all others by some columns together, by each alone, and without or with each.

    The columns asked about are some that are taken `together` and some that are not. ``changed[i]`` is the share of
    rows that are unique if column i is left out of those (or, if it is not among them, is added); ``alone[i]`` by
    column i and nothing else. NULL is a value. Where it is known whose rows they are, rows that are all one person's
    are unique, however many there are. Of a large table one combination in `one_in` was looked at, with all the rows
    that have it: then the shares are estimates.

    >>> by_zip_and_age = Uniqueness(together=0.4, changed=(0.1, 0.3, 0.9), alone=(0.0, 0.02, 0.5))
    >>> [round(part, 2) for part in by_zip_and_age.beyond]  # the last is not taken with the others
    [0.3, 0.1, 0.5]
    """

    together: float
    changed: tuple[float, ...]
    alone: tuple[float, ...]
    one_in: int = 1

    @property
    def beyond(self) -> tuple[float, ...]:
        """The share of rows that each column makes unique beyond what the others do."""
        return tuple(abs(share - self.together) for share in self.changed)
