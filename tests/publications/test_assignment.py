"""Every published row gets a row of the source of its own, or it is told how many do not: against all assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.publications.source import assignment_kernels
from discreet.publications.source.assignment import Asked, Labels, Offered, beyond, pairs_of, unpaired, unplaced
from tests import inner_kernels

LEAVES = 4


def least_left_over(asks: Sequence[Any], offers: Sequence[Any], fits: Callable[[Any, Any], bool]) -> int:
    """All assignments, one row after the other: how many published rows can't have a row at best."""

    @cache
    def best(i: int, left: frozenset[tuple[Any, int]]) -> int:
        if i == len(asks):
            return 0
        found = 1 + best(i + 1, left)
        for offer, many in left:
            if fits(asks[i], offer):
                others = (left - {(offer, many)}) | ({(offer, many - 1)} if many > 1 else set())
                found = min(found, best(i + 1, others))
        return found

    return best(0, frozenset(Counter(offers).items()))


def arrays(rows: Sequence[Any]) -> tuple[list[Any], np.ndarray[Any, Any]]:
    counted = Counter(rows)
    return list(counted), np.array(list(counted.values()), dtype=np.int64)


def numbers(values: Sequence[int]) -> np.ndarray[Any, Any]:
    return np.array(values, dtype=np.int64)


leaf_sets = st.sets(st.integers(0, LEAVES - 1), max_size=LEAVES)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[list[set[int]]], list[Any], list[Any]]:
    """Groups with a set of leaves per attribute; rows (kind, group), and rows (kind, leaves) to give to them."""
    width = draw(st.integers(1, 2))
    groups = draw(st.lists(st.lists(leaf_sets, min_size=width, max_size=width), min_size=1, max_size=3))
    kind = st.integers(0, 1)
    asks = draw(st.lists(st.tuples(kind, st.integers(0, len(groups) - 1)), max_size=6))
    leaves = st.tuples(*[st.integers(0, LEAVES - 1)] * width)
    offers = draw(st.lists(st.tuples(kind, leaves), max_size=7))
    return groups, asks, offers


def labels_of(groups: list[list[set[int]]]) -> Labels:
    run, first, last = [0], [], []
    for group in groups:
        for leaves in group:
            starts = [leaf for leaf in sorted(leaves) if leaf - 1 not in leaves]
            ends = [leaf for leaf in sorted(leaves) if leaf + 1 not in leaves]
            first, last = first + starts, last + ends
            run.append(run[-1] + len(starts))
    ends_of = (np.array(first, dtype=np.int32), np.array(last, dtype=np.int32))
    return Labels(numbers(run), *ends_of, tuple([LEAVES] * len(groups[0])))


def offered(rows: Sequence[Any], width: int) -> Offered:
    distinct, count = arrays(rows)
    codes = np.array([leaves for _, leaves in distinct], dtype=np.int32).reshape(len(distinct), width)
    return Offered(numbers([kind for kind, _ in distinct]), codes, count)


def asked(rows: Sequence[Any]) -> Asked:
    distinct, count = arrays(rows)
    return Asked(numbers([kind for kind, _ in distinct]), numbers([group for _, group in distinct]), count)


@settings(max_examples=500)
@given(case=labelled())
def test_labels_leave_over_what_no_assignment_can_place(case: Any) -> None:
    groups, asks, offers = case

    def fits(ask: Any, offer: Any) -> bool:
        return ask[0] == offer[0] and all(map(set.__contains__, groups[ask[1]], offer[1]))

    found = unplaced(offered(offers, len(groups[0])), asked(asks), labels_of(groups))
    assert found == least_left_over(asks, offers, fits)


@settings(max_examples=200)
@given(case=labelled())
def test_few_pairs_and_words_of_bits_say_the_same(case: Any) -> None:
    groups, _, offers = case
    labels, rows = labels_of(groups), offered(offers, len(groups[0]))
    many = np.repeat(numbers(range(len(groups))), 1 + assignment_kernels._FEW // max(len(rows.count), 1))
    leaves = np.array(labels.leaves, dtype=np.int64)
    starts, rights = inner_kernels.edges(rows.codes, many, labels.run, labels.first, labels.last, leaves)
    for i, codes in enumerate(rows.codes.tolist()):
        held = [j for j, g in enumerate(many.tolist()) if all(map(set.__contains__, groups[g], codes))]
        assert rights[starts[i] : starts[i + 1]].tolist() == held


@settings(max_examples=200)
@given(case=labelled())
def test_what_somebody_who_fits_has_is_marked(case: Any) -> None:
    groups, asks, offers = case
    single = [(g, d, leaf) for g, group in enumerate(groups) for d, own in enumerate(group) for leaf in sorted(own)]
    run = [0]
    for group in groups:
        for leaves in group:
            run.append(run[-1] + len(leaves))
    ends = np.array([leaf for *_, leaf in single], dtype=np.int32)
    met = np.zeros(len(single), dtype=np.int64)
    labels = Labels(numbers(run), ends, ends, tuple([LEAVES] * len(groups[0])))
    unplaced(offered(offers, len(groups[0])), asked(asks), labels, met)
    expected = {
        (g, d, leaf)
        for kind, g in asks
        for other, leaves in offers
        if kind == other and all(map(set.__contains__, groups[g], leaves))
        for d, leaf in enumerate(leaves)
    }
    assert {place for place, marked in zip(single, met.tolist(), strict=True) if marked} == expected


@settings(max_examples=500)
@given(
    pairs=st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(1, 2)),
    asks=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=5),
    offers=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=6),
)
def test_listed_places_leave_over_what_no_assignment_can_place(pairs: Any, asks: Any, offers: Any) -> None:
    """A pair (group, place) serves at most so many rows of a kind."""

    @cache
    def best(i: int, left: tuple[Any, ...], used: tuple[Any, ...]) -> int:
        if i == len(asks):
            return 0
        kind, group = asks[i]
        found = 1 + best(i + 1, left, used)
        for k, (other, place) in enumerate(left):
            if kind == other and used.count((kind, group, place)) < pairs.get((group, place), 0):
                found = min(found, best(i + 1, left[:k] + left[k + 1 :], (*used, (kind, group, place))))
        return found

    listed = list(pairs.items())
    groups, places = numbers([g for (g, _), _ in listed]), numbers([p for (_, p), _ in listed])
    known = pairs_of(groups, places, numbers([n for _, n in listed]), 3, 3)
    distinct, count = arrays(offers)
    kind, place = (numbers([row[i] for row in distinct]) for i in (0, 1))
    assert unpaired(kind, place, count, asked(asks), known) == best(0, tuple(offers), ())


@settings(max_examples=200)
@given(
    asks=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=6),
    offers=st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 2)), max_size=7),
)
def test_where_labels_do_not_overlap_counting_says_the_same(asks: Any, offers: Any) -> None:
    distinct, count = arrays(offers)
    places = numbers([-1 if group < 0 else 2 * group + kind for kind, group in distinct])
    found = beyond(places, count, asked(asks), 2)
    assert found == least_left_over(asks, offers, lambda ask, offer: bool(ask == offer))


@pytest.mark.parametrize("rows", [300, 3000])
def test_a_long_chain_of_moves_is_found(rows: int) -> None:
    """Group i holds leaves i and i + 1; the only way to serve the last is that everybody moves on by one."""
    run = np.arange(rows + 1, dtype=np.int64)
    first = np.arange(rows, dtype=np.int32)
    labels = Labels(run, first, first + 1, (rows + 1,))
    leaves = np.array([[*range(rows)]], dtype=np.int32).T
    alike, once = np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=np.int64)
    groups = Asked(alike, np.arange(rows, dtype=np.int64), once)
    assert unplaced(Offered(alike, leaves, once), groups, labels) == 0
    assert unplaced(Offered(alike, leaves + 1, once), groups, labels) == 0
    assert unplaced(Offered(alike, np.where(leaves == 0, rows, leaves), once), groups, labels) == 0
    assert unplaced(Offered(alike, np.where(leaves == 5, rows, leaves), once), groups, labels) == 0
    gone = np.where((leaves == 5) | (leaves == 7), rows, leaves)
    assert unplaced(Offered(alike, gone, once), groups, labels) == 1
