"""The compiled join of `comparison_apart`: which rows of the source fit which group of an ambiguous release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel

Numbers = NDArray[np.int32]

_FEW = 16  # rows that are looked at one by one


@kernel
def fits_of_groups(
    kinds: Numbers,
    rows: IntArray,
    group: IntArray,
    value: Numbers,
    offsets: IntArray,
    codes: Numbers,
    slots: int,
    most: int,
) -> tuple[IntArray, Numbers, IntArray, NDArray[np.bool_], bool]:
    """The kinds that fit each unit: its sensitive value, and in every table a value of its group.

    ``kinds[i]`` are a sensitive value and one of each table, in lexical order; unit u has ``value[u]`` and the group
    ``group[u]``, in order; group g has ``codes[offsets[t, g]:offsets[t, g + 1]]`` in table t. Also how many rows fit
    each unit, which entries (places in `codes`) somebody who fits has, and whether the kinds were at most so many.
    """
    tables = len(offsets)
    owner = np.full((tables, slots), -1, dtype=np.int64)  # the group whose values are marked
    place = np.zeros((tables, slots), dtype=np.int64)
    having = np.zeros(len(group), dtype=np.int64)
    used = np.zeros(len(codes), dtype=np.bool_)
    starts = np.zeros(len(group) + 1, dtype=np.int64)
    out = np.empty(max(len(kinds), 1), dtype=np.int32)
    written = 0
    low, high = np.empty(tables + 1, dtype=np.int64), np.empty(tables + 1, dtype=np.int64)
    entry = np.empty(tables, dtype=np.int64)
    for u in range(len(group)):
        g = group[u]
        for t in range(tables):
            for e in range(offsets[t, g], offsets[t, g + 1]):
                owner[t, codes[e]] = g
                place[t, codes[e]] = e
        low[0] = _first(kinds, 0, value[u], 0, len(kinds))
        high[0] = _first(kinds, 0, value[u] + 1, low[0], len(kinds))
        depth = 0
        entry[0] = offsets[0, g]
        while depth >= 0:
            if depth == tables or high[depth] - low[depth] <= _FEW:
                for i in range(low[depth], high[depth]):
                    fits = True
                    for t in range(depth, tables):
                        fits &= owner[t, kinds[i, t + 1]] == g
                    if not fits:
                        continue
                    having[u] += rows[i]
                    for t in range(tables):
                        used[place[t, kinds[i, t + 1]]] = True
                    if written == len(out) and written < most:
                        wider = np.empty(min(2 * written, most), dtype=np.int32)
                        wider[:written] = out
                        out = wider
                    if written < len(out):
                        out[written] = i
                    written += 1
                depth -= 1
            elif entry[depth] < offsets[depth, g + 1]:
                code = codes[entry[depth]]
                entry[depth] += 1
                low[depth + 1] = _first(kinds, depth + 1, code, low[depth], high[depth])
                high[depth + 1] = _first(kinds, depth + 1, code + 1, low[depth + 1], high[depth])
                if high[depth + 1] > low[depth + 1]:
                    depth += 1
                    if depth < tables:
                        entry[depth] = offsets[depth, g]
            else:
                depth -= 1
        starts[u + 1] = written
    held = written <= len(out)
    return starts, out[: written if held else 0].copy(), having, used, held


@inner
def _first(kinds: Numbers, column: int, code: int, low: int, high: int) -> int:
    """Where in a range of sorted rows the first stands that has the code, or one after it."""
    while low < high:
        middle = (low + high) // 2
        if kinds[middle, column] < code:
            low = middle + 1
        else:
            high = middle
    return low
