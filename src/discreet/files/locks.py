"""Who is at work in a place: a lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on every platform
    fcntl = None  # type: ignore[assignment]

# What file systems answer that know no locks.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)


class Held(Exception):
    """Somebody else has the lock. `left` is a file to remove by hand if nobody does, where no system can tell."""

    def __init__(self, left: Path | None = None):
        super().__init__("held by another run")
        self.left = left


class Lock:
    """A file that one process at a time may hold. It is removed when it is let go.

    Where the system knows locks, one whose holder died is free. Elsewhere the file itself is the lock, and one that a
    killed process left must be removed by hand.
    """

    def __init__(self, path: Path):
        self._path = path
        self._handle: int | None = _locked(path) if fcntl is not None else None
        if self._handle is None:
            self._path = path.with_name(f"{path.name}ed")
            try:
                self._handle = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            except FileExistsError:
                raise Held(self._path) from None

    def let_go(self) -> None:
        """Nobody holds it now. Whoever waits for the removed file sees that it is another one, and asks again."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            with suppress(OSError):
                self._path.unlink()
            os.close(handle)


def _locked(path: Path) -> int | None:
    """The open file at `path`, locked; None where locks are not known."""
    while True:
        handle = _open(path)
        try:
            # Network file systems want it open for writing.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.lstat(path)):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise Held from None
        except FileNotFoundError:
            pass  # its holder removed it between our two calls
        except OSError as error:
            os.close(handle)
            if error.errno not in _NO_LOCKS:
                raise
            with suppress(OSError):
                path.unlink()
            return None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINKS, 0o666)
    except PermissionError:  # another user's, in a folder that several share
        if not path.exists():
            raise
        return os.open(path, os.O_RDONLY | _NO_LINKS)
