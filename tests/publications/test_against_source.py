"""A release that is not its table's is found out, however right its fingerprints are."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import DiscreetError, anonymize, apply, policy_from_words
from discreet.publications.source import assignment_kernels
from discreet.releases.verify import verify
from tests.releases.making import Columns, planned, put_manifest
from tests.releases.making import release as release_of
from tests.releases.reading import Row, can_stem_from, manifest_of

RECODED = ["generalization", "multidimensional", "local_recoding"]
Rows = list[list[str]]


def table(seed: int = 1, rows: int = 90) -> dict[str, list[Any]]:
    chance = random.Random(seed)
    return {
        "age": [str(chance.randrange(20, 60)) for _ in range(rows)],
        "zip": [chance.choice(["4790", "4791", "4801", "5101"]) for _ in range(rows)],
        "disease": [chance.choice(["flu", "cold", "HIV", "ulcer"]) for _ in range(rows)],
    }


def words(publish: str, **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [3, 1]}},
        "disease": {"role": "sensitive"},
    }
    apart = [{"l_diversity": {"l": 2, "kind": "frequency"}}]
    require = {"bucketization": apart, "ambiguity": [{"ambiguity": {"alpha": 0.9, "beta": 0.5}}]}
    return {
        "attributes": attributes,
        "require": require.get(publish, [{"k_anonymity": {"k": 4}}]),
        "suppress": 0.05 if publish in RECODED else 0.5,
        "publish": publish,
        "seed": 1,
        **more,
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("made")
    kinds = [*RECODED, "bucketization", "ambiguity"]
    return {kind: anonymize(policy_from_words(words(kind)), folder / kind, source=table()).folder for kind in kinds}


def read(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def write(path: Path, rows: Rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def forged(made: Path, folder: Path, change: Callable[[Rows], None], file: str = "data.csv") -> Path:
    """A copy with some rows changed, and a manifest that says what `verify` wants to hear of them."""
    folder = Path(shutil.copytree(made, folder))
    rows = read(folder / file)
    change(rows)
    write(folder / file, rows)
    manifest = manifest_of(folder)
    if "table" in manifest:
        groups = Counter(tuple(row[:2]) for row in rows[1:])
        manifest["groups"], manifest["smallest_group"] = len(groups), min(groups.values())
        manifest["rows"]["published"] = len(rows) - 1
        manifest["rows"]["suppressed"] = manifest["rows"]["source"] - len(rows) + 1
        manifest["rows"]["limit"] = manifest["rows"]["source"]
        for promise in manifest["promises"]:
            promise["level"] = promise["deciding_group"] = min(groups.values())
    put_manifest(folder, manifest)
    return folder


def other_value(rows: Rows) -> None:
    """A disease that is not that person's, where nobody who could stand for it is left."""
    group = max(Counter(tuple(row[:2]) for row in rows[1:]).items(), key=lambda found: found[1])[0]
    row = next(row for row in rows[1:] if tuple(row[:2]) == group)
    row[2] = next(d for d in ("flu", "cold", "HIV", "ulcer") if d != row[2])


def strange_value(rows: Rows) -> None:
    rows[1][2] = "plague"


def untrue_label(rows: Rows) -> None:
    groups = Counter(tuple(row[:2]) for row in rows[1:])
    largest = max(groups, key=lambda group: groups[group])
    other = next(group for group in groups if group != largest)
    row = next(row for row in rows[1:] if tuple(row[:2]) == largest)
    row[:2] = other


def doubled(rows: Rows) -> None:
    rows.append(rows[1])


def one_for_another(rows: Rows) -> None:
    """A row is lost and another one doubled, so that the number is right."""
    group = next(group for group, n in Counter(tuple(row[:2]) for row in rows[1:]).items() if n > 4)
    own = [row for row in rows[1:] if tuple(row[:2]) == group]
    rows.remove(own[0])
    rows.append(next(row for row in own if row[2] != own[0][2]))


def swapped(rows: Rows) -> None:
    first = rows[1]
    other = next(row for row in rows[1:] if row[:2] != first[:2] and row[2] != first[2])
    first[2], other[2] = other[2], first[2]


@pytest.mark.parametrize("publish", RECODED)
@pytest.mark.parametrize("change", [other_value, strange_value, untrue_label, doubled, one_for_another, swapped])
def test_right_fingerprints_don_t_hide_rows_that_the_table_has_not(
    made: dict[str, Path], tmp_path: Path, publish: str, change: Callable[[Rows], None]
) -> None:
    folder = forged(made[publish], tmp_path / "release", change)
    if change is not doubled:  # of which the number of rows tells, unless one is suppressed
        assert verify(folder).kept, "the forgery is too easy"
    found = verify(folder, source=table())
    assert not found.kept
    assert any((m.place == "data.csv" and "source" in m.rule) or "don't add up" in m.rule for m in found.mistakes)


@pytest.mark.parametrize("publish", RECODED)
def test_a_lost_row_is_found_out(made: dict[str, Path], tmp_path: Path, publish: str) -> None:
    """Whoever says that the table had one row less is told how many it has."""

    def lose(rows: Rows) -> None:
        groups = Counter(tuple(row[:2]) for row in rows[1:])
        rows.remove(max(rows[1:], key=lambda row: groups[tuple(row[:2])]))

    folder = forged(made[publish], tmp_path / "release", lose)
    manifest = manifest_of(folder)
    rows = manifest["rows"]
    rows["source"], rows["suppressed"] = rows["source"] - 1, rows["suppressed"] - 1
    put_manifest(folder, manifest)
    assert verify(folder).kept
    assert "source: has 90 rows, but the release was made from 89" in str(verify(folder, source=table()).mistakes[0])


def test_values_that_nobody_in_their_group_has_are_found_out(tmp_path: Path) -> None:
    source = {"zip": list("aabbccdd"), "s": list("12123434")}
    groups = [0, 0, 0, 0, 1, 1, 1, 1]
    release_of(planned(source, Columns(("zip",), ("s",)), groups), tmp_path / "release")
    assert verify(tmp_path / "release", source=source).kept

    def swap(rows: Rows) -> None:
        values = [row for row in rows[1:] if row[1] == "1"], [row for row in rows[1:] if row[1] == "3"]
        values[0][0][1], values[1][0][1] = "3", "1"

    folder = forged(tmp_path / "release", tmp_path / "forged", swap, "sensitive.csv")
    assert verify(folder).kept
    said = " ".join(map(str, verify(folder, source=source).mistakes))
    assert "sensitive.csv: has 2 rows in groups where no row has them in the source" in said

    def move(rows: Rows) -> None:
        people = {row[0]: row for row in rows[1:]}
        people["a"][1], people["c"][1] = people["c"][1], people["a"][1]

    folder = forged(tmp_path / "release", tmp_path / "moved", move, "quasi_identifiers.csv")
    assert verify(folder).kept
    said = " ".join(map(str, verify(folder, source=source).mistakes))
    assert "quasi_identifiers.csv: has 2 rows in groups that have none of the values" in said


def test_each_value_of_an_ambiguous_group_is_somebodys(tmp_path: Path) -> None:
    source = {"zip": list("aabbccdd"), "sex": list("mfmfmfmf"), "s": list("12123434")}
    columns, groups = Columns(("zip", "sex"), ("s",)), [0, 0, 0, 0, 1, 1, 1, 1]
    release_of(planned(source, columns, groups, tables=[[0], [1]]), tmp_path / "release")
    assert verify(tmp_path / "release", source=source).kept

    def swap(rows: Rows) -> None:
        one, three = (next(row for row in rows if row[1] == value) for value in "13")
        one[1], three[1] = "3", "1"

    folder = forged(tmp_path / "release", tmp_path / "swapped", swap, "sensitive.csv")
    assert verify(folder).kept
    said = " ".join(map(str, verify(folder, source=source).mistakes))
    assert "sensitive.csv: has 4 rows in groups where no row has them in the source" in said

    def exchange(rows: Rows) -> None:
        a, c = (next(row for row in rows if row[0] == value) for value in "ac")
        a[0], c[0] = "c", "a"

    folder = forged(tmp_path / "release", tmp_path / "exchanged", exchange, "auxiliary_zip.csv")
    assert verify(folder).kept
    said = " ".join(map(str, verify(folder, source=source).mistakes))
    assert "auxiliary_zip.csv: has 2 rows of which no row of the source fits the group" in said


EXACT = [
    {"publish": publish, "format": form, "suppressed": suppressed}
    for publish in RECODED
    for form in ("csv", "parquet")
    for suppressed in ("drop", "star")
]
APART = [
    words("bucketization", search="anatomy"),
    words("bucketization", search="mask"),
    words("bucketization", search="injector"),
    words("ambiguity"),
]


@pytest.mark.parametrize("more", EXACT, ids=lambda more: "-".join(more.values()))
def test_a_true_release_is_that_of_its_table(tmp_path: Path, more: dict[str, str]) -> None:
    """With values of all kinds, missing ones and those that look like something else, and other columns."""
    chance = random.Random(5)
    source = pa.table(
        {
            "age": pa.array([chance.choice([None, *range(-5, 40)]) for _ in range(150)], pa.int32()),
            "score": pa.array([chance.choice([0.5, -0.0, 0.0, 1e10, 2.25]) for _ in range(150)]),
            "nation": [chance.choice(["", None, "*", "Peru", "{a, b}", "a", "b", "NULL"]) for _ in range(150)],
            "disease": [chance.choice(["flu", "", None, "HIV"]) for _ in range(150)],
            "visit": pa.array(range(150)),
            "seen": pa.array([1_700_000_000_000_000 + 7 * i for i in range(150)], pa.timestamp("us", "UTC")),
            "weight": pa.array([chance.random() * 10 ** chance.randrange(-8, 12) for _ in range(150)]),
            "paid": pa.array([chance.choice([True, False, None]) for _ in range(150)]),
        }
    )
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}},
        "score": {"role": "quasi_identifier", "hierarchy": {"cuts": [[0.3, 2], [2]]}},
        "nation": {"role": "quasi_identifier", "hierarchy": {"flat": True, "sets": True}},
        "disease": {"role": "sensitive"},
        **{name: {"role": "other"} for name in ("visit", "seen", "weight", "paid")},
    }
    asked = {"attributes": attributes, "require": [{"k_anonymity": {"k": 4}}], "suppress": 0.2, **more}
    anonymize(policy_from_words(asked), tmp_path / "release", source=source)
    assert verify(tmp_path / "release", source=source).mistakes == ()


@settings(max_examples=25)
@given(publish=st.sampled_from(RECODED), seed=st.integers(0, 10**6), k=st.integers(2, 12), data=st.data())
def test_rules_that_follow_the_data_and_are_told_in_part_fit_the_table(
    tmp_path_factory: pytest.TempPathFactory, publish: str, seed: int, k: int, data: st.DataObject
) -> None:
    """Of a rule that nobody gave the manifest tells what is shown; the table has more to place."""
    chance = random.Random(seed)
    ages = data.draw(st.sampled_from([range(20, 60), [0.5, 1.25, 7.0, 30.0, 41.75], [None, 5, 6, 70, -3]]))
    source: dict[str, list[Any]] = {
        "age": [chance.choice(ages) for _ in range(60)],
        "day": [f"20{chance.randrange(10, 30)}-0{chance.randrange(1, 9)}-1{chance.randrange(9)}" for _ in range(60)],
        "nation": [chance.choice(["Peru", "Chile", "Spain", None, ""]) for _ in range(60)],
        "disease": [chance.choice(["flu", "cold"]) for _ in range(60)],
    }
    given_age = data.draw(st.sampled_from([{}, {"hierarchy": {"quantiles": 4}}, {"hierarchy": {"intervals": [5, 20]}}]))
    attributes = {name: {"role": "quasi_identifier"} for name in ("age", "day", "nation")}
    attributes |= {"age": {"role": "quasi_identifier"} | given_age, "disease": {"role": "sensitive"}}
    asked = {"attributes": attributes, "require": [{"k_anonymity": {"k": k}}], "suppress": 0.3, "publish": publish}
    folder = tmp_path_factory.mktemp("told") / "release"
    try:
        anonymize(policy_from_words(asked), folder, source=source)
    except DiscreetError:
        assume(False)
    assert verify(folder, source=source).mistakes == ()


@pytest.mark.parametrize("asked", APART, ids=lambda asked: asked.get("search", asked["publish"]))
def test_exact_values_apart_are_those_of_their_table(tmp_path: Path, asked: dict[str, Any]) -> None:
    source = table(3, rows=200)
    if asked["publish"] == "bucketization":
        source["visit"] = [str(i) for i in range(200)]
        asked = {**asked, "attributes": {**asked["attributes"], "visit": {"role": "other"}}}
    anonymize(policy_from_words(asked), tmp_path / "release", source=source)
    assert verify(tmp_path / "release", source=source).mistakes == ()


@pytest.mark.parametrize("publish", RECODED)
def test_later_rows_are_those_of_their_table(made: dict[str, Path], tmp_path: Path, publish: str) -> None:
    earlier = anonymize(policy_from_words(words(publish, suppress=0.9)), tmp_path / "earlier", source=table()).folder
    apply(earlier, table(2), tmp_path / "later")
    assert verify(tmp_path / "later", source=table(2)).mistakes == ()
    assert verify(tmp_path / "later", source=table(4)).mistakes


@pytest.mark.parametrize("publish", [*RECODED, "bucketization"])
def test_other_columns_of_somebody_else_are_found_out(tmp_path: Path, publish: str) -> None:
    source = table(3) | {"visit": [str(i) for i in range(90)]}
    asked = words(publish)
    asked["attributes"]["visit"] = {"role": "other"}
    anonymize(policy_from_words(asked), tmp_path / "release", source=source)
    file = "quasi_identifiers.csv" if publish == "bucketization" else "data.csv"

    def exchange(rows: Rows) -> None:
        place = rows[0].index("visit")
        first = rows[1]
        other = next(row for row in rows[2:] if row[:2] != first[:2])
        first[place], other[place] = other[place], first[place]

    folder = forged(tmp_path / "release", tmp_path / "forged", exchange, file)
    assert verify(folder).kept
    assert any(m.place == file and "source" in m.rule for m in verify(folder, source=source).mistakes)


@pytest.mark.parametrize("publish", RECODED)
@settings(max_examples=25)
@given(data=st.data())
def test_forgeries_pass_if_and_only_if_some_assignment_of_rows_exists(
    tmp_path_factory: pytest.TempPathFactory, publish: str, data: st.DataObject
) -> None:
    """Against all ways to match published rows with those of the table."""
    many = data.draw(st.integers(6, 14))
    columns = {
        "age": st.sampled_from(["20", "21", "22", "29", "31", "38"]),
        "zip": st.sampled_from(["47", "48", "57"]),
        "disease": st.sampled_from(["flu", "cold"]),
    }
    source = {name: data.draw(st.lists(of, min_size=many, max_size=many)) for name, of in columns.items()}
    asked = words(publish, suppress=0.4, require=[{"k_anonymity": {"k": 2}}])
    asked["attributes"]["zip"]["hierarchy"] = {"prefixes": [1]}
    folder = tmp_path_factory.mktemp("forged")
    try:
        anonymize(policy_from_words(asked), folder / "true", source=source)
    except DiscreetError:
        assume(False)

    def mangle(rows: Rows) -> None:
        groups = sorted({tuple(row[:2]) for row in rows[1:]})
        for _ in range(data.draw(st.integers(1, 3))):
            row = list(data.draw(st.sampled_from(rows[1:])))
            if data.draw(st.booleans()):
                rows.remove(row)
            row[:2] = data.draw(st.sampled_from(groups))
            row[2] = data.draw(columns["disease"])
            rows.append(row)

    made = forged(folder / "true", folder / "forged", mangle)
    found = verify(made, source=source)
    assume(not any(m.place == "mapping.json" for m in found.mistakes))  # a group without rows
    published: list[Row] = [tuple(row) for row in read(made / "data.csv")[1:]]
    possible = can_stem_from(published, list(zip(*source.values(), strict=True)), 2)
    told = any(m.place == "data.csv" and "no row of the source" in m.rule for m in found.mistakes)
    assert told == (not possible)


def test_labels_that_overlap_beyond_all_bounds_are_told(made: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    too_many = np.full(1, assignment_kernels.TOO_MANY)
    monkeypatch.setattr(assignment_kernels, "unmet_by_labels", lambda *_: too_many)
    found = verify(made["local_recoding"], source=table())
    assert "can't be compared with its source" in str(found.mistakes[0])


def test_another_table_is_found_out(made: dict[str, Path]) -> None:
    for folder in made.values():
        assert verify(folder, source=table()).kept, folder.name
        assert not verify(folder, source=table(2)).kept, folder.name
    assert json.loads((made["generalization"] / "manifest.json").read_text())["rows"]["source"] == 90
