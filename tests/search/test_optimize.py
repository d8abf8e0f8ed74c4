"""k-Optimize against every cut through small hierarchies, judged row by row."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DiscreetError, Infeasible
from discreet.hierarchies.hierarchy import Value
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdicts
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.optimize import optimize
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from tests.models.cases import ATTRIBUTE
from tests.search.brute_force import Candidate, candidates
from tests.strategies import Paths, Table, meanings, promises, tables, trees

TOLERANCE = 1e-12
Cut = dict[Value, frozenset[Value]]


class CutTable(Table):
    """A table whose "nodes" are one cut for each attribute."""

    def generalized(self, node: tuple[Cut, ...]) -> list[tuple[object, ...]]:  # type: ignore[override]
        return [tuple(cut[v] for cut, v in zip(node, row, strict=True)) for row in self.rows]


def cuts(paths: Paths) -> list[Cut]:
    """Every way to take each leaf to a node above it so that no two nodes overlap."""
    height = len(next(iter(paths.values()))) + 1
    nodes = {node for level in range(height + 1) for node in meanings(paths, level).values()}

    def below(node: frozenset[Value]) -> list[frozenset[Value]]:
        smaller = [n for n in nodes if n < node]
        return [n for n in smaller if not any(n < other for other in smaller)]

    def of(node: frozenset[Value]) -> list[Cut]:
        whole = [dict.fromkeys(node, node)]
        if len(node) == 1:
            return whole
        parts = product(*(of(child) for child in below(node)))
        return whole + [{leaf: n for part in chosen for leaf, n in part.items()} for chosen in parts]

    return of(frozenset(paths))


def all_cuts(table: Table, models: tuple[object, ...]) -> list[Candidate]:
    cut_table = CutTable(table.paths, table.rows, table.sensitive, table.sensitive_paths)
    return candidates(cut_table, models, list(product(*map(cuts, table.paths))))  # type: ignore[arg-type]


small_tables = tables(max_attributes=2, max_rows=10)


@given(data=st.data())
def test_no_cut_loses_less(data: st.DataObject) -> None:
    """Under any promises, monotone or not, with and without suppression."""
    table, models = data.draw(small_tables), data.draw(promises())
    limit = data.draw(st.just(0) | st.integers(0, len(table.rows) + 1))
    possible = [c for c in all_cuts(table, models) if c.suppressed <= limit]
    problem = Problem(table.frequency(), models, limit)
    if not possible:
        with pytest.raises(Infeasible) as caught:
            optimize(problem)
        assert caught.value.closest and caught.value.witness is not None
        return
    plan = optimize(problem)
    least = min(c.score("loss") for c in possible)
    assert plan.facts["optimal"] is True
    assert plan.facts["score"] == plan.facts["lower_bound"] == pytest.approx(least, abs=TOLERANCE)
    assert plan.losses.mean() == pytest.approx(least, abs=TOLERANCE)
    assert plan.suppressed <= limit
    assert all(v.holds for v in verdicts(models, plan.groups))
    assert plan.node is None
    published = look(plan)
    assert any(shown(table, c) == published for c in possible)


def shown(table: Table, cut: Candidate) -> set[tuple[object, object]]:
    """The combinations that a cut publishes, and as what."""
    rows = {table.rows[row] for group in cut.kept for row in group}
    return {(row, tuple(of[value] for of, value in zip(cut.node, row, strict=True))) for row in rows}  # type: ignore[index]


def look(plan: Recoding) -> set[tuple[object, object]]:
    """What is published of each combination."""
    f = plan.frequency
    found = set()
    for row, group in zip(plan.row.tolist(), plan.group.tolist(), strict=True):
        if group != SUPPRESSED:
            ends = zip(f.hierarchies, plan.low[group].tolist(), plan.high[group].tolist(), strict=True)
            values = tuple(h.leaves[codes[row]] for h, codes in zip(f.hierarchies, f.codes, strict=True))
            found.add((values, tuple(frozenset(h.leaves[a : b + 1]) for h, a, b in ends)))
    return found


@given(data=st.data(), seconds=st.sampled_from([0, 1e-3]))
def test_against_the_clock_every_release_is_private_and_every_bound_is_true(
    data: st.DataObject, seconds: float
) -> None:
    table, models = data.draw(small_tables), data.draw(promises())
    limit = data.draw(st.integers(0, len(table.rows)))
    possible = [c for c in all_cuts(table, models) if c.suppressed <= limit]
    try:
        plan = optimize(Problem(table.frequency(), models, limit), time_limit=seconds)
    except Infeasible:
        return
    least = min(c.score("loss") for c in possible)
    assert plan.facts["lower_bound"] <= least + TOLERANCE
    assert plan.facts["score"] >= least - TOLERANCE
    assert plan.facts["optimal"] is (plan.facts["lower_bound"] == plan.facts["score"])
    assert plan.suppressed <= limit
    assert all(v.holds for v in verdicts(models, plan.groups))


@given(table=tables(max_attributes=4, max_rows=30), k=st.integers(2, 4), limit=st.integers(0, 3))
def test_it_is_never_worse_than_full_domain_generalization(table: Table, k: int, limit: int) -> None:
    problem = Problem(table.frequency(), (KAnonymity(k),), limit)
    try:
        best = optimal(problem)
    except Infeasible:
        return
    assert optimize(problem).facts["score"] <= best.facts["score"] + TOLERANCE


@given(trees(max_leaves=6))
def test_every_level_of_a_hierarchy_is_a_cut(paths: Paths) -> None:
    height = len(next(iter(paths.values()))) + 1
    assert all(meanings(paths, level) in cuts(paths) for level in range(height + 1))


def patients() -> Table:
    """Three rare nations beside many patients of two others: only the rare ones have to be hidden."""
    paths = {"Peru": ("America",), "Chile": ("America",), "Laos": ("Asia",), "China": ("Asia",), "Japan": ("Asia",)}
    rows = [("Peru",)] * 5 + [("Chile",)] * 5 + [("Laos",), ("China",), ("Japan",)]
    return Table((paths,), tuple(rows))


def test_a_rare_value_does_not_coarsen_the_others() -> None:
    problem = Problem(patients().frequency(), (KAnonymity(3),))
    assert optimal(problem).node == (1,)
    plan = optimize(problem)
    assert sorted(plan.groups.sizes.tolist()) == [3, 5, 5]
    assert plan.losses.tolist() == [pytest.approx(3 / 13 * 2 / 4)]


def only_a_cut() -> Problem:
    """a and b must be together, c and d must not, nor e and f: at each level at least 8 rows are to be suppressed."""
    paths: dict[Value, tuple[Value, ...]] = {leaf: (pair,) for pair in ("ab", "cd", "ef") for leaf in pair}
    rows = "ab" + "cc" + "ddd" + "ee" + "fff"
    values = "xy" + "xy" + "xxx" + "xy" + "xxx"
    table = Table((paths,), tuple((v,) for v in rows), {ATTRIBUTE: tuple(values)}, {ATTRIBUTE: {"x": (), "y": ()}})
    return Problem(table.frequency(), (FrequencyDiversity(2, ATTRIBUTE),), 7)


def test_a_cut_may_be_possible_where_no_level_is() -> None:
    with pytest.raises(Infeasible):
        optimal(only_a_cut())
    plan = optimize(only_a_cut())
    assert plan.suppressed == 6
    assert sorted(zip(plan.low[:, 0].tolist(), plan.high[:, 0].tolist(), strict=True)) == [(0, 1), (2, 2), (4, 4)]


def test_running_out_of_time_before_anything_is_found_is_not_called_impossible() -> None:
    with pytest.raises(Infeasible, match="before the time limit"):
        optimize(only_a_cut(), time_limit=0)


def test_other_utilities_and_promises_about_a_population_are_refused_together() -> None:
    with pytest.raises(DiscreetError) as caught:
        optimize(Problem(patients().frequency(), (Presence((0, 0.5)),), 0, "height"))
    assert [m.place for m in caught.value.mistakes] == ["utility", "search"]


@pytest.mark.parametrize("search", ["incognito", "optimize"])
def test_a_release_is_published_and_verified(search: str, tmp_path: Path) -> None:
    nations = [("Peru", "America"), ("Chile", "America"), ("Laos", "Asia"), ("China", "Asia")]
    policy = policy_from_words(
        {
            "attributes": {
                "nation": {"role": "quasi_identifier", "hierarchy": {"taxonomy": [[n, c, "*"] for n, c in nations]}},
                "disease": {"role": "sensitive"},
            },
            "require": [{"k_anonymity": {"k": 2}}],
            "search": search,
            "time_limit": 5,
        }
    )
    source = pa.table({"nation": ["Peru"] * 3 + ["Chile"] * 3 + ["Laos", "China"], "disease": list("abcdefgh")})
    release = anonymize(policy, tmp_path / "release", source=source)
    assert release.manifest["search"] == search
    assert verify(tmp_path / "release").kept
    published = (tmp_path / "release" / "data.csv").read_text()
    assert ("Peru" in published) is (search == "optimize")
