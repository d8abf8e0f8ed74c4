"""How the texts of a published column are read: each tool has its own way to write an interval or a set.

``[20-39]`` ``[20, 40)`` ``(20, 40]`` ``[20, 40[`` ``20 to 39`` ``20..39`` ``20~39`` ``>=60`` ``≥60`` ``<20`` ``60+``
are intervals wherever they stand, ``{a, b}`` ``['a', 'b']`` ``a~b`` are sets, ``479**`` is a prefix, ``*`` everything.
What ``20-39``, ``a,b``, ``479*`` and ``2024-03`` are depends on the other values of the column: see `Column`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import compress

from discreet.audit.reading.labels import (
    NUMBER,
    Anything,
    Between,
    Exactly,
    Label,
    OneOf,
    Prefix,
    Text,
    covers,
    moment,
    number,
)

INTERVAL, SET, PREFIX, DATE, EXACT = KINDS = ("interval", "set", "prefix", "date", "exact")
STAR = "*"

_DASHES = re.compile(rf"\s*({NUMBER})\s*[-–—]\s*({NUMBER})\s*")
_SPAN = re.compile(r"\s*(.+?)\s*(?: to |\.\.+|~)\s*(.+?)\s*")
_BRACKETS = re.compile(r"\s*([\[(\]])\s*(.*?)\s*([\])\[])\s*", re.DOTALL)
_ENDS = re.compile(r"(.+?)\s*(?:[,;]|\.\.+|~| to )\s*(.+)", re.DOTALL)
_BOUND = re.compile(r"\s*(>=|<=|≥|≤|>|<)\s*(.+?)\s*")
_FROM = re.compile(rf"\s*({NUMBER})\s*\+\s*")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")
_YEARS = re.compile(r"([0-9]{4})(?:-([0-9]{4}))?")
_MEMBER = re.compile(r"""\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(,|$)""", re.DOTALL)
_CALLED_STAR = re.compile(r"\{+\*\}+")  # * means everything, so that is how a value of that name is published
_INFINITE = re.compile(r"[+-]?(?:inf|infinity|∞)", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """How the labels of one column are to be read.

    `names` are those of a hierarchy with the values they stand for. `dashes`: 20-39 is an interval. `commas`: a,b is a
    set. `masks`: each ``*`` stands for one character. `stars`: texts of nothing but ``*`` tell how long the value is.
    `ours`: it is written as our own releases are: sets have braces, only ``*`` is everything, and a value of one kind
    is not taken for one of another. `values`: what looks like a set, and is a value, since the set has more braces.
    """

    kind: str = ""
    names: Mapping[Text, frozenset[Text]] = field(default_factory=dict)
    dashes: bool = True
    commas: bool = False
    masks: bool = True
    stars: bool = False
    dates: bool = False
    days: bool = False
    suppressed: Text = STAR
    ours: bool = False
    values: frozenset[str] = frozenset()

    @cached_property
    def leaves(self) -> list[Text]:
        """All values that the hierarchy names."""
        return list({value for members in self.names.values() for value in members})


def column_of(
    texts: Iterable[Text],
    kind: str = "",
    paths: Sequence[Sequence[Text]] = (),
    *,
    level: int | None = None,
    suppressed: Text = STAR,
    days: bool = False,
    ours: bool = False,
) -> Column:
    """How a column with these distinct texts is to be read, if it is not said by its `kind`.

    `paths` are those of a hierarchy (a value, then what stands for it level by level), `level` the one that is
    published, if that is known. With `days`, a date stands for its whole day.
    """
    plain = [text for text in texts if text and text != suppressed and text.strip(STAR)]
    starred = {len(text) for text in texts if text and not text.strip(STAR)}
    dates = kind == DATE or (not kind and _are_dates(plain))
    return Column(
        kind=kind,
        names=_names(paths, plain, level, ours),
        dashes=kind == INTERVAL or (not kind and not dates and _are_intervals(plain)),
        commas=not ours and (kind == SET or (not kind and _are_sets(plain))),
        masks=kind == PREFIX or _are_masks(plain),
        stars=len(starred - {1}) > 1,
        dates=dates,
        days=days,
        suppressed=suppressed,
        ours=ours,
        values=frozenset({*plain} & {text[1:-1] for text in plain if text[0] == "{"}) if ours else frozenset(),
    )


_PLAIN = Column()


def parse(text: Text, column: Column = _PLAIN) -> Label:
    """What a published text says.

    >>> parse("20-39"), parse("[20, 40)")
    (Between(low=20.0, high=39.0, low_included=True, high_included=True, dates=False), \
Between(low=20.0, high=40.0, low_included=True, high_included=False, dates=False))
    >>> parse("479**"), parse("*"), parse(">50K"), parse(None)
    (Prefix(stem='479', length=5, mask=''), Anything(), Exactly(value='>50K'), Exactly(value=None))
    """
    if text == column.suppressed:
        return Anything()
    if not text or text in column.values:
        return Exactly(text)
    if column.ours and _CALLED_STAR.fullmatch(text):
        return Exactly(STAR)
    if not column.ours and not text.strip(STAR):
        return Prefix("", len(text)) if column.stars and len(text) > 1 else Anything()
    formed = Exactly(text) if column.kind == EXACT else _formed(text, column)
    members = column.names.get(text)
    if members is None:
        return formed
    if members == {text}:
        return Exactly(text)
    # An interval or a prefix says more than a list of the values that somebody knew of, if they mean the same.
    same = isinstance(formed, Between | Prefix) and {*compress(column.leaves, covers(formed, column.leaves))} == members
    return formed if same else OneOf(members, text)


def labels_of(texts: Sequence[Text], column: Column | None = None) -> tuple[Label, ...]:
    """The labels of a column's distinct texts.

    >>> labels_of(["A-12", "B-07"]), labels_of(["2020-01-05"])
    ((Exactly(value='A-12'), Exactly(value='B-07')), (Exactly(value='2020-01-05'),))
    """
    column = column or column_of(texts)
    return tuple(parse(text, column) for text in texts)


def _formed(text: str, column: Column) -> Label:
    """By the way it is written."""
    for read in _OURS.get(column.kind, _READ) if column.ours else _READ:
        label = read(text, column)
        if label is not None:
            return label
    if not column.ours and text.startswith("[") and text.endswith("]") and "," in text:
        return _one_of([part.strip() for part in text[1:-1].split(",")], (), text, column)
    if column.commas and "," in text:
        return _one_of([part.strip() for part in text.split(",")], (), text, column)
    return Exactly(text)


def _set(text: str, column: Column) -> Label | None:
    """``{a, b}`` with members quoted as in a CSV, ``['a', 'b']``, ``a~b``."""
    braces = len(text) - len(text.lstrip("{"))
    if braces and text.endswith("}" * braces):
        members = _members(text[braces:-braces], column.ours)
        return None if members is None else _one_of(*members, text, column)
    if column.ours:
        return None
    listed = text.startswith("['") and text.endswith("']")
    if listed or (text.startswith('["') and text.endswith('"]')):
        inside = [part.strip().strip("'\"") for part in text[1:-1].split(",")]
        return _one_of(inside, (), text, column) if len(inside) > 1 else parse(inside[0], column)
    ends = text.split("~")
    if len(ends) > 1 and all(ends) and any(number(end) is None for end in ends):
        return _one_of([end.strip() for end in ends], (), text, column)
    return None


def _members(inside: str, ours: bool) -> tuple[list[Text], set[Text]] | None:
    """The members that may be names or intervals themselves, and those that are values as they are.

    NULL is bare, the text NULL is quoted. Our own sets have two members or more, with a comma and a blank between them.
    """
    if not inside.strip():
        return None
    members: list[Text] = []
    exact: set[Text] = set()
    texts = []
    at, after = 0, ","
    while after:
        member = _MEMBER.match(inside, at)
        if member is None:
            return None
        quoted, plain, after = member.groups()
        if quoted is not None:
            exact.add(quoted.replace('""', '"'))
        elif plain == "NULL":
            exact.add(None)
        else:
            members.append(plain)
        texts.append(member[0].removesuffix(",").strip())
        at = member.end()
    if ours:
        return (members, exact) if len(texts) > 1 and ", ".join(texts) == inside else None
    if not exact and all(re.fullmatch(r"'[^']*'", str(member)) for member in members):  # a set as Python shows it
        return [], {str(member)[1:-1] for member in members}
    return members, exact


def _one_of(members: Sequence[Text], exact: Iterable[Text], text: str, column: Column) -> Label:
    """Members may be names or intervals themselves."""
    values = {*exact}
    if column.ours and column.kind not in (INTERVAL, DATE):
        return OneOf(frozenset({*members, *values}), text)
    if column.ours:  # an interval with a comma in it is quoted: [2, 4)
        intervals = {value for value in values if value is not None and _BRACKETS.fullmatch(value)}
        members, values = [*members, *intervals], values - intervals
    ranges = []
    inside = Column(names=column.names, dashes=column.dashes, dates=column.dates, ours=True)
    for member in members:
        label = parse(member, inside)
        if isinstance(label, Between):
            ranges.append(label)
        else:
            values |= label.values if isinstance(label, OneOf) else {member}
    return OneOf(frozenset(values), text, tuple(ranges))


def _interval(text: str, column: Column) -> Label | None:
    if (match := _BOUND.fullmatch(text)) is not None:
        end = _end(match[2])
        if end is None:
            return None
        at, dates, whole_day = end
        low, high = (at, None) if match[1] in (">", ">=", "≥") else (None, at)
        included = match[1] not in ("<", ">")
        if whole_day and match[1] in (">", "<=", "≤"):  # after, or up to, the end of that day
            low, high = (None, at + 1) if low is None else (at + 1, None)
            return Between(low, high, True, False, dates)
        return Between(low, high, included or low is None, included or high is None, dates)
    if (match := _FROM.fullmatch(text)) is not None:
        return Between(float(match[1]), None)
    if (match := _BRACKETS.fullmatch(text)) is not None and match[1] + match[3] != "](":
        ends = _ENDS.fullmatch(match[2]) or _DASHES.fullmatch(match[2])
        return None if ends is None else _between(ends[1], ends[2], match[1] == "[", match[3] == "]")
    if (match := _SPAN.fullmatch(text)) is not None:
        return _between(match[1], match[2])
    if column.dashes and (match := _DASHES.fullmatch(text)) is not None:
        return _between(match[1], match[2])
    return None


def _between(first: str, last: str, low_included: bool = True, high_included: bool = True) -> Between | None:
    low, high = _end(first), _end(last)
    if low is None or high is None:
        return None
    dates = low[1] or high[1]
    if dates and not all(end[1] or abs(end[0]) == float("inf") for end in (low, high)):
        return None
    top, included = (high[0] + 1, False) if high[2] and high_included else (high[0], high_included)
    ends = [None if abs(end) == float("inf") else end for end in (low[0], top)]
    return Between(ends[0], ends[1], low_included, included, dates) if low[0] <= top else None


def _end(text: str) -> tuple[float, bool, bool] | None:
    """An end of an interval, whether it is a date, and whether that is a whole day."""
    text = text.strip().strip("'\"")
    exact = number(text)
    if exact is not None:
        return exact, False, False
    if _INFINITE.fullmatch(text):
        return (float("-inf") if text.startswith("-") else float("inf")), False, False
    when = moment(text)
    return None if when is None else (when[0], True, not when[1])


def _dated(text: str, column: Column) -> Label | None:
    """Months, quarters, years and decades of dates, and from one of them to another."""
    if not column.dates:
        return None
    period = _period(text)
    if period is not None:
        return period
    if (span := _SPAN.fullmatch(text)) is not None:
        first, last = _period(span[1]), _period(span[2])
        ordered = first is not None and last is not None and (first.low or 0) <= (last.low or 0)
        return replace(first, high=last.high) if ordered and first is not None and last is not None else None
    when = moment(text)
    return Between(when[0], when[0] + 1, True, False, True) if when and column.days and not when[1] else None


def _period(text: str) -> Between | None:
    """A month, a quarter, a year, or several years.

    >>> _period("1925-02") == _period("1925-2"), _period("0001-Q1")
    (False, Between(low=1.0, high=91.0, low_included=True, high_included=False, dates=True))
    """
    if (match := _MONTH.fullmatch(text)) is not None:
        return _months(int(match[1]), int(match[2]), 1)
    if (match := _QUARTER.fullmatch(text)) is not None:
        return _months(int(match[1]), 3 * int(match[2]) - 2, 3)
    if (match := _YEARS.fullmatch(text)) is not None:
        return _months(int(match[1]), 1, 12 * (int(match[2] or match[1]) - int(match[1]) + 1))
    return None


def _months(year: int, month: int, many: int) -> Between | None:
    after = 12 * year + month - 1 + many
    if not (year >= 1 and many > 0 and after // 12 <= 9999):
        return None
    first, last = date(year, month, 1).toordinal(), date(after // 12, after % 12 + 1, 1).toordinal()
    return Between(float(first), float(last), True, False, True)


def _prefix(text: str, column: Column) -> Label | None:
    if STAR not in text:
        return None
    stem = text.rstrip(STAR)
    if column.ours:  # the end is hidden, and nothing else
        return Prefix(stem, len(text)) if stem != text else None
    if STAR in stem:
        return Prefix(stem[: stem.index(STAR)], len(text), text)
    return Prefix(stem, len(text) if column.masks else None)


# What else than exact values a column of ours may have, by its kind.
_READ = (_set, _interval, _dated, _prefix)
_OURS = {
    SET: (_set,),
    INTERVAL: (_set, _interval),
    DATE: (_set, _interval, _dated),
    PREFIX: (_set, _prefix),
}


def _names(
    paths: Sequence[Sequence[Text]], texts: Sequence[str], level: int | None, ours: bool
) -> dict[Text, frozenset[Text]]:
    """What each name of a hierarchy stands for, on the level that is published; else on any of them.

    In our own releases a value's name is that of nothing else, and what else has it is published as a set.
    """
    height = max(map(len, paths), default=0)
    if level is None:
        fits = (at for at in range(height) if {*texts} <= {path[min(at, len(path) - 1)] for path in paths})
        level = next(fits, None)
    leaves_of: dict[Text, set[Text]] = {}
    for path in paths:
        for name in path if level is None else [path[min(level, len(path) - 1)]]:
            leaves_of.setdefault(name, set()).add(path[0])
    if ours and level is None:
        leaves_of |= {path[0]: {path[0]} for path in paths}
    return {name: frozenset(leaves) for name, leaves in leaves_of.items() if name != STAR}


def _are_intervals(texts: Sequence[str]) -> bool:
    """Is 20-39 an interval here? Not among codes: 555-0123, 12-3, A-12."""
    for text in texts:
        match = _DASHES.fullmatch(text)
        if match is not None:
            low, high = match.groups()
            padded = len(low) != len(high) and any(re.match("0[0-9]", end) for end in (low, high))
            if float(low) > float(high) or padded:
                return False
        elif any(sign.isdigit() for sign in text) and not _is_measure(text):
            return False
    return True


def _is_measure(text: str) -> bool:
    return number(text) is not None or text.startswith("{") or _interval(text, Column(dashes=False)) is not None


def _are_sets(texts: Sequence[str]) -> bool:
    """Is a,b a set here? Without a blank after the comma; or if all parts are found elsewhere in the column.

    Not among numbers like 1,234.
    """
    joined = [text for text in texts if "," in text and text[0] not in "{[(]"]
    if all(re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+", text) for text in joined):
        return False
    if all(not re.search(r",\s", text) and "" not in text.split(",") for text in joined):
        return bool(joined)
    times: dict[str, int] = {}
    for text in texts:
        for part in {part.strip() for part in text.split(",")}:
            times[part] = times.get(part, 0) + 1
    return all(times[part.strip()] > 1 for text in joined for part in text.split(","))


def _are_masks(texts: Sequence[str]) -> bool:
    """Does each ``*`` stand for one character? Where there are several, or all values are as long."""
    ends = [len(text) - len(text.rstrip(STAR)) for text in texts]
    return max(ends, default=0) > 1 or len({len(text) for text in texts}) <= 1


def _is_part_of_year(text: str) -> bool:
    return bool(_MONTH.fullmatch(text) or _QUARTER.fullmatch(text))


def _are_dates(texts: Sequence[str]) -> bool:
    """Are there months or quarters, or ranges of days, and nothing but dates?"""
    coarse = False
    for text in texts:
        span = _SPAN.fullmatch(text)
        days = span is not None and all(moment(end) is not None or _is_part_of_year(end) for end in span.groups())
        if days or _MONTH.fullmatch(text) or _QUARTER.fullmatch(text):
            coarse = True
        elif not _YEARS.fullmatch(text) and moment(text) is None:
            return False
    return coarse
