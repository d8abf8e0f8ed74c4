"""A small table with every type that frames have, and the words to publish it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

ROWS = 60
COLUMNS: dict[str, list[Any]] = {
    "age": [20 + (7 * i) % 40 for i in range(ROWS)],
    "sex": [("f", "m")[i % 2] for i in range(ROWS)],
    "disease": [("flu", "cold", "asthma", None)[i % 4] for i in range(ROWS)],
    "days": [None if i % 9 == 0 else i % 5 for i in range(ROWS)],
    "weight": [50 + (i % 3) / 4 for i in range(ROWS)],
    "seen": [dt.datetime(2024, 1, 1 + i % 3, 12) for i in range(ROWS)],
    "insured": [i % 3 == 0 for i in range(ROWS)],
    "name": [f"Person-{i}" for i in range(ROWS)],
}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    "sex": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
    "days": {"role": "sensitive"},
    "weight": {"role": "other"},
    "seen": {"role": "other"},
    "insured": {"role": "other"},
    "name": {"role": "identifier"},
}
REQUIRE: list[dict[str, Any]] = [{"k_anonymity": {"k": 3}}]
WORDS: dict[str, Any] = {"attributes": ATTRIBUTES, "require": REQUIRE, "suppress": 0.1, "seed": 7}


def arrow() -> pa.Table:
    return pa.table(COLUMNS)


def pandas() -> pd.DataFrame:
    frame = pd.DataFrame(COLUMNS, index=[f"Person-{i}" for i in range(ROWS)])
    frame["days"] = frame["days"].astype("Int64")
    frame["sex"] = pd.Categorical(frame["sex"], categories=["f", "m", "secret"])
    frame["weight"] = frame["weight"].astype("float32")
    return frame


def polars() -> pl.DataFrame:
    return pl.DataFrame(COLUMNS).with_columns(pl.col("days").cast(pl.Int8), pl.col("sex").cast(pl.Categorical))


def mapping() -> dict[str, list[Any]]:
    return {name: list(values) for name, values in COLUMNS.items()}


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of whichever frame, sorted, missing values as None."""
    table = pa.table(frame) if isinstance(frame, dict) else frame
    if isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame, preserve_index=False)
    elif isinstance(frame, pl.DataFrame):
        table = frame.to_arrow()
    return sorted(zip(*(table.column(c).to_pylist() for c in table.column_names), strict=True), key=repr)
