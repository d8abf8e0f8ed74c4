"""Charts as SVG text, from small pure functions.

Sizes across are percents, sizes down are pixels: so a chart fits any width of the page while its letters keep their
size. Colours are classes, for the page to set in light, dark and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from discreet.labels.figures import chance, percent
from discreet.labels.whose import Whose
from discreet.report.release import SizeBin
from discreet.report.sections.chances import ChanceBin
from discreet.report.sections.coarser import EXACTNESS


def bar(share: float, of_it: float = 0.0) -> str:
    """One bar on a track that stands for everything; the part `of_it` comes first, in another colour.

    >>> bar(0.5).count("<rect"), bar(0.5, 0.1).count("<rect")
    (2, 3)
    """
    first = f'<rect class="before" width="{_percent(of_it)}" height="12"/>' if of_it > 0 else ""
    return (
        '<svg class="bar" width="100%" height="12" aria-hidden="true">'
        f'<rect class="track" width="100%" height="12"/>{first}'
        f'<rect class="after" x="{_percent(of_it)}" width="{_percent(share - of_it)}" height="12"/></svg>'
    )


def pair(before: float, after: float, largest: float) -> str:
    """Two bars, one above the other; `largest` fills the width."""
    scale = largest or 1
    return (
        '<svg class="bar" width="100%" height="16" aria-hidden="true">'
        '<rect class="track" width="100%" height="16" rx="2"/>'
        f'<rect class="before" width="{_percent(before / scale)}" height="7" rx="2"/>'
        f'<rect class="after" y="9" width="{_percent(after / scale)}" height="7" rx="2"/></svg>'
    )


def scale(largest: float = 1.0) -> str:
    """What the length of bars below means, from 0 to the share that fills their width.

    >>> [text.partition("<")[0] for text in scale(0.5).split('">')[2:]]
    ['0', '25%', '50%']
    """
    ends = ((0.0, "start", "tick"), (0.5, "middle", "tick middle"), (1.0, "end", "tick"))
    ticks = "".join(
        f'<text class="{kind}" x="{_percent(at)}" y="12" text-anchor="{anchor}">{chance(at * largest)}</text>'
        for at, anchor, kind in ends
    )
    return f'<svg class="scale" width="100%" height="16" aria-hidden="true">{ticks}</svg>'


def rounded_up(share: float) -> float:
    """An end for the scale of small shares that is easily read.

    >>> [rounded_up(share) for share in (0.02, 0.13, 0.5, 0.51, 1.7)]
    [0.05, 0.2, 0.5, 1.0, 1.7]
    """
    return next((end for end in (0.05, 0.1, 0.2, 0.5, 1.0) if share <= end), share)


def stack(shares: Sequence[float]) -> str:
    """One bar cut into degrees of exactness."""
    parts, x = [], 0.0
    for degree, (name, share) in enumerate(zip(EXACTNESS, shares, strict=True)):
        if share > 0:
            parts.append(
                f'<g><title>{escape(name)}: {percent(share)}</title><rect class="d{degree}" x="{_percent(x)}" '
                f'width="{_percent(share)}" height="18"/></g>'
            )
        x += share
    told = ", ".join(f"{name} {percent(share)}" for name, share in zip(EXACTNESS, shares, strict=True))
    return f'<svg class="stack" width="100%" height="18" role="img" aria-label="{escape(told)}">{"".join(parts)}</svg>'


def ladder(level: int, height: int) -> str:
    """The levels of a hierarchy as dots on a line, the published one filled; the more to the right, the coarser."""
    gap, r = 14, 4
    width = gap * height + 2 * r + 2
    dots = "".join(
        f'<circle class="{"chosen" if n == level else "passed" if n < level else "unused"}" '
        f'cx="{r + 1 + gap * n}" cy="7" r="{r if n == level else r - 1}"/>'
        for n in range(height + 1)
    )
    return (
        f'<svg class="ladder" width="{width}" height="14" role="img" aria-label="level {level} of {height}">'
        f'<line x1="{r + 1}" x2="{width - r - 1}" y1="7" y2="7"/>{dots}</svg>'
    )


def histogram(bins: Sequence[SizeBin], k: int | None) -> str:
    """Share of published rows by the size of their group; the asked k as a line that no bar may cross."""
    total = max(sum(b.rows for b in bins), 1)
    room = 1 if k is not None and bins and bins[0].low >= k else 0  # an empty place left of k shows that it is empty
    slots = max(len(bins) + room, 3)
    columns = [
        Bar(
            (i + room) / slots,
            b.rows / total,
            percent(b.rows / total),
            f"groups of {_range(b)} rows: {b.groups:,}, with {b.rows:,} rows ({percent(b.rows / total)})",
        )
        for i, b in enumerate(bins)
    ]
    edges: list[tuple[float, int]] = [(i + room, b.low) for i, b in enumerate(bins)]
    if bins:
        edges.append((len(bins) + room, bins[-1].high + 1))
    if k is not None and room and bins[0].low > k:
        edges.insert(0, (0.5, k))  # somewhere in the empty place: all groups are far larger than asked
    ticks = [(at / slots, _short(edge)) for at, edge in edges]
    kept = bool(bins) and k is not None and bins[0].low >= k
    meaning = f"k = {k or 0:,}, as asked{': no group is smaller' if kept else ''}"
    marks = [Mark(at / slots, meaning) for at, edge in edges if edge == k][:1]
    told = "; ".join(f"{_range(b)} rows: {percent(b.rows / total)}" for b in bins)
    return bars(
        columns,
        slots,
        ticks,
        marks,
        "rows in the group",
        f"Share of published rows by size of their group. {told}",
    )


def spread(
    bins: Sequence[ChanceBin], limit: float | None, name: str, axis: str, kept: bool, whose: Whose, rounded: int = 0
) -> str:
    """Share of the people by a probability; the asked limit as a line that no bar may cross.

    `kept` is the verdict on the promise. Where shares are `rounded` to so many percent, a bar of 0% may hold somebody.
    """
    least = f"<{rounded}%" if rounded else "0%"
    room = 1 if limit is not None and bins and bins[-1].high <= limit else 0  # an empty place right of the limit
    slots = max(len(bins) + room, 3)
    columns = []
    for i, b in enumerate(bins):
        text = percent(b.share) if b.share else least
        columns.append(Bar(i / slots, b.share, text, f"{_between(b)}: {text} of the {whose.people}"))
    edges = [(i / slots, b.low) for i, b in enumerate(bins) if b.high > 0]
    if edges:
        edges.append((len(bins) / slots, bins[-1].high))
    if limit is not None and room and bins[-1].high < limit:
        edges.append(((len(bins) + 0.8) / slots, limit))  # somewhere in the empty place
    meaning = f"{name} = {chance(limit or 0)}, as asked{': ' + whose.nobody + ' is above' if kept and room else ''}"
    marks = [Mark(at, meaning) for at, edge in edges if edge == limit][:1]
    told = "; ".join(f"{_between(b)}: {c.text}" for b, c in zip(bins, columns, strict=True))
    never = [(0.5 / slots, "none")] if bins and bins[0].high == 0 else []
    ticks = never + [(at, chance(edge)) for at, edge in edges]
    return bars(columns, slots, ticks, marks, axis, f"Share of the {whose.people} by {axis}. {told}")


@dataclass(frozen=True)
class Bar:
    """One column of a histogram: where it begins, how much it holds, what is written above it and on it, its colour."""

    left: float
    share: float
    text: str
    told: str
    kind: str = "after"


@dataclass(frozen=True)
class Mark:
    """A line across a histogram and what it means: something that was asked, or (`known`) that everybody knows."""

    at: float
    meaning: str
    kind: str = "mark"


def bars(
    columns: Sequence[Bar],
    slots: int,
    ticks: Sequence[tuple[float, str]],
    marks: Sequence[Mark],
    axis: str,
    label: str,
) -> str:
    """A histogram of as many places as there are slots. It is 100% high on every page, so that they can be compared."""
    top = 44 + 16 * max(len(marks) - 1, 0)  # what a mark means has a line of its own
    base = top + 160
    height = base + 40
    drawn = []
    for step in (0.25, 0.5, 0.75, 1.0):
        y = base - (base - top) * step
        drawn.append(
            f'<line class="grid" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="-6" y="{y + 4:.1f}" text-anchor="end">{100 * step:.0f}%</text>'
        )
    for c in columns:
        h = max((base - top) * c.share, 1.5) if c.share else 0.0
        drawn.append(
            f'<g><title>{escape(c.told)}</title><rect class="{c.kind}" x="{_percent(c.left + 0.06 / slots)}" '
            f'y="{base - h:.1f}" width="{_percent(0.88 / slots)}" height="{h:.1f}" rx="2"/>'
            f'<text class="value" x="{_percent(c.left + 0.5 / slots)}" y="{base - h - 6:.1f}" text-anchor="middle">'
            f"{escape(c.text) if c.share else ''}</text></g>"
        )
    drawn.append(f'<line class="axis" x1="0" x2="100%" y1="{base}" y2="{base}"/>')
    drawn += [
        f'<text class="tick" x="{_percent(at)}" y="{base + 17}" '
        f'text-anchor="{"start" if at == 0 else "end" if at == 1 else "middle"}">{escape(text)}</text>'
        for at, text in ticks
    ]
    drawn.append(f'<text class="tick" x="50%" y="{base + 36}" text-anchor="middle">{escape(axis)}</text>')
    drawn += [_mark(mark, line, base) for line, mark in enumerate(marks)]
    return (
        f'<svg class="histogram" width="100%" height="{height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(drawn)}</svg>"
    )


def _mark(mark: Mark, line: int, base: int) -> str:
    """A line, with what it means on the side that has room; narrow pages have none for more than what was asked."""
    anchor, gap = ("start", 6) if mark.at < 0.5 else ("end", -6)
    at, top = _percent(mark.at), 16 * line
    asked, _, kept = mark.meaning.partition(": ")
    kind = mark.kind
    told = [(f"{kind} full", mark.meaning), (f"{kind} short", asked)] if kept else [(kind, asked)]
    texts = "".join(
        f'<text class="{kinds}" x="{gap}" y="{top + 15}" text-anchor="{anchor}">{escape(text)}</text>'
        for kinds, text in told
    )
    return (
        f'<line class="{kind}" x1="{at}" x2="{at}" y1="{top + 6}" y2="{base}"/>'
        f'<svg x="{at}" y="0" overflow="visible" aria-hidden="true">{texts}</svg>'
    )


def _between(b: ChanceBin) -> str:
    if b.high == 0:
        return "none"
    return f"up to {chance(b.high)}" if not b.low else f"above {chance(b.low)}, up to {chance(b.high)}"


def _range(b: SizeBin) -> str:
    return f"{b.low:,}" if b.low == b.high else f"{b.low:,} to {b.high:,}"


def _short(n: int) -> str:
    """A tick that fits.

    >>> [_short(n) for n in (5, 999, 2_000, 50_000, 1_000_000, 1_234)]
    ['5', '999', '2k', '50k', '1M', '1,234']
    """
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if n >= unit and n % unit == 0:
            return f"{n // unit}{name}"
    return f"{n:,}"


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"
