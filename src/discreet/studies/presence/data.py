"""The tables of the presence study: everybody, and the few among them whose presence is a secret.

Everybody are the complete records of Adult, or people like these; the few are drawn from them at random, or as diabetes
strikes: by age, race and sex.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.outside import marginals_of
from discreet.samples.census import CENSUS, census_like
from discreet.studies.data.adult import FILE, ROWS, complete_rows
from discreet.studies.data.source import Source
from discreet.studies.data.tables import counted, first_attributes, in_folder, merged, sample, values_told

PRIVATE = 1_957  # of Adult's complete records, as in the paper
SEX = "sex"  # not published; diabetes depends on it
# As the folder names them, and as census_like does.
_COLUMNS = {
    "age": "age",
    "workclass": "workclass",
    "education": "education",
    "marital-status": "marital_status",
    "occupation": "occupation",
    "relationship": "relationship",
    "race": "race",
}
RANDOM, DIABETES = SAMPLES = ("random", "diabetes")
_SEEDS = {RANDOM: 1, DIABETES: 2}

# The share of people with diabetes, diagnosed or not, of 20 years or older: National Diabetes Statistics fact sheet
# (National Institute of Diabetes and Digestive and Kidney Diseases, NIH publication 06-3892, November 2005), as copies
# of it quote it. Two numbers are not printed there: that of 20 to 59 years follows from 20.6 million people (9.6%) of
# 20 or older, of whom 10.3 million (20.9%) are 60 or older; that of Asians is 1.5 times that of whites, which the sheet
# says (as remembered) of diagnosed diabetes in California. "Other" is what it says of Hispanic and Latino Americans.
OF_ADULTS = 0.096
BY_AGE = {0: 0.0022, 20: (20.6 - 10.3) / (20.6 / OF_ADULTS - 10.3 / 0.209), 60: 0.209}  # from an age on
BY_SEX = {"Male": 0.105, "Female": 0.088}
_WHITE, _BLACK, _NATIVE, _ASIAN, _OTHER = 0.087, 0.133, 0.151, 1.5 * 0.087, 0.095
BY_RACE = {
    "White": _WHITE,
    "Black": _BLACK,
    "Amer-Indian-Eskimo": _NATIVE,
    "Native": _NATIVE,
    "Asian-Pac-Islander": _ASIAN,
    "Asian": _ASIAN,
    "Other": _OTHER,
}


@dataclass(frozen=True, eq=False)
class PresenceTables:
    """Everybody (all seven attributes, and sex), and how many of each combination are in each private table."""

    everybody: FrequencySet
    private: Mapping[str, IntArray]
    data: str
    from_folder: bool

    def table(self, name: str, attributes: int) -> FrequencySet:
        """A private table with the first attributes, its population, and the marginals of all others."""
        everybody = first_attributes(replace(self.everybody, sensitive={}, sensitive_hierarchies={}), attributes)
        here = np.flatnonzero(self.private[name])
        table = replace(
            everybody,
            codes=tuple(codes[here] for codes in self.everybody.codes[:attributes]),
            counts=self.private[name][here],
        )
        table, population = merged(table), Population(everybody.codes, everybody.counts)
        return replace(table, population=population, marginals=marginals_of(population, table))


def from_folder(folder: Path, rows: int | None = None) -> PresenceTables:
    """Adult's complete records, with the folder's hierarchies."""
    table = complete_rows(in_folder(folder / FILE)).select([*_COLUMNS, SEX])
    hierarchies = {name: str(folder / "adult" / "hierarchies" / f"{name}.csv") for name in _COLUMNS}
    return _tables(sample(counted(hierarchies, SEX, table), rows), f"{FILE.as_posix()}, complete records", True)


def invented(rows: int = ROWS, seed: int = 7) -> PresenceTables:
    """As many people who do not exist, with the same columns."""
    names = list(_COLUMNS.values())
    hierarchies = {name: CENSUS[name].hierarchy for name in names}
    everybody = counted(hierarchies, SEX, census_like(rows, seed, [*names, SEX]))
    return _tables(everybody, "invented people, as no data folder was given", False)


def _tables(everybody: FrequencySet, origin: str, from_folder: bool) -> PresenceTables:
    many = max(1, round(everybody.rows * PRIVATE / ROWS))
    even = np.ones(len(everybody.counts))
    private = {
        name: drawn(everybody.counts, rates(everybody) if name == DIABETES else even, many, _SEEDS[name])
        for name in SAMPLES
    }
    data = f"{origin}: {values_told(everybody)}; {many:,} of them are private, drawn at random or as diabetes strikes"
    return PresenceTables(everybody, private, data, from_folder)


def rates(everybody: FrequencySet) -> FloatArray:
    """How likely the people of each combination have diabetes, if age, race and sex act independently of each other.

    Each multiplies the rate of all adults by its own rate's ratio to that.
    """
    place = {h.attribute: d for d, h in enumerate(everybody.hierarchies)}
    ages, races = (everybody.hierarchies[place[name]].leaves for name in ("age", "race"))
    since = np.array(sorted(BY_AGE))
    of_since = np.array([BY_AGE[age] for age in sorted(BY_AGE)])
    of_age = of_since[np.searchsorted(since, [int(age or 0) for age in ages], side="right") - 1]
    of_race = np.array([BY_RACE[race or ""] for race in races])
    of_sex = np.array([BY_SEX[sex or ""] for sex in everybody.sensitive_hierarchies[SEX].leaves])
    chances: FloatArray = (
        of_age[everybody.codes[place["age"]]]
        * (of_race / OF_ADULTS)[everybody.codes[place["race"]]]
        * (of_sex / OF_ADULTS)[everybody.sensitive[SEX]]
    )
    return chances


def drawn(counts: IntArray, weights: FloatArray, many: int, seed: int) -> IntArray:
    """How many people of each combination are among `many` drawn without replacement, a person as likely as weighted.

    Scaling all weights, here so that `many` are expected, changes nothing.
    """
    who = np.repeat(np.arange(len(counts)), counts)
    chances = weights[who] / weights[who].sum()
    chosen = np.random.default_rng(seed).choice(len(who), many, replace=False, p=chances)
    return np.bincount(who[chosen], minlength=len(counts)).astype(np.int64)


SOURCE = Source(FILE, from_folder, invented, ROWS)
