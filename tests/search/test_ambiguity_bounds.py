"""The limits of (α, β)-privacy, against brute force over all groups."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.search.ambiguity.bounds import round_up, smallest_alpha, smallest_beta, usual_size

rows = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("de"), st.sampled_from("fg")), min_size=1, max_size=8)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any), st.integers(0, 8))
def test_the_smallest_beta_is_that_of_the_best_rows_to_suppress(totals: list[int], suppressed: int) -> None:
    people = [value for value, count in enumerate(totals) for _ in range(count)]
    if suppressed >= len(people):
        assert smallest_beta(np.array(totals), suppressed) == 0
        return
    best = min(
        Fraction(max(Counter(kept).values()), len(kept))
        for size in range(len(people) - suppressed, len(people) + 1)
        for kept in combinations(people, size)
    )
    assert smallest_beta(np.array(totals), suppressed) == best


@given(rows, st.integers(1, 4))
def test_no_group_has_a_smaller_presence_than_the_smallest_alpha(table: list[tuple[str, ...]], least: int) -> None:
    least = min(least, len(table))
    different = [len(set(column)) for column in zip(*table, strict=True)]
    bound = smallest_alpha(different, least, len(table))
    for size in range(least, len(table) + 1):
        for group in combinations(table, size):
            m = [len(set(column)) for column in zip(*group, strict=True)]
            assert min(Fraction(size, m[0] * m[1] * m[2]), Fraction(1)) >= bound


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(1, 12), st.integers(1, 60))
def test_the_smallest_alpha_is_the_least_over_all_sizes(different: list[int], least: int, rows: int) -> None:
    sizes = range(min(least, rows), rows + 1)
    found = [Fraction(n, int(np.prod([min(n, v) for v in different]))) for n in sizes]
    assert smallest_alpha(different, least, rows) == min(*found, Fraction(1), Fraction(1))


@given(st.fractions(0, 1))
def test_a_limit_is_never_told_smaller_than_it_is(number: Fraction) -> None:
    told = Fraction(round_up(number))
    assert number <= told <= number * Fraction(1001, 1000)


def test_the_usual_size_is_the_least_that_reaches_alpha_on_average() -> None:
    even = [np.full(10, 10), np.full(5, 20)]  # n / (min(n, 10) · min(n, 5)) ≤ 1/5 from n = 5 on
    assert usual_size(even, 2, 0.2, 0.0) == (5, 0.2)
    assert usual_size(even, 7, 0.2, 0.0)[0] == 7
    size, reached = usual_size(even, 2, 0.01, 0.0)
    assert (size, round(reached, 6)) == (5, 0.2)  # no size does better
    skewed = [np.full(100, 1), np.array([90, 10])]  # the rare one is in every group of ten rows or more
    assert usual_size(skewed, 2, 0.5, 0.0)[0] == 10
