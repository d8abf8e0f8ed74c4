"""The compiled loop over groups and attribute sets: the worst posterior of each group, or of each of its people.

Cheap things first. Where a bound shows that the exact posteriors of an attribute set can't matter (they keep to 1/r, or
are below what has been found already), they are not computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs
from discreet.models.robust.beliefs import (
    LEVELS,
    MARGIN,
    NEAR_FULL,
    NEAR_TWO,
    PEOPLE,
    VERDICTS,
    Chances,
    Entries,
    Limits,
    Posteriors,
    Protected,
)
from discreet.models.robust.posterior_bounds import most
from discreet.models.robust.posterior_kernels import dealable, marginals, states, two_valued

_AT_ONCE = 4096  # steps (and four times those of a bound) for exact posteriors without trying a bound first
MOST_TERMS = 20_000_000  # people times how many have it; beyond, the view of two values is bounded too
DUAL_STEPS = 40
MOST_DUAL = 4_000_000  # of all that the steps of a bound by duality take


class Before(NamedTuple):
    """Is it the limit, too, what she believed before any release? Then only what is surer than that counts."""

    limits: bool
    threshold: float
    wanted: int


@kernel
def judge(entries: Entries, tally: Pairs, beliefs: Chances, protected_sets: Protected, limits: Limits) -> Posteriors:
    """Judge all groups, each by the people and values in it."""
    offsets, people, rows = entries.offsets, entries.people, entries.rows
    allowed, threshold, wanted, most_steps = limits.allowed, limits.threshold, limits.wanted, limits.most_steps
    prior = Before(limits.prior, threshold, wanted)
    groups, sets = len(offsets) - 1, rows.shape[0]
    kept = np.ones(groups, dtype=np.bool_)
    level = np.zeros(groups)
    of_entry = np.zeros((2, len(people) if wanted == PEOPLE else 0))
    bounded = np.zeros(groups, dtype=np.bool_)
    near = np.zeros((sets, groups), dtype=np.uint8)
    scratch = np.empty((2, 1024))
    for g in range(groups):
        begin, end = offsets[g], offsets[g + 1]
        names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
        values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
        which, inside, satisfied = protected(names, values, protected_sets)
        if len(which) == 0:
            continue
        size, largest = people[begin:end].sum(), satisfied.max()
        level[g] = largest / size  # somebody's posterior is at least the mean
        kept[g] = largest <= allowed[g]
        put_off = np.full(sets, -1.0)  # bounds on what is not computed exactly
        for k in range(sets):
            if wanted == VERDICTS and not kept[g]:
                break
            kinds, kind, own = signatures(rows[k, begin:end], people[begin:end])
            if len(kinds) == 1:
                p = largest / size
                if not possible(beliefs.known[kinds[0]], names):
                    p = 1.0
                elif limits.prior and largest > allowed[g]:
                    p = 0.0
                    before = priors(kinds, beliefs, names, which, protected_sets)
                    for x in range(len(which)):
                        p = max(p, surer(satisfied[x] / size, before[0, x], prior))
                kept[g] &= p < 1
                level[g] = max(level[g], p)
                raise_entries(of_entry, begin, kind, np.full(1, p), np.bool_(True))
                if largest > allowed[g] and p <= threshold + MARGIN:
                    near[k, g] |= NEAR_TWO
                continue
            before = priors(kinds, beliefs, names, which, protected_sets)
            worst, unsure, exact = in_two_values(kinds, own, before, satisfied, size, prior)
            above, close = compare(worst, unsure, threshold)
            kept[g] &= not above
            near[k, g] |= NEAR_TWO if close else 0
            level[g] = max(level[g], worst.max())
            bounded[g] |= not exact
            raise_entries(of_entry, begin, kind, worst, exact and not unsure)
            chances = chances_of(kinds, beliefs, names)
            steps = min(states(values) * len(values), states(own) * len(own))
            if steps > most_steps or steps > _AT_ONCE + 4 * len(own) * len(own) * len(values) * len(which):
                put_off[k] = 1.0
                if wanted != PEOPLE:
                    put_off[k] = at_most(chances, own, values, inside, 1.0, np.int64(0), before, prior).max()
                continue
            scratch = room(scratch, steps)
            worst, unsure = in_full(chances, own, values, inside, scratch, before, prior)
            above, close = compare(worst, unsure, threshold)
            kept[g] &= not above
            near[k, g] |= NEAR_FULL if close else 0
            level[g] = max(level[g], worst.max())
            raise_entries(of_entry, begin, kind, worst, not unsure)
        tried = np.zeros(sets, dtype=np.bool_)
        while kept[g] or wanted != VERDICTS:
            k = int(np.argmax(put_off))
            enough = level[g] if wanted == LEVELS else threshold - MARGIN
            if put_off[k] < 0 or (put_off[k] <= enough and wanted != PEOPLE):
                break
            kinds, kind, own = signatures(rows[k, begin:end], people[begin:end])
            chances = chances_of(kinds, beliefs, names)
            before = priors(kinds, beliefs, names, which, protected_sets)
            steps = min(states(values) * len(values), states(own) * len(own))
            dual = len(own) * len(own) * len(values) * len(which)
            if steps > most_steps or (wanted != PEOPLE and not tried[k] and dual * DUAL_STEPS < steps):
                tried[k] = True
                tightly = min(DUAL_STEPS, MOST_DUAL // dual)
                worst = at_most(chances, own, values, inside, enough, tightly, before, prior)
                put_off[k] = worst.max()
                if steps > most_steps and (wanted == PEOPLE or put_off[k] > enough):
                    put_off[k] = -1.0
                    bounded[g] = True
                    kept[g] &= worst.max() <= threshold - MARGIN
                    level[g] = max(level[g], worst.max())
                    raise_entries(of_entry, begin, kind, worst, np.bool_(False))
                continue
            put_off[k] = -1.0
            scratch = room(scratch, steps)
            worst, unsure = in_full(chances, own, values, inside, scratch, before, prior)
            above, close = compare(worst, unsure, threshold)
            kept[g] &= not above
            near[k, g] |= NEAR_FULL if close else 0
            level[g] = max(level[g], worst.max())
            raise_entries(of_entry, begin, kind, worst, not unsure)
    return Posteriors(kept, level, of_entry, bounded, near)


@inner
def protected(names: Codes, values: IntArray, protected_sets: Protected) -> tuple[IntArray, BoolArray, IntArray]:
    """The protected sets that somebody of a group has: their numbers, which values are in them, and how many people."""
    columns, sets = len(names), len(protected_sets.offsets) - 1
    if sets == 0:
        alone = np.zeros((columns, columns), dtype=np.bool_)
        for v in range(columns):
            alone[v, v] = True
        return np.arange(columns), alone, values.astype(np.int64)
    inside = np.zeros((sets, columns), dtype=np.bool_)
    satisfied = np.zeros(sets, dtype=np.int64)
    for x in range(sets):
        for i in range(protected_sets.offsets[x], protected_sets.offsets[x + 1]):
            for v in range(columns):
                if names[v] == protected_sets.values[i]:
                    inside[x, v] = True
                    satisfied[x] += values[v]
    which = np.flatnonzero(satisfied)
    return which, inside[which], satisfied[which]


@inner
def signatures(rows: IntArray, people: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The different rows, which of them each entry has, and how many people each of them has."""
    n = len(rows)
    kind = np.empty(n, dtype=np.int64)
    kinds, own = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    many = 0
    if n <= 32:
        for e in range(n):
            j = 0
            while j < many and kinds[j] != rows[e]:
                j += 1
            if j == many:
                kinds[j] = rows[e]
                many += 1
            kind[e] = j
            own[j] += people[e]
    else:
        for e in np.argsort(rows):
            if many == 0 or kinds[many - 1] != rows[e]:
                kinds[many] = rows[e]
                many += 1
            kind[e] = many - 1
            own[many - 1] += people[e]
    return kinds[:many], kind, own[:many]


@inner
def possible(known: IntArray, names: Codes) -> bool:
    """May somebody of the signature have each of these values?"""
    least = known[names[0]]
    for name in names:
        least = min(least, known[name])
    return bool(least > 0)


@inner
def chances_of(kinds: IntArray, beliefs: Chances, names: Codes) -> FloatArray:
    """How likely each signature has each value of the group."""
    chances = np.empty((len(kinds), len(names)))
    for j in range(len(kinds)):
        for v in range(len(names)):
            chances[j, v] = beliefs.known[kinds[j], names[v]] / beliefs.supports[kinds[j]]
    return chances


@inner
def priors(kinds: IntArray, beliefs: Chances, names: Codes, which: IntArray, protected_sets: Protected) -> FloatArray:
    """How likely each signature is to have each protected set, before any release; and not to have it (from the middle
    on)."""
    known, supports, sets = beliefs.known, beliefs.supports, len(which)
    before = np.empty((len(kinds), 2 * sets))
    for x in range(sets):
        for j in range(len(kinds)):
            mass = np.int64(0)
            if len(protected_sets.offsets) == 1:
                mass = known[kinds[j], names[which[x]]]
            else:
                for i in range(protected_sets.offsets[which[x]], protected_sets.offsets[which[x] + 1]):
                    mass += known[kinds[j], protected_sets.values[i]]
            before[j, x] = mass / supports[kinds[j]]
            before[j, sets + x] = (supports[kinds[j]] - mass) / supports[kinds[j]]
    return before


@inner
def surer(belief: float, before: float, prior: Before) -> float:
    """What counts of a belief: nothing of one that is no surer than before the release, where that is the limit.

    One that can't be told from what it was before is taken for the threshold itself, so that it is told exactly; where
    only levels are wanted it stays what it is.
    """
    if not prior.limits or belief <= prior.threshold - MARGIN:
        return belief
    if before >= 1.0 or belief < before - MARGIN:
        return 0.0
    if belief <= before + MARGIN and prior.wanted != LEVELS:
        return min(belief, prior.threshold)
    return belief


@inner
def in_two_values(
    kinds: IntArray, own: IntArray, before: FloatArray, satisfied: IntArray, size: int, prior: Before
) -> tuple[FloatArray, bool, bool]:
    """The worst posterior of each signature where she asks "in the set or not"; can't it be told, and is it exact?"""
    worst = np.zeros(len(kinds))
    unsure, exact, sets = False, True, len(satisfied)
    pair = np.empty((len(kinds), 2))
    for x in range(sets):
        for j in range(len(kinds)):
            pair[j, 0], pair[j, 1] = before[j, x], before[j, sets + x]
        if size * satisfied[x] > MOST_TERMS:
            two = np.array([satisfied[x], size - satisfied[x]])
            here = np.empty((len(kinds), 2))
            for j in range(len(kinds)):
                here[j, 0], here[j, 1] = before[j, x], before[j, sets + x]
            beliefs_in = at_most(pair, own, two, np.array([[True, False]]), 1.0, np.int64(0), here, prior)
            exact = False
            for j in range(len(kinds)):
                worst[j] = max(worst[j], beliefs_in[j])
        else:
            beliefs_in = two_valued(pair[:, 0], pair[:, 1], own, satisfied[x])
            for j in range(len(kinds)):
                belief = beliefs_in[j]
                unsure |= np.isnan(belief)
                worst[j] = max(worst[j], counted(belief, before[j, x], prior))
    return worst, unsure, exact


@inner
def counted(belief: float, before: float, prior: Before) -> float:
    """A belief as it counts: 1 where no world has weight, or where it can't be told."""
    if np.isnan(belief) or belief == np.inf:
        return 1.0
    return float(surer(min(belief, 1.0), before, prior))


@inner
def in_full(
    chances: FloatArray,
    own: IntArray,
    values: IntArray,
    inside: BoolArray,
    scratch: FloatArray,
    before: FloatArray,
    prior: Before,
) -> tuple[FloatArray, bool]:
    """The worst posterior of each signature where she knows the chances of every value; can't it be told?"""
    posterior = marginals(chances, own, values, scratch[0], scratch[1])
    worst = np.zeros(len(own))
    unsure = False
    for j in range(len(own)):
        for x in range(len(inside)):
            belief = 0.0
            for v in range(len(values)):
                if inside[x, v]:
                    belief += posterior[j, v]
            unsure |= np.isnan(belief)
            worst[j] = max(worst[j], counted(belief, before[j, x], prior))
    return worst, unsure


@inner
def at_most(
    chances: FloatArray,
    own: IntArray,
    values: IntArray,
    inside: BoolArray,
    enough: float,
    steps: int,
    before: FloatArray,
    prior: Before,
) -> FloatArray:
    """A bound on the worst posterior of each signature where she knows the chances of every value."""
    if not dealable(chances, own, values):
        return np.ones(len(own))
    worst = np.zeros(len(own))
    for x in range(len(inside)):
        bounds = most(chances, own, values, inside[x], enough, steps)
        for j in range(len(own)):
            bound = bounds[j]
            if (
                prior.limits
                and bound > prior.threshold - MARGIN
                and (before[j, x] >= 1.0 or bound < before[j, x] - MARGIN)
            ):
                bound = 0.0
            worst[j] = max(worst[j], bound)
    return worst


@inner
def compare(worst: FloatArray, unsure: bool, threshold: float) -> tuple[bool, bool]:
    """Is one clearly above the threshold, and is one too close to tell?"""
    if unsure:
        return False, True
    above = close = False
    for p in worst:
        above |= p > threshold + MARGIN
        close |= abs(p - threshold) <= MARGIN
    return above, close


@inner
def raise_entries(of_entry: FloatArray, begin: int, kind: IntArray, worst: FloatArray, exact: bool) -> None:
    """Keep the worst posterior of each entry, where entries are wanted."""
    if of_entry.shape[1]:
        for e in range(len(kind)):
            of_entry[0, begin + e] = max(of_entry[0, begin + e], worst[kind[e]])
            if exact:
                of_entry[1, begin + e] = max(of_entry[1, begin + e], worst[kind[e]])


@inner
def room(scratch: FloatArray, steps: float) -> FloatArray:
    """Scratch with a place for each step."""
    return scratch if steps <= scratch.shape[1] else np.empty((2, int(2 * steps)))
