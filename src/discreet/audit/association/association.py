"""Who has what? What somebody believes of people whose group she knows, from the published counts alone.

She knows that a person is in the release and finds the group: by exact quasi-identifiers that the group's labels or
tables cover. What is left open is which of the group's sensitive values is whose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.lines import ASSOCIATION, EXACT, Line, line
from discreet.audit.promises.distances import equal_distances
from discreet.audit.promises.limits import all_limits, most_share
from discreet.audit.reading.tallies import Summed, protected, summed_up, whole_table
from discreet.audit.reading.view import ReleaseView, Tally

THRESHOLD = 0.5
_DIGITS = 12  # to which shares have to differ, not to be level
NEARLY = 0.9  # a group is nearly of one value where this share of it has it


def uniform_worlds(view: ReleaseView, tally: Tally, threshold: float | None = None) -> Line:
    """She takes every way to deal a group's values out to its people for equally likely.

    She wants to know somebody's value, and has won where she is surer of one than the threshold. Her belief is the
    value's share of the group, n(g, v) / n(g): in as many of all possible worlds does a given person have it. For an
    ambiguous release that is β, P((t, s) ∈ T given t ∈ T) = c / |G|.
    """
    summed = summed_up(tally, len(view.sizes))
    promised = most_share(view.promises, tally.attribute)
    return line_about(
        view,
        tally,
        adversary="uniform_worlds",
        title="knows only the release",
        knows=f"{finds(view)} Nothing else.",
        assumes="Whoever knows more about people, or about how the groups were made, can believe more.",
        chance=summed.largest / np.maximum(summed.total, 1),
        people=view.sizes,
        group=np.arange(len(view.sizes)),
        threshold=threshold,
        promised=None if promised is None else float(promised),
        details={"mean": _mean_belief(summed)},
    )


def protected_values(view: ReleaseView, tally: Tally, threshold: float | None = None) -> list[Line]:
    """The same about the values alone that the release names as those it protects, where it names some.

    Of the others it promises nothing, and may well tell.
    """
    named = protected(view, tally)
    if named.all() or not named.any():
        return []
    total = summed_up(tally, len(view.sizes)).total
    chance = np.zeros(len(view.sizes))
    of = named[tally.value]
    np.maximum.at(chance, tally.group[of], tally.count[of] / total[tally.group[of]])
    return [
        line_about(
            view,
            tally,
            adversary="protected_values",
            title="knows only the release, and asks for protected values",
            knows=f"{finds(view)} She wants to know about the values that the release says it protects.",
            assumes="The other values are nobody's secret.",
            chance=chance,
            people=view.sizes,
            group=np.arange(len(view.sizes)),
            threshold=threshold,
            details={"protected_values": int(named.sum())},
        )
    ]


def _mean_belief(summed: Summed) -> float:
    """How often she is right who always says the most frequent value."""
    return float(summed.largest.sum() / max(int(summed.total.sum()), 1))


def homogeneity(view: ReleaseView, tally: Tally, threshold: float | None = None) -> Line:
    """She looks for groups in which everybody has the same value: of their people she is certain.

    Chances are 1 for them and 0 for everybody else, whom this attack tells her nothing of. A release that promises
    ℓ-diversity, or a largest share, promises that there is nobody.
    """
    summed = summed_up(tally, len(view.sizes))
    alone = summed.distinct == 1
    share = summed.largest / np.maximum(summed.total, 1)
    excluded = any(limits.several_values for limits in all_limits(view.promises, tally.attribute))
    details = {
        "groups": int(alone.sum()),
        "people_nearly_certain": int(view.sizes[share >= NEARLY].sum()),
        "nearly": NEARLY,
        "fewest_values_in_a_group": int(summed.distinct.min(initial=len(tally.values))),
    }
    return line_about(
        view,
        tally,
        adversary="homogeneity",
        title="finds groups with a single value",
        knows=f"{finds(view)} In some groups {view.whose.told('everybody has', 'all rows have')} the same value.",
        assumes="The published values are the true ones.",
        chance=alone.astype(np.float64),
        people=view.sizes,
        group=np.arange(len(view.sizes)),
        threshold=threshold,
        promised=0.0 if excluded else None,
        details=details,
    )


def skew(view: ReleaseView, tally: Tally, threshold: float | None = None) -> Line:
    """She knew how frequent each value is in the table, and learns how much more frequent it is in somebody's group.

    Her chance is what she now believes of the value that she learnt most about: the one whose share rose most, the
    most frequent of several that are level. By how much, as a difference and as a ratio, is in the details, with the
    levels of t-closeness (equal distance), β-likeness (how much larger at most, less 1) and δ-disclosure (the largest
    logarithm of a ratio; None where a value of the table is missing in some group, so that its people are known not to
    have it).
    """
    summed, whole = summed_up(tally, len(view.sizes)), whole_table(tally)
    q = tally.count / summed.total[tally.group]
    p = whole.weight[tally.value] / max(whole.total, 1)
    gain = q - p
    order = np.lexsort((-q, -np.round(gain, _DIGITS), tally.group))
    first = order[np.diff(tally.group[order], prepend=-1) > 0]
    ratio = np.divide(q, p, out=np.full(len(q), np.inf), where=p > 0)
    work, steps = equal_distances(summed, whole)
    ruled_out = summed.distinct < np.count_nonzero(whole.weight)
    disclosed = float(np.abs(np.log(ratio)).max(initial=0.0))
    details = {
        "gain": float(gain.max(initial=0.0)),
        "ratio": finite(float(ratio.max(initial=1.0))),
        "distance": float((work / (steps * np.maximum(summed.total, 1) * max(whole.total, 1))).max(initial=0.0)),
        "beta": finite(float(ratio.max(initial=1.0)) - 1),
        "delta": None if ruled_out.any() else finite(disclosed),
        "people_with_a_value_ruled_out": int(view.sizes[ruled_out].sum()),
    }
    return line_about(
        view,
        tally,
        adversary="skew",
        title="knows how frequent each value is",
        knows=f"{finds(view)} She also knows how frequent each value is in the whole table.",
        assumes="The published shares are those of the whole table. The chance is of the value she learnt most about.",
        chance=q[first],
        people=view.sizes[tally.group[first]],
        group=tally.group[first],
        threshold=threshold,
        details=details,
    )


def known_rows(view: ReleaseView, tally: Tally, known: int = 1, threshold: float | None = None) -> Line:
    """She knows the values of `known` other people of the group, those that help her most.

    Best for her are people who do not have the value she suspects: of a value that c of n people have she then
    believes c / (n − b), or is certain, once only such people are left. Of somebody who has another value she can't
    become certain: at least that person is left. `rows_until_certain` is the smallest b that makes her certain of
    somebody.
    """
    summed = summed_up(tally, len(view.sizes))
    total = summed.total[tally.group]
    own = _with_known(tally.count, total, total - tally.count, known)
    # The most frequent value that the person does not have; she herself is one who does not have it.
    alone_first = tally.count == summed.largest[tally.group]
    other = np.where(alone_first, summed.second[tally.group], summed.largest[tally.group])
    strange = _with_known(other, total, total - other - 1, known)
    details = {"known": known, "rows_until_certain": int((summed.total - summed.largest).min(initial=view.people))}
    several = view.whose.told("one other person", "one other row")
    if known != 1:
        several = f"{known} other {view.whose.unit}"
    return line_about(
        view,
        tally,
        adversary=f"known_rows_{known}",
        title=f"knows the values of {several}",
        knows=f"{finds(view)} She also knows the values of {several} of the group, those that tell her most.",
        assumes="Nothing else is known of the others in the group.",
        chance=np.maximum(own, strange),
        people=tally.count,
        group=tally.group,
        threshold=threshold,
        details=details,
    )


def _with_known(count: IntArray, total: IntArray, useful: IntArray, known: int) -> FloatArray:
    """The belief in a value that `count` of `total` have, when as many as possible who lack it are known."""
    chance: FloatArray = count / (total - np.minimum(known, np.maximum(useful, 0)))
    return chance


def finds(view: ReleaseView) -> str:
    """How she finds somebody's group, in a sentence."""
    return view.kind.finds


def line_about(
    view: ReleaseView,
    tally: Tally,
    *,
    adversary: str,
    title: str,
    knows: str,
    assumes: str,
    chance: FloatArray,
    people: IntArray,
    group: IntArray,
    threshold: float | None,
    promised: float | None = None,
    precision: str = EXACT,
    details: Mapping[str, Any] | None = None,
    rounded: float = 0.0,
) -> Line:
    """A line about one sensitive attribute. The threshold is as given, else what is promised, else one half."""
    return line(
        adversary=adversary,
        threat=ASSOCIATION,
        title=title,
        knows=knows,
        assumes=assumes,
        chance=chance,
        people=people,
        group=group,
        sizes=view.sizes,
        threshold=line_threshold(threshold, promised),
        first_line=view.first_line,
        file=view.file,
        precision=precision,
        attribute=tally.attribute,
        promised=promised,
        details=details,
        rounded=rounded,
        whose=view.whose,
    )


def line_threshold(threshold: float | None, promised: float | None) -> float:
    """As given, else what is promised, else one half. 0 is no threshold: it promises that there is nobody."""
    return threshold if threshold is not None else promised or THRESHOLD


def finite(number: float) -> float | None:
    """None for what has no end."""
    return number if number < np.inf else None
