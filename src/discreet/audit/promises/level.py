"""What a release reaches of a promise, from the figure of every group: floats where that is clear, else whole numbers.

Figures are floating point; whether a promise is kept is decided in whole numbers and fractions wherever a figure comes
close to what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.lines import AT_LEAST, AT_MOST, Deciding, Level
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import Promise, ReleaseView, Tally

_CLOSE = 1e-9  # figures nearer than this to what is required are compared exactly


def level(
    view: ReleaseView,
    model: str,
    attribute: str | None,
    figure: str,
    sense: str,
    required: Fraction,
    reached: FloatArray,
    group: IntArray,
    evidence: Sequence[IntArray],
    keeps: Callable[..., bool],
    at_best: float | None = None,
) -> Level:
    """A level from the figure of every unit, and a rule on whole numbers for those that come close.

    `evidence` are the whole numbers that `keeps` decides a unit by; equal ones are decided once. `at_best`
    is reached where there is nothing to decide.
    """
    limit = float(required)
    close = np.isfinite(reached) & (np.abs(reached - limit) <= _CLOSE * max(abs(limit), 1.0))
    wrong = (reached < limit if sense == AT_LEAST else reached > limit) & ~close
    holds, deciding, achieved = not wrong.any(), None, at_best
    if holds and close.any():
        rows = np.unique(np.stack([column[close] for column in evidence], axis=1), axis=0)
        holds = all(keeps(*row) for row in rows.tolist())
    if len(reached):
        unit = int(np.argmin(reached) if sense == AT_LEAST else np.argmax(reached))
        achieved, deciding = float(reached[unit]), deciding_group(view, int(group[unit]))
    return Level(model, attribute, figure, sense, limit, achieved, holds, deciding)


def deciding_group(view: ReleaseView, group: int) -> Deciding:
    """A group, to be pointed at."""
    line = None if view.first_line is None else int(view.first_line[group])
    return Deciding(group, int(view.sizes[group]), line, view.file)


def promised_tallies(promise: Promise, view: ReleaseView) -> Iterator[Tally]:
    """The sensitive attributes that a promise is about."""
    return (tally for tally in view.tallies if promise.attribute in (None, tally.attribute))


def promised_sums(promise: Promise, view: ReleaseView) -> Iterator[Summed]:
    """The same, summed up by group."""
    return (summed_up(tally, len(view.sizes)) for tally in promised_tallies(promise, view))


def size_level(view: ReleaseView, model: str, k: Fraction) -> Level:
    """How many people the smallest group has."""
    groups, sizes = np.arange(len(view.sizes)), view.sizes.astype(np.float64)
    figure = "people in the smallest group"
    return level(view, model, None, figure, AT_LEAST, k, sizes, groups, [view.sizes], lambda n: n >= k)


def share_level(view: ReleaseView, summed: Summed, model: str, most: Fraction) -> Level:
    """The largest share that a value has in a group."""
    reached = summed.largest / np.maximum(summed.total, 1)
    return level(
        view,
        model,
        summed.tally.attribute,
        "largest share of a value in a group",
        AT_MOST,
        most,
        reached,
        np.arange(len(reached)),
        [summed.largest, summed.total],
        lambda count, n: count <= most * n,
    )


def exact(number: object) -> Fraction:
    """0.1 is one tenth."""
    return Fraction(str(number))


def decimal(number: Fraction) -> Decimal:
    """To 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def ln(number: Fraction) -> Decimal:
    """To 60 digits: it is irrational unless the number is 1."""
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()
