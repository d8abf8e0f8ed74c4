"""t-closeness: what a group says about the sensitive value is close to what the whole table says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.groups import Groups, Tally
from discreet.models.exact import MARGIN, decide, pairs
from discreet.models.groups.shares import lost_to_caps, table_shares
from discreet.models.parameters import Choice, Name, Number, Parameter, Parameterized, Threshold, as_text, exact
from discreet.models.promise import SHIFT, VALUES, Promise, Setting, Words, read_as


@dataclass(frozen=True)
class TCloseness(Parameterized):
    """Each group's distribution of the sensitive value is within a distance t of that of the whole table.

    Li, Li & Venkatasubramanian 2007. The distance is the earth mover's: the least work that turns one distribution into
    the other, where moving a share from value u to value v costs, per unit,

    - *equal*: 1 for any two values. The work is half the sum of absolute differences.
    - *ordered*: how many values apart they are, out of the largest possible (m − 1), in the order of the attribute's
      hierarchy. As in the paper and in ARX, the m values are those of the table; values that only the hierarchy
      knows do not stretch the scale. The work is the sum of absolute differences of cumulative shares, over m − 1.
    - *hierarchical*: the level at which they become the same value, out of the height of the hierarchy. The work is the
      mean, over all levels below ``*``, of the equal distance on that level: the paper's sum over inner nodes, since
      what must leave a node of level i pays one level there and meets its destination at or above level i + 1.

    The table is the whole table, with the rows that will be suppressed, as in ARX. Monotone: each distance is convex.

    >>> from discreet.models.examples import groups_of
    >>> groups = groups_of("disease", ["flu", "flu", "cold"], ["flu", "cold", "cold"])
    >>> TCloseness(0.2, "disease").holds(groups), TCloseness(0.2, "disease").level(groups).round(3)
    (array([ True,  True]), array([0.167, 0.167]))
    """

    t: Threshold
    attribute: str
    distance: str = "equal"
    monotone = True
    higher_is_safer = False
    word = "t_closeness"
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "t": Number(0, 1, closed=True, why="no distance reaches 1, so t = 1 promises nothing"),
        "distance": Choice(("equal", "ordered", "hierarchical")),
        "attribute": Name(),
    }

    def holds(self, groups: Groups) -> BoolArray:
        return self._verdict(groups, self.level(groups))

    def level(self, groups: Groups) -> FloatArray:
        from discreet.models.groups import kernels

        t = groups.tallies[self.attribute]
        distances: FloatArray
        if self.distance == "equal":
            distances = kernels.equal_distances(t.offsets, t.values, t.counts, groups.sizes, table_shares(t))
        elif self.distance == "ordered":
            below = np.cumsum(table_shares(t)[t.reference > 0])
            distances = kernels.ordered_distances(t.offsets, t.values, t.counts, groups.sizes, _rank(t), below)
        else:
            distances = kernels.hierarchical_distances(
                t.offsets, t.values, t.counts, groups.sizes, _levels(t), table_shares(t)
            )
        return distances

    def least_suppressed(self, groups: Groups) -> IntArray:
        from discreet.models.groups import bounds

        t, most = groups.tallies[self.attribute], float(exact(self.t))
        distances = self.level(groups)
        holds = self._verdict(groups, distances)
        if self.distance == "equal":
            return lost_to_caps(groups, t, table_shares(t), holds, 1 - most)
        farthest = _farthest_in_order(t) if self.distance == "ordered" else _farthest_in_hierarchy(t)
        least: IntArray = bounds.lost_to_distance(t.offsets, t.values, groups.sizes, holds, distances, most, farthest)
        return least

    def beyond_help(self, groups: Groups, rows: int) -> BoolArray:
        """Without r of n rows the table is at most r/n away from what it was, and so is every group from it.

        In order, distances also change where the last row of a value goes: then nothing is proven.
        """
        t = groups.tallies[self.attribute]
        if self.distance == "ordered" and (t.reference[t.reference > 0] <= rows).any():
            return np.zeros(len(groups), dtype=np.bool_)
        nearer = rows / max(int(t.reference.sum()), 1)
        return self.level(groups) - nearer > float(exact(self.t)) + MARGIN

    def require(self) -> str:
        return f"at most {as_text(self.t)}"

    def describe(self) -> str:
        return f"{as_text(self.t)}-closeness of {self.attribute} ({self.distance} distance)"

    def _verdict(self, groups: Groups, distances: FloatArray) -> BoolArray:
        t, most = groups.tallies[self.attribute], exact(self.t)
        work = {"equal": _equal_work, "ordered": _ordered_work, "hierarchical": _hierarchical_work}[self.distance]

        def exactly(group: int) -> bool:
            done, whole = work(t, dict(pairs(t, group)))
            return done * most.denominator <= most.numerator * whole

        return decide(distances, float(most), exactly)


def _rank(t: Tally) -> IntArray:
    """The place of each leaf among the values that the table has."""
    return np.cumsum(t.reference > 0) - 1


def _levels(t: Tally) -> Codes:
    """What each leaf is on every level below ``*``."""
    return np.array(t.hierarchy.codes[:-1], dtype=np.int32)


def _farthest_in_order(t: Tally) -> FloatArray:
    """The ordered distance of each single value to the table."""
    share, rank = table_shares(t), _rank(t)
    below, moment = np.cumsum(share), np.cumsum(share * rank)
    left = rank * below - moment
    right = (moment[-1] - moment) - rank * (1 - below)
    result: FloatArray = (left + right) / max(int(rank[-1]), 1)
    return result


def _farthest_in_hierarchy(t: Tally) -> FloatArray:
    """The hierarchical distance of each single value to the table."""
    share, levels = table_shares(t), _levels(t)
    same = [np.bincount(codes, weights=share)[codes] for codes in levels]
    result: FloatArray = 1 - np.mean(same, axis=0)
    return result


def _equal_work(t: Tally, counts: dict[int, int]) -> tuple[int, int]:
    """The equal distance of one group as a fraction of two integers."""
    return _surplus(counts, dict(enumerate(t.reference.tolist())))


def _ordered_work(t: Tally, counts: dict[int, int]) -> tuple[int, int]:
    """The ordered distance of one group as a fraction of two integers."""
    n, rows = sum(counts.values()), int(t.reference.sum())
    domain = np.flatnonzero(t.reference).tolist()
    behind = accumulate(counts.get(value, 0) * rows - int(t.reference[value]) * n for value in domain)
    return sum(abs(step) for step in behind), n * rows * max(len(domain) - 1, 1)


def _hierarchical_work(t: Tally, counts: dict[int, int]) -> tuple[int, int]:
    """The hierarchical distance of one group as a fraction of two integers."""
    levels = _levels(t).tolist()
    work = whole = 0
    for codes in levels:
        here, table = dict.fromkeys(codes, 0), dict.fromkeys(codes, 0)
        for value, count in counts.items():
            here[codes[value]] += count
        for value, count in enumerate(t.reference.tolist()):
            table[codes[value]] += count
        surplus, whole = _surplus(here, table)
        work += surplus
    return work, whole * len(levels)


def _surplus(counts: dict[int, int], reference: dict[int, int]) -> tuple[int, int]:
    """What a group has more of than the table, as a fraction of two integers."""
    n, rows = sum(counts.values()), sum(reference.values())
    return sum(max(0, count * rows - reference[value] * n) for value, count in counts.items()), n * rows


def _sentence(parameters: Words, column: str, setting: Setting) -> str:
    distance = f"{parameters['t']}{setting.whose.counted}"
    return f"In every group, {column} is distributed as in the whole table, up to a distance of {distance}."


T_CLOSENESS = Promise(
    TCloseness.word,
    "{t: 0.2, distance: equal}",
    read_as(TCloseness, "{t: 0.2, distance: equal}"),
    _sentence,
    about=frozenset({VALUES, SHIFT}),
    examples=tuple({"t": 0.9, "distance": distance} for distance in ("equal", "ordered", "hierarchical")),
    beside_others=True,
)
