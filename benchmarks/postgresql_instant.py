"""Instant on PostgreSQL's own statistics: how much faster than Incognito and Mondrian by queries in the same database?

The table is in a PostgreSQL server; nobody holds it in memory. Instant reads what the planner keeps (single columns,
and lists of common pairs), chooses, and looks at the table to make sure. Incognito and Mondrian ask one aggregate
query for each node or region, about rows that are coded once, in a temporary table. Both costs are those of client and
server together. On the census of the data folder, or on invented people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
import psutil
from tests.servers import Database, PostgresServer, fresh_database, why_no_postgresql

from benchmarks.adult import data_folder
from benchmarks.measure import Cost, Findings, Options, Table
from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import Node
from discreet.engines.postgresql.engine import PostgreSQL
from discreet.progress import silent
from discreet.run.looks import EstimatedLooks
from discreet.search.instant.m_instant import m_instant
from discreet.search.instant.s_instant import s_instant
from discreet.search.lattice.counting import ByQueries, InMemory
from discreet.search.lattice.incognito import cheapest, minimal_nodes
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding
from discreet.studies.data.census import SENSITIVE, from_folder, invented
from discreet.studies.instant.lattice_queries import LatticeQueries
from discreet.studies.instant.mondrian_queries import mondrian_by_queries
from discreet.studies.instant.runs import Case
from discreet.summaries.base import Summary
from discreet.summaries.statistics import statistics_summary

TABLE = "census"
SINGLE = (("k", 20, 0.0), ("k", 60, 0.0), ("k", 100, 0.0), ("ℓ", 2, 0.0), ("ℓ", 4, 0.0), ("ℓ", 10, 0.0))
SUPPRESSING = (("k", 60, 0.01), ("k", 60, 0.05), ("ℓ", 4, 0.01))
MULTIDIMENSIONAL = (20, 100)
QUERIES = 8  # of Incognito's: their mean is taken for all of them, but for one case that is waited for
PATIENCE = 60.0  # seconds of Mondrian


def measure(options: Options) -> Findings:
    """Seconds of client and server, and losses."""
    if why := why_no_postgresql():
        return Findings(__doc__.splitlines()[0], [], [why])
    folder = data_folder()
    study = invented() if folder is None else from_folder(folder)
    table = study.frequency
    with TemporaryDirectory(prefix="discreet-") as place:
        Path(place).chmod(0o711)
        server = PostgresServer(Path(place) / "server")
        try:
            with fresh_database(server) as database:
                race = Race(database, table)
                analyzed = race.load()
                tables, says = race.run()
        finally:
            server.stop()
    kept = f"ANALYZE with all pairs: {analyzed.cpu:.2g} s of CPU; databases do it by themselves after changes"
    return Findings(__doc__.splitlines()[0], tables, [study.data, kept, *says])


@dataclass(frozen=True)
class QuerySearch:
    """A search by count queries: what it costs, and how many it asks; extrapolated, if it was not waited for."""

    cost: Cost
    queries: int
    waited: bool


class Race:
    """All searches on one table of one database."""

    def __init__(self, database: Database, table: FrequencySet):
        self._database, self._table = database, table
        self._postmaster = psutil.Process(database.server.process)

    def load(self) -> Cost:
        """The rows in random order, as text; then lists of all pairs, and the cost of ANALYZE."""
        t = self._table
        names = [*t.attributes, SENSITIVE]
        leaves = [*(h.leaves for h in t.hierarchies), t.sensitive_hierarchies[SENSITIVE].leaves]
        order = np.random.default_rng(7).permutation(np.repeat(np.arange(len(t.counts)), t.counts))
        columns = [
            np.array(values, dtype=object)[codes[order]]
            for values, codes in zip(leaves, [*t.codes, t.sensitive[SENSITIVE]], strict=True)
        ]
        with self._database.connect() as connection:
            columns_of = ", ".join(f"{name} text" for name in names)
            connection.execute(f"CREATE TABLE {TABLE} ({columns_of}) WITH (autovacuum_enabled = off)")
            with connection.cursor() as cursor, cursor.copy(f"COPY {TABLE} FROM STDIN") as copy:
                copy.write("\n".join(map("\t".join, zip(*columns, strict=True))) + "\n")
            for a, b in combinations(names, 2):
                connection.execute(f"CREATE STATISTICS of_{a}_{b} (mcv) ON {a}, {b} FROM {TABLE}")
            with self._costing() as cost:
                connection.execute(f"ANALYZE {TABLE}")
        return cost()

    def run(self) -> tuple[list[Table], list[str]]:
        """First without suppression, then with; then boxes."""
        waited = Case("k", 100, self._table.rows, len(self._table.hierarchies))
        self.instant(waited)  # compiled kernels are read from disk once
        single = Table(
            f"full domain, {self._table.rows:,} rows: seconds (CPU of client and server, and wall)",
            (
                "promise",
                "suppressed",
                "scans",
                "CPU",
                "wall",
                "LM",
                "optimum",
                "no lists: scans",
                "LM ",
                "Incognito asks",
                "CPU ",
                "wall ",
                "times",
            ),
        )
        ratios: dict[bool, list[float]] = {False: [], True: []}
        worse = []
        for promise, value, share in (*SINGLE, *SUPPRESSING):
            case = Case(promise, value, self._table.rows, len(self._table.hierarchies), share)
            plan, scans, cost = self.instant(case)
            best = float(optimal(Problem(self._table, case.models, case.limit)).losses.mean())
            alone, more_scans, _ = self.instant(case, lists=False)
            incognito = self.incognito(case, None if case == waited else QUERIES)
            ratios[share > 0].append(incognito.cost.cpu / cost.cpu)
            loss = float(plan.losses.mean())
            worse.append(loss - best)
            single.add(
                f"{promise} = {value}",
                f"{share:.0%}",
                scans,
                cost.cpu,
                cost.wall,
                loss,
                best,
                more_scans,
                float(alone.losses.mean()),
                incognito.queries,
                incognito.cost.cpu,
                incognito.cost.wall,
                ratios[share > 0][-1],
            )
        boxes = Table(
            "multidimensional: the same",
            ("promise", "CPU", "wall", "LM", "Mondrian's", "Mondrian asks", "CPU ", "wall ", "times"),
        )
        boxed = []
        for k in MULTIDIMENSIONAL:
            case = Case("k", k, self._table.rows, len(self._table.hierarchies))
            plan, cost = self.m_instant(case)
            exact = mondrian(Problem(self._table, case.models))
            incognito = self.mondrian(case, exact.group_count)
            boxed.append(incognito.cost.cpu / cost.cpu)
            boxes.add(
                f"k = {k}",
                cost.cpu,
                cost.wall,
                float(plan.losses.mean()),
                float(exact.losses.mean()),
                incognito.queries,
                incognito.cost.cpu,
                incognito.cost.wall,
                boxed[-1],
            )
        return [single, boxes], [
            f"the optimum in {sum(w <= 1e-9 for w in worse)} of {len(worse)} cases, at most {max(worse):.4f} worse",
            f"Incognito by queries takes {min(ratios[False]):.3g} to {max(ratios[False]):.3g} times the CPU, "
            f"with suppression {min(ratios[True]):.3g} to {max(ratios[True]):.3g} times",
            f"Mondrian by queries takes {min(boxed):.3g} to {max(boxed):.3g} times",
            f"of Incognito {QUERIES} queries were timed in each case and taken for all, but for {waited}, which was "
            f"waited for; Mondrian was stopped after {PATIENCE:g} s, and its other groups taken to cost as much",
        ]

    def instant(self, case: Case, lists: bool = True) -> tuple[Recoding, int, Cost]:
        """S-INSTANT: statistics, search, looks. Without lists of combinations, as whoever does not own the table."""
        with self._costing() as cost:
            engine, summary, looks = self._estimated(case, lists)
            plan = s_instant(summary, case.models, looks.at_node, case.limit)
        assert plan.frequency.rows == self._table.rows
        return plan, engine.scans, cost()

    def m_instant(self, case: Case) -> tuple[Recoding, Cost]:
        """M-INSTANT: the same with boxes."""
        with self._costing() as cost:
            _, summary, looks = self._estimated(case)
            plan = m_instant(summary, case.models, looks.in_boxes)
        return plan, cost()

    def _estimated(self, case: Case, lists: bool = True) -> tuple[PostgreSQL, Summary, EstimatedLooks]:
        engine = PostgreSQL(self._database.url(TABLE))
        sensitive = dict(self._table.sensitive_hierarchies) if case.about else {}
        kept = engine.statistics([*self._table.attributes, *sensitive])
        kept = kept if lists else replace(kept, joint=())
        summary = statistics_summary(kept, self._table.hierarchies, sensitive)
        rows = tuple(
            np.rint(summary.marginal(d) * summary.rows).astype(np.int64) for d in range(len(summary.hierarchies))
        )
        return engine, summary, EstimatedLooks(engine, summary.hierarchies, sensitive, rows)

    def incognito(self, case: Case, queries: int | None) -> QuerySearch:
        """Top-down Incognito; only so many of its queries are asked, if a number is given, from first to last."""
        nodes = _counted(self._table, case)
        with self._costing() as ready:
            judge = ByQueries(self._queries(case), self._table.hierarchies, case.models, case.limit)
        with self._costing() as cost:
            if queries is None or len(nodes) <= queries:
                cheapest(judge, minimal_nodes(judge, downward=True), suppression=case.limit > 0)
                number, more = len(judge.judged), 1.0
            else:
                number, more = len(nodes), len(nodes) / queries
                for i in np.linspace(0, len(nodes) - 1, queries).round().astype(int).tolist():
                    judge.judge(nodes[i])
        return QuerySearch(_sum(ready(), cost(), more), number, more == 1.0)

    def mondrian(self, case: Case, groups: int) -> QuerySearch:
        """Mondrian by queries, for as long as there is patience."""
        start, parts = perf_counter(), 0

        def enough(stage: str, done: float, total: float, note: str) -> None:
            nonlocal parts
            parts += 1
            if perf_counter() - start > PATIENCE:
                raise _Enough

        with self._costing() as ready:
            queries = self._queries(case)
        with self._costing() as cost, suppress(_Enough):
            mondrian_by_queries(queries, self._table.hierarchies, {}, case.models, enough)
        more = max(groups / parts, 1.0)
        return QuerySearch(_sum(ready(), cost(), more), round(more * queries.queries), more == 1.0)

    def _queries(self, case: Case) -> LatticeQueries:
        engine = PostgreSQL(self._database.url(TABLE))
        sensitive = list(self._table.sensitive_hierarchies.values()) if case.about else []
        return LatticeQueries(engine, self._table.hierarchies, sensitive)

    @contextmanager
    def _costing(self) -> Iterator[Callable[[], Cost]]:
        """What is done here costs, by the clock and in CPU time of this process and of all the server's."""
        costs: list[Cost] = []
        wall, cpu = perf_counter(), process_time() + self._served()
        yield lambda: costs[0]
        costs.append(Cost(perf_counter() - wall, process_time() + self._served() - cpu))

    def _served(self) -> float:
        """CPU seconds of all processes of the server, of those that have ended, too."""
        while True:  # until none ends meanwhile, and would be counted twice or not at all
            before = self._ended()
            try:
                alive = [process.cpu_times() for process in self._postmaster.children()]
            except psutil.NoSuchProcess:
                continue
            if self._ended() == before:
                return before + sum(float(t.user + t.system) for t in alive)

    def _ended(self) -> float:
        first = self._postmaster.cpu_times()
        return float(first.children_user + first.children_system)


def _sum(ready: Cost, cost: Cost, more: float) -> Cost:
    return Cost(ready.wall + more * cost.wall, ready.cpu + more * cost.cpu)


def _counted(table: FrequencySet, case: Case) -> list[Node]:
    """The nodes that Incognito counts, in their order."""
    judge = InMemory(Problem(table, case.models, case.limit), silent)
    cheapest(judge, minimal_nodes(judge, downward=True), suppression=case.limit > 0)
    return list(judge.judged)


class _Enough(Exception):
    """No more patience."""
