"""Confident presence in the optimal search, with rows left out, coverage and a second promise: against every node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import Marginals
from discreet.counts.groups import Groups, Outside
from discreet.errors import Infeasible
from discreet.hierarchies.hierarchy import Value
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.verdicts import verdict
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem
from tests.presence import worlds_outside as oracle
from tests.search.brute_force import Candidate, judged
from tests.strategies import Table, tables


@dataclass(frozen=True)
class World:
    """A private table, and the values of everybody else, column by column: who has which together is not known."""

    table: Table
    others: tuple[tuple[Value, ...], ...]

    def known(self) -> Marginals:
        counts, possible = [], []
        frequency = self.table.frequency()
        for d, h in enumerate(frequency.hierarchies):
            counts.append(np.array([sum(o[d] == leaf for o in self.others) for leaf in h.leaves], dtype=np.int64))
            rows = np.array([sum(r[d] == leaf for r in self.table.rows) for leaf in h.leaves])
            possible.append(counts[-1] + rows > 0)
        return Marginals(tuple(counts), tuple(possible), len(self.others))

    def candidates(self, model: ConfidentPresence, k: int) -> list[Candidate]:
        """Every node that may be published, with the groups that fail left out."""
        found = []
        for node in self.table.nodes:
            looks = self.table.generalized(node)

            def private(rows: Sequence[int], looks: list = looks) -> bool:
                counts = [sum(o[d] in seen for o in self.others) for d, seen in enumerate(looks[rows[0]])]
                sure = oracle.confidence(len(rows), counts, len(self.others), model.delta)
                return sure >= model.confidence and len(rows) >= k

            [candidate] = judged(self.table, private, [node])
            boxes = [looks[rows[0]] for rows in candidate.kept]
            if self.hidden(boxes, candidate.suppressed, model) and (not model.coverage or self.covered(boxes)):
                found.append(candidate)
        return found

    def hidden(self, boxes: list, left_out: int, model: ConfidentPresence) -> bool:
        """The bound for those in no group has tests of its own; here it decides."""
        hierarchies = self.table.frequency().hierarchies
        ends = np.array(
            [[_ends(h.index[v] for v in seen) for h, seen in zip(hierarchies, box, strict=True)] for box in boxes],
            dtype=np.int32,
        ).reshape(len(boxes), len(hierarchies), 2)
        outside = Outside(ends[:, :, 0], ends[:, :, 1], self.known())
        groups = Groups(np.ones(len(boxes), dtype=np.int64), outside=outside, left_out=left_out)
        rest = replace(model, coverage=False).rest(groups)
        return rest is None or rest[0]

    def covered(self, boxes: list) -> bool:
        values = [{p[d] for p in (*self.table.rows, *self.others)} for d in range(len(self.table.paths))]
        return all(
            any(all(v in seen for v, seen in zip(person, box, strict=True)) for box in boxes)
            for person in product(*values)
        )


def _ends(leaves: object) -> tuple[int, int]:
    ordered = sorted(leaves)  # type: ignore[call-overload]
    return ordered[0], ordered[-1]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    table = draw(tables(max_attributes=3, max_rows=10, sensitive=()))
    person = st.tuples(*(st.sampled_from(list(paths)) for paths in table.paths))
    return World(table, tuple(draw(st.lists(person, min_size=8, max_size=40))))


@settings(deadline=None)
@given(
    world=worlds(),
    delta=st.sampled_from([(0, "1/2"), (0, "1/4"), (0, "1/7"), ("1/20", "1/2"), ("1/9", 1)]),
    c=st.sampled_from(["0.3", "0.6", "0.8", 1]),
    limit=st.integers(0, 10),
    coverage=st.booleans(),
    k=st.sampled_from([1, 1, 2, 3]),
)
def test_the_search_finds_the_cheapest_node_that_hides_presence(
    world: World, delta: tuple[object, object], c: object, limit: int, coverage: bool, k: int
) -> None:
    model = ConfidentPresence(delta, c, coverage=coverage)
    models = (model, *([KAnonymity(k)] if k > 1 else []))
    frequency = replace(world.table.frequency(), marginals=world.known())
    possible = [o for o in world.candidates(model, k) if o.suppressed <= limit]
    try:
        plan = optimal(Problem(frequency, models, limit))
    except Infeasible:
        assert not possible
        return
    chosen = next(o for o in possible if o.node == plan.node)
    assert chosen.score("loss") == pytest.approx(min(o.score("loss") for o in possible), abs=1e-12)
    assert plan.suppressed == chosen.suppressed
    assert all(verdict(m, plan.groups).holds for m in models)


def test_a_finer_node_is_found_below_one_that_fails() -> None:
    """Confidence is not monotone: a and b apart need a person each, there with 2/3; together two, there with 1/3."""
    letters = {"a": ("a or b",), "b": ("a or b",), "c": ("c",)}
    table = Table((letters, {"x": (), "y": ()}), (("a", "x"), ("b", "x")))
    world = World(table, (("a", "x"), ("b", "x"), ("c", "y")))
    model = ConfidentPresence((0, "1/2"), "0.6")
    assert {o.node for o in world.candidates(model, 1) if not o.suppressed} == {(0, 0), (0, 1), (1, 1), (2, 0), (2, 1)}
    plan = optimal(Problem(replace(table.frequency(), marginals=world.known()), (model,)))
    assert plan.node == (0, 0)
