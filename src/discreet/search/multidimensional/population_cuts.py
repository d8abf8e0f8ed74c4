"""Boxes of a population's domain, how they may be cut, and which cuts keep every promise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.groups import Groups, Outside, rows_together, tally
from discreet.models.base import AboutPopulation, all_hold
from discreet.search.multidimensional.partition import cover
from discreet.search.multidimensional.population_kernels import (
    Crowd,
    Cuts,
    Domain,
    Members,
    all_cuts,
    parts_of_rows,
    share_out,
    widen,
)
from discreet.search.plan import Problem

_PLACES = 64  # where a long range of leaves is tried to be cut
_FIRST = 4  # the best cuts are judged first, then four times as many, and so on


@dataclass(frozen=True, eq=False)
class Boxes:
    """Box i shows the leaves ``low[i, d]..high[i, d]`` of attribute d; no two have a combination of leaves in common.

    `rows` are the combinations of the table in each, `people` those of the population, `origin` what each came from.
    """

    low: Codes
    high: Codes
    rows: Members
    people: Members
    origin: IntArray

    def __len__(self) -> int:
        return len(self.low)

    def take(self, which: IntArray) -> Boxes:
        """Some of the boxes, in the order asked for."""
        low, high = self.low[which], self.high[which]
        return Boxes(low, high, _taken(self.rows, which), _taken(self.people, which), self.origin[which])


def together(parts: list[Boxes]) -> Boxes:
    """Boxes one after the other."""
    return Boxes(
        np.concatenate([b.low for b in parts]),
        np.concatenate([b.high for b in parts]),
        _joined([b.rows for b in parts]),
        _joined([b.people for b in parts]),
        np.concatenate([b.origin for b in parts]),
    )


class Cutter:
    """Cuts boxes, and asks the models about the parts: each judged as it would be published."""

    def __init__(self, problem: Problem):
        f = problem.frequency
        self.frequency: FrequencySet = f
        self.domain = _domain(f)
        self.table = _crowd(f.codes, f.counts)
        nobody = np.empty(0, dtype=np.int64)
        people = f.population or Population(tuple(nobody.astype(np.int32) for _ in f.codes), nobody)
        self.population = _crowd(people.codes, people.counts)
        self.visits = 0  # so many combinations were looked at: what the search has cost so far
        self._models = problem.models
        self._simple = [model for model in problem.models if not model.attribute]
        self._tallied = [model for model in problem.models if model.attribute]

    @cached_property
    def may_drop(self) -> bool:
        """May it be told of people that they are in no group, as none of them is in the table?"""
        f = self.frequency
        none = np.empty((0, len(f.codes)), dtype=np.int32)
        nothing = Groups(
            np.empty(0, dtype=np.int64),
            population=None if f.population is None else np.empty(0, dtype=np.int64),
            outside=None if f.marginals is None else Outside(none, none, f.marginals),
            elsewhere=0 if f.population is None else f.population.size,
        )
        rests = [model.rest(nothing) for model in self._models if isinstance(model, AboutPopulation)]
        return all(rest is None or rest[0] for rest in rests)

    def whole(self) -> Boxes:
        """Everything in one box."""
        high = (self.domain.leaves - 1).astype(np.int32)[None, :]
        rows, people = (
            Members(np.arange(n, dtype=np.int64), np.array([0, n], dtype=np.int64))
            for n in (len(self.table.counts), len(self.population.counts))
        )
        return self.shrunk(Boxes(np.zeros_like(high), high, rows, people, np.zeros(1, dtype=np.int64)))

    def shrunk(self, boxes: Boxes) -> Boxes:
        """The smallest publishable boxes with the same people, where it is known who there is.

        Marginals don't tell: with them a smaller box has fewer people, and so it must be judged as a cut.
        """
        if self.frequency.marginals is not None:
            return boxes
        low, high = boxes.high.copy(), boxes.low.copy()
        widen(low, high, self.table, boxes.rows)
        widen(low, high, self.population, boxes.people)
        for d, hierarchy in enumerate(self.frequency.hierarchies):
            low[:, d], high[:, d] = cover(hierarchy, low[:, d], high[:, d])
        return replace(boxes, low=low, high=high)

    def cuts(self, boxes: Boxes) -> Cuts:
        """Every cut of every box, judged or not."""
        self.visits += len(boxes.rows.entry) + len(boxes.people.entry)
        crowds = self.table, boxes.rows, self.population, boxes.people
        cuts: Cuts = all_cuts(boxes.low, boxes.high, self.domain, *crowds, _PLACES)
        return cuts

    def best(self, boxes: Boxes, cuts: Cuts, score: FloatArray, kind: IntArray, kinds: int) -> IntArray:
        """Of the cuts of each kind, the one with the best score that keeps every promise, if there is one."""
        order = np.lexsort((-score, kind))
        rank = np.empty(len(kind), dtype=np.int64)
        rank[order] = np.arange(len(kind)) - np.searchsorted(kind[order], kind[order])
        best_cut = np.full(kinds, -1, dtype=np.int64)
        start, end, last = 0, _FIRST, int(rank.max(initial=-1))
        while start <= last:
            candidates = order[(rank[order] >= start) & (rank[order] < end) & (best_cut[kind[order]] < 0)]
            good = candidates[self.hold(boxes, cuts, candidates)][::-1]
            best_cut[kind[good]] = good  # the last one written is the first in order
            start, end = end, 4 * end
        return best_cut[best_cut >= 0]

    def hold(self, boxes: Boxes, cuts: Cuts, chosen: IntArray) -> BoolArray:
        """Which of these cuts leave only parts that keep every promise."""
        if not len(chosen):
            return np.empty(0, dtype=np.bool_)
        good = np.ones(len(chosen), dtype=np.bool_)
        part, cut = _parts(cuts, chosen)
        if not self.may_drop:
            good[cut[(cuts.rows[part] == 0) & self._possible(boxes, cuts, part, chosen[cut])]] = False
        filled = cuts.rows[part] > 0
        part, cut = part[filled], cut[filled]
        # Most cuts that fail do so in the part with the most rows for its people: that one is asked about first.
        ends = np.searchsorted(cut, np.arange(len(chosen)))
        crowded = cuts.rows[part] / np.maximum(cuts.people[part], 1)
        first = np.zeros(len(part), dtype=np.bool_)
        first[np.lexsort((-crowded, cut))[ends]] = True
        for turn in (first, ~first):
            at = np.flatnonzero(turn & good[cut])
            if len(at):
                fails = ~all_hold(self._simple, self._groups(boxes, cuts, part[at], chosen[cut[at]]))
                good[cut[at[fails]]] = False
        if self._tallied and good.any():
            good[good] = self._tallies_hold(boxes, cuts, chosen[good])
        return good

    def cut(self, boxes: Boxes, cuts: Cuts, chosen: IntArray) -> Boxes:
        """The parts of the chosen cuts that have rows; their origin is the place of the cut among those chosen."""
        crowds = self.table, boxes.rows, self.population, boxes.people
        parts = share_out(boxes.low, boxes.high, cuts, chosen, *crowds)
        return self.shrunk(Boxes(parts.low, parts.high, parts.rows, parts.people, parts.of_cut))

    def sizes(self, boxes: Boxes) -> IntArray:
        """How many rows each box has."""
        return _sums(self.table.counts, boxes.rows)

    def people(self, boxes: Boxes) -> IntArray | None:
        """How many of the population each box has, where there is one."""
        return None if self.frequency.population is None else _sums(self.population.counts, boxes.people)

    def loss(self, boxes: Boxes) -> FloatArray:
        """What publishing each box costs its rows together."""
        cost: FloatArray = (boxes.high - boxes.low) @ self.domain.weight
        return cost * self.sizes(boxes)

    def groups(self, boxes: Boxes) -> Groups:
        """What the models see if these boxes are published."""
        f, n = self.frequency, len(boxes)
        group = np.repeat(np.arange(n), np.diff(boxes.rows.starts))
        entry, people = boxes.rows.entry, self.people(boxes)
        tallies = {
            name: tally(group, codes[entry], f.counts[entry], n, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in f.sensitive.items()
        }
        return Groups(
            self.sizes(boxes),
            tallies,
            population=people,
            outside=None if f.marginals is None else Outside(boxes.low, boxes.high, f.marginals),
            elsewhere=0 if f.population is None or people is None else f.population.size - int(people.sum()),
            together=rows_together(f, entry, f.counts[entry], group, n),
        )

    def _groups(self, boxes: Boxes, cuts: Cuts, part: IntArray, cut: IntArray) -> Groups:
        """These parts of these cuts, as the models that need no tallies see them."""
        outside, known = None, self.frequency.population is not None
        if self.frequency.marginals is not None:
            low, high = boxes.low[cuts.box[cut]], boxes.high[cuts.box[cut]]
            at = np.arange(len(part)), cuts.attribute[cut]
            low[at], high[at] = cuts.low[part], cuts.high[part]
            outside = Outside(low, high, self.frequency.marginals)
        return Groups(cuts.rows[part], population=cuts.people[part] if known else None, outside=outside)

    def _possible(self, boxes: Boxes, cuts: Cuts, part: IntArray, cut: IntArray) -> BoolArray:
        """Could there be anybody in these parts?"""
        outside = self._groups(boxes, cuts, part, cut).outside
        possible: BoolArray = cuts.people[part] > 0 if outside is None else np.all(outside.possible > 0, axis=1)
        return possible

    def _tallies_hold(self, boxes: Boxes, cuts: Cuts, chosen: IntArray) -> BoolArray:
        """The same for promises about sensitive values."""
        f = self.frequency
        part, cut = _parts(cuts, chosen)
        group, entry = parts_of_rows(cuts, chosen, self.table, boxes.rows)
        tallies = {
            name: tally(
                group,
                f.sensitive[name][entry],
                f.counts[entry],
                len(part),
                f.totals[name],
                f.sensitive_hierarchies[name],
            )
            for name in {model.attribute for model in self._tallied}
        }
        good = np.ones(len(chosen), dtype=np.bool_)
        together = rows_together(f, entry, f.counts[entry], group, len(part))
        good[cut[~all_hold(self._tallied, Groups(cuts.rows[part], tallies, together=together))]] = False
        return good


def _domain(f: FrequencySet) -> Domain:
    leaves = np.array([len(h.leaves) for h in f.hierarchies], dtype=np.int64)
    levels = [np.concatenate(h.codes).astype(np.int32) for h in f.hierarchies]
    running = () if f.marginals is None else f.marginals.running
    return Domain(
        leaves,
        np.array([h.height for h in f.hierarchies], dtype=np.int64),
        np.array([h.ranges for h in f.hierarchies], dtype=np.bool_),
        np.array([h.unit for h in f.hierarchies], dtype=np.int64),
        np.cumsum([0, *(len(codes) for codes in levels)])[:-1].astype(np.int64),
        np.concatenate([np.empty(0, dtype=np.int32), *levels]),
        1.0 / (np.maximum(leaves - 1, 1) * len(leaves)),
        np.concatenate([np.empty(0, dtype=np.int64), *running]),
        np.cumsum([0, *(len(r) for r in running)])[:-1].astype(np.int64),
    )


def _crowd(codes: tuple[Codes, ...], counts: IntArray) -> Crowd:
    return Crowd(np.array(codes, dtype=np.int32).reshape(len(codes), len(counts)), counts)


def _parts(cuts: Cuts, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """All parts of these cuts, and for each the place of its cut among them."""
    many = cuts.starts[chosen + 1] - cuts.starts[chosen]
    return _runs(cuts.starts[chosen], many), np.repeat(np.arange(len(chosen)), many)


def _runs(start: IntArray, many: IntArray) -> IntArray:
    """start, start + 1, … so many each, one after the other."""
    ends = np.cumsum(many)
    result: IntArray = np.repeat(start - (ends - many), many) + np.arange(ends[-1] if len(ends) else 0)
    return result


def _taken(members: Members, which: IntArray) -> Members:
    many = members.starts[which + 1] - members.starts[which]
    starts = np.concatenate([[0], np.cumsum(many)]).astype(np.int64)
    return Members(members.entry[_runs(members.starts[which], many)], starts)


def _joined(parts: list[Members]) -> Members:
    many = np.concatenate([np.diff(m.starts) for m in parts])
    return Members(np.concatenate([m.entry for m in parts]), np.concatenate([[0], np.cumsum(many)]).astype(np.int64))


def _sums(counts: IntArray, members: Members) -> IntArray:
    before = np.concatenate([[0], np.cumsum(counts[members.entry])])
    sums: IntArray = before[members.starts[1:]] - before[members.starts[:-1]]
    return sums
