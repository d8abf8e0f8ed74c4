"""The compiled posteriors of one group under one attribute set: how likely somebody is to have one of some values.

People of equal signature are alike to the adversary: `chances` has a row per signature, `people` says how many have it;
a column per value of the group, `values` says how often the group has it. Everything is a sum of products of positive
numbers, so it is right to about as many digits as people are in the group times the last one.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner

# Chances are scaled so that the values of the group are the expected ones; then the weight of all its worlds together
# is that of a multinomial at its mean, far above this. What is below may be rounded away: 0 stands for "can't be told".
_LEAST_WEIGHT = 1e-200
_FAR = np.float64(1 << 62)


@inner
def states(counts: IntArray) -> float:
    """How many different multisets these counts contain, as a number that can't overflow."""
    product = 1.0
    for count in counts:
        product = min(product * (count + 1.0), _FAR)
    return product


@inner
def balanced(chances: FloatArray, people: IntArray, values: IntArray) -> FloatArray:
    """The chances times a factor per signature and one per value, so that the group's values are about the expected.

    Such factors change the weight of all worlds alike. In the end each row adds up to 1.
    """
    kinds, columns = chances.shape
    of_row, of_column = np.ones(kinds), np.ones(columns)
    for _ in range(100):
        for j in range(kinds):
            total = 0.0
            for v in range(columns):
                total += chances[j, v] * of_column[v]
            of_row[j] = 1.0 / total if total > 0 else 0.0
        far = False
        for v in range(columns):
            total = 0.0
            for j in range(kinds):
                total += people[j] * chances[j, v] * of_row[j]
            expected = total * of_column[v]
            far |= expected < 0.8 * values[v] or expected > 1.25 * values[v]
            if total > 0:
                of_column[v] = values[v] / total
        if not far:
            break
    scaled = np.empty((kinds, columns))
    for j in range(kinds):
        total = 0.0
        for v in range(columns):
            scaled[j, v] = chances[j, v] * of_column[v]
            total += scaled[j, v]
        for v in range(columns):
            scaled[j, v] = scaled[j, v] / total if total > 0 else 0.0
    return scaled


@inner
def dealt(chances: FloatArray, people: IntArray, values: IntArray, before: FloatArray, after: FloatArray) -> FloatArray:
    """How many people of each signature are expected to have each value, over all worlds.

    NaN if they have no weight to speak of.

    Dealing the values out to one person after the other, a state is what has been dealt so far: how often each value.
    That also says who is next. `before` is the weight of all ways into a state, `after` that of all ways out of it;
    both are scratch of at least `states(values)` places.
    """
    kinds, columns = chances.shape
    expected = np.zeros((kinds, columns))
    turn = np.empty(people.sum(), dtype=np.int64)
    place = 0
    for j in range(kinds):
        turn[place : place + people[j]] = j
        place += people[j]
    strides = np.empty(columns, dtype=np.int64)
    total = 1
    for v in range(columns):
        strides[v] = total
        total *= values[v] + 1
    digits = np.zeros(columns, dtype=np.int64)
    done = 0
    before[0] = 1.0
    for state in range(1, total):
        v = 0
        while digits[v] == values[v]:
            done -= digits[v]
            digits[v] = 0
            v += 1
        digits[v] += 1
        done += 1
        j = turn[done - 1]
        weight = 0.0
        for v in range(columns):
            if digits[v] > 0:
                weight += before[state - strides[v]] * chances[j, v]
        before[state] = weight
    if before[total - 1] < _LEAST_WEIGHT:
        expected[:] = np.nan
        return expected
    after[total - 1] = 1.0
    for state in range(total - 2, -1, -1):
        v = 0
        while digits[v] == 0:
            digits[v] = values[v]
            done += values[v]
            v += 1
        digits[v] -= 1
        done -= 1
        j = turn[done]
        weight, here = 0.0, before[state]
        for v in range(columns):
            if digits[v] < values[v]:
                way = chances[j, v] * after[state + strides[v]]
                weight += way
                expected[j, v] += here * way
        after[state] = weight
    expected /= before[total - 1]
    return expected


@inner
def dealable(chances: FloatArray, people: IntArray, values: IntArray) -> bool:
    """Is there a world with weight: can everybody get a value that is possible for him?"""
    kinds, columns = chances.shape
    flow = np.zeros((kinds, columns), dtype=np.int64)
    left = values.copy()
    came_by, came_from = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    queue = np.empty(columns, dtype=np.int64)
    for j in range(kinds):
        waiting = people[j]
        while waiting > 0:
            # The shortest way to a value that is left, by people who may change to another one.
            came_by[:] = -1
            head = tail = 0
            end = -1
            for v in range(columns):
                if chances[j, v] > 0:
                    came_by[v], came_from[v] = j, -1
                    queue[tail] = v
                    tail += 1
            while head < tail:
                v = queue[head]
                head += 1
                if left[v] > 0:
                    end = v
                    break
                for u in range(kinds):
                    if flow[u, v] > 0:
                        for w in range(columns):
                            if came_by[w] < 0 and chances[u, w] > 0:
                                came_by[w], came_from[w] = u, v
                                queue[tail] = w
                                tail += 1
            if end < 0:
                return False
            amount, v = min(waiting, left[end]), end
            while came_from[v] >= 0:
                amount = min(amount, flow[came_by[v], came_from[v]])
                v = came_from[v]
            left[end] -= amount
            v = end
            while came_from[v] >= 0:
                flow[came_by[v], v] += amount
                flow[came_by[v], came_from[v]] -= amount
                v = came_from[v]
            flow[j, v] += amount
            waiting -= amount
    return True


@inner
def marginals(
    chances: FloatArray, people: IntArray, values: IntArray, before: FloatArray, after: FloatArray
) -> FloatArray:
    """How likely somebody of each signature is to have each value.

    Infinite if no world has weight: nothing is what she believed. NaN if the weight is too small to tell.
    Values are dealt out to people, or people (by signature) to values, whichever has fewer states.
    """
    kinds, columns = chances.shape
    scaled = balanced(chances, people, values)
    if states(values) * columns <= states(people) * kinds:
        posterior: FloatArray = dealt(scaled, people, values, before, after)
    else:
        turned = np.empty((columns, kinds))
        for v in range(columns):
            total = 0.0
            for j in range(kinds):
                turned[v, j] = scaled[j, v] * people[j]
                total += turned[v, j]
            for j in range(kinds):
                turned[v, j] = turned[v, j] / total if total > 0 else 0.0
        by_value = dealt(turned, values, people, before, after)
        posterior = np.empty((kinds, columns))
        for j in range(kinds):
            for v in range(columns):
                posterior[j, v] = by_value[v, j]
    nothing = np.isnan(posterior[0, 0]) and not dealable(chances, people, values)
    for j in range(kinds):
        for v in range(columns):
            posterior[j, v] = np.inf if nothing else posterior[j, v] / people[j]
    return posterior


@inner
def two_valued(inside: FloatArray, outside: FloatArray, people: IntArray, m: int) -> FloatArray:
    """How likely somebody of each signature is one of the m people who have it, where each has it or not.

    `inside` and `outside` are the chances of both, up to a factor per signature. Wong et al., Table 4. With odds
    o = inside / outside it is o times the elementary symmetric polynomial of the others' odds of degree m − 1, divided
    by that of all of degree m: for m = 1, o / Σ o. Infinite and NaN as above.
    """
    kinds = len(people)
    posterior = np.zeros(kinds)
    open_people, certain = 0, 0
    for j in range(kinds):
        if outside[j] <= 0:
            certain += people[j]
            posterior[j] = 1.0
        elif inside[j] > 0:
            open_people += people[j]
    rest = m - certain
    if rest < 0 or rest > open_people:
        posterior[:] = np.inf
        return posterior
    if rest == 0:
        return posterior
    odds = np.zeros(kinds)
    total = 0.0
    for j in range(kinds):
        if outside[j] > 0 and inside[j] > 0:
            odds[j] = inside[j] / outside[j]
            total += people[j] * odds[j]
            if rest == open_people:
                posterior[j] = 1.0
    if rest == open_people:
        return posterior
    if rest == 1:
        for j in range(kinds):
            if odds[j] > 0:
                posterior[j] = odds[j] / total
        return posterior
    # Odds times a factor are chances q of having it, by which m people are expected to; the weight of the worlds is
    # the probability of exactly m, which is the likeliest number then.
    factor = rest / (open_people - rest) * open_people / total
    for _ in range(100):
        expected = 0.0
        for j in range(kinds):
            expected += people[j] * (odds[j] * factor / (1.0 + odds[j] * factor))
        factor *= rest / (open_people - rest) * (open_people - expected) / expected
        if abs(expected - rest) < 0.1:
            break
    before = np.zeros((kinds, rest + 1))  # all people of earlier signatures, and all but one of this
    ways = np.zeros(rest + 1)
    ways[0] = 1.0
    for j in range(kinds):
        if odds[j] > 0:
            no = 1.0 / (1.0 + odds[j] * factor)
            q = odds[j] * factor * no
            for i in range(people[j]):
                if i == people[j] - 1:
                    for k in range(rest + 1):
                        before[j, k] = ways[k]
                for k in range(rest, 0, -1):
                    ways[k] = ways[k] * no + ways[k - 1] * q
                ways[0] *= no
    weight = ways[rest]
    if weight < _LEAST_WEIGHT:
        posterior[:] = np.nan
        return posterior
    ways[:] = 0.0
    ways[0] = 1.0
    for j in range(kinds - 1, -1, -1):
        if odds[j] > 0:
            no = 1.0 / (1.0 + odds[j] * factor)
            q = odds[j] * factor * no
            others = 0.0
            for k in range(rest):
                others += before[j, k] * ways[rest - 1 - k]
            posterior[j] = q * others / weight
            for _ in range(people[j]):
                for k in range(rest, 0, -1):
                    ways[k] = ways[k] * no + ways[k - 1] * q
                ways[0] *= no
    return posterior
