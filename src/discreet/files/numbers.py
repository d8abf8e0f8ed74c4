"""Exact numbers of bounded length, as policies, descriptions and manifests write them.

A promise rests on its thresholds, so they are exact: 0.2 means one fifth. But ``1e-99999999`` is exact, too, and one
would wait for hours for its hundred million digits. So a number has at most 25 digits before and after its point, and
an exponent of at most 2: more than any threshold, share or count of people needs, and well inside of what floating
point can hold.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

DIGITS = 25  # before the point, and after it
RULE = f"numbers have at most {DIGITS} digits before and after the point, and exponents up to 99"
MOST_ROWS = 1_000_000_000_000  # no table has more rows, nobody counts more people

_FORM = re.compile(
    r"\s*(?:[+-]?(?:\d{1,25}(?:\.\d{0,25})?|\.\d{1,25})(?:[eE][+-]?\d{1,2})?|\d{1,25}/0*[1-9]\d{0,24})\s*", re.ASCII
)
_LONGEST = 120  # characters
_BITS = 1000  # of a fraction that was made in Python


def exact_number(value: object) -> Fraction | None:
    """The number that was written, exactly; None for what is no number, or one of too many digits.

    >>> exact_number(0.2), exact_number(" 1/3"), exact_number("1e-99999999"), exact_number("many"), exact_number(True)
    (Fraction(1, 5), Fraction(1, 3), None, None, None)
    """
    match value:
        case bool():
            return None
        case Fraction():
            return value if max(value.numerator.bit_length(), value.denominator.bit_length()) <= _BITS else None
        case int():
            return Fraction(value) if abs(value) < 10**DIGITS else None
        case float():
            return Fraction(str(value)) if math.isfinite(value) else None
        case str() | Decimal():
            text = str(value)
            return Fraction(text.strip()) if len(text) <= _LONGEST and _FORM.fullmatch(text) else None
    return None


def whole_number(value: object) -> int | None:
    """A whole number of bounded length; text is none.

    >>> whole_number(5), whole_number(True), whole_number("5"), whole_number(10**40)
    (5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 10**DIGITS:
        return None
    return value


def is_long(value: object) -> bool:
    """Is it a number, but one of too many digits? Messages then say so.

    >>> is_long(10**400), is_long("1e400"), is_long(5), is_long("many")
    (True, True, False, False)
    """
    if isinstance(value, str):
        return re.fullmatch(r"\s*[+-]?[\d.]+([eE][+-]?\d+|/\d*[1-9]\d*)?\s*", value) is not None and not _known(value)
    return isinstance(value, int | Fraction) and not isinstance(value, bool) and not _known(value)


def _known(value: object) -> bool:
    return exact_number(value) is not None
