"""The sweep of local recoding: visit generalizations from the finest on, and settle whoever has found company there.

Where a promise is about sensitive values and a region breaks it, the region is not lost: its rows are thinned out until
their sensitive values look like the table's, and if those keep the promise they settle. The others stay for a coarser
generalization. (Rows with equal quasi-identifiers may so end up in different groups, which is what local recoding is.)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.models.base import least_rows, size_alone
from discreet.progress import Progress, silent
from discreet.search.local.kernels import sweep
from discreet.search.local.space import Combinations, Nodes, nodes_by_cost
from discreet.search.multidimensional.cutting import cut_down
from discreet.search.multidimensional.left_out import with_everybody
from discreet.search.multidimensional.partition import Partition, hold
from discreet.search.plan import Problem

_NODES = 20_000  # generalizations visited at most
_LOOK_UPS = 1_000_000_000  # values looked up at most: some seconds
_JUDGED = 50_000_000  # rows put before the models at most, when nothing settles
_LONGEST_STRIDE = 64
_SHARES = (1.2, 0.8, 0.5, 0.3)  # thinned out: at most this times the share that a value has in the table


def sizes_only(problem: Problem) -> bool:
    """Is the size of a group all that counts, and not whose rows they are?"""
    return problem.frequency.seats is None and all(size_alone(model) for model in problem.models)


def settled(problem: Problem, table: Combinations, whole: Partition, progress: Progress = silent) -> Partition:
    """Every row settles with the first others, in order of loss, with which it holds; the rest is cut from the top.

    `whole` are all rows that are not left out, as one group, which must hold.
    """
    nodes = nodes_by_cost(table, _NODES)
    by = _by_size if sizes_only(problem) else _by_verdict
    return cut_down(problem, with_everybody(problem, by(problem, table, whole, nodes, progress)))


def _by_size(problem: Problem, table: Combinations, whole: Partition, nodes: Nodes, progress: Progress) -> Partition:
    sizes = _sizes(table, whole)
    group = np.full(len(sizes), -1, dtype=np.int64)
    alive = np.flatnonzero(sizes).astype(np.int32)
    progress("search", 0, 0, "sweep")
    sweep(table.space, table.mark, sizes, nodes, least_rows(problem.models), _visits(table), alive, group)
    return replace(whole, group=group[table.of_row[whole.row]])


def _sizes(table: Combinations, whole: Partition) -> IntArray:
    """How many rows of each combination are not left out."""
    rows = np.bincount(table.of_row[whole.row], weights=whole.count, minlength=len(table.sizes))
    return rows.astype(np.int64)


def _by_verdict(problem: Problem, table: Combinations, whole: Partition, nodes: Nodes, progress: Progress) -> Partition:
    f, least = problem.frequency, least_rows(problem.models)
    # Rows that have not settled, per row and per combination.
    left, sizes = f.counts - whole.left_out, _sizes(table, whole)
    group = np.full(len(sizes), -1, dtype=np.int64)
    alive = np.flatnonzero(sizes).astype(np.int32)
    # Where nearly everything fails, only some of the generalizations are tried; where all goes well, many at once.
    calls = max(30, min(300, _JUDGED // (len(_SHARES) * len(left))))
    shortest = max(1, len(nodes) // calls)
    at, step, groups = 0, shortest, 0
    settled_rows: list[tuple[IntArray, IntArray, IntArray]] = []
    while at < len(nodes) and len(alive):
        waiting, proposed, _ = sweep(
            table.space, table.mark, sizes, nodes[at : at + step], least, _visits(table), alive, group
        )
        at, alive = at + step, alive[:waiting]
        if not proposed:
            continue
        rows = np.flatnonzero((group[table.of_row] >= 0) & (left > 0))
        regions = Partition(f, rows, left[rows], group[table.of_row[rows]])
        takes, settles = _takes(problem, regions, least)
        some = takes > 0
        number = groups + np.cumsum(settles) - 1
        settled_rows.append((rows[some], takes[some], number[regions.group[some]]))
        groups += int(settles.sum())
        left[rows] -= takes
        back = np.flatnonzero(group >= 0)
        group[back] = -1
        sizes = np.bincount(table.of_row, weights=left, minlength=len(sizes)).astype(np.int64)
        alive = np.concatenate([alive, back[sizes[back] > 0].astype(np.int32)])
        step = min(2 * step, _LONGEST_STRIDE) if 4 * settles.sum() > 3 * proposed else shortest
        progress("search", f.rows - left.sum(), f.rows, f"{groups:,} groups")
    rest = np.flatnonzero(left)
    settled_rows.append((rest, left[rest], np.full(len(rest), -1, dtype=np.int64)))
    row, count, groups_of_rows = (np.concatenate(parts) for parts in zip(*settled_rows, strict=True))
    return Partition(f, row, count, groups_of_rows)


def _visits(table: Combinations) -> int:
    return int(_LOOK_UPS // table.space.leaf.shape[1])


def _takes(problem: Problem, regions: Partition, least: int) -> tuple[IntArray, BoolArray]:
    """How many rows of each member settle, and in which regions: all of them, or a thinned out part that holds.

    A person's rows have several values, so that seats are not thinned out by them.
    """
    settles = hold(problem, regions.row, regions.count, regions.group, regions.groups)
    takes = np.where(settles[regions.group], regions.count, 0)
    about = sorted({model.attribute for model in problem.models} & problem.frequency.sensitive.keys())
    for share in _SHARES if about else ():
        failing = np.flatnonzero(~settles)
        members = np.flatnonzero(~settles[regions.group])
        if not len(failing):
            break
        number = np.cumsum(~settles) - 1
        region = number[regions.group[members]]
        kept = regions.count[members]
        for attribute in about:
            kept = _thinned(problem, attribute, regions.row[members], kept, region, share)
        some = kept > 0
        good = hold(problem, regions.row[members[some]], kept[some], region[some], len(failing))
        good &= np.bincount(region, weights=kept, minlength=len(failing)) >= max(least, 2)
        takes[members] = np.where(good[region], kept, 0)
        settles[failing[good]] = True
    return takes, settles


def _thinned(
    problem: Problem, attribute: str, row: IntArray, count: IntArray, region: IntArray, share: float
) -> IntArray:
    """The rows that stay if no sensitive value may have more than `share` times what it would have in a fair sample."""
    f = problem.frequency
    value = f.sensitive[attribute][row]
    order = np.lexsort((value, region))
    fair = f.totals[attribute][value[order]] / f.rows * np.bincount(region, weights=count)[region[order]]
    running = np.cumsum(count[order]) - count[order]
    begins = np.append(True, (np.diff(region[order]) != 0) | (np.diff(value[order]) != 0))
    before = running - running[np.flatnonzero(begins)][np.cumsum(begins) - 1]
    kept = np.empty_like(count)
    kept[order] = np.clip(np.floor(share * fair) - before, 0, count[order])
    return kept
