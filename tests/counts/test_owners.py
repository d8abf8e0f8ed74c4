"""People in groups: counted by sets, beside what the compiled loops count."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arrays import IntArray
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet, owned_groups
from discreet.counts.owners import OwnedGroups, owned
from discreet.counts.roll_up import RollUp
from discreet.engines.arrow import in_order, texts
from discreet.engines.base import Frequencies
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Hierarchy

VALUES = 3
Entry = tuple[int, int, int, int]  # group, person, value, rows
entries = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, VALUES - 1), st.integers(1, 3)), max_size=25
)


def counted(some: list[Entry], groups: int) -> OwnedGroups:
    group, person, value, rows = (np.array(c, dtype=np.int64) for c in zip(*some, strict=True)) if some else [[]] * 4
    reference = np.zeros(VALUES, dtype=np.int64)
    values = {"s": (np.array(value, dtype=np.int32), reference)}
    return owned(np.array(group, int), np.array(person, np.int32), np.array(rows, np.int64), groups, values)


def check(found: OwnedGroups, some: list[Entry], groups: int) -> None:
    """By sets and counters."""
    people: dict[int, set[int]] = defaultdict(set)
    rows: dict[int, Counter[int]] = defaultdict(Counter)
    having: dict[tuple[int, int], set[int]] = defaultdict(set)
    for group, person, value, count in some:
        people[group].add(person)
        rows[group][person] += count
        having[group, value].add(person)
    assert found.people.tolist() == [len(people[g]) for g in range(groups)]
    assert found.most.tolist() == [max(rows[g].values(), default=0) for g in range(groups)]
    offsets, values, counts = found.values("s")
    for g in range(groups):
        at = slice(offsets[g], offsets[g + 1])
        tallied = dict(zip(values[at].tolist(), counts[at].tolist(), strict=True))
        assert tallied == {v: len(having[g, v]) for v in range(VALUES) if having[g, v]}


@settings(max_examples=200, deadline=None)
@given(entries)
def test_people_of_groups_are_those_with_a_row_in_them(some: list[Entry]) -> None:
    check(counted(some, 5), some, 5)


@settings(max_examples=200, deadline=None)
@given(
    entries, st.lists(st.integers(-1, 2), min_size=5, max_size=5), st.lists(st.integers(-1, 1), min_size=3, max_size=3)
)
def test_merging_groups_counts_everybody_once(some: list[Entry], first: list[int], then: list[int]) -> None:
    merged = counted(some, 5).merged(np.array(first, dtype=np.int32), 3)
    once = [(first[g], *rest) for g, *rest in some if first[g] >= 0]
    check(merged, once, 3)  # type: ignore[arg-type]
    twice = [(then[g], *rest) for g, *rest in once if then[g] >= 0]
    check(merged.merged(np.array(then, dtype=np.int32), 2), twice, 2)  # type: ignore[arg-type]


@settings(max_examples=100, deadline=None)
@given(entries, st.lists(st.booleans(), min_size=5, max_size=5))
def test_chosen_groups_keep_their_people(some: list[Entry], chosen: list[bool]) -> None:
    number = np.cumsum(chosen) - 1
    kept = [(int(number[g]), *rest) for g, *rest in some if chosen[g]]
    check(counted(some, 5).where(np.array(chosen)), kept, sum(chosen))  # type: ignore[arg-type]


Row = tuple[str, str, str, str | None]  # two quasi-identifiers, a sensitive value, a person
rows_of_tables = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.sampled_from("uvw"),
        st.sampled_from(["p", "q", "r", "s", None]),
    ),
    min_size=1,
    max_size=20,
)


def table(rows: list[Row], order: IntArray | None = None) -> FrequencySet:
    """As an engine would count it, its answer in some order."""
    counts = Counter(rows)
    listed = list(counts)
    if order is not None:
        listed = [listed[i] for i in np.argsort(order[: len(listed)], kind="stable")]
    columns = list(zip(*listed, strict=True))
    values, codes = [], []
    for column in columns[:3]:
        known = sorted(set(column), reverse=order is not None)
        values.append(tuple(known))
        codes.append(np.array([known.index(v) for v in column], dtype=np.int32))
    names, person = in_order([texts(list(columns[3]))])
    frequencies = Frequencies(tuple(values), tuple(codes), np.array([counts[r] for r in listed]), person, names)
    a, b, s = (_flat(name, column) for name, column in zip("abs", columns, strict=False))
    return frequency_set(frequencies, [a, b], {"s": s})


def _flat(name: str, values: tuple[str, ...]) -> Hierarchy:
    return build(name, dict.fromkeys(sorted(set(values)), 1), Flat())


def whose(rows: list[Row]) -> list[tuple[str, str, str, str]]:
    """Nobody's rows are a person each."""
    return [(a, b, s, f"nobody {i}" if who is None else who) for i, (a, b, s, who) in enumerate(rows)]


@settings(max_examples=200, deadline=None)
@given(rows_of_tables)
def test_every_node_of_a_lattice_counts_people(rows: list[Row]) -> None:
    f = table(rows)
    people = whose(rows)
    if len({who for *_, who in people}) == len(rows):
        assert f.owners is None and f.people == len(rows)
        return
    assert f.people == len({who for *_, who in people})
    roll_up = RollUp(f)
    for node in [(0, 0), (1, 0), (0, 1), (1, 1)]:
        groups = roll_up.groups(node).groups
        looks = Counter[tuple[str, str]]()
        standing: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        having: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        for a, b, s, who in people:
            look = ("*" if node[0] else a, "*" if node[1] else b)
            looks[look] += 1
            standing[look][who] += 1
            having[look].add((who, s))
        assert sorted(
            zip(groups.sizes.tolist(), groups.persons.tolist(), groups.most_rows.tolist(), strict=True)
        ) == sorted((n, len(standing[look]), max(standing[look].values())) for look, n in looks.items())
        in_people = groups.of_people("s")
        assert sorted(in_people.sizes.tolist()) == sorted(len(pairs) for pairs in having.values())
        everybody = Counter(s for who, s in {(who, s) for *_, s, who in people})
        leaves = f.sensitive_hierarchies["s"].leaves
        assert in_people.tallies["s"].reference.tolist() == [everybody[str(leaf)] for leaf in leaves]


@settings(max_examples=100, deadline=None)
@given(rows_of_tables, st.permutations(range(20)))
def test_nothing_hangs_on_the_order_of_an_answer(rows: list[Row], order: list[int]) -> None:
    one, other = table(rows), table(rows, np.array(order))
    assert [c.tolist() for c in one.codes] == [c.tolist() for c in other.codes]
    assert one.counts.tolist() == other.counts.tolist()
    assert (one.owners is None) == (other.owners is None)
    if one.owners is not None and other.owners is not None:
        for name in ("row", "person", "count"):
            assert getattr(one.owners, name).tolist() == getattr(other.owners, name).tolist()


@settings(max_examples=200, deadline=None)
@given(rows_of_tables, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_people_are_the_same_by_combination_by_person_and_by_seat(rows: list[Row], look: list[int]) -> None:
    f = table(rows)
    if f.owners is None:
        return
    group = np.array(look)[f.places]
    here = owned_groups(f, np.arange(len(f.counts)), f.counts, group, 3)
    apart = f.by_person
    there = owned_groups(apart, np.arange(len(apart.counts)), apart.counts, np.array(look)[apart.places], 3)
    seats = f.by_seat
    assert seats.seats is not None
    entry, at = seats.seats.entries(np.arange(len(seats.counts)), np.array(look)[seats.places])
    seated = owned_groups(apart, entry, apart.counts[entry], at, 3)
    assert here is not None and there is not None and seated is not None
    assert seats.rows == apart.rows == f.rows
    for other in (there, seated):
        assert other.people.tolist() == here.people.tolist()
        assert other.most.tolist() == here.most.tolist()
        for mine, theirs in zip(here.values("s"), other.values("s"), strict=True):
            assert sorted(mine.tolist()) == sorted(theirs.tolist())


def test_one_row_a_person_is_the_table_without_the_column() -> None:
    rows: list[Row] = [("a", "x", "u", "p"), ("a", "x", "u", "q"), ("b", "y", "v", None), ("b", "y", "v", None)]
    f = table(rows)
    assert f.owners is None
    assert f.counts.tolist() == [2, 2]


@pytest.mark.parametrize("moves", [False, True])
def test_people_are_constant_if_nobody_moves(moves: bool) -> None:
    f = table([("a", "x", "u", "p"), ("b" if moves else "a", "x", "v", "p"), ("b", "y", "v", "q")])
    assert f.owned_places is not None
    assert f.owned_places.constant is not moves
