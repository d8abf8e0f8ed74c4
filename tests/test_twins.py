"""Kernels and their twins in NumPy give the same answers, to the last bit; twins stop when they have done enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.compiled import Kernel, Patience
from discreet.counts import kernels
from discreet.counts.groups import Pairs
from discreet.counts.kernels import Fields, Spreads
from discreet.models.realistic.several_adversaries import Beliefs, worst_epsilon
from discreet.utility import leaf_bits
from tests.plain_kernels import CASES as PLAIN_KERNELS

Arguments = tuple[Any, ...]
Rng = np.random.Generator


def _keys(rng: Rng) -> Arguments:
    return (rng.integers(0, 9, size=rng.integers(0, 40)).astype(np.uint64) << np.uint64(rng.integers(0, 60)),)


def _fields(rng: Rng) -> tuple[np.ndarray, Fields]:
    """Three attributes of 4 bits each in one word, or in two."""
    words = int(rng.integers(1, 3))
    word = np.array([0, 0, words - 1])
    fields = Fields(word, np.array([0, 4, 8], dtype=np.uint64), np.full(3, 15, dtype=np.uint64))
    keys = np.zeros((words, rng.integers(0, 30)), dtype=np.uint64)
    for d in range(3):
        keys[word[d]] |= rng.integers(0, 5, size=keys.shape[1]).astype(np.uint64) << fields.shift[d]
    return keys, fields


def _merging(rng: Rng) -> Arguments:
    keys, fields = _fields(rng)
    changes = [(np.arange(16) ^ new).astype(np.uint64) for new in rng.integers(0, 16, size=(3, 16))]
    starts = np.where(rng.random(3) < 0.6, 16 * np.arange(3), -1)
    sizes = rng.integers(1, 2**40, size=keys.shape[1])
    return keys, fields, sizes, starts, np.concatenate([c << s for c, s in zip(changes, fields.shift, strict=True)])


def _suppression(rng: Rng) -> Arguments:
    keys, fields = _fields(rng)
    groups = keys.shape[1]
    spreads = Spreads(rng.integers(0, 9, size=48), np.array([0, 16, 32]), np.array([9, 9, 12]))
    holds, published = rng.random((2, groups)) < 0.6
    sizes, least = rng.integers(0, 2**40, size=groups), rng.integers(0, 9, size=groups)
    return keys, fields, spreads, holds, published, sizes, least, int(rng.integers(0, 60))


def _finer(rng: Rng) -> Arguments:
    nodes = rng.integers(0, 3, size=(8, 3)).astype(np.int16)
    nodes[0] = 0
    return nodes, rng.integers(1, 6, size=8), int(rng.integers(1, 9)), rng.integers(0, 3, size=3).astype(np.int16)


def _members(rng: Rng) -> Arguments:
    groups = int(rng.integers(1, 6))
    return rng.integers(0, groups, size=rng.integers(0, 30)).astype(np.int32), groups


def _pairs(rng: Rng, groups: int, most: int = 9) -> Pairs:
    """Of 5 values, the same ones twice in a group, and some that nobody has."""
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 6, size=groups))]).astype(np.int64)
    values = rng.integers(0, 5, size=offsets[-1]).astype(np.int32)
    return Pairs(offsets, values, rng.integers(0, most, size=offsets[-1]))


def _tallies(rng: Rng) -> Arguments:
    group, groups = _members(rng)
    return group, groups, *_pairs(rng, len(group)), 5


def _columns(rng: Rng) -> Arguments:
    leaves, columns, n = (int(rng.integers(1, high)) for high in (6, 150, 600))
    bits = leaf_bits.pack(rng.random((leaves, columns)) < 0.7)
    rows = rng.integers(0, leaves, size=(int(rng.integers(1, 4)), n), dtype=np.int32)
    return bits, rows, rng.integers(0, 1000, size=n), np.ones(64 * bits.shape[1], int)


def _products(rng: Rng) -> Arguments:
    groups, queries = int(rng.integers(0, 8)), int(rng.integers(1, 9))
    rows = rng.integers(0, 6, size=(int(rng.integers(0, 4)), groups))
    wanted = (rng.random((5, queries)) < 0.5).astype(float)
    return rng.random((6, queries)), rows, *_pairs(rng, groups), wanted, rng.random(queries)


def _exact(rng: Rng) -> Arguments:
    """Two tables, of one column and of two; few people in a group, or many."""
    groups, queries = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    widths = np.array([1, 2])
    parts = [_pairs(rng, groups, most=int(rng.choice([4, 400]))) for _ in widths]
    rows = [rng.integers(0, 6, size=w * len(p.values)) for w, p in zip(widths, parts, strict=True)]
    offsets = np.stack([parts[0].offsets, parts[1].offsets + len(parts[0].values)])
    counts = np.concatenate([p.counts for p in parts])
    first = np.array([0, len(rows[0])])
    wanted = (rng.random((6, queries)) < 0.6).astype(np.uint8)
    return wanted, np.concatenate(rows), first, widths, offsets, counts, rng.random(groups), rng.random(queries)


def _beliefs(rng: Rng) -> Arguments:
    groups = int(rng.integers(0, 7))
    pairs = _pairs(rng, groups)
    sizes = np.array([pairs.counts[a:b].sum() for a, b in zip(pairs.offsets, pairs.offsets[1:], strict=False)], int)
    sigma, rest = rng.choice([0, 0.3, 0.7, 2.5, 100], size=(2, 3, 5))
    total = rng.choice([np.inf, 3.5, 100], size=3)
    return pairs, sizes, Beliefs(sigma, rest, rng.random((3, 5)) < 0.2, total, rng.integers(0, 2, size=3))


CASES: dict[str, tuple[Kernel, Callable[[Rng], Arguments]]] = {
    "group_equal": (kernels.group_equal, _keys),
    "merge_groups": (kernels.merge_groups, _merging),
    "smallest_finer": (kernels.smallest_finer, _finer),
    "members_by_group": (kernels.members_by_group, _members),
    "merge_tallies": (kernels.merge_tallies, _tallies),
    "suppression": (kernels.suppression, _suppression),
    "add_per_column": (leaf_bits.add_per_column, _columns),
    "add_products": (leaf_bits.add_products, _products),
    "add_exact": (leaf_bits.add_exact, _exact),
    "worst_epsilon": (worst_epsilon, _beliefs),
}


def _arrays(answer: Any) -> list[np.ndarray]:
    return [np.asarray(part) for part in (answer if isinstance(answer, tuple) else (answer,))]


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 2**32 - 1))
def test_twins_are_alike(name: str, seed: int) -> None:
    kernel, draw = CASES[name]
    assert kernel.twin is not None
    mine, yours = draw(np.random.default_rng(seed)), draw(np.random.default_rng(seed))
    assert 0 < kernel.twin.work(*mine) < 2**40
    answers = zip(_arrays(kernel.dispatcher(*mine)), _arrays(kernel.twin.function(*yours)), strict=True)
    added_to = [(mine[-1], yours[-1])] if isinstance(mine[-1], np.ndarray) else []
    for one, other in [*answers, *added_to]:
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype and one.flags.c_contiguous == other.flags.c_contiguous


def test_every_twin_is_compared() -> None:
    """As far as modules are loaded that have one."""
    import gc

    known = {id(kernel) for kernel, _ in [*CASES.values(), *PLAIN_KERNELS.values()]}
    assert all(id(k) in known for k in gc.get_objects() if isinstance(k, Kernel) and k.twin is not None)


def test_twins_stop_when_they_have_done_enough() -> None:
    patience = Patience(10)
    assert patience.may(4) and patience.may(5) and not patience.may(2) and not patience.may(0)
    patience = Patience(10)
    assert not patience.may(11) and not patience.may(1)
