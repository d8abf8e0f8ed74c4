"""A year of monthly tables about the same people: what do twelve releases tell together, and what does a chain cost?

Invented patients (`discreet.samples.hospital`): each month 5% leave and as many are new; some of those who left come
back. Three ways to publish them: twelve releases that each keep 3-diversity and know nothing of each other, and two
chains with `m_invariance: {m: 3}`, of exact values apart and of coarser values with the number of the group. An
outsider, who shares no code with the product, reads the files and intersects the values of all groups that somebody may
have stood in, month by month, by exact quasi-identifiers; she counts those of whom one value is left, and those of whom
fewer are left than promised. People whose quasi-identifiers nobody shares are told apart, since of them she knows the
group for certain. Of coarser values she takes every group whose labels hold a person for possible, and is told who was
held back. The cost: rows held back, and COUNT queries on the files.
"""

from __future__ import annotations

import csv
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.measure import Findings, Options, Table
from discreet import anonymize, apply, policy_from_words
from discreet.releases.queries import query_error_of
from discreet.samples.hospital import patients

PEOPLE, MONTHS, M, TURNOVER = 4_000, 12, 3, 0.05
QUASI_IDENTIFIERS = ("age", "sex", "zip", "nation")
APART = "twelve releases, 3-diverse each"
CHAINS = {"a chain, 3-invariant": "bucketization", "the same, coarser values": "numbered_groups"}
Months = list[pa.Table]


def measure(options: Options) -> Findings:
    """Both ways on the same months."""
    told = months(min(options.rows, PEOPLE))
    columns = (
        "way",
        "held back, %",
        "COUNT off by, %",
        "s a release",
        "one value left",
        "of those alone",
        "fewer than 3",
    )
    table = Table(f"{told[0].num_rows:,} people, {MONTHS} months, {TURNOVER:.0%} leave and join", columns)
    says = []
    with TemporaryDirectory() as name:
        for way in (APART, *CHAINS):
            begun = time.perf_counter()
            folders, held = published(Path(name) / CHAINS.get(way, "apart"), told, CHAINS.get(way))
            seconds = (time.perf_counter() - begun) / MONTHS
            errors = [query_error_of(f, t, count=2_000).median for f, t in zip(folders, told, strict=True)]
            one, alone, fewer, lone = attacked(folders, told)
            table.add(way, 100 * held, 100 * sum(e or 0 for e in errors) / MONTHS, seconds, one, alone, fewer)
            says.append(f"{way}: one value left of {one:,} people, {alone:,} of the {lone:,} alone with theirs")
    return Findings(__doc__.splitlines()[0], [table], says)


def months(people: int, seed: int = 7) -> Months:
    """The table of each month."""
    chance = random.Random(seed)
    everybody = patients(2 * people, seed).select(["patient", *QUASI_IDENTIFIERS, "disease"])
    here, gone, coming = [*range(people)], [], [*range(people, 2 * people)]
    told = []
    for _ in range(MONTHS):
        told.append(everybody.take(pa.array(here)))
        leaves = set(chance.sample(here, round(TURNOVER * people)))
        back = [gone.pop(chance.randrange(len(gone))) for _ in range(min(len(gone), len(leaves) // 10))]
        joins = [coming.pop() for _ in range(len(leaves) - len(back))]
        gone += sorted(leaves)
        here = [i for i in here if i not in leaves] + back + joins
    return told


def published(folder: Path, told: Months, chain: str | None) -> tuple[list[Path], float]:
    """The folders of all releases, in a chain that is published so or by themselves, and the share held back."""
    promise = {"m_invariance": {"m": M}} if chain else {"l_diversity": {"l": M, "kind": "frequency"}}
    attributes: dict[str, Any] = {name: {"role": "quasi_identifier"} for name in QUASI_IDENTIFIERS}
    attributes |= {"patient": {"role": "person"}, "disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "require": [promise], "publish": chain or "bucketization", "suppress": 0.2}
    folders: list[Path] = []
    rows = held = 0
    for i, table in enumerate(told):
        target = folder / f"month{i}"
        if chain and folders:
            made = apply(folders, table, target, seed=i)
        else:
            made = anonymize(policy_from_words(words | {"seed": i}), target, source=table)
        folders.append(made.folder)
        rows += made.manifest["rows"]["source"]
        held += made.manifest["rows"]["suppressed"]
    return folders, held / rows


def attacked(folders: list[Path], told: Months) -> tuple[int, int, int, int]:
    """Of how many people one value is left, of how many of those who are alone with their values, and of how many fewer
    than promised; and how many are alone. Only months count in which everybody with the same values is published."""
    left: dict[str, set[str]] = {}
    alone: dict[str, bool] = {}
    for folder, table in zip(folders, told, strict=True):
        names = table["patient"].to_pylist()
        if (folder / "data.csv").exists():
            for name, possible in _by_labels(folder, table):
                left[name] = left.get(name, possible) & possible
                alone[name] = False
            continue
        groups, rows = _read(folder)
        own = list(zip(*(table[name].to_pylist() for name in QUASI_IDENTIFIERS), strict=True))
        many = Counter(own)
        for name, values in zip(names, own, strict=True):
            key = tuple("" if v is None else v for v in values)
            alone[name] = alone.get(name, True) and many[values] == 1
            if len(rows[key]) == many[values]:
                possible = set().union(*(groups[g] for g in rows[key]))
                left[name] = left.get(name, possible) & possible
    one = sum(len(values) == 1 for values in left.values())
    few = sum(len(values) < M for values in left.values())
    lone = [name for name in left if alone[name]]
    return one, sum(len(left[name]) == 1 for name in lone), few, len(lone)


def _read(folder: Path) -> tuple[dict[str, set[str]], dict[tuple[str, ...], list[str]]]:
    """The values of each group, and the groups in which each combination stands."""
    groups: dict[str, set[str]] = defaultdict(set)
    rows: dict[tuple[str, ...], list[str]] = defaultdict(list)
    with (folder / "sensitive.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            groups[row["group"]].add(row["disease"])
    with (folder / "quasi_identifiers.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[tuple(row[name] for name in QUASI_IDENTIFIERS)].append(row["group"])
    return groups, rows


def _by_labels(folder: Path, table: pa.Table) -> Iterator[tuple[str, set[str]]]:
    """Of everybody who was published, the values of all groups whose labels hold the person."""
    labels: dict[str, tuple[str, ...]] = {}
    values: dict[str, set[str]] = defaultdict(set)
    with (folder / "data.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            labels[row["group"]] = tuple(row[name] for name in QUASI_IDENTIFIERS)
            values[row["group"]].add(row["disease"])
    said = json.loads((folder.with_name(f"{folder.name}.private") / "ledger.json").read_text())
    here = {name for name, at in zip(said["people"], said["latest"], strict=True) if at >= 0}
    fits = np.ones((table.num_rows, len(labels)), dtype=np.bool_)
    for d, column in enumerate(QUASI_IDENTIFIERS):
        own = table[column].to_pylist()
        texts, known = [*dict.fromkeys(label[d] for label in labels.values())], [*dict.fromkeys(own)]
        held = np.array([[_holds(text, value) for text in texts] for value in known])
        places = [texts.index(label[d]) for label in labels.values()]
        fits &= held[[known.index(value) for value in own]][:, places]
    sets = [values[group] for group in labels]
    for name, row in zip(table["patient"].to_pylist(), fits, strict=True):
        if name in here:
            assert row.any(), "a label that is not understood"
            yield name, set().union(*(sets[g] for g in np.flatnonzero(row).tolist()))


def _holds(text: str, value: str | None) -> bool:
    """Does a published text hold a value: the same, a range of numbers, nothing or anything?"""
    if text.startswith("{"):
        return any(_holds("" if part == "NULL" else part, value) for part in text[1:-1].split(", "))
    first, _, last = text.partition("-")
    if value and first.isdigit() and last.isdigit():
        return int(first) <= int(value) <= int(last)
    if value and text.startswith(("<", ">=")):
        return int(value) < int(text[1:]) if text[0] == "<" else int(value) >= int(text[2:])
    return text in ("*", value or "")
