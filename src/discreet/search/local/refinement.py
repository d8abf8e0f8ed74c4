"""Refining a partition by moves until none lowers the loss: makes room for the compiled moves, asks the models."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Codes
from discreet.models.base import least_rows
from discreet.progress import Progress, silent
from discreet.search.local.kernels import nearest
from discreet.search.local.moves import improve
from discreet.search.local.space import Combinations
from discreet.search.local.state import (
    ENTRY,
    GROUP,
    LEFT_OUT,
    LIMIT,
    LOGGED,
    NOBODY,
    REFUSALS,
    ROWS,
    SOURCE,
    TARGET,
    UNITS,
    VARYING,
    State,
    new_state,
    settle,
)
from discreet.search.local.sweep import sizes_only
from discreet.search.multidimensional.left_out import holding, standing, stands, trimmed
from discreet.search.multidimensional.partition import Partition, hold
from discreet.search.plan import Problem

_NEIGHBOURS = 32
_REACH = 1 / 16  # of the whole loss: the first circle in which neighbours are looked for
_STEPS = 500_000_000  # to find all neighbours, some seconds; but for each combination at least
_LEAST_STEPS = 2_000
_ENOUGH = 1e-4  # a round that lowers the loss by less than this share is the last
_FRUITLESS = 20  # so many times in a row the models may refuse every single move
_PRICES = (4.0, 2.0, 1.0)  # what a row must save to be left out, times what it loses: those who save most first


def refine(problem: Problem, table: Combinations, start: Partition, progress: Progress = silent) -> Partition:
    """`start` (which must hold) after all moves that lower its loss and keep every promise.

    At first nobody more is left out. Then those go without whom the others save most, as long as what is published
    stands by itself (`stands`).
    """
    n = len(table.sizes)
    near = nearest(table.space, min(_NEIGHBOURS, n), _REACH, max(_LEAST_STEPS, _STEPS // n))
    partition = _refined(problem, table, near, start.merged(), np.inf, progress)
    partition = trimmed(problem, standing(problem, partition), progress).merged()
    for price in _PRICES if problem.suppression_limit else ():
        other = standing(problem, _refined(problem, table, near, partition, price, progress))
        fits = other.suppressed <= problem.suppression_limit
        if fits and stands(problem, other) and other.loss < partition.loss:
            partition = other
    return partition


def _refined(
    problem: Problem, table: Combinations, near: Codes, start: Partition, price: float, progress: Progress
) -> Partition:
    """The same, if a row that is to be left out must save that much."""
    careless = sizes_only(problem)
    least = least_rows(problem.models)
    partition = start
    while partition.groups:
        before = partition.loss
        left_out = partition.groups if partition.suppressed or price < np.inf else NOBODY
        everybody = _with_left_out(partition)
        units = _by_combination(table, everybody) if careless else everybody
        combination = units.row if careless else table.of_row[units.row]
        rows, attributes = table.space.leaf.shape
        # A person's rows move together: what moves is counted in people then, for it must not come apart.
        seats = problem.frequency.seats is not None
        count = np.ones_like(units.count) if seats else units.count
        state = new_state(
            combination, units.row, count, units.group, least, not careless, (rows, attributes), int(left_out)
        )
        if left_out != NOBODY:
            limit = problem.suppression_limit * int(count.sum()) // int(units.count.sum())
            state.used[LIMIT], state.used[VARYING] = limit, round(partition.most * attributes)
            state.cost[left_out] = price * partition.most
        if careless:
            improve(table.space, near, state, least, False)
        else:
            _improve_carefully(problem, table, near, state, least)
        alive = np.flatnonzero(state.unit[: state.used[UNITS], ROWS])
        group = np.where(state.unit[alive, GROUP] == state.used[LEFT_OUT], NOBODY, state.unit[alive, GROUP])
        entry = state.unit[alive, ENTRY]
        moved = partition.frequency.counts[entry] if seats else state.unit[alive, ROWS]
        better = Partition(partition.frequency, entry, moved, group)
        # Groups that came to look alike are one, and may not hold any more: then they are joined with others.
        after = holding(problem, published(_by_row(table, better) if careless else better), partition)
        if after.loss > before:
            break
        partition = after
        progress("search", 0, 0, f"loss {partition.loss:.5f}, {partition.groups:,} groups")
        if before - partition.loss <= _ENOUGH * before:
            break
    return partition


def _with_left_out(partition: Partition) -> Partition:
    """The same with all who are left out as one more group, the last."""
    missing = np.flatnonzero(partition.left_out)
    return Partition(
        partition.frequency,
        np.concatenate([partition.row, missing]),
        np.concatenate([partition.count, partition.left_out[missing]]),
        np.concatenate([partition.group, np.full(len(missing), partition.groups)]),
    )


def published(everybody: Partition) -> Partition:
    """The same without whoever has no group (−1), and groups numbered without gaps."""
    here = np.flatnonzero(everybody.group != NOBODY)
    group = np.unique(everybody.group[here], return_inverse=True)[1].reshape(-1)
    return Partition(everybody.frequency, everybody.row[here], everybody.count[here], group)


def _improve_carefully(problem: Problem, table: Combinations, near: Codes, state: State, least: int) -> None:
    """Rounds of moves in which no group takes part twice; the models judge all of them at once."""
    fruitless = 0
    while fruitless < _FRUITLESS and improve(table.space, near, state, least, True):
        touched = np.zeros(len(state.group), dtype=np.bool_)
        touched[state.log[: state.used[LOGGED], SOURCE : TARGET + 1]] = True
        if state.used[LEFT_OUT] != NOBODY:
            touched[state.used[LEFT_OUT]] = False
        unit = state.unit[: state.used[UNITS]]
        unit = unit[(unit[:, ROWS] > 0) & touched[unit[:, GROUP]]]
        group = (np.cumsum(touched) - 1)[unit[:, GROUP]]
        holds = np.ones(len(touched), dtype=np.bool_)
        holds[touched] = hold(problem, unit[:, ENTRY], unit[:, ROWS], group, int(touched.sum()))  # of seats: all rows
        kept = settle(table.space, near, state, holds)
        fruitless = 0 if kept else fruitless + 1
        if 2 * state.used[REFUSALS] > len(state.refused):
            return


def _by_combination(table: Combinations, partition: Partition) -> Partition:
    """The same partition counted in combinations: if only sizes matter, sensitive values need not be told apart."""
    n = len(table.sizes)
    place, at = np.unique(partition.group * n + table.of_row[partition.row], return_inverse=True)
    count = np.bincount(at.reshape(-1), weights=partition.count).astype(np.int64)
    return Partition(partition.frequency, place % n, count, place // n)


def _by_row(table: Combinations, units: Partition) -> Partition:
    """A partition counted in combinations, back in rows of the frequency set, which are dealt out in order."""
    f = units.frequency
    rows = np.argsort(table.of_row, kind="stable")
    pieces = np.lexsort((units.group, units.row))
    row_ends, piece_ends = np.cumsum(f.counts[rows]), np.cumsum(units.count[pieces])
    ends = np.union1d(row_ends, piece_ends)
    row = rows[np.searchsorted(row_ends, ends)]
    group = units.group[pieces[np.searchsorted(piece_ends, ends)]]
    return Partition(f, row, np.diff(ends, prepend=0), group)
