"""What a published value says: exactly this, one of these, anything from here to there, or nothing at all.

Releases of other tools write intervals as ``[20-39]``, ``[20, 40)``, ``20-39`` or ``>=60``, sets as ``{a, b}``,
prefixes as ``479**`` and everything as ``*``. How such texts are read is told in `texts`; here is what they mean.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray

Text = str | None  # NULL is a value of its own


@dataclass(frozen=True)
class Exactly:
    """This value and no other (None is NULL)."""

    value: Text


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`, ends included or not; None is no end.

    With `dates`, days counted from the year 1 (and parts of days): a date or a moment between the two.
    """

    low: float | None
    high: float | None
    low_included: bool = True
    high_included: bool = True
    dates: bool = False


@dataclass(frozen=True)
class OneOf:
    """One of these values, as written: a set, or a name whose members the release's hierarchy tells.

    Or a number in one of `ranges`: ``{20-39, NULL}``.
    """

    values: frozenset[Text]
    written: str = ""
    ranges: tuple[Between, ...] = ()


@dataclass(frozen=True)
class Prefix:
    """A text that begins like this; with `length`, one of that many characters.

    Where more than the beginning is shown, `mask` has a ``*`` for each hidden character: ``4*906``.
    """

    stem: str
    length: int | None = None
    mask: str = ""


@dataclass(frozen=True)
class Anything:
    """It says nothing: ``*``."""


Label = Exactly | OneOf | Between | Prefix | Anything

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_LAST = chr(0x10FFFF) * 2  # after all that begins in the same way
_EXACT = 2.0**53  # whole numbers from here on may be different and yet the same as floats
_NUMBER = re.compile(rf"\s*{NUMBER}\s*")
_LONGEST = 100  # of a text that is a number
_PADDED = re.compile(r"\s*[+-]?0[0-9]")
_DATE = re.compile(
    r"\s*(?:([0-9]{4})([-/.])([0-9]{2})\2([0-9]{2})|([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}))"
    r"(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,9})?))?(?: ?Z| ?UTC| ?[+-][0-9:]{2,5})?)?\s*"
)


def number(text: Text) -> float | None:
    """The number that a text is, if it is one.

    >>> number("-4.50"), number("1e3"), number("1,000"), number("A-12"), number(None)
    (-4.5, 1000.0, None, None, None)
    """
    if text is None or len(text) > _LONGEST:
        return None
    if text.isascii() and text.isdigit():  # most are, and need not be looked at more closely
        return float(text)
    return float(text) if _NUMBER.fullmatch(text) else None


def numbers(texts: Sequence[Text]) -> FloatArray:
    """The number that each text is; NaN for one that is none.

    >>> numbers(["7", "x", None, "1e3"]).tolist(), numbers(["10", "9"]).tolist()
    ([7.0, nan, nan, 1000.0], [10.0, 9.0])
    """
    told = [text for text in texts if text]
    digits = "".join(told)
    if len(told) == len(texts) and digits.isascii() and digits.isdigit() and max(map(len, told)) <= _LONGEST:
        return np.fromiter(map(float, told), np.float64, len(told))  # most columns of numbers are
    return np.array([np.nan if (n := number(text)) is None else n for text in texts], dtype=np.float64)


def moment(text: Text) -> tuple[float, bool] | None:
    """The day that a text is (counted from the year 1, with its part gone by), and whether a time of day is told.

    >>> moment("0001-01-02 12:00"), moment("2.1.0001"), moment("2024-02-30")
    ((2.5, True), (2.0, False), None)
    """
    match = _DATE.fullmatch(text) if text is not None else None
    if match is None:
        return None
    year, _, month, day, *day_first, hour, minute, second = match.groups()
    if year is None:
        day, month, year = day_first
    try:
        start = date(int(year), int(month), int(day)).toordinal()
    except ValueError:
        return None
    if hour is None:
        return float(start), False
    return start + (int(hour) * 3600 + int(minute) * 60 + float(second or 0)) / 86400, True


class Values:
    """Values of a column (best the distinct ones), made ready for labels to be held against them."""

    def __init__(self, values: Sequence[Text]):
        self.texts = tuple(values)

    @cached_property
    def written(self) -> dict[Text, list[int]]:
        """The places of every text."""
        places: dict[Text, list[int]] = {}
        for i, text in enumerate(self.texts):
            places.setdefault(text, []).append(i)
        return places

    @cached_property
    def numbers(self) -> FloatArray:
        """Each as a number; nan for other texts."""
        return _floats(number(text) for text in self.texts)

    @cached_property
    def moments(self) -> FloatArray:
        """Each as a day; nan for other texts."""
        return _floats(None if (day := moment(text)) is None else day[0] for text in self.texts)

    @cached_property
    def measured(self) -> dict[float, list[int]]:
        """The places of every number; codes with leading zeros are none: 047 is not 47."""
        places: dict[float, list[int]] = {}
        for i, (text, n) in enumerate(zip(self.texts, self.numbers.tolist(), strict=True)):
            if n == n and not _PADDED.match(text or ""):
                places.setdefault(n, []).append(i)
        return places

    @cached_property
    def lengths(self) -> IntArray:
        """How many characters each has; −1 for NULL."""
        return np.array([-1 if text is None else len(text) for text in self.texts], dtype=np.int64)

    @cached_property
    def _in_order(self) -> tuple[list[str], list[int]]:
        order = sorted((text, i) for i, text in enumerate(self.texts) if text is not None)
        return [text for text, _ in order], [i for _, i in order]

    def beginning(self, stem: str) -> list[int]:
        """Where texts stand that begin like this."""
        texts, places = self._in_order
        return places[bisect_left(texts, stem) : bisect_left(texts, stem + _LAST)]

    def places(self, value: Text) -> list[int]:
        """Where a value stands, however it is written: 37 is 37.0."""
        exact = number(value)
        if exact is not None and not _PADDED.match(value or ""):
            same = self.measured.get(exact, [])
            return same if abs(exact) < _EXACT else [i for i in same if _same(self.texts[i], value)]
        return self.written.get(value, [])


def covers(label: Label, values: Sequence[Text] | Values) -> BoolArray:
    """Which of the values a label may stand for.

    >>> covers(Between(20, 40, high_included=False), ["19", "20", "39.5", "40", None, "x"])
    array([False,  True,  True, False, False, False])
    >>> covers(OneOf(frozenset({"a", None})), ["a", "b", "", None])
    array([ True, False, False,  True])
    >>> covers(Prefix("479", 5), ["47906", "479", "4790", "12345"])
    array([ True, False, False, False])
    """
    values = values if isinstance(values, Values) else Values(values)
    fits = np.zeros(len(values.texts), dtype=np.bool_)
    match label:
        case Anything():
            fits[:] = True
        case Exactly(value):
            fits[values.places(value)] = True
        case OneOf(members, _, ranges):
            for value in members:
                fits[values.places(value)] = True
            for part in ranges:
                fits |= covers(part, values)
        case Between():
            at = values.moments if label.dates else values.numbers
            low, high = -np.inf if label.low is None else label.low, np.inf if label.high is None else label.high
            fits = (at >= low if label.low_included else at > low) & (at <= high if label.high_included else at < high)
        case Prefix():
            beginning = values.beginning(label.stem)
            if label.mask:
                mask = re.compile("".join("." if sign == "*" else re.escape(sign) for sign in label.mask), re.DOTALL)
                beginning = [i for i in beginning if mask.fullmatch(values.texts[i] or "")]
            fits[beginning] = True
            if label.length is not None:
                fits &= values.lengths == label.length
    return fits


def coverage(labels: Sequence[Label], values: Sequence[Text] | Values) -> BoolArray:
    """`covers` for many labels: a row per label, a column per value.

    >>> coverage([Anything(), Exactly("a")], ["a", "b"])
    array([[ True,  True],
           [ True, False]])
    """
    values = values if isinstance(values, Values) else Values(values)
    fits = np.zeros((len(labels), len(values.texts)), dtype=np.bool_)
    for row, label in zip(fits, labels, strict=True):
        row[:] = covers(label, values)
    return fits


def meet(a: Label, b: Label) -> Label | None:
    """What is left for somebody of whom both are said; None if nothing can be both.

    Never less than both say together; more only for a prefix and a range of numbers, or two masks.

    >>> meet(Between(20, 39), Between(30, None)), meet(Prefix("47", 5), Exactly("47906"))
    (Between(low=30, high=39, low_included=True, high_included=True, dates=False), Exactly(value='47906'))
    >>> meet(Exactly("a"), OneOf(frozenset({"b", "c"}))) is None
    True
    """
    match a, b:
        case (Anything(), other) | (other, Anything()):
            return other
        case (Exactly(value), other) | (other, Exactly(value)):
            return Exactly(value) if covers(other, [value])[0] else None
        case (OneOf(), other) | (other, OneOf()):
            return _part(a if isinstance(a, OneOf) else b, other)  # type: ignore[arg-type]
        case Between(), Between():
            return _common(a, b)
        case Prefix(), Prefix():
            longer, shorter = (a, b) if len(a.stem) >= len(b.stem) else (b, a)
            lengths = {length for length in (a.length, b.length) if length is not None}
            fits = longer.stem.startswith(shorter.stem) and len(lengths) <= 1
            return replace(longer, length=min(lengths, default=None)) if fits else None
    return a if isinstance(a, Prefix) else b


def overlap(a: Label, b: Label) -> bool:
    """May there be a value of which both are true?

    >>> overlap(Between(20, 39), Between(39, 50)), overlap(Between(20, 39), Between(40, 50))
    (True, False)
    """
    return meet(a, b) is not None


def _part(members: OneOf, other: Label) -> Label | None:
    """Those members that `other` may stand for, too."""
    texts = sorted(members.values, key=lambda text: (text is None, text or ""))
    left = {text for text, fits in zip(texts, covers(other, texts), strict=True) if fits}
    ranges = []
    if isinstance(other, OneOf):
        left |= {text for text in other.values if members.ranges and covers(members, [text])[0]}
        ranges = [both for a in members.ranges for b in other.ranges if (both := _common(a, b)) is not None]
    else:
        met = [meet(part, other) for part in members.ranges]
        ranges = [part for part in met if isinstance(part, Between)]
        left |= {part.value for part in met if isinstance(part, Exactly)}
    if not left and not ranges:
        return None
    if len(left) == 1 and not ranges:
        return Exactly(left.pop())
    return OneOf(frozenset(left), ranges=tuple(ranges))


def _common(a: Between, b: Between) -> Between | None:
    if a.dates != b.dates:
        return None
    low, low_included = max((_end(x.low, -np.inf), not x.low_included) for x in (a, b))
    high, high_excluded = min((_end(x.high, np.inf), x.high_included) for x in (a, b))
    within = Between(
        None if low == -np.inf else low, None if high == np.inf else high, not low_included, high_excluded, a.dates
    )
    if low > high or (low == high and not (within.low_included and within.high_included)):
        return None
    return within


def _end(end: float | None, otherwise: float) -> float:
    return otherwise if end is None else end


def _same(one: Text, other: Text) -> bool:
    return Decimal(one or "") == Decimal(other or "")


def _floats(numbers: Iterable[float | None]) -> FloatArray:
    return np.array([np.nan if n is None else n for n in numbers], dtype=np.float64)
