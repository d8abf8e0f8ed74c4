"""The optimal search, against every node of the lattice judged row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import inf, prod
from pathlib import Path
from time import monotonic

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words
from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.progress import silent
from discreet.search.lattice.dive import Dive
from discreet.search.lattice.node_judge import NodeJudge
from discreet.search.lattice.optimal import EXHAUSTIVE, optimal
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from discreet.utility.objectives import OBJECTIVES
from tests.models.cases import ATTRIBUTE, KINDS
from tests.search.brute_force import Candidate, candidates, judged
from tests.strategies import Table, promises, tables

BOTH = (ATTRIBUTE, "job")
utilities = st.sampled_from(sorted(OBJECTIVES))
every_utility = pytest.mark.parametrize("utility", sorted(OBJECTIVES))
TOLERANCE = 1e-12  # of scores: losses are sums of fractions, rounded in another order


def limits(table: Table) -> st.SearchStrategy[int]:
    """None, some or all rows (and more than there are) may be suppressed."""
    return st.sampled_from([0, len(table.rows)]) | st.integers(0, len(table.rows) + 1)


def check(
    table: Table,
    models: tuple[PrivacyModel, ...],
    limit: int,
    utility: str,
    seconds: float | None,
    spans: tuple[tuple[int, int], ...] = (),
) -> Recoding | None:
    """Search, and compare with all nodes (of these levels); None if nothing can be published."""
    allowed = [range(low, high + 1) for low, high in spans]
    every = candidates(table, models, [*product(*allowed)] if spans else None)
    possible = [c for c in every if c.suppressed <= limit]
    problem = Problem(table.frequency(), models, limit, utility, spans=spans)
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


def check_plan(plan: Recoding, table: Table, chosen: Candidate, limit: int) -> None:
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


@given(data=st.data(), utility=utilities)
def test_the_optimum_of_some_levels_is_that_of_their_nodes(data: st.DataObject, utility: str) -> None:
    table, models = data.draw(tables()), data.draw(promises())
    two = st.tuples(st.integers(0, 4), st.integers(0, 4))
    drawn = data.draw(st.tuples(*[two] * len(table.paths)))
    spans = tuple((min(a, b, h), min(max(a, b), h)) for (a, b), h in zip(drawn, table.heights, strict=True))
    check(table, models, data.draw(limits(table)), utility, data.draw(st.sampled_from([None, 10])), spans)


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
    assert plan.facts["score"] == pytest.approx(candidates(table, ())[0].score(utility), abs=1e-12)


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
    every = judged(table, lambda rows: least <= len(rows) <= most)
    possible = [c for c in every if c.suppressed <= limit]
    try:
        plan = optimal(Problem(table.frequency(), (KAnonymity(least), AtMost(most)), limit, utility))
    except Infeasible:
        assert not possible
    else:
        assert plan.facts["score"] == pytest.approx(min(c.score(utility) for c in possible), abs=TOLERANCE)
        check_plan(plan, table, next(c for c in possible if c.node == plan.node), limit)


@given(data=st.data(), utility=st.sampled_from(["height", "discernibility"]))
def test_ties_go_to_the_first_node(data: st.DataObject, utility: str) -> None:
    """Whole numbers, so that equal costs are equal to the last digit."""
    table, models = data.draw(tables()), data.draw(promises(max_size=1))
    limit = data.draw(limits(table))
    plan = check(table, models, limit, utility, None)
    assume(plan is not None)
    possible = [c for c in candidates(table, models) if c.suppressed <= limit]
    assert plan.node == min(possible, key=lambda c: (c.score(utility), c.node)).node


@given(data=st.data(), utility=utilities)
def test_the_order_of_rows_and_the_names_of_values_change_nothing(data: st.DataObject, utility: str) -> None:
    """Leaves are renamed and listed in another order, so that they get other numbers; sensitive values keep theirs,
    since ordered distances look at their order."""
    table, models = data.draw(tables()), data.draw(promises())
    limit = data.draw(limits(table))
    mixed = table.in_order(data.draw(st.permutations(range(len(table.rows)))))
    names = [{v: f"name {i}" for i, v in enumerate(data.draw(st.permutations(list(p))))} for p in mixed.paths]
    renamed = replace(
        mixed,
        paths=tuple(
            {names[d][v]: tuple(f"other {n}" for n in paths[v]) for v in data.draw(st.permutations(list(paths)))}
            for d, paths in enumerate(mixed.paths)
        ),
        rows=tuple(tuple(names[d][v] for d, v in enumerate(row)) for row in mixed.rows),
    )
    try:
        plan = optimal(Problem(table.frequency(), models, limit, utility))
    except Infeasible as error:
        with pytest.raises(Infeasible) as other:
            optimal(Problem(renamed.frequency(), models, limit, utility))
        assert str(other.value) == str(error)
    else:
        other = optimal(Problem(renamed.frequency(), models, limit, utility))
        assert (other.node, other.facts["score"], other.suppressed) == (plan.node, plan.facts["score"], plan.suppressed)


@given(data=st.data(), utility=utilities)
def test_against_the_clock_every_release_is_private_and_every_bound_is_true(data: st.DataObject, utility: str) -> None:
    table, models = data.draw(tables()), data.draw(promises())
    check(table, models, data.draw(limits(table)), utility, data.draw(st.sampled_from([0, 1e-4, 1e-3, 10])))


def test_with_no_time_at_all_the_top_is_published_and_nothing_is_claimed() -> None:
    table = wide_table()
    plan = optimal(Problem(table.frequency(), (KAnonymity(3),)), time_limit=0)
    assert plan.node == table.heights
    assert plan.facts["optimal"] is False
    assert plan.facts["lower_bound"] < plan.facts["score"] == 1.0
    assert plan.facts["nodes_checked"] == 1


def wide_table() -> Table:
    """Three attributes that matter and ten in which everybody is alike: 3^13 nodes, of which 27 decide.

    Raising one of the ten changes no group and can only cost.
    """
    paths = {"a": ("ab",), "b": ("ab",), "c": ("cd",), "d": ("cd",)}
    rows = [(x, y, z) for x in "abcd" for y in "abc" for z in "ab" for _ in range(1 + (x + y + z).count("a"))]
    values = ["flu", "cold", "gout"]
    return Table(
        (paths,) * 13,
        tuple((*row, *"a" * 10) for row in rows),
        {ATTRIBUTE: tuple(values[i * i % 3] for i in range(len(rows)))},
        {ATTRIBUTE: {value: () for value in values}},
    )


@every_utility
@pytest.mark.parametrize("limit", [0, 9])
@pytest.mark.parametrize("kind", ["k", "k and diversity"])
def test_a_lattice_of_a_million_nodes_and_more_gives_the_optimum_or_a_true_bound(
    utility: str, limit: int, kind: str
) -> None:
    table = wide_table()
    models: tuple[PrivacyModel, ...] = (KAnonymity(4),)
    if kind != "k":
        models += (FrequencyDiversity(1.5, ATTRIBUTE),)
    assert prod(h + 1 for h in table.heights) > EXHAUSTIVE
    deciding = [(*node, *(0,) * 10) for node in product(range(3), repeat=3)]
    possible = [c for c in candidates(table, models, deciding) if c.suppressed <= limit]
    least = min(c.score(utility) for c in possible)
    problem = Problem(table.frequency(), models, limit, utility)
    plan = optimal(problem, time_limit=0.3)
    assert plan.suppressed <= limit
    assert plan.facts["nodes_checked"] <= plan.facts["nodes"] == 3**13
    assert plan.facts["lower_bound"] <= least + TOLERANCE
    assert plan.facts["score"] >= least - TOLERANCE
    if kind == "k":  # then a dive that may end finds it; with diversity, the best node may have no good neighbour
        judge = NodeJudge(problem, silent)
        Dive(judge, deadline=inf).search(until=inf)
        assert judge.best is not None and judge.best.score == pytest.approx(least)
    check_plan(plan, table, candidates(table, models, [plan.node])[0], limit)


def test_a_large_lattice_is_searched_against_the_clock_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.search.lattice.optimal.DEFAULT_SECONDS", 0.0)
    problem = Problem(wide_table().frequency(), (KAnonymity(3),))
    assert optimal(problem).facts["optimal"] is False
    monkeypatch.setattr("discreet.search.lattice.optimal.EXHAUSTIVE", 3**13)
    assert optimal(problem).facts["optimal"] is True


def test_progress_is_told_several_times_a_second_and_never_runs_backwards() -> None:
    told: list[tuple[float, float, float]] = []

    def listen(stage: str, done: float, total: float, note: str = "") -> None:
        assert stage == "search" and note.endswith("nodes checked")
        told.append((monotonic(), done, total))

    optimal(Problem(wide_table().frequency(), (KAnonymity(4),), 9, "average_group"), listen, time_limit=1.0)
    assert len(told) >= 3
    assert all(b - a > 0.09 for (a, _, _), (b, _, _) in pairwise(told))  # and cheaply: not once a node
    assert all(done <= total for _, done, total in told)
    assert all(a <= b for (_, a, _), (_, b, _) in pairwise(told))
    assert all(a >= b for (_, _, a), (_, _, b) in pairwise(told))


def test_nothing_to_publish_says_what_came_closest_and_no_value_of_the_table() -> None:
    paths: dict[str | None, tuple[str, ...]] = {"Zanzibar": ("Zone",), "Zurich": ("Zone",)}
    rows = (("Zanzibar",),) * 3 + (("Zurich",),) * 2
    table = Table((paths,), rows, {ATTRIBUTE: ("zoster",) * 5}, {ATTRIBUTE: {"zoster": (), "zika": ()}})
    with pytest.raises(Infeasible) as caught:
        optimal(Problem(table.frequency(), (KAnonymity(2), FrequencyDiversity(2, ATTRIBUTE)), 4))
    error = caught.value
    assert error.closest == "levels q0 2, where 5 of 5 rows would have to be suppressed"
    assert error.witness is not None and error.witness.size == 5
    assert "at most 4 rows" in str(error)
    assert not any(word.casefold() in str(error).casefold() for word in ["Zan", "Zur", "Zone", "zos", "zik"])


def test_running_out_of_time_before_anything_is_found_is_not_called_impossible() -> None:
    """The whole table fails, parts of it hold: something the first look at the top can't see."""
    paths: dict[str | None, tuple[str, ...]] = {"a": (), "b": ()}
    rows = (("a",),) * 4 + (("b",),) * 2
    table = Table((paths,), rows, {ATTRIBUTE: ("x", "x", "x", "x", "x", "y")}, {ATTRIBUTE: {"x": (), "y": ()}})
    problem = Problem(table.frequency(), (FrequencyDiversity(2, ATTRIBUTE),), 4)
    assert optimal(problem).suppressed == 4
    assert optimal(problem, time_limit=10).suppressed == 4
    with pytest.raises(Infeasible, match="before the time limit"):
        optimal(problem, time_limit=0)


def test_a_release_without_rows_is_written_although_its_average_group_is_infinite(tmp_path: Path) -> None:
    """Where all rows may be suppressed and all of them fail, nothing is published, and JSON has no infinity."""
    policy = policy_from_words(
        {
            "attributes": {"q": {"role": "quasi_identifier", "hierarchy": {"flat": True}}, "s": {"role": "sensitive"}},
            "require": [{"l_diversity": {"l": 2}}],
            "suppress": 1,
            "utility": "average_group",
        }
    )
    release = anonymize(policy, tmp_path / "release", source=pa.table({"q": ["a", "b"], "s": ["x", "x"]}))
    assert release.manifest["rows"]["published"] == 0
    assert release.figures["facts"]["score"] is None
