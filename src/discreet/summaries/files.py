"""Summaries as files, so that one scan serves many runs.

A file holds what the summary holds: counts of a private table, one or two attributes at a time, or (sample, exact)
whole combinations. Keep it as private as the table; it is written so that only its owner can read it.

The format is NumPy's npz: a header in JSON, then plain arrays of whole numbers. Nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, DiscreetError, Mistake
from discreet.files.small_files import small_json
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.words import rule_from_words
from discreet.summaries.arrays import BYTES, read_arrays, write_arrays
from discreet.summaries.contraction import Forest
from discreet.summaries.exact import Exact
from discreet.summaries.histogram import Histogram
from discreet.summaries.network import Network
from discreet.summaries.sample import Sample

Saveable = Network | Exact
Header = dict[str, Any]
FORMAT, VERSION = "discreet summary", 1
# What NumPy, zip and JSON say of bytes that are not what they expect.
_BROKEN = (
    *(ValueError, KeyError, AttributeError, TypeError, EOFError, ArithmeticError, MemoryError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error),  # a RuntimeError is also what is nested too deeply
)
_HEADER = "header"
_MEND = "make the summary again"
_KINDS: Mapping[str, type[Saveable]] = {"histogram": Histogram, "network": Network, "sample": Sample, "exact": Exact}


def save(summary: Saveable, path: Path, source: Path | None = None) -> None:
    """Write a summary; `source` is the file that it was made of, so that a later change of it can be noticed."""
    header: Header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind_of(summary),
        "rows": summary.rows,
        "quasi_identifiers": [_in_words(h) for h in summary.hierarchies],
        "sensitive": [_in_words(h) for h in summary.sensitive_hierarchies.values()],
        "source": None if source is None else fingerprint(source),
    }
    arrays: dict[str, Any] = {}
    if isinstance(summary, Network):
        header["edges"] = [list(edge) for edge in summary.tables]
        arrays |= {f"counts{v}": counts for v, counts in enumerate(summary.counts)}
        arrays |= {f"table{n}": table for n, table in enumerate(summary.tables.values())}
    else:
        f = summary.frequency
        arrays["counts"] = f.counts
        arrays |= {f"codes{v}": codes for v, codes in enumerate([*f.codes, *f.sensitive.values()])}
        if isinstance(summary, Sample):
            arrays |= {f"leaf_rows{d}": rows for d, rows in enumerate(summary.leaf_rows)}
    arrays = {_HEADER: np.frombuffer(json.dumps(header).encode("utf-8"), dtype=np.uint8)} | arrays
    if sum(array.nbytes for array in arrays.values()) > BYTES * 0.99:  # as much as will be read again
        rule = f"would be larger than {BYTES // 1_000_000} MB, unpacked"
        raise DataError(Mistake(str(path), rule, "make a network, a histogram or a sample, or use coarser hierarchies"))
    try:
        write_arrays(path, arrays)
    except OSError as error:
        repair = "name a file in a folder that you may write to"
        raise DataError(Mistake(str(path), f"can't be written: {error.strerror}", repair)) from None


def load(path: Path, as_meant: Callable[[Hierarchy], Hierarchy] = lambda hierarchy: hierarchy) -> Saveable:
    """Read a summary that `save` has written; its quasi-identifiers may be published `as_meant` by somebody else."""
    header, arrays = _read(path)
    try:
        return _summary(header, arrays, as_meant)
    except (*_BROKEN, IndexError, DiscreetError):
        raise DataError(Mistake(str(path), "is not a whole summary", _MEND)) from None


def is_stale(path: Path, source: Path) -> bool:
    """Was the summary made of another file, or of other content, than `source` has now? (Yes, if nobody noted it.)"""
    noted = _read(path, arrays=False)[0].get("source")
    if not isinstance(noted, dict) or noted.get("bytes") != source.stat().st_size:
        return True
    return noted != fingerprint(source)


def kind_of(summary: Saveable) -> str:
    """What kind of summary it is: histogram, network, sample or exact."""
    return next(word for word, kind in _KINDS.items() if type(summary) is kind)


def fingerprint(source: Path) -> dict[str, object]:
    """What tells one state of a file from another."""
    with source.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": source.stat().st_size}


def _in_words(hierarchy: Hierarchy) -> dict[str, object]:
    return {
        "attribute": hierarchy.attribute,
        "hierarchy": hierarchy.rule.to_words(),
        "leaves": list(hierarchy.leaves),
    }


def _hierarchy(words: Header) -> Hierarchy:
    leaves = words["leaves"]
    written = words["hierarchy"]["taxonomy"] if "taxonomy" in words["hierarchy"] else words["hierarchy"]
    if isinstance(written, str):
        raise ValueError("another file")  # a summary holds all that it needs: whoever made it may not name our files
    rule = rule_from_words(words["hierarchy"], "hierarchy", Path(), leaves, [1] * len(leaves))
    built = build(words["attribute"], leaves, rule)
    if list(built.leaves) != leaves:
        raise ValueError("other leaves")
    return built


def _read(path: Path, arrays: bool = True) -> tuple[Header, dict[str, Any]]:
    """The header, and the arrays behind it if they are wanted."""
    mistake = Mistake(str(path), "is not a summary", "give a file that was saved as one")
    try:
        data = read_arrays(path, _HEADER, others=arrays)
        written = data.pop(_HEADER).tobytes().decode("utf-8")
    except OSError as error:
        raise DataError(Mistake(str(path), f"can't be read: {error.strerror or 'broken'}", "check the path")) from None
    except _BROKEN:
        raise DataError(mistake) from None
    try:
        header = small_json(written, str(path))
    except DataError:
        raise DataError(mistake) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise DataError(mistake)
    if header.get("version") != VERSION:
        rule = f"is a summary of version {header.get('version')}, this is version {VERSION}"
        raise DataError(Mistake(str(path), rule, _MEND))
    return header, data


def _summary(header: Header, arrays: Mapping[str, Any], as_meant: Callable[[Hierarchy], Hierarchy]) -> Saveable:
    """The summary, where everything fits together; any error if something does not."""
    hierarchies = tuple(as_meant(_hierarchy(words)) for words in header["quasi_identifiers"])
    sensitive = {h.attribute: h for h in map(_hierarchy, header["sensitive"])}
    every = [*hierarchies, *sensitive.values()]
    leaves = [len(h.leaves) for h in every]
    kind = _KINDS[header["kind"]]
    summary: Saveable
    if issubclass(kind, Network):
        edges = [(int(i), int(j)) for i, j in header["edges"]]
        counts = tuple(_counts(arrays[f"counts{v}"], (leaves[v],)) for v in range(len(every)))
        tables = {(i, j): _counts(arrays[f"table{n}"], (leaves[i], leaves[j])) for n, (i, j) in enumerate(edges)}
        for (i, j), table in tables.items():
            if not i < j or (table.sum(axis=1) != counts[i]).any() or (table.sum(axis=0) != counts[j]).any():
                raise ValueError("tables that contradict each other")
        if len({int(c.sum()) for c in counts}) != 1:
            raise ValueError("columns of different length")
        if len(tables) != sum(len(tree) - 1 for tree in Forest(counts, tables).trees):
            raise ValueError("a ring")
        summary = (
            Histogram(hierarchies, sensitive, counts)
            if kind is Histogram
            else Network(hierarchies, sensitive, counts, tables)
        )
    else:
        rows = arrays["counts"]
        codes = [_codes(arrays[f"codes{v}"], len(rows), leaves[v]) for v in range(len(every))]
        width = len(hierarchies)
        frequency = FrequencySet(
            hierarchies,
            tuple(codes[:width]),
            dict(zip(sensitive, codes[width:], strict=True)),
            sensitive,
            _counts(rows, rows.shape[:1]),
        )
        if kind is Sample:
            leaf_rows = tuple(_counts(arrays[f"leaf_rows{d}"], (leaves[d],)) for d in range(width))
            summary = Sample(frequency, leaf_rows)
        else:
            summary = Exact(frequency)
    if summary.rows != header["rows"] or summary.rows < 1:
        raise ValueError("another number of rows")
    return summary


def _counts(array: IntArray, shape: tuple[int, ...]) -> IntArray:
    if array.dtype != np.int64 or array.shape != shape or (array < 0).any():
        raise ValueError("no counts")
    return array


def _codes(array: Any, rows: int, leaves: int) -> Any:
    if array.dtype != np.int32 or array.shape != (rows,) or (array < 0).any() or (array >= leaves).any():
        raise ValueError("no codes")
    return array
