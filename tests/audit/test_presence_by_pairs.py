"""What is promised by pairs or with a margin, read a second time: from texts, and with nothing of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize, audit_release, policy_from_words, verify
from discreet.audit.presence.by_pairs import Crowd, tree_of
from discreet.audit.presence.marginals_kernels import binomial_fewer
from discreet.counts.structure import heaviest_caterpillar, mutual_information
from tests.presence.confident import EVERYBODY, KNOWN, TABLE, by_hand, pairs_of, policy_words
from tests.presence.populations import Person, cases, columns, write
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of

NAMED = "presence_promise_by_pairs_fails"


@settings(max_examples=20, deadline=None)
@given(
    case=cases(),
    publish=st.sampled_from(["generalization", "multidimensional"]),
    margin=st.sampled_from([0, 0.25, 1]),
    known=st.sampled_from(["pairs", "marginals"]),
    listed=st.booleans(),
)
def test_the_audit_finds_what_the_release_promises(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Person], list[Person], list[str]],
    publish: str,
    margin: float,
    known: str,
    listed: bool,
) -> None:
    everybody, table, delta = case
    tmp = tmp_path_factory.mktemp("pairs")
    people = write(tmp / "people.csv", everybody)
    promise: dict[str, Any] = {"delta": delta, "confidence": 0.8, "margin": margin or 0.125}
    promise |= {"pairs": pairs_of(everybody)} if listed else {"population": str(people), "known": known}
    policy = policy_from_words(policy_words(promise, publish=publish))
    made = anonymize(policy, tmp / "release", source=columns(table))
    again = {} if listed else {"population": people}
    found = audit_release(made.folder, source=columns(table), **again)
    [level] = [level for level in found.levels if level.model == "confident_presence"]
    [line] = [line for line in found.lines if line.adversary == NAMED]
    assert level.holds and not line.breaks
    told = verify(made.folder, columns(table), **again).verdicts[0].level
    assert level.achieved == pytest.approx(1 - told, abs=1e-9)
    if listed or known == "pairs":
        assert level.achieved == pytest.approx(
            1 - by_hand(made.folder, everybody, table, delta, margin or 0.125), abs=1e-9
        )


def test_without_the_source_it_says_what_it_would_take(tmp_path: Path) -> None:
    people = write(tmp_path / "people.csv", EVERYBODY)
    words = policy_words(KNOWN | {"population": str(people), "known": "pairs"})
    made = anonymize(policy_from_words(words), tmp_path / "release", source=columns(TABLE))
    for given_again, told in (
        ({}, "needs a list of the population, or how many people have each two values"),
        ({"population": people}, "needs the original table (source)"),
        ({"population": people, "source": columns(TABLE[1:])}, "the source has other people than the release"),
    ):
        found = audit_release(made.folder, **given_again)  # type: ignore[arg-type]
        levels = [level for level in found.levels if level.model == "confident_presence"]
        assert levels and all(level.holds is None and told in level.note for level in levels)
        assert not any(line.promised is not None for line in found.lines if line.adversary.startswith("presence"))


def test_a_promise_that_is_not_kept_is_caught(tmp_path: Path) -> None:
    words = policy_words(KNOWN | {"pairs": pairs_of(EVERYBODY)})
    made = anonymize(policy_from_words(words), tmp_path / "release", source=columns(TABLE))
    manifest = json.loads(json.dumps(manifest_of(made.folder)))
    for entry in (manifest["promises"][0]["model"], manifest["policy"]["require"][0]):
        entry["confident_presence"] |= {"margin": 5, "delta": [0, 0.06]}
    put_manifest(made.folder, manifest)
    [level] = audit_release(made.folder, source=columns(TABLE)).levels
    assert level.holds is False and level.achieved > 0.2


@given(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1))
def test_few_of_many_trials(least: int, trials: int, share: float) -> None:
    from math import comb

    mean = share * trials
    right = sum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(min(least, trials + 1)))
    assert binomial_fewer(least, trials, mean) == pytest.approx(right if least <= mean else 1.0, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 7), min_size=1, max_size=40))
def test_both_find_the_same_tree(people: list[tuple[int, ...]]) -> None:
    pairs = {}
    for i in range(7):
        for j in range(i + 1, 7):
            pairs[i, j] = np.zeros((3, 3), dtype=np.int64)
            for p in people:
                pairs[i, j][p[i], p[j]] += 1
    alone = tuple(np.bincount([p[i] for p in people], minlength=3).astype(np.int64) for i in range(7))
    weights = {edge: round(mutual_information(table), 9) for edge, table in pairs.items()}
    assert tuple(sorted(tree_of(Crowd(({},) * 7, alone, pairs, len(people))))) == heaviest_caterpillar(weights)
