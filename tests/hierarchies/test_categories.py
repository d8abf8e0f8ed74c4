import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat, Prefixes

from .strategies import plain_numbers, prefixes, texts


@given(prefixes, texts)
def test_a_masked_code_keeps_its_length_and_its_beginning(rule, code):
    for kept, name in zip(rule.lengths, rule.path(code), strict=True):
        assert len(name) == len(code)
        assert name[:kept] == code[:kept]
        assert set(name[kept:]) <= {"*"}


@given(prefixes, st.text("0123*", min_size=1, max_size=6), st.text("0123*", min_size=1, max_size=6))
def test_codes_meet_exactly_where_the_rest_is_masked(rule, one, other):
    for kept, a, b in zip(rule.lengths, rule.path(one), rule.path(other), strict=True):
        if "*" not in one + other:
            assert (a == b) == (one[:kept] == other[:kept] and len(one) == len(other))


def test_zip_codes_become_shorter():
    assert Prefixes((4, 3, 2)).path("47906") == ("4790*", "479**", "47***")


@pytest.mark.parametrize("lengths", [(), (0,), (2, 3), (3, 3), ("3",), (True,), "43", (2.0,)])
def test_lengths_that_can_not_be_meant_are_refused(lengths):
    with pytest.raises(HierarchyError, match=r"^prefixes: "):
        Prefixes(lengths)


@given(st.lists(plain_numbers, unique=True))
def test_flat_numbers_are_sorted_by_size(values):
    assert list(build("x", values, Flat()).leaves) == sorted(values, key=int)


def test_flat_texts_come_after_the_numbers_and_null_last():
    assert build("x", [None, "b", "10", "", "a", "9"], Flat()).leaves == ("9", "10", "a", "b", "", None)
