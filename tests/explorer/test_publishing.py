"""Publishing from the page: the same release as on the command line, byte for byte, whole or not at all."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from discreet import verify
from discreet.explorer.policy_file import policy_text
from discreet.policy.policy import read_policy
from discreet.samples.hospital import write_sample
from tests.explorer.clients import Client, people
from tests.explorer.command import anonymized, same_files


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "people.csv").write_text(people())
    made = Client(str(tmp_path / "people.csv"), tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("publish", ["generalization", "local_recoding", "bucketization"])
def test_the_release_is_that_of_the_command_byte_for_byte(client: Client, tmp_path: Path, publish: str) -> None:
    client.decide()
    client.change((["publish"], publish), (["attributes", "age", "hierarchy"], {"intervals": [10, 20]}))
    told = client.job("publish", folder="mine", seed=7)
    name, done = told[-1]
    assert name == "done", done
    assert done["verified"] and verify(tmp_path / "mine").kept
    assert done["command"] == "discreet anonymize policy.yaml -o mine --seed 7"
    assert (done["folder"], done["private_folder"], done["policy_path"]) == ("mine", "mine.private", "policy.yaml")
    same_files(tmp_path / "mine", anonymized(done["command"], tmp_path, tmp_path / "by-command"))
    report = client.ask("GET", done["report"], client.cookie)
    assert report.status == 200 and report.text == (tmp_path / "mine.private" / "report.html").read_text()
    assert "script-src" not in report.headers["content-security-policy"]


def test_a_policy_of_somebody_is_not_overwritten(tmp_path: Path) -> None:
    write_sample(tmp_path, rows=300, seed=7)
    before = (tmp_path / "policy.yaml").read_bytes()
    client = Client(str(tmp_path / "policy.yaml"), tmp_path)
    done = client.job("publish", folder="mine", seed=1)[-1][1]
    assert done["policy_path"] == "policy-explored.yaml" and (tmp_path / "policy.yaml").read_bytes() == before
    same_files(tmp_path / "mine", anonymized(done["command"], tmp_path, tmp_path / "by-command"))
    again = client.job("publish", folder="mine", seed=1, force=True)[-1][1]
    assert again["policy_path"] == "policy-explored.yaml" and again["command"].endswith("--force")
    client.close()


WISHES: list[dict[str, Any]] = [
    {"folder": ""},
    {"folder": None},
    {"folder": "x\0y"},
    {"folder": "x" * 2000},
    {"folder": "mine", "seed": -1},
    {"folder": "mine", "seed": "7"},
    {"folder": "mine", "seed": True},
    {"folder": "mine", "force": "yes"},
]


@pytest.mark.parametrize("wish", WISHES)
def test_a_wrong_wish_is_refused_at_once(client: Client, wish: dict[str, Any]) -> None:
    client.decide()
    assert client.post("/api/jobs", {"kind": "publish", **wish}, 422)["problems"]


def test_nothing_is_published_while_a_question_is_open_or_nothing_is_promised(client: Client, tmp_path: Path) -> None:
    wish = {"kind": "publish", "folder": "mine"}
    assert client.get("/api/publish")["ready"] is False
    assert "question is open" in client.post("/api/jobs", wish, 422)["problems"][0]["rule"]
    client.decide()
    client.change((["require"], []))
    assert "promises" in client.post("/api/jobs", wish, 422)["problems"][0]["rule"]
    assert not (tmp_path / "mine").exists()


def test_what_is_in_the_way_stays_and_the_table_is_never_replaced(client: Client, tmp_path: Path) -> None:
    client.decide()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for force in (False, True):
        name, told = client.job("publish", folder="mine", force=force)[-1]
        assert name == "failed" and told["problems"]
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert client.job("publish", folder=".", force=True)[-1][0] == "failed"
    assert (tmp_path / "people.csv").is_file() and not (tmp_path / "policy.yaml").exists()


def test_a_second_release_waits_for_the_first_and_a_stopped_one_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(40_000))
    client = Client(str(tmp_path / "people.csv"), tmp_path)
    client.decide()
    client.change((["publish"], "local_recoding"))
    job = client.post("/api/jobs", {"kind": "publish", "folder": "mine"})["job"]
    refused = client.post("/api/jobs", {"kind": "publish", "folder": "other"}, 422)
    assert "under way already" in refused["problems"][0]["rule"]
    client.post(f"/api/jobs/{job}/stop", {})
    assert client.events(job)[-1][0] == "stopped"
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {"people.csv", "private"}
    client.close()


@pytest.mark.kills
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_killed_while_publishing_leaves_no_part_of_a_release(tmp_path: Path, how: signal.Signals) -> None:
    """At many moments, each with a server of its own: the folder is whole, or it is not there."""
    (tmp_path / "people.csv").write_text(people(20_000))
    command = [sys.executable, "-m", "discreet", "explore", "people.csv", "--no-browser", "--json"]
    for moment in (0.02, 0.3, 0.8):
        server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        post = _client(address)
        assert post("/api/policy", {"set": [[["one_row_per_person"], True]]})[0] == 200
        folder = f"mine{moment}"
        assert post("/api/jobs", {"kind": "publish", "folder": folder})[0] == 200
        time.sleep(moment)
        server.send_signal(how)
        server.wait(20)
        server.stdout.close()
        if (tmp_path / folder).exists():
            assert verify(tmp_path / folder).kept is True
        elif how == signal.SIGTERM:
            assert not [file.name for file in tmp_path.iterdir() if folder in file.name]


def _client(address: str) -> Any:
    here, _, _ = address.partition("/?")
    port = int(here.rpartition(":")[2])

    def ask(method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        cookie = answer.getheader("set-cookie", "")
        connection.close()
        return answer.status, cookie or text

    _, cookie = ask("GET", address.removeprefix(here), {})
    own = {"Cookie": cookie.partition(";")[0], "Origin": here, "Content-Type": "application/json"}
    return lambda path, body: ask("POST", path, own, json.dumps(body).encode())


WORDS: list[dict[str, Any]] = [
    {"attributes": {"no": {"role": "other"}, "2020": {"role": "quasi_identifier"}, "a: b": {"role": "sensitive"}}},
    {"attributes": {"x\ny": {"role": "quasi_identifier", "hierarchy": {"taxonomy": [["1.50", "01"], [None, "no"]]}}}},
    {"attributes": {"x" * 300: {"role": "quasi_identifier"}, "# é <b>": {"role": "other"}}, "suppress": 1e-05},
    {"attributes": {"zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [4, 3]}}}, "seed": 7},
]


@pytest.mark.parametrize("words", WORDS)
def test_a_policy_is_read_back_as_it_was(words: dict[str, Any], tmp_path: Path) -> None:
    from discreet.policy.yaml_text import read_words

    words = words | {"require": [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2, "attribute": "a: b"}}]}
    (tmp_path / "policy.yaml").write_text(policy_text(words, "my table.csv"), encoding="utf-8")
    read, mistakes = read_words(tmp_path / "policy.yaml")
    assert not mistakes and read == {"source": "my table.csv", **words}


def test_the_command_explores_what_it_is_given_and_says_what_is_wrong(tmp_path: Path) -> None:
    from discreet.explorer.serving import own_port

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "discreet", "explore", "--no-browser", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    assert run("nothing.csv").returncode == 2 and run("nothing.yaml").returncode == 2
    with own_port(0) as listener:
        taken = run("nothing.csv", "--port", str(listener.getsockname()[1]))
    assert taken.returncode == 2 and "another process listens there" in taken.stderr


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.errors import DiscreetError
    from discreet.explorer import serving

    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    with pytest.raises(DiscreetError, match=r"pip install 'discreet\[web\]'") as refused:
        serving.check_installed()
    assert refused.value.exit_code == 2


def test_the_policy_on_the_page_is_the_policy_in_the_file(client: Client, tmp_path: Path) -> None:
    client.decide()
    shown = client.get("/api/publish")["policy_text"]
    client.job("publish", folder="mine", seed=3)
    assert (tmp_path / "policy.yaml").read_text() == shown
    assert read_policy(tmp_path / "policy.yaml").models == client.explorer.session.policy().models
