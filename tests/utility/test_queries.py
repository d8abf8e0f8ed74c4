"""COUNT queries: drawing them, the right answers, and how far an answer is off."""

from __future__ import annotations

from math import ceil, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.intervals import Intervals
from discreet.utility import queries
from discreet.utility.queries import draw_workload, relative_error, true_counts, workload


def frequency(rows=200, seed=0, numbers=20, colours=6, diseases=10):
    rng = np.random.default_rng(seed)
    age = build("age", [str(20 + i) for i in range(numbers)], Intervals((5, 10)))
    colour = build("colour", [f"c{i}" for i in range(colours)], Flat())
    disease = build("disease", [f"d{i}" for i in range(diseases)], Flat())
    return FrequencySet(
        (age, colour),
        tuple(rng.integers(0, len(h.leaves), rows).astype(np.int32) for h in (age, colour)),
        {"disease": rng.integers(0, diseases, rows).astype(np.int32)},
        {"disease": disease},
        rng.integers(1, 4, rows),
    )


def all_codes(f):
    return [*f.codes, *f.sensitive.values()]


@st.composite
def tables_and_queries(draw):
    leaves = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, n - 1) for n in leaves], st.integers(0, 3)), max_size=20))
    names = [f"a{i}" for i in range(len(leaves))]
    one = st.fixed_dictionaries(
        {}, optional={a: st.sets(st.integers(0, n - 1)) for a, n in zip(names, leaves, strict=True)}
    )
    asked = draw(st.lists(one, min_size=1, max_size=130))
    return dict(zip(names, leaves, strict=True)), rows, asked


@settings(deadline=None)  # the first call compiles
@given(tables_and_queries())
def test_counts_of_all_queries_at_once_equal_a_plain_loop(case):
    leaves, rows, asked = case
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(leaves) + 1)
    found = true_counts(workload(leaves, asked), list(table.T[:-1]), table[:, -1])
    expected = [
        sum(row[-1] for row in rows if all(row[i] in q[a] for i, a in enumerate(leaves) if a in q)) for q in asked
    ]
    assert found.tolist() == expected


def test_every_query_speaks_of_the_asked_number_of_attributes_and_the_sensitive_one():
    f = frequency()
    drawn = draw_workload(f, predicates=1, selectivity=0.05, sensitive="disease", count=300, seed=3)
    assert drawn.attributes == ("age", "colour", "disease")
    speaks = np.array([~drawn.wants(d).all(axis=0) for d in range(3)])
    assert (speaks[:2].sum(axis=0) == 1).all()
    assert speaks[2].all()
    assert 100 < speaks[0].sum() < 200  # either attribute is as likely


@pytest.mark.parametrize("selectivity", [0.01, 0.05, 0.5])
def test_a_predicate_wants_as_many_values_as_the_papers_say(selectivity):
    f = frequency()
    drawn = draw_workload(f, predicates=2, selectivity=selectivity, sensitive="disease", count=100, seed=3)
    for d, domain in enumerate((20, 6, 10)):
        assert (drawn.wants(d).sum(axis=0) == ceil(domain * selectivity ** (1 / 3))).all()


def test_a_whole_number_of_values_is_not_rounded_up_by_floating_point():
    drawn = draw_workload(frequency(), predicates=2, selectivity=0.027, sensitive="disease", count=10, seed=3)
    assert (drawn.wants(2).sum(axis=0) == 3).all()  # 10 · 0.027^(1/3) = 3.0000000000000004


def test_numbers_are_asked_for_in_ranges_and_categories_in_sets():
    drawn = draw_workload(frequency(), predicates=2, selectivity=0.05, count=500, seed=3)
    pieces = [(np.diff(drawn.wants(d).astype(int), axis=0, prepend=0) == 1).sum(axis=0) for d in range(2)]
    assert (pieces[0] == 1).all()
    assert (pieces[1] > 1).any()
    anything = draw_workload(frequency(), predicates=2, selectivity=0.05, count=500, seed=3, ranges=False)
    assert ((np.diff(anything.wants(0).astype(int), axis=0, prepend=0) == 1).sum(axis=0) > 1).any()


def test_only_values_that_occur_are_asked_for():
    f = frequency(colours=4)
    colour = build("colour", ["c0", "c1", "c2", "c3", "x0", "x1", "x2"], Flat())
    f = FrequencySet((f.hierarchies[0], colour), f.codes, f.sensitive, f.sensitive_hierarchies, f.counts)
    drawn = draw_workload(f, predicates=2, selectivity=0.25, count=200, seed=1)
    assert not drawn.wants(1)[4:].any()


def test_the_same_seed_draws_the_same_queries_and_another_seed_others():
    draws = [draw_workload(frequency(), predicates=2, selectivity=0.1, count=100, seed=s).wanted for s in (1, 1, 2)]
    assert all((a == b).all() for a, b in zip(draws[0], draws[1], strict=True))
    assert any((a != b).any() for a, b in zip(draws[0], draws[2], strict=True))


def test_drawing_in_small_blocks_keeps_the_rules(monkeypatch):
    monkeypatch.setattr(queries, "_CELLS", 1)  # 64 queries at a time
    drawn = draw_workload(frequency(), predicates=2, selectivity=0.05, sensitive="disease", count=200, seed=3)
    assert [(drawn.wants(d).sum(axis=0) == n).all() for d, n in enumerate((8, 3, 4))] == [True] * 3


def test_uniform_data_has_the_expected_selectivity():
    f = frequency(rows=20_000)
    drawn = draw_workload(f, predicates=2, selectivity=0.05, sensitive="disease", count=500, seed=1)
    exact = np.prod([ceil(n * 0.05 ** (1 / 3)) / n for n in (20, 6, 10)])
    assert true_counts(drawn, all_codes(f), f.counts).mean() / f.rows == pytest.approx(exact, rel=0.02)


def test_all_mistakes_of_a_workload_are_named_at_once():
    with pytest.raises(PolicyError) as raised:
        draw_workload(frequency(), predicates=3, selectivity=0, sensitive="diseases", count=0)
    places = [m.place for m in raised.value.mistakes]
    assert places == ["predicates", "selectivity", "sensitive", "count"]
    assert "did you mean 'disease'?" in str(raised.value)


def test_an_empty_table_can_not_be_asked():
    with pytest.raises(PolicyError, match="no rows"):
        draw_workload(frequency(rows=0), predicates=1)


def test_queries_that_nothing_answers_are_left_out_and_counted():
    error = relative_error([2, 0, 4], [1, 5, 4])
    assert (error.median, error.mean, error.queries, error.empty) == (0.25, 0.25, 2, 1)


def test_no_query_with_an_answer_gives_no_error_figure():
    error = relative_error([0], [1])
    assert isnan(error.mean) and isnan(error.median) and error.empty == 1


def test_one_sensitive_value_leaves_the_selectivity_to_the_quasi_identifiers():
    f = frequency()
    drawn = draw_workload(f, predicates=2, selectivity=0.05, sensitive="disease", sensitive_values=1, count=300, seed=3)
    share = 0.05**0.5
    wanted = [ceil(20 * share), ceil(6 * share), 1]
    assert [(drawn.wants(d).sum(axis=0) == n).all() for d, n in enumerate(wanted)] == [True] * 3


def test_more_sensitive_values_than_occur_can_not_be_asked_for():
    with pytest.raises(PolicyError, match="sensitive_values: must be between 1 and 10"):
        draw_workload(frequency(), predicates=1, sensitive="disease", sensitive_values=11)
    with pytest.raises(PolicyError, match="sensitive_values: must be between 1 and 0"):
        draw_workload(frequency(), predicates=1, sensitive_values=1)
