"""Wong, Fu, Wang, Xu, Pei & Yu: anonymization against worst-case background knowledge; its experiments, run again.

Figure 1 (a) to (d) at r = 10, and the same at r = 2, which the paper only speaks of; the numbers of its tables, and its
theorem 1, which a group of four people refutes.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from discreet.progress import Progress, silent
from discreet.studies.claims import Reproduction
from discreet.studies.figures import Figure, Series, Unit
from discreet.studies.robust.data import ADULT, ROWS, from_folder, invented
from discreet.studies.robust.example import worked_example
from discreet.studies.robust.paper_claims import Measure, claims_of, deviation, error, problematic, seconds
from discreet.studies.robust.runs import ART, METHODS, Design, Outcomes, outcomes

PAPER = "Wong, Fu, Wang, Xu, Pei & Yu: Anonymization with Worst-Case Distribution-Based Background Knowledge"
NOTES = (
    "ART may suppress up to a tenth of the rows, the others nothing (Injector leaves out who fits no group). Whom ART "
    "finds no group for are people with a protected value, mostly of a kind of whom more than 1/r have one; that no "
    "other grouping could hide them is not shown. The paper speaks of no suppression. Problematic people are counted "
    "among those who are published.",
    "All methods are judged by exact posteriors, in the view of all values and in that of protected or not: somebody "
    "is problematic in the worse of the two. Where groups are too large for that (t-closeness), only who is proven to "
    "be above 1/r counts.",
    "The adversary knows the distribution for every attribute set of up to 5 quasi-identifiers; of more, for those of "
    "at most 3 of them and the whole set; and for combinations that at least 30 rows have.",
    "Each release is made once, not 100 times. Times are of the search, on whatever machine this ran: verdicts on them "
    "that rest on small differences may turn out otherwise the next time.",
    "Of t-closeness, the adversary is taken to know who stands in which group, as of the others.",
)
WORDS = (
    ("group", "people whose sensitive values are published together"),
    ("problematic", "who has a protected value and is linked to one with more than 1/r"),
    ("Δ", "how far apart the chances of a protected value are in a group, by what is known beforehand"),
    ("relative error", "the difference of estimated and true count, in units of the true one"),
)


def has_data(folder: Path) -> bool:
    """Does the folder have what the study needs?"""
    return (folder / ADULT).is_file()


def reproduce(
    folder: Path | None = None,
    rows: int | None = None,
    progress: Progress = silent,
    design: Design = Design(),  # noqa: B008, it can't be changed
) -> Reproduction:
    """Run it again, on Adult in the data folder (or `rows` of it) or, without one, on invented people."""
    start = perf_counter()
    progress("read", 0, 0, "")
    study = from_folder(folder, rows) if folder is not None else invented(rows or ROWS)
    found = outcomes(study, design, progress)
    claims = (*worked_example(), *claims_of(found))
    taken = round(perf_counter() - start, 3)
    figures = (*figures_of(found, design.high, "Figure 1"), *figures_of(found, design.low, "As figure 1"))
    return Reproduction(PAPER, study.data, study.from_folder, claims, taken, figures, NOTES, WORDS)


def figures_of(found: Outcomes, r: int, called: str) -> tuple[Figure, ...]:
    """Figure 1 at one r, and how much each method suppresses."""
    places = tuple(map(str, found.design.sizes))

    def series(of: Measure) -> tuple[Series, ...]:
        return tuple(Series(method, tuple(found.values(method, of, r))) for method in METHODS)

    def figure(title: str, up: str, of: tuple[Series, ...], caption: str, unit: Unit) -> Figure:
        return Figure(f"{title}, r = {r}", "quasi-identifiers", places, up, of, caption, unit)

    bound = tuple(found.values(ART, lambda o: o.bound, r))
    return (
        figure(f"{called}(a): time", "seconds", series(seconds), "How long each search took.", "seconds"),
        figure(
            f"{called}(b): error of queries",
            "mean relative error",
            series(error),
            "COUNT queries on all quasi-identifiers and the sensitive attribute, with an expected selectivity of 5%.",
            "share",
        ),
        figure(
            f"{called}(c): problematic people",
            "share of people with a protected value",
            series(problematic),
            f"People with a protected value who are linked to one with more than 1/{r}.",
            "share",
        ),
        figure(
            f"{called}(d): mean Δ",
            "mean Δ",
            (*series(deviation), Series("Δmax of ART's groups", bound)),
            "The mean over groups and attribute sets of how far apart the chances of a protected value are, and the "
            "bound of theorem 1: the mean over those of ART's groups that have such a value.",
            "number",
        ),
        figure(
            "Suppressed rows (not in the paper)",
            "share of rows",
            series(lambda o: o.suppressed),
            "Rows for which there is no group.",
            "share",
        ),
        figure(
            "Suppressed people with a protected value (not in the paper)",
            "share of people with a protected value",
            series(lambda o: o.lost),
            "Whom a method does not publish can't be problematic in its release.",
            "share",
        ),
    )
