"""Small tables, plans for them and the manifests a release would have, made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import RollUp
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Taxonomy
from discreet.publications.published import Counted, Published
from discreet.releases.figures import people_figures
from discreet.report.data import ReportData, report_data
from discreet.report.release import release_data
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Plan, Recoding

Row = tuple[Value, ...]


def frequencies(
    rows: Sequence[Row],
    quasi_identifiers: dict[str, dict[Value, tuple[Value, ...]]],
    sensitive: Sequence[str] = (),
) -> FrequencySet:
    """The frequency set of rows whose columns are the quasi-identifiers, then the sensitive ones."""
    counts = Counter(rows)
    columns = list(zip(*counts, strict=True)) or [()] * (len(quasi_identifiers) + len(sensitive))
    hierarchies = [
        build(name, column, Taxonomy(paths))
        for (name, paths), column in zip(quasi_identifiers.items(), columns, strict=False)
    ]
    rest = columns[len(hierarchies) :]
    flat = {
        name: build(name, column, Taxonomy(dict.fromkeys(column, ())))
        for name, column in zip(sensitive, rest, strict=True)
    }
    return FrequencySet(
        tuple(hierarchies),
        tuple(
            np.array([h.index[v] for v in column], dtype=np.int32)
            for h, column in zip(hierarchies, columns, strict=False)
        ),
        {
            name: np.array([flat[name].index[v] for v in column], dtype=np.int32)
            for name, column in zip(sensitive, rest, strict=True)
        },
        flat,
        np.array(list(counts.values()), dtype=np.int64),
    )


def full_domain(frequency: FrequencySet, node: tuple[int, ...], k: int) -> Recoding:
    """Every attribute at its level; groups of fewer than k rows are suppressed."""
    roll_up = RollUp(frequency)
    counted, group = roll_up.group_of_rows(node)
    codes = [roll_up.codes(counted, at) for at in range(len(node))]
    levels = list(zip(frequency.hierarchies, node, codes, strict=True))
    low = np.stack([h.first[level][c] for h, level, c in levels], axis=1)
    high = np.stack([h.last[level][c] for h, level, c in levels], axis=1)
    enough = counted.groups.sizes >= k
    number = np.where(enough, np.cumsum(enough) - 1, SUPPRESSED)
    rows = np.arange(len(frequency.counts))
    return Recoding(frequency, rows, frequency.counts, number[group], low[enough], high[enough], node)


def dealt(frequency: FrequencySet, size: int, left_out: int = 0) -> tuple[IntArray, IntArray, IntArray]:
    """Assignments of rows to groups of about `size` rows, dealt out one by one; the last rows are suppressed."""
    row = np.random.default_rng(5).permutation(np.repeat(np.arange(len(frequency.counts)), frequency.counts))
    kept = len(row) - left_out
    group = np.arange(len(row)) % max(kept // size, 1)
    return row, np.ones(len(row), dtype=np.int64), np.where(np.arange(len(row)) < kept, group, SUPPRESSED)


def bucketized(frequency: FrequencySet, size: int = 5, left_out: int = 0) -> Bucketization:
    """Groups of exact values, whoever they are."""
    return Bucketization(frequency, *dealt(frequency, size, left_out))


def ambiguous(
    frequency: FrequencySet, size: int = 5, left_out: int = 0, tables: tuple[tuple[int, ...], ...] | None = None
) -> Ambiguity:
    """Groups of exact values in tables apart, whoever they are."""
    apart = tuple((d,) for d in range(len(frequency.hierarchies)))
    return Ambiguity(frequency, *dealt(frequency, size, left_out), tables or apart)


def manifest(plan: Plan, k: int, **changes: Any) -> dict[str, Any]:
    """What the release of that plan would say about itself."""
    f, sizes = plan.frequency, plan.groups.sizes
    losses = dict(zip(f.attributes, plan.losses.tolist(), strict=True))
    smallest = int(sizes.min()) if len(sizes) else None
    published = int(sizes.sum())
    return {
        "discreet": "0.1.0",
        "created": "2025-01-15T10:22:31+00:00",
        "publish": publish_of(plan),
        "search": "optimal",
        "files": {"data.csv": {"sha256": "ab" * 32, "rows": published, "bytes": 1234}},
        "tables": tables_of(plan),
        "columns": [*f.attributes, *f.sensitive],
        "roles": dict.fromkeys(f.attributes, "quasi_identifier") | dict.fromkeys(f.sensitive, "sensitive"),
        "promises": [
            {
                "model": {"k_anonymity": {"k": k}},
                "promise": f"{k}-anonymity",
                "holds": True,
                "level": float(smallest or 0),
                "required": f"at least {k}",
                "deciding_group": smallest,
            }
        ],
        "rows": {
            "source": f.rows,
            "published": published,
            "suppressed": plan.suppressed,
            "limit": f.rows // 10,
        },
        "suppressed_as": "drop",
        "node": dict(zip(f.attributes, plan.node, strict=True)) if plan.node else None,
        "groups": len(sizes),
        "smallest_group": smallest,
        "people": people_figures(plan),
        "loss": float(plan.losses.mean()),
        "loss_geometric": float(np.prod(1 + plan.losses) ** (1 / len(plan.losses)) - 1),
        "losses": losses,
        "discernibility": float((sizes**2).sum() + f.rows * plan.suppressed),
        "average_group": float(sizes.mean()) if len(sizes) else 0.0,
        "hierarchies": {h.attribute: h.rule.to_words() for h in f.hierarchies},
        "policy": {
            "publish": "generalization",
            "suppress": "1/10",
            "utility": "loss",
            "source": "/raw/people.csv",
            "one_row_per_person": True,
        },
        "random": "operating system",
        "versions": {"python": "3.11.4", "numpy": "2.3.0"},
        "scans": 1,
        "seconds": {"scan": 0.21, "search": 0.15, "publish": 0.12, "verify": 0.1},
        "facts": {"nodes": 6, "nodes_checked": 4, "lower_bound": 0.1, "optimal": True},
        "notes": [],
        **changes,
    }


@dataclass(frozen=True, eq=False)
class AsPlanned:
    """A plan as if its release had been read back."""

    plan: Plan

    @property
    def alone(self) -> AsPlanned:
        return self

    def counted(self) -> Counted:
        f, kept = self.plan.frequency, self.plan.group != SUPPRESSED
        row, count = self.plan.row[kept], self.plan.count[kept]
        leaves = {h.attribute: (h.leaves, c[row]) for h, c in zip(f.hierarchies, f.codes, strict=True)}
        leaves |= {n: (h.leaves, self.plan.values(n)[kept]) for n, h in f.sensitive_hierarchies.items()}
        return {
            n: (v, np.bincount(c, weights=count, minlength=len(v)).astype(np.int64)) for n, (v, c) in leaves.items()
        }


def custodian(plan: Plan, words: dict[str, Any]) -> ReportData:
    """The custodian's report of a plan; `words` are a manifest with the figures about the source in it."""
    release = release_data(words, {"levels": {}}, cast(Published, AsPlanned(plan)), plan.groups)
    return report_data(plan, words, words | {"notes": []}, release)


def publish_of(plan: Plan) -> str:
    kinds = {Bucketization: "bucketization", Ambiguity: "ambiguity"}
    return kinds.get(type(plan), "generalization" if plan.node else "local_recoding")


def tables_of(plan: Plan) -> dict[str, list[str]]:
    """The columns of each file of a release of exact values."""
    names, sensitive = plan.frequency.attributes, list(plan.frequency.sensitive)
    if isinstance(plan, Ambiguity):
        apart = {f"auxiliary_{i}.csv": [names[d] for d in table] for i, table in enumerate(plan.tables)}
    else:
        apart = {"quasi_identifiers.csv": [*names]}
    return apart | {"sensitive.csv": sensitive}


def without_values(data: ReportData) -> ReportData:
    """The report without the list of what is in each column, where every published value may stand."""
    return replace(data, sections={**data.sections, "values": ()})
