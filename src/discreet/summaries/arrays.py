"""Arrays of whole numbers in a zip file, NumPy's npz, of which nothing is believed before it is checked.

Three megabytes of zeros, compressed, become three gigabytes; and an array says itself how large it is. So the sizes
that the file declares are looked at first: those of all arrays together are bounded, and each must be what its own
header says. Nothing in it is ever executed: there are no pickles.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

import numpy as np

from discreet.errors import DataError, Mistake
from discreet.files.small_files import LIMIT, check_regular

BYTES = 500_000_000  # of all arrays, unpacked
_ENTRIES = 10_000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SUFFIX = ".npy"


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """The whole file or none, readable for its owner alone."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            np.savez_compressed(file, allow_pickle=False, **arrays)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink()
            raise


def read_arrays(path: Path, first: str, *, others: bool) -> dict[str, Any]:
    """The array called `first`, and all others if they are wanted; raises ValueError where the file is another."""
    check_regular(path, str(path))
    with path.open("rb") as file, zipfile.ZipFile(file) as packed:
        entries = packed.infolist()
        if len(entries) > _ENTRIES or sum(entry.file_size for entry in entries) > BYTES:
            rule = f"is larger than {BYTES // 1_000_000} MB, unpacked"
            raise DataError(Mistake(str(path), rule, "make a network, a histogram or a sample"))
        if any(entry.compress_type not in _METHODS or entry.flag_bits & 1 for entry in entries):
            raise ValueError("packed in another way")
        if any(entry.file_size > LIMIT for entry in entries if entry.filename == first + _SUFFIX):
            raise ValueError("a header that is too large")
        named = {entry.filename.removesuffix(_SUFFIX): entry for entry in entries}
        return {name: _array(packed, entry) for name, entry in named.items() if others or name == first}


def _array(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Any:
    with packed.open(entry) as stream:
        _check(stream, entry.file_size)
    with packed.open(entry) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def _check(stream: IO[bytes], size: int) -> None:
    """Is it as large as its header says? (NumPy would make room for that first, and look afterwards.)"""
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError("another version")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    if dtype.hasobject or any(length < 0 for length in shape):
        raise ValueError("not whole numbers")
    if math.prod(shape) * dtype.itemsize != size - stream.tell():
        raise ValueError("another size than it says")
