"""What a published text stands for, told from the rule of its attribute alone: no table is needed.

A mapping says in parts what its texts mean (see `mapping`), and later rows are published by it. So every text must be
what its parts are written as: ``20-39`` can't stand for everybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.hierarchy import EVERYTHING, Bounded, Rule, Value
from discreet.hierarchies.numbers import parse, plain
from discreet.hierarchies.rules import Cuts, Taxonomy
from discreet.hierarchies.texts import braces_of, leaf_of, possible_ends, set_text, span
from discreet.hierarchies.words import rule_from_words
from discreet.publications.mapping import RangeFinder

_BRACKETS = re.compile(r"[\[(](\S+), (\S+)\)")
_OPEN_END = re.compile(r"(>=|<=|<)(\S+)")
_NONE = object()
_LITTLE, _FAR = Decimal("1e-9"), 10**18  # beside and beyond the numbers that people have
_PERIOD = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|([0-9]{2})|([0-9]{4})))?")


def rule_as_told(words: object) -> Rule:
    """The rule of a manifest or mapping, for reading what is published. Where it leaves open whether there are
    decimals, there may be some.

    >>> rule_as_told({"cuts": [[40]]}).path("39.5"), rule_as_told({"cuts": [[40]], "decimals": False}).path("40")
    (('<40',), ('>=40',))
    """
    if isinstance(words, Mapping) and {"intervals", "cuts"} & words.keys():
        words = {"decimals": True, **words}
    return rule_from_words(words, "", Path(), [], [])


def height(rule: Rule) -> int:
    """The number of the last level, where everything is ``*``."""
    return len(rule.path(None)) + 1


def is_name(rule: Rule, level: int, text: Value) -> bool:
    """Is this what some value becomes at a level?

    >>> from discreet.hierarchies.rules import Dates, Intervals, Prefixes
    >>> ages = Intervals((5, 20), top=90)
    >>> is_name(ages, 2, "20-39"), is_name(ages, 1, "20-39"), is_name(ages, 1, ">=90"), is_name(ages, 0, "x")
    (True, False, True, False)
    >>> is_name(Prefixes((3,)), 1, "479**"), is_name(Prefixes((3,)), 1, "47906"), is_name(Dates(), 2, "2024-Q1")
    (True, False, True)
    """
    if level == height(rule):
        return text == EVERYTHING
    if level == 0:
        return _has_path(rule, leaf_of(text))
    if isinstance(rule, Taxonomy):
        return any(path[level - 1] == text for path in rule.paths.values()) or not text
    return next(_members(rule, level, text), _NONE) is not _NONE


def ranges_of(listed: Sequence[Sequence[Any]], attribute: str, words: object) -> tuple[IntArray, IntArray]:
    """The first and the last leaf of what published texts stand for, given in parts, among the values that they name.

    So texts can be compared that stand for more than one value each, by whoever has the release alone.

    >>> ages = {"intervals": [10], "decimals": False}
    >>> low, high = ranges_of([[["", "20", "39"]], [[0, "25"]], [[1, "30-39"]]], "age", ages)
    >>> low.tolist(), high.tolist()
    ([0, 1, 2], [3, 1, 3])
    >>> ranges_of([[[2, "*"]]], "age", {"intervals": [10]})
    (array([0]), array([0]))
    """
    rule = rule_as_told(words)
    named = dict.fromkeys(value for parts in listed for part in parts for value in _values_of(rule, part))
    hierarchy = build(attribute, named, rule)
    # Where nothing but everything is published, no value is named, and a hierarchy of no values has no levels.
    finder = RangeFinder(hierarchy)
    runs = [finder.find(parts) if hierarchy.leaves else [] for parts in listed]
    low = [min((first for first, _ in each), default=0) for each in runs]
    high = [max((last for _, last in each), default=len(named)) for each in runs]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


def _values_of(rule: Rule, part: Sequence[Any]) -> Iterator[Value]:
    """Values that a part names, or some that it stands for."""
    if part[0] in ("set", ""):
        yield from part[1:]
    elif part[0] == 0:
        yield leaf_of(part[1])
    elif len(part) == 3:
        for value in part[1:]:
            yield value
            yield from _members(rule, part[0], rule.path(value)[part[0] - 1])
    elif part[0] < height(rule) and not isinstance(rule, Taxonomy):  # which knows its leaves
        yield from _members(rule, part[0], part[1])


def _members(rule: Rule, level: int, text: Value) -> Iterator[Value]:
    """Values that become this text at a level, the first and the last one among them; nothing if none do."""
    text = leaf_of(text)
    return (value for value in _examples(text) if _has_path(rule, value) and rule.path(value)[level - 1] == text)


def stands_for(rule: Rule, text: Value, parts: Sequence[Any]) -> bool:
    """Is the text what these parts of a mapping are written as?

    >>> from discreet.hierarchies.rules import Flat, Intervals
    >>> ages = Intervals((20,))
    >>> stands_for(ages, "20-39", [[1, "20-39"]]), stands_for(ages, "20-39", [["", "0", "200"]])
    (True, False)
    >>> stands_for(ages, "{25-33, NULL}", [["", "25", "33"], [0, None]]), stands_for(Flat(), "a", [["set", "a", "b"]])
    (True, False)
    """
    match parts:
        case [["set", *members]] if not rule.ordered:
            return len(members) > 1 and all(is_name(rule, 0, m) for m in members) and _is_set(text, members)
        case [["", str() as first, str() as last], *blanks] if rule.ordered and _in_order(rule, first, last):
            return _with_blanks(text, span(first, last), blanks)
        case [[int() as level, str() as first, str() as last], *blanks] if isinstance(rule, Bounded):
            return _is_run(rule, text, level, first, last, blanks)
        case [[1, _], [1, _], *_] if isinstance(rule, Cuts):
            return _is_joined(rule, text, parts)
        case [[level, name], *blanks] if type(level) is int and 0 <= level <= height(rule):
            if not is_name(rule, level, name) or (level and _means_a_leaf(rule, level, name)):
                return False
            return _with_blanks(text, name, blanks) or _is_listed(rule, text, parts)
    return False


def on_boundaries(rule: Rule, parts: Sequence[Any]) -> bool:
    """Do the parts of a text end where nodes of the hierarchy do? A single value does, in one spelling or several.

    >>> from discreet.hierarchies.rules import Intervals
    >>> ages = Intervals((20,))
    >>> on_boundaries(ages, [[1, "20-39"]]), on_boundaries(ages, [[0, "37"]]), on_boundaries(ages, [["", "25", "33"]])
    (True, True, False)
    >>> on_boundaries(ages, [[0, "37"], [0, "37.0"]]), on_boundaries(ages, [[0, "37"], [0, None]])
    (True, False)
    """
    if not rule.ordered:
        return True
    exact = [value for level, value, *_ in parts if level == 0 and value]
    if any(part[0] == "" for part in parts) or (exact and len(exact) < len(parts)):
        return False
    return len({_size(value) for value in exact}) <= 1


def _size(value: str) -> object:
    """The day, or the number, that is written."""
    day = parse_date(value)
    return parse(value) if day is None else day[0]


def _is_run(rule: Bounded, text: Value, level: int, first: str, last: str, blanks: Sequence[Any]) -> bool:
    """Is it what all from the node of one value to that of another is written as? Only values that stand for nodes will
    do: others could be somebody's."""
    if not rule.unit <= level < height(rule) or not _in_order(rule, first, last):
        return False
    if any(rule.stand_in(value, level) != value for value in (first, last)):
        return False
    members = rule.joined(first, last, level)
    values = [value for _, value in blanks]
    known = all(type(at) is int and at == 0 and not value for at, value in blanks) and len({*values}) == len(values)
    return text == members[0] if len(members) == 1 and not blanks else known and _is_set(text, [*members, *values])


def _is_joined(rule: Cuts, text: Value, parts: Sequence[Any]) -> bool:
    """Is it the interval that several neighbours make together, maybe with the empty string and NULL?"""
    ends = rule.ends()
    inner = [name for level, name in parts if level == 1]
    if parts[: len(inner)] != [[1, name] for name in inner] or not all(name in ends for name in inner):
        return False
    if any(ends[a][1] is None or ends[a][1] != ends[b][0] for a, b in pairwise(inner)):
        return False
    return _with_blanks(text, rule.name_between(ends[inner[0]][0], ends[inner[-1]][1]), parts[len(inner) :])


def _with_blanks(text: Value, base: Value, blanks: Sequence[Any]) -> bool:
    """Is it this text, or the set of it with the empty string and NULL?"""
    if not blanks:
        return text == base
    values = [value for _, value in blanks]
    known = all(type(level) is int and level == 0 and not value for level, value in blanks)
    return known and len({*values}) == len(values) and _is_set(text, [base, *values])


def _is_listed(rule: Rule, text: Value, parts: Sequence[Any]) -> bool:
    """Is it the set of single values, or that with the empty string and NULL beside it?"""
    if not rule.ordered or any(type(level) is not int or level != 0 or not is_name(rule, 0, v) for level, v in parts):
        return False
    values = [value for _, value in parts]
    filled = [value for value in values if value]
    blank = values[len(filled) :]
    nested = [set_text(filled, braces) for braces in range(1, braces_of(text) + 2)] if blank else []
    return _is_set(text, values) or any(_is_set(text, [base, *blank]) for base in nested)


def _is_set(text: Value, members: Sequence[Value]) -> bool:
    """Is it the set of these? One of them may be ``*``, which is written as a set of itself when it is alone."""
    braces = braces_of(text)
    stars = [i for i, member in enumerate(members) if leaf_of(member) == EVERYTHING]
    written = [list(members), *([*members[:i], EVERYTHING, *members[i + 1 :]] for i in stars)]
    return braces > 0 and any(text == set_text(each, braces) for each in written)


def _means_a_leaf(rule: Rule, level: int, name: Value) -> bool:
    """Is a name that several values share also the name of one of them? That one has it then."""
    if not isinstance(rule, Taxonomy) or name not in rule.paths or level == height(rule):
        return False
    return sum(path[level - 1] == name for path in rule.paths.values()) > 1


def _in_order(rule: Rule, first: str, last: str) -> bool:
    both = _has_path(rule, first) and _has_path(rule, last) and first and last
    return bool(both) and rule.order(first) <= rule.order(last)


def _has_path(rule: Rule, value: Any) -> bool:
    """Can the rule place it?"""
    if value is not None and not isinstance(value, str):
        return False
    try:
        rule.path(value)
    except HierarchyError:
        return False
    return True


def _examples(text: Value) -> Iterator[Value]:
    """Values that may become this text, if any do, the first and the last among them: for all that our rules write."""
    yield text
    if not text or len(text) > 200:
        return
    yield from (end for ends in possible_ends(text) for end in ends)
    if ends := _BRACKETS.fullmatch(text):
        low, high = parse(ends[1]), parse(ends[2])
        yield ends[1]
        if low is not None and high is not None:
            width = Decimal(high) - Decimal(low)
            yield from (plain(Decimal(low) + width * share) for share in (_LITTLE, 1 - _LITTLE))
    if end := _OPEN_END.fullmatch(text):
        number = parse(end[2])
        yield end[2]
        if number is not None:
            yield from (plain(number + step) for step in (-1, -_LITTLE, -_FAR, _FAR))
    if period := _PERIOD.fullmatch(text):
        year, quarter, month, decade = period.groups()
        first, last = (3 * int(quarter) - 2, 3 * int(quarter)) if quarter else (int(month or 1), int(month or 12))
        for day in ("28", "29", "30", "31"):
            yield f"{decade or year}-{last:02}-{day}"
        yield f"{year}-{first:02}-01"
