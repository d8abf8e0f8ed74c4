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


def serve(
    start: Start,
    listener: socket.socket,
    told: Callable[[Exception], DiscreetError],
    ready: Callable[[str], None],
    place: Path | None = None,
) -> None:
    """Answer the page until somebody ends it. `ready` is told the address to open."""
    import uvicorn

    from discreet.explorer.guard import Guard
    from discreet.explorer.server import Explorer
    from discreet.explorer.session import Session

    with closing(listener), temporary_folder() as private:
        explorer = Explorer(Session(start), told, Path.cwd() if place is None else place, private)
        guard = Guard(explorer.app, listener.getsockname()[1])
        config: Any = uvicorn.Config(
            guard, log_level="critical", access_log=False, lifespan="off", server_header=False, ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        ready(guard.address)
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            explorer.jobs.close()
