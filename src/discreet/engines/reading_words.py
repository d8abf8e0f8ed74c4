"""The words of a policy about reading its source, and everything that can be wrong with them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from discreet.engines.reading import SPACES, ColumnReading, DateFormat, Reading, is_format
from discreet.errors import Mistake, did_you_mean, shown

OF_TABLE = ("missing", "decimal", "thousands", "encoding", "delimiter", "sheet")
OF_COLUMN = ("missing", "decimal", "thousands", "dates", "whole")
_MOST = 100  # texts that stand for nothing
_LONGEST = 200  # characters of one
_THOUSANDS = (",", ".", "'", "’", " ")
_FORMATS = "for example MM/DD/YYYY, DD/MM/YYYY, DD.MM.YYYY or YYYYMMDD"
_TWO_DIGITS = "for example {format: MM/DD/YY, first_year: 1930}, if the years are 1930 to 2029"

Read = tuple[Any, list[Mistake]]


def read_missing(words: object, place: str) -> Read:
    """Texts that stand for nothing.

    >>> read_missing(["?", "NA"], "missing")[0]
    ('?', 'NA')
    >>> print(*read_missing(["?", -999], "missing")[1])
    missing: must be a list of texts, got -999 in it; put it in quotes: "-999"
    """
    if words is None:
        return (), []
    if not isinstance(words, Sequence) or isinstance(words, str | bytes):
        example = 'for example ["?", "NA", "-999"]'
        return (), [Mistake(place, f"must be a list of texts, got {shown(words)}", example)]
    mistakes = []
    strange = next((word for word in words if not isinstance(word, str)), None)
    if any(not isinstance(word, str) for word in words):
        plain = isinstance(strange, int | float) and not isinstance(strange, bool)
        repair = f'put it in quotes: "{strange}"' if plain else "put each of them in quotes, as the cells have it"
        mistakes.append(Mistake(place, f"must be a list of texts, got {shown(strange)} in it", repair))
    elif len(words) > _MOST or any(len(word) > _LONGEST for word in words):
        rule = f"has more than {_MOST} texts, or one of more than {_LONGEST} characters"
        mistakes.append(Mistake(place, rule, "list the few texts that stand for nothing"))
    return (() if mistakes else tuple(dict.fromkeys(map(str, words)))), mistakes


def read_decimal(word: object, place: str) -> Read:
    if word in (None, ",", "."):
        return word or "", []
    return "", [Mistake(place, f'must be "," or ".", got {shown(word)}', 'write decimal: "," for numbers like 1,72')]


def read_thousands(word: object, place: str) -> Read:
    if word is None or word in _THOUSANDS:
        return word or "", []
    if word in SPACES:
        return " ", []
    rule = f"must be one of {', '.join(map(shown, _THOUSANDS))}, got {shown(word)}"
    return "", [Mistake(place, rule, 'write thousands: "." for numbers like 1.234,50')]


def read_dates(words: object, place: str) -> Read:
    """A date format; two digits of a year with the year that they begin in.

    >>> read_dates("DD/MM/YYYY", "dates")[0], read_dates({"format": "DD.MM.YY", "first_year": 1930}, "dates")[0]
    (DateFormat(text='DD/MM/YYYY', first_year=None), DateFormat(text='DD.MM.YY', first_year=1930))
    >>> print(*read_dates("DD/MM/YY", "dates")[1])
    dates: has years of two digits, which may be of any century; for example {format: MM/DD/YY, first_year: 1930}, if the years are 1930 to 2029
    """  # noqa: E501
    if words is None:
        return None, []
    text, first = words, None
    if isinstance(words, Mapping):
        unknown = [word for word in words if word not in ("format", "first_year")]
        if unknown:
            known = ("format", "first_year")
            return None, [Mistake(f"{place}.{w}", "no such word", did_you_mean(w, known)) for w in unknown]
        text, first = words.get("format"), words.get("first_year")
    if not isinstance(text, str) or not is_format(text):
        rule = f"must be a date format of YYYY, MM and DD with one character between them, got {shown(text)}"
        return None, [Mistake(place, rule, _FORMATS)]
    short = "YYYY" not in text
    if short and first is None:
        return None, [Mistake(place, "has years of two digits, which may be of any century", _TWO_DIGITS)]
    if first is not None and not short:
        return None, [Mistake(f"{place}.first_year", "is for years of two digits (YY)", "leave it out")]
    if first is not None and (isinstance(first, bool) or not isinstance(first, int) or not 1000 <= first <= 9900):
        rule = f"must be a year from 1000 to 9900, got {shown(first)}"
        return None, [Mistake(f"{place}.first_year", rule, _TWO_DIGITS)]
    return DateFormat(text, first), []


def read_whole(word: object, place: str) -> Read:
    if word is None or isinstance(word, bool):
        return bool(word), []
    return False, [Mistake(place, f"must be true or false, got {shown(word)}", "write whole: true if 54.0 means 54")]


def read_encoding(word: object, place: str) -> Read:
    """What bytes of a text file mean, by the names that Python has for it."""
    if word is None:
        return "", []
    example = "for example cp1252 (Windows), latin-1, utf-16, cp1250, cp1251, mac-roman or shift-jis"
    if not isinstance(word, str) or not word.strip() or len(word) > 50:
        return "", [Mistake(place, f"must be the name of an encoding, got {shown(word)}", example)]
    try:
        known = codecs.lookup(word)
    except (LookupError, ValueError):
        return "", [Mistake(place, f"no such encoding {shown(word)}", example)]
    if not known._is_text_encoding or known.name in ("idna", "punycode", "unicode_escape", "raw_unicode_escape"):
        return "", [Mistake(place, f"{shown(word)} is not an encoding of text files", example)]
    return word, []


def read_delimiter(word: object, place: str) -> Read:
    if word is None:
        return "", []
    if isinstance(word, str) and len(word) == 1 and word not in '"\r\n\0' and not word.isalnum() and word.isascii():
        return word, []
    rule = f"must be one character that stands between values, got {shown(word)}"
    return "", [Mistake(place, rule, 'for example ";" or "\\t"')]


def read_sheet(word: object, place: str) -> Read:
    if word is None:
        return "", []
    if isinstance(word, str) and word.strip() and len(word) <= _LONGEST:
        return word, []
    return "", [Mistake(place, f"must be the name of a sheet, got {shown(word)}", "put it in quotes if it is a number")]


_READERS: Mapping[str, Callable[[object, str], Read]] = {
    "missing": read_missing,
    "decimal": read_decimal,
    "thousands": read_thousands,
    "dates": read_dates,
    "whole": read_whole,
    "encoding": read_encoding,
    "delimiter": read_delimiter,
    "sheet": read_sheet,
}


def read_words(
    words: Mapping[str, object], known: Sequence[str], place: str = ""
) -> tuple[dict[str, Any], list[Mistake]]:
    """Those of the words that are about reading, and all that is wrong with them."""
    prefix = f"{place}." if place else ""
    found: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for word in known:
        found[word], wrong = _READERS[word](words.get(word), f"{prefix}{word}")
        mistakes += wrong
    mistakes += _contradiction(found, prefix)
    return found, mistakes


def _contradiction(found: Mapping[str, Any], prefix: str) -> list[Mistake]:
    if found.get("dates") and (found.get("whole") or found["decimal"] or found["thousands"]):
        return [Mistake(f"{prefix}dates", "a column has dates or numbers, not both", "keep one of the words")]
    return []


def sign_misfits(reading: Reading, places: Mapping[str, str]) -> list[Mistake]:
    """One sign can't be the decimal sign and stand between thousands; `places` are what messages call the columns."""
    all_columns = ColumnReading(decimal=reading.decimal, thousands=reading.thousands)
    judged = {"thousands": all_columns} | {
        f"{place}.thousands": reading.of(column) for column, place in places.items() if column in reading.columns
    }
    for place, own in judged.items():
        if own.thousands and own.thousands == (own.decimal or "."):
            said = "" if own.decimal else ", if nothing is said"
            rule = f"{shown(own.thousands)} is the decimal sign, too{said}"
            return [Mistake(place, rule, 'for numbers like 1.234,50 write decimal: "," and thousands: "."')]
    return []


def column_reading(words: Mapping[str, object], place: str) -> tuple[ColumnReading, list[Mistake]]:
    """How a column is read, by the words of its attribute."""
    found, mistakes = read_words(words, OF_COLUMN, place)
    return (ColumnReading() if mistakes else ColumnReading(**found)), mistakes


def reading_from_words(words: object) -> Reading:
    """How the source of a release is read again, by the policy in its manifest; what is wrong there says nothing.

    >>> reading_from_words({"missing": ["?"], "attributes": {"born": {"role": "other", "dates": "DD.MM.YYYY"}}}).missing
    ('?',)
    """
    if not isinstance(words, Mapping):
        return Reading()
    found, mistakes = read_words(words, OF_TABLE)
    if mistakes:
        return Reading()
    attributes = words.get("attributes")
    columns = {
        str(name): column_reading(about, "")[0]
        for name, about in (attributes.items() if isinstance(attributes, Mapping) else ())
        if isinstance(about, Mapping)
    }
    return Reading(**found, columns={name: own for name, own in columns.items() if not own.says_nothing or own.decimal})


def words_of(reading: Reading | ColumnReading) -> dict[str, object]:
    """The words that say it again.

    >>> words_of(ColumnReading(missing=("-9",), dates=DateFormat("DD.MM.YY", 1930)))
    {'missing': ['-9'], 'dates': {'format': 'DD.MM.YY', 'first_year': 1930}}
    """
    found: dict[str, object] = {}
    for word in OF_TABLE if isinstance(reading, Reading) else OF_COLUMN:
        value = getattr(reading, word)
        if isinstance(value, DateFormat):
            value = value.text if value.first_year is None else {"format": value.text, "first_year": value.first_year}
        if value:
            found[word] = list(value) if isinstance(value, tuple) else value
    return found
