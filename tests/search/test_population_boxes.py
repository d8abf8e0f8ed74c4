"""Groups against a population: disjoint boxes that keep every promise, told person by person in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet, Marginals, Population
from discreet.errors import Infeasible
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.rules import Intervals, Taxonomy
from discreet.models.base import all_hold, may_leave_out
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.search.lattice.optimal import optimal
from discreet.search.multidimensional import population_boxes, population_cuts
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.multidimensional.population_cuts import Boxes
from discreet.search.plan import Problem, Recoding
from tests.models.cases import ATTRIBUTE, PATHS, VALUES
from tests.search.multidimensional import Rows
from tests.strategies import promises, trees

Leaves = tuple[int, ...]


@dataclass(frozen=True)
class World:
    """Everybody's leaves, and who of them is in the table, with which sensitive value."""

    hierarchies: tuple[Hierarchy, ...]
    people: tuple[Leaves, ...]
    private: tuple[int, ...]
    values: tuple[Any, ...]

    @property
    def outside(self) -> list[Leaves]:
        return [leaves for i, leaves in enumerate(self.people) if i not in self.private]

    def frequency(self, population: bool = True, marginals: bool = False) -> FrequencySet:
        """What a search sees of it."""
        sensitive = build(ATTRIBUTE, (), Taxonomy(PATHS))
        rows = [(*self.people[i], sensitive.index[v]) for i, v in zip(self.private, self.values, strict=True)]
        codes, counts = _coded(rows, len(self.hierarchies) + 1)
        people = Population(*_coded(self.people, len(self.hierarchies)))
        return FrequencySet(
            self.hierarchies,
            codes[:-1],
            {ATTRIBUTE: codes[-1]},
            {ATTRIBUTE: sensitive},
            counts,
            people if population else None,
            self.marginals if marginals else None,
        )

    @property
    def marginals(self) -> Marginals:
        counts, possible = [], []
        for d, h in enumerate(self.hierarchies):
            outside = Counter(leaves[d] for leaves in self.outside)
            everybody = {leaves[d] for leaves in self.people}
            counts.append(np.array([outside[leaf] for leaf in range(len(h.leaves))], dtype=np.int64))
            possible.append(np.array([leaf in everybody for leaf in range(len(h.leaves))]))
        return Marginals(tuple(counts), tuple(possible), len(self.outside))


def _coded(rows: Sequence[Leaves], width: int) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    found = Counter(rows)
    codes = tuple(np.array([row[d] for row in found], dtype=np.int32) for d in range(width))
    return codes, np.array(list(found.values()), dtype=np.int64)


@st.composite
def worlds(draw: st.DrawFn, max_people: int = 24) -> World:
    """A few people with taxonomies; often with an age besides, of which any range may be published."""
    hierarchies = [build(f"q{d}", (), Taxonomy(draw(trees()))) for d in range(draw(st.integers(1, 2)))]
    if draw(st.booleans()):
        ages = draw(st.lists(st.none() | st.integers(0, 12), min_size=1, max_size=8))
        hierarchies.append(build("age", [None if a is None else str(a) for a in ages], Intervals((5,))))
    person = st.tuples(*(st.integers(0, len(h.leaves) - 1) for h in hierarchies))
    people = draw(st.lists(person, min_size=1, max_size=max_people))
    private = draw(st.sets(st.integers(0, len(people) - 1), min_size=1, max_size=max(1, len(people) // 2)))
    values = draw(st.lists(st.sampled_from(VALUES), min_size=len(private), max_size=len(private)))
    return World(tuple(hierarchies), tuple(people), tuple(sorted(private)), tuple(values))


@st.composite
def deltas(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    low = draw(st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10), Fraction(1, 4)]))
    return low, draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(5 if low else 4, 5)]))


def inside(leaves: Leaves, low: Sequence[int], high: Sequence[int]) -> bool:
    return all(a <= leaf <= b for leaf, a, b in zip(leaves, low, high, strict=True))


def check(world: World, plan: Recoding) -> list[tuple[list[int], list[int]]]:
    """Every row stands in the one box that has it, no two boxes overlap, and each can be published. Returns them."""
    f = plan.frequency
    assert sorted(plan.row.tolist()) == list(range(len(f.counts)))
    assert plan.count.tolist() == f.counts[plan.row].tolist()
    found = list(zip(plan.low.tolist(), plan.high.tolist(), strict=True))
    for row, group in zip(plan.row.tolist(), plan.group.tolist(), strict=True):
        leaves = tuple(int(codes[row]) for codes in f.codes)
        assert [g for g, box in enumerate(found) if inside(leaves, *box)] == [group]
    assert set(plan.group.tolist()) == set(range(len(found)))
    for g, (low, high) in enumerate(found):
        assert [h.cover(a, b) for h, a, b in zip(f.hierarchies, low, high, strict=True)] == list(
            zip(low, high, strict=True)
        )
        for other_low, other_high in found[:g]:
            ends = zip(low, high, other_low, other_high, strict=True)
            assert any(b < other_a or other_b < a for a, b, other_a, other_b in ends)
    if f.population is None:
        assert plan.population is None
    else:
        people = [sum(inside(leaves, *box) for leaves in world.people) for box in found]
        assert plan.population is not None
        assert plan.population.tolist() == people
    return found


def present(world: World, found: Sequence[tuple[Any, Any]], delta: tuple[Fraction, Fraction]) -> bool:
    """δ-presence of everybody, by counting."""
    private = [world.people[i] for i in world.private]
    for leaves in world.people:
        mates = [(low, high) for low, high in found if inside(leaves, low, high)]
        rows = sum(inside(other, *box) for box in mates for other in private)
        people = sum(inside(other, *box) for box in mates for other in world.people)
        if not delta[0] <= Fraction(rows, max(people, 1)) <= delta[1]:
            return False
    return True


def confidence(world: World, low: Sequence[int], high: Sequence[int], delta: tuple[Fraction, Fraction]) -> Fraction:
    """The chain of the paper, in fractions."""
    rows = sum(inside(world.people[i], low, high) for i in world.private)
    n = len(world.outside)
    chances = {n: Fraction(1)}
    for d, (a, b) in enumerate(zip(low, high, strict=True)):
        f = sum(a <= leaves[d] <= b for leaves in world.outside)
        after: Counter[int] = Counter()
        for y, chance in chances.items():
            for x in range(y + 1):
                after[x] += chance * Fraction(comb(f, x) * comb(n - f, y - x), comb(n, y))  # type: ignore[assignment]
        chances = dict(after)
    return Fraction(sum(c for x, c in chances.items() if delta[0] <= Fraction(rows, rows + x) <= delta[1]))


def parts_of(h: Hierarchy, low: int, high: int) -> Iterator[list[tuple[int, int]]]:
    """Every way to cut what a box shows of one attribute: anywhere if any range may be published, else into nodes."""
    if h.ranges:
        yield from ([(low, at), (at + 1, high)] for at in range(low, high))
    else:
        for level in range(h.height):
            codes = h.codes[level][low : high + 1].tolist()
            nodes = [(low + codes.index(c), low + len(codes) - 1 - codes[::-1].index(c)) for c in dict.fromkeys(codes)]
            if len(nodes) > 1:
                yield nodes


@given(worlds(), deltas())
def test_nobody_can_be_told_beyond_delta(world: World, delta: tuple[Fraction, Fraction]) -> None:
    problem = Problem(world.frequency(), (Presence(delta),))
    everything = [((0,) * len(world.hierarchies), tuple(len(h.leaves) - 1 for h in world.hierarchies))]
    try:
        plan = mondrian(problem)
    except Infeasible as refused:
        assert refused.witness is not None
        assert not present(world, everything, delta)
        return
    found = check(world, plan)
    assert present(world, found, delta)
    assert all_hold(problem.models, plan.groups).all()
    assert may_leave_out(problem.models, plan.groups, *[np.ones(len(found), dtype=np.bool_)] * 2)


@given(worlds(), deltas())
def test_no_box_can_be_cut_any_further(world: World, delta: tuple[Fraction, Fraction]) -> None:
    try:
        plan = mondrian(Problem(world.frequency(), (Presence(delta),)))
    except Infeasible:
        return
    found = check(world, plan)
    for g, (low, high) in enumerate(found):
        others = found[:g] + found[g + 1 :]
        for d, h in enumerate(world.hierarchies):
            for nodes in parts_of(h, low[d], high[d]):
                parts = [([*low[:d], a, *low[d + 1 :]], [*high[:d], b, *high[d + 1 :]]) for a, b in nodes]
                kept = [p for p in parts if any(inside(world.people[i], *p) for i in world.private)]
                assert not present(world, others + kept, delta)


@given(worlds(), deltas(), promises())
def test_other_promises_are_kept_as_well(world: World, delta: tuple[Fraction, Fraction], others: tuple) -> None:
    models = (*others, Presence(delta))
    frequency = world.frequency()
    try:
        plan = mondrian(Problem(frequency, models))
    except Infeasible:
        return
    assert present(world, check(world, plan), delta)
    for group in range(len(plan.low)):
        here = plan.group == group
        assert Rows(frequency).keep(others, np.repeat(plan.row[here], plan.count[here]).tolist())


@given(worlds(max_people=14), deltas(), st.sampled_from(["0.5", "0.8", "0.95"]), st.booleans(), st.booleans())
def test_marginals_alone_tell_as_little(
    world: World, delta: tuple[Fraction, Fraction], c: str, coverage: bool, also_k: bool
) -> None:
    model = ConfidentPresence(delta, c, coverage=coverage)
    problem = Problem(world.frequency(False, True), (model, KAnonymity(2)) if also_k else (model,))
    try:
        plan = mondrian(problem)
    except Infeasible:
        return
    found = check(world, plan)
    for low, high in found:
        assert confidence(world, low, high, delta) >= Fraction(c)
    assert not also_k or plan.groups.sizes.min() >= 2
    if coverage:
        for leaves in np.ndindex(*(len(h.leaves) for h in world.hierarchies)):
            if all(any(p[d] == leaf for p in world.people) for d, leaf in enumerate(leaves)):
                assert any(inside(leaves, *box) for box in found)
    assert may_leave_out(problem.models, plan.groups, *[np.ones(len(found), dtype=np.bool_)] * 2)


@given(worlds(max_people=14), deltas())
def test_a_population_and_marginals_may_be_looked_at_together(world: World, delta: tuple[Fraction, Fraction]) -> None:
    frequency = world.frequency(True, True)
    try:
        plan = mondrian(Problem(frequency, (Presence(delta), ConfidentPresence(delta, "0.6"))))
    except Infeasible:
        return
    found = check(world, plan)
    assert present(world, found, delta)
    assert all(confidence(world, low, high, delta) >= Fraction(6, 10) for low, high in found)


@given(worlds(), deltas(), st.booleans())
def test_how_many_boxes_are_cut_at_once_changes_nothing(
    world: World, delta: tuple[Fraction, Fraction], known: bool
) -> None:
    model = Presence(delta) if known else ConfidentPresence(delta, "0.7")
    problem = Problem(world.frequency(known, not known), (model,))
    try:
        plan = mondrian(problem)
    except Infeasible:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population_boxes, "_AT_ONCE", 1)
        one_by_one = mondrian(problem)
    looks = [sorted(np.hstack([p.low, p.high]).tolist()) for p in (plan, one_by_one)]
    assert looks[0] == looks[1]


@given(worlds(), deltas(), st.sampled_from([0, 1]))
def test_less_effort_and_fewer_places_are_right_too(
    world: World, delta: tuple[Fraction, Fraction], effort: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population_boxes, "_EFFORT", effort)
        patch.setattr(population_cuts, "_PLACES", 4)
        try:
            plan = mondrian(Problem(world.frequency(), (Presence(delta),)))
        except Infeasible:
            return
    assert present(world, check(world, plan), delta)


@given(worlds(), deltas(), st.sampled_from([1, 3]))
def test_boxes_taken_for_others_cost_no_privacy(world: World, delta: tuple[Fraction, Fraction], names: int) -> None:
    """Boxes are remembered by a number; should two ever share it, what is published must still be right."""

    def alike(_: object, found: Boxes) -> np.ndarray:
        return (found.low.sum(axis=1) % names).astype(np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(population_boxes.Rollouts, "_name", alike)
        try:
            plan = mondrian(Problem(world.frequency(), (Presence(delta),)))
        except Infeasible:
            return
    assert present(world, check(world, plan), delta)


def flat_world(people: str, private: Sequence[int]) -> World:
    hierarchy = build("letter", sorted(set(people)), Flat())
    leaves = tuple((hierarchy.index[p],) for p in people)
    return World((hierarchy,), leaves, tuple(private), (VALUES[0],) * len(private))


def test_the_example_of_the_paper_stays_as_coarse_as_it_must() -> None:
    """Table 1 and 2: 3 of 6 in America, 2 of 3 in Europe; their children would give somebody away."""
    tree = {n: ("America",) for n in ("Canada", "USA", "Peru", "Brazil")} | {n: ("Europe",) for n in ("UK", "Spain")}
    nation = build("nation", (), Taxonomy(tree))
    people = ["Canada", "USA", "USA", "Peru", "Brazil", "Brazil", "UK", "UK", "Spain"]
    world = World(
        (nation,), tuple((nation.index[p],) for p in people), (0, 3, 4, 6, 8), tuple(VALUES[0] for _ in range(5))
    )
    plan = mondrian(Problem(world.frequency(), (Presence(("1/2", "2/3")),)))
    labels = [nation.label(int(low[0]), int(high[0])) for low, high in zip(plan.low, plan.high, strict=True)]
    assert sorted(zip(labels, plan.groups.sizes.tolist(), plan.population.tolist(), strict=True)) == [
        ("America", 3, 6),
        ("Europe", 2, 3),
    ]


def test_absence_is_told_only_where_it_may_be() -> None:
    world = flat_world("aabbbbcc", [0, 2, 3])
    told = mondrian(Problem(world.frequency(), (Presence((0, "1/2")),)))
    assert sorted(told.population.tolist()) == [2, 4]
    assert told.groups.elsewhere == 2
    hidden = mondrian(Problem(world.frequency(), (Presence(("1/10", "1/2")),)))
    assert hidden.population.tolist() == [8]


def test_where_all_together_fail_parts_may_hold() -> None:
    """Too few of everybody are in the table for δmin, but of those who look like its people enough are."""
    world = flat_world("aabbbbbbbb", [0])
    model = ConfidentPresence(("0.3", "0.6"), "0.9")
    problem = Problem(world.frequency(False, True), (model,))
    assert not model.holds(population_cuts.Cutter(problem).groups(population_cuts.Cutter(problem).whole())).any()
    [(low, high)] = check(world, mondrian(problem))
    assert low == high == [0]
    with_people = Problem(world.frequency(True, True), problem.models)
    assert mondrian(with_people).population.tolist() == [2]
    with pytest.raises(Infeasible, match="no grouping keeps every promise"):
        mondrian(replace(problem, models=(replace(model, coverage=True),)))


def test_boxes_lose_far_less_than_a_full_domain() -> None:
    random = np.random.default_rng(4)
    ages = build("age", [str(a) for a in range(100)], Intervals((5, 20)))
    tree = {f"{i}": (f"group {i // 4}",) for i in range(16)}
    work = build("work", (), Taxonomy(tree))
    leaves = tuple(zip(random.integers(0, 100, 4000).tolist(), random.integers(0, 16, 4000).tolist(), strict=True))
    private = tuple(range(200))
    world = World((ages, work), leaves, private, (VALUES[0],) * len(private))
    for model in (Presence((0, "0.1")), ConfidentPresence((0, "0.1"), "0.8")):
        known = isinstance(model, Presence)
        problem = Problem(world.frequency(known, not known), (model,))
        assert mondrian(problem).losses.mean() < 0.6 * optimal(problem).losses.mean()
