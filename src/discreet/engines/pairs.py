"""What a summary needs of a table, in one scan: counts of single values and of pairs, or a sample of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.base import LARGEST_PAIR, Frequencies, PairCounts, SampledRows

# The rows of a table, batch by batch, as numbers of values that become known on the way: see `DuckDB.rows`.
StreamedRows = Callable[[Sequence[str], Sequence[dict[str | None, int]]], Iterator[list[Any]]]


def pair_counts(rows: StreamedRows, columns: Sequence[str]) -> PairCounts:
    """Count the values of all columns, and the pairs of values of every two of them: one scan.

    The rows are streamed once, as numbers. (With GROUPING SETS, DuckDB keeps a copy of the whole table to count each
    set from, and takes more than twice as long.)
    """
    known: list[dict[str | None, int]] = [{} for _ in columns]
    singles = [np.zeros(0, dtype=np.int64) for _ in columns]
    pairs = {both: np.zeros((0, 0), dtype=np.int64) for both in combinations(range(len(columns)), 2)}
    for batch in rows(columns, known):
        sizes = [len(place) for place in known]
        singles = [_grown(old, codes, size) for old, codes, size in zip(singles, batch, sizes, strict=True)]
        for i, j in list(pairs):
            if sizes[i] * sizes[j] > LARGEST_PAIR:
                del pairs[i, j]
            else:
                pairs[i, j] = _with(pairs[i, j], batch[i], batch[j], (sizes[i], sizes[j]))
    return PairCounts(tuple(columns), tuple(tuple(place) for place in known), tuple(singles), pairs)


def _with(before: NDArray[np.int64], first: Any, second: Any, shape: tuple[int, int]) -> NDArray[np.int64]:
    """A table of pair counts, grown to its new shape, with more rows."""
    key = first.astype(np.int64) * shape[1] + second
    counted = np.bincount(key, minlength=shape[0] * shape[1]).astype(np.int64).reshape(shape)
    counted[: before.shape[0], : before.shape[1]] += before
    return counted


def sample(in_order: StreamedRows, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
    """Some rows, each set of them equally likely (all, if there are fewer): one scan.

    The same seed chooses the same rows of the same table.
    """
    draws = np.random.default_rng(seed)
    known: list[dict[str | None, int]] = [{} for _ in columns]
    singles = [np.zeros(0, dtype=np.int64) for _ in columns]
    lots = np.empty(0)
    chosen = [np.empty(0, dtype=np.int32) for _ in columns]
    for batch in in_order(columns, known):
        # Every row draws a lot; those with the smallest lots so far are kept.
        lots = np.concatenate([lots, draws.random(len(batch[0]))])
        kept = np.argpartition(lots, rows)[:rows] if len(lots) > rows else np.arange(len(lots))
        lots = lots[kept]
        chosen = [np.concatenate([old, new])[kept] for old, new in zip(chosen, batch, strict=True)]
        singles = [_grown(old, codes, len(place)) for old, codes, place in zip(singles, batch, known, strict=True)]
    values = tuple(tuple(place) for place in known)
    return SampledRows(Frequencies(values, tuple(chosen), np.ones(len(lots), dtype=np.int64)), tuple(singles))


def _grown(before: NDArray[np.int64], codes: Any, size: int) -> NDArray[np.int64]:
    """Counts of single values, with more values and more rows."""
    counted = np.bincount(codes, minlength=size).astype(np.int64)
    counted[: len(before)] += before
    return counted
