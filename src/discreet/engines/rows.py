"""Which rows of a table are meant: conditions on columns, as values that any engine can turn into a query.

Values are compared as the texts that the engine reads; NULL is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

Bound = int | Decimal | date


@dataclass(frozen=True)
class OneOf:
    """Rows with one of these values."""

    column: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Between:
    """Rows whose value is a number, or a day, from `least` to `most`, both included; None is no bound.

    A value that can't be read as one is not between anything. Numbers are compared to twelve decimals; a time of day,
    or a zone, does not change the day.
    """

    column: str
    least: Bound | None = None
    most: Bound | None = None


@dataclass(frozen=True)
class ListedIn:
    """Rows whose value is in a file: in its column of that name, or in the only one it has. NULL is in no file."""

    column: str
    file: Path
    encoding: str = ""  # of a file that is not UTF-8


Condition = OneOf | Between | ListedIn


@dataclass(frozen=True)
class Rows:
    """The rows for which all conditions hold."""

    conditions: tuple[Condition, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at."""
        return tuple(condition.column for condition in self.conditions)
