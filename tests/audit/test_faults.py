"""Seeded faults: each is put into an otherwise good release and must be reported; the good release reports nothing."""

from __future__ import annotations

import json
import random
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.audit.faults.faults import faults
from discreet.audit.faults.finer_labels import finer_labels
from discreet.audit.faults.row_order import Ordered, sorting, together, unexplained
from discreet.audit.reading.labels import covers
from discreet.audit.reading.release import look
from discreet.audit.reading.texts import labels_of
from discreet.errors import DataError
from tests.audit.releasing import (
    PLAIN,
    REQUIRE,
    change_rows,
    in_order,
    manifest_of,
    people,
    publish,
    read_table,
    write_table,
)

DIVERSE = [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2, "kind": "distinct"}}]
KINDS = {kind: DIVERSE if "k_anonymity" in str(require) else require for kind, require in REQUIRE.items()}
ABOUT = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"], "promises": DIVERSE}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One release of each kind, to be copied."""
    return {k: publish(tmp_path_factory.mktemp("made") / k, k, people(), require=r) for k, r in KINDS.items()}


@pytest.fixture
def copied(made, tmp_path):
    def copy(kind):
        return shutil.copytree(made[kind], tmp_path / kind)

    return copy


def found(path, description=None, source=None):
    return {fault.fault: fault for fault in faults(look(path, description), source)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_good_release_has_no_faults(made, kind):
    assert found(made[kind]) == {}
    assert found(made[kind], source=people()) == {}


@pytest.mark.parametrize("suppressed", ["star", "drop"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_suppressed_rows_of_a_good_release_are_no_fault(tmp_path, suppressed, form):
    words = {"suppressed": suppressed, "format": form, "require": DIVERSE}
    folder = publish(tmp_path / "release", "generalization", **words)
    assert manifest_of(folder)["rows"]["suppressed"] > 0
    assert found(folder) == found(folder, source=people()) == {}


def test_a_group_below_k_is_reported(copied):
    folder = copied("generalization")
    size, line = look(folder).view.sizes.min(), None
    view = look(folder).view
    smallest = int(np.argmin(view.sizes))
    line = int(view.first_line[smallest])
    assert size == 3
    change_rows(folder, lambda lines: lines[: line - 1] + lines[line:])
    fault = found(folder)["group_below_k"]
    assert (fault.count, fault.place, fault.grave) == (1, "data.csv", True)
    assert fault.rule == "1 group has fewer than 3 rows"
    assert fault.line >= line


def test_a_homogeneous_group_is_reported(copied):
    folder = copied("generalization")
    release = look(folder)
    group = int(np.argmin(release.view.sizes))
    members = np.flatnonzero(release.group == group) + 1

    def same(lines):
        return [line.rsplit(",", 1)[0] + ",flu\n" if i in members else line for i, line in enumerate(lines)]

    change_rows(folder, same)
    fault = found(folder)["homogeneous_group"]
    assert (fault.count, fault.line, fault.grave) == (1, members[0] + 1, True)
    assert "one value of disease only" in fault.rule


def test_a_homogeneous_group_breaks_no_promise_where_only_k_is_promised(tmp_path):
    rows = [{"age": "1", "disease": "flu"}] * 3 + [{"age": "2", "disease": d} for d in ("flu", "cold", "gout")] * 2
    about = {"quasi_identifiers": "age", "sensitive": "disease", "promises": [{"k_anonymity": {"k": 3}}]}
    [fault] = faults(look(write_table(tmp_path / "data.csv", rows), about))
    assert (fault.fault, fault.grave) == ("homogeneous_group", False)


@pytest.mark.parametrize(("values", "grave"), [(["HIV", ["gout", "flu"]], True), (["HIV"], False)])
def test_a_homogeneous_group_breaks_a_promise_only_if_that_speaks_of_its_value(tmp_path, values, grave):
    rows = [{"age": "1", "disease": "flu"}] * 3 + [{"age": "2", "disease": d} for d in ("flu", "cold", "gout")]
    promises = [{"robust": {"r": 2, "values": values}}]
    about = {"quasi_identifiers": "age", "sensitive": "disease", "promises": promises}
    fault = found(write_table(tmp_path / "data.csv", rows), about)["homogeneous_group"]
    assert fault.grave == grave


@pytest.mark.parametrize("kind", ["generalization", "multidimensional", "local_recoding"])
def test_a_suppressed_row_that_kept_its_value_is_reported(copied, kind):
    folder = copied(kind)
    change_rows(folder, lambda lines: [*lines[:5], "*,*,*,*,flu\n", *lines[5:]])
    fault = found(folder)["suppressed_row_with_value"]
    assert (fault.count, fault.line, fault.place) == (1, 6, "data.csv: disease")


def test_an_ambiguous_group_above_alpha_is_reported(copied):
    folder = copied("ambiguity")
    # All values of the first group but one per table are taken away: its people can be put together.
    for file in ("auxiliary_age.csv", "auxiliary_zip.csv", "auxiliary_nation.csv", "auxiliary_born.csv"):
        change_rows(folder, _once_per_group("1"), file)
    fault = found(folder)["group_above_alpha"]
    assert (fault.count, fault.line) == (1, 2)
    assert fault.rule == "1 group has a presence above 0.5"


def _once_per_group(group):
    def change(lines):
        inside = [line for line in lines if line.strip().endswith(f",{group}")]
        return [line for line in lines if line not in inside[1:]]

    return change


def test_an_ambiguous_group_above_beta_is_reported(copied):
    folder = copied("ambiguity")
    change_rows(folder, lambda lines: [lines[0], lines[1].replace(",1\n", ",9\n"), *lines[2:]], "sensitive.csv")
    reported = found(folder)
    assert reported["group_above_beta"].rule == "1 group has a value with an association above 0.5"
    assert reported["group_above_beta"].line == 2


def test_exactly_at_the_promise_is_no_fault(made):
    # Groups of two people with a presence and associations of 1/2 are what the search makes.
    view = look(made["ambiguity"]).view
    assert (view.tallies[0].count * 2 == view.sizes[view.tallies[0].group]).any()
    assert found(made["ambiguity"]) == {}


ORDINARY = {"homogeneous_group"}


def test_rows_in_the_order_of_the_source_are_reported(tmp_path):
    source = people()
    rows = in_order(source)
    reported = found(write_table(tmp_path / "data.csv", rows), PLAIN, source)
    assert reported["rows_in_order"].grave
    assert "the order of the source (by chance with p" in reported["rows_in_order"].rule
    random.Random(7).shuffle(rows)
    assert found(write_table(tmp_path / "data.csv", rows), PLAIN, source).keys() <= ORDINARY


def test_rows_in_the_order_of_the_source_are_reported_though_some_were_left_out(tmp_path):
    source = people()
    rows = [row for i, row in enumerate(in_order(source)) if i % 7]
    assert "rows_in_order" in found(write_table(tmp_path / "data.csv", rows), PLAIN, source)
    random.Random(7).shuffle(rows)
    assert found(write_table(tmp_path / "data.csv", rows), PLAIN, source).keys() <= ORDINARY


def test_rows_mostly_in_the_order_of_the_source_are_reported(tmp_path):
    source = people()
    rows = in_order(source)
    rows[:100] = random.Random(7).sample(rows[:100], 100)
    assert "rows_in_order" in found(write_table(tmp_path / "data.csv", rows), PLAIN, source)


def apart(folder, order_of_people, order_of_values):
    """People and values in two tables, joined by groups of five."""
    source = people()
    folder.mkdir()
    group = {i: i % 60 for i in range(300)}
    pairs = [{"age": source["age"][i], "zip": source["zip"][i], "gid": group[i]} for i in order_of_people]
    write_table(folder / "people.csv", pairs)
    values = [{"gid": group[i], "disease": source["disease"][i] or "none"} for i in order_of_values]
    write_table(folder / "values.csv", values)
    about = {**PLAIN, "tables": {"people.csv": ["age", "zip"], "values.csv": ["disease"]}, "group": "gid"}
    return found(folder, about, source | {"disease": [d or "none" for d in source["disease"]]})


def test_people_in_the_order_of_the_source_are_reported_in_tables_apart(tmp_path):
    shuffled = random.Random(4).sample(range(300), 300)
    assert apart(tmp_path / "people", range(300), shuffled)["rows_in_order"].place == "people.csv"
    assert apart(tmp_path / "values", shuffled, range(300))["rows_in_order"].place == "values.csv"


def test_values_in_the_order_of_the_source_within_each_group_are_reported(tmp_path):
    """Groups one after the other; whoever knows who is in a group, and in which order the source has them."""
    shuffled = random.Random(4).sample(range(300), 300)
    by_group = sorted(range(300), key=lambda i: (i % 60, i))
    assert apart(tmp_path / "in order", shuffled, by_group)["rows_in_order"].place == "values.csv"
    mixed = sorted(random.Random(5).sample(range(300), 300), key=lambda i: i % 60)
    assert apart(tmp_path / "mixed", shuffled, mixed).keys() <= ORDINARY


def test_tables_in_the_same_order_are_reported(tmp_path):
    one, other = random.Random(4).sample(range(300), 300), random.Random(5).sample(range(300), 300)
    fault = apart(tmp_path / "same", one, one)["tables_linked"]
    assert fault.place == "values.csv: disease"
    assert "people.csv and values.csv are in the same order" in fault.rule
    assert apart(tmp_path / "other", one, other).keys() <= ORDINARY


def test_a_file_that_is_sorted_by_what_it_publishes_tells_nothing(tmp_path):
    source = people()
    rows = sorted(in_order(source), key=lambda row: (row["age"], row["zip"], str(row["disease"])))
    order = sorted(range(300), key=lambda i: (int(source["age"][i]), source["zip"][i][:2], str(source["disease"][i])))
    sorted_source = {column: [values[i] for i in order] for column, values in source.items()}
    path = write_table(tmp_path / "data.csv", rows)
    assert found(path, PLAIN).keys() <= ORDINARY
    assert found(path, PLAIN, sorted_source).keys() <= ORDINARY


def test_a_column_that_was_sorted_before_it_was_made_coarser_is_a_sign(tmp_path):
    source = people()
    order = sorted(range(300), key=lambda i: int(source["age"][i]))
    rows = [in_order(source)[i] for i in order]
    fault = found(write_table(tmp_path / "data.csv", rows), PLAIN)["rows_in_order"]
    assert (fault.place, fault.grave) == ("data.csv: age", False)
    assert "runs of equal values, p below 1e-99" in fault.rule


def test_a_column_that_nobody_described_but_the_rows_follow_is_seen_in_the_others(tmp_path):
    draw = random.Random(3)  # wards one after the other, each with its own diseases; the ward itself is not published
    rows = [{"age": str(draw.randint(0, 3)), "zip": "1", "disease": f"d{ward}{draw.randint(0, 2)}"}
            for ward in range(6) for _ in range(50)]  # fmt: skip
    assert found(write_table(tmp_path / "data.csv", rows), PLAIN)["rows_in_order"].place == "data.csv: disease"


def test_groups_one_after_the_other_tell_nothing(tmp_path):
    rows = in_order(people())
    random.Random(7).shuffle(rows)
    groups = list(dict.fromkeys((row["age"], row["zip"]) for row in rows))
    rows.sort(key=lambda row: groups.index((row["age"], row["zip"])))
    assert found(write_table(tmp_path / "data.csv", rows), PLAIN).keys() <= ORDINARY


@pytest.mark.parametrize("name", ["Unnamed: 0", "", "id"])
def test_a_leaked_row_number_is_reported(tmp_path, name):
    rows = in_order(people())
    random.Random(7).shuffle(rows)
    path = write_table(tmp_path / "data.csv", [{name: i, **row} for i, row in enumerate(rows)])
    reported = found(path, PLAIN)
    assert reported["row_number"].place == f"data.csv: {name or 'Unnamed: 0'}"
    assert reported["row_number"].rule == "numbers the rows"
    assert reported["unnamed_column"].place == f"data.csv: {name or 'Unnamed: 0'}"


def test_the_row_numbers_of_what_is_left_are_reported(tmp_path):
    rows = [{"": i, **row} for i, row in enumerate(in_order(people())) if i % 3]
    reported = found(write_table(tmp_path / "data.csv", rows), PLAIN, people())
    assert reported["row_number"].rule.startswith("rises from row to row")
    assert "rows_in_order" in reported


def test_a_row_number_in_our_own_release_is_reported(copied):
    folder = copied("generalization")
    change_rows(folder, lambda lines: [f"{i or 'row'},{line}" for i, line in enumerate(lines)])
    assert {"row_number", "unnamed_column"} <= found(folder).keys()


def test_a_unique_key_is_reported_and_sensitive_values_that_are_all_different_are_told_apart(tmp_path):
    draw = random.Random(5)
    rows = [{**row, "disease": draw.random(), "key": draw.getrandbits(64)} for row in in_order(people())]
    draw.shuffle(rows)
    reported = faults(look(write_table(tmp_path / "data.csv", rows), {**PLAIN, "others": ["key"]}))
    assert [(f.fault, f.place, f.grave) for f in reported] == [
        ("row_number", "data.csv: key", True),
        ("values_that_find_people", "disease", False),
    ]


def test_identifiers_that_were_left_are_reported(copied, tmp_path):
    folder = copied("bucketization")
    change_rows(folder, lambda lines: [f"{'name' if not i else 'x'},{line}" for i, line in enumerate(lines)],
                "quasi_identifiers.csv")  # fmt: skip
    assert found(folder)["identifier"].place == "quasi_identifiers.csv: name"
    rows = [{"name": "x", **row} for row in in_order(people())]
    about = {**PLAIN, "identifiers": ["name"]}
    assert "identifier" in found(write_table(tmp_path / "data.csv", rows), about)
    starred = [row | {"name": "*"} for row in rows]
    assert "identifier" not in found(write_table(tmp_path / "data.csv", starred), about)


def test_a_value_that_is_finer_than_others_of_its_column_is_reported(copied):
    folder = copied("generalization")
    release = look(folder)
    rows = read_table(folder / "data.csv")
    at = next(i for i, row in enumerate(rows) if "-" in row["age"])
    low = rows[at]["age"].split("-")[0]
    change_rows(
        folder, lambda lines: [low + line[line.index(",") :] if i == at + 1 else line for i, line in enumerate(lines)]
    )
    fault = found(folder)["finer_value"]
    assert (fault.place, fault.line, fault.count, fault.grave) == ("data.csv: age", at + 2, 1, True)
    assert release.view.people == 300 - manifest_of(folder)["rows"]["suppressed"]


def test_an_exact_value_among_anothers_intervals_is_a_sign(tmp_path):
    rows = in_order(people())
    random.Random(7).shuffle(rows)
    rows[17]["age"] = "25"
    fault = found(write_table(tmp_path / "data.csv", rows), PLAIN)["finer_value"]
    assert (fault.place, fault.line, fault.grave) == ("data.csv: age", 19, False)


def test_lost_nulls_are_reported(tmp_path):
    source = people()
    source["age"][::10] = [None] * 30
    kept = [i for i in range(300) if source["age"][i] is not None]
    rows = in_order({column: [values[i] for i in kept] for column, values in source.items()})
    random.Random(7).shuffle(rows)
    fault = found(write_table(tmp_path / "data.csv", rows), PLAIN, source)["lost_nulls"]
    assert (fault.place, fault.count) == ("data.csv: age", 30)
    rows += [{"age": None, "zip": "47***", "disease": "flu"}] * 30
    random.Random(7).shuffle(rows)
    assert "lost_nulls" not in found(write_table(tmp_path / "data.csv", rows), PLAIN, source)


def test_people_whom_a_release_is_not_about_may_be_those_without_a_value(tmp_path):
    source = people()
    source["age"][0] = None
    source["disease"] = ["flu", *("gout" if i % 3 else "cold" for i in range(299))]
    folder = publish(
        tmp_path / "release", "multidimensional", source, require=[{"presence": {"delta": [0, 0.9]}}],
        private={"disease": "gout"}, suppress=0,
    )  # fmt: skip
    assert all(row["age"] for row in read_table(folder / "data.csv"))
    assert "lost_nulls" not in found(folder, source=source)


def test_suppressed_values_are_told_to_be_counted_as_one(tmp_path):
    rows = in_order(people())
    for row in rows[:7]:
        row["disease"] = "*"
    random.Random(7).shuffle(rows)
    fault = found(write_table(tmp_path / "data.csv", rows), PLAIN)["suppressed_value"]
    assert (fault.place, fault.count, fault.grave) == ("data.csv: disease", 7, False)


def test_suppressed_rows_may_be_those_without_a_value(tmp_path):
    source = people()
    source["age"][0] = None
    folder = publish(tmp_path / "release", "generalization", source, require=DIVERSE, suppress=0.1)
    assert all(row["age"] for row in read_table(folder / "data.csv"))  # else this tests nothing
    assert "lost_nulls" not in found(folder, source=source)


def test_a_lone_null_is_a_group_of_one(tmp_path):
    rows = [{"age": "20-39", "zip": "4", "disease": d} for d in ("flu", "cold", "gout")]
    rows.insert(1, {"age": None, "zip": "4", "disease": "flu"})
    fault = found(write_table(tmp_path / "data.csv", rows), ABOUT)["group_below_k"]
    assert (fault.count, fault.line) == (1, 3)


def test_a_changed_file_is_reported(copied):
    folder = copied("local_recoding")
    (folder / "data.csv").write_bytes((folder / "data.csv").read_bytes().replace(b"flu", b"gout", 1))
    (folder / "source.csv").write_text("name,disease\n")
    (folder / "report.html").unlink()
    reported = found(folder)
    assert {"changed_file", "missing_file", "unlisted_file"} <= reported.keys()
    assert reported["unlisted_file"].place == "source.csv"


def test_a_changed_manifest_is_reported(copied):
    folder = copied("generalization")
    changed = manifest_of(folder) | {"groups": 7, "rows": {"source": 400, "published": 1, "suppressed": 0}}
    (folder / "manifest.json").write_text(json.dumps(changed))
    reported = faults(look(folder))
    assert {f.fault for f in reported} == {"changed_manifest", "wrong_count", "lost_rows"}
    assert {f.count for f in reported if f.fault == "lost_rows"} == {399}


def test_a_source_without_the_columns_is_told(made):
    with pytest.raises(DataError, match="source: has no column 'zip'; did you mean 'zips'"):
        faults(
            look(made["generalization"]), {"age": ["1"], "zips": ["1"], "nation": [""], "born": [""], "disease": [""]}
        )


def test_no_fault_tells_anybodys_values(tmp_path):
    rows = [{"": i, **row} for i, row in enumerate(in_order(people()))]
    rows[3]["disease"] = "a secret"
    rows[4] = {"": 4, "age": "*", "zip": "*", "disease": "a secret"}
    reported = faults(look(write_table(tmp_path / "data.csv", rows), ABOUT), people())
    assert len(reported) > 3
    assert "a secret" not in str(reported)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 40))
def test_shuffled_rows_never_look_ordered(seed, values, blocks):
    random = np.random.default_rng(seed)
    rows = int(random.integers(2, 400))
    columns = [
        Ordered(f"c{i}", random.integers(0, values**2, rows), [str(v) for v in range(values**2)]) for i in (1, 2)
    ]
    by_group = Ordered("group", np.sort(random.integers(0, blocks, rows)), [str(v) for v in range(blocks)])
    assert unexplained(sorting(columns)) is None
    assert unexplained(sorting([by_group, *columns])) is None


@given(st.lists(st.integers(0, 2), min_size=2, max_size=6))
def test_the_chance_of_equal_neighbours_is_not_understated(codes):
    from itertools import permutations

    codes = np.array(codes)
    block = np.zeros(len(codes), dtype=np.int64)
    equal = (codes[1:] == codes[:-1]).sum()
    orders = [(np.diff(codes[list(order)]) == 0).sum() >= equal for order in permutations(range(len(codes)))]
    assert together(codes, block) >= np.mean(orders) * 0.1


LABELS = st.sampled_from(
    [
        ["20-39", "40-59", "20-29", "25", "45", ">=60", "61", "*", None],
        ["{a, b}", "a", "c", "{a, b, c}", "*", ""],
        ["47***", "479**", "47906", "12345", "12***"],
    ]
).flatmap(lambda texts: st.lists(st.sampled_from(texts), unique=True, min_size=1))


@given(LABELS)
def test_a_finer_label_is_inside_of_another_one(texts):
    labels = labels_of(texts)
    values = [str(n) for n in range(100)] + ["a", "b", "c", "47906", "47911", "47123", "12345", "12111", None, ""]
    inside = np.array([covers(label, values) for label in labels])
    named = [i for i, text in enumerate(texts) if text != "*"]
    for i in named:
        larger = any((inside[i] <= inside[j]).all() and (inside[i] != inside[j]).any() for j in named if j != i)
        assert finer_labels(labels)[i] == larger
