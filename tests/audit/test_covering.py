"""The beliefs of an adversary with a population list, against all possible worlds."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.reading.exact_tables import Population
from discreet.audit.worlds import table_join as covering
from discreet.audit.worlds.all_worlds import BY_TABLE, CONTRADICTED, EXACT
from discreet.audit.worlds.table_join import beliefs
from discreet.studies import worlds
from tests.audit.releasing import counted, released
from tests.inner_kernels import value_chances


def listed(people):
    width = len(people[0])
    return Population(tuple(f"q{d}" for d in range(width)), counted(people, width))


def possible(group, population, tables):
    """Every choice of as many covered people as the group has in which each published value is somebody's."""
    shown = [{tuple(p[d] for d in t) for p in group} for t in tables]

    def entries(person):
        return [tuple(person[d] for d in t) for t in tables]

    covered = [i for i, p in enumerate(population) if all(e in s for e, s in zip(entries(p), shown, strict=True))]
    everybody = combinations(covered, len(group))
    return covered, [
        set(world)
        for world in everybody
        if all({entries(population[i])[t] for i in world} == s for t, s in enumerate(shown))
    ]


@st.composite
def cases(draw, whole=True):
    """A small population, some of whom are in groups, and which attributes share a table."""
    width = draw(st.integers(1, 3))
    person = st.tuples(*[st.sampled_from(["a", "b", "", None][: draw(st.integers(2, 4))])] * width)
    population = draw(st.lists(person, min_size=1, max_size=9))
    member = st.sampled_from([None, 0, 1])
    to = draw(st.lists(member, min_size=len(population), max_size=len(population)).filter(lambda m: {*m} != {None}))
    groups = [g for g in ([p for p, m in zip(population, to, strict=True) if m == k] for k in (0, 1)) if g]
    if not whole:
        population = draw(st.lists(st.sampled_from(population), min_size=1, max_size=6)) + draw(
            st.lists(person, max_size=2)
        )
    order = draw(st.permutations(range(width)))
    cut = draw(st.integers(1, width))
    return groups, population, tuple(tuple(sorted(t)) for t in (order[:cut], order[cut:]) if t)


def of_person(found, population, rows):
    """The values of an array over combinations, person by person."""
    place = {row: i for i, row in enumerate(dict.fromkeys(population))}
    return [found[place[p]] for p in rows]


@given(cases(), st.sampled_from(["all", "separate"]))
def test_beliefs_equal_the_share_of_possible_worlds(case, how):
    groups, population, tables = case
    if how == "separate":
        tables = tuple((d,) for d in range(len(population[0])))
    found = beliefs(released(groups, tables), listed(population))
    assert (found.decided == EXACT).all()
    expected = [Fraction(0)] * len(population)
    certain = [False] * len(population)
    counting, together = [Fraction(0)] * len(population), [Fraction(0)] * len(population)
    for group in groups:
        covered, all_worlds = possible(group, population, tables)
        for i in covered:
            chance = Fraction(sum(i in world for world in all_worlds), len(all_worlds))
            expected[i] = max(expected[i], chance)
            together[i] += chance
            certain[i] |= chance == 1
            counting[i] = max(counting[i], Fraction(len(group), len(covered)))
    assert of_person(found.chance, population, population) == pytest.approx([float(x) for x in expected], rel=1e-11)
    added_up = [min(1.0, float(x)) for x in together]
    assert of_person(found.together, population, population) == pytest.approx(added_up, rel=1e-11)
    assert of_person(found.certain, population, population) == certain
    assert of_person(found.counted, population, population) == [float(x) for x in counting]
    assert of_person(found.covered, population, population) == [x > 0 for x in counting]


@given(cases(whole=False))
def test_a_list_that_is_not_everybody_is_found_out(case):
    groups, population, tables = case
    found = beliefs(released(groups, tables), listed(population))
    for g, group in enumerate(groups):
        _, all_worlds = possible(group, population, tables)
        assert (found.decided[g] == CONTRADICTED) == (not all_worlds)
    if (found.decided == CONTRADICTED).all():
        assert not found.certain.any()
        assert (found.chance == found.counted).all()


@given(cases())
def test_counting_by_one_table_at_a_time_finds_who_is_certain_too(case):
    groups, population, tables = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covering, "_MOST_VALUES", 0)
        found = beliefs(released(groups, tables), listed(population))
    assert set(found.decided.tolist()) <= {EXACT, BY_TABLE}
    # As many as are published, not more; whoever is certain counts 1, and what an estimate gave the others stays.
    others = ~found.certain
    assert (found.people * found.together)[others].sum() <= sum(map(len, groups)) + 1e-9
    for group in groups:
        covered, _ = possible(group, population, tables)
        for table in tables:
            values = [tuple(population[i][d] for d in table) for i in covered]
            alone = [population[i] for i, v in zip(covered, values, strict=True) if values.count(v) == 1]
            assert all(of_person(found.certain, population, alone))
    # Nobody is told certain who is not.
    sure = [i for i, c in enumerate(of_person(found.certain, population, population)) if c]
    for i in sure:
        assert any(
            i in covered and all(i in world for world in all_worlds)
            for covered, all_worlds in (possible(group, population, tables) for group in groups)
        )


VALUES = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True)


@given(st.lists(VALUES, min_size=1, max_size=3).filter(lambda c: np.prod([len(v) for v in c]) <= 12), st.data())
def test_the_full_product_as_population_gives_the_papers_presence(columns, data):
    combos = list(product(*columns))
    size = data.draw(st.integers(max(map(len, columns)), min(len(combos), 5)))
    everything = list(worlds.tables(columns, ["ill"] * size))
    group = data.draw(st.sampled_from(everything))
    found = beliefs(released([list(group)], tuple((d,) for d in range(len(columns)))), listed(combos))
    expected = Fraction(size, len(combos))
    of_worlds = worlds.belief(((w, Fraction(1)) for w in everything), lambda world: combos[0] in world)
    assert of_worlds == expected
    assert (found.chance == float(expected)).all()
    assert (found.unlisted == float(expected)).all()


def test_many_values_with_unequal_crowds_are_counted_to_the_last_digit():
    having, rest, left = [2, 50_000, 3_000, 1_200, 7], 400, 8
    chance = np.empty(6)
    assert value_chances(np.array(having), rest, left, chance)

    def surely(sizes, others, slots):
        """Ways to choose `slots` people with one of each at least, by inclusion and exclusion."""
        ways = 0
        for n in range(len(sizes) + 1):
            for left_out in combinations(range(len(sizes)), n):
                ways += (-1) ** n * comb(others + sum(s for i, s in enumerate(sizes) if i not in left_out), slots)
        return ways

    ways = surely(having, rest, left)
    expected = [
        Fraction(surely([s for j, s in enumerate(having) if j != i], rest + n - 1, left - 1), ways)
        for i, n in enumerate(having)
    ]
    expected.append(Fraction(surely(having, rest - 1, left - 1), ways))
    assert chance == pytest.approx([float(x) for x in expected], rel=1e-11)
    assert (chance >= [float(x) for x in expected]).all()  # never told smaller than it is
    assert (chance * [*having, rest]).sum() == pytest.approx(left)


def test_a_table_beyond_all_bounds_falls_back_on_counting():
    chance = np.empty(3)
    assert not value_chances(np.array([3_000, 4_000]), 0, 3_500, chance)
    assert chance.tolist() == [0.5] * 3


def test_somebody_with_a_value_that_nobody_published_is_absent():
    found = beliefs(released([[("a",), ("b",)]], ((0,),)), listed([("a",), ("b",), ("c",)]))
    assert found.covered.tolist() == [True, True, False]
    assert found.chance.tolist() == [1, 1, 0]


def test_a_rare_value_gives_people_away_that_counting_hides():
    # Two of forty are 93 years old, and one of them is in: one half, where counting says 2 of 40.
    population = [("40", str(i)) for i in range(38)] + [("93", "0"), ("93", "1")]
    group = [("40", "5"), ("93", "0")]
    found = beliefs(released([group], ((0,),)), Population(("q0",), counted([p[:1] for p in population], 1)))
    assert of_person(found.chance, [("40",), ("93",)], [("93",)]) == [pytest.approx(0.5)]
    assert found.counted.max() == 2 / 40
