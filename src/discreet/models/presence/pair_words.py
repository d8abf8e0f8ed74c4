"""How many people have two values at once, in the words of a policy: CSV files of two columns and a count, or counts.

pairs: [age_sex.csv, {columns: [age, job], counts: [[17, clerk, 120], [17, cook, 80]]}]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.counts.pairs import PeopleByPair, disagreeing
from discreet.errors import Mistake, shown
from discreet.files.numbers import whole_number
from discreet.hierarchies.hierarchy import Value
from discreet.labels.cells import read_triples
from discreet.models.base import PrivacyModel
from discreet.models.parameters import Number, Wrong
from discreet.models.presence.confident_presence import ConfidentPresence

EXAMPLE = "for example [age_sex.csv], with lines age,sex,count; or {columns: [age, sex], counts: [[17, f, 120], …]}"
_NUMBER = Number(0, closed=True, why="nobody is counted less than 0 times")
_SHOWN = 10  # mistakes of one table

Read = tuple[list[Any], list[Mistake]]


def read_pairs(words: object, place: str, folder: Path = Path(), *, absent: bool = False) -> Read:
    """Tables of counts, each of two columns: what a policy lists, or what its files do.

    With `absent`, a file that is not there stays a path.

    >>> read_pairs([{"columns": ["sex", "age"], "counts": [["f", 17, 5], ["m", None, "2"]]}], "pairs")[0]
    [{'columns': ['sex', 'age'], 'counts': [['f', '17', Fraction(5, 1)], ['m', None, Fraction(2, 1)]]}]
    """
    if isinstance(words, str | bytes) or not isinstance(words, Sequence) or not words:
        got = "an empty one" if isinstance(words, list | tuple) else shown(words)
        return [], [Mistake(place, f"must be a list of tables, got {got}", EXAMPLE)]
    found: list[Any] = []
    mistakes: list[Mistake] = []
    for number, given in enumerate(words):
        here = f"{place}[{number}]"
        table: object = given
        wrong: list[Mistake] = []
        if isinstance(given, str | Path):
            if absent and given and not (folder / given).exists():
                found.append(folder / given)
                continue
            columns, counts, wrong = read_triples(given, folder, here, _is_number)
            table = {"columns": columns, "counts": counts}
        if not wrong:
            read, wrong = _table(table, here)
            found.append(read)
        mistakes += wrong[:_SHOWN]
    named = [frozenset(t["columns"]) for t in found if isinstance(t, Mapping) and t]
    mistakes += [
        Mistake(place, f"has {' and '.join(sorted(pair))} twice", "keep one of the tables")
        for pair in dict.fromkeys(named)
        if named.count(pair) > 1
    ]
    return found, mistakes


def _table(given: object, place: str) -> tuple[dict[str, Any], list[Mistake]]:
    if not isinstance(given, Mapping) or set(given) != {"columns", "counts"}:
        return {}, [Mistake(place, f"must be a CSV, or have columns and counts, got {shown(given)}", EXAMPLE)]
    columns, counts = given["columns"], given["counts"]
    mistakes = []
    if not isinstance(columns, list | tuple) or len({*map(str, columns)}) != 2 or len(columns) != 2:
        mistakes.append(Mistake(f"{place}.columns", f"must be two columns, got {shown(columns)}", EXAMPLE))
    if not isinstance(counts, list | tuple) or not counts:
        return {}, [*mistakes, Mistake(f"{place}.counts", "must list two values and a count in each entry", EXAMPLE)]
    read, seen = [], set()
    for number, entry in enumerate(counts):
        here = f"{place}.counts[{number}]"
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            mistakes.append(Mistake(here, f"must be two values and a count, got {shown(entry)}", EXAMPLE))
            continue
        values = entry[:2]
        if any(v is not None and not isinstance(v, str) and whole_number(v) is None for v in values):
            mistakes.append(Mistake(here, "has a value that is not text", "put it in quotes"))
            continue
        pair: tuple[Value, ...] = tuple(None if v is None else str(v) for v in values)
        if pair in seen:
            mistakes.append(Mistake(here, "gives the same two values as an entry before", "keep one of them"))
        seen.add(pair)
        try:
            many = _NUMBER.read(entry[2])
        except Wrong as wrong:
            mistakes.append(Mistake(here, wrong.rule, wrong.repair))
            continue
        if many.denominator != 1:
            mistakes.append(Mistake(here, "counts whole people", "give counts; shares are for marginals"))
        read.append([*pair, many])
    return {"columns": list(map(str, columns)) if not mistakes else [], "counts": read}, mistakes


def people_by_pair(
    tables: Sequence[Mapping[str, Any]], attributes: Sequence[str], place: str
) -> tuple[PeopleByPair, list[Mistake]]:
    """The same as counts of whole people, by two quasi-identifiers."""
    mistakes = [
        Mistake(
            f"{place}[{number}].columns", f"{shown(name)} is not a quasi-identifier", "leave the table out, or mend it"
        )
        for number, table in enumerate(tables)
        for name in table["columns"]
        if name not in attributes
    ]
    if mistakes:
        return {}, mistakes
    return {(t["columns"][0], t["columns"][1]): {(a, b): int(many) for a, b, many in t["counts"]} for t in tables}, []


def given_pairs(
    models: Iterable[PrivacyModel], attributes: Sequence[str], by_value: Mapping[str, Mapping[Value, int]] | None
) -> tuple[PeopleByPair | None, list[Mistake]]:
    """What the first promise that lists pairs says of everybody, two quasi-identifiers at a time; None if none does.

    It must be about the same people as the marginals (`by_value`, if these could be read).
    """
    place = f"{ConfidentPresence.word}.pairs"
    listed = (m.pairs for m in models if isinstance(m, ConfidentPresence) and m.pairs is not None)
    words = next(listed, None)
    if words is None:
        return None, []
    tables, mistakes = read_pairs(words, place)
    if mistakes:
        return None, mistakes
    people, mistakes = people_by_pair(tables, attributes, place)
    if not mistakes and by_value is not None:
        mistakes = disagreeing(people, by_value, place)
    return people, mistakes


def with_their_marginals(marginals: Mapping[str, Any] | None, tables: Sequence[Any]) -> dict[str, Any]:
    """Marginals, also of columns of which only pairs were given: whoever has a value has it with one of the other's."""
    found: dict[str, Any] = dict(marginals or {})
    for table in tables:
        for at, name in enumerate(table["columns"] if isinstance(table, Mapping) else ()):
            if name not in found:
                added: dict[Value, Fraction] = {}
                for entry in table["counts"]:
                    added[entry[at]] = added.get(entry[at], Fraction(0)) + entry[2]
                found[name] = added
    return found


def _is_number(text: str) -> bool:
    try:
        _NUMBER.read(text)
    except Wrong:
        return False
    return True
