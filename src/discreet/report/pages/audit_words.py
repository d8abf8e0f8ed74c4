"""What an audit found, as text for the terminal and JSON for scripts, in words a privacy board can use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from discreet.audit.audit import Audit
from discreet.audit.faults.rare_values import FINDS_PEOPLE, NOTHING_LEFT
from discreet.audit.lines import (
    ASSOCIATION,
    AT_LEAST,
    AT_MOST,
    ESTIMATE,
    EXACT,
    PRESENCE,
    REIDENTIFICATION,
    STEPS,
    Deciding,
    Fault,
    Level,
    Line,
)
from discreet.audit.people.by_people import BY_PEOPLE
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.whose import PEOPLE, ROWS, so_many
from discreet.labels.aligned import aligned
from discreet.labels.figures import number, percent
from discreet.labels.whose import Whose
from discreet.releases.manifest import finite
from discreet.report.marginals import printable
from discreet.report.pages.audit_figures import WORDS

QUESTIONS = {
    PRESENCE: "Who is in the table?",
    REIDENTIFICATION: "Which row is whose?",
    ASSOCIATION: "Who has what?",
}
# What a chance is of, for somebody who asks one of these.
BELIEFS = {
    PRESENCE: "that somebody is in the table, or is not",
    REIDENTIFICATION: "that a row is a certain person's",
    ASSOCIATION: "that somebody has a certain value",
}
PRECISIONS = {
    EXACT: "Exact: the share of all possible worlds.",
    AT_MOST: "An upper bound: she may believe less, never more.",
    AT_LEAST: "A lower bound: she may believe more.",
    ESTIMATE: "An estimate: too many worlds to count them all.",
}
_BEFORE = {EXACT: "", AT_MOST: "at most", AT_LEAST: "at least", ESTIMATE: "about"}
_NAMED = 5  # promises in a headline
# What an audit came to, by whether the promises are kept.
STATES = {True: "promises kept", False: "broken", None: "not judged"}
BROKEN, ABOVE, MAY_BE, WITHIN = "promise broken", "above the limit", "may be above", "within the limit"
NOT_KNOWN = "not known to be above"  # of a lower bound, above which she may be


def verdict(line: Line) -> str:
    """Broken, if the release promised less; else whether anybody is above the threshold, or may be.

    >>> learns = Line("skew", ASSOCIATION, "t", "k", "a", 0.4, 0, 9, 0.5, ())
    >>> from dataclasses import replace
    >>> verdict(learns), verdict(replace(learns, precision=AT_LEAST))
    ('within the limit', 'not known to be above')
    """
    if line.breaks:
        return BROKEN
    if line.worst <= line.threshold:
        return NOT_KNOWN if line.precision == AT_LEAST else WITHIN
    return MAY_BE if line.precision == AT_MOST else ABOVE


def headline(audit: Audit) -> str:
    """The verdict in a sentence or two, who stands alone, and what no promise is about: see `beyond_promises`."""
    return " ".join([_verdict(audit), *alone(audit), *beyond_promises(audit)])


def alone(audit: Audit) -> list[str]:
    """A sentence about people whose own rows are all that look like theirs, where people were counted.

    >>> from discreet.audit.audit import WhoseRows
    >>> visits = WhoseRows(Whose.NAMED, "patient", 400, 323, 323)
    >>> alone(Audit("r", "local_recoding", True, 2000, 391, 5, 0, (), whose=visits))
    ['323 of 400 people stand alone in a group: all of its rows are theirs.']
    """
    whose = audit.whose
    if not whose.alone or whose.people is None:
        return []
    stand = "stands" if whose.alone == 1 else "stand"
    if whose.alone == whose.surely_alone:
        return [
            f"{whose.alone:,} of {so_many(whose.people, PEOPLE)} {stand} alone in a group: all of its rows are theirs."
        ]
    return [
        f"Up to {whose.alone:,} of {so_many(whose.people, PEOPLE)} may stand alone in a group, all of whose rows are "
        f"theirs ({whose.surely_alone:,} surely)."
    ]


def whose_rows(audit: Audit) -> list[str]:
    """What is known of whose rows they are, for the first screen."""
    whose = audit.whose
    if whose.case is Whose.UNSAID:
        return [
            "Nobody says whose rows these are, so all figures are about rows: more may be known of somebody who has "
            "several of them. Say whose they are: person (a column of the source), or one row per person."
        ]
    if whose.case is Whose.ONE_EACH:
        return ["That every row is another person's is stated: no figure here would show it if somebody had several."]
    if whose.why_not:
        return [f"All figures are about rows: {whose.why_not}."]
    if whose.people is not None and not whose.rows_are_people and not whose.exact:
        return [
            "It is not plain whose rows every group has (labels overlap, or rows were left out one by one): people are "
            "counted so that nothing is called safer than it is."
        ]
    return []


def unit(audit: Audit) -> str:
    """What is counted: people, rows, or both, each where it is said."""
    if audit.whose.rows_are_people:
        return PEOPLE
    return ROWS if audit.whose.people is None else f"{PEOPLE} or {ROWS}"


def published(audit: Audit) -> str:
    """How much is published: so many people, or rows, or rows of so many people."""
    whose = audit.whose
    if whose.rows_are_people or whose.people is None:
        return so_many(audit.people, unit(audit))
    return f"{so_many(audit.people, ROWS)} of {'' if whose.exact else 'up to '}{so_many(whose.people, PEOPLE)}"


def beyond_promises(audit: Audit) -> list[str]:
    """A sentence for each column whose values find people, and of a release that has nothing left: not green."""
    told = (one for one in audit.faults if one.fault in (FINDS_PEOPLE, NOTHING_LEFT))
    useless = [] if audit.people else ["A release of nothing is of no use."]
    return [*useless, *(f"{printable(one.place)}: {printable(one.rule)}." for one in told)]


def _verdict(audit: Audit) -> str:
    """What became of the promises, and how sure adversaries can be."""
    above = how_many_above(audit)
    of_rows = unit(audit) == ROWS
    known = "known to be " if any(verdict(line) == NOT_KNOWN for line in audit.lines) else ""
    surer = f"no adversary is {known}surer of {'any row' if of_rows else 'anybody'} than the limit allows"
    if above:
        someone = "a row" if of_rows else "somebody"
        surer = f"{above} of {len(audit.lines)} adversaries can be surer of {someone} than the limit allows"
    if by_rows := sum(rows_alone(audit, line) for line in audit.lines):
        surer += f"; {by_rows} of {len(audit.lines)} were asked about rows alone"
    if not audit.people and audit.kept:
        return f"Nothing is published, so no promise is broken; {surer}."
    if audit.broken:
        return f"This release does not keep its promises; {surer}."
    if any(one.grave for one in audit.faults):
        return f"There is something in this release that must not be there; without it, {surer}."
    if audit.kept is None:
        return f"Not judged: {unjudged(audit)}. Nothing is known to be broken; {surer}."
    promises = "No promise is broken" if audit.levels else "This release promises nothing that could be read again"
    if audit.levels and of_rows:
        promises += ", as far as rows tell"
    return f"{promises}, {'but ' if above and audit.levels else ''}{surer}."


def how_many_above(audit: Audit) -> int:
    """How many adversaries are above their limit, or may be."""
    return sum(verdict(line) not in (WITHIN, NOT_KNOWN) for line in audit.lines)


def rows_alone(audit: Audit, line: Line) -> bool:
    """Is it a figure about rows, where people were counted? Then it says nothing of whoever has several of them."""
    counted = audit.whose.people is not None and not audit.whose.rows_are_people
    return counted and line.of == ROWS and line.threat == ASSOCIATION


def judged(audit: Audit, line: Line) -> str:
    """The verdict on a line, and whether rows alone were asked about.

    >>> from discreet.audit.audit import WhoseRows
    >>> counted = WhoseRows(Whose.NAMED, "patient", 400, 0)
    >>> visits = Audit("r", "local_recoding", True, 2000, 73, 25, 0, (), whose=counted)
    >>> judged(visits, Line("skew", ASSOCIATION, "t", "k", "a", 0.4, 0, 2000, 0.5, ()))
    'within the limit, by rows'
    """
    return verdict(line) + (", by rows" if rows_alone(audit, line) else "")


def state(audit: Audit) -> str:
    """The verdict in two words."""
    if audit.kept is False and not audit.broken:
        return "faulty"
    return STATES[audit.kept] if audit.levels or audit.kept is not True else "no promise"


def unjudged(audit: Audit) -> str:
    """Which promises could not be judged, and what it would take; and what could not be held against the source.

    >>> level = Level("robust", None, "a chance", AT_MOST, 0.5, None, None, note="needs the source table")
    >>> unjudged(Audit("r", "bucketization", True, 1, 1, 1, 0, (), (level,)))
    'robust (needs the source table)'
    """
    each = [f"{_judged_by(level)} ({level.note or 'it is left open'})" for level in audit.unjudged]
    each += [f"{printable(one.place)} beside the source ({printable(one.rule)})" for one in audit.uncompared]
    several = list(dict.fromkeys(each))
    more = f" and {len(several) - _NAMED:,} more" if len(several) > _NAMED else ""
    return ", ".join(several[:_NAMED]) + more


def _judged_by(level: Level) -> str:
    """A promise, and that people were to be counted, where nothing else is said of it."""
    return f"{named(level)} {level.figure}" if level.figure == BY_PEOPLE else named(level)


def beside_promises(audit: Audit) -> list[str]:
    """What is to be known beside a promise that is kept, each once: α is promised to whoever has no list."""
    notes = (f"{named(level)}: {level.note}." for level in audit.levels if level.holds is True and level.note)
    return list(dict.fromkeys(notes))


def worst(line: Line) -> str:
    """Her largest chance, and in what sense it is meant."""
    return f"{sense(line)} {percent(line.worst)}".strip()


def sense(line: Line) -> str:
    """At most, at least, about: whatever is not plain. Nothing is less than 0% or more than 100%.

    Before a bound stands an estimate, where there is one.
    """
    plain = (line.precision == AT_LEAST and line.worst == 1) or (line.precision == AT_MOST and line.worst == 0)
    estimate = line.details.get("estimate")
    about = "" if estimate is None else f"about {percent(estimate)}, "
    return "" if plain else about + _BEFORE[line.precision]


def limit(line: Line) -> str:
    """The threshold; nobody is above it if that is certainty."""
    return "certainty" if line.threshold > 0.9999 else percent(line.threshold)


def above(line: Line) -> str:
    """How many people, or rows, are above the threshold."""
    if not line.above:
        return "nobody" if line.of == PEOPLE else "none"
    return f"{line.above:,} of {so_many(line.people, line.of)} ({percent(line.share_above)})"


def where(deciding: Deciding | None, *, named: bool = True) -> str:
    """The group that decides, by its size and place; never by its values. With `named`, the file is told.

    >>> where(Deciding(3, 12, 27, "data.csv")), where(Deciding(3, 1, 27, "data.csv", PEOPLE), named=False)
    ('12 rows, line 27 of data.csv', '1 person, line 27')
    """
    if deciding is None:
        return "–"
    size = so_many(deciding.size, deciding.of)
    if deciding.line is None:
        return size
    return f"{size}, line {deciding.line:,}" + (f" of {printable(deciding.file)}" if named else "")


def decides(line: Line, *, named: bool = True) -> str:
    """The group that decides an adversary's figure; none does if she learns nothing."""
    return "–" if not line.worst else where(line.deciding, named=named)


def title(line: Line) -> str:
    """The adversary in a few words, with the attribute she is after."""
    words = line.title[:1].upper() + line.title[1:]
    return f"{words}: {printable(line.attribute)}" if line.attribute is not None else words


def promise(level: Level) -> str:
    """A promise in a few words, and what is counted of it."""
    return f"{named(level)}: {level.figure}"


def named(level: Level) -> str:
    """A promise in a word or two, with the attribute that it is about."""
    reading = reading_of(level.model)
    title = level.model.replace("_", " ") if reading is None else reading.title
    return f"{title} of {printable(level.attribute)}" if level.attribute is not None else title


def reached(level: Level) -> str:
    """What was found of a promise."""
    if level.achieved is None:
        return "–" if level.holds else "not judged"
    return "∞" if math.isinf(level.achieved) else number(level.achieved)


def asked(level: Level) -> str:
    """What a promise requires, as far as that is known."""
    return "–" if level.required is None else f"{level.sense} {number(level.required)}"


def figures(details: Mapping[str, Any], of: str = ROWS) -> list[tuple[str, str]]:
    """Further figures of a line, with names and numbers for people.

    >>> figures({"people_in_both": 1200, "mean": 0.25})
    [('rows in both', '1,200'), ('chance on average', '0.25')]
    >>> figures({"smallest_epsilon": {"10": 2.5, "1000": None}})
    [('how many times more she believes (ε), by the size of her other data', '10: 2.5; 1000: without limit')]
    """
    return [
        (WORDS.get(name, name.replace("_", " ")).replace(PEOPLE, of), _unbounded(name, value))
        for name, value in details.items()
    ]


def _unbounded(name: str, value: object) -> str:
    """
    >>> _unbounded("delta", None), _unbounded("alone", 3)
    ('beyond all bounds: some value is ruled out', '3')
    """
    if name == "smallest_epsilon" and isinstance(value, Mapping):
        return _figure({size: "without limit" if one is None else one for size, one in value.items()})
    return "beyond all bounds: some value is ruled out" if name == "delta" and value is None else _figure(value)


def _figure(value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return number(value)
        case Mapping():
            return "; ".join(f"{printable(str(name))}: {_figure(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return ", ".join(_figure(one) for one in value) or "none"
    return printable(str(value))


def fault(found: Fault) -> str:
    """A fault in a sentence."""
    at = f", first in line {found.line:,}" if found.line is not None else ""
    return f"{printable(found.place)}: {printable(found.rule)}{at}; {printable(found.repair)}"


def shared(lines: Sequence[Line]) -> str:
    """The sentence with which most of these adversaries are described, to be said once; or nothing."""
    first = Counter(line.knows.partition(". ")[0] + "." for line in lines if ". " in line.knows)
    sentence, many = first.most_common(1)[0] if first else ("", 0)
    return sentence if many > 1 and 2 * many >= len(lines) else ""


def besides(line: Line, sentence: str) -> str:
    """What an adversary knows besides what was said of most of them.

    >>> from dataclasses import replace
    >>> one = Line("a", ASSOCIATION, "t", "She is known. She knows Ann.", "", 0, 0, 0, 0.5, ())
    >>> shared([one, replace(one, knows="She is known. Nothing else.")])
    'She is known.'
    >>> besides(one, "She is known.")
    'She knows Ann.'
    """
    return line.knows.removeprefix(f"{sentence} ") if sentence else line.knows


def by_question(audit: Audit) -> list[tuple[str, list[Line]]]:
    """The lines under the question that their adversaries ask."""
    found = [(threat, [line for line in audit.lines if line.threat == threat]) for threat in QUESTIONS]
    return [(threat, lines) for threat, lines in found if lines]


def to_text(audit: Audit) -> str:
    """The table for a terminal, then promises, faults and who was not asked."""
    lines = [
        f"{printable(audit.release)}: {published(audit)} in {audit.groups:,} "
        f"{'group' if audit.groups == 1 else 'groups'} "
        f"({audit.publish}), the smallest of {smallest(audit)}",
        headline(audit),
        *(printable(sentence) for sentence in whose_rows(audit)),
        *beside_promises(audit),
        *([printable(audit.compared)] if audit.compared else []),
        *(f"Not compared with the source: {fault(one)}" for one in audit.uncompared),
    ]
    files = {d.file for d in (*(x.deciding for x in audit.lines), *(x.deciding for x in audit.levels)) if d is not None}
    several = len(files) > 1
    deciding = "deciding group" + "".join(f" ({printable(file)})" for file in files if not several and file)
    for threat, asking in by_question(audit):
        lines += ["", QUESTIONS[threat]]
        table = [["adversary", "worst", "limit", "above it", deciding, ""]]
        for line in asking:
            cells = [
                title(line),
                worst(line),
                percent(line.threshold),
                above(line),
                decides(line, named=several),
                judged(audit, line),
            ]
            table.append(cells)
        lines += aligned(table, left=set(range(len(table[0]))) - {1, 2})
    if audit.levels:
        lines += ["", "Promises, read a second time"]
        table = [["promise", "asked", "reached", deciding, ""]]
        for level in audit.levels:
            kept = "not judged" if level.holds is None else "kept" if level.holds else "BROKEN"
            table.append([promise(level), asked(level), reached(level), where(level.deciding, named=several), kept])
        lines += aligned(table, left=range(len(table[0])))
        lines += [f"  {promise(level)}: {level.note}" for level in audit.levels if level.note]
    for grave, heading in ((True, "Must not be in a release"), (False, "To be looked at")):
        found = [f"  {fault(one)}" for one in audit.faults if one.grave is grave and one.judged]
        lines += ["", heading, *found] if found else []
    if audit.notes:
        lines += ["", "Not asked", *(f"  {note}" for note in audit.notes)]
    return "\n".join(lines)


def smallest(audit: Audit) -> str:
    """The smallest group: rows, and of how many people the group with the fewest is."""
    if audit.whose.rows_are_people:
        return f"{audit.smallest_group:,}"
    fewest = audit.whose.fewest_people
    return so_many(audit.smallest_group, ROWS) + ("" if fewest is None else f", or {so_many(fewest, PEOPLE)}")


def to_json(audit: Audit) -> dict[str, Any]:
    """Everything that was found, as plain dicts, lists, numbers and words."""
    told = asdict(audit)
    told["lines"] = [
        asdict(line) | {"share_above": line.share_above, "breaks": line.breaks, "verdict": verdict(line)}
        for line in audit.lines
    ]
    told["levels"] = [
        asdict(level) | {"achieved": None if level.achieved is None else finite(level.achieved)}
        for level in audit.levels
    ]
    told["not_judged"] = [
        {"promise": level.model, "note": level.note, "place": None, "count": None, "repair": ""}
        for level in audit.unjudged
    ] + [
        {"promise": None, "note": one.rule, "place": one.place, "count": one.count, "repair": one.repair}
        for one in audit.uncompared
    ]
    return told | {"steps": list(STEPS), "kept": audit.kept, "rows": audit.people}
