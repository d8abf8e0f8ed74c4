"""A release beside its table: forgeries with right fingerprints must be seen, and true releases never doubted."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet
from discreet.audit.faults.comparison import compare
from discreet.audit.reading.release import look
from discreet.errors import DataError
from tests.audit.releasing import REQUIRE, change_rows, manifest_of, people, publish, read_table, resign, write_table

HIERARCHY = "give the column's hierarchy, or say in the description which values of the source they are"
GENERALIZED = ("generalization", "multidimensional", "local_recoding")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One release of each kind with nobody left out, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    return {kind: publish(folder / kind, kind, suppress=0) for kind in REQUIRE}


@pytest.fixture
def copied(made, tmp_path):
    def copy(kind):
        return shutil.copytree(made[kind], tmp_path / kind)

    return copy


def graves(path, source=None, description=None):
    found, _ = compare(look(path, description), people() if source is None else source)
    return [fault for fault in found if fault.grave]


def broken(folder):
    """The audit says that the release is not that of the table: exit code 1."""
    audit = discreet.audit_release(folder, source=people())
    untrue = {fault.fault for fault in audit.faults if fault.grave} & {"untrue_rows", "lost_rows"}
    assert not untrue or (not audit.kept and not audit.compared)
    return bool(untrue)


def set_cell(row, column, value, file="data.csv"):
    """One cell of a CSV (the row counted from 0), by its place; texts with commas are not among these columns."""

    def change(lines):
        at = lines[0].strip().split(",").index(column)
        cells = lines[row + 1].rstrip("\n").split(",")
        cells[at] = value
        return [*lines[: row + 1], ",".join(cells) + "\n", *lines[row + 2 :]]

    return lambda folder: change_rows(folder, change, file)


def age_of(row):
    """Where a label of ages begins; * last of the young."""
    return int(row["age"].split("-")[0]) if row["age"] != "*" else 40


@pytest.mark.parametrize("kind", REQUIRE)
def test_a_true_release_is_of_its_table(made, kind):
    found, sentence = compare(look(made[kind]), people())
    assert found == []
    assert sentence.endswith("can be made of its 300 rows.")
    assert discreet.audit_release(made[kind], source=people()).compared == sentence


OTHERWISE = [*product(REQUIRE, [{"format": "parquet"}, {"suppress": 0.4}]),
             *product(GENERALIZED, [{"suppressed": "star"}])]  # fmt: skip


@pytest.mark.parametrize(("kind", "words"), OTHERWISE)
def test_suppressed_rows_and_other_formats_are_no_forgery(tmp_path, kind, words):
    folder = publish(tmp_path / "release", kind, **words)
    found, sentence = compare(look(folder), people())
    assert (found, bool(sentence)) == ([], True)


@pytest.mark.parametrize("kind", GENERALIZED)
def test_a_changed_disease_is_reported(copied, kind):
    folder = copied(kind)
    value = read_table(folder / "data.csv")[7]["disease"]
    set_cell(7, "disease", "gout" if value != "gout" else "flu")(folder)
    assert broken(folder)


@pytest.mark.parametrize("kind", GENERALIZED)
def test_an_untrue_label_is_reported(copied, kind):
    folder = copied(kind)
    rows = read_table(folder / "data.csv")
    low, high = (min(rows, key=age_of)["age"], max(rows, key=age_of)["age"])
    if low == high == "*":  # nobody of the table is that old
        high = "90-99"
    row = next(i for i, row in enumerate(rows) if row["age"] == low)  # somebody young becomes old
    set_cell(row, "age", high)(folder)
    assert broken(folder)


@pytest.mark.parametrize("kind", GENERALIZED)
def test_a_lost_row_is_reported_though_the_manifest_fits(copied, kind):
    folder = copied(kind)
    change_rows(folder, lambda lines: lines[:-1])
    rows = manifest_of(folder)["rows"]
    resign(folder, rows=rows | {"source": 299, "published": 299}, groups=len(look(folder).view.sizes))
    assert broken(folder)
    resign(folder, rows=rows | {"published": 299})
    assert broken(folder)


@pytest.mark.parametrize("kind", GENERALIZED)
def test_a_doubled_row_is_reported(copied, kind):
    folder = copied(kind)
    rows = read_table(folder / "data.csv")
    other = next(i for i, row in enumerate(rows) if row != rows[0])
    change_rows(folder, lambda lines: [*lines[: other + 1], lines[1], *lines[other + 2 :]])
    assert broken(folder)
    folder = shutil.copytree(folder, folder.parent / "longer")
    change_rows(folder, lambda lines: [*lines, lines[1]])
    assert broken(folder)


@pytest.mark.parametrize("kind", GENERALIZED)
def test_values_that_were_exchanged_between_groups_are_reported(copied, kind):
    folder = copied(kind)
    groups = look(folder).group
    rows = read_table(folder / "data.csv")
    pairs = (
        (i, j) for i, j in product(range(60), range(60))
        if groups[i] != groups[j] and rows[i]["disease"] != rows[j]["disease"]
    )  # fmt: skip
    exact = [p for p in pairs if rows[p[0]]["age"] != rows[p[1]]["age"]]
    reported = []
    for i, j in exact[:10]:
        forged = shutil.copytree(folder, folder.parent / f"{kind}-{i}-{j}")
        set_cell(i, "disease", rows[j]["disease"])(forged)
        set_cell(j, "disease", rows[i]["disease"])(forged)
        reported.append(bool(graves(forged)))
    # Where groups overlap somebody may stand in either; where they do not, each exchange is one too many.
    assert all(reported) if kind == "generalization" else any(reported)


def test_people_who_are_not_in_the_table_are_reported_in_tables_apart(copied):
    folder = copied("bucketization")
    set_cell(4, "age", "99", "quasi_identifiers.csv")(folder)
    assert broken(folder)
    folder = copied("ambiguity")
    set_cell(4, "age", "99", "auxiliary_age.csv")(folder)
    assert broken(folder)


@pytest.mark.parametrize("kind", ["bucketization", "ambiguity"])
def test_a_changed_disease_is_reported_in_tables_apart(copied, kind):
    folder = copied(kind)
    value = read_table(folder / "sensitive.csv")[7]["disease"]
    set_cell(7, "disease", "gout" if value != "gout" else "flu", "sensitive.csv")(folder)
    assert broken(folder)


def test_values_exchanged_between_groups_are_reported_in_tables_apart(copied):
    folder = copied("bucketization")
    rows = read_table(folder / "sensitive.csv")
    within = {g: [row["disease"] for row in rows if row["group"] == g] for g in {row["group"] for row in rows}}
    j = next(i for i, row in enumerate(rows) if row["disease"] and row["disease"] not in within[rows[0]["group"]])
    first = rows[0]["disease"] or '""'
    assert rows[0]["disease"] not in within[rows[j]["group"]] or len({*within[rows[j]["group"]]}) > 1
    set_cell(0, "disease", rows[j]["disease"], "sensitive.csv")(folder)
    set_cell(j, "disease", first, "sensitive.csv")(folder)
    assert broken(folder)


def test_people_exchanged_between_groups_are_reported(copied):
    folder = copied("bucketization")
    rows = read_table(folder / "quasi_identifiers.csv")
    source = people()
    own = {(a, z, b): d or "" for a, z, b, d in
           zip(source["age"], source["zip"], source["born"], source["disease"], strict=True)}  # fmt: skip
    values = {}
    for row in read_table(folder / "sensitive.csv"):
        values.setdefault(row["group"], set()).add(row["disease"])
    disease = [own[row["age"], row["zip"], row["born"]] for row in rows]
    j = next(i for i in range(1, 300) if disease[i] not in values[rows[0]["group"]])
    set_cell(0, "group", rows[j]["group"], "quasi_identifiers.csv")(folder)
    set_cell(j, "group", rows[0]["group"], "quasi_identifiers.csv")(folder)
    assert broken(folder)


def test_an_ambiguous_group_with_a_value_that_nobody_of_it_has_is_reported(copied):
    folder = copied("ambiguity")
    rows = read_table(folder / "auxiliary_zip.csv")
    once = [g for g, n in Counter(row["group"] for row in rows).items() if n == 1]
    assert once
    zips = {"47906", "47907", "47302", "12345", "479"} - {row["zip"] for row in rows if row["group"] == once[0]}
    change_rows(folder, lambda lines: [*lines, f"{sorted(zips)[0]},{once[0]}\n"], "auxiliary_zip.csv")
    assert broken(folder)


def test_values_that_a_search_exchanged_on_purpose_are_said_not_to_be_compared(tmp_path):
    diverse = [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2, "kind": "frequency"}}]
    source = people() | {"disease": [("flu", "cold", "gout")[i % 3] for i in range(300)]}
    folder = publish(tmp_path / "release", "bucketization", source, require=diverse, search="mask")
    assert manifest_of(folder)["distorted"] == ["disease"]
    found, sentence = compare(look(folder), source)
    assert [(fault.fault, fault.grave) for fault in found] == [("not_compared", False)]
    assert "but for sensitive.csv: disease" in sentence
    assert discreet.audit_release(folder, source=source).kept is True  # the release says so itself


def test_columns_that_are_published_as_they_are_are_compared_too(tmp_path):
    source = people() | {"ward": [f"w{i % 7}" for i in range(300)], "cost": [i / 7 for i in range(300)]}
    for kind in ("generalization", "bucketization"):
        words = {"role": "other"}
        from tests.audit.releasing import words as policy_words

        attributes = policy_words(kind)["attributes"] | {"ward": words, "cost": words}
        folder = publish(tmp_path / kind, kind, source, attributes=attributes, suppress=0)
        assert graves(folder, source) == []
        file = "data.csv" if kind == "generalization" else "quasi_identifiers.csv"
        set_cell(2, "ward", "w9", file)(folder)
        assert [fault.fault for fault in graves(folder, source)] == ["untrue_rows"]
        without = {c: v for c, v in source.items() if c != "ward"}
        found, _ = compare(look(folder), without)
        assert [(fault.fault, fault.place) for fault in found if "ward" in fault.place] == [("not_compared", "ward")]


def test_another_table_is_reported(made):
    for kind in REQUIRE:
        assert graves(made[kind], people(seed=2))
        assert graves(made[kind], people(301))


def test_a_source_in_another_code_is_said_to_be_compared_with_nothing(made, tmp_path):
    other = people() | {"disease": [f"code {d}" for d in people()["disease"]]}
    fault = next(f for f in compare(look(made["generalization"]), other)[0] if f.fault == "not_compared")
    assert (fault.place, fault.grave) == ("data.csv: disease", True)  # nothing of ours is ever recoded
    path = write_table(tmp_path / "theirs.csv", [{"age": "20-39", "disease": "code 1"}] * 3)
    about = {"quasi_identifiers": ["age"], "sensitive": ["disease"]}
    [fault] = compare(look(path, about), people())[0]
    assert (fault.fault, fault.place, fault.grave) == ("not_compared", "theirs.csv: disease", False)


def test_names_that_nobody_explains_are_said_to_fit_anything(tmp_path):
    rows = [{"nation": n, "disease": d} for n, d in (("Europe", "flu"), ("Spain", "cold"), ("Peru", "gout"))]
    about = {"quasi_identifiers": ["nation"], "sensitive": ["disease"]}
    [fault] = compare(look(write_table(tmp_path / "theirs.csv", rows), about), people())[0]
    assert (fault.fault, fault.grave, fault.repair) == ("not_compared", False, HIERARCHY)
    told = about | {"hierarchies": {"nation": [["Spain", "Europe"], ["France", "Europe"]]}}
    assert compare(look(tmp_path / "theirs.csv", told), people())[0] == []


def test_a_table_of_shares_is_no_source(made):
    found, sentence = compare(look(made["generalization"]), people() | {"p": [0.5] * 300})
    assert [(fault.fault, fault.grave) for fault in found] == [("not_compared", False)]
    assert not sentence


def test_a_source_without_a_column_is_a_mistake(made):
    with pytest.raises(DataError, match="source: has no column 'zip'"):
        compare(look(made["generalization"]), {c: v for c, v in people().items() if c != "zip"})


def test_a_release_about_some_people_of_its_source_is_no_forgery(tmp_path):
    source = people() | {"disease": ["gout" if i % 3 else "cold" for i in range(300)]}
    folder = publish(
        tmp_path / "release", "multidimensional", source, require=[{"presence": {"delta": [0, 0.9]}}],
        private={"disease": "gout"}, suppress=0,
    )  # fmt: skip
    assert graves(folder, source) == []


def test_intervals_in_sets_and_values_called_like_labels_are_read_as_they_were_written(tmp_path):
    draw = random.Random(284)
    dose = [draw.choice([-4.489, -1.7, 2.7, 3.702, 3.8, 0.6, None]) for _ in range(60)]
    code = [draw.choice(["{*}", "Z", "20-39", "{a, b}", "", None]) for _ in range(60)]
    source = {"dose": dose, "code": code, "disease": [draw.choice(["flu", "cold"]) for _ in range(60)]}
    coarser = {"role": "quasi_identifier", "hierarchy": {"intervals": [1, 2]}}
    attributes = {"dose": coarser, "code": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    texts = ""
    for kind, k in product(GENERALIZED, (2, 4, 12)):
        folder = tmp_path / f"{kind}-{k}"
        publish(folder, kind, source, attributes=attributes, require=[{"k_anonymity": {"k": k}}])
        texts += (folder / "data.csv").read_text()
        assert graves(folder, source) == []
    assert "), NULL}" in texts.replace('"', "")  # else this tests nothing
    assert "{*}" in texts


def test_nothing_that_somebody_has_is_quoted(copied):
    folder = copied("generalization")
    set_cell(7, "disease", "a secret")(folder)
    assert "a secret" not in str(graves(folder))
    assert graves(folder)[0].line == 9


LABELS = {"1": {"1"}, "2": {"2"}, "3": {"3"}, "1-2": {"1", "2"}, "2-3": {"2", "3"}, "*": {"1", "2", "3", "4"}}
SOURCES = st.lists(
    st.tuples(st.sampled_from("1234"), st.sampled_from("xy"), st.sampled_from("ab")), min_size=3, max_size=5
)
ABOUT = {"quasi_identifiers": ["n", "m"], "sensitive": ["s"], "columns": {"n": "interval"}}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(SOURCES, st.data())
def test_a_fault_is_told_exactly_if_no_assignment_exists(tmp_path, source, data):
    many = data.draw(st.integers(1, len(source)))
    published = []
    for n, m, s in source[:many]:
        fitting = [label for label, values in LABELS.items() if n in values]
        row = [data.draw(st.sampled_from(fitting)), data.draw(st.sampled_from([m, "*"])), s]
        change = data.draw(st.integers(0, 8))
        if change < 3:
            row[change] = data.draw(st.sampled_from([[*LABELS], ["x", "y", "*"], ["a", "b"]][change]))
        published.append(tuple(row))
    exists = any(
        all(n in LABELS[p] and q in (m, "*") and s == t for (n, m, s), (p, q, t) in zip(order, published, strict=True))
        for order in permutations(source, many)
    )
    write_table(tmp_path / "theirs.csv", [{"n": p, "m": q, "s": t} for p, q, t in published])
    columns = dict(zip("nms", map(list, zip(*source, strict=True)), strict=True))
    found, _ = compare(look(tmp_path / "theirs.csv", ABOUT), columns)
    if all(fault.fault == "untrue_rows" for fault in found):  # nothing that can't be read at all
        assert bool(found) != exists


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(SOURCES, st.data())
def test_tables_apart_are_doubted_only_if_no_assignment_exists(tmp_path, source, data):
    source = [(n, m, s) for n, m, s in source]
    groups = [data.draw(st.integers(1, 2)) for _ in source]
    persons = [(n, m, g) for (n, m, _), g in zip(source, groups, strict=True)]
    values = [(s, g) for (_, _, s), g in zip(source, groups, strict=True)]
    if data.draw(st.booleans()):
        i, j = (data.draw(st.integers(0, len(source) - 1)) for _ in "ij")
        values[i], values[j] = (values[j][0], values[i][1]), (values[i][0], values[j][1])
    exists = any(
        all((n, m) == (p, q) for (n, m, _), (p, q, _) in zip(order, persons, strict=True))
        and Counter((s, g) for (_, _, s), (_, _, g) in zip(order, persons, strict=True)) == Counter(values)
        for order in permutations(source)
    )
    folder = tmp_path / "apart"
    folder.mkdir(exist_ok=True)
    write_table(folder / "people.csv", [{"n": n, "m": m, "g": g} for n, m, g in persons])
    write_table(folder / "values.csv", [{"g": g, "s": s} for s, g in values])
    about = ABOUT | {"tables": {"people.csv": ["n", "m"], "values.csv": ["s"]}, "group": "g"}
    columns = dict(zip("nms", map(list, zip(*source, strict=True)), strict=True))
    found, _ = compare(look(folder, {k: v for k, v in about.items() if k != "columns"}), columns)
    if exists or len({(n, m) for n, m, _ in source}) == len(source):  # people who are told apart
        assert bool(found) != exists


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(SOURCES, st.data())
def test_ambiguous_tables_are_doubted_only_if_no_assignment_exists(tmp_path, source, data):
    groups = [data.draw(st.integers(1, 2)) for _ in source]
    said = [list(row) for row in source]
    if data.draw(st.booleans()):
        i, column = data.draw(st.integers(0, len(source) - 1)), data.draw(st.integers(0, 2))
        said[i][column] = data.draw(st.sampled_from(["1234", "xy", "ab"][column]))

    def tables(rows, groups):
        return (
            {(row[0], g) for row, g in zip(rows, groups, strict=True)},
            {(row[1], g) for row, g in zip(rows, groups, strict=True)},
            Counter((row[2], g) for row, g in zip(rows, groups, strict=True)),
        )

    published = tables(said, groups)
    exists = any(tables(source, order) == published for order in product((1, 2), repeat=len(source)))
    folder = tmp_path / "ambiguous"
    folder.mkdir(exist_ok=True)
    for name, entries in zip("nm", published, strict=False):
        write_table(folder / f"{name}.csv", [{name: v, "g": g} for v, g in sorted(entries)])
    write_table(folder / "s.csv", [{"g": g, "s": v, "many": n} for (v, g), n in sorted(published[2].items())])
    about = {
        "quasi_identifiers": ["n", "m"], "sensitive": ["s"], "group": "g", "count": "many",
        "tables": {"n.csv": ["n"], "m.csv": ["m"], "s.csv": ["s"]},
    }  # fmt: skip
    columns = dict(zip("nms", map(list, zip(*source, strict=True)), strict=True))
    found, _ = compare(look(folder, about), columns)
    if exists:
        assert found == []


def test_random_forgeries_of_every_kind_are_seen_or_possible(made, tmp_path):
    """A hundred changes of one cell in releases where nobody is left out: none can be a row of the table."""
    draw = random.Random(11)
    for kind in GENERALIZED:
        folder = shutil.copytree(made[kind], tmp_path / kind)
        table = (folder / "data.csv").read_bytes()
        rows = read_table(folder / "data.csv")
        for _ in range(33):
            at = draw.randrange(len(rows))
            value = draw.choice([d for d in ("flu", "cold", "gout", "stroke", "pest") if d != rows[at]["disease"]])
            set_cell(at, "disease", value)(folder)
            assert graves(folder), (kind, at, value)
            (folder / "data.csv").write_bytes(table)
