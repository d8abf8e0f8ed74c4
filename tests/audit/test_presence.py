"""The audit of presence, from the files of a release and a list of people."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

from discreet.audit.presence.listed_exact import STEPS, audit_presence, to_json, to_text
from discreet.errors import DataError, DiscreetError, PolicyError
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from tests.patients import NAMES, PATIENTS
from tests.releases import making

GROUP = [0, 0, 0, 0, 1, 1, 1, 1]
APART = ((0,), (1,), (2,))


def table(rows, names=NAMES):
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def publish(folder, *, tables=APART, group=GROUP, form="csv", models=(), rows=PATIENTS):
    made = making.planned(table(rows), making.Columns(NAMES[:3], ("disease",)), group, tables=tables)
    making.release(made, folder, form=form, models=models)
    return folder


def product_of(*columns):
    return table(list(product(*columns)), NAMES[:3])


FIRST = (["45", "20", "50", "60"], ["M"], ["11000", "12000", "23000"])
SECOND = (["20", "50", "60"], ["F"], ["54000", "23000", "21000"])


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_everybody_who_could_exist_on_the_list_gives_the_papers_presence(tmp_path, form):
    everybody = {n: product_of(*FIRST)[n] + product_of(*SECOND)[n] for n in NAMES[:3]}
    found = audit_presence(publish(tmp_path / "release", form=form), everybody, alpha=0.4)
    # Alan's group 4 / (4 · 1 · 3), Alice's 4 / 9.
    assert found.without_list.worst == found.by_counting.worst == found.with_list.worst == 4 / 9
    assert (found.with_list.above, found.people, found.absent, found.published) == (9, 21, 0, 8)
    assert found.average == 8 / 21
    assert found.exact_groups == 2
    assert found.whole


def test_a_list_of_those_who_are_in_gives_everybody_away(tmp_path):
    found = audit_presence(publish(tmp_path / "release"), table([p[:3] for p in PATIENTS], NAMES[:3]))
    assert found.certain == 8
    assert found.with_list.worst == found.average == 1
    assert found.without_list.worst == 4 / 9


def test_a_list_with_no_more_people_than_are_published_gives_everybody_away(tmp_path):
    rows = [(a, "M", z, "flu") for a in ("45", "46") for z in ("1", "2")]
    folder = publish(tmp_path / "release", rows=rows, group=[0, 1, 1, 0])
    # Both groups cover all four, and by themselves tell nobody from the others.
    found = audit_presence(folder, table([r[:3] for r in rows], NAMES[:3]))
    assert found.by_counting.worst == 0.5
    assert (found.certain, found.with_list.worst) == (4, 1)
    more = audit_presence(folder, table([r[:3] for r in rows] * 2, NAMES[:3]))
    assert more.certain == 0
    assert more.with_list.worst == pytest.approx(2 / 8)
    assert more.over_all_groups.worst == pytest.approx(4 / 8)  # two groups, two of eight people in each


def test_a_value_that_one_person_has_gives_that_person_away(tmp_path):
    people = [("45", "M", "11000"), *[("20", "M", "12000"), ("50", "M", "23000"), ("60", "M", "23000")] * 3]
    people += [("45", "M", "23000")] * 2
    people += [p[:3] for p in PATIENTS if p[1] == "F"] * 3
    found = audit_presence(publish(tmp_path / "release"), table(people, NAMES[:3]))
    assert found.certain == 1  # the only one from 11000
    assert found.absent == 2  # four ages for four people: nobody else can be 45


def test_those_whom_no_group_covers_are_known_to_be_absent(tmp_path):
    people = [p[:3] for p in PATIENTS] + [("99", "M", "11000"), ("45", "F", "11000"), ("45", None, "")]
    found = audit_presence(publish(tmp_path / "release"), table(people, NAMES[:3]))
    assert found.absent == 3
    assert found.with_list.histogram == (3, *[0] * (len(STEPS) + 1), 8)


def test_tables_over_sets_are_held_against_combinations(tmp_path):
    folder = publish(tmp_path / "release", tables=((0, 2), (1,)))
    everybody = {n: product_of(*FIRST)[n] + product_of(*SECOND)[n] for n in NAMES[:3]}
    found = audit_presence(folder, everybody)
    # Ages and zips are published together: only the true eight fit.
    assert (found.certain, found.absent) == (8, 13)


def test_columns_of_the_list_may_stand_in_any_order_among_others(tmp_path):
    folder = publish(tmp_path / "release")
    people = table([p[:3] for p in PATIENTS] * 2, NAMES[:3])
    shuffled = {"name": [f"person {i}" for i in range(16)], "zip": people["zip"], "age": people["age"]}
    shuffled["gender"] = people["gender"]
    assert audit_presence(folder, shuffled) == audit_presence(folder, people)


def test_the_list_may_be_a_file(tmp_path):
    folder = publish(tmp_path / "release")
    lines = ["zip;age;gender", *(f"{z};{a};{g}" for a, g, z, _ in PATIENTS)]
    (tmp_path / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    assert audit_presence(folder, tmp_path / "people.csv").certain == 8


def test_null_and_the_empty_text_are_values_of_their_own(tmp_path):
    rows = [(None, "M", "1", "flu"), ("", "M", "2", "cold"), ("3", "M", "2", "flu")]
    folder = publish(tmp_path / "release", rows=rows, group=[0, 0, 0])
    found = audit_presence(folder, table([r[:3] for r in rows], NAMES[:3]))
    assert found.certain == 3
    without_null = audit_presence(folder, table([("", "M", "1"), *(r[:3] for r in rows[1:])], NAMES[:3]))
    assert without_null.contradicted == 1


def test_a_list_with_too_few_people_is_told(tmp_path):
    folder = publish(tmp_path / "release")
    found = audit_presence(folder, table([p[:3] for p in PATIENTS[:4]] + [("99", "M", "1")], NAMES[:3]))
    assert found.contradicted == 1  # the women's group
    assert found.certain == 4
    assert not found.whole
    assert "not everybody: 1 of 2 groups" in to_text(found)


def test_more_published_people_than_the_list_leaves_possible_is_told(tmp_path):
    rows = [("45", "M", "1", "flu"), ("46", "M", "2", "cold"), ("45", "M", "1", "gout"), ("46", "M", "2", "flu")]
    folder = publish(tmp_path / "release", rows=rows, group=[0, 0, 1, 1])
    found = audit_presence(folder, table([("45", "M", "1"), ("46", "M", "2")], NAMES[:3]))
    assert found.contradicted == 0  # each group by itself can be filled
    assert not found.whole
    assert "4 people are published, more than it leaves possible" in to_text(found)


def test_every_missing_column_is_named(tmp_path):
    with pytest.raises(DataError) as raised:
        audit_presence(publish(tmp_path / "release"), {"agee": ["45"], "zip": ["11000"]})
    assert [m.place for m in raised.value.mistakes] == ["population", "population"]
    assert "has no column 'age'; did you mean 'agee'?" in str(raised.value)
    assert "has no column 'gender'" in str(raised.value)


def test_values_written_in_another_way_are_told_instead_of_covering_nobody(tmp_path):
    people = table([(f"{a}.0", g, z) for a, g, z, _ in PATIENTS], NAMES[:3])
    with pytest.raises(DataError, match="no value of 'age' is one that the release has; write values as"):
        audit_presence(publish(tmp_path / "release"), people)


def test_an_empty_list_is_refused(tmp_path):
    with pytest.raises(DataError, match="nobody in it"):
        audit_presence(publish(tmp_path / "release"), {n: [] for n in NAMES[:3]})


def test_alpha_must_be_a_probability(tmp_path):
    with pytest.raises(PolicyError, match="alpha: must be between 0 and 1"):
        audit_presence(tmp_path, {}, alpha=2)


def test_the_promised_alpha_is_the_default_and_met_exactly_is_not_above(tmp_path):
    everybody = {n: product_of(*FIRST)[n] + product_of(*SECOND)[n] for n in NAMES[:3]}
    promise = (AlphaBeta("4/9", "1/2", "disease"),)
    folder = publish(tmp_path / "release", models=promise)
    found = audit_presence(folder, everybody)
    assert found.alpha == float(Fraction(4, 9))
    assert (found.without_list.above, found.by_counting.above, found.with_list.above) == (0, 0, 0)
    assert audit_presence(folder, everybody, alpha=0.3333).with_list.above == 21


def test_a_bucketized_release_hides_nobody(tmp_path):
    people = [p[:3] for p in PATIENTS] + [("45", "M", "11000"), ("99", "M", "11000")]
    found = audit_presence(publish(tmp_path / "release", tables=None), table(people, NAMES[:3]), alpha=0.5)
    # Two on the list are like Alan, and one of them is in; the others are alone.
    assert (found.certain, found.absent, found.people, found.published) == (7, 1, 10, 8)
    assert found.with_list.above == 7
    assert found.with_list.histogram[-1] == 7
    assert found.without_list.worst == 1
    assert "presence is not hidden" in to_text(found)


def test_a_bucketized_release_knows_when_the_list_is_not_everybody(tmp_path):
    folder = publish(tmp_path / "release", tables=None)
    found = audit_presence(folder, table([p[:3] for p in PATIENTS[:7]], NAMES[:3]))
    assert (found.contradicted, found.exact_groups, found.certain) == (1, 1, 7)


def test_text_and_json_say_the_same_with_what_is_assumed(tmp_path):
    everybody = {n: product_of(*FIRST)[n] + product_of(*SECOND)[n] for n in NAMES[:3]}
    found = audit_presence(publish(tmp_path / "release"), everybody, alpha=0.4)
    assert to_text(found).splitlines() == [
        "Who is in the release, for somebody who holds a list of 21 people",
        "  The list is taken to have everybody who may be in the table, once, with exact values.",
        "  Without the list: at most 44.4% for anybody; 9 people (42.9%) above 40%.",
        "    As promised in the release. Assumes that every combination of a group's values is a person.",
        "  With the list, by counting: at most 44.4% for anybody; 9 people (42.9%) above 40%.",
        "    Combinations that nobody has are struck out. Assumes that all whom a group covers are equally likely.",
        "  With the list, and every published value being somebody's: at most 44.4% for anybody; "
        "9 people (42.9%) above 40%.",
        "    Assumes that all ways to fill a group from the list are equally likely. 2 groups decided exactly, "
        "0 by what one table at a time tells (an estimate).",
        "  The same over all groups: at most 44.4% for anybody; 9 people (42.9%) above 40%.",
        "    The chances of somebody whom several groups cover add up. Assumes that nobody is in two groups; "
        "an estimate, since each group is weighed by itself.",
        "  Certain to be in: 0 people (0%).",
        "  Known not to be in: 0 people (0%), whose values fit nowhere.",
        "  On average: 38.1% for everybody else, since 8 of them are published.",
    ]
    said = json.loads(json.dumps(to_json(found)))
    assert said["with_list"]["worst"] == found.with_list.worst
    assert (said["average"], said["list_may_be_whole"]) == (8 / 21, True)
    assert len(said["with_list"]["histogram"]) == len(said["steps"]) + 3


def test_other_kinds_of_release_are_refused_plainly(tmp_path):
    folder = publish(tmp_path / "release")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"publish": "generalization"}))
    with pytest.raises(DiscreetError, match="was published by generalization"):
        audit_presence(folder, {"age": ["45"]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group_column": "nothing"}, "does not have the columns"),
        ({"tables": {"../x.csv": ["age"]}}, "every quasi-identifier exactly once"),
        ({"tables": {}}, "every quasi-identifier exactly once"),
        ({"roles": []}, "not the manifest of a release"),
        ({"promises": [1]}, "not the manifest of a release"),
    ],
)
def test_a_manifest_that_fits_no_files_is_told(tmp_path, change, message):
    folder = publish(tmp_path / "release")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | change))
    with pytest.raises(DataError, match=message):
        audit_presence(folder, table([p[:3] for p in PATIENTS], NAMES[:3]))


def test_what_is_no_release_is_told(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        audit_presence(tmp_path / "nothing", {})
    with pytest.raises(DataError, match="has no manifest"):
        audit_presence(tmp_path, {})
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(DataError, match="is not JSON"):
        audit_presence(tmp_path, {})


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("sensitive.csv", "group,disease,count\n1,flu,many\n2,flu,1\n", "no whole numbers"),
        ("sensitive.csv", "group,disease,count\n1,flu,1\n", "does not have the groups"),
        ("auxiliary_age.csv", "years,group\n45,1\n", "does not have the columns|none of the columns"),
    ],
)
def test_damaged_files_are_told(tmp_path, file, text, message):
    folder = publish(tmp_path / "release")
    (folder / file).write_text(text)
    with pytest.raises(DataError, match=message):
        audit_presence(folder, table([p[:3] for p in PATIENTS], NAMES[:3]))


def test_a_release_without_anybody_leaves_everybody_out(tmp_path):
    folder = publish(tmp_path / "release", group=[-1] * 8)
    found = audit_presence(folder, table([p[:3] for p in PATIENTS], NAMES[:3]))
    assert (found.absent, found.certain, found.published, found.with_list.worst) == (8, 0, 0, 0)
