"""Floating-point numbers as text, the same on every engine: the fewest digits that tell them, as Python writes them.

Engines differ in the digits (Java 17 gives more than are needed) and in the notation (1.0E20, 1e20, 1e+20). Whole
numbers are written as such: 54, not 54.0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def double_text(text: str) -> str:
    """What a number of 64 bits is called, from whatever an engine calls it.

    >>> double_text("1.0E20"), double_text("-0.0"), double_text("5.6843418860808015E-14"), double_text("NaN")
    ('1e+20', '-0', '5.684341886080802e-14', 'nan')
    """
    return _plain(float(text))


def real_text(text: str) -> str:
    """The same of 32 bits.

    >>> real_text("1.0E10"), real_text("0.1"), real_text("1.1754944E-38"), real_text("-Infinity")
    ('10000000000', '0.1', '1.1754944e-38', '-inf')
    """
    number = np.float32(text)
    if not np.isfinite(number):
        return _plain(float(number))
    # The shortest digits of 32 bits, read as a number of 64: Python writes those digits in its notation.
    return _plain(float(np.format_float_scientific(number, unique=True)))


def _plain(number: float) -> str:
    """As Python writes it; whole numbers as such."""
    return repr(number).removesuffix(".0")


def is_double(text: str) -> bool:
    """Does a text say a number of 64 bits the way it is always said?

    >>> is_double("1.5"), is_double("1.50"), is_double("one")
    (True, False, False)
    """
    return _same(text, double_text)


def is_real(text: str) -> bool:
    """The same of 32 bits.

    >>> is_real("0.1"), is_real("0.10000000149011612")
    (True, False)
    """
    return _same(text, real_text)


def _same(text: str, said: Callable[[str], str]) -> bool:
    try:
        return said(text) == text
    except ValueError:
        return False
