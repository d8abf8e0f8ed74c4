"""Who may talk to the explorer: the browser of whoever started it, and nobody else.

It listens on this machine alone. The address that is opened first has a random token; whoever shows it first gets a
cookie, and every other request must have that. The token is good for once: it was an argument of the command that
opened the browser, and others who use this machine may have seen it there. A page of a stranger, open in the same
browser, can send requests here: they have no cookie (SameSite=Strict), a name that leads here is not ours (Host), and
changes must come from our own page (Origin). What the browser may load is said by a Content-Security-Policy without
inline code.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 8_000_000  # of what is sent to us
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'self'; sandbox"
REPORT = "/report"
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Stands before the application, and lets through what may pass."""

    def __init__(self, app: App, port: int) -> None:
        self._app, self._port = app, port
        self.token = secrets.token_urlsafe(32)
        self._pass = secrets.token_urlsafe(32)
        self._cookie = f"discreet-{port}"
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    @property
    def address(self) -> str:
        """What is opened first."""
        return f"http://127.0.0.1:{self._port}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self._shows_token(scope):
            self.token = secrets.token_urlsafe(32)
            cookie = f"{self._cookie}={self._pass}; Path=/; HttpOnly; SameSite=Strict"
            await _answer(send, 303, "", (b"location", b"/"), (b"set-cookie", cookie.encode()))
            return
        if not _same(_cookie_of(headers, self._cookie), self._pass):
            why = "This page belongs to whoever started it: open the address that `discreet explore` showed."
            await _answer(send, 403, why)
            return
        policy = REPORT_POLICY if scope["path"] == REPORT else PAGE_POLICY

        async def safely(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", []))
                message["headers"] = [*own, *_ALWAYS, (b"content-security-policy", policy.encode())]
            await send(message)

        if scope["method"] != "POST":
            await self._app(scope, receive, safely)
        elif (body := await _whole(receive)) is None:
            await _answer(send, 413, _TOO_MUCH)
        else:
            await self._app(scope, _again(body, receive), safely)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is not looked at, whoever sends it."""
        host = headers.get("host", [])
        if len(host) != 1 or host[0] not in self._hosts:
            return 421, "There is nothing by that name here."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "That is not done here."
        site = headers.get("sec-fetch-site", ["none"])
        if site not in (["same-origin"], ["none"]) and not self._shows_token(scope):
            return 403, "Another page asks."
        if scope["method"] == "POST":
            if headers.get("origin", []) != [f"http://{host[0]}"]:
                return 403, "Changes are made from the explorer's own page."
            if headers.get("content-type", [""])[0].partition(";")[0].strip().lower() != "application/json":
                return 415, "Changes are sent as JSON."
            length = headers.get("content-length", ["0"])
            if len(length) != 1 or not length[0].isdecimal() or int(length[0][:20]) > MOST_BYTES:
                return 413, _TOO_MUCH
        return None

    def _shows_token(self, scope: Scope) -> bool:
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        shown = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        return len(shown) == 1 and _same(shown[0], self.token)


_TOO_MUCH = f"That is too much: at most {MOST_BYTES:,} bytes are taken."


def _same(one: str | None, other: str) -> bool:
    """Compared in a time that tells nothing."""
    return one is not None and hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _cookie_of(headers: dict[str, list[str]], name: str) -> str | None:
    pairs = (part.strip().partition("=") for line in headers.get("cookie", []) for part in line.split(";"))
    return next((value for own, _, value in pairs if own == name), None)


async def _whole(receive: Receive) -> bytes | None:
    """All that is sent to us, whatever length it says to have; None as soon as it is too much."""
    parts, taken, more = [], 0, True
    while more:
        message = await receive()
        part = message.get("body", b"")
        taken += len(part)
        if taken > MOST_BYTES:
            return None
        parts.append(part)
        more = message.get("more_body", False) and message["type"] == "http.request"
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """What was read, for the application; then whatever else comes."""
    told = False

    async def take() -> MutableMapping[str, Any]:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return take


async def _answer(send: Send, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    body = text.encode()
    policy = (b"content-security-policy", PAGE_POLICY.encode())
    about = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*about, *_ALWAYS, policy, *headers]})
    await send({"type": "http.response.body", "body": body})
