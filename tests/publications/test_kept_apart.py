"""Exact values: whose rows stand in which group, by the custodian's list or by what files and source tell.

Beside all worlds: every way to put the rows of a small table into groups that gives the same tables.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.open import published_tables
from discreet.models.ambiguity.alpha_beta import AlphaBeta
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.policy.kinds import PUBLICATIONS
from discreet.publications.source.kept_apart import found_apart, kept_apart
from discreet.publications.source.people import Standing, judged_by_people
from discreet.publications.source.table import read_source
from tests.releases.making import Columns, planned, release

Row = tuple[str | None, str, str, str]  # a person, two quasi-identifiers, a value
World = tuple[int, ...]  # the group of each row; −1: none
PLACES = (-1, 0, 1, 2)


def of_group(rows: Sequence[Row], world: World, g: int) -> list[Row]:
    return [row for row, at in zip(rows, world, strict=True) if at == g]


def told(rows: Sequence[Row], world: World, kind: str) -> list[Any]:
    """What is published of every group."""
    groups = [of_group(rows, world, g) for g in range(3)]
    if kind == "bucketization":
        return [(Counter(row[1:3] for row in own), Counter(row[3] for row in own)) for own in groups]
    return [({row[1] for row in own}, {row[2] for row in own}, Counter(row[3] for row in own)) for own in groups]


def people(rows: Sequence[Row]) -> list[str]:
    return [f"nobody {i}" if row[0] is None else row[0] for i, row in enumerate(rows)]


def keeps(rows: Sequence[Row], world: World, model: PrivacyModel) -> bool:
    """The promise by its definition: nobody twice in a group; chances add up over somebody's groups."""
    who, sums, presences = people(rows), Counter[tuple[str, str]](), Counter[str]()
    for g in set(world) - {-1}:
        own = of_group(rows, world, g)
        inside = [name for name, at in zip(who, world, strict=True) if at == g]
        if len({*inside}) < len(inside):
            return False
        values = Counter(row[3] for row in own)
        if isinstance(model, KAnonymity) and len(own) < model.k:
            return False
        if isinstance(model, DistinctDiversity) and len(values) < model.l:
            return False
        for name in inside:
            presences[name] += Fraction(len(own), len({row[1] for row in own}) * len({row[2] for row in own}))
            for value, count in values.items():
                sums[name, value] += Fraction(count, len(own))
    largest = max(sums.values(), default=Fraction(0))
    if isinstance(model, AlphaBeta):
        # α = 1 promises nothing about presence
        hidden = model.alpha == 1 or max(presences.values(), default=0) <= model.alpha
        return hidden and largest <= model.beta
    return not isinstance(model, FrequencyDiversity) or largest <= 1 / Fraction(model.l)


def words_of(rows: Sequence[Row], world: World) -> dict[str, Any]:
    """The list that the custodian keeps, told by its definition."""
    order = sorted(range(len(rows)), key=lambda i: (*rows[i][1:], rows[i][0] is None, rows[i][0] or "", world[i]))
    numbers = {g: n for n, g in enumerate(sorted({*world} - {-1}), start=1)} | {-1: 0}
    return {"standing": [numbers[world[i]] for i in order]}


class Released:
    """A release of some rows as its files tell it, and its source."""

    def __init__(self, rows: Sequence[Row], world: World, kind: str):
        who, q, r, s = (list(column) for column in zip(*rows, strict=True))
        source = {"q": q, "r": r, "s": s}
        tables = [[0], [1]] if kind == "ambiguity" else None
        made = planned(source, Columns(("q", "r"), ("s",)), world, tables=tables)
        with tempfile.TemporaryDirectory() as folder:
            manifest = release(made, Path(folder) / "release", seed=1)
            manifest["roles"] = {"who": "person", **manifest["roles"]}
            self.table = read_source({"who": who, **source}, manifest)
            files = published_tables(Path(folder) / "release")
            self.published = PUBLICATIONS[kind].read(files, manifest, None, self.table, None)
        self.groups = self.published.judged({})
        # As `release` draws the numbers of the groups.
        self.numbers = [0, *(np.random.default_rng(1).permutation(len({*world} - {-1})) + 1).tolist()]

    def kept(self, words: dict[str, Any]) -> Standing | None:
        standing = [self.numbers[n] for n in words["standing"]]
        return kept_apart({"standing": standing}, self.published, self.table, self.groups)

    def found(self) -> Standing | None:
        return found_apart(self.published, self.table, self.groups)


MODELS: dict[str, list[PrivacyModel]] = {
    "bucketization": [
        KAnonymity(2),
        DistinctDiversity(2, "s"),
        FrequencyDiversity("10/9", "s"),
        FrequencyDiversity("3/2", "s"),
        FrequencyDiversity(2, "s"),
    ],
    "ambiguity": [AlphaBeta(1, "9/10", "s"), AlphaBeta("2/3", "2/3", "s"), AlphaBeta(1, "1/2", "s")],
}


@st.composite
def tables(draw: st.DrawFn, most: int = 6) -> tuple[tuple[Row, ...], World]:
    names = st.sampled_from(["ann", "bob", "cid", "dan", None])
    row = st.tuples(names, st.sampled_from("abc"), st.sampled_from("kl"), st.sampled_from("xyz"))
    rows = tuple(draw(st.lists(row, min_size=2, max_size=most)))
    world = tuple(draw(st.lists(st.sampled_from(PLACES), min_size=len(rows), max_size=len(rows))))
    return rows, world


def several(rows: Sequence[Row]) -> bool:
    return max(Counter(people(rows)).values()) > 1


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=60, deadline=None)
@given(drawn=tables(), data=st.data())
def test_a_list_is_judged_as_the_world_that_it_tells(
    kind: str, drawn: tuple[tuple[Row, ...], World], data: st.DataObject
) -> None:
    rows, world = drawn
    if {*world} == {-1} or not several(rows):
        return
    made = Released(rows, world, kind)
    # The list that is true, and another, which may be of another world, or of none.
    other = tuple(data.draw(st.permutations(world)))
    for one in (world, other):
        if {*one} != {*world}:
            continue
        standing = made.kept(words_of(rows, one))
        assert (standing is not None) == (told(rows, one, kind) == told(rows, world, kind))
        if standing is None:
            continue
        for model in MODELS[kind]:
            found = judged_by_people([model], standing)
            assert (not found.mistakes, found.undecided) == (keeps(rows, one, model), ())


@pytest.mark.parametrize("kind", MODELS)
@settings(max_examples=60, deadline=None)
@given(drawn=tables(most=5))
def test_without_a_list_nothing_is_said_that_is_not_so_in_every_world(
    kind: str, drawn: tuple[tuple[Row, ...], World]
) -> None:
    rows, world = drawn
    if {*world} == {-1} or not several(rows):
        return
    standing = Released(rows, world, kind).found()
    assert standing is not None
    published = told(rows, world, kind)
    worlds = [one for one in product(PLACES, repeat=len(rows)) if told(rows, one, kind) == published]
    for model in MODELS[kind]:
        found = judged_by_people([model], standing)
        kept = {keeps(rows, one, model) for one in worlds}
        if found.mistakes:
            assert kept == {False}
        elif not found.undecided:
            assert kept == {True}


def test_who_is_alone_with_quasi_identifiers_is_found_without_a_list() -> None:
    """Ann's are hers alone; Bob and Cid have one row each, so it makes no difference whose is where."""
    rows: list[Row] = [("ann", "a", "k", "x"), ("bob", "b", "k", "y"), ("ann", "a", "k", "z"), ("cid", "b", "k", "x")]
    standing = Released(rows, (0, 0, 1, 1), "bucketization").found()
    assert standing is not None and standing.certain.all()
    assert not judged_by_people([FrequencyDiversity("4/3", "s")], standing).undecided
    twice = Released(rows, (0, 1, 0, 1), "bucketization").found()
    assert twice is not None
    assert judged_by_people([KAnonymity(2)], twice).mistakes  # two rows of Ann


def test_where_two_with_several_rows_share_quasi_identifiers_it_takes_the_list() -> None:
    """Each of Ann and Bob in both groups, or each twice in one: the files are the same."""
    rows: list[Row] = [(who, "a", "k", value) for who in ("ann", "bob") for value in "xy"]
    made = Released(rows, (0, 1, 1, 0), "bucketization")
    standing = made.found()
    assert standing is not None and not standing.certain.any()
    assert judged_by_people([KAnonymity(2)], standing).undecided
    apart, together = (made.kept(words_of(rows, world)) for world in ((0, 1, 1, 0), (0, 0, 1, 1)))
    assert apart is not None and not judged_by_people([KAnonymity(2)], apart).mistakes
    assert together is not None and judged_by_people([KAnonymity(2)], together).mistakes


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize(
    "standing", [None, [], "1", [0, 0, 0, 0], [1, 2, 3, 1], [1.0, 2, 1, 2], [True, 2, 1, 2], [-1, 1, 2, 1]]
)
def test_what_is_no_list_of_this_release_decides_nothing(kind: str, standing: Any) -> None:
    rows: list[Row] = [("ann", "a", "k", "x"), ("bob", "b", "l", "y"), ("ann", "a", "l", "z"), ("cid", "b", "k", "x")]
    made = Released(rows, (0, 0, 1, 1), kind)
    assert kept_apart({"standing": standing}, made.published, made.table, made.groups) is None
    assert kept_apart({}, made.published, made.table, made.groups) is None
