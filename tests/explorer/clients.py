"""Explorers of small tables, asked as their own page asks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

from discreet.cli.faults import told
from discreet.explorer.serving import Service, own_port
from discreet.explorer.starting import start


def people(rows: int = 240) -> str:
    """A table whose columns `init` knows by their names; one town has a single person."""
    lines = ["age,sex,zip,disease"]
    for i in range(rows):
        disease = ("flu", "cold", "gout", "asthma", "hay fever")[i * 7 % 5]
        lines.append(f"{20 + i * 13 % 40},{'fm'[i % 2]},{47000 + i * 5 % 30 if i else 99999},{disease}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Client:
    """A real server in a thread, and a browser with its cookie; strangers ask with `ask` and no cookie."""

    def __init__(self, named: str, place: Path, into: Path | None = None) -> None:
        private = place / "private"
        private.mkdir(exist_ok=True)
        self._listener = own_port(0)
        self.port = self._listener.getsockname()[1]
        self.here = f"http://127.0.0.1:{self.port}"
        self.service = Service(start(named), self._listener, told, place, private, into)
        self.explorer, self.guard = self.service.explorer, self.service.guard
        self._thread = Thread(target=self.service.run, daemon=True)
        self._thread.start()
        entered = self.ask("GET", f"/?token={self.guard.token}")
        assert entered.status == 303
        self.cookie = {"Cookie": entered.headers["set-cookie"].partition(";")[0]}
        self.own = self.cookie | {"Origin": self.here, "Content-Type": "application/json"}

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None) -> Answer:
        """One request with these headers and no others; `Host` is ours, if nothing is said."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
            for name, value in (headers or {}).items():
                connection.putheader(name, value.encode("utf-8"))
            chunked = not isinstance(body, bytes | None)
            if chunked:
                connection.putheader("Transfer-Encoding", "chunked")
            elif body is not None and "Content-Length" not in (headers or {}):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            with suppress(BrokenPipeError, ConnectionResetError):  # it has heard enough
                for part in [] if body is None else body if chunked else [body]:
                    connection.send(f"{len(part):x}\r\n".encode() + part + b"\r\n" if chunked else part)
                if chunked:
                    connection.send(b"0\r\n\r\n")
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, headers, answer.read().decode())
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        return self._told(self.ask("GET", path, self.cookie), 200)

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        return self._told(self.ask("POST", path, self.own, json.dumps(body).encode()), status)

    def _told(self, answer: Answer, status: int) -> Any:
        """What was answered, also if that took so long that a job went on with it."""
        if answer.status == 202:
            name, told = self.events(answer.json()["job"])[-1]
            assert name == ("done" if status == 200 else "failed"), told
            return told
        assert answer.status == status, answer.text
        return answer.json()

    def change(self, *changes: tuple[list[Any], Any], status: int = 200) -> Any:
        return self.post("/api/policy", {"set": [[path, value] for path, value in changes]}, status)

    def decide(self) -> None:
        """Answer all open questions as proposed."""
        for decision in self.get("/api/state")["open"]:
            self.change((decision["path"], None))

    def job(self, kind: str, **body: Any) -> list[tuple[str, Any]]:
        """Start a job, and all that it tells."""
        job = self.post("/api/jobs", {"kind": kind, **body})["job"]
        return self.events(job)

    def events(self, job: str) -> list[tuple[str, Any]]:
        """All that a job tells until it ends, as the page asks for it: how far it is, it hears elsewhere."""
        told: list[tuple[str, Any]] = []
        while True:
            answer = self.ask("GET", f"/api/jobs/{job}?from={len(told)}", self.cookie).json()
            if "problems" in answer:
                return [*told, ("failed", answer)]
            told += [(name, data) for name, data in answer["told"]]
            if answer["ended"]:
                return told
            time.sleep(0.02)

    def heard(self, until: Callable[[str, Any], bool]) -> list[tuple[str, Any]]:
        """What the stream tells, event by event, until one is as wished for."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/api/events", headers=self.cookie)
        answer, told = connection.getresponse(), list[tuple[str, Any]]()
        try:
            while not told or not until(*told[-1]):
                line = answer.readline().decode().strip()
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    told.append((name, json.loads(line.removeprefix("data: "))))
            return told
        finally:
            connection.close()

    def close(self) -> None:
        self.service.end()
        self._thread.join(10)
        self._listener.close()


def until(true: Any, seconds: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)
