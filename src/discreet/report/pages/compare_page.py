"""A comparison as text, as JSON and as a page with charts. Counts and levels only: no value of the table is in it."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from discreet.labels.aligned import aligned
from discreet.labels.figures import epsilon_text, percent, power
from discreet.models.parameters import as_text
from discreet.releases.choices import PolicyComparison
from discreet.report import charts
from discreet.report.html import page_environment
from discreet.report.line_chart import Axis, Dot, Line, line_chart, powers_of_ten, shares
from discreet.report.marginals import printable, shown
from discreet.report.pages import choices_part
from discreet.search.lattice.comparison import MOST_SHOWN, Comparison, Cost

if TYPE_CHECKING:
    from jinja2 import Environment

TEXT_ROWS = 12
KINDS = {
    "size": "how many look alike",
    "values": "what a group's values look like",
    "presence": "how sure it is what is in the table",
    "belief": "what a realistic adversary comes to believe",
    "policy": "what was asked for",
}
_INFINITE = 3.0  # on the axis of stubbornness, ∞ lies this factor beyond the last number


def node_text(c: Comparison, at: int) -> str:
    """A node as the papers write it."""
    return "[" + ", ".join(map(str, c.lattice.node(at))) + "]"


def to_json(c: PolicyComparison) -> dict[str, Any]:
    """Everything: what is near the policy, and every node with every adversary's smallest ε (null: no ε will do)."""
    nodes = {"nodes": None, "without": c.without} if c.nodes is None else nodes_to_json(c.nodes)
    return {
        "rows": c.rows,
        "policy": {
            "publish": c.own.publish,
            "limit": c.limit,
            "loss": c.own.loss,
            "suppressed": c.own.suppressed,
            "why": c.own.why,
        },
        **choices_part.to_json(c.choices),
        "sensitive": list(c.sensitive),
        **nodes,
    }


def nodes_to_json(c: Comparison) -> dict[str, Any]:
    """What promises cost one by one, with every row published."""
    lattice = c.lattice
    names = lattice.frequency.attributes
    heights = [h.height for h in lattice.frequency.hierarchies]
    first = len(c.opponents)
    return {
        "rows": lattice.frequency.rows,
        "suppressed": 0,
        "sensitive": list(c.sensitive),
        "attributes": dict(zip(names, heights, strict=True)),
        "epsilon": float(c.epsilon),
        "adversaries": [
            {
                "name": o.name,
                "words": o.words,
                "asked": None if o.asked is None else float(o.asked),
                "predicates": o.predicates.to_words(),
                **o.adversary.words(),
            }
            for o in c.opponents
        ],
        "costs": [_cost_json(c, cost) for cost in c.costs],
        "stubbornness": {
            family: [
                {
                    "stubbornness": _finite(p.stubbornness),
                    "epsilon_of_reference": _finite(p.epsilon),
                    **_cost_json(c, p.cost),
                }
                for p in points
            ]
            for family, points in c.families.items()
        },
        "reference": {"node": list(lattice.node(c.reference)), "why": c.reference_why},
        "nodes": [
            {
                "node": list(lattice.node(at)),
                "loss": float(lattice.loss[at]),
                "groups": int(lattice.groups[at]),
                "smallest_group": int(lattice.smallest_group[at]),
                "average_group": float(lattice.average_group[at]),
                "discernibility": float(lattice.discernibility[at]),
                "largest_share": 1 / float(lattice.levels[at, first + 1]),
                "closeness": float(lattice.levels[at, first + 2]),
                "keeps_policy": bool(lattice.keeps[at]),
                "epsilon": [_finite(float(e)) for e in c.epsilons(at)],
            }
            for at in range(len(lattice))
        ],
    }


def to_text(c: PolicyComparison) -> str:
    """What is near the policy; then the costs on every node, and the best trade-offs, in a few lines."""
    lines = [*choices_part.to_lines(c), ""]
    if c.nodes is None:
        lines.append(f"Promises are not compared one by one: {c.without}.")
        return "\n".join(lines)
    lines += ["For specialists: promises one by one", f"  {what_was_compared(c.nodes)}."]
    return "\n".join([*lines, *_nodes_lines(c.nodes)])


def _nodes_lines(c: Comparison) -> list[str]:
    lattice = c.lattice
    lines = [
        "  Here every row is published, and a column has one level everywhere: no policy need lose as much as that."
    ]
    lines += ["", f"What each promise costs (of {len(lattice):,} nodes, with every row published)"]
    table = [["promise", "nodes", "loss", "groups", "node"]]
    for cost in c.costs:
        if cost.best is None:
            table.append([printable(cost.promise), "0", "nothing can be published", "", ""])
        else:
            best = cost.best
            groups = f"{lattice.groups[best]:,}"
            row = [printable(cost.promise), f"{cost.nodes:,}", percent(float(lattice.loss[best])), groups]
            table.append([*row, node_text(c, best)])
    lines += aligned(table, left={0, len(table[0]) - 1}, widest=59)
    rows = c.rows[:TEXT_ROWS].tolist()
    lines += ["", "The smallest ε of a node against each adversary"]
    table = [["node", "loss", *(o.name for o in c.columns)]]
    for at in rows:
        levels = [epsilon_text(float(lattice.levels[at, o.column])) for o in c.columns]
        table.append([node_text(c, at), percent(float(lattice.loss[at])), *levels])
    lines += aligned(table, left={0}, widest=59)
    if len(c.rows) > len(rows):
        lines.append(f"  and {len(c.rows) - len(rows):,} more trade-offs; all nodes are in --json")
    lines.append(f"  nodes: levels of {', '.join(shown(name) for name in lattice.frequency.attributes)}")
    return lines


def what_was_compared(c: Comparison) -> str:
    """The size of the lattice."""
    return (
        f"{len(c.lattice):,} ways to publish {c.lattice.frequency.rows:,} rows, against {len(c.opponents)} adversaries "
        f"who want to learn {', '.join(shown(name) for name in c.sensitive)}"
    )


def to_html(c: PolicyComparison) -> str:
    """The whole page. The same comparison gives the same bytes."""
    nodes = {"c": None} if c.nodes is None else parts(c.nodes) | {"compared": what_was_compared(c.nodes)}
    return environment().get_template("compare.html.j2").render(near=choices_part.part(c), without=c.without, **nodes)


def parts(c: Comparison) -> dict[str, Any]:
    """What the sections about a comparison are made of."""
    lattice = c.lattice
    rows = c.rows[:MOST_SHOWN].tolist()
    return {
        "c": c,
        "attributes": [
            (shown(h.attribute), h.height, [len(labels) for labels in h.labels]) for h in lattice.frequency.hierarchies
        ],
        "sensitive": [shown(name) for name in c.sensitive],
        "kinds": [(words, [x for x in c.costs if x.kind == kind]) for kind, words in KINDS.items()],
        "asked": as_text(c.epsilon),
        "rows": rows,
        "tradeoffs": _tradeoffs(c),
        "figure": _figure(c),
        "of_reference": _of_reference(c),
        "families": [_FAMILY_WORDS[name] for name in c.families],
        "costs_by_family": _by_stubbornness(c),
    }


_FAMILY_WORDS = {
    "I table": "I: she expects the table's shares",
    "I equal": "I: she expects equal shares",
    "II": "II: she may expect anything",
}


@cache
def environment() -> Environment:
    """Templates that know our charts and words. Made once."""
    from markupsafe import Markup

    made = page_environment()
    made.filters |= {"power": power, "shown": printable}
    made.globals |= {
        "bar": lambda *arguments: Markup(charts.bar(*arguments)),
        "line_chart": lambda chart: Markup(line_chart(*chart)),
        "node_text": node_text,
    }
    return made


Chart = tuple[list[Line], Axis, Axis]


def _tradeoffs(c: Comparison) -> Chart:
    """ε against loss: each adversary's best trade-offs."""
    lattice = c.lattice
    lines, largest = [], 10.0
    for i, o in enumerate(c.columns):
        dots = []
        for at in lattice.frontier(o.column).tolist():
            loss, epsilon = float(lattice.loss[at]), float(lattice.levels[at, o.column])
            largest = max(largest, epsilon)
            told = f"{o.name}: ε {epsilon_text(epsilon)} at a loss of {percent(loss)}, {node_text(c, at)}"
            dots.append(Dot(loss, epsilon, told))
        lines.append(Line(o.name, i, tuple(dots), steps=True))
    ticks = powers_of_ten(1, largest)
    return lines, shares("loss of exactness", []), Axis("smallest ε", 1.0, ticks[-1][0], ticks, True)


def _figure(c: Comparison) -> Chart:
    """The least loss at the asked ε against stubbornness: the paper's figure 2."""
    lines = []
    for i, (family, points) in enumerate(c.families.items()):
        dots = []
        for p in points:
            loss = None if p.cost.best is None else float(c.lattice.loss[p.cost.best])
            told = f"{family}, stubbornness {power(p.stubbornness)}: "
            told += "nothing can be published" if loss is None else f"loss {percent(loss)}"
            dots.append(Dot(_along(c, p.stubbornness), loss, told))
        lines.append(Line(_FAMILY_WORDS[family], i, tuple(dots)))
    return lines, _stubbornness(c), shares("least loss", [])


def _of_reference(c: Comparison) -> Chart:
    """The smallest ε of one node against stubbornness: the paper's figure 2(a)."""
    lines = [
        Line(
            _FAMILY_WORDS[family],
            i,
            tuple(
                Dot(
                    _along(c, p.stubbornness),
                    None if math.isinf(p.epsilon) else p.epsilon,
                    f"{family}, stubbornness {power(p.stubbornness)}: ε {epsilon_text(p.epsilon)}",
                )
                for p in points
            ),
        )
        for i, (family, points) in enumerate(c.families.items())
    ]
    largest = max((d.y for line in lines for d in line.dots if d.y is not None), default=10.0)
    ticks = powers_of_ten(1, largest)
    return lines, _stubbornness(c), Axis("smallest ε", 1.0, ticks[-1][0], ticks, True)


def _stubbornness(c: Comparison) -> Axis:
    found = sorted({p.stubbornness for points in c.families.values() for p in points})
    ticks = tuple((_along(c, s), power(s)) for s in found)
    return Axis("data behind her belief (stubbornness σ)", ticks[0][0], ticks[-1][0], ticks, True)


def _along(c: Comparison, stubbornness: float) -> float:
    if not math.isinf(stubbornness):
        return stubbornness
    return _INFINITE * max(p.stubbornness for p in c.families["II"])


def _by_stubbornness(c: Comparison) -> list[tuple[float, list[Cost | None]]]:
    """One row per stubbornness: the cost against each family, None where the family has no such adversary."""
    found = sorted({p.stubbornness for points in c.families.values() for p in points})
    return [
        (s, [next((p.cost for p in points if p.stubbornness == s), None) for points in c.families.values()])
        for s in found
    ]


def _cost_json(c: Comparison, cost: Cost) -> dict[str, Any]:
    best = cost.best
    return {
        "promise": cost.promise,
        "nodes": cost.nodes,
        "node": None if best is None else list(c.lattice.node(best)),
        "loss": None if best is None else float(c.lattice.loss[best]),
        "least_discernibility": cost.discernibility,
        "least_average_group": cost.average_group,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
