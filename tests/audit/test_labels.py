"""What published values say, whoever wrote them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.reading.labels import (
    Anything,
    Between,
    Exactly,
    OneOf,
    Prefix,
    Values,
    coverage,
    covers,
    meet,
    moment,
    overlap,
)
from discreet.audit.reading.texts import Column, column_of, labels_of, parse


def day(text):
    return moment(text)[0]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("[20-39]", Between(20, 39)),
        ("[20, 40)", Between(20, 40, high_included=False)),
        ("(20,40]", Between(20, 40, low_included=False)),
        ("[20, 40[", Between(20, 40, high_included=False)),
        ("]20;40]", Between(20, 40, low_included=False)),
        ("[20.0, 40.0)", Between(20, 40, high_included=False)),
        ("(-inf, 20]", Between(None, 20, low_included=False)),
        ("[60, ∞)", Between(60, None, high_included=False)),
        ("20-39", Between(20, 39)),
        ("20 – 39", Between(20, 39)),
        ("-5 to -1", Between(-5, -1)),
        ("-5--1", Between(-5, -1)),
        ("-2.5-3.75", Between(-2.5, 3.75)),
        ("20..39", Between(20, 39)),
        ("20~39", Between(20, 39)),
        (">=60", Between(60, None)),
        ("≥ 60", Between(60, None)),
        (">60", Between(60, None, low_included=False)),
        ("<20", Between(None, 20, high_included=False)),
        ("<=10.5", Between(None, 10.5)),
        ("60+", Between(60, None)),
        ("{a, b}", OneOf(frozenset({"a", "b"}), "{a, b}")),
        ("{20, 25}", OneOf(frozenset({"20", "25"}), "{20, 25}")),
        ('{"a, b", "", NULL, "NULL"}', OneOf(frozenset({"a, b", "", None, "NULL"}), '{"a, b", "", NULL, "NULL"}')),
        ("{{a, b}}", OneOf(frozenset({"a", "b"}), "{{a, b}}")),
        ("{20-39, NULL}", OneOf(frozenset({None}), "{20-39, NULL}", (Between(20, 39),))),
        ("{'a', 'b'}", OneOf(frozenset({"a", "b"}), "{'a', 'b'}")),
        ("['Private,State-gov']", OneOf(frozenset({"Private", "State-gov"}), "['Private,State-gov']")),
        ("[Private, State-gov]", OneOf(frozenset({"Private", "State-gov"}), "[Private, State-gov]")),
        ("a~b~c", OneOf(frozenset({"a", "b", "c"}), "a~b~c")),
        ("479**", Prefix("479", 5)),
        ("4790-****", Prefix("4790-", 9)),
        ("4*906", Prefix("4", 5, "4*906")),
        ("*", Anything()),
        ("*****", Anything()),
        ("", Exactly("")),
        (None, Exactly(None)),
        ("2020-01-05", Exactly("2020-01-05")),
        ("A-12", Exactly("A-12")),
        ("40-20", Exactly("40-20")),
        (">50K", Exactly(">50K")),
        ("O+", Exactly("O+")),
        ("{}", Exactly("{}")),
        ("(a, b)", Exactly("(a, b)")),
        ("[2020-01-01, 2020-12-31]", Between(day("2020-01-01"), day("2021-01-01"), True, False, True)),
        ("2019-12-30 to 2020-01-02", Between(day("2019-12-30"), day("2020-01-03"), True, False, True)),
        ("<=2020-01-01", Between(None, day("2020-01-02"), True, False, True)),
    ],
)
def test_a_text_says_the_same_whoever_wrote_it(text, label):
    assert parse(text) == label


@pytest.mark.parametrize("codes", [["A-12", "12-30"], ["555-1234", "555-0123"], ["12-30", "40-3"], ["2020-01-05"]])
def test_codes_with_dashes_are_exact(codes):
    assert labels_of(codes) == tuple(map(Exactly, codes))


def test_digits_and_digits_are_intervals_among_numbers_words_and_stars():
    texts = ["20-39", "17", ">=90", "*", None, "", "unknown", "00-04"]
    found = labels_of(texts)
    assert found[:4] == (Between(20, 39), Exactly("17"), Between(90, None), Anything())
    assert found[4:] == (Exactly(None), Exactly(""), Exactly("unknown"), Between(0, 4))


def test_what_the_description_says_goes_before_what_texts_look_like():
    assert labels_of(["20-39"], column_of(["20-39"], "exact")) == (Exactly("20-39"),)
    assert labels_of(["555-1234", "A-1"], column_of(["555-1234", "A-1"], "interval"))[0] == Between(555, 1234)
    assert labels_of(["Smith, John"], column_of(["Smith, John"], "set"))[0].values == {"Smith", "John"}
    assert labels_of(["none"], column_of(["none"], suppressed="none")) == (Anything(),)


def test_commas_join_sets_unless_they_are_part_of_names():
    assert labels_of(["a,b", "a"])[0] == OneOf(frozenset({"a", "b"}), "a,b")
    assert labels_of(["Washington, DC", "Portland, OR"]) == (Exactly("Washington, DC"), Exactly("Portland, OR"))
    assert labels_of(["1,234", "12"])[0] == Exactly("1,234")
    assert labels_of(["a, b", "a", "b"])[0] == OneOf(frozenset({"a", "b"}), "a, b")


def test_our_own_sets_have_braces_and_quoted_members_are_values():
    texts = ["a,b", "['a', 'b']", "a~b", '{"{a, b}", "20-39", 5-7}']
    found = labels_of(texts, column_of(texts, "interval", ours=True))
    assert found[:3] == (Exactly("a,b"), Exactly("['a', 'b']"), Exactly("a~b"))
    assert parse("{*}", column_of(["{*}"], "exact", ours=True)) == Exactly("*")
    assert (found[3].values, found[3].ranges) == ({"{a, b}", "20-39"}, (Between(5, 7),))


def test_values_of_our_own_releases_are_not_taken_for_intervals_sets_or_prefixes():
    values = ["20-39", "5+", ">=60", "4*", "**", "{a,b}", "{a}", "2024-03", "{a, b}", "{*}"]
    found = labels_of([*values, "{{a, b}}", "{{*}}", "*"], column_of([*values, "{{a, b}}", "{{*}}"], "set", ours=True))
    assert found[:-3] == tuple(Exactly(value) for value in values)
    assert found[-3:] == (OneOf(frozenset({"a", "b"}), "{{a, b}}"), Exactly("*"), Anything())
    codes = ["5+", "[1, 2]", "4*9", "4*9*"]
    assert labels_of(codes, column_of(codes, "prefix", ours=True)) == (*map(Exactly, codes[:3]), Prefix("4*9", 4))


def test_a_value_of_our_own_releases_is_not_taken_for_the_name_of_others():
    paths = [("X", "p", "*"), ("a", "X", "*"), ("b", "X", "*"), ("c", "A", "*"), ("d", "A", "*")]
    texts = ["X", "{X, c}", "A"]
    found = labels_of(texts, column_of(texts, paths=paths, ours=True))
    assert found == (Exactly("X"), OneOf(frozenset("Xc"), "{X, c}"), OneOf(frozenset("cd"), "A"))
    theirs = labels_of(texts, column_of(texts, paths=paths))
    assert theirs[0] == OneOf(frozenset("Xab"), "X")


def test_one_star_is_one_character_only_where_all_values_are_as_long():
    assert labels_of(["4790*", "12345"])[0] == Prefix("4790", 5)
    assert labels_of(["4790*", "12*"])[0] == Prefix("4790")
    assert labels_of(["4790*", "12*"], column_of(["4790*", "12*"], "prefix"))[0] == Prefix("4790", 5)


def test_stars_tell_the_length_only_if_they_differ():
    assert labels_of(["*****", "47***"])[0] == Anything()
    assert labels_of(["*****", "****"]) == (Prefix("", 5), Prefix("", 4))


def test_months_quarters_and_decades_of_dates():
    found = labels_of(["2024-03", "2024-Q1", "2024", "1980-1989", "2024-03-05"])
    values = Values(["2024-03-31 23:59", "2024-02-01", "2024-12-31", "31.12.1989", "2024-03-05", "x"])
    assert coverage(found, values).astype(int).tolist() == [
        [1, 0, 0, 0, 1, 0],
        [1, 1, 0, 0, 1, 0],
        [1, 1, 1, 0, 1, 0],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1, 0],
    ]
    whole = labels_of(["2024-03-05"], column_of(["2024-03-05"], "date", days=True))
    assert covers(whole[0], ["2024-03-05 10:30", "2024-03-06"]).tolist() == [True, False]


PATHS = (("Spain", "Europe"), ("France", "Europe"), ("Peru", "America"), (None, "unknown"))


def test_names_stand_for_what_the_hierarchy_tells():
    column = column_of(["Europe", "Peru", "{Europe, Peru}"], paths=PATHS)
    assert parse("Europe", column) == OneOf(frozenset({"Spain", "France"}), "Europe")
    assert parse("Peru", column) == Exactly("Peru")
    assert parse("unknown", column) == OneOf(frozenset({None}), "unknown")
    assert parse("{Europe, Peru}", column).values == {"Spain", "France", "Peru"}


def test_a_name_of_two_levels_is_read_on_the_published_one():
    paths = (("a", "x", "x"), ("b", "y", "x"))
    assert parse("x", column_of(["x"], paths=paths)) == OneOf(frozenset({"a"}), "x")  # every label is of level 1
    assert parse("x", column_of(["x"], paths=paths, level=2)) == OneOf(frozenset({"a", "b"}), "x")
    assert parse("x", column_of(["x", "b"], paths=paths)) == OneOf(frozenset({"a", "b"}), "x")


def test_an_interval_of_a_hierarchy_covers_numbers_that_it_does_not_list():
    paths = tuple((str(age), "[20, 40)" if age < 40 else "[40, 60)") for age in (20, 25, 39, 41))
    assert parse("[20, 40)", column_of(["[20, 40)"], paths=paths)) == Between(20, 40, high_included=False)
    strange = (("10", "[20, 40)"), ("25", "[20, 40)"))
    assert parse("[20, 40)", column_of(["[20, 40)"], paths=strange)).values == {"10", "25"}


def test_numbers_are_equal_however_they_are_written_but_codes_are_not():
    assert covers(Exactly("37"), ["37.0", "37", "037"]).tolist() == [True, True, False]
    assert covers(Exactly("037"), ["37", "037"]).tolist() == [False, True]
    assert covers(OneOf(frozenset({"1", "x"})), ["1.0", "x", "y", None]).tolist() == [True, True, False, False]


TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "ab", "10", "15", "20", "20.5", "010", "2020-01-05"]))
ENDS = st.one_of(st.none(), st.sampled_from([9.0, 10.0, 15.0, 20.0, 30.0]))
RANGES = st.builds(Between, ENDS, ENDS, st.booleans(), st.booleans())
LABELS = st.one_of(
    st.builds(Exactly, TEXTS),
    RANGES,
    st.builds(lambda values, ranges: OneOf(frozenset(values), "", tuple(ranges)), st.lists(TEXTS), st.lists(RANGES)),
    st.builds(Prefix, st.sampled_from(["", "a", "1"]), st.sampled_from([None, 1, 2, 3])),
    st.just(Anything()),
)


@given(LABELS, LABELS, st.lists(TEXTS))
def test_what_both_labels_cover_is_covered_by_their_meet_and_overlaps(a, b, values):
    both = covers(a, values) & covers(b, values)
    met = meet(a, b)
    assert (met is not None) == overlap(a, b) == overlap(b, a)
    if met is None:
        assert not both.any()
    else:
        assert not np.any(both & ~covers(met, values))
        if not (isinstance(a, Prefix | OneOf) or isinstance(b, Prefix | OneOf)):
            assert (covers(met, values) == both).all()


@given(st.lists(TEXTS), st.lists(LABELS))
def test_coverage_is_covers_label_by_label(values, labels):
    assert coverage(labels, values).tolist() == [covers(x, values).tolist() for x in labels]


@given(st.integers(-99, 99), st.integers(0, 50), st.integers(-120, 160))
def test_whole_numbers_between_the_ends_and_no_others_are_covered(low, width, value):
    text = f"{low} to {low + width}" if low < 0 else f"{low}-{low + width}"
    assert covers(parse(text, Column()), [str(value)])[0] == (low <= value <= low + width)


@given(st.lists(st.one_of(st.none(), st.text(max_size=8)), max_size=8))
def test_any_text_can_be_read(texts):
    for label in labels_of(texts):
        covers(label, texts)


@given(st.text("ab*", max_size=3), st.sampled_from([None, 0, 2, 3]), st.lists(st.one_of(st.none(), st.text("ab*\n"))))
def test_a_prefix_covers_what_begins_like_it_and_is_as_long(stem, length, values):
    expected = [v is not None and v.startswith(stem) and length in (None, len(v)) for v in values]
    assert covers(Prefix(stem, length), values).tolist() == expected
