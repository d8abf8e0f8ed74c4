"""Who stands behind which row, against all ways to find people for the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from discreet.audit.reading.labels import Anything, Between, Exactly
from discreet.audit.worlds import assignments as module
from discreet.audit.worlds.assignments import assignments
from discreet.audit.worlds.label_join import Covered, covered
from discreet.studies import worlds
from tests.audit.lists import Case, cases, listed


def by_worlds(case):
    """Per person and group, the chance to be in it; None if the list can't fill the groups."""
    found = list(worlds.fillings(case.fitting))
    if not found:
        return None
    equal = [(world, Fraction(1)) for world in found]
    return [
        [worlds.belief(equal, lambda w, p=person, g=group: p in w[g]) for group in range(len(case.groups))]
        for person in range(len(case.people))
    ]


def entry_of(case):
    entries = list(dict.fromkeys(case.people))
    return [entries.index(person) for person in case.people]


@given(cases())
def test_everybodys_chance_is_that_of_the_possible_worlds(case):
    expected = by_worlds(case)
    found = assignments(covered(case.view(), case.population), case.view().sizes)
    assert found.exact.all()
    assert not found.contradicted.any()
    for person, entry in enumerate(entry_of(case)):
        chance = sum(expected[person])
        assert found.most[entry] == found.least[entry] == pytest.approx(float(chance), abs=1e-12)
        assert (found.most[entry] == 1) == (chance == 1)
        assert (found.most[entry] == 0) == (chance == 0)
    for group, (_, rows) in enumerate(case.groups):
        assert found.row[group] == pytest.approx(float(max(e[group] for e in expected) / rows), abs=1e-12)


@given(cases())
def test_bounds_hold_where_nothing_is_counted_out(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_STATES", 0)
        found = assignments(covered(case.view(), case.population), case.view().sizes)
    expected = by_worlds(case)
    for person, entry in enumerate(entry_of(case)):
        chance = float(sum(expected[person]))
        assert found.least[entry] - 1e-12 <= chance <= found.most[entry] + 1e-12
        assert found.least[entry] <= found.likely[entry] <= found.most[entry]
    for group, (_, rows) in enumerate(case.groups):
        assert float(max(e[group] for e in expected) / rows) <= found.row[group] + 1e-12


@given(cases(filled=False))
def test_a_list_that_can_not_fill_the_groups_is_told(case):
    found = assignments(covered(case.view(), case.population), case.view().sizes)
    assert found.contradicted.any() == (by_worlds(case) is None)


def test_groups_that_share_nobody_have_the_share_of_their_people():
    people = (*[("1",)] * 6, *[("2",)] * 3, ("3",))
    case = Case((((Exactly("1"),), 3), ((Exactly("2"),), 2)), people)
    found = assignments(covered(case.view(), listed(people)), case.view().sizes)
    assert found.most.tolist() == [3 / 6, 2 / 3, 0]
    assert found.row.tolist() == [1 / 6, 1 / 3]
    assert found.told_by.tolist() == [0, 1, -1]


def test_a_large_group_beside_a_small_one_is_counted_out():
    # 400 people from 0 to 3, 12 rows about all of them and 2 about those with 1.
    people = tuple((str(i % 4),) for i in range(400))
    case = Case((((Between(0, 3),), 12), ((Exactly("1"),), 2)), people)
    found = assignments(covered(case.view(), listed(people)), case.view().sizes)
    assert found.exact.all()
    # Whoever the two are, the twelve are any of the other 398.
    beside, within = 12 / 398, 2 / 100
    assert found.most[0] == pytest.approx(beside, abs=1e-12)
    assert found.most[1] == pytest.approx(within + (1 - within) * beside, abs=1e-12)


def test_balanced_odds_come_close_where_there_are_many_people():
    rng = np.random.default_rng(5)
    people = tuple((str(v),) for v in rng.integers(0, 40, 4000))
    groups = tuple(((Between(a, a + 9),), 40) for a in range(0, 31, 3))
    case = Case(groups, people)
    found = assignments(covered(case.view(), listed(people)), case.view().sizes)
    assert not found.exact.any()
    assert found.most.max() < 1.25 * found.likely.max()
    expected = (found.likely * covered(case.view(), listed(people)).people).sum()
    assert expected == pytest.approx(40 * len(groups), rel=1e-6)


def test_too_many_pairs_to_hold_leave_bounds():
    case = Case((((Anything(),), 2), ((Exactly("a"),), 1)), (("a",), ("b",), ("c",)))
    whole = covered(case.view(), case.population)
    none = Covered(whole.people, whole.starts, whole.groups[:0], whole.having, held=False)
    found = assignments(none, case.view().sizes)
    assert (found.least.tolist(), found.most.tolist()) == ([0, 0, 0], [1, 1, 1])
    assert found.row.tolist() == [1 / 2, 1]
    assert not found.exact.any()
