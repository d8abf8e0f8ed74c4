"""Which people fit which groups, against looking at everybody."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from discreet.audit.reading.labels import Anything, Exactly
from discreet.audit.worlds import label_join as module
from discreet.audit.worlds.label_join import covered
from tests.audit.lists import Case, cases, fits, listed


@given(cases(most_groups=5, most_people=8, filled=False))
def test_everybody_fits_just_the_groups_whose_labels_cover_all_their_values(case):
    found = covered(case.view(), case.population)
    entries = list(dict.fromkeys(case.people))
    for i, person in enumerate(entries):
        theirs = sorted(found.groups[found.starts[i] : found.starts[i + 1]].tolist())
        assert theirs == [g for g, (labels, _) in enumerate(case.groups) if fits(labels, person)]
        assert found.people[i] == case.people.count(person)
    assert found.having.tolist() == [len(people) for people, _ in case.fitting]


def test_too_many_pairs_are_counted_but_not_held(monkeypatch):
    monkeypatch.setattr(module, "MOST_FITS", 3)
    case = Case((((Anything(),), 1), ((Exactly("a"),), 1)), (("a",), ("b",), ("a",), ("c",)))
    found = covered(case.view(), case.population)
    assert not found.held
    assert len(found.groups) == 0
    assert found.having.tolist() == [4, 2]
    assert found.fits.tolist() == [2, 1, 1]


def test_a_release_without_groups_covers_nobody():
    case = Case((((Anything(),), 1),), (("a",), ("b",)))
    view = case.view()
    empty = type(view)("generalization", ("q0",), np.zeros(0, dtype=np.int64), (), view.regions[:0])
    found = covered(empty, listed(case.people))
    assert found.fits.tolist() == [0, 0]


def test_a_column_with_as_many_exact_labels_as_values_is_looked_up():
    people = tuple((str(i % 500), str(i % 7)) for i in range(2000))
    groups = tuple(((Exactly(str(i)), Anything()), 1) for i in range(500))
    found = covered(Case(groups, people).view(), listed(people))
    assert (found.fits == 1).all()
    assert (found.having == 4).all()
