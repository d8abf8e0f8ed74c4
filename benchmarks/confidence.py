"""How much does the exact search for confident presence gain on the paper's recursion, and does it lose anything?

The setting of Nergiz & Clifton 2008, §8: the 45,222 complete rows of Adult are everybody, 1,957 of them at random (or
as diabetes strikes) are the private table, of the others marginals are known. Confidence 0.8.

"Plain" is the recursion without any of the paper's optimizations, for every group of every node of the lattice. It
would take minutes to days, so it is extrapolated: how often it evaluates hyp is counted, the time of one evaluation is
measured on a part of them (right to a factor of 1.5 where it was tried). It is compiled, and takes factorials from a
table. "Stopping" is the same, but done with a node at its first group that fails; where that takes less than a minute,
it is really done. "ALL" is the paper's search with all four optimizations, also compiled, also stopping. Seconds are
those of one processor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from benchmarks.adult import data_folder
from benchmarks.measure import Findings, Options, Table, best, timed
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding
from discreet.studies.presence.confidence_paper import Optimizations
from discreet.studies.presence.data import DIABETES, RANDOM, PresenceTables, from_folder, invented
from discreet.studies.presence.sfalm import PlainCost, plain_cost, sfalm

CONFIDENCE = "0.8"
DELTAS = (("0", "0.05"), ("0", "0.1"), ("0", "0.2"), ("0.02", "0.1"))
ATTRIBUTES = (4, 7)
WIDTHS = (2, 4, 6, 8, 10)  # of the paper's table 5
_SHORT = 60.0  # seconds that may really be spent on the plain recursion
WITHOUT_STEPS = Optimizations(dc=False)


@dataclass(frozen=True)
class Compared:
    """One task: our search, the paper's, and what the plain recursion would take."""

    exact_seconds: float
    exact_loss: float
    paper_seconds: float
    paper_loss: float
    loss_without_steps: float  # the paper's, but for DC
    plain: PlainCost
    done: float | None  # seconds of the plain recursion, stopping at failures, where it was really done

    @property
    def stopping(self) -> float:
        """Seconds of the plain recursion, stopping at failures."""
        return self.plain.seconds_until_failure if self.done is None else self.done


def measure(options: Options) -> Findings:
    """Seconds and losses for several δ, the prune rates (figure 6) and the widths of DC (table 5)."""
    folder = data_folder()
    study = invented() if folder is None else from_folder(folder)
    speed = Table(
        "seconds; plain is extrapolated, and so is stopping where it was not done",
        ("attributes", "δ", "exact", "ALL", "plain", "plain/exact", "stopping", "done", "stopping/exact"),
    )
    loss = Table(
        "loss (LM)", ("attributes", "δ", "exact", "ALL", "ALL worse by %", "ALL but DC", "ALL but DC worse by %")
    )
    tasks = [(attributes, delta) for attributes in ATTRIBUTES for delta in DELTAS]
    every = [_compared(_problem(study, RANDOM, *task), options.repeats) for task in tasks]
    for (attributes, delta), c in zip(tasks, every, strict=True):
        exact, plain = c.exact_seconds, c.plain.seconds
        name = f"({', '.join(delta)})"
        done = c.done is not None
        speed.add(attributes, name, exact, c.paper_seconds, plain, plain / exact, c.stopping, done, c.stopping / exact)
        worse = (_worse(c.paper_loss, c.exact_loss), _worse(c.loss_without_steps, c.exact_loss))
        loss.add(attributes, name, c.exact_loss, c.paper_loss, worse[0], c.loss_without_steps, worse[1])
    evaluation = 1e9 * sum(c.plain.seconds_done for c in every) / sum(c.plain.done for c in every)
    gain = min(c.plain.seconds / c.exact_seconds for c in every)
    at_least = min(c.stopping / c.exact_seconds for c in every)
    most = max(_worse(c.paper_loss, c.exact_loss) for c in every)
    says = [
        study.data,
        f"exact is at least {gain:,.0f} times as fast as plain, {at_least:,.0f} times as fast as stopping "
        f"({evaluation:.1f} ns an evaluation)",
        f"ALL loses up to {most:.1f}% more than exact",
    ]
    return Findings(__doc__.splitlines()[0], [speed, loss, _prune_rates(study), _widths(study, options.repeats)], says)


def _problem(study: PresenceTables, private: str, attributes: int, delta: tuple[str, str]) -> Problem:
    """Marginals only: the population itself is nobody's to know here."""
    frequency = replace(study.table(private, attributes), population=None)
    return Problem(frequency, (ConfidentPresence(delta, CONFIDENCE),))


def _compared(problem: Problem, repeats: int) -> Compared:
    exact_seconds, exact = _best(partial(optimal, problem), repeats)
    paper_seconds, paper = _best(partial(sfalm, problem), repeats)
    without = _loss(sfalm(problem, WITHOUT_STEPS))
    if not exact.facts["optimal"] or _loss(exact) > min(_loss(paper), without) + 1e-12:
        raise RuntimeError("the exact search did not find the optimum")
    plain, done = plain_cost(problem), None
    if plain.seconds_until_failure < _SHORT:
        done = timed(partial(sfalm, problem, Optimizations.none())).cpu
    return Compared(exact_seconds, _loss(exact), paper_seconds, _loss(paper), without, plain, done)


def _best(search: Callable[[], Recoding], repeats: int) -> tuple[float, Recoding]:
    results = [search()]  # compiled kernels are read from disk once
    return best([timed(lambda: results.append(search())) for _ in range(repeats)]).cpu, results[-1]


def _loss(plan: Recoding) -> float:
    return float(plan.losses.mean())


def _worse(loss: float, than: float) -> float:
    """By how many percent."""
    return 100 * (loss / than - 1)


def _prune_rates(study: PresenceTables) -> Table:
    """Figure 6: the share of work that each optimization spares, with all of them on."""
    table = Table("pruned by the paper's optimizations, all on (%), 7 attributes", ("private", "δ", "SD", "PA", "DM"))
    for private in (RANDOM, DIABETES):
        for delta in DELTAS:
            facts = sfalm(_problem(study, private, ATTRIBUTES[-1], delta)).facts
            rates = [100 * float(str(facts[f"pruned_by_{name}"])) for name in ("sd", "pa", "dm")]
            table.add(private, f"({', '.join(delta)})", *rates)
    return table


def _widths(study: PresenceTables, repeats: int) -> Table:
    """Table 5: what wider steps of DC save and cost, all other optimizations on."""
    columns = ("private", "width", "seconds, share", "evaluations, share", "loss, worse by %")
    table = Table("DC: time and loss against none, δ = (0, 0.1), 7 attributes", columns)
    for private in (RANDOM, DIABETES):
        problem = _problem(study, private, ATTRIBUTES[-1], ("0", "0.1"))
        seconds, without = _best(partial(sfalm, problem, WITHOUT_STEPS), repeats)
        for width in WIDTHS:
            took, plan = _best(partial(sfalm, problem, Optimizations(width=width)), repeats)
            evaluations = int(str(plan.facts["evaluations"])) / int(str(without.facts["evaluations"]))
            table.add(private, width, took / seconds, evaluations, _worse(_loss(plan), _loss(without)))
    return table
