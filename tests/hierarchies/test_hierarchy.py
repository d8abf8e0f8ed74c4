import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Cuts, Dates, Flat, Intervals, Taxonomy

from .strategies import columns


def publishable(h):
    """Every range of leaves that a release may contain."""
    n = len(h.leaves)
    if h.ordered:
        return [(low, high) for low in range(n) for high in range(low, n)]
    nodes = {
        pair
        for level in range(h.height + 1)
        for pair in zip(h.first[level].tolist(), h.last[level].tolist(), strict=True)
    }
    return sorted(nodes)


@given(columns)
def test_one_published_text_never_stands_for_two_ranges(column):
    h = build("x", column[1], column[0])
    ranges = publishable(h)
    published = [h.label(low, high) for low, high in ranges]
    assert len(set(published)) == len(ranges)


@given(columns)
def test_only_everything_is_published_as_a_star(column):
    h = build("x", column[1], column[0])
    for low, high in publishable(h):
        whole = high - low + 1 == len(h.leaves)
        if len(h.leaves) > 1:
            assert (h.label(low, high) == "*") == whole


@given(columns)
def test_a_single_value_is_published_as_itself_unless_it_is_a_star(column):
    h = build("x", column[1], column[0])
    for leaf, value in enumerate(h.leaves):
        assert h.label(leaf, leaf) == value or value == "*"


@given(columns, st.data())
def test_the_cover_of_two_leaves_is_the_smallest_range_that_may_be_published(column, data):
    h = build("x", column[1], column[0])
    if not h.leaves:
        return
    low, high = sorted(data.draw(st.lists(st.integers(0, len(h.leaves) - 1), min_size=2, max_size=2)))
    first, last = h.cover(low, high)
    holding = [(a, b) for a, b in publishable(h) if a <= low and high <= b]
    assert (first, last) in holding
    assert last - first == min(b - a for a, b in holding)


@given(columns)
def test_a_node_is_published_under_its_name_if_that_means_nothing_else(column):
    h = build("x", column[1], column[0])
    nodes = [
        (name, int(h.first[level][code]), int(h.last[level][code]))
        for level in range(h.height)
        for code, name in enumerate(h.labels[level])
    ]
    for low, high in publishable(h):
        names = [name for name, *ends in nodes if ends == [low, high]]
        clear = [name for name in names if len({node for node in nodes if node[0] == name}) == 1]
        if clear and low < high and high - low + 1 < len(h.leaves):
            assert h.label(low, high) == clear[0]


def test_ranges_of_numbers_look_as_people_write_them():
    h = build("age", [str(n) for n in range(18, 66)], Intervals((10, 20)))
    assert h.label(h.index["20"], h.index["39"]) == "20-39"
    assert h.label(h.index["21"], h.index["38"]) == "21-38"
    assert h.label(h.index["18"], h.index["65"]) == "*"


def test_ends_with_a_dash_are_kept_apart():
    below = build("x", ["-5", "-3", "2", "9"], Cuts(((0,),)))
    assert below.label(0, 2) == "-5 to 2"
    assert below.label(0, 1) == "<0"
    days = build("x", ["2024-01-31", "2024-02-01", "2024-02-02"], Dates(("year",)))
    assert days.label(0, 1) == "2024-01-31 to 2024-02-01"


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        ("20", None, '{20-39, "", NULL}'),
        ("20", "", '{20-39, ""}'),
        ("39", None, '{39, "", NULL}'),
        ("", None, '{"", NULL}'),
        ("10", "39", "10-39"),
        ("10", None, "*"),
    ],
)
def test_a_range_of_numbers_with_null_is_a_set(first, last, text):
    h = build("age", ["10", "20", "25", "39", "", None], Intervals((20,)))
    assert h.label(h.index[first], h.index[last]) == text


def test_a_range_that_looks_like_a_node_but_holds_less_is_written_out():
    h = build("age", ["10", "20", "25", "39", "39.0"], Intervals((20,)))
    assert h.label(1, 4) == "20-39"
    assert h.label(1, 3) == "{20, 25, 39}"


def test_a_name_with_two_meanings_gives_way_to_the_set_of_its_leaves():
    h = build(
        "job", [], Taxonomy({"a": ("other", "other"), "b": ("other", "other"), "c": ("c", "other"), "d": ("D", "D")})
    )
    assert h.label(0, 1) == "{a, b}"
    assert h.label(0, 2) == "{a, b, c}"


def test_a_name_that_is_also_a_leaf_belongs_to_the_leaf():
    h = build("place", [], Taxonomy({"Rome": ("Italy",), "Italy": ("Italy",), "Paris": ("France",)}))
    assert h.label(h.index["Italy"], h.index["Italy"]) == "Italy"
    assert h.label(0, 1) == "{Rome, Italy}"


def test_a_value_that_looks_like_a_set_does_not_pass_for_one():
    h = build("x", [], Taxonomy({"a": ("{a, b}",), "b": ("{a, b}",), "{a, b}": ("c",), "d": ("c",)}))
    assert h.label(0, 1) == "{{a, b}}"
    assert h.label(2, 3) == "c"


def test_a_flat_hierarchy_is_itself_or_everything():
    h = build("x", ["a", "b", "c"], Flat())
    assert h.height == 1
    assert h.cover(0, 1) == (0, 2)
