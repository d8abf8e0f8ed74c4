"""All releases of a chain together: which values are left for everybody, and how likely each of them is.

She holds every release, and the lists of who was in the table at the time of each, with names and exact
quasi-identifiers. So she knows the groups that somebody may stand in, in each release, and wants the value. This is the
intersection attack of Xiao & Tao 2007 on any number of releases.

- Where a person's groups all have the same set of values, each equally often, and so have those of all people whom
  these groups may hold, and of all whom their groups may hold, and so on: exchanging two values of the set everywhere
  turns every possible world into another one. Each value has exactly the chance 1 / (how many there are).
- Of releases that promise m-invariance, where equal quasi-identifiers leave it open which of two groups is whose: she
  knows by the promise that everybody keeps the set, or changes it for one without a common value. Given who stands
  where, each value of a set is equally likely by the same exchange: at most 1 / (values of the smallest set that he may
  have had throughout). That is a bound for a chain which is what it says it is; `verify` looks at the ledger for that.
  It is none where the releases were not made from one another, or where a single group or person breaks the rule: the
  exchange is everybody's.
- Where several sensitive values stand in one row, one of them may tell which row is whose: nothing is exchanged.
- Anything else may tell: nothing better than 1 is claimed. Where a single value is left, it is certain.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray, number_equal
from discreet.audit.association.composition import THRESHOLD
from discreet.audit.lines import ASSOCIATION, AT_MOST, EXACT, ROUNDED, Fault, Line, line
from discreet.audit.reading.exact_tables import Population, combination_codes
from discreet.audit.reading.folder import MANIFEST
from discreet.audit.reading.source import Source
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worlds.places import Places, places
from discreet.engines.base import Frequencies
from discreet.engines.duckdb.publishing import sha256

M_INVARIANCE = "m_invariance"


@dataclass(frozen=True, eq=False)
class Listed:
    """Who was in the table of a release: the name of everybody, and the exact quasi-identifiers in the same order."""

    names: tuple[str | None, ...]
    people: Population


@dataclass(frozen=True, eq=False)
class _Held:
    """What the releases say of each sensitive value: a row for each set of values (a signature) that a group has.

    Release j may hold person ``person[j]`` in a group that is ``group[j]``, pair by pair; ``signature[j]`` is that of
    each group, ``even[j]`` whether all its values are equally frequent, ``sure[j]`` of whom it is certain that the
    release has a row of theirs: it has as many with their quasi-identifiers as the list has people.
    """

    signatures: BoolArray
    person: tuple[IntArray, ...]
    group: tuple[IntArray, ...]
    signature: tuple[IntArray, ...]
    even: tuple[BoolArray, ...]
    sure: tuple[BoolArray, ...]
    people: int


def of_chain(
    view: ReleaseView,
    others: Sequence[ReleaseView],
    folders: Sequence[Path],
    sources: Sequence[Source],
    person: str,
    threshold: float | None,
) -> tuple[list[Line], list[Fault], str]:
    """What all releases together tell, and why it can't be; folders and sources: of the audited one, then others."""
    named = [source.called(person) for source in sources]
    if not person or None in named:
        return [], [], "needs the source of each, with the column that says whose rows they are"
    lists = [listed(source, view.quasi_identifiers, person) for source in sources]
    whole = [people for people in lists if people is not None]
    if len(whole) < len(lists):
        return [], [], "somebody has several rows in a source, or no name"
    if any(other.quasi_identifiers != view.quasi_identifiers for other in others):
        return [], [], "they have other quasi-identifiers"
    views = [view, *others]
    lines, faults = intersected(views, whole, threshold, one_line=are_one_line(views, folders))
    return lines, faults, "" if lines else "they have no sensitive attribute in common, or people can't be placed"


def are_one_line(views: Sequence[ReleaseView], folders: Sequence[Path]) -> bool:
    """Does the latest of these releases say that it was made from all others? Two that follow the same one don't."""
    chains = [view.manifest.get("chain") for view in views]
    earlier = [chain.get("earlier") if isinstance(chain, dict) else None for chain in chains]
    if not all(isinstance(one, list) for one in earlier):
        return False
    own = [sha256(folder / MANIFEST) for folder in folders]
    latest = max(range(len(views)), key=lambda j: len(earlier[j] or ()))
    return {*own} <= {own[latest], *map(str, earlier[latest] or ())}


def listed(source: Source, quasi_identifiers: Sequence[str], person: str) -> Listed | None:
    """Everybody in a source that names its people, a row each; None if a person has several rows, or none is named."""
    counted = source.frequencies([*quasi_identifiers, person])
    names = tuple(counted.values[-1][code] for code in counted.codes[-1].tolist())
    if None in names or len({*names}) < int(counted.counts.sum()):
        return None
    own = Frequencies(counted.values[:-1], counted.codes[:-1], counted.counts)
    return Listed(names, Population(tuple(quasi_identifiers), own))


def intersected(
    views: Sequence[ReleaseView], lists: Sequence[Listed], threshold: float | None = None, *, one_line: bool
) -> tuple[list[Line], list[Fault]]:
    """A line per sensitive attribute that all releases have, the audited one first; and who has lost the signature.

    `one_line` says whether the releases were made from one another: else no rule is about all of them.
    """
    at = [places(view, people.people) for view, people in zip(views, lists, strict=True)]
    lines: list[Line] = []
    faults: list[Fault] = []
    for tally in views[0].tallies:
        tallies = [next((t for t in view.tallies if t.attribute == tally.attribute), None) for view in views]
        known = [one for one in at if one is not None]
        if None in tallies or len(known) < len(at):
            continue
        held = _held(views, [t for t in tallies if t is not None], lists, known)
        one, wrong = _line(views, held, tally.attribute, THRESHOLD if threshold is None else threshold, one_line)
        lines.append(one)
        faults += wrong
    return lines, faults


def _held(
    views: Sequence[ReleaseView], tallies: Sequence[Tally], lists: Sequence[Listed], at: Sequence[Places]
) -> _Held:
    values: dict[str | None, int] = {}
    codes = [np.array([values.setdefault(v, len(values)) for v in t.values], dtype=np.int64)[t.value] for t in tallies]
    sets, even = [], []
    for view, tally, code in zip(views, tallies, codes, strict=True):
        matrix = np.zeros((len(view.sizes), len(values)), dtype=np.bool_)
        matrix[tally.group, code] = True
        largest = np.zeros(len(view.sizes), dtype=np.int64)
        np.maximum.at(largest, tally.group, tally.count)
        sets.append(matrix)
        even.append(largest * matrix.sum(axis=1) == view.sizes)
    together = np.concatenate(sets)
    number = number_equal(list(together.T), len(together))
    first = np.unique(number, return_index=True)[1]
    ends = np.cumsum([0, *(len(one) for one in sets)])
    names: dict[str | None, int] = {}
    person, group, own_sure = [], [], []
    for view, who, fits in zip(views, lists, at, strict=True):
        own = np.array([names.setdefault(name, len(names)) for name in who.names], dtype=np.int64)
        person.append(np.repeat(own, fits.many))
        group.append(fits.groups.astype(np.int64))
        own_sure.append(own[_surely_there(view, who.people)])
    signature = [number[begin:end] for begin, end in itertools.pairwise(ends)]
    sure = [np.isin(np.arange(len(names)), some) for some in own_sure]
    return _Held(together[first], tuple(person), tuple(group), tuple(signature), tuple(even), tuple(sure), len(names))


def _surely_there(view: ReleaseView, people: Population) -> IntArray:
    """Who on a list must have a row in the release, whichever it is."""
    if len(view.tables) == 1:
        own, theirs = combination_codes(view.tables[0], people)
        size = int(max(own.max(initial=-1), theirs.max(initial=-1))) + 1
        rows = np.bincount(own, weights=view.tables[0].frequencies.counts, minlength=size)
        fit = np.bincount(theirs[theirs >= 0], minlength=size)
        return np.flatnonzero((theirs >= 0) & (rows[theirs] == fit[theirs]))
    everybody = view.people == len(people.frequencies.counts)
    return np.arange(view.people if everybody else 0)


def _line(
    views: Sequence[ReleaseView], held: _Held, attribute: str, threshold: float, one_line: bool
) -> tuple[Line, list[Fault]]:
    many = held.signatures.sum(axis=1)
    left = _left(held)
    steady, own = _steady(held)
    steady &= all(len(view.tallies) == 1 for view in views)
    chance = np.ones(held.people)
    chance[steady] = 1.0 / many[own[steady]]
    m = [view.promised(M_INVARIANCE, attribute) for view in views]
    each = all(promise is not None for promise in m)
    chain = each and one_line
    faults: list[Fault] = []
    promised = None
    if chain:
        promised = max(1.0 / float(promise["m"]) for promise in m if promise is not None)
    if each:
        possible, lost = _by_the_rule(held)
        if chain and not lost.any() and all(even.all() for even in held.even):
            chance = np.where(steady, chance, possible)
        if lost.any():
            rule = f"{int(lost.sum()):,} people stand in other signatures than before, which have values in common"
            repair = "do not publish it: make it again with all releases of the chain and their ledger"
            faults.append(Fault("signature_changed", views[0].file, rule, repair, count=int(lost.sum())))
    certain = ~steady & (left == 1) & ~np.full(held.people, chain)
    exact = steady | certain
    here = np.zeros(held.people, dtype=np.bool_)
    here[held.person[0]] = True
    deciding = np.full(held.people, -1, dtype=np.int64)
    deciding[held.person[0]] = held.group[0]
    often = np.zeros(held.people, dtype=np.int64)
    for person in held.person:
        often[np.unique(person)] += 1
    details: dict[str, Any] = {
        "releases": len(views),
        "people_in_several": int((often > 1).sum()),
        "people_with_one_value_left": int((left == 1).sum()),
        "people_of_whom_the_chance_is_exact": int((exact & (often > 0)).sum()),
        "people_above_for_certain": int((exact & (often > 0) & (chance > threshold)).sum()),
    }
    some = np.flatnonzero(often > 0)
    assumes = (
        "That everybody has one value in all releases, and all ways to give values to people are equally likely. Where "
        "it is not proven how likely a value is, it is taken for certain."
    )
    if chain:
        assumes = (
            "That everybody keeps the set of values, or changes it for one without a common value, as the releases "
            "promise; all ways to give values to people that are left by all releases are equally likely."
        )
    made = line(
        adversary="intersection",
        threat=ASSOCIATION,
        title=f"holds {len(views):,} releases, and knows who was in the table each time",
        attribute=attribute,
        knows="All releases, and everybody's name and exact quasi-identifiers at the time of each.",
        assumes=assumes,
        chance=chance[some],
        people=np.ones(len(some), dtype=np.int64),
        group=np.where(here, deciding, -1)[some],
        sizes=views[0].sizes,
        threshold=threshold,
        first_line=views[0].first_line,
        file=views[0].file,
        precision=EXACT if exact[some].all() else AT_MOST,
        promised=promised,
        details=details,
        rounded=ROUNDED,
        whose=views[0].whose,
        of="people",
    )
    return made, faults


def _left(held: _Held) -> IntArray:
    """How many values are left for everybody: those of a group that may be his, in each release that has his row."""
    possible = np.ones((held.people, held.signatures.shape[1]), dtype=np.bool_)
    for person, group, signature, sure in zip(held.person, held.group, held.signature, held.sure, strict=True):
        here = np.zeros_like(possible)
        np.logical_or.at(here, person, held.signatures[signature[group]])
        possible &= here | ~sure[:, None]
    count: IntArray = possible.sum(axis=1)
    return count


def _steady(held: _Held) -> tuple[BoolArray, IntArray]:
    """Whose values can be exchanged everywhere, and the signature of each.

    What begins with one unsteady person or group goes on to all whom it touches, until nobody new is touched.
    """
    own = np.full(held.people, -1, dtype=np.int64)
    steady = np.zeros(held.people, dtype=np.bool_)
    for person, group, signature in zip(held.person, held.group, held.signature, strict=True):
        new = own[person] < 0
        own[person[new]] = signature[group[new]]
        steady[person] = True
    for person, group, signature, even in zip(held.person, held.group, held.signature, held.even, strict=True):
        steady[person[(signature[group] != own[person]) | ~even[group]]] = False
    while True:
        before = int(steady.sum())
        for person, group in zip(held.person, held.group, strict=True):
            touched = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.bool_)
            touched[group[~steady[person]]] = True
            steady[person[touched[group]]] = False
        if int(steady.sum()) == before:
            return steady, own


def _by_the_rule(held: _Held) -> tuple[FloatArray, BoolArray]:
    """The largest chance of a value for whoever knows the rule; and who can't have kept it.

    Of somebody's possible signatures in one release, those count that each other release has one for which is the same,
    or has no value in common. Whoever has none left in a release that may hold him has not kept the rule.
    """
    kinds = len(held.signatures)
    sets = held.signatures.astype(np.float32)
    fits = (((sets @ sets.T) == 0) | np.eye(kinds, dtype=np.bool_)).astype(np.float32)
    may = []
    for person, group, signature in zip(held.person, held.group, held.signature, strict=True):
        own = np.zeros((held.people, kinds), dtype=np.float32)
        own[person, signature[group]] = 1
        may.append(own)
    chance, lost = np.zeros(held.people), np.zeros(held.people, dtype=np.bool_)
    size = held.signatures.sum(axis=1)
    for own, here in zip(may, held.sure, strict=True):
        stays = own > 0
        for other, sure in zip(may, held.sure, strict=True):
            stays &= (other @ fits > 0) | ~sure[:, None]
        lost |= here & ~stays.any(axis=1)
        likely = np.where(stays, 1.0 / np.maximum(size, 1), 0.0).max(axis=1, initial=0.0)
        chance = np.maximum(chance, likely)
    return chance, lost
