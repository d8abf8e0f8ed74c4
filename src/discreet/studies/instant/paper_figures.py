"""Figures 5 to 12 and table V of the instant paper, measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from discreet.studies.figures import Figure, Series, Unit
from discreet.studies.instant.database import IN_DATABASE, IN_DATABASE_EXPECTING, Database, m_at_threshold
from discreet.studies.instant.database import MULTIDIMENSIONAL as BOXED
from discreet.studies.instant.runs import (
    BESIDE_OPTIMIZE,
    EVERY,
    INCOGNITO,
    OURS,
    OURS_EXPECTING,
    SCORES,
    SUMMARIES,
    SUPPRESSING,
    Case,
    Method,
    Run,
    Runs,
    at_threshold,
    switched,
    switching,
)

PRINTED = {0.1: (0.084, 299.0), 0.3: (0.084, 295.0), 0.5: (0.084, 281.0), 0.7: (0.084, 271.0), 0.9: (0.084, 134.0)}
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
_COLOURS: dict[Method, int] = {method: n for n, method in enumerate(EVERY)} | {
    method: EVERY.index(other) for method, other in zip(OURS_EXPECTING, OURS, strict=True)
}
_COLOURS |= {method: n for n, method in enumerate(BESIDE_OPTIMIZE)}


def figures_of(runs: Runs, database: Database) -> Iterator[Figure]:
    """In the paper's order; then what it only speaks of."""
    yield from _panels(runs, "Figure 5", ("a", "b"), runs.cases("value"), "k", EVERY)
    yield from _panels(runs, "Figure 5", ("c", "d"), runs.cases("rows"), "rows", EVERY)
    yield from _panels(runs, "Figure 6", ("a", "b"), runs.cases("value"), "k", BESIDE_OPTIMIZE)
    yield from _panels(runs, "Figure 6", ("c", "d"), runs.cases("rows"), "rows", BESIDE_OPTIMIZE)
    yield from _panels(runs, "Figure 7", ("a", "b"), runs.cases("suppress"), "suppressed at most", SUPPRESSING)
    for letters, varied, across in (("ab", "value", "ℓ"), ("cd", "rows", "rows"), ("ef", "attributes", "attributes")):
        yield from _panels(runs, "Figure 8", tuple(letters), runs.cases(varied, "ℓ"), across, EVERY)
    for letters, varied, across in (("ab", "value", "ℓ"), ("cd", "rows", "rows")):
        yield from _panels(runs, "Figure 9", tuple(letters), runs.cases(varied, "ℓ"), across, BESIDE_OPTIMIZE)
    yield from _switches(runs)
    yield from _thresholds(runs)
    yield from _boxes(runs, database)
    yield from _table_5(runs, database)
    yield from _database(runs, database)


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
    return f"{kind}: {', '.join(text for name, text in fixed.items() if name != across)}."


def _switches(runs: Runs) -> Iterator[Figure]:
    (usual, names), (few, every) = switching(runs.design, runs.rows)
    for case, switches, called in (
        (usual, names, ("Figure 10(a)", "Figure 10(b)")),
        (few, every, ("All five switched",) * 2),
    ):
        caption = f"{_caption([case], 'optimization')} With a network."
        for title, (what, up, of, unit) in zip(called, (_TIME, _LOSS), strict=True):
            series = tuple(
                Series(f"μ-{score}", tuple(of(runs.by_case[case, switched(score, name)]) for name in switches))
                for score in SCORES
            )
            yield Figure(f"{title}: {what} over optimizations", "optimization", switches, up, series, caption, unit)


def _thresholds(runs: Runs) -> Iterator[Figure]:
    thresholds = runs.design.thresholds
    for promise, titles in (("ℓ", ("Figure 11(a)", "Figure 11(b)", "Figure 11")), ("k", _NOT_SHOWN)):
        case = runs.middle(promise)
        places, caption = tuple(map(str, thresholds)), _caption([case], "threshold")
        for title, (what, up, of, unit) in zip(titles, (_TIME, _LOSS, _SCANS), strict=True):
            series = tuple(
                Series(f"μ-probability, {summary}", tuple(of(runs.by_case[case, m]) for m in methods))
                for summary, methods in zip(SUMMARIES, zip(*map(at_threshold, thresholds), strict=True), strict=True)
            )
            yield Figure(f"{title}: {what} over threshold", "threshold", places, up, series, caption, unit)


def _boxes(runs: Runs, database: Database) -> Iterator[Figure]:
    """Figure 12: multidimensional releases."""
    cases = runs.cases("value")
    places, caption = tuple(str(case.value) for case in cases), _caption(cases, "k")
    in_memory = [database.in_memory[case] for case in cases]
    times = [Series(f"M-INSTANT, {m.summary}", tuple(database.boxed[c, m].seconds for c in cases)) for m in BOXED]
    times.append(Series("Mondrian in memory", tuple(boxed.seconds for boxed in in_memory)))
    searches = [database.mondrian[case] for case in cases]
    times.append(Series("Mondrian in the database", tuple(a.seconds for a in searches)))
    cut_short = "" if all(a.waited_for for a in searches) else " Mondrian in the database is extrapolated."
    yield Figure("Figure 12(a): time over k", "k", places, "seconds", tuple(times), caption + cut_short, "seconds")
    losses = [Series(f"M-INSTANT, {m.summary}", tuple(database.boxed[c, m].loss for c in cases)) for m in BOXED]
    losses.append(Series("Mondrian", tuple(boxed.loss for boxed in in_memory)))
    yield Figure("Figure 12(b): loss over k", "k", places, "LM", tuple(losses), caption)


def _table_5(runs: Runs, database: Database) -> Iterator[Figure]:
    thresholds, case = runs.design.thresholds, runs.middle("k")
    boxed = [database.boxed[case, m_at_threshold(th)] for th in thresholds]
    places, caption = tuple(map(str, thresholds)), f"{_caption([case], 'threshold')} M-INSTANT with a network."
    of_paper = [PRINTED.get(th) for th in thresholds]
    losses = (Series("LM", tuple(b.loss for b in boxed)), Series("the paper's", tuple(p and p[0] for p in of_paper)))
    yield Figure("Table V: loss over threshold", "threshold", places, "LM", losses, caption)
    times = (
        Series("time", tuple(b.seconds for b in boxed)),
        Series("the paper's", tuple(p and p[1] for p in of_paper)),
    )
    yield Figure("Table V: time over threshold", "threshold", places, "seconds", times, caption, "seconds")


def _database(runs: Runs, database: Database) -> Iterator[Figure]:
    """What the paper says but does not show: the same searches where every count is a query."""
    for promise, varied, across in (("k", "value", "k"), ("ℓ", "value", "ℓ"), ("k", "suppress", "suppressed at most")):
        cases = runs.cases(varied, promise)
        searches = [database.incognito[case] for case in cases]
        methods = IN_DATABASE_EXPECTING if varied == "suppress" else IN_DATABASE
        series = [Series(INCOGNITO, tuple(a.seconds for a in searches), _COLOURS[INCOGNITO])]
        series += [
            Series(str(m), tuple(database.instant[case, m].seconds for case in cases), _COLOURS[m]) for m in methods
        ]
        cut_short = (
            "" if all(a.waited_for for a in searches) else f" Incognito: {runs.design.queries} queries, extrapolated."
        )
        yield Figure(
            f"In the database: time over {across} (not shown in the paper)",
            across,
            tuple(place(case, across) for case in cases),
            "seconds",
            tuple(series),
            _caption(cases, across) + cut_short,
            "seconds",
        )


_NOT_SHOWN = ("Section 7.1, not shown in the paper",) * 3
