"""A census with seven quasi-identifiers and 50 classes of salary, for the ambiguity study and the instant one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.labels.figures import percent
from discreet.samples.census import CENSUS, census_like
from discreet.studies.data.source import Source
from discreet.studies.data.tables import StudyTable, counted, in_folder, merged, sample, values_told

FILE = Path("census") / "sal500k.csv.gz"
SENSITIVE = "salary"
ROWS = 500_000  # as many as the paper's table has
# As the folder names them, and as census_like does.
_COLUMNS = {
    "age": "age",
    "gender": "sex",
    "education": "education",
    "marital": "marital_status",
    "race": "race",
    "workclass": "workclass",
    "country": "native_country",
}


def from_folder(folder: Path, rows: int | None = None) -> StudyTable:
    """The census of the folder, with its hierarchies."""
    hierarchies = {name: str(folder / "census" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    frequency = sample(counted(hierarchies, SENSITIVE, in_folder(folder / FILE)), rows)
    return StudyTable(frequency, f"{FILE.as_posix()}: {_told(frequency)}", True)


def invented(rows: int = ROWS, seed: int = 7) -> StudyTable:
    """As many people who do not exist, with the same columns."""
    names = list(_COLUMNS.values())
    table = census_like(rows, seed, [*names, SENSITIVE])
    frequency = counted({name: CENSUS[name].hierarchy for name in names}, SENSITIVE, table)
    return StudyTable(frequency, f"invented people, as no data folder was given: {_told(frequency)}", False)


def denser(frequency: FrequencySet, density: int) -> FrequencySet:
    """The same people with salaries in classes `density` times as wide: 50 of them become 50 / density."""
    if density == 1:
        return frequency
    hierarchy = frequency.sensitive_hierarchies[SENSITIVE]
    wider = np.array([int(leaf or 0) // density for leaf in hierarchy.leaves])
    fewer = build(SENSITIVE, [str(n) for n in np.unique(wider)], Flat())
    codes = np.array([fewer.index[str(n)] for n in wider], dtype=np.int32)
    sensitive = {SENSITIVE: codes[frequency.sensitive[SENSITIVE]]}
    return merged(replace(frequency, sensitive=sensitive, sensitive_hierarchies={SENSITIVE: fewer}))


def _told(frequency: FrequencySet) -> str:
    classes = frequency.totals[SENSITIVE]
    most = percent(float(classes.max() / frequency.rows))
    return f"{values_told(frequency)}; {len(classes)} classes of salary, the most frequent that of {most}"


SOURCE = Source(FILE, from_folder, invented, ROWS)
