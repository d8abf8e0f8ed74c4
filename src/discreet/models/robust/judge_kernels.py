"""The compiled loop over groups and attribute sets: the worst posterior of each group, or of each of its people.

Cheap things first. What would take long is put off, for `judge_large_kernels` and `judge_rest_kernels`: it often turns
out not to matter, and where nothing is put off, neither need be compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, Codes, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs
from discreet.models.robust.beliefs import (
    LARGE,
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
from discreet.models.robust.posterior_kernels import marginals, states, two_valued

AT_ONCE = 4096  # steps (and four times those of a bound) for exact posteriors without trying a bound first
MOST_TERMS = 200_000  # people times how many have it; beyond, groups are large
MOST_VALUES = 8  # of a group whose posteriors may be integrals where she looks at all values


class Before(NamedTuple):
    """Is it the limit, too, what she believed before any release? Then only what is surer than that counts."""

    limits: bool
    threshold: float
    wanted: int


@kernel
def judge(
    entries: Entries, tally: Pairs, beliefs: Chances, protected_sets: Protected, limits: Limits
) -> tuple[Posteriors, NDArray[np.uint8]]:
    """Judge all groups, each by the people and values in it, as far as that is soon done exactly.

    Second, the views of each attribute set (row) and group (column) that are left to `judge_rest`.
    """
    offsets, people, rows = entries.offsets, entries.people, entries.rows
    prior = Before(limits.prior, limits.threshold, limits.wanted)
    groups, sets = len(offsets) - 1, rows.shape[0]
    made = Posteriors(
        np.ones(groups, dtype=np.bool_),
        np.zeros(groups),
        np.zeros((2, len(people) if limits.wanted == PEOPLE else 0)),
        np.zeros(groups, dtype=np.bool_),
        np.zeros((sets, groups), dtype=np.uint8),
    )
    left = np.zeros((sets, groups), dtype=np.uint8)
    scratch = np.empty((2, 1024))
    for g in range(groups):
        begin, end = offsets[g], offsets[g + 1]
        names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
        values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
        which, inside, satisfied = protected(names, values, protected_sets)
        if len(which) == 0:
            continue
        size, largest = total(people[begin:end]), most_of(satisfied)
        made.level[g] = largest / size  # somebody's posterior is at least the mean
        made.kept[g] = largest <= limits.allowed[g]
        if size * largest > MOST_TERMS:
            left[:, g] = LARGE | NEAR_TWO | NEAR_FULL
            continue
        for k in range(sets):
            if limits.wanted == VERDICTS and not made.kept[g]:
                break
            kinds, kind, own = signatures(rows[k, begin:end], people[begin:end])
            before = priors(kinds, beliefs, names, which, protected_sets)
            if len(kinds) == 1:
                can_be = possible(beliefs.known[kinds[0]], names)
                alike(made, g, k, begin, kind, size, can_be, before, satisfied, limits)
                continue
            worst, unsure = np.zeros(len(kinds)), np.bool_(False)
            for x in range(len(which)):
                unsure |= in_two_values(own, before, satisfied[x], x, len(which), worst, prior)
            note(made, g, k, np.uint8(NEAR_TWO), begin, kind, (worst, unsure), limits.threshold)
            steps = min(states(values) * len(values), states(own) * len(own))
            if steps > limits.most_steps or steps > AT_ONCE + 4 * len(own) * len(own) * len(values) * len(which):
                large = steps > limits.most_steps and len(values) <= MOST_VALUES
                left[k, g] = NEAR_FULL | LARGE if large else NEAR_FULL
                continue
            chances = chances_of(kinds, beliefs, names)
            scratch = room(scratch, steps)
            found = in_full(chances, own, values, inside, scratch, before, prior)
            note(made, g, k, np.uint8(NEAR_FULL), begin, kind, found, limits.threshold)
    return made, left


@inner
def alike(
    made: Posteriors,
    g: int,
    k: int,
    begin: int,
    kind: IntArray,
    size: int,
    can_be: bool,
    before: FloatArray,
    satisfied: IntArray,
    limits: Limits,
) -> None:
    """Keep what she believes of a group of people who are all alike to her: each set's share, if that `can_be`."""
    largest = most_of(satisfied)
    p = largest / size
    if not can_be:
        p = 1.0
    elif limits.prior and largest > limits.allowed[g]:
        p = 0.0
        for x in range(len(satisfied)):
            prior = Before(limits.prior, limits.threshold, limits.wanted)
            p = max(p, surer(satisfied[x] / size, before[0, x], prior))
    made.kept[g] &= p < 1
    made.level[g] = max(made.level[g], p)
    raise_entries(made.of_entry, begin, kind, np.full(1, p), np.bool_(True))
    if largest > limits.allowed[g] and p <= limits.threshold + MARGIN:
        made.near[k, g] |= NEAR_TWO


@inner
def note(
    made: Posteriors,
    g: int,
    k: int,
    view: np.uint8,
    begin: int,
    kind: IntArray,
    found: tuple[FloatArray, bool],
    threshold: float,
) -> None:
    """Keep what was found out about a group in one view, under an attribute set: the worst, and can't it be told?"""
    worst, unsure = found
    above, close = compare(worst, unsure, threshold)
    made.kept[g] &= not above
    if close:
        made.near[k, g] |= view
    made.level[g] = max(made.level[g], most_of(worst))
    raise_entries(made.of_entry, begin, kind, worst, not unsure)


@inner
def total(counts: IntArray) -> int:
    """Their sum. (NumPy's takes longer to compile.)"""
    result = np.int64(0)
    for count in counts:
        result += count
    return result  # type: ignore[return-value]


@inner
def most_of(some: FloatArray) -> float:
    """The largest."""
    most = some[0]
    for each in some:
        most = max(most, each)
    return most  # type: ignore[no-any-return]


@inner
def protected(names: Codes, values: IntArray, protected_sets: Protected) -> tuple[IntArray, BoolArray, IntArray]:
    """The protected sets that somebody of a group has: their numbers, which values are in them, and how many people."""
    columns, sets = len(names), len(protected_sets.offsets) - 1
    having, some = np.zeros(sets, dtype=np.int64), 0
    for x in range(sets):
        for i in range(protected_sets.offsets[x], protected_sets.offsets[x + 1]):
            for v in range(columns):
                if names[v] == protected_sets.values[i]:
                    having[x] += values[v]
        some += having[x] > 0
    many = some if sets else columns
    which, satisfied = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
    inside = np.zeros((many, columns), dtype=np.bool_)
    if sets == 0:
        for v in range(columns):
            which[v], satisfied[v], inside[v, v] = v, values[v], True
    some = 0
    for x in range(sets):
        if having[x] > 0:
            which[some], satisfied[some] = x, having[x]
            for i in range(protected_sets.offsets[x], protected_sets.offsets[x + 1]):
                for v in range(columns):
                    if names[v] == protected_sets.values[i]:
                        inside[some, v] = True
            some += 1
    return which, inside, satisfied


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
        for e in in_order(rows):
            if many == 0 or kinds[many - 1] != rows[e]:
                kinds[many] = rows[e]
                many += 1
            kind[e] = many - 1
            own[many - 1] += people[e]
    return kinds[:many], kind, own[:many]


@inner
def in_order(keys: IntArray) -> IntArray:
    """Places in order of their keys: Shell's sort, as NumPy's takes long to compile."""
    n = len(keys)
    order = np.empty(n, dtype=np.int64)
    for i in range(n):
        order[i] = i
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            e, j = order[i], i
            while j >= gap and keys[order[j - gap]] > keys[e]:
                order[j] = order[j - gap]
                j -= gap
            order[j] = e
        gap //= 3
    return order


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
    own: IntArray, before: FloatArray, satisfied: int, x: int, sets: int, worst: FloatArray, prior: Before
) -> bool:
    """Raise the worst posterior of each signature to that of set x, if she asks "in it or not"; can't it be told?"""
    has, has_not = np.empty(len(own)), np.empty(len(own))
    for j in range(len(own)):
        has[j], has_not[j] = before[j, x], before[j, sets + x]
    beliefs_in = two_valued(has, has_not, own, satisfied)
    unsure = False
    for j in range(len(own)):
        unsure |= np.isnan(beliefs_in[j])
        worst[j] = max(worst[j], counted(beliefs_in[j], before[j, x], prior))
    return unsure


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
