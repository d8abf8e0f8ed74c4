"""Small worlds: every source table of so many rows over a small domain, each of them released by the real thing.

A case says which rows all tables share, which rows the others may be, and what is asked of the release. The tables of a
case are those of its shared rows and every choice of free ones: of four kinds, of six in `make test-deep`.
DISCREET_DEEP_WORLDS=1 in the environment goes deeper.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from discreet import Infeasible, anonymize, policy_from_words
from tests.folder.reading import Folder, columns_of, read_folder
from tests.releases.reading import Row

# Unset, only the first kinds of a case are tried; n frees so many of its shared rows as well, 0 none of them.
DEEP = os.environ.get("DISCREET_DEEP_WORLDS")
QUICK = (0, 1, 2, 3, 4, 5) if os.environ.get("DISCREET_EXAMPLES") == "deep" else (0, 1, 2, 5)
World = tuple[Row, ...]


@dataclass(frozen=True)
class Case:
    """Tables of the `shared` rows and `free` others of `kinds`; `shows` is what must occur, or nothing was tested."""

    words: Mapping[str, Any]
    names: tuple[str, ...]
    shared: Sequence[Row]
    kinds: Sequence[Row]
    free: int = 2
    given: Sequence[World] | None = None  # the worlds themselves, where they are no choice of rows
    tried: Sequence[int] = ()  # which kinds, where a few others show nothing
    files: Mapping[str, str] = field(default_factory=dict)  # what the policy names
    shows: tuple[str, ...] = ("suppressed",)

    def worlds(self) -> Iterator[World]:
        if self.given is not None:
            yield from self.given
            return
        freed = int(DEEP or 0)
        fixed = max(len(self.shared) - freed, 0)
        kinds = list(dict.fromkeys([*self.kinds, *self.shared[fixed:]]))
        if DEEP is None and self.free > 1:
            kinds = [kind for i, kind in enumerate(kinds) if i in (self.tried or QUICK)]
        for others in combinations_with_replacement(kinds, self.free + len(self.shared) - fixed):
            yield (*self.shared[:fixed], *others)


@dataclass
class Told:
    """What the worlds of a case publish: the folders of equal tables and equally many suppressed rows together."""

    alike: dict[Any, list[tuple[World, Folder]]] = field(default_factory=lambda: defaultdict(list))
    released: int = 0
    refused: int = 0

    def put(self, world: World, folder: Folder) -> None:
        self.released += 1
        self.alike[folder.tables, folder.suppressed].append((world, folder))

    @property
    def several(self) -> list[list[tuple[World, Folder]]]:
        """Where more than one world publishes the same: only there can anything else tell them apart."""
        return [worlds for worlds in self.alike.values() if len(worlds) > 1]


def release_all(case: Case, folder: Path) -> Told:
    """Release every world of a case into a folder of the same name, and read it; refused worlds publish nothing."""
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    policy, told = policy_from_words(dict(case.words), folder), Told()
    for i, world in enumerate(case.worlds()):
        target = folder / f"{i}" / "release"
        target.parent.mkdir()
        try:
            anonymize(policy, target, source=columns_of(case.names, world))
        except Infeasible:
            told.refused += 1
            continue
        told.put(world, read_folder(target))
        shutil.rmtree(target.parent)
    return told
