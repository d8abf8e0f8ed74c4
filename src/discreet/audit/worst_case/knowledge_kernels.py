"""Compiled: how many people of each signature have which value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import kernel


@kernel
def lengthen(key: IntArray, codes: NDArray[np.int32], size: int) -> None:
    """Take one column more into numbers of combinations; −1 remains −1, and is what a code of −1 makes."""
    for i in range(len(key)):
        key[i] = key[i] * size + codes[i] if key[i] >= 0 and codes[i] >= 0 else -1


@kernel
def counted(
    key: IntArray, person: IntArray, span: int, counts: FloatArray, value: IntArray, values: int, least: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The rows of `Known`: that of each person, how often each has every value, and how many people it is about.

    Numbers of combinations are below `span`; those that fewer than `least` people have are row 0, which is anybody's.
    """
    support = np.zeros(span)
    for i in range(len(key)):
        support[key[i]] += counts[i]
    row_of, rows = np.zeros(span, dtype=np.int64), 1
    for k in range(span):
        if support[k] > 0 and support[k] >= least:
            row_of[k] = rows
            rows += 1
    weight, total = np.zeros((rows, values)), np.zeros(rows)
    for i in range(len(key)):
        weight[0, value[i]] += counts[i]
        if row_of[key[i]] > 0:
            weight[row_of[key[i]], value[i]] += counts[i]
    for k in range(span):
        if row_of[k] > 0:
            total[row_of[k]] = support[k]
    row = np.zeros(len(person), dtype=np.int64)
    for i in range(len(person)):
        row[i] = row_of[person[i]] if person[i] >= 0 else 0
    return row, weight, total
