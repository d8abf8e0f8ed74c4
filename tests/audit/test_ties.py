"""Exactly at the limit is not above it: ties are decided in whole numbers, wherever a chance is compared."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

import discreet
from discreet.audit.audit import _presence
from discreet.audit.lines import ASSOCIATION, line
from discreet.audit.presence.listed_generalized import presence_among, presence_generalized
from discreet.audit.promises.levels import levels
from discreet.audit.reading.labels import Between
from discreet.audit.reading.view import Promise
from discreet.audit.worlds import exact_assignments
from tests.audit.lists import Case, cases
from tests.audit.releasing import write_table

SHARED = Case(
    (((Between(2, 4),), 1), ((Between(1, 3),), 1)),
    tuple((str(n),) for n in range(1, 6)),
)


def chances(case: Case) -> list[Fraction] | None:
    """Of everybody on the list, by going through all worlds: who stands behind which row."""
    rows = [fitting for fitting, many in case.fitting for _ in range(many)]
    worlds = [frozenset(world) for world in product(*rows) if len(set(world)) == len(world)]
    if not worlds:
        return None
    inside = [Fraction(sum(i in world for world in worlds), len(worlds)) for i in range(len(case.people))]
    rest, out = case.starred + case.left_out, [i for i in range(len(case.people)) if not inside[i]]
    assert rest == 0 or not out
    return inside


def at_presence(case: Case, low: Fraction, high: Fraction):
    promise = Promise("presence", {"delta": [str(low), str(high)]})
    view = case.view([promise])
    lines = presence_generalized(view, case.population)
    return lines, levels(view, presence=_presence(lines))


def test_the_outsiders_tie(tmp_path):
    """Rows 2-4 and 1-3, a list 1 … 5: 2 and 3 are in with 4/7, which is what is promised."""
    path = write_table(tmp_path / "theirs.csv", [{"age": "2-4"}, {"age": "1-3"}])
    about = {"quasi_identifiers": ["age"], "columns": {"age": "interval"}}
    for high, kept in (("4/7", True), ("3/7", False), ("0.57142857142857", False), ("0.57142857142858", True)):
        promises = [{"presence": {"delta": ["0", high]}}]
        audit = discreet.audit_release(
            path, description=about | {"promises": promises}, population={"age": ["1", "2", "3", "4", "5"]}
        )
        assert audit.kept is kept
        line = next(line for line in audit.lines if line.adversary == "presence_with_list")
        assert (line.above, line.breaks) == ((0, False) if kept else (2, True))


@settings(deadline=None)
@given(cases())
def test_promises_of_exactly_what_is_reached_are_kept(case):
    """δ as the smallest and the largest chance are; and broken if they are nearer to each other by next to nothing."""
    inside = chances(case)
    if inside is None:
        return
    low, high = min(inside), max(inside)
    lines, judged = at_presence(case, low, high)
    assert not any(line.breaks for line in lines)
    assert [level.holds for level in judged] == [True, True]
    assert next(line for line in lines if line.adversary == "presence_with_list").above == 0
    little = Fraction(1, 10**14)
    for bounds, holds in (((low, high - little), [True, False]), ((low + little, high), [False, True])):
        if 0 <= bounds[0] <= bounds[1] <= 1 and low != high:
            lines, judged = at_presence(case, *bounds)
            assert [level.holds for level in judged] == holds
            assert any(line.breaks for line in lines)


@settings(deadline=None)
@given(cases())
def test_exact_chances_are_the_shares_of_all_worlds(case):
    inside = chances(case)
    if inside is None:
        return
    said = presence_among(case.view(), case.population, sorted(set(inside)))
    listed = said.listed
    own = dict(zip(case.people, inside, strict=True))
    frequencies = case.population.frequencies
    columns = [np.array(v, dtype=object)[codes] for v, codes in zip(frequencies.values, frequencies.codes, strict=True)]
    for i, person in enumerate(zip(*columns, strict=True)):
        groups = tuple(listed.groups[listed.starts[i] : listed.starts[i + 1]].tolist())
        if groups:
            assert exact_assignments.exact_chances(listed, case.view().sizes, [groups])[groups] == own[person]


def test_people_left_out_who_may_be_anybody_are_heeded_in_whole_numbers():
    """Two more of three people who stand behind no row: 4/7 + 3/7 · 2/3."""
    case = replace(SHARED, left_out=2)
    assert [level.holds for level in at_presence(case, Fraction(0), Fraction(6, 7))[1]] == [True, True]
    below = Fraction(6, 7) - Fraction(1, 10**14)
    assert [level.holds for level in at_presence(case, Fraction(0), below)[1]] == [True, False]


@pytest.mark.parametrize("threshold", [4 / 7, 3 / 7])
def test_a_threshold_that_somebody_is_exactly_at(threshold):
    """As a floating-point number, which is not 4/7 but what 4/7 is written as."""
    [line, _] = presence_generalized(SHARED.view(), SHARED.population, threshold)
    assert line.above == (0 if threshold > 0.5 else 2)


def test_what_is_too_much_to_count_is_left_open(monkeypatch):
    monkeypatch.setattr(exact_assignments, "_MOST_STEPS", 0)
    lines, judged = at_presence(SHARED, Fraction(0), Fraction(4, 7))
    assert [level.holds for level in judged] == [True, None]
    assert "left open" in judged[1].note
    line = lines[0]
    assert line.precision == "at most" and not line.breaks
    monkeypatch.undo()
    assert [level.holds for level in at_presence(SHARED, Fraction(0), Fraction(4, 7))[1]] == [True, True]


@pytest.mark.parametrize("limit", [0.1, 0.2, 1 / 3, 0.3, 4 / 7])
def test_a_sum_that_is_the_limit_but_for_rounding_is_not_above_it(limit):
    off = np.array([limit, np.nextafter(limit, 1), limit * (1 + 5e-13), limit * (1 + 1e-6)])
    words = {"adversary": "a", "threat": ASSOCIATION, "title": "t", "knows": "", "assumes": ""}
    people, group = np.ones(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    figures = {"chance": off, "people": people, "group": group, "sizes": np.array([4])}
    made = line(**words, **figures, threshold=limit, promised=limit, rounded=1e-10)
    assert made.above == 1
