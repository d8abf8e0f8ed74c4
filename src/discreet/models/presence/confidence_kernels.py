"""The compiled loops of confidence: how many people outside of the table fall in a group, known by marginals only.

Of U people f_i have a value of attribute i that the group shows, independently of each other: X = |A_1 ∩ … ∩ A_d| for
uniform subsets of sizes f_i. Two facts carry everything here.

**A chain.** Given that y people fit the first attributes, the number that also fits the next is hypergeometric.

**X is a sum of independent yes/no trials** (Poisson binomial). As E[C(X, k)] = C(U, k) Π (f_i)_k / (U)_k, the
generating function E[(1 + s)^X] is the Szegő composition of the polynomials Σ C(U, k) (f_i)_k / (U)_k s^k, which are
(1 + s)^f_i. Their zeros are real and of one sign (those missing at infinity), so its zeros are real (Malo, Schur,
Szegő); as its coefficients in 1 + s are probabilities, each zero gives a factor q + p (1 + s). Hence Bennett's and
Chernoff's bounds on the tails and the theorem of Berry and Esseen hold with X's own mean and variance, which are closed
forms.

All results are pairs (lower, upper) that the truth lies between, whatever rounding did.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.compiled import inner, kernel

_ROUNDING = 2.0**-53
# Shevtsova 2010 has 0.5600 for sums of independent trials that are not alike; a trial's third absolute central moment
# is at most its variance, so the error is at most this over the standard deviation.
_BERRY_ESSEEN = 0.5601
# Relative to a mode of 1, where the probabilities of one step are cut: first coarsely, then finely, then for good.
_CUTS = np.array([1e-3, 1e-8, 1e-18])
# Steps of a recurrence, 10 ns each: beyond that only the bounds from moments are used.
_WORK = 3e8
_LITTLE_WORK = 2e7


@kernel(error_model="numpy")
def bounds(
    counts: IntArray, people: int, low: IntArray, high: IntArray, least: float, most: float
) -> tuple[FloatArray, FloatArray]:
    """Per group, bounds on P(low ≤ X ≤ high), narrowed until they lie on one side of least..most, or for good.

    With least > most there is nothing to decide, and all are narrowed as far as is done in a moment.
    """
    groups, d = counts.shape
    lower, upper = np.empty(groups), np.empty(groups)
    factors = np.empty(d, dtype=np.int64)
    for g in range(groups):
        # The rarest first: that keeps all further numbers small. What everybody has tells nothing.
        chosen = 0
        for i in range(d):
            f = counts[g, i]
            if f < people:
                at = chosen
                while at > 0 and factors[at - 1] > f:
                    factors[at] = factors[at - 1]
                    at -= 1
                factors[at] = f
                chosen += 1
        lower[g], upper[g] = _bounds(factors[:chosen], people, low[g], high[g], least, most)
    return lower, upper


@inner(error_model="numpy")
def _bounds(factors: IntArray, people: int, low: int, high: int, least: float, most: float) -> tuple[float, float]:
    fewest, largest = people, people
    if len(factors):
        fewest, largest = factors[0], factors[0]
        for i in range(1, len(factors)):
            fewest = max(fewest + factors[i] - people, 0)
    if low <= fewest and largest <= high:
        return 1.0, 1.0
    if high < fewest or largest < low:
        return 0.0, 0.0
    deciding = least <= most
    mean, variance, doubt = _moments(factors, people)
    lower, upper = _from_moments(mean, variance, doubt, low, high, largest)
    if deciding and lower < most and upper >= least:
        closer = _as_binomial(mean, variance, doubt, low, high, largest)
        lower, upper = max(lower, closer[0]), min(upper, closer[1])
    if deciding and (lower >= most or upper < least):
        return lower, upper
    for i in range(len(_CUTS)):
        cut = _CUTS[i] if deciding else _CUTS[len(_CUTS) - 1 - i]
        if _work(factors, people, cut) > (_WORK if deciding else _LITTLE_WORK):
            continue
        inside, outside = _chain(factors, people, low, high, cut)
        lower, upper = max(lower, inside), min(upper, 1.0 - outside + 1e-15)
        if not deciding or lower >= most or upper < least:
            break
    return lower, upper


@inner(error_model="numpy")
def _from_moments(mean: float, variance: float, doubt: float, low: int, high: int, largest: int) -> tuple[float, float]:
    """Bounds on P(low ≤ X ≤ high) from the mean and the variance of X, by tails and by the normal distribution."""
    lower, upper = 1.0, 1.0
    if low > 0:
        least, most = _at_most(low - 1, mean, variance, doubt)
        lower, upper = lower - most, upper - least
    if high < largest:
        least, most = _at_most(high, mean, variance, doubt)
        lower, upper = lower - (1.0 - least), upper - (1.0 - most)
    return max(lower - 1e-15, 0.0), min(upper + 1e-15, 1.0)


@inner(error_model="numpy")
def _moments(factors: IntArray, people: int) -> tuple[float, float, float]:
    """Mean and variance of X, and what rounding may have done to the variance.

    E[X(X − 1)] / mean² = 1 + e is a product of 1 − (U − f) / (f (U − 1)), kept as e: no digits cancel. As |e| mean ≤ 1,
    a relative error of e is at most that share of the mean in the variance.
    """
    mean = float(factors[0])
    excess = -1.0 / factors[0]
    for i in range(1, len(factors)):
        mean *= factors[i] / people
        excess += -(people - factors[i]) / (float(factors[i]) * (people - 1)) * (1.0 + excess)
    return mean, max(mean * (1.0 + mean * excess), 0.0), 1e-14 * len(factors) * mean


@inner(error_model="numpy")
def _at_most(t: int, mean: float, variance: float, doubt: float) -> tuple[float, float]:
    """Bounds on P(X ≤ t)."""
    lower, upper = 0.0, 1.0
    if t < mean:
        upper = min(1.0, _tail(mean - t - doubt, variance + doubt), _fewer(t, mean - doubt))
    elif t + 1 > mean:
        lower = max(0.0, 1.0 - _tail(t + 1 - mean - doubt, variance + doubt))
    if variance > 25.0 and variance > 1e-5 * mean:
        # Then the moments are right to a part in 10^8; a shift of the normal by that much is far below 1e-6.
        deviation = math.sqrt(variance)
        error = _BERRY_ESSEEN / deviation + 1e-6
        upper = min(upper, 0.5 * math.erfc((mean - t) / deviation / math.sqrt(2.0)) + error)
        # P(X ≤ t) is the same up to the next whole number.
        lower = max(lower, 0.5 * math.erfc((mean - t - 1) / deviation / math.sqrt(2.0)) - error)
    return lower, upper


@inner(error_model="numpy")
def _tail(distance: float, variance: float) -> float:
    """Bennett: P(X lies this far from its mean, on one side) ≤ exp(−v h(t / v)), h(u) = (1 + u) ln(1 + u) − u."""
    if distance <= 0.0:
        return 1.0
    u = distance / variance
    exponent = variance * ((1.0 + u) * math.log1p(u) - u) * (1.0 - 1e-9) - 1e-14 * distance
    return math.exp(-exponent) * (1.0 + 1e-9) + 1e-300


@inner(error_model="numpy")
def _fewer(t: int, mean: float) -> float:
    """Chernoff, for the lower tail: P(X ≤ t) ≤ exp(−m + t − t ln(t / m))."""
    if t >= mean:
        return 1.0
    below = t * math.log(t / mean) if t > 0 else 0.0
    size = mean + t + abs(below)
    return math.exp(t - mean - below + 1e-14 * size) * (1.0 + 1e-9) + 1e-300


@inner(error_model="numpy")
def _as_binomial(mean: float, variance: float, doubt: float, low: int, high: int, largest: int) -> tuple[float, float]:
    """Bounds on P(low ≤ X ≤ high) by the binomial distribution with X's mean and as many trials as X has.

    Ehm 1991: no event's probabilities differ by more than (1 − p^(n+1) − q^(n+1)) Σ (p_i − p)² / ((n + 1) p q). The sum
    is n p q less the variance. A mean that is off by `doubt` moves no probability by more than that.
    """
    p = mean / largest
    q = 1.0 - p
    if q <= 0.0:
        return 0.0, 1.0
    unlike = max(mean - mean * p - variance, 0.0) + 4.0 * doubt
    off = -math.expm1((largest + 1) * math.log1p(-p)) * unlike / ((largest + 1) * p * q) * (1.0 + 1e-9) + doubt
    if off >= 0.5:
        return 0.0, 1.0
    cut, odds = 1e-5, p / q
    mode = min(int((largest + 1) * p), largest)
    within, without, rest = 0.0, 0.0, 0.0
    if low <= mode <= high:
        within = 1.0
    else:
        without = 1.0
    x, value = mode, 1.0
    while value >= cut and x < largest:
        value *= (largest - x) * odds / (x + 1)
        x += 1
        if low <= x <= high:
            within += value
        else:
            without += value
    ratio = (largest - x) * odds / (x + 1)
    steps = x - mode
    rest += value * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
    x, value = mode, 1.0
    while value >= cut and x > 0:
        value *= x / ((largest - x + 1) * odds)
        x -= 1
        if low <= x <= high:
            within += value
        else:
            without += value
    ratio = x / ((largest - x + 1) * odds)
    rest += value * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
    # As in `_chain`; the odds carry three roundings into each step.
    slack = 1.0 - 20.0 * (steps + mode - x + 10) * _ROUNDING
    share = slack / (within + without + rest * (1.0 + 1e-9))
    return max(within * share - off - 1e-15, 0.0), min(1.0 - without * share + off + 1e-15, 1.0)


@inner(error_model="numpy")
def _work(factors: IntArray, people: int, cut: float) -> float:
    """How many steps `_chain` takes, about."""
    reach = math.sqrt(-2.0 * math.log(cut))
    mean, width, work = float(factors[0]), 1.0, 0.0
    for i in range(1, len(factors)):
        share = factors[i] / people
        own = 2 * reach * math.sqrt(mean * share * (1.0 - share) * (1.0 - mean / people)) + 2
        work += width * min(own, mean + 1, float(factors[i]) + 1)
        mean *= share
        width = min(width * share + own, mean + own)
    return work


@inner(error_model="numpy")
def _chain(factors: IntArray, people: int, low: int, high: int, cut: float) -> tuple[float, float]:
    """Lower bounds on P(low ≤ X ≤ high) and on the probability of the contrary.

    Whatever is cut away is counted for neither, so that both are lower bounds but for rounding. All numbers are
    positive, and a step multiplies or divides four rounded numbers: m steps from the mode cost a relative error of 4m
    units, the sum of n ≤ 2m + 1 of them n units more, the sum over w people before another w. `error` adds up more than
    these.
    """
    first, weights = factors[0], np.ones(1)
    error = 0.0
    for i in range(1, len(factors) - 1):
        first, weights, cost = _step(first, weights, factors[i], people, cut)
        error += cost
    inside, outside, cost = _last(first, weights, factors[-1], people, low, high, cut)
    slack = 1.0 - 2.0 * (error + cost) * _ROUNDING
    return inside * slack, outside * slack


@inner(error_model="numpy")
def _draw(y: int, marked: int, people: int, cut: float, values: FloatArray) -> tuple[int, int, int, float]:
    """How many of y people are marked: probabilities around the mode, not yet divided by their sum.

    Mode m, and ends a, b: `values[middle + x − m]` is for x in m − a .. m + b. The sum that comes with them is at least
    that of all: beyond an end, the ratio of neighbours falls on (the distribution is log-concave), so that what is
    missing is at most that of a geometric series.
    """
    middle = len(values) // 2
    mode = min(max(int((y + 1.0) * (marked + 1.0) / (people + 2.0)), y + marked - people, 0), y, marked)
    values[middle] = 1.0
    total, rest = 1.0, 0.0
    x, value, up = mode, 1.0, 0
    while True:
        ratio = float(y - x) * float(marked - x) / (float(x + 1) * float(people - marked - y + x + 1))
        if value < cut or up == middle or ratio == 0.0:
            break
        value *= ratio
        up, x = up + 1, x + 1
        values[middle + up] = value
        total += value
    rest += value * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
    x, value, down = mode, 1.0, 0
    while True:
        ratio = float(x) * float(people - marked - y + x) / (float(y - x + 1) * float(marked - x + 1))
        if value < cut or down == middle or ratio == 0.0:
            break
        value *= ratio
        down, x = down + 1, x - 1
        values[middle - down] = value
        total += value
    rest += value * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
    return mode, down, up, total + rest * (1.0 + 1e-9)


@inner(error_model="numpy")
def _room(most: int, marked: int, people: int, cut: float) -> FloatArray:
    """Space for the probabilities of `_draw`, whatever y up to `most`; where it were too small, more is cut."""
    share = marked / people
    y = min(float(most), people / 2.0)
    deviation = math.sqrt(y * share * (1.0 - share) * (1.0 - y / people)) + 1.0
    return np.empty(2 * min(int(2.0 * deviation * math.sqrt(-2.0 * math.log(cut))) + 50, most, marked) + 1)


@inner(error_model="numpy")
def _step(first: int, weights: FloatArray, marked: int, people: int, cut: float) -> tuple[int, FloatArray, float]:
    """From the distribution of how many fit the first attributes to that with one more, the marked."""
    last = first + len(weights) - 1
    values = _room(last, marked, people, cut)
    middle = len(values) // 2
    mode, down, _, _ = _draw(first, marked, people, cut, values)
    start = mode - down
    mode, _, up, _ = _draw(last, marked, people, cut, values)
    moved = np.zeros(mode + up - start + 1)
    longest = 0
    for i in range(len(weights)):
        mode, down, up, total = _draw(first + i, marked, people, cut, values)
        longest = max(longest, up, down)
        share = weights[i] / total
        for k in range(max(-down, start - mode), min(up, start + len(moved) - 1 - mode) + 1):
            moved[mode - start + k] += share * values[middle + k]
    begin, stop = _trimmed(moved, cut)
    return start + begin, moved[begin:stop], 10.0 * longest + len(weights) + 20.0


@inner(error_model="numpy")
def _trimmed(weights: FloatArray, cut: float) -> tuple[int, int]:
    """The part of a distribution without its ends that hardly weigh."""
    begin, stop = 0, len(weights)
    dropped = 0.0
    while begin < stop - 1 and dropped + weights[begin] < 0.1 * cut:
        dropped += weights[begin]
        begin += 1
    dropped = 0.0
    while stop > begin + 1 and dropped + weights[stop - 1] < 0.1 * cut:
        dropped += weights[stop - 1]
        stop -= 1
    return begin, stop


@inner(error_model="numpy")
def _last(
    first: int, weights: FloatArray, marked: int, people: int, low: int, high: int, cut: float
) -> tuple[float, float, float]:
    """The last step of the chain, of which only the sums within low..high and outside are wanted."""
    values = _room(first + len(weights) - 1, marked, people, cut)
    middle = len(values) // 2
    inside, outside, longest = 0.0, 0.0, 0
    for i in range(len(weights)):
        if first + i < low:  # the group's people are among these
            outside += weights[i]
            continue
        mode, down, up, total = _draw(first + i, marked, people, cut, values)
        longest = max(longest, up, down)
        within, without = 0.0, 0.0
        for k in range(-down, up + 1):
            if low <= mode + k <= high:
                within += values[middle + k]
            else:
                without += values[middle + k]
        inside += weights[i] / total * within
        outside += weights[i] / total * without
    return inside, outside, 10.0 * longest + len(weights) + 20.0
