"""Tables drawn from a summary, for tests of `likely`: all of them with their exact probabilities, or a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb

import numpy as np

from discreet.arrays import BoolArray, IntArray


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def probability(counts: Sequence[int], shares: Sequence[Fraction]) -> Fraction:
    """That of exactly these counts, for as many draws as they add up to."""
    left, found = sum(counts), Fraction(1)
    for count, share in zip(counts, shares, strict=True):
        found *= comb(left, count) * share**count
        left -= count
    return found


def enumerated(
    rows: int, shares: Sequence[Sequence[Fraction]], fine: Callable[[tuple[int, ...]], bool]
) -> tuple[float, float]:
    """P and E by looking at every table: `shares[g][s]` of value s in group g, `fine` says which groups are."""
    values = len(shares[0])
    flat = [share for group in shares for share in group]
    everywhere, lost = Fraction(0), Fraction(0)
    for counts in compositions(rows, len(flat)):
        groups = [counts[start : start + values] for start in range(0, len(flat), values)]
        breaking = [sum(group) for group in groups if sum(group) and not fine(group)]
        p = probability(counts, flat)
        everywhere += 0 if breaking else p
        lost += p * sum(breaking)
    return float(everywhere), float(lost)


def simulated(
    rows: int, shares: np.ndarray, fine: Callable[[IntArray], BoolArray], draws: int, seed: int
) -> tuple[float, float, float]:
    """P, E and the standard error of E from drawn tables; `fine` gets counts [draw, group, value]."""
    rng = np.random.default_rng(seed)
    everywhere, lost = 0, []
    for some in np.array_split(np.arange(draws), max(draws * shares.size // 2_000_000, 1)):
        counts = rng.multinomial(rows, shares.ravel() / shares.sum(), size=len(some)).reshape(-1, *shares.shape)
        sizes = counts.sum(axis=2)
        breaking = ~fine(counts) & (sizes > 0)
        everywhere += int((~breaking.any(axis=1)).sum())
        lost.append((sizes * breaking).sum(axis=1))
    each = np.concatenate(lost)
    return everywhere / draws, float(each.mean()), float(each.std() / np.sqrt(draws))
