"""Parquet files with types that policies have no word for, and broken ones."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from campaign.garden import HEADER, rows
from campaign.mutations import spoil_bytes
from campaign.odd_csv import NAMES, VALUES

_DAY = datetime.date(2024, 2, 29)
_NOW = datetime.datetime(2024, 2, 29, 23, 59, 59, 999999)


def _arrays(random: Random, count: int) -> dict[str, pa.Array]:
    """A column of every type."""
    pick = [random.randrange(4) for _ in range(count)]

    def of(values: list[object], kind: pa.DataType) -> pa.Array:
        return pa.array([values[p % len(values)] for p in pick], type=kind)

    return {
        "list": of([[1, 2], [], None, [None]], pa.list_(pa.int32())),
        "struct": of([{"a": 1, "b": "x"}, None, {"a": None, "b": ""}], pa.struct([("a", pa.int8()), ("b",
        pa.string())])),
        "map": of([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "deep": of([[[{"a": [1]}]], None], pa.list_(pa.list_(pa.struct([("a", pa.list_(pa.int8()))])))),
        "decimal": of([decimal.Decimal("9" * 36 + ".99"), decimal.Decimal("-0.01"), None], pa.decimal128(38, 2)),
        "binary": of([b"\x00\xff", b"", None, b"Pq7"], pa.binary()),
        "fixed": of([b"abcd", None], pa.binary(4)),
        "large": of(["x", "", None], pa.large_string()),
        "dictionary": pa.array([("a", "b", None, "c")[p] for p in pick], type=pa.string()).dictionary_encode(),
        "nanoseconds": of([2**62, -(2**62), 0, None], pa.timestamp("ns")),
        "seconds": of([2**40, -(2**40), 0, None], pa.timestamp("s")),
        "zoned": of([_NOW, None], pa.timestamp("us", tz="Asia/Kathmandu")),
        "strange zone": of([_NOW, None], pa.timestamp("us", tz="+14:00")),
        "date": of([_DAY, datetime.date.min, datetime.date.max, None], pa.date32()),
        "far date": of([2**30, -(2**30), 0, None], pa.date32()),
        "time": of([datetime.time.max, datetime.time.min, None], pa.time64("us")),
        "duration": of([datetime.timedelta(days=10**6), datetime.timedelta(0), None], pa.duration("us")),
        "half": pa.array([(1.5, float("nan"), float("inf"), 0.0)[p] for p in pick],
        type=pa.float64()).cast(pa.float16()),
        "float": of([float("nan"), float("-inf"), -0.0, 0.0], pa.float64()),
        "small": of([1e-320, 1e308, 0.1, None], pa.float32()),
        "byte": of([-128, 127, 0, None], pa.int8()),
        "unsigned": of([2**64 - 1, 2**63, 0, None], pa.uint64()),
        "bool": of([True, False, None], pa.bool_()),
        "nothing": pa.nulls(count),
        "text": of(list(random.sample([v for v in VALUES if "\ud800" not in v], 4)), pa.string()),
    }  # fmt: skip


def odd_parquet(random: Random, number: int, path: Path) -> tuple[str, dict[str, str]]:
    """Write one; what was done, and how columns are called now."""
    count = random.choice((1, 12, 60))
    body = rows(random, count)
    columns = {name: pa.array([row[i] for row in body]) for i, name in enumerate(HEADER)}
    odd = _arrays(random, count)
    renamed: dict[str, str] = {}
    way = ("types", "types", "types", "broken", "names", "shape", "not parquet")[number % 7]
    what = way
    match way:
        case "types":
            kinds = list(odd)
            chosen = {
                "disease": kinds[number // 7 % len(kinds)],
                "age": random.choice(kinds),
                "zip": random.choice(kinds),
            }
            for name, kind in chosen.items():
                if random.random() < 0.6:
                    columns[name] = odd[kind]
                    what += f" {name}={kind}"
        case "names":
            for name in HEADER[1:]:
                if random.random() < 0.5:
                    renamed[name] = random.choice(NAMES)
    names = [renamed.get(name, name) for name in columns]
    table = pa.Table.from_arrays(list(columns.values()), names=names)
    if way == "shape":
        shape = random.randrange(5)
        table = (
            table.slice(0, 0), table.select([]), pa.Table.from_arrays([*table.columns, table.column(1)],
            names=[*names, "age"]),
            pa.Table.from_arrays([table.column(1)] * 3000, names=[f"c{i}" for i in range(3000)]),
            table.select(["age", "disease"]),
        )[shape]  # fmt: skip
        what += f" {shape}"
    options = {
        "compression": random.choice(("snappy", "zstd", "none", "gzip")),
        "row_group_size": random.choice((1, 1000)),
    }
    pq.write_table(table, path, **options)
    if way == "broken":
        path.write_bytes(spoil_bytes(random, path.read_bytes()))
    elif way == "not parquet":
        data = random.choice(
            (b"", b"PAR1", b"PAR1" * 3, b"PAR1\xff\xff\xff\x7fPAR1", b"a,b\n1,2\n", random.randbytes(5000))
        )
        path.write_bytes(data)
    return what, renamed
