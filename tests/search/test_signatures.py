"""Everybody keeps his signature, and by brute force over worlds nobody is surer than 1/m of anybody's value."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.search.buckets.ranks import HELD_BACK
from discreet.search.buckets.signatures import NEW, Placed, Waiting, _splittable, newcomers, place
from tests.run.worlds_of_chains import Group, surest, surest_if_it_stays
from tests.search.lots import Lot

VALUES = 5
Months = list[list[tuple[int, int]]]  # who is in the table, with which value


@st.composite
def months(draw: st.DrawFn, people: int, steady: bool = False) -> Months:
    """A few months of a table: people come, leave and come back, and now and then a value changes."""
    value = draw(st.lists(st.integers(0, VALUES - 1), min_size=people, max_size=people))
    told = []
    for _ in range(draw(st.integers(1, 4))):
        here = draw(st.lists(st.booleans(), min_size=people, max_size=people))
        if not steady:
            changes = draw(st.lists(st.integers(0, 5 * VALUES), min_size=people, max_size=people))
            value = [c if c < VALUES else v for v, c in zip(value, changes, strict=True)]
        told.append([(i, v) for i, v in enumerate(value) if here[i]])
    return told


def published(months: Months, m: int, least: int = 2, seed: int = 0) -> list[list[tuple[list[int], list[int]]]]:
    """Month by month, the groups: who stands in each, and its values; with everybody's signatures kept here."""
    rng = np.random.default_rng(seed)
    had: dict[int, list[frozenset[int]]] = {}
    told = []
    for month in months:
        signatures = sorted({s for own in had.values() for s in own}, key=sorted)
        flags = np.array([[v in s for v in range(VALUES)] for s in signatures], dtype=np.bool_).reshape(-1, VALUES)
        wanted, barred, bars = [], [], []
        for who, value in month:
            fits = [s for s in had.get(who, []) if value in s]
            wanted.append(signatures.index(fits[0]) if fits else NEW)
            barred.append(len(bars) if had.get(who) and not fits else -1)
            if had.get(who) and not fits:
                bars.append([any(v in s for s in had[who]) for v in range(VALUES)])
        waiting = Waiting(
            np.array([v for _, v in month], dtype=np.int64),
            np.array(wanted, dtype=np.int64),
            np.array(barred, dtype=np.int64),
            flags,
            np.array(bars, dtype=np.bool_).reshape(-1, VALUES),
        )
        done = place(waiting, m, least, rng.permutation(len(month)), rng)
        told.append(_groups(month, done))
        for people, values in told[-1]:
            for who in people:
                if frozenset(values) not in had.setdefault(who, []):
                    had[who].append(frozenset(values))
    return told


def _groups(month: list[tuple[int, int]], done: Placed) -> list[tuple[list[int], list[int]]]:
    groups = []
    for g in range(len(done.signature)):
        inside = [month[i] for i in np.flatnonzero(done.group == g).tolist()]
        assert set(np.flatnonzero(done.signatures[done.signature[g]]).tolist()) == {v for _, v in inside}
        groups.append(([who for who, _ in inside], [v for _, v in inside]))
    return groups


@settings(deadline=None)
@given(months(30), st.integers(2, 4), st.integers(0, 9), st.integers(2, 7))
def test_groups_are_even_and_signatures_are_kept_or_have_no_value_in_common(
    told: Months, m: int, seed: int, least: int
) -> None:
    had: dict[int, set[frozenset[int]]] = {}
    for month in published(told, m, least, seed):
        for people, values in month:
            assert len(people) >= least and len(people) == len(set(people))
            assert len({values.count(v) for v in values}) == 1 and len(set(values)) >= m
            for who in people:
                had.setdefault(who, set()).add(frozenset(values))
    for own in had.values():
        assert sum(map(len, own)) == len(frozenset().union(*own))


@settings(deadline=None, max_examples=60)
@given(months(6), st.integers(2, 3), st.integers(0, 3))
def test_in_no_chain_is_anybody_surer_than_promised_by_all_worlds(told: Months, m: int, seed: int) -> None:
    releases = [
        [Group(tuple(f"P{i}" for i in people), tuple(f"v{v}" for v in values)) for people, values in month]
        for month in published(told, m, seed=seed)
    ]
    if any(releases):
        smallest = min(len(set(g.values)) for month in releases for g in month)
        assert surest(releases) == Fraction(1, smallest) <= Fraction(1, m)


@settings(deadline=None, max_examples=40)
@given(months(6, steady=True), st.integers(2, 3), st.integers(0, 3))
def test_who_takes_values_to_stay_and_knows_no_rule_is_no_surer(told: Months, m: int, seed: int) -> None:
    releases = [
        [Group(tuple(f"P{i}" for i in people), tuple(f"v{v}" for v in values)) for people, values in month]
        for month in published(told, m, seed=seed)
    ]
    if any(releases):
        assert surest_if_it_stays(releases) <= Fraction(1, m)


def test_releases_without_a_memory_break_it() -> None:
    """The same oracle finds what independent releases give away."""
    first = [Group(("Ann", "Bob"), ("flu", "cold")), Group(("Cleo", "Dan"), ("gout", "flu"))]
    second = [Group(("Ann", "Dan"), ("flu", "gout")), Group(("Bob", "Cleo"), ("cold", "flu"))]
    assert surest_if_it_stays([first]) == surest_if_it_stays([second]) == Fraction(1, 2)
    assert surest_if_it_stays([first, second]) == 1


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(2, 4))
def test_as_many_units_are_made_as_can_be(many: list[int], m: int) -> None:
    units, people = _splittable(np.array([many]), m)

    def enough(k: int) -> bool:
        return sum(min(n, k) for n in many) >= m * k

    assert int(units[0]) == max(k for k in range(sum(many) + 1) if enough(k))
    value = np.repeat(np.arange(len(many)), many)
    done = place(newcomers(value, len(many)), m, m, np.arange(len(value)), np.random.default_rng(0))
    assert int((done.group != HELD_BACK).sum()) == int(people[0])


def test_who_comes_again_is_held_back_where_nobody_brings_the_other_values() -> None:
    signatures = np.array([[True, True, False]])
    alone = Waiting(np.array([0, 0, 1, 2]), np.array([0, 0, 0, NEW]), np.full(4, -1), signatures, signatures[:0])
    done = place(alone, 2, 2, np.arange(4), np.random.default_rng(0))
    assert sorted(done.group.tolist()) == [HELD_BACK, HELD_BACK, 0, 0]
    assert done.group[2] == 0 and done.group[3] == HELD_BACK


Shown = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # who stands in each group, and its values


def shown_by(values: tuple[int, ...], order: tuple[int, ...], least: int) -> Shown:
    """The groups of newcomers with these values, who stand in the order of their ages."""
    done = place(newcomers(np.array(values), 3), 2, least, np.arange(len(values)), Lot(order))  # type: ignore[arg-type]
    groups = _groups(list(enumerate(values)), done)
    return tuple(sorted((tuple(people), tuple(sorted(values))) for people, values in groups))


@pytest.mark.parametrize(("table", "least"), [((0, 0, 1, 2), 2), ((0, 0, 1, 1), 4), ((0, 0, 0, 1, 2), 2)])
def test_whoever_knows_the_rule_is_no_surer_of_who_is_published_first(table: tuple[int, ...], least: int) -> None:
    """Of all tables and all lots that give a release, each value of a group is equally often anybody's."""
    could: dict[Shown, Counter[tuple[int, ...]]] = defaultdict(Counter)
    for values in sorted(set(itertools.permutations(table))):
        for order in itertools.permutations(range(len(table))):
            could[shown_by(values, order, least)][values] += 1
    assert len(could) > 1 or least == len(table)
    for release, worlds in could.items():
        for people, values in release:
            for who, value in itertools.product(people, {*values}):
                likely = sum(n for world, n in worlds.items() if world[who] == value)
                assert Fraction(likely, worlds.total()) == Fraction(1, len({*values}))


def test_whoever_knows_the_rule_may_be_certain_of_who_comes_again_and_is_missing() -> None:
    """What the promise leaves open: Ann, of {0, 1}, is held back, and two newcomers have 0 and 2. So she has 0."""
    signatures = np.array([[True, True, False]])
    missing = []
    for own in (0, 1):
        again = Waiting(np.array([own, 0, 2]), np.array([0, NEW, NEW]), np.full(3, -1), signatures, signatures[:0])
        for seed in range(4):
            done = place(again, 2, 2, np.arange(3), np.random.default_rng(seed))
            missing += [own] * int(done.group[0] == HELD_BACK)
    assert {*missing} == {0}


def test_whoever_weighs_how_newcomers_were_placed_comes_to_four_in_seven() -> None:
    """The guide's figure: 0 and 1, of {0, 1} and {0, 2}, come again, and newcomers 2 and 3 stand with them."""
    signatures = np.array([[True, True, False], [True, False, True]])
    shown, likely = {((0, 2), (0, 1)), ((1, 3), (0, 2))}, Counter[int]()
    for values in itertools.product((0, 1), (0, 2), range(3), range(3)):
        people = Waiting(np.array(values), np.array([0, 1, NEW, NEW]), np.full(4, -1), signatures, signatures[:0])
        for order in itertools.permutations(range(4)):
            groups = _groups(list(enumerate(values)), place(people, 2, 2, np.arange(4), Lot(order)))  # type: ignore[arg-type]
            if {(tuple(who), tuple(sorted(has))) for who, has in groups} == shown:
                likely[values[0]] += 1
    assert Fraction(likely[0], likely.total()) == Fraction(4, 7)
