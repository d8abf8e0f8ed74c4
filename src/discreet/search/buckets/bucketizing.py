"""What Anatomy, Injector and MASK share: what the promises ask of their groups, and the last word on every group.

All three make groups of which a protected set of sensitive values takes at most 1/ℓ. The other promises of a policy are
judged at the end: groups that break one are joined with others if that helps, or suppressed within the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible, Mistake, offenders
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel, all_hold, least_rows, protected_values, rows_per_value
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.plan import SUPPRESSED, Bucketization, Problem

UNPROTECTED = -1
_WORTH_IT = 0.02  # pairs that must come right in a round for another one


@dataclass(frozen=True, eq=False)
class Demand:
    """No protected set of values of `attribute` may take more than 1/`l` of a group; MASK makes groups of `k` rows.

    `set_of` has the number of the protected set of every leaf of the attribute, or UNPROTECTED. Sets that overlap are
    taken as one: where the whole of it is rare enough, so is every part.
    """

    attribute: str
    l: int  # noqa: E741, the theory's own name
    k: int
    set_of: IntArray

    @property
    def sets(self) -> int:
        """How many protected sets there are."""
        return int(self.set_of.max(initial=UNPROTECTED)) + 1


def demand(problem: Problem, search: str) -> Demand:
    """What the strictest promise about sensitive values asks; the others are left to `kept`."""
    strictness = [(model, rows) for model in problem.models if (rows := rows_per_value(model)) > 1]
    if not strictness:
        rule = f"{search} parts rows from their sensitive values, and no promise says how well"
        raise DiscreetError(Mistake("search", rule, "require l_diversity, alpha_k or robust, for example"))
    strictest = max(rows for _, rows in strictness)
    attribute = next(model.attribute for model, rows in strictness if rows == strictest)
    hierarchy = problem.frequency.sensitive_hierarchies[attribute]
    strict = [model for model, rows in strictness if rows == strictest and model.attribute == attribute]
    sets = [values for model in strict for values in protected_sets(model, hierarchy)]
    k = max(least_rows(problem.models), strictest)
    return Demand(attribute, strictest, k, set_numbers(sets, len(hierarchy.leaves)))


def protected_sets(model: PrivacyModel, hierarchy: Hierarchy) -> list[list[int]]:
    """The sets of values (as leaves) that a promise protects: those it lists, else every single one."""
    protected = protected_values(model)
    if protected is not None:
        return [[hierarchy.index[v] for v in values if v in hierarchy.index] for values in protected]
    return [[leaf] for leaf in range(len(hierarchy.leaves))]


def set_numbers(sets: Sequence[Sequence[int]], leaves: int) -> IntArray:
    """The set of every leaf, sets that overlap taken as one; UNPROTECTED for a leaf of none.

    >>> set_numbers([[0, 1], [3], [1, 4]], 5)
    array([ 0,  0, -1,  1,  0])
    """
    number = np.full(leaves, UNPROTECTED, dtype=np.int64)
    for n, values in enumerate(sets):
        before = number[list(values)]
        if (before != UNPROTECTED).any():
            number[np.isin(number, before[before != UNPROTECTED])] = n
        number[list(values)] = n
    inside = number != UNPROTECTED
    number[inside] = _first_first(number[inside])
    return number


def _first_first(labels: IntArray) -> IntArray:
    """The same labels as 0, 1, … in order of first appearance."""
    _, first, of = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[of.reshape(-1)]


def set_sizes(frequency: FrequencySet, needs: Demand) -> tuple[IntArray, int]:
    """How many rows have a value of each protected set, and how many of none."""
    totals = frequency.totals[needs.attribute]
    inside = needs.set_of != UNPROTECTED
    sizes = np.bincount(needs.set_of[inside], weights=totals[inside], minlength=needs.sets).astype(np.int64)
    return sizes, int(totals[~inside].sum())


def eligible(sizes: IntArray, unprotected: int, l: int) -> IntArray:  # noqa: E741, the theory's own name
    """How many rows of each protected set can stay, so that none has more than 1/ℓ of all that stay; as many as can be.

    Xiao & Tao 2006: this is what it takes to put all rows into ℓ-diverse groups. Let c be the most rows of a set that
    stay; Σ min(size, c) + unprotected ≥ ℓ · c for every c up to the largest that will do, for the left side is concave.

    >>> eligible(np.array([5, 3, 2]), 0, 2), eligible(np.array([6, 3, 2]), 0, 2), eligible(np.array([6]), 2, 2)
    (array([5, 3, 2]), array([5, 3, 2]), array([2]))
    """
    low, high = 0, int(sizes.max(initial=0))
    while low < high:
        c = (low + high + 1) // 2
        low, high = (c, high) if np.minimum(sizes, c).sum() + unprotected >= l * c else (low, c - 1)
    return np.minimum(sizes, low)


def check_eligible(problem: Problem, needs: Demand, search: str) -> None:
    """Refuse at once what no grouping can give, with the share of the value that is too frequent."""
    f = problem.frequency
    sizes, unprotected = set_sizes(f, needs)
    missing = int((sizes - eligible(sizes, unprotected, needs.l)).sum())
    if missing <= problem.suppression_limit:
        return
    worst = int(np.argmax(sizes))
    values = np.flatnonzero(needs.set_of == worst)
    names = [f.sensitive_hierarchies[needs.attribute].leaves[v] for v in values]
    what = f"the value {offenders(names)}" if len(names) == 1 else f"the set of {offenders(names, 3)}"
    raise Infeasible(
        f"{search} gives every row of a protected value {needs.l - 1} others, so that none may have more than "
        f"1/{needs.l} of the rows; {what} of {needs.attribute} has {sizes[worst] / f.rows:.2%}",
        closest=f"{missing:,} of {f.rows:,} rows would have to be suppressed, {problem.suppression_limit:,} may be",
        repair=f"ask for at most {f.rows // sizes[worst]}, or protect other values",
    )


def shuffled_rows(counts: IntArray, rng: np.random.Generator) -> IntArray:
    """The combination of every single row, in random order, if combinations have so many."""
    rows = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(rows)
    return rows


def bucketization(
    frequency: FrequencySet,
    row: IntArray,
    count: IntArray,
    group: IntArray,
    exchanged: Mapping[str, Codes],
    facts: Mapping[str, object],
) -> Bucketization:
    """A plan from assignments in any order and with repetitions: those that say the same are put together."""
    number = number_equal([group + 1, row, *exchanged.values()], len(row))
    first = np.unique(number, return_index=True)[1]
    counts = np.bincount(number, weights=count, minlength=len(first)).astype(np.int64)
    codes = {name: values[first] for name, values in exchanged.items()}
    return Bucketization(frequency, row[first], counts, group[first], codes, facts=facts)


def kept(problem: Problem, plan: Bucketization, progress: Progress = silent) -> Bucketization:
    """The plan with every promise kept by every group, or `Infeasible`.

    Groups that break a promise are joined with others if that helps, and suppressed within the limit if it does not.
    """
    rng = np.random.default_rng(problem.seed)
    joined = np.arange(plan.group_count)  # what each group becomes
    if not len(joined):
        return plan
    mergeable = [model for model in problem.models if problem.survives_merging(model)]
    failing = joined[~all_hold(mergeable, plan.groups)]
    with_last = 1  # how many groups the last failing one is joined with: twice as many every time
    while len(pairs := _pairs(failing, np.setdiff1d(joined, failing), rng, with_last)):
        progress("search", 0, 0, f"{len(failing):,} groups are joined")
        with_last = 2 * with_last if len(failing) == 1 else 1
        joined = _join(joined, pairs)
        heads = np.unique(pairs[:, 0])
        failing = np.append(heads[~_hold(mergeable, plan, joined, heads)], np.setdiff1d(failing, pairs))
    if len(mergeable) < len(problem.models):
        joined, failing = _joined_if_better(problem, plan, joined, rng)
    return _suppressed(problem, plan, joined, failing)


def _joined_if_better(
    problem: Problem, plan: Bucketization, joined: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Join pairs that hold together, round after round while there are many; joining may also do harm here."""
    groups = np.unique(joined)
    failing = groups[~_hold(problem.models, plan, joined, groups)]
    while len(pairs := _pairs(failing, np.setdiff1d(joined, failing), rng)):
        better = pairs[_hold(problem.models, plan, _join(joined, pairs), pairs[:, 0])]
        joined = _join(joined, better)
        failing = np.setdiff1d(failing, better)
        if len(better) <= len(pairs) * _WORTH_IT:
            break
    return joined, failing


def _pairs(failing: IntArray, others: IntArray, rng: np.random.Generator, with_last: int = 1) -> IntArray:
    """Failing groups two by two at random, and the last one with others; none if there is nothing to join."""
    order = rng.permutation(failing)
    even = len(order) // 2 * 2
    pairs = order[:even].reshape(-1, 2)
    if len(order) == even or not len(others):
        return pairs
    chosen = rng.choice(others, min(with_last, len(others)), replace=False)
    return np.concatenate([pairs, np.stack([np.full_like(chosen, order[-1]), chosen], axis=1)])


def _join(joined: IntArray, pairs: IntArray) -> IntArray:
    """The second group of each pair becomes the first."""
    becomes = np.arange(len(joined))
    becomes[pairs[:, 1]] = pairs[:, 0]
    return becomes[joined]


def _hold(models: Sequence[PrivacyModel], plan: Bucketization, joined: IntArray, groups: IntArray) -> BoolArray:
    """Which of the groups keep every promise."""
    number = np.full(len(joined), SUPPRESSED, dtype=np.int64)
    number[groups] = np.arange(len(groups))
    return all_hold(models, regrouped(plan, number[joined], only=True).groups)


def regrouped(plan: Bucketization, number: IntArray, *, only: bool = False, **facts: object) -> Bucketization:
    """The plan with other numbers for its groups, SUPPRESSED among them; with `only`, of the remaining rows alone."""
    group = np.where(plan.group == SUPPRESSED, SUPPRESSED, number[plan.group])
    at = np.flatnonzero(group != SUPPRESSED) if only else np.arange(len(group))
    codes = {name: values[at] for name, values in plan.exchanged.items()}
    return bucketization(plan.frequency, plan.row[at], plan.count[at], group[at], codes, {**plan.facts, **facts})


def _suppressed(problem: Problem, plan: Bucketization, joined: IntArray, failing: IntArray) -> Bucketization:
    """Renumber the groups that are left, without the failing ones if so many rows may be suppressed."""
    f = plan.frequency
    stays = np.setdiff1d(joined, failing)
    number = np.full(len(joined), SUPPRESSED, dtype=np.int64)
    number[stays] = np.arange(len(stays))
    done = regrouped(plan, number[joined], joined=len(joined) - len(stays) - len(failing))
    if done.suppressed <= problem.suppression_limit:
        return done
    number[failing] = len(stays) + np.arange(len(failing))
    broken = regrouped(plan, number[joined])
    lost = done.suppressed - plan.suppressed
    raise Infeasible(
        f"{lost / max(f.rows, 1):.2%} of the rows are in groups that break a promise; at most "
        f"{problem.suppression_limit:,} of {f.rows:,} rows may be suppressed",
        witness=witness(problem.models, broken.groups),
        repair="take the search art if robust is asked for, weaken a promise, or raise `suppress`",
    )
