"""COUNT queries answered from plans of every kind."""

from __future__ import annotations

import json
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, PolicyError, ReleaseError
from discreet.policy.policy import policy_from_words
from discreet.publications.answers import answers
from discreet.releases.queries import QueryError, query_error, query_error_of, true_answers
from discreet.run.anonymize import anonymize, find_plan
from discreet.run.intake import take_in
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Recoding
from discreet.utility import estimates as module
from discreet.utility.queries import workload
from tests.patients import NAMES, PATIENTS
from tests.releases import making
from tests.search.patients import frequency_of
from tests.strategies import tables

GROUP = np.array([0, 0, 0, 0, 1, 1, 1, 1])
APART = ((0,), (1,), (2,))


def patients():
    return frequency_of(NAMES, PATIENTS)


def planned(kind, frequency, row, count, group, tables=APART):
    if kind is Ambiguity:
        return Ambiguity(frequency, row, count, group, tables)
    if kind is Bucketization:
        return Bucketization(frequency, row, count, group)
    groups = int(group.max(initial=-1)) + 1
    codes = np.stack(frequency.codes, axis=1)
    members = [codes[row[group == g]] for g in range(groups)]
    empty = np.empty((0, codes.shape[1]), dtype=np.int32)
    low, high = (np.array([f(m, axis=0) for m in members] or empty) for f in (np.min, np.max))
    return Recoding(frequency, row, count, group, low, high)


def of_patients(kind, tables=APART):
    f = patients()
    return planned(kind, f, np.arange(8), f.counts, GROUP, tables)


def asking(frequency, **queries):
    """One query, by the values it wants."""
    hierarchies = {h.attribute: h for h in (*frequency.hierarchies, *frequency.sensitive_hierarchies.values())}
    wanted = {name: [hierarchies[name].index[v] for v in values] for name, values in queries.items()}
    return workload({name: len(h.leaves) for name, h in hierarchies.items()}, [wanted])


STROKE = {"age": ["45", "50", "60"], "disease": ["stroke"]}
DIABETES = {"age": ["50", "60"], "zip": ["23000"], "disease": ["diabetes"]}


@pytest.mark.parametrize(("query", "expected"), [(STROKE, 3 / 4), (DIABETES, 7 / 18)])
def test_an_ambiguous_release_of_the_eight_patients_answers_as_the_paper_says(query, expected):
    plan = of_patients(Ambiguity)
    assert answers(plan, asking(plan.frequency, **query)) == pytest.approx([expected])


def test_a_bucketized_release_knows_who_qualifies_but_not_who_is_ill():
    plan = of_patients(Bucketization)
    # One of four in the first group, of whom one has diabetes; two of four in the second.
    assert answers(plan, asking(plan.frequency, **DIABETES)) == pytest.approx([1 / 4 * 1 + 2 / 4 * 1])


def test_a_table_over_two_attributes_keeps_what_they_have_to_do_with_each_other():
    plan = of_patients(Ambiguity, ((0, 2), (1,)))
    # Of the four (age, zip) pairs of each group one and two qualify; apart it was 2/4 · 1/3 and 2/3 · 1/3.
    assert answers(plan, asking(plan.frequency, **DIABETES)) == pytest.approx([1 / 4 + 2 / 4])


def test_attributes_that_no_query_names_change_nothing():
    plan = of_patients(Ambiguity)
    f = plan.frequency
    age, disease = f.hierarchies[0], f.sensitive_hierarchies["disease"]
    asked = workload(
        {"age": len(age.leaves), "disease": len(disease.leaves)},
        [{name: [h.index[v] for v in STROKE[name]] for name, h in (("age", age), ("disease", disease))}],
    )
    assert answers(plan, asked) == pytest.approx([3 / 4])


def test_queries_need_not_speak_of_sensitive_values():
    plan = of_patients(Ambiguity)
    asked = workload({"age": 4}, [{"age": [3]}])  # 60 or above: one in four ages, one in three
    assert answers(plan, asked) == pytest.approx([4 / 4 + 4 / 3])
    assert answers(of_patients(Bucketization), asked) == pytest.approx([3])


def test_a_query_on_what_is_no_quasi_identifier_is_refused():
    with pytest.raises(PolicyError, match="did you mean 'age'"):
        answers(of_patients(Ambiguity), workload({"agee": 4, "disease": 6}, [{}]))


KINDS = (Recoding, Bucketization, Ambiguity)


@st.composite
def plans(draw, kinds=KINDS):
    """A random table, its rows sent to random groups, some of them suppressed."""
    f = draw(tables(max_attributes=3, max_rows=12)).frequency()
    row = np.repeat(np.arange(len(f.counts)), f.counts)
    some = st.integers(SUPPRESSED, 4)
    group = np.array(draw(st.lists(some, min_size=len(row), max_size=len(row))), dtype=np.int64)
    used = np.unique(group[group != SUPPRESSED])
    group = np.where(group == SUPPRESSED, SUPPRESSED, np.searchsorted(used, group))
    numbers = list(range(len(f.codes)))
    cut = draw(st.integers(1, len(numbers)))
    split = tuple(t for t in (tuple(numbers[:cut]), tuple(numbers[cut:])) if t)
    return planned(draw(st.sampled_from(kinds)), f, row, np.ones(len(row), dtype=np.int64), group, split)


@st.composite
def asked_of(draw, plan):
    f = plan.frequency
    every = [*f.hierarchies, *f.sensitive_hierarchies.values()]
    leaves = {h.attribute: len(h.leaves) for h in every}
    one = st.fixed_dictionaries({}, optional={name: st.sets(st.integers(0, n - 1)) for name, n in leaves.items()})
    return leaves, draw(st.lists(one, min_size=1, max_size=70))


def plainly(plan, query):
    """The estimate by the letter of spec 02, one person at a time."""
    f = plan.frequency
    (secret,) = f.sensitive
    total = 0.0
    for g in range(plan.group_count):
        people = [
            (tuple(int(c[r]) for c in f.codes), int(f.sensitive[secret][r]))
            for r, n, to in zip(plan.row, plan.count, plan.group, strict=True)
            for _ in range(n)
            if to == g
        ]
        ill = sum(secret not in query or s in query[secret] for _, s in people)

        def qualifies(combination, attributes):
            names = [f.attributes[d] for d in attributes]
            return all(n not in query or v in query[n] for n, v in zip(names, combination, strict=True))

        everything = tuple(range(len(f.codes)))
        if isinstance(plan, Bucketization):
            share = sum(qualifies(q, everything) for q, _ in people) / len(people)
        elif isinstance(plan, Ambiguity):
            seen = [{tuple(q[d] for d in table) for q, _ in people} for table in plan.tables]
            share = prod(sum(qualifies(c, t) for c in s) / len(s) for s, t in zip(seen, plan.tables, strict=True))
        else:
            ranges = [range(plan.low[g, d], plan.high[g, d] + 1) for d in everything]
            share = prod(sum(qualifies((v,), (d,)) for v in r) / len(r) for d, r in enumerate(ranges))
        total += ill * share
    return total


@settings(deadline=None)  # the first call compiles
@given(st.data(), st.booleans())
def test_answers_equal_a_plain_computation(data, in_blocks):
    plan = data.draw(plans())
    leaves, queries = data.draw(asked_of(plan))
    with pytest.MonkeyPatch.context() as patch:
        if in_blocks:
            patch.setattr(module, "_CELLS", 1)
        found = answers(plan, workload(leaves, queries))
    assert found == pytest.approx([plainly(plan, query) for query in queries])


@settings(deadline=None)
@given(st.data())
def test_groups_of_one_row_answer_exactly(data):
    f = data.draw(tables(max_rows=10)).frequency()
    row = np.repeat(np.arange(len(f.counts)), f.counts)
    kind = data.draw(st.sampled_from(KINDS))
    alone = tuple((d,) for d in range(len(f.codes)))
    plan = planned(kind, f, row, np.ones(len(row), dtype=np.int64), np.arange(len(row)), alone)
    leaves, queries = data.draw(asked_of(plan))
    asked = workload(leaves, queries)
    assert answers(plan, asked).tolist() == true_answers(f, asked).tolist()


@settings(deadline=None)
@given(st.data())
def test_answers_add_up_over_a_partition_of_the_domain(data):
    plan = data.draw(plans())
    leaves, (query, *_) = data.draw(asked_of(plan))
    name = data.draw(st.sampled_from(sorted(leaves)))
    pieces = [query | {name: [leaf]} for leaf in range(leaves[name])]
    whole = {n: v for n, v in query.items() if n != name}
    *parts, together = answers(plan, workload(leaves, [*pieces, whole]))
    assert sum(parts) == pytest.approx(together)


@settings(deadline=None)
@given(plans())
def test_who_asks_for_everybody_gets_everybody_published(plan):
    every = {h.attribute: len(h.leaves) for h in plan.frequency.hierarchies}
    assert answers(plan, workload(every, [{}])) == pytest.approx([plan.frequency.rows - plan.suppressed])


def test_groups_of_more_than_255_people_are_counted_in_full():
    f = patients()
    f = FrequencySet(f.hierarchies, f.codes, f.sensitive, f.sensitive_hierarchies, f.counts * 1000)
    asked = asking(f, **DIABETES)
    for kind, expected in ((Ambiguity, 7 / 18 * 1000), (Bucketization, 3 / 4 * 1000)):
        assert answers(planned(kind, f, np.arange(8), f.counts, GROUP), asked) == pytest.approx([expected])


def test_by_default_all_quasi_identifiers_and_the_sensitive_attribute_are_asked_for():
    error = query_error(of_patients(Bucketization), count=100)
    assert (error.predicates, error.sensitive, error.selectivity, error.seed) == (3, "disease", 0.05, 0)
    assert error.queries + error.empty == 100
    expected = "100 random COUNT queries on 3 quasi-identifiers and disease, with an expected selectivity of 0.05"
    assert error.describe() == expected


def test_a_table_without_sensitive_attributes_can_be_asked_too():
    f = patients()
    f = FrequencySet(f.hierarchies, f.codes, {}, {}, f.counts)
    error = query_error(planned(Bucketization, f, np.arange(8), f.counts, GROUP), count=50, predicates=1)
    assert error.sensitive is None
    assert error.mean == 0  # who is there is published exactly


def test_the_same_seed_gives_the_same_error_and_another_seed_another():
    found = [query_error(of_patients(Ambiguity), count=200, seed=s) for s in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("kind", KINDS)
def test_single_rows_have_no_query_error(kind):
    f = patients()
    assert query_error(planned(kind, f, np.arange(8), f.counts, np.arange(8)), count=200).mean == 0


def source_of_patients():
    return {name: list(column) for name, column in zip(NAMES, zip(*PATIENTS, strict=True), strict=True)}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("sets", [None, APART, ((0, 2), (1,))])
def test_the_files_of_exact_values_answer_as_the_plan_does(tmp_path, sets, form):
    source = source_of_patients()
    made = making.planned(source, making.Columns(NAMES[:3], ("disease",)), [0, 0, 0, 0, 1, 1, 1, -1], tables=sets)
    making.release(made, tmp_path / "release", form=form)
    from_files = query_error_of(tmp_path / "release", source, count=300, predicates=2)
    assert from_files == query_error(made.plan, count=300, predicates=2)
    assert from_files.mean > 0


@pytest.mark.parametrize("publish", ["generalization", "multidimensional", "local_recoding"])
@pytest.mark.parametrize("suppressed", ["star", "drop"])
def test_the_files_of_a_recoded_table_answer_as_its_plan_does(tmp_path, publish, suppressed):
    rng = np.random.default_rng(5)
    ages, zips = rng.integers(20, 60, 120), rng.integers(100, 130, 120)
    source = {
        "age": [None if a == 33 else str(a) for a in ages],
        "zip": [str(z) for z in zips],
        "disease": [f"d{i}" for i in rng.integers(0, 5, 120)],
    }
    quasi = {"role": "quasi_identifier"}
    policy = policy_from_words(
        {
            "attributes": {
                "age": quasi,
                "zip": quasi | {"hierarchy": {"prefixes": [2, 1]}},
                "disease": {"role": "sensitive"},
            },
            "require": [{"k_anonymity": {"k": 3}}],
            "publish": publish,
            "suppress": 0.1,
            "suppressed": suppressed,
        }
    )
    plan = find_plan(policy, take_in(policy, source))
    anonymize(policy, tmp_path / "release", source=source)
    from_files = query_error_of(tmp_path / "release", source, count=300)
    from_plan = query_error(plan, count=300)
    assert from_files.mean == pytest.approx(from_plan.mean)
    assert from_files.median == pytest.approx(from_plan.median)
    assert from_files.mean > 0


def test_another_table_than_the_source_is_refused(tmp_path):
    source = source_of_patients()
    made = making.planned(source, making.Columns(NAMES[:3], ("disease",)), GROUP.tolist())
    making.release(made, tmp_path / "release")
    with pytest.raises(DataError, match="rows that the source does not have"):
        query_error_of(tmp_path / "release", source | {"zip": ["1"] * 8})
    with pytest.raises(DataError, match="has no column 'zip'"):
        query_error_of(tmp_path / "release", {k: v for k, v in source.items() if k != "zip"})


def test_a_changed_manifest_is_not_asked(tmp_path):
    made = making.planned(source_of_patients(), making.Columns(NAMES[:3], ("disease",)), GROUP.tolist())
    manifest = making.release(made, tmp_path / "release")
    (tmp_path / "release/manifest.json").write_text(json.dumps(manifest | {"group_column": "nothing"}))
    with pytest.raises(ReleaseError, match="checksum"):
        query_error_of(tmp_path / "release", source_of_patients())


def test_a_workload_that_nothing_answers_has_no_figures():
    error = QueryError(float("nan"), float("nan"), 0, 5, 1, 0.05, None, 0)
    assert json.dumps(error.to_json(), allow_nan=False).startswith('{"mean": null, "median": null, "queries": 0')
