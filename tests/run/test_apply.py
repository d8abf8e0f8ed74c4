"""Next month's rows, published like this month's: the promises hold for them, and for both together."""

from __future__ import annotations

import json
import random
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet import DiscreetError, Infeasible, ReleaseError, anonymize, apply, policy_from_words, verify
from tests.conformance.loaders import PostgreSQLLoader
from tests.oracles import keeps
from tests.releases.reading import covers, manifest_of, read_table
from tests.servers import Database

PUBLISH = ["generalization", "multidimensional", "local_recoding"]
Table = dict[str, list[Any]]


def table(seed: int, rows: int = 120, **more: list[str | None]) -> Table:
    chance = random.Random(seed)
    made: Table = {
        "age": [chance.choice(["", None, *map(str, range(20, 60))]) for _ in range(rows)],
        "zip": [chance.choice(["4790", "4791", "4801", "5101"]) for _ in range(rows)],
        "nation": [chance.choice(["Peru", "Chile", "Spain"]) for _ in range(rows)],
        "disease": [chance.choice(["flu", "cold", "HIV"]) for _ in range(rows)],
    }
    for name, values in more.items():
        made[name] += values
    return made


def words(publish: str = "generalization", **more: Any) -> dict[str, Any]:
    taxonomy = [["Peru", "America"], ["Chile", "America"], ["Spain", "Europe"], ["Malta", "Europe"]]
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [3, 1]}},
        "nation": {"role": "quasi_identifier", "hierarchy": {"taxonomy": taxonomy}},
        "disease": {"role": "sensitive"},
    }
    require = [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2}}]
    return {"attributes": attributes, "require": require, "suppress": 0.3, "publish": publish, **more}


def group(rows: list[tuple[Any, ...]]) -> dict[Any, list[Any]]:
    groups = defaultdict(list)
    for row in rows:
        groups[row[:3]].append(row[3])
    return groups


@pytest.mark.parametrize("publish", PUBLISH)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_new_rows_keep_the_promises_alone_and_with_the_old(tmp_path: Path, publish: str, form: str) -> None:
    policy = policy_from_words(words(publish, format=form, suppress=0.6))
    anonymize(policy, tmp_path / "old", source=table(1))
    new = table(2)
    made = apply(tmp_path / "old", new, tmp_path / "new", all_new=True)
    assert verify(tmp_path / "new").kept
    old_rows, new_rows = (read_table(tmp_path / name)[1] for name in ("old", "new"))
    assert len(new_rows) == made.manifest["rows"]["published"] >= 48
    diseases = [row[3] for row in new_rows]
    for model in policy.models:
        assert all(keeps(model, group(new_rows), diseases).values())
        assert all(keeps(model, group(old_rows + new_rows), diseases).values())
    # Published with the very texts of the old release, each of which covers a new row.
    if publish != "generalization":
        assert set(group(new_rows)) <= set(group(old_rows))
    originals = list(zip(*new.values(), strict=True))
    for row in set(new_rows):
        continent = {"America": ("Peru", "Chile"), "Europe": ("Spain", "Malta")}.get(row[2], (row[2],))
        nations = [o for o in originals if row[2] == "*" or o[2] in continent]
        assert any(row[3] == o[3] and all(map(covers, row[:2], o[:2])) for o in nations)
    assert (tmp_path / "new" / "mapping.json").read_text() == (tmp_path / "old" / "mapping.json").read_text()


@pytest.mark.parametrize("publish", PUBLISH)
def test_the_same_rows_again_are_published_again(tmp_path: Path, publish: str) -> None:
    anonymize(policy_from_words(words(publish, seed=3)), tmp_path / "old", source=table(1))
    made = apply(tmp_path / "old", table(1), tmp_path / "new", seed=3)
    if publish == "local_recoding":  # rows that fit into several groups may go to another one, and leave too few behind
        assert made.manifest["rows"]["suppressed"] < 12
    else:
        assert made.manifest["rows"]["suppressed"] == manifest_of(tmp_path / "old")["rows"]["suppressed"]
        assert sorted(map(str, read_table(tmp_path / "new")[1])) == sorted(map(str, read_table(tmp_path / "old")[1]))


def test_sensitive_columns_may_stand_in_another_order_than_in_the_policy(tmp_path: Path) -> None:
    """The file has them in the order of the table; their values were mixed up when both were judged together."""
    asked = words(suppress=0.6, require=[{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2}}])
    taxonomy = {"taxonomy": [[disease, "any"] for disease in ("flu", "cold", "HIV")]}
    asked["attributes"]["disease"]["hierarchy"] = taxonomy
    asked["attributes"]["nation"] = {"role": "sensitive"}  # before the disease in the table, after it in the policy
    asked["attributes"] = {name: asked["attributes"][name] for name in ("age", "zip", "disease", "nation")}
    anonymize(policy_from_words(asked), tmp_path / "old", source=table(1))
    made = apply(tmp_path / "old", table(1), tmp_path / "new")
    assert made.manifest["rows"]["suppressed"] == manifest_of(tmp_path / "old")["rows"]["suppressed"]
    assert sorted(map(str, read_table(tmp_path / "new")[1])) == sorted(map(str, read_table(tmp_path / "old")[1]))


def test_an_applied_release_can_be_applied_again(tmp_path: Path) -> None:
    anonymize(policy_from_words(words("multidimensional", suppress=0.6)), tmp_path / "1", source=table(1))
    apply(tmp_path / "1", table(2), tmp_path / "2", all_new=True)
    apply(tmp_path / "2", table(3), tmp_path / "3", all_new=True)
    assert verify(tmp_path / "3").kept


@pytest.mark.parametrize("publish", PUBLISH)
def test_rows_no_group_covers_are_suppressed(tmp_path: Path, publish: str) -> None:
    anonymize(policy_from_words(words(publish, suppress=0.6)), tmp_path / "old", source=table(1))
    new = table(2, age=["95"], zip=["999"], nation=["Malta"], disease=["Kuru"])
    apply(tmp_path / "old", new, tmp_path / "new", all_new=True)
    for file in (tmp_path / "new").iterdir():
        assert "Kuru" not in file.read_text(encoding="utf-8")


def test_too_few_new_rows_are_no_release(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "old", source=table(1))
    with pytest.raises(Infeasible, match="new rows don't fit the earlier release") as caught:
        apply(tmp_path / "old", table(2, rows=3), tmp_path / "new")
    assert caught.value.exit_code == 1
    assert "raise `suppress`" not in str(caught.value)  # no option of this command does that
    assert not (tmp_path / "new").exists()


def test_a_value_outside_the_taxonomy_is_told(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "old", source=table(1))
    new = table(2, age=["30"], zip=["4790"], nation=["Atlantis"], disease=["flu"])
    with pytest.raises(DiscreetError, match="missing in the taxonomy: 'Atlantis'") as caught:
        apply(tmp_path / "old", new, tmp_path / "new", all_new=True)
    assert caught.value.exit_code == 2


def test_other_columns_are_told(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "old", source=table(1))
    new = table(2)
    new["agee"] = new.pop("age")
    with pytest.raises(DiscreetError, match=r"attributes\.age: no such column; did you mean 'agee'"):
        apply(tmp_path / "old", new, tmp_path / "new", all_new=True)


def test_a_touched_release_is_not_built_upon(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "old", source=table(1))
    for name in ("mapping.json", "data.csv", "manifest.json"):
        touched = Path(shutil.copytree(tmp_path / "old", tmp_path / f"touched {name}"))
        (touched / name).write_text((touched / name).read_text().replace("1", "2", 1))
        with pytest.raises(ReleaseError):
            apply(touched, table(2), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_target_that_exists_is_refused_before_the_work(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "old", source=table(1))
    with pytest.raises(DiscreetError, match="already exists"):
        apply(tmp_path / "old", "nowhere.csv", tmp_path / "old")


@pytest.mark.parametrize("publish", PUBLISH)
def test_a_mapping_says_no_more_than_the_release(tmp_path: Path, publish: str) -> None:
    """Every text in it is a rule's, a taxonomy's, or published; ends of ranges follow from what is published."""
    anonymize(policy_from_words(words(publish)), tmp_path / "r", source=table(1))
    mapping = json.loads((tmp_path / "r" / "mapping.json").read_text())
    _, rows = read_table(tmp_path / "r")
    if publish == "generalization":
        assert set(mapping) == {"hierarchies", "levels"}
        return
    listed = list(mapping["texts"].values())
    texts = {tuple(own[n]["text"] for own, n in zip(listed, g, strict=True)) for g in mapping["groups"]}
    assert texts == {row[:3] for row in rows}
    for entry in (entry for own in listed for entry in own):
        for level, *shown in entry["parts"]:
            inside = entry["text"] or ""
            if level == 1 and len(shown) == 2:
                first, last = map(int, shown)
                assert first % 5 == last % 5 == 0, entry
                shown = [f"{first}-{last + 4}"]
            assert all(end is None or end == "" or str(end) in inside for end in shown), entry


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding"])
def test_a_published_interval_takes_in_new_numbers_of_that_interval(tmp_path: Path, publish: str) -> None:
    """Published as 20-39 with nobody of 33 in it; a new row of 33 belongs there all the same."""
    attributes = {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [20]}}, "s": {"role": "sensitive"}}
    asked = {"attributes": attributes, "require": [{"k_anonymity": {"k": 4}}], "publish": publish}
    old = {"age": ["21", "22", "38", "39", "61", "62", "78", "79"], "s": list("abcdabcd")}
    anonymize(policy_from_words(asked), tmp_path / "old", source=old)
    assert {row[0] for row in read_table(tmp_path / "old")[1]} == {"20-39", "60-79"}
    apply(tmp_path / "old", {"age": ["20", "33", "34", "35"], "s": list("abcd")}, tmp_path / "new")
    assert {row[0] for row in read_table(tmp_path / "new")[1]} == {"20-39"}


@pytest.mark.parametrize("earlier", ["table", "csv"])
def test_new_rows_in_a_database_get_a_schema_of_their_own(tmp_path: Path, postgresql: Database, earlier: str) -> None:
    url = PostgreSQLLoader(tmp_path, postgresql).source(pa.table(table(1)))
    told: dict[str, Any] = {"schema": "first"} if earlier == "table" else {}
    anonymize(
        policy_from_words(words(format=earlier, suppress=0.6, **told)),
        tmp_path / "old",
        source=url if earlier == "table" else table(1),
    )
    made = apply(tmp_path / "old", url, tmp_path / "new", database="postgresql://")
    assert made.manifest["database"] == {"engine": "postgresql", "schema": "new"}
    assert verify(tmp_path / "old").kept and verify(tmp_path / "new").kept
    apply(tmp_path / "old", table(1), tmp_path / "files")
    assert (tmp_path / "files" / "data.csv").exists()
