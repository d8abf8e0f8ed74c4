"""What a published value says: exactly this, one of these, anything from here to there, or nothing at all.

Releases of other tools write intervals as ``[20-39]``, ``[20, 40)``, ``20-39`` or ``>=60``, sets as ``{a, b}``,
prefixes as ``479**`` and everything as ``*``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exactly:
    """This value and no other (None is NULL)."""

    value: str | None


@dataclass(frozen=True)
class OneOf:
    """One of these values, as written: a set, or a name whose members the release's hierarchy tells."""

    values: frozenset[str | None]
    written: str = ""


@dataclass(frozen=True)
class Between:
    """A number from `low` to `high`, ends included or not; None is no end."""

    low: float | None
    high: float | None
    low_included: bool = True
    high_included: bool = True


@dataclass(frozen=True)
class Prefix:
    """A text that begins like this; with `length`, one of that many characters."""

    stem: str
    length: int | None = None


@dataclass(frozen=True)
class Anything:
    """It says nothing: ``*``."""


Label = Exactly | OneOf | Between | Prefix | Anything
