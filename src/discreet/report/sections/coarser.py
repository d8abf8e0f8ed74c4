"""What generalization made of each quasi-identifier: levels, ranges, and how much of the domain they leave open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.publications.tables import published_values
from discreet.report.marginals import Grain, common_path, shown, spread_counts
from discreet.report.sections.registry import Private, Section
from discreet.report.words import hierarchies_in_words
from discreet.search.plan import Recoding

MOST_EXAMPLES = 6
# How much of its column's domain a published value leaves open: exact, up to a tenth, up to half, less than all, all.
EXACTNESS = ("exact", "narrow", "wide", "very wide", "hidden (*)")
_SPANS = (0.0, 0.1, 0.5)


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


def became(
    plan: Recoding, at: int, losses: Mapping[str, float], hierarchies: Mapping[str, str], grain: Grain
) -> Became:
    """What quasi-identifier number `at` became. `hierarchies` are told in words."""
    h = plan.frequency.hierarchies[at]
    level = None if plan.node is None else plan.node[at]
    low, high, sizes = plan.low[:, at], plan.high[:, at], plan.groups.sizes
    examples: tuple[str | None, ...] = (None,) * (h.height + 1)
    if level is not None and plan.frequency.leaf_rows is None:  # else nobody looked at single values
        before = plan.frequency.counted_leaves[at].astype(np.float64)
        after = plan.published_leaves[at].astype(np.float64)
        examples = common_path(h, level, before, after, grain)
    steps = tuple(Step(n, len(h.labels[n]), examples[n], n == level) for n in range(h.height + 1))
    distinct, common = _common_published(plan, at, grain)
    return Became(
        shown(h.attribute),
        float(losses[h.attribute]),
        level,
        len(h.leaves),
        distinct,
        hierarchies.get(h.attribute, ""),
        steps,
        common,
        _exactness(h, low, high, sizes),
    )


def told_by_ranges(plan: Recoding) -> tuple[FloatArray, ...]:
    """Per quasi-identifier, how many rows have each leaf as far as the release tells."""
    low, high, sizes = plan.low, plan.high, plan.groups.sizes
    return tuple(spread_counts(h, low[:, d], high[:, d], sizes) for d, h in enumerate(plan.frequency.hierarchies))


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


def _figures(known: Private) -> tuple[Became, ...]:
    plan = known.plan
    if not isinstance(plan, Recoding):
        return ()
    words = hierarchies_in_words(known.manifest)
    every = range(len(plan.frequency.hierarchies))
    return tuple(became(plan, i, known.about["losses"], words, known.grain) for i in every)


ATTRIBUTES = Section(_figures, "report_coarser.html.j2")
