"""How do other Python tools compare on Adult: seconds, loss, and does what they publish keep its promise?

anjana, anonypy and project-lighthouse-anonymize, each in an environment of its own under benchmarks/.venvs, as their
pins clash. What they return is judged from the file alone by counting with DuckDB, NULL being a value.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyarrow import csv

from benchmarks.adult import SENSITIVE, People, adult
from benchmarks.judge import judge
from benchmarks.measure import ROOT, Findings, Options, Table, discreet, run
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.run.intake import take_in

QUASI_IDENTIFIERS = 7
PINS = {
    "anjana": ("anjana==1.2.3",),
    "anonypy": ("anonypy==0.2.1", "pandas<3"),  # it needs pandas but does not say so
    "lighthouse": ("project-lighthouse-anonymize==1.0.0",),
}
OURS = {"discreet optimal": "generalization", "discreet mondrian": "multidimensional"}
OURS |= {"discreet local recoding": "local_recoding", "discreet local recoding, sets": "local_recoding"}


@dataclass(frozen=True)
class Task:
    """What is asked of every tool that can do it."""

    name: str
    k: int = 5
    l: int = 0  # noqa: E741 the theory's letter
    suppress: float = 0.0
    nulls: bool = False

    @property
    def require(self) -> list[object]:
        """In the words of a policy."""
        promises: list[object] = [{"k_anonymity": {"k": self.k}}]
        return promises + ([{"l_diversity": {"l": self.l, "kind": "distinct"}}] if self.l else [])


TASKS = (
    Task("k = 5"),
    Task("k = 5, 5% suppressed", suppress=0.05),
    Task("k = 5, 2 distinct", l=2),
    Task("k = 5, NULLs in two columns", nulls=True),
)
SUPPRESSING = {"anjana", "discreet optimal"}  # the others take no limit


def measure(options: Options) -> Findings:
    """Every tool on every task it can do."""
    says = []
    ready = {}
    for tool, pins in PINS.items():
        problem = environment(tool, pins)
        if problem is None:
            ready[tool] = ROOT / "benchmarks" / ".venvs" / tool / "bin" / "python"
        else:
            says.append(f"{tool} could not be installed, and is left out: {problem}")
    columns = (
        "task",
        "tool",
        "process s",
        "its CPU s",
        "call s",
        "loss",
        "suppressed",
        "groups",
        "smallest",
        "least distinct",
    )
    table = Table("", (*columns, "rows that break it", "keeps it", "beside that"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        for task in TASKS:
            people = adult(task.nulls)
            table.title = table.title or people.name
            csv.write_csv(people.table, folder / "people.csv")
            policy = people.policy(QUASI_IDENTIFIERS, task.require)
            hierarchies = {h.attribute: h for h in take_in(policy, people.table).frequency.hierarchies}
            for tool in [*OURS, *ready]:
                if task.suppress and tool not in SUPPRESSING:
                    continue
                published = folder / "published.csv"
                published.unlink(missing_ok=True)
                if tool in OURS:
                    people_for_it = people.with_sets() if tool.endswith("sets") else people
                    ran = _ours(people_for_it, task, OURS[tool], folder, published)
                else:
                    ran = _theirs(ready[tool], tool, people, task, hierarchies, folder, published, options.limit)
                _add(table, task, tool, ran, people, hierarchies, published)
    says += [
        "process: a fresh process from reading the file to writing the result; call: anonymizing alone (for discreet "
        "that still includes reading, writing, verifying and the report)",
        "rows that break it: rows published in groups that don't keep the promise",
        "lighthouse publishes the mean age of a group; its loss is counted as the range that the group really has",
        "lighthouse reaches 2 distinct values by changing sensitive values, which no loss here counts",
    ]
    return Findings(__doc__.splitlines()[0], [table], says)


def environment(tool: str, pins: Sequence[str]) -> str | None:
    """Make the tool's environment unless it is there; what went wrong, if anything did."""
    folder = ROOT / "benchmarks" / ".venvs" / tool
    stamp = folder / "ready"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == "\n".join(pins):
        return None
    uv = Path(sys.executable).parent / "uv"
    for command in (
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder],
        [uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python", *pins],
    ):
        try:
            ran = run(command, limit=300)
        except OSError as error:
            return str(error)
        if ran.code != 0:
            return (ran.err.strip().splitlines() or ["no reason given"])[-1]
    stamp.write_text("\n".join(pins), encoding="utf-8")
    return None


def _ours(people: People, task: Task, publish: str, folder: Path, published: Path) -> dict[str, Any] | str:
    words = people.words(
        QUASI_IDENTIFIERS, task.require, suppress=task.suppress, publish=publish, source=str(folder / "people.csv")
    )
    try:
        cost, answer = discreet(words, folder / "release")
    except RuntimeError as error:
        return str(error).splitlines()[-1]
    (folder / "release" / "data.csv").rename(published)
    return {"process": cost.wall, "cpu": cost.cpu, "call": answer["call"]}


def _theirs(
    python: Path,
    tool: str,
    people: People,
    task: Task,
    hierarchies: Mapping[str, Hierarchy],
    folder: Path,
    published: Path,
    limit: float,
) -> dict[str, Any] | str:
    words = {
        "source": str(folder / "people.csv"),
        "target": str(published),
        "quasi_identifiers": list(people.columns[:QUASI_IDENTIFIERS]),
        "numbers": ["age"],
        "sensitive": SENSITIVE,
        "k": task.k,
        "l": task.l,
        "suppress": task.suppress,
        "hierarchies": {name: hierarchy_rows(h) for name, h in hierarchies.items()},
    }
    path = folder / "task.json"
    path.write_text(json.dumps(words), encoding="utf-8")
    ran = run([python, ROOT / "benchmarks" / f"peer_{tool}.py", path], limit=limit)
    if ran.stopped:
        return f"not finished after {limit:.0f} s"
    if ran.code != 0:
        return f"failed: {(ran.err.strip().splitlines() or ['?'])[-1][:100]}"
    return {"process": ran.cost.wall, "cpu": ran.cost.cpu, "call": ran.json()["seconds"]}


def hierarchy_rows(hierarchy: Hierarchy) -> list[list[str]]:
    """Leaf, level 1, …, * for every leaf but NULL, which no other tool has a place for."""
    return [
        [str(hierarchy.labels[level][codes[i]]) for level, codes in enumerate(hierarchy.codes)]
        for i, leaf in enumerate(hierarchy.leaves)
        if leaf is not None
    ]


def _add(
    table: Table,
    task: Task,
    tool: str,
    ran: dict[str, Any] | str,
    people: People,
    hierarchies: Mapping[str, Hierarchy],
    published: Path,
) -> None:
    if isinstance(ran, str):
        table.add(task.name, tool, *[None] * (len(table.columns) - 3), ran)
        return
    judgement = judge(people, hierarchies, SENSITIVE, published, task.k, task.l)
    table.add(
        task.name,
        tool,
        ran["process"],
        ran["cpu"],
        ran["call"],
        judgement.loss,
        judgement.suppressed,
        judgement.groups,
        judgement.smallest,
        judgement.least_distinct,
        judgement.broken,
        judgement.broken == 0,
        "; ".join(judgement.leaks),
    )
