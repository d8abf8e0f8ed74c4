"""Two releases together: every posterior is what counting the pairs of possible worlds gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.association import chains, common_people, common_people_kernels
from discreet.audit.association.common_people import Counts
from discreet.audit.association.composition import composition
from discreet.audit.kinds.registry import AMBIGUOUS, BUCKETIZED, GENERALIZED
from discreet.audit.lines import AT_MOST, EXACT
from discreet.audit.reading.exact_tables import Population, Table
from discreet.audit.reading.labels import Anything, Between, Exactly, Label, OneOf, Prefix, overlap
from discreet.audit.reading.view import Region, ReleaseView
from discreet.audit.worlds import overlaps as overlapping
from discreet.labels.figures import percent
from discreet.report.pages.audit_words import worst
from discreet.studies import worlds
from tests import inner_kernels
from tests.audit.two_releases import VALUES, people, release, tally


def largest_belief(one: Sequence[Hashable], two: Sequence[Hashable], common: int) -> Fraction | None:
    """About the first person, when the first `common` people of both groups are the same."""
    agreeing = [
        (a, Fraction(1))
        for (a, _), (b, _) in product(worlds.enumerate(one, _even), worlds.enumerate(two, _even))
        if a[:common] == b[:common]
    ]
    if not agreeing:
        return None
    return max(worlds.belief(agreeing, lambda world, v=v: world[0] == v) for v in {*one})  # type: ignore[misc]


def _even(_: worlds.Values) -> Fraction:
    return Fraction(1)


few = st.lists(st.sampled_from(VALUES), min_size=1, max_size=5)


@given(few, few, st.data())
def test_what_people_in_both_groups_have_is_told_by_the_worlds_in_which_they_agree(
    one: list[str | None], two: list[str | None], data: st.DataObject
) -> None:
    common = data.draw(st.integers(1, min(len(one), len(two))))
    mine, theirs = tally([one]), tally([two])
    chance, exact = np.zeros(1), np.zeros(1, dtype=np.bool_)
    zero, ends = np.zeros(1, dtype=np.int64), [np.array([0, len(t.value)]) for t in (mine, theirs)]
    counts = [Counts(end, one.value, one.count) for end, one in zip(ends, (mine, theirs), strict=True)]
    common_people_kernels.most_believed(zero, zero, np.array([common]), *counts, chance, exact)
    expected = largest_belief(one, two, common)
    assert exact[0]
    assert chance[0] == pytest.approx(-1 if expected is None else float(expected), abs=1e-12)


def test_large_groups_are_estimated_well() -> None:
    starts, value, zero = np.array([0, 3]), np.arange(3), np.zeros(1, dtype=np.int64)
    first, second = np.array([500, 300, 200]), np.array([300, 300, 400])
    found = []
    for many in (576, 577):  # just below and above what is counted
        chance, exact = np.zeros(1), np.ones(1, dtype=np.bool_)
        counts = [Counts(starts, value, count) for count in (first, second)]
        common_people_kernels.most_believed(zero, zero, np.array([many]), *counts, chance, exact)
        found.append((bool(exact[0]), float(chance[0])))
    (counted, nearly), (not_counted, estimated) = found
    assert counted
    assert not not_counted
    assert estimated == pytest.approx(nearly, abs=1e-3)


def test_one_value_in_common_gives_a_person_away() -> None:
    first = release([(Between(20, 39), ["flu", "cold"]), (Between(40, 60), ["flu", "gout"])])
    second = release([(Between(20, 29), ["flu", "gout"]), (Between(30, 60), ["cold", "flu", None])])
    [found] = composition(first, second, people([25, 35, 45, 70]))
    # 25: {flu, cold} and {flu, gout}; 35: {flu, cold} twice; 45: {flu, gout} and {cold, flu, None}; 70 is in neither
    assert (found.worst, found.above, found.people, found.precision) == (1.0, 2, 3, EXACT)
    assert found.deciding is not None
    assert (found.deciding.size, found.deciding.line) == (2, 2 if found.deciding.group == 0 else 3)
    assert found.details["people_in_both"] == 3


Person = tuple[int, int, str | None]  # a group of each release (2: in none), and a value


def two_releases(rows: Sequence[Person]) -> tuple[ReleaseView, ReleaseView, Population] | None:
    """Ages 0–2, 10–12, 20–22: release 1 tells the tens, release 2 the ones; the list has exactly these people."""
    first = [(Between(10 * t, 10 * t + 9), [v for a, _, v in rows if a == t]) for t in (0, 1)]
    second = [(OneOf(frozenset({str(o), str(10 + o), str(20 + o)})), [v for _, b, v in rows if b == o]) for o in (0, 1)]
    made = [[(label, values) for label, values in groups if values] for groups in (first, second)]
    if not all(made) or not {v for a, _, v in rows if a < 2} & {v for _, b, v in rows if b < 2}:
        return None
    return release(made[0]), release(made[1]), people([10 * a + b for a, b, _ in rows])


def beliefs(rows: Sequence[Person]) -> list[Fraction]:
    """About everybody, over all worlds of the whole table in which every group has the values that it publishes."""

    def published(values: Sequence[Hashable]) -> list[Counter[Hashable]]:
        return [
            Counter(v for row, v in zip(rows, values, strict=True) if row[place] == g)
            for place in (0, 1)
            for g in (0, 1)
        ]

    truth = [v for _, _, v in rows]
    possible = {
        world
        for world in product(VALUES, repeat=len(rows))
        if published(world) == published(truth)
        and all(v == VALUES[0] for (a, b, _), v in zip(rows, world, strict=True) if a == b == 2)
    }
    return [max(Fraction(sum(w[i] == v for w in possible), len(possible)) for v in VALUES) for i in range(len(rows))]


everybody = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(VALUES[:3])), min_size=1, max_size=6
)


@given(everybody)
def test_groups_that_overlap_in_a_chain_are_as_all_worlds_of_the_whole_table_tell(rows: list[Person]) -> None:
    made = two_releases(rows)
    if made is None:
        return
    [found] = composition(*made)
    both = [belief for (a, b, _), belief in zip(rows, beliefs(rows), strict=True) if a < 2 and b < 2]
    assert found.precision == EXACT
    assert found.people == len(both)
    assert found.worst == pytest.approx(float(max(both, default=0)), abs=1e-9)
    assert found.above == sum(belief > Fraction(1, 2) for belief in both)


@given(everybody)
def test_a_bound_is_never_below_what_all_worlds_tell(rows: list[Person]) -> None:
    made = two_releases(rows)
    if made is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "MOST_STEPS_OF_ONE", 0)  # too many worlds to go through
        [found] = composition(*made)
    both = [belief for (a, b, _), belief in zip(rows, beliefs(rows), strict=True) if a < 2 and b < 2]
    assert found.worst >= float(max(both, default=0)) - 1e-9
    assert found.above >= sum(belief > Fraction(1, 2) for belief in both)
    assert (found.precision == AT_MOST) == ("estimate" in found.details)


def test_an_estimate_too_low_stands_beside_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four people, each in a pair of groups of her own; that one of them must have gout tells what the others have."""
    rows = [(0, 0, "gout"), (0, 1, "flu"), (1, 0, "flu"), (1, 1, "cold")]
    made = two_releases(rows)
    assert made is not None
    [found] = composition(*made)
    assert (found.worst, found.precision) == (float(max(beliefs(rows))), EXACT)
    monkeypatch.setattr(chains, "MOST_STEPS_OF_ONE", 0)
    [bounded] = composition(*made)
    assert bounded.precision == AT_MOST
    assert bounded.details["estimate"] <= found.worst <= bounded.worst
    assert worst(bounded) == f"about {percent(bounded.details['estimate'])}, at most {percent(bounded.worst)}"


def test_a_ring_of_groups_is_gone_through() -> None:
    """Four people in a ring of groups: the one who must have gout tells of her neighbours, too."""
    first = release([(Between(1, 2), ["flu", "gout"]), (Between(3, 4), ["flu", "gout"])])
    second = release([(Between(2, 3), ["gout", "gout"]), (OneOf(frozenset("14")), ["flu", "flu"])])
    [found] = composition(first, second, people([1, 2, 3, 4]))
    assert (found.worst, found.above, found.precision) == (1.0, 4, EXACT)
    third = release([(Between(2, 3), ["gout", "gout"]), (Exactly("1"), ["flu"]), (Exactly("4"), ["flu"])])
    fourth = release([(Between(1, 4), ["flu", "gout", "flu", "gout"])])
    [finer] = composition(fourth, third, people([1, 2, 3, 4]))
    assert (finer.worst, finer.above, finer.precision) == (1.0, 4, EXACT)


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(VALUES)), min_size=1, max_size=6))
def test_a_finer_release_of_the_same_table_is_all_there_is_to_know(rows: list[tuple[int, str | None]]) -> None:
    """Worlds of the whole table, not of pairs: where one release is finer than the other they come to the same."""
    ones = [(o, [v for b, v in rows if b == o]) for o in sorted({b for b, _ in rows})]
    coarse = release([(Anything(), [v for _, v in rows])])
    fine = release([(Exactly(str(o)), values) for o, values in ones])
    groups = [b for b, _ in rows]
    consistent = [
        (world, Fraction(1))
        for world, _ in worlds.enumerate([v for _, v in rows], _even)
        if all(
            Counter(v for v, b in zip(world, groups, strict=True) if b == o) == Counter(values) for o, values in ones
        )
    ]
    beliefs = [
        max(worlds.belief(consistent, lambda world, i=i, v=v: world[i] == v) for v in VALUES)  # type: ignore[misc]
        for i in range(len(rows))
    ]
    for releases in ((coarse, fine), (fine, coarse)):
        [found] = composition(*releases, people(groups))
        assert found.worst == pytest.approx(float(max(beliefs)), abs=1e-12)


def test_somebody_who_fits_several_groups_is_bounded_by_the_most_telling_ones() -> None:
    whole = ["gout", "flu", "cold", "cold"]
    first = release([(Between(20, 39), ["flu", "cold"]), (Between(30, 60), ["gout", "gout", "flu"])])
    second = release([(Anything(), whole)])
    [found] = composition(first, second, people([35]))
    assert found.precision == AT_MOST
    assert found.worst == pytest.approx(float(largest_belief(["gout", "gout", "flu"], whole, 1) or 0))
    # Both groups fit one person of the list. Release 1 says flu, cold, gout with 2 + 1 : 2 : 2 (of its counts), release
    # 2 with 1 : 2 : 1; together 2 : 2 : 2.
    assert found.details["worst_if_her_groups_are_weighed"] == pytest.approx(1 / 3)


def test_without_a_list_any_two_groups_that_overlap_count() -> None:
    first = release([(Between(20, 39), ["flu", "cold"]), (Between(40, 60), ["flu", "gout"])])
    second = release([(Between(20, 29), ["flu", "gout"]), (Between(30, 60), ["cold", "flu", None])])
    [found] = composition(first, second)
    assert (found.worst, found.above, found.people, found.precision) == (1.0, 4, 4, AT_MOST)
    apart = release([(Between(70, 79), ["flu"])])
    [found] = composition(first, apart)
    assert (found.worst, found.above) == (0.0, 0)


def test_a_bucketized_release_is_a_list_itself() -> None:
    table = Table(("age",), people([25, 45]).frequencies, np.array([0, 0]))
    bucketized = ReleaseView(BUCKETIZED, ("age",), np.array([2]), (tally([["flu", "cold"]]),), tables=(table,))
    [found] = composition(release([(Between(20, 30), ["flu", "gout"])]), bucketized)
    assert (found.worst, found.people) == (1.0, 1)


def test_releases_without_a_common_attribute_or_without_places_say_nothing() -> None:
    view = release([(Anything(), ["flu"])])
    other = ReleaseView(GENERALIZED, ("age",), view.sizes, (tally([["flu"]], "income"),), view.regions)
    assert composition(view, other) == []
    assert composition(view, ReleaseView(AMBIGUOUS, ("age",), view.sizes, view.tallies)) == []


def test_too_many_pairs_are_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    view = release([(Exactly(str(i)), ["flu"]) for i in range(4)])
    monkeypatch.setattr(overlapping, "MOST_PAIRS", 3)
    assert composition(view, view) == []


labels = st.sampled_from(
    [
        *(Anything(), Exactly("5"), Exactly(None), Exactly("x"), OneOf(frozenset({"5", "x"})), Prefix("5")),
        *(Between(1, 5), Between(5, 9), Between(5, 9, low_included=False), Between(None, 4), Between(5, None)),
        Between(3, 8, dates=True),
    ]
)


@given(st.lists(labels, min_size=1, max_size=6), st.lists(labels, min_size=1, max_size=6))
def test_labels_meet_as_one_by_one(ours: list[Label], theirs: list[Label]) -> None:
    expected = [[overlap(a, b) for b in theirs] for a in ours]
    assert overlapping.meetings(ours, theirs).tolist() == expected


@given(st.data())
def test_groups_overlap_if_all_their_labels_do(data: st.DataObject) -> None:
    def view(groups: int) -> ReleaseView:
        regions = []
        for name in ("a", "b"):
            some = tuple(data.draw(st.lists(labels, min_size=1, max_size=3)))
            of = data.draw(st.lists(st.integers(0, len(some) - 1), min_size=groups, max_size=groups))
            regions.append(Region(name, some, np.array(of, dtype=np.int64)))
        return ReleaseView(GENERALIZED, ("a", "b"), np.ones(groups, dtype=np.int64), (), tuple(regions))

    one, two = view(data.draw(st.integers(1, 6))), view(data.draw(st.integers(1, 6)))
    found = overlapping.overlapping(one, two)
    assert found is not None
    expected = {
        (g, h)
        for g in range(len(one.sizes))
        for h in range(len(two.sizes))
        if all(
            overlap(a.labels[a.label[g]], b.labels[b.label[h]]) for a, b in zip(one.regions, two.regions, strict=True)
        )
    }
    assert {*zip(*(f.tolist() for f in found), strict=True)} == expected
    assert len(found[0]) == len(expected)


def test_large_groups_are_counted_out(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 1500
    one = release([(Anything(), ["flu"] * many + ["cold"] * many)])
    listed = people([*range(many), *range(many)])
    [found] = composition(one, one, listed)
    assert (found.worst, found.precision) == (pytest.approx(0.5, abs=1e-9), EXACT)
    monkeypatch.setattr(common_people, "MOST_WEIGHTS", 1000)
    [bounded] = composition(one, one, listed)
    assert (bounded.worst, bounded.precision) == (0.5, AT_MOST)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=2, max_size=4), st.data())
def test_both_ways_to_count_large_groups_agree(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    a, b = (np.array(column) for column in zip(*pairs, strict=True))
    m = data.draw(st.integers(2, max(int(np.minimum(a, b).sum()), 2)))
    if m > np.minimum(a, b).sum():
        return
    expected, exact = inner_kernels.most_expected(a, b, m)
    assert exact
    assert common_people.largest_expected(a, b, m) == (pytest.approx(expected, abs=1e-9), True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_people, "MOST_WEIGHTS", 0)
        assert common_people.largest_expected(a, b, m)[0] >= expected - 1e-9


def test_releases_that_write_values_in_another_way_tell_nothing_of_each_other() -> None:
    one = release([(Anything(), ["flu", "cold"])])
    assert composition(one, one)
    assert composition(one, release([(Anything(), ["gout", None])])) == []
