"""What does the first `discreet anonymize` after an install cost, with nothing compiled yet, and what a later one?

The sample's policies, one of each kind, and Adult with nothing left to compile. DISCREET_BEFORE may name the `src` of
an older checkout, to be run in turn with this one, on the same machine at the same time.
"""

from __future__ import annotations

import json
import os
import sys
from compileall import compile_dir
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pyarrow import csv

from benchmarks.adult import adult
from benchmarks.measure import ROOT, Cost, Findings, Options, Table, run
from discreet.samples.hospital import write_sample

# The policy of the sample, what it publishes, and the goals for the CPU seconds of a first run and of a later one.
KINDS = {
    "generalization": ("policy", "generalization", 3, 1.0),
    "local recoding": ("policy", "local_recoding", 8, 1.0),
    "bucketization": ("bucketization", "bucketization", 12, 1.0),
    "ambiguity": ("ambiguity", "ambiguity", 8, 1.0),
    "presence": ("presence", "multidimensional", 6, 1.0),
}
NEW = ("one_row_per_person",)  # words that an older checkout does not know
ADULT = 0.8  # CPU seconds of a later run
SETUP = 60  # seconds of wall time, on two idle cores


def measure(options: Options) -> Findings:
    """Run each policy with an empty cache and then with what it left, by this checkout and by the older one."""
    sources = {"now": ROOT / "src"}
    if before := os.environ.get("DISCREET_BEFORE"):
        sources = {"before": Path(before), **sources}
    for source in sources.values():
        compile_dir(source, quiet=2)  # as an install does
    first = Table(
        "the sample: first run, and later ones (median)",
        ("kind", "source", "compiled", "CPU s", "wall s", "goal CPU s", "later CPU s", "later wall s", "goal"),
    )
    later = Table("Adult, 7 quasi-identifiers, k = 5: later runs", ("source", "CPU s", "wall s", "goal CPU s"))
    setup = Table("make setup: all kernels, by two processes", ("compiled", "CPU s", "wall s", "goal wall s"))
    repeats = max(options.repeats, 3)
    with TemporaryDirectory() as name:
        folder = Path(name)
        written = policies(folder)
        for kind, (_, _, goal, goal_later) in KINDS.items():
            for label, source in sources.items():
                compiled, cold, warm = runs(written[kind], folder / "release", source, repeats)
                first.add(kind, label, compiled, cold.cpu, cold.wall, goal, *_middle(warm), goal_later)
        for label, source in sources.items():
            compiled, cold, warm = runs(written["Adult"], folder / "release", source, 3 * repeats)
            later.add(label, *_middle(warm), ADULT)
        with TemporaryDirectory() as cache:
            environment = _environment(sources["now"], cache)
            cost = run([sys.executable, "-m", "discreet.run.warm_up"], **environment).check().cost
            setup.add(_kernels(cache), cost.cpu, cost.wall, SETUP)
    return Findings(
        __doc__.splitlines()[0],
        [first, later, setup],
        ["CPU seconds are those of the process and its children; a load on the machine adds to wall time alone"],
    )


def policies(folder: Path) -> dict[str, Path]:
    """The sample's, one for each kind, and Adult's."""
    write_sample(folder)
    paths = {}
    for kind, (policy, publish, _, _) in KINDS.items():
        words = (folder / f"{policy}.yaml").read_text(encoding="utf-8")
        words = "".join(line for line in words.splitlines(True) if not line.startswith(NEW))
        paths[kind] = folder / f"first-{publish}.yaml"
        paths[kind].write_text(words.replace("publish: generalization ", f"publish: {publish} "), encoding="utf-8")
    people = adult()
    csv.write_csv(people.table, folder / "people.csv")
    words = people.words(7, [{"k_anonymity": {"k": 5}}], suppress=0.05, source="people.csv")
    paths["Adult"] = folder / "adult.yaml"
    paths["Adult"].write_text(json.dumps(words), encoding="utf-8")
    return paths


def runs(policy: Path, out: Path, source: Path, later: int) -> tuple[int, Cost, list[Cost]]:
    """How many kernels are compiled, what a run with an empty cache takes, and what runs take that find it full."""
    command = [sys.executable, "-m", "discreet", "anonymize", policy, "--force", "-o", out]
    with TemporaryDirectory() as cache:
        environment = _environment(source, cache)
        cold, *warm = [run(command, **environment).check().cost for _ in range(1 + later)]
        return _kernels(cache), cold, warm


def _environment(source: Path, cache: str) -> dict[str, str]:
    return {"PYTHONPATH": str(source), "NUMBA_CACHE_DIR": cache}


def _kernels(cache: str) -> int:
    return len(list(Path(cache).rglob("*.nbc")))


def _middle(costs: list[Cost]) -> tuple[float, float]:
    return median(c.cpu for c in costs), median(c.wall for c in costs)
