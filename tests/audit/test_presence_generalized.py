"""Presence in generalized releases, for somebody with a list, against all possible worlds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.audit.lines import AT_LEAST, AT_MOST, EXACT, STEPS
from discreet.audit.presence.listed_generalized import CERTAIN, presence_among, presence_generalized
from discreet.audit.reading.labels import Anything, Between, Exactly
from discreet.audit.reading.view import Promise
from discreet.audit.worlds import assignments
from discreet.errors import DataError
from discreet.studies import worlds
from tests.audit.lists import Case, cases

AMERICA, EUROPE = (Exactly("America"),), (Exactly("Europe"),)
# Table 2 of Nergiz & Clifton: three of six Americans and two of three Europeans are in.
PAPER = Case(((AMERICA, 3), (EUROPE, 2)), (*[("America",)] * 6, *[("Europe",)] * 3))


def delta(least, most):
    return [Promise("presence", {"delta": [least, most]})]


def chances(case):
    """Everybody's chance over all worlds; those left out fit no published group, unless there are too few such."""
    fitting, rest = case.fitting, case.starred + case.left_out
    nowhere = [i for i in range(len(case.people)) if not any(i in people for people, _ in fitting)]
    beyond = nowhere if rest <= len(nowhere) else range(len(case.people))
    found = [(world, Fraction(1)) for world in worlds.fillings([*fitting, (beyond, rest)])]
    if not found:
        return None
    return [worlds.belief(found, lambda w, p=p: any(p in group for group in w)) for p in range(len(case.people))]


@given(cases(), st.integers(0, 2), st.integers(0, 1))
def test_presence_and_absence_are_those_of_the_possible_worlds(case, starred, left_out):
    case = replace(case, starred=starred, left_out=left_out)
    expected = chances(case)
    assume(expected is not None)
    present, absent = presence_generalized(case.view(), case.population)
    assert present.precision == absent.precision == EXACT
    assert present.worst == pytest.approx(float(max(expected)), abs=1e-12)
    assert absent.worst == pytest.approx(float(1 - min(expected)), abs=1e-12)
    assert present.above == sum(chance > Fraction(1, 2) + Fraction(1, 10**9) for chance in expected)
    assert present.details["certain"] == present.histogram[-1] == sum(chance == 1 for chance in expected)
    assert absent.above == present.details["surely_absent"] == sum(chance == 0 for chance in expected)
    assert present.people == len(case.people)
    assert present.details["average"] == pytest.approx(float(sum(expected) / len(expected)), abs=1e-12)


@given(cases())
def test_bounds_are_never_on_the_unsafe_side(case):
    expected = chances(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignments, "_MOST_STATES", 0)
        present, absent = presence_generalized(case.view(), case.population)
    assert float(max(expected)) <= present.worst + 1e-12
    assert float(1 - min(expected)) <= absent.worst + 1e-12
    assert present.details["certain"] <= sum(chance == 1 for chance in expected)
    if present.precision == AT_MOST:
        assert present.details["worst_is_at_least"] <= float(max(expected)) + 1e-12
        assert present.details["worst_is_about"] <= present.worst


def test_the_papers_example():
    present, absent = presence_generalized(PAPER.view(), PAPER.population)
    assert (present.worst, present.above, present.people) == (2 / 3, 3, 9)
    assert (present.deciding.group, present.deciding.size, present.deciding.line) == (1, 2, 3)
    assert (absent.worst, absent.above, absent.threshold) == (1 / 2, 0, CERTAIN)


@pytest.mark.parametrize(
    ("promised", "breaks"),
    [((0.5, "2/3"), [False, False]), ((0, 0.66), [True, False]), ((0.51, 1), [False, True]), ((0, 1), [False, False])],
)
def test_a_promise_is_judged_on_both_sides_and_ties_keep_it(promised, breaks):
    lines = presence_generalized(PAPER.view(delta(*promised)), PAPER.population)
    assert [line.breaks for line in lines] == breaks
    assert lines[0].promised == lines[0].threshold == float(Fraction(str(promised[1])))
    assert lines[0].above == (3 if breaks[0] else 0)
    assert lines[1].promised == (None if promised[0] == 0 else float(1 - Fraction(str(promised[0]))))
    assert lines[1].above == (6 if breaks[1] else 0)


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_chance_that_is_just_what_was_promised_is_not_above_it(rows, more):
    case = Case(((AMERICA, rows),), (("America",),) * (rows + more))
    share = f"{rows}/{rows + more}"
    present, absent = presence_generalized(case.view(delta(share, share)), case.population)
    assert present.above == absent.above == 0
    assert not present.breaks
    assert not absent.breaks


def test_a_threshold_that_is_given_goes_before_the_promise():
    present, _ = presence_generalized(PAPER.view(delta(0, 0.9)), PAPER.population, threshold=0.4)
    assert (present.threshold, present.promised, present.above) == (0.4, 0.9, 9)


def test_people_left_out_are_among_those_whom_no_group_fits():
    case = replace(PAPER, people=(*PAPER.people, *[("Asia",)] * 4), starred=2, left_out=1)
    present, absent = presence_generalized(case.view(), case.population)
    assert present.worst == 3 / 4
    assert "no published group fits" in present.assumes
    assert absent.above == 0  # nobody is known to be absent
    assert present.deciding is None  # no group says so


def test_more_people_left_out_than_fit_nowhere_may_be_anybody():
    case = replace(PAPER, people=(*PAPER.people, ("Asia",)), left_out=2)
    present, _ = presence_generalized(case.view(), case.population)
    assert present.worst == pytest.approx(2 / 3 + 1 / 3 * 2 / 5)
    assert "any who stand behind no published row" in present.assumes


def test_a_list_that_is_not_everybody_is_told_and_breaks_no_promise():
    case = replace(PAPER, people=PAPER.people[4:])
    present, absent = presence_generalized(case.view(delta(0, 0.7)), case.population)
    assert present.worst == 1
    assert present.promised is None
    assert not present.breaks
    assert "not everybody: 1 of 2 groups" in present.assumes
    assert not present.details["list_may_be_everybody"]
    assert present.details["certain"] == 0  # the two Americans on it may not be those who are meant
    assert absent.promised is None


def test_more_people_left_out_than_the_list_has_is_told():
    case = replace(PAPER, left_out=5)
    present, _ = presence_generalized(case.view(), case.population)
    assert present.worst == 1
    assert "more people were left out than it has" in present.assumes


def test_a_promise_that_even_the_lower_bound_breaks_is_broken(monkeypatch):
    monkeypatch.setattr(assignments, "_MOST_STATES", 0)
    case = Case((((Between(0, 1),), 4), ((Between(1, 2),), 1)), (("0",), ("1",), ("2",), ("0",), ("2",), ("1",)))
    lines = presence_generalized(case.view(delta(0, 0.5)), case.population)
    assert [line.adversary for line in lines if line.breaks] == ["presence_with_list_at_least"]
    assert lines[1].precision == AT_LEAST
    assert lines[1].worst <= float(max(chances(case))) <= lines[0].worst


def test_people_in_no_group_are_absent_for_sure():
    case = replace(PAPER, people=(*PAPER.people, ("Asia",), (None,)))
    present, absent = presence_generalized(case.view(delta(0.1, 0.9)), case.population)
    assert present.histogram[0] == present.details["fit_no_group"] == 2
    assert (absent.worst, absent.above, absent.breaks) == (1, 2, True)
    assert sum(present.histogram) == 11
    assert len(present.histogram) == len(STEPS)


def test_what_is_not_counted_out_is_told(monkeypatch):
    monkeypatch.setattr(assignments, "_MOST_STATES", 0)
    people = tuple((str(i % 3),) for i in range(60))
    case = Case((((Between(0, 1),), 2), ((Between(1, 2),), 2)), people)
    present, _ = presence_generalized(case.view(), case.population)
    assert present.precision == AT_MOST
    assert present.details["groups_not_counted_out"] == 2
    assert present.details["fit_several_groups"] == 20
    # Of 40 people each; the other group can take two of them.
    alone, both = 2 / 38, 2 * (2 / 36) / (1 + 2 * (2 / 36))
    assert present.worst == pytest.approx(both, abs=1e-9)
    assert present.worst > alone
    counted = float(max(chances(replace(case, people=people[:9]))))
    assert 0 < counted < 1


def test_values_written_in_another_way_are_told_not_taken_for_strangers():
    case = Case((((Exactly("a"), Anything()), 1),), (("A", "x"), ("B", "y")))
    with pytest.raises(DataError, match="no value of 'q0' is one that the release speaks of"):
        presence_among(case.view(), case.population)
