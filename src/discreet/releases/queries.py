"""COUNT queries answered from a release, and how far its answers are off: the same workload for every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import People, Tally, tally
from discreet.engines.base import Frequencies
from discreet.engines.open import published_tables
from discreet.errors import Mistake, PolicyError, ReleaseError, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.releases.contents import read_manifest
from discreet.releases.kinds.ambiguous import read_ambiguous
from discreet.releases.kinds.bucketized import read_bucketized
from discreet.releases.kinds.grouped import Grouped
from discreet.releases.kinds.published import AGAIN, Manifest
from discreet.releases.kinds.recoded import Recoded, read_recoded
from discreet.releases.manifest import checksum, finite
from discreet.releases.source.table import read_source, value_codes
from discreet.search.plan import Ambiguity, Bucketization, Plan, Recoding
from discreet.utility.estimates import Combinations, estimates, estimates_exact, published_ranges, published_sets
from discreet.utility.published import read_published
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
        """For scripts; figures that no query gives are null."""
        return {name: finite(x) if isinstance(x, float) else x for name, x in asdict(self).items()}


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


def query_error_of(
    folder: Path | str,
    source: Any,
    *,
    predicates: int | None = None,
    selectivity: float = 0.05,
    count: int = 10_000,
    seed: int | None = 0,
    sensitive: str | None = None,
) -> QueryError:
    """The same of a finished release: queries drawn on its source (a path or a frame), answered from its files alone.

    >>> import tempfile, discreet
    >>> words = {
    ...     "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    ...     "require": [{"k_anonymity": {"k": 2}}],
    ...     "publish": "multidimensional",
    ... }
    >>> patients = {"age": [20, 21, 40, 41], "disease": ["flu", "flu", "cold", "cold"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = discreet.anonymize(discreet.policy_from_words(words), f"{folder}/release", source=patients)
    ...     error = query_error_of(release.folder, patients, selectivity=0.1, count=1000)
    >>> error.describe()
    '1,000 random COUNT queries on 1 quasi-identifier and disease, with an expected selectivity of 0.1'
    >>> round(error.mean, 1)  # answers are off by a tenth
    0.1
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest.get("checksum") != checksum(manifest):
        raise ReleaseError(Mistake("manifest.json", "is not what was written: its checksum differs", AGAIN))
    table = read_source(source, manifest, rules=True)
    workload, asked = _drawn(table, predicates, selectivity, count, seed, sensitive)
    return _error(asked, true_answers(table, workload), answers_of(folder, manifest, table, workload))


def answers_of(folder: Path, manifest: Manifest, table: FrequencySet, workload: Workload) -> FloatArray:
    """What the files answer. The source (`table`) only says which values there are, and that the files are about it."""
    published = published_tables(folder, manifest.get("database"), csv=manifest.get("csv"))
    if manifest["publish"] == "bucketization":
        bucketized = read_bucketized(published, manifest, table)
        tables = [_entries(bucketized.people, bucketized.quasi_identifiers, table, workload, counted=True)]
        found = _tally_of(bucketized.values, bucketized.sensitive, table, workload)
        return estimates_exact(workload, tables, bucketized.people.sizes, found)
    if manifest["publish"] == "ambiguity":
        ambiguous = read_ambiguous(published, manifest, table)
        sets = [manifest["tables"][part.file] for part in ambiguous.auxiliary]
        tables = [_entries(p, s, table, workload) for p, s in zip(ambiguous.auxiliary, sets, strict=True)]
        found = _tally_of(ambiguous.values, ambiguous.sensitive, table, workload)
        return estimates_exact(workload, tables, ambiguous.values.sizes, found)
    return _recoded_answers(read_recoded(published, manifest), manifest, table, workload)


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
    from discreet.utility.leaf_bits import distinct

    group = people.group
    _, first = distinct([group, *(people.codes[d] for d in table)], len(group))
    asked = [d for d in table if people.hierarchies[d].attribute in places]
    return Combinations(
        tuple(places[people.hierarchies[d].attribute] for d in asked),
        np.searchsorted(group[first], np.arange(len(people.offsets))).astype(np.int64),
        tuple(people.codes[d][first] for d in asked),
        np.ones(len(first), dtype=np.int64),
    )


def _entries(
    part: Grouped, columns: Sequence[str], table: FrequencySet, workload: Workload, *, counted: bool = False
) -> Combinations:
    """A published table of exact quasi-identifiers, group by group; `counted`, with how often each row is there."""
    order = np.argsort(part.group, kind="stable")
    leaves = dict(zip(table.attributes, table.hierarchies, strict=True))
    asked = [(i, workload.attributes.index(c), leaves[c]) for i, c in enumerate(columns) if c in workload.attributes]
    return Combinations(
        tuple(place for _, place, _ in asked),
        np.searchsorted(part.group[order], np.arange(part.groups + 1)).astype(np.int64),
        tuple(value_codes(h, part.found.values[i])[part.found.codes[i]][order] for i, _, h in asked),
        part.found.counts[order] if counted else np.ones(len(order), dtype=np.int64),
    )


def _tally_of(values: Grouped, names: Sequence[str], table: FrequencySet, workload: Workload) -> Tally | None:
    """How often each group has each value of the workload's sensitive attribute; None if it speaks of none."""
    last = workload.attributes[-1]
    if last not in table.sensitive:
        return None
    hierarchy = table.sensitive_hierarchies[last]
    column = list(names).index(last)
    code = value_codes(hierarchy, values.found.values[column])[values.found.codes[column]]
    return tally(values.group, code, values.found.counts, values.groups, table.totals[last], hierarchy)


def _recoded_answers(published: Recoded, manifest: Manifest, table: FrequencySet, workload: Workload) -> FloatArray:
    """Answers from a table whose texts stand for sets of leaves; rows that are all ``*`` are in no group."""
    kept = published.group >= 0
    found, group = published.found, published.group[kept]
    counts = found.counts[kept]
    first = np.unique(group, return_index=True)[1]
    level = manifest["node"] or {}
    quasi_identifiers = [c for c in manifest["columns"] if manifest["roles"][c] == "quasi_identifier"]
    leaves = dict(zip(table.attributes, table.hierarchies, strict=True))
    parts = [
        published_sets(
            workload.attributes.index(name),
            found.codes[i][kept][first].astype(np.int64),
            _leaves(found.values[i], leaves[name], level.get(name)),
        )
        for i, name in enumerate(quasi_identifiers)
        if name in workload.attributes
    ]
    own = Grouped("", Frequencies(found.values, tuple(c[kept] for c in found.codes), counts), group, published.groups)
    names = [*quasi_identifiers, *published.sensitive]
    return estimates(workload, parts, own.sizes, _tally_of(own, names, table, workload))


def _leaves(texts: Sequence[Value], hierarchy: Hierarchy, level: int | None) -> list[IntArray]:
    """What each text of a column stands for; a column published at one level uses the names of that level."""
    place = {} if level is None else {name: code for code, name in enumerate(hierarchy.labels[level])}
    if level is None or not place.keys() >= set(texts):
        return read_published(texts, hierarchy)
    first, last = hierarchy.first[level], hierarchy.last[level]
    return [np.arange(first[place[text]], last[place[text]] + 1) for text in texts]
