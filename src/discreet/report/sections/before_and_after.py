"""How common each original value was in the source, and how common a reader of the release takes it to be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import FloatArray
from discreet.report.marginals import Grain, Marginal, leaf_counts, marginal
from discreet.report.sections.coarser import told_by_ranges
from discreet.report.sections.exact import told_by_tables
from discreet.report.sections.registry import Private, Section
from discreet.search.plan import Ambiguity, Bucketization, Plan, Recoding


def _figures(known: Private) -> tuple[Marginal, ...]:
    plan = known.plan
    if isinstance(plan, Recoding):
        return _marginals(plan, told_by_ranges(plan), known.grain)
    if isinstance(plan, Bucketization | Ambiguity):
        return _marginals(plan, told_by_tables(plan), known.grain)
    return ()


def _marginals(plan: Plan, told: Sequence[FloatArray], grain: Grain) -> tuple[Marginal, ...]:
    """Quasi-identifiers as far as the release tells, then the sensitive columns as they are published."""
    f, tallies = plan.frequency, plan.groups.tallies
    found = []
    for at, (h, after) in enumerate(zip(f.hierarchies, told, strict=True)):
        # Where a table was looked at no closer than it is published, there is nothing finer to show.
        finest = 0 if plan.node is None or f.leaf_rows is None else plan.node[at]
        before = f.rows_by_leaf(at).astype(np.float64)
        stayed = after if f.leaf_rows is not None else plan.published_leaves[at].astype(np.float64)
        found.append(marginal(h, "quasi_identifier", before, after, stayed, finest, grain))
    for name, h in f.sensitive_hierarchies.items():
        after = leaf_counts(h, tallies[name].values, tallies[name].counts)
        found.append(marginal(h, "sensitive", f.totals[name].astype(np.float64), after, after, 0, grain))
    return tuple(found)


MARGINALS = Section(_figures, "report_marginals.html.j2")
