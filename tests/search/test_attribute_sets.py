"""Sets of attributes in one table: dependent ones are kept together, and queries are answered better for it."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.counts.frequency import FrequencySet
from discreet.models.ambiguity.alpha_beta import AlphaBeta, presence
from discreet.progress import silent
from discreet.search.ambiguity.ambiguity import greedy
from discreet.search.ambiguity.attribute_sets import Trial, _joined, _moved, best_tables, dependence
from discreet.search.plan import Problem
from tests.search.patients import PATIENTS, frequency_of, random_table


def twins(rows: int = 1500) -> FrequencySet:
    """Two attributes that nearly say the same, and three that say nothing about each other."""
    rng = np.random.default_rng(5)
    city = rng.integers(0, 12, rows)
    state = np.where(rng.random(rows) < 0.02, rng.integers(0, 4, rows), city // 3)
    others = [rng.integers(0, n, rows) for n in (40, 6, 10)]
    columns = [column.astype(str).tolist() for column in (others[0], city, others[1], state, others[2])]
    return frequency_of(["age", "city", "job", "state", "s"], list(zip(*columns, strict=True)))


def test_dependence_is_one_for_copies_and_none_for_strangers() -> None:
    found = dependence(twins())
    assert found[1, 3] > 0.85
    assert np.allclose(found, found.T)
    assert found[0, 2] < 0.1


def test_a_constant_depends_on_nothing() -> None:
    found = dependence(frequency_of(["a", "b", "s"], [("x", str(n), "y") for n in range(4)]))
    assert found.tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize("seed", range(3))
def test_the_most_dependent_attributes_come_together(seed: int) -> None:
    plan = greedy(Problem(twins(), (AlphaBeta("1/10", "1/4", "s", "best"),), seed=seed))
    together = next(table for table in plan.tables if 1 in table)
    assert 3 in together
    assert len(plan.tables) > 1
    assert presence(plan.groups).max() <= 1 / 10
    assert plan.facts["tables"] == " | ".join(
        ", ".join(plan.frequency.attributes[d] for d in table) for table in plan.tables
    )


def test_the_best_tables_answer_queries_better_than_separate_ones() -> None:
    problem = Problem(twins(), (model := AlphaBeta("1/10", "1/4", "s", "best"),), seed=2)
    trial = Trial.of(problem, model)
    found = best_tables(trial, silent)
    separate = ((0,), (1,), (2,), (3,))
    error = {tables: min(trial.error(tables, leeway) for t, leeway in trial.known if t == tables) for tables in found}
    assert error[found[0]] <= 1.05 * min(error.values())
    assert error[found[0]] < 0.8 * error[separate]


def test_sets_are_only_joined_as_far_as_alpha_allows() -> None:
    problem = Problem(random_table(800, [9, 8, 7, 6], 9), (model := AlphaBeta("1/100", "1/4", "s", "best"),), seed=1)
    found = best_tables(Trial.of(problem, model), silent)
    assert all(len(tables) > 2 for tables in found)  # n / (m · m') is at least 1 / 63, however two tables are made


def test_joining_and_moving_keep_every_attribute_once() -> None:
    tables = ((0, 2), (1,), (3,))
    assert _joined(tables, (1,), (0, 2)) == ((0, 1, 2), (3,))
    for changed in [tables, *_moved(tables)]:
        assert sorted(d for table in changed for d in table) == [0, 1, 2, 3]
    assert ((0,), (1,), (2,), (3,)) in _moved(tables)
    assert ((1,), (0, 2, 3)) not in _moved(tables)  # tables are written in order
    assert ((0, 2, 3), (1,)) in _moved(tables)
    assert tables not in _moved(tables)


def test_a_trial_takes_no_more_than_a_sample() -> None:
    frequency = random_table(7000, [9, 8], 5)
    trial = Trial.of(Problem(frequency, (model := AlphaBeta("1/2", "1/2", "s"),), 70, seed=1), model)
    assert trial.problem.frequency.rows == 6000
    assert (trial.problem.frequency.counts > 0).all()
    small = Trial.of(Problem(PATIENTS, (model := AlphaBeta("1/2", "1/2", "disease"),), seed=1), model)
    assert small.problem.frequency is PATIENTS
