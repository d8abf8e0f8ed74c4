"""Plans that a re-check can confirm: the published groups keep their promises among themselves, too.

t-closeness and its like compare a group with "the whole table". A search takes the source for it; a reader of the
release has the published rows alone. A plan is *confirmed* if

- every group that is published keeps every promise against the source,
- every group that is published keeps every promise against all that is published,
- of every value that a promise names a row is published (else that there is a release tells who has it), and
- no more rows are left out than the limit allows (and, of promises about a population, the people left out may be).

The first is a question about single groups: those that fail are left out, as in every search. If those that stay don't
keep their promises among themselves, more have to go, which changes what the others are compared with: leaving out one
of two groups that fail may help the other, or a group that fails may be saved by leaving out one that doesn't. So the
ways to leave groups out are searched, the cheapest first; of equally cheap ones that with the fewest rows. Nothing that
is decided here looks at more than the counts and the policy.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Infeasible, shown
from discreet.models.base import PrivacyModel, all_hold, beyond_help, compares, hidden_values, may_leave_out

JUDGEMENTS = 2_000  # sets of groups that are judged for one node, at most
JUDGEMENTS_IN_ALL = 100_000  # and in one search


@dataclass(frozen=True, eq=False)
class Confirmed:
    """The cheapest confirmed plan found among some groups, and what is proven of all of them."""

    left_out: IntArray | None  # groups to leave out beside those that fail against the source; None: nothing was found
    least: float  # no confirmed plan costs less than this; infinite if there is none that costs less than was asked
    judgements: int


def hides_a_value(models: Sequence[PrivacyModel], published: Groups) -> Infeasible | None:
    """The error if every row of a value that a promise names would be suppressed, were these groups published."""
    for model in models:
        if hidden := hidden_values(model, published):
            values = "a value that it names" if len(hidden) == 1 else f"{len(hidden)} values that it names"
            return Infeasible(
                f"{model.describe()}: every row with {values} would be suppressed, and that there is a release at all "
                "would tell what the suppressed rows have",
                repair=f"lower suppress, or give {shown(model.attribute)} a taxonomy that lists what is possible",
            )
    return None


def may_differ(models: Sequence[PrivacyModel]) -> bool:
    """Can a promise be kept against the source and broken against the published rows?"""
    return any(map(compares, models))


def confirm(
    models: Sequence[PrivacyModel],
    groups: Groups,
    holds: BoolArray,
    limit: int,
    price: Callable[[IntArray], float],
    most: float = math.inf,
    judgements: int = JUDGEMENTS,
    listen: Callable[[], None] | None = None,
    prices: Callable[[IntArray, IntArray], list[float]] | None = None,
) -> Confirmed:
    """The cheapest set of groups to leave out, beside those that don't hold, so that the others are confirmed.

    `price` is what leaving a set of groups out costs in all, and does not fall if the set grows. Only what costs less
    than `most` is of interest. After so many `judgements` the search ends, and `least` tells how good it can be.
    `listen` is called before each of them: who ends the search raises there. `prices` may tell faster what a set costs
    if one more of some groups is left out, of each of these.
    """
    if hides_a_value(models, groups.where(holds)) is not None:  # and so it does if more is left out
        return Confirmed(None, math.inf, 0)
    search = _Search(models, groups, holds, limit, price, prices, most, judgements, listen)
    search.greedily()
    least = search.cheapest_first()
    return Confirmed(search.best, least, search.judged)


class _Open(NamedTuple):
    """All ways to leave out these groups and perhaps others, but none of those that stay.

    They are taken in the order of their fields; no two that are open leave out the same groups.
    """

    price: float
    rows: int
    left_out: tuple[int, ...]
    stay: int  # bits, by the places of the groups among the removable


class _Search:
    """Branch and bound over sets of groups: a group that fails is left out, or it stays and others have to go."""

    def __init__(
        self,
        models: Sequence[PrivacyModel],
        groups: Groups,
        holds: BoolArray,
        limit: int,
        price: Callable[[IntArray], float],
        prices: Callable[[IntArray, IntArray], list[float]] | None,
        most: float,
        judgements: int,
        listen: Callable[[], None] | None,
    ):
        self._listen = listen
        self._owned = groups  # for promises about a population's people
        groups = replace(groups, owners=None)  # against the source they hold already, and no reader knows whose rows
        self._models, self._groups, self._holds, self._price = models, groups, holds, price
        self._prices = prices or self._one_by_one
        self._comparing = [model for model in models if compares(model)]
        self._kept = holds & (groups.sizes > 0)
        self._spare = limit - int(groups.sizes[~holds].sum())
        # Small groups first: they cost least, and most ways are left open.
        order = np.argsort(groups.sizes, kind="stable")
        order = order[self._kept[order] & (groups.sizes[order] <= self._spare)]
        self._removable, self._sizes = order.tolist(), groups.sizes[order].tolist()
        self._bit = {g: 1 << i for i, g in enumerate(self._removable)}
        self._allowed = judgements
        self.judged = 0
        self.best: IntArray | None = None
        self._to_beat = most, 0  # price, and rows left out besides

    def greedily(self) -> None:
        """Leave out whatever fails until nothing does: often it is the cheapest way, and always one to start from."""
        left_out: tuple[int, ...] = ()
        while self.judged < self._allowed:
            failing, _ = self._judge(left_out)
            if not len(failing):
                self._take(left_out)
                return
            left_out = tuple(sorted({*left_out, *failing.tolist()}))
            if self._rows(left_out) > self._spare:
                return

    def cheapest_first(self) -> float:
        """Search until the best is proven or the judgements are used up; the price that nothing can undercut."""
        queue = [_Open(self._price(_array(())), 0, (), 0)]
        while queue:
            now = heapq.heappop(queue)
            if (now.price, now.rows) >= self._to_beat:
                break
            if self.judged >= self._allowed:
                return now.price
            failing, lost = self._judge(now.left_out)
            if not len(failing) and self._take(now.left_out):
                break
            for child in self._children(now, failing, lost):
                heapq.heappush(queue, child)
        return math.inf if self.best is None else self._to_beat[0]

    def _children(self, now: _Open, failing: IntArray, lost: IntArray) -> list[_Open]:
        """The same with one more group left out, and those stay that came before it: first the ones that fail."""
        if len(lost):  # whatever else is left out, these fail: they have to go
            return self._without(now, lost.tolist())
        small = self._removable[: bisect_right(self._sizes, self._spare - now.rows)]
        gone, fails = set(now.left_out), set(failing.tolist())
        undecided = [g for g in small if not now.stay & self._bit[g] and g not in gone]
        undecided.sort(key=lambda g: g not in fails)
        children, stay = [], now.stay
        for g, price in zip(undecided, self._prices(_array(now.left_out), _array(undecided)), strict=True):
            rows = now.rows + int(self._groups.sizes[g])
            if (price, rows) < self._to_beat:
                children.append(_Open(price, rows, tuple(sorted((*now.left_out, g))), stay))
            stay |= self._bit[g]
        return children

    def _one_by_one(self, left_out: IntArray, more: IntArray) -> list[float]:
        return [self._price(np.append(left_out, g)) for g in more]

    def _without(self, now: _Open, more: list[int]) -> list[_Open]:
        """The same with more groups left out, if that may be."""
        left_out = tuple(sorted({*now.left_out, *more}))
        rows = self._rows(left_out)
        if rows > self._spare or any(now.stay & self._bit[g] for g in more):
            return []
        price = self._price(_array(left_out))
        return [_Open(price, rows, left_out, now.stay)] if (price, rows) < self._to_beat else []

    def _judge(self, left_out: tuple[int, ...]) -> tuple[IntArray, IntArray]:
        """The groups that fail among those that stay; and those of them that fail whatever else is left out."""
        if self._listen is not None:
            self._listen()
        self.judged += 1
        chosen = self._kept.copy()
        chosen[list(left_out)] = False
        if not chosen.any():
            return _array(()), _array(())
        among = self._groups.where(chosen).among_themselves()
        number = np.flatnonzero(chosen)
        fails = ~all_hold(self._comparing, among)
        if not fails.any():
            return _array(()), _array(())
        lost = fails & beyond_help(self._comparing, among, self._spare - self._rows(left_out))
        return number[fails], number[lost]

    def _take(self, left_out: tuple[int, ...]) -> bool:
        """Remember it if it is cheaper, and if the people left out may be; is it the best now?"""
        chosen = self._holds.copy()
        chosen[list(left_out)] = False
        cost = self._price(_array(left_out)), self._rows(left_out)
        if cost >= self._to_beat or not may_leave_out(self._models, self._owned, chosen, chosen):
            return False
        if hides_a_value(self._models, self._groups.where(chosen)) is not None:
            return False
        self.best, self._to_beat = _array(left_out), cost
        return True

    def _rows(self, left_out: tuple[int, ...]) -> int:
        return int(self._groups.sizes[list(left_out)].sum())


def _array(groups: Sequence[int]) -> IntArray:
    return np.array(groups, dtype=np.int64)
