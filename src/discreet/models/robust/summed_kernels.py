"""The compiled loop over people who stand in several groups: what she believes of them by all of these together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs
from discreet.models.robust.beliefs import MARGIN, Chances, Entries, Protected
from discreet.models.robust.judge_kernels import Before, chances_of, possible, protected, room, signatures
from discreet.models.robust.judge_rest_kernels import DUAL_STEPS, MOST_DUAL, at_most
from discreet.models.robust.posterior_bounds import most
from discreet.models.robust.posterior_kernels import dealable, marginals, states, two_valued

TWO_VALUES, FULL = 0, 1  # she asks "in the set or not", or knows the chances of every value
_MOST = float(1 << 62)
_MOST_TERMS = 20_000_000  # people times how many have it; beyond, the view of two values is bounded


class Several(NamedTuple):
    """Person p has `rows[i]` rows that are like entry `entry[i]`, for i in ``starts[p]:starts[p + 1]``."""

    starts: IntArray
    entry: IntArray
    rows: IntArray


class Sets(NamedTuple):
    """The protected sets of group g, ``offsets[g]:offsets[g + 1]``: their numbers (leaves, where every value is one),
    how many of the group have each, and how large it is.
    """

    offsets: IntArray
    number: IntArray
    having: IntArray
    sizes: IntArray


class Beliefs(NamedTuple):
    """What she believes by one attribute set, in both views: of kind j of group g and its x-th set, at
    ``begins[g] + j · sets + x``. The kind of each entry, and which groups are told by a share (as all in them are
    alike) or can't be told in floating point (by view).
    """

    begins: IntArray
    of_kind: FloatArray
    kind: IntArray
    shares: BoolArray
    unsure: BoolArray


@kernel
def add_up(
    entries: Entries,
    tally: Pairs,
    chances: Chances,
    protected_sets: Protected,
    several: Several,
    threshold: float,
    limit: tuple[int, int],
    most_steps: int,
) -> tuple[FloatArray, BoolArray, NDArray[np.int32]]:
    """For each person, the worst sum of posteriors over his rows, and whether it is above the threshold.

    A sum is over one protected set, by one attribute set, in one view; the worst of all is told. Posteriors that would
    take too long are proven upper bounds. Third come the persons, attribute sets and views (a row each) that have to be
    decided in whole numbers.
    """
    groups, people = len(entries.offsets) - 1, len(several.starts) - 1
    sets = _sets_of_groups(tally, protected_sets, groups)
    group = np.empty(len(entries.people), dtype=np.int64)
    begins = np.zeros(groups + 1, dtype=np.int64)
    for g in range(groups):
        group[entries.offsets[g] : entries.offsets[g + 1]] = g
        kinds = entries.offsets[g + 1] - entries.offsets[g]
        begins[g + 1] = begins[g] + kinds * (sets.offsets[g + 1] - sets.offsets[g])
    beliefs = Beliefs(
        begins,
        np.zeros((2, begins[groups])),
        np.zeros(len(group), dtype=np.int64),
        np.zeros(groups, dtype=np.bool_),
        np.zeros((2, groups), dtype=np.bool_),
    )
    level, above = np.zeros(people), np.zeros(people, dtype=np.bool_)
    total = np.zeros(sets.number.max() + 1 if len(sets.number) else 1)
    exact_total = np.zeros(len(total), dtype=np.int64)
    near, found = np.empty((1024, 3), dtype=np.int32), 0
    scratch = np.empty((2, 1024))
    for k in range(entries.rows.shape[0]):
        for g in range(groups):
            scratch = _believe(beliefs, entries, tally, chances, protected_sets, g, k, most_steps, scratch)
        for p in range(people):
            at = slice(several.starts[p], several.starts[p + 1])
            of, rows = several.entry[at], several.rows[at]
            shares = True
            for e in of:
                shares &= beliefs.shares[group[e]]
            for view in range(1 if shares else 2):
                worst, unsure = _sum(beliefs, sets, group[of], of, rows, view, total)
                level[p] = max(level[p], min(worst, 1.0))
                if unsure or abs(worst - threshold) <= MARGIN:
                    decided = _decided(sets, group[of], rows, limit, exact_total) if shares else 2
                    if decided < 2:
                        above[p] |= decided == 1
                        continue
                    if found == len(near):
                        near = np.concatenate((near, np.empty_like(near)))
                    near[found, 0], near[found, 1], near[found, 2] = p, k, view
                    found += 1
                elif worst > threshold:
                    above[p] = True
    return level, above, near[:found].copy()


@inner
def _sets_of_groups(tally: Pairs, protected_sets: Protected, groups: int) -> Sets:
    """The protected sets that somebody of each group has."""
    offsets, sizes = np.zeros(groups + 1, dtype=np.int64), np.zeros(groups, dtype=np.int64)
    number, having = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    for g in range(groups):
        names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
        values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
        which, _, satisfied = protected(names, values, protected_sets)
        begin, sizes[g] = offsets[g], values.sum()
        while begin + len(which) > len(number):
            number = np.concatenate((number, np.empty_like(number)))
            having = np.concatenate((having, np.empty_like(having)))
        for x in range(len(which)):
            number[begin + x] = names[which[x]] if len(protected_sets.offsets) == 1 else which[x]
            having[begin + x] = satisfied[x]
        offsets[g + 1] = begin + len(which)
    return Sets(offsets, number[: offsets[groups]].copy(), having[: offsets[groups]].copy(), sizes)


@inner
def _believe(
    beliefs: Beliefs,
    entries: Entries,
    tally: Pairs,
    chances: Chances,
    protected_sets: Protected,
    g: int,
    k: int,
    most_steps: int,
    scratch: FloatArray,
) -> FloatArray:
    """What she believes of a group by an attribute set, in both views; returns scratch for the next one."""
    at = slice(entries.offsets[g], entries.offsets[g + 1])
    names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
    values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
    which, inside, satisfied = protected(names, values, protected_sets)
    kinds, kind, own = signatures(entries.rows[k, at], entries.people[at])
    beliefs.kind[at] = kind
    beliefs.shares[g] = False
    beliefs.unsure[:, g] = False
    if len(which) == 0:
        beliefs.shares[g] = True
        return scratch
    of_kind = beliefs.of_kind[:, beliefs.begins[g] : beliefs.begins[g + 1]]
    size, sets = own.sum(), len(which)  # of the group
    if len(kinds) == 1:
        beliefs.shares[g] = possible(chances.known[kinds[0]], names)
        for x in range(sets):
            of_kind[:, x] = satisfied[x] / size if beliefs.shares[g] else 1.0
        return scratch
    pair = np.empty((len(kinds), 2))
    for x in range(sets):
        for j in range(len(kinds)):
            mass = np.int64(0)
            if len(protected_sets.offsets) == 1:
                mass = chances.known[kinds[j], names[which[x]]]
            else:
                for i in range(protected_sets.offsets[which[x]], protected_sets.offsets[which[x] + 1]):
                    mass += chances.known[kinds[j], protected_sets.values[i]]
            support = chances.supports[kinds[j]]
            pair[j, 0], pair[j, 1] = mass / support, (support - mass) / support
        if size * satisfied[x] > _MOST_TERMS:
            two = np.array([satisfied[x], size - satisfied[x]])
            nothing = Before(False, 0.0, 0)
            believed = at_most(pair, own, two, np.array([[True, False]]), 1.0, np.int64(0), pair, nothing)
        else:
            believed = two_valued(pair[:, 0], pair[:, 1], own, satisfied[x])
        for j in range(len(kinds)):
            beliefs.unsure[TWO_VALUES, g] |= np.isnan(believed[j])
            of_kind[TWO_VALUES, j * sets + x] = min(believed[j], 1.0) if believed[j] == believed[j] else 1.0
    of_values = chances_of(kinds, chances, names)
    steps = min(states(values) * len(values), states(own) * len(own))
    if steps <= most_steps:
        scratch = room(scratch, steps)
        posterior = marginals(of_values, own, values, scratch[0], scratch[1])
        for j in range(len(kinds)):
            for x in range(sets):
                belief = 0.0
                for v in range(len(values)):
                    if inside[x, v]:
                        belief += posterior[j, v]
                beliefs.unsure[FULL, g] |= np.isnan(belief)
                of_kind[FULL, j * sets + x] = min(belief, 1.0) if belief == belief else 1.0
        return scratch
    can_be = dealable(of_values, own, values)
    tightly = min(DUAL_STEPS, MOST_DUAL // (len(own) * len(own) * len(values) * sets))
    for x in range(sets):
        bound = most(of_values, own, values, inside[x], 0.0, tightly) if can_be else np.ones(len(own))
        for j in range(len(kinds)):
            of_kind[FULL, j * sets + x] = bound[j]
    return scratch


@inner
def _sum(
    beliefs: Beliefs, sets: Sets, group: IntArray, of: IntArray, rows: IntArray, view: int, total: FloatArray
) -> tuple[float, bool]:
    """The largest sum over somebody's entries (`of`, of these groups), of any set; and can it not be told?"""
    worst, unsure = 0.0, False
    for i in range(len(of)):
        g = group[i]
        begin, many = sets.offsets[g], sets.offsets[g + 1] - sets.offsets[g]
        unsure |= beliefs.unsure[view, g]
        for x in range(many):
            believed = beliefs.of_kind[view, beliefs.begins[g] + beliefs.kind[of[i]] * many + x]
            total[sets.number[begin + x]] += rows[i] * believed
            worst = max(worst, total[sets.number[begin + x]])
    for g in group:
        total[sets.number[sets.offsets[g] : sets.offsets[g + 1]]] = 0.0
    return worst, unsure


@inner
def _decided(sets: Sets, group: IntArray, rows: IntArray, limit: tuple[int, int], total: IntArray) -> int:
    """Is a sum of shares above the limit (1) or not (0)? In whole numbers; 2 where 64 bits don't hold them."""
    if limit[1] == 0:
        return 2
    together, longest = np.int64(1), float(max(limit[0], limit[1] * rows.sum()))
    for g in group:
        shared = np.gcd(together, sets.sizes[g])
        if float(together // shared) * float(sets.sizes[g]) * longest >= _MOST:
            return 2
        together = together // shared * sets.sizes[g]
    above = False
    for i in range(len(group)):
        g = group[i]
        for x in range(sets.offsets[g], sets.offsets[g + 1]):
            total[sets.number[x]] += rows[i] * sets.having[x] * (together // sets.sizes[g])
            above |= total[sets.number[x]] * limit[1] > limit[0] * together
    for g in group:
        total[sets.number[sets.offsets[g] : sets.offsets[g + 1]]] = 0
    return 1 if above else 0
