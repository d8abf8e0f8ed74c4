"""`summary: statistics`, end to end: no scan of the table but the looks that make sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import combinations, count
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DataError, HierarchyError, Infeasible, PolicyError
from discreet.policy.policy import Policy
from discreet.run import from_summary as instant
from discreet.run.from_summary import save_summary
from discreet.samples.census import census_attributes, census_like
from tests.conformance.loaders import PostgreSQLLoader
from tests.servers import Database

ROWS = 3_000
K = {"k_anonymity": {"k": 5}}
L = {"l_diversity": {"l": 3, "kind": "frequency"}}


@pytest.fixture(scope="module")
def people() -> pa.Table:
    drawn = census_like(ROWS)
    return pa.table({c: drawn.column(c).cast(pa.string()) for c in census_attributes(4)})


@pytest.fixture(scope="module")
def in_database(module_database: Database, people: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The table, analyzed, with lists of all pairs."""
    url = loaded(module_database, people, tmp_path_factory.mktemp("people"))
    pairs = combinations(people.column_names, 2)
    lists = (f"CREATE STATISTICS s{i} (mcv) ON {a}, {b} FROM {table(url)}" for i, (a, b) in enumerate(pairs))
    module_database.execute(*lists, f"ANALYZE {table(url)}")
    return url


def table(url: str) -> str:
    return url.partition("#")[2]


def loaded(database: Database, rows: pa.Table, folder: Path) -> str:
    return PostgreSQLLoader(folder, database).source(rows)


_SCHEMAS = count()


def policy(source: object, *require: object, **others: object) -> Policy:
    words = {"source": source, "attributes": census_attributes(4), "require": list(require), "search": "instant"}
    return policy_from_words(words | others)


def by_statistics(url: str, *require: object, **others: object) -> Policy:
    place = {"format": "table", "schema": f"published_{next(_SCHEMAS)}"}
    return policy(url, *require, **place, summary="statistics", **others)


@pytest.mark.parametrize(
    ("require", "suppress"), [([K], 0), ([L], 0), ([K, L], 0), ([K], 0.02)], ids=["k", "l", "both", "suppressed"]
)
def test_a_release_by_statistics_is_the_optimum_after_one_scan(
    in_database: str, people: pa.Table, require: list[object], suppress: float, tmp_path: Path
) -> None:
    asked = by_statistics(in_database, *require, suppress=suppress)
    release = anonymize(asked, tmp_path / "instant")
    m = release.manifest
    assert verify(tmp_path / "instant", database=in_database).kept
    assert release.figures["facts"]["estimated_from"] == "statistics of the database"
    assert release.figures["scans"] == release.figures["facts"]["looks"] <= 2
    assert m["rows"]["source"] == ROWS
    best = anonymize(policy(None, *require, suppress=suppress, search="optimal"), tmp_path / "exact", source=people)
    assert m["node"] == best.manifest["node"]
    assert release.figures["losses"] == pytest.approx(best.figures["losses"])


def test_values_and_rows_that_nobody_expected_are_met_by_the_look_and_published(
    module_database: Database, people: pa.Table, tmp_path: Path
) -> None:
    """Rows were added since the last ANALYZE, some with ages that nobody had."""
    url = loaded(module_database, people, tmp_path)
    module_database.execute(f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)", f"ANALYZE {table(url)}")
    old = "UPDATE {0} SET age = '120' WHERE ctid IN (SELECT ctid FROM {0} LIMIT 40)"
    again = "INSERT INTO {0} SELECT * FROM {0} LIMIT 500"
    module_database.execute(old.format(table(url)), again.format(table(url)))
    asked = by_statistics(url, K, suppress=0.01)
    release = anonymize(asked, tmp_path / "release")
    m = release.manifest
    assert verify(tmp_path / "release", database=url).kept
    assert m["rows"]["source"] == ROWS + 500
    assert m["rows"]["suppressed"] <= m["rows"]["limit"] == 35
    assert release.figures["scans"] <= 2
    changed = pa.table(dict(zip(people.column_names, zip(*rows_of(module_database, url), strict=True), strict=True)))
    best = anonymize(policy(None, K, suppress=0.01, search="optimal"), tmp_path / "exact", source=changed)
    assert release.figures["loss"] == pytest.approx(best.figures["loss"], abs=0.02)


def rows_of(database: Database, url: str) -> list[tuple[str, ...]]:
    with database.connect() as connection:
        found: list[tuple[str, ...]] = connection.execute(f"SELECT * FROM {table(url)}").fetchall()
    return found


@pytest.mark.parametrize(("publish", "search"), [("multidimensional", "instant"), ("generalization", "instant_cuts")])
def test_other_searches_meet_unknown_values_too(
    module_database: Database, people: pa.Table, publish: str, search: str, tmp_path: Path
) -> None:
    url = loaded(module_database, people, tmp_path)
    module_database.execute(
        f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)",
        f"ANALYZE {table(url)}",
        f"UPDATE {table(url)} SET age = '120' WHERE ctid IN (SELECT ctid FROM {table(url)} LIMIT 40)",
    )
    release = anonymize(by_statistics(url, K, publish=publish, search=search), tmp_path / "release")
    assert verify(tmp_path / "release", database=url).kept
    assert release.manifest["rows"]["published"] == ROWS
    assert ("shares_before" in release.figures["facts"]) == (release.manifest["node"] is None)


@pytest.mark.parametrize(("most", "scans"), [(500_000, 1), (100, 2)])
def test_a_column_with_too_many_unknown_values_is_counted_first(
    module_database: Database, most: int, scans: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,500 numbers, PostgreSQL keeps a hundred bounds: the look meets the others, or a scan of that column does."""
    monkeypatch.setattr(instant, "MOST_UNKNOWN", most)
    columns = {"number": [str(i // 2) for i in range(3_000)], "salary": [str(i % 7) for i in range(3_000)]}
    url = loaded(module_database, pa.table(columns), tmp_path)
    module_database.execute(f"ANALYZE {table(url)}")
    attributes = {
        "number": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40, 80]}},
        "salary": {"role": "sensitive"},
    }
    release = anonymize(by_statistics(url, K, L, attributes=attributes), tmp_path / "release")
    assert verify(tmp_path / "release", database=url).kept
    assert (release.manifest["node"], release.figures["scans"]) == ({"number": 1}, scans)


def test_a_value_that_was_mended_since_is_no_obstacle_and_one_that_was_not_is(
    module_database: Database, people: pa.Table, tmp_path: Path
) -> None:
    """The database still knows a marital status that no taxonomy has."""
    url = loaded(module_database, people, tmp_path)
    wrong = f"UPDATE {table(url)} SET marital_status = 'Maried' WHERE marital_status = 'Married'"
    mend = f"UPDATE {table(url)} SET marital_status = 'Married' WHERE marital_status = 'Maried'"
    module_database.execute(f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)", wrong, f"ANALYZE {table(url)}")
    with pytest.raises(HierarchyError, match="missing in the taxonomy"):
        anonymize(by_statistics(url, K), tmp_path / "release")
    module_database.execute(mend)
    release = anonymize(by_statistics(url, K), tmp_path / "release")
    best = anonymize(policy(None, K, search="optimal"), tmp_path / "exact", source=people)
    assert release.figures["losses"] == pytest.approx(best.figures["losses"])
    module_database.execute(f"ANALYZE {table(url)}", wrong.replace("WHERE", "WHERE age = '40' AND"))
    with pytest.raises(HierarchyError, match="missing in the taxonomy"):
        anonymize(by_statistics(url, K), tmp_path / "another")


def test_without_statistics_a_sample_is_drawn(module_database: Database, people: pa.Table, tmp_path: Path) -> None:
    url = loaded(module_database, people, tmp_path)
    module_database.execute(f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)")
    release = anonymize(by_statistics(url, K), tmp_path / "release")
    assert verify(tmp_path / "release", database=url).kept
    assert release.figures["facts"]["estimated_from"] == "a sample of pages"


def test_a_promise_that_nothing_keeps_is_refused(in_database: str, tmp_path: Path) -> None:
    with pytest.raises(Infeasible):
        anonymize(by_statistics(in_database, {"k_anonymity": {"k": ROWS + 1}}), tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_an_emptied_table_is_refused(module_database: Database, people: pa.Table, tmp_path: Path) -> None:
    url = loaded(module_database, people, tmp_path)
    module_database.execute(f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)", f"ANALYZE {table(url)}")
    module_database.execute(f"DELETE FROM {table(url)}")
    with pytest.raises(DataError, match="no rows"):
        anonymize(by_statistics(url, K), tmp_path / "release")


def test_a_promise_about_a_value_too_rare_to_be_kept_is_not_refused(
    module_database: Database, people: pa.Table, tmp_path: Path
) -> None:
    url = loaded(module_database, people, tmp_path)
    module_database.execute(
        f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)",
        f"ANALYZE {table(url)}",
        f"UPDATE {table(url)} SET salary = 'rare' WHERE ctid IN (SELECT ctid FROM {table(url)} LIMIT 3)",
    )
    named = {"realistic": {"class": "I", "stubbornness": 1000, "epsilon": 1000, "predicates": ["rare"]}}
    release = anonymize(by_statistics(url, K, named), tmp_path / "release")
    assert verify(tmp_path / "release", database=url).kept
    assert release.figures["scans"] == 1 + release.figures["facts"]["looks"]  # one to find the value
    strange = {"realistic": {"class": "I", "stubbornness": 1000, "epsilon": 1000, "predicates": ["nobody"]}}
    with pytest.raises(DataError, match="has no value"):
        anonymize(by_statistics(url, K, strange), tmp_path / "other")


@contextmanager
def refused(place: str) -> Iterator[None]:
    with pytest.raises(PolicyError) as caught:
        yield
    assert [m.place for m in caught.value.mistakes] == [place]


def test_there_is_no_advice_about_nobody(module_database: Database, people: pa.Table, tmp_path: Path) -> None:
    url = loaded(module_database, people.slice(0, 0), tmp_path)
    with pytest.raises(DataError, match="no rows were found"):
        instant.advice(policy(url, K, summary="statistics"))


def test_a_file_keeps_no_statistics(people: pa.Table, tmp_path: Path) -> None:
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    with refused("summary"):
        anonymize(policy(str(tmp_path / "people.csv"), K, summary="statistics"), tmp_path / "release")


def test_statistics_of_a_part_of_the_table_are_not_kept(in_database: str, tmp_path: Path) -> None:
    with refused("summary"):
        anonymize(by_statistics(in_database, K, private={"age": ["30"]}), tmp_path / "release")


def test_there_is_nothing_to_save(in_database: str, tmp_path: Path) -> None:
    with refused("summary"):
        save_summary(by_statistics(in_database, K), tmp_path / "summary.npz")


@pytest.mark.parametrize("analyzed", ["before", "after"])
def test_columns_of_any_type_are_published_as_by_an_exact_summary(
    module_database: Database, analyzed: str, tmp_path: Path
) -> None:
    """NULL, days, truth and numbers; analyzed before half of the rows came, or after."""
    rows = 600
    columns = {
        "age": pa.array([None if i % 50 == 0 else 20 + i * i % 37 for i in range(rows)], pa.int64()),
        "smokes": pa.array([None if i % 60 == 0 else i % 3 == 0 for i in range(rows)], pa.bool_()),
        "born": pa.array([date(1960 + i % 12, 1 + i % 5, 1) for i in range(rows)], pa.date32()),
        "weight": pa.array([50.5 + i % 4 for i in range(rows)], pa.float64()),
        "disease": pa.array([None if i % 90 == 0 else f"d{i % 7}" for i in range(rows)], pa.string()),
    }
    url = loaded(module_database, pa.table(columns), tmp_path)
    off, analyze = f"ALTER TABLE {table(url)} SET (autovacuum_enabled = off)", f"ANALYZE {table(url)}"
    if analyzed == "before":
        half = f"CREATE TABLE half AS SELECT * FROM {table(url)} WHERE age > 40 OR age IS NULL"
        back = f"INSERT INTO {table(url)} SELECT * FROM half"
        less = f"DELETE FROM {table(url)} WHERE age > 40 OR age IS NULL"
        module_database.execute(off, half, less, analyze, back, "DROP TABLE half")
    else:
        module_database.execute(off, analyze)
    rules: dict[str, object] = {"age": {"intervals": [5, 10, 20]}, "weight": {"flat": True}}
    attributes = {name: {"role": "quasi_identifier", "hierarchy": rules.get(name)} for name in columns}
    attributes["disease"] = {"role": "sensitive"}
    found = []
    for kind in ("statistics", "exact"):
        schema = f"typed_{analyzed}_{kind}"
        words = {"summary": kind, "schema": schema, "format": "table", "suppress": 0.1}
        release = anonymize(policy(url, K, attributes=attributes, **words), tmp_path / kind)
        assert verify(tmp_path / kind, database=url).kept
        with module_database.connect() as connection:
            [(name,)] = connection.execute(
                f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' AND tablename LIKE 'data%'"
            ).fetchall()
            published = connection.execute(f"SELECT * FROM {schema}.{name}").fetchall()
        found.append((release.manifest["node"], Counter(published)))
    assert found[0] == found[1]
