"""From a rule and the values of a column to a coded hierarchy, checked to nest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain, count, pairwise
from random import Random

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.errors import HierarchyError, Mistake, offenders, shown
from discreet.hierarchies.base import Misfit
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.hierarchy import EVERYTHING, Bounded, Hierarchy, Rule, Value
from discreet.hierarchies.numbers import parse
from discreet.hierarchies.texts import set_text

MOST_IN_SETS = 2000  # a set is published with all its values: so many times each group
_LOOKED_AT = 1000  # so many values tell how fine a column is
_NEARLY_ALL = 0.9  # a few halves among whole ages hide none of the others


def build(attribute: str, values: Iterable[Value], rule: Rule) -> Hierarchy:
    """Place every value of a column (and every leaf the rule knows besides) under `rule`.

    Two values that are together on one level stay together on all coarser ones, and what is one value on some level is
    one range of leaves. The order in which the values come makes no difference. Values that the rule can't place, and
    levels that don't nest, are all reported at once.
    """
    place = f"attributes.{attribute}.hierarchy"
    domain = dict.fromkeys(chain(rule.extra_leaves(), values))
    paths = paths_of(place, domain, rule)
    if rule.ranges and not rule.ordered and len(domain) > MOST_IN_SETS:
        why = f"sets of more than {MOST_IN_SETS:,} values can't be written out, and there are {len(domain):,}"
        raise HierarchyError(Mistake(place, why, "leave `sets` out"))
    texts = sorted(value for value in domain if value is not None)  # so that equal ranks have one order, too
    ranked = sorted([*texts, None] if None in domain else texts, key=rule.order)
    columns = list(zip(*(paths[value] for value in ranked), strict=True))
    mistakes = nesting_mistakes(place, columns)
    if mistakes:
        raise HierarchyError(*mistakes)
    # Sort by the coarsest level first; on each, by the first leaf. So every name becomes one range.
    numbered = [_numbered(names) for names in columns]
    order = np.lexsort(numbered) if numbered else np.arange(len(ranked))
    leaves = tuple(ranked[i] for i in order)
    codes: list[Codes] = [np.arange(len(leaves), dtype=np.int32)]
    labels = [_published(leaves, codes[0], leaves, (domain, *columns))]
    for numbers in numbered:
        starts = np.diff(numbers[order], prepend=-1) != 0
        codes.append((np.cumsum(starts) - 1).astype(np.int32))
        names = [paths[leaves[i]][len(labels) - 1] for i in np.flatnonzero(starts)]
        labels.append(_published(names, codes[-1], leaves, (domain, *columns)))
    codes.append(np.zeros(len(leaves), dtype=np.int32))
    labels.append((EVERYTHING,) if leaves else ())
    return Hierarchy(attribute, rule, leaves, tuple(codes), tuple(labels))


def bounded(hierarchy: Hierarchy) -> Hierarchy:
    """The same, with ranges that end on the boundaries of its levels; where its rule has none, as it is.

    A level as fine as the values has no boundaries that hide them: of costs to the cent, intervals of a cent tell each.
    So ranges are made of the finest level of the rule beyond those.

    >>> from discreet.hierarchies.rules import Intervals
    >>> ages = bounded(build("age", ["22", "27", "33", "37"], Intervals((5, 20))))
    >>> ages.cover(0, 2), ages.label(*ages.cover(0, 2)), ages.label(*ages.cover(1, 1))
    ((0, 2), '20-34', '27')
    >>> tens = bounded(build("age", ["20", "30", "40", "50", "70"], Intervals((5, 20))))
    >>> tens.label(*tens.cover(1, 2))
    '20-59'
    """
    rule = hierarchy.rule
    if not isinstance(rule, Bounded) or not rule.ranges:
        return hierarchy
    hiding = (level for level in range(rule.unit, hierarchy.height) if not _tells_values(hierarchy.leaves, rule, level))
    return replace(hierarchy, unit=next(hiding, hierarchy.height))


def _tells_values(leaves: Sequence[Value], rule: Bounded, level: int) -> bool:
    """Does what values become at a level tell nearly all of them, for all stand at one place in it?

    Whole numbers in intervals of 1, salaries in hundreds in intervals of 50, days of birth that are all the first (or
    the fifteenth) of a month. With one value alone there is nothing to see.
    """
    values = [value for value in leaves if value]
    if len(values) > _LOOKED_AT:  # at random: of cents in order, every hundredth is a whole number
        values = Random(0).sample(values, _LOOKED_AT)
    places = Counter(_place_in_node(value, rule.stand_in(value, level)) for value in values)
    return len(values) > 1 and None not in places and max(places.values()) >= _NEARLY_ALL * len(values)


def _place_in_node(value: str, first: str) -> object:
    """How far a number, or a day, is from where its interval begins."""
    day, begin = parse_date(value), parse_date(first)
    if day is not None and begin is not None:
        return day[0].year - begin[0].year, day[0].month - begin[0].month, day[0].day
    number, start = parse(value), parse(first)
    return None if number is None or start is None else Decimal(number) - Decimal(start)


def nesting_mistakes(
    place: str, columns: Sequence[Sequence[Value]], lines: Sequence[int] | None = None
) -> list[Mistake]:
    """Names that have more than one parent on the next level; `columns[i]` has the names of level i + 1, by leaf.

    With `lines`, those of the leaves in a file, only these are told: the file may be another than was meant.
    """
    mistakes = []
    for level, (names, above) in enumerate(pairwise(columns), start=1):
        pairs = dict.fromkeys(zip(names, above, strict=True))
        if len(pairs) == len(set(names)):
            continue
        parents: dict[Value, int] = {}
        for name, _ in pairs:
            parents[name] = parents.get(name, 0) + 1
        torn = [name for name, several in parents.items() if several > 1]
        which = offenders(torn)
        if lines is not None:
            many = set(torn)
            which = at_lines([line for name, line in zip(names, lines, strict=True) if name in many])
        rule = f"levels {level} and {level + 1} don't nest; of level {level}, more than one parent: {which}"
        mistakes.append(Mistake(place, rule, "give each of them one parent"))
    return mistakes


def at_lines(lines: Sequence[int]) -> str:
    """
    >>> at_lines([7]), at_lines([7, 9]), at_lines(range(1, 15))
    ('line 7', 'lines 7, 9', 'lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4 more')
    """
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {offenders(lines)}"


def paths_of(place: str, domain: Iterable[Value], rule: Rule) -> dict[Value, tuple[Value, ...]]:
    """What each value becomes; all values that can't be placed are reported together."""
    paths: dict[Value, tuple[Value, ...]] = {}
    misfits: dict[tuple[str, str], list[Value]] = {}
    for value in domain:
        try:
            paths[value] = rule.path(value)
        except Misfit as misfit:
            misfits.setdefault((misfit.rule, misfit.repair), []).append(value)
    if misfits:
        raise HierarchyError(
            *(
                Mistake(place, f"{why}: {_told(sorted(values, key=str), rule)}", repair)
                for (why, repair), values in sorted(misfits.items())
            )
        )
    return paths


_NAMED = 10  # so many values are told as they are
_DIGIT = re.compile(r"\d")


def _told(values: Sequence[Value], rule: Rule) -> str:
    """Values that a rule can't place.

    Many numbers or dates are told by how they are written: an amount to the cent is one person's, and it is the way of
    writing that has to be mended. Names that a taxonomy lacks are told, since they have to be added.

    >>> from discreet.hierarchies.intervals import Intervals
    >>> _told(["1.5", "x"], Intervals((5,)))
    "'1.5', 'x'"
    >>> _told([f"{n}.50" for n in range(1, 12)], Intervals((5,)))
    "11 values, written like '9.99' or '99.99' (9 is any digit)"
    """
    texts = [value for value in values if value and _DIGIT.search(value)]
    if len(values) <= _NAMED or len(texts) < len(values) or not rule.ordered:
        return offenders(values)
    forms = Counter(_DIGIT.sub("9", text) for text in texts)
    usual = " or ".join(shown(form) for form, _ in forms.most_common(3))
    return f"{len(values):,} values, written like {usual} (9 is any digit)"


def _numbered(names: Sequence[Value]) -> IntArray:
    """Each name's number in the order of first appearance."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def _published(
    names: Sequence[Value], codes: Codes, leaves: Sequence[Value], known: Iterable[Iterable[Value]]
) -> tuple[Value, ...]:
    """The names of a level, but a part that calls itself ``*`` as the set of its leaves: ``*`` means everything.

    None of the `known` names will do for it.
    """
    if EVERYTHING not in names or len(names) == 1:
        return tuple(names)
    at = names.index(EVERYTHING)
    members = [leaves[i] for i in np.flatnonzero(codes == at).tolist()]
    taken = set(chain.from_iterable(known))
    text = next(t for t in (set_text(members, braces) for braces in count(1)) if t not in taken)
    return (*names[:at], text, *names[at + 1 :])
