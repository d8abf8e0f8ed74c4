"""Promises about the values of a group, each as its paper defines it, in fractions.

`keeps(promise, group, table)` judges one group by how often it has each value, beside how often the table has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from typing import Any

from campaign.promises.case import Value

Counts = Counter[Value]
Paths = Mapping[Value, tuple[Value, ...]]  # of a sensitive column with a taxonomy: each value's labels, level by level
# Promises that compare a group with the whole table.
COMPARING = ("t_closeness", "beta_likeness", "delta_disclosure")


def number(word: object) -> Fraction:
    """A number of a policy, exactly as it is written."""
    return Fraction(str(word))


def compares(promise: Mapping[str, Any]) -> bool:
    """Is a group held against the distribution of the table?"""
    [(word, about)] = promise.items()
    return word in COMPARING or (word == "realistic" and about.get("prior") in ("table", "uniform"))


def keeps(promise: Mapping[str, Any], group: Counts, table: Counts, paths: Paths | None = None) -> bool:
    """Does a group of these values keep the promise?

    >>> keeps({"l_diversity": {"l": 2}}, Counter(["flu", "flu"]), Counter(["flu", "flu", "cold"]))
    False
    >>> keeps({"t_closeness": {"t": "1/3", "distance": "equal"}}, Counter("aab"), Counter("aabbab"))
    True
    """
    [(word, about)] = promise.items()
    kind = about.get("kind") or about.get("distance") or ""
    if word == "t_closeness":
        return distance(kind, group, table, paths or {}) <= number(about["t"])
    return _PROMISES[word](group, table, about, kind)


def shares(counts: Counts) -> dict[Value, Fraction]:
    return {value: Fraction(count, counts.total()) for value, count in counts.items() if count}


def _k_anonymity(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    return group.total() >= number(about["k"])


def _l_diversity(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    least, size = number(about["l"]), group.total()
    falling = sorted(group.values(), reverse=True)
    if kind == "entropy":  # Σ q ln(1/q) ≥ ln ℓ, raised to the power of n: Π (n/c)^c ≥ ℓ^n
        product = Fraction(1)
        for count in falling:
            product *= Fraction(size, count) ** count
        return product >= least**size
    if kind == "recursive":
        return falling[0] < number(about["c"]) * sum(falling[int(least) - 1 :])
    if kind == "frequency":
        return falling[0] * least <= size
    return len(falling) >= least


def _alpha_k(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    return group.total() >= number(about["k"]) and max(group.values()) <= number(about["alpha"]) * group.total()


def _beta_likeness(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    before = shares(table)
    for value, share in shares(group).items():
        if value not in before:
            return False
        gain = share / before[value] - 1
        if gain > 0 and gain > number(about["beta"]):
            return False
        if gain > 0 and kind == "enhanced" and _decimal(gain) > -_log(before[value]):
            return False
    return True


def _delta_disclosure(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    before, now = shares(table), shares(group)
    if set(before) != set(now):
        return False
    return all(abs(_log(now[value] / before[value])) < _decimal(number(about["delta"])) for value in before)


def _realistic(group: Counts, table: Counts, about: Mapping[str, Any], kind: str) -> bool:
    """p_in / p_out ≤ ε and (1 − p_out) / (1 − p_in) ≤ ε, for everything that somebody of the group may be said to have.

    n rows, n_s of them with it, b people known: p_in = n_s / (n − b), p_out = (n_s + σ(s) − 1) / (n + σ), the smallest
    it can be. Class II leaves σ(s) open, the worst is 1; class III is what is left for large σ.
    """
    prior = _prior(table, about.get("prior"))
    everything = frozenset({*group, *table, *prior})
    for held in _predicates(about.get("predicates"), everything):
        having = sum(count for value, count in group.items() if value in held)
        share = sum((prior.get(value, Fraction(0)) for value in held), Fraction(0))
        if having and not _is_private(group.total(), having, share, about):
            return False
    return True


def _is_private(size: int, having: int, share: Fraction, about: Mapping[str, Any]) -> bool:
    epsilon, known = number(about["epsilon"]), int(about.get("known", 0))
    if about["class"] != "II" and share == 1:
        return True
    if size <= known or (about["class"] != "II" and share == 0):
        return False
    inside = Fraction(having, size - known)
    if about["class"] == "III":
        return inside <= epsilon * share and (1 - share) <= epsilon * (1 - inside)
    stubbornness = number(about["stubbornness"])
    believed = stubbornness * share if about["class"] == "I" else Fraction(1)
    outside = having + believed - 1
    if outside <= 0 or inside * (stubbornness + size) > epsilon * outside:
        return False
    doubt = epsilon * (stubbornness + known - 1) + (epsilon - 1) * (size - known)
    return (1 - inside) * doubt >= stubbornness + known - believed + 1


def _prior(table: Counts, word: Any) -> dict[Value, Fraction]:
    if word == "table":
        return shares(table)
    if word == "uniform":
        return dict.fromkeys(table, Fraction(1, len(table)))
    if word is None:
        return {}
    total = sum(map(number, word.values()))
    return {value: number(weight) / total for value, weight in word.items()}


def _predicates(words: Sequence[Any] | None, everything: frozenset[Value]) -> Iterator[frozenset[Value]]:
    if words is None:
        yield from (frozenset([value]) for value in everything)
        return
    for word in words:
        if isinstance(word, Mapping) and "each" in word:
            yield from _predicates(None, everything)
        elif isinstance(word, Mapping):
            named = word["not"]
            yield everything - frozenset(named if isinstance(named, list) else [named])
        else:
            yield frozenset(word if isinstance(word, list) else [word])


def distance(kind: str, group: Counts, table: Counts, paths: Paths) -> Fraction:
    """The least work that turns the group's distribution into the table's: Li, Li & Venkatasubramanian 2007.

    All values equally far apart: what has to move at all. In a row: what passes each gap. In a tree whose leaves lie
    equally deep, as far apart as they have to climb to meet: what leaves each node.
    """
    after, before = shares(group), shares(table)
    values = sorted({*after, *before}, key=str)
    change = {value: after.get(value, Fraction(0)) - before.get(value, Fraction(0)) for value in values}
    if kind == "equal":
        return sum(map(abs, change.values()), Fraction(0)) / 2
    if kind == "ordered":
        return sum(map(abs, accumulate(change.values())), Fraction(0)) / max(len(values) - 1, 1)
    height = max((len(paths[value]) - 1 for value in values if value in paths), default=1)
    moved = Fraction(0)
    for level in range(height):
        nodes: dict[object, Fraction] = {}
        for value, share in change.items():
            label = paths[value][level] if value in paths else value
            nodes[label] = nodes.get(label, Fraction(0)) + share
        moved += sum(map(abs, nodes.values()), Fraction(0)) / 2
    return moved / height


def _decimal(fraction: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def _log(fraction: Fraction) -> Decimal:
    """To sixty digits: it is irrational unless it is 0, so that no tie is missed in a table this small."""
    with localcontext() as context:
        context.prec = 60
        return Decimal(fraction.numerator).ln() - Decimal(fraction.denominator).ln()


_PROMISES: Mapping[str, Callable[[Counts, Counts, Mapping[str, Any], str], bool]] = {
    "k_anonymity": _k_anonymity,
    "l_diversity": _l_diversity,
    "alpha_k": _alpha_k,
    "beta_likeness": _beta_likeness,
    "delta_disclosure": _delta_disclosure,
    "realistic": _realistic,
}
