"""Subtracting one release from another: what remains is somebody's, and the audit says how sure that makes her."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, apply, audit_release, policy_from_words
from discreet.audit.association.subtraction import subtraction
from discreet.audit.kinds.registry import BUCKETIZED
from discreet.audit.lines import ESTIMATE, EXACT, Line
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.labels import Anything, Between, Exactly
from discreet.audit.reading.view import ReleaseView
from discreet.audit.worlds import overlaps
from discreet.studies import worlds
from tests.audit.two_releases import VALUES, people, release, tally

YOUNG, OLD = Between(20, 39), Between(40, 60)
some_values = st.lists(st.sampled_from(VALUES), max_size=4)


def beliefs(here: Sequence[Hashable], there: Sequence[Hashable]) -> list[Fraction]:
    """About everybody in a group of two releases, over all worlds in which as many as possible are in both."""
    both = sum((Counter(here) & Counter(there)).values())
    possible = [
        (one + two[both:], Fraction(1))  # those in both stand first
        for (one, _), (two, _) in product(worlds.enumerate(here, _even), worlds.enumerate(there, _even))
        if one[:both] == two[:both]
    ]
    return [
        max(worlds.belief(possible, lambda world, i=i, v=v: world[i] == v) for v in VALUES)  # type: ignore[misc]
        for i in range(len(possible[0][0]))
    ]


def _even(_: worlds.Values) -> Fraction:
    return Fraction(1)


@given(some_values, some_values, some_values, some_values)
def test_every_belief_is_that_of_all_worlds_in_which_people_stay(
    a: list[str | None], b: list[str | None], c: list[str | None], d: list[str | None]
) -> None:
    here = [(label, values) for label, values in ((YOUNG, a), (OLD, b)) if values]
    there = [(label, values) for label, values in ((OLD, d), (YOUNG, c)) if values]  # in another order
    if not {label for label, _ in here} & {label for label, _ in there}:
        return
    if not {v for _, values in here for v in values} & {v for _, values in there for v in values}:
        return
    [found], why = subtraction(release(here), release(there))
    expected = [belief for one, two in ((a, c), (b, d)) if one or two for belief in beliefs(one, two)]
    assert why == ""
    assert found.precision == EXACT
    assert found.worst == pytest.approx(float(max(expected)), abs=1e-12)
    assert found.people == len(expected)
    assert found.above == sum(belief > Fraction(1, 2) for belief in expected)
    certain = sum(found.details[f"certain_{part}"] for part in ("only_here", "only_there", "in_both"))
    assert certain == sum(belief == 1 for belief in expected)


def only(lines: tuple[list[Line], str]) -> Line:
    [found], why = lines
    assert why == ""
    return found


def test_one_newcomer_is_told_where_no_other_adversary_sees_her() -> None:
    month = [(YOUNG, ["flu", "flu", "cold", "cold"]), (OLD, ["flu", "gout"])]
    next_month = [(YOUNG, ["flu", "flu", "cold", "cold", "gout"]), (OLD, ["flu", "gout"])]
    found = only(subtraction(release(next_month), release(month)))
    assert (found.worst, found.above, found.details["certain_only_here"]) == (1.0, 1, 1)
    assert found.deciding is not None and found.deciding.group == 0
    # From the other side, the same person is one who left, or came later.
    again = only(subtraction(release(month), release(next_month)))
    assert (again.worst, again.details["certain_only_there"], again.details["certain_only_here"]) == (1.0, 1, 0)
    # Nobody came: she knows what she knew.
    assert only(subtraction(release(month), release(month))).worst == 0.5


def test_groups_that_meet_others_are_not_compared() -> None:
    here = release([(YOUNG, ["flu", "cold"]), (OLD, ["flu", "gout"]), (Exactly("70"), ["gout"])])
    there = release([(YOUNG, ["flu", "cold"]), (Between(50, 60), ["flu"])])
    found = only(subtraction(here, there))
    # 40-60 meets 50-60; nobody there can be 70.
    assert (found.precision, found.details["people_in_groups_that_can_not_be_compared"]) == (EXACT, 3)
    assert (found.people, found.details["certain_only_here"]) == (3, 1)
    overlapping = release([(YOUNG, ["flu", "cold"]), (Between(30, 60), ["flu", "cold"])])
    assert only(subtraction(overlapping, overlapping)).precision == ESTIMATE


def test_whoever_can_not_be_asked_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    view = release([(YOUNG, ["flu", "cold"])])
    table = Table(("age",), people([25, 45]).frequencies, np.array([0, 0]))
    apart = ReleaseView(BUCKETIZED, ("age",), np.array([2]), (tally([["flu", "cold"]]),), tables=(table,))
    assert subtraction(view, apart)[1].startswith("exact values stand in tables apart")
    assert subtraction(view, release([(Anything(), ["flu"])])) == ([], "no group has the same labels in both")
    assert "no sensitive attribute with values in common" in subtraction(view, release([(YOUNG, ["gout"])]))[1]
    monkeypatch.setattr(overlaps, "MOST_PAIRS", 0)
    assert subtraction(view, view)[1].startswith("too many groups")


def write(path: Path, rows: Sequence[str]) -> Path:
    path.write_text("age,s1,s2\n" + "\n".join(rows) + "\n")
    return path


def test_values_of_several_columns_are_subtracted_row_by_row(tmp_path: Path) -> None:
    """Of each column by itself, nothing remains but what could be anybody's; the rows are another matter."""
    first = write(tmp_path / "1.csv", ["20-39,flu,x", "20-39,hiv,y", "20-39,gout,x", "20-39,gout,y"])
    second = write(tmp_path / "2.csv", ["20-39,flu,y", "20-39,hiv,x", "20-39,gout,x", "20-39,gout,y"])
    words = {"quasi_identifiers": ["age"], "sensitive": ["s1", "s2"]}
    found = audit_release(first, description=words, other=second, other_description=words)
    subtracted = {line.attribute: line for line in found.lines if line.adversary == "subtraction"}
    assert [subtracted[name].details["people_only_here"] for name in ("s1", "s2")] == [2, 2]
    assert subtracted["s1"].details["certain_in_both"] == 2  # both have gout
    assert subtracted["s2"].details["certain_in_both"] == 0


def month(seed: int, many: int) -> list[tuple[str, str]]:
    chance = random.Random(seed)
    return [(str(chance.randrange(20, 60)), chance.choice(["flu", "cold", "HIV", "gout"])) for _ in range(many)]


def test_two_releases_of_ours_by_one_mapping(tmp_path: Path) -> None:
    words = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2}}],
    }
    rows = month(1, 200)
    tables = {
        name: dict(zip(("age", "disease"), map(list, zip(*some, strict=True)), strict=True))
        for name, some in (("1", rows), ("2", [*rows, ("33", "Kuru")]))
    }
    anonymize(policy_from_words(words), tmp_path / "1", source=tables["1"])
    apply(tmp_path / "1", tables["2"], tmp_path / "2", all_new=True)
    [found] = [x for x in audit_release(tmp_path / "2", other=tmp_path / "1").lines if x.adversary == "subtraction"]
    assert (found.worst, found.details["certain_only_here"], found.precision) == (1.0, 1, EXACT)
    assert "says that nobody of the earlier one is in it" in found.assumes
    assert any("subtracts it: give that one (other)" in note for note in audit_release(tmp_path / "2").notes)
