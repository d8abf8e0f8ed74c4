"""The compiled loops that count, each with its twin in NumPy. Nothing here knows what the numbers mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.compiled import kernel
from discreet.counts import twins

Keys = NDArray[np.uint64]
Levels = NDArray[np.int16]

# 2^64 divided by the golden ratio: multiplying by it spreads neighbouring keys over the whole table (Knuth).
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Fields(NamedTuple):
    """Where each attribute sits in the keys: in which word, how far from its end, and a mask as wide as its codes."""

    word: IntArray
    shift: Keys
    mask: Keys


class Spreads(NamedTuple):
    """How wide values are: code c of attribute d stands for ``spread[starts[d] + c]`` leaves beside its first one.

    No value of attribute d is wider than ``widest[d]``, which is what a suppressed row counts.
    """

    spread: IntArray
    starts: IntArray
    widest: IntArray


@kernel(twin=twins.GROUP_EQUAL)
def group_equal(keys: Keys) -> tuple[Codes, Codes]:
    """Number equal keys alike, in order of first appearance; also the first place of each number."""
    n = len(keys)
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    last = np.uint64((1 << bits) - 1)
    down = np.uint64(64 - bits)
    slots = np.full(1 << bits, -1, dtype=np.int32)
    group = np.empty(n, dtype=np.int32)
    known = np.empty(n, dtype=np.uint64)
    first = np.empty(n, dtype=np.int32)
    many = 0
    for i in range(n):
        key = keys[i]
        j = (key * _SPREAD) >> down
        while True:
            g = slots[j]
            if g < 0:
                g = many
                slots[j] = g
                known[g] = key
                first[g] = i
                many += 1
                break
            if known[g] == key:
                break
            j = (j + np.uint64(1)) & last
        group[i] = g
    return group, first[:many].copy()


@kernel(twin=twins.MERGE_GROUPS)
def merge_groups(
    keys: Keys, fields: Fields, sizes: IntArray, starts: IntArray, changes: Keys
) -> tuple[Keys, Codes, IntArray]:
    """Rewrite the bit fields of raised attributes in every key and merge the groups whose keys become equal.

    `keys` has one row per 64-bit word; `changes[starts[d] + code]` holds the bits to flip for attribute d, and where
    `starts` is negative the attribute stays as it is.
    Attribute by attribute, not key by key: the passes are independent loads, 3.5 times faster here.
    Returns the merged keys, the merged group of each old one, and the new sizes.
    """
    words, n = keys.shape
    new = keys.copy()
    for d in range(len(starts)):
        w, s, m, start = fields.word[d], fields.shift[d], fields.mask[d], starts[d]
        if start < 0:
            continue
        for i in range(n):
            new[w, i] ^= changes[start + np.int64((keys[w, i] >> s) & m)]
    group, first = group_equal(new[0])
    for w in range(1, words):  # equal on all words so far, paired with the next word's numbering
        other, _ = group_equal(new[w])
        pair = np.empty(n, dtype=np.uint64)
        for i in range(n):
            pair[i] = (np.uint64(group[i]) << np.uint64(32)) | np.uint64(other[i])
        group, first = group_equal(pair)
    many = len(first)
    out = np.empty((words, many), dtype=np.uint64)
    for w in range(words):
        for g in range(many):
            out[w, g] = new[w, first[g]]
    out_sizes = np.zeros(many, dtype=np.int64)
    for i in range(n):
        out_sizes[group[i]] += sizes[i]
    return out, group, out_sizes


@kernel(twin=twins.SMALLEST_FINER)
def smallest_finer(nodes: Levels, lengths: IntArray, known: int, node: Levels) -> int:
    """Which of the first `known` nodes is nowhere above `node` and has the least length; at least one is there."""
    best = -1
    for i in range(known):
        if best >= 0 and lengths[i] >= lengths[best]:
            continue
        d = 0
        while d < len(node) and nodes[i, d] <= node[d]:
            d += 1
        if d == len(node):
            best = i
    return best


@kernel(twin=twins.MEMBERS_BY_GROUP)
def members_by_group(group: Codes, groups: int) -> tuple[IntArray, Codes]:
    """The members of each group, side by side: group g has ``member[start[g]:start[g + 1]]`` (a counting sort)."""
    start = np.zeros(groups + 1, dtype=np.int64)
    for i in range(len(group)):
        start[group[i] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    place = start[:-1].copy()
    member = np.empty(len(group), dtype=np.int32)
    for i in range(len(group)):
        g = group[i]
        member[place[g]] = i
        place[g] += 1
    return start, member


@kernel(twin=twins.MERGE_TALLIES)
def merge_tallies(
    group: Codes, groups: int, offsets: IntArray, values: Codes, counts: IntArray, width: int
) -> tuple[IntArray, Codes, IntArray]:
    """Add up the (value, count) pairs of old groups into the groups they were merged into."""
    start, member = members_by_group(group, groups)
    scratch = np.zeros(width, dtype=np.int64)
    out_offsets = np.zeros(groups + 1, dtype=np.int64)
    out_values = np.empty(len(values), dtype=np.int32)
    out_counts = np.empty(len(values), dtype=np.int64)
    pairs = 0
    for g in range(groups):
        begin = pairs
        for m in range(start[g], start[g + 1]):
            i = member[m]
            for p in range(offsets[i], offsets[i + 1]):
                v = values[p]
                if scratch[v] == 0 and counts[p] > 0:
                    out_values[pairs] = v
                    pairs += 1
                scratch[v] += counts[p]
        for p in range(begin, pairs):
            v = out_values[p]
            out_counts[p] = scratch[v]
            scratch[v] = 0
        out_offsets[g + 1] = pairs
    return out_offsets, out_values[:pairs].copy(), out_counts[:pairs].copy()


@kernel(twin=twins.SUPPRESSION)
def suppression(
    keys: Keys,
    fields: Fields,
    spreads: Spreads,
    holds: BoolArray,
    published: BoolArray,
    sizes: IntArray,
    least: IntArray,
    limit: int,
) -> IntArray:
    """What groups cost that break a promise (not `holds`) or are not published, side by side in one array.

    Rows that are not published; of the groups, Σ least and Σ least·size; then per attribute Σ rows·(widest − spread) of
    what is not published, and per attribute Σ least·(widest − spread). These stay 0 if Σ least is above the limit.
    """
    attributes, many = len(fields.word), 0
    out = np.zeros(3 + 2 * attributes, dtype=np.int64)
    which = np.empty(len(sizes), dtype=np.int64)
    for g in range(len(sizes)):
        if not holds[g] or not published[g]:
            which[many] = g
            many += 1
            out[0] += 0 if published[g] else sizes[g]
            out[1] += least[g]
            out[2] += least[g] * sizes[g]
    if out[1] > limit:
        return out
    for d in range(attributes):
        w, s, m = fields.word[d], fields.shift[d], fields.mask[d]
        start, widest = spreads.starts[d], spreads.widest[d]
        for i in range(many):
            g = which[i]
            gap = widest - spreads.spread[start + np.int64((keys[w, g] >> s) & m)]
            out[3 + d] += 0 if published[g] else sizes[g] * gap
            out[3 + attributes + d] += least[g] * gap
    return out
