"""Proposals in Python: the text of `init`, decisions answered, and a policy once nothing is open."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import discreet
from discreet.errors import DiscreetError, PolicyError
from tests.python import people

TABLE = {"age": [20, 30, 40, 50] * 30, "x17": ["a", "b"] * 60, "disease": ["flu", "cold", "gout"] * 40}


@pytest.mark.parametrize("frame", [TABLE, pd.DataFrame(TABLE), pl.DataFrame(TABLE)], ids=["dict", "pandas", "polars"])
def test_a_frame_goes_from_a_proposal_to_a_release(frame: object) -> None:
    proposal = discreet.propose(frame, one_row_per_person=True)
    assert proposal.open == ("x17",)
    with pytest.raises(
        PolicyError, match=r"attributes\.x17: .*; say proposal\.answer\(x17=…\), or policy\(as_proposed"
    ):
        proposal.policy()
    decided = proposal.answer(x17="other")
    assert (proposal.open, decided.open) == (("x17",), ())
    release = discreet.anonymize(frame, decided.policy(suppress=0.1, seed=1))
    assert release.kept and set(release.manifest["roles"].values()) == {"quasi_identifier", "other", "sensitive"}
    assert discreet.anonymize(frame, proposal.policy(as_proposed=True)).kept


def test_the_text_is_that_of_init(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    pd.DataFrame(TABLE).to_csv(path, index=False)
    of_file, of_frame = discreet.propose(path), discreet.propose(TABLE)
    without = "\n".join(line for line in of_file.to_yaml().split("\n") if not line.startswith("source:"))
    assert repr(of_frame) == of_frame.to_yaml() == without
    assert f"source: {path}" in repr(of_file)
    of_file.answer({"x17": "identifier"}).save(tmp_path / "policy.yaml")
    policy = discreet.read_policy(tmp_path / "policy.yaml")
    assert policy.quasi_identifiers == ("age",) and discreet.anonymize(policy).kept
    assert of_file.policy(as_proposed=True).source == str(path)
    with pytest.raises(DiscreetError, match="already exists"):
        of_file.save(tmp_path / "policy.yaml")


def test_somebody_says_whose_rows_they_are() -> None:
    visits = {"who": ["a", "a", "b", "b", "c"] * 8, "age": [20, 20, 30, 30, 40] * 8, "disease": ["flu", "cold"] * 20}
    proposal = discreet.propose(visits, person="who")
    assert proposal.roles["who"] == "person" and proposal.policy(as_proposed=True).person == "who"
    left_out = proposal.answer(who="identifier")
    assert left_out.policy(as_proposed=True).person is None
    assert left_out.answer(who="person").policy(as_proposed=True).person == "who"


def test_mistakes_of_answers_are_told_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        discreet.propose(TABLE).answer(agee="sensitive", age="sensitiv")
    told = [str(mistake) for mistake in caught.value.mistakes]
    assert told == [
        "agee: no such column; did you mean 'age'?",
        "age: no such role 'sensitiv'; did you mean 'sensitive'?",
    ]


def test_proposals_and_policies_are_shown_without_a_value_of_the_table() -> None:
    proposal = discreet.propose(people.pandas())
    page, policy = proposal._repr_html_(), proposal.policy(as_proposed=True)._repr_html_()
    for html in (page, policy):
        assert html.startswith('<iframe sandbox=""') and html.count("<") == 2
        assert "quasi_identifier" in html and "Person-" not in html
    assert "to decide:" in page and "5-anonymity" in page and "5-anonymity" in policy
    odd = discreet.propose({"<script>": [1, 2] * 50, "b": ["x", "y"] * 50})
    assert "&lt;script" not in odd._repr_html_()  # escaped twice: once as text, once in the attribute
