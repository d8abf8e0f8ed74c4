"""Who is in the table? What somebody learns from a release who holds a list of the people that may be in it.

The ambiguity paper promises that nobody's presence can be told with more than probability α, to an adversary who knows
exact values but not who else there is. This audit is about one who does.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.audit.kinds.registry import BUCKETIZED, KINDS
from discreet.audit.lines import ROUNDED, at_limits
from discreet.audit.promises.limits import all_limits
from discreet.audit.reading.exact_tables import Population, combination_codes, read_population
from discreet.audit.reading.manifest import read_manifest
from discreet.audit.reading.release import read
from discreet.audit.reading.view import ReleaseView
from discreet.errors import DataError, DiscreetError, Mistake, PolicyError

# Where the chances of people are told apart: up to each of these, and certainty.
STEPS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Belief:
    """The chances that an adversary gives the people on the list.

    `above` of them have a chance above α (None if no α is known). `histogram` counts people without a chance, with one
    up to each of `STEPS`, with one below 1, and with 1.
    """

    worst: float
    above: int | None
    histogram: tuple[int, ...]


@dataclass(frozen=True)
class PresenceAudit:
    """What an adversary with a list of the population learns about who is in a release.

    She knows the list: everybody who may be in the table, once, with their exact quasi-identifiers. She wants to know
    who is in the table. She has won where she is certain, or surer than α.

    `without_list` is what the paper promises: |G| / Π mᵢ, whoever else there is. `by_counting` strikes out the
    combinations that nobody on the list has: |G| / (people whom the group covers). `with_list` also heeds that every
    published value is somebody's, and finds those who are `certain` to be in. Each takes for a person the group that
    tells most; `over_all_groups` adds the groups up, since nobody is in two. `absent` people are known not to be
    published: no group covers them, or none has room for them.

    `exact_groups` were decided by counting all possible worlds; `by_table` ones by what one table at a time tells;
    `contradicted` ones can't be filled from the list, which is not everybody then.
    """

    publish: str
    people: int
    absent: int
    published: int
    groups: int
    alpha: float | None
    without_list: Belief
    by_counting: Belief
    with_list: Belief
    over_all_groups: Belief
    certain: int
    exact_groups: int
    by_table: int
    contradicted: int

    @property
    def average(self) -> float:
        """The mean chance of those not known to be absent: whatever she assumes, so many are in. At most 1."""
        return min(self.published / max(self.people - self.absent, 1), 1.0)

    @property
    def whole(self) -> bool:
        """May the list be everybody?"""
        return not self.contradicted and self.published <= self.people - self.absent


def audit_presence(folder: Path | str, population: Any, *, alpha: float | None = None) -> PresenceAudit:
    """Hold a list of people (a path or a frame) against a release of exact values, from its files alone.

    `alpha` is the chance that nobody's should be above; by default what the release promises.

    >>> import discreet
    >>> people = {"age": [20, 30, 40, 50], "disease": ["flu", "cold"] * 2}
    >>> attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    >>> release = discreet.anonymize(people, attributes=attributes, publish="bucketization",
    ...                              require=[{"l_diversity": {"l": 2, "kind": "frequency"}}])
    >>> discreet.audit_presence(release.folder, {"age": [20, 30, 40, 50, 60]}).certain
    4
    """
    if alpha is not None and not 0 <= alpha <= 1:
        raise PolicyError(Mistake("alpha", f"must be between 0 and 1, got {alpha}", "it is a probability"))
    word = read_manifest(Path(folder)).get("publish", BUCKETIZED)
    if word not in KINDS or KINDS[word].labelled:
        rule = f"was published by {word}, which has no tables of exact values to strike combinations out of"
        raise DiscreetError(Mistake(str(folder), rule, "presence is audited for bucketization and ambiguity"))
    release = read(Path(folder))
    listed = read_population(population, release.quasi_identifiers)
    check_same_words(release, listed)
    limit = promised_alpha(release) if alpha is None else Fraction(str(alpha))
    audited = _bucketized if release.kind.rows_are_people else _ambiguous
    return audited(release, listed, limit)


def promised_alpha(release: ReleaseView) -> Fraction | None:
    """The smallest α that is promised."""
    within = [limits.presence for limits in all_limits(release.promises)]
    return min((most for _, most in filter(None, within)), default=None)


def _ambiguous(release: ReleaseView, listed: Population, alpha: Fraction | None) -> PresenceAudit:
    from discreet.audit.worlds.all_worlds import BY_TABLE, CONTRADICTED, EXACT  # late: loads numba
    from discreet.audit.worlds.table_join import beliefs

    posterior = beliefs(release, listed)
    chance, together, certain = posterior.chance, posterior.together, posterior.certain
    published = int(release.sizes.sum())
    contradicted = int((posterior.decided == CONTRADICTED).sum())
    possible = posterior.people[chance > 0].sum()
    if published == possible and not contradicted:  # no more people are left than are published
        certain = chance > 0
        chance = together = certain.astype(np.float64)
    return PresenceAudit(
        release.publish,
        people=listed.people,
        absent=int(listed.people - possible),
        published=published,
        groups=len(release.sizes),
        alpha=None if alpha is None else float(alpha),
        without_list=_belief(posterior.unlisted, posterior.people, alpha),
        by_counting=_belief(posterior.counted, posterior.people, alpha),
        with_list=_belief(chance, posterior.people, alpha),
        over_all_groups=_belief(together, posterior.people, alpha),
        certain=int(posterior.people[certain].sum()),
        exact_groups=int((posterior.decided == EXACT).sum()),
        by_table=int((posterior.decided == BY_TABLE).sum()),
        contradicted=contradicted,
    )


@dataclass(frozen=True, eq=False)
class SameValues:
    """People on a list against published rows of exact values: how many of either have the same.

    `rows` have the values of each entry of the list, and `having` of the people on it do. `told_by` is one of their
    groups (−1: nobody published has them). `of_row` people of the list have the values of each published entry.
    """

    rows: IntArray
    having: IntArray
    told_by: IntArray
    of_row: IntArray
    published: IntArray


def same_values(release: ReleaseView, listed: Population) -> SameValues:
    """Hold a list against a bucketized release, which publishes everybody's exact values."""
    [table] = release.tables
    own, theirs = combination_codes(table, listed)
    people, known = listed.frequencies.counts, theirs >= 0
    width = int(max(own.max(initial=0), theirs.max(initial=0))) + 1
    rows = np.bincount(own, weights=table.frequencies.counts, minlength=width).astype(np.int64)
    having = np.bincount(theirs[known], weights=people[known], minlength=width).astype(np.int64)
    group = np.full(width, -1, dtype=np.int64)
    group[own] = table.group
    return SameValues(
        np.where(known, rows[theirs], 0), np.where(known, having[theirs], people), np.where(known, group[theirs], -1),
        having[own], rows[own],
    )  # fmt: skip


def _bucketized(release: ReleaseView, listed: Population, alpha: Fraction | None) -> PresenceAudit:
    """Everybody's exact values are published: of the people on the list who have them, as many are in as rows do."""
    [table] = release.tables
    same, people = same_values(release, listed), listed.frequencies.counts
    chance = np.minimum(same.rows / same.having, 1.0)
    contradicted = len(np.unique(table.group[same.published > same.of_row]))
    some = (chance > 0).astype(np.float64)
    belief = _belief(chance, people, alpha)
    return PresenceAudit(
        release.publish,
        people=listed.people,
        absent=int(people[chance == 0].sum()),
        published=int(release.sizes.sum()),
        groups=len(release.sizes),
        alpha=None if alpha is None else float(alpha),
        without_list=_belief(some, people, alpha),
        by_counting=belief,
        with_list=belief,
        over_all_groups=belief,
        certain=int(people[same.rows == same.having].sum()),
        exact_groups=len(release.sizes) - contradicted,
        by_table=0,
        contradicted=contradicted,
    )


def _belief(chance: FloatArray, people: IntArray, alpha: Fraction | None) -> Belief:
    chance = at_limits(chance, STEPS if alpha is None else (*STEPS, float(alpha)), ROUNDED)
    above = None if alpha is None else int(people[chance > float(alpha)].sum())
    step = np.searchsorted([0.0, *STEPS, np.nextafter(1.0, 0.0)], chance, side="left")
    histogram = np.bincount(step, weights=people, minlength=len(STEPS) + 3)
    return Belief(float(chance.max(initial=0.0)), above, tuple(int(n) for n in histogram))


def check_same_words(release: ReleaseView, listed: Population) -> None:
    """A column of which no value is published is most likely written in another way, and would cover nobody."""
    mistakes = []
    for table in release.tables:
        for column, values in zip(table.columns, table.frequencies.values, strict=True):
            if values and not {*values} & {*listed.frequencies.values[listed.columns.index(column)]}:
                rule = f"no value of {column!r} is one that the release has"
                mistakes.append(Mistake("population", rule, "write values as the release does: 45 is not 45.0"))
    if mistakes:
        raise DataError(*mistakes)


def to_json(audit: PresenceAudit) -> dict[str, Any]:
    """The audit as plain dicts, lists, numbers and words."""
    return asdict(audit) | {"average": audit.average, "list_may_be_whole": audit.whole, "steps": list(STEPS)}


def to_text(audit: PresenceAudit) -> str:
    """The audit in a few lines for people who decide, each with what it assumes."""
    lines = [
        f"Who is in the release, for somebody who holds a list of {audit.people:,} people",
        "  The list is taken to have everybody who may be in the table, once, with exact values.",
    ]
    if audit.contradicted:
        lines.append(
            f"  It is not everybody: {audit.contradicted:,} of {_many(audit.groups, 'group')} can't be filled from it. "
            "Their chances are shares of the people on the list."
        )
    elif not audit.whole:
        lines.append(f"  It is not everybody: {audit.published:,} people are published, more than it leaves possible.")
    if KINDS[audit.publish].rows_are_people:
        lines += [
            "  A bucketized release publishes everybody's exact values: presence is not hidden, whoever is asked for.",
            f"  {_worst(audit, audit.with_list)}. People on the list with the same values are equally likely.",
        ]
    else:
        lines += [
            f"  Without the list: {_worst(audit, audit.without_list)}.",
            "    As promised in the release. Assumes that every combination of a group's values is a person.",
            f"  With the list, by counting: {_worst(audit, audit.by_counting)}.",
            "    Combinations that nobody has are struck out. Assumes that all whom a group covers are equally likely.",
            f"  With the list, and every published value being somebody's: {_worst(audit, audit.with_list)}.",
            "    Assumes that all ways to fill a group from the list are equally likely. "
            f"{_many(audit.exact_groups, 'group')} decided exactly, "
            f"{audit.by_table:,} by what one table at a time tells (an estimate).",
            f"  The same over all groups: {_worst(audit, audit.over_all_groups)}.",
            "    The chances of somebody whom several groups cover add up. Assumes that nobody is in two groups; "
            "an estimate, since each group is weighed by itself.",
        ]
    absent = audit.absent / max(audit.people, 1)
    lines += [
        f"  Certain to be in: {_many(audit.certain, 'person')} ({_percent(audit.certain / max(audit.people, 1))}).",
        f"  Known not to be in: {_many(audit.absent, 'person')} ({_percent(absent)}), whose values fit nowhere.",
        f"  On average: {_percent(audit.average)} for everybody else, since {audit.published:,} of them are published.",
    ]
    return "\n".join(lines)


def _worst(audit: PresenceAudit, belief: Belief) -> str:
    worst = f"at most {_percent(belief.worst)} for anybody"
    if belief.above is None or audit.alpha is None:
        return worst
    share = _percent(belief.above / max(audit.people, 1))
    return f"{worst}; {_many(belief.above, 'person')} ({share}) above {_percent(audit.alpha)}"


def _many(n: int, noun: str) -> str:
    plural = {"person": "people", "group": "groups"}[noun]
    return f"{n:,} {noun if n == 1 else plural}"


def _percent(share: float) -> str:
    """A share that is never told as certain or impossible unless it is.

    >>> _percent(1.0), _percent(0.99999), _percent(0.1), _percent(1e-6), _percent(0)
    ('100%', 'above 99.9%', '10%', 'below 0.01%', '0%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if share < 1e-4:
        return "below 0.01%"
    if share > 0.999:
        return "above 99.9%"
    return f"{100 * share:.3g}%"
