"""The one query of DuckDB that reads rows and writes them recoded, for columns that no count has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.engines.arrow import to_numpy
from discreet.engines.base import Rewriting
from discreet.engines.duckdb.formulas import written_sql
from discreet.engines.duckdb.texts import as_text, is_float

if TYPE_CHECKING:
    from discreet.engines.duckdb.engine import DuckDB


def rewritten(engine: DuckDB, rewriting: Rewriting, escape: bool = False, typed: bool = True) -> str:
    """The rows of the engine's table as they are published, in random order or sorted; `assignment` is registered.

    Where a file has no types (not `typed`), floating-point numbers are written as text.
    """
    assignment, keys, columns = rewriting.assignment, rewriting.keys, rewriting.columns
    published, seed, star, sorted_by = rewriting.published, rewriting.seed, rewriting.star, rewriting.sorted_by
    as_they_are = [c for c in columns if c not in published]
    taken = [f"{engine._text_of(k)} AS k{i}" for i, k in enumerate(keys)]
    taken += [f"{engine.plain(c)} AS r{i}" for i, c in enumerate(as_they_are)]
    source = f"SELECT {', '.join(taken)} FROM {engine._relation}"
    match = " AND ".join(f"s.k{i} IS NOT DISTINCT FROM a.k{i}" for i in range(len(keys)))
    joined, unplanned = f"({source}) s LEFT JOIN assignment a ON {match}", "a.kept IS NULL"
    if np.any(to_numpy(assignment.column("first"))):
        firsts = "(SELECT * FROM assignment WHERE first = 0 AND last > 0)"
        lot = engine._lot(seed, [as_text(f"r{i}", engine.types[c]) for i, c in enumerate(as_they_are)])
        equal = f"row_number() OVER (PARTITION BY id ORDER BY {lot}) - 1"
        known = f"SELECT s.*, a.id FROM ({source}) s LEFT JOIN {firsts} a ON {match}"
        # Matched by number and one inequality: to try all pairs of a combination's rows and groups is quadratic.
        joined = f"""(SELECT *, {equal} AS equal FROM ({known})) s
            ASOF LEFT JOIN (SELECT * FROM assignment WHERE last > first) a ON s.id = a.id AND s.equal >= a.first"""
        unplanned += " OR s.equal >= a.last"
    written, kinds = [], []
    for i, column in enumerate(columns):
        value = f"a.p{published[column]}" if column in published else f"s.r{as_they_are.index(column)}"
        kind = "VARCHAR" if column in published else engine.types[column]
        if star:
            value, kind = f"CASE WHEN a.kept THEN {as_text(value, kind)} ELSE '*' END", "VARCHAR"
        kinds.append(kind)
        written.append(f"{value} AS w{i}")
    # LEFT JOIN, and an error for a row it does not find: an inner join would drop it without a word.
    rows = f"""
        SELECT {", ".join(written)} FROM {joined}
        WHERE CASE WHEN {unplanned} THEN error('row without a plan') ELSE a.kept OR {str(star).lower()} END"""
    # The rows are numbered in the order of what is published, then shuffled: whoever guesses the seed and undoes
    # the shuffle learns nothing of the original order. And a seed gives the same file, however the engine works.
    ranked = [*sorted_by, *(c for c in columns if c not in sorted_by)]
    order = ", ".join(f"t.w{columns.index(c)}" for c in ranked)
    if not sorted_by:
        rows = f"SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM ({rows}) AS t"
        order = f"hash(t.place, {seed} + 1), t.place"
    # A column of the table may be called w1, too: unless it is told apart, ties would stand in the order of the source.
    shown = [as_text(f"t.w{i}", k) if is_float(k) and not typed else f"t.w{i}" for i, k in enumerate(kinds)]
    named = written_sql(dict(zip(shown, columns, strict=True)), escape)
    return f"SELECT {named} FROM ({rows}) AS t ORDER BY {order}"
