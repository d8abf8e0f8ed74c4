"""Realistic adversaries: how much more does somebody believe of you because your row is in the release?

Machanavajjhala, Gehrke & Götz 2009. She formed a belief from other data: a Dirichlet prior, σ(s) for each value, whose
sum σ is how much data stands behind it. p_in is what she believes of you once she has seen your group, p_out what she
would believe had you not been in it. A release is ε-private if p_in / p_out and (1 − p_out) / (1 − p_in) are at most ε.
The conditions of the paper (as the project's specification corrects them) are solved for ε here; every other part of
`discreet` that judges them does so by other code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.association.association import finds, finite, line_about
from discreet.audit.lines import ROUNDED, Line
from discreet.audit.reading.tallies import Summed, Whole, summed_up, whole_table
from discreet.audit.reading.view import ReleaseView, Tally

STUBBORNNESS = (10, 100, 1_000, 10_000)  # told where nobody says how much she has seen
USUAL = 1_000


@dataclass(frozen=True)
class Adversary:
    """Class I: both her stubbornness and the shape of her prior are known; II: any shape; III: any stubbornness.

    She also knows `known` people of the table.
    """

    kind: str
    stubbornness: Fraction = Fraction(USUAL)
    known: int = 0


def smallest_epsilon(adversary: Adversary, n: int, satisfied: int, p: Fraction) -> Fraction | None:
    """The smallest ε that one group keeps for one predicate; None if it keeps none.

    `satisfied` of its n people have what is protected, which her prior gives the share p. With x = satisfied / (n − b):

    - R1, p_in / p_out: ε ≥ x (σ + n) / (satisfied + σ(s) − 1); class III: x / p
    - R2, the doubt that is left: ε ≥ ((σ + b − σ(s) + 1) / (1 − x) + n − b) / (σ + n − 1); class III: (1 − p) / (1 − x)

    In class II she may have seen nobody who had it, σ(s) = 1. What she holds for impossible can't be kept from her;
    where she has no doubt beforehand there is nothing to learn.

    >>> women = 20000, 18000, Fraction(12000, 30000)
    >>> for kind in ("I", "II", "III"):
    ...     print(kind, round(float(smallest_epsilon(Adversary(kind, Fraction(30000)), *women)), 3))
    I 4.0
    II 6.4
    III 6.0
    """
    sigma, b = adversary.stubbornness, adversary.known
    if adversary.kind != "II" and p == 1:
        return Fraction(1)
    if n - b < satisfied + 1 or (adversary.kind != "II" and p == 0):
        return None
    x = Fraction(satisfied, n - b)
    if adversary.kind == "III":
        return max(Fraction(1), x / p, (1 - p) / (1 - x))
    of_value = sigma * p if adversary.kind == "I" else Fraction(1)
    if satisfied + of_value <= 1:
        return None
    first = x * (sigma + n) / (satisfied + of_value - 1)
    second = ((sigma + b - of_value + 1) / (1 - x) + n - b) / (sigma + n - 1)
    return max(Fraction(1), first, second)


@dataclass(frozen=True, eq=False)
class Protected:
    """What is protected where: `satisfied` people of a group, by a predicate whose share is ``shares[share]``."""

    group: IntArray
    satisfied: IntArray
    share: IntArray
    shares: tuple[Fraction, ...]


def smallest_epsilons(adversary: Adversary, protected: Protected, total: IntArray) -> FloatArray:
    """`smallest_epsilon` of every unit, in floating point; infinite where there is none."""
    sigma, b = float(adversary.stubbornness), adversary.known
    n, satisfied = total[protected.group], protected.satisfied
    p = np.array([float(share) for share in protected.shares])[protected.share]
    rest = np.array([float(1 - share) for share in protected.shares])[protected.share]
    with np.errstate(divide="ignore", invalid="ignore"):
        x, doubt = satisfied / (n - b), (n - b - satisfied) / (n - b)
        if adversary.kind == "III":
            first, second = x / p, rest / doubt
        else:
            # σ − σ(s) is σ times the rest of the shares: no difference of large numbers
            own, others = (sigma * p, sigma * rest) if adversary.kind == "I" else (np.ones_like(p), sigma - 1)
            first = x * (sigma + n) / np.where(satisfied + own > 1, satisfied + own - 1, 0.0)
            second = ((others + b + 1) / doubt + (n - b)) / (sigma + n - 1)
        epsilon: FloatArray = np.maximum(np.maximum(first, second), 1.0)
    epsilon[n - b <= satisfied] = np.inf
    if adversary.kind != "II":
        epsilon[p == 0] = np.inf
        epsilon[rest == 0] = 1.0
    return epsilon


def shape(prior: Any, whole: Whole) -> dict[str | None, Fraction]:
    """The shares a prior gives values: ``table`` (or None), ``uniform``, {value: weight}, or as a manifest writes it.

    ``{"counts": [[value, count], …]}`` are people she has seen: σ(s) = count + 1; ``{"shares": …}`` are shares.

    >>> whole = Whole(("flu", "cold"), np.array([3, 1]))
    >>> shape("table", whole)["flu"], shape("uniform", whole)["flu"]
    (Fraction(3, 4), Fraction(1, 2))
    >>> shape({"counts": [["flu", 1], ["cold", 0]]}, whole)["flu"]
    Fraction(2, 3)
    """
    weights: dict[str | None, Fraction]
    if prior is None or prior == "table":
        weights = {v: Fraction(int(w)) for v, w in zip(whole.values, whole.weight, strict=True)}
    elif prior == "uniform":
        weights = {v: Fraction(int(w > 0)) for v, w in zip(whole.values, whole.weight, strict=True)}
    elif isinstance(prior.get("counts"), list):
        weights = {value: Fraction(str(count)) + 1 for value, count in prior["counts"]}
    else:
        listed = prior["shares"] if isinstance(prior.get("shares"), list) else prior.items()
        weights = {value: Fraction(str(share)) for value, share in listed}
    total = sum(weights.values(), Fraction(0))
    return {value: weight / total for value, weight in weights.items()} if total else weights


def protected_by(summed: Summed, whole: Whole, prior: Any = None, predicates: Sequence[Any] | None = None) -> Protected:
    """Every single value that a group has; or the predicates that are listed, in the words of a policy."""
    tally, shares = summed.tally, shape(prior, whole)
    groups, satisfied, codes = [], [], []
    known: list[Fraction] = []
    for word in predicates or [{"each": True}]:
        if isinstance(word, Mapping) and "each" in word:
            groups.append(tally.group)
            satisfied.append(tally.count)
            codes.append(len(known) + tally.value)
            known += [shares.get(value, Fraction(0)) for value in tally.values]
            continue
        negated = isinstance(word, Mapping)
        named = word["not"] if isinstance(word, Mapping) else word
        members = {*named} if isinstance(named, list | tuple) else {named}
        share = sum((shares.get(value, Fraction(0)) for value in members), Fraction(0))
        chosen = np.array([value in members for value in tally.values], dtype=np.bool_)[tally.value]
        count = np.bincount(tally.group, weights=tally.count * chosen, minlength=len(summed.total)).astype(np.int64)
        count = summed.total - count if negated else count
        there = np.flatnonzero(count)
        groups.append(there)
        satisfied.append(count[there])
        codes.append(np.full(len(there), len(known), dtype=np.int64))
        known.append(1 - share if negated else share)
    return Protected(np.concatenate(groups), np.concatenate(satisfied), np.concatenate(codes), tuple(known))


def realistic_lines(
    view: ReleaseView,
    tally: Tally,
    stubbornness: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
    tell: Callable[..., Line] | None = None,
) -> list[Line]:
    """A line for each of the classes I to III, with the smallest ε that the release keeps against her.

    Stubbornness, prior and the number of people she knows are as given, else as promised, else a few usual ones and the
    table's own shares. Her chance is p_in for the value that tells her most, which no exchangeable prior changes.
    Where groups are not as many people as they have rows, `tell` makes lines of what is believed of each group.
    """
    tell = tell or partial(_of_groups, view, tally, threshold)
    summed, whole = summed_up(tally, len(view.sizes)), whole_table(tally)
    promised = view.promised("realistic", tally.attribute) or {}
    sigma = stubbornness if stubbornness is not None else promised.get("stubbornness")
    sigmas = [Fraction(s) for s in STUBBORNNESS] if sigma is None else [Fraction(str(sigma))]
    usual = Fraction(USUAL) if sigma is None else sigmas[0]
    protected = protected_by(summed, whole, promised.get("prior") if prior is None else prior)
    known = int(promised.get("known", 0))
    return [_line(view, summed, protected, Adversary(kind, usual, known), sigmas, tell) for kind in ("I", "II", "III")]


def _line(
    view: ReleaseView,
    summed: Summed,
    protected: Protected,
    adversary: Adversary,
    sigmas: Sequence[Fraction],
    tell: Callable[..., Line],
) -> Line:
    epsilon = smallest_epsilons(adversary, protected, summed.total)
    n, satisfied = summed.total[protected.group], protected.satisfied
    chance = satisfied / (n - np.minimum(adversary.known, n - satisfied))
    order = np.lexsort((-chance, -epsilon, protected.group))
    first = order[np.diff(protected.group[order], prepend=-1) > 0]
    smallest = {"any": epsilon} if adversary.kind == "III" else {}
    for sigma in sigmas if adversary.kind != "III" else ():
        smallest[str(sigma)] = smallest_epsilons(
            Adversary(adversary.kind, sigma, adversary.known), protected, summed.total
        )
    worst = first[np.argmax(epsilon[first])] if len(first) else None
    details: dict[str, Any] = {
        "smallest_epsilon": {sigma: finite(float(e.max(initial=1.0))) for sigma, e in smallest.items()},
        "known": adversary.known,
        "belief_with": None if worst is None else float(chance[worst]),
        "belief_without": None if worst is None else _without(adversary, protected, summed, int(worst)),
    }
    if adversary.kind == "II":
        details["class_IV"] = "against somebody who may believe anything, however firmly, no such release is private"
    title, knows, assumes = _WORDS[adversary.kind]
    return tell(
        chance[first],
        protected.group[first],
        assumes,
        details,
        adversary=f"realistic_{adversary.kind}",
        title=title,
        knows=f"{finds(view)} {knows.format(f'{float(adversary.stubbornness):,.0f}')}",
    )


def _of_groups(
    view: ReleaseView,
    tally: Tally,
    threshold: float | None,
    chance: FloatArray,
    group: IntArray,
    assumes: str,
    details: Mapping[str, Any],
    **words: Any,
) -> Line:
    """A line about everybody in the groups."""
    people = view.sizes[group]
    return line_about(
        view, tally, chance=chance, rounded=ROUNDED, people=people, group=group, threshold=threshold, assumes=assumes,
        details=details, **words,
    )  # fmt: skip


def _without(adversary: Adversary, protected: Protected, summed: Summed, unit: int) -> float:
    """p_out of the unit: what she would believe of one of these people had the row not been there.

    (n(s) + σ(s) − 1) / (n + σ − 1); class III may have all the data there are, and keeps to her prior.
    """
    p = float(protected.shares[protected.share[unit]])
    if adversary.kind == "III":
        return p
    sigma = float(adversary.stubbornness)
    own = sigma * p if adversary.kind == "I" else 1.0
    n, satisfied = int(summed.total[protected.group[unit]]), int(protected.satisfied[unit])
    return (satisfied + own - 1) / (n + sigma - 1)


_WORDS = {
    "I": (
        "has seen other data",
        "Before, she has seen other data about {} people, with the shares that her prior has.",
        "She learns from people as from any others, and has seen just that many. How much somebody's own row adds to "
        "her belief is told as the smallest ε.",
    ),
    "II": (
        "has seen other data, whatever they said",
        "Before, she has seen other data about {} people, whatever these had.",
        "She has seen just that many people. How much somebody's own row adds to her belief is told as the smallest ε.",
    ),
    "III": (
        "is sure of how frequent each value is",
        "Before, she has seen any amount of other data, with the shares that her prior has.",
        "Her shares are those. How much somebody's own row adds to her belief is told as the smallest ε.",
    ),
}
