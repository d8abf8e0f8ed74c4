"""r-robustness with the limit `prior`: at most 1/r, or no surer than before, over all possible worlds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PolicyError
from discreet.models.examples import bucketized
from discreet.models.robust.robust import Robust
from discreet.models.verdicts import verdict
from tests.models.prior_worlds import Row, S, beliefs, cases, groups_with, keeps, known, people, rs, table_chances


@given(case=cases(), r=rs)
def test_a_group_holds_if_nobody_gets_surer_in_any_world(case, r) -> None:
    rows, chances, protected = case
    groups, every = groups_with(chances, rows), [(value,) for value in next(iter(chances.values()))]
    model = Robust(r, S, protected, knowledge=known(chances), limit="prior")
    values, own = [value for _, value in rows], [chances[kind] for kind, _ in rows]
    assert model.holds(groups).tolist() == [keeps(values, own, protected or every, r)]
    shares = [Fraction(sum(v in s for v in values), len(values)) for s in protected or every]
    pairs = [(min(b, Fraction(1)), before) for b, before in beliefs(values, own, protected or every)]
    least = float(max([*shares, *(b for b, before in pairs if b > before)]))
    top = max([*shares, *(b for b, before in pairs if b >= before)])
    most = float(max(top, 1 / Fraction(r)) if model.holds(groups)[0] else top)
    assert least - 1e-8 <= model.level(groups)[0] <= most + 1e-8  # ties with what was known need not be told apart


@given(case=cases(), r=rs)
def test_whatever_keeps_to_the_papers_limit_keeps_to_ours(case, r) -> None:
    rows, chances, protected = case
    groups = groups_with(chances, rows)
    paper = Robust(r, S, protected, knowledge=known(chances))
    ours = Robust(r, S, protected, knowledge=known(chances), limit="prior")
    assert not paper.holds(groups)[0] or ours.holds(groups)[0]
    assert ours.of_paper == paper or ours.of_paper.to_words() == paper.to_words()


def test_ties_with_what_was_believed_before_are_told_exactly() -> None:
    """One of ten has it; he has it with 1/2 before, and the odds of the others add up to exactly 1: he stays at 1/2."""
    chances = {"k": {"a": Fraction(1, 2), "b": Fraction(1, 2)}, "l": {"a": Fraction(1, 10), "b": Fraction(9, 10)}}
    rows: list[Row] = [("k", "a")] + [("l", "b")] * 9
    ours = Robust(10, S, [("a",)], knowledge=known(chances), limit="prior")
    assert ours.holds(groups_with(chances, rows)).tolist() == [True]
    assert not ours.of_paper.holds(groups_with(chances, rows))[0]
    a_bit_less = chances | {"l": {"a": Fraction(99, 1000), "b": Fraction(901, 1000)}}
    close = Robust(10, S, [("a",)], knowledge=known(a_bit_less), limit="prior")
    assert not close.holds(groups_with(a_bit_less, rows))[0]
    levels = ours.posteriors(groups_with(chances, rows))
    assert not levels.above.any()


def test_an_impossible_world_is_no_excuse() -> None:
    """Both are certain to have it, and one has."""
    chances = {"k": {"a": Fraction(1), "b": Fraction(0)}}
    rows: list[Row] = [("k", "a"), ("k", "b"), ("k", "b")]
    assert not Robust(2, S, [("a",)], knowledge=known(chances), limit="prior").holds(groups_with(chances, rows))[0]


@given(
    st.lists(people, min_size=2, max_size=9),
    st.integers(0, 5),
    st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(3)]),
    st.sampled_from([None, [("x",)], [("x", "y")]]),
    st.integers(1, 3),
)
def test_those_who_are_left_out_are_judged_like_a_group(rows, missing, r, protected, support) -> None:
    """By all worlds of the missing, whom the source tells: who they are, and which values they have."""
    missing = min(missing, len(rows) - 1)
    flat = [(*q, v) for q, v in rows]
    groups = bucketized(S, ["p", "q"], [flat[missing:], flat[:missing]] if missing else [flat])
    shown = groups.where(np.arange(len(groups)) == 0)
    sets = protected or [(v,) for v in sorted({v for _, v in rows})]
    out = [v for _, v in rows[:missing]]
    for model in (
        Robust(r, S, protected, min_support=support, absence="prior"),
        Robust(r, S, protected, min_support=support, limit="prior"),
    ):
        left = model.left_out(shown)
        if not missing:
            assert left is None
            continue
        holds = all(keeps(out, of[:missing], sets, r) for of in table_chances(rows, support))
        assert left is not None
        assert (left[0], left[2]) == (holds, missing)
        assert verdict(model, shown).holds == (holds and bool(model.holds(shown)[0]))
    assert Robust(r, S, protected, min_support=support).left_out(shown) is None


def test_the_rows_of_another_table_can_not_be_told_missing() -> None:
    rows = [("a", "x"), ("a", "y"), ("b", "y"), ("b", "y")]
    groups = bucketized(S, ["p"], [rows[:2], rows[2:]])
    few = groups.where(np.array([True, False]))
    few.tallies[S].counts[:] = 3  # more of a value than the table has
    left = Robust(2, S, limit="prior", min_support=1).left_out(few)
    assert left is not None
    assert not left[0]


def test_absence_is_promised_with_the_limit() -> None:
    assert Robust(2, S, limit="prior").absence == "prior"
    assert Robust(2, S).absence == "open"
    with pytest.raises(PolicyError, match="can't be open where the limit is prior"):
        Robust(2, S, limit="prior", absence="open")
    assert Robust(2, S).to_words() == {"robust": {"r": 2, "attribute": S, "min_support": 30, "knowledge": "table"}}
    assert Robust(2, S, limit="prior").to_words()["robust"]["limit"] == "prior"
    assert Robust(2, S, absence="prior").to_words()["robust"]["absence"] == "prior"


@given(
    before=st.lists(st.fractions(0, Fraction(19, 20), max_denominator=20), min_size=1, max_size=6),
    have=st.integers(1, 6),
    r=rs,
)
def test_a_group_with_somebody_likely_has_no_more_than_were_expected(
    before: list[Fraction], have: int, r: Fraction | int
) -> None:
    """The proof in docs/robust.md: where one is above 1/r and not certain, all stay at what they were believed."""
    have = min(have, len(before))
    chances = {f"k{i}": {"a": p, "b": 1 - p} for i, p in enumerate(before)}
    rows = [(f"k{i}", "a" if i < have else "b") for i in range(len(before))]
    model = Robust(r, S, [("a",)], knowledge=known(chances), limit="prior")
    if max(before) > 1 / Fraction(r) and model.holds(groups_with(chances, rows))[0]:
        assert have <= sum(before)


@given(
    before=st.lists(st.fractions(0, Fraction(19, 20), max_denominator=20), min_size=1, max_size=6),
    have=st.integers(1, 6),
    r=rs,
)
def test_whoever_has_a_value_takes_his_part_of_what_was_expected(
    before: list[Fraction], have: int, r: Fraction | int
) -> None:
    """The least that any group takes, of which docs/robust.md has the proof: min(1, (r − 1) · odds) for each."""
    have = min(have, len(before))
    chances = {f"k{i}": {"a": p, "b": 1 - p} for i, p in enumerate(before)}
    rows = [(f"k{i}", "a" if i < have else "b") for i in range(len(before))]
    model = Robust(r, S, [("a",)], knowledge=known(chances), limit="prior")
    if model.holds(groups_with(chances, rows))[0]:
        assert sum(min(Fraction(1), (Fraction(r) - 1) * p / (1 - p)) for p in before[:have]) <= sum(before)
