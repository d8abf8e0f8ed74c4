"""Ambiguity, read a second time: presence n / Π m over the published tables at most α, no value's share above β.

With `presence: total`, the sum of these over all groups that cover a combination is at most α.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.faults.group_faults import OTHERS, group_faults
from discreet.audit.lines import AT_MOST, Fault, Level, Line
from discreet.audit.presence.added_up import AddedUp, added_up
from discreet.audit.presence.added_up_of import added_up_of
from discreet.audit.promises.level import deciding_group, exact, level, promised_sums, share_level
from discreet.audit.promises.limits import Limits
from discreet.audit.promises.parameters import Parameter, number, one_of
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The largest chance of being in the table, and the largest share of a value, for each attribute."""
    alpha, beta = exact(promise.parameters["alpha"]), exact(promise.parameters["beta"])
    shares = [share_level(view, summed, promise.model, beta) for summed in promised_sums(promise, view)]
    if view.kind.rows_are_people:
        return shares
    found = _together(promise, view, beside, alpha) if _adds_up(promise) else _presence(view, alpha)
    listed = _on_the_list(beside.listed)
    present = replace(found, note="; ".join(filter(None, (found.note, listed))))
    return [each for share in shares for each in (present, share)]


def _on_the_list(line: Line | None) -> str:
    """What a list of the people tells beside α, which is promised to whoever has none."""
    if line is None or "above_alpha" not in line.details:
        return ""
    said = line.details
    return (
        f"with the list that was given, of {said['on_the_list']:,} people, {said['certain']:,} are certain to be in "
        f"the table, and {said['above_alpha']:,} are in it with more than α; for somebody without one, chances over "
        f"all groups that cover one of these people add up to {said['worst_added_up_without_list']:.3g} at most"
    )


def _entries(view: ReleaseView) -> list[IntArray]:
    """How many entries each table has, per group."""
    return [np.bincount(table.group, minlength=len(view.sizes)) for table in view.tables]


def _chances(view: ReleaseView) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    reached = view.sizes.astype(np.float64)
    for entries in _entries(view):
        reached = reached / np.maximum(entries, 1)
    return np.minimum(reached, 1.0)


def _is_within(alpha: Fraction, n: int, *entries: int) -> bool:
    """n / Π m ≤ α, in whole numbers (Theorem 5.1)."""
    possible = Fraction(1)
    for m in entries:
        possible *= max(m, 1)
    return min(n / possible, Fraction(1)) <= alpha


def _presence(view: ReleaseView, alpha: Fraction) -> Level:
    named = ("ambiguity", None, "largest chance of being in the table, without a list of the people")
    evidence, groups = [view.sizes, *_entries(view)], np.arange(len(view.sizes))
    return level(view, *named, AT_MOST, alpha, _chances(view), groups, evidence, lambda n, *m: _is_within(alpha, n, *m))


def _adds_up(promise: Promise) -> bool:
    return promise.parameters.get("presence") == "total"


def _together(promise: Promise, view: ReleaseView, beside: Beside, alpha: Fraction) -> Level:
    """Over all groups: of every combination of values, or of the people in the population that the promise names."""
    if "population" not in promise.parameters:
        return _level_of(view, alpha, added_up(view, alpha), "")
    if beside.population is not None:
        return _level_of(view, alpha, added_up_of(view, beside.population, alpha), ", of anybody on the list")
    found = added_up(view, alpha)
    if found.holds:  # of whatever combination: then of everybody
        return _level_of(view, alpha, found, "")
    note = "needs a list of everybody in the population: combinations that nobody has may be above it"
    return Level("ambiguity", None, f"{_FIGURE}, of anybody on a list", AT_MOST, float(alpha), None, None, note=note)


def _level_of(view: ReleaseView, alpha: Fraction, found: AddedUp, whose: str) -> Level:
    named = ("ambiguity", None, _FIGURE + whose)
    note = "" if found.least == found.most or found.holds is False else "a bound: to find the largest takes too long"
    achieved = found.least if found.holds is False else found.most
    return Level(*named, AT_MOST, float(alpha), achieved, found.holds, deciding_group(view, found.group), note)


_FIGURE = "largest chance of being in the table over all groups, without a list of the people"


def faults(promise: Promise, view: ReleaseView) -> Iterator[Fault]:
    """Groups above α or above β."""
    if view.kind.rows_are_people:
        return
    alpha, beta = promise.parameters["alpha"], promise.parameters["beta"]
    present = _present_above(view, exact(alpha))
    yield from group_faults(view, "group_above_alpha", present, f"a presence above {alpha}", OTHERS)
    associated = _associated_above(promise, view, exact(beta))
    of_all = _adds_up(promise) and "population" not in promise.parameters
    if of_all and not len(present) and added_up(view, exact(alpha)).holds is False:
        rule = f"chances of being in the table add up to more than {alpha} over all groups that cover some combination"
        yield Fault("total_above_alpha", view.file, rule, "publish fewer groups, of more different rows", 1, None, True)
    rule = f"a value with an association above {beta}"
    yield from group_faults(view, "group_above_beta", associated, rule, OTHERS)


def _present_above(view: ReleaseView, alpha: Fraction) -> IntArray:
    """Groups with |G| / Π mᵢ > α: by floats where that is clear, else in whole numbers."""
    chance, entries = _chances(view), _entries(view)
    above = chance > float(alpha)
    for g in np.flatnonzero(np.abs(chance - float(alpha)) < 1e-9).tolist():
        above[g] = not _is_within(alpha, int(view.sizes[g]), *(int(m[g]) for m in entries))
    return np.flatnonzero(above)


def _associated_above(promise: Promise, view: ReleaseView, beta: Fraction) -> IntArray:
    """Groups with a value of which c / |G| > β."""
    groups = [np.empty(0, dtype=np.int64)]
    for tally in view.tallies:
        if promise.attribute in (None, tally.attribute):
            above = tally.count * beta.denominator > view.sizes[tally.group] * beta.numerator
            groups.append(tally.group[above])
    return np.unique(np.concatenate(groups))


def limits(promise: Promise) -> Limits:
    """Nobody's presence above α, no value above β."""
    alpha, beta = exact(promise.parameters["alpha"]), exact(promise.parameters["beta"])
    return Limits(share=beta, several_values=beta < 1, presence=(Fraction(0), alpha))


_PARAMETERS = {
    "alpha": number(),
    "beta": number(),
    "tables": Parameter(),
    "presence": Parameter(one_of("group", "total")),
    "population": Parameter(),
}
READING = Reading("ambiguity", "ambiguity", _PARAMETERS, levels, faults, limits=limits)
