"""Groups for m-invariance: each value of a group equally often, and everybody in the signature that he had before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.models.base import all_hold, least_rows, rows_per_value
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.buckets.nearness import nearer, nearest_order
from discreet.search.buckets.signatures import Placed, Waiting, newcomers, place
from discreet.search.multidimensional.partition import Partition
from discreet.search.plan import SUPPRESSED, Bucketization, Plan, Problem, Recoding

Nearness = Callable[[FrequencySet, IntArray, np.random.Generator], IntArray]  # a rank of rows
REPAIR = "raise `suppress`, or ask for a smaller m"


def invariant(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups of people of whom none was published before."""
    row, people = _unpublished(problem)
    plan, _ = chained(problem, row, people, progress=progress)
    return plan


def invariant_ranges(problem: Problem, progress: Progress = silent) -> Recoding:
    """The same for a table of coarser values: groups of people who stand near each other."""
    row, people = _unpublished(problem)
    plan, _ = chained_ranges(problem, row, people, progress=progress)
    return plan


def _unpublished(problem: Problem) -> tuple[IntArray, Waiting]:
    """Everybody, and the combination of each, if nobody was published before."""
    f = problem.frequency
    row = np.repeat(np.arange(len(f.counts)), f.counts)
    attribute = attribute_of(problem)
    values = len(f.sensitive_hierarchies[attribute].leaves)
    return row, newcomers(f.sensitive[attribute][row].astype(np.int64), values)


def attribute_of(problem: Problem) -> str:
    """The sensitive attribute whose values make signatures."""
    return next(model.attribute for model in problem.models if rows_per_value(model) > 1 and model.attribute)


def chained(
    problem: Problem,
    row: IntArray,
    people: Waiting,
    *,
    progress: Progress = silent,
) -> tuple[Bucketization, Placed]:
    """A plan of so many people, each with the combination `row` of the table, and where each of them stands.

    Raises `Infeasible` if too many have to be held back.
    """
    placed = _placed(problem, row, people, _nearness, progress)
    plan = Bucketization(problem.frequency, *_counted(row, placed.group), facts=_facts(problem, placed, "invariant"))
    _check(problem, plan)
    return plan, placed


def chained_ranges(
    problem: Problem,
    row: IntArray,
    people: Waiting,
    *,
    progress: Progress = silent,
) -> tuple[Recoding, Placed]:
    """The same, published as the smallest ranges that hold all of a group.

    Groups that look alike stay apart: they have numbers.
    """
    placed = _placed(problem, row, people, nearest_order, progress, close=True)
    f, (rows, count, group) = problem.frequency, _counted(row, placed.group)
    kept = group != SUPPRESSED
    covers = Partition(f, rows[kept], count[kept], group[kept]).covers
    plan = Recoding(f, rows, count, group, *covers, facts=_facts(problem, placed, "invariant_ranges"))
    _check(problem, plan)
    return plan, placed


def _placed(
    problem: Problem, row: IntArray, people: Waiting, nearness: Nearness, progress: Progress, *, close: bool = False
) -> Placed:
    f = problem.frequency
    if f.owners is not None:
        rule = "somebody has several rows, and a chain of releases follows people with one row each"
        raise DiscreetError(Mistake("source", rule, "make one row of each person first"))
    progress("search", 0, 0, "")
    rng = np.random.default_rng(problem.seed)
    near = nearness(f, row, rng)
    m = _m(problem)
    exchange = partial(nearer, near=near, f=f, row=row) if close else None
    return place(people, m, max(least_rows(problem.models), m), near, rng, close=exchange)


def _m(problem: Problem) -> int:
    m: int = max(model.m for model in problem.models if hasattr(model, "m"))
    return m


def _facts(problem: Problem, placed: Placed, search: str) -> dict[str, object]:
    return {"search": search, "m": _m(problem), "signatures": len(np.unique(placed.signature))}


def _nearness(f: FrequencySet, row: IntArray, rng: np.random.Generator) -> IntArray:
    """A rank of rows in which neighbours are alike in as many quasi-identifiers as can be; ties by lot.

    Attributes with few leaves first: within them, the others are in order.
    """
    widths = [len(h.leaves) for h in f.hierarchies]
    order = np.argsort(widths, kind="stable").tolist()
    by = np.lexsort([rng.random(len(row)), *(f.codes[d][row] for d in reversed(order))])
    rank = np.empty(len(row), dtype=np.int64)
    rank[by] = np.arange(len(row))
    return rank


def _counted(row: IntArray, group: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Equal people of a group as one: their combination, how many they are, and the group."""
    number = number_equal([group + 1, row], len(row))
    first = np.unique(number, return_index=True)[1]
    return row[first], np.bincount(number, minlength=len(first)).astype(np.int64), group[first]


def _check(problem: Problem, plan: Plan) -> None:
    f = problem.frequency
    if plan.suppressed > problem.suppression_limit:
        raise Infeasible(
            f"{plan.suppressed:,} of {f.rows:,} rows find no place in which all values are equally frequent and nobody "
            f"changes the signature; at most {problem.suppression_limit:,} may be suppressed",
            repair=REPAIR,
        )
    if not all_hold(problem.models, plan.groups).all():
        raise Infeasible(
            "groups whose values are all equally frequent break another promise",
            witness=witness(problem.models, plan.groups),
            repair="raise m: more values in each group",
        )


# Where the people of the releases before are given, too.
CHAINED: Mapping[str, Callable[..., tuple[Plan, Placed]]] = {"invariant": chained, "invariant_ranges": chained_ranges}
