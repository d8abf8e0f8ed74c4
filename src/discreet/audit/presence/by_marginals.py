"""Who is in the table? What a generalized release tells where only marginals of the population are known.

How many people outside of the table a group covers, n₀, is not known then: their values are taken to be independent of
each other, with the counts that are left when those of the table are taken out. Everybody whom the group covers is in
with probability n₁ / (n₁ + n₀), n₁ being its rows (Nergiz & Clifton 2010: c-confident δ-presence). She may well know
more than marginals; it is we who do not know how much the release tells her, and who say how sure we are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.lines import AT_MOST, EXACT, PRESENCE, ROUNDED, Line, at_limits, line, on_its_side
from discreet.audit.presence.by_pairs import failing, margin_of, outside_of, promised, told_crowd, tree_of
from discreet.audit.presence.marginals import Marginals, read_marginals
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import Region, ReleaseView
from discreet.audit.reading.whose import AS_IF, so_many
from discreet.audit.worlds.label_join import label_values
from discreet.errors import DataError, Mistake

THRESHOLD, CONFIDENCE = 0.5, 0.95
_WORK = 5e8  # steps for the exact distributions of all groups
_MOST_LABELS = 4000  # of a column, compared with each other
_EXACT_STEPS = 200_000  # of whole-number arithmetic where a probability is as good as equal to the confidence
_KNOWS = "How many people of the population have each value, one column at a time."
_ASSUMES = (
    "That the people outside of the table have their values independently of each other, as far as the counts allow. "
    "Where columns go together, small groups may be told apart better than this says."
)


@dataclass(frozen=True, eq=False)
class Outsiders:
    """What is known of the people outside of the table whom each group covers.

    `expected` is the expected chance of somebody in the group to be in the table, `least` the number of outsiders that
    are there with the confidence asked for; `below` and `above` the chances that they are fewer or more than a promise
    allows. All are on the safe side, and right where `exact`.
    """

    expected: FloatArray
    least: IntArray
    below: FloatArray
    above: FloatArray
    exact: BoolArray


def presence_marginals(
    view: ReleaseView, marginals: Marginals, confidence: float | None = None, threshold: float | None = None
) -> list[Line]:
    """The expected chance of being in the table; the chance that is not exceeded with a confidence; what is promised.

    Of four people outside, three have each of a group's three values; the group has one row (the paper's example):

    >>> from discreet.audit.reading.labels import Exactly
    >>> regions = tuple(Region(c, (Exactly("1"),), np.array([0])) for c in "abc")
    >>> view = ReleaseView("generalization", ("a", "b", "c"), np.array([1]), (), regions)
    >>> known = Marginals(5, {c: {"1": 4, "2": 1} for c in "abc"})
    >>> for found in presence_marginals(view, known, confidence=0.9):
    ...     print(found.adversary, round(found.worst, 4), found.precision)
    presence_expected 0.3906 exact
    presence_with_confidence 0.5 exact
    """
    promise = promised(view, beyond=False)
    said = Fraction(str(promise["confidence"])) if promise else None
    sure = Fraction(str(confidence)) if confidence is not None else said or Fraction(str(CONFIDENCE))
    delta = _delta(promise)
    rest = view.starred + view.left_out
    people = marginals.size - view.people - rest
    if people < 0:
        there = so_many(view.people + rest, view.whose.unit)
        rule = f"speak of {marginals.size:,} people, fewer than the {there} of the release"
        raise DataError(Mistake("marginals", rule, "count everybody who may be in the table"))
    counts = outside_counts(view, marginals, people, rest)
    fewest, most, impossible = counts.fewest, counts.most, counts.impossible
    limit = threshold if threshold is not None else THRESHOLD if delta is None else float(delta[1])
    low, high = _limits(view.sizes, delta or (Fraction(0), Fraction(str(limit))))
    outside_of = outsiders(fewest, view.sizes, people, sure, low, high)
    known = bool((fewest == most).all())
    chance = view.sizes / (view.sizes + outside_of.least)
    details: dict[str, Any] = {
        "population": marginals.size,
        "confidence": float(sure),
        "holds_with_confidence": max(float(1.0 - outside_of.below.max(initial=0.0)), 0.0),
        "groups_not_counted_out": int((~outside_of.exact).sum()),
        "groups_the_marginals_have_no_people_for": int(impossible.sum()),
    }
    about = outside_of if known else outsiders(counts.about, view.sizes, people, sure, low, high, _WORK / 10)
    common: dict[str, Any] = {
        "threat": PRESENCE,
        "knows": _KNOWS,
        "assumes": view.whose.told("", AS_IF) + _ASSUMES + _about(known, rest, impossible, view.whose.unit),
        "whose": view.whose,
        "people": view.sizes,
        "group": np.arange(len(view.sizes), dtype=np.int64),
        "sizes": view.sizes,
        "first_line": view.first_line,
        "file": view.file,
        "precision": EXACT if known and outside_of.exact.all() else AT_MOST,
        "rounded": ROUNDED,
    }
    kept = delta is not None and said is not None and not impossible.any()
    lines = [
        line(
            adversary="presence_expected",
            title="Is somebody in the table? Expected, from marginals of the population",
            chance=outside_of.expected,
            threshold=limit,
            details=details | _about_worst(known, about.expected),
            **common,
        ),
        line(
            adversary="presence_with_confidence",
            title=f"Is somebody in the table? At most so likely with {float(sure):.3g} confidence, from marginals",
            chance=chance,
            threshold=limit,
            promised=float(delta[1]) if delta is not None and kept and said is not None and sure <= said else None,
            details=details | _about_worst(known, view.sizes / (view.sizes + about.least)),
            **common,
        ),
    ]
    if delta is not None and said is not None:
        upper = outside_of.above
        if not known and delta[0] > 0:
            upper = outsiders(most, view.sizes, people, sure, low, high).above
        outside = np.minimum(outside_of.below + upper, 1.0)
        exactly = _settled(outside, 1 - said, fewest, people, low, high, known)
        lines.append(
            line(
                adversary="presence_promise_fails",
                title="Does the promise about presence fail for a group? From marginals",
                chance=exactly,
                threshold=float(1 - said),
                promised=float(1 - said) if kept else None,
                details={"delta": [float(delta[0]), float(delta[1])], "confidence": float(said)}
                | _about_worst(known, np.minimum(about.below + about.above, 1.0)),
                **common | {"rounded": 0.0},
            )
        )
    return lines


def presence_by_pairs(
    view: ReleaseView, promise: Mapping[str, Any], population: Population | None, table: Population | None
) -> Line | str:
    """Whether a promise by pairs or with a margin is kept; or why that can't be told. `table` is the source.

    >>> view = ReleaseView("generalization", ("age",), np.array([1]), ())
    >>> presence_by_pairs(view, {"delta": [0, 0.1], "confidence": 0.8, "known": "pairs"}, None, None)
    'needs a list of the population, or how many people have each two values'
    """
    rest = view.starred + view.left_out
    marginals = None
    if population is None and promise.get("marginals") is not None:
        marginals = read_marginals(promise["marginals"], view.quasi_identifiers, promise.get("size"))
    if rest:
        return "rows were left out, of whom that can't be told"
    everybody = told_crowd(view, promise, population, marginals)
    if isinstance(everybody, str):
        return everybody
    if table is None:
        return "needs the original table (source): which values there are outside of it is not published"
    if table.people != view.people:
        return "the source has other people than the release: give the rows that were published"
    outside = outside_of(everybody, table, view.quasi_identifiers)
    if isinstance(outside, str):
        return outside
    delta, said, edges = _delta(promise), Fraction(str(promise["confidence"])), tree_of(everybody)
    assert delta is not None
    low, high = _limits(view.sizes, delta)
    factor = margin_of(promise)
    names = [f"{view.quasi_identifiers[i]} and {view.quasi_identifiers[j]}" for i, j in edges]
    return line(
        adversary="presence_promise_by_pairs_fails",
        threat=PRESENCE,
        title="Does the promise about presence fail for a group? From pairs of columns, with a margin",
        knows="How many people of the population have each value, and each two values of two columns.",
        assumes=view.whose.told("", AS_IF)
        + "That no three columns go together otherwise than their pairs tell, but for the margin.",
        chance=failing(view, outside, edges, low, high, factor),
        people=view.sizes,
        group=np.arange(len(view.sizes), dtype=np.int64),
        sizes=view.sizes,
        first_line=view.first_line,
        file=view.file,
        threshold=float(1 - said),
        promised=float(1 - said),
        details={
            "delta": [float(delta[0]), float(delta[1])],
            "confidence": float(said),
            "margin": factor,
            "along": names,
        },
        whose=view.whose,
        rounded=ROUNDED,
    )


def promised_marginals(view: ReleaseView, population: Population | None) -> Marginals | None:
    """The marginals that a promise with a confidence is about: those in it, or those of the list."""
    promise = promised(view, beyond=False) or promised(view, beyond=True)
    if promise is None:
        return None
    if promise.get("marginals") is not None:
        return read_marginals(promise["marginals"], view.quasi_identifiers, promise.get("size"))
    if population is None:
        return None
    counts = {}
    for column, values, codes in zip(
        population.columns, population.frequencies.values, population.frequencies.codes, strict=True
    ):
        many = np.bincount(codes, weights=population.frequencies.counts, minlength=len(values))
        counts[column] = {value: int(n) for value, n in zip(values, many.tolist(), strict=True)}
    return Marginals(population.people, counts)


@dataclass(frozen=True, eq=False)
class OutsideCounts:
    """Per group and column, how many people outside of the table have a value that the label covers.

    The `fewest` and the `most` that are possible, and `about` how many, if rows of whose value little is known are
    spread as people are. `impossible` groups have more rows than there are people for them.
    """

    fewest: IntArray
    most: IntArray
    about: IntArray
    impossible: BoolArray


def outside_counts(view: ReleaseView, marginals: Marginals, people: int, rest: int) -> OutsideCounts:
    """Take those of the table out of the marginals.

    How many rows have values under a label is known if no labels of its column overlap; else those of labels within it
    surely do, and those of labels that share values with it may. So may the rest, of whom no value is published.
    """
    shape = (3, len(view.sizes), len(view.regions))
    bounds, impossible = np.zeros(shape, dtype=np.int64), np.zeros(len(view.sizes), dtype=np.bool_)
    for d, region in enumerate(view.regions):
        there, surely, maybe, likely = _rows_within(view, region, marginals.counts[region.attribute])
        fewest = np.clip(there - maybe - rest, 0, people)
        most = np.maximum(np.clip(there - surely, 0, people), fewest)
        about = np.clip(np.rint((there - likely) * (people / max(people + rest, 1))), fewest, most).astype(np.int64)
        for place, counts in enumerate((fewest, most, about)):
            bounds[place, :, d] = counts[region.label]
        impossible |= (there < surely)[region.label]
    return OutsideCounts(bounds[0], bounds[1], bounds[2], impossible)


def _rows_within(
    view: ReleaseView, region: Region, counts: Mapping[str | None, int]
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Per label: people of the population under it; rows that surely are, that may be, and that are expected to be."""
    label, value = label_values(region.labels, list(counts))
    labels, many = len(region.labels), np.array(list(counts.values()), dtype=np.int64)
    there = np.bincount(label, weights=many[value], minlength=labels).astype(np.int64)
    rows = np.bincount(region.label, weights=view.sizes, minlength=labels).astype(np.int64)
    if not len(value) or np.bincount(value).max() <= 1:
        return there, rows, rows, rows.astype(np.float64)
    if labels > _MOST_LABELS:
        spread = there * (view.people / max(int(many.sum()), 1))
        return there, rows, np.full(labels, view.people, dtype=np.int64), np.minimum(spread, view.people)
    cover = np.zeros((labels, len(counts)))
    cover[label, value] = 1.0
    shared, own = cover @ cover.T, cover.sum(axis=1)[:, None]
    within = (shared == own) & (own > 0)  # [a, b]: everything under a is under b
    within[np.arange(labels), np.arange(labels)] = True
    maybe = (shared > 0) | within
    under = np.where(within, 1.0, (cover * many) @ cover.T / np.maximum(there, 1)[:, None])
    sums = rows @ within.astype(np.int64), rows @ maybe.astype(np.int64), rows.astype(np.float64) @ under
    return there, *sums


def outsiders(
    factors: IntArray,
    rows: IntArray,
    people: int,
    confidence: Fraction,
    low: IntArray,
    high: IntArray,
    work: float | None = None,
) -> Outsiders:
    """Judge every group: by the exact distribution, and by sharp bounds where there is too much to count.

    `factors` are how many of the `people` outside have a group's value in each column, `low` and `high` what a promise
    allows of them all together. `work` limits what is counted, in steps.
    """
    from discreet.audit.presence import marginals_kernels as kernels  # late: loads numba

    kinds = np.array([len(np.unique(column)) for column in factors.T], dtype=np.int64)
    ordered = factors[:, np.argsort(kinds, kind="stable")]  # those with few values first: what is common is done once
    if not ordered.shape[1]:
        ordered = np.full((len(rows), 1), people, dtype=np.int64)
    tuples, of = np.unique(ordered, axis=0, return_inverse=True)
    of_group = np.argsort(of.ravel(), kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(of.ravel(), minlength=len(tuples)))]).astype(np.int64)
    expected, below, above = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))
    sure, maybe = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    groups = kernels.Groups(tuples, of_group, starts, rows, low, high)
    counted = kernels.Counted(expected, sure, maybe, below, above)
    done = kernels.outsiders(groups, people, float(confidence), _WORK if work is None else work, counted)
    for g in np.flatnonzero(done & (sure < maybe)):
        tail = exact_tail(ordered[g].tolist(), people, int(maybe[g]))
        if tail is not None and tail >= confidence:
            sure[g] = maybe[g]
    mean = ordered.prod(axis=1, dtype=np.float64) / float(max(people, 1)) ** (ordered.shape[1] - 1)
    left = ~done
    if left.any():
        expected[left], sure[left], below[left], above[left] = _bounded(
            mean[left], rows[left], float(confidence), low[left], high[left]
        )
    return Outsiders(np.minimum(expected, 1.0), sure, below, above, done)


def _bounded(
    mean: FloatArray, rows: IntArray, confidence: float, low: IntArray, high: IntArray
) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
    """The same from the mean alone, on the safe side.

    n₀ is a sum of independent yes/no trials (its generating function is a Schur–Szegő composition of (1 + z)^f and has
    real zeros only). So Chernoff's bounds hold: P(n₀ ≤ b) ≤ exp(−(μ − b + b ln(b/μ))) for b ≤ μ, and for b ≥ μ that of
    P(n₀ ≥ b); and a convex function of it is expected to be no more than for a Poisson number (Hoeffding 1956).
    """
    from discreet.audit.presence.marginals_kernels import poisson_shares  # late: loads numba

    mean = mean * (1 - 1e-12)
    at, end = np.full(len(mean), -1.0), np.floor(mean)
    while (at < end).any():  # the largest b with a small enough chance of n₀ ≤ b
        middle = np.ceil((at + end) / 2)
        fits = (middle >= 0) & (_chernoff(mean, middle) <= (1 - confidence) * (1 - 1e-12))
        at, end = np.where((at < end) & fits, middle, at), np.where((at < end) & ~fits, middle - 1, end)
    fewer, more = np.maximum(low - 1, 0).astype(np.float64), (high + 1).astype(np.float64)
    below = np.where(fewer > mean, 1.0, np.where(low > 0, _chernoff(mean, fewer), 0.0))
    over = mean * (1 + 3e-12)
    above = np.where(more < over, 1.0, _chernoff(over, more))
    expected = np.minimum(poisson_shares(mean, rows) * (1 + 1e-9), 1.0)
    return expected, (at + 1).astype(np.int64), np.minimum(below, 1.0), np.minimum(above, 1.0)


def _chernoff(mean: FloatArray, b: FloatArray) -> FloatArray:
    safe = np.maximum(mean, 1e-300)
    spread = np.where(b > 0, b * (np.log(np.maximum(b, 1e-300)) - np.log(safe)), 0.0)
    chance: FloatArray = np.exp(-np.maximum(safe - b + spread, 0.0))
    return chance


def exact_tail(factors: Sequence[int], people: int, least: int) -> Fraction | None:
    """P(n₀ ≥ least) in whole numbers; None if that is too much work.

    >>> exact_tail([3, 3, 3], 4, 2)
    Fraction(5, 8)
    """
    factors = sorted(factors)
    chance, steps = {factors[0]: Fraction(1)}, 0
    for marked in factors[1:]:
        after: dict[int, Fraction] = {}
        for y, p in chance.items():
            for x in range(max(0, y + marked - people), min(y, marked) + 1):
                steps += 1
                if steps > _EXACT_STEPS // max(people // 100, 1):
                    return None
                ways = Fraction(comb(marked, x) * comb(people - marked, y - x), comb(people, y))
                after[x] = after.get(x, Fraction(0)) + p * ways
        chance = after
    return sum((p for x, p in chance.items() if x >= least), Fraction(0))


def _settled(
    outside: FloatArray, limit: Fraction, factors: IntArray, people: int, low: IntArray, high: IntArray, known: bool
) -> FloatArray:
    """The same, where it is as good as equal to the limit in whole numbers."""
    exact = at_limits(outside, [float(limit)], ROUNDED)
    for g in np.flatnonzero(np.abs(outside - float(limit)) < 1e-9) if known else ():
        each = factors[g].tolist()
        inside, beyond = exact_tail(each, people, int(low[g])), exact_tail(each, people, int(high[g]) + 1)
        if inside is not None and beyond is not None:
            exact[g] = on_its_side(1 - inside + beyond, limit)
    return exact


def _limits(rows: IntArray, delta: tuple[Fraction, Fraction]) -> tuple[IntArray, IntArray]:
    """The fewest and the most outsiders with whom δmin ≤ n₁ / (n₁ + n₀) ≤ δmax, by whole numbers."""
    endless = np.iinfo(np.int64).max // 4
    least, most = delta
    distinct, place = np.unique(rows, return_inverse=True)
    low = [ceil(n / most - n) if most > 0 else endless for n in distinct.tolist()]
    high = [floor(n / least - n) if least > 0 else endless for n in distinct.tolist()]
    return np.array(low, dtype=np.int64)[place], np.array(high, dtype=np.int64)[place]


def _delta(promise: Mapping[str, Any] | None) -> tuple[Fraction, Fraction] | None:
    if promise is None:
        return None
    least, most = promise["delta"]
    return Fraction(str(least)), Fraction(str(most))


def _about_worst(known: bool, chance: FloatArray) -> dict[str, float]:
    return {} if known else {"worst_is_about": float(chance.max(initial=0.0))}


def _about(known: bool, rest: int, impossible: BoolArray, unit: str) -> str:
    words = ""
    if not known and not rest:
        words += " Labels of a column overlap: whatever rows may have a value is taken out of its count."
    if rest:
        words += f" Of the {so_many(rest, unit)} left out no value is known: they are taken out of every count."
    if impossible.any():
        groups = "1 group has" if impossible.sum() == 1 else f"{int(impossible.sum()):,} groups have"
        words += (
            f" The counts are not everybody's: {groups} more rows than there are people for them, so that the promise "
            "can't be judged by them."
        )
    return words
