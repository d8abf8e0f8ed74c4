"""A re-check of t-closeness needs something to compare with, which must not give the suppressed rows away."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.intake import take_in
from discreet.models.alpha_beta import AlphaBeta
from discreet.models.base import PrivacyModel
from discreet.models.k_anonymity import KAnonymity
from discreet.models.robust import Robust
from discreet.models.t_closeness import TCloseness
from discreet.pipeline import find_plan
from discreet.policy import Policy
from discreet.releases.references import ROWS_PER_STEP, references
from discreet.search.plan import SUPPRESSED, Recoding
from tests.oracles import keeps_one
from tests.releases.making import Columns, planned, release
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


@given(_rows, st.sampled_from([1, 1, 40]), st.sampled_from([0.2, 0.4]))
def test_references_name_no_suppressed_row(rows: list[tuple[str, str]], times: int, t: float) -> None:
    asked = policy({"t_closeness": {"t": t}}, {"k_anonymity": {"k": 2}})
    rows = rows * times
    found = references(plan_of(rows, asked), asked.models)
    published = [s for g, s in rows if g != MISSING]
    missing = [s for g, s in rows if g == MISSING]
    table = [s for _, s in rows]
    groups = {g: [s for h, s in rows if h == g] for g, _ in rows if g != MISSING}

    def hold(reference: list[str]) -> bool:
        return all(keeps_one(asked.models[0], group, reference) for group in groups.values())

    if not hold(table):
        return  # no search proposes such a plan
    if found is None:
        assert not hold(published)
        return
    if found["disease"] == "published":
        assert hold(published)
        return
    weights = dict(found["disease"])
    assert set(weights) <= set(published)
    assert hold([s for s, n in weights.items() for _ in range(n)])
    if weights == Counter(table):
        assert all(keeps_one(model, missing, table) for model in asked.models)
    else:
        assert sum(weights.values()) <= len(table) / ROWS_PER_STEP + len(weights)


def test_rather_than_give_rows_away_fewer_are_suppressed(tmp_path: Path) -> None:
    """Tables in which the promise holds against the whole table, but not against what is published of it."""
    asked = policy({"k_anonymity": {"k": 2}}, {"t_closeness": {"t": 0.3}}, suppress=0.5)
    changed = 0
    for seed in range(40):
        chance = random.Random(seed)
        table = {
            "group": [chance.choice("aaabbbcd") for _ in range(20)],
            "disease": [chance.choice("xxyz") for _ in range(20)],
        }
        plan = find_plan(asked, take_in(asked, table))
        assert references(plan, asked.models) is not None
        changed += plan.suppressed == 0 and plan.node == (1,)
        if seed < 6:
            anonymize(asked, tmp_path / str(seed), source=table)
            assert verify(tmp_path / str(seed)).kept
    assert changed


def test_a_large_table_is_compared_with_rounded_shares() -> None:
    """The published rows alone fail; the table's shares, each open by twenty rows, do."""
    rows = [("a", "flu")] * 280 + [("a", "cold")] * 420 + [("b", "flu")] * 70 + [("b", "cold")] * 30
    rows += [(MISSING, "flu")] * 95 + [(MISSING, "cold")] * 5
    asked = policy({"t_closeness": {"t": 0.22}})
    found = references(plan_of(rows, asked), asked.models)
    assert found is not None
    assert found["disease"] != "published"
    assert sum(n for _, n in found["disease"]) <= len(rows) / ROWS_PER_STEP + 2


def test_verify_needs_the_files_alone(tmp_path: Path) -> None:
    table = {"group": list("aaaabbbbbbc"), "disease": list("xyxyxyxyxyz")}
    asked = policy({"t_closeness": {"t": 0.3}}, {"k_anonymity": {"k": 2}}, suppress=0.2)
    anonymize(asked, tmp_path / "r", source=table)
    assert manifest_of(tmp_path / "r")["rows"]["suppressed"] == 1
    assert "z" not in {row[1] for row in read_table(tmp_path / "r")[1]}
    assert verify(tmp_path / "r").kept


@pytest.mark.parametrize(
    ("tables", "model"), [(None, Robust("1.2", "disease")), ([[0], [1]], AlphaBeta(1, "0.9", "disease"))]
)
def test_releases_of_exact_values_have_references_too(
    tmp_path: Path, tables: list[list[int]] | None, model: PrivacyModel
) -> None:
    """What is published fails, the table does not; and the suppressed rows would be a group as good as the others."""
    groups = [(0, "x", 8), (0, "y", 2), (1, "x", 1), (1, "y", 1), (SUPPRESSED, "x", 2), (SUPPRESSED, "y", 2)]
    rows = [(g, s) for g, s, n in groups for _ in range(n)]
    source = {"age": ["30"] * 16, "zip": ["4790"] * 16, "disease": [s for _, s in rows]}
    made = planned(source, Columns(("age", "zip"), ("disease",)), [g for g, _ in rows], tables=tables)
    models = (KAnonymity(2), TCloseness("0.2", "disease"), model)
    assert references(made.plan, models) == {"disease": [["x", 11], ["y", 5]]}
    assert references(made.plan, (KAnonymity(5), *models[1:])) is None  # nobody hides among four
    release(made, tmp_path / "r", models)
    assert verify(tmp_path / "r", source).kept
