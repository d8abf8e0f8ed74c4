"""The report for a terminal and for machines."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from discreet.report.data import ReportData
from discreet.report.release import ReleaseData
from discreet.report.sections.answers import AnswerLine, Answers
from discreet.report.sections.coarser import Became
from discreet.report.sections.exact import Exact
from discreet.report.sections.presence import Confident, Present
from discreet.report.sections.worst_case import seen_through
from discreet.report.words import chance, number, percent

MOST_ATTRIBUTES = 15
MOST_LETTERS = 32


def to_json(data: ReportData) -> dict[str, Any]:
    """The report as plain dicts, lists, numbers and words."""
    return asdict(data)


def to_text(data: ReportData) -> str:
    """The report in a few lines."""
    lines = [headline(data)]
    for p in data.promises:
        verdict = "kept" if p.holds else "BROKEN"
        lines.append(f"  {p.name}: {verdict} (asked {p.asked}, achieved {p.told})")
    lines.append(f"  {people(data)}")
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
    if data.worst_case is not None and not data.worst_case.promised and data.worst_case.anybody_above:
        lines.append(f"  {seen_through(data.worst_case, data.share_step)} (nothing is promised about that)")
    if data.presence is not None:
        lines.append(f"  {present(data.presence)}")
    lines += [f"  {confident(c)}" for c in data.confidences]
    lines += [f"  note: {note}" for note in data.notes]
    return "\n".join(lines)


def checked_from(data: ReleaseData) -> str:
    """What whoever checks the promises again needs."""
    besides = ["the people around the table (--population)"] if data.needs_population else []
    besides += ["for what only the original table tells, that table (--source)"] if data.needs_source else []
    return " and, ".join(["from the files", *besides]) if besides else "from the files alone"


def headline(data: ReleaseData) -> str:
    """The verdict in one sentence."""
    if not data.keeps_promises:
        return "This release does not keep its promises. Do not publish it."
    if not data.published:
        return "Nothing is published: every row had to be left out."
    return "This release keeps its promises."


def people(data: ReleaseData) -> str:
    """How many are in, and how many are out."""
    if not data.suppressed:
        return f"all {data.source:,} rows published, none suppressed"
    return (
        f"{data.published:,} of {data.source:,} rows published, {data.suppressed:,} suppressed "
        f"({percent(data.suppressed / max(data.source, 1))}; at most {data.limit:,} allowed)"
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
    hidden = "whose sensitive value is whose" if publish == "bucketization" else "which of them belong together"
    said = f"exact, in {len(published.tables)} tables; hidden is {hidden}"
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


def present(found: Present) -> str:
    """How sure anybody could be of who is in the table, in one line."""
    others = f"; in no published group: {found.others_in_words}" if found.elsewhere else ""
    return (
        f"chance of being in the table: {found.in_words}, {chance(found.share)} in the population of "
        f"{found.people:,}{others}"
    )


def confident(found: Confident) -> str:
    """How sure the publisher is, in one line."""
    return (
        f"confidence that people are in the table with a chance {found.delta}: at least {found.least_in_words} for "
        f"every group, {found.mean_in_words} on average"
    )


def _values(n: int) -> str:
    return f"{n:,} value{'s' * (n != 1)}"
