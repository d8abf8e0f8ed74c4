"""What a release tells beside its values: columns that nobody named, numbers of rows, their order, NULLs that are gone.

The order of rows and lost NULLs are best seen with the source at hand; without it there are signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray, number_equal
from discreet.audit.faults.comparison import Table, not_compared, read_source
from discreet.audit.faults.comparison_labels import held
from discreet.audit.faults.linked_tables import PeopleInGroups, chance_of_links, people_in_groups
from discreet.audit.faults.row_order import CHANCE, Ordered, Sorting, sorting, unexplained
from discreet.audit.faults.source_order import BACKWARDS, BESIDE, FORWARDS, Sequences, best_way, entries
from discreet.audit.lines import Fault
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, covers, number, numbers
from discreet.audit.reading.release import ReleaseFiles, Rows, labels_in, numbered
from discreet.audit.reading.source import open_beside
from discreet.audit.worlds.label_join import fitting, joined

_MOST_COLUMNS = 10  # that are not published, and by which the rows may be sorted
_ENOUGH = 10  # rows, from which on it is no accident that all have different values


_WAYS = {
    FORWARDS: "its rows stand in the order of {}",
    BACKWARDS: "its rows stand in the order of {}, backwards",
    BESIDE: "rows that stand together in it stand together in {}",
}


def leaking_columns(release: ReleaseFiles) -> Iterator[Fault]:
    """Columns that nobody named, identifiers, and whatever numbers the rows."""
    description = release.description
    roles = {*description.quasi_identifiers, *description.sensitive, *description.others}
    for rows in release.files:
        for column in rows.columns:
            place = f"{rows.file}: {column}"
            if rows.column(column)[0] == (description.suppressed,):  # says nothing
                continue
            if column == description.whose.person:
                rule = "says whose rows they are, and is published: it tells which rows are one person's"
                yield Fault("identifier", place, rule, "remove the column")
            elif column in description.identifiers:
                yield Fault("identifier", place, "is an identifier, and published", "remove the column")
            elif column not in roles and column not in (description.group, description.count):
                repair = "remove the column, or say what it is"
                yield Fault("unnamed_column", place, "is published, but nobody said what it is", repair)
            rule = _key(rows, column, description.sensitive) if column not in _keyless(release) else ""
            if rule:
                repair = "remove the column: whoever has it in another table finds the row by it"
                yield Fault("row_number", place, rule, repair)


def order_of_rows(release: ReleaseFiles, source: Any = None, table: Table | None = None) -> Iterator[Fault]:
    """Rows in an order that gives something away; and with the source, NULLs that were lost.

    The source shows more, and hides nothing that is seen without it; `table` is what was read of it, if it was.
    """
    if table is None and source is not None:
        table = read_source(release, source)[0]
    standing = {rows.file: sorting(_ordered(release, rows)) for rows in release.files if _has_order(release, rows)}
    if table is None:
        yield from _signs_of_order(standing)
        return
    hidden, apart = _unpublished(release, source, table), _in_groups(release, table) if standing else None
    found = {
        rows.file: [*_beside_source(release, rows, table, hidden, apart, standing[rows.file])]
        for rows in release.files
        if rows.file in standing
    }
    for rows in release.files:
        yield from _lost_nulls(release, rows, table)
        yield from found.get(rows.file, ())
    seen = {file for file, faults in found.items() if any(fault.grave for fault in faults)}
    yield from _signs_of_order({file: each for file, each in standing.items() if file not in seen})
    yield from _linked(release, table, standing)


def _signs_of_order(standing: Mapping[str, Sorting]) -> Iterator[Fault]:
    """An order of rows that neither chance nor the published values explain."""
    for file, found in standing.items():
        column_and_chance = unexplained(found)
        if column_and_chance is not None:
            column, chance = column_and_chance
            rule = (
                f"rows stand in an order that chance does not explain (runs of equal values, p {_below(chance)}): "
                "that of the source, or one in which it was sorted before it was made coarser"
            )
            yield Fault("rows_in_order", f"{file}: {column}", rule, "shuffle the rows", grave=False)


def _unpublished(release: ReleaseFiles, source: Any, table: Table) -> dict[str, IntArray]:
    """Columns of the source that are not published (names, dates of admission): the place of each row by its value."""
    beside = open_beside(source, table.columns, release.description)
    published = {c for rows in release.files for c in rows.columns}
    columns = [c for c in beside.columns if c not in published][:_MOST_COLUMNS]
    if table.kinds is None or not columns:
        return {}
    several = zip(columns, *beside.rows(columns), strict=True)
    return {column: _in_size(values)[codes] for column, values, codes in several}


def _beside_source(
    release: ReleaseFiles,
    rows: Rows,
    table: Table,
    hidden: Mapping[str, IntArray],
    apart: PeopleInGroups | None,
    standing: Sorting,
) -> Iterator[Fault]:
    """The order of a file's rows, if it is that of the source, or of exact values in it, published or not."""
    distorted = release.description.manifest.get("distorted") or ()
    columns = [c for c in table.columns if c in rows.columns and c not in distorted]
    if not columns:
        return
    sequences = _sequences(release, rows, table, columns, hidden, apart, standing.block)
    if sequences is None:
        rule = "so many rows of the source fit every published one that its order is compared with nothing"
        yield not_compared(rows.file, rule, "nothing to mend")
        return
    ways = [(best_way(each, neighbours=not name, ways=len(sequences)), name) for name, each in sequences.items()]
    way, name = min(ways, key=lambda one: one[0].chance)
    if way.chance < CHANCE:
        what = f"{name} in the source" if name else "the source"
        rule = f"{_WAYS[way.way].format(what)} (by chance with p {_below(way.chance)})"
        yield Fault("rows_in_order", rows.file, rule, "shuffle the rows: the order tells whose row is whose")


def _sequences(
    release: ReleaseFiles,
    rows: Rows,
    table: Table,
    columns: Sequence[str],
    hidden: Mapping[str, IntArray],
    apart: PeopleInGroups | None,
    equal: IntArray,
) -> dict[str, Sequences] | None:
    """The rows beside the source in its own order (no name), and sorted by each column that was made coarser or that
    is not published at all. Of each block of `equal` rows the order tells nothing.

    None if more rows fit than can be held.
    """
    grouped = rows is release.grouped and release.view.kind.labelled
    kept = np.flatnonzero(release.group >= 0) if grouped else np.arange(len(rows))
    block = equal[kept]
    if grouped and _group_by_group(release.group[kept]):  # whoever sees the groups sees that they stand together
        block = number_equal([block, release.group[kept]], len(kept))
    codes = {c: rows.column(c)[1][kept] for c in columns}
    within = [] if apart is None else [apart.of_rows(rows, release.description.group)[kept]]
    unit, first = numbered([*codes.values(), *within, block], len(kept))
    columns_fit = []
    if apart is not None:
        columns_fit = [fitting(within[0][first], apart.person, apart.pairs, int(apart.person.max(initial=0)) + 1)]
    for column in columns:
        texts, _ = rows.column(column)
        used, label = np.unique(codes[column][first], return_inverse=True)
        columns_fit.append(held(release, table, rows, column, [texts[i] for i in used], label.astype(np.int64))[0])
    # What the file does not show makes no difference to what somebody fits.
    counts, own = table.frequencies.counts, table.kinds
    alike, some = numbered([column.codes for column in columns_fit], len(counts))
    people = np.bincount(alike, weights=counts).astype(np.int64)
    fits = joined([replace(column, codes=column.codes[some]) for column in columns_fit], people, len(first))
    if not fits.held:
        return None
    kinds = np.repeat(np.arange(len(counts)), counts) if own is None else own
    found = entries(fits.starts, fits.groups, alike[kinds], np.bincount(unit, minlength=len(first)))
    by_block = block[first].astype(np.int64)
    sequences = {} if own is None else {"": Sequences(unit, by_block, *found, np.arange(len(kinds)))}
    sequences |= {column: Sequences(unit, by_block, *found, place) for column, place in hidden.items()}
    for column in columns:
        if not _are_exact(release, column) and not all(
            isinstance(label, Exactly) for label in _said(release, column, rows.column(column)[0])
        ):
            # Of rows with the same label, those with smaller values first: that is not told by the label.
            strata = number_equal([by_block, codes[column][first]], len(first))
            place = _in_size(table.values(column))[table.codes(column)][kinds]
            sequences[column] = Sequences(unit, strata, *found, place)
    return sequences


def _group_by_group(group: IntArray) -> bool:
    """Does the file go group by group? A few groups of two may stand together by chance."""
    runs = 1 + int((np.diff(group) != 0).sum())
    return runs == len(np.unique(group)) and len(group) >= runs + _ENOUGH


def _in_groups(release: ReleaseFiles, table: Table) -> PeopleInGroups | None:
    """In tables apart that all name the group, in which groups people of the source are: by the table of people."""
    kind, group = release.view.kind, release.description.group
    apart = not kind.labelled and kind.rows_are_people and all(group in rows.columns for rows in release.files)
    return people_in_groups(release, table) if apart else None


def _in_size(values: Sequence[str | None]) -> IntArray:
    """The place of each value among the others: numbers by size, then texts, then NULL."""
    keys = [(2, 0.0, "") if v is None else (1, 0.0, v) if (n := number(v)) is None else (0, n, v) for v in values]
    place = np.empty(len(keys), dtype=np.int64)
    place[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return place


def _linked(release: ReleaseFiles, table: Table, standing: Mapping[str, Sorting]) -> Iterator[Fault]:
    """People and values in tables apart, but both in the same order."""
    description = release.description
    kind = release.view.kind
    if kind.labelled or not kind.rows_are_people or not all(rows.file in standing for rows in release.files):
        return
    people, values = sorted(release.files, key=lambda rows: not {*rows.columns} & {*description.quasi_identifiers})
    if all(found.explains_all for found in standing.values()):
        return
    for column in description.sensitive:
        chance = chance_of_links(release, people, values, column, table)
        if chance is None:
            rule = f"has so many values in groups that its order is not compared with that of {people.file}"
            yield not_compared(f"{values.file}: {column}", rule, "nothing to mend")
        elif chance < CHANCE:
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
    sizes = numbers(values)
    if np.isfinite(sizes).all() and (sizes == np.floor(sizes)).all():
        if sizes.max() - sizes.min() == len(rows) - 1:
            return "numbers the rows"
        if rows.lines is not None and (np.diff(sizes[codes]) > 0).all():
            return "rises from row to row, as the number of a row in the source does"
    return "" if column in sensitive else "is different in every row"


def _ordered(release: ReleaseFiles, rows: Rows) -> list[Ordered]:
    """The columns of a file, but for those that number its rows: they are told apart.

    Groups that stand one after the other are an order of what is published, too.
    """
    ordered = []
    if rows is release.grouped and len(rows) >= 3 * (len(release.view.sizes) + 1):
        group = release.group + 1
        ordered.append(Ordered("group", group, [str(g) for g in range(int(group.max(initial=0)) + 1)]))
    for column in rows.columns:
        if column not in _keyless(release) and _key(rows, column, release.description.sensitive):
            continue
        values, codes = rows.column(column)
        if _are_exact(release, column):
            ordered.append(Ordered(column, codes, values, True, numbers(values)))
        else:
            labels = _said(release, column, values)
            exact = all(isinstance(label, Exactly) for label in labels)
            ordered.append(Ordered(column, codes, values, exact, _sizes(labels)))
    return ordered


def _are_exact(release: ReleaseFiles, column: str) -> bool:
    """Is each text of a column the value itself, whatever it is?"""
    labelled = release.view.kind.labelled and column in release.description.quasi_identifiers
    return not labelled and not (release.view.starred and release.description.suppressed)


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


def _lost_nulls(release: ReleaseFiles, rows: Rows, table: Table) -> Iterator[Fault]:
    """NULL in the source, but nowhere in what is published; as many rows as were suppressed may have had it.

    So may those that our own manifest does not count: a release may be about some people of the source only.
    """
    suppressed = release.view.left_out + release.view.starred
    manifest = release.description.manifest
    suppressed += max(table.rows - int(manifest["rows"].get("source", table.rows)), 0) if manifest else 0
    known = (*release.description.quasi_identifiers, *release.description.sensitive)
    for column in (c for c in table.columns if c in rows.columns and c in known):
        values, codes = table.values(column), table.codes(column)
        nulls = int(table.frequencies.counts[codes == values.index(None)].sum()) if None in values else 0
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
