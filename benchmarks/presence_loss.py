"""How much less is lost by boxes (MPALM, MFALM) than by full-domain generalization (SPALM, SFALM), and how long?

The setting of Nergiz & Clifton 2008, §8: the 45,222 complete rows of Adult are everybody, 1,957 of them at random (or
as diabetes strikes) are the private table. SPALM and MPALM know everybody, SFALM and MFALM marginals only, with
confidence 0.8. The full-domain ones are optimal. Nothing is suppressed. Then more people of the same kind: rows drawn
again, 5% of the cells from their column. Seconds are those of one processor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from benchmarks.adult import data_folder
from benchmarks.measure import Cost, Findings, Options, Table, best, timed
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.models.base import all_hold
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding
from discreet.studies.presence.data import DIABETES, RANDOM, PresenceTables, from_folder, invented

CONFIDENCE = "0.8"
DELTAS = (("0", "0.05"), ("0", "0.1"), ("0", "0.2"), ("0.02", "0.1"))
ATTRIBUTES = (4, 7)
PEOPLE = (45_222, 150_000, 500_000)
PRIVATE_SHARE = 1_957 / 45_222
REDRAWN = 0.05


def measure(options: Options) -> Findings:
    """The loss of all four for several δ, then the time for more people."""
    folder = data_folder()
    study = invented() if folder is None else from_folder(folder)
    sides = ("SPALM", "MPALM", "ratio", "groups", "seconds"), ("SFALM", "MFALM", "ratio", "groups", "seconds")
    tables = [Table(f"loss (LM); {who}", ("private", "attributes", "δ", *side)) for who, side in _titles(sides)]
    ratios: list[list[float]] = [[], []]
    for private in (RANDOM, DIABETES):
        for attributes in ATTRIBUTES:
            for delta in DELTAS:
                frequency = study.table(private, attributes)
                for i, problem in enumerate(_problems(frequency, delta)):
                    full, _ = _best(problem, optimal, 1)
                    cut, cost = _best(problem, mondrian, options.repeats)
                    ratios[i].append(_loss(cut) / _loss(full))
                    figures = _loss(full), _loss(cut), ratios[i][-1], len(cut.low), cost.cpu
                    tables[i].add(private, attributes, f"({', '.join(delta)})", *figures)
    says = [
        study.data,
        *(
            f"{boxes} loses {min(shares):.2f} to {max(shares):.2f} of what {full} loses"
            for (full, boxes, *_), shares in zip(sides, ratios, strict=True)
        ),
    ]
    return Findings(__doc__.splitlines()[0], [*tables, _growth(study)], says)


def _titles(sides: tuple[tuple[str, ...], ...]) -> list[tuple[str, tuple[str, ...]]]:
    return list(zip(("the population known", "marginals known"), sides, strict=True))


def _problems(frequency: FrequencySet, delta: tuple[str, str]) -> tuple[Problem, Problem]:
    """The same private table for somebody who knows everybody, and for somebody who knows marginals only."""
    return (
        Problem(replace(frequency, marginals=None), (Presence(delta),)),
        Problem(replace(frequency, population=None), (ConfidentPresence(delta, CONFIDENCE),)),
    )


def _growth(study: PresenceTables) -> Table:
    columns = ("people", "combinations", "private", "search", "loss", "groups", "seconds")
    table = Table(f"δ = (0, 0.1), {ATTRIBUTES[-1]} attributes", columns)
    for people in PEOPLE:
        frequency = scaled(study.table(RANDOM, ATTRIBUTES[-1]), people)
        assert frequency.population is not None
        known = people, len(frequency.population.counts), frequency.rows
        for name, problem in zip(("MPALM", "MFALM"), _problems(frequency, ("0", "0.1")), strict=True):
            plan, cost = _best(problem, mondrian, 1)
            table.add(*known, name, _loss(plan), len(plan.low), cost.cpu)
    return table


def scaled(frequency: FrequencySet, people: int, seed: int = 1) -> FrequencySet:
    """More people of the same kind, the same share of them private."""
    random = np.random.default_rng(seed)
    population = frequency.population
    assert population is not None
    entry = np.repeat(np.arange(len(population.counts)), population.counts)
    drawn, columns = random.choice(entry, people), []
    for codes in population.codes:
        redrawn = random.random(people) < REDRAWN
        columns.append(np.where(redrawn, codes[random.choice(entry, people)], codes[drawn]).astype(np.int32))
    private = np.zeros(people, dtype=np.bool_)
    private[random.choice(people, round(people * PRIVATE_SHARE), replace=False)] = True
    leaves = [len(h.leaves) for h in frequency.hierarchies]
    one = np.ones(people, dtype=np.int64)
    codes, counts = merged([c[private] for c in columns], leaves, one[private])
    everybody, many = merged(columns, leaves, one)
    outside = [np.bincount(c[~private], minlength=n).astype(np.int64) for c, n in zip(columns, leaves, strict=True)]
    possible = [np.bincount(c, minlength=n) > 0 for c, n in zip(columns, leaves, strict=True)]
    marginals = Marginals(tuple(outside), tuple(possible), int((~private).sum()))
    crowd = Population(tuple(everybody), many)
    return FrequencySet(frequency.hierarchies, tuple(codes), {}, {}, counts, crowd, marginals)


def _best(problem: Problem, search: Callable[[Problem], Recoding], repeats: int) -> tuple[Recoding, Cost]:
    plans: list[Recoding] = []
    costs = [timed(lambda: plans.append(search(problem))) for _ in range(repeats)]
    groups = plans[-1].groups
    if not all_hold(problem.models, groups).all() or groups.sizes.sum() != problem.frequency.rows:
        raise RuntimeError("a figure only counts if every promise is kept and every row is published")
    return plans[-1], best(costs)


def _loss(plan: Recoding) -> float:
    return float(plan.losses.mean())
