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
    {"folder": 7},
    {"folder": ["mine"]},
    {"folder": "."},
    {"folder": "/"},
    {"folder": ".."},
    {"folder": "../mine"},
    {"folder": "mine/../../mine"},
    {"folder": "mine/.."},
    {"folder": "/tmp/discreet-mine"},
    {"folder": "{place}"},
    {"folder": "{place}/../mine"},
    {"folder": "{place}-mine"},
    {"folder": "~/mine"},
    {"folder": ".git/hooks"},
    {"folder": "mine/.ssh"},
    {"folder": "-rf"},
    {"folder": "mine\nrm"},
    {"folder": "mine\x1b[2J"},
    {"folder": "mine\udcff"},
    {"folder": " mine"},
    {"folder": "mine", "seed": -1},
    {"folder": "mine", "seed": "7"},
    {"folder": "mine", "seed": True},
    {"folder": "mine", "force": "yes"},
]


@pytest.mark.parametrize("wish", WISHES)
def test_a_wrong_wish_is_refused_at_once(client: Client, wish: dict[str, Any], tmp_path: Path) -> None:
    client.decide()
    if isinstance(wish["folder"], str):
        wish = wish | {"folder": wish["folder"].replace("{place}", str(tmp_path))}
    assert client.post("/api/jobs", {"kind": "publish", **wish}, 422)["problems"]
    assert {file.name for file in tmp_path.iterdir()} == {"people.csv", "private"}


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
    assert client.post("/api/jobs", {"kind": "publish", "folder": ".", "force": True}, 422)["problems"]
    assert (tmp_path / "people.csv").is_file() and not (tmp_path / "policy.yaml").exists()


@pytest.mark.parametrize("way", ["folder", "parent", "private", "nowhere", "private nowhere"])
def test_no_link_leads_a_release_elsewhere(client: Client, tmp_path: Path, way: str) -> None:
    """Where somebody else may write beside us: a link is no place for a release, whole or dangling."""
    elsewhere = tmp_path / "private" / "elsewhere"
    elsewhere.mkdir()
    link, target = {
        "folder": ("mine", elsewhere),
        "parent": ("all", elsewhere),
        "private": ("mine.private", elsewhere),
        "nowhere": ("mine", elsewhere / "new"),
        "private nowhere": ("mine.private", elsewhere / "new"),
    }[way]
    (tmp_path / link).symlink_to(target)
    client.decide()
    wish = {"kind": "publish", "folder": "all/mine" if way == "parent" else "mine"}
    for force in (False, True):
        refused = client.post("/api/jobs", {**wish, "force": force}, 422)["problems"]
        assert "leads through a link" in refused[0]["rule"]
    assert list(elsewhere.iterdir()) == []


def test_a_link_that_comes_late_leads_nowhere_either(client: Client, tmp_path: Path, monkeypatch: Any) -> None:
    """Between the click and the work of the job."""
    client.decide()
    wished = client.explorer.publisher.work({"folder": "mine"})
    (tmp_path / "mine").symlink_to(tmp_path / "private")
    job = client.explorer.jobs.start("publish", wished, alone=True)
    assert job.wait(20) and job.end[0] == "failed" and "leads through a link" in job.end[1]
    assert list((tmp_path / "private").iterdir()) == []


def test_a_policy_is_written_through_no_link(client: Client, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").symlink_to(tmp_path / "private" / "new.yaml")
    client.decide()
    [done] = [told for name, told in client.job("publish", folder="mine", seed=1) if name == "done"]
    assert done["policy_path"] == "policy-2.yaml" and not (tmp_path / "private" / "new.yaml").exists()
    (tmp_path / "policy-2.yaml").unlink()
    (tmp_path / "policy-2.yaml").symlink_to(tmp_path / "private" / "new.yaml")
    [done] = [told for name, told in client.job("publish", folder="other", seed=1) if name == "done"]
    assert done["policy_path"] == "policy-3.yaml" and list((tmp_path / "private").iterdir()) == []


def test_another_folder_for_releases_is_the_only_one(tmp_path: Path) -> None:
    """`--into`: releases and the policy go there, wherever the explorer was started, and nowhere else."""
    (tmp_path / "people.csv").write_text(people())
    for name in ("releases", "apart"):
        (tmp_path / name).mkdir()
    client = Client(str(tmp_path / "people.csv"), tmp_path, tmp_path / "releases")
    client.decide()
    about = client.get("/api/publish")
    assert (about["folder"], about["root"]) == ("releases/release", str(tmp_path / "releases"))
    for folder in ("release", "apart/release", "releases", "releases/../apart/release", str(tmp_path / "apart" / "x")):
        refused = client.post("/api/jobs", {"kind": "publish", "folder": folder}, 422)
        assert refused["problems"][0]["place"] == "folder"
    done = client.job("publish", folder="releases/deep/mine", seed=3)[-1][1]
    assert done["command"] == "discreet anonymize releases/policy.yaml -o releases/deep/mine --seed 3"
    absolute = str(tmp_path / "releases" / "absolute")
    assert client.job("publish", folder=absolute)[-1][0] == "done" and verify(absolute).kept
    assert {file.name for file in tmp_path.iterdir()} == {"people.csv", "private", "releases", "apart"}
    same_files(tmp_path / "releases" / "deep" / "mine", anonymized(done["command"], tmp_path, tmp_path / "by-command"))
    client.close()


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

    into = run("nothing.csv", "--into", "nowhere")
    assert into.returncode == 2 and "is not a folder" in into.stderr
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
