"""Instant, end to end: from a summary to a checked release, with as few scans as it says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.csv
import pytest

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DataError, Infeasible, PolicyError
from discreet.policy.policy import Policy
from discreet.run.from_summary import save_summary
from discreet.samples.census import census_attributes, census_like

KINDS = ("network", "histogram", "sample", "exact")
ROWS = 3_000


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    pyarrow.csv.write_csv(census_like(ROWS), path)
    return path


def policy(people: Path, *require: object, **others: object) -> Policy:
    words = {
        "source": str(people),
        "attributes": census_attributes(4),
        "require": list(require) or [{"k_anonymity": {"k": 5}}],
        "search": "instant",
    }
    return policy_from_words(words | others)


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_from_a_summary_keeps_its_promises(people: Path, kind: str, tmp_path: Path) -> None:
    release = anonymize(policy(people, summary=kind), tmp_path / "release")
    assert verify(tmp_path / "release").kept
    assert release.manifest["rows"]["published"] == ROWS
    assert release.figures["scans"] == 1 + release.figures["facts"]["looks"]
    assert release.figures["facts"]["looks"] <= 3


def test_the_threshold_says_how_likely_a_mapping_must_be(people: Path, tmp_path: Path) -> None:
    """Multidimensional, what was cut is as likely as that; the higher it is, the fewer pieces."""
    pieces = []
    for threshold in (0.05, 0.95, 0.9999):
        folder = tmp_path / str(threshold)
        facts = anonymize(policy(people, publish="multidimensional", threshold=threshold), folder).figures["facts"]
        assert facts["probability"] >= threshold
        assert verify(folder).kept
        pieces.append(facts["pieces"])
    assert pieces == sorted(pieces, reverse=True) and pieces[0] > pieces[-1]
    usual = anonymize(policy(people, publish="multidimensional"), tmp_path / "usual").figures["facts"]
    assert usual["pieces"] == pieces[1]


@pytest.mark.parametrize("search", ["instant", "instant_cuts"])
def test_the_threshold_says_what_is_a_candidate(people: Path, search: str, tmp_path: Path) -> None:
    facts = {}
    for threshold in (None, 0.8, 1e-9, 1 - 1e-9):
        words = {} if threshold is None else {"threshold": threshold}
        release = anonymize(policy(people, search=search, **words), tmp_path / str(threshold))
        told = release.figures["facts"]
        facts[threshold] = {name: told.get(name) for name in ("nodes_scored", "candidates", "mappings_scored")}
        assert release.manifest["policy"].get("threshold") == threshold
    assert facts[None] == facts[0.8]
    assert facts[1e-9] != facts[1 - 1e-9]


def test_what_is_published_is_what_the_table_has(people: Path, tmp_path: Path) -> None:
    instant = anonymize(policy(people), tmp_path / "instant")
    node = instant.manifest["node"]
    exact = anonymize(replace(policy(people), search="optimal"), tmp_path / "exact")
    assert instant.figures["loss"] >= exact.figures["loss"] - 1e-12
    if node == exact.manifest["node"]:
        published = [(tmp_path / name / "data.csv").read_text().splitlines() for name in ("instant", "exact")]
        assert sorted(published[0]) == sorted(published[1])
        assert instant.figures["losses"] == pytest.approx(exact.figures["losses"])


@pytest.mark.parametrize(
    ("publish", "search"),
    [("generalization", "instant"), ("generalization", "instant_cuts"), ("multidimensional", "instant")],
)
def test_every_row_is_published_with_values_that_cover_its_own(
    people: Path, publish: str, search: str, tmp_path: Path
) -> None:
    anonymize(policy(people, publish=publish, search=search), tmp_path / "release")
    assert verify(tmp_path / "release").kept
    ages = pyarrow.csv.read_csv(people).column("age").to_pylist()
    published = pyarrow.csv.read_csv(
        tmp_path / "release" / "data.csv",
        convert_options=pyarrow.csv.ConvertOptions(column_types={"age": pyarrow.string()}),
    )
    least, most = 0, 0
    for text in published.column("age").to_pylist():
        low, _, high = (str(min(ages)), "", str(max(ages))) if text == "*" else text.partition("-")
        least, most = least + int(low), most + int(high or low)
    assert least <= sum(ages) <= most


@pytest.mark.parametrize("promise", [{"k_anonymity": {"k": 20}}, {"l_diversity": {"l": 4, "kind": "frequency"}}])
def test_cuts_never_lose_more_than_levels(people: Path, promise: object, tmp_path: Path) -> None:
    levels = anonymize(policy(people, promise), tmp_path / "levels")
    cuts = anonymize(policy(people, promise, search="instant_cuts"), tmp_path / "cuts")
    assert cuts.figures["loss"] <= levels.figures["loss"] + 1e-12
    assert cuts.figures["scans"] == 1 + cuts.figures["facts"]["looks"]


def test_a_saved_summary_saves_the_scan(people: Path, tmp_path: Path) -> None:
    save_summary(policy(people), tmp_path / "summary.npz")
    saved = policy(people, summary=str(tmp_path / "summary.npz"))
    release = anonymize(saved, tmp_path / "release")
    assert release.figures["scans"] == release.figures["facts"]["looks"]
    assert verify(tmp_path / "release").kept
    assert str(tmp_path) not in (tmp_path / "release" / "manifest.json").read_text()


def test_a_summary_of_another_table_is_refused(people: Path, tmp_path: Path) -> None:
    save_summary(policy(people), tmp_path / "summary.npz")
    other = tmp_path / "people.csv"
    other.write_text(people.read_text() + people.read_text().splitlines()[1] + "\n")
    with pytest.raises(DataError, match="another state of the source"):
        anonymize(policy(other, summary=str(tmp_path / "summary.npz")), tmp_path / "release")
    fewer = policy(people, summary=str(tmp_path / "summary.npz"), attributes=census_attributes(3))
    with pytest.raises(DataError, match="is about the columns"):
        anonymize(fewer, tmp_path / "release")
    coarser = {**census_attributes(4), "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [7]}}}
    with pytest.raises(DataError, match="another hierarchy of 'age'"):
        anonymize(policy(people, summary=str(tmp_path / "summary.npz"), attributes=coarser), tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_promise_that_a_summary_can_not_judge_is_refused(people: Path, tmp_path: Path) -> None:
    promise = {"confident_presence": {"delta": [0, 0.5], "confidence": 0.8}}
    with pytest.raises(PolicyError, match="can't tell from a summary"):
        anonymize(policy(people, promise, private={"salary": ["10", "11", "12"]}), tmp_path / "release")


@pytest.mark.parametrize(
    "promise",
    [
        {"l_diversity": {"l": 3, "kind": "frequency"}},
        {"l_diversity": {"l": 3, "kind": "entropy"}},
        {"t_closeness": {"t": 0.5}},
        {"realistic": {"class": "III", "epsilon": 4}},
    ],
    ids=lambda promise: next(iter(promise)),
)
def test_any_promise_about_sensitive_values_is_kept(people: Path, promise: object, tmp_path: Path) -> None:
    anonymize(policy(people, promise, attributes=census_attributes(3)), tmp_path / "release")
    assert verify(tmp_path / "release").kept


def test_a_presence_that_no_release_can_keep_is_refused_with_the_share(people: Path, tmp_path: Path) -> None:
    hopeless = policy(people, {"presence": {"delta": [0, 0.01]}}, private={"occupation": ["Service", "Farming"]})
    with pytest.raises(Infeasible, match="population"):
        anonymize(hopeless, tmp_path / "release")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [{"predicates": ["no such salary"]}, {"prior": {"no such salary": 1}}])
def test_a_promise_about_values_that_nobody_has_is_refused(
    people: Path, kind: str, asked: dict[str, object], tmp_path: Path
) -> None:
    promise = {"realistic": {"class": "III", "epsilon": 9, **asked}}
    with pytest.raises(DataError, match="realistic"):
        anonymize(policy(people, promise, summary=kind), tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_a_saved_summary_with_a_value_that_looks_suppressed_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age,disease\n" + "".join(f"{20 + i % 4},{'*' if i % 2 else 'flu'}\n" for i in range(40)))
    attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    save_summary(policy(table, attributes=attributes), tmp_path / "summary.npz")
    starred = policy(table, attributes=attributes, summary=str(tmp_path / "summary.npz"), suppressed="star")
    with pytest.raises(DataError, match="stands for a suppressed row"):
        anonymize(starred, tmp_path / "release")


def test_who_is_in_the_table_is_hidden_too(people: Path, tmp_path: Path) -> None:
    hidden = policy(people, {"presence": {"delta": [0, 0.3]}}, private={"occupation": ["Service", "Farming"]})
    release = anonymize(hidden, tmp_path / "release")
    assert verify(tmp_path / "release", population=people).kept
    exact = anonymize(replace(hidden, search="optimal"), tmp_path / "exact")
    assert release.figures["loss"] >= exact.figures["loss"] - 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_in_the_table_is_hidden_in_boxes_too(people: Path, kind: str, tmp_path: Path) -> None:
    """More loss than by counting everything, as nothing is cut after the look; far less than by one level a column."""
    hidden = policy(
        people,
        {"presence": {"delta": [0.02, 0.4]}},
        private={"occupation": ["Service", "Farming"]},
        publish="multidimensional",
        summary=kind,
    )
    release = anonymize(hidden, tmp_path / "release")
    assert verify(tmp_path / "release", population=people).kept
    assert release.manifest["groups"] > 3
    assert release.figures["facts"]["pieces"] - release.figures["facts"]["pieces_undone"] >= release.manifest["groups"]
    exact = anonymize(replace(hidden, search="mondrian", summary=None), tmp_path / "exact")
    whole_columns = anonymize(
        replace(hidden, publish="generalization", search="optimal", summary=None), tmp_path / "columns"
    )
    assert exact.figures["loss"] <= release.figures["loss"] <= whole_columns.figures["loss"]


def test_rows_are_suppressed_within_the_limit(people: Path, tmp_path: Path) -> None:
    release = anonymize(policy(people, suppress=0.02), tmp_path / "release")
    assert release.manifest["rows"]["suppressed"] <= 0.02 * ROWS
    assert verify(tmp_path / "release").kept
    assert release.report.answers is None  # nobody looked at single rows


def test_where_a_summary_saves_no_time_the_custodian_is_told(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_vain(folder: str, **words: object) -> bool:
        notes = anonymize(policy(people, **words), tmp_path / folder).figures["notes"]
        return any("a summary, which saves no time here" in note for note in notes)

    assert in_vain("asked for")
    assert not in_vain("optimal", search="optimal")
    monkeypatch.setattr("discreet.run.anonymize._SOON_COUNTED", ROWS - 1)
    assert not in_vain("a larger table")
