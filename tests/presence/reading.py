"""A release about presence, read by somebody who has it and a list of everybody.

Nothing of `discreet` is used: what a text says of a person is found out again here, for every kind of hierarchy, and
chances and confidences are counted person by person, in fractions.
"""

from __future__ import annotations

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.releases.reading import manifest_of, read_table

Text = str | None
Person = tuple[Text, ...]
TOWNS = [["Köln", "DE", "EU"], ["Ulm", "DE", "EU"], ["Paris", "FR", "EU"], ["Lima", "PE", "AM"], ["Rio", "BR", "AM"]]
# Per column a hierarchy and what people have there; some of it only outside of most tables.
COLUMNS: dict[str, tuple[Any, list[Text]]] = {
    "age": ({"intervals": [5, 10], "top": 30}, [*map(str, range(15, 36, 2)), None]),
    "change": ({"intervals": [2, 6], "origin": 1}, [*map(str, range(-4, 5)), ""]),
    "dose": ({"intervals": [0.5, 2]}, ["0", "0.25", "0.5", "1.75", "2", "3.5", None, ""]),
    "visits": ({"quantiles": 4}, [*map(str, range(12)), None]),
    "born": ({"dates": ["month", "year"]}, ["2023-12-31", "2024-01-02", "2024-01-20", "2024-02-03", "2025-02-03"]),
    "town": ({"taxonomy": TOWNS}, ["Köln", "Ulm", "Paris", "Lima", None]),
    "near": ({"taxonomy": TOWNS, "sets": True}, ["Köln", "Ulm", "Paris", "Lima", ""]),
    "code": ({"prefixes": [2, 1]}, ["120", "121", "135", "12", "240", None]),
    "mood": ({"flat": True, "sets": True}, ["a", "a,b", "{a, b}", 'q"x', "NULL", "x-y", "*", None, ""]),
}


def number(text: Text) -> Fraction | None:
    return Fraction(text) if text and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) else None


def members(text: str) -> list[Text]:
    """What a set names; NULL is bare, whatever could be misread is quoted."""
    [cells] = csv.reader([re.sub(r"(^|, )NULL(?=, |$)", r"\1\0", text.strip("{}"))], skipinitialspace=True)
    return [None if cell == "\0" else cell for cell in cells]


def above(words: Mapping[str, Any], value: str) -> list[str]:
    """The names that a value has on the levels of a hierarchy whose names are no intervals."""
    if "prefixes" in words:
        return [value[:kept] + "*" * (len(value) - kept) for kept in words["prefixes"]]
    if "dates" in words:
        return [{"month": value[:7], "year": value[:4]}[level] for level in words["dates"]]
    return next((row[1:] for row in words.get("taxonomy", []) if row[0] == value), [])


def between(text: str, value: str) -> bool:
    """Is a number or a date in an interval, as people read it?"""
    if found := re.fullmatch(r"([\[(])(.+), (.+)\)", text):
        x, low, high = number(value), number(found[2]), number(found[3])
        assert x is not None
        assert low is not None
        assert high is not None
        return low <= x < high and (found[1] == "[" or x != low)
    if found := re.fullmatch(r"(>=|<)(.+)", text):
        x, end = Fraction(value), Fraction(found[2])
        return x >= end if found[1] == ">=" else x < end
    first, to, last = text.partition(" to ") if " to " in text else text.partition("-")
    if to == " to " and re.fullmatch(r"\d{4}-\d\d(-\d\d)?", first):  # from day to day, or from month to month
        return first <= value[: len(first)] <= last
    x, low, high = map(number, (value, first, last))
    return x is not None and low is not None and high is not None and low <= x <= high


def may_be(words: Mapping[str, Any], leaves: set[Text], text: Text, value: Text) -> bool:
    """May somebody with this value have been published under this text?"""
    if text == "*" or text == value:
        return True
    if not text or text in leaves:
        return False
    if text.startswith("{"):
        return any(m == value if not m or m in leaves else may_be(words, leaves, m, value) for m in members(text))
    if not value:
        return False
    if "intervals" in words or "cuts" in words:
        return between(text, value)
    return text in above(words, value) or ("dates" in words and between(text, value))


def limits(rows: int, delta: Sequence[Fraction]) -> tuple[int, float]:
    least, most = delta
    return math.ceil(rows / most) - rows, math.floor(rows / least) - rows if least else math.inf


def confidence(rows: int, outside: Sequence[int], size: int, delta: Sequence[Fraction]) -> Fraction:
    """Nergiz & Clifton 2008, §4.2, as written, from y = 0 on."""
    chances: dict[int, Fraction] = {outside[0]: Fraction(1)}
    for f in outside[1:]:
        after: dict[int, Fraction] = defaultdict(Fraction)
        for y, chance in chances.items():
            for x in range(min(y, f) + 1):
                after[x] += chance * Fraction(math.comb(f, x) * math.comb(size - f, y - x), math.comb(size, y))
        chances = after
    low, high = limits(rows, delta)
    return sum((chance for x, chance in chances.items() if low <= x <= high), Fraction(0))


Case = tuple[tuple[str, ...], list[Person], list[bool], list[str], list[str]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Columns, everybody, who of them is in the table, a δ that all together keep, and the columns in another order."""
    names = tuple(draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True)))
    person = st.tuples(*(st.sampled_from(COLUMNS[name][1]) for name in names))
    everybody = draw(st.lists(person, min_size=3, max_size=40))
    some = draw(st.sets(st.integers(0, len(everybody) - 1), min_size=1, max_size=len(everybody) - 1))
    share = Fraction(len(some), len(everybody))
    delta = [share * draw(st.sampled_from([0, 0, Fraction(1, 2)])), share + (1 - share) * Fraction(2, 5)]
    order = list(draw(st.permutations(names)))
    return names, everybody, [i in some for i in range(len(everybody))], list(map(str, delta)), order


def frame(names: Sequence[str], people: Sequence[Person], order: Sequence[str]) -> dict[str, list[Text]]:
    return {name: [person[names.index(name)] for person in people] for name in order}


def words_of(case: Case, **more: Any) -> dict[str, Any]:
    roles = {name: {"role": "quasi_identifier", "hierarchy": COLUMNS[name][0]} for name in case[0]}
    return {"attributes": roles, "seed": 1, **more}


class Reading:
    """A release among the people it could be about: whom of them each published group describes."""

    def __init__(self, folder: Path, case: Case):
        names, everybody, private = case[:3]
        manifest, (columns, rows) = manifest_of(folder), read_table(folder)
        self._words = [manifest["hierarchies"][name] for name in names]
        self._leaves: list[set[Text]] = [{person[d] for person in everybody} for d in range(len(names))]
        self.rows = Counter(tuple(row[columns.index(name)] for name in names) for row in rows)
        self.people: Counter[Person] = Counter()
        inside: Counter[Person] = Counter()
        for person, is_in in zip(everybody, private, strict=True):
            homes = [texts for texts in self.rows if all(self.describes(d, texts, person) for d in range(len(names)))]
            assert len(homes) <= 1, "published groups overlap"
            self.people.update(homes)
            inside.update(homes if is_in else [])
        assert inside == self.rows
        self.rest = sum(private) - len(rows), len(everybody) - self.people.total()

    def describes(self, attribute: int, texts: Person, person: Person) -> bool:
        return may_be(self._words[attribute], self._leaves[attribute], texts[attribute], person[attribute])
