"""A sweep as text, CSV, JSON and a page with curves. Counts and shares only: no value of the table is in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from discreet.labels.aligned import aligned
from discreet.labels.figures import chance, percent
from discreet.labels.notebook import in_frame
from discreet.policy.kinds import is_exact
from discreet.releases.sweep import Axis as Varied
from discreet.releases.sweep import Point, SweepFigures
from discreet.report.html import page_environment
from discreet.report.line_chart import Axis, Dot, Line, line_chart, shares
from discreet.report.marginals import nobody_decided, printable, shown

if TYPE_CHECKING:
    from jinja2 import Environment

COLOURS = 8  # lines that a chart can tell apart
MOST_CHARTS = 6
_LEAST = 1e-3  # the lower end of an axis of chances


def setting(value: object) -> str:
    """A value of what is varied, as people write it.

    >>> setting(Fraction(1, 50)), setting([0, 0.1]), setting("local_recoding")
    ('0.02', '[0, 0.1]', 'local_recoding')
    """
    if isinstance(value, Fraction):
        return f"{float(value):g}" if Fraction(f"{float(value):g}") == value else str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(setting, value))}]"
    return printable(f"{value:g}" if isinstance(value, float) else str(value))


def named(axes: Sequence[Varied], settings: Sequence[object]) -> str:
    """A point by what it has of all that is varied.

    >>> named([Varied("k", (2, 5), True), Varied("publish", ("generalization",), False)], (5, "generalization"))
    'k = 5, generalization'
    """
    return ", ".join(_named(axis, value) for axis, value in zip(axes, settings, strict=True))


def _named(axis: Varied, value: object) -> str:
    return setting(value) if axis.name in ("publish", "search") else f"{shown(axis.name)} = {setting(value)}"


def to_json(s: SweepFigures) -> dict[str, Any]:
    """Every figure; a point that can't be had has null and says why."""
    points = [
        {
            "settings": {axis.name: _plain(value) for axis, value in zip(s.axes, p.settings, strict=True)},
            "possible": p.possible,
            **{name: value for name, value in asdict(p).items() if name not in ("settings", "seconds")},
            "seconds": round(p.seconds, 3),
        }
        for p in s.points
    ]
    return {
        "rows": s.rows,
        "people": s.people,
        "scans": s.scans,
        "risk_above_one_in": s.one_in,
        "risk_of": s.whose.people,
        "promises": list(s.promises),
        "seeded": s.seeded,
        "undecided": list(s.undecided),
        "varied": {axis.name: [_plain(value) for value in axis.values] for axis in s.axes},
        "points": points,
    }


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return setting(value) if isinstance(value, Fraction) else value


def columns(s: SweepFigures) -> dict[str, Callable[[Point], object]]:
    """The figures of a point, by the name of their column in a CSV."""
    values = sorted({name for p in s.points if p.risk for name in p.risk.values})

    def of_value(kind: str, name: str) -> Callable[[Point], object]:
        return lambda p: None if p.risk is None else getattr(p.risk, kind)[name]

    return {
        "search": lambda p: p.search,
        "possible": lambda p: "yes" if p.possible else "no",
        "loss": lambda p: p.loss,
        "count_error": lambda p: p.count_error,
        "suppressed": lambda p: p.suppressed,
        "groups": lambda p: p.groups,
        "smallest_group": lambda p: p.smallest_group,
        "risk_largest": lambda p: p.risk and p.risk.largest,
        "risk_mean": lambda p: p.risk and p.risk.mean,
        f"risk_above_1_in_{s.one_in}": lambda p: p.risk and p.risk.above,
        **{f"guess_mean_{name}": of_value("values", name) for name in values},
        **{f"guess_largest_{name}": of_value("certain", name) for name in values},
        "proven_best": lambda p: "" if p.proven is None else "yes" if p.proven else "no",
        "seconds": lambda p: round(p.seconds, 3),
        "why_not": lambda p: p.why,
    }


def to_csv(s: SweepFigures) -> str:
    """One line per point: what is varied, then its figures. Texts that a spreadsheet would run begin with a quote."""
    told = columns(s)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(map(_cell, [*(axis.name for axis in s.axes), *told]))
    for p in s.points:
        write.writerow(map(_cell, [*map(setting, p.settings), *(figure(p) for figure in told.values())]))
    return out.getvalue()


def _cell(value: object) -> object:
    """
    >>> _cell("=1+1"), _cell(0.25), _cell(None)
    ("'=1+1", 0.25, '')
    """
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return "" if value is None else value


def to_text(s: SweepFigures) -> str:
    """A table for the terminal."""
    head = [*(axis.name for axis in s.axes), "loss", "answers off by", "left out", "groups", "smallest"]
    head += ["risk: largest", "mean", f"above 1 in {s.one_in}"]
    table = [head]
    for p in s.points:
        if p.risk is not None:
            figures = [percent(p.loss or 0.0), error(p), f"{p.suppressed:,}", f"{p.groups:,}", f"{p.smallest_group:,}"]
            risks = [chance(p.risk.largest), chance(p.risk.mean), percent(p.risk.above)]
            table.append([*map(setting, p.settings), *figures, *risks])
    texts = {i for i, axis in enumerate(s.axes) if any(isinstance(value, str) for value in axis.values)}
    lines = [f"{headline(s)}.", *([nobody_decided(s.undecided)] if s.undecided else []), "", *aligned(table, texts)]
    lines += [f"  {names}: no release: {why}" for names, why in lacking(s)]
    people = s.whose.people
    lines += [
        "",
        f"  risk: the chance to pick the right row, for whoever knows a {s.whose.person}'s quasi-identifiers, that it",
        f"  is in the table, and the group; the largest, the mean, and the share of published {people} above the limit",
    ]
    if any(p.proven is False for p in s.points):
        lines.append("  not every search has shown that nothing is better: see proven in --json")
    return "\n".join(lines)


def headline(s: SweepFigures) -> str:
    """What was tried."""
    points = len(s.points)
    tried = f"{points} polic{'y' if points == 1 else 'ies'} for {s.rows:,} rows"
    whose = "" if s.people is None else f" of {s.people:,} people"
    lacking = sum(not p.possible for p in s.points)
    none = f"; {lacking} of them can't be had" if lacking else ""
    return f"{tried}{whose}, from one count of the table{none}"


def lacking(s: SweepFigures) -> list[tuple[str, str]]:
    """What can't be had: the points, and why not; those for the same reason together."""
    points: dict[str, list[str]] = {}
    for p in s.points:
        if not p.possible:
            points.setdefault(printable(p.why), []).append(named(s.axes, p.settings))
    return [(" · ".join(names), why) for why, names in points.items()]


def error(p: Point) -> str:
    """How far answers are off, or a dash where nothing could be asked."""
    return "–" if p.count_error is None else percent(p.count_error)


def in_notebook(s: SweepFigures) -> str:
    """The page in a frame of its own, so that its style is not that of the notebook."""
    return in_frame(to_html(s))


def to_html(s: SweepFigures) -> str:
    """The whole page. The same figures give the same bytes."""
    return (
        _environment()
        .get_template("sweep.html.j2")
        .render(
            s=s,
            headline=headline(s),
            undecided=nobody_decided(s.undecided) if s.undecided else "",
            charts=charts(s),
            along=_along_words(s),
            hidden=max(_lines(s) - COLOURS, 0),
            axes=[(shown(axis.name), ", ".join(map(setting, axis.values))) for axis in s.axes],
            sensitive=sorted({name for p in s.points if p.risk for name in p.risk.values}),
            possible=[p for p in s.points if p.possible],
            lacking=lacking(s),
            promises=[printable(promise) for promise in s.promises],
            apart=[n for axis in s.axes if axis.name == "publish" for n in axis.values if is_exact(str(n))],
        )
    )


@cache
def _environment() -> Environment:
    from markupsafe import Markup

    from discreet.report import charts as bars

    made = page_environment()
    made.filters |= {"shown": shown, "setting": setting, "error": error}
    made.globals |= {
        "bar": lambda *arguments: Markup(bars.bar(*arguments)),
        "line_chart": lambda chart: Markup(line_chart(*chart)),
    }
    return made


Chart = tuple[list[Line], Axis, Axis]


def charts(s: SweepFigures) -> list[tuple[str, str, Chart]]:
    """Curves of risk against use, each with its heading and how to read it. A line for all that differs in one."""
    if not any(p.possible for p in s.points):
        return []
    linked: Measure = lambda p: None if p.risk is None else p.risk.mean  # noqa: E731
    people = s.whose.people
    picked = f"mean chance to pick the row of one of the {people}"
    made = [
        (
            "Loss against risk",
            f"Further left, {people} are harder to find; further down, values are more exact.",
            chart(s, linked, picked, lambda p: p.loss, "loss of exactness"),
        )
    ]
    if any(p.count_error is not None for p in s.points):
        reading = "Further left, fewer are found; further down, answers are closer to the truth."
        up = "answers off by (median)"
        made.append(("Answers against risk", reading, chart(s, linked, picked, lambda p: p.count_error, up)))
    names = sorted({name for p in s.points if p.risk for name in p.risk.values})
    for name in names[: MOST_CHARTS - len(made)]:
        guessed = _guess_of(name)
        reading = (
            f"The same for what a guess of {shown(name)} is worth: the chance of the likeliest value of a row's group, "
            "on average. It can't fall below the share of the most frequent value among the published rows."
        )
        across = f"mean chance of the likeliest {shown(name)}"
        made.append(
            (
                f"Loss against guesses of {shown(name)}",
                reading,
                chart(s, guessed, across, lambda p: p.loss, "loss of exactness"),
            )
        )
    return made


Measure = Callable[[Point], float | None]


def _guess_of(name: str) -> Measure:
    return lambda p: None if p.risk is None else p.risk.values[name]


def chart(s: SweepFigures, x: Measure, across: str, y: Measure, up: str) -> Chart:
    """A curve for each combination of what is varied, but for the values along the curve: the first promise's."""
    along = _along(s)
    lines: dict[tuple[str, ...], list[Dot]] = {}
    for p in s.points:
        others = tuple(_named(a, v) for i, (a, v) in enumerate(zip(s.axes, p.settings, strict=True)) if i != along)
        at, height = x(p), y(p)
        if at is None or height is None:
            lines.setdefault(others, []).append(Dot(0.0, None, ""))
            continue
        told = f"{named(s.axes, p.settings)}: {across} {chance(at)}, {up} {percent(height)}"
        label = setting(p.settings[along]) if along >= 0 else ""
        lines.setdefault(others, []).append(Dot(max(at, _LEAST), height, told, label))
    drawn = [
        Line(", ".join(name) or "the policy", number, tuple(dots))
        for number, (name, dots) in enumerate(list(lines.items())[:COLOURS])
    ]
    dots = [dot for line in drawn for dot in line.dots if dot.y is not None]
    x_axis, y_axis = _chances(across, [d.x for d in dots]), shares(up, [d.y or 0.0 for d in dots])
    return _spaced(drawn, x_axis, y_axis), x_axis, y_axis


def _spaced(lines: list[Line], across: Axis, up: Axis) -> list[Line]:
    """The same lines; labels that would lie on others are left away."""
    taken: list[tuple[float, float]] = []

    def spaced(dot: Dot) -> Dot:
        if dot.y is None or not dot.label:
            return dot
        x, y = across.place(dot.x), up.place(dot.y)
        if any(abs(x - a) < 0.08 and abs(y - b) < 0.09 for a, b in taken):
            return replace(dot, label="")
        taken.append((x, y))
        return dot

    return [replace(line, dots=tuple(map(spaced, line.dots))) for line in lines]


def _along(s: SweepFigures) -> int:
    """Which axis runs along a curve: the first with several numbers, one of a promise before others."""
    several = [
        i for i, axis in enumerate(s.axes) if len(axis.values) > 1 and not any(isinstance(v, str) for v in axis.values)
    ]
    return next((i for i in several if s.axes[i].of_promise), several[0] if several else -1)


def _along_words(s: SweepFigures) -> str:
    at = _along(s)
    if at < 0:
        return ""
    return f"{shown(s.axes[at].name)} is {', '.join(map(setting, s.axes[at].values))}"


def _lines(s: SweepFigures) -> int:
    """How many lines a chart of all points would have."""
    at = _along(s)
    return len({tuple(str(v) for i, v in enumerate(p.settings) if i != at) for p in s.points})


def _chances(label: str, found: Sequence[float]) -> Axis:
    """Chances, each step of the same length the same factor, with ends that are easily read."""
    low, high = min(found, default=0.01), max(found, default=1.0)
    steps = [m * 10.0**e for e in range(-4, 1) for m in (1, 2, 5)]
    first = max((v for v in steps if v <= low * 1.0001), default=steps[0])
    last = min((v for v in steps if v >= high * 0.9999 and v > first), default=1.0)
    ticks = [v for v in steps if first * 0.9999 <= v <= last * 1.0001]
    if len(ticks) > 7:
        ticks = [v for v in ticks if f"{v:e}"[0] == "1" or v in (first, last)]
    return Axis(label, first, last, tuple((v, chance(v)) for v in ticks), powers=True)
