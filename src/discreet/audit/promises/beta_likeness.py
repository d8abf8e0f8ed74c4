"""β-likeness, read a second time: no value is much more frequent in a group than in the table (Cao & Karras 2012)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.audit.lines import AT_MOST, Level
from discreet.audit.promises.level import decimal, exact, level, ln, promised_sums
from discreet.audit.promises.parameters import Parameter, number, one_of
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, whole_table
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """How much more frequent a value is in a group than in the table; enhanced: also against −ln of its share."""
    beta, enhanced = exact(promise.parameters["beta"]), promise.parameters.get("kind", "basic") == "enhanced"
    return [each for summed in promised_sums(promise, view) for each in _gains(view, summed, beta, enhanced)]


def _gains(view: ReleaseView, summed: Summed, beta: Fraction, enhanced: bool) -> list[Level]:
    tally, whole = summed.tally, whole_table(summed.tally)
    count, n, weight = tally.count, summed.total[tally.group], whole.weight[tally.value]
    with np.errstate(divide="ignore"):
        gain = np.maximum((count * whole.total - weight * n) / (weight * n.astype(np.float64)), 0.0)
    evidence = [count, n, weight]

    def within(count: int, n: int, weight: int) -> bool:
        return bool(count * whole.total <= (1 + beta) * weight * n)

    named = ("beta_likeness", tally.attribute, "largest relative gain of a value's share in a group")
    basic = level(view, *named, AT_MOST, beta, gain, tally.group, evidence, within)
    if not enhanced:
        return [basic]
    with np.errstate(divide="ignore", invalid="ignore"):
        capped = np.where(gain > 0, gain / -np.log(weight / whole.total), 0.0)

    def below_cap(count: int, n: int, weight: int) -> bool:
        over = Fraction(count * whole.total - weight * n, weight * n)
        return over <= 0 or decimal(over) <= ln(Fraction(whole.total, weight))

    named = ("beta_likeness", tally.attribute, "largest gain against the cap, −ln of the value's share")
    return [basic, level(view, *named, AT_MOST, Fraction(1), capped, tally.group, evidence, below_cap)]


READING = Reading(
    "beta_likeness",
    "β-likeness",
    {"beta": number(), "kind": Parameter(one_of("basic", "enhanced"))},
    levels,
    beside_others=True,
)
