"""What a worst-case adversary knows: against a plain computation, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counts.frequency import FrequencySet
from discreet.errors import PolicyError
from discreet.models.examples import bucketized
from discreet.models.robust import knowledge as module
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.knowledge import ANYBODY, Knowledge, default_sets, table_knowledge
from tests.strategies import Table, tables

S = "disease"


def table_of(quasi_identifiers: Sequence[str], rows: Sequence[tuple[str | None, ...]]) -> FrequencySet:
    groups = bucketized(S, quasi_identifiers, [rows])
    assert groups.people is not None and groups.people.table is not None
    return groups.people.table


def shares(table: Table, attributes: Sequence[int], row: int, min_support: int) -> dict[str | None, Fraction]:
    """How often each value occurs among the rows that look like this one; among all, if these are too few."""
    looks = [tuple(r[a] for a in attributes) for r in table.rows]
    alike = [v for look, v in zip(looks, table.sensitive[S], strict=True) if look == looks[row]]
    counted = Counter(alike if len(alike) >= min_support else table.sensitive[S])
    return {value: Fraction(count, counted.total()) for value, count in counted.items()}


@pytest.mark.parametrize(("keys", "dense"), [(1 << 62, 1 << 22), (1 << 62, 0), (8, 0)])
@given(table=tables(), min_support=st.integers(1, 4))
def test_everybody_has_the_distribution_of_people_who_look_alike(
    keys: int, dense: int, table: Table, min_support: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_KEYS", keys)
        patch.setattr(module, "_DENSE", dense)
        frequency = table.frequency()
        known = table_knowledge(frequency, S, min_support=min_support)
        codes = [np.array([h.index[row[i]] for row in table.rows]) for i, h in enumerate(frequency.hierarchies)]
        found = known.signatures([c.astype(np.int32) for c in codes])
    leaves = frequency.sensitive_hierarchies[S].leaves
    for k, s in enumerate(known.sets):
        assert (known.shares[k] == known.counts[k] / known.supports[k][:, None]).all()
        for row in range(len(table.rows)):
            at = found[k, row]
            chances = {
                leaf: Fraction(int(count), int(known.supports[k][at]))
                for leaf, count in zip(leaves, known.counts[k][at], strict=True)
                if count
            }
            assert chances == shares(table, s, row, min_support)
    wanted = {s for n in range(1, len(table.paths) + 1) for s in combinations(range(len(table.paths)), n)}
    enough = {s for s in wanted if max(Counter(tuple(r[a] for a in s) for r in table.rows).values()) >= min_support}
    assert set(known.sets) == (enough or {()})


def test_a_signature_that_few_rows_have_is_anybody() -> None:
    rows = [("1", "flu")] * 3 + [("2", "gout")] * 2
    known = table_knowledge(table_of(["zip"], rows), S, min_support=3)
    assert known.signatures([np.array([0, 1], dtype=np.int32)]).tolist() == [[1, ANYBODY]]
    assert known.counts[0].tolist() == [[3, 2], [3, 0]]


def test_where_no_signature_has_enough_rows_everybody_is_anybody() -> None:
    known = table_knowledge(table_of(["zip"], [("1", "flu"), ("2", "gout")]), S)
    assert known.sets == ((),)
    assert known.counts[0].tolist() == [[1, 1]]
    assert known.signatures([np.array([0, 1, 1], dtype=np.int32)]).tolist() == [[ANYBODY] * 3]


def test_named_sets_are_the_only_ones_and_each_counts_once() -> None:
    table = table_of(["a", "b", "c"], [("1", "2", "3", "flu")])
    known = table_knowledge(table, S, [["c", "a"], ["b"], ["a", "c", "a"]], min_support=1)
    assert known.sets == ((0, 2), (1,))


def test_a_set_of_unknown_attributes_is_a_mistake() -> None:
    with pytest.raises(PolicyError, match="no such quasi-identifier 'zipp'; did you mean 'zip'"):
        table_knowledge(table_of(["zip"], [("1", "flu")]), S, [["zipp"]])


def test_knowledge_is_made_once_per_table() -> None:
    table = table_of(["zip"], [("1", "flu")])
    assert table_knowledge(table, S) is table_knowledge(table, S)
    assert table_knowledge(table, S) is not table_knowledge(table, S, min_support=1)


@pytest.mark.parametrize("attributes", range(1, 40))
def test_the_default_sets_are_bounded_and_have_all_attributes_together(attributes: int) -> None:
    sets = default_sets(attributes)
    assert len(set(sets)) == len(sets) <= max(200, attributes + 1)
    assert tuple(range(attributes)) in sets
    for size in range(1, 6 if attributes <= 5 else 2):
        assert sum(len(s) == size for s in sets) == comb(attributes, size)


def given_to(rows: Sequence[tuple[dict[str, str | None], str | None, object]], table: FrequencySet) -> Knowledge:
    return GivenKnowledge(rows).known(table.hierarchies, table.sensitive_hierarchies[S], table.totals[S])


def chances(known: Knowledge, k: int, row: int) -> list[Fraction]:
    return [Fraction(int(c), int(known.supports[k][row])) for c in known.counts[k][row]]


TABLE = table_of(
    ["nation", "sex"], [("J", "f", "a"), ("J", "m", "b"), ("A", "f", "b"), (None, "", "c"), ("J", "f", "c")]
)


def test_given_knowledge_may_be_about_several_attribute_sets() -> None:
    rows = [
        ({"nation": "J"}, "a", "0.4"),
        ({"nation": None}, "b", 1),
        ({"sex": "", "nation": "J"}, "a", "1/3"),
        ({"nation": "nowhere"}, "a", 1),
    ]
    known = given_to(rows, TABLE)
    assert known.sets == ((0,), (0, 1))
    nation, sex = TABLE.hierarchies
    people = [("J", "f"), ("A", "m"), (None, ""), ("J", "")]
    codes = [np.array([h.index[p[i]] for p in people], dtype=np.int32) for i, h in enumerate((nation, sex))]
    found = known.signatures(codes)
    anybody = [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)]
    japanese = [Fraction(4, 10), Fraction(3, 10), Fraction(3, 10)]  # of the rest, b and c have the same share
    assert [chances(known, 0, r) for r in found[0]] == [japanese, anybody, [0, 1, 0], japanese]
    assert [chances(known, 1, r) for r in found[1]] == [anybody] * 3 + [[Fraction(1, 3)] * 3]


def test_anybody_may_be_given() -> None:
    known = given_to([({}, "a", "0.5"), ({"sex": "f"}, "a", 0)], TABLE)
    assert known.sets == ((1,),)
    assert chances(known, 0, ANYBODY) == [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
    assert given_to([({}, "a", "0.5")], TABLE).sets == ((),)


def test_probabilities_that_are_rounded_are_divided_by_their_sum() -> None:
    rows = [({"sex": "f"}, value, "0.333") for value in "abc"]
    assert chances(given_to(rows, TABLE), 0, 1) == [Fraction(1, 3)] * 3
    rows = [({"sex": "f"}, "a", "0.6"), ({"sex": "f"}, "b", "0.405")]
    assert chances(given_to(rows, TABLE), 0, 1) == [Fraction(120, 201), Fraction(81, 201), 0]


def test_given_knowledge_is_coded_anew_for_another_table() -> None:
    knowledge = GivenKnowledge([({"nation": "J"}, "a", "0.5")])
    other = table_of(["nation", "sex"], [("J", "f", "a"), ("B", "f", "z"), ("A", "f", "b")])
    for table in (TABLE, other, TABLE):
        known = knowledge.known(table.hierarchies, table.sensitive_hierarchies[S], table.totals[S])
        code = table.hierarchies[0].index["J"]
        at = known.signatures([np.array([code], dtype=np.int32), np.array([0], dtype=np.int32)])[0, 0]
        assert chances(known, 0, at)[table.sensitive_hierarchies[S].index["a"]] == Fraction(1, 2)


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("flu", "must be rows of a signature"),
        ([], "has no rows"),
        ([("J", "a")], "must be a signature, a value and a probability"),
        ([({"sex": 1}, "a", 0.1)], "attributes with values that are text"),
        ([({"sex": "f"}, 7, 0.1)], 'put it in quotes: "7"'),
        ([({"sex": "f"}, "a", "much")], "must be a number"),
        ([({"sex": "f"}, "a", 2)], "a probability can't be 2"),
        ([({"sex": "f"}, "a", 0.1), ({"sex": "f"}, "a", 0.2)], r"knowledge\[1\]: is given twice"),
        ([({"sex": "f"}, "a", 0.6), ({"sex": "f"}, "b", 0.6)], "probabilities of sex f add up to 1.2"),
    ],
)
def test_rows_that_can_not_be_meant_are_mistakes(rows: object, rule: str) -> None:
    with pytest.raises(PolicyError, match=rule):
        GivenKnowledge(rows)


def test_probabilities_of_too_many_digits_are_refused() -> None:
    rows = [({"sex": "f"}, "a", Fraction(1, 3**25)), ({"sex": "f"}, "b", Fraction(1, 7**20))]
    with pytest.raises(PolicyError, match="too many digits"):
        given_to(rows, TABLE)


def test_what_given_knowledge_says_of_another_table_is_told() -> None:
    rows = [
        ({"nationn": "J"}, "flu", 0.1),
        ({"sex": "f"}, "a", 0.1),
        ({"sex": "f"}, "b", 0.1),
        ({"sex": "f"}, "c", 0.1),
    ]
    found = [str(m) for m in GivenKnowledge(rows).misfits(TABLE, S, "knowledge")]
    assert found == [
        "knowledge: no such quasi-identifier 'nationn'; did you mean 'nation'?",
        "knowledge: disease has no value 'flu'; known: 'a', 'b', 'c'",
        "knowledge: the probabilities of sex f add up to 0.3; "
        "they must add up to 1, or leave out the value that has the rest",
    ]
    [mistake] = GivenKnowledge([({"sex": "female"}, "a", 0.1)]).misfits(TABLE, S, "knowledge")
    assert mistake.rule == "the table has none of the values listed for sex"
    with pytest.raises(PolicyError, match="nationn"):
        given_to(rows[:1], TABLE)
