"""Counting nodes, against a group-by in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.roll_up import Counted, RollUp
from tests.strategies import Node, Table, tables

BOTH = ("disease", "job")
LARGE = 400_000_000


def group_by(table: Table, node: Node) -> dict[object, tuple[int, dict[str, Counter[object]]]]:
    """Size and sensitive values of every group: row by row, nothing clever."""
    members = defaultdict(list)
    for i, seen in enumerate(table.generalized(node)):
        members[seen].append(i)
    return {
        seen: (len(rows), {name: Counter(column[i] for i in rows) for name, column in table.sensitive.items()})
        for seen, rows in members.items()
    }


def as_python(roll_up: RollUp, counted: Counted) -> dict[object, tuple[int, dict[str, Counter[object]]]]:
    """What was counted, in the same words."""
    frequency = roll_up.frequency
    found = {}
    for g, size in enumerate(counted.groups.sizes.tolist()):
        seen = []
        for d, (h, level) in enumerate(zip(frequency.hierarchies, counted.node, strict=True)):
            code = roll_up.codes(counted, d)[g]
            seen.append(frozenset(h.leaves[h.first[level][code] : h.last[level][code] + 1]))
        values = {}
        for name, t in counted.groups.tallies.items():
            pairs = slice(t.offsets[g], t.offsets[g + 1])
            leaves = frequency.sensitive_hierarchies[name].leaves
            values[name] = Counter()
            for value, count in zip(t.values[pairs].tolist(), t.counts[pairs].tolist(), strict=True):
                assert count > 0 and leaves[value] not in values[name]
                values[name][leaves[value]] = count
        assert tuple(seen) not in found
        found[tuple(seen)] = size, values
    return found


@given(table=tables(sensitive=BOTH), data=st.data())
def test_every_node_is_a_group_by_whatever_was_counted_before(table: Table, data: st.DataObject) -> None:
    roll_up = RollUp(table.frequency(), memory=data.draw(st.sampled_from([0, 500, 5_000, LARGE])))
    for node in data.draw(st.permutations(table.nodes)):
        counted = roll_up.groups(node)
        assert counted.node == node
        assert as_python(roll_up, counted) == group_by(table, node)
        assert counted.groups.sizes.sum() == len(table.rows)


@given(table=tables(sensitive=("disease",)), data=st.data())
def test_groups_do_not_depend_on_the_order_of_rows(table: Table, data: st.DataObject) -> None:
    mixed = table.in_order(data.draw(st.permutations(range(len(table.rows)))))
    one, other = RollUp(table.frequency()), RollUp(mixed.frequency())
    for node in data.draw(st.lists(st.sampled_from(table.nodes), max_size=6)):
        assert as_python(one, one.groups(node)) == as_python(other, other.groups(node))


@given(table=tables(), data=st.data())
def test_every_combination_is_in_the_group_it_looks_like(table: Table, data: st.DataObject) -> None:
    frequency = table.frequency()
    roll_up = RollUp(frequency)
    node = data.draw(st.sampled_from(table.nodes))
    counted, group = roll_up.group_of_rows(node)
    assert as_python(roll_up, counted) == group_by(table, node)
    for d, (h, level) in enumerate(zip(frequency.hierarchies, node, strict=True)):
        assert roll_up.codes(counted, d)[group].tolist() == h.codes[level][frequency.codes[d]].tolist()
    sizes = np.bincount(group, weights=frequency.counts, minlength=len(counted.groups))
    assert sizes.tolist() == counted.groups.sizes.tolist()


@given(table=tables(sensitive=BOTH), data=st.data())
def test_only_the_attributes_that_are_asked_for_are_tallied(table: Table, data: st.DataObject) -> None:
    asked = set(data.draw(st.lists(st.sampled_from(["", *BOTH]))))
    groups = RollUp(table.frequency(), attributes=asked).groups(table.heights).groups
    assert set(groups.tallies) == asked - {""}


def wide_table(attributes: int, leaves: int, rows: int, seed: int) -> Table:
    """Many attributes with many leaves, in three levels; NULL is the last leaf of each."""
    random = np.random.default_rng(seed)
    names = [*(f"{i}" for i in range(leaves - 1)), None]
    paths = {name: (f"tens {i // 10}", f"fifties {i // 50}") for i, name in enumerate(names)}
    # Half of the rows differ from another one in a single attribute, so that each word of a key decides somewhere.
    half = random.integers(0, leaves, (rows // 2, attributes))
    twins = half.copy()
    places = np.arange(len(half)) % attributes
    twins[np.arange(len(half)), places] = (twins[np.arange(len(half)), places] + 1) % leaves
    codes = np.concatenate([half, half[: rows // 8], twins])
    rows_ = tuple(tuple(names[c] for c in line) for line in codes.tolist())
    sensitive = {"disease": tuple(f"{c}" for c in random.integers(0, 5, len(rows_)))}
    return Table((paths,) * attributes, rows_, sensitive, {"disease": {f"{i}": () for i in range(5)}})


@pytest.mark.parametrize(
    ("attributes", "leaves", "words"), [(9, 128, 1), (10, 128, 2), (20, 60, 2), (22, 60, 3), (5, 2000, 1)]
)
@pytest.mark.parametrize("memory", [0, LARGE])
def test_keys_of_more_than_63_bits_are_told_apart(attributes: int, leaves: int, words: int, memory: int) -> None:
    table = wide_table(attributes, leaves, rows=240, seed=leaves)
    roll_up = RollUp(table.frequency(), memory=memory)
    assert len(roll_up.groups((0,) * attributes).keys) == words
    random = np.random.default_rng(1)
    nodes = [(0,) * attributes, (1,) * attributes, table.heights]
    nodes += [tuple(random.integers(0, 4, attributes).tolist()) for _ in range(4)]
    # One attribute exact, the others gone: a key that differs in one word alone.
    nodes += [
        tuple(0 if d == exact else 3 for d in range(attributes)) for exact in (0, attributes // 2, attributes - 1)
    ]
    for node in nodes:
        assert as_python(roll_up, roll_up.groups(node)) == group_by(table, node)


def test_large_nodes_are_counted_by_way_of_another_and_the_answer_is_the_same() -> None:
    table = wide_table(4, 300, rows=2_000, seed=3)  # more groups than are merged directly
    roll_up = RollUp(table.frequency())
    assert len(roll_up.groups((0, 0, 0, 0)).groups) > 1_000
    for node in [(1, 2, 0, 1), (2, 1, 1, 0), (1, 1, 1, 1), (3, 0, 0, 1), (1, 2, 2, 2), (1, 2, 1, 1)]:
        assert as_python(roll_up, roll_up.groups(node)) == group_by(table, node)


def test_a_table_of_one_row_is_one_group_at_every_node() -> None:
    table = Table(({None: ("unknown",), "a": ("known",)},), ((None,),), {"disease": ("flu",)}, {"disease": {"flu": ()}})
    roll_up = RollUp(table.frequency())
    for node in table.nodes:
        assert as_python(roll_up, roll_up.groups(node)) == group_by(table, node)


def test_null_and_the_empty_string_are_two_groups() -> None:
    table = Table(({None: ("gone",), "": ("gone",)},), ((None,), ("",), (None,)))
    roll_up = RollUp(table.frequency())
    assert sorted(roll_up.groups((0,)).groups.sizes.tolist()) == [1, 2]
    assert roll_up.groups((1,)).groups.sizes.tolist() == [3]
