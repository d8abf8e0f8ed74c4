"""ε-privacy: the paper's numbers, the definition itself, and the corners that the paper leaves out."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.errors import PolicyError
from discreet.models.examples import groups_of
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.parameters import exact
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import Predicate, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM, CountsPrior, SharesPrior
from discreet.models.realistic.realistic import Realistic, sides, smallest_epsilon
from tests.inner_kernels import cap
from tests.models.cases import ATTRIBUTE, KINDS, VALUES, as_groups, fractions, groups, suppressed

# The paper's table 3: (<40, M), (≥40, M), (≥40, F); and the data that another hospital has published.
COUNTS = [(200, 300), (1800, 2700), (18000, 2000)]
TABLE_3 = groups_of("disease", *(["flu"] * flu + ["cancer"] * cancer for flu, cancer in COUNTS))
METROPOLIS = CountsPrior({"flu": 11999, "cancer": 17999})
WOMEN = 2
small_group = st.lists(st.sampled_from(VALUES), min_size=1, max_size=8)


def holds(epsilon: float | str | Fraction, adversary: Adversary, seen: Groups = TABLE_3) -> list[bool]:
    return Realistic(epsilon, adversary, next(iter(seen.tallies))).holds(seen).tolist()


# The paper's numbers


def test_rachel_has_as_much_privacy_against_each_class_as_example_3_says() -> None:
    """The example leaves out the −1 terms, so its numbers are met up to one person in 30,000."""
    for adversary, p_out, epsilon in (
        (ClassOne(30000, METROPOLIS), 0.6, 4),
        (ClassTwo(30000), 0.36002, 6.4),
        (ClassThree(SharesPrior({"flu": 0.4, "cancer": 0.6})), 0.4, 6),
    ):
        found = sides(TABLE_3, adversary, "disease")
        assert found.p_in[WOMEN] == pytest.approx(0.9)
        assert found.p_out[WOMEN] == pytest.approx(p_out, abs=5e-5)
        assert found.epsilon[WOMEN] == pytest.approx(epsilon, rel=1e-4)


def test_class_two_of_stubbornness_1000_is_held_off_with_epsilon_3() -> None:
    assert holds(3, ClassTwo(1000)) == [True, True, True]
    assert holds("2.999999999999", ClassTwo(1000)) == [False, True, True]  # 500 ≥ 1000 / (3 − 1) is a tie
    bounds = [cap(0, flu + cancer, 1.0, 999.0, 1000.0, 3.0) for flu, cancer in COUNTS]
    assert bounds == pytest.approx([0.7498, 11 / 12, 42 / 43], abs=1e-4)


def test_young_men_need_epsilon_61_against_class_two_of_stubbornness_30000() -> None:
    assert smallest_epsilon(TABLE_3, ClassTwo(30000), "disease")[0] == pytest.approx(61, rel=1e-14)
    assert holds(61, ClassTwo(30000))[0] and not holds("60.999999999", ClassTwo(30000))[0]


def test_table_3_is_not_private_with_epsilon_two_and_a_half_against_the_prior_of_metropolis() -> None:
    """The paper says that it is; its second condition allows women 0.8286 flu, and they have 0.9."""
    adversary = ClassOne(METROPOLIS.stubbornness, METROPOLIS)
    assert METROPOLIS.stubbornness == 30000
    assert holds(2.5, adversary) == [True, True, False]
    assert cap(18000, 20000, 12000.0, 18000.0, 30000.0, 2.5) == pytest.approx(0.8286, abs=5e-5)
    assert holds(4, adversary) == [True, True, False]
    assert holds(4.0003, adversary) == [True, True, True]


def test_nothing_is_private_against_class_four_and_the_error_says_what_to_take_instead() -> None:
    from discreet.models.registry import model_from_words

    models, [mistake] = model_from_words("realistic", {"class": "IV", "epsilon": 3}, "realistic", ["disease"])
    assert not models and mistake.place == "realistic.class"
    assert "no generalized table is private against all of them" in mistake.rule and "take II" in mistake.repair


# Embeddings


@settings(max_examples=200)
@given(by_group=groups, c=fractions.map(lambda f: 1 / f) | st.integers(1, 6))
def test_c_2_diversity_is_class_three_with_a_uniform_prior(by_group: list[list[str]], c: Fraction) -> None:
    """(c, 2)-diversity as the paper has it: no value in more than c/(c + 1) of a group."""
    table = [value for group in by_group for value in group]
    k = len(set(table))
    assume(k >= 2)
    c = Fraction(c)
    epsilon = max(k * c / (c + 1), (c + 1) * (k - 1) / k)
    seen = as_groups(by_group, table)
    diverse = FrequencyDiversity((c + 1) / c, ATTRIBUTE).holds(seen).tolist()
    assert holds(epsilon, ClassThree(UNIFORM), seen) == diverse


def test_with_two_values_four_2_diversity_is_epsilon_two_and_a_half() -> None:
    seen = groups_of("salary", ["high"] * 4 + ["low"], ["high"] * 5 + ["low"])
    assert holds(2.5, ClassThree(UNIFORM), seen) == [True, False]
    assert holds("2.4999999999", ClassThree(UNIFORM), seen) == [False, False]


@settings(max_examples=200)
@given(by_group=groups, more=suppressed, t=fractions)
def test_t_closeness_without_homogeneous_groups_implies_class_three_with_the_tables_shape(
    by_group: list[list[str]], more: list[str], t: Fraction
) -> None:
    table = [value for group in by_group for value in group] + more
    shares = [Fraction(table.count(value), len(table)) for value in set(table)]
    t = min(t, min(shares) * Fraction(9, 10))  # the lemma's ε is finite only below the smallest share
    epsilon = max(max((p + t) / p, p / (p - t)) for p in shares)
    seen = as_groups(by_group, table)
    close = TCloseness(t, ATTRIBUTE).holds(seen).tolist()
    private = holds(epsilon, ClassThree(TABLE), seen)
    # So close to the table no group is homogeneous.
    assert all(is_private for is_private, is_close in zip(private, close, strict=True) if is_close)


def test_the_lemma_of_t_closeness_has_the_papers_epsilon() -> None:
    t, p = Fraction("0.2"), Fraction("0.334")
    epsilon = max(max((q + t) / q, q / (q - t)) for q in (p, 1 - p))
    assert float(epsilon) == pytest.approx(2.49, abs=0.005)
    seen = groups_of("salary", ["high"] * 534 + ["low"] * 466, table=["high"] * 334 + ["low"] * 666)
    assert TCloseness(t, "salary").holds(seen).all() and holds(epsilon, ClassThree(TABLE), seen) == [True]


@given(by_group=groups)
def test_perfect_privacy_is_epsilon_1_and_asks_for_the_priors_own_shares(by_group: list[list[str]]) -> None:
    table = [value for group in by_group for value in group]
    same = [all(g.count(v) * len(table) == table.count(v) * len(g) for v in table) for g in by_group]
    assert holds(1, ClassThree(TABLE), as_groups(by_group, table)) == same


@given(group=small_group, sigma=st.integers(1, 50))
def test_no_finite_stubbornness_of_any_shape_is_held_off_perfectly(group: list[str], sigma: int) -> None:
    assert holds(1, ClassTwo(sigma), as_groups([group], [*group, "gout", "cold"])) == [False]


@given(by_group=groups, sigma=st.integers(1, 50))
def test_who_knows_everybody_else_is_held_off_by_no_epsilon(by_group: list[list[str]], sigma: int) -> None:
    """The adversary of differential privacy: b = N − 1 known people, any prior. What is left is the person alone."""
    table = [value for group in by_group for value in group]
    assume(len(set(table)) > 1)
    seen = as_groups([*by_group, table], table)
    for adversary in (ClassTwo(sigma, len(table) - 1), ClassThree(UNIFORM, len(table) - 1)):
        assert np.isinf(smallest_epsilon(seen, adversary, ATTRIBUTE)).all()


# The smallest ε


@settings(max_examples=150)
@given(data=st.data(), by_group=groups, more=suppressed)
def test_the_smallest_epsilon_holds_and_a_smaller_one_does_not(
    data: st.DataObject, by_group: list[list[str]], more: list[str]
) -> None:
    model = data.draw(st.one_of(KINDS["class_one"], KINDS["class_two"], KINDS["class_three"]))
    seen = as_groups(by_group, [value for group in by_group for value in group] + more)
    found = smallest_epsilon(seen, model.adversary, ATTRIBUTE, model.predicates)
    for group, epsilon in enumerate(found.tolist()):
        if math.isinf(epsilon):
            assert not Realistic(10**12, model.adversary, ATTRIBUTE, model.predicates).holds(seen)[group]
            continue
        assert Realistic(epsilon, model.adversary, ATTRIBUTE, model.predicates).holds(seen)[group]
        if epsilon > 1 + 1e-12:
            smaller = exact(epsilon) * (1 - Fraction(1, 10**13))
            assert not Realistic(max(smaller, Fraction(1)), model.adversary, ATTRIBUTE, model.predicates).holds(seen)[
                group
            ]


@pytest.mark.parametrize("scale", [1, 10**9])
def test_ties_of_large_counts_are_decided_exactly(scale: int) -> None:
    seen = groups_of("disease", ["flu", "cold", "cold"])
    tally = seen.tallies["disease"]
    large = Groups(seen.sizes * scale, {"disease": replace(tally, counts=tally.counts * scale)})
    tiny = Fraction(1, 10**24)
    assert holds("3/2", ClassThree(UNIFORM), large) == [True]  # (1 − 1/2) / (1 − 2/3)
    assert holds(Fraction(3, 2) - tiny, ClassThree(UNIFORM), large) == [False]
    sigma = 6 * scale
    assert holds(3, ClassTwo(sigma), large) == [True]  # 3 · scale ≥ σ / (3 − 1)
    assert holds(3 - tiny, ClassTwo(sigma), large) == [False]


@pytest.mark.parametrize(
    ("adversary", "epsilon", "lost"),
    [
        (ClassTwo(100), 3, 10),  # no part has 50 rows
        (ClassTwo(5), 1.5, 10),  # ten rows would do, but six of them are alike; without one of these they are too few
        (ClassThree(UNIFORM), 2, 4),  # at most 2/5 colds: of seven that were two, too few
        (ClassThree(UNIFORM, 2), 2, 10),  # of five rows, three unknown, each value could have one
        (ClassOne(10**9, UNIFORM), 2, 4),
        (ClassThree(SharesPrior({"cold": 1}), 5), 2, 4),  # what she is sure of may stay, whomever she knows
    ],
)
def test_the_least_that_is_lost_is_as_sharp_as_worked_out_by_hand(
    adversary: Adversary, epsilon: float, lost: int
) -> None:
    """A search prunes with it: a bound that got weak should be noticed."""
    group = ["cold"] * 6 + ["asthma"] * 2 + ["gout"] * 2
    model = Realistic(epsilon, adversary, ATTRIBUTE)
    assert model.least_suppressed(as_groups([group], VALUES * 20)).tolist() == [lost]


# Corners


def test_a_prior_below_one_person_makes_the_only_one_stand_out_however_large_the_group() -> None:
    """σ(s) = 0.1: without the person nothing speaks for the value. "δ ≥ 1" of the paper's R1 would let it pass."""
    rare = SharesPrior({"flu": "0.9", "gout": "0.1"})
    group = groups_of("disease", ["flu"] * 999 + ["gout"])
    assert (2 - 1) * 1000 >= 1  # δ ≥ 1
    assert holds(2, ClassOne(1, rare), group) == [False]
    assert smallest_epsilon(group, ClassOne(1, rare), "disease")[0] == pytest.approx(10, rel=0.01)


def test_a_value_held_for_impossible_is_never_private() -> None:
    group = groups_of("disease", ["flu"] * 50 + ["gout"] * 50)
    for adversary in (ClassThree(SharesPrior({"flu": 1, "gout": 0})), ClassOne(3, SharesPrior({"flu": 1}))):
        assert np.isinf(smallest_epsilon(group, adversary, "disease"))


def test_where_everybody_has_the_same_value_there_is_nothing_to_learn_but_for_whom_it_is_news() -> None:
    same = groups_of("disease", ["flu"] * 5)
    for adversary in (ClassThree(TABLE), ClassThree(UNIFORM, 7), ClassOne(9, TABLE, 5)):
        assert smallest_epsilon(same, adversary, "disease").tolist() == [1]
        assert np.isnan(sides(same, adversary, "disease").p_in).all()
    assert np.isinf(smallest_epsilon(same, ClassTwo(9), "disease"))  # she may have thought of other values


@given(group=small_group, b=st.integers(0, 9))
def test_a_group_whose_others_may_all_be_known_is_not_private(group: list[str], b: int) -> None:
    assume(b >= len(group) - max(group.count(v) for v in group))
    seen = as_groups([group], VALUES * 2)
    for adversary in (ClassOne(10, UNIFORM, b), ClassTwo(10, b), ClassThree(UNIFORM, b)):
        assert np.isinf(smallest_epsilon(seen, adversary, ATTRIBUTE))


@given(by_group=groups, b=st.integers(0, 2))
def test_knowing_more_people_never_makes_a_group_safer(by_group: list[list[str]], b: int) -> None:
    seen = as_groups(by_group, VALUES)
    for kind in (lambda b: ClassOne(20, UNIFORM, b), lambda b: ClassTwo(20, b), lambda b: ClassThree(UNIFORM, b)):
        more, fewer = (smallest_epsilon(seen, kind(known), ATTRIBUTE) for known in (b + 1, b))
        assert (more >= fewer).all()


# Predicates


def test_a_set_is_protected_as_one_value_of_a_coarser_column_would_be() -> None:
    """Dirichlet parameters of values add up to those of sets: one −1, for the one person, however large the set."""
    stomach = groups_of("disease", ["ulcer", "dyspepsia", "flu"], ["ulcer", "flu", "flu"])
    coarser = groups_of("disease", ["stomach", "stomach", "flu"], ["stomach", "flu", "flu"])
    fine = CountsPrior({"ulcer": 4, "dyspepsia": 6, "flu": 8})  # 5 + 7 + 9
    coarse = SharesPrior({"stomach": Fraction(12, 21), "flu": Fraction(9, 21)})
    for adversary, same in ((ClassOne(21, fine), ClassOne(21, coarse)), (ClassThree(fine), ClassThree(coarse))):
        wanted = smallest_epsilon(coarser, same, "disease", Predicates.of("stomach", "flu"))
        found = smallest_epsilon(stomach, adversary, "disease", Predicates.of(["ulcer", "dyspepsia"], "flu"))
        assert found.tolist() == wanted.tolist()


def test_not_having_a_value_is_learnt_from_groups_that_nobody_with_it_is_in() -> None:
    seen = groups_of("disease", ["flu", "cancer"], ["flu", "flu"])
    found = smallest_epsilon(seen, ClassThree(UNIFORM), "disease", Predicates.of(Predicate(("cancer",), negated=True)))
    assert found.tolist() == [pytest.approx(1), math.inf]
    assert smallest_epsilon(seen, ClassThree(UNIFORM), "disease", Predicates.of("cancer")) == pytest.approx([1, 1])


@settings(max_examples=100)
@given(
    by_group=groups, wishes=st.lists(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3), min_size=1, max_size=4)
)
def test_wishes_of_people_put_together_protect_each_of_them(by_group: list[list[str]], wishes: list[list[str]]) -> None:
    each = [Predicates.of(*wish) for wish in wishes]
    seen = as_groups(by_group, VALUES)
    together = smallest_epsilon(seen, ClassThree(UNIFORM), ATTRIBUTE, Predicates.of_people(each))
    alone = [smallest_epsilon(seen, ClassThree(UNIFORM), ATTRIBUTE, wish) for wish in each]
    assert (together == np.max(alone, axis=0)).all()


def test_protecting_nothing_is_refused() -> None:
    with pytest.raises(PolicyError, match="protect nothing"):
        Predicates((), each_value=False)
    with pytest.raises(PolicyError, match="without values"):
        Predicate(())
