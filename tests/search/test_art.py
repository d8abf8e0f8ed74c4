"""ART: whatever it publishes is robust by all possible worlds, and what it can't protect it says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError, Infeasible
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from discreet.search.art.art import art
from discreet.search.plan import SUPPRESSED, Bucketization, Problem
from discreet.studies import worlds
from tests.models.prior_worlds import Chances, Person, S, frequency, published

Known = Mapping[tuple[int, ...], Mapping[tuple[str | None, ...], Chances]]  # by attribute set and signature


def known_of(rows: Sequence[Person], min_support: int) -> Known:
    """The table's own distributions, for every attribute set; of rare signatures that of all rows."""

    def distribution(values: Sequence[str]) -> dict[str, Fraction]:
        return {value: Fraction(values.count(value), len(values)) for _, value in rows}

    width = len(rows[0][0])
    everybody = distribution([value for _, value in rows])
    known: dict[tuple[int, ...], dict[tuple[str | None, ...], Chances]] = {}
    for size in range(1, width + 1):
        for attributes in combinations(range(width), size):
            having: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
            for people, value in rows:
                having[tuple(people[a] for a in attributes)].append(value)
            known[attributes] = {
                signature: distribution(values) if len(values) >= min_support else everybody
                for signature, values in having.items()
            }
    return known


def is_robust(group: Sequence[Person], known: Known, protected: Sequence[Sequence[str]], r: Fraction) -> bool:
    """By all worlds: for every attribute set, protected set and person, in both views."""
    for attributes, chances in known.items():
        priors = [chances[tuple(people[a] for a in attributes)] for people, _ in group]
        for s in protected:
            values = [value for _, value in group]
            inside = [sum((p for value, p in prior.items() if value in s), Fraction(0)) for prior in priors]
            two = [{True: p, False: 1 - p} for p in inside]
            full = list(worlds.enumerate(values, worlds.independent([dict(prior) for prior in priors])))
            coarse = list(worlds.enumerate([v in s for v in values], worlds.independent([dict(of) for of in two])))
            for t in range(len(group)):
                if worlds.belief(full, lambda world, s=s, t=t: world[t] in s) > 1 / r:
                    return False
                if worlds.belief(coarse, lambda world, t=t: bool(world[t])) > 1 / r:
                    return False
    return True


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Person], Robust]:
    """Some rows, with repetitions, and what is to be protected: single values, sets that may overlap, or all."""
    kinds = [("a", "x"), ("a", "y"), ("b", "x"), ("b", None)][: draw(st.integers(1, 4))]
    values = "uvwz"[: draw(st.integers(2, 4))]
    row = st.tuples(st.sampled_from(kinds), st.sampled_from(values + values[0] * 3))
    rows = draw(st.lists(row, min_size=2, max_size=11))
    one = st.lists(st.sampled_from(values[1:]), min_size=1, max_size=2, unique=True).map(tuple)
    protected = draw(st.none() | st.lists(one, min_size=1, max_size=2))
    r = draw(st.sampled_from([2, 3, Fraction(3, 2), Fraction(5, 2)]))
    return rows, Robust(r, S, protected, min_support=draw(st.integers(1, 4)))


def sets_of(rows: Sequence[Person], robust: Robust) -> list[tuple[str, ...]]:
    if robust.values is None:
        return [(value,) for value in {value for _, value in rows}]
    return [tuple(str(value) for value in s) for s in robust.values]


def solved(rows: Sequence[Person], *models: PrivacyModel, limit: int = 0, seed: int | None = 1) -> Bucketization:
    return art(Problem(frequency(rows), models, limit, seed=seed))


@given(case=cases(), k=st.none() | st.integers(2, 3))
def test_whatever_is_published_is_robust_by_all_possible_worlds(
    case: tuple[list[Person], Robust], k: int | None
) -> None:
    rows, robust = case
    models = (robust,) if k is None else (robust, KAnonymity(k))
    groups = published(solved(rows, *models, limit=len(rows)))
    assert sorted(map(str, rows)) == sorted(str(row) for group in groups.values() for row in group)
    groups.pop(SUPPRESSED, None)
    known, protected = known_of(rows, robust.min_support), sets_of(rows, robust)
    for group in groups.values():
        assert is_robust(group, known, protected, Fraction(robust.r))
        assert all(sum(value in s for _, value in group) <= 1 for s in protected)
        assert len(group) >= (k or 1)


@given(case=cases(), share=st.sampled_from([0, 0.2, 0.5]))
def test_no_more_rows_are_suppressed_than_may_be(case: tuple[list[Person], Robust], share: float) -> None:
    rows, robust = case
    limit = int(share * len(rows))
    try:
        plan = solved(rows, robust, limit=limit)
    except Infeasible:
        everything = solved(rows, robust, limit=len(rows))
        assert everything.suppressed > limit
    else:
        assert plan.suppressed <= limit


GIVEN: Known = {
    (0,): {
        ("t1",): {"x1": Fraction(4, 100), "x2": Fraction(4, 100), "x3": Fraction(3, 100), "x4": Fraction(4, 100)},
        ("t2",): {"x1": Fraction(1, 10), "x2": Fraction(1, 10), "x3": Fraction(12, 1000), "x4": Fraction(1, 10)},
    }
}


@pytest.mark.parametrize("times", [1, 2, 5])
def test_the_counterexample_to_theorem_1_never_comes_out(times: int) -> None:
    rows: list[Person] = [(("t1",), "x1"), (("t2",), "x2"), (("t2",), "x3"), (("t2",), "x4")] * times
    rows += [(("t1",), "another"), (("t2",), "another")]
    listed = [({"q0": signature[0]}, value, p) for signature, of in GIVEN[(0,)].items() for value, p in of.items()]
    robust = Robust(2, S, knowledge=GivenKnowledge(listed))
    known = {(0,): {signature: {**of, "another": 1 - sum(of.values())} for signature, of in GIVEN[(0,)].items()}}
    groups = published(solved(rows, robust, limit=len(rows)))
    groups.pop(SUPPRESSED, None)
    for group in groups.values():
        assert sorted(row for row in group if row[1] != "another") != sorted(rows[:4])
        assert is_robust(group, known, sets_of(rows, robust), Fraction(2))


@given(
    weights=st.lists(st.lists(st.sampled_from([1, 1, 2, 5]), min_size=3, max_size=3), min_size=2, max_size=2),
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("uvw")), min_size=3, max_size=9),
)
def test_given_knowledge_guides_and_judges(weights: list[list[int]], rows: list[tuple[str, str]]) -> None:
    table: list[Person] = [((kind,), value) for kind, value in rows] + [(("a",), v) for v in "uvw"] + [(("b",), "u")]
    chances = {
        (kind,): {v: Fraction(w, sum(ws)) for v, w in zip("uvw", ws, strict=True)}
        for kind, ws in zip("ab", weights, strict=True)
    }
    listed = [({"q0": kind[0]}, value, p) for kind, of in chances.items() for value, p in of.items()]
    robust = Robust(2, S, [["v"], ["w"]], knowledge=GivenKnowledge(listed))
    groups = published(solved(table, robust, limit=len(table)))
    groups.pop(SUPPRESSED, None)
    for group in groups.values():
        assert is_robust(group, {(0,): chances}, [("v",), ("w",)], Fraction(2))


def test_a_value_that_is_too_frequent_is_refused_with_its_share() -> None:
    rows: list[Person] = [(("a",), "flu")] * 6 + [(("a",), "cold")] * 4
    with pytest.raises(Infeasible, match=r"flu is the value of 60\.0% of the rows, more than 1/2"):
        solved(rows, Robust(2, S))
    assert solved(rows, Robust(2, S), limit=2).suppressed == 2


def test_what_can_not_be_protected_is_counted() -> None:
    """All of b have it: of them it is known anyway."""
    rows: list[Person] = [(("a",), "cold")] * 17 + [(("b",), "flu")] * 3
    with pytest.raises(Infeasible) as error:
        solved(rows, Robust(2, S, ["flu"], min_support=3), limit=2)
    assert "at least 3 of 20 rows can be hidden by no grouping" in str(error.value)
    assert "write suppress: 0.15" in str(error.value)
    plan = solved(rows, Robust(2, S, ["flu"], min_support=3), limit=3)
    assert plan.suppressed == plan.facts["never_hidden"] == plan.facts["believed_before"] == 3


def test_what_odds_tell_is_refused_before_the_search() -> None:
    """Most of b have it, and few others: three of them can't be hidden. ART hides everybody else."""
    rows: list[Person] = [(("a",), "cold")] * 17 + [(("a",), "flu"), (("a",), "gout"), (("b",), "gout")]
    rows += [(("b",), "flu")] * 5 + [(("b",), "cold")]
    with pytest.raises(Infeasible, match="at least 3 of 26 rows can be hidden by no grouping"):
        solved(rows, Robust(2, S, ["flu"], min_support=3), limit=2)
    assert solved(rows, Robust(2, S, ["flu"], min_support=3), limit=3).suppressed == 3


def test_whom_art_could_not_protect_is_counted() -> None:
    """Most of b have it, and few others: it is proven that one can't be hidden, and no way found to hide another."""
    rows: list[Person] = [(("a",), "gout")] * 9 + [(("a",), "flu")] * 2 + [(("a",), "cold")]
    rows += [(("b",), "flu")] * 9 + [(("b",), "cold")] * 4 + [(("b",), "gout")] * 2
    with pytest.raises(Infeasible) as error:
        solved(rows, Robust(2, S, ["flu"], min_support=3), limit=1)
    assert re.search(r"2 of 27 rows could not be given a group", str(error.value))
    assert re.search(r"2 of them have a protected value that more than 1/2 of the rows", str(error.value))


def test_people_without_a_protected_value_may_stay_alone() -> None:
    rows: list[Person] = [((f"{i % 10}",), "cold") for i in range(50)] + [(("3",), "flu")]
    plan = solved(rows, Robust(4, S, ["flu"], min_support=3))
    sizes = sorted(len(group) for group in published(plan).values() if {value for _, value in group} != {"cold"})
    assert sizes == [4]
    assert plan.facts["rows_alone"] == 47
    assert plan.suppressed == 0


def test_people_of_one_kind_hide_each_other() -> None:
    """Enough people with the same quasi-identifiers: nobody else is needed, and queries on these lose nothing."""
    rows: list[Person] = [((kind,), value) for kind in "abcd" for value in ["flu", *["cold"] * 3] * 2]
    plan = solved(rows, Robust(3, S, ["flu"], min_support=1))
    mixed = [group for group in published(plan).values() if len({value for _, value in group}) > 1]
    assert sorted(len(group) for group in mixed) == [3] * 8
    assert all(len({people for people, _ in group}) == 1 for group in mixed)


def test_all_values_protected_in_pairs_of_one_kind() -> None:
    rows: list[Person] = [((kind,), value) for kind in "abc" for value in ("flu", "cold", "gout", "pox")]
    plan = solved(rows, Robust(2, S, min_support=1))
    groups = published(plan)
    assert [len(group) for group in groups.values()] == [2] * 6
    assert all(len({people for people, _ in group}) == 1 for group in groups.values())
    assert plan.facts["decided_exactly"] == 6
    assert plan.facts["decided_by_bound"] == 0


@given(
    half=st.lists(st.sampled_from("abc"), min_size=2, max_size=12),
    others=st.lists(st.sampled_from("abc"), min_size=2, max_size=12),
    rare=st.lists(st.sampled_from("vw"), min_size=12, max_size=12),
)
def test_a_value_of_half_the_rows_is_protected_if_all_are_alike(
    half: list[str], others: list[str], rare: list[str]
) -> None:
    """There is only one way to count: each of the half with one of the others, whoever has whatever."""
    most = min(len(half), len(others))
    rows: list[Person] = [((kind, "same"), "u") for kind in half[:most]]
    rows += [((kind, "same"), value) for kind, value in zip(others[:most], rare, strict=False)]
    plan = solved(rows, Robust(2, S, attribute_sets=[["q1"]], min_support=1))
    assert plan.groups.sizes.tolist() == [2] * most


def mixed_table(rows: int, seed: int) -> list[Person]:
    """Values that depend on the quasi-identifiers, some rare."""
    rng = np.random.default_rng(seed)
    table: list[Person] = []
    for _ in range(rows):
        age, zip_code = int(rng.integers(6)), int(rng.integers(4))
        chances = np.array([4.0, 3.0, 2.0 + age / 2, 1.0 + zip_code / 3, 0.4, 0.2 + age / 20])
        table.append(((f"{age}", f"{zip_code}"), "abcdef"[rng.choice(6, p=chances / chances.sum())]))
    return table


@pytest.mark.parametrize("protected", [None, [["e", "f"]], [["d", "e"], ["e", "f"]]])
@pytest.mark.parametrize("more", [(), (KAnonymity(3),), (DistinctDiversity(3, S),)])
def test_larger_tables_keep_every_promise(protected: list[list[str]] | None, more: tuple[PrivacyModel, ...]) -> None:
    rows = mixed_table(400, 1)
    models = (Robust(2, S, protected, min_support=10), *more)
    plan = solved(rows, *models, limit=100)
    assert plan.published.sum() + plan.suppressed == len(rows)
    for model in models:
        assert model.holds(plan.groups).all()
    groups = published(plan)
    groups.pop(SUPPRESSED, None)
    for s in sets_of(rows, models[0]):
        assert all(sum(value in s for _, value in group) <= 1 for group in groups.values())
    assert plan.suppressed <= 20


def test_the_same_seed_gives_the_same_plan() -> None:
    rows = mixed_table(200, 2)
    plans = [solved(rows, Robust(3, S, ["e", "f"], min_support=10), limit=60, seed=seed) for seed in (7, 7, None)]
    assert published(plans[0]) == published(plans[1])
    assert all(plan.groups.sizes.sum() + plan.suppressed == len(rows) for plan in plans)


def test_progress_ends_with_everybody() -> None:
    told: list[tuple[str, float, float]] = []

    def listen(stage: str, done: float, total: float, note: str = "") -> None:
        told.append((stage, done, total))

    rows = mixed_table(200, 3)
    art(Problem(frequency(rows), (Robust(2, S),), 200, seed=1), listen)
    assert {stage for stage, _, _ in told} == {"search"}
    assert all(0 <= done <= total or total == 0 for _, done, total in told)
    assert told[-1][2] == len(rows)


@pytest.mark.parametrize("models", [(), (KAnonymity(2),), (Robust(2, S), Robust(3, S))])
def test_exactly_one_promise_guides(models: tuple[PrivacyModel, ...]) -> None:
    with pytest.raises(DiscreetError, match="guided by one promise robust"):
        solved([(("a",), "flu"), (("a",), "cold")], *models)
