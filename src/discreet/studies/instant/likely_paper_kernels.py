"""The μ-probability of ℓ-diversity as Nergiz, Tamersoy & Saygin 2011 compute it, with their mistakes mended.

Algorithm 5 with the optimizations of section 6, each of which can be switched off, to be compared with `likely`; with
the paper's binomial counts, or with Poisson ones, whose sum may be conditioned on. Mended: the values of a group add up
to its size x (equation 6), P(I) weighs each x with P(X = x) (section 5.1), the ratio of neighbouring binomial terms is
(n − x) / (x + 1) · p / (1 − p) = e^(−λ) (section 6.1.2), and the truncated sum is the numerator.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.arrays import FloatArray
from discreet.compiled import inner, kernel
from discreet.models.likelihood.size_kernels import FINISHED, TOO_MANY, TOO_UNLIKELY, Goal, log_binomial, log_poisson

# The paper stops at 0.99 and 0.01; of a hundred groups that are left at 0.99 each, less than half would remain.
_NEARLY = 1e-4
_FADING = 0.5  # tails that fade slower are not exponential enough
_CUT = 4.0  # standard deviations
_ROOT = math.sqrt(2.0)


class Switches(NamedTuple):
    """The optimizations of section 6 of Nergiz, Tamersoy & Saygin 2011 for ℓ-diversity, each on or off.

    `hybrid`: normal for binomial counts whose mean ± 3σ is possible. `expo`: an exponential tail for skewed ones.
    `sd_cut`: only sizes within 4σ of the mean. `limit`: no further sizes once P(fine given size) is practically at its
    limit. `maximum`: only the most frequent value, where it overwhelms the others.
    """

    hybrid: bool = True
    expo: bool = True
    sd_cut: bool = True
    limit: bool = True
    maximum: bool = True


ALL_ON = Switches()


@inner(error_model="numpy")
def _phi(x: float) -> float:
    return 0.5 * math.erfc(-x / _ROOT)


@inner(error_model="numpy")
def _near(target: float, mean: float, variance: float) -> float:
    """P(abs(sum − target) ≤ ½) of a normal sum."""
    if variance <= 1e-12:
        return 1.0 if abs(mean - target) <= 0.5 else 0.0
    deviation = math.sqrt(variance)
    low, high = (target - 0.5 - mean) / deviation, (target + 0.5 - mean) / deviation
    probability: float = _phi(-low) - _phi(-high) if low > 0.0 else _phi(high) - _phi(low)
    return probability


@inner(error_model="numpy")
def _truncated(x: int, share: float, most: int, hybrid: bool, expo: bool, binomial: bool) -> tuple[float, float, float]:
    """P(U ≤ most), mean and variance of U given that, for a count U with mean x · share."""
    mean = x * share
    variance = mean * (1.0 - share) if binomial else mean
    if most >= x or share <= 0.0:
        return 1.0, mean, variance
    if share >= 1.0 and binomial:
        return 0.0, float(most), 0.0
    deviation = math.sqrt(variance)
    skewed = mean - 3.0 * deviation < 0.0 or (binomial and mean + 3.0 * deviation > x)
    if hybrid and not skewed:
        at = (most + 0.5 - mean) / deviation
        below = _phi(at)
        if below < 1e-12:
            return below, float(most), 0.0
        hazard = math.exp(-0.5 * at * at) / math.sqrt(2.0 * math.pi) / below
        return below, mean - deviation * hazard, max(variance * (1.0 - at * hazard - hazard * hazard), 0.0)
    start = most + 1
    factor = (x - start) / (start + 1.0) * share / (1.0 - share) if binomial else mean / (start + 1.0)
    if expo and skewed and factor < _FADING:
        # What lies above the limit is nearly exponential: it fades by about the same factor at every step.
        tail = math.exp(log_binomial(start, x, share) if binomial else log_poisson(start, mean)) / (1.0 - factor)
        beyond = factor / (1.0 - factor)
        of_tail = start + beyond
        second = of_tail * of_tail + beyond / (1.0 - factor)
        below = max(1.0 - tail, 1e-300)
        first = (mean - tail * of_tail) / below
        return below, first, max((variance + mean * mean - tail * second) / below - first * first, 0.0)
    odds = share / (1.0 - share) if binomial else mean
    term = math.exp(x * math.log1p(-share) if binomial else -mean)
    start = 0
    if term < 1e-280:  # begin where it can be told from nothing
        start = max(int(mean - 30.0 * deviation), 0)
        if start > most:
            return 0.0, float(most), 0.0
        term = math.exp(log_binomial(start, x, share) if binomial else log_poisson(start, mean))
    below, first, second = term, start * term, float(start) * start * term
    for u in range(start + 1, most + 1):
        term *= odds * (x - u + 1) / u if binomial else odds / u
        below += term
        first += u * term
        second += float(u) * u * term
    if below <= 0.0:
        return 0.0, float(most), 0.0
    first, second = first / below, second / below
    return min(below, 1.0), first, max(second - first * first, 0.0)


@inner(error_model="numpy")
def fine_given(theta: FloatArray, x: int, share: float, switches: Switches, binomial: bool) -> float:
    """P(no value in more than this share of a group of x), by the normal sums of truncated counts."""
    most = math.floor(x * share + 1e-9)
    if switches.maximum:
        top = theta.argmax()
        mean = x * theta[top]
        least = mean - _CUT * math.sqrt(mean * (1.0 - theta[top]))
        alone = True
        for j in range(len(theta)):
            if j != top and x * theta[j] + _CUT * math.sqrt(x * theta[j] * (1.0 - theta[j])) > least:
                alone = False
                break
        if alone:
            below: float = _truncated(x, theta[top], most, switches.hybrid, False, True)[0]
            return below
    logarithm = mean = variance = whole = 0.0
    for j in range(len(theta)):
        below, first, spread = _truncated(x, theta[j], most, switches.hybrid, switches.expo, binomial)
        if below <= 0.0:
            return 0.0
        logarithm += math.log(below)
        mean += first
        variance += spread
        whole += x * theta[j] * (1.0 - theta[j]) if binomial else x * theta[j]
    ratio: float = _near(x, mean, variance) / max(_near(x, x, whole), 1e-300)
    return min(ratio * math.exp(logarithm), 1.0)


@kernel(error_model="numpy")
def paper_masses(
    likelihood: FloatArray,
    sensitive: FloatArray,
    rows: int,
    share: float,
    switches: Switches,
    binomial: bool,
    goal: Goal,
) -> tuple[int, float, float, FloatArray]:
    """How it ended, Σ log P(I_i), the expectation, and the moments of both sums (truncated first)."""
    lowest = math.log(goal.at_least) + log_poisson(rows, float(rows)) if goal.at_least > 0.0 else -np.inf
    logarithm = expectation = 0.0
    sums = np.zeros(4)
    for i in range(len(likelihood)):
        p = min(likelihood[i], 1.0)
        mean = rows * p
        variance = mean * (1.0 - p) if binomial else mean
        if p <= 0.0:
            continue
        theta = sensitive[i if len(sensitive) > 1 else 0]
        towards = 1.0 if theta.max() <= share else 0.0
        low, high = 0, rows
        if switches.sd_cut:
            low = max(int(mean - _CUT * math.sqrt(variance)), 0)
            high = min(int(mean + _CUT * math.sqrt(variance)) + 1, rows)
        inside = fine = first = second = lost = 0.0
        settled = False
        for x in range(low, high + 1):
            if not binomial:
                weight = math.exp(log_poisson(x, mean))
            elif p < 1.0:
                weight = math.exp(log_binomial(x, rows, p))
            else:
                weight = 1.0 if x == rows else 0.0
            kept = 1.0
            if x > 0 and settled:
                kept = towards
            elif x > 0:
                kept = fine_given(theta, x, share, switches, binomial)
                settled = switches.limit and abs(kept - towards) < _NEARLY
            inside += weight
            fine += weight * kept
            first += x * weight * kept
            second += float(x) * x * weight * kept
            lost += x * weight * (1.0 - kept)
        fine = max(fine, 1e-300)
        logarithm += math.log(min(fine / inside, 1.0))
        expectation += lost / inside
        within = first / fine
        sums[0] += within
        sums[1] += max(second / fine - within * within, 0.0)
        sums[2] += mean
        sums[3] += variance
        if expectation > goal.at_most:
            return TOO_MANY, logarithm, expectation, sums
        if logarithm < lowest:
            return TOO_UNLIKELY, logarithm, expectation, sums
    return FINISHED, logarithm, expectation, sums
