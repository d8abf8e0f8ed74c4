"""What do releases of exact values cost, and how does that grow with rows?

Bucketization by ART and by Anatomy on people like Adult's (5 quasi-identifiers, education sensitive), ambiguity on
people like a census's (7 quasi-identifiers, salary sensitive). Each line is a fresh process, from the file to the
checked folder with its report.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from benchmarks.adult import data_folder
from benchmarks.measure import Findings, Options, Table, discreet
from discreet.samples.census import census_like

STAGES = ("scan", "search", "publish", "verify", "report")
ADULT = ("age", "workclass", "marital-status", "occupation", "race")
LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
INVENTED = tuple(c.replace("-", "_") for c in ADULT)
INVENTED_LOW = ("None", "1st-4th", "5th-6th", "7th-8th")
CENSUS_COLUMNS = ("age", "gender", "education", "marital", "race", "workclass", "country")
PEOPLE = ("age", "sex", "education", "marital_status", "race", "workclass", "native_country")
SUPPRESS = 0.02
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)


def measure(options: Options) -> Findings:
    """Real tables where there are any, then invented ones of growing size."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        tables = [_growth(folder, options.rows)]
        if data_folder() is not None:
            tables.insert(0, _real(folder))
    return Findings(__doc__.splitlines()[0], tables, ["every release was read back and every promise judged again"])


def _real(folder: Path) -> Table:
    table = _table("Adult (45,222 complete rows) and the census (500,000 rows)", "release")
    adult = data_folder() / "adult" / "adult.csv"  # type: ignore[operator]
    complete = f"SELECT * FROM read_csv('{adult}', all_varchar = true) WHERE COLUMNS(*) <> '?'"
    people = duckdb.sql(complete).to_arrow_table()
    for promise, require, suppress in (
        ("ART, r = 10, low education", {"robust": {"r": 10, "values": [list(LOW)]}}, SUPPRESS),
        ("ART, r = 2, low education", {"robust": {"r": 2, "values": [list(LOW)]}}, SUPPRESS),
        # Of every fifteenth person more than half of the people like him have his value: nothing can hide that.
        ("ART, r = 2, every education", {"robust": {"r": 2}}, 0.15),
        ("Anatomy, l = 2", {"l_diversity": {"l": 2, "kind": "frequency"}}, SUPPRESS),
    ):
        _add(table, promise, _publish(folder, people, ADULT, "education", "bucketization", require, suppress))
    census = data_folder() / "census" / "sal500k.csv.gz"  # type: ignore[operator]
    people = duckdb.sql(f"SELECT * FROM read_csv('{census}', all_varchar = true)").to_arrow_table()
    for alpha in (0.1, 0.01, 0.001):
        ambiguity = {"ambiguity": {"alpha": alpha, "beta": 0.2}}
        _add(
            table,
            f"ambiguity, α = {alpha}, β = 0.2",
            _publish(folder, people, CENSUS_COLUMNS, "salary", "ambiguity", ambiguity),
        )
    return table


def _growth(folder: Path, most: int) -> Table:
    table = _table("invented people", "release")
    for kind, columns, sensitive, publish, require in (
        ("ART, r = 10", INVENTED, "education", "bucketization", {"robust": {"r": 10, "values": [list(INVENTED_LOW)]}}),
        ("Anatomy, l = 2", INVENTED, "education", "bucketization", {"l_diversity": {"l": 2, "kind": "frequency"}}),
        ("ambiguity, α = 0.1, β = 0.2", PEOPLE, "salary", "ambiguity", {"ambiguity": {"alpha": 0.1, "beta": 0.2}}),
    ):
        for rows in (n for n in SIZES if n <= most):
            people = census_like(rows, columns=[*columns, sensitive])
            _add(table, f"{kind}: {rows:,} rows", _publish(folder, people, columns, sensitive, publish, require))
    return table


def _table(title: str, first: str) -> Table:
    return Table(title, (first, *STAGES, "whole wall s", "CPU s", "peak MB", "groups", "suppressed"))


def _publish(
    folder: Path,
    people: pa.Table,
    columns: tuple[str, ...],
    sensitive: str,
    publish: str,
    require: object,
    suppress: float = SUPPRESS,
) -> dict[str, Any]:
    policy = words(folder, people, columns, sensitive, publish, require, suppress)
    cost, answer = discreet(policy, folder / "release")
    return answer | {"cost": cost}


def words(
    folder: Path,
    people: pa.Table,
    columns: tuple[str, ...],
    sensitive: str,
    publish: str,
    require: object,
    suppress: float = SUPPRESS,
) -> dict[str, object]:
    """A policy for these columns of a table, which is put into the folder."""
    source = folder / "people.parquet"
    parquet.write_table(people.select([*columns, sensitive]), source)
    return {
        "source": str(source),
        "attributes": {c: {"role": "quasi_identifier"} for c in columns} | {sensitive: {"role": "sensitive"}},
        "require": [require],
        "publish": publish,
        "suppress": suppress,
        "format": "parquet",
        "seed": 7,
    }


def _add(table: Table, first: str, answer: dict[str, Any]) -> None:
    seconds, cost = answer["seconds"], answer["cost"]
    memory = round(answer["memory"] / 1e6)
    table.add(first, *(seconds[s] for s in STAGES), cost.wall, cost.cpu, memory, answer["groups"], answer["suppressed"])
