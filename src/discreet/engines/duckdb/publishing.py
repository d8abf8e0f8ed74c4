"""The tables of a release as files of a folder: CSV or Parquet, written and read by DuckDB."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.engines.base import Rewriting
from discreet.engines.duckdb.formulas import escaped

if TYPE_CHECKING:
    from discreet.engines.counted_rows import CountedRows
    from discreet.engines.duckdb.engine import DuckDB


@dataclass(frozen=True, eq=False)
class PublishedFiles:
    """The tables of a finished release, to be read; `escape`, those in CSV have apostrophes before formulas."""

    folder: Path
    escape: bool = field(default=False, kw_only=True)

    def open(self, table: str, named: Sequence[str] = ()) -> DuckDB:
        """A table, to be read; `named` are columns that it should have."""
        from discreet.engines.duckdb.engine import DuckDB  # late: it is made of this module

        if not self.escape or not table.endswith(".csv"):
            return DuckDB(self.folder / table, named, beside=self._beside)
        return DuckDB(self.folder / table, [escaped(column) for column in named], beside=self._beside).unescaped()

    @property
    def _beside(self) -> DuckDB | None:
        """An engine that is open anyway."""
        return None

    def about(self, table: str) -> dict[str, Any]:
        """What the manifest says about it, so that a change will be noticed."""
        return about_file(self.folder / table)


@dataclass(frozen=True, eq=False)
class WrittenFiles(PublishedFiles):
    """The same while they are written, in one form, from the table of an engine."""

    form: str
    source: DuckDB

    @property
    def _beside(self) -> DuckDB | None:
        return self.source  # it has been asked all that it will be

    def name(self, stem: str) -> str:
        """What a table is called there."""
        return f"{stem}.{self.form}"

    def write(self, table: str, rows: CountedRows, random: np.random.Generator | None = None) -> None:
        """Write rows as often as they count, shuffled or as they stand. Parquet keeps the types of exact columns."""
        if self.form == "parquet":
            columns = (
                replace(c, dictionary=self.source.typed(c.name, c.dictionary)) if c.exact else c for c in rows.columns
            )
            rows = replace(rows, columns=tuple(columns))
        batches = rows.in_order() if random is None else rows.shuffled(random)
        self.source.write(batches, self.folder / table, self.escape)

    def rewrite(self, table: str, rewriting: Rewriting) -> None:
        """Write the source's own rows, recoded: one scan of it."""
        self.source.rewrite(rewriting, self.folder / table, self.escape)

    def describe(self, manifest: str) -> None:
        """The folder keeps the manifest beside the tables."""


def about_file(path: Path) -> dict[str, Any]:
    """Fingerprint and size of a file; of a folder, those of its parts."""
    if path.is_dir():
        return {"parts": {part.name: about_file(part) for part in sorted(path.iterdir())}}
    return {"sha256": sha256(path), "bytes": path.stat().st_size}


def sha256(path: Path) -> str:
    """Fingerprint of a file."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()
