"""How the cells of a table are to be read: what stands for nothing, how numbers and dates are written, which bytes.

An engine reads every value as text; these words say what a text means. They change no rule further on: a missing cell
is NULL, a number has a point, a day is 2024-03-05, and whoever counts, searches or publishes sees only that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

SPACES = (" ", "\u00a0", "\u202f")  # what stands between thousands in French; Excel writes the second or third
_TOKENS = re.compile(r"(YYYY|YY|MM|DD)([-/. ]?)(YYYY|YY|MM|DD)\2(YYYY|YY|MM|DD)")
_WIDTHS = {"YYYY": "[0-9]{4}", "YY": "[0-9]{2}", "MM": "[0-9]{1,2}", "DD": "[0-9]{1,2}"}


@dataclass(frozen=True)
class DateFormat:
    """How a date is written: YYYY (or YY), MM and DD in some order, one sign between them or none.

    Two digits of a year are of the hundred years from `first_year` on.

    >>> us = DateFormat("MM/DD/YYYY")
    >>> us.pattern, us.separator, us.place("YYYY")
    ('[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}', '/', 3)
    >>> DateFormat("YYYYMMDD").pattern, DateFormat("MMYYYYDD").start("DD")
    ('[0-9]{4}[0-9]{2}[0-9]{2}', 7)
    """

    text: str
    first_year: int | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """YYYY, MM and DD as they follow each other."""
        match = _TOKENS.fullmatch(self.text)
        assert match is not None, "checked when it was read"
        return match[1], match[3], match[4]

    @property
    def separator(self) -> str:
        """What stands between them; nothing may."""
        match = _TOKENS.fullmatch(self.text)
        assert match is not None, "checked when it was read"
        return match[2]

    @property
    def pattern(self) -> str:
        """A regular expression that every engine understands."""
        widths = _WIDTHS if self.separator else {p: f"[0-9]{{{len(p)}}}" for p in _WIDTHS}
        between = f"[{self.separator}]" if self.separator == "." else self.separator
        return between.join(widths[part] for part in self.parts)

    def place(self, part: str) -> int:
        """Which of the three it is, from 1."""
        return self.parts.index(part) + 1

    def start(self, part: str) -> int:
        """Where it begins if nothing stands between them, from 1."""
        return sum(len(p) for p in self.parts[: self.parts.index(part)]) + 1


def is_format(text: str) -> bool:
    """Is it a date format: a year, a month and a day?

    >>> is_format("DD.MM.YYYY"), is_format("MM/YYYY"), is_format("DD/DD/YYYY"), is_format("dd.mm.yyyy")
    (True, False, False, False)
    """
    match = _TOKENS.fullmatch(text)
    return match is not None and {match[1][0], match[3][0], match[4][0]} == {"Y", "M", "D"}


ISO = DateFormat("YYYY-MM-DD")


@dataclass(frozen=True)
class ColumnReading:
    """How the cells of one column are read. Empty words say nothing.

    `missing` are texts that stand for nothing. Numbers have the `decimal` sign, and `thousands` between groups of three
    digits. `dates` are days in a format; a time behind them is not kept. `whole` numbers may be written 54.0.
    """

    missing: tuple[str, ...] = ()
    decimal: str = ""
    thousands: str = ""
    dates: DateFormat | None = None
    whole: bool = False

    @property
    def numbers(self) -> bool:
        """Are numbers written otherwise than with a point and no sign between digits?"""
        return self.decimal == "," or bool(self.thousands)

    @property
    def says_nothing(self) -> bool:
        return not (self.missing or self.numbers or self.dates or self.whole)


@dataclass(frozen=True)
class Reading:
    """How a table is read: words for all its columns, words for some, and words about its file.

    >>> reading = Reading(missing=("?",), decimal=",", columns={"code": ColumnReading(missing=("-9",), decimal=".")})
    >>> reading.of("code").missing, reading.of("code").numbers, reading.of("height").numbers
    (('?', '-9'), False, True)
    """

    missing: tuple[str, ...] = ()
    decimal: str = ""
    thousands: str = ""
    columns: Mapping[str, ColumnReading] = field(default_factory=dict)
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""

    def of(self, column: str) -> ColumnReading:
        """What is said of a column by itself and of all."""
        own = self.columns.get(column, READ_AS_IT_STANDS)
        decimal, thousands = own.decimal or self.decimal, own.thousands or self.thousands
        if own.dates is not None:  # 05.03.2024 is no number
            decimal = thousands = ""
        if own.decimal and not own.thousands and own.decimal == thousands:
            thousands = ""
        missing = tuple(dict.fromkeys([*self.missing, *own.missing]))
        return ColumnReading(missing, decimal, thousands, own.dates, own.whole)

    @property
    def about_cells(self) -> bool:
        """Is anything said of cells?"""
        every = ColumnReading(self.missing, self.decimal, self.thousands)
        return not (every.says_nothing and all(own.says_nothing for own in self.columns.values()))


READ_AS_IT_STANDS = ColumnReading()
AS_IT_STANDS = Reading()
