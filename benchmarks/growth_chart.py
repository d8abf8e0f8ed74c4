"""Draws docs/growth.svg from what `python -m benchmarks growth` measured last: `python -m benchmarks.growth_chart`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.measure import ROOT
from discreet.report.line_chart import Axis, Dot, Line, line_chart, powers_of_ten

WIDTH, MARGIN, HEIGHT, GAP = 800, 40, 300, 64  # of a chart, and what stands above it
DRAWN = {"CPU s": "CPU seconds of the whole run", "peak GB": "gigabytes of memory at most"}
STYLE = """
svg { overflow: visible } :root { background: #fff }
text { font: 13px system-ui, sans-serif; fill: #444 } .title { font-weight: 600; fill: #111 }
.grid { stroke: #ddd } .axis { stroke: #666 }
polyline { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke }
polyline.s0 { stroke: #0b5fa5 } polyline.s1 { stroke: #b85c00 }
circle.s0, text.s0 { fill: #0b5fa5 } circle.s1, text.s1 { fill: #b85c00 }
"""


def main() -> None:
    """One chart below the other."""
    tables = json.loads((ROOT / "benchmarks" / "results" / "growth.json").read_text(encoding="utf-8"))["tables"]
    charts = "".join(chart(table["title"], table["rows"], i * (HEIGHT + GAP)) for i, table in enumerate(tables))
    height = len(tables) * (HEIGHT + GAP)
    frame = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    background = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {frame}><style>{STYLE}</style>{background}{charts}</svg>\n'
    (ROOT / "docs" / "growth.svg").write_text(picture, encoding="utf-8")


def chart(title: str, rows: Sequence[Mapping[str, Any]], top: int) -> str:
    """What grows across, seconds and gigabytes up, both by powers of ten."""
    across = next(iter(rows[0]))
    cells = [row | {"peak GB": row["peak MB"] / 1000} for row in rows]
    lines = [
        Line(text, number, tuple(Dot(row[across], row[name], *[_figure(row[name])] * 2) for row in cells))
        for number, (name, text) in enumerate(DRAWN.items())
    ]
    values = [dot.y for line in lines for dot in line.dots if dot.y]
    ticks = powers_of_ten(min(values), max(values))
    up = Axis("seconds, gigabytes", ticks[0][0], ticks[-1][0], ticks, powers=True)
    named = tuple((float(row[across]), f"{row[across]:,}") for row in rows)
    along = Axis(across, named[0][0], named[-1][0], named, powers=named[-1][0] > 100 * named[0][0])
    key = "".join(
        f'<text class="s{i}" x="{12 + 260 * i}" y="44">● {text}</text>' for i, text in enumerate(DRAWN.values())
    )
    heading = f'<text class="title" x="12" y="22">{title}</text>{key}'
    return f"<g>{_moved(heading, top, GAP)}{_moved(line_chart(lines, along, up), top + GAP - 10, HEIGHT)}</g>"


def _figure(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _moved(drawn: str, top: int, height: int) -> str:
    return f'<svg y="{top}" width="{WIDTH - MARGIN}" height="{height}">{drawn}</svg>'


if __name__ == "__main__":
    main()
