"""A release of ART in the making: groups that hold, and who has none yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import DiscreetError, Mistake
from discreet.models.base import all_hold, least_rows
from discreet.models.parameters import exact
from discreet.models.robust.robust import Robust
from discreet.models.robust.sizes import ineligible, unhidable
from discreet.progress import Progress
from discreet.search.art.index import index_of, stock_of, table_of
from discreet.search.art.people import Index, Limits, Stock, Table
from discreet.search.plan import Bucketization, Problem


@dataclass(frozen=True, eq=False)
class Gathered:
    """Groups of single rows: group g has the combinations ``offsets[g]:offsets[g + 1]`` of `rows`."""

    offsets: IntArray
    rows: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> IntArray:
        return np.diff(self.offsets)

    @property
    def group(self) -> IntArray:
        """The group of each row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def only(self, which: BoolArray) -> Gathered:
        """Some of them."""
        return gathered(self.sizes[which], self.rows[which[self.group]])

    def joined_by(self, rows: IntArray) -> Gathered:
        """Each with one more row.

        >>> gathered(np.array([2, 1]), np.array([7, 8, 9])).joined_by(np.array([5, 6])).rows
        array([7, 8, 5, 9, 6])
        """
        return Gathered(self.offsets + np.arange(len(self.offsets)), np.insert(self.rows, self.offsets[1:], rows))

    def merged(self, which: IntArray) -> Gathered:
        """Per row of `which`, all these groups as one.

        >>> gathered(np.array([2, 1, 1]), np.array([7, 8, 9, 5])).merged(np.array([[2, 0], [1, 2]])).rows
        array([5, 7, 8, 9, 5])
        """
        sizes = self.sizes[which]
        often = sizes.ravel()
        inside = np.arange(often.sum()) - np.repeat(np.cumsum(often) - often, often)
        return gathered(sizes.sum(axis=1), self.rows[np.repeat(self.offsets[which].ravel(), often) + inside])


def gathered(sizes: IntArray, rows: IntArray) -> Gathered:
    """Groups of these sizes, one after the other."""
    return Gathered(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), rows)


def together(*parts: Gathered) -> Gathered:
    """All groups of all parts."""
    none = np.zeros(0, dtype=np.int64)
    return gathered(np.concatenate([none, *(p.sizes for p in parts)]), np.concatenate([none, *(p.rows for p in parts)]))


class Kept(NamedTuple):
    """What was decided at some time: groups that hold, who had none, and how many joined a group."""

    parts: list[Gathered]
    stock: Stock
    merges: int


@dataclass(eq=False)
class Draft:
    """What is decided so far (`parts`: groups that hold), and who has no group yet (`stock`)."""

    problem: Problem
    robust: Robust
    table: Table
    index: Index
    stock: Stock
    rng: np.random.Generator
    progress: Progress
    starts: IntArray  # in `table.chances`, of each attribute set
    parts: list[Gathered] = field(default_factory=list)
    failed: Gathered = field(default_factory=together)  # the last groups that could not be made to hold
    merges: int = 0
    times: int = 1  # in how many groups with protected values those stand who are asked now
    judge: Callable[[Gathered], BoolArray] | None = None  # where people have several rows

    @property
    def done(self) -> Gathered:
        """All groups that hold."""
        self.parts = [together(*self.parts)]
        return self.parts[0]

    @property
    def r(self) -> float:
        return float(exact(self.robust.r)) * self.times

    @property
    def smallest(self) -> int:
        """How many rows every group needs that is not alone."""
        return max(2, least_rows(self.problem.models))

    @property
    def least(self) -> int:
        """How many rows every group with a protected value needs."""
        return max(ceil(exact(self.robust.r) * self.times), self.smallest)

    @property
    def most(self) -> int:
        """How many rows a group of several protected values grows to."""
        return max(16, 3 * self.least)

    @property
    def repeated(self) -> float:
        """What it costs to have an unprotected value again: less than nothing if no other promise is about them."""
        others = any(model.attribute and model is not self.robust for model in self.problem.models)
        return 0.01 if others else -0.01

    def limits(self, least: int, most: int, kinds: int, tries: int) -> Limits:
        """What groups of so many people must be, and how far to look for members."""
        return Limits(self.r, least, most, kinds, tries, self.repeated)

    @property
    def protected(self) -> BoolArray:
        """Which combinations have a protected value."""
        of_value: BoolArray = np.diff(self.table.set_offsets) > 0
        return of_value[self.table.values]

    def holds(self, groups: Gathered) -> BoolArray:
        """Which groups keep every promise: the last word."""
        if self.judge is not None:
            return self.judge(groups)
        return all_hold(self.problem.models, self.groups_of(groups))

    def groups_of(self, groups: Gathered) -> Groups:
        """What the models see of them."""
        return Bucketization(self.problem.frequency, groups.rows, np.ones_like(groups.rows), groups.group).groups

    def not_alone(self) -> BoolArray:
        """Combinations whose rows without a group would break a promise if they had one of their own."""
        f, left = self.problem.frequency, self.stock.left
        rows = np.flatnonzero(left > 0)
        broken = np.zeros(len(f.counts), dtype=np.bool_)
        if self.judge is not None:
            holds = self.judge(gathered(left[rows], rows))
        else:
            alone = Bucketization(f, rows, left[rows], np.arange(len(rows))).groups
            holds = all_hold(self.problem.models, alone)
        broken[rows[~holds]] = True
        return broken

    def priors(self, rows: IntArray) -> FloatArray:
        """How likely a row of each combination has its own (protected) value beforehand, at most."""
        t = self.table
        prior: FloatArray = t.inside[t.signatures[t.kind[rows]], t.values[rows][:, None]].max(axis=1).astype(np.float64)
        return prior

    def most_likely(self, rows: IntArray) -> FloatArray:
        """How likely a row of each combination has any protected value (or one of a set) beforehand, at most."""
        t = self.table
        of_row = t.inside[:, np.diff(t.set_offsets) > 0].max(axis=1, initial=0)
        most: FloatArray = of_row[t.signatures[t.kind[rows]]].max(axis=1).astype(np.float64)
        return most

    def kept(self) -> Kept:
        """What is decided now, to `go_back` to."""
        stock = Stock(*(array.copy() for array in self.stock))
        return Kept(list(self.parts), stock, self.merges)

    def go_back(self, kept: Kept) -> None:
        """As it was then."""
        self.parts, self.merges = list(kept.parts), kept.merges
        self.stock = Stock(*(array.copy() for array in kept.stock))

    def in_random_order(self, rows: IntArray) -> IntArray:
        """Combinations of whom nobody should come first for being first in the table."""
        return self.rng.permutation(rows)

    def tell(self) -> None:
        rows = self.problem.frequency.rows
        self.progress("search", rows - int(self.stock.left.sum()), rows, f"{sum(map(len, self.parts)):,} groups")


def start(problem: Problem, progress: Progress) -> Draft:
    """Everybody alone. Raises `Infeasible` if a protected value is too frequent for any grouping."""
    guides = [model for model in problem.models if isinstance(model, Robust)]
    if len(guides) != 1:
        rule = f"art is guided by one promise robust, and there are {len(guides)}"
        raise DiscreetError(Mistake("require", rule, "require robust once, or take another search"))
    f, robust = problem.frequency, guides[0]
    limit = problem.suppression_limit
    refusal = ineligible(f, robust, limit) or unhidable(f, robust, limit)
    if refusal is not None:
        raise refusal
    progress("search", 0, 0, "who knows what")
    knowledge = robust.knowledge_of(f)
    table = table_of(f, robust.attribute, knowledge, _protected_sets(robust, problem))
    index = index_of(table, f.counts)
    stock = stock_of(table, index, f.counts.copy())
    rng = np.random.default_rng(problem.seed)
    return Draft(problem, robust, table, index, stock, rng, progress, knowledge.starts[:-1])


def _protected_sets(robust: Robust, problem: Problem) -> list[Codes]:
    """The protected sets of values, as leaves."""
    hierarchy = problem.frequency.sensitive_hierarchies[robust.attribute]
    sets = [(leaf,) for leaf in hierarchy.leaves] if robust.values is None else robust.values
    return [np.array([hierarchy.index[v] for v in s if v in hierarchy.index], dtype=np.int32) for s in sets]
