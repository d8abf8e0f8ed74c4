"""Rows as Spark tells them, for sessions with and without Java."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from discreet.engines.arrow import numbers, texts, truths
from discreet.engines.base import Frequencies, Rewriting
from discreet.engines.counted_rows import CodedColumn, CountedRows

NUMBERS = [0.0, -0.0, math.nan, math.inf, 1e20, 1e-7, 0.1, 2.0**-44, 1e16, 123456789.125, None]


EVERY = pa.table(
    {
        "text": ["x", "", None, "it's", "a\\b", "${env:HOME}", "ä\U0001f600", "a'b\"c`d", " ", "x", "-- x"],
        "whole": pa.array([1, -(2**63), 2**63 - 1, None, 0, 5, 5, 5, 5, 5, 5], pa.int64()),
        "small": pa.array([1, -128, 127, None, 0, 5, 5, 5, 5, 5, 5], pa.int8()),
        "double": pa.array(NUMBERS, pa.float64()),
        "real": pa.array([*NUMBERS[:5], 1e-7, 0.1, 16777216.0, 1e16, 1.5, None], pa.float32()),
        "yes": [True, False, None, *[True] * 8],
        "day": [datetime.date(2020, 1, 31), datetime.date(1, 1, 1), datetime.date(9999, 12, 31), *[None] * 8],
        "moment": pa.array(
            [0, 1, -1, 1604208600250000, -86400000001, None, *[1500000] * 5], pa.timestamp("us", tz="UTC")
        ),
        "clock": pa.array([0, 1, -1, 1604208600250000, -86400000001, None, *[1500000] * 5], pa.timestamp("us")),
        "money": pa.array([Decimal("1.50"), Decimal("-0.05"), None, *[Decimal("0.00")] * 8], pa.decimal128(9, 2)),
        "tiny": pa.array([Decimal("0.000000010000"), None, *[Decimal("-0.000000000001")] * 9], pa.decimal128(20, 12)),
        "bytes": [b"a", b"", None, b"\x00\xff'\\", *[b"z"] * 7],
    }
)


def told(found: Frequencies) -> Counter[tuple[str | None, ...]]:
    """Combinations with their counts."""
    columns = [np.array(v, dtype=object)[c] for v, c in zip(found.values, found.codes, strict=True)]
    return Counter(dict(zip(zip(*columns, strict=True), found.counts.tolist(), strict=True)))


def told_rows(found: Frequencies) -> Counter[tuple[str | None, ...]]:
    """The same where a combination may stand more than once."""
    rows: Counter[tuple[str | None, ...]] = Counter()
    for *codes, n in zip(*(c.tolist() for c in found.codes), found.counts.tolist(), strict=True):
        rows[tuple(values[code] for values, code in zip(found.values, codes, strict=True))] += n
    return rows


def rows_of(path: Path) -> Counter[tuple[Any, ...]]:
    table = parquet.read_table(path)
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def counted(names: list[str]) -> CountedRows:
    dictionary = texts(["x", "", "it's"])
    columns = [CodedColumn(name, np.array([0, 1, 2, 3], dtype=np.int32), dictionary) for name in names]
    columns.append(CodedColumn("group", np.array([7, 7, 8, 2**62])))
    return CountedRows(tuple(columns), np.array([3, 1, 0, 2]))


def assignment(pieces: list[tuple[str | None, int, int, int, bool, str | None, int]]) -> pa.Table:
    """Pieces of combinations: key, id, first, last, kept, the published value and the group."""
    key, number, first, last, kept, value, group = zip(*pieces, strict=True)
    return pa.table(
        {
            "k0": texts(key),
            "id": numbers(np.array(number)),
            "first": numbers(np.array(first)),
            "last": numbers(np.array(last)),
            "kept": truths(np.array(kept)),
            "p0": texts(value),
            "p1": numbers(np.array(group)),
        }
    )


def rewritten(engine: Any, folder: Path, rewriting: Rewriting) -> Counter[tuple[Any, ...]]:
    folder.mkdir()
    with engine.publishing(folder, "parquet") as tables:
        tables.rewrite("data.parquet", rewriting)
    return rows_of(folder / "data.parquet")
