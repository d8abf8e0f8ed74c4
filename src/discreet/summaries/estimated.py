"""A network from estimates: shares that nobody counted, and about how many rows there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.summaries.network import Network

WHOLE = 1 << 45  # parts that a table is divided into; less than a row of any table, and whole numbers add up exactly


@dataclass(frozen=True, eq=False)
class Estimated(Network):
    """A network whose `counts` and `tables` count parts of the table, `WHOLE` of them, instead of rows.

    It holds what a database knows of a private table: keep it as private as the table.
    """

    expected_rows: int = 0

    @property
    def rows(self) -> int:
        """About how many rows the table has."""
        return self.expected_rows

    def marginal(self, attribute: int) -> FloatArray:
        """The share of each leaf of a quasi-identifier."""
        return self.counts[attribute] / WHOLE


def in_parts(shares: FloatArray) -> IntArray:
    """Shares as parts of the whole: whole numbers that add up to it.

    >>> in_parts(np.array([0.5, 0.25, 0.25])) * 4 // WHOLE
    array([2, 1, 1])
    """
    parts: IntArray = np.floor(shares / shares.sum() * WHOLE).astype(np.int64)
    parts[np.argmax(parts)] += WHOLE - int(parts.sum())  # what rounding left: less than a row of any table
    return parts


def table_in_parts(shares: FloatArray, rows: IntArray, columns: IntArray) -> IntArray:
    """A table of shares as parts, so that its rows and columns add up to what they must.

    Rounded down, it lacks some parts in rows and columns, the same number in both; these are given out from one corner
    to the other (the north-west corner rule), at most one cell for each row and column, and less than a row of people.

    >>> rows, columns = in_parts(np.array([0.5, 0.5])), in_parts(np.array([0.6, 0.4]))
    >>> table = table_in_parts(np.array([[0.5, 0.0], [0.1, 0.4]]), rows, columns)
    >>> int(table.sum()) == WHOLE, np.round(table / WHOLE, 12).tolist()
    (True, [[0.5, 0.0], [0.1, 0.4]])
    """
    exact = shares * WHOLE
    for axis, margin in ((1, rows), (0, columns)):
        total = exact.sum(axis=axis, keepdims=True)
        exact *= np.minimum(1.0, np.expand_dims(margin, axis) / np.where(total > 0, total, 1.0))
    table = np.floor(exact * (1 - 1e-14)).astype(np.int64)
    lacking, wanted = rows - table.sum(axis=1), columns - table.sum(axis=0)
    i = j = 0
    while i < len(lacking) and j < len(wanted):
        moved = min(int(lacking[i]), int(wanted[j]))
        table[i, j] += moved
        lacking[i] -= moved
        wanted[j] -= moved
        if lacking[i] == 0:
            i += 1
        else:
            j += 1
    return table
