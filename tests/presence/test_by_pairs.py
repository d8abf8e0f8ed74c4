"""Confidence by pairs and with a margin: bounds held against every world with the same counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import Marginals, Pairs
from discreet.counts.groups import Groups, Outside
from discreet.counts.pairs import pair_table
from discreet.counts.structure import heaviest_caterpillar
from discreet.models.presence.by_pairs import expected_in, known_of, reaches, sure_confidence
from discreet.models.presence.confident_presence import ConfidentPresence
from tests.presence import worlds_of_pairs as oracle
from tests.presence.worlds_outside import Box

Edges = tuple[tuple[int, int], ...]
PATHS: dict[int, list[Edges]] = {
    2: [((0, 1),), ()],
    3: [((0, 1), (1, 2)), ((0, 2), (1, 2)), ((0, 1),), ()],
    4: [((0, 1), (1, 2), (2, 3)), ((0, 3), (1, 3), (2, 3)), ((0, 1), (2, 3)), ((1, 2),)],
    5: [((0, 1), (1, 2), (2, 3), (3, 4)), ((0, 2), (1, 2), (2, 3), (3, 4))],
}


def marginals_of(people: Sequence[oracle.Person], edges: Edges, leaves: int, every: bool = False) -> Marginals:
    """What is known of these people: along the edges, and of all other pairs if `every` is."""
    columns = np.array(people).T
    one = np.ones(len(people), dtype=np.int64)
    counts = tuple(np.bincount(c, minlength=leaves).astype(np.int64) for c in columns)
    told = combinations(range(len(columns)), 2) if every else edges
    pairs = {(i, j): pair_table(columns[i], columns[j], one, (leaves, leaves)) for i, j in told}
    return Marginals(counts, tuple(c > 0 for c in counts), len(people), Pairs(pairs, edges))


def outside_of(box: Box, marginals: Marginals) -> Outside:
    ends = np.array([box], dtype=np.int32)
    return Outside(ends[:, :, 0], ends[:, :, 1], marginals)


@st.composite
def crowds(draw: st.DrawFn, attributes: int, most: int, leaves: int = 2) -> tuple[list[oracle.Person], Box]:
    person = st.tuples(*[st.integers(0, leaves - 1)] * attributes)
    ends = st.tuples(st.integers(0, leaves - 1), st.integers(0, leaves - 1)).map(lambda e: (min(e), max(e)))
    return draw(st.lists(person, min_size=1, max_size=most)), draw(st.tuples(*[ends] * attributes))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_nobody_is_surer_than_all_worlds_allow(data: st.DataObject) -> None:
    attributes = data.draw(st.sampled_from([2, 3, 4]))
    edges = data.draw(st.sampled_from(PATHS[attributes]))
    people, box = data.draw(crowds(attributes, {2: 6, 3: 5, 4: 4}[attributes]))
    known = known_of(outside_of(box, marginals_of(people, edges, 2)), pairs=True)
    truth = oracle.distribution(people, edges, box)
    assert known.mean[0] == pytest.approx(float(sum(n * p for n, p in truth.items())))
    assert known.fewest[0] <= min(truth) and max(truth) <= known.most[0] == known.cap[0]
    for rows in (1, 2):
        for delta in ((0, Fraction(1, 2)), (0, Fraction(2, 5)), (Fraction(1, 4), Fraction(2, 3)), (Fraction(1, 3), 1)):
            limits = Fraction(delta[0]), Fraction(delta[1])
            [sure] = sure_confidence(
                np.array([rows]), outside_of(box, marginals_of(people, edges, 2)), limits, Fraction(0), pairs=True
            )
            right = sum(p for n, p in truth.items() if limits[0] <= Fraction(rows, rows + n) <= limits[1])
            assert Fraction(sure) <= right


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_what_is_expected_follows_the_tree(data: st.DataObject) -> None:
    attributes = data.draw(st.sampled_from([2, 3, 4, 5]))
    edges = data.draw(st.sampled_from(PATHS[attributes]))
    people, box = data.draw(crowds(attributes, 25, 3))
    marginals = marginals_of(people, edges, 3)
    [expected] = expected_in(outside_of(box, marginals), pairs=True)
    assert expected == pytest.approx(float(oracle.expected(people, edges, box)))
    [alone] = expected_in(outside_of(box, marginals), pairs=False)
    assert alone == pytest.approx(float(oracle.expected(people, (), box)))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_two_attributes_that_were_counted_together_leave_nothing_open(data: st.DataObject) -> None:
    people, box = data.draw(crowds(2, 20, 3))
    there = sum(all(a <= x <= b for x, (a, b) in zip(p, box, strict=True)) for p in people)
    known = known_of(outside_of(box, marginals_of(people, ((0, 1),), 3)), pairs=True)
    assert (known.fewest[0], known.most[0]) == (there, there)
    model = ConfidentPresence((0, "1/4"), 1, known="pairs", margin=3)
    groups = Groups(np.array([2]), outside=outside_of(box, marginals_of(people, ((0, 1),), 3)))
    assert model.holds(groups).tolist() == [there >= 6]


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_pairs_beside_the_tree_are_never_exceeded(data: st.DataObject) -> None:
    people, box = data.draw(crowds(4, 20, 3))
    there = sum(all(a <= x <= b for x, (a, b) in zip(p, box, strict=True)) for p in people)
    known = known_of(outside_of(box, marginals_of(people, PATHS[4][0], 3, every=True)), pairs=True)
    assert known.fewest[0] <= there <= known.cap[0] <= known.most[0]
    for rows in (1, 3):
        outside = outside_of(box, marginals_of(people, PATHS[4][0], 3, every=True))
        [sure] = sure_confidence(np.array([rows]), outside, (Fraction(0), Fraction(1, 2)), Fraction(1), pairs=True)
        assert there >= rows or sure < 1  # what is certain is true


@settings(deadline=None, max_examples=300)
@given(
    chances=st.lists(st.floats(0, 1), min_size=1, max_size=12),
    low=st.integers(0, 13),
    width=st.integers(0, 13),
    margin=st.floats(0, 2),
    factor=st.floats(-1, 1),
)
def test_no_sum_of_trials_within_the_margin_is_less_likely_to_fit(
    chances: list[float], low: int, width: int, margin: float, factor: float
) -> None:
    """Whatever N really is: where its mean is within the margin of the one that is known, the bound holds."""
    from discreet.models.presence.tree_kernels import Known, sure_of

    found = np.ones(1)
    for p in chances:
        found = np.convolve(found, [1 - p, p])
    inside = float(found[low : low + width + 1].sum())
    mean = sum(chances) * math.exp(margin * factor)
    known = Known(np.array([mean]), *(np.array([n]) for n in (0, len(chances), len(chances))))
    [sure] = sure_of(known, np.array([low]), np.array([low + width]), math.exp(-margin), math.exp(margin))
    assert sure <= inside + 1e-9


def test_a_margin_makes_nobody_surer() -> None:
    people = [(i % 2, i % 3, i * i % 3) for i in range(40)]
    outside = outside_of(((0, 0), (0, 1), (0, 0)), marginals_of(people, ((0, 1), (1, 2)), 3))
    delta = Fraction(0), Fraction(1, 5)
    sure = [sure_confidence(np.array([1]), outside, delta, Fraction(x, 10), pairs=True)[0] for x in range(0, 20)]
    assert sure == sorted(sure, reverse=True) and sure[0] > 0.5 > sure[-1]


def test_certainty_is_not_what_rounding_makes_certain() -> None:
    assert reaches(np.array([1.0, 1.0 - 2.0**-53, 0.8]), Fraction(1)).tolist() == [True, False, False]
    assert reaches(np.array([0.8, 0.75]), Fraction(3, 4)).tolist() == [True, False]  # 3/4 itself is not above it


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(data: st.DataObject) -> None:
    people, _ = data.draw(crowds(2, 30, 3))
    rows = data.draw(st.lists(st.integers(0, 2), min_size=9, max_size=9).filter(any))
    marginals = marginals_of(people, ((0, 1),), 3)
    model = ConfidentPresence(
        (0, data.draw(st.sampled_from(["1/4", "1/2", "2/3"]))),
        data.draw(st.sampled_from(["0.3", "0.8", 1])),
        known="pairs",
        margin=data.draw(st.sampled_from([0, "1/2"])),
    )

    def lost(box: Box) -> int:
        (a, b), (c, d) = box
        inside = sum(rows[3 * x + y] for x in range(a, b + 1) for y in range(c, d + 1))
        if not inside:
            return 0
        held = model.holds(Groups(np.array([inside]), outside=outside_of(box, marginals)))[0]
        ways = [0 if held else inside]
        ways += [lost(((a, m), (c, d))) + lost(((m + 1, b), (c, d))) for m in range(a, b)]
        ways += [lost(((a, b), (c, m))) + lost(((a, b), (m + 1, d))) for m in range(c, d)]
        return min(ways)

    whole = ((0, 2), (0, 2))
    groups = Groups(np.array([sum(rows)]), outside=outside_of(whole, marginals))
    assert 0 <= model.least_suppressed(groups)[0] <= lost(whole)


def test_rows_that_are_left_out_can_t_be_judged() -> None:
    people = [(i % 3, i % 3) for i in range(300)]
    outside = outside_of(((0, 0), (0, 2)), marginals_of(people, ((0, 1),), 3))
    model = ConfidentPresence((0, "1/2"), "0.5", known="pairs")
    assert model.rest(Groups(np.array([3]), outside=outside)) is None
    assert model.rest(Groups(np.array([3]), outside=outside, left_out=1)) == (False, 0.0)


@given(
    st.dictionaries(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] < e[1]), st.floats(0.1, 9))
)
def test_a_path_is_left_when_the_ends_of_the_tree_are_taken_off(weights: dict[tuple[int, int], float]) -> None:
    edges = heaviest_caterpillar(weights)
    degree = np.bincount([v for e in edges for v in e], minlength=8)
    inner = np.bincount([v for i, j in edges if degree[i] > 1 < degree[j] for v in (i, j)], minlength=8)
    assert inner.max() <= 2
    assert len(edges) <= max(len({v for e in edges for v in e}) - 1, 0)
