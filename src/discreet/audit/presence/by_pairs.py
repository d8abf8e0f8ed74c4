"""Who is in the table? What is promised by pairs, or with a margin, read a second time.

How many people outside of the table fit a group follows from how many have each value, each two values together along a
tree of columns, and nothing else: the share of a value among those who have a value of the neighbouring column is the
same whatever other columns say. The figures are taken from the texts, group by group, by sums over values; nothing is
shared with the search, which goes by ranges of leaves. What the chance of enough people is at least follows from
Hoeffding's theorem (1956): no sum of independent trials with this mean is smaller more often than the binomial one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.presence.marginals import Marginals
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds.label_join import label_values

Edge = tuple[int, int]
_MOST_CELLS = 50_000_000  # of all tables of pairs
_AT_ONCE = 20_000_000  # numbers in memory for one column's messages


@dataclass(frozen=True, eq=False)
class Crowd:
    """People by what is known of them: per column, how many have each value; per two columns, how many have both."""

    values: tuple[Mapping[str | None, int], ...]  # the place of each
    alone: tuple[IntArray, ...]
    pairs: Mapping[Edge, IntArray]
    people: int


def goes_beyond(promise: Mapping[str, Any] | None) -> bool:
    """Is it promised by pairs or with a margin? Then marginals alone don't tell whether it is kept."""
    return promise is not None and (_by_pairs(promise) or _margin(promise) > 0)


def promised(view: ReleaseView, *, beyond: bool) -> Mapping[str, Any] | None:
    """The parameters of the first promise with a confidence that is one of these, or that is none of them."""
    about = (p.parameters for p in view.promises if p.model == "confident_presence")
    return next((parameters for parameters in about if goes_beyond(parameters) == beyond), None)


def told_crowd(
    view: ReleaseView, promise: Mapping[str, Any], population: Population | None, marginals: Marginals | None
) -> Crowd | str:
    """Everybody, as the promise or a list of the population has it; or why that can't be told."""
    columns, by_pairs = view.quasi_identifiers, _by_pairs(promise)
    if promise.get("pairs") is not None and not (isinstance(promise["pairs"], list) and marginals is not None):
        return "the pairs of its promise are in files that are not here"
    if promise.get("pairs") is None and population is None and by_pairs:
        return "needs a list of the population, or how many people have each two values"
    if population is not None:
        places = [population.columns.index(c) for c in columns]
        values = tuple({v: n for n, v in enumerate(population.frequencies.values[at])} for at in places)
        codes = [population.frequencies.codes[at] for at in places]
        return _counted(values, codes, population.frequencies.counts, by_pairs)
    if marginals is None:
        return "needs a list of the population, or how many people have each value"
    known = tuple({v: n for n, v in enumerate(marginals.counts[c])} for c in columns)
    alone = tuple(np.array(list(marginals.counts[c].values()), dtype=np.int64) for c in columns)
    pairs: dict[Edge, IntArray] = {}
    for table in promise.get("pairs") or ():
        if not isinstance(table, Mapping) or any(c not in columns for c in table["columns"]):
            return "the pairs of its promise can't be read"
        i, j = (columns.index(c) for c in table["columns"])
        counts = np.zeros((len(known[i]), len(known[j])), dtype=np.int64)
        for one, other, many in table["counts"]:
            place = known[i].get(_text(one)), known[j].get(_text(other))
            if None in place:
                return "its pairs have values that its marginals lack"
            counts[place] += int(many)
        pairs[min(i, j), max(i, j)] = counts if i < j else counts.T
    return Crowd(known, alone, pairs, marginals.size)


def outside_of(everybody: Crowd, table: Population, columns: Sequence[str]) -> Crowd | str:
    """Those who are not in the table; or why it can't be theirs."""
    codes = []
    for column, known in zip(columns, everybody.values, strict=True):
        at = table.columns.index(column)
        places = np.array([known.get(v, -1) for v in table.frequencies.values[at]], dtype=np.int64)
        codes.append(places[table.frequencies.codes[at]])
    if any((c < 0).any() for c in codes):
        return "the table has values that nobody of the population has"
    inside = _counted(everybody.values, codes, table.frequencies.counts, False, list(everybody.pairs))
    assert isinstance(inside, Crowd)
    alone = tuple(a - b for a, b in zip(everybody.alone, inside.alone, strict=True))
    pairs = {edge: everybody.pairs[edge] - inside.pairs[edge] for edge in everybody.pairs}
    if any((counts < 0).any() for counts in (*alone, *pairs.values())):
        return "the table has more people with some values than the population"
    return Crowd(everybody.values, alone, pairs, everybody.people - inside.people)


def failing(
    view: ReleaseView, outside: Crowd, edges: Sequence[Edge], low: IntArray, high: IntArray, margin: float
) -> FloatArray:
    """Per group, the largest chance that it has fewer than `low` or more than `high` people outside of the table."""
    from discreet.audit.presence.marginals_kernels import binomial_fewer  # late: loads numba

    covers = []
    for region, known in zip(view.regions, outside.values, strict=True):
        label, value = label_values(region.labels, list(known))
        cover = np.zeros((len(region.labels), len(known)))
        cover[label, value] = 1.0
        covers.append((region.label, cover))
    mean = _expected(covers, outside, edges)
    alone = [(cover @ counts)[label].round() for (label, cover), counts in zip(covers, outside.alone, strict=True)]
    most = np.min([*alone], axis=0)
    cap, lacking = most.copy(), sum(outside.people - a for a in alone)
    for (i, j), counts in outside.pairs.items():
        both = (covers[i][1] @ counts @ covers[j][1].T).round()[covers[i][0], covers[j][0]]
        cap = np.minimum(cap, both)
        if (i, j) in edges:
            most = np.minimum(most, both)
            lacking = lacking - (outside.people - alone[i] - alone[j] + both)
    fewest = np.maximum(outside.people - lacking, 0)
    few = np.minimum(np.maximum(mean * exp(-margin), fewest), cap)
    many = np.minimum(np.maximum(mean * exp(margin), fewest), most)
    below, above = np.zeros(len(mean)), np.zeros(len(mean))
    for g in range(len(mean)):
        if low[g] > cap[g]:
            below[g] = 1.0
        elif low[g] > fewest[g]:
            below[g] = binomial_fewer(low[g] - fewest[g], most[g] - fewest[g], few[g] - fewest[g])
        if high[g] < fewest[g]:
            above[g] = 1.0
        elif high[g] < cap[g]:
            above[g] = binomial_fewer(most[g] - high[g], most[g] - fewest[g], most[g] - many[g])
    chance: FloatArray = np.minimum(below + above, 1.0)
    return chance


def tree_of(everybody: Crowd) -> list[Edge]:
    """The pairs of columns that tell most about each other, without a circle, and with a path when ends are taken off.

    The heaviest first (Chow & Liu 1968); what would leave a column with three others that have further ones is not in.
    """
    told = {edge: round(_information(counts), 9) for edge, counts in everybody.pairs.items()}
    edges: list[Edge] = []
    for edge in sorted((e for e in told if told[e] > 0), key=lambda e: (-told[e], e)):
        if _fits([*edges, edge], len(everybody.alone)):
            edges.append(edge)
    return edges


def _fits(edges: Sequence[Edge], columns: int) -> bool:
    beside: list[set[int]] = [set() for _ in range(columns)]
    for i, j in edges:
        beside[i].add(j)
        beside[j].add(i)
    trees, seen = 0, set()
    for column in range(columns):
        trees += column not in seen
        waiting = [column]
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += beside[at]
    if trees != columns - len(edges):
        return False
    return all(sum(len(beside[w]) > 1 for w in beside[v]) <= 2 for v in range(columns))


def _information(counts: IntArray) -> float:
    people = int(counts.sum())
    one, other = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    told = 0.0
    for a, b in zip(*(where.tolist() for where in np.nonzero(counts)), strict=True):
        both = int(counts[a, b])
        told += both / people * log(both * people / (one[a] * other[b]))
    return told


def _expected(covers: Sequence[tuple[IntArray, FloatArray]], outside: Crowd, edges: Sequence[Edge]) -> FloatArray:
    """Per group, how many people fit all columns: trees are gone through from their ends, one column after another."""
    groups = len(covers[0][0]) if covers else 0
    mean = np.full(groups, float(outside.people))
    share = 1.0 / max(outside.people, 1)
    widest = max((len(counts) for counts in outside.alone), default=1)
    step = max(_AT_ONCE // widest, 1)
    for start in range(0, groups, step):
        part = slice(start, start + step)
        # Per column, what share of those with each value fits what has been gone through; it starts with the label.
        fits = [cover[label[part]] for label, cover in covers]
        left, degree = list(edges), Counter(v for edge in edges for v in edge)
        while left:
            end, i, j = next((v, i, j) for i, j in left for v in (i, j) if degree[v] == 1)
            to = j if end == i else i
            counts = outside.pairs[i, j] if end == j else outside.pairs[i, j].T  # a row for each value of `to`
            given = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
            fits[to] = fits[to] * (fits[end] @ given.T)
            fits[end] = np.empty(0)
            left.remove((i, j))
            degree[i], degree[j] = degree[i] - 1, degree[j] - 1
        for found, counts in zip(fits, outside.alone, strict=True):
            if found.size:
                mean[part] *= (found @ counts) * share
    return mean


def _counted(
    values: tuple[Mapping[str | None, int], ...],
    codes: Sequence[Any],
    counts: IntArray,
    by_pairs: bool,
    edges: Sequence[Edge] | None = None,
) -> Crowd | str:
    sizes = [len(known) for known in values]
    every = list(combinations(range(len(values)), 2)) if by_pairs else list(edges or ())
    if sum(sizes[i] * sizes[j] for i, j in every) > _MOST_CELLS:
        return "there are too many values to count two columns at a time"
    alone = tuple(
        np.bincount(c, weights=counts, minlength=n).astype(np.int64) for c, n in zip(codes, sizes, strict=True)
    )
    pairs = {}
    for i, j in every:
        both = np.zeros((sizes[i], sizes[j]), dtype=np.int64)
        np.add.at(both, (codes[i], codes[j]), counts)
        pairs[i, j] = both
    return Crowd(values, alone, pairs, int(counts.sum()))


def _by_pairs(promise: Mapping[str, Any]) -> bool:
    return promise.get("known") == "pairs" or promise.get("pairs") is not None


def _margin(promise: Mapping[str, Any]) -> Fraction:
    return Fraction(str(promise.get("margin") or 0))


def margin_of(promise: Mapping[str, Any]) -> float:
    """By what factor, e^margin, expected numbers may be off."""
    return float(_margin(promise))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
