"""Large groups: posteriors as integrals, which say how far off they are, against whole numbers and sums over worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.no_surer import dealt_out
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.counts.groups import Groups
from discreet.models.examples import bucketized
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust
from tests.inner_kernels import contour, marginals, two_valued
from tests.models.dealt_groups import Group, exactly, groups, is_dealable, scaled

S = "disease"
FINE = 30.0
digits = st.sampled_from([0.5, 2.0, 5.0, 9.0, 16.0, FINE])


def integral(group: Group, inside: BoolArray, wanted: float = FINE) -> tuple[FloatArray, float]:
    chances, people, values = group
    return contour(scaled(chances), people, values, inside, wanted, 1e9)  # type: ignore[no-any-return]


def every_value(group: Group) -> BoolArray:
    return np.eye(len(group[2]), dtype=np.bool_)


@given(group=groups(), wanted=digits)
def test_an_integral_is_off_by_no_more_than_it_says(group: Group, wanted: float) -> None:
    if len(group[2]) < 2:
        return
    found, off = integral(group, every_value(group), wanted)
    if not is_dealable(group):
        assert off == np.inf
    elif off < np.inf:
        assert np.abs(found - np.array(exactly(group), dtype=float)).max() <= off + 1e-15


@given(group=groups())
def test_an_integral_of_some_digits_is_found_wherever_a_world_has_weight(group: Group) -> None:
    if len(group[2]) > 1 and is_dealable(group):
        found, off = integral(group, every_value(group))
        assert off <= 1e-10
        assert found == pytest.approx(np.array(exactly(group), dtype=float), abs=1e-12)


@given(group=groups(), inside=st.lists(st.booleans(), min_size=4, max_size=4))
def test_sets_of_values_add_up_and_people_have_as_many_as_there_are(group: Group, inside: list[bool]) -> None:
    _, people, values = group
    if len(values) < 2 or not is_dealable(group):
        return
    those = np.array(inside[: len(values)])
    found, _ = integral(group, np.vstack([every_value(group), those]))
    assert found[:, -1] == pytest.approx(found[:, :-1][:, those].sum(axis=1), abs=1e-12)
    assert people @ found[:, :-1] == pytest.approx(values)


def many_people(kinds: int, size: int, values: list[int], seed: int) -> Group:
    """Of a random number of each signature, some of whom can't have a value, and some nothing else."""
    random = np.random.default_rng(seed)
    people = random.multinomial(size - kinds, np.ones(kinds) / kinds) + 1
    counts = np.array([*values, size - sum(values)])
    chances = random.gamma(0.7, counts / size, (kinds, len(counts)))
    chances[: kinds // 5, 0] = 0
    chances = np.round(1e6 * chances).astype(np.int64)
    chances[:, -1] += 1
    return chances, people, counts


@pytest.mark.parametrize(("size", "m"), [(700, 2), (700, 350), (3000, 300), (20_000, 1000), (20_000, 14_000)])
def test_of_many_people_an_integral_is_the_sum_over_worlds(size: int, m: int) -> None:
    chances, people, values = many_people(60, size, [m], size + m)
    has, has_not = scaled(chances).T
    found, off = integral((chances, people, values), np.array([[True, False]]))
    assert off <= 1e-10
    assert np.abs(found[:, 0] - two_valued(has, has_not, people, m)).max() <= off
    assert people @ found[:, 0] == pytest.approx(m, rel=1e-11)


@pytest.mark.parametrize("values", [[4, 9, 2], [30, 60], [1, 1, 1, 12], [80, 120]])
@pytest.mark.parametrize("wanted", [8.0, 16.0, FINE])
def test_of_several_values_too(values: list[int], wanted: float) -> None:
    group = many_people(40, 300, values, sum(values))
    chances, people, counts = group
    states = int(np.prod(counts + 1))
    worlds = marginals(scaled(chances), people, counts, np.empty(states), np.empty(states))
    found, off = integral(group, every_value(group), wanted)
    assert np.abs(found - worlds).max() <= off <= (1e-9 if wanted == FINE else np.exp(6 - wanted))


def test_whoever_is_likelier_is_believed_more_of() -> None:
    chances, people, values = many_people(60, 5000, [200], 1)
    one = np.flatnonzero(chances[:, 0] > 0)[3]
    before, _ = integral((chances, people, values), np.array([[True, False]]))
    chances[one, 0] += chances[one].sum() // 10
    after, _ = integral((chances, people, values), np.array([[True, False]]))
    assert after[one, 0] > before[one, 0]
    others = np.delete(after[:, 0] - before[:, 0], one)
    assert (others <= 1e-12).all() and (others < 0).any()


def test_people_who_are_certain_and_people_who_can_not_are_told_exactly() -> None:
    chances, people = np.array([[1, 0], [0, 1], [1, 9], [1, 3]]), np.array([100, 7000, 500, 400])
    found, off = integral((chances, people, np.array([150, 7850])), np.array([[True, False]]))
    assert found[0] == pytest.approx(1, abs=1e-12) and found[1] <= 1e-99 and off <= 1e-10
    assert integral((chances, people, np.array([99, 7901])), np.array([[True, False]]))[1] == np.inf
    found, _ = integral((chances, people, np.array([100, 7900])), np.array([[True, False]]))
    assert found[:, 0] == pytest.approx([1, 0, 0, 0], abs=1e-12)


def test_more_points_than_are_allowed_are_not_begun() -> None:
    group = many_people(40, 300, [20, 20, 20], 2)
    chances, people, values = group
    assert contour(scaled(chances), people, values, every_value(group), FINE, 1e4)[1] == np.inf


def large(kinds: int, size: int, values: list[int], seed: int) -> tuple[Groups, GivenKnowledge, FloatArray, IntArray]:
    """A group of values a, b, … and z in the end, of whom the chances of every signature are given; and these."""
    chances, people, counts = many_people(kinds, size, values, seed)
    names = [*"abcdefg"[: len(values)], "z"]
    signs = [str(kind) for kind in np.repeat(np.arange(kinds), people).tolist()]
    has = [name for name, n in zip(names, counts.tolist(), strict=True) for _ in range(n)]
    rows = [
        ({"kind": str(j)}, name, Fraction(c, sum(row)))
        for j, row in enumerate(chances.tolist())
        for name, c in zip(names, row, strict=True)
    ]
    shown = bucketized(S, ["kind"], [list(zip(signs, has, strict=True))])
    return shown, GivenKnowledge(rows), scaled(chances), people


@pytest.mark.parametrize(("values", "size"), [([300], 3000), ([120, 15], 2500), ([40, 20, 3], 900)])
@pytest.mark.parametrize("limit", ["r", "prior"])
def test_the_promise_of_a_large_group_is_decided_by_its_worlds(values: list[int], size: int, limit: str) -> None:
    groups, knowledge, chances, people = large(25, size, values, 7)
    protected = [tuple("abcdefg"[: len(values)])]
    has = chances[:, :-1].sum(axis=1)
    two = two_valued(has, 1 - has, people, sum(values))
    counts = np.array([*values, size - sum(values)])
    states = int(np.prod(counts + 1))
    full = marginals(chances, people, counts, np.empty(states), np.empty(states))[:, :-1].sum(axis=1)
    worst = np.maximum(two, full)
    model = Robust(3, S, protected, knowledge=knowledge, limit=limit)
    levels = model.posteriors(groups)
    assert model.decided(groups) == {"exactly": 1, "by_bound": 0}
    if limit == "r":
        assert np.sort(np.unique(levels.levels.round(9))) == pytest.approx(np.unique(worst.round(9)), abs=2e-9)
        assert model.level(groups)[0] == pytest.approx(worst.max())
    # Of each limit from loose to tight, the verdict is the one that the worlds give.
    verdicts = []
    for r in (1.05, 1.3, 2, 3, 5, 7, 30):
        most = 1 / r if limit == "r" else np.maximum(1 / r, has)
        kept = bool((worst <= most).all()) and sum(values) * r <= size
        asked = Robust(str(r), S, protected, knowledge=knowledge, limit=limit)
        assert asked.holds(groups).tolist() == [kept]
        verdicts.append(kept)
    assert not all(verdicts)


def test_a_large_group_of_people_who_are_alike_may_reach_the_limit() -> None:
    shown = bucketized(S, ["kind"], [[("1", "a")] * 500 + [("1", "z")] * 4500])
    assert Robust(10, S, ["a"], min_support=1).holds(shown).all()
    assert not Robust(11, S, ["a"], min_support=1).holds(shown).any()


def test_a_large_group_in_which_all_have_it_or_that_can_not_be_hides_nobody() -> None:
    rows = [("1", "a")] * 300 + [("2", "z")] * 4000
    chances = GivenKnowledge([({"kind": "1"}, "a", 0), ({"kind": "2"}, "a", 0), ({"kind": "1"}, "z", 1)])
    model = Robust(10, S, ["a"], knowledge=chances)
    assert not model.holds(bucketized(S, ["kind"], [rows])).any()
    assert model.level(bucketized(S, ["kind"], [rows])).tolist() == [1]
    everybody = bucketized(S, ["kind"], [[("1", "a")] * 300 + [("2", "a")] * 4000])
    assert Robust(2, S, ["a"], min_support=1).level(everybody).tolist() == [1]


@pytest.mark.parametrize(("size", "values"), [(150, [15]), (2000, [100]), (400, [20, 9]), (200, [5, 3, 2])])
def test_the_outsider_of_the_benchmark_believes_the_same(size: int, values: list[int]) -> None:
    group = many_people(25, size, values, size)
    chances, people, counts = group
    inside = set(range(len(values)))
    found, off = integral(group, np.arange(len(counts))[None, :] < len(values))
    kinds = [dict(enumerate(row)) for row in scaled(chances).tolist()]
    everybody = [kinds[j] for j in np.repeat(np.arange(25), people).tolist()]
    believed = dealt_out(everybody, Counter(dict(enumerate(counts.tolist()))), inside)
    assert believed == pytest.approx(np.repeat(found[:, 0], people), abs=1e-8 + off)
