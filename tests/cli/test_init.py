"""`init` at the command line: what it finds, what it asks on a terminal, and what may be said beforehand."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.cli.asking import asked
from discreet.policy.policy import read_policy
from discreet.policy.proposing.owner import Owner

QUESTION = "Is every row another person? [y/n/not sure] "


@pytest.fixture
def visits(place: Path) -> Path:
    rows = "".join(f"P{i // 3},{20 + i // 3},{'fm'[i // 3 % 2]},{'abc'[i % 3]}\n" for i in range(90))
    (place / "visits.csv").write_text(f"patient_id,age,sex,disease\n{rows}")
    (place / "persons.csv").write_text("key,age,sex\n" + "".join(f"{i},{i % 40},{'fm'[i % 2]}\n" for i in range(90)))
    return place


def test_the_person_s_column_is_found_and_told(visits: Path, call: Any) -> None:
    made = call("init", "visits.csv", "-o", "p.yaml")
    assert (made.code, made.out.splitlines()[-1]) == (0, "'patient_id' says whose row it is, of 30 people.")
    assert read_policy(visits / "p.yaml").person == "patient_id"


def test_json_says_whose_rows_they_are(visits: Path, call: Any) -> None:
    told = call("init", "visits.csv", "--json").json
    assert (told["person"], told["one_row_per_person"], told["people"]) == ("patient_id", False, 30)
    told = call("init", "persons.csv", "--json").json
    assert (told["person"], told["one_row_per_person"], told["people"]) == (None, False, None)


def test_it_may_be_said_beforehand(visits: Path, call: Any) -> None:
    said = call("init", "persons.csv", "--one-row-per-person", "-o", "one.yaml")
    assert said.out.endswith("Every row is another person, you say: what holds of rows holds of people.\n")
    assert read_policy(visits / "one.yaml").one_row_per_person
    call("init", "persons.csv", "--person", "key", "-o", "named.yaml")
    assert read_policy(visits / "named.yaml").person == "key"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("persons.csv", "--person", "kee"), "--person"),
        (("visits.csv", "--person", ""), "--person"),
        (("visits.csv", "--one-row-per-person"), "--one-row-per-person"),
        (("visits.csv", "--one-row-per-person", "--person", "patient_id"), "--one-row-per-person"),
    ],
)
def test_a_wrong_word_is_a_mistake_and_writes_nothing(
    visits: Path, call: Any, words: tuple[str, ...], option: str
) -> None:
    wrong = call("init", *words, "-o", "p.yaml", "--json")
    assert wrong.code == 2
    [mistake] = wrong.json["mistakes"]
    assert mistake["place"] == option and mistake["repair"]
    assert not (visits / "p.yaml").exists()


def test_where_nobody_can_answer_the_policy_has_the_question(visits: Path, call: Any) -> None:
    made = call("init", "persons.csv", "-o", "p.yaml")
    assert "Whose rows they are is not said: the promises are about rows until it is." in made.out
    policy = read_policy(visits / "p.yaml")
    assert (policy.person, policy.one_row_per_person) == (None, False)
    assert "# QUESTION: is every row another person's?" in (visits / "p.yaml").read_text()


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ("y\n", Owner(one_row_each=True)),
        ("YES\n", Owner(one_row_each=True)),
        ("n\nkey\n", Owner(column="key")),
        ("no\nkeys\nkey\n", Owner(column="key")),
        ("n\n\n", Owner(several=True)),
        ("n\n", Owner(several=True)),
        ("not sure\n", Owner()),
        ("yesterday\n", Owner()),
        ("\n", Owner()),
        ("", Owner()),
    ],
)
def test_an_answer_is_taken_for_what_it_says_and_no_more(answers: str, expected: Owner) -> None:
    questions = io.StringIO()
    assert asked(Owner(), ["key", "age"], io.StringIO(answers), questions) == expected
    assert questions.getvalue().startswith(QUESTION)
    assert ("There is no column 'keys'; did you mean 'key'?\n" in questions.getvalue()) == ("keys" in answers)


def at_a_terminal(folder: Path, answer: str, *words: str) -> str:
    """What somebody sees who runs the command at a terminal and types the answer."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "discreet", "init", *words]
    running = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, answer.encode())
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:  # the other end is closed
        pass
    assert running.wait() == 0
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def test_on_a_terminal_it_asks(visits: Path) -> None:
    assert QUESTION in at_a_terminal(visits, "y\n", "persons.csv", "-o", "yes.yaml")
    assert read_policy(visits / "yes.yaml").one_row_per_person
    at_a_terminal(visits, "n\nkey\n", "persons.csv", "-o", "no.yaml")
    assert read_policy(visits / "no.yaml").person == "key"
    at_a_terminal(visits, "n\n\n", "persons.csv", "-o", "several.yaml")
    assert "# Some people have several rows, and nothing says which are whose" in (visits / "several.yaml").read_text()
    assert read_policy(visits / "several.yaml").person is None


def test_on_a_terminal_it_does_not_ask_what_is_known_or_nobody_reads(visits: Path) -> None:
    assert QUESTION not in at_a_terminal(visits, "", "visits.csv")
    assert QUESTION not in at_a_terminal(visits, "", "persons.csv", "--one-row-per-person")
    assert QUESTION not in at_a_terminal(visits, "", "persons.csv", "--json")
