"""`private` in the words of a policy: which rows of the source are the table that is published.

{diagnosis: diabetes, clinic: [north, south], admitted: {from: 2024-01-01, to: 2024-06-30}, patient: {file: ids.csv}}
All conditions must hold. Values are compared as texts; null is NULL. The source then has everybody, and is the
population of promises about presence that name no other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

from discreet.engines.rows import Between, Bound, Condition, ListedIn, OneOf, Rows
from discreet.errors import Mistake, did_you_mean, shown
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.numbers import number, plain

EXAMPLE = "for example {diagnosis: diabetes}"
_WORDS = ("from", "to", "file")
_DIGITS, _DECIMALS = 25, 12  # of a bound; engines compare so many exactly


def private_place(column: object) -> str:
    """How messages call a condition; quoted when the column's name could be misread.

    >>> private_place("age"), private_place("a.b")
    ('private.age', "private['a.b']")
    """
    text = column if isinstance(column, str) else shown(column)
    return f"private.{text}" if re.fullmatch(r"[\w-]{1,100}", text) else f"private[{shown(column)}]"


def read_private(words: object, folder: Path, encoding: str = "") -> tuple[Rows | None, list[Mistake]]:
    """The rows that are meant, or everything that is wrong with the words. No file is opened.

    Files that list values are in the policy's `encoding`, if they are not UTF-8.

    >>> read_private({"age": {"from": 18}, "sex": "f"}, Path())[0]
    Rows(conditions=(Between(column='age', least=18, most=None), OneOf(column='sex', values=('f',))))
    >>> for mistake in read_private({"age": {"from": 18, "until": 30}, "sex": []}, Path())[1]:
    ...     print(mistake)
    private.age.until: no such word; known: 'from', 'to', 'file'
    private.sex: must be a value, a list of values, {from, to} or {file}, got an empty list; for example diabetes
    """
    if words is None:
        return None, []
    if not isinstance(words, Mapping) or not words:
        got = "an empty one" if isinstance(words, Mapping) else shown(words)
        return None, [Mistake("private", f"must be a mapping of columns to values, got {got}", EXAMPLE)]
    conditions: list[Condition] = []
    mistakes: list[Mistake] = []
    for column, asked in words.items():
        place = private_place(column)
        if not isinstance(column, str) or not column:
            mistakes.append(Mistake(place, f"a column's name must be text, got {shown(column)}", "put it in quotes"))
            continue
        found, wrong = (
            _within(column, asked, place, folder, encoding)
            if isinstance(asked, Mapping)
            else _one_of(column, asked, place)
        )
        conditions += found
        mistakes += wrong
    return (None, mistakes) if mistakes else (Rows(tuple(conditions)), [])


def _one_of(column: str, asked: object, place: str) -> tuple[list[Condition], list[Mistake]]:
    listed = list(asked) if isinstance(asked, list | tuple) else [asked]
    values: list[str | None] = []
    mistakes = []
    for value in listed:
        if isinstance(value, bool):  # YAML does not tell these spellings apart
            values += [str(value), str(value).lower(), str(value).upper()]
        elif value is None or isinstance(value, str | int):
            values.append(None if value is None else str(value))
        elif isinstance(value, float):
            repair = "put it in quotes, as the data have it, or write {from: …, to: …}"
            mistakes.append(Mistake(place, f"{value} may be written in several ways", repair))
        else:
            rule = f"must be a value, a list of values, {{from, to}} or {{file}}, got {shown(value)}"
            mistakes.append(Mistake(place, rule, "for example diabetes"))
    if not listed:
        rule = "must be a value, a list of values, {from, to} or {file}, got an empty list"
        mistakes.append(Mistake(place, rule, "for example diabetes"))
    return [OneOf(column, tuple(dict.fromkeys(values)))], mistakes


def _within(
    column: str, asked: Mapping[object, object], place: str, folder: Path, encoding: str
) -> tuple[list[Condition], list[Mistake]]:
    mistakes = [
        Mistake(f"{place}.{word}", "no such word", did_you_mean(word, _WORDS)) for word in asked if word not in _WORDS
    ]
    if "file" in asked:
        if "from" in asked or "to" in asked:
            rule = "must be either {from, to} or {file}, got both"
            mistakes.append(Mistake(place, rule, "write the bounds under another column, or leave them out"))
        file = asked["file"]
        if not isinstance(file, str | Path) or not str(file).strip():
            rule = f"must be the path of a CSV or Parquet file, got {shown(file)}"
            mistakes.append(Mistake(f"{place}.file", rule, "for example ids.csv"))
            return [], mistakes
        return [ListedIn(column, folder / file, encoding)], mistakes
    bounds: dict[str, Bound | None] = {"from": None, "to": None}
    for word in bounds:
        if asked.get(word) is not None:
            bounds[word], wrong = _bound(asked[word], f"{place}.{word}")
            mistakes += wrong
    least, most = bounds["from"], bounds["to"]
    if mistakes:
        return [], mistakes
    if least is None and most is None:
        return [], [Mistake(place, "has no bound", "for example {from: 18, to: 64}")]
    if least is not None and most is not None:
        if isinstance(least, date) != isinstance(most, date):
            return [], [Mistake(place, "is from a number to a date, or the other way round", "give two of one kind")]
        if most < least:  # type: ignore[operator]
            return [], [Mistake(place, "ends before it begins", "swap from and to")]
    return [Between(column, least, most)], []


def _bound(word: object, place: str) -> tuple[Bound | None, list[Mistake]]:
    """A number, or a day as it may stand in the data."""
    exact = number(word)
    if exact is not None:
        digits, _, decimals = plain(Decimal(exact)).lstrip("-").partition(".")
        if len(digits) > _DIGITS or len(decimals) > _DECIMALS:
            rule = f"has more than {_DIGITS} digits or {_DECIMALS} decimals"
            return None, [Mistake(place, rule, "write a rounder number")]
        return exact, []
    day = parse_date(word) if isinstance(word, str) else None
    if day is None or day[1]:
        rule = f"must be a number or a day, got {shown(word)}"
        return None, [Mistake(place, rule, "for example 18, or 2024-01-31")]
    return day[0], []
