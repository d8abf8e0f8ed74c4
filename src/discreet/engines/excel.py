"""Sheets of Excel workbooks (and of LibreOffice), read by python-calamine, which is an extra.

A sheet has numbers, days and truth values of its own; they become the texts that a CSV file would have. A formula is
its last result.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.engines.arrow import texts
from discreet.errors import DataError, Mistake, Unavailable, did_you_mean, shown

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_INSTALL = "pip install 'discreet[excel]', or save the sheet as CSV"
_SHOWN = 10  # names of sheets


def is_workbook(path: Path) -> bool:
    """Is it a workbook, by its name?"""
    return path.suffix.lower() in SUFFIXES


def sheet_names(path: Path) -> list[str]:
    """The names of a workbook's sheets."""
    return list(_workbook(path).sheet_names)


def largest_sheet(path: Path) -> tuple[str, list[str]]:
    """The sheet with most rows and columns, and the others that have something in them."""
    workbook = _workbook(path)
    sheets = {name: workbook.get_sheet_by_name(name) for name in workbook.sheet_names}
    sizes = {name: sheet.height * sheet.width for name, sheet in sheets.items() if sheet.height}
    if not sizes:
        raise DataError(Mistake(str(path), "is empty: no header, no rows", "give a table with at least one row"))
    largest = max(sizes, key=lambda name: sizes[name])
    return largest, [name for name in sizes if name != largest]


def sheet_table(path: Path, sheet: str = "") -> pa.Table:
    """A sheet as a table of texts; without a name the only one that has something in it.

    Rows above the names, and columns and rows with nothing in them at the edges, are not part of it.
    """
    workbook = _workbook(path)
    names = list(workbook.sheet_names)
    if sheet and sheet not in names:
        repair = did_you_mean(sheet, names[:_SHOWN])
        raise DataError(Mistake("sheet", f"{path.name} has no sheet {shown(sheet)}", repair))
    if not sheet:
        filled = [name for name in names if workbook.get_sheet_by_name(name).height > 0]
        if len(filled) > 1:
            listed = ", ".join(shown(name) for name in filled[:_SHOWN])
            rule = f"has {len(filled)} sheets with something in them: {listed}"
            raise DataError(Mistake(str(path), rule, f"say which: sheet: {shown(filled[0])}"))
        if not filled:
            raise DataError(Mistake(str(path), "is empty: no header, no rows", "give a table with at least one row"))
        sheet = filled[0]
    rows = workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=True)
    return _table([[_text(cell) for cell in row] for row in rows], f"{path}, sheet {sheet}")


def _table(rows: Sequence[Sequence[str | None]], place: str) -> pa.Table:
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise DataError(Mistake(place, "is empty: no header, no rows", "give a table with at least one row"))
    header, *body = rows
    width = max((i + 1 for row in rows for i, cell in enumerate(row) if cell is not None), default=0)
    empty = [i for i in range(width) if header[i] is None and not any(row[i] is not None for row in body)]
    kept = [i for i in range(width) if i not in set(empty)]
    names = [header[i] or "" for i in kept]
    from discreet.engines.sources import check_column_names  # late: it reads workbooks by this module

    check_column_names(names, place)
    return pa.table({name: texts([row[i] for row in body]) for name, i in zip(names, kept, strict=True)})


def _text(cell: Any) -> str | None:
    """A cell as a CSV file has it.

    >>> [_text(cell) for cell in (47005.0, 1.72, True, date(2024, 3, 5), datetime(2024, 3, 5), "", "x")]
    ['47005', '1.72', 'true', '2024-03-05', '2024-03-05', None, 'x']
    >>> _text(0.1 + 0.2), _text(datetime(2024, 3, 5, 10, 30)), _text(time(10, 30))
    ('0.3', '2024-03-05 10:30:00', '10:30:00')
    """
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):  # Excel shows fifteen digits of those that it keeps
        return repr(float(f"{cell:.15g}")).removesuffix(".0")
    if isinstance(cell, datetime):
        rounded = (cell + timedelta(microseconds=500_000)).replace(microsecond=0)
        return rounded.date().isoformat() if rounded.time() == time() else rounded.isoformat(sep=" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)


def _workbook(path: Path) -> CalamineWorkbook:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise Unavailable(
            Mistake(str(path), "is a workbook, and what reads those is not installed", _INSTALL)
        ) from None
    try:
        return CalamineWorkbook.from_path(str(path))
    except OSError as error:
        raise Unavailable(Mistake(str(path), f"can't be read: {error.strerror}", "check the file")) from None
    except CalamineError:
        rule = "can't be read as a workbook, or it has a password"
        raise DataError(Mistake(str(path), rule, "save it again without one, or as CSV")) from None
