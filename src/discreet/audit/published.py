"""A finished release of exact values as an adversary reads it, and the list of people that she holds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.base import Frequencies
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError, DiscreetError, Mistake, did_you_mean

IntArray = NDArray[np.int64]

BUCKETIZED, AMBIGUOUS = "bucketization", "ambiguity"
_AGAIN = "get the whole release again"


@dataclass(frozen=True, eq=False)
class Table:
    """A published table of exact quasi-identifiers: its distinct rows, and the group of each."""

    columns: tuple[str, ...]
    found: Frequencies
    group: IntArray


@dataclass(frozen=True, eq=False)
class PublishedRelease:
    """What is published about presence: tables of quasi-identifiers, and how many people each group has.

    A bucketized release has one table, with a row for everybody; an ambiguous one has several, of distinct values.
    `alpha` is what it promises about presence, if anything.
    """

    publish: str
    quasi_identifiers: tuple[str, ...]
    tables: tuple[Table, ...]
    sizes: IntArray
    alpha: Fraction | None


@dataclass(frozen=True, eq=False)
class Population:
    """The list: distinct combinations of the quasi-identifiers, and how many people have each."""

    columns: tuple[str, ...]
    found: Frequencies

    @property
    def people(self) -> int:
        return int(self.found.counts.sum())


def read_release(folder: Path) -> PublishedRelease:
    """Read the published files, one scan of each; the manifest only says which columns are what."""
    manifest = _manifest(folder)
    try:
        publish, files = str(manifest["publish"]), dict(manifest.get("tables", {}))
        if publish not in (BUCKETIZED, AMBIGUOUS):
            rule = f"was published by {publish}, which has no tables of exact values to strike combinations out of"
            raise DiscreetError(Mistake(str(folder), rule, "presence is audited for bucketization and ambiguity"))
        roles, group = dict(manifest["roles"]), str(manifest["group_column"])
        about = {
            str(file): [str(c) for c in columns if roles[c] == "quasi_identifier"] for file, columns in files.items()
        }
        quasi_identifiers = tuple(c for c, role in roles.items() if role == "quasi_identifier")
        alpha = _promised_alpha(manifest["promises"])
        count = "" if publish == BUCKETIZED else str(manifest["count_column"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(Mistake("manifest.json", "is not the manifest of a release", _AGAIN)) from None
    read = {file: _read(folder, file, columns, group) for file, columns in about.items() if columns}
    apart = sorted(c for columns, _, _ in read.values() for c in columns)
    if apart != sorted(quasi_identifiers) or (publish == BUCKETIZED and len(read) != 1):
        raise DataError(Mistake("manifest.json", "its tables have not every quasi-identifier once", _AGAIN))
    if publish == BUCKETIZED:
        [(_, found, names)] = read.values()
        numbers = {name: i for i, name in enumerate(names)}
        sizes = np.bincount(found.codes[-1], weights=found.counts, minlength=len(names)).astype(np.int64)
    else:
        numbers, sizes = _sizes(folder, [file for file, columns in about.items() if not columns], group, count)
    tables = tuple(_table(file, *parts, numbers) for file, parts in read.items())
    return PublishedRelease(publish, quasi_identifiers, tables, sizes, alpha)


def read_population(source: Any, columns: Sequence[str]) -> Population:
    """Count the list (a path or a frame): one scan. Columns in any order, others are of no use here."""
    engine = DuckDB(source, columns)
    lacking = [c for c in columns if c not in engine.columns]
    if lacking:
        repair = "a list of people with every quasi-identifier of the release is needed"
        raise DataError(
            *(Mistake("population", f"has no column {c!r}", _hint(c, engine.columns) or repair) for c in lacking)
        )
    found = engine.frequencies(list(columns))
    if not len(found.counts):
        raise DataError(Mistake("population", "has nobody in it", "give a list with at least one person"))
    return Population(tuple(columns), found)


def combination_codes(table: Table, population: Population) -> tuple[IntArray, IntArray]:
    """A number for every combination of a table's columns, the same for entries and people; −1: not published."""
    own = np.zeros(len(table.group), dtype=np.int64)
    theirs = np.zeros(len(population.found.counts), dtype=np.int64)
    strange = np.zeros(len(theirs), dtype=np.bool_)
    for column, values, codes in zip(table.columns, table.found.values, table.found.codes, strict=True):
        at = population.columns.index(column)
        index = {value: i for i, value in enumerate(values)}
        places = np.array([index.get(value, -1) for value in population.found.values[at]], dtype=np.int64)
        place = places[population.found.codes[at]]
        strange |= place < 0
        both = np.concatenate([own * len(values) + codes, theirs * len(values) + np.maximum(place, 0)])
        both = np.unique(both, return_inverse=True)[1]
        own, theirs = both[: len(own)], both[len(own) :]
    return own, np.where(strange, -1, theirs)


def _hint(name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known)
    return hint if hint.startswith("did you mean") else ""


def _manifest(folder: Path) -> Mapping[str, Any]:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        rule = "is not a release: it has no manifest.json" if folder.exists() else "no such folder"
        raise DataError(Mistake(str(folder), rule, "name the folder of a release")) from None
    except (OSError, ValueError, RecursionError):
        raise DataError(Mistake(str(folder / "manifest.json"), "can't be read", _AGAIN)) from None
    if not isinstance(manifest, dict):
        raise DataError(Mistake("manifest.json", "is not the manifest of a release", _AGAIN))
    return manifest


def _promised_alpha(promises: Sequence[Mapping[str, Any]]) -> Fraction | None:
    """The smallest α that is promised."""
    said = [promise["model"]["ambiguity"]["alpha"] for promise in promises if "ambiguity" in promise["model"]]
    return min((Fraction(str(alpha)) for alpha in said), default=None)


def _read(
    folder: Path, file: str, columns: Sequence[str], group: str
) -> tuple[list[str], Frequencies, tuple[Any, ...]]:
    """The distinct rows of a table with their groups (the last column), and the names of these."""
    engine = _open(folder, file, [*columns, group])
    found = engine.frequencies([*columns, group])
    return list(columns), found, found.values[-1]


def _open(folder: Path, file: str, columns: Sequence[str]) -> DuckDB:
    if Path(file).name != file:
        raise DataError(Mistake("manifest.json", "names a file of another folder", _AGAIN))
    engine = DuckDB(folder / file, columns)
    if not {*columns} <= {*engine.columns}:
        raise DataError(Mistake(file, "has not the columns that the manifest says", _AGAIN))
    return engine


def _sizes(folder: Path, files: Sequence[str], group: str, count: str) -> tuple[dict[Any, int], IntArray]:
    """How many people each group has, by the counts in the sensitive table; and the groups' numbers by name."""
    if len(files) != 1:
        raise DataError(Mistake("manifest.json", "names no table of sensitive values, or several", _AGAIN))
    [file] = files
    found = _open(folder, file, [group, count]).frequencies([group, count])
    if not all(text is not None and re.fullmatch(r"[0-9]{1,10}", text) for text in found.values[1]):
        raise DataError(Mistake(file, "has counts that are no whole numbers", _AGAIN))
    each = np.array([int(str(text)) for text in found.values[1]], dtype=np.int64)[found.codes[1]]
    names = found.values[0]
    sizes = np.bincount(found.codes[0], weights=each * found.counts, minlength=len(names)).astype(np.int64)
    return {name: i for i, name in enumerate(names)}, sizes


def _table(
    file: str, columns: Sequence[str], found: Frequencies, names: Sequence[Any], numbers: Mapping[Any, int]
) -> Table:
    if {*names} != numbers.keys():
        raise DataError(Mistake(file, "has not the groups that the other tables have", _AGAIN))
    number = np.array([numbers[name] for name in names], dtype=np.int64)
    own = Frequencies(found.values[:-1], found.codes[:-1], found.counts)
    return Table(tuple(columns), own, number[found.codes[-1]])
