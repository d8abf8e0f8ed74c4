"""Rows in an order that the source tells: however it was turned, it is found; and a random order never is."""

from __future__ import annotations

import random
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.audit.faults import row_order
from discreet.audit.faults.faults import faults
from discreet.audit.faults.row_order import CHANCE
from discreet.audit.faults.row_order_kernels import following, largest_stake
from discreet.audit.faults.source_order import Sequences, _arranged, _ratios, best_way, entries
from discreet.audit.reading.release import look
from tests.audit.releasing import PLAIN, in_order, people, write_table

SIZE = 300
ORDERS = {
    "as it stands": [*range(SIZE)],
    "backwards": [*range(SIZE)][::-1],
    "rotated": [*range(117, SIZE), *range(117)],
    "rotated and backwards": [*range(117, SIZE), *range(117)][::-1],
    "exchanged two by two": [i ^ 1 for i in range(SIZE)],
    "rotated and exchanged": [(i ^ 1) for i in [*range(118, SIZE), *range(118)]],
    "cut into pieces": [i + j for i in random.Random(3).sample(range(0, SIZE, 30), 10) for j in range(30)],
    "every seventh left out": [i for i in range(SIZE) if i % 7],
    "backwards, every seventh left out": [i for i in range(SIZE) if i % 7][::-1],
    "a third of it shuffled": [*random.Random(5).sample(range(100), 100), *range(100, SIZE)],
    "the odd ones after the even ones": [*range(0, SIZE, 2), *range(1, SIZE, 2)],
}  # fmt: skip


def in_orders(path, order, source=None, description=PLAIN):
    source = source or people(SIZE)
    rows = in_order(source)
    write_table(path, [rows[i] for i in order])
    reported = faults(look(path, description), source)
    return [fault for fault in reported if fault.fault == "rows_in_order"]


@pytest.mark.parametrize("name", ORDERS)
def test_the_order_of_the_source_is_found_however_it_is_turned(tmp_path, name):
    [fault] = in_orders(tmp_path / "data.csv", ORDERS[name])
    assert fault.grave and "the source" in fault.rule


@pytest.mark.parametrize("backwards", [False, True])
def test_an_order_by_exact_values_that_were_made_coarser_is_found_with_the_source_too(tmp_path, backwards):
    source = people(SIZE)
    order = sorted(range(SIZE), key=lambda i: int(source["age"][i]), reverse=backwards)
    [fault] = in_orders(tmp_path / "data.csv", order)
    assert fault.grave
    assert "the order of age in the source" in fault.rule and ("backwards" in fault.rule) == backwards


@pytest.mark.parametrize("backwards", [False, True])
def test_an_order_by_a_column_that_is_not_published_is_found(tmp_path, backwards):
    source = people(SIZE)
    draw = random.Random(8)
    source["name"] = [f"name {draw.random():.9f}" for _ in range(SIZE)]
    order = sorted(range(SIZE), key=source["name"].__getitem__, reverse=backwards)
    [fault] = in_orders(tmp_path / "data.csv", order, source)
    assert fault.grave
    assert "the order of name in the source" in fault.rule and ("backwards" in fault.rule) == backwards


def test_what_is_seen_without_the_source_is_seen_with_it(tmp_path):
    """Wards one after the other, the ward itself is neither published nor in the source; the source is shuffled."""
    draw = random.Random(3)
    rows = [{"age": str(draw.randint(0, 3)), "zip": "1", "disease": f"d{ward}{draw.randint(0, 2)}"}
            for ward in range(6) for _ in range(50)]  # fmt: skip
    path = write_table(tmp_path / "data.csv", rows)
    shuffled = draw.sample(rows, len(rows))
    source = {column: [row[column] for row in shuffled] for column in rows[0]}
    without, with_it = ({fault.fault for fault in faults(look(path, PLAIN), table)} for table in (None, source))
    assert "rows_in_order" in without and without <= with_it


@pytest.mark.parametrize("seed", range(20))
def test_a_random_order_is_not_reported(tmp_path, seed):
    order = random.Random(seed).sample(range(SIZE), SIZE)
    assert in_orders(tmp_path / "data.csv", order[seed:], people(SIZE, seed)) == []


def test_rows_of_a_group_in_the_order_of_the_source_are_found(tmp_path):
    """Groups in a random order, as a tool writes them that goes group by group."""
    rows = in_order(people(SIZE))
    groups = list(dict.fromkeys((row["age"], row["zip"]) for row in rows))
    random.Random(1).shuffle(groups)
    by_group = sorted(range(SIZE), key=lambda i: groups.index((rows[i]["age"], rows[i]["zip"])))
    assert [fault.grave for fault in in_orders(tmp_path / "data.csv", by_group)] == [True]
    draw = random.Random(2)
    mixed = sorted(range(SIZE), key=lambda i: (groups.index((rows[i]["age"], rows[i]["zip"])), draw.random()))
    assert in_orders(tmp_path / "data.csv", mixed) == []


def test_groups_of_two_that_stand_together_tell_nothing_of_a_sorted_source(tmp_path):
    """Pairs of neighbours of a source that is sorted by age, in a random order: published ages tell as much."""
    draw = random.Random(6)
    ages = sorted(draw.sample(range(1000), 200))
    source = {"age": [str(a) for a in ages], "disease": [draw.choice(["flu", "cold", "gout"]) for _ in ages]}
    pairs = draw.sample(range(100), 100)
    order = [i for pair in pairs for i in draw.sample([2 * pair, 2 * pair + 1], 2)]
    rows = [{"age": f"[{ages[i // 2 * 2]}-{ages[i // 2 * 2 + 1]}]", "disease": source["disease"][i]} for i in order]
    path = write_table(tmp_path / "data.csv", rows)
    about = {"quasi_identifiers": ["age"], "sensitive": ["disease"]}
    assert not [f for f in faults(look(path, about), source) if f.fault == "rows_in_order" and f.grave]


def sequences(draw, rows, values, left_out, sorted_by=0):
    """A source of rows with a value each, some of which are published, in a random order or sorted by another one."""
    source = draw.integers(0, values, rows)
    published = draw.permutation(rows)[left_out:]
    strata = draw.integers(0, sorted_by + 1, values)
    published = published[np.argsort(strata[source[published]], kind="stable")]
    unit, kinds = source[published], source
    starts = np.arange(values + 1)
    pairs = entries(starts, np.arange(values), kinds, np.bincount(unit, minlength=values))
    return Sequences(unit, strata, *pairs, np.arange(rows))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 400), st.integers(1, 400), st.integers(0, 50), st.integers(0, 3))
def test_chance_is_never_taken_for_an_order(seed, rows, values, left_out, sorted_by):
    draw = np.random.default_rng(seed)
    assert best_way(sequences(draw, rows, values, min(left_out, rows - 1), sorted_by)).chance > CHANCE


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.lists(st.sets(st.integers(0, 2)), max_size=6), st.data())
def test_no_bet_wins_on_average_against_all_orders(published, fits, data):
    """By going through all orders of the rows: nobody's stake grows on average, in whatever way she bets."""
    stratum = np.array(data.draw(st.lists(st.integers(0, 1), min_size=3, max_size=3)))
    kinds = np.arange(len(fits))
    starts = np.concatenate([[0], np.cumsum([len(units) for units in fits])]).astype(np.int64)
    units = np.array([u for several in fits for u in sorted(several)], dtype=np.int64)
    pairs = entries(starts, units, kinds, np.bincount(published, minlength=3))
    products: dict[int, list[float]] = {}
    for order in permutations(published):
        rows = Sequences(np.array(order), stratum, *pairs, np.arange(len(fits)))
        for i, (_, ratio) in enumerate(_ratios(_arranged(rows), neighbours=True)):
            products.setdefault(i, []).append(float(np.prod(ratio)))
    for stakes in products.values():
        assert np.mean(stakes) <= 1 + 1e-9


@pytest.mark.parametrize("win", [1.1, 1.9, 2.0])
def test_a_stake_seldom_grows_in_a_fair_game(win):
    """Over all runs of twelve fair coins: the chance to ever have c is at most 1 / c."""
    runs = product([win, 2 - win], repeat=12)
    stakes = np.sort([np.exp(largest_stake(np.array(run))) for run in runs])[::-1]
    assert (stakes * np.arange(1, len(stakes) + 1) / len(stakes) <= 1 + 1e-9).all()


def test_a_large_table_is_looked_at_in_little_time():
    import time

    draw = np.random.default_rng(1)
    rows = sequences(draw, 300_000, 5_000, 1_000)
    best_way(rows)
    started = time.perf_counter()
    assert best_way(rows).chance > CHANCE
    assert time.perf_counter() - started < 30


def test_neighbours_are_followed_for_a_while_only():
    unit = np.zeros(100, dtype=np.int64)
    ratio = following(
        unit, unit, np.ones(100), np.full(100, 100), np.array([0, 100]), np.arange(100), np.ones(100), 250
    )
    assert np.isfinite(ratio).all() and (ratio[3:] == 1).all()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), max_size=12), st.integers(1, 6))
def test_the_first_rows_never_deny_an_order_that_all_have(rows, first) -> None:
    """Looking at a few rows before all gives the same answer."""
    block = np.sort(np.array([block for block, _ in rows], dtype=np.int64))
    column = row_order.Ordered("q", np.array([code for _, code in rows], dtype=np.int64), ["10", "b", None, "9", "b"])
    answers = []
    for few in (first, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(row_order, "_FIRST", few)
            answers.append(row_order._is_sorted(column, block))
    assert answers[0] == answers[1]
