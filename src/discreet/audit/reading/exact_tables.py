"""Tables of exact values as an adversary finds them in a release, and the list of people that she holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.audit.reading.source import open_beside
from discreet.engines.base import Frequencies
from discreet.errors import DataError, Mistake, did_you_mean


@dataclass(frozen=True, eq=False)
class Table:
    """A published table of exact quasi-identifiers: its distinct rows, and the group of each."""

    columns: tuple[str, ...]
    frequencies: Frequencies
    group: IntArray


@dataclass(frozen=True, eq=False)
class Population:
    """The list: distinct combinations of the quasi-identifiers, and how many people have each."""

    columns: tuple[str, ...]
    frequencies: Frequencies

    @property
    def people(self) -> int:
        return int(self.frequencies.counts.sum())


def read_population(source: Any, columns: Sequence[str], person: str = "") -> Population:
    """Count the list (a path or a frame): one scan. Columns in any order, others are of no use here.

    If it has a column `person`, somebody with several rows counts once.
    """
    engine = open_beside(source, columns)
    lacking = [c for c in columns if c not in engine.columns]
    if lacking:
        repair = "a list of people with every quasi-identifier of the release is needed"
        raise DataError(
            *(Mistake("population", f"has no column {c!r}", _hint(c, engine.columns) or repair) for c in lacking)
        )
    counted = engine.frequencies([*columns, *([person] if person in engine.columns else [])])
    frequencies = _of_people(counted, columns).by_text()
    if not len(frequencies.counts):
        raise DataError(Mistake("population", "has nobody in it", "give a list with at least one person"))
    return Population(tuple(columns), frequencies)


def _of_people(counted: Frequencies, columns: Sequence[str]) -> Frequencies:
    """How many people have each combination, if a column after these names them; who is not named is a person each."""
    if len(counted.codes) == len(columns):
        return counted
    unnamed = np.array([name is None for name in counted.values[-1]], dtype=np.bool_)[counted.codes[-1]]
    several = int((np.bincount(counted.codes[-1][~unnamed], minlength=1) > 1).sum())
    if several:
        rule = f"{several:,} {'person has' if several == 1 else 'people have'} rows with different quasi-identifiers"
        raise DataError(Mistake("population", rule, "keep one row for each person, the same that the table has"))
    key = number_equal(counted.codes[:-1], len(counted.counts))
    first = np.unique(key, return_index=True)[1]
    people = np.bincount(key, weights=np.where(unnamed, counted.counts, 1), minlength=len(first)).astype(np.int64)
    return Frequencies(counted.values[:-1], tuple(codes[first] for codes in counted.codes[:-1]), people)


def combination_codes(table: Table, population: Population) -> tuple[IntArray, IntArray]:
    """A number for every combination of a table's columns, the same for entries and people; −1: not published."""
    entries, people = len(table.group), len(population.frequencies.counts)
    both, strange = [], np.zeros(people, dtype=np.bool_)
    for column, values, codes in zip(table.columns, table.frequencies.values, table.frequencies.codes, strict=True):
        at = population.columns.index(column)
        index = {value: i for i, value in enumerate(values)}
        places = np.array([index.get(value, -1) for value in population.frequencies.values[at]], dtype=np.int64)
        place = places[population.frequencies.codes[at]]
        strange |= place < 0
        both.append(np.concatenate([codes, np.maximum(place, 0)]))
    numbers = number_equal(both, entries + people)
    return numbers[:entries], np.where(strange, -1, numbers[entries:])


def _hint(name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known)
    return hint if hint.startswith("did you mean") else ""
