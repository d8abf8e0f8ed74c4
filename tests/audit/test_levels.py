"""The second reading of a release's promises."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.association.association_lines import association
from discreet.audit.lines import AT_LEAST
from discreet.audit.promises.levels import levels
from discreet.audit.reading.view import ReleaseView, Tally
from tests.audit.association_cases import ambiguous, promise, view_of
from tests.models.cases import groups


@given(groups, st.sampled_from([2, 3]))
def test_without_a_reference_groups_are_held_to_the_release_itself(by_group, t):
    said = promise("t_closeness", t=Fraction(1, t))
    everybody = [value for group in by_group for value in group]
    [level] = levels(view_of(by_group, promises=[said]))
    distances = [
        sum(abs(Fraction(g.count(v), len(g)) - Fraction(everybody.count(v), len(everybody))) for v in set(everybody))
        / 2
        for g in by_group
    ]
    assert level.achieved == pytest.approx(float(max(distances)))
    assert level.holds == (max(distances) <= Fraction(1, t))


def test_an_ambiguous_group_above_alpha_is_seen():
    people = [[("45", "M", "diabetes"), ("20", "M", "flu"), ("50", "F", "cold")]]
    for alpha, holds in ((0.5, True), (0.49, False)):
        said = promise("ambiguity", alpha=alpha, beta=0.4)
        presence, association = levels(ambiguous(people, ["age", "sex"], promises=[said]))
        assert (presence.achieved, presence.holds) == (0.5, holds)
        assert association.achieved == pytest.approx(1 / 3) and association.holds


def test_presence_in_an_ambiguous_group_is_at_most_certain():
    people = [[("45", "diabetes"), ("45", "flu"), ("45", "cold")]]
    [presence, _] = levels(ambiguous(people, ["age"], promises=[promise("ambiguity", alpha=0.9, beta=0.9)]))
    assert presence.achieved == 1 and not presence.holds


def test_what_is_about_a_population_needs_its_figures():
    view = view_of([["a", "b"]], promises=[promise("presence", delta=[0.1, 0.5], population="people.csv")])
    assert [(level.holds, level.achieved) for level in levels(view)] == [(None, None)] * 2
    assert all(level.note for level in levels(view))
    assert [level.holds for level in levels(view, presence=((0.1, 0.1), (0.6, 0.6)))] == [True, False]


def test_each_attribute_is_read_by_itself():
    view = view_of([["a", "b"], ["a", "a"]], promises=[promise("l_diversity", l=2), promise("l_diversity", "x", l=2)])
    assert [(level.attribute, level.holds) for level in levels(view)] == [("disease", False), ("x", None)]


def test_a_group_is_pointed_at_by_size_and_line_only():
    [level] = levels(view_of([["a", "b", "c"], ["a", "b"]], promises=[promise("k_anonymity", k=3)]))
    assert (level.deciding.size, level.deciding.line, level.deciding.file) == (2, 5, "data.csv")
    assert level.sense == AT_LEAST and not level.holds


def test_nobody_published_is_nobody_harmed():
    nothing = np.zeros(0, dtype=np.int64)
    tally = Tally("disease", (), nothing, nothing, nothing)
    said = [
        promise("k_anonymity", k=2),
        promise("l_diversity", l=2, kind="entropy"),
        promise("t_closeness", t=0.1, distance="ordered"),
        promise("delta_disclosure", delta=1),
        promise("realistic", **{"class": "I", "stubbornness": 10, "epsilon": 2}),
    ]
    view = ReleaseView("generalization", ("age",), nothing, (tally,), promises=tuple(said), first_line=nothing)
    assert all(level.holds and level.deciding is None for level in levels(view))
    assert all((line.people, line.worst) == (0, 0.0) for line in association(view))
