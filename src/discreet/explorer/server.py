"""What the page asks, and who answers. Every answer is JSON of aggregates; every mistake has place, rule and repair."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from discreet.errors import DiscreetError, Mistake
from discreet.explorer import columns, hierarchies
from discreet.explorer.changes import read_changes
from discreet.explorer.jobs import Jobs, problems
from discreet.explorer.news import News
from discreet.explorer.publishing import Publisher
from discreet.explorer.release_now import ReleaseNow
from discreet.explorer.session import Session
from discreet.explorer.steps import Steps

PAGE = Path(__file__).parent / "page"
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".md": "text/plain"}
_STILL_HERE = 15.0  # seconds after which a stream says so


class Explorer:
    """The application: one session, and the routes to it."""

    def __init__(
        self, session: Session, told: Callable[[Exception], DiscreetError], place: Path, private: Path
    ) -> None:
        """`told` says what an error means to who reads it, `place` is where releases go, `private` is for uploads."""
        self.session, self._told_error, self._private = session, told, private
        self.news = News()
        session.listener = self.news.tell
        self.jobs = Jobs(told)
        self.publisher = Publisher(session, place)
        self.now = ReleaseNow(session, self.jobs, self.news)
        self.steps = Steps(session, self.now)
        self.app = Starlette(routes=[*self._routes(), *_page()])

    def _routes(self) -> list[Route]:
        answers: dict[str, Callable[[Request], Any]] = {
            "/api/state": lambda request: self.state(),
            "/api/columns": lambda request: columns.columns(self.session, request.query_params.get("rare") == "1"),
            "/api/promises": lambda request: self.steps.cards(),
            "/api/tradeoff": lambda request: self.steps.axes(),
            "/api/node": lambda request: self.steps.node(request.query_params.get("levels", "")),
            "/api/distribution": lambda request: self.steps.distribution(),
            "/api/adversaries": lambda request: self.steps.adversaries(),
            "/api/publish": lambda request: self.publisher.about(),
            "/api/jobs": lambda request: [
                {"job": job.id, "kind": job.kind, "done": None, "of": None, "text": job.kind, **job.last}
                for job in self.jobs.running()
            ],
            "/api/hierarchy/{column:path}": lambda request: hierarchies.hierarchy_of(self.session, _column(request)),
        }
        changes: dict[str, Callable[[Request, dict[str, Any]], Any]] = {
            "/api/policy": self._change,
            "/api/answer": lambda request, body: self.steps.answer(read_changes(body.get("set"))),
            "/api/jobs": self._start,
            "/api/jobs/{job}/stop": self._stop,
            "/api/hierarchy/{column:path}": self._hierarchy,
        }
        return [
            *(Route(path, self._asked(answer), methods=["GET"]) for path, answer in answers.items()),
            *(Route(path, self._posted(answer), methods=["POST"]) for path, answer in changes.items()),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/api/jobs/{job}/events", self._job_events, methods=["GET"]),
            Route("/report", self._report, methods=["GET"]),
        ]

    def _asked(self, answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            return await run_in_threadpool(self._safely, lambda: answer(request))

        return respond

    def _posted(self, answer: Callable[[Request, dict[str, Any]], Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            raw = await request.body()
            return await run_in_threadpool(self._safely, lambda: answer(request, _body(raw)))

        return respond

    def _safely(self, answer: Callable[[], Any]) -> Response:
        """The answer, or what is wrong; of a fault of ours where it happened, and never what it quotes."""
        try:
            return JSONResponse(answer())
        except Exception as error:  # noqa: BLE001 - whoever asks is told
            meant = self._told_error(error)
            return JSONResponse({"problems": problems(meant)}, 500 if meant.exit_code == 70 else 422)

    def state(self) -> dict[str, Any]:
        """What every tab shows."""
        candidate, searching = self.now.get()
        return self.session.state() | {
            "candidate": candidate,
            "searching": searching,
            "stamp": self.news.stamp,
        }

    def _change(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        self.session.change(read_changes(body.get("set")))
        return self.state()

    def _hierarchy(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        name = _column(request)
        if request.query_params.get("dry") == "1":
            return {"hierarchy": hierarchies.tried_out(self.session, name, body, self._private)}
        hierarchies.use(self.session, name, body, self._private)
        return {"state": self.state()}

    def _start(self, request: Request, body: dict[str, Any]) -> dict[str, str]:
        kind = body.get("kind")
        if kind == "publish":
            return {"job": self.jobs.start("publish", self.publisher.work(body), alone=True).id}
        return {"job": self.jobs.start(str(kind), self.steps.work(str(kind), body)).id}

    def _stop(self, request: Request, body: dict[str, Any]) -> dict[str, bool]:
        return {"stopped": self.jobs.stop(request.path_params["job"])}

    async def _report(self, request: Request) -> Response:
        page = await run_in_threadpool(self.publisher.report)
        return PlainTextResponse("There is no report yet.", 404) if page is None else HTMLResponse(page)

    async def _events(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[str]:
            event, told = self.news.listen(), -1
            try:
                while True:
                    event.clear()
                    if told != self.news.stamp:
                        told = self.news.stamp
                        yield _event("state", json.dumps({"version": self.session.version, "stamp": told}))
                    if not await _waited(event):
                        yield ": still here\n\n"
            finally:
                self.news.leave(event)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def _job_events(self, request: Request) -> Response:
        job = self.jobs.get(request.path_params["job"])
        if job is None:
            gone = json.dumps({"problems": [{"place": "jobs", "rule": "this job is gone", "repair": "start it again"}]})
            return Response(_event("failed", gone, 0), media_type="text/event-stream")
        last = request.headers.get("last-event-id", "")

        async def stream() -> AsyncIterator[str]:
            event, at = job.news.listen(), int(last) + 1 if last.isdecimal() and len(last) < 10 else 0
            try:
                while True:
                    event.clear()
                    ended = job.ended
                    for number in range(at, len(job.events)):
                        yield _event(*job.events[number], number)
                        at = number + 1
                    if ended:
                        return
                    if not await _waited(event):
                        yield ": still here\n\n"
            finally:
                job.news.leave(event)

        return StreamingResponse(stream(), media_type="text/event-stream")


async def _waited(event: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(event.wait(), _STILL_HERE)
    except TimeoutError:
        return False
    return True


def _event(name: str, text: str, number: int | None = None) -> str:
    """One event of a stream; JSON has no line breaks of its own."""
    return f"event: {name}\n{'' if number is None else f'id: {number}' + chr(10)}data: {text}\n\n"


def _body(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise DiscreetError(Mistake("request", "must be a JSON object"))
    return body


def _column(request: Request) -> str:
    return str(request.path_params["column"])


def _page() -> list[Route]:
    """The files of the page, by name: nothing else of the disk is ever served."""
    routes = []
    for file in sorted(PAGE.rglob("*")):
        if file.is_file() and file.suffix in _TYPES:
            content, kind = file.read_bytes(), _TYPES[file.suffix]
            name = "/" if file.name == "index.html" else f"/{file.relative_to(PAGE).as_posix()}"
            routes.append(Route(name, _fixed(content, kind), methods=["GET"]))
    return routes


def _fixed(content: bytes, kind: str) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return respond
