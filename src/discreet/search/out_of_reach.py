"""What can't be had by any grouping of a table's rows: told from its values alone, before anything is searched.

All rows in one group is the coarsest grouping, and every other one a refinement of it. So the rows that a model proves
to be lost in every refinement of that group (`least_suppressed`) are lost in every release; and a promise that survives
merging, where nothing may be suppressed, can be kept by some grouping only if that group keeps it. Of the promises
refused here it is also known what all rows together reach: that much can be had.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.counts.frequency import FrequencySet, owned_groups
from discreet.counts.groups import Groups, Tally, rows_together
from discreet.counts.wishes import wishes_in_groups
from discreet.errors import DiscreetError, Infeasible
from discreet.models.base import AboutPopulation, PrivacyModel
from discreet.models.by_people import held, reached, surely_lost, survives_merging
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.parameters import as_text

ABOUT_GROUPS = KAnonymity, DistinctDiversity, EntropyDiversity, RecursiveDiversity, FrequencyDiversity, AlphaK


@dataclass(frozen=True)
class OutOfReach:
    """Why a promise can't be had, and what helps: nothing is proposed that does not."""

    rule: str
    repair: str


def refused(models: Iterable[PrivacyModel], frequency: FrequencySet, limit: int) -> Infeasible | None:
    """The error for all promises that no grouping can keep, if there are any."""
    found = out_of_reach(models, frequency, limit)
    return None if found is None else Infeasible(found.rule, repair=found.repair)


def out_of_reach(models: Iterable[PrivacyModel], frequency: FrequencySet, limit: int) -> OutOfReach | None:
    """What no grouping with at most `limit` rows suppressed can keep, all of it at once; None if nothing is proven.

    >>> from discreet.models.examples import bucketized
    >>> table = bucketized("disease", ["zip"], [[("1", "flu"), ("2", "flu"), ("3", "gout")]]).people.table
    >>> found = out_of_reach([DistinctDiversity(3, "disease")], table, 1)
    >>> found.rule
    "distinct 3-diversity of disease can't be had: disease has 2 different values in the table, and no group has more"
    >>> found.repair
    'ask for l of at most 2'
    """
    everybody = one_group(frequency)
    found = [_unreachable(m, everybody, limit) for m in models if not isinstance(m, AboutPopulation)]
    reasons = [reason for reason in found if reason is not None]
    if not reasons:
        return None
    return OutOfReach("; and ".join(r.rule for r in reasons), "; ".join(dict.fromkeys(r.repair for r in reasons)))


def one_group(frequency: FrequencySet) -> Groups:
    """All rows of a table together."""
    if frequency.seats is not None:
        frequency = frequency.seats.apart
    tallies = {}
    for name, totals in frequency.totals.items():
        there = np.flatnonzero(totals)
        offsets = np.array([0, len(there)], dtype=np.int64)
        hierarchy = frequency.sensitive_hierarchies[name]
        tallies[name] = Tally(offsets, there.astype(np.int32), totals[there], totals, hierarchy)
    rows = np.arange(len(frequency.counts))
    first = np.zeros(len(rows), dtype=np.int64)
    together = rows_together(frequency, rows, frequency.counts, first, 1)
    owners = owned_groups(frequency, rows, frequency.counts, first, 1)
    wishes = wishes_in_groups(frequency.wishes, rows, first, 1)
    sizes = np.array([frequency.rows], dtype=np.int64)
    return Groups(sizes, tallies, together=together, owners=owners, wishes=wishes)


def _unreachable(model: PrivacyModel, everybody: Groups, limit: int) -> OutOfReach | None:
    rows = int(everybody.sizes[0])
    if not rows or limit >= rows or held(model, everybody)[0]:
        return None
    lost = int(surely_lost(model, everybody)[0])
    owners = everybody.owners
    merges = survives_merging(model, owners is not None, owners is None or owners.constant)
    if lost <= limit and not (merges and limit == 0):
        return None
    repairs = []
    nearest = _nearest(model, everybody)
    if nearest is not None:
        repairs.append(f"ask for {nearest}")
    if limit < lost < rows:
        repairs.append(f"allow at least {lost:,} of {rows:,} rows to be suppressed")
    refused = f"{model.describe()} can't be had: {_reason(model, everybody, lost, limit)}"
    return OutOfReach(refused, ", or ".join(repairs) or "no number will do: promise something else, or take more rows")


def _reason(model: PrivacyModel, everybody: Groups, lost: int, limit: int) -> str:
    rows, persons = int(everybody.sizes[0]), int(everybody.persons[0])
    if isinstance(model, KAnonymity | AlphaK) and persons < model.k:
        have = f"{rows:,} row{'s' * (rows != 1)}"
        if everybody.owners is not None:
            have += f" of {persons:,} {'person' if persons == 1 else 'people'}"
        return f"the table has {have}, and no group has more"
    if isinstance(model, DistinctDiversity):
        values = int(np.diff(everybody.tallies[model.attribute].offsets)[0])
        return (
            f"{model.attribute} has {values:,} different value{'s' * (values != 1)} in the table, and no group has more"
        )
    level = f"{reached(model, everybody)[0]:.4g}"
    if limit == 0:
        return f"all rows together reach {level}, and in every release at least one group reaches nothing better"
    return (
        f"all rows together reach {level}, and however they are grouped, at least {lost:,} of {rows:,} rows are in "
        f"groups that break it; at most {limit:,} rows may be suppressed"
    )


def _nearest(model: PrivacyModel, everybody: Groups) -> str | None:
    """The number to ask for instead, which all rows together reach; None if no number will do."""
    people, level = int(everybody.persons[0]), float(reached(model, everybody)[0])
    proposals: list[tuple[str, str, int | Fraction]] = []  # the parameter, "at most" or "at least", the number
    match model:
        case KAnonymity():
            proposals = [("k", "most", people)]
        case AlphaK() if people < model.k:
            proposals = [("k", "most", people)]
        case AlphaK():
            proposals = [("alpha", "least", Fraction(math.ceil(level * 10**p), 10**p)) for p in (2, 3, 4, 6)]
        case DistinctDiversity():
            proposals = [("l", "most", int(level))]
        case EntropyDiversity() | FrequencyDiversity():
            proposals = [("l", "most", Fraction(math.floor(level * 10**p), 10**p)) for p in (1, 2, 3, 4, 6)]
        case RecursiveDiversity() if math.isfinite(level):
            proposals = [("c", "least", Fraction(math.floor(level * 10**p) + 1, 10**p)) for p in (1, 2, 3)]
    for parameter, side, number in proposals:
        try:
            weaker = replace(model, **{parameter: number})  # type: ignore[type-var]
        except DiscreetError:  # a number that promises nothing
            continue
        if held(weaker, everybody)[0]:
            return f"{parameter} of at {side} {as_text(number)}"
    return None
