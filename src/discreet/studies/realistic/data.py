"""The table of the realistic study: a census with four quasi-identifiers and a salary of two values.

The paper's data are 3 million rows of the American Community Survey, which can't be handed on. The study needs age,
marital status, race and gender with 6 · 3 · 2 · 2 levels, and a salary of two values, the higher one that of about a
third of the people. A census table of the data folder has them; without it people are invented.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.labels.figures import percent
from discreet.samples.census import CENSUS, draw_columns
from discreet.studies.data.census import FILE, SENSITIVE
from discreet.studies.data.source import Source
from discreet.studies.data.tables import StudyTable, counted, in_folder, invented_columns, sample, values_told

ROWS = 3_000_000  # about as many as the paper's table has
WEALTHY = 0.334  # the share of the higher salary there
_COLUMNS = {"age": "age", "marital": "marital_status", "race": "race", "gender": "sex"}  # folder → census_like


def from_folder(folder: Path, rows: int | None = None) -> StudyTable:
    """The census table of the data folder, salary cut in two where the higher part is nearest to the paper's share."""
    source = in_folder(folder / FILE)
    hierarchies = {name: str(folder / "census" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    frequency = sample(counted(hierarchies, SENSITIVE, source), rows)
    salaries = np.array([float(leaf or "nan") for leaf in frequency.sensitive_hierarchies[SENSITIVE].leaves])
    earners = frequency.totals[SENSITIVE]
    above = np.array([earners[salaries >= cut].sum() for cut in salaries]) / frequency.rows
    cut = salaries[np.argmin(np.abs(above - WEALTHY))]
    two = build(SENSITIVE, ["low", "high"], Flat())
    codes = np.where(salaries >= cut, two.index["high"], two.index["low"]).astype(np.int32)
    sensitive = {SENSITIVE: codes[frequency.sensitive[SENSITIVE]]}
    frequency = replace(frequency, sensitive=sensitive, sensitive_hierarchies={SENSITIVE: two})
    return StudyTable(frequency, f"{FILE.as_posix()}: {_told(frequency)}", True)


def invented(rows: int = ROWS, seed: int = 7) -> StudyTable:
    """As many people who do not exist, whose salary hangs on age, sex and marriage roughly as in a real census.

    The numbers are fitted to a census's rates of the higher salary by age, by sex and by marriage, and to nothing else.
    Don't fit them to the claims: whether class II beats (4, 2)-diversity turns on them (see docs/studies.md), since
    diversity depends on how uneven salaries are between groups, and class II on how large groups are.
    """
    names = list(_COLUMNS.values())
    codes = draw_columns(CENSUS, names, rows, seed)
    years = np.array(CENSUS["age"].values, dtype=np.float64)[codes["age"]] - 48
    odds = -0.6 - (years / np.where(years < 0, 20, 25)) ** 2
    odds += np.where(codes["sex"] == CENSUS["sex"].values.index("Male"), 0.6, -0.5)
    odds += np.where(codes["marital_status"] == CENSUS["marital_status"].values.index("Married"), 0.5, -0.1)
    high = np.random.default_rng(seed).random(rows) < 1 / (1 + np.exp(-odds))
    values = {n: CENSUS[n].values for n in names} | {SENSITIVE: ("low", "high")}
    table = invented_columns(codes | {SENSITIVE: high.astype(np.int16)}, values)
    frequency = counted({n: CENSUS[n].hierarchy for n in names}, SENSITIVE, table)
    return StudyTable(frequency, f"invented people, as no data folder was given: {_told(frequency)}", False)


def _told(frequency: FrequencySet) -> str:
    high = frequency.sensitive_hierarchies[SENSITIVE].index["high"]
    share = float(frequency.totals[SENSITIVE][high] / frequency.rows)
    return f"{values_told(frequency)}; {percent(share)} have the higher of two salaries"


SOURCE = Source(FILE, from_folder, invented, ROWS)
