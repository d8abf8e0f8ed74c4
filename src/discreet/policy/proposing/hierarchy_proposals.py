"""Which hierarchy suits the values of a column that nobody has described yet."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from discreet.engines.profile import ColumnProfile
from discreet.hierarchies.dates import parse_date, suitable_levels
from discreet.hierarchies.numbers import Number, is_whole, parse
from discreet.policy.proposing.codes import why_codes

FLAT = "{flat: true}"
FLAT_SETS = "{flat: true, sets: true}"
_TAXONOMY = "a taxonomy (a CSV of value;group;…;*) would keep more of it"
_COMMA = "numbers with a comma; written with a point (1234.5) they could become bins or intervals"


def with_points(texts: list[str]) -> list[str]:
    """Numbers with a decimal comma as a hierarchy reads them, with a point; nothing if they are something else.

    >>> with_points(["1,72", "2"]), with_points(["1,72", "Smith, Ann"]), with_points(["1", "2"])
    (['1.72', '2'], [], [])
    """
    commas = all(re.fullmatch(r"\s*[+-]?[0-9]{1,20}(,[0-9]{1,20})?\s*", text) for text in texts)
    return [text.replace(",", ".") for text in texts] if commas and any("," in text for text in texts) else []


def hierarchy_words(profile: ColumnProfile, what: str = "") -> tuple[str, str]:
    """A hierarchy in YAML that suits the values, and a note for the user; `what` the column's name says."""
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
            codes = why_codes(profile.name, what, dict(known))
            if codes:
                lengths = _prefix_lengths(list(counts), code=False) if what == "education or work" else []
                note = codes if lengths or len(counts) <= 10 else f"{codes}; {_TAXONOMY}"
                return (f"{{prefixes: {lengths}}}" if lengths else FLAT), note
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
