"""Ten million rows in DuckDB, PostgreSQL and Spark: how does the whole run compare with the engine's own work?

The engine's own work is one GROUP BY over the 8 quasi-identifiers (result fetched) and one rewrite of all rows, each
value replaced by a join with a small table, as any recoding in that engine has to; a plain copy is told beside it. All
run in a session that is up. The whole run is a fresh process: start of Python (and of Java, for Spark), search, reading
back and judging the release, report. CPU counts the process, its children, and the server.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import psutil
import pyarrow as pa
from pyarrow import parquet

from benchmarks.measure import Cost, Findings, Options, Table, best, discreet, run
from discreet.samples.census import CENSUS, QUASI_IDENTIFIERS, census_attributes, census_like

COLUMNS = QUASI_IDENTIFIERS[:8]
WORK = ("group by", "copy", "join")
ENGINES = ("duckdb", "postgresql", "spark")


def queries() -> dict[str, str]:
    """What each engine is asked, in SQL that all of them speak."""
    listed = ", ".join(COLUMNS)
    joined = ", ".join(f"m_{c}.coarser AS {c}" for c in COLUMNS)
    joins = " ".join(f"LEFT JOIN m_{c} ON m_{c}.exact = people.{c}" for c in COLUMNS)
    return {
        "group by": f"SELECT {listed}, count(*) AS n FROM people GROUP BY {listed}",
        "copy": f"SELECT {listed}, salary FROM people",
        "join": f"SELECT {joined}, people.salary FROM people {joins}",
    }


def mappings() -> dict[str, pa.Table]:
    """A coarser value for each value of each column."""
    return {
        f"m_{c}": pa.table({"exact": list(CENSUS[c].values), "coarser": [f"{v[:1]}*" for v in CENSUS[c].values]})
        for c in COLUMNS
    }


class Rival(ABC):
    """An engine by itself, with the tables in it."""

    @abstractmethod
    def fetch(self, query: str) -> object:
        """The answer, here."""

    @abstractmethod
    def store(self, query: str) -> None:
        """The answer, as a table of the engine."""

    def cpu(self) -> float:
        """Seconds of processor time so far, wherever the engine works."""
        return cpu_of(os.getpid())

    def measure(self) -> dict[str, Cost]:
        """What each piece of work costs."""
        costs = {}
        for work, query in queries().items():
            wall, cpu = perf_counter(), self.cpu()
            self.fetch(query) if work == "group by" else self.store(query)
            costs[work] = Cost(perf_counter() - wall, self.cpu() - cpu)
        return costs


class ByDuckDB(Rival):
    """Parquet in, Parquet out, order not kept: the faster way."""

    def __init__(self, source: Path, folder: Path):
        import duckdb

        self._connection, self._target = duckdb.connect(), folder / "copy.parquet"
        self._connection.execute("SET preserve_insertion_order = false")
        self._connection.execute(f"CREATE VIEW people AS SELECT * FROM '{source}'")
        for name, table in mappings().items():
            self._connection.register(name, table)

    def fetch(self, query: str) -> object:
        return self._connection.sql(query).to_arrow_table()

    def store(self, query: str) -> None:
        self._connection.execute(f"COPY ({query}) TO '{self._target}' (FORMAT parquet)")


class ByPostgreSQL(Rival):
    """A table in, a table out."""

    def __init__(self, server: Any):
        self.server, self._connection = server, server.connect()

    def load(self, source: Path) -> None:
        """The table and the mappings, as text; vacuumed and analyzed, as after a night."""
        import duckdb

        connection = duckdb.connect()
        for name, table in {"people": None, **mappings()}.items():
            columns = ", ".join(f"{c} text" for c in (table.column_names if table else (*COLUMNS, "salary")))
            self._connection.execute(f"CREATE TABLE {name} ({columns})")
            rows = table if table else f"'{source}'"
            batches = connection.sql(f"SELECT * FROM {'rows' if table else rows}").to_arrow_reader()
            with self._connection.cursor().copy(f"COPY {name} FROM STDIN (FORMAT csv)") as copy:
                for batch in batches:
                    copy.write(_as_csv(batch))
        self._connection.execute("VACUUM ANALYZE")

    def fetch(self, query: str) -> object:
        with self._connection.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT csv)") as copy:
            return sum(len(part) for part in copy)

    def store(self, query: str) -> None:
        self._connection.execute("DROP TABLE IF EXISTS copied")
        self._connection.execute(f"CREATE TABLE copied AS {query}")

    def cpu(self) -> float:
        return cpu_of(os.getpid()) + cpu_of(self.server.process)


class BySpark(Rival):
    """Parquet in, Parquet out, in a local session that is up."""

    def __init__(self, source: Path, folder: Path):
        from discreet.engines.spark.session import find_session

        self._session, self._target = find_session(), folder / "copied"
        self._session.read.parquet(str(source)).createOrReplaceTempView("people")
        for name, table in mappings().items():
            self._session.createDataFrame(table).createOrReplaceTempView(name)
        self._session.sql("SELECT count(*) FROM people").toArrow()  # Java has loaded what it needs

    def fetch(self, query: str) -> object:
        return self._session.sql(query).toArrow()

    def store(self, query: str) -> None:
        self._session.sql(query).write.mode("overwrite").parquet(str(self._target))


def measure(options: Options) -> Findings:
    """Each engine in turn; the best of each piece of work counts."""
    tables, says = [], []
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # for the user who runs PostgreSQL
        source = folder / "people.parquet"
        parquet.write_table(census_like(options.rows), source)
        for engine in ENGINES:
            by_work, whole, answer = beside(engine, source, folder, options.repeats)
            base = Cost(*(sum(getattr(by_work[w], kind) for w in ("group by", "join")) for kind in ("wall", "cpu")))
            table = Table(f"{engine}, {options.rows:,} rows", ("work", "wall s", "CPU s", "whole / this, wall", "CPU"))
            rows = {**by_work, "group by + join": base, "discreet, whole run": whole}
            for label, cost in rows.items():
                table.add(label, cost.wall, cost.cpu, whole.wall / cost.wall, whole.cpu / cost.cpu)
            for stage, seconds in answer["seconds"].items():
                table.add(f"  {stage}", seconds, None, None, None)
            tables.append(table)
            says.append(
                f"{engine}: whole / (group by + join) {whole.wall / base.wall:.2f} by wall, {whole.cpu / base.cpu:.2f} "
                f"by CPU; loss {answer['loss']:.4f}, {answer['groups']:,} groups, {answer['suppressed']:,} rows "
                f"suppressed; peak memory of the client {answer['memory'] / 1e9:.2f} GB"
            )
    return Findings(__doc__.splitlines()[0], tables, says)


def beside(
    engine: str, source: Path, folder: Path, repeats: int, **environment: str
) -> tuple[dict[str, Cost], Cost, dict[str, Any]]:
    """The engine by itself, each piece of work, and the whole run; with what the run says of itself."""
    with _rival(engine, source, folder) as measured:
        costs = [measured() for _ in range(repeats)]
        whole, answer = _whole(engine, source, folder, repeats, **environment)
    return {work: best([c[work] for c in costs]) for work in WORK}, whole, answer


@contextmanager
def _rival(engine: str, source: Path, folder: Path) -> Iterator[Any]:
    """A function that measures the engine by itself, and whatever it needs meanwhile."""
    if engine == "postgresql":
        from tests.servers import PostgresServer

        server = PostgresServer(folder / "server")
        before = dict(os.environ)
        try:
            rival = ByPostgreSQL(server)
            rival.load(source)
            os.environ.update(server.environment)
            yield rival.measure
        finally:
            os.environ.clear()
            os.environ.update(before)
            server.remove()
        return
    # Millions of combinations on their way through Java are more than the gigabyte that it takes by itself.
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 6g pyspark-shell")
    # In a process of its own, which takes its threads, memory and Java with it.
    command = [sys.executable, "-m", "benchmarks.engines", engine, source, folder]
    yield lambda: {work: Cost(*cost) for work, cost in run(command).json().items()}


def _whole(engine: str, source: Path, folder: Path, repeats: int, **environment: str) -> tuple[Cost, dict[str, Any]]:
    """The whole run in fresh processes, with the time of those that it left behind (Java) and of the server."""
    places = {"duckdb": str(source), "postgresql": "postgresql://#people", "spark": f"spark:{source}"}
    words: dict[str, object] = {
        "source": places[engine],
        "attributes": census_attributes(8),
        "require": [{"k_anonymity": {"k": 5}}],
        "suppress": 0.02,
        "format": "table" if engine == "postgresql" else "parquet",
    }
    _adopt_orphans()
    costs, answers = [], []
    for _ in range(repeats):
        before = _spent(engine)
        cost, about = discreet(words, folder / f"released_by_{engine}", **environment)
        _wait_for_orphans()
        costs.append(Cost(cost.wall, _spent(engine) - before))
        answers.append(about)
    return best(costs), min(answers, key=lambda about: about["call"])


def _spent(engine: str) -> float:
    """Processor time of children that have ended, and of the server."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = children.ru_utime + children.ru_stime
    if engine == "postgresql":
        spent += cpu_of(int((Path(os.environ["PGHOST"]) / "data" / "postmaster.pid").read_text().split()[0]))
    return spent


def _adopt_orphans() -> None:
    """On Linux: children of children become ours when their parent ends, and so does their time."""
    with suppress(OSError, AttributeError):
        CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _wait_for_orphans() -> None:
    for child in psutil.Process().children():
        if child.name() == "java":
            os.waitpid(child.pid, 0)


def cpu_of(process: int) -> float:
    """Processor time of a process and its children, living or ended."""
    first = psutil.Process(process)
    total = 0.0
    for each in [first, *first.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += sum(each.cpu_times()[:4])  # its own and that of children it has waited for
    return total


def _as_csv(batch: pa.RecordBatch) -> bytes:
    from pyarrow import csv

    sink = pa.BufferOutputStream()
    csv.write_csv(batch, sink, csv.WriteOptions(include_header=False))
    return sink.getvalue().to_pybytes()


def main(engine: str, source: str, folder: str) -> None:
    """The costs of an engine by itself, as JSON."""
    rival = {"duckdb": ByDuckDB, "spark": BySpark}[engine](Path(source), Path(folder))
    costs = {work: (cost.wall, cost.cpu) for work, cost in rival.measure().items()}
    sys.stdout.write(json.dumps(costs) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
