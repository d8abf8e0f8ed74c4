"""An example to try everything on: a hospital's admissions, its taxonomies and a policy. Nobody in it exists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from discreet.errors import DiscreetError, Mistake, shown
from discreet.samples.census import Column, Shares, census_attributes, census_like, draw_columns, listed, numbers
from discreet.samples.visits import VISITS_POLICY, visits

__all__ = ["census_attributes", "census_like", "patients", "write_sample"]

_FIRST_NAMES = """
Ada Aino Amira Bela Bruno Carla Chidi Dalia Dario Edda Emre Farid Fenna Gita Hugo Ilse Imre Jana Jonas Kaya Leon
Lien Marta Milo Nadia Nils Olga Omar Pavel Pia Quinn Rosa Ruben Sana Selma Tariq Tessa Uwe Vera Yara Zeno
"""
# Surnames are put together from two halves, so that they belong to nobody.
_HALVES = "Ash Birk Clover Dorn Elder Fern Gorse Hazel Ivel Juni Kestre Linden Maple Nettle Oaken"
_ENDS = "brook dale field garth holm ley mere more ridge shaw stead thorp wick worth"

_NATIONS = """
Germany;Western Europe;European Union      90 -1
France;Western Europe;European Union       4 -.6
Netherlands;Western Europe;European Union  3 -.6
Austria;Western Europe;European Union      4 -.6
Spain;Southern Europe;European Union       3 -.3
Italy;Southern Europe;European Union       5 -.3
Portugal;Southern Europe;European Union    1 -.3
Greece;Southern Europe;European Union      3 -.2
Poland;Eastern Europe;European Union       7 0
Romania;Eastern Europe;European Union      4 0
Hungary;Eastern Europe;European Union      2 0
Turkey;Western Asia;Elsewhere              10 .6
Syria;Western Asia;Elsewhere               5 .8
Iran;Western Asia;Elsewhere                3 .8
India;Eastern Asia;Elsewhere               3 .7
Vietnam;Eastern Asia;Elsewhere             2 .8
China;Eastern Asia;Elsewhere               2 .8
Morocco;Africa;Elsewhere                   2 .9
Nigeria;Africa;Elsewhere                   2 1
Ghana;Africa;Elsewhere                     1 1
Canada;America;Elsewhere                   .5 .4
United States;America;Elsewhere            1.5 .4
Brazil;America;Elsewhere                   1.5 .7
Peru;America;Elsewhere                     .5 .7
"""
_DISEASES = """
Hypertension;Circulation      15 .5
Heart attack;Circulation      7 .7
Stroke;Circulation            6 .8
Asthma;Breathing              8 -.7
Bronchitis;Breathing          8 0
Pneumonia;Breathing           6 .3
Diabetes;Metabolism           9 .4
Thyroid disorder;Metabolism   5 0
Gastritis;Digestion           8 -.2
Appendicitis;Digestion        6 -1
Gallstones;Digestion          5 .2
Depression;Mind               7 -.4
Anxiety disorder;Mind         5 -.6
Fracture;Injury               9 -.3
Burn;Injury                   2 -.7
Hepatitis;Infection           2 0
HIV;Infection                 1 -.2
"""

_ATTRIBUTES = """\
# What becomes of each column, what must be promised, and how to publish.
source: patients.csv
one_row_per_person: true     # every row is another patient, so what holds of rows holds of people

attributes:
  patient:                   # a number that leads to one person: never published
    role: identifier
  name:
    role: identifier
  age:                       # what neighbours may know: published as coarsely as the promises below need
    role: quasi_identifier
    hierarchy: {intervals: [5, 10, 20, 40]}   # 37 -> 35-39 -> 30-39 -> 20-39 -> 0-39 -> *
  sex:
    role: quasi_identifier
    hierarchy: {flat: true}                   # itself or *
  zip:
    role: quasi_identifier
    hierarchy: {prefixes: [4, 3]}             # 47106 -> 4710* -> 471** -> *
  nation:
    role: quasi_identifier
    hierarchy: nation.csv                     # leaf;level 1;level 2;*
  admitted:
    role: quasi_identifier
    hierarchy: {dates: [month, quarter, year]}
"""
_SENSITIVE = """\
  disease:                   # what nobody may learn about one person: published as it is, protected by the promises
    role: sensitive
    hierarchy: disease.csv

"""
# The same table, published in three ways.
_POLICIES = {
    "policy.yaml": """\
require:                     # all of these hold for every group of the release, or nothing is published
  - k_anonymity: {k: 5}      # everybody looks like at least four others
  - l_diversity: {l: 3}      # and among them are at least three diseases

publish: generalization      # the same coarseness for all rows (or: multidimensional, local_recoding)
suppress: 0.02               # at most 2% of the rows may be left out
""",
    "bucketization.yaml": """\
require:
  - robust: {r: 3}           # nobody's chance of having any one disease is above 1/3, whatever is common at that age, …
  - l_diversity: {l: 4, kind: frequency}   # and none makes up more than a quarter of a group

publish: bucketization       # every value exact, but in groups that hide whose disease is whose
suppress: 0.1                # it takes about 2%; of larger samples more
""",
    "ambiguity.yaml": """\
require:
  - ambiguity: {alpha: 0.1, beta: 0.2}   # no chance of being in the table above 10%, or of a disease above 20%

publish: ambiguity           # every value exact, but in tables apart that hide which of them belong together
suppress: 0.02
""",
}
# Some of its rows, where being one of them is the secret.
_PRESENCE = """\

private: {disease: Diabetes}   # publish only these patients; the other rows are the people they hide among

require:
  - presence: {delta: [0.01, 0.2]}   # as far as the release tells, no patient's chance of being a diabetic is above
                                     # 20%, and nobody is known not to be one
  - k_anonymity: {k: 5}              # and each of them looks like at least four others

publish: multidimensional      # coarse where it must be, fine where it may be (or: generalization)
"""


def _tree(text: str, pulls: Mapping[str, float] | None = None) -> tuple[Column, str]:
    """A column from lines ``leaf;level1;…  share place``, and the same as a taxonomy file."""
    paths, shares, places = [], [], []
    for line in text.strip().splitlines():
        path, share, place = line.rsplit(maxsplit=2)
        paths.append(path)
        shares.append(float(share))
        places.append(float(place))
    values = tuple(path.split(";")[0] for path in paths)
    return Column(values, np.array(shares), np.array(places), pulls or {}), "".join(f"{p};*\n" for p in paths)


_NATION, _NATION_CSV = _tree(_NATIONS)
# What is possible, not only what is there: a taxonomy is published with the data.
_NATION_CSV += "".join(f"{path};*\n" for path in ("Belgium;Western Europe;European Union", "Mexico;America;Elsewhere"))
_DISEASE, _DISEASE_CSV = _tree(_DISEASES, {"age": 2.2, "sex": 0.2})


def _ages() -> Shares:
    """A ward for adults: some in their thirties, most around sixty."""
    age = np.arange(20, 80)
    shares: Shares = 0.4 + np.exp(-(((age - 62) / 14) ** 2)) + 0.6 * np.exp(-(((age - 32) / 9) ** 2))
    return shares


def _zips() -> Column:
    """A town and two valleys, sixteen places each; the nearer the more patients."""
    codes = tuple(f"47{district}{area}{office}" for district in range(3) for area in range(2) for office in range(8))
    shares = np.repeat([70.0, 18.0, 12.0], 16) / np.tile(np.arange(2.0, 18.0), 3)
    return Column(codes, shares, np.linspace(1, -1, len(codes)), {"nation": 2})


def _days() -> Column:
    """One year; more people fall ill in winter."""
    days = np.arange(np.datetime64("2024-01-01"), np.datetime64("2025-01-01"))
    season = np.cos(2 * np.pi * np.arange(len(days)) / 365.25)
    return Column(tuple(days.astype(str)), 1 + 0.3 * season, np.linspace(-1, 1, len(days)))


def _even(words: str) -> Column:
    values = tuple(words.split())
    return Column(values, np.ones(len(values)), np.zeros(len(values)))


def _columns() -> dict[str, Column]:
    return {
        "first": _even(_FIRST_NAMES),
        "half": _even(_HALVES),
        "end": _even(_ENDS),
        "age": numbers(20, _ages(), None),
        "sex": listed("F 51 -1, M 49 1"),
        "zip": _zips(),
        "nation": _NATION,
        "admitted": _days(),
        "disease": _DISEASE,
        "missing": listed("nothing 996 0, age 1 0, zip 1 0, nation 2 0"),
    }


def patients(rows: int = 2_000, seed: int = 7) -> pa.Table:
    """The admissions: age, sex and disease hang together, nation and place too; a few values are missing.

    >>> patients(2).column_names
    ['patient', 'name', 'age', 'sex', 'zip', 'nation', 'admitted', 'disease']
    """
    columns = _columns()
    codes = draw_columns(columns, list(columns), rows, seed)
    texts = {name: np.array(column.values).take(codes[name]) for name, column in columns.items()}
    name = np.char.add(np.char.add(np.char.add(texts["first"], " "), texts["half"]), texts["end"])
    order = np.random.PCG64(np.random.SeedSequence([seed, rows])).random_raw(rows).argsort(kind="stable")
    patient = np.char.add("P", (100_000 + order).astype(str))
    table = {"patient": pa.array(patient), "name": pa.array(name)}
    for column in ("age", "sex", "zip", "nation", "admitted", "disease"):
        table[column] = pa.array(texts[column], mask=texts["missing"] == column)
    return pa.table(table)


def write_sample(folder: Path, rows: int = 2_000, seed: int = 7) -> tuple[Path, ...]:
    """Write patients.csv, its taxonomies, and a policy for each way to publish it; says which files those are.

    Beside them visits.csv, in which patients have several rows (about as many rows), and a policy that counts patients.
    """
    if seed < 0:
        raise DiscreetError(Mistake("seed", f"must be a whole number from 0, got {shown(seed)}", "for example 7"))
    folder.mkdir(parents=True, exist_ok=True)
    plain = csv.WriteOptions(quoting_style="none", quoting_header="none")
    csv.write_csv(patients(rows, seed), folder / "patients.csv", plain)
    csv.write_csv(visits(max(rows // 5, 1), seed), folder / "visits.csv", plain)
    texts = {"nation.csv": _NATION_CSV, "disease.csv": _DISEASE_CSV}
    texts |= {name: _ATTRIBUTES + _SENSITIVE + promises for name, promises in _POLICIES.items()}
    texts |= {"presence.yaml": _ATTRIBUTES + _PRESENCE, "visits.yaml": VISITS_POLICY}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return tuple(folder / name for name in ("patients.csv", "visits.csv", *texts))
