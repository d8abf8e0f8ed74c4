"""r-robustness: whoever knows how likely people like you are to have each value still can't tell that you have it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, People, Tally
from discreet.errors import SHOWN, DiscreetError, Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Value
from discreet.models.parameters import (
    Choice,
    Name,
    Number,
    Parameter,
    Parameterized,
    Threshold,
    Whole,
    as_text,
    as_word,
    exact,
)
from discreet.models.robust.absence import left_out
from discreet.models.robust.beliefs import LEVELS, MARGIN, PEOPLE, VERDICTS, Judged, judged
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.knowledge import MIN_SUPPORT, Knowledge, table_knowledge
from discreet.models.robust.several_rows import SeveralRows, above_in_sum, sums

LIMITS = ("r", PRIOR := "prior")  # what no posterior is above: 1/r; or that, or what she believed before
ABSENCE = (OPEN := "open", PRIOR)  # is anything promised about the rows that are left out?


@dataclass(frozen=True, eq=False)
class Posteriors:
    """For each entry of a release's people, the worst posterior over all attribute sets, protected sets and views.

    `levels` are rounded, `above` says exactly which are above 1/r. In a group that is `bounded`, exact posteriors would
    have taken too long for some attribute sets: there they are proven upper bounds, and `proven` says who is above 1/r
    by what is known exactly.
    """

    levels: FloatArray
    above: BoolArray
    proven: BoolArray
    bounded: BoolArray  # per group


@dataclass(frozen=True)
class Robust(Parameterized):
    """Nobody is linked to a protected value with a probability above 1/r, whatever attributes she judges people by.

    Wong, Fu, Wang, Xu, Pei & Yu, definition 1: p(t : x) ≤ 1/r for every person t, protected value (or set of values) x
    and attribute set. She knows exactly how likely people of each signature have each value (`Knowledge`). A possible
    world deals the values of a group out to its people; its weight is the product of their chances; p(t : x) is the
    share of weight where t has x. She may look at all values, or at "x or not x" alone (the paper's Table 4): both
    views must keep to 1/r. Their Theorem 1 is not used: it is false for several values.

    `values` are the protected ones, by themselves or in sets; None stands for every value. Not monotone: merging may
    bring somebody likely among the unlikely. The level is the worst posterior. Where people have several rows, it is
    the worst sum of somebody's posteriors over all of his (`several_rows`).

    With the limit `prior` she may also be surer than 1/r of what she was as sure of before: p(t : x) is at most 1/r, or
    at most p(s : x), for every person t of signature s. That is ours: nobody can make her forget what she knows. No
    group has a protected set in more than 1/r of its rows then either, and the rows that are left out are judged like
    a group (`absence`).
    The level is the worst posterior of those that are above what she believed before, or the largest share of a group.

    >>> from discreet.models.robust.given_knowledge import GivenKnowledge
    >>> from discreet.models.examples import bucketized
    >>> known = [({"nation": n}, "heart", p) for n, p in (("American", 0.1), ("Japanese", 0.003))]
    >>> groups = bucketized("disease", ["nation"], [[("American", "heart"), ("Japanese", "flu")]])
    >>> model = Robust(2, "disease", values=["heart"], knowledge=GivenKnowledge(known))
    >>> model.holds(groups), model.level(groups).round(4)
    (array([False]), array([0.9736]))
    """

    r: Threshold
    attribute: str
    values: Any = None  # a list of values or of lists of them; kept as a tuple of tuples
    attribute_sets: Any = None  # a list of lists of names; kept as a tuple of tuples
    min_support: int = MIN_SUPPORT
    knowledge: GivenKnowledge | None = None
    limit: str = "r"
    absence: str | None = None  # None: as the limit says
    monotone = False
    higher_is_safer = False
    word = "robust"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "r": Number(1, why="a probability of 1/1 promises nothing"),
        "min_support": Whole(1, "a signature that nobody has says nothing"),
        "attribute": Name(),
        "limit": Choice(LIMITS),
    }

    @property
    def needs_source(self) -> bool:
        """The table's own distributions are known from the table alone, and so is who was left out."""
        return self.knowledge is None or self.absence == PRIOR

    @property
    def of_paper(self) -> Robust:
        """The promise of the paper, which is the stronger one: at most 1/r, whatever she knew."""
        return replace(self, limit="r", absence=OPEN)

    @property
    def rows_per_value(self) -> int:
        return math.ceil(exact(self.r))

    @property
    def protected_values(self) -> tuple[tuple[Value, ...], ...] | None:
        values: tuple[tuple[Value, ...], ...] | None = self.values
        return values

    def __post_init__(self) -> None:
        super().__post_init__()
        absence = self.absence if self.absence is not None else PRIOR if self.limit == PRIOR else OPEN
        if absence not in ABSENCE or (self.limit == PRIOR and absence == OPEN):
            told = "must be open or prior" if absence not in ABSENCE else "can't be open where the limit is prior"
            raise PolicyError(Mistake("robust.absence", told, "leave it out"))
        object.__setattr__(self, "absence", absence)
        if self.values is not None:
            object.__setattr__(self, "values", _sets(self.values, "values"))
        if self.attribute_sets is not None:
            object.__setattr__(self, "attribute_sets", _sets(self.attribute_sets, "attribute_sets"))
        tables_own = {"attribute_sets": self.attribute_sets is not None, "min_support": self.min_support != MIN_SUPPORT}
        if self.knowledge is not None and any(tables_own.values()):
            rule = "is for the table's own distributions"
            raise PolicyError(
                *(Mistake(f"robust.{w}", rule, "leave it out") for w, given in tables_own.items() if given)
            )

    def holds(self, groups: Groups) -> BoolArray:
        return self._judged(groups, VERDICTS).held.copy()

    def level(self, groups: Groups) -> FloatArray:
        level = self._judged(groups, LEVELS).level
        return np.where(self.holds(groups), np.minimum(level, float(1 / exact(self.r))), level)

    def held_by_people(self, groups: Groups) -> BoolArray:
        people = self._people(groups)
        if people.person is None:  # nothing tells whose rows stand in several groups: then none of them is safe
            return np.zeros(len(groups), dtype=np.bool_)
        return self.holds(groups) & ~above_in_sum(self.of_paper, groups, people)

    def reached_by_people(self, groups: Groups) -> FloatArray:
        people, level = self._people(groups), self.level(groups)
        if people.person is None:
            return np.ones(len(groups))
        several = SeveralRows.of(people)
        if len(several):
            reached, above = sums(self.of_paper, groups, people, several)
            reached = np.where(above, reached, np.minimum(reached, float(1 / exact(self.r))))
            np.maximum.at(level, several.group, np.repeat(reached, np.diff(several.starts)))
        return level

    def in_each_of(self, groups: int) -> Robust:
        return replace(self, r=exact(self.r) * groups)

    def left_out(self, groups: Groups) -> tuple[bool, float, int] | None:
        """Is it kept for the rows that are in no group, what do they reach, and how many are they?

        None where nobody is left out, or where the promise says nothing about them.
        """
        if self.absence == OPEN:
            return None
        missing = left_out(self._people(groups), groups.tallies[self.attribute])
        if missing is None:
            return None
        rows = int(missing.sizes.sum())
        if missing.people is None:  # what is published is not the table's: nothing is known of who is missing
            return False, 1.0, rows
        model = replace(self, limit=PRIOR, absence=PRIOR)
        return bool(model.holds(missing)[0]), float(model.level(missing)[0]), rows

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.zeros(len(groups), dtype=np.int64)

    def posteriors(self, groups: Groups) -> Posteriors:
        """What she comes to believe of everybody."""
        judged = self._judged(groups, PEOPLE)
        above, proven = judged.of_entry > float(1 / exact(self.r)) + MARGIN
        for group in np.flatnonzero(judged.near.any(axis=0)).tolist():
            if not proven[slice(*judged.worlds.people.offsets[group : group + 2])].all():
                for entry, over in judged.exactly(group):
                    above[entry] |= over is not False
                    proven[entry] |= over is True
        return Posteriors(judged.of_entry[0], above, proven, judged.bounded)

    def decided(self, groups: Groups) -> dict[str, int]:
        """How many groups' levels are exact, and how many rest on a bound."""
        by_bound = int(self._judged(groups, LEVELS).bounded.sum())
        return {"exactly": len(groups) - by_bound, "by_bound": by_bound}

    def mean_deviation(self, groups: Groups) -> float:
        """The paper's mean Δ: how far apart the chances of a protected value are in a group, on average.

        The mean over groups, then attribute sets, then protected values (those that the table has) of the largest less
        the smallest chance in the group.
        """
        people, t = self._people(groups), groups.tallies[self.attribute]
        knowledge = self.knowledge_for(people, t)
        rows = knowledge.signatures(people.codes) + knowledge.starts[:-1, None]
        starts = people.offsets[:-1][np.diff(people.offsets) > 0]
        if not len(starts):
            return 0.0
        offsets, members = self.protected_sets(t)
        if not len(offsets) - 1:
            members = np.flatnonzero(t.reference).astype(np.int32)
            offsets = np.arange(len(members) + 1)
        deviations = []
        for x in range(len(offsets) - 1):
            share = knowledge.rows[:, members[offsets[x] : offsets[x + 1]]].sum(axis=1) / knowledge.totals
            for row in rows:
                f = share[row]
                deviations.append((np.maximum.reduceat(f, starts) - np.minimum.reduceat(f, starts)).mean())
        return float(np.mean(deviations)) if deviations else 0.0

    def require(self) -> str:
        r = exact(self.r)
        return f"at most 1/{r}" if r.denominator == 1 else f"at most {as_text(1 / r)}"

    def describe(self) -> str:
        listed = "" if self.values is None else ", listed values"
        given = "" if self.knowledge is None else ", given knowledge"
        prior = ", or no surer than before" if self.limit == PRIOR else ""
        absence = ", absence included" if self.limit != PRIOR and self.absence == PRIOR else ""
        return f"{as_text(self.r)}-robustness of {self.attribute}{prior}{listed}{given}{absence}"

    def to_words(self) -> dict[str, dict[str, object]]:
        words: dict[str, object] = {"r": as_word(exact(self.r)), "attribute": self.attribute}
        if self.values is not None:
            words["values"] = [s[0] if len(s) == 1 and s[0] is not None else list(s) for s in self.values]
        if self.limit == PRIOR:
            words["limit"] = self.limit
        elif self.absence == PRIOR:
            words["absence"] = self.absence
        if self.knowledge is not None:
            return {self.word: words | {"knowledge": self.knowledge.to_words()}}
        if self.attribute_sets is not None:
            words["attribute_sets"] = [list(s) for s in self.attribute_sets]
        return {self.word: words | {"min_support": self.min_support, "knowledge": "table"}}

    def knowledge_of(self, frequency: FrequencySet) -> Knowledge:
        """What she knows beforehand, where this is the table."""
        if self.knowledge is None:
            return table_knowledge(frequency, self.attribute, self.attribute_sets, self.min_support)
        hierarchy = frequency.sensitive_hierarchies[self.attribute]
        return self.knowledge.known(frequency.hierarchies, hierarchy, frequency.totals[self.attribute])

    def misfits(self, frequency: FrequencySet) -> list[Mistake]:
        """What keeps the promise from fitting a table: names and values that it has and the table lacks."""
        hierarchy, attributes = frequency.sensitive_hierarchies[self.attribute], frequency.attributes
        names = ["NULL" if leaf is None else leaf for leaf in hierarchy.leaves]
        strange = dict.fromkeys(value for s in self.values or () for value in s if value not in hierarchy.index)
        unknown = dict.fromkeys(a for s in self.attribute_sets or () for a in s if a not in attributes)
        found = [
            Mistake(f"{self.word}.values", f"{self.attribute} has no value {shown(value)}", did_you_mean(value, names))
            for value in islice(strange, SHOWN)
        ]
        found += [
            Mistake(f"{self.word}.attribute_sets", f"no such quasi-identifier {shown(a)}", did_you_mean(a, attributes))
            for a in islice(unknown, SHOWN)
        ]
        if self.knowledge is not None:
            found += self.knowledge.misfits(frequency, self.attribute, f"{self.word}.knowledge")
        return found

    @property
    def named_values(self) -> frozenset[Value]:
        """Values that the policy names, so that whoever reads it knows that the table has them."""
        listed = () if self.knowledge is None else self.knowledge.listed
        return frozenset([value for s in self.values or () for value in s] + [value for _, value, _ in listed])

    def _people(self, groups: Groups) -> People:
        if groups.people is None:
            rule = "is about rows whose quasi-identifiers are published beside the sensitive values of their group"
            raise DiscreetError(Mistake(self.word, rule, "write publish: bucketization"))
        return groups.people

    def knowledge_for(self, people: People, t: Tally) -> Knowledge:
        """What she knows beforehand of these people."""
        if self.knowledge is not None:
            return self.knowledge.known(people.hierarchies, t.hierarchy, t.reference)
        if people.table is None:
            rule = "can't be judged without the table whose distributions the adversary knows"
            raise DiscreetError(Mistake(self.word, rule, "give the source again: --source"))
        coded = [*people.table.hierarchies, people.table.sensitive_hierarchies[self.attribute]]
        if any(
            a is not b and a.leaves != b.leaves for a, b in zip(coded, [*people.hierarchies, t.hierarchy], strict=True)
        ):
            raise ValueError("people and their table must be coded alike")
        return self.knowledge_of(people.table)

    def protected_sets(self, t: Tally) -> tuple[IntArray, Codes]:
        """The protected sets as slices of leaf numbers; none for every value by itself."""
        coded = [[t.hierarchy.index[v] for v in s if v in t.hierarchy.index] for s in self.values or ()]
        offsets = np.cumsum([0, *map(len, coded)], dtype=np.int64)
        return offsets, np.array([v for s in coded for v in s], dtype=np.int32)

    def _judged(self, groups: Groups, asked: int) -> Judged:
        """Judged once: who checks a plan asks for verdicts and levels of the same groups again and again."""
        made = _JUDGED.setdefault(groups, [])
        for model, wanted, found in made:
            if model is self and wanted == asked:
                return found
        people, t = self._people(groups), groups.tallies[self.attribute]
        known, sets = self.knowledge_for(people, t), self.protected_sets(t)
        prior = self.limit == PRIOR
        made.append((self, asked, judged(groups, t, people, known, sets, exact(self.r), asked, prior)))
        return made[-1][2]


_JUDGED: WeakKeyDictionary[Groups, list[tuple[Robust, int, Judged]]] = WeakKeyDictionary()


def _sets(listed: object, place: str) -> tuple[tuple[Value, ...], ...]:
    """Sets of names as tuples, each once; a single one stands for a set of its own."""
    if not isinstance(listed, Iterable) or isinstance(listed, str):
        raise PolicyError(Mistake(f"robust.{place}", "must be a list", "write [a, [b, c]]"))
    sets = [(s,) if s is None or isinstance(s, str) else tuple(dict.fromkeys(s)) for s in listed]
    if not sets or not all(sets):
        raise PolicyError(Mistake(f"robust.{place}", "lists nothing", "name something, or leave it out"))
    return tuple(dict.fromkeys(sets))
