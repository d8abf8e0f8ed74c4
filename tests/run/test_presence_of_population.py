"""`presence: total` with a `population`: published, held against the published text, judged again and a second time."""

from __future__ import annotations

import csv
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.audit.presence.added_up_of import added_up_of
from discreet.audit.reading.exact_tables import Population
from discreet.engines.base import Frequencies
from discreet.errors import DataError, Infeasible, PolicyError
from tests.audit.releasing import manifest_of
from tests.run.presence_over_groups import SIDES, TABLE, many_groups, sums, view_of

Row = tuple[int, ...]
INSIDE = list(zip(*(TABLE[name] for name in SIDES), strict=True))
ALPHA = "2/5"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everybody who could be in the table: those who are, and 60 others."""
    draw = random.Random(1)
    others = [tuple(str(draw.randrange(side)) for side in SIDES.values()) for _ in range(60)]
    file = tmp_path_factory.mktemp("people") / "people.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([tuple(SIDES), *INSIDE, *others])
    return file


def words(about: Mapping[str, object]) -> dict[str, Any]:
    columns: dict[str, object] = {name: {"role": "quasi_identifier"} for name in SIDES}
    return {
        "attributes": columns | {"disease": {"role": "sensitive"}},
        "require": [{"ambiguity": {"alpha": ALPHA, "beta": "1/2"} | about}],
        "publish": "ambiguity",
        "seed": 1,
    }


def release(folder: Path, **about: object) -> Path:
    discreet.anonymize(discreet.policy_from_words(words(about)), folder, source=TABLE)
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, people: Path) -> Path:
    return release(tmp_path_factory.mktemp("kept") / "release", presence="total", population=str(people))


def listed_in(people: Path) -> list[tuple[str, ...]]:
    with people.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def test_nobody_of_the_population_is_above_alpha_and_somebody_who_does_not_exist_is(kept: Path, people: Path) -> None:
    total = sums(kept)
    assert max(total[person] for person in listed_in(people)) <= Fraction(ALPHA) < max(total.values())


def test_the_manifest_names_the_list_and_what_is_reached(kept: Path, people: Path) -> None:
    [promise] = manifest_of(kept)["promises"]
    assert promise["model"]["ambiguity"]["population"] == "people.csv"
    total = sums(kept)
    assert promise["level"] == pytest.approx(float(max(total[person] for person in listed_in(people))))
    assert "of the population" in (kept / "report.html").read_text(encoding="utf-8")


def test_verify_needs_the_list(kept: Path, people: Path) -> None:
    assert discreet.verify(kept).kept is None
    assert discreet.verify(kept, population=people).kept is True
    assert discreet.verify(kept, population=people, source=TABLE).kept is True


def test_verify_counts_for_another_list(kept: Path, tmp_path: Path) -> None:
    """Whoever names the heaviest combination as somebody finds him above α."""
    total = sums(kept)
    heaviest = max(total, key=lambda point: total[point])
    file = tmp_path / "others.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([tuple(SIDES), *INSIDE, heaviest])
    assert [verdict.holds for verdict in discreet.verify(kept, population=file).verdicts] == [False]
    [level] = [one for one in discreet.audit(kept, population=file).levels if "over all groups" in one.figure]
    assert level.holds is False
    assert level.achieved == pytest.approx(float(total[heaviest]))


def test_the_audit_judges_it_by_the_list_it_is_given(kept: Path, people: Path) -> None:
    [level] = [one for one in discreet.audit(kept, population=people).levels if "over all groups" in one.figure]
    assert level.holds is True
    total = sums(kept)
    assert level.achieved == pytest.approx(float(max(total[person] for person in listed_in(people))))
    [level] = [one for one in discreet.audit(kept).levels if "over all groups" in one.figure]
    assert (level.achieved, level.holds) == (None, None)
    assert "needs a list" in level.note


def test_a_list_without_the_rows_of_the_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "few.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([tuple(SIDES), *INSIDE[10:], *[("1", "1", "1")] * 100])
    with pytest.raises(DataError, match="not in it"):
        release(tmp_path / "release", presence="total", population=str(file))


def test_a_population_for_each_group_by_itself_is_refused(people: Path) -> None:
    with pytest.raises(PolicyError, match=r"require\[0\].ambiguity.population.*presence: total"):
        discreet.policy_from_words(words({"population": str(people)}))
    with pytest.raises(PolicyError, match=r"ambiguity.population: must be the path"):
        discreet.policy_from_words(words({"presence": "total", "population": 7}))


def test_a_smaller_alpha_than_could_be_reached_is_told(tmp_path: Path, people: Path) -> None:
    with pytest.raises(Infeasible, match="the smallest alpha that was reached"):
        release(tmp_path / "release", presence="total", population=str(people), alpha="1/5")


def list_of(people: Sequence[Row]) -> Population:
    columns = list(zip(*people, strict=True))
    values = tuple(tuple(str(v) for v in sorted(set(column))) for column in columns)
    codes = tuple(
        np.array([texts.index(str(v)) for v in column], dtype=np.int32)
        for texts, column in zip(values, columns, strict=True)
    )
    names = tuple(f"q{d}" for d in range(len(columns)))
    return Population(names, Frequencies(values, codes, np.ones(len(people), dtype=np.int64)))


@given(many_groups, st.data(), st.fractions(Fraction(1, 40), 1, max_denominator=40))
def test_the_audit_finds_the_largest_sum_of_anybody_listed(
    groups: list[list[Row]], data: st.DataObject, alpha: Fraction
) -> None:
    tables = len(groups[0][0])
    people = data.draw(st.lists(st.tuples(*[st.integers(0, 4)] * tables), min_size=1, max_size=8))

    def sum_of(person: Row) -> Fraction:
        total = Fraction(0)
        for rows in groups:
            values = [set(column) for column in zip(*rows, strict=True)]
            if all(v in own for v, own in zip(person, values, strict=True)):
                total += min(Fraction(len(rows), prod(map(len, values))), Fraction(1))
        return min(total, Fraction(1))

    largest = max(map(sum_of, people))
    found = added_up_of(view_of(groups), list_of(people), alpha)
    assert found.least == found.most == pytest.approx(float(largest))
    assert found.holds == (largest <= alpha)
    assert added_up_of(view_of(groups), list_of(people), max(largest, Fraction(1, 100))).holds
