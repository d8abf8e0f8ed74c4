"""Ten questions of a privacy board, each with the report's answer in a line and where the report says more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.labels.figures import chance, number, percent
from discreet.labels.whose import Whose
from discreet.policy.kinds import PUBLICATIONS
from discreet.report.data import ReportData
from discreet.report.kinds import fate
from discreet.report.release import ReleaseData
from discreet.report.sections.risks import ONE_ROW, RiskPicture, Risks
from discreet.report.text import checked_from, counting, headline

QUESTIONS = (
    "What is promised, and is it kept?",
    "For whom does it hold?",
    "What is not protected?",
    "Can a row be singled out?",
    "How well can a secret be guessed?",
    "Can it be learnt who is in the table?",
    "What was left out?",
    "How far can the data be relied on?",
    "What became of each column?",
    "Who can check this, and with what?",
)
_ROLES = {"quasi_identifier": "quasi-identifier", "sensitive": "sensitive column", "other": "other column"}
_NAMED = 4  # of promises and columns; of more it is told how many there are
_WHOSE = {
    Whose.NAMED: "For people: a column says whose row each is, and every promise was judged by rows and by people.",
    Whose.ONE_EACH: "For people, if every row is another person's, as its publisher states: no file can show that.",
    Whose.UNSAID: "For rows. Nothing says whose they are.",
}


@dataclass(frozen=True)
class Answer:
    """A question, the answer in a line, and the section (by its id and its heading) that says more."""

    question: str
    answer: str
    place: str
    heading: str


def board(data: ReleaseData, private: ReportData | None) -> tuple[Answer, ...]:
    """All ten. On the published page nothing that the published files don't tell: there `private` is None."""
    answers = (
        (_promised(data), "promises", "Promises"),
        (_WHOSE[data.whose], "verdict", "first screen"),
        (_open(data), "open", "What this release does not protect against"),
        (_found(data, private), "sizes", "How large the groups are"),
        _guessed(data, private),
        (_present(data), "open", "What this release does not protect against"),
        (_left_out(data), "verdict", "first screen"),
        _reliable(data, private),
        (_columns(data), "made", "How it was made"),
        (
            f"Whoever holds the files: “discreet verify” checks them again {checked_from(data)}.",
            "made",
            "How it was made",
        ),
    )
    return tuple(Answer(question, *answer) for question, answer in zip(QUESTIONS, answers, strict=True))


def _promised(data: ReleaseData) -> str:
    """The verdict, and of what: a board decides about promises, not about their names."""
    sentences = [line.sentence for line in data.promises] if data.published else []
    left = len(sentences) - _NAMED
    more = [f"{left} more promises stand there."] if left > 1 else []
    return " ".join([headline(data), *(sentences[:_NAMED] if more else sentences), *more])


def _open(data: ReleaseData) -> str:
    """What is grave as the first screen says it, and what else there is by its name."""
    told = data.warnings
    grave = [one.sentence for one in told if one.grave]
    first = f"{len(told)} thing{'s' * (len(told) != 1)} on the first screen, {len(grave) or 'none'} grave."
    risks = "; ".join(title for title, _ in data.open_risks)
    return " ".join([*grave, first if told else "Nothing that the figures show.", f"To think about, below: {risks}."])


def _named(names: Sequence[str]) -> str:
    """The first few of many."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED + 1 else ""
    return ", ".join(names[:_NAMED] if more else names) + more


def _found(data: ReleaseData, private: ReportData | None) -> str:
    if not data.published:
        return "Nothing is published."
    words = data.whose.by_rows
    if data.ambiguous is not None:
        most = percent(data.ambiguous.total)
        return f"No row can be picked. The chance that a {words.person} is in the table is at most {most}."
    fewest = f"{data.smallest_group:,} row{'s' * (data.smallest_group != 1)}"
    if PUBLICATIONS[data.publish].exact:
        return (
            "Yes, unless others have the same quasi-identifiers, which are published exactly. What is hidden is which "
            f"value of its group goes with it; the smallest group has {fewest}."
        )
    alone = data.smallest_group == 1
    if private is not None and private.people_alone:
        share = f"Yes: {percent(private.people_alone)} of the people are alone in a group"
        return f"{share}, with rows of their own only. The smallest of {data.groups:,} groups has {fewest}."
    average = number(data.average_group or 0)
    smallest = f"The smallest of {data.groups:,} groups has {fewest}, the average {average}"
    theirs = " Whether all rows of one are a single person's, the files don't tell." if data.whose.several else ""
    told = "" if private is not None else theirs
    return f"{'Yes: some rows are alone' if alone else 'Only as one of a group'}. {smallest}.{told}"


def _guessed(data: ReleaseData, private: ReportData | None) -> tuple[str, str, str]:
    place = ("guesses", "How well values can be guessed")
    pictures: tuple[RiskPicture, ...] = data.sections.get("guesses") or ()
    risks: Risks | None = None if private is None else private.sections.get("risks")
    if risks is not None:
        pictures = tuple(picture for picture in risks.pictures if picture.attribute)
        place = ("risks", f"Risk per {data.whose.person}, before and after")
    if not pictures:
        nothing = "The policy names no sensitive column." if data.published else "Nothing is published."
        return nothing, "verdict", "first screen"
    told = [
        f"{p.attribute}: right with a chance of {chance(p.mean_after)} on average, and certain for "
        f"{p.steps[0].told_after} of the {p.of}"
        for p in pictures
    ]
    one_row = "" if risks is not None or not data.whose.several else f" {ONE_ROW}"
    return f"{'; '.join(told)}.{one_row}", *place


def _present(data: ReleaseData) -> str:
    if data.hides_presence:
        return "A promise limits it: see Promises for how much, and the risks for what is taken for granted."
    if PUBLICATIONS[data.publish].exact and data.ambiguous is None:
        return (
            "Yes: quasi-identifiers are exact, so that whoever holds a list sees which of those on it are in the table."
        )
    return "Nothing is promised about it."


def _left_out(data: ReleaseData) -> str:
    if not data.suppressed:
        return f"Nothing: all {data.source:,} rows are published."
    share = percent(data.suppressed / max(data.source, 1))
    return (
        f"{data.suppressed:,} of {data.source:,} rows ({share}); at most {data.limit:,} were allowed. Rare values are "
        "left out more often than common ones."
    )


def _reliable(data: ReleaseData, private: ReportData | None) -> tuple[str, str, str]:
    answers = ("answers", "How well it answers questions")
    if not data.published:
        return "There is nothing to rely on.", "verdict", "first screen"
    if private is not None and private.answers is not None and private.answers.typical is not None:
        told = counting(private.answers, private.answers.typical)
        return f"{told[:1].upper()}{told[1:]}.", *answers
    place = ("use", "How to use the data") if private is None else ("made", "How it was made")
    if not data.error_bars:
        return "Values are those of the table, but how often they occur together is not told.", *place
    bars = len(data.error_bars)
    exact = sum(bar.largest == 0 for bar in data.error_bars)
    if exact == bars:
        return "Counts of the published rows by the published values of a column are exact.", *place
    if not exact:
        return "None of the counts that are named there is exact: each lies in a range.", *place
    return f"Of {bars} kinds of counts that are named there, {exact} are exact; the others lie in a range.", *place


def _columns(data: ReleaseData) -> str:
    """What becomes of all of them, together where it is the same."""
    alike: dict[tuple[str, str], list[str]] = {}
    hidden: list[str] = []
    for column in data.columns:
        role = _ROLES.get(column.role, "")
        told = fate(data.publish, column.role, column.rounded)
        (alike.setdefault((role, told), []) if role else hidden).append(column.name)
    parts = [
        f"{told}: {_named(names)} ({role}{'s' * (len(names) != 1)})" for (role, told), names in sorted(alike.items())
    ]
    text = "; ".join([*parts, *([f"never published: {_named(hidden)}"] if hidden else [])])
    return f"{text[:1].upper()}{text[1:]}."
