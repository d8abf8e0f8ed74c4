"""What values are published as: against a pencil, and against the audit's own reading of the words."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.audit.reading.published_as import called, order_of
from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.intervals import Intervals
from discreet.hierarchies.labels import Labels
from discreet.hierarchies.published_as import PublishedAs, published_as

CENTS = st.integers(-100_000, 100_000).map(lambda n: f"{n / 100:.2f}")
WHOLE = st.integers(-5000, 5000).map(str)
WIDTHS = st.sampled_from([1, 2, 5, 7, 100, 0.5, 2.5, "0.05", 1000])


@st.composite
def numbers(draw: st.DrawFn) -> dict[str, Any]:
    """Intervals or cuts of numbers, with ends now and then."""
    if draw(st.booleans()):
        cuts = sorted(draw(st.sets(st.integers(-500, 500), min_size=1, max_size=6)))
        return {"cuts": [cuts]}
    words: dict[str, Any] = {"intervals": [draw(WIDTHS)]}
    if draw(st.booleans()):
        words["origin"] = draw(st.sampled_from([0, 1, -3, 0.5]))
    if draw(st.booleans()):
        words["top"] = draw(st.integers(50, 900))
    if draw(st.booleans()):
        words["bottom"] = draw(st.integers(-900, 40))
    return words


def level(words: Any) -> PublishedAs:
    return published_as(words, "attributes.cost.publish_as", Path())


@given(numbers(), st.lists(st.one_of(CENTS, WHOLE, st.just(None), st.just("")), min_size=1))
@example({"intervals": [100], "bottom": 50}, ["50", "50.01", "99.99", "100"])
@example({"intervals": ["0.05"]}, ["0.05", "0.1", "0.15", "-0.05"])
def test_the_audit_reads_the_words_alike(words: dict[str, Any], values: list[str | None]) -> None:
    published = level(words)
    told = published.to_words()
    assert isinstance(told, dict)
    labels = published.labels(values, "here")
    assert called(told, values) == {value: label for value, label in labels.items() if label != value}
    texts = [label for label in set(labels.values()) if label]
    rule = published.hierarchy(None)
    assert sorted(texts, key=rule.order) == sorted(texts, key=lambda text: order_of(text) or ())
    # The order of labels is that of the values they stand for.
    ranked = sorted((value for value in values if value), key=Fraction)
    places = {label: i for i, label in enumerate(sorted(texts, key=rule.order))}
    assert [places[labels[value]] for value in ranked] == sorted(places[labels[value]] for value in ranked)


@given(st.integers(1, 500), st.lists(CENTS, min_size=1))
def test_intervals_are_those_of_a_pencil(width: int, values: list[str]) -> None:
    for value, label in level({"intervals": [width]}).labels(values, "here").items():
        low = Fraction(value) // width * width
        assert label == f"[{low}, {low + width})"


@given(
    st.sampled_from(["day", "month", "quarter", "year", "decade"]),
    st.lists(st.one_of(st.dates().map(str), st.datetimes().map(lambda d: str(d.replace(microsecond=0))))),
)
def test_dates_are_read_alike(unit: str, values: list[str]) -> None:
    published = level({"dates": [unit]})
    labels = published.labels(values, "here")
    assert called({"dates": [unit]}, values) == {value: label for value, label in labels.items() if label != value}
    above = Labels(Dates((unit,)), Dates(("decade",)))
    for value, label in labels.items():
        assert above.path(label) == Dates(("decade",)).path(value)
    assert sorted(set(labels.values()), key=above.order) == list(dict.fromkeys(labels[v] for v in sorted(labels)))


@given(st.integers(1, 5), st.lists(st.text(max_size=7)))
def test_prefixes_are_read_alike(length: int, values: list[str]) -> None:
    labels = level({"prefixes": [length]}).labels(values, "here")
    told = called({"prefixes": [length]}, values)
    assert told == {value: label for value, label in labels.items() if label != value}


@pytest.mark.parametrize("which", [1, 2])
def test_a_level_of_a_taxonomy_and_what_lies_above(which: int) -> None:
    rows = [["I21", "I20-I25", "heart"], ["I22", "I20-I25", "heart"], ["J10", "J09-J18", "lungs"], ["", "?", "?"]]
    published = level({"taxonomy": rows, "level": which})
    values = ["I21", "J10", "", None]
    assert [published.label(value) for value in values] == [[r[which] for r in rows][i] for i in (0, 2, 3, 3)]
    told = published.to_words()
    assert isinstance(told, dict)
    assert called(told, values) == {value: published.label(value) for value in values}
    above = build("icd", [published.label(v) for v in values], published.hierarchy(None))
    assert above.height == 3 - which


@given(st.lists(CENTS, min_size=1), st.sampled_from([(10, (20, 40)), (5, (15,)), (100, (1000,))]))
def test_levels_above_labels_are_those_of_the_values(values: list[str], widths: tuple[int, tuple[int, ...]]) -> None:
    published, coarse = level({"intervals": [widths[0]]}), Intervals(widths[1])
    above = published.hierarchy(coarse)
    labels = published.labels(values, "here")
    assert published.nesting_mistakes(labels, above, "here") == []
    for value, label in labels.items():
        assert above.path(label) == Intervals(widths[1], decimals=True).path(value)


def test_levels_that_cut_a_label_in_two_are_a_mistake() -> None:
    published = level({"intervals": [10]})
    labels = published.labels(["3", "7"], "here")
    [mistake] = published.nesting_mistakes(labels, published.hierarchy(Intervals((5,))), "here")
    assert "[0, 10)" in mistake.rule


def test_rules_may_be_given_in_python() -> None:
    assert level(Intervals((10,))).label("37") == "30-39"
    with pytest.raises(HierarchyError, match="has 2 levels"):
        level(Intervals((10, 20)))
