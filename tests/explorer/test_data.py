"""Before and after, beside counts made by hand; how columns hang together, beside the textbook."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import policy_from_words
from discreet.explorer.figures.candidate import candidate
from discreet.explorer.figures.data import MOST_NAMED, data
from discreet.report.associations import cramers_v
from discreet.run.anonymize import anonymize
from discreet.run.intake import Counted, count
from tests.explorer.tables import KINDS, counted, of_kind, people, plain, policy
from tests.visits import policy as of_visits
from tests.visits import visits


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


def textbook(pairs: list[tuple[Any, Any]]) -> float | None:
    """Cramér's V, cell by cell."""
    both, one, other = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    n, smaller = len(pairs), min(len(one), len(other))
    if smaller < 2:
        return None
    squares = sum((both[a, b] - one[a] * other[b] / n) ** 2 / (one[a] * other[b] / n) for a, b in product(one, other))
    return math.sqrt(squares / n / (smaller - 1))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_cramers_v_is_that_of_the_textbook(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros((4, 3))
    for a, b in pairs:
        table[a, b] += 1
    v = cramers_v(table)
    assert v == (None if textbook(pairs) is None else pytest.approx(textbook(pairs), abs=1e-9))
    assert v is None or 0 <= v <= 1


def test_before_is_the_table(counts: Counted) -> None:
    table = people()
    told = data(of_kind("generalization"), counts)["associations"]
    assert told["columns"] == ["age", "zip", "sex", "disease"]
    for i, j in ((1, 2), (1, 3), (2, 3)):
        pairs = list(zip(table[told["columns"][i]], table[told["columns"][j]], strict=True))
        assert told["before"][i][j] == told["before"][j][i] == pytest.approx(textbook(pairs))
    assert all(told[when][i][i] is None for when in ("before", "after") for i in range(4))


def test_what_is_published_as_it_is_keeps_all_of_it() -> None:
    table = {"a": ["x", "y"] * 20, "b": ["u", "v", "u", "u"] * 10}
    asked = policy_from_words(
        {
            "attributes": {"a": {"role": "quasi_identifier"}, "b": {"role": "quasi_identifier"}},
            "require": [{"k_anonymity": {"k": 2}}],
        }
    )
    told = data(asked, count(asked, table))
    assert told["associations"]["after"] == told["associations"]["before"]
    assert all(column["before"] == column["after"] and column["loss"] == 0 for column in told["columns"])


def expected_after(plan: Any, d: int, of: str) -> float | None:
    """A range spread over its leaves, row by row, with the sensitive values of its group."""
    h, tally = plan.frequency.hierarchies[d], plan.groups.tallies[of]
    cells: Counter[tuple[int, int]] = Counter()
    for g in range(len(plan.groups)):
        low, high = int(plan.low[g, d]), int(plan.high[g, d])
        for at in range(int(tally.offsets[g]), int(tally.offsets[g + 1])):
            for leaf in range(low, high + 1):
                label = int(h.codes[0 if len(h.leaves) <= 32 else 1][leaf])
                cells[label, int(tally.values[at])] += float(tally.counts[at]) / (high - low + 1)  # type: ignore[assignment]
    one = sorted({a for a, _ in cells})
    other = sorted({b for _, b in cells})
    return cramers_v(np.array([[cells[a, b] for b in other] for a in one], dtype=np.float64))


@pytest.mark.parametrize("kind", ["generalization", "multidimensional", "local_recoding"])
def test_after_is_what_a_reader_expects(kind: str, counts: Counted) -> None:
    told = data(of_kind(kind), counts)["associations"]["after"]
    plan = candidate(of_kind(kind), counts).plan
    for d in range(3):
        mine = expected_after(plan, d, "disease")
        assert told[d][3] == (None if mine is None else pytest.approx(mine))


def test_tables_apart_keep_what_stands_in_one_table(counts: Counted) -> None:
    told = data(of_kind("bucketization"), counts)["associations"]
    for i, j in product(range(3), repeat=2):
        if i != j:
            assert told["after"][i][j] == pytest.approx(told["before"][i][j])
    assert any(told["after"][i][3] < told["before"][i][3] for i in range(3))


@pytest.mark.parametrize("kind", ["generalization", "closeness"])
def test_published_labels_are_counted_as_published(kind: str, counts: Counted, tmp_path: Any) -> None:
    told = data(of_kind(kind), counts)
    release = anonymize(of_kind(kind), tmp_path / "release", source=people())
    published = release.frame
    published = published if isinstance(published, dict) else published.to_pydict()
    for column in told["columns"]:
        shares = Counter(published[column["name"]])
        total = sum(shares.values())
        named = {label: share for label, share in column["after"] if not str(label).startswith("(")}
        assert len(named) <= MOST_NAMED
        for label, share in named.items():
            assert shares[label] >= 5 and share == pytest.approx(shares[label] / total), column["name"]
        assert {label for label, n in shares.items() if n >= 5} - set(named) == set() or len(shares) > MOST_NAMED
        if column["level"] is not None:
            assert column["loss"] == pytest.approx(release.figures["losses"][column["name"]])


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_of_everybody(kind: str, counts: Counted) -> None:
    told = data(of_kind(kind), counts)
    assert plain(told)
    for column in told["columns"]:
        assert sum(share for _, share in column["before"]) + column["hidden"] == pytest.approx(1)
        assert sum(share for _, share in column["after"]) <= 1 + 1e-9
    sizes = candidate(of_kind(kind), counts).plan.groups.sizes
    assert sum(b["groups"] for b in told["groups"]) == len(sizes)
    assert sum(b["rows"] for b in told["groups"]) == sizes.sum()


def test_rare_values_are_told_together(counts: Counted) -> None:
    table = people()
    [disease] = [c for c in data(policy(suppress=0.1), counts)["columns"] if c["name"] == "disease"]
    named = {label for label, _ in disease["before"]}
    unnamed = [v for v in table["disease"] if v not in named]
    assert set(unnamed) == {"rare disease"}
    assert disease["hidden"] == pytest.approx(len(unnamed) / 300)


def test_values_of_one_person_s_many_rows_are_not_named() -> None:
    table = visits(40, 8)
    table["disease"][:8] = ["own disease"] * 8  # of one patient
    asked = of_visits({"k_anonymity": {"k": 5}}, suppress=0.3)
    told = data(asked, count(asked, table))
    [disease] = [c for c in told["columns"] if c["name"] == "disease"]
    assert told["unit"] == "rows"
    assert "own disease" not in {label for side in ("before", "after") for label, _ in disease[side]}
    assert disease["hidden"] >= 8 / 320
