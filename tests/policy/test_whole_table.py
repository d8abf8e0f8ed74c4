"""What columns are beside each other: repetition, how much each singles out, and the order of decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.engines.open import open_source
from discreet.policy.proposing.proposals import Proposal, proposals_of
from discreet.policy.proposing.proposed import proposed
from discreet.policy.proposing.whole_table import by_importance, with_figures, without_repetition
from discreet.policy.words import Role

Table = dict[str, list[str]]


def looked_at(table: Table) -> dict[str, Proposal]:
    return {p.name: p for p in proposed(open_source(table)).proposals}


def unique(table: Table, columns: Sequence[str]) -> float:
    """The share of rows that no other row looks like, counted one by one."""
    rows = list(zip(*(table[c] for c in columns), strict=True)) if columns else [()] * len(next(iter(table.values())))
    return sum(n == 1 for n in Counter(rows).values()) / len(rows)


def test_of_two_columns_that_say_the_same_the_second_is_left_out_and_why_is_told() -> None:
    names = ["Bachelors", "Masters", "HS", "Doctorate"]
    column = [names[i * i % 4 if i % 7 else i % 4] for i in range(200)]
    table = {"education": column, "education-num": [str(names.index(c) + 9) for c in column], "sex": ["f", "m"] * 100}
    seen = looked_at(table)
    assert [seen[n].role for n in table] == [Role.QUASI_IDENTIFIER, Role.IDENTIFIER, Role.QUASI_IDENTIFIER]
    assert seen["education-num"].why == "says the same as 'education', value by value: one of them suffices; left out"
    assert not seen["education-num"].decide


def test_equally_frequent_values_alone_prove_nothing() -> None:
    table = {"sex": ["f", "m"] * 50, "married": ["y"] * 50 + ["n"] * 50}
    assert [p.role for p in looked_at(table).values()] == [Role.QUASI_IDENTIFIER] * 2


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_columns_are_left_out_exactly_if_another_one_determines_them_and_they_it(data: st.DataObject) -> None:
    cells = st.lists(st.sampled_from("abc"), min_size=8, max_size=8)
    table = {f"{c}_place": data.draw(cells) for c in "pqr"}
    engine = open_source(table)
    before = proposals_of(engine.profile())
    after = without_repetition(before, engine)
    same = set()
    for first, second in combinations(table, 2):
        pairs = set(zip(table[first], table[second], strict=True))
        several = len(set(table[first])) > 1
        if several and first not in same and len(pairs) == len(set(table[first])) == len(set(table[second])):
            same.add(second)
    assert {p.name for p in after if p.role == Role.IDENTIFIER} == same


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_what_a_column_singles_out_is_what_counting_one_by_one_gives(data: st.DataObject) -> None:
    cells = st.lists(st.sampled_from("abcde"), min_size=9, max_size=9)
    table = {f"{c}_place": data.draw(cells) for c in "pqr"} | {"story": ["x" * 50 + str(i // 2) for i in range(9)]}
    engine = open_source(table)
    told, sentence = with_figures(proposals_of(engine.profile()), engine)
    quasi = [p.name for p in told if p.role == Role.QUASI_IDENTIFIER and len(set(table[p.name])) > 1]
    assert bool(sentence) == bool(quasi)
    for p in told:
        if not quasi or len(set(table[p.name])) < 2:
            assert p.beyond is None
            continue
        others = [c for c in quasi if c != p.name]
        assert p.alone == unique(table, [p.name])
        assert (
            p.beyond is not None and abs(p.beyond - (unique(table, [*others, p.name]) - unique(table, others))) < 1e-9
        )


def test_decisions_stand_in_the_order_of_what_they_single_out() -> None:
    rows = 200
    table = {
        "sex": ["f", "m"] * (rows // 2),
        "weak": [f"w{i // 3 % 2}" for i in range(rows)],
        "strong": [f"s{i % 90}" for i in range(rows)],
        "story": [("a long tale " * 5) + str(i) for i in range(rows)],
    }
    seen = proposed(open_source(table))
    assert [p.name for p in seen.decisions] == ["story", "strong", "weak"]
    assert seen.decisions == by_importance(seen.proposals)
    text = seen.text("x.csv")
    assert "#   1. 'story'\n#   2. 'strong'\n#   3. 'weak'\n" in text
    assert "of the rows are unique by the quasi-identifiers together" in text


def test_several_rows_of_one_person_hide_nobody() -> None:
    """Twenty people with five equal rows each: by rows nobody is unique, and each of them is found."""
    table = {
        "patient": [f"p{i // 5}" for i in range(100)],
        "age": [str(20 + i // 5) for i in range(100)],
        "sex": ["f" if i // 5 % 2 else "m" for i in range(100)],
        "disease": [["flu", "cold", "gout"][i % 3] for i in range(100)],
    }
    seen = proposed(open_source(table))
    assert seen.owner.column == "patient"
    assert seen.unique == "100% of the rows are one person's alone by the quasi-identifiers together"
    [age] = [p for p in seen.proposals if p.name == "age"]
    assert (age.alone, age.beyond) == (1.0, 1.0)


def test_answers_of_a_questionnaire_are_one_decision_and_say_what_they_tell_together() -> None:
    table = {"age": [str(20 + i % 50) for i in range(300)]}
    table |= {f"q{n}": [str(1 + (i * n + i // 7) % 5) for i in range(300)] for n in range(1, 9)}
    seen = proposed(open_source(table))
    assert [p.name for p in seen.decisions] == ["q1"]
    assert seen.decisions[0].block == tuple(f"q{n}" for n in range(1, 9))
    assert {p.role for p in seen.proposals[1:]} == {Role.SENSITIVE}
    share = unique(table, [f"q{n}" for n in range(1, 9)])
    assert f"by 8 answers together {share:.0%} of the rows are unique" in seen.decisions[0].why


def test_an_answer_that_nearly_all_give_is_left_out() -> None:
    table = {f"q{n}": [str(1 + i % 4) for i in range(200)] for n in range(1, 7)}
    table["q6"] = ["1"] * 195 + ["2"] * 5
    seen = looked_at(table | {"sex": ["f", "m"] * 100})
    assert (seen["q6"].role, seen["q6"].decide) == (Role.IDENTIFIER, True)
