import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.numbers import parse
from discreet.hierarchies.rules import Cuts, Intervals

from .strategies import decimals, intervals, number_columns, plain_numbers, spellings

_END = r"-?[0-9]+(?:\.[0-9]+)?"


def holds(name: str, value: str) -> bool:
    """Is the number in the interval that a reader takes from its name?"""
    x = Fraction(Decimal(value.strip()))
    if bound := re.fullmatch(f"(<=|>=|<)({_END})", name):
        end = Fraction(bound[2])
        return {"<=": x <= end, ">=": x >= end, "<": x < end}[bound[1]]
    if half_open := re.fullmatch(rf"([\[(])({_END}), ({_END})\)", name):
        low, high = Fraction(half_open[2]), Fraction(half_open[3])
        return low <= x < high and (half_open[1] == "[" or x > low)
    if closed := re.fullmatch(f"({_END})(?:-| to )({_END})", name):
        return Fraction(closed[1]) <= x <= Fraction(closed[2])
    return Fraction(name) == x


@given(number_columns)
def test_a_number_is_in_the_interval_it_becomes_and_in_no_other(column):
    rule, values = column
    h = build("x", values, rule)
    for level in range(1, h.height):
        for name in h.labels[level]:
            if name:
                inside = {v for v in h.leaves if v and holds(name, v)}
                assert inside == {v for v in h.leaves if v and rule.path(v)[level - 1] == name}


@given(number_columns)
def test_leaves_are_in_the_order_of_their_numbers(column):
    h = build("x", column[1], column[0])
    numbers = [Decimal(v.strip()) for v in h.leaves if v]
    assert numbers == sorted(numbers)


@given(intervals(), st.integers(1, 3))
def test_a_boundary_belongs_to_the_interval_above_it(rule, i):
    boundary = rule.origin + i * rule.widths[0]
    assume(rule.top is None or boundary < rule.top)
    assume(rule.bottom is None or boundary > rule.bottom)
    name = rule.path(str(boundary))[0]
    assert holds(name, str(boundary))
    assert not holds(name, str(boundary - Decimal("0.001")))


def test_tenths_do_not_slip_over_their_boundaries():
    rule = Intervals((0.1, 0.3))
    assert rule.path("0.3") == ("[0.3, 0.4)", "[0.3, 0.6)")
    assert rule.path("0.7") == ("[0.7, 0.8)", "[0.6, 0.9)")
    assert rule.path("0.2999999999999999999999999999999999999999") == ("[0.2, 0.3)", "[0, 0.3)")


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("37", ("35-39", "20-39")),
        ("0", ("0-4", "0-19")),
        ("-1", ("-5 to -1", "-20 to -1")),
        ("-20", ("-20 to -16", "-20 to -1")),
        (" 42", ("40-44", "40-59")),
        ("042", ("40-44", "40-59")),
        ("+5", ("5-9", "0-19")),
        ("1e3", ("1000-1004", "1000-1019")),
        ("5.0", ("5-9", "0-19")),
        ("1e999", ("1" + "0" * 999 + "-1" + "0" * 998 + "4", "1" + "0" * 999 + "-1" + "0" * 997 + "19")),
        (None, (None, None)),
        ("", ("", "")),
    ],
)
def test_whole_numbers_are_written_with_the_last_one_that_belongs(value, path):
    assert Intervals((5, 20)).path(value) == path


def test_intervals_of_one_number_are_that_number():
    assert Intervals((1, 2)).path("7") == ("7", "6-7")


def test_intervals_end_at_bottom_and_top():
    rule = Intervals((20, 40), bottom=10, top=90)
    assert rule.path("10") == ("<=10", "<=10")
    assert rule.path("11") == ("11-19", "11-39")
    assert rule.path("89") == ("80-89", "80-89")
    assert rule.path("90") == (">=90", ">=90")
    decimal = Intervals((20,), bottom=10, top=90, decimals=True)
    assert decimal.path("10.5") == ("(10, 20)",) and decimal.path("85") == ("[80, 90)",)


def test_intervals_count_from_their_origin():
    assert Intervals((10, 20), origin=5).path("4") == ("-5 to 4", "-15 to 4")


@pytest.mark.parametrize("text", ["x", "1,000", "nan", "inf", "0x1f", "1_000", "٣", "1e9999", "--5", "9" * 101, "."])
def test_what_is_no_number_has_no_place(text):
    assert parse(text) is None
    with pytest.raises(HierarchyError, match="not a number"):
        Intervals((5,)).path(text)


@given(spellings | decimals)
def test_a_number_means_what_it_means_elsewhere(text):
    assert Fraction(parse(text)) == Fraction(Decimal(text.strip()))


@given(plain_numbers)
def test_two_texts_of_one_number_are_neighbours(text):
    h = build("x", [text, text + ".0", "61", "-61", text + "e0"], Intervals((5,)))
    places = sorted(h.index[t] for t in (text, text + ".0", text + "e0"))
    assert places == [1, 2, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"widths": (5, 12)}, "intervals of width 5 don't nest in intervals of width 12"),
        ({"widths": (0.5, 1.2)}, "width 0.5 don't nest in intervals of width 1.2"),
        ({"widths": (10, 5)}, "width 10 don't nest"),
        ({"widths": (5, 5)}, "width 5 don't nest"),
        ({"widths": (0,)}, "a width must be above 0, got 0"),
        ({"widths": ()}, "one or more numbers"),
        ({"widths": "5"}, "one or more numbers"),
        ({"widths": (5, "x")}, "intervals: not a number: 'x'"),
        ({"widths": (5, True)}, "not a number: true"),
        ({"widths": (5,), "origin": "here"}, "origin: not a number: 'here'"),
        ({"widths": (5,), "bottom": 9, "top": 9}, "top: must be above bottom, got 9 where bottom is 9"),
        ({"widths": (5,), "top": float("inf")}, "top: not a number: inf"),
    ],
)
def test_intervals_that_can_not_be_meant_are_refused(given, message):
    with pytest.raises(HierarchyError, match=message):
        Intervals(**given)


def test_all_mistakes_of_the_intervals_are_told_at_once():
    with pytest.raises(HierarchyError) as caught:
        Intervals((5, 12, "x"), origin="y", bottom=3, top=1)
    assert [m.place for m in caught.value.mistakes] == ["intervals", "origin", "intervals", "top"]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ((), "cut points for each level"),
        (((),), r"cuts\[0\]: needs a list"),
        (((3, 1),), r"cuts\[0\]: cut points must increase"),
        (((1, 3), (2,)), r"cuts\[1\]: doesn't nest in the level before, which is not cut at 2"),
        (((1, 3), (1, 3)), r"cuts\[1\]: is the same as the level before"),
        (((1, "x"),), "not a number: 'x'"),
    ],
)
def test_cuts_that_do_not_nest_are_refused(levels, message):
    with pytest.raises(HierarchyError, match=message):
        Cuts(levels)


def test_cuts_leave_the_ends_open():
    rule = Cuts(((18, 19, 65), (65,)))
    assert [rule.path(v) for v in ("3", "18", "19", "64", "65")] == [
        ("<18", "<65"),
        ("18", "<65"),
        ("19-64", "<65"),
        ("19-64", "<65"),
        (">=65", ">=65"),
    ]
