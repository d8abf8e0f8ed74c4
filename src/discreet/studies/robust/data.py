"""The table of the robustness paper's study: Adult without rows that have unknown values, or people like these.

Eight quasi-identifiers in the paper's order, of which a study takes the first few; sensitive is education, of which the
levels below the ninth class are protected together (3.46% of the people there).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.labels.figures import percent
from discreet.studies.tables import Study, counted, in_folder, invented_columns, sample, values_told

if TYPE_CHECKING:
    import pyarrow as pa

ADULT = Path("adult") / "adult.csv"
SENSITIVE = "education"
ROWS = 45_222  # complete rows of Adult
# As the folder names them, and as census_like does.
_COLUMNS = {
    "age": "age",
    "workclass": "workclass",
    "marital-status": "marital_status",
    "occupation": "occupation",
    "race": "race",
    "sex": "sex",
    "native-country": "native_country",
    "salary-class": "salary",
}
_UNKNOWN = "?"
_WELL_PAID = 0.248  # the share of the higher salary class in Adult
_LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
_LOW_INVENTED = ("None", "1st-4th", "5th-6th", "7th-8th")


@dataclass(frozen=True, eq=False)
class RobustStudy(Study):
    """With the sensitive values that are protected together."""

    protected: tuple[str, ...]


def from_folder(folder: Path, rows: int | None = None) -> RobustStudy:
    """Adult's complete rows, with the folder's hierarchies."""
    names = {"income" if name == "salary-class" else name: name for name in _COLUMNS} | {SENSITIVE: SENSITIVE}
    table = complete_rows(in_folder(folder / ADULT)).select(list(names)).rename_columns(list(names.values()))
    hierarchies = {name: str(folder / "adult" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    frequency = sample(counted(hierarchies, SENSITIVE, table), rows)
    return _study(frequency, f"{ADULT.as_posix()}, complete rows", True, _LOW)


def complete_rows(source: Path) -> pa.Table:
    """The rows of Adult in which nothing is unknown; all columns are texts."""
    import pyarrow.compute as pc
    import pyarrow.csv

    with source.open(encoding="utf-8") as lines:
        header = lines.readline().rstrip("\n").split(",")
    as_text = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(header, "string"))
    table = pyarrow.csv.read_csv(source, convert_options=as_text)
    known = np.ones(table.num_rows, dtype=np.bool_)
    for column in table.columns:
        known &= pc.not_equal(column, _UNKNOWN).fill_null(False).to_numpy()
    return table.filter(known)


def invented(rows: int = ROWS, seed: int = 7) -> RobustStudy:
    """As many people who do not exist, with the same columns: education hangs on age, work on education."""
    from discreet.samples.census import CENSUS, draw_columns

    names = [*_COLUMNS.values(), SENSITIVE]
    codes = draw_columns(CENSUS, names, rows, seed)
    above = np.array([(codes["salary"] >= cut).mean() for cut in range(len(CENSUS["salary"].values))])
    codes["salary"] = (codes["salary"] >= np.argmin(np.abs(above - _WELL_PAID))).astype(np.int16)
    values = {name: CENSUS[name].values for name in names} | {"salary": ("low", "high")}
    hierarchies = {name: CENSUS[name].hierarchy for name in _COLUMNS.values()} | {"salary": {"flat": True}}
    frequency = counted(hierarchies, SENSITIVE, invented_columns(codes, values))
    return _study(frequency, "invented people, as no data folder was given", False, _LOW_INVENTED)


def _study(frequency: FrequencySet, origin: str, from_folder: bool, protected: tuple[str, ...]) -> RobustStudy:
    leaves = frequency.sensitive_hierarchies[SENSITIVE].index
    many = sum(int(frequency.totals[SENSITIVE][leaves[v]]) for v in protected if v in leaves)
    share = f"{percent(many / frequency.rows)} have one of the protected levels of education ({', '.join(protected)})"
    return RobustStudy(frequency, f"{origin}: {values_told(frequency)}; {share}", from_folder, protected)
