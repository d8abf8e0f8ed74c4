"""Kernels whose source Python may run, with arguments drawn for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.compiled import Kernel
from discreet.models.ambiguity.heaviest_kernels import heaviest
from discreet.models.ambiguity.total import _sets
from discreet.models.groups.kernels import largest
from discreet.search.ambiguity.greedy_kernels import in_order
from discreet.search.art.kinds import alike_groups
from discreet.search.art.people import Index
from discreet.search.art.tree import census, plant
from discreet.search.local.kernels import Space, linked, nearest
from discreet.search.local.moves import improve
from discreet.search.local.state import new_state, settle
from tests.models.rows_apart import groups_of
from tests.search.drafts import VALUES, draft_of

Arguments = tuple[Any, ...]
Rng = np.random.Generator


def _counted(rng: Rng) -> Arguments:
    offsets = np.cumsum(np.append(0, rng.integers(0, 5, size=rng.integers(0, 6))))
    return offsets, rng.integers(1, 2**50, size=offsets[-1])


def _halves(rng: Rng) -> Arguments:
    half, many = np.full(31, -1), 1
    for i in range(15):
        if i < many and rng.random() < 0.7:
            half[i] = many
            many += 2
    return (half[:many],)


def _pairs(rng: Rng) -> Arguments:
    n, links = int(rng.integers(1, 20)), int(rng.integers(0, 20))
    return rng.integers(0, n, size=links), rng.integers(0, n, size=links), n


def _points(rng: Rng) -> Arguments:
    n = int(rng.integers(1, 60))
    points = rng.random((n, rng.integers(1, 4))) if rng.random() < 0.5 else rng.integers(0, 3, size=(n, 2))
    return points.astype(np.float32), int(rng.integers(1, 9))


def _tree(rng: Rng) -> Arguments:
    points, leaf = _points(rng)
    order, dims, cuts = plant.dispatcher(points, leaf)
    return Index(points, order, np.argsort(order).astype(np.int32), dims, cuts), rng.integers(-1, 3, size=len(points))


def _alike(rng: Rng) -> Arguments:
    rows = [
        (("xyz"[rng.integers(3)], "uv"[rng.integers(2)]), VALUES[rng.integers(5)]) for _ in range(rng.integers(4, 80))
    ]
    draft = draft_of(rows, [None, [["a"], ["c", "d"]]][rng.integers(2)])
    kinds = np.argsort(draft.table.alike, kind="stable")
    starts = np.searchsorted(draft.table.alike[kinds], np.arange(draft.table.alike.max() + 2))
    return draft.table, draft.index, draft.stock, kinds, starts, int(rng.integers(1, 4))


def _units(rng: Rng) -> Arguments:
    """Three attributes of six leaves: ranges of any, ranges of pairs, and the nodes of a hierarchy."""
    leaf = rng.integers(0, 6, size=(8, 3)).astype(np.int32)
    code = np.concatenate([np.arange(6), np.arange(6) // 2, np.zeros(6)]).astype(np.int32)
    ends = np.arange(6, dtype=np.int32)
    space = Space(
        leaf,
        np.array([[0, 6, 12]] * 3),
        code,
        rng.random(18),
        np.array([0.07, 0.06, 0]),
        np.array([0, 6, 12]),
        np.concatenate([np.stack([ends, ends], 1), *[np.stack([ends // 2 * 2, ends // 2 * 2 + 1], 1)] * 2]),
    )
    n = int(rng.integers(1, 12))
    combination, group = rng.integers(0, 8, size=n), np.unique(rng.integers(0, 4, size=n), return_inverse=True)[1]
    state = new_state(combination, np.arange(n), rng.integers(1, 9, size=n), group, 2, True, leaf.shape, -1)
    return space, state


def _moved(rng: Rng) -> Arguments:
    space, state = _units(rng)
    near = nearest.dispatcher(space, 4, 0.1, 1000)
    improve.dispatcher(space, near, state, 2, True)
    return space, near, state, rng.random(len(state.group)) < 0.6


def _weighed(rng: Rng) -> Arguments:
    rows = rng.integers(0, 5, size=(40, rng.integers(1, 4))).tolist()
    cuts = np.unique(rng.integers(1, 40, size=rng.integers(0, 12))).tolist()
    groups = groups_of([[tuple(row) for row in rows[a:b]] for a, b in zip([0, *cuts], [*cuts, 40], strict=True)])
    weights = rng.integers(0, 6, size=len(groups))
    floor, work = int(rng.integers(0, 4)), int(rng.choice([0, 50, 10**9]))
    return _sets(groups.entries, weights), floor, int(rng.choice([floor, 6, 10**6])), work


CASES: dict[str, tuple[Kernel, Callable[[Rng], Arguments]]] = {
    "alike_groups": (alike_groups, _alike),
    "census": (census, _tree),
    "heaviest": (heaviest, _weighed),
    "in_order": (in_order, _halves),
    "largest": (largest, _counted),
    "linked": (linked, _pairs),
    "settle": (settle, _moved),
}
