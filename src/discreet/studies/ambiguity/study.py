"""Wang: Ambiguity, its worked example and its experiments (section 8, figures 6 to 10), run again.

The paper's releases are made of 100,000 to 500,000 rows of a census, which a data folder may have; without it people
are invented. Beside its separate tables and its generalization stand Anatomy, which it calls the best in information
and which hides nobody's presence, our tables over sets of attributes, which it leaves to the future, and releases that
keep presence below α over all groups together.
"""

from __future__ import annotations

from discreet.progress import Progress
from discreet.studies.ambiguity.example import worked_example
from discreet.studies.ambiguity.measure import measure
from discreet.studies.ambiguity.paper_claims import claims_of
from discreet.studies.ambiguity.paper_figures import figures_of
from discreet.studies.ambiguity.runs import ALPHA, BETA, DENSE_BETA, Design
from discreet.studies.data.census import SOURCE
from discreet.studies.data.tables import StudyTable
from discreet.studies.study import Outcome, Study

NOTES = (
    "The figures of the paper are about occupation; those of salary are said to be similar. Only salary is here.",
    "The paper's queries count the people of one sensitive value by combinations of quasi-identifiers (GROUP BY), with "
    "selectivities of 1, 5 and 10%. Here a query asks for one sensitive value and, on 3 to 5 quasi-identifiers chosen "
    "at random, for as many values as make an expected share of 1, 5 or 10% of the people with it. Queries for which "
    "nothing qualifies are left out.",
    "The paper gives a table's density as the share of rows that sensitive values are distributed to. Here density d "
    "makes the classes of salary d times as wide, so that 50 become 50 / d.",
    "The paper does not say which α and β, and which size of table, figures 7 to 10 have. Here they are of a fifth of "
    f"the table, with α = {ALPHA}, and β = {BETA} where it is not varied ({DENSE_BETA} over densities).",
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


def experiments(table: StudyTable, design: Design, progress: Progress) -> Outcome:
    """Every method's releases over α, β, rows and density."""
    measured = measure(table.frequency, design, progress)
    return Outcome((*worked_example(), *claims_of(measured)), figures_of(measured, table.frequency.rows))


STUDY = Study(
    paper="Wang: Ambiguity: Hide the Presence of Individuals and Their Privacy with Low Information Loss",
    source=SOURCE,
    design=Design(),
    experiments=experiments,
    notes=NOTES,
    words=WORDS,
)
