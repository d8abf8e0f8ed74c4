"""Every adversary is asked what she can be asked, of every kind of release; nothing is said of who was not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.audit.audit import Audit, audit_release
from discreet.audit.lines import ASSOCIATION, PRESENCE, REIDENTIFICATION
from discreet.errors import DataError, PolicyError
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import to_json, to_text
from tests.audit.releasing import people, publish

KINDS = ("generalization", "multidimensional", "local_recoding", "bucketization", "ambiguity")


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("releases")
    return {kind: publish(folder / kind, kind) for kind in KINDS}


def adversaries(found: Audit) -> set[str]:
    return {line.adversary for line in found.lines}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_release_is_audited_from_its_files_alone(releases: dict[str, Path], kind: str) -> None:
    found = audit_release(releases[kind])
    assert found.kept
    assert found.publish == kind
    assert found.people + found.left_out == 300
    assert found.levels
    assert all(level.holds for level in found.levels)
    assert {"prosecutor", "uniform_worlds", "skew", "known_rows"} <= {a.removesuffix("_1") for a in adversaries(found)}
    assert len({(line.adversary, line.attribute) for line in found.lines}) == len(found.lines)
    assert "minimality" not in adversaries(found)
    assert len(found.notes) >= 3
    assert all(sum(line.histogram) == line.people for line in found.lines)
    assert "person 1" not in to_text(found) + json.dumps(to_json(found)) + to_html(found)


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_knows_more_is_asked_more(releases: dict[str, Path], kind: str) -> None:
    table = people()
    found = audit_release(
        releases[kind], population=table, source=table, other=releases["generalization"], known_rows=2, size=1000
    )
    assert {PRESENCE, REIDENTIFICATION, ASSOCIATION} == {line.threat for line in found.lines}
    placed = kind not in ("ambiguity",)
    assert ("composition" in adversaries(found)) == placed
    notes = " ".join(found.notes)
    assert "population" not in notes
    assert "(other)" not in notes
    assert ("can't be placed" in notes) == (not placed)
    assert found.kept


def test_two_releases_that_each_keep_their_promise_give_more_away_together(tmp_path: Path) -> None:
    finer_age = publish(tmp_path / "one", "generalization", require=[{"k_anonymity": {"k": 2}}], suppress=0.5)
    alone = audit_release(finer_age, source=people())
    both = audit_release(finer_age, source=people(), other=publish(tmp_path / "two", "multidimensional"))
    [composed] = [line for line in both.lines if line.adversary == "composition"]
    [plain] = [line for line in alone.lines if line.adversary == "uniform_worlds"]
    assert composed.worst >= plain.worst


def test_the_search_is_undone_where_its_goal_tells_something(tmp_path: Path) -> None:
    """Whoever is 30 has flu, and so nobody's age is told: apart the two groups would not have been diverse."""
    table = {"age": ["30"] * 4 + ["31"] * 4, "disease": ["flu"] * 4 + ["flu", "cold", "gout", "cold"]}
    policy = discreet.policy_from_words(
        {
            "attributes": {
                "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5]}},
                "disease": {"role": "sensitive"},
            },
            "require": [{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2}}],
        }
    )
    discreet.anonymize(policy, tmp_path / "release", source=table)
    found = audit_release(tmp_path / "release", source=table)
    [undone] = [line for line in found.lines if line.adversary == "minimality"]
    # Of C(8, 4) = 70 ways to choose the four of age 30 among five flus, two colds and a gout, C(5, 4) = 5 have flu
    # four times, as have 5 the four of age 31: her chance is (5 · 4 + 5 · 1) / (10 · 4) for either.
    assert undone.worst == pytest.approx(0.625)
    assert undone.people == 8
    assert "undo the search" not in " ".join(found.notes)


@pytest.mark.parametrize(
    "promise",
    [
        {"t_closeness": {"t": "1/3", "distance": "equal"}},
        {"alpha_k": {"alpha": "2/3", "k": 2}},
        {"l_diversity": {"l": "3/2", "kind": "entropy"}},
        {"l_diversity": {"l": "3/2", "kind": "frequency"}},
        {"l_diversity": {"l": 2, "kind": "recursive", "c": "7/2"}},
    ],
    ids=str,
)
def test_the_search_is_undone_where_a_promise_is_written_as_a_fraction(promise: Any, tmp_path: Path) -> None:
    table = {"age": ["30"] * 4 + ["31"] * 4, "disease": ["flu"] * 4 + ["flu", "cold", "gout", "cold"]}
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5]}},
        "disease": {"role": "sensitive"},
    }
    policy = discreet.policy_from_words({"attributes": attributes, "require": [promise]})
    discreet.anonymize(policy, tmp_path / "release", source=table)
    found = audit_release(tmp_path / "release", source=table)
    assert found.kept
    assert "minimality" in adversaries(found)


def test_a_file_of_another_tool_is_audited_by_its_description(tmp_path: Path) -> None:
    rows = ["age,zip,disease", "[20-39],479**,flu", "[20-39],479**,flu", "[40-59],479**,flu", "[40-59],479**,cold"]
    (tmp_path / "theirs.csv").write_text("\n".join(rows) + "\n")
    said: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": ["disease"]}
    promised = said | {"promises": [{"k_anonymity": {"k": 2}}, {"l_diversity": {"l": 2}}]}
    found = audit_release(tmp_path / "theirs.csv", description=promised)
    assert not found.kept
    assert [level.holds for level in found.levels] == [True, False]
    assert "homogeneous_group" in {fault.fault for fault in found.faults}
    listed = {"age": ["25", "35", "45", "55"], "zip": ["47906"] * 4}
    two = audit_release(
        tmp_path / "theirs.csv",
        description=said,
        population=listed,
        other=tmp_path / "theirs.csv",
        other_description=said,
    )
    assert {"composition", "presence_with_list"} <= adversaries(two)


def test_a_release_of_nobody_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "nobody.csv").write_text("age,disease\n")
    (tmp_path / "two.csv").write_text("age,disease\n20-39,flu\n20-39,cold\n")
    said = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "promises": [{"k_anonymity": {"k": 2}}]}
    two = {"age": ["30", "31"], "disease": ["flu", "cold"]}
    for one, other in (("nobody", "two"), ("two", "nobody"), ("nobody", "nobody")):
        for known in ({}, {"population": two}, {"source": two}):
            found = audit_release(
                tmp_path / f"{one}.csv",
                description=said,
                other=tmp_path / f"{other}.csv",
                other_description=said,
                **known,  # type: ignore[arg-type]
            )
            [together] = [line for line in found.lines if line.adversary == "composition"]
            assert together.worst == 0
            assert found.kept
            assert to_html(found)


def test_a_promised_presence_is_judged_with_the_population(tmp_path: Path) -> None:
    everybody = {"age": [str(20 + i % 4) for i in range(80)], "ill": ["yes" if i % 5 == 0 else "no" for i in range(80)]}
    policy = discreet.policy_from_words(
        {
            "attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [2, 4]}}},
            "require": [{"presence": {"delta": [0, 0.3]}}],
            "private": {"ill": "yes"},
        }
    )
    discreet.anonymize(policy, tmp_path / "release", source=everybody)
    alone = audit_release(tmp_path / "release")
    assert {level.holds for level in alone.levels} == {None}
    assert alone.kept is None  # nothing is broken, and nothing shown to be kept
    listed = audit_release(tmp_path / "release", population=everybody)
    assert {level.holds for level in listed.levels} == {True}
    fewer = {"age": everybody["age"][:40]}
    assert not audit_release(tmp_path / "release", population=fewer).kept


def test_marginals_are_heeded(releases: dict[str, Path]) -> None:
    table = people()
    shares: dict[str, dict[str, float]] = {}
    for column in ("age", "zip", "nation", "born"):
        values = ["" if value is None else value for value in table[column]]
        shares[column] = {value: 10 * values.count(value) for value in values}
    found = audit_release(releases["generalization"], marginals=shares, size=3000, confidence=0.9)
    assert "presence_expected" in adversaries(found)
    assert "marginals" not in " ".join(found.notes)


def test_all_that_can_t_be_meant_is_told_at_once(releases: dict[str, Path]) -> None:
    with pytest.raises(PolicyError) as wrong:
        audit_release(releases["generalization"], threshold=2, confidence=1, size=0, known_rows=-1, stubbornness=0,
                      other_description={"quasi_identifiers": []})  # fmt: skip
    assert [m.place for m in wrong.value.mistakes] == [
        "threshold", "confidence", "size", "known_rows", "stubbornness", "other_description",
    ]  # fmt: skip


def test_a_source_without_the_columns_is_named(releases: dict[str, Path]) -> None:
    with pytest.raises(DataError, match="source: has no column 'zip'"):
        audit_release(releases["generalization"], source={"age": ["30"], "nation": ["Peru"], "born": ["1960-01-10"]})


def test_a_threshold_goes_for_every_adversary(releases: dict[str, Path]) -> None:
    found = audit_release(releases["generalization"], threshold=0.05)
    assert {line.threshold for line in found.lines} == {0.05}


def test_progress_is_told(releases: dict[str, Path]) -> None:
    told: list[tuple[float, float]] = []
    audit_release(releases["generalization"], progress=lambda stage, done, total, note: told.append((done, total)))
    assert told == [(float(i), 9.0) for i in range(9)]


def test_nobody_knows_more_people_than_there_are(releases: dict[str, Path]) -> None:
    found = audit_release(releases["generalization"])
    everybody = audit_release(releases["generalization"], known_rows=found.people).lines
    assert audit_release(releases["generalization"], known_rows=10**400).lines == everybody


@pytest.mark.parametrize(
    ("promise", "said"),
    [({"beta_likeness": {"beta": 1}}, "is not known here"), ({"k_anonymity": {"k": 2}}, "nothing finer was refused")],
)
def test_a_search_that_can_t_be_undone_here_is_not_said_to_tell_nothing(tmp_path, promise, said):
    table = {"age": ["21", "22", "31", "32"], "disease": ["flu", "cold", "flu", "cold"]}
    words = {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "require": [promise],
    }
    release = discreet.anonymize(discreet.policy_from_words(words), tmp_path / "release", source=table)
    notes = [note for note in audit_release(release.folder, source=table).notes if "undo the search" in note]
    assert len(notes) == 1 and said in notes[0]
