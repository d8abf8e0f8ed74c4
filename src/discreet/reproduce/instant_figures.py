"""Figures 5 to 12 and table V of the instant paper, measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from discreet.reproduce.figures import Figure, Series, Unit
from discreet.reproduce.instant_runs import (
    EVERY,
    OURS,
    OURS_EXPECTING,
    SUMMARIES,
    SUPPRESSING,
    Case,
    Method,
    Run,
    Runs,
    at_threshold,
)

Measure = tuple[str, str, Callable[[Run], float], Unit]


def seconds(run: Run) -> float:
    return run.seconds


def loss(run: Run) -> float:
    return run.loss


def scans(run: Run) -> float:
    return float(run.scans)


_TIME: Measure = ("time", "seconds", seconds, "seconds")
_LOSS: Measure = ("loss", "LM", loss, "number")
_SCANS: Measure = ("how often the table is counted", "counts", scans, "number")
_COLOURS: Mapping[Method, int] = {method: n for n, method in enumerate(EVERY)} | {
    method: EVERY.index(other) for method, other in zip(OURS_EXPECTING, OURS, strict=True)
}


def figures_of(runs: Runs) -> Iterator[Figure]:
    """In the paper's order; then what it only speaks of."""
    yield from _panels(runs, "Figure 5", ("a", "b"), runs.cases("value"), "k", EVERY)
    yield from _panels(runs, "Figure 5", ("c", "d"), runs.cases("rows"), "rows", EVERY)
    yield from _panels(runs, "Figure 7", ("a", "b"), runs.cases("suppress"), "suppressed at most", SUPPRESSING)
    for letters, varied, across in (("ab", "value", "ℓ"), ("cd", "rows", "rows"), ("ef", "attributes", "attributes")):
        yield from _panels(runs, "Figure 8", tuple(letters), runs.cases(varied, "ℓ"), across, EVERY)
    yield from _thresholds(runs)


def _panels(
    runs: Runs, called: str, letters: Sequence[str], cases: Sequence[Case], across: str, methods: Sequence[Method]
) -> Iterator[Figure]:
    """Time, loss, and how often the table is counted, for the same cases."""
    places = tuple(place(case, across) for case in cases)
    titles = (f"{called}({letters[0]})", f"{called}({letters[1]})", called)
    for title, (what, up, of, unit) in zip(titles, (_TIME, _LOSS, _SCANS), strict=True):
        series = tuple(Series(str(m), tuple(runs.over(cases, m, of)), _COLOURS[m]) for m in methods)
        yield Figure(f"{title}: {what} over {across}", across, places, up, series, _caption(cases, across), unit)


def place(case: Case, across: str) -> str:
    """What is varied, of a case."""
    match across:
        case "rows":
            return f"{case.rows / 1000:,.4g}k"
        case "attributes":
            return str(case.attributes)
        case "suppressed at most":
            return f"{case.suppress:.0%}"
        case _:
            return str(case.value)


def _caption(cases: Sequence[Case], across: str) -> str:
    """What is not varied."""
    one = cases[-1]
    fixed = {one.promise: f"{one.promise} = {one.value}", "rows": f"{one.rows:,} rows"}
    fixed |= {"attributes": f"{one.attributes} attributes"}
    kind = "k-anonymity" if one.promise == "k" else "ℓ-diversity"
    return f"{kind}: {', '.join(told for name, told in fixed.items() if name != across)}."


def _thresholds(runs: Runs) -> Iterator[Figure]:
    thresholds = runs.design.thresholds
    for promise, titles in (("ℓ", ("Figure 11(a)", "Figure 11(b)", "Figure 11")), ("k", _NOT_SHOWN)):
        case = runs.middle(promise)
        places, caption = tuple(map(str, thresholds)), _caption([case], "threshold")
        for title, (what, up, of, unit) in zip(titles, (_TIME, _LOSS, _SCANS), strict=True):
            series = tuple(
                Series(f"μ-probability, {summary}", tuple(of(runs.found[case, m]) for m in methods))
                for summary, methods in zip(SUMMARIES, zip(*map(at_threshold, thresholds), strict=True), strict=True)
            )
            yield Figure(f"{title}: {what} over threshold", "threshold", places, up, series, caption, unit)


_NOT_SHOWN = ("Section 7.1, not shown in the paper",) * 3
