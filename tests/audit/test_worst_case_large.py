"""Large groups, read a second time: against whole numbers, against the promise's own code, and from the files."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.promises.no_surer import judged_by_prior
from discreet.audit.promises.robust import robust_level
from discreet.audit.worst_case import worst_case as module
from discreet.audit.worst_case.worlds_exactly import all_values_exactly, one_value_exactly
from discreet.audit.worst_case.worst_case import beliefs, people_of
from tests.audit.association_cases import bucketized, promise
from tests.audit.known_tables import NAMES, counted, people
from tests.inner_kernels import all_of_many, contour, one_of_many

shares = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)])
kinds_of_people = st.lists(st.tuples(shares, st.integers(1, 9)), min_size=1, max_size=4)


@given(kinds_of_people, st.data())
def test_one_value_of_many_is_as_in_whole_numbers(kinds, data):
    f, many = [share for share, _ in kinds], [n for _, n in kinds]
    having = data.draw(st.integers(1, sum(many)))
    out = np.zeros(len(kinds))
    off = one_of_many(np.array(f, dtype=float), np.array(many), having, out)
    wanted = one_value_exactly(f, many, having)
    if len(wanted) < len(kinds):
        assert off < 0
    else:
        assert 0 <= off <= 1e-9
        assert np.abs(out - np.array(wanted, dtype=float)).max() <= off + 1e-15


weights = st.sampled_from([0, 1, 1, 2, 5, 40, 1000])


@given(st.data(), st.sampled_from([3.0, 9.0, 15.0, 27.0]))
def test_all_values_of_many_are_off_by_no_more_than_is_said(data, digits):
    counts = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=3))
    many = data.draw(st.sampled_from([[sum(counts)], [1, sum(counts) - 1]]))
    rows = data.draw(st.lists(st.tuples(*[weights] * len(counts)), min_size=len(many), max_size=len(many)))
    if any(sum(row) == 0 for row in rows):
        return
    inside = np.array(data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts))))
    p, out = np.array([[w / sum(row) for w in row] for row in rows]), np.zeros(len(many))
    off = all_of_many(p, np.array(many), np.array(counts), inside, digits, 1e9, out)
    wanted = all_values_exactly(rows, many, counts)
    assert off < 0 or len(wanted) == len(many)
    if off >= 0:
        exactly = [float(sum(chance for chance, there in zip(row, inside, strict=True) if there)) for row in wanted]
        assert np.abs(out - exactly).max() <= off + 1e-15
    elif digits == 27.0:
        assert len(wanted) < len(many)


@pytest.mark.parametrize(
    ("size", "having"), [(500, [30]), (9000, [450]), (20_000, [1000]), (400, [20, 9]), (900, [8, 2, 40])]
)
def test_both_readings_of_many_people_agree(size, having):
    random = np.random.default_rng(size)
    many = random.multinomial(size - 40, np.ones(40) / 40) + 1
    counts = np.array([*having, size - sum(having)])
    p = random.gamma(0.7, counts / size, (40, len(counts))) + 1e-9
    p[:5, 0] = 0
    p /= p.sum(axis=1, keepdims=True)
    inside, out = np.arange(len(counts)) < len(having), np.zeros(40)
    promised, close = contour(p, many, counts, inside[None, :], 30.0, 1e9)
    off = all_of_many(p, many, counts, inside, 21.0, 1e9, out)
    assert 0 <= off <= 1e-6 and np.abs(out - promised[:, 0]).max() <= off + close
    assert many @ out == pytest.approx(sum(having), rel=1e-6)
    if len(having) == 1:
        off = one_of_many(p[:, 0], many, having[0], out)
        assert 0 <= off <= 1e-9 and np.abs(out - promised[:, 0]).max() <= off + close


@given(st.lists(people, min_size=2, max_size=6), st.sampled_from([1, 2]), st.sampled_from([None, ["x", ["y", "z"]]]))
def test_beliefs_of_large_groups_are_those_of_others(group, min_support, values):
    view, knowledge = bucketized([group], NAMES), counted(group)
    words = {"min_support": min_support, "values": values}
    asked = view, view.tallies[0], people_of(view, view.tallies[0], knowledge), knowledge, words
    exactly = beliefs(*asked)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_MOST_STATES", "_MOST_FOR_ONE", "_LARGE"):
            patch.setattr(module, name, 0)
        large = beliefs(*asked)
    assert (large.at_most >= exactly.chance - 1e-12).all()
    assert (large.chance <= exactly.chance + 1e-12).all()
    assert large.at_most == pytest.approx(exactly.chance, abs=2e-3)


def towns(size, having):
    """People of three towns; in the first more have x, and z in the last."""
    rows = []
    for i in range(size):
        age = "12"[i % 7 > 2]
        rows.append(("A" if i % 3 else "B", age, "z"))
    return [(n, a, "x" if i < having else v) for i, (n, a, v) in enumerate(rows)]


@pytest.mark.parametrize(
    ("words", "holds"), [({"r": 5}, True), ({"r": 12}, False), ({"r": 12, "limit": "prior"}, False)]
)
def test_a_promise_about_thousands_in_one_group_is_decided(words, holds):
    group, others = towns(5000, 500), towns(3000, 240)
    said = promise("robust", "disease", values=["x"], **words)
    view = bucketized([group, others], NAMES, promises=[said])
    level = robust_level(view, view.tallies[0], said, counted(group + others))
    assert level.holds is holds and (not holds or "left open" not in level.note)


def test_nobody_in_a_large_group_with_fewer_than_expected_is_surer():
    group, table = towns(5000, 300), towns(8000, 800)
    said = promise("robust", "disease", values=["x"], r=12, limit="prior")
    view = bucketized([group], NAMES, promises=[said])
    knowledge = counted(table)
    protected = np.array([[value == "x" for value in view.tallies[0].values]])
    seen = people_of(view, view.tallies[0], knowledge)
    found = judged_by_prior(view, view.tallies[0], seen, knowledge, said.parameters, protected, Fraction(1, 12))
    assert found.kept and found.left_open == 0
