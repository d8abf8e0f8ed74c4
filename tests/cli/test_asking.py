"""`init --ask` and `--role`: decisions in the order of what matters, by a person or a pipe; and runs with open ones."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.cli.asking import decided
from discreet.engines.open import open_source
from discreet.errors import DiscreetError
from discreet.policy.policy import read_policy
from discreet.policy.proposing.proposed import Proposed, proposed
from discreet.policy.words import Role
from tests.visits import visits

ROWS = 120
TABLE = {
    "age": [str(20 + i % 30) for i in range(ROWS)],
    "weak": [f"w{i % 2}" for i in range(ROWS)],
    "strong": [f"s{i % 50}" for i in range(ROWS)],
    **{f"q{n}": [str(1 + (i + i // 5 * n) % 4) for i in range(ROWS)] for n in range(1, 7)},
}


@pytest.fixture
def table(place: Path) -> Path:
    lines = [",".join(TABLE), *(",".join(row) for row in zip(*TABLE.values(), strict=True))]
    (place / "t.csv").write_text("\n".join(lines) + "\n")
    return place


def answered(answers: str) -> tuple[Proposed, str]:
    questions = io.StringIO()
    return decided(proposed(open_source(TABLE)), io.StringIO(answers), questions), questions.getvalue()


def roles(seen: Proposed) -> dict[str, str]:
    return {p.name: p.role.value for p in seen.proposals}


def test_nothing_takes_what_is_proposed_and_decides_it() -> None:
    before = proposed(open_source(TABLE))
    seen, _ = answered("\n" * 3)
    assert roles(seen) == roles(before)
    assert (len(before.decisions), seen.decisions) == (3, [])


def test_questions_come_in_the_order_of_what_matters_with_the_reason() -> None:
    _, questions = answered("\n" * 3)
    assert [line.split(":")[0] for line in questions.splitlines() if " of 3: " in line] == [
        "1 of 3",
        "2 of 3",
        "3 of 3",
    ]
    assert questions.index("'strong'") < questions.index("'weak'")
    assert "of the rows beyond the others" in questions
    assert "'q1' (and 5 like it)" in questions


@pytest.mark.parametrize("answer", ["i", "identifier", "IDENT", " identifier "])
def test_an_answer_is_a_role_or_its_beginning(answer: str) -> None:
    seen, _ = answered(f"{answer}\n\n\n")
    assert roles(seen)["strong"] == "identifier"


def test_an_answer_for_a_block_is_for_all_of_it() -> None:
    order = [p.name for p in proposed(open_source(TABLE)).decisions]
    seen, _ = answered("".join("quasi\n" if name == "q1" else "\n" for name in order))
    assert {roles(seen)[f"q{n}"] for n in range(1, 7)} == {"quasi_identifier"}
    assert seen.decisions == []


def test_later_leaves_the_question() -> None:
    seen, _ = answered("later\n\n\n")
    assert [p.name for p in seen.decisions] == ["strong"]


def test_what_is_no_role_is_asked_again() -> None:
    seen, questions = answered("sensitve\nsensitive\n\n\n")
    assert roles(seen)["strong"] == "sensitive"
    assert "did you mean 'sensitive'?" in questions


@pytest.mark.parametrize("answers", ["", "\n", "\n\n", "x\n\n\n"])
def test_answers_that_end_too_early_decide_nothing(answers: str) -> None:
    with pytest.raises(DiscreetError, match="the answers end at question") as ended:
        answered(answers)
    assert ended.value.mistakes[0].repair == "answer all; 'later' leaves one open"


def test_no_value_is_shown() -> None:
    _, questions = answered("\n" * 3)
    assert not any(value in questions.replace("'", " ").split() for value in TABLE["strong"])


def piped(folder: Path, answers: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "discreet", "init", "t.csv", "--ask", *words]
    return subprocess.run(command, cwd=folder, input=answers, capture_output=True, text=True, check=False)


def test_answers_may_come_from_a_pipe(table: Path) -> None:
    made = piped(table, "y\ni\n\n\n", "-o", "p.yaml")
    assert made.returncode == 0, made.stderr
    policy = read_policy(table / "p.yaml")
    assert policy.one_row_per_person and not policy.undecided
    assert "strong" in [a.name for a in policy.attributes if a.role == Role.IDENTIFIER]


def test_where_the_pipe_ends_nothing_is_written(table: Path) -> None:
    made = piped(table, "y\ni\n", "-o", "p.yaml")
    assert made.returncode == 2 and "nothing was written" in made.stderr
    assert not (table / "p.yaml").exists()


@pytest.mark.parametrize(
    ("answers", "person", "open_ones"),
    [("y\n", "patient", ()), ("not sure\n", "patient", ("patient",)), ("n\ny\n", None, ())],
    ids=["it does", "not sure", "every row is another's"],
)
def test_whose_rows_they_are_is_asked_where_it_is_in_doubt(
    place: Path, answers: str, person: str | None, open_ones: tuple[str, ...]
) -> None:
    """The rows of a patient are both men's and women's: an open decision like the others."""
    table = visits()
    table["sex"] = ["fm"[i % 2] for i in range(len(table["age"]))]
    lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))]
    (place / "t.csv").write_text("\n".join(lines) + "\n")
    made = piped(place, answers + "\n" * 9, "-o", "p.yaml")
    assert made.returncode == 0, made.stderr
    assert "named like the key of a person, but rows with one value of it differ in 'sex'" in made.stderr
    policy = read_policy(place / "p.yaml")
    assert (policy.person, tuple(a.name for a in policy.attributes if a.decide)) == (person, open_ones)
    assert policy.one_row_per_person == (person is None)


def test_roles_may_be_said_for_many_columns(table: Path, call: Any) -> None:
    call("init", "t.csv", "--role", "q[0-9]+=identifier", "--role", "weak|strong=quasi_identifier", "-o", "p.yaml")
    policy = read_policy(table / "p.yaml")
    assert not policy.undecided
    assert policy.quasi_identifiers == ("age", "weak", "strong")


def test_wrong_roles_write_nothing_and_are_told_at_once(table: Path, call: Any) -> None:
    wrong = call("init", "t.csv", "--role", "nobody=other", "--role", "nothing=other", "-o", "p.yaml", "--json")
    assert (wrong.code, len(wrong.json["mistakes"])) == (2, 2)
    wrong = call("init", "t.csv", "--role", "(=other", "--role", "age=othr", "-o", "p.yaml", "--json")
    assert (wrong.code, len(wrong.json["mistakes"])) == (2, 2)
    assert not (table / "p.yaml").exists()


def test_json_has_the_decisions_in_their_order(table: Path, call: Any) -> None:
    told = call("init", "t.csv", "--json").json["decisions"]
    assert told[0]["column"] == "strong" and all(d["why"] and d["question"] for d in told)
    assert next(d for d in told if d["column"] == "q1")["like_it"] == ["q2", "q3", "q4", "q5", "q6"]


def test_figures_that_help_to_decide_are_had_while_decisions_are_open(table: Path, call: Any) -> None:
    call("init", "t.csv", "-o", "p.yaml")
    sentence = "Nobody has decided on weak, strong, q1: taken as the policy has it."
    swept = call("sweep", "p.yaml", "--k", "2,5", "-o", "page.html")
    assert swept.code == 0 and swept.out.splitlines()[1] == sentence
    assert sentence in (table / "page.html").read_text()
    assert call("sweep", "p.yaml", "--k", "2", "--json").json["undecided"] == ["weak", "strong", "q1"]
    assert call("compare", "p.yaml").code == 0
    call("init", "t.csv", "-o", "q.yaml", "--role", ".*=quasi_identifier")
    assert "Nobody has decided" not in call("sweep", "q.yaml", "--k", "2").out


def test_a_run_with_open_decisions_is_refused_with_all_of_them_unless_told_otherwise(table: Path, call: Any) -> None:
    call("init", "t.csv", "-o", "p.yaml")
    refused = call("anonymize", "p.yaml", "-o", "release", "--json")
    assert refused.code == 2 and not (table / "release").exists()
    assert [m["place"] for m in refused.json["mistakes"]] == [
        f"attributes.{c}.decide" for c in ("weak", "strong", "q1")
    ]
    assert all("--as-proposed" in m["repair"] for m in refused.json["mistakes"])
    made = call("anonymize", "p.yaml", "-o", "release", "--as-proposed")
    assert made.code == 0
    sentence = "Nobody has decided on weak, strong, q1: taken as the policy has it."
    assert made.out.splitlines()[1] == f"  open: {sentence}"
    assert sentence in (table / "release.private" / "report.html").read_text()
    assert json.loads((table / "release.private" / "figures.json").read_text())["undecided"] == ["weak", "strong", "q1"]
    for file in ("manifest.json", "mapping.json", "report.html"):  # the questions count rows of the source
        text = (table / "release" / file).read_text()
        assert '"decide"' not in text and "may others know it" not in text and "Nobody has decided" not in text
    assert call("verify", "release").code == 0
