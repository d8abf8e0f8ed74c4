"""ε-privacy in every search, alone and beside other promises, and from the policy's words to the re-checked release."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, anonymize, policy_from_words, verify
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel
from discreet.search.lattice.optimal import optimal
from discreet.search.local.local_recoding import local_recoding
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding
from tests.models.cases import ATTRIBUTE, KINDS
from tests.oracles import keeps_one
from tests.search.brute_force import candidates
from tests.strategies import Table, tables

CLASSES = ("class_one", "class_two", "class_three")
realistic = st.one_of(*(KINDS[kind] for kind in CLASSES))
conjunctions = st.lists(realistic, min_size=1, max_size=2) | st.tuples(
    realistic, st.one_of(KINDS["k_anonymity"], KINDS["distinct"], KINDS["equal"])
)


def published(plan: Recoding) -> list[list[str | None]]:
    """The sensitive values of each group of a plan."""
    tally, leaves = plan.groups.tallies[ATTRIBUTE], plan.frequency.sensitive_hierarchies[ATTRIBUTE].leaves
    return [
        [leaves[v] for v, n in zip(tally.values[a:b], tally.counts[a:b], strict=True) for _ in range(n)]
        for a, b in zip(tally.offsets[:-1], tally.offsets[1:], strict=True)
    ]


def kept(table: Table, models: list[PrivacyModel], group: list[str | None]) -> bool:
    paths = table.sensitive_paths[ATTRIBUTE]
    column = table.sensitive[ATTRIBUTE]
    return all(keeps_one(model, group, column, order=list(paths), paths=paths) for model in models)


@pytest.mark.parametrize("search", [mondrian, local_recoding])
@settings(max_examples=60)
@given(table=tables(), models=conjunctions.map(list))
def test_a_multidimensional_release_exists_if_the_whole_table_is_private_and_all_its_groups_are(
    search: Callable[[Problem], Recoding], table: Table, models: list[PrivacyModel]
) -> None:
    """Without suppression the table as one group is the coarsest release, and a promise that merging keeps needs it."""
    whole = list(table.sensitive[ATTRIBUTE])
    try:
        plan = search(Problem(table.frequency(), tuple(models)))
    except Infeasible:
        assert not kept(table, models, whole)
        return
    groups = published(plan)
    assert kept(table, models, whole) and all(kept(table, models, group) for group in groups)
    assert sorted(map(str, (v for group in groups for v in group))) == sorted(map(str, whole))
    assert plan.suppressed == 0


@settings(max_examples=60)
@given(table=tables(), models=conjunctions.map(list), share=st.sampled_from([0, 0.2, 0.5]))
def test_the_optimum_beside_other_promises_is_that_of_all_nodes(
    table: Table, models: list[PrivacyModel], share: float
) -> None:
    limit = int(share * len(table.rows))
    possible = [c for c in candidates(table, models) if c.suppressed <= limit]
    try:
        plan = optimal(Problem(table.frequency(), tuple(models), limit))
    except Infeasible:
        assert not possible
        return
    least = min(c.score("loss") for c in possible)
    assert plan.facts["score"] == pytest.approx(least, abs=1e-12)
    assert all(kept(table, models, group) for group in published(plan)) and plan.suppressed <= limit


ROWS = 400
TABLE = {
    "age": [str(20 + 7 * i % 50) for i in range(ROWS)],
    "zip": [str(47900 + i * i % 17) for i in range(ROWS)],
    "disease": [("flu", "flu", "cancer", "ulcer", "dyspepsia")[(i + i // 7) % 5] for i in range(ROWS)],
}
ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20]}},
    "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}},
    "disease": {"role": "sensitive"},
}
COUNTS = "disease,people\nflu,400\ncancer,199\nulcer,200\ndyspepsia,190\n"
ASKED = {
    "I": {"class": "I", "prior": "others.csv", "epsilon": 2, "known": 3},
    "II": {"class": "II", "stubbornness": 50, "epsilon": 3},
    "III": {"class": "III", "epsilon": 3, "predicates": ["cancer", ["ulcer", "dyspepsia"], {"not": "flu"}]},
}


@pytest.mark.parametrize("publish", ["generalization", "multidimensional", "local_recoding"])
@pytest.mark.parametrize("kind", ASKED)
def test_a_release_is_re_checked_from_its_own_files_alone(tmp_path: Path, publish: str, kind: str) -> None:
    (tmp_path / "others.csv").write_text(COUNTS)
    words = {
        "attributes": ATTRIBUTES,
        "require": [{"realistic": ASKED[kind]}, {"k_anonymity": {"k": 3}}],
        "publish": publish,
        "suppress": 0.1,
    }
    anonymize(policy_from_words(words, tmp_path), tmp_path / "release", source=TABLE)
    (tmp_path / "others.csv").unlink()
    found = verify(tmp_path / "release")
    assert found.kept
    assert found.verdicts[0].level <= ASKED[kind]["epsilon"]
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert "others.csv" not in json.dumps(manifest)
    if kind == "I":
        asked = manifest["promises"][0]["model"]["realistic"]
        assert asked["prior"] == {"counts": [["flu", 400], ["cancer", 199], ["ulcer", 200], ["dyspepsia", 190]]}
        assert asked["stubbornness"] == 993


def test_values_that_the_table_and_the_promise_do_not_share_are_named_before_the_search() -> None:
    prior = {"flu": 0.5, "cancer": 0.3, "ulcer": 0.2}
    asked = {"class": "III", "prior": prior, "epsilon": 3, "predicates": ["canser", {"not": "flu"}]}
    with pytest.raises(DataError) as caught:
        anonymize(policy_from_words({"attributes": ATTRIBUTES, "require": [{"realistic": asked}]}), "x", source=TABLE)
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "realistic.predicates: disease has no value 'canser'; did you mean 'cancer'?",
        "realistic.prior: says nothing about 'dyspepsia', so nothing about it is private; "
        "give every value of the column a share, or a count of 0 if nobody had it",
    ]
