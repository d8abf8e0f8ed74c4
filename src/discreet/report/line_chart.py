"""Lines over an axis, as SVG text: across in percent, down in pixels, like the other charts.

A polyline can't be drawn in percents, so lines are drawn in a picture of 100 × 100 that is stretched to the plot, with
strokes that keep their width; dots and letters lie on top of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from discreet.labels.figures import percent, power

_TOP, _HEIGHT, _BELOW = 10, 240, 44  # pixels
_LEFT, _RIGHT = 7.0, 98.0  # percent
_STEPS = (0.2, 0.5, 1.0, 2.0, 5.0)  # of an axis of shares


@dataclass(frozen=True)
class Dot:
    """One measured point; `y` None: there is nothing to show here. `told` appears when pointed at, `label` always."""

    x: float
    y: float | None
    told: str
    label: str = ""
    below: bool = False  # where the label stands


@dataclass(frozen=True)
class Line:
    """A line of a colour of its own (by `number`); `steps`: it keeps its height until the next dot."""

    name: str
    number: int
    dots: tuple[Dot, ...]
    steps: bool = False


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, with ticks; `powers`: a step of the same length is the same factor."""

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    powers: bool = False

    def place(self, value: float) -> float:
        """Where a value lies between the ends: 0 to 1."""
        if self.powers:
            span = math.log(self.high / self.low) or 1.0
            return min(max(math.log(max(value, self.low) / self.low) / span, 0.0), 1.0)
        return min(max((value - self.low) / ((self.high - self.low) or 1.0), 0.0), 1.0)


def line_chart(lines: Sequence[Line], across: Axis, up: Axis) -> str:
    """The whole chart; a line is interrupted where it has nothing to show.

    >>> axis = Axis("loss", 0, 1, ((0, "0%"), (1, "100%")))
    >>> chart = line_chart([Line("a", 0, (Dot(0, 0.2, "first"), Dot(1, 0.8, "second")))], axis, axis)
    >>> chart.count("<circle"), chart.count("<polyline"), "<title>second</title>" in chart
    (2, 1, True)
    """
    grid = "".join(
        f'<line class="grid" x1="{_LEFT}%" x2="{_RIGHT}%" y1="{_y(up, value):.1f}" y2="{_y(up, value):.1f}"/>'
        f'<text class="tick" x="{_LEFT - 0.8}%" y="{_y(up, value) + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        for value, text in up.ticks
    )
    base = _TOP + _HEIGHT
    grid += "".join(
        f'<text class="tick" x="{_x(across, value):.2f}%" y="{base + 18}" text-anchor="middle">{escape(text)}</text>'
        for value, text in across.ticks
    )
    drawn = "".join(
        f'<polyline class="s{line.number}" points="{points}"/>' for line in lines for points in _runs(line, across, up)
    )
    dots = "".join(
        f'<g><title>{escape(dot.told)}</title><circle class="s{line.number}" cx="{_x(across, dot.x):.2f}%" '
        f'cy="{_y(up, dot.y):.1f}" r="3.5"/>{_label(dot, across, up)}</g>'
        for line in lines
        for dot in line.dots
        if dot.y is not None
    )
    told = escape(f"{up.label} against {across.label}: " + ", ".join(line.name for line in lines))
    return (
        f'<svg class="lines" width="100%" height="{base + _BELOW}" role="img" aria-label="{told}">{grid}'
        f'<line class="axis" x1="{_LEFT}%" x2="{_RIGHT}%" y1="{base}" y2="{base}"/>'
        f'<svg x="{_LEFT}%" y="{_TOP}" width="{_RIGHT - _LEFT}%" height="{_HEIGHT}" viewBox="0 0 100 100" '
        f'preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>{dots}'
        f'<text class="tick" x="{(_LEFT + _RIGHT) / 2}%" y="{base + 38}" text-anchor="middle">'
        f"{escape(across.label)}</text></svg>"
    )


def _label(dot: Dot, across: Axis, up: Axis) -> str:
    if not dot.label or dot.y is None:
        return ""
    y = _y(up, dot.y)
    room = y < _TOP + _HEIGHT - 24  # above the axis
    return (
        f'<text class="dot" x="{_x(across, dot.x):.2f}%" y="{y + 17 if dot.below and room else max(y - 8, 9):.1f}" '
        'text-anchor="middle">'
        f"{escape(dot.label)}</text>"
    )


def powers_of_ten(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Ticks at 1, 10, 100, … as far as they are needed.

    >>> powers_of_ten(1, 250)
    ((1.0, '1'), (10.0, '10'), (100.0, '100'), (1000.0, '1,000'))
    >>> powers_of_ten(1, 20_000)[-2:]
    ((10000.0, '10⁴'), (100000.0, '10⁵'))
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(max(high, low * 10)))
    return tuple((10.0**n, power(10.0**n) if n > 3 else f"{10.0**n:,.9g}") for n in range(first, last + 1))


def shares(label: str, measured: Sequence[float]) -> Axis:
    """An axis of shares: from 0 to 100% on every page, so that two of them can be held together; on, if they go on.

    >>> shares("loss", [0.1, 0.42]).ticks[-1]
    (1.0, '100%')
    >>> [text for _, text in shares("answers off by", [0.1, 2.3]).ticks]
    ['0%', '50%', '100%', '150%', '200%', '250%']
    """
    high = max([1.0, *measured])
    step = next((step for step in _STEPS if high / step <= 5.0001), 10.0 ** math.ceil(math.log10(high / 5)))
    many = math.ceil(high / step - 1e-9)
    return Axis(label, 0.0, many * step, tuple((n * step, percent(n * step)) for n in range(many + 1)))


def _x(axis: Axis, value: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * axis.place(value)


def _y(axis: Axis, value: float) -> float:
    return _TOP + _HEIGHT * (1 - axis.place(value))


def _runs(line: Line, across: Axis, up: Axis) -> list[str]:
    """The pieces of a line between its gaps, as points of a picture of 100 × 100."""
    runs: list[list[tuple[float, float]]] = [[]]
    for dot in line.dots:
        if dot.y is None:
            runs.append([])
            continue
        x, y = 100 * across.place(dot.x), 100 * (1 - up.place(dot.y))
        if line.steps and runs[-1]:
            runs[-1].append((x, runs[-1][-1][1]))
        runs[-1].append((x, y))
    return [" ".join(f"{x:.2f},{y:.2f}" for x, y in run) for run in runs if len(run) > 1]
