"""Dates: from the day to the month, the quarter, the year and the decade."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from discreet.errors import HierarchyError, Mistake, did_you_mean, shown
from discreet.hierarchies.base import BranchingRule, Misfit
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.texts import span

LEVELS = ("day", "month", "quarter", "year", "decade")

_NO_DATE = (
    "say how days are written (as dates: MM/DD/YYYY beside the role), list under missing what stands for nothing, or "
    "write dates as 2024-03-05 or 05.03.2024, timestamps as 2024-03-05 10:30:00"
)
_FORM = re.compile(
    r"\s*(?:([0-9]{4})([-/.])([0-9]{2})\2([0-9]{2})|([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4}))"
    r"(?:[T ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]|60)(?:[.,]([0-9]{1,9}))?)?"
    r"(?: ?Z| ?UTC| ?[+-][0-9]{2}(?::?[0-9]{2})?)?)?\s*"
)


def parse_date(text: str) -> tuple[date, str] | None:
    """Day and time of a date or timestamp, or None: year first, or day first with dots.

    With dots the day always comes before the month. With slashes both orders are common (05/03/2024), so they are not
    guessed at.

    The day is the one that was written: a zone is allowed but never moves a person to another day. The second part
    sorts like the time of the day.

    >>> parse_date("2024-03-05T10:30:00.50Z")
    (datetime.date(2024, 3, 5), '10:30:00.5')
    >>> parse_date("5.3.2024"), parse_date("05/03/2024"), parse_date("2024-02-30")
    ((datetime.date(2024, 3, 5), ''), None, None)
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    year, _, month, day, *day_first, hour, minute, second, fraction = match.groups()
    if year is None:
        day, month, year = day_first
    try:
        when = date(int(year), int(month), int(day))
    except ValueError:
        return None
    clock = f"{hour}:{minute}:{second or '00'}.{fraction or ''}".rstrip("0").rstrip(".") if hour else ""
    return when, clock


def suitable_levels(days: Sequence[tuple[date, str]]) -> tuple[str, ...]:
    """The levels that suit some dates: days where they have times, decades where they span more than ten years.

    >>> suitable_levels([(date(1950, 1, 2), ""), (date(1987, 11, 30), "")])
    ('month', 'quarter', 'year', 'decade')
    """
    years = [day.year for day, _ in days]
    first = 0 if any(clock for _, clock in days) else 1
    return LEVELS[first:] if max(years) - min(years) > 10 else LEVELS[first:-1]


@dataclass(frozen=True)
class Dates(BranchingRule):
    """Dates and timestamps, year first or with dots day first; any of day, month, quarter, year, decade as levels.

    >>> Dates().path("2024-03-05"), Dates(("day", "year")).path("2024-03-05 10:30")
    (('2024-03', '2024-Q1', '2024'), ('2024-03-05', '2024'))
    >>> Dates(("year", "decade")).path("1987-11-30")
    ('1987', '1980-1989')
    """

    levels: tuple[str, ...] = ("month", "quarter", "year")
    ordered = ranges = True

    def __post_init__(self) -> None:
        levels = self.levels
        repair = "e.g. [month, quarter, year]"
        if not isinstance(levels, Sequence) or isinstance(levels, str | bytes) or not levels:
            raise HierarchyError(Mistake("dates", "needs a list of levels", repair))
        strange = [level for level in levels if level not in LEVELS]
        if strange:
            raise HierarchyError(
                *(Mistake("dates", f"no such level: {shown(level)}", did_you_mean(level, LEVELS)) for level in strange)
            )
        order = [LEVELS.index(level) for level in levels]
        if order != sorted(set(order)):
            rule = f"levels must go from fine to coarse, got {', '.join(levels)}"
            raise HierarchyError(Mistake("dates", rule, "keep the order " + ", ".join(LEVELS)))
        object.__setattr__(self, "levels", tuple(levels))

    @property
    def between(self) -> int:
        return len(self.levels)

    def _parsed(self, value: str) -> tuple[date, str]:
        parsed = parse_date(value)
        if parsed is None:
            raise Misfit(value, "not a date", _NO_DATE)
        return parsed

    def _climb(self, value: str) -> tuple[Value, ...]:
        day, _ = self._parsed(value)
        year = f"{day.year:04}"
        names = {
            "day": f"{year}-{day.month:02}-{day.day:02}",
            "month": f"{year}-{day.month:02}",
            "quarter": f"{year}-Q{(day.month + 2) // 3}",
            "year": year,
            "decade": f"{day.year // 10 * 10:04}-{day.year // 10 * 10 + 9:04}",
        }
        return tuple(names[level] for level in self.levels)

    def _rank(self, value: str) -> tuple[object, ...]:
        return (*self._parsed(value), len(value), value)

    @property
    def unit(self) -> int:
        """Days are no boundaries: a range from day to day begins and ends on somebody's."""
        return 2 if self.levels[0] == "day" else 1

    def joined(self, first: str, last: str, level: int) -> tuple[str, ...]:
        """
        >>> Dates().joined("1925-02-10", "1972-04-08", 1), Dates().joined("1925-02-10", "1972-04-08", 3)
        (('1925-02 to 1972-04',), ('1925-1972',))
        >>> Dates(("decade",)).joined("1925-02-10", "1972-04-08", 1), Dates().joined("5.3.2024", "6.3.2024", 2)
        (('1920-1979',), ('2024-Q1',))
        """
        low, high = (self._climb(value)[level - 1] or "" for value in (first, last))
        if self.levels[level - 1] == "decade":
            return (f"{low[:4]}-{high[-4:]}",)
        return (low if low == high else span(low, high),)

    def stand_in(self, value: str, level: int) -> str:
        """
        >>> Dates().stand_in("1972-05-08", 1), Dates().stand_in("8.5.1972", 2), Dates().stand_in("1972-05-08 10:30", 3)
        ('1972-05-01', '1972-04-01', '1972-01-01')
        """
        day, _ = self._parsed(value)
        first = {
            "day": day,
            "month": day.replace(day=1),
            "quarter": day.replace(month=(day.month + 2) // 3 * 3 - 2, day=1),
            "year": day.replace(month=1, day=1),
            "decade": day.replace(year=max(day.year // 10 * 10, 1), month=1, day=1),
        }
        return first[self.levels[level - 1]].isoformat()

    def to_words(self) -> object:
        return {"dates": list(self.levels)}
