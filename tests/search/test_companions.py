"""What ART leaves out in its search for companions could not have changed what it finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from discreet.search.art.companion_groups import Candidates
from tests.inner_kernels import first_of_order, grow_companions

# Powers of two and small whole numbers add up without rounding: what is found depends on no order of summing.
ODDS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0])


@njit
def in_order(scores):
    return np.argsort(scores)


@given(st.lists(st.integers(0, 40), max_size=300), st.integers(1, 60))
def test_the_first_of_an_order_are_those_of_the_whole_sort(scores, number) -> None:
    """Equal ones, too, come in the order that numba's sort leaves them in."""
    given = np.array(scores, dtype=np.float64)
    assert first_of_order(given, number).tolist() == in_order(given)[:number].tolist()


def missing(members: list[list[float]], r: float) -> float:
    return sum(max(r - sum(q) / max(q), 0.0) for q in zip(*members, strict=True))


def plainly(own, odds, gaps, left, owners, r, least, most) -> tuple[int, list[int]]:
    """Everybody is weighed every time, and nothing is given up before it is too large."""
    left, picked = [*left], []
    while len(picked) + 1 < least or missing([own, *(odds[c] for c in picked)], r) > 1e-3:
        if len(picked) + 1 >= most:
            return -1, []
        members = [own, *(odds[c] for c in picked)]
        scores = [(0.01 * gaps[c] + missing([*members, odds[c]], r), c) for c in range(len(odds)) if left[c]]
        if not scores:
            return -1, []
        chosen = min(scores)[1]
        left[chosen] -= 1
        if owners[chosen] >= 0:
            left = [0 if owner == owners[chosen] else n for n, owner in zip(left, owners, strict=True)]
        picked.append(chosen)
    i = 0
    while i < len(picked) and len(picked) + 1 > least:
        others = [odds[c] for j, c in enumerate(picked) if j != i]
        if missing([own, *others], r) > 1e-3:
            i += 1
        else:
            picked.pop(i)
    return len(picked), picked


@given(st.data())
def test_a_group_grows_as_if_everybody_were_weighed_every_time(data) -> None:
    sets = data.draw(st.integers(1, 5))
    vector = st.lists(ODDS, min_size=sets, max_size=sets)
    own, odds = data.draw(vector), data.draw(st.lists(vector, max_size=12))
    n = len(odds)
    several = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    gaps, left = [100.0 * g for g in data.draw(several)], data.draw(several)
    owners = [owner - 1 for owner in data.draw(several)]
    r, least = float(data.draw(st.sampled_from([2, 3, 4, 8]))), data.draw(st.integers(1, 5))
    most = data.draw(st.integers(1, 16))
    first = [0.01 * gaps[c] + missing([own, odds[c]], r) for c in range(n)]
    lacking = data.draw(st.integers(0, sets - 1))

    def grown(most: int) -> tuple[tuple[int, float, int], list[int]]:
        people = Candidates(
            np.arange(n, dtype=np.int64),
            np.arange(n, dtype=np.int64),
            np.array(gaps, dtype=np.float64),
            np.array(left, dtype=np.int64),
            np.array(first, dtype=np.float64),
            np.array([lacking]),
        )
        picks = np.empty(max(most, 1), dtype=np.int64)
        answer = grow_companions(
            np.array(own, dtype=np.float32),
            people,
            np.array(odds, dtype=np.float32).reshape(n, sets),
            np.array(owners, dtype=np.int64),
            r,
            least,
            most,
            picks,
        )
        return answer, picks[: max(answer[0], 0)].tolist()

    (number, distance, size), picks = grown(most)
    expected, picked = plainly(own, odds, gaps, left, owners, r, least, most)
    assert number == expected
    if number >= 0:
        assert picks == picked
        assert distance == sum(gaps[c] for c in picked)
        assert grown(size) == ((number, distance, size), picks)
        if size > 1:
            assert grown(size - 1)[0][0] == -1
