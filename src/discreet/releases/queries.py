"""COUNT queries answered from a release, and how far its answers are off: the same workload for every kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.counts.frequency import FrequencySet
from discreet.engines.open import published_tables
from discreet.errors import Mistake, ReleaseError
from discreet.policy.kinds import PUBLICATIONS
from discreet.publications.answers import answers
from discreet.publications.published import AGAIN
from discreet.publications.source.table import read_source
from discreet.releases.contents import read_manifest
from discreet.releases.manifest import checksum, finite
from discreet.search.plan import Plan
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
    kind = PUBLICATIONS[manifest["publish"]]
    tables = published_tables(folder, manifest.get("database"), csv=manifest.get("csv"))
    published = kind.read(tables, manifest, None, table if kind.exact else None, None)
    return _error(asked, true_answers(table, workload), kind.answers(published, manifest, table, workload))


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
