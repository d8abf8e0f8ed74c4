"""How long does `discreet anonymize` take from a cold start on Adult (7 quasi-identifiers, k = 5, 5%)?

Kernels are compiled beforehand, as the install does. Beside it: what Python and the libraries take just to start.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pyarrow import csv

from benchmarks.adult import adult
from benchmarks.measure import Cost, Findings, Options, Table, best, run

GOAL = 2.5  # seconds on an idle machine
BARE = {
    "python -c pass": "pass",
    "import numpy": "import numpy",
    "import duckdb": "import duckdb",
    "import pyarrow": "import pyarrow",
    "import numba": "import numba",
}


def measure(options: Options) -> Findings:
    """Run the command and its parts in turn, several times."""
    people = adult()
    repeats = max(options.repeats, 3)
    with TemporaryDirectory() as name:
        folder = Path(name)
        csv.write_csv(people.table, folder / "people.csv")
        words = people.words(7, [{"k_anonymity": {"k": 5}}], suppress=0.05, source="people.csv")
        policy = folder / "policy.yaml"
        policy.write_text(json.dumps(words), encoding="utf-8")
        command = [Path(sys.executable).parent / "discreet", "anonymize", policy, "--force", "-o"]
        run([*command, folder / "release"]).check()  # what the cache lacks is compiled now
        whole, parts, stages = [], defaultdict(list), defaultdict(list)
        for _ in range(repeats):
            whole.append(run([*command, folder / "release"]).check().cost)
            for label, code in BARE.items():
                parts[label].append(run([sys.executable, "-c", code]).check().cost)
            ran = run([sys.executable, "-m", "benchmarks.stages", policy, folder / "release"])
            seconds = ran.json()["seconds"]
            seconds["start and end of Python"] = ran.cost.wall - sum(seconds.values())
            for stage, taken in seconds.items():
                stages[stage].append(taken)
        imports = _imports([sys.executable, "-X", "importtime", *command, folder / "release"])
    return Findings(
        __doc__.splitlines()[0],
        [_beside(people.name, whole, parts), _stages(stages), imports],
        [
            f"cold `discreet anonymize`: best {best(whole).wall:.2f} s, median "
            f"{median(c.wall for c in whole):.2f} s of {repeats} (goal below {GOAL} s on an idle machine)",
            "imports happen inside the stages too: the last table cuts the same time another way",
        ],
    )


def _beside(title: str, whole: list[Cost], parts: dict[str, list[Cost]]) -> Table:
    table = Table(title, ("run", "wall s", "CPU s", "median wall s", "ratio of wall"))
    base = best(whole).wall
    for label, costs in {"discreet anonymize": whole, **parts}.items():
        least = best(costs)
        middle = median(c.wall for c in costs)
        table.add(label, least.wall, least.cpu, middle, least.wall / base)
    return table


def _stages(stages: dict[str, list[float]]) -> Table:
    table = Table("where the wall time goes (least of each)", ("stage", "s"))
    for stage, seconds in stages.items():
        table.add(stage, min(seconds))
    return table


def _imports(command: list[str | Path]) -> Table:
    """What importing takes per package, as Python itself counts it (which makes it a little slower)."""
    packages: dict[str, int] = defaultdict(int)
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", run(command).check().err):
        package = name.split(".")[0].lstrip("_")
        packages["standard library" if package in sys.stdlib_module_names else package] += int(own)
    table = Table("imports of the whole run, by package (python -X importtime)", ("package", "s"))
    for package, taken in sorted(packages.items(), key=lambda item: -item[1])[:12]:
        table.add(package, taken / 1e6)
    table.add("all", sum(packages.values()) / 1e6)
    return table
