"""A release among the people it could be about: found again from its files, and found out if anything was changed."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import DiscreetError, ReleaseError, anonymize, apply, policy_from_words, verify
from discreet.cli.main import app
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.presence.presence import Presence
from discreet.policy.policy import Policy
from discreet.publications.region_kernels import NOBODYS, SEVERAL, owners
from discreet.releases.references import failing_alone
from discreet.releases.verify import Findings
from discreet.run.anonymize import find_plan
from discreet.run.intake import take_in
from tests.presence.populations import (
    QUASI_IDENTIFIERS,
    Person,
    by_hand,
    cases,
    columns,
    policy_words,
)
from tests.releases.making import put_manifest
from tests.releases.reading import groups_of, manifest_of, read_table


@settings(max_examples=15)
@given(
    cases(),
    st.sampled_from(["generalization", "multidimensional"]),
    st.sampled_from([0, 0.3]),
    st.sampled_from(["drop", "star"]),
    st.sampled_from(["csv", "parquet"]),
)
def test_any_release_passes_with_the_population_given_again(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Person], list[Person], list[str]],
    publish: str,
    suppress: float,
    suppressed: str,
    form: str,
) -> None:
    everybody, table, delta = case
    tmp = tmp_path_factory.mktemp("presence")
    suppress = suppress if publish == "generalization" else 0
    words = policy_words(tmp, everybody, delta, publish=publish, suppress=suppress, suppressed=suppressed, format=form)
    words["require"][0]["presence"]["suppression"] = "told"
    made = anonymize(policy_from_words(words), tmp / "release", source=columns(table))
    found = verify(made.folder, population=tmp / "people.csv")
    assert found.kept
    assert found == verify(made.folder, population=columns(everybody))
    groups, rest = by_hand(made.folder, everybody)
    chances = [Fraction(n, p) for n, p in [*groups, rest] if p]
    assert Fraction(delta[0]) <= min(chances) <= max(chances) <= Fraction(delta[1])
    assert found.verdicts[0].level == float(max(chances))
    told = made.manifest["population"]
    assert told["presence"] == [float(min(chances)), float(max(chances))]
    assert (told["people"], told["in_published_groups"]) == (len(everybody), len(everybody) - rest[1])


@settings(max_examples=10)
@given(cases(), st.data())
def test_another_population_is_found_out(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Person], list[Person], list[str]],
    data: st.DataObject,
) -> None:
    everybody, table, delta = case
    tmp = tmp_path_factory.mktemp("presence")
    made = anonymize(policy_from_words(policy_words(tmp, everybody, delta)), tmp / "release", source=columns(table))
    one = data.draw(st.sampled_from(range(len(everybody))))
    assert not verify(made.folder, population=columns(everybody[:one] + everybody[one + 1 :])).kept
    assert not verify(made.folder, population=columns([*everybody, everybody[one]])).kept


@st.composite
def boxes(draw: st.DrawFn) -> tuple[list[list[tuple[int, int]]], list[int], list[tuple[int, ...]]]:
    leaves = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    ends = st.tuples(*(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)) for n in leaves))
    found = draw(st.lists(ends, max_size=6))
    owner = draw(st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found)))
    return [[(min(e), max(e)) for e in box] for box in found], owner, list(product(*(range(n) for n in leaves)))


@given(boxes(), st.sampled_from([0, 63, 4095]))
def test_everybody_is_found_in_the_boxes_that_hold_them(
    case: tuple[list[list[tuple[int, int]]], list[int], list[tuple[int, ...]]], before: int
) -> None:
    found, owner, codes = case
    width = len(codes[0])
    ends = np.array(found, dtype=np.int32).reshape(len(found), width, 2)
    nothing = np.tile(np.array([[1, 0]] * width, dtype=np.int32), (before, 1, 1))  # boxes of nobody, to fill words
    ends = np.concatenate([nothing, ends]).astype(np.int32)
    leaves = np.array([max(c[d] for c in codes) + 1 for d in range(width)], dtype=np.int64)
    answer = owners(
        np.array(codes, dtype=np.int32),
        ends[:, :, 0].copy(),
        ends[:, :, 1].copy(),
        np.array([0] * before + owner, dtype=np.int64),
        leaves,
    )
    for code, got in zip(codes, answer.tolist(), strict=True):
        holding = {
            o
            for box, o in zip(found, owner, strict=True)
            if all(a <= c <= b for c, (a, b) in zip(code, box, strict=True))
        }
        assert got == (NOBODYS if not holding else SEVERAL if len(holding) > 1 else holding.pop())


TABLE = [(str(20 + i % 20), "120" if i % 3 else "240", "fm"[i % 2]) for i in range(30)]
EVERYBODY = [*TABLE, *((str(20 + i % 30), "12" + str(i % 3), "fm"[i % 5 == 0]) for i in range(200)), ("77", "999", "m")]


SOURCE = columns(TABLE) | {"disease": ["flu", "cold", "HIV"] * 10, "visit": [str(i) for i in range(len(TABLE))]}


def made_by(tmp: Path) -> Policy:
    """With a sensitive attribute, a column as it is, and rows left out."""
    words = policy_words(tmp, EVERYBODY, ["0", "0.4"], suppress=0.4)
    words["require"][0]["presence"]["suppression"] = "told"
    words["attributes"] |= {"disease": {"role": "sensitive"}, "visit": {"role": "other"}}
    words["require"] += [{"l_diversity": {"l": 2}}, {"k_anonymity": {"k": 2}}]
    return policy_from_words(words)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp = tmp_path_factory.mktemp("made")
    return anonymize(made_by(tmp), tmp / "release", source=SOURCE).folder


@pytest.fixture
def release(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


def recheck(folder: Path, population: list[Person] = EVERYBODY) -> Findings:
    return verify(folder, population=columns(population))


def told(found: Findings) -> str:
    return "\n".join(map(str, found.mistakes))


def test_rows_left_out_are_judged_among_all_who_are_in_no_group(release: Path) -> None:
    found = recheck(release)
    assert found.kept
    groups, rest = by_hand(release, EVERYBODY)
    assert rest[0] > 0
    assert {type(v.model).__name__ for v in found.verdicts} > {Presence.__name__}
    chances = [n / p for n, p in [*groups, rest]]
    assert next(v.level for v in found.verdicts if isinstance(v.model, Presence)) == max(chances)


def test_presence_is_not_asked_about_the_values_of_rows_left_out(tmp_path: Path) -> None:
    """Whether these may be told is for promises about values to say."""
    policy = made_by(tmp_path)
    plan = find_plan(policy, take_in(policy, SOURCE))
    assert plan.suppressed
    assert not failing_alone(plan, policy.models).any()
    assert failing_alone(plan, (*policy.models, TCloseness("1/1000", attribute="disease"))).any() == (
        plan.suppressed > 0
    )


def test_every_changed_cell_is_found_out(release: Path) -> None:
    path = release / "data.csv"
    whole = path.read_text().splitlines()
    manifest = manifest_of(release)
    for column in range(3):
        cells = whole[-1].split(",")
        cells[column] += "0"
        path.write_text("\n".join([*whole[:-1], ",".join(cells)]) + "\n")
        assert not recheck(release).kept
        put_manifest(release, manifest)  # a forger makes the fingerprints right: but who is in such a group?
        assert "more rows than the population has people there" in told(recheck(release))


def as_boxes(folder: Path) -> list[list[dict[str, Any]]]:
    """The groups of a full-domain release listed one by one, as a multidimensional one does it."""
    mapping = json.loads((folder / "mapping.json").read_text())
    levels = [mapping["levels"][name] for name in QUASI_IDENTIFIERS]
    texts = sorted(groups_of(read_table(folder)[1], 3), key=str)
    return [
        [{"text": t, "parts": [[level, t]]} for t, level in zip(group, levels, strict=True)] for group in texts
    ]  # fmt: skip


def put_boxes(folder: Path, boxes: list[list[dict[str, Any]]]) -> None:
    manifest = manifest_of(folder) | {"node": None}
    hierarchies = {name: manifest["hierarchies"][name] for name in QUASI_IDENTIFIERS}
    texts = [list({json.dumps(group[d]): group[d] for group in boxes}.values()) for d in range(len(hierarchies))]
    numbers = [[own.index(entry) for own, entry in zip(texts, group, strict=True)] for group in boxes]
    words = {"hierarchies": hierarchies, "texts": dict(zip(hierarchies, texts, strict=True)), "groups": numbers}
    (folder / "mapping.json").write_text(json.dumps(words), encoding="utf-8")
    put_manifest(folder, manifest)


def test_groups_may_be_listed_one_by_one(release: Path) -> None:
    put_boxes(release, as_boxes(release))
    found = recheck(release)
    assert found.verdicts and all(v.holds for v in found.verdicts)
    assert [m.place for m in found.mistakes] == ["report.html"]  # which was written of levels


def test_groups_that_overlap_are_found_out(release: Path) -> None:
    boxes = as_boxes(release)
    assert len(boxes) > 1
    for entry, other in zip(boxes[0], boxes[1], strict=True):
        if entry != other:
            entry["parts"].append(other["parts"][0])
    put_boxes(release, boxes)
    assert "fall in more than one published group" in told(recheck(release))


def test_groups_of_the_mapping_are_those_of_the_table(release: Path) -> None:
    boxes = as_boxes(release)
    put_boxes(release, boxes[1:])
    assert "lacks groups" in told(recheck(release))
    strange = [{"text": "x", "parts": [[0, "x"]]}] * 3
    put_boxes(release, [*boxes, strange])
    assert "lists groups that the table does not have" in told(recheck(release))


@pytest.mark.parametrize(
    "mapping",
    [
        "",
        "[]",
        "{}",
        '{"levels": {}}',
        '{"levels": {"age": 9, "zip": 0, "sex": 0}}',
        '{"levels": {"age": "1", "zip": 0, "sex": 0}}',
        '{"groups": 5}',
        '{"texts": {"age": [{"text": "x"}], "zip": [], "sex": []}, "groups": [[0, 0, 0]]}',
        '{"texts": {}, "groups": [[5]]}',
        '{"texts": 5, "groups": [[5]]}',
    ],
)
def test_a_mapping_that_is_none_is_a_mistake(release: Path, mapping: str) -> None:
    (release / "mapping.json").write_text(mapping)
    put_manifest(release, manifest_of(release))
    assert "mapping.json" in told(recheck(release))


def test_a_missing_mapping_is_a_mistake(release: Path) -> None:
    (release / "mapping.json").unlink()
    assert "mapping.json: is missing" in told(recheck(release))


def test_the_population_must_have_room_for_the_rows(release: Path) -> None:
    assert "more rows than the population has people there" in told(recheck(release, EVERYBODY[::8]))
    in_groups = [p for p in EVERYBODY if by_hand(release, [p])[1][1] == 0]
    assert "in no published group" in told(recheck(release, in_groups))


def test_people_elsewhere_are_another_population(release: Path) -> None:
    away = [p for p in EVERYBODY if by_hand(release, [p])[1][1] == 0][-1]
    moved = [*(p for p in EVERYBODY if p != away), *[("77", "999", "m")] * Counter(EVERYBODY)[away]]
    assert "fall in other groups" in told(recheck(release, moved))


def test_without_the_population_presence_is_open(release: Path) -> None:
    found = verify(release)
    assert [type(m) for m in found.unjudged] == [Presence]
    assert found.kept is None and not found.mistakes
    [(what, why)] = found.not_judged
    assert what == "(0, 0.4)-presence" and "--population" in why
    assert len(found.verdicts) == 2


def test_the_command_takes_the_population(release: Path, made: Path) -> None:
    run = CliRunner().invoke
    without = run(app, ["verify", str(release)])
    assert without.output.startswith("Not judged: (0, 0.4)-presence. Nothing is known to be broken.")
    assert (without.exit_code, "--population" in without.output) == (3, True)
    given = run(app, ["verify", str(release), "--population", str(made.parent / "people.csv"), "--json"])
    assert given.exit_code == 0
    assert json.loads(given.output)["kept"]


def test_a_population_that_nothing_is_promised_about_is_refused(tmp_path: Path) -> None:
    words = policy_words(tmp_path, EVERYBODY, ["0", "0.4"]) | {"require": [{"k_anonymity": {"k": 2}}]}
    anonymize(policy_from_words(words), tmp_path / "release", source=columns(TABLE))
    assert verify(tmp_path / "release").kept
    with pytest.raises(DiscreetError, match="no promise of this release speaks of it"):
        recheck(tmp_path / "release")


def test_a_population_without_a_column_is_refused(release: Path) -> None:
    with pytest.raises(DiscreetError, match="has no column 'zip'"):
        verify(release, population={"age": ["20"], "Zip": ["120"], "sex": ["f"]})


def test_later_rows_are_refused(release: Path, tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="publish old and new rows together"):
        apply(release, columns(TABLE), tmp_path / "later")
    assert not (tmp_path / "later").exists()


def test_no_file_names_what_only_the_population_has(release: Path) -> None:
    """It may be public, but nobody asked for it."""
    for path in release.iterdir():
        content = path.read_text(encoding="utf-8")
        assert not re.search("(?<![0-9a-f])999(?![0-9a-f])", content)  # but in a checksum, by chance
        assert "people.csv" not in content or path.name in ("manifest.json", "report.html")
    assert "/people.csv" not in (release / "manifest.json").read_text()


def test_a_manifest_without_the_population_is_found_out(release: Path) -> None:
    manifest = manifest_of(release)
    for said in ({}, {"people": 12}):
        manifest["population"] = said
        put_manifest(release, manifest)
        assert not recheck(release).kept
    for said in (None, 5):
        manifest["population"] = said
        put_manifest(release, manifest)
        with pytest.raises(ReleaseError, match="is not what a manifest says there"):
            recheck(release)
