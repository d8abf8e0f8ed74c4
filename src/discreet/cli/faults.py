"""What an error means to who called the command: a mistake to mend, too little memory, or a fault of ours."""

from __future__ import annotations

import errno
from pathlib import Path
from traceback import extract_tb
from types import TracebackType

from discreet.errors import DiscreetError, Mistake

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
_LESS = (
    "leave out quasi-identifiers or make their values coarser (at the lowest level of a hierarchy, or in the table), "
    "say search: instant, or use a machine with more memory"
)


class Fault(DiscreetError):
    """A fault of ours: nothing that the caller could mend."""

    exit_code = 70


def told(error: Exception) -> DiscreetError:
    """An error of any kind, as the user is to read it.

    >>> told(MemoryError()).exit_code, told(KeyError()).exit_code
    (2, 70)
    """
    match error:
        case DiscreetError():
            return error
        case MemoryError():
            return DiscreetError(Mistake("discreet", "this machine ran out of memory", _LESS))
        case OSError() if error.errno in _NO_ROOM:
            place = str(error.filename or "discreet")
            repair = "free some, or let TMPDIR or the folder of the release be on a larger disk"
            return DiscreetError(Mistake(place, "no space left on the disk", repair))
        case OSError() if error.errno == errno.ENOMEM:
            return DiscreetError(Mistake("discreet", "this machine ran out of memory", _LESS))
        case OSError():
            why = (error.strerror or type(error).__name__).lower()
            return DiscreetError(Mistake(str(error.filename or "discreet"), why))
    return _fault(type(error), error.__traceback__)


def _fault(kind: type[BaseException], trace: TracebackType | None) -> Fault:
    """Where it happened, but not its message, which may quote a person's record."""
    frames = [frame for frame in extract_tb(trace) if "discreet" in Path(frame.filename).parts] or extract_tb(trace)
    where = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "unknown"
    return Fault(Mistake("discreet", f"a fault of ours: {kind.__name__} in {where}", "please report it"))
