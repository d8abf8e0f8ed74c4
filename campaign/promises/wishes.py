"""What people ask to be hidden, in a column of the table: cells as people write them, and what they mean.

A cell is read here by splitting it by hand; what it asks for is said in the words of a policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from campaign.promises.case import Case, Value

Wish = Any  # a predicate in the words of a policy: flu, [flu, cough], {not: flu}, {not: [flu, cough]}, {each: true}
COLUMN = "wish"
ODD = ("each", "not well", "a | b", "{c}", "d, e", 'f "g"', "'h'", " i", "Not")  # values that need care in a cell
_SIGNS = set('|{},"')
STRANGE = "Qx7"  # in no table: a message that has it repeats what somebody wrote
_BAD = (
    "{Qx7",
    "Qx7 |",
    'Qx7, "1"',
    "not each",
    "not",
    '"Qx7',
    "{Qx7 1,}",
    "| Qx7",
    "Qx7",
    "{}",
    'not "Qx7"',
    'x "Qx7"',
)


def one_by_one(promise: Mapping[str, Any]) -> bool:
    """Is a group judged by what its own rows ask for?"""
    said = wishes_of(promise)
    return said is not None and said["wishes"] is True


def wishes_of(promise: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a promise says of wishes, if it reads them."""
    [about] = promise.values()
    said = about.get("predicates")
    return said if isinstance(said, Mapping) else None


def for_these(promise: Mapping[str, Any], wishes: Sequence[Wish]) -> Mapping[str, Any] | None:
    """The promise with these wishes written out, and what it lists for everybody; None if that is nothing.

    >>> for_these({"realistic": {"class": "II", "predicates": {"wishes": True, "also": ["flu"]}}}, ["cough"])
    {'realistic': {'class': 'II', 'predicates': ['flu', 'cough']}}
    """
    said = wishes_of(promise)
    assert said is not None
    [(word, about)] = promise.items()
    listed = [*(said.get("also") or ()), *wishes]
    return {word: {**about, "predicates": listed}} if listed else None


# --- reading ---------------------------------------------------------------------------------------------------------


def read(cell: Value) -> list[Wish] | None:
    """What a cell asks for; None if nobody can say.

    >>> read('HIV | {ulcer, "a, b"} | not cancer | EACH')
    ['HIV', ['ulcer', 'a, b'], {'not': 'cancer'}, {'each': True}]
    >>> read(" "), read("HIV |"), read('not {"a"}')
    ([], None, [{'not': ['a']}])
    """
    if cell is None or not cell.strip():
        return []
    parts = _split(cell, "|")
    wishes = None if parts is None else [_wish(part.strip()) for part in parts]
    return None if wishes is None or None in wishes else wishes


def _wish(text: str) -> Wish | None:
    if text.casefold() == "each":
        return {"each": True}
    head, rest = text[:3].casefold(), text[3:]
    if head == "not" and (not rest or rest[0] in ' {"'):
        meant = None if rest.strip().casefold() == "each" else _named(rest.strip())
        return None if meant is None else {"not": meant}
    return _named(text)


def _named(text: str) -> str | list[str] | None:
    """A value, or a set of them."""
    if not text.startswith("{"):
        return _plain(text)
    parts = _split(text[1:-1], ",") if text.endswith("}") else None
    values = None if parts is None else [_plain(part.strip()) for part in parts]
    return None if values is None or None in values else [str(value) for value in values]


def _plain(text: str) -> str | None:
    if len(text) > 1 and text[0] == text[-1] == '"':
        inside = text[1:-1].replace('""', "")
        return None if '"' in inside else text[1:-1].replace('""', '"')
    return None if not text or set(text) & _SIGNS else text


def _split(text: str, sign: str) -> list[str] | None:
    """Cut at a sign that is not within quotes; None if quotes stay open."""
    parts, inside = [""], False
    for letter in text:
        inside ^= letter == '"'
        if letter == sign and not inside:
            parts.append("")
        else:
            parts[-1] += letter
    return None if inside else parts


def values_in(wish: Wish) -> set[str]:
    """The values that a wish names."""
    if isinstance(wish, Mapping):
        return set() if "each" in wish else values_in(wish["not"])
    return set(wish) if isinstance(wish, list) else {wish}


def why_refused(case: Case) -> Iterator[str]:
    """What a policy with wishes is to be refused for before anything is searched."""
    promises = [promise for promise in case.words["require"] if wishes_of(promise) is not None]
    if not promises:
        return
    publish = case.words.get("publish", "generalization")
    if publish != "generalization" and any(map(one_by_one, promises)):
        yield f"{publish} can't keep what each row asks for"
    if str(case.words.get("search", "")).startswith("instant"):
        yield "a summary does not tell what rows ask for"
    cells = case.wishes
    if any(not is_good(case, cell) for cell in cells):
        yield "a wish can't be meant"
    elif any(not wishes_of(promise).get("also") for promise in promises) and not any(map(read, cells)):  # type: ignore[union-attr]
        yield "nobody asks for anything"


def is_good(case: Case, cell: Value) -> bool:
    """Can it be read, and does it name values of the protected column alone? `not x` may not be a value, too."""
    wishes = read(cell)
    values = set(case.sensitive_values(protected(case)))
    if wishes is None or any(values_in(wish) - values for wish in wishes):
        return False
    parts = [part.strip() for part in _split(cell or "", "|") or ()]
    return not any(part in values and part[:3].casefold() == "not" for part in parts)


def protected(case: Case) -> str:
    """The column that wishes are about."""
    for promise in case.words["require"]:
        [about] = promise.values()
        if wishes_of(promise) is not None:
            return str(about.get("attribute", case.sensitive[0]))
    raise LookupError


# --- drawing ---------------------------------------------------------------------------------------------------------


def cells(random: Random, values: Sequence[str], count: int) -> tuple[Value, ...]:
    """A column of wishes: few or many ask, for one thing or for several."""
    asking = random.choice((0.15, 0.3, 0.6, 1.0))
    some = random.sample(values, min(len(values), random.choice((1, 2, 5))))
    return tuple(
        _cell(random, [_drawn(random, some) for _ in range(random.choice((1, 1, 1, 2)))], values)
        if random.random() < asking
        else random.choice((None, None, "", "  "))
        for _ in range(count)
    )


def bad_cell(random: Random) -> str:
    """One that nobody can mean."""
    return random.choice(_BAD)


def _drawn(random: Random, values: Sequence[str]) -> Wish:
    several = random.sample(values, min(2, len(values)))
    return random.choice(
        (values[0], random.choice(values), several, {"not": values[-1]}, {"not": several}, {"each": True})
    )


def _cell(random: Random, wishes: Sequence[Wish], values: Sequence[str]) -> str:
    """Wishes as somebody may write them."""

    def value(name: str, always: bool = False) -> str:
        plain = not set(name) & _SIGNS and name == name.strip() and name.casefold()[:3] not in ("eac", "not")
        return name if plain and not always and random.random() < 0.7 else '"' + name.replace('"', '""') + '"'

    def named(what: Any, always: bool = False) -> str:
        space = random.choice(("", " "))
        if isinstance(what, list):
            return "{" + f",{space}".join(map(value, what)) + space + "}"
        return value(what, always)

    # Where a value is called "not …", a negation has to be told from it.
    doubtful = any(name.casefold().startswith("not") for name in values)
    parts = []
    for wish in wishes:
        if not isinstance(wish, Mapping):
            parts.append(named(wish))
        elif "each" in wish:
            parts.append(random.choice(("each", "Each", " each")))
        else:
            parts.append(f"{random.choice(('not', 'NOT'))} {named(wish['not'], doubtful)}")
    return random.choice((" | ", "|")).join(parts)
