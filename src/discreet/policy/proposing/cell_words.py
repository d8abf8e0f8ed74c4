"""What the cells of a column seem to be written like: what stands for nothing, how numbers and days are written.

Only texts that everybody knows for this are ever named (``?``, ``NA``, ``-999``): never a value that may be somebody's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from discreet.engines.profile import ColumnProfile
from discreet.engines.reading import ISO, ColumnReading, DateFormat
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.numbers import parse

# Signs, and words in a few languages; in small letters.
_SIGNS = ("", "?", "??", ".", "-", "--", "\\n", "#n/a", "#null!", "#value!", "#div/0!", "(null)", "<na>")
_WORDS = ("na", "n/a", "n.a.", "nan", "nil", "null", "unknown", "unk", "missing", "not available", "not known",
          "unbekannt", "k.a.", "k. a.", "keine angabe", "desconocido", "sin datos", "inconnu", "nc")  # fmt: skip
_NO_WORDS = ("none", "nc", "nil", "-", ".")  # they may mean something among other words, not among numbers and dates
_BELOW = frozenset(f"-{n}" for n in (1, 7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9999, 99999, 999999))
_ABOVE = re.compile(r"9{2,7}(\.0+)?")
_COMMA = re.compile(r"\s*[+-]?[0-9]{1,20}(,[0-9]{1,20})?\s*")
_GROUPED = {sign: re.compile(rf"\s*[+-]?[0-9]{{1,3}}(?:[{sign}][0-9]{{3}})*") for sign in ",."}
_DAY = re.compile(r"\s*[0-9]{1,2}([-/.])[0-9]{1,2}\1([0-9]{4}|[0-9]{2})(?:[T ].*)?")
_MIDNIGHT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]00:00(:00(\.0+)?)?(\+00(:00)?)?")
_COMPACT = re.compile(r"(?:18[5-9]|19[0-9]|20[0-9])[0-9](?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")


@dataclass(frozen=True)
class CellWords:
    """What is to be said of a column's cells, why, and what only somebody who knows the table can say.

    `formats` are those that its days may be in: the engine counts which of them fit.
    """

    reading: ColumnReading = ColumnReading()  # noqa: RUF009
    why: tuple[str, ...] = ()
    question: str = ""
    formats: tuple[DateFormat, ...] = ()


def marks_of(profile: ColumnProfile) -> dict[str, int]:
    """The texts of a column that stand for nothing in most tables, with their counts.

    >>> marks_of(ColumnProfile("sex", 9, 3, 0, (("f", 4), ("m", 4), ("?", 1))))
    {'?': 1}
    >>> marks_of(ColumnProfile("rhesus", 9, 2, 0, (("+", 6), ("-", 3)))), marks_of(ColumnProfile("x", 9, 1, 0, (("?", 9),)))
    ({}, {})
    """  # noqa: E501
    texts = {value: count for value, count in profile.values if value is not None}
    marks = {v: n for v, n in texts.items() if v.strip().casefold() in (*_SIGNS, *_WORDS, "none")}
    rest = [v for v in texts if v not in marks]
    if not rest:
        return {}
    plain = all(parse(v) is not None or parse_date(v) is not None or _DAY.fullmatch(v) for v in rest)
    if not plain:
        few = all(re.fullmatch(r"[A-Z]{2}", v) for v in rest)  # NA is Namibia, among codes of countries
        marks = {
            v: n for v, n in marks.items() if v.strip().casefold() not in _NO_WORDS and not (few and v in ("NA", "NC"))
        }
    return marks


def cell_words(profile: ColumnProfile, marks: Mapping[str, int]) -> CellWords:
    """What is to be said of the cells of a column beside the texts that stand for nothing.

    >>> cell_words(ColumnProfile("height", 9, 3, 0, (("1,72", 4), ("1,8", 3), ("2", 2))), {}).reading.decimal
    ','
    >>> cell_words(ColumnProfile("age", 9, 3, 0, (("44", 4), ("61", 3), ("-999", 2))), {}).reading.missing
    ('-999',)
    """
    texts = {value: count for value, count in profile.values if value and value not in marks}
    if not texts:
        return CellWords()
    codes, why = _codes(texts)
    rest = [text for text in texts if text not in codes]
    other = _days(rest) or _numbers(rest) or CellWords()
    missing = tuple(codes)
    reading = ColumnReading(
        missing, other.reading.decimal, other.reading.thousands, other.reading.dates, other.reading.whole
    )
    return CellWords(reading, (*why, *other.why), other.question, other.formats)


def _codes(texts: Mapping[str, int]) -> tuple[dict[str, int], list[str]]:
    """Numbers that can't be ones: the only ones below 0, or nines far above all others.

    >>> _codes({"1,72": 4, "1,8": 3, "-999": 2})[0]
    {'-999': 2}
    """
    commas = all(_COMMA.fullmatch(text) for text in texts)
    numbers = {text: parse(text.replace(",", ".") if commas else text) for text in texts}
    known = {text: number for text, number in numbers.items() if number is not None}
    if len(known) < len(texts):
        return {}, []
    below = {text for text, number in known.items() if number < 0}
    least = 2 if below <= {"-1", "-1.0"} else 1
    if not below or not {text.removesuffix(".0") for text in below} <= _BELOW:
        below = set()
    rest = [number for text, number in known.items() if text not in below]
    if len(rest) < 2 or sum(texts[text] for text in below) < least:
        below = set()
    top = max(known, key=lambda text: known[text])
    others = [number for text, number in known.items() if text != top and text not in below]
    above = (
        {top} if _ABOVE.fullmatch(top) and texts[top] > 1 and len(others) > 1 and known[top] > 3 * max(others) else ()
    )
    codes = {text: texts[text] for text in texts if text in below or text in above}
    why = [
        f"{n:,} cells {text}, where all others are {'from 0 on' if text in below else 'far below'}"
        for text, n in codes.items()
    ]
    return codes, why


def _days(texts: list[str]) -> CellWords | None:
    if all(_MIDNIGHT.fullmatch(text) for text in texts):
        return CellWords(ColumnReading(dates=ISO), ("moments, all of them at midnight: read as days",))
    if all(_COMPACT.fullmatch(text) for text in texts) and len(texts) > 3:
        return CellWords(formats=(DateFormat("YYYYMMDD"),))
    matches = [_DAY.fullmatch(text) for text in texts]
    if not all(matches) or all(parse_date(text) for text in texts):
        return None
    signs = {(match[1], len(match[2])) for match in matches if match}
    if len(signs) > 1:
        return None
    [(sign, digits)] = signs
    orders = (("MM", "DD"), ("DD", "MM")) if sign != "." else (("DD", "MM"),)
    first = None if digits == 4 else 1930
    return CellWords(formats=tuple(DateFormat(sign.join((*order, "Y" * digits)), first) for order in orders))


def _numbers(texts: list[str]) -> CellWords | None:
    """How numbers are written, if not as a program writes them."""
    if all(re.fullmatch(r"\s*[+-]?[0-9]+\.0+\s*", text) for text in texts):
        return CellWords(ColumnReading(whole=True), ("whole numbers, written with .0",))
    comma, point = ColumnReading(decimal=","), ColumnReading(decimal=",", thousands=".")
    commas = [text.strip() for text in texts if "," in text]
    if commas and all(_COMMA.fullmatch(text) for text in texts):
        if all(re.fullmatch(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}", text) for text in commas):
            question = (
                'numbers like 1,234: write decimal: "," if that is a little more than one, thousands: "," if it is '
                "more than a thousand"
            )
            return CellWords(question=question)
        return CellWords(comma, ("numbers with a decimal comma",))
    for sign, other, reading, name in ((".", ",", point, "points"), (",", ".", ColumnReading(thousands=","), "commas")):
        form = re.compile(rf"{_GROUPED[sign].pattern}(?:[{other}][0-9]*)?\s*|\s*[+-]?[0-9]+(?:[{other}][0-9]*)?\s*")
        sure = any(text.count(sign) > 1 or (sign in text and other in text) for text in texts)
        if sure and all(form.fullmatch(text) for text in texts):
            return CellWords(reading, (f"numbers with {name} between thousands",))
    return None
