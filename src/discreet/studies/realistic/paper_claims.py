"""What the realistic paper claims of its 72 nodes (section 4), beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.labels.figures import epsilon_text, percent, power
from discreet.report.pages.compare_page import node_text
from discreet.search.lattice.comparison import Comparison
from discreet.studies.claims import Claim
from discreet.studies.realistic.lattice import column, family_columns

_PRINTED = 0.005  # differences that the paper's tables can't show


def claims_of(c: Comparison) -> Iterator[Claim]:
    """What the paper says of the 72 nodes."""
    lattice, levels = c.lattice, c.lattice.levels
    many = len(lattice)
    yield Claim("section 4", "the lattice has 72 generalizations", f"{many} nodes", many == 72)

    for family, names in (("I table", "the table's shares"), ("I equal", "equal shares")):
        yield _class_one_needs_least(c, family, names)
    yield _grows_with_stubbornness(c)
    weak, strong = (int((levels[:, family_columns(c, "II")[i]] <= 20).sum()) for i in (2, 5))
    yield Claim(
        "section 4.1",
        "useful tables despite any prior shape: 16 are 20-private against class II with σ = 10³, 4 with σ = 10⁶",
        f"{weak} and {strong} of {many} nodes",
        weak > strong > 1,
    )
    yield _same_as_class_one(c)
    yield _beats_diversity(c)
    yield _utility_falls(c)
    yield _equivalence(c)
    yield from _closeness(c)


def _class_one_needs_least(c: Comparison, family: str, names: str) -> Claim:
    levels = c.lattice.levels
    one, three = (levels[:, column] for column in family_columns(c, family)[-2:])
    two = levels[:, family_columns(c, "II")[-1]]
    finite = np.isfinite(one)
    others = np.minimum(two, three)
    excess = float(np.max(one[finite] - others[finite], initial=0.0))
    return Claim(
        "section 4.1",
        f"class I ({names}, σ = 10⁶) needs less ε than class III and than class II of the same σ, in every table",
        f"less than both in {(one < others)[finite].sum()} of the {finite.sum()} nodes that any ε keeps{_more(excess)}",
        excess <= _PRINTED,
    )


def _grows_with_stubbornness(c: Comparison) -> Claim:
    steps, falls, excess = 0, 0, 0.0
    for family in c.families:
        for less, more in pairwise(family_columns(c, family)):
            a, b = c.lattice.levels[:, less], c.lattice.levels[:, more]
            finite = np.isfinite(a)
            steps += int(finite.sum())
            falls += int((a[finite] > b[finite]).sum())
            excess = max(excess, float(np.max(a[finite] - b[finite], initial=0.0)))
    return Claim(
        "section 4.1",
        "the smallest ε grows with stubbornness, for all tables (classes I and II, σ = 10 … 10⁶, ∞)",
        f"it grows in {steps - falls:,} of {steps:,} steps (nodes that any ε keeps × steps of σ){_more(excess)}",
        excess <= _PRINTED,
    )


def _more(excess: float) -> str:
    """What to add where the weaker adversary needs more ε.

    That is so in groups just like the prior: there one person's leaving shifts a weak belief more than a strong one.
    """
    if excess <= 0:
        return ""
    small = "; the paper prints two digits" if excess <= _PRINTED else ""
    return f"; in the others it is the other way round, by at most {excess:.1g}{small}"


def _same_as_class_one(c: Comparison) -> Claim:
    """Figure 2(b): up to 10⁵ any prior shape costs no more than a known one."""
    lattice = c.lattice
    costs = {family: [p.cost.discernibility for p in c.families[family][1:5]] for family in c.families}
    same = [s for s, *of in zip(range(2, 6), *costs.values(), strict=True) if len(set(of)) == 1]
    stubbornness = ", ".join(f"10{'⁰¹²³⁴⁵⁶'[s]}" for s in same) or "no σ"
    losses = [p.cost.best for p in c.families["II"][1:5]]
    shown = ", ".join("none" if b is None else percent(float(lattice.loss[b])) for b in losses)
    return Claim(
        "figure 2(b)",
        "at ε = 2.5, class II has the same utility (discernibility) as class I for σ = 10² … 10⁵",
        f"the same for {stubbornness}; least loss of class II: {shown}",
        same == [2, 3, 4, 5],
    )


def _beats_diversity(c: Comparison) -> Claim:
    diversity = next(cost for cost in c.costs if cost.promise == "(4, 2)-diversity")
    losses, better = [], []
    for p in c.families["II"][:5]:
        losses.append("nothing" if p.cost.best is None else percent(float(c.lattice.loss[p.cost.best])))
        better.append(_loss(c, p.cost.best) < _loss(c, diversity.best))
    base = "nothing" if diversity.best is None else percent(float(c.lattice.loss[diversity.best]))
    return Claim(
        "sections 4.1 and 4.2",
        "at ε = 2.5, class II with σ ≤ 10⁵ allows more useful tables than (4, 2)-diversity",
        f"least loss {', '.join(losses)} for σ = 10 … 10⁵, against {base}{_scale(c, better)}",
        all(better),
    )


def _scale(c: Comparison, better: list[bool]) -> str:
    """Class II needs groups of σ / (ε − 1) rows, so what it allows depends on how many rows there are."""
    if all(better) or not better[0]:
        return ""
    return f"; it does up to σ = {power(10 ** better.index(False))}, in a table of {c.lattice.frequency.rows:,} rows"


def _utility_falls(c: Comparison) -> Claim:
    """Figures 2(b) and 2(c)."""
    falls = True
    for points in c.families.values():
        for measure in ("discernibility", "average_group"):
            values = [getattr(p.cost, measure) for p in points]
            costs = [float("inf") if v is None else v for v in values]
            falls = falls and costs == sorted(costs)
    two = c.families["II"]
    costs_of_two = "; ".join(
        f"{p.cost.discernibility:.3g}" if p.cost.discernibility is not None else "nothing" for p in two
    )
    return Claim(
        "figures 2(b), 2(c)",
        "the least discernibility and the least average group size at ε = 2.5 grow with stubbornness",
        f"{'they do' if falls else 'they do not always'}; discernibility of class II for σ = 10 … 10⁶: {costs_of_two}",
        falls,
    )


def _equivalence(c: Comparison) -> Claim:
    share, uniform = len(c.opponents) + 1, column(c, "III equal")
    differ, tried = 0, (2, 3, 4, 5, 9, 19, 99)
    for d in tried:
        diverse = c.lattice.holds(share, Fraction(d + 1, d))
        differ += int((diverse != c.lattice.holds(uniform, Fraction(d + 1, 2))).sum())
    says = "(c, 2)-diversity and class III with equal shares at ε = (c + 1) / 2 allow the same tables"
    measured = f"{differ} of {len(c.lattice) * len(tried)} verdicts differ (c = {', '.join(map(str, tried))})"
    return Claim("section 4.2, equation 7", says, measured, differ == 0)


def _closeness(c: Comparison) -> Iterator[Claim]:
    lattice = c.lattice
    known, distance = column(c, "III table"), len(c.opponents) + 2
    rows = lattice.frequency.totals["salary"]
    t = Fraction(1, 5)
    shares = [Fraction(int(n), lattice.frequency.rows) for n in rows]
    if min(shares) <= t:
        return  # the lemma speaks of no such table
    epsilon = max(max((p + t) / p, p / (p - t)) for p in shares)
    close = lattice.holds(distance, t)
    mixed = np.isfinite(lattice.levels[:, known])
    private = lattice.holds(known, epsilon)
    yield Claim(
        "lemma 1",
        "0.2-closeness without homogeneous groups implies ε-privacy against class III with the table's shares, "
        "ε = max((p + t) / p, p / (p − t)), 2.5 in the paper",
        f"ε = {float(epsilon):.3f} here; {int((close & mixed & ~private).sum())} of {int((close & mixed).sum())} "
        "such nodes are not private",
        not (close & mixed & ~private).any(),
    )
    more = np.flatnonzero(private & ~close)
    yield Claim(
        "section 4.2",
        "the reverse does not hold: some tables are private at this ε and not 0.2-close",
        f"{len(more)} of {len(lattice)} nodes{', for example ' + node_text(c, int(more[0])) if len(more) else ''}",
        len(more) > 0,
    )
    alike = np.flatnonzero(lattice.holds(distance, Fraction(34, 100)) & ~mixed)
    worst = float(np.max(lattice.levels[mixed, known], initial=1.0))
    yield Claim(
        "section 4.2",
        "0.34-closeness lets homogeneous groups pass, ε-privacy never does",
        f"{len(alike)} nodes are 0.34-close with a homogeneous group; the largest ε of all others is "
        f"{epsilon_text(worst)}",
        len(alike) > 0,
    )


def _loss(c: Comparison, at: int | None) -> float:
    return float("inf") if at is None else float(c.lattice.loss[at])
