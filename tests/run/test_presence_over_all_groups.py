"""`presence: total` from policy to page: published, judged again, read a second time, and caught if it is broken."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.audit.presence.added_up import added_up
from discreet.errors import DiscreetError
from tests.audit.releasing import manifest_of
from tests.run.presence_over_groups import SIDES, TABLE, Row, many_groups, sums, view_of


def release(folder: Path, alpha: object, presence: str | None, table: dict[str, Any] = TABLE) -> Path:
    about: dict[str, object] = {"alpha": alpha, "beta": "1/2"} | ({} if presence is None else {"presence": presence})
    columns: dict[str, object] = {name: {"role": "quasi_identifier"} for name in SIDES}
    words = {
        "attributes": columns | {"disease": {"role": "sensitive"}},
        "require": [{"ambiguity": about}],
        "publish": "ambiguity",
        "seed": 1,
    }
    discreet.anonymize(discreet.policy_from_words(words), folder, source=table)
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("total") / "release", "2/5", "total")


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("group") / "release", "2/5", None)


def promise_to(folder: Path, presence: str) -> Path:
    """Say in the manifest that presence is judged so."""
    manifest = manifest_of(folder)
    manifest["promises"][0]["model"]["ambiguity"]["presence"] = presence
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def test_no_combination_is_above_alpha_in_the_published_tables(kept: Path, papers: Path) -> None:
    assert max(sums(kept).values()) <= Fraction(2, 5) < max(sums(papers).values())
    assert len(sums(kept)) > 0


def test_the_manifest_says_it_and_verify_judges_it_again(kept: Path) -> None:
    [promise] = manifest_of(kept)["promises"]
    assert promise["model"]["ambiguity"]["presence"] == "total"
    assert promise["level"] == pytest.approx(float(max(sums(kept).values())))
    assert discreet.verify(kept).kept


def test_a_release_that_only_keeps_the_papers_promise_is_caught(tmp_path: Path) -> None:
    folder = release(tmp_path / "release", "2/5", None)
    assert discreet.verify(folder).kept
    findings = discreet.verify(promise_to(folder, "total"))
    assert [verdict.holds for verdict in findings.verdicts] == [False]  # judged, and not only the checksum
    levels = [level for level in discreet.audit(folder).levels if "over all groups" in level.figure]
    assert [level.holds for level in levels] == [False]


def test_a_moved_entry_is_caught(tmp_path: Path) -> None:
    """One age in place of several in a group leaves fewer people to hide among."""
    folder = release(tmp_path / "release", "2/5", "total")
    file = folder / "auxiliary_age.csv"
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    group = lines[0].split(",")[1]
    left = [line for line in lines if line.split(",")[1] != group] + [lines[0]]
    file.write_text("\n".join([header, *left]) + "\n", encoding="utf-8")
    assert max(sums(folder).values()) > Fraction(2, 5)
    findings = discreet.verify(folder)
    assert not findings.kept
    assert [verdict.holds for verdict in findings.verdicts] == [False]


def test_the_audit_reads_the_sum_by_code_of_its_own(kept: Path, papers: Path) -> None:
    for folder, promised in ((kept, True), (papers, False)):
        levels = discreet.audit(folder).levels
        figures = [level for level in levels if "over all groups" in level.figure]
        assert len(figures) == promised
        assert all(level.holds for level in levels)
    [level] = [level for level in discreet.audit(kept).levels if "over all groups" in level.figure]
    assert level.achieved == pytest.approx(float(max(sums(kept).values())))


def test_the_sum_is_told_beside_the_chance_of_one_group_whatever_is_promised(kept: Path, papers: Path) -> None:
    for folder in (kept, papers):
        [line] = [line for line in discreet.audit(folder).lines if line.adversary == "presence_without_list"]
        assert line.details["over_all_groups"] == pytest.approx(min(float(max(sums(folder).values())), 1.0))
        assert "add up to" in line.assumes


def test_with_a_list_the_sum_is_told_for_everybody_on_it(kept: Path) -> None:
    """The list has some who are covered by nobody, and is without many combinations that are."""
    people = [(str(i % 12), str(i % 9), "job " * (i == 0) or str(i % 7)) for i in range(60)]
    listed = {name: [person[d] for person in people] for d, name in enumerate(SIDES)}
    audited = discreet.audit(kept, population=listed)
    [line] = [line for line in audited.lines if line.adversary == "presence_with_list"]
    total = sums(kept)
    expected = max(min(float(total[person]), 1.0) for person in people)
    assert line.details["worst_added_up_without_list"] == pytest.approx(expected)


def test_the_report_tells_it(kept: Path, papers: Path) -> None:
    page, other = ((folder / "report.html").read_text(encoding="utf-8") for folder in (kept, papers))
    assert "over all groups together" in page
    assert "Groups that tell of each other" in page
    assert "that several groups cover</" not in page.replace("dt", "")
    assert "presence: total promises the sum" in other


def test_what_can_not_be_is_refused_with_the_smallest_alpha(tmp_path: Path) -> None:
    least = Fraction(200, prod(SIDES.values()))
    with pytest.raises(DiscreetError, match=r"the smallest possible alpha is 0\.2646"):
        release(tmp_path / "release", "1/4", "total")
    assert Fraction("0.2645") < least <= Fraction("0.2646")
    assert not (tmp_path / "release").exists()


def test_both_can_be_swept() -> None:
    words = {
        "attributes": {name: {"role": "quasi_identifier"} for name in SIDES} | {"disease": {"role": "sensitive"}},
        "require": [{"ambiguity": {"alpha": "2/5", "beta": "1/2"}}],
        "publish": "ambiguity",
        "seed": 1,
    }
    swept = discreet.sweep(words, source=TABLE, **{"ambiguity.presence": ["group", "total"]})
    assert [point.settings for point in swept.points] == [("group",), ("total",)]
    assert all(point.possible for point in swept.points)
    assert swept.points[0].groups > swept.points[1].groups


# The audit's own search for the heaviest combination, against enumeration.


def largest_of(groups: Sequence[Sequence[Row]]) -> Fraction:
    total: Counter[Row] = Counter()
    for rows in groups:
        listed = [set(column) for column in zip(*rows, strict=True)]
        for point in product(*listed):
            total[point] += min(Fraction(len(rows), prod(map(len, listed))), Fraction(1))
    return min(max(total.values()), Fraction(1))


@given(many_groups, st.fractions(Fraction(1, 40), 1, max_denominator=40), st.integers(0, 30))
def test_an_audit_that_ends_early_never_says_kept_of_what_is_not(
    groups: list[list[Row]], alpha: Fraction, work: int
) -> None:
    largest = largest_of(groups)
    found = added_up(view_of(groups), alpha, work)
    assert found.least <= float(largest) * (1 + 1e-9) and found.most >= float(largest) * (1 - 1e-9)
    assert found.holds in (None, largest <= alpha)


@given(many_groups, st.fractions(Fraction(1, 40), 1, max_denominator=40))
def test_the_audit_finds_the_largest_sum(groups: list[list[Row]], alpha: Fraction) -> None:
    largest = largest_of(groups)
    found = added_up(view_of(groups), alpha)
    assert found.least == found.most == pytest.approx(float(largest))
    assert found.holds == (largest <= alpha)
    assert added_up(view_of(groups), largest).holds
