"""Figures of a reproduction: the drawing, the table and the JSON tell the same numbers."""

from __future__ import annotations

import json

import pytest

from discreet.report.line_chart import line_chart
from discreet.studies.claims import Claim, Reproduction, to_json, to_text
from discreet.studies.figures import Figure, Series
from discreet.studies.page import to_html


def figure(*values: float | None, unit: str = "number") -> Figure:
    places = tuple(str(i) for i in range(len(values)))
    return Figure("Error <1>", "QI size", places, "mean error", (Series("A & B", values),), "A caption.", unit)  # type: ignore[arg-type]


def reproduction(*figures: Figure) -> Reproduction:
    claims = (Claim("section 5", "it grows", "it does", True), Claim("section 5", "it falls", "it does not", False))
    words = (("group", "rows that look alike"),)
    return Reproduction("A paper", "data", False, claims, 1.0, figures, ("no <b>salary</b>",), words)


def test_every_number_is_in_the_drawing_the_table_and_the_json() -> None:
    drawn = figure(0.25, None, 0.75)
    chart = line_chart(*drawn.chart())
    assert chart.count("<circle") == 2
    assert "A &amp; B, QI size 2: 0.75" in chart
    assert drawn.table() == [("0", ["0.25"]), ("1", ["–"]), ("2", ["0.75"])]
    assert drawn.to_json()["series"] == {"A & B": [0.25, None, 0.75]}


def test_a_line_may_keep_its_colour_from_figure_to_figure() -> None:
    series = (Series("one", (1.0,)), Series("two", (2.0,), colour=5))
    lines, _, _ = Figure("Time", "rows", ("10k",), "seconds", series, "").chart()
    assert [line.number for line in lines] == [0, 5]


@pytest.mark.parametrize("values", [(0.0, 0.0), (0.0004, 0.0009), (3.0, 99.0), (1.0, 1.0), (None, None), (0.0, 1e6)])
def test_the_axis_reaches_every_value_in_a_few_round_steps(values: tuple[float | None, ...]) -> None:
    _, _, up = figure(*values).chart()
    found = [v for v in values if v is not None]
    assert up.low <= min(found, default=0)
    assert up.high >= max(found, default=0)
    assert 2 <= len(up.ticks) <= 7


def test_values_of_very_different_size_are_drawn_by_factors() -> None:
    _, _, up = figure(0.02, 40.0, unit="seconds").chart()
    assert up.powers
    assert [text for _, text in up.ticks] == ["0.01", "0.1", "1", "10", "100"]
    assert not figure(0.0, 40.0).chart()[2].powers


def test_a_reproduction_without_a_lattice_has_claims_then_figures_then_what_was_done_otherwise() -> None:
    page = to_html(reproduction(figure(0.25, 0.75)))
    order = [
        page.index(words) for words in ("it falls", "Error &lt;1&gt;", "no &lt;b&gt;salary", "rows that look alike")
    ]
    assert order == sorted(order)
    assert "1 of 2 claims hold" in page
    assert "<script" not in page
    text = to_text(reproduction(figure(0.25, 0.75)))
    assert "- no <b>salary</b>" in text
    told = json.loads(json.dumps(to_json(reproduction(figure(0.25, None))), allow_nan=False))
    assert "comparison" not in told
    assert told["figures"][0]["series"] == {"A & B": [0.25, None]}
