"""c-confident δ-presence as a promise: groups, what every refinement loses, who is in no group, and its words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import Marginals
from discreet.counts.groups import Groups, Outside
from discreet.errors import DataError, PolicyError
from discreet.models.base import AboutPopulation, may_leave_out
from discreet.models.presence.confidence_rest import rest_confidence, variance_inside
from discreet.models.presence.confident_presence import ConfidentPresence, people_needed
from discreet.models.verdicts import verdict
from tests.presence import worlds_outside as oracle
from tests.presence.worlds_outside import Box

Counts = Sequence[Sequence[int]]  # per attribute and leaf, how many people outside have it


def known(marginals: Counts, possible: Sequence[Sequence[bool]] | None = None) -> Marginals:
    counts = tuple(np.array(c, dtype=np.int64) for c in marginals)
    possible = possible or [[True] * len(c) for c in marginals]
    return Marginals(counts, tuple(np.array(p, dtype=np.bool_) for p in possible), sum(marginals[0]))


def groups_of(sizes: Sequence[int], boxes: Sequence[Box], marginals: Marginals, left_out: int = 0) -> Groups:
    """Groups of so many rows that show these leaves."""
    ends = np.array(boxes, dtype=np.int32).reshape(len(boxes), len(marginals.counts), 2)
    outside = Outside(ends[:, :, 0], ends[:, :, 1], marginals)
    return Groups(np.array(sizes, dtype=np.int64), outside=outside, left_out=left_out)


@st.composite
def marginals_of(draw: st.DrawFn, people: st.SearchStrategy[int], leaves: int = 3, attributes: int = 2) -> Counts:
    many = draw(people)
    found = []
    for _ in range(attributes):
        cuts = sorted(draw(st.lists(st.integers(0, many), min_size=leaves - 1, max_size=leaves - 1)))
        found.append([b - a for a, b in zip([0, *cuts], [*cuts, many], strict=True)])
    return found


EXAMPLE = known([[1, 3]] * 3)
ALL = ((0, 1),) * 3


def test_the_example_of_the_paper_holds_up_to_fifteen_sixteenths() -> None:
    groups = groups_of([1, 1], [((1, 1),) * 3, ((0, 0),) * 3], EXAMPLE)
    assert ConfidentPresence(("0.33", 1), "15/16").holds(groups).tolist() == [True, True]
    assert ConfidentPresence(("0.33", 1), "0.93751").holds(groups).tolist() == [False, True]
    assert ConfidentPresence(("0.33", 1), 1).holds(groups).tolist() == [False, True]
    assert ConfidentPresence(("0.33", 1), 1).level(groups) == pytest.approx([15 / 16, 1])
    assert (ConfidentPresence(("0.33", 1), 1).level(groups) <= [15 / 16, 1]).all()


def test_nothing_is_asked_of_groups_without_rows() -> None:
    groups = groups_of([0, 1], [((1, 1),) * 3] * 2, EXAMPLE)
    model = ConfidentPresence((0, "0.01"), "0.5")
    assert model.holds(groups).tolist() == [True, False]
    assert model.level(groups).tolist() == [1.0, 0.0]


def test_merging_two_groups_that_hold_may_give_one_that_does_not() -> None:
    """Each has one row and expects 2/3 of a person, there with probability 2/3; both together need two people."""
    marginals = known([[1, 1, 1], [2, 1]])
    parts = [((0, 0), (0, 0)), ((1, 1), (0, 0))]
    model = ConfidentPresence((0, "1/2"), "0.6")
    assert not model.monotone
    assert model.level(groups_of([1, 1], parts, marginals)) == pytest.approx([2 / 3, 2 / 3])
    assert model.level(groups_of([2], [((0, 1), (0, 0))], marginals)) == pytest.approx([1 / 3])


def test_without_marginals_it_says_what_is_missing() -> None:
    with pytest.raises(DataError, match="--population"):
        ConfidentPresence((0, "0.1"), "0.8").holds(Groups(np.array([3])))


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(data: st.DataObject) -> None:
    attributes, leaves = data.draw(st.sampled_from([(2, 3), (3, 2)]))
    marginals = data.draw(marginals_of(st.integers(1, 14), leaves, attributes))
    combinations = list(product(range(leaves), repeat=attributes))
    rows = dict(zip(combinations, data.draw(_counts(len(combinations))), strict=True))
    low = data.draw(st.sampled_from([0, "1/11"]))
    high = data.draw(st.sampled_from(["0.1", "0.25", "0.3", "0.5", "2/3", "0.9"]))
    model = ConfidentPresence((low, high), data.draw(st.sampled_from(["0.3", "0.6", "0.75", "0.8", "0.95", 1])))
    whole = ((0, leaves - 1),) * attributes
    groups = groups_of([sum(rows.values())], [whole], known(marginals))
    [bound] = model.least_suppressed(groups).tolist()

    @lru_cache(None)
    def fewest_lost(box: Box) -> int:
        inside = sum(n for leaf, n in rows.items() if oracle.inside(leaf, box))
        if not inside:
            return 0
        factors = [sum(m[a : b + 1]) for m, (a, b) in zip(marginals, box, strict=True)]
        held = oracle.confidence(inside, factors, sum(marginals[0]), model.delta) >= model.confidence
        ways = [0 if held else inside]
        for d, (first, last) in enumerate(box):
            for cut in range(first, last):
                left = (*box[:d], (first, cut), *box[d + 1 :])
                right = (*box[:d], (cut + 1, last), *box[d + 1 :])
                ways.append(fewest_lost(left) + fewest_lost(right))
        return min(ways)

    assert 0 <= bound <= fewest_lost(whole)


def _counts(many: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 2), min_size=many, max_size=many).filter(any)


def test_a_group_that_expects_few_people_loses_most_of_its_rows() -> None:
    """100 people are expected. With 9 a row in every part, and at least 8.78 expected, 11 rows can stay."""
    groups = groups_of([30, 11, 3], [((0, 0), (0, 0))] * 3, known([[200, 200], [200, 200]]))
    assert ConfidentPresence((0, "0.1"), "0.8").least_suppressed(groups).tolist() == [19, 0, 0]
    assert ConfidentPresence((0, "0.1"), "0.5").least_suppressed(groups).tolist() == [30 - 22, 0, 0]
    assert ConfidentPresence((0, 0), "0.8").least_suppressed(groups).tolist() == [30, 11, 3]
    assert ConfidentPresence(("0.1", 1), "0.8").least_suppressed(groups).tolist() == [0, 0, 0]


@settings(deadline=None, max_examples=400)
@given(
    alike=st.integers(1, 12),
    chance=st.floats(0, 1),
    certain=st.integers(0, 5),
    others=st.lists(st.floats(0, 1), max_size=3),
    c=st.sampled_from(["0.2", "0.5", "0.51", "0.75", "0.76", "0.8", "0.95", 1]),
)
def test_fewer_people_are_never_enough(
    alike: int, chance: float, certain: int, others: list[float], c: str | int
) -> None:
    """Whatever the trials: who has k successes with probability c expects as many as `people_needed` says."""
    chances = [chance] * alike + [1.0] * certain + others
    found = np.ones(1)
    for p in chances:
        found = np.convolve(found, [1 - p, p])
    tail = np.cumsum(found[::-1])[::-1]
    for k in range(1, len(chances) + 1):
        if tail[k] >= float(Fraction(c)) + 1e-9:
            assert sum(chances) >= people_needed(k, Fraction(c)) - 1e-9


BOXES = [
    [((0, 0), (0, 1)), ((1, 2), (0, 0))],
    [((0, 0), (0, 0)), ((1, 1), (1, 1)), ((2, 2), (2, 2))],
    [((0, 1), (0, 2))],
    [((0, 0), (0, 0)), ((0, 0), (1, 1)), ((1, 2), (0, 1))],
    [],
]


@settings(deadline=None, max_examples=60)
@given(
    marginals=marginals_of(st.integers(1, 5)),
    boxes=st.sampled_from(BOXES),
    ends=st.tuples(st.integers(0, 5), st.integers(0, 5)),
)
def test_those_in_no_group_are_never_surer_than_in_all_their_worlds(
    marginals: Counts, boxes: Sequence[Box], ends: tuple[int, int]
) -> None:
    elsewhere = _elsewhere(marginals, boxes)
    low, high = min(ends), max(ends)
    outside = groups_of([1] * len(boxes), boxes, known(marginals)).outside
    assert outside is not None
    for least in (0.01, 0.5, 1.0):
        bound = rest_confidence(outside, low, high, least)
        assert 0 <= bound <= np.mean([low <= n <= high for n in elsewhere])


@settings(deadline=None, max_examples=60)
@given(marginals=marginals_of(st.integers(2, 5)), boxes=st.sampled_from(BOXES))
def test_their_variance_is_that_of_all_their_worlds(marginals: Counts, boxes: Sequence[Box]) -> None:
    outside = groups_of([1] * len(boxes), boxes, known(marginals)).outside
    assert outside is not None
    found, truth = variance_inside(outside), np.var(_elsewhere(marginals, boxes))
    assert truth - 1e-12 <= found <= truth + 1e-9


def _elsewhere(marginals: Counts, boxes: Sequence[Box]) -> list[int]:
    """In every world, how many people are in no box."""
    return [
        sum(not any(oracle.inside(person, box) for box in boxes) for person in world)
        for world in oracle.worlds(marginals)
    ]


def test_rows_left_out_hide_among_those_in_no_group() -> None:
    marginals = known([[500, 500], [500, 500]])
    kept = [((0, 0), (0, 0)), ((1, 1), (1, 1))]
    model = ConfidentPresence((0, "0.1"), "0.8")
    assert isinstance(model, AboutPopulation)
    assert model.rest(groups_of([5, 5], kept, marginals)) is None
    assert model.rest(groups_of([5, 5], kept, marginals, left_out=40))[0]  # 360 of about 500 are needed
    assert not model.rest(groups_of([5, 5], kept, marginals, left_out=60))[0]  # 540 are needed
    low = ConfidentPresence(("0.05", "0.5"), "0.8")
    assert low.rest(groups_of([5, 5], kept, marginals, left_out=40))[0]  # 760 may be there
    assert not low.rest(groups_of([5, 5], kept, marginals, left_out=20))[0]  # 380 may be there
    assert model.rest(groups_of([], [], marginals, left_out=100)) == (True, 1.0)  # 900 are needed, 1000 there
    assert model.rest(groups_of([], [], marginals, left_out=112)) == (False, 0.0)


def test_a_search_may_leave_out_no_more_rows_than_can_hide() -> None:
    marginals = known([[500, 500], [500, 500]])
    boxes = [((0, 0), (0, 1)), ((1, 1), (0, 0)), ((1, 1), (1, 1))]
    model = ConfidentPresence((0, "0.1"), "0.8")
    for rows, may in ((30, False), (27, False), (3, True)):
        groups = groups_of([20, rows, 1], boxes, marginals)
        assert may_leave_out([model], groups, *[np.array([True, False, True])] * 2) == may


def test_groups_without_rows_are_not_published() -> None:
    """Their people are in no group: so they are there to hide among."""
    marginals = known([[500, 500], [500, 500]])
    boxes = [((0, 0), (0, 1)), ((1, 1), (0, 1))]
    found = ConfidentPresence((0, "0.1"), "0.8").rest(groups_of([20, 0], boxes, marginals, left_out=50))
    assert found == (True, 1.0)


def test_with_coverage_every_possible_combination_needs_a_group() -> None:
    marginals = known([[1, 1, 1], [2, 0, 1]], [[True] * 3, [True, False, True]])
    quarters = [((0, 0), (0, 2)), ((1, 2), (0, 1)), ((1, 2), (2, 2))]
    model = ConfidentPresence((0, "0.9"), "0.1", coverage=True)
    assert model.rest(groups_of([1, 1, 1], quarters, marginals)) == (True, 1.0)
    assert model.rest(groups_of([1, 1], quarters[:2], marginals)) == (False, 0.0)
    assert model.rest(groups_of([1, 1, 0], quarters, marginals)) == (False, 0.0)
    impossible = [((0, 2), (0, 0)), ((0, 2), (2, 2))]  # nobody has the leaf between them
    assert model.rest(groups_of([1, 1], impossible, marginals)) == (True, 1.0)
    assert not verdict(model, groups_of([1, 1], quarters[:2], marginals)).holds
    assert verdict(ConfidentPresence((0, "0.9"), "0.1"), groups_of([1, 1], quarters[:2], marginals)).holds


def test_coverage_is_counted_exactly_where_combinations_outnumber_machine_integers() -> None:
    attributes = 23
    marginals = known([[1] * 8] * attributes)
    every = ((0, 7),) * attributes
    model = ConfidentPresence((0, "0.9"), "0.1", coverage=True)
    assert model.rest(groups_of([1], [every], marginals)) == (True, 1.0)
    one_missing = [(*((0, 0),) * d, (1, 7), *((0, 7),) * (attributes - d - 1)) for d in range(attributes)]
    assert model.rest(groups_of([1] * attributes, one_missing, marginals)) == (False, 0.0)
    last = ((0, 0),) * attributes
    assert model.rest(groups_of([1] * (attributes + 1), [*one_missing, last], marginals)) == (True, 1.0)


def test_it_says_what_it_promises() -> None:
    model = ConfidentPresence([0, 0.1], 0.8)
    assert model.describe() == "0.8-confident (0, 0.1)-presence"
    assert model.require() == "at least 0.8"
    assert model.to_words() == {"confident_presence": {"delta": [0, 0.1], "confidence": 0.8}}
    assert "covered" in ConfidentPresence([0, 0.1], 0.8, coverage=True).describe()


def test_words_tell_no_folder_and_keep_null_apart() -> None:
    given = {
        "sex": {"f": 3, "m": 4},
        "age": [[None, "1/3"], [30, 2]],
        "race": {None: 1, "": 6},
        "job": Path("/a/b.csv"),
    }
    model = ConfidentPresence([0, "1/3"], 1, marginals=given, size=7, coverage=True)
    assert model.to_words()["confident_presence"] == {
        "delta": [0, "1/3"],
        "confidence": 1,
        "marginals": {
            "sex": {"f": 3, "m": 4},
            "age": [[None, "1/3"], [30, 2]],
            "race": [[None, 1], ["", 6]],
            "job": "b.csv",
        },
        "size": 7,
        "coverage": True,
    }
    assert ConfidentPresence([0, 0.1], 0.8, population="/a/b.csv").to_words()["confident_presence"]["population"] == (
        "b.csv"
    )


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        ConfidentPresence([0.2, 0.1], "1.01")
    assert "confident_presence.delta" in str(caught.value)
    assert "must be above 0 and at most 1, got 1.01" in str(caught.value)
    with pytest.raises(PolicyError) as caught:
        ConfidentPresence([0, 0.1], 0.8, population="a.csv", marginals={}, size=-1, coverage="yes")  # type: ignore[arg-type]
    for place in ("marginals", "size", "coverage"):
        assert f"confident_presence.{place}" in str(caught.value)
