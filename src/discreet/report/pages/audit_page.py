"""An audit as one page: every adversary in one table; promises, faults, distributions, and what each line assumes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from discreet.audit.audit import Audit
from discreet.audit.lines import STEPS, Line
from discreet.audit.reading.whose import so_many
from discreet.labels.figures import percent
from discreet.policy.kinds import PUBLICATIONS
from discreet.report.charts import Bar, Mark, bars
from discreet.report.html import page_environment
from discreet.report.marginals import printable
from discreet.report.pages import audit_words as words

if TYPE_CHECKING:
    from jinja2 import Environment


def to_html(audit: Audit) -> str:
    """The whole page: no script, nothing from elsewhere. The same audit gives the same bytes."""
    return (
        _environment()
        .get_template("audit.html.j2")
        .render(
            audit=audit,
            words=words,
            headline=words.headline(audit),
            compared=audit.compared,
            kind=PUBLICATIONS[audit.publish].words.title if audit.ours else "another tool's release",
            questions=words.by_question(audit),
            alike=[(threat, alike(lines)) for threat, lines in words.by_question(audit)],
            surest=max(audit.lines, key=lambda line: line.worst, default=None),
            above=words.how_many_above(audit),
        )
    )


def alike(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that spread their people in the same way, together: one chart will do for them."""
    found: dict[tuple[object, ...], list[Line]] = {}
    for line in lines:
        found.setdefault((line.histogram, line.threshold, line.attribute, line.of), []).append(line)
    return list(found.values())


@cache
def _environment() -> Environment:
    """Templates that know our charts. Made once."""
    from markupsafe import Markup

    made = page_environment()
    made.filters |= {"shown": printable}
    made.globals |= {
        "spread": lambda line: Markup(spread(line)),
        "gauge": lambda line: Markup(gauge(line)),
    }
    return made


def gauge(line: Line) -> str:
    """Her largest chance as a bar, the limit as a mark across it.

    >>> from discreet.audit.lines import ASSOCIATION
    >>> line = Line("a", ASSOCIATION, "t", "k", "a", 0.25, 0, 4, 0.5, (0,) * 12)
    >>> 'width="25.00%"' in gauge(line), 'x="50.00%"' in gauge(line)
    (True, True)
    """
    over = words.verdict(line) not in (words.WITHIN, words.NOT_KNOWN)
    at = min(line.threshold, 0.995)
    return (
        '<svg class="gauge" width="100%" height="14" aria-hidden="true">'
        '<rect class="track" y="3" width="100%" height="8" rx="4"/>'
        f'<rect class="{"over" if over else "after"}" y="3" width="{line.worst:.2%}" height="8" rx="4"/>'
        f'<rect class="limit" x="{at:.2%}" width="2" height="14"/></svg>'
    )


def spread(line: Line) -> str:
    """The people (or rows) by how sure she is of them; the threshold as a line."""
    people = max(line.people, 1)
    slots = len(STEPS)
    columns = []
    for i, many in enumerate(line.histogram):
        share = many / people
        told = f"{_between(i)}: {so_many(many, line.of)} ({percent(share)})"
        over = STEPS[i - 1] >= line.threshold if i else False
        columns.append(Bar(i / slots, share, _whole(share), told, "over" if over else "after"))
    ticks = [(0.5 / slots, "0"), *(((i + 1) / slots, percent(STEPS[i])) for i in range(1, slots - 2))]
    ticks.append(((slots - 0.5) / slots, "100%"))
    label = "; ".join(c.told for c in columns if c.share)
    marks = [Mark(_at(line.threshold) / slots, f"limit {words.limit(line)}")]
    return bars(columns, slots, ticks, marks, "her chance", f"{line.of.capitalize()} by her chance. {label}")


def _whole(share: float) -> str:
    """A share that fits above a column.

    >>> _whole(0.004), _whole(0.444), _whole(0.998), _whole(1.0)
    ('<1%', '44%', '>99%', '100%')
    """
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{share:.0%}"


def _between(i: int) -> str:
    """What a column holds."""
    if i == 0:
        return "no chance"
    if i == len(STEPS) - 1:
        return "certain"
    low = percent(STEPS[i - 1])
    return f"above {low}, below certainty" if i == len(STEPS) - 2 else f"above {low}, up to {percent(STEPS[i])}"


def _at(chance: float) -> float:
    """Where a chance stands among the columns: an edge between two, or within one.

    >>> [_at(x) for x in (0.0, 0.2, 0.5, 0.4, 1.0)]
    [1.0, 6.0, 8.0, 7.5, 11.0]
    """
    if chance >= 1:
        return float(len(STEPS) - 1)
    i = next(i for i, step in enumerate(STEPS) if chance <= step)
    low = STEPS[i - 1] if i else 0.0
    part = (chance - low) / (STEPS[i] - low) if i else 1.0
    return round(i + min(part, 1.0), 6)
