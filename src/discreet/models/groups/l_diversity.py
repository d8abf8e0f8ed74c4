"""ℓ-diversity: knowing somebody's group does not tell their sensitive value. Four readings of "diverse".

Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam 2006 (and, for the frequency form, Wong et al. 2006 and Xiao & Tao
2006). All are monotone: distinct values only add up; entropy is concave; the largest count is subadditive and the tail
superadditive; a bound on shares is kept by sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Mistake
from discreet.labels.whose import Whose
from discreet.models.by_people import chances, chances_at_most
from discreet.models.exact import decide, pairs, products_at_most, sign_with_logs
from discreet.models.groups.shares import lost_to_share, share_at_most
from discreet.models.parameters import (
    Choice,
    Name,
    Number,
    Parameter,
    Parameterized,
    Threshold,
    Whole,
    Wrong,
    as_text,
    exact,
)
from discreet.models.promise import VALUES, Given, Promise, Read, Setting, Words, nobodys_chance, read_as

_LEAST_L = Whole(2, "every group has at least one value, so l = 1 promises nothing")
_REAL_L = Number(1, why="every group reaches l = 1, so it promises nothing")


@dataclass(frozen=True)
class DistinctDiversity(Parameterized):
    """Every group has at least l different sensitive values.

    The weakest form: one of them may still be that of nearly everybody.

    >>> from discreet.models.examples import groups_of
    >>> DistinctDiversity(2, "disease").holds(groups_of("disease", ["flu", "flu"], ["flu", "cold"]))
    array([False,  True])
    """

    l: int  # noqa: E741, the theory's own name
    attribute: str
    monotone = True
    higher_is_safer = True
    rows_decide = True  # who has a value has a row with it
    compares = False
    word = "l_diversity"
    fixed = (("kind", "distinct"),)
    parameters: ClassVar[Mapping[str, Parameter]] = {"l": _LEAST_L, "attribute": Name()}

    @property
    def rows_per_value(self) -> int:
        return math.ceil(exact(self.l))

    def holds(self, groups: Groups) -> BoolArray:
        return np.diff(groups.tallies[self.attribute].offsets) >= self.l

    def level(self, groups: Groups) -> FloatArray:
        return np.diff(groups.tallies[self.attribute].offsets).astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.where(self.holds(groups), 0, groups.sizes)  # parts have no more values than the whole

    def require(self) -> str:
        return f"at least {self.l}"

    def describe(self) -> str:
        return f"distinct {self.l}-diversity of {self.attribute}"


@dataclass(frozen=True)
class EntropyDiversity(Parameterized):
    """Every group is as uncertain about the sensitive value as if l values were equally frequent in it, or more.

    Entropy of the group's values ≥ ln l; l need not be whole. The level is e^entropy.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "cold"], ["flu", "cold"])
    >>> EntropyDiversity(2, "disease").holds(groups), EntropyDiversity(2, "disease").level(groups).round(3)
    (array([False,  True]), array([1.89, 2.  ]))
    """

    l: Threshold  # noqa: E741, the theory's own name
    attribute: str
    monotone = True
    higher_is_safer = True
    compares = False
    word = "l_diversity"
    fixed = (("kind", "entropy"),)
    parameters: ClassVar[Mapping[str, Parameter]] = {"l": _REAL_L, "attribute": Name()}

    @property
    def rows_per_value(self) -> int:
        return math.ceil(exact(self.l))

    def holds(self, groups: Groups) -> BoolArray:
        from discreet.models.groups import kernels

        t, values = groups.tallies[self.attribute], exact(self.l)
        lacking = kernels.entropy_lacking(
            t.offsets, t.counts, groups.sizes, kernels.N_LOG_N, math.log(values), math.ceil(values)
        )

        def exactly(group: int) -> bool:
            # n · (H − ln l) ≥ 0, where n · H = n ln n − Σ n(s) ln n(s)
            counts = [count for _, count in pairs(t, group)]
            n = sum(counts)
            terms = [(n, n), (n, values.denominator), (-n, values.numerator), *((-count, count) for count in counts)]
            return sign_with_logs(exact(0), terms) >= 0

        return decide(lacking, 0.0, exactly)

    def level(self, groups: Groups) -> FloatArray:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        result: FloatArray = np.exp(kernels.entropies(t.offsets, t.counts, groups.sizes, kernels.N_LOG_N))
        return result

    def least_suppressed(self, groups: Groups) -> IntArray:
        from discreet.models.groups import bounds, kernels

        t, values = groups.tallies[self.attribute], exact(self.l)
        least: IntArray = bounds.lost_to_entropy(
            t.offsets, t.counts, groups.sizes, self.holds(groups), math.log(values), math.ceil(values), kernels.N_LOG_N
        )
        return least

    def require(self) -> str:
        return f"at least {as_text(self.l)}"

    def describe(self) -> str:
        return f"entropy {as_text(self.l)}-diversity of {self.attribute}"


@dataclass(frozen=True)
class RecursiveDiversity(Parameterized):
    """The most frequent value is not too frequent, even once the adversary has ruled out l − 2 others.

    With the counts of a group's values in falling order: r1 < c · (r_l + r_(l+1) + … + r_m). The level is
    r1 / (r_l + … + r_m), which must stay below c; it is infinite where a group has fewer than l values.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "flu", "cold"], ["flu", "flu", "cold"])
    >>> RecursiveDiversity(3, 2, "disease").holds(groups)
    array([False,  True])
    """

    c: Threshold
    l: int  # noqa: E741, the theory's own name
    attribute: str
    monotone = True
    higher_is_safer = False
    compares = False
    word = "l_diversity"
    fixed = (("kind", "recursive"),)
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "c": Number(0, why="no group has a most frequent value below 0 times the others"),
        "l": _LEAST_L,
        "attribute": Name(),
    }

    @property
    def rows_per_value(self) -> int:
        return math.floor(1 / exact(self.c)) + self.l  # 1 < c · (rows − l + 1)

    def holds(self, groups: Groups) -> BoolArray:
        c = exact(self.c)
        first, tail = self._first_and_tail(groups)
        return ~products_at_most(tail, c.numerator, first, c.denominator)

    def level(self, groups: Groups) -> FloatArray:
        first, tail = self._first_and_tail(groups)
        return np.where(tail > 0, first / np.maximum(tail, 1), np.inf)

    def least_suppressed(self, groups: Groups) -> IntArray:
        from discreet.models.groups import bounds

        t, c = groups.tallies[self.attribute], exact(self.c)
        if max(c.numerator, c.denominator) >= 1 << 20:
            c = exact(math.ceil(c * 1000)) / 1000  # a larger c loses fewer rows: still a lower bound
        least: IntArray = bounds.lost_to_recursion(
            t.offsets, t.counts, groups.sizes, self.holds(groups), c.numerator, c.denominator, self.l - 1
        )
        return least

    def require(self) -> str:
        return f"below {as_text(self.c)}"

    def describe(self) -> str:
        return f"recursive ({as_text(self.c)}, {self.l})-diversity of {self.attribute}"

    def _first_and_tail(self, groups: Groups) -> tuple[IntArray, IntArray]:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        if self.l == 2:  # the common case needs no sorting
            first = kernels.largest(t.offsets, t.counts)
            return first, groups.sizes - first
        ahead = min(self.l - 1, int(np.diff(t.offsets).max(initial=0)) + 1)  # no group has more values than that
        first, tail = kernels.largest_and_tail(t.offsets, t.counts, groups.sizes, ahead)
        return first, tail


@dataclass(frozen=True)
class FrequencyDiversity(Parameterized):
    """No sensitive value is that of more than 1/l of a group: a guess is right with probability 1/l at most.

    n(q, s) ≤ n(q) / l; l need not be whole. The level is n(q) / max n(q, s). Where people have several rows, it is the
    chance that somebody has the value in one of his or more (`by_people.chances`), and may grow if groups are merged.

    >>> from discreet.models.examples import groups_of
    >>> FrequencyDiversity(2, "disease").holds(groups_of("disease", ["flu", "flu", "cold"], ["flu", "cold"]))
    array([False,  True])
    """

    l: Threshold  # noqa: E741, the theory's own name
    attribute: str
    monotone = True
    higher_is_safer = True
    merges_by_people = False
    compares = False
    word = "l_diversity"
    fixed = (("kind", "frequency"),)
    parameters: ClassVar[Mapping[str, Parameter]] = {"l": _REAL_L, "attribute": Name()}

    @property
    def rows_per_value(self) -> int:
        return math.ceil(exact(self.l))

    def holds(self, groups: Groups) -> BoolArray:
        return share_at_most(groups, self.attribute, 1 / exact(self.l))

    def level(self, groups: Groups) -> FloatArray:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        result: FloatArray = groups.sizes / np.maximum(kernels.largest(t.offsets, t.counts), 1)
        return result

    def held_by_people(self, groups: Groups) -> BoolArray:
        return chances_at_most(groups, self.attribute, 1 / exact(self.l))

    def reached_by_people(self, groups: Groups) -> FloatArray:
        return 1 / np.maximum(chances(groups, self.attribute), 1e-300)

    def in_each_of(self, groups: int) -> FrequencyDiversity:
        return replace(self, l=exact(self.l) * groups)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return lost_to_share(groups, self.attribute, 1 / exact(self.l), self.holds(groups))

    def require(self) -> str:
        return f"at least {as_text(self.l)}"

    def describe(self) -> str:
        return f"{as_text(self.l)}-diversity of {self.attribute} (no value above 1/{as_text(self.l)})"


_KINDS: Mapping[str, type[Parameterized]] = {
    "distinct": DistinctDiversity,
    "entropy": EntropyDiversity,
    "recursive": RecursiveDiversity,
    "frequency": FrequencyDiversity,
}
_EXAMPLE = "{l: 3, kind: distinct}"
_NO_C = {"c": ("belongs to kind: recursive alone", "leave it out, or write kind: recursive")}


def _read(given: Given, place: str, sensitive: Sequence[str], folder: Path) -> Read:
    """`kind` says which of the four is meant."""
    kind, mistakes = given.pop("kind", "distinct"), []
    try:
        kind = Choice(tuple(_KINDS)).read(kind)
    except Wrong as wrong:
        # Go on with the kind that the other parameters speak for, so that only real mistakes are listed.
        kind = "recursive" if "c" in given else "entropy"
        mistakes = [Mistake(f"{place}.kind", wrong.rule, wrong.repair)]
    models, more = read_as(_KINDS[str(kind)], _EXAMPLE, also=("kind",), strange=_NO_C)(given, place, sensitive, folder)
    return [] if mistakes else models, [*mistakes, *more]


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    least = parameters["l"]
    match parameters.get("kind", "distinct"):
        case "distinct":
            return f"Every group holds at least {least} different values of {column}."
        case "entropy":
            return f"In every group, {column} is as uncertain as {least} equally likely values{setting.whose.counted}."
        case "recursive":
            rows = "rows, and the people," if setting.whose is Whose.NAMED else "rows"
            return (
                f"In every group, the most common value of {column} has less than {parameters.get('c')} times the "
                f"{rows} of all values from the {_ordinal(int(least))} most common on."
            )
    if setting.whose is Whose.NAMED:
        sentence = nobodys_chance(column, f"1 in {least}", setting)
        return f"{sentence[0].upper()}{sentence[1:]}."
    return f"In no group does one value of {column} make up more than one row in {least}."


def _ordinal(n: int) -> str:
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


L_DIVERSITY = Promise(
    "l_diversity",
    _EXAMPLE,
    _read,
    _sentence,
    about=frozenset({VALUES}),
    examples=(
        *({"l": 2, "kind": kind} for kind in ("distinct", "entropy", "frequency")),
        *({"l": least, "kind": "recursive", "c": 3} for least in (2, 3)),
    ),
    beside_others=True,
)
