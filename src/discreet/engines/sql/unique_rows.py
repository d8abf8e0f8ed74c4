"""How many rows some columns tell apart from all others, counted in the engine: one scan for all figures.

Each value becomes a number (a hash of 63 bits), and a combination the exclusive or of its values' numbers; so what
remains without one column, or comes with another, is one operation more, and every grouping is by a single number. Two
combinations have the same number with a chance of less than one in a million for ten million rows.

Of a large table only combinations are grouped whose number is a multiple of a small one, each with all its rows. That
is a sample of combinations, not of rows: among sampled rows far more would look unique than are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.engines.profile import Uniqueness

if TYPE_CHECKING:
    from discreet.engines.sql.engine import SqlEngine

GROUPED = 200_000  # rows that are grouped by one set of columns, about


def asked_uniqueness(
    engine: SqlEngine,
    together: Sequence[str],
    others: Sequence[str],
    rows: int,
    each: bool = True,
    person: str | None = None,
) -> Uniqueness:
    """The shares of rows that are unique by `together`, with one column less or one of `others` more, and by each.

    If a column names the `person`, of rows with a combination that nobody else has, however many rows he has with it.
    """
    columns = [*together, *others]
    one_in = max(1, rows // GROUPED)
    hashes = ", ".join(f"{_hash(engine, i, column)} AS h{i}" for i, column in enumerate(columns))
    whole = "h0" if together else "CAST(0 AS BIGINT)"
    for i in range(1, len(together)):
        whole = engine._both(whole, f"h{i}")
    own = [f"h{i}" for i in range(len(columns))] if each else []
    keys = ["k", *(engine._both("k", h) for h in own), *own]
    numbered = " UNION ALL ".join(f"SELECT {i} AS s" for i in range(len(keys)))
    chosen = f"CASE s {' '.join(f'WHEN {i} THEN {key}' for i, key in enumerate(keys))} END"
    listed = ", ".join(f"h{i}" for i in range(len(columns)))
    whose, owner, are_alone = "", "", "n = 1"
    if person is not None:  # a row that names nobody is somebody's of their own
        written = engine._written(engine.name(person), person)
        hashed = f"CASE WHEN {written} IS NULL THEN NULL ELSE {engine._hash(written)} END AS p"
        hashes = ", ".join(filter(None, (hashes, hashed)))
        listed = ", ".join(filter(None, (listed, "p")))
        whose, owner = ", p", ", count(p) AS named, min(p) AS one, max(p) AS other"
        are_alone = "n = 1 OR (named = n AND one = other)"
    query = f"""
        WITH hashed AS {engine.once}(SELECT {hashes} FROM {engine._relation} AS t),
        combined AS {engine.once}(SELECT {listed}, {whole} AS k FROM hashed),
        sets AS (SELECT s, {chosen} AS h{whose} FROM combined CROSS JOIN ({numbered}) AS numbers),
        counted AS (SELECT s, h, count(*) AS n{owner} FROM sets WHERE h % {one_in} = 0 GROUP BY s, h)
        SELECT s, CAST(sum(n) AS BIGINT) AS m, CAST(sum(CASE WHEN {are_alone} THEN n ELSE 0 END) AS BIGINT) AS alone
        FROM counted GROUP BY s"""
    shares = [0.0] * len(keys)
    for batch in engine._asked(query):
        for s, counted, unique in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            shares[s] = unique / max(counted, 1)
    changed, alone = shares[1 : 1 + len(own)], shares[1 + len(own) :]
    return Uniqueness(shares[0], tuple(changed), tuple(alone), one_in)


def _hash(engine: SqlEngine, place: int, column: str) -> str:
    """SQL: the number of a column's value; equal values of two columns have different ones."""
    written = engine._written(engine.name(column), column)
    return engine._hash(f"COALESCE({engine.text(f'{place}=')} || {written}, {engine.text(f'{place}')})")
