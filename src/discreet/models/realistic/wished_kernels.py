"""The compiled loop of ε-privacy where each group is judged for what its own people ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.compiled import kernel
from discreet.counts.groups import Pairs
from discreet.models.realistic.realistic_kernels import Belief, Named, fall, rise


class Wanted(NamedTuple):
    """Wish w asks for the predicates ``numbers[starts[w]:starts[w + 1]]``; the first `always` are for everybody."""

    starts: IntArray
    numbers: Codes
    always: int


@kernel(error_model="numpy")
def epsilon_of_wishes(
    pairs: Pairs, sizes: IntArray, predicates: Named, belief: Belief, wishes: Pairs, wanted: Wanted
) -> FloatArray:
    """Per group the ε of R1 and R2 over the predicates that somebody in it asks for, and no others.

    `pairs` are the values of each group, `wishes` the wishes; 0 where there is nothing to learn.
    """
    epsilon = np.zeros(len(sizes))
    named = np.zeros(len(predicates.negated), dtype=np.int64)
    last_group = np.full(len(named), -1, dtype=np.int64)  # the last one in which each predicate is wanted
    own = np.empty(len(named), dtype=np.int64)
    for f in range(wanted.always):
        own[f] = f
    for g in range(len(sizes)):
        many = wanted.always
        for p in range(wishes.offsets[g], wishes.offsets[g + 1]):
            w = wishes.values[p]
            for i in range(wanted.starts[w], wanted.starts[w + 1]):
                f = wanted.numbers[i]
                if last_group[f] != g and wishes.counts[p] > 0:
                    last_group[f] = g
                    own[many] = f
                    many += 1
        if many == 0:
            continue
        for p in range(pairs.offsets[g], pairs.offsets[g + 1]):
            v = pairs.values[p]
            for i in range(predicates.starts[v], predicates.starts[v + 1]):
                named[predicates.numbers[i]] += pairs.counts[p]
        m = sizes[g] - belief.known
        for i in range(many):
            f = own[i]
            satisfied = sizes[g] - named[f] if predicates.negated[f] else named[f]
            if belief.certain[f] or satisfied == 0:
                continue
            up = rise(satisfied, m, belief.sigma[f], belief.total)
            down = fall(satisfied, m, belief.rest[f], belief.total)
            epsilon[g] = max(epsilon[g], up, down)
        for p in range(pairs.offsets[g], pairs.offsets[g + 1]):
            v = pairs.values[p]
            for i in range(predicates.starts[v], predicates.starts[v + 1]):
                named[predicates.numbers[i]] = 0
    return epsilon
