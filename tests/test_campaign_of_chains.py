"""A slice of the campaign about chains of releases, and proof that its outsider notices what she looks for."""

from __future__ import annotations

import doctest
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from campaign.chains import product
from campaign.chains.outsider import judge, most_kept
from campaign.chains.policies import FAMILIES, make
from campaign.chains.product import Answer, ask, release_of
from campaign.promises.case import Case

from tests.campaign_slices import run_slice

ROOT = Path(__file__).parent.parent
NAMES = ("patient", "age", "disease")
ATTRIBUTES = {
    "patient": {"role": "person"},
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    "disease": {"role": "sensitive"},
}
JANUARY = (("ann-x", "21", "flu"), ("bob-x", "24", "cold"), ("cid-x", "35", "gout"), ("dan-x", "47", "flu"))
FEBRUARY = (JANUARY[0], JANUARY[1], ("eve-x", "29", "gout"), ("fay-x", "41", "burn"))


def case(publish: str = "bucketization", **more: Any) -> Case:
    words = {"attributes": ATTRIBUTES, "require": [{"m_invariance": {"m": 2}}], "publish": publish, "seed": 4}
    return Case("test", NAMES, JANUARY, words | {"suppress": "1/2"} | more, later=(FEBRUARY,))


def kinds(mine: Case, answer: Answer, folder: Path) -> set[str]:
    return {kind for kind, _ in judge(mine, answer, folder)}


@pytest.fixture(params=["bucketization", "numbered_groups"])
def published(request: Any, tmp_path: Path) -> tuple[Case, Answer, Path]:
    mine = case(request.param)
    answer = ask(mine, tmp_path)
    assert answer.ended == "released", answer.message
    return mine, answer, tmp_path


def test_a_chain_that_keeps_its_promises_is_clean(published: tuple[Case, Answer, Path]) -> None:
    assert judge(*published) == []


def test_a_value_that_nobody_in_the_group_has_is_noticed(published: tuple[Case, Answer, Path]) -> None:
    mine, answer, folder = published
    name = "sensitive.csv" if mine.words["publish"] == "bucketization" else "data.csv"
    file = release_of(folder, 1) / name
    file.write_text(file.read_text().replace("gout", "burn"))
    assert "untrue" in kinds(mine, answer, folder)


def test_a_quasi_identifier_that_nobody_has_is_noticed(published: tuple[Case, Answer, Path]) -> None:
    mine, answer, folder = published
    name = "quasi_identifiers.csv" if mine.words["publish"] == "bucketization" else "data.csv"
    file = release_of(folder, 1) / name
    head, *rows = file.read_text().splitlines(keepends=True)
    file.write_text(head + "".join("99," + row.split(",", 1)[1] for row in rows))
    assert "untrue" in kinds(mine, answer, folder)


def test_releases_that_do_not_know_of_each_other_are_noticed(tmp_path: Path) -> None:
    """Ann is one of flu and cold, and then one of flu and gout."""
    from discreet import anonymize, policy_from_words

    tables = JANUARY[:2], (JANUARY[0], FEBRUARY[2])
    mine = replace(case(), rows=tables[0], later=tables[1:])
    for month, rows in enumerate(tables):
        product.write_csv(product.source_of(tmp_path, month), NAMES, rows)
        anonymize(policy_from_words(mine.words), release_of(tmp_path, month), source=product.source_of(tmp_path, month))
    answer = Answer("released", months=2, chain=("kept", "kept"), audited={"all": "kept"})
    told = judge(mine, answer, tmp_path)
    assert {kind for kind, _ in told} == {"broken"}
    assert any("overlap" in what for _, what in told) and any("worlds" in what for _, what in told)


def test_a_name_in_a_file_is_noticed(published: tuple[Case, Answer, Path]) -> None:
    mine, answer, folder = published
    with (release_of(folder, 0) / "report.html").open("a") as file:
        file.write("<!-- bob-x -->")
    assert "leak" in kinds(mine, answer, folder)


def test_what_verify_and_audit_say_is_held_against_what_she_finds(published: tuple[Case, Answer, Path]) -> None:
    mine, answer, folder = published
    assert kinds(mine, replace(answer, chain=("kept", "broken: why")), folder) == {"contradiction"}
    assert kinds(mine, replace(answer, audited={"all": "broken"}), folder) == {"contradiction"}
    [line] = [line for line in answer.lines if line.adversary == "intersection"]
    assert kinds(mine, replace(answer, lines=(replace(line, worst=0.75),)), folder) == {"audit"}


def test_a_refusal_where_there_is_a_release_is_noticed(tmp_path: Path) -> None:
    assert kinds(case(), Answer("refused", "no"), tmp_path) == {"refusal"}
    alone = replace(case(), rows=(JANUARY[0], JANUARY[3]))
    assert most_kept({"flu": 2}, 2) == 0 and kinds(alone, Answer("refused", "no"), tmp_path) == set()


def test_somebody_leaves_comes_back_and_has_another_value_in_some_chain() -> None:
    left = back = changed = 0
    for number in range(40):
        tables = [{row[0]: row[1:] for row in rows} for rows in make("exact values", number, 1).later]
        for first, then in pairwise(tables):
            left += bool(first.keys() - then.keys())
            changed += any(first[name][-1] != then[name][-1] for name in first.keys() & then.keys())
        back += len(tables) == 3 and bool((tables[0].keys() & tables[2].keys()) - tables[1].keys())
    assert left and back and changed


def test_a_kept_chain_is_read_again(tmp_path: Path) -> None:
    for family in FAMILIES:
        mine = make(family, 3, 1)
        mine.save(tmp_path)
        assert Case.load(tmp_path) == mine


MODULES = [path.stem for path in sorted((ROOT / "campaign" / "chains").glob("[a-z]*.py"))]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_campaign_run(name: str) -> None:
    assert doctest.testmod(import_module(f"campaign.chains.{name}")).failed == 0


def test_no_run_of_a_slice_breaks_a_promise(tmp_path: Path) -> None:
    troubles, done = run_slice("chains", 20, tmp_path / "kept")
    assert troubles == [], done.stdout + done.stderr
    assert "few people, coarser" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
