"""The server on this machine: a port of our own, the address to open, and the end of it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, Mistake
from discreet.explorer.starting import Start
from discreet.files.temporary import temporary_folder

HOST = "127.0.0.1"
_NEEDED = ("starlette", "uvicorn")


def check_installed() -> None:
    """Is there what the server is made of?"""
    if any(find_spec(name) is None for name in _NEEDED):
        repair = "pip install 'discreet[web]'"
        raise DiscreetError(Mistake("explore", "needs Starlette and uvicorn, which are not installed", repair))


def own_port(port: int) -> socket.socket:
    """A socket that listens on this machine alone; port 0 is any free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            rule = "another process listens there, perhaps an explorer of yours"
            raise DiscreetError(Mistake(f"port {port}", rule, "end it, or choose another --port")) from None
        raise DiscreetError(Mistake(f"port {port}", "can't be used", "choose another --port")) from None
    return listener


class Service:
    """The server, before it runs: whoever starts it in a thread can end it."""

    def __init__(
        self,
        start: Start,
        listener: socket.socket,
        told: Callable[[Exception], DiscreetError],
        place: Path,
        private: Path,
        root: Path | None = None,
    ) -> None:
        """`told` says what an error means to who reads it; paths are told as seen from `place`; releases go below
        `root`, if it is not there; `private` is for uploads."""
        import uvicorn

        from discreet.explorer.guard import Guard
        from discreet.explorer.places import checked_root
        from discreet.explorer.server import Explorer
        from discreet.explorer.session import Session

        self._listener = listener
        self.explorer = Explorer(Session(start), told, place, private, checked_root(root or place))
        self.guard = Guard(self.explorer.app, listener.getsockname()[1])
        config: Any = uvicorn.Config(
            self.guard,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Answer the page until somebody ends it."""
        try:
            self._server.run(sockets=[self._listener])
        finally:
            self.explorer.jobs.close()

    def end(self) -> None:
        """From another thread."""
        self._server.should_exit = True


def serve(
    start: Start,
    listener: socket.socket,
    told: Callable[[Exception], DiscreetError],
    ready: Callable[[str], None],
    root: Path | None = None,
) -> None:
    """Answer the page until a signal ends it. `ready` is told the address to open; releases go below `root`."""
    with closing(listener), temporary_folder() as private:
        service = Service(start, listener, told, Path.cwd(), private, root)
        ready(service.guard.address)
        service.run()
