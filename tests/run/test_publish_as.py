"""Columns published as something coarser: as if the table had never had other values."""

from __future__ import annotations

import csv
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, audit_release, policy_from_words, verify
from discreet.errors import DataError, DiscreetError, HierarchyError, PolicyError
from discreet.run.from_summary import advice, save_summary
from discreet.run.verify import warnings

Table = dict[str, list[Any]]
WIDTH = 200
COSTS: dict[str, Any] = {"role": "sensitive", "publish_as": {"intervals": [WIDTH]}}
VISITS: dict[str, Any] = {"role": "other", "publish_as": {"dates": ["month"]}}
ALREADY = {"role": "sensitive", "hierarchy": {"labels": {"intervals": [WIDTH], "decimals": True}}}


def table(rows: int = 300, seed: int = 1) -> Table:
    """Costs to the cent, nearly all different, and days."""
    draw = random.Random(seed)
    return {
        "age": [str(draw.randint(20, 60)) for _ in range(rows)],
        "zip": [str(47900 + draw.randint(0, 30)) for _ in range(rows)],
        "cost": [None if draw.random() < 0.01 else f"{draw.uniform(0, 2000):.2f}" for _ in range(rows)],
        "visit": [f"202{draw.randint(0, 3)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}" for _ in range(rows)],
    }


def by_hand(fine: Table) -> Table:
    """The same table, made coarser beforehand by somebody with a pencil."""

    def label(cost: str | None) -> str | None:
        low = None if cost is None else math.floor(float(cost) / WIDTH) * WIDTH
        return None if low is None else f"[{low}, {low + WIDTH})"

    return {**fine, "cost": [label(cost) for cost in fine["cost"]], "visit": [day[:7] for day in fine["visit"]]}


def words(cost: Any = COSTS, visit: Any = VISITS, **more: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
        "cost": cost,
        "visit": visit,
    }
    attributes = {name: about for name, about in attributes.items() if about is not None}
    promises = [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 3}}]
    return {"attributes": attributes, "require": promises, "seed": 4, "suppress": 0.05, **more}


T_CLOSE = {"t_closeness": {"t": 0.4, "distance": "ordered"}}
KINDS: dict[str, dict[str, Any]] = {
    "generalization": {},
    "stars": {"suppressed": "star"},
    "ordered": {"require": [T_CLOSE]},
    "instant": {"search": "instant", "visit": None},
    "multidimensional": {"publish": "multidimensional"},
    "local_recoding": {"publish": "local_recoding"},
    "bucketization": {"publish": "bucketization", "require": [{"l_diversity": {"l": 3}}]},
    "robust": {"publish": "bucketization", "require": [{"robust": {"r": 2, "values": ["[0, 200)"]}}], "suppress": 0.3},
    "ambiguity": {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 0.5, "beta": 0.5}}], "visit": None},
    "realistic": {"require": [{"realistic": {"class": "II", "stubbornness": 30, "epsilon": 9,
                                             "predicates": ["[0, 200)", {"not": "[200, 400)"}]}}]},
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_that_of_a_table_made_coarser_beforehand(tmp_path: Path, kind: str) -> None:
    fine = table()
    coarse, visit = by_hand(fine), {"role": "other"} if "visit" not in KINDS[kind] else None
    release = anonymize(policy_from_words(words(**KINDS[kind])), tmp_path / "one", source=fine)
    beforehand = policy_from_words(words(**{"visit": visit, **KINDS[kind], "cost": ALREADY}))
    expected = anonymize(beforehand, tmp_path / "two", source=coarse)
    tables = sorted(file.name for file in (tmp_path / "two").glob("*.csv"))
    assert tables == sorted(file.name for file in (tmp_path / "one").glob("*.csv"))
    for name in tables:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert release.manifest["promises"] == expected.manifest["promises"]
    assert release.report.answers == expected.report.answers, "COUNT queries are about what is published"
    for source in (None, fine):
        found = verify(tmp_path / "one", source=source)
        assert found.kept or (source is None and found.unjudged and not found.mistakes)
    audited = audit_release(tmp_path / "one", source=fine)
    assert audited.kept
    assert not [fault for fault in audited.faults if fault.grave]


def test_nothing_in_the_folder_tells_an_exact_value(tmp_path: Path) -> None:
    fine = table()
    anonymize(policy_from_words(words()), tmp_path / "release", source=fine)
    told = b"".join(file.read_bytes() for file in (tmp_path / "release").iterdir()).decode()
    for exact in [*(cost for cost in fine["cost"] if cost and len(cost) > 5), *fine["visit"]]:
        assert exact not in told


def test_what_is_published_as_what_is_told(tmp_path: Path) -> None:
    fine = table()
    release = anonymize(policy_from_words(words()), tmp_path / "release", source=fine)
    level = {"intervals": [WIDTH], "origin": 0, "decimals": True}
    assert release.manifest["published_as"] == {"cost": level, "visit": {"dates": ["month"]}}
    assert release.manifest["hierarchies"]["cost"] == {"labels": level}
    labels = len(set(by_hand(fine)["cost"]))
    values = len(set(fine["cost"]))
    note = f"cost has {values:,} different values; published, and judged, are {labels:,} coarser ones"
    assert note in release.figures["notes"]
    assert not any("different values" in note for note in release.manifest["notes"])
    assert any(note.startswith("visit is published coarser: nothing is promised") for note in release.manifest["notes"])
    page = (tmp_path / "release" / "report.html").read_text(encoding="utf-8")
    assert "published coarser, protected by the groups" in page
    assert f"cost is published as spans of {WIDTH}" in page
    assert "sensitive values are exact" not in page


def test_the_warning_of_values_that_find_rows_is_gone(tmp_path: Path) -> None:
    fine = table()
    exact = anonymize(policy_from_words(words({"role": "sensitive"})), tmp_path / "exact", source=fine)
    found = [one for one in exact.report.warnings if one.sentence.startswith("cost:")]
    assert [one.grave for one in found] == [True]
    assert "publish_as" in found[0].sentence
    repairs = [fault.repair for fault in audit_release(tmp_path / "exact").faults if fault.place == "cost"]
    assert len(repairs) == 1 and "publish_as" in repairs[0]
    coarser = anonymize(policy_from_words(words()), tmp_path / "coarser", source=fine)
    assert not [one for one in coarser.report.warnings if one.sentence.startswith("cost:") and one.grave]
    assert not [
        one for one in warnings(tmp_path / "coarser", verify(tmp_path / "coarser")) if "no other row" in one.sentence
    ]
    assert not [fault for fault in audit_release(tmp_path / "coarser").faults if fault.place == "cost"]


def test_a_promise_that_values_to_the_cent_keep_by_themselves_is_judged_by_the_coarse_ones(tmp_path: Path) -> None:
    """All costs of one postcode lie in one interval: exactly, they are three-diverse."""
    fine = {
        "zip": ["47901"] * 6 + ["47902"] * 6,
        "cost": [f"{100 + i}.50" for i in range(6)] + [f"{150 * i}.50" for i in range(6)],
    }
    about = {"zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4]}}, "cost": {"role": "sensitive"}}
    asked = {"attributes": about, "require": [{"l_diversity": {"l": 3}}], "seed": 1}
    exact = anonymize(policy_from_words(asked), tmp_path / "exact", source=fine)
    assert exact.figures["node"] == {"zip": 0}
    about["cost"] = {"role": "sensitive", "publish_as": {"intervals": [200]}}
    coarser = anonymize(policy_from_words(asked), tmp_path / "coarser", source=fine)
    assert coarser.figures["node"] == {"zip": 1}


@pytest.mark.parametrize("kind", ["generalization", "bucketization"])
def test_one_untrue_label_is_caught_beside_the_source(tmp_path: Path, kind: str) -> None:
    fine = table(seed=3)
    anonymize(policy_from_words(words(**KINDS[kind])), tmp_path / "release", source=fine)
    other = {**fine, "cost": [*fine["cost"]]}
    at = next(i for i, cost in enumerate(fine["cost"]) if cost and float(cost) < WIDTH)
    other["cost"][at] = f"{float(fine['cost'][at]) + 1:.2f}"
    assert verify(tmp_path / "release", source=other).kept is (float(other["cost"][at]) < WIDTH)
    for i in range(20):  # more than rows that were left out could explain
        other["cost"][i] = "5000.00"
    assert verify(tmp_path / "release", source=other).kept is False
    assert audit_release(tmp_path / "release", source=other).kept is False


def test_conditions_of_private_rows_are_on_exact_values(tmp_path: Path) -> None:
    fine = table()
    people = {"private": {"cost": {"from": 100, "to": 1100}}}
    release = anonymize(policy_from_words(words(**people)), tmp_path / "release", source=fine)
    assert release.manifest["rows"]["source"] == sum(100 <= float(cost or 0) <= 1100 for cost in fine["cost"])
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([fine, *zip(*fine.values(), strict=True)])
    chosen = policy_from_words({**words(**people), "source": "people.csv"}, tmp_path)
    assert verify(tmp_path / "release", source=chosen).kept


def test_new_rows_are_published_the_same_way(tmp_path: Path) -> None:
    anonymize(policy_from_words(words(suppress=0.5)), tmp_path / "first", source=table(600))
    later = table(600, seed=2)
    release = apply(tmp_path / "first", later, tmp_path / "second", all_new=True, seed=3)
    assert release.manifest["published_as"]["cost"] == {"intervals": [WIDTH], "origin": 0, "decimals": True}
    with (tmp_path / "second" / "data.csv").open(encoding="utf-8", newline="") as file:
        assert {row["cost"] for row in csv.DictReader(file)} <= {cost or "" for cost in by_hand(later)["cost"]}
    assert verify(tmp_path / "second", source=later).kept


def test_whoever_has_several_rows_is_judged_by_coarse_values(tmp_path: Path) -> None:
    fine = table(400)
    fine["patient"] = [f"p{i // 2}" for i in range(400)]
    asked = words(visit=None, require=[{"l_diversity": {"l": 3}}])
    asked["attributes"]["patient"] = {"role": "person"}
    anonymize(policy_from_words(asked), tmp_path / "release", source=fine)
    assert verify(tmp_path / "release", source=fine).kept
    coarse, beforehand = by_hand(fine), words(ALREADY, visit=None, require=[{"l_diversity": {"l": 3}}])
    beforehand["attributes"]["patient"] = {"role": "person"}
    anonymize(policy_from_words(beforehand), tmp_path / "expected", source=coarse)
    assert (tmp_path / "release" / "data.csv").read_bytes() == (tmp_path / "expected" / "data.csv").read_bytes()


def test_a_taxonomy_goes_on_above_what_is_published(tmp_path: Path) -> None:
    codes = [f"{letter}{digit}" for letter in "ABC" for digit in range(6)]
    (tmp_path / "codes.csv").write_text(
        "".join(f"{code};{code[0]}{int(code[1]) // 2};{code[0]};*\n" for code in codes), encoding="utf-8"
    )
    draw = random.Random(5)
    fine = {**table(), "cost": [draw.choice(codes) for _ in range(300)]}
    about = {"role": "sensitive", "publish_as": {"taxonomy": "codes.csv", "level": 1}}
    asked = words(about, require=[{"t_closeness": {"t": 0.5, "distance": "hierarchical"}}])
    release = anonymize(policy_from_words(asked, tmp_path), tmp_path / "release", source=fine)
    told = release.manifest["hierarchies"]["cost"]["taxonomy"]
    assert [tuple(row) for row in told] == [(f"{letter}{i}", letter) for letter in "ABC" for i in range(3)]
    assert release.manifest["published_as"]["cost"]["level"] == 1
    assert "publish_as" not in release.manifest["policy"]["attributes"]["cost"], "a file is nobody's business"
    assert verify(tmp_path / "release", source=fine).kept
    assert audit_release(tmp_path / "release", source=fine).kept


def test_levels_above_intervals_are_unions_of_them(tmp_path: Path) -> None:
    above = {**COSTS, "hierarchy": {"intervals": [400, 800]}}
    hierarchical = [{"t_closeness": {"t": 0.5, "distance": "hierarchical"}}]
    release = anonymize(policy_from_words(words(above, require=hierarchical)), tmp_path / "release", source=table())
    assert verify(tmp_path / "release", source=table()).kept
    upper = release.manifest["hierarchies"]["cost"]["hierarchy"]
    assert upper == {"intervals": [400, 800], "origin": 0, "decimals": True}
    torn = {**COSTS, "hierarchy": {"intervals": [300]}}
    with pytest.raises(HierarchyError, match="published alike become different"):
        anonymize(policy_from_words(words(torn)), tmp_path / "torn", source=table())


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "nation.csv").write_text("Spain;South;Europe;*\nPeru;South;America;*\n", encoding="utf-8")
    wrong: dict[str, Any] = {
        "age": {"role": "quasi_identifier", "publish_as": {"intervals": [10]}},
        "name": {"role": "identifier", "publish_as": {"prefixes": [1]}},
        "cost": {"role": "sensitive", "publish_as": {"intervals": [100, 1000]}},
        "q": {"role": "sensitive", "publish_as": {"quantiles": 4}},
        "f": {"role": "other", "publish_as": {"flat": True}},
        "w": {"role": "other", "publish_as": {"intervalls": [5]}},
        "l": {"role": "other", "publish_as": {"dates": ["month"], "level": 1}},
        "n": {"role": "other", "publish_as": "nation.csv"},
        "t": {"role": "other", "publish_as": {"taxonomy": [["a", "b"]], "level": 2}},
        "s": {"role": "other", "publish_as": {"taxonomy": [["a", "b"]], "sets": True}},
        "e": {"role": "other", "publish_as": {"taxonomy": [["a"], ["b"]]}},
        "m": {"role": "other", "publish_as": 5},
    }
    with pytest.raises(PolicyError) as refusal:
        policy_from_words({"attributes": wrong, "require": [{"k_anonymity": {"k": 2}}]}, tmp_path)
    told = {mistake.place: mistake.rule for mistake in refusal.value.mistakes}
    for place, rule in {
        "attributes.age.publish_as": "is for sensitive and other columns",
        "attributes.name.publish_as": "never published",
        "attributes.cost.publish_as": "has 2 levels",
        "attributes.q.publish_as.quantiles": "follow the rows",
        "attributes.f.publish_as.flat": "no level between",
        "attributes.w.publish_as": "no such kind of hierarchy: 'intervalls'",
        "attributes.l.publish_as.level": "is for a taxonomy",
        "attributes.n.publish_as": "",
        "attributes.t.publish_as.level": "must be a level between a value and *: 1, got 2",
        "attributes.s.publish_as.sets": "is of no use",
        "attributes.e.publish_as": "has no level between",
        "attributes.m.publish_as": "must be the path of a taxonomy",
    }.items():
        assert rule in told[place], place


def test_values_that_the_words_do_not_know_are_told_at_once(tmp_path: Path) -> None:
    about = {"role": "sensitive", "publish_as": {"taxonomy": [["flu", "lungs"], ["gout", "joints"]]}}
    source = {**table(6), "cost": ["flu", "gout", "measles", None, "", "flu"], "visit": ["soon", *["2024-01-01"] * 5]}
    with pytest.raises(HierarchyError) as refusal:
        anonymize(policy_from_words(words(about)), tmp_path / "release", source=source)
    places = {mistake.place: mistake.rule for mistake in refusal.value.mistakes}
    assert "missing in the taxonomy" in places["attributes.cost.publish_as"]
    assert "not a date" in places["attributes.visit.publish_as"]
    assert not (tmp_path / "release").exists()


def test_statistics_of_a_database_know_nothing_of_it() -> None:
    with pytest.raises(PolicyError, match="statistics are about the values themselves"):
        policy_from_words(words(search="instant", summary="statistics", visit=None))
    with pytest.raises(PolicyError, match="statistics are about the values themselves"):
        advice(policy_from_words(words(visit=None)), table())


def test_a_summary_of_exact_values_is_not_taken_for_one_of_coarser_ones(tmp_path: Path) -> None:
    fine = table()
    exact = words({"role": "sensitive"}, None, search="instant", summary="exact")
    save_summary(policy_from_words(exact), tmp_path / "saved.summary", source=fine)
    coarser = words(visit=None, search="instant", summary=str(tmp_path / "saved.summary"))
    with pytest.raises(DataError, match="make the summary again"):
        anonymize(policy_from_words(coarser), tmp_path / "release", source=fine)


def test_a_manifest_that_names_a_file_as_a_level_is_refused(tmp_path: Path) -> None:
    anonymize(policy_from_words(words()), tmp_path / "release", source=table())
    path = tmp_path / "release" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["published_as"]["cost"] = {"taxonomy": "/etc/passwd"}
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DiscreetError, match="published_as"):
        verify(tmp_path / "release")
