"""Policies that promise presence with a confidence; and by pairs, what a group's is, counted by hand."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from tests.presence.populations import HIERARCHIES, QUASI_IDENTIFIERS, Person
from tests.releases.reading import covers, groups_of, read_table

TABLE: list[Person] = [(str(20 + i % 4), "120" if i % 3 else "240", "fm"[i % 2]) for i in range(12)]
EVERYBODY = [*TABLE, *((str(20 + i % 7), "12" + str(i % 3), "fm"[i % 5 == 0]) for i in range(200))]
KNOWN = {"delta": [0, 0.3], "confidence": 0.8}


def marginals_of(everybody: list[Person]) -> dict[str, list[list[Any]]]:
    counted = {name: Counter(person[i] for person in everybody) for i, name in enumerate(QUASI_IDENTIFIERS)}
    return {name: [[value, n] for value, n in counts.items()] for name, counts in counted.items()}


def policy_words(promise: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            name: {"role": "quasi_identifier", "hierarchy": HIERARCHIES[name]} for name in QUASI_IDENTIFIERS
        },
        "require": [{"confident_presence": promise}],
        "seed": 1,
    } | more


def pairs_of(everybody: list[Person]) -> list[dict[str, Any]]:
    """Every two quasi-identifiers, counted."""
    found = []
    for i, j in combinations(range(len(QUASI_IDENTIFIERS)), 2):
        counted = Counter((person[i], person[j]) for person in everybody)
        counts = [[a, b, n] for (a, b), n in counted.items()]
        found.append(
            {"columns": [QUASI_IDENTIFIERS[j], QUASI_IDENTIFIERS[i]], "counts": [[b, a, n] for a, b, n in counts]}
        )
    return found


def information(people: list[Person], i: int, j: int) -> float:
    both, one, other = (
        Counter((p[i], p[j]) for p in people),
        Counter(p[i] for p in people),
        Counter(p[j] for p in people),
    )
    n = len(people)
    return sum(m / n * math.log(m * n / one[a] / other[b]) for (a, b), m in both.items())


def by_hand(folder: Path, everybody: list[Person], table: list[Person], delta: list[str], margin: float) -> float:
    """The least chance that a group keeps δ: for three columns, of which the two likeliest pairs are known.

    How many people fit all three is, for each value of the middle column, a draw of some of those with it for the one
    and for the other column: here of all sums of trials with the mean that gives, the one with a binomial's tails.
    """
    outside = list((Counter(everybody) - Counter(table)).elements())
    told = {pair: round(information(everybody, *pair), 9) for pair in combinations(range(3), 2)}
    edges = [pair for pair in sorted(told, key=lambda pair: (-told[pair], pair)) if told[pair] > 0][:2]
    least = 1.0
    for texts, rows in groups_of(read_table(folder)[1], 3).items():
        fits = [[covers(text, person[d]) for person in outside] for d, text in enumerate(texts)]
        alone = [sum(f) for f in fits]
        both = {(i, j): sum(a and b for a, b in zip(fits[i], fits[j], strict=True)) for i, j in told}
        most, cap = min([*alone, *(both[e] for e in edges)]), min([*alone, *both.values()])
        lacking = sum(len(outside) - n for n in alone)
        lacking -= sum(len(outside) - alone[i] - alone[j] + both[i, j] for i, j in edges)
        fewest, mean = max(len(outside) - lacking, 0), expected(outside, fits, edges)
        low, high = map(Fraction, delta)
        need = math.ceil(len(rows) / high - len(rows)) if high else 10**9
        may = math.floor(len(rows) / low - len(rows)) if low else 10**9
        below = 0.0 if need <= fewest else 1.0
        if fewest < need <= cap:
            below = fewer(need - fewest, most - fewest, min(max(mean * math.exp(-margin), fewest), cap) - fewest)
        above = 0.0 if may >= cap else 1.0
        if fewest <= may < cap:
            above = fewer(most - may, most - fewest, most - min(max(mean * math.exp(margin), fewest), most))
        least = min(least, max(1 - below - above, 0.0))
    return least


def expected(outside: list[Person], fits: list[list[bool]], edges: list[tuple[int, int]]) -> float:
    """By the middle column of the two pairs; what is not connected is independent."""
    if len(edges) < 2:
        total, connected = 1.0, {v for e in edges for v in e}
        for d in set(range(3)) - connected:
            total *= sum(fits[d]) / len(outside)
        for i, j in edges:
            total *= sum(a and b for a, b in zip(fits[i], fits[j], strict=True)) / len(outside)
        return total * len(outside)
    [middle] = set(edges[0]) & set(edges[1])
    first, second = (v for v in range(3) if v != middle)
    total = 0.0
    for value in {person[middle] for person in outside}:
        here = [k for k, person in enumerate(outside) if person[middle] == value and fits[middle][k]]
        total += sum(fits[first][k] for k in here) * sum(fits[second][k] for k in here) / len(here) if here else 0.0
    return total


def fewer(least: int, trials: int, mean: float) -> float:
    """P(fewer than `least`) of a binomial; 1 where that is no bound on other sums of trials."""
    if least > mean + 1e-9:
        return 1.0
    p = mean / trials
    return sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(least))
