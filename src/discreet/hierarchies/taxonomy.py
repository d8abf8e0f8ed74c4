"""Taxonomies: leaves and their parents, as listed by somebody who knows the domain."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from discreet.errors import DataError, HierarchyError, Mistake, did_you_mean, offenders, shown, shown_path
from discreet.files.small_files import NO_FILE, read_small
from discreet.hierarchies.base import LEVELS, BranchingRule, Misfit, too_many_levels
from discreet.hierarchies.build import at_lines, nesting_mistakes
from discreet.hierarchies.hierarchy import EVERYTHING, Value

DELIMITERS = (";", "\t", "|", ",")
CELLS = 5_000_000  # a million leaves on five levels
_HEAD = 200_000  # characters that the delimiter is judged by
_BESIDE = 1000  # other files that may have been meant


@dataclass(frozen=True)
class Taxonomy(BranchingRule):
    """Leaves and what each becomes on level 1, 2, …, without the final ``*``; listed leaves count even if no row
    has them, and keep the order of the list.

    NULL and the empty string may be missing from the list: each then has a branch of its own, up to ``*``. (A CSV
    can't tell the two apart: where only the empty string is listed, NULL goes with it.)

    With `sets`, a search that gives groups values of their own may also publish neighbours of the list together,
    ``{a, b}``.

    >>> Taxonomy({"Spain": ("Europe",), "Peru": ("America",)}).path("Peru")
    ('America',)
    """

    paths: Mapping[Value, tuple[Value, ...]]
    source: str = field(default="", compare=False)
    sets: bool = False
    ordered = False

    @property
    def ranges(self) -> bool:
        return self.sets

    @property
    def between(self) -> int:
        return len(next(iter(self.paths.values()), ()))

    def path(self, value: Value) -> tuple[Value, ...]:
        path = self.paths.get(value)
        if path is None and value is None:
            path = self.paths.get("")
        return super().path(value) if path is None else path

    def order(self, value: Value) -> tuple[object, ...]:
        return (0, self._position[value]) if value in self._position else super().order(value)

    def extra_leaves(self) -> Sequence[Value]:
        return tuple(self.paths)

    def to_words(self) -> object:
        words: dict[str, object] = {"taxonomy": [[leaf, *path] for leaf, path in self.paths.items()]}
        return words | {"sets": True} if self.sets else words

    def _climb(self, value: str) -> tuple[Value, ...]:
        named = f"the taxonomy {self.source}" if self.source else "the taxonomy"
        raise Misfit(value, f"missing in {named}", "add a line for each of them, leaf first")

    def _rank(self, value: str) -> tuple[object, ...]:
        return (len(self._position), value)

    @cached_property
    def _position(self) -> dict[Value, int]:
        return {leaf: at for at, leaf in enumerate(self.paths)}


def taxonomy_from_rows(
    rows: Sequence[Sequence[Value]], place: str, source: str = "", lines: Sequence[int] | None = None
) -> Taxonomy:
    """A taxonomy from rows of (leaf, level 1, level 2, …), with or without a last column of ``*``.

    With `lines`, those of the rows in the file `source`, mistakes tell these and no values: the file may be another
    than was meant, say the table itself.

    >>> taxonomy_from_rows([["Spain", "Europe", "*"], ["Peru", "America", "*"]], "nation").path("Spain")
    ('Europe',)
    """
    where = f"{shown(source)}: " if source else ""
    if not rows:
        raise HierarchyError(Mistake(place, f"{where}lists no values", "give one line per value: leaf;level1;…;*"))
    mistakes: list[Mistake] = []

    def note(rule: str, wrong: Sequence[int], repair: str) -> None:
        if wrong:
            which = (
                offenders(dict.fromkeys(rows[i][0] for i in wrong))
                if lines is None
                else at_lines([lines[i] for i in wrong])
            )
            mistakes.append(Mistake(place, f"{where}{rule}: {which}", repair))

    width = max(Counter(map(len, rows)).items(), key=lambda pair: (pair[1], pair[0]))[0]
    note(
        f"rows of different length; most have {width} columns, but not",
        [i for i, row in enumerate(rows) if len(row) != width],
        "give every leaf a value on every level",
    )
    mistakes += [Mistake(place, where + m.rule, m.repair) for m in too_many_levels(width - 1, place)]
    if width - 1 > LEVELS:
        raise HierarchyError(*mistakes)
    if lines is not None:
        lines = [line for line, row in zip(lines, rows, strict=True) if len(row) == width]
    rows = [row for row in rows if len(row) == width]
    while width > 1 and {row[width - 1] for row in rows} in ({EVERYTHING}, {""}):
        width -= 1
    rows = [row[:width] for row in rows]
    note(
        "`*` means everything, but below the last level only some rows have it",
        [i for i, row in enumerate(rows) if EVERYTHING in row[1:]],
        "name what these values have in common; if the first line is a header, remove it",
    )
    note(
        "empty parents",
        [i for i, row in enumerate(rows) if not all(row[1:]) and any(not c and c != row[0] for c in row[1:])],
        "name what these values become; repeat the leaf if it stays as it is",
    )
    paths: dict[Value, tuple[Value, ...]] = {}
    for row in rows:
        paths.setdefault(row[0], tuple(row[1:]))
    note(
        "listed twice with different parents",
        [i for i, row in enumerate(rows) if paths[row[0]] != tuple(row[1:])],
        "keep one of the lines",
    )
    columns = list(zip(*paths.values(), strict=True))
    first = None
    if lines is not None:
        first_line: dict[Value, int] = {}
        for row, line in zip(rows, lines, strict=True):
            first_line.setdefault(row[0], line)
        first = list(first_line.values())
    mistakes += [Mistake(place, where + m.rule, m.repair) for m in nesting_mistakes(place, columns, first)]
    if mistakes:
        raise HierarchyError(*mistakes)
    return Taxonomy(paths, source)


def read_taxonomy(path: str, folder: Path, place: str) -> Taxonomy:
    """A taxonomy from a CSV as ARX writes them: ``leaf;level1;…;*``, no header; the delimiter is found out."""
    rows, lines = taxonomy_rows(path, folder, place)
    return taxonomy_from_rows(rows, place, path, lines)


def taxonomy_rows(path: str, folder: Path, place: str) -> tuple[list[list[str]], list[int]]:
    """The rows of such a file, whatever they say, and the lines that they are in."""
    file = folder / path
    try:
        text = read_small(file, place)
    except DataError as error:
        [wrong] = error.mistakes
        if wrong.rule != NO_FILE:
            raise HierarchyError(Mistake(place, f"{shown_path(path)} {wrong.rule}", wrong.repair)) from None
        beside = [Path(path).with_name(other.name).as_posix() for other in islice(file.parent.glob("*.csv"), _BESIDE)]
        repair = did_you_mean(path, sorted(beside)) if beside else "paths are relative to the folder of the policy"
        raise HierarchyError(Mistake(place, f"no file {shown_path(path)}", repair)) from None
    return _rows(text, path, place)


def _rows(text: str, path: str, place: str) -> tuple[list[list[str]], list[int]]:
    """The rows under the delimiter that fits best, without blank lines, and the lines that they are in."""
    head = text[:_HEAD]
    fits = {d: _fit(row for row, _ in _parsed(head, d, strict=False)) for d in DELIMITERS}
    broken = None
    for delimiter in sorted(DELIMITERS, key=lambda d: fits[d], reverse=True):
        if text.count(delimiter) > CELLS:
            rule = f"{shown_path(path)} has more than {CELLS:,} cells"
            raise HierarchyError(Mistake(place, rule, "keep the values that the data can have"))
        try:
            parsed = list(_parsed(text, delimiter, strict=True))
        except _Broken as error:
            broken = broken or error
            continue
        return [row for row, _ in parsed], [line for _, line in parsed]
    assert broken is not None
    rule = f"{shown_path(path)} is not a CSV: line {broken.line}: {broken}"
    raise HierarchyError(Mistake(place, rule, 'close the quotes, and write a quote inside quotes as ""'))


class _Broken(Exception):
    """A line that is no CSV."""

    def __init__(self, line: int, why: str):
        self.line = line
        super().__init__(why)


def _parsed(text: str, delimiter: str, *, strict: bool) -> Iterator[tuple[list[str], int]]:
    """The rows that are not blank, with their lines; without `strict` they end where the text is broken."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if any(map(str.strip, row)):
                yield row, reader.line_num
    except csv.Error as error:
        if strict:
            raise _Broken(reader.line_num, str(error)) from None


def _fit(rows: Iterable[list[str]]) -> tuple[int, bool, int]:
    """Rows that end in `*` are the surest sign of a delimiter; then rows of one length; then the number of cells."""
    ends = cells = 0
    widths = set()
    for row in rows:
        ends += len(row) > 1 and row[-1] == EVERYTHING
        cells += len(row)
        widths.add(len(row))
    return ends, len(widths) == 1 and widths != {1}, cells
