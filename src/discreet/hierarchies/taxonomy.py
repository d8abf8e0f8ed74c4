"""Taxonomies: leaves and their parents, as listed by somebody who knows the domain."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from discreet.errors import DataError, HierarchyError, Mistake, did_you_mean, offenders, shown
from discreet.hierarchies.base import LEVELS, BranchingRule, Misfit, too_many_levels
from discreet.hierarchies.build import nesting_mistakes
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.small_files import NO_FILE, read_small

DELIMITERS = (";", "\t", "|", ",")
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
        found = self.paths.get(value)
        if found is None and value is None:
            found = self.paths.get("")
        return super().path(value) if found is None else found

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


def taxonomy_from_rows(rows: Sequence[Sequence[Value]], place: str, source: str = "") -> Taxonomy:
    """A taxonomy from rows of (leaf, level 1, level 2, …), with or without a last column of ``*``.

    >>> taxonomy_from_rows([["Spain", "Europe", "*"], ["Peru", "America", "*"]], "nation").path("Spain")
    ('Europe',)
    """
    where = f"{source}: " if source else ""
    if not rows:
        raise HierarchyError(Mistake(place, f"{where}lists no values", "give one line per value: leaf;level1;…;*"))
    mistakes: list[Mistake] = []

    def note(rule: str, values: Sequence[Value], repair: str) -> None:
        if values:
            mistakes.append(Mistake(place, f"{where}{rule}: {offenders(dict.fromkeys(values))}", repair))

    width = max(Counter(map(len, rows)).items(), key=lambda found: (found[1], found[0]))[0]
    note(
        f"rows of different length; most have {width} columns, but not",
        [row[0] for row in rows if len(row) != width],
        "give every leaf a value on every level",
    )
    mistakes += [Mistake(place, where + m.rule, m.repair) for m in too_many_levels(width - 1, place)]
    if width - 1 > LEVELS:
        raise HierarchyError(*mistakes)
    rows = [row for row in rows if len(row) == width]
    while width > 1 and {row[width - 1] for row in rows} in ({EVERYTHING}, {""}):
        width -= 1
    rows = [row[:width] for row in rows]
    note(
        "`*` means everything, but below the last level only some rows have it",
        [row[0] for row in rows if EVERYTHING in row[1:]],
        "name what these values have in common; if the first line is a header, remove it",
    )
    note(
        "empty parents",
        [row[0] for row in rows if any(not cell and cell != row[0] for cell in row[1:])],
        "name what these values become; repeat the leaf if it stays as it is",
    )
    paths: dict[Value, tuple[Value, ...]] = {}
    for row in rows:
        paths.setdefault(row[0], tuple(row[1:]))
    note(
        "listed twice with different parents",
        [row[0] for row in rows if paths[row[0]] != tuple(row[1:])],
        "keep one of the lines",
    )
    columns = list(zip(*paths.values(), strict=True))
    mistakes += [Mistake(place, where + m.rule, m.repair) for m in nesting_mistakes(place, columns)]
    if mistakes:
        raise HierarchyError(*mistakes)
    return Taxonomy(paths, source)


def read_taxonomy(path: str, folder: Path, place: str) -> Taxonomy:
    """A taxonomy from a CSV as ARX writes them: ``leaf;level1;…;*``, no header; the delimiter is found out."""
    file = folder / path
    try:
        text = read_small(file, place)
    except DataError as error:
        [wrong] = error.mistakes
        if wrong.rule != NO_FILE:
            raise HierarchyError(Mistake(place, f"{shown(path)} {wrong.rule}", wrong.repair)) from None
        beside = [Path(path).with_name(other.name).as_posix() for other in islice(file.parent.glob("*.csv"), _BESIDE)]
        repair = did_you_mean(path, sorted(beside)) if beside else "paths are relative to the folder of the policy"
        raise HierarchyError(Mistake(place, f"no file {shown(path)}", repair)) from None
    return taxonomy_from_rows(_rows(text, path, place), place, path)


def _rows(text: str, path: str, place: str) -> list[list[str]]:
    """The rows under the delimiter that fits best, without blank lines."""
    best: tuple[tuple[int, bool, int], list[list[str]]] | None = None
    broken = None
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            rows = [row for row in reader if any(cell.strip() for cell in row)]
        except csv.Error as error:
            broken = broken or Mistake(
                place,
                f"{shown(path)} is not a CSV: line {reader.line_num}: {error}",
                'close the quotes, and write a quote inside of quotes as ""',
            )
            continue
        # Rows that end in `*` are the surest sign; then rows of one length; then the number of cells.
        ends = sum(len(row) > 1 and row[-1] == EVERYTHING for row in rows)
        even = len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
        fit = (ends, even, sum(map(len, rows)))
        if best is None or fit > best[0]:
            best = fit, rows
    if best is None:
        assert broken is not None
        raise HierarchyError(broken)
    return best[1]
