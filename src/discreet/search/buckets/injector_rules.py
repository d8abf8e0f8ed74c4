"""Negative rules: "people like these never have that", where by chance alone some would.

Li & Li 2008. A rule X ⇒ ¬s is about a signature X (values of some quasi-identifiers) and a sensitive value s that never
occurs with it (minConf = 1), although it should: if the two were independent, some of the n rows would have both with
probability 1 − (1 − P(X) P(s))ⁿ ≥ minExp. Whoever knows such a rule strikes s out for everybody it is about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray
from discreet.compiled import inner, kernel
from discreet.counts.frequency import FrequencySet
from discreet.models.robust.knowledge import Finder, default_sets
from discreet.utility.queries import Bits

MIN_EXPECTED = 0.9
MOST_VALUES = 1024  # rules about rarer values than these many are not looked for: they need ever larger X


@dataclass(frozen=True, eq=False)
class Rules:
    """What the rules strike out for each combination of a frequency set: a bit per value.

    Bit j stands for the j-th most frequent value, the leaf `leaves[j]`. `number` is how many rules there are, over
    `sets` sets of quasi-identifiers.
    """

    excluded: Bits
    leaves: IntArray
    number: int
    sets: int


def negative_rules(frequency: FrequencySet, attribute: str, min_expected: float = MIN_EXPECTED) -> Rules:
    """All rules over the sets of quasi-identifiers that an adversary is taken to know about (see `default_sets`)."""
    totals = frequency.totals[attribute]
    leaves = np.argsort(-totals, kind="stable")
    need = _least_support(frequency.rows, totals[leaves[:MOST_VALUES]], min_expected)
    bits = np.argsort(leaves)[frequency.sensitive[attribute]]
    excluded = np.zeros((len(frequency.counts), max(-(-len(need) // 64), 1)), dtype=np.uint64)
    sets = default_sets(len(frequency.hierarchies))
    many = 0
    for s in sets:
        radices = tuple(len(frequency.hierarchies[a].leaves) for a in s)
        finder, number = Finder.of(s, radices, [frequency.codes[a] for a in s])
        many += strike_out(excluded, number - 1, len(finder.keys), frequency.counts, bits, need)
    return Rules(excluded, leaves, many, len(sets))


def _least_support(rows: int, totals: IntArray, min_expected: float) -> IntArray:
    """How many rows a signature must have for a rule about each value; ascending, as `totals` fall.

    (1 − n(X) n(s) / n²)ⁿ ≤ 1 − minExp  ⇔  n(X) ≥ (1 − (1 − minExp)^(1/n)) · n² / n(s)
    """
    both = -np.expm1(np.log1p(-min_expected) / max(rows, 1))
    least = np.ceil(both * rows * rows / np.maximum(totals, 1) - 1e-9)  # what rounding leaves open is a rule
    return np.where(totals > 0, least, rows + 1).astype(np.int64)


@kernel
def strike_out(
    excluded: Bits, number: IntArray, signatures: int, counts: IntArray, bit: IntArray, need: IntArray
) -> int:
    """Find the rules of one attribute set; mark what they exclude for every combination. How many rules there are.

    `number` is the signature of each combination, `bit` its sensitive value, `need` how
    many rows a signature must have for a rule about each value, ascending.
    """
    words = excluded.shape[1]
    support = np.zeros(signatures, dtype=np.int64)
    rule = np.zeros((signatures, words), dtype=np.uint64)
    for i in range(len(number)):
        support[number[i]] += counts[i]
    many = 0
    for x in range(signatures):
        many += _set_first(rule[x], np.searchsorted(need, support[x], side="right"))
    for i in range(len(number)):
        if counts[i] > 0 and has(rule[number[i]], bit[i]):
            rule[number[i], bit[i] >> 6] ^= one(bit[i])
            many -= 1
    for i in range(len(number)):
        for w in range(words):
            excluded[i, w] |= rule[number[i], w]
    return many


@inner
def _set_first(bits: Bits, many: int) -> int:
    """Set the first `many` bits; how many that are."""
    full = many >> 6
    for w in range(full):
        bits[w] = ~np.uint64(0)
    if many & 63:
        bits[full] = one(many) - np.uint64(1)
    return many


@inner
def one(bit: int) -> np.uint64:
    return np.uint64(1) << np.uint64(bit & 63)


@inner
def has(bits: Bits, bit: int) -> bool:
    """Is it set? Beyond the last word, nothing is."""
    return bit >> 6 < len(bits) and (bits[bit >> 6] & one(bit)) != np.uint64(0)


@inner
def put(bits: Bits, bit: int) -> None:
    if bit >> 6 < len(bits):
        bits[bit >> 6] |= one(bit)


@inner
def meet(one_: Bits, other: Bits) -> bool:
    """Have they a bit in common?"""
    common = np.uint64(0)
    for w in range(len(one_)):
        common |= one_[w] & other[w]
    return bool(common)
