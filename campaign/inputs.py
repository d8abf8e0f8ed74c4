"""What an input is: files in a folder, and the commands that read them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from campaign.garden import Garden
from campaign.planted import plant_outside

HERE = "here"  # the folder that commands run in, inside of an input's folder


@dataclass(frozen=True)
class Input:
    """Commands, the first of which is the test; those `after` it run if it exits with 0, and must do so, too.

    `what` says what was done to a valid input. `release` is the folder that the first command should write, if any.
    Where `nameless`, nobody's name may be in it.
    """

    family: str
    what: str
    argv: tuple[str, ...]
    after: tuple[tuple[str, ...], ...] = ()
    release: str | None = None
    nameless: bool = False

    def save(self, folder: Path) -> None:
        (folder / "input.json").write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(folder: Path) -> Input:
        words = json.loads((folder / "input.json").read_text(encoding="utf-8"))
        words["argv"], words["after"] = tuple(words["argv"]), tuple(map(tuple, words["after"]))
        return Input(**words)


# Writes files into a folder and says which command to run there. The number counts the inputs of the family.
Maker = Callable[[Random, int, Path, Garden], Input]


def families() -> Mapping[str, tuple[int, Maker]]:
    """Every family with its share of the inputs."""
    from campaign import command_lines, policies, releases, tables, texts
    from campaign.summaries import summaries

    return {
        "policies": (30, policies.changed),
        "policy bytes": (8, policies.broken_text),
        "CSV": (18, tables.csv),
        "Parquet": (8, tables.parquet),
        "manifests": (14, releases.manifests),
        "mappings": (4, releases.mappings),
        "release folders": (4, releases.folders),
        "hierarchies": (4, texts.hierarchies),
        "priors and lists": (3, texts.lists),
        "descriptions": (3, texts.descriptions),
        "summaries": (4, summaries),
        "command lines": (10, command_lines.command_lines),
    }


def schedule(count: int) -> list[tuple[str, int]]:
    """The family of each input and its number within it: shares as above, evenly spread.

    >>> [family for family, _ in schedule(4)]
    ['policies', 'CSV', 'manifests', 'command lines']
    >>> len(set(schedule(1000)))
    1000
    """
    shares = {name: share for name, (share, _) in families().items()}
    whole = sum(shares.values())
    made = dict.fromkeys(shares, 0)
    places = []
    for i in range(count):
        family = max(shares, key=lambda name: shares[name] * (i + 1) / whole - made[name])
        places.append((family, made[family]))
        made[family] += 1
    return places


def make(family: str, number: int, seed: int, folder: Path, garden: Garden) -> Input:
    """Write the files of an input into `folder`; the same seed gives the same input."""
    here = folder / HERE
    here.mkdir(parents=True)
    plant_outside(folder / "outside")
    _, maker = families()[family]
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)  # some inputs are deep; commands get the usual limit again
    try:
        made = maker(Random(f"{seed}:{family}:{number}"), number, here, garden)
    finally:
        sys.setrecursionlimit(usual)
    made.save(folder)
    return made
