from hypothesis import given
from hypothesis import strategies as st

from discreet.hierarchies.texts import possible_ends, set_text, span

from .strategies import texts, values

ends = texts.filter(bool)


@given(ends, ends)
def test_the_ends_of_a_range_are_among_those_it_may_have(first, last):
    assert (first, last) in possible_ends(span(first, last))


@given(ends, ends)
def test_all_possible_ends_are_written_the_same(first, last):
    written = span(first, last)
    assert {span(a, b) for a, b in possible_ends(written)} == {written}


@given(st.lists(values, min_size=1), st.lists(values, min_size=1), st.integers(1, 3), st.integers(1, 3))
def test_two_different_sets_never_look_the_same(one, other, braces, more):
    assert (set_text(one, braces) == set_text(other, more)) == ((one, braces) == (other, more))
