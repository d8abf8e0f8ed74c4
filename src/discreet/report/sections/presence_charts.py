"""Charts of who is in the table: histograms between what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from discreet.labels.figures import chance, percent
from discreet.report.charts import Bar, Mark, bars
from discreet.report.sections.presence import Confident, Present


def presences(found: Present, kept: bool) -> str:
    """Share of the population by their chance of being in the table, between what was asked.

    What everybody knows, the table's share of the population, is marked too.
    """
    axis, whose = "chance of being in the table", found.whose
    shares = [b.people / found.people for b in found.bins]
    steps = [
        Step(b.low, b.high, share, f"{b.in_words}: {b.people:,} {whose.people} ({percent(share)})")
        for b, share in zip(found.bins, shares, strict=True)
    ]
    least = None if found.least is None else Limit(found.least, "δmin", f"{whose.nobody} is below" if kept else "")
    most = None if found.most is None else Limit(found.most, "δmax", f"{whose.nobody} is above" if kept else "")
    if least is not None and found.least == found.most:
        least, most = Limit(least.value, "δ", f"{whose.everybody} is at it" if kept else ""), None
    known = (found.share, f"{chance(found.share)} of all {whose.people}")
    return _limited(steps, least, most, known, axis, f"Share of the population by {axis}.")


def confidences(found: Confident, kept: bool) -> str:
    """Share of the published rows by the confidence of their group, from what was asked."""
    axis = "confidence of the group"
    steps = []
    for b in found.bins:
        share = b.rows / found.rows
        told = f"{b.in_words}: {b.groups:,} group{'s' * (b.groups != 1)} with {b.rows:,} rows ({percent(share)})"
        steps.append(Step(b.low, b.high, share, told))
    asked = Limit(found.asked, "c", "no group is below" if kept else "")
    return _limited(steps, asked, None, None, axis, f"Share of the published rows by {axis}.")


@dataclass(frozen=True)
class Step:
    """What lies between two numbers: its share of everything, and what is told of it. Both are 0 for what never is."""

    low: float
    high: float
    share: float
    told: str


@dataclass(frozen=True)
class Limit:
    """What was asked: a number, its name, and what may be said if nothing is beyond it."""

    value: float
    name: str
    nothing: str

    def meaning(self, empty: bool) -> str:
        return f"{self.name} = {chance(self.value)}, as asked{f': {self.nothing}' if empty and self.nothing else ''}"


def _limited(
    steps: Sequence[Step],
    least: Limit | None,
    most: Limit | None,
    known: tuple[float, str] | None,
    axis: str,
    label: str,
) -> str:
    """A histogram between limits that no bar may cross; an empty place beyond a limit shows that nothing is there."""
    never = bool(steps) and steps[0].high == 0
    some = steps[never:]
    lowest, highest = (some[0].low, some[-1].high) if some else (0.0, 0.0)
    before = int(least is not None and not never and bool(some) and lowest >= least.value)
    after = int(most is not None and highest <= most.value)
    end = before + len(steps)
    slots = max(end + after, 3)
    columns = [Bar(i / slots, s.share, percent(s.share), s.told) for i, s in enumerate(steps, before)]
    edges = [(i / slots, s.low) for i, s in enumerate(some, before + never)] + [(end / slots, highest)] * bool(some)
    if least is not None and before and lowest > least.value:
        edges.insert(0, (0.5 / slots, least.value))  # somewhere in the empty place
    if most is not None and after and highest < most.value:
        edges.append(((end + 0.8) / slots, most.value))
    marks = [
        Mark(at, limit.meaning(bool(empty)))
        for limit, empty in ((least, before), (most, after))
        for at, edge in edges
        if limit is not None and edge == limit.value
    ]
    at = None if known is None else _place(known[0], edges)
    if known is not None and at is not None:
        marks.append(Mark(at, known[1], "known"))
    # Beside "none" there is no room for the edge that comes next.
    ticks = [(0.5 / slots, "none")] * never + [(at, chance(edge)) for at, edge in edges[never:]]
    return bars(columns, slots, ticks, marks, axis, f"{label} {'; '.join(s.told for s in steps)}")


def _place(value: float, edges: Sequence[tuple[float, float]]) -> float | None:
    """Where a value stands between two edges."""
    for (left, low), (right, high) in pairwise(edges):
        if low <= value <= high:
            return left + (right - left) * (value - low) / (high - low)
    return None
