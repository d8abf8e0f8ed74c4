"""Counts from a release lie where it says that they do, whatever the original table was."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet import anonymize, policy_from_words
from discreet.publications.meanings import ranges_of
from discreet.report.release import ReleaseData
from discreet.report.sections.error_bars import ErrorBar

HIERARCHIES: dict[str, object] = {
    "intervals": {"intervals": [5, 20], "top": 60, "bottom": 22},
    "decimals": {"intervals": [2.5, 10], "top": 60},
    "cuts": {"cuts": [[25, 30, 45], [30]]},
    "quantiles": {"quantiles": 4},
}


def table(seed: int, decimals: bool = False) -> dict[str, list[Any]]:
    chance = random.Random(seed)
    ages = [chance.randint(18, 70) + (chance.choice([0, 0.5]) if decimals else 0) for _ in range(80)]
    nations = [chance.choice(["Spain", "France", "Peru", "Brazil"]) for _ in ages]
    return {"age": ages, "nation": nations, "illness": [chance.choice("abcd") for _ in ages]}


def policy(publish: str, age: object, k: int, **more: object) -> Any:
    nation = {"taxonomy": [["Spain", "Europe"], ["France", "Europe"], ["Peru", "America"], ["Brazil", "America"]]}
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": age},
        "nation": {"role": "quasi_identifier", "hierarchy": nation},
        "illness": {"role": "sensitive"},
    }
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": k}}], "publish": publish, "seed": 1}
    return policy_from_words(words | more)


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding"])
@pytest.mark.parametrize("rule", HIERARCHIES)
@pytest.mark.parametrize("k", [2, 5, 12])
def test_whoever_is_surely_in_a_range_is_and_whoever_cannot_be_is_not(
    publish: str, rule: str, k: int, tmp_path: Path
) -> None:
    """By the ranges of the release alone; compared with what the labels mean on the values of the table."""
    rows = table(k, decimals=rule == "decimals")
    anonymize(policy(publish, HIERARCHIES[rule], k), tmp_path / "r", source=rows)
    mapping = json.loads((tmp_path / "r" / "mapping.json").read_text(encoding="utf-8"))
    for name, values in [("age", rows["age"]), ("nation", rows["nation"])]:
        entries = list({entry["text"]: entry["parts"] for entry in mapping["texts"][name]}.items())
        low, high = ranges_of([parts for _, parts in entries], name, mapping["hierarchies"][name])
        # What the texts mean for the values of the table, by a second reading together with these values as texts.
        texts = sorted({f"{v:g}" if isinstance(v, float) else str(v) for v in values})
        all_low, all_high = ranges_of(
            [*(parts for _, parts in entries), *([[0, text]] for text in texts)], name, mapping["hierarchies"][name]
        )
        points = all_low[len(entries) :]
        meant = [set(points[(points >= a) & (points <= b)].tolist()) for a, b in zip(all_low, all_high, strict=True)]
        for i in range(len(entries)):
            for j in range(len(entries)):
                if high[i] < low[j] or low[i] > high[j]:
                    assert not meant[i] & meant[j], (entries[i], entries[j])
                if low[i] >= low[j] and high[i] <= high[j]:
                    assert meant[i] <= meant[j], (entries[i], entries[j])


def bars(data: ReleaseData) -> dict[tuple[str, ...], ErrorBar]:
    return {bar.columns: bar for bar in data.error_bars}


def test_values_that_exclude_each_other_are_counted_exactly(tmp_path: Path) -> None:
    release = anonymize(policy("generalization", HIERARCHIES["intervals"], 5), tmp_path / "r", source=table(1))
    assert {bar.largest for bar in release.report.error_bars} == {0.0}
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "by published values of age and nation are exact" in page


@pytest.mark.parametrize("rule", HIERARCHIES)
def test_a_column_of_nothing_but_stars_is_counted_exactly(rule: str, tmp_path: Path) -> None:
    rows = table(1, decimals=rule == "decimals")
    chosen = policy("multidimensional", HIERARCHIES[rule], 80, search="instant", summary="exact")
    release = anonymize(chosen, tmp_path / "r", source=rows)
    assert {bar.largest for bar in release.report.error_bars} == {0.0}


def test_tables_apart_leave_a_range_that_no_deal_of_values_leaves(tmp_path: Path) -> None:
    """However the values of each group are dealt out, the count is between the bounds; some deal reaches each."""
    words = {"require": [{"l_diversity": {"l": 2, "kind": "frequency"}}]}
    release = anonymize(policy("bucketization", {"flat": True}, 2, **words), tmp_path / "r", source=table(7))
    people, values = (
        list(csv.DictReader((tmp_path / "r" / f"{table}.csv").read_text(encoding="utf-8").splitlines()))
        for table in ("quasi_identifiers", "sensitive")
    )
    widths = []
    for nation in {row["nation"] for row in people}:
        for illness in {row["illness"] for row in values}:
            least = most = 0
            for group in {row["group"] for row in people}:
                having = [row["nation"] == nation for row in people if row["group"] == group]
                ill = sorted(row["illness"] == illness for row in values if row["group"] == group)
                best = sorted(having)
                most += sum(a and b for a, b in zip(best, ill, strict=True))
                least += sum(a and b for a, b in zip(best, reversed(ill), strict=True))
            widths.append(most - least)
    bar = bars(release.report)["nation", "illness"]
    assert bar.largest == pytest.approx(max(widths) / 2 / len(people))
    assert bar.mean == pytest.approx(np.mean(widths) / 2 / len(people))
