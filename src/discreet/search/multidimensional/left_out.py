"""Which rows a multidimensional search leaves out: as few as let the others keep every promise, then whoever costs the
others more than he would lose himself.

A row that is left out loses everything, 1 for each of its values. *First* it must be possible at all. Promises that
survive merging can be kept by some grouping of some rows only if these rows keep them as one group; so it is enough to
ask how few rows must go until all the others do. Where one value is too common that is answered exactly: its rows go
until it is as common as the promise allows. *Then* groups are trimmed: without its few youngest, a group may be
published by a narrower range of ages. That is done where it costs less than it saves, the largest saving for a row
first, and what has become narrower is cut further. Both steps lower the loss or leave it, so that nothing that may be
left out ever makes a release worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.counts.frequency import Seats
from discreet.counts.groups import Groups, tally
from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.models.base import all_hold, least_rows
from discreet.models.others_known import asks_for_others
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.confirmed import hides_a_value
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional.cutting import children, cut_down
from discreet.search.multidimensional.partition import Partition, cover, groups_of, hold
from discreet.search.out_of_reach import out_of_reach
from discreet.search.plan import Problem

_PAIRS = 2_000_000  # of a limit and a value, judged at once
_GAIN = 1e-9  # smaller gains are rounding
_CAPS = 64  # that are tried where a person's rows stay together


def one_group(problem: Problem) -> Partition:
    """Everybody together, or as many as keep every promise: what every multidimensional search falls back on.

    Raises `Infeasible` if more rows than may be suppressed would have to be left out.
    """
    f = problem.frequency
    fragile = [model.describe() for model in problem.models if not model.monotone]
    if fragile:
        raise DiscreetError(
            Mistake(
                "publish",
                "a multidimensional search needs promises that survive merging two groups; "
                f"{' and '.join(fragile)} may break",
                "publish by generalization, or change the promise",
            )
        )
    groups = groups_of(f, np.arange(len(f.counts)), f.counts, np.zeros(len(f.counts), dtype=np.int64), 1)
    if not f.rows or all_hold(problem.models, groups).all():
        return together(problem, f.counts)
    published = _published(problem) if problem.suppression_limit else None
    if published is None:
        refuse(problem, groups)
    return together(problem, published)


def refuse(problem: Problem, everybody: Groups) -> NoReturn:
    """All rows together break a promise, whoever of them may be left out."""
    beyond = out_of_reach(problem.models, problem.frequency, problem.suppression_limit)
    # Which rows to leave out is not always found where several are one person's.
    found = "was found that keeps" if problem.suppression_limit else "keeps"
    raise Infeasible(
        f"no grouping {found} every promise" if beyond is None else beyond.rule,
        closest="all rows in one group",
        witness=witness(problem.models, everybody),
        repair="weaken a promise, or allow more rows to be suppressed" if beyond is None else beyond.repair,
    )


def together(problem: Problem, counts: IntArray) -> Partition:
    """So many rows of each combination as one group; no group, if there are none."""
    row = np.flatnonzero(counts)
    return Partition(problem.frequency, row, counts[row], np.zeros(len(row), dtype=np.int64))


def _published(problem: Problem) -> IntArray | None:
    """How many rows of each combination stay, if the others may be left out and all who stay hold as one group."""
    counts = problem.frequency.counts
    for attribute in sorted({model.attribute for model in problem.models} & problem.frequency.sensitive.keys()):
        if any(asks_for_others(model) for model in problem.models if model.attribute == attribute):
            continue  # a cap on one column does not tell what stands beside it
        counts = _capped(problem, attribute, counts)
        if _holds(problem, counts):
            return counts
    seats = problem.frequency.seats
    some = None if seats is None else _seats_under_caps(problem, seats)
    try:  # promises for which the commonest values are not the matter
        plan = optimal(problem if seats is None else replace(problem, frequency=seats.apart))
    except Infeasible:
        return some
    counts = plan.published
    if seats is not None:  # all rows with the same quasi-identifiers stay, or none
        counts = np.where(counts[seats.entry[seats.starts[:-1]]] > 0, problem.frequency.counts, 0)
    if not _holds(problem, counts):
        return some
    return counts if some is None or some.sum() <= counts.sum() else some


def _holds(problem: Problem, counts: IntArray) -> bool:
    some = together(problem, counts)
    left = problem.frequency.rows - int(counts.sum())
    if left > problem.suppression_limit:
        return False
    return bool(hold(problem, some.row, some.count, some.group, some.groups).all())


def _seats_under_caps(problem: Problem, seats: Seats) -> IntArray | None:
    """The same, where a person's rows stay together: without the seats of those whose values are too common.

    Of a value with more rows than a cap those seats go that have fewest rows with other values, until it has no more.
    """
    f, rows = seats.apart, problem.frequency.counts
    of_entry = np.empty(len(f.counts), dtype=np.int64)
    of_entry[seats.entry] = np.repeat(np.arange(len(rows)), np.diff(seats.starts))
    for attribute in sorted({model.attribute for model in problem.models} & f.sensitive.keys()):
        if any(asks_for_others(model) for model in problem.models if model.attribute == attribute):
            continue
        code = f.sensitive[attribute]
        totals = np.bincount(code, weights=f.counts, minlength=len(f.totals[attribute])).astype(np.int64)
        for cap in np.unique(np.linspace(1, totals.max(), _CAPS).astype(np.int64))[::-1].tolist():
            stays = np.ones(len(rows), dtype=np.bool_)
            for value in np.flatnonzero(totals > cap).tolist():
                own = np.bincount(of_entry, weights=np.where(code == value, f.counts, 0), minlength=len(rows)) * stays
                having = np.flatnonzero(own)
                having = having[np.argsort((rows[having] - own[having]) / own[having], kind="stable")]
                before = np.cumsum(own[having]) - own[having]
                stays[having[before < own.sum() - cap]] = False
            some = np.where(stays, rows, 0)
            if rows.sum() - some.sum() > problem.suppression_limit:
                break  # under a lower cap more have to go
            if _holds(problem, some):
                return some
    return None


def _capped(problem: Problem, attribute: str, counts: IntArray) -> IntArray:
    """The rows that stay if no value of an attribute may have more than a number of rows: the largest that will do.

    A cap takes rows of the commonest values alone. The lower it is, the less common they are among those who stay, so
    that for a limit on shares (l-diversity, α) no smaller set of rows would do. If no cap will do, all stay.
    """
    f = problem.frequency
    models = [model for model in problem.models if model.attribute in ("", attribute)]
    code = f.sensitive[attribute]
    totals = np.bincount(code, weights=counts, minlength=len(f.totals[attribute])).astype(np.int64)
    at_once = max(3, _PAIRS // max(len(totals), 1))
    low, high = 1, int(totals.max())
    while True:
        caps = np.unique(np.linspace(low, high, min(at_once, high - low + 1)).astype(np.int64))
        holds = all_hold(models, _groups_under(problem, attribute, totals, caps))
        if not holds.any():
            return counts
        best = int(np.flatnonzero(holds)[-1])
        low, high = int(caps[best]), int(caps[min(best + 1, len(caps) - 1)])
        if high - low <= 1:
            return _first(problem, counts, code, np.minimum(totals, low))


def _groups_under(problem: Problem, attribute: str, totals: IntArray, caps: IntArray) -> Groups:
    """What models see of all rows together under each cap."""
    f = problem.frequency
    counts = np.minimum(totals, caps[:, None])
    group, value = np.nonzero(counts)
    hierarchy = f.sensitive_hierarchies[attribute]
    values = tally(group, value.astype(np.int32), counts[group, value], len(caps), f.totals[attribute], hierarchy)
    return Groups(counts.sum(axis=1), {attribute: values})


def _first(problem: Problem, counts: IntArray, code: Codes, most: IntArray) -> IntArray:
    """Of each value so many rows at most, those with common quasi-identifiers first: they need company least."""
    f = problem.frequency
    rarity = np.zeros(len(counts))
    for d, codes in enumerate(f.codes):
        # A leaf that stands for others, which were looked at together, may have no rows of its own.
        rarity -= np.log(np.maximum(f.rows_by_leaf(d)[codes], 1) / f.rows)
    order = np.lexsort((rarity, code))
    running = np.cumsum(counts[order]) - counts[order]
    begins = np.searchsorted(code[order], np.arange(len(most)))
    before = running - np.append(running, 0)[begins][code[order]]
    stay = np.empty_like(counts)
    stay[order] = np.clip(most[code[order]] - before, 0, counts[order])
    return stay


def trimmed(problem: Problem, start: Partition, progress: Progress = silent) -> Partition:
    """`start` (which must hold) without the rows that cost the others more than they lose, and cut further.

    If `start` can be published with what it leaves out (`stands`), so can the result.
    """
    partition, most = start, problem.suppression_limit
    while partition.groups and (room := min(problem.suppression_limit - partition.suppressed, most)) > 0:
        gone = _trim(problem, partition, room)
        if not gone.any():
            break
        stays = np.flatnonzero(~gone)
        rest = replace(partition, row=partition.row[stays], count=partition.count[stays], group=partition.group[stays])
        rest = standing(problem, cut_down(problem, rest))
        if stands(problem, rest) and rest.loss < partition.loss:
            partition, most = rest, 2 * most
            progress("search", 0, 0, f"loss {partition.loss:.5f}, {partition.groups:,} groups")
        else:  # the others are compared with fewer: perhaps not with half as many fewer
            most = int(partition.count[gone].sum()) // 2
    return partition


def _trim(problem: Problem, partition: Partition, room: int) -> BoolArray:
    """Which entries go: of every group at most those beyond one side of an attribute, or of all children but one."""
    order = np.argsort(partition.group, kind="stable")
    starts = np.searchsorted(partition.group[order], np.arange(partition.groups + 1))
    sizes = np.bincount(partition.group, weights=partition.count, minlength=partition.groups).astype(np.int64)
    group, attribute, low, high = _proposals(problem, partition, sizes, room)
    entries = starts[group + 1] - starts[group]
    proposal = np.repeat(np.arange(len(group)), entries)
    nth = np.arange(len(proposal)) - np.repeat(np.cumsum(entries) - entries, entries)
    entry = order[starts[group][proposal] + nth]
    codes = np.stack(partition.frequency.codes) if partition.frequency.codes else np.zeros((1, 0), dtype=np.int32)
    leaf = codes[attribute[proposal], partition.row[entry]]
    stays = (leaf >= low[proposal]) & (leaf <= high[proposal])
    kept = replace(
        partition, row=partition.row[entry[stays]], count=partition.count[entry[stays]], group=proposal[stays]
    )
    left = np.bincount(kept.group, weights=kept.count, minlength=len(group)).astype(np.int64)
    goes = sizes[group] - left
    costs = kept.costs if len(group) else np.empty(0)
    gain = partition.costs[group] * sizes[group] - costs * left - goes * partition.most
    good = (gain > _GAIN) & hold(problem, kept.row, kept.count, kept.group, len(group))
    best = _best_of_each(np.flatnonzero(good), group, gain)
    best = best[np.argsort(-gain[best] / goes[best], kind="stable")]
    best = best[np.cumsum(goes[best]) <= room]
    gone = np.zeros(len(partition.group), dtype=np.bool_)
    gone[entry[np.isin(proposal, best) & ~stays]] = True
    return gone


def _proposals(
    problem: Problem, partition: Partition, sizes: IntArray, room: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Groups with an attribute and the leaves of it that stay: for each group and attribute the best of each kind.

    What is saved is estimated by that attribute alone: rows that go may make others narrower, too.
    """
    least = least_rows(problem.models)
    lows, highs = partition.covers
    found: list[tuple[IntArray, ...]] = []
    for d, h in enumerate(partition.frequency.hierarchies):
        leaves = len(h.leaves)
        codes = partition.frequency.codes[d][partition.row].astype(np.int64)
        place, at = np.unique(partition.group * leaves + codes, return_inverse=True)
        rows = np.bincount(at.reshape(-1), weights=partition.count).astype(np.int64)
        group, leaf = place // leaves, place % leaves
        first = np.append(True, group[1:] != group[:-1])
        last = np.append(first[1:], True)
        begins, ends = np.flatnonzero(first)[group], np.flatnonzero(last)[group]
        running = np.cumsum(rows)
        before = running - rows - (running - rows)[begins]
        upto = before + rows
        kinds = [
            (group[~first], leaf[~first], leaf[ends][~first], before[~first]),
            (group[~last], leaf[begins][~last], leaf[~last], (sizes[group] - upto)[~last]),
        ]
        if h.unit or not h.ranges:
            child = children(h, leaf.astype(np.int32), lows[group, d], highs[group, d])
            opens = np.append(True, (child[1:] != child[:-1]) | first[1:])
            closes = np.append(opens[1:], True)
            inside = upto[closes] - before[opens]
            kinds.append((group[opens], leaf[opens], leaf[closes], sizes[group[opens]] - inside))
        for group, low, high, goes in kinds:
            narrow = cover(h, low.astype(np.int32), high.astype(np.int32))
            width = (highs[group, d] - lows[group, d]) - (narrow[1] - narrow[0])
            saved = width / max(leaves - 1, 1) / len(partition.frequency.hierarchies)
            stay = sizes[group] - goes
            gain: FloatArray = saved * stay - goes * (partition.most - partition.costs[group])
            best = _best_of_each(
                np.flatnonzero((goes > 0) & (goes <= room) & (stay >= least) & (gain > _GAIN)), group, gain
            )
            found.append((group[best], np.full(len(best), d), low[best], high[best]))
    none = (np.empty(0, dtype=np.int64),) * 4
    group, attribute, low, high = (np.concatenate(parts) for parts in zip(none, *found, strict=True))
    return group, attribute, low, high


def _best_of_each(some: IntArray, group: IntArray, gain: FloatArray) -> IntArray:
    """Of these, the one with the largest gain in each group."""
    order = some[np.lexsort((-gain[some], group[some]))]
    best: IntArray = order[np.unique(group[order], return_index=True)[1]]
    return best


def stands(problem: Problem, partition: Partition) -> bool:
    """Can it be published with what it leaves out?

    Promises that compare with the whole table must be kept against the published rows alone, too: nobody who
    re-checks a release has others. And a value that a promise names must not vanish: that there is a release would
    tell that somebody who was left out has it.
    """
    comparing = [model for model in problem.models if model.attribute]
    if not partition.suppressed or not comparing:
        return True
    merged = partition.merged()
    groups = groups_of(partition.frequency, merged.row, merged.count, merged.group, merged.groups)
    return bool(all_hold(comparing, groups.among_themselves()).all()) and hides_a_value(comparing, groups) is None


def standing(problem: Problem, partition: Partition) -> Partition:
    """The same, where groups that don't stand by themselves are together, with as few others as needed.

    That changes nothing in what groups are compared with. If not even all together stand, it is left as it was.
    """
    if stands(problem, partition):
        return partition
    f = problem.frequency
    alone = replace(problem, frequency=f.of(f.counts - partition.left_out))
    merged = partition.merged()
    if not hold(alone, merged.row, merged.count, np.zeros_like(merged.group), 1).all():
        return partition
    holds = hold(alone, merged.row, merged.count, merged.group, merged.groups)
    number = np.where(holds, np.cumsum(holds) - 1, -1)
    return with_everybody(alone, replace(merged, group=number[merged.group]))


def with_everybody(problem: Problem, some: Partition) -> Partition:
    """Rows without a group (−1) make one together; if that fails, with as few of the cheapest groups as needed."""
    missing = some.group < 0
    if not missing.any():
        return some
    rest = some.groups
    group = np.where(missing, rest, some.group)
    order = np.argsort(_Joining.of(replace(some, group=group)).costs(rest)[:rest], kind="stable")
    joining = 0
    while True:
        joins = np.isin(group, order[:joining]) | missing
        here = np.flatnonzero(joins)
        if hold(problem, some.row[here], some.count[here], np.zeros(len(here), dtype=np.int64), 1).all():
            break
        if joining >= rest:  # all of them hold together, but for promises that don't survive merging
            break
        joining = max(1, 2 * joining)
    merged = np.unique(np.where(joins, rest, group), return_inverse=True)[1].reshape(-1)
    return replace(some, group=merged)


def survive_merging(problem: Problem, merged: Partition) -> bool:
    """Do all groups hold, of which some may have been merged because they look alike?"""
    if all(map(problem.survives_merging, problem.models)):
        return True
    return bool(hold(problem, merged.row, merged.count, merged.group, merged.groups).all())


def holding(problem: Problem, partition: Partition, fallback: Partition) -> Partition:
    """The partition as it will be published, where groups that look alike are one, if that holds.

    People who stand in several groups don't add up, so that two groups which hold may not hold together. Such a group
    is joined with the one that costs least; if that leads nowhere, `fallback` (which must hold) is published.
    """
    merged = partition.merged()
    while not survive_merging(problem, merged):
        if merged.groups <= 1:
            return fallback
        holds = hold(problem, merged.row, merged.count, merged.group, merged.groups)
        merged = _joined(merged, np.flatnonzero(~holds)).merged()
    return merged


@dataclass(frozen=True, eq=False)
class _Joining:
    """What it would cost to join groups: their first and last leaves, how far these may lie apart, and their rows."""

    low: Codes
    high: Codes
    widest: IntArray
    sizes: FloatArray

    @classmethod
    def of(cls, partition: Partition) -> _Joining:
        low, high = partition.covers
        widest = np.array([max(len(h.leaves) - 1, 1) for h in partition.frequency.hierarchies])
        sizes = np.bincount(partition.group, weights=partition.count, minlength=partition.groups).astype(np.float64)
        return cls(low, high, widest, sizes)

    def costs(self, group: int) -> FloatArray:
        """The loss that each group, joined with this one, adds at least: a taxonomy may ask for more."""
        together = (np.maximum(self.high, self.high[group]) - np.minimum(self.low, self.low[group])) / self.widest
        apart = (self.high - self.low) / self.widest
        costs: FloatArray = together.sum(axis=1) * (self.sizes + self.sizes[group]) - apart.sum(axis=1) * self.sizes
        return costs


def _joined(partition: Partition, failing: IntArray) -> Partition:
    """Each of some groups joined with the one beside which it costs least, unless that is taken already."""
    joining = _Joining.of(partition)
    sizes, becomes = joining.sizes, np.arange(partition.groups)
    free = np.ones(partition.groups, dtype=np.bool_)
    for g in failing[np.argsort(sizes[failing], kind="stable")].tolist():
        if not free[g]:
            continue
        extra = joining.costs(g)
        extra[g] = np.inf
        mate = int(np.argmin(np.where(free, extra, np.inf)))
        if mate == g or not np.isfinite(extra[mate]) or not free[mate]:
            mate = int(np.argmin(extra))
        becomes[becomes == g] = becomes[mate]
        free[g] = free[mate] = False
    return replace(partition, group=np.unique(becomes[partition.group], return_inverse=True)[1].reshape(-1))
