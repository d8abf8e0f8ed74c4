"""What the loops of `leaf_bits.py` do, in NumPy: the same answers, for tables that are not worth loading a compiler.

Sums of floats are taken in the order of the loops, so that not even the last bit differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import Patience, Twin

if TYPE_CHECKING:
    from discreet.utility.leaf_bits import Bits, Octets

_AT_ONCE = 255  # rows whose bits can be added up in octets


def _add_per_column(bits: Bits, rows: Codes, counts: IntArray, total: IntArray) -> None:
    octets = np.ascontiguousarray(bits.astype("<u8", copy=False)).view(np.uint8).reshape(len(bits), -1)
    for start in range(0, rows.shape[1], _AT_ONCE):
        here = rows[:, start : start + _AT_ONCE]
        held = octets[here[0]]
        for row in here[1:]:
            held &= octets[row]
        truths, left, weight = np.unpackbits(held, axis=1, bitorder="little"), counts[start : start + _AT_ONCE], 1
        while left.any():  # counts as sums of powers of two
            odd = (left & 1).astype(np.bool_)
            total += weight * truths[odd].sum(axis=0, dtype=np.uint8).astype(np.int64)
            left, weight = left >> 1, 2 * weight


def _add_products(
    shares: FloatArray,
    rows: IntArray,
    offsets: IntArray,
    values: NDArray[np.int32],
    counts: IntArray,
    wanted: FloatArray,
    total: FloatArray,
) -> None:
    product, term = np.empty(shares.shape[1]), np.empty(shares.shape[1])
    parts, begins = rows.T.tolist(), offsets.tolist()
    pairs = list(zip(values.tolist(), counts.tolist(), strict=True))
    for g, part in enumerate(parts):
        product[:] = 0.0
        for value, count in pairs[begins[g] : begins[g + 1]]:
            np.multiply(wanted[value], float(count), out=term)
            product += term
        for row in part:
            product *= shares[row]
        total += product


def _add_exact(
    wanted: Octets,
    rows: IntArray,
    first: IntArray,
    widths: IntArray,
    offsets: IntArray,
    counts: IntArray,
    scale: FloatArray,
    total: FloatArray,
) -> None:
    product = np.empty(wanted.shape[1])
    for g in range(len(scale)):
        product[:] = scale[g]
        for t, width in enumerate(widths.tolist()):
            begin, end = offsets[t, g], offsets[t, g + 1]
            at = first[t] + (begin - offsets[t, 0]) * width
            leaves = rows[at : at + (end - begin) * width].reshape(-1, width)
            both = wanted[leaves[:, 0]]
            for d in range(1, width):
                both &= wanted[leaves[:, d]]
            here = counts[begin:end]
            small = here.sum() < 256
            weighed = both * here[:, None].astype(np.uint8 if small else np.int64)
            product *= weighed.sum(axis=0, dtype=weighed.dtype)
        total += product


PER_COLUMN = Twin(_add_per_column, lambda bits, rows, *_: 100 + bits.shape[1] * rows.shape[1] // 4)
PRODUCTS = Twin(
    _add_products,
    lambda shares, rows, offsets, values, *_: 100 + (len(values) + rows.size) * (10 + shares.shape[1] // 100),
)
EXACT = Twin(
    _add_exact,
    lambda wanted, rows, first, widths, offsets, *_: 100 + 40 * offsets.size + rows.size * wanted.shape[1] // 100,
    Patience(1_000_000),  # where it is called more often, numba is there, and each later run gains
)
