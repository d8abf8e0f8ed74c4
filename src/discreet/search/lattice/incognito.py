"""Incognito: every minimal full-domain generalization that keeps the promises.

LeFevre, DeWitt & Ramakrishnan 2005. A node is minimal if it can be published and no finer one can. Upward, the search
goes through the sets of attributes as a-priori does through sets of items, the smaller sets first. Two facts spare it
most of the counting: whatever is coarser than a node that can be published is not minimal; and what is proven to be
impossible for some attributes (the others being ``*``) is so for more of them. Downward, as Nergiz, Tamersoy & Saygin
(2011) run it, it starts at the top and drops whatever is finer than a node that fails.

Both are exact for every promise, monotone or not, and with suppression: "fails" is always read as "no finer node can be
published" (`hopeless`), which for k-anonymity, and for all monotone promises when nothing may be suppressed, is simply
that the node itself can't.

Without suppression the cheapest node is a minimal one, by every utility. With it that need not be so: a coarser node
suppresses fewer rows and may lose less. Then nodes above the minimal ones are looked at too, those that could be
cheapest first, until none is left that could be cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from discreet.counts.roll_up import Node
from discreet.errors import Mistake, PolicyError
from discreet.progress import Progress, silent
from discreet.search.lattice.counting import InMemory, Judge
from discreet.search.lattice.optimal import IMPOSSIBLE, full_domain_plan, infeasible
from discreet.search.plan import Problem, Recoding

MOST_NODES = 1_000_000  # each is looked at, if only to see that it need not be counted


def incognito(problem: Problem, progress: Progress = silent, downward: bool = False) -> Recoding:
    """The cheapest node of the lattice that keeps every promise within the suppression limit.

    It is the one that `optimal` finds. `facts` say how many minimal nodes there are (None if of a node it is not known
    whether it can be published), and how many queries it would have taken to count in an engine.
    """
    judge = InMemory(problem, progress)
    minimal = minimal_nodes(judge, downward)
    best = cheapest(judge, minimal, suppression=problem.suppression_limit > 0)
    if best is None:
        raise infeasible(judge, IMPOSSIBLE)
    score = judge.judged[best].score
    facts: dict[str, object] = {
        "nodes": math.prod(level + 1 for level in judge.top),
        "nodes_checked": len(judge.judged),
        "queries": len(judge.judged),
        "minimal_nodes": len(minimal) if judge.unproven == math.inf else None,
        "optimal": judge.unproven >= score,
        "utility": problem.utility,
        "score": score,
    }
    if judge.unproven < score:
        facts["lower_bound"] = judge.unproven
    return full_domain_plan(problem, judge.roll_up, best, facts, judge.judged[best].left_out)


def minimal_nodes(judge: Judge, downward: bool = False) -> list[Node]:
    """All nodes that can be published while no finer one can, the lowest first.

    Bottom-up through the sets of attributes, or top-down through the lattice; the answer is the same.
    """
    nodes = math.prod(level + 1 for level in judge.top)
    if nodes > MOST_NODES:
        rule = f"the lattice has {nodes:,} nodes, and incognito looks at most at {MOST_NODES:,}"
        raise PolicyError(Mistake("search", rule, "write search: optimal, or give the hierarchies fewer levels"))
    feasible = list(_downward(judge) if downward else _upward(judge))
    return _minimal(feasible)


def cheapest(judge: Judge, minimal: list[Node], suppression: bool) -> Node | None:
    """The best node that can be published, given all minimal ones; None if there is none."""
    if suppression and minimal:
        _look_above(judge, minimal)
    return None if judge.best is None else judge.best.node


def _upward(judge: Judge) -> Iterator[Node]:
    """Nodes that can be published, the minimal ones among them.

    A set of attributes is a node in which all the others are at the top: so every node is met once, with the set of the
    attributes that it does not hide.
    """
    top = judge.top
    impossible: set[Node] = set()
    for many in range(len(top) + 1):
        for shown in combinations(range(len(top)), many):
            above: set[Node] = set()  # at or above one that can be published, by what they show
            levels = product(*(range(top[d]) for d in shown))
            for level in sorted(levels, key=lambda level: (sum(level), level)):
                node = _with(top, shown, level)
                if any(_with(node, (d,), (top[d],)) in impossible for d in shown):
                    impossible.add(node)
                elif any(level[i] > 0 and _with(node, (d,), (level[i] - 1,)) in above for i, d in enumerate(shown)):
                    above.add(node)
                else:
                    judged = judge.judge(node)
                    if judged.feasible:
                        above.add(node)
                        yield node
                    elif judged.hopeless:
                        impossible.add(node)


def _downward(judge: Judge) -> Iterator[Node]:
    """All nodes that can be published."""
    level = {judge.top}
    dropped: set[Node] = set()
    while level:
        finer: set[Node] = set()
        for node in sorted(level):
            if any(_with(node, (d,), (n + 1,)) in dropped for d, n in enumerate(node) if n < judge.top[d]):
                dropped.add(node)
                continue
            judged = judge.judge(node)
            if judged.hopeless:
                dropped.add(node)
                continue
            if judged.feasible:
                yield node
            finer.update(_with(node, (d,), (n - 1,)) for d, n in enumerate(node) if n > 0)
        level = finer


def _look_above(judge: Judge, minimal: list[Node]) -> None:
    """Count nodes above the minimal ones as long as they could be cheaper than the best."""
    every = np.array(list(product(*(range(level + 1) for level in judge.top))), dtype=np.int64)
    above = np.zeros(len(every), dtype=np.bool_)
    for node in minimal:
        above |= (every >= np.array(node)).all(axis=1)
    waiting = [node for node in map(tuple, every[above].tolist()) if node not in judge.judged]
    for least, node in sorted((judge.least(node), node) for node in waiting):
        if judge.best is not None and (least, node) >= (judge.best.score, judge.best.node):
            return
        judge.judge(node)


def _minimal(nodes: list[Node]) -> list[Node]:
    """The nodes of which no other one is finer."""
    if not nodes:
        return []
    levels = np.array(sorted(set(nodes), key=lambda node: (sum(node), node)), dtype=np.int64)
    kept: list[int] = []
    for i, node in enumerate(levels):  # whatever is finer has a smaller sum, and so came before
        if not (levels[kept] <= node).all(axis=1).any():
            kept.append(i)
    return [tuple(node) for node in levels[kept].tolist()]


def _with(node: Node, attributes: tuple[int, ...], levels: tuple[int, ...]) -> Node:
    """The node with other levels for some attributes."""
    changed = list(node)
    for d, level in zip(attributes, levels, strict=True):
        changed[d] = level
    return tuple(changed)
