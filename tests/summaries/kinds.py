"""Every kind of summary of one table."""

from __future__ import annotations

import numpy as np

from discreet.summaries.build import histogram_from_pairs, network_from_pairs
from discreet.summaries.exact import Exact
from discreet.summaries.files import Saveable
from discreet.summaries.sample import Sample
from tests.strategies import Table
from tests.summaries.cases import of_table


def all_kinds(table: Table) -> list[Saveable]:
    """Every kind of summary; the rows are a sample of a table with three times as many."""
    found, frequency = of_table(table), table.frequency()
    leaf_rows = tuple(
        np.array([sum(row[d] == leaf for row in table.rows) * 3 for leaf in h.leaves], dtype=np.int64)
        for d, h in enumerate(frequency.hierarchies)
    )
    return [histogram_from_pairs(*found), network_from_pairs(*found), Exact(frequency), Sample(frequency, leaf_rows)]
