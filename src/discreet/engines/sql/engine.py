"""The verbs of an engine in SQL that every dialect has; an engine adds its words, and how a query is asked.

Small tables of ours (codes, lists) are joined with the table; whoever joins on a column does it by `_matches`, so that
values which have no one text (as floating-point numbers have not) are compared as what they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pyarrow as pa

from discreet.engines.arrow import coding_table, in_order, label_table, numbered_texts, to_numpy
from discreet.engines.base import Frequencies, PairCounts, SampledRows
from discreet.engines.profile import Ownership, Uniqueness
from discreet.engines.reading import Reading
from discreet.engines.rows import Condition, Rows
from discreet.engines.sql.pairs import asked_pair_counts, asked_sample
from discreet.engines.sql.reading import DATE, TEXT, read_column
from discreet.engines.sql.unique_rows import asked_uniqueness
from discreet.errors import DataError, Mistake, did_you_mean


class SqlEngine(ABC):
    """One table, and the verbs of `base.Engine` as SQL. `scans` counts the passes over its rows."""

    columns: tuple[str, ...]
    types: dict[str, str]
    scans: int
    labels: Mapping[str, Mapping[str | None, str | None]] = MappingProxyType({})
    _relation: str  # what stands behind FROM
    _place: str  # what messages call the table
    _whole: Any = None  # the engine that this one is a part of, kept alive
    _unread: Any = None  # the engine whose cells this one reads by the words of a policy

    # What an engine adds.

    text_type = "VARCHAR"
    same = "IS NOT DISTINCT FROM"
    once = ""  # what makes a WITH be computed once, where the engine would compute it for each use

    @abstractmethod
    def name(self, column: str) -> str:
        """A name, quoted."""

    @abstractmethod
    def text(self, value: str) -> str:
        """A text, quoted."""

    @abstractmethod
    def _ask(self, query: str) -> Iterator[pa.RecordBatch]:
        """The answer of a query, batch by batch; texts as strings, whole numbers as int64."""

    @abstractmethod
    def _relation_of(self, table: pa.Table) -> str:
        """A small table of ours as something to select from (FROM …), for as long as this engine lives."""

    @abstractmethod
    def _plainly(self, place: str = "") -> AbstractContextManager[None]:
        """The engine's messages quote the row they stumbled on; say the place and the rule instead."""

    @abstractmethod
    def _condition(self, row_condition: Condition) -> str:
        """SQL that is true for the rows which are meant."""

    @abstractmethod
    def _number(self, written: str) -> str:
        """SQL of a BIGINT that a text says in plain digits, else −1."""

    @abstractmethod
    def _hash(self, text: str) -> str:
        """SQL of a BIGINT, at or above 0, that follows from a text (in SQL): others have another one, by all odds."""

    @abstractmethod
    def _both(self, first: str, second: str) -> str:
        """SQL of two BIGINT together, bit by bit (exclusive or): with one of them again, it is the other."""

    @abstractmethod
    def _one_to(self, n: str) -> str:
        """SQL among the columns of a SELECT: its row as often as `n` says, with the numbers from 1 to n."""

    # How cells are read: see `reading`.

    @abstractmethod
    def _like(self, value: str, pattern: str) -> str:
        """SQL: does the whole of a text (in SQL) match a regular expression?"""

    @abstractmethod
    def _found(self, value: str, pattern: str) -> str:
        """SQL of what the first brackets of a regular expression find in a text (in SQL); NULL where it finds none."""

    @abstractmethod
    def _real_day(self, year: str, month: str, day: str, found: str) -> str:
        """SQL of a day as 2024-03-05, from texts (in SQL) of its parts; NULL if there is none such, or none `found`."""

    @abstractmethod
    def _day_of_moment(self, column: str) -> str | None:
        """SQL of the days in a column of dates or moments; None if its type is another."""

    @abstractmethod
    def _is_nan(self, column: str) -> str | None:
        """SQL: is it NaN? None where no value can be."""

    @abstractmethod
    def _is_text(self, column: str) -> bool:
        """Are its values texts, or listed ones?"""

    def _is_readable(self, column: str) -> bool:
        """Have its values texts?"""
        return True

    def _become(self, columns: Mapping[str, str]) -> None:
        """Some columns are of another kind (TEXT or DATE) now."""
        names = {TEXT: self.text_type, DATE: "DATE"}
        self.types = self.types | {column: names[kind] for column, kind in columns.items()}

    def _key(self, column: str) -> str:
        """What rows are counted by: values as they are where equal ones are written alike, else as text."""
        return self.name(column)

    def _written(self, value: str, column: str) -> str:
        """A value of a column (in SQL) as text (in SQL), as far as SQL can write it alike everywhere."""
        return f"CAST({value} AS {self.text_type})"

    def _named(self, value: str, column: str) -> str:
        """A value of the column that says whose row it is (in SQL): as text, or a BIGINT that is written alike."""
        return self._written(value, column)

    def _canonical(self, column: str, texts: Sequence[str | None]) -> Sequence[str | None]:
        """The distinct texts that `_written` gave, as every engine writes them."""
        return texts

    def _matches(self, column: str, value: str, text: str) -> str:
        """SQL: is a value of the column (in SQL) the one with this canonical text (in SQL)? NULL is NULL."""
        return f"{self._written(value, column)} {self.same} {text}"

    # The verbs.

    @property
    def as_it_stands(self) -> Self:
        """The same table, with its cells as they stand."""
        return self if self._unread is None else self._unread

    def read_as(self, reading: Reading) -> Self:
        """The same table with its cells read by the words of a policy, and NaN as NULL."""
        cells = {c: read for c in self.columns if (read := read_column(self, c, reading.of(c))) is not None}
        if not cells:
            return self
        taken = (f"{cells[c][0]} AS {self.name(c)}" if c in cells else self.name(c) for c in self.columns)
        part = self._part(f"(SELECT {', '.join(taken)} FROM {self._relation} AS cells)")
        part._unread = self
        part._become({column: kind for column, (_, kind) in cells.items() if kind})
        return part

    def only(self, rows: Rows) -> Self:
        """The same table with these rows alone: every verb speaks of them, and scans are counted anew."""
        strange = [c for c in rows.columns if c not in self.columns]
        if strange:
            mistakes = (Mistake(self._place, f"has no column {c!r}", did_you_mean(c, self.columns)) for c in strange)
            raise DataError(*mistakes)
        conditions = " AND ".join(self._condition(row_condition) for row_condition in rows.conditions)
        return self._part(f"(SELECT * FROM {self._relation} AS everybody WHERE {conditions})")

    def coded(self, codes: Mapping[str, Mapping[str | None, int]]) -> Self:
        """The same table where values of some columns are whole numbers, as told; scans are counted anew.

        A value that nobody told a number for becomes NULL.
        """
        joins, columns = [], []
        for i, (column, numbered) in enumerate(codes.items()):
            with self._plainly():
                table = self._relation_of(coding_table(numbered))
            match = self._matches(column, f"whole.{self.name(column)}", f"m{i}.value")
            joins.append(f"LEFT JOIN {table} AS m{i} ON {match}")
            columns.append(f"m{i}.code AS {self.name(column)}")
        columns += [f"whole.{self.name(c)}" for c in self.columns if c not in codes]
        recoded = self._part(f"(SELECT {', '.join(columns)} FROM {self._relation} AS whole {' '.join(joins)})")
        recoded.types = self.types | dict.fromkeys(codes, self._whole_type())
        return recoded

    def _whole_type(self) -> str:
        """What the engine calls whole numbers."""
        return "INTEGER"

    def labelled(self, labels: Mapping[str, Mapping[str | None, str | None]]) -> Self:
        """The same table where values of some columns are other texts, as told: every verb speaks of these.

        A value that nobody told a text for ends the query: the table is not the one that was looked at. Scans are
        counted on.
        """
        joins, taken = [], {c: f"whole.{self.name(c)}" for c in self.columns}
        for i, (column, texts_of) in enumerate(labels.items()):
            with self._plainly():
                table = self._relation_of(label_table(texts_of))
            match = self._matches(column, f"whole.{self.name(column)}", f"m{i}.value")
            joins.append(f"LEFT JOIN {table} AS m{i} ON {match}")
            unknown = self._fault(f"m{i}.seen")
            taken[column] = f"CASE WHEN m{i}.seen IS NULL THEN {unknown} ELSE m{i}.label END AS {self.name(column)}"
        columns = ", ".join(taken.values())
        part = self._part(f"(SELECT {columns} FROM {self._relation} AS whole {' '.join(joins)})")
        part.scans, part.labels = self.scans, {**self.labels, **labels}
        part.types = self.types | dict.fromkeys(labels, self._label_type())
        return part

    def _label_type(self) -> str:
        """What the engine calls texts, among the types of columns."""
        return self.text_type

    @abstractmethod
    def _fault(self, seen: str) -> str:
        """SQL of a text that ends the query, where `seen` (in SQL) is NULL."""

    def _part(self, relation: str) -> Self:
        part = copy(self)
        part._whole, part.scans, part._relation = self, 0, relation
        return part

    def frequencies(self, columns: Sequence[str], person: str | None = None) -> Frequencies:
        """The distinct combinations of `columns` with their counts: one scan. NULL is a value.

        If a column says whose row it is (`person`), rows of different people are told apart.
        """
        return self._frequencies(columns, person=person)[0]

    def grouped_frequencies(self, columns: Sequence[str], group: str) -> tuple[Frequencies, Any]:
        """The same within each group: also the group's number, −1 for one that is not in plain digits (int64 array)."""
        frequencies, [numbered] = self._frequencies(columns, [self._group_number(group)])
        return frequencies, numbered

    def _group_number(self, column: str) -> str:
        """SQL of the BIGINT that a column says in plain digits, else −1."""
        return self._number(self._written(self.name(column), column))

    def pair_counts(self, columns: Sequence[str]) -> PairCounts:
        """Counts of single values and of pairs of values of every two columns: one scan."""
        return asked_pair_counts(self, columns)

    def sample(self, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
        """Some rows, each set of them as likely (all, if there are fewer): one scan. A seed chooses the same again."""
        return asked_sample(self, columns, rows, seed)

    def ownership(self, owner: str, columns: Sequence[str]) -> Ownership:
        """How rows fall to the values of one column, and in which others those of one value differ: one scan."""
        texts = [f"{self._written(self.name(c), c)} AS c{i}" for i, c in enumerate(columns)]
        # Several values, or a value and NULL.
        differs = [
            f"CASE WHEN min(c{i}) <> max(c{i}) OR count(c{i}) BETWEEN 1 AND count(*) - 1 THEN 1 ELSE 0 END AS d{i}"
            for i in range(len(columns))
        ]
        together = " + ".join(["0", *(f"d{i}" for i in range(len(columns)))])
        counted = [f"CASE WHEN {together} > 0 THEN 1 ELSE 0 END", *(f"d{i}" for i in range(len(columns)))]
        sums = ", ".join(f"CAST(sum({number}) AS BIGINT) AS s{i}" for i, number in enumerate(counted))
        taken = f"SELECT {', '.join([f'{self._key(owner)} AS o', *texts])} FROM {self._relation} AS t"
        by_owner = f"SELECT {', '.join(['count(*) AS n', *differs])} FROM ({taken}) AS u WHERE o IS NOT NULL GROUP BY o"
        lines: list[list[int]] = []
        for batch in self._asked(f"SELECT n, count(*) AS owners, {sums} FROM ({by_owner}) AS v GROUP BY n"):
            lines += map(list, zip(*(column.to_pylist() for column in batch.columns), strict=True))
        lines.sort()
        rows, owners, *differing = ([line[i] for line in lines] for i in range(3 + len(columns)))
        movers, *each = map(sum, differing)
        return Ownership(tuple(rows), tuple(owners), movers, tuple(each))

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
        return asked_uniqueness(self, together, others, rows, each, person)

    def _frequencies(
        self, columns: Sequence[str], number: Sequence[str] = (), person: str | None = None
    ) -> tuple[Frequencies, Any]:
        """Counts by `columns`, by a number if its expression is given, and by people if a column says who they are."""
        owner = [] if person is None else [person]
        texts = [f"{self._written(f'c{i}', c)} AS c{i}" for i, c in enumerate(columns)]
        texts += [f"{self._named(f'c{len(columns)}', person)} AS c{len(columns)}" for person in owner]
        outer = ", ".join([*texts, "n", *("g" for _ in number)])
        known: list[dict[str | None, int]] = [{} for _ in columns]
        codes: list[list[Any]] = [[np.empty(0, dtype=np.int32)] for _ in columns]
        people = []
        whole = [[np.empty(0, dtype=np.int64)] for _ in ("n", *number)]
        # Batch by batch, so that the texts of millions of combinations are never in memory together.
        for batch in self._asked(f"SELECT {outer} FROM ({self._counted([*columns, *owner], number)}) AS v"):
            for i, place in enumerate(known):
                codes[i].append(numbered_texts(batch.column(i), place))
            if owner:
                people.append(batch.column(len(columns)))
            for i, parts in enumerate(whole, start=len(texts)):
                parts.append(to_numpy(batch.column(i)).astype(np.int64))
        counts, *numbered = map(np.concatenate, whole)
        names, who = in_order(people) if owner else (None, None)
        values, coded = self._values(columns, known), tuple(map(np.concatenate, codes))
        return Frequencies(values, coded, counts, who, names), numbered

    def _counted(self, columns: Sequence[str], number: Sequence[str] = ()) -> str:
        """SQL: the distinct combinations of `columns` (c0, …), and of a number (g) if given, with their counts (n).

        Grouped by the values as they are, which is faster; whoever wants texts writes them once per combination.
        """
        inner = ", ".join([*(f"{self._key(c)} AS c{i}" for i, c in enumerate(columns)), *(f"{n} AS g" for n in number)])
        keys = [*(f"c{i}" for i in range(len(columns))), *("g" for _ in number)]
        by = f"GROUP BY {', '.join(keys)}" if keys else ""
        counted = ", ".join([*keys, "count(*) AS n"])
        return f"SELECT {counted} FROM (SELECT {inner} FROM {self._relation} AS t) AS u {by}"

    def totals(self, aggregates: Sequence[str]) -> list[Any]:
        """What each of some aggregates (in SQL) makes of all rows: one scan."""
        numbered = ", ".join(f"{aggregate} AS n{i}" for i, aggregate in enumerate(aggregates))
        [batch] = self._asked(f"SELECT {numbered} FROM {self._relation} AS t")
        return [column[0].as_py() for column in batch.columns]

    def _lot(self, seed: int, texts: Sequence[str]) -> str:
        """SQL: what decides by lot between rows with these canonical texts (in SQL); the same on every engine."""
        lengths = (f"COALESCE(CAST(length({t}) AS {self.text_type}) || ':' || {t}, '-')" for t in texts)
        return f"md5({' || '.join([self.text(f'{seed};'), *lengths])})"

    def _asked(self, query: str) -> Iterator[pa.RecordBatch]:
        """The answer of a query that scans the table, batch by batch."""
        with self._plainly():
            self.scans += 1
            yield from self._ask(query)

    def _values(
        self, columns: Sequence[str], known: Sequence[Mapping[str | None, int]]
    ) -> tuple[tuple[str | None, ...], ...]:
        """The numbered texts of each column, as every engine writes them."""
        return tuple(tuple(self._canonical(c, list(place))) for c, place in zip(columns, known, strict=True))
