"""ε-privacy: what a realistic adversary comes to believe of you hardly depends on your being in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, Tally
from discreet.errors import Mistake
from discreet.hierarchies.hierarchy import Value
from discreet.models.exact import decide, pairs
from discreet.models.parameters import Name, Number, Parameter, Parameterized, Threshold, as_text, as_word, exact
from discreet.models.realistic.adversaries import Adversary
from discreet.models.realistic.predicates import EACH_VALUE, Predicate, Predicates, membership
from discreet.models.realistic.priors import unlisted

if TYPE_CHECKING:
    from discreet.models.realistic.realistic_kernels import Belief

# More than a dozen roundings can cost, so that a reported ε is one at which the group holds.
_UP = 1 + 2e-15


@dataclass(frozen=True, eq=False)
class Sides:
    """What each group asks of ε on both sides, and the beliefs that decide.

    `rise` is the ε of the first condition, p_in / p_out ≤ ε; `fall` that of the second, (1 − p_out) / (1 − p_in) ≤ ε.
    `p_in` and `p_out` are her beliefs in the deciding predicate with and without the person in the table (the largest
    and the smallest that they can be), NaN where there is nothing to learn.
    """

    rise: FloatArray
    fall: FloatArray
    p_in: FloatArray
    p_out: FloatArray

    @property
    def epsilon(self) -> FloatArray:
        """The smallest ε at which each group holds, rounded up; infinite where there is none."""
        return rounded_up(np.maximum(self.rise, self.fall))


def rounded_up(epsilon: FloatArray) -> FloatArray:
    """An ε that was computed, as one that is reported: never too small, and at least 1."""
    return np.maximum(1.0, epsilon * _UP)


def sides(groups: Groups, adversary: Adversary, attribute: str, predicates: Predicates = EACH_VALUE) -> Sides:
    """Both sides of ε-privacy in each group.

    >>> from discreet.models.realistic.adversaries import ClassThree
    >>> from discreet.models.examples import groups_of
    >>> from discreet.models.realistic.priors import SharesPrior
    >>> women = groups_of("disease", ["flu"] * 9 + ["cancer"])
    >>> found = sides(women, ClassThree(SharesPrior({"flu": 0.4, "cancer": 0.6})), "disease")
    >>> found.rise.round(2), found.fall.round(2), found.p_in, found.p_out
    (array([2.25]), array([6.]), array([0.9]), array([0.4]))
    """
    first, *more = (
        _beliefs(groups, adversary, *found) for found in _families(groups, adversary, attribute, predicates)
    )
    return _worse(first, more[0]) if more else first


def smallest_epsilon(
    groups: Groups, adversary: Adversary, attribute: str, predicates: Predicates = EACH_VALUE
) -> FloatArray:
    """The smallest ε at which each group is private, rounded up; infinite where no ε will do.

    >>> from discreet.models.realistic.adversaries import ClassTwo
    >>> from discreet.models.examples import groups_of
    >>> smallest_epsilon(groups_of("disease", ["flu", "flu", "cold", "cold"], ["flu"]), ClassTwo(100), "disease")
    array([26., inf])
    """
    needed = np.zeros(len(groups))
    for _, rise, fall, _, _ in _families(groups, adversary, attribute, predicates):
        needed = np.maximum(needed, np.maximum(rise, fall))
    return rounded_up(needed)


@dataclass(frozen=True)
class Realistic(Parameterized):
    """Being in the table changes what the adversary believes of anybody by a factor of at most ε.

    Machanavajjhala, Gehrke & Götz 2009, definition 4: for everybody in the table and every sensitive predicate φ,
    p_in / p_out ≤ ε and (1 − p_out) / (1 − p_in) ≤ ε, where p_in is her belief in φ given the release and p_out what it
    would be given the release without that person. ε is a ratio, at least 1. Decided by the conditions of theorems 1 to
    3 (R1 and R2), which are sufficient; see `realistic_kernels`. Monotone: in a merged group no share is larger than
    the larger of the two, and more people she does not know only help. The level is the smallest ε.

    >>> from discreet.models.realistic.adversaries import ClassTwo
    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "cold"] * 250, ["flu"] * 400 + ["cold"] * 100)
    >>> Realistic(3, ClassTwo(stubbornness=1000), "disease").holds(groups)
    array([ True, False])
    """

    epsilon: Threshold
    adversary: Adversary
    attribute: str
    predicates: Predicates = EACH_VALUE
    monotone = True
    higher_is_safer = False
    word = "realistic"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "epsilon": Number(1, closed=True, why="beliefs can't differ by less than a factor of 1"),
        "attribute": Name(),
    }

    def holds(self, groups: Groups) -> BoolArray:
        return self._judged(groups)[0]

    def level(self, groups: Groups) -> FloatArray:
        holds, level = self._judged(groups)
        return np.where(holds, np.minimum(level, float(exact(self.epsilon))), level)

    def least_suppressed(self, groups: Groups) -> IntArray:
        from discreet.models.realistic import realistic_kernels as kernels

        holds = self.holds(groups)
        if not self.predicates.each_value:  # rows that satisfy no predicate may be kept: no bound by size or shares
            return np.where(holds, 0, 1)
        t = groups.tallies[self.attribute]
        least: IntArray = kernels.lost_to_adversary(
            t.pairs,
            groups.sizes,
            holds,
            belief_in_values(t, self.adversary),
            float(exact(self.epsilon)),
        )
        return least

    def require(self) -> str:
        return f"at most {as_text(self.epsilon)}"

    def describe(self) -> str:
        listed = "" if self.predicates == EACH_VALUE else ", listed predicates"
        return f"{as_text(self.epsilon)}-privacy of {self.attribute} against {self.adversary.describe()}{listed}"

    def to_words(self) -> dict[str, dict[str, object]]:
        words = self.adversary.words() | {"epsilon": as_word(exact(self.epsilon)), "attribute": self.attribute}
        return {
            self.word: words if self.predicates == EACH_VALUE else words | {"predicates": self.predicates.to_words()}
        }

    def misfits(self, frequency: FrequencySet) -> list[Mistake]:
        """What keeps the promise from fitting a table: values that it names and the table lacks, or the reverse."""
        hierarchy = frequency.sensitive_hierarchies[self.attribute]
        found = self.predicates.misfits(hierarchy, self.word)
        if self.adversary.prior is not None:
            totals = frequency.totals[self.attribute].tolist()
            there = [leaf for leaf, rows in zip(hierarchy.leaves, totals, strict=True) if rows]
            found += unlisted(self.adversary.prior, there, f"{self.word}.prior")
        return found

    @property
    def named_values(self) -> frozenset[Value]:
        """Values that the policy names, so that whoever reads it knows that the table has them."""
        return frozenset(value for predicate in self.predicates.listed for value in predicate.values)

    def _judged(self, groups: Groups) -> tuple[BoolArray, FloatArray]:
        t = groups.tallies[self.attribute]
        level = smallest_epsilon(groups, self.adversary, self.attribute, self.predicates)
        return decide(level, float(exact(self.epsilon)), lambda group: self.holds_exactly(t, group)), level

    def holds_exactly(self, t: Tally, group: int) -> bool:
        """The verdict on one group in exact arithmetic."""
        counts = {t.hierarchy.leaves[value]: count for value, count in pairs(t, group)}
        checked = [*self.predicates.listed]
        if self.predicates.each_value:
            checked += [Predicate((value,)) for value in counts]
        n = sum(counts.values())
        for predicate in checked:
            named = sum(counts.get(value, 0) for value in predicate.values)
            satisfied = n - named if predicate.negated else named
            if satisfied and not self._allows(t, predicate, satisfied, n - self.adversary.known):
                return False
        return True

    def _allows(self, t: Tally, predicate: Predicate, satisfied: int, m: int) -> bool:
        """R1 and R2 for one predicate, as the paper's theorems have them."""
        prior, epsilon = self.adversary.prior, exact(self.epsilon)
        share = Fraction(0) if prior is None else predicate.share(prior, t)
        if share == 1:  # true of everybody, as far as she knows: nothing to learn
            return True
        sigma = self.adversary.sigma_exactly(share)
        if m <= satisfied or sigma == 0:
            return False
        x = Fraction(satisfied, m)
        total = self.adversary.total
        if total is None:
            return x <= epsilon * sigma and x <= 1 - (1 - sigma) / epsilon
        delta = (epsilon - 1) * m / total
        first = x * (1 - delta) <= epsilon * (sigma - 1) / total
        return first and (1 - x) * (epsilon * (1 - 1 / total) + delta) >= 1 - (sigma - 1) / total


def _families(
    groups: Groups, adversary: Adversary, attribute: str, predicates: Predicates
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]]:
    """For every single value, and for the listed predicates: σ of each, then what `realistic_kernels` finds of them."""
    from discreet.models.realistic import realistic_kernels as kernels

    t = groups.tallies[attribute]
    if predicates.each_value:
        belief = belief_in_values(t, adversary)
        yield belief.sigma, *kernels.sides_of_values(t.pairs, groups.sizes, belief)
    if predicates.listed:
        named = kernels.Named(*membership(predicates.listed, t.hierarchy))
        belief = belief_in_sets(t, adversary, predicates.listed)
        yield belief.sigma, *kernels.sides_of_sets(t.pairs, groups.sizes, named, belief)


def belief_in_values(t: Tally, adversary: Adversary) -> Belief:
    """What she believes of each value."""
    if adversary.prior is None:
        share = rest = np.ones(len(t.reference))
    else:
        share, rest = adversary.prior.shares(t)
    return _belief(adversary, share, rest)


def belief_in_sets(t: Tally, adversary: Adversary, listed: tuple[Predicate, ...]) -> Belief:
    """What she believes of listed predicates."""
    if adversary.prior is None:
        share = rest = np.ones(len(listed))
    else:
        exactly = [predicate.share(adversary.prior, t) for predicate in listed]
        share, rest = np.array([float(p) for p in exactly]), np.array([float(1 - p) for p in exactly])
    return _belief(adversary, share, rest)


def _belief(adversary: Adversary, share: FloatArray, rest: FloatArray) -> Belief:
    from discreet.models.realistic import realistic_kernels as kernels

    total = np.inf if adversary.total is None else float(adversary.total)
    return kernels.Belief(*adversary.sigma(share, rest), rest == 0, total, adversary.known)


def _beliefs(
    groups: Groups,
    adversary: Adversary,
    sigma: FloatArray,
    rise: FloatArray,
    fall: FloatArray,
    decides: IntArray,
    rows: IntArray,
) -> Sides:
    """The largest belief with the person in, and the smallest without, for the deciding predicate of each group."""
    there = decides >= 0
    m = np.maximum(groups.sizes - adversary.known, 1)
    prior = sigma[np.where(there, decides, 0)] if len(sigma) else np.zeros(len(groups))
    p_in = np.where(there, np.minimum(rows / m, 1.0), np.nan)
    if adversary.total is None:
        p_out = prior
    else:
        p_out = np.maximum(rows + prior - 1, 0) / np.maximum(m + float(adversary.total) - 1, 1)
    return Sides(rise, fall, p_in, np.where(there, p_out, np.nan))


def _worse(a: Sides, b: Sides) -> Sides:
    """The worse of two families of predicates, group by group."""
    of_a = np.maximum(a.rise, a.fall) >= np.maximum(b.rise, b.fall)
    return Sides(
        np.maximum(a.rise, b.rise),
        np.maximum(a.fall, b.fall),
        np.where(of_a, a.p_in, b.p_in),
        np.where(of_a, a.p_out, b.p_out),
    )
