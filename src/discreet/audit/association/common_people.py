"""Two groups that have people in common: what these must have, given what each of the groups has.

Group 1 has value v n₁ᵥ times among its N₁ people, group 2 n₂ᵥ times among its N₂; m people are in both, and have the
same value in both. All pairs of worlds (who of group 1 has which value, who of group 2) in which they do are as
likely. If xᵥ of the m have v, there are

    m! / Π xᵥ! · (N₁ − m)! / Π (n₁ᵥ − xᵥ)! · (N₂ − m)! / Π (n₂ᵥ − xᵥ)!

of them, so x has the weight Π C(n₁ᵥ, xᵥ) C(n₂ᵥ, xᵥ) xᵥ! among all x with Σ xᵥ = m, and each of the m people has v with
probability E[xᵥ] / m. For m = 1 that is n₁ᵥ n₂ᵥ / Σᵤ n₁ᵤ n₂ᵤ (Ganta, Kasiviswanathan & Smith 2008 intersect the sets).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray, IntArray

MOST_WEIGHTS = 20_000_000  # numbers held at once for one pair of groups


class Counts(NamedTuple):
    """The values of a release's groups: group g has ``values[starts[g]:starts[g + 1]]`` (ascending), `counts` times."""

    starts: IntArray
    values: IntArray
    counts: IntArray


class Fits(NamedTuple):
    """Person i fits the groups ``groups[starts[i]:starts[i + 1]]`` of a release, each with its `weight`."""

    starts: IntArray
    groups: IntArray
    weight: FloatArray


def largest_expected(a: IntArray, b: IntArray, m: int) -> tuple[float, bool]:
    """max E[xᵥ] / m for two large groups, and whether it is that; of the largest ones a bound: max xᵥ / m.

    Sums of independent xᵥ have weights that are products of power series, which Fourier's transform multiplies fast.

    >>> largest_expected(np.array([2, 1]), np.array([1, 2]), 2)
    (0.5, True)
    """
    caps = np.minimum(np.minimum(a, b), m)
    if len(a) * (m + 1) > MOST_WEIGHTS:
        return min(float(caps.max() / m), 1.0), False
    tilt = _tilt(a, b, caps, m)
    weights = [_weights(*of, tilt) for of in zip(a.tolist(), b.tolist(), caps.tolist(), strict=True)]
    size = 1 << (2 * m + 1).bit_length()
    after = [np.ones(1)]
    for of_value in reversed(weights):
        after.append(_product(after[-1], of_value, m, size))
    after.reverse()
    before, most = np.ones(1), 0.0
    for v, of_value in enumerate(weights):
        rest = _product(before, after[v + 1], m, size)
        x = np.arange(max(m - len(rest) + 1, 0), caps[v] + 1)
        each = of_value[x] * rest[m - x]
        most = max(most, float((x * each).sum() / each.sum()))
        before = _product(before, of_value, m, size)
    return min(most / m, 1.0), True


def _tilt(a: IntArray, b: IntArray, caps: IntArray, m: int) -> float:
    """The logarithm of t for which independent xᵥ of weights C(a, x) C(b, x) x! tˣ have the mean m together."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = 0.0
        for of in zip(a.tolist(), b.tolist(), caps.tolist(), strict=True):
            weights = _weights(*of, middle)
            mean += float((np.arange(len(weights)) * weights).sum() / weights.sum())
        low, high = (middle, high) if mean < m else (low, middle)
    return (low + high) / 2


def _weights(a: int, b: int, cap: int, tilt: float) -> FloatArray:
    x = np.arange(1, cap + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(a - x + 1.0) + np.log(b - x + 1.0) - np.log(x) + tilt)])
    weights: FloatArray = np.exp(logs - logs.max())
    return weights


def _product(one: FloatArray, other: FloatArray, m: int, size: int) -> FloatArray:
    """Two power series multiplied, up to the power m, scaled to a largest weight of 1."""
    product = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)
    product = np.maximum(product[: min(len(one) + len(other) - 1, m + 1)], 0.0)
    scaled: FloatArray = product / product.max()
    return scaled
