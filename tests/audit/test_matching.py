"""Assignments on counts against going through all of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.faults.matching import shortfall


@st.composite
def problems(draw, limited=False):
    kinds, units = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    fits = [sorted(draw(st.sets(st.integers(0, units - 1)))) for _ in range(kinds)]
    rows = draw(st.lists(st.integers(0, 3), min_size=kinds, max_size=kinds))
    wanted = draw(st.lists(st.integers(0, 2), min_size=units, max_size=units))
    most = [[draw(st.integers(0, 2)) for _ in fit] for fit in fits] if limited else None
    return fits, rows, wanted, most


def solved(fits, rows, wanted, most):
    starts = np.cumsum([0, *map(len, fits)])
    flat = np.array([u for fit in fits for u in fit], dtype=np.int32)
    limits = None if most is None else np.array([m for each in most for m in each], dtype=np.int64)
    return shortfall(starts, flat, np.array(rows), np.array(wanted), limits)


def most_matched(fits, rows, wanted, most, kind=0):
    """The largest number of published rows that can be somebody's: every choice of every kind."""
    if kind == len(fits):
        return 0

    def choices(at, left, wanted):
        if at == len(fits[kind]):
            yield 0, wanted
            return
        unit = fits[kind][at]
        limit = left if most is None else min(left, most[kind][at])
        for given_rows in range(min(limit, wanted[unit]) + 1):
            less = [w - given_rows if u == unit else w for u, w in enumerate(wanted)]
            for more, after in choices(at + 1, left - given_rows, less):
                yield given_rows + more, after

    return max(
        given_rows + most_matched(fits, rows, list(after), most, kind + 1)
        for given_rows, after in {(n, tuple(after)) for n, after in choices(0, rows[kind], wanted)}
    )


@given(problems())
def test_what_is_lacking_is_what_no_choice_of_rows_can_give(problem):
    fits, rows, wanted, most = problem
    assert solved(*problem).rows == sum(wanted) - most_matched(fits, rows, wanted, most)


@given(problems(limited=True))
def test_limits_between_kinds_and_units_are_heeded(problem):
    fits, rows, wanted, most = problem
    assert solved(*problem).rows == sum(wanted) - most_matched(fits, rows, wanted, most)


@given(problems())
def test_units_that_compete_want_more_rows_than_fit_them(problem):
    fits, rows, wanted, _ = problem
    found = solved(*problem)
    contested = {*np.flatnonzero(found.contested).tolist()}
    there = sum(n for fit, n in zip(fits, rows, strict=True) if contested & {*fit})
    assert found.rows == max(sum(wanted[u] for u in contested) - there, 0)


@given(st.integers(0, 2**32), st.integers(1, 60))
def test_every_true_release_has_an_assignment(seed, size):
    draw = np.random.default_rng(seed)
    true = draw.integers(0, max(size // 3, 1), size)
    fits = [sorted({int(u), *draw.integers(0, true.max() + 1, 3).tolist()}) for u in true]
    wanted = np.bincount(true)
    assert solved(fits, [1] * size, wanted, None).rows == 0
    wanted[draw.integers(len(wanted))] += 1
    assert solved(fits, [1] * size, wanted, None).rows == 1


def test_a_long_chain_of_people_who_give_way_is_followed():
    size = 3000  # everybody fits two units, and only the last step has room
    fits = [[i, i + 1] for i in range(size)]
    for order in (fits, fits[::-1]):
        assert solved(order, [1] * size, [0] + [1] * size, None).rows == 0
        assert solved(order, [1] * size, [1] * (size + 1), None).rows == 1


def test_small_cases_agree_with_all_orders_of_rows():
    people, labels = [1, 2, 2], [{1, 2}, {2}, {1}]
    exists = any(all(p in label for p, label in zip(order, labels, strict=True)) for order in permutations(people))
    fits = [[u for u, label in enumerate(labels) if person in label] for person in people]
    assert exists == (solved(fits, [1] * 3, [1] * 3, None).rows == 0)
