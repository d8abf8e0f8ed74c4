"""All releases of the ambiguity study, over what its design varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from discreet.counts.frequency import FrequencySet
from discreet.progress import Progress, silent
from discreet.studies.ambiguity.runs import (
    ALPHA,
    ATTRIBUTE_SETS,
    BETA,
    DENSE_BETA,
    METHODS,
    OVER_ALL,
    PREDICATES,
    SELECTIVITIES,
    SEPARATE_TABLES,
    WITHOUT_SETS,
    Design,
    Measured,
    Questions,
    Release,
    release,
    same_groups,
)
from discreet.studies.data.census import denser
from discreet.studies.data.tables import sample

K = TypeVar("K")


def measure(frequency: FrequencySet, design: Design, progress: Progress = silent) -> Measured:
    """Make all releases of the study."""
    fifth = sample(frequency, frequency.rows // 5)
    for method in METHODS:  # what is compiled at its first use must not count as time
        release(method, sample(frequency, 500), ALPHA, BETA)
    rows = [frequency.rows * n // 5 for n in design.fifths]
    grid = [(alpha, beta) for beta in design.timed_betas for alpha in design.alphas]
    by_rows = [(method, n) for method in WITHOUT_SETS for n in rows]
    by_beta = [(method, beta) for method in METHODS for beta in design.betas]
    by_density = [(method, d) for method in WITHOUT_SETS for d in design.densities]
    by_alpha = [(method, alpha) for method in (SEPARATE_TABLES, ATTRIBUTE_SETS, OVER_ALL) for alpha in design.tighter]
    done, total = 0, len(grid) + len(by_rows) + len(by_beta) + len(by_density) + len(by_alpha)

    def each(
        keys: Sequence[K], run: Callable[[K], Release | None], called: Callable[[K], str]
    ) -> dict[K, Release | None]:
        nonlocal done
        releases = {}
        for key in keys:
            progress("publish", done, total, called(key))
            releases[key] = run(key)
            done += 1
        return releases

    questions = _questions(fifth, design)
    tables = {n: sample(frequency, n) for n in rows}
    dense = {d: _questions(denser(fifth, d), design, PREDICATES[:1]) for d in design.densities}
    return Measured(
        design,
        each(
            grid,
            lambda key: release(SEPARATE_TABLES, frequency, *key),
            lambda key: f"α = {key[0]}, β = {key[1]}",
        ),
        each(
            by_rows,
            lambda key: release(key[0], tables[key[1]], ALPHA, BETA),
            lambda key: f"{key[0]}, {key[1]:,} rows",
        ),
        each(
            by_beta,
            lambda key: release(key[0], fifth, ALPHA, key[1], questions),
            lambda key: f"{key[0]}, β = {key[1]}",
        ),
        each(
            by_density,
            lambda key: release(key[0], dense[key[1]].frequency, ALPHA, DENSE_BETA, dense[key[1]]),
            lambda key: f"{key[0]}, density {key[1]}",
        ),
        each(
            by_alpha,
            lambda key: release(key[0], fifth, key[1], BETA, questions),
            lambda key: f"{key[0]}, α = {key[1]}",
        ),
        same_groups(questions, BETA, (PREDICATES[0], SELECTIVITIES[1])),
    )


def _questions(frequency: FrequencySet, design: Design, predicates: Sequence[int] = PREDICATES) -> Questions:
    return Questions(frequency, tuple((p, s) for p in predicates for s in SELECTIVITIES), design.queries)
