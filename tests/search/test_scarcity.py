"""What is scarce where nobody may get surer, and groups that are opened for those who are left out."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.robust.robust import Robust
from discreet.progress import silent
from discreet.search.art.art import _exchange, _with_likely_companions
from discreet.search.art.draft import Draft, start
from discreet.search.art.scarcity import expected_and_asked, prices_of
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, table_of
from tests.search.drafts import VALUES, draft_of

row = st.tuples(st.sampled_from("ab"), st.sampled_from("cd"), st.sampled_from(VALUES))


@given(st.lists(row, min_size=3, max_size=12), st.data())
def test_expected_and_asked_are_sums_over_those_who_are_left(rows, data) -> None:
    draft = draft_of([(r[:2], r[2]) for r in rows], [("a",), ("b", "c"), ("c", "d")])
    t = draft.table
    gone = data.draw(st.integers(0, len(draft.stock.left) - 1))
    draft.stock.of_kind[t.kind[gone]] -= draft.stock.left[gone]
    draft.stock.left[gone] = 0
    expected, asked = expected_and_asked(draft)
    sets = {"a": [{"a"}], "b": [{"b", "c"}], "c": [{"b", "c"}, {"c", "d"}], "d": [{"c", "d"}]}
    leaves = draft.problem.frequency.sensitive_hierarchies[SENSITIVE].leaves
    for a in range(t.signatures.shape[1]):
        for x, leaf in enumerate(leaves):
            here = [(i, n) for i, n in enumerate(draft.stock.left.tolist()) if n]
            of_set = sum(n * float(t.inside[t.signatures[t.kind[i], a], x]) for i, n in here)
            takes = 0.0
            for i, n in here:
                own = leaves[t.values[i]]
                if leaf in sets and own in sets and any({leaf, own} <= s for s in sets[leaf]):
                    p = float(t.inside[t.signatures[t.kind[i], a], t.values[i]])
                    takes += n * (1 if p >= 1 else min(1, (draft.r - 1) * p / (1 - p)))
            assert np.isclose(expected[a, x], of_set, atol=1e-5)
            assert np.isclose(asked[a, x], takes, atol=1e-5)
    prices = prices_of(draft)
    assert np.isfinite(prices.expected).all() and (prices.expected > 0).all() and prices.row > 0


def likely(seed: int, others: float = 0.11) -> Draft:
    """Of one zip in six, three in ten have hiv, of others more than one in ten; 1/6 is asked for."""
    draw, rows = random.Random(seed), []
    for _ in range(800):
        place, age = draw.choice("123456"), draw.choice("xyz")
        has = draw.random() < (0.3 if place == "1" else others + 0.06 * (age == "z"))
        rows.append((place, age, "hiv" if has else draw.choice(["flu", "cold", "gout"])))
    model = Robust(6, SENSITIVE, values=[("hiv",)], min_support=10, limit="prior")
    f = table_of(rows)
    return start(Problem(f, (model,), f.rows, seed=seed), silent)


def test_opening_groups_leaves_no_more_people_out_and_loses_none() -> None:
    better = 0
    for seed in range(3):
        draft = likely(seed)
        f, protected = draft.problem.frequency, draft.protected
        _with_likely_companions(draft)
        before = int(draft.stock.left[protected].sum())
        _exchange(draft)
        after = int(draft.stock.left[protected].sum())
        assert after <= before
        better += before - after
        done = draft.done
        assert draft.holds(done).all()
        there = draft.stock.left + np.bincount(done.rows, minlength=len(f.counts))
        assert there.tolist() == f.counts.tolist()
        of_kind = np.bincount(draft.table.kind, weights=draft.stock.left, minlength=len(draft.stock.of_kind))
        assert draft.stock.of_kind.tolist() == of_kind.tolist()
    assert better > 0


def test_companions_have_one_value_where_that_hides_everybody_else_some_groups_have_several() -> None:
    for others, everybody in ((0.02, True), (0.11, False)):
        draft = likely(1, others)
        _with_likely_companions(draft)
        done, values = draft.done, draft.table.values
        of_group = [set(values[rows[~draft.protected[rows]]]) for rows in np.split(done.rows, done.offsets[1:-1])]
        assert everybody == (not draft.stock.left[draft.protected].any())
        assert (max(map(len, of_group)) == 1) is everybody
