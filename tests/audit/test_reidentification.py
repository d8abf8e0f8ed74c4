"""Prosecutor, journalist and marketer, against all possible worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.lines import AT_MOST, ESTIMATE, EXACT, REIDENTIFICATION, STEPS
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.labels import Exactly
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.audit.reidentification.reidentification import reidentification
from discreet.audit.reidentification.uniqueness import chance_of_one
from discreet.audit.worlds import assignments
from discreet.errors import DataError, PolicyError
from discreet.studies import worlds
from tests.audit.lists import Case, cases, listed
from tests.audit.releasing import released

WORDS = {"prosecutor", "marketer", "journalist", "marketer_at_large"}


def by_name(lines):
    return {line.adversary: line for line in lines}


def bucketized(people, group):
    """A release with everybody's exact values and their group."""
    rows = Counter((*person, g) for person, g in zip(people, group, strict=True))
    found = listed([row for row, count in rows.items() for _ in range(count)]).frequencies
    own = type(found)(found.values[:-1], found.codes[:-1], found.counts)
    table = Table(
        tuple(f"q{i}" for i in range(len(people[0]))), own, np.array(found.values[-1], dtype=np.int64)[found.codes[-1]]
    )
    sizes = np.bincount(group).astype(np.int64)
    return ReleaseView("bucketization", table.columns, sizes, (), tables=(table,))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_the_prosecutor_finds_the_row_by_chance_in_every_world(sizes):
    found = by_name(reidentification(ReleaseView("generalization", (), np.array(sizes), ())))
    chances = []
    for size in sizes:  # the target is the first of a group's people; a world says who stands behind which row
        ways = [(world, Fraction(1)) for world in permutations(range(size))]
        chances += [worlds.belief(ways, lambda world: world[0] == 0)] * size
    assert found["prosecutor"].worst == float(max(chances))
    assert found["prosecutor"].above == sum(chance > Fraction(1, 5) for chance in chances)
    assert found["prosecutor"].details["lowest"] == float(min(chances))
    assert found["prosecutor"].details["average"] == pytest.approx(float(sum(chances) / len(chances)))
    # Names given to rows at random: of n! ways, one person in each group is right on average.
    right = sum(Fraction(sum(world[i] == i for world in permutations(range(n)) for i in range(n)),
                         len(list(permutations(range(n))))) for n in sizes)  # fmt: skip
    assert found["marketer"].worst == pytest.approx(float(right / sum(sizes)))
    assert found["marketer"].details["expected_to_be_found"] == pytest.approx(len(sizes))


@given(cases())
def test_the_journalist_is_as_sure_of_a_row_as_the_worlds_are(case):
    found = by_name(reidentification(case.view(), case.population))
    every = [(world, Fraction(1)) for world in worlds.fillings(case.fitting)]
    # Within a group, any of its people stands behind a given row.
    best = [
        max(worlds.belief(every, lambda w, p=p, g=g: p in w[g]) for p in range(len(case.people))) / rows
        for g, (_, rows) in enumerate(case.groups)
    ]
    rows = [rows for _, rows in case.groups]
    assert found["journalist"].precision == EXACT
    assert found["journalist"].worst == pytest.approx(float(max(best)), abs=1e-12)
    assert found["journalist"].people == sum(rows)
    expected = sum(b * n for b, n in zip(best, rows, strict=True)) / sum(rows)
    assert found["marketer_at_large"].worst == pytest.approx(float(expected), abs=1e-12)
    assert found["journalist"].worst <= found["prosecutor"].worst + 1e-12


@given(cases())
def test_bounds_for_the_journalist_are_on_the_safe_side(case):
    exact = by_name(reidentification(case.view(), case.population))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignments, "_MOST_STATES", 0)
        found = by_name(reidentification(case.view(), case.population))
    for adversary in ("journalist", "marketer_at_large"):
        assert found[adversary].worst >= exact[adversary].worst - 1e-12
        assert found[adversary].precision in (EXACT, AT_MOST)


def test_groups_apart_are_the_textbooks_figures():
    # El Emam: 1 / n for the prosecutor, 1 / N for the journalist, Σ n/N / n for the marketer.
    people = (*[("a",)] * 10, *[("b",)] * 4, *[("c",)] * 7)
    case = Case((((Exactly("a"),), 5), ((Exactly("b"),), 2)), people)
    found = by_name(reidentification(case.view(), case.population))
    assert found.keys() == WORDS
    assert (found["prosecutor"].worst, found["prosecutor"].above) == (1 / 2, 2)
    assert (found["journalist"].worst, found["journalist"].above) == (1 / 4, 2)
    assert found["marketer"].worst == pytest.approx(2 / 7)
    assert found["marketer_at_large"].worst == pytest.approx((5 / 10 + 2 / 4) / 7)
    assert found["journalist"].deciding.group == found["prosecutor"].deciding.group == 1
    assert found["journalist"].details["share_at_highest"] == pytest.approx(2 / 7)
    for line in found.values():
        assert line.threat == REIDENTIFICATION
        assert sum(line.histogram) == line.people == 7
        assert len(line.histogram) == len(STEPS)


@pytest.mark.parametrize(("k", "above", "breaks"), [(2, 0, False), (3, 2, True), (1, 0, False)])
def test_k_anonymity_promises_the_prosecutor_one_in_k(k, above, breaks):
    view = ReleaseView("generalization", (), np.array([2, 3]), (), promises=(Promise("k_anonymity", {"k": k}),))
    found = by_name(reidentification(view))["prosecutor"]
    assert (found.promised, found.threshold, found.above, found.breaks) == (1 / k, 1 / k, above, breaks)
    assert by_name(reidentification(view, threshold=0.45))["prosecutor"].threshold == 0.45


def test_so_do_promises_of_which_it_is_a_part():
    promises = Promise("alpha_k", {"k": 3, "alpha": 0.9}), Promise("k_anonymity", {"k": 2})
    for said in (promises, promises[::-1]):
        view = ReleaseView("generalization", (), np.array([2, 3]), (), promises=said)
        prosecutor = by_name(reidentification(view))["prosecutor"]
        assert (prosecutor.promised, prosecutor.breaks) == (1 / 3, True)


def test_exact_values_are_found_where_few_have_them():
    people = [("a", "x"), ("a", "x"), ("b", "x"), ("c", "y"), ("a", "x")]
    view = bucketized(people, [0, 1, 0, 1, 0])
    listed_people = [*people, ("b", "x"), ("d", "y")]
    found = by_name(reidentification(view, listed(listed_people)))
    assert (found["prosecutor"].worst, found["prosecutor"].details["alone_with_their_values"]) == (1, 2)
    assert found["prosecutor"].details["lowest"] == 1 / 3
    assert found["prosecutor"].people == 5
    assert found["journalist"].details["lowest"] == 1 / 3
    assert found["journalist"].worst == 1  # nobody else is like c
    assert found["marketer_at_large"].worst == pytest.approx((3 * 1 / 3 + 1 / 2 + 1) / 5)
    assert "tells nothing new by itself" in found["prosecutor"].assumes
    assert found["prosecutor"].promised is None


def test_of_exact_values_each_combination_is_counted_once_for_estimates():
    view = bucketized([("a",), ("a",), ("b",), ("c",)], [0, 1, 1, 0])
    found = by_name(reidentification(view, population_size=4))
    told = found["journalist"].details["estimated_population_uniques"]
    assert told["Dankar's rule"] == 2  # b and c; a is twice, in two groups
    assert found["journalist"].worst == 1


def test_in_ambiguous_releases_the_entry_is_one_of_the_group():
    groups = [[("1", "x"), ("2", "y")], [("3", "x"), ("4", "y"), ("5", "x")]]
    view = released(groups, [(0,), (1,)])
    found = by_name(reidentification(view))
    assert found["prosecutor"].worst == 1 / 2
    assert "no rows of values" in found["prosecutor"].assumes
    people = [(a, b) for a in "12" for b in "xy"] + groups[1]
    with_list = by_name(reidentification(view, listed(people)))
    # Two of four, 1 and 2 once each, x and y too: everybody's chance is a half, and one of two entries is theirs.
    assert with_list["journalist"].precision == ESTIMATE
    assert with_list["journalist"].worst == pytest.approx(1 / 3)  # all of the second group are in
    assert by_name(reidentification(view, population_size=100)).keys() == {"prosecutor", "marketer"}


def test_only_the_size_of_a_population_gives_estimates():
    sizes = np.array([1, 1, 2, 6])
    view = ReleaseView("generalization", (), sizes, ())
    found = by_name(reidentification(view, population_size=200))
    assert found["journalist"].precision == found["marketer_at_large"].precision == ESTIMATE
    chance = chance_of_one(sizes, 10 / 200)
    told = found["journalist"].details["estimated_population_uniques"]
    # Of the two who are alone in the table, so many are expected to be alone in the population.
    chance[:2] = max(chance[0], told["Dankar's rule"] * 10 / 200 / 2)
    assert found["journalist"].worst == pytest.approx(chance[0])
    assert found["marketer_at_large"].worst == pytest.approx((chance * sizes).sum() / 10)
    assert "estimate" in found["journalist"].assumes
    assert told["which is"] == "Pitman"


def test_where_all_differ_everybody_is_expected_to_be_unique():
    view = ReleaseView("generalization", (), np.ones(40, dtype=np.int64), ())
    assert by_name(reidentification(view, population_size=1000))["journalist"].worst == 1


def test_a_list_goes_before_a_size_and_a_size_may_not_be_too_small():
    case = Case((((Exactly("a"),), 2),), (("a",),) * 3)
    assert by_name(reidentification(case.view(), case.population, 10))["journalist"].precision == EXACT
    with pytest.raises(PolicyError, match="at least 2"):
        reidentification(case.view(), population_size=1)


def test_a_list_that_is_not_everybody_is_told():
    case = Case((((Exactly("a"),), 2), ((Exactly("b"),), 2)), (("a",), ("a",), ("b",)))
    found = by_name(reidentification(case.view(), case.population))["journalist"]
    assert found.worst == 1 / 2
    assert "It does not: 2 rows" in found.assumes


def test_values_written_in_another_way_are_told():
    case = Case((((Exactly("a"),), 2),), (("A",),))
    with pytest.raises(DataError, match="no value of 'q0'"):
        reidentification(case.view(), case.population)
