"""Roles that are said for many columns at once: by patterns that the whole name matches."""

from __future__ import annotations

import pytest

from discreet.engines.open import open_source
from discreet.errors import DiscreetError
from discreet.policy.proposing.proposed import proposed
from discreet.policy.proposing.said_roles import said_roles
from discreet.policy.words import Role

ANSWERS = {f"q{n}": [str(1 + (i + n) % 5) for i in range(100)] for n in range(1, 13)}
TABLE = {"age": [str(20 + i % 40) for i in range(100)], "x": ["a", "b"] * 50, **ANSWERS}


def test_all_columns_that_match_wholly_get_the_role_and_are_decided() -> None:
    seen = proposed(open_source(TABLE), roles=said_roles(["q[0-9]=identifier", "x=quasi_identifier"]))
    roles = {p.name: p.role for p in seen.proposals}
    assert {roles[f"q{n}"] for n in range(1, 10)} == {Role.IDENTIFIER}
    assert {roles[f"q{n}"] for n in range(10, 13)} == {Role.SENSITIVE}  # q1 is not all of q10
    [left] = seen.decisions
    assert (left.name, left.block) == ("q10", ("q10", "q11", "q12"))  # it speaks for the rest of the block now
    assert "hierarchy: {flat: true}" in seen.text("x.csv").split("  x: ")[1].splitlines()[0]


def test_the_last_pattern_wins() -> None:
    seen = proposed(open_source(TABLE), roles=said_roles(["q.*=sensitive", "q7=identifier"]))
    roles = {p.name: p.role for p in seen.proposals}
    assert (roles["q7"], roles["q8"]) == (Role.IDENTIFIER, Role.SENSITIVE)
    assert [p.name for p in seen.decisions] == ["x"]


def test_a_column_that_somebody_describes_is_not_taken_for_the_person_s() -> None:
    table = {"patient_id": [f"P{i // 3}" for i in range(90)], "sex": ["fm"[i // 3 % 2] for i in range(90)]}
    assert proposed(open_source(table)).owner.column == "patient_id"
    assert proposed(open_source(table), roles=said_roles(["patient_id=identifier"])).owner.column is None


def test_all_that_is_wrong_is_told_at_once_with_a_repair() -> None:
    with pytest.raises(DiscreetError) as wrong:
        said_roles(["q[0-9+=sensitive", "x=sensitiv", "y", "=other", "z=person", "w="])
    mistakes = wrong.value.mistakes
    assert len(mistakes) == 6 and all(m.place == "--role" and m.repair for m in mistakes)
    assert "did you mean 'sensitive'?" in mistakes[1].repair
    assert mistakes[4].repair == "say --person COLUMN"


def test_patterns_that_match_nothing_are_all_refused() -> None:
    with pytest.raises(DiscreetError) as wrong:
        said_roles(["agee=other", "age=other", "q99=identifier"]).of(list(TABLE))
    assert [m.rule for m in wrong.value.mistakes] == ["no column matches 'agee'", "no column matches 'q99'"]
    assert wrong.value.mistakes[0].repair == "did you mean 'age'?"
