"""The release's own promises, read a second time: from its files, by other code than that which made them.

Each promise is recomputed from its definition. Figures are floating point; whether a promise is kept is decided in
whole numbers and fractions wherever a figure comes close to what is required.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.association.knowledge import Knowledge
from discreet.audit.association.realistic import Adversary, protected_by, smallest_epsilon, smallest_epsilons
from discreet.audit.lines import AT_LEAST, AT_MOST, BELOW, Deciding, Level
from discreet.audit.promises.distances import equal_distances, hierarchical_distances, ordered_distances
from discreet.audit.reading.tallies import Summed, in_order, levels_of, place_in_group, summed_up, whole_table
from discreet.audit.reading.view import AMBIGUOUS, Promise, ReleaseView

Keeps = Callable[..., bool]

_CLOSE = 1e-9  # figures nearer than this to what is required are compared exactly


def levels(
    view: ReleaseView, *, presence: tuple[float, float] | None = None, knowledge: Mapping[str, Knowledge] | None = None
) -> list[Level]:
    """What the release reaches of everything that it promises, a level or two for each promise and attribute.

    Two promises are about more than the files. `presence` are the smallest and the largest chance that somebody of the
    population is in the table, as that attack tells; `knowledge` is what is known of each sensitive attribute
    beforehand, where robustness was promised against the source table.

    >>> from discreet.audit.reading.view import Tally
    >>> values = np.array([0, 1, 1])
    >>> tally = Tally("disease", ("flu", "cold"), np.array([0, 0, 1]), values, np.array([2, 2, 3]))
    >>> promises = (Promise("k_anonymity", {"k": 4}), Promise("l_diversity", {"l": 2}))
    >>> view = ReleaseView("generalization", (), np.array([4, 3]), (tally,), promises=promises)
    >>> [(level.model, level.achieved, level.required, level.holds) for level in levels(view)]
    [('k_anonymity', 3.0, 4.0, False), ('l_diversity', 1.0, 2.0, False)]
    """
    found: list[Level] = []
    for promise in view.promises:
        if promise.model == "k_anonymity":
            found.append(_k(view, promise.parameters))
        elif promise.model in ("presence", "confident_presence"):
            found += _presence(promise, presence)
        for tally in view.tallies:
            if promise.attribute not in (None, tally.attribute):
                continue
            if promise.model in _OF_VALUES:
                found += _OF_VALUES[promise.model](view, summed_up(tally, len(view.sizes)), promise.parameters)
            elif promise.model == "robust":
                from discreet.audit.promises.robust_level import robust_level

                found.append(robust_level(view, tally, promise, (knowledge or {}).get(tally.attribute)))
    return found


def _level(
    view: ReleaseView,
    model: str,
    attribute: str | None,
    figure: str,
    sense: str,
    required: Fraction,
    reached: FloatArray,
    group: IntArray,
    evidence: Sequence[IntArray],
    keeps: Keeps,
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
        achieved, deciding = float(reached[unit]), _deciding(view, int(group[unit]))
    return Level(model, attribute, figure, sense, limit, achieved, holds, deciding)


def _deciding(view: ReleaseView, group: int) -> Deciding:
    line = None if view.first_line is None else int(view.first_line[group])
    return Deciding(group, int(view.sizes[group]), line, view.file)


def _k(view: ReleaseView, said: Mapping[str, Any], model: str = "k_anonymity") -> Level:
    k = _exact(said["k"])
    everybody = np.arange(len(view.sizes))
    sizes = view.sizes.astype(np.float64)
    figure = "people in the smallest group"
    return _level(view, model, None, figure, AT_LEAST, k, sizes, everybody, [view.sizes], lambda n: n >= k)


def _share(view: ReleaseView, summed: Summed, model: str, most: Fraction) -> Level:
    """The largest share that a value has in a group."""
    reached = summed.largest / np.maximum(summed.total, 1)
    return _level(
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


def _diversity(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    l, kind = _exact(said["l"]), said.get("kind", "distinct")  # noqa: E741
    everybody = np.arange(len(summed.total))
    named = ("l_diversity", summed.tally.attribute)
    if kind == "frequency":
        return [_share(view, summed, "l_diversity", 1 / l)]
    if kind == "distinct":
        reached = summed.distinct.astype(np.float64)
        figure = "fewest different values in a group"
        return [_level(view, *named, figure, AT_LEAST, l, reached, everybody, [summed.distinct], lambda n: n >= l)]
    if kind == "recursive":
        c, tail = _exact(said["c"]), _tail(summed, int(l))
        with np.errstate(divide="ignore"):
            reached = summed.largest / tail
        figure = f"most frequent value against all from number {int(l)} on"
        evidence = [summed.largest, tail]
        return [
            _level(view, *named, figure, BELOW, c, reached, everybody, evidence, lambda most, rest: most < c * rest)
        ]
    return [_entropy(view, summed, l)]


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

    everybody = np.arange(len(reached))
    figure = "values that would be as hard to guess if equally frequent"
    return _level(view, "l_diversity", tally.attribute, figure, AT_LEAST, l, reached, everybody, [everybody], keeps)


def _entropy_at_least(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Σ q log(1/q) ≥ log ℓ, in whole numbers: ℓ^n · Π c^c ≤ n^n."""
    n = sum(counts)
    product = l.numerator**n
    for count in counts:
        product *= count**count
    return bool(product <= l.denominator**n * n**n)


def _closeness(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    t, distance, tally = _exact(said["t"]), said.get("distance", "equal"), summed.tally
    whole = whole_table(tally)
    named = levels_of(view, tally.attribute, whole.values)
    figure = f"largest {distance} distance of a group from the table"
    if distance == "ordered":
        work, steps = ordered_distances(summed, whole, in_order(view, tally.attribute, whole.values))
    elif distance == "hierarchical" and named is not None:
        work, steps = hierarchical_distances(summed, whole, named)
    elif distance == "hierarchical":
        note = "the release does not tell what each value becomes on the levels of its hierarchy"
        return [Level("t_closeness", tally.attribute, figure, AT_MOST, float(t), None, None, note=note)]
    else:
        work, steps = equal_distances(summed, whole)
    scale = steps * whole.total
    reached = work / (scale * np.maximum(summed.total, 1).astype(np.float64))
    everybody = np.arange(len(work))
    return [
        _level(
            view,
            "t_closeness",
            tally.attribute,
            figure,
            AT_MOST,
            t,
            reached,
            everybody,
            [work, summed.total],
            lambda work, n: work <= t * scale * n,
        )
    ]


def _likeness(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    """How much more frequent a value is in a group than in the table; enhanced: also against −ln of its share."""
    beta, tally, whole = _exact(said["beta"]), summed.tally, whole_table(summed.tally)
    count, n = tally.count, summed.total[tally.group]
    weight = whole.weight[tally.value]
    with np.errstate(divide="ignore"):
        gain = np.maximum((count * whole.total - weight * n) / (weight * n.astype(np.float64)), 0.0)
    evidence = [count, n, weight]
    figure = "largest relative gain of a value's share in a group"
    found = [
        _level(
            view,
            "beta_likeness",
            tally.attribute,
            figure,
            AT_MOST,
            beta,
            gain,
            tally.group,
            evidence,
            lambda count, n, weight: count * whole.total <= (1 + beta) * weight * n,
        )
    ]
    if said.get("kind", "basic") == "enhanced":
        with np.errstate(divide="ignore", invalid="ignore"):
            capped = np.where(gain > 0, gain / -np.log(weight / whole.total), 0.0)

        def below_cap(count: int, n: int, weight: int) -> bool:
            over = Fraction(count * whole.total - weight * n, weight * n)
            return over <= 0 or _decimal(over) <= _ln(Fraction(whole.total, weight))

        figure = "largest gain against the cap, −ln of the value's share"
        one = Fraction(1)
        found.append(
            _level(
                view, "beta_likeness", tally.attribute, figure, AT_MOST, one, capped, tally.group, evidence, below_cap
            )
        )
    return found


def _disclosure(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    """\\|ln(q / p)\\| < δ for every value of the table, in every group."""
    delta, tally, whole = _exact(said["delta"]), summed.tally, whole_table(summed.tally)
    count, n = tally.count, summed.total[tally.group]
    weight = whole.weight[tally.value]
    with np.errstate(divide="ignore"):
        moved = np.abs(np.log(count / n) - np.log(weight / whole.total))
    there = np.bincount(tally.group[weight > 0], minlength=len(summed.total))
    lacking = np.flatnonzero(there < np.count_nonzero(whole.weight))  # of their people a value is ruled out
    reached = np.concatenate([moved, np.full(len(lacking), np.inf)])
    group = np.concatenate([tally.group, lacking])
    evidence = [np.concatenate([column, np.zeros(len(lacking), dtype=np.int64)]) for column in (count, n, weight)]

    def within(count: int, n: int, weight: int) -> bool:
        return abs(_ln(Fraction(count * whole.total, n * weight))) < _decimal(delta)

    figure = "largest change of a value's share, as a logarithm"
    return [_level(view, "delta_disclosure", tally.attribute, figure, BELOW, delta, reached, group, evidence, within)]


def _realistic(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    epsilon = _exact(said["epsilon"])
    adversary = Adversary(str(said["class"]), _exact(said.get("stubbornness", 1)), int(said.get("known", 0)))
    protected = protected_by(summed, whole_table(summed.tally), said.get("prior"), said.get("predicates"))

    def keeps(n: int, satisfied: int, share: int) -> bool:
        smallest = smallest_epsilon(adversary, n, satisfied, protected.shares[share])
        return smallest is not None and smallest <= epsilon

    return [
        _level(
            view,
            "realistic",
            summed.tally.attribute,
            f"smallest ε against class {adversary.kind}",
            AT_MOST,
            epsilon,
            smallest_epsilons(adversary, protected, summed.total),
            protected.group,
            [summed.total[protected.group], protected.satisfied, protected.share],
            keeps,
            at_best=1.0,
        )
    ]


def _ambiguity(view: ReleaseView, summed: Summed, said: Mapping[str, Any]) -> list[Level]:
    """Presence n / Π m over the published tables, at most 1; and the largest share of a value."""
    alpha = _exact(said["alpha"])
    found = [_share(view, summed, "ambiguity", _exact(said["beta"]))]
    if view.publish != AMBIGUOUS:
        return found
    entries = [np.bincount(table.group, minlength=len(view.sizes)) for table in view.tables]
    reached = view.sizes.astype(np.float64)
    for m in entries:
        reached = reached / np.maximum(m, 1)

    def keeps(n: int, *tables: int) -> bool:
        possible = Fraction(1)
        for m in tables:
            possible *= m
        return min(n / possible, Fraction(1)) <= alpha

    figure = "largest chance of being in the table, as far as the values tell"
    everybody = np.arange(len(reached))
    evidence = [view.sizes, *entries]
    return [
        _level(view, "ambiguity", None, figure, AT_MOST, alpha, np.minimum(reached, 1.0), everybody, evidence, keeps),
        *found,
    ]


def _presence(promise: Promise, found: tuple[float, float] | None) -> list[Level]:
    low, high = (_exact(bound) for bound in promise.parameters["delta"])
    found = found if promise.model == "presence" else None
    figures = ("smallest chance of being in the table", "largest chance of being in the table")
    if found is None:
        note = "needs a list of everybody in the population: it is about people who are not in the files"
        return [
            Level(promise.model, None, figures[0], AT_LEAST, float(low), None, None, note=note),
            Level(promise.model, None, figures[1], AT_MOST, float(high), None, None, note=note),
        ]
    least, most = float(found[0]), float(found[1])  # a quotient and the bound that it equals round to the same number
    return [
        Level(promise.model, None, figures[0], AT_LEAST, float(low), least, least >= float(low)),
        Level(promise.model, None, figures[1], AT_MOST, float(high), most, most <= float(high)),
    ]


def _exact(number: object) -> Fraction:
    """0.1 is one tenth."""
    return Fraction(str(number))


def _decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def _ln(number: Fraction) -> Decimal:
    """To 60 digits: it is irrational unless the number is 1."""
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


_OF_VALUES: Mapping[str, Callable[[ReleaseView, Summed, Mapping[str, Any]], list[Level]]] = {
    "l_diversity": _diversity,
    "alpha_k": lambda view, summed, said: [
        _k(view, said, "alpha_k"),
        _share(view, summed, "alpha_k", _exact(said["alpha"])),
    ],
    "t_closeness": _closeness,
    "beta_likeness": _likeness,
    "delta_disclosure": _disclosure,
    "realistic": _realistic,
    "ambiguity": _ambiguity,
}
