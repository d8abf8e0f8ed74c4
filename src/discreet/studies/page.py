"""A reproduction as a page: the claims, then the figures and the comparison that they rest on."""

from __future__ import annotations

from typing import Any

from discreet.report.pages.compare_page import environment, parts, what_was_compared
from discreet.studies.claims import Reproduction


def to_html(r: Reproduction) -> str:
    """The whole page."""
    compared: dict[str, Any] = {"headline": None}
    if r.comparison is not None:
        compared = {"headline": what_was_compared(r.comparison), **parts(r.comparison)}
    return environment().get_template("reproduce.html.j2").render(r=r, **compared)
