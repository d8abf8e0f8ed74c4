"""A chain of releases, end to end: ledger, refusals, verify, and an attack on all of them together."""

from __future__ import annotations

import csv
import hashlib
import itertools
import json
import random
import shutil
import stat
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from discreet import DiscreetError, Infeasible, PolicyError, anonymize, apply, audit, policy_from_words, verify
from discreet.releases import ledger as ledgers
from discreet.releases.manifest import checksum
from discreet.run.release import Release
from tests.run.worlds_of_chains import Group, holds, surest, surest_by_the_rule

Person = tuple[str, str, str, str]
COLUMNS = ("who", "age", "sex", "disease")
KINDS = ["bucketization", "numbered_groups"]
DISEASES = ["flu", "cold", "gout", "asthma"]


def table(people: list[Person]) -> dict[str, list[str]]:
    return dict(zip(COLUMNS, map(list, zip(*people, strict=True)), strict=True))


def words(**more: Any) -> dict[str, Any]:
    attributes = {
        "who": {"role": "person"},
        "age": {"role": "quasi_identifier"},
        "sex": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
    }
    require = [{"m_invariance": {"m": 3}}, {"l_diversity": {"l": 3, "kind": "entropy"}}, {"k_anonymity": {"k": 4}}]
    return {"attributes": attributes, "require": require, "publish": "bucketization", "suppress": 0.4, "seed": 3} | more


AGE = {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}, "ranges": "values"}
IN_RANGES: dict[str, Any] = {
    "publish": "numbered_groups",
    "attributes": words()["attributes"] | {"age": AGE},
}


def months(count: int, people: int = 60, seed: int = 5, ages: int = 10) -> list[list[Person]]:
    chance = random.Random(seed)

    def born(i: int) -> Person:
        return (f"P{i}", str(chance.randrange(20, 20 + ages)), chance.choice("FM"), chance.choice(DISEASES))

    here, gone, made = [born(i) for i in range(people)], [], people
    told = [list(here)]
    for _ in range(count - 1):
        leaving = {p[0] for p in chance.sample(here, people // 10)}
        gone += [p for p in here if p[0] in leaving]
        here = [p for p in here if p[0] not in leaving] + [born(made + i) for i in range(people // 10)]
        made += people // 10
        back = chance.sample(gone, 2)
        gone = [p for p in gone if p not in back]
        here += back
        here[0] = (*here[0][:3], chance.choice(DISEASES))  # one whose value changes
        told.append(list(here))
    return told


def chain(tmp_path: Path, told: list[list[Person]], **more: Any) -> list[Release]:
    made = [anonymize(policy_from_words(words(**more)), tmp_path / "month0", source=table(told[0]))]
    for i, people in enumerate(told[1:], 1):
        made.append(apply([one.folder for one in made], table(people), tmp_path / f"month{i}", seed=i))
    return made


def ledger_of(release: Release) -> dict[str, Any]:
    return json.loads((release.private / ledgers.LEDGER).read_text())


def groups_of(folder: Path) -> dict[str, tuple[list[tuple[str, str]], list[str]]]:
    """As anybody reads the two tables, or the one."""
    told: dict[str, tuple[list[tuple[str, str]], list[str]]] = defaultdict(lambda: ([], []))
    if (folder / "data.csv").exists():
        with (folder / "data.csv").open() as file:
            for row in csv.DictReader(file):
                told[row["group"]][0].append((row["age"], row["sex"]))
                told[row["group"]][1].append(row["disease"])
        return told
    with (folder / "quasi_identifiers.csv").open() as file:
        for row in csv.DictReader(file):
            told[row["group"]][0].append((row["age"], row["sex"]))
    with (folder / "sensitive.csv").open() as file:
        for row in csv.DictReader(file):
            told[row["group"]][1].append(row["disease"])
    return told


def rewritten(release: Release, **changes: Any) -> None:
    """A ledger that somebody has changed, checksum and all."""
    said = {name: value for name, value in (ledger_of(release) | changes).items() if name != "checksum"}
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    said["checksum"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    (release.private / ledgers.LEDGER).write_text(json.dumps(said))


@pytest.mark.parametrize("publish", KINDS)
def test_a_chain_is_kept_verified_and_withstands_an_attack_on_all_releases(tmp_path: Path, publish: str) -> None:
    told = months(4)
    made = chain(tmp_path, told, publish=publish)
    folders = [one.folder for one in made]
    for release in made:
        for people, values in groups_of(release.folder).values():
            assert len(people) == len(values) >= 4
            assert len(set(values)) >= 3 and len({values.count(v) for v in values}) == 1
    own = [set(signature) for signature in ledger_of(made[-1])["signatures"]]
    starts, has = ledger_of(made[-1])["starts"], ledger_of(made[-1])["has"]
    for begin, end in itertools.pairwise(starts):
        sets = [own[s] for s in has[begin:end]]
        assert sum(map(len, sets)) == len(set().union(*sets))
    assert made[-1].manifest["chain"]["position"] == 4
    for page in (made[-1].folder, made[-1].private):
        text = (page / "report.html").read_text()
        assert "Releases outside of the chain" in text and "The promises are about this release only" not in text
        assert ("Knowing some values, and how groups were made" in text) == (publish == "numbered_groups")
        assert "People may have several rows" not in text  # a chain refuses them
    open_to_files = verify(made[-1])
    assert open_to_files.kept is None and any("signature in 4 releases" in what for what, _ in open_to_files.not_judged)
    assert verify(made[-1], source=table(told[-1])).kept is None
    assert verify(made[-1], source=table(told[-1]), earlier=folders[:-1]).kept is True
    found = audit(
        made[-1],
        source=table(told[-1]),
        other=folders[:-1],
        other_source=[table(people) for people in told[:-1]],
    )
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    assert line.worst <= line.promised == pytest.approx(1 / 3) and found.kept and not found.faults


def test_the_same_attack_on_releases_without_a_memory_finds_people(tmp_path: Path) -> None:
    told = months(4, ages=2000)
    require = [{"l_diversity": {"l": 3, "kind": "frequency"}}]
    made = [
        anonymize(policy_from_words(words(require=require, seed=i)), tmp_path / f"alone{i}", source=table(people))
        for i, people in enumerate(told)
    ]
    found = audit(
        made[-1],
        source=table(told[-1]),
        other=[one.folder for one in made[:-1]],
        other_source=[table(people) for people in told[:-1]],
    )
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    assert line.worst == 1.0 and line.details["people_above_for_certain"] > 0


def test_all_worlds_of_a_small_chain_agree_with_the_promise(tmp_path: Path) -> None:
    """Everybody alone with his age, so that whoever reads the tables knows the groups."""
    chance = random.Random(2)
    people = [(f"P{i}", str(20 + i), "F", DISEASES[i % 3]) for i in range(6)]
    told = [people, [*people[:3], ("P7", "27", "F", "flu"), ("P8", "28", "F", "cold"), ("P9", "29", "F", "gout")]]
    told.append([*told[1][2:], people[0]])
    chance.shuffle(told[1])
    made = chain(tmp_path, told, require=[{"m_invariance": {"m": 2}}], suppress=0.9)
    releases = [
        [Group(tuple(age for age, _ in who), tuple(values)) for who, values in groups_of(one.folder).values()]
        for one in made
    ]
    smallest = min(len(set(g.values)) for release in releases for g in release)
    assert float(surest(releases)) == 1 / smallest <= 1 / 2
    found = audit(
        made[-1], source=table(told[-1]), other=[o.folder for o in made[:-1]], other_source=list(map(table, told[:-1]))
    )
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    assert (line.worst, line.precision) == (1 / smallest, "exact")


@pytest.mark.parametrize("seed", range(3))
def test_where_people_look_alike_the_bound_of_the_audit_holds_in_all_worlds(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    people = [(f"P{i}", str(20 + i % 2), "F", DISEASES[chance.randrange(3)]) for i in range(6)]
    told = [people[:5], [*people[:3], people[5]], people[1:]]
    made = chain(tmp_path, told, require=[{"m_invariance": {"m": 2}}], suppress=0.9)
    lists = [{name: age for name, age, *_ in month} for month in told]
    shown = [[([age for age, _ in who], values) for who, values in groups_of(one.folder).values()] for one in made]
    found = audit(
        made[-1], source=table(told[-1]), other=[o.folder for o in made[:-1]], other_source=list(map(table, told[:-1]))
    )
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    assert 0 < float(surest_by_the_rule(lists, shown)) <= line.worst <= 1 / 2
    assert not [fault for fault in found.faults if fault.grave]


def test_groups_that_are_numbered_anew_are_not_subtracted(tmp_path: Path) -> None:
    told = months(2)
    first, second = chain(tmp_path, told, **IN_RANGES)
    found = audit(second, source=table(told[1]), other=first.folder)
    assert "subtraction" not in {line.adversary for line in found.lines}
    assert any("subtracts the other release" in note and "numbered anew" in note for note in found.notes)


@pytest.mark.parametrize("seed", range(3))
def test_where_labels_hold_several_people_the_bound_of_the_audit_holds_in_all_worlds(tmp_path: Path, seed: int) -> None:
    """Worlds: whoever fits a row may be it, and every value of a group may be anybody's of it."""
    chance = random.Random(seed)
    ages = chance.sample(range(20, 40), 6)
    people = [(f"P{i}", str(ages[i]), "F", DISEASES[i % 2 if i < 4 else 2 * (i % 2)]) for i in range(6)]
    told = [people[:4], [*people[1:4], people[4], people[5]], [people[0], *people[2:5]]]
    made = chain(tmp_path, told, **IN_RANGES, require=[{"m_invariance": {"m": 2}}], suppress=0.9)
    lists = [{name: age for name, age, *_ in month} for month in told]
    shown = [[([age for age, _ in who], values) for who, values in groups_of(one.folder).values()] for one in made]
    assert any("-" in age for month in shown for labels, _ in month for age in labels)
    found = audit(
        made[-1], source=table(told[-1]), other=[o.folder for o in made[:-1]], other_source=list(map(table, told[:-1]))
    )
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    assert 0 < float(surest_by_the_rule(lists, shown)) <= line.worst <= 1 / 2
    assert not [fault for fault in found.faults if fault.grave]


def test_a_ledger_of_people_who_fit_no_row_of_their_signature_decides_nothing(tmp_path: Path) -> None:
    """Two with the same value exchange their signatures, and no group of the other's holds the age of one of them."""
    told = months(2, ages=2000)
    made = chain(tmp_path, told, **IN_RANGES)
    said, known = ledger_of(made[1]), {name: (age, value) for name, age, _, value in told[1]}
    assert verify(made[1], source=table(told[1]), earlier=[made[0]]).kept is True
    rows = groups_of(made[1].folder).values()
    stands = [(i, *known[name]) for i, name in enumerate(said["people"]) if said["latest"][i] >= 0]

    def fits_none(age: str, signature: list[str]) -> bool:
        return not any(holds(labels[0][0], age) for labels, values in rows if {*values} == {*signature})

    one, other = next(
        (i, j)
        for (i, age, value), (j, _, same) in itertools.permutations(stands, 2)
        if value == same and fits_none(age, said["signatures"][said["latest"][j]])
    )
    swapped = list(said["people"])
    swapped[one], swapped[other] = swapped[other], swapped[one]
    rewritten(made[1], people=swapped)
    findings = verify(made[1], source=table(told[1]), earlier=[made[0]])
    assert findings.kept is None and any("who stands in which group" in why for _, why in findings.not_judged)


def test_a_group_has_one_label_and_a_number_of_its_own(tmp_path: Path) -> None:
    [release] = chain(tmp_path, months(1), **IN_RANGES)
    for labels, _ in groups_of(release.folder).values():
        assert len({*labels}) == 1
    assert [int(g) for g in groups_of(release.folder)] == list(range(1, release.manifest["groups"] + 1))
    file = release.folder / "data.csv"
    lines = file.read_text().splitlines()
    first = lines[1].split(",")
    other = next(line.split(",")[0] for line in lines[2:] if line.split(",")[0] != first[0])
    file.write_text("\n".join([lines[0], ",".join([other, *first[1:]]), *lines[2:], ""]))
    assert verify(release).kept is False
    with pytest.raises(DiscreetError, match="different quasi-identifiers"):
        audit(release.folder)


def test_who_leaves_and_comes_back_has_the_old_signature_and_who_changes_one_without_its_values(tmp_path: Path) -> None:
    diseases = ["flu", "cold", "gout", "ulcer"]
    first = [(f"P{i}", str(20 + i), "F", diseases[i % 2]) for i in range(8)]
    second = [(f"Q{i}", str(40 + i), "F", diseases[2 + i % 2]) for i in range(8)]
    third = [
        first[0],
        first[1],
        ("Q0", "40", "F", "flu"),
        *[(f"R{i}", str(60 + i), "F", diseases[i % 2]) for i in range(4)],
    ]
    made = chain(tmp_path, [first, second, third], require=[{"m_invariance": {"m": 2}}], suppress=0.9)
    said = ledger_of(made[-1])
    sets = {
        name: [set(said["signatures"][s]) for s in said["has"][begin:end]]
        for name, begin, end in zip(said["people"], said["starts"], said["starts"][1:], strict=False)
    }
    assert sets["P0"] == [{"flu", "cold"}]
    latest = dict(zip(said["people"], said["latest"], strict=True))
    assert latest["P2"] == -1 and latest["P0"] >= 0  # one is away, one is back
    assert all(not (a & b) for own in sets.values() for a in own for b in own if a is not b)
    assert sets["Q0"][0] == {"gout", "ulcer"}


@pytest.mark.parametrize("publish", KINDS)
def test_the_ledger_is_private_and_no_name_is_in_the_release(tmp_path: Path, publish: str) -> None:
    [release] = chain(tmp_path, months(1), publish=publish)
    file = release.private / ledgers.LEDGER
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not any("P17" in path.read_text() for path in release.folder.iterdir())
    assert ledgers.LEDGER not in {path.name for path in release.folder.iterdir()}
    assert "P17" in file.read_text()


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda text: text.replace('"flu"', '"gout"', 1), "checksum differs"),
        (lambda text: text.replace('"format":1', '"format":2'), "format"),
        (lambda text: text[: len(text) // 2], "is not the ledger"),
        (lambda text: "[]", "is not the ledger"),
    ],
)
def test_a_ledger_that_was_changed_is_refused_and_nothing_is_published(tmp_path: Path, change: Any, rule: str) -> None:
    told = months(2)
    [release] = chain(tmp_path, told[:1])
    file = release.private / ledgers.LEDGER
    file.write_text(change(file.read_text()))
    with pytest.raises(DiscreetError, match=rule) as error:
        apply(release, table(told[1]), tmp_path / "next")
    assert "P1" not in str(error.value)
    assert not (tmp_path / "next").exists() and not (tmp_path / "next.private").exists()


@pytest.mark.parametrize("publish", KINDS)
def test_a_ledger_with_a_checksum_of_its_own_is_held_against_the_releases(tmp_path: Path, publish: str) -> None:
    told = months(2)
    made = chain(tmp_path, told, publish=publish)
    shutil.copytree(made[0].private, tmp_path / "kept")
    said = ledger_of(made[0])
    rewritten(made[0], latest=[-1, *said["latest"][1:]])
    with pytest.raises(DiscreetError, match="another number of people"):
        apply(made[0], table(told[1]), tmp_path / "next")
    rewritten(made[0], has=[0] * len(said["has"]), latest=[0] * len(said["has"]))
    with pytest.raises(DiscreetError, match="another number of people"):
        apply(made[0], table(told[1]), tmp_path / "next")
    rewritten(made[0], signatures=[["flu"], *said["signatures"][1:]])
    with pytest.raises(DiscreetError, match="no chain of releases can have"):
        apply(made[0], table(told[1]), tmp_path / "next")
    for column in ("person", "attribute"):
        rewritten(made[0], **(said | {column: "age"}))
        with pytest.raises(DiscreetError, match="about other columns"):
            apply(made[0], table(told[1]), tmp_path / "next")
        assert verify(made[1], source=table(told[1]), earlier=[made[0]]).kept is None
    rewritten(made[0], **said)
    rewritten(made[0], people=[f"P{i}" for i in range(len(said["people"]) - 1)] + ["\ud800"])
    with pytest.raises(DiscreetError, match="is not the ledger of a chain"):
        apply(made[0], table(told[1]), tmp_path / "next")
    good = tmp_path / "kept" / ledgers.LEDGER
    assert apply(made[0], table(told[1]), tmp_path / "next", ledger=good).manifest["chain"]["position"] == 2


@pytest.mark.parametrize("publish", KINDS)
def test_a_chain_made_by_a_forged_ledger_is_caught_beside_the_true_one(tmp_path: Path, publish: str) -> None:
    """People exchange their signatures: each release is even, and together they give people away."""
    told = months(2)
    [first] = chain(tmp_path, told[:1], suppress=0.6, publish=publish)
    true = (first.private / ledgers.LEDGER).read_text()
    said = ledger_of(first)
    rewritten(first, has=said["has"][1:] + said["has"][:1], latest=said["latest"][1:] + said["latest"][:1])
    second = apply(first, table(told[1]), tmp_path / "second")
    assert verify(second, source=table(told[1]), earlier=[first]).kept is True  # as far as these ledgers say
    (first.private / ledgers.LEDGER).write_text(true)
    findings = verify(second, source=table(told[1]), earlier=[first])
    assert findings.kept is False and "another signature" in str(findings.mistakes[0])
    swapped = ledger_of(second)
    rewritten(second, people=swapped["people"][1:] + swapped["people"][:1])
    assert verify(second, source=table(told[1]), earlier=[first]).kept is None  # it decides nothing


def test_what_stops_in_the_middle_leaves_neither_release_nor_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = months(2)
    [first] = chain(tmp_path, told[:1])
    before = sorted(path.name for path in tmp_path.iterdir())
    text = (first.private / ledgers.LEDGER).read_text()

    def stops(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.run.chain.write_ledger", stops)
    with pytest.raises(KeyboardInterrupt):
        apply(first, table(told[1]), tmp_path / "second")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (first.private / ledgers.LEDGER).read_text() == text


@pytest.mark.parametrize("publish", KINDS)
def test_a_manifest_that_says_half_of_it_is_no_chain(tmp_path: Path, publish: str) -> None:
    first, second = chain(tmp_path, months(2), publish=publish)
    file = second.folder / "manifest.json"
    said = json.loads(file.read_text())
    for changed in (
        {name: value for name, value in said.items() if name != "chain"},
        said | {"chain": {"position": 1, "earlier": said["chain"]["earlier"]}},
        said | {"chain": {"position": 2, "earlier": []}},
    ):
        changed["checksum"] = checksum(changed)
        file.write_text(json.dumps(changed))
        findings = verify(second.folder)
        assert findings.kept is False and any("don't go together" in m.rule for m in findings.mistakes)
    with pytest.raises(DiscreetError, match="no such folder"):
        verify(second, earlier=[tmp_path / "nowhere"])
    assert verify(first).kept is None  # what is said of people takes the table, and no more


def test_no_earlier_ledger_is_replaced_and_names_in_another_writing_are_noticed(tmp_path: Path) -> None:
    told = months(1)
    [first] = chain(tmp_path, told)
    text = (first.private / ledgers.LEDGER).read_text()
    with pytest.raises(DiscreetError):
        apply(first, table(told[0]), tmp_path / "next", private=first.private, replace=True)
    assert (first.private / ledgers.LEDGER).read_text() == text and not (tmp_path / "next").exists()
    again = apply(first, table([(f"0{who}", *rest) for who, *rest in told[0]]), tmp_path / "next")  # type: ignore[misc]
    assert any(
        "written in another way" in note for note in json.loads((again.private / "figures.json").read_text())["notes"]
    )


def test_a_chain_asks_for_all_of_its_releases_in_order(tmp_path: Path) -> None:
    told = months(3)
    made = chain(tmp_path, told[:2])
    for given, rule in (([made[1]], "of a chain of 2"), ([made[0]] * 2, "other releases|another chain|is of a chain")):
        with pytest.raises(DiscreetError, match=rule):
            apply(given, table(told[2]), tmp_path / "next")
    with pytest.raises(DiscreetError, match="of no use in a chain"):
        apply(made, table(told[2]), tmp_path / "next", all_new=True)
    plain = anonymize(
        policy_from_words(words(require=[{"l_diversity": {"l": 2, "kind": "frequency"}}])), tmp_path / "plain",
        source=table(told[0]),
    )  # fmt: skip
    with pytest.raises(DiscreetError, match="promises nothing about several together"):
        apply([plain, plain], table(told[2]), tmp_path / "next")
    shutil.rmtree(made[1].private)
    with pytest.raises(DiscreetError, match=r"ledger\.json"):
        apply(made, table(told[2]), tmp_path / "next")


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"who": {"role": "identifier"}}, "no column says who is who"),
        ({"sex": {"role": "sensitive"}}, "one sensitive attribute"),
    ],
)
def test_a_policy_must_say_who_is_who_and_what_is_secret(change: dict[str, Any], rule: str) -> None:
    with pytest.raises(PolicyError, match=rule):
        policy_from_words(words() | {"attributes": words()["attributes"] | change})
    for more, other in (
        ({"search": "anatomy"}, "who was in which group before"),
        ({"publish": "generalization"}, "can't keep the promise"),
        ({"publish": "local_recoding"}, "write publish: bucketization or numbered_groups"),
        ({"publish": "numbered_groups", "require": [{"k_anonymity": {"k": 4}}]}, "needs the promise 'm_invariance'"),
        ({"publish": "numbered_groups", "search": "invariant"}, "does not lead to publish: numbered_groups"),
        ({"publish": "numbered_groups", "suppressed": "star"}, "would be a group without a number"),
        ({"require": [*words()["require"], {"robust": {"r": 2}}]}, "about one release"),
    ):
        with pytest.raises(PolicyError, match=other):
            policy_from_words(words(**more))


def test_people_with_several_rows_or_without_a_name_are_refused(tmp_path: Path) -> None:
    people = months(1)[0]
    for wrong, rule in ((people[0], "several rows"), ((None, *people[0][1:]), "name nobody")):
        with pytest.raises(DiscreetError, match=rule):
            anonymize(policy_from_words(words()), tmp_path / "none", source=table([*people, wrong]))  # type: ignore[list-item]
    with pytest.raises(Infeasible, match="may be suppressed"):
        only = [("a", "1", "F", "flu"), ("b", "2", "F", "flu"), ("c", "3", "F", "cold")]
        anonymize(policy_from_words(words(suppress=0)), tmp_path / "none", source=table(only))
