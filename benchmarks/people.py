"""A million visits of 200,000 people: what does it cost to count people instead of rows?

The same visits are published three times by turns, each by a fresh process from Parquet to the checked folder: without
the column that says whose they are, with it, and with it where one person in ten moves (in every row, one of his
quasi-identifiers is somebody else's). Ratios are CPU seconds beside the first. Promising less to people than to rows
would be no gain, so what the releases lose is told beside: groups of five people are coarser than groups of five rows.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.measure import Cost, Findings, Options, Table, best, discreet
from discreet.samples.census import QUASI_IDENTIFIERS, census_attributes, census_like

ROWS = 1_000_000
FEWER = 100_000  # for searches that take longer
VISITS = 9  # of a person at most; five on average
WIDTH = 6  # quasi-identifiers
MOVING = 0.1
GOALS = {"with it, nobody moves": 1.3, "with it, one in ten moves": 2.0}
WITHOUT = "without the column"
DIAGNOSES = 100
PROMISES: dict[str, list[dict[str, Any]]] = {
    "k = 5": [{"k_anonymity": {"k": 5}}],
    "k = 5, entropy 3": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 3, "kind": "entropy"}}],
    "k = 5, chance 1/2": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2, "kind": "frequency"}}],
}
STAGES = ("scan", "search", "publish", "verify", "report")


def measure(options: Options) -> Findings:
    """The optimal generalization of all of them; of fewer, what takes longer."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = min(options.rows, ROWS)
        tables, says = [], []
        write_visits(folder, rows)
        for promise in PROMISES:
            table, ratios = compared(folder, rows, promise, {"suppress": 0.02}, options.repeats)
            tables.append(table)
            says += [f"{promise}, {way}: {ratios[way]:.2f} times (goal {goal})" for way, goal in GOALS.items()]
        rows = min(options.rows, FEWER)
        write_visits(folder, rows)
        for publish in ("multidimensional", "local_recoding"):
            table, ratios = compared(folder, rows, "k = 5", {"publish": publish}, options.repeats)
            tables.append(table)
            says += [f"{publish} of {rows:,} rows, {way}: {ratios[way]:.2f} times" for way in GOALS]
    return Findings(__doc__.splitlines()[0], tables, says)


def compared(
    folder: Path, rows: int, promise: str, more: dict[str, Any], repeats: int
) -> tuple[Table, dict[str, float]]:
    """The three by turns, and how each compares with the first."""
    ways = [WITHOUT, *GOALS]
    costs: dict[str, list[Cost]] = {way: [] for way in ways}
    answers: dict[str, dict[str, Any]] = {}
    for _ in range(repeats):
        for number, way in enumerate(ways):
            cost, answers[way] = discreet(words(folder, number, promise, more), folder / "release")
            costs[way].append(cost)
    columns = ("people", "CPU s", "CPU, ratio", "wall s", *STAGES, "peak MB", "loss", "suppressed", "groups")
    table = Table(f"{more.get('publish', 'optimal')}, {promise}, {rows:,} rows", columns)
    ratios = {way: best(costs[way]).cpu / best(costs[WITHOUT]).cpu for way in ways}
    for way in ways:
        cost, answer = best(costs[way]), answers[way]
        stages = [answer["seconds"][stage] for stage in STAGES]
        of_release = [round(answer["memory"] / 1e6), answer["loss"], answer["suppressed"], answer["groups"]]
        table.add(way, cost.cpu, ratios[way], cost.wall, *stages, *of_release)
    return table, ratios


def words(folder: Path, number: int, promise: str, more: dict[str, Any]) -> dict[str, Any]:
    """The policy for one of the three tables."""
    person: dict[str, Any] = {"patient": {"role": "person"}} if number else {}
    return {
        "source": str(folder / f"visits{number}.parquet"),
        "attributes": census_attributes(WIDTH, ["diagnosis"]) | person,
        "require": PROMISES[promise],
        "format": "parquet",
        **more,
    }


def write_visits(folder: Path, rows: int, seed: int = 7) -> None:
    """Three tables of as many rows: nobody named; people who are the same in every row; one in ten of whom is not.

    Everybody has one to nine visits, as many have each number. Diagnoses are a visit's, the commonest one in 24.
    """
    random = np.random.default_rng(seed)
    visits = random.integers(1, VISITS + 1, size=rows)
    people = int(np.searchsorted(np.cumsum(visits), rows)) + 1
    person = random.permutation(np.repeat(np.arange(people), visits[:people])[:rows])
    shares = 1 / np.arange(10, DIAGNOSES + 10)
    diagnosis = random.choice(DIAGNOSES, size=rows, p=shares / shares.sum())
    names = list(QUASI_IDENTIFIERS[:WIDTH])
    census = census_like(people, seed, names)
    moves = random.random(people) < MOVING
    which = np.where(moves[person], random.integers(WIDTH, size=rows), -1)
    other = random.integers(people, size=rows)
    for number in range(3):
        columns = {}
        for d, name in enumerate(names):
            whose = np.where(which == d, other, person) if number == 2 else person
            columns[name] = census[name].take(pa.array(whose))
        columns["diagnosis"] = pa.array([f"D{value:03}" for value in range(DIAGNOSES)]).take(pa.array(diagnosis))
        if number:
            columns["patient"] = pa.array(person)
        parquet.write_table(pa.table(columns), folder / f"visits{number}.parquet")
