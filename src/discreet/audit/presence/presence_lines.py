"""Who is in the table? The lines about presence that a release allows for, whatever its kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from discreet.arrays import FloatArray
from discreet.audit.lines import AT_MOST, ESTIMATE, EXACT, PRESENCE, ROUNDED, Line, at_limits, line
from discreet.audit.presence.added_up import added_up
from discreet.audit.presence.listed_exact import check_same_words, promised_alpha, same_values
from discreet.audit.presence.listed_generalized import THRESHOLD
from discreet.audit.presence.marginals import Marginals
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import ReleaseView
from discreet.audit.reading.whose import AS_IF, PEOPLE

_LIST = "Everybody who may be in the table, by name, with their exact values."


def presence_lines(
    view: ReleaseView,
    population: Population | None = None,
    marginals: Marginals | None = None,
    confidence: float | None = None,
    threshold: float | None = None,
    table: Population | None = None,
) -> list[Line]:
    """What an adversary with a list of the population, or with marginals of it, learns about who is in the table.

    Of a generalized release nothing can be said without either; the marginals that its promise was made with are taken
    where no others are given. A bucketized release hides nobody from whoever knows their values. An ambiguous one has a
    figure without a list, too: |G| / Π mᵢ (Theorem 5.1). The `table` itself tells who is outside of it.
    """
    return view.kind.present(population, marginals, confidence, threshold, table)


def presence_of_rows(view: ReleaseView, population: Population | None, threshold: float | None) -> Line:
    """Where everybody's exact values are published."""
    return _exact_values(view, threshold) if population is None else _listed(view, population, threshold)


def presence_of_entries(view: ReleaseView, population: Population | None, threshold: float | None) -> list[Line]:
    """Where it is hidden which values belong together."""
    without = [_unlisted(view, threshold)]
    return without if population is None else without + _ambiguous(view, population, threshold)


def _exact_values(view: ReleaseView, threshold: float | None) -> Line:
    return _line(
        view,
        threshold,
        adversary="presence_without_list",
        title="Is somebody in the table? Knowing their exact values",
        knows="The exact values of the people she asks for.",
        assumes="That nobody else in the population has the same values. A release of exact values does not hide who "
        "is in it.",
        chance=np.ones(len(view.sizes)),
        people=view.sizes,
        group=np.arange(len(view.sizes), dtype=np.int64),
        of=view.whose.unit,
    )


def _listed(view: ReleaseView, population: Population, threshold: float | None) -> Line:
    check_same_words(view, population)
    same, people = same_values(view, population), population.frequencies.counts
    missing = int(np.unique(view.tables[0].group[same.published > same.of_row]).size)
    several = bool(view.whose.person) and not view.whose.one_each
    return _line(
        view,
        threshold,
        adversary="presence_with_list",
        title="Is somebody in the table? With a list of everybody",
        knows=_LIST,
        assumes=view.whose.told("", AS_IF)
        + "That the list has everybody, once. Of the people on it with the same values, any are equally likely."
        + (
            f" It is not everybody: {missing:,} of {len(view.sizes):,} groups can't be filled from it."
            if missing
            else ""
        ),
        chance=np.minimum(same.rows / same.having, 1.0),
        precision=AT_MOST if several else EXACT,  # rows of some may be fewer people's
        people=people,
        group=same.told_by,
        details={
            "on_the_list": population.people,
            **({} if several else {"certain": int(people[same.rows >= same.having].sum())}),
            "surely_absent": int(people[same.rows == 0].sum()),
            "groups_the_list_can_not_fill": missing,
        },
    )


def _unlisted(view: ReleaseView, threshold: float | None) -> Line:
    """The paper's own figure: every combination of a group's values is as likely to be a person of the group."""
    groups = len(view.sizes)
    covered = np.ones(groups)
    for table in view.tables:
        covered *= np.bincount(table.group, minlength=groups)
    alpha = promised_alpha(view)
    total = added_up(view, Fraction(1) if alpha is None else alpha)
    at_most = "" if total.least == total.most else "at most "
    return _line(
        view,
        threshold,
        adversary="presence_without_list",
        title="Is somebody in the table? Without a list",
        knows="The exact values of the people she asks for, but not who else there is.",
        assumes="That every combination of a group's values is a person, each as likely to be in the group. Each group "
        f"by itself: over all groups that cover a combination, chances add up to {at_most}{total.most:.3g}.",
        details={"over_all_groups": total.most, "over_all_groups_at_least": total.least},
        chance=np.minimum(view.sizes / np.maximum(covered, 1.0), 1.0),
        people=view.sizes,
        group=np.arange(groups, dtype=np.int64),
        promised=None if alpha is None else float(alpha),
        of=view.whose.unit,
        rounded=ROUNDED,  # a product of counts may be too large to be exact
    )


def _ambiguous(view: ReleaseView, population: Population, threshold: float | None) -> list[Line]:
    """With a list, combinations that nobody has are struck out, and every published value is somebody's."""
    from discreet.audit.worlds.all_worlds import BY_TABLE, CONTRADICTED  # late: loads numba
    from discreet.audit.worlds.table_join import beliefs

    check_same_words(view, population)
    posterior = beliefs(view, population)
    chance, together, certain = posterior.chance, posterior.together, posterior.certain
    contradicted = int((posterior.decided == CONTRADICTED).sum())
    possible = int(posterior.people[chance > 0].sum())
    if view.people == possible and not contradicted:  # no more people are left than are published
        certain = chance > 0
        chance = together = certain.astype(np.float64)
    alpha = promised_alpha(view)
    details = {
        "on_the_list": population.people,
        "certain": int(posterior.people[certain].sum()),
        "surely_absent": int(posterior.people[chance == 0.0].sum()),
        "groups_not_counted_out": int((posterior.decided == BY_TABLE).sum()),
        "groups_the_list_can_not_fill": contradicted,
        "worst_over_all_groups": float(together.max(initial=0.0)),
        "worst_by_counting": float(posterior.counted.max(initial=0.0)),
        "worst_added_up_without_list": float(posterior.added_up.max(initial=0.0)),
    }
    if alpha is not None:
        details["above_alpha"] = int(
            posterior.people[at_limits(together, [float(alpha)], ROUNDED) > float(alpha)].sum()
        )
    beside = " It is not everybody: some groups can't be filled from it." if contradicted else ""
    lone = bool((posterior.decided != BY_TABLE).all()) and _apart(posterior.chance, together)
    return [
        _line(
            view,
            threshold,
            adversary="presence_with_list",
            title="Is somebody in the table? With a list of everybody",
            knows=_LIST,
            assumes=view.whose.told("", AS_IF)
            + "That the list has everybody, once; that every published value is somebody's, and all ways to fill "
            "a group from the list are equally likely. What α promises is about somebody without a list." + beside,
            chance=together,
            people=posterior.people,
            group=posterior.told_by,
            precision=EXACT if lone else ESTIMATE,
            details=details,
            rounded=ROUNDED,
        )
    ]


def _apart(single: FloatArray, together: FloatArray) -> bool:
    """Does nobody fit several groups, so that weighing each by itself is right?"""
    return bool(np.allclose(single, together, rtol=1e-12, atol=0))


def _line(
    view: ReleaseView, threshold: float | None, *, promised: float | None = None, of: str = PEOPLE, **words: Any
) -> Line:
    """A line about people of a list, if nothing else is said."""
    limit = threshold if threshold is not None else THRESHOLD if promised is None else promised
    return line(
        threat=PRESENCE,
        sizes=view.sizes,
        first_line=view.first_line,
        file=view.file,
        threshold=limit,
        promised=promised,
        whose=view.whose,
        of=of,
        **words,
    )
