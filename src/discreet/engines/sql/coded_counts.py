"""Counting a table whose values are not all known yet: those that are known by number, the others by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.engines.arrow import coding_table, in_order, numbered_texts, to_numpy
from discreet.engines.base import Frequencies
from discreet.engines.sql.engine import SqlEngine

Value = str | None
_NOBODY = -1  # the number of a value that has none


@dataclass(frozen=True, eq=False)
class CodedCounts:
    """Distinct combinations with their counts: of the coded columns by number, then of the others by value.

    ``numbers[c][i]`` is −1 where combination i has a value of column c that no number was told for: then it is
    ``unknown.values[c][unknown.codes[c][i]]``. The counts are those of `unknown`, and of `others`.
    """

    numbers: tuple[np.ndarray, ...]
    unknown: Frequencies
    others: Frequencies


def coded_counts(
    engine: SqlEngine, codes: Mapping[str, Mapping[Value, int]], columns: Sequence[str], person: str | None = None
) -> CodedCounts:
    """Count the columns that codes are given for, and some more: one scan. One may say whose row it is.

    Rows are counted by their values first: to look up the codes of the distinct combinations is far less work than to
    look up those of all rows (500,000 rows of a census: 0.6 s instead of 1.5 s).
    """
    owner = [] if person is None else [person]
    all_columns = [*codes, *columns, *owner]
    shown, joins = [], []
    for i, (column, numbered) in enumerate(codes.items()):
        written, null = engine._written(f"v.c{i}", column), numbered.get(None, _NOBODY)
        with engine._plainly():
            table = engine._relation_of(coding_table({v: code for v, code in numbered.items() if v is not None}))
        joins.append(f"LEFT JOIN {table} AS m{i} ON {written} = m{i}.value")
        shown.append(f"CASE WHEN v.c{i} IS NULL THEN {null} ELSE COALESCE(m{i}.code, {_NOBODY}) END AS g{i}")
        shown.append(f"CASE WHEN m{i}.code IS NULL THEN {written} END AS u{i}")
    width = len(codes)
    shown += [f"{engine._written(f'v.c{i}', c)} AS o{i}" for i, c in enumerate([*columns, *owner], start=width)]
    keys = [*(f"{k}{i}" for k in "gu" for i in range(width)), *(f"o{i}" for i in range(width, len(all_columns)))]
    by = f"GROUP BY {', '.join(keys)}" if keys else ""
    coded = f"SELECT {', '.join([*shown, 'v.n'])} FROM ({engine._counted(all_columns)}) AS v {' '.join(joins)}"
    # A sum of BIGINTs is a number of another kind in most dialects.
    query = f"SELECT {', '.join([*keys, 'CAST(sum(n) AS BIGINT) AS n'])} FROM ({coded}) AS w {by}"
    told_apart = [*codes, *columns]
    texts: list[dict[Value, int]] = [{} for _ in told_apart]
    places: list[list[np.ndarray]] = [[np.empty(0, dtype=np.int32)] for _ in told_apart]
    people = []
    numbers: list[list[np.ndarray]] = [[np.empty(0, dtype=np.int64)] for _ in range(width + 1)]
    for batch in engine._asked(query):
        for i in range(width):
            numbers[i].append(to_numpy(batch.column(i)).astype(np.int64))
        for i, known in enumerate(texts):
            places[i].append(numbered_texts(batch.column(width + i), known))
        if owner:
            people.append(batch.column(width + len(told_apart)))
        numbers[-1].append(to_numpy(batch.column(batch.num_columns - 1)).astype(np.int64))
    *of_known, counts = map(np.concatenate, numbers)
    values, all_codes = engine._values(told_apart, texts), tuple(map(np.concatenate, places))
    names, who = in_order(people) if owner else (None, None)
    return CodedCounts(
        tuple(of_known),
        Frequencies(values[:width], all_codes[:width], counts),
        Frequencies(values[width:], all_codes[width:], counts, who, names),
    )
