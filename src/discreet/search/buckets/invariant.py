"""Groups for m-invariance: each value of a group equally often, and everybody in the signature that he had before."""

from __future__ import annotations

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.errors import DiscreetError, Infeasible, Mistake
from discreet.models.base import all_hold, least_rows, rows_per_value
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.buckets.signatures import Placed, Waiting, newcomers, place
from discreet.search.plan import Bucketization, Problem

REPAIR = "raise `suppress`, or ask for a smaller m"


def invariant(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups of people of whom none was published before."""
    f = problem.frequency
    row = np.repeat(np.arange(len(f.counts)), f.counts)
    attribute = attribute_of(problem)
    values = len(f.sensitive_hierarchies[attribute].leaves)
    plan, _ = chained(problem, row, newcomers(f.sensitive[attribute][row].astype(np.int64), values), progress=progress)
    return plan


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
    f = problem.frequency
    if f.owners is not None:
        rule = "somebody has several rows, and a chain of releases follows people with one row each"
        raise DiscreetError(Mistake("source", rule, "make one row of each person first"))
    progress("search", 0, 0, "")
    m = max(model.m for model in problem.models if hasattr(model, "m"))
    rng = np.random.default_rng(problem.seed)
    near = _nearness(f, row, rng)
    placed = place(people, m, max(least_rows(problem.models), m), near, rng)
    facts = {"search": "invariant", "m": m, "signatures": len(np.unique(placed.signature))}
    plan = _counted(f, row, placed.group, facts)
    _check(problem, plan)
    return plan, placed


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


def _counted(f: FrequencySet, row: IntArray, group: IntArray, facts: dict[str, object]) -> Bucketization:
    """Exact values apart."""
    number = number_equal([group + 1, row], len(row))
    first = np.unique(number, return_index=True)[1]
    count = np.bincount(number, minlength=len(first)).astype(np.int64)
    return Bucketization(f, row[first], count, group[first], facts=facts)


def _check(problem: Problem, plan: Bucketization) -> None:
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
