"""How strongly columns go together in the source and in the release: what an analysis of two columns has left."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.report.associations import Associations, Most, associations, hang_together
from discreet.report.marginals import shown
from discreet.report.sections.registry import Private, Section
from discreet.search.plan import Plan

MOST_COLUMNS = 10  # of a matrix that can be read
MOST_SENSITIVE = 3
MOST = Most(combinations=200_000, groups=20_000)  # of more a random part is taken: a matter of a moment
_NOTHING = 0.005  # what is told as 0.00


@dataclass(frozen=True)
class PairsKept:
    """Cramér's V of each pair of columns, before and after; `chosen_by` is the column that decided which are shown.

    `lost` are the pairs that lose most: their names, and the figure before and after.
    """

    names: tuple[str, ...]
    before: tuple[tuple[float | None, ...], ...]
    after: tuple[tuple[float | None, ...], ...]
    lost: tuple[tuple[str, str, float, float], ...]
    left_out: int
    chosen_by: str
    sampled: bool


def pairs_kept(plan: Plan) -> PairsKept | None:
    """None where there is nothing to compare: no two columns, nothing published, or nobody looked at single values."""
    f = plan.frequency
    if f.leaf_rows is not None or len(f.attributes) + len(f.sensitive) < 2 or plan.empty:
        return None
    names, by = _columns(plan)
    found = associations(plan, names, MOST)
    return PairsKept(
        tuple(shown(name) for name in names),
        tuple(map(tuple, found.before)),
        tuple(map(tuple, found.after)),
        _most_lost(found),
        len(f.attributes) + len(f.sensitive) - len(names),
        by,
        found.sampled,
    )


def _columns(plan: Plan) -> tuple[list[str], str]:
    """The columns to show, and the sensitive one that decided, where there are too many for all."""
    f = plan.frequency
    names, sensitive = list(f.attributes), list(f.sensitive)[:MOST_SENSITIVE]
    room = MOST_COLUMNS - len(sensitive)
    if len(names) <= room or not sensitive:
        return [*names[:room], *sensitive], ""
    strength = hang_together(f, sensitive[0], names, MOST)
    strongest = sorted(range(len(names)), key=lambda i: -strength[i])[:room]
    return [*(names[i] for i in sorted(strongest)), *sensitive], shown(sensitive[0])


def _most_lost(found: Associations) -> tuple[tuple[str, str, float, float], ...]:
    """The three pairs that lose most, if they lose anything that can be seen."""
    pairs = [
        (shown(found.names[j]), shown(one), before, found.after[i][j] or 0.0)
        for i, one in enumerate(found.names)
        for j, before in enumerate(found.before[i][:i])
        if before is not None
    ]
    lost = sorted((p for p in pairs if p[2] - p[3] > _NOTHING), key=lambda p: p[3] - p[2])
    return tuple(lost[:3])


def _figures(known: Private) -> PairsKept | None:
    return pairs_kept(known.plan)


ASSOCIATIONS = Section(_figures, "report_pairs.html.j2")
