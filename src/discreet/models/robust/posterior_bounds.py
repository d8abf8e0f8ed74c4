"""Proven upper bounds on posteriors, for groups with too many worlds to add them up.

In a world, somebody, t, has a value x of the protected set X, and u has y, outside of it. Let them swap. That
multiplies the weight of the world by p_u(x) p_t(y) / (p_t(x) p_u(y)), the *price* of u at y. It maps the worlds in
which t has x, each with one of the people outside of X, one to one to the worlds in which t is outside, each with one
of the c(x) people who have x:

    c(x) · P(t outside X) = P(t : x) · (the mean, over worlds in which t has x, of the prices of all people outside X).

So with L(x) not above the price of any such world, P(t : x) ≤ P(t outside X) · c(x) / L(x), and the odds of P(t : X)
are at most Σ c(x) / L(x) over x in X. A world gives everybody but t a value; its price is that of a transport of people
to values, and L(x) is found in three ways, from cheap to tight: everybody outside has his own least price; every value
has the people of the least price for it; any potentials of the values bound the transport by linear duality.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner

_ROUNDING = 1e-12  # of a sum of prices, relative to its terms: far above what floating point loses


@inner
def most(
    chances: FloatArray, people: IntArray, values: IntArray, inside: BoolArray, enough: float, steps: int
) -> FloatArray:
    """An upper bound on how likely somebody of each signature is to have one of the values `inside`.

    The group must have a world with weight (`robust_kernels.dealable`). Bounds below `enough` are not made tighter;
    `steps` of duality are taken for the others.
    """
    kinds, columns = chances.shape
    outside_people = values[~inside].sum()
    bound, odds, tight = np.empty(kinds), np.zeros(kinds), np.zeros((kinds, columns))
    prices = np.empty(kinds)
    for x in np.flatnonzero(inside):
        by_value = _cheapest(chances, people, values, inside, x)
        for t in range(kinds):
            if chances[t, x] > 0:
                for u in range(kinds):
                    prices[u] = _least_price(chances, inside, x, t, u)
                least = _sum_of_least(prices, people, t, outside_people)
                each = 0.0
                for y in range(columns):
                    each += by_value[y] * chances[t, y] / chances[t, x]
                tight[t, x] = max(least, each * (1 - _ROUNDING))
                odds[t] += values[x] / tight[t, x] if tight[t, x] > 0 else np.inf
    for t in range(kinds):
        bound[t] = odds[t] / (1 + odds[t]) if odds[t] < np.inf else 1.0
        if bound[t] > enough and steps > 0:
            odds[t] = 0.0
            for x in np.flatnonzero(inside):
                if chances[t, x] > 0:
                    least = max(tight[t, x], _transport(chances, people, values, inside, x, t, steps))
                    odds[t] += values[x] / least if least > 0 else np.inf
            bound[t] = odds[t] / (1 + odds[t]) if odds[t] < np.inf else 1.0
    return bound


@inner
def _least_price(chances: FloatArray, inside: BoolArray, x: int, t: int, u: int) -> float:
    """Of u, at any value outside of the set; infinite if u is never outside."""
    loss = 0.0
    for y in range(chances.shape[1]):
        if not inside[y] and chances[u, y] > 0:
            loss = max(loss, chances[u, y] / chances[t, y] if chances[t, y] > 0 else np.inf)
    if loss == 0:
        return np.inf
    return float(chances[u, x] / chances[t, x] / loss)


@inner
def _sum_of_least(prices: FloatArray, people: IntArray, t: int, count: int) -> float:
    """Of the `count` cheapest people other than one of t; those who have no price don't count."""
    total, left = 0.0, count
    for u in np.argsort(prices):
        taken = min(left, people[u] - (u == t))
        if taken > 0 and prices[u] < np.inf:
            total += taken * prices[u]
        left -= taken
    return total * (1 - _ROUNDING)


@inner
def _cheapest(chances: FloatArray, people: IntArray, values: IntArray, inside: BoolArray, x: int) -> FloatArray:
    """For each value outside of the set, the least sum of p(x) / p(y) of as many people as have it."""
    kinds, columns = chances.shape
    costs = np.zeros(columns)
    ratios = np.empty(kinds)
    for y in range(columns):
        if not inside[y]:
            for u in range(kinds):
                ratios[u] = chances[u, x] / chances[u, y] if chances[u, y] > 0 else np.inf
            left = values[y]
            for u in np.argsort(ratios):
                taken = min(left, people[u])
                if taken > 0 and ratios[u] < np.inf:
                    costs[y] += taken * ratios[u]
                left -= taken
    return costs


@inner
def _transport(
    chances: FloatArray, people: IntArray, values: IntArray, inside: BoolArray, x: int, t: int, steps: int
) -> float:
    """A lower bound on the price of all worlds in which t has x: ascent of the dual by subgradients.

    For potentials b(v), every transport costs at least Σ_u min_v (price(u, v) − b(v)) + Σ_v c(v) b(v).
    """
    kinds, columns = chances.shape
    price, cheapest = np.empty((kinds, columns)), np.empty(kinds)
    for u in range(kinds):
        gain = chances[u, x] / chances[t, x]
        cheapest[u] = np.inf
        for v in range(columns):
            if chances[u, v] == 0:
                price[u, v] = np.inf
            elif inside[v]:
                price[u, v] = 0.0
            else:
                price[u, v] = gain * chances[t, v] / chances[u, v]
                cheapest[u] = min(cheapest[u], price[u, v])
    # Start where those with the highest prices are the ones inside: that is the sum of everybody's least price.
    potential = np.zeros(columns)
    order = np.argsort(cheapest)
    left, outside, middle = 0, values[~inside].sum(), 0.0
    for u in order:
        if cheapest[u] < np.inf:
            left += people[u] - (u == t)
            middle = cheapest[u]
            if left >= outside:
                break
    for v in range(columns):
        potential[v] = -middle if inside[v] else 0.0
    scale = cheapest[order[kinds // 2]]
    scale = scale if 0 < scale < np.inf else middle
    best = 0.0
    used = np.empty(columns)
    for step in range(steps):
        used[:] = 0.0
        total = terms = 0.0
        for u in range(kinds):
            count = people[u] - (u == t)
            if count > 0:
                least, choice = np.inf, -1
                for v in range(columns):
                    if price[u, v] - potential[v] < least:
                        least, choice = price[u, v] - potential[v], v
                if choice >= 0:
                    total += count * least
                    terms += count * (price[u, choice] + abs(potential[choice]))
                    used[choice] += count
        farthest = 0.0
        for v in range(columns):
            wanted = values[v] - (v == x)
            total += wanted * potential[v]
            terms += wanted * abs(potential[v])
            farthest = max(farthest, abs(wanted - used[v]))
        best = max(best, total - _ROUNDING * terms)
        if farthest == 0:
            break
        for v in range(columns):
            potential[v] += scale / np.sqrt(step + 1.0) * (values[v] - (v == x) - used[v]) / farthest
    return best
