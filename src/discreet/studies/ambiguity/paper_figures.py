"""The figures of the ambiguity study: figures 6 to 10, and some of our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from discreet.studies.ambiguity.runs import (
    ALPHA,
    BETA,
    DENSE_BETA,
    GENERALIZATION,
    METHODS,
    PREDICATES,
    SELECTIVITIES,
    SEPARATE_TABLES,
    Measured,
    QueryKind,
    Release,
)
from discreet.studies.figures import Figure, Series

K = TypeVar("K")


def figures_of(m: Measured, rows: int) -> tuple[Figure, ...]:
    """Figures 6 to 10, and two of our own."""
    design = m.design
    betas = tuple(str(beta) for beta in design.betas)
    alphas = tuple(str(alpha) for alpha in design.alphas)
    densities = tuple(str(d) for d in design.densities)
    fifth = f"{rows // 5:,} rows"
    first, middle = (PREDICATES[0], SELECTIVITIES[1]), SELECTIVITIES[1]

    def methods(releases: Mapping[tuple[str, K], Release | None], keys: Sequence[K], of: _Of) -> tuple[Series, ...]:
        return tuple(
            Series(method, tuple(_of(releases[method, key], of) for key in keys), colour)
            for colour, method in enumerate(METHODS)
            if (method, keys[0]) in releases
        )

    by_beta = [
        Figure(
            f"Figure 8: error over β, selectivity {s:.0%}",
            "β",
            betas,
            "mean relative error",
            methods(m.by_beta, design.betas, _error((PREDICATES[0], s))),
            f"{fifth}, α = {ALPHA}; queries on {PREDICATES[0]} quasi-identifiers and one sensitive value. "
            "The smaller β, the larger the groups.",
            "share",
        )
        for s in SELECTIVITIES
    ]
    attributes = tuple(
        Series(method, tuple(_of(m.by_beta[method, BETA], _error((p, middle))) for p in PREDICATES))
        for method in METHODS
    )
    dense = tuple(
        Series(
            f"selectivity {s:.0%}",
            tuple(_of(m.by_density[SEPARATE_TABLES, d], _error((PREDICATES[0], s))) for d in design.densities),
        )
        for s in SELECTIVITIES
    )
    return (
        Figure(
            "Figure 6: time over α and β",
            "α",
            alphas,
            "seconds",
            tuple(
                Series(f"β = {b}", tuple(_of(m.grid[a, b], _seconds) for a in design.alphas))
                for b in design.timed_betas
            ),
            f"Ambiguity with separate tables, {rows:,} rows. A dot is missing where the table has no such release.",
            "seconds",
        ),
        Figure(
            "Time over rows (not in the paper)",
            "rows",
            tuple(f"{rows * n // 5:,}" for n in design.fifths),
            "seconds",
            methods(m.by_rows, [rows * n // 5 for n in design.fifths], _seconds),
            f"α = {ALPHA}, β = {BETA}.",
            "seconds",
        ),
        Figure(
            "Figure 7: time over density",
            "density",
            densities,
            "seconds",
            methods(m.by_density, design.densities, _seconds),
            f"{fifth}, α = {ALPHA}, β = {DENSE_BETA}. At density d there are 50 / d classes of salary.",
            "seconds",
        ),
        *by_beta,
        Figure(
            "Figure 9 (1): error over the number of attributes",
            "quasi-identifiers in a query",
            tuple(map(str, PREDICATES)),
            "mean relative error",
            attributes,
            f"{fifth}, α = {ALPHA}, β = {BETA}, selectivity {middle:.0%}.",
            "share",
        ),
        Figure(
            "Figure 9 (2): error of ambiguity over density",
            "density",
            densities,
            "mean relative error",
            dense,
            f"{fifth}, separate tables, α = {ALPHA}, β = {DENSE_BETA}.",
            "share",
        ),
        Figure(
            "Figure 10: error over density",
            "density",
            densities,
            "mean relative error",
            methods(m.by_density, design.densities, _error(first)),
            f"{fifth}, α = {ALPHA}, β = {DENSE_BETA}, selectivity {middle:.0%}.",
            "share",
        ),
        Figure(
            "Error over α (not in the paper)",
            "α",
            tuple(map(str, design.tighter)),
            "mean relative error",
            methods(m.by_alpha, design.tighter, _error(first)),
            f"{fifth}, β = {BETA}, selectivity {middle:.0%}. All other errors here are at α = {ALPHA}.",
            "share",
        ),
        Figure(
            "Suppressed rows (not in the paper)",
            "β",
            betas,
            "share of rows",
            tuple(s for s in methods(m.by_beta, design.betas, _suppressed) if s.name not in (GENERALIZATION,)),
            f"{fifth}, α = {ALPHA}: rows that fit no group without breaking α or β.",
            "share",
        ),
    )


_Of = Callable[[Release], float | None]


def _of(r: Release | None, of: _Of) -> float | None:
    return None if r is None else of(r)


def _seconds(r: Release) -> float:
    return r.seconds


def _suppressed(r: Release) -> float:
    return r.suppressed


def _error(kind: QueryKind) -> _Of:
    return lambda r: r.errors.get(kind)
