"""Counting a Parquet file by the numbers that its columns are stored in.

A Parquet file keeps each text of a column once, and of every row the number of its text. Whoever groups rows by texts
undoes that. Here the numbers of a row are packed into one whole number, and equal ones are counted by sorting: of ten
million rows with nine columns, in less than half of the time that DuckDB's GROUP BY takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discreet.engines.arrow import filled, in_order, numbers, texts
from discreet.engines.base import Frequencies

Keys = NDArray[np.int64]

_BATCH = 1 << 18  # rows that are packed at a time: their numbers stay near the processor
_BITS = 63
_BYTES_PER_ROW = 16  # a key, half a key to merge what is sorted, and a mark where the next one differs


@dataclass(eq=False)
class _Texts:
    """The texts of a column as they come, each with the next number."""

    name: str
    known: dict[str | None, int] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)
    bits: int = 1

    def numbered(self, column: pa.Array, last: dict[str, tuple[pa.Array, NDArray[np.int64]]]) -> NDArray[Any]:
        """The number of each row's text. `last` remembers the list of texts, which many batches share."""
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        before = last.get(self.name)
        if before is not None and before[0].equals(column.dictionary):
            place = before[1]
        else:
            with self.lock:
                place = np.array([self._number(v) for v in [*column.dictionary.to_pylist(), None]], dtype=np.int64)
            last[self.name] = column.dictionary, place
        numbered: NDArray[np.int64] = place[filled(column.indices, -1)]  # the last is that of NULL
        return numbered

    def _number(self, value: str | None) -> int:
        number = self.known.setdefault(value, len(self.known))
        if number >> self.bits:
            self.bits += 2  # room for more, so that few keys have to be packed again
        return number

    def values(self, used: NDArray[np.int64]) -> list[str | None]:
        """The texts of some numbers."""
        listed = list(self.known)
        return [listed[number] for number in used.tolist()]

    def names(self, used: NDArray[np.int64]) -> pa.Array:
        """The same as a column."""
        return texts(self.values(used))


@dataclass(frozen=True, eq=False)
class _Whole:
    """Whole numbers from `least` to `most`, each by how much it is above the least; a missing one comes after all."""

    name: str
    least: int
    most: int

    @property
    def bits(self) -> int:
        return (self.most - self.least + 1).bit_length()

    def numbered(self, column: pa.Array, last: object) -> NDArray[Any]:
        """How much each row's number is above the least."""
        ends = pc.min_max(column)
        if ends["min"].is_valid and not self.least <= ends["min"].as_py() <= ends["max"].as_py() <= self.most:
            raise pa.ArrowInvalid("the file's statistics are not those of its rows")
        return filled(column.cast(pa.int64()), self.most + 1) - self.least

    def values(self, used: NDArray[np.int64]) -> list[str | None]:
        """The texts of some numbers."""
        return self.names(used).to_pylist()  # type: ignore[no-any-return]

    def names(self, used: NDArray[np.int64]) -> pa.Array:
        """The same as a column."""
        whole = numbers(used + self.least, used <= self.most - self.least)
        return whole.cast(pa.large_string())


_Column = _Texts | _Whole


def stored_frequencies(
    path: Path, columns: Sequence[str], kinds: Mapping[str, str], person: str | None, most_bytes: int
) -> Frequencies | None:
    """The distinct combinations of columns with their counts, or None where that has to be left to the engine.

    That is so where a column is neither text nor a whole number (`kinds`, as DuckDB calls them), where the numbers of
    a row don't fit into 63 bits or those of all rows not into so many bytes, and where Arrow can't read the file.
    """
    from pyarrow import parquet  # late: of no use to most runs, and 50 ms

    names = [*columns, *([] if person is None else [person])]
    try:
        with parquet.ParquetFile(path) as file:
            about = file.metadata
            read = None if about.num_rows * _BYTES_PER_ROW > most_bytes else _columns(file, names, kinds)
        if not read:
            return None
        keys = _packed(path, about, read)
        if keys is None:
            return None
        keys, counts = _distinct(keys)  # those of all rows are let go
        return _counted(keys, counts, read, person)
    except (pa.ArrowException, UnicodeDecodeError, OSError, OverflowError):
        return None  # the engine says what is wrong with it


def _columns(file: Any, names: Sequence[str], kinds: Mapping[str, str]) -> list[_Column] | None:
    """How each column is numbered; None if there is one that can't be."""
    schema, about = file.schema_arrow, file.metadata
    if len({name.casefold() for name in schema.names}) < len(schema.names) or len(set(names)) < len(names):
        return None
    read: list[_Column] = []
    for name in names:
        kind = schema.field(name).type if name in schema.names and "." not in name else pa.null()
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if kinds[name] == "VARCHAR" and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            read.append(_Texts(name))
        elif kinds[name] in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT") and pa.types.is_signed_integer(kind):
            ends = _ends(about, name)
            if ends is None:
                return None
            read.append(_Whole(name, *ends))
        else:
            return None
    return read


def _ends(about: Any, name: str) -> tuple[int, int] | None:
    """The least and the largest number of a column, by the statistics of the file; None where these don't tell."""
    least, most = [], []
    for group in range(about.num_row_groups):
        parts = about.row_group(group)
        if not parts.num_rows:
            continue
        [column] = [c for c in map(parts.column, range(parts.num_columns)) if c.path_in_schema == name] or [None]
        statistics = column.statistics if column is not None else None
        if statistics is None:
            return None
        if statistics.has_min_max:
            least.append(statistics.min)
            most.append(statistics.max)
        elif not statistics.has_null_count or statistics.null_count < parts.num_rows:
            return None
    ends = min(least, default=0), max(most, default=0)
    wide = not all(isinstance(end, int) for end in ends) or ends[1] - ends[0] >= 1 << 40 or abs(ends[1]) >= 1 << 62
    return None if wide else ends


def _packed(path: Path, about: Any, read: Sequence[_Column]) -> Keys | None:
    """A whole number for each row, the same for equal ones; sorted. None if 63 bits are not enough."""
    keys = np.empty(about.num_rows, dtype=np.int64)
    groups = range(about.num_row_groups)
    starts = np.cumsum([0, *(about.row_group(g).num_rows for g in groups)]).tolist()

    def pack(group: int) -> list[tuple[int, int, tuple[int, ...]]]:
        return _pack_group(path, about, group, read, keys, starts[group])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = [part for parts in pool.map(pack, groups) for part in parts]
        layout = tuple(column.bits for column in read)
        if sum(layout) > _BITS or any(sum(packed) > _BITS for _, _, packed in parts):
            return None
        for start, end, packed in parts:
            if packed != layout:
                keys[start:end] = _packed_anew(keys[start:end], packed, layout)
        # Sorted piece by piece; what is sorted in pieces, a stable sort merges.
        list(pool.map(np.ndarray.sort, np.array_split(keys, 4 * (os.cpu_count() or 1))))
    keys.sort(kind="stable")
    return keys


def _pack_group(
    path: Path, about: Any, group: int, read: Sequence[_Column], keys: Keys, start: int
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Packs the rows of a row group, a batch at a time: from which row to which, with how many bits for each column."""
    from pyarrow import parquet

    parts = []
    last: dict[str, Any] = {}
    stored = [column.name for column in read if isinstance(column, _Texts)]
    names = [column.name for column in read]
    with parquet.ParquetFile(path, metadata=about, read_dictionary=stored) as file:
        alone = about.num_row_groups == 1
        for batch in file.iter_batches(batch_size=_BATCH, row_groups=[group], columns=names, use_threads=alone):
            numbered = [column.numbered(batch.column(column.name), last) for column in read]
            layout = tuple(column.bits for column in read)  # after all of this batch have their numbers
            key = keys[start : start + len(batch)]
            key[:] = 0
            if sum(layout) <= _BITS:
                for codes, bits in zip(numbered, layout, strict=True):
                    key <<= bits
                    key |= codes
            parts.append((start, start + len(batch), layout))
            start += len(batch)
    return parts


def _unpacked(keys: Keys, layout: Sequence[int]) -> Iterator[Keys]:
    """The numbers that keys were packed of, one column after the other: all of them would take more than the keys.

    >>> [numbers.tolist() for numbers in _unpacked(np.array([0b1101, 0b0010]), (1, 2, 1))]
    [[1, 0], [2, 1], [1, 0]]
    """
    shift = sum(layout)
    for bits in layout:
        shift -= bits
        numbers = keys >> shift
        numbers &= (1 << bits) - 1
        yield numbers


def _packed_anew(keys: Keys, packed: Sequence[int], layout: Sequence[int]) -> Keys:
    """The same numbers with as many bits for each column as another layout has."""
    key = np.zeros(len(keys), dtype=np.int64)
    for codes, bits in zip(_unpacked(keys, packed), layout, strict=True):
        key <<= bits
        key |= codes
    return key


def _distinct(keys: Keys) -> tuple[Keys, Keys]:
    """Each of some sorted keys once, and how often it is there."""
    differs = np.empty(len(keys), dtype=np.bool_)
    differs[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=differs[1:])
    first = np.flatnonzero(differs)
    return keys[first], np.diff(first, append=len(keys))


def _counted(keys: Keys, counts: Keys, read: Sequence[_Column], person: str | None) -> Frequencies:
    """What each key was packed of; only values that some row has."""
    values, codes, who, names = [], [], None, None
    for column, number in zip(read, _unpacked(keys, [c.bits for c in read]), strict=True):
        used, place = _in_use(number)
        if column.name == person:
            names, rank = in_order([column.names(used)])
            who = rank[place]
        else:
            values.append(tuple(column.values(used)))
            codes.append(place)
    return Frequencies(tuple(values), tuple(codes), counts, who, names)


def _in_use(number: Keys) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The different numbers in order, and each one's place among them.

    >>> _in_use(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1], dtype=int32))
    """
    most = int(number.max(initial=0))
    if most > 8 * len(number) + 1024:
        used, place = np.unique(number, return_inverse=True)
        return used, place.astype(np.int32)
    there = np.zeros(most + 1, dtype=np.bool_)
    there[number] = True
    used = np.flatnonzero(there)
    rank = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return used, rank[number]
