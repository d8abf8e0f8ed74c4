"""A private folder that lives as long as what is held in it is needed by anybody."""

from __future__ import annotations

import os
import weakref

from discreet.files.temporary import TemporaryFolder


class HeldFolder:
    """A folder that nobody else can look into. It goes with the last that holds it, or when it is closed.

    >>> held = HeldFolder()
    >>> path = held.path
    >>> path.is_dir(), held.close(), path.exists(), held.closed
    (True, None, False, True)
    """

    def __init__(self) -> None:
        folder = TemporaryFolder()
        self.path = folder.path
        self._end = weakref.finalize(self, _remove, folder, os.getpid())

    @property
    def closed(self) -> bool:
        """Is it gone?"""
        return not self._end.alive

    def close(self) -> None:
        """It is no longer needed. Once more does nothing."""
        self._end()


def _remove(folder: TemporaryFolder, process: int) -> None:
    if process == os.getpid():  # a fork has its parent's objects, and must leave what is the parent's
        folder.remove()
