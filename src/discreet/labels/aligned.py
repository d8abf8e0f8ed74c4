"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def aligned(table: Sequence[Sequence[str]], left: Collection[int] = (), widest: int | None = None) -> list[str]:
    """Lines with columns of equal width: those of `left` begin at the left, the others end at the right.

    A text beyond the first column that is longer than `widest` sticks out rather than widen its column.

    >>> aligned([["age", "2"], ["disease", "17"]], left={0})
    ['  age       2', '  disease  17']
    """
    width = [
        max((len(row[i]) for row in table if i == 0 or widest is None or len(row[i]) <= widest), default=0)
        for i in range(len(table[0]))
    ]
    return [
        "  "
        + "  ".join(
            cell.ljust(w) if i in left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, width, strict=True))
        ).rstrip()
        for row in table
    ]
