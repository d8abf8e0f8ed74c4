"""From a table to a release: a right answer or a clear error, never half a release, never a row in a message."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from discreet import DiscreetError, Infeasible, anonymize, apply, policy_from_words, verify
from tests.releases.reading import manifest_of, read_table

SECRET = "Ann-Smith"
PUBLISH = ["generalization", "multidimensional", "local_recoding"]


def words(publish: str = "generalization", **more: Any) -> dict[str, Any]:
    attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    return {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "publish": publish, **more}


ROWS = "30,flu\n30,cold\n41,flu\n41,cold\n"
REFUSED = {
    "an empty file": ("", "is empty", 2),
    "a header alone": ("age,disease\n", "has no rows", 2),
    "one row": (
        f"age,disease\n30,{SECRET}\n",
        "2-anonymity can't be had: the table has 1 row, and no group has more",
        1,
    ),
    "one column": (f"age\n30\n{SECRET}\n", "attributes.disease: no such column", 2),
    "two columns of one name": ("age,disease,Age\n1,2,3\n", "same name", 2),
    "broken UTF-8": (b"age,disease\n30,flu\n31,\xff" + SECRET.encode() + b"\n", "line 3: is not UTF-8", 2),
    "broken UTF-8 in the header": (b"age,dise\xe4se\n30,flu\n", "line 1: is not UTF-8", 2),
    "a row cut short": (f"age,disease\n30,flu\n{SECRET}", "line 3: has 1 values", 2),
    "a quote cut short": (f'age,disease\n30,flu\n30,"{SECRET}', "line 3: a quoted value does not end", 2),
    "other columns": (f"name,job\n{SECRET},cook\n", "none of the columns that are asked for", 2),
    "a row too long": (f"age,disease\n30,flu,{SECRET}\n", "line 2: has 3 values", 2),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("publish", PUBLISH)
def test_bad_tables_are_refused_and_nothing_is_left(tmp_path: Path, kind: str, publish: str) -> None:
    content, message, code = REFUSED[kind]
    (tmp_path / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DiscreetError) as caught:
        anonymize(policy_from_words(words(publish, source="t.csv"), tmp_path), tmp_path / "r")
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.exit_code == code
    assert [f.name for f in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("publish", PUBLISH)
@pytest.mark.parametrize(
    ("ages", "published"),
    [
        ([None] * 4, {None}),
        ([""] * 4, {""}),
        ([None, None, "", ""], {None, ""}),
        (["NULL", "NULL", None, None], {"NULL", None}),
        (["*", "*", "x", "x"], {"{*}", "x"}),
        (["30"] * 4, {"30"}),
    ],
    ids=["NULL", "empty", "both", "the word NULL", "a star", "one value"],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_null_and_empty_are_values_of_their_own(
    tmp_path: Path, publish: str, ages: list[str | None], published: set[str | None], form: str
) -> None:
    source = {"age": ages, "disease": ["flu", None, "", "cold"]}
    anonymize(policy_from_words(words(publish, format=form)), tmp_path / "r", source=source)
    _, rows = read_table(tmp_path / "r")
    assert {row[0] for row in rows} == published
    assert sorted(map(repr, (row[1] for row in rows))) == sorted(map(repr, source["disease"]))


@pytest.mark.parametrize("publish", PUBLISH)
def test_a_table_of_one_column_is_published(tmp_path: Path, publish: str) -> None:
    asked = words(publish)
    del asked["attributes"]["disease"]
    (tmp_path / "t.csv").write_text('age\n\n\n""\n""\nx\nx\n')
    anonymize(policy_from_words(asked), tmp_path / "r", source=tmp_path / "t.csv")
    assert sorted(read_table(tmp_path / "r")[1], key=repr) == [("",)] * 2 + [("x",)] * 2 + [(None,)] * 2
    assert verify(tmp_path / "r").kept


@pytest.mark.parametrize("publish", PUBLISH)
def test_ten_thousand_values_are_grouped(tmp_path: Path, publish: str) -> None:
    source = {"age": [str(i) for i in range(10_000)], "disease": ["flu", "cold"] * 5000}
    anonymize(policy_from_words(words(publish)), tmp_path / "r", source=source)
    found = manifest_of(tmp_path / "r")
    assert found["rows"]["published"] == 10_000
    assert found["smallest_group"] >= 2


NAMES = [
    'age "x"; DROP TABLE t',
    "it's",
    "a,b;c",
    "two\nlines",
    "2024",
    "nan",
    "select",
    "名前",
    " padded ",
    "rowid",
    "why?",
    "a=b;",
]


@pytest.mark.parametrize("name", NAMES)
def test_columns_may_be_called_anything(tmp_path: Path, name: str) -> None:
    """In every role and in both forms, and every role in both forms."""
    quoted = '"' + name.replace('"', '""') + '"'
    (tmp_path / "t.csv").write_text(f"{quoted},disease,note\n" + "30,flu,x\n31,flu,y\n", encoding="utf-8")
    for i, role in enumerate(("quasi_identifier", "sensitive", "other"), NAMES.index(name)):
        form = ("csv", "parquet")[i % 2]
        attributes = {"disease": {"role": "quasi_identifier"}, "note": {"role": "sensitive"}, name: {"role": role}}
        require: list[Any] = [{"k_anonymity": {"k": 2}}]
        require += [{"l_diversity": {"l": 1.5, "kind": "entropy", "attribute": name}}] if role == "sensitive" else []
        asked = {"attributes": attributes, "require": require, "format": form}
        anonymize(policy_from_words(asked), tmp_path / role, source=tmp_path / "t.csv")
        columns, rows = read_table(tmp_path / role)
        assert columns == [name, "disease", "note"]
        assert sorted(row[2] for row in rows) == ["x", "y"]
        assert verify(tmp_path / role).kept
        apply(tmp_path / role, tmp_path / "t.csv", tmp_path / f"{role} again")


def test_a_path_is_not_taken_for_a_policy(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match=r"policy: must be a Policy, got str; use discreet\.read_policy"):
        anonymize("policy.yaml", tmp_path / "release")  # type: ignore[arg-type]


def test_a_k_beyond_the_table_is_told_in_full(tmp_path: Path) -> None:
    policy = policy_from_words(words() | {"require": [{"k_anonymity": {"k": 500_000}}]})
    table = {"age": ["30", "41"] * 100_000, "disease": ["flu", "cold"] * 100_000}
    with pytest.raises(
        Infeasible, match=r"the table has 200,000 rows, and no group has more; ask for k of at most 200000"
    ):
        anonymize(policy, tmp_path / "release", source=table)


def test_every_kind_of_source_gives_the_same_release(tmp_path: Path) -> None:
    table = pa.table({"age": [30, 30, 41, 41, None, None], "disease": ["flu", "cold", "", None, "flu", "x"]})
    text = 'age;disease\r\n30;flu\r\n30;cold\r\n41;""\r\n41;\r\n;flu\r\n;x\r\n'
    parquet.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes(text.encode("utf-8-sig"))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    frame = pd.DataFrame({"age": pd.array([30, 30, 41, 41, None, None], dtype="Int64"), "disease": table["disease"]})
    frames = [table, frame, pl.from_arrow(table), *(tmp_path / f"t.{end}" for end in ("parquet", "csv", "csv.gz"))]
    files = set()
    for i, source in enumerate(frames):
        anonymize(policy_from_words(words(seed=4)), tmp_path / str(i), source=source)
        files.add((tmp_path / str(i) / "data.csv").read_bytes())
    assert len(files) == 1


@pytest.mark.parametrize(("others", "scans"), [(False, 1), (True, 2)])
def test_scans_are_counted(tmp_path: Path, others: bool, scans: int) -> None:
    asked = words()
    asked["attributes"] |= {"note": {"role": "other"}} if others else {}
    source = {"age": ["1", "1"], "disease": ["a", "b"], "note": ["x", "y"]}
    assert anonymize(policy_from_words(asked), tmp_path / "r", source=source).figures["scans"] == scans


def test_two_zeros_are_rows_like_others(tmp_path: Path) -> None:
    """Equal numbers that are written differently must not get lost between counting and writing."""
    asked = words()
    asked["attributes"] |= {"note": {"role": "other"}}
    source = pa.table({"age": [0.0, -0.0, 0.0, -0.0], "disease": [0.0, -0.0, -0.0, 0.0], "note": [1, 2, 3, 4]})
    anonymize(policy_from_words(asked), tmp_path / "r", source=source)
    assert sorted(row[2] for row in read_table(tmp_path / "r")[1]) == ["1", "2", "3", "4"]


def test_an_existing_target_is_refused_before_the_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    with pytest.raises(DiscreetError, match="already exists"):
        anonymize(policy_from_words(words(source="nowhere.csv")), tmp_path / "r")


def test_a_target_in_a_missing_folder_is_made(tmp_path: Path) -> None:
    source = {"age": ["1", "1"], "disease": ["a", "b"]}
    anonymize(policy_from_words(words()), tmp_path / "a" / "b" / "r", source=source)
    assert verify(tmp_path / "a" / "b" / "r").kept


def test_a_failing_search_says_who_decides_not_who_it_is(tmp_path: Path) -> None:
    source = {"age": [SECRET, "x", "x"], "disease": ["a", "b", "c"]}
    asked = words(require=[{"k_anonymity": {"k": 4}}])
    with pytest.raises(Infeasible) as caught:
        anonymize(policy_from_words(asked), tmp_path / "r", source=source)
    assert SECRET not in str(caught.value)
    assert "the table has 3 rows" in str(caught.value)


def test_the_manifest_names_neither_the_seed_nor_the_folder_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,disease\n" + ROWS)
    asked = words(source=str(tmp_path / "t.csv"), seed=987654321)
    anonymize(policy_from_words(asked), tmp_path / "r")
    for file in (tmp_path / "r").iterdir():
        content = file.read_text(encoding="utf-8")
        assert "987654321" not in content
        assert str(tmp_path) not in content


@pytest.mark.parametrize(("diseases", "missing"), [("ffffffccgg", 2), ("ffffccgg", 0)])
def test_who_is_missing_from_a_table_of_people_is_told_as_a_risk(tmp_path: Path, diseases: str, missing: int) -> None:
    table = {"age": [str(20 + i) for i in range(len(diseases))], "disease": list(diseases)}
    asked = {"l_diversity": {"l": 2, "kind": "frequency"}}
    policy = policy_from_words(words("bucketization", require=[asked], suppress=0.2))
    release = anonymize(policy, tmp_path / "r", source=table)
    assert release.manifest["rows"]["suppressed"] == missing
    assert any("may suspect why" in note for note in release.manifest["notes"]) == bool(missing)
