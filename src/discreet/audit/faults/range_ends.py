"""Ranges that begin and end at somebody's value: ``1925-02-10 to 1972-04-08`` tells two birthdays.

A release of ours says of each column where its ranges end. Whether that is so is looked up here by code of its own, and
where they may end at values, it is told. Of other tools' releases only the source can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from discreet.audit.faults.group_faults import first_line
from discreet.audit.kinds.registry import OWN_LABELS
from discreet.audit.lines import Fault
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.folder import AGAIN
from discreet.audit.reading.labels import Between, Label, OneOf, Values
from discreet.audit.reading.view import Region, ReleaseView
from discreet.files.numbers import exact_number

AT_VALUES, ELSEWHERE = "ranges_end_at_values", "range_off_boundaries"
_NEARLY_ALL = 0.9  # of the ranges: fewer may end at a value by chance
_REPAIR = "write ranges: hierarchy, and give the column a hierarchy with boundaries of its own"
_MOST = 2**53  # beyond, labels were read as numbers that are not exact
_KINDS = (None, *OWN_LABELS)  # None: of other tools
_FIRST_MONTHS = {"month": range(1, 13), "quarter": (1, 4, 7, 10), "year": (1,), "decade": (1,)}


def range_ends(view: ReleaseView, table: Population | None) -> Iterator[Fault]:
    """What is wrong with the ends of ranges, or should be known of them; `table` is the source, where it is given."""
    promised = view.manifest.get("ranges") or {}
    words = view.manifest.get("hierarchies") or {}
    for region in view.regions:
        ranges = [_ranges(label) for label in region.labels]
        if not any(ranges):
            continue
        place = f"{view.file}: {region.attribute}"
        rule = words.get(region.attribute) or {}
        off = np.array([not all(_on_boundaries(part, rule) for part in parts) for parts in ranges], dtype=np.bool_)
        if promised.get(region.attribute) == "hierarchy":
            if off.any():
                many = _so_many(int(off.sum()), len(off))
                line = first_line(view, np.flatnonzero(off[region.label]))
                says = f"{many} end elsewhere than on the boundaries of the hierarchy, which the manifest denies"
                yield Fault(ELSEWHERE, place, says, AGAIN, int(off.sum()), line)
        elif promised.get(region.attribute) == "values" and off.any():
            many = _so_many(int(off.sum()), sum(map(bool, ranges)))
            says = f"{many} begin and end at values that somebody in the table has, as the release says itself"
            yield Fault(AT_VALUES, place, says, _REPAIR, int(off.sum()), grave=False)
        elif table is not None and "ranges" not in view.manifest and view.manifest.get("publish") in _KINDS:
            yield from _at_values(region, ranges, table, place)


def _at_values(region: Region, ranges: Sequence[Sequence[Between]], table: Population, place: str) -> Iterator[Fault]:
    """Are nearly all of the ranges from one value of the source to another, and on no grid?"""
    values = Values(table.frequencies.values[table.columns.index(region.attribute)])
    parts = [part for each in ranges for part in each]
    there = {dates: {*_known(values, dates)} for dates in (False, True)}
    inner = [part for part in parts if part.low is not None and part.high is not None]
    at_values = sum(_last(part) in there[part.dates] and part.low in there[part.dates] for part in inner)
    if len(inner) > 1 and at_values >= _NEARLY_ALL * len(inner) and not _on_a_grid(inner):
        says = f"{_so_many(at_values, len(parts))} begin and end at values that somebody in the table has"
        yield Fault(AT_VALUES, place, says, "publish ranges with ends of their own", at_values, grave=False)


def _so_many(some: int, all_of_them: int) -> str:
    return (
        f"{some:,} of {all_of_them:,} ranges" if some < all_of_them else f"{some:,} {'ranges' if some > 1 else 'range'}"
    )


def _ranges(label: Label) -> list[Between]:
    parts = label.ranges if isinstance(label, OneOf) else (label,) if isinstance(label, Between) else ()
    return [part for part in parts if _is_wide(part)]


def _is_wide(part: Between) -> bool:
    """More than a single day: one that is published by itself is nobody's end."""
    return not part.dates or part.low is None or part.high is None or part.high - part.low > 1


def _known(values: Values, dates: bool) -> list[float]:
    at = np.floor(values.moments) if dates else values.numbers
    return [float(n) for n in at if n == n]


def _last(part: Between) -> float | None:
    """The last day, or number, that a range names."""
    if part.high is None or not part.dates:
        return part.high
    return part.high if part.high_included else part.high - 1


def _on_a_grid(parts: Sequence[Between]) -> bool:
    """Do all ranges begin at multiples of something more than the finest step of their ends, or at first days?"""
    if parts[0].dates:
        return all(date.fromordinal(int(part.low or 1)).day == 1 for part in parts)
    ends = [_exact(part.low or 0) for part in parts]
    finest = max(end.denominator for end in [*ends, *(_exact(part.high or 0) for part in parts)])
    return gcd(*(int((end - ends[0]) * finest) for end in ends)) != 1


def _on_boundaries(part: Between, words: Mapping[str, Any]) -> bool:
    """Does a range begin and end where values of the hierarchy's levels do?

    >>> ages = {"intervals": [5, 10], "origin": 0, "top": 90}
    >>> [_on_boundaries(part, ages) for part in (Between(20, 34), Between(22, 34), Between(85, None))]
    [True, False, True]
    >>> _on_boundaries(Between(20, 35, high_included=False), {"cuts": [[20, 35]]})
    True
    """
    try:
        return _between_boundaries(part, words)
    except ValueError:  # a rule that was not written by us has no boundaries
        return False


def _between_boundaries(part: Between, words: Mapping[str, Any]) -> bool:
    low, high = part.low, part.high
    if not part.dates and max(abs(low or 0), abs(high or 0)) > _MOST:
        return True
    if part.dates:
        return all(end is None or _begins(end, words.get("dates")) for end in (low, high))
    bottom = words.get("bottom")
    if high is not None and bottom is not None and _exact(high) == _exact(bottom):
        return low is None and part.high_included
    above = None if high is None else _exact(high) + part.high_included
    return all(end is None or _is_boundary(end, words) for end in (None if low is None else _exact(low), above))


def _is_boundary(end: Fraction, words: Mapping[str, Any]) -> bool:
    """Single numbers are no intervals, unless there are decimals (or nothing tells)."""
    if "cuts" in words:
        return end in {_exact(cut) for cuts in _list(words["cuts"]) for cut in _list(cuts)}
    widths = [width for width in map(_exact, _list(words.get("intervals"))) if width > 0]
    coarse = [width for width in widths if width != 1 or words.get("decimals") is not False]
    outer = [_exact(words[word]) for word in ("top", "bottom") if words.get(word) is not None]
    outer += [_exact(words["bottom"]) + 1] if words.get("bottom") is not None else []
    return end in outer or any((end - _exact(words.get("origin") or 0)) % width == 0 for width in coarse[:1])


def _begins(end: float, levels: object) -> bool:
    """Is it the first day of a month, a quarter, a year or a decade, the finest of these that there is?"""
    if end > date.max.toordinal():
        return True
    finest = next((level for level in _list(levels) if isinstance(level, str) and level in _FIRST_MONTHS), None)
    day = date.fromordinal(int(end))
    tens = finest != "decade" or day.year % 10 == 0 or day.year == 1
    return finest is not None and end == int(end) and day.day == 1 and day.month in _FIRST_MONTHS[finest] and tens


def _exact(number: object) -> Fraction:
    exact = exact_number(number)
    if exact is None:
        raise ValueError("no number")
    return exact


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
