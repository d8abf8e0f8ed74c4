"""How does the cost grow with rows, attributes and distinct values?

Each line is a fresh process on invented people; seconds are wall time per stage, so read the growth, not the figure.
The engine may take 4 GB before it spills to disk. `python -m benchmarks.growth_chart` draws what was measured.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.measure import Findings, Options, Table, discreet
from discreet.samples.census import QUASI_IDENTIFIERS, census_attributes, census_like

STAGES = ("scan", "search", "publish", "verify", "report")
SECONDS = 10.0  # for the search, where the lattice is too large to search it all
SENSITIVE = "salary"
ROWS = 30_000
CHUNK = 5_000_000  # people who are invented at a time
MEMORY = "4GB"


def measure(options: Options) -> Findings:
    """Three ways to grow."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        tables = [by_rows(folder, options.rows), by_attributes(folder), by_distinct_values(folder)]
    return Findings(
        __doc__.splitlines()[0],
        tables,
        [f"a lattice of more than a million nodes is searched for {SECONDS:.0f} s, and the gap to the bound is told"],
    )


def by_rows(folder: Path, most: int) -> Table:
    """8 quasi-identifiers, ever more people."""
    table = _table("rows (8 quasi-identifiers, k = 5, 2%)", "rows")
    rows = 10_000
    while rows <= most:
        with parquet.ParquetWriter(folder / "people.parquet", census_like(1).schema) as writer:
            for seed, start in enumerate(range(0, rows, CHUNK)):
                writer.write_table(census_like(min(CHUNK, rows - start), seed))
        _add(table, rows, _published(folder, census_attributes(8)))
        rows *= 10
    return table


def by_attributes(folder: Path) -> Table:
    """30,000 people, ever more quasi-identifiers."""
    table = _table(f"quasi-identifiers ({ROWS:,} rows, k = 5, 2%)", "attributes")
    for width in (3, 5, 7, 9, 11, 13, 15):
        people = census_like(ROWS, columns=[*QUASI_IDENTIFIERS[:width], SENSITIVE])
        _add(table, width, _publish(folder, people, census_attributes(width)))
    return table


def by_distinct_values(folder: Path) -> Table:
    """5 quasi-identifiers and a sixth, a number, with ever more distinct values."""
    table = _table("distinct values of one quasi-identifier (100,000 rows, 6 quasi-identifiers, k = 5, 2%)", "values")
    rows = 100_000
    people = census_like(rows, columns=[*QUASI_IDENTIFIERS[:5], SENSITIVE])
    for distinct in (10, 100, 1_000, 10_000, 100_000):
        income = np.random.default_rng(7).permutation(np.arange(rows) % distinct)
        attributes = census_attributes(5) | {"income": {"role": "quasi_identifier", "hierarchy": {"quantiles": 8}}}
        answer = _publish(folder, people.append_column("income", pa.array(income)), attributes)
        _add(table, distinct, answer)
    return table


def _table(title: str, first: str) -> Table:
    return Table(title, (first, *STAGES, "whole wall s", "CPU s", "peak MB", "nodes", "checked", "loss", "bound gap"))


def _publish(folder: Path, people: Any, attributes: dict[str, object]) -> dict[str, Any]:
    parquet.write_table(people, folder / "people.parquet")
    return _published(folder, attributes)


def _published(folder: Path, attributes: dict[str, object]) -> dict[str, Any]:
    words: dict[str, object] = {
        "source": str(folder / "people.parquet"),
        "attributes": attributes,
        "require": [{"k_anonymity": {"k": 5}}],
        "suppress": 0.02,
        "format": "parquet",
        "time_limit": SECONDS,
    }
    cost, answer = discreet(words, folder / "release", DISCREET_MEMORY=MEMORY)
    return answer | {"cost": cost}


def _add(table: Table, first: int, answer: dict[str, Any]) -> None:
    facts, seconds, cost = answer["facts"], answer["seconds"], answer["cost"]
    table.add(
        first,
        *(seconds[s] for s in STAGES),
        cost.wall,
        cost.cpu,
        round(answer["memory"] / 1e6),
        facts["nodes"],
        facts["nodes_checked"],
        answer["loss"],
        facts["score"] - facts["lower_bound"],
    )
