"""Beliefs about people who are not alike, against all possible worlds, one by one."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.models.examples import groups_of
from discreet.models.posteriors import Belief, Covering, Signature, beliefs, covered, smallest_epsilon
from discreet.models.realistic.adversaries import ClassOne, ClassThree
from discreet.models.realistic.predicates import Predicates
from discreet.models.realistic.priors import SharesPrior
from discreet.models.realistic.realistic import sides
from discreet.studies import worlds

weights = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
stubborn = st.sampled_from([None, Fraction(1), Fraction(5, 2), Fraction(12)])
predicates = st.sampled_from([{"x"}, {"y"}, {"x", "z"}, {"y", "z"}])


@st.composite
def mixed_groups(draw: st.DrawFn) -> tuple[list[Signature], list[str]]:
    """Up to three signatures of all stubborn or all learning people, and as many values."""
    sigma = draw(stubborn)
    signatures = []
    for people in draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)):
        drawn = draw(weights)
        prior = {v: Fraction(w, sum(drawn)) for v, w in zip("xyz", drawn, strict=True)}
        signatures.append(Signature(people, prior, sigma))
    people = sum(s.people for s in signatures)
    return signatures, draw(st.lists(st.sampled_from("xyz"), min_size=people, max_size=people))


def weight_of(signatures: list[Signature]) -> tuple[worlds.Weight, list[int]]:
    """How the adversary weighs a world in which the people come signature by signature."""
    of_person = [i for i, s in enumerate(signatures) for _ in range(s.people)]
    if signatures[0].stubbornness is None:
        return worlds.independent([signatures[i].prior for i in of_person]), of_person
    sigmas = {i: {v: p * s.stubbornness for v, p in s.prior.items()} for i, s in enumerate(signatures)}
    return worlds.dirichlet(sigmas, of_person), of_person


def by_worlds(signatures: list[Signature], values: list[str], of: set[str]) -> list[Belief]:
    """p_in and the smallest p_out of the first person of each signature."""
    weight, of_person = weight_of(signatures)
    found = []
    for i in range(len(signatures)):
        person = of_person.index(i)
        p_in = worlds.belief(worlds.enumerate(values, weight), lambda world, at=person: world[at] in of)
        outs = []
        for own in set(values):
            left = list(values)
            left.remove(own)
            arrangements = [w for w, _ in worlds.enumerate(left, lambda _: Fraction(1))]
            if not any(weight((*w[:person], own, *w[person:])) for w in arrangements):
                continue  # nobody of this signature can have it
            full = [(value, weight((*w[:person], value, *w[person:]))) for value in "xyz" for w in arrangements]
            if signatures[i].stubbornness is None:
                outs.append(sum((signatures[i].prior[v] for v in of), Fraction(0)))
            else:
                outs.append(worlds.belief(full, lambda value: value in of))
        found.append(Belief(p_in, min(outs), True))
    return found


def possible(signatures: list[Signature], values: list[str]) -> bool:
    weight, _ = weight_of(signatures)
    return any(w for _, w in worlds.enumerate(values, weight))


@settings(max_examples=120)
@given(case=mixed_groups(), of=predicates)
def test_beliefs_by_signature_are_those_of_all_worlds(case: tuple[list[Signature], list[str]], of: set[str]) -> None:
    signatures, values = case
    assume(possible(signatures, values))
    assert list(beliefs(signatures, Counter(values), of)) == by_worlds(signatures, values, of)


@settings(max_examples=150)
@given(case=mixed_groups(), of=predicates)
def test_bounds_are_on_the_safe_side_of_all_worlds(case: tuple[list[Signature], list[str]], of: set[str]) -> None:
    signatures, values = case
    assume(possible(signatures, values))
    bounds = beliefs(signatures, Counter(values), of, most_steps=0)
    for bound, exact in zip(bounds, beliefs(signatures, Counter(values), of), strict=True):
        assert exact.exact and not bound.exact
        assert bound.p_in >= exact.p_in
        assert bound.p_out <= exact.p_out
        assert bound.epsilon >= exact.epsilon


@settings(max_examples=60)
@given(people=st.integers(1, 6), drawn=weights, sigma=stubborn, of=predicates, data=st.data())
def test_with_one_prior_for_all_it_is_what_generalization_shows(
    people: int, drawn: list[int], sigma: Fraction | None, of: set[str], data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.sampled_from("xyz"), min_size=people, max_size=people))
    prior = {v: Fraction(w + 1, sum(drawn) + 3) for v, w in zip("xyz", drawn, strict=True)}
    assume(any(v in of for v in values))
    shares = SharesPrior(prior)
    adversary = ClassThree(shares) if sigma is None else ClassOne(sigma, shares)
    seen = sides(groups_of("letter", values, table="xyz"), adversary, "letter", Predicates.of(sorted(of)))
    for steps in (10**6, 0):  # the bound is exact here
        [belief] = beliefs([Signature(people, prior, sigma)], Counter(values), of, steps)
        assert float(belief.p_in) == pytest.approx(seen.p_in[0])
        assert float(belief.p_out) == pytest.approx(seen.p_out[0])


def test_the_counterexample_to_robustness_by_differences_alone_is_seen() -> None:
    """Four people, four values, small differences between the priors: and yet one has x3 with chance 0.6757."""
    first = {"x1": "0.04", "x2": "0.04", "x3": "0.03", "x4": "0.04", "none": "0.85"}
    others = {"x1": "0.1", "x2": "0.1", "x3": "0.012", "x4": "0.1", "none": "0.688"}
    group = [Signature(n, {v: Fraction(p) for v, p in prior.items()}) for n, prior in ((1, first), (3, others))]
    found = beliefs(group, dict.fromkeys(["x1", "x2", "x3", "x4"], 1), {"x3"})
    assert float(found[0].p_in) == pytest.approx(0.6757, abs=5e-5)
    assert smallest_epsilon(group, dict.fromkeys(["x1", "x2", "x3", "x4"], 1)) >= 0.675 / 0.03


def test_large_groups_are_bounded_without_waiting() -> None:
    old = Signature(600, {"flu": Fraction("0.5"), "gout": Fraction("0.3"), "cold": Fraction("0.2")}, Fraction(1000))
    young = Signature(400, {"flu": Fraction("0.6"), "gout": Fraction("0.1"), "cold": Fraction("0.3")}, Fraction(1000))
    values = {"flu": 500, "gout": 250, "cold": 250}
    found = beliefs([old, young], values, {"gout"})
    assert all(not b.exact and 0 < b.p_out < b.p_in < 1 for b in found)
    assert 1 < smallest_epsilon([old, young], values) < math.inf


# Ambiguity: which combinations of the auxiliary values are people is open as well.

MEN = ([["45", "20", "50", "60"], ["M"], ["11000", "12000", "23000"]], ["diabetes", "flu", "diarrhea", "stroke"])
WOMEN = ([["20", "50", "60"], ["F"], ["54000", "23000", "21000"]], ["leukemia", "diabetes", "leukemia", "dyspepsia"])


@pytest.mark.parametrize(
    ("group", "person", "disease", "presence", "share"),
    [
        (MEN, ("45", "M", "11000"), "diabetes", Fraction(1, 3), Fraction(1, 4)),  # Alan
        (WOMEN, ("20", "F", "54000"), "leukemia", Fraction(4, 9), Fraction(2, 4)),  # Alice
    ],
)
def test_the_people_of_the_ambiguity_paper_are_as_hidden_as_all_tables_say(
    group: tuple[list[list[str]], list[str]], person: tuple[str, ...], disease: str, presence: Fraction, share: Fraction
) -> None:
    auxiliary, values = group
    every = [(table, Fraction(1)) for table in worlds.tables(auxiliary, values)]
    assert worlds.belief(every, lambda table: person in table) == presence
    with_person = [(table, weight) for table, weight in every if person in table]
    one = Covering.ambiguous(len(values), values.count(disease), math.prod(map(len, auxiliary)))
    assert worlds.belief(with_person, lambda table: table[person] == disease) == share
    assert covered([one], Fraction(1, 5)).p_in == share


def test_somebody_covered_by_two_ambiguous_groups_is_believed_in_by_the_odds_of_both() -> None:
    """All pairs of tables in which the person is in exactly one; a person has one row."""
    first = ([["20", "30"], ["F", "M"]], ["flu", "cold"])  # 2 of 4 combinations
    second = ([["20", "30", "40"], ["F", "M"]], ["flu", "flu", "cold"])  # 3 of 6
    person = ("20", "F")
    pairs = [
        ((a, b), Fraction(1))
        for a, b in product(worlds.tables(*first), worlds.tables(*second))
        if (person in a) != (person in b)
    ]
    truth = worlds.belief(pairs, lambda ab: (ab[0] | ab[1] if person in ab[1] else ab[0])[person] == "flu")
    both = [Covering.ambiguous(2, 1, 4), Covering.ambiguous(3, 2, 6)]
    assert covered(both, Fraction(1, 2)).p_in == truth


@given(
    groups=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=3),
    share=st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(5, 6)]),
)
def test_a_mixture_is_no_worse_than_its_worst_group_against_the_unshakable(
    groups: list[tuple[int, int, int]], share: Fraction
) -> None:
    coverings = [Covering(rows, min(rows, satisfied), Fraction(odds)) for rows, satisfied, odds in groups]
    alone = [covered([group], share).epsilon for group in coverings]
    assert covered(coverings, share).epsilon <= max(alone)


def test_one_covering_group_is_an_ordinary_group_to_who_learns() -> None:
    seen = sides(
        groups_of("letter", list("xxy"), table="xyz"),
        ClassOne(9, SharesPrior({"x": "1/3", "y": "1/3", "z": "1/3"})),
        "letter",
        Predicates.of("x"),
    )
    belief = covered([Covering(3, 2, Fraction(1))], Fraction(1, 3), Fraction(9))
    assert (float(belief.p_in), float(belief.p_out)) == pytest.approx((seen.p_in[0], seen.p_out[0]))


def test_groups_that_are_no_groups_are_refused() -> None:
    with pytest.raises(ValueError, match="as many values as people"):
        beliefs([Signature(2, {"x": Fraction(1)})], {"x": 1}, {"x"})
    with pytest.raises(ValueError, match="impossible"):
        beliefs([Signature(1, {"x": Fraction(1)})], {"y": 1}, {"x"})
    with pytest.raises(ValueError, match="hides nobody"):
        Covering.ambiguous(4, 1, 4)
