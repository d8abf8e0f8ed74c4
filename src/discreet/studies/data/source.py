"""Where the tables of a study come from: a file of the data folder, or invented people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar


class Described(Protocol):
    """The tables of a study, whatever else they have."""

    @property
    def data(self) -> str:
        """What they are, in words."""

    @property
    def from_folder(self) -> bool:
        """Are they the data folder's, not invented?"""


Tables = TypeVar("Tables", bound=Described)


@dataclass(frozen=True)
class Source(Generic[Tables]):
    """The file that the data folder must have, and how tables are made of it or without it."""

    file: Path
    from_folder: Callable[[Path, int | None], Tables]
    invented: Callable[[int], Tables]
    rows: int  # are invented, if nobody asks for another number

    def is_in(self, folder: Path) -> bool:
        """Does the folder have the file?"""
        return (folder / self.file).is_file()

    def tables(self, folder: Path | None, rows: int | None) -> Tables:
        """Those of the folder (or `rows` of them); without a folder, invented ones."""
        return self.invented(rows or self.rows) if folder is None else self.from_folder(folder, rows)
