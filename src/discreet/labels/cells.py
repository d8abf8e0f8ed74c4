"""Small CSV files that belong to a policy: counts of values, and what others know.

Tables are read by engines; these are read by eye, so that every mistake can be told by its line. Nothing between two
separators is None (NULL), a pair of quotes is the empty text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from discreet.errors import DataError, Mistake, shown, shown_path
from discreet.files.small_files import NO_FILE, read_small

SEPARATORS = (";", "\t", ",")
_SHOWN = 10  # mistakes of one file
_HEAD = 1000  # lines that tell the separator
_LIMIT = 16_000_000  # bytes

Lines = list[tuple[int, str]]
Cells = list[str | None]


def is_file(words: str) -> bool:
    """Does it look like the path of such a file?"""
    return words.lower().endswith((".csv", ".tsv", ".txt"))


def read_lines(path: Path | str, folder: Path, place: str) -> tuple[Lines, list[Mistake]]:
    """The lines of a text file that are not blank, with their numbers; or why it can't be read."""
    try:
        text = read_small(folder / path, place, _LIMIT, missing="paths are relative to the folder of the policy")
    except DataError as error:
        [wrong], name = error.mistakes, shown_path(path)
        rule = f"no file {name}" if wrong.rule == NO_FILE else f"{name} {wrong.rule}"
        return [], [Mistake(place, rule, wrong.repair)]
    lines = re.split(r"\r\n|\r|\n", text)
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()], []


def best_separator(lines: Lines, fits: Callable[[Cells], bool]) -> str:
    """The separator under which most of the first lines are as they should be."""
    head = [line for _, line in lines[:_HEAD]]
    under = {s: [row for row in (cells(line, s) for line in head) if row is not None] for s in SEPARATORS}
    return max(SEPARATORS, key=lambda s: sum(map(fits, under[s])))


def cells(line: str, separator: str, *, strip: bool = False) -> Cells | None:
    """The cells of a line; None if the quotes do not fit. White space around a cell belongs to it, unless stripped.

    >>> cells('a;;"";"b;""c""d"', ";")
    ['a', None, '', 'b;"c"d']
    >>> cells('" a" , b', ",", strip=True), cells(" a,b", ","), cells('"a"b', ",")
    ([' a', 'b'], [' a', 'b'], None)
    """
    pattern = re.compile(rf' *"([^"]*(?:""[^"]*)*)" *(?:({separator})|$)|([^"{separator}]*)(?:({separator})|$)')
    row: Cells = []
    at, more = 0, True
    while more:
        cell = pattern.match(line, at)
        if cell is None:
            return None
        quoted, after_quoted, plain, after = cell.groups()
        plain = plain.strip(" ") if strip and plain is not None else plain
        row.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        at, more = cell.end(), (after_quoted or after) is not None
    return row


def read_numbers(
    path: Path | str, folder: Path, place: str, is_number: Callable[[str], bool]
) -> tuple[list[tuple[str | None, str]], list[Mistake]]:
    """The lines value,number of a file, with or without a header."""
    lines, mistakes = read_lines(path, folder, place)
    separator = best_separator(lines, lambda row: len(row) == 2)
    pairs: list[tuple[str | None, str]] = []
    line_of: dict[str | None, int] = {}
    for number, line in lines:
        row = cells(line, separator)
        value, cell = row if row is not None and len(row) == 2 else (None, None)
        count = (cell or "").strip()
        if is_number(count):
            if value in line_of:  # told by its line: the file may be another than was meant
                rule = f"{shown(str(path))}, line {number}: the same value as in line {line_of[value]}"
                mistakes.append(Mistake(place, rule, "keep one of them"))
            line_of.setdefault(value, number)
            pairs.append((value, count))
        elif number != lines[0][0] or not count or any(sign.isdecimal() for sign in count):  # the first may be a header
            rule = f"{shown(str(path))}, line {number}: not a value and a count"
            mistakes.append(Mistake(place, rule, "write value,count"))
    return pairs, mistakes[:_SHOWN]


def read_triples(
    path: Path | str, folder: Path, place: str, is_number: Callable[[str], bool]
) -> tuple[list[str], list[tuple[str | None, str | None, str]], list[Mistake]]:
    """The names of two columns, from the first line of a file, and the lines value,value,number after it."""
    lines, mistakes = read_lines(path, folder, place)
    separator = best_separator(lines, lambda row: len(row) == 3)
    names: list[str] = []
    triples: list[tuple[str | None, str | None, str]] = []
    line_of: dict[tuple[str | None, str | None], int] = {}
    for number, line in lines:
        row = cells(line, separator)
        told = f"{shown(str(path))}, line {number}"
        if row is None or len(row) != 3:
            mistakes.append(Mistake(place, f"{told}: not two values and a count", "write value,value,count"))
        elif not names:
            names = [name or "" for name in row[:2]]
            if is_number((row[2] or "").strip()) or not all(names):
                rule = f"{told}: must name the two columns, and the count"
                mistakes.append(Mistake(place, rule, "begin with a line like age,sex,count"))
        elif not is_number(count := (row[2] or "").strip()):
            mistakes.append(Mistake(place, f"{told}: not two values and a count", "write value,value,count"))
        elif (row[0], row[1]) in line_of:
            rule = f"{told}: the same values as in line {line_of[row[0], row[1]]}"
            mistakes.append(Mistake(place, rule, "keep one of them"))
        else:
            line_of[row[0], row[1]] = number
            triples.append((row[0], row[1], count))
    return names, triples, mistakes[:_SHOWN]
