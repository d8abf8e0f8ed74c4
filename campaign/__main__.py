"""`python -m campaign --seed 1 --count 10000`, or `python -m campaign --replay campaign/results/00017`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from campaign.crew import Crew, Result
from campaign.inputs import families, schedule
from campaign.verdicts import KINDS
from campaign.workers import Job

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Feed, count, keep what failed."""
    run(arguments("campaign", str(__doc__), families(), RESULTS), campaign, replay)


def arguments(
    module: str, about: str, names: Iterable[str], output: Path, numbered: bool = False
) -> argparse.Namespace:
    """What a campaign is asked on the command line; of one that is `numbered`, single cases may be chosen."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same cases")
    parser.add_argument("--count", type=int, default=10_000, help="how many")
    parser.add_argument("--workers", type=int, default=min(4, os.cpu_count() or 1), help="processes at a time")
    parser.add_argument("--family", action="append", choices=list(names), help="only these")
    if numbered:
        parser.add_argument("--number", type=int, action="append", help="only these of each family, whatever the count")
    parser.add_argument("--output", type=Path, default=output, help="where cases that fail are kept")
    parser.add_argument("--replay", type=Path, metavar="FOLDER", help="run one that was kept again")
    return parser.parse_args()


def run(
    options: argparse.Namespace,
    all_cases: Callable[[argparse.Namespace, Path], int],
    one_case: Callable[[Path, Path], int],
) -> None:
    """Go through all cases, or one that was kept, in a folder that is gone afterwards; exit by what came of it."""
    with TemporaryDirectory(prefix="campaign-") as work:
        sys.exit(one_case(options.replay, Path(work)) if options.replay else all_cases(options, Path(work)))


def campaign(options: argparse.Namespace, work: Path) -> int:
    """All inputs of a seed; 0 if nothing is wrong with any."""
    start = time.monotonic()
    crew = Crew(work / "garden", options.workers)
    crew.grow()
    plan = [(number, *place) for number, place in enumerate(schedule(options.count))]
    jobs = [
        Job(number, work / f"{number:05}", family, index, options.seed)
        for number, family, index in plan
        if not options.family or family in options.family
    ]
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    results = []
    for result in crew.run(jobs):
        results.append(result)
        folder = work / f"{result.number:05}"
        if result.troubles:
            kept = options.output / folder.name
            _keep(folder, kept)
            trouble = {"what": result.made.what, "argv": result.made.argv, "troubles": result.troubles}
            (kept / "troubles.json").write_text(json.dumps(trouble, indent=1) + "\n", encoding="utf-8")
            print(f"{folder.name} {result.made.family}: {result.troubles}"[:400], flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        if len(results) % 500 == 0:
            print(f"{len(results):,} of {len(jobs):,}, {time.monotonic() - start:.0f} s", flush=True)
    if not results:
        print("no such inputs")
        return 1
    print(table(results))
    print(f"seed {options.seed}, commit {commit()}, {time.monotonic() - start:.0f} s")
    wrong = [result for result in results if result.troubles]
    if wrong:
        print(f"{len(wrong)} failed: python -m campaign --replay {options.output}/NUMBER")
    return 1 if wrong else 0


def replay(kept: Path, work: Path) -> int:
    """One input again, with everything that it says."""
    folder = work / "again"
    shutil.copytree(kept, folder, symlinks=True)
    for pipe in kept.rglob("*.pipe"):
        place = folder / pipe.relative_to(kept)
        place.unlink()
        os.mkfifo(place.with_suffix(""))
    shutil.rmtree(folder / "here" / "out", ignore_errors=True)
    [result] = Crew(work / "garden", 1).run([Job(0, folder)])
    for number, outcome in enumerate(result.outcomes):
        print(f"$ discreet {' '.join(outcome.argv)}")
        for name in ("stdout", "stderr"):
            sys.stdout.write((folder / f"{number}.{name}").read_text(encoding="utf-8", errors="replace")[-5000:])
        print(f"exit {outcome.code}, {outcome.seconds:.1f} s, {outcome.peak / 1e6:.0f} MB\n{outcome.trouble}")
    print("\n".join(f"{kind}: {place}" for kind, place in result.troubles) or "nothing wrong")
    return 1 if result.troubles else 0


def table(results: Sequence[Result]) -> str:
    """One line per family: how inputs ended, what was wrong, the longest that a command took and the most memory."""
    lines = [["", "inputs", "refused (2)", "no (1)", "done (0)", "verified", *KINDS, "seconds", "MB"]]
    names = [name for name in families() if any(r.made.family == name for r in results)]
    for name in [*names, "all"]:
        mine = [r for r in results if name in (r.made.family, "all")]
        codes = Counter(r.outcomes[0].code for r in mine)
        verified = sum(len(r.outcomes) > 1 and r.outcomes[-1].code == 0 for r in mine)
        wrong = Counter(kind for r in mine for kind in {kind for kind, _ in r.troubles})
        counts = [len(mine), codes[2], codes[1], codes[0], verified, *(wrong[kind] for kind in KINDS)]
        commands = [outcome for r in mine for outcome in r.outcomes]
        most = f"{max(o.seconds for o in commands):.1f}", f"{max(o.peak for o in commands) / 1e6:,.0f}"
        lines.append([name, *(f"{n:,}" for n in counts), *most])
    return aligned(lines)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Cells under each other, the first of each line to the left, the others to the right.

    >>> print(aligned([["", "n"], ["all", "10"]]))
          n
    all  10
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    cells = [[cell.rjust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join("  ".join([line[0].strip().ljust(widths[0]), *line[1:]]) for line in cells)


def _keep(folder: Path, kept: Path) -> None:
    """Copy an input. Pipes can't be copied: a file NAME.pipe says that there was one."""
    for pipe in [path for path in folder.rglob("*") if path.is_fifo()]:
        pipe.unlink()
        pipe.with_name(f"{pipe.name}.pipe").touch()
    shutil.copytree(folder, kept, symlinks=True)


def commit() -> str:
    git = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return git.stdout.strip() or "unknown"


if __name__ == "__main__":
    main()
