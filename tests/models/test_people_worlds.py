"""Promises in people, against all worlds: the group's values dealt to its rows in all ways, some of them somebody's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counts.groups import Groups
from discreet.counts.owners import owned
from discreet.models.by_people import chances, chances_at_most, held, reached, surely_lost, survives_merging
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from tests.models.cases import ATTRIBUTE, KINDS, PATHS, VALUES, as_groups
from tests.oracles import had_by_chance, keeps_by_people, surest

Row = tuple[int, str | None]  # whose, and which value
rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(VALUES[:3])), min_size=1, max_size=7)
tables = st.lists(rows, min_size=1, max_size=4)
small_tables = st.lists(rows.map(lambda group: group[:3]), min_size=1, max_size=3)  # worlds of all their rows are many


def owned_groups(by_group: list[list[Row]], suppressed: list[Row], *, constant: bool = False) -> Groups:
    """Groups as promises see them, with whose rows they are."""
    everybody = [row for group in by_group for row in group] + suppressed
    groups = as_groups([[value for _, value in group] for group in by_group], [value for _, value in everybody])
    tally = groups.tallies[ATTRIBUTE]
    person = np.array([person for person, _ in everybody], dtype=np.int32)
    value = np.array([tally.hierarchy.index[value] for _, value in everybody], dtype=np.int32)
    number = np.array([g for g, group in enumerate(by_group) for _ in group], dtype=np.int32)
    by_value = Counter(value for _, value in set(everybody))
    reference = np.array([by_value[leaf] for leaf in tally.hierarchy.leaves], dtype=np.int64)
    here = slice(0, len(number))
    owners = owned(
        number,
        person[here],
        np.ones(len(number), dtype=np.int64),
        len(by_group),
        {ATTRIBUTE: (value[here], reference)},
    )
    return replace(groups, owners=replace(owners, constant=constant))


@pytest.mark.parametrize(("own", "chance"), [(1, "3/10"), (2, "8/15"), (5, "11/12")])
def test_the_more_rows_somebody_has_the_likelier_he_has_the_value(own: int, chance: str) -> None:
    """The specification's figures: 0.3, 0.5333 and 0.9167 of ten rows, three of them with the value."""
    values = ["asthma"] * 3 + ["cold", "gout", ""] * 2 + ["gout"]
    assert had_by_chance(values, "asthma", own) == Fraction(chance)
    group = list(zip([0] * own + list(range(1, 11 - own)), values, strict=True))
    [seen] = chances(owned_groups([group], []), ATTRIBUTE).tolist()
    assert seen == pytest.approx(float(Fraction(chance)), abs=1e-15)


def test_a_world_by_which_rows_have_the_value_is_one_of_as_many_permutations() -> None:
    values = ["asthma", "asthma", "cold", "gout", "cold"]
    for own in range(1, 6):
        worlds = list(permutations(values))
        having = sum("cold" in world[:own] for world in worlds)
        assert had_by_chance(values, "cold", own) == Fraction(having, len(worlds))


@settings(deadline=None, max_examples=150)
@given(by_group=tables)
def test_the_chance_of_a_value_is_its_share_of_all_worlds(by_group: list[list[Row]]) -> None:
    groups = owned_groups(by_group, [])
    exact = [surest(group) for group in by_group]
    assert chances(groups, ATTRIBUTE).tolist() == pytest.approx([float(chance) for chance in exact], abs=1e-12)
    for limit in exact:  # a tie is kept, and nothing below it
        kept = [chance <= limit for chance in exact]
        assert chances_at_most(groups, ATTRIBUTE, limit).tolist() == kept
        less = limit - Fraction(1, 10**20)
        assert chances_at_most(groups, ATTRIBUTE, less).tolist() == [chance <= less for chance in exact]


@settings(deadline=None, max_examples=150)
@given(by_group=tables)
def test_people_are_counted_once_in_each_group_and_for_each_value(by_group: list[list[Row]]) -> None:
    """The more people have rows in several groups, the more of these tables are ones where everybody moves."""
    groups = owned_groups(by_group, [])
    assert groups.owners is not None
    assert groups.persons.tolist() == [len({person for person, _ in group}) for group in by_group]
    assert groups.most_rows.tolist() == [max(Counter(p for p, _ in group).values()) for group in by_group]
    in_people = groups.of_people(ATTRIBUTE).tallies[ATTRIBUTE]
    leaves = in_people.hierarchy.leaves
    for g, group in enumerate(by_group):
        part = slice(in_people.offsets[g], in_people.offsets[g + 1])
        seen = zip(in_people.values[part].tolist(), in_people.counts[part].tolist(), strict=True)
        assert {leaves[v]: n for v, n in seen} == Counter(value for _, value in set(group))
    everybody = Counter(value for _, value in {row for group in by_group for row in group})
    assert {leaves[v]: n for v, n in enumerate(in_people.reference.tolist()) if n} == everybody


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_promise_is_kept_by_the_rows_and_by_the_people(kind: str, data: st.DataObject) -> None:
    model, by_group, suppressed = data.draw(KINDS[kind]), data.draw(tables), data.draw(st.just([]) | rows)
    table = [row for group in by_group for row in group] + suppressed
    wanted = [keeps_by_people(model, group, table, list(PATHS), PATHS) for group in by_group]
    groups = owned_groups(by_group, suppressed)
    assert held(model, groups).tolist() == wanted
    lost = surely_lost(model, groups)
    assert (lost[np.array(wanted)] == 0).all()


@pytest.mark.parametrize("constant", [False, True], ids=["people may move", "nobody moves"])
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_what_is_said_to_survive_merging_does(kind: str, constant: bool, data: st.DataObject) -> None:
    """If nobody moves, no two groups have anybody in common."""
    model, by_group = data.draw(KINDS[kind]), data.draw(small_tables)
    if constant:
        by_group = [[(10 * g + person, value) for person, value in group] for g, group in enumerate(by_group)]
    everybody = [row for group in by_group for row in group]
    # The table itself holds most promises, so others like it are there to be merged with.
    groups = [everybody, [(100 + person, value) for person, value in everybody], *by_group]
    table = [*everybody, *groups[1]]
    holding = [group for group in groups if keeps_by_people(model, group, table, list(PATHS), PATHS)]
    apart = [
        a + b
        for a, b in combinations(holding, 2)
        if not constant or not {person for person, _ in a} & {person for person, _ in b}
    ]
    if survives_merging(model, owners=True, constant=constant):
        assert all(keeps_by_people(model, merged, table, list(PATHS), PATHS) for merged in apart)


def cuts(things: list[list[Row]]) -> Iterator[list[list[list[Row]]]]:
    """Every way to cut some things into parts."""
    if not things:
        yield []
        return
    first, *others = things
    for parts in cuts(others):
        yield [[first], *parts]
        yield from ([*parts[:at], [first, *part], *parts[at + 1 :]] for at, part in enumerate(parts))


@pytest.mark.parametrize("constant", [False, True], ids=["people may move", "nobody moves"])
@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_no_way_to_cut_a_group_loses_fewer_rows_than_is_said(kind: str, constant: bool, data: st.DataObject) -> None:
    """If nobody moves, a person's rows stay together, whatever the cut; else any row may be parted from any other."""
    model, group, others = data.draw(KINDS[kind]), data.draw(rows.filter(lambda g: len(g) < 7)), data.draw(rows)
    table = group + [(person + 10, value) for person, value in others]
    least = int(surely_lost(model, owned_groups([group], table[len(group) :], constant=constant))[0])
    people = {person: [row for row in group if row[0] == person] for person, _ in group}
    things = list(people.values()) if constant else [[row] for row in group]
    kept: dict[tuple[Row, ...], bool] = {}
    fewest = len(group)
    for parts in cuts(things):
        lost = 0
        for part in parts:
            inside = tuple(sorted((row for thing in part for row in thing), key=str))
            if inside not in kept:
                kept[inside] = keeps_by_people(model, inside, table, list(PATHS), PATHS)
            lost += 0 if kept[inside] else len(inside)
        fewest = min(fewest, lost)
    assert least <= fewest


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_where_everybody_has_one_row_people_are_rows(kind: str, data: st.DataObject) -> None:
    model, by_group = data.draw(KINDS[kind]), data.draw(tables)
    named, number = [], 0
    for group in by_group:
        named.append([(number + at, value) for at, (_, value) in enumerate(group)])
        number += len(group)
    groups = owned_groups(named, [])
    assert held(model, groups).tolist() == model.holds(replace(groups, owners=None)).tolist()
    assert np.allclose(reached(model, groups), model.level(replace(groups, owners=None)), rtol=1e-12, equal_nan=True)


def test_five_visits_of_one_person_are_no_five_people() -> None:
    by_group = [[(0, value) for value in VALUES], [(1, VALUES[0]), (2, VALUES[1]), (3, VALUES[2]), (4, VALUES[0])]]
    groups = owned_groups(by_group, [])
    assert held(KAnonymity(4), groups).tolist() == [False, True]
    assert held(FrequencyDiversity(2, ATTRIBUTE), groups).tolist() == [False, True]  # he has each of them, for sure
    assert held(AlphaK("1/2", 4, ATTRIBUTE), groups).tolist() == [False, True]
