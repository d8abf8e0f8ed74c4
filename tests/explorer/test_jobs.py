"""Questions that take longer than a second: each goes on as a job, tells how far it is, and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import pytest

from discreet.explorer.figures import candidate as candidates
from discreet.explorer.jobs import Job, Jobs
from discreet.explorer.server import PATIENCE
from tests.explorer.clients import Client, people, until
from tests.explorer.slowness import slow

K = ["require", 0, "k_anonymity", "k"]
MOVE = {"set": [[K, 20]]}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "people.csv").write_text(people())
    made = Client(str(tmp_path / "people.csv"), tmp_path)
    yield made
    made.close()


def moved(client: Client, body: Any = MOVE) -> str:
    """The job of a move that takes long."""
    answer = client.ask("POST", "/api/answer", client.own, json_of(body))
    assert answer.status == 202, answer.text
    return str(answer.json()["job"])


def json_of(body: Any) -> bytes:
    import json

    return json.dumps(body).encode()


def test_a_move_that_takes_longer_than_a_second_is_a_job_with_progress(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = client.post("/api/answer", MOVE)
    monkeypatch.setattr(candidates, "_last", [])  # on a busy machine it took so long that it is remembered
    with slow(monkeypatch) as go_on:
        begun = time.monotonic()
        job = moved(client)
        assert time.monotonic() - begun < PATIENCE + 1.5  # the machine may be busy
        heard = client.heard(
            lambda name, told: name == "jobs" and any(one["job"] == job and one["done"] for one in told)
        )
        [standing] = [one for one in heard[-1][1] if one["job"] == job]
        assert standing["of"] == 1000 and standing["text"] == "search: a slow one" and not standing["ended"]
        assert [one["job"] for one in client.get("/api/jobs")] == [job]
        go_on.set()
        (first, meant), done = client.events(job)
        assert done == ("done", at_once) and first == "point"  # what is meant is told before it is searched for
        assert [one["sentence"] for one in meant["promises"]] == [one["sentence"] for one in at_once["promises"]]
        assert {one["kept"] for one in meant["promises"]} == {None} and "19 other" in str(meant)
    assert client.get("/api/state")["version"] == 1


def test_a_move_can_be_stopped(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with slow(monkeypatch):
        job = moved(client)
        assert client.post(f"/api/jobs/{job}/stop", {}) == {"stopped": True}
        assert client.events(job)[-1] == ("stopped", {}) and client.get("/api/jobs") == []


def test_a_move_gives_way_to_a_newer_one_and_to_the_change_that_ends_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/api/state")
    until(lambda: client.get("/api/jobs") == [])  # of a busy machine: the release as it stands was searched for
    with slow(monkeypatch) as go_on:
        first, second = moved(client), moved(client, {"set": [[K, 30]]})
        assert client.events(first)[-1] == ("stopped", {})
        assert [one["job"] for one in client.get("/api/jobs")] == [second]
        state = client.change((K, 30))
        assert client.events(second)[-1] == ("stopped", {})
        assert state["candidate"] is None and state["searching"]
        go_on.set()
        assert client.events(state["searching"])[-1][1]["smallest"] >= 30


COMPUTED = ("/api/columns", "/api/promises", "/api/tradeoff", "/api/distribution", "/api/adversaries", "/api/state")


def test_no_question_keeps_a_connection_while_a_search_takes_long(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser has six connections to a server. If answers keep them, nobody can press Stop."""
    with slow(monkeypatch) as go_on:
        client.change((K, 12))
        for path in COMPUTED:
            begun = time.monotonic()
            answer = client.ask("GET", path, client.cookie)
            assert answer.status in (200, 202) and time.monotonic() - begun < PATIENCE + 2.5, path
        cards = client.ask("GET", "/api/promises", client.cookie)
        assert cards.status == 200 and [card["kept"] for card in cards.json() if card["on"]] == [None, None]
        waits = client.ask("GET", "/api/distribution", client.cookie).json()["job"]
        until(lambda: client.explorer.jobs.get(waits).last["text"] == "search: a slow one")
        go_on.set()
        assert client.events(waits)[-1][0] == "done"
    until(lambda: client.get("/api/state")["candidate"] is not None)
    assert [card["kept"] for card in client.get("/api/promises") if card["on"]] == [True, True]


def test_who_waits_for_a_release_does_not_wait_for_ever(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search that a step waits for gives way, and no other takes its place: nothing is promised any more."""
    with slow(monkeypatch):
        client.change((K, 12))
        job = client.ask("GET", "/api/distribution", client.cookie).json()["job"]
        client.change((["require"], []))
        assert client.events(job) == [("stopped", {})]
        until(lambda: client.get("/api/jobs") == [])


def test_a_release_that_is_found_while_the_state_is_told_is_not_missed(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a tab would show the search of a release for ever: the stamp must be that of before."""
    session, state = client.explorer.session, client.explorer.session.state
    with slow(monkeypatch) as go_on:
        client.change((K, 12))

        def late() -> dict[str, Any]:
            go_on.set()
            found = client.explorer.now
            until(lambda: found.get(0.0)[0] is not None)
            time.sleep(0.1)
            return state()

        monkeypatch.setattr(session, "state", late)
        told = client.explorer.state()
    assert told["candidate"] is None and told["searching"] and told["stamp"] < client.explorer.news.stamp


def test_what_two_tabs_ask_at_the_same_time_is_computed_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with slow(monkeypatch):
        client.change((K, 12))
        one, two = (client.ask("GET", "/api/distribution", client.cookie).json()["job"] for _ in range(2))
        assert one == two
        other = client.ask("GET", "/api/adversaries", client.cookie).json()["job"]
        assert other != one and len(client.get("/api/jobs")) == 3  # with the search itself


def test_a_fault_in_a_job_is_told_to_who_waits(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Any:
        time.sleep(PATIENCE + 0.3)
        raise KeyError("Ann has flu")

    monkeypatch.setattr(candidates, "find_plan", fail)
    name, told = client.events(moved(client))[-1]
    assert name == "failed" and "a fault of ours: KeyError" in told["problems"][0]["rule"] and "Ann" not in str(told)


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    from discreet.cli.faults import told

    made = Jobs(told, lambda: None)
    yield made
    made.close()


def ends(job: Job) -> str:
    assert job.wait(10)
    return job.end[0]


def waits(go_on: Event, log: list[str], name: str) -> Callable[[Job], None]:
    """Work that hears nothing until it is let go."""

    def work(job: Job) -> None:
        log.append(name)
        go_on.wait(10)
        job.tell("worked", 1, 1)

    return work


def test_no_kind_of_job_keeps_another_waiting(jobs: Jobs) -> None:
    go_on, log = Event(), list[str]()
    stuck = [jobs.start(f"kind {n}", waits(go_on, log, "stuck")) for n in range(20)]
    assert ends(jobs.start("candidate", lambda job: {"found": 1})) == "done"
    go_on.set()
    assert [ends(job) for job in stuck] == ["done"] * 20


def test_of_jobs_that_wait_the_newest_alone_is_begun(jobs: Jobs) -> None:
    """Also if the one that runs is slow to hear: never two of a kind at the same time."""
    go_on, log = Event(), list[str]()
    first = jobs.start("move", waits(go_on, log, "first"))
    until(lambda: log == ["first"])
    later = [jobs.start("move", waits(go_on, log, f"later {n}")) for n in range(5)]
    assert [ends(job) for job in later[:-1]] == ["stopped"] * 4  # at once
    assert not first.ended and log == ["first"]
    go_on.set()
    assert (ends(first), ends(later[-1])) == ("stopped", "done") and log == ["first", "later 4"]


def test_one_that_waits_is_stopped_at_once(jobs: Jobs) -> None:
    go_on, log = Event(), list[str]()
    first = jobs.start("move", waits(go_on, log, "first"))
    until(lambda: log == ["first"])
    second = jobs.start("move", waits(go_on, log, "second"))
    jobs.stop(second.id)
    assert ends(second) == "stopped" and not first.ended
    jobs.stop_kind("move")
    go_on.set()
    assert ends(first) == "stopped" and "second" not in log


def test_thousands_of_jobs_leave_nothing_behind(jobs: Jobs) -> None:
    """Begun from many threads at a time: each ends, the newest of all as it should."""
    made: list[Job] = []

    def begin(kind: str) -> None:
        made.extend(jobs.start(kind, lambda job: job.tell("x", 0, 1), known=n % 2 == 0) for n in range(300))

    threads = [Thread(target=begin, args=[f"kind {n % 3}"]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(made) == 2400 and {ends(job) for job in made} == {"done", "stopped"}
    until(lambda: not jobs._lanes and not jobs._threads)
    assert len(jobs._known) <= 40
    assert ends(jobs.start("kind 0", lambda job: {"last": 1})) == "done"


def test_nothing_hangs_when_all_is_asked_at_once(client: Client) -> None:
    """Tabs that change, move, ask, start and stop, for some seconds; then all is at rest, and the last word is told."""
    end, faults = time.monotonic() + 4, list[str]()

    def tab(number: int) -> None:
        random = Random(number)
        while time.monotonic() < end:
            k = random.randint(2, 60)
            path, body = random.choice(
                [
                    ("/api/policy", {"set": [[K, k]]}),
                    ("/api/answer", {"set": [[K, k]]}),
                    ("/api/jobs", {"kind": "lattice"}),
                    ("/api/jobs", {"kind": "tradeoff", "over": K, "publications": ["generalization"]}),
                    ("/api/tried/age", {"words": {"intervals": [k]}}),
                    *((path, None) for path in COMPUTED),
                ]
            )
            own = client.cookie if body is None else client.own
            begun = time.monotonic()
            answer = client.ask("GET" if body is None else "POST", path, own, None if body is None else json_of(body))
            if answer.status not in (200, 202, 409) or time.monotonic() - begun > 15:
                faults.append(f"{path}: {answer.status} {answer.text[:200]}")
            if answer.status == 202 and random.random() < 0.3:
                client.post(f"/api/jobs/{answer.json()['job']}/stop", {})

    tabs = [Thread(target=tab, args=[number]) for number in range(6)]
    for one in tabs:
        one.start()
    for one in tabs:
        one.join(60)
    assert not any(one.is_alive() for one in tabs) and faults == []
    until(lambda: client.get("/api/jobs") == [] and not client.explorer.jobs._lanes)
    state = client.change((K, 7))
    until(lambda: client.get("/api/state")["candidate"] is not None)
    last = client.get("/api/state")
    assert last["version"] == state["version"] and last["candidate"]["smallest"] >= 7 and last["searching"] is None
