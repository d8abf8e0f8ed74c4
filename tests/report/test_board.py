"""Ten questions of a privacy board: each is answered by the reports themselves, for releases of every kind."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, policy_from_words, read_policy
from discreet.report.board import QUESTIONS
from discreet.run.release import Release
from discreet.samples.hospital import write_sample
from tests.report.pages import Page

DOCS = Path(__file__).parents[2] / "docs"
FILES = {
    "generalization": ("policy", {}),
    "multidimensional": ("policy", {"publish": "multidimensional", "search": "mondrian"}),
    "local recoding": ("policy", {"publish": "local_recoding", "search": "local"}),
    "anatomy": ("bucketization", {"require": ({"l_diversity": {"l": 4, "kind": "frequency"}},), "search": "anatomy"}),
    "robust": ("bucketization", {}),
    "ambiguity": ("ambiguity", {}),
    "presence": ("presence", {"suppress": 0}),
    "people": ("visits", {}),
}


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """A sample release of every kind, and one that follows another."""
    folder = tmp_path_factory.mktemp("board")
    write_sample(folder, rows=600)
    made = {
        kind: anonymize(
            replace(read_policy(folder / f"{name}.yaml"), **({"suppress": 1, "seed": 1} | more)), folder / kind
        )
        for kind, (name, more) in FILES.items()
    }
    table = {"patient": [f"P{i}" for i in range(60)], "age": [str(i % 30) for i in range(60)], "ill": list("abcd") * 15}
    words: dict[str, Any] = {
        "attributes": {
            "patient": {"role": "person"},
            "age": {"role": "quasi_identifier"},
            "ill": {"role": "sensitive"},
        },
        "require": [{"m_invariance": {"m": 3}}],
        "publish": "bucketization",
        "suppress": 1,
    }
    first = anonymize(policy_from_words(words), folder / "first", source=table)
    return made | {"chain": apply(first, table, folder / "second")}


def answers(page: str) -> dict[str, tuple[str, str]]:
    """The table of the ten questions: the answer and the section that each names."""
    table = page.partition('id="board"')[2].partition("</section>")[0]
    rows = re.findall(r'<th scope="row">\d+\. (.*?)</th><td>(.*?)</td><td[^>]*><a href="#(.*?)">', table)
    return {unescape(question): (unescape(answer), place) for question, answer, place in rows}


KINDS = [*FILES, "chain"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_is_answered_and_leads_to_a_section(releases: dict[str, Release], kind: str) -> None:
    release = releases[kind]
    for folder in (release.folder, release.private):
        page = (folder / "report.html").read_text(encoding="utf-8")
        Page(page)
        told = answers(page)
        assert tuple(told) == QUESTIONS
        for answer, place in told.values():
            assert len(answer) > 10
            assert page.count(f'id="{place}"') == 1


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_release(releases: dict[str, Release], kind: str) -> None:
    release = releases[kind]
    rows, ours, theirs = (
        release.manifest["rows"],
        *(
            answers((folder / "report.html").read_text(encoding="utf-8"))
            for folder in (release.private, release.folder)
        ),
    )
    for told in (ours, theirs):
        left_out = told["What was left out?"][0]
        assert f"{rows['source']:,}" in left_out
        assert left_out.startswith(f"{rows['suppressed']:,} of" if rows["suppressed"] else "Nothing: all")
        singled = told["Can a row be singled out?"][0]
        assert f" {release.manifest['smallest_group']:,} rows" in singled or kind == "ambiguity"
        assert ("a promise limits it" in told["Can it be learnt who is in the table?"][0].lower()) == (
            kind in ("presence", "ambiguity")
        )
    column = {"people": "diagnosis", "chain": "ill", "presence": ""}.get(kind, "disease")
    for told in (ours, theirs):
        assert column in told["How well can a secret be guessed?"][0]
    assert "random queries" in ours["How far can the data be relied on?"][0]
    assert "random queries" not in theirs["How far can the data be relied on?"][0]


def test_who_has_several_rows_is_not_told_to_be_as_safe_as_one_row(releases: dict[str, Release]) -> None:
    """By rows, guesses are worth 11% in the sample of visits; of whoever has most rows in a group far more."""
    release = releases["people"]
    public, private = (
        answers((folder / "report.html").read_text(encoding="utf-8"))["How well can a secret be guessed?"][0]
        for folder in (release.folder, release.private)
    )
    assert "who has several is guessed more surely" in public
    assert "who has several" not in private
    chances = [float(re.findall(r"a chance of ([\d.]+)%", text)[0]) for text in (public, private)]
    assert chances[1] > 2 * chances[0]


def test_the_guide_has_the_same_questions() -> None:
    text = (DOCS / "board.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| \*\*(.*?)\*\* \|", text, flags=re.MULTILINE)) == QUESTIONS


def test_answers_name_columns_as_they_are_called_and_what_became_of_each(tmp_path: Path) -> None:
    """A column is called Note, another is published in intervals, and most of the groups give one Note away."""
    n = 40
    table = {
        "Alter": [str(20 + i) for i in range(n)],
        "Note": ["1", "2", "1", "1"] * 5 + ["3", "3", "3", "4"] * 5,
        "Gehalt": [f"{1000 + 97 * i}.50" for i in range(n)],
    }
    attributes = {
        "Alter": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20]}},
        "Note": {"role": "sensitive"},
        "Gehalt": {"role": "sensitive", "publish_as": {"intervals": [1000]}},
    }
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}], "publish": "multidimensional"}
    made = anonymize(policy_from_words(words), tmp_path / "made", source=table)
    private, public = (answers((f / "report.html").read_text(encoding="utf-8")) for f in (made.private, made.folder))
    assert private["How far can the data be relied on?"][0].startswith("Counting by 1 column and Note: ")
    for told in (private, public):
        columns = told["What became of each column?"][0]
        assert columns == (
            "Made coarser: Alter (quasi-identifier); published as it is, protected by the groups: Note (sensitive "
            "column); published coarser, protected by the groups: Gehalt (sensitive column)."
        )
        grave = told["What is not protected?"][0]
        assert grave.startswith("Note: ") and " on the first screen, " in grave
        assert "; Learning that a row is in the table; " in grave
        promised = told["What is promised, and is it kept?"][0]
        assert promised.endswith("looks the same as at least 4 other rows.")
