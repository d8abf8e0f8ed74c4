"""(α, β)-privacy: the paper's numbers, and presence and association by enumerating possible worlds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.errors import DiscreetError, PolicyError
from discreet.models.ambiguity.alpha_beta import AlphaBeta, association, presence
from discreet.models.base import least_suppressed
from discreet.models.examples import groups_of
from discreet.models.registry import model_from_words
from discreet.models.verdicts import verdict
from discreet.search.plan import Ambiguity
from discreet.studies.worlds import belief, tables
from tests.search.patients import PATIENTS

People = list[tuple[str, ...]]


def group(people: People, values: list[str], sets: list[tuple[int, ...]] | None = None) -> Groups:
    """One group of people with these quasi-identifiers, published in a table per attribute or per set of them."""
    listed = sets or [(d,) for d in range(len(people[0]))]
    distinct = [len({tuple(person[d] for d in table) for person in people}) for table in listed]
    return replace(groups_of("s", values), distinct=np.array([distinct]))


@st.composite
def groups_of_people(draw: st.DrawFn) -> tuple[People, list[str]]:
    """Up to four different people in up to 12 combinations, with their sensitive values."""
    domains = [range(draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 3)))]
    everybody = sorted(product(*(map(str, domain) for domain in domains)))[:12]
    people = draw(st.lists(st.sampled_from(everybody), min_size=1, max_size=4, unique=True))
    return people, draw(st.lists(st.sampled_from("xyz"), min_size=len(people), max_size=len(people)))


def test_the_papers_eight_patients() -> None:
    rows = np.arange(8)
    plan = Ambiguity(
        PATIENTS, rows, np.ones(8, dtype=np.int64), np.array([0, 0, 0, 0, 1, 1, 1, 1]), tables=((0,), (1,), (2,))
    )
    assert plan.groups.distinct is not None
    assert plan.groups.distinct.tolist() == [[4, 1, 3], [3, 1, 3]]
    assert presence(plan.groups).tolist() == pytest.approx([1 / 3, 4 / 9])
    assert association(plan.groups, "disease").tolist() == [1 / 4, 2 / 4]
    assert AlphaBeta("4/9", "1/2", "disease").holds(plan.groups).all()
    assert AlphaBeta("1/3", "1/2", "disease").holds(plan.groups).tolist() == [True, False]
    assert AlphaBeta("4/9", "1/3", "disease").holds(plan.groups).tolist() == [True, False]


@given(groups_of_people())
def test_presence_and_association_are_beliefs_over_possible_worlds(made: tuple[People, list[str]]) -> None:
    people, values = made
    found = group(people, values)
    auxiliary = [sorted({person[d] for person in people}) for d in range(len(people[0]))]
    worlds = [(world, Fraction(1)) for world in tables(auxiliary, values)]
    assert float(belief(worlds, lambda world: people[0] in world)) == pytest.approx(presence(found)[0])
    there = [(world, weight) for world, weight in worlds if people[0] in world]
    likely = max(belief(there, lambda world, v=value: world[people[0]] == v) for value in values)  # type: ignore[misc]
    assert float(likely) == pytest.approx(association(found, "s")[0])


@given(groups_of_people(), st.booleans())
def test_so_they_are_where_attributes_share_a_table(made: tuple[People, list[str]], first_alone: bool) -> None:
    people, values = made
    people = [(*person, person[0]) for person in people]  # at least two attributes
    last = len(people[0])
    sets = [(0,), tuple(range(1, last))] if first_alone else [tuple(range(last - 1)), (last - 1,)]
    auxiliary = [sorted({tuple(person[d] for d in table) for person in people}) for table in sets]
    worlds = [(world, Fraction(1)) for world in tables(auxiliary, values)]
    somebody = tuple(tuple(people[0][d] for d in table) for table in sets)
    found = presence(group(people, values, sets))[0]
    assert float(belief(worlds, lambda world: somebody in world)) == pytest.approx(found)


@given(groups_of_people(), st.fractions(0, 1))
def test_a_group_holds_exactly_up_to_its_own_presence_and_association(
    made: tuple[People, list[str]], below: Fraction
) -> None:
    people, values = made
    found = group(people, values)
    assert found.distinct is not None
    alpha = min(Fraction(len(people), int(found.distinct.prod())), Fraction(1))
    beta = Fraction(max(Counter(values).values()), len(values))
    at_the_border = AlphaBeta(alpha, min(beta, Fraction(999, 1000)), "s")
    assert at_the_border.holds(found)[0] == (beta < 1)
    for model in (AlphaBeta(max(alpha * below, Fraction(1, 99)), Fraction(999, 1000), "s"), at_the_border):
        holds = len(people) <= model.alpha * int(found.distinct.prod()) or model.alpha == 1
        assert model.holds(found)[0] == (holds and beta <= model.beta)
        assert (model.level(found)[0] <= float(model.alpha)) == model.holds(found)[0]  # type: ignore[arg-type]


def test_products_longer_than_64_bits_are_compared_exactly() -> None:
    values = [str(n) for n in range(3)]
    groups = replace(groups_of("s", values, values), distinct=np.array([[3] * 41, [3] * 40 + [2]]))
    assert AlphaBeta(Fraction(1, 3**40), "1/3", "s").holds(groups).tolist() == [True, False]
    assert AlphaBeta(Fraction(1, 2 * 3**39), "1/3", "s").holds(groups).tolist() == [True, True]
    assert not AlphaBeta(Fraction(1, 3**40 + 1), "1/3", "s").holds(groups).any()


def test_two_private_groups_may_be_unsafe_together() -> None:
    groups = replace(groups_of("s", ["x", "y"], ["z", "x"]), distinct=np.array([[2, 2], [2, 2]]))
    merged = replace(groups_of("s", ["x", "y", "z", "x"]), distinct=np.array([[2, 2]]))
    model = AlphaBeta("1/2", "1/2", "s")
    assert model.holds(groups).all()
    assert not model.holds(merged).any()
    assert not model.monotone


def test_duplicates_are_no_more_than_certain() -> None:
    groups = replace(groups_of("s", ["x", "y", "z"]), distinct=np.array([[1, 2]]))
    assert presence(groups).tolist() == [1.0]
    assert AlphaBeta(1, "1/3", "s").holds(groups).all()
    assert not AlphaBeta("0.99", "1/3", "s").holds(groups).any()


def test_the_deciding_group_is_told_by_its_presence_and_one_with_too_frequent_a_value_as_above_alpha() -> None:
    groups = replace(groups_of("s", ["x", "y"], ["x", "x", "x", "y"]), distinct=np.array([[2, 2], [4, 4]]))
    model = AlphaBeta("1/2", "1/2", "s")
    assert model.level(groups).tolist() == [0.5, 0.75]
    found = verdict(model, groups)
    assert (found.holds, found.deciding_group) == (False, 4)
    assert str(found.witness()) == (
        "a group of 4 rows reaches 0.75 where (0.5, 0.5)-privacy of s asks for "
        "presence at most 0.5 without a list of the population, association at most 0.5"
    )


def test_rows_of_too_frequent_a_value_are_lost_in_every_refinement() -> None:
    groups = replace(groups_of("s", ["x", "x", "x", "y"]), distinct=np.array([[4, 4]]))
    assert least_suppressed([AlphaBeta("1/2", "1/2", "s")], groups).tolist() == [2]


def test_it_speaks_of_values_in_tables_apart_only() -> None:
    with pytest.raises(DiscreetError, match="publish: ambiguity"):
        AlphaBeta("1/2", "1/2", "s").holds(groups_of("s", ["x", "y"]))


def test_it_is_read_back_from_its_own_words() -> None:
    for model in (
        AlphaBeta(0.1, 0.2, "s"),
        AlphaBeta("1/3", "1/7", "s", "best"),
        AlphaBeta(1, 0.5, "s", [["age", "sex"], ["zip"]]),  # type: ignore[arg-type]
    ):
        [(word, given)] = model.to_words().items()
        assert model_from_words(word, given, "", ["s"]) == ([model], [])
    assert AlphaBeta(0.1, 0.2, "s").to_words() == {
        "ambiguity": {"alpha": 0.1, "beta": 0.2, "attribute": "s", "tables": "separate"}
    }


@pytest.mark.parametrize(
    ("tables", "rule"),
    [
        ("bset", "must be separate, best or a list of sets"),
        ([], "must be separate, best or a list of sets"),
        ([["age"], []], "a list of at least one name"),
        (["age"], "a list of at least one name"),
        ([["age", 3]], "a list of at least one name"),
        ([["age"], ["zip", "age"]], "names 'age' more than once"),
    ],
)
def test_sets_that_can_not_be_meant_are_told(tables: object, rule: str) -> None:
    with pytest.raises(PolicyError, match=rule):
        AlphaBeta(0.1, 0.2, "s", tables)  # type: ignore[arg-type]


def test_named_sets_must_be_a_partition_of_the_quasi_identifiers() -> None:
    model = AlphaBeta(0.1, 0.2, "disease", (("agee", "gender"),))
    assert [str(mistake) for mistake in model.misfits(PATIENTS)] == [
        "ambiguity.tables: 'agee' is not a quasi-identifier; did you mean 'age'?",
        "ambiguity.tables: 'age' is in no table; put every quasi-identifier into exactly one",
        "ambiguity.tables: 'zip' is in no table; put every quasi-identifier into exactly one",
    ]
    assert not AlphaBeta(0.1, 0.2, "disease", (("age", "gender"), ("zip",))).misfits(PATIENTS)
