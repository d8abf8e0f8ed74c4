"""Releases of exact values from plans made by hand: any rows in any groups, whatever a search would say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.publishing import WrittenFiles
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.labels.whose import Whose
from discreet.models.base import PrivacyModel
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.verdicts import verdicts
from discreet.policy.kinds import PUBLICATIONS, Writing
from discreet.publications.ambiguous_tables import write_ambiguous
from discreet.publications.bucketized_tables import write_bucketized
from discreet.releases.contents import read_mapping
from discreet.releases.manifest import checksum, promises
from discreet.releases.references import PUBLISHED
from discreet.releases.verify import recheck
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization


@dataclass(frozen=True)
class Columns:
    """Who is who among the columns of a table."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, str]:
        roles = dict.fromkeys(self.quasi_identifiers, "quasi_identifier") | dict.fromkeys(self.sensitive, "sensitive")
        return roles | dict.fromkeys(self.others, "other")


@dataclass(frozen=True, eq=False)
class Planned:
    """A table in an engine, and a plan for it."""

    engine: DuckDB
    plan: Bucketization | Ambiguity
    columns: Columns


def planned(
    source: Any,
    columns: Columns,
    group: Sequence[int],
    *,
    tables: Sequence[Sequence[int]] | None = None,
    exchanged: dict[str, Sequence[Any]] | None = None,
) -> Planned:
    """Row i of the source in group `group[i]`, or suppressed (−1); with `tables`, of an ambiguous release.

    `exchanged` has the sensitive value that is published for each row.
    """
    engine = DuckDB(source)
    names = [*columns.quasi_identifiers, *columns.sensitive]
    found = engine.frequencies(names)
    hierarchies = [build(name, values, Flat()) for name, values in zip(names, found.values, strict=True)]
    width = len(columns.quasi_identifiers)
    frequency = frequency_set(
        found, hierarchies[:width], dict(zip(columns.sensitive, hierarchies[width:], strict=True))
    )
    codes = np.stack([*frequency.codes, *frequency.sensitive.values()], axis=1).tolist()
    place = {tuple(h.leaves[c] for h, c in zip(hierarchies, row, strict=True)): i for i, row in enumerate(codes)}
    numbers = {g: i for i, g in enumerate(sorted({*group} - {SUPPRESSED}))} | {SUPPRESSED: SUPPRESSED}
    rows_of = zip(*(texts(column(source, name)) for name in names), strict=True)
    others = {name: texts(values) for name, values in (exchanged or {}).items()}
    new_values = zip(*others.values(), strict=True) if others else [()] * len(group)
    counted = Counter(zip((place[row] for row in rows_of), (numbers[g] for g in group), new_values, strict=True))
    rows, groups = (np.array([key[i] for key in counted], dtype=np.int64) for i in (0, 1))
    counts = np.array(list(counted.values()), dtype=np.int64)
    if tables is not None:
        sets = tuple(tuple(table) for table in tables)
        return Planned(engine, Ambiguity(frequency, rows, counts, groups, sets), columns)
    index = {name: frequency.sensitive_hierarchies[name].index for name in others}
    new = {name: np.array([index[name][key[2][i]] for key in counted], dtype=np.int32) for i, name in enumerate(others)}
    return Planned(engine, Bucketization(frequency, rows, counts, groups, new), columns)


def texts(values: Sequence[Any]) -> list[str | None]:
    """As engines write values: whole numbers among floats without a point."""
    return [None if v is None else str(v).removesuffix(".0") if isinstance(v, float) else str(v) for v in values]


def column(source: Any, name: str) -> list[Any]:
    found: list[Any] = source[name] if isinstance(source, dict) else source.column(name).to_pylist()
    return found


def release(
    made: Planned,
    folder: Path,
    models: Sequence[PrivacyModel] = (),
    form: str = "csv",
    seed: int = 1,
) -> dict[str, Any]:
    """Write the plan's files into `folder` (a new one), with a manifest that tells the truth."""
    folder.mkdir()
    models = models or [BetaLikeness(10**9, made.columns.sensitive[0])]  # which every group keeps
    random, plan, frequency = np.random.default_rng(seed), made.plan, made.plan.frequency
    files = WrittenFiles(folder, form, made.engine)
    columns, numbers = tuple(made.engine.columns), random.permutation(plan.group_count) + 1
    if isinstance(plan, Ambiguity):
        tables = write_ambiguous(plan, columns, files, numbers)
    else:
        writing = Writing(columns, columns, tuple(made.columns.others), False, numbers=numbers)
        tables = write_bucketized(plan, writing, files, random)
    roles = made.columns.roles
    publish = "ambiguity" if isinstance(plan, Ambiguity) else "bucketization"
    manifest: dict[str, Any] = tables | {
        "publish": publish,
        "files": {f.name: {} for f in folder.iterdir()},
        "columns": [c for c in made.engine.columns if c in roles],
        "roles": roles,
        "promises": promises(verdicts(models, plan.groups), Whose.UNSAID),
        "rows": {
            "source": frequency.rows,
            "published": frequency.rows - plan.suppressed,
            "suppressed": plan.suppressed,
            "limit": frequency.rows,
        },
        "suppressed_as": "drop",
        "groups": plan.group_count,
        "smallest_group": int(plan.groups.sizes.min(initial=frequency.rows - plan.suppressed)),
        "hierarchies": {n: h.rule.to_words() for n, h in frequency.sensitive_hierarchies.items()},
        "references": dict.fromkeys(made.columns.sensitive, PUBLISHED),
        "policy": {
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "require": [model.to_words() for model in models],
            "publish": publish,
        },
    }
    put_manifest(folder, manifest)
    kind = PUBLICATIONS[manifest["publish"]]
    mapping = None if kind.several else read_mapping(folder)
    found = recheck(manifest, folder, files, kind.read(files, manifest, mapping, frequency, None))
    manifest["promises"] = promises(found.verdicts, Whose.UNSAID)
    put_manifest(folder, manifest)
    return manifest


def put_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Put a manifest in place with all its fingerprints right, as a clever forger would."""
    for name, about in manifest["files"].items():
        if (folder / name).is_file():
            about["sha256"] = sha256((folder / name).read_bytes()).hexdigest()
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def pairs(frequency: FrequencySet, seed: int = 1) -> Bucketization:
    """Groups of two and three people at random; the last combinations are suppressed."""
    n = int(frequency.rows)
    row = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
    group = np.random.default_rng(seed).permutation(np.arange(n) // 2 % max(n // 3, 1))
    group = np.where(group == group.max(), -1, group) if group.max() > 0 else group
    key, count = np.unique(row * (n + 1) + group + 1, return_counts=True)
    return Bucketization(frequency, key // (n + 1), count.astype(np.int64), key % (n + 1) - 1)
