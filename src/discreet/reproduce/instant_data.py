"""The tables of the instant study: a census and parts of it, in memory and as a database has them, with summaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.engines.duckdb import DuckDB
from discreet.engines.pairs import PairCounts, pair_counts
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.looks import Looks
from discreet.reproduce.ambiguity_data import SENSITIVE, from_folder, invented
from discreet.reproduce.tables import Study, first_attributes, sample
from discreet.reproduce.timing import timed
from discreet.summaries.build import histogram_from_pairs, network_from_pairs
from discreet.summaries.network import Network

__all__ = ["SENSITIVE", "Part", "Parts", "from_folder", "invented"]


@dataclass(eq=False)
class Part:
    """Some rows of the census with its first attributes: counted in memory, and as rows in a file of an engine.

    The summaries are made of one scan of that file, which is the only one they take.
    """

    frequency: FrequencySet
    engine: DuckDB
    pairs: PairCounts
    seconds_to_count: float  # that scan: all pairs of values
    seconds_to_count_singles: float  # the same without pairs: what a histogram needs

    @property
    def sensitive(self) -> dict[str, Hierarchy]:
        """The sensitive attribute's hierarchy, by name."""
        return dict(self.frequency.sensitive_hierarchies)

    @cached_property
    def histogram(self) -> Network:
        """Each attribute by itself."""
        return histogram_from_pairs(self.pairs, self.frequency.hierarchies, self.sensitive)

    @cached_property
    def network(self) -> Network:
        """The tree that tells most."""
        return network_from_pairs(self.pairs, self.frequency.hierarchies, self.sensitive)

    def looks(self, promise_about: str) -> Looks:
        """The file, to be looked at; with sensitive values only if a promise is about them."""
        width = len(self.frequency.hierarchies)
        sensitive = self.sensitive if promise_about else {}
        return Looks(self.engine, self.frequency.hierarchies, sensitive, self.histogram.counts[:width])


class Parts:
    """All parts of a census that a study asks for, each made once; their rows are files in a folder of its own."""

    def __init__(self, study: Study, folder: Path):
        self._study, self._folder = study, folder
        self._of_rows: dict[int, tuple[FrequencySet, DuckDB, PairCounts, float, float]] = {}
        self._parts: dict[tuple[int, int], Part] = {}

    def part(self, rows: int, attributes: int) -> Part:
        """So many rows, with so many of the first quasi-identifiers."""
        known = self._parts.get((rows, attributes))
        if known is None:
            table, *counted = self._counted(rows)
            fewer = table if attributes == len(table.hierarchies) else first_attributes(table, attributes)
            known = self._parts[rows, attributes] = Part(fewer, *counted)
        return known

    def _counted(self, rows: int) -> tuple[FrequencySet, DuckDB, PairCounts, float, float]:
        known = self._of_rows.get(rows)
        if known is None:
            table = sample(self._study.frequency, rows)
            file = self._folder / f"{rows}.parquet"
            _write(table, file)
            engine = DuckDB(file)
            columns = [*table.attributes, SENSITIVE]
            pairs, seconds = timed(lambda: pair_counts(engine, columns))
            _, of_singles = timed(_singles(engine, columns))
            known = self._of_rows[rows] = table, engine, pairs, seconds, of_singles
        return known


def _singles(engine: DuckDB, columns: list[str]) -> Callable[[], object]:
    return lambda: [engine.frequencies([column]) for column in columns]


def _write(table: FrequencySet, file: Path) -> None:
    """The rows themselves, in random order, as text."""
    import pyarrow as pa
    from pyarrow import parquet

    order = np.random.default_rng(7).permutation(np.repeat(np.arange(len(table.counts)), table.counts))
    columns = {h.attribute: (h, codes) for h, codes in zip(table.hierarchies, table.codes, strict=True)}
    columns |= {name: (table.sensitive_hierarchies[name], codes) for name, codes in table.sensitive.items()}
    texts = {name: pa.array(list(h.leaves)).take(pa.array(codes[order])) for name, (h, codes) in columns.items()}
    parquet.write_table(pa.table(texts), file)
