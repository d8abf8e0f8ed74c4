"""COUNT queries answered from a release, and how far its answers are off: the same workload for every kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import FloatArray, People, Tally
from discreet.errors import Mistake, PolicyError, did_you_mean
from discreet.search.plan import Ambiguity, Bucketization, Plan, Recoding
from discreet.utility.estimates import Combinations, estimates, estimates_exact, published_ranges
from discreet.utility.queries import Workload, draw_workload, relative_error, true_counts


@dataclass(frozen=True)
class QueryError:
    """How far a release's answers to random COUNT queries are off: |act − est| / act, and what was asked.

    The `empty` queries, where nothing qualifies, are left out; the others are `queries`.
    """

    mean: float
    median: float
    queries: int
    empty: int
    predicates: int
    selectivity: float
    sensitive: str | None
    seed: int | None

    def describe(self) -> str:
        """What was asked, in one line."""
        also = f" and {self.sensitive}" if self.sensitive is not None else ""
        of = "quasi-identifier" if self.predicates == 1 else "quasi-identifiers"
        return (
            f"{self.queries + self.empty:,} random COUNT queries on {self.predicates} {of}{also}, "
            f"with an expected selectivity of {self.selectivity:.3g}"
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def answers(plan: Plan, workload: Workload) -> FloatArray:
    """What an analyst who sees the release alone answers to each query (spec 02).

    Σ over groups of the people with a qualifying sensitive value, times the share of the group that qualifies by its
    quasi-identifiers: by overlap of ranges (recoded), of its exact people (bucketized), or table by table of the
    distinct values in it (ambiguous). Suppressed rows are in no group, and so in no answer.
    """
    places, tally = _places(plan, workload)
    sizes = plan.groups.sizes
    if isinstance(plan, Recoding):
        names = enumerate(plan.frequency.attributes)
        parts = [published_ranges(places[name], plan.low[:, d], plan.high[:, d]) for d, name in names if name in places]
        return estimates(workload, parts, sizes, tally)
    if isinstance(plan, Bucketization):
        return estimates_exact(workload, [_everybody(plan.people, places)], sizes, tally)
    if isinstance(plan, Ambiguity):
        tables = [_apart(plan.people, table, places) for table in plan.tables]
        return estimates_exact(workload, tables, sizes, tally)
    raise TypeError(f"no way to answer queries from a {type(plan).__name__}")


def query_error(
    plan: Plan,
    *,
    predicates: int | None = None,
    selectivity: float = 0.05,
    count: int = 10_000,
    seed: int | None = 0,
    sensitive: str | None = None,
) -> QueryError:
    """Ask the source and the planned release the same random queries (`draw_workload`).

    By default on all quasi-identifiers and the (first) sensitive attribute, as the robustness paper does.
    """
    frequency = plan.frequency
    workload, asked = _drawn(frequency, predicates, selectivity, count, seed, sensitive)
    return _error(asked, true_answers(frequency, workload), answers(plan, workload))


def true_answers(frequency: FrequencySet, workload: Workload) -> FloatArray:
    """What the source itself answers."""
    columns = dict(zip(frequency.attributes, frequency.codes, strict=True)) | dict(frequency.sensitive)
    counted = true_counts(workload, [columns[name] for name in workload.attributes], frequency.counts)
    return counted.astype(np.float64)


def _drawn(
    frequency: FrequencySet,
    predicates: int | None,
    selectivity: float,
    count: int,
    seed: int | None,
    sensitive: str | None,
) -> tuple[Workload, dict[str, Any]]:
    """The workload, and what was asked with all defaults said."""
    asked: dict[str, Any] = {
        "predicates": len(frequency.hierarchies) if predicates is None else predicates,
        "selectivity": selectivity,
        "sensitive": next(iter(frequency.sensitive), None) if sensitive is None else sensitive,
        "seed": seed,
    }
    return draw_workload(frequency, count=count, **asked), asked


def _error(asked: Mapping[str, Any], actual: FloatArray, estimated: FloatArray) -> QueryError:
    found = relative_error(actual, estimated)
    return QueryError(found.mean, found.median, found.queries, found.empty, **asked)


def _places(plan: Plan, workload: Workload) -> tuple[dict[str, int], Tally | None]:
    """Where the workload speaks of each quasi-identifier, and the tally of its sensitive attribute, if it has one."""
    last = workload.attributes[-1]
    tally = plan.groups.tallies.get(last)
    asked = workload.attributes if tally is None else workload.attributes[:-1]
    known = plan.frequency.attributes
    strange = [a for a in asked if a not in known]
    if strange:
        rule = "{!r} is not a quasi-identifier of the plan"
        raise PolicyError(*(Mistake("workload", rule.format(a), did_you_mean(a, known)) for a in strange))
    return {name: place for place, name in enumerate(asked)}, tally


def _everybody(people: People, places: Mapping[str, int]) -> Combinations:
    """All quasi-identifiers in one table, with how many people have each combination."""
    asked = [d for d, h in enumerate(people.hierarchies) if h.attribute in places]
    return Combinations(
        tuple(places[people.hierarchies[d].attribute] for d in asked),
        people.offsets,
        tuple(people.codes[d] for d in asked),
        people.counts,
    )


def _apart(people: People, table: tuple[int, ...], places: Mapping[str, int]) -> Combinations:
    """One table of an ambiguous release: the distinct combinations of its attributes, group by group."""
    from discreet.utility.covering import distinct

    group = people.group
    _, first = distinct([group, *(people.codes[d] for d in table)], len(group))
    asked = [d for d in table if people.hierarchies[d].attribute in places]
    return Combinations(
        tuple(places[people.hierarchies[d].attribute] for d in asked),
        np.searchsorted(group[first], np.arange(len(people.offsets))).astype(np.int64),
        tuple(people.codes[d][first] for d in asked),
        np.ones(len(first), dtype=np.int64),
    )
