"""The table of a study: taken in from a folder or invented, and parts of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, Mistake
from discreet.policy.policy import policy_from_words
from discreet.run.intake import take_in
from discreet.samples.census import Small
from discreet.utility.leaf_bits import distinct


@dataclass(frozen=True, eq=False)
class StudyTable:
    """The table of a study, and where it comes from."""

    frequency: FrequencySet
    data: str
    from_folder: bool


def counted(hierarchies: Mapping[str, object], sensitive: str, source: Any) -> FrequencySet:
    """A table's combinations of some quasi-identifiers (with their hierarchies in words) and a sensitive attribute."""
    attributes: dict[str, object] = {
        name: {"role": "quasi_identifier", "hierarchy": words} for name, words in hierarchies.items()
    }
    words = {"attributes": attributes | {sensitive: {"role": "sensitive"}}, "require": [{"k_anonymity": {"k": 2}}]}
    return take_in(policy_from_words(words), source).frequency


def in_folder(path: Path) -> Path:
    """A file that the folder must have, since somebody named the folder."""
    if not path.is_file():
        raise DataError(Mistake(str(path), "no such file", "name the folder that has it, or leave --data out"))
    return path


def invented_columns(codes: Mapping[str, Small], values: Mapping[str, Sequence[str]]) -> pa.Table:
    """Columns of invented people as a table."""
    columns = {n: pa.DictionaryArray.from_arrays(pa.array(c), pa.array(list(values[n]))) for n, c in codes.items()}
    return pa.table(columns)


def values_told(frequency: FrequencySet) -> str:
    """How many rows, and how many values each quasi-identifier has."""
    values = ", ".join(f"{h.attribute} {len(h.leaves)}" for h in frequency.hierarchies)
    return f"{frequency.rows:,} rows; values: {values}"


def sample(frequency: FrequencySet, rows: int | None, seed: int = 7) -> FrequencySet:
    """`rows` rows of the table, without replacement; all of it where it has no more, or where None is asked for."""
    if rows is None or rows >= frequency.rows:
        return frequency
    random = np.random.default_rng(seed)
    counts = random.multivariate_hypergeometric(frequency.counts, rows, method="marginals")
    kept = np.flatnonzero(counts)
    return replace(
        frequency,
        codes=tuple(codes[kept] for codes in frequency.codes),
        sensitive={name: codes[kept] for name, codes in frequency.sensitive.items()},
        counts=counts[kept],
    )


def first_attributes(frequency: FrequencySet, many: int) -> FrequencySet:
    """The same table without the quasi-identifiers behind the first `many`."""
    return merged(replace(frequency, hierarchies=frequency.hierarchies[:many], codes=frequency.codes[:many]))


def merged(frequency: FrequencySet) -> FrequencySet:
    """The same table with equal combinations counted together."""
    number, first = distinct([*frequency.codes, *frequency.sensitive.values()], len(frequency.counts))
    return replace(
        frequency,
        codes=tuple(codes[first] for codes in frequency.codes),
        sensitive={name: codes[first] for name, codes in frequency.sensitive.items()},
        counts=np.bincount(number, weights=frequency.counts, minlength=len(first)).astype(np.int64),
    )
