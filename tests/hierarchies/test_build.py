import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import EVERYTHING
from discreet.hierarchies.rules import Flat, Intervals, Prefixes, Taxonomy

from .strategies import columns


@given(columns)
def test_every_value_is_one_leaf(column):
    rule, values = column
    h = build("x", values, rule)
    assert len(set(h.leaves)) == len(h.leaves)
    assert set(h.leaves) == set(values) | set(rule.extra_leaves())


@given(columns)
def test_what_is_one_value_is_one_range_of_leaves(column):
    rule, values = column
    h = build("x", values, rule)
    for codes, names in zip(h.codes, h.labels, strict=True):
        assert (np.diff(codes) >= 0).all()
        assert sorted(set(codes.tolist())) == list(range(len(names)))
        assert len(set(names)) == len(names)


@given(columns)
def test_every_level_coarsens_the_one_before(column):
    rule, values = column
    h = build("x", values, rule)
    for fine, coarse in zip(h.codes, h.codes[1:], strict=False):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))
        # so `climb` takes the codes of any level to those of a coarser one
    for level, codes in enumerate(h.codes):
        assert h.climb(0, level).tolist() == codes.tolist()


@given(columns)
def test_the_top_is_one_value(column):
    h = build("x", column[1], column[0])
    if h.leaves:
        assert h.labels[-1] == (EVERYTHING,)
        assert set(h.codes[-1].tolist()) == {0}


@given(columns, st.randoms())
def test_the_order_of_the_values_makes_no_difference(column, random):
    rule, values = column
    shuffled = values + values[:3]
    random.shuffle(shuffled)
    one, other = build("x", values, rule), build("x", shuffled, rule)
    assert one.leaves == other.leaves
    assert one.labels == other.labels
    assert all((a == b).all() for a, b in zip(one.codes, other.codes, strict=True))


@given(columns)
def test_names_of_levels_are_those_of_the_rule(column):
    rule, values = column
    h = build("x", values, rule)
    for leaf, value in enumerate(h.leaves):
        for level, name in enumerate(rule.path(value), start=1):
            published = h.labels[level][h.codes[level][leaf]]
            assert published == name or name == EVERYTHING


@given(columns)
def test_a_part_is_never_published_as_everything(column):
    h = build("x", column[1], column[0])
    for level in range(h.height):
        for name, size in zip(h.labels[level], h.sizes(level), strict=True):
            assert name != EVERYTHING or size == len(h.leaves)


@given(columns)
def test_null_and_the_empty_string_have_branches_of_their_own_at_the_end(column):
    rule, values = column
    assume(not {None, ""} & set(rule.extra_leaves()))  # else they were placed by hand
    values = [*values, None, ""]
    h = build("x", values, rule)
    assert h.leaves[-2:] == ("", None)
    for value in ("", None):
        leaf = h.index[value]
        for level in range(h.height):
            code = h.codes[level][leaf]
            assert h.first[level][code] == h.last[level][code] == leaf
            assert h.labels[level][code] == value


def test_all_values_without_a_place_are_reported_at_once():
    with pytest.raises(HierarchyError) as caught:
        build("age", ["1", "x", "2.5", "y", None], Intervals((5,)))
    first, second = sorted(map(str, caught.value.mistakes))
    assert first.startswith("attributes.age.hierarchy: not a number: 'x', 'y';")
    assert second.startswith("attributes.age.hierarchy: not a whole number")
    assert "'2.5'" in second and second.endswith("add `decimals: true` to the hierarchy")


def test_only_ten_offenders_are_listed():
    with pytest.raises(HierarchyError, match="'wordj' and 15 more"):
        build("age", [f"word{chr(97 + i)}" for i in range(25)], Intervals((5,)))


def test_many_numbers_are_told_by_how_they_are_written():
    """The amounts themselves are people's."""
    amounts = [f"{n}.{n % 90 + 10}" for n in range(1000, 1025)]
    with pytest.raises(HierarchyError, match=r"25 values, written like '9999\.99' \(9 is any digit\)") as refused:
        build("cost", amounts, Intervals((5,)))
    assert not [amount for amount in amounts if amount in str(refused.value)]


def test_levels_that_do_not_nest_are_an_error():
    torn = Taxonomy({"a": ("A", "X"), "b": ("A", "Y"), "c": ("B", "Y")})
    with pytest.raises(HierarchyError, match=r"levels 1 and 2 don't nest; of level 1, more than one parent: 'A'"):
        build("letter", [], torn)


def test_no_value_at_all_gives_a_hierarchy_without_leaves():
    h = build("x", [], Flat())
    assert h.leaves == () and h.height == 1 and h.labels == ((), ())


def test_a_single_value_is_known_whatever_the_level():
    h = build("x", ["7"], Flat())
    assert h.sizes(0).tolist() == h.sizes(1).tolist() == [1]


def test_a_value_that_looks_like_everything_is_published_in_braces():
    h = build("x", ["*", "{*}", "a"], Prefixes((3,)))
    assert "*" in h.leaves
    assert set(h.labels[0]) == {"{{*}}", "{*}", "a"}
    assert set(h.labels[1]) == {"{{*}}", "{*}", "a"}
