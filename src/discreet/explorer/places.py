"""Where the page may have something written: below one folder, that of the command line, and nowhere else.

A page is asked by whoever sits before it, and perhaps by something that got into their browser. So a release goes only
into new folders there (or in the place of an older release), by plain names, and through no link.
"""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import DiscreetError, Mistake, shown
from discreet.releases.figures import private_folder

_LONGEST = 1000  # characters of a path
_EXAMPLE = "for example release"


def checked_root(into: Path) -> Path:
    """The folder for releases, as it really is."""
    if not into.is_dir():
        raise DiscreetError(Mistake(str(into), "is not a folder", "make it first, or leave --into out"))
    return Path(os.path.realpath(into))


def below(folder: object, place: Path, root: Path) -> Path:
    """The path that the page calls `folder`, as seen from `place`; raises why it is none for a release.

    >>> root = Path(os.path.realpath("."))
    >>> below("release", root, root) == root / "release"
    True
    >>> below("../release", root, root)
    Traceback (most recent call last):
    discreet.errors.DiscreetError: folder: must lie below the folder for releases, got '../release'; for example release
    """
    if not isinstance(folder, str) or not folder.strip() or len(folder) > _LONGEST:
        raise DiscreetError(Mistake("folder", f"must be a path, got {shown(folder)}", _EXAMPLE))
    named = Path(folder)
    if not named.parts or ".." in named.parts or not (place / named).is_relative_to(root):
        raise DiscreetError(Mistake("folder", f"must lie below the folder for releases, got {shown(folder)}", _EXAMPLE))
    path = place / named
    inside = path.relative_to(root).parts
    if not inside or any(not part.isprintable() or part[0] in ".-~" or part != part.strip() for part in inside):
        rule = f"must have names that do not begin with a dot, dash or tilde, got {shown(folder)}"
        raise DiscreetError(Mistake("folder", rule, _EXAMPLE))
    for way in (path, private_folder(path), *path.parents[: len(inside) - 1]):
        if way.is_symlink():
            rule = f"leads through a link, {shown(way.name)}"
            raise DiscreetError(Mistake("folder", rule, "name a folder that is where it seems to be"))
    return path
