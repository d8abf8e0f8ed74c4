"""δ-disclosure, read a second time: \\|ln(q / p)\\| < δ for every value, in every group (Brickell & Shmatikov 2008)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.audit.lines import BELOW, Level
from discreet.audit.promises.level import decimal, exact, level, ln, promised_sums
from discreet.audit.promises.parameters import Parameter, above_zero
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, whole_table
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """The largest change of a value's share, for each attribute; infinite where a group lacks a value."""
    delta = exact(promise.parameters["delta"])
    return [_largest_change(view, summed, delta) for summed in promised_sums(promise, view)]


def _largest_change(view: ReleaseView, summed: Summed, delta: Fraction) -> Level:
    tally, whole = summed.tally, whole_table(summed.tally)
    count, n, weight = tally.count, summed.total[tally.group], whole.weight[tally.value]
    with np.errstate(divide="ignore"):
        moved = np.abs(np.log(count / n) - np.log(weight / whole.total))
    there = np.bincount(tally.group[weight > 0], minlength=len(summed.total))
    lacking = np.flatnonzero(there < np.count_nonzero(whole.weight))  # of their people a value is ruled out
    reached = np.concatenate([moved, np.full(len(lacking), np.inf)])
    group = np.concatenate([tally.group, lacking])
    evidence = [np.concatenate([column, np.zeros(len(lacking), dtype=np.int64)]) for column in (count, n, weight)]

    def within(count: int, n: int, weight: int) -> bool:
        return abs(ln(Fraction(count * whole.total, n * weight))) < decimal(delta)

    named = ("delta_disclosure", tally.attribute, "largest change of a value's share, as a logarithm")
    return level(view, *named, BELOW, delta, reached, group, evidence, within)


READING = Reading(
    "delta_disclosure",
    "δ-disclosure",
    {"delta": Parameter(above_zero, needed=True)},
    levels,
    beside_others=True,
)
