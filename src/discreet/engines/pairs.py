"""What a summary needs of a table, in one scan: counts of single values and of pairs, or a sample of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.duckdb import DuckDB, Frequencies

LARGEST = 4_000_000  # possible pairs of values; more would be nearly as much as the table itself


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The values of each column (as text), how many rows have each, and how many have each pair of values.

    ``pairs[i, j][a, b]`` rows have value a of column i and value b of column j (i < j). Two columns that have more than
    `LARGEST` possible pairs are not there.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    singles: tuple[NDArray[np.int64], ...]
    pairs: Mapping[tuple[int, int], NDArray[np.int64]]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.singles[0].sum())


def pair_counts(engine: DuckDB, columns: Sequence[str]) -> PairCounts:
    """Count the values of all columns, and the pairs of values of every two of them: one scan.

    The rows are streamed once, as numbers. (With GROUPING SETS, DuckDB keeps a copy of the whole table to count each
    set from, and takes more than twice as long.)
    """
    known: list[dict[str | None, int]] = [{} for _ in columns]
    singles = [np.zeros(0, dtype=np.int64) for _ in columns]
    pairs = {both: np.zeros((0, 0), dtype=np.int64) for both in combinations(range(len(columns)), 2)}
    for batch in engine.rows(columns, known):
        sizes = [len(place) for place in known]
        singles = [_grown(old, codes, size) for old, codes, size in zip(singles, batch, sizes, strict=True)]
        for i, j in list(pairs):
            if sizes[i] * sizes[j] > LARGEST:
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


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Some rows of a table, as combinations in no order, and how many rows of the whole table have each value.

    The values of `found` are those of the whole table, in whatever rows.
    """

    found: Frequencies
    singles: tuple[NDArray[np.int64], ...]


def sample(engine: DuckDB, columns: Sequence[str], rows: int, seed: int | None) -> SampledRows:
    """Some rows, each set of them equally likely (all, if there are fewer): one scan.

    The same seed chooses the same rows of the same table.
    """
    draws = np.random.default_rng(seed)
    known: list[dict[str | None, int]] = [{} for _ in columns]
    singles = [np.zeros(0, dtype=np.int64) for _ in columns]
    lots = np.empty(0)
    chosen = [np.empty(0, dtype=np.int32) for _ in columns]
    for batch in engine.rows(columns, known, in_order=True):
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
