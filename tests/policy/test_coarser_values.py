"""Exact amounts are proposed to be published as round intervals, none of which holds only a few rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import anonymize
from discreet.engines.open import open_source
from discreet.hierarchies.published_as import published_as
from discreet.policy.policy import read_policy
from discreet.policy.proposing.coarser_values import interval_words
from discreet.policy.proposing.proposed import proposed


@settings(max_examples=150, deadline=None)
@given(st.lists(st.decimals(-10_000, 1_000_000, places=2), min_size=1, max_size=300), st.integers(1, 30))
def test_whatever_the_amounts_no_interval_holds_fewer_than_five_rows(amounts: list[object], times: int) -> None:
    counts = Counter(amounts)
    values = np.array([float(a) for a in counts])  # type: ignore[arg-type]
    words = interval_words(values, np.array(list(counts.values()), dtype=np.int64) * times)
    if not words:
        return
    rule = published_as(yaml.safe_load(words), "cost", Path())
    rows: Counter[str | None] = Counter()
    for amount, count in counts.items():
        rows[rule.label(str(amount))] += count * times
    assert min(rows.values()) >= 5 and len(rows) > 1


def test_costs_to_the_cent_are_proposed_as_intervals_that_find_nobody(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    table = {
        "age": [str(n) for n in random.integers(20, 60, 2000)],
        "cost": [f"{x:.2f}" for x in np.exp(random.normal(6, 1.2, 2000))],
    }
    seen = proposed(open_source(table))
    cost = seen.proposals[1]
    assert cost.publish_as.startswith("{cuts: [[") and cost.decide
    (tmp_path / "p.yaml").write_text(seen.text("x.csv"), encoding="utf-8")
    policy = read_policy(tmp_path / "p.yaml")
    release = anonymize(policy, folder=tmp_path / "release", source=table, as_proposed=True)
    assert not any("find" in one.sentence for one in release.report.warnings if one.grave)


def test_texts_are_not_made_intervals() -> None:
    table = {"age": ["1", "2"] * 50, "cost": [f"{i}.50 EUR" for i in range(100)]}
    assert [p.publish_as for p in proposed(open_source(table)).proposals] == ["", ""]
