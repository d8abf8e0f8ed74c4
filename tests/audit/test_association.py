"""What is believed about who has what, against all possible worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.association.association import homogeneity, known_rows, protected_values, skew, uniform_worlds
from discreet.audit.lines import STEPS
from discreet.studies import worlds
from tests.audit.association_cases import ambiguous, groups_of_values, promise, view_of
from tests.patients import PATIENTS

GROUPS = [PATIENTS[:4], PATIENTS[4:]]


def attack(function, view, *args, **options):
    return function(view, view.tallies[0], *args, **options)


def equally_likely(group):
    """Every world of a group of values, all of the same weight."""
    return list(worlds.enumerate(group, lambda _: Fraction(1)))


def largest_belief(found, person, values):
    return max(worlds.belief(found, lambda world, v=v: world[person] == v) for v in values)


@given(groups_of_values)
def test_the_belief_in_a_value_is_the_share_of_worlds_in_which_a_person_has_it(groups):
    found = attack(uniform_worlds, view_of(groups))
    beliefs = [largest_belief(equally_likely(group), 0, group) for group in groups]
    assert found.worst == pytest.approx(float(max(beliefs)))
    assert found.above == sum(len(group) for group, b in zip(groups, beliefs, strict=True) if b > Fraction(1, 2))
    assert sum(found.histogram) == found.people == sum(map(len, groups))
    assert len(groups[found.deciding.group]) == found.deciding.size


@given(groups_of_values, st.sets(st.sampled_from("xyz"), min_size=1))
def test_of_protected_values_alone_the_belief_is_told_where_a_release_names_some(groups, named):
    view = view_of(groups, promises=[promise("robust", r=2, values=sorted(named))])
    found = attack(protected_values, view)
    published = {value for group in groups for value in group}
    if published <= named or not published & named:
        assert found == []
        return
    beliefs = [largest_belief(equally_likely(group), 0, named) for group in groups]
    assert found[0].worst == pytest.approx(float(max(beliefs)))
    assert found[0].above == sum(len(group) for group, b in zip(groups, beliefs, strict=True) if b > Fraction(1, 2))


small_groups = st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=5), min_size=1, max_size=2)


@given(small_groups, st.integers(0, 5))
def test_known_rows_help_as_much_as_the_best_choice_of_them(groups, known):
    found = attack(known_rows, view_of(groups), known)
    beliefs = Counter()
    for group in groups:
        for person in range(len(group)):
            beliefs[best_with_known(group, person, known)] += 1
    assert found.worst == pytest.approx(float(max(beliefs)))
    assert found.above == sum(people for belief, people in beliefs.items() if belief > Fraction(1, 2))
    histogram = np.bincount(np.searchsorted(STEPS, [float(b) for b in beliefs.elements()]), minlength=len(STEPS))
    assert found.histogram == tuple(histogram)


def best_with_known(group, person, known):
    """Her surest belief about a person, over every choice of others whose values she may know."""
    others = [i for i in range(len(group)) if i != person]
    chosen = (c for size in range(min(known, len(others)) + 1) for c in combinations(others, size))
    return max(
        largest_belief([(w, x) for w, x in equally_likely(group) if all(w[i] == group[i] for i in told)], person, group)
        for told in chosen
    )


@given(groups_of_values)
def test_no_fewer_known_rows_than_are_told_make_her_certain(groups):
    view = view_of(groups)
    needed = attack(known_rows, view).details["rows_until_certain"]
    assert attack(known_rows, view, needed).worst == 1
    assert needed == 0 or attack(known_rows, view, needed - 1).worst < 1


@given(groups_of_values)
def test_in_a_group_of_one_value_nothing_is_open(groups):
    found = attack(homogeneity, view_of(groups))
    certain = [group for group in groups if len(set(group)) == 1]
    assert (found.above, found.worst) == (sum(map(len, certain)), float(bool(certain)))
    assert found.details["groups"] == len(certain)
    assert found.details["people_nearly_certain"] >= found.above


@given(groups_of_values)
def test_skew_is_told_as_gain_ratio_and_distance(groups):
    found = attack(skew, view_of(groups))
    everybody = [value for group in groups for value in group]

    def share(values, value):
        return Fraction(values.count(value), len(values))

    gains = [share(group, v) - share(everybody, v) for group in groups for v in set(group)]
    ratios = [share(group, v) / share(everybody, v) for group in groups for v in set(group)]
    distances = [sum(abs(share(g, v) - share(everybody, v)) for v in set(everybody)) / 2 for g in groups]
    assert found.details["gain"] == pytest.approx(float(max(gains)))
    assert found.details["ratio"] == pytest.approx(float(max(ratios)))
    assert found.details["distance"] == pytest.approx(float(max(distances)))
    lacking = [group for group in groups if set(group) != set(everybody)]
    assert found.details["people_with_a_value_ruled_out"] == sum(map(len, lacking))
    if not lacking:
        assert found.details["delta"] == pytest.approx(max(abs(log(ratio)) for ratio in ratios))
    else:
        assert found.details["delta"] is None
    learnt = [max((share(group, v) - share(everybody, v), share(group, v)) for v in set(group)) for group in groups]
    assert found.worst <= float(max(q for _, q in learnt)) + 1e-12


def test_what_a_manifest_says_of_another_distribution_is_not_believed():
    manifest = {"references": {"disease": [["flu", 1], ["cold", 9]]}}
    found = attack(skew, view_of([["flu", "cold"]], manifest=manifest))
    assert (found.worst, found.details["ratio"], found.details["gain"]) == (0.5, 1.0, 0.0)


def test_the_paper_s_patients_believe_as_the_paper_says():
    view = ambiguous(GROUPS, ["age", "sex", "zip"])
    found = attack(uniform_worlds, view)
    assert found.worst == 0.5 and found.deciding.group == 1
    alan = worlds_of(GROUPS[0])
    assert worlds.belief(with_person(alan, ("45", "M", "11000")), lambda w: w["45", "M", "11000"] == "diabetes") == (
        Fraction(1, 4)
    )
    alice = worlds_of(GROUPS[1])
    assert worlds.belief(with_person(alice, ("20", "F", "54000")), lambda w: w["20", "F", "54000"] == "leukemia") == (
        Fraction(1, 2)
    )


def worlds_of(people):
    return worlds.tables([[p[i] for p in people] for i in range(3)], [p[3] for p in people])


def with_person(found, person):
    return [(world, Fraction(1)) for world in found if person in world]


@pytest.mark.parametrize(
    ("promises", "bound"),
    [
        ([promise("l_diversity", l=3, kind="frequency")], 1 / 3),
        ([promise("alpha_k", alpha=0.4, k=2), promise("l_diversity", "disease", l=2, kind="frequency")], 0.4),
        ([promise("ambiguity", "disease", alpha=0.1, beta=0.2)], 0.2),
        ([promise("l_diversity", "salary", l=3, kind="frequency")], None),
        ([promise("l_diversity", l=3, kind="entropy")], None),
    ],
)
def test_a_promised_share_is_the_threshold(promises, bound):
    view = view_of([["a", "b", "c"], ["a", "b"]], promises=promises)
    found = attack(uniform_worlds, view)
    assert found.promised == bound
    assert found.threshold == (0.5 if bound is None else bound)
    assert found.breaks == (bound is not None)
    assert attack(uniform_worlds, view, threshold=0.7).threshold == 0.7


def test_a_share_exactly_at_the_promised_one_is_not_above():
    found = attack(uniform_worlds, view_of([["a", "b", "c"]], promises=[promise("l_diversity", l=3, kind="frequency")]))
    assert (found.above, found.breaks) == (0, False)


def test_a_group_of_one_value_breaks_a_promise_of_diversity():
    groups = [["a", "b"], ["a", "a", "a"]]
    assert not attack(homogeneity, view_of(groups)).breaks
    found = attack(homogeneity, view_of(groups, promises=[promise("l_diversity", l=2)]))
    assert found.breaks and found.deciding.size == 3 and found.deciding.line == 4
