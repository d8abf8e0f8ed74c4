"""A study: a paper's experiments, as its folder tells them, and the one way to run them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Generic, TypeVar

from discreet.progress import Progress, silent
from discreet.search.lattice.comparison import Comparison
from discreet.studies.claims import Claim, Reproduction
from discreet.studies.data.source import Source, Tables
from discreet.studies.figures import Figure


@dataclass(frozen=True)
class Outcome:
    """What came of the experiments: the claims, and what they rest on."""

    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    comparison: Comparison | None = None


Design = TypeVar("Design")


@dataclass(frozen=True)
class Study(Generic[Tables, Design]):
    """What a paper's folder says of its experiments: on which tables, by which design, and what is done to them.

    `notes` say what is done otherwise than in the paper, `words` what terms mean.
    """

    paper: str
    source: Source[Tables]
    design: Design
    experiments: Callable[[Tables, Design, Progress], Outcome]
    notes: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()


def reproduce(
    study: Study[Tables, Design], folder: Path | None = None, rows: int | None = None, progress: Progress = silent
) -> Reproduction:
    """Run it again, on the table of the data folder (or `rows` of it) or, without one, on invented people.

    >>> from discreet.studies.papers import study
    >>> realistic = reproduce(study("realistic"), rows=2_000)
    >>> realistic.from_folder, realistic.claims[0].measured
    (False, 'smallest ε 4.0003')
    """
    start = perf_counter()
    progress("read", 0, 0, "")
    tables = study.source.tables(folder, rows)
    outcome = study.experiments(tables, study.design, progress)
    return Reproduction(
        study.paper,
        tables.data,
        tables.from_folder,
        outcome.claims,
        round(perf_counter() - start, 3),
        outcome.figures,
        study.notes,
        study.words,
        outcome.comparison,
    )
