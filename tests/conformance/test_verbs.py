"""Every verb of an engine gives the same answer on every engine, and the right one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from discreet.engines.base import Engine, Frequencies
from discreet.engines.profile import Ownership
from discreet.engines.rows import Between, Condition, ListedIn, OneOf, Rows
from discreet.errors import DataError
from tests.conformance.loaders import Loader
from tests.conformance.tables import (
    DAYS,
    FLOATS,
    NUMBERS,
    PEOPLE,
    STRANGE_NAMES,
    STRANGE_TEXTS,
    TABLES,
    Table,
    Text,
    told,
)
from tests.conformance.tables import table as make_table
from tests.conformance.tables import texts as make_texts


@pytest.fixture(scope="module")
def engines(loader: Loader) -> Callable[[Table], Engine]:
    """Each table is loaded once."""
    loaded: dict[int, Engine] = {}

    def engine(table: Table) -> Engine:
        if id(table) not in loaded:
            loaded[id(table)] = loader.open(table.typed)
        return loaded[id(table)]

    return engine


Engines = Callable[[Table], Engine]


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_called_what_they_are_called(engines: Engines, name: str) -> None:
    assert engines(TABLES[name]).columns == TABLES[name].columns


@pytest.mark.parametrize("name", TABLES)
def test_rows_of_different_people_are_told_apart(engines: Engines, name: str) -> None:
    """Every column in turn says whose row it is."""
    table = TABLES[name]
    engine = engines(table)
    for person in table.columns:
        others = [c for c in table.columns if c != person][:2]
        f = engine.frequencies(others, person)
        names = f.names.to_pylist()
        assert names == sorted(names) and None not in names
        whose = [None if p < 0 else names[p] for p in f.person.tolist()]
        rows = zip(*(_written(f, i) for i in range(len(others))), whose, f.counts.tolist(), strict=True)
        told_apart = Counter({tuple(values): count for *values, count in rows})
        both = engine.frequencies([*others, person])
        columns = [_written(both, i) for i in range(len(others) + 1)]
        assert told_apart.total() == both.counts.sum()
        if all(value is None or value in names for value in both.values[-1]):  # else it is written in another way
            assert told_apart == Counter(dict(zip(zip(*columns, strict=True), both.counts.tolist(), strict=True)))


def _written(f: Frequencies, column: int) -> list[str | None]:
    return [f.values[column][code] for code in f.codes[column].tolist()]


@pytest.mark.parametrize("name", TABLES)
def test_every_combination_is_counted_and_written_the_same_way(engines: Engines, name: str) -> None:
    table = TABLES[name]
    engine = engines(table)
    asked: list[Sequence[str]] = [table.columns, table.columns[::-1], *([c] for c in table.columns)]
    for columns in asked:
        before = engine.scans
        assert told(engine.frequencies(columns)) == table.combinations(columns), columns
        assert engine.scans == before + 1


def _kept(table: Table, column: str, wanted: Callable[[Text], bool]) -> Counter[tuple[Text, ...]]:
    place = table.columns.index(column)
    return Counter({row: n for row, n in table.combinations(table.columns).items() if wanted(row[place])})


@pytest.mark.parametrize("name", TABLES)
def test_rows_with_one_of_some_values(engines: Engines, name: str) -> None:
    table = TABLES[name]
    for column in table.columns:
        values = [*dict.fromkeys(table.texts[column])]
        for wanted in (values[::2], values[1::2], ["nobody's"] if column == table.columns[0] else []):
            if wanted:
                part = engines(table).only(Rows((OneOf(column, tuple(wanted)),)))
                assert told(part.frequencies(table.columns)) == _kept(table, column, lambda v, w=wanted: v in w)


_NUMBER = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*")


def _number(text: Text) -> Decimal | None:
    try:
        return Decimal(text.strip()) if text is not None and _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None


@pytest.mark.parametrize(
    ("table", "column", "least", "most"),
    [
        (NUMBERS, "whole", -1, 2**53),
        (NUMBERS, "whole", 2**53 + 1, None),
        (NUMBERS, "whole", None, 0),
        (NUMBERS, "middle", 7, 100),
        (NUMBERS, "exact", Decimal("-0.1"), Decimal("1")),
        (NUMBERS, "long", 1, 10),
        (FLOATS, "double", 0, 1),
        (FLOATS, "double", Decimal("0.1"), 10**15),
        (FLOATS, "real", Decimal("0.1"), None),
        (STRANGE_TEXTS, "value", 0, 99_999),
        (STRANGE_TEXTS, "value", 100_000, None),
        (PEOPLE, "age", 23, 35),
        (PEOPLE, "sex", 0, 1),
    ],
)
def test_rows_with_a_number_within_bounds(
    engines: Engines, table: Table, column: str, least: int | Decimal | None, most: int | Decimal | None
) -> None:
    def within(text: Text) -> bool:
        number = _number(text)
        return number is not None and (least is None or least <= number) and (most is None or number <= most)

    part = engines(table).only(Rows((Between(column, least, most),)))
    assert told(part.frequencies(table.columns)) == _kept(table, column, within)


WRITTEN_DAYS = make_texts(
    {
        "day": [
            "2020-02-29",
            "2020/02/29",
            "29.02.2020",
            "2020-02-29T23:59:59+05",
            " 2020-02-29 ",
            "2021-02-29",  # no such day
            "02/29/2020",
            "2020-02",
            "",
            None,
            "20200229",
            "2020-03-01",
            "2019-12-31 12:00",
        ]
    }
)
_IN_2020 = {"2020-02-29", "2020/02/29", "29.02.2020", "2020-02-29T23:59:59+05", " 2020-02-29 ", "2020-03-01"}


@pytest.mark.parametrize("column", ["day", "moment", "instant"])
def test_rows_of_days_within_bounds(engines: Engines, column: str) -> None:
    part = engines(DAYS).only(Rows((Between(column, date(1582, 10, 10), date(2020, 12, 31)),)))
    expected = _kept(DAYS, column, lambda v: v is not None and "1582-10-10" <= v[:10] <= "2020-12-31")
    assert told(part.frequencies(DAYS.columns)) == expected


@pytest.mark.real_spark
def test_rows_of_days_that_are_written_in_several_ways(engines: Engines) -> None:
    part = engines(WRITTEN_DAYS).only(Rows((Between("day", date(2020, 1, 1), date(2020, 12, 31)),)))
    assert set(told(part.frequencies(["day"]))) == {(v,) for v in _IN_2020}


@pytest.mark.parametrize(
    ("table", "column"),
    [(STRANGE_TEXTS, "value"), (NUMBERS, "whole"), (FLOATS, "double"), (FLOATS, "real"), (DAYS, "instant")],
    ids=["text", "whole", "double", "real", "instant"],
)
def test_rows_whose_value_is_in_a_file(engines: Engines, tmp_path: Path, table: Table, column: str) -> None:
    listed = [v for v in dict.fromkeys(table.texts[column]) if v is not None][::2]
    lines = ["value", *('"' + v.replace('"', '""') + '"' for v in listed)]
    (tmp_path / "listed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    part = engines(table).only(Rows((ListedIn(column, tmp_path / "listed.csv"),)))
    assert told(part.frequencies(table.columns)) == _kept(table, column, lambda v: v in listed)


def test_several_conditions_must_all_hold(engines: Engines) -> None:
    asked: tuple[Condition, ...] = (OneOf("sex", ("f",)), Between("age", 25, 40), OneOf("illness", ("flu", None)))
    expected = {
        row: n
        for row, n in PEOPLE.combinations(PEOPLE.columns).items()
        if row[2] == "f" and 25 <= int(row[0] or 0) <= 40 and row[3] in ("flu", None)
    }
    assert told(engines(PEOPLE).only(Rows(asked)).frequencies(PEOPLE.columns)) == Counter(expected)


def test_a_part_of_a_part_is_the_rows_of_both(engines: Engines) -> None:
    part = engines(PEOPLE).only(Rows((OneOf("sex", ("f",)),))).only(Rows((OneOf("illness", ("flu",)),)))
    expected = {row: n for row, n in PEOPLE.combinations(PEOPLE.columns).items() if row[2:] == ("f", "flu")}
    assert told(part.frequencies(PEOPLE.columns)) == Counter(expected)
    assert part.scans == 1


def test_a_condition_on_a_column_that_is_not_there_is_refused(engines: Engines) -> None:
    with pytest.raises(DataError, match="has no column 'agee'"):
        engines(PEOPLE).only(Rows((OneOf("agee", ("1",)),)))


@pytest.mark.parametrize("name", TABLES)
def test_values_become_the_numbers_they_are_told(engines: Engines, name: str) -> None:
    """All but every third value, which nobody told a number for."""
    table = TABLES[name]
    codes = {}
    for column in table.columns:
        values = dict.fromkeys(table.texts[column])
        codes[column] = {value: i * 1000 for i, value in enumerate(values) if i % 3 < 2}
    coded = engines(table).coded(codes)
    expected: Counter[tuple[Text, ...]] = Counter()
    for row, n in table.combinations(table.columns).items():
        told_numbers = (codes[c].get(v) for c, v in zip(table.columns, row, strict=True))
        expected[tuple(None if number is None else str(number) for number in told_numbers)] += n
    assert told(coded.frequencies(table.columns)) == expected


def test_columns_that_are_not_coded_stay(engines: Engines) -> None:
    coded = engines(FLOATS).coded({"double": {text: i for i, text in enumerate(dict.fromkeys(FLOATS.texts["double"]))}})
    assert told(coded.frequencies(["real"])) == FLOATS.combinations(["real"])


GROUPED = make_table(
    {
        "group": (pa.string(), [(v, v) for v in ["1", "2", "2", "007", "x", "", None, "1.0", " 1", f"{2**63 - 1}"]]),
        "number": (pa.int64(), [(v, str(v)) for v in [1, 2, 2, 7, 0, 5, 5, 2**63 - 1, 3, 3]]),
        "value": (pa.string(), [(v, v) for v in ["a", "b", "b", "c", None, "", "d", "e", "f", "g"]]),
    }
)


def test_groups_have_numbers_if_they_are_written_in_plain_digits(engines: Engines) -> None:
    found, numbers = engines(GROUPED).grouped_frequencies(["value"], "group")
    rows = zip(numbers.tolist(), (found.values[0][c] for c in found.codes[0]), found.counts.tolist(), strict=True)
    assert sorted(rows, key=repr) == sorted(
        [
            (1, "a", 1),
            (2, "b", 2),
            (-1, "c", 1),
            (-1, None, 1),
            (-1, "", 1),
            (-1, "d", 1),
            (-1, "e", 1),
            (-1, "f", 1),
            (2**63 - 1, "g", 1),
        ],
        key=repr,
    )
    found, numbers = engines(GROUPED).grouped_frequencies([], "number")
    counted = dict(zip(numbers.tolist(), found.counts.tolist(), strict=True))
    assert counted == {1: 1, 2: 2, 7: 1, 0: 1, 5: 2, 2**63 - 1: 1, 3: 2}


@pytest.mark.parametrize("name", ["strange texts", "strange names", "numbers", "floats", "days", "people", "one row"])
def test_pairs_of_values_are_counted(engines: Engines, name: str) -> None:
    table = TABLES[name]
    found = engines(table).pair_counts(table.columns)
    assert found.columns == table.columns and found.rows == table.typed.num_rows
    for i, column in enumerate(table.columns):
        singles = {(v,): int(n) for v, n in zip(found.values[i], found.singles[i], strict=True)}
        assert singles == table.combinations([column])
    for i, j in combinations(range(len(table.columns)), 2):
        counted = found.pairs[i, j]
        pairs = {(found.values[i][a], found.values[j][b]): int(counted[a, b]) for a, b in np.argwhere(counted).tolist()}
        assert pairs == table.combinations([table.columns[i], table.columns[j]])


@pytest.mark.parametrize("name", ["strange texts", "numbers", "floats", "days", "people"])
def test_a_seed_samples_the_same_rows_on_every_engine(engines: Engines, reference: Loader, name: str) -> None:
    table = TABLES[name]
    rows, other = table.typed.num_rows // 2, reference.open(table.typed)
    drawn = []
    for seed in range(3):
        found = engines(table).sample(table.columns, rows, seed)
        sampled = _sampled(found.found)
        assert sampled == _sampled(other.sample(table.columns, rows, seed).found)
        assert sampled.total() == rows and sampled <= table.combinations(table.columns)
        for i, column in enumerate(table.columns):
            singles = {(v,): int(n) for v, n in zip(found.found.values[i], found.singles[i], strict=True)}
            assert singles == table.combinations([column])
        drawn.append(sampled)
    assert drawn[0] != drawn[1] or drawn[1] != drawn[2]


def _sampled(found: Frequencies) -> Counter[tuple[Text, ...]]:
    """A sample may tell a combination in several places."""
    columns = [[values[code] for code in codes] for values, codes in zip(found.values, found.codes, strict=True)]
    sampled: Counter[tuple[Text, ...]] = Counter()
    for row, n in zip(zip(*columns, strict=True), found.counts.tolist(), strict=True):
        sampled[row] += n
    return sampled


def test_a_sample_of_more_rows_than_there_are_is_all_of_them(engines: Engines) -> None:
    found = engines(PEOPLE).sample(PEOPLE.columns, 1000, None)
    assert _sampled(found.found) == PEOPLE.combinations(PEOPLE.columns)


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_profiled(engines: Engines, name: str) -> None:
    table = TABLES[name]
    for profile, column in zip(engines(table).profile(), table.columns, strict=True):
        values = Counter(table.texts[column])
        assert (profile.name, profile.rows, profile.nulls) == (column, table.typed.num_rows, values[None])
        assert dict(profile.values) == dict(values)
        assert [n for _, n in profile.values] == sorted(values.values(), reverse=True)


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_counted_by_their_owners_and_those_whose_rows_differ(engines: Engines, name: str) -> None:
    table = TABLES[name]
    engine = engines(table)
    for owner in table.columns:
        others = [c for c in table.columns if c != owner]
        rows: dict[Text, list[tuple[Text, ...]]] = {}
        for value, *row in table.combinations([owner, *others]).elements():
            rows.setdefault(value, []).append(tuple(row))
        rows.pop(None, None)
        owners = sorted(Counter(map(len, rows.values())).items())
        before = engine.scans
        found = engine.ownership(owner, others)
        assert engine.scans == before + 1
        assert list(zip(found.rows, found.owners, strict=True)) == owners
        assert found.movers == sum(len(set(those)) > 1 for those in rows.values())
        assert found.differing == tuple(
            sum(len({row[i] for row in those}) > 1 for those in rows.values()) for i in range(len(others))
        )
        assert engine.ownership(owner, []).movers == 0


@pytest.mark.parametrize("name", TABLES)
def test_rows_that_some_columns_tell_apart_are_counted(engines: Engines, name: str) -> None:
    table = TABLES[name]
    engine = engines(table)
    total = table.combinations(table.columns[:1]).total()

    def unique(columns: Sequence[str]) -> float:
        return sum(n == 1 for n in table.combinations(columns).values()) / max(total, 1)

    together, others = table.columns[:2], table.columns[2:]
    before = engine.scans
    figures = engine.uniqueness(together, others, total)
    assert engine.scans == before + 1
    assert figures.one_in == 1
    assert figures.together == unique(together)
    assert figures.alone == tuple(unique([c]) for c in table.columns)
    assert figures.changed == tuple(
        unique([c for c in together if c != column]) if column in together else unique([*together, column])
        for column in table.columns
    )


@pytest.mark.parametrize("name", TABLES)
def test_rows_that_are_one_person_s_are_told_apart_however_many_they_are(engines: Engines, name: str) -> None:
    table = TABLES[name]
    engine = engines(table)
    person, *others = table.columns
    rows = [*table.combinations(table.columns).elements()]

    def unique(columns: Sequence[str]) -> float:
        owners: dict[tuple[Text, ...], list[Text]] = {}
        for row in rows:
            owners.setdefault(tuple(row[table.columns.index(c)] for c in columns), []).append(row[0])
        alone = (
            len(those) for those in owners.values() if len(those) == 1 or ({None} - {*those} and len({*those}) == 1)
        )
        return sum(alone) / max(len(rows), 1)

    figures = engine.uniqueness(others, [], len(rows), person=person)
    assert figures.together == unique(others)
    assert figures.alone == tuple(unique([c]) for c in others)
    assert figures.changed == tuple(unique([c for c in others if c != column]) for column in others)


@pytest.mark.real_spark
def test_names_are_quoted_in_every_verb(engines: Engines) -> None:
    names = STRANGE_NAMES.columns
    part = engines(STRANGE_NAMES).only(Rows(tuple(OneOf(c, ("same",)) for c in names)))
    coded = part.coded({c: {"same": i} for i, c in enumerate(names)})
    assert told(coded.frequencies(names)) == {tuple(str(i) for i in range(len(names))): 2}
    assert coded.ownership(names[0], names[1:]) == Ownership((2,), (1,), 0, (0,) * (len(names) - 1))
    assert part.uniqueness(names[:1], names[1:], 2).together == 0.0


@pytest.mark.real_spark
def test_columns_are_labelled_as_told(loader: Loader) -> None:
    engine = loader.open(
        pa.table(
            {
                "cost": pa.array([Decimal("1.10"), Decimal("1.20"), None, Decimal("7.00")], pa.decimal128(6, 2)),
                "size": pa.array([0.5, 0.5, float("nan"), None]),
                "note": pa.array(["a;'b", "", None, 'say "c"']),
            }
        )
    )
    labels = {
        "cost": {"1.10": "[1, 2)", "1.20": "[1, 2)", None: None, "7.00": ">=5"},
        "size": {"0.5": "some", "nan": "no", None: "no"},
        "note": {"a;'b": "it's; ", "": "", None: "", 'say "c"': None},
    }
    labelled = engine.labelled(labels)
    assert labelled.columns == engine.columns
    assert labelled.labels == labels
    assert told(labelled.frequencies(["cost", "size", "note"])) == Counter(
        {("[1, 2)", "some", "it's; "): 1, ("[1, 2)", "some", ""): 1, (None, "no", ""): 1, (">=5", "no", None): 1}
    )
    assert told(labelled.frequencies(["cost"])) == Counter({("[1, 2)",): 2, (None,): 1, (">=5",): 1})
    assert told(engine.frequencies(["cost"]))["1.10",] == 1, "the table itself is what it was"
    assert labelled.scans >= 2


@pytest.mark.real_spark
def test_a_value_without_a_label_ends_the_query(loader: Loader) -> None:
    engine = loader.open(pa.table({"cost": pa.array([1, 2, 3]), "age": pa.array([40, 41, 42])}))
    with pytest.raises(DataError):
        engine.labelled({"cost": {"1": "few", "2": "few", None: None}}).frequencies(["cost"])
