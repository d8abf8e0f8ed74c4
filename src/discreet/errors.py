"""What can go wrong, said so that the user can mend it.

Every message names the place, the rule and the repair, and never a person's record. One run reports all the
mistakes it can see at once. Exit codes: 1 = no such release is possible or a promise is broken, 2 = wrong use, or what
should be judged could not be looked at. (3, nothing is broken but a promise could not be judged, is no error.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from discreet.addresses import without_credentials, without_passwords

_VALUE = 60  # characters of a value that a message shows
_TEXT = 800  # of one part of a message, whatever it quotes
_PLACE = 200
_LONGEST = 10_000  # characters in which a password is looked for; what follows is not shown
_LONG_QUOTE = re.compile(r"((?<!\w)(['\"])(?:(?!\2).){150})(?:(?!\2).)*(?:\2|$)", re.DOTALL)  # of any value
_MISTAKES = 100  # of one run; nobody reads more
SHOWN = 10  # mistakes of one kind, where there may be thousands
_CANDIDATES = 1000  # names among which a misspelt one is looked for


@dataclass(frozen=True)
class Mistake:
    """One thing to mend. Whatever it quotes: it stays short, and passwords of addresses are left out.

    >>> print(Mistake("attributes.agee", "no such column", "did you mean 'age'?"))
    attributes.agee: no such column; did you mean 'age'?
    >>> print(Mistake("host=db password=s3cret", "no such file"))
    host=db …: no such file
    """

    place: str
    rule: str
    repair: str = ""

    def __post_init__(self) -> None:
        for part, most in (("place", _PLACE), ("rule", _TEXT), ("repair", _TEXT)):
            text = without_passwords(getattr(self, part)[:_LONGEST], blanks=part == "place")
            object.__setattr__(self, part, shortened(_LONG_QUOTE.sub(r"\1…\2", text), most))

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}" + (f"; {self.repair}" if self.repair else "")


MOST_TOLD = 50  # mistakes: nobody mends more at once


def told_mistakes(mistakes: Sequence[Mistake]) -> list[Mistake]:
    """The mistakes that are told, and how many there are beside them."""
    more = len(mistakes) - MOST_TOLD
    return [*mistakes[:MOST_TOLD], *([Mistake("discreet", f"{more:,} more mistakes like these")] if more > 0 else [])]


class DiscreetError(Exception):
    """Base of all errors a user is expected to read; carries every mistake found, each with its place and repair.

    >>> import discreet
    >>> try:
    ...     discreet.policy_from_words({"attributes": {"age": {"role": "qid"}}, "require": []})
    ... except discreet.DiscreetError as error:
    ...     [mistake.place for mistake in error.mistakes]
    ['attributes.age.role', 'require']
    """

    exit_code = 2

    def __init__(self, *mistakes: Mistake | str):
        first = [m if isinstance(m, Mistake) else Mistake("discreet", m) for m in mistakes[:_MISTAKES]]
        if len(mistakes) > _MISTAKES:
            first.append(Mistake("discreet", f"there are {len(mistakes) - _MISTAKES:,} more mistakes"))
        self.mistakes = tuple(first)
        super().__init__("\n".join(str(m) for m in self.mistakes))


class PolicyError(DiscreetError):
    """The policy asks for something that can't be meant."""


class DataError(DiscreetError):
    """The data can't be read, or does not fit the policy."""


class HierarchyError(DataError):
    """A hierarchy does not cover its column, or its levels do not nest."""


class Unavailable(DataError):
    """What should be looked at could not be: no permission, a server that went away, a disk that fails.

    It says nothing about what would have been seen: who judges a release must not take it for a fault of the release.
    """


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
    "known: 'age', 'zip'"
    """
    known = [str(k) for k in known]
    close = closest(name, known)
    if close is not None:
        return f"did you mean {shown(close)}?"
    first = ", ".join(shown(k) for k in known[:10])
    return f"known: {first}" + (f" and {len(known) - 10:,} more" if len(known) > 10 else "")


def closest(name: object, known: Iterable[str]) -> str | None:
    """The name that was probably meant. Comparing texts is slow, so long ones and far too many are not compared.

    >>> closest("agee", ["age", "zip"]), closest("x" * 10**6, ["age", "zip"])
    ('age', None)
    """
    text = name[0] if isinstance(name, list) and len(name) == 1 else name  # a role in brackets
    text = text if isinstance(text, str) else shown(text)
    if len(text) > _PLACE:
        return None
    candidates = [k for k in known if len(k) <= 3 * len(text) and len(text) <= 3 * len(k)]
    if len(candidates) > _CANDIDATES:
        candidates = [k for k in candidates if k[:1].casefold() == text[:1].casefold()][:_CANDIDATES]
    return next(iter(get_close_matches(text, candidates, n=1, cutoff=0.6)), None)


def offenders(values: Iterable[object], limit: int = 10) -> str:
    """Up to ten values, for a message.

    >>> offenders(range(12), limit=3)
    '0, 1, 2 and 9 more'
    """
    values = list(values)
    named = ", ".join("NULL" if v is None else shown(v) for v in values[:limit])
    return named + (f" and {len(values) - limit:,} more" if len(values) > limit else "")


def shown(value: object) -> str:
    """A value as messages show it: short, without passwords, and of several lines the first. (A quote too many in a
    CSV makes one name of its header and somebody's record.)

    >>> shown("x"), shown(None), shown({"a": 1}), shown(True), shown(10**400)
    ("'x'", 'nothing', 'a mapping', 'true', 'a number of 401 digits')
    >>> shown(" postgresql://ann:s3cret@db.example/clinic")
    "' postgresql://db.example/clinic'"
    >>> shown("zip,disease\\nAnn,47906,flu")
    "'zip,disease…'"
    """
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            line, sign, _ = value[:_LONGEST].partition("\n")
            return repr(shortened(without_credentials(line) + "…" * bool(sign), _VALUE))
        case int():
            return str(value) if abs(value) < 10**_VALUE else f"a number of {_digits(value):,} digits"
        case float():
            return str(value)
        case Mapping():
            return "a mapping" if value else "an empty mapping"
        case list() | tuple():
            return "a list" if value else "an empty list"
    return f"a value of type {type(value).__name__}"


def shortened(text: str, most: int) -> str:
    """A text, or its beginning if it is longer than `most`.

    >>> shortened("abcdef", 6), shortened("abcdefg", 6)
    ('abcdef', 'abcde…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def shown_path(path: object) -> str:
    """A path as messages show it: of a long one the end, where the name of the file is.

    >>> shown_path("study/nation.csv"), shown_path("x" * 90 + "/nation.csv")[-12:]
    ("'study/nation.csv'", "/nation.csv'")
    """
    text = without_credentials(str(path)[-_LONGEST:].partition("\n")[0])
    return repr(text if len(text) <= _VALUE else "…" + text[1 - _VALUE :])


def unknown_word(place: str, word: object, known: Iterable[str]) -> Mistake:
    """A word that is none of those that may stand there."""
    return Mistake(place, f"no such word {shown(word)}", did_you_mean(word, known))


def _digits(number: int) -> int:
    """How many digits a large number has, without writing them (Python refuses to write more than some thousand).

    >>> _digits(10**60), _digits(10**60 - 1)
    (61, 60)
    """
    digits = int((abs(number).bit_length() - 1) * 0.30102999566398120)  # this, or one less
    return digits + 1 if abs(number) < 10 ** (digits + 1) else digits + 2
