"""Adult, a sample of the American census of 1994, for the robustness study and the presence one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

FILE = Path("adult") / "adult.csv"
ROWS = 45_222  # complete ones
_UNKNOWN = "?"


def complete_rows(source: Path) -> pa.Table:
    """The rows of Adult in which nothing is unknown; all columns are texts."""
    with source.open(encoding="utf-8") as lines:
        header = lines.readline().rstrip("\n").split(",")
    as_text = csv.ConvertOptions(column_types=dict.fromkeys(header, "string"))
    table = csv.read_csv(source, convert_options=as_text)
    known = np.ones(table.num_rows, dtype=np.bool_)
    for column in table.columns:
        known &= pc.not_equal(column, _UNKNOWN).fill_null(False).to_numpy()
    return table.filter(known)
