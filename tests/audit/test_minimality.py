"""Knowing how a release was made: posteriors are shares of the worlds for which the search gives this very release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import comb, log
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.audit.association import minimality as module
from discreet.audit.association.minimality import goal, minimality
from discreet.audit.association.refused_splits import DISTINCT, SHARE
from discreet.audit.association.refused_splits_by_value_kernels import weigh_by_value
from discreet.audit.association.refused_splits_kernels import weigh
from discreet.audit.kinds.registry import GENERALIZED
from discreet.audit.lines import ESTIMATE, EXACT, Line
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.hierarchy_levels import at_level
from discreet.audit.reading.labels import Anything, Label, OneOf
from discreet.audit.reading.view import Promise, Region, ReleaseView, Tally
from discreet.engines.base import Frequencies
from discreet.studies import worlds

VALUES = ("flu", "cold", "gout")
# Levels of both quasi-identifiers: the value, low or high, anything.
PATHS = [[str(v), "low" if v < 2 else "high"] for v in range(4)]
Row = tuple[int, int, str]
World = tuple[str, ...]
Kept = Callable[[Sequence[str], Sequence[str]], bool]  # of a group's values, and of the whole table's


def distinct(group: Sequence[str], table: Sequence[str]) -> bool:
    return len({*group}) >= 2


def entropy(group: Sequence[str], table: Sequence[str]) -> bool:
    return sum(-n / len(group) * log(n / len(group)) for n in Counter(group).values()) >= log(1.8)


def recursive(group: Sequence[str], table: Sequence[str]) -> bool:
    first, *rest = sorted(Counter(group).values(), reverse=True)
    return first < 3 * sum(rest)


def frequency(group: Sequence[str], table: Sequence[str]) -> bool:
    return 2 * max(Counter(group).values()) <= len(group)


def near(group: Sequence[str], table: Sequence[str]) -> bool:
    mine, all_of_it = Counter(group), Counter(table)
    apart = sum(abs(Fraction(mine[v], len(group)) - Fraction(all_of_it[v], len(table))) for v in VALUES)
    return apart / 2 <= Fraction(2, 5)


PROMISES: Mapping[Kept, Promise] = {
    distinct: Promise("l_diversity", {"l": 2}, "disease"),
    entropy: Promise("l_diversity", {"l": 1.8, "kind": "entropy"}, "disease"),
    recursive: Promise("l_diversity", {"l": 2, "kind": "recursive", "c": 3}, "disease"),
    frequency: Promise("l_diversity", {"l": 2, "kind": "frequency"}, "disease"),
    near: Promise("t_closeness", {"t": 0.4}, "disease"),
}


def seen_at(level: int, code: int) -> Hashable:
    return (code, code // 2, 0)[level]


def label(level: int, name: Hashable) -> Label:
    members = [v for v in range(4) if seen_at(level, v) == name]
    return Anything() if level == 2 else OneOf(frozenset(map(str, members)))


def groups_at(rows: Sequence[Row], node: tuple[int, int]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for i, (a, b, _) in enumerate(rows):
        found[seen_at(node[0], a), seen_at(node[1], b)].append(i)
    return found


def failing(rows: Sequence[Row], world: World, node: tuple[int, int], kept: Kept, k: int = 2) -> int:
    """How many people are in groups that break a promise."""
    groups = groups_at(rows, node).values()
    return sum(len(g) for g in groups if len(g) < k or not kept([world[i] for i in g], world))


def published(rows: Sequence[Row], node: tuple[int, int], kept: Kept, limit: int = 0, **more: Any) -> ReleaseView:
    groups = groups_at(rows, node)
    tally = sorted((g, VALUES.index(v), n) for g, of in enumerate(groups.values())
                   for v, n in Counter(rows[i][2] for i in of).items())  # fmt: skip
    group, value, count = np.array(tally, dtype=np.int64).T
    names = [[key[d] for key in groups] for d in range(2)]  # type: ignore[index]
    regions = []
    for d, column in enumerate("ab"):
        known = list(dict.fromkeys(names[d]))
        labels = tuple(label(node[d], name) for name in known)
        regions.append(Region(column, labels, np.array([known.index(n) for n in names[d]], dtype=np.int64)))
    manifest: dict[str, Any] = {
        "publish": "generalization",
        "facts": {"optimal": True},
        "node": {"a": node[0], "b": node[1]},
        "hierarchies": {"a": {"taxonomy": PATHS}, "b": {"taxonomy": PATHS}},
        "rows": {"limit": limit},
    }
    return ReleaseView(
        GENERALIZED,
        ("a", "b"),
        np.array([len(g) for g in groups.values()], dtype=np.int64),
        (Tally("disease", VALUES, group, value, count),),
        tuple(regions),
        promises=(Promise("k_anonymity", {"k": 2}), PROMISES[kept]),
        manifest=manifest | more,
    )


def people(rows: Sequence[Row]) -> Population:
    counted = Counter((a, b) for a, b, _ in rows)
    codes = np.array(list(counted), dtype=np.int32).T
    names = tuple(str(v) for v in range(4))
    counts = np.array([*counted.values()], dtype=np.int64)
    return Population(("a", "b"), Frequencies((names, names), (codes[0], codes[1]), counts))


def possible(rows: Sequence[Row], node: tuple[int, int]) -> Iterator[World]:
    """All that the table may be, as far as the release tells."""
    groups = list(groups_at(rows, node).values())
    dealt = [[w for w, _ in worlds.enumerate([rows[i][2] for i in g], lambda _: Fraction(1))] for g in groups]
    for chosen in product(*dealt):
        world = [""] * len(rows)
        for g, values in zip(groups, chosen, strict=True):
            for i, value in zip(g, values, strict=True):
                world[i] = str(value)
        yield tuple(world)


def beliefs(left: Sequence[World], rows: Sequence[Row]) -> list[Fraction]:
    """The largest belief about each person, if one of these worlds is true and all are equally likely."""
    counts = [Counter(world[i] for world in left) for i in range(len(rows))]
    return [Fraction(max(c.values()), len(left)) for c in counts]


def check(found: Line, expected: Sequence[Fraction]) -> None:
    assert found.worst == pytest.approx(float(max(expected)), abs=1e-9)
    assert found.above == sum(b > Fraction(1, 2) for b in expected)
    assert found.people == len(expected)
    if found.details["finer_releases_refused_for_their_values"] == 1:  # of several, one is taken into account at a time
        assert found.precision == EXACT


place = st.tuples(st.integers(0, 3), st.integers(0, 3))
some = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(VALUES)), max_size=4)


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """Few people; one at least has each of the values, so that something can be published of most tables."""
    return [*draw(some), *((*draw(place), value) for value in VALUES)]


promises = st.sampled_from([*PROMISES])


@given(tables(), promises)
def test_of_one_attribute_the_search_itself_is_run_in_every_world(rows: list[Row], kept: Kept) -> None:
    """Levels of a from fine to coarse, b hidden: the first one that keeps everything is published."""
    rows = [(a, 0, v) for a, _, v in rows]

    def search(world: World) -> int | None:
        return next((n for n in range(3) if not failing(rows, world, (n, 2), kept)), None)

    level = search(tuple(v for _, _, v in rows))
    assume(level is not None)
    node = (level or 0, 2)
    found = minimality(_one_attribute(published(rows, node, kept)), people(rows))
    everything = [*possible(rows, node)]
    left = [world for world in everything if search(world) == level]
    if not found:  # nothing finer was refused for its values
        assert len(left) == len(everything)
        return
    check(found[0], [max(b) for b in zip(beliefs(left, rows), beliefs(everything, rows), strict=True)])


def _one_attribute(view: ReleaseView) -> ReleaseView:
    """b is hidden, and there is nothing finer to think of."""
    view.manifest["node"].pop("b")
    return view


@given(tables(), promises, st.integers(0, 2), st.data())
def test_each_finer_step_is_weighed_by_the_worlds_that_refuse_it(
    rows: list[Row], kept: Kept, limit: int, data: st.DataObject
) -> None:
    truth = tuple(v for _, _, v in rows)
    keeping = [(a, b) for a in range(3) for b in range(3) if not failing(rows, truth, (a, b), kept)]
    assume(keeping)
    node = data.draw(st.sampled_from(keeping))
    everything = [*possible(rows, node)]
    expected = [beliefs(everything, rows)]
    for finer in ((node[0] - 1, node[1]), (node[0], node[1] - 1)):
        if min(finer) >= 0 and sum(len(g) for g in groups_at(rows, finer).values() if len(g) < 2) <= limit:
            left = [world for world in everything if failing(rows, world, finer, kept) > limit]
            expected.append(beliefs(left, rows) if left else expected[0])
    found = minimality(published(rows, node, kept, limit), people(rows))
    assert bool(found) == (len(expected) > 1)
    if found:
        check(found[0], [max(b) for b in zip(*expected, strict=True)])


def test_of_several_refused_steps_each_is_weighed_by_itself_and_the_figure_is_called_an_estimate() -> None:
    rows: list[Row] = [(0, 0, "flu"), (0, 2, "flu"), (2, 0, "flu"), (2, 2, "cold")]
    [found] = minimality(published(rows, (2, 2), distinct), people(rows))
    assert found.details["finer_releases_refused_for_their_values"] == 2
    assert found.precision == ESTIMATE


@pytest.mark.parametrize(("levels", "steps"), [({"a": 2, "b": [1, 2]}, 1), ({"a": [1, 2]}, 2), ({"a": 2, "b": 2}, 0)])
def test_below_the_levels_that_the_policy_allows_nothing_was_refused(levels: dict[str, object], steps: int) -> None:
    rows: list[Row] = [(0, 0, "flu"), (0, 2, "flu"), (2, 0, "flu"), (2, 2, "cold")]
    view = published(rows, (2, 2), distinct, policy={"attributes": {name: {"levels": n} for name, n in levels.items()}})
    found = minimality(view, people(rows))
    assert [line.details["finer_releases_refused_for_their_values"] for line in found] == [steps] * (steps > 0)


@given(tables(), promises)
def test_every_group_of_mondrian_is_asked_why_it_was_not_cut(rows: list[Row], kept: Kept) -> None:
    truth = tuple(v for _, _, v in rows)
    node = (1, 2) if not failing(rows, truth, (1, 2), kept) else (2, 2)
    assume(not failing(rows, truth, node, kept))
    everything = [*possible(rows, node)]
    plain = beliefs(everything, rows)
    expected = [list(plain)]
    for d in range(2):
        told = list(plain)
        for group in groups_at(rows, node).values():
            halves = _cut(group, [rows[i][d] for i in group])
            if halves is None or min(map(len, halves)) < 2:
                continue
            left = [w for w in everything if not all(kept([w[i] for i in half], w) for half in halves)]
            if left:
                believed = beliefs(left, rows)
                for i in group:
                    told[i] = believed[i]
        expected.append(told)
    rules = {column: {"intervals": [2]} for column in "ab"}
    view = published(rows, node, kept, publish="multidimensional", search="mondrian", hierarchies=rules)
    [found] = minimality(view, people(rows))
    check(found, [max(b) for b in zip(*expected, strict=True)])


def _cut(group: Sequence[int], values: Sequence[int]) -> tuple[list[int], list[int]] | None:
    cuts = sorted({*values})[:-1]
    if not cuts:
        return None
    best = min(cuts, key=lambda c: (abs(2 * sum(v <= c for v in values) - len(values)), c))
    sides = [[i for i, v in zip(group, values, strict=True) if (v <= best) == low] for low in (True, False)]
    return sides[0], sides[1]


def test_the_paper_s_example_gives_somebody_away() -> None:
    """Two people with a = 0 both have flu: apart they would not be diverse, so they were put together with the rest."""
    rows = [(0, 0, "flu"), (0, 0, "flu"), (1, 0, "cold"), (1, 0, "gout")]
    [found] = minimality(_one_attribute(published(rows, (1, 2), distinct)), people(rows))
    # Of the 12 worlds, two have both flus at a = 0 and two at a = 1; in all others both pairs would have been diverse.
    assert found.worst == 0.5
    rows = [(0, 0, "flu"), (0, 0, "flu"), (1, 0, "flu"), (1, 0, "cold"), (1, 0, "gout")]
    [found] = minimality(_one_attribute(published(rows, (1, 2), distinct)), people(rows))
    assert found.worst == pytest.approx(0.75)  # both at a = 0 (3 of 10 worlds), or all three at a = 1 (1 of 10)
    assert found.above == found.people  # without knowing it, flu is 3 of 5 for all of them
    assert found.details["people_of_whom_it_tells_more"] == 2
    assert found.details["worst_without_knowing_it"] == pytest.approx(0.6)


def test_other_lists_promises_and_searches_say_nothing() -> None:
    rows = [(0, 0, "flu"), (0, 0, "flu"), (1, 0, "cold"), (1, 0, "gout")]
    view = published(rows, (1, 2), distinct)
    assert minimality(view, people(rows))
    assert minimality(view, people([*rows, (0, 0, "flu")])) == []
    assert minimality(published(rows, (1, 2), distinct, facts={}), people(rows)) == []
    searched = {"facts": {"optimal": True}, "search": "optimal"}
    for told in ({}, {"policy": {"time_limit": 5}}, {"applied": {"rows": 3}}, {"search": "instant"}):
        view = published(rows, (1, 2), distinct, **searched | told)
        said = {word: given for word, given in view.manifest.items() if word != "facts"}
        assert bool(minimality(replace(view, manifest=said), people(rows))) == (not told)
    # Mondrian cuts at the median of numbers; a taxonomy is cut in another way.
    mondrian = {"publish": "multidimensional", "search": "mondrian"}
    assert minimality(published(rows, (1, 2), distinct, **mondrian), people(rows)) == []
    assert minimality(published(rows, (2, 2), distinct, hierarchies={}), people(rows)) == []
    other = ReleaseView(view.publish, view.quasi_identifiers, view.sizes, view.tallies, view.regions,
                 promises=(Promise("realistic", {"class": "II"}),), manifest=view.manifest)  # fmt: skip
    assert goal(other) is None
    assert minimality(other, people(rows)) == []


def test_groups_that_are_too_large_are_judged_by_random_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0, 0, "flu"), (0, 0, "flu"), (1, 0, "flu"), (1, 0, "cold"), (1, 0, "gout")]
    monkeypatch.setattr(module, "MOST_TABLES", 1)
    monkeypatch.setattr(module, "MOST_STEPS", 1)
    [found] = minimality(_one_attribute(published(rows, (1, 2), distinct)), people(rows))
    assert found.precision == ESTIMATE
    assert found.details["groups_judged_by_random_worlds"] == 1
    assert found.worst == pytest.approx(0.75, abs=0.05)


@st.composite
def splits(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    """How often a group has each value, the sizes of its parts that are judged, and how many people are in none."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    cuts = sorted(draw(st.lists(st.integers(0, sum(counts)), min_size=1, max_size=3)))
    parts = [high - low for low, high in pairwise([0, *cuts]) if high > low]
    return counts, parts, sum(counts) - cuts[-1]


@given(
    splits().filter(lambda split: bool(split[1])),
    st.lists(st.sampled_from([1.0, 2.0, 2.5, 3.0]), max_size=2),
    st.lists(st.sampled_from([0.2, 0.4, 0.5, 0.75, 1.0]), max_size=2),
)
def test_value_by_value_the_same_worlds_are_counted_as_table_by_table(
    split: tuple[list[int], list[int], int], distinct_values: list[float], shares: list[float]
) -> None:
    counts, parts, free = np.array(split[0]), np.array(split[1]), split[2]
    kinds = np.array([DISTINCT] * len(distinct_values) + [SHARE] * len(shares), dtype=np.int64)
    limits = np.array([*distinct_values, *shares])
    demands = module.Demands(kinds, limits, np.zeros(len(kinds)), counts / counts.sum(), 0.0)
    sets, columns = 2 ** len(parts), len(parts) + (free > 0)
    chance, held = np.zeros(sets), np.zeros((sets, columns, len(counts)))
    assert weigh(counts, parts, free, demands, 1 << 20, chance, held)
    by_value, held_by_value = np.full(sets, np.nan), np.full(held.shape, np.nan)
    falling = np.argsort(-counts)
    assert weigh_by_value(counts, falling, parts, free, demands, 1 << 20, by_value, held_by_value)
    assert by_value == pytest.approx(chance, abs=1e-12)
    assert held_by_value == pytest.approx(held, abs=1e-12)
    if by_value[1:].any():  # there is something to count
        assert not weigh_by_value(counts, falling, parts, free, demands, 1, by_value, held_by_value)


def test_large_groups_are_counted_value_by_value_in_all_their_worlds() -> None:
    """3,000 people have 500 values, six each. Of the six people of the first part, how likely have all one or two?"""
    counts, parts = np.full(500, 6), np.array([6, 2994])
    demands = module.Demands(np.array([DISTINCT]), np.array([3.0]), np.zeros(1), counts / 3000, 0.0)
    chance, held = np.zeros(4), np.zeros((4, 2, 500))
    assert weigh_by_value(counts, np.arange(500), parts, 0, demands, 1 << 20, chance, held)
    # Six of a single value are counted with each of the 499 others.
    one_or_two = 500 * 499 // 2 * comb(12, 6) - 500 * 498
    assert chance[1] == pytest.approx(one_or_two / comb(3000, 6), rel=1e-12)
    assert chance[2] == chance[3] == 0
    assert held[1].sum(axis=1) == pytest.approx(chance[1] * parts)
    assert held.sum(axis=0) == pytest.approx(np.outer(parts, counts) / 3000)


@pytest.mark.parametrize(
    ("words", "level", "same", "other"),
    [
        ({"intervals": [5, 10], "origin": 0}, 1, ("35", "39"), "40"),
        ({"intervals": [5, 10], "top": 90}, 1, ("91", "107"), "89"),
        ({"intervals": [5, 10], "bottom": 10}, 1, ("1", "9"), "11"),
        ({"cuts": [[18, 40, 65], [40]]}, 1, ("18", "39"), "40"),
        ({"prefixes": [4, 3]}, 2, ("47106", "47199"), "47206"),
        ({"dates": ["month", "quarter", "year"]}, 2, ("2024-01-31", "2024-03-01"), "2024-04-01"),
        ({"dates": ["day", "decade"]}, 2, ("2020-01-31", "2029-03-01"), "2030-04-01"),
        ({"taxonomy": [["a", "x"], ["b", "x"], ["c", "y"]]}, 1, ("a", "b"), "c"),
        ({"flat": True}, 0, ("a", "a"), "b"),
        ({"intervals": [5]}, 1, ("31", "34"), None),
    ],
)
def test_a_level_is_read_from_its_rule(
    words: dict[str, Any], level: int, same: tuple[str, str], other: str | None
) -> None:
    found = at_level(words, level, [*same, other])
    assert found is not None
    assert found.tolist() == [0, 0, 1]


def test_a_rule_that_can_t_be_followed_is_left_alone() -> None:
    assert at_level({"quantiles": 8}, 1, ["1", "2"]) is None
    assert at_level({"intervals": [5]}, 1, ["1", "x"]) is None
    assert at_level({"taxonomy": [["a", "x"]]}, 1, ["a", "b"]) is None
    everything = at_level({"flat": True}, 1, ["1", "2"])
    assert everything is not None
    assert everything.tolist() == [0, 0]


@pytest.mark.parametrize(("at_hand", "sets"), [(1, 64), (20, 1), (1 << 15, 2)])
def test_worlds_are_those_of_numpys_shuffle_however_few_numbers_are_drawn_at_once(
    at_hand: int, sets: int, monkeypatch
) -> None:
    monkeypatch.setattr(module, "_AT_HAND", at_hand)
    monkeypatch.setattr(module, "_SETS", sets)
    counts, sizes, worlds = np.array([3, 1, 4]), np.array([2, 5, 1]), module.SAMPLES
    known = object.__new__(module._Known)
    known.random, known.bits = np.random.PCG64(1), np.empty(0, dtype="<u4")
    half = module.Demands(np.array([SHARE]), np.array([0.5]), np.array([0.0]), counts / 8, 0.0)
    found = known._sampled(counts, np.array([0, 1]), np.array([2]), sizes, half)
    deal = np.random.default_rng(1).permuted(np.tile(np.repeat([0, 1, 2], counts), (worlds, 1)), axis=1)
    chance, held = np.zeros(4), np.zeros((4, 3, 3))
    for values in deal:
        parts = np.array([np.bincount(own, minlength=3) for own in np.split(values, np.cumsum(sizes)[:-1])])
        fails = 2 * parts.max(axis=1) > sizes
        broken = int(fails[0]) + 2 * int(fails[1])
        chance[broken] += 1 / worlds
        held[broken] += parts / worlds
    occurring = np.flatnonzero(chance)
    assert found.broken.tolist() == [2 * (s & 1) + 5 * (s >> 1) for s in occurring]
    assert found.chance == pytest.approx(chance[occurring])
    assert found.held == pytest.approx(held[occurring])
