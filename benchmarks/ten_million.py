"""Ten million rows × 8 quasi-identifiers from Parquet: how does the whole run compare with just reading and writing?

Just reading and writing is one DuckDB GROUP BY over the same 8 columns (result fetched) and one plain rewrite of the
file, both inside a running process; the whole run is a fresh one, start-up and imports included.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from pyarrow import parquet

from benchmarks.measure import Cost, Findings, Options, Table, best, discreet, timed
from discreet.census_like import QUASI_IDENTIFIERS, census_attributes, census_like

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
        grouped, rewritten, whole, about = [], [], [], []
        for _ in range(options.repeats):
            grouped.append(timed(lambda: group_by(source)))
            rewritten.append(timed(lambda: rewrite(source, folder / "copy.parquet")))
            cost, told = discreet(words, folder / "release")
            whole.append(cost)
            about.append(told)
    table, ratio = _compare(options.rows, best(grouped), best(rewritten), best(whole))
    memory = max(a["memory"] for a in about)
    stages = Table("stages of the best whole run", ("stage", "wall s"))
    told = min(about, key=lambda a: a["call"])
    for stage, seconds in told["seconds"].items():
        stages.add(stage, seconds)
    return Findings(
        __doc__.splitlines()[0],
        [table, stages],
        [
            f"whole / (group by + rewrite): {ratio.wall:.2f} by wall, {ratio.cpu:.2f} by CPU (goal {GOAL_RATIO})",
            f"peak memory {memory / 1e9:.2f} GB (goal below {GOAL_MEMORY / 1e9:.0f} GB)",
            f"loss {told['loss']:.4f}, {told['suppressed']:,} rows suppressed, {told['facts']['nodes_checked']} of "
            f"{told['facts']['nodes']:,} nodes checked",
        ],
    )


def group_by(source: Path) -> Any:
    """Count the combinations of the 8 columns and fetch them."""
    columns = ", ".join(QUASI_IDENTIFIERS[:8])
    return _connection().sql(f"SELECT {columns}, count(*) FROM '{source}' GROUP BY ALL").to_arrow_table()


def rewrite(source: Path, target: Path) -> None:
    """Copy the table as it is."""
    _connection().execute(f"COPY (SELECT * FROM '{source}') TO '{target}' (FORMAT parquet)")


def _connection() -> Any:
    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = false")  # the faster setting: the harder to keep up with
    return connection


def _compare(rows: int, grouped: Cost, rewritten: Cost, whole: Cost) -> tuple[Table, Cost]:
    base = Cost(grouped.wall + rewritten.wall, grouped.cpu + rewritten.cpu)
    table = Table(f"{rows:,} rows", ("work", "wall s", "CPU s", "ratio of wall", "ratio of CPU"))
    for label, cost in (
        ("group by", grouped),
        ("rewrite", rewritten),
        ("group by + rewrite", base),
        ("discreet, whole run", whole),
    ):
        table.add(label, cost.wall, cost.cpu, cost.wall / base.wall, cost.cpu / base.cpu)
    return table, Cost(whole.wall / base.wall, whole.cpu / base.cpu)
