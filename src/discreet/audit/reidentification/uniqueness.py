"""How many people are alone with their values in a population of which only the size is known? Estimates.

A table is taken to be a random sample: `sizes` are how many of its rows share their values, group by group. Nobody can
tell from that for sure how many people of the population share them; each method has a model of it, and may be far off
where the population is not like that. None of them bounds anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lgamma

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.errors import Mistake, PolicyError

ZAYATZ, SLIDE, PITMAN = "Zayatz", "slide negative binomial", "Pitman"
SMALL_FRACTION = 0.1  # Dankar et al. 2012: up to here Pitman's estimate is the best of the three


@dataclass(frozen=True)
class Uniques:
    """The estimated number of people who are alone with their values in the population, by each method.

    None where a method finds no population that fits the sample. `rule` is the method that Dankar, El Emam, Neisa and
    Roffey (BMC Medical Informatics and Decision Making 12:66, 2012) choose, `chosen` what it says.
    """

    sample: int
    population: int
    zayatz: float
    slide: float | None
    pitman: float | None
    rule: str
    chosen: float

    @property
    def share(self) -> float:
        """The estimated share of the population that is unique."""
        return self.chosen / self.population


def population_uniques(sizes: IntArray, population_size: int) -> Uniques:
    """Estimate how many people of the population are unique, from the groups of a sample of it.

    Of a whole population nothing is left to estimate:

    >>> population_uniques(np.array([1, 1, 1, 2]), 5).chosen
    3.0
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    n = int(sizes.sum())
    check_population_size(population_size, n)
    values, counts = np.unique(sizes, return_counts=True)
    alone = int(counts[values == 1].sum())
    if alone == 0 or population_size == n:
        return Uniques(n, population_size, float(alone), float(alone), float(alone), ZAYATZ, float(alone))
    zayatz = _zayatz(values, counts, n, population_size)
    slide = _slide(values, counts, n, population_size)
    pitman = _pitman(values, counts, n, population_size)
    if n <= SMALL_FRACTION * population_size:
        rule = PITMAN if pitman is not None else ZAYATZ
    else:
        rule = SLIDE if slide is not None and slide <= zayatz else ZAYATZ
    chosen = {ZAYATZ: zayatz, SLIDE: slide, PITMAN: pitman}[rule]
    assert chosen is not None
    return Uniques(n, population_size, zayatz, slide, pitman, rule, chosen)


def check_population_size(population_size: int, sample: int) -> None:
    """A population has at least the people who are in the sample."""
    if population_size < sample:
        rule = f"must be at least {sample:,}, as many as the release is about, got {population_size:,}"
        raise PolicyError(Mistake("size", rule, "say how many people there are in all"))


def chance_of_one(sizes: IntArray, fraction: float) -> FloatArray:
    """The expected chance to pick the right one of a population's people who share the values of f sampled rows.

    E[1 / F | f] if F is the number of trials to f successes of probability `fraction` (Benedetti & Franconi 1998, as
    in μ-Argus): π ∫ u^(f−1) / (π + (1−π) u) du over u from 0 to 1. For f = 1, π ln(1/π) / (1−π).

    >>> chance_of_one(np.array([1, 2, 5]), 0.1).round(4)
    array([0.2558, 0.0827, 0.0242])
    >>> chance_of_one(np.array([1, 4]), 1.0)
    array([1.  , 0.25])
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    distinct, place = np.unique(sizes, return_inverse=True)
    # With u = e^(−t/f) it is ∫ e^(−t) π / (π + (1−π) u) dt / f, t from 0 on: smooth whatever f is.
    t, weight = _nodes()
    u = np.exp(-t[None, :] / distinct[:, None])
    inner = fraction / (fraction + (1.0 - fraction) * u)
    each = (weight * inner).sum(axis=1) / distinct
    chance: FloatArray = np.clip(each, fraction / distinct, 1.0 / distinct)[place]
    return chance


def _nodes() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of ∫ e^(−t) g(t) dt from 0 on, in pieces of Gauss's rule; what is left is below 1e−17."""
    points, weights = np.polynomial.legendre.leggauss(24)
    ends = np.array([0.0, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 32.0, 40.0])
    half = np.diff(ends) / 2
    t = (ends[:-1] + half)[:, None] + half[:, None] * points
    return t.ravel(), (half[:, None] * weights * np.exp(-t)).ravel()


def _zayatz(values: IntArray, counts: IntArray, n: int, population: int) -> float:
    """Zayatz 1991: Bayes' rule, with the sample's groups of each size standing for those of the population.

    A sample unique comes from a population's group of j with weight p_j P(f=1 | F=j), hypergeometric.
    """
    others = population - n
    fits = values <= others + 1
    j, p = values[fits], counts[fits] / counts.sum()
    # P(f=1 | F=j) = j n / N · Π over i < j − 1 of (N − n − i) / (N − 1 − i)
    logs = [
        lgamma(others + 1) - lgamma(others - i + 2) - lgamma(population) + lgamma(population - i + 1)
        for i in j.tolist()
    ]
    once = j * n / population * np.exp(np.minimum(logs, 0.0))
    alone = (p * once)[j == 1].sum() / (p * once).sum()
    return float(min(counts[values == 1].sum() * alone * population / n, population))


def _slide(values: IntArray, counts: IntArray, n: int, population: int) -> float | None:
    """Chen & Keller-McNulty 1998: the population's groups have 1 + a negative binomial number of people.

    K groups, their number by Shlosser's estimator as modified by Haas & Stokes (1998); the two parameters are those
    with which K groups, sampled person by person, give the sample's groups of one and of two. K β^α are unique.
    """
    one, two = float(counts[values == 1].sum()), float(counts[values == 2].sum())
    pi = n / population
    q = 1.0 - pi
    groups = _number_of_groups(values, counts, pi)
    if two == 0 or not np.isfinite(groups):
        return None

    def shape(beta: float) -> float:
        """The α that gives the right ratio of groups of two to groups of one."""
        r = (1.0 - beta) * pi / (1.0 - (1.0 - beta) * q)
        a, b = q * r * r / 2, q * r * r / 2 + pi * r - two / one * q * r
        c = -two / one * pi
        root = np.sqrt(b * b - 4 * a * c)
        return float(-2 * c / (b + root) if b > 0 else (root - b) / (2 * a))

    def too_many(logit: float) -> float:
        beta = 1.0 / (1.0 + np.exp(-logit))
        alpha = shape(beta)
        d = 1.0 - (1.0 - beta) * q
        expected = pi * (beta / d) ** alpha * (1.0 + q * alpha * (1.0 - beta) / d)
        return float(groups * expected - one)

    grid = np.linspace(-25.0, 12.0, 149)
    off = np.array([too_many(x) for x in grid])
    fits = []
    for i in np.flatnonzero(np.sign(off[1:]) != np.sign(off[:-1])):
        logit = _root(too_many, grid[i], grid[i + 1])
        beta = 1.0 / (1.0 + np.exp(-logit))
        alpha = shape(beta)
        people = groups * (1.0 + alpha * (1.0 - beta) / beta)
        fits.append((abs(np.log(people / population)), groups * beta**alpha))
    return float(min(min(fits)[1], population)) if fits else None


def _root(of: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that changes its sign between two places does so, by halving."""
    rises = of(high) > of(low)
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if (of(middle) > 0) == rises else (middle, high)
    return (low + high) / 2


def _number_of_groups(values: IntArray, counts: IntArray, pi: float) -> float:
    """Haas & Stokes 1998, Shlosser's estimator modified (D_Sh3): how many groups the population has."""
    i, s = values.astype(np.float64), counts.astype(np.float64)
    missed = (1.0 - pi) ** i
    first = (i * pi**2 * (1.0 - pi**2) ** (i - 1) * s).sum()
    second = (missed * np.expm1(i * np.log1p(pi)) * s).sum()
    third = (missed * s).sum() / (i * pi * (1.0 - pi) ** (i - 1) * s).sum()
    return float(s.sum() + s[values == 1].sum() * first / second * third**2)


def _pitman(values: IntArray, counts: IntArray, n: int, population: int) -> float | None:
    """Hoshino 2001: Pitman's model, fitted to the sample by the largest likelihood.

    Of N people N Γ(θ+1) Γ(N+θ+α−1) / (Γ(θ+α) Γ(N+θ)) are expected to be unique; for large N, Γ(θ+1) / Γ(θ+α) · N^α.
    """
    if int(counts.sum()) == n:  # nobody shares anything: nothing says that anybody in the population does
        return float(population)
    fitted = fit_pitman(values, counts)
    return None if fitted is None else float(min(pitman_uniques(*fitted, population), population))


def pitman_uniques(theta: float, alpha: float, people: int) -> float:
    """How many of so many people Pitman's model expects to be unique.

    Of one there is always one; of two they are two if the second has new values, with chance (θ+α) / (θ+1):

    >>> pitman_uniques(1.0, 0.5, 1), round(pitman_uniques(1.0, 0.5, 2), 12)
    (1.0, 1.5)
    """
    gone = lgamma(people + theta + alpha - 1) - lgamma(people + theta) + lgamma(theta + 1) - lgamma(theta + alpha)
    return float(people * np.exp(gone))


def fit_pitman(values: IntArray, counts: IntArray) -> tuple[float, float] | None:
    """θ and α of the largest likelihood, 0 < α < 1 and θ > −α; None if it is not found.

    log L = Σ log(θ + iα), i up to the groups − 1, − Σ log(θ + i), i up to the people − 1, + Σ over groups of
    log (1−α)(2−α)…(f−1−α) (Pitman 1995). Newton's method in log(α / (1−α)) and log(θ+α), with steps made shorter until
    they lead up.
    """
    n, groups = int((values * counts).sum()), int(counts.sum())
    i, each = np.arange(1.0, groups), np.arange(1.0, n)
    below = np.arange(1.0, int(values.max()))
    larger = groups - np.concatenate([[0], np.cumsum(counts)])[np.searchsorted(values, below, side="right")]
    best: tuple[float, float, float] | None = None
    for start in ((0.0, 0.0), (-2.0, np.log(n / 10 + 1)), (2.0, np.log(n + 1))):
        top = _climb(np.array(start), i, each, below, larger.astype(np.float64))
        if top is not None and (best is None or top[0] > best[0]):
            best = top
    return None if best is None else best[1:]


def _climb(
    at: FloatArray, i: FloatArray, each: FloatArray, below: FloatArray, larger: FloatArray
) -> tuple[float, float, float] | None:
    """The top of log L that is reached from a place, θ and α there; None if none is."""
    low, high = np.array([-20.0, -20.0]), np.array([20.0, np.log(1e3 * (len(each) + 1))])

    def parameters(at: FloatArray) -> tuple[float, float]:
        alpha = 1.0 / (1.0 + np.exp(-at[0]))
        return float(np.exp(at[1]) - alpha), float(alpha)

    def height(at: FloatArray) -> float:
        theta, alpha = parameters(at)
        rises = np.log(theta + i * alpha).sum() - np.log(theta + each).sum()
        return float(rises + (larger * np.log(below - alpha)).sum())

    now = height(at)
    for _ in range(200):
        theta, alpha = parameters(at)
        terms, left = 1.0 / (theta + i * alpha), larger / (below - alpha)
        slope = np.array([(i * terms).sum() - left.sum(), terms.sum() - (1.0 / (theta + each)).sum()])
        bend = -np.array([[((i * terms) ** 2).sum(), (i * terms**2).sum()], [0.0, (terms**2).sum()]])
        bend[1, 0] = bend[0, 1]
        bend[0, 0] -= (left / (below - alpha)).sum()
        bend[1, 1] += (1.0 / (theta + each) ** 2).sum()
        # By the chain rule in the two places that are moved: α' = α(1−α), and θ = e^b − α.
        speed, turn = alpha * (1 - alpha), alpha * (1 - alpha) * (1 - 2 * alpha)
        jacobian = np.array([[speed, 0.0], [-speed, theta + alpha]])
        gradient = jacobian.T @ slope
        hessian = jacobian.T @ bend @ jacobian
        hessian += np.diag([(slope[0] - slope[1]) * turn, slope[1] * (theta + alpha)])
        values, axes = np.linalg.eigh(hessian)
        step = axes @ ((axes.T @ gradient) / np.maximum(np.abs(values), 1e-9 * (1.0 + np.abs(values).max())))
        step *= min(1.0, 3.0 / max(float(np.abs(step).max()), 1e-300))
        for _ in range(60):
            there = np.clip(at + step, low, high)
            up = height(there)
            if up >= now:
                break
            step /= 2
        else:
            return now, *parameters(at)
        moved = float(np.abs(there - at).max())
        rose, at, now = up - now, there, up
        if moved < 1e-10 or rose < 1e-12 * (1.0 + abs(up)):  # towards α = 0 it may rise for ever, and less and less
            return now, *parameters(at)
    return None
