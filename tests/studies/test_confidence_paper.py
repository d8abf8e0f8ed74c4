"""The paper's recursion and its four optimizations, against exact fractions and against chance itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.models.presence.confidence import Delta, limits
from discreet.studies.presence.confidence_paper import (
    Optimizations,
    Work,
    dominant,
    paper_confidence,
    paper_holds,
    plain_evaluations,
)

NONE = Optimizations.none()
EXAMPLE = (np.array([1, 1]), np.array([[1, 1, 1], [3, 3, 3]]), 4, (Fraction("0.33"), Fraction(1)))


def distribution(counts: Sequence[int], size: int) -> dict[int, Fraction]:
    """How many of `size` people have all values, in whole numbers.

    Of the y people who fit so far, x are among the M of the next attribute, who are any M of all.
    """
    ways, of = {counts[0]: 1}, 1
    for M in counts[1:]:
        then: dict[int, int] = {}
        for y, n in ways.items():
            for x in range(max(0, y + M - size), min(y, M) + 1):
                then[x] = then.get(x, 0) + n * comb(y, x) * comb(size - y, M - x)
        ways, of = then, of * comb(size, M)
    return {x: Fraction(n, of) for x, n in sorted(ways.items())}


def exact(rows: int, counts: Sequence[int], size: int, delta: Delta) -> Fraction:
    low, high = delta
    found = distribution(counts, size)
    return sum((p for x, p in found.items() if rows + x and low <= Fraction(rows, rows + x) <= high), Fraction(0))


@st.composite
def universes(draw: st.DrawFn, most: int = 30) -> tuple[np.ndarray, np.ndarray, int, Delta]:
    size = draw(st.integers(1, most))
    attributes, groups = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    counts = draw(st.lists(st.integers(0, size), min_size=attributes * groups, max_size=attributes * groups))
    rows = draw(st.lists(st.integers(1, 6), min_size=groups, max_size=groups))
    pair = sorted(draw(st.tuples(*[st.fractions(0, 1, max_denominator=12)] * 2)))
    low, high = draw(st.sampled_from([(pair[0], pair[1]), (Fraction(0), pair[1]), (pair[0], Fraction(1))]))
    return np.array(rows), np.array(counts).reshape(groups, attributes), size, (low, high)


def test_the_example_of_the_paper() -> None:
    assert [a.tolist() for a in limits(np.array([1]), EXAMPLE[-1])] == [[0], [2]]
    assert distribution([3, 3], 4) == {2: Fraction(3, 4), 3: Fraction(1, 4)}
    assert distribution([3, 3, 3], 4) == {1: Fraction(3, 8), 2: Fraction(9, 16), 3: Fraction(1, 16)}
    assert paper_confidence(*EXAMPLE, NONE) == pytest.approx([1, 15 / 16], abs=1e-9)


def test_of_the_example_only_one_group_is_computed() -> None:
    holds, work = paper_holds(*EXAMPLE, Fraction(9, 10), replace(NONE, dm=True))
    assert holds
    assert (work.groups, work.dominated, work.computed) == (2, 1, 1)
    assert dominant(*EXAMPLE[:2], EXAMPLE[-1]).tolist() == [False, True]
    other_side = (Fraction(0), Fraction(1, 2))
    assert dominant(*EXAMPLE[:2], other_side).tolist() == [True, False]


@given(universes())
def test_the_plain_recursion_is_right_and_never_above(universe: tuple) -> None:
    rows, counts, size, delta = universe
    found = paper_confidence(*universe, NONE)
    for n, f, c in zip(rows.tolist(), counts.tolist(), found.tolist(), strict=True):
        truth = exact(n, f, size, delta)
        assert Fraction(c) <= truth
        assert c == pytest.approx(float(truth), abs=1e-9)


@st.composite
def wide(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, Delta]:
    """One group whose distribution is wide enough for the steps of DC: a standard deviation of 4 or more."""
    size = draw(st.integers(300, 360))
    counts = draw(st.lists(st.integers(2 * size // 5, 3 * size // 5), min_size=2, max_size=3))
    most = draw(st.integers(1, size))
    least = draw(st.sampled_from([0, most // 2]))
    return np.array([1]), np.array([counts]), size, (Fraction(1, 1 + most), Fraction(1, 1 + least))


SWITCHES = st.builds(Optimizations, sd=..., dm=..., dc=..., m=st.sampled_from([1, 2, 4]), width=st.sampled_from([1, 2]))


def check_never_above(optimizations: Optimizations, universe: tuple) -> None:
    rows, counts, size, delta = universe
    found = paper_confidence(*universe, optimizations)
    for n, f, c in zip(rows.tolist(), counts.tolist(), found.tolist(), strict=True):
        assert Fraction(c) <= exact(n, f, size, delta)


@given(SWITCHES, universes())
def test_no_optimization_overstates_a_confidence(optimizations: Optimizations, universe: tuple) -> None:
    check_never_above(optimizations, universe)


@settings(max_examples=25)
@given(st.booleans(), st.sampled_from([1, 2, 4]), wide())
def test_nor_do_steps_where_the_distribution_is_wide(sd: bool, m: int, universe: tuple) -> None:
    check_never_above(Optimizations(sd=sd, m=m, width=2), universe)
    rows, counts, size, _ = universe
    anything = (Fraction(1, 10**6), Fraction(1))
    everywhere = paper_confidence(rows, counts, size, anything, Optimizations(sd=sd, m=m, width=2))
    assert everywhere < 1 - 1e-3  # so DC did something


def hyp(x: int, y: int, M: int, N: int) -> float:
    inside = max(0, y + M - N) <= x <= min(y, M)
    return float(Fraction(comb(M, x) * comb(N - M, y - x), comb(N, y))) if inside else 0.0


def hyp_cut(x: int, y: int, M: int, N: int, o: Optimizations) -> float:
    """hyp′ of §5.2, with the mean put right."""
    mean, sigma = y * (M / N), sqrt(M / N * (1 - M / N) * y * (1 - y / N))
    standard = M / N < 0.99 and y / N < 0.99
    cut = o.sd and standard and not mean - o.m * sigma <= x <= mean + o.m * sigma
    return 0.0 if cut else hyp(x, y, M, N)


def hyp_stepped(x: int, y: int, M: int, N: int, o: Optimizations) -> float:
    """hyp″ of §5.4, constant inside of a step."""
    sigma = sqrt(M / N * (1 - M / N) * y * (1 - y / N))
    if not o.dc or 4 * o.width > 2 * sigma:
        return hyp_cut(x, y, M, N, o)
    left = x - x % o.width
    return min(hyp_cut(left, y, M, N, o), hyp_cut(left + o.width, y, M, N, o))


@settings(max_examples=15)
@given(st.booleans(), st.booleans(), st.sampled_from([1, 2.5, 4]), wide())
def test_cuts_and_steps_are_those_of_the_paper(sd: bool, dc: bool, m: float, universe: tuple) -> None:
    o = Optimizations(sd=sd, dc=dc, m=m, width=2)
    _, [counts], size, delta = universe
    [low], [high] = limits(np.array([1]), delta)
    now = {int(counts[0]): 1.0}
    for M in counts[1:].tolist():
        xs = range(min(M, max(now)) + 1)
        now = {x: sum(p * hyp_stepped(x, y, M, size, o) for y, p in now.items() if p) for x in xs}
    expected = sum(p for x, p in now.items() if low <= x <= high)
    assert paper_confidence(*universe, o) == pytest.approx([expected], rel=1e-9, abs=1e-12)


def test_each_switch_costs_confidence_and_saves_evaluations() -> None:
    universe = (np.array([2]), np.array([[700, 600, 750]]), 1500, (Fraction(0), Fraction(1, 40)))
    plain, all_work = paper_holds(*universe, Fraction(0), NONE)[1], {}
    confidence = {}
    for name, switched in {"sd": replace(NONE, sd=True, m=2), "dc": replace(NONE, dc=True, width=2)}.items():
        _, all_work[name] = paper_holds(*universe, Fraction(0), switched)
        confidence[name] = float(paper_confidence(*universe, switched)[0])
    truth = float(paper_confidence(*universe, NONE)[0])
    assert all(0 < c < truth for c in confidence.values())
    assert all_work["sd"].evaluations < plain.evaluations / 10
    assert all_work["dc"].evaluations < plain.evaluations / 1.8
    assert all_work["sd"].pruned_by_sd > 0.8
    assert plain.pruned_by_sd == 0


@pytest.mark.parametrize(
    "optimizations", [NONE, replace(NONE, sd=True), replace(NONE, dc=True), Optimizations()], ids=str
)
def test_in_larger_universes_chance_agrees(optimizations: Optimizations) -> None:
    """A hundred thousand worlds drawn at random: how often the group is within its limits."""
    draws, size = 100_000, 3000
    chance = np.random.default_rng(1)
    for rows, counts, delta in (
        (12, [900, 1500, 2000, 700], (Fraction(0), Fraction("0.16"))),
        (30, [2990, 2100, 400, 1900], (Fraction("0.1"), Fraction("0.14"))),
        (3, [120, 2995, 800, 1200], (Fraction("0.2"), Fraction(1))),
    ):
        n = np.full(draws, counts[0])
        for f in counts[1:]:
            n = chance.hypergeometric(f, size - f, n)
        [low], [high] = limits(np.array([rows]), delta)
        seen = float(((n >= low) & (n <= high)).mean())
        noise = 5 * (seen * (1 - seen) / draws) ** 0.5
        assert 0.02 < seen < 0.98  # else the example says nothing
        [found] = paper_confidence(np.array([rows]), np.array([counts]), size, delta, optimizations)
        assert found <= seen + noise
        if not optimizations.dc:
            assert found >= seen - noise - 0.001


@given(universes(), st.randoms(use_true_random=False))
def test_the_order_of_attributes_does_not_matter(universe: tuple, chance: object) -> None:
    rows, counts, size, delta = universe
    order = list(range(counts.shape[1]))
    chance.shuffle(order)  # type: ignore[attr-defined]
    shuffled = paper_confidence(rows, np.ascontiguousarray(counts[:, order]), size, delta, NONE)
    assert shuffled == pytest.approx(paper_confidence(*universe, NONE), abs=1e-9)


def dominates(a: tuple[int, list[int]], b: tuple[int, list[int]], delta: Delta) -> bool:
    """Definition 11, word for word: on the max parameter where δmin = 0, else on the min parameter."""
    (n, f), (m, g) = a, b
    if delta[0] == 0:
        return n >= m and all(x <= y for x, y in zip(f, g, strict=True))
    return n <= m and all(x >= y for x, y in zip(f, g, strict=True))


@given(universes(most=8))
def test_the_minimum_dominant_subset_is_one(universe: tuple) -> None:
    rows, counts, size, delta = universe
    kept = dominant(rows, counts, delta)
    groups = list(zip(rows.tolist(), counts.tolist(), strict=True))
    if delta[0] > 0 and delta[1] < 1:
        assert kept.all()
        return
    inside = [g for g, k in zip(groups, kept, strict=True) if k]
    assert all(any(dominates(a, b, delta) for a in inside) for b in groups)
    assert not any(dominates(a, b, delta) for i, a in enumerate(inside) for j, b in enumerate(inside) if i != j)
    confidences = [exact(n, f, size, delta) for n, f in groups]
    assert min(c for c, k in zip(confidences, kept, strict=True) if k) == min(confidences)


@given(universes(), st.fractions(0, 1, max_denominator=40))
def test_checking_stops_at_the_first_group_that_fails(universe: tuple, least: Fraction) -> None:
    holds, work = paper_holds(*universe, least, NONE)
    fails = [Fraction(c) < least for c in paper_confidence(*universe, NONE).tolist()]
    assert holds == (not any(fails))
    assert work.computed == (fails.index(True) + 1 if any(fails) else len(fails))
    assert work.evaluations == plain_evaluations(*universe)[: work.computed].sum()


@given(universes(most=12))
def test_evaluations_are_counted_without_doing_them(universe: tuple) -> None:
    rows, counts, size, delta = universe
    for n, f, found in zip(rows.tolist(), counts.tolist(), plain_evaluations(*universe).tolist(), strict=True):
        [low], [high] = limits(np.array([n]), delta)
        many, ys = 0, [f[0]]
        for d, M in enumerate(f[1:], start=2):
            xs = {(x, y) for y in ys for x in range(size + 1) if max(0, y + M - size) <= x <= min(y, M)}
            many += sum(low <= x <= high for x, _ in xs) if d == len(f) else len(xs)
            ys = sorted({x for x, _ in xs})
        assert found == many


def test_work_adds_up() -> None:
    work = Work(groups=4, dominated=1, computed=3, evaluations=10, pairs=20, cut=15)
    assert work + work == Work(8, 2, 6, 20, 40, 30)
    assert (work.pruned_by_dm, work.pruned_by_sd) == (0.25, 0.75)
    assert (Work().pruned_by_dm, Work().pruned_by_sd) == (0, 0)


def test_switches_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="width at least 1"):
        Optimizations(width=0)
