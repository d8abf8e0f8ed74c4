"""Published tables as frames: of the kind that came in, with the types that came in, and nothing else of it.

A frame carries more than its rows: the categories of a column list values that no published row has, an index numbers
people. So a frame is made anew of what was published, and takes from the one that came in the types of exact columns
alone.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

PANDAS, POLARS, MAPPING, ARROW = "pandas", "polars", "mapping", "arrow"


@dataclass(frozen=True)
class FrameKind:
    """What sort of frame came in: `types` are what its library calls the types of its columns (pandas alone).

    >>> kind_of({"age": [40]}).made(pa.table({"age": ["40-49"]}), [])
    {'age': ['40-49']}
    """

    library: str = ARROW
    types: Mapping[str, Any] = field(default_factory=dict)

    def made(self, table: pa.Table, exact: Collection[str]) -> Any:
        """A published table as such a frame; `exact` columns have the values of the source, the others are texts."""
        match self.library:
            case "pandas":
                return self._pandas(table, exact)
            case "polars":
                return sys.modules["polars"].from_arrow(table)  # it is loaded: such a frame came in
            case "mapping":
                return table.to_pydict()
        return table

    def _pandas(self, table: pa.Table, exact: Collection[str]) -> Any:
        pandas, columns = sys.modules["pandas"], {}
        for name in table.column_names:
            values, wanted = table.column(name), self.types.get(name) if name in exact else None
            if wanted is not None and str(wanted) == "category":
                columns[name] = values.to_pandas().astype("category")  # of the values that are published
            else:
                columns[name] = _series(values, wanted)
        return pandas.DataFrame(columns, index=pandas.RangeIndex(table.num_rows), copy=False)


ARROW_FRAME = FrameKind()


def _series(values: pa.ChunkedArray, wanted: Any) -> Any:
    """A column for pandas, of the type that is wanted, if the values can have it.

    What is text stays text: pandas would make the first of January of a year.
    """
    if pa.types.is_string(values.type) or wanted is None or str(wanted) == "object":
        return values.to_pandas()
    with suppress(ValueError, TypeError, OverflowError, NotImplementedError, pa.ArrowException):
        if hasattr(wanted, "__from_arrow__"):  # beside None such types hold whole numbers that floats can't
            return sys.modules["pandas"].Series(wanted.__from_arrow__(values))
        return values.to_pandas().astype(wanted)
    return values.to_pandas()


def kind_of(source: Any) -> FrameKind:
    """The sort of frame that a table came in. Tables of files and databases go out as Arrow.

    >>> kind_of(pa.table({"age": [40]})).library, kind_of("people.csv").library
    ('arrow', 'arrow')
    """
    library = type(source).__module__.split(".")[0]
    if library == PANDAS and hasattr(source, "dtypes"):
        return FrameKind(PANDAS, {str(name): kind for name, kind in source.dtypes.items()})
    if library == POLARS:
        return FrameKind(POLARS)
    return FrameKind(MAPPING if isinstance(source, dict) else ARROW)
