"""A promise that also holds for whoever knows somebody's other sensitive values, from the policy to the second look."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, Infeasible, PolicyError, anonymize, apply, audit_release, policy_from_words, verify
from discreet.models.base import PrivacyModel
from discreet.models.examples import tied_groups
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.l_diversity import (
    DistinctDiversity,
    EntropyDiversity,
    FrequencyDiversity,
    RecursiveDiversity,
)
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.others_known import OthersKnown
from discreet.releases.manifest import checksum
from tests.oracles import cuts, keeps_one
from tests.releases.reading import read_table

Row = tuple[str, str]
MODELS: tuple[PrivacyModel, ...] = (
    DistinctDiversity(2, "s1"),
    EntropyDiversity("3/2", "s1"),
    RecursiveDiversity(2, 2, "s1"),
    FrequencyDiversity("3/2", "s1"),
    AlphaK("2/3", 2, "s1"),
    TCloseness("1/3", "s1"),
    BetaLikeness(1, "s1"),
    DeltaDisclosure(1, "s1"),
)
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.describe())
group = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=6)


def holds(model: PrivacyModel, rows: Sequence[Row], table: Sequence[Row]) -> bool:
    """By definition: the group keeps the promise, and so does every part of it with one value of s2."""
    parts = defaultdict(list)
    for own, other in rows:
        parts[other].append(own)
    whole = [own for own, _ in table]
    return all(keeps_one(model, values, whole) for values in ([own for own, _ in rows], *parts.values()))


@every_model
@given(groups=st.lists(group, min_size=1, max_size=4))
def test_every_verdict_is_that_of_the_definition(model: PrivacyModel, groups: list[list[Row]]) -> None:
    table = [row for rows in groups for row in rows]
    judged = OthersKnown(model)
    expected = [holds(model, rows, table) for rows in groups]
    assert judged.holds(tied_groups(*groups)).tolist() == expected
    levels, alone = judged.level(tied_groups(*groups)), model.level(tied_groups(*groups))
    assert ((levels <= alone) if model.higher_is_safer else (levels >= alone)).all()


@every_model
@given(data=st.data())
def test_merging_two_groups_that_hold_gives_one_that_holds(model: PrivacyModel, data: st.DataObject) -> None:
    groups = data.draw(st.lists(group, min_size=2, max_size=4))
    table = [row for rows in groups for row in rows]
    judged = OthersKnown(model)
    assert judged.monotone
    holding = [rows for rows, ok in zip(groups, judged.holds(tied_groups(*groups)), strict=True) if ok]
    assert all(holds(model, a + b, table) for a, b in product(holding, holding))


@every_model
@settings(max_examples=40)
@given(rows=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), min_size=1, max_size=5))
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(model: PrivacyModel, rows: list[Row]) -> None:
    bound = int(OthersKnown(model).least_suppressed(tied_groups(rows))[0])
    fewest = min(
        sum(len(part) for part in _parts(rows, places) if not holds(model, part, rows)) for places in cuts(len(rows))
    )
    assert 0 <= bound <= fewest


def _parts(rows: Sequence[Row], places: Sequence[int]) -> list[list[Row]]:
    parts = defaultdict(list)
    for row, place in zip(rows, places, strict=True):
        parts[place].append(row)
    return list(parts.values())


def words(*require: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20]}},
            "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [1]}},
            "s1": {"role": "sensitive"},
            "s2": {"role": "sensitive"},
        },
        "require": [*require],
        "suppress": 0.2,
        **more,
    }


def table(seed: int, rows: int = 120) -> dict[str, list[str]]:
    chance = random.Random(seed)
    return {
        "age": [str(chance.randrange(20, 60)) for _ in range(rows)],
        "zip": [chance.choice(["11", "12", "21"]) for _ in range(rows)],
        "s1": [chance.choice(["flu", "HIV", "gout"]) for _ in range(rows)],
        "s2": [chance.choice("xyz") for _ in range(rows)],
    }


TWO = {"l_diversity": {"l": 2, "others_known": True}}


def parts_of(folder: Path) -> dict[Any, set[str]]:
    """The values of s1 and of s2 beside each other, group by group, as anybody can read them."""
    names, rows = read_table(folder)
    parts: dict[Any, set[str]] = defaultdict(set)
    for row in rows:
        said = dict(zip(names, row, strict=True))
        for own, other in (("s1", "s2"), ("s2", "s1")):
            parts[said["age"], said["zip"], own, said[other]].add(said[own])
    return parts


SEARCHES = [
    ("generalization", "optimal"),
    ("generalization", "incognito"),
    ("generalization", "optimize"),
    ("multidimensional", "mondrian"),
    ("local_recoding", "local"),
]


@pytest.mark.parametrize(("publish", "search"), SEARCHES)
def test_every_search_for_coarser_values_keeps_it(tmp_path: Path, publish: str, search: str) -> None:
    for promise in (TWO, {"t_closeness": {"t": 0.5, "others_known": True}}):
        folder = tmp_path / next(iter(promise))
        made = anonymize(policy_from_words(words(promise, publish=publish, search=search)), folder, source=table(1))
        assert made.manifest["rows"]["published"] >= 96
        if promise is TWO:
            assert all(len(values) >= 2 for values in parts_of(folder).values())
        assert verify(folder).kept
        audit = audit_release(folder, source=table(1))
        assert audit.kept is True and not audit.faults
        assert [level.achieved for level in audit.levels] == pytest.approx(
            [promise["level"] for promise in made.manifest["promises"]]
        )
        page = (folder / "report.html").read_text()
        assert "That also holds for whoever knows the row&#39;s other sensitive values." in page
        assert "Learning s2 from s1" not in page


@pytest.mark.parametrize("seed", range(4))
def test_the_optimal_search_finds_the_best_of_all_nodes(tmp_path: Path, seed: int) -> None:
    rows = table(seed, 40)
    made = anonymize(policy_from_words(words(TWO)), tmp_path / "r", source=rows)
    listed = list(zip(*rows.values(), strict=True))
    widths = (1, 5, 10, 20, 1000)

    def loss(age: int, zip_level: int) -> float | None:
        """Of a node, if it loses no more than 8 rows; None otherwise."""
        shown = [(int(a) // widths[age], (z, z[:1], "")[zip_level]) for a, z, _, _ in listed]
        groups = defaultdict(list)
        for look, row in zip(shown, listed, strict=True):
            groups[look].append(row[2:])
        failing = {
            look
            for look, group in groups.items()
            for own in (0, 1)
            for other in {row[1 - own] for row in group}
            if len({row[own] for row in group if row[1 - own] == other}) < 2
        }
        if sum(look in failing for look in shown) > 8:
            return None
        losses = []
        for place in (0, 1):
            leaves = {row[place] for row in listed}
            within = {
                look[place]: len({row[place] for s, row in zip(shown, listed, strict=True) if s[place] == look[place]})
                for look in shown
            }
            each = [1 if s in failing else (within[s[place]] - 1) / (len(leaves) - 1) for s in shown]
            losses.append(sum(each) / len(each))
        return sum(losses) / 2

    possible = [found for a, z in product(range(5), range(3)) if (found := loss(a, z)) is not None]
    assert made.figures["loss"] == pytest.approx(min(possible))


def test_columns_that_determine_each_other_can_not_be_published(tmp_path: Path) -> None:
    tied = {**table(1, 6), "s1": ["flu", "flu", "HIV", "HIV", "gout", "gout"], "s2": [*"xxyyzz"]}
    anonymize(policy_from_words(words({"l_diversity": {"l": 3}})), tmp_path / "alone", source=tied)
    with pytest.raises(Infeasible, match="beside the other sensitive values"):
        anonymize(policy_from_words(words(TWO)), tmp_path / "r", source=tied)


def promised(manifest: dict[str, Any]) -> None:
    """The promise of a release that was made without."""
    for promise in manifest["promises"]:
        promise["model"]["l_diversity"]["others_known"] = True
        promise["promise"] += ", beside the other sensitive values"
    manifest["policy"]["require"] = [promise["model"] for promise in manifest["promises"]]


def forged(folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_whoever_looks_again_finds_it_broken(tmp_path: Path) -> None:
    tied = {**table(1, 6), "s1": ["flu", "flu", "HIV", "HIV", "gout", "gout"], "s2": [*"xxyyzz"]}
    anonymize(policy_from_words(words({"l_diversity": {"l": 3}})), tmp_path / "r", source=tied)
    assert audit_release(tmp_path / "r").kept is True
    folder = forged(tmp_path / "r", promised)
    findings = verify(folder)
    assert [v.holds for v in findings.verdicts] == [False, False]
    assert [v.level for v in findings.verdicts] == [1.0, 1.0]
    audit = audit_release(folder)
    assert audit.kept is False
    assert [(level.achieved, level.holds) for level in audit.levels] == [(1.0, False), (1.0, False)]


@pytest.mark.parametrize("publish", ["generalization", "multidimensional"])
def test_it_goes_with_promises_about_who_is_in_the_table(tmp_path: Path, publish: str) -> None:
    everybody = table(4, 300) | {"enrolled": ["yes", "no"] * 150}
    asked = words({"presence": {"delta": [0, 0.8]}}, TWO, publish=publish, private={"enrolled": "yes"}, suppress=0)
    anonymize(policy_from_words(asked), tmp_path / "r", source=everybody)
    assert all(len(values) >= 2 for values in parts_of(tmp_path / "r").values())
    assert verify(tmp_path / "r", population={name: everybody[name] for name in ("age", "zip")}).kept


def test_later_rows_keep_it_too(tmp_path: Path) -> None:
    anonymize(policy_from_words(words(TWO)), tmp_path / "1", source=table(1))
    apply(tmp_path / "1", table(2, 300), tmp_path / "2", all_new=True)
    assert all(len(values) >= 2 for values in parts_of(tmp_path / "2").values())
    assert verify(tmp_path / "2").kept


def test_a_file_of_others_is_read_the_same(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("age,s1,s2\n20-39,flu,x\n20-39,HIV,x\n20-39,flu,y\n20-39,HIV,y\n")
    description: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["s1", "s2"], "promises": [TWO]}
    assert audit_release(file, description=description).kept is True
    file.write_text(file.read_text() + "20-39,gout,z\n")
    assert audit_release(file, description=description).kept is False
    # Of one column alone, nothing is known to be kept or broken.
    alone = audit_release(file, description={**description, "sensitive": ["s1"], "others": ["s2"]})
    assert alone.kept is None
    with pytest.raises(DataError, match="must be true or false"):
        audit_release(file, description={**description, "promises": [{"l_diversity": {"l": 2, "others_known": 1}}]})


@pytest.mark.parametrize(
    ("require", "more", "rule"),
    [
        ({"l_diversity": {"l": 2, "others_known": "yes"}}, {}, "others_known: must be true or false, got 'yes'"),
        ({"k_anonymity": {"k": 2, "others_known": True}}, {}, "others_known: no such parameter"),
        (TWO, {"search": "instant"}, "does not tell which sensitive values stand in one row"),
    ],
)
def test_what_can_not_be_meant_is_told(require: dict[str, Any], more: dict[str, Any], rule: str) -> None:
    with pytest.raises(PolicyError, match=rule):
        policy_from_words(words(require, **more))
    attributes = {name: said for name, said in words()["attributes"].items() if name != "s2"}
    with pytest.raises(PolicyError, match="there is no other sensitive attribute"):
        policy_from_words(words(TWO) | {"attributes": attributes})


def test_words_are_written_back() -> None:
    policy = policy_from_words(
        words(TWO, {"alpha_k": {"alpha": 0.5, "k": 2, "attribute": "s2", "others_known": False}})
    )
    assert [model.to_words() for model in policy.models] == [
        {"l_diversity": {"l": 2, "attribute": "s1", "kind": "distinct", "others_known": True}},
        {"l_diversity": {"l": 2, "attribute": "s2", "kind": "distinct", "others_known": True}},
        {"alpha_k": {"alpha": 0.5, "k": 2, "attribute": "s2"}},
    ]


def test_beside_a_person_s_column_it_is_refused_with_the_reason() -> None:
    """It is judged by rows: of people with several nothing would be promised, though the report speaks of people."""
    attributes = {name: {"role": "sensitive"} for name in ("s1", "s2")} | {"who": {"role": "person"}}
    require = [{"l_diversity": {"l": 2, "others_known": True}}]
    with pytest.raises(PolicyError, match="others_known judges parts of groups one by one"):
        policy_from_words({"attributes": {"q": {"role": "quasi_identifier"}, **attributes}, "require": require})
