"""Presence from marginals, against every population with these counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.audit.lines import AT_MOST, EXACT
from discreet.audit.presence import by_marginals as module
from discreet.audit.presence.by_marginals import exact_tail, outside_counts, outsiders, presence_marginals
from discreet.audit.presence.marginals import Marginals, read_marginals
from discreet.audit.reading.labels import Anything, Exactly, OneOf
from discreet.audit.reading.view import Promise
from discreet.errors import DataError
from tests.audit.lists import Case, fits
from tests.presence import worlds_outside

LETTERS = st.sampled_from("abc")
NOBODY, ENDLESS = np.array([0]), np.array([10**12])


def promise(least, most, confidence):
    return [Promise("confident_presence", {"delta": [least, most], "confidence": confidence})]


def counted(people):
    columns = zip(*people, strict=True)
    return Marginals(len(people), {f"q{i}": dict(Counter(column)) for i, column in enumerate(columns)})


def by_name(lines):
    return {line.adversary: line for line in lines}


@st.composite
def tables_among_people(draw):
    """A table of exact values and the people outside of it, of which only the marginals are told."""
    width = draw(st.integers(1, 3))
    values = st.tuples(*[st.sampled_from("ab")] * width)
    table = draw(st.lists(values, min_size=1, max_size=3))
    outside = draw(st.lists(values, min_size=1, max_size=4 if width < 3 else 3))
    groups = tuple((tuple(map(Exactly, row)), n) for row, n in Counter(table).items())
    return Case(groups, (*table, *outside)), outside


@given(tables_among_people(), st.sampled_from(["0.5", "0.75", "0.8", "0.9"]))
def test_figures_are_those_of_all_populations_with_these_marginals(made, confidence):
    case, outside = made
    marginals = [[column.count("a"), column.count("b")] for column in zip(*outside, strict=True)]
    populations = list(worlds_outside.worlds(marginals))
    found = by_name(presence_marginals(case.view(), counted(case.people), float(confidence)))
    expected, quantile = [], []
    for labels, rows in case.groups:
        shares = [
            Fraction(rows, rows + sum(fits(labels, ["ab"[leaf] for leaf in person]) for person in population))
            for population in populations
        ]
        expected.append(sum(shares) / len(shares))
        enough = Fraction(confidence) * len(shares)
        quantile.append(min(d for d in shares if sum(share <= d for share in shares) >= enough))
    assert found["presence_expected"].worst == pytest.approx(float(max(expected)), abs=1e-12)
    assert found["presence_with_confidence"].worst == float(max(quantile))
    assert {line.precision for line in found.values()} == {EXACT}


@given(tables_among_people(), st.sampled_from([(0, "0.5"), ("0.3", "0.8"), ("1/3", "2/3"), (0, 1)]))
def test_the_chance_that_a_promise_fails_is_that_of_the_populations_in_which_it_does(made, delta):
    case, outside = made
    marginals = [[column.count("a"), column.count("b")] for column in zip(*outside, strict=True)]
    populations = list(worlds_outside.worlds(marginals))
    found = by_name(presence_marginals(case.view(promise(*delta, "0.75")), counted(case.people)))
    least, most = (Fraction(str(d)) for d in delta)
    fails = []
    for labels, rows in case.groups:
        shares = [
            Fraction(rows, rows + sum(fits(labels, ["ab"[leaf] for leaf in person]) for person in population))
            for population in populations
        ]
        fails.append(Fraction(sum(not least <= share <= most for share in shares), len(shares)))
    line = found["presence_promise_fails"]
    assert line.worst == pytest.approx(float(max(fails)), abs=1e-12)
    assert line.breaks == (max(fails) > Fraction(1, 4))
    rows = [rows for _, rows in case.groups]
    assert line.above == sum(n for n, fail in zip(rows, fails, strict=True) if fail > Fraction(1, 4))
    assert not (found["presence_with_confidence"].breaks and not line.breaks)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 5))
def test_the_distribution_is_the_chain_of_the_paper(factors, rows):
    people = 6
    chain = worlds_outside.chain(factors, people)
    for confidence in (Fraction(1, 2), Fraction(4, 5), Fraction(15, 16)):
        found = outsiders(np.array([factors]), np.array([rows]), people, confidence, NOBODY + 2, NOBODY + 3)
        assert found.expected[0] == pytest.approx(
            float(sum(p * Fraction(rows, rows + x) for x, p in chain.items())), abs=1e-12
        )
        assert found.least[0] == max(
            x for x in range(people + 1) if x == 0 or worlds_outside.within(chain, x, people) >= confidence
        )
        assert found.below[0] == pytest.approx(float(worlds_outside.within(chain, 0, 1)), abs=1e-12)
        assert found.above[0] == pytest.approx(float(worlds_outside.within(chain, 4, people)), abs=1e-12)
    for x in range(people + 1):
        assert exact_tail(factors, people, x) == worlds_outside.within(chain, x, people)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=4), st.integers(1, 5), st.integers(0, 8), st.integers(0, 20))
def test_bounds_from_the_mean_alone_are_on_the_safe_side(factors, rows, low, high):
    people, confidence = 30, Fraction(4, 5)
    asked = (np.array([factors]), np.array([rows]), people, confidence, np.array([low]), np.array([high]))
    exact = outsiders(*asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WORK", 0.0)
        bound = outsiders(*asked)
    assert not bound.exact.any()
    assert bound.expected[0] >= exact.expected[0] - 1e-12
    assert bound.least[0] <= exact.least[0]
    assert bound.below[0] >= exact.below[0] - 1e-12
    assert bound.above[0] >= exact.above[0] - 1e-12


def test_bounds_are_sharp_for_large_populations(monkeypatch):
    people, factors = 1_000_000, np.array([[200_000, 300_000, 100_000]])
    asked = (factors, np.array([50]), people, Fraction(4, 5), NOBODY, ENDLESS)
    exact = outsiders(*asked)
    monkeypatch.setattr(module, "_WORK", 0.0)
    bound = outsiders(*asked)
    mean = prod(factors[0].tolist()) / people**2
    assert 0.97 * mean < bound.least[0] <= exact.least[0] < mean
    assert bound.expected[0] == pytest.approx(exact.expected[0], rel=2e-2)


def test_the_papers_example():
    # Of four people outside three have each value of the first group; {1: 3/8, 2: 9/16, 3: 1/16}.
    case = Case((((Exactly("2"),) * 3, 1), ((Exactly("1"),) * 3, 1)), (("1",) * 3,) * 3)
    known = Marginals(6, {f"q{i}": {"1": 2, "2": 4} for i in range(3)})
    found = by_name(presence_marginals(case.view(promise("0.33", 1, "0.9")), known))
    assert found["presence_promise_fails"].worst == pytest.approx(1 / 16)
    assert not found["presence_promise_fails"].breaks
    broken = by_name(presence_marginals(case.view(promise("0.33", 1, "0.94")), known))["presence_promise_fails"]
    assert broken.breaks
    assert (broken.deciding.group, broken.deciding.line) == (0, 2)
    tie = by_name(presence_marginals(case.view(promise("0.33", 1, "0.9375")), known))["presence_promise_fails"]
    assert (tie.above, tie.breaks) == (0, False)


def test_rows_under_labels_that_overlap_are_fenced_in():
    # Two rows say a or b, one says a: at least one and at most three of the six people with a or b are in the table.
    both, people = (OneOf(frozenset("ab")),), (("a",),) * 4 + (("b",),) * 2 + (("c",),) * 4
    case = Case(((both, 2), ((Exactly("a"),), 1), ((Anything(),), 1)), people)
    view, known = case.view(), counted(people)
    found = outside_counts(view, known, 6, 0)
    assert found.fewest.ravel().tolist() == [2, 0, 6]
    assert found.most.ravel().tolist() == [3, 3, 6]
    # Of ten people six have a or b: so has 0.6 of the row of which nothing is said, and a 2/3 of the two.
    assert found.about.ravel().tolist() == [round(6 - 3 - 0.6), round(4 - 1 - 4 / 3 - 0.4), 6]
    assert not found.impossible.any()
    lines = presence_marginals(view, known)
    assert {line.precision for line in lines} == {AT_MOST}
    assert "overlap" in lines[0].assumes


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=4), st.lists(st.sampled_from("abc"), max_size=5), st.data()
)
def test_the_true_count_lies_in_the_fence(table, outside, data):
    labels = [Anything(), *(OneOf(frozenset(v)) for v in ("ab", "bc", "a", "b", "c"))]
    groups: Counter[tuple[object, ...]] = Counter()
    for value in table:
        groups[(data.draw(st.sampled_from([x for x in labels if fits((x,), (value,))])),)] += 1
    people = tuple((value,) for value in (*table, *outside))
    case = Case(tuple(groups.items()), people)
    found = outside_counts(case.view(), counted(people), len(outside), 0)
    for g, (group, _) in enumerate(case.groups):
        assert found.fewest[g, 0] <= sum(fits(group, (value,)) for value in outside) <= found.most[g, 0]
        assert found.fewest[g, 0] <= found.about[g, 0] <= found.most[g, 0]
    assert not found.impossible.any()


def test_people_left_out_are_taken_out_of_every_count():
    case = Case((((Exactly("a"),), 1),), (("a",),) * 5 + (("b",),) * 5)
    plain = by_name(presence_marginals(case.view(), counted(case.people)))
    left = by_name(presence_marginals(replace(case, left_out=2).view(), counted(case.people)))
    assert plain["presence_expected"].worst == 1 / 5
    assert left["presence_expected"].worst == 1 / 3
    assert left["presence_expected"].precision == AT_MOST
    assert left["presence_expected"].details["worst_is_about"] == pytest.approx(1 / 4)  # 4 · 7/9 is 3


def test_counts_of_too_few_people_are_told():
    case = Case((((Exactly("a"),), 3), ((Exactly("b"),), 1)), (("a",), ("b",), ("b",), ("b",)))
    found = by_name(presence_marginals(case.view(promise(0, "0.5", "0.8")), counted(case.people)))
    assert found["presence_expected"].worst == 1
    assert "1 group has more rows" in found["presence_expected"].assumes
    assert all(line.promised is None for line in found.values())
    with pytest.raises(DataError, match="fewer than the 4 rows of the release"):
        presence_marginals(case.view(), counted(case.people[:3]))


def test_a_promise_holds_for_less_confidence_and_is_not_judged_by_more():
    case = Case((((Exactly("a"),), 1),), (("a",),) * 5 + (("b",),) * 5)
    view = case.view(promise(0, "0.2", "0.8"))
    for confidence, promised in [(None, 0.2), (0.5, 0.2), (0.9, None)]:
        found = by_name(presence_marginals(view, counted(case.people), confidence))
        assert found["presence_with_confidence"].promised == promised
        assert found["presence_with_confidence"].details["confidence"] == (confidence or 0.8)
    assert found["presence_with_confidence"].threshold == 0.2
    assert by_name(presence_marginals(view, counted(case.people), threshold=0.1))["presence_expected"].above == 1


@given(st.lists(st.integers(1, 50), min_size=1, max_size=4), st.integers(50, 400))
def test_the_order_of_the_columns_changes_nothing(factors, people):
    asked = (np.array([3]), people, Fraction(4, 5), NOBODY + 1, NOBODY + 4)
    one, two = outsiders(np.array([factors]), *asked), outsiders(np.array([factors[::-1]]), *asked)
    assume(one.exact.all())
    assert one.expected[0] == pytest.approx(two.expected[0], abs=1e-12)
    assert one.least[0] == two.least[0]


def test_marginals_come_from_files_too(tmp_path):
    (tmp_path / "sex.csv").write_text("value,count\nf,51\nm,49\n", encoding="utf-8")
    found = read_marginals({"sex": "sex.csv", "age": [["1", 60], [None, 40]]}, ["sex", "age"], folder=tmp_path)
    assert found == Marginals(100, {"sex": {"f": 51, "m": 49}, "age": {"1": 60, None: 40}})


def test_shares_are_rounded_so_that_they_add_up():
    found = read_marginals({"a": {"x": "1/3", "y": "1/3", "z": "1/3"}}, ["a"], size=100)
    assert sorted(found.counts["a"].values()) == [33, 33, 34]


@pytest.mark.parametrize(
    ("given_", "size", "rule"),
    [
        ({"a": {"x": 1.5}}, None, "of an unknown number of people"),
        ({"a": {"x": 1.5}}, 3, "do not add up to 1"),
        ({"a": {"x": "many"}}, None, "not a number of people"),
        ({"a": 5}, None, "not a list of values and counts"),
        ({"a": [["x", 1], ["x", 2]]}, None, "has a value twice"),
        ({"a": {"x": 3}}, 4, "different numbers of people: 3, 4"),
        ({"a": "nowhere.csv"}, None, "no file"),
        ({}, None, "is missing"),
    ],
)
def test_wrong_marginals_are_told(given_, size, rule):
    with pytest.raises(DataError, match=rule):
        read_marginals(given_, ["a"], size)
