"""Kills at random moments: what is left of a run that was ended by INT, TERM or KILL in the middle of its work.

    python -m tests.kills --count 200 --seed 1

Each turn starts `discreet anonymize`, ends it at a random moment, and looks at everything that it could have left: the
release and its private part (the old pair or the new one, whole), folders beside them, and temporary files. Says what
it saw in one JSON object; exit 1 if anything was wrong, with the folder kept for a look.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
# DuckDB gets so little memory that it spills; nothing else differs from the command.
_COMMAND = """
import sys
from discreet.cli import start
whole = start._exit_code

def with_little_memory(stop):
    import duckdb
    connect = duckdb.connect
    duckdb.connect = lambda: connect(config={"memory_limit": "100MB", "threads": 2})
    return whole(stop)

start._exit_code = with_little_memory
start.run()
"""
_PATIENCE = 300  # seconds after which an ended run is taken for one that hangs
_REQUIRE = "require: [{k_anonymity: {k: 5}}, {l_diversity: {l: 2, kind: distinct, attribute: disease}}]\n"
_EXACT = "require: [{l_diversity: {l: 2, kind: frequency, attribute: disease}}]\n"
_COLUMNS = """attributes:
  age: {role: quasi_identifier}
  zip: {role: quasi_identifier}
  sex: {role: quasi_identifier}
  disease: {role: sensitive}
"""
_OTHER = "  note: {role: other}\n"
# Several kinds of releases; those with other columns are rewritten row by row by the engine, which spills then.
_POLICIES = {
    "coarser": f"{_COLUMNS}{_OTHER}{_REQUIRE}suppress: 0.05\n",
    "boxes": f"{_COLUMNS}{_OTHER}{_REQUIRE}publish: multidimensional\nformat: parquet\n",
    "apart": f"{_COLUMNS}{_OTHER}{_EXACT}publish: bucketization\nsuppress: 0.05\n",
    "summary": f"{_COLUMNS}{_REQUIRE}search: instant\nsuppress: 0.05\n",
}


class Wrong(AssertionError):
    """A run left what it must not leave."""


@dataclass
class Kills:
    """A folder with a table, several policies, and an older release of each: the place of many kills."""

    folder: Path
    rows: int
    seed: int = 1
    seen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        (self.folder / "tmp").mkdir(parents=True)
        (self.folder / "out").mkdir()
        _write_table(self.folder / "people.csv", self.rows, self.seed)
        _write_table(self.folder / "few.csv", 200, self.seed)
        self._seconds = {}
        for kind, words in _POLICIES.items():
            for source in ("people", "few"):
                (self.folder / f"{kind}-{source}.yaml").write_text(f"source: {source}.csv\n{words}", encoding="utf-8")
            self._finish(kind, "few")  # compiles what is not compiled yet
            started = time.monotonic()
            self._finish(kind, "people")
            self._seconds[kind] = time.monotonic() - started

    def turn(self, number: signal.Signals) -> None:
        """One run of a random kind, ended at a random moment by this signal; raises if anything is wrong then."""
        kind = self._chance.choice(sorted(_POLICIES))
        again = self._chance.random() < 0.7  # over an older release
        if not again:
            for path in self._pair(kind):
                shutil.rmtree(path, ignore_errors=True)
        before = self._state(kind)
        moment = self._chance.uniform(0.0, 1.05) * self._seconds[kind]
        run = self._start(kind, "people")
        try:
            run.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            run.send_signal(number)
        try:
            out, err = run.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            raise Wrong(f"{kind} did not end after {number.name} at {moment:.2f} s") from None
        code = run.returncode
        told = f"{kind}, {number.name} at {moment:.2f} of {self._seconds[kind]:.2f} s, exit {code}, over {again}"
        self._check_code(number, code, out + err, told)
        self.seen[f"{number.name} exit {code}"] += 1
        if number == signal.SIGKILL:
            left = self._left()
            self.seen["KILL left records"] += bool([name for name in left if not name.endswith("lock")])
            self.seen["KILL left spilled records"] += any("duckdb_temp" in name for name in left)
            self._check_pair(kind, before, told, between=True)
            self._finish(kind, "few")  # sweeps and replaces
            if self._left():
                raise Wrong(f"{told}: the next run left {self._left()}")
            return
        if self._left():
            raise Wrong(f"{told}: left {self._left()}")
        self._check_pair(kind, before, told)
        if not again and not self._pair(kind)[0].exists():
            self._finish(kind, "few")

    def _check_code(self, number: signal.Signals, code: int, said: str, told: str) -> None:
        if code == -number:
            # Before Python had loaded anything of ours; a shell calls this 130 or 143, too.
            return
        if code not in (CODES[number], 0):
            raise Wrong(f"{told}: said {said[-500:]}")
        if code and said:
            raise Wrong(f"{told}: an ended run said {said[-500:]}")

    def _check_pair(self, kind: str, before: tuple[str, str], told: str, *, between: bool = False) -> None:
        """The old pair, or a new one that is whole."""
        after = self._state(kind)
        if after == before:
            self.seen["the old pair" if before[0] else "nothing"] += 1
            return
        public, private = self._pair(kind)
        if between and not public.exists():  # of the few moments between the renames: the next run will see to it
            self.seen["KILL between the renames"] += 1
            return
        if not after[0] or not self._verified(kind):
            raise Wrong(f"{told}: the release is not whole")
        if private.exists() and after[1] == before[1]:
            if between:
                self.seen["KILL between the renames"] += 1
                return
            raise Wrong(f"{told}: a new release with an old private part")
        self.seen["a new pair"] += 1

    def _verified(self, kind: str) -> bool:
        command = [sys.executable, "-m", "discreet", "verify", str(self._pair(kind)[0]), "--quiet"]
        return subprocess.run(command, env=self._environment(), check=False).returncode == 0

    def _finish(self, kind: str, source: str) -> None:
        run = self._start(kind, source)
        out, err = run.communicate(timeout=_PATIENCE)
        if run.returncode or self._left():
            raise Wrong(f"{kind}: an undisturbed run ended with {run.returncode}, left {self._left()}, said {out}{err}")

    def _start(self, kind: str, source: str) -> subprocess.Popen[str]:
        words = ["anonymize", str(self.folder / f"{kind}-{source}.yaml"), "-o", str(self._pair(kind)[0])]
        return subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *words, "--force", "--quiet"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment(),
        )

    def _environment(self) -> dict[str, str]:
        return os.environ | {"TMPDIR": str(self.folder / "tmp")}

    def _pair(self, kind: str) -> tuple[Path, Path]:
        return self.folder / "out" / kind, self.folder / "out" / f"{kind}.private"

    def _state(self, kind: str) -> tuple[str, str]:
        public, private = (_digest(path) for path in self._pair(kind))
        return public, private

    def _left(self) -> list[str]:
        """What holds, or could hold, records, and is no release."""
        beside = [path for path in (self.folder / "out").iterdir() if path.name[0] == "."]
        found = [*(self.folder / "tmp").iterdir(), *beside]
        inside = [inner for path in found if path.is_dir() for inner in path.rglob("*")]
        return sorted(str(path.relative_to(self.folder)) for path in [*found, *inside])


def _digest(folder: Path) -> str:
    """All that is in a folder; nothing if there is none."""
    if not folder.exists():
        return ""
    files = {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _write_table(path: Path, rows: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    columns = [chance.integers(20, 60, rows), 47000 + chance.integers(0, 40, rows), chance.integers(0, 2, rows)]
    diseases = np.array(["flu", "cold", "asthma", "cancer", "gout"])[chance.integers(0, 5, rows)]
    notes = chance.integers(0, 1 << 62, (rows, 4))
    with path.open("w", encoding="utf-8") as file:
        file.write("age,zip,sex,disease,note\n")
        file.writelines(
            f"{age},{place},{sex},{disease},{'-'.join(map(str, note))}\n"
            for age, place, sex, disease, note in zip(*columns, diseases, notes, strict=True)
        )


def main() -> int:
    """As many kills as are asked for, by turns with INT, TERM and KILL."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=120_000)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    started = time.monotonic()
    kills = Kills(folder / "place", given.rows, given.seed)
    wrong = []
    for turn in range(given.count):
        try:
            kills.turn((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[turn % 3])
        except Wrong as error:
            wrong.append(str(error))
            sys.stderr.write(f"turn {turn}: {error}\n")
            shutil.copytree(kills.folder, folder / f"wrong-{turn}", symlinks=True)
            for path in [*(kills.folder / "tmp").iterdir(), *(kills.folder / "out").glob(".*")]:
                shutil.rmtree(path, ignore_errors=True)
    if not wrong:
        shutil.rmtree(folder)
    answer = {"kills": given.count, "seed": given.seed, "rows": given.rows, "seen": dict(sorted(kills.seen.items()))}
    seconds = round(time.monotonic() - started)
    sys.stdout.write(json.dumps(answer | {"seconds": seconds, "wrong": wrong}, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
