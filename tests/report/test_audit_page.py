"""An audit as a page, as text and as JSON: everything told once, nothing that could run, nobody's values."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from discreet.audit import lines
from discreet.audit.audit import Audit, WhoseRows
from discreet.audit.lines import Deciding, Fault, Level, Line
from discreet.audit.reading.whose import PEOPLE
from discreet.labels.whose import Whose
from discreet.report.pages import audit_words as words
from discreet.report.pages.audit_page import alike, gauge, spread, to_html

LINE = Line(
    adversary="uniform_worlds",
    threat=lines.ASSOCIATION,
    title="knows only the release",
    knows="She finds the group. Nothing else.",
    assumes="All worlds are as likely.",
    worst=0.6,
    above=30,
    people=100,
    threshold=0.5,
    histogram=(0, 0, 0, 0, 10, 20, 20, 20, 30, 0, 0, 0),
    attribute="disease",
    deciding=Deciding(3, 12, 27, "data.csv", PEOPLE),
    details={"mean": 0.25},
    of=PEOPLE,
)
QUIET = replace(
    LINE, adversary="prosecutor", threat=lines.REIDENTIFICATION, worst=0.1, above=0, threshold=0.2, attribute=None
)
KEPT = Level(
    "k_anonymity",
    None,
    "people in the smallest group",
    lines.AT_LEAST,
    5.0,
    5.0,
    True,
    Deciding(1, 5, 2, "data.csv", PEOPLE),
)
BROKEN = replace(KEPT, achieved=3.0, holds=False)
FAULT = Fault("row_number", "data.csv: id", "numbers the rows", "leave it out", count=3, line=2)


def audit(*lines: Line, levels: tuple[Level, ...] = (), faults: tuple[Fault, ...] = ()) -> Audit:
    """An audit of a release of which it is said that every row is another person's."""
    notes, whose = ("Somebody else: give more.",), WhoseRows(Whose.ONE_EACH)
    return Audit("release", "generalization", True, 100, 10, 5, 3, lines, levels, faults, notes, whose=whose)


class Page(HTMLParser):
    """The words of a page, its tags, and whether all that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br", "rect", "line"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_tells_every_line_with_what_it_assumes() -> None:
    presence = replace(LINE, adversary="presence", threat=lines.PRESENCE, precision=lines.AT_MOST, attribute=None)
    text = to_html(audit(LINE, QUIET, presence, levels=(KEPT,), faults=(FAULT,)))
    page = Page(text)
    for told in ("Knows only the release: disease", "All worlds are as likely.", "12 people, line 27 of data.csv",
                 "30 of 100 people (30%)", "above the limit", "within the limit", "may be above",
                 "Who is in the table?",
                 "Which row is whose?", "Who has what?", "numbers the rows", "Somebody else: give more.",
                 "chance on average: 0.25", "k-anonymity: people in the smallest group"):  # fmt: skip
        assert told in page.words, told
    assert not page.open
    assert "script" not in page.tags
    assert "http" not in text.replace('http-equiv="Content', "")


def test_the_page_tells_grave_faults_from_signs_and_promised_limits_from_others() -> None:
    signs = (replace(FAULT, grave=False),) * 2
    assert "1 fault, 2 to be looked at" in Page(to_html(audit(LINE, faults=(FAULT, *signs)))).words
    assert "no faults, 2 to be looked at" in Page(to_html(audit(LINE, faults=signs))).words
    assert ", as promised" in Page(to_html(audit(replace(LINE, promised=LINE.threshold)))).words
    assert ", as promised" not in Page(to_html(audit(replace(LINE, promised=0.0)))).words


def test_the_same_audit_gives_the_same_page() -> None:
    assert to_html(audit(LINE, QUIET)) == to_html(audit(LINE, QUIET))


def test_names_from_the_files_are_escaped() -> None:
    odd = replace(LINE, attribute="<b>x</b>", deciding=Deciding(0, 1, 2, "<i>.csv"))
    text = to_html(replace(audit(odd), release="<script>", notes=("<u>",)))
    assert not {"script", "i", "u"} & {*Page(text).tags}
    assert "<b>x</b>" not in text


def test_of_another_tool_s_release_it_is_not_said_how_it_was_made() -> None:
    assert "at the same level" in Page(to_html(audit(LINE))).words
    theirs = Page(to_html(replace(audit(LINE), ours=False))).words
    assert "at the same level" not in theirs
    assert "another tool's" in theirs


def test_an_audit_without_lines_is_a_page_too() -> None:
    page = Page(to_html(audit()))
    assert "0 of 0" in page.words
    assert not page.open


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (audit(QUIET), "This release promises nothing that could be read again, no adversary is surer"),
        (audit(QUIET, levels=(KEPT,)), "No promise is broken, no adversary is surer of anybody than the limit allows."),
        (audit(LINE, levels=(KEPT,)), "No promise is broken, but 1 of 1 adversaries can be surer"),
        (audit(LINE, levels=(BROKEN,)), "This release does not keep its promises; 1 of 1"),
        (
            audit(QUIET, faults=(FAULT,)),
            "There is something in this release that must not be there; without it, no adversary",
        ),
        (audit(QUIET, levels=(KEPT,), faults=(replace(FAULT, grave=False),)), "No promise is broken, no adversary"),
        (audit(replace(LINE, promised=0.5), levels=(KEPT,)), "This release does not keep its promises"),
    ],
)
def test_the_headline_is_the_verdict(found: Audit, told: str) -> None:
    assert words.headline(found).startswith(told)
    assert words.headline(found) in Page(to_html(found)).words
    assert words.headline(found) in words.to_text(found)


def test_a_figure_says_in_what_sense_it_is_meant() -> None:
    told = [
        words.worst(replace(LINE, precision=p)) for p in (lines.EXACT, lines.AT_MOST, lines.AT_LEAST, lines.ESTIMATE)
    ]
    assert told == ["60%", "at most 60%", "at least 60%", "about 60%"]
    assert words.worst(replace(LINE, precision=lines.AT_LEAST, worst=1.0)) == "100%"
    assert words.worst(replace(LINE, precision=lines.AT_MOST, worst=0.0)) == "0%"


def test_a_bound_above_the_limit_need_not_be_reached() -> None:
    assert words.verdict(replace(LINE, precision=lines.AT_MOST)) == words.MAY_BE
    assert words.verdict(replace(LINE, precision=lines.AT_MOST, promised=0.5)) == words.MAY_BE
    assert words.verdict(replace(LINE, promised=0.5)) == words.BROKEN


def test_nobody_decides_where_nothing_is_learnt() -> None:
    assert words.decides(replace(LINE, worst=0.0)) == "–"
    assert words.decides(LINE, named=False) == "12 people, line 27"


def test_one_person_is_one_person_in_one_group() -> None:
    text = words.to_text(replace(audit(), people=1, groups=1, smallest_group=1))
    assert text.startswith("release: 1 person in 1 group (generalization), the smallest of 1")


def test_the_text_names_the_file_once_if_it_is_the_same() -> None:
    text = words.to_text(audit(LINE, QUIET, levels=(KEPT, BROKEN), faults=(FAULT, replace(FAULT, grave=False))))
    assert "deciding group (data.csv)" in text
    assert "12 people, line 27 " in text
    assert "BROKEN" in text
    assert "data.csv: id: numbers the rows, first in line 2; leave it out" in text
    assert text.index("Must not be in a release") < text.index("To be looked at") < text.index("Not asked")
    elsewhere = replace(QUIET, deciding=Deciding(0, 4, 9, "other.csv"))
    assert "12 people, line 27 of data.csv" in words.to_text(audit(LINE, elsewhere))


def test_the_json_has_everything_in_plain_values() -> None:
    told = json.loads(json.dumps(words.to_json(audit(LINE, levels=(BROKEN,), faults=(FAULT,)))))
    assert told["kept"] is False
    assert told["steps"] == list(lines.STEPS)
    [line] = told["lines"]
    assert (line["share_above"], line["breaks"], line["verdict"]) == (0.3, False, "above the limit")
    assert line["deciding"] == {"group": 3, "size": 12, "line": 27, "file": "data.csv", "of": "people"}
    assert told["levels"][0]["holds"] is False
    assert told["faults"][0]["fault"] == "row_number"


def test_json_has_no_infinity() -> None:
    endless = audit(LINE, levels=(replace(BROKEN, achieved=float("inf")),))
    assert json.dumps(words.to_json(endless), allow_nan=False)
    assert "∞" in words.to_text(endless)


def test_columns_above_the_limit_have_another_colour() -> None:
    drawn = spread(LINE)
    assert drawn.count('class="over"') == 4  # (50%, 70%], (70%, 90%], up to certainty, and that
    assert "above 50%, up to 70%: 30 people (30%)" in drawn
    assert 'class="over"' in gauge(LINE)
    assert 'class="over"' not in gauge(QUIET)


def test_adversaries_who_spread_people_alike_share_a_chart() -> None:
    same = replace(LINE, adversary="skew")
    other = replace(LINE, threshold=0.3)
    assert alike([LINE, same, other]) == [[LINE, same], [other]]
