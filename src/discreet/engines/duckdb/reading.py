"""A published table whole, as it will be handed over: in the order of the file, exact columns in their own types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.engines.duckdb.texts import as_text
from discreet.engines.sql.quoting import name

if TYPE_CHECKING:
    import pyarrow as pa

    from discreet.engines.duckdb.engine import DuckDB


def whole_table(engine: DuckDB, columns: Sequence[str], types: Mapping[str, str]) -> pa.Table:
    """The columns of a table; texts of those in `types` as such, if each of them is what a value of that type is.

    >>> from discreet.engines.duckdb.engine import DuckDB
    >>> table = DuckDB({"age": ["40", None], "zip": ["04", "5"]})
    >>> whole_table(table, ["age", "zip"], {"age": "BIGINT", "zip": "BIGINT"}).to_pydict()
    {'age': [40, None], 'zip': ['04', '5']}
    """
    texts = [column for column in types if column in columns and engine.types[column] == "VARCHAR"]
    typed = {column: types[column] for column in _surviving(engine, texts, types)}
    taken = ", ".join(
        f"CAST({name(c)} AS {typed[c]}) AS {name(c)}" if c in typed else f"{engine.plain(c)} AS {name(c)}"
        for c in columns
    )
    return engine.ask_in_order(taken)


def _surviving(engine: DuckDB, columns: Sequence[str], types: Mapping[str, str]) -> list[str]:
    """Columns each of whose texts is the text of its value: none is lost or written otherwise by the type."""
    if not columns:
        return []
    checks = ", ".join(
        f"bool_and({as_text(f'TRY_CAST({name(c)} AS {types[c]})', types[c])} IS NOT DISTINCT FROM {name(c)}) AS c{i}"
        for i, c in enumerate(columns)
    )
    [same] = engine.ask_in_order(checks).to_pylist()
    return [column for i, column in enumerate(columns) if same[f"c{i}"] is not False]  # NULL: there are no rows
