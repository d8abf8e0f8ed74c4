"""The releases of the instant study, each made and timed: S-INSTANT beside the searches that count every node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import process_time

from discreet.counts.roll_up import Node
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress, silent
from discreet.search.instant.cuts import s_instant_cut
from discreet.search.instant.s_instant import (
    ANSWERS_IN_A_LOOK,
    Look,
    Tuning,
    candidates,
    coarsened,
    s_instant,
    standing_for,
)
from discreet.search.lattice.incognito import incognito
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.optimize import optimize
from discreet.search.plan import Problem, Recoding
from discreet.studies.data.census import SENSITIVE
from discreet.studies.instant.likely_paper import PaperShares
from discreet.studies.instant.likely_paper_kernels import Switches
from discreet.studies.instant.parts import Part, Parts
from discreet.studies.timing import timed

INCOGNITO, UPWARD, EXACT, OPTIMIZE = "Incognito", "Incognito, bottom-up", "our exact search", "k-/ℓ-Optimize"
PROBABILITY, EXPECTATION = SCORES = ("probability", "expectation")
HISTOGRAM, NETWORK = SUMMARIES = ("histogram", "network")


_PLAIN = Options()


@dataclass(frozen=True)
class Design:
    """What is varied, as in the paper's table IV. What is not stands in its middle, but the rows: all of them."""

    ks: tuple[int, ...] = (20, 40, 60, 80, 100)
    k: int = 60
    ls: tuple[int, ...] = (2, 3, 4, 5, 10)
    l: int = 4  # noqa: E741, the theory's own name
    shares: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)  # of the rows: 100,000 to 500,000
    attributes: tuple[int, ...] = (3, 4, 5, 6, 7)
    suppress: tuple[float, ...] = (0.01, 0.02, 0.03, 0.04, 0.05)
    thresholds: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    few: float = 0.02  # of the rows: where optimizations are switched off without which it takes too long
    queries: int = 12  # of Incognito's in the database: their mean time is taken for that of all of them
    patience: float = 4.0  # seconds for Mondrian in the database: it would take many minutes


@dataclass(frozen=True)
class Case:
    """What is asked: k-anonymity or ℓ-diversity, of how many rows and attributes, and how many may be suppressed."""

    promise: str  # k or ℓ
    value: int
    rows: int
    attributes: int
    suppress: float = 0.0

    @property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The promise."""
        return (KAnonymity(self.value) if self.promise == "k" else FrequencyDiversity(self.value, SENSITIVE),)

    @property
    def about(self) -> str:
        """The sensitive attribute that the promise is about, if any."""
        return "" if self.promise == "k" else SENSITIVE

    @property
    def limit(self) -> int:
        """How many rows may be suppressed."""
        return int(self.suppress * self.rows)

    def __str__(self) -> str:
        suppressed = f", {self.suppress:.0%} suppressed" if self.suppress else ""
        return f"{self.promise} = {self.value}, {self.rows:,} rows, {self.attributes} attributes{suppressed}"


@dataclass(frozen=True)
class Instant:
    """One way to run S-INSTANT: as published, or with looks that tell more than whether one candidate holds (finer)."""

    score: str = PROBABILITY
    summary: str = NETWORK
    threshold: float = 0.8
    finer: bool = False
    options: Options = _PLAIN
    cuts: bool = False  # values of one attribute at different levels, as in k-Optimize

    def __str__(self) -> str:
        return f"μ-{self.score}, {self.summary}{', cuts' * self.cuts}{', finer looks' * self.finer}"


ALL_FOUR = tuple(Instant(score, summary) for score in SCORES for summary in SUMMARIES)
EXPECTING = tuple(method for method in ALL_FOUR if method.score == EXPECTATION)
OURS = tuple(Instant(PROBABILITY, summary, finer=True) for summary in SUMMARIES)  # what `search: instant` does
OURS_EXPECTING = tuple(Instant(EXPECTATION, summary, finer=True) for summary in SUMMARIES)  # where rows are suppressed
# Figure 10: ℓ-diversity as we compute it, and as the paper does, with all of its optimizations or all but one.
OURSELVES, ALL = "ours", "ALL"
SWITCHES = {OURSELVES: _PLAIN} | {
    name: Options(counts="binomial", shares=PaperShares(switches))
    for name, switches in {
        ALL: Switches(),
        "~MAX": Switches(maximum=False),
        "~LIMIT": Switches(limit=False),
        "~EXPO": Switches(expo=False),
        "~SD_CUT": Switches(sd_cut=False),
        "~HYBRID": Switches(hybrid=False),
    }.items()
}
SLOW = ("~SD_CUT", "~HYBRID")  # for few rows only
CUTS = tuple(Instant(summary=summary, finer=finer, cuts=True) for finer in (False, True) for summary in SUMMARIES)
Method = str | Instant
EVERY: tuple[Method, ...] = (INCOGNITO, EXACT, *ALL_FOUR, *OURS)
BESIDE_OPTIMIZE: tuple[Method, ...] = (OPTIMIZE, *CUTS)
SUPPRESSING: tuple[Method, ...] = (INCOGNITO, EXACT, *EXPECTING, *OURS_EXPECTING)
_SMALL = 300  # rows; compiling is not timed


@dataclass(frozen=True)
class Run:
    """One release: how long it took to find, what it loses, and how often the table was counted for it."""

    seconds: float
    loss: float
    node: Node | None
    scans: int
    suppressed: int = 0
    without_data: float | None = None  # seconds until the first candidate, where that was measured
    facts: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Runs:
    """All releases, by what was asked and how they were found."""

    design: Design
    rows: int
    by_case: Mapping[tuple[Case, Method], Run]

    def over(self, cases: Sequence[Case], method: Method, of: Callable[[Run], float]) -> list[float]:
        """A measure of one method's releases."""
        return [of(self.by_case[case, method]) for case in cases]

    def cases(self, varied: str, promise: str = "k") -> list[Case]:
        """The cases in which one thing is varied: value, rows, attributes or suppress."""
        return list(cases(self.design, self.rows, varied, promise))

    def middle(self, promise: str) -> Case:
        """The case in which nothing is varied."""
        return middle(self.design, self.rows, promise)


def middle(design: Design, rows: int, promise: str) -> Case:
    """The case in which nothing is varied."""
    return Case(promise, design.k if promise == "k" else design.l, rows, design.attributes[-1])


def cases(design: Design, rows: int, varied: str, promise: str = "k") -> Iterator[Case]:
    """The cases in which one thing is varied: value, rows, attributes or suppress."""
    usual = middle(design, rows, promise)
    match varied:
        case "value":
            yield from (replace(usual, value=n) for n in (design.ks if promise == "k" else design.ls))
        case "rows":
            yield from (replace(usual, rows=round(share * rows)) for share in design.shares)
        case "attributes":
            yield from (replace(usual, attributes=d) for d in design.attributes)
        case "suppress":
            yield from (replace(usual, suppress=share) for share in design.suppress)


def all_runs(parts: Parts, rows: int, design: Design, progress: Progress = silent) -> Runs:
    """Make every release of every figure, each once."""
    shown = list(dict.fromkeys(_shown(design, rows)))
    progress("run", 0, len(shown), "compile")
    small = min(rows, _SMALL)
    for promise in ("k", "ℓ"):
        for method in dict.fromkeys(method for _, method in shown):
            run(method, parts.part(small, 2), Case(promise, 2, small, 2))
    by_case: dict[tuple[Case, Method], Run] = {}
    for done, (case, method) in enumerate(shown):
        progress("run", done, len(shown), f"{method}, {case}")
        by_case[case, method] = run(method, parts.part(case.rows, case.attributes), case)
    return Runs(design, rows, by_case)


def _shown(design: Design, rows: int) -> Iterator[tuple[Case, Method]]:
    """Every release that a figure shows, or a claim speaks of."""
    for promise, varied in (("k", "value"), ("k", "rows"), ("ℓ", "value"), ("ℓ", "rows"), ("ℓ", "attributes")):
        for case in cases(design, rows, varied, promise):
            yield from ((case, method) for method in EVERY)
            if varied != "attributes":
                yield from ((case, method) for method in BESIDE_OPTIMIZE)
            if (promise, varied) == ("k", "value"):
                yield case, UPWARD
    for case in cases(design, rows, "suppress"):
        yield from ((case, method) for method in SUPPRESSING)
    for promise in ("k", "ℓ"):
        case = middle(design, rows, promise)
        yield from ((case, method) for threshold in design.thresholds for method in at_threshold(threshold))
    for case, names in switching(design, rows):
        yield from ((case, switched(score, name)) for score in SCORES for name in names)


def at_threshold(threshold: float) -> tuple[Instant, ...]:
    """μ-probability with another threshold."""
    return tuple(Instant(PROBABILITY, summary, threshold) for summary in SUMMARIES)


def switching(design: Design, rows: int) -> tuple[tuple[Case, tuple[str, ...]], tuple[Case, tuple[str, ...]]]:
    """The cases of figure 10, and what is switched in each: the usual one, and one of few rows and attributes."""
    usual = middle(design, rows, "ℓ")
    few = replace(usual, rows=round(design.few * rows), attributes=design.attributes[0])
    return (usual, tuple(name for name in SWITCHES if name not in SLOW)), (few, tuple(SWITCHES))


def switched(score: str, name: str) -> Instant:
    """S-INSTANT with a network, computed as one of `SWITCHES` says."""
    return Instant(score, NETWORK, options=SWITCHES[name])


def run(method: Method, part: Part, case: Case) -> Run:
    """One release, in memory."""
    if isinstance(method, Instant):
        if method.cuts:
            return cut_run(method, part, case)
        instant = instant_run(method, part, case, lambda node: coarsened(part.frequency, node))
        return replace(instant, without_data=first_phase(method, part, case)) if method.finer else instant
    problem = Problem(part.frequency, case.models, case.limit)
    search = {
        INCOGNITO: lambda: incognito(problem, downward=True),
        UPWARD: lambda: incognito(problem),
        EXACT: lambda: optimal(problem),
        OPTIMIZE: lambda: optimize(problem),
    }[method]
    plan, seconds = timed(search, clock=process_time)
    return _told(plan, seconds, "cuts_checked" if method == OPTIMIZE else "nodes_checked")


def instant_run(method: Instant, part: Part, case: Case, look: Look, times: int = 3) -> Run:
    """One release of S-INSTANT: the summary is there, the looks count."""
    summary = part.histogram if method.summary == HISTOGRAM else part.network
    answers = ANSWERS_IN_A_LOOK if method.finer else 0
    expected = max(case.limit, 1) if method.score == EXPECTATION else None
    tuning = Tuning(method.options, method.threshold, answers, expected)
    plan, seconds = timed(
        lambda: s_instant(summary, case.models, look, case.limit, tuning=tuning),
        times,
        process_time,
    )
    return _told(plan, seconds, "looks")


def first_phase(method: Instant, part: Part, case: Case) -> float:
    """Seconds until S-INSTANT has its first candidate, without the data."""
    summary = part.histogram if method.summary == HISTOGRAM else part.network
    search = partial(candidates, summary, case.models, case.limit, threshold=method.threshold)
    return timed(lambda: search().ahead(1), clock=process_time)[1]


def cut_run(method: Instant, part: Part, case: Case) -> Run:
    """One release of S-INSTANT that may cut through the hierarchies."""
    summary = part.histogram if method.summary == HISTOGRAM else part.network
    answers = ANSWERS_IN_A_LOOK if method.finer else 0
    plan, seconds = timed(
        lambda: s_instant_cut(
            summary,
            case.models,
            partial(standing_for, part.frequency),
            case.limit,
            threshold=method.threshold,
            answers_in_a_look=answers,
        ),
        clock=process_time,
    )
    return _told(plan, seconds, "looks")


def _told(plan: Recoding, seconds: float, scans: str) -> Run:
    counted = int(str(plan.facts[scans]))
    return Run(seconds, float(plan.losses.mean()), plan.node, counted, plan.suppressed, facts=plan.facts)
