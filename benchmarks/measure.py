"""Measuring and telling: child processes with their cost, plain tables, the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Options:
    """What can be asked of every benchmark."""

    rows: int = 10_000_000
    repeats: int = 3
    limit: float = 240.0  # seconds for one run of another tool


@dataclass
class Table:
    """Rows under named columns; numbers stay numbers until they are printed."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """One more row."""
        assert len(cells) == len(self.columns), (cells, self.columns)
        self.rows.append(cells)

    def text(self) -> str:
        """The table for a terminal: numbers to the right."""
        cells = [self.columns, *([_shown(c) for c in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        right = [
            bool(self.rows) and all(isinstance(row[i], int | float | None) for row in self.rows)
            for i in range(len(self.columns))
        ]
        lines = [
            "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join([self.title, lines[0], "-" * max(map(len, lines)), *lines[1:]])

    def to_json(self) -> dict[str, object]:
        """The same for scripts."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "rows": rows}


@dataclass
class Findings:
    """The answer to one question: tables, and what they say in words."""

    question: str
    tables: list[Table]
    says: list[str]

    def text(self) -> str:
        """The answer for a terminal."""
        tables = "\n\n".join(t.text() for t in self.tables)
        return "\n".join([f"== {self.question}", "", tables, "", *(f"-> {s}" for s in self.says), ""])

    def to_json(self) -> dict[str, object]:
        """The same for scripts."""
        return {"question": self.question, "tables": [t.to_json() for t in self.tables], "says": self.says}


@dataclass(frozen=True)
class Cost:
    """What a piece of work took, in seconds."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Ran:
    """A finished child process."""

    cost: Cost
    code: int
    out: str
    err: str
    stopped: bool  # by us, for taking too long

    def check(self) -> Ran:
        """Itself, or an error if it failed."""
        if self.code != 0:
            raise RuntimeError(f"exit {self.code}: {self.err.strip()[-2000:]}")
        return self

    def json(self) -> Any:
        """What it printed last, as JSON."""
        return json.loads(self.check().out.strip().splitlines()[-1])


def run(command: Sequence[str | Path], limit: float | None = None, folder: Path = ROOT, **environment: str) -> Ran:
    """Run a child in a folder to its end (or the limit, in seconds): what it cost, its own children included."""
    with TemporaryFile() as out, TemporaryFile() as err:
        start = perf_counter()
        child = subprocess.Popen(
            [str(c) for c in command],
            stdout=out,
            stderr=err,
            cwd=folder,
            env=os.environ | environment,
            start_new_session=True,  # so that its own children can be ended with it
        )
        stopped = []

        def stop() -> None:
            stopped.append(True)
            os.killpg(child.pid, 9)

        timer = Timer(limit, stop) if limit is not None else None
        if timer is not None:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = perf_counter() - start
        if timer is not None:
            timer.cancel()
        child.returncode = code = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    return Ran(Cost(wall, usage.ru_utime + usage.ru_stime), code, *texts, bool(stopped))


def discreet(
    words: dict[str, object], out: Path, name: str = "policy", **environment: str
) -> tuple[Cost, dict[str, Any]]:
    """Publish by a policy in a fresh process; its cost, and what `benchmarks.stages` says of it."""
    policy = out.parent / f"{name}.yaml"
    policy.write_text(json.dumps(words), encoding="utf-8")  # JSON is YAML
    ran = run([sys.executable, "-m", "benchmarks.stages", policy, out], **environment)
    return ran.cost, ran.json()


def timed(work: Callable[[], object]) -> Cost:
    """What `work` costs in this process."""
    wall, cpu = perf_counter(), process_time()
    work()
    return Cost(perf_counter() - wall, process_time() - cpu)


def best(costs: Sequence[Cost]) -> Cost:
    """The smallest of each: what the work costs when nobody disturbs it."""
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs))


def machine() -> dict[str, object]:
    """Where and when this was measured."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else None
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": None if memory is None else round(memory / 1e9),
        "load": None if load is None else round(load, 2),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def write(name: str, findings: Findings, where: dict[str, object], options: Options) -> Path:
    """Keep the answer as JSON under benchmarks/results."""
    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    content = findings.to_json() | {"machine": where, "options": asdict(options)}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    return path


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}" if abs(cell) < 0.01 and cell else f"{cell:.4g}"
    return str(cell)
