"""Beliefs where people of one group are not alike to the adversary: beyond the paper on realistic adversaries.

Where her prior depends on the quasi-identifiers, the people of a group have different chances of each of its values.
Her belief in a release that shows who is in which group (a bucketized one, or a generalized one together with a list of
the population) is that over all possible worlds: all ways to deal the group's values out to its people. Here it is
computed by signature, the people of equal priors together; where that would take too long, bounds take its place that
are never below p_in and never above p_out. `discreet.studies.worlds` does the same one world at a time.

Where she can't tell which group somebody is in (ambiguity; equal people in several groups of a bucketization), her
belief is that of the groups, mixed: `covered`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf, prod

from discreet.hierarchies.hierarchy import Value

MOST_STEPS = 200_000  # of the exact computation: about a second

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Signature:
    """Some people of a group of whom she believes the same: shares by value, worth `stubbornness` people.

    No stubbornness means that nothing she sees changes her mind, as in class III.
    """

    people: int
    prior: Mapping[Value, Fraction]
    stubbornness: Fraction | None = None

    def sigma(self, value: Value) -> Fraction:
        share = self.prior.get(value, Fraction(0))
        return share if self.stubbornness is None else share * self.stubbornness

    def weight(self, values: Sequence[Value], counts: Counts) -> Fraction:
        """How likely it is that these people have the values so often, in one order. Up to a factor: σ (σ + 1) …"""
        if self.stubbornness is None:
            return prod((self.sigma(v) ** n for v, n in zip(values, counts, strict=True)), start=Fraction(1))
        return prod(
            (self.sigma(v) + i for v, n in zip(values, counts, strict=True) for i in range(n)), start=Fraction(1)
        )


@dataclass(frozen=True)
class Belief:
    """Her belief in a predicate with somebody in the table, and without; `exact`, or on the safe side of both."""

    p_in: Fraction
    p_out: Fraction
    exact: bool

    @property
    def epsilon(self) -> float:
        """The smallest ε that p_in / p_out and (1 − p_out) / (1 − p_in) keep to.

        >>> Belief(Fraction(9, 10), Fraction(4, 10), True).epsilon
        6.0
        """
        if self.p_in == 0 or self.p_out == 1:  # not believed, or never doubted
            return 1.0
        if self.p_out <= 0 or self.p_in == 1:
            return inf
        return float(max(self.p_in / self.p_out, (1 - self.p_out) / (1 - self.p_in), Fraction(1)))


def beliefs(
    signatures: Sequence[Signature],
    values: Mapping[Value, int],
    of: AbstractSet[Value],
    most_steps: int = MOST_STEPS,
) -> tuple[Belief, ...]:
    """For somebody of each signature: the belief that the value is one `of` these, in a group that has `values`.

    p_in is the share of the weight of the worlds in which it is. p_out is the belief in a group without the person, for
    whatever value the person has the least of them.

    >>> half = Signature(2, {"x": Fraction(1, 2), "y": Fraction(1, 2)})
    >>> fifth = Signature(2, {"x": Fraction(1, 5), "y": Fraction(4, 5)})
    >>> [(str(b.p_in), str(b.p_out)) for b in beliefs([half, fifth], {"x": 2, "y": 2}, {"x"})]
    [('8/11', '1/2'), ('3/11', '1/5')]
    """
    values = {value: count for value, count in values.items() if count}
    if sum(s.people for s in signatures) != sum(values.values()):
        raise ValueError("a group has as many values as people")
    if steps(signatures, values) <= most_steps:
        return tuple(_exact(signatures, values, of, target) for target in range(len(signatures)))
    return tuple(_bounded(signatures, values, of, target) for target in range(len(signatures)))


def smallest_epsilon(
    signatures: Sequence[Signature], values: Mapping[Value, int], most_steps: int = MOST_STEPS
) -> float:
    """The ε of a group whose people have different priors, for every single value: exact, or rounded up by bounds.

    >>> japanese = Signature(1, {"heart": Fraction("0.003"), "flu": Fraction("0.997")})
    >>> american = Signature(1, {"heart": Fraction("0.1"), "flu": Fraction("0.9")})
    >>> round(smallest_epsilon([american, japanese], {"heart": 1, "flu": 1}), 1)
    34.1
    """
    return max(b.epsilon for value in values for b in beliefs(signatures, values, {value}, most_steps))


def steps(signatures: Sequence[Signature], values: Mapping[Value, int]) -> int:
    """How long the exact computation takes at most: what may be left of the values, times the ways to take some."""
    left = prod(count + 1 for count in values.values())
    return left * sum(min(left, comb(s.people + len(values) - 1, s.people)) for s in signatures)


@dataclass(frozen=True)
class Covering:
    """A group that somebody may be in: its rows, how many of them satisfy the predicate, and the odds of being in it.

    The odds are relative to the other groups. In a bucketization they are how many people of the group look like the
    person; for an ambiguous release see `ambiguous`.
    """

    rows: int
    satisfied: int
    odds: Fraction

    @classmethod
    def ambiguous(cls, rows: int, satisfied: int, combinations: int) -> Covering:
        """A group of `rows` people among all `combinations` of the values in its auxiliary tables.

        Each of them is in the group with chance rows / combinations, which must be below 1: else she knows it is.
        """
        if not rows < combinations:
            raise ValueError("a group that fills all its combinations hides nobody: take it alone")
        return cls(rows, satisfied, Fraction(rows, combinations - rows))


def covered(groups: Sequence[Covering], share: Fraction, stubbornness: Fraction | None = None) -> Belief:
    """The belief in a predicate about somebody who is in one of these groups; one prior for all people.

    p_in is the mean of the groups' shares by the odds: exact, as each group deals its values out evenly. p_out is the
    prior's share if nothing changes her mind: then groups that are ε-private by themselves are so together, as the mean
    lies between them. Else p_out is bounded by the least that one of the groups would leave of it.

    >>> first, second = Covering.ambiguous(4, 1, 12), Covering.ambiguous(4, 2, 9)
    >>> belief = covered([first, second], Fraction(1, 5))
    >>> str(belief.p_in), belief.epsilon
    ('21/52', 2.019230769230769)
    """
    odds = sum((group.odds for group in groups), Fraction(0))
    p_in = sum((group.odds * Fraction(group.satisfied, group.rows) for group in groups), Fraction(0)) / odds
    if stubbornness is None:
        return Belief(p_in, share, True)
    least = min(
        (max(group.satisfied - 1, 0) + share * stubbornness) / (group.rows + stubbornness - 1) for group in groups
    )
    return Belief(p_in, least, len(groups) == 1)


def _exact(signatures: Sequence[Signature], values: Mapping[Value, int], of: AbstractSet[Value], target: int) -> Belief:
    names, counts = tuple(values), tuple(values.values())
    own = signatures[target]
    others = [s for i, s in enumerate(signatures) if i != target]
    inside = [name in of for name in names]
    memory: dict[tuple[int, Counts], Fraction] = {}

    def world_weight(at: int, left: Counts) -> Fraction:
        """Of all ways in which the signatures from `at` on take what is left."""
        if at == len(others):
            return Fraction(1)
        if (at, left) not in memory:
            memory[at, left] = sum(
                (
                    ways * others[at].weight(names, taken) * world_weight(at + 1, _minus(left, taken))
                    for taken, ways in _dealt(left, others[at].people)
                ),
                Fraction(0),
            )
        return memory[at, left]

    def mean(left: Counts, people: int) -> Fraction | None:
        """How many of the target's people are expected to satisfy the predicate; None if no world is possible."""
        total = satisfied = Fraction(0)
        for taken, ways in _dealt(left, people):
            weight = ways * own.weight(names, taken) * world_weight(0, _minus(left, taken))
            total += weight
            satisfied += weight * sum(n for n, there in zip(taken, inside, strict=True) if there)
        return satisfied / total if total else None

    expected = mean(counts, own.people)
    if expected is None:
        raise ValueError("the priors hold the values of the group for impossible")
    p_in = expected / own.people
    believed = sum((own.sigma(v) for v in own.prior if v in of), Fraction(0))
    if own.stubbornness is None:
        return Belief(p_in, believed, True)
    without = []
    for i in range(len(names)):
        # Somebody of the target has this value, and is gone.
        if own.sigma(names[i]) > 0:
            left = tuple(n - (i == j) for j, n in enumerate(counts))
            rest = mean(left, own.people - 1)
            without += [] if rest is None else [(believed + rest) / (own.stubbornness + own.people - 1)]
    return Belief(p_in, min(without), True)


def _bounded(
    signatures: Sequence[Signature], values: Mapping[Value, int], of: AbstractSet[Value], target: int
) -> Belief:
    """Bounds on both beliefs.

    Let somebody with a value x of the predicate and anybody with another value y swap them. That maps the worlds W in
    which it is true of the person, each with one of the n − n(φ) others who can swap, one to one to the worlds in which
    it is not, each with one of n(φ) others. A swap multiplies the weight by at least r(i), so n(φ) |not W| ≥ |W| · the
    n − n(φ) smallest r(i), and p_in ≤ n(φ) / (n(φ) + their sum). Among equals r is 1.
    """
    own = signatures[target]
    n, satisfied = sum(values.values()), sum(count for value, count in values.items() if value in of)
    ratios = [(Fraction(1), own.people - 1)]
    for i, other in enumerate(signatures):
        least = [
            own.sigma(y) * other.sigma(x) / (_most(own, x, values) * _most(other, y, values))
            for x in values
            for y in values
            if x in of and y not in of and own.sigma(x) > 0 and other.sigma(y) > 0
        ]
        if i != target and least:
            ratios.append((min(least), other.people))
    swaps, left = Fraction(0), n - satisfied
    for ratio, people in sorted(ratios):
        swaps += ratio * min(people, left)
        left -= min(people, left)
    p_in = Fraction(satisfied) / (satisfied + swaps) if satisfied else Fraction(0)
    believed = sum((own.sigma(v) for v in own.prior if v in of), Fraction(0))
    if own.stubbornness is None:
        return Belief(p_in, believed, False)
    # Of the others who satisfy it, at most as many are of another signature as there are people of other signatures.
    seen = max(0, satisfied - 1 - (n - own.people))
    return Belief(p_in, (believed + seen) / (own.stubbornness + own.people - 1), False)


def _most(signature: Signature, value: Value, values: Mapping[Value, int]) -> Fraction:
    """The largest factor by which one more of the value changed the weight of these people."""
    if signature.stubbornness is None:
        return signature.sigma(value)
    return signature.sigma(value) + min(signature.people, values[value]) - 1


def _dealt(left: Counts, people: int) -> Iterator[tuple[Counts, int]]:
    """All ways for some people to take from what is left: how many of each, and in how many orders."""
    if not left:
        if people == 0:
            yield (), 1
        return
    for n in range(min(left[0], people) + 1):
        for rest, ways in _dealt(left[1:], people - n):
            yield (n, *rest), ways * comb(people, n)


def _minus(left: Counts, taken: Counts) -> Counts:
    return tuple(a - b for a, b in zip(left, taken, strict=True))
