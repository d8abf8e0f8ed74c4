"""Anatomy: groups of ℓ rows that all have different sensitive values, taken from the most frequent ones first.

Xiao & Tao 2006. Always taking from the ℓ most frequent of the remaining values leaves fewer than ℓ rows at the end, all
of different values, and for each of them there is a group that lacks its value. Where only some values are protected,
every row of the others counts as a value of its own. Who stands with whom is left to chance: how likely people are to
have what their group has is not asked.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.progress import Progress, silent
from discreet.search.buckets.anatomy_kernels import anatomize
from discreet.search.buckets.bucketizing import (
    Demand,
    bucketization,
    check_eligible,
    demand,
    eligible,
    kept,
    set_sizes,
    shuffled_rows,
)
from discreet.search.buckets.dealing import dealt
from discreet.search.plan import SUPPRESSED, Bucketization, Problem


def anatomy(problem: Problem, progress: Progress = silent) -> Bucketization:
    """ℓ-diverse groups. Raises `Infeasible` if a value is too frequent, or a group breaks another promise."""
    problem = problem.by_person
    needs = demand(problem, "anatomy")
    check_eligible(problem, needs, "anatomy")
    progress("search", 0, 0, "")
    if problem.frequency.owners is not None:
        return dealt(problem, needs, "anatomy")
    return kept(problem, anatomized(problem.frequency, needs, np.random.default_rng(problem.seed)), progress)


def anatomized(frequency: FrequencySet, needs: Demand, rng: np.random.Generator) -> Bucketization:
    """The groups of Anatomy, with no other promise in mind; of values that are too frequent, rows are suppressed."""
    row = shuffled_rows(frequency.counts, rng)
    number = needs.set_of[frequency.sensitive[needs.attribute]][row]
    row = row[np.argsort(number, kind="stable")]  # the unprotected first, then set by set
    sizes, unprotected = set_sizes(frequency, needs)
    stay = eligible(sizes, unprotected, needs.l)
    starts = unprotected + np.cumsum(sizes) - sizes
    group: IntArray = np.full(len(row), SUPPRESSED, dtype=np.int64)
    anatomize(group, starts, stay, unprotected, needs.l, rng.random(needs.l))
    facts = {"search": "anatomy", "l": needs.l}
    return bucketization(frequency, row, np.ones_like(row), group, {}, facts)
