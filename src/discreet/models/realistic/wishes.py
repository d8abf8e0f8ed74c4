"""Wishes: what one person wants to be hidden, as she writes it in a cell of a table.

HIV                     that she has it
HIV | hepatitis         that she has the one, and that she has the other
{ulcer, dyspepsia}      that she has one of them
not cancer              that she does not have it
each                    every single value, whichever is hers
(nothing)               nothing more than what is promised to everybody

Values with ``| { } , "`` in them, or with spaces at an end, stand in quotes, as does a value that is called ``each``,
or ``not …`` outside of braces; a quote within quotes is doubled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.groups import Tally
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.realistic.predicates import Predicate, Predicates

_PLACE = "realistic.predicates.wishes"
_GRAMMAR = (
    'write HIV, HIV | hepatitis, {ulcer, dyspepsia}, not cancer, each or nothing; values with other characters in "…"'
)
_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([|{},])|([^"|{},]+))')
_NOT = re.compile(r"not(?:\s+|$)", re.IGNORECASE)

Token = tuple[str, str]  # a sign as it is; or "value" (in quotes) or "word" (without), and what it says


class _Unreadable(Exception):
    """A wish that means nothing; the rule that it breaks."""


@dataclass(frozen=True)
class Wish:
    """What somebody wants hidden; None: nothing.

    `doubtful` are texts without quotes that were read as a negation, and may be the name of a value.
    """

    predicates: Predicates | None = None
    doubtful: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Wishes:
    """All wishes of a table, in numbers: wish w asks for ``listed[i]``, i in ``numbers[starts[w]:starts[w + 1]]``.

    If `each` [w], it also asks for every single value.
    """

    listed: tuple[Predicate, ...]
    starts: IntArray
    numbers: Codes
    each: BoolArray

    def of(self, wish: int) -> Predicates | None:
        """What a wish asks for; None if it is nothing."""
        numbers = self.numbers[self.starts[wish] : self.starts[wish + 1]].tolist()
        return _some(tuple(self.listed[i] for i in numbers), bool(self.each[wish]))

    def united(self) -> Predicates | None:
        """What anybody asks for; None if nobody does."""
        return _some(self.listed, bool(self.each.any()))


def _some(listed: tuple[Predicate, ...], each: bool) -> Predicates | None:
    return Predicates(listed, each) if listed or each else None


def read_wish(text: Value) -> Wish | str:
    """What a cell means, or the rule that it breaks.

    >>> [str(p) for p in read_wish('HIV | {ulcer, "a, b"} | not cancer').predicates.listed]
    ['is HIV', 'is in {ulcer, a, b}', 'is not cancer']
    >>> read_wish("each").predicates.each_value, read_wish("  ").predicates, read_wish("{ulcer, dyspepsia")
    (True, None, 'a set that is not closed')
    """
    if text is None or not text.strip():
        return Wish()
    try:
        parts: list[list[Token]] = [[]]
        for token in _tokens(text):
            if token[0] == "|":
                parts.append([])
            else:
                parts[-1].append(token)
        predicates = [_predicate(part) for part in parts]
    except _Unreadable as error:
        return str(error)
    listed = tuple(p for p in predicates if p is not None)
    doubtful = [part[0][1] for part in parts if len(part) == 1 and part[0][0] == "word" and _NOT.match(part[0][1])]
    return Wish(Predicates(listed, each_value=len(listed) < len(predicates)), tuple(doubtful))


def _tokens(text: str) -> Iterator[Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        token = _TOKEN.match(text, at)
        if token is None:
            raise _Unreadable("a quote that is not closed")
        quoted, sign, word = token.groups()
        at = token.end()
        if sign is not None:
            yield sign, sign
        else:
            yield ("value", quoted.replace('""', '"')) if quoted is not None else ("word", word.strip())


def _predicate(tokens: list[Token]) -> Predicate | None:
    """What stands between two bars; None: every single value."""
    if not tokens:
        raise _Unreadable("nothing beside a bar")
    kind, said = tokens[0]
    if kind == "word" and said.casefold() == "each" and len(tokens) == 1:
        return None
    negation = _NOT.match(said) if kind == "word" else None
    if negation is not None:
        rest = said[negation.end() :]
        tokens = [("word", rest), *tokens[1:]] if rest else tokens[1:]
    if tokens and tokens[0][0] == "{":
        return Predicate(_members(tokens), negation is not None)
    if len(tokens) != 1:
        raise _Unreadable("a value that is missing" if not tokens else "characters that need quotes around the value")
    if negation is not None and tokens[0][0] == "word" and tokens[0][1].casefold() == "each":
        raise _Unreadable("not each, which means nothing")
    return Predicate((_value(tokens[0]),), negation is not None)


def _members(tokens: list[Token]) -> tuple[str, ...]:
    """The values of a set."""
    if tokens[-1][0] != "}":
        raise _Unreadable("a set that is not closed")
    inside = tokens[1:-1]
    if len(inside) % 2 == 0 or any(token[0] != "," for token in inside[1::2]):
        raise _Unreadable("a set that is not values with commas between them")
    return tuple(_value(token) for token in inside[::2])


def _value(token: Token) -> str:
    kind, said = token
    if kind not in ("value", "word"):
        raise _Unreadable("characters that need quotes around the value")
    return said


@lru_cache(maxsize=8)
def read_wishes(texts: Hierarchy) -> Wishes:
    """The wishes whose texts are the leaves of a hierarchy. One that can't be read is refused: `wish_mistakes`."""
    listed: dict[Predicate, int] = {}
    starts, numbers, each = [0], [], []
    for text in texts.leaves:
        wish = read_wish(text)
        if isinstance(wish, str):
            raise DataError(Mistake(_PLACE, f"{texts.attribute} has {wish}", _GRAMMAR))
        predicates = wish.predicates
        each.append(predicates is not None and predicates.each_value)
        numbers += [listed.setdefault(p, len(listed)) for p in (() if predicates is None else predicates.listed)]
        starts.append(len(numbers))
    return Wishes(
        tuple(listed),
        np.array(starts, dtype=np.int64),
        np.array(numbers, dtype=np.int32),
        np.array(each, dtype=np.bool_),
    )


def wish_mistakes(wishes: Tally, protected: Hierarchy) -> list[Mistake]:
    """Wishes that can't be read, or that name values which the protected column has not: each rule, and how many rows
    break it. Never what somebody wrote: it may say what she has.
    """
    rows: Counter[str] = Counter()
    for text, count in zip(wishes.hierarchy.leaves, wishes.reference.tolist(), strict=True):
        wish = read_wish(text)
        if isinstance(wish, str):
            rows[wish] += count
        elif any(doubtful in protected.index for doubtful in wish.doubtful):
            rows[f"'not …' without quotes, which is also the name of a value of {protected.attribute}"] += count
        elif wish.predicates is not None and any(
            value not in protected.index for p in wish.predicates.listed for value in p.values
        ):
            rows[f"a value that {protected.attribute} does not have"] += count
    column = wishes.hierarchy.attribute
    return [
        Mistake(_PLACE, f"{count:,} {'row has' if count == 1 else 'rows have'} in {column} {rule}", _GRAMMAR)
        for rule, count in rows.items()
    ]
