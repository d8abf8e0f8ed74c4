"""What can go wrong, said so that the user can mend it.

Every message names the place, the rule and the repair, and never a person's record. One run reports all the
mistakes it can see at once. Exit codes: 1 = no such release is possible or a promise is broken, 2 = wrong use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Mistake:
    """One thing to mend.

    >>> print(Mistake("attributes.agee", "no such column", "did you mean 'age'?"))
    attributes.agee: no such column; did you mean 'age'?
    """

    place: str
    rule: str
    repair: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}" + (f"; {self.repair}" if self.repair else "")


class DiscreetError(Exception):
    """Base of all errors a user is expected to read; carries every mistake found."""

    exit_code = 2

    def __init__(self, *mistakes: Mistake | str):
        self.mistakes = tuple(m if isinstance(m, Mistake) else Mistake("discreet", m) for m in mistakes)
        super().__init__("\n".join(str(m) for m in self.mistakes))


class PolicyError(DiscreetError):
    """The policy asks for something that can't be meant."""


class DataError(DiscreetError):
    """The data can't be read, or does not fit the policy."""


class HierarchyError(DataError):
    """A hierarchy does not cover its column, or its levels do not nest."""


class ReleaseError(DiscreetError):
    """A release could not be written, or what was written does not keep its promise."""

    exit_code = 1


@dataclass(frozen=True)
class Witness:
    """The group that decides: how large it is, which promise it breaks and by how much. No values of people."""

    promise: str
    size: int
    level: float
    required: str

    def __str__(self) -> str:
        level = f"{int(self.level)}" if float(self.level).is_integer() else f"{self.level:.4g}"
        rows = "1 row" if self.size == 1 else f"{self.size:,} rows"
        return f"a group of {rows} reaches {level} where {self.promise} asks for {self.required}"


class Infeasible(DiscreetError):
    """No release keeps the promises within the suppression limit; says what came closest and which group decides."""

    exit_code = 1

    def __init__(self, message: str, *, closest: str = "", witness: Witness | None = None, repair: str = ""):
        self.closest, self.witness = closest, witness
        rule = message + (f"; closest: {closest}" if closest else "") + (f"; {witness}" if witness else "")
        super().__init__(Mistake("require", rule, repair))


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A repair for a misspelt word.

    >>> did_you_mean("agee", ["age", "zip"])
    "did you mean 'age'?"
    >>> did_you_mean("x", ["age", "zip"])
    "known are 'age', 'zip'"
    """
    known = list(known)
    close = get_close_matches(str(name), known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    first = ", ".join(repr(k) for k in known[:10])
    return f"known are {first}" + (f" and {len(known) - 10} more" if len(known) > 10 else "")


def offenders(values: Iterable[object], limit: int = 10) -> str:
    """Up to ten values, for a message.

    >>> offenders(range(12), limit=3)
    '0, 1, 2 and 9 more'
    """
    values = list(values)
    shown = ", ".join("NULL" if v is None else repr(v) if isinstance(v, str) else str(v) for v in values[:limit])
    return shown + (f" and {len(values) - limit} more" if len(values) > limit else "")


def shown(value: object) -> str:
    """A value as messages show it.

    >>> shown("x"), shown(None), shown({"a": 1}), shown(True)
    ("'x'", 'nothing', 'a mapping', 'true')
    """
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return repr(value if len(value) <= 60 else value[:57] + "…")
        case int() | float():
            return str(value)
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
    return f"a value of type {type(value).__name__}"


def unknown_word(place: str, word: object, known: Iterable[str]) -> Mistake:
    """A word that is none of those that may stand there."""
    return Mistake(place, f"no such word {shown(word)}", did_you_mean(word, known))
