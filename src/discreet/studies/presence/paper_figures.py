"""The figures of the presence study: figures 4 to 7 and table 5, and what the paper does not show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from discreet.studies.figures import Figure, Series, Unit
from discreet.studies.presence import truth
from discreet.studies.presence.data import DIABETES, RANDOM
from discreet.studies.presence.paper_claims import PRINTED, evaluations, loss, pruned_by, seconds
from discreet.studies.presence.runs import (
    ALL,
    EXACT,
    FEW,
    MANY,
    MFALM,
    MPALM,
    NEITHER,
    SPALM,
    Case,
    Run,
    Runs,
    delta_told,
)

_COLOURS = {method: number for number, method in enumerate(FEW)} | {NEITHER: 7}  # the same in every figure


def figures_of(runs: Runs) -> Iterator[Figure]:
    """Figures 4 to 7 and table 5; then what the paper does not show."""
    yield from _by_delta(runs, "Figure 4", runs.design.few, FEW)
    yield from _by_delta(runs, "Figure 5", runs.design.many, MANY)
    for letter, sample in (("a", DIABETES), ("b", RANDOM)):
        yield _prune_rates(runs, f"Figure 6({letter})", sample)
    yield from _by_confidence(runs)
    yield from _table_5(runs)
    for sample in (DIABETES, RANDOM):
        for attributes in (runs.design.few, runs.design.many):
            yield _multidimensional(runs, sample, attributes)
    for sample in (DIABETES, RANDOM):
        yield _truth(runs, sample)
    yield _truth_by_confidence(runs)
    yield from truth.figures_of(runs.truths)


def _by_delta(runs: Runs, called: str, attributes: int, methods: Sequence[str]) -> Iterator[Figure]:
    places = tuple(map(delta_told, runs.design.deltas))
    caption = f"{attributes} attributes, c = {runs.design.confidence}."
    for letters, sample in ((("a", "b"), DIABETES), (("c", "d"), RANDOM)):
        cases = runs.by_delta(sample, attributes)
        times, losses = (_series(runs, cases, methods, of) for of in (seconds, loss))
        if attributes == runs.design.few:
            plain = tuple(runs.plain[case][1] for case in cases)
            times = (*times, Series("none (extrapolated)", plain, 6))
        title = f"{called}({letters[0]}): time over δ, {sample}"
        yield Figure(title, "δ", places, "seconds", times, caption, "seconds")
        yield Figure(f"{called}({letters[1]}): loss over δ, {sample}", "δ", places, "LM", losses, caption)


def _prune_rates(runs: Runs, called: str, sample: str) -> Figure:
    cases = runs.by_delta(sample, runs.design.many)
    return Figure(
        f"{called}: prune rates, {sample}",
        "δ",
        tuple(map(delta_told, runs.design.deltas)),
        "share spared",
        tuple(Series(name, tuple(runs.over(cases, ALL, pruned_by(name)))) for name in ("SD", "PA", "DM")),
        f"{runs.design.many} attributes, c = {runs.design.confidence}, all optimizations: what SD spares of a step's "
        "pairs (x, y), PA of the nodes, DM of the groups.",
        "share",
    )


def _by_confidence(runs: Runs) -> Iterator[Figure]:
    caption = f"{runs.design.many} attributes, δ = {delta_told(runs.design.delta)}."
    for letters, sample in ((("a", "b"), DIABETES), (("c", "d"), RANDOM)):
        cases = runs.by_confidence(sample)
        measures: tuple[tuple[str, str, Callable[[Run], float], Unit], ...] = (
            ("time", "seconds", seconds, "seconds"),
            ("loss", "LM", loss, "number"),
        )
        for letter, (what, up, of, unit) in zip(letters, measures, strict=True):
            title = f"Figure 7({letter}): {what} over confidence, {sample}"
            series = _series(runs, cases, MANY, of)
            yield Figure(title, "confidence", runs.design.confidences, up, series, caption, unit)


def _table_5(runs: Runs) -> Iterator[Figure]:
    widths = runs.design.widths
    places = tuple(map(str, widths))
    caption = (
        f"{runs.design.many} attributes, c = {runs.design.confidence}, δ = {delta_told(runs.design.delta)}, beside the "
        "same without DC. The paper's table is of diabetes."
    )
    time, cost = (Series("the paper's", tuple(PRINTED[width][i] for width in widths), 5) for i in (0, 1))
    work = [
        Series(f"{called}, {sample}", tuple(runs.by_width(sample, of)))
        for of, called in ((evaluations, "evaluations of hyp"), (seconds, "time"))
        for sample in (DIABETES, RANDOM)
    ]
    losses = [Series(s, tuple(x - 1 for x in runs.by_width(s, loss))) for s in (DIABETES, RANDOM)]
    up = "share of that without DC"
    yield Figure("Table 5, ×: time", "width", places, up, (*work, time), caption, "share")
    yield Figure("Table 5, +: loss", "width", places, "more loss", (*losses, cost), caption, "share")


def _multidimensional(runs: Runs, sample: str, attributes: int) -> Figure:
    cases = runs.by_delta(sample, attributes)
    names = {SPALM: SPALM, MPALM: MPALM, EXACT: "SFALM (exact)", MFALM: MFALM}
    return Figure(
        f"With and without the population, {sample}, {attributes} attributes (MFALM is not in the paper)",
        "δ",
        tuple(map(delta_told, runs.design.deltas)),
        "LM",
        tuple(Series(name, tuple(runs.over(cases, method, loss))) for method, name in names.items()),
        f"SPALM and MPALM know everybody; SFALM and MFALM know marginals, with c = {runs.design.confidence}.",
    )


def _truth(runs: Runs, sample: str) -> Figure:
    few, many = (runs.by_delta(sample, n) for n in (runs.design.few, runs.design.many))
    series = []
    for attributes, cases in ((runs.design.few, few), (runs.design.many, many)):
        series += [
            Series(f"SFALM, {attributes} attributes", tuple(runs.over(cases, EXACT, _kept))),
            Series(f"MFALM, {attributes} attributes", tuple(runs.over(cases, MFALM, _kept))),
        ]
    promised = Series("promised", (float(runs.design.confidence),) * len(few))
    return Figure(
        f"Is the promise kept? {sample} (not in the paper)",
        "δ",
        tuple(map(delta_told, runs.design.deltas)),
        "share of groups",
        (*series, promised),
        "The groups that keep δ in the population that there is. The confidence is of a population in which attributes "
        "are independent, which they are not.",
        "share",
    )


def _truth_by_confidence(runs: Runs) -> Figure:
    series = []
    for sample in (DIABETES, RANDOM):
        cases = runs.by_confidence(sample)
        series += [
            Series(f"{sample}: groups that keep δ", tuple(runs.over(cases, EXACT, _kept))),
            Series(f"{sample}: expected, if independent", tuple(runs.over(cases, EXACT, _expected))),
        ]
    return Figure(
        "Is the promise kept, over confidence? (not in the paper)",
        "confidence",
        runs.design.confidences,
        "share of groups",
        (*series, Series("promised", tuple(map(float, runs.design.confidences)))),
        f"{runs.design.many} attributes, δ = {delta_told(runs.design.delta)}, exact search: the groups that keep δ in "
        "the population that there is, and how many would if attributes were independent (their mean confidence).",
        "share",
    )


def _series(
    runs: Runs, cases: Sequence[Case], methods: Sequence[str], of: Callable[[Run], float]
) -> tuple[Series, ...]:
    return tuple(Series(method, tuple(runs.over(cases, method, of)), _COLOURS[method]) for method in methods)


def _kept(run: Run) -> float:
    return run.kept


def _expected(run: Run) -> float:
    return run.expected
