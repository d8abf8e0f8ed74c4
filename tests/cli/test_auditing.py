"""discreet audit: words for people, one object for scripts, a page; exit codes by promises and faults alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def release(place: Path, call: Any) -> Path:
    assert call("anonymize", "policy.yaml", "-o", "r").code == 0
    return Path("r")


def test_an_audit_is_told_in_words_and_as_a_page(release: Path, call: Any) -> None:
    told = call("audit", "r", "--population", "t.csv", "--source", "t.csv", "--other", "r", "-o", "audit.html")
    assert told.code == 0
    for words in (
        "Who is in the table?",
        "Which row is whose?",
        "Who has what?",
        "Promises, read a second time",
        "kept",
    ):
        assert words in told.out
    page = Path("audit.html").read_text(encoding="utf-8")
    assert "What can be learnt from this release" in page
    assert "Page: audit.html" in told.out


def test_scripts_get_one_object(release: Path, call: Any) -> None:
    told = call(
        "audit", "r", "--json", "--threshold", "0.4", "--known-rows", "0", "--stubbornness", "10", "--size", "100"
    )
    assert told.code == 0
    assert told.json["kept"] is True
    assert {line["threshold"] for line in told.json["lines"]} == {0.4}
    assert all(len(line["histogram"]) == len(told.json["steps"]) for line in told.json["lines"])


def test_quiet_says_nothing(release: Path, call: Any) -> None:
    told = call("audit", "r", "--quiet")
    assert (told.code, told.out, told.err) == (0, "", "")


def test_a_broken_promise_ends_in_one(release: Path, call: Any) -> None:
    """A row is taken away: a group of one is left."""
    lines = (release / "data.csv").read_text().splitlines()
    (release / "data.csv").write_text("\n".join(lines[:-1]) + "\n")
    told = call("audit", "r")
    assert told.code == 1
    assert "BROKEN" in told.out
    assert call("audit", "r", "--quiet").code == 1


def test_a_foreign_file_needs_a_description(place: Path, call: Any) -> None:
    Path("theirs.csv").write_text("age,disease\n[20-39],flu\n[20-39],cold\n")
    alone = call("audit", "theirs.csv")
    assert alone.code == 2
    assert "quasi_identifiers: [age]" in alone.err
    Path("said.yaml").write_text("quasi_identifiers: [age]\nsensitive: [disease]\npromises: [{k_anonymity: {k: 3}}]\n")
    told = call("audit", "theirs.csv", "--description", "said.yaml", "--json")
    assert told.code == 1
    assert [level["holds"] for level in told.json["levels"]] == [False]
    Path("said.yaml").write_text("quasi_identifiers: [age]\nsensitive: [disease]\n")
    both = ("--other", "theirs.csv", "--other-description", "said.yaml")
    assert call("audit", "theirs.csv", "--description", "said.yaml", *both).code == 0


def test_marginals_are_given_column_by_column(release: Path, call: Any) -> None:
    Path("age.csv").write_text("value,count\n30,10\n41,20\n")
    told = call("audit", "r", "--marginals", "age=age.csv", "--confidence", "0.9", "--json")
    assert told.code == 0
    assert "presence_expected" in {line["adversary"] for line in told.json["lines"]}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "no such folder"),
        (["nowhere.csv"], "no such file; name the folder of a release, or a file that another tool published"),
        (["r", "--size", "1"], "discreet: size: must be at least"),
        (["r", "--marginals", "age=nowhere.csv"], "no file 'nowhere.csv'; paths are relative to the folder you are in"),
        (["r", "--threshold", "2"], "--threshold"),
        (["r", "--marginals", "age"], "'age' is not COLUMN=CSV"),
        (["r", "--marginals", "age=a.csv", "--marginals", "age=b.csv"], "names 'age' twice"),
        (["r", "--other-description", "said.yaml"], "name the other release, too"),
        (["r", "--population", "nobody.csv"], "nobody.csv"),
        (["r", "--population", "other.csv"], "has none of the columns that are asked for"),
        (["r", "--stubbornness", "0"], "stubbornness: must be above 0"),
    ],
)
def test_wrong_use_ends_in_two_and_says_what_to_mend(release: Path, call: Any, words: list[str], told: str) -> None:
    Path("other.csv").write_text("height\n3\n")
    found = call("audit", *words)
    assert found.code == 2
    assert told in found.err
