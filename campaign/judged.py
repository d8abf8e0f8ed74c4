"""Campaigns of small tables that the real thing publishes and an outsider judges: how they run, and what is kept."""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from campaign.__main__ import RESULTS, aligned, arguments, commit
from campaign.__main__ import run as run_by_words
from campaign.promises.audited import MORE
from campaign.promises.case import CASE, Case
from campaign.promises.crew import Crew, Result
from campaign.workers import Job

_SHOWN = 300  # characters of a trouble


@dataclass(frozen=True)
class Campaign:
    """Families of cases, each with its share of the runs, and how a case is run and judged.

    `name` is that of its package in `campaign`, `kinds` are the troubles that it looks for.
    """

    name: str
    about: str
    families: Mapping[str, tuple[int, Callable[[Random], Case]]]
    run: Callable[[Job], Result]
    kinds: Sequence[str]

    def main(self) -> None:
        """Run, count, keep what failed; by the words of the command line."""
        output = RESULTS / self.name
        options = arguments(f"campaign.{self.name}", self.about, self.families, output, numbered=True)
        run_by_words(options, self.all_cases, self.one_case)

    def all_cases(self, options: argparse.Namespace, work: Path) -> int:
        """All runs of a seed; 0 if nothing is wrong with any."""
        start = time.monotonic()
        places = schedule({name: share for name, (share, _) in self.families.items()}, options.count)
        if options.number is not None:
            places = [(family, number) for family in self.families for number in options.number]
        jobs = [
            Job(number, work / f"{number:05}", family, index, options.seed)
            for number, (family, index) in enumerate(places)
            if not options.family or family in options.family
        ]
        shutil.rmtree(options.output, ignore_errors=True)
        options.output.mkdir(parents=True)
        results = []
        for result in Crew(self.run, options.workers).run(jobs):
            results.append(result)
            if result.troubles:
                _keep(result, options.output / result.job.folder.name)
            if wrong(result):
                print(f"{result.job.folder.name} {result.family}: {_told(result)}"[:_SHOWN], flush=True)
            shutil.rmtree(result.job.folder, ignore_errors=True)
            if len(results) % 500 == 0:
                print(f"{len(results):,} of {len(jobs):,}, {time.monotonic() - start:.0f} s", flush=True)
        if not results:
            print("no such runs")
            return 1
        print(self.table(results))
        print(f"seed {options.seed}, commit {commit()}, {time.monotonic() - start:.0f} s")
        failed = sum(map(wrong, results))
        if failed:
            print(f"{failed} failed: python -m campaign.{self.name} --replay {options.output}/NUMBER")
        return 1 if failed else 0

    def one_case(self, kept: Path, work: Path) -> int:
        """One run again: its table, what was asked, and what came of it."""
        folder = work / "again"
        folder.mkdir()
        shutil.copy(kept / CASE, folder / CASE)
        case = json.loads((kept / CASE).read_text(encoding="utf-8"))
        print(json.dumps({name: part for name, part in case.items() if name != "rows"}, indent=1))
        print(",".join(case["names"]))
        for rows in (case["rows"], *case.get("later", ())):
            print("\n".join(",".join("NULL" if v is None else v or '""' for v in row) for row in rows), end="\n\n")
        [result] = Crew(self.run, 1).run([Job(0, folder)])
        for path in sorted(folder.glob("release*/*.csv")):
            print(f"{path.relative_to(folder)}\n{path.read_text(encoding='utf-8')}")
        print(f"\n{result.ended} {result.message}\n{result.seconds:.1f} s")
        print("\n".join(f"{kind}: {what}" for kind, what in result.troubles) or "nothing wrong")
        return 1 if wrong(result) else 0

    def table(self, results: Sequence[Result]) -> str:
        """One line per family: how runs ended, what was wrong, and the milliseconds of a run and of judging it."""
        lines = [["", "runs", "released", "refused", "clean", *self.kinds, MORE, "ms", "judging"]]
        names = [name for name in self.families if any(r.family == name for r in results)]
        for name in [*names, "all"]:
            mine = [r for r in results if name in (r.family, "all")]
            ended = Counter(r.ended for r in mine)
            kinds = Counter(kind for r in mine for kind in {kind for kind, _ in r.troubles})
            counts = [len(mine), ended["released"], ended["refused"], sum(not wrong(r) for r in mine)]
            times = [1000 * sum(r.seconds for r in mine) / len(mine), 1000 * sum(r.judging for r in mine) / len(mine)]
            figures = [*counts, *(kinds[kind] for kind in (*self.kinds, MORE)), *map(round, times)]
            lines.append([name, *(f"{n:,}" for n in figures)])
        return aligned(lines)


def schedule(shares: Mapping[str, int], count: int) -> list[tuple[str, int]]:
    """The family of each run and its number within it: by their shares, evenly spread.

    >>> [family for family, _ in schedule({"many": 3, "few": 1}, 5)]
    ['many', 'many', 'few', 'many', 'many']
    """
    whole, made = sum(shares.values()), dict.fromkeys(shares, 0)
    places: list[tuple[str, int]] = []
    for i in range(count):
        family = max(shares, key=lambda name: shares[name] * (i + 1) / whole - made[name])
        places.append((family, made[family]))
        made[family] += 1
    return places


def wrong(result: Result) -> bool:
    """What could be better is kept and counted, and no failure."""
    return any(kind != MORE for kind, _ in result.troubles)


def _told(result: Result) -> str:
    return "; ".join(f"{kind}: {' '.join(what.split())[-200:]}" for kind, what in result.troubles if kind != MORE)


def _keep(result: Result, kept: Path) -> None:
    """The files of a run, if it got so far as to have some, and what is wrong with it."""
    shutil.copytree(result.job.folder, kept) if result.job.folder.is_dir() else kept.mkdir()
    words = {"family": result.family, "ended": result.ended, "message": result.message, "troubles": result.troubles}
    place = {"index": result.job.index, "seed": result.job.seed}
    (kept / "troubles.json").write_text(json.dumps(words | place, indent=1) + "\n", encoding="utf-8")
