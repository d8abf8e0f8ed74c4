"""The compiled loops of local recoding: what a group costs, who is near whom, and the sweep over generalizations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.kernels import Keys


class Space(NamedTuple):
    """The distinct combinations of quasi-identifier values, and what it costs to publish leaves of an attribute as one.

    Level l of attribute d has its values at ``at[d, l] + leaf``: `code` says which leaves are one value there, `width`
    what publishing that value costs (its share of the attribute, divided by the number of attributes). `step` is what
    one more leaf costs where ranges may be published, and 0 where only nodes of the hierarchy may. Ranges are made of
    whole values of some level: the row ``place[d] + leaf`` of `ends` has the first and last leaf of the one that a leaf
    is in, which are itself where any range may be.
    """

    leaf: NDArray[np.int32]  # combinations × attributes
    at: IntArray
    code: Codes
    width: FloatArray
    step: FloatArray
    place: IntArray
    ends: Codes


@inner
def span(space: Space, d: int, low: int, high: int) -> float:
    """What publishing the smallest value of attribute `d` that covers both leaves costs."""
    if low == high:
        return 0.0
    if space.step[d] > 0:
        begins, ends = space.ends[space.place[d] + low, 0], space.ends[space.place[d] + high, 1]
        if ends > space.ends[space.place[d] + low, 1]:
            return float((ends - begins) * space.step[d])
    level = 1
    while space.code[space.at[d, level] + low] != space.code[space.at[d, level] + high]:
        level += 1
    return float(space.width[space.at[d, level] + low])


@kernel
def sweep(
    space: Space,
    mark: Keys,
    sizes: IntArray,
    nodes: NDArray[np.int8],
    least: int,
    work: int,
    alive: Codes,
    group: IntArray,
) -> tuple[int, int, int]:
    """Visit generalizations in turn; settle every region that has at least `least` rows among the unsettled ones.

    `mark` has a random word per value of each level, so that a region is known by the words of its values, xored. That
    two regions have equal words is as good as impossible, and would cost utility, not privacy: covers and verdicts are
    taken from what is really in a group. `alive` lists the unsettled combinations (updated in place), `group` has their
    group once settled. Stops when `work` visits are used up. Returns how many combinations stay alive, how many groups
    there are, and the visits made.
    """
    attributes = space.leaf.shape[1]
    left, groups = len(alive), 0
    bits = 4
    while (1 << bits) < 2 * left:
        bits += 1
    slots = np.empty(1 << bits, dtype=np.int32)
    stamp = np.full(1 << bits, -1, dtype=np.int32)
    region = np.empty(left, dtype=np.int32)
    known = np.empty(left, dtype=np.uint64)
    total = np.empty(left, dtype=np.int64)
    number = np.empty(left, dtype=np.int64)
    visits = 0
    for q in range(len(nodes)):
        if left == 0 or visits >= work:
            break
        visits += left
        bits = 4
        while (1 << bits) < 2 * left:
            bits += 1
        down = np.uint64(64 - bits)
        last = (1 << bits) - 1
        regions = 0
        enough = False
        for a in range(left):
            i = alive[a]
            key = np.uint64(0)
            for d in range(attributes):
                key ^= mark[space.at[d, nodes[q, d]] + space.leaf[i, d]]
            j = np.int64(key >> down)
            while stamp[j] == q and known[slots[j]] != key:
                j = (j + 1) & last
            if stamp[j] != q:
                stamp[j] = q
                slots[j] = regions
                known[regions] = key
                total[regions] = 0
                number[regions] = -1
                regions += 1
            r = slots[j]
            region[a] = r
            total[r] += sizes[i]
            enough |= total[r] >= least
        if not enough:
            continue
        kept = 0
        for a in range(left):
            i, r = alive[a], region[a]
            if total[r] < least:
                alive[kept] = i
                kept += 1
                continue
            if number[r] < 0:
                number[r] = groups
                groups += 1
            group[i] = number[r]
        left = kept
    return left, groups, visits


@kernel
def nearest(space: Space, wanted: int, reach: float, work: int) -> Codes:
    """For every combination, the `wanted` others that are cheapest to publish together with it, the nearest first.

    The combinations must be sorted lexicographically: then those that agree on the first attributes stand side by side,
    and a whole run of them is skipped as soon as these attributes alone cost too much. The search goes out in widening
    circles, the first of radius `reach`, and starts each at home. With very many attributes little can be skipped:
    after `work` steps for a combination what was found so far has to do. Missing neighbours are −1.
    """
    n, attributes = space.leaf.shape
    ends = _runs(space.leaf)
    result = np.full((n, wanted), -1, dtype=np.int32)
    costs = np.empty(wanted, dtype=np.float64)
    home = np.zeros(attributes, dtype=np.int64)  # where the run that shares attributes 0..d with this one begins
    place = np.empty(attributes, dtype=np.int64)
    stop = np.empty(attributes, dtype=np.int64)
    begin = np.empty(
        attributes, dtype=np.int64
    )  # where to go on after the end of a run that was entered at home, or −1
    cost = np.zeros(attributes, dtype=np.float64)
    for i in range(n):
        for d in range(attributes):
            if i > 0 and ends[d, home[d]] == i:
                home[d] = i
        radius, steps = reach, 0
        while True:
            have, limit, d = 0, radius, int(np.int64(0))  # a literal would have `span` compiled twice
            place[0], stop[0], begin[0] = home[0], n, 0
            while d >= 0 and steps < work:
                steps += 1
                p = place[d]
                if p >= stop[d]:
                    if begin[d] < 0:
                        d -= 1
                    else:
                        place[d], stop[d], begin[d] = begin[d], home[d], -1
                    continue
                end = ends[d, p]
                place[d] = end
                here = cost[d] + span(
                    space, d, min(space.leaf[i, d], space.leaf[p, d]), max(space.leaf[i, d], space.leaf[p, d])
                )
                if here > limit or (have == wanted and here >= limit):
                    continue
                if d + 1 < attributes:
                    own = begin[d] >= 0 and p == home[d]
                    d += 1
                    place[d], stop[d], begin[d] = home[d] if own else p, end, p if own else -1
                    cost[d] = here
                elif p != i:
                    at = min(have, wanted - 1)
                    while at > 0 and costs[at - 1] > here:
                        costs[at] = costs[at - 1]
                        result[i, at] = result[i, at - 1]
                        at -= 1
                    costs[at] = here
                    result[i, at] = p
                    have = min(have + 1, wanted)
                    if have == wanted:
                        limit = min(limit, costs[wanted - 1])
            if have == wanted or radius >= 1.0 or steps >= work:
                for at in range(have, wanted):
                    result[i, at] = -1
                break
            radius *= 2.0
    return result


@inner
def _runs(leaf: NDArray[np.int32]) -> IntArray:
    """Where the run of sorted combinations that share attributes 0..d with the one at p ends, as ``[d, p]``."""
    n, attributes = leaf.shape
    ends = np.empty((attributes, n), dtype=np.int64)
    for d in range(attributes):
        end = n
        for p in range(n - 1, -1, -1):
            ends[d, p] = end
            if p > 0 and (leaf[p, d] != leaf[p - 1, d] or (d > 0 and ends[d - 1, p - 1] == p)):
                end = p
    return ends


@kernel(plain=lambda one, other, n: 10 * (len(one) + n))
def linked(one: IntArray, other: IntArray, n: int) -> IntArray:
    """For n things of which ``one[i]`` and ``other[i]`` belong together: the smallest of those that each belongs to."""
    root = np.arange(n)
    for i in range(len(one)):
        a, b = one[i], other[i]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        root[max(a, b)] = min(a, b)
    for i in range(n):
        root[i] = root[root[i]]
    return root
