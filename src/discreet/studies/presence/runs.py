"""The releases of the presence study, each made and timed: the paper's search with its optimizations, ours without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import process_time

from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Outside
from discreet.models.presence.confidence import confidence
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.progress import Progress, silent
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding
from discreet.studies.presence.confidence_paper import Optimizations
from discreet.studies.presence.data import DIABETES, RANDOM, PresenceTables
from discreet.studies.presence.sfalm import plain_cost, sfalm
from discreet.studies.presence.truth import Truths, in_population, truths
from discreet.studies.timing import timed

Delta = tuple[str, str]
Search = Callable[[Problem, Progress], Recoding]
EXACT, ALL = "exact", "ALL"
NO_SD, NO_PA, NO_DM, NO_DC, NEITHER = "~SD", "~PA", "~DM", "~DC", "~DM~DC"
SPALM, MPALM, MFALM = "SPALM", "MPALM", "MFALM"
FEW = (EXACT, NO_SD, NO_PA, NO_DM, NO_DC, ALL)  # figure 4
MANY = (EXACT, NEITHER, NO_DM, NO_DC, ALL)  # figures 5 and 7
BESIDE = (SPALM, MPALM, MFALM)
_KNOWING = {SPALM, MPALM}  # they have the population
_PAPERS = {
    ALL: Optimizations(),
    NO_SD: Optimizations(sd=False),
    NO_PA: Optimizations(pa=False),
    NO_DM: Optimizations(dm=False),
    NO_DC: Optimizations(dc=False),
    NEITHER: Optimizations(dm=False, dc=False),
}


@dataclass(frozen=True)
class Design:
    """What is varied, as in the paper where it says; its δ are in pictures that can't be read, so these are ours."""

    few: int = 4
    many: int = 7
    deltas: tuple[Delta, ...] = (
        ("0.03", "0.06"),
        ("0", "0.05"),
        ("0.01", "0.1"),
        ("0", "0.1"),
        ("0", "0.2"),
        ("0", "0.3"),
    )
    confidence: str = "0.8"
    delta: Delta = ("0", "0.1")  # where the confidence is varied, and the width of DC
    confidences: tuple[str, ...] = ("0.6", "0.7", "0.8", "0.9", "0.95", "0.98")
    widths: tuple[int, ...] = (2, 4, 6, 8, 10)
    sure: tuple[str, ...] = ("0.5", "0.8", "0.9", "0.95", "0.99")  # confidences that are held against the population
    part: int = 50_000_000  # evaluations to take the time of the plain recursion by


@dataclass(frozen=True)
class Case:
    """What is asked: of which private table, with how many attributes, which promise."""

    sample: str
    attributes: int
    delta: Delta
    confidence: str

    def __str__(self) -> str:
        return f"{self.sample}, {self.attributes} attributes, δ = {delta_told(self.delta)}, c = {self.confidence}"


@dataclass(frozen=True)
class Run:
    """One release: how long it took to find, what it loses, and whether it keeps δ in the population that there is.

    `expected` is the mean confidence of its groups: so many of them keep δ if attributes are independent of each
    other. `kept` is how many of them do, and `people` how many of the table's people are in those. `certain` are the
    people of the table in groups of nobody else.
    """

    seconds: float
    loss: float
    node: tuple[int, ...] | None
    groups: int
    expected: float
    kept: float
    people: float
    certain: int
    facts: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Runs:
    """All releases, and what was measured beside them.

    There always is a release: everybody in one group keeps every δ of the study.
    """

    design: Design
    by_case: Mapping[tuple[Case, str], Run]
    plain: Mapping[Case, tuple[float, float]]  # seconds of the plain recursion: of all groups, and up to a failure
    truths: Truths  # the promise held against the population, by marginals and by pairs

    def over(self, cases: Sequence[Case], method: str, of: Callable[[Run], float]) -> list[float]:
        """A measure of one method's releases."""
        return [of(self.by_case[case, method]) for case in cases]

    def by_delta(self, sample: str, attributes: int) -> list[Case]:
        """The cases of figures 4 and 5."""
        return [Case(sample, attributes, delta, self.design.confidence) for delta in self.design.deltas]

    def by_confidence(self, sample: str) -> list[Case]:
        """The cases of figure 7."""
        return [Case(sample, self.design.many, self.design.delta, c) for c in self.design.confidences]

    def by_width(self, sample: str, of: Callable[[Run], float]) -> list[float]:
        """A measure for each width of DC, as a multiple of that without DC: table 5."""
        case = Case(sample, self.design.many, self.design.delta, self.design.confidence)
        return [of(self.by_case[case, steps(width)]) / of(self.by_case[case, NO_DC]) for width in self.design.widths]


def delta_told(delta: Delta) -> str:
    """As the paper writes it: ``(0, 0.1)``."""
    return f"({delta[0]}, {delta[1]})"


def all_runs(study: PresenceTables, design: Design, progress: Progress = silent) -> Runs:
    """Make every release of every figure, each once."""
    tables = {(s, n): study.table(s, n) for s in (DIABETES, RANDOM) for n in (design.few, design.many)}
    shown = list(dict.fromkeys(_shown(design)))
    plain_cases = [case for case in dict.fromkeys(case for case, _ in shown) if case.attributes == design.few]
    total, done = len(shown) + len(plain_cases), 0

    def inside(note: str) -> Progress:
        """What a search tells, as a part of the whole. It may be run again, to take the time: then it tells nothing."""
        furthest = 0.0

        def tell(_: str, part: float, of: float, __: str) -> None:
            nonlocal furthest
            furthest = max(furthest, part / of if of else 0.0)
            progress("run", done + furthest, total, note)

        tell("", 0, 0, "")
        return tell

    progress("run", done, total, "compile")
    _compile(study.table(RANDOM, 2), design)
    by_case: dict[tuple[Case, str], Run] = {}
    for case, method in shown:
        by_case[case, method] = _run(method, tables[case.sample, case.attributes], case, inside(f"{method}, {case}"))
        done += 1
    plain = {}
    for case in plain_cases:
        inside(f"the plain recursion, {case}")
        cost = plain_cost(problem_of(tables[case.sample, case.attributes], case), design.part)
        plain[case] = (cost.seconds, cost.seconds_until_failure)
        done += 1
    named = {f"{sample}, {attributes} attributes": table for (sample, attributes), table in tables.items()}
    return Runs(design, by_case, plain, truths(named, design.deltas, design.sure, progress))


def _shown(design: Design) -> Iterator[tuple[Case, str]]:
    """Every release that a figure shows."""
    for sample in (DIABETES, RANDOM):
        for delta in design.deltas:
            for attributes, methods in ((design.few, FEW), (design.many, MANY)):
                case = Case(sample, attributes, delta, design.confidence)
                yield from ((case, method) for method in (*methods, *BESIDE))
        for c in design.confidences:
            case = Case(sample, design.many, design.delta, c)
            yield from ((case, method) for method in MANY)
        case = Case(sample, design.many, design.delta, design.confidence)
        yield from ((case, method) for method in (NO_DC, SPALM, *map(steps, design.widths)))


def steps(width: int) -> str:
    """The name of the paper's search with another width of DC."""
    return f"DC {width}"


def _search(method: str) -> Search:
    if method in (MPALM, MFALM):
        return mondrian
    if method in (EXACT, SPALM):
        return lambda problem, progress: optimal(problem, progress)
    chosen = _PAPERS.get(method) or Optimizations(width=int(method.removeprefix("DC ")))
    return lambda problem, progress: sfalm(problem, chosen, progress)


def _promise(case: Case) -> ConfidentPresence:
    return ConfidentPresence(case.delta, case.confidence)


def problem_of(table: FrequencySet, case: Case, knowing: bool = False) -> Problem:
    """What the publisher has to do: `knowing` the population, or its marginals only."""
    if knowing:
        return Problem(replace(table, marginals=None), (Presence(case.delta),))
    return Problem(replace(table, population=None), (_promise(case),))


def _run(method: str, table: FrequencySet, case: Case, progress: Progress) -> Run:
    problem, search = problem_of(table, case, method in _KNOWING), _search(method)
    times = 1 if method in BESIDE else 3  # no figure has their times
    plan, seconds = timed(lambda: search(problem, progress), times, process_time)
    sizes = plan.groups.sizes
    people, kept = in_population(plan, table, case.delta)
    low, high = (Fraction(limit) for limit in case.delta)
    expected = mean_confidence(plan, (low, high), table)
    return Run(
        seconds,
        float(plan.losses.mean()),
        plan.node,
        len(sizes),
        expected,
        float(kept.mean()),
        float(sizes[kept].sum() / table.rows),
        int(sizes[sizes == people].sum()),
        plan.facts,
    )


def mean_confidence(plan: Recoding, delta: tuple[Fraction, Fraction], table: FrequencySet) -> float:
    """So many of the groups keep δ, on average over all populations with the same marginals.

    (Not the promise's `level`, which is close to the confidence for the least groups only.)
    """
    known = table.marginals
    assert known is not None, "the study knows everybody"
    lower, _ = confidence(plan.groups.sizes, Outside(plan.low, plan.high, known).counts, known.size, delta)
    return float(lower.mean())


def _compile(table: FrequencySet, design: Design) -> None:
    """What is compiled at its first use must not count as time."""
    case = Case(RANDOM, 2, design.delta, design.confidence)
    for method in (*FEW, *BESIDE):
        _run(method, table, case, silent)
