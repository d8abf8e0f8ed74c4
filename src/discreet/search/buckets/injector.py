"""Injector: ℓ-diverse groups in which nobody stands with a value that people like them never have.

Li & Li 2008. In a group where a man stands with a pregnancy, there is one value less for him, and one person less for
it. So what the table itself says about who never has what (see `injector_rules`) is taken as known to everybody, and
rows that exclude each other's values do not share a group. Whoever is left with fewer than ℓ values fits nowhere. Where
groups have to be joined for another promise, such as a larger k, the rules are no longer respected.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.kernels import group_equal
from discreet.errors import Infeasible
from discreet.progress import Progress, silent
from discreet.search.buckets.bucketizing import Demand, bucketization, check_eligible, demand, kept, shuffled_rows
from discreet.search.buckets.dealing import dealt
from discreet.search.buckets.injector_kernels import Kinds, compatible_groups
from discreet.search.buckets.injector_rules import Rules, negative_rules
from discreet.search.plan import Bucketization, Problem
from discreet.utility.queries import Bits


def injector(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups that respect every rule. Raises `Infeasible` if rows fit no group, or a group breaks another promise."""
    problem = problem.by_person
    needs = demand(problem, "injector")
    check_eligible(problem, needs, "injector")
    progress("search", 0, 0, "")
    if problem.frequency.owners is not None:
        return dealt(problem, needs, "injector", negative_rules(problem.frequency, needs.attribute))
    plan = injected(problem.frequency, needs, np.random.default_rng(problem.seed))
    if plan.suppressed > problem.suppression_limit:
        raise Infeasible(
            f"injector finds no group for {plan.suppressed:,} of {plan.frequency.rows:,} rows: too much is struck out "
            f"for them, or for all they could stand with; {problem.suppression_limit:,} rows may be suppressed",
            repair="raise `suppress`, weaken a promise, or take the search anatomy, which strikes nothing out",
        )
    return kept(problem, plan, progress)


def injected(frequency: FrequencySet, needs: Demand, rng: np.random.Generator) -> Bucketization:
    """The groups of Injector, with no other promise in mind; rows that fit nowhere are suppressed."""
    rules = negative_rules(frequency, needs.attribute)
    kind, kinds = kinds_of(frequency, needs, rules)
    kind_of_place, group = compatible_groups(kinds, needs.l, rng)
    row = shuffled_rows(frequency.counts, rng)
    row = row[np.argsort(kind[row], kind="stable")]
    group = group[np.argsort(kind_of_place, kind="stable")]
    facts = {"search": "injector", "l": needs.l, "rules": rules.number}
    return bucketization(frequency, row, np.ones_like(row), group, {}, facts)


def kinds_of(frequency: FrequencySet, needs: Demand, rules: Rules) -> tuple[IntArray, Kinds]:
    """Which rows are interchangeable: the kind of each combination; those that fit with fewest others come first."""
    value = np.argsort(rules.leaves)[frequency.sensitive[needs.attribute]]
    kind, first = group_equal(value.astype(np.uint64))
    for word in rules.excluded.T:
        pair = kind.astype(np.uint64) << np.uint64(32) | group_equal(np.ascontiguousarray(word))[0].astype(np.uint64)
        kind, first = group_equal(pair)
    value, excluded = value[first], rules.excluded[first]
    count = np.bincount(kind, weights=frequency.counts, minlength=len(first)).astype(np.int64)
    order = np.argsort(-_misfits(value, excluded, count, len(rules.leaves)), kind="stable")
    kinds = Kinds(value[order], excluded[order], count[order], needs.set_of[rules.leaves], needs.sets)
    return np.argsort(order)[kind], kinds


def _misfits(value: IntArray, excluded: Bits, count: IntArray, values: int) -> IntArray:
    """For each kind, how many rows have a value struck out for it, plus how many its own value is struck out for."""
    rows = np.bincount(value, weights=count, minlength=values).astype(np.int64)
    misfits = np.zeros(len(value), dtype=np.int64)
    without = np.zeros(values, dtype=np.int64)
    for w, word in enumerate(excluded.T):
        here = slice(64 * w, min(64 * w + 64, values))
        bits = np.unpackbits(np.ascontiguousarray(word)[:, None].view(np.uint8), axis=1, bitorder="little")
        bits = bits[:, : here.stop - here.start].astype(np.int64)
        misfits += bits @ rows[here]
        without[here] = count @ bits
    return misfits + without[value]
