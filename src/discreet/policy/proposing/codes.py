"""Which whole numbers stand for something (1 married, 2 single) and which count or measure.

An interval of codes says nothing: 2-4 is no kind of marital status. A code that is taken for an amount loses its
meaning, an amount that is taken for a code only its order; so few numbers are codes, where nothing tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import gcd

from discreet.hierarchies.numbers import Number, is_whole
from discreet.policy.proposing.columns import names_a_code, names_an_amount

_FEW = 12  # as many different numbers may be codes, if nothing else is known of them
_SPARSE = 4  # times as wide as there are numbers: codes of a list, with gaps
_LISTED = 60  # values of such a list
_YEARS = (1850, 2100)
_STAND_FOR = ("a place", "sex or gender", "origin", "language", "family", "education or work", "health")
NO_ANSWER = frozenset([77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 9997, 9998, 9999, -1, -7, -8, -9, -97, -98, -99])


def why_codes(name: str, what: str, counts: Mapping[Number, int]) -> str:
    """Why some numbers are codes, `what` being what the column's name says; nothing if they seem to be amounts.

    >>> why_codes("marital", "family", {1: 60, 2: 30, 3: 8, 4: 2})
    'numbers that stand for something, as family does'
    >>> why_codes("hhsize", "family", {1: 60, 2: 30, 3: 8, 4: 2}), why_codes("x", "", {n: 5 for n in range(40)})
    ('', '')
    >>> why_codes("q7", "", {1: 5, 2: 9, 3: 7, 98: 1, 99: 1})
    "whole numbers, the outermost of which look like 'no answer': codes"
    """
    if not counts or not all(map(is_whole, counts)):
        return ""
    numbers = sorted(int(number) for number in counts)
    answers = [n for n in numbers if n not in NO_ANSWER]
    outermost = bool(answers) and len(answers) < len(numbers) and len(answers) <= 2 * _FEW and max(answers) <= 20
    if outermost and numbers[-1] - answers[-1] + answers[0] - numbers[0] >= 5:
        return "whole numbers, the outermost of which look like 'no answer': codes"
    if names_an_amount(name) or _years(numbers):
        return ""
    if names_a_code(name):
        return "numbers that stand for something, by its name"
    if what in _STAND_FOR:
        return f"numbers that stand for something, as {what} does"
    if _gaps(numbers):
        return "whole numbers with wide gaps between them: codes of a list"
    if len(numbers) <= _FEW and abs(numbers[-1]) < 100 and not _counts_something(numbers, counts):
        return "so few whole numbers may be codes"
    return ""


def _years(numbers: list[int]) -> bool:
    return _YEARS[0] <= numbers[0] and numbers[-1] <= _YEARS[1] and len(numbers) > 1


def _gaps(numbers: list[int]) -> bool:
    """Few numbers with much room between them, also after dividing by what all of them are multiples of."""
    steps = [b - a for a, b in pairwise(numbers)]
    if not 3 <= len(numbers) <= _LISTED:
        return False
    return sum(steps) // gcd(*steps) >= _SPARSE * len(steps)


def _counts_something(numbers: list[int], counts: Mapping[Number, int]) -> bool:
    """From 0 or 1 without a gap, and the higher the rarer, as children or visits are."""
    rows = [counts[number] for number in numbers]
    gapless = numbers[-1] - numbers[0] == len(numbers) - 1
    return numbers[0] == 0 and gapless and len(numbers) > 3 and all(a >= b for a, b in pairwise(rows[1:]))
