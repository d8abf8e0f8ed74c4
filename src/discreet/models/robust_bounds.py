"""A proven upper bound on posteriors, for groups with too many worlds to add them up.

In a world, somebody, t, has a value x of the protected set X, and u has y, outside of it. Let them swap. That
multiplies the weight of the world by p_u(x) p_t(y) / (p_t(x) p_u(y)), the *price* of u at y. It maps the worlds in
which t is in X, each with one of the people outside, one to one to the worlds in which t is outside, each with one of
the m people in X:

    m · P(t outside X) = P(t in X) · (the mean, over worlds with t in X, of the prices of all people outside X).

So P(t : X) ≤ m / (m + L), where L is not above the price of any world. It is found here from each person's least price:
N − m people are outside, at least those with the smallest ones. For m = 1 and two values that is the exact posterior.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.counts.groups import BoolArray, FloatArray
from discreet.hierarchies.hierarchy import IntArray

_MOST_PAIRS = 4_000_000  # of signatures; beyond, everybody else is as bad as the worst of them


@njit(cache=True)
def most(chances: FloatArray, people: IntArray, inside: BoolArray, m: int, size: int) -> FloatArray:
    """An upper bound on how likely somebody of each signature is to have one of the values `inside`, as m people do."""
    kinds, columns = chances.shape
    found = np.empty(kinds)
    if kinds * kinds > _MOST_PAIRS:
        for t in range(kinds):
            least = _least_price_of_all(chances, inside, t)
            found[t] = 0.0 if least == np.inf else m / (m + (size - m) * least)
        return found
    prices = np.empty(kinds)
    for t in range(kinds):
        possible = False
        for v in range(columns):
            possible |= inside[v] and chances[t, v] > 0
        if not possible:
            found[t] = 0.0
            continue
        total = 0.0
        for u in range(kinds):
            prices[u] = 1.0 if u == t else _least_price(chances, inside, t, u)
            total += (people[u] - (u == t)) * prices[u]
        if m > 1:
            total, left = 0.0, size - m
            for u in np.argsort(prices):
                taken = min(left, people[u] - (u == t))
                if taken > 0 and prices[u] < np.inf:
                    total += taken * prices[u]
                left -= taken
        elif not total < np.inf:
            total = 0.0
            for u in range(kinds):
                if prices[u] < np.inf:
                    total += (people[u] - (u == t)) * prices[u]
        found[t] = m / (m + total)
    return found


@njit(cache=True)
def _least_price(chances: FloatArray, inside: BoolArray, t: int, u: int) -> float:
    """Of u in any world where t has a value of the set; infinite if u is never outside of it."""
    gain, loss = np.inf, 0.0
    for v in range(chances.shape[1]):
        if inside[v]:
            if chances[t, v] > 0:
                gain = min(gain, chances[u, v] / chances[t, v])
        elif chances[u, v] > 0:
            loss = max(loss, chances[u, v] / chances[t, v] if chances[t, v] > 0 else np.inf)
    if loss == 0:
        return np.inf
    return gain / loss if loss < np.inf else 0.0


@njit(cache=True)
def _least_price_of_all(chances: FloatArray, inside: BoolArray, t: int) -> float:
    """The least price of anybody, from the extreme chances of each value; infinite if t has none of the set."""
    kinds, columns = chances.shape
    gain, loss = np.inf, 0.0
    for v in range(columns):
        low, high = np.inf, 0.0
        for u in range(kinds):
            low, high = min(low, chances[u, v]), max(high, chances[u, v])
        if inside[v]:
            if chances[t, v] > 0:
                gain = min(gain, low / chances[t, v])
        elif high > 0:
            loss = max(loss, high / chances[t, v] if chances[t, v] > 0 else np.inf)
    if gain == np.inf:
        return np.inf
    return gain / loss if 0 < loss < np.inf else 0.0
