"""Searches for groups that are private for what their own people ask for: against every node, judged row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.counts.roll_up import RollUp
from discreet.counts.wishes import wishes_of
from discreet.engines.base import Frequencies
from discreet.errors import Infeasible
from discreet.models.realistic.adversaries import ClassThree, ClassTwo
from discreet.models.realistic.predicates import Predicates
from discreet.models.realistic.priors import TABLE, UNIFORM
from discreet.models.realistic.realistic import Realistic
from discreet.models.realistic.wished import OneByOne
from discreet.models.realistic.wishes import Wish, read_wish
from discreet.search.lattice.incognito import incognito
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.optimize import optimize
from discreet.search.plan import Problem, Recoding
from tests.models.cases import ATTRIBUTE
from tests.oracles import keeps_one
from tests.search.brute_force import judged
from tests.strategies import Table, tables

texts = st.sampled_from(["", None, "", "asthma", "cold | gout", "{asthma, cold}", "not gout", "each"])
models = st.builds(
    OneByOne,
    st.sampled_from(["5/4", 2, 3]),
    st.sampled_from([ClassThree(TABLE), ClassThree(UNIFORM), ClassTwo(2), ClassTwo(6, 1)]),
    st.just(ATTRIBUTE),
    st.sampled_from([None, Predicates.of("cold")]),
)


@st.composite
def wishing_tables(draw: st.DrawFn) -> tuple[Table, tuple[str | None, ...]]:
    table = draw(tables(max_attributes=2, max_rows=10))
    return table, tuple(draw(st.lists(texts, min_size=len(table.rows), max_size=len(table.rows))))


def wishing(table: Table, wishes: Sequence[str | None], owners: Sequence[int] | None = None) -> FrequencySet:
    """The table as it is counted with a column of wishes, and perhaps by whose rows they are (−1: nobody is named)."""
    columns = [*zip(*table.rows, strict=True), table.sensitive[ATTRIBUTE], tuple(wishes)]
    width = len(columns)
    if owners is not None:
        columns.append(tuple(owners))
    combinations = Counter(zip(*columns, strict=True))
    values = [tuple(dict.fromkeys(column)) for column in columns]
    codes = [
        np.array([own.index(combination[i]) for combination in combinations], dtype=np.int32)
        for i, own in enumerate(values)
    ]
    person = None if owners is None else np.array([c[width] for c in combinations], dtype=np.int32)
    counts = np.array(list(combinations.values()), dtype=np.int64)
    counted = Frequencies(tuple(values[:width]), tuple(codes[:width]), counts, person)
    frequency = table.frequency()
    return replace(frequency, wishes=wishes_of(frequency, counted, "wish"))


def keeps(model: OneByOne, table: Table, wishes: Sequence[str | None], rows: Sequence[int]) -> bool:
    """Is the group of these rows private for everybody in it, predicate by predicate?"""
    column = table.sensitive[ATTRIBUTE]
    asked = [read_wish(wishes[row]) for row in rows]
    wanted = [*(wish.predicates for wish in asked if isinstance(wish, Wish)), model.also]
    values = [column[row] for row in rows]
    return all(
        keeps_one(Realistic(model.epsilon, model.adversary, ATTRIBUTE, predicates), values, column)
        for predicates in wanted
        if predicates is not None
    )


@pytest.mark.parametrize("search", [optimal, incognito])
@settings(max_examples=80)
@given(drawn=wishing_tables(), model=models, share=st.sampled_from([0, 0.2, 0.5]))
def test_the_optimum_is_that_of_all_nodes(
    search: Callable[[Problem], Recoding], drawn: tuple[Table, tuple[str | None, ...]], model: OneByOne, share: float
) -> None:
    table, wishes = drawn
    limit = int(share * len(table.rows))
    nodes = judged(table, lambda rows: keeps(model, table, wishes, rows))
    possible = [c for c in nodes if c.suppressed <= limit]
    try:
        plan = search(Problem(wishing(table, wishes), (model,), limit))
    except Infeasible:
        assert not possible
        return
    assert plan.facts["score"] == pytest.approx(min(c.score("loss") for c in possible), abs=1e-12)
    assert model.holds(plan.groups).all() and plan.suppressed <= limit


@settings(max_examples=40)
@given(drawn=wishing_tables(), model=models, share=st.sampled_from([0, 0.3]))
def test_cuts_are_no_worse_than_levels_and_every_group_of_theirs_holds(
    drawn: tuple[Table, tuple[str | None, ...]], model: OneByOne, share: float
) -> None:
    table, wishes = drawn
    problem = Problem(wishing(table, wishes), (model,), int(share * len(table.rows)))
    try:
        plan = optimize(problem)
    except Infeasible:
        assert not any(
            c.suppressed <= problem.suppression_limit
            for c in judged(table, lambda rows: keeps(model, table, wishes, rows))
        )
        return
    members: dict[int, list[int]] = {}
    group_of = {
        tuple(int(c[row]) for c in (*problem.frequency.codes, problem.frequency.sensitive[ATTRIBUTE])): int(group)
        for row, group in zip(plan.row, plan.group, strict=True)
    }
    leaves = [*problem.frequency.hierarchies, problem.frequency.sensitive_hierarchies[ATTRIBUTE]]
    for i, (row, value) in enumerate(zip(table.rows, table.sensitive[ATTRIBUTE], strict=True)):
        codes = tuple(h.index[v] for h, v in zip(leaves, (*row, value), strict=True))
        members.setdefault(group_of[codes], []).append(i)
    members.pop(-1, None)
    assert all(keeps(model, table, wishes, rows) for rows in members.values())
    with suppress(Infeasible):
        assert plan.facts["score"] <= optimal(problem).facts["score"] + 1e-12  # type: ignore[operator]


@settings(max_examples=60)
@given(drawn=wishing_tables(), data=st.data())
def test_where_people_have_several_rows_each_row_has_all_their_wishes(
    drawn: tuple[Table, tuple[str | None, ...]], data: st.DataObject
) -> None:
    table, wishes = drawn
    owners = data.draw(st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=len(wishes), max_size=len(wishes)))
    frequency = wishing(table, wishes, owners)
    t = frequency.wishes
    assert t is not None
    leaves = [*frequency.hierarchies, frequency.sensitive_hierarchies[ATTRIBUTE]]
    codes = [*frequency.codes, frequency.sensitive[ATTRIBUTE]]
    for at in range(len(frequency.counts)):
        combination = tuple(h.leaves[c[at]] for h, c in zip(leaves, codes, strict=True))
        rows = [
            i
            for i, (row, value) in enumerate(zip(table.rows, table.sensitive[ATTRIBUTE], strict=True))
            if (*row, value) == combination
        ]
        expected = Counter(
            wish
            for i in rows
            for wish in {wishes[j] for j in range(len(wishes)) if j == i or (owners[i] >= 0 and owners[j] == owners[i])}
        )
        here = slice(t.offsets[at], t.offsets[at + 1])
        counted = dict(zip([t.hierarchy.leaves[v] for v in t.values[here]], t.counts[here].tolist(), strict=True))
        assert counted == expected
    assert int(t.reference.sum()) == len(wishes)


@settings(max_examples=60)
@given(drawn=wishing_tables())
def test_every_node_counts_the_wishes_of_its_groups(drawn: tuple[Table, tuple[str | None, ...]]) -> None:
    table, wishes = drawn
    roll_up = RollUp(wishing(table, wishes))
    for node in table.nodes:
        groups = roll_up.groups(node).groups
        t = groups.wishes
        assert t is not None
        counted = [
            Counter({t.hierarchy.leaves[v]: int(n) for v, n in zip(t.values[a:b], t.counts[a:b], strict=True)})
            for a, b in zip(t.offsets[:-1], t.offsets[1:], strict=True)
        ]
        expected: dict[object, Counter[str | None]] = {}
        for look, wish in zip(table.generalized(node), wishes, strict=True):
            expected.setdefault(look, Counter())[wish] += 1
        assert sorted(map(str, map(sorted_items, counted))) == sorted(map(str, map(sorted_items, expected.values())))
        assert [c.total() for c in counted] == groups.sizes.tolist()
        some = np.arange(len(groups)) % 2 == 0
        kept = groups.where(some).wishes
        assert kept is not None and len(kept.offsets) == some.sum() + 1
        assert kept.counts.sum() == groups.sizes[some].sum()


def sorted_items(counter: Counter[str | None]) -> list[tuple[str, int]]:
    return sorted((repr(wish), count) for wish, count in counter.items())
