"""Attacks: nobody but whoever started the explorer gets in, and nothing but its page can change anything."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.explorer.guard import MOST_BYTES, PAGE_POLICY
from discreet.explorer.serving import HOST, own_port
from tests.explorer.clients import Client, people

CHANGE = {"set": [[["suppress"], 0.05]]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One for all: what is tested here changes nothing."""
    folder = tmp_path_factory.mktemp("explorer")
    (folder / "people.csv").write_text(people())
    made = Client(str(folder / "people.csv"), folder)
    yield made
    made.close()


PATHS = ["/", "/api/state", "/api/columns", "/main.js", "/report", "/api/events", "/api/hierarchy/age", "/nothing"]


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_nothing_is_told(client: Client, path: str) -> None:
    answer = client.ask("GET", path)
    assert answer.status == 403 and "set-cookie" not in answer.headers
    assert answer.text == "This page belongs to whoever started it: open the address that `discreet explore` showed."


def test_every_route_is_for_our_page_alone(client: Client) -> None:
    """Also those that are made after this test: without the cookie, by another name, or asked by another site."""
    routes = [(route.path, sorted(route.methods - {"HEAD"})) for route in client.explorer.app.routes]
    asked = [
        (path.replace("{column:path}", "age").replace("{job}", "x"), method) for path, ms in routes for method in ms
    ]
    assert len(asked) > 40 and ("/api/tried/age", "POST") in asked and ("/api/jobs/x", "GET") in asked
    for path, method in asked:
        own, body = (client.own, b"{}") if method == "POST" else (client.cookie, None)
        strange = {name: value for name, value in own.items() if name != "Cookie"}
        assert client.ask(method, path, strange, body).status == 403, path
        assert client.ask(method, path, own | {"Host": f"evil.example:{client.port}"}, body).status == 421, path
        assert client.ask(method, path, own | {"Sec-Fetch-Site": "cross-site"}, body).status == 403, path
    assert client.get("/api/state")["version"] == 1 and client.get("/api/jobs") == []


@pytest.mark.parametrize("token", ["", "x", "%C3%A4", "A" * 10_000])
def test_a_wrong_token_gets_no_cookie(client: Client, token: str) -> None:
    answer = client.ask("GET", f"/?token={token}")
    assert answer.status == 403 and "set-cookie" not in answer.headers


def test_a_token_lets_in_once(client: Client) -> None:
    """Whoever saw the address among this machine's processes comes too late."""
    first = client.guard.address.removeprefix(client.here)
    assert client.ask("GET", first).status == 303
    again = client.ask("GET", first)
    assert again.status == 403 and "set-cookie" not in again.headers
    assert client.ask("GET", first, client.cookie).status == 200  # the browser that was let in may open it again


def test_a_token_given_twice_or_elsewhere_is_none(client: Client) -> None:
    token = client.guard.token
    for path in (f"/?token={token}&token={token}", f"/api/state?token={token}", f"/main.js?token={token}"):
        assert client.ask("GET", path).status == 403
    assert (
        client.ask("POST", f"/?token={token}", {"Origin": client.here, "Content-Type": "application/json"}).status
        == 403
    )


def test_the_cookie_is_not_the_token_and_no_script_reads_it(client: Client) -> None:
    answer = client.ask("GET", f"/?token={client.guard.token}")
    cookie = answer.headers["set-cookie"]
    assert answer.status == 303 and answer.headers["location"] == "/"
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and client.guard.token not in cookie


@pytest.mark.parametrize("value", ["", "x", "ä"])
def test_a_wrong_cookie_gets_nothing(client: Client, value: str) -> None:
    assert client.ask("GET", "/api/state", {"Cookie": f"discreet-{client.port}={value}"}).status == 403


HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:{port}.evil.example",
    "[::1]:{port}",
    "",
]


@pytest.mark.parametrize("host", HOSTS)
def test_a_name_that_leads_here_is_not_ours(client: Client, host: str) -> None:
    for path in ("/api/state", f"/?token={client.guard.token}"):
        answer = client.ask("GET", path, client.cookie | {"Host": host.format(port=client.port)})
        assert answer.status == 421 and "set-cookie" not in answer.headers


ORIGINS = ["https://evil.example", "null", "", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "{here}.x", None]


@pytest.mark.parametrize("origin", ORIGINS)
def test_another_page_changes_nothing(client: Client, origin: str | None) -> None:
    own = {name: value for name, value in client.own.items() if name != "Origin"}
    own |= {} if origin is None else {"Origin": origin.format(port=client.port, here=client.here)}
    for path in ("/api/policy", "/api/jobs", "/api/answer", "/api/hierarchy/age", "/api/tried/age", "/api/jobs/x/stop"):
        assert client.ask("POST", path, own, json.dumps(CHANGE).encode()).status == 403
    assert client.get("/api/state")["version"] == 1


def test_a_browser_that_says_that_another_site_asks_is_believed(client: Client) -> None:
    for site in ("cross-site", "same-site"):
        assert client.ask("GET", "/api/state", client.cookie | {"Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_changes_nothing(client: Client, kind: str) -> None:
    assert client.ask("POST", "/api/policy", client.own | {"Content-Type": kind}, b"{}").status == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_do_nothing(client: Client, method: str) -> None:
    assert client.ask(method, "/api/policy", client.own).status == 405


TRAVERSALS = [
    "/../pyproject.toml",
    "/..%2f..%2fserver.py",
    "/%2e%2e/server.py",
    "/vendor/../../server.py",
    "/vendor/..%2f..%2fserver.py",
    "//etc/passwd",
    "/etc/passwd",
    "/steps/%00",
    "/server.py",
    "/index.html",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_other_file_is_served(client: Client, path: str) -> None:
    assert client.ask("GET", path, client.cookie).status == 404


def test_too_much_is_not_read(client: Client) -> None:
    much = (b" " * 1_000_000 for _ in range(MOST_BYTES // 1_000_000 + 2))
    said = client.ask("POST", "/api/hierarchy/age", client.own | {"Content-Length": str(MOST_BYTES + 1)}, b"")
    unsaid = client.ask("POST", "/api/hierarchy/age", client.own, much)
    assert (said.status, unsaid.status) == (413, 413)
    assert client.ask("POST", "/api/policy", client.own | {"Content-Length": "-1"}, b"{}").status >= 400
    assert client.get("/api/state")["version"] == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b'"x"', b"\xff"])
def test_what_is_no_json_object_is_refused_and_nothing_changes(client: Client, body: bytes) -> None:
    for path in ("/api/policy", "/api/jobs", "/api/answer", "/api/hierarchy/age", "/api/tried/age"):
        assert client.ask("POST", path, client.own, body).status == 422
    assert client.get("/api/state")["version"] == 1


def test_every_answer_has_a_strict_policy(client: Client) -> None:
    for path in ("/", "/main.js", "/api/state", "/nothing"):
        headers = client.ask("GET", path, client.cookie).headers
        assert headers["content-security-policy"] == PAGE_POLICY and "unsafe" not in PAGE_POLICY
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store" and "server" not in headers


FILES: list[tuple[list[Any], Any]] = [
    (["source"], "/etc/passwd"),
    (["private"], {"file": "/etc/passwd"}),
    (["summary"], "/etc/passwd"),
    (["attributes", "age", "hierarchy"], "/etc/passwd"),
    (["attributes", "age", "hierarchy"], {"taxonomy": "/etc/passwd"}),
    (["attributes", "age", "hierarchy", "taxonomy"], "/etc/passwd"),
    (["attributes", "age"], {"role": "quasi_identifier", "hierarchy": "/etc/passwd"}),
    (["attributes"], {"age": {"role": "quasi_identifier", "hierarchy": "/etc/passwd"}}),
    (["attributes", "age", "publish_as"], "/etc/passwd"),
    (["require", 1], {"presence": {"delta": [0, 0.5], "population": "/etc/passwd"}}),
    (["require"], [{"presence": {"delta": [0, 0.5], "population": "/etc/passwd"}}]),
    (["require", 1, "presence", "population"], "/etc/passwd"),
    (["require", 1], {"robust": {"r": 3, "knowledge": "/etc/passwd"}}),
    (["require", 1], {"realistic": {"class": "I", "epsilon": 3, "prior": "/etc/passwd"}}),
    (["require", 1], {"confident_presence": {"delta": [0, 1], "marginals": {"age": "/etc/passwd"}}}),
    (["require", 1, "confident_presence", "marginals", "age"], "/etc/passwd"),
]


@pytest.mark.parametrize(("path", "value"), FILES)
def test_no_file_can_be_named_that_the_command_line_did_not_name(client: Client, path: list[Any], value: Any) -> None:
    problems = client.change((path, value), status=422)["problems"]
    assert "can't be changed here" in problems[0]["rule"] or "no file can be named here" in problems[0]["rule"]
    client.post("/api/answer", {"set": [[path, value]]}, 422)
    if path[0] == "attributes" and isinstance(value, dict):
        client.post("/api/hierarchy/age", {"words": value}, 422)
        client.post("/api/tried/age", {"words": value}, 422)


def test_a_second_process_on_the_port_is_told() -> None:
    with own_port(0) as listener:
        with pytest.raises(DiscreetError, match="another process listens there"):
            own_port(listener.getsockname()[1])
        assert listener.getsockname()[0] == HOST == "127.0.0.1"


def test_it_listens_on_this_machine_alone() -> None:
    with own_port(0) as listener, socket.socket() as other:
        other.settimeout(1)
        address = socket.gethostbyname(socket.gethostname())
        if not address.startswith("127."):
            with pytest.raises(OSError):
                other.connect((address, listener.getsockname()[1]))
        assert listener.getsockname()[0] == "127.0.0.1"
