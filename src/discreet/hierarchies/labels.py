"""A rule for values that are labels already: ``[100, 200)``, ``20-39``, ``>=90``, ``2024-03``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from discreet.errors import HierarchyError, Mistake, shown
from discreet.hierarchies.base import BranchingRule, Misfit
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.intervals import Cuts, Intervals
from discreet.hierarchies.numbers import Number, parse, plain, simplest
from discreet.hierarchies.texts import possible_ends

Ordered = Intervals | Cuts | Dates
_BRACKETS = re.compile(r"([\[(])([^,]+), ([^,]+)\)")
_OPEN = re.compile(r"(>=|<=|<)(.+)")
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")
_PART = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-[0-9]{4})?")


@dataclass(frozen=True)
class Labels(BranchingRule):
    """Labels of intervals, or of dates, in the order of what they stand for; `above`, what that becomes.

    Each label is read as one of the values that it stands for. Levels of `above` have to be unions of what the labels
    stand for: then it does not matter which.

    >>> costs = Labels(Intervals((100,), decimals=True), Intervals((1000,), decimals=True))
    >>> sorted(["[1000, 1100)", "[900, 1000)", "[100, 200)"], key=costs.order)
    ['[100, 200)', '[900, 1000)', '[1000, 1100)']
    >>> costs.path("[900, 1000)"), Labels(Dates(("month",)), Dates(("year",))).path("2024-03")
    (('[0, 1000)',), ('2024',))
    """

    of: Ordered
    above: Ordered | None = None
    ordered = ranges = False

    def __post_init__(self) -> None:
        if self.above is not None and isinstance(self.of, Dates) != isinstance(self.above, Dates):
            rule = "labels of dates become dates, labels of intervals intervals"
            raise HierarchyError(
                Mistake("hierarchy", rule, "write the same kind of words, or a taxonomy of the labels")
            )

    @property
    def between(self) -> int:
        return 0 if self.above is None else self.above.between

    def _climb(self, value: str) -> tuple[Value, ...]:
        return () if self.above is None else self.above.path(self._inside(value))

    def _rank(self, value: str) -> tuple[object, ...]:
        inside = self._inside(value)
        return parse(inside) if not isinstance(self.of, Dates) else inside, value

    def _inside(self, label: str) -> str:
        """A value that the label stands for."""
        inside = _day_in(label) if isinstance(self.of, Dates) else _number_in(label)
        if inside is None:
            raise Misfit(label, f"not a label of {next(iter(_words(self.of)))}", "mend it in the data")
        return inside

    def to_words(self) -> object:
        words: dict[str, object] = {"labels": self.of.to_words()}
        return words if self.above is None else words | {"hierarchy": self.above.to_words()}


def labels_from(of: object, above: object) -> Labels:
    """The rule of two others, as words name them."""
    if not isinstance(of, Ordered) or not isinstance(above, Ordered | None):
        rule = "needs the words of intervals, cuts or dates"
        raise HierarchyError(Mistake("labels", rule, "e.g. {labels: {intervals: [100]}}"))
    return Labels(of, above)


def _words(rule: Ordered) -> Mapping[str, object]:
    words = rule.to_words()
    assert isinstance(words, Mapping), shown(words)
    return words


def _number_in(label: str) -> str | None:
    """A number of an interval, as text: its lower end if that belongs to it.

    >>> [_number_in(label) for label in ("[20, 22.5)", "(20, 25)", "20-39", "-20 to -1", ">=90", "<18", "7", "old")]
    ['20', '22.5', '20', '-20', '90', '17', '7', None]
    """
    if match := _BRACKETS.fullmatch(label):
        low, high = parse(match[2]), parse(match[3])
        if low is None or high is None:
            return None
        return plain(low) if match[1] == "[" else _middle(low, high)
    if match := _OPEN.fullmatch(label):
        end = parse(match[2])
        return None if end is None else plain(end - 1 if match[1] == "<" else end)
    if (exact := parse(label)) is not None:
        return plain(exact)
    for first, last in possible_ends(label):
        low, high = parse(first), parse(last)
        if low is not None and high is not None:
            return plain(low)
    return None


def _middle(low: Number, high: Number) -> str:
    return plain(simplest((Decimal(low) + Decimal(high)) / 2))


def _day_in(label: str) -> str | None:
    """A day of a month, a quarter, a year or a decade.

    >>> [_day_in(label) for label in ("2024-03-05", "2024-03", "2024-Q2", "2024", "2020-2029", "soon")]
    ['2024-03-05', '2024-03-01', '2024-04-01', '2024-01-01', '2020-01-01', None]
    """
    if match := _QUARTER.fullmatch(label):
        return f"{match[1]}-{3 * int(match[2]) - 2:02}-01"
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", label):
        return label
    match = _PART.fullmatch(label)
    if match is None:
        return None
    year = "0001" if match[1] == "0000" else match[1]  # the first decade begins with a year that no calendar has
    return f"{year}-{match[2] or '01'}-01"
