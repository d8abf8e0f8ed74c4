"""Refining a partition by moves until none lowers the loss: makes room for the compiled moves, asks the models."""

from __future__ import annotations

import numpy as np

from discreet.hierarchies.hierarchy import Codes, IntArray
from discreet.progress import Progress, silent
from discreet.search.partition import Partition, hold
from discreet.search.plan import Problem
from discreet.search.recoding_kernels import nearest
from discreet.search.recoding_moves import improve
from discreet.search.recoding_space import Combinations
from discreet.search.recoding_state import MANY, State, set_up, settle
from discreet.search.settling import least_size, sizes_only

_NEIGHBOURS = 32
_ENOUGH = 1e-4  # a round that lowers the loss by less than this share is the last
_FRUITLESS = 20  # so many times in a row the models may refuse every single move


def refine(problem: Problem, table: Combinations, start: Partition, progress: Progress = silent) -> Partition:
    """`start` (which must hold) after all moves that lower its loss and keep every promise."""
    careless = sizes_only(problem)
    least = least_size(problem)
    near = nearest(table.space, min(_NEIGHBOURS, len(table.sizes)), 1 / 16)
    found = start.merged()
    while True:
        before = found.loss
        state = _state(table, _by_combination(table, found) if careless else found, least, careless)
        set_up(table.space, state)
        if careless:
            improve(table.space, near, state, least, False)
        else:
            _improve_carefully(problem, table, near, state, least)
        alive = np.flatnonzero(state.count[: state.used[0]])
        group = np.unique(state.group[alive], return_inverse=True)[1].reshape(-1)
        better = Partition(found.frequency, state.entry[alive], state.count[alive], group)
        found = (_by_row(table, better) if careless else better).merged()
        progress("search", 0, 0, f"loss {found.loss:.5f}, {found.groups:,} groups")
        if before - found.loss <= _ENOUGH * before:
            return found


def _improve_carefully(problem: Problem, table: Combinations, near: Codes, state: State, least: int) -> None:
    """Rounds of moves in which no group takes part twice; the models judge all of them at once."""
    fruitless = 0
    while fruitless < _FRUITLESS and improve(table.space, near, state, least, True):
        touched = np.zeros(len(state.size), dtype=np.bool_)
        touched[state.log[: state.used[2], 4:6]] = True
        members = np.flatnonzero(state.count[: state.used[0]])
        members = members[touched[state.group[members]]]
        number = np.cumsum(touched) - 1
        verdict = hold(
            problem, state.entry[members], state.count[members], number[state.group[members]], int(touched.sum())
        )
        holds = np.ones(len(state.size), dtype=np.bool_)
        holds[touched] = verdict
        kept = settle(table.space, near, state, holds)
        fruitless = 0 if kept else fruitless + 1


def _state(table: Combinations, units: Partition, least: int, careless: bool) -> State:
    n, groups, attributes = len(units.row), units.groups, table.space.leaf.shape[1]
    room = (MANY + 1) * (least + 1)
    most_units, most_groups = 2 * n + 4 * room, 2 * groups + 8 * MANY
    log = 2 * room if careless else 2 * n + 2 * room

    def numbers(length: int, fill: int = 0) -> IntArray:
        return np.full(length, fill, dtype=np.int64)

    state = State(
        used=np.array([n, groups, 0, 0, 0], dtype=np.int64),
        entry=numbers(most_units),
        combination=numbers(most_units),
        count=numbers(most_units),
        group=numbers(most_units, -1),
        after=numbers(most_units, -1),
        before=numbers(most_units, -1),
        following=numbers(most_units, -1),
        preceding=numbers(most_units, -1),
        head=numbers(most_groups, -1),
        first=numbers(len(table.sizes), -1),
        units=numbers(most_groups),
        size=numbers(most_groups),
        cost=np.zeros(most_groups),
        low=np.zeros((most_groups, attributes), dtype=np.int32),
        high=np.zeros((most_groups, attributes), dtype=np.int32),
        open=np.zeros(most_groups, dtype=np.bool_),
        locked=np.zeros(most_groups, dtype=np.bool_),
        version=numbers(most_groups),
        log=np.zeros((log, 6), dtype=np.int64),
        refused=np.zeros(16 if careless else 1 << 20, dtype=np.uint64),
        seen=numbers(most_groups),
        spared=numbers(most_groups),
    )
    state.entry[:n], state.count[:n], state.group[:n] = units.row, units.count, units.group
    state.combination[:n] = units.row if careless else table.of_row[units.row]
    return state


def _by_combination(table: Combinations, partition: Partition) -> Partition:
    """The same partition counted in combinations: if only sizes matter, sensitive values need not be told apart."""
    n = len(table.sizes)
    place, at = np.unique(partition.group * n + table.of_row[partition.row], return_inverse=True)
    count = np.bincount(at.reshape(-1), weights=partition.count).astype(np.int64)
    return Partition(partition.frequency, place % n, count, place // n)


def _by_row(table: Combinations, units: Partition) -> Partition:
    """A partition counted in combinations, back in rows of the frequency set: the rows of each are dealt out in order."""
    f = units.frequency
    rows = np.argsort(table.of_row, kind="stable")
    pieces = np.lexsort((units.group, units.row))
    row_ends, piece_ends = np.cumsum(f.counts[rows]), np.cumsum(units.count[pieces])
    ends = np.union1d(row_ends, piece_ends)
    row = rows[np.searchsorted(row_ends, ends)]
    group = units.group[pieces[np.searchsorted(piece_ends, ends)]]
    return Partition(f, row, np.diff(ends, prepend=0), group)
