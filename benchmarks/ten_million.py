"""Ten million rows × 8 quasi-identifiers from Parquet: how does the whole run compare with just reading and writing?

Just reading and writing is one DuckDB GROUP BY over the same 8 columns (result fetched) and one plain rewrite of the
file, both inside a running process; the whole run is a fresh one, start-up and imports included. The rewrite is
measured as DuckDB does it by default (row order kept) and without keeping the order, which is faster: both are told.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from pyarrow import parquet

from benchmarks.measure import Cost, Findings, Options, Table, best, discreet, timed
from discreet.samples.census import QUASI_IDENTIFIERS, census_attributes, census_like

GOAL_RATIO = 2.5
GOAL_MEMORY = 2e9


def measure(options: Options) -> Findings:
    """Take turns, so that a slow moment of the machine hits all alike; the best of each counts."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "people.parquet"
        parquet.write_table(census_like(options.rows), source)
        words = {
            "source": str(source),
            "attributes": census_attributes(8),
            "require": [{"k_anonymity": {"k": 5}}],
            "suppress": 0.02,
            "format": "parquet",
        }
        grouped, rewritten, unordered, whole, about = [], [], [], [], []
        for _ in range(options.repeats):
            grouped.append(timed(lambda: group_by(source)))
            rewritten.append(timed(lambda: rewrite(source, folder / "copy.parquet", keep_order=True)))
            unordered.append(timed(lambda: rewrite(source, folder / "copy.parquet", keep_order=False)))
            cost, answer = discreet(words, folder / "release")
            whole.append(cost)
            about.append(answer)
    ran = best(whole)
    bases = [_sum(best(grouped), best(r)) for r in (rewritten, unordered)]
    table = Table(f"{options.rows:,} rows", ("work", "wall s", "CPU s", "whole / this, wall", "whole / this, CPU"))
    for label, cost in (
        ("group by", best(grouped)),
        ("rewrite, order kept (default)", best(rewritten)),
        ("rewrite, order not kept", best(unordered)),
        ("group by + rewrite, order kept", bases[0]),
        ("group by + rewrite, order not kept", bases[1]),
        ("discreet, whole run", ran),
    ):
        table.add(label, cost.wall, cost.cpu, ran.wall / cost.wall, ran.cpu / cost.cpu)
    memory = max(a["memory"] for a in about)
    stages = Table("stages of the best whole run", ("stage", "wall s"))
    answer = min(about, key=lambda a: a["call"])
    for stage, seconds in answer["seconds"].items():
        stages.add(stage, seconds)
    return Findings(
        __doc__.splitlines()[0],
        [table, stages],
        [
            *(
                f"whole / (group by + rewrite, order {kept}): {ran.wall / base.wall:.2f} by wall, "
                f"{ran.cpu / base.cpu:.2f} by CPU (goal {GOAL_RATIO})"
                for kept, base in zip(("kept", "not kept"), bases, strict=True)
            ),
            f"peak memory {memory / 1e9:.2f} GB (goal below {GOAL_MEMORY / 1e9:.0f} GB)",
            f"loss {answer['loss']:.4f}, {answer['suppressed']:,} rows suppressed, {answer['facts']['nodes_checked']} "
            f"of {answer['facts']['nodes']:,} nodes checked",
        ],
    )


def group_by(source: Path) -> Any:
    """Count the combinations of the 8 columns and fetch them."""
    columns = ", ".join(QUASI_IDENTIFIERS[:8])
    return (
        _connection(keep_order=False).sql(f"SELECT {columns}, count(*) FROM '{source}' GROUP BY ALL").to_arrow_table()
    )


def rewrite(source: Path, target: Path, keep_order: bool) -> None:
    """Copy the table as it is."""
    _connection(keep_order).execute(f"COPY (SELECT * FROM '{source}') TO '{target}' (FORMAT parquet)")


def _connection(keep_order: bool) -> Any:
    connection = duckdb.connect()
    connection.execute(f"SET preserve_insertion_order = {str(keep_order).lower()}")
    return connection


def _sum(one: Cost, other: Cost) -> Cost:
    return Cost(one.wall + other.wall, one.cpu + other.cpu)
