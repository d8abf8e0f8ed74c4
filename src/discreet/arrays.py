"""The arrays that everything here is counted in, and one number for equal combinations of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Codes = NDArray[np.int32]  # places in a list of values

_LARGEST = 1 << 62


def number_equal(columns: Sequence[NDArray[Any]], rows: int) -> IntArray:
    """A number for each combination of coded columns, the same for equal ones: 0, 1, …, first column first.

    Codes are not negative; `rows` is how long the columns are, if there are any.

    >>> number_equal([np.array([2, 0, 2]), np.array([1, 1, 0])], 3).tolist()
    [2, 0, 1]
    """
    number, span = np.zeros(rows, dtype=np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if span > _LARGEST // size:
            number = np.unique(number, return_inverse=True)[1].reshape(-1)
            span = int(number.max(initial=0)) + 1
        number = number * size + codes
        span *= size
    return np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int64, copy=False)


def rows_among(rows: Codes, few: Codes) -> BoolArray:
    """Which rows of a matrix of codes are among those of another.

    >>> rows_among(np.array([[0, 1], [2, 2], [1, 0]]), np.array([[1, 0]])).tolist()
    [False, False, True]
    """
    columns = [np.concatenate(pair) for pair in zip(rows.T, few.T, strict=True)]
    number = number_equal(columns, len(rows) + len(few))
    return np.isin(number[: len(rows)], number[len(rows) :])
