"""The compiled loops of confidence by pairs: how many people outside of the table fall in a box of leaves.

Attributes hang together as a tree (or several): who has leaf y of one attribute has a leaf x of a neighbour with the
share of those with y who have it, whatever other attributes say. All worlds in which as many people have each leaf of
an attribute, and each two leaves of neighbours, as were counted are equally likely. So many people N as are expected in
a box then follow by passing messages along the tree.

**N is a sum of independent yes/no trials**, as with marginals alone, where a path is left of the tree when its ends are
taken off (a caterpillar). That carries Hoeffding's bounds below. The proof goes along the tree from one end of the path
to the other. Let a polynomial in s_y, one variable per leaf y of an attribute, be the generating function E Π (1 +
s_y)^N(y) of those who fit all attributes behind it, and let K be the polynomials that vanish nowhere where all
variables lie in one open half plane through 0 without the negative numbers. Π (1 + s_y)^n_y, which an end of the tree
gives, is in K.

1. *To the next attribute.* Of all worlds equally many have each placing of those with leaf x among the leaves y of the
   neighbour. So a variable is replaced by as many as there are people with x, of which the polynomial is symmetric and
   of degree 1 in each (which stays in K: Grace, Walsh, Szegő), and each of these is set to the variable of its y.
2. *Where several parts meet*, each chooses among those with y at random. An end of the tree chooses k of n: the
   coefficients of s^m are multiplied by (k)_m / (n)_m, and that is a multiplier whose polynomial Σ C(n, m) (k)_m /
   (n)_m s^m = (1 + s)^k has negative zeros only; such ones stay in K (Borcea & Brändén 2009).
3. *At last* all variables are one, and K then means zeros that are negative: each of them is a trial.

Trees that have nothing to do with each other meet like the ends, with all people alike (Schur, Szegő).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel

_SLACK = 1e-11  # relative: more than rounding can do to a sum of products of shares, or to a sum of probabilities
_CUT = 1e-20  # terms this much smaller than the largest are bounded all together


class Tree(NamedTuple):
    """What is known of the people outside, as plain arrays.

    `before[at[d] + x]` have a leaf of attribute d before x. `order` has the attributes, each behind its `parent` (−1:
    none); of those with leaf y of the parent ``pairs[pair_at[d] + y * (leaves[d] + 1) + x]`` have a leaf of d before x.
    Of two attributes that were counted together, `firsts` and `seconds`, ``corners[corner_at[k] + a * width[k] + b]``
    people have a leaf of the one before a and of the other before b; the first `along` of them are along the tree.
    """

    people: int
    leaves: IntArray
    before: IntArray
    at: IntArray
    order: IntArray
    parent: IntArray
    pairs: IntArray
    pair_at: IntArray
    firsts: IntArray
    seconds: IntArray
    corners: IntArray
    corner_at: IntArray
    width: IntArray
    along: int


class Known(NamedTuple):
    """What is known of N, the people outside who are in each box: how many are expected, and what is certain.

    By the tree N is from `fewest` to `most`, by all pairs at most `cap`.
    """

    mean: FloatArray
    fewest: IntArray
    most: IntArray
    cap: IntArray


@kernel(error_model="numpy")
def known_of(tree: Tree, low: Codes, high: Codes) -> Known:
    """For each box of the leaves ``low[g, d]..high[g, d]``."""
    groups, d = low.shape
    mean = np.empty(groups)
    fewest, most, cap = np.empty(groups, np.int64), np.empty(groups, np.int64), np.empty(groups, np.int64)
    widest = 1
    for v in range(d):
        widest = max(widest, tree.leaves[v])
    says, speaks = np.empty((d, widest)), np.empty(d, dtype=np.bool_)
    for g in range(groups):
        mean[g] = _mean(tree, low[g], high[g], says, speaks)
        fewest[g], most[g], cap[g] = _certain(tree, low[g], high[g])
    return Known(mean, fewest, most, cap)


@inner(error_model="numpy")
def _mean(tree: Tree, low: Codes, high: Codes, says: FloatArray, speaks: BoolArray) -> float:
    """How many people are expected in a box. `says` and `speaks` are room to work in."""
    d = len(low)
    expected = float(tree.people)
    for v in range(d):
        speaks[v] = False  # until something behind it does
        for y in range(low[v], high[v] + 1):
            says[v, y] = 1.0
    for i in range(d - 1, -1, -1):
        v = tree.order[i]
        up = tree.parent[v]
        whole = low[v] == 0 and high[v] == tree.leaves[v] - 1
        if whole and not speaks[v]:
            continue
        at = tree.at[v]
        if up < 0:
            total = 0.0
            for x in range(low[v], high[v] + 1):
                total += (tree.before[at + x + 1] - tree.before[at + x]) * says[v, x]
            expected *= total / tree.people
            continue
        for y in range(low[up], high[up] + 1):
            row = tree.pair_at[v] + y * (tree.leaves[v] + 1)
            of_parent = tree.pairs[row + tree.leaves[v]]
            if of_parent == 0:
                says[up, y] = 0.0
                continue
            total = 0.0
            if speaks[v]:
                for x in range(low[v], high[v] + 1):
                    total += (tree.pairs[row + x + 1] - tree.pairs[row + x]) * says[v, x]
            else:
                total = float(tree.pairs[row + high[v] + 1] - tree.pairs[row + low[v]])
            says[up, y] *= total / of_parent
        speaks[up] = True
    return expected


@inner(error_model="numpy")
def _certain(tree: Tree, low: Codes, high: Codes) -> tuple[int, int, int]:
    """The fewest and the most people that can be in a box by the tree, and the most by all pairs.

    Who is not in it lacks an attribute: at most Σ |lacking i| − Σ |lacking i and j| people along a tree (Hunter 1976).
    """
    d = len(low)
    most, lacking = tree.people, 0
    for v in range(d):
        f = tree.before[tree.at[v] + high[v] + 1] - tree.before[tree.at[v] + low[v]]
        most = min(most, f)
        lacking += tree.people - f
    cap = most
    for k in range(len(tree.firsts)):
        i, j = tree.firsts[k], tree.seconds[k]
        at, width = tree.corner_at[k], tree.width[k]
        last, first = at + (high[i] + 1) * width, at + low[i] * width
        end, start = high[j] + 1, low[j]
        both = (
            tree.corners[last + end]
            - tree.corners[last + start]
            - tree.corners[first + end]
            + tree.corners[first + start]
        )
        cap = min(cap, both)
        if k < tree.along:
            most = min(most, both)
            f_i = tree.before[tree.at[i] + high[i] + 1] - tree.before[tree.at[i] + low[i]]
            f_j = tree.before[tree.at[j] + high[j] + 1] - tree.before[tree.at[j] + low[j]]
            lacking -= tree.people - f_i - f_j + both
    return max(tree.people - lacking, 0), most, cap


@kernel(error_model="numpy")
def sure_of(known: Known, low: IntArray, high: IntArray, down: float, up: float) -> FloatArray:
    """Per group, a probability that low..high people are in it at least, if what is expected is off by these factors.

    Whatever sum of independent trials between what is certain N is: of all that have its mean, the one of equal trials
    is most often low − 1 or less (high + 1 or more), where the mean is on the other side (Hoeffding 1956, theorem 4).
    """
    sure = np.empty(len(low))
    for g in range(len(low)):
        fewest, most, cap = known.fewest[g], known.most[g], known.cap[g]
        below, above = 0.0, 0.0
        if low[g] > cap:
            below = 1.0
        elif low[g] > fewest:
            expected = min(max(known.mean[g] * down * (1.0 - _SLACK), float(fewest)), float(cap))
            below = _fewer(low[g] - fewest, most - fewest, expected - fewest)
        if high[g] < fewest:
            above = 1.0
        elif high[g] < cap:
            expected = min(max(known.mean[g] * up * (1.0 + _SLACK), float(fewest)), float(most))
            above = _fewer(most - high[g], most - fewest, most - expected)
        if below == 0.0 and above == 0.0:
            sure[g] = 1.0
        else:
            sure[g] = max(min(1.0 - below - above - 1e-15, 1.0 - 2.0**-53), 0.0)
    return sure


@inner(error_model="numpy")
def _fewer(least: int, trials: int, mean: float) -> float:
    """At least P(X < least) of any sum X of so many trials with this mean; 1 where nothing is proven."""
    if least > mean:
        return 1.0
    p = mean / trials
    if p >= 1.0:
        return 0.0 if mean >= trials else 1.0
    odds = p / (1.0 - p)
    # Terms of the binomial, relative to that at `least`. What is cut off above makes its sum smaller: that is safe.
    within, term, x = 1.0, 1.0, least
    while x < trials:
        term *= (trials - x) * odds / (x + 1)
        x += 1
        within += term
        if term < _CUT * within:
            break
    steps = x
    fewer, term, x = 0.0, 1.0, least
    while x > 0:
        ratio = x / ((trials - x + 1) * odds)
        if ratio < 1.0 and term * ratio < _CUT * fewer:
            fewer += term * ratio / (1.0 - ratio)
            break
        term *= ratio
        x -= 1
        fewer += term
    steps -= x
    return min(fewer / (fewer + within) * (1.0 + 2e-15 * (steps + 10)) + 1e-300, 1.0)
