"""Do at least c of the groups keep δ in the real population, by marginals and by pairs with a margin? On a census.

500,000 people are everybody (invented ones where there is no census), one in a hundred of them is in the private table:
at random, or those with a low salary twice as often as others. What a publisher knows are marginals, or pairs with the
margin that the table itself asks for. `discreet reproduce presence` asks the same of Adult.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import duckdb
import numpy as np

from benchmarks.adult import data_folder
from benchmarks.exact_values import CENSUS_COLUMNS, PEOPLE
from benchmarks.measure import Findings, Options, Table, timed
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.outside import marginals_of
from discreet.policy.policy import policy_from_words
from discreet.run.intake import take_in
from discreet.samples.census import census_like
from discreet.studies.data.tables import merged
from discreet.studies.presence.truth import KNOWN, SEARCHES, Truths, holds, truths

CONFIDENCES = ("0.5", "0.8", "0.95", "0.99")
DELTAS = (("0", "0.03"), ("0.002", "0.05"), ("0", "0.1"))
ATTRIBUTES = (4, 7)
SHARE = 0.01


def measure(options: Options) -> Findings:
    """The share of groups that keep δ, and what it costs."""
    everybody = _everybody(min(options.rows, 500_000))
    tables = {
        f"{sample}, {n} attributes": _private(everybody, n, biased=sample == "biased")
        for sample in ("random", "biased")
        for n in ATTRIBUTES
    }
    runs: list[Truths] = []
    cost = timed(lambda: runs.append(truths(tables, DELTAS, CONFIDENCES)))
    table = Table(
        f"{everybody.rows:,} people, {SHARE:.0%} of them private; CPU seconds of all: {cost.cpu:,.0f}",
        ("search", "known", "c", "settings that keep c", "least share of groups", "mean share", "mean LM", "margins"),
    )
    for search in SEARCHES:
        for known in KNOWN:
            for c in CONFIDENCES:
                found = {s: t for (s, k), t in runs[-1].items() if (s.search, s.confidence, k) == (search, c, known)}
                kept, margins = [t.kept for t in found.values()], [t.margin for t in found.values()]
                good = sum(holds(s, t) for s, t in found.items())
                table.add(
                    *(search, known, c, f"{good} of {len(found)}", min(kept), fmean(kept)),
                    *(fmean(t.loss for t in found.values()), f"{min(margins):g} to {max(margins):g}"),
                )
    says = []
    for known in KNOWN:
        judged = [holds(s, t) for (s, k), t in runs[-1].items() if k == known]
        says.append(f"by {known} at least c of the groups keep δ in {sum(judged)} of {len(judged)} settings")
    return Findings(__doc__.splitlines()[0], [table], says)


def _everybody(rows: int) -> FrequencySet:
    data = data_folder()
    if data is None:
        columns, people = PEOPLE, census_like(rows, columns=[*PEOPLE, "salary"])
        hierarchies = {}
    else:
        columns, file = CENSUS_COLUMNS, data / "census" / "sal500k.csv.gz"
        people = duckdb.sql(f"SELECT * FROM read_csv('{file}', all_varchar = true) LIMIT {rows}").to_arrow_table()
        hierarchies = {c: str(data / "census" / "hierarchies" / f"{c}.csv") for c in columns}
    attributes = {
        c: {"role": "quasi_identifier"} | ({"hierarchy": hierarchies[c]} if c in hierarchies else {}) for c in columns
    }
    words = {"attributes": attributes | {"salary": {"role": "sensitive"}}, "require": [{"k_anonymity": {"k": 2}}]}
    return take_in(policy_from_words(words), people).frequency


def _private(everybody: FrequencySet, attributes: int, *, biased: bool) -> FrequencySet:
    """A part of everybody, with the population, and the marginals of all others."""
    who = np.repeat(np.arange(len(everybody.counts)), everybody.counts)
    salary = everybody.sensitive["salary"][who]
    weights = np.where(biased & (salary < np.median(salary)), 2.0, 1.0)
    draw = np.random.default_rng(5)
    chosen = draw.choice(len(who), round(SHARE * len(who)), replace=False, p=weights / weights.sum())
    inside = np.bincount(who[chosen], minlength=len(everybody.counts)).astype(np.int64)
    here = np.flatnonzero(inside)
    codes, hierarchies = everybody.codes[:attributes], everybody.hierarchies[:attributes]
    whole = merged(FrequencySet(hierarchies, codes, {}, {}, everybody.counts))
    table = merged(FrequencySet(hierarchies, tuple(c[here] for c in codes), {}, {}, inside[here]))
    population = Population(whole.codes, whole.counts)
    return replace(table, population=population, marginals=marginals_of(population, table))
