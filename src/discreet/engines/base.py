"""The verbs that are asked of an engine, and how they are said in SQL by every engine that speaks it.

An engine holds one table. All values are read as text, written alike by every engine: a policy gives the same release
wherever the table is. NULL is a value of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from discreet.engines.profile import ColumnProfile, Ownership, Uniqueness
from discreet.engines.reading import Reading
from discreet.engines.rows import Rows
from discreet.errors import DataError, Mistake

if TYPE_CHECKING:
    from discreet.engines.counted_rows import CountedRows

LARGEST_PAIR = 4_000_000  # possible pairs of values; more would be nearly as much as the table itself


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Distinct combinations of some columns, in no order: the values of each column (as text), and codes into them.

    Where rows are told apart by whose they are, `person` is a number for each combination, −1 where nobody is named;
    `names` are the people's texts (an Arrow array) in the order of their numbers, which is that of their texts.
    """

    values: tuple[tuple[str | None, ...], ...]
    codes: tuple[Any, ...]  # int32 arrays
    counts: Any  # int64 array
    person: Any = None  # int32 array
    names: Any = None
    _rows: dict[int, NDArray[np.int64]] = field(default_factory=dict, init=False, repr=False)

    def rows_by_value(self, column: int) -> NDArray[np.int64]:
        """How many rows have each of a column's values; counted once, as scan, search and report all ask for it.

        >>> Frequencies((("a", "b"),), (np.array([0, 1, 0]),), np.array([5, 6, 7])).rows_by_value(0)
        array([12,  6])
        """
        if column not in self._rows:
            rows = np.bincount(self.codes[column], weights=self.counts, minlength=len(self.values[column]))
            self._rows[column] = rows.astype(np.int64)
        return self._rows[column]

    def by_text(self) -> Frequencies:
        """The same combinations, with each column's values in the order of their texts, a missing one first.

        An engine on several cores gives values in another order each time. That changes no count, but the last digit
        of whatever is added up in that order.

        >>> drawn = Frequencies((("b", None, "a"),), (np.array([0, 1, 2]),), np.array([5, 6, 7]))
        >>> drawn.by_text().values, drawn.by_text().codes[0].tolist()
        (((None, 'a', 'b'),), [2, 0, 1])
        """
        values, codes = [], []
        for texts, places in zip(self.values, self.codes, strict=True):
            order = sorted(range(len(texts)), key=lambda i: (texts[i] is not None, texts[i] or ""))
            rank = np.empty(len(texts), dtype=np.int32)
            rank[order] = np.arange(len(texts), dtype=np.int32)
            values.append(tuple(texts[i] for i in order))
            codes.append(rank[places])
        return replace(self, values=tuple(values), codes=tuple(codes))


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The values of each column (as text), how many rows have each, and how many have each pair of values.

    ``pairs[i, j][a, b]`` rows have value a of column i and value b of column j (i < j). Two columns that have more than
    `LARGEST_PAIR` possible pairs are not there.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    singles: tuple[NDArray[np.int64], ...]
    pairs: Mapping[tuple[int, int], NDArray[np.int64]]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.singles[0].sum())


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Some rows of a table, as combinations in no order, and how many rows of the whole table have each value.

    The values of `found` are those of the whole table, in whatever rows.
    """

    found: Frequencies
    singles: tuple[NDArray[np.int64], ...]


class TooManyCombinations(DataError):
    """More distinct combinations than an engine hands over; a summary of the table may do instead."""

    def __init__(self, place: str, combinations: int, limit: int):
        rule = f"has about {combinations:,} distinct combinations, more than the {limit:,} that leave the engine"
        repair = "use fewer columns, or let more out if the driver has the memory: DISCREET_SPARK_COMBINATIONS"
        super().__init__(Mistake(place, rule, repair))
        self.found, self.limit = combinations, limit


class Engine(Protocol):
    """One table, and the few verbs that are asked of it. `scans` counts the passes over its rows."""

    columns: tuple[str, ...]
    types: dict[str, str]  # in the engine's own words
    scans: int
    forms: tuple[str, ...]  # in which it writes releases; the first by itself
    labels: Mapping[str, Mapping[str | None, str | None]]  # what values of some columns stand for in it, by `labelled`

    def only(self, rows: Rows) -> Self:
        """The same table with these rows alone: every verb speaks of them, and scans are counted anew."""

    @property
    def as_it_stands(self) -> Self:
        """The same table, with its cells as they stand."""

    def read_as(self, reading: Reading) -> Self:
        """The same table with its cells read by the words of a policy, and NaN as NULL."""

    def coded(self, codes: Mapping[str, Mapping[str | None, int]]) -> Self:
        """The same table where values of some columns are whole numbers, as told; scans are counted anew.

        A value that nobody told a number for becomes NULL.
        """

    def labelled(self, labels: Mapping[str, Mapping[str | None, str | None]]) -> Self:
        """The same table where values of some columns are other texts, as told: every verb speaks of these.

        A value that nobody told a text for ends the query: the table is not the one that was looked at. Scans are
        counted on.
        """

    def frequencies(self, columns: Sequence[str], person: str | None = None) -> Frequencies:
        """The distinct combinations of `columns` with their counts: one scan. NULL is a value.

        If a column says whose row it is (`person`), rows of different people are told apart.
        """

    def grouped_frequencies(self, columns: Sequence[str], group: str) -> tuple[Frequencies, Any]:
        """The same within each group: also the group's number, −1 for one that is not in plain digits (int64 array)."""

    def pair_counts(self, columns: Sequence[str]) -> PairCounts:
        """Counts of single values and of pairs of values of every two columns: one scan."""

    def sample(self, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
        """Some rows, each set of them as likely (all, if there are fewer). A seed chooses the same on every engine."""

    def profile(self) -> list[ColumnProfile]:
        """What can be said of each column by itself."""

    def ownership(self, owner: str, columns: Sequence[str]) -> Ownership:
        """How rows fall to the values of one column, and in which others those of one value differ: one scan."""

    def uniqueness(
        self,
        together: Sequence[str],
        others: Sequence[str],
        rows: int,
        each: bool = True,
        person: str | None = None,
    ) -> Uniqueness:
        """How many of the rows, of which there are so many, are unique by some columns: see there. One scan.

        Unless of `each`, only by all of them together. Where a column names the `person`, several rows of one person
        are unique that nobody else's are like.
        """

    def publishing(
        self, folder: Path, form: str, schema: str = "", replace: bool = False, escape: bool = False
    ) -> AbstractContextManager[Tables]:
        """Where the tables of a release go, as the `form` says; all of them, or none if the block ends in an error.

        `escape`, a CSV file has an apostrophe before every text that a spreadsheet would run.
        """


class PublishedTables(Protocol):
    """The tables of a release, to be read: files of a folder, or tables in a database."""

    def open(self, table: str, named: Sequence[str] = ()) -> Engine:
        """A table, to be read; `named` are columns that it should have."""

    def about(self, table: str) -> dict[str, Any]:
        """What the manifest says about it, so that a change will be noticed."""


@runtime_checkable
class DescribedTables(PublishedTables, Protocol):
    """The same where no folder keeps them together, but a schema, with the manifest beside them."""

    def others(self, listed: Collection[str]) -> list[str]:
        """What stands beside the listed tables and is no part of the release."""

    def manifest(self) -> str:
        """What was published, as it was described."""


class Tables(PublishedTables, Protocol):
    """The same while they are written, ``with engine.publishing(…) as tables``: after an error, nothing is left."""

    def name(self, stem: str) -> str:
        """What a table is called there: ``data.csv``, or ``data``."""

    def write(self, table: str, rows: CountedRows, random: np.random.Generator | None = None) -> None:
        """Write rows as often as they count; in random order where there is an order, or as they stand."""

    def rewrite(self, table: str, rewriting: Rewriting) -> None:
        """Write the source's own rows, recoded: one scan of it."""

    def describe(self, manifest: str) -> None:
        """Keep the manifest beside the tables, where no folder keeps them together."""


@dataclass(frozen=True, eq=False)
class Rewriting:
    """How rows of the source become rows of a release, where columns are published that no count has.

    `assignment` is an Arrow table: k0… (values of `keys`, as text), id (a number for each combination of them), first
    and last (which of its rows it speaks of, numbered by their hash), kept, and p0… (published values); `published`
    names the columns that become one of those, the others are written as they are. Rows not kept are left out, or with
    `star` are all ``*``. Sorted rows stand in the order of `sorted_by`, then of all columns; else in random order.
    """

    assignment: Any
    keys: Sequence[str]
    columns: Sequence[str]
    published: Mapping[str, int]
    seed: int
    star: bool = False
    sorted_by: Sequence[str] = ()
