"""The compiled loops of the models: one number per group. Verdicts are drawn from them elsewhere.

Group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` and `counts`, as in a `Tally`.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel

# n ln n for the counts that nearly all pairs have: a look-up takes a fifth of a logarithm.
N_LOG_N = np.arange(4096) * np.log(np.maximum(np.arange(4096), 1))


@kernel
def compare(level: FloatArray, threshold: float, margin: float) -> tuple[BoolArray, IntArray]:
    """Which levels are at most the threshold, and which are too near to it to say so."""
    verdict = np.empty(len(level), dtype=np.bool_)
    close = 0
    for g in range(len(level)):
        verdict[g] = level[g] <= threshold
        if abs(level[g] - threshold) <= margin:
            close += 1
    near = np.empty(close, dtype=np.int64)
    if close > 0:
        close = 0
        for g in range(len(level)):
            if abs(level[g] - threshold) <= margin:
                near[close] = g
                close += 1
    return verdict, near


@kernel
def chances(sizes: IntArray, of_value: IntArray, own: IntArray) -> FloatArray:
    """Per group, 1 − C(n − n(s), j) / C(n, j): n rows, n(s) of them with a value, j of them somebody's own."""
    result = np.empty(len(sizes), dtype=np.float64)
    for g in range(len(sizes)):
        fewer, more = min(of_value[g], own[g]), max(of_value[g], own[g])
        spared = 1.0  # C(n − n(s), j) / C(n, j) is the same with n(s) and j exchanged: the shorter product
        for i in range(fewer):
            spared *= max(0, sizes[g] - more - i) / (sizes[g] - i)
        result[g] = 1.0 - spared
    return result


@kernel(plain=lambda offsets, counts: 2 * (len(offsets) + len(counts)))
def largest(offsets: IntArray, counts: IntArray) -> IntArray:
    """The count of the most frequent value."""
    out = np.zeros(len(offsets) - 1, dtype=np.int64)
    for g in range(len(out)):
        most = np.int64(0)
        for p in range(offsets[g], offsets[g + 1]):
            most = max(most, counts[p])
        out[g] = most
    return out


@kernel
def largest_and_tail(offsets: IntArray, counts: IntArray, sizes: IntArray, ahead: int) -> tuple[IntArray, IntArray]:
    """The count of the most frequent value, and the rows without the `ahead` most frequent ones."""
    first = np.zeros(len(offsets) - 1, dtype=np.int64)
    tail = np.zeros(len(offsets) - 1, dtype=np.int64)
    top = np.zeros(ahead, dtype=np.int64)
    for g in range(len(first)):
        begin, end = offsets[g], offsets[g + 1]
        if end - begin > ahead:
            tail[g] = sizes[g] - fill_top(top, counts, begin, end)
            first[g] = top[0]
        else:
            for p in range(begin, end):
                first[g] = max(first[g], counts[p])
    return first, tail


@inner
def fill_top(top: IntArray, counts: IntArray, begin: int, end: int) -> np.int64:
    """Put the largest counts into `top`, the largest first; returns their sum."""
    for i in range(len(top)):
        top[i] = 0
    total = np.int64(0)
    last = len(top) - 1
    for p in range(begin, end):
        count = counts[p]
        if count > top[last]:
            total += count - top[last]
            at = last
            while at > 0 and top[at - 1] < count:
                top[at] = top[at - 1]
                at -= 1
            top[at] = count
    return total


@kernel
def entropies(offsets: IntArray, counts: IntArray, sizes: IntArray, n_log_n: FloatArray) -> FloatArray:
    """Shannon's entropy of the values, in nats."""
    out = np.zeros(len(offsets) - 1)
    for g in range(len(out)):
        out[g] = entropy(counts, offsets[g], offsets[g + 1], sizes[g], n_log_n)
    return out


@inner
def entropy(counts: IntArray, begin: int, end: int, size: int, n_log_n: FloatArray) -> float:
    """Shannon's entropy of one group: (n ln n − Σ n(s) ln n(s)) / n."""
    if size == 0:
        return 0.0
    total = n_log_n[size] if size < len(n_log_n) else size * math.log(size)
    for p in range(begin, end):
        count = counts[p]
        total -= n_log_n[count] if count < len(n_log_n) else count * math.log(count)
    return total / size


@kernel
def entropy_lacking(
    offsets: IntArray, counts: IntArray, sizes: IntArray, n_log_n: FloatArray, least: float, distinct: int
) -> FloatArray:
    """How much entropy each group lacks to `least`; negative where it has more.

    `distinct` is how many values, all equally frequent, it takes to reach `least`. Groups whose values all occur
    equally often are the common tie, and need no logarithm: they are answered clear of zero.
    """
    out = np.empty(len(offsets) - 1)
    for g in range(len(out)):
        begin, end = offsets[g], offsets[g + 1]
        p = begin + 1
        while p < end and counts[p] == counts[begin]:
            p += 1
        if p >= end:
            out[g] = distinct - (end - begin) - 0.5
        else:
            out[g] = least - entropy(counts, begin, end, sizes[g], n_log_n)
    return out


@kernel
def largest_ratio(
    offsets: IntArray, values: Codes, counts: IntArray, sizes: IntArray, weight: FloatArray
) -> FloatArray:
    """The largest weighted share n(s) · weight(s) / n."""
    out = np.zeros(len(offsets) - 1)
    for g in range(len(out)):
        most = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            most = max(most, counts[p] * weight[values[p]])
        out[g] = most / max(sizes[g], 1)
    return out


@kernel
def ratio_range(
    offsets: IntArray, values: Codes, counts: IntArray, sizes: IntArray, weight: FloatArray, domain: int
) -> tuple[FloatArray, FloatArray]:
    """The smallest weighted share (0 where one of the `domain` values is absent), and the largest change of a share.

    The change is counted as a factor, up or down alike: 2 where a share doubled or halved, infinite where a value
    is absent.
    """
    low = np.zeros(len(offsets) - 1)
    change = np.full(len(offsets) - 1, np.inf)
    for g in range(len(low)):
        if offsets[g + 1] - offsets[g] < domain or sizes[g] == 0:
            continue
        least = np.inf
        most = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            ratio = counts[p] * weight[values[p]]
            least = min(least, ratio)
            most = max(most, ratio)
        low[g] = least / sizes[g]
        change[g] = max(most / sizes[g], sizes[g] / least)
    return low, change


@kernel
def equal_distances(
    offsets: IntArray, values: Codes, counts: IntArray, sizes: IntArray, share: FloatArray
) -> FloatArray:
    """Half the sum of absolute differences to `share`: what the group has too much of, so only its own values count."""
    out = np.zeros(len(offsets) - 1)
    for g in range(len(out)):
        size = max(sizes[g], 1)
        total = 0.0
        for p in range(offsets[g], offsets[g + 1]):
            total += max(0.0, counts[p] - share[values[p]] * size)
        out[g] = total / size
    return out


@kernel
def ordered_distances(
    offsets: IntArray, values: Codes, counts: IntArray, sizes: IntArray, rank: IntArray, below: FloatArray
) -> FloatArray:
    """The sum over i of |Q(i) − P(i)| / (m − 1), Q and P cumulative; `below[i]` is the table's P(i).

    Groups that have a good part of the values walk through all of them; the others skip from value to value.
    """
    m = len(below)
    out = np.zeros(len(offsets) - 1)
    if m < 2:
        return out
    area = np.zeros(m + 1)
    for i in range(m):
        area[i + 1] = area[i] + below[i]
    ranks = np.zeros(len(rank), dtype=np.int64)
    weights = np.zeros(len(rank), dtype=np.int64)
    dense = np.zeros(len(rank), dtype=np.int64)
    for g in range(len(out)):
        begin, end, each = offsets[g], offsets[g + 1], 1 / max(sizes[g], 1)
        c = end - begin
        if c == 0:
            continue
        total = 0.0
        running = np.int64(0)
        if c > 32 or (c > 1 and m <= 8 * c):
            for p in range(begin, end):
                dense[rank[values[p]]] = counts[p]
            for i in range(m - 1):
                running += dense[i]
                total += abs(running * each - below[i])
            for p in range(begin, end):
                dense[rank[values[p]]] = 0
        else:
            _sort_by_rank(ranks, weights, values, counts, rank, begin, end)
            # Q is 0 before the first value, 1 from the last on, and constant in between, while P only rises.
            first, last = ranks[0], ranks[c - 1]
            total = area[first] + (m - 1 - last) - (area[m - 1] - area[last])
            for i in range(c - 1):
                running += weights[i]
                total += _stretch(below, area, ranks[i], ranks[i + 1], running * each)
        out[g] = total / (m - 1)
    return out


@inner
def _stretch(below: FloatArray, area: FloatArray, start: int, stop: int, level: float) -> np.float64:
    """The sum of |level − P(i)| for i from `start` up to `stop`: running sums of P on both sides of the crossing."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if below[middle] <= level:
            low = middle + 1
        else:
            high = middle
    under = level * (low - start) - (area[low] - area[start])
    over = (area[stop] - area[low]) - level * (stop - low)
    return under + over  # type: ignore[no-any-return]


@inner
def _sort_by_rank(
    ranks: IntArray, weights: IntArray, values: Codes, counts: IntArray, rank: IntArray, begin: int, end: int
) -> None:
    """Copy the few pairs of a group in the order of their values, by insertion."""
    for p in range(begin, end):
        r = rank[values[p]]
        at = p - begin
        while at > 0 and ranks[at - 1] > r:
            ranks[at] = ranks[at - 1]
            weights[at] = weights[at - 1]
            at -= 1
        ranks[at] = r
        weights[at] = counts[p]


@kernel
def hierarchical_distances(
    offsets: IntArray, values: Codes, counts: IntArray, sizes: IntArray, codes: Codes, reference: FloatArray
) -> FloatArray:
    """The mean over all levels below ``*`` of the equal distance between the values at that level."""
    levels, width = codes.shape
    share = np.zeros((levels, width))
    for level in range(levels):
        for leaf in range(width):
            share[level, codes[level, leaf]] += reference[leaf]
    alone = np.zeros(width)  # the distance of a group that has a single value, as most have in fine nodes
    for level in range(levels):
        for leaf in range(width):
            alone[leaf] += (1 - share[level, codes[level, leaf]]) / levels
    scratch = np.zeros(width, dtype=np.int64)
    out = np.zeros(len(offsets) - 1)
    for g in range(len(out)):
        begin, end, size = offsets[g], offsets[g + 1], max(sizes[g], 1)
        if end - begin == 1:
            out[g] = alone[values[begin]]
            continue
        total = 0.0
        for p in range(begin, end):  # on level 0 each value is a node of its own
            total += max(0.0, counts[p] - reference[values[p]] * size)
        for level in range(1, levels):
            for p in range(begin, end):
                scratch[codes[level, values[p]]] += counts[p]
            for p in range(begin, end):
                node = codes[level, values[p]]
                if scratch[node] > 0:
                    total += max(0.0, scratch[node] - share[level, node] * size)
                    scratch[node] = 0
        out[g] = total / (size * levels)
    return out
