"""The compiled loops behind `likely` for promises about the sensitive values in each group.

What `block_kernels` finds for groups of a given size is shared by all groups with the same distribution of
values, and weighed with how likely each size is. Bounds go before: most groups are not looked at.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.models.likelihood.block_kernels import block_of, distinct_block, limited_block
from discreet.models.likelihood.size_kernels import (
    ENOUGH,
    FINISHED,
    TOO_MANY,
    TOO_UNLIKELY,
    Goal,
    log_binomial,
    log_poisson,
)

ComplexArray = NDArray[np.complex128]

_DEVIATIONS = 5.5  # sizes farther from the mean are judged like the farthest that are looked at
_FROM = 12  # the smallest size that bounds are made for
_UNHELPFUL = 1000  # a bound that begins at larger groups than that is not worth its sum
_ALIKE = 1 << 40  # shares of values are compared in steps of this


class Kinds(NamedTuple):
    """Groups by their distributions of values: group i is of kind `number[i]`, as is row `example[k]` of kind k."""

    sensitive: FloatArray
    number: IntArray
    example: IntArray


class Promise(NamedTuple):
    """How often each value may occur, as `diversity.Limits` has it; or, if above 0, how many `different` ones there
    must be, and nothing else.
    """

    a: FloatArray
    b: FloatArray
    shape: FloatArray
    different: int


class ValueMasses(NamedTuple):
    """How it `ended`, the moments of each group, Σ log(1 − p), the sum and the largest of the true probabilities to
    break the promise, the rows expected in groups that do, and the products on the circle.
    """

    ended: int
    moments: FloatArray
    logarithm: float
    union: float
    largest: float
    expectation: float
    product: ComplexArray


@kernel(error_model="numpy")
def same_rows(sensitive: FloatArray) -> tuple[IntArray, IntArray]:
    """The number of each row's distribution, and a row that has each; equal ones (to 2⁻⁴⁰) have one number."""
    rows, values = sensitive.shape
    size = 1
    while size < 2 * rows + 2:
        size *= 2
    slots = np.full(size, -1, dtype=np.int64)
    number, example = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    many = 0
    for i in range(rows):
        mixed = np.uint64(1469598103934665603)
        for j in range(values):
            mixed = (mixed ^ np.uint64(np.int64(sensitive[i, j] * _ALIKE + 0.5))) * np.uint64(1099511628211)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed & np.uint64(size - 1))
        while slots[slot] >= 0:
            other, equal = example[slots[slot]], True
            for j in range(values):
                if np.int64(sensitive[i, j] * _ALIKE + 0.5) != np.int64(sensitive[other, j] * _ALIKE + 0.5):
                    equal = False
                    break
            if equal:
                break
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = many
            example[many] = i
            many += 1
        number[i] = slots[slot]
    return number, example[:many].copy()


@inner(error_model="numpy")
def _window(rows: int, share: float) -> tuple[int, int]:
    """The sizes that are looked at."""
    mean = rows * share
    spread = _DEVIATIONS * math.sqrt(mean)
    return max(int(mean - spread) - 1, 0), min(int(mean + spread) + 12, rows)


@kernel(error_model="numpy")
def distances(sensitive: FloatArray, example: IntArray, most: float) -> FloatArray:
    """Per distribution, how far its values are from having a share `most`: (KL of the closest, how many count like it).

    By Chernoff, value j has more than that share of a group of x with probability e^(−x · KL_j) at most. Together that
    is at most `many` · e^(−x · KL) for every x from _FROM on. KL is 0 where a value has that share anyway.
    """
    nearest = np.zeros((len(example), 2))
    for i in range(len(example)):
        theta = sensitive[example[i]]
        top = theta.max()
        if not 0.0 < top < most < 1.0:
            continue
        closest = most * math.log(most / top) + (1.0 - most) * math.log((1.0 - most) / (1.0 - top))
        many = 0.0
        for j in range(len(theta)):
            if theta[j] > 0.0:
                apart = most * math.log(most / theta[j]) + (1.0 - most) * math.log((1.0 - most) / (1.0 - theta[j]))
                many += math.exp(-_FROM * (apart - closest))
        nearest[i] = closest, many
    return nearest


@kernel(error_model="numpy")
def value_bounds(likelihood: FloatArray, rows: int, number: IntArray, distance: FloatArray, least: int) -> FloatArray:
    """Proven bounds per group: on its probability to break the promise (lower, upper), and on the rows lost by that.

    Sizes below `least` always break it; sizes of at least _FROM as rarely as `distances` says.
    """
    bounds = np.zeros((len(likelihood), 4))
    for i in range(len(likelihood)):
        share, apart, values = min(likelihood[i], 1.0), distance[number[i], 0], distance[number[i], 1]
        mean = rows * share
        if share <= 0.0:
            continue
        none = math.exp(rows * math.log1p(-share)) if share < 1.0 else 0.0
        enough = max(int(math.log(values) / apart) + 1, _FROM) if apart > 0.002 else _UNHELPFUL
        if share >= 1.0 or (enough >= _UNHELPFUL and mean > 20.0 * least + 20.0):
            bounds[i] = 0.0, 1.0 - none, 0.0, mean
            continue
        until = max(enough if enough < _UNHELPFUL else least, least)
        factor = math.exp(-apart)
        odds = share / (1.0 - share)
        term, shrunk = none, 1.0
        total = rows_lost = certain = certain_lost = 0.0
        tail, tail_lost = none, 0.0
        for x in range(1, min(until, rows + 1)):
            term *= odds * (rows - x + 1) / x
            shrunk *= factor
            total += term
            rows_lost += x * term
            if x < least:
                certain, certain_lost = total, rows_lost
            tail += term * shrunk
            tail_lost += x * term * shrunk
            if x > mean and term < 1e-18:
                break
        upper, upper_lost = 1.0 - none, mean
        if enough < _UNHELPFUL:
            left = math.log1p(-share * (1.0 - factor))
            upper = min(upper, total + values * max(math.exp(rows * left) - tail, 0.0) + 1e-15)
            rest = mean * factor * math.exp((rows - 1) * left) - tail_lost
            upper_lost = min(upper_lost, rows_lost + values * max(rest, 0.0) + 1e-15)
        bounds[i] = certain, upper, certain_lost, upper_lost
    return bounds


@kernel(error_model="numpy")
def value_masses(
    likelihood: FloatArray,
    rows: int,
    order: IntArray,
    bounds: FloatArray,
    kinds: Kinds,
    promise: Promise,
    goal: Goal,
    points: int,
) -> ValueMasses:
    """The same as `size_masses`, with (p, Σ x p, Σ x² p) in place of the probability p of each group.

    `bounds` are those of `value_bounds`: what is left to be looked at may not matter. Then the union and the
    expectation are upper bounds if all of the goal is reached, and the expectation a lower one if it is too large.

    With `points` above 0 also, per point of the circle, Π (E[z^X; fine] / P(fine)) over the groups with p above 1e-12,
    and their share as the last entry. `order` has groups of a kind together.
    """
    at_least, at_most = goal.at_least, goal.at_most
    moments = np.zeros((len(likelihood), 3))
    lowest = math.log(at_least) + log_poisson(rows, float(rows)) if at_least > 0.0 else -np.inf
    logarithm = union = largest = expectation = 0.0
    used = points // 2 + 1 if points > 0 else 0
    product = np.ones(used + 1, dtype=np.complex128)
    product[used] = 0.0
    highest = 0
    for i in range(len(likelihood)):
        highest = max(highest, _window(rows, min(likelihood[i], 1.0))[1])
    blocks = block_of(highest) + 1
    breaking = np.empty(4 * blocks * blocks)
    known = np.full(blocks, 2, dtype=np.int64)
    current = -1
    theta = np.empty(0)
    a, b = promise.a.copy(), promise.b.copy()
    decidable = at_least > 0.0 or at_most < np.inf
    most_union, fewest, most_lost = bounds[:, 1].sum(), bounds[:, 2].sum(), bounds[:, 3].sum()
    for place in range(len(order)):
        i = order[place]
        share = min(likelihood[i], 1.0)
        if fewest > at_most * (1.0 + 1e-12):
            return ValueMasses(TOO_MANY, moments, logarithm, union, largest, fewest, product)
        if decidable and most_lost <= at_most and (at_least <= 0.0 or 1.0 - most_union >= at_least):
            return ValueMasses(ENOUGH, moments, logarithm, most_union, largest, most_lost, product)
        if share <= 0.0 or bounds[i, 1] < 1e-13:
            continue
        if kinds.number[i] != current:
            current = kinds.number[i]
            known[:] = 2
            theta = kinds.sensitive[kinds.example[current]].copy()
            a[:] = promise.a
            b[:] = promise.b
        low, high = _window(rows, share)
        all_fine = True
        for n in range(block_of(low), block_of(high) + 1):
            if known[n] == 2:
                if promise.different > 0:
                    known[n] = distinct_block(theta, promise.different, n, breaking)
                else:
                    known[n] = limited_block(theta, a, b, promise.shape, n, breaking)
            all_fine = all_fine and known[n] == 1
        if all_fine:
            most_union -= bounds[i, 1]
            most_lost -= bounds[i, 3]
            continue
        mean = rows * share
        middle = min(max(int(mean), low), high)
        p = first = second = true = lost = 0.0
        inside = true_inside = 0.0
        poisson = math.exp(log_poisson(middle, mean))
        binomial = math.exp(log_binomial(middle, rows, share)) if share < 1.0 else (1.0 if middle == rows else 0.0)
        odds = share / (1.0 - share) if share < 1.0 else 0.0
        weight, true_weight = poisson, binomial
        for x in range(middle, high + 1):
            inside += weight
            true_inside += true_weight
            p += weight * breaking[x]
            first += x * weight * breaking[x]
            second += float(x) * x * weight * breaking[x]
            true += true_weight * breaking[x]
            lost += x * true_weight * breaking[x]
            weight *= mean / (x + 1.0)
            true_weight *= odds * (rows - x) / (x + 1.0)
        weight, true_weight = poisson, binomial
        for x in range(middle - 1, low - 1, -1):
            weight *= (x + 1.0) / mean
            true_weight *= (x + 1.0) / (odds * (rows - x)) if odds > 0.0 else 0.0
            inside += weight
            true_inside += true_weight
            p += weight * breaking[x]
            first += x * weight * breaking[x]
            second += float(x) * x * weight * breaking[x]
            true += true_weight * breaking[x]
            lost += x * true_weight * breaking[x]
        outside = max(1.0 - inside, 0.0) * breaking[high]
        p, first, second = p + outside, first + outside * high, second + outside * high * high
        outside = max(1.0 - true_inside, 0.0) * breaking[high]
        true, lost = true + outside, lost + outside * high
        p = min(p, 1.0)
        moments[i] = p, first, second
        logarithm += math.log(max(1.0 - p, 1e-16))
        union += true
        largest = max(largest, true)
        expectation += lost
        most_union += true - bounds[i, 1]
        fewest += lost - bounds[i, 2]
        most_lost += lost - bounds[i, 3]
        if used and p > 1e-12:
            product[used] += share
            for k in range(used):
                if abs(product[k]) < 1e-16:
                    continue
                angle = 2.0 * math.pi * k / points
                away = complex(-2.0 * math.sin(angle / 2.0) ** 2, math.sin(angle))
                left = cmath.exp(mean * away)
                turn = complex(math.cos(angle), math.sin(angle))
                term = poisson * cmath.exp(1j * ((middle * k) % points) * (2.0 * math.pi / points))
                start = term
                for x in range(middle, high + 1):
                    left -= term * breaking[x]
                    term *= turn * (mean / (x + 1.0))
                term = start
                turn = turn.conjugate()
                for x in range(middle - 1, low - 1, -1):
                    term *= turn * ((x + 1.0) / mean)
                    left -= term * breaking[x]
                product[k] *= left / max(1.0 - p, 1e-16)
        if at_least > 0.0 and (logarithm < lowest or 1.0 - largest < at_least - 1e-9):
            return ValueMasses(TOO_UNLIKELY, moments, logarithm, union, largest, expectation, product)
    if expectation > at_most:
        return ValueMasses(TOO_MANY, moments, logarithm, union, largest, expectation, product)
    return ValueMasses(FINISHED, moments, logarithm, union, largest, expectation, product)
