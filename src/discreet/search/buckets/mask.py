"""MASK: k-anonymous groups, of which those that tell too much are given other sensitive values.

Wong, Fu, Wang & Pei 2007, m-confidentiality. An algorithm that coarsens just as far as a promise needs gives away where
it was needed. So groups are made without a look at the sensitive values; the ones that break the promise hide among
m − 1 times as many that keep it: each draws its share of protected values from theirs, and the surplus is replaced by
other values. What is published of those rows is not true; `facts` say how many they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.progress import Progress, silent
from discreet.search.buckets.bucketizing import UNPROTECTED, Demand, bucketization, check_eligible, demand, kept
from discreet.search.buckets.mask_kernels import refill
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Bucketization, Problem


def mask(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups of k rows and more with at most 1/m of each protected set, as published. Raises `Infeasible`."""
    needs = demand(problem, "mask")
    check_eligible(replace(problem, suppression_limit=0), needs, "mask")
    return kept(problem, masked(problem.frequency, needs, np.random.default_rng(problem.seed), progress), progress)


def masked(
    frequency: FrequencySet, needs: Demand, rng: np.random.Generator, progress: Progress = silent
) -> Bucketization:
    """The groups of MASK, with no other promise in mind."""
    cut = mondrian(Problem(frequency, (KAnonymity(needs.k),)), progress)
    row, group = np.repeat(cut.row, cut.count), np.repeat(cut.group, cut.count)
    sizes = np.bincount(group)
    value = frequency.sensitive[needs.attribute][row]
    surplus, facts = _surplus(group, needs.set_of[value], sizes, needs, rng)
    published = _distorted(frequency, needs, group, value, surplus, sizes, rng)
    distorted = int((published != value).sum())
    facts = {"search": "mask", "l": needs.l, "k": needs.k, "distorted": distorted, **facts}
    exchanged = {needs.attribute: published}
    return bucketization(frequency, row, np.ones_like(row), group, exchanged, facts)


def _surplus(
    group: IntArray, number: IntArray, sizes: IntArray, needs: Demand, rng: np.random.Generator
) -> tuple[BoolArray, dict[str, object]]:
    """Which rows are not to be published with their value: what violating groups have above the share they draw."""
    protected = np.flatnonzero(number != UNPROTECTED)
    pairs, of, many = np.unique(
        group[protected] * needs.sets + number[protected], return_inverse=True, return_counts=True
    )
    where, what = np.divmod(pairs, max(needs.sets, 1))
    breaks = many * needs.l > sizes[where]
    violating = np.unique(where[breaks])
    siblings = np.setdiff1d(np.arange(len(sizes)), violating)
    wanted = (needs.l - 1) * len(violating)
    there = min(wanted, len(siblings))
    facts: dict[str, object] = {"violating": len(violating), "siblings": there, "siblings_wanted": wanted}
    surplus = np.zeros(len(group), dtype=np.bool_)
    if not len(violating):
        return surplus, facts
    if not len(siblings):
        raise Infeasible(
            f"every group of {needs.k} rows and more breaks the promise of mask: there is none to learn a share from",
            repair="weaken a promise, or take another search",
        )
    siblings = rng.choice(siblings, there, replace=False)
    like = rng.choice(siblings, int(breaks.sum()))
    theirs = like * needs.sets + what[breaks]
    at = np.minimum(np.searchsorted(pairs, theirs), len(pairs) - 1)
    share = np.where(pairs[at] == theirs, many[at], 0)
    stay, rows = many.copy(), sizes[where[breaks]]
    stay[breaks] = np.minimum((2 * share * rows + sizes[like]) // (2 * sizes[like]), rows // needs.l)  # to the nearest
    # In random order, the first of each pair stay.
    order = rng.permutation(len(protected))
    order = order[np.argsort(of.reshape(-1)[order], kind="stable")]
    rank = np.arange(len(order)) - np.repeat(np.cumsum(many) - many, many)
    surplus[protected[order]] = rank >= np.repeat(stay, many)
    return surplus, facts


def _distorted(
    frequency: FrequencySet,
    needs: Demand,
    group: IntArray,
    value: Codes,
    surplus: BoolArray,
    sizes: IntArray,
    rng: np.random.Generator,
) -> Codes:
    """The published values: in place of the surplus, unprotected ones; if all are protected, what there is room for."""
    totals = frequency.totals[needs.attribute]
    published = value.copy()
    open_to = np.flatnonzero((needs.set_of == UNPROTECTED) & (totals > 0))
    if len(open_to):
        shares = totals[open_to] / totals[open_to].sum()
        published[surplus] = rng.choice(open_to, int(surplus.sum()), p=shares)
        return published
    touched = np.zeros(len(sizes), dtype=np.bool_)
    touched[group[surplus]] = True
    rows = np.flatnonzero(touched[group])
    rows = rows[np.argsort(group[rows], kind="stable")]
    drawn = rng.random(len(rows))
    published[rows] = refill(group[rows], value[rows], surplus[rows], drawn, needs.set_of, totals, needs.l)
    return published
