"""The tables of the instant study: a census and parts of it, in memory and as a database has them, with summaries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from discreet.counts.frequency import FrequencySet
from discreet.engines.base import PairCounts
from discreet.engines.duckdb.engine import DuckDB
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.run.looks import Looks
from discreet.studies.data.census import SENSITIVE
from discreet.studies.data.tables import StudyTable, first_attributes, sample
from discreet.studies.timing import timed
from discreet.summaries.build import histogram_from_pairs, network_from_pairs
from discreet.summaries.network import Network


@dataclass(eq=False)
class Part:
    """Some rows of the census with its first attributes: counted in memory, and as rows in a file of an engine.

    The summaries are made of one scan of that file, which is the only one they take.
    """

    frequency: FrequencySet
    engine: DuckDB
    pairs: PairCounts
    seconds_to_count: float  # that scan

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

    def __init__(self, table: StudyTable, folder: Path):
        self._frequency, self._folder = table.frequency, folder
        self._known: dict[tuple[int, int], Part] = {}

    def part(self, rows: int, attributes: int) -> Part:
        """So many rows, with so many of the first quasi-identifiers."""
        known = self._known.get((rows, attributes))
        if known is None:
            known = self._known[rows, attributes] = self._made(rows, attributes)
        return known

    def _made(self, rows: int, attributes: int) -> Part:
        all_attributes = len(self._frequency.hierarchies)
        if attributes < all_attributes:
            whole = self.part(rows, all_attributes)
            return replace(whole, frequency=first_attributes(whole.frequency, attributes))
        table, file = sample(self._frequency, rows), self._folder / f"{rows}.parquet"
        _write(table, file)
        engine = DuckDB(file)
        pairs, seconds = timed(lambda: engine.pair_counts([*table.attributes, SENSITIVE]))
        return Part(table, engine, pairs, seconds)


def _write(table: FrequencySet, file: Path) -> None:
    """The rows themselves, in random order, as text."""
    order = np.random.default_rng(7).permutation(np.repeat(np.arange(len(table.counts)), table.counts))
    columns = {h.attribute: (h, codes) for h, codes in zip(table.hierarchies, table.codes, strict=True)}
    columns |= {name: (table.sensitive_hierarchies[name], codes) for name, codes in table.sensitive.items()}
    texts = {name: pa.array(list(h.leaves)).take(pa.array(codes[order])) for name, (h, codes) in columns.items()}
    parquet.write_table(pa.table(texts), file)
