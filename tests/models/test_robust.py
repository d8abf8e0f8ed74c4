"""r-robustness: the paper's numbers, all possible worlds of small groups, and what is decided at the threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError, PolicyError
from discreet.models.examples import bucketized, groups_of
from discreet.models.robust.beliefs import LEVELS, VERDICTS
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import delta_max, impossible, ineligible, least_size
from discreet.models.verdicts import verdict
from discreet.studies import worlds
from tests.models.prior_worlds import Chances, Row, S, cases, groups_with, known, rs


def posteriors(
    rows: Sequence[Row], chances: Mapping[str, Chances], protected: Sequence[Sequence[str]]
) -> dict[str, Fraction]:
    """The worst posterior of each signature over both views and all protected sets, one world after the other."""
    worst = {kind: Fraction(0) for kind, _ in rows}
    values = [value for _, value in rows]
    for s in protected:
        if not any(value in s for value in values):
            continue
        full = [dict(chances[kind]) for kind, _ in rows]
        inside = [sum((p for value, p in of.items() if value in s), Fraction(0)) for of in full]
        two = [{True: p, False: 1 - p} for p in inside]
        views: list[tuple[Sequence[object], Sequence[Mapping[object, Fraction]], Callable[[object], bool]]] = [
            (values, full, lambda value, s=s: value in s),
            ([value in s for value in values], two, bool),
        ]
        for dealt, priors, has in views:
            listed = list(worlds.enumerate(dealt, worlds.independent(priors)))
            for i, (kind, _) in enumerate(rows):
                possible = any(weight for _, weight in listed)
                p = worlds.belief(listed, lambda world, i=i, has=has: has(world[i])) if possible else Fraction(1)
                worst[kind] = max(worst[kind], p)
    return worst


@given(case=cases(), r=rs)
def test_posteriors_are_those_of_all_possible_worlds(
    case: tuple[list[Row], dict[str, dict[str, Fraction]], list[tuple[str, ...]] | None], r: Fraction
) -> None:
    rows, chances, protected = case
    groups = groups_with(chances, rows)
    model = Robust(r, S, protected, knowledge=known(chances))
    every = [(value,) for value in next(iter(chances.values()))]
    wanted = posteriors(rows, chances, protected or every)
    found = model.posteriors(groups)
    people = groups.people
    assert people is not None
    kinds = [people.hierarchies[0].leaves[code] for code in people.codes[0]]
    for kind, level, above, proven in zip(kinds, found.levels, found.above, found.proven, strict=True):
        assert level == pytest.approx(float(wanted[kind]), abs=1e-12)
        assert above == proven == (wanted[kind] > 1 / Fraction(r))  # exactly, at the threshold too
    worst = max(wanted.values())
    assert model.holds(groups).tolist() == [worst <= 1 / Fraction(r)]
    assert model.level(groups) == pytest.approx([float(worst)], abs=1e-12)
    assert model.decided(groups) == {"exactly": 1, "by_bound": 0}


@given(cases=st.lists(cases(), min_size=2, max_size=4), r=rs)
def test_groups_are_judged_one_by_one(
    cases: list[tuple[list[Row], dict[str, dict[str, Fraction]], list[tuple[str, ...]] | None]], r: Fraction
) -> None:
    chances = {kind: dict.fromkeys("abcd", Fraction(i + 1, 4 * (i + 1))) for i, kind in enumerate("klmn")}
    chances["l"] = {"a": Fraction(7, 10), **dict.fromkeys("bcd", Fraction(1, 10))}
    model = Robust(r, S, knowledge=known(chances))
    groups = [rows for rows, _, _ in cases]
    together = groups_with(chances, *groups)
    alone = [groups_with(chances, rows) for rows in groups]
    assert model.holds(together).tolist() == [model.holds(g)[0] for g in alone]
    assert model.level(together).tolist() == [model.level(g)[0] for g in alone]


def test_worlds_of_the_papers_table_5() -> None:
    chances = {"s1": {"x": Fraction(1, 2), "y": Fraction(1, 2)}, "s2": {"x": Fraction(1, 5), "y": Fraction(4, 5)}}
    groups = groups_with(chances, [("s1", "x"), ("s1", "x"), ("s2", "y"), ("s2", "y")])
    model = Robust(2, S, ["x"], knowledge=known(chances))
    assert model.level(groups) == pytest.approx([8 / 11])
    assert round(8 / 11, 4) == 0.7273


def test_alex_the_american_among_two_is_told_to_have_a_heart_disease() -> None:
    chances = {"American": {"heart": Fraction(1, 10)}, "Japanese": {"heart": Fraction(3, 1000)}}
    rows = [("American", "heart"), ("Japanese", "flu")]
    groups = bucketized(S, ["kind"], [rows])
    model = Robust(2, S, ["heart"], knowledge=known(chances))
    assert model.level(groups).round(4) == [0.9736]
    assert not model.holds(groups)[0]


COUNTEREXAMPLE = {
    "t1": {"x1": Fraction("0.04"), "x2": Fraction("0.04"), "x3": Fraction("0.03"), "x4": Fraction("0.04")},
    "t2": {"x1": Fraction("0.1"), "x2": Fraction("0.1"), "x3": Fraction("0.012"), "x4": Fraction("0.1")},
}


def test_the_counterexample_to_theorem_1_is_refused() -> None:
    rows = [("t1", "x1"), ("t2", "x2"), ("t2", "x3"), ("t2", "x4")]
    groups = bucketized(S, ["kind"], [rows], [*rows, ("t1", "another")])
    model = Robust(2, S, knowledge=known(COUNTEREXAMPLE))
    most = np.array([0.1, 0.1, 0.03, 0.1])
    deviation = most - np.array([0.04, 0.04, 0.012, 0.04])
    assert (deviation <= delta_max(4, 2, most)).all()
    assert model.level(groups).round(4) == [0.6757]
    assert not model.holds(groups)[0]


@pytest.mark.parametrize(
    ("size", "r", "most", "deviation"),
    [
        (3, 2, 0.1, 0.0474),
        (3, 2, 0.3, 0.1235),
        (3, 2, 0.5, 0.1667),
        (3, 2, 0.9, 0.0818),
        (4, 2, 0.3, 0.1750),
        (6, 2, 0.3, 0.2211),
        (6, 3, 0.3, 0.1537),
        (6, 4, 0.3, 0.0955),
    ],
)
def test_the_largest_deviation_is_that_of_the_papers_table_7(size: int, r: int, most: float, deviation: float) -> None:
    assert delta_max(size, r, most).round(4) == deviation
    assert least_size(r, most, delta_max(size, r, most)) == size


@given(size=st.integers(2, 40), r=st.integers(2, 10), most=st.floats(0.01, 0.99), part=st.floats(0.0, 1.0))
def test_the_least_size_is_the_first_that_allows_the_deviation(size: int, r: int, most: float, part: float) -> None:
    deviation = part * most
    least = float(least_size(r, most, deviation))
    if least <= size:
        assert deviation <= delta_max(size, r, most) + 1e-6
    else:
        assert deviation >= delta_max(size, r, most) - 1e-6


def test_sizes_at_the_ends_of_probability() -> None:
    assert least_size("5/2", [0, 1, 1, 0.5], [0, 0, 0.1, 0.5]).tolist() == [3, 3, np.inf, np.inf]
    assert delta_max(5, 3, [0.0, 1.0]).tolist() == [0, 0]
    assert (delta_max(2, 3, [0.0, 0.5, 1.0]) < 0).all()


@given(first=st.integers(1, 20), second=st.integers(1, 20), size=st.integers(2, 8), r=st.integers(2, 8))
def test_one_person_against_all_others_has_odds_over_their_sum(first: int, second: int, size: int, r: int) -> None:
    """Theorem 1 where it holds: a value against "not that value"."""
    f, g = Fraction(first, 40), Fraction(second, 40)
    chances = {"k": {"x": f, "y": 1 - f}, "l": {"x": g, "y": 1 - g}}
    groups = groups_with(chances, [("k", "x")] + [("l", "y")] * (size - 1))
    model = Robust(r, S, ["x"], knowledge=known(chances))
    odds, others = f / (1 - f), g / (1 - g)
    worst = max(odds, others) / (odds + (size - 1) * others)
    assert model.holds(groups)[0] == (worst <= Fraction(1, r))
    if f != g:
        most = max(f, g)
        theorem = abs(f - g) <= (size - r) * most / (most * (r - 1) / (1 - most) + size - 1)
        assert model.holds(groups)[0] or not theorem


def test_one_signature_is_judged_by_its_share_exactly() -> None:
    chances = {"k": {"x": Fraction(1, 3), "y": Fraction(2, 3)}}
    rows = [[("k", "x")] + [("k", "y")] * n for n in (48, 49)]
    model = Robust(50, S, ["x"], knowledge=known(chances))
    assert model.holds(groups_with(chances, *rows)).tolist() == [False, True]


def test_signatures_that_differ_by_name_alone_tie_exactly() -> None:
    # The chances of the second are those of the first in other numbers; in floating point 1/49 · 49 is not 1.
    chances = {
        "k": {"x": Fraction(1, 49), "y": Fraction(24, 49), "z": Fraction(24, 49)},
        "l": {"x": Fraction(3, 147), "y": Fraction(72, 147), "z": Fraction(72, 147)},
    }
    group = [("k", "x"), *[("k", "y"), ("l", "z")] * 24]
    model = Robust(49, S, ["x"], knowledge=known(chances))
    assert model.holds(groups_with(chances, group)).tolist() == [True]
    assert model.level(groups_with(chances, group)) <= 1 / 49
    assert model.holds(groups_with(chances, group[:-1])).tolist() == [False]


def test_a_set_of_values_is_more_than_its_parts() -> None:
    chances = {kind: {"x": Fraction(1, 4), "y": Fraction(1, 4), "z": Fraction(1, 2)} for kind in "kl"}
    groups = groups_with(chances, [("k", "x"), ("l", "y"), ("k", "z"), ("l", "z")])
    knowledge = known(chances)
    assert Robust(4, S, ["x", "y"], knowledge=knowledge).holds(groups)[0]
    assert not Robust(3, S, [["x", "y"]], knowledge=knowledge).holds(groups)[0]
    assert Robust(2, S, [["x", "y"]], knowledge=knowledge).holds(groups)[0]


def test_groups_without_a_protected_value_are_robust() -> None:
    chances = {"k": {"x": Fraction(1, 2), "y": Fraction(1, 2)}}
    model = Robust(9, S, ["x"], knowledge=known(chances))
    groups = groups_with(chances, [("k", "y")], [("k", "x")])
    assert model.holds(groups).tolist() == [True, False]
    assert model.level(groups).tolist() == [0, 1]


def test_a_group_that_can_not_be_what_she_believes_is_not_robust() -> None:
    never = {"k": {"x": Fraction(0), "y": Fraction(1)}, "l": {"x": Fraction(0), "y": Fraction(1)}}
    groups = groups_with(never, [("k", "x"), *[("k", "y")] * 5], [("k", "x"), *[("l", "y")] * 5])
    model = Robust(2, S, knowledge=known(never))
    assert not model.holds(groups).any()
    assert model.level(groups).tolist() == [1, 1]
    assert model.posteriors(groups).above.all()


def test_the_table_itself_is_what_she_knows_by_default() -> None:
    rows = [("old", "gout")] * 3 + [("old", "flu")] + [("young", "gout")] + [("young", "flu")] * 3
    group = [("old", "gout"), ("young", "flu")]
    groups = bucketized(S, ["age"], [group], rows)
    model = Robust(2, S, ["gout"], min_support=4)
    assert model.level(groups) == pytest.approx([9 / 10])  # odds of 3 to 1 against odds of 1 to 3
    assert replace(model, min_support=5).level(groups) == [1 / 2]  # four rows are too few to be known
    assert replace(model, min_support=5).holds(groups)[0]


def test_every_attribute_set_is_judged_and_named_ones_alone() -> None:
    rows = [("old", "f", "gout"), ("old", "m", "flu"), ("young", "f", "flu"), ("young", "m", "gout")] * 9
    groups = bucketized(S, ["age", "sex"], [[rows[0], rows[1]]], rows)
    assert Robust(2, S, attribute_sets=[["age"], ["sex"]], min_support=1).holds(groups)[0]
    assert not Robust(2, S, min_support=1).holds(groups)[0]


@given(case=cases())
def test_the_mean_deviation_is_that_of_the_chances_in_each_group(
    case: tuple[list[Row], dict[str, dict[str, Fraction]], list[tuple[str, ...]] | None],
) -> None:
    rows, chances, protected = case
    groups = groups_with(chances, rows, rows[:1])
    model = Robust(2, S, protected, knowledge=known(chances))
    deviations = []
    for s in model.values or [(value,) for value in next(iter(chances.values()))]:
        f = [sum(p for value, p in chances[kind].items() if value in s) for kind, _ in rows]
        deviations.append(float(max(f) - min(f)) / 2)  # nothing deviates in a group of one
    assert model.mean_deviation(groups) == pytest.approx(sum(deviations) / len(deviations))


def test_values_that_are_too_frequent_are_refused_at_once() -> None:
    rows = [("1", "flu")] * 5 + [("1", "gout")] * 2 + [("1", None)] * 3
    people = bucketized(S, ["zip"], [rows]).people
    assert people is not None and people.table is not None
    table = people.table
    assert impossible(table, Robust(3, S)) == [(("flu",), Fraction(1, 2))]
    assert impossible(table, Robust(2, S)) == []
    assert impossible(table, Robust(3, S), limit=2) == [(("flu",), Fraction(1, 2))]  # 3 of 8
    assert impossible(table, Robust(3, S), limit=3) == []  # 2 of 7
    assert impossible(table, Robust(3, S, ["gout"])) == []
    assert impossible(table, Robust(3, S, [["gout", None]])) == [(("gout", None), Fraction(1, 2))]
    assert ineligible(table, Robust(2, S)) is None
    error = ineligible(table, Robust(4, S))
    assert error is not None and error.exit_code == 1
    assert str(error) == (
        "require: 4-robustness of disease can't be had: flu is the value of 50.0% of the rows, more than 1/4 "
        "(1 more are too frequent); take r of at most 2, name the values to protect, or raise `suppress`"
    )
    assert "gout, NULL are the values of 50.0%" in str(ineligible(table, Robust(3, S, [["gout", None]])))


def test_a_release_that_does_not_show_its_people_can_not_be_judged() -> None:
    with pytest.raises(DiscreetError, match="publish: bucketization"):
        Robust(2, S).holds(groups_of(S, ["flu"]))


def test_the_tables_distributions_can_not_be_known_without_the_table() -> None:
    groups = bucketized(S, ["zip"], [[("1", "flu")]])
    assert groups.people is not None
    with pytest.raises(DiscreetError) as error:
        Robust(2, S).holds(replace(groups, people=replace(groups.people, table=None)))
    assert str(error.value) == (
        "robust: can't be judged without the table whose distributions the adversary knows; "
        "give the source again: --source"
    )


def test_people_coded_unlike_their_table_are_not_judged() -> None:
    groups, others = bucketized(S, ["zip"], [[("1", "flu")]]), bucketized(S, ["zip"], [[("2", "flu")]])
    assert groups.people is not None and others.people is not None
    with pytest.raises(ValueError, match="coded alike"):
        Robust(2, S).holds(replace(groups, people=replace(groups.people, table=others.people.table)))


def test_the_verdict_of_a_release_names_the_group_that_decides() -> None:
    chances = {"k": {"x": Fraction(1, 2), "y": Fraction(1, 2)}, "l": {"x": Fraction(1, 5), "y": Fraction(4, 5)}}
    groups = groups_with(chances, [("k", "x"), ("l", "y")], [("k", "x"), ("k", "y")])
    found = verdict(Robust(2, S, ["x"], knowledge=known(chances)), groups)
    assert (found.holds, found.deciding_group) == (False, 2)
    assert str(found.witness()) == (
        "a group of 2 rows reaches 0.8 where 2-robustness of disease, listed values, given knowledge asks for "
        "at most 1/2"
    )
    assert verdict(Robust(2, S), groups_with(chances)).holds


def test_no_more_than_zero_rows_are_said_to_be_lost() -> None:
    groups = bucketized(S, ["zip"], [[("1", "flu")]])
    assert Robust(2, S).least_suppressed(groups).tolist() == [0]


def test_parameters_that_promise_nothing_are_refused() -> None:
    for wrong in ({"r": 1}, {"r": "many"}, {"min_support": 0}, {"values": []}, {"values": [[]]}, {"values": "x"}):
        with pytest.raises(PolicyError):
            Robust(**{"r": 2, "attribute": S} | wrong)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match=r"robust.attribute_sets: is for the table's own"):
        Robust(2, S, attribute_sets=[["zip"]], knowledge=GivenKnowledge([({"zip": "1"}, "flu", 0.5)]))


def test_the_same_groups_are_judged_once() -> None:
    """Verdicts and levels are asked for again and again while a plan is checked; others are judged for themselves."""
    chances = {
        "A": {"flu": Fraction(1, 4), "gout": Fraction(3, 4)},
        "B": {"flu": Fraction(1, 2), "gout": Fraction(1, 2)},
    }
    groups = groups_with(chances, [("A", "flu"), ("B", "gout")])
    model = Robust(2, S, knowledge=known(chances))
    first = model._judged(groups, VERDICTS)
    model.holds(groups)[:] = True  # nobody else sees what is done to an answer
    assert model.holds(groups).tolist() == [False]
    assert model._judged(groups, VERDICTS) is first
    assert model._judged(groups, LEVELS) is not first
    weaker = replace(model, r=Fraction(5, 4))
    assert weaker._judged(groups, VERDICTS) is not first and weaker.holds(groups).tolist() == [True]
