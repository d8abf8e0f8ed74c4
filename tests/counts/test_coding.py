"""From what an engine answers to a frequency set."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.coding import counted_into_order, frequency_set
from discreet.counts.frequency import FrequencySet
from discreet.engines.arrow import in_order, numbers, texts
from discreet.engines.base import Frequencies
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat

VALUES = ["b", None, "a", ""]
combinations = st.dictionaries(
    st.tuples(st.sampled_from(VALUES), st.sampled_from(VALUES), st.sampled_from(VALUES)),
    st.integers(1, 9),
    min_size=1,
    max_size=20,
)


def answered(counts: dict[tuple[str | None, ...], int], order: list[int], names: list[str | None]) -> Frequencies:
    """What an engine would say, with the combinations and the values of each column in some order."""
    rows = [list(counts.items())[i] for i in order]
    codes = [np.array([names.index(row[d]) for row, _ in rows], dtype=np.int32) for d in range(3)]
    return Frequencies((tuple(names),) * 3, tuple(codes), np.array([n for _, n in rows], dtype=np.int64))


def coded(found: Frequencies) -> FrequencySet:
    quasi = [build(name, VALUES, Flat()) for name in ("x", "y")]
    return frequency_set(found, quasi, {"s": build("s", VALUES, Flat())})


@given(counts=combinations, data=st.data())
def test_the_order_of_an_engines_answer_makes_no_difference(
    counts: dict[tuple[str | None, ...], int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(counts))))
    one = coded(answered(counts, list(range(len(counts))), VALUES))
    other = coded(answered(counts, order, data.draw(st.permutations(VALUES))))
    assert [c.tolist() for c in one.codes] == [c.tolist() for c in other.codes]
    assert one.sensitive["s"].tolist() == other.sensitive["s"].tolist()
    assert one.counts.tolist() == other.counts.tolist()


@given(counts=combinations)
def test_codes_name_the_values_that_were_counted(counts: dict[tuple[str | None, ...], int]) -> None:
    frequency = coded(answered(counts, list(range(len(counts))), VALUES))
    leaves = [h.leaves for h in (*frequency.hierarchies, frequency.sensitive_hierarchies["s"])]
    columns = [*frequency.codes, frequency.sensitive["s"]]
    read = {
        tuple(names[c] for names, c in zip(leaves, row, strict=True)): n
        for *row, n in zip(*(c.tolist() for c in columns), frequency.counts.tolist(), strict=True)
    }
    assert read == counts


@given(counts=combinations)
def test_each_value_of_a_column_is_counted_in_rows(counts: dict[tuple[str | None, ...], int]) -> None:
    found = answered(counts, list(range(len(counts))), VALUES)
    for d in range(3):
        assert found.rows_by_value(d).tolist() == [
            sum(n for row, n in counts.items() if row[d] == value) for value in VALUES
        ]


@given(counts=combinations, more=st.integers(1, 3))
def test_what_a_scan_told_of_single_columns_is_that_of_its_combinations(
    counts: dict[tuple[str | None, ...], int], more: int
) -> None:
    found = coded(answered(counts, list(range(len(counts))), VALUES))
    others = replace(found, counts=found.counts * more)  # another table: what was told of this one is forgotten
    for d in range(2):
        told = np.bincount(found.codes[d], weights=found.counts, minlength=len(VALUES))
        assert found.counted_leaves[d].tolist() == told.tolist()
        assert others.counted_leaves[d].tolist() == (more * told).tolist()
    told = np.bincount(found.sensitive["s"], weights=found.counts, minlength=len(VALUES))
    assert found.totals["s"].tolist() == told.tolist()
    assert others.totals["s"].tolist() == (more * told).tolist()


@given(
    st.lists(st.tuples(*[st.integers(0, 9)] * 5), min_size=1, max_size=40),
    st.lists(st.integers(4, 6), min_size=5, max_size=5),
)
def test_counting_into_order_is_sorting(rows: list[tuple[int, ...]], bits: list[int]) -> None:
    """By the first column first, whatever fits into one count; equal rows stay as they stand."""
    codes = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    ordered, order = counted_into_order(codes, bits, max(max(bits), len(rows).bit_length()))
    wanted = np.lexsort(codes[::-1])
    assert order.tolist() == wanted.tolist()
    assert [c.tolist() for c in ordered] == [c[wanted].tolist() for c in codes]


@given(st.lists(st.integers(-(10**12), 10**12) | st.integers(-20, 20), min_size=1, max_size=40))
def test_whole_numbers_are_numbered_as_their_texts_are(values: list[int]) -> None:
    """An engine that hands out numbers gives the same release as one that hands out texts."""
    as_numbers = in_order([numbers(np.array(values, dtype=np.int64))])
    as_texts = in_order([texts([str(value) for value in values])])
    assert as_numbers[0].to_pylist() == as_texts[0].to_pylist()
    assert as_numbers[1].tolist() == as_texts[1].tolist()


def test_columns_are_coded_one_after_the_other() -> None:
    """What comes of twelve columns takes 48 bytes a combination; all of them before that would be as much again."""
    many, digits = 50_000, "0123456789"
    codes = tuple((np.arange(many) // 10 ** (i // 2) % 10).astype(np.int32) for i in range(12))
    found = Frequencies((tuple(digits),) * 12, codes, np.ones(many, dtype=np.int64))
    hierarchies = [build(f"c{i}", digits, Flat()) for i in range(12)]
    frequency_set(found, hierarchies, {})
    tracemalloc.start()
    try:
        frequency_set(found, hierarchies, {})
        assert tracemalloc.get_traced_memory()[1] < 100 * many
    finally:
        tracemalloc.stop()
