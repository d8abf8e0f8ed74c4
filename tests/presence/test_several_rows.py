"""Promises about a population where people of the table have several rows: who is in counts once, by sets of people."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.errors import DiscreetError, Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdict
from discreet.releases.manifest import checksum
from discreet.run.intake import take_in
from discreet.search.lattice.incognito import incognito
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.whole_lattice import whole_lattice
from discreet.search.plan import Problem
from tests.moments import without_moment
from tests.presence.worlds import World, deltas, outcome, worlds
from tests.visits import Table, policy, visits


@pytest.mark.parametrize("suppression", ["judged", "told"])
@given(world=worlds(several_rows=True), delta=deltas, k=st.sampled_from([1, 2, 3]), data=st.data())
def test_the_search_finds_the_cheapest_node_that_hides_who_is_in(
    suppression: str, world: World, delta: tuple[Fraction, Fraction], k: int, data: st.DataObject
) -> None:
    limit = data.draw(st.integers(0, len(world.owners)))
    models = (Presence(delta, suppression=suppression), *([KAnonymity(k)] if k > 1 else []))
    hides = limit if suppression == "judged" else None
    every = [outcome(world, node, delta, k, hides) for node in world.everybody.nodes]
    possible = [o for o in every if o.allowed and o.suppressed <= limit]
    problem = Problem(world.frequency(), models, limit)
    try:
        plans = [optimal(problem), incognito(problem)]
    except Infeasible:
        assert not possible
        return
    for plan in plans:
        chosen = next(o for o in possible if o.node == plan.node)
        assert plan.facts["optimal"]
        assert float(chosen.loss) == pytest.approx(min(float(o.loss) for o in possible), abs=1e-12)
        assert plan.suppressed == chosen.suppressed
        assert all(verdict(model, plan.groups).holds for model in models)


@given(world=worlds(several_rows=True), delta=deltas)
def test_every_node_of_the_lattice_is_judged_as_by_counting_people(
    world: World, delta: tuple[Fraction, Fraction]
) -> None:
    lattice = whole_lattice(world.frequency(), (), [Presence(delta)])
    for at in range(len(lattice)):
        found = outcome(world, lattice.node(at), delta, 1)
        assert bool(lattice.keeps[at]) == (found.allowed and found.suppressed == 0)


def among(table: Table, people: int = 300) -> Table:
    """A population that the table's people are part of."""
    everybody = visits(people=people, rows=1, seed=5)
    first = {name: i for i, name in reversed(list(enumerate(table["patient"])))}
    for at, (name, row) in enumerate(first.items()):
        for column in ("age", "zip"):
            everybody[column][at] = table[column][row]
        everybody["patient"][at] = name
    return everybody


def uneven(people: int = 90, seed: int = 3) -> Table:
    """Visits of patients who come once to six times, always from the same place."""
    one = visits(people=people, rows=1, seed=seed)
    times = np.random.default_rng(seed + 1).integers(1, 7, people)  # ages are not drawn from the same numbers
    at = np.repeat(np.arange(people), times).tolist()
    return {name: [column[i] for i in at] for name, column in one.items()}


def shares(folder: Path, table: Table, everybody: Table) -> tuple[list[Fraction], tuple[int, int]]:
    """By sets: of the population's people in each published group, which share is in the table; and of all others."""

    def group(age: str | None, home: str | None) -> tuple[str, ...] | None:
        fits = [g for g in published if covers(g[0], age) and g[1].rstrip("*") == str(home)[: len(g[1].rstrip("*"))]]
        assert len(fits) <= 1
        return fits[0] if fits else None

    def covers(text: str, age: str | None) -> bool:
        low, _, high = text.partition("-")
        return text == "*" or int(low) <= int(str(age)) <= int(high or low)

    with (folder / "data.csv").open(encoding="utf-8") as file:
        published = {(row["age"], row["zip"]) for row in csv.DictReader(file)}
    inside = set(table["patient"])
    where = {
        name: group(age, home)
        for name, age, home in zip(everybody["patient"], everybody["age"], everybody["zip"], strict=True)
    }
    found = []
    for g in published:
        here = {name for name, own in where.items() if own == g}
        found.append(Fraction(len(here & inside), len(here)))
    others = {name for name, own in where.items() if own is None}
    return found, (len(others & inside), len(others))


@pytest.mark.parametrize("search", ["optimal", "incognito"])
@pytest.mark.parametrize("more", [{}, {"suppression": "told"}])
@pytest.mark.parametrize("suppress", [0, 0.4])
def test_no_published_group_tells_more_than_delta_of_people(
    tmp_path: Path, search: str, more: dict[str, str], suppress: float
) -> None:
    table = uneven()
    everybody = among(table)
    asked = policy(Presence((0, 0.45), everybody, **more), suppress=suppress, search=search)
    release = anonymize(asked, tmp_path / "r", source=table)
    groups, (left_out, others) = shares(release.folder, table, everybody)
    assert max(groups) <= Fraction(45, 100)
    assert not left_out or Fraction(left_out, others) <= Fraction(45, 100)
    [told] = release.figures["promises"]
    assert told["level"] == pytest.approx(float(max([*groups, Fraction(left_out, max(others, 1))])))
    told_custodian = release.report.presence
    assert told_custodian is not None
    assert (told_custodian.rows, told_custodian.left_out) == (90, left_out)
    if suppress and not more:  # so many rows, of fewer people
        assert release.manifest["rows"]["suppressed"] > left_out > 0
    assert told_custodian.largest == pytest.approx(told["level"])
    by_rows = policy(Presence((0, 0.45), everybody, **more), role="identifier", suppress=suppress)
    with pytest.raises(DiscreetError):  # taken for people, so many rows are not among the population
        anonymize(by_rows, tmp_path / "s", source=table)


def test_a_recheck_has_three_answers(tmp_path: Path) -> None:
    table = uneven()
    everybody = among(table)
    folder = anonymize(policy(Presence((0, 0.45), everybody)), tmp_path / "r", source=table).folder
    assert verify(folder, table, everybody).kept is True
    for given_ in ({}, {"source": table}, {"population": everybody}):
        findings = verify(folder, **given_)
        assert findings.kept is None and not findings.mistakes and not findings.verdicts
    assert "whose rows" in verify(folder, population=everybody).not_judged[0][1]
    manifest = json.loads((folder / "manifest.json").read_text())
    for said in (manifest["promises"][0], *manifest["policy"]["require"]):
        said.get("model", said)["presence"]["delta"] = [0, 0.2]
    manifest["promises"][0] |= {"promise": "(0, 0.2)-presence", "required": "between 0 and 0.2"}
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert verify(folder, table, everybody).kept is False
    assert verify(folder, population=everybody).kept is not True


def test_another_population_is_noticed_without_the_source(tmp_path: Path) -> None:
    table = uneven()
    everybody = among(table)
    folder = anonymize(policy(Presence((0, 0.45), everybody)), tmp_path / "r", source=table).folder
    findings = verify(folder, population=among(table, people=299))
    assert [m.place for m in findings.mistakes] == ["population"]


def told(folder: Path) -> dict[str, Any]:
    """All that lies in a folder, but for the time it was made."""
    manifest = json.loads((folder / "manifest.json").read_text())
    page = without_moment((folder / "report.html").read_text(), manifest["created"])
    del manifest["created"], manifest["checksum"], manifest["files"]["report.html"]
    files = {
        path.name: path.read_text() for path in folder.iterdir() if path.name not in ("manifest.json", "report.html")
    }
    return {"manifest": manifest, "page": page, **files}


@pytest.mark.parametrize("rows", [2, 3, 6])
def test_a_folder_does_not_tell_how_many_people_there_are(tmp_path: Path, rows: int) -> None:
    """Six rows of each kind: those of six people, or of fewer who have several."""
    ages, homes = ["21", "34"], ["10001", "10002", "10003"]
    kinds = [(age, home) for age in ages for home in homes]
    own = [kind for kind in kinds for _ in range(6)]
    columns = {
        "age": [a for a, _ in own],
        "zip": [z for _, z in own],
        "disease": ["flu", "cold", "gout"] * (len(own) // 3),
    }
    everybody = {"age": [a for a, _ in kinds] * 9, "zip": [z for _, z in kinds] * 9}
    folders = []
    for each in (1, rows):
        who = [f"p{i // each}" for i in range(len(own))]
        population = everybody | {"patient": [f"q{i}" for i in range(len(everybody["age"]))]}
        asked = policy(Presence((0, 0.7), population))
        folders.append(anonymize(asked, tmp_path / f"{each}", source={"patient": who, **columns}).folder)
    assert told(folders[0]) == told(folders[1])
    manifest = told(folders[1])["manifest"]
    assert manifest["promises"][0]["level"] is None and "presence" not in manifest["population"]


def test_one_row_each_gives_the_same_tables_as_without_the_column(tmp_path: Path) -> None:
    table = visits(people=90, rows=1, seed=4)
    everybody = among(table)
    for name, role in (("named", "person"), ("unsaid", "identifier")):
        asked = policy(Presence((0, 0.45), everybody), role=role, suppress=0.1)
        release = anonymize(asked, tmp_path / name, source=table)
        assert release.figures["promises"][0]["level"] is not None
    for file in ("data.csv", "mapping.json"):
        assert (tmp_path / "named" / file).read_bytes() == (tmp_path / "unsaid" / file).read_bytes()


def test_k_map_counts_the_population_s_people_for_every_row(tmp_path: Path) -> None:
    table = uneven()
    everybody = among(table)
    everybody |= {name: [*column, *column] for name, column in everybody.items()}  # each of them twice: still one
    words = {"k_map": {"k": 7, "population": str(written(tmp_path / "people.csv", everybody))}}
    folder = anonymize(policy(words), tmp_path / "r", source=table).folder
    [promise] = json.loads((folder / "manifest.json").read_text())["promises"]
    assert promise["holds"] and promise["level"] >= 7
    assert verify(folder, population=everybody).kept is True  # whosever row it is


def written(path: Path, table: Table) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return path


def test_confident_presence_is_judged_by_people(tmp_path: Path) -> None:
    table = uneven()
    everybody = among(table)
    population = str(written(tmp_path / "people.csv", everybody))
    words = {"confident_presence": {"delta": [0, 0.5], "confidence": 0.8, "population": population}}
    release = anonymize(policy(words), tmp_path / "r", source=table)
    assert verify(release.folder, table, everybody).kept is True
    assert verify(release.folder, population=everybody).kept is None
    marginals = {c: [[v, everybody[c].count(v)] for v in dict.fromkeys(everybody[c])] for c in ("age", "zip")}
    words = {"confident_presence": {"delta": [0, 0.5], "confidence": 0.8, "marginals": marginals}}
    again = anonymize(policy(words), tmp_path / "s", source=table)
    assert (again.folder / "data.csv").read_bytes() == (release.folder / "data.csv").read_bytes()
    assert verify(again.folder, table).kept is True
    assert verify(again.folder).kept is None


def test_people_who_move_are_refused_with_their_number(tmp_path: Path) -> None:
    table = visits()
    everybody = among(table)
    table["zip"][0] = "10001" if table["zip"][0] != "10001" else "10002"
    with pytest.raises(DiscreetError, match="1 person has rows with different quasi-identifiers"):
        anonymize(policy(Presence((0, 0.9), everybody)), tmp_path / "r", source=table)


@pytest.mark.parametrize(
    "words, repair",
    [({"publish": "multidimensional"}, "publish: generalization"), ({"search": "instant"}, "leave `search` out")],
)
def test_what_counts_rows_alone_is_refused(tmp_path: Path, words: dict[str, str], repair: str) -> None:
    table = visits()
    with pytest.raises(DiscreetError, match="120 people have several rows") as caught:
        anonymize(policy(Presence((0, 0.9), among(table)), **words), tmp_path / "r", source=table)
    assert repair in str(caught.value)


def test_people_who_are_not_in_the_population_are_counted_as_people(tmp_path: Path) -> None:
    table = visits(people=20)
    everybody = visits(people=40, rows=1, seed=9)
    with pytest.raises(DiscreetError, match="people of the table are not in it") as caught:
        anonymize(policy(Presence((0, 0.9), everybody)), tmp_path / "r", source=table)
    assert "rows" not in caught.value.mistakes[0].rule


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_private_rows_of_a_table_with_several_rows_each_are_those_of_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = visits(people=40, rows=1, seed=seed)
    at = np.repeat(np.arange(40), rng.integers(1, 4, 40)).tolist()
    source = {name: [column[i] for i in at] for name, column in one.items()}
    source["ward"] = [str(w) for w in rng.integers(0, 2, len(at))]
    asked = policy_from_words(
        {
            "attributes": {
                "patient": {"role": "person"},
                "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [20, 40]}},
                "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [3]}},
            },
            "private": {"ward": "1"},
            "require": [{"presence": {"delta": [0, 0.99]}}],
        }
    )
    inside = {name for name, ward in zip(source["patient"], source["ward"], strict=True) if ward == "1"}
    if not inside or len(inside) == 40:
        return
    frequency = take_in(asked, source).frequency
    assert frequency.people == len(inside)
    assert frequency.population is not None and frequency.population.size == 40
    assert int(frequency.in_people.counts.sum()) == len(inside)
