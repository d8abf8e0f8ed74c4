"""Wishes of people from the policy to the second look: read, kept, never published, judged again with the source."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet import (
    DataError,
    DiscreetError,
    PolicyError,
    anonymize,
    apply,
    audit_release,
    policy_from_words,
    verify,
)
from discreet.cli.main import app
from discreet.models.realistic.wished import OneByOne
from discreet.run.compare import compare
from tests.audit.releasing import manifest_of
from tests.releases.reading import read_table

WISHES = ["", "HIV", "", "not flu", "{HIV, gout}", "", '"cold" | gout', "each"]
ROWS = 240
TABLE: dict[str, list[str]] = {
    "age": [str(20 + 7 * i % 50) for i in range(ROWS)],
    "zip": [str(47900 + i * i % 17) for i in range(ROWS)],
    "disease": [("flu", "flu", "HIV", "gout", "cold")[(i + i // 7) % 5] for i in range(ROWS)],
    "secret wish": [WISHES[i * i % 23 % len(WISHES)] for i in range(ROWS)],
}
ATTRIBUTES: dict[str, Any] = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
    "disease": {"role": "sensitive"},
    "secret wish": {"role": "wishes"},
}
ONE_BY_ONE, UNITED = {"wishes": True}, {"wishes": "united"}


FEW = TABLE | {"secret wish": ["HIV" if age > "68" else "" for age in TABLE["age"]]}


def words(predicates: object = ONE_BY_ONE, **more: Any) -> dict[str, Any]:
    promise = {"class": "II", "stubbornness": 9, "epsilon": 5, "predicates": predicates}
    return {"attributes": ATTRIBUTES, "require": [{"realistic": promise}], "seed": 3} | more


def published(folder: Path, predicates: object = ONE_BY_ONE, source: Any = TABLE, **more: Any) -> Path:
    anonymize(policy_from_words(words(predicates, **more)), folder, source=source)
    return folder


KINDS: dict[str, dict[str, Any]] = {
    "one by one": {},
    "one by one, suppressed": {"suppress": 0.2},
    "one by one, stars": {"suppress": 0.2, "suppressed": "star"},
    "one by one, incognito": {"search": "incognito"},
    "one by one, cuts": {"search": "optimize", "time_limit": 2, "suppress": 0.1},
    "one by one, parquet": {"format": "parquet"},
    "one by one, rules that follow the data": {
        "attributes": ATTRIBUTES | {name: {"role": "quasi_identifier"} for name in ("age", "zip")}
    },
    "one by one, rewritten by the engine": {"attributes": ATTRIBUTES | {"zip": {"role": "other"}}},
    "united": {"predicates": UNITED},
    "united, multidimensional": {"predicates": UNITED, "publish": "multidimensional"},
    "united, local recoding": {"predicates": UNITED, "publish": "local_recoding", "suppress": 0.1},
    "united, bucketization": {
        "predicates": UNITED,
        "publish": "bucketization",
        "require": [
            {"l_diversity": {"l": 2, "kind": "frequency"}},
            {"realistic": {"class": "III", "epsilon": 9, "predicates": UNITED}},
        ],
        "suppress": 0.2,
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_file_to_be_published_has_the_column_or_a_wish(tmp_path: Path, kind: str) -> None:
    folder = published(tmp_path / "release", **KINDS[kind])
    manifest = manifest_of(folder)
    assert "secret wish" not in manifest["columns"] and manifest["roles"]["secret wish"] == "wishes"
    for file in folder.iterdir():
        if file.suffix == ".csv":
            header, *_ = file.read_text(encoding="utf-8").splitlines()
            assert "wish" not in header
        text = file.read_bytes().decode("utf-8", errors="replace")
        assert not any(wish in text for wish in ("{HIV", "| gout", "not flu", '""cold'))


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_alone_leave_it_open_and_the_source_decides(tmp_path: Path, kind: str) -> None:
    folder = published(tmp_path / "release", **KINDS[kind])
    alone, beside = verify(folder), verify(folder, source=TABLE)
    assert alone.kept is None and len(alone.unjudged) == 1 and not alone.mistakes
    assert "only the original table tells" in alone.not_judged[0][1] and "--source" in alone.not_judged[0][1]
    assert beside.kept is True
    others = {name: column for name, column in TABLE.items() if name != "secret wish"}
    assert verify(folder, source=others).kept is None  # the table without its wishes
    [promise] = [p for p in manifest_of(folder)["promises"] if "realistic" in p["model"]]
    assert promise["level"] is None and promise["deciding_group"] is None  # what is reached tells of the wishes


@pytest.mark.parametrize("kind", KINDS)
def test_an_audit_leaves_it_open_too_and_judges_with_the_source_by_code_of_its_own(tmp_path: Path, kind: str) -> None:
    folder = published(tmp_path / "release", **KINDS[kind])
    alone, beside = audit_release(folder), audit_release(folder, source=TABLE)
    assert alone.kept is None
    assert [level.note for level in alone.unjudged] == ["needs what was asked for: the source table, with its wishes"]
    [level] = [level for level in beside.levels if level.model == "realistic"]
    [verdict] = [
        v for v in verify(folder, source=TABLE).verdicts if v.model.attribute and "realistic" in v.model.to_words()
    ]
    assert level.holds is True and level.achieved == pytest.approx(verdict.level)


def test_a_release_of_other_wishes_is_broken_for_verify_and_audit_alike(tmp_path: Path) -> None:
    nobody = TABLE | {"secret wish": ["" if i else "flu" for i in range(ROWS)]}
    folder = published(tmp_path / "release", source=nobody)
    assert verify(folder, source=nobody).kept is True
    everybody = TABLE | {"secret wish": ["each"] * ROWS}
    assert verify(folder, source=everybody).kept is False
    audit = audit_release(folder, source=everybody)
    assert [level.holds for level in audit.levels] == [False] and audit.kept is False
    unreadable = TABLE | {"secret wish": ["{HIV"] * ROWS}
    assert verify(folder, source=unreadable).kept is None
    assert [level.note for level in audit_release(folder, source=unreadable).levels] == [
        "the source has wishes that can't be read"
    ]


@pytest.mark.parametrize("seed", [1, 4, 6])
def test_verify_and_audit_agree_on_small_tables_whatever_people_ask_for(tmp_path: Path, seed: int) -> None:
    draw, releases = random.Random(seed), 0
    for i in range(10):
        rows = draw.randint(4, 14)
        table = {
            "age": [str(draw.randint(20, 27)) for _ in range(rows)],
            "disease": [draw.choice(["flu", "flu", "HIV", "gout"]) for _ in range(rows)],
            "wish": [draw.choice(["", "", "flu", "not flu", "each", "{flu, HIV}"]) for _ in range(rows)],
        }
        table["disease"][:3], table["wish"][0] = ["flu", "HIV", "gout"], "flu"
        promise = {"class": draw.choice(["III", "II"]), "epsilon": draw.choice([2, 4])}
        promise |= {"predicates": {"wishes": draw.choice([True, True, "united"])}}
        promise |= {"stubbornness": 2} if promise["class"] == "II" else {"prior": draw.choice(["table", "uniform"])}
        policy = {
            "attributes": {
                "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [2, 4]}},
                "disease": {"role": "sensitive"},
                "wish": {"role": "wishes"},
            },
            "require": [{"realistic": promise}],
            "suppress": draw.choice([0, 0.3]),
        }
        folder = tmp_path / str(i)
        try:
            anonymize(policy_from_words(policy), folder, source=table)
        except DiscreetError:
            continue
        releases += 1
        others = table | {"wish": [draw.choice(["", "flu", "not HIV", "each", "gout"]) for _ in range(rows)]}
        for source in (table, others):
            judged, again = verify(folder, source=source).kept, audit_release(folder, source=source).levels
            assert [level.holds for level in again] == [judged]
        assert verify(folder, source=table).kept is True
        shutil.rmtree(folder)
    assert releases > 3


@pytest.mark.parametrize("predicates", [ONE_BY_ONE, UNITED], ids=["one by one", "united"])
def test_bad_wishes_are_refused_all_at_once_and_none_is_repeated(tmp_path: Path, predicates: object) -> None:
    wrong = ["leprosy", '"HIV', "{HIV, flu", "not", "HIV, flu"]
    table = TABLE | {"secret wish": [wrong[i % 7] if i % 7 < 5 and i < 70 else "" for i in range(ROWS)]}
    with pytest.raises(DataError) as caught:
        published(tmp_path / "release", predicates, source=table)
    assert sorted(m.rule for m in caught.value.mistakes) == [
        f"10 rows have in secret wish {rule}"
        for rule in (
            "a quote that is not closed",
            "a set that is not closed",
            "a value that disease does not have",
            "a value that is missing",
            "characters that need quotes around the value",
        )
    ]
    assert "leprosy" not in str(caught.value)
    assert not (tmp_path / "release").exists()


def test_where_nobody_asks_for_anything_the_promise_would_be_empty(tmp_path: Path) -> None:
    table = TABLE | {"secret wish": [""] * ROWS}
    with pytest.raises(DataError, match="no row asks for anything in secret wish, so nothing would be protected"):
        published(tmp_path / "release", source=table)
    published(tmp_path / "release", {"wishes": True, "also": ["HIV"]}, source=table)


def test_a_value_that_a_taxonomy_lists_may_be_asked_for_though_nobody_has_it(tmp_path: Path) -> None:
    table = TABLE | {"secret wish": ["leprosy"] * ROWS}
    names = ["flu", "HIV", "gout", "cold", "leprosy"]
    listed = {"role": "sensitive", "hierarchy": {"taxonomy": [[name, "illness"] for name in names]}}
    folder = published(tmp_path / "release", source=table, attributes=ATTRIBUTES | {"disease": listed})
    assert verify(folder, source=table).kept is True


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"attributes": {"secret wish": None}}, "require: no column has the role wishes: 5-privacy of disease"),
        ({"require": [{"k_anonymity": {"k": 2}}]}, "attributes['secret wish']: is of no use: no promise reads wishes"),
        (
            {"attributes": {"more": {"role": "wishes"}}},
            "attributes: several columns have the role wishes: 'secret wish', 'more'",
        ),
        (
            {"attributes": {"secret wish": {"role": "wishes", "hierarchy": {"flat": True}}}},
            "attributes['secret wish'].hierarchy: is of no use: an attribute with role wishes is never published",
        ),
        (
            {"attributes": {"zip": {"role": "sensitive"}}},
            "require: wishes are about one sensitive column, and promises read them for 'zip', 'disease'",
        ),
        ({"publish": "multidimensional"}, "publish: 'multidimensional' can't keep what each row asks for"),
        ({"publish": "local_recoding"}, "publish: 'local_recoding' can't keep what each row asks for"),
        ({"search": "instant"}, "search: 'instant' reads a summary, which does not tell what rows ask for"),
    ],
)
def test_what_does_not_go_together_is_a_mistake_of_the_policy(change: dict[str, Any], told: str) -> None:
    attributes = ATTRIBUTES | change.pop("attributes", {})
    policy = words() | change | {"attributes": {name: about for name, about in attributes.items() if about}}
    with pytest.raises(PolicyError) as caught:
        policy_from_words(policy)
    [mistake] = caught.value.mistakes
    assert str(mistake).startswith(told)


def test_a_promise_may_read_the_wishes_for_one_of_several_sensitive_columns(tmp_path: Path) -> None:
    named = {"class": "II", "stubbornness": 9, "epsilon": 5, "predicates": ONE_BY_ONE, "attribute": "disease"}
    attributes = ATTRIBUTES | {"zip": {"role": "sensitive"}}
    published(tmp_path / "release", attributes=attributes, require=[{"realistic": named}])
    assert verify(tmp_path / "release", source=TABLE).kept is True


def test_the_same_seed_gives_the_same_tables(tmp_path: Path) -> None:
    first, second = published(tmp_path / "1"), published(tmp_path / "2")
    assert (first / "data.csv").read_bytes() == (second / "data.csv").read_bytes()
    shuffled = list(range(ROWS))
    random.Random(5).shuffle(shuffled)
    other = published(tmp_path / "3", source={name: [column[i] for i in shuffled] for name, column in TABLE.items()})
    assert (first / "data.csv").read_bytes() == (other / "data.csv").read_bytes()


def test_where_all_ask_for_every_value_one_by_one_and_united_and_the_plain_promise_are_one(tmp_path: Path) -> None:
    table = TABLE | {"secret wish": ["each"] * ROWS}
    plain = {name: about for name, about in ATTRIBUTES.items() if name != "secret wish"}
    tables = [
        read_table(published(tmp_path / "one", source=table)),
        read_table(published(tmp_path / "united", UNITED, source=table)),
        read_table(published(tmp_path / "plain", None, source=table, attributes=plain)),
    ]
    assert tables[0] == tables[1] == tables[2]


def test_where_few_ask_less_is_lost_one_by_one_than_united(tmp_path: Path) -> None:
    losses = []
    for predicates in (ONE_BY_ONE, UNITED):
        release = anonymize(policy_from_words(words(predicates, suppress=0.1)), tmp_path / str(len(losses)), source=FEW)
        losses.append(release.figures["loss"])
    assert losses[0] < 0.6 * losses[1]


def test_manifest_and_report_name_what_hangs_on_who_asked(tmp_path: Path) -> None:
    one, united = published(tmp_path / "one"), published(tmp_path / "united", UNITED)
    [note] = [note for note in manifest_of(one)["notes"] if "who asked" in note]
    assert "who asks may be who has it" in note
    assert not any("who asked" in note for note in manifest_of(united)["notes"])
    for folder in (one, united):
        assert "Who asked for something to be hidden" in (folder / "report.html").read_text(encoding="utf-8")


def test_later_rows_can_t_follow_since_who_asked_is_not_in_the_release(tmp_path: Path) -> None:
    folder = published(tmp_path / "release")
    with pytest.raises(DiscreetError, match="what its rows asked for, and that is not in the release"):
        apply(folder, TABLE, tmp_path / "next")


def test_compare_judges_the_policy_s_own_promise_by_the_wishes() -> None:
    policy = policy_from_words(words())
    compared = compare(policy, source=TABLE)
    [own] = [cost for cost in compared.costs if cost.promise.startswith("the policy")]
    assert own.nodes and isinstance(policy.models[0], OneByOne)


# Where people have several rows

VISITS: dict[str, list[str]] = {
    "age": ["20"] * 6 + ["40"] * 6,
    "patient": ["a", "b", "c", "d", "e", "f", "a", "g", "h", "i", "j", "k"],
    "disease": ["HIV", "flu", "flu", "flu", "cold", "cold", "cold", "HIV", "HIV", "HIV", "HIV", "flu"],
    "wish": ["HIV"] + [""] * 11,
}


def visits(**roles: Any) -> dict[str, Any]:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
        "patient": {"role": "identifier"},
        "disease": {"role": "sensitive"},
        "wish": {"role": "wishes"},
    }
    promise = {"class": "III", "prior": "uniform", "epsilon": "3/2", "predicates": ONE_BY_ONE}
    return {"attributes": attributes | roles, "require": [{"realistic": promise}], "seed": 3}


def test_what_somebody_asks_for_in_one_row_counts_wherever_she_has_another(tmp_path: Path) -> None:
    """Patient a asks in the first group, where one of six has HIV; in the second four have, and at most half may where
    somebody asks. By rows nobody does there; by people a does, and only all twelve together are private."""
    ages = {}
    for name, policy in (("rows", visits()), ("people", visits(patient={"role": "person"}))):
        anonymize(policy_from_words(policy), tmp_path / name, source=VISITS)
        ages[name] = {row[0] for row in read_table(tmp_path / name)[1]}
    assert ages == {"rows": {"20", "40"}, "people": {"*"}}
    for name in ages:
        assert verify(tmp_path / name).kept is None and verify(tmp_path / name, source=VISITS).kept is True
        levels = audit_release(tmp_path / name, source=VISITS).levels  # by rows; and by people, where they are named
        assert [level.holds for level in levels] == [True] * (1 + (name == "people"))


def test_a_release_by_rows_breaks_what_the_person_asked_for(tmp_path: Path) -> None:
    """The wish of the other row is found by whoever verifies or audits with the source."""
    policy = visits(patient={"role": "person"})
    silent = VISITS | {"wish": ["flu", *[""] * 11], "patient": [*map(str, range(12))]}
    anonymize(policy_from_words(policy), tmp_path / "release", source=silent)
    assert {row[0] for row in read_table(tmp_path / "release")[1]} == {"20", "40"}
    assert verify(tmp_path / "release", source=VISITS).kept is False
    assert [level.holds for level in audit_release(tmp_path / "release", source=VISITS).levels] == [False, False]


def test_a_table_where_each_person_has_one_row_gives_the_same_tables(tmp_path: Path) -> None:
    table = TABLE | {"patient": [f"p{i}" for i in range(ROWS)]}
    plain = published(tmp_path / "plain", source=table, suppress=0.1)
    named = ATTRIBUTES | {"patient": {"role": "person"}}
    people = published(tmp_path / "people", source=table, suppress=0.1, attributes=named)
    assert (plain / "data.csv").read_bytes() == (people / "data.csv").read_bytes()


def test_the_command_line_knows_the_three_states(tmp_path: Path) -> None:
    lines = [",".join(row) for row in [[*FEW], *zip(*FEW.values(), strict=True)]]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    policy = words(suppress=0.1) | {"source": "table.csv"}
    (tmp_path / "policy.yaml").write_text(json.dumps(policy), encoding="utf-8")
    release, table = str(tmp_path / "release"), str(tmp_path / "table.csv")
    run = CliRunner()
    assert run.invoke(app, ["anonymize", str(tmp_path / "policy.yaml"), "-o", release]).exit_code == 0
    assert run.invoke(app, ["verify", release]).exit_code == 3
    assert run.invoke(app, ["verify", release, "--source", table]).exit_code == 0
    asking = [line.rpartition(",")[0] + ",each" for line in lines[1:]]
    (tmp_path / "table.csv").write_text("\n".join([lines[0], *asking]) + "\n", encoding="utf-8")
    assert run.invoke(app, ["verify", release, "--source", table]).exit_code == 1
