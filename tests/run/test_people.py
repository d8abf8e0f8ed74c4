"""A table with several rows for a person, end to end: published, verified, and followed by next month's rows."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, apply, verify
from discreet.errors import DiscreetError, Infeasible
from discreet.models.presence.presence import Presence
from discreet.policy.policy import policy_from_words
from discreet.releases.manifest import checksum
from discreet.run.anonymize import find_plan
from discreet.run.intake import take_in
from tests.moments import without_moment
from tests.visits import Table, policy, visits

SEARCHES = [
    ("generalization", "optimal"),
    ("generalization", "incognito"),
    ("generalization", "optimize"),
    ("generalization", "instant"),
    ("generalization", "instant_cuts"),
    ("multidimensional", "mondrian"),
    ("multidimensional", "instant"),
    ("local_recoding", "local"),
]


def test_five_visits_of_one_patient_are_no_company(tmp_path: Path) -> None:
    """By rows everybody's own visits fill their group; by people nobody stands with fewer than four others."""
    table = visits()
    by_rows = find_plan(policy(role="identifier", publish="local_recoding"), _taken(table, "identifier"))
    alone = _people_by_group(by_rows, table)
    assert min(alone) == 1
    by_people = find_plan(policy(publish="local_recoding"), _taken(table, "person"))
    assert min(_people_by_group(by_people, table)) >= 5


def _taken(table: Table, role: str) -> Any:
    return take_in(policy(role=role), table)


def _people_by_group(plan: Any, table: Table) -> list[int]:
    """By hand: the people whose quasi-identifiers a group's ranges hold, if no two groups overlap in somebody."""
    f = plan.frequency
    people: dict[int, set[str | None]] = defaultdict(set)
    own = defaultdict(list)
    for who, *values in zip(table["patient"], table["age"], table["zip"], table["disease"], strict=True):
        own[tuple(values)].append(who)
    left = {values: Counter(names) for values, names in own.items()}
    for row, count, group in zip(plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), strict=True):
        leaves = [h.leaves[c[row]] for h, c in zip(f.hierarchies, f.codes, strict=True)]
        key = (*leaves, f.sensitive_hierarchies["disease"].leaves[f.sensitive["disease"][row]])
        for _ in range(count):
            who = next(iter(left[key].elements()))
            left[key][who] -= 1
            people[group].add(who)
    return [len(names) for names in people.values()]


@pytest.mark.parametrize(("publish", "search"), SEARCHES)
@pytest.mark.parametrize("moving", [0.0, 0.3, 1.0])
def test_every_search_keeps_its_promises_to_people(publish: str, search: str, moving: float, tmp_path: Path) -> None:
    table = visits(moving=moving)
    require = [{"k_anonymity": {"k": 4}}, {"alpha_k": {"alpha": 0.85, "k": 2}}, {"t_closeness": {"t": 0.4}}]
    asked = policy(*require, publish=publish, search=search, suppress=0.05)
    made = anonymize(asked, tmp_path / "release", source=table)
    assert all(v["holds"] for v in made.to_json()["verdicts"])
    assert made.figures["people"]["source"] == 120
    plan = find_plan(asked, take_in(asked, table)) if not search.startswith("instant") else None
    if plan is not None:
        assert plan.groups.persons.min() >= 4
    # The files alone judge rows, and leave people open; the source tells, as far as groups don't overlap.
    assert verify(tmp_path / "release").kept is None
    assert verify(tmp_path / "release", source=table).kept in ((True,) if publish == "generalization" else (True, None))


def test_the_column_is_never_published(tmp_path: Path) -> None:
    table = visits()
    for publish in ("generalization", "multidimensional", "local_recoding"):
        folder = tmp_path / publish
        anonymize(policy(publish=publish), folder, source=table)
        with (folder / "data.csv").open(newline="") as file:
            assert next(csv.reader(file)) == ["age", "zip", "disease"]
        for file in folder.iterdir():
            assert "p17" not in file.read_text(encoding="utf-8")


def test_the_published_folder_does_not_tell_how_many_people_there_are(tmp_path: Path) -> None:
    """The same rows of ten people or of five, all of whom look alike."""
    pages = []
    for people in (10, 5):
        table: Table = {
            "patient": [f"p{i % people}" for i in range(20)],
            "age": ["30"] * 20,
            "zip": ["10000"] * 20,
            "disease": [("flu", "cold", "gout", "asthma")[i % 4] for i in range(20)],
        }
        folder = tmp_path / str(people)
        anonymize(policy({"k_anonymity": {"k": 3}}), folder, source=table)
        manifest = json.loads((folder / "manifest.json").read_text())
        created = manifest.pop("created")
        del manifest["checksum"], manifest["files"]["report.html"]["sha256"]  # they hang on the time
        texts = [(folder / name).read_text() for name in ("data.csv", "mapping.json", "report.html")]
        pages.append((manifest, [without_moment(text, created) for text in texts]))
    assert pages[0] == pages[1]


def test_a_release_by_rows_that_claims_people_is_found_out(tmp_path: Path) -> None:
    table = visits()
    folder = tmp_path / "release"
    anonymize(policy(role="identifier"), folder, source=table)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["roles"]["patient"] = "person"
    manifest["policy"]["attributes"]["patient"]["role"] = "person"
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    findings = verify(folder, source=table)
    assert findings.kept is False
    assert any("breaks a promise to people" in str(m) for m in findings.mistakes)


def test_a_source_without_the_column_can_not_tell(tmp_path: Path) -> None:
    table = visits()
    anonymize(policy(), tmp_path / "release", source=table)
    with pytest.raises(DiscreetError, match="has no column 'patient'"):
        verify(tmp_path / "release", source={name: c for name, c in table.items() if name != "patient"})


def test_nobody_named_is_a_person_for_each_row(tmp_path: Path) -> None:
    table: Table = {
        "patient": ["a", "a", None, None, None, "b"],
        "age": ["30"] * 6,
        "zip": ["10000"] * 6,
        "disease": ["flu", "cold", "flu", "cold", "gout", "flu"],
    }
    frequency = take_in(policy({"k_anonymity": {"k": 2}}), table).frequency
    assert frequency.people == 5
    made = anonymize(policy({"k_anonymity": {"k": 5}}), tmp_path / "r", source=table)
    assert made.to_json()["verdicts"][0]["level"] == 5
    with pytest.raises(Infeasible, match="6 rows of 5 people"):
        anonymize(policy({"k_anonymity": {"k": 6}}), tmp_path / "s", source=table)


def test_a_population_is_counted_in_people(tmp_path: Path) -> None:
    one_each = visits(people=40, rows=1)
    twice = {name: [*c, *c] for name, c in visits(people=80, rows=1).items()}
    for name in ("age", "zip"):  # the first forty are those of the table
        twice[name][:40] = twice[name][80:120] = one_each[name]
    intake = take_in(policy(Presence((0, 0.9), twice)), one_each)
    assert intake.frequency.population is not None and intake.frequency.population.size == 80
    twice["zip"][0] = "10001" if twice["zip"][0] != "10001" else "10002"
    with pytest.raises(DiscreetError, match="1 person has rows with different quasi-identifiers"):
        take_in(policy(Presence((0, 0.9), twice)), one_each)


def part(table: Table, people: range) -> Table:
    names = {f"p{i}" for i in people}
    at = [i for i, name in enumerate(table["patient"]) if name in names]
    return {name: [column[i] for i in at] for name, column in table.items()}


def test_apply_counts_who_is_in_both_once(tmp_path: Path) -> None:
    table = visits(people=200, rows=4)
    asked = policy({"k_anonymity": {"k": 4}}, suppress=0.3)
    before = part(table, range(150))
    first = anonymize(asked, tmp_path / "first", source=before)
    same = apply(tmp_path / "first", before, tmp_path / "same", earlier_source=before, seed=2)
    assert same.manifest["rows"] == first.manifest["rows"]
    later = part(table, range(151))
    more = apply(tmp_path / "first", later, tmp_path / "more", earlier_source=before, seed=2)
    # The one who came would be alone among those who came: the whole group waits.
    newcomer = {(table["age"][i], table["zip"][i]) for i, n in enumerate(table["patient"]) if n == "p150"}
    assert len(newcomer) == 1
    assert more.manifest["rows"]["suppressed"] >= first.manifest["rows"]["suppressed"] + 4
    assert verify(tmp_path / "more", source=later).kept is True
    _check_parts(tmp_path, before, later, least=4)


def _check_parts(folder: Path, before: Table, later: Table, least: int) -> None:
    """By hand, from the files: who came, left and stayed in each published group are none, or at least so many."""
    node = json.loads((folder / "more" / "mapping.json").read_text())["levels"]
    widths, prefixes = [1, 5, 10, 20, 40, None], [5, 4, 3, 2, 0]

    def look(age: str, home: str) -> tuple[object, object]:
        width, letters = widths[node["age"]], prefixes[node["zip"]]
        return ("*" if width is None else int(age) // width, home[:letters])

    with (folder / "more" / "data.csv").open(newline="") as file:
        rows = Counter((r["age"], r["zip"]) for r in csv.DictReader(file))
    people: list[dict[object, set[str | None]]] = [defaultdict(set), defaultdict(set)]
    sizes: Counter[object] = Counter()
    for when, table in enumerate((before, later)):
        for name, age, home in zip(table["patient"], table["age"], table["zip"], strict=True):
            people[when][look(age or "", home or "")].add(name)
            sizes[look(age or "", home or "")] += when
    published = Counter(rows.values())
    for group in people[1]:
        if published[sizes[group]]:  # perhaps another group of the same size was published: then this is not told
            continue
        assert sizes[group] not in rows.values()
    kept = [g for g in people[1] if list(rows.values()).count(sizes[g]) == list(sizes.values()).count(sizes[g])]
    assert kept
    for g in kept:
        came, left, stayed = people[1][g] - people[0][g], people[0][g] - people[1][g], people[0][g] & people[1][g]
        assert all(not some or len(some) >= least for some in (came, left, stayed))


def test_apply_wants_to_know_who_was_in_the_earlier_release(tmp_path: Path) -> None:
    table = visits(people=60)
    anonymize(policy({"k_anonymity": {"k": 3}}), tmp_path / "first", source=table)
    with pytest.raises(DiscreetError, match="count once; give the table that it was made from"):
        apply(tmp_path / "first", table, tmp_path / "second")
    with pytest.raises(DiscreetError, match="does not tell whose rows stand in the earlier release"):
        apply(tmp_path / "first", table, tmp_path / "second", earlier_source=part(table, range(30)))


@pytest.mark.parametrize("publish", ["generalization", "multidimensional", "local_recoding"])
def test_small_tables_of_movers_keep_k_by_people(publish: str, tmp_path: Path) -> None:
    """All ways in which three people can have two rows each at two places: k = 2 by hand."""
    places = [("20", "10000"), ("70", "10199")]
    for i, choice in enumerate(product(range(2), repeat=6)):
        table: Table = {
            "patient": [f"p{j // 2}" for j in range(6)],
            "age": [places[c][0] for c in choice],
            "zip": [places[c][1] for c in choice],
            "disease": ["flu", "cold"] * 3,
        }
        at = defaultdict(set)
        for j, c in enumerate(choice):
            at[c].add(j // 2)
        apart = all(len(people) >= 2 for people in at.values())
        plan = find_plan(
            policy({"k_anonymity": {"k": 2}}, publish=publish),
            take_in(policy({"k_anonymity": {"k": 2}}, publish=publish), table),
        )
        assert plan.groups.persons.min() >= 2
        assert (plan.losses.sum() == 0) == apart, (i, choice)


def test_that_all_are_new_is_not_repeated_where_the_tables_belie_it(tmp_path: Path) -> None:
    table = visits(people=60)
    anonymize(policy({"k_anonymity": {"k": 3}}), tmp_path / "first", source=table)
    with pytest.raises(DiscreetError, match="30 people of these rows are in the earlier table, too"):
        apply(tmp_path / "first", part(table, range(30)), tmp_path / "x", earlier_source=table, all_new=True)


@pytest.mark.parametrize(
    ("publish", "search"),
    [("multidimensional", "mondrian"), ("multidimensional", "instant"), ("local_recoding", "local")],
)
def test_of_too_common_a_value_whole_people_are_left_out_and_counted_so(
    publish: str, search: str, tmp_path: Path
) -> None:
    """Six of eight rows are flu, which is too many: one has to go, and with it somebody who has no other row here."""
    rows = "Ann 46 flu|Bea 46 flu|Dee 46 colic|Ann 22 flu|Cid 22 flu|Eve 22 flu|Flo 46 colic|Guy 46 flu"
    patient, age, disease = zip(*(row.split() for row in rows.split("|")), strict=True)
    words = {
        "attributes": {
            "patient": {"role": "person"},
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10], "bottom": 25, "top": 55}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2, "kind": "recursive", "c": 3}}],
        "suppress": "3/10",
        "publish": publish,
        "search": search,
        "seed": 1,
    }
    table = {"patient": list(patient), "age": list(age), "disease": list(disease)}
    release = anonymize(policy_from_words(words), tmp_path / "release", source=table)
    published = Counter(row.rpartition(",")[2] for row in (release.folder / "data.csv").read_text().splitlines()[1:])
    standing = json.loads((release.private / "standing.json").read_text())["standing"]
    # Rows are listed by disease and name: of whoever is in, the list has all.
    listed = sorted(zip(disease, patient, strict=True))
    inside = [(ill, who) for (ill, who), group in zip(listed, standing, strict=True) if group >= 0]
    assert Counter(ill for ill, _ in inside) == published
    assert release.figures["people"]["published"] == len({who for _, who in inside})
    assert verify(release.folder, source=table).kept is True
