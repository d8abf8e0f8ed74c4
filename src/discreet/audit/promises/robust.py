"""The promise of robustness, read a second time; a posterior that comes close to 1/r is compared in whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.audit.lines import AT_MOST, Level
from discreet.audit.people.persons import Persons
from discreet.audit.promises.level import deciding_group, promised_tallies
from discreet.audit.promises.no_surer import Found, judged_by_prior, missing_judged
from discreet.audit.promises.parameters import Parameter, number, whole
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import Promise, ReleaseView, Tally
from discreet.audit.worst_case.knowledge import Knowledge, domain
from discreet.audit.worst_case.worlds_exactly import GroupExactly
from discreet.audit.worst_case.worst_case import (
    Beliefs,
    Judging,
    given_knowledge,
    people_of,
    protected_sets,
    sets_of,
    shares_of_sets,
)
from discreet.errors import Mistake, did_you_mean, shown
from discreet.files.numbers import exact_number

_CLOSE = 1e-9
_MOST_STEPS = 20_000_000  # of exact arithmetic
_FIGURE = "largest chance of a link, by whichever attributes tell most"
_PRIOR = "prior"


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The largest chance of a link, for each attribute."""
    tallies = promised_tallies(promise, view)
    return [robust_level(view, tally, promise, beside.knowledge.get(tally.attribute)) for tally in tallies]


def by_people(promise: Promise, persons: Persons, beside: Beside) -> list[Level]:
    """The largest sum of what is believed of all rows of one person, for each attribute."""
    from discreet.audit.people.robust_sums import sums_of_people  # late: it reads what is judged here

    return sums_of_people(promise, persons, beside)


def robust_level(view: ReleaseView, tally: Tally, promise: Promise, knowledge: Knowledge | None = None) -> Level:
    """Is anybody linked to a protected value with more than 1/r?

    By the shares that the manifest lists, or else by those of the source table, which must be given. `holds` is None
    where the files do not tell, and where the bounds of groups with too many worlds leave it open.
    """
    said = promise.parameters
    limit = 1 / Fraction(str(said["r"]))
    known_before = given_knowledge(said) or knowledge
    people = None if known_before is None else people_of(view, tally, known_before)
    summed = summed_up(tally, len(view.sizes))
    if known_before is None or people is None or not len(people.group):
        return _by_shares(view, summed, protected_sets(said.get("values"), tally.values), limit)
    values = domain(known_before, tally)
    protected = protected_sets(said.get("values"), values)
    absent = _absent(view, tally, knowledge, said, protected, values, limit)
    if said.get("limit") == _PRIOR:
        found = judged_by_prior(view, tally, people, known_before, said, protected, limit)
        return _level(view, tally, limit, found, absent)
    worst = shares_of_sets(summed, protected)
    kept, steps = _shares_keep(summed, protected, limit), _MOST_STEPS
    open_groups = len(view.sizes) - len(np.unique(people.group))
    known = sets_of(view, tally, people, known_before, said)
    nothing = Beliefs.before(people, np.zeros(len(people.group)), len(view.sizes))
    judging = Judging(people, summed, protected, len(known), float(limit))
    for each in known:
        posterior = judging.judged(each, nothing)
        np.maximum.at(worst, people.group, posterior.chance)
        kept &= not (posterior.chance > float(limit) + _CLOSE).any()
        untold = (posterior.at_most > float(limit)) & (posterior.at_most > posterior.chance)
        open_groups += len(np.unique(people.group[untold & (posterior.chance <= float(limit) + _CLOSE)]))
        close = np.unique(people.group[np.abs(posterior.chance - float(limit)) <= _CLOSE])
        for group in close.tolist() if kept else ():
            exactly = GroupExactly.of(group, each, people.group, people.many, summed)
            steps -= exactly.steps
            if steps < 0:
                open_groups += 1
            else:
                kept &= all(p <= limit for p in exactly.posteriors(protected))
    return _level(view, tally, limit, Found(worst, bool(kept), open_groups), absent)


def _level(view: ReleaseView, tally: Tally, limit: Fraction, found: Found, absent: Found | None) -> Level:
    """The line about all groups; where those who are missing are promised something, too, they decide like a group."""
    group = int(np.argmax(found.worst))
    worst, kept, left_open = float(found.worst[group]), found.kept, found.left_open
    note = (
        f"{left_open} groups left open: too many worlds, or not as many {view.whose.unit} as values"
        if left_open
        else ""
    )
    if absent is not None:
        worst, kept, left_open = max(worst, float(absent.worst[0])), kept and absent.kept, left_open + absent.left_open
        about = "open" if absent.left_open else "kept" if absent.kept else "broken"
        note = "; ".join(filter(None, [note, "" if about == "kept" else f"{about} for those who are left out"]))
    holds = None if kept and left_open else kept
    deciding = deciding_group(view, group)
    return Level("robust", tally.attribute, _FIGURE, AT_MOST, float(limit), worst, holds, deciding, note)


def _absent(
    view: ReleaseView,
    tally: Tally,
    knowledge: Knowledge | None,
    said: Any,
    protected: Any,
    values: tuple[str | None, ...],
    limit: Fraction,
) -> Found | None:
    """Those who are missing, where something is promised about them. Who they are follows from the source alone."""
    if _PRIOR not in (said.get("limit"), said.get("absence")):
        return None
    suppressed = (view.manifest.get("rows") or {}).get("suppressed")
    if suppressed == 0 and knowledge is None:
        return None
    found = missing_judged(view, tally, knowledge, said, protected, values, limit)
    return Found(np.zeros(1), True, 1) if found is None else found


def _by_shares(view: ReleaseView, summed: Summed, protected: Any, limit: Fraction) -> Level:
    """What the files tell without what she knows: a share above 1/r breaks the promise whatever that is."""
    named = ("robust", summed.tally.attribute, _FIGURE, AT_MOST, float(limit))
    if _shares_keep(summed, protected, limit):
        return Level(*named, None, None, note="needs what she knows: the source table")
    worst = shares_of_sets(summed, protected)
    group = int(np.argmax(worst))
    return Level(*named, float(worst[group]), False, deciding_group(view, group))


def _shares_keep(summed: Summed, protected: Any, limit: Fraction) -> bool:
    """Are the shares of protected values within the limit?"""
    tally = summed.tally
    for those in protected:
        count = np.bincount(tally.group, weights=tally.count * those[tally.value], minlength=len(summed.total))
        pairs = np.unique(np.stack([count.astype(np.int64), summed.total], axis=1), axis=0)
        if any(Fraction(c, n) > limit for c, n in pairs.tolist() if n):
            return False
    return True


def _listed(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    if value is not None and not isinstance(value, list | tuple):
        yield Mistake(place, f"must be a list, got {shown(value)}")


def _attribute_sets(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    yield from _listed(value, place, quasi_identifiers)
    for columns in value if isinstance(value, list | tuple) else ():
        if not isinstance(columns, list | tuple):
            yield Mistake(place, f"must be lists of columns, got {shown(columns)}")
            continue
        for name in columns:
            if name not in quasi_identifiers:
                rule = f"no such quasi-identifier {shown(name)}"
                yield Mistake(place, rule, did_you_mean(name, quasi_identifiers))


def _one_of(*words: str) -> Callable[[Any, str, Sequence[str]], Iterator[Mistake]]:
    def check(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
        if value is not None and value not in words:
            yield Mistake(place, f"must be one of {', '.join(words)}, got {shown(value)}")

    return check


def _knowledge(value: Any, place: str, quasi_identifiers: Sequence[str]) -> Iterator[Mistake]:
    """The table, or rows of somebody's values, a sensitive value, and how likely that is."""
    rows = value if isinstance(value, list) else [None]
    if value != "table" and not all(_is_known(row) for row in rows):
        yield Mistake(place, "can't be read", "write table, or [[{nation: Japanese}, heart, 0.003], …]")


def _is_known(row: object) -> bool:
    if not isinstance(row, list | tuple) or len(row) != 3 or not isinstance(row[0], Mapping):
        return False
    share = exact_number(row[2])
    return share is not None and 0 <= share <= 1


READING = Reading(
    "robust",
    "robust",
    {
        "r": number(),
        "values": Parameter(_listed),
        "attribute_sets": Parameter(_attribute_sets),
        "min_support": Parameter(whole),
        "knowledge": Parameter(_knowledge),
        "limit": Parameter(_one_of("r", _PRIOR)),
        "absence": Parameter(_one_of("open", _PRIOR)),
    },
    levels,
    by_people=by_people,
)
