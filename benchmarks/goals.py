"""Are the goals of speed met? Every one of them, one after the other, on this machine, in one sitting.

DISCREET_BEFORE may name the `src` of an older checkout, which then does each piece of work first. Both keep what they
compile in a folder of their own, filled by the first line. A goal is CPU seconds of the whole command unless it says
otherwise. The tests have goals as well, which take their own time: `time make check`, `time make test`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from benchmarks import exact_values, first_run, ten_million
from benchmarks.adult import _taxonomy, adult, data_folder
from benchmarks.audit_speed import COLUMNS, INVENTED, KINDS, SALARY
from benchmarks.engines import beside
from benchmarks.measure import ROOT, Cost, Findings, Options, Table, best, discreet, run, timed
from discreet.samples.census import CENSUS, QUASI_IDENTIFIERS, census_attributes, census_like

K5: dict[str, object] = {"k_anonymity": {"k": 5}}
MILLION = 1_000_000
# Adult's other columns, in a policy of all fifteen; a hierarchy for each that the reference has none for.
NUMBERS = {
    "education-num": {"intervals": [2, 4, 8]},
    "hours-per-week": {"intervals": [5, 10, 20, 40]},
    "capital-gain": {"quantiles": 4},
    "capital-loss": {"quantiles": 4},
    "fnlwgt": {"quantiles": 6},
}
DEMO_MB = "make demo from a fresh clone: MB installed"
Measured = Iterator[tuple[str, float | None]]

# What is measured, and what it may be at most; None where it only has to stay the same.
GOALS: dict[str, float | None] = {
    "make setup: all kernels compiled, by two processes, wall s": first_run.SETUP,
    **{f"first run of the sample, {kind}": goal for kind, (_, _, goal, _) in first_run.KINDS.items()},
    **{f"later run of the sample, {kind}": goal for kind, (_, _, _, goal) in first_run.KINDS.items()},
    "later run, Adult": first_run.ADULT,
    "make demo from a fresh clone: wall s": 25,
    DEMO_MB: 650,
    "optimal search beside ARX's least CPU: median ratio": 0.12,
    "optimal search beside ARX's least CPU: worst ratio": 0.5,
    "audit of 500,000 rows with source: generalization": 8,
    "audit of 500,000 rows with source: bucketization": 8,
    "ART, r = 10, 1 million rows: the search, s": 15,
    "local recoding, Adult, 15 columns": 20,
    "local recoding, Adult, 15 columns: loss": None,
    "local recoding, 1 million rows": 25,
    "local recoding, 1 million rows: loss": None,
    "mapping.json, 1 million rows, multidimensional: MB": 3,
    "instant of a file beside the optimal search, 1 million rows: ratio": None,
    "PostgreSQL, 1 million rows: beside its own GROUP BY and CREATE TABLE AS": 2,
    "10 million rows beside GROUP BY + rewrite, order kept: wall": 1.8,
    "10 million rows beside GROUP BY + rewrite, order kept: CPU": 1.5,
    "10 million rows: the report's share of the wall time": 0.05,
    "50 million rows, DISCREET_MEMORY=2GB: peak GB": 2,
}


@dataclass(frozen=True)
class Checkout:
    """Code to be measured, and where it keeps what it compiles."""

    label: str
    source: Path
    cache: str

    @property
    def environment(self) -> dict[str, str]:
        """What a process must be told to run this code."""
        return {"PYTHONPATH": str(self.source), "NUMBA_CACHE_DIR": self.cache}

    def publish(self, words: dict[str, object], out: Path, **environment: str) -> tuple[Cost, dict[str, Any]]:
        """Publish in a fresh process."""
        return discreet(words, out, **self.environment, **environment)


@dataclass(frozen=True)
class Bench:
    """Where to measure, how often, and how large the largest table may be."""

    folder: Path
    repeats: int
    rows: int


def measure(options: Options) -> Findings:
    """Each piece of work by both checkouts, one after the other."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # for the user who runs PostgreSQL
        checkouts = [Checkout("now", ROOT / "src", str(folder / "now"))]
        if before := os.environ.get("DISCREET_BEFORE"):
            checkouts.insert(0, Checkout("before", Path(before), str(folder / "before")))
        values: dict[str, dict[str, float | None]] = {what: {} for what in GOALS}
        says = []
        for part in PARTS:
            for checkout in checkouts:
                bench = Bench(folder, options.repeats, options.rows)
                try:
                    for what, value in part(checkout, bench):
                        values[what][checkout.label] = value
                        print(f"   {checkout.label}: {what}: {value}", flush=True)
                except RuntimeError as error:
                    says.append(f"{checkout.label}: {part.__name__.strip('_')} did not finish: {str(error)[-300:]}")
    return Findings(__doc__.splitlines()[0], [_table(values, [c.label for c in checkouts])], says)


def _table(values: Mapping[str, Mapping[str, float | None]], labels: list[str]) -> Table:
    table = Table("at most", ("what", *labels, "goal", "met"))
    for what, goal in GOALS.items():
        now = values[what].get("now")
        table.add(
            what,
            *(values[what].get(label) for label in labels),
            goal,
            None if now is None or goal is None else now <= goal,
        )
    return table


def _set_up(checkout: Checkout, bench: Bench) -> Measured:
    compiled = run([sys.executable, "-m", "discreet.run.warm_up"], **checkout.environment).check()
    yield "make setup: all kernels compiled, by two processes, wall s", compiled.cost.wall


def _runs(checkout: Checkout, bench: Bench) -> Measured:
    policies = first_run.policies(bench.folder)
    for kind, policy in policies.items():
        later = max(bench.repeats, 5)
        _, cold, warm = first_run.runs(policy, bench.folder / "release", checkout.source, later)
        if kind == "Adult":
            yield "later run, Adult", median(c.cpu for c in warm)
        else:
            yield f"first run of the sample, {kind}", cold.cpu
            yield f"later run of the sample, {kind}", median(c.cpu for c in warm)


def _demo(checkout: Checkout, bench: Bench) -> Measured:
    clone = bench.folder / f"clone of {checkout.label}"
    run(["git", "clone", "--quiet", checkout.source.parent, clone]).check()
    # Not by what this process was told of its own environment, but as somebody would who has just cloned it.
    shed = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "MAKEFLAGS", "PYTHONPATH")}
    cost = timed(lambda: subprocess.run(["make", "demo"], cwd=clone, env=shed, check=True, capture_output=True))
    yield "make demo from a fresh clone: wall s", cost.wall
    installed = sum(file.lstat().st_blocks * 512 for file in (clone / ".venv").rglob("*") if file.is_file())
    yield DEMO_MB, installed / 1e6


def _arx(checkout: Checkout, bench: Bench) -> Measured:
    root = checkout.source.parent
    command = [sys.executable, "-m", "benchmarks", "arx_optima", "--repeats", str(bench.repeats)]
    run(command, folder=root, **checkout.environment).check()
    kept = json.loads((root / "benchmarks" / "results" / "arx_optima.json").read_text(encoding="utf-8"))
    ratios = [row["ratio"] for row in kept["tables"][0]["rows"] if row["ratio"] is not None]
    if ratios:
        yield "optimal search beside ARX's least CPU: median ratio", median(ratios)
        yield "optimal search beside ARX's least CPU: worst ratio", max(ratios)


def _audits(checkout: Checkout, bench: Bench) -> Measured:
    source = bench.folder / "census.parquet"
    people, hierarchies = _census()
    parquet.write_table(people, source)
    quasi = {name: {"role": "quasi_identifier", "hierarchy": h} for name, h in hierarchies.items()}
    for kind in ("generalization", "bucketization"):
        words: dict[str, object] = {
            "source": str(source),
            "attributes": quasi | {SALARY: {"role": "sensitive"}},
            "require": KINDS[kind],
            "publish": kind,
            "suppress": 0.05,
            "seed": 7,
        }
        release = bench.folder / f"{kind} of {checkout.label}"
        checkout.publish(words, release)
        page = ("-o", release.with_suffix(".html"))
        command = [sys.executable, "-m", "discreet", "audit", release, "--source", source, "--json", *page]
        costs = []
        for _ in range(min(bench.repeats, 2)):
            ran = run(command, **checkout.environment)
            ran.json()  # a promise that is not kept ends it with 1, which is an answer, too
            costs.append(ran.cost)
        yield f"audit of 500,000 rows with source: {kind}", best(costs).cpu


def _census() -> tuple[pa.Table, dict[str, object]]:
    folder = data_folder()
    if folder is None:
        table = census_like(500_000, columns=[*INVENTED, SALARY])
        texts = pa.table({c: table[c].cast("string") for c in table.column_names})
        return texts, {c: CENSUS[c].hierarchy for c in INVENTED}
    read = f"SELECT * FROM read_csv('{folder / 'census' / 'sal500k.csv.gz'}', all_varchar = true)"
    hierarchies: dict[str, object] = {c: _taxonomy(folder / "census" / "hierarchies" / f"{c}.csv") for c in COLUMNS}
    return duckdb.sql(read).to_arrow_table().select([*hierarchies, SALARY]), hierarchies


def _art(checkout: Checkout, bench: Bench) -> Measured:
    promise = {"robust": {"r": 10, "values": [list(exact_values.INVENTED_LOW)]}}
    for rows in (10_000, MILLION):  # what the first still has to compile does not count
        people = census_like(rows, columns=[*exact_values.INVENTED, "education"])
        words = exact_values.words(bench.folder, people, exact_values.INVENTED, "education", "bucketization", promise)
        _, answer = checkout.publish(words, bench.folder / "release")
    yield "ART, r = 10, 1 million rows: the search, s", answer["seconds"]["search"]


def _fifteen_columns(checkout: Checkout, bench: Bench) -> Measured:
    folder = data_folder()
    if folder is not None:
        source = folder / "adult" / "adult.csv"
        known = {
            c: _taxonomy(folder / "adult" / "hierarchies" / f"{c}.csv") for c in (*adult().columns, "relationship")
        }
        attributes: dict[str, object] = {
            name: {"role": "quasi_identifier", "hierarchy": h} for name, h in {**known, **NUMBERS}.items()
        }
        attributes |= {"income": {"role": "sensitive"}}
        complete = f"SELECT * FROM read_csv('{source}', all_varchar = true) WHERE COLUMNS(*) <> '?' AND part = 'train'"
        people = bench.folder / "adult.parquet"
        parquet.write_table(duckdb.sql(complete).to_arrow_table(), people)
        words = {"source": str(people), "attributes": attributes, "require": [K5], "publish": "local_recoding"}
        cost, answer = checkout.publish(words, bench.folder / "release")
        yield "local recoding, Adult, 15 columns", cost.cpu
        yield "local recoding, Adult, 15 columns: loss", answer["loss"]


def _million(checkout: Checkout, bench: Bench) -> Measured:
    people = bench.folder / "million.parquet"
    parquet.write_table(census_like(MILLION), people)
    words = _of_census(people) | {"publish": "local_recoding"}
    cost, answer = checkout.publish(words, bench.folder / "release")
    yield "local recoding, 1 million rows", cost.cpu
    yield "local recoding, 1 million rows: loss", answer["loss"]
    checkout.publish(words | {"publish": "multidimensional"}, bench.folder / "release")
    mapping = (bench.folder / "release" / "mapping.json").stat().st_size
    yield "mapping.json, 1 million rows, multidimensional: MB", mapping / 1e6
    searches = ("instant", "optimal")
    costs = {search: checkout.publish(words | _by(search), bench.folder / "release")[0].cpu for search in searches}
    yield "instant of a file beside the optimal search, 1 million rows: ratio", costs["instant"] / costs["optimal"]


def _by(search: str) -> dict[str, object]:
    return {"publish": "generalization", "search": search, "suppress": 0.02}


def _postgresql(checkout: Checkout, bench: Bench) -> Measured:
    source = bench.folder / "million.parquet"
    parquet.write_table(census_like(MILLION), source)
    by_work, whole, _ = beside("postgresql", source, bench.folder, bench.repeats, **checkout.environment)
    own = by_work["group by"].cpu + by_work["join"].cpu
    yield "PostgreSQL, 1 million rows: beside its own GROUP BY and CREATE TABLE AS", whole.cpu / own


def _ten_million(checkout: Checkout, bench: Bench) -> Measured:
    source = bench.folder / "ten million.parquet"
    if not source.exists():
        parquet.write_table(census_like(min(10 * MILLION, bench.rows)), source)
    words = _of_census(source) | {"suppress": 0.02}
    own, whole, shares = list[Cost](), list[Cost](), list[float]()
    for _ in range(bench.repeats):
        grouped = timed(lambda: ten_million.group_by(source))
        copied = timed(lambda: ten_million.rewrite(source, bench.folder / "copy.parquet", keep_order=True))
        own.append(Cost(grouped.wall + copied.wall, grouped.cpu + copied.cpu))
        cost, answer = checkout.publish(words, bench.folder / "release")
        whole.append(cost)
        shares.append(answer["seconds"]["report"] / cost.wall)
    yield "10 million rows beside GROUP BY + rewrite, order kept: wall", best(whole).wall / best(own).wall
    yield "10 million rows beside GROUP BY + rewrite, order kept: CPU", best(whole).cpu / best(own).cpu
    yield "10 million rows: the report's share of the wall time", min(shares)


def _fifty_million(checkout: Checkout, bench: Bench) -> Measured:
    if bench.rows < 50 * MILLION:
        return
    source = bench.folder / "fifty.parquet"
    if not source.exists():
        with parquet.ParquetWriter(source, census_like(1).schema) as writer:
            for seed in range(10):
                writer.write_table(census_like(5 * MILLION, seed))
    words = _of_census(source) | {"suppress": 0.02}
    _, answer = checkout.publish(words, bench.folder / "release", DISCREET_MEMORY="2GB")
    yield "50 million rows, DISCREET_MEMORY=2GB: peak GB", answer["memory"] / 1e9


def _of_census(source: Path) -> dict[str, object]:
    attributes = census_attributes(len(QUASI_IDENTIFIERS[:8]))
    return {"source": str(source), "attributes": attributes, "require": [K5], "format": "parquet", "seed": 7}


PARTS: tuple[Callable[[Checkout, Bench], Measured], ...] = (
    _set_up,
    _runs,
    _demo,
    _arx,
    _audits,
    _art,
    _fifteen_columns,
    _million,
    _postgresql,
    _ten_million,
    _fifty_million,
)
