"""Cells read by the words of a policy, as SQL: where they are NULL, what number or day they say, and how many are odd.

Only what every dialect knows is used, beside a few words that each engine adds (`SqlEngine`): a regular expression that
has to match, the part of a text that one finds, and a day that is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.engines.reading import ISO, SPACES, ColumnReading, DateFormat, Reading
from discreet.engines.rows import OneOf

if TYPE_CHECKING:
    from discreet.engines.sql.engine import SqlEngine

TEXT, DATE, AS_BEFORE = "text", "date", ""  # what kind of value a cell has become
_EXPONENT = "([eE][+-]?[0-9]{1,3})?"
_SIGNED = "[ ]*[+-]?"
_PLAIN = f"{_SIGNED}([0-9]+|[0-9]*[.][0-9]+|[0-9]+[.]){_EXPONENT}[ ]*"
_ZEROS = f"{_SIGNED}[0-9]+[.]0+[ ]*"


@dataclass(frozen=True)
class Cells:
    """What was read in one column: so many cells for each text that stands for nothing, so many by each other word.

    `odd` cells are not as the words say: numbers written otherwise, or texts that are no such date.
    """

    column: str
    missing: tuple[tuple[str, int], ...] = ()
    numbers: int = 0
    dates: int = 0
    whole: int = 0
    odd: int = 0


def read_column(engine: SqlEngine, column: str, own: ColumnReading) -> tuple[str, str] | None:
    """SQL of a column's cells as they are read, and what kind they are now; None if they are read as they stand."""
    if not engine._is_readable(column):
        return None
    value, kind = _understood(engine, column, own)
    if nothing := _nothing(engine, column, own):
        value = f"CASE WHEN {nothing} THEN NULL ELSE {value} END"
    elif value == engine.name(column):
        return None
    return value, kind


def _nothing(engine: SqlEngine, column: str, own: ColumnReading) -> str:
    """SQL: does a cell stand for nothing? Empty where none can. NaN always does."""
    stands = [engine._condition(OneOf(column, own.missing))] if own.missing else []
    if (nan := engine._is_nan(column)) is not None:
        stands.append(nan)
    return f"({' OR '.join(stands)})" if stands else ""


def _understood(engine: SqlEngine, column: str, own: ColumnReading) -> tuple[str, str]:
    value = engine.name(column)
    if own.dates is not None:
        day = engine._day_of_moment(column)
        if day is not None:
            return day, DATE
        text = engine._written(value, column)
        return f"COALESCE({_day(engine, text, own.dates)}, {text})", TEXT
    if not engine._is_text(column) or not (own.numbers or own.whole):
        return value, AS_BEFORE
    text = engine._written(value, column)
    if own.numbers:
        text = f"CASE WHEN {engine._like(text, _number(own))} THEN {_with_point(engine, text, own)} ELSE {text} END"
    if own.whole:
        short = f"regexp_replace({text}, {engine.text('[.]0+[ ]*$')}, '')"
        text = f"CASE WHEN {engine._like(text, _ZEROS)} THEN {short} ELSE {text} END"
    return text, TEXT


def _number(own: ColumnReading) -> str:
    """A pattern of numbers as they are said to be written, also without the signs that may be in them."""
    decimal = own.decimal or "."
    between = "[{}]".format("".join(SPACES) if own.thousands == " " else own.thousands) if own.thousands else ""
    whole = f"([0-9]+|[0-9]{{1,3}}({between}[0-9]{{3}})+)" if between else "[0-9]+"
    return f"{_SIGNED}({whole}([{decimal}][0-9]*)?|[{decimal}][0-9]+){_EXPONENT}[ ]*"


def _like_a_number(own: ColumnReading) -> str:
    """Digits with signs between them: a number, if it is written by the rules that were said."""
    return f"{_SIGNED}[0-9][0-9.,{''.join(SPACES) if own.thousands == ' ' else own.thousands}]*[ ]*"


def _with_point(engine: SqlEngine, text: str, own: ColumnReading) -> str:
    for sign in SPACES if own.thousands == " " else (own.thousands,):
        if sign:
            text = f"replace({text}, {engine.text(sign)}, '')"
    return f"replace({text}, ',', '.')" if own.decimal == "," else text


def _day(engine: SqlEngine, text: str, dates: DateFormat) -> str:
    """SQL of the day that a text says, as 2024-03-05; NULL where it says none. So written, it is always understood."""
    said = _in_format(engine, text, dates)
    return said if dates == ISO else f"COALESCE({said}, {_in_format(engine, text, ISO)})"


def _in_format(engine: SqlEngine, text: str, dates: DateFormat) -> str:
    day = engine._found(text, f"^[ ]*({dates.pattern})([T ].*)?$")

    def part(token: str) -> str:
        if dates.separator:
            return f"split_part({day}, {engine.text(dates.separator)}, {dates.place(token)})"
        return f"substr({day}, {dates.start(token)}, {len(token)})"

    year = part("YYYY") if "YYYY" in dates.parts else _century(part("YY"), dates.first_year or 0)
    return engine._real_day(year, part("MM"), part("DD"), day)


def _century(year: str, first: int) -> str:
    """Two digits as four, in the hundred years from `first` on. As texts, two digits compare like numbers."""
    century, pivot = divmod(first, 100)
    return f"CASE WHEN {year} >= '{pivot:02}' THEN '{century:02}' ELSE '{century + 1:02}' END || {year}"


def count_cells(engine: SqlEngine, reading: Reading, columns: Iterable[str]) -> list[Cells]:
    """What the words find in some columns of a table as it stands: one scan; none, if they say nothing of these."""
    judged = [(c, reading.of(c)) for c in columns if c in engine.columns and engine._is_readable(c)]
    asked = [(c, own, _conditions(engine, c, own)) for c, own in judged if not own.says_nothing]
    conditions = [condition for _, _, each in asked for condition in each]
    if not conditions:
        return []
    counts = iter(engine.totals([f"CAST(sum(CASE WHEN {c} THEN 1 ELSE 0 END) AS BIGINT)" for c in conditions]))
    return [_cells(c, own, [int(next(counts) or 0) for _ in each]) for c, own, each in asked]


def _conditions(engine: SqlEngine, column: str, own: ColumnReading) -> list[str]:
    """One for each text that stands for nothing, then two for each other word: `_cells` reads the counts so."""
    conditions = [engine._condition(OneOf(column, (text,))) for text in own.missing]
    text, nothing = engine._written(engine.name(column), column), _nothing(engine, column, own)
    there = f"{engine.name(column)} IS NOT NULL" + (f" AND NOT {nothing}" if nothing else "")
    if own.dates is not None:
        known = engine._day_of_moment(column) is not None
        day = "TRUE" if known else f"{_day(engine, text, own.dates)} IS NOT NULL"
        return [*conditions, f"{there} AND {day}", f"{there} AND NOT ({day})"]
    if not engine._is_text(column):
        return conditions
    if own.numbers:
        written = engine._like(text, _number(own))
        changed = f"{written} AND NOT {engine._like(text, '[ ]*[+-]?[0-9]+[ ]*')}"
        odd = f"{engine._like(text, _like_a_number(own))} AND NOT {written} AND NOT {_a_date(engine, text)}"
        conditions += [f"{there} AND {changed}", f"{there} AND {odd}"]
    if own.whole:
        fraction = f"{engine._like(text, _PLAIN)} AND {engine._like(text, '.*[.][0-9]*[1-9][0-9]*.*')}"
        conditions += [f"{there} AND {engine._like(text, _ZEROS)}", f"{there} AND {fraction}"]
    return conditions


def _a_date(engine: SqlEngine, text: str) -> str:
    """Looks it like 05.03.2024? That is no number, whatever the signs of numbers are."""
    return engine._like(text, "[ ]*[0-9]{1,4}[.][0-9]{1,2}[.][0-9]{1,4}[ ]*")


def _cells(column: str, own: ColumnReading, counts: Sequence[int]) -> Cells:
    marks, rest = counts[: len(own.missing)], list(counts[len(own.missing) :])
    missing = tuple((text, n) for text, n in zip(own.missing, marks, strict=True) if n)
    if own.dates is not None:
        return Cells(column, missing, dates=rest[0], odd=rest[1])
    numbers, odd = (rest.pop(0), rest.pop(0)) if own.numbers and rest else (0, 0)
    whole, fractions = (rest.pop(0), rest.pop(0)) if own.whole and rest else (0, 0)
    return Cells(column, missing, numbers=numbers, whole=whole, odd=odd + fractions)
