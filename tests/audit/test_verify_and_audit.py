"""Two judges of one release: `verify` says that it is kept if and only if the audit does not say that it is broken."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.errors import DiscreetError
from tests.audit.releasing import manifest_of, read_table, resign, write_table

PROMISES: list[list[dict[str, dict[str, Any]]]] = [
    [{"t_closeness": {"t": 0.4}}],
    [{"t_closeness": {"t": 0.5, "distance": "ordered"}}],
    [{"k_anonymity": {"k": 2}}],
    [{"k_anonymity": {"k": 2}}, {"t_closeness": {"t": 0.6}}],
    [{"beta_likeness": {"beta": 1}}],
    [{"beta_likeness": {"beta": 2, "kind": "enhanced"}}],
    [{"delta_disclosure": {"delta": 1}}],
    [{"l_diversity": {"l": 2}}],
    [{"l_diversity": {"l": 1.5, "kind": "entropy"}}],
    [{"l_diversity": {"l": 2, "kind": "recursive", "c": 2}}],
    [{"alpha_k": {"alpha": 0.6, "k": 2}}],
    [{"realistic": {"class": "III", "epsilon": 3}}],
    [{"realistic": {"class": "I", "epsilon": 4, "stubbornness": 1, "predicates": ["flu"]}}],
]
APART: list[list[dict[str, dict[str, Any]]]] = [
    [{"l_diversity": {"l": 2, "kind": "frequency"}}],
    [{"alpha_k": {"alpha": 0.7, "k": 2}}],
    [{"robust": {"r": 2, "min_support": 2, "values": ["flu"]}}],
]
TAXONOMY = [["Spain", "Europe"], ["France", "Europe"], ["Peru", "America"], ["Chile", "America"]]


def small_case(draw: random.Random) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """A small table, and a policy for it."""
    rows = draw.randint(4, 14)
    table = {
        "age": [str(draw.randint(20, 27)) for _ in range(rows)],
        "nation": [draw.choice(["Spain", "France", "Peru", "Chile"]) for _ in range(rows)],
        "disease": [draw.choice(["flu", "flu", "cold", "gout"]) for _ in range(rows)],
    }
    kind = draw.choice(["generalization", "generalization", "multidimensional", "local_recoding", "bucketization"])
    known: dict[str, Any] = {"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [2, 4]}}}
    if draw.random() < 0.6:
        known["nation"] = {"role": "quasi_identifier", "hierarchy": {"taxonomy": TAXONOMY}}
    policy = {
        "attributes": known | {"disease": {"role": "sensitive"}},
        "require": draw.choice(APART if kind == "bucketization" else PROMISES),
        "publish": kind,
        "suppress": draw.choice([0, 0.2]),
        "suppressed": draw.choice(["star", "drop"]) if kind not in ("bucketization",) else "drop",
        "seed": 1,
    }
    return {c: v for c, v in table.items() if c in policy["attributes"]}, policy


def published(draw: random.Random, folder: Path) -> dict[str, list[Any]] | None:
    table, words = small_case(draw)
    try:
        discreet.anonymize(discreet.policy_from_words(words), folder, source=table)
    except DiscreetError:
        return None  # no such release is possible
    return table


@pytest.mark.parametrize("seed", [0, 3, 5, 7, 9])
def test_what_verify_accepts_the_audit_does_not_call_broken(tmp_path: Path, seed: int) -> None:
    draw, releases = random.Random(seed), 0
    for i in range(12):
        folder = tmp_path / str(i)
        table = published(draw, folder)
        if table is None:
            continue
        releases += 1
        for source in (None, table):
            findings, audit = discreet.verify(folder, source=source), discreet.audit_release(folder, source=source)
            graves = [fault for fault in audit.faults if fault.grave]
            assert (audit.kept is not False) == bool(findings.kept or findings.unjudged), (graves, audit.broken)
        shutil.rmtree(folder)
    assert releases > 3


def test_a_level_of_nought_may_be_told_with_rounding(tmp_path: Path) -> None:
    """One group: its shares are the table's, but for the last digit of a logarithm."""
    table = {"age": ["20"] * 13, "disease": ["flu"] * 5 + ["cold"] * 6 + ["gout"] * 2}
    attributes = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    words = {"attributes": attributes, "require": [{"delta_disclosure": {"delta": 1}}]}
    discreet.anonymize(discreet.policy_from_words(words), tmp_path / "r", source=table)
    told = manifest_of(tmp_path / "r")["promises"]
    resign(tmp_path / "r", promises=[promise | {"level": 2.220446049250313e-16} for promise in told])
    assert discreet.audit_release(tmp_path / "r").kept is True


def test_a_group_of_one_value_that_a_promise_allows_is_a_sign(tmp_path: Path) -> None:
    table = {"who": ["a"] * 3 + ["b"] * 3, "disease": ["flu", "flu", "flu", "flu", "cold", "cold"]}
    words = {
        "attributes": {"who": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "require": [{"t_closeness": {"t": 0.4}}],
        "suppress": 0,
    }
    discreet.anonymize(discreet.policy_from_words(words), tmp_path / "release", source=table)
    assert discreet.verify(tmp_path / "release").kept
    audit = discreet.audit_release(tmp_path / "release", source=table)
    assert audit.kept is True
    [sign] = [fault for fault in audit.faults if fault.fault == "homogeneous_group"]
    assert not sign.grave and "told of 3 rows" in sign.rule
    strict = [{"model": {"l_diversity": {"l": 2}}, "level": 1.0, "deciding_group": None}]
    resign(tmp_path / "release", promises=strict)
    broken = discreet.audit_release(tmp_path / "release")
    assert broken.kept is False and any(f.fault == "homogeneous_group" and f.grave for f in broken.faults)


def test_a_share_above_what_robustness_allows_is_broken_whatever_she_knows(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    write_table(folder / "people.csv", [{"age": a, "gid": g} for a, g in (("20", 1), ("21", 1), ("22", 1))])
    write_table(folder / "values.csv", [{"gid": 1, "disease": d} for d in ("flu", "flu", "cold")])
    about: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "group": "gid"}
    about |= {"tables": {"people.csv": ["age"], "values.csv": ["disease"]}}
    for r, holds in ((2, False), (1.5, None)):
        audit = discreet.audit_release(folder, description=about | {"promises": [{"robust": {"r": r}}]})
        assert [level.holds for level in audit.levels] == [holds]


@pytest.mark.parametrize("seed", range(3))
def test_values_that_were_exchanged_are_judged_alike(tmp_path: Path, seed: int) -> None:
    """Somebody exchanges sensitive values and makes all fingerprints fit: both judge the promises of what is there."""
    draw, different = random.Random(100 + seed), 0
    for i in range(12):
        folder = tmp_path / str(i)
        table = published(draw, folder)
        if table is None or not (folder / "data.csv").exists():
            continue
        rows = read_table(folder / "data.csv")
        values = [row["disease"] for row in rows]
        draw.shuffle(values)
        write_table(folder / "data.csv", [row | {"disease": v} for row, v in zip(rows, values, strict=True)])
        resign(folder)
        verdicts, levels = discreet.verify(folder).verdicts, discreet.audit_release(folder).levels
        assert verdicts
        kept = all(verdict.holds for verdict in verdicts)
        different += not kept
        assert kept == all(level.holds for level in levels)
    assert different
