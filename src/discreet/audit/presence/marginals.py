"""What is public about a population: how many people have each value, one column at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import DataError, Mistake, did_you_mean
from discreet.files.numbers import exact_number
from discreet.labels.cells import read_numbers

_PLACE = "marginals"
_ROUNDING = Fraction(1, 100)  # shares written with few digits need not add up to 1 exactly
_REPAIR = "give how many people have each value, for example {f: 51, m: 49}, or a CSV of value,count"


@dataclass(frozen=True)
class Marginals:
    """So many of `size` people have each value of each column. Those in the table are among them."""

    size: int
    counts: Mapping[str, Mapping[str | None, int]]


def read_marginals(
    by_column: Mapping[str, Any], columns: Sequence[str], size: int | None = None, folder: Path | None = None
) -> Marginals:
    """Per column a mapping of value → count, pairs of them, or the path of a CSV file of value,count.

    With `size`, shares will do as well, rounded so that they add up. All columns must speak of as many people.

    >>> read_marginals({"sex": {"f": 0.51, "m": 0.49}}, ["sex"], size=200)
    Marginals(size=200, counts={'sex': {'f': 102, 'm': 98}})
    >>> read_marginals({"sex": {"f": 2, "m": -1}, "aeg": {"1": 1}}, ["sex", "age"])
    Traceback (most recent call last):
    ...
    discreet.errors.DataError: marginals.aeg: is not a quasi-identifier of the release; did you mean 'age'?
    marginals.age: is missing; give how many people have each value, for example {f: 51, m: 49}, or a CSV of value,count
    marginals.sex: has a count that is not a number of people; give how many people have each value, for example \
{f: 51, m: 49}, or a CSV of value,count
    """
    mistakes = [
        Mistake(f"{_PLACE}.{name}", "is not a quasi-identifier of the release", did_you_mean(name, columns))
        for name in by_column
        if name not in columns
    ]
    mistakes += [Mistake(f"{_PLACE}.{name}", "is missing", _REPAIR) for name in columns if name not in by_column]
    counts: dict[str, Mapping[str | None, int]] = {}
    for name in columns:
        if name in by_column:
            numbers, wrong = _column(by_column[name], f"{_PLACE}.{name}", size, folder or Path())
            mistakes += [replace(m, repair=m.repair.replace("of the policy", "you are in")) for m in wrong]
            counts[name] = numbers
    sizes = {sum(numbers.values()) for numbers in counts.values()} | ({size} if size is not None else set())
    if not mistakes and len(sizes) > 1:
        said = ", ".join(f"{n:,}" for n in sorted(sizes))
        mistakes.append(Mistake(_PLACE, f"speak of different numbers of people: {said}", "count the same people"))
    if mistakes:
        raise DataError(*mistakes)
    return Marginals(max(sizes, default=0), counts)


def _column(counts: Any, place: str, size: int | None, folder: Path) -> tuple[dict[str | None, int], list[Mistake]]:
    wrong: list[Mistake] = []
    if isinstance(counts, str | Path):
        counts, wrong = read_numbers(counts, folder, place, lambda text: _number(text) is not None)
    pairs = list(counts.items()) if isinstance(counts, Mapping) else counts
    if wrong or not isinstance(pairs, list | tuple) or any(len(p) != 2 for p in pairs if isinstance(p, list | tuple)):
        return {}, wrong or [Mistake(place, "is not a list of values and counts", _REPAIR)]
    numbers: dict[str | None, Fraction] = {}
    for value, written in pairs:
        text, number = None if value is None else str(value), _number(written)
        if number is None:
            return {}, [Mistake(place, "has a count that is not a number of people", _REPAIR)]
        if text in numbers:
            return {}, [Mistake(place, "has a value twice", "keep one of them")]
        numbers[text] = number
    total = sum(numbers.values(), Fraction(0))
    if size is not None and all(n <= 1 for n in numbers.values()) and abs(total - 1) <= _ROUNDING:
        return _rounded(numbers, total, size), []
    if any(n.denominator != 1 for n in numbers.values()):
        rule = "has shares, of an unknown number of people" if size is None else "has shares that do not add up to 1"
        return {}, [Mistake(place, rule, "give counts of people, or the size of the population")]
    return {value: int(n) for value, n in numbers.items()}, []


def _number(written: object) -> Fraction | None:
    number = exact_number(written)
    return number if number is not None and number >= 0 else None


def _rounded(shares: Mapping[str | None, Fraction], total: Fraction, size: int) -> dict[str | None, int]:
    """Shares of so many people in whole numbers that add up to them: rounded down, the largest rests up."""
    exact = {value: share / total * size for value, share in shares.items()}
    whole = {value: int(n) for value, n in exact.items()}
    largest = sorted(exact, key=lambda value: whole[value] - exact[value])
    for value in largest[: size - sum(whole.values())]:
        whole[value] += 1
    return whole
