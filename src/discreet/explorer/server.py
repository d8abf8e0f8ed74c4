"""What the page asks, and who answers. Every answer is JSON of aggregates; every mistake has place, rule and repair.

What is only looked up is told at once. What is computed is a job: one that takes no longer than a second is the answer,
of another the name is told. How far all jobs are is heard on one stream (a browser has few connections to a server).
"""

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
from discreet.explorer.jobs import DONE, STOPPED, Job, Jobs, Work, problems
from discreet.explorer.news import News
from discreet.explorer.publishing import Publisher
from discreet.explorer.release_now import ReleaseNow
from discreet.explorer.session import Session
from discreet.explorer.steps import Steps
from discreet.report.html import TEMPLATES

PAGE = Path(__file__).parent / "page"
OF_REPORTS = ("look.css", "curves.css")
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".txt": "text/plain", ".md": "text/plain"}
MOVES = "/api/answer"  # of sliders
PATIENCE = 1.0  # seconds after which a question goes on as a job
_STILL_HERE = 15.0  # seconds after which a stream says so
_BETWEEN = 0.05  # seconds between two words of a stream: the newest alone is of interest

_GAVE_WAY = {"place": "", "rule": "it was stopped, or gave way to a newer question", "repair": "ask again"}

Question = Callable[[Job, Request], Any]
Asked = Callable[[Job, Request, dict[str, Any]], Any]


class Explorer:
    """The application: one session, and the routes to it."""

    def __init__(
        self, session: Session, told: Callable[[Exception], DiscreetError], place: Path, private: Path, root: Path
    ) -> None:
        """`told` says what an error means to who reads it; paths are told as seen from `place`; releases go below
        `root`; `private` is for uploads."""
        self.session, self._told_error, self._private = session, told, private
        self.news = News()
        session.listener = self.news.tell
        self.jobs = Jobs(told, self.news.wake)
        self.publisher = Publisher(session, place, root)
        self.now = ReleaseNow(session, self.jobs, self.news)
        self.steps = Steps(session, self.now)
        self.app = Starlette(routes=[*self._routes(), *_page()])

    def _routes(self) -> list[Route]:
        steps, session = self.steps, self.session
        at_once: dict[str, Callable[[Request], Any]] = {
            "/api/state": lambda request: self.state(),
            "/api/publish": lambda request: self.publisher.about(),
            "/api/jobs": lambda request: [job.standing() for job in self.jobs.running()],
            "/api/jobs/{job}": self._job,
        }
        changes: dict[str, Callable[[Request, dict[str, Any]], Any]] = {
            "/api/policy": self._change,
            "/api/jobs": self._start,
            "/api/jobs/{job}/stop": self._stop,
            "/api/hierarchy/{column:path}": self._use_hierarchy,
        }
        computed: dict[str, Question] = {
            "/api/columns": lambda job, request: columns.columns(session, request.query_params.get("rare") == "1"),
            "/api/promises": lambda job, request: steps.cards(job),
            "/api/tradeoff": lambda job, request: steps.axes(job),
            "/api/node": lambda job, request: steps.node(job, request.query_params.get("levels", "")),
            "/api/distribution": lambda job, request: steps.distribution(job),
            "/api/adversaries": lambda job, request: steps.adversaries(job),
            "/api/hierarchy/{column:path}": lambda job, request: hierarchies.hierarchy_of(session, _column(request)),
        }
        tried: dict[str, Asked] = {
            MOVES: lambda job, request, body: steps.answer(job, read_changes(body.get("set"))),
            "/api/tried/{column:path}": lambda job, request, body: {
                "hierarchy": hierarchies.tried_out(session, _column(request), body, self._private)
            },
        }
        return [
            *(Route(path, self._looked_up(answer), methods=["GET"]) for path, answer in at_once.items()),
            *(Route(path, self._changed(answer), methods=["POST"]) for path, answer in changes.items()),
            *(Route(path, self._computed(answer), methods=["GET"]) for path, answer in computed.items()),
            *(Route(path, self._tried(answer), methods=["POST"]) for path, answer in tried.items()),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/report", self._report, methods=["GET"]),
        ]

    def _looked_up(self, answer: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            return await run_in_threadpool(self._safely, lambda: answer(request))

        return respond

    def _changed(self, answer: Callable[[Request, dict[str, Any]], Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            raw = await request.body()
            return await run_in_threadpool(self._safely, lambda: answer(request, _body(raw)))

        return respond

    def _computed(self, answer: Question) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            what = (request.url.path, request.url.query, self.session.version)
            return await run_in_threadpool(self._by_a_job, request, lambda job: answer(job, request), what)

        return respond

    def _tried(self, answer: Asked) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            raw = await request.body()
            return await run_in_threadpool(self._by_a_job, request, lambda job: answer(job, request, _body(raw)))

        return respond

    def _by_a_job(self, request: Request, work: Work, what: object = None) -> Response:
        """The answer of a job, or its name. Questions about the same thing give way to newer ones, and what two tabs
        ask at the same time is computed once."""
        of = [f"{name}={value}" for name, value in request.query_params.items() if name != "levels"]
        job = self.jobs.start("?".join([request.url.path, *of]), work, key=what, known=False)
        if not job.wait(PATIENCE):
            self.jobs.make_known(job)
            return JSONResponse({"job": job.id}, 202)
        name, text = job.end
        if name == STOPPED:
            return JSONResponse({"problems": [_GAVE_WAY]}, 409)
        return Response(text, 200 if name == DONE else 500 if job.fault else 422, media_type="application/json")

    def _safely(self, answer: Callable[[], Any]) -> Response:
        """The answer, or what is wrong; of a fault of ours where it happened, and never what it quotes."""
        try:
            return JSONResponse(answer())
        except Exception as error:  # noqa: BLE001 - whoever asks is told
            meant = self._told_error(error)
            return JSONResponse({"problems": problems(meant)}, 500 if meant.exit_code == 70 else 422)

    def state(self) -> dict[str, Any]:
        """What every tab shows. The stamp is of before: of what happens meanwhile, a tab hears."""
        stamp = self.news.stamp
        candidate, searching = self.now.get()
        return self.session.state() | {"candidate": candidate, "searching": searching, "stamp": stamp}

    def _change(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        since = body.get("since")
        self.session.change(read_changes(body.get("set")), since if isinstance(since, int) else None)
        self.jobs.stop_kind(MOVES)  # what was moved has come to rest
        return self.state()

    def _use_hierarchy(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        hierarchies.use(self.session, _column(request), body, self._private)
        return {"state": self.state()}

    def _job(self, request: Request) -> dict[str, Any]:
        """What a job has told, from a number on."""
        job = self.jobs.get(request.path_params["job"])
        if job is None:
            raise DiscreetError(Mistake("jobs", "this job is gone", "start it again"))
        first = request.query_params.get("from", "0")
        at = int(first) if first.isdecimal() and len(first) < 10 else 0
        ended = job.ended  # before, so that nothing is told after the end
        return {"told": [[name, json.loads(text)] for name, text in job.told[at:]], "ended": ended}

    def _start(self, request: Request, body: dict[str, Any]) -> dict[str, str]:
        kind = body.get("kind")
        if kind == "publish":
            return {"job": self.jobs.start("publish", self.publisher.work(body), alone=True).id}
        same = ("lattice", self.session.version) if kind == "lattice" else None  # all tabs look at one map
        return {"job": self.jobs.start(str(kind), self.steps.work(str(kind), body), key=same).id}

    def _stop(self, request: Request, body: dict[str, Any]) -> dict[str, bool]:
        return {"stopped": self.jobs.stop(request.path_params["job"])}

    async def _report(self, request: Request) -> Response:
        page = await run_in_threadpool(self.publisher.report)
        return PlainTextResponse("There is no report yet.", 404) if page is None else HTMLResponse(page)

    async def _events(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[str]:
            event, told, jobs = self.news.listen(), -1, dict[str, dict[str, Any]]()
            try:
                while True:
                    event.clear()
                    if told != self.news.stamp:
                        told = self.news.stamp
                        yield _event("state", {"version": self.session.version, "stamp": told})
                    standing = {job.id: job.standing() for job in self.jobs.all()}
                    if news := [job for name, job in standing.items() if jobs.get(name) != job]:
                        jobs = standing
                        yield _event("jobs", news)
                    await asyncio.sleep(_BETWEEN)
                    if not await _waited(event):
                        yield ": still here\n\n"
            finally:
                self.news.leave(event)

        return StreamingResponse(stream(), media_type="text/event-stream")


async def _waited(event: asyncio.Event) -> bool:
    try:
        await asyncio.wait_for(event.wait(), _STILL_HERE)
    except TimeoutError:
        return False
    return True


def _event(name: str, data: Any) -> str:
    """One event of a stream; JSON has no line breaks of its own."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


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
    files = {file.relative_to(PAGE).as_posix(): file for file in sorted(PAGE.rglob("*")) if file.suffix in _TYPES}
    files |= {name: TEMPLATES / name for name in OF_REPORTS}
    files[""] = files.pop("index.html")
    return [Route(f"/{name}", _fixed(file), methods=["GET"]) for name, file in files.items()]


def _fixed(file: Path) -> Callable[[Request], Any]:
    content, kind = file.read_bytes(), _TYPES[file.suffix]

    async def respond(request: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return respond
