"""The optimal search, against every node of the lattice judged row by row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.groups import BoolArray, FloatArray, Groups
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import IntArray
from discreet.models.base import PrivacyModel
from discreet.models.k_anonymity import KAnonymity
from discreet.search.optimal import optimal
from discreet.search.plan import SUPPRESSED, Plan, Problem
from discreet.utility.objectives import OBJECTIVES
from tests.models.cases import ATTRIBUTE, KINDS
from tests.search.brute_force import Candidate, candidates
from tests.strategies import Table, promises, tables

BOTH = (ATTRIBUTE, "job")
utilities = st.sampled_from(sorted(OBJECTIVES))
every_utility = pytest.mark.parametrize("utility", sorted(OBJECTIVES))
TOLERANCE = 1e-12  # of scores: losses are sums of fractions, rounded in another order


def limits(table: Table) -> st.SearchStrategy[int]:
    """None, some or all rows (and more than there are) may be suppressed."""
    return st.sampled_from([0, len(table.rows)]) | st.integers(0, len(table.rows) + 1)


def check(
    table: Table, models: tuple[PrivacyModel, ...], limit: int, utility: str, seconds: float | None
) -> Plan | None:
    """Search, and compare with all nodes; None if nothing can be published."""
    every = candidates(table, models)
    possible = [c for c in every if c.suppressed <= limit]
    problem = Problem(table.frequency(), models, limit, utility)
    try:
        plan = optimal(problem, time_limit=seconds)
    except Infeasible as error:
        assert seconds is not None or not possible
        assert error.closest and error.witness is not None
        return None
    assert possible
    least = min(c.score(utility) for c in possible)
    chosen = next(c for c in possible if c.node == plan.node)
    facts = plan.facts
    assert facts["score"] == pytest.approx(chosen.score(utility), rel=TOLERANCE, abs=TOLERANCE)
    assert facts["lower_bound"] <= least + TOLERANCE
    assert least <= facts["score"] + TOLERANCE
    assert 1 <= facts["nodes_checked"] <= facts["nodes"] == len(every)
    assert facts["utility"] == utility
    if seconds is None or facts["optimal"]:
        assert facts["optimal"] is True
        assert facts["score"] == pytest.approx(least, rel=TOLERANCE, abs=TOLERANCE)
        assert facts["lower_bound"] == facts["score"]
    check_plan(plan, table, chosen, limit)
    return plan


def check_plan(plan: Plan, table: Table, chosen: Candidate, limit: int) -> None:
    """The plan does with every row what the brute force found for its node."""
    frequency = plan.frequency
    assert plan.suppressed == chosen.suppressed <= limit
    assert plan.losses.tolist() == pytest.approx([float(x) for x in chosen.losses], abs=TOLERANCE)
    assert sorted(plan.groups.sizes.tolist()) == sorted(len(rows) for rows in chosen.kept)
    assert plan.count.sum() == len(table.rows)
    looks = table.generalized(chosen.node)
    expected = {(table.rows[row], looks[row]) for rows in chosen.kept for row in rows}
    found = set()
    for row, group in zip(plan.row.tolist(), plan.group.tolist(), strict=True):
        leaves = tuple(h.leaves[codes[row]] for h, codes in zip(frequency.hierarchies, frequency.codes, strict=True))
        if group != SUPPRESSED:
            ends = zip(frequency.hierarchies, plan.low[group].tolist(), plan.high[group].tolist(), strict=True)
            found.add((leaves, tuple(frozenset(h.leaves[low : high + 1]) for h, low, high in ends)))
    assert found == expected
    for name in table.sensitive:
        tally = plan.groups.tallies[name]
        names = frequency.sensitive_hierarchies[name].leaves
        seen = []
        for begin, end in zip(tally.offsets[:-1], tally.offsets[1:], strict=True):
            pairs = zip(tally.values[begin:end].tolist(), tally.counts[begin:end].tolist(), strict=True)
            seen.append(sorted((str(names[v]), v, n) for v, n in pairs))
        index = frequency.sensitive_hierarchies[name].index
        column = table.sensitive[name]
        wanted = [sorted({column[r]: 0 for r in rows}, key=str) for rows in chosen.kept]
        counted = [
            sorted((str(v), index[v], sum(column[r] == v for r in rows)) for v in values)
            for rows, values in zip(chosen.kept, wanted, strict=True)
        ]
        assert sorted(seen) == sorted(counted)


@every_utility
@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_the_optimum_under_one_promise_is_that_of_all_nodes(kind: str, utility: str, data: st.DataObject) -> None:
    table = data.draw(tables())
    check(table, (data.draw(KINDS[kind]),), data.draw(limits(table)), utility, None)


@every_utility
@given(data=st.data())
def test_the_optimum_under_several_promises_is_that_of_all_nodes(utility: str, data: st.DataObject) -> None:
    table = data.draw(tables(sensitive=BOTH))
    check(table, data.draw(promises(BOTH)), data.draw(limits(table)), utility, None)


@every_utility
@given(data=st.data())
def test_without_sensitive_attributes_sizes_alone_decide(utility: str, data: st.DataObject) -> None:
    table = data.draw(tables(sensitive=()))
    check(table, (data.draw(KINDS["k_anonymity"]),), data.draw(limits(table)), utility, None)


@given(table=tables(), utility=utilities)
def test_without_promises_nothing_is_generalized(table: Table, utility: str) -> None:
    plan = check(table, (), 0, utility, None)
    assert plan is not None and plan.suppressed == 0
    assert plan.facts["score"] == candidates(table, ())[0].score(utility)


@dataclass(frozen=True)
class AtMost:
    """A promise that no coarser node need keep: no group has more rows than this. It proves nothing about parts."""

    most: int
    attribute = ""
    monotone = False
    higher_is_safer = False

    def holds(self, groups: Groups) -> BoolArray:
        return groups.sizes <= self.most

    def level(self, groups: Groups) -> FloatArray:
        return groups.sizes.astype(np.float64)

    def least_suppressed(self, groups: Groups) -> IntArray:
        return np.zeros(len(groups), dtype=np.int64)

    def require(self) -> str:
        return f"at most {self.most}"

    def describe(self) -> str:
        return f"groups of {self.most} at most"

    def to_words(self) -> dict[str, dict[str, object]]:
        return {"at_most": {"most": self.most}}


@every_utility
@given(data=st.data())
def test_promises_that_coarser_nodes_break_are_searched_too(utility: str, data: st.DataObject) -> None:
    """Groups of 2 to 4 rows, say: what fails at the top may hold further down."""
    table = data.draw(tables())
    least, most = data.draw(st.integers(2, 3)), data.draw(st.integers(3, 8))
    limit = data.draw(limits(table))
    problem = Problem(table.frequency(), (KAnonymity(least), AtMost(most)), limit, utility)
    possible = [
        kept_between(c, least, most, table)
        for c in candidates(table, ())
        if sum(len(g) for g in c.kept if not least <= len(g) <= most) <= limit
    ]
    try:
        plan = optimal(problem)
    except Infeasible:
        assert not possible
    else:
        assert plan.facts["score"] == pytest.approx(min(c.score(utility) for c in possible), abs=TOLERANCE)
        assert all(least <= size <= most for size in plan.groups.sizes)


def kept_between(candidate: Candidate, least: int, most: int, table: Table) -> Candidate:
    """The node with the groups of another size suppressed."""
    kept = tuple(g for g in candidate.kept if least <= len(g) <= most)
    published = {row for g in kept for row in g}
    losses = []
    looks = table.generalized(candidate.node)
    from fractions import Fraction

    for d, paths in enumerate(table.paths):
        widest = len(paths) - 1
        spread = sum(len(look[d]) - 1 if row in published else widest for row, look in enumerate(looks))
        losses.append(Fraction(spread, max(widest * len(looks), 1)))
    return Candidate(candidate.node, kept, len(looks) - len(published), tuple(losses))
