"""The figures of the robustness study: figure 1 at one r, and what each method suppresses."""

from __future__ import annotations

from discreet.studies.figures import Figure, Series, Unit
from discreet.studies.robust.paper_claims import Measure, deviation, error, problematic, seconds
from discreet.studies.robust.runs import ART, METHODS, Outcomes


def figures_of(outcomes: Outcomes, r: int, called: str) -> tuple[Figure, ...]:
    """Figure 1 at one r, and how much each method suppresses."""
    places = tuple(map(str, outcomes.design.sizes))

    def series(of: Measure) -> tuple[Series, ...]:
        return tuple(Series(method, tuple(outcomes.values(method, of, r))) for method in METHODS)

    def figure(title: str, up: str, of: tuple[Series, ...], caption: str, unit: Unit) -> Figure:
        return Figure(f"{title}, r = {r}", "quasi-identifiers", places, up, of, caption, unit)

    bound = tuple(outcomes.values(ART, lambda o: o.bound, r))
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
