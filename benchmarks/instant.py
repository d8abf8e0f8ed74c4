"""Does an instant search spare counting the table, and what does that cost? Does its first phase grow with the rows?

Phase 1 chooses candidates from a summary and never sees the data; then come looks at the table, one aggregate query
each. Beside it: the search for the optimum, and Incognito, both on counts in memory. On the census of the data folder,
or on invented people.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.adult import data_folder
from benchmarks.measure import Findings, Options, Table
from discreet.studies.data.census import from_folder, invented
from discreet.studies.instant.parts import Parts
from discreet.studies.instant.runs import EXACT, INCOGNITO, SUMMARIES, Case, Instant, Run, instant_run, run

PROMISES = (("k", 20), ("k", 60), ("k", 100), ("ℓ", 3), ("ℓ", 5), ("ℓ", 10))
OVER_ROWS = (("k", 60), ("ℓ", 5))
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
ATTRIBUTES = 7
_SAME = 1e-9


def measure(options: Options) -> Findings:
    """Seconds, looks and losses; then phase 1 for parts of the table."""
    folder = data_folder()
    study = invented() if folder is None else from_folder(folder)
    rows = study.frequency.rows
    with TemporaryDirectory(prefix="discreet-") as files:
        parts = Parts(study, Path(files))
        for promise, value in OVER_ROWS:  # compiled kernels are read from disk once
            for method in (EXACT, INCOGNITO, *map(_by, SUMMARIES)):
                run(method, parts.part(rows, 2), Case(promise, value, rows, 2))
        compared, says = _compared(parts, rows)
        over_rows, growth = _over_rows(parts, rows, options.repeats)
        counted = parts.part(rows, ATTRIBUTES).seconds_to_count
    says = [study.data, *says, growth, f"the scan for both summaries takes {counted:.2g} s"]
    return Findings(__doc__.splitlines()[0], [compared, over_rows], says)


def _by(summary: str) -> Instant:
    return Instant(summary=summary, finer=True)


def _compared(parts: Parts, rows: int) -> tuple[Table, list[str]]:
    table = Table(
        f"seconds and losses (LM), {rows:,} rows, {ATTRIBUTES} attributes; looks are queries of the engine",
        ("promise", "summary", "phase 1", "with looks", "looks", "LM", "optimum", "exact", "Incognito", "counts"),
    )
    part, differences, ratios = parts.part(rows, ATTRIBUTES), [], []
    for promise, value in PROMISES:
        case = Case(promise, value, rows, ATTRIBUTES)
        exact, incognito = (run(method, part, case) for method in (EXACT, INCOGNITO))
        for summary in SUMMARIES:
            by_summary = instant_run(_by(summary), part, case, part.looks(case.about).at_node)
            differences.append(by_summary.loss - exact.loss)
            ratios.append(incognito.seconds / _phase_1(by_summary))
            table.add(
                f"{promise} = {value}",
                summary,
                _phase_1(by_summary),
                by_summary.seconds,
                by_summary.scans,
                by_summary.loss,
                exact.loss,
                exact.seconds,
                incognito.seconds,
                incognito.scans,
            )
    same = sum(d <= _SAME for d in differences)
    return table, [
        f"the optimum in {same} of {len(differences)} cases, at most {max(differences):.4f} worse",
        f"Incognito in memory takes {min(ratios):.2g} to {max(ratios):.2g} times as long as phase 1",
    ]


def _over_rows(parts: Parts, rows: int, repeats: int) -> tuple[Table, str]:
    table = Table("seconds of phase 1 by the number of rows", ("promise", "summary", "rows", "phase 1", "nodes scored"))
    growth = []
    for promise, value in OVER_ROWS:
        for summary in SUMMARIES:
            took = []
            for share in SHARES:
                case = Case(promise, value, round(share * rows), ATTRIBUTES)
                runs = [run(_by(summary), parts.part(case.rows, ATTRIBUTES), case) for _ in range(repeats)]
                took.append(min(map(_phase_1, runs)))
                table.add(f"{promise} = {value}", summary, case.rows, took[-1], runs[-1].facts["nodes_scored"])
            growth.append(took[-1] / took[0])
    least, most = min(growth), max(growth)
    return (
        table,
        f"{SHARES[-1] / SHARES[0]:.3g} times as many rows: phase 1 takes {least:.2g} to {most:.2g} times as long",
    )


def _phase_1(run: Run) -> float:
    return float(str(run.facts["seconds_without_data"]))
