"""What a policy's words about reading found in its table: counted in one scan, refused where cells say otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.engines.base import Engine
from discreet.engines.reading import ColumnReading
from discreet.engines.reading_words import words_of
from discreet.engines.sql.engine import SqlEngine
from discreet.engines.sql.reading import Cells, count_cells
from discreet.errors import DataError, Mistake
from discreet.policy.places import attribute_place
from discreet.policy.policy import Policy
from discreet.policy.words import Role


def cells_read(policy: Policy, engine: Engine) -> tuple[Cells, ...]:
    """How many cells each word found: one scan of the columns that it is about, and none if there is no such word.

    Cells that are not as the words say are refused, of all columns at once: nobody guesses what they mean.
    """
    raw = engine.as_it_stands
    reading = policy.reading
    if not reading.about_cells or not isinstance(raw, SqlEngine):
        return ()
    columns = [a.name for a in policy.attributes if a.role != Role.IDENTIFIER]
    before = raw.scans
    cells = count_cells(raw, reading, columns)
    engine.scans += raw.scans - before
    mistakes = [_odd(counted, reading.of(counted.column)) for counted in cells if counted.odd]
    if mistakes:
        raise DataError(*mistakes)
    return tuple(counted for counted in cells if counted != Cells(counted.column))


def _odd(counted: Cells, own: ColumnReading) -> Mistake:
    place = attribute_place(counted.column)
    one = counted.odd == 1
    many = f"{counted.odd:,} cell{' is not a' if one else 's are not'}"
    if own.dates is not None:
        repair = "write another format, mend them in the data, or list under missing what stands for nothing"
        return Mistake(f"{place}.dates", f"{many} {'date' if one else 'dates'} in the format {own.dates.text}", repair)
    if own.numbers:
        word = "decimal" if own.decimal == "," else "thousands"
        signs = f"decimal: {own.decimal or '.'}" + (f" and thousands: {own.thousands}" if own.thousands else "")
        repair = (
            'if another character stands between thousands, write it: thousands: "."; if its numbers are written as '
        )
        repair += 'everywhere, write decimal: "." for this attribute'
        return Mistake(f"{place}.{word}", f"{many} {'number' if one else 'numbers'} with {signs}", repair)
    return Mistake(f"{place}.whole", f"{many} {'whole number' if one else 'whole numbers'}", "leave the word out")


def reading_figures(policy: Policy, cells: Sequence[Cells]) -> dict[str, Any]:
    """What was read how, for the custodian: the words about the file, and what those about cells found."""
    reading = policy.reading
    columns = []
    for counted in cells:
        own = reading.of(counted.column)
        about: dict[str, Any] = {"column": counted.column, "missing": dict(counted.missing)}
        if counted.dates:
            assert own.dates is not None
            about["dates"] = {"cells": counted.dates, "format": words_of(ColumnReading(dates=own.dates))["dates"]}
        if counted.numbers:
            about["numbers"] = {"cells": counted.numbers, "decimal": own.decimal or ".", "thousands": own.thousands}
        if counted.whole:
            about["whole"] = {"cells": counted.whole}
        columns.append(about)
    file = {word: said for word, said in words_of(reading).items() if word in ("encoding", "delimiter", "sheet")}
    return {"file": file, "columns": columns}
