"""A figure of a paper, measured again: a few lines over the same places, drawn and as a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from discreet.labels.figures import percent
from discreet.report.line_chart import Axis, Dot, Line, powers_of_ten

Unit = Literal["seconds", "share", "number"]
_WIDE = 30.0  # from this ratio of the largest to the smallest value on, a step up is a factor


@dataclass(frozen=True)
class Series:
    """One line: a value for each place of its figure, None where there is nothing to show.

    `colour` is for lines that shall look the same in several figures; else it is their place among the others.
    """

    name: str
    values: tuple[float | None, ...]
    colour: int | None = None


@dataclass(frozen=True)
class Figure:
    """Several series over the same places, which lie side by side in their order.

    >>> figure = Figure("Time", "rows", ("10k", "20k"), "seconds", (Series("ours", (0.5, None)),), "", "seconds")
    >>> figure.table()
    [('10k', ['0.50 s']), ('20k', ['–'])]
    """

    title: str
    across: str
    places: tuple[str, ...]
    up: str
    series: tuple[Series, ...]
    caption: str
    unit: Unit = "number"

    def table(self) -> list[tuple[str, list[str]]]:
        """One row for each place, one cell for each series."""
        return [
            (place, [value_text(s.values[i], self.unit) for s in self.series]) for i, place in enumerate(self.places)
        ]

    def chart(self) -> tuple[list[Line], Axis, Axis]:
        """What `line_chart` draws."""
        lines = [
            Line(
                s.name,
                number if s.colour is None else s.colour,
                tuple(
                    Dot(x, y, f"{s.name}, {self.across} {self.places[x]}: {value_text(y, self.unit)}")
                    for x, y in enumerate(s.values)
                ),
            )
            for number, s in enumerate(self.series)
        ]
        ticks = tuple((float(x), place) for x, place in enumerate(self.places))
        return lines, Axis(self.across, 0, max(len(ticks) - 1, 1), ticks), self._up()

    def _up(self) -> Axis:
        values = [y for s in self.series for y in s.values if y is not None]
        least, most = min(values, default=0.0), max(values, default=1.0)
        if least > 0 and most / least > _WIDE:
            low, high = 10.0 ** math.floor(math.log10(least)), 10.0 ** math.ceil(math.log10(most))
            powers = tuple((value, value_text(value, self.unit, short=True)) for value, _ in powers_of_ten(low, high))
            return Axis(self.up, low, powers[-1][0], powers, powers=True)
        most = most or 1.0  # all of them nothing
        step = _step(most)
        ticks = tuple(
            (n * step, value_text(n * step, self.unit, short=True)) for n in range(math.ceil(most / step) + 1)
        )
        return Axis(self.up, 0.0, ticks[-1][0], ticks)

    def to_json(self) -> dict[str, Any]:
        """All numbers (null: nothing to show)."""
        return {
            "title": self.title,
            "caption": self.caption,
            "across": self.across,
            "places": list(self.places),
            "up": self.up,
            "unit": self.unit,
            "series": {s.name: list(s.values) for s in self.series},
        }


def value_text(value: float | None, unit: Unit, *, short: bool = False) -> str:
    """A value of a figure for people; `short`: at a tick, which is a round number of what the axis is called.

    >>> value_text(0.0346, "share"), value_text(0.0346, "number"), value_text(12.345, "seconds")
    ('3.5%', '0.0346', '12.3 s')
    >>> value_text(0.001, "seconds", short=True)
    '0.001'
    """
    if value is None:
        return "–"
    if unit == "share":
        return f"{100 * value:.4g}%" if short else percent(value)
    if short or unit == "number":
        return f"{value:,.3g}" if abs(value) < 1 else f"{value:,.4g}"
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s" if value >= 0.1 else f"{value:.1g} s"


def _step(most: float) -> float:
    """A round distance between ticks, so that three to six of them reach `most`.

    >>> [_step(0.19), _step(1.0), _step(37.0)]
    [0.05, 0.2, 10.0]
    """
    size: float = 10.0 ** math.floor(math.log10(most))
    return size * next(s for s in (0.2, 0.5, 1.0, 2.0) if most / (size * s) <= 5.0001)
