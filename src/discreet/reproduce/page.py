"""A reproduction as a page: the claims, then the comparison that they rest on."""

from __future__ import annotations

from discreet.report.compare_page import environment, headline, parts
from discreet.reproduce.claims import Reproduction


def to_html(r: Reproduction) -> str:
    """The whole page."""
    template = environment().get_template("reproduce.html.j2")
    return template.render(r=r, headline=headline(r.comparison), **parts(r.comparison))
