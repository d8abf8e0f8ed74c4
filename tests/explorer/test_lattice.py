"""The map: every node beside a brute force, and the best beside the search's."""

from __future__ import annotations

from base64 import b64decode
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.errors import Infeasible, PolicyError
from discreet.explorer.figures import lattice as lattices
from discreet.explorer.figures.candidate import candidate
from discreet.explorer.figures.lattice import lattice, node
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.policy.policy import Policy
from discreet.policy.words import Attribute, Role
from discreet.run.anonymize import find_plan
from discreet.run.intake import Counted, fitted
from tests.explorer.tables import KINDS, counted, of_kind, people, plain, policy, rare_values, texts
from tests.search.brute_force import candidates
from tests.search.confirmed_plans import case
from tests.strategies import Table, promises, tables


def unpacked(told: dict[str, Any]) -> tuple[Any, Any, Any]:
    kinds = (("loss", "<f8"), ("suppressed", "<f8"), ("kept", "u1"))
    loss, suppressed, kept = (np.frombuffer(b64decode(told[name]), dtype=kind) for name, kind in kinds)
    return loss, suppressed, kept


def asked_of(table: Table, models: tuple[PrivacyModel, ...], limit: int) -> tuple[Policy, Counted]:
    """A policy and counts of a table that was never a file."""
    roles = [Attribute(f"q{i}", Role.QUASI_IDENTIFIER) for i in range(len(table.paths))]
    roles += [Attribute(name, Role.SENSITIVE) for name in table.sensitive]
    share = f"{2 * limit + 1}/{2 * len(table.rows)}" if limit < len(table.rows) else "1"
    made = Policy(tuple(roles), models, suppress=share, seed=1)  # type: ignore[arg-type]
    return made, Counted(None, table.frequency(), None, None, None, ())  # type: ignore[arg-type]


@settings(max_examples=40)
@given(tables(), promises(), st.integers(0, 6))
def test_every_node_is_what_a_brute_force_finds(table: Table, models: tuple[PrivacyModel, ...], limit: int) -> None:
    assume(limit <= len(table.rows))
    told = lattice(*asked_of(table, models, limit))
    loss, suppressed, kept = unpacked(told)
    every = candidates(table, models)
    assert [c["height"] for c in told["columns"]] == list(table.heights)
    assert len(loss) == len(suppressed) == len(kept) == len(every)
    alone = [{c.node: c.suppressed for c in candidates(table, [model])} for model in models]
    comparing = not all(isinstance(model, KAnonymity) for model in models)
    everything = (1 << len(models)) - 1
    order = list(product(*(range(h + 1) for h in table.heights)))
    by_node = {c.node: c for c in every}
    for at, place in enumerate(order):
        brute = by_node[place]
        if not (comparing and kept[at] == everything and suppressed[at] * len(table.rows) > brute.suppressed + 0.5):
            assert suppressed[at] == pytest.approx(brute.suppressed / len(table.rows))
            assert loss[at] == pytest.approx(brute.score("loss"), abs=1e-6)
        if kept[at] == everything:
            assert brute.suppressed <= limit
        for bit, of in enumerate(alone):
            if kept[at] >> bit & 1:
                assert of[place] <= limit
        if not comparing:
            assert (kept[at] == everything) == (brute.suppressed <= limit)


@pytest.mark.parametrize("seed", range(0, 60))
def test_nodes_that_must_be_confirmed_are_those_that_can_be(seed: int) -> None:
    """Promises that compare with the table: against every way to leave groups out."""
    table, models, limit, every = case(seed)
    loss, _, kept = unpacked(lattice(*asked_of(table, models, limit)))
    everything = (1 << len(models)) - 1
    order = list(product(*(range(h + 1) for h in table.heights)))
    assert {place for place, bits in zip(order, kept, strict=True) if bits == everything} == {c.node for c in every}
    for at, place in enumerate(order):
        if kept[at] == everything:
            assert loss[at] == pytest.approx(min(c.score("loss") for c in every if c.node == place), abs=1e-6)


@settings(max_examples=30)
@given(tables(), promises(), st.integers(0, 6))
def test_the_best_is_the_optimum(table: Table, models: tuple[PrivacyModel, ...], limit: int) -> None:
    assume(limit <= len(table.rows))
    asked, counts = asked_of(table, models, limit)
    told = lattice(asked, counts)
    try:
        plan = find_plan(asked, fitted(asked, counts))
    except Infeasible:
        assert told["best"] is None and told["current"] is None
        return
    order = list(product(*(range(h + 1) for h in table.heights)))
    assert order[told["current"]] == plan.node
    loss, suppressed, kept = unpacked(told)
    assert order[told["best"]] == plan.node
    assert loss[told["best"]] == pytest.approx(plan.losses.mean(), abs=1e-6)
    assert suppressed[told["best"]] == pytest.approx(plan.suppressed / len(table.rows))
    assert kept[told["best"]] == (1 << len(models)) - 1


def test_the_map_of_a_policy_that_is_published_otherwise() -> None:
    counts = counted()
    told = lattice(of_kind("multidimensional"), counts)
    assert told["current"] == told["best"] is not None and plain(told)
    assert told["published"] is False and lattice(of_kind("generalization"), counts)["published"] is True
    with pytest.raises(PolicyError):
        lattice(of_kind("ambiguity"), counts)  # a promise that generalization can't keep


@pytest.mark.parametrize("kind", ["generalization", "closeness"])
def test_one_node_is_told_as_the_map_tells_it(kind: str) -> None:
    counts = counted()
    told = lattice(of_kind(kind), counts)
    loss, suppressed, kept = unpacked(told)
    everything = (1 << len(KINDS[kind][0])) - 1
    for at, place in enumerate(product(*(range(c["height"] + 1) for c in told["columns"]))):
        one = node(of_kind(kind), counts, place)
        assert (one["loss"], one["suppressed"]) == (pytest.approx(loss[at]), pytest.approx(suppressed[at]))
        assert one["kept"] == (kept[at] == everything) and one["levels"] == list(place)
    plan = candidate(of_kind(kind), counts).plan
    assert plan.node is not None
    mine = node(of_kind(kind), counts, plan.node)
    assert (mine["groups_count"], mine["smallest"]) == (len(plan.groups), plan.groups.sizes.min()) and mine["kept"]


@pytest.mark.parametrize("levels", [(), (0, 0), (0, 0, 9), (-1, 0, 0), (0, 0, 0, 0)])
def test_levels_that_are_none_are_refused(levels: tuple[int, ...]) -> None:
    with pytest.raises(PolicyError):
        node(policy(), counted(), levels)


def test_labels_are_of_many_people() -> None:
    table = people()
    told = lattice(policy(), counted(table))
    assert not set(texts(told)) & rare_values(table)
    assert [len(c["labels"]) for c in told["columns"]] == [c["height"] + 1 for c in told["columns"]]
    assert all(c["labels"][-1] == "*" for c in told["columns"])


def test_too_many_nodes_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattices, "MOST_NODES", 10)
    with pytest.raises(PolicyError) as refused:
        lattice(policy(), counted())
    assert "nodes" in refused.value.mistakes[0].rule


def test_many_promises_share_the_last_bit() -> None:
    require = [{"k_anonymity": {"k": k}} for k in range(2, 13)]
    told = lattice(policy(*require, suppress=0.1), counted())
    _, _, kept = unpacked(told)
    assert len(told["promises"]) == 8 and told["promises"][-1]["title"] == "4 more promises"
    assert kept[told["best"]] == 255


def test_it_can_be_stopped() -> None:
    class Stopped(BaseException):
        pass

    def stop(stage: str, done: float, total: float, note: str = "") -> None:
        if done > 0:
            raise Stopped

    with pytest.raises(Stopped):
        lattice(policy(), counted(), progress=stop)
