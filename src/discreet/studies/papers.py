"""The papers whose experiments can be run again: one module each, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from discreet.progress import Progress

if TYPE_CHECKING:
    from discreet.studies.claims import Reproduction

PAPERS = ("realistic", "robust", "ambiguity", "presence", "instant")


class Paper(Protocol):
    """What the module of a paper has."""

    def has_data(self, folder: Path) -> bool:
        """Does the folder have what the study needs?"""

    def reproduce(self, folder: Path | None, rows: int | None, progress: Progress) -> Reproduction:
        """Run it again: on the folder's table, or `rows` of it; without a folder, on invented people."""


def paper(name: str) -> Paper:
    """The module of one of `PAPERS`."""
    return cast(Paper, import_module(f"discreet.studies.{name}.study"))
