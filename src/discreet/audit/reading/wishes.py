"""What people asked to be hidden: a column of the source that no release has, read without the code that judged it.

A cell is ``HIV``, ``HIV | hepatitis`` (both), ``{ulcer, dyspepsia}`` (that it is one of them), ``not cancer``, ``each``
(every single value) or empty; values with other signs stand in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.source import Source
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds.places import places
from discreet.engines.base import Frequencies

NEEDS_SOURCE = "needs what was asked for: the source table, with its wishes"
_NO_PLACE = "rows of the source can't be placed in the groups, so it is not known what is asked for in which"
_UNREADABLE = "the source has wishes that can't be read"

_VALUE = r'(?:\s*"(?:[^"]|"")*"\s*|[^"|{},]+)'
_PART = re.compile(rf"\s*(not(?=[\s{{\"]))?(?:\s*\{{({_VALUE}(?:,{_VALUE})*)\}}\s*|({_VALUE}))", re.IGNORECASE)
_VALUES = re.compile(_VALUE)

Predicate = str | tuple[str, frozenset[str]]  # "each"; or "in" or "not in" some values


@dataclass(frozen=True, eq=False)
class Wishes:
    """Who asked for what: ``predicates[i]``, in the words of a policy, is asked for in the groups ``groups[i]``.

    Either is None where it is not known; `why` says what it would take.
    """

    predicates: tuple[Any, ...] | None = None
    groups: tuple[IntArray, ...] | None = None
    why: str = ""


def read_wishes(source: Source, view: ReleaseView) -> Wishes:
    """The wishes of the people of a source in the groups of a release."""
    roles: Mapping[str, Any] = view.manifest.get("roles") or {}
    column = next((name for name, role in roles.items() if role == "wishes"), None)
    columns = view.quasi_identifiers
    if column is None or not {column, *columns} <= {*source.columns}:
        return Wishes(why=NEEDS_SOURCE)
    person = next((name for name, role in roles.items() if role == "person" and name in source.columns), None)
    counted = source.engine.frequencies([*columns, column], person)  # a release of ours calls columns as its source
    asking: dict[Predicate, set[int]] = {}
    for wish, text in enumerate(counted.values[-1]):
        predicates = predicates_of(text)
        if predicates is None:
            return Wishes(why=_UNREADABLE)
        for predicate in predicates:
            asking.setdefault(predicate, set()).add(wish)
    words, group = tuple(map(in_words, asking)), _groups(view, Population((*columns, column), counted))
    if group is None:
        return Wishes(words, why=_NO_PLACE)
    groups = [np.unique(group[(group >= 0) & _asking(counted, wishes)]) for wishes in asking.values()]
    return Wishes(words, tuple(groups))


def _asking(counted: Frequencies, wishes: set[int]) -> BoolArray:
    """The rows of whoever has one of these wishes in any row."""
    rows: BoolArray = np.isin(counted.codes[-1], list(wishes))
    if counted.person is None:
        return rows
    people = np.unique(counted.person[rows])
    return rows | np.isin(counted.person, people[people >= 0])  # −1: nobody is named


def _groups(view: ReleaseView, listed: Population) -> IntArray | None:
    """The group of each combination, −1 for who is left out; None if somebody may be in several, or nobody fits."""
    placed = places(view, listed) if view.kind.labelled else None
    if placed is None or (placed.only == -2).any():
        return None
    here, people = placed.only >= 0, listed.frequencies.counts
    filled = np.bincount(placed.only[here], weights=people[here], minlength=len(view.sizes))
    return placed.only if np.array_equal(filled, view.sizes) else None


def predicates_of(text: str | None) -> list[Predicate] | None:
    """What a cell asks for; None if it can't be read.

    >>> [in_words(p) for p in predicates_of('HIV | not {ulcer, "a, b"} | each')]
    ['HIV', {'not': ['a, b', 'ulcer']}, {'each': True}]
    >>> predicates_of(" "), predicates_of("HIV |")
    ([], None)
    """
    if text is None or not text.strip():
        return []
    predicates: list[Predicate] = []
    at = 0
    while True:
        part = _PART.match(text, at)
        if part is None or (part.end() < len(text) and text[part.end()] != "|"):
            return None
        negated, members, value = part.groups()
        predicate = _predicate(bool(negated), value, members)
        if predicate is None:
            return None
        predicates.append(predicate)
        if part.end() == len(text):
            return predicates
        at = part.end() + 1


def _predicate(negated: bool, value: str | None, members: str | None) -> Predicate | None:
    kind = "not in" if negated else "in"
    cells = [cell.strip() for cell in ([value] if value is not None else _VALUES.findall(str(members)))]
    if not all(cells):
        return None
    word = cells[0].casefold() if value is not None else ""  # what stands in quotes, or in a set, is no word of ours
    if word == "each":
        return None if negated else "each"
    return None if word == "not" and not negated else (kind, frozenset(map(_plain, cells)))


def _plain(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def in_words(predicate: Predicate) -> Any:
    """A predicate as policies write it."""
    if isinstance(predicate, str):
        return {"each": True}
    kind, values = predicate
    words: Any = next(iter(values)) if len(values) == 1 else sorted(values)
    return {"not": words} if kind == "not in" else words


def asked_for(wishes: Wishes, said: Mapping[str, Any]) -> list[tuple[Any, IntArray | None]] | None:
    """Every predicate of a promise that reads wishes, as it is `said`, with the groups that it is to be judged in.

    No groups means all of them. None if it is not known who asked for what.
    """
    everywhere = [(word, None) for word in said.get("also") or ()]
    if wishes.predicates is None:
        return None
    if said["wishes"] == "united":
        return [*everywhere, *((word, None) for word in wishes.predicates)]
    return None if wishes.groups is None else [*everywhere, *zip(wishes.predicates, wishes.groups, strict=True)]
