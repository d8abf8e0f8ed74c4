"""Which values of the domain a published text stands for, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.errors import DataError, Mistake, offenders
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, Value
from discreet.hierarchies.texts import possible_ends

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_DATE = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?"
_POINT = re.compile(f"{_DATE}|{_NUMBER}")
_PLAIN = re.compile(rf"({_POINT.pattern})(?:\s*(?:-|–|~|\.\.)\s*| to )({_POINT.pattern})")
_BRACKETS = re.compile(rf"([\[(\]])\s*({_POINT.pattern})\s*(?:-|–|~|\.\.|,|;)\s*({_POINT.pattern})\s*([\])\[])")
_ABOVE = re.compile(rf"(>=|≥|>)\s*({_POINT.pattern})|({_POINT.pattern})\+")
_MEMBER = re.compile(r'(\s*"(?:[^"]|"")*"\s*|[^,]*),')
_BELOW = re.compile(rf"(<=|≤|<)\s*({_POINT.pattern})")
_PERIODS = {"month": re.compile(r"\d{4}-\d{2}"), "quarter": re.compile(r"\d{4}-Q\d"), "year": re.compile(r"\d{4}")}


def leaves_of(text: Value, hierarchy: Hierarchy) -> IntArray:
    """The leaf numbers that a published text stands for, ascending.

    Understood are, in this order: ``*``; a leaf; a name of a level (the widest, if the name is used more than once);
    ranges ``20-39``, ``[20-39]``, ``[20, 40)``, ``[20, 40[``; bounds ``>=90``, ``<20``, ``90+``; sets ``{a, b}``;
    masked characters ``479**``; the same number or date written otherwise (``39.0``). NULL is the leaf NULL or, where
    the domain has none, a value that was taken away: all leaves.

    >>> from discreet.hierarchies.build import build
    >>> from discreet.hierarchies.categories import Flat
    >>> ages = build("age", ["17", "20", "39", "40", "90"], Flat())
    >>> leaves_of("[20, 40)", ages)
    array([1, 2])
    """
    return read_published([text], hierarchy)[0]


def read_published(texts: Iterable[Value], hierarchy: Hierarchy) -> list[IntArray]:
    """`leaves_of` for all the texts of a column; one error that lists those nobody can understand."""
    texts = list(texts)
    domain = _Domain(hierarchy)
    leaves_of = [domain.read(text) for text in texts]
    strange = [text for text, leaves in zip(texts, leaves_of, strict=True) if not len(leaves)]
    if strange:
        raise DataError(
            Mistake(
                hierarchy.attribute,
                f"no telling which values {offenders(strange)} stand for",
                "give the hierarchy they come from",
            )
        )
    return leaves_of


def is_withheld(text: Value, hierarchy: Hierarchy) -> bool:
    """Does the text say nothing at all: ``*``, ``*****``, or NULL where NULL is no value of the domain?"""
    if text is None:
        return None not in hierarchy.index
    if text == EVERYTHING:
        return True
    return text != "" and not text.strip("*") and not any(text in names for names in hierarchy.labels)


@dataclass(frozen=True, eq=False)
class _Domain:
    """A hierarchy, prepared for reading many texts."""

    hierarchy: Hierarchy

    def read(self, text: Value) -> IntArray:
        """The leaves of a text; none if it can't be understood."""
        if is_withheld(text, self.hierarchy):
            return np.arange(len(self.hierarchy.leaves))
        return self._first_reading(text, (self._named, self._between, self._set, self._masked, self._point))

    def _first_reading(self, text: Value, readings: Iterable[Callable[[str], IntArray]]) -> IntArray:
        if text is None:
            return np.array([self.hierarchy.index[None]]) if None in self.hierarchy.index else _NONE
        answers = (reading(text) for reading in readings)
        return next((leaves for leaves in answers if len(leaves)), _NONE)

    def _named(self, text: str) -> IntArray:
        low, high = self._names.get(text, (0, -1))
        return np.arange(low, high + 1)

    @cached_property
    def _names(self) -> dict[Value, tuple[int, int]]:
        """What every name means: as we publish it, else the leaf, else the widest of the levels' values so called.

        The widest, so that a text never counts as more precise than it may be.
        """
        h = self.hierarchy
        nodes = [
            (name, (low, high))
            for names, first, last in zip(h.labels, h.first, h.last, strict=True)
            for name, low, high in zip(names, first.tolist(), last.tolist(), strict=True)
        ]
        narrow_to_wide = sorted(nodes, key=lambda node: node[1][1] - node[1][0])
        leaves: list[tuple[Value, tuple[int, int]]] = [(leaf, (i, i)) for i, leaf in enumerate(h.leaves)]
        ours = [(h.label(*ends), ends) for _, ends in nodes]
        return dict([*narrow_to_wide, *leaves, *ours])

    def _between(self, text: str) -> IntArray:
        """``a-b`` or ``a to b`` for two leaves of an ordered domain, whatever they look like; else for any points."""
        index = self.hierarchy.index
        if self.hierarchy.ordered:
            for first, last in possible_ends(text):
                low, high = index.get(first, 0), index.get(last, -1)
                if first in index and low <= high:
                    return self._with_equals(low, high)
                if len(inside := self._between_periods(first, last)):
                    return inside
        return self._between_points(text.strip())

    def _with_equals(self, low: int, high: int) -> IntArray:
        """From one leaf to another, with neighbours that are the same number written otherwise (3 and 3.0)."""
        points = self._points
        while low > 0 and points[low - 1] == points[low]:
            low -= 1
        while high + 1 < len(points) and points[high + 1] == points[high]:
            high += 1
        return np.arange(low, high + 1)

    def _between_periods(self, first: str, last: str) -> IntArray:
        """From one month, quarter or year of dates to another, both whole."""
        rule = self.hierarchy.rule
        kinds = {kind for kind, form in _PERIODS.items() if all(form.fullmatch(end) for end in (first, last))}
        if not isinstance(rule, Dates) or not kinds:
            return _NONE
        period = Dates((kinds.pop(),))
        names = [str(period.path(leaf)[0]) if leaf else "" for leaf in self.hierarchy.leaves]
        return np.flatnonzero([first <= name <= last for name in names])

    def _between_points(self, text: str) -> IntArray:
        if m := _PLAIN.fullmatch(text):
            return self._inside(_point(m[1]), _point(m[2]))
        if m := _BRACKETS.fullmatch(text):
            return self._inside(_point(m[2]), _point(m[3]), m[1] != "[", m[4] != "]")
        if m := _ABOVE.fullmatch(text):
            return self._inside(_point(m[2] or m[3]), np.inf, m[1] == ">")
        if m := _BELOW.fullmatch(text):
            return self._inside(-np.inf, _point(m[2]), False, m[1] == "<")
        return _NONE

    def _inside(self, low: float, high: float, above: bool = False, below: bool = False) -> IntArray:
        """Leaves between two points; strictly `above` the first, strictly `below` the second."""
        points = self._points
        after = points > low if above else points >= low
        before = points < high if below else points <= high
        return np.flatnonzero(after & before)

    @cached_property
    def _points(self) -> FloatArray:
        return np.array([_point(leaf) for leaf in self.hierarchy.leaves], dtype=np.float64)

    def _point(self, text: str) -> IntArray:
        return self._inside(_point(text), _point(text))

    def _set(self, text: str) -> IntArray:
        """``{a, b}``, also without braces. Leaves may hold commas and not be quoted: the longest fit counts."""
        text = bare = text.strip()
        while bare[:1] == "{" and bare[-1:] == "}":
            bare = bare[1:-1]
        if bare == text and "," not in text:
            return _NONE
        pieces, members, at = _MEMBER.findall(bare + ","), [], 0
        while at < len(pieces):
            for end in range(min(at + 1 + self._commas, len(pieces)), at, -1):
                member = self._member(",".join(pieces[at:end]))
                if len(member):
                    members.append(member)
                    at = end
                    break
            else:
                return _NONE
        return np.unique(np.concatenate(members))

    @cached_property
    def _commas(self) -> int:
        return max((leaf.count(",") for leaf in self.hierarchy.leaves if leaf), default=0)

    def _member(self, text: str) -> IntArray:
        bare = text.strip()
        spellings: list[Value] = [text.removeprefix(" "), bare]
        if not bare:  # nothing at all may be NULL or the empty string: never more precise than it may be
            return np.concatenate([self._first_reading(value, [self._named]) for value in (None, "")])
        if bare == "NULL":
            spellings.insert(0, None)
        elif len(bare) > 1 and bare[0] == bare[-1] == '"':
            spellings.insert(0, bare[1:-1].replace('""', '"'))
        elif len(bare) > 1 and bare[0] == bare[-1] == "'":
            spellings.append(bare[1:-1])
        answers = (self._first_reading(spelling, (self._named, self._between, self._point)) for spelling in spellings)
        return next((leaves for leaves in answers if len(leaves)), _NONE)

    def _masked(self, text: str) -> IntArray:
        """``479**``: a star hides one character; if no leaf fits that way, trailing stars hide any number of them."""
        text = text.strip()
        if "*" not in text:
            return _NONE
        hidden = tuple(i for i, c in enumerate(text) if c == "*")
        stem = text.rstrip("*")
        masked = self._masks(len(text), hidden).get(text, _NONE)
        return masked if len(masked) or "*" in stem else self._stems(len(stem)).get(stem, _NONE)

    def _masks(self, length: int, hidden: tuple[int, ...]) -> dict[str, IntArray]:
        """Leaves of a length by what they look like with some places hidden."""

        def mask(leaf: str) -> str:
            characters = list(leaf)
            for i in hidden:
                characters[i] = "*"
            return "".join(characters)

        return self._by((length, hidden), lambda leaf: mask(leaf) if len(leaf) == length else None)

    def _stems(self, length: int) -> dict[str, IntArray]:
        """Leaves by how they begin."""
        return self._by((length, None), lambda leaf: leaf[:length])

    def _by(self, kind: object, look: Callable[[str], str | None]) -> dict[str, IntArray]:
        if kind not in self._looks:
            leaves: dict[str, list[int]] = {}
            for i, leaf in enumerate(self.hierarchy.leaves):
                looks = None if leaf is None else look(leaf)
                if looks is not None:
                    leaves.setdefault(looks, []).append(i)
            self._looks[kind] = {looks: np.array(numbers) for looks, numbers in leaves.items()}
        return self._looks[kind]

    @cached_property
    def _looks(self) -> dict[object, dict[str, IntArray]]:
        return {}


_NONE: IntArray = np.empty(0, dtype=np.int64)


def _point(text: Value) -> float:
    """A number or a date as a place on a line; not a number if it is neither."""
    if text is None or not _POINT.fullmatch(text.strip()):
        return float("nan")
    try:
        return float(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:  # such as a 31st of June
        return float("nan")
    return moment.toordinal() + (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400
