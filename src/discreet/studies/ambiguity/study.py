"""Wang: Ambiguity, its worked example and its experiments (section 8, figures 6 to 10), run again.

The paper's releases are made of 100,000 to 500,000 rows of a census, which a data folder may have; without it people
are invented. Beside its separate tables and its generalization stand Anatomy, which it calls the best in information
and which hides nobody's presence, and our tables over sets of attributes, which it leaves to the future.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from discreet.counts.frequency import FrequencySet
from discreet.progress import Progress, silent
from discreet.studies.ambiguity.data import CENSUS, ROWS, denser, from_folder, invented
from discreet.studies.ambiguity.example import worked_example
from discreet.studies.ambiguity.paper_claims import claims_of
from discreet.studies.ambiguity.runs import (
    ALPHA,
    ATTRIBUTE_SETS,
    BETA,
    DENSE_BETA,
    GENERALIZATION,
    METHODS,
    PREDICATES,
    SELECTIVITIES,
    SEPARATE_TABLES,
    WITHOUT_SETS,
    Asked,
    Design,
    Measured,
    Questions,
    Release,
    release,
    same_groups,
)
from discreet.studies.claims import Reproduction
from discreet.studies.figures import Figure, Series
from discreet.studies.tables import sample

PAPER = "Wang: Ambiguity: Hide the Presence of Individuals and Their Privacy with Low Information Loss"
NOTES = (
    "The figures of the paper are about occupation; those of salary are said to be similar. Only salary is here.",
    "The paper's queries count the people of one sensitive value by combinations of quasi-identifiers (GROUP BY), with "
    "selectivities of 1, 5 and 10%. Here a query asks for one sensitive value and, on 3 to 5 quasi-identifiers chosen "
    "at random, for as many values as make an expected share of 1, 5 or 10% of the people with it. Queries for which "
    "nothing qualifies are left out.",
    "How dense a table is, the paper says as a share of rows that sensitive values are distributed to. Here density d "
    "makes the classes of salary d times as wide, so that 50 become 50 / d.",
    "Which α and β, and which size of table, belong to figures 7 to 10 is not said. Here they are of a fifth of the "
    f"table, with α = {ALPHA}, and β = {BETA} where it is not varied ({DENSE_BETA} over densities).",
    "α is no tighter than 1/100 where time is measured, and 1/10 in figures 7 to 10; what a tighter one costs is in a "
    "figure of its own. Generalization and Anatomy promise no α at all.",
    "Times are of the search, on whatever machine this ran: verdicts on them that rest on small differences may turn "
    "out otherwise the next time.",
    "Generalization is Mondrian with ℓ = ⌈1/β⌉, no value in more than 1/ℓ of a group. Anatomy has the same ℓ.",
)
WORDS = (
    ("group", "rows whose values are published together"),
    ("presence", "how likely somebody is to be in the table whose values all occur in a group"),
    ("association", "how likely somebody in the table is to have a sensitive value of the group"),
    ("relative error", "the difference of estimated and true count, in units of the true one"),
)
K = TypeVar("K")


def has_data(folder: Path) -> bool:
    """Does the folder have what the study needs?"""
    return (folder / CENSUS).is_file()


def reproduce(
    folder: Path | None = None,
    rows: int | None = None,
    progress: Progress = silent,
    design: Design = Design(),  # noqa: B008, it can't be changed
) -> Reproduction:
    """Run it again, on the census of the data folder (or `rows` of it) or, without one, on invented people."""
    start = perf_counter()
    progress("read", 0, 0, "")
    study = from_folder(folder, rows) if folder is not None else invented(rows or ROWS)
    measured = measure(study.frequency, design, progress)
    claims = (*worked_example(), *claims_of(measured))
    seconds = round(perf_counter() - start, 3)
    figures = figures_of(measured, study.frequency.rows)
    return Reproduction(PAPER, study.data, study.from_folder, claims, seconds, figures, NOTES, WORDS)


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
    by_alpha = [(method, alpha) for method in (SEPARATE_TABLES, ATTRIBUTE_SETS) for alpha in design.tighter]
    done, total = 0, len(grid) + len(by_rows) + len(by_beta) + len(by_density) + len(by_alpha)

    def each(
        keys: Sequence[K], run: Callable[[K], Release | None], told: Callable[[K], str]
    ) -> dict[K, Release | None]:
        nonlocal done
        found = {}
        for key in keys:
            progress("publish", done, total, told(key))
            found[key] = run(key)
            done += 1
        return found

    asked = _questions(fifth, design)
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
            lambda key: release(key[0], fifth, ALPHA, key[1], asked),
            lambda key: f"{key[0]}, β = {key[1]}",
        ),
        each(
            by_density,
            lambda key: release(key[0], dense[key[1]].frequency, ALPHA, DENSE_BETA, dense[key[1]]),
            lambda key: f"{key[0]}, density {key[1]}",
        ),
        each(
            by_alpha,
            lambda key: release(key[0], fifth, key[1], BETA, asked),
            lambda key: f"{key[0]}, α = {key[1]}",
        ),
        same_groups(asked, BETA, (PREDICATES[0], SELECTIVITIES[1])),
    )


def _questions(frequency: FrequencySet, design: Design, predicates: Sequence[int] = PREDICATES) -> Questions:
    return Questions(frequency, tuple((p, s) for p in predicates for s in SELECTIVITIES), design.queries)


def figures_of(m: Measured, rows: int) -> tuple[Figure, ...]:
    """Figures 6 to 10, and two of our own."""
    design = m.design
    betas = tuple(str(beta) for beta in design.betas)
    alphas = tuple(str(alpha) for alpha in design.alphas)
    densities = tuple(str(d) for d in design.densities)
    fifth = f"{rows // 5:,} rows"
    first, middle = (PREDICATES[0], SELECTIVITIES[1]), SELECTIVITIES[1]

    def methods(found: Mapping[tuple[str, K], Release | None], keys: Sequence[K], of: _Of) -> tuple[Series, ...]:
        return tuple(
            Series(method, tuple(_of(found[method, key], of) for key in keys), colour)
            for colour, method in enumerate(METHODS)
            if (method, keys[0]) in found
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


def _error(asked: Asked) -> _Of:
    return lambda r: r.errors.get(asked)
