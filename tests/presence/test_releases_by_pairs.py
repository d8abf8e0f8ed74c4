"""Releases promised by pairs and with a margin, from files to files: judged again by somebody who counts by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, PolicyError, anonymize, policy_from_words, verify
from discreet.models.presence.confident_presence import ConfidentPresence
from tests.presence.confident import EVERYBODY, KNOWN, TABLE, by_hand, marginals_of, pairs_of, policy_words
from tests.presence.populations import QUASI_IDENTIFIERS, Person, cases, columns, write
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of


@settings(max_examples=25, deadline=None)
@given(
    case=cases(),
    publish=st.sampled_from(["generalization", "multidimensional"]),
    margin=st.sampled_from([0, 0.25, 1]),
    c=st.sampled_from([0.5, 0.8, 0.99]),
    listed=st.booleans(),
    coverage=st.booleans(),
)
def test_every_group_is_as_sure_as_promised_by_pairs(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Person], list[Person], list[str]],
    publish: str,
    margin: float,
    c: float,
    listed: bool,
    coverage: bool,
) -> None:
    everybody, table, delta = case
    tmp = tmp_path_factory.mktemp("pairs")
    people = write(tmp / "people.csv", everybody)
    known: dict[str, Any] = {"population": str(people), "known": "pairs"}
    if listed:
        known = {"marginals": {"sex": marginals_of(everybody)["sex"]}, "pairs": pairs_of(everybody)}
    promise = {"delta": delta, "confidence": c, "margin": margin, "coverage": coverage} | known
    policy = policy_from_words(policy_words(promise, publish=publish))
    made = anonymize(policy, tmp / "release", source=columns(table))
    again = {} if listed else {"population": people}
    assert verify(made.folder, columns(table), **again).kept
    alone = verify(made.folder, **again)
    assert [type(m) for m in alone.unjudged] == [ConfidentPresence]
    assert alone.kept is None and "--source" in str(alone.missing[0])
    least = by_hand(made.folder, everybody, table, delta, margin)
    assert least >= c - 1e-9
    level = verify(made.folder, columns(table), **again).verdicts[0].level
    assert level == pytest.approx(least, abs=1e-9)


def test_pairs_come_from_files_that_name_their_columns(tmp_path: Path) -> None:
    for number, table in enumerate(pairs_of(EVERYBODY)):
        lines = [",".join([*table["columns"], "people"]), *(",".join(map(str, entry)) for entry in table["counts"])]
        (tmp_path / f"{number}.csv").write_text("\n".join(lines), encoding="utf-8")
    words = policy_words(KNOWN | {"pairs": ["0.csv", "1.csv", "2.csv"]})
    made = anonymize(policy_from_words(words, tmp_path), tmp_path / "release", source=columns(TABLE))
    [promised] = manifest_of(made.folder)["promises"]
    told = promised["model"]["confident_presence"]
    assert [t["columns"] for t in told["pairs"]] == [t["columns"] for t in pairs_of(EVERYBODY)]
    assert sum(n for *_, n in told["pairs"][0]["counts"]) == len(EVERYBODY)
    assert set(told["marginals"]) == set(QUASI_IDENTIFIERS)
    assert verify(made.folder, columns(TABLE)).kept


def test_a_changed_pair_is_caught(tmp_path: Path) -> None:
    words = policy_words(KNOWN | {"pairs": pairs_of(EVERYBODY), "margin": 0.25})
    made = anonymize(policy_from_words(words), tmp_path / "release", source=columns(TABLE))
    manifest = json.loads(json.dumps(manifest_of(made.folder)))
    manifest["promises"][0]["model"]["confident_presence"]["pairs"][0]["counts"][0][2] += 1
    put_manifest(made.folder, manifest)
    assert verify(made.folder, columns(TABLE)).kept is False


def test_all_mistakes_are_told_at_once() -> None:
    wrong = KNOWN | {
        "margin": -1,
        "known": "triples",
        "pairs": [
            "no.csv",
            {"columns": ["age"], "counts": [["1", "f", 2]]},
            {"columns": ["age", "sex"], "counts": [["1", "f", 0.5], ["1", "f", 2], ["1", 2.5, 1], ["1"]]},
        ],
    }
    with pytest.raises(PolicyError) as caught:
        policy_from_words(policy_words(wrong))
    told = str(caught.value)
    for place in ("margin", "known", "pairs[1].columns", *(f"pairs[2].counts[{n}]" for n in range(4))):
        assert f"require[0].confident_presence.{place}" in told, told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"known": "pairs", "marginals": {"sex": {"f": 1}}}, "known: pairs are counted of a population"),
        ({"population": "people.csv", "pairs": ["a.csv"]}, "pairs: are counts beside marginals, and there are none"),
        ({"pairs": []}, "pairs: must be a list of tables, got an empty one"),
        ({"pairs": "a.csv"}, "pairs: must be a list of tables, got 'a.csv'"),
        ({"margin": 11}, "margin: must be at least 0 and at most 10, got 11"),
        ({"pairs": pairs_of(EVERYBODY) + pairs_of(EVERYBODY)[:1]}, "pairs: has age and zip twice"),
    ],
)
def test_a_mistake_names_its_repair(words: dict[str, Any], told: str) -> None:
    with pytest.raises(PolicyError, match=f"confident_presence.{told}".replace("(", r"\(").replace("[", r"\[")):
        policy_from_words(policy_words(KNOWN | words))


def test_rows_can_t_be_left_out() -> None:
    for more in ({"known": "pairs"}, {"margin": 0.5}):
        with pytest.raises(PolicyError, match="suppress: no rows can be left out where pairs or a margin"):
            policy_from_words(policy_words(KNOWN | {"population": "people.csv"} | more, suppress=0.1))


def test_pairs_about_other_people_are_refused(tmp_path: Path) -> None:
    told = {"marginals": marginals_of(EVERYBODY), "pairs": pairs_of([*EVERYBODY, ("20", "120", "f")])}
    with pytest.raises((DataError, PolicyError), match=r"zip, age: has other numbers of people than the marginals"):
        anonymize(policy_from_words(policy_words(KNOWN | told)), tmp_path / "release", source=columns(TABLE))
    others = [("77", *person[1:]) if person[1] == "240" else person for person in EVERYBODY]
    told = {"pairs": pairs_of([("20", "240", "f") if p == ("20", "120", "m") else p for p in others])}
    with pytest.raises((DataError, PolicyError), match=r"than the table has|more people in the table"):
        anonymize(policy_from_words(policy_words(KNOWN | told)), tmp_path / "release", source=columns(TABLE))
    strange = [{"columns": ["age", "job"], "counts": [["20", "cook", 212]]}]
    told = {"marginals": marginals_of(EVERYBODY), "pairs": strange}
    with pytest.raises((DataError, PolicyError), match="'job' is not a quasi-identifier"):
        anonymize(policy_from_words(policy_words(KNOWN | told)), tmp_path / "release", source=columns(TABLE))
