"""Somebody who holds several releases: what is said of her is never below what all worlds say."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, audit, policy_from_words
from discreet.audit.association.signatures import intersected, listed
from discreet.audit.lines import Line
from discreet.audit.reading.release import read
from discreet.audit.reading.source import open_beside
from discreet.run.release import Release
from tests.run.worlds_of_chains import Shown, surest_of_lists_if_it_stays

Person = tuple[str, str, str]
WORDS: dict[str, Any] = {
    "attributes": {"who": {"role": "person"}, "age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "require": [{"m_invariance": {"m": 2}}],
    "publish": "bucketization",
    "suppress": 0.9,
    "seed": 1,
}


def table(people: list[Person]) -> dict[str, list[str]]:
    return dict(zip(("who", "age", "disease"), map(list, zip(*people, strict=True)), strict=True))


def attack(releases: list[Release], told: list[list[Person]]) -> tuple[Line, list[str]]:
    """What is said of who holds all of them, the last one audited."""
    *others, last = releases
    *sources, source = map(table, told)
    found = audit(last, source=source, other=[one.folder for one in others], other_source=sources)
    [line] = [line for line in found.lines if line.adversary == "intersection"]
    return line, [fault.fault for fault in found.faults if fault.grave]


def shown(release: Release) -> Shown:
    """The groups as anybody reads them: quasi-identifiers and values."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for name, at, column in (("quasi_identifiers", 0, "age"), ("sensitive", 1, "disease")):
        with (release.folder / f"{name}.csv").open() as file:
            for row in csv.DictReader(file):
                groups.setdefault(row["group"], ([], []))[at].append(row[column])
    return [*groups.values()]


def test_one_broken_signature_tells_of_everybody_whom_the_exchange_would_touch(tmp_path: Path) -> None:
    """Two people exchange their signatures, and those who stood with them are given away, too."""
    people = [(f"P{i}", str(20 + i), d) for i, d in enumerate(("flu", "cold", "flu", "gout"))]
    first = anonymize(policy_from_words(WORDS), tmp_path / "first", source=table(people))
    file = first.private / "ledger.json"
    said = json.loads(file.read_text())
    place = {name: i for i, name in enumerate(said["people"])}
    for word in ("has", "latest"):
        said[word][place["P0"]], said[word][place["P2"]] = said[word][place["P2"]], said[word][place["P0"]]
    del said["checksum"]
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    file.write_text(json.dumps(said | {"checksum": hashlib.sha256(text.encode()).hexdigest()}))
    second = apply(first, table(people), tmp_path / "second")
    line, faults = attack([first, second], [people, people])
    assert (line.worst, line.above, line.people) == (1.0, 4, 4) and "signature_changed" in faults


def test_releases_that_follow_the_same_one_are_no_chain(tmp_path: Path) -> None:
    """By no rule do people keep in one what they have in the other; twins make it hard to see that they don't."""
    own = [("20", "flu"), ("20", "cold"), ("21", "cold"), ("22", "gout")]
    january, new = [[(f"{letter}{i}", *one) for i, one in enumerate(own)] for letter in "PN"]
    first = anonymize(policy_from_words(WORDS), tmp_path / "first", source=table(january))
    surest = []
    for seed in range(6):
        forks = [apply(first, table(new), tmp_path / f"{seed}{side}", seed=10 * seed + side) for side in range(2)]
        line, _ = attack(forks, [new, new])
        told = [*{(fork.folder / "manifest.json").read_bytes(): fork for fork in forks}.values()]
        lists = [{name: age for name, age, _ in new}] * len(told)  # what came out the same by chance is one release
        surest.append(float(surest_of_lists_if_it_stays(lists, [shown(fork) for fork in told])))
        assert line.worst >= surest[-1]
        if len(told) == 2:
            assert line.promised is None
    assert max(surest) > 1 / 2
    line, _ = attack([first, forks[0]], [january, new])
    assert (line.worst, line.promised) == (1 / 2, 1 / 2)  # these are one line


def theirs(folder: Path, values: list[dict[str, str]], sensitive: list[str]) -> Any:
    """A release of another tool's: two groups of people of all ages."""
    folder.mkdir()
    ages = [str(20 + i) for i in range(len(values))]
    for name, rows in (
        ("people.csv", [{"age": a, "gid": v["gid"]} for a, v in zip(ages, values, strict=True)]),
        ("values.csv", values),
    ):
        with (folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
    about = {"quasi_identifiers": ["age"], "sensitive": sensitive, "group": "gid"}
    about |= {"tables": {"people.csv": ["age"], "values.csv": sensitive}, "promises": [{"m_invariance": {"m": 2}}]}
    return read(folder, about)


@pytest.mark.parametrize("one_line", [True, False])
def test_no_group_is_even_because_it_is_promised(tmp_path: Path, one_line: bool) -> None:
    view = theirs(tmp_path / "r", [{"gid": "1", "disease": d} for d in ("flu", "flu", "flu", "cold")], ["disease"])
    source = open_beside({"who": list("abcd"), "age": ["20", "21", "22", "23"]}, ["age"])
    people = listed(source, ("age",), "who")
    assert people is not None
    [line], _ = intersected([view], [people], one_line=one_line)
    assert line.worst >= 3 / 4


def test_another_value_in_the_row_may_tell_which_row_is_whose(tmp_path: Path) -> None:
    """Ann's income is left alone by two releases, and it stands in one row with her disease."""
    rich, poor, other = {"disease": "flu", "income": "rich"}, {"income": "poor"}, {"income": "middle"}
    january = [{"gid": "1"} | rich, {"gid": "1", "disease": "cold"} | poor]
    february = [{"gid": "1"} | rich, {"gid": "1", "disease": "cold"} | other]
    views = [theirs(tmp_path / f"r{i}", rows, ["disease", "income"]) for i, rows in enumerate((january, february))]
    lists = [listed(open_beside({"who": ["Ann", who], "age": ["20", "21"]}, ["age"]), ("age",), "who") for who in "BC"]
    for line in intersected(views, [one for one in lists if one is not None], one_line=False)[0]:
        assert line.worst == 1.0
