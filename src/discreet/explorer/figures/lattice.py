"""Every node of the lattice: what it loses, who would have to be left out, and which promises it then keeps.

The figures are those of a release at that node, as `optimal` judges it: groups that break a promise are left out, and
lose everything. The lattice is walked depth first, each node merged from a finer one.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, rows_among
from discreet.counts.roll_up import Counted as CountedNode
from discreet.counts.roll_up import Node
from discreet.errors import DiscreetError, Mistake, PolicyError
from discreet.explorer.figures.candidate import candidate, hidden_below, label, people_of_each
from discreet.explorer.figures.cards import title_of
from discreet.explorer.figures.promised import bound_to, entries_of
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.models.base import PrivacyModel, all_hold, publishable
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.marginals import shown
from discreet.run.intake import Counted, fitted, with_wishes
from discreet.search.confirmed import may_differ
from discreet.search.lattice.counting import InMemory
from discreet.search.lattice.node_judge import Judged
from discreet.search.plan import Problem
from discreet.utility.metrics import arithmetic_loss

GENERALIZATION = "generalization"  # the kind whose releases the nodes are
MOST_NODES = 200_000
_BITS = 8  # promises that are told apart: those beyond share the last
_TELL = 32  # nodes between two words about the progress


def lattice(policy: Policy, counted: Counted, *, progress: Progress = silent) -> dict[str, Any]:
    """All nodes in one row of figures each, packed; the last column's level changes fastest.

    `loss` and `suppressed` are 64-bit floats, `kept` has a bit for each promise: it can be kept if the groups that
    break it are left out, and these are not too many. All bits are set where a release at this node keeps all promises,
    and only there; where each could be kept but not all of them together, the one that costs most is said not to be.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> told = lattice(policy, count(policy, {"age": ["23", "23", "31", "32"]}))
    >>> from base64 import b64decode
    >>> [c["height"] for c in told["columns"]], list(b64decode(told["kept"])), told["best"]
    ([1], [0, 1], 1)
    """
    walk = _Walk(policy, counted, progress)
    for done, node in enumerate(walk.nodes()):
        walk.done = done
        if done % _TELL == 0:
            walk.tell()
        walk.visit(node)
    current = None
    if policy.publish == GENERALIZATION:
        with suppress(DiscreetError):
            chosen = candidate(policy, counted, progress).plan.node
            current = None if chosen is None else walk.number(chosen)
    names = [title_of(entry, policy.whose) for entry, _ in walk.entries]
    more = len(names) - _BITS + 1
    titles = names if more <= 1 else [*names[: _BITS - 1], f"{more} more promises"]
    return {
        "columns": walk.columns(),
        "promises": [{"title": title} for title in titles],
        "loss": _packed(walk.loss.astype("<f8")),
        "suppressed": _packed(walk.suppressed.astype("<f8")),
        "kept": _packed(walk.kept),
        "best": walk.best,
        "current": current if current is not None else walk.best,
        "published": policy.publish == GENERALIZATION,
        "limit": float(policy.suppress),
    }


def node(policy: Policy, counted: Counted, levels: Sequence[int], *, progress: Progress = silent) -> dict[str, Any]:
    """One node in figures: what a release at these levels would be, whether or not it may be published.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 2}}]})
    >>> told = node(policy, count(policy, {"age": ["23", "23", "31", "32"]}), [0])
    >>> told["suppressed"], told["groups_count"], told["smallest"], told["kept"]
    (0.5, 1, 2, False)
    """
    walk = _Walk(policy, counted, progress)
    if len(levels) != len(walk.heights) or not all(0 <= at <= h for at, h in zip(levels, walk.heights, strict=False)):
        rule = f"must be {len(walk.heights)} levels, each from 0 to {', '.join(map(str, walk.heights))}"
        raise PolicyError(Mistake("levels", rule))
    at = tuple(int(level) for level in levels)
    one = walk.judge.roll_up.groups(at)
    stays, judged = walk.outcome(one)
    sizes = one.groups.sizes[stays]
    return {
        "levels": list(at),
        "loss": arithmetic_loss(walk.judge.losses(one, ~stays)),
        "suppressed": walk.share(one, stays),
        "groups_count": len(sizes),
        "smallest": int(sizes.min()) if len(sizes) else 0,
        "kept": judged.feasible,
    }


class _Walk:
    """What is known of the nodes visited so far."""

    def __init__(self, policy: Policy, counted: Counted, progress: Progress = silent) -> None:
        self.progress, self.done = progress, 0
        if policy.publish != GENERALIZATION:  # the nodes are those of another kind of publication
            policy = replace(policy, publish=GENERALIZATION, search="", ranges=None)
        intake = fitted(policy, counted)
        self.policy = with_wishes(policy, intake.frequency)
        self.frequency = intake.frequency
        self.heights = tuple(h.height for h in self.frequency.hierarchies)
        self.many = math.prod(h + 1 for h in self.heights)
        if self.many > MOST_NODES:
            rule = f"the lattice has {self.many:,} nodes, at most {MOST_NODES:,} are drawn"
            raise PolicyError(Mistake("attributes", rule, "give the hierarchies fewer levels, or take columns out"))
        models, limit = self.policy.models, int(policy.suppress * self.frequency.rows)
        self.judge = InMemory(
            Problem(self.frequency, models, limit, policy.utility, policy.seed, confirmed=True), self.tell
        )
        self.entries = bound_to(entries_of(policy), models)
        bits: list[tuple[PrivacyModel, ...]] = [own for _, own in self.entries]
        self.bits = bits if len(bits) <= _BITS else [*bits[: _BITS - 1], tuple(m for b in bits[_BITS - 1 :] for m in b)]
        self.limit = limit
        self.loss, self.suppressed = np.empty(self.many), np.empty(self.many)
        self.kept = np.zeros(self.many, dtype=np.uint8)
        self.best: int | None = None
        self._least = math.inf
        self._confirms = may_differ(models)

    def tell(self, *_: object) -> None:
        """How far the walk is; also while a single node takes long."""
        self.progress("nodes", self.done, self.many, f"{self.done:,} of {self.many:,} nodes")

    def nodes(self) -> Iterator[CountedNode]:
        """All nodes, counted: attributes with most values are raised first, which leaves the others least to merge."""
        roll_up, order = self.judge.roll_up, sorted(range(len(self.heights)), key=self._by_size)
        open_nodes = [(roll_up.groups((0,) * len(self.heights)), 0)]
        while open_nodes:
            counted, first = open_nodes.pop()
            yield counted
            for place in range(first, len(order)):
                d = order[place]
                if counted.node[d] < self.heights[d]:
                    node = (*counted.node[:d], counted.node[d] + 1, *counted.node[d + 1 :])
                    open_nodes.append((roll_up.coarser(counted, node), place))

    def _by_size(self, d: int) -> int:
        return -len(self.frequency.hierarchies[d].leaves)

    def number(self, node: Node) -> int:
        """The place of a node in the arrays."""
        at = 0
        for level, height in zip(node, self.heights, strict=True):
            at = at * (height + 1) + level
        return at

    def share(self, counted: CountedNode, stays: BoolArray) -> float:
        """How many of the rows are left out if these groups stay."""
        return int(counted.groups.sizes[~stays].sum()) / max(self.frequency.rows, 1)

    def outcome(self, counted: CountedNode) -> tuple[BoolArray, Judged]:
        """Which groups a release at this node would publish, and what is judged of it."""
        judged = self.judge.judge_counted(counted)
        models, groups = self.policy.models, counted.groups
        holds = all_hold(models, groups)
        stays = publishable(models, groups, holds, self.limit) & (groups.sizes > 0)
        if judged.left_out is not None and len(judged.left_out):
            first = [
                h.first[level][self.judge.roll_up.codes(counted, d)]
                for d, (h, level) in enumerate(zip(self.frequency.hierarchies, counted.node, strict=True))
            ]
            stays &= ~rows_among(np.array(first, dtype=np.int32).reshape(len(first), -1).T, judged.left_out)
        return stays, judged

    def visit(self, counted: CountedNode) -> None:
        at = self.number(counted.node)
        stays, judged = self.outcome(counted)
        self.loss[at] = arithmetic_loss(self.judge.losses(counted, ~stays & (counted.groups.sizes > 0)))
        self.suppressed[at] = self.share(counted, stays)
        self.kept[at] = self._bits(counted, judged)
        if judged.feasible and (judged.score, at) < (self._least, self.best if self.best is not None else at + 1):
            self._least, self.best = judged.score, at

    def _bits(self, counted: CountedNode, judged: Judged) -> int:
        """A bit for each promise."""
        everything = (1 << len(self.bits)) - 1
        if judged.feasible:
            return everything
        sizes = counted.groups.sizes
        lost = [int(sizes[~all_hold(models, counted.groups)].sum()) for models in self.bits]
        kept = sum(1 << i for i, rows in enumerate(lost) if rows <= self.limit)
        if kept == everything:
            kept &= ~(1 << int(np.argmax(lost)))
        return kept

    def columns(self) -> list[dict[str, Any]]:
        """Each column with the labels that its most common value has level by level, where enough people share them."""
        least = hidden_below(self.policy)
        return [
            {
                "name": shown(h.attribute),
                "attribute": h.attribute,
                "height": h.height,
                "labels": self._labels(d, h, least),
            }
            for d, h in enumerate(self.frequency.hierarchies)
        ]

    def _labels(self, d: int, h: Hierarchy, least: int) -> list[object]:
        people = people_of_each(self.frequency, self.frequency.codes[d], len(h.leaves))
        leaf = int(np.argmax(people))
        labels: list[object] = []
        for level, codes in enumerate(h.codes):
            there = people_of_each(self.frequency, codes[self.frequency.codes[d]], len(h.labels[level]))
            code = int(codes[leaf])
            labels.append(label(h.labels[level][code]) if there[code] >= least else None)
        return labels


def _packed(figures: np.ndarray[Any, Any]) -> str:
    return b64encode(np.ascontiguousarray(figures).tobytes()).decode("ascii")
