"""A taxonomy to begin with, for the values of a column: by the structure of their codes where they have one.

A taxonomy is published with a release. So where a code system is known, everything that is *possible* is listed, and
not what occurs; where nothing is known of the values, all that can be listed are those of the table, and the draft says
so.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from discreet.errors import DiscreetError, Mistake, shown
from discreet.hierarchies.dates import parse_date
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.hierarchies.numbers import parse
from discreet.hierarchies.taxonomies.countries import NOTATIONS, countries, country, other_names
from discreet.hierarchies.taxonomies.icd10 import categories, parts_of

LARGEST = 100_000  # different values; nobody fills in a longer list
FEW = 20  # as many numbers may be the codes of answers
_KNOWN = 0.75  # of the different values: so many make a code system
_RARE = 0.01  # of the rows: what fewer have is put together
_NAMES = 2  # among the notations of countries
_STYLES: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    lambda name: name.replace(" ", "-"),
    lambda name: name.replace(" ", "_"),
)
_PARTS = re.compile(r"[.\-/_ ]")
_MADE_FROM_THE_TABLE = (
    "its values are those of the table, and a taxonomy is published with the release: it would tell that somebody has "
    "each of them. Add what is possible besides, and name groups by what their values have in common"
)


@dataclass(frozen=True)
class Draft:
    """Rows of a taxonomy (a value, its name on level 1, …, ``*``), how they were made, and what to think of."""

    rows: tuple[tuple[str, ...], ...]
    kind: str  # countries, icd10, parts, prefixes, values
    reason: str
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As a file, as ARX writes them: ``leaf;level1;…;*``.

        >>> Draft((("a;b", "x", "*"),), "values", "").text
        '"a;b";x;*\\n'
        """
        written = io.StringIO(newline="")
        # A carriage return would end the line for a reader, and the writer sees no need to quote it.
        quoted = any("\r" in cell for row in self.rows for cell in row)
        quoting: Literal[0, 1] = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        csv.writer(written, delimiter=";", lineterminator="\n", quoting=quoting).writerows(self.rows)
        return written.getvalue()


def draft_taxonomy(counts: Mapping[Value, int], column: str, *, rare: int | None = None) -> Draft:
    """A taxonomy for a column, whose values have so many rows each; a value that fewer than `rare` rows have is rare.

    NULL and the empty text are not listed: they have a branch of their own. Numbers and dates are refused with the
    words that suit them.

    >>> draft = draft_taxonomy({"DE": 50, "FR": 40, "JP": 3, None: 7}, "nation")
    >>> draft.kind, [row for row in draft.rows if row[0] in ("DE", "JP", "PE")]
    ('countries', [('PE', 'South America', 'America', '*'), ('JP', 'Eastern Asia', 'Asia', '*'), \
('DE', 'Western Europe', 'Europe', '*')])
    """
    filled = {value: rows for value, rows in counts.items() if value}
    if not filled:
        repair = "name a column that has some"
        raise DiscreetError(Mistake(f"column {shown(column)}", "has no values but NULL and the empty text", repair))
    if len(filled) > LARGEST:
        raise too_many(len(filled), column)
    _refuse_numbers_and_dates(filled, column)
    limit = rare if rare is not None else max(2, int(sum(filled.values()) * _RARE))
    for attempt in (_countries, _diagnoses, _by_parts, _by_prefixes):
        draft = attempt(filled, limit)
        if draft is not None:
            return draft
    return _by_rows(filled, limit)


def too_many(distinct: int, column: str) -> DiscreetError:
    """More values than anybody could list."""
    rule = f"has {distinct:,} different values; a taxonomy of more than {LARGEST:,} is not for people to fill in"
    repair = "write {prefixes: […]}, {intervals: […]} or {dates: […]} in the policy, or code the values first"
    return DiscreetError(Mistake(f"column {shown(column)}", rule, repair))


def _refuse_numbers_and_dates(filled: Mapping[str, int], column: str) -> None:
    place = f"column {shown(column)}"
    if all(parse_date(value) for value in filled):
        repair = "write hierarchy: {dates: [month, quarter, year]} in the policy"
        raise DiscreetError(Mistake(place, "has dates, which need no taxonomy", repair))
    if len(filled) > FEW and all(parse(value) is not None for value in filled) and not _one_length(filled):
        repair = "write hierarchy: {intervals: [5, 10, 20]} in the policy, with widths that suit them"
        raise DiscreetError(Mistake(place, "has numbers, which need no taxonomy", repair))


def _one_length(values: Mapping[str, int]) -> bool:
    """Are all of them digits, equally many: postcodes rather than quantities?"""
    lengths = {len(value) for value in values}
    return len(lengths) == 1 and min(lengths) >= 5 and all(value.isdigit() for value in values)


def _countries(filled: Mapping[str, int], rare: int) -> Draft | None:
    found = {value: place for value in filled if (place := country(value)) is not None}
    if len(found) < 2 or len(found) < _KNOWN * len(filled):
        return None
    notations = [notation for _, notation in found.values()]
    notation = max(range(len(NOTATIONS)), key=notations.count)
    called = [[row[notation], *(other_names(row[0]) if notation == _NAMES else ())] for row in countries()]
    if not any(value.casefold() in {name.casefold() for name in called[at][1:]} for value, (at, _) in found.items()):
        called = [names[:1] for names in called]
    style = max(_STYLES, key=lambda style: sum(value in map(style, called[at]) for value, (at, _) in found.items()))
    rows: list[tuple[str, ...]] = []
    strange = 0
    for i, row in enumerate(countries()):
        written = [value for value, (at, _) in found.items() if at == i]
        names = dict.fromkeys(map(style, called[i]))
        strange += sum(value not in names for value in written)
        rows += [(value, *row[3:], EVERYTHING) for value in dict.fromkeys([*names, *written])]
    others = [value for value in filled if value not in found]
    rows += _others(others, 2, {name for row in rows for name in row})
    notes = [f"all {len(countries())} countries are listed, whether they occur or not: that tells nothing of the table"]
    if strange:
        notes.append(
            f"those that are written otherwise in the table ({strange:,}) are listed as well, which tells that they "
            "occur"
        )
    if others:
        notes.append(f"values that are not countries ({len(others):,}) stand at the end, together")
    return Draft(tuple(rows), "countries", f"countries by {NOTATIONS[notation]}: region, continent", tuple(notes))


def _diagnoses(filled: Mapping[str, int], rare: int) -> Draft | None:
    found = {value: parts for value in filled if (parts := parts_of(value)) is not None}
    if len(found) < 3 or len(found) < _KNOWN * len(filled):
        return None
    dotted = any("." in value for value in found)
    longest = max(len(rest) for _, rest in found.values())
    possible = [(code, code) for code in categories()]
    if longest:  # every place behind the category that one digit can take
        sign = "." if dotted else ""
        possible += [(f"{code}{sign}{digit}", code) for code in categories() for digit in range(10)]
    listed = dict.fromkeys(possible)
    strange = [value for value, (code, _) in found.items() if (value, code) not in listed]
    listed |= dict.fromkeys((value, found[value][0]) for value in strange)
    deep = [
        (value, code) if longest else (value,) for value, code in sorted(listed, key=lambda leaf: (leaf[1], leaf[0]))
    ]
    rows = [(*path, *categories()[path[-1]], EVERYTHING) for path in deep]
    others = [value for value in filled if value not in found]
    rows += _others(others, len(rows[0]) - 2, {name for row in rows for name in row})
    notes = ["all codes that the chapters have room for are listed, whether they occur or not"]
    if strange:
        notes.append(
            f"codes of the table that are longer or written otherwise are listed as well ({len(strange):,}): these "
            "tell that somebody has them. Cut codes to four places in the table, or add the other possible ones"
        )
    if others:
        notes.append(f"values that are not codes ({len(others):,}) stand at the end, together")
    levels = "category, block, chapter" if longest else "block, chapter"
    return Draft(tuple(rows), "icd10", f"codes of ICD-10: {levels}", tuple(notes))


def _by_parts(filled: Mapping[str, int], rare: int) -> Draft | None:
    """Codes like 47-2061 or A.1.3: what stands before the last sign, level by level."""
    split = {value: _PARTS.split(value) for value in filled}
    widths = [len(parts) for parts in split.values()]
    width = max(set(widths), key=widths.count)
    coded = [value for value, parts in split.items() if len(parts) == width and all(parts) and _has_digits(value)]
    if not 2 <= width <= 6 or len(coded) < 3 or len(coded) < len(filled):
        return None
    heads: list[Callable[[str], str]] = [
        lambda value, kept=kept: _head(value, kept)  # type: ignore[misc]
        for kept in range(width - 1, 0, -1)
    ]
    if len({heads[0](value) for value in filled}) > 0.8 * len(filled):
        return None
    rows = [(value, *(f"{head(value)}…" for head in heads), EVERYTHING) for value in sorted(filled)]
    return Draft(tuple(rows), "parts", "codes with parts: what stands before each separator", (_MADE_FROM_THE_TABLE,))


def _head(value: str, kept: int) -> str:
    """The first parts of a code, with the signs between them."""
    ends = [match.start() for match in _PARTS.finditer(value)]
    return value[: ends[kept - 1]]


def _by_prefixes(filled: Mapping[str, int], rare: int) -> Draft | None:
    """Codes of one length, such as postcodes, that begin alike."""
    lengths = {len(value) for value in filled}
    if len(lengths) > 1 or len(filled) < 10 or not all(value.isalnum() and _has_digits(value) for value in filled):
        return None
    length = lengths.pop()
    steps = [kept for kept in range(length - 1, 0, -1) if len({value[:kept] for value in filled}) <= 0.7 * len(filled)]
    counted = {kept: len({value[:kept] for value in filled}) for kept in steps}
    steps = [kept for kept in steps if counted[kept] > 1 and counted[kept] != counted.get(kept + 1)]
    if not 3 <= length <= 12 or not steps:
        return None
    rows = [(value, *(value[:kept] + "*" * (length - kept) for kept in steps), EVERYTHING) for value in sorted(filled)]
    words = f"{{prefixes: [{', '.join(map(str, steps))}]}}"
    note = f"write hierarchy: {words} in the policy instead: it does the same and lists no values"
    return Draft(
        tuple(rows),
        "prefixes",
        "codes of one length: fewer and fewer of their first characters",
        (note, _MADE_FROM_THE_TABLE),
    )


def _by_rows(filled: Mapping[str, int], rare: int) -> Draft:
    """Nothing is known of the values: frequent ones stay apart, rare ones are put together."""
    common = sorted((value for value, rows in filled.items() if rows >= rare and value != EVERYTHING), key=_place)
    others = sorted((value for value in filled if value not in set(common)), key=_place)
    rows = [(value, value, EVERYTHING) for value in common] + _others(others, 1, set(filled))
    notes = [_MADE_FROM_THE_TABLE]
    if others:
        notes.append(
            f"which values are rare would be told, too: those that fewer than {rare:,} rows have each "
            f"({len(others):,}) are together. Sort them by what they mean"
        )
    if not others:
        notes.append("nothing is put together yet: write on level 1 what values have in common")
    if not common:
        notes.append("every value is rare, so that level 1 puts all of them together: is it a taxonomy that you need?")
    return Draft(tuple(rows), "values", "values as they are: frequent ones apart, rare ones together", tuple(notes))


def _others(values: Sequence[str], levels: int, taken: set[str]) -> list[tuple[str, ...]]:
    """What could not be placed, under one name that nothing else has."""
    names = ("other", "other values", *(f"other values {i}" for i in range(2, len(taken) + 3)))
    name = next(name for name in names if name not in taken)
    return [(value, *(name,) * levels, EVERYTHING) for value in sorted(values, key=_place)]


def _place(value: str) -> tuple[str, str]:
    return value.strip().casefold(), value


def _has_digits(value: str) -> bool:
    return any(c.isdigit() for c in value)
