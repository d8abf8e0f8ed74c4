"""Each kind of table ends in a release, held against its source, or in an error with place, rule and repair."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet import anonymize, read_policy, verify
from discreet.errors import DiscreetError, PolicyError
from discreet.policy.proposing.draft import propose
from discreet.policy.proposing.found_reading import open_as_found
from discreet.policy.proposing.proposals import proposals_of
from tests.tables_as_they_are.makers import MAKERS

# What the words of the proposal have to be: those at the top, and those of columns.
WORDS: dict[str, list[str]] = {
    "cp1252_semicolons_and_commas": ["encoding: cp1252", '"Größe": {', 'decimal: ","'],
    "utf16_export": ["encoding: utf-16", 'decimal: ","'],
    "separator_line": ['decimal: ","'],
    "workbook_of_two_sheets": ["sheet: Patients", "there are also 'About'"],
    "pandas_floats": ["dates: YYYY-MM-DD"],
    "points_and_zeros": ["age: {", "whole: true"],
    "american_claims": ["dates: MM/DD/YYYY", 'thousands: ","'],
    "days_first": ["dates: DD/MM/YYYY"],
    "ambiguous_days": ["which is the month?", "dates: MM/DD/YYYY or dates: DD/MM/YYYY"],
    "question_marks": ["# 49 cells ? seem to stand for nothing (diagnosis 18, sex 17, age 14)", 'missing: ["?"]'],
    "many_marks": ['missing: ["NA", "N/A", "unknown"]', 'missing: ["-999"]'],
    "missing_codes": ['missing: ["-999"]', 'missing: ["-1"]', "cells -999, where all others are from 0 on"],
    "thousands": ['decimal: ",", thousands: "."'],
}
REFUSED = {
    "names_that_differ_in_case": "columns have the same name (case aside)",
    "trailing_delimiter": "a column has no name",
    "nothing_at_all": "is empty",
    "one_row": "",
    "header_only": "the table has no rows",
    "no_rows": "the table has no rows",
}
# What a lone text among dates or numbers made of a column before it could be said: everything was hidden.
HIERARCHIES = {
    "american_claims": {"birth_date": "dates", "service_date": "dates"},
    "days_first": {"born": "dates", "admitted": "dates"},
    "question_marks": {"age": "intervals"},
    "many_marks": {"age": "intervals", "height": "quantiles", "born": "dates"},
    "missing_codes": {"age": "intervals", "height": "quantiles"},
    "pandas_floats": {"age": "intervals", "zip": "prefixes", "born": "dates"},
    "points_and_zeros": {"age": "intervals", "zip": "prefixes"},
}


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in ("survey_codes", "wide")])
def test_a_table_ends_in_a_release_or_in_a_plain_error(name: str, tmp_path: Path) -> None:
    source = MAKERS[name](tmp_path)
    is_file = isinstance(source, Path)
    try:
        _, profiles, found = open_as_found(source)
        text = propose(proposals_of(profiles), source.name if is_file else "a frame", found=found)
        for words in WORDS.get(name, []):
            assert words in text
        policy_file = tmp_path / "policy.yaml"
        policy_file.write_text(_decided(text).replace("suppress: 0.02", "suppress: 0.3\nseed: 1"), encoding="utf-8")
        policy = read_policy(policy_file)
        hierarchies = {a.name: a.hierarchy for a in policy.attributes}
        for column, word in HIERARCHIES.get(name, {}).items():
            assert list(hierarchies[column]) == [word]  # type: ignore[call-overload]
        release = anonymize(policy, tmp_path / "release", source=None if is_file else source)
    except DiscreetError as error:
        assert name in REFUSED, str(error)
        assert REFUSED[name] in str(error)
        assert all(mistake.rule and mistake.repair for mistake in error.mistakes)
        return
    assert name not in REFUSED
    assert verify(release.folder, source).kept
    published = (release.folder / "data.csv").read_text(encoding="utf-8")
    if name not in ("plain", "byte_order_mark", "workbook_of_two_sheets"):
        assert not re.search(r"(^|[,-])[0-9]+\.0([,-]|$)", published, re.MULTILINE)
    marks = {(about["column"], mark) for about in release.figures["reading"]["columns"] for mark in about["missing"]}
    assert all(mark in found.reading.of(column).missing for column, mark in marks)
    assert bool(marks) == bool(found.reading.missing or any(own.missing for own in found.reading.columns.values()))


def _decided(text: str) -> str:
    """The policy of somebody who has answered every question by leaving things as they are."""
    return re.sub(r', decide: "(?:[^"\\]|\\.)*"', "", text)


@pytest.mark.parametrize("name", ["survey_codes", "wide"])
def test_a_wide_table_is_proposed_for(name: str, tmp_path: Path) -> None:
    source = MAKERS[name](tmp_path)
    _, profiles, found = open_as_found(source)
    (tmp_path / "policy.yaml").write_text(propose(proposals_of(profiles), source.name, found=found), encoding="utf-8")
    assert len(read_policy(tmp_path / "policy.yaml").attributes) == len(profiles) > 60


def test_days_that_may_be_months_are_asked_about(tmp_path: Path) -> None:
    source = MAKERS["ambiguous_days"](tmp_path)
    _, profiles, found = open_as_found(source)
    (tmp_path / "policy.yaml").write_text(propose(proposals_of(profiles), source.name, found=found), encoding="utf-8")
    with pytest.raises(PolicyError, match="which is the month"):
        anonymize(read_policy(tmp_path / "policy.yaml"), tmp_path / "release")
