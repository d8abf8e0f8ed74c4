"""Reading a population: one scan, hierarchies over both tables, and a table that was taken from it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, DiscreetError
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.policy.policy import Policy, policy_from_words
from discreet.run.intake import Intake, take_in

ATTRIBUTES = {"age": {"role": "quasi_identifier"}, "town": {"role": "quasi_identifier"}}
Rows = list[tuple[str | None, str | None]]


def policy(population: Any, **changes: Any) -> Policy:
    return policy_from_words({"attributes": ATTRIBUTES, "require": [Presence((0, 0.9), population)]} | changes)


def frame(rows: Rows) -> dict[str, list[str | None]]:
    return {"age": [a for a, _ in rows], "town": [t for _, t in rows]}


def taken(table: Rows, population: Rows) -> Intake:
    return take_in(policy(frame(population)), frame(table))


def counted(intake: Intake, codes: Any, counts: Any) -> Counter[tuple[str | None, ...]]:
    values = zip(
        *([h.leaves[c] for c in column] for h, column in zip(intake.frequency.hierarchies, codes, strict=True)),
        strict=True,
    )
    return Counter(dict(zip(values, counts.tolist(), strict=True)))


_values = st.sampled_from(["1", "2", "x", "", None])
_rows = st.lists(st.tuples(_values, _values), min_size=2, max_size=12)


@given(_rows, st.data())
def test_everybody_is_counted_beside_the_table(population: Rows, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(population) - 1))
    table = data.draw(st.permutations(population))[:size]
    intake = taken(table, population)
    people = intake.frequency.population
    assert people is not None and intake.frequency.marginals is None
    assert counted(intake, people.codes, people.counts) == Counter(population)
    assert counted(intake, intake.frequency.codes, intake.frequency.counts) == Counter(table)
    order = np.lexsort(people.codes[::-1])
    assert (order == np.arange(len(order))).all(), "a seed gives the same release however the engine answers"
    assert (intake.scans, intake.engine.scans) == (2, 1)


@given(_rows, _rows)
def test_a_table_that_was_not_taken_from_the_population_is_refused(population: Rows, table: Rows) -> None:
    missing = sum((Counter(table) - Counter(population)).values())
    if not missing and len(table) < len(population):
        taken(table, population)
        return
    with pytest.raises(DataError) as caught:
        taken(table, population)
    [mistake] = caught.value.mistakes
    if len(population) < len(table):
        expected = f"has {len(population)} people, fewer than the {len(table)} rows of the table"
    elif missing:
        expected = f"{missing} rows of the table are" if missing > 1 else "1 row of the table is"
        expected += " not in it, by their quasi-identifiers"
    else:
        expected = "all of it is in the table, so that the presence of none can be hidden"
    assert (mistake.place, mistake.rule) == ("population", expected)


def test_hierarchies_follow_the_population_not_who_of_it_is_in_the_table() -> None:
    people: Rows = [(str(age), "A") for age in range(100)]
    young, old = (taken(part, people).frequency.hierarchies[0] for part in (people[:20], people[80:]))
    assert len(young.leaves) == 100
    assert young.labels == old.labels


def test_the_population_comes_from_any_file(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "table.csv").write_text("town;age\nA;30\n")
    parquet.write_table(pa.table({"age": [30, 31], "town": ["A", "B"], "name": ["n", "m"]}), tmp_path / "p.parquet")
    (tmp_path / "p.csv").write_text("name\tage\ttown\nn\t30\tA\nm\t31\tB\n")
    words: dict[str, Any] = {"attributes": ATTRIBUTES, "source": "table.csv"}
    for file in ("p.parquet", "p.csv"):
        asked = policy_from_words(
            words | {"require": [{"presence": {"delta": [0, 0.9], "population": file}}]}, folder=tmp_path
        )
        people = take_in(asked).frequency.population
        assert people is not None and people.size == 2


def test_mistakes_of_table_and_population_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("agee,city\n30,A\n31,B\n")
    asked = policy(tmp_path / "people.csv")
    with pytest.raises(DiscreetError) as caught:
        take_in(asked, {"age": ["30"], "twon": ["A"]})
    assert [str(m).replace(str(tmp_path), "") for m in caught.value.mistakes] == [
        "attributes.town: no such column; did you mean 'twon'?",
        "/people.csv: has no column 'age', which the table has; did you mean 'agee'?",
        "/people.csv: has no column 'town', which the table has; known: 'agee', 'city'",
    ]


def test_a_population_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        take_in(policy(tmp_path / "gone.csv"), {"age": ["30"], "town": ["A"]})
    with pytest.raises(DataError, match=r"^population: can't read a table from int"):
        take_in(policy(7), {"age": ["30"], "town": ["A"]})


def test_no_message_shows_a_person(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        taken([("30", "Ann-Smith")], [("30", "B"), ("31", "C")])
    assert "Ann-Smith" not in str(caught.value)


def test_without_a_promise_about_presence_nothing_else_is_read() -> None:
    asked = policy_from_words({"attributes": ATTRIBUTES, "require": [{"k_anonymity": {"k": 2}}]})
    intake = take_in(asked, frame([("1", "A"), ("1", "A")]))
    assert intake.frequency.population is None and intake.scans == 1


@given(_rows, st.data())
def test_marginals_are_those_of_the_people_who_are_not_in_the_table(population: Rows, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(population) - 1))
    shuffled = data.draw(st.permutations(population))
    table, others = shuffled[:size], shuffled[size:]
    counts = {name: Counter(row[d] for row in population) for d, name in enumerate(ATTRIBUTES)}
    for model in (
        ConfidentPresence((0, 0.9), 0.8, frame(population)),
        ConfidentPresence((0, 0.9), 0.8, marginals=counts),
        ConfidentPresence((0, 0.9), 0.8, marginals={n: list(c.items()) for n, c in counts.items()}, size=len(shuffled)),
    ):
        intake = take_in(policy_from_words({"attributes": ATTRIBUTES, "require": [model]}), frame(table))
        found = intake.frequency.marginals
        assert found is not None and intake.frequency.population is None
        assert found.size == len(others)
        for d, h in enumerate(intake.frequency.hierarchies):
            there = {leaf: int(n) for leaf, n in zip(h.leaves, found.counts[d], strict=True) if n}
            assert there == Counter(row[d] for row in others)
            assert set(h.leaves) == {row[d] for row in population}
        assert intake.scans == (1 if model.population is None else 2)


def test_both_promises_share_one_reading_of_the_population() -> None:
    people = frame([("1", "A"), ("1", "B"), ("2", "A")])
    both = [Presence((0, 0.9), people), ConfidentPresence((0, 0.9), 0.8, people)]
    intake = take_in(policy_from_words({"attributes": ATTRIBUTES, "require": both}), frame([("1", "A")]))
    assert intake.frequency.population is not None and intake.frequency.marginals is not None
    assert intake.scans == 2


def test_mistakes_of_the_table_and_of_marginals_are_told_together(tmp_path: Path) -> None:
    marginals = {"age": {"30": 0.5, "31": 0.6}, "city": {"A": 1}, "town": tmp_path / "gone.csv"}
    asked = policy_from_words(
        {"attributes": ATTRIBUTES, "require": [ConfidentPresence((0, 0.9), 0.8, marginals=marginals)]}
    )
    with pytest.raises(DiscreetError) as caught:
        take_in(asked, {"age": ["30"], "twon": ["A"]})
    column, file = (str(m) for m in caught.value.mistakes)
    assert column == "attributes.town: no such column; did you mean 'twon'?"
    assert file.startswith("confident_presence.marginals.town: no file") and "gone.csv" in file


def test_marginals_that_the_table_does_not_fit_are_refused() -> None:
    marginals = {"age": {"30": 1, "31": 3}, "town": {"A": 4}}
    asked = policy_from_words(
        {"attributes": ATTRIBUTES, "require": [ConfidentPresence((0, 0.9), 0.8, marginals=marginals)]}
    )
    with pytest.raises(DataError) as caught:
        take_in(asked, frame([("30", "A"), ("30", None)]))
    assert [m.rule for m in caught.value.mistakes] == [
        "has fewer people than the table has rows: '30' (1 people, 2 rows)",
        "says nothing of NULL, which the table has",
    ]
