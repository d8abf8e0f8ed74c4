"""A taxonomy for a column of a table: drafted, or checked beside it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from discreet.engines.base import Engine
from discreet.engines.open import open_source
from discreet.errors import DataError, Mistake, did_you_mean, shown
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.taxonomies.check import Checked, check_taxonomy
from discreet.hierarchies.taxonomies.draft import LARGEST, Draft, draft_taxonomy, too_many


def column_counts(source: Any, column: str) -> dict[Value, int]:
    """How many rows of a table (a path, an address or a frame) have each value of a column: two scans.

    A column with more values than anybody could list is refused.

    >>> column_counts({"nation": ["Peru", None, "Peru"]}, "nation")
    {'Peru': 2, None: 1}
    """
    engine = _opened(source, column)
    distinct = engine.ownership(column, []).number  # counted where they are: there may be millions
    if distinct > LARGEST:
        raise too_many(distinct, column)
    found = engine.frequencies([column])
    counts = zip(found.codes[0].tolist(), found.counts.tolist(), strict=True)
    rows = {found.values[0][code]: n for code, n in counts}
    return dict(sorted(rows.items(), key=lambda item: (item[0] is None, item[0] or "")))


def _opened(source: Any, column: str) -> Engine:
    """The table; a column that is named tells a header from a row, where nothing else does."""
    engine = open_source(source)
    if column in engine.columns:
        return engine
    with suppress(DataError):
        again = open_source(source, [column])
        if column in again.columns:
            return again
    raise DataError(Mistake(f"column {shown(column)}", "no such column", did_you_mean(column, engine.columns)))


def draft_hierarchy(source: Any, column: str) -> Draft:
    """A taxonomy to begin with, for a column of a table; `text` is the file.

    >>> print(draft_hierarchy({"code": ["47-2061", "47-2031", "29-1141"]}, "code").text)
    29-1141;29…;*
    47-2031;47…;*
    47-2061;47…;*
    <BLANKLINE>
    """
    return draft_taxonomy(column_counts(source, column), column)


def check_hierarchy(file: Path | str, source: Any = None, column: str | None = None, *, k: int = 5) -> Checked:
    """A taxonomy file that can be used, beside a column if one is given, or all its mistakes at once.

    Values that fewer than `k` rows have are counted in messages, and not named.
    """
    counts = None if source is None or column is None else column_counts(source, column)
    return check_taxonomy(file, counts, rare=k)
