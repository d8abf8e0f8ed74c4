"""What a value of the source is called in a release that publishes its column as something coarser.

Written from the description of the words, not with the code that made the release: a second opinion on what every
row of the source should look like.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from discreet.audit.reading.labels import NUMBER, moment

Text = str | None
_EXACT = re.compile(rf"\s*{NUMBER}\s*")
_BOUNDS = re.compile(rf"[\[(]?({NUMBER})(?:-|, | to )({NUMBER})\)?")
_OPEN = re.compile(rf"(<|<=|>=)({NUMBER})")


def called(words: Mapping[str, Any], values: Sequence[Text]) -> dict[Text, Text]:
    """The text that stands for each value, where it is another; NULL and "" stay what they are, unless they are listed.

    >>> called({"intervals": [100], "decimals": True}, ["119.90", None]), called({"cuts": [[18, 65]]}, ["70"])
    ({'119.90': '[100, 200)'}, {'70': '>=65'})
    >>> called({"dates": ["quarter"]}, ["2024-03-05"]), called({"prefixes": [3]}, ["47906", "479"])
    ({'2024-03-05': '2024-Q1'}, {'47906': '479**'})
    >>> called({"taxonomy": [["I21", "I20-I25", "heart"]], "level": 2}, ["I21"]), called({"intervals": [5]}, ["old"])
    ({'I21': 'heart'}, {})
    """
    name = _named(words) if "taxonomy" in words else _ruled(words)
    return {value: text for value in values if (text := name(value)) != value}


def order_of(label: str) -> tuple[Fraction, int, str] | None:
    """What labels of intervals are sorted by; None for a text that is none.

    >>> labels = ["[1000, 1100)", ">=5000", "[200, 300)", "<100", "100-199", "(50, 60)", "<=50"]
    >>> sorted(labels, key=order_of)
    ['<=50', '(50, 60)', '<100', '100-199', '[200, 300)', '[1000, 1100)', '>=5000']
    """
    if _EXACT.fullmatch(label):
        return Fraction(label), 0, label
    if ends := _BOUNDS.fullmatch(label):
        return Fraction(ends[1]), 1 if label[0] == "(" else 0, label
    if end := _OPEN.fullmatch(label):
        return Fraction(end[2]), -1 if end[1] == "<" else 0, label
    return None


def _named(words: Mapping[str, Any]) -> Callable[[Text], Text]:
    """By a list: the names of each value, level by level. NULL goes with the empty text, where only that is listed."""
    level = words.get("level", 1)
    paths = {row[0]: row for row in words["taxonomy"]}

    def name(value: Text) -> Text:
        path = paths.get(value, paths.get("") if value is None else None)
        if path is None or not isinstance(level, int) or not 0 < level < len(path):
            return value
        return None if path[level] is None else str(path[level])

    return name


def _ruled(words: Mapping[str, Any]) -> Callable[[Text], Text]:
    rule = next((rule for word, rule in _RULES.items() if word in words), None)

    def name(value: Text) -> Text:
        if not value or rule is None:
            return value
        try:
            return rule(words, value)
        except (ValueError, TypeError, LookupError, ZeroDivisionError, OverflowError):
            return value

    return name


def _intervals(words: Mapping[str, Any], value: str) -> Text:
    n, [width] = _number(value), words["intervals"]
    step, origin = _number(width), _number(words.get("origin", 0))
    top, bottom = (None if words.get(end) is None else _number(words[end]) for end in ("top", "bottom"))
    if top is not None and n >= top:
        return f">={_written(top)}"
    if bottom is not None and n <= bottom:
        return f"<={_written(bottom)}"
    low = origin + (n - origin) // step * step
    high = low + step if top is None else min(low + step, top)
    if bottom is not None and bottom >= low:
        return _interval(bottom, high, words, above=True)
    return _interval(low, high, words)


def _cuts(words: Mapping[str, Any], value: str) -> Text:
    [level] = words["cuts"]
    cuts = [_number(cut) for cut in level]
    at = bisect_right(cuts, _number(value))
    if at == 0:
        return f"<{_written(cuts[0])}"
    if at == len(cuts):
        return f">={_written(cuts[-1])}"
    return _interval(cuts[at - 1], cuts[at], words)


def _interval(low: Fraction, high: Fraction, words: Mapping[str, Any], *, above: bool = False) -> str:
    if words.get("decimals", True):
        return f"{'(' if above else '['}{_written(low)}, {_written(high)})"
    first, last = _written(low + above), _written(high - 1)
    if first == last:
        return first
    return f"{first} to {last}" if "-" in first + last else f"{first}-{last}"


def _prefixes(words: Mapping[str, Any], value: str) -> Text:
    [kept] = words["prefixes"]
    return value[: int(kept)] + "*" * (len(value) - int(kept))


def _dates(words: Mapping[str, Any], value: str) -> Text:
    day = moment(value)
    if day is None:
        raise ValueError("not a date")
    [unit] = words["dates"]
    when = date.fromordinal(int(day[0]))
    names = {
        "day": f"{when.year:04}-{when.month:02}-{when.day:02}",
        "month": f"{when.year:04}-{when.month:02}",
        "quarter": f"{when.year:04}-Q{(when.month + 2) // 3}",
        "year": f"{when.year:04}",
        "decade": f"{when.year // 10:03}0-{when.year // 10:03}9",
    }
    return names[unit]


def _number(said: object) -> Fraction:
    text = str(said)
    if isinstance(said, bool) or len(text) > 100 or not _EXACT.fullmatch(text):
        raise ValueError("not a number")
    return Fraction(text)


def _written(exact: Fraction) -> str:
    """Without an exponent, and without zeros at the end."""
    if exact.denominator == 1:
        return str(exact.numerator)
    places = 0
    while exact.denominator != 1 and (exact * 10**places).denominator != 1:
        places += 1
        if places > 1100:
            raise ValueError("no decimal number")
    sign = "-" if exact < 0 else ""
    digits = str(abs((exact * 10**places).numerator)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


_RULES: dict[str, Callable[[Mapping[str, Any], str], Text]] = {
    "intervals": _intervals,
    "cuts": _cuts,
    "prefixes": _prefixes,
    "dates": _dates,
}
