"""Exact values in tables apart: who may stand in a group, two rows of one person in it, and sums over groups."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.audit.audit import Audit, audit_release
from discreet.audit.faults.comparison import read_source
from discreet.audit.people.persons import Persons, count_people
from discreet.audit.reading.release import look
from tests.audit.people.files import APART, bucketized

Row = tuple[int, str, str, str]  # a person, two quasi-identifiers, a value
Groups = tuple[int | None, ...]
IN_FOUR: dict[str, Any] = {
    "quasi_identifiers": ["q", "r"],
    "sensitive": ["s"],
    "tables": {"q.csv": ["q"], "r.csv": ["r"], "values.csv": ["s"]},
    "group": "g",
    "count": "n",
    "person": "who",
}


def source_of(rows: Sequence[Row]) -> dict[str, list[str]]:
    who, q, r, s = zip(*rows, strict=True)
    return {"who": [f"person {p}" for p in who], "q": list(q), "r": list(r), "s": list(s)}


def of_group(rows: Sequence[Row], groups: Groups, g: int) -> list[Row]:
    return [row for row, at in zip(rows, groups, strict=True) if at == g]


def told_by_buckets(rows: Sequence[Row], groups: Groups) -> list[tuple[Any, ...]]:
    """Of every group how often it has each quasi-identifier, and each value."""
    return [
        (Counter(row[1] for row in own), Counter(row[3] for row in own))
        for own in (of_group(rows, groups, g) for g in range(3))
    ]


def told_by_tables(rows: Sequence[Row], groups: Groups) -> list[tuple[Any, ...]]:
    """Of every group which quasi-identifiers it has, each column by itself, and how often each value."""
    return [
        ({row[1] for row in own}, {row[2] for row in own}, Counter(row[3] for row in own))
        for own in (of_group(rows, groups, g) for g in range(3))
    ]


def write_buckets(folder: Path, rows: Sequence[Row], groups: Groups) -> dict[str, Any]:
    filled = [own for g in range(3) if (own := of_group(rows, groups, g))]
    bucketized(folder, [[(row[1], row[3]) for row in own] for own in filled])
    return APART


def write_tables(folder: Path, rows: Sequence[Row], groups: Groups) -> dict[str, Any]:
    filled = [own for g in range(3) if (own := of_group(rows, groups, g))]
    for file, at in (("q", 1), ("r", 2)):
        entries = [f"{g},{v}" for g, own in enumerate(filled) for v in sorted({row[at] for row in own})]
        (folder / f"{file}.csv").write_text("\n".join([f"g,{file}", *entries]) + "\n")
    counts = [f"{g},{s},{n}" for g, own in enumerate(filled) for s, n in Counter(row[3] for row in own).items()]
    (folder / "values.csv").write_text("\n".join(["g,s,n", *counts]) + "\n")
    return IN_FOUR


def counted(rows: Sequence[Row], groups: Groups, write: Callable[..., dict[str, Any]]) -> Persons:
    with tempfile.TemporaryDirectory() as folder:
        files = look(folder, write(Path(folder), rows, groups))
        table, _ = read_source(files, source_of(rows))
        assert table is not None
        persons = count_people(files, table)
    assert persons is not None
    return persons


KINDS = {"bucketized": (told_by_buckets, write_buckets), "ambiguous": (told_by_tables, write_tables)}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_may_be_true_is_within_the_bounds(kind: str, data: st.DataObject) -> None:
    told, write = KINDS[kind]
    row = st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.sampled_from("kl"), st.sampled_from("xy"))
    rows = data.draw(st.lists(row, min_size=1, max_size=5))
    places: list[int | None] = [0, 1, 2, None]
    groups = tuple(data.draw(st.lists(st.sampled_from(places), min_size=len(rows), max_size=len(rows))))
    if not any(g is not None for g in groups):
        return
    at = counted(rows, groups, write).groups
    filled = [g for g in range(3) if g in groups]
    published = told(rows, groups)
    for world in product(places, repeat=len(rows)):
        if told(rows, world) != published:
            continue
        for number, g in enumerate(filled):
            own = Counter(person for person, *_ in of_group(rows, world, g))
            assert at.fewest[number] <= len(own) <= at.people[number]
            assert at.most_at_least[number] <= max(own.values()) <= at.most_rows[number]


def audited(folder: Path, groups: Sequence[Sequence[tuple[str, str, str]]], *promises: object) -> Audit:
    """A bucketized release of people (who, q, s), audited beside its source."""
    bucketized(folder, [[(q, s) for _, q, s in group] for group in groups])
    who, q, s = zip(*(row for group in groups for row in group), strict=True)
    source = {"who": list(who), "q": list(q), "s": list(s)}
    return audit_release(folder, description=APART | {"promises": list(promises)}, source=source)


HALF = {"l_diversity": {"l": 2, "kind": "frequency"}}


def test_two_rows_of_one_person_in_a_group_are_a_grave_fault(tmp_path: Path) -> None:
    others = [("Bob", "30", "flu"), ("Cid", "40", "cold")]
    audit = audited(tmp_path / "two", [[("Ann", "20", "flu"), ("Ann", "21", "cold")], others], HALF)
    [fault] = [fault for fault in audit.faults if fault.fault == "rows_of_one_person"]
    assert fault.grave and fault.count == 1 and fault.rule.startswith("1 group has several rows of one person")
    assert audit.kept is False
    apart = audited(tmp_path / "apart", [[("Ann", "20", "flu"), ("Bob", "30", "cold")],
                                         [("Cid", "40", "flu"), ("Dan", "50", "cold")]], HALF)  # fmt: skip
    assert not any(fault.fault == "rows_of_one_person" for fault in apart.faults) and apart.kept is True


def test_where_people_with_the_same_values_can_not_be_told_apart_it_is_not_judged(tmp_path: Path) -> None:
    """Ann and Bob are both 20: the two in a group may be both, or one of them twice."""
    first, second = [("Ann", "20", "flu"), ("Bob", "20", "cold")], [("Ann", "20", "flu"), ("Bob", "20", "cold")]
    audit = audited(tmp_path / "release", [first, second])
    [fault] = [fault for fault in audit.faults if fault.fault == "rows_of_one_person"]
    assert not fault.grave and not fault.judged and fault.count == 2
    assert audit.kept is None


def test_the_chances_of_one_person_add_up_over_all_groups(tmp_path: Path) -> None:
    """Ann has a row in each of two groups, half of each flu: one half by each, one in all."""
    groups = [[("Ann", "20", "flu"), ("Bob", "30", "cold")], [("Ann", "20", "cold"), ("Cid", "40", "flu")]]
    audit = audited(tmp_path / "release", groups, HALF)
    [added] = [level for level in audit.levels if "sum" in level.figure]
    assert (added.achieved, added.required, added.holds, added.of) == (1.0, 0.5, False, "people")
    [line] = [line for line in audit.lines if line.adversary == "several_groups"]
    assert line.worst == 0.75 and line.details["largest_sum_of_chances"] == 1.0 and line.breaks
    assert (line.above, line.people, line.of) == (1, 3, "people")


def test_a_sum_at_the_limit_is_kept(tmp_path: Path) -> None:
    """A third, and a sixth: one half."""
    thirds = [("Ann", "20", "flu"), ("Bob", "30", "cold"), ("Cid", "31", "gout")]
    sixths = [("Ann", "20", "cold"), ("Dan", "40", "flu"), *((f"{i}", f"5{i}", f"v{i}") for i in range(4))]
    audit = audited(tmp_path / "release", [thirds, sixths], HALF)
    [added] = [level for level in audit.levels if "sum" in level.figure]
    assert added.holds is True and added.achieved == pytest.approx(0.5)


def test_what_is_believed_of_all_rows_of_somebody_adds_up(tmp_path: Path) -> None:
    """Ann has flu with one half by one group, and gout with one half by the other; flu by both comes to one."""
    apart = [[("Ann", "20", "flu"), ("Bob", "30", "cold")], [("Ann", "20", "gout"), ("Cid", "40", "ulcer")]]
    both = [[("Ann", "20", "flu"), ("Bob", "30", "cold")], [("Ann", "20", "gout"), ("Cid", "40", "flu")]]
    for name, groups, reached, holds in (("apart", apart, 0.5, True), ("both", both, 1.0, False)):
        audit = audited(tmp_path / name, groups, {"robust": {"r": "10/9"}})
        [level] = [level for level in audit.levels if level.of == "people" and "sum of what" in level.figure]
        assert (level.holds, level.achieved) == (holds, pytest.approx(reached))
        assert audit.kept is holds


def test_rows_of_exact_values_bound_who_of_a_list_is_in_the_table(tmp_path: Path) -> None:
    """Two rows, and two people on the list who could have them: they may both be Ann's."""
    bucketized(tmp_path, [[("a", "flu"), ("b", "cold")], [("a", "gout"), ("b", "flu")]])
    listed = {"who": ["Ann", "Bob", "Cid"], "q": ["a", "a", "b"]}
    audit = audit_release(tmp_path, description=APART, population=listed)
    [line] = [line for line in audit.lines if line.adversary == "presence_with_list"]
    assert (line.worst, line.precision, line.breaks) == (1.0, "at most", False)
    assert "certain" not in line.details
    each = {name: said for name, said in APART.items() if name != "person"} | {"one_row_per_person": True}
    [line] = [
        line
        for line in audit_release(tmp_path, description=each, population=listed).lines
        if line.adversary == "presence_with_list"
    ]
    assert (line.precision, line.details["certain"]) == ("exact", 3)
