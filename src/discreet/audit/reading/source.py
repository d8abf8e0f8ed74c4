"""The table that a release is said to be made of, in the words of the release.

Another tool may have renamed columns and recoded values; a description says which is which (`columns`). Everything here
that looks at the source sees it as the release would write it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.arrays import Codes, number_equal
from discreet.audit.reading.published_as import called
from discreet.engines.base import Engine, Frequencies
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.open import open_source
from discreet.engines.reading import AS_IT_STANDS, Reading
from discreet.engines.reading_words import reading_from_words
from discreet.errors import Mistake, did_you_mean

if TYPE_CHECKING:
    from discreet.audit.reading.description import Description

Text = str | None


@dataclass(frozen=True, eq=False)
class Source:
    """The source: `columns` by their names in the release, values as the release writes them.

    `names` has the source's own name of a column that the release calls otherwise, `words` what a value of the source
    is called in the release. One value of the release may stand for several of the source.
    """

    engine: Engine
    columns: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Mapping[Text, Text]] = field(default_factory=dict)

    @property
    def has_order(self) -> bool:
        """Do its rows stand in an order? Those of a database do not."""
        return isinstance(self.engine, DuckDB)

    def called(self, column: str) -> str | None:
        """The name in the release of a column that is called so here or there; None if the source has none."""
        if column and column in self.columns:
            return column
        return next((name for name, own in self.names.items() if own == column), None)

    def frequencies(self, columns: Sequence[str]) -> Frequencies:
        """Distinct combinations with their counts, as those of an engine: one scan."""
        counted = self.engine.frequencies([self.names.get(c, c) for c in columns])
        if not any(self.words.get(c) for c in columns):
            return counted
        both = [self._renamed(*column) for column in zip(columns, counted.values, counted.codes, strict=True)]
        key = number_equal([codes for _, codes in both], len(counted.counts))
        first = np.unique(key, return_index=True)[1]
        counts = np.bincount(key, weights=counted.counts, minlength=len(first)).astype(np.int64)
        return Frequencies(tuple(values for values, _ in both), tuple(codes[first] for _, codes in both), counts)

    def rows(self, columns: Sequence[str]) -> tuple[tuple[tuple[Text, ...], ...], tuple[Codes, ...]]:
        """Columns as the rows stand: the distinct values of each, and the place of every row's: one scan."""
        own = [self.names.get(c, c) for c in columns]
        values, codes = in_order(self.engine, own) if isinstance(self.engine, DuckDB) else repeated(
            self.engine.frequencies(own)
        )  # fmt: skip
        both = [self._renamed(*column) for column in zip(columns, values, codes, strict=True)]
        return tuple(texts for texts, _ in both), tuple(places for _, places in both)

    def _renamed(self, column: str, values: Sequence[Text], codes: Codes) -> tuple[tuple[Text, ...], Codes]:
        words = self.words.get(column)
        if not words:
            return tuple(values), codes
        place: dict[Text, int] = {}
        numbers = [place.setdefault(words.get(value, value), len(place)) for value in values]
        return tuple(place), np.array(numbers, dtype=np.int32)[codes]


def open_beside(
    source: Any,
    columns: Sequence[str],
    description: Description | None = None,
    reading: Reading = AS_IT_STANDS,
) -> Source:
    """Open a source (a path or a frame; or one that was opened), in the words of a release that has these columns.

    Its cells are read as the `reading` says, or the policy of the release that is described.

    >>> from discreet.audit.reading.description import Description, How
    >>> hows = {"sex": How(source="gender", words={"F": "female"})}
    >>> said = Description(("sex",), (), {"data.csv": ("sex",)}, columns=hows)
    >>> beside = open_beside({"gender": ["F", "M", "F"]}, ["sex"], said)
    >>> beside.columns, beside.rows(["sex"])[0]
    (('sex',), (('female', 'M'),))

    What a release publishes coarser, its words tell; each such column is a scan more.
    """
    if isinstance(source, Source):
        return source
    hows = {} if description is None else description.columns
    names = {c: how.source for c, how in hows.items() if how.source}
    if description is not None:
        reading = reading_from_words(description.manifest.get("policy"))
    engine = open_source(source, [names.get(c, c) for c in columns], reading, said_of_it=False)
    there = {c: name for c, name in names.items() if name in engine.columns}
    # A column that the release calls otherwise is not there a second time by its own name.
    others = [c for c in engine.columns if c not in names and c not in there.values()]
    words = {c: how.words for c, how in hows.items() if how.words}
    for column, said in ({} if description is None else description.published_as).items():
        own = there.get(column, column)
        if own in engine.columns and column not in words:
            words[column] = called(said, engine.frequencies([own]).values[0])
    return Source(engine, (*there, *others), there, words)


def lacking_column(source: Source, column: str, *, ours: bool, place: str = "source") -> Mistake:
    """A column of the release that the source has not; another tool's description may say what it is called there."""
    hint = did_you_mean(column, source.columns)
    if not ours and not hint.startswith("did you mean"):
        hint = f"say in the description what it is called there: columns: {{{column}: {{source: …}}}}"
    return Mistake(place, f"has no column {column!r}", hint)


def repeated(frequencies: Frequencies) -> tuple[tuple[tuple[Text, ...], ...], tuple[Codes, ...]]:
    """Rows that were counted, one by one: the distinct values of each column, and the place of every row's."""
    return frequencies.values, tuple(np.repeat(codes, frequencies.counts) for codes in frequencies.codes)


def in_order(engine: DuckDB, columns: Sequence[str]) -> tuple[tuple[tuple[Text, ...], ...], tuple[Codes, ...]]:
    """Columns of a table as its rows stand: the distinct values of each, and the place of every row's: one scan."""
    known: list[dict[Text, int]] = [{} for _ in columns]
    parts: list[list[Codes]] = [[np.empty(0, dtype=np.int32)] for _ in columns]
    for batch in engine.rows(columns, known, in_order=True):
        for column, codes in zip(parts, batch, strict=True):
            column.append(codes)
    return tuple(tuple(place) for place in known), tuple(map(np.concatenate, parts))
