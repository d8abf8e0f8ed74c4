"""Tables of studies: samples, and fewer columns."""

from __future__ import annotations

import numpy as np

from discreet.reproduce.realistic import invented
from discreet.reproduce.tables import first_attributes, sample


def test_a_sample_has_rows_of_the_table_and_as_many_as_asked_for() -> None:
    table = invented(5_000).frequency
    few = sample(table, 1_200)
    assert few.rows == 1_200
    assert sample(table, 5_000) is table
    assert sample(table, None) is table
    stacked = np.array([*table.codes, table.sensitive["salary"]]).T
    held = {tuple(line): n for line, n in zip(stacked.tolist(), table.counts.tolist(), strict=True)}
    drawn = np.array([*few.codes, few.sensitive["salary"]]).T
    assert all(0 < n <= held[tuple(line)] for line, n in zip(drawn.tolist(), few.counts.tolist(), strict=True))


def test_fewer_attributes_keep_every_row_and_every_sensitive_value() -> None:
    table = invented(3_000).frequency
    two = first_attributes(table, 2)
    assert two.attributes == table.attributes[:2]
    assert two.rows == table.rows
    assert (two.totals["salary"] == table.totals["salary"]).all()
    key = np.array([*two.codes, two.sensitive["salary"]]).T
    assert len({tuple(line) for line in key.tolist()}) == len(two.counts)
