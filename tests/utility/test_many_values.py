"""Attributes with very many values: what is held per value is a few bytes, not a kilobyte."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.rules import Flat, Intervals, Prefixes
from discreet.utility.estimates import estimates_generalized
from discreet.utility.queries import Workload, draw_workload, true_counts

VALUES = 300_000
RULES = {"numbers": Intervals((100, 10_000)), "names": Flat()}


@pytest.fixture(scope="module", params=list(RULES))
def many(request: pytest.FixtureRequest) -> Hierarchy:
    return build("id", [str(i) for i in range(VALUES)], RULES[request.param])


def peak(work: Callable[[], object]) -> float:
    """Bytes per value, at most, that are held besides what was there before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / VALUES
    finally:
        tracemalloc.stop()


def people(hierarchy: Hierarchy) -> FrequencySet:
    codes = np.arange(VALUES, dtype=np.int32)
    return FrequencySet((hierarchy,), (codes,), {}, {}, np.ones(VALUES, dtype=np.int64))


def drawn(hierarchy: Hierarchy) -> Workload:
    return draw_workload(people(hierarchy), predicates=1, selectivity=0.05, count=64, seed=1)


def test_queries_are_drawn_with_a_few_bytes_a_value(many: Hierarchy) -> None:
    assert peak(lambda: drawn(many)) < 400  # it was 1,100 for names


def test_answers_take_a_few_bytes_a_value(many: Hierarchy) -> None:
    asked, low = drawn(many), np.arange(0, VALUES, 1000, dtype=np.int32)[:, None]
    sizes = np.full(len(low), 1000)
    assert peak(lambda: estimates_generalized(asked, low, low + 999, sizes)) < 400  # it was 1,100
    told = estimates_generalized(asked, low, low + 999, sizes)
    assert told.tolist() == pytest.approx(true_counts(asked, [np.arange(VALUES)], np.ones(VALUES)).tolist(), rel=1e-9)


def test_labels_need_no_list_of_all_meanings(many: Hierarchy) -> None:
    assert many.index and many.first and many.last
    assert peak(lambda: many.label(5, 7)) < 60  # it was 400


def test_codes_with_one_prefix_share_its_texts() -> None:
    rule = Prefixes((4, 2))
    assert rule.path("479060") is rule.path("479061")
    assert rule.path("47906") == ("4790*", "47***")
    assert rule.path("479") == ("479", "47*")
    assert rule.path("4790") == ("4790", "47**")
