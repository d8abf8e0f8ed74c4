"""Where of all others as many are expected to have a value as have it, nobody gets surer of anybody."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.models.robust.exact_posteriors import two_valued_exactly

having = st.tuples(st.integers(1, 9), st.integers(1, 9))  # out of how many both are together


@given(st.lists(having, min_size=2, max_size=9))
def test_where_the_others_are_expected_to_have_it_as_often_as_it_is_there_nobody_is_surer(people) -> None:
    before = [Fraction(has, has + has_not) for has, has_not in people]
    most = int(min(sum(before) - p for p in before))
    for m in range(1, most + 1):
        beliefs = two_valued_exactly([a for a, _ in people], [b for _, b in people], [1] * len(people), m)
        assert beliefs is not None
        assert all(belief <= p for belief, p in zip(beliefs, before, strict=True))


def test_one_less_expected_is_not_enough() -> None:
    """Three people with one chance of three, two of whom have it: the others are expected to have 2/3 of it."""
    beliefs = two_valued_exactly([1, 1, 1], [2, 2, 2], [1, 1, 1], 2)
    assert beliefs == [Fraction(2, 3)] * 3
