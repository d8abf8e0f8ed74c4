"""Numbers as they stand in a column: exact, never rounded, each text a leaf of its own.

A number is an optional sign, ASCII digits with or without a decimal point, and an optional exponent, with white space
around it allowed: ``42``, `` 42``, ``042``, ``+5``, ``-0.50``, ``.5``, ``1e3``. Not numbers: ``1,000``, ``nan``,
``inf``, ``0x1f``. Two texts of one number (``5`` and ``5.0``) are two leaves, next to each other.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable
from decimal import Decimal

from discreet.hierarchies.base import BranchingRule, Misfit
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.texts import span

Number = int | Decimal  # whole numbers as int, so that they look like that everywhere

_FORM = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?\s*")
NO_NUMBER = (
    'say how numbers are written (1.234,5: decimal: ",", thousands: "."), list under missing what stands for nothing, '
    "mend it in the data, or use a taxonomy that lists it"
)
_MOST = 10**1200  # above everything that `parse` reads
LONGEST = 100  # a longer text is no measurement; exact arithmetic with it could fill the memory


def parse(text: str) -> Number | None:
    """The number a text stands for, or None.

    >>> parse(" +4.50"), parse("1e3"), parse("1,000")
    (Decimal('4.50'), Decimal('1E+3'), None)
    """
    if len(text) > LONGEST:
        return None
    if text.isdigit() and text.isascii():  # nearly all texts are like that, and this is much faster
        return int(text)
    return Decimal(text) if _FORM.fullmatch(text) else None


def number(value: object) -> Number | None:
    """A parameter as an exact number, or None if it is none; a float means what it prints as.

    >>> number(0.1), number("2.0"), number(True), number(float("nan"))
    (Decimal('0.1'), 2, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < _MOST else None
    exact = parse(str(value)) if isinstance(value, str | float | Decimal) else None
    return None if exact is None else simplest(exact)


def simplest(exact: Number) -> Number:
    """Whole numbers as int."""
    return int(exact) if is_whole(exact) else exact


def is_whole(exact: Number) -> bool:
    """Is it a number without decimals? ``5.0`` is."""
    return isinstance(exact, int) or exact.as_integer_ratio()[1] == 1


def plain(exact: Number) -> str:
    """The shortest text without an exponent.

    >>> plain(Decimal("2.50")), plain(Decimal("1E+3"))
    ('2.5', '1000')
    """
    if is_whole(exact):
        return str(int(exact))
    return format(exact, "f").rstrip("0")


def word(exact: Number) -> int | float | str:
    """The number in the words of a policy: as a number if none of it is lost by that, else as text."""
    if isinstance(exact, int):
        return exact
    return float(exact) if Decimal(str(float(exact))) == exact else plain(exact)


def have_decimals(values: Iterable[Value]) -> bool:
    """Is any of the values a number that is not whole?"""
    numbers = (parse(value) for value in values if value)
    return any(exact is not None and not is_whole(exact) for exact in numbers)


def interval(low: Number, high: Number, *, decimals: bool, above: bool = False) -> str:
    """The numbers from `low` up to but without `high` (`above`: without `low`, too).

    Whole numbers are written with the last one that belongs, as people write them. Among decimals there is no last
    one, so the brackets say which end belongs.

    >>> interval(20, 40, decimals=False), interval(20, 21, decimals=False), interval(-5, 0, decimals=False)
    ('20-39', '20', '-5 to -1')
    >>> interval(20, Decimal("22.5"), decimals=True), interval(20, 25, decimals=True, above=True)
    ('[20, 22.5)', '(20, 25)')
    """
    if decimals:
        return f"{'(' if above else '['}{plain(low)}, {plain(high)})"
    first, last = low + above, high - 1
    return plain(first) if first == last else span(plain(first), plain(last))


class NumberRule(BranchingRule):
    """A rule for numbers: ordered, so that any range of leaves may be published."""

    ordered = ranges = True

    @property
    @abstractmethod
    def decimals(self) -> bool:
        """May numbers have decimals? Intervals are then written with brackets."""

    def _number(self, value: str) -> Number:
        exact = parse(value)
        if exact is None:
            raise Misfit(value, "not a number", NO_NUMBER)
        if not self.decimals and not is_whole(exact):
            rule = "not a whole number, and 20-39 would leave open where 39.5 belongs"
            raise Misfit(value, rule, "add `decimals: true` to the hierarchy")
        return exact

    def _rank(self, value: str) -> tuple[object, ...]:
        return self._number(value), len(value), value
