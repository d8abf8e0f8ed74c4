"""What a release tells beside its values: columns that nobody named, numbers of rows, their order, NULLs that are gone.

The order of rows and lost NULLs are best seen with the source at hand; without it there are signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import Codes, FloatArray
from discreet.audit.faults.linked_tables import chance_of_links
from discreet.audit.faults.row_order import CHANCE, Ordered, in_source_order, sorted_by_itself, unexplained
from discreet.audit.lines import Fault
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, coverage, covers, number
from discreet.audit.reading.release import ReleaseFiles, Rows, in_order, labels_in, repeated
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.open import open_source
from discreet.errors import DataError, Mistake, did_you_mean

Column = tuple[Sequence[str | None], Codes]

_ENOUGH = 10  # rows, from which on it is no accident that all have different values
_LARGEST = 50_000_000  # pairs of a label and a value of one column that are held against each other


def leaking_columns(release: ReleaseFiles) -> Iterator[Fault]:
    """Columns that nobody named, identifiers, and whatever numbers the rows."""
    description = release.description
    roles = {*description.quasi_identifiers, *description.sensitive, *description.others}
    for rows in release.files:
        for column in rows.columns:
            place = f"{rows.file}: {column}"
            if rows.column(column)[0] == (description.suppressed,):  # says nothing
                continue
            if column in description.identifiers:
                yield Fault("identifier", place, "is an identifier, and published", "remove the column")
            elif column not in roles and column not in (description.group, description.count):
                repair = "remove the column, or say what it is"
                yield Fault("unnamed_column", place, "is published, but nobody said what it is", repair)
            rule = _key(rows, column, description.sensitive) if column not in _keyless(release) else ""
            if rule:
                repair = "remove the column: whoever has it in another table finds everybody's row"
                yield Fault("row_number", place, rule, repair)


def signs_of_order(release: ReleaseFiles) -> Iterator[Fault]:
    """An order of rows that neither chance nor the published values explain."""
    for rows in release.files:
        column_and_chance = unexplained(_ordered(release, rows)) if _has_order(release, rows) else None
        if column_and_chance is not None:
            column, chance = column_and_chance
            rule = (
                f"rows stand in an order that chance does not explain (runs of equal values, p {_below(chance)}): "
                "that of the source, or one in which it was sorted before it was made coarser"
            )
            yield Fault("rows_in_order", f"{rows.file}: {column}", rule, "shuffle the rows", grave=False)


def against_source(release: ReleaseFiles, source: Any) -> Iterator[Fault]:
    """What can be seen beside the table that was published: rows in its order, and NULLs that were lost."""
    description = release.description
    columns = [*description.quasi_identifiers, *description.sensitive]
    engine = open_source(source, columns)
    lacking = [c for c in columns if c not in engine.columns]
    if lacking:
        raise DataError(*(Mistake("source", f"has no column {c!r}", did_you_mean(c, engine.columns)) for c in lacking))
    ordered = isinstance(engine, DuckDB)  # in a database, rows have no order
    values, codes = in_order(engine, columns) if isinstance(engine, DuckDB) else repeated(engine.frequencies(columns))
    source_columns = dict(zip(columns, zip(values, codes, strict=True), strict=True))
    for rows in release.files:
        yield from _lost_nulls(release, rows, source_columns)
        if not ordered or not _has_order(release, rows) or not {*rows.columns} & {*description.quasi_identifiers}:
            continue
        chance = _chance_of_order(release, rows, source_columns)
        if chance < CHANCE and not sorted_by_itself(_ordered(release, rows)):
            rule = f"its rows stand in the order of the source (by chance with p {_below(chance)})"
            repair = "shuffle the rows: the order tells whose row is whose"
            yield Fault("rows_in_order", rows.file, rule, repair)
    yield from _linked(release, source_columns)


def _linked(release: ReleaseFiles, source: Mapping[str, Column]) -> Iterator[Fault]:
    """People and values in tables apart, but both in the same order."""
    description = release.description
    kind = release.view.kind
    if kind.labelled or not kind.rows_are_people or not all(_has_order(release, rows) for rows in release.files):
        return
    people, values = sorted(release.files, key=lambda rows: not {*rows.columns} & {*description.quasi_identifiers})
    if all(sorted_by_itself(_ordered(release, rows)) for rows in release.files):
        return
    for column in description.sensitive:
        chance = chance_of_links(release, people, values, column, source)
        if chance < CHANCE:
            rule = (
                f"in every group {people.file} and {values.file} are in the same order, so that people stand where "
                f"their values do (by chance with p {_below(chance)})"
            )
            yield Fault("tables_linked", f"{values.file}: {column}", rule, "sort or shuffle both within groups")


def _has_order(release: ReleaseFiles, rows: Rows) -> bool:
    """May the order of the rows be that of people? Tables of a database have none, rows for several people neither."""
    counted = not release.view.kind.rows_are_people or release.description.count in rows.columns
    return rows.lines is not None and not counted


def _keyless(release: ReleaseFiles) -> tuple[str, ...]:
    """Columns that may be different in every row: whoever knows quasi-identifiers finds a row by them anyway."""
    return (*release.description.quasi_identifiers, release.description.group, release.description.count)


def _key(rows: Rows, column: str, sensitive: Sequence[str]) -> str:
    """Why a column tells the rows apart, if it does; sensitive values may be all different, but not count the rows."""
    values, codes = rows.column(column)
    if len(values) < max(len(rows), _ENOUGH):
        return ""
    numbers = np.array([np.nan if (n := number(v)) is None else n for v in values], dtype=np.float64)
    if np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all():
        if numbers.max() - numbers.min() == len(rows) - 1:
            return "numbers the rows"
        if rows.lines is not None and (np.diff(numbers[codes]) > 0).all():
            return "rises from row to row, as the number of a row in the source does"
    return "" if column in sensitive else "is different in every row"


def _ordered(release: ReleaseFiles, rows: Rows) -> list[Ordered]:
    """The columns of a file, but for those that number its rows: they are told apart.

    Groups that stand one after the other are an order of what is published, too.
    """
    ordered = []
    if rows is release.grouped and len(rows) >= 3 * (len(release.view.sizes) + 1):
        number = release.group + 1
        ordered.append(Ordered("group", number, [str(g) for g in range(int(number.max(initial=0)) + 1)]))
    for column in rows.columns:
        if column not in _keyless(release) and _key(rows, column, release.description.sensitive):
            continue
        values, codes = rows.column(column)
        labels = _said(release, column, values)
        exact = all(isinstance(label, Exactly) for label in labels)
        ordered.append(Ordered(column, codes, values, exact, _sizes(labels)))
    return ordered


def _said(release: ReleaseFiles, column: str, values: Sequence[str | None]) -> Sequence[Label]:
    """What the texts of any column say."""
    if release.view.kind.labelled and column in release.description.quasi_identifiers:
        return labels_in(release.description, column, values)
    star = release.description.suppressed if release.view.starred else ""
    return [Anything() if value == star and value else Exactly(value) for value in values]


def _sizes(labels: Sequence[Label]) -> FloatArray:
    """Where each label begins, for those that have an order."""
    sizes = []
    for label in labels:
        size: float | None = None
        if isinstance(label, Between):
            size = label.high if label.low is None else label.low
        elif isinstance(label, Exactly):
            size = number(label.value)
        sizes.append(np.nan if size is None else size)
    return np.array(sizes, dtype=np.float64)


def _chance_of_order(release: ReleaseFiles, rows: Rows, source: Mapping[str, Column]) -> float:
    held = [c for c in source if c in rows.columns and len(rows.column(c)[0]) * len(source[c][0]) <= _LARGEST]
    fits = [coverage(_said(release, c, rows.column(c)[0]), source[c][0]) for c in held]
    published = [rows.column(c)[1] for c in held]
    return in_source_order(fits, published, [source[c][1] for c in held]) if held else 1.0


def _lost_nulls(release: ReleaseFiles, rows: Rows, source: Mapping[str, Column]) -> Iterator[Fault]:
    """NULL in the source, but nowhere in what is published; as many rows as were suppressed may have had it.

    So may those that our own manifest does not count: a release may be about some people of the source only.
    """
    suppressed = release.view.left_out + release.view.starred
    rows_given = len(next(iter(source.values()))[1])
    about = (
        release.description.manifest["rows"].get("source", rows_given) if release.description.manifest else rows_given
    )
    suppressed += max(rows_given - int(about), 0)
    for column in (c for c in source if c in rows.columns):
        values, codes = source[column]
        nulls = int((codes == values.index(None)).sum()) if None in values else 0
        if nulls > suppressed and not any(
            covers(label, [None])[0] for label in _said(release, column, rows.column(column)[0])
        ):
            rows_have = "row of the source has" if nulls == 1 else "rows of the source have"
            rule = f"{nulls:,} {rows_have} no value here, and no published row can be one of them"
            repair = "keep NULL as a value of its own: groups are counted wrongly without it"
            yield Fault("lost_nulls", f"{rows.file}: {column}", rule, repair, nulls)


def _below(chance: float) -> str:
    """A chance in a message.

    >>> _below(2.3e-9), _below(1e-300)
    ('= 2.3e-09', 'below 1e-99')
    """
    return f"= {chance:.2g}" if chance > 1e-99 else "below 1e-99"
