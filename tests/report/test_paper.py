"""Reports on paper and on small screens: A4 with page numbers, nothing wider than the screen, no endless pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet.report.html import custodian_page, release_page
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


def test_every_page_is_numbered_and_says_for_whom_it_is() -> None:
    data = custodian(PLANS["generalized"], manifest(PLANS["generalized"], 5))
    ours, theirs = custodian_page(data), release_page(data)
    for text in (ours, theirs):
        assert 'content: "page " counter(page) " of " counter(pages)' in text
    assert "For the custodian, not for publication" in ours
    assert "For the custodian" not in theirs
