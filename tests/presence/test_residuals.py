"""How far a table is from what its pairs say: boxes that part it, and the margin that they ask for."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from discreet.counts.frequency import FrequencySet
from discreet.models.presence.residuals import LEAST, boxes_of, measured_margin
from discreet.policy.policy import policy_from_words
from discreet.run.intake import take_in

EDGES = ((0, 1), (1, 2))


def table_of(columns: dict[str, list[str]]) -> FrequencySet:
    words = {
        "attributes": {name: {"role": "quasi_identifier"} for name in columns},
        "require": [{"k_anonymity": {"k": 2}}],
    }
    return take_in(policy_from_words(words), columns).frequency


def people(rows: int, together: bool) -> FrequencySet:
    """Three columns, two at a time independent; of the third the first two may decide."""
    draw = np.random.default_rng(4)
    a, b, c = (draw.integers(0, 2, rows) for _ in range(3))
    third = (a + b) % 2 if together else c
    return table_of({name: ["xy"[v] for v in column] for name, column in (("a", a), ("b", b), ("c", third))})


@pytest.mark.parametrize("together", [False, True])
def test_every_row_is_in_one_box_and_boxes_expect_enough(together: bool) -> None:
    table = people(2000, together)
    expected, rows = boxes_of(table, EDGES)
    assert rows.sum() == 2000 and expected.sum() == pytest.approx(2000)
    assert len(rows) > 4 and expected.min() >= LEAST


def test_where_pairs_tell_all_no_margin_is_asked_for() -> None:
    table = table_of({"a": ["x", "y"] * 500, "b": ["x", "y"] * 500, "c": ["z"] * 1000})
    assert measured_margin(table, EDGES, Fraction(99, 100), both=True) == 0


def test_where_three_columns_go_together_it_is_large() -> None:
    apart, together = (measured_margin(people(4000, t), EDGES, Fraction(3, 4), both=False) for t in (False, True))
    assert apart is not None and together is not None
    assert apart <= Fraction(1, 4) < 1 < together  # half of all combinations are had by nobody


def test_it_grows_with_confidence_and_is_told_in_twentieths() -> None:
    table = people(3000, False)
    margins = [measured_margin(table, EDGES, Fraction(c), both=True) for c in ("0.1", "0.5", "0.9", "1")]
    assert margins == sorted(margins, key=lambda m: m or 0)
    assert all(m is not None and (20 * m).denominator == 1 for m in margins)


def test_a_small_table_tells_nothing() -> None:
    assert measured_margin(people(LEAST, False), EDGES, Fraction(1, 2), both=False) is None


def test_as_many_boxes_for_any_number_of_rows() -> None:
    table = people(1000, False)
    many = replace(table, counts=table.counts * 1000)
    assert len(boxes_of(many, EDGES)[0]) <= 2000
