"""What r-robustness asks of a group before its worlds are looked at: the bounds that guide ART, and who is eligible.

The bounds are those of Wong et al. for one value against all others. They guide; exact posteriors decide.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import Value
from discreet.models.parameters import Threshold, as_text, exact
from discreet.models.robust.robust import PRIOR, Robust

_ROUNDING = 1e-9  # of a size, before it is rounded up to a whole number
_WHOLE = 1e-6  # of a number of rows that is rounded up, far above the rounding error of a sum over all of them
_LEVELS = 200  # of odds that are tried: each gives a bound


def delta_max(size: ArrayLike, r: Threshold, most: ArrayLike) -> FloatArray:
    """How far apart the chances f of a value may be in a group of this size, the largest being `most`.

    Wong et al., definition 5: (N − r) f / (f (r − 1) / (1 − f) + N − 1); 0 where f is 0 or 1. Negative below r people:
    then no value is protected.

    >>> delta_max([3, 3, 6], 2, [0.1, 0.9, 0.3]).round(4)
    array([0.0474, 0.0818, 0.2211])
    """
    n, f, r = np.asarray(size, dtype=np.float64), np.asarray(most, dtype=np.float64), float(exact(r))
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = (n - r) * f / (f * (r - 1) / (1 - f) + (n - 1))
    return np.where((f <= 0) | (f >= 1), np.where(n < r, n - r, 0.0), largest)


def least_size(r: Threshold, most: ArrayLike, deviation: ArrayLike) -> FloatArray:
    """The least N for which a group with these chances keeps to `delta_max`; infinite if no size will do.

    Wong et al., inequality 5: N ≥ (f (r − 1) Δ / (1 − f) − Δ + r f) / (f − Δ), with f the largest chance and Δ the
    largest less the smallest.

    >>> least_size(2, [0.1, 0.1, 0.3, 0.0], [0.02, 0.1, 0.1235, 0.0])
    array([ 3., inf,  3.,  2.])
    """
    f, delta = np.broadcast_arrays(np.asarray(most, dtype=np.float64), np.asarray(deviation, dtype=np.float64))
    r = float(exact(r))
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = (f * (r - 1) * delta / (1 - f) - delta + r * f) / (f - delta)
    size = np.where(delta >= f, np.inf, np.ceil(needed - _ROUNDING))
    return np.where(delta <= 0, np.ceil(r - _ROUNDING), np.where(f >= 1, np.inf, size))


def impossible(frequency: FrequencySet, model: Robust, limit: int = 0) -> list[tuple[tuple[Value, ...], Fraction]]:
    """Protected sets that too many rows have, even if `limit` rows of theirs are suppressed, with their shares.

    Somebody's posterior is at least the share of the set in his group, so every group must have it in at most 1/r of
    its rows, and all of them together too.
    """
    hierarchy, totals = frequency.sensitive_hierarchies[model.attribute], frequency.totals[model.attribute].tolist()
    rows, r = frequency.rows, exact(model.r)
    sets = [(leaf,) for leaf in hierarchy.leaves] if model.values is None else model.values
    frequent = []
    for s in sets:
        have = sum(totals[hierarchy.index[value]] for value in s if value in hierarchy.index)
        if max(have - limit, 0) * r > rows - limit:
            frequent.append((s, Fraction(have, rows)))
    return sorted(frequent, key=lambda pair: -pair[1])


def ineligible(frequency: FrequencySet, model: Robust, limit: int = 0) -> Infeasible | None:
    """The error for sets that can't be protected, if there are any: no search is needed to know.

    >>> from discreet.models.examples import bucketized
    >>> table = bucketized("disease", ["zip"], [[("1", "flu"), ("2", "flu"), ("3", "gout")]]).people.table
    >>> print(ineligible(table, Robust(3, "disease")))
    require: 3-robustness of disease can't be had: flu is the value of 66.7% of the rows, more than 1/3; take r of at \
most 1.5, name the values to protect, or raise `suppress`
    """
    frequent = impossible(frequency, model, limit)
    if not frequent:
        return None
    values, share = frequent[0]
    names = ["NULL" if value is None else value for value in values]
    subject = f"{names[0]} is the value" if len(names) == 1 else f"{', '.join(names)} are the values"
    more = f" ({len(frequent) - 1} more are too frequent)" if len(frequent) > 1 else ""
    message = f"{model.describe()} can't be had: {subject} of {float(share):.1%} of the rows, more than {_share(model)}"
    largest = int(100 / share) / 100
    return Infeasible(
        f"{message}{more}", repair=f"take r of at most {largest:g}, name the values to protect, or raise `suppress`"
    )


def never_hidden(frequency: FrequencySet, model: Robust) -> int:
    """How many rows at least have to be suppressed, whatever the grouping: proven from what she knows beforehand.

    Two things hold in every group, for each attribute set, as her beliefs in somebody's values add up to 1 and those in
    a value of all its people to how often the group has it:

    - Whoever can have fewer than r protected values by his signature, and no other, is believed to have one of them
      with more than 1/r. He has to go.
    - A value (or set) can only be believed of people whose signature allows it, of each with 1/r at most. So of the
      published rows that can have it, at most one in r does; the others who do have to go.
    - Whoever only asks whether somebody has it can't believe it as much of people with smaller odds: see
      `_lost_to_odds`.

    Where she is given other knowledge than the table's own nothing is counted: there the truth need not be possible.
    Nor is anything where she may stay as sure as she was.

    >>> from discreet.models.examples import bucketized
    >>> rows = [("1", "flu"), ("1", "flu"), ("2", "flu"), ("2", "gout"), ("2", "cold"), ("2", "gout")]
    >>> table = bucketized("disease", ["zip"], [rows]).people.table
    >>> never_hidden(table, Robust(2, "disease", min_support=2))  # both of zip 1 have flu
    2
    """
    if model.knowledge is not None or model.limit == PRIOR:
        return 0
    knowledge, r = model.knowledge_of(frequency), exact(model.r)
    hierarchy = frequency.sensitive_hierarchies[model.attribute]
    sets = [(leaf,) for leaf in hierarchy.leaves] if model.values is None else model.values
    is_in = np.zeros((len(hierarchy.leaves), len(sets)), dtype=np.bool_)
    for x, values in enumerate(sets):
        is_in[[hierarchy.index[value] for value in values if value in hierarchy.index], x] = True
    # Per signature of each attribute set: can its people have each of the protected sets?
    allowed = [(counts > 0).astype(np.int64) @ is_in > 0 for counts in knowledge.counts]
    lost = np.zeros(len(frequency.counts), dtype=np.bool_)
    for counts, of_set, finder in zip(knowledge.counts, allowed, knowledge.finders, strict=True):
        certain = ~(counts[:, ~is_in.any(axis=1)] > 0).any(axis=1) & (of_set.sum(axis=1) < r)
        if certain.any():
            lost |= certain[finder(frequency.codes)]
    rows, values = np.where(lost, 0, frequency.counts), frequency.sensitive[model.attribute]
    too_many = np.zeros(len(sets), dtype=np.int64)
    for counts, support, of_set, finder in zip(
        knowledge.counts, knowledge.supports, allowed, knowledge.finders, strict=True
    ):
        cell = finder(frequency.codes) * counts.shape[1] + values
        left = np.bincount(cell, weights=rows, minlength=counts.size).astype(np.int64).reshape(counts.shape)
        people, holders, share = left.sum(axis=1), left @ is_in, (counts @ is_in) / support[:, None]
        for x in np.flatnonzero(is_in.any(axis=0) & (holders.sum(axis=0) > 0)).tolist():
            able = int(people[of_set[:, x]].sum())
            gone = max(ceil((r * int(holders[:, x].sum()) - able) / (r - 1)), 0)
            too_many[x] = max(too_many[x], gone, _lost_to_odds(share[:, x], people, holders[:, x], float(r)))
    disjoint = bool((is_in.sum(axis=1) <= 1).all())  # else one row may be counted for several sets
    return int(frequency.counts[lost].sum()) + int(too_many.sum() if disjoint else too_many.max(initial=0))


def _lost_to_odds(share: FloatArray, people: IntArray, holders: IntArray, r: float) -> int:
    """How many of the rows that have a value (or one of a set) must go, by what is known of each signature.

    She may ask only whether somebody has it or not. Let o be a person's odds of having it, and c = o / o' those beside
    the largest odds o' in the group. In a group's worlds no two people's having it is positively correlated (Joag-Dev &
    Proschan 1983), and swapping two people changes a world's weight by the ratio of their odds. So the belief of
    somebody is at most c / (r − 1 + c) if that of the likeliest is at most 1/r, and a group has the value at most as
    often as these add up to. A group with somebody who has it, and has odds of τ or more, has o' ≥ τ: all of them
    together can't take more of those people than the sum of c / (r − 1 + c) over everybody, with c = min(1, o / τ);
    whoever goes takes 1/r of it along. No τ gives more than if everybody below it took nothing; so most levels need not
    be tried.
    """
    order = np.argsort(-share)
    order = order[people[order] > 0]
    share, people, holders = share[order], people[order], holders[order]
    odds = share / np.maximum(1 - share, _ROUNDING)
    above, having = np.cumsum(people), np.cumsum(holders)
    at_best = (having - above / r) / (1 - 1 / r)
    last_of_equal = np.diff(odds, append=-1.0) < 0
    levels = np.flatnonzero(last_of_equal & (odds > 0) & (at_best > 0))
    most = 0
    for level in levels[np.argsort(-at_best[levels], kind="stable")][:_LEVELS].tolist():
        if at_best[level] <= most:
            break
        c = odds[level + 1 :] / odds[level]
        taken = above[level] / r + float(people[level + 1 :] @ (c / (r - 1 + c)))
        most = max(most, ceil((having[level] - taken) / (1 - 1 / r) - _WHOLE))
    return most


def unhidable(frequency: FrequencySet, model: Robust, limit: int) -> Infeasible | None:
    """The error if more rows than may be suppressed can be hidden by no grouping; no search is needed to know."""
    lost = never_hidden(frequency, model)
    if lost <= limit:
        return None
    smaller = [Fraction(r) for r in (*range(ceil(exact(model.r)) - 1, 1, -1), Fraction(3, 2))]
    nearest = next((r for r in smaller if never_hidden(frequency, replace(model, r=r)) <= limit), None)
    repairs = [] if nearest is None else [f"ask for r of at most {as_text(nearest)} (which this does not rule out)"]
    repairs += ["name the values to protect" if model.values is None else "protect fewer values", "raise min_support"]
    share = ceil(Fraction(1000 * lost, frequency.rows)) / 1000
    repairs += [f"write suppress: {share:g} at least"]
    return Infeasible(
        f"{model.describe()} can't be had: at least {lost:,} of {frequency.rows:,} rows can be hidden by no grouping, "
        f"since too much is known beforehand of rows like them, and {limit:,} may be suppressed",
        repair=", or ".join(repairs),
    )


def _share(model: Robust) -> str:
    return model.require().removeprefix("at most ")
