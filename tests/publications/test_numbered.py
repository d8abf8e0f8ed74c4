"""Coarser values with the number of the group: what is read back, and what is not that of its table."""

from __future__ import annotations

import csv
import itertools
import json
import random
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, policy_from_words
from discreet.releases.verify import verify  # without the page, which a forger would have to write anew
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of

Groups = dict[str, list[list[str]]]  # the rows of each number


def table() -> dict[str, list[Any]]:
    chance = random.Random(3)
    return {
        "who": [f"P{i}" for i in range(80)],
        "age": [str(chance.randrange(20, 60)) for _ in range(80)],
        "disease": [chance.choice(["flu", "cold", "HIV", "ulcer", "gout"]) for _ in range(80)],
        "visit": [f"v{i}" for i in range(80)],
    }


def words(*others: str) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "who": {"role": "person"},
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}, "ranges": "values"},
        "disease": {"role": "sensitive"},
    }
    attributes |= {name: {"role": "other"} for name in others}
    require = [{"m_invariance": {"m": 3}}]
    return {"attributes": attributes, "require": require, "publish": "numbered_groups", "suppress": 0.3, "seed": 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anonymize(policy_from_words(words()), tmp_path_factory.mktemp("made") / "release", source=table()).folder


def read(folder: Path) -> tuple[list[str], Groups]:
    with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    groups: Groups = defaultdict(list)
    for row in rows:
        groups[row[-1]].append(row)
    return header, groups


def forged(made: Path, folder: Path, change: Callable[[Groups], None]) -> Path:
    """A copy with some rows changed, and a manifest that fits them."""
    shutil.copytree(made, folder)
    header, groups = read(folder)
    change(groups)
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *(row for rows in groups.values() for row in rows)])
    put_manifest(folder, manifest_of(folder))
    return folder


def labels_exchanged(groups: Groups) -> None:
    """Two groups, as large: nobody with some value of the one is as old as the other."""
    source = list(zip(table()["age"], table()["disease"], strict=True))

    def has(label: str, value: str) -> bool:
        first, _, last = label.partition("-")
        return any(d == value and int(first) <= int(age) <= int(last or first) for age, d in source)

    one, other = next(
        (a, b)
        for a, b in itertools.permutations(groups.values(), 2)
        if len(a) == len(b) and any(not has(b[0][0], row[1]) for row in a)
    )
    first, second = one[0][0], other[0][0]
    for row in one:
        row[0] = second
    for row in other:
        row[0] = first


def values_exchanged(groups: Groups) -> None:
    """Every group of a set of values has another one instead: as even as before."""
    had = {row[1] for row in groups["1"]}
    new = next(value for value in ("flu", "cold", "HIV", "ulcer", "gout") if value not in had)
    old = groups["1"][0][1]
    for row in groups["1"]:
        row[1] = new if row[1] == old else row[1]


@pytest.mark.parametrize("change", [labels_exchanged, values_exchanged])
def test_only_the_table_shows_that_labels_and_values_are_others(
    made: Path, tmp_path: Path, change: Callable[[Groups], None]
) -> None:
    folder = forged(made, tmp_path / "release", change)
    assert not verify(folder).mistakes, "the forgery is too easy"
    found = verify(folder, source=table())
    assert found.kept is False and "no row of the source" in str(found.mistakes[0])
    assert verify(made, source=table()).kept is True


def one_label(groups: Groups) -> None:
    rows = groups["1"]
    rows[0][0] = next(other[0][0] for other in groups.values() if other[0][0] != rows[0][0])


def a_gap(groups: Groups) -> None:
    for row in groups["1"]:
        row[-1] = str(len(groups) + 7)


@pytest.mark.parametrize(
    ("change", "rule"),
    [(one_label, "rows have different quasi-identifiers"), (a_gap, "are not numbered 1, 2, …")],
)
def test_what_is_no_table_of_groups_is_not_read(
    made: Path, tmp_path: Path, change: Callable[[Groups], None], rule: str
) -> None:
    found = verify(forged(made, tmp_path / "release", change))
    assert found.kept is False and rule in "; ".join(map(str, found.mistakes))


def test_groups_that_look_alike_stay_apart_and_are_listed_once(made: Path) -> None:
    _, groups = read(made)
    labels = [rows[0][0] for rows in groups.values()]
    mapping = json.loads((made / "mapping.json").read_text(encoding="utf-8"))
    assert len(mapping["groups"]) == len({*labels}) <= len(labels) == manifest_of(made)["groups"]
    assert all({row[0] for row in rows} == {label} for rows, label in zip(groups.values(), labels, strict=True))


def test_columns_that_are_published_as_they_are_stay_in_their_rows(tmp_path: Path) -> None:
    source = table()
    release = anonymize(policy_from_words(words("visit")), tmp_path / "release", source=source)
    header, groups = read(release.folder)
    assert header == ["age", "disease", "visit", "group"]
    for rows in groups.values():
        for age, disease, visit, _ in rows:
            at = int(visit[1:])
            first, _, last = age.partition("-")
            assert source["disease"][at] == disease and int(first) <= int(source["age"][at]) <= int(last or first)
    assert verify(release, source=source).kept is True
    assert verify(release, source=source | {"visit": [*source["visit"][1:], "v0"]}).kept is False
