"""A comparison of methods as text, as JSON and as a page with charts, in words a privacy board can use."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from discreet.labels.aligned import aligned
from discreet.labels.figures import percent
from discreet.labels.whose import Whose
from discreet.releases.comparison import MethodComparison, MethodResult, NoRelease
from discreet.report.html import page_environment
from discreet.report.line_chart import Axis, Dot, Line, line_chart
from discreet.report.marginals import printable, shown

if TYPE_CHECKING:
    from jinja2 import Environment

NAMES = {
    "greedy": "Ambiguity",
    "art": "ART",
    "anatomy": "Anatomy",
    "injector": "Injector",
    "mask": "MASK",
    "l_diversity": "Mondrian",
    "t_closeness": "0.2-closeness",
}
KINDS = {
    "exact values, every column in a table of its own": ("greedy",),
    "exact values; a group hides whose sensitive value is whose": ("art", "anatomy", "injector", "mask"),
    "coarser values": ("l_diversity", "t_closeness"),
}
WORDS = {
    "greedy": "hides which values belong to one row, and so what rows there are (judged as if she knew the groups)",
    "art": "rows that are about equally likely to have the protected values stand together (the search for robust)",
    "anatomy": "rows of the most frequent sensitive values are mixed; which stand together is left to chance",
    "injector": "as Anatomy, but no row stands with a value that rows like it never have in this table",
    "mask": "similar rows stand together; where a protected value is too frequent, rows are given another value",
    "l_diversity": "each region so coarse that no protected value has more than 1 in {l} rows of a group",
    "t_closeness": "every column equally coarse everywhere, until the values of each group look like the whole table's",
}
_LEAST_ERROR = 1e-4  # the lower end of the chart's axis of errors


def headline(c: MethodComparison) -> str:
    """What was compared."""
    name = shown(c.attribute)
    protected = f"{c.people:,} of them with a protected value of {name}" if c.listed else f"every {name} protected"
    return (
        f"{len(c.results)} ways to publish {c.rows:,} rows, {protected}, "
        f"against an adversary who knows how frequent each value is among {c.whose.people} of every kind"
    )


def recommendation(c: MethodComparison) -> tuple[str, list[str], str]:
    """What to do, why, and the line to write into the policy, if one has to be."""
    if c.search not in {r.method for r in c.results}:
        return "Keep the policy as it is", [f"Its own search, {c.search}, is not compared with others here."], ""
    best = c.recommended
    if best is None:
        ways = ", ".join(NAMES[way] for way in c.ways if way in NAMES)
        none = f"No method that publishes so keeps what the policy promises ({ways}): the table below says why."
        return "Change the policy", [none, "Weaken a promise, or allow more rows to be left out (suppress)."], ""
    own = best.method == c.search
    left_out = f"{best.suppressed:,} of {c.rows:,} rows are left out" if best.suppressed else "no row is left out"
    off_by = f"half of the questions are answered with an error below {error(best.error.median)}"
    why = [f"What the policy promises is kept by {NAMES[best.method]}: {left_out}, and {off_by}."]
    if best.distorted:
        why.append(f"{best.distorted:,} rows are published with a value that is not theirs.")
    why.append(_who_is_seen(c, best))
    do = "Keep the policy as it is" if own else f"Publish by {NAMES[best.method]}"
    return do, why, "" if own else f"search: {best.method}"


def _who_is_seen(c: MethodComparison, best: MethodResult) -> str:
    """What an adversary would learn who knows more than values' counts."""
    she = f"knows how frequent each value is among {c.whose.people} of every kind"
    if best.problematic + best.undecided == 0:
        return f"An adversary who {she} is surer than 1 in {c.r} of no protected value."
    whom = f"{seen(best)} of the {c.whose.people} with a protected value"
    groups = ", if she also knew the groups" if best.method == "greedy" else ""
    told = f"Not protected: an adversary who {she} may be surer than 1 in {c.r} of {whom}{groups}."
    art = next((r for r in c.results if r.method == "art"), None)
    if c.robust or not isinstance(art, MethodResult):
        return told
    price = f"{art.suppressed:,} rows left out, answers off by {error(art.error.median)}"
    return f"{told} The promise robust: {{r: {c.r}}}, by publish: bucketization, is against that: {price}."


def to_json(c: MethodComparison) -> dict[str, Any]:
    """Everything that was measured; a method without a release says why."""
    told = asdict(c)
    told["recommended"] = None if c.recommended is None else c.recommended.method
    told["results"] = [{**asdict(r), "release": isinstance(r, MethodResult)} for r in c.results]
    for result in told["results"]:
        if result["release"]:
            result["error"] = {name: _finite(value) for name, value in result["error"].items()}
            result["keeps_policy"] = not result["broken"]
    return told


def to_text(c: MethodComparison) -> str:
    """One line per method."""
    table = [
        ["method", "seconds", "seen through", "answers off by", "groups", "smallest", "suppressed", "changed", "policy"]
    ]
    for r in c.results:
        if isinstance(r, NoRelease):
            continue
        row = [NAMES[r.method], f"{r.seconds:.2f}", seen(r), error(r.error.median), f"{r.groups:,}"]
        row += [f"{r.smallest_group:,}", f"{r.suppressed:,}", f"{r.distorted:,}", "broken" if r.broken else "kept"]
        table.append(row)
    do, why, line = recommendation(c)
    lines = [f"{headline(c)}.", "", f"Recommended: {do[0].lower()}{do[1:]}.", *(f"  {sentence}" for sentence in why)]
    lines += [f"  In the policy: {line}"] if line else []
    lines += ["", *aligned(table, left={0, len(table[0]) - 1})]
    lines += [f"  {NAMES[r.method]}: no release: {printable(r.why)}" for r in c.results if isinstance(r, NoRelease)]
    lines += [
        "",
        f"  seen through: {c.whose.people} with a protected value of which she is surer than 1 in {c.r}",
        f"  answers off by: the median of 10,000 questions; policy: {printable('; '.join(c.promises))}",
    ]
    return "\n".join(lines)


def seen(r: MethodResult) -> str:
    """The share of people seen through; a range where it is not all decided.

    >>> from discreet.utility.queries import RelativeError
    >>> exactly = MethodResult("art", 1, 1, 1, 0, 0, RelativeError(0, 0, 1, 0), 0.25, 0.0, 1, 0)
    >>> seen(exactly), seen(MethodResult("art", 1, 1, 1, 0, 0, RelativeError(0, 0, 1, 0), 0.25, 0.5, 1, 0))
    ('25%', '25% to 75%')
    """
    most = r.problematic + r.undecided
    least = percent(r.problematic)
    return least if percent(most) == least else f"{least} to {percent(most)}"


def error(share: float) -> str:
    """A relative error, or a dash where no question had anything to count."""
    return "–" if math.isnan(share) else percent(share)


def to_html(c: MethodComparison) -> str:
    """The whole page."""
    measured = [r for r in c.results if isinstance(r, MethodResult)]
    found = {r.method: r for r in c.results}
    largest = max((r.error.median for r in measured if not math.isnan(r.error.median)), default=0.0)
    return (
        _environment()
        .get_template("methods.html.j2")
        .render(
            c=c,
            headline=headline(c),
            recommended=recommendation(c),
            kinds=[(words, [found[m] for m in methods if m in found]) for words, methods in KINDS.items()],
            measured=measured,
            chart=_chart(measured, c.whose),
            largest=max(largest, 1e-9),
            names=NAMES,
            told={method: text.format(l=c.l) for method, text in WORDS.items()},
            sensitive=shown(c.attribute),
            promises=[printable(promise) for promise in c.promises],
        )
    )


@cache
def _environment() -> Environment:
    """Templates that know our charts and words. Made once."""
    from markupsafe import Markup

    made = page_environment()
    made.filters |= {"shown": printable, "seen": seen, "error": error}
    made.tests |= {"measured": lambda r: isinstance(r, MethodResult)}
    made.globals |= {
        "two_parts": lambda *shares: Markup(two_parts(*shares)),
        "line_chart": lambda chart: Markup(line_chart(*chart)),
    }
    return made


def two_parts(first: float, second: float = 0.0) -> str:
    """One bar on a track that stands for everything: what is certain, and after it what is open.

    >>> two_parts(0.25, 0.5).count("<rect"), two_parts(0.25).count("<rect")
    (3, 2)
    """
    width = min(max(first, 0.0), 1.0)
    more = min(max(second, 0.0), 1.0 - width)
    open_part = f'<rect class="before" x="{width:.2%}" width="{more:.2%}" height="12"/>' if more > 0 else ""
    return (
        '<svg class="bar" width="100%" height="12" aria-hidden="true"><rect class="track" width="100%" height="12"/>'
        f'{open_part}<rect class="after" width="{width:.2%}" height="12"/></svg>'
    )


def _chart(measured: list[MethodResult], whose: Whose) -> tuple[list[Line], Axis, Axis]:
    """Privacy against usefulness: the share of people seen through (from, to), and how far answers are off."""
    lines = []
    for i, r in enumerate(measured):
        off_by = f"answers off by {error(r.error.median)}"
        told = f"{NAMES[r.method]}: {seen(r)} of the {whose.people} seen through, {off_by}"
        off = None if math.isnan(r.error.median) else max(r.error.median, _LEAST_ERROR)
        ends = dict.fromkeys([r.problematic, r.problematic + r.undecided])
        lines.append(Line(NAMES[r.method], i, tuple(Dot(end, off, told) for end in ends)))
    across = Axis(f"{whose.people} seen through", 0.0, 1.0, tuple((n / 5, f"{20 * n}%") for n in range(6)))
    errors = [d.y for line in lines for d in line.dots if d.y is not None]
    low = 10.0 ** math.floor(math.log10(min(errors, default=0.01)))
    high = 10.0 ** math.ceil(math.log10(max(errors, default=1.0)))
    high = high if high > low else 10 * low
    steps = range(round(math.log10(low)), round(math.log10(high)) + 1)
    ticks = tuple((10.0**n, f"{10.0 ** (n + 2):,.9g}%") for n in steps)
    return lines, across, Axis("answers off by", low, high, ticks, powers=True)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
