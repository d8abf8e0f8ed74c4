"""Arrow arrays to and from NumPy by their buffers.

`pa.array` and `to_numpy` import pandas whenever it is installed, which costs half a second at every start; these don't.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def texts(values: Sequence[str | None]) -> pa.Array:
    """A text column.

    >>> texts(["a", None, ""]).to_pylist()
    ['a', None, '']
    """
    encoded = [b"" if v is None else v.encode("utf-8") for v in values]
    ends = np.cumsum([0, *(len(e) for e in encoded)], dtype=np.int64)
    known = np.packbits(np.array([v is not None for v in values], dtype=np.bool_), bitorder="little")
    buffers = [pa.py_buffer(known), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers)


def numbers(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> pa.Array:
    """A column of integers; NULL where they are not `known`.

    >>> numbers(np.array([3, 4], dtype=np.int32)).to_pylist()
    [3, 4]
    >>> numbers(np.array([3, 4]), np.array([True, False])).to_pylist()
    [3, None]
    """
    values = np.ascontiguousarray(values)
    bits = None if known is None else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bits, pa.py_buffer(values)])


def places_in(dictionary: pa.Array, codes: NDArray[Any]) -> pa.Array:
    """Indices into a dictionary; the code after its last entry is NULL, which Parquet wants outside of dictionaries.

    >>> places_in(texts(["a"]), np.array([0, 1, 0], dtype=np.int8)).to_pylist()
    [0, None, 0]
    """
    known = codes < len(dictionary)
    if known.all():
        return numbers(codes)
    return numbers(np.where(known, codes, 0).astype(codes.dtype), known)


def truths(values: NDArray[np.bool_]) -> pa.Array:
    """A column of truth values.

    >>> truths(np.array([True, False])).to_pylist()
    [True, False]
    """
    bits = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, bits])


def to_numpy(array: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """A column of integers without NULLs, as NumPy.

    >>> to_numpy(numbers(np.array([3, 4])))
    array([3, 4])
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not len(array):
        return np.empty(0, dtype=array.type.to_pandas_dtype())
    return np.from_dlpack(array)


def filled(array: pa.Array, number: int) -> NDArray[Any]:
    """A column of integers as NumPy, with a number in place of each NULL.

    >>> filled(numbers(np.array([3, 4, 5]), np.array([True, False, True]))[1:], -1)
    array([-1,  5])
    """
    if not array.null_count:
        return to_numpy(array)
    here = slice(array.offset, array.offset + len(array))
    known, values = (np.frombuffer(buffer, dtype=np.uint8) for buffer in array.buffers())
    there = np.unpackbits(known, bitorder="little")[here].view(np.bool_)
    whole: NDArray[Any] = values.view(array.type.to_pandas_dtype())[here]
    return np.where(there, whole, whole.dtype.type(number))


def numbered_texts(column: pa.Array, known: dict[str | None, int]) -> NDArray[np.int32]:
    """The number of each text of a column; those not `known` yet get the next numbers. NULL is a text of its own.

    >>> known = {"a": 0}
    >>> numbered_texts(texts(["b", "a", None, "b"]), known), known
    (array([1, 0, 2, 1], dtype=int32), {'a': 0, 'b': 1, None: 2})
    """
    encoded = column.dictionary_encode(null_encoding="encode")
    dictionary_numbers = [known.setdefault(v, len(known)) for v in encoded.dictionary.to_pylist()]
    numbered: NDArray[np.int32] = np.array(dictionary_numbers, dtype=np.int32)[to_numpy(encoded.indices)]
    return numbered


def in_order(columns: Sequence[pa.Array]) -> tuple[pa.Array, NDArray[np.int32]]:
    """The different values of some columns end to end as texts, in the order of these, and the number of each.

    −1 for NULL. Values are texts, or whole numbers: of these only different ones have to be written.

    >>> names, codes = in_order([texts(["b", None]), texts(["a", "b"])])
    >>> names.to_pylist(), codes
    (['a', 'b'], array([ 1, -1,  0,  1], dtype=int32))
    >>> names, codes = in_order([numbers(np.array([9, 10, 9]))])
    >>> names.to_pylist(), codes
    (['10', '9'], array([1, 0, 1], dtype=int32))
    """
    kind = pa.int64() if columns and pa.types.is_integer(columns[0].type) else pa.large_string()
    encoded = pa.chunked_array([c.cast(kind) for c in columns], kind).combine_chunks().dictionary_encode()
    names = encoded.dictionary.cast(pa.large_string())
    order = to_numpy(pc.array_sort_indices(names)).astype(np.int64)
    number = np.full(len(order) + 1, -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return names.take(numbers(order)), number[filled(encoded.indices, len(order))]


def coding_table(codes: Mapping[str | None, int]) -> pa.Table:
    """Values and their numbers, as a table to join with.

    >>> coding_table({"a": 0, None: 1}).to_pylist()
    [{'value': 'a', 'code': 0}, {'value': None, 'code': 1}]
    """
    return pa.table({"value": texts(list(codes)), "code": numbers(np.array(list(codes.values()), dtype=np.int32))})


def label_table(labels: Mapping[str | None, str | None]) -> pa.Table:
    """Values and the texts that stand for them, as a table to join with; `seen` is 1 where there is one.

    >>> label_table({"119.90": "[100, 200)", None: None}).to_pylist()
    [{'value': '119.90', 'label': '[100, 200)', 'seen': 1}, {'value': None, 'label': None, 'seen': 1}]
    """
    seen = numbers(np.ones(len(labels), dtype=np.int32))
    return pa.table({"value": texts(list(labels)), "label": texts(list(labels.values())), "seen": seen})
