"""The table of the robustness paper's study: Adult without rows that have unknown values, or people like these.

Eight quasi-identifiers in the paper's order, of which a study takes the first few; sensitive is education, of which the
levels below the ninth class are protected together (3.46% of the people there).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.labels.figures import percent
from discreet.samples.census import CENSUS, draw_columns
from discreet.studies.data.adult import FILE, ROWS, complete_rows
from discreet.studies.data.source import Source
from discreet.studies.data.tables import StudyTable, counted, in_folder, invented_columns, sample, values_told

SENSITIVE = "education"
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
_WELL_PAID = 0.248  # the share of the higher salary class in Adult
_LOW = ("Preschool", "1st-4th", "5th-6th", "7th-8th")
_LOW_INVENTED = ("None", "1st-4th", "5th-6th", "7th-8th")


@dataclass(frozen=True, eq=False)
class RobustTable(StudyTable):
    """With the sensitive values that are protected together."""

    protected: tuple[str, ...]


def from_folder(folder: Path, rows: int | None = None) -> RobustTable:
    """Adult's complete rows, with the folder's hierarchies."""
    names = {"income" if name == "salary-class" else name: name for name in _COLUMNS} | {SENSITIVE: SENSITIVE}
    table = complete_rows(in_folder(folder / FILE)).select(list(names)).rename_columns(list(names.values()))
    hierarchies = {name: str(folder / "adult" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    frequency = sample(counted(hierarchies, SENSITIVE, table), rows)
    return _table(frequency, f"{FILE.as_posix()}, complete rows", True, _LOW)


def invented(rows: int = ROWS, seed: int = 7) -> RobustTable:
    """As many people who do not exist, with the same columns: education hangs on age, work on education."""
    names = [*_COLUMNS.values(), SENSITIVE]
    codes = draw_columns(CENSUS, names, rows, seed)
    above = np.array([(codes["salary"] >= cut).mean() for cut in range(len(CENSUS["salary"].values))])
    codes["salary"] = (codes["salary"] >= np.argmin(np.abs(above - _WELL_PAID))).astype(np.int16)
    values = {name: CENSUS[name].values for name in names} | {"salary": ("low", "high")}
    hierarchies = {name: CENSUS[name].hierarchy for name in _COLUMNS.values()} | {"salary": {"flat": True}}
    frequency = counted(hierarchies, SENSITIVE, invented_columns(codes, values))
    return _table(frequency, "invented people, as no data folder was given", False, _LOW_INVENTED)


def _table(frequency: FrequencySet, origin: str, from_folder: bool, protected: tuple[str, ...]) -> RobustTable:
    leaves = frequency.sensitive_hierarchies[SENSITIVE].index
    many = sum(int(frequency.totals[SENSITIVE][leaves[v]]) for v in protected if v in leaves)
    share = f"{percent(many / frequency.rows)} have one of the protected levels of education ({', '.join(protected)})"
    return RobustTable(frequency, f"{origin}: {values_told(frequency)}; {share}", from_folder, protected)


SOURCE = Source(FILE, from_folder, invented, ROWS)
