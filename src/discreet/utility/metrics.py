"""How much a release still says, as the papers measure it. Plain numbers about groups; no table, no plan.

Group g has `sizes[g]` rows and publishes attribute d as the leaves ``low[g, d]..high[g, d]`` of a domain of `leaves[d]`
leaves. A suppressed row counts as if every value were ``*``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.counts.groups import Tally

AnyCodes = NDArray[np.integer]
Runs = tuple[IntArray, IntArray, IntArray]  # group, first leaf, last leaf; a group may have several runs

_MEMORY = 64_000_000  # bytes of bits held at once while estimating


def losses(low: ArrayLike, high: ArrayLike, sizes: ArrayLike, leaves: ArrayLike, suppressed: int = 0) -> FloatArray:
    """Per attribute, how far its values have been blurred: 0 = exact, 1 = everything is ``*``.

    Iyengar 2002: the mean over rows of (leaves(v*) − 1) / (leaves(*) − 1). An attribute with one leaf has nothing to
    lose. With 7 nations, 1 row from a range of 2 and 1 row from a range of 4:

    >>> losses(low=[[0], [0]], high=[[1], [3]], sizes=[1, 1], leaves=[7])
    array([0.33333333])
    """
    return losses_of_widths(np.asarray(high) - np.asarray(low) + 1, sizes, leaves, suppressed)


def losses_of_widths(widths: ArrayLike, sizes: ArrayLike, leaves: ArrayLike, suppressed: int = 0) -> FloatArray:
    """The same from the number of leaves each published value stands for, which need not be neighbours.

    >>> losses_of_widths([[3]], sizes=[10], leaves=[6])  # EU, 3 of 6 nations
    array([0.4])
    """
    n = np.asarray(sizes, dtype=np.int64)
    widest = np.asarray(leaves, dtype=np.int64) - 1
    spread = np.asarray(widths, dtype=np.int64).reshape(len(n), len(widest)) - 1
    lost = n @ spread + suppressed * widest
    result: FloatArray = lost / np.maximum(widest * (int(n.sum()) + suppressed), 1)
    return result


def arithmetic_loss(losses: Sequence[float] | FloatArray) -> float:
    """LM: the mean over all quasi-identifier cells.

    >>> arithmetic_loss([0.4, 0.0])
    0.2
    """
    return math.fsum(losses) / len(losses) if len(losses) else 0.0


def geometric_loss(losses: Sequence[float] | FloatArray) -> float:
    """ARX's form, Π (1 + loss_d)^(1/n) − 1: spreads the loss more evenly over the attributes.

    >>> round(geometric_loss([1.0, 0.0]), 4)
    0.4142
    """
    return float(math.prod([1.0 + loss for loss in losses]) ** (1 / len(losses)) - 1) if len(losses) else 0.0


def discernibility(sizes: ArrayLike, suppressed: int = 0) -> int:
    """DM: from how many rows each row can't be told. Σ n(q)², + N per suppressed row (Bayardo & Agrawal 2005).

    >>> discernibility([3, 2], suppressed=1)  # 9 + 4, and the suppressed row hides among all 6
    19
    """
    # Python's integers: a sum of squares passes 2^63 at three thousand million rows.
    each = [int(n) for n in np.asarray(sizes).tolist()]
    return sum(n * n for n in each) + suppressed * (sum(each) + suppressed)


def average_group_size(sizes: ArrayLike) -> float:
    """Published rows per group; 0 if nothing is published.

    >>> average_group_size([3, 2])
    2.5
    """
    each = np.asarray(sizes)
    return float(each.mean()) if each.size else 0.0


def kl_divergence(
    codes: Sequence[AnyCodes],
    counts: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    sizes: ArrayLike,
    leaves: ArrayLike,
    suppressed: int = 0,
) -> float:
    """How surprised a reader of the release would be by the data, in nats; 0 = not at all.

    Kifer & Gehrke 2006: Σ p(x) ln(p(x) / p̂(x)), p the data's own distribution of combinations, p̂ the release's
    maximum-entropy estimate: every group's rows spread evenly over its published ranges, suppressed rows over
    everything. Groups may overlap. Infinite if a combination of the data lies in no group.

    `codes[d]` are leaf numbers of attribute d, `counts` the rows of each combination. To judge the sensitive value
    too, append its codes and split the groups with `by_value`.

    Two rows, leaves 0 and 1 of a domain of four, published as the range of all four:

    >>> round(kl_divergence([np.array([0, 1])], [1, 1], [[0]], [[3]], [2], [4]), 4)  # ln 2
    0.6931
    """
    first, last = np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64)
    group = np.arange(len(first))
    runs = [(group, first[:, d], last[:, d]) for d in range(len(codes))]
    return kl_divergence_of_runs(codes, counts, runs, sizes, leaves, suppressed)


def kl_divergence_of_runs(
    codes: Sequence[AnyCodes],
    counts: ArrayLike,
    runs: Sequence[Runs],
    sizes: ArrayLike,
    leaves: ArrayLike,
    suppressed: int = 0,
) -> float:
    """The same for published values that are any set of leaves, given per attribute as runs of neighbours."""
    from discreet.utility.leaf_bits import distinct

    weight = np.asarray(counts, dtype=np.int64)
    number, first = distinct(codes, len(weight))
    weight = np.bincount(number, weights=weight, minlength=len(first)).astype(np.int64)
    present = weight > 0
    weight, first = weight[present], first[present]
    rows = int(weight.sum())
    if rows == 0 or not codes:
        return 0.0
    n = np.asarray(sizes, dtype=np.int64)
    domain = [int(d) for d in np.asarray(leaves)]
    published = int(n.sum()) + suppressed
    volume = np.ones(len(n))
    for group, low, high in runs:
        volume *= np.bincount(group, weights=high - low + 1, minlength=len(n))
    estimate = np.full(len(first), suppressed / float(np.prod(domain, dtype=np.float64)))
    _add_densities([c[first] for c in codes], runs, n / volume, domain, estimate)
    with np.errstate(divide="ignore"):
        surprise = np.log(weight / rows) - np.log(estimate / max(published, 1))
    return max(0.0, float((weight / rows) @ surprise))


def _add_densities(
    codes: Sequence[AnyCodes], runs: Sequence[Runs], density: FloatArray, leaves: Sequence[int], total: FloatArray
) -> None:
    """Add to each combination the density of every group that covers it, some groups at a time."""
    from discreet.utility.leaf_bits import add_per_combination, mark, words

    start = np.concatenate([[0], np.cumsum(leaves)]).astype(np.int64)
    rows = np.array([c + s for c, s in zip(codes, start[:-1], strict=True)], dtype=np.int64)
    block = 64 * max(1, _MEMORY // (8 * int(start[-1])))
    for begin in range(0, len(density), block):
        weights = np.zeros(64 * words(min(block, len(density) - begin)))
        part = density[begin : begin + block]
        weights[: len(part)] = part
        bits = np.zeros((int(start[-1]), len(weights) // 64), dtype=np.uint64)
        for (group, low, high), shift in zip(runs, start[:-1], strict=True):
            here = (group >= begin) & (group < begin + len(part))
            mark(bits, group[here] - begin, low[here] + shift, high[here] + shift)
        add_per_combination(bits, rows, weights, total)


def by_value(low: AnyCodes, high: AnyCodes, tally: Tally) -> tuple[AnyCodes, AnyCodes, IntArray]:
    """Split every group by sensitive value, which becomes one more attribute, published exactly."""
    group = np.repeat(np.arange(len(low)), np.diff(tally.offsets))
    value = tally.values[:, None]
    return np.hstack([low[group], value]), np.hstack([high[group], value]), tally.counts
