"""k-map: every published row could be about k people, counted by somebody who has a list of everybody."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Infeasible, anonymize, audit_release, policy_from_words, verify
from discreet.errors import PolicyError
from discreet.models.presence.k_map import KMap
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem
from tests.presence.reading import Case, Reading, cases, frame, words_of
from tests.presence.worlds import World, mean_loss, worlds

kinds = st.sampled_from(["generalization", "multidimensional"])


@settings(max_examples=15)
@given(cases(), kinds, st.integers(2, 6))
def test_every_published_row_could_be_about_k_people(
    tmp_path_factory: pytest.TempPathFactory, case: Case, publish: str, k: int
) -> None:
    names, everybody, private, _, order = case
    people = frame(names, everybody, order)
    words = words_of(case, publish=publish) | {"private": {"in": "yes"}, "require": [{"k_map": {"k": k}}]}
    source = people | {"in": ["yes" if is_in else None for is_in in private]}
    try:
        release = anonymize(policy_from_words(words), tmp_path_factory.mktemp("k_map") / "release", source=source)
    except Infeasible:
        assert len(everybody) < k
        return
    found = Reading(release.folder, case)
    fewest = min(found.people[texts] for texts in found.rows)
    assert fewest >= k
    [promise] = release.manifest["promises"]
    assert promise["level"] == fewest
    assert verify(release.folder, population=people).kept
    assert not verify(release.folder).kept  # nobody can tell without the people
    audit = audit_release(release.folder, population=people)
    [level] = audit.levels
    assert level.holds
    if "mood" not in names:  # a value that looks like a set of others is read as one
        assert level.achieved == fewest


@given(world=worlds(), k=st.integers(2, 5), data=st.data())
def test_the_search_finds_the_cheapest_node(world: World, k: int, data: st.DataObject) -> None:
    limit = data.draw(st.integers(0, sum(world.private)))
    lost, possible = {}, {}
    for node in world.everybody.nodes:
        looks = world.everybody.generalized(node)
        people = Counter(looks)
        lost[node] = sum(there and people[look] < k for look, there in zip(looks, world.private, strict=True))
        if lost[node] <= limit:
            possible[node] = mean_loss(world, looks, {look for look in looks if people[look] >= k})
    try:
        plan = optimal(Problem(world.frequency(), (KMap(k),), limit))
    except Infeasible:
        assert not possible
        return
    assert plan.facts["optimal"]
    assert float(possible[plan.node]) == pytest.approx(min(map(float, possible.values())), abs=1e-12)
    assert plan.suppressed == lost[plan.node]


TABLE = {"age": ["20", "21", "40"], "disease": ["flu", "cold", "flu"]}
PEOPLE = {"age": ["20", "20", "20", "21", "21", "40", "41", "42"]}
WORDS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}},
        "disease": {"role": "sensitive"},
    },
    "seed": 1,
}


def write(path: Path, columns: dict[str, list[str]]) -> Path:
    path.write_text("\n".join([",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]))
    return path


def test_a_row_may_stand_alone_where_many_could_be_meant(tmp_path: Path) -> None:
    promise = {"k_map": {"k": 3, "population": str(write(tmp_path / "people.csv", PEOPLE))}}
    release = anonymize(policy_from_words(WORDS | {"require": [promise]}), tmp_path / "release", source=TABLE)
    assert release.manifest["smallest_group"] == 1
    assert sorted(line.split(",")[0] for line in (release.folder / "data.csv").read_text().splitlines()[1:]) == [
        *("20-24", "20-24", "40-44")
    ]
    page = (release.folder / "report.html").read_text()
    assert "Every published row could be about any of at least 3 rows of the population." in page
    assert "Knowing that a row is in the table" in page
    assert verify(release.folder, population=PEOPLE).kept
    fewer = {"age": PEOPLE["age"][:-1]}
    assert not verify(release.folder, population=fewer).kept
    assert audit_release(release.folder, population=fewer).kept is False
    alone = audit_release(release.folder)
    assert alone.kept is None and "list of everybody" in alone.levels[0].note
    not_everybody = audit_release(release.folder, population={"age": ["20", "40", "41", "42"]})
    assert [(level.holds, "not everybody" in level.note) for level in not_everybody.levels] == [(None, True)]


def test_mistakes_are_told_at_once() -> None:
    with pytest.raises(PolicyError) as error:
        policy_from_words(WORDS | {"require": [{"k_map": {"k": 1, "populaton": "a.csv"}}]})
    assert [str(m) for m in error.value.mistakes] == [
        "require[0].k_map.populaton: no such parameter; did you mean 'population'?",
        "require[0].k_map.k: must be at least 2, got 1; a release with k = 1 promises nothing",
    ]
    with pytest.raises(PolicyError, match="population: is missing"):
        policy_from_words(WORDS | {"require": [{"k_map": {"k": 2}}]})
    with pytest.raises(PolicyError, match="can't keep the promise 'k_map'"):
        words = {"require": [{"k_map": {"k": 2, "population": "a.csv"}}], "publish": "local_recoding"}
        policy_from_words(WORDS | words)


def test_a_population_that_is_too_small_is_told_before_the_search(tmp_path: Path) -> None:
    promise = {"k_map": {"k": 9, "population": str(write(tmp_path / "people.csv", PEOPLE))}}
    with pytest.raises(Infeasible, match="the population has only 8"):
        anonymize(policy_from_words(WORDS | {"require": [promise]}), tmp_path / "release", source=TABLE)
