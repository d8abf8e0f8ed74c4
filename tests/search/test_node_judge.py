"""What one counted node proves about all finer ones, against those judged row by row."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.progress import silent
from discreet.search.lattice.dive import Dive
from discreet.search.lattice.node_judge import NodeJudge
from discreet.search.plan import Problem
from discreet.utility.objectives import OBJECTIVES
from tests.search.brute_force import candidates
from tests.strategies import Node, Table, promises, tables

TOLERANCE = 1e-12
every_utility = pytest.mark.parametrize("utility", sorted(OBJECTIVES))


def between(low: Node, node: Node, high: Node) -> bool:
    return all(a <= b <= c for a, b, c in zip(low, node, high, strict=True))


def limits(table: Table) -> st.SearchStrategy[int]:
    return st.integers(0, len(table.rows)) | st.just(len(table.rows))


@every_utility
@given(table=tables(), models=promises(), data=st.data())
def test_no_node_of_a_box_undercuts_its_bound(
    table: Table, models: tuple[PrivacyModel, ...], utility: str, data: st.DataObject
) -> None:
    limit = data.draw(limits(table))
    judge = NodeJudge(Problem(table.frequency(), models, limit, utility), silent)
    every = candidates(table, models)
    for high in data.draw(st.lists(st.sampled_from(table.nodes), min_size=1, max_size=3)):
        judged = judge.judge(high)
        finer = [c for c in every if between((0,) * len(high), c.node, high)]
        assert judged.lost <= min(c.suppressed for c in finer)
        if judged.hopeless:
            assert all(c.suppressed > limit for c in finer)
            continue
        low = data.draw(st.sampled_from([c.node for c in finer]))
        bound = judge.bound(low, judged)
        scores = [c.score(utility) for c in finer if between(low, c.node, high) and c.suppressed <= limit]
        assert bound <= min(scores, default=inf) * (1 + TOLERANCE) + TOLERANCE


@every_utility
@given(table=tables(), models=promises(), data=st.data())
def test_a_node_is_judged_as_its_rows_say(
    table: Table, models: tuple[PrivacyModel, ...], utility: str, data: st.DataObject
) -> None:
    limit = data.draw(limits(table))
    judge = NodeJudge(Problem(table.frequency(), models, limit, utility), silent)
    every = {c.node: c for c in candidates(table, models)}
    for node in data.draw(st.permutations(table.nodes)):
        judged, candidate = judge.judge(node), every[node]
        assert judged.suppressed == candidate.suppressed
        assert judged.feasible == (candidate.suppressed <= limit)
        expected = candidate.score(utility) if judged.feasible else inf
        assert judged.score == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)
    feasible = [j for j in judge.judged.values() if j.feasible]
    assert judge.best == min(feasible, key=lambda j: (j.score, j.node), default=None)
    assert judge.closest is not None
    assert judge.closest.suppressed == min(c.suppressed for c in every.values())


@given(table=tables(max_attributes=4, max_rows=20), data=st.data())
def test_a_dive_takes_the_same_walk_in_every_run(table: Table, data: st.DataObject) -> None:
    problem = Problem(table.frequency(), (KAnonymity(2),), data.draw(limits(table)))
    walks = []
    for _ in range(2):
        judge = NodeJudge(problem, silent)
        Dive(judge, deadline=inf).search(until=inf)
        walks.append(list(judge.judged))
    assert walks[0] == walks[1]
