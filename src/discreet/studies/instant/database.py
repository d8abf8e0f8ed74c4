"""The same searches where the table stays in a database: each count of a node, or of a region, is a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import process_time

import numpy as np

from discreet.counts.roll_up import Node
from discreet.progress import Progress, silent
from discreet.search.instant.m_instant import THRESHOLD as M_THRESHOLD
from discreet.search.instant.m_instant import m_instant
from discreet.search.lattice.counting import ByQueries, InMemory
from discreet.search.lattice.incognito import cheapest, minimal_nodes
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem
from discreet.studies.instant.lattice_queries import LatticeQueries
from discreet.studies.instant.mondrian_queries import mondrian_by_queries
from discreet.studies.instant.parts import Part, Parts
from discreet.studies.instant.runs import (
    ALL_FOUR,
    EXPECTING,
    HISTOGRAM,
    OURS,
    OURS_EXPECTING,
    PROBABILITY,
    SUMMARIES,
    Case,
    Design,
    Instant,
    Run,
    cases,
    instant_run,
    middle,
)
from discreet.studies.timing import timed


@dataclass(frozen=True)
class DatabaseSearch:
    """A search that asks a database: its seconds and queries, extrapolated if it was not waited for."""

    seconds: float
    queries: int
    waited_for: bool


def incognito_in_database(part: Part, case: Case, queries: int | None = None) -> DatabaseSearch:
    """Top-down Incognito. The rows are coded by their leaves first: that is one scan, and counts.

    Only so many of its queries are asked, if a number is given, evenly from the first to the last.
    """
    start = process_time()
    table = _table(part, case)
    judge = ByQueries(table, part.frequency.hierarchies, case.models, case.limit)
    ready = process_time() - start
    nodes = [] if queries is None else _counted(part, case)
    start = process_time()
    if queries is None or len(nodes) <= queries:
        cheapest(judge, minimal_nodes(judge, downward=True), suppression=case.limit > 0)
        return DatabaseSearch(ready + process_time() - start, len(judge.judged), True)
    for i in np.linspace(0, len(nodes) - 1, queries).round().astype(int).tolist():
        judge.judge(nodes[i])
    return DatabaseSearch(ready + (process_time() - start) / queries * len(nodes), len(nodes), False)


def _counted(part: Part, case: Case) -> list[Node]:
    """The nodes that Incognito counts, in their order."""
    judge = InMemory(Problem(part.frequency, case.models, case.limit), silent)
    cheapest(judge, minimal_nodes(judge, downward=True), suppression=case.limit > 0)
    return list(judge.judged)


def instant_in_database(part: Part, case: Case, method: Instant) -> Run:
    """S-INSTANT with looks at the file."""
    return instant_run(method, part, case, part.looks(case.about).at_node, times=1)


def _table(part: Part, case: Case) -> LatticeQueries:
    sensitive = list(part.sensitive.values()) if case.about else []
    return LatticeQueries(part.engine, part.frequency.hierarchies, sensitive)


@dataclass(frozen=True)
class Boxed:
    """One multidimensional release."""

    seconds: float
    loss: float
    groups: int


def mondrian_in_memory(part: Part, case: Case) -> Boxed:
    """Mondrian on counts."""
    plan, seconds = timed(lambda: mondrian(Problem(part.frequency, case.models)), clock=process_time)
    return Boxed(seconds, float(plan.losses.mean()), plan.group_count)


def m_instant_in_database(part: Part, case: Case, method: Instant) -> Boxed:
    """M-INSTANT, which looks at the file."""
    summary = part.histogram if method.summary == HISTOGRAM else part.network
    look = part.looks(case.about).in_boxes
    plan, seconds = timed(lambda: m_instant(summary, case.models, look, threshold=method.threshold), 1, process_time)
    return Boxed(seconds, float(plan.losses.mean()), plan.group_count)


def mondrian_in_database(part: Part, case: Case, groups: int, patience: float) -> DatabaseSearch:
    """Mondrian by queries, waited for as long as there is patience (seconds).

    It finishes one group after the other: if not all of the `groups`, the time and queries of the others are taken to
    be as those of the ones it has.
    """
    start = process_time()
    table = _table(part, case)
    parts = 0

    def enough(stage: str, done: float, total: float, note: str) -> None:
        nonlocal parts
        parts += 1
        if process_time() - start > patience:
            raise _Enough

    try:
        mondrian_by_queries(table, part.frequency.hierarchies, part.sensitive, case.models, enough)
    except _Enough:
        more = max(groups / parts, 1.0)
        return DatabaseSearch(more * (process_time() - start), round(more * table.queries), False)
    return DatabaseSearch(process_time() - start, table.queries, True)


class _Enough(Exception):
    """No more patience."""


@dataclass(frozen=True)
class Database:
    """What was measured where the table is in a database; Mondrian in memory beside it."""

    incognito: Mapping[Case, DatabaseSearch]
    waited: tuple[Case, DatabaseSearch]  # Incognito once more, to its end
    instant: Mapping[tuple[Case, Instant], Run]
    mondrian: Mapping[Case, DatabaseSearch]
    in_memory: Mapping[Case, Boxed]
    boxed: Mapping[tuple[Case, Instant], Boxed]


IN_DATABASE = (*(m for m in ALL_FOUR if m.score == PROBABILITY), *OURS)
IN_DATABASE_EXPECTING = (*EXPECTING, *OURS_EXPECTING)
MULTIDIMENSIONAL = tuple(Instant(summary=summary, threshold=M_THRESHOLD) for summary in SUMMARIES)


def m_at_threshold(threshold: float) -> Instant:
    """M-INSTANT as in table V."""
    return Instant(threshold=threshold)


def in_database(parts: Parts, rows: int, design: Design, progress: Progress = silent) -> Database:
    """Ask the database for everything that is shown of it."""
    over_k, over_l = (list(cases(design, rows, "value", promise)) for promise in ("k", "ℓ"))
    suppressing = list(cases(design, rows, "suppress"))
    work = [*over_k, *over_l, *suppressing]
    total, done = len(work) + 1 + 2 * len(over_k) + len(design.thresholds), 0

    def next_part(what: str, case: Case) -> Part:
        nonlocal done
        progress("database", done, total, f"{what}, {case}")
        done += 1
        return parts.part(case.rows, case.attributes)

    incognito, instant = {}, {}
    for case in work:
        part = next_part("Incognito and S-INSTANT", case)
        incognito[case] = incognito_in_database(part, case, design.queries)
        for method in IN_DATABASE_EXPECTING if case.suppress else IN_DATABASE:
            instant[case, method] = instant_in_database(part, case, method)
    last = over_k[-1]
    waited = last, incognito_in_database(next_part("Incognito, to its end", last), last)
    mondrian, in_memory = {}, {}
    boxed: dict[tuple[Case, Instant], Boxed] = {}
    for case in over_k:
        part = next_part("M-INSTANT", case)
        in_memory[case] = mondrian_in_memory(part, case)
        boxed |= {(case, method): m_instant_in_database(part, case, method) for method in MULTIDIMENSIONAL}
        next_part("Mondrian", case)
        mondrian[case] = mondrian_in_database(part, case, in_memory[case].groups, design.patience)
    usual = middle(design, rows, "k")
    for threshold in design.thresholds:
        method = m_at_threshold(threshold)
        boxed[usual, method] = m_instant_in_database(next_part("M-INSTANT", usual), usual, method)
    return Database(incognito, waited, instant, mondrian, in_memory, boxed)
