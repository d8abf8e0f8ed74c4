"""What does it cost to keep presence below α over all groups together, and is it kept?

Ambiguity on a census (7 quasi-identifiers, salary sensitive; invented people where there is none), with presence judged
group by group and over all groups together. Whether it is kept is counted by an outsider, who reads the published files
and shares no code with the search, the promise or the audit: for everybody in the table, and for random combinations of
the published values, the sum of n / Π m over all groups that list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benchmarks.adult import data_folder
from benchmarks.exact_values import CENSUS_COLUMNS, PEOPLE
from benchmarks.measure import Findings, Options, Table, best, discreet
from discreet.releases.queries import query_error_of
from discreet.samples.census import census_like

ALPHA, BETA = 0.1, 0.2
RANDOM = 100_000  # combinations
SOME = 20_000  # people who are counted where there are many groups
FEW = 20_000  # groups that everybody is counted in
QUERIES = 2_000
PREDICATES = (1, 2, 4)


def measure(options: Options) -> Findings:
    """Both kinds of presence on the same table, in fresh processes."""
    data = data_folder()
    if data is None:
        columns, people = PEOPLE, census_like(min(options.rows, 500_000), columns=[*PEOPLE, "salary"])
    else:
        columns, file = CENSUS_COLUMNS, data / "census" / "sal500k.csv.gz"
        people = duckdb.sql(f"SELECT * FROM read_csv('{file}', all_varchar = true)").to_arrow_table()
    table = Table(
        f"{people.num_rows:,} rows × {len(columns)}, α = {ALPHA}, β = {BETA}",
        (
            *("presence", "CPU s", "search s", "groups", "suppressed"),
            *("people counted", "largest of people", "largest of random ones", "people above α"),
            *(f"COUNT error, {n} predicates" for n in PREDICATES),
        ),
    )
    cpu = {}
    with TemporaryDirectory() as name:
        for presence in ("group", "total"):
            folder, source = Path(name) / presence, Path(name) / "people.parquet"
            parquet.write_table(people.select([*columns, "salary"]), source)
            runs = [_publish(source, folder, columns, presence, i) for i in range(options.repeats)]
            answer, cpu[presence] = runs[-1][1], best([cost for cost, _ in runs]).cpu
            release = folder / str(options.repeats - 1)
            everybody, random = _sums(release, people.select(columns), answer["groups"])
            errors = (
                query_error_of(release, source, predicates=n, count=QUERIES, selectivity=0.1).median for n in PREDICATES
            )
            table.add(
                presence,
                cpu[presence],
                answer["seconds"]["search"],
                answer["groups"],
                answer["suppressed"],
                len(everybody),
                float(everybody.max()),
                float(random.max()),
                int((everybody > ALPHA).sum()),
                *errors,
            )
    return Findings(
        __doc__.splitlines()[0],
        [table],
        [
            f"over all groups together takes {cpu['total'] / cpu['group']:.2f} times the CPU seconds of group by group",
            f"{RANDOM:,} random combinations were counted ({SOME:,} where there are many groups, and as many people); "
            "sums are not limited to 1",
        ],
    )


def _publish(source: Path, folder: Path, columns: tuple[str, ...], presence: str, run: int) -> tuple[Any, Any]:
    folder.mkdir(exist_ok=True)
    words = {
        "source": str(source),
        "attributes": {c: {"role": "quasi_identifier"} for c in columns} | {"salary": {"role": "sensitive"}},
        "require": [{"ambiguity": {"alpha": ALPHA, "beta": BETA, "presence": presence}}],
        "publish": "ambiguity",
        "suppress": 0.02,
        "format": "parquet",
        "seed": 7,
    }
    return discreet(words, folder / str(run))


# --- the outsider: the published files as plain tables, fractions where a sum is near α -------------------------------


def _sums(release: Path, people: pa.Table, groups: int) -> tuple[Any, Any]:
    """The sum over all groups for people of the table (all, if groups are few) and for random combinations."""
    draw = np.random.default_rng(11)
    files = {c: parquet.read_table(release / f"auxiliary_{c}.parquet").to_pydict() for c in people.column_names}
    rows = parquet.read_table(release / "sensitive.parquet").to_pydict()
    size: dict[Any, int] = {}
    for group, count in zip(rows["group"], rows["count"], strict=True):
        size[group] = size.get(group, 0) + int(count)
    place = {group: i for i, group in enumerate(size)}
    entries = {group: 1 for group in size}
    listed: dict[str, dict[str, Any]] = {}
    for column, file in files.items():
        many: dict[Any, int] = {}
        listed[column] = {}
        for value, group in zip(file[column], file["group"], strict=True):
            listed[column].setdefault(value, np.zeros(len(size), dtype=bool))[place[group]] = True
            many[group] = many.get(group, 0) + 1
        for group in entries:
            entries[group] *= many[group]
    exact = [Fraction(size[group], entries[group]) for group in size]
    combinations = set(zip(*(people[c].to_pylist() for c in people.column_names), strict=True))
    counted = sorted(combinations)
    if groups > FEW:
        counted = [counted[i] for i in np.sort(draw.choice(len(counted), SOME, replace=False))]
    many_drawn = RANDOM if groups <= FEW else SOME
    drawn = zip(*(draw.choice(sorted(listed[c]), many_drawn).tolist() for c in people.column_names), strict=True)
    return _added(counted, listed, exact), _added(sorted(drawn), listed, exact)


def _added(combinations: list[tuple[Any, ...]], listed: Mapping[str, Mapping[str, Any]], exact: list[Fraction]) -> Any:
    """One after the other, in order: what they begin with in common is looked up once."""
    chance, columns = np.array([float(min(one, Fraction(1))) for one in exact]), list(listed.values())
    sums, before = np.zeros(len(combinations)), [np.ones(len(chance), dtype=bool)] * (len(columns) + 1)
    last: tuple[Any, ...] = (object(),) * len(columns)
    for i, combination in enumerate(combinations):
        same = next((t for t in range(len(columns)) if combination[t] != last[t]), len(columns))
        for t in range(same, len(columns)):
            there = columns[t].get(combination[t])
            before[t + 1] = before[t] & there if there is not None else np.zeros(len(chance), dtype=bool)
        last = combination
        sums[i] = chance[before[-1]].sum()
        if abs(sums[i] - ALPHA) < 1e-9:
            exactly = sum((exact[g] for g in np.flatnonzero(before[-1])), Fraction(0))
            sums[i] = ALPHA if exactly == Fraction(str(ALPHA)) else ALPHA + (1e-9 if exactly > ALPHA else -1e-9)
    return sums
