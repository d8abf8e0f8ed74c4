"""Ambiguity where people have several rows: layers of the table in which everybody has one, each grouped by itself.

In a group of such a layer nobody stands twice. Somebody with j rows is in j layers, and what is told of him adds up: so
those who have the most rows come first, in as many layers, which are asked for α / j and β / j. Where there are too few
of them to hide among each other, others who have one row fill the layers up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.by_people import in_each_of
from discreet.models.parameters import exact
from discreet.search.ambiguity.groups import Tables, become, plan_of
from discreet.search.ambiguity.layer_kernels import deal_out
from discreet.search.buckets.dealing import Owned, owned_rows, trimmed
from discreet.search.buckets.dropping import dropped
from discreet.search.plan import SUPPRESSED, Ambiguity, Problem

_FEW = 0.01  # of the rows of a level; so many may be left over before others are asked in

Grouping = Callable[..., Ambiguity]  # of a problem and a promise, for `some` of the rows


def layered(problem: Problem, model: AlphaBeta, tables: Tables, group: Grouping) -> Ambiguity:
    """Groups for everybody, those with the most rows first; what finds no place is suppressed, however much it is.

    If too much is left over when they come one after the other, all who have several rows are taken together.
    """
    f, rng = problem.frequency, np.random.default_rng(problem.seed)
    rows = owned_rows(f, f.sensitive[model.attribute].astype(np.int64), rng)
    rows = rows.only(trimmed(rows, exact(model.beta), rng))
    levels = [j for j in np.unique(rows.rows_of_owner)[::-1].tolist() if j > 1]
    plan = _together(problem, tables, _in_turn(problem, model, group, rows, levels))
    if plan.suppressed > problem.suppression_limit and len(levels) > 1:
        at_once = _together(problem, tables, _in_turn(problem, model, group, rows, levels[-1:]))
        plan = min(plan, at_once, key=lambda p: p.suppressed)
    return plan


def _in_turn(problem: Problem, model: AlphaBeta, group: Grouping, rows: Owned, levels: list[int]) -> list[Ambiguity]:
    """The groups of those who have at least so many rows, one level after the other, and of those who have one."""
    f, own = problem.frequency, rows.rows_of_owner
    single = np.flatnonzero(own == 1)
    parts: list[Ambiguity] = []
    done = np.zeros(len(own), dtype=np.bool_)
    for j in levels:
        waiting = ~done & (own >= j)
        few = min(int(_FEW * waiting.sum()), problem.suppression_limit)
        plans = _filled(problem, model, group, rows, np.flatnonzero(waiting), single, few)
        if _left_over(plans, rows.row[waiting]) <= few or j == levels[-1]:
            parts += plans
            done |= waiting
            placed = sum((plan.published for plan in plans), np.zeros_like(f.counts))
            single = single[placed[rows.row[single]] == 0]  # who was asked in, and found no group, has one row yet
    if len(single):
        plain = replace(problem, frequency=replace(f, owners=None))
        parts.append(group(plain, model, some=_counted(f, rows.row[single])))
    return parts


def _counted(f: FrequencySet, row: IntArray) -> IntArray:
    return np.bincount(row, minlength=len(f.counts)).astype(np.int64)


def _left_over(plans: list[Ambiguity], row: IntArray) -> int:
    """How many of some rows, given by their combinations, are in no group of these plans."""
    found = sum(int(plan.published[np.unique(row)].sum()) for plan in plans)
    return len(row) - found


def _filled(
    problem: Problem, model: AlphaBeta, group: Grouping, rows: Owned, which: IntArray, single: IntArray, few: int
) -> list[Ambiguity]:
    """Layers of some rows, each grouped, with as few others as leave few of those over."""
    f, most = problem.frequency, int(rows.rows_of_owner[which].max())
    asked = tuple(in_each_of(each, most) for each in problem.models)
    plain = replace(problem, frequency=replace(f, owners=None), models=asked, suppression_limit=few // most)
    best: list[Ambiguity] = []
    left, times = len(which) + 1, 0
    while left > few and (not best or times * len(which) < 3 * len(single)):
        others = single[: times * len(which)]
        layers = _layers(f, rows, np.append(which, others), model.attribute, most)
        plans = [group(plain, in_each_of(model, most), some=some) for some in layers]
        if (still := _left_over(plans, rows.row[which])) < left:
            best, left = plans, still
        times = 3 * times + 1
    return best


def _layers(f: FrequencySet, rows: Owned, which: IntArray, attribute: str, layers: int) -> list[IntArray]:
    """How many rows of each combination are in each layer, which are alike."""
    person = rows.person[which]
    person = np.where(person < 0, len(rows.person) + np.arange(len(which)), person)
    order = np.argsort(person, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(person[order], prepend=-1)), len(order))
    row = rows.row[which[order]]
    layer = deal_out(starts, f.sensitive[attribute][row].astype(np.int64), layers)
    return [_counted(f, row[layer == i]) for i in range(layers)]


def _together(problem: Problem, tables: Tables, parts: list[Ambiguity]) -> Ambiguity:
    """One plan of the groups of all layers, without those that break a promise to somebody; all else is suppressed."""
    f, first = problem.frequency, 0
    missing = f.counts.copy()
    row, count, group = [], [], []
    for part in parts:
        kept = part.group != SUPPRESSED
        row.append(part.row[kept])
        count.append(part.count[kept])
        group.append(part.group[kept] + first)
        missing -= part.published
        first += part.group_count
    row.append(np.flatnonzero(missing))
    count.append(missing[row[-1]])
    group.append(np.full(len(row[-1]), SUPPRESSED))
    plan = plan_of(f, tables, np.concatenate(row), np.concatenate(count), np.concatenate(group))
    gone = dropped(problem, plan) if plan.group_count else np.zeros(0, dtype=np.bool_)
    plan = become(plan, np.where(gone, SUPPRESSED, np.arange(len(gone))))
    sizes, names = plan.groups.sizes, f.attributes
    facts: dict[str, object] = {
        "search": "greedy",
        "tables": " | ".join(", ".join(names[d] for d in table) for table in tables),
        "groups": plan.group_count,
        "mean_group": float(sizes.mean()) if len(sizes) else 0.0,
        "suppressed": plan.suppressed,
        "layers": len(parts),
    }
    return replace(plan, facts=facts)
