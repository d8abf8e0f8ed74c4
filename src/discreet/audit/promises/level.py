"""What a release reaches of a promise, from the figure of every group: floats where that is clear, else whole numbers.

Figures are floating point; whether a promise is kept is decided in whole numbers and fractions wherever a figure comes
close to what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.lines import AT_LEAST, AT_MOST, Deciding, Level
from discreet.audit.people.chances import chances, is_at_most
from discreet.audit.reading.tallies import Summed, summed_up
from discreet.audit.reading.view import Bounds, Promise, ReleaseView, Tally

_WHY_OPEN = "left open: labels overlap, or rows were left out one by one, so that it is not plain whose rows they have"
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
    *,
    otherwise: tuple[FloatArray, Sequence[IntArray]] | None = None,
) -> Level:
    """A level from the figure of every unit, and a rule on whole numbers for those that come close.

    `evidence` are the whole numbers that `keeps` decides a unit by; equal ones are decided once. `at_best`
    is reached where there is nothing to decide. Where people are counted, it may not be known how many there are: then
    a figure is the worst that it can be, and `otherwise` (with its evidence) the best. Without that, groups are left
    open of which not all is known.
    """
    limit = float(required)
    kept = _kept(sense, limit, reached, evidence, keeps)
    left_open = _left_open(view, attribute)[group]
    if otherwise is not None:
        left_open = ~kept & _kept(sense, limit, *otherwise, keeps)
    broken = ~kept & ~left_open
    told = reached if otherwise is None else np.where(broken, otherwise[0], reached)
    deciding, achieved = None, at_best
    units = np.flatnonzero(broken if broken.any() else ~left_open if otherwise is None else np.ones_like(kept))
    if len(units):
        unit = int(units[np.argmin(told[units]) if sense == AT_LEAST else np.argmax(told[units])])
        achieved, deciding = float(told[unit]), deciding_group(view, int(group[unit]))
    holds = False if broken.any() else None if left_open.any() else True
    many = len(np.unique(group[left_open]))
    note = "" if holds is not None else f"{many:,} {'group' if many == 1 else 'groups'} {_WHY_OPEN}"
    return Level(model, attribute, figure, sense, limit, achieved, holds, deciding, note)


def _kept(
    sense: str, limit: float, reached: FloatArray, evidence: Sequence[IntArray], keeps: Callable[..., bool]
) -> BoolArray:
    """Which units keep a promise: in floats, and those that come close in whole numbers."""
    close = np.isfinite(reached) & (np.abs(reached - limit) <= _CLOSE * max(abs(limit), 1.0))
    kept: BoolArray = ~(reached < limit if sense == AT_LEAST else reached > limit)
    if close.any():
        rows, place = np.unique(np.stack([column[close] for column in evidence], axis=1), axis=0, return_inverse=True)
        kept[close] = np.array([keeps(*row) for row in rows.tolist()], dtype=np.bool_)[place.reshape(-1)]
    return kept


def _left_open(view: ReleaseView, attribute: str | None) -> BoolArray:
    """Groups of which it is not known how many people have which value."""
    if view.bounds is None or attribute is None:
        return np.zeros(len(view.sizes), dtype=np.bool_)
    return view.bounds.open[attribute]


def deciding_group(view: ReleaseView, group: int) -> Deciding:
    """A group, to be pointed at."""
    line = None if view.first_line is None else int(view.first_line[group])
    return Deciding(group, int(view.sizes[group]), line, view.file, view.whose.unit)


def promised_tallies(promise: Promise, view: ReleaseView) -> Iterator[Tally]:
    """The sensitive attributes that a promise is about."""
    return (tally for tally in view.tallies if promise.attribute in (None, tally.attribute))


def promised_sums(promise: Promise, view: ReleaseView) -> Iterator[Summed]:
    """The same, summed up by group."""
    return (summed_up(tally, len(view.sizes)) for tally in promised_tallies(promise, view))


def size_level(view: ReleaseView, model: str, k: Fraction) -> Level:
    """How many people (or rows) the smallest group has."""
    groups, sizes = np.arange(len(view.sizes)), view.sizes.astype(np.float64)
    most = None if view.bounds is None else view.bounds.at_most
    figure = f"{view.whose.unit} in the smallest group"
    return level(view, model, None, figure, AT_LEAST, k, sizes, groups, [view.sizes], lambda n: n >= k,
                 otherwise=None if most is None else (most.astype(np.float64), [most]))  # fmt: skip


def share_level(view: ReleaseView, summed: Summed, model: str, most: Fraction) -> Level:
    """The largest share that a value has in a group; of people, the largest chance of somebody to have it."""
    if view.bounds is not None:
        return _chance_level(view, view.bounds, summed.tally.attribute, model, most)
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


def _chance_level(view: ReleaseView, bounds: Bounds, attribute: str, model: str, most: Fraction) -> Level:
    """The chance of whoever has most rows of a group to have its most frequent value at least once."""
    tally = next(tally for tally in bounds.rows.tallies if tally.attribute == attribute)
    of_rows = summed_up(tally, len(bounds.rows.sizes))
    worst, best = ([of_rows.total, of_rows.largest, own] for own in (bounds.most_rows, bounds.most_at_least))
    return level(
        view,
        model,
        attribute,
        "largest chance of a value, for whoever has most rows of a group",
        AT_MOST,
        most,
        chances(*worst),
        np.arange(len(view.sizes)),
        worst,
        lambda rows, having, own: is_at_most(most, rows, having, own),
        otherwise=(chances(*best), best),
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
