"""What a published file gives away, whoever wrote it: groups, promises, row numbers, order. DuckDB counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from benchmarks.adult import People
from discreet.errors import DiscreetError
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.utility.tables import compare_tables


@dataclass(frozen=True)
class Judgement:
    """What was found in one published file; `broken` counts rows in groups that don't keep the promise."""

    loss: float | None
    suppressed: int
    groups: int
    smallest: int
    least_distinct: int
    broken: int
    leaks: tuple[str, ...]


def judge(
    people: People,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: str,
    published: Path,
    k: int,
    l: int,  # noqa: E741
) -> Judgement:
    """Count the groups of the file and look for what should not be in it."""
    names = list(hierarchies)
    connection = duckdb.connect()
    read = f"read_csv('{published}', all_varchar = true, header = true)"
    table = connection.sql(f"SELECT * FROM {read}").to_arrow_table()
    extra = [c for c in table.column_names if c not in (*names, sensitive)]
    if "count" in extra:  # one line for equal rows
        connection.register("lines", table)
        table = connection.sql("SELECT * EXCLUDE (count) FROM lines, range(CAST(count AS BIGINT))").to_arrow_table()
        extra.remove("count")
    connection.register("released", table)
    by = ", ".join(_quoted(n) for n in names)
    value = _quoted(sensitive)
    # A distinct count leaves NULL out, so a NULL sensitive value is counted by hand.
    groups = f"""SELECT count(*) AS n, count(DISTINCT {value}) + max(CASE WHEN {value} IS NULL THEN 1 ELSE 0 END) AS d
        FROM released GROUP BY {by}"""
    count, smallest, distinct, broken = connection.sql(
        f"SELECT count(*), min(n), min(d), coalesce(sum(n) FILTER (n < {k} OR d < {l}), 0) FROM ({groups})"
    ).fetchall()[0]
    leaks = []
    for column in extra:
        unique = connection.sql(f"SELECT count(DISTINCT {_quoted(column)}) FROM released").fetchall()[0][0]
        leaks.append(f"publishes row numbers ({column})" if unique == table.num_rows else f"publishes {column}")
    if _is_subsequence(table.column(sensitive).to_pylist(), people.table.column(sensitive).to_pylist()):
        leaks.append("keeps the original order")
    stars = " AND ".join(f"{_quoted(n)} = '*'" for n in names)
    hidden = connection.sql(f"SELECT count(*) FROM released WHERE {stars} AND {value} <> '*'").fetchall()[0][0]
    if 0 < hidden < table.num_rows:
        leaks.append(f"{hidden:,} suppressed rows with their sensitive value")
    changed = _changed(people, table, sensitive)
    if changed:
        leaks.append(f"{changed:,} sensitive values changed")
    loss, problem = _loss(people, table, hierarchies, sensitive, extra)
    if problem:
        leaks.append(problem)
    missing = people.table.num_rows - table.num_rows
    return Judgement(loss, missing, count, smallest, distinct, int(broken), tuple(leaks))


def _loss(
    people: People, table: Any, hierarchies: Mapping[str, Hierarchy], sensitive: str, extra: Sequence[str]
) -> tuple[float | None, str]:
    names = list(hierarchies)
    columns = {name: table.column(name).to_pylist() for name in names}
    leaves = {name: set(h.leaves) for name, h in hierarchies.items()}
    if "id" in extra:
        columns["age"] = _ranges(people, table, names)
    for name in names:  # anonypy writes NULL as nan
        if None in leaves[name]:
            columns[name] = [_null_named(cell) for cell in columns[name]]
    try:
        comparison = compare_tables(
            people.table.select(names), pa.table(columns), quasi_identifiers=names, hierarchies=hierarchies
        )
    except DiscreetError as error:
        return None, str(error)[:120]
    return comparison.loss, ""


def _ranges(people: People, table: Any, names: Sequence[str]) -> list[str]:
    """The range of ages of each row's group, where only a mean was published: looked up by the row's number."""
    connection = duckdb.connect()
    ages = pa.table({"age": people.table.column("age"), "id": [str(i) for i in range(people.table.num_rows)]})
    place = pa.array(range(table.num_rows))
    connection.register("ages", ages)
    connection.register("released", table.append_column("place", place))
    by = ", ".join(f"r.{_quoted(n)}" for n in names)
    ends = connection.sql(
        f"""SELECT min(CAST(a.age AS INT)) OVER w AS low, max(CAST(a.age AS INT)) OVER w AS high
        FROM released r JOIN ages a ON a.id = r.id WINDOW w AS (PARTITION BY {by}) ORDER BY place"""
    ).fetchall()
    return [str(low) if low == high else f"{low}-{high}" for low, high in ends]


def _changed(people: People, table: Any, sensitive: str) -> int:
    """How many rows have another sensitive value than their person; known only where rows can be recognized."""
    if "id" not in table.column_names:
        return 0
    before, after = people.table.column(sensitive).to_pylist(), table.column(sensitive).to_pylist()
    return sum(before[int(i)] != value for i, value in zip(table.column("id").to_pylist(), after, strict=True))


def _is_subsequence(short: Sequence[object], long: Sequence[object]) -> bool:
    """Are the values of `short` found in `long` in the same order? By chance, never for thousands of rows."""
    rest = iter(long)
    return all(any(value == other for other in rest) for value in short)


def _null_named(cell: str | None) -> str | None:
    if cell is None or cell == "nan":
        return None
    members = ["NULL" if m == "nan" else m for m in cell.split(",")]
    return ",".join(members)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
