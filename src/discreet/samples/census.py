"""A table like a census, of any size and about nobody: for tests and benchmarks.

Most values are common and some are rare, and columns hang together as in real ones (age and marriage, education and
work, origin and place). Each column has a place on one axis for each of its values (age: young to old, education: low
to high, …); a value is likelier the better its place fits the places of the person's other values. Columns are drawn
one after the other from small tables of shares, so ten million rows take seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Small = NDArray[np.int16]
Shares = NDArray[np.float64]
_BITS = 16  # chances are 16 random bits: the rarest value has a share of 1 in 65,536
_LINES = 5  # how finely a column looks at another one it depends on


@dataclass(frozen=True, eq=False)
class Column:
    """Values with their shares and places (−1 … 1), and how strongly each earlier column pulls."""

    values: tuple[str, ...]
    shares: Shares
    places: Shares
    pulls: Mapping[str, float] = field(default_factory=dict)
    hierarchy: object = None  # in the words of a policy

    @property
    def lines(self) -> Small:
        """What other columns see of each value."""
        return np.clip((self.places + 1) / 2 * _LINES, 0, _LINES - 1).astype(np.int16)


def drawn(shares: Shares, line: Small, seed: Sequence[int]) -> Small:
    """One value for each row: row i draws from line `line[i]` of the shares.

    The first rows are the same however many follow.
    """
    size, rows = 1 << _BITS, len(line)
    ends = np.rint(np.cumsum(shares, axis=1) / shares.sum(axis=1, keepdims=True) * size)
    lookup = np.stack([np.searchsorted(end, np.arange(size), side="right") for end in ends]).astype(np.int16)
    raw = np.random.PCG64(np.random.SeedSequence(list(seed))).random_raw((rows + 3) // 4)
    at = line.astype(np.int32) << _BITS
    at |= raw.astype("<u8", copy=False).view("<u2")[:rows]
    values: Small = lookup.ravel().take(at)
    return values


def draw_columns(columns: Mapping[str, Column], names: Sequence[str], rows: int, seed: int) -> dict[str, Small]:
    """The codes of the named columns; each column has a chance of its own, whichever others are asked for."""
    codes: dict[str, Small] = {}

    def draw(name: str) -> None:
        if name in codes:
            return
        column = columns[name]
        line, lines, weights = np.zeros(rows, dtype=np.int16), np.ones(1), np.zeros((1, len(column.values)))
        for other, strength in column.pulls.items():
            draw(other)
            line = line * np.int16(_LINES) + columns[other].lines.take(codes[other])
            here = np.bincount(columns[other].lines, weights=columns[other].shares, minlength=_LINES)
            lines = np.outer(lines, here / here.sum() + 1e-9).ravel()  # a line may be empty
            pull = strength * np.linspace(-1, 1, _LINES)[:, None] * column.places
            weights = (weights[:, None, :] + pull).reshape(-1, len(column.values))
        codes[name] = drawn(_fitted(np.exp(weights), lines, column.shares), line, [seed, *name.encode()])

    for name in names:
        draw(name)
    return {name: codes[name] for name in names}


def _fitted(weights: Shares, lines: Shares, shares: Shares) -> Shares:
    """Weights scaled until the lines together give the shares that the column shall have."""
    shares = shares / shares.sum()
    for _ in range(30):
        weights = weights * (lines / weights.sum(axis=1))[:, None]
        weights = weights * (shares / weights.sum(axis=0))
    return weights


def census_like(rows: int, seed: int = 7, columns: Iterable[str] | None = None) -> pa.Table:
    """A table of `rows` people; default: the first eight quasi-identifiers and `salary`.

    >>> census_like(3, columns=["sex", "race", "salary"]).num_columns
    3
    """
    names = [*QUASI_IDENTIFIERS[:8], "salary"] if columns is None else list(columns)
    codes = draw_columns(CENSUS, names, rows, seed)
    return pa.table({n: pa.DictionaryArray.from_arrays(pa.array(codes[n]), pa.array(CENSUS[n].values)) for n in names})


def census_attributes(quasi_identifiers: int = 8, sensitive: Sequence[str] = ("salary",)) -> dict[str, object]:
    """The `attributes` of a policy for such a table: the first quasi-identifiers, each with its hierarchy.

    >>> census_attributes(1)
    {'age': {'role': 'quasi_identifier', 'hierarchy': {'intervals': [5, 10, 20, 40]}}, 'salary': {'role': 'sensitive'}}
    """
    names = QUASI_IDENTIFIERS[:quasi_identifiers]
    attributes: dict[str, object] = {n: {"role": "quasi_identifier", "hierarchy": CENSUS[n].hierarchy} for n in names}
    return attributes | {n: {"role": "sensitive"} for n in sensitive}


def listed(text: str, pulls: Mapping[str, float] | None = None) -> Column:
    """A column from a list ``group: value share place, …; group: …``; groups become the middle level.

    >>> listed("Pets: Cat 3 -1, Dog 2 0; Farm: Cow 1 1").hierarchy
    {'taxonomy': [['Cat', 'Pets'], ['Dog', 'Pets'], ['Cow', 'Farm']]}
    """
    rows = []
    for part in text.split(";"):
        group, _, members = part.rpartition(":")
        for member in members.split(","):
            value, share, place = member.strip().rsplit(" ", 2)
            rows.append((value, group.strip(), float(share), float(place)))
    values, groups, shares, places = zip(*rows, strict=True)
    hierarchy: object = {"flat": True}
    if any(groups):
        hierarchy = {"taxonomy": [[value, group] for value, group in zip(values, groups, strict=True)]}
    return Column(tuple(values), np.array(shares), np.array(places), pulls or {}, hierarchy)


def numbers(first: int, shares: Shares, hierarchy: object, pulls: Mapping[str, float] | None = None) -> Column:
    """A column of whole numbers from `first` on, placed from low to high."""
    values = tuple(str(first + i) for i in range(len(shares)))
    return Column(values, shares, np.linspace(-1, 1, len(shares)), pulls or {}, hierarchy)


def _age_shares() -> Shares:
    age = np.arange(17, 91)
    shares: Shares = 1 / (1 + np.exp((18.5 - age) / 1.2)) * np.exp(-((np.maximum(age - 36, 0) / 20) ** 1.6))
    return shares


def _hours_shares() -> Shares:
    hours = np.arange(1, 100)
    shares: Shares = np.exp(-(((hours - 40) / 14) ** 2)) + 0.003
    shares[hours % 5 == 0] *= 6
    shares[hours == 40] *= 10
    return shares


def _zip_column() -> Column:
    """900 codes in nine regions; few towns hold most people."""
    codes = [f"{region}{area:02d}{office:02d}" for region in range(1, 10) for area in range(10) for office in range(10)]
    order = np.random.PCG64(900).random_raw(len(codes)).argsort()
    shares = np.empty(len(codes))
    shares[order] = 1 / np.arange(3, len(codes) + 3)
    places = np.linspace(-1, 1, len(codes))
    return Column(tuple(codes), shares, places, {"race": 1.2}, {"prefixes": [4, 3, 1]})


CENSUS: Mapping[str, Column] = {
    "age": numbers(17, _age_shares(), {"intervals": [5, 10, 20, 40]}),
    "sex": listed("Male 52 -1, Female 48 1"),
    "race": listed("White 85 -.6, Black 9.6 0, Native 1 .2, Other .8 .5, Asian 3.1 1", {"native_country": 2}),
    "marital_status": listed(
        "Alone: Never married 33 -1, Separated 3.1 .1, Divorced 13.6 .3, Widowed 3.1 1;"
        "With a partner: Married 45 .2, Partnership 1.5 -.6, Spouse absent 1.3 .2",
        {"age": 3},
    ),
    "education": listed(
        "Primary: None .2 -1, 1st-4th .5 -1, 5th-6th 1 -1; Secondary: 7th-8th 2 -.9, 9th 1.6 -.8, 10th 2.8 -.7,"
        "11th 3.7 -.6, 12th 1.4 -.5, High school 32 -.2; College: Some college 22 0, Vocational 4.2 .1,"
        "Associate 3.3 .2, Bachelor 16.4 .6; Graduate: Master 5.4 .8, Professional 1.7 .9, Doctor 1.2 1",
        {"age": 0.8},
    ),
    "native_country": listed(
        "North America: United States 89.7 -1, Canada .37 -.9, Puerto Rico .38 0, Mexico 2 .1, Cuba .28 .1,"
        "Jamaica .22 0, Haiti .15 0, Honduras .04 .1, Guatemala .18 .1, El Salvador .32 .1, Dominican Republic .21 .1,"
        "Nicaragua .1 .1; South America: Colombia .17 .2, Ecuador .09 .2, Peru .09 .2, Trinidad .06 0;"
        "Europe: Germany .42 -.8, England .26 -.8, Italy .21 -.7, Poland .18 -.7, Portugal .14 -.6, Ireland .08 -.8,"
        "France .08 -.7, Greece .1 -.7, Hungary .04 -.7, Scotland .04 -.8, Netherlands .01 -.8, Serbia .05 -.6;"
        "Asia: Philippines .6 1, India .31 .8, China .25 1, Japan .19 1, Vietnam .18 1, Korea .2 1, Taiwan .13 1,"
        "Iran .12 .6, Hong Kong .06 1, Thailand .06 1, Cambodia .06 1, Laos .05 1; Africa: South Africa .03 .4"
    ),
    "workclass": listed(
        "Private sector: Private 69 -.2, Self-employed 7.9 .2, Own company 3.5 .7;"
        "Government: Local 6.4 .4, State 4 .5, Federal 2.9 .5; Without pay: Family business .04 -.6, None .5 -1",
        {"education": 1, "age": 1},
    ),
    "occupation": listed(
        "Office: Clerical 11.5 -.1, Sales 11.3 .1, Executive 12.5 .7; Technical: Professional 12.6 1, Technician 3 .4,"
        "Craft 12.5 -.4, Machine operator 6.2 -.7; Service: Service 10 -.6, Protective 2 0, Household .5 -1;"
        "Outdoor: Transport 4.8 -.6, Laborer 4.2 -.9, Farming 3 -.6, Armed forces .03 .3",
        {"education": 2.2, "sex": 0.3},
    ),
    "relationship": listed(
        "Family: Householder 40 .4, Spouse 18 .3, Child 15.5 -1, Other relative 3 -.4;"
        "No family: Alone 18 .3, Roommate 5 -.7, Lodger .5 0",
        {"age": 2, "marital_status": 1},
    ),
    "hours_per_week": numbers(1, _hours_shares(), {"intervals": [5, 10, 20, 40]}, {"occupation": 0.8, "sex": -0.5}),
    "zip": _zip_column(),
    "household_size": numbers(1, np.array([28, 34, 15, 13, 6, 2.5, 1, 0.4]), {"flat": True}, {"marital_status": 0.8}),
    "children": numbers(0, np.array([45, 20, 21, 9, 3, 1.2, 0.5, 0.2]), {"intervals": [2, 4]}, {"household_size": 2}),
    "citizenship": listed("By birth 92 -1, Naturalized 4 .4, Permanent resident 3 .7, Visa 1 1", {"native_country": 3}),
    "language": listed(
        "European: English 80 -1, German .5 -.8, French .7 -.7, Spanish 13 0, Portuguese .3 -.2, Polish .2 -.6;"
        "Asian: Hindi .3 .8, Persian .2 .7, Tagalog .6 1, Vietnamese .5 1, Chinese 1.1 1, Korean .4 1, Japanese .2 1",
        {"native_country": 4},
    ),
    "salary": numbers(0, np.exp(-np.arange(50) / 14.0), {"intervals": [5, 10, 25]}, {"occupation": 1.5, "age": 0.6}),
    "disease": listed(
        "Heart: Hypertension 20 .5, Heart failure 4 .9, Rhythm 5 .7; Lung: Asthma 10 -.6, Bronchitis 9 0, COPD 4 .8;"
        "Metabolic: Diabetes 10 .4, Thyroid 6 .1; Mind: Depression 10 -.3, Anxiety 9 -.5, Dementia 2 1;"
        "Infection: Influenza 8 -.4, Hepatitis .8 0, HIV .3 -.2",
        {"age": 1.8},
    ),
}
QUASI_IDENTIFIERS = tuple(name for name in CENSUS if name not in ("salary", "disease"))
