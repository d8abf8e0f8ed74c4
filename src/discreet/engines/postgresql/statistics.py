"""What PostgreSQL's planner keeps about a table: read from its catalog, without a scan.

``pg_stats`` has the most common values of each column, their shares, and bounds of equally many other rows, for whoever
may read the column. ``pg_stats_ext`` has the lists of common combinations that somebody asked for with CREATE
STATISTICS … (mcv); only the owner of the table sees them. Both were made by the last ANALYZE, from 300 rows for each
value that is kept. Where there is nothing, some pages of the table are drawn at random: a sample, no scan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.engines.statistics import ColumnStatistics, JointStatistics, Object, Statistics, Value
from discreet.errors import DataError, Mistake

if TYPE_CHECKING:
    from discreet.engines.postgresql.engine import PostgreSQL

ROWS_PER_VALUE = 300  # of ANALYZE's sample, for each value it may keep
SAMPLED_PAGES = 1_000
_TABLES = ("r", "p", "m")  # kinds of relations that keep statistics, and can be sampled


_Listing = tuple[list[Value], list[float]]  # values and their shares, as far as there are any


@dataclass(frozen=True)
class _Table:
    """One line of the catalog."""

    oid: int
    inherited: bool  # are its rows those of other tables, too?
    rows: int  # −1 if nobody knows
    pages: int
    analyzed: str
    changed: int
    target: int  # the default one
    version: int


def read_statistics(engine: PostgreSQL, columns: Sequence[str], seed: int | None = None) -> Statistics:
    """What is known of some columns of an engine's whole table; a seed chooses the pages of a sample."""
    table = _table(engine)
    types = _types(engine, table, columns)
    listings, listed = _columns(engine, table, types), _listed(engine, table)
    if set(listings) != set(columns) or table.rows < 0:
        return _sampled(engine, table, columns, seed)
    mentioned = {name: {v for values, _ in kinds.values() for v in values} for name, kinds in listings.items()}
    for one in listed:
        for column, values in zip(one.columns, one.values, strict=False):
            mentioned.get(column, set()).update(values)
    written = _written(engine, types, mentioned)
    targets = {name: own if own >= 0 else table.target for name, (_, own) in types.items()}
    largest = max([table.target, *targets.values(), *(one.target for one in listed)])
    joint = [j for j in (_joint(one, written) for one in listed) if j is not None]
    return Statistics(
        max(table.rows, 1),
        min(ROWS_PER_VALUE * largest, max(table.rows, 1)),
        {name: _column(listings[name], written[name], table.rows) for name in columns},
        tuple(joint),
        tuple(Object(one.name, one.columns, one.covered) for one in listed),
        table.analyzed,
        table.changed,
        table=engine._table,
        pages=table.pages,
        targets=targets,
    )


def drawn_statistics(engine: PostgreSQL, columns: Sequence[str], seed: int | None = None) -> Statistics:
    """The same from a sample of pages, whatever is kept."""
    return _sampled(engine, _table(engine), columns, seed)


def _table(engine: PostgreSQL) -> _Table:
    """How large it is, and when it was analyzed. As the planner does, rows are taken to fill its pages as they did."""
    tree = f"""WITH RECURSIVE tree(oid) AS (
        SELECT {engine.text(engine._table)}::regclass::oid
        UNION ALL SELECT i.inhrelid FROM pg_inherits i JOIN tree ON i.inhparent = tree.oid)"""
    query = f"""{tree}, parts AS (
        SELECT c.reltuples, c.relpages, s.n_mod_since_analyze, greatest(s.last_analyze, s.last_autoanalyze) AS analyzed,
            pg_relation_size(c.oid) / current_setting('block_size')::bigint AS pages
        FROM tree JOIN pg_class c USING (oid) LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
        WHERE c.relkind <> 'p')
    SELECT c.oid::bigint, c.relkind::text, (c.relhassubclass OR c.relkind = 'p')::int,
        (SELECT CASE WHEN min(reltuples) < 0 THEN -1 ELSE sum(CASE WHEN relpages > 0 AND pages <> relpages
            THEN reltuples * pages / relpages ELSE reltuples END) END FROM parts)::bigint,
        (SELECT coalesce(sum(pages), 0) FROM parts)::bigint,
        coalesce((SELECT min(analyzed) FROM parts)::text, ''),
        coalesce((SELECT sum(n_mod_since_analyze) FROM parts), 0)::bigint,
        current_setting('default_statistics_target')::bigint, current_setting('server_version_num')::bigint
    FROM pg_class c WHERE c.oid = {engine.text(engine._table)}::regclass"""
    [(oid, kind, inherited, rows, pages, analyzed, changed, target, version)] = _rows(engine, query)
    if kind not in _TABLES:
        rule = "is not a table of its own, so the database keeps no statistics about it"
        raise DataError(Mistake(engine._place, rule, "write summary: network, or name a table"))
    return _Table(oid, bool(inherited), -1 if rows is None else rows, pages, analyzed or "", changed, target, version)


def _types(engine: PostgreSQL, table: _Table, columns: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The type of each column in SQL, and how many values are to be kept of it (−1: as of all)."""
    query = f"""SELECT attname::text, format_type(atttypid, atttypmod), coalesce(attstattarget, -1)::bigint
        FROM pg_attribute WHERE attrelid = {table.oid} AND attnum > 0 AND NOT attisdropped"""
    types = {name: (kind, target) for name, kind, target in _rows(engine, query)}
    return {name: types[name] for name in columns}


def _columns(engine: PostgreSQL, table: _Table, columns: Iterable[str]) -> dict[str, dict[str, _Listing]]:
    """What pg_stats says, as it is written there: nulls, distinct, common and bound; columns it tells nothing of lack.

    Lists of values come as texts; for arrays within arrays there are none.
    """
    names = ", ".join(engine.text(name) for name in columns)
    query = f"""WITH s AS MATERIALIZED (SELECT s.attname::text AS name, s.* FROM pg_stats s
            JOIN pg_namespace n ON n.nspname = s.schemaname
            JOIN pg_class c ON c.relname = s.tablename AND c.relnamespace = n.oid
        WHERE c.oid = {table.oid} AND s.inherited = {str(table.inherited).lower()} AND s.attname IN ({names}))
        SELECT name, 'nulls' AS kind, 0::bigint AS o, NULL AS v, null_frac::text AS f FROM s
        UNION ALL SELECT name, 'distinct', 0, NULL, n_distinct::text FROM s
        UNION ALL SELECT name, 'common', o, v, m.f::text
            FROM s, unnest(most_common_vals::text::text[], most_common_freqs) WITH ORDINALITY AS m(v, f, o)
        UNION ALL SELECT name, 'bound', o, v, '0'
            FROM s, unnest(histogram_bounds::text::text[]) WITH ORDINALITY AS m(v, o)
        ORDER BY name, kind, o"""
    listings: dict[str, dict[str, _Listing]] = {}
    for name, kind, _, value, number in _rows(engine, query):
        kinds = listings.setdefault(name, {k: ([], []) for k in ("nulls", "distinct", "common", "bound")})
        kinds[kind][0].append(value)
        kinds[kind][1].append(float(number))
    return listings


def _column(listings: Mapping[str, _Listing], written: Mapping[Value, Value], rows: int) -> ColumnStatistics:
    """One column's statistics, in our words."""
    [nulls], [distinct] = listings["nulls"][1], listings["distinct"][1]
    common: dict[Value, float] = {None: nulls} if nulls else {}
    for value, share in zip(*listings["common"], strict=True):
        common[written[value]] = common.get(written[value], 0.0) + share
    bounds = (written[value] for value in listings["bound"][0])
    others = tuple(dict.fromkeys(value for value in bounds if value is not None and value not in common))
    different = round(distinct if distinct >= 0 else -distinct * rows)
    more = max(different - len(listings["common"][0]), len(others))
    return ColumnStatistics(tuple(common), np.array(list(common.values()), dtype=np.float64), more, others)


@dataclass(frozen=True, eq=False)
class _List:
    """A list of common combinations as the catalog has it: values by column; none, if we may not see them."""

    name: str
    columns: tuple[str, ...]
    target: int
    values: Sequence[Sequence[Value]]
    shares: Any

    @property
    def covered(self) -> float | None:
        return min(float(self.shares[:, 0].sum()), 1.0) if len(self.shares) else None


def _listed(engine: PostgreSQL, table: _Table) -> list[_List]:
    """Every list of common combinations that somebody asked for. Its values are those of columns, then of expressions.

    The columns stand in the order of the table, as in the object's own keys.
    """
    inherited = f"AND e.inherited = {str(table.inherited).lower()}" if table.version >= 150000 else ""
    query = f"""WITH s AS MATERIALIZED (
            SELECT s.oid::bigint AS oid, s.stxname::text AS name, s.stxstattarget AS target,
                ARRAY(SELECT a.attname::text FROM unnest(s.stxkeys) AS k JOIN pg_attribute a
                    ON a.attrelid = s.stxrelid AND a.attnum = k ORDER BY a.attnum) AS columns, e.*
            FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace LEFT JOIN pg_stats_ext e
                ON e.statistics_schemaname = n.nspname AND e.statistics_name = s.stxname {inherited}
            WHERE s.stxrelid = {table.oid} AND 'm' = ANY(s.stxkind))
        SELECT oid, 'name' AS kind, coalesce(target, -1)::bigint AS o, name AS v, NULL AS f FROM s
        UNION ALL SELECT oid, 'column', o, v, NULL FROM s, unnest(columns) WITH ORDINALITY AS m(v, o)
        UNION ALL SELECT oid, 'value', o, v, NULL FROM s, unnest(most_common_vals) WITH ORDINALITY AS m(v, o)
        UNION ALL SELECT oid, 'share', o, m.f::text, m.b::text
            FROM s, unnest(most_common_freqs, most_common_base_freqs) WITH ORDINALITY AS m(f, b, o)
        ORDER BY oid, kind, o"""
    by_object: dict[int, dict[str, list[tuple[int, Any, Any]]]] = {}
    for oid, kind, o, v, f in _rows(engine, query):
        by_object.setdefault(oid, {k: [] for k in ("name", "column", "value", "share")})[kind].append((o, v, f))
    lists = []
    for kinds in by_object.values():
        [(target, name, _)] = kinds["name"]
        shares = np.array([(v, f) for _, v, f in kinds["share"]], dtype=np.float64).reshape(-1, 2)
        values = [v for _, v, _ in kinds["value"]]
        width = len(values) // max(len(shares), 1)
        by_column = [values[d::width] for d in range(width)]
        columns = tuple(v for _, v, _ in kinds["column"])
        lists.append(_List(name, columns, target if target >= 0 else table.target, by_column, shares))
    return lists


def _joint(one: _List, written: Mapping[str, Mapping[Value, Value]]) -> JointStatistics | None:
    """A list in our words, as far as its columns are asked for."""
    columns = [c for c in one.columns if c in written]
    if one.covered is None or len(columns) < 2:
        return None
    values = tuple(tuple(written[c][v] for v in one.values[one.columns.index(c)]) for c in columns)
    whole = len(columns) == len(one.values)
    return JointStatistics(tuple(columns), values, one.shares[:, 0], one.shares[:, 1], whole).of(columns)


def _written(
    engine: PostgreSQL, types: Mapping[str, tuple[str, int]], texts: Mapping[str, Collection[Value]]
) -> dict[str, dict[Value, Value]]:
    """How each value is written that the catalog has as a text of its type: as the rows' own values are."""
    parts = []
    for i, (name, (kind, _)) in enumerate(types.items()):
        listed = ", ".join(engine.text(v) for v in texts[name] if v is not None)
        value = engine._written(f"CAST(v AS {kind})", name)
        parts.append(f"SELECT {i}::bigint AS c, v, {value} AS w FROM unnest(ARRAY[{listed}]::text[]) AS m(v)")
    texts_of: list[tuple[list[Value], list[Value]]] = [([], []) for _ in types]
    for i, v, w in _rows(engine, " UNION ALL ".join(parts)):
        texts_of[i][0].append(v)
        texts_of[i][1].append(w)
    return {
        name: {None: None, **dict(zip(raw, engine._canonical(name, text), strict=True))}
        for name, (raw, text) in zip(types, texts_of, strict=True)
    }


def _sampled(engine: PostgreSQL, table: _Table, columns: Sequence[str], seed: int | None) -> Statistics:
    """The same from some pages of the table, drawn at random (all of them, if there are few: then it is a scan)."""
    share = min(1.0, SAMPLED_PAGES / max(table.pages, 1))
    pages = f"TABLESAMPLE SYSTEM ({100 * share!r}) REPEATABLE ({seed or 0})"
    taken = ", ".join(engine.name(c) for c in columns)
    frequencies = engine._part(f"(SELECT {taken} FROM {engine._table} AS everybody {pages})").frequencies(columns)
    if share == 1.0:
        engine.scans += 1
    sample_rows = int(frequencies.counts.sum())
    shares = frequencies.counts / max(sample_rows, 1)
    coded = list(zip(columns, frequencies.values, frequencies.codes, strict=True))
    values = tuple(tuple(v[c] for c in codes.tolist()) for _, v, codes in coded)
    joint = JointStatistics(tuple(columns), values, shares, shares)
    singles = {
        name: ColumnStatistics(v, np.bincount(codes, shares, len(v)).astype(np.float64)) for name, v, codes in coded
    }
    rows = max(round(sample_rows / share), 1)
    return Statistics(rows, sample_rows, singles, (joint,), sampled=True, table=engine._table, pages=table.pages)


def _rows(engine: PostgreSQL, query: str) -> Iterator[tuple[Any, ...]]:
    """The few rows that the catalog answers."""
    with engine._plainly():
        for batch in engine._ask(query):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
