"""What the ambiguity paper says of its theorems and of its experiments, beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from discreet.labels.figures import percent
from discreet.studies.ambiguity.runs import (
    ALPHA,
    ANATOMY,
    ATTRIBUTE_SETS,
    BETA,
    GENERALIZATION,
    OVER_ALL,
    PREDICATES,
    SELECTIVITIES,
    SEPARATE_TABLES,
    Measured,
    QueryKind,
    Release,
)
from discreet.studies.claims import Claim
from discreet.studies.figures import Unit, value_text

_SHARE: Unit = "share"
_LINEAR = 0.95  # of what varies
K = TypeVar("K")


def claims_of(m: Measured) -> Iterator[Claim]:
    """What the paper says in sections 6 to 8."""
    yield _private(m)
    yield _added_up(m)
    yield Claim(
        "theorem 7.2",
        "every release is ⌈1/β⌉-diverse",
        f"{sum(r.diverse for r in m.ambiguous)} of {len(m.ambiguous)} releases are",
        all(r.diverse for r in m.ambiguous),
    )
    yield _same_groups(m)
    yield _time_over_promises(m)
    yield _time_over_density(m)
    yield _beats("figure 8", f"for every β ({_listed(m.design.betas)}) and selectivity", m.by_beta, m.design.betas)
    yield from _over_beta(m)
    yield from _over_attributes(m)
    yield _over_density(m)
    yield _beats("figure 10", "for every density", m.by_density, m.design.densities)
    yield _order(m)
    yield _sets(m)


def _private(m: Measured) -> Claim:
    broken = sum(not r.keeps for r in m.ambiguous)
    lost = max((r.suppressed for r in m.ambiguous), default=0.0)
    largest = max((r.largest_presence or 0.0 for r in m.ambiguous), default=0.0)
    return Claim(
        "theorem 7.1",
        "every release is (α, β)-private",
        f"{broken} of {len(m.ambiguous)} releases have a group that breaks α or β; the largest presence in any is "
        f"{largest:.3g}. Rows that fit nowhere are suppressed (the paper does not say what becomes of them): at most "
        f"{percent(lost)}",
        broken == 0,
    )


def _added_up(m: Measured) -> Claim:
    """What the paper leaves out: somebody whom several groups cover may be in any of them."""
    made = [
        (alpha, r)
        for parts in (m.by_alpha, m.by_beta)
        for (method, key), r in parts.items()
        if r is not None and r.added_up is not None and method != OVER_ALL
        for alpha in [key if parts is m.by_alpha else ALPHA]
    ]
    above = [r.added_up for alpha, r in made if r.added_up is not None and r.added_up > float(alpha)]
    kept = [m.by_alpha[OVER_ALL, alpha] for alpha in m.design.tighter]
    errors = [None if r is None else r.errors.get((PREDICATES[0], SELECTIVITIES[1])) for r in kept]
    return Claim(
        "definition 4.3",
        "nobody is in the table with more than α",
        f"over all groups that cover a combination, chances add up to more than α in {len(above)} of {len(made)} "
        f"releases (to {max(above, default=0.0):.3g}, where 1 is certainty). With presence: total at α = "
        f"{_listed(m.design.tighter)} they don't, and the error is "
        f"{', '.join(value_text(e, _SHARE) for e in errors)}",
        not above,
    )


def _same_groups(m: Measured) -> Claim:
    same = m.same
    return Claim(
        "theorem 6.1",
        "published by ambiguity, the groups of a generalization answer every query with less error",
        f"{same.worse:,} of {same.queries:,} queries are answered worse; mean error {percent(same.ambiguous)} against "
        f"{percent(same.generalized)}. The proof takes a larger estimate for a better one",
        same.worse == 0,
    )


def _time_over_promises(m: Measured) -> Claim:
    """One plane through all points: lines of three points are often straight by chance."""
    points = [(1.0, float(a), float(b), r.seconds) for (a, b), r in m.grid.items() if r is not None]
    *known, times = np.array(points).T
    plane = np.stack(known, axis=1)
    off = times - plane @ np.linalg.lstsq(plane, times, rcond=None)[0]
    varies = float(((times - times.mean()) ** 2).sum())
    explained = 1 - float((off**2).sum()) / varies if varies > 0 else 1.0
    return Claim(
        "section 8.2, figure 6",
        "the time is linear neither in α nor in β",
        f"{times.min():.2f} to {times.max():.2f} s; a plane in α and β explains {percent(explained)} of what varies "
        f"({percent(_LINEAR)} would be called linear)",
        explained <= _LINEAR,
    )


def _time_over_density(m: Measured) -> Claim:
    times = _values(m.by_density, SEPARATE_TABLES, m.design.densities, lambda r: r.seconds)
    return Claim(
        "section 8.2, figure 7",
        "the sparser the table, the faster",
        f"{', '.join(f'{t:.2f}' for t in times)} s from sparse to dense",
        _grows(times),
    )


def _beats(where: str, whatever: str, releases: Mapping[tuple[str, K], Release | None], keys: Sequence[K]) -> Claim:
    """Ambiguity against generalization, at 3 attributes."""
    kinds = [(PREDICATES[0], s) for s in SELECTIVITIES]
    pairs = {
        kind: [
            (ours.errors[kind], theirs.errors[kind])
            for key in keys
            if (ours := releases[SEPARATE_TABLES, key]) is not None
            and (theirs := releases[GENERALIZATION, key]) is not None
            and kind in ours.errors
        ]
        for kind in kinds
    }
    better = [a < b for of in pairs.values() for a, b in of]
    mine, others = ([pair[i] for pair in pairs[kinds[1]]] for i in (0, 1))
    return Claim(
        f"section 8.3, {where}",
        f"ambiguity answers with less error than generalization, {whatever}",
        f"it does in {sum(better)} of {len(better)} cases; at a selectivity of {kinds[1][1]:.0%}, {_percents(mine)} "
        f"against {_percents(others)}",
        all(better),
    )


def _over_beta(m: Measured) -> Iterator[Claim]:
    kind = (PREDICATES[0], SELECTIVITIES[1])
    for method in (SEPARATE_TABLES, GENERALIZATION):
        errors = _values(m.by_beta, method, m.design.betas, _error(kind))
        sizes = _values(m.by_beta, method, m.design.betas, lambda r: r.group_size)
        yield Claim(
            "section 8.3, figure 8",
            f"the larger β, the larger the groups and the error of {method}",
            f"error {_percents(errors)}, rows in a group {', '.join(f'{n:.1f}' for n in sizes)}, for β = "
            f"{_listed(m.design.betas)}: larger groups come with smaller β (⌈1/β⌉ rows at least)",
            _grows(errors) and _grows(sizes),
        )


def _over_attributes(m: Measured) -> Iterator[Claim]:
    kinds = {p: (p, SELECTIVITIES[1]) for p in PREDICATES}
    errors = {}
    for method in (SEPARATE_TABLES, GENERALIZATION):
        r = m.by_beta[method, BETA]
        errors[method] = [] if r is None else [r.errors[kind] for kind in kinds.values() if kind in r.errors]
        yield Claim(
            "section 8.3, figure 9 (1)",
            f"the error of {method} grows with the attributes of a query",
            f"{_percents(errors[method])} with {_listed(PREDICATES)} quasi-identifiers",
            _grows(errors[method]),
        )
    ours, theirs = errors.values()
    yield Claim(
        "section 8.3, figure 9 (1)",
        "ambiguity always wins, however many attributes a query has",
        f"{_percents(ours)} against {_percents(theirs)}",
        all(a < b for a, b in zip(ours, theirs, strict=True)),
    )


def _over_density(m: Measured) -> Claim:
    parts, grows = [], True
    for s in SELECTIVITIES:
        errors = _values(m.by_density, SEPARATE_TABLES, m.design.densities, _error((PREDICATES[0], s)))
        parts.append(f"{s:.0%}: {_percents(errors)}")
        grows = grows and _grows(errors)
    return Claim(
        "section 8.3, figure 9 (2)",
        "denser tables are answered worse",
        f"from sparse to dense, by selectivity: {'; '.join(parts)}",
        grows,
    )


def _order(m: Measured) -> Claim:
    errors = {
        method: _values(m.by_beta, method, m.design.betas, _error((PREDICATES[0], SELECTIVITIES[1])))
        for method in (ANATOMY, SEPARATE_TABLES, GENERALIZATION)
    }
    means = [float(np.mean(e)) if e else float("nan") for e in errors.values()]
    return Claim(
        "figure 3",
        "information loss: permutation (Anatomy) best, generalization worst, ambiguity in the middle",
        "; ".join(f"{method} {percent(mean)}" for method, mean in zip(errors, means, strict=True))
        + " (means over β). Anatomy hides nobody's presence; the figure's columns for it are swapped",
        means == sorted(means),
    )


def _sets(m: Measured) -> Claim:
    kinds = [(p, SELECTIVITIES[1]) for p in PREDICATES]
    one, sets = (m.by_beta[method, BETA] for method in (SEPARATE_TABLES, ATTRIBUTE_SETS))
    apart = [] if one is None else [one.errors[kind] for kind in kinds if kind in one.errors]
    together = [] if sets is None else [sets.errors[kind] for kind in kinds if kind in sets.errors]
    by_alpha = [
        (None if r is None else r.errors.get(kinds[0]))
        for method in (ATTRIBUTE_SETS, SEPARATE_TABLES)
        for r in (m.by_alpha[method, alpha] for alpha in m.design.tighter)
    ]
    many = len(m.design.tighter)
    pairs = list(zip(by_alpha[:many], by_alpha[many:], strict=True))
    tighter = [f"{value_text(a, _SHARE)} against {value_text(b, _SHARE)}" for a, b in pairs]
    cases = [
        (ours.errors[kind], theirs.errors[kind])
        for beta in m.design.betas
        if (ours := m.by_beta[ATTRIBUTE_SETS, beta]) is not None
        and (theirs := m.by_beta[GENERALIZATION, beta]) is not None
        for kind in ours.errors
    ]
    return Claim(
        "section 9, left to the future",
        "correlations can be kept while α and β are: tables over sets of attributes answer with less error",
        f"{_percents(together)} against {_percents(apart)} on {_listed(PREDICATES)} quasi-identifiers at β = {BETA}; "
        f"less than generalization in {sum(a < b for a, b in cases)} of {len(cases)} cases, over all β. "
        f"At α = {_listed(m.design.tighter)}: {'; '.join(tighter)}. "
        f"They are found in {_seconds(sets)}, not {_seconds(one)}",
        len(together) == len(apart) > 0
        and all(a < b for a, b in zip(together, apart, strict=True))
        and all(a is not None and b is not None and a < b for a, b in pairs),
    )


def _values(
    releases: Mapping[tuple[str, K], Release | None],
    method: str,
    keys: Sequence[K],
    of: Callable[[Release], float | None],
) -> list[float]:
    """What there is of a measure, in the order of the keys."""
    return [x for key in keys if (r := releases[method, key]) is not None and (x := of(r)) is not None]


def _error(kind: QueryKind) -> Callable[[Release], float | None]:
    return lambda r: r.errors.get(kind)


def _seconds(r: Release | None) -> str:
    return value_text(None if r is None else r.seconds, "seconds")


def _grows(values: Sequence[float]) -> bool:
    return len(values) > 1 and all(a <= b for a, b in pairwise(values))


def _percents(values: Sequence[float]) -> str:
    return ", ".join(map(percent, values))


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
