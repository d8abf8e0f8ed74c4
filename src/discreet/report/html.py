"""Reports as pages: no script, no font, no picture from elsewhere; they can be mailed, printed and archived."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.labels.figures import chance, epsilon_text, number, percent
from discreet.policy.kinds import PUBLICATIONS
from discreet.report import charts
from discreet.report.board import board
from discreet.report.data import ReportData
from discreet.report.kinds import fate, glossary
from discreet.report.made import facts_in_words, searched, settings_in_words
from discreet.report.release import ReleaseData
from discreet.report.sections.coarser import EXACTNESS
from discreet.report.sections.presence_charts import confidences, presences
from discreet.report.sections.registry import CUSTODIAN, RELEASE, SECTIONS
from discreet.report.sections.risks import ONE_ROW
from discreet.report.text import became, checked_from, headline, so_many_people

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile("`([^`]+)`")


def release_page(data: ReleaseData) -> str:
    """The page that is published with a release. The same data give the same bytes."""
    return _page("release.html.j2", RELEASE, data)


def custodian_page(data: ReportData) -> str:
    """The page for the custodian and the privacy board, not for publication."""
    return _page("report.html.j2", CUSTODIAN, data)


def _page(template: str, page: str, data: ReleaseData) -> str:
    """A page with all of its sections that have something to tell."""
    from markupsafe import Markup

    common = _common(data, data if page == CUSTODIAN and isinstance(data, ReportData) else None)
    parts = []
    for word, figures in data.sections.items():
        section = SECTIONS[word]
        if figures and section.template and page in section.pages:
            parts.append(Markup(_template(section.template).render(figures=figures, **common)))
    return _template(template).render(sections=parts, **common)


def _common(data: ReleaseData, private: ReportData | None) -> dict[str, object]:
    return {
        "data": data,
        "became": became,
        "board": board(data, private),
        "exactness": EXACTNESS,
        "headline": headline(data),
        "apart": PUBLICATIONS[data.publish].exact,
        "by_rows": data.whose.by_rows,
        "checked_from": checked_from(data),
        "glossary": glossary(data.publish),
        "one_row": ONE_ROW,
        "private": private is not None,
        "made_at": moment(data.created),
        "fate": partial(fate, data.publish),
        "rounded_up": charts.rounded_up,
        "searched": searched,
        "settings_in_words": settings_in_words,
        "facts_in_words": facts_in_words,
        "so_many_people": so_many_people,
        "words": PUBLICATIONS[data.publish].words,
    }


def moment(stamp: str) -> str:
    """When a release was made, as people write it; a stamp of another form than ours as it is.

    >>> moment("2026-11-19T19:41:48+00:00"), moment("2026-11-19T19:41:48+02:00")
    ('2026-11-19 19:41 UTC', '2026-11-19T19:41:48+02:00')
    """
    return f"{stamp[:10]} {stamp[11:16]} UTC" if stamp[10:11] == "T" and stamp[19:] == "+00:00" else stamp


def page_environment() -> Environment:
    """What every page of ours is made in: user data escaped, nothing left undefined, figures for people."""
    # Here and not above: only a run that writes a page pays for loading it.
    from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

    # Compiled templates are kept where Python keeps compiled modules: a fifth of a second of every later run.
    kept = TEMPLATES.parent / "__pycache__"
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        bytecode_cache=FileSystemBytecodeCache(str(kept), "%s.jinja") if os.access(kept, os.W_OK) else None,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "number": number, "epsilon": epsilon_text, "chance": chance, "coded": coded}
    return made


def coded(text: str) -> str:
    """Our own sentence with the words of a policy set as such; all else is escaped.

    >>> print(coded("a larger `margin` of <age>"))
    a larger <code>margin</code> of &lt;age&gt;
    """
    from markupsafe import Markup, escape

    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


@cache
def _template(name: str) -> Template:
    """A page or section with holes, by its file or its own text. Made once: that takes longer than filling them."""
    environment = _report_environment()
    return environment.from_string(name) if "<" in name else environment.get_template(name)


@cache
def _report_environment() -> Environment:
    """What reports are made in: with our charts."""
    from markupsafe import Markup

    environment = page_environment()
    several = (charts.bar, charts.pair, charts.stack, charts.ladder, charts.scale, charts.histogram, charts.spread)
    for chart in (*several, presences, confidences):
        environment.globals[chart.__name__] = _trusted(chart, Markup)
    return environment


def _trusted(chart: Callable[..., str], markup: type[str]) -> Callable[..., str]:
    """A chart is markup made of numbers and our own words; it must not be escaped a second time."""
    return lambda *arguments: markup(chart(*arguments))
