"""What becomes of an attribute for which nobody gave a hierarchy."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

from discreet.errors import HierarchyError, Mistake, offenders
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.dates import Dates, parse_date, suitable_levels
from discreet.hierarchies.hierarchy import Rule, Value
from discreet.hierarchies.intervals import Cuts
from discreet.hierarchies.numbers import NO_NUMBER, Number, is_whole, parse, simplest

FEW = 20  # as many numbers as this can still be told apart one by one
BINS = 16


def default_rule(values: Sequence[Value], counts: Iterable[int]) -> Rule:
    """Dates by month, quarter and year; more than 20 numbers in bins of equally many rows; all else flat.

    Numbers with leading zeros are codes, not quantities: flat, too.

    >>> default_rule(["2024-03-05", None], [1, 1])
    Dates(levels=('month', 'quarter', 'year'))
    """
    texts = [value for value in values if value]
    days = [day for day in map(parse_date, texts) if day]
    if texts and len(days) == len(texts):
        return Dates(suitable_levels(days))
    if len(texts) > FEW and all(parse(text) is not None and not _is_code(text) for text in texts):
        return quantile_cuts(values, counts, BINS)
    return Flat()


def follows_the_data(given: object) -> bool:
    """Is the rule made of the values that there are, for all that a policy says of it?"""
    return given is None or (isinstance(given, Mapping) and "quantiles" in given)


def _is_code(text: str) -> bool:
    digits = text.strip().lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def quantile_cuts(values: Iterable[Value], counts: Iterable[int], bins: int = BINS) -> Rule:
    """Cut points that give bins of about equally many rows; each level has half the bins of the one before.

    NULL and the empty string don't count. Too few different numbers to cut give a flat hierarchy.

    >>> quantile_cuts(["1", "2", "3", "4"], [1, 1, 1, 1], 4)
    Cuts(levels=((2, 3, 4), (3,)), decimals=False)
    """
    rows: Counter[Number] = Counter()
    strange = []
    for value, count in zip(values, counts, strict=True):
        exact = parse(value) if value else None
        if exact is not None:
            rows[exact] += int(count)
        elif value:
            strange.append(value)
    if strange:
        rule = f"not a number: {offenders(strange)}"
        raise HierarchyError(Mistake("quantiles", rule, NO_NUMBER))
    numbers = sorted(rows)
    if len(numbers) < 2:
        return Flat()
    below = [0, *accumulate(rows[exact] for exact in numbers)]
    cuts = [_cut(numbers, below, share, bins) for share in range(bins)]
    levels: list[tuple[Number, ...]] = []
    step = 1
    while step < bins:
        level = tuple(dict.fromkeys(cuts[step::step]))
        if not levels or level != levels[-1]:
            levels.append(level)
        step *= 2
    return Cuts(tuple(levels), decimals=not all(map(is_whole, numbers)))


def _cut(numbers: list[Number], below: list[int], share: int, bins: int) -> Number:
    """The number below which the share of rows comes nearest to share/bins."""
    target = share * below[-1]
    beyond = bisect_left(below, target, key=lambda rows: rows * bins)
    near = sorted({min(max(i, 1), len(numbers) - 1) for i in (beyond - 1, beyond)})
    at = min(near, key=lambda i: abs(below[i] * bins - target))
    return _roundest(numbers[at - 1], numbers[at])


def _roundest(low: Number, high: Number) -> Number:
    """The roundest number above `low` and not above `high`.

    It cuts between the two as well as `high` does, people read it more easily, and it is not somebody's exact value.

    >>> _roundest(76_112, 81_234), _roundest(4, 5), _roundest(Decimal("1.23"), Decimal("1.27"))
    (80000, 5, Decimal('1.25'))
    """
    exponent = max(abs(Decimal(low)), abs(Decimal(high))).adjusted() + 1
    while True:
        for digit in (5, 1):
            step = Fraction(digit) * Fraction(10) ** exponent
            roundest = Decimal(f"{Fraction(high) // step * digit}E{exponent}")
            if roundest > low:
                return simplest(roundest)
        exponent -= 1
