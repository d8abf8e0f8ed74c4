"""Nergiz, Tamersoy & Saygin: instant anonymization; its experiments (section 7), run again.

Figures 5 to 12 and table V, with what the paper tells inside of the bars (how often the table is counted) as figures of
their own. What the paper only speaks of is measured too: Incognito in a database, bottom-up beside top-down, and a
search that finds the optimum without counting every minimal node.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from discreet.progress import Progress
from discreet.studies.data.census import SOURCE
from discreet.studies.data.tables import StudyTable
from discreet.studies.instant.database import in_database
from discreet.studies.instant.database_claims import database_claims
from discreet.studies.instant.example import worked_example
from discreet.studies.instant.paper_claims import claims_of
from discreet.studies.instant.paper_figures import figures_of
from discreet.studies.instant.parts import Parts
from discreet.studies.instant.runs import Design, all_runs
from discreet.studies.study import Outcome, Study

NOTES = (
    "The paper does not give the values of what a figure does not vary: here these are k = 60, ℓ = 4, all rows, all "
    "attributes. The hierarchies are those of the data folder.",
    "The network is a tree (Chow & Liu), made in the scan that makes the histograms; the paper's came from BANJO.",
    "Times are of the processor, in memory the least of three where they are below a second. All of it is compiled "
    "code, which counts a node in memory in less than a millisecond: so only ratios can be compared, and in memory "
    "there is little to spare. Verdicts that rest on small differences may turn out otherwise the next time.",
    "The time of S-INSTANT is that of choosing candidates and of the looks at the table, not that of the summary.",
    "Except in figure 10, the probabilities of ℓ-diversity are computed our way, which needs none of the paper's "
    "optimizations.",
    "Candidates are found in the order of their loss, so that not all of the lattice is scored; what is found is the "
    "same. As published, one candidate is tried after the other; finer looks are ours: one query that tells about a "
    "candidate and its neighbours.",
    "The database is DuckDB, in the same process, on a file of texts; for Incognito and Mondrian the rows are coded "
    "by leaves first.",
)
WORDS = (
    ("LM", "the loss: how many other values a published value stands for, between 0 (none) and 1 (all)"),
    ("μ-probability", "how likely a generalization keeps the promise, as a summary tells"),
    ("μ-expectation", "how many rows are expected in groups that break it"),
    ("histogram", "a summary that takes attributes as independent"),
    ("network", "a summary in which each attribute depends on one other"),
    ("cuts", "values of one attribute may be published at different levels of its hierarchy, as k-Optimize does"),
    ("ALL", "ℓ-diversity computed as in the paper, with all five optimizations; ~MAX: without MAX"),
    ("MAX", "only the most frequent value is looked at, where it overwhelms the others"),
    ("LIMIT", "no further sizes of a group once its probability is practically 0 or 1"),
    ("EXPO", "an exponential tail for skewed counts"),
    ("SD_CUT", "only sizes within four standard deviations"),
    ("HYBRID", "normal for binomial counts"),
    ("count", "a pass over the table: one aggregate query, in a database"),
)


def experiments(table: StudyTable, design: Design, progress: Progress) -> Outcome:
    """Every search in memory, then those of the database on files of the same rows."""
    with TemporaryDirectory(prefix="discreet-") as files:
        parts, rows = Parts(table, Path(files)), table.frequency.rows
        runs = all_runs(parts, rows, design, progress)
        database = in_database(parts, rows, design, progress)
    claims = (*worked_example(), *claims_of(runs), *database_claims(runs, database))
    return Outcome(claims, tuple(figures_of(runs, database)))


STUDY = Study(
    paper="Nergiz, Tamersoy & Saygin: Instant Anonymization",
    source=SOURCE,
    design=Design(),
    experiments=experiments,
    notes=NOTES,
    words=WORDS,
)
