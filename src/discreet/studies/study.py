"""A study: a paper's experiments, as its folder tells them, and the one way to run them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Generic, Protocol, TypeVar

from discreet.progress import Progress, silent
from discreet.search.lattice.comparison import Comparison
from discreet.studies.claims import Claim, Reproduction
from discreet.studies.figures import Figure


class Described(Protocol):
    """The tables of a study, whatever else they have."""

    @property
    def data(self) -> str:
        """What they are, in words."""

    @property
    def from_folder(self) -> bool:
        """Are they the data folder's, not invented?"""


@dataclass(frozen=True)
class Outcome:
    """What came of the experiments: the claims, and what they rest on."""

    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    comparison: Comparison | None = None


Tables = TypeVar("Tables", bound=Described)
Design = TypeVar("Design")


@dataclass(frozen=True)
class Study(Generic[Tables, Design]):
    """What a paper's folder says of its experiments: on which tables, by which design, and what is done to them.

    `notes` say what is done otherwise than in the paper, `words` what terms mean.
    """

    paper: str
    file: Path  # what the data folder must have
    from_folder: Callable[[Path, int | None], Tables]
    invented: Callable[[int], Tables]
    rows: int  # are invented, if nobody asks for fewer
    design: Design
    experiments: Callable[[Tables, Design, Progress], Outcome]
    notes: tuple[str, ...] = ()
    words: tuple[tuple[str, str], ...] = ()

    def has_data(self, folder: Path) -> bool:
        """Does the folder have what the study needs?"""
        return (folder / self.file).is_file()


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
    tables = study.invented(rows or study.rows) if folder is None else study.from_folder(folder, rows)
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
