"""How a process of pytest-xdist ends: at once, when all that others have asked for at the end is done.

To take apart what is left takes a second of each process. And what C code or pytest still holds on to would be listed
by DuckDB (nanobind), name by name, as leaked: a hundred lines, of no fault of ours.
"""

import atexit
import os

_at_once = False


def end_at_once() -> None:
    """Said by a worker of itself. What it has found is told by then, and nobody asks how it ended."""
    global _at_once
    _at_once = True


@atexit.register  # before anything else is, and so the last to be called
def _end() -> None:
    if _at_once:
        os._exit(0)
