"""Figures as people read them."""

from __future__ import annotations

import math


def percent(share: float) -> str:
    """A share of something that is no secret, with one decimal.

    >>> percent(0), percent(0.0001), percent(0.1234), percent(0.9999), percent(1)
    ('0%', '<0.1%', '12.3%', '>99.9%', '100%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def chance(share: float) -> str:
    """A probability, as short as it can be told to three digits.

    >>> [chance(x) for x in (0, 0.0002, 1 / 3, 0.05, 1)]
    ['0', '0.02%', '33.3%', '5%', '100%']
    """
    return f"{100 * share:.3g}%" if share else "0"


def between(low: float, high: float) -> str:
    """From one probability to another.

    >>> between(0.05, 0.1), between(0, 0.1), between(0.05, 0.05)
    ('between 5% and 10%', 'between 0 and 10%', '5%')
    """
    first, last = chance(low), chance(high)
    return first if first == last else f"between {first} and {last}"


def number(value: float) -> str:
    """A number for people: counts in full, measures with four digits.

    >>> number(5.0), number(12_345), number(0.123456), number(48.25)
    ('5', '12,345', '0.1235', '48.25')
    """
    return f"{int(value):,}" if float(value).is_integer() else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def epsilon_text(value: float) -> str:
    """An ε for a table: rounded up, as it is a promise, but for what lies below a hundred-thousandth.

    >>> epsilon_text(1.000003), epsilon_text(2.501), epsilon_text(253.2), epsilon_text(float("inf"))
    ('1', '2.51', '254', 'none')
    """
    if math.isinf(value):
        return "none"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    up = math.ceil((value - 1e-5) * 10**digits) / 10**digits
    return f"{up:,.{digits}f}".rstrip("0").rstrip(".") if digits else f"{up:,.0f}"


def power(number: float) -> str:
    """A power of ten as such, other numbers in full.

    >>> power(10), power(1000), power(2500), power(float("inf"))
    ('10', '10³', '2,500', '∞')
    """
    if number == float("inf"):
        return "∞"
    digits = str(int(number)) if float(number).is_integer() else ""
    if len(digits) > 2 and digits[0] == "1" and not digits[1:].strip("0"):
        return "10" + str(len(digits) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{number:,.10g}"
