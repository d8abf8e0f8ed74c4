"""A re-check of t-closeness needs something to compare with, which must not give the suppressed rows away."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.policy.policy import Policy
from discreet.releases.references import failing_alone, settled
from discreet.run.anonymize import find_plan
from discreet.run.intake import take_in
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import SUPPRESSED, Problem, Recoding
from tests.oracles import keeps_one
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of, read_table

MISSING = "missing"


def policy(*promises: dict[str, object], suppress: float = 1) -> Policy:
    attributes = {"group": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    return policy_from_words({"attributes": attributes, "require": list(promises), "suppress": suppress})


def plan_of(rows: list[tuple[str, str]], asked: Policy) -> Recoding:
    """Rows by their groups; those called missing are suppressed."""
    frequency = take_in(asked, {"group": [g for g, _ in rows], "disease": [s for _, s in rows]}).frequency
    leaves = frequency.hierarchies[0].leaves
    number = {leaf: i for i, leaf in enumerate(v for v in leaves if v != MISSING)}
    group = np.array([number.get(leaves[c], SUPPRESSED) for c in frequency.codes[0]], dtype=np.int64)
    ends = np.array([[frequency.hierarchies[0].index[leaf]] for leaf in number], dtype=np.int32).reshape(-1, 1)
    return Recoding(frequency, np.arange(len(group)), frequency.counts, group, ends, ends, (0,))


_rows = st.lists(
    st.tuples(st.sampled_from(["a", "b", MISSING]), st.sampled_from(["flu", "cold", "HIV"])), min_size=1, max_size=12
)


@given(_rows, st.sampled_from([0.2, 0.4]))
def test_groups_are_compared_with_the_published_rows_alone(rows: list[tuple[str, str]], t: float) -> None:
    asked = policy({"t_closeness": {"t": t}}, {"k_anonymity": {"k": 2}})
    plan = plan_of(rows, asked)
    published = [s for g, s in rows if g != MISSING]
    groups = [[s for h, s in rows if h == g] for g in sorted({g for g, _ in rows if g != MISSING})]
    failing = [not keeps_one(asked.models[0], group, published) for group in groups]
    if plan.suppressed:  # else the search has judged that already
        assert failing_alone(plan, asked.models[:1]).tolist() == failing


@given(_rows, st.sampled_from([0.2, 0.4]), st.integers(0, 12))
def test_what_is_settled_keeps_its_promises_among_itself(rows: list[tuple[str, str]], t: float, limit: int) -> None:
    """Whole groups are left out, and no more rows than allowed."""
    asked = policy({"t_closeness": {"t": t}})
    plan = plan_of(rows, asked)
    if not plan.suppressed:
        return
    alone = settled(plan, asked.models, limit)
    if alone is None:
        assert failing_alone(plan, asked.models).any()
        return
    assert alone.suppressed <= max(limit, plan.suppressed)
    assert set(alone.published.tolist()) <= {0, *plan.published.tolist()}
    leaves, values = alone.frequency.hierarchies[0].leaves, alone.frequency.sensitive_hierarchies["disease"].leaves
    kept: dict[object, list[object]] = {}
    for group, value, n in zip(
        alone.frequency.codes[0], alone.frequency.sensitive["disease"], alone.published, strict=True
    ):
        kept.setdefault(leaves[group], []).extend([values[value]] * int(n))
    published = [s for group in kept.values() for s in group]
    assert all(keeps_one(asked.models[0], group, published) for group in kept.values() if group)


def test_rather_than_give_rows_away_others_or_fewer_are_suppressed(tmp_path: Path) -> None:
    """Tables in which the promise holds against the whole table, but not against what is published of it."""
    asked = policy({"k_anonymity": {"k": 2}}, {"t_closeness": {"t": 0.3}}, suppress=0.5)
    fewer = more = 0
    for seed in range(40):
        chance = random.Random(seed)
        table = {
            "group": [chance.choice("aaabbbcd") for _ in range(20)],
            "disease": [chance.choice("xxyz") for _ in range(20)],
        }
        plan = find_plan(asked, take_in(asked, table))
        assert not failing_alone(plan, asked.models).any()
        fewer += plan.suppressed == 0 and plan.node == (1,)
        compared_with_source = optimal(Problem(plan.frequency, asked.models, 10))
        more += plan.node == compared_with_source.node and plan.suppressed > compared_with_source.suppressed
        assert plan.facts["optimal"] is True  # of all that can be re-checked: tests/search/test_confirmed.py
        if seed < 6:
            anonymize(asked, tmp_path / str(seed), source=table)
            assert verify(tmp_path / str(seed)).kept
    assert fewer
    assert more


def test_verify_needs_the_files_alone(tmp_path: Path) -> None:
    table = {"group": list("aaaabbbbbbc"), "disease": list("xyxyxyxyxyz")}
    asked = policy({"t_closeness": {"t": 0.3}}, {"k_anonymity": {"k": 2}}, suppress=0.2)
    anonymize(asked, tmp_path / "r", source=table)
    assert manifest_of(tmp_path / "r")["rows"]["suppressed"] == 1
    assert "z" not in {row[1] for row in read_table(tmp_path / "r")[1]}
    assert verify(tmp_path / "r").kept


@pytest.mark.parametrize("weights", [[["x", 11], ["y", 5]], {"x": 11}, "source", None])
def test_another_distribution_than_its_own_is_refused(tmp_path: Path, weights: object) -> None:
    """Told, it would give away what the suppressed rows have."""
    table = {"group": list("aaaabbbbbbc"), "disease": list("xyxyxyxyxyz")}
    anonymize(policy({"t_closeness": {"t": 0.3}}, suppress=0.2), tmp_path / "r", source=table)
    manifest = manifest_of(tmp_path / "r")
    assert manifest["references"] == {"disease": "published"}
    put_manifest(tmp_path / "r", manifest | {"references": {"disease": weights}})
    assert "would tell of rows that were left out" in str(verify(tmp_path / "r").mistakes)
