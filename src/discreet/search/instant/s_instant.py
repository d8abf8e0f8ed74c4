"""S-INSTANT: choose a full-domain generalization from a summary, and look at the data only to make sure.

Nergiz, Tamersoy & Saygin 2011, section 3.2. First, without the data: every node of the lattice that is likely to keep
the promises, by a summary alone, is a candidate, the one that loses least before the others. Then the data is counted
at the first candidate (a *look*: one aggregate query), and judged exactly. A summary may err or even lie: that costs
looks or loss, never a promise.

More is made of a look than in the paper. What is counted at a node tells of every coarser node too, so the best of all
of those is found by exact counts. And the look is made at a node that is somewhat finer than the candidate, so that
its neighbours can be judged too, which lose less and seemed to fail by little: one query, a bit more of an answer. If
the candidate fails, the search goes on with those that could still be better than the best found; each look is then as
fine as twice as many of them need, so that looks grow with the logarithm of the candidates that a bad summary gets
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from discreet.arrays import Codes, number_equal
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet, Population
from discreet.counts.owners import regrouped
from discreet.counts.roll_up import Node, RollUp
from discreet.models.base import PrivacyModel
from discreet.models.likelihood.likely import Options
from discreet.progress import Progress, silent
from discreet.search.instant.candidates import Candidates
from discreet.search.lattice.node_judge import Judged, NodeJudge
from discreet.search.lattice.optimal import IMPOSSIBLE, NOT_LOOKED, branch_and_bound, full_domain_plan, infeasible
from discreet.search.plan import Problem, Recoding
from discreet.summaries.base import Summary

# The table counted at a node: combinations of generalized quasi-identifiers, each coded by the first leaf that it
# stands for, with the sensitive values and how many rows have them.
Look = Callable[[Node], FrequencySet]

THRESHOLD = 0.8
ANSWERS_IN_A_LOOK = 500_000  # possible groups times sensitive values: no finer look is made than for so many
_MOST_AHEAD = 64  # candidates that one look is made for
_PLAIN = Options()


@dataclass(frozen=True)
class Tuning:
    """What is a candidate, and how finely the data is looked at. The defaults do well; the rest is to be compared.

    A node is a candidate if it keeps the promises with a probability of `threshold`, computed as the `options` say; if
    `expected` is given, if so many rows or fewer are expected to break one, whatever the probability (none of them is
    suppressed for that). No look has more than `answers_in_a_look` answers, unless a candidate itself has; with 0 only
    candidates are looked at, as in the paper.
    """

    options: Options = _PLAIN
    threshold: float = THRESHOLD
    answers_in_a_look: int = ANSWERS_IN_A_LOOK
    expected: int | None = None


_USUAL = Tuning()


def candidates(
    summary: Summary,
    models: Sequence[PrivacyModel],
    suppression_limit: int = 0,
    utility: str = "loss",
    options: Options = _PLAIN,
    threshold: float = THRESHOLD,
    progress: Progress = silent,
    population: Population | None = None,
) -> Candidates:
    """The nodes that are likely to keep every promise, the least loss first; found one by one, as they are asked for.

    `threshold` is for the probability; where rows may be suppressed, it is the expected number of them that counts.
    `population` is what promises about presence are about.
    """
    return Candidates(summary, tuple(models), suppression_limit, utility, options, threshold, progress, population)


def s_instant(
    summary: Summary,
    models: Sequence[PrivacyModel],
    look: Look,
    suppression_limit: int = 0,
    utility: str = "loss",
    tuning: Tuning = _USUAL,
    progress: Progress = silent,
    population: Population | None = None,
    confirmed: bool = False,
) -> Recoding:
    """The best generalization that the looks have shown to keep every promise within the suppression limit.

    For promises about presence, `population` is given, and what is looked at has it too.

    The plan is over what was looked at, as coarse as it is published; `facts` say how it went. If no candidate can be
    published, a last look is as fine as the table: then `Infeasible` is raised if there is no release at all.
    """
    models = tuple(models)
    allowed = suppression_limit if tuning.expected is None else tuning.expected
    proposals = candidates(summary, models, allowed, utility, tuning.options, tuning.threshold, progress, population)
    most_groups = tuning.answers_in_a_look // values_of(summary, models)
    problem_of = partial(
        Problem, models=models, suppression_limit=suppression_limit, utility=utility, confirmed=confirmed
    )
    looked = Looked(proposals, problem_of, look, most_groups, progress)
    for candidate in proposals:
        if candidate.cost < proposals.least_cost and not looked.has(candidate.node):
            looked.at(candidate.node)
    if not looked.judges:  # no node looks good enough: then the top node is the only hope
        looked.at(proposals.top)
    if looked.best is None and most_groups:  # rather than to say that nothing was found, make sure
        looked.everywhere()
    return looked.plan()


def values_of(summary: Summary, models: Sequence[PrivacyModel]) -> int:
    """How many combinations of sensitive values a group can have, of the attributes that the promises speak of."""
    top = tuple(h.height for h in summary.hierarchies)
    shares_of = [summary.cells(top, name).sensitive for name in {model.attribute for model in models} - {""}]
    return math.prod(shares.shape[1] for shares in shares_of if shares is not None)


class Looked:
    """What the data was looked at for, and the best that the looks have shown. Every judgement here is exact."""

    def __init__(
        self,
        proposals: Candidates,
        problem_of: Callable[[FrequencySet], Problem],
        look: Look,
        most_groups: int,
        progress: Progress,
    ):
        self._proposals, self._look, self._most_groups, self._progress = proposals, look, most_groups, progress
        self._problem_of = problem_of
        self._nodes: list[Node] = []
        self.judges: list[NodeJudge] = []

    def has(self, node: Node) -> bool:
        """Was it looked at, or anything finer?"""
        return any(all(map(int.__le__, finer, node)) for finer in self._nodes)

    @property
    def best(self) -> Judged | None:
        """The best node that can be published."""
        return min((j.best for j in self.judges if j.best is not None), key=_cost, default=None)

    def everywhere(self) -> None:
        """Look as finely as there is anything to see: then no node is left that was not judged."""
        finest = (0,) * len(self._proposals.top)
        if finest not in self._nodes:
            self._at(finest)

    def at(self, node: Node) -> None:
        """Look, and find the best of all nodes that can be judged from what is seen."""
        self._at(self._finest(node))

    def _at(self, finest: Node) -> None:
        self._progress("search", 0, 0, f"{len(self._nodes) + 1:,} looks at the data")
        judge = NodeJudge(self._problem_of(self._look(finest)), self._progress)
        branch_and_bound(judge, math.inf, finest=finest)
        self._nodes.append(finest)
        self.judges.append(judge)
        if judge.best is not None:
            self._proposals.least_cost = min(self._proposals.least_cost, judge.best.score)
        for judged in judge.judged.values():
            # Had the summary known, it would not have proposed anything finer. A node that is only not confirmed says
            # nothing of finer ones.
            if not judged.feasible and not judged.unconfirmed:
                self._proposals.refuse(judged.node)

    def plan(self) -> Recoding:
        """Publish the best."""
        best = self.best
        if best is None:
            hopeless = any(j.judged[self._proposals.top].hopeless for j in self.judges)
            all_seen = (0,) * len(self._proposals.top) in self._nodes
            raise infeasible(self.judges[-1], IMPOSSIBLE if hopeless or all_seen else NOT_LOOKED)
        judge = next(j for j in self.judges if j.best is best)
        problem = self._problem_of(coarsened(judge.problem.frequency, best.node))
        belief = self._proposals.candidate(best.node).score
        facts = {
            "search": "instant",
            **self._proposals.facts(),
            "looks": len(self._nodes),
            "looked_at": [list(node) for node in self._nodes],
            "nodes_checked": sum(len(j.judged) for j in self.judges),
            "probability": belief.probability,
            "expectation": belief.expectation,
            "utility": problem.utility,
            "score": best.score,
        }
        roll_up = RollUp(problem.frequency, attributes={m.attribute for m in problem.models})
        return full_domain_plan(problem, roll_up, best.node, facts, best.left_out)

    def _finest(self, node: Node) -> Node:
        """Where to look for a candidate: after looks in vain as fine as the next ones need too; then finer still.

        All attributes one level down, those first that add the fewest groups, as far as the answer does not become too
        large; then another level.
        """
        for other in self._proposals.ahead(min(2 ** len(self._nodes), _MOST_AHEAD) - 1) if self._most_groups else ():
            node = self._if_small(tuple(map(min, node, other.node)), node)
        before = None
        while node != before:
            before = node
            for d in sorted(range(len(node)), key=lambda d: self._growth(d, node[d])):
                node = self._if_small((*node[:d], max(node[d] - 1, 0), *node[d + 1 :]), node)
        return node

    def _growth(self, attribute: int, level: int) -> float:
        """How many times as many values an attribute has one level down."""
        labels = self._proposals.hierarchies[attribute].labels
        return len(labels[max(level - 1, 0)]) / len(labels[level])

    def _if_small(self, finer: Node, node: Node) -> Node:
        """The finer node, unless it has too many groups."""
        levels = zip(self._proposals.hierarchies, finer, strict=True)
        return finer if math.prod(len(h.labels[level]) for h, level in levels) <= self._most_groups else node


def _cost(judged: Judged) -> tuple[float, Node]:
    return judged.score, judged.node


def coarsened(frequency: FrequencySet, node: Node) -> FrequencySet:
    """The same table counted at a node: combinations that have become equal are one, coded by their first leaf."""
    levels = zip(frequency.hierarchies, node, strict=True)
    return standing_for(frequency, [h.first[level][h.codes[level]] for h, level in levels])


def standing_for(frequency: FrequencySet, stands_for: Sequence[Codes]) -> FrequencySet:
    """The same table counted as if leaf l of attribute d were leaf ``stands_for[d][l]``."""
    sensitive = tuple(frequency.sensitive)
    hierarchies = [*frequency.hierarchies, *(frequency.sensitive_hierarchies[name] for name in sensitive)]
    raised = [leaf[codes] for leaf, codes in zip(stands_for, frequency.codes, strict=True)]
    columns = [*raised, *(frequency.sensitive[name] for name in sensitive)]
    merged_columns, counts = merged(columns, [len(h.leaves) for h in hierarchies], frequency.counts)
    width, owners = len(raised), frequency.owners
    if owners is not None:
        owners = regrouped(owners, number_equal(columns, len(frequency.counts)))  # numbered in the order of `merged`
    return replace(
        frequency,
        codes=tuple(merged_columns[:width]),
        sensitive=dict(zip(sensitive, merged_columns[width:], strict=True)),
        counts=counts,
        owners=owners,
    )
