"""How ranges of values are written: ``20-39``, ``{a, b}``, ``*``.

Kept apart from the hierarchies so that everybody who writes or reads a published value uses the same forms.
"""

from __future__ import annotations

from collections.abc import Iterable

Value = str | None  # NULL is a value like any other

EVERYTHING = "*"
_TO = " to "
_DASH = "-"


def span(first: str, last: str) -> str:
    """A range from one value to another, both of them part of it.

    Where an end itself has a dash (negative numbers, dates) the word "to" keeps the two apart.

    >>> span("20", "39"), span("-20", "-1"), span("2024-03-05", "2024-04-01")
    ('20-39', '-20 to -1', '2024-03-05 to 2024-04-01')
    """
    return f"{first}{_TO if _DASH in first or _DASH in last else _DASH}{last}"


def possible_ends(text: str) -> Iterable[tuple[str, str]]:
    """Every pair of ends, neither of them empty, that `span` would write as `text`.

    >>> list(possible_ends("20-39")), list(possible_ends("-5 to 3"))
    ([('20', '39')], [('-5', '3')])
    """
    for sign in (_DASH, _TO):
        at = text.find(sign)
        while at >= 0:
            first, last = text[:at], text[at + len(sign) :]
            if first and last and span(first, last) == text:
                yield first, last
            at = text.find(sign, at + 1)


def set_text(members: Iterable[Value], braces: int = 1) -> str:
    """A set of values, written so that no two different lists look the same.

    A member that could be misread (commas, braces, quotes, spaces at its ends, nothing at all) is quoted; NULL is
    bare, the text "NULL" is quoted. More than one pair of braces is for tables in which a value looks like a set.

    >>> set_text(["a", "b c"]), set_text(["a, b", "", None])
    ('{a, b c}', '{"a, b", "", NULL}')
    """
    return "{" * braces + ", ".join(map(_member, members)) + "}" * braces


def braces_of(text: Value) -> int:
    """How many braces a text begins with."""
    return 0 if text is None else len(text) - len(text.lstrip("{"))


def leaf_of(text: Value) -> Value:
    """The value that a text of level 0 is; one that looks like ``*`` is published as a set of itself.

    >>> leaf_of("37"), leaf_of("{*}"), leaf_of("{a, b}")
    ('37', '*', '{a, b}')
    """
    braces = braces_of(text)
    return EVERYTHING if braces and text == set_text([EVERYTHING], braces) else text


def _member(value: Value) -> str:
    if value is None:
        return "NULL"
    if value in ("", "NULL") or value != value.strip() or any(c in value for c in ',{}"'):
        return '"' + value.replace('"', '""') + '"'
    return value
