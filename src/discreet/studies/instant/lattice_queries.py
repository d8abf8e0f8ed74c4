"""Count queries about generalizations and regions of a table: every answer is one aggregate over all of its rows.

This is how a search works that never holds the table's counts itself. The rows are kept in the engine, coded by the
leaves of their hierarchies; small tables say what a leaf becomes at each level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.engines.arrow import coding_table, numbers
from discreet.engines.sql.engine import SqlEngine
from discreet.errors import DataError, Mistake
from discreet.studies.instant.scratch import scratch_of

Runs = tuple[tuple[int, int], ...]  # first and last leaf of each
_PLACES = count()  # several tables can be asked about through one engine


class Levels(Protocol):
    """A column's values by number, and the number of what each becomes at every level; at the last, all become one."""

    @property
    def attribute(self) -> str: ...

    @property
    def leaves(self) -> tuple[str | None, ...]: ...

    @property
    def codes(self) -> tuple[NDArray[np.int32], ...]: ...


@dataclass(frozen=True)
class FailingGroups:
    """The groups of a node that break a promise.

    `rows` of them, of which `lost` would be in failing groups of every finer node too, at least; and per attribute the
    sum over these rows of how many leaves their value stands for, but for one.
    """

    rows: int
    lost: int
    spreads: tuple[int, ...]


class LatticeQueries:
    """A table by its leaves, and what can be asked of it; `queries` counts the passes over its rows.

    To code the rows takes one scan of the table; after that each query is another.
    """

    def __init__(self, engine: SqlEngine, hierarchies: Sequence[Levels], sensitive: Sequence[Levels] = ()):
        self._engine, self._scratch = engine, scratch_of(engine)
        self._hierarchies = tuple(hierarchies)
        self._sensitive = {h.attribute: f"s{i}" for i, h in enumerate(sensitive)}
        self.queries = 0
        self._place = f"lattice{next(_PLACES)}"
        columns = {f"q{d}": h for d, h in enumerate(hierarchies)} | {f"s{i}": h for i, h in enumerate(sensitive)}
        self._code(columns)
        for d, h in enumerate(hierarchies):
            self._levels_table(d, h)

    def _code(self, columns: Mapping[str, Levels]) -> None:
        """Every value becomes the number of its leaf."""
        taken, coded, joins = [], [], []
        for column, h in columns.items():
            with self._scratch.plainly():
                leaves = coding_table({leaf: number for number, leaf in enumerate(h.leaves)})
                self._scratch.give(f"{self._place}_{column}", leaves)
            taken.append(f"{self._engine._key(h.attribute)} AS {column}")
            kind = "SMALLINT" if len(h.leaves) < 1 << 15 else "INTEGER"
            coded.append(f"CAST(of_{column}.code AS {kind}) AS {column}")
            same = self._engine._matches(h.attribute, f"t.{column}", f"of_{column}.value")
            joins.append(f"LEFT JOIN {self._place}_{column} AS of_{column} ON {same}")
        source = f"SELECT {', '.join(taken)} FROM {self._engine._relation} AS whole"
        with self._asked():
            self._scratch.keep(self._place, f"SELECT {', '.join(coded)} FROM ({source}) AS t {' '.join(joins)}")
        self.queries -= 1  # a scan of the table itself, not a query about it
        nowhere = [
            h.attribute
            for (_, h), missing in zip(columns.items(), self._ask(self._without_leaf(columns))[0], strict=True)
            if missing
        ]
        if nowhere:
            repair = "make them of all values of the table"
            raise DataError(*(Mistake(name, "has values that its hierarchy lacks", repair) for name in nowhere))

    def _without_leaf(self, columns: Mapping[str, Levels]) -> str:
        """How many rows have no leaf of each column."""
        return f"SELECT {', '.join(f'count(*) - count({column})' for column in columns)} FROM {self._place}"

    def _levels_table(self, d: int, h: Levels) -> None:
        """What each leaf of an attribute becomes: levels_d(leaf, l0, l1, …) and widths_d(level, code, width)."""
        levels = {f"l{level}": numbers(codes) for level, codes in enumerate(h.codes)}
        leaf = numbers(np.arange(len(h.leaves), dtype=np.int32))
        self._scratch.give(f"{self._place}_levels{d}", pa.table({"leaf": leaf, **levels}))
        widths = [np.bincount(codes) for codes in h.codes]
        table = {
            "level": np.repeat(np.arange(len(widths)), [len(w) for w in widths]),
            "code": np.concatenate([np.arange(len(w)) for w in widths]),
            "spread": np.concatenate(widths) - 1,
        }
        arrays = pa.table({column: numbers(values.astype(np.int64)) for column, values in table.items()})
        self._scratch.give(f"{self._place}_widths{d}", arrays)

    def leaf_counts(self) -> tuple[IntArray, ...]:
        """Per attribute, how many rows have each leaf: one query."""
        sets = ", ".join(f"(q{d})" for d in range(len(self._hierarchies)))
        which = ", ".join(f"grouping(q{d})" for d in range(len(self._hierarchies)))
        leaf = ", ".join(f"q{d}" for d in range(len(self._hierarchies)))
        with self._asked():
            rows = self._ask(f"SELECT {which}, {leaf}, count(*) FROM {self._place} GROUP BY GROUPING SETS ({sets})")
        counts = tuple(np.zeros(len(h.leaves), dtype=np.int64) for h in self._hierarchies)
        width = len(self._hierarchies)
        for row in rows:
            d = row[:width].index(0)
            counts[d][row[width + d]] = row[-1]
        return counts

    def violations(
        self, levels: Sequence[int], k: int, share: tuple[int, int] | None = None, attribute: str = ""
    ) -> FailingGroups:
        """The groups of a node with fewer than k rows, or in which a sensitive value has more than a share of them.

        The share is a fraction, of the values of a sensitive attribute.
        """
        shown = [
            d for d, (h, level) in enumerate(zip(self._hierarchies, levels, strict=True)) if level < len(h.codes) - 1
        ]
        joins = [f"JOIN {self._place}_levels{d} AS m{d} ON t.q{d} = m{d}.leaf" for d in shown if levels[d] > 0]
        codes = [f"m{d}.l{levels[d]} AS g{d}" if levels[d] > 0 else f"t.q{d} AS g{d}" for d in shown]
        by = ", ".join(f"g{d}" for d in shown)
        table = f"{self._place} AS t {' '.join(joins)}"
        if share is None:
            counted = f"SELECT {', '.join([*codes, 'count(*) AS n'])} FROM {table} GROUP BY {by or '()'}"
            fails, lost = f"n < {k}", "n"
        else:
            value, (part, whole) = self._sensitive[attribute], share
            keys = ", ".join([*(f"g{d}" for d in shown), "v"])
            inner = f"SELECT {', '.join([*codes, f't.{value} AS v', 'count(*) AS c'])} FROM {table} GROUP BY {keys}"
            outer = ", ".join([*(f"g{d}" for d in shown), "sum(c) AS n", "max(c) AS m"])
            counted = f"SELECT {outer} FROM ({inner}) AS by_value GROUP BY {by or '()'}"
            wide = self._scratch.wide
            fails = f"n < {k} OR CAST(m AS {wide}) * {whole} > CAST(n AS {wide}) * {part}"
            # Of the most frequent value, no more rows can be published than the others make room for.
            room = self._scratch.quotient(f"(CAST(n - m AS {wide}) * {part})", whole - part) if whole > part else "0"
            lost = f"CASE WHEN n < {k} THEN n ELSE m - {room} END"
        beside = [
            f"JOIN {self._place}_widths{d} AS w{d} ON w{d}.level = {levels[d]} AND w{d}.code = g{d}" for d in shown
        ]
        spreads = [
            f"sum(n * {f'w{d}.spread' if d in shown else len(h.leaves) - 1})" for d, h in enumerate(self._hierarchies)
        ]
        sums = ", ".join(f"CAST(coalesce({s}, 0) AS BIGINT)" for s in ["sum(n)", f"sum({lost})", *spreads])
        with self._asked():
            query = f"SELECT {sums} FROM ({counted}) AS groups {' '.join(beside)} WHERE {fails}"
            [(rows, lost_rows, *spread)] = self._ask(query)
        return FailingGroups(rows, lost_rows, tuple(spread))

    def extent(self, region: Sequence[Runs]) -> tuple[IntArray, IntArray]:
        """The first and the last leaf of each attribute that a row of the region has: one query."""
        ends = ", ".join(f"min(q{d}), max(q{d})" for d in range(len(self._hierarchies)))
        with self._asked():
            [ends_row] = self._ask(f"SELECT {ends} FROM {self._place} WHERE {_inside(region)}")
        return np.array(ends_row[::2], dtype=np.int64), np.array(ends_row[1::2], dtype=np.int64)

    def histogram(self, region: Sequence[Runs], d: int, sensitive: Sequence[str] = ()) -> tuple[IntArray, ...]:
        """How many rows of the region have each leaf of an attribute: leaves in order, and counts; one query.

        Between the two, the leaves of sensitive attributes that are counted apart.
        """
        columns = [f"q{d}", *(self._sensitive[attribute] for attribute in sensitive)]
        shown, keys = (", ".join(form.format(column) for column in columns) for form in ("CAST({0} AS BIGINT)", "{0}"))
        with self._asked():
            rows = self._ask(
                f"SELECT {shown}, count(*) FROM {self._place} WHERE {_inside(region)} GROUP BY {keys} ORDER BY {keys}"
            )
        by_column = np.array(rows, dtype=np.int64).reshape(-1, len(columns) + 1).T
        return tuple(np.ascontiguousarray(column) for column in by_column)

    def _ask(self, query: str) -> list[tuple[int, ...]]:
        """The rows of an answer; there are few."""
        with self._scratch.plainly():
            batches = [[column.to_pylist() for column in batch.columns] for batch in self._scratch.ask(query)]
        return [row for columns in batches for row in zip(*columns, strict=True)]

    @contextmanager
    def _asked(self) -> Iterator[None]:
        with self._scratch.plainly():
            self._engine.scans += 1
            self.queries += 1
            yield


def _inside(region: Sequence[Runs]) -> str:
    """The rows of a region, as SQL."""
    return (
        " AND ".join(
            "(" + " OR ".join(f"q{d} BETWEEN {int(low)} AND {int(high)}" for low, high in runs) + ")"
            for d, runs in enumerate(region)
        )
        or "true"
    )
