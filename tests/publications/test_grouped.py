"""Releases of exact values in tables apart: what an outsider reads is what was planned, and no more."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from discreet import DataError, verify
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.publishing import WrittenFiles
from discreet.policy.kinds import Writing
from discreet.publications.ambiguous_tables import auxiliary_names
from discreet.publications.bucketized_tables import write_bucketized
from discreet.search.plan import SUPPRESSED, Bucketization
from tests.releases.making import Columns, column, planned, release
from tests.releases.reading import Row, read_file

NAMES = ["age", "Group", "count", "group_2", "a,b", 'the "zip"', "naïve ☃", "a;b;c", "x y", "a/b", "../up", "CON", "?"]
VALUES = [None, "", "x", "X", "a,b", 'say "hi"', "☃", " 1", "1", "two\nlines", "1;2;3", "NULL", "*"]


@dataclass(frozen=True)
class Case:
    """A table, the group of each of its rows, and how to publish it."""

    source: dict[str, list[Any]]
    columns: Columns
    group: list[int]
    form: str
    tables: list[list[int]] | None = None

    def rows(self, names: Sequence[str]) -> dict[int, list[Row]]:
        """The rows of every group, of some columns."""
        found: dict[int, list[Row]] = {g: [] for g in sorted({*self.group} - {SUPPRESSED})}
        for g, *row in zip(self.group, *(self.source[n] for n in names), strict=True):
            if g != SUPPRESSED:
                found[g].append(tuple(row))
        return found


@st.composite
def cases(draw: Callable[..., Any], ambiguous: bool) -> Case:
    names = draw(st.permutations(NAMES))
    width, values, beside = draw(st.integers(1, 3)), draw(st.integers(1, 2)), draw(st.integers(0, 1))
    cuts = [width, width + values, width + values + (0 if ambiguous else beside)]
    columns = Columns(tuple(names[: cuts[0]]), tuple(names[cuts[0] : cuts[1]]), tuple(names[cuts[1] : cuts[2]]))
    rows = draw(st.integers(1, 9))
    source = {n: draw(st.lists(st.sampled_from(VALUES), min_size=rows, max_size=rows)) for n in columns.roles}
    order = draw(st.permutations(list(source)))
    group = draw(st.lists(st.integers(SUPPRESSED, 2), min_size=rows, max_size=rows))
    tables: list[list[int]] | None = None
    if ambiguous:
        together = draw(st.lists(st.integers(0, width - 1), min_size=width, max_size=width))
        tables = [[d for d in range(width) if together[d] == t] for t in sorted(set(together))]
    form = draw(st.sampled_from(["csv", "parquet"]))
    return Case({n: source[n] for n in order}, columns, group, form, tables)


def by_group(path: Path, group: str) -> tuple[list[str], dict[int, list[Row]]]:
    """The other columns of a published file, and the rows of each group."""
    columns, rows = read_file(path)
    at = columns.index(group)
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(int(row[at]), []).append((*row[:at], *row[at + 1 :]))
    assert sorted(found) == list(range(1, len(found) + 1))
    assert [int(row[at]) for row in rows] == sorted(int(row[at]) for row in rows)
    return [*columns[:at], *columns[at + 1 :]], found


def multisets(*tables: dict[int, list[Row]]) -> Counter[Any]:
    """What the groups have in all tables, whatever their numbers."""
    for table in tables:
        assert table.keys() == tables[0].keys()
    return Counter(tuple(frozenset(Counter(t[g]).items()) for t in tables) for g in tables[0])


@settings(max_examples=12)
@given(cases(ambiguous=False))
def test_what_is_read_from_bucketized_files_is_the_plan(case: Case) -> None:
    made = planned(case.source, case.columns, case.group)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "r"
        manifest = release(made, folder, form=case.form)
        group = manifest["group_column"]
        assert group.lower() not in {c.lower() for c in case.source}
        beside, people = by_group(folder / f"quasi_identifiers.{case.form}", group)
        within, values = by_group(folder / f"sensitive.{case.form}", group)
        assert beside == [c for c in case.source if case.columns.roles[c] != "sensitive"]
        assert within == [c for c in case.source if c in case.columns.sensitive]
        assert manifest["tables"] == {f"quasi_identifiers.{case.form}": beside, f"sensitive.{case.form}": within}
        assert multisets(people, values) == multisets(case.rows(beside), case.rows(within))
        assert {f.name for f in folder.iterdir()} == {*manifest["tables"], "manifest.json"}
        assert verify(folder, case.source).kept


@settings(max_examples=12)
@given(cases(ambiguous=True))
def test_what_is_read_from_ambiguous_files_is_the_plan(case: Case) -> None:
    made = planned(case.source, case.columns, case.group, tables=case.tables)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "r"
        manifest = release(made, folder, form=case.form)
        group, count = manifest["group_column"], manifest["count_column"]
        found, expected = [], []
        for file, attributes in manifest["tables"].items():
            columns, rows = by_group(folder / file, group)
            if file == f"sensitive.{case.form}":
                assert columns == [*attributes, count]
                rows = {g: [row[:-1] for row in rs for _ in range(int(row[-1]))] for g, rs in rows.items()}
                expected.append(case.rows(attributes))
            else:
                assert columns == attributes
                expected.append({g: sorted({*rs}, key=repr) for g, rs in case.rows(attributes).items()})
            found.append(rows)
        assert multisets(*found) == multisets(*expected)
        sets = [[case.columns.quasi_identifiers[d] for d in table] for table in case.tables or []]
        assert [*sets, [c for c in case.source if c in case.columns.sensitive]] == [*manifest["tables"].values()]
        assert {f.name for f in folder.iterdir()} == {*manifest["tables"], "manifest.json"}
        assert verify(folder, case.source).kept


@given(st.lists(st.lists(st.text(min_size=1), min_size=1, max_size=3), min_size=1, max_size=5))
def test_every_table_gets_a_file_name_of_its_own(sets: list[list[str]]) -> None:
    names = auxiliary_names(sets)
    assert len({n.casefold() for n in names}) == len(sets)
    for name in names:
        assert name.startswith("auxiliary_")
        assert Path(name).name == name
        assert len(name.encode("utf-8")) < 250
        assert not set('\\/:*?"<>|. ') & set(name)


TABLE = pa.table(
    {
        "id": pa.array([2**63 - 1 - i % 3 for i in range(12)]),
        "born": pa.array([dt.date(1950 + i % 4, 1, 1) for i in range(11)] + [None]),
        "kind": pa.array(["a", "b", None] * 4).dictionary_encode(),
        "cost": pa.array([Decimal("1.10"), None, Decimal("-3.00"), Decimal("0.00")] * 3),
        "score": pa.array([0.1, -0.0, 1e300] * 4),
    }
)
TYPED = Columns(("id", "born", "kind"), ("cost", "score"))


@pytest.mark.parametrize("tables", [None, [[0, 1], [2]]])
@pytest.mark.parametrize("others", [False, True])
def test_types_survive_in_parquet(tmp_path: Path, tables: list[list[int]] | None, others: bool) -> None:
    columns = Columns(("id", "born"), ("cost",), ("kind", "score")) if others and tables is None else TYPED
    group = [i % 3 for i in range(12)]
    manifest = release(planned(TABLE, columns, group, tables=tables), tmp_path / "r", form="parquet")
    for file, names in manifest["tables"].items():
        found = parquet.read_table(tmp_path / "r" / file)
        for name in names:
            values = set(found.column(name).to_pylist())
            assert values == set(TABLE.column(name).to_pylist())
            assert {type(v) for v in values} == {type(v) for v in TABLE.column(name).to_pylist()}
    assert verify(tmp_path / "r", TABLE).kept


@pytest.mark.parametrize("tables", [None, [[0], [1]]])
@pytest.mark.parametrize("others", [(), ("visit",)])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_nothing_of_a_suppressed_row_is_in_any_byte(
    tmp_path: Path, tables: list[list[int]] | None, others: tuple[str, ...], form: str
) -> None:
    source = {
        "age": [str(i % 5) for i in range(40)] + ["73737"],
        "zip": [str(i % 3) for i in range(40)] + ["Zürich-lone"],
        "disease": ["flu", "cold"] * 20 + ["Kuru"],
        "visit": [f"v{i}" for i in range(40)] + ["v-lone"],
    }
    columns = Columns(("age", "zip"), ("disease",), () if tables else others)
    made = planned(source, columns, [i % 4 for i in range(40)] + [SUPPRESSED], tables=tables)
    release(made, tmp_path / "r", form=form)
    for file in (tmp_path / "r").iterdir():
        content = file.read_bytes()
        if file.suffix == ".parquet":  # the same, unpacked
            table = parquet.read_table(file, read_dictionary=parquet.read_schema(file).names)
            chunks = [chunk for c in table.columns for chunk in c.chunks]
            content += str([c.dictionary.to_pylist() if hasattr(c, "dictionary") else c for c in chunks]).encode()
            content += str(parquet.ParquetFile(file).metadata.to_dict()).encode()
        for value in ("73737", "lone", "Zürich", "Kuru"):
            assert value.encode() not in content, file.name


@pytest.mark.parametrize("tables", [None, [[0, 1]]])
@pytest.mark.parametrize("others", [(), ("visit",)])
def test_numbers_of_groups_are_random_and_a_seed_repeats_them(
    tmp_path: Path, tables: list[list[int]] | None, others: tuple[str, ...]
) -> None:
    """And a seed gives the same bytes in whatever order the rows stood."""
    source = {
        "age": [str(i) for i in range(60)],
        "zip": [str(i % 3) for i in range(60)],
        "disease": ["flu", "cold"] * 30,
        "visit": [f"v{i}" for i in range(60)],
    }
    group = [i // 3 for i in range(60)]
    columns = Columns(("age", "zip"), ("disease",), () if tables else others)
    turned = {name: values[::-1] for name, values in source.items()}
    tries = [(source, group, 1), (source, group, 1), (turned, group[::-1], 1), (source, group, 2)]
    written, order = [], []
    for i, (table, of_row, seed) in enumerate(tries):
        manifest = release(planned(table, columns, of_row, tables=tables), tmp_path / str(i), seed=seed)
        files = {file: (tmp_path / str(i) / file).read_bytes() for file in manifest["tables"]}
        written.append(files)
        first = next(iter(files))
        names, rows = by_group(tmp_path / str(i) / first, "group")
        at = names.index("age")
        order.append([int(rows[g][0][at]) // 3 for g in sorted(rows)])
    assert written[0] == written[1] == written[2] != written[3]
    assert sorted(order[0]) == sorted(order[3]) == list(range(20))
    assert order[0] != order[3]
    assert list(range(20)) not in (order[0], order[3])


def test_equal_rows_may_stand_in_several_groups_each_with_its_own_companions(tmp_path: Path) -> None:
    """Two people with equal values but different visits: one goes here, the other there, which of them is random."""
    source = {"age": ["1"] * 6, "disease": ["flu"] * 6, "visit": list("abcdef")}
    made = planned(source, Columns(("age",), ("disease",), ("visit",)), [0, 0, 1, 1, 1, SUPPRESSED])
    seen = set()
    for seed in range(4):
        release(made, tmp_path / str(seed), seed=seed)
        _, rows = by_group(tmp_path / str(seed) / "quasi_identifiers.csv", "group")
        assert sorted(map(len, rows.values())) == [2, 3]
        visits = [row[1] for rs in rows.values() for row in rs]
        assert len(set(visits)) == 5
        seen.add("".join(sorted(visits)))
        assert verify(tmp_path / str(seed), source).kept
    assert len(seen) > 1


def test_distorted_values_are_published_and_said_to_be(tmp_path: Path) -> None:
    source = {"age": list("1234"), "disease": ["flu", "flu", "cold", "cold"]}
    columns = Columns(("age",), ("disease",))
    made = planned(source, columns, [0, 0, 1, 1], exchanged={"disease": ["flu", "cold", "flu", "flu"]})
    manifest = release(made, tmp_path / "r")
    assert manifest["distorted"] == ["disease"]
    _, values = by_group(tmp_path / "r" / "sensitive.csv", "group")
    assert sorted(sorted(v for (v,) in rows) for rows in values.values()) == [["cold", "flu"], ["flu", "flu"]]
    assert verify(tmp_path / "r").kept
    assert verify(tmp_path / "r", source).kept


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_many_different_values_are_written_without_their_dictionary(tmp_path: Path, form: str) -> None:
    rows = 40_000
    source = {"number": list(range(rows)), "disease": ["flu", None] * (rows // 2)}
    made = planned(source, Columns(("number",), ("disease",)), [i // 4 for i in range(rows)])
    release(made, tmp_path / "r", form=form)
    _, found = read_file(tmp_path / "r" / f"quasi_identifiers.{form}")
    assert {int(row[0]) for row in found} == set(range(rows))
    assert verify(tmp_path / "r").kept
    assert column(source, "number") == list(range(rows))


def test_a_combination_in_many_groups_is_not_tried_with_each(tmp_path: Path) -> None:
    """Sixty thousand equal people in groups of three: every pair of a row and a group would be a billion."""
    rows = 60_000
    source = {"age": ["30"] * rows, "disease": ["flu"] * rows, "visit": list(range(rows))}
    columns = Columns(("age",), ("disease",), ("visit",))
    release(planned(source, columns, [i // 3 for i in range(rows)]), tmp_path / "r", form="parquet")
    names, found = read_file(tmp_path / "r" / "quasi_identifiers.parquet")
    assert names == ["age", "visit", "group"]
    assert sorted(row[1] for row in found) == list(range(rows))
    assert set(Counter(row[2] for row in found).values()) == {3}


def test_rows_that_came_after_the_plan_are_not_published(tmp_path: Path) -> None:
    """The table changed while it was read: an error, no release."""
    path = tmp_path / "t.csv"
    path.write_text("age,disease,visit\n" + "30,flu,1\n" * 4)
    group = [0, 0, 1, 1]
    source = {"age": ["30"] * 4, "disease": ["flu"] * 4}
    made = planned(source, Columns(("age",), ("disease",), ("visit",)), group)
    assert isinstance(made.plan, Bucketization)
    for more in ("30,flu,1\n", "31,flu,1\n"):
        path.write_text("age,disease,visit\n" + "30,flu,1\n" * 4 + more)
        with pytest.raises(DataError):
            files = WrittenFiles(tmp_path, "csv", DuckDB(path))
            columns = tuple(files.source.columns)
            writing = Writing(columns, columns, ("visit",), False, numbers=np.array([1, 2]))
            write_bucketized(made.plan, writing, files, np.random.default_rng(1))
