"""Utility of any pair of tables: the original, and a release by whichever tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, Mistake, did_you_mean, offenders
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Hierarchy, Rule, Value
from discreet.utility import metrics
from discreet.utility.estimates import Leaves, estimates, runs
from discreet.utility.published import is_withheld, read_published
from discreet.utility.queries import RelativeError, draw_workload, relative_error, true_counts


@dataclass(frozen=True)
class Utility:
    """What is left of a table in a release. `suppressed` counts missing rows and rows that are ``*`` throughout."""

    rows: int
    suppressed: int
    groups: int
    smallest_group: int
    average_group: float
    losses: Mapping[str, float]
    loss: float
    loss_geometric: float
    discernibility: int
    kl_divergence: float


def compare_tables(
    original: object,
    released: object,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
    hierarchies: Mapping[str, Hierarchy | Rule] | None = None,
) -> Utility:
    """Measure a release against the table it was made from.

    Tables are Arrow, pandas or polars frames, anything else with ``__arrow_c_stream__``, or a mapping of columns. Rows
    need not be in the same order. Groups are rows with the same published texts; what a text stands for is said by
    `leaves_of`. Quasi-identifiers are by default all columns that both tables have, but the sensitive ones. A column
    without a hierarchy has the original's distinct values as its domain. The divergence is that of quasi-identifiers
    and sensitive columns together.

    >>> ages = {"age": [20, 25, 31, 38]}
    >>> compare_tables(ages, {"age": ["20-29", "20-29", "31", "38"]}).losses["age"]  # two cells of 1/3
    0.16666666666666666
    """
    pair = _read(original, released, quasi_identifiers, sensitive, hierarchies or {})
    columns = pair.quasi_identifiers
    group, first = _distinct([c.released for c in columns], pair.released_rows)
    sizes = np.bincount(group, minlength=len(first))
    leaves = [len(c.hierarchy.leaves) for c in columns]
    widths = np.array([c.widths[c.released[first]] for c in columns]).T
    losses = metrics.losses_of_widths(widths, sizes, leaves, pair.missing)
    withheld = np.logical_and.reduce([c.withheld[c.released[first]] for c in columns])
    suppressed = pair.missing + int(sizes[withheld].sum())
    kept = sizes[~withheld]
    return Utility(
        rows=pair.rows,
        suppressed=suppressed,
        groups=len(kept),
        smallest_group=int(kept.min()) if len(kept) else 0,
        average_group=metrics.average_group_size(kept),
        losses={c.hierarchy.attribute: float(x) for c, x in zip(columns, losses, strict=True)},
        loss=metrics.arithmetic_loss(losses),
        loss_geometric=metrics.geometric_loss(losses),
        discernibility=metrics.discernibility(kept, suppressed),
        kl_divergence=_divergence(pair),
    )


def compare_answers(
    original: object,
    released: object,
    *,
    predicates: int,
    selectivity: float = 0.05,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: str | None = None,
    hierarchies: Mapping[str, Hierarchy | Rule] | None = None,
    count: int = 10_000,
    seed: int | None = None,
) -> RelativeError:
    """Ask both tables the same random COUNT queries (`draw_workload`), the release under uniformity.

    >>> table = {"age": [20, 25, 31, 38], "disease": ["flu", "flu", "cold", "flu"]}
    >>> compare_answers(table, table, predicates=1, sensitive="disease", count=100).mean
    0.0
    """
    pair = _read(original, released, quasi_identifiers, sensitive or (), hierarchies or {})
    columns = pair.columns
    number, first = _distinct([c.original for c in columns], pair.rows)
    counts = np.bincount(number, minlength=len(first))
    last = {c.hierarchy.attribute: c for c in pair.sensitive}
    frequency = FrequencySet(
        tuple(c.hierarchy for c in pair.quasi_identifiers),
        tuple(c.original[first] for c in pair.quasi_identifiers),
        {name: c.original[first] for name, c in last.items()},
        {name: c.hierarchy for name, c in last.items()},
        counts,
    )
    workload = draw_workload(
        frequency, predicates=predicates, selectivity=selectivity, sensitive=sensitive, count=count, seed=seed
    )
    actual = true_counts(workload, [c.original[first] for c in columns], counts)
    group, first = _distinct([c.released for c in columns], pair.released_rows)
    parts = [Leaves(d, c.released[first], c.offsets, c.low, c.high) for d, c in enumerate(columns)]
    return relative_error(actual, estimates(workload, parts, np.bincount(group, minlength=len(first))))


@dataclass(frozen=True, eq=False)
class _Column:
    """One attribute of both tables, coded.

    `original` has the leaf of each original row, `released` the published value of each released row. Published value
    v stands for the runs of leaves ``offsets[v]:offsets[v + 1]`` of `low` and `high`, together `widths[v]` leaves.
    """

    hierarchy: Hierarchy
    original: Codes
    released: IntArray
    offsets: IntArray
    low: IntArray
    high: IntArray
    widths: IntArray
    withheld: BoolArray


@dataclass(frozen=True, eq=False)
class _Pair:
    quasi_identifiers: tuple[_Column, ...]
    sensitive: tuple[_Column, ...]
    rows: int
    released_rows: int

    @property
    def columns(self) -> tuple[_Column, ...]:
        return self.quasi_identifiers + self.sensitive

    @property
    def missing(self) -> int:
        return self.rows - self.released_rows


def _distinct(codes: Sequence[Any], rows: int) -> tuple[IntArray, IntArray]:
    from discreet.utility.leaf_bits import distinct

    return distinct(codes, rows)


def _divergence(pair: _Pair) -> float:
    columns = pair.columns
    group, first = _distinct([c.released for c in columns], pair.released_rows)
    runs = []
    for c in columns:
        value = c.released[first]
        start, many = c.offsets[value], np.diff(c.offsets)[value]
        owner = np.repeat(np.arange(len(first)), many)
        run = np.arange(len(owner)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(start, many)
        runs.append((owner, c.low[run], c.high[run]))
    return metrics.kl_divergence_of_runs(
        [c.original for c in columns],
        np.ones(pair.rows, dtype=np.int64),
        runs,
        np.bincount(group, minlength=len(first)),
        [len(c.hierarchy.leaves) for c in columns],
        pair.missing,
    )


def _read(
    original: object,
    released: object,
    quasi_identifiers: Sequence[str] | None,
    sensitive: str | Sequence[str],
    hierarchies: Mapping[str, Hierarchy | Rule],
) -> _Pair:
    before, after = _arrow(original, "original"), _arrow(released, "released")
    secret = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    if quasi_identifiers is None:
        quasi_identifiers = [n for n in before.column_names if n in after.column_names and n not in secret]
    _check_columns(before, after, [*quasi_identifiers, *secret])
    if after.num_rows > before.num_rows:
        rule = f"has {after.num_rows:,} rows, the original only {before.num_rows:,}"
        raise DataError(Mistake("released", rule, "are the two tables in the right order?"))
    if not quasi_identifiers:
        raise DataError(Mistake("quasi_identifiers", "there are none to compare", "name at least one column"))
    columns = [_column(before, after, name, hierarchies.get(name)) for name in [*quasi_identifiers, *secret]]
    split = len(quasi_identifiers)
    return _Pair(tuple(columns[:split]), tuple(columns[split:]), before.num_rows, after.num_rows)


def _check_columns(before: Any, after: Any, names: Sequence[str]) -> None:
    mistakes = []
    for place, table in (("original", before), ("released", after)):
        for name in names:
            times = table.column_names.count(name)
            if times == 0:
                repair = did_you_mean(name, table.column_names)
                mistakes.append(Mistake(f"{place}.{name}", "no such column", repair))
            elif times > 1:
                mistakes.append(Mistake(f"{place}.{name}", f"{times} columns have this name", "rename them"))
    twice = {name for name in names if list(names).count(name) > 1}
    mistakes += [Mistake(name, "named more than once", "one role for each column") for name in sorted(twice)]
    if mistakes:
        raise DataError(*mistakes)


def _column(before: Any, after: Any, name: str, rule_or_hierarchy: Hierarchy | Rule | None) -> _Column:
    codes, values = _texts(before, name, "original")
    rule = Flat() if rule_or_hierarchy is None else rule_or_hierarchy
    hierarchy = rule if isinstance(rule, Hierarchy) else build(name, values, rule)
    strange = [v for v in values if v not in hierarchy.index]
    if strange:
        lacking = f"{offenders(strange)} are not in the hierarchy"
        raise DataError(Mistake(f"original.{name}", lacking, "add them, or give the rule instead"))
    leaf = np.array([hierarchy.index[v] for v in values], dtype=np.int32)
    published, texts = _texts(after, name, "released")
    sets = read_published(texts, hierarchy)
    return _Column(
        hierarchy,
        leaf[codes],
        published,
        *runs(sets),
        np.array([len(s) for s in sets], dtype=np.int64),
        np.array([is_withheld(t, hierarchy) for t in texts], dtype=np.bool_),
    )


def _arrow(table: object, place: str) -> Any:
    """As an Arrow table."""
    import pyarrow as pa

    try:
        if isinstance(table, Mapping):
            return pa.table({str(name): _array(column) for name, column in table.items()})
        if isinstance(table, pa.Table) or hasattr(table, "__arrow_c_stream__"):
            return pa.table(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        rule = f"can't be read as a table ({type(error).__name__})"
        raise DataError(Mistake(place, rule, "columns of one length, each of one type, text if in doubt")) from None
    rule = f"must be an Arrow, pandas or polars frame or a mapping of columns, not {type(table).__name__}"
    raise DataError(Mistake(place, rule))


def _array(column: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(column) if not isinstance(column, pa.ChunkedArray) else column
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers beside ranges, as people write them
        return pa.array([None if value is None else str(value) for value in column], pa.string())


def _texts(table: Any, name: str, place: str) -> tuple[IntArray, list[Value]]:
    """A column as codes and the distinct texts they stand for; NULL is one of them."""
    import pyarrow as pa

    column = table.column(name)
    try:
        if pa.types.is_null(column.type):
            column = column.cast(pa.string())
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        column = column.unify_dictionaries().combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
        words: list[Value] = column.dictionary.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(Mistake(f"{place}.{name}", f"can't be read as text ({column.type})")) from None
    # A dictionary may hold NULL, hold a text twice, or hold texts that no row has.
    number: dict[Value, int] = {}
    for word in (*words, None):
        number.setdefault(word, len(number))
    to_text = np.array([number[word] for word in (*words, None)], dtype=np.int64)
    used, codes = np.unique(
        to_text[column.indices.cast(pa.int64()).fill_null(len(words)).to_numpy()], return_inverse=True
    )
    texts = list(number)
    return codes.astype(np.int64), [texts[i] for i in used]
