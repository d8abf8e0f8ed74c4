"""What each kind of table is proposed to be published as: a role for every column, and what is to be decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.policy.proposing.proposed import proposed_for
from tests.tables_as_they_are.makers import MAKERS

LETTERS = {"identifier": "i", "quasi_identifier": "q", "sensitive": "s"}
CLINIC = "age:q sex:q zip:q height:q born:q admitted:q diagnosis:s cost:s?"
KLINIK = "Alter:q Geschlecht:q PLZ:q Größe:q Aufnahmedatum:q Diagnose:s"
ROLES = {
    "plain": CLINIC,
    "byte_order_mark": CLINIC,
    "question_marks": CLINIC,
    "many_marks": CLINIC,
    "missing_codes": CLINIC,
    "mixed_types": CLINIC,
    "cp1252_semicolons_and_commas": KLINIK,
    "utf16_export": KLINIK,
    "separator_line": KLINIK,
    "pandas_floats": "age:q sex:q zip:q diagnosis:s born:q",
    "parquet_doubles": "sex:q diagnosis:s age:q zip:q",
    "american_claims": "birth_date:q sex:q zip:q service_date:q diagnosis:s paid:s?",
    "days_first": "sex:q born:q admitted:q diagnosis:s",
    "thousands": "age:q sex:q income:s?",
    "truths": "age:q sex:q diagnosis:s smoker:s insured:q?",
    "polars_floats": "age:q sex:q diagnosis:s",
    "moments": "age:q sex:q admitted:q diagnosis:s",
}


@pytest.mark.parametrize("name", ROLES)
def test_columns_are_taken_for_what_they_are(name: str, tmp_path: Path) -> None:
    seen, _ = proposed_for(MAKERS[name](tmp_path))
    roles = [f"{p.name}:{LETTERS[p.role.value]}{'?' if p.decide else ''}" for p in seen.proposals]
    assert " ".join(roles) == ROLES[name]


def test_a_survey_in_codes_has_two_decisions(tmp_path: Path) -> None:
    seen, _ = proposed_for(MAKERS["survey_codes"](tmp_path))
    roles = {p.name: p.role.value for p in seen.proposals}
    assert [roles[c] for c in ("respondent", "weight")] == ["identifier"] * 2
    assert [roles[c] for c in ("age", "sex", "marital_status")] == ["quasi_identifier"] * 3
    assert {roles[c] for c in roles if c.startswith("q")} == {"sensitive"}
    assert {p.name for p in seen.decisions} == {"weight", "q1"}
    [marital] = [p for p in seen.proposals if p.name == "marital_status"]
    assert "flat" in marital.hierarchy and "stand for something" in marital.why
