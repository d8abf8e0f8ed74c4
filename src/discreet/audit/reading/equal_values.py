"""Values that are the same, though two tools wrote them: 37 is 37.0, but 047 is not 47."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.reading.labels import Text

_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_DIGITS = 28  # that Decimal keeps


def alike(published: Sequence[Text], values: Sequence[Text], *, blank_is_null: bool = False) -> IntArray:
    """For each published text the first value that is the same; −1 where there is none.

    Numbers may be written in two ways; tools that can't write both take "" for NULL.

    >>> alike(["37", "047", None, "x"], ["", "37.0", None]).tolist()
    [1, -1, 2, -1]
    >>> alike([None, ""], ["", None], blank_is_null=True).tolist()
    [0, 0]
    """
    places = {token: i for i, token in reversed([*enumerate(tokens(values, blank_is_null))])}
    return np.array([places.get(token, -1) for token in tokens(published, blank_is_null)], dtype=np.int64)


def tokens(values: Sequence[Text], blank_is_null: bool = False) -> list[str]:
    """A text for every value, equal for those that are alike.

    >>> tokens(["37.0", "37", "-0", "047", None, "", "1e2", "=1"])
    ['=37', '=37', '=0', '047', '', '"', '=100', '"=1']
    """
    return [_token(value, blank_is_null) for value in values]


def _token(value: Text, blank_is_null: bool) -> str:
    if value is None or (blank_is_null and not value):
        return ""
    if len(value) <= _DIGITS and _PLAIN.fullmatch(value):
        number = Decimal(value)
        return f"={number.normalize():f}" if number else "=0"
    return f'"{value}' if value[:1] in ("", '"', "=") else value
