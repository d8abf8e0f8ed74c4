"""Groups for ambiguity at given tables: neighbourhoods, the greedy in each, room for what is left over."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import all_hold, least_rows, rows_per_value
from discreet.models.parameters import exact
from discreet.progress import Progress, silent
from discreet.search.ambiguity import greedy_kernels as kernels
from discreet.search.ambiguity.bounds import usual_size
from discreet.search.ambiguity.neighbourhood_kernels import Columns, Needs, cut
from discreet.search.ambiguity.residue_kernels import place_all
from discreet.search.buckets.bucketizing import shuffled_rows
from discreet.search.plan import SUPPRESSED, Ambiguity, Problem

Tables = tuple[tuple[int, ...], ...]

_CANDIDATES = 64  # rows looked at for each that a group takes
_SAMPLE = 2000  # rows that decide how a larger neighbourhood is cut
_LARGEST = 4  # a group that is not private at so many times the usual size is given up
_STEPS = 50  # of the progress bar


@dataclass(frozen=True)
class Leeway:
    """How much more than needed groups could differ, in units of log(combinations).

    In the whole table, at the size that is aimed at: more makes groups larger. In every neighbourhood: less makes
    neighbourhoods smaller, and rows in them more alike, but more of them find no group there.
    """

    table: float = 0.5
    neighbourhood: float = 0.5


def tables_of(frequency: FrequencySet, model: AlphaBeta) -> Tables:
    """The quasi-identifiers of each table, by position, in the table's own order."""
    if isinstance(model.tables, str):
        return tuple((d,) for d in range(len(frequency.attributes)))
    place = {name: d for d, name in enumerate(frequency.attributes)}
    return tuple(sorted(tuple(sorted(place[name] for name in table)) for table in model.tables))


def least_size(problem: Problem, model: AlphaBeta) -> int:
    """How many rows a group needs for the promises about its size and its sensitive values, if these all differ."""
    return max(least_rows(problem.models), *(rows_per_value(each) for each in (model, *problem.models)))


def combinations(frequency: FrequencySet, tables: Tables) -> Codes:
    """For every combination of the frequency set (row) the number of its part in each table (column)."""
    columns = [number_equal([frequency.codes[d] for d in table], len(frequency.counts)) for table in tables]
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def build(
    problem: Problem,
    model: AlphaBeta,
    tables: Tables,
    least: int,
    leeway: Leeway,
    progress: Progress = silent,
    some: IntArray | None = None,
    apart: float = 0.0,
) -> Ambiguity:
    """Groups of at least `least` rows, all of which keep every promise; the rest is suppressed, however much it is.

    With `some`, only so many rows of each combination are there, and the plan is about these. With `apart`, the chances
    of all groups of a neighbourhood are to add up to α (see `greedy_kernels.Limits`).
    """
    f, rng = problem.frequency, np.random.default_rng(problem.seed)
    there = f.counts if some is None else some
    people = int(there.sum())
    alpha, beta = exact(model.alpha), exact(model.beta)
    codes = combinations(f, tables)
    codes = np.ascontiguousarray(codes[:, np.argsort(-codes.max(axis=0), kind="stable")])  # see `residue_kernels`
    values = f.sensitive[model.attribute]
    counts = [np.bincount(column, weights=there) for column in codes.T]
    size, _ = usual_size(counts, least, float(alpha), leeway.table, apart * people)
    row = shuffled_rows(there, rng).astype(np.int32)
    columns = Columns(
        np.stack(f.codes),
        np.array([len(h.leaves) for h in f.hierarchies]),
        np.array([h.ordered for h in f.hierarchies]),
        np.ascontiguousarray(codes.T),
        values,
        max(int(codes.max()) + 1, int(values.max()) + 1, *(len(h.leaves) for h in f.hierarchies)),
    )
    reach = -np.inf if alpha == 1 else math.log(size / alpha) + leeway.neighbourhood
    reach_apart = math.log(apart / alpha) + leeway.neighbourhood if apart > 0 else -np.inf
    most = max(1, math.floor(beta * size)) / size
    neighbourhoods = cut(row, columns, Needs(float(size), reach, most, reach_apart), _SAMPLE)
    rarity = -sum(np.log(np.maximum(c, 1) / people)[column] for c, column in zip(counts, codes.T, strict=True))
    start = np.cumsum([0, *(len(c) for c in counts)])
    rows = kernels.Rows(codes, start[:-1], values, rarity)
    limits = kernels.Limits(
        (float(alpha.numerator), float(alpha.denominator)),
        (float(beta.numerator), float(beta.denominator)),
        least,
        size,
        min(_LARGEST * size, people),
        _CANDIDATES,
        apart,
        apart * people,
    )
    made, space = kernels.empty(people, rows, limits, int(rng.integers(1 << 62)))
    order = kernels.in_order(neighbourhoods.half)
    pool = kernels.Pool(np.empty(people, dtype=np.int32), np.zeros(len(order), dtype=np.int64))
    waiting = 0
    for some in np.array_split(order, min(_STEPS, len(order))):
        waiting = kernels.gather_all(some, neighbourhoods, pool, waiting, rows, limits, made, space)
        progress("search", int(made.done[0]), people, f"{made.done[1]:,} groups")
    groups = -1
    while waiting and groups < made.done[1]:  # rows of groups that failed, once more with others
        groups = int(made.done[1])
        waiting = kernels.gather(pool.row[:waiting], rows, limits, made, space)
    left_over = waiting
    if waiting:
        waiting = place_all(pool.row[:waiting], rows, limits, made, space)
    row_of = np.concatenate([made.row[: made.done[0]], pool.row[:waiting]]).astype(np.int64)
    group = np.concatenate([made.group[: made.done[0]], np.full(waiting, SUPPRESSED)])
    facts: dict[str, object] = {"neighbourhoods": int((neighbourhoods.half < 0).sum()), "placed": left_over - waiting}
    return kept(problem, plan_of(f, tables, row_of, np.ones_like(row_of), group), facts)


def plan_of(frequency: FrequencySet, tables: Tables, row: IntArray, count: IntArray, group: IntArray) -> Ambiguity:
    """A plan from how many rows of which combination stand in which group; the groups are numbered without gaps."""
    groups = np.unique(group[group != SUPPRESSED])
    number = np.where(group == SUPPRESSED, 0, np.searchsorted(groups, group) + 1)
    key, place = np.unique(row * (len(groups) + 1) + number, return_inverse=True)
    row, number = np.divmod(key, len(groups) + 1)
    return Ambiguity(frequency, row, np.bincount(place, weights=count).astype(np.int64), number - 1, tables)


def kept(problem: Problem, plan: Ambiguity, facts: dict[str, object]) -> Ambiguity:
    """The plan without groups that break a promise, and what is to be told of it.

    All groups are (α, β)-private. Those that break another promise are joined two by two at random, as most promises
    are easier to keep in larger groups; what still breaks one is suppressed.
    """
    holds = all_hold(problem.models, plan.groups) if len(plan.groups) else np.ones(0, dtype=np.bool_)
    joined = plan
    rng = np.random.default_rng(problem.seed)
    while not holds.all() and len(holds) > 1:
        joined = become(joined, _paired(np.flatnonzero(~holds), len(holds), rng))
        holds = all_hold(problem.models, joined.groups)
    plan = min((_held(problem, p) for p in dict.fromkeys([plan, joined])), key=lambda p: p.suppressed)
    names = plan.frequency.attributes
    summary = {
        "search": "greedy",
        "tables": " | ".join(", ".join(names[d] for d in table) for table in plan.tables),
        "groups": plan.group_count,
        "mean_group": float(np.mean(plan.groups.sizes)) if len(plan.groups) else 0.0,
        "suppressed": plan.suppressed,
    }
    return replace(plan, facts=summary | facts)


def _paired(failing: IntArray, groups: int, rng: np.random.Generator) -> IntArray:
    """What each group becomes when failing ones are joined two by two, and the last of an odd number with any other."""
    order = rng.permutation(failing)
    if len(order) % 2:
        others = np.delete(np.arange(groups), order[-1])
        order = np.append(order, rng.choice(others))
    becomes = np.arange(groups)
    becomes[order[1::2]] = becomes[order[::2]]
    return becomes


def _held(problem: Problem, plan: Ambiguity) -> Ambiguity:
    """The plan without the groups that break a promise."""
    if not len(plan.groups):
        return plan
    return become(plan, np.where(all_hold(problem.models, plan.groups), np.arange(plan.group_count), SUPPRESSED))


def become(plan: Ambiguity, becomes: IntArray) -> Ambiguity:
    """The plan when its groups become others, or are suppressed."""
    if (becomes == np.arange(len(becomes))).all():
        return plan
    group = np.where(plan.group == SUPPRESSED, SUPPRESSED, becomes[plan.group])
    return plan_of(plan.frequency, plan.tables, plan.row, plan.count, group)
