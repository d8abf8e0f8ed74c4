"""Verdicts that rounding can't tip: decided in floating point, and decided again exactly near the border."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Tally

# Levels are sums of at most some thousand terms of size 1: their rounding error is far below this.
MARGIN = 1e-9


def decide(level: FloatArray, threshold: float, exactly: Callable[[int], bool]) -> BoolArray:
    """Is ``level <= threshold``? Groups too close to call in floating point are asked `exactly`, one by one.

    >>> decide(np.array([0.1, 0.3, 0.5]), 0.3, lambda group: False)
    array([ True, False, False])
    """
    from discreet.models.groups import kernels

    verdict, near = kernels.compare(level, threshold, MARGIN * max(1.0, abs(threshold)))
    for group in near.tolist():
        verdict[group] = exactly(group)
    return verdict  # type: ignore[no-any-return]


def products_at_most(left: IntArray, by: int, right: IntArray, times: int) -> BoolArray:
    """Is ``left · by <= right · times``, without overflow?"""
    if max(by, times) >= 1 << 20:  # counts stay below 2^43
        return (left.astype(object) * by <= right.astype(object) * times).astype(np.bool_)
    return left * by <= right * times


def pairs(tally: Tally, group: int) -> list[tuple[int, int]]:
    """The (value, count) pairs of one group as plain integers, for exact arithmetic."""
    at = slice(int(tally.offsets[group]), int(tally.offsets[group + 1]))
    return list(zip(tally.values[at].tolist(), tally.counts[at].tolist(), strict=True))


def sign_with_logs(number: Fraction, terms: Iterable[tuple[int, int]]) -> int:
    """The sign of ``number + Σ factor · ln(argument)`` over (factor, argument), decided rigorously.

    Logarithms of rationals other than 1 are transcendental, so the sum is zero only if `number` is zero and the
    logarithms cancel: that is decided by arithmetic on the arguments. Otherwise enough digits decide.

    >>> sign_with_logs(Fraction(0), [(2, 6), (-1, 4), (-1, 9)])
    0
    >>> sign_with_logs(Fraction("-0.6931471805599453094172321214581765680755"), [(1, 2)])
    1
    """
    factors: dict[int, int] = {}
    for factor, argument in terms:
        factors[argument] = factors.get(argument, 0) + factor
    if not number and _cancel(factors):
        return 0
    digits = 40
    while True:
        with localcontext() as context:
            context.prec = digits
            parts = [Decimal(number.numerator) / number.denominator]
            parts += [factor * Decimal(argument).ln() for argument, factor in factors.items()]
            total = sum(parts, Decimal(0))
            # Each part is right to two units in its last place, each addition adds less than one of the whole.
            size = sum((abs(part) for part in parts), Decimal(0))
            error = size * (len(parts) + 3) * Decimal(10) ** (2 - digits)
        if abs(total) > error:
            return 1 if total > 0 else -1
        digits *= 2


def _cancel(factors: dict[int, int]) -> bool:
    """Is ``Π argument^factor = 1``? Splits the arguments until they share no divisor; then no power may be left."""
    waiting = [(factor, argument) for argument, factor in factors.items()]
    apart: list[tuple[int, int]] = []
    while waiting:
        factor, argument = waiting.pop()
        if argument == 1 or factor == 0:
            continue
        for i, (other_factor, other) in enumerate(apart):
            shared = gcd(argument, other)
            if shared > 1:
                del apart[i]
                waiting += [
                    (factor, argument // shared),
                    (other_factor, other // shared),
                    (factor + other_factor, shared),
                ]
                break
        else:
            apart.append((factor, argument))
    return not apart
