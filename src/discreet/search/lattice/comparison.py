"""What each promise costs, side by side: adversaries of every class and the classical promises, on every node.

Machanavajjhala, Gehrke & Götz 2009, table 5 (the smallest ε of each node against each adversary) and figure 2 (what can
be published at a given ε, against how stubborn the adversary is), for any table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.labels.figures import power
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.parameters import as_text, exact
from discreet.models.presence.presence import Presence
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.predicates import EACH_VALUE, Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM
from discreet.models.realistic.realistic import Realistic
from discreet.progress import Progress, silent
from discreet.search.lattice.whole_lattice import Measure, WholeLattice, whole_lattice

EPSILON = Fraction(5, 2)  # the paper's
STUBBORNNESS = tuple(10**n for n in range(1, 7))
K = (2, 5, 10, 50, 100)
C = (2, 4, 9)  # (c, 2)-diversity: no value above c / (c + 1) of a group
T = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10))
DELTA = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(1, 2))  # upper ends; the lower one is 0
SMALL = 100  # lattices of up to so many nodes are shown whole, as far as ε is not hopeless
HOPELESS = 20.0  # the paper's table 5 leaves out what no adversary's ε is below
MOST_SHOWN = 60
_SHOWN = ("I equal 10⁶", "I table 10⁶", "II 10³", "II 10⁶", "III equal", "III table")  # the columns of table 5
_FAMILIES = ("I table", "I equal", "II")


@dataclass(frozen=True)
class Opponent:
    """One adversary: a short name for headings, who she is in words, and where her column is."""

    name: str
    adversary: Adversary
    column: int
    predicates: Predicates = EACH_VALUE
    asked: Fraction | None = None  # ε, where the policy has her

    @property
    def words(self) -> str:
        listed = "" if self.predicates == EACH_VALUE else ", listed predicates"
        return f"{self.adversary.describe()}{listed}"


@dataclass(frozen=True)
class Cost:
    """One promise: how many nodes keep it, and the one that loses least (None: nothing can be published)."""

    promise: str
    kind: str  # size, values, presence, belief or policy
    nodes: int
    best: int | None
    discernibility: float | None  # the least of any node that keeps it
    average_group: float | None


@dataclass(frozen=True)
class Point:
    """What one adversary of a family allows at the asked ε; infinite stubbornness is class III's."""

    stubbornness: float
    cost: Cost
    epsilon: float  # the smallest ε of the reference node


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that is to be told. Counts and levels only: no value of the table is in it."""

    lattice: WholeLattice
    sensitive: tuple[str, ...]
    opponents: tuple[Opponent, ...]
    epsilon: Fraction
    costs: tuple[Cost, ...]
    families: dict[str, tuple[Point, ...]]
    reference: int  # the node whose ε is drawn against stubbornness
    reference_why: str

    @property
    def columns(self) -> tuple[Opponent, ...]:
        """Those of the paper's table 5, and the policy's own."""
        return tuple(o for o in self.opponents if o.name in _SHOWN or o.asked is not None)

    @cached_property
    def rows(self) -> IntArray:
        """Nodes worth showing: the best trade-offs, and in a small lattice all that are not hopeless; coarsest first.

        A trade-off is best if no other node has both less loss and a smaller ε against the same adversary.
        """
        lattice, columns = self.lattice, [o.column for o in self.columns]
        there = np.zeros(len(lattice), dtype=np.bool_)
        for column in columns:
            there[lattice.frontier(column)] = True
        there[[c.best for c in self.costs if c.best is not None]] = True
        if len(lattice) <= SMALL:
            there |= (lattice.levels[:, columns] < HOPELESS).any(axis=1)
        nodes = np.flatnonzero(there)[::-1]
        order: IntArray = nodes[np.argsort(-lattice.nodes[nodes].sum(axis=1), kind="stable")]
        return order

    def epsilons(self, at: int) -> FloatArray:
        """The smallest ε of one node against every opponent."""
        return self.lattice.levels[at, [o.column for o in self.opponents]]


def compare_lattice(
    frequency: FrequencySet,
    require: Sequence[PrivacyModel] = (),
    epsilon: Fraction | None = None,
    stubbornness: Sequence[int] = STUBBORNNESS,
    progress: Progress = silent,
) -> Comparison:
    """Every node × adversary, and every promise's cheapest node. With several sensitive attributes the worst decides.

    `epsilon`: what the costs are told for; default: that of the first adversary among `require`, else 2.5.
    """
    sensitive = tuple(frequency.sensitive)
    opponents = _opponents(require, stubbornness)
    measures = [
        Measure(tuple(Realistic(EPSILON, o.adversary, name, o.predicates) for name in sensitive), "epsilon")
        for o in opponents
    ]
    measures += [
        Measure((KAnonymity(2),), "k"),
        Measure(tuple(FrequencyDiversity(2, name) for name in sensitive), "l"),
        Measure(tuple(TCloseness("1/5", name) for name in sensitive), "t"),
    ]
    if frequency.population is not None:
        measures.append(Measure((Presence((0, DELTA[0])),), "delta"))
    lattice = whole_lattice(frequency, measures, require, progress)
    if epsilon is None:
        epsilon = next((o.asked for o in opponents if o.asked is not None), EPSILON)
    first = len(opponents)
    costs = [_cost(lattice, f"{k}-anonymity", "size", first, k) for k in K]
    costs += [_cost(lattice, f"({c}, 2)-diversity", "values", first + 1, Fraction(c + 1, c)) for c in C]
    costs += [_cost(lattice, f"{as_text(t)}-closeness", "values", first + 2, t) for t in T]
    if frequency.population is not None:
        costs += [_cost(lattice, f"(0, {as_text(d)})-presence", "presence", first + 3, d) for d in DELTA]
    against = {o.name: _cost(lattice, _against(epsilon, o), "belief", o.column, epsilon) for o in opponents}
    costs += [against[name] for name in _SHOWN if name in against]
    if require:
        kept = np.flatnonzero(lattice.keeps)
        promised = " and ".join(model.describe() for model in require)
        costs.append(_made(lattice, f"the policy: {promised}", "policy", kept))
    reference, why = _reference(lattice, costs[-1] if require else None, costs[1])
    families = {family: _points(lattice, family, opponents, against, reference) for family in _FAMILIES}
    return Comparison(lattice, sensitive, tuple(opponents), epsilon, tuple(costs), families, reference, why)


def _opponents(require: Sequence[PrivacyModel], stubbornness: Sequence[int]) -> list[Opponent]:
    """The default ones, then those of the policy (the same adversary of several columns is one)."""
    adversaries: list[tuple[str, Adversary]] = []
    for name, prior in (("table", TABLE), ("equal", UNIFORM)):
        adversaries += [(f"I {name} {power(s)}", ClassOne(Fraction(s), prior)) for s in stubbornness]
    adversaries += [(f"II {power(s)}", ClassTwo(Fraction(s))) for s in stubbornness]
    adversaries += [("III table", ClassThree(TABLE)), ("III equal", ClassThree(UNIFORM))]
    opponents = [Opponent(name, adversary, i) for i, (name, adversary) in enumerate(adversaries)]
    own = dict.fromkeys((m.adversary, m.predicates, exact(m.epsilon)) for m in require if isinstance(m, Realistic))
    for number, (adversary, predicates, epsilon) in enumerate(own, start=1):
        name = "policy" if len(own) == 1 else f"policy {number}"
        opponents.append(Opponent(name, adversary, len(opponents), predicates, epsilon))
    return opponents


def _against(epsilon: Fraction, opponent: Opponent) -> str:
    return f"ε = {as_text(epsilon)} against {_titles(opponent.adversary) if opponent.asked is None else opponent.words}"


def _titles(adversary: Adversary) -> str:
    """One of the default adversaries in a few words."""
    shares = {TABLE: ", the table's shares", UNIFORM: ", equal shares"}.get(adversary.prior, "")
    finite = "" if isinstance(adversary, ClassThree) else f", σ = {power(float(exact(adversary.stubbornness)))}"
    return f"class {adversary.words()['class']}{shares}{finite}"


def _cost(lattice: WholeLattice, promise: str, kind: str, column: int, number: Fraction | int) -> Cost:
    return _made(lattice, promise, kind, np.flatnonzero(lattice.holds(column, number)))


def _made(lattice: WholeLattice, promise: str, kind: str, kept: IntArray) -> Cost:
    if not len(kept):
        return Cost(promise, kind, 0, None, None, None)
    best = int(kept[np.argmin(lattice.loss[kept])])
    discernibility = float(lattice.discernibility[kept].min())
    return Cost(promise, kind, len(kept), best, discernibility, float(lattice.average_group[kept].min()))


def _reference(lattice: WholeLattice, policy: Cost | None, five: Cost) -> tuple[int, str]:
    """The node to draw ε against stubbornness for."""
    if policy is not None and policy.best is not None:
        return policy.best, "the node with the least loss that keeps the policy"
    if five.best is not None:
        return five.best, f"the node with the least loss that has {five.promise}"
    return len(lattice) - 1, "the coarsest node"


def _points(
    lattice: WholeLattice, family: str, opponents: Sequence[Opponent], against: dict[str, Cost], reference: int
) -> tuple[Point, ...]:
    """A family from the least stubborn to class III of the same belief (class II has none: that would be class IV)."""
    points = []
    for o in opponents:
        finite = o.adversary.total
        if o.asked is None and o.name in (f"{family} {power(float(finite or 0))}", f"II{family}"):
            stubbornness = float("inf") if finite is None else float(finite)
            points.append(Point(stubbornness, against[o.name], float(lattice.levels[reference, o.column])))
    return tuple(points)
