"""The report for a terminal and for machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from discreet.labels.figures import number, percent
from discreet.policy.kinds import PUBLICATIONS
from discreet.report.data import ReportData
from discreet.report.release import ReleaseData
from discreet.report.sections.answers import AnswerLine, Answers
from discreet.report.sections.coarser import Became
from discreet.report.sections.exact import Exact
from discreet.report.sections.registry import SECTIONS

MOST_ATTRIBUTES = 15
MOST_LETTERS = 32
MOST_LINES = 20  # of warnings, and of promises
VERDICTS = {True: "kept", False: "BROKEN", None: "not judged"}


def to_json(data: ReportData) -> dict[str, Any]:
    """The report as plain dicts, lists, numbers and words."""
    words: dict[str, Any] = asdict(data)
    sections: dict[str, Any] = words.pop("sections")
    return sections | words  # a section can't take the place of a figure of the report itself


def to_text(data: ReportData) -> str:
    """The report in a few lines."""
    lines = [headline(data)]
    lines += _few(f"  {'GRAVE' if one.grave else 'open'}: {one.sentence}" for one in data.warnings)
    # Of many that are kept, those that are not must not be among the ones left to the report.
    promises = (
        sorted(data.promises, key=lambda p: p.holds is True) if len(data.promises) > MOST_LINES else data.promises
    )
    lines += _few(f"  {p.name}: {VERDICTS[p.holds]} (asked {p.asked}, achieved {p.told})" for p in promises)
    lines.append(f"  {in_and_out(data)}")
    lines += [f"  {so_many_people(data)}"] if data.people is not None else []
    if data.groups:
        lines.append(
            f"  {data.groups:,} group{'s' * (data.groups != 1)}, the smallest with "
            f"{data.smallest_group:,} row{'s' * (data.smallest_group != 1)}, "
            f"{number(data.average_group or 0)} on average"
        )
    if data.exact is None:
        lines.append(f"  loss {percent(data.loss)} (0% unchanged, 100% all *)")
    elif data.published:
        lines.append(f"  {exact_values(data.exact, data.publish)}")
    told = data.attributes[:MOST_ATTRIBUTES] if data.published else ()
    names = [a.name if len(a.name) <= MOST_LETTERS else a.name[: MOST_LETTERS - 1] + "…" for a in told]
    width = max(map(len, names), default=0)
    for a, name in zip(told, names, strict=True):
        lines.append(f"    {name:<{width}}  {percent(a.loss):>6}  {became(a)}")
    if data.published and len(data.attributes) > MOST_ATTRIBUTES:
        lines.append(f"    and {len(data.attributes) - MOST_ATTRIBUTES} more in the report")
    if data.published and data.answers is not None and data.answers.typical is not None:
        lines.append(f"  {counting(data.answers, data.answers.typical)}")
    for word, figures in data.sections.items():
        lines += [f"  {line}" for line in SECTIONS[word].lines(figures)] if figures else []
    lines += [f"  note: {note}" for note in data.notes]
    return "\n".join(lines)


def checked_from(data: ReleaseData) -> str:
    """What whoever checks the promises again needs."""
    files = ["the files"] + ["the population around the table (--population)"] * data.needs_population
    if data.needs_source:
        return f"from {', '.join(files)} and, for what only the original table tells, that table (--source)"
    return f"from {' and '.join(files)}" + " alone" * (not data.needs_population)


def headline(data: ReleaseData) -> str:
    """The verdict in one sentence or two, which claims no more than was judged."""
    if data.kept is False:
        return "This release does not keep its promises. Do not publish it."
    useless = f"{data.of_no_use} The release is of little use. " if data.of_no_use else ""
    grave = any(one.grave for one in data.warnings if one.sentence != data.of_no_use)
    if data.kept is None:
        names = ", ".join(data.unjudged)
        unprotected = f" The promises leave {data.whose.people} unprotected." if grave else ""
        return f"{useless}Not judged by the release alone: {names}. Its publisher says it is kept.{unprotected}"
    if useless:
        return f"{useless}Its promises are kept."
    if grave:
        return f"This release keeps its promises, and they leave {data.whose.people} unprotected."
    return "This release keeps its promises."


def in_and_out(data: ReleaseData) -> str:
    """How many are in, and how many are out."""
    if not data.suppressed:
        return f"all {data.source:,} rows published, none suppressed"
    return (
        f"{data.published:,} of {data.source:,} rows published, {data.suppressed:,} suppressed "
        f"({percent(data.suppressed / max(data.source, 1))}; at most {data.limit:,} allowed)"
    )


def so_many_people(data: ReportData) -> str:
    """Whose the rows of the source are, where people were counted."""
    assert data.people is not None
    everybody, published = data.people["source"], data.people["published"]
    there = "all of them" if published == everybody else f"{published:,} of them"
    return (
        f"{data.source:,} rows of {data.whose.so_many(everybody)}, at most {data.people['most_rows']:,} of one person; "
        f"{there} in the release"
    )


def became(a: Became) -> str:
    """What one attribute became, in a few words."""
    if a.level == 0:
        return f"as it is, {_values(a.published)}"
    if a.level == a.height:
        return "everything is *"
    if a.level is not None:
        return f"level {a.level} of {a.height}, {_values(a.originals)} became {a.published:,}"
    return f"{percent(a.exactness[0])} of rows exact, {percent(a.exactness[-1])} hidden"


def exact_values(published: Exact, publish: str) -> str:
    """What a release of exact values keeps to itself, in one line."""
    said = f"exact, in {len(published.tables)} tables; what is hidden is {PUBLICATIONS[publish].words.hidden}"
    if not published.exchanged:
        return f"every value {said}"
    return f"quasi-identifiers {said}; {percent(published.exchanged)} of the rows have an exchanged sensitive value"


def counting(answers: Answers, line: AnswerLine) -> str:
    """How well the release answers questions, in one line."""
    also = f" and {answers.attribute}" if answers.attribute is not None else ""
    columns = f"{line.predicates} column{'s' * (line.predicates != 1)}{also}"
    return (
        f"counting by {columns}: off by {percent(line.median or 0)} (median), {percent(line.mean or 0)} (mean) "
        f"of the truth, in {line.queries:,} random queries"
    )


def _values(n: int) -> str:
    return f"{n:,} value{'s' * (n != 1)}"


def _few(lines: Iterable[str]) -> list[str]:
    """The first of many lines, and how many there are besides."""
    listed = list(lines)
    more = len(listed) - MOST_LINES
    return listed if more <= 0 else [*listed[:MOST_LINES], f"  and {more} more in the report"]
