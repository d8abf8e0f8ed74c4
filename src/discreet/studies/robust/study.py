"""Wong, Fu, Wang, Xu, Pei & Yu: anonymization against worst-case background knowledge; its experiments, run again.

Figure 1 (a) to (d) at r = 10, and the same at r = 2, which the paper only speaks of; the numbers of its tables, and its
theorem 1, which a group of four people refutes.
"""

from __future__ import annotations

from discreet.progress import Progress
from discreet.studies.robust.data import SOURCE, RobustTable
from discreet.studies.robust.example import worked_example
from discreet.studies.robust.paper_claims import claims_of
from discreet.studies.robust.paper_figures import figures_of
from discreet.studies.robust.runs import Design, outcomes
from discreet.studies.study import Outcome, Study

NOTES = (
    "ART may suppress up to a tenth of the rows, the others nothing (Injector leaves out whoever fits no group). Those "
    "for whom ART finds no group are people with a protected value, mostly of a kind of whom more than 1/r have one; "
    "it is not shown that no other grouping could hide them. The paper does not mention suppression. Problematic "
    "people are counted among those who are published.",
    "All methods are judged by exact posteriors, in the view of all values and in that of protected or not: somebody "
    "is problematic in the worse of the two. Where groups are too large for that (t-closeness), only those proven to "
    "be above 1/r count.",
    "The adversary knows the distribution for every attribute set of up to 5 quasi-identifiers; where there are "
    "more, for those of at most 3 of them and the whole set; and for combinations that at least 30 rows have.",
    "Each release is made once, not 100 times. Times are of the search, on whatever machine this ran: verdicts on them "
    "that rest on small differences may turn out otherwise the next time.",
    "For t-closeness, as for the others, the adversary is taken to know who stands in which group.",
)
WORDS = (
    ("group", "people whose sensitive values are published together"),
    ("problematic", "who has a protected value and is linked to one with more than 1/r"),
    ("Δ", "how far apart the chances of a protected value are in a group, by what is known beforehand"),
    ("relative error", "the difference of estimated and true count, in units of the true one"),
)


def experiments(table: RobustTable, design: Design, progress: Progress) -> Outcome:
    """Every method's release at every size and both r."""
    measured = outcomes(table, design, progress)
    figures = (*figures_of(measured, design.high, "Figure 1"), *figures_of(measured, design.low, "As figure 1"))
    return Outcome((*worked_example(), *claims_of(measured)), figures)


STUDY = Study(
    paper="Wong, Fu, Wang, Xu, Pei & Yu: Anonymization with Worst-Case Distribution-Based Background Knowledge",
    source=SOURCE,
    design=Design(),
    experiments=experiments,
    notes=NOTES,
    words=WORDS,
)
