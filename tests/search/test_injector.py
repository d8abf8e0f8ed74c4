"""Injector: its rules against a plain miner, its groups judged row by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import Infeasible
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.robust.robust import Robust
from discreet.search.buckets.bucketizing import demand
from discreet.search.buckets.injector import injected, injector
from discreet.search.buckets.injector_rules import Rules, negative_rules
from discreet.search.plan import Problem
from tests.search.bucketized import SENSITIVE, Row, bucketizable, check_plan, members, rows_of, same, table_of

Signature = tuple[tuple[int, str | None], ...]
Mined = set[tuple[Signature, str | None]]


def mined(frequency: FrequencySet, min_expected: Fraction = Fraction(9, 10)) -> Mined:
    """All negative rules, by their definition."""
    rows = [row for row, n in zip(rows_of(frequency), frequency.counts.tolist(), strict=True) for _ in range(n)]
    n, width = len(rows), len(rows[0]) - 1
    values = Counter(row[-1] for row in rows)
    found: Mined = set()
    for size in range(1, width + 1):
        for attributes in combinations(range(width), size):
            support = Counter(tuple((a, row[a]) for a in attributes) for row in rows)
            both = {(tuple((a, row[a]) for a in attributes), row[-1]) for row in rows}
            for signature, many in support.items():
                for value, often in values.items():
                    nobody = (1 - Fraction(many * often, n * n)) ** n
                    if (signature, value) not in both and 1 - nobody >= min_expected:
                        found.add((signature, value))
    return found


def struck_out(rules: Mined, row: Row) -> set[str | None]:
    """What the rules exclude for a person."""
    return {value for signature, value in rules if all(row[a] == v for a, v in signature)}


def excluded(rules: Rules, frequency: FrequencySet) -> list[set[str | None]]:
    """What `discreet` strikes out for each combination."""
    bits = np.unpackbits(rules.excluded.view(np.uint8), axis=1, bitorder="little").astype(bool)
    leaves = frequency.sensitive_hierarchies[SENSITIVE].leaves
    return [{leaves[rules.leaves[j]] for j in np.flatnonzero(line)} for line in bits]


@given(bucketizable(max_rows=15, max_count=9))
def test_the_rules_are_those_of_a_plain_miner(frequency: FrequencySet) -> None:
    rules, plain = negative_rules(frequency, SENSITIVE), mined(frequency)
    assert rules.number == len(plain)
    assert excluded(rules, frequency) == [struck_out(plain, row) for row in rows_of(frequency)]


def test_a_rule_needs_enough_people_to_be_no_accident() -> None:
    # 100 people of 30 years or more, half of whom have gout; some younger ones, none of whom has it
    def table(young: int) -> FrequencySet:
        return table_of([("30", "gout"), ("30", "flu"), ("20", "flu")], [50, 50, young])

    def accident(young: int) -> Fraction:
        n = 100 + young
        return (1 - Fraction(young * 50, n * n)) ** n

    border = next(young for young in range(1, 50) if accident(young) <= Fraction(1, 10))
    assert negative_rules(table(border - 1), SENSITIVE).number == 0
    rules = negative_rules(table(border), SENSITIVE)
    assert rules.number == 1
    assert sorted(map(sorted, excluded(rules, table(border)))) == [[], [], ["gout"]]


def test_many_values_have_a_bit_each() -> None:
    people = [("20", str(value)) for value in range(70)] + [("30", "69"), ("30", "0")]
    table = table_of(people, [5] * 70 + [200, 150])
    rules, plain = negative_rules(table, SENSITIVE), mined(table)
    assert excluded(rules, table) == [struck_out(plain, row) for row in rows_of(table)]
    assert rules.number == 68


@given(bucketizable(max_rows=15, max_count=9), st.integers(2, 4), st.integers(0, 2))
def test_nobody_stands_with_a_value_that_is_struck_out_for_them(frequency: FrequencySet, rows: int, seed: int) -> None:
    problem = Problem(frequency, (FrequencyDiversity(rows, SENSITIVE),), frequency.rows, seed=seed)
    rules = mined(frequency)
    plan = injector(problem)
    check_plan(plan)
    for group, held in members(plan).items():
        if group >= 0:
            values = {row[-1] for row in held}
            assert len(values) == len(held) >= rows
            assert not any(values & struck_out(rules, row) for row in held)


@given(bucketizable(max_rows=15, max_count=9), st.integers(2, 4), st.integers(0, 2))
def test_nor_do_they_where_some_values_are_protected_only(frequency: FrequencySet, rows: int, seed: int) -> None:
    asked = demand(Problem(frequency, (Robust(rows, SENSITIVE, values=[("flu", None), "gout"]),)), "injector")
    rules = mined(frequency)
    plan = injected(frequency, asked, np.random.default_rng(seed))
    check_plan(plan)
    for group, held in members(plan).items():
        if group >= 0:
            assert len(held) >= rows
            assert sum(row[-1] in ("flu", None) for row in held) <= 1
            assert sum(row[-1] == "gout" for row in held) <= 1
            values = {row[-1] for row in held}
            assert not any(values & struck_out(rules, row) for row in held)


def test_people_with_a_rule_stand_with_others_than_those_without() -> None:
    # men never have an ovarian cyst: nobody who has one shares a group with a man
    rows = [("m", "flu"), ("m", "cold"), ("f", "flu"), ("f", "cold"), ("f", "cyst")]
    table = table_of(rows, [30, 30, 20, 20, 20])
    plan = injector(Problem(table, (FrequencyDiversity(2, SENSITIVE),), seed=1))
    assert plan.facts["rules"] == 1
    assert plan.suppressed == 0
    for held in members(plan).values():
        assert ("f", "cyst") not in held or (("m", "flu") not in held and ("m", "cold") not in held)


def test_whoever_is_left_with_too_few_values_is_suppressed_within_the_limit() -> None:
    table = table_of([("20", "flu"), ("30", "cold"), ("30", "gout")], [10, 30, 30])
    models = (FrequencyDiversity(2, SENSITIVE),)
    with pytest.raises(Infeasible, match="no group for 10 of 70 rows"):
        injector(Problem(table, models, 9, seed=1))
    plan = injector(Problem(table, models, 10, seed=1))
    assert members(plan)[-1] == [("20", "flu")] * 10


def test_a_value_that_is_too_frequent_is_refused_at_once() -> None:
    table = table_of([("20", "flu"), ("30", "cold")], [10, 5])
    with pytest.raises(Infeasible, match=r"'flu' of disease has 66.67%"):
        injector(Problem(table, (FrequencyDiversity(2, SENSITIVE),), 4))


def test_the_same_seed_gives_the_same_plan() -> None:
    table = table_of([(str(age), value) for age in range(30) for value in ("flu", "cold", "gout")])
    models = (FrequencyDiversity(3, SENSITIVE), KAnonymity(6))
    one, other, third = (injector(Problem(table, models, seed=seed)) for seed in (1, 1, 2))
    assert same(one, other)
    assert not same(one, third)
