"""c-confident δ-presence: nobody can be told to be in the table, or not to be, as far as marginals tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.addresses import public
from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups, Outside
from discreet.errors import DataError, Mistake, PolicyError, shown
from discreet.models.parameters import Choice, Interval, Number, Parameter, Parameterized, as_text, as_word
from discreet.models.presence.by_pairs import expected_in, reaches, sure_confidence
from discreet.models.presence.confidence import confident, limits, sure_levels
from discreet.models.presence.presence import named, source_words

MARGINALS, PAIRS = "marginals", "pairs"  # what is known of a population
_AGAIN = "give the population again: --population FILE (in Python, population=…)"


@dataclass(frozen=True)
class ConfidentPresence(Parameterized):
    """The release is δ-present with a probability of at least `confidence`, for whoever knows marginals only.

    Nergiz & Clifton 2008, definitions 8 and 9: the publisher knows the table and, one attribute at a time, how many
    people outside of it have each value. Nothing is known of how values go together, so all assignments are alike. A
    group with rows must have δmin ≤ n_T / (n_T + n_0) ≤ δmax with a probability of at least c, where n_0 is the number
    of people outside of the table who fall in it. Rows that are left out are judged as one group, with everybody in no
    published group.

    With `coverage` (§4.3) every combination of values that anybody has must be in a published group: then a person's
    absence can't be told from there being no group for her.

    With `known` = pairs, or `pairs` beside the marginals, it is also known how values of two attributes go together: by
    the tree of pairs that tells most (Chow & Liu 1968), all populations with those counts are alike. What even pairs
    can't tell, `margin` allows for: so many people as are expected in a group may be a factor e^margin more or fewer.
    Either is ours, not the paper's, and judged by bounds (see `by_pairs`). Then no rows may be left out.

    What is known comes from `population` (a path or a frame, as in `Presence`; None with no marginals either: the table
    that the private rows are chosen from), or from `marginals`: per attribute a path of a CSV file, or a mapping of
    value → count or share, or a list of [value, count or share] pairs. They count everybody, those in the table
    included: `size` people, which must be said where shares are given. As words, a mapping whose values are all texts
    is written as such; one with NULL or other values as a list of pairs: ``[[None, 3], ["a", 4]]``; a path as the name
    of the file. `pairs` are a list of such paths, with a line for the names of two columns, or of mappings:
    ``{"columns": ["age", "sex"], "counts": [["17", "f", 120], …]}``.

    >>> from discreet.counts.frequency import Marginals
    >>> half = np.array([1, 3]), np.array([True, True])
    >>> outside = Outside(np.array([[1, 1, 1]]), np.array([[1, 1, 1]]), Marginals((half[0],) * 3, (half[1],) * 3, 4))
    >>> ConfidentPresence((0.33, 1), 0.8).level(Groups(np.array([1]), outside=outside)).round(9)
    array([0.9375])
    """

    delta: Any  # (δmin, δmax), kept as fractions
    confidence: Any  # kept as a fraction
    population: Any = field(default=None, compare=False, repr=False)
    marginals: Any = field(default=None, compare=False, repr=False)
    size: int | None = None
    coverage: bool = False
    pairs: Any = field(default=None, compare=False, repr=False)
    known: str = MARGINALS
    margin: Any = Fraction(0)  # kept as a fraction
    attribute = ""
    monotone = False
    higher_is_safer = True
    among_people = True
    needs_source = True  # who is outside of the table follows from who is in it
    word = "confident_presence"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "delta": Interval(),
        "confidence": Number(0, most=1, why="it is a probability, and without one nothing is promised"),
        "known": Choice((MARGINALS, PAIRS)),
        "margin": Number(0, closed=True, most=10, why="a factor e^margin as large as that says nothing"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        mistakes = []
        if self.population is not None and self.marginals is not None:
            rule = "can't come from a population and from marginals at once"
            mistakes.append(Mistake(f"{self.word}.marginals", rule, "leave one of them out"))
        mistakes += pair_misfits(self.word, self.marginals is not None, self.pairs is not None, self.known)
        if self.size is not None and (isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 0):
            mistakes.append(Mistake(f"{self.word}.size", f"must be a number of people, got {shown(self.size)}"))
        if not isinstance(self.coverage, bool):
            mistakes.append(Mistake(f"{self.word}.coverage", f"must be true or false, got {shown(self.coverage)}"))
        if mistakes:
            raise PolicyError(*mistakes)

    @property
    def by_pairs(self) -> bool:
        """Is it known how values of two attributes go together?"""
        return self.known == PAIRS or self.pairs is not None

    @property
    def beyond_paper(self) -> bool:
        """Is it judged by bounds, and no rows left out?"""
        return self.by_pairs or self.margin > 0

    @property
    def leaves_nobody_out(self) -> bool:
        """Can it be promised only where every row is published?"""
        return self.beyond_paper

    def holds(self, groups: Groups) -> BoolArray:
        """Exact (see `confidence`), or certain (`by_pairs`); nothing is published of a group without rows."""
        outside, filled = _outside(groups), groups.sizes > 0
        verdict = np.ones(len(groups), dtype=np.bool_)
        if self.beyond_paper:
            verdict[filled] = reaches(self._sure(groups.sizes[filled], outside.where(filled)), self.confidence)
            return verdict
        rows, counts = groups.sizes[filled], outside.counts[filled]
        verdict[filled] = confident(rows, counts, outside.marginals.size, self.delta, self.confidence)
        return verdict

    def level(self, groups: Groups) -> FloatArray:
        """A confidence that is certain, close for the groups that may be the least; what is asked, where it holds."""
        outside, filled = _outside(groups), groups.sizes > 0
        levels = np.ones(len(groups))
        if self.beyond_paper:
            levels[filled] = self._sure(groups.sizes[filled], outside.where(filled))
            return levels
        rows, counts = groups.sizes[filled], outside.counts[filled]
        levels[filled] = sure_levels(rows, counts, outside.marginals.size, self.delta, self.confidence)
        return np.where(self.holds(groups), np.maximum(levels, float(self.confidence)), levels)

    def least_suppressed(self, groups: Groups) -> IntArray:
        """Parts that hold need people, and all parts together have as many as the group expects.

        (Of the limit δmax alone: parts can always have few enough people for δmin.)
        """
        if self.delta[1] == 1:
            return np.zeros(len(groups), dtype=np.int64)
        if self.delta[1] == 0:
            return groups.sizes.astype(np.int64)
        outside = _outside(groups)
        size = outside.marginals.size
        if self.beyond_paper:  # what is reckoned with is never more than what is expected
            self._check_pairs(outside)
            expected = expected_in(outside, self.by_pairs) * (1 + 1e-9)
        else:
            expected = size * np.prod(outside.counts / max(size, 1), axis=1)
        one, per_row = _people_per_row(self.delta[1], self.confidence)
        # Both are rounded to the safe side by far more than the arithmetic can be off.
        kept = np.floor(expected / per_row * (1 + 1e-9) + 1e-9).astype(np.int64)
        kept[expected * (1 + 1e-9) < one] = 0
        least: IntArray = np.maximum(groups.sizes - kept, 0)
        return least

    def rest(self, groups: Groups) -> tuple[bool, float] | None:
        if not groups.left_out and not self.coverage:
            return None
        outside, filled = _outside(groups), groups.sizes > 0
        published = Outside(outside.low[filled], outside.high[filled], outside.marginals)
        if self.coverage and not covered(published):
            return False, 0.0
        if not groups.left_out:
            return True, 1.0
        if self.beyond_paper:
            return False, 0.0
        from discreet.models.presence.confidence_rest import rest_confidence  # late: it needs numba

        [low], [high] = limits(np.array([groups.left_out]), self.delta)
        bound = rest_confidence(published, int(low), int(high), float(self.confidence))
        return Fraction(bound) >= self.confidence, bound

    def out_of_reach(self, rows: int, people: int) -> None:
        return None  # that hangs on who the others may be

    def among(self) -> object | None:
        if self.marginals is None:
            return named(self.population)
        [words] = self.to_words().values()
        return str([words["marginals"], words.get("size"), words.get("pairs")])

    def require(self) -> str:
        return f"at least {as_text(self.confidence)}"

    def describe(self) -> str:
        covering = ", every possible combination covered" if self.coverage else ""
        low, high = (as_text(limit) for limit in self.delta)
        by_pairs = " by pairs" if self.by_pairs else ""
        margin = f", margin {as_text(self.margin)}" if self.margin else ""
        return f"{as_text(self.confidence)}-confident ({low}, {high})-presence{by_pairs}{margin}{covering}"

    def to_words(self) -> dict[str, dict[str, object]]:
        [words] = super().to_words().values()
        if self.known == MARGINALS:
            del words["known"]
        if not self.margin:
            del words["margin"]
        words |= source_words(self.population)
        if self.marginals is not None:
            words["marginals"] = {name: _marginal_words(given) for name, given in self.marginals.items()}
        if self.pairs is not None:
            words["pairs"] = [_pair_words(given) for given in self.pairs]
        if self.size is not None:
            words["size"] = self.size
        return {self.word: words | ({"coverage": True} if self.coverage else {})}

    def _check_pairs(self, outside: Outside) -> None:
        if self.by_pairs and outside.marginals.pairs is None:
            rule = "needs to know how values of two attributes go together outside of the table, which is not here"
            raise DataError(Mistake(self.word, rule, _AGAIN))

    def _sure(self, rows: IntArray, outside: Outside) -> FloatArray:
        """A confidence that each of these groups surely reaches, beyond the paper."""
        self._check_pairs(outside)
        return sure_confidence(rows, outside, self.delta, self.margin, self.by_pairs)


def pair_misfits(place: str, marginals: bool, pairs: bool, known: object) -> list[Mistake]:
    """What is wrong with how a promise says that pairs are known."""
    if pairs and not marginals:
        rule = "are counts beside marginals, and there are none"
        repair = "give marginals of the same people; of a population write known: pairs"
        return [Mistake(f"{place}.pairs", rule, repair)]
    if known == PAIRS and marginals:
        rule = "pairs are counted of a population, and this one is given by marginals"
        return [Mistake(f"{place}.known", rule, "leave it out" + ("" if pairs else ", and give pairs: [CSV, …]"))]
    return []


def covered(published: Outside) -> bool:
    """Is every combination of values that anybody has, each attribute by itself, in one of these groups?

    They don't overlap, so their combinations add up.
    """
    wanted = math.prod(int(r[-1]) for r in published.marginals.running_possible)
    possible = published.possible
    fits = wanted < 1 << 62
    return int(np.prod(possible if fits else possible.astype(object), axis=1).sum()) == wanted


def people_needed(k: int, c: Fraction) -> float:
    """How many people are expected at least, if k of them are there with a probability of at least c.

    Their number is a sum of independent trials (see `confidence_kernels`). So the mean is at least c k (Markov); if
    c > 1/2 it is also above k − 1, as the median is one of the whole numbers around the mean (Jogdeo & Samuels 1968);
    and if c > 3/4 it is at least k c^(1/k): of all trials with one mean, P(≥ k) is largest for some that are certain
    and m that are alike (Hoeffding 1956). If m is the number k' that is still missing to k, it is (mean/k')^k', which
    gives this. If m is larger and the mean below k', then the failures exceed m − k', which is at most their mean, with
    a probability of at least 1/4 (Doerr 2018).

    >>> people_needed(9, Fraction(4, 5)), people_needed(9, Fraction(1, 2))
    (8.779600..., 4.5)
    """
    if 4 * c > 3:
        return k * math.pow(c, 1 / k)
    return max(k * float(c), k - 1.0) if 2 * c > 1 else k * float(c)


@lru_cache(maxsize=64)  # a search asks at every node
def _people_per_row(most: Fraction, c: Fraction) -> tuple[float, float]:
    """How many people a group that holds expects at least: with one row, and per row with any number of them."""
    odds = 1 / most - 1
    many = 64
    needed = [people_needed(math.ceil(n * odds), c) for n in range(1, many + 1)]
    # Beyond that many rows k is at least the last one's, and k / n at least the odds.
    beyond = float(odds) * needed[-1] / math.ceil(many * odds)
    per_row = min(beyond, *(people / n for n, people in enumerate(needed, 1)))
    return needed[0] * (1 - 1e-12), per_row * (1 - 1e-12)


def _marginal_words(given: object) -> object:
    if isinstance(given, str | Path):
        return public(str(given))
    if not isinstance(given, Mapping):
        return [[_plain(value), as_word(number)] for value, number in given]  # type: ignore[attr-defined]
    if all(isinstance(value, str) for value in given):
        return {value: as_word(number) for value, number in given.items()}
    return [[_plain(value), as_word(number)] for value, number in given.items()]


def _pair_words(given: object) -> object:
    """A table of counts of two columns, or the name of its file."""
    if not isinstance(given, Mapping):
        return public(str(given))
    counts = [[_plain(one), _plain(other), as_word(many)] for one, other, many in given["counts"]]
    return {"columns": [str(name) for name in given["columns"]], "counts": counts}


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _outside(groups: Groups) -> Outside:
    if groups.outside is None:
        rule = "needs to know of the population outside of the table, which is not here"
        raise DataError(Mistake("confident_presence", rule, _AGAIN))
    return groups.outside
