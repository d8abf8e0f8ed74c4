"""A release as it is read: groups, what is said of them, and where they stand."""

from __future__ import annotations

import csv
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.audit.reading.labels import Anything, Between, Exactly, OneOf, covers
from discreet.audit.reading.release import look, read
from discreet.audit.reading.view import Promise
from discreet.errors import DataError
from tests.audit.releasing import REQUIRE, manifest_of, people, publish, read_table, write_table

RECODED = ["generalization", "multidimensional", "local_recoding"]
DESCRIPTION = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]}
ROWS = [
    {"age": "[20-39]", "zip": "479**", "disease": "flu"},
    {"age": ">=60", "zip": "*", "disease": "gout"},
    {"age": "[20-39]", "zip": "479**", "disease": "cold"},
    {"age": "*", "zip": "*", "disease": "*"},
    {"age": "*", "zip": "*", "disease": "flu"},
    {"age": "[20-39]", "zip": "479**", "disease": "flu"},
]


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("kind", RECODED)
def test_groups_of_our_recoded_releases_are_their_equal_rows(tmp_path, kind, form):
    folder = publish(tmp_path / "release", kind, format=form)
    view = read(folder)
    manifest = manifest_of(folder)
    assert (view.publish, view.quasi_identifiers) == ("generalization", ("age", "zip", "nation", "born"))
    assert view.people == manifest["rows"]["published"]
    assert view.left_out == manifest["rows"]["suppressed"]
    assert (len(view.sizes), view.sizes.min()) == (manifest["groups"], manifest["smallest_group"])
    assert view.promises == (Promise("k_anonymity", {"k": 3}),)
    if form == "csv":
        rows = read_table(folder / "data.csv")
        texts = [tuple(row[c] for c in view.quasi_identifiers) for row in rows]
        order = list(dict.fromkeys(texts))
        assert view.sizes.tolist() == [Counter(texts)[text] for text in order]
        assert view.first_line.tolist() == [texts.index(text) + 2 for text in order]
    else:
        assert view.file == "data.parquet"


@pytest.mark.parametrize("kind", RECODED)
def test_everybody_who_is_published_is_covered_by_the_labels_of_as_many_people(tmp_path, kind):
    source = people()
    view = read(publish(tmp_path / "release", kind, source))
    inside = np.ones((len(view.sizes), len(source["age"])), dtype=bool)
    for region in view.regions:
        covered = np.array([covers(label, source[region.attribute]) for label in region.labels])
        inside &= covered[region.label]
    assert (inside.sum(axis=1) >= view.sizes).all()
    assert inside.any(axis=0).sum() >= view.people
    if kind == "generalization":  # every person is in the one group that covers them
        assert (inside.sum(axis=1) == view.sizes).all()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_suppressed_rows_of_nothing_but_stars_are_counted_apart(tmp_path, form):
    folder = publish(tmp_path / "release", "generalization", suppressed="star", format=form)
    suppressed = manifest_of(folder)["rows"]["suppressed"]
    view = read(folder)
    assert suppressed > 0
    assert (view.starred, view.left_out, view.people) == (suppressed, 0, 300 - suppressed)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["bucketization", "ambiguity"])
def test_groups_of_exact_values_are_joined_by_their_number(tmp_path, kind, form):
    source = people()
    folder = publish(tmp_path / "release", kind, source, format=form)
    view = read(folder)
    assert (view.publish, view.regions, view.starred) == (kind, (), 0)
    assert view.people + view.left_out == 300
    assert len(view.sizes) == manifest_of(folder)["groups"]
    [tally] = view.tallies
    assert np.bincount(tally.group, weights=tally.count).tolist() == view.sizes.tolist()
    assert {None, "", "flu"} <= {*tally.values}
    assert [table.columns for table in view.tables] == (
        [("age", "zip", "nation", "born")] if kind == "bucketization" else [("age",), ("zip",), ("nation",), ("born",)]
    )
    for table in view.tables:
        people_of = np.bincount(table.group, weights=table.frequencies.counts, minlength=len(view.sizes))
        assert (people_of == view.sizes).all() if kind == "bucketization" else (people_of <= view.sizes).all()
    if form == "csv":
        rows = read_table(folder / view.file)
        named = [row["group"] for row in rows]
        assert view.first_line.tolist() == [named.index(name) + 2 for name in dict.fromkeys(named)]


def test_a_promise_tells_its_attribute(tmp_path):
    [promise] = read(publish(tmp_path / "release", "bucketization")).promises
    assert (promise.model, promise.attribute, promise.parameters["l"]) == ("l_diversity", "disease", 2)


def test_another_tools_file_is_read_with_a_description(tmp_path):
    found = look(write_table(tmp_path / "data.csv", ROWS), DESCRIPTION | {"promises": [{"k_anonymity": {"k": 2}}]})
    view = found.view
    assert view.sizes.tolist() == [3, 1, 1]
    assert view.first_line.tolist() == [2, 3, 6]
    assert (view.starred, view.people, view.file) == (1, 5, "data.csv")
    assert found.group.tolist() == [0, 1, 0, -1, 2, 0]
    age, zip_code = view.regions
    assert [age.labels[i] for i in age.label] == [Between(20, 39), Between(60, None), Anything()]
    assert [type(zip_code.labels[i]).__name__ for i in zip_code.label] == ["Prefix", "Anything", "Anything"]
    [tally] = view.tallies
    counted = zip(tally.group.tolist(), (tally.values[v] for v in tally.value), tally.count.tolist(), strict=True)
    assert sorted(counted) == [(0, "cold", 1), (0, "flu", 2), (1, "gout", 1), (2, "flu", 1)]
    assert view.promised("k_anonymity") == {"k": 2}


def test_names_are_resolved_by_the_hierarchy_of_the_description(tmp_path):
    (tmp_path / "nation.csv").write_text("Spain;Europe;*\nFrance;Europe;*\nPeru;America;*\n", encoding="utf-8")
    rows = [{"nation": n} for n in ("Europe", "Peru", "*")]
    (tmp_path / "about.yaml").write_text("quasi_identifiers: [nation]\nhierarchies: {nation: nation.csv}\n")
    view = read(write_table(tmp_path / "data.csv", rows), tmp_path / "about.yaml")
    assert view.regions[0].labels == (OneOf(frozenset({"Spain", "France"}), "Europe"), Exactly("Peru"))
    assert view.starred == 1
    assert view.hierarchies["nation"][0] == ("Spain", "Europe", "*")


def test_rows_are_pointed_at_though_values_have_line_ends(tmp_path):
    rows = [{"age": "1", "disease": "two\nlines"}, {"age": "2", "disease": "x"}, {"age": "3", "disease": "y"}]
    path = write_table(tmp_path / "data.csv", rows)
    path.write_text("\n" + path.read_text())
    view = read(path, {"quasi_identifiers": ["age"], "sensitive": ["disease"]})
    assert view.first_line.tolist() == [3, 5, 6]


def test_another_tools_tables_are_joined_by_their_groups(tmp_path):
    folder = tmp_path / "anatomy"
    folder.mkdir()
    (folder / "qit.csv").write_text("age,sex,gid\n20,M,a\n30,F,a\n40,M,b\n41,M,b\n")
    (folder / "st.csv").write_text("gid,disease,n\na,flu,1\na,gout,1\nb,flu,2\n")
    about = {
        "quasi_identifiers": ["age", "sex"],
        "sensitive": "disease",
        "tables": {"qit.csv": ["age", "sex"], "st.csv": ["disease"]},
        "group": "gid",
        "count": "n",
    }
    view = read(folder, about)
    assert (view.publish, view.sizes.tolist(), view.first_line.tolist()) == ("bucketization", [2, 2], [2, 4])
    assert view.tallies[0].count.tolist() == [1, 1, 2]
    (folder / "st.csv").write_text("gid,disease,n\na,flu,1\na,gout,1\nb,flu,1\n")
    with pytest.raises(DataError, match=r"qit.csv: does not have as many rows in every group as st.csv"):
        read(folder, about)


def test_another_tools_groups_may_look_alike_where_they_have_numbers(tmp_path):
    rows = [
        {"id": g, "age": age, "disease": d}
        for g, age, d in [("b", "20-39", "flu"), ("a", "20-39", "cold"), ("b", "20-39", "gout"), ("a", "20-39", "flu")]
    ]
    path, about = write_table(tmp_path / "data.csv", rows), {"quasi_identifiers": ["age"], "sensitive": ["disease"]}
    assert read(path, about).sizes.tolist() == [4]
    view = read(path, about | {"group": "id"})
    assert (view.publish, view.sizes.tolist(), view.first_line.tolist()) == ("numbered_groups", [2, 2], [2, 3])
    assert [age.labels[i] for age in view.regions for i in age.label] == [Between(20, 39)] * 2
    rows[3]["age"] = "20-29"
    with pytest.raises(DataError, match="in which rows have different quasi-identifiers"):
        read(write_table(tmp_path / "data.csv", rows), about | {"group": "id"})
    with pytest.raises(DataError, match="no such column 'ids'; did you mean 'id'"):
        read(path, about | {"group": "ids"})


def test_a_row_may_stand_for_several_people(tmp_path):
    rows = [{"age": "20-39", "disease": d, "count": n} for d, n in (("flu", 3), ("cold", 1))]
    rows += [{"age": "*", "disease": "*", "count": 2}]
    about = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "count": "count"}
    found = look(write_table(tmp_path / "data.csv", rows), about)
    assert (found.view.sizes.tolist(), found.view.starred) == ([4], 2)
    assert found.view.tallies[0].count.tolist() == [3, 1]


def test_a_file_of_which_nothing_is_said_is_refused_with_a_description_to_edit(tmp_path):
    path = write_table(tmp_path / "data.csv", ROWS)
    with pytest.raises(DataError) as raised:
        read(path)
    assert "nothing is said about its columns" in str(raised.value)
    assert "quasi_identifiers: [age, zip]\nsensitive: [disease]\n" in str(raised.value)


def test_our_releases_need_no_description(tmp_path):
    folder = publish(tmp_path / "release", "generalization")
    with pytest.raises(DataError, match="its manifest goes before the description"):
        read(folder, DESCRIPTION)


def test_what_is_no_release_is_told(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        read(tmp_path / "nothing")
    with pytest.raises(DataError, match="has no manifest"):
        read(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "nothing.csv", DESCRIPTION)


@pytest.mark.parametrize("kind", REQUIRE)
@pytest.mark.parametrize("change", [{"rows": 1}, {"columns": ["x"]}, {"promises": 5}, {"roles": {}}, {"rows": {}}])
def test_a_manifest_that_is_none_is_told_without_a_traceback(tmp_path_factory, kind, change):
    folder = _made(tmp_path_factory, kind)
    copy = tmp_path_factory.mktemp("copy")
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "manifest.json").write_text(json.dumps(manifest_of(folder) | change))
    with pytest.raises(DataError):
        read(copy)


def _made(tmp_path_factory, kind, known={}):  # noqa: B006 one release of each kind is enough
    if kind not in known:
        known[kind] = publish(tmp_path_factory.mktemp("made") / kind, kind)
    return known[kind]


def test_suppressed_values_may_be_written_as_nothing(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age,zip,disease\n,471**,flu\n,471**,cold\n30,471**,flu\n,,\n")
    view = read(path, {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"], "suppressed": ""})
    assert (view.sizes.tolist(), view.starred) == ([2, 1], 1)
    assert [view.regions[0].labels[i] for i in view.regions[0].label] == [Anything(), Exactly("30")]


CELLS = st.sampled_from(["*", "1-2", "3", "{a, b}", "", "a"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["x", "y", "*"])), min_size=1, max_size=12))
def test_groups_and_tallies_are_those_that_one_counts_by_hand(tmp_path, rows):
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as f:
        csv.writer(f, quoting=csv.QUOTE_ALL).writerows([("a1", "b1", "c1"), *rows])
    view = read(path, {"quasi_identifiers": ["a1", "b1"], "sensitive": ["c1"]})
    starred = [row == ("*", "*", "*") for row in rows]
    kept = rows if all(starred) else [row for row, star in zip(rows, starred, strict=True) if not star]
    order = list(dict.fromkeys(row[:2] for row in kept))
    assert view.starred == len(rows) - len(kept)
    assert view.sizes.tolist() == [sum(row[:2] == key for row in kept) for key in order]
    assert view.first_line.tolist() == [[row[:2] for row in rows].index(key) + 2 for key in order] or any(starred)
    [tally] = view.tallies
    found = {
        (order[g], tally.values[v]): n
        for g, v, n in zip(tally.group.tolist(), tally.value.tolist(), tally.count.tolist(), strict=True)
    }
    assert found == Counter((row[:2], row[2]) for row in kept)
