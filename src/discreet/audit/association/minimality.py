"""The release was made as exact as its promises allowed: what was not published finer would have broken one.

Wong, Fu, Wang & Pei 2007 (minimality attack). Whoever knows the quasi-identifiers of everybody in the table can work
out what a finer release would have looked like. If all its groups are large enough, it was refused because of the
sensitive values, and that tells something about them.

Her worlds are those in which the published release is as it is *and* the finer one breaks a promise; all are
equally likely.
She heeds one step at a time: one attribute one level finer in the whole table (a global recoding whose search is
optimal), or one cut at the median of one group (Mondrian). Of several steps she takes, for everybody, the most telling.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import FloatArray, IntArray, number_equal
from discreet.audit.association.refused_splits import BY_VALUE, MOST_PARTS, Demands
from discreet.audit.lines import ASSOCIATION, ESTIMATE, EXACT, ROUNDED, Line, line
from discreet.audit.promises.limits import Demand, fewest_people, limits_of
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.hierarchy_levels import at_level
from discreet.audit.reading.labels import Values
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.reading.whose import AS_IF
from discreet.audit.worlds.places import places

THRESHOLD = 0.5
MOST_TABLES = 20_000  # ways to deal out the values of one group that are gone through; else some are drawn
MOST_STEPS = 400_000  # of dealing them out value by value, where promises allow it
SAMPLES, FEWEST, MOST_DEALT, MOST_BITS = 2_000, 100, 20_000_000, 60
_AT_HAND = 1 << 16  # random numbers that are drawn at once
_SETS = 64  # of parts that break a promise, for which there is room at first
MOST_SUMS = 10_000_000  # groups times people who may be left out
_NUMBERS = {"intervals", "cuts", "quantiles"}  # rules of columns that Mondrian cuts at the median
_GLOBAL, _MONDRIAN = "generalization", "multidimensional"
_TO_THE_END = ("optimal", "incognito", "optimize")  # searches for the best


@dataclass(frozen=True)
class Goal:
    """What the finer release would have had to keep: groups of at least k, and promises about one attribute."""

    k: int
    attribute: str
    kinds: IntArray
    limits: FloatArray
    factor: FloatArray


@dataclass(frozen=True, eq=False)
class Step:
    """One step finer: the part of its group that each combination on the list would be in.

    Of a `together` step all groups go at once, and it is refused if more than `spare` people are in parts that fail;
    otherwise each group is split or not by itself.
    """

    part: IntArray
    together: bool
    spare: int = 0


def goal(view: ReleaseView) -> Goal | None:
    """What the search was after, if that is a number of people and promises about the values of one attribute."""
    attributes: set[str] = set()
    demands: list[Demand] = []
    for promise in view.promises:
        asked = limits_of(promise).demands
        if asked is None:
            return None
        if asked:
            demands += asked
            attributes |= {promise.attribute} if promise.attribute else {tally.attribute for tally in view.tallies}
    if len(attributes) != 1:
        return None
    k = math.ceil(fewest_people(view.promises) or 1)
    kind, limit, factor = zip(*demands, strict=True)
    return Goal(k, attributes.pop(), np.array(kind), np.array(limit), np.array(factor))


def minimality(view: ReleaseView, listed: Population, threshold: float | None = None) -> list[Line]:
    """What she concludes from what was not published. Nothing if she can't: no minimal search, or no such promises.

    `listed` must be the people in the table: those on the list must fill every group.
    """
    aim, fitting_groups = goal(view), places(view, listed) if view.kind.labelled else None
    if aim is None or fitting_groups is None or not {*view.quasi_identifiers} <= {*listed.columns}:
        return []
    group, people = fitting_groups.only, np.asarray(listed.frequencies.counts, dtype=np.int64)
    filled = np.bincount(group[group >= 0], weights=people[group >= 0], minlength=len(view.sizes))
    if (group == -2).any() or not np.array_equal(filled, view.sizes):
        return []
    steps = [*_steps(view, listed, group, people, aim)]
    if not steps:
        return []
    tally = next(t for t in view.tallies if t.attribute == aim.attribute)
    known = _Known(view, tally, aim, group, people)
    plain = known.shares.max(axis=1)[group[group >= 0]]
    chance = plain.copy()
    for step in steps:
        np.maximum(chance, known.after(step)[group >= 0], out=chance)
    chance = np.round(chance, 12)
    learned = chance > plain + (0.01 if known.too_many else 1e-9)  # random worlds are off by about so much
    return [
        line(
            adversary="minimality",
            threat=ASSOCIATION,
            title="knows how the release was made",
            knows="Everybody's exact quasi-identifiers, who is in the table, the promises, and that nothing finer that "
            "keeps them was left unpublished.",
            assumes=view.whose.told("", AS_IF)
            + "That a finer release which was not published would have broken a promise about "
            f"{aim.attribute}, and that all ways in which it would have are equally likely. One finer step is weighed "
            "at a time.",
            chance=chance,
            rounded=ROUNDED,
            people=people[group >= 0],
            group=group[group >= 0],
            sizes=view.sizes,
            threshold=THRESHOLD if threshold is None else threshold,
            first_line=view.first_line,
            file=view.file,
            precision=ESTIMATE if known.too_many or known.heeded > 1 else EXACT,
            attribute=aim.attribute,
            details={
                "worst_without_knowing_it": float(plain.max(initial=0.0)),
                "people_of_whom_it_tells_more": int(people[group >= 0][learned].sum()),
                "finer_releases_refused_for_their_values": len(steps),
                "groups_judged_by_random_worlds": len(known.too_many),
            },
            whose=view.whose,
        )
    ]


def _to_the_end(said: Mapping[str, Any]) -> bool:
    """Does the release tell that the best there is was looked for to the end? Older ones say it in so many words."""
    if "facts" in said:
        return bool((said["facts"] or {}).get("optimal"))
    timed = (said.get("policy") or {}).get("time_limit") is not None
    return said.get("search") in _TO_THE_END and not timed and "applied" not in said


def _steps(view: ReleaseView, listed: Population, group: IntArray, people: IntArray, aim: Goal) -> Iterator[Step]:
    """The finer releases that she knows were refused, and not for the size of their groups."""
    said = view.manifest
    levels, rules = said.get("node") or {}, said.get("hierarchies") or {}
    at_once = said.get("publish") == _GLOBAL and _to_the_end(said)
    cut = said.get("publish") == _MONDRIAN and said.get("search") == "mondrian"
    for name in view.quasi_identifiers:
        at = listed.columns.index(name)
        values, code = listed.frequencies.values[at], np.asarray(listed.frequencies.codes[at], dtype=np.int64)
        if at_once and int(levels.get(name, 0)) > _finest(said, name):
            finer = at_level(rules.get(name, {}), int(levels[name]) - 1, values)
            if finer is not None:
                part = _numbered(group, finer[code])
                sizes = np.bincount(part, weights=people)
                small = people[(sizes[part] < aim.k) | (group < 0)].sum()
                spare = int(said["rows"].get("limit", 0)) - int(small)
                if spare >= 0:
                    yield Step(part, together=True, spare=spare)
        elif cut and _NUMBERS & {*rules.get(name, {})}:
            numbers = Values(values).numbers
            if (said.get("ranges") or {}).get(name) == "hierarchy":
                numbers = _begins(numbers, at_level(rules[name], _unit(rules[name]), values))
            if not np.isnan(numbers).any():
                yield Step(_numbered(group, _halves(group, numbers[code], people)), together=False)


def _finest(said: Mapping[str, Any], name: str) -> int:
    """The finest level that the policy allowed a column: below it nobody looked."""
    attributes = (said.get("policy") or {}).get("attributes") or {}
    allowed = (attributes.get(name) or {}).get("levels") or 0
    return int(allowed[0] if isinstance(allowed, list) else allowed)


def _unit(rule: Mapping[str, Any]) -> int:
    """The finest level of several numbers each: between two of these a range is cut that ends on boundaries."""
    widths = rule.get("intervals") or ()
    return 1 + sum(float(width) == 1 for width in widths) if not rule.get("decimals") else 1


def _begins(numbers: FloatArray, node: IntArray | None) -> FloatArray:
    """For each number the smallest of those that become the same; as it is where that can't be told."""
    if node is None or np.isnan(numbers).any():
        return numbers
    smallest = np.full(int(node.max(initial=-1)) + 1, np.inf)
    np.minimum.at(smallest, node, numbers)
    return smallest[node]


def _numbered(group: IntArray, key: IntArray) -> IntArray:
    return number_equal([group + 1, key], len(group))


def _halves(group: IntArray, number: FloatArray, people: IntArray) -> IntArray:
    """Below or above the cut of each group that comes closest to halves; of two as close, the lower one."""
    upper = np.zeros(len(group), dtype=np.int64)
    order = np.lexsort((number, group))
    g, n = group[order], number[order]
    running = np.cumsum(people[order])
    first, last = np.searchsorted(g, g), np.searchsorted(g, g, side="right") - 1
    before = running[first] - people[order][first]
    off = np.abs(2 * (running - before) - (running[last] - before))
    ends = np.flatnonzero(np.append((n[1:] != n[:-1]) & (g[1:] == g[:-1]), False))  # a cut after each but the last
    best = ends[np.lexsort((n[ends], off[ends], g[ends]))]
    cut_group, first_best = np.unique(g[best], return_index=True)
    cut = np.full(int(group.max(initial=-1)) + 2, np.inf)
    cut[cut_group] = n[best[first_best]]
    upper[number > cut[group]] = 1
    return upper


class _Known:
    """What she knows of the groups, and what a refused step adds."""

    def __init__(self, view: ReleaseView, tally: Tally, aim: Goal, group: IntArray, people: IntArray):
        self.aim, self.group, self.people = aim, group, people
        self.by_value = {*aim.kinds.tolist()} <= {*BY_VALUE}
        self.counts = np.zeros((len(view.sizes), len(tally.values)), dtype=np.int64)
        self.counts[tally.group, tally.value] = tally.count
        self.shares: FloatArray = self.counts / view.sizes[:, None]
        whole = self.counts.sum(axis=0)
        self.table: FloatArray = whole / max(int(whole.sum()), 1)
        self.too_many: set[int] = set()
        self.heeded = 0  # steps that may tell something; of several, each is weighed as if it were the only one
        self.random = np.random.PCG64(1)  # the same figures in every run
        self.bits: NDArray[np.uint32] = np.empty(0, dtype="<u4")  # drawn and not used yet

    def after(self, step: Step) -> FloatArray:
        """The largest posterior about the people of each combination once a step is known to have been refused."""
        parts = int(step.part.max(initial=-1)) + 1
        sizes = np.bincount(step.part, weights=self.people, minlength=parts).astype(np.int64)
        of_part = np.zeros(parts, dtype=np.int64)
        of_part[step.part] = self.group
        chance = np.where(of_part >= 0, self.shares.max(axis=1)[of_part], 0.0)
        many = np.bincount(of_part[of_part >= 0], minlength=len(self.counts))
        judged = np.bincount(of_part[(of_part >= 0) & (sizes >= self.aim.k)], minlength=len(self.counts))
        split = (many > 1) & (judged > 0 if step.together else judged == many)
        order = np.argsort(of_part, kind="stable")
        starts = np.searchsorted(of_part[order], np.arange(len(self.counts) + 1))
        weighed = []
        for g in np.flatnonzero(split):
            own = order[starts[g] : starts[g + 1]]
            worlds = self._weighed(int(g), own[sizes[own] >= self.aim.k], own[sizes[own] < self.aim.k], sizes)
            if worlds is not None:
                weighed.append(worlds)
        self.heeded += bool(weighed)
        if step.together and len(weighed) * (step.spare + 1) > MOST_SUMS:
            self.too_many |= {int(of_part[one.parts[0]]) for one in weighed}
        elif step.together:
            _refused_together(weighed, step.spare, chance)
        else:
            for one in weighed:
                one.tell((one.broken > 0).astype(np.float64), chance)
        return chance[step.part]

    def _weighed(self, g: int, large: IntArray, small: IntArray, sizes: IntArray) -> _Weighed | None:
        has = np.flatnonzero(self.counts[g])
        counts, table = self.counts[g][has], self.table[has]
        demands = Demands(self.aim.kinds, self.aim.limits, self.aim.factor, table, float(1 - table.sum()))
        if len(large) <= MOST_PARTS:
            sets = 2 ** len(large)
            chance, held = np.zeros(sets), np.zeros((sets, len(large) + (len(small) > 0), len(has)))
            if self._counted(counts, sizes[large], int(sizes[small].sum()), demands, chance, held):
                occurring = np.flatnonzero(chance > 0)
                if not occurring.any():  # nothing of it can fail: why the step was refused tells nothing of this group
                    return None
                return _Weighed(large, small, sizes, occurring, chance[occurring], held[occurring])
        self.too_many.add(g)
        return self._sampled(counts, large, small, sizes, demands)

    def _counted(
        self, counts: IntArray, parts: IntArray, free: int, demands: Demands, chance: FloatArray, held: FloatArray
    ) -> bool:
        """All worlds, value by value where promises allow it, else table by table; False if that is too much."""
        # late: loads numba
        from discreet.audit.association.refused_splits_by_value_kernels import weigh_by_value
        from discreet.audit.association.refused_splits_kernels import weigh

        if self.by_value:
            falling = np.argsort(-counts, kind="stable")
            if weigh_by_value(counts, falling, parts, free, demands, MOST_STEPS, chance, held):
                return True
        cells = min(held.shape[1] - 1, 3)
        expected = float(np.prod((counts + 1.0) ** cells)) / (counts.sum() + 1.0) ** 0.5
        if expected > 50 * MOST_TABLES:
            return False
        chance[:], held[:] = 0.0, 0.0
        return bool(weigh(counts, parts, free, demands, MOST_TABLES, chance, held))

    def _sampled(
        self, counts: IntArray, large: IntArray, small: IntArray, sizes: IntArray, demands: Demands
    ) -> _Weighed | None:
        """The same from random worlds."""
        from discreet.audit.association.refused_splits_kernels import Drawn, draw  # late: loads numba

        worlds = min(SAMPLES, MOST_DEALT // int(counts.sum()))
        if worlds < SAMPLES // 10 or len(large) > MOST_BITS:
            return None
        parts = np.array([*sizes[large], *([sizes[small].sum()] if len(small) else [])])
        at = np.zeros(3, dtype=np.int64)
        sets, many = np.zeros((2, _SETS), dtype=np.int64)
        held = np.empty((_SETS, len(parts), len(counts)))
        while not draw(self.bits, counts, parts, len(large), demands, worlds, Drawn(sets, many, held, at)):
            if at[2] == len(sets):  # more room for sets
                sets, many = (np.concatenate([each, np.zeros_like(each)]) for each in (sets, many))
                held = np.concatenate([held, np.empty_like(held)])
            else:
                fresh = self.random.random_raw(_AT_HAND).astype("<u8", copy=False).view("<u4")
                self.bits, at[0] = np.concatenate([self.bits[at[0] :], fresh]), 0
        self.bits = self.bits[at[0] :]
        order = np.argsort(sets[: at[2]])
        return _Weighed(large, small, sizes, sets[order], many[order] / worlds, held[order], worlds)


class _Weighed:
    """One group: which of its parts break a promise how likely, and what they have then."""

    def __init__(
        self,
        large: IntArray,
        small: IntArray,
        sizes: IntArray,
        sets: IntArray,
        chance: FloatArray,
        held: FloatArray,
        sampled: int = 0,
    ):
        self.parts, self.small, self.sizes = large, small, sizes
        self.chance, self.held, self.sampled = chance, held, sampled
        bits = (sets[:, None] >> np.arange(len(large))) & 1
        self.broken: IntArray = bits @ sizes[large]  # how many people are in parts that fail

    def tell(self, likelihood: FloatArray, chance: FloatArray) -> None:
        """Put down the posteriors, given how likely the refusal is for each set of failing parts."""
        total = float(self.chance @ likelihood)
        if total <= 0:
            return  # the step could not have been refused: it was never tried
        if self.sampled and total * self.sampled < FEWEST:
            return  # too few worlds to tell anything from
        held = np.tensordot(likelihood, self.held, axes=1) / total
        for j, part in enumerate(self.parts):
            chance[part] = held[j].max() / self.sizes[part]
        if len(self.small):
            chance[self.small] = held[-1].max() / self.sizes[self.small].sum()


def _refused_together(groups: list[_Weighed], spare: int, chance: FloatArray) -> None:
    """The step was refused as a whole: in all groups together, more than `spare` people are in parts that fail."""
    none = np.zeros(spare + 1)
    none[0] = 1.0
    before, after = [none], [none]  # chances that 0, …, spare people fail in the groups before, after each one
    for one in groups:
        before.append(_with(before[-1], one))
    for one in reversed(groups):
        after.append(_with(after[-1], one))
    after.reverse()
    for i, one in enumerate(groups):
        within = np.cumsum(after[i + 1])
        likelihood = np.ones(len(one.broken))
        for s, fails in enumerate(one.broken):
            left = spare - int(fails)
            if left >= 0:
                likelihood[s] -= before[i][: left + 1] @ within[: left + 1][::-1]
        one.tell(np.maximum(likelihood, 0.0), chance)


def _with(chances: FloatArray, one: _Weighed) -> FloatArray:
    result = np.zeros_like(chances)
    for fails, chance in zip(one.broken, one.chance, strict=True):
        if fails < len(chances):
            result[int(fails) :] += chance * chances[: len(chances) - int(fails)]
    return result
