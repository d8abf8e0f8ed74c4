"""What the policy's words about reading found in the source: which cells were taken for nothing, for numbers, for days.

For the custodian alone: how many cells of a column are missing is more than a release tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.report.marginals import shown
from discreet.report.sections.registry import Private, Section

_MOST = 12  # lines for the terminal


@dataclass(frozen=True)
class Read:
    """One column: how many cells, and what they were taken for."""

    column: str
    cells: int
    as_what: str


@dataclass(frozen=True)
class ReadTable:
    """The source: how its file was read, and its columns."""

    file: str
    columns: tuple[Read, ...]


def read_table(reading: Mapping[str, Any]) -> ReadTable | None:
    """What was read how, in words; None if nothing had to be said about it.

    >>> told = read_table({"file": {"encoding": "cp1252"}, "columns": [{"column": "job", "missing": {"?": 312}}]})
    >>> told.file, told.columns[0].as_what
    ('encoding cp1252', 'missing: the cell says ?')
    """
    lines = [Read(shown(about["column"]), *line) for about in reading["columns"] for line in _lines(about)]
    file = ", ".join(f"{word} {shown(said)}" for word, said in reading["file"].items())
    return ReadTable(file, tuple(lines)) if lines or file else None


def _lines(about: Mapping[str, Any]) -> list[tuple[int, str]]:
    lines = [
        (cells, f"missing: the cell says {shown(text)}" if text.strip() else "missing: the cell is an empty text")
        for text, cells in about["missing"].items()
    ]
    if dates := about.get("dates"):
        said = dates["format"]
        years = f", two digits from {said['first_year']} on" if isinstance(said, Mapping) else ""
        text = said["format"] if isinstance(said, Mapping) else said
        lines.append((dates["cells"], f"days, written {text}{years}; published as YYYY-MM-DD, without a time of day"))
    if numbers := about.get("numbers"):
        thousands = f" and {shown(numbers['thousands'])} between thousands" if numbers["thousands"] else ""
        sign = "a comma" if numbers["decimal"] == "," else "a point"
        lines.append((numbers["cells"], f"numbers with {sign} for decimals{thousands}; published with a point"))
    if whole := about.get("whole"):
        lines.append((whole["cells"], "whole numbers, written with .0; published without"))
    return lines


def _figures(known: Private) -> ReadTable | None:
    reading = known.about.get("reading")
    return None if reading is None else read_table(reading)


def _for_terminal(figures: ReadTable) -> list[str]:
    lines = [f"read: {figures.file}"] if figures.file else []
    lines += [f"read: {line.column}: {line.cells:,} cells as {line.as_what}" for line in figures.columns[:_MOST]]
    if len(figures.columns) > _MOST:
        lines.append(f"read: {len(figures.columns) - _MOST:,} more lines in the custodian's report")
    return lines


READ = Section(_figures, "report_read.html.j2", lines=_for_terminal)
