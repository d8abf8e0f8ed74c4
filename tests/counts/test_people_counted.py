"""People in the groups of every node, against counting them one by one: some of them move, none, or all."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import policy_from_words
from discreet.counts.roll_up import RollUp
from discreet.run.intake import take_in

WORDS: dict[str, Any] = {
    "attributes": {
        "patient": {"role": "person"},
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
        "disease": {"role": "sensitive"},
    },
    "require": [{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2, "kind": "entropy"}}],
}
NAMES = tuple(WORDS["attributes"])
Row = tuple[str | None, str, str, str]
AGES, ZIPS, DISEASES = ("21", "25", "38"), ("11", "12", "21"), ("flu", "cold", "gout")


@st.composite
def visits(draw: st.DrawFn) -> list[Row]:
    """Rows of people, each with a home and, for those who move, others."""
    people = draw(st.integers(1, 5))
    homes = draw(st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(ZIPS)), min_size=people, max_size=people))
    moving = draw(st.lists(st.booleans(), min_size=people, max_size=people) | st.just([True] * people))
    table: list[Row] = []
    for _ in range(draw(st.integers(1, 14))):
        person = draw(st.integers(0, people - 1))
        home = draw(st.sampled_from(homes)) if moving[person] else homes[person]
        name = draw(st.sampled_from([f"p{person}"] * 5 + [None]))
        table.append((name, *home, draw(st.sampled_from(DISEASES))))
    return table


def at_node(row: Row, node: tuple[int, ...]) -> tuple[str, str]:
    """What a row looks like at a node, told by hand."""
    _, age, code, _ = row
    ages = [age, "20-29" if age < "30" else "30-39", "20-39", "*"]
    codes = [code, code[0] + "*", "*"]
    return ages[node[0]], codes[node[1]]


@settings(deadline=None, max_examples=60)
@given(table=visits(), order=st.randoms(use_true_random=False))
def test_people_of_every_node_are_those_with_a_row_there(table: list[Row], order: Any) -> None:
    """In any order of nodes: each is counted from one that was counted before."""
    columns = dict(zip(NAMES, map(list, zip(*table, strict=True)), strict=True))
    frequency = take_in(policy_from_words(WORDS), columns).frequency
    named = [(row, at if row[0] is None else row[0]) for at, row in enumerate(table)]  # nobody's name: one more person
    everybody = {person for _, person in named}
    if len(everybody) == len(table):
        assert frequency.owners is None
        return
    assert frequency.owners is not None
    assert frequency.owners.people == len(everybody)
    roll_up = RollUp(frequency)
    nodes = [(age, code) for age in range(4) for code in range(3)]
    order.shuffle(nodes)
    for node in nodes:
        groups = roll_up.groups(node).groups
        assert groups.owners is not None
        stands: dict[object, list[tuple[object, str]]] = {}
        for row, person in named:
            stands.setdefault(at_node(row, node), []).append((person, row[3]))
        told = zip(groups.sizes.tolist(), groups.persons.tolist(), groups.most_rows.tolist(), strict=True)
        expected = [
            (len(rows), len({p for p, _ in rows}), max(Counter(p for p, _ in rows).values()))
            for rows in stands.values()
        ]
        in_people = groups.of_people("disease").tallies["disease"]
        leaves = in_people.hierarchy.leaves
        values = [
            {leaves[v]: n for v, n in zip(in_people.values[a:b].tolist(), in_people.counts[a:b].tolist(), strict=True)}
            for a, b in zip(in_people.offsets, in_people.offsets[1:], strict=False)
        ]
        wanted = [Counter(value for _, value in set(rows)) for rows in stands.values()]
        assert sorted(zip(told, map(_listed, values), strict=True)) == sorted(
            zip(expected, map(_listed, wanted), strict=True)
        )
        whole = Counter(value for _, value in {(person, row[3]) for row, person in named})
        assert {leaves[v]: n for v, n in enumerate(in_people.reference.tolist()) if n} == whole


def _listed(counts: dict[Any, int]) -> list[tuple[Any, int]]:
    return sorted(counts.items())


def test_somebody_who_is_another_in_every_row_is_one_person() -> None:
    """Two people with three rows each, all different: each stands once in every group, and once in all together."""
    places = [("21", "11"), ("25", "12"), ("38", "21")]
    table = [(name, *place, "flu") for name in ("ann", "bob") for place in places]
    columns = dict(zip(NAMES, map(list, zip(*table, strict=True)), strict=True))
    roll_up = RollUp(take_in(policy_from_words(WORDS), columns).frequency)
    assert roll_up.groups((0, 0)).groups.persons.tolist() == [2, 2, 2]
    assert sorted(roll_up.groups((1, 1)).groups.persons.tolist()) == [2, 2]
    assert roll_up.groups((3, 2)).groups.persons.tolist() == [2]
    assert roll_up.groups((3, 2)).groups.most_rows.tolist() == [3]
