"""Intervals for numbers: nested widths, or cut points level by level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from discreet.errors import HierarchyError, Mistake, offenders, shortened
from discreet.hierarchies.base import too_many_levels
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.hierarchies.numbers import LONGEST, Number, NumberRule, interval, is_whole, number, plain, simplest, word


@dataclass(frozen=True)
class Intervals(NumberRule):
    """Intervals of one width per level, all counted from `origin`; each width a multiple of the one before.

    A number is in the interval [origin + i·width, origin + (i + 1)·width). Numbers from `top` on are ``>=top`` and
    numbers up to `bottom` are ``<=bottom`` on every level but the first (top and bottom coding); the intervals beside
    them end there. Whole numbers are written ``20-39``; with `decimals` (implied by a parameter that has some) the
    same interval is ``[20, 40)``.

    >>> Intervals((5, 20), top=90).path("37"), Intervals((5, 20), top=90).path("95")
    (('35-39', '20-39'), ('>=90', '>=90'))
    >>> Intervals((2.5, 5)).path("22.5")
    ('[22.5, 25)', '[20, 25)')
    """

    widths: tuple[Number, ...]
    origin: Number = 0
    bottom: Number | None = None
    top: Number | None = None
    decimals: bool = False

    def __post_init__(self) -> None:
        mistakes: list[Mistake] = []
        widths = _numbers(self.widths, "intervals", mistakes)
        ends: dict[str, Number | None] = {"bottom": None, "top": None}
        origin = _number(self.origin, "origin", mistakes)
        for end in ends:
            if getattr(self, end) is not None:
                ends[end] = _number(getattr(self, end), end, mistakes)
        long = _long(widths, "intervals") + _long([origin], "origin")
        long += [mistake for end, value in ends.items() if value is not None for mistake in _long([value], end)]
        if long:
            raise HierarchyError(*mistakes, *long)
        mistakes += too_many_levels(len(widths), "intervals")
        narrow = [plain(w) for w in widths if w <= 0]
        if narrow:
            mistakes.append(Mistake("intervals", f"a width must be above 0, got {', '.join(narrow)}", "remove it"))
        for fine, coarse in pairwise(widths):
            if not narrow and (coarse <= fine or not _divides(fine, coarse)):
                rule = f"intervals of width {plain(fine)} don't nest in intervals of width {plain(coarse)}"
                mistakes.append(Mistake("intervals", rule, "make each width a multiple of the one before"))
        bottom, top = ends["bottom"], ends["top"]
        if bottom is not None and top is not None and bottom >= top:
            rule = f"must be above bottom, got {plain(top)} where bottom is {plain(bottom)}"
            mistakes.append(Mistake("top", rule, "swap the two, or remove one"))
        if mistakes:
            raise HierarchyError(*mistakes)
        numbers = [n for n in (*widths, origin, bottom, top) if n is not None]
        _set(self, widths=widths, origin=origin, bottom=bottom, top=top)
        _set(self, decimals=bool(self.decimals) or not all(map(is_whole, numbers)))

    @property
    def between(self) -> int:
        return len(self.widths)

    def _climb(self, value: str) -> tuple[Value, ...]:
        exact = self._number(value)
        if self.top is not None and exact >= self.top:
            return (f">={plain(self.top)}",) * self.between
        if self.bottom is not None and exact <= self.bottom:
            return (f"<={plain(self.bottom)}",) * self.between
        numerator, denominator = exact.as_integer_ratio()
        _, scale, origin, widths = self._scaled
        narrowest = (numerator * scale - origin * denominator) // (denominator * widths[0])
        path = self._known.get(narrowest)
        if path is None:
            nested = [(narrowest // (width // widths[0]), width) for width in widths]
            path = self._known[narrowest] = tuple(self._name(origin + i * width, width) for i, width in nested)
        return path

    @cached_property
    def _scaled(self) -> tuple[int, int, int, tuple[int, ...]]:
        """Origin and widths as whole multiples of a power of ten, so that no boundary can slip by rounding."""
        places = max(_places(n) for n in (self.origin, *self.widths))
        return (
            places,
            10**places,
            _times(self.origin, 10**places),
            tuple(_times(width, 10**places) for width in self.widths),
        )

    @cached_property
    def _known(self) -> dict[int, tuple[str, ...]]:
        """The paths met so far, by the number of the narrowest interval: many values share one."""
        return {}

    def _name(self, start: int, width: int) -> str:
        if (start, width) not in self._names:
            self._names[start, width] = self._write(start, width)
        return self._names[start, width]

    @cached_property
    def _names(self) -> dict[tuple[int, int], str]:
        return {}

    def _write(self, start: int, width: int) -> str:
        places = self._scaled[0]
        low, high = (simplest(Decimal(f"{n}E-{places}")) for n in (start, start + width))
        above = self.bottom is not None and self.bottom >= low
        low = self.bottom if self.bottom is not None and above else low
        high = high if self.top is None else min(high, self.top)
        return interval(low, high, decimals=self.decimals, above=above)

    @property
    def unit(self) -> int:
        """Whole numbers one by one are no intervals: ranges of them would end at somebody's."""
        coarse = (level for level, width in enumerate(self.widths, start=1) if self.decimals or width > 1)
        return next(coarse, self.between + 1)

    def joined(self, first: str, last: str, level: int) -> tuple[str, ...]:
        """
        >>> Intervals((5, 20), top=90).joined("22", "33", 1), Intervals((5, 20), top=90).joined("87", "93", 1)
        (('20-34',), ('>=85',))
        >>> Intervals((2.5,), bottom=10).joined("4", "16", 1), Intervals((5,), bottom=10, top=90).joined("9", "95", 1)
        (('<17.5',), ('<=10', '>10'))
        """
        low, high = self._number(first), self._number(last)
        if self.bottom is not None and high <= self.bottom:
            return (f"<={plain(self.bottom)}",)
        if self.top is not None and low >= self.top:
            return (f">={plain(self.top)}",)
        start, end = self._sides(low, level)[0], self._sides(high, level)[1]
        above = self.bottom is not None and start <= self.bottom
        start = self.bottom if self.bottom is not None and above else start
        end = end if self.top is None else min(end, self.top)
        below = self.bottom is not None and low <= self.bottom
        beyond = self.top is not None and high >= self.top
        # Open ends are written alike with and without decimals, so that they don't tell whether there are some.
        from_start = f"{'>' if above else '>='}{plain(start)}"
        if below and beyond:
            return (f"<={plain(start)}", from_start)
        if below:
            return (f"<{plain(end)}",)
        return (from_start if beyond else interval(start, end, decimals=self.decimals, above=above),)

    def stand_in(self, value: str, level: int) -> str:
        """
        >>> [Intervals((5, 20), bottom=12, top=90).stand_in(value, 1) for value in ("37", "95", "7", "14")]
        ['35', '90', '12', '13']
        """
        exact = self._number(value)
        if self.top is not None and exact >= self.top:
            return plain(self.top)
        if self.bottom is not None and exact <= self.bottom:
            return plain(self.bottom)
        start, end = self._sides(exact, level)
        if self.bottom is None or start > self.bottom:
            return plain(start)
        end = end if self.top is None else min(end, self.top)
        return plain(self.bottom + 1 if self.bottom + 1 < end else simplest((Decimal(self.bottom) + Decimal(end)) / 2))

    def _sides(self, exact: Number, level: int) -> tuple[Number, Number]:
        """Where the interval of a level that a number is in begins, and where the next one does."""
        numerator, denominator = exact.as_integer_ratio()
        places, scale, origin, widths = self._scaled
        width = widths[level - 1]
        start = origin + (numerator * scale - origin * denominator) // (denominator * width) * width
        low, high = (simplest(Decimal(f"{n}E-{places}")) for n in (start, start + width))
        return low, high

    def to_words(self) -> object:
        words: dict[str, object] = {"intervals": [word(w) for w in self.widths], "origin": word(self.origin)}
        for end, value in (("bottom", self.bottom), ("top", self.top)):
            if value is not None:
                words[end] = word(value)
        return words | {"decimals": self.decimals}


@dataclass(frozen=True)
class Cuts(NumberRule):
    """Intervals between given cut points, level by level; each level keeps only some of the cuts before it.

    A number equal to a cut belongs to the interval above it.

    >>> Cuts(((18, 40, 65), (40,))).path("18"), Cuts(((18, 40, 65), (40,))).path("70")
    (('18-39', '<40'), ('>=65', '>=40'))
    """

    levels: tuple[tuple[Number, ...], ...]
    decimals: bool = False

    def __post_init__(self) -> None:
        mistakes: list[Mistake] = []
        if not isinstance(self.levels, Sequence) or isinstance(self.levels, str | bytes) or not self.levels:
            raise HierarchyError(
                Mistake("cuts", "needs a list of cut points for each level", "e.g. [[18, 40, 65], [40]]")
            )
        mistakes += too_many_levels(len(self.levels), "cuts")
        if mistakes:
            raise HierarchyError(*mistakes)
        levels = [_numbers(cuts, f"cuts[{i}]", mistakes) for i, cuts in enumerate(self.levels)]
        for i, cuts in enumerate(levels):
            if any(a >= b for a, b in pairwise(cuts)):
                mistakes.append(Mistake(f"cuts[{i}]", "cut points must increase", "sort them and remove repetitions"))
        for i, (fine, coarse) in enumerate(pairwise(levels)):
            known = set(fine)
            strange = [plain(c) for c in coarse if c not in known]
            if strange:
                named = ", ".join(shortened(c, 60) for c in strange[:10])
                rule = f"doesn't nest in the level before, which is not cut at {named}"
                mistakes.append(Mistake(f"cuts[{i + 1}]", rule, "use only cut points of the level before"))
            elif fine and set(coarse) == set(fine):
                mistakes.append(Mistake(f"cuts[{i + 1}]", "is the same as the level before", "remove it"))
        if mistakes:
            raise HierarchyError(*mistakes)
        _set(self, levels=tuple(levels))
        _set(self, decimals=bool(self.decimals) or not all(is_whole(c) for cuts in levels for c in cuts))

    @property
    def between(self) -> int:
        return len(self.levels)

    def _climb(self, value: str) -> tuple[Value, ...]:
        return self._paths[bisect_right(self.levels[0], self._number(value))]

    @cached_property
    def _paths(self) -> tuple[tuple[str, ...], ...]:
        """The names above each interval of the finest level."""
        lowest = tuple(self._name(cuts, 0) for cuts in self.levels)
        others = (tuple(self._name(cuts, bisect_right(cuts, c)) for cuts in self.levels) for c in self.levels[0])
        return (lowest, *others)

    unit = 1

    def joined(self, first: str, last: str, level: int) -> tuple[str, ...]:
        """
        >>> ages = Cuts(((18, 40, 65), (40,)))
        >>> ages.joined("20", "70", 1), ages.joined("20", "50", 1), ages.joined("5", "70", 1)
        (('>=18',), ('18-64',), ('<18', '>=18'))
        """
        low, high = self.sides(first, last, level)
        if low is high:  # all numbers, and yet not everything: NULL is none
            lowest = self.levels[level - 1][0]
            return self.name_between(None, lowest), self.name_between(lowest, None)
        return (self.name_between(low, high),)

    def stand_in(self, value: str, level: int) -> str:
        """
        >>> [Cuts(((18, 40, 65), (40,))).stand_in(value, 1) for value in ("5", "20", "70")]
        ['17', '18', '65']
        """
        low, high = self.sides(value, value, level)
        if low is None:
            return "0" if high is None else plain(high - 1)
        return plain(low)

    def sides(self, first: str, last: str, level: int) -> tuple[Number | None, Number | None]:
        """The cuts of a level around two values and all between them; None where there is none."""
        cuts = self.levels[level - 1]
        below, above = bisect_right(cuts, self._number(first)), bisect_right(cuts, self._number(last))
        return cuts[below - 1] if below else None, cuts[above] if above < len(cuts) else None

    def _name(self, cuts: tuple[Number, ...], at: int) -> str:
        return self.name_between(cuts[at - 1] if at else None, cuts[at] if at < len(cuts) else None)

    def name_between(self, low: Number | None, high: Number | None) -> str:
        """The name of the interval from one cut to another; None where it is open."""
        if low is None or high is None:
            return EVERYTHING if low is high else f"<{plain(high)}" if high is not None else f">={plain(low)}"  # type: ignore[arg-type]
        return interval(low, high, decimals=self.decimals)

    def renamed(self, name: Value) -> Value:
        """What this rule calls an interval that may have been named for data with (without) decimals.

        >>> Cuts(((18, 40),), decimals=True).renamed("18-39"), Cuts(((18, 40),)).renamed("[18, 40)")
        ('[18, 40)', '18-39')
        """
        ends = replace(self, decimals=not self.decimals).ends().get(name)
        return name if ends is None else self.name_between(*ends)

    def ends(self) -> dict[Value, tuple[Number | None, Number | None]]:
        """The names of all intervals of all levels, and the cuts that they lie between.

        >>> Cuts(((18, 40), (40,))).ends()
        {'<18': (None, 18), '18-39': (18, 40), '>=40': (40, None), '<40': (None, 40)}
        """
        ends_of: dict[Value, tuple[Number | None, Number | None]] = {}
        for cuts in self.levels:
            ends_of |= {self.name_between(*ends): ends for ends in pairwise([None, *cuts, None])}
        return ends_of

    def to_words(self) -> object:
        return {"cuts": [[word(c) for c in cuts] for cuts in self.levels], "decimals": self.decimals}


def _set(rule: object, **fields: object) -> None:
    """Put exact numbers in the place of what was given; only for a frozen value that is still being made."""
    for name, value in fields.items():
        object.__setattr__(rule, name, value)


def _numbers(values: object, place: str, mistakes: list[Mistake]) -> tuple[Number, ...]:
    """A list of at least one number."""
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or not values:
        mistakes.append(Mistake(place, "needs a list of one or more numbers", "e.g. [5, 10, 20]"))
        return ()
    exact = [number(n) for n in values]
    strange = [n for n, e in zip(values, exact, strict=True) if e is None]
    if strange:
        mistakes.append(Mistake(place, f"not a number: {offenders(strange)}", "use numbers such as 5 or 2.5"))
    return tuple(e for e in exact if e is not None)


def _number(value: object, place: str, mistakes: list[Mistake]) -> Number:
    return next(iter(_numbers([value], place, mistakes)), 0)


def _long(numbers: Sequence[Number], place: str) -> list[Mistake]:
    """Numbers that nobody means by a width or an end; exact arithmetic with them would be slow."""
    if all(len(plain(n)) <= LONGEST for n in numbers):
        return []
    return [Mistake(place, f"a number of more than {LONGEST} digits", "write a rounder one")]


def _places(exact: Number) -> int:
    """How many decimals it has."""
    return len(plain(exact).partition(".")[2])


def _times(exact: Number, scale: int) -> int:
    numerator, denominator = exact.as_integer_ratio()
    return numerator * scale // denominator


def _divides(fine: Number, coarse: Number) -> bool:
    (a, b), (c, d) = fine.as_integer_ratio(), coarse.as_integer_ratio()
    return c * b % (d * a) == 0
