"""The people outside of a table: counted from a population or from marginals, or refused with a reason."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, Marginals
from discreet.counts.outside import (
    marginals_from,
    marginals_of,
    people_by_value,
    population_mistakes,
    population_of,
    strangers,
)
from discreet.engines.base import Frequencies
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat

Row = tuple[str | None, str | None]
_values = st.sampled_from(["a", "b", "", None])
_rows = st.lists(st.tuples(_values, _values), min_size=1, max_size=10)


def counted(rows: list[Row]) -> Frequencies:
    """What an engine would count."""
    combinations = Counter(rows)
    values = tuple(tuple(dict.fromkeys(row[d] for row in combinations)) for d in range(2))
    codes = tuple(np.array([values[d].index(row[d]) for row in combinations], dtype=np.int32) for d in range(2))
    return Frequencies(values, codes, np.array(list(combinations.values()), dtype=np.int64))


def coded(table: list[Row], population: list[Row]) -> tuple[FrequencySet, Any]:
    everybody = [*table, *population]
    hierarchies = [build("xy"[d], dict.fromkeys(row[d] for row in everybody), Flat()) for d in range(2)]
    return frequency_set(counted(table), hierarchies, {}), population_of(counted(population), hierarchies)


def by_leaf(frequency: FrequencySet, marginals: Marginals) -> list[dict[str | None, int]]:
    return [
        {leaf: int(n) for leaf, n in zip(h.leaves, counts, strict=True) if n}
        for h, counts in zip(frequency.hierarchies, marginals.counts, strict=True)
    ]


@given(_rows, _rows)
def test_strangers_are_rows_that_the_population_has_less_often(table: list[Row], population: list[Row]) -> None:
    frequency, people = coded(table, population)
    assert strangers(people, frequency) == (Counter(table) - Counter(population)).total()
    fits = not Counter(table) - Counter(population) and len(table) < len(population)
    assert fits == (not population_mistakes(people, frequency, "population"))


@given(_rows, _rows)
def test_marginals_of_a_population_are_those_of_everybody_else(table: list[Row], others: list[Row]) -> None:
    frequency, people = coded(table, [*table, *others])
    found = marginals_of(people, frequency)
    assert found.size == len(others)
    assert by_leaf(frequency, found) == [Counter(row[d] for row in others) for d in range(2)]
    assert all(possible.all() for possible in found.possible), "every leaf is somebody's"


@given(_rows, _rows)
def test_given_counts_say_the_same_as_the_population_they_were_counted_in(table: list[Row], others: list[Row]) -> None:
    population = [*table, *others]
    frequency, people = coded(table, population)
    numbers = {"xy"[d]: {v: Fraction(n) for v, n in Counter(row[d] for row in population).items()} for d in range(2)}
    everybody, wrong = people_by_value(numbers, len(population), ["x", "y"], "marginals")
    assert not wrong
    found, wrong = marginals_from(everybody, frequency, "marginals")
    assert not wrong
    expected = marginals_of(people, frequency)
    assert found.size == expected.size
    for d in range(2):
        assert (found.counts[d] == expected.counts[d]).all() and (found.possible[d] == expected.possible[d]).all()


def test_a_value_counted_for_nobody_is_not_possible() -> None:
    frequency, _ = coded([("a", "a")], [("b", "b")])
    found, wrong = marginals_from({"x": {"a": 3, "b": 0}, "y": {"a": 2, "b": 1}}, frequency, "marginals")
    assert not wrong
    assert [p.tolist() for p in found.possible] == [[True, False], [True, True]]
    assert [c.tolist() for c in found.counts] == [[2, 0], [1, 1]]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=6), st.integers(1, 5000))
def test_shares_become_whole_people_that_add_up_and_are_off_by_less_than_one(weights: list[int], size: int) -> None:
    shares: dict[str | None, Fraction] = {str(i): Fraction(w, sum(weights)) for i, w in enumerate(weights)}
    found, wrong = people_by_value({"x": shares}, size, ["x"], "marginals")
    assert not wrong
    assert sum(found["x"].values()) == size
    assert all(abs(n - shares[v] * size) < 1 for v, n in found["x"].items())


def test_rounded_shares_are_divided_by_their_sum() -> None:
    thirds: dict[str | None, Fraction] = {v: Fraction("0.333") for v in "abc"}
    assert people_by_value({"x": thirds}, 100, ["x"], "m") == ({"x": {"a": 34, "b": 33, "c": 33}}, [])


def told(numbers: Any, size: int | None = None, attributes: tuple[str, ...] = ("x",)) -> list[str]:
    exact = {name: {v: Fraction(str(n)) for v, n in given.items()} for name, given in numbers.items()}
    return [str(m) for m in people_by_value(exact, size, attributes, "m")[1]]


def test_everything_wrong_with_the_numbers_is_told_at_once() -> None:
    assert told({"x": {"a": 0.4, "b": 0.6}}) == [
        "m.x: are shares, and nobody says of how many people; add size: to the promise"
    ]
    assert told({"x": {"a": 0.4, "b": 0.5}}, 10) == [
        "m.x: must be shares that add up to 1, these add up to 0.9; give every value its share"
    ]
    assert told({"x": {"a": 0.4, "b": 5, None: 0.6}}, 10) == [
        "m.x: mixes counts and shares; not a whole number: that of 'a', NULL; give counts, or shares"
    ]
    assert told({"x": {"a": 2.5, "b": 5}}) == [
        "m.x: counts whole people; not a whole number: that of 'a'; give counts, or shares"
    ]
    assert told({"x": {"a": 10**13}}) == ["m.x: has more people than there are: 'a'; mend the counts"]
    assert told({"x": {"a": 4, "b": 5}}, 10) == ["m.x: adds up to 9 people, size says 10; mend one of them"]
    assert told({"x": {"a": 4}, "y": {"b": 1, "c": 2}}, None, ("x", "y")) == [
        "m: add up to different numbers of people: x 4, y 3; count the same people in each"
    ]
    assert told({"x": {"a": 0.5}, "agee": {"a": 2}}, 10, ("x", "age")) == [
        "m.agee: is not a quasi-identifier; did you mean 'age'?",
        "m.age: is missing: every quasi-identifier needs one; give its values with their counts",
        "m.x: must be shares that add up to 1, these add up to 0.5; give every value its share",
    ]


def test_a_table_that_does_not_fit_its_marginals_is_told_attribute_by_attribute() -> None:
    frequency, _ = coded([("a", "b"), ("a", ""), ("b", None)], [("a", "b")])
    wrong = marginals_from({"x": {"a": 1, "b": 4}, "y": {"b": 5}}, frequency, "m")[1]
    repair = "count everybody who could be in the table, with those who are, by values written as in the table"
    assert [str(m) for m in wrong] == [
        f"m.x: has fewer people than the table has rows: 'a' (1 people, 2 rows); {repair}",
        f"m.y: says nothing of '', NULL, which the table has; {repair}",
    ]


def test_long_lists_of_values_are_cut() -> None:
    table: list[Row] = [(str(i), "a") for i in range(12) for _ in range(2)]
    frequency, _ = coded(table, table)
    [mistake] = marginals_from({"x": {str(i): 1 for i in range(12)}, "y": {"a": 30}}, frequency, "m")[1]
    assert mistake.rule.count("1 people, 2 rows") == 10 and mistake.rule.endswith("and 2 more")
    [mistake] = marginals_from({"x": {"z": 30}, "y": {"a": 30}}, frequency, "m")[1]
    assert mistake.rule.count("'") == 20 and "and 2 more" in mistake.rule


def test_nobody_outside_of_the_table_is_a_mistake() -> None:
    frequency, _ = coded([("a", "a")], [("a", "a")])
    [mistake] = marginals_from({"x": {"a": 1}, "y": {"a": 1}}, frequency, "m")[1]
    assert str(mistake).startswith("m: are about 1 people, and the table alone has 1 rows; count everybody")
