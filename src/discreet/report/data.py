"""Everything the report says, as one frozen value: what the text, the JSON and the page are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.counts.groups import FloatArray
from discreet.hierarchies.hierarchy import Codes, Hierarchy, IntArray
from discreet.releases.tables import published_values
from discreet.report.beliefs import Belief, beliefs
from discreet.report.marginals import (
    Grain,
    Marginal,
    common_path,
    leaf_counts,
    marginal,
    printable,
    shown,
    spread_counts,
)
from discreet.report.words import hierarchy_in_words, model_of, not_protected, number, promise_in_words
from discreet.search.plan import Recoding

MOST_EXAMPLES = 6
# How much of its column's domain a published value leaves open: exact, up to a tenth, up to half, less than all, all.
EXACTNESS = ("exact", "narrow", "wide", "very wide", "hidden (*)")
_SPANS = (0.0, 0.1, 0.5)


@dataclass(frozen=True)
class PromiseLine:
    """One promise: in words, what was asked, what was achieved, and the size of the group that decides."""

    sentence: str
    name: str
    asked: str
    achieved: float | None  # None: no number can say it
    holds: bool
    deciding_group: int | None

    @property
    def told(self) -> str:
        """What was achieved, for people."""
        if self.deciding_group is None:
            return "none, as there is no group"
        return "beyond all bounds" if self.achieved is None else number(self.achieved)


@dataclass(frozen=True)
class SizeBin:
    """Published groups of `low` to `high` rows: how many, and how many rows they hold together."""

    low: int
    high: int
    groups: int
    rows: int


@dataclass(frozen=True)
class Step:
    """One level of a hierarchy: how many values the domain has there, and a common one as an example."""

    level: int
    values: int
    example: str | None
    published: bool


@dataclass(frozen=True)
class Common:
    """A published value and its share of the published rows in percent."""

    label: str
    share: int


@dataclass(frozen=True)
class Became:
    """What one quasi-identifier became. `level` is None where rows were treated differently.

    `exactness` has the share of published rows per entry of `EXACTNESS`.
    """

    name: str
    loss: float
    level: int | None
    originals: int
    published: int
    hierarchy: str
    steps: tuple[Step, ...]
    common: tuple[Common, ...]
    exactness: tuple[float, ...]

    @property
    def height(self) -> int:
        """The last level, ``*``."""
        return self.steps[-1].level


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
    beliefs: tuple[Belief, ...]
    attributes: tuple[Became, ...]
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


def report_data(plan: Recoding, manifest: Mapping[str, Any]) -> ReportData:
    """What is to be told about a release: figures of the manifest, and counts of the plan for the charts."""
    roles: dict[str, str] = {name: str(role) for name, role in manifest["roles"].items()}
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    promises, rows = manifest["promises"], manifest["rows"]
    words = {name: hierarchy_in_words(w) for name, w in manifest["hierarchies"].items()}
    grain = Grain(plan.frequency.rows)
    sizes = plan.groups.sizes
    k = max((int(p["k"]) for p in (model_of(x)[1] for x in promises) if "k" in p), default=None)
    star = rows["suppressed"] if manifest["suppressed_as"] == "star" else 0
    return ReportData(
        keeps_promises=all(p["holds"] for p in promises),
        promises=tuple(
            PromiseLine(
                promise_in_words(p, sensitive),
                printable(p["promise"]),
                printable(p["required"]),
                None if p["level"] is None else float(p["level"]),
                bool(p["holds"]),
                p["deciding_group"],
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
        beliefs=tuple(replace(b, attribute=shown(b.attribute)) for b in beliefs(plan)),
        attributes=tuple(
            _became(plan, i, manifest["losses"], words, grain) for i in range(len(plan.frequency.hierarchies))
        ),
        marginals=_marginals(plan, grain),
        share_step=grain.step,
        columns=tuple(Column(shown(name), role, words.get(name, "")) for name, role in roles.items()),
        open_risks=not_protected(promises, roles, _agreeing(plan), manifest["random"] == "seed", star),
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

    >>> [(b.low, b.high, b.groups, b.rows) for b in size_bins(np.array([3, 4, 5, 12]), k=3)]
    [(3, 4, 2, 7), (5, 9, 1, 5), (10, 19, 1, 12)]
    """
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return ()
    edges = {m * 10**e for e in range(len(str(sizes.max())) + 1) for m in (1, 2, 5)} | ({k} if k else set())
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


def _became(plan: Recoding, at: int, losses: Mapping[str, float], words: Mapping[str, str], grain: Grain) -> Became:
    h = plan.frequency.hierarchies[at]
    level = None if plan.node is None else plan.node[at]
    low, high, sizes = plan.low[:, at], plan.high[:, at], plan.groups.sizes
    examples: tuple[str | None, ...] = (None,) * (h.height + 1)
    if level is not None:
        before = leaf_counts(h, plan.frequency.codes[at], plan.frequency.counts)
        examples = common_path(h, level, before, _kept(plan, plan.frequency.codes[at], h), grain)
    steps = tuple(Step(n, len(h.labels[n]), examples[n], n == level) for n in range(h.height + 1))
    distinct, common = _common_published(plan, at, grain)
    return Became(
        shown(h.attribute),
        float(losses[h.attribute]),
        level,
        len(h.leaves),
        distinct,
        words.get(h.attribute, ""),
        steps,
        common,
        _exactness(h, low, high, sizes),
    )


def _common_published(plan: Recoding, at: int, grain: Grain) -> tuple[int, tuple[Common, ...]]:
    """How many different values are published, and the most common of them."""
    texts, of_group = published_values(plan, at)
    rows = np.bincount(of_group, weights=plan.groups.sizes, minlength=len(texts))
    shares = rows / max(int(plan.groups.sizes.sum()), 1)
    order = np.argsort(-rows, kind="stable")[:MOST_EXAMPLES]
    common = tuple(
        Common(shown(texts[i]), grain.round(float(shares[i]))) for i in order if rows[i] >= grain.least * grain.rows
    )
    return len(texts), common


def _exactness(h: Hierarchy, low: Codes, high: Codes, sizes: IntArray) -> tuple[float, ...]:
    """Share of the published rows per degree of exactness."""
    widest = len(h.leaves) - 1
    open_share = (high.astype(np.int64) - low) / max(widest, 1)
    degree = np.searchsorted(_SPANS, open_share, side="left")
    degree[(open_share >= 1) & (widest > 0)] = len(EXACTNESS) - 1
    rows = np.bincount(degree, weights=sizes, minlength=len(EXACTNESS))
    return tuple(float(x) for x in rows / max(float(rows.sum()), 1.0))


def _marginals(plan: Recoding, grain: Grain) -> tuple[Marginal, ...]:
    """Quasi-identifiers from their published ranges, then the sensitive columns as they are."""
    f, sizes = plan.frequency, plan.groups.sizes
    found = []
    for at, h in enumerate(f.hierarchies):
        before = leaf_counts(h, f.codes[at], f.counts)
        after = spread_counts(h, plan.low[:, at], plan.high[:, at], sizes)
        finest = 0 if plan.node is None else plan.node[at]
        found.append(marginal(h, "quasi_identifier", before, after, finest, grain))
    for name, codes in f.sensitive.items():
        h = f.sensitive_hierarchies[name]
        found.append(marginal(h, "sensitive", f.totals[name].astype(np.float64), _kept(plan, codes, h), 0, grain))
    return tuple(found)


def _kept(plan: Recoding, codes: Codes, hierarchy: Hierarchy) -> FloatArray:
    """How many of the published rows have each leaf."""
    return leaf_counts(hierarchy, codes, plan.published)


def _agreeing(plan: Recoding) -> dict[str, float]:
    """Per sensitive column, the share of published rows in groups where all rows have the same value."""
    sizes = plan.groups.sizes
    total = max(int(sizes.sum()), 1)
    return {name: float(sizes[np.diff(t.offsets) == 1].sum() / total) for name, t in plan.groups.tallies.items()}


def _scalars(words: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """The entries that are one number or one word. Longer ones may list values, and have a place of their own."""
    return {str(k): v for k, v in words.items() if isinstance(v, str | int | float | bool)}
