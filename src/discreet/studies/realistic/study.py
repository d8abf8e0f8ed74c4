"""Machanavajjhala, Gehrke & Götz 2009: its worked example (table 3) and its 72-node study (section 4), run again."""

from __future__ import annotations

from discreet.progress import Progress
from discreet.search.lattice.comparison import compare_lattice
from discreet.studies.data.tables import StudyTable
from discreet.studies.realistic.data import SOURCE
from discreet.studies.realistic.example import worked_example
from discreet.studies.realistic.lattice import as_in_the_paper
from discreet.studies.realistic.paper_claims import claims_of
from discreet.studies.study import Outcome, Study

WORDS = (
    ("node", "one level for every quasi-identifier, in the order of the columns above"),
    ("group", "published rows that cannot be told apart"),
    ("loss", "how vague the published values are, 0% is unchanged, 100% is all *"),
)


def experiments(table: StudyTable, design: None, progress: Progress) -> Outcome:
    """Every node of the lattice, against adversaries of every class; the paper varies nothing else."""
    comparison = as_in_the_paper(compare_lattice(table.frequency, progress=progress))
    return Outcome((*worked_example(), *claims_of(comparison)), comparison=comparison)


STUDY = Study(
    paper="Machanavajjhala, Gehrke & Götz: Data Publishing against Realistic Adversaries (VLDB 2009)",
    source=SOURCE,
    design=None,
    experiments=experiments,
    words=WORDS,
)
