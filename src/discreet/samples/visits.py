"""An example of people with several rows: visits to a clinic, a policy that counts patients. Nobody in it exists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from discreet.samples.census import Column, Shares, draw_columns, listed, numbers

VISITS_POLICY = """\
# A patient has several visits here. Counted by rows, one's own visits would hide one among themselves.
source: visits.csv

attributes:
  patient:                   # says whose row it is: never published; the promises below are about patients
    role: person
  visited:                   # the day leads to one visit: left out
    role: identifier
  born:
    role: quasi_identifier
    hierarchy: {intervals: [5, 10, 20, 40]}
  sex:
    role: quasi_identifier
    hierarchy: {flat: true}
  zip:                       # some move: their visits are in several places, and they count once in each group
    role: quasi_identifier
    hierarchy: {prefixes: [4, 3]}
  diagnosis:
    role: sensitive

require:
  - k_anonymity: {k: 5}              # at least five patients in every group, however many visits they have there
  - alpha_k: {alpha: 0.7, k: 5}      # the chance that somebody came for any one diagnosis is at most 70%, even for
                                     # whoever knows how often he came

publish: multidimensional    # coarse where it must be, fine where it may be (local_recoding loses less still)
suppress: 0.02               # at most 2% of the visits may be left out
"""

# What one comes for again and again, by age, and what happens to everybody.
_FOR_LONG = """
Hypertension 11 .5, Diabetes 9 .4, Asthma 9 -.6, Back pain 9 .1, Arthrosis 8 .7, Depression 8 -.3, Migraine 7 -.5,
Thyroid disorder 7 .1, Heart failure 6 .9, Anxiety disorder 6 -.5, Eczema 6 -.6, Gout 5 .5, COPD 5 .6, Epilepsy 4 -.2
"""
_AT_ONCE = """
Bronchitis 10 0, Gastritis 9 0, Sprain 9 0, Fracture 8 0, Sinusitis 8 0, Check-up 9 0, Infection 8 0, Allergy 8 0,
Vertigo 7 0, Injury 8 0, Headache 6 0, Pneumonia 5 0, Gallstones 5 0
"""


def _years() -> Shares:
    """A clinic for adults: most are around sixty, some in their thirties."""
    year = np.arange(1935, 2006)
    shares: Shares = 0.4 + np.exp(-(((year - 1960) / 14) ** 2)) + 0.5 * np.exp(-(((year - 1990) / 9) ** 2))
    return shares


def _zips() -> Column:
    """A town and two valleys, two areas of four places each; the nearer the more patients."""
    codes = tuple(f"47{district}{area}{office}" for district in range(3) for area in range(2) for office in range(4))
    shares = np.repeat([60.0, 22.0, 18.0], 8) / np.tile(np.arange(3.0, 11.0), 3)
    return Column(codes, shares, np.linspace(1, -1, len(codes)))


def _of_patients() -> dict[str, Column]:
    return {
        "visits": numbers(1, np.array([4.0, 7, 12, 17, 20, 18, 12, 6, 4]), None),
        "born": numbers(1935, _years(), None),
        "sex": listed("F 53 -1, M 47 1"),
        "zip": _zips(),
        "moves": listed("no 92 0, yes 8 0"),
        "moves by": numbers(1, np.ones(len(_zips().values) - 1), None),
        "for long": listed(_FOR_LONG, {"born": -2.0}),
    }


def _of_visits() -> dict[str, Column]:
    days = np.arange(np.datetime64("2023-01-01"), np.datetime64("2025-01-01")).astype(str)
    return {
        "visited": Column(tuple(days), np.ones(len(days)), np.zeros(len(days))),
        "again": listed("no 60 0, yes 40 0"),
        "at once": listed(_AT_ONCE),
    }


def visits(patients: int = 400, seed: int = 7) -> pa.Table:
    """Some five visits of each patient, day by day. Birth and sex stay as they are; some patients move meanwhile.

    >>> visits(2).column_names
    ['patient', 'visited', 'born', 'sex', 'zip', 'diagnosis']
    """
    columns = _of_patients() | _of_visits()
    patient = draw_columns(columns, list(_of_patients()), patients, seed)
    visited = patient["visits"] + np.int64(1)
    of = np.repeat(np.arange(patients), visited)
    visit = draw_columns(columns, list(_of_visits()), len(of), seed)
    day = visit["visited"][np.lexsort((visit["visited"], of))]
    nth = np.arange(len(of)) - np.repeat(np.cumsum(visited) - visited, visited)
    moved = (patient["moves"][of] == 1) & (nth >= visited[of] // 2)
    place = (patient["zip"][of] + moved * (patient["moves by"][of] + 1)) % len(columns["zip"].values)
    texts = {name: np.array(column.values) for name, column in columns.items()}
    number = np.random.PCG64(np.random.SeedSequence([seed, patients])).random_raw(patients).argsort(kind="stable")
    table = {
        "patient": np.char.add("P", (100_000 + number).astype(str))[of],
        "visited": texts["visited"][day],
        "born": texts["born"][patient["born"][of]],
        "sex": texts["sex"][patient["sex"][of]],
        "zip": texts["zip"][place],
        "diagnosis": np.where(
            visit["again"] == 1, texts["for long"][patient["for long"][of]], texts["at once"][visit["at once"]]
        ),
    }
    order = day.argsort(kind="stable")
    return pa.table({name: pa.array(values[order]) for name, values in table.items()})
