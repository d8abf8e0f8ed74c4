"""Rows to be written, told by counts: each distinct row once, and how often it is published.

Rows with equal values are interchangeable, so a table can be written from counts alone, wherever it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.engines.arrow import numbers, places_in

_CHUNK = 1 << 24  # rows put in order at a time: 64 MB of places
_BATCH = 1 << 18  # rows handed over at a time
_DICTIONARY = 1 << 15  # longer ones would be written again with every batch, so their values are


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One column of the distinct rows: places in a dictionary of texts, the one after its last being NULL.

    Without a dictionary, whole numbers. `exact` values stand as in the source's column of that name, and may be given
    its type again.
    """

    name: str
    codes: NDArray[Any]
    dictionary: pa.Array | None = None
    exact: bool = False

    def part(self, places: Any) -> pa.Array:
        """The values of some rows."""
        codes = self.codes[places]
        if self.dictionary is None:
            return numbers(codes.astype(np.int64))
        indices = places_in(self.dictionary, codes)
        if len(self.dictionary) > _DICTIONARY:
            return self.dictionary.take(indices)
        return pa.DictionaryArray.from_arrays(indices, self.dictionary)


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows, and how often each is to be written."""

    columns: tuple[CodedColumn, ...]
    counts: IntArray

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def batch(self, places: Any) -> pa.RecordBatch:
        """Some of the rows, as Arrow."""
        return pa.record_batch([column.part(places) for column in self.columns], names=self.names)

    def distinct(self) -> pa.Table:
        """Every row once: texts as texts in columns w0, w1, …, and how often in column n. For an engine to repeat."""
        everything = np.arange(len(self.counts))
        columns = {
            f"w{i}": numbers(c.codes.astype(np.int64))
            if c.dictionary is None
            else c.dictionary.take(places_in(c.dictionary, c.codes[everything]))
            for i, c in enumerate(self.columns)
        }
        return pa.table(columns | {"n": numbers(self.counts)})

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """Every row as often as it is published, a batch at a time; at least one batch."""
        return (self.batch(places) for places in repeated(self.counts))

    def shuffled(self, random: np.random.Generator) -> Iterator[pa.RecordBatch]:
        """The same in uniformly random order."""
        for places in shuffled(self.counts, random):
            for start in range(0, max(len(places), 1), _BATCH):
                yield self.batch(places[start : start + _BATCH])


def repeated(times: IntArray, batch: int = _BATCH) -> Iterator[IntArray]:
    """Each place as often as said, in order, a batch at a time; at least one batch.

    >>> [p.tolist() for p in repeated(np.array([2, 0, 3]), batch=3)]
    [[0, 0, 2], [2, 2]]
    """
    ends = np.cumsum(times)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, max(total, 1), batch):
        stop = min(start + batch, total)
        first, last = np.searchsorted(ends, [start, stop - 1], side="right") if total else (0, -1)
        places = np.arange(first, last + 1)
        inside = np.minimum(ends[places], stop) - np.maximum(ends[places] - times[places], start)
        yield np.repeat(places, inside)


def shuffled(counts: IntArray, random: np.random.Generator, chunk: int = _CHUNK) -> Iterator[NDArray[np.int32]]:
    """Place i as often as counts[i] says, all in uniformly random order, a chunk at a time (at least one).

    Drawing without replacement chunk by chunk gives the same distribution as one big shuffle, in bounded memory.

    >>> [sorted(c.tolist()) for c in shuffled(np.array([2, 0, 1]), np.random.default_rng(1))]
    [[0, 0, 2]]
    """
    left = counts.astype(np.int64)
    rest = int(left.sum())
    while True:
        taken = left if rest <= chunk else random.multivariate_hypergeometric(left, chunk, method="marginals")
        left = left - taken
        places = np.repeat(np.arange(len(taken), dtype=np.int32), taken)
        random.shuffle(places)
        yield places
        rest -= chunk
        if rest <= 0:
            return
