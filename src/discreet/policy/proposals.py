"""Proposes what each column of a table is that nobody has described yet. What we are unsure of is marked.

A column published as it is can't be taken back, so a role in doubt is identifier (left out) or quasi_identifier (made
coarser), never other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from discreet.engines.profile import ColumnProfile
from discreet.errors import DataError, Mistake, shown
from discreet.hierarchies.dates import parse_date, suitable_levels
from discreet.hierarchies.numbers import Number, is_whole, parse
from discreet.policy.columns import Meaning, meaning_of, names_a_key
from discreet.policy.words import Role

FLAT = "{flat: true}"
_TAXONOMY = "a taxonomy (a CSV of value;group;…;*) would keep more of it"
_COMMA = "numbers with a comma; written with a point (1234.5) they could become bins or intervals"
_CATEGORIES = ("a place", "sex or gender", "origin", "language")  # 3 is not between 2 and 4 there
_FREE_TEXT = 40  # characters; what is longer is a sentence


@dataclass(frozen=True)
class Proposal:
    """What we take a column for, why, and whether the user has to decide."""

    profile: ColumnProfile
    role: Role
    why: str
    hierarchy: str = ""  # in YAML
    decide: bool = False
    question: str = ""  # what stops a run until it is decided


def proposals_of(profiles: Sequence[ColumnProfile]) -> list[Proposal]:
    """What each column of a table seems to be."""
    if not profiles:
        raise DataError(Mistake("source", "has no columns", "give a table about people"))
    twice = [name for name, count in Counter(p.name for p in profiles).items() if count > 1]
    if twice:
        raise DataError(*(Mistake("source", f"several columns are called {shown(n)}", "rename them") for n in twice))
    return [proposal(p) for p in profiles]


def proposal(profile: ColumnProfile) -> Proposal:
    """What a column seems to be, by its name first and by its values where the name says nothing."""
    meaning = meaning_of(profile.name)
    if profile.distinct <= 1 and not _surely_identifies(meaning):
        return _quasi(profile, "the same in all rows: tells none of them apart and costs nothing")
    texts = [value for value, _ in profile.values if value]
    texts = with_points(texts) or texts
    if texts and sum(map(len, texts)) > _FREE_TEXT * len(texts):
        return Proposal(profile, Role.IDENTIFIER, "long texts: they may name people", decide=True)
    if meaning is None:
        return _by_values(profile, texts)
    named = f"{meaning.what}, by its name"
    few = few_values(profile)
    if names_a_key(profile.name) and not few:
        return Proposal(profile, Role.IDENTIFIER, "a key, by its name")
    if meaning.role == Role.IDENTIFIER:
        if few and not _surely_identifies(meaning):
            return _quasi(profile, f"{named}, but it has few values", decide=True)
        return Proposal(profile, Role.IDENTIFIER, named)
    if meaning.role == Role.SENSITIVE:
        exact = known_values(profile) * 2 > profile.rows
        if exact and not _numbers(texts):
            why = f"{named}, but in nearly each row something else: it may name people"
            return Proposal(profile, Role.IDENTIFIER, why, decide=True)
        question = _found_by(profile) if exact else ""
        return Proposal(profile, Role.SENSITIVE, f"{named}; {_different(profile)}", decide=exact, question=question)
    return _quasi(profile, named, meaning)


def _by_values(profile: ColumnProfile, texts: list[str]) -> Proposal:
    """The name says nothing: the user has to decide, and we propose what gives least away."""
    numbers = _numbers(texts)
    dates = bool(texts) and all(parse_date(t) for t in texts)
    decimals = numbers and not all(is_whole(parse(t) or 0) for t in texts)
    if _unique(profile) and not dates and not decimals:
        return Proposal(profile, Role.IDENTIFIER, "a value of its own in each row: as good as a name")
    if not numbers and not dates and known_values(profile) > max(50, (profile.rows - profile.nulls) // 2):
        why = "nearly a value of its own in each row: it may single people out"
        return Proposal(profile, Role.IDENTIFIER, why, decide=True)
    return _quasi(profile, "its name says nothing to us", decide=True)


def _numbers(texts: list[str]) -> bool:
    return bool(texts) and all(parse(text) is not None for text in texts)


def with_points(texts: list[str]) -> list[str]:
    """Numbers with a decimal comma as a hierarchy reads them, with a point; nothing if they are something else.

    >>> with_points(["1,72", "2"]), with_points(["1,72", "Smith, Ann"]), with_points(["1", "2"])
    (['1.72', '2'], [], [])
    """
    commas = all(re.fullmatch(r"\s*[+-]?[0-9]{1,20}(,[0-9]{1,20})?\s*", text) for text in texts)
    return [text.replace(",", ".") for text in texts] if commas and any("," in text for text in texts) else []


def _quasi(profile: ColumnProfile, why: str, meaning: Meaning | None = None, *, decide: bool = False) -> Proposal:
    hierarchy, note = hierarchy_words(profile, meaning.what if meaning else "")
    why = "; ".join(part for part in (why, _different(profile), note) if part)
    return Proposal(profile, Role.QUASI_IDENTIFIER, why, hierarchy, decide)


def _surely_identifies(meaning: Meaning | None) -> bool:
    return meaning is not None and meaning.what == "a person's name"


def known_values(profile: ColumnProfile) -> int:
    """How many different values there are beside NULL."""
    return profile.distinct - (profile.nulls > 0)


def few_values(profile: ColumnProfile) -> bool:
    """Has it so few values that each stands for many rows?"""
    return known_values(profile) <= 100 and known_values(profile) * 10 <= profile.rows


def _unique(profile: ColumnProfile) -> bool:
    return 1 < known_values(profile) == profile.rows - profile.nulls


def _different(profile: ColumnProfile) -> str:
    missing = f", {profile.nulls:,} missing" if profile.nulls else ""
    return f"{known_values(profile):,} different value{'' if known_values(profile) == 1 else 's'}{missing}"


def _found_by(profile: ColumnProfile) -> str:
    """Why a sensitive column with so many values must not be published without a thought. No promise sees to it."""
    return (
        f"nearly each row has a value of its own ({known_values(profile):,} in {profile.rows:,} rows): who knows it "
        "finds the row, and l_diversity is kept by itself; round the values in the table, give it the role "
        "quasi_identifier, or leave it out"
    )


def hierarchy_words(profile: ColumnProfile, what: str = "") -> tuple[str, str]:
    """A hierarchy in YAML that suits the values, and a note for the user."""
    counts = {value: count for value, count in profile.values if value}
    if len(counts) <= 3:
        return FLAT, ""
    days = [day for day in map(parse_date, counts) if day]
    if len(days) == len(counts):
        return f"{{dates: [{', '.join(suitable_levels(days))}]}}", ""
    if all(re.fullmatch(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(\D.*)?", text) for text in counts):
        return FLAT, "written as 2024-03-05 or 05.03.2024 these dates could become months, quarters and years"
    code = what == "a postal code"
    if not code and not any(re.match(r"\s*[+-]?0[0-9]", text) for text in counts):
        numbers = [(parse(text), count) for text, count in counts.items()]
        known = [(number, count) for number, count in numbers if number is not None]
        if len(known) == len(counts):
            if what in _CATEGORIES and all(is_whole(number) for number, _ in known):
                return (
                    FLAT,
                    f"numbers that stand for something; {_TAXONOMY}",
                )
            return _number_words(known, listed=len(profile.values) >= profile.distinct)
        if len(known) * 2 > len(counts):
            return FLAT, "numbers, but for some values: without those it could become intervals"
    note = _COMMA if not code and with_points(list(counts)) else ""
    lengths = _prefix_lengths(list(counts), code)
    if lengths:
        return f"{{prefixes: {lengths}}}", note
    return FLAT, note or (_TAXONOMY if len(counts) > 10 else "")


def _number_words(numbers: list[tuple[Number, int]], *, listed: bool) -> tuple[str, str]:
    """Nested intervals of round widths; bins of equally many rows where the numbers are uneven or not all known."""
    numbers.sort()
    rows = list(accumulate(count for _, count in numbers))
    low, most, nearly, high = (numbers[bisect_left(rows, share * rows[-1])][0] for share in (0, 0.05, 0.95, 1))
    if not listed or not all(is_whole(number) for number, _ in numbers) or (nearly - most) * 4 < high - low:
        return "{quantiles: 16}", "bins of about equally many rows"
    span = int(high - low)
    width = next(u * 10**e for e in range(1000) for u in (1, 2, 5) if u * 10**e * 20 >= span)
    widths = [w for w in (width << i for i in range(6)) if w > 1 and w * 5 <= span * 3]
    return (f"{{intervals: {widths}}}" if widths else FLAT), ""


def _prefix_lengths(texts: list[str], code: bool) -> list[int]:
    """How many characters of a code to keep, level by level, so that each level has clearly fewer values."""
    longest = max(map(len, texts))
    if not code and (len({len(t) for t in texts}) > 1 or len(texts) <= 10):
        return []
    kept, lengths = len(texts), []
    for length in range(longest - 1, 0, -1):
        values = len({text[:length] for text in texts})
        if values > 1 and values * 4 < kept * 3:
            lengths.append(length)
            kept = values
    return lengths
