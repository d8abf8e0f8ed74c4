"""Whoever holds two releases by one mapping subtracts them: who came, left or stayed is as safe as any group."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Infeasible, anonymize, apply, policy_from_words, verify
from discreet.engines.base import Frequencies
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, FrequencyDiversity
from discreet.publications.recoded_tables import Recoded, group_recoded
from discreet.run.subtraction import hold_back, side_by_side
from discreet.studies import worlds
from tests.releases.reading import manifest_of, read_table

DISEASES = ("flu", "cold", "HIV", "gout")
Row = tuple[str, str]  # what a group publishes, and a disease


def published(rows: Sequence[Row]) -> Recoded:
    counted = Counter(rows)
    columns = [*zip(*counted, strict=True)] if counted else [(), ()]
    values = tuple(tuple(dict.fromkeys(column)) for column in columns)
    codes = tuple(
        np.array([v.index(x) for x in column], dtype=np.int32) for v, column in zip(values, columns, strict=True)
    )
    frequencies = Frequencies(values, codes, np.array([*counted.values()], dtype=np.int64))
    return group_recoded(frequencies, 1, ["disease"], star=False)


def publishable(
    earlier: Sequence[Row], later: Sequence[Row], *models: PrivacyModel, all_new: bool = False
) -> list[Row]:
    """The rows of the later table that are not held back."""
    tables = side_by_side(published(earlier), published(later))
    held = hold_back(tables, models, {}, all_new=all_new)
    assert not held.broken.any()
    (labels, diseases), (label, disease) = tables.rows.values, tables.rows.codes
    rows = [(str(labels[a]), str(diseases[b])) for a, b in zip(label, disease, strict=True)]
    return [row for row, many in zip(rows, held.published.tolist(), strict=True) for _ in range(many)]


def values_of(rows: Sequence[Row], label: str) -> list[str]:
    return [disease for group, disease in rows if group == label]


def beliefs(earlier: Sequence[Hashable], later: Sequence[Hashable]) -> list[Fraction]:
    """The largest belief about everybody in a group, over all worlds in which as many as possible stayed."""
    stayed = sum((Counter(earlier) & Counter(later)).values())
    worlds_of_two = [
        (before + after[stayed:], Fraction(1))  # those who stayed stand first in both
        for (before, _), (after, _) in product(worlds.enumerate(earlier, _even), worlds.enumerate(later, _even))
        if before[:stayed] == after[:stayed]
    ]
    return [
        max(worlds.belief(worlds_of_two, lambda w, i=i, v=v: w[i] == v) for v in {*earlier, *later})  # type: ignore[misc]
        for i in range(len(worlds_of_two[0][0]))
    ]


def _even(_: worlds.Values) -> Fraction:
    return Fraction(1)


def two_diverse(rows: Sequence[Row]) -> bool:
    return all(2 * max(Counter(values_of(rows, label)).values()) <= len(values_of(rows, label)) for label, _ in rows)


some_rows = st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(DISEASES)), max_size=5)


@given(some_rows, some_rows, some_rows)
def test_in_all_worlds_where_people_stayed_nobody_is_believed_more_of_than_promised(
    left: list[Row], stayed: list[Row], came: list[Row]
) -> None:
    model = FrequencyDiversity(2, "disease")
    earlier = [row for row in left + stayed if two_diverse([r for r in left + stayed if r[0] == row[0]])]
    later = publishable(earlier, stayed + came, model)
    assert not Counter(later) - Counter(stayed + came)
    for label in "AB":
        before, after = values_of(earlier, label), values_of(later, label)
        if before or after:
            assert max(beliefs(before, after)) <= Fraction(1, 2)


@given(some_rows, some_rows)
def test_what_is_held_back_is_all_who_came_to_a_group_or_all_of_it(earlier: list[Row], later: list[Row]) -> None:
    earlier = [row for row in earlier if two_diverse([r for r in earlier if r[0] == row[0]])]
    kept = publishable(earlier, later, FrequencyDiversity(2, "disease"))
    for label in "AB":
        before, after = Counter(values_of(earlier, label)), Counter(values_of(later, label))
        assert Counter(values_of(kept, label)) in (after, after & before, Counter())


def test_every_part_counts() -> None:
    two = KAnonymity(k=2), DistinctDiversity(2, "disease")
    group = [("A", "flu"), ("A", "flu"), ("A", "cold"), ("A", "cold")]
    # One came: she is held back. Two came with one disease: both are. Two with two diseases are published.
    assert publishable(group, [*group, ("A", "HIV")], *two) == publishable(group, group, *two)
    assert len(publishable(group, [*group, ("A", "HIV"), ("A", "HIV")], *two)) == 4
    assert len(publishable(group, [*group, ("A", "HIV"), ("A", "gout")], *two)) == 6
    # One left: the group as it is now would show who, so nothing of it is published. Two different ones may leave.
    assert publishable(group, group[1:], *two) == []
    assert len(publishable(group, group[1:3], *two)) == 2
    # Who came and left are both diverse, but everybody who stayed has flu.
    old = [("A", "flu"), ("A", "flu"), ("A", "cold"), ("A", "gout")]
    new = [("A", "flu"), ("A", "flu"), ("A", "HIV"), ("A", "asthma")]
    assert publishable(old, new, *two) == []
    assert len(publishable(old, new, *two, all_new=True)) == 4


def test_wholly_new_groups_and_groups_that_vanish_are_judged_as_they_are() -> None:
    model = DistinctDiversity(2, "disease")
    old = [("A", "flu"), ("A", "cold")]
    assert len(publishable(old, [("B", "flu"), ("B", "gout")], model)) == 2
    assert publishable(old, [("B", "flu"), ("B", "flu")], model) == []


def people(seed: int, many: int) -> list[tuple[str, str, str]]:
    chance = random.Random(seed)
    zips = ("4790", "4791", "4801", "5101")
    return [(str(chance.randrange(20, 60)), chance.choice(zips), chance.choice(DISEASES)) for _ in range(many)]


def columns(rows: Sequence[tuple[str, str, str]]) -> dict[str, list[Any]]:
    return dict(zip(("age", "zip", "disease"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.fixture(scope="module", params=["generalization", "multidimensional"])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [3, 1]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2}}],
        "suppress": 0.05,
        "publish": request.param,
    }
    folder = tmp_path_factory.mktemp("months") / "old"
    anonymize(policy_from_words(words), folder, source=columns(people(5, 800)))
    return folder


def differences(old: Path, new: Path) -> tuple[Counter[Any], Counter[Any]]:
    before, after = (Counter(read_table(folder)[1]) for folder in (old, new))
    return after - before, before - after


def test_one_newcomer_among_800_is_held_back(release: Path, tmp_path: Path) -> None:
    made = apply(release, columns(people(5, 800) + people(6, 1)), tmp_path / "new")
    assert made.manifest["rows"]["suppressed"] == manifest_of(release)["rows"]["suppressed"] + 1
    assert differences(release, tmp_path / "new") == (Counter(), Counter())
    assert "1 new row held back for rows that came, left or stayed" in made.figures["notes"]
    assert verify(tmp_path / "new").kept


def test_twenty_of_800_replaced_are_no_release(release: Path, tmp_path: Path) -> None:
    with pytest.raises(Infeasible, match="rows that came, left or stayed, once somebody subtracts") as caught:
        apply(release, columns(people(5, 800)[20:] + people(7, 20)), tmp_path / "new")
    assert caught.value.exit_code == 1
    assert "wait for more rows" in str(caught.value) and "--all-new" in str(caught.value)
    assert not (tmp_path / "new").exists()


def test_enough_newcomers_are_published_and_each_difference_keeps_the_promises(release: Path, tmp_path: Path) -> None:
    made = apply(release, columns(people(5, 800) + people(8, 1600)), tmp_path / "new")
    assert made.manifest["rows"]["published"] > 2200
    for difference in differences(release, tmp_path / "new"):
        groups = defaultdict(list)
        for row, many in difference.items():
            groups[row[:2]] += [row[2]] * many
        assert all(len(diseases) >= 5 and len({*diseases}) >= 2 for diseases in groups.values())


def test_that_everybody_is_new_is_said_and_told(release: Path, tmp_path: Path) -> None:
    new = columns(people(5, 800)[20:] + people(7, 20))
    made = apply(release, new, tmp_path / "new", all_new=True)
    assert made.manifest["applied"]["all_new"] is True
    assert verify(tmp_path / "new").kept
    assert "is what its publisher said, and was not judged" in (tmp_path / "new" / "report.html").read_text()
    judged = apply(release, columns(people(5, 800)), tmp_path / "same")
    assert judged.manifest["applied"]["all_new"] is False
    assert "for those that came, left and stayed" in (tmp_path / "same" / "report.html").read_text()
