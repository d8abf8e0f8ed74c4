"""The compiled rest of judging groups: what would take long to be known exactly, and bounds where it need not be.

Where a bound shows that the exact posteriors of an attribute set can't matter (they keep to 1/r, or are below what has
been found already), they are not computed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.compiled import inner, kernel
from discreet.counts.groups import Pairs
from discreet.models.robust.beliefs import (
    LEVELS,
    MARGIN,
    NEAR_FULL,
    PEOPLE,
    VERDICTS,
    Chances,
    Entries,
    Limits,
    Posteriors,
    Protected,
)
from discreet.models.robust.judge_kernels import (
    AT_ONCE,
    Before,
    chances_of,
    in_full,
    most_of,
    note,
    priors,
    protected,
    raise_entries,
    room,
    signatures,
)
from discreet.models.robust.posterior_bounds import most
from discreet.models.robust.posterior_kernels import dealable, states

DUAL_STEPS = 40
MOST_DUAL = 4_000_000  # of all that the steps of a bound by duality take


@kernel
def judge_rest(
    entries: Entries,
    tally: Pairs,
    beliefs: Chances,
    protected_sets: Protected,
    limits: Limits,
    made: Posteriors,
    left: NDArray[np.uint8],
) -> None:
    """Judge groups by what `judge` left, as far as that can still change anything."""
    offsets, people, rows = entries.offsets, entries.people, entries.rows
    threshold, wanted, most_steps = limits.threshold, limits.wanted, limits.most_steps
    prior = Before(limits.prior, threshold, wanted)
    sets = rows.shape[0]
    scratch = np.empty((2, 1024))
    for g in range(len(offsets) - 1):
        some = False
        for k in range(sets):
            some |= left[k, g] > 0
        if not some:
            continue
        begin, end = offsets[g], offsets[g + 1]
        names = tally.values[tally.offsets[g] : tally.offsets[g + 1]]
        values = tally.counts[tally.offsets[g] : tally.offsets[g + 1]]
        which, inside, _ = protected(names, values, protected_sets)
        put_off = np.full(sets, -1.0)  # bounds on what is not computed exactly
        for k in range(sets):
            if left[k, g] == 0:
                continue
            if wanted == VERDICTS and not made.kept[g]:
                break
            kinds, kind, own = signatures(rows[k, begin:end], people[begin:end])
            before = priors(kinds, beliefs, names, which, protected_sets)
            put_off[k] = 1.0
            steps = min(states(values) * len(values), states(own) * len(own))
            large = steps > most_steps or steps > AT_ONCE + 4 * len(own) * len(own) * len(values) * len(which)
            if wanted != PEOPLE and large:
                chances = chances_of(kinds, beliefs, names)
                put_off[k] = most_of(at_most(chances, own, values, inside, 1.0, np.int64(0), before, prior))
        tried = np.zeros(sets, dtype=np.bool_)
        while made.kept[g] or wanted != VERDICTS:
            k = 0
            for other in range(sets):
                k = other if put_off[other] > put_off[k] else k
            enough = made.level[g] if wanted == LEVELS else threshold - MARGIN
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
                put_off[k] = most_of(worst)
                if steps > most_steps and (wanted == PEOPLE or put_off[k] > enough):
                    put_off[k] = -1.0
                    made.bounded[g] = True
                    made.kept[g] &= most_of(worst) <= threshold - MARGIN
                    made.level[g] = max(made.level[g], most_of(worst))
                    raise_entries(made.of_entry, begin, kind, worst, np.bool_(False))
                continue
            put_off[k] = -1.0
            scratch = room(scratch, steps)
            found = in_full(chances, own, values, inside, scratch, before, prior)
            note(made, g, k, np.uint8(NEAR_FULL), begin, kind, found, threshold)


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
            worst[j] = max(worst[j], bounded(bounds[j], before[j, x], prior))
    return worst


@inner
def bounded(bound: float, before: float, prior: Before) -> float:
    """What counts of an upper bound of a belief: nothing where even that is no surer than before, if that will do."""
    if prior.limits and bound > prior.threshold - MARGIN and (before >= 1.0 or bound < before - MARGIN):
        return 0.0
    return bound
