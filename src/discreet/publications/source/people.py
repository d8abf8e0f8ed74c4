"""Whose rows stand in the groups of a release: what its files can't tell, and the table that it was made from can.

Rows are published unlinked. Where the labels of groups don't overlap, every row of the source has one group that it can
stand in; where as many stand there as are published, it is known whose they are. Elsewhere a bound is left: a group of
n rows has n / m people at least, if nobody has more than m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.counts.frequency import FrequencySet, owned_groups
from discreet.counts.groups import Groups, tally
from discreet.counts.wishes import wishes_in_groups
from discreet.errors import Mistake
from discreet.labels.whose import Whose, whose_of
from discreet.models.base import AboutPopulation, PrivacyModel, size_alone
from discreet.models.by_people import rows_decide
from discreet.models.verdicts import Verdict, verdict
from discreet.publications.published import AGAIN, Manifest
from discreet.publications.recoded_tables import Recoded
from discreet.publications.regions import SEVERAL, groups_of_rows


@dataclass(frozen=True, eq=False)
class Standing:
    """The published groups by the rows of the source that stand in them, as far as it is `certain` which they are.

    `least` is how many people each group has at least.
    """

    groups: Groups
    certain: BoolArray
    least: IntArray


def standing_in(
    published: Recoded, table: FrequencySet, mapping: Mapping[str, Any], suppressed: int
) -> Standing | None:
    """Whose rows stand in the groups of a recoded table; None where a row is a person."""
    if table.owners is None:
        return None
    group = groups_of_rows(table, mapping, published.texts())
    here, many = np.flatnonzero(group >= 0), published.groups
    row, count, of = here, table.counts[here], group[here]
    rows = np.bincount(of, weights=count, minlength=many).astype(np.int64)
    certain = rows == published.sizes
    if suppressed and (group == SEVERAL).any():  # one who falls in several may stand for one who was left out
        certain[:] = False
    tallies = {
        name: tally(of, codes[row], count, many, table.totals[name], table.sensitive_hierarchies[name])
        for name, codes in table.sensitive.items()
    }
    owners = owned_groups(table, row, count, of, many)
    assert owners is not None
    most = int(table.owners.rows.max(initial=1))
    least = np.where(certain, owners.people, -(-published.sizes // most))
    wishes = wishes_in_groups(table.wishes, row, of, many)
    return Standing(Groups(rows, tallies, owners=owners, wishes=wishes), certain, least)


def people_inside(
    published: Recoded, table: FrequencySet | None, mapping: Mapping[str, Any], manifest: Manifest
) -> Groups | None:
    """The published groups with the people of the table who are in them, for promises about who is.

    Where rows are named, the source tells it, if anything does: not where somebody could stand in several groups.
    """
    groups = Groups(published.sizes, left_out=int(manifest["rows"]["suppressed"]))
    if whose_of(manifest) is not Whose.NAMED:
        return groups
    if table is None:
        return None
    standing = standing_in(published, table, mapping, groups.left_out)
    if standing is None:
        return groups
    owners = standing.groups.owners
    assert owners is not None
    return replace(groups, owners=owners) if standing.certain.all() and owners.constant else None


@dataclass(frozen=True)
class OfPeople:
    """What the source tells of promises to people: verdicts where it tells all, and promises that stay open."""

    verdicts: tuple[Verdict, ...]
    undecided: tuple[PrivacyModel, ...]
    mistakes: tuple[Mistake, ...]


def judged_by_people(models: Sequence[PrivacyModel], standing: Standing) -> OfPeople:
    """Judge promises by the people who stand in the groups.

    Groups of which it is not certain whose rows they are leave a promise open, unless their number of people decides.
    """
    owners, known = standing.groups.owners, standing.groups.where(standing.certain)
    found = owners is not None and owners.found  # nobody may have two rows of a group, whatever is promised
    verdicts, undecided, mistakes = [], [], []
    for model in models:
        if isinstance(model, AboutPopulation) or (rows_decide(model) and not found):
            continue
        of_known = verdict(model, known)
        if not of_known.holds:
            rule = f"breaks a promise to people, whose rows the source tells: {of_known.witness()}"
            mistakes.append(Mistake("release", rule, AGAIN))
        elif standing.certain.all():
            verdicts.append(of_known)
        elif size_alone(model) and model.holds(Groups(standing.least)).all():
            verdicts.append(verdict(model, Groups(standing.least)))
        else:
            undecided.append(model)
    return OfPeople(tuple(verdicts), tuple(undecided), tuple(mistakes))
