"""What is published: nothing but rows of the table, as coarse as said, with every promise kept, in no order."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from statistics import correlation
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from pycanon import anonymity

from discreet import DataError, Infeasible, anonymize, policy_from_words, verify
from discreet.hierarchies.rules import Flat, Intervals, Prefixes
from tests.oracles import keeps
from tests.releases.reading import Row, can_stem_from, groups_of, manifest_of, read_table

PUBLISH = ["generalization", "multidimensional", "local_recoding"]
RULES = {"age": Intervals((5, 20)), "zip": Prefixes((3, 1)), "sex": Flat()}
COLUMNS = [*RULES, "disease"]
PROMISES = [
    [{"k_anonymity": {"k": 2}}],
    [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2}}],
    [{"alpha_k": {"alpha": 0.7, "k": 2}}],
    [{"t_closeness": {"t": 0.4}}, {"k_anonymity": {"k": 2}}],
    [{"beta_likeness": {"beta": 2}}],
]

_rows = st.lists(
    st.tuples(
        st.sampled_from(["20", "23", "31", "45", "9", "", None]),
        st.sampled_from(["4790", "4791", "4801", "510", None]),
        st.sampled_from(["f", "m", "*", None]),
        st.sampled_from(["flu", "cold", "HIV", "", None]),
    ),
    min_size=1,
    max_size=24,
)


@dataclass(frozen=True)
class Case:
    """A table and how to publish it."""

    rows: list[Row]
    words: dict[str, Any]
    others: bool

    @property
    def columns(self) -> list[str]:
        return [*COLUMNS, "id"] if self.others else COLUMNS

    @property
    def source(self) -> dict[str, list[Any]]:
        numbered = [(*row, f"n{i}") for i, row in enumerate(self.rows)]
        return dict(zip([*COLUMNS, "id"], map(list, zip(*numbered, strict=True)), strict=True))

    @property
    def original(self) -> list[Row]:
        return [(*row, f"n{i}") if self.others else row for i, row in enumerate(self.rows)]


@st.composite
def cases(draw: Callable[..., Any], publish: str) -> Case:
    others = draw(st.booleans())
    attributes: dict[str, Any] = {name: {"role": "quasi_identifier", "hierarchy": rule} for name, rule in RULES.items()}
    attributes["disease"] = {"role": "sensitive"}
    attributes |= {"id": {"role": "other"}} if others else {}
    words = {
        "attributes": attributes,
        "publish": publish,
        "require": draw(st.sampled_from(PROMISES)),
        "suppress": draw(st.sampled_from([0, 0.2, 1])),
        "suppressed": draw(st.sampled_from(["drop", "star"])),
        "format": draw(st.sampled_from(["csv", "parquet"])),
    }
    return Case(draw(_rows), words, others)


def check(case: Case, folder: Path) -> None:
    """Everything an outsider can check who has the original, too."""
    policy = policy_from_words(case.words)
    try:
        anonymize(policy, folder, source=case.source)
    except Infeasible:
        assert not folder.exists()
        assert not list(folder.parent.iterdir())
        return
    manifest = manifest_of(folder)
    columns, rows = read_table(folder)
    assert columns == case.columns == manifest["columns"]
    star = case.words["suppressed"] == "star"
    kept = [row for row in rows if not (star and set(row) == {"*"})]
    # The counts of the manifest.
    assert len(case.rows) == manifest["rows"]["source"]
    assert len(rows) == len(case.rows) if star else len(rows) == manifest["rows"]["published"]
    assert manifest["rows"]["suppressed"] == len(case.rows) - len(kept) <= case.words["suppress"] * len(case.rows)
    groups = groups_of(kept, len(RULES))
    assert manifest["groups"] == len(groups)
    assert manifest["smallest_group"] == min(map(len, groups.values()), default=0)
    for name, about in manifest["files"].items():
        assert about["sha256"] == sha256((folder / name).read_bytes()).hexdigest()
    # Every row is one of the table, as coarse as it looks.
    # (A value that looks like "everything" is published as {*}, unless it is everything.)
    only = [len(set(column)) == 1 for column in zip(*case.original, strict=True)]
    original = [tuple("{*}" if v == "*" and not o else v for v, o in zip(r, only, strict=True)) for r in case.original]
    assert can_stem_from(kept, original, len(RULES))
    if manifest["node"] is not None:
        expected = Counter(generalized(row, manifest["node"]) for row in original)
        assert all(expected[row] == n for row, n in Counter(kept).items())
    # The promises, by their definitions.
    if not manifest["rows"]["suppressed"]:
        table = [row[3] for row in case.rows]
        for model in policy.models:
            assert all(keeps(model, {g: [v[0] for v in vs] for g, vs in groups.items()}, table).values())
    assert verify(folder).kept


def generalized(row: Row, node: dict[str, int]) -> Row:
    """A row at a node, by the rules alone."""
    seen = []
    for value, (name, rule) in zip(row, RULES.items(), strict=False):
        path = (value, *rule.path(value), "*")
        seen.append(path[node[name]])
    return (*seen, *row[len(RULES) :])


@pytest.mark.parametrize("publish", PUBLISH)
@settings(max_examples=15)
@given(data=st.data())
def test_a_release_holds_rows_of_the_table_and_its_promises(publish: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(data.draw(cases(publish)), Path(folder) / "release")


def a_table(rows: int = 240) -> dict[str, list[Any]]:
    return {
        "age": [str(20 + i % 8) for i in range(rows)],
        "disease": ["flu", "cold", "HIV"] * (rows // 3),
        "visit": [f"v{i:04}" for i in range(rows)],
        "name": [f"Ann {i}" for i in range(rows)],
    }


def words(others: bool, publish: str = "generalization", **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [4]}},
        "disease": {"role": "sensitive"},
        "name": {"role": "identifier"},
    }
    attributes |= {"visit": {"role": "other"}} if others else {}
    return {"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}], "publish": publish, **more}


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_rows_come_in_an_order_that_says_nothing(tmp_path: Path, others: bool, form: str) -> None:
    """With a seed the bytes depend on what is published alone, not on where its rows stood."""
    table = a_table()
    turned = {name: values[::-1] for name, values in table.items()}
    files = []
    for i, (source, seed) in enumerate([(table, 1), (table, 1), (turned, 1), (table, 2), (table, None), (table, None)]):
        policy = policy_from_words(words(others, seed=seed, format=form))
        anonymize(policy, tmp_path / str(i), source=source)
        files.append((tmp_path / str(i) / f"data.{form}").read_bytes())
    assert files[0] == files[1] == files[2]
    assert len(set(files)) == 4
    tables = [read_table(tmp_path / str(i))[1] for i in (0, 3, 4, 5)]
    assert len({tuple(rows) for rows in tables}) == 4
    assert len({tuple(sorted(rows)) for rows in tables}) == 1
    for rows in tables:
        assert rows != sorted(rows)
        if others:
            places = [int(row[2][1:]) for row in rows]
            assert abs(correlation(range(len(places)), places)) < 0.4


@pytest.mark.parametrize("publish", PUBLISH)
def test_an_identifier_and_the_row_number_are_never_published(tmp_path: Path, publish: str) -> None:
    policy = policy_from_words(words(True, publish))
    anonymize(policy, tmp_path / "r", source=a_table())
    assert read_table(tmp_path / "r")[0] == ["age", "disease", "visit"]
    for file in (tmp_path / "r").iterdir():
        assert b"Ann 17" not in file.read_bytes()


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_what_only_suppressed_rows_have_is_in_no_file(tmp_path: Path, form: str, others: bool, suppressed: str) -> None:
    """Neither in the table (nor in the dictionaries of a Parquet file) nor beside it."""
    table = a_table(120)
    for column, value in {"age": "73737", "disease": "Kuru", "visit": "v-lone", "name": "Eve-Adams"}.items():
        table[column].append(value)
    said = words(others, format=form, suppressed=suppressed, suppress=0.02)
    said["require"] += [{"t_closeness": {"t": 0.3}}]
    release = anonymize(policy_from_words(said), tmp_path / "r", source=table)
    assert release.manifest["rows"]["suppressed"] == 1
    for file in (tmp_path / "r").iterdir():
        content = file.read_bytes()
        if file.suffix == ".parquet":
            found = parquet.ParquetFile(file)
            content = str([found.read().to_pylist(), found.metadata.to_dict(), found.schema_arrow]).encode()
            content += dictionaries(file)
        for value in (b"73737", b"Kuru", b"v-lone", b"Eve-Adams"):
            assert value not in content, file.name
    assert verify(tmp_path / "r").kept


def dictionaries(file: Path) -> bytes:
    """All texts that a Parquet file keeps, used or not."""
    text_columns = [f.name for f in parquet.read_schema(file)]
    table = parquet.read_table(file, read_dictionary=text_columns)
    chunks = [chunk for column in table.columns for chunk in column.chunks]
    return str([c.dictionary.to_pylist() for c in chunks if hasattr(c, "dictionary")]).encode()


@pytest.mark.parametrize("suppressed", ["drop", "star"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_everything_suppressed_is_a_release_of_nothing(tmp_path: Path, suppressed: str, form: str) -> None:
    policy = policy_from_words(words(False, suppress=1, suppressed=suppressed, format=form))
    release = anonymize(policy, tmp_path / "r", source={k: v[:3] for k, v in a_table().items()})
    rows = read_table(tmp_path / "r")[1]
    assert rows == ([("*", "*")] * 3 if suppressed == "star" else [])
    assert release.manifest["rows"]["published"] == 0
    assert verify(tmp_path / "r").kept


@pytest.mark.filterwarnings("ignore")  # pycanon's own
def test_an_independent_tool_agrees_on_k_and_l(tmp_path: Path) -> None:
    frame = pd.DataFrame(a_table(90))
    anonymize(policy_from_words(words(False)), tmp_path / "r", source=frame)
    published = pd.read_csv(tmp_path / "r" / "data.csv")
    assert anonymity.k_anonymity(published, ["age"]) == manifest_of(tmp_path / "r")["smallest_group"]
    assert anonymity.l_diversity(published, ["age"], ["disease"]) == 3


def test_types_survive_in_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "age": pa.array([20, 21, None] * 4),
            "cost": pa.array([Decimal("1.10"), None, Decimal("-3.00")] * 4),
            "when": pa.array([dt.date(2024, 1, 1), dt.date(1, 1, 1), None] * 4),
            "kind": pa.array(["a", "b", None] * 4).dictionary_encode(),
        }
    )
    attributes = {"age": "quasi_identifier", "cost": "sensitive", "when": "sensitive", "kind": "other"}
    for others in (False, True):
        said = {
            "attributes": {n: {"role": r} for n, r in attributes.items() if others or r != "other"},
            "require": [{"k_anonymity": {"k": 2}}],
            "format": "parquet",
        }
        anonymize(policy_from_words(said), tmp_path / f"r{others}", source=table)
        found = parquet.read_table(tmp_path / f"r{others}" / "data.parquet")
        for name in found.column_names[1:]:
            assert Counter(found.column(name).to_pylist()) == Counter(table.column(name).to_pylist())


def test_a_sensitive_star_can_not_be_told_from_a_suppressed_one(tmp_path: Path) -> None:
    table = {"age": ["20"] * 4, "disease": ["flu", "*", "*", "*"]}
    said = words(False, suppressed="star")
    said["attributes"].pop("name")
    said["require"] = [{"k_anonymity": {"k": 4}}]
    with pytest.raises(DataError, match="stands for a suppressed row"):
        anonymize(policy_from_words(said), tmp_path / "r", source=table)


def test_cuts_made_from_the_data_are_nobody_s_value(tmp_path: Path) -> None:
    """Default bins are exported with the release, finer ones than are published too."""
    incomes = [31_007 + 997 * i for i in range(400)]
    asked = {"attributes": {"income": {"role": "quasi_identifier"}}, "require": [{"k_anonymity": {"k": 5}}]}
    anonymize(policy_from_words(asked), tmp_path / "r", source={"income": incomes})
    [levels] = [rule["cuts"] for rule in manifest_of(tmp_path / "r")["hierarchies"].values()]
    cuts = {cut for level in levels for cut in level}
    assert len(cuts) == 15
    assert not cuts & set(incomes)
