"""ℓ-diversity in its four kinds, read a second time (Machanavajjhala et al. 2007; by frequency: Xiao & Tao 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.association.refused_splits import DISTINCT, ENTROPY, RECURSIVE, SHARE
from discreet.audit.lines import AT_LEAST, BELOW, Level
from discreet.audit.promises.level import exact, level, promised_sums, share_level
from discreet.audit.promises.limits import Demand, Limits
from discreet.audit.promises.parameters import Parameter, number, one_of
from discreet.audit.promises.registry import Beside, Reading
from discreet.audit.reading.tallies import Summed, place_in_group
from discreet.audit.reading.view import Promise, ReleaseView


def levels(promise: Promise, view: ReleaseView, beside: Beside) -> list[Level]:
    """How diverse the least diverse group is, for each attribute."""
    kind, l = promise.parameters.get("kind", "distinct"), exact(promise.parameters["l"])  # noqa: E741
    sums = promised_sums(promise, view)
    if kind == "frequency":
        return [share_level(view, summed, promise.model, 1 / l) for summed in sums]
    if kind == "recursive":
        return [_recursive(view, summed, l, exact(promise.parameters["c"])) for summed in sums]
    return [(_distinct if kind == "distinct" else _entropy)(view, summed, l) for summed in sums]


def _distinct(view: ReleaseView, summed: Summed, l: Fraction) -> Level:  # noqa: E741
    reached, groups = summed.distinct.astype(np.float64), np.arange(len(summed.total))
    named = ("l_diversity", summed.tally.attribute, "fewest different values in a group")
    known = (reached, [summed.distinct])  # who has a value has a row with it
    return level(view, *named, AT_LEAST, l, reached, groups, known[1], lambda n: n >= l, otherwise=known)


def _recursive(view: ReleaseView, summed: Summed, l: Fraction, c: Fraction) -> Level:  # noqa: E741
    tail, groups = _tail(summed, int(l)), np.arange(len(summed.total))
    with np.errstate(divide="ignore"):
        reached = summed.largest / tail
    named = ("l_diversity", summed.tally.attribute, f"most frequent value against all from number {int(l)} on")
    evidence = [summed.largest, tail]
    return level(view, *named, BELOW, c, reached, groups, evidence, lambda most, rest: most < c * rest)


def _tail(summed: Summed, first: int) -> IntArray:
    """How many people have the `first` most frequent value of a group or a rarer one."""
    tally = summed.tally
    order = np.lexsort((-tally.count, tally.group))
    late = order[place_in_group(tally.group[order]) >= first - 1]
    return np.bincount(tally.group[late], weights=tally.count[late], minlength=len(summed.total)).astype(np.int64)


def _entropy(view: ReleaseView, summed: Summed, l: Fraction) -> Level:  # noqa: E741
    """Entropy ≥ log ℓ; told as the number of equally frequent values with that entropy."""
    tally = summed.tally
    q = tally.count / summed.total[tally.group]
    reached = np.exp(np.bincount(tally.group, weights=-q * np.log(q), minlength=len(summed.total)))
    starts = np.searchsorted(tally.group, np.arange(len(summed.total) + 1))
    decided: dict[tuple[int, ...], bool] = {}

    def keeps(group: int) -> bool:
        counts = tuple(sorted(tally.count[starts[group] : starts[group + 1]].tolist()))
        if counts not in decided:
            decided[counts] = _entropy_at_least(counts, l)
        return decided[counts]

    groups = np.arange(len(reached))
    named = ("l_diversity", tally.attribute, "values that would be as hard to guess if equally frequent")
    return level(view, *named, AT_LEAST, l, reached, groups, [groups], keeps)


def _entropy_at_least(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Σ q log(1/q) ≥ log ℓ, in whole numbers: ℓ^n · Π c^c ≤ n^n."""
    n = sum(counts)
    product = l.numerator**n
    for count in counts:
        product *= count**count
    return bool(product <= l.denominator**n * n**n)


def limits(promise: Promise) -> Limits:
    """More than one value in every group; by frequency, none above 1/ℓ."""
    l = exact(promise.parameters["l"])  # noqa: E741
    match promise.parameters.get("kind", "distinct"):
        case "frequency":
            return Limits(share=1 / l, several_values=l > 1, demands=(Demand(SHARE, float(1 / l)),))
        case "recursive":
            demand = Demand(RECURSIVE, float(l), float(exact(promise.parameters["c"])))
        case kind:
            demand = Demand(ENTROPY if kind == "entropy" else DISTINCT, float(l))
    return Limits(several_values=l > 1, demands=(demand,))


READING = Reading(
    "l_diversity",
    "ℓ-diversity",
    {
        "l": number(),
        "kind": Parameter(one_of("distinct", "entropy", "recursive", "frequency")),
        "c": number(needed=lambda said: said.get("kind") == "recursive"),
    },
    levels,
    beside_others=True,
    limits=limits,
)
