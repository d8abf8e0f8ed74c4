"""Reports on paper and on small screens: A4 with page numbers, nothing wider than the screen, no endless pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from discreet.report.charts import Bar, Mark, bars
from discreet.report.html import TEMPLATES, custodian_page, release_page
from discreet.report.line_chart import Axis, Dot, Line, line_chart
from tests.report.examples import ambiguous, bucketized, custodian, frequencies, full_domain, manifest
from tests.report.patients import TABLE

MOST_PIXELS = 12_000  # of 60 columns; there were 25,819 for the custodian

# Sixty columns of which each has a few values.
ROWS = [tuple(str((i * (d + 3) + i // 7) % 4) for d in range(60)) for i in range(200)]
MANY = frequencies(ROWS, {f"question_{d}": {str(v): () for v in range(4)} for d in range(60)})
PLANS = {
    "many columns": full_domain(MANY, (1,) * 60, 2),
    "generalized": full_domain(TABLE, (1, 0), 5),
    "bucketized": bucketized(TABLE, 6, left_out=20),
    "ambiguous": ambiguous(TABLE, 6),
}


@pytest.mark.parametrize("kind", PLANS)
def test_nothing_is_wider_than_a_telephone_and_many_columns_fold(kind: str, browser: Any, tmp_path: Path) -> None:
    data = custodian(PLANS[kind], manifest(PLANS[kind], 5))
    for name, text in {"custodian": custodian_page(data), "release": release_page(data)}.items():
        place = tmp_path / f"{name}.html"
        place.write_text(text, encoding="utf-8")
        page = browser.new_page()
        page.goto(place.as_uri())
        assert page.evaluate("document.documentElement.lang") == "en"
        assert page.evaluate("document.documentElement.scrollHeight") < MOST_PIXELS
        page.set_viewport_size({"width": 400, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        paper = page.pdf(prefer_css_page_size=True)
        assert b"/MediaBox [0 0 595" in paper or b"/MediaBox [0 0 594" in paper  # A4, in points


@pytest.mark.parametrize("sheet", sorted(TEMPLATES.glob("*.css")), ids=lambda path: path.name)
def test_rules_of_a_style_stand_where_they_are_meant_to(sheet: Path) -> None:
    """A bracket that is missing, or one too many, makes browsers drop the rules around it, silently."""
    text, depth = re.sub(r"\{%.*?%\}", "", sheet.read_text(encoding="utf-8")), 0
    for bracket in re.findall("[{}]", text):
        depth += 1 if bracket == "{" else -1
        assert 0 <= depth <= 3, sheet.name
    assert depth == 0, sheet.name


def test_every_page_is_numbered_and_says_for_whom_it_is() -> None:
    data = custodian(PLANS["generalized"], manifest(PLANS["generalized"], 5))
    ours, theirs = custodian_page(data), release_page(data)
    for text in (ours, theirs):
        assert 'content: "page " counter(page) " of " counter(pages)' in text
    assert "For the custodian, not for publication" in ours
    assert "For the custodian" not in theirs


def test_a_mark_has_a_short_form_for_pages_without_room():
    chart = bars([Bar(0.0, 1.0, "100%", "all")], 3, [], [Mark(0.3, "k = 5, as asked: no group is smaller")], "rows", "")
    assert '<text class="mark full" x="6" y="15" text-anchor="start">k = 5, as asked: no group is smaller<' in chart
    assert '<text class="mark short" x="6" y="15" text-anchor="start">k = 5, as asked<' in chart
    assert "short" not in bars([], 3, [], [Mark(0.3, "limit 50%")], "rows", "")


def test_a_label_below_its_dot_keeps_off_the_axis():
    axis = Axis("loss", 0.0, 1.0, ((0.0, "0%"), (1.0, "100%")))
    for height, below in ((0.5, True), (0.01, False)):
        dot = Dot(0.5, height, "told", "asked for", below=True)
        chart = line_chart([Line("a", 0, (dot,))], axis, axis)
        found = re.search(r'cy="([\d.]+)".*class="dot" x="[^"]*" y="([\d.]+)"', chart)
        assert found and (float(found[2]) > float(found[1])) == below
