"""The report as one page: no script, no font, no picture from elsewhere; it can be mailed, printed and archived."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.report import charts
from discreet.report.coarser import EXACTNESS
from discreet.report.data import ReportData
from discreet.report.text import became, headline
from discreet.report.words import GLOSSARY, epsilon_text, number, percent

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"

ROLES = {
    "identifier": "never published",
    "quasi_identifier": "made coarser",
    "sensitive": "published as it is, protected by the groups",
    "other": "published as it is, protected by nothing",
}
KINDS = {
    "generalization": "generalization: every row of a column at the same level",
    "multidimensional": "multidimensional: each region of the data as coarse as it needs to be",
    "local_recoding": "local recoding: each group as coarse as it needs to be",
}


def to_html(data: ReportData) -> str:
    """The whole page. The same data give the same bytes."""
    return _template().render(
        data=data,
        headline=headline(data),
        became=became,
        exactness=EXACTNESS,
        glossary=GLOSSARY,
        roles=ROLES,
        kind=KINDS.get(data.publish, data.publish),
    )


def page_environment() -> Environment:
    """What every page of ours is made in: user data escaped, nothing left undefined, figures for people."""
    # Here and not above: only a run that writes a page pays for loading it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "number": number, "epsilon": epsilon_text}
    return made


@cache
def _template() -> Template:
    """The page with holes. Made once: that takes longer than filling them."""
    from markupsafe import Markup

    environment = page_environment()
    for chart in (charts.bar, charts.pair, charts.stack, charts.ladder, charts.histogram):
        environment.globals[chart.__name__] = _trusted(chart, Markup)
    return environment.get_template("report.html.j2")


def _trusted(chart: Callable[..., str], markup: type[str]) -> Callable[..., str]:
    """A chart is markup made of numbers and our own words; it must not be escaped a second time."""
    return lambda *arguments: markup(chart(*arguments))
