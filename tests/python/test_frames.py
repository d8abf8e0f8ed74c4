"""Frames in, frames out: the same release as in a folder, as the kind of frame that came in."""

from __future__ import annotations

import datetime as dt
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet
from discreet.errors import DiscreetError, Infeasible, PolicyError
from tests.engines.tables import COLUMNS
from tests.python import people

KINDS: dict[str, tuple[Callable[[], Any], type]] = {
    "pandas": (people.pandas, pd.DataFrame),
    "polars": (people.polars, pl.DataFrame),
    "arrow": (people.arrow, pa.Table),
    "mapping": (people.mapping, dict),
}


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders go, so that it can be seen what is left of them."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ours(scratch: Path) -> list[str]:
    gc.collect()
    return [p.name for p in scratch.glob("discreet-*")]


@pytest.mark.parametrize("form", [None, "csv", "parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_frame_that_comes_out_is_of_the_kind_that_came_in(kind: str, form: str | None, tmp_path: Path) -> None:
    make, expected = KINDS[kind]
    before, frame = make(), make()
    release = discreet.anonymize(frame, **people.WORDS, format=form)
    assert isinstance(release.frame, expected)
    assert people.rows(frame) == people.rows(before)  # never modified
    folder = discreet.anonymize(
        discreet.policy_from_words({**people.WORDS, "format": form}), tmp_path / "release", source=make()
    )
    assert people.rows(folder.frame) == people.rows(release.frame)
    assert (release.kept, discreet.verify(release, source=frame).kept) == (True, True)


def test_exact_columns_have_the_types_that_came_in() -> None:
    source = people.pandas()
    for form in ("csv", "parquet"):
        frame = discreet.anonymize(source, **people.WORDS, format=form).frame
        assert isinstance(frame.index, pd.RangeIndex)
        for column in ("days", "weight", "seen", "insured"):
            assert frame[column].dtype == source[column].dtype, (form, column)
        assert frame["age"].iloc[0].count("-") == 1
        assert "name" not in frame
        assert set(frame["days"].dropna()) == {0, 1, 2, 3, 4} and frame["days"].isna().sum() > 0


def test_a_category_has_no_values_but_the_published_ones() -> None:
    frame = discreet.anonymize(people.pandas(), **people.WORDS).frame
    sex = frame["sex"]
    assert "secret" not in (list(sex.cat.categories) if sex.dtype == "category" else list(sex))
    words = people.WORDS | {"attributes": {**people.ATTRIBUTES, "age": {"role": "identifier"}}}
    exact = discreet.anonymize(people.pandas(), **words).frame["sex"]
    assert exact.dtype == "category" and sorted(exact.cat.categories) == ["f", "m"]


def test_intervals_of_pandas_come_out_as_the_texts_that_they_are_shown_as() -> None:
    """`pandas.cut` makes them: they are published as that, not as what Arrow makes of them."""
    for name in ("age", 0):
        frame = pd.DataFrame({name: pd.cut([21, 25, 33, 38, 52, 57, np.nan, np.nan], [20, 30, 40, 60])})
        before = frame.copy(deep=True)
        release = discreet.anonymize(
            frame, attributes={str(name): {"role": "quasi_identifier"}}, require=[{"k_anonymity": {"k": 2}}]
        )
        texts = release.frame[str(name)]
        assert sorted(texts.dropna()) == ["(20.0, 30.0]"] * 2 + ["(30.0, 40.0]"] * 2 + ["(40.0, 60.0]"] * 2
        assert texts.isna().sum() == 2
        assert discreet.verify(release, source=frame).kept
        pd.testing.assert_frame_equal(frame, before)


def test_polars_has_its_own_types_again() -> None:
    source = people.polars()
    frame = discreet.anonymize(source, **people.WORDS).frame
    assert [frame.schema[c] for c in ("days", "weight", "insured")] == [pl.Int8, pl.Float64, pl.Boolean]
    assert frame.schema["seen"].is_temporal() and frame.schema["age"] == pl.String


def test_numbers_that_floats_cannot_hold_come_back_whole() -> None:
    large = [2**60 + 1, 2**60 + 1, None, 2**60 + 3]
    frame = pd.DataFrame({"q": ["x"] * 4, "s": pd.array(large, dtype="Int64")})
    attributes = {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}}
    release = discreet.anonymize(frame, attributes=attributes, require=[{"k_anonymity": {"k": 2}}])
    assert sorted(release.frame["s"].dropna().tolist()) == [2**60 + 1, 2**60 + 1, 2**60 + 3]


def test_a_star_leaves_a_column_text() -> None:
    table = {"q": [1, 1, 2], "s": [3, 4, 5]}
    attributes = {"q": {"role": "quasi_identifier", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}}
    words: dict[str, Any] = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "suppress": 0.4}
    starred = discreet.anonymize(table, **words, suppressed="star").frame
    assert sorted(starred["s"]) == ["*", "3", "4"] and sorted(starred["q"]) == ["*", "1", "1"]
    dropped = discreet.anonymize(table, **words).frame
    assert sorted(dropped["s"]) == [3, 4] and dropped["q"] == [1, 1]


TYPES = {name: values for name, (values, _) in COLUMNS.items() if name not in ("nothing", "list", "dictionary")}


@pytest.mark.parametrize("role", ["other", "sensitive"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_values_of_every_type_come_back_as_they_were(form: str, role: str) -> None:
    source = pa.table({"q": ["x"] * 3} | TYPES)
    attributes = {"q": {"role": "quasi_identifier"}} | {name: {"role": role} for name in TYPES}
    words: dict[str, Any] = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "format": form}
    for frame in (source, pl.from_arrow(source), source.to_pandas(types_mapper=pd.ArrowDtype)):
        published = discreet.anonymize(frame, **words).frame
        for name in source.column_names:
            expected, came = (_values(f, name) for f in (frame, published))
            assert came == expected, (type(frame), name)


def _values(frame: Any, name: str) -> list[str]:
    """The values of a column, sorted; a moment is the same whatever clock shows it, NaN is missing."""
    column = pa.Table.from_pandas(frame) if isinstance(frame, pd.DataFrame) else pa.table(frame)
    values = column.column(name).to_pylist()
    moments = [v.astimezone(dt.UTC) if isinstance(v, dt.datetime) and v.tzinfo else v for v in values]
    return sorted(repr(None if v != v else v) for v in moments)


def test_a_year_of_a_date_is_no_date() -> None:
    days = pd.to_datetime(["2020-03-05", "2020-07-01", "2021-01-01", "2021-05-05"])
    frame = pd.DataFrame({"q": ["x"] * 4, "seen": days})
    attributes = {"q": {"role": "quasi_identifier"}, "seen": {"role": "sensitive", "publish_as": {"dates": ["year"]}}}
    published = discreet.anonymize(frame, attributes=attributes, require=[{"k_anonymity": {"k": 2}}]).frame
    assert sorted(published["seen"]) == ["2020", "2020", "2021", "2021"]


@pytest.mark.parametrize("publish", ["bucketization", "ambiguity"])
def test_several_tables_are_told_by_name(publish: str) -> None:
    words: dict[str, Any] = {
        "attributes": {
            "age": {"role": "quasi_identifier"},
            "sex": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "publish": publish,
        "require": [{"l_diversity": {"l": 2, "kind": "frequency"}}]
        if publish == "bucketization"
        else [{"ambiguity": {"alpha": 0.9, "beta": 0.9}}],
        "suppress": 0.5,
        "seed": 1,
    }
    table = {"age": list(range(40)), "sex": ["f", "m"] * 20, "disease": ["flu", "cold", "asthma", "gout"] * 10}
    release = discreet.anonymize(pd.DataFrame(table), **words)
    assert len(release.frames) > 1 and all(isinstance(f, pd.DataFrame) for f in release.frames.values())
    with pytest.raises(DiscreetError, match=r"release\.frame: this release has \d tables.*write release\.frames\["):
        _ = release.frame
    people_table = next(f for f in release.frames.values() if "age" in f)
    assert people_table["age"].dtype == "int64"
    group = release.manifest["group_column"]
    assert all(f[group].dtype == "int64" for f in release.frames.values() if group in f)


def test_saving_writes_what_a_folder_would_have_got(tmp_path: Path) -> None:
    frame = people.arrow()
    discreet.anonymize(discreet.policy_from_words(people.WORDS), tmp_path / "at once", source=frame)
    release = discreet.anonymize(frame, **people.WORDS)
    saved = release.save(tmp_path / "saved")
    for name in ("data.csv", "mapping.json"):
        assert (tmp_path / "saved" / name).read_bytes() == (tmp_path / "at once" / name).read_bytes()
    both = [discreet.verify(tmp_path / name) for name in ("at once", "saved")]
    assert [found.kept for found in both] == [True, True]
    listings = [sorted(p.name for p in (tmp_path / name).iterdir()) for name in ("at once", "saved")]
    assert listings[0] == listings[1]
    for name in ("at once", "saved"):
        assert oct((tmp_path / f"{name}.private").stat().st_mode) == "0o40700"
        assert (tmp_path / f"{name}.private" / "figures.json").exists()
    modes = {oct((tmp_path / name).stat().st_mode) for name in ("at once", "saved")}
    modes_of_files = {oct((tmp_path / name / "data.csv").stat().st_mode) for name in ("at once", "saved")}
    assert len(modes) == len(modes_of_files) == 1
    assert (saved.folder, saved.to_json()["release"]) == (tmp_path / "saved", str(tmp_path / "saved"))
    assert release.to_json()["release"] is None


def test_saving_overwrites_nothing_that_is_not_to_be_replaced(tmp_path: Path) -> None:
    release = discreet.anonymize(people.arrow(), **people.WORDS)
    release.save(tmp_path / "r")
    with pytest.raises(DiscreetError, match="already exists"):
        release.save(tmp_path / "r")
    release.save(tmp_path / "r", replace=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "data.csv").write_text("my own")
    with pytest.raises(DiscreetError, match="not replaced"):
        release.save(tmp_path / "mine", replace=True)
    assert (tmp_path / "mine" / "data.csv").read_text() == "my own"
    with pytest.raises(DiscreetError, match="lies in the folder of the release"):
        release.save(tmp_path / "new", private=tmp_path / "new" / "private")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "r", "r.private"]


def test_a_table_that_was_changed_meanwhile_is_not_saved(tmp_path: Path) -> None:
    release = discreet.anonymize(people.arrow(), **people.WORDS)
    path = release.folder / "data.csv"
    path.write_text(path.read_text().replace("flu", "HIV"))
    with pytest.raises(DiscreetError, match="is not the file that was checked"):
        release.save(tmp_path / "r")
    with pytest.raises(DiscreetError, match="is not the file that was checked"):
        _ = release.frame
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_behind(scratch: Path) -> None:
    release = discreet.anonymize(people.arrow(), **people.WORDS)
    [folder] = ours(scratch)
    assert oct((scratch / folder).stat().st_mode) == "0o40700"
    frame = release.frame
    del release
    assert ours(scratch) == [] and frame.num_rows > 0
    with pytest.raises(Infeasible):
        discreet.anonymize(people.arrow(), **{**people.WORDS, "require": [{"k_anonymity": {"k": 1000}}]})
    assert ours(scratch) == []
    with discreet.anonymize(people.arrow(), **people.WORDS) as closed:
        assert closed.kept
    assert ours(scratch) == []
    with pytest.raises(DiscreetError, match="was closed, and had not been saved"):
        closed.save(scratch / "r")


def test_nothing_is_left_behind_by_a_process_that_ends(tmp_path: Path) -> None:
    code = """
import os, discreet
from tests.engines.tables import COLUMNS
from tests.python import people
release = discreet.anonymize(people.arrow(), **people.WORDS)
if os.fork() == 0:
    release.close()  # a fork leaves what is its parent's
    os._exit(0)
os.wait()
assert release.folder.exists()
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=Path(__file__).parents[2])
    assert list(tmp_path.glob("discreet-*")) == []


def test_several_at_once_do_not_disturb_each_other() -> None:
    frames = [people.pandas() for _ in range(8)]
    expected = people.rows(discreet.anonymize(people.pandas(), **people.WORDS).frame)
    with ThreadPoolExecutor(4) as pool:
        releases = list(pool.map(lambda frame: discreet.anonymize(frame, **people.WORDS), frames))
    assert all(people.rows(release.frame) == expected for release in releases)
    assert len({release.folder for release in releases}) == 8


def test_a_file_comes_out_as_arrow(tmp_path: Path) -> None:
    from pyarrow import csv

    csv.write_csv(people.arrow(), tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(
        "source: people.csv\nattributes: {age: {role: quasi_identifier}, disease: {role: sensitive}}\n"
        "require: [{k_anonymity: {k: 3}}]\n"
    )
    policy = discreet.read_policy(tmp_path / "policy.yaml")
    releases = [
        discreet.anonymize(policy, seed=1),
        discreet.anonymize(tmp_path / "people.csv", policy, seed=1),
        discreet.anonymize(str(tmp_path / "people.csv"), str(tmp_path / "policy.yaml"), seed=1),
        discreet.anonymize(people.arrow(), policy, seed=1),
        discreet.anonymize(policy=policy, source=people.mapping(), seed=1),
        discreet.anonymize(policy=policy, folder=tmp_path / "r", seed=1),
    ]
    assert isinstance(releases[0].frame, pa.Table)
    assert len({(r.folder / "data.csv").read_bytes() for r in releases}) == 1


def test_mistakes_are_told_all_at_once(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as caught:
        discreet.anonymize(
            people.arrow(), atributes=people.ATTRIBUTES, require=people.REQUIRE, suppress="2%", replace=True, source={}
        )
    told = [str(m) for m in caught.value.mistakes]
    assert told[0].startswith("source: the table is the first argument already")
    assert told[1] == "replace: is for a release in a folder; say release.save(folder, replace=…)"
    assert "atributes: no such word; did you mean 'attributes'?" in told
    assert any(line.startswith("suppress: must be a share") for line in told)
    with pytest.raises(PolicyError, match=r"policy: 'release' is not the file of a policy; name a YAML file; to write"):
        discreet.anonymize(people.arrow(), "release", **people.WORDS)
    with pytest.raises(PolicyError, match="policy: must be a Policy, got list"):
        discreet.anonymize(people.arrow(), [1])
    with pytest.raises(PolicyError, match="folder: is the second argument already"):
        discreet.anonymize(discreet.policy_from_words(people.WORDS), tmp_path / "a", folder=tmp_path / "b")
    with pytest.raises(PolicyError, match="format: a release without a folder is not written into a database"):
        discreet.anonymize("postgresql:///nowhere#t", **people.WORDS, format="table")
    with pytest.raises(DiscreetError, match=r"can't read a table from LazyFrame; say frame.collect\(\)"):
        discreet.anonymize(pl.from_arrow(people.arrow()).lazy(), **people.WORDS)
    with pytest.raises(DiscreetError, match=r"attributes\.agee: no such column; did you mean 'age'"):
        discreet.anonymize(people.arrow(), attributes={"agee": {"role": "quasi_identifier"}}, require=people.REQUIRE)


def test_a_release_shows_the_page_that_is_published_and_its_report_the_boards() -> None:
    release = discreet.anonymize(people.pandas(), **people.WORDS)
    published, board = release._repr_html_(), release.report._repr_html_()
    assert published.startswith('<iframe sandbox="" ') and published.endswith('"></iframe>')
    assert "from the release alone" in published and "not for publication" in board.lower()
    for page in (published, board):
        assert "<style" not in page and page.count("<") == 2  # all of it is in the attribute
    assert repr(release).splitlines()[0].startswith("This release keeps its promises")
    assert repr(release).endswith("not saved: release.save(folder)") and "Person-" not in published + board
