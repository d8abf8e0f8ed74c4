"""The worst case of what people of a kind are known to have: exact posteriors over possible worlds.

Wong, Fu, Wang, Xu, Pei & Yu: she knows for every set of quasi-identifiers, and every combination of their values, how
frequent each sensitive value is among such people. A possible world deals the values of a group out to its people, and
weighs the product of their chances; p(t : x) is the share of weight in which t has x. For every person the set of
attributes counts that tells most, and whether she looks at one value against all others, or at all of them at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray, number_equal
from discreet.audit.association.association import finds, line_about, line_threshold
from discreet.audit.lines import AT_LEAST, AT_MOST, EXACT, ROUNDED, Line
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.tallies import Summed, summed_up, whole_table
from discreet.audit.reading.view import Promise, ReleaseView, Tally
from discreet.audit.reading.whose import AS_IF
from discreet.audit.worlds.places import places
from discreet.audit.worst_case.knowledge import (
    MIN_SUPPORT,
    Counted,
    Knowledge,
    Known,
    Listed,
    People,
    attribute_sets,
    domain,
    known_by_sets,
    learnt,
    listed_in_words,
)
from discreet.engines.base import Frequencies

if TYPE_CHECKING:
    from discreet.audit.worst_case.worst_case_lanes_kernels import Entries

_MOST_STATES, _WORK = 1 << 17, 1e9  # how much is counted out: of one group, and of all over all sets of attributes
_PARTS, _SIDE_BY_SIDE = 64, 1 << 14  # in which groups are shared out among the cores; small groups in a part
_WORK_OF_ENTRY, _WORK_OF_PART = 100.0, 1e6  # of people who are judged, at least; from which on it is shared out
# Groups of so many people are counted out by other means, where that is too much: if they have few values, fewer where
# nothing hangs on what is believed; with so much work in all.
_LARGE, _FEW_VALUES, _FEW_IF_NOTHING_IS_ASKED, _WORK_OF_LARGE = 100, 7, 3, 3e10
_MOST_FOR_ONE, _WORK_FOR_ONE = 4_000, 1e9  # people of a group of which one value is; steps in all


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What she believes of people: `chance` is exact, `bound` at least as large where not all could be counted out.

    `one` and `one_bound` are the same for an adversary who looks at one value at a time. `contradicted` groups can't be
    as they are published if what she knows is true.
    """

    people: People
    chance: FloatArray
    bound: FloatArray
    one: FloatArray
    one_bound: FloatArray
    contradicted: BoolArray

    @classmethod
    def before(cls, people: People, chance: FloatArray, groups: int) -> Beliefs:
        """What she believes who knows nothing about people."""
        nothing = np.zeros(len(chance))
        return cls(people, chance, nothing, chance, nothing, np.zeros(groups, dtype=np.bool_))

    @property
    def at_most(self) -> FloatArray:
        """A chance that is surely not exceeded."""
        return np.maximum(self.chance, self.bound)

    @property
    def one_value(self) -> Beliefs:
        """Of her who looks at one value at a time."""
        return replace(self, chance=self.one, bound=self.one_bound)


def worst_case(
    view: ReleaseView,
    tally: Tally,
    knowledge: Knowledge | None = None,
    threshold: float | None = None,
    tell: Callable[..., Line] | None = None,
) -> list[Line]:
    """The line of an adversary with worst-case knowledge; none where there is nothing that she could know.

    She knows somebody's exact quasi-identifiers, who else is in the group, and how frequent each value is among people
    like each of them: as counted in the source table or written down, else as she can read it out of a bucketized
    release itself. She wants to know the value, and has won where she is surer of one than the threshold.

    Where groups have too many worlds, the line is a proven bound; a second one then tells what she believes who looks
    at one value at a time, which can be counted out for larger groups. Chances have some ten digits: one that is a
    threshold's equal as far as these go is taken for it (`robust_level` decides ties of the promise in whole numbers).
    Where people have several rows, `tell` makes lines of what is believed of single ones.
    """
    tell = tell or _line
    promise = _promise(view, tally.attribute)
    said: Mapping[str, Any] = promise.parameters if promise else {}
    own_knowledge = knowledge if knowledge is not None else given_knowledge(said)
    people = people_of(view, tally, own_knowledge)
    if people is None or not len(people.group):
        return []
    known = own_knowledge if own_knowledge is not None else learnt(people, tally)
    promised = None
    if promise is not None and own_knowledge is not None and said.get("limit") != "prior":  # else: or what was before
        promised = float(1 / Fraction(str(said["r"])))
    posterior = beliefs(view, tally, people, known, said)
    name = "learnt_association" if own_knowledge is None else "worst_case"
    lines = [tell(view, tally, name, posterior, said, promised, threshold)]
    if (posterior.bound > posterior.chance).any():
        lines.append(tell(view, tally, f"{name}_one_value", posterior.one_value, said, promised, threshold))
    return lines


def _line(
    view: ReleaseView,
    tally: Tally,
    name: str,
    posterior: Beliefs,
    said: Mapping[str, Any],
    promised: float | None,
    threshold: float | None,
) -> Line:
    people, by_bound = posterior.people, posterior.bound > posterior.chance
    placed = int(people.many.sum())
    precision = AT_LEAST if placed < view.people else AT_MOST if by_bound.any() else EXACT
    chance = posterior.chance if precision == AT_LEAST else posterior.at_most
    limit = line_threshold(threshold, promised)
    title, knows, assumes = WORDS[name.removesuffix("_one_value")]
    if name.endswith("_one_value"):
        title, assumes = f"{title}, one value at a time", f"She looks at one value against all others. {assumes}"
    return line_about(
        view,
        tally,
        adversary=name,
        title=title,
        knows=f"{finds(view)} {knows}",
        assumes=view.whose.told("", AS_IF) + assumes,
        chance=chance,
        rounded=ROUNDED,
        people=people.many,
        group=people.group,
        threshold=limit,
        promised=promised,
        precision=precision,
        details={
            "worst_exact": float(posterior.chance.max(initial=0.0)),
            "people_decided_by_a_bound": int(people.many[by_bound].sum()),
            "people_not_placed": view.people - placed,
            "groups_that_contradict_her": int(posterior.contradicted.sum()),
            "min_support": int(said.get("min_support", MIN_SUPPORT)),
        },
    )


WORDS = {
    "worst_case": (
        "knows who is likely to have what",
        "She knows everybody in the group by their exact quasi-identifiers, and how frequent each value is among "
        "people like them, by whichever of their attributes tells most.",
        "What she knows is what was given here. Of people of a rare kind she knows what is true of anybody.",
    ),
    "learnt_association": (
        "reads out of the release who is likely to have what",
        "She knows everybody in the group by their exact quasi-identifiers, and takes from all groups together how "
        "frequent each value is among people like them.",
        "Somebody who knows the true shares (give the source table) may believe more.",
    ),
}


def given_knowledge(said: Mapping[str, Any]) -> Listed | None:
    """The shares that a promise of robustness was made against, if the manifest has them."""
    words = said.get("knowledge")
    return listed_in_words(words) if isinstance(words, list) else None


def people_of(view: ReleaseView, tally: Tally, knowledge: Knowledge | None) -> People | None:
    """The people whose quasi-identifiers she sees, or whom she finds in the groups of a generalized release.

    Only groups are taken that have as many people as values; of a generalized release, only those that the people of
    the source table fill exactly, each of whom fits no other group. None if nobody is seen.
    """
    return view.kind.people(tally, knowledge)


def values_of_groups(view: ReleaseView, tally: Tally) -> IntArray:
    """How many values of an attribute each group has."""
    return np.bincount(tally.group, weights=tally.count, minlength=len(view.sizes)).astype(np.int64)


def placed_people(view: ReleaseView, tally: Tally, knowledge: Counted) -> People | None:
    """The people of the source table who fit one group alone, in groups that nobody else may be in."""
    values = values_of_groups(view, tally)
    listed = _combinations(knowledge)
    where = places(view, listed)
    if where is None:
        return None
    values[where.groups[np.repeat(where.many > 1, where.many)]] = -1  # somebody may be in it or in another one
    alone = where.only >= 0
    codes = tuple(codes[alone].astype(np.int64) for codes in listed.frequencies.codes)
    people = People(
        listed.columns, listed.frequencies.values, codes, where.only[alone], listed.frequencies.counts[alone]
    )
    return filling(people, values)


def filling(people: People, sizes: IntArray) -> People:
    """The people of groups that they fill, group by group."""
    filled = np.bincount(people.group, weights=people.many, minlength=len(sizes)) == sizes
    order = np.argsort(people.group, kind="stable")
    order = order[filled[people.group[order]]]
    codes = tuple(codes[order] for codes in people.codes)
    return People(people.columns, people.values, codes, people.group[order], people.many[order])


def _combinations(knowledge: Counted) -> Population:
    """The distinct quasi-identifiers of a table, without the sensitive attribute."""
    codes, counts = knowledge.frequencies.codes[:-1], knowledge.frequencies.counts
    place = number_equal(codes, len(counts))
    one_of = np.empty(int(place.max(initial=-1)) + 1, dtype=np.int64)  # of each combination, any row that has it
    one_of[place] = np.arange(len(place))
    many = np.bincount(place, weights=counts).astype(np.int64)
    distinct = Frequencies(knowledge.frequencies.values[:-1], tuple(each[one_of] for each in codes), many)
    return Population(knowledge.columns, distinct)


def beliefs(view: ReleaseView, tally: Tally, people: People, knowledge: Knowledge, said: Mapping[str, Any]) -> Beliefs:
    """What she believes, in the end, of everybody: the largest over all sets of attributes."""
    summed = summed_up(tally, len(view.sizes))
    protected = protected_sets(said.get("values"), domain(knowledge, tally))
    posterior = Beliefs.before(people, shares_of_sets(summed, protected)[people.group], len(view.sizes))
    known = sets_of(view, tally, people, knowledge, said)
    judging = Judging(people, summed, protected, len(known))
    for each in reversed(known):  # the largest first: they tell most, and what is known rules out work for others
        posterior = judging.judged(each, posterior)
    return posterior


def sets_of(
    view: ReleaseView, tally: Tally, people: People, knowledge: Knowledge, said: Mapping[str, Any]
) -> Sequence[Known]:
    """What she knows by each set of attributes: those of the promise, or all that are usual."""
    sets = said.get("attribute_sets") or attribute_sets(view.quasi_identifiers)
    support = int(said.get("min_support", MIN_SUPPORT))
    return list(known_by_sets(knowledge, people, tally, whole_table(tally), sets, support))


def protected_sets(values: Sequence[Any] | None, known: Sequence[str | None]) -> BoolArray:
    """A row for each protected value or set of values: which values it has. By default every value by itself.

    >>> protected_sets([["flu", "cold"], "gout"], ["cold", "flu", "gout"]).astype(int).tolist()
    [[1, 1, 0], [0, 0, 1]]
    """
    if values is None:
        return np.eye(len(known), dtype=np.bool_)
    named = [set(word) if isinstance(word, list | tuple) else {word} for word in values]
    return np.array([[value in those for value in known] for those in named], dtype=np.bool_).reshape(-1, len(known))


def shares_of_sets(summed: Summed, protected: BoolArray) -> FloatArray:
    """The largest share of a protected set in each group: what she believes who knows nothing."""
    tally = summed.tally
    largest = np.zeros(len(summed.total))
    if (protected.sum(axis=1) <= 1).all():
        named: BoolArray = np.any(protected, axis=0)
        single = named[tally.value]
        np.maximum.at(largest, tally.group[single], tally.count[single])
    else:
        for those in protected:
            chosen = tally.count * those[tally.value]
            largest = np.maximum(largest, np.bincount(tally.group, weights=chosen, minlength=len(largest)))
    return largest / np.maximum(summed.total, 1)


@dataclass(frozen=True, eq=False)
class Judging:
    """The people and values of all groups, made ready to be judged by one set of attributes after the other.

    `sets` is how many sets there are, among which the work is divided. In large groups, chances are told exactly as far
    as it must be known whether they are more than `most` (or, with `prior`, than was believed before).
    """

    people: People
    summed: Summed
    protected: BoolArray
    sets: int
    most: float = 1.0
    prior: bool = False

    def judged(self, known: Known, so_far: Beliefs) -> Beliefs:
        """What one set of attributes tells of everybody, where it is more than is believed `so_far`; that elsewhere."""
        from discreet.audit.worst_case.worst_case_lanes_kernels import differing  # late: loads numba

        differ = differing(self._entries.starts, known.row[self._by_group])
        worth_one, worth_all = (by_work.worth(differ) for by_work in (self._one, self._all))
        told = replace(
            so_far,
            **{name: getattr(so_far, name).copy() for name in ("chance", "bound", "one", "one_bound", "contradicted")},
        )
        chances = np.ascontiguousarray((known.weight / known.support[:, None]).astype(np.float64))
        small = self._small[(differ & worth_one & worth_all)[self._small]]
        differ[small[~self._judge_side_by_side(small, known.row, chances, told)]] = False
        self._judge_one_by_one(differ, known, chances, worth_one, worth_all, told)
        return told

    def _judge_side_by_side(self, small: IntArray, row: IntArray, chances: FloatArray, told: Beliefs) -> BoolArray:
        """Raise what is known of small groups; which of them are left open."""
        from discreet.audit.worst_case.worst_case_lanes_kernels import judge_side_by_side  # late: loads numba

        left_open = np.zeros(len(small), dtype=np.bool_)
        chance, one = told.chance[self._by_group], told.one[self._by_group]
        row = row[self._by_group]
        parts = range(0, len(small), _SIDE_BY_SIDE)
        _at_once(
            lambda low: judge_side_by_side(
                small[low : low + _SIDE_BY_SIDE],
                *(self._entries, row, chances, chance, one, left_open[low : low + _SIDE_BY_SIDE]),
            ),
            parts,
        )
        told.chance[self._by_group], told.one[self._by_group] = chance, one
        return left_open

    def _judge_one_by_one(
        self,
        groups: BoolArray,
        known: Known,
        chances: FloatArray,
        worth_one: BoolArray,
        worth_all: BoolArray,
        told: Beliefs,
    ) -> None:
        """Raise what is known of all these groups, whatever they are like."""
        those = np.flatnonzero(groups[self.people.group])
        if not len(those):
            return
        # late: loads numba
        from discreet.audit.worst_case.worst_case_kernels import Protected, Raised, Units, Worth, judge, units_of

        tally, width = self.summed.tally, chances.shape[1]
        starts, row, many, place = units_of(
            *(self.people.group[those], known.row[those], self.people.many[those], len(groups), len(known.support))
        )
        told_of = (told.chance, told.bound, told.one, told.one_bound)
        least, bound, one, one_bound = (_smallest(each[those], place, len(row)) for each in told_of)
        named_by = [np.flatnonzero(self.protected[:, v]) for v in range(width)]
        known_of = (
            Units(starts, row, many, self._entries.value_starts, tally.value, tally.count),
            Protected(
                chances,
                np.ascontiguousarray(chances @ self.protected.T.astype(np.float64)),
                self.protected,
                np.cumsum([0, *(len(sets) for sets in named_by)]),
                np.concatenate([*named_by, np.empty(0, dtype=np.int64)]).astype(np.int64),
            ),
            Worth(worth_one, worth_all),
            Raised(least, bound, one, one_bound, told.contradicted),
        )
        # Groups don't know of each other: they are judged side by side, a few at a time, since some take much longer.
        work = self._one.of_groups(groups & worth_one) + self._all.of_groups(groups & worth_all)
        parts = min(_PARTS, 1 + int((work + _WORK_OF_ENTRY * len(those)) / _WORK_OF_PART))
        large = self._large & groups & ~(worth_one & worth_all)
        apart = np.flatnonzero(large)
        cuts = np.unique([*np.linspace(0, len(groups), parts + 1).astype(np.int64), *apart, *apart + 1]).tolist()
        _at_once(lambda ends: judge(*ends, *known_of), [ends for ends in pairwise(cuts) if not large[ends[0]]])
        if len(apart):
            from discreet.audit.worst_case.worst_case_large_kernels import Asked, judge_large

            units, sets_of_values, _, raised = known_of
            asked = Asked(self.most, self.prior, _WORK_OF_LARGE / self.sets / len(apart))
            _at_once(lambda i: judge_large(apart[i : i + 1], units, sets_of_values, raised, asked), range(len(apart)))
        for each, new in zip(told_of, (least, bound, one, one_bound), strict=True):
            each[those] = np.maximum(each[those], new[place])

    @cached_property
    def _by_group(self) -> IntArray | slice:
        """The people group by group; as a rule they stand so."""
        group = self.people.group
        return slice(None) if (group[1:] >= group[:-1]).all() else np.argsort(group, kind="stable")

    @cached_property
    def _entries(self) -> Entries:
        from discreet.audit.worst_case.worst_case_lanes_kernels import Entries  # late: loads numba

        tally, every = self.summed.tally, np.arange(len(self.summed.total) + 1)
        return Entries(
            np.searchsorted(self.people.group[self._by_group], every),
            self.people.many[self._by_group],
            np.searchsorted(tally.group, every),
            tally.value,
            np.any(self.protected, axis=0),
        )

    @cached_property
    def _small(self) -> IntArray:
        """The groups that can be judged side by side, those of one size together.

        Of their values, each there once, at most single ones are asked for.
        """
        from discreet.audit.worst_case.worst_case_lanes_kernels import ONCE  # late: loads numba

        summed, groups = self.summed, len(self.summed.total)
        shared = self.protected[self.protected.sum(axis=1) > 1].any(axis=0)[summed.tally.value]
        small = (summed.distinct <= ONCE) & (summed.distinct == summed.total)
        small &= np.bincount(self.people.group, weights=self.people.many, minlength=groups) == summed.total
        small &= np.bincount(summed.tally.group, weights=shared, minlength=groups) == 0
        chosen = np.flatnonzero(small)
        return chosen[np.argsort(summed.total[chosen], kind="stable")]

    @cached_property
    def _large(self) -> BoolArray:
        """Groups that can be counted out by other means, where that would be too much work."""
        few = _FEW_VALUES if self.most < 1 else _FEW_IF_NOTHING_IS_ASKED
        large: BoolArray = (self.summed.total >= _LARGE) & (self.summed.distinct <= few)
        return large

    @cached_property
    def _all(self) -> _ByWork:
        """The groups whose values are dealt out all at once."""
        tally = self.summed.tally
        logarithms = np.bincount(tally.group, weights=np.log(tally.count + 1.0), minlength=len(self.summed.total))
        states = np.exp(logarithms)
        return _ByWork.of(states * self.summed.distinct, states <= _MOST_STATES, _WORK / self.sets)

    @cached_property
    def _one(self) -> _ByWork:
        """The groups of which one value is dealt out at a time."""
        total = self.summed.total
        return _ByWork.of(total.astype(np.float64) ** 2, total <= _MOST_FOR_ONE, _WORK_FOR_ONE / self.sets)


@dataclass(frozen=True, eq=False)
class _ByWork:
    """How much work each group is, those that are able in the order of it, and how much there may be in all."""

    work: FloatArray
    order: IntArray
    most: float

    @classmethod
    def of(cls, work: FloatArray, able: BoolArray, most: float) -> _ByWork:
        order = np.flatnonzero(able)
        return cls(work, order[np.argsort(work[order], kind="stable")], most)

    def worth(self, groups: BoolArray) -> BoolArray:
        """The cheapest of those that are able, as long as the work of these groups adds up to no more than there may
        be.
        """
        worth = np.zeros(len(groups), dtype=np.bool_)
        work = np.where(groups[self.order], self.work[self.order], 0.0)
        worth[self.order[np.cumsum(work) <= self.most]] = True
        return worth

    def of_groups(self, groups: BoolArray) -> float:
        """How much work some groups are."""
        return float(self.work[groups].sum())


def _at_once(act: Callable[[Any], None], parts: Iterable[Any]) -> None:
    """Do something to each part, as many at a time as there are cores."""
    each = list(parts)
    if len(each) < 2:
        for part in each:
            act(part)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(act, part) for part in each]:
            done.result()


def _smallest(numbers: FloatArray, place: IntArray, places: int) -> FloatArray:
    least = np.full(places, np.inf)
    np.minimum.at(least, place, numbers)
    return least


def _promise(view: ReleaseView, attribute: str) -> Promise | None:
    """The promise of robustness, if there is one for this attribute."""
    return next((p for p in view.promises if p.model == "robust" and p.attribute in (None, attribute)), None)
