"""MASK: k-anonymous groups, of which those that tell too much are given other sensitive values.

Wong, Fu, Wang & Pei 2007, m-confidentiality. An algorithm that coarsens just as far as a promise needs gives away where
it was needed. So groups are made without a look at the sensitive values; the ones that break the promise hide among
m − 1 times as many that keep it: each draws its share of protected values from theirs, and the surplus is replaced by
other values. What is published of those rows is not true; `facts` say how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.progress import Progress, silent
from discreet.search.buckets.bucketizing import (
    UNPROTECTED,
    Demand,
    bucketization,
    check_eligible,
    demand,
    kept,
    shuffled_rows,
)
from discreet.search.buckets.dealing import held, no_place, rank_among, summed
from discreet.search.buckets.mask_kernels import refill
from discreet.search.found_people import check_people, most_groups
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import SUPPRESSED, Bucketization, Problem

_FAILS = 2  # doublings of the size that don't help, until the rest is given up


def mask(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups of k rows and more with at most 1/m of each protected set, as published. Raises `Infeasible`."""
    problem = problem.by_person
    needs = demand(problem, "mask")
    check_eligible(replace(problem, suppression_limit=0), needs, "mask")
    if problem.frequency.owners is not None:
        return _by_people(problem, needs, progress)
    return kept(problem, masked(problem.frequency, needs, np.random.default_rng(problem.seed), progress), progress)


def masked(
    frequency: FrequencySet, needs: Demand, rng: np.random.Generator, progress: Progress = silent
) -> Bucketization:
    """The groups of MASK, with no other promise in mind."""
    cut = mondrian(Problem(frequency, (KAnonymity(needs.k),)), progress)
    row, group = np.repeat(cut.row, cut.count), np.repeat(cut.group, cut.count)
    return _exchanged(frequency, needs, row, group, np.full(cut.group_count, needs.l), rng)


def _by_people(problem: Problem, needs: Demand, progress: Progress) -> Bucketization:
    """The same where people have several rows: groups are made of people, and cut into parts with a row of each.

    A part may have as much of a protected set as the one in it with the most rows can have in each of his. Where groups
    break another promise, larger ones are tried.
    """
    check_people(problem, sums=False)
    f, rng, l_of_sum = problem.frequency, np.random.default_rng(problem.seed), summed(problem, needs)
    assert f.owners is not None
    most = max(most_groups(f.owners.rows, needs.k), 1)
    row = shuffled_rows(f.counts, rng)
    stay = rank_among(f.owners.person[row].astype(np.int64), np.arange(len(row))) < most
    rows = np.bincount(row[stay], minlength=len(f.counts))
    there = np.flatnonzero(rows)
    best, k, fails = None, needs.k, 0
    while best is None or (best.suppressed > problem.suppression_limit and fails < _FAILS):
        try:
            cut = mondrian(Problem(_only(f, there, rows[there]), (_Parted(k, l_of_sum),)), progress)
            of, group = parted(f, there[cut.row], cut.count, cut.group, rng)
            own = f.owners.rows[f.owners.person[of]]
            l_of_group = np.full(int(group.max(initial=-1)) + 1, needs.l)
            np.maximum.at(l_of_group, group, l_of_sum * own)
            plan = _exchanged(f, needs, of, group, l_of_group, rng)
        except Infeasible:
            if best is None:  # MASK makes no such groups; others may
                raise no_place(problem, f.rows, "mask", bool(l_of_sum)) from None
            break
        left = np.repeat(np.arange(len(rows)), f.counts - rows)
        values = {needs.attribute: np.append(plan.values(needs.attribute), f.sensitive[needs.attribute][left])}
        suppressed = np.full(len(left), SUPPRESSED, dtype=np.int64)
        plan = bucketization(
            f,
            np.append(plan.row, left),
            np.append(plan.count, np.ones_like(left)),
            np.append(plan.group, suppressed),
            values,
            plan.facts,
        )
        plan = held(problem, plan)
        better = best is None or plan.suppressed < best.suppressed
        best, fails, k = plan if better else best, 0 if better else fails + 1, 2 * k
    if best.suppressed > problem.suppression_limit:
        raise no_place(problem, best.suppressed, "mask", bool(l_of_sum))
    return best


@dataclass(frozen=True)
class _Parted(KAnonymity):
    """A group is large enough for as many parts as somebody has rows in it, of so many people each."""

    l_of_sum: int = 0
    size_alone = False
    merges_by_people = False

    def held_by_people(self, groups: Groups) -> BoolArray:
        most = groups.most_rows
        return groups.sizes >= most * np.maximum(self.k, self.l_of_sum * most)


def _only(f: FrequencySet, there: IntArray, rows: IntArray) -> FrequencySet:
    """Some rows of a table in which each combination is one person's."""
    assert f.owners is not None
    owners = replace(f.owners, row=np.arange(len(there)), person=f.owners.person[there], count=rows)
    return replace(
        f,
        codes=tuple(c[there] for c in f.codes),
        sensitive={name: c[there] for name, c in f.sensitive.items()},
        counts=rows,
        owners=owners,
    )


def parted(
    f: FrequencySet, row: IntArray, count: IntArray, group: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Cut groups into as many parts as somebody has rows in them, with at most one of his in each: single rows, parts.

    Rows are dealt out in turn, person by person: so all parts of a group have the same size, or one row more.
    """
    assert f.owners is not None
    row, group = np.repeat(row, count), np.repeat(group, count)
    person = rng.permutation(int(f.owners.person.max(initial=0)) + 1)[f.owners.person[row]]
    order = np.lexsort((rng.random(len(row)), person, group))
    row, group, person = row[order], group[order], person[order]
    parts = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    _, of, rows = np.unique(group * (person.max(initial=0) + 1) + person, return_inverse=True, return_counts=True)
    np.maximum.at(parts, group, rows[of.reshape(-1)])
    first = np.searchsorted(group, np.arange(len(parts)))
    turn = (np.arange(len(row)) - first[group]) % parts[group]
    return row, (np.cumsum(parts) - parts)[group] + turn


def _exchanged(
    frequency: FrequencySet,
    needs: Demand,
    row: IntArray,
    group: IntArray,
    l_of_group: IntArray,
    rng: np.random.Generator,
) -> Bucketization:
    """Groups of single rows with what is published in place of values that a group has too often."""
    sizes = np.bincount(group)
    value = frequency.sensitive[needs.attribute][row]
    surplus, facts = _surplus(group, needs.set_of[value], sizes, needs, l_of_group, rng)
    published = _distorted(frequency, needs, group, value, surplus, sizes, l_of_group, rng)
    distorted = int((published != value).sum())
    facts = {"search": "mask", "l": needs.l, "k": needs.k, "distorted": distorted, **facts}
    exchanged = {needs.attribute: published}
    return bucketization(frequency, row, np.ones_like(row), group, exchanged, facts)


def _surplus(
    group: IntArray,
    number: IntArray,
    sizes: IntArray,
    needs: Demand,
    l_of_group: IntArray,
    rng: np.random.Generator,
) -> tuple[BoolArray, dict[str, object]]:
    """Which rows are not to be published with their value: what violating groups have above the share they draw."""
    protected = np.flatnonzero(number != UNPROTECTED)
    pairs, of, many = np.unique(
        group[protected] * needs.sets + number[protected], return_inverse=True, return_counts=True
    )
    where, what = np.divmod(pairs, max(needs.sets, 1))
    breaks = many * l_of_group[where] > sizes[where]
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
            f"every group of {needs.k} rows or more breaks the promise of mask: there is none to learn a share from",
            repair="weaken a promise, or take another search",
        )
    siblings = rng.choice(siblings, there, replace=False)
    like = rng.choice(siblings, int(breaks.sum()))
    theirs = like * needs.sets + what[breaks]
    at = np.minimum(np.searchsorted(pairs, theirs), len(pairs) - 1)
    share = np.where(pairs[at] == theirs, many[at], 0)
    stay, rows = many.copy(), sizes[where[breaks]]
    drawn = (2 * share * rows + sizes[like]) // (2 * sizes[like])  # to the nearest
    stay[breaks] = np.minimum(drawn, rows // l_of_group[where[breaks]])
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
    l_of_group: IntArray,
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
    published[rows] = refill(group[rows], value[rows], surplus[rows], drawn, needs.set_of, totals, l_of_group)
    return published
