"""Everything the report says, as one frozen value: what the text, the JSON and the page are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.counts.groups import FloatArray
from discreet.hierarchies.hierarchy import IntArray
from discreet.report.ambiguous import Ambiguous, ambiguous
from discreet.report.answers import Answers, answers
from discreet.report.beliefs import Belief, beliefs
from discreet.report.coarser import Became, became, told_by_ranges
from discreet.report.exact import Exact, exact, told_by_tables
from discreet.report.marginals import Grain, Marginal, leaf_counts, marginal, printable, shown
from discreet.report.open_risks import open_risks
from discreet.report.presence import Confident, Present, confident, present
from discreet.report.presence_risks import presence_risks
from discreet.report.words import hierarchy_in_words, model_of, number, promise_in_words
from discreet.report.worst_case import WorstCase, seen_through, worst_case
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Plan, Recoding

FEW_SIZES = 8  # so many have a place each


@dataclass(frozen=True)
class PromiseLine:
    """One promise: in words, what was asked, what was achieved, and the size of the group that decides."""

    sentence: str
    name: str
    asked: str
    achieved: float | None  # None: no number can say it
    holds: bool
    deciding_group: int | None
    in_words: str = ""  # what was achieved, where one number does not say it all

    @property
    def told(self) -> str:
        """What was achieved, for people."""
        if self.deciding_group is None:
            return "none, as there is no group"
        if self.in_words:
            return self.in_words
        return "beyond all bounds" if self.achieved is None else number(self.achieved)


@dataclass(frozen=True)
class SizeBin:
    """Published groups of `low` to `high` rows: how many, and how many rows they hold together."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True)
class Column:
    """A column of the source and what happens to it."""

    name: str
    role: str
    hierarchy: str


@dataclass(frozen=True)
class ReportData:
    """The report. Counts and common values only: see `marginals` for what is left out."""

    keeps_promises: bool
    promises: tuple[PromiseLine, ...]
    source: int
    published: int
    suppressed: int
    limit: int
    suppressed_as: str
    groups: int
    smallest_group: int | None
    average_group: float | None
    loss: float
    loss_geometric: float
    discernibility: float
    k: int | None
    sizes: tuple[SizeBin, ...]
    ambiguous: Ambiguous | None
    worst_case: WorstCase | None
    presence: Present | None
    confidences: tuple[Confident, ...]
    beliefs: tuple[Belief, ...]
    attributes: tuple[Became, ...]  # of a generalized release
    exact: Exact | None  # of a release of exact values
    answers: Answers | None
    marginals: tuple[Marginal, ...]
    share_step: int
    columns: tuple[Column, ...]
    open_risks: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    publish: str
    search: str
    created: str
    version: str
    seeded: bool
    scans: int
    seconds: Mapping[str, float]
    facts: Mapping[str, str | int | float | bool]
    settings: Mapping[str, str]
    versions: Mapping[str, str]
    files: Mapping[str, Mapping[str, Any]]


def report_data(plan: Plan, manifest: Mapping[str, Any]) -> ReportData:
    """What is to be told about a release: figures of the manifest, and counts of the plan for the charts."""
    roles: dict[str, str] = {name: str(role) for name, role in manifest["roles"].items()}
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    promises, rows = manifest["promises"], manifest["rows"]
    words = {name: hierarchy_in_words(w) for name, w in manifest["hierarchies"].items()}
    grain = Grain(plan.frequency.rows)
    sizes = plan.groups.sizes
    k = max((int(p["k"]) for p in (model_of(x)[1] for x in promises) if "k" in p), default=None)
    worst = worst_case(plan, promises, grain) if isinstance(plan, Bucketization) else None
    unclear = ambiguous(plan, promises) if isinstance(plan, Ambiguity) else None
    who, sure = present(plan.groups, promises), confident(plan.groups, promises)
    attributes: tuple[Became, ...] = ()
    apart: Exact | None = None
    if isinstance(plan, Recoding):
        every = range(len(plan.frequency.hierarchies))
        attributes = tuple(became(plan, i, manifest["losses"], words, grain) for i in every)
        told = told_by_ranges(plan)
    else:
        apart, told = exact(plan, manifest["tables"]), told_by_tables(plan)
    in_words = {"ambiguity": unclear.in_words} if unclear is not None else {}
    in_words |= {"presence": who.achieved} if who is not None else {}
    return ReportData(
        keeps_promises=all(p["holds"] for p in promises),
        promises=tuple(
            PromiseLine(
                promise_in_words(p, sensitive, manifest["publish"]),
                printable(p["promise"]),
                printable(p["required"]),
                None if p["level"] is None else float(p["level"]),
                bool(p["holds"]),
                p["deciding_group"],
                in_words.get(model_of(p)[0], ""),
            )
            for p in promises
        ),
        source=rows["source"],
        published=rows["published"],
        suppressed=rows["suppressed"],
        limit=rows["limit"],
        suppressed_as=manifest["suppressed_as"],
        groups=manifest["groups"],
        smallest_group=manifest["smallest_group"] if len(sizes) else None,
        average_group=manifest["average_group"] if len(sizes) else None,
        loss=manifest["loss"],
        loss_geometric=manifest["loss_geometric"],
        discernibility=manifest["discernibility"],
        k=k,
        sizes=size_bins(sizes, k),
        ambiguous=unclear,
        worst_case=worst,
        presence=who,
        confidences=sure,
        beliefs=tuple(replace(b, attribute=shown(b.attribute)) for b in beliefs(plan)),
        attributes=attributes,
        exact=apart,
        answers=answers(plan) if plan.frequency.leaf_rows is None else None,
        marginals=_marginals(plan, told, grain),
        share_step=grain.step,
        columns=tuple(Column(shown(name), role, words.get(name, "")) for name, role in roles.items()),
        open_risks=open_risks(
            promises,
            roles,
            manifest["publish"],
            _agreeing(plan),
            seeded=manifest["random"] == "seed",
            stars=rows["suppressed"] if manifest["suppressed_as"] == "star" else 0,
            exchanged=0.0 if apart is None else apart.exchanged,
            seen_through="" if worst is None else seen_through(worst, grain.step),
            who=presence_risks(who, sure, roles),
        ),
        notes=tuple(printable(note) for note in manifest["notes"]),
        publish=manifest["publish"],
        search=manifest["search"],
        created=manifest["created"],
        version=manifest["discreet"],
        seeded=manifest["random"] == "seed",
        scans=manifest["scans"],
        seconds=dict(manifest["seconds"]),
        facts=_scalars(manifest["facts"]),
        # The source is left out: its address may hold a password, and says where the raw data lie.
        settings={k: str(v) for k, v in _scalars(manifest["policy"]).items() if k != "source"},
        versions={str(name): str(v) for name, v in manifest["versions"].items()},
        files={str(name): dict(about) for name, about in manifest["files"].items()},
    )


def size_bins(sizes: IntArray, k: int | None = None) -> tuple[SizeBin, ...]:
    """Groups by size in steps of 1, 2, 5, 10, 20, 50, …, and one at k, from the smallest size in use to the largest.

    Sizes that differ by a few rows only have a step each.

    >>> [(b.low, b.high, b.groups, b.rows) for b in size_bins(np.array([3, 4, 5, 12]), k=3)]
    [(3, 4, 2, 7), (5, 9, 1, 5), (10, 19, 1, 12)]
    >>> [(b.low, b.high, b.groups, b.rows) for b in size_bins(np.array([10, 10, 11]))]
    [(10, 10, 2, 20), (11, 11, 1, 11)]
    """
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return ()
    edges = {m * 10**e for e in range(len(str(sizes.max())) + 1) for m in (1, 2, 5)} | ({k} if k else set())
    if sizes.max() - sizes.min() < FEW_SIZES:
        edges |= set(range(int(sizes.min()), int(sizes.max()) + 2))
    ordered = np.array(sorted(edges), dtype=np.int64)
    first, last = np.searchsorted(ordered, [sizes.min(), sizes.max()], side="right") - 1
    ordered = ordered[first : last + 2]
    place = np.searchsorted(ordered, sizes, side="right") - 1
    groups = np.bincount(place, minlength=len(ordered) - 1)
    rows = np.bincount(place, weights=sizes, minlength=len(ordered) - 1)
    return tuple(
        SizeBin(int(low), int(high) - 1, int(g), int(r))
        for low, high, g, r in zip(ordered[:-1], ordered[1:], groups, rows, strict=True)
    )


def _marginals(plan: Plan, told: Sequence[FloatArray], grain: Grain) -> tuple[Marginal, ...]:
    """Quasi-identifiers as far as the release tells, then the sensitive columns as they are published."""
    f, kept = plan.frequency, plan.group != SUPPRESSED
    found = []
    for at, (h, after) in enumerate(zip(f.hierarchies, told, strict=True)):
        finest = 0 if plan.node is None else plan.node[at]
        before = f.rows_by_leaf(at).astype(np.float64)
        found.append(marginal(h, "quasi_identifier", before, after, finest, grain))
    for name, h in f.sensitive_hierarchies.items():
        after = leaf_counts(h, plan.values(name)[kept], plan.count[kept])
        found.append(marginal(h, "sensitive", f.totals[name].astype(np.float64), after, 0, grain))
    return tuple(found)


def _agreeing(plan: Plan) -> dict[str, float]:
    """Per sensitive column, the share of published rows in groups where all rows have the same value."""
    sizes = plan.groups.sizes
    total = max(int(sizes.sum()), 1)
    return {name: float(sizes[np.diff(t.offsets) == 1].sum() / total) for name, t in plan.groups.tallies.items()}


def _scalars(words: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """The entries that are one number or one word. Longer ones may list values, and have a place of their own."""
    return {str(k): v for k, v in words.items() if isinstance(v, str | int | float | bool)}
