"""The server as its page uses it: state, columns, hierarchies, jobs, two clients, and nothing of few people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from discreet.samples.hospital import write_sample
from tests.explorer.clients import Client, people, until


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "people.csv").write_text(people())
    made = Client(str(tmp_path / "people.csv"), tmp_path)
    yield made
    made.close()


def test_every_client_has_the_same_state_and_hears_of_changes(client: Client) -> None:
    heard: list[Any] = []

    def listen() -> None:
        heard.extend(client.heard(lambda name, data: name == "state" and data["version"] == 2))

    other = Thread(target=listen, daemon=True)
    other.start()
    until(lambda: client.explorer.news._listeners)
    state = client.change((["suppress"], 0.1))
    other.join(10)
    assert not other.is_alive() and heard[0] == ("state", {"version": 1, "stamp": heard[0][1]["stamp"]})
    now = client.get("/api/state")
    assert state["policy"]["suppress"] == 0.1 and now["stamp"] >= state["stamp"]
    later = {"stamp"} | ({"candidate", "searching"} if state["searching"] else set())  # a slow search goes on
    assert {word: state[word] for word in state if word not in later} == {
        word: now[word] for word in now if word not in later
    }


def test_the_state_has_the_release_as_anonymize_would_give_it(client: Client) -> None:
    from discreet import anonymize

    release = anonymize(client.explorer.session.policy(), as_proposed=True)
    candidate, manifest = client.get("/api/state")["candidate"], release.manifest
    assert (candidate["groups"], candidate["smallest"]) == (manifest["groups"], manifest["smallest_group"])
    assert candidate["levels"] == manifest["node"] and candidate["kept"] is True and candidate["impossible"] is None


def test_an_answer_changes_nothing(client: Client) -> None:
    before = client.get("/api/state")
    told = client.post("/api/answer", {"set": [[["require", 0, "k_anonymity", "k"], 20]]})
    after = client.get("/api/state")
    assert told["smallest"] >= 20 and (after["version"], after["policy"]) == (before["version"], before["policy"])
    impossible = client.post("/api/answer", {"set": [[["require", 0, "k_anonymity", "k"], 241]]})
    assert impossible["impossible"]["rule"]


def test_a_change_is_not_made_to_another_promise_than_was_meant(client: Client) -> None:
    """Two tabs: one takes back the first promise while the other moves the second. The numbers are others then."""
    second = ["require", 1, "l_diversity", "l"]
    client.post("/api/policy", {"set": [[second, 2]], "since": 1})
    client.post("/api/policy", {"set": [[["require", 0], None]], "since": 2})
    for since in (1, 2):
        for change in ([second, 4], [["require", 1], None], [["require", 0, "k_anonymity", "k"], 2]):
            refused = client.post("/api/policy", {"set": [change], "since": since}, 422)
            assert "meanwhile" in refused["problems"][0]["rule"]
    assert client.get("/api/state")["policy"]["require"] == [{"l_diversity": {"l": 2}}]
    client.post("/api/policy", {"set": [[["suppress"], 0.1]], "since": 1})  # that has no number
    client.post("/api/policy", {"set": [[["require", 1], {"k_anonymity": {"k": 4}}]], "since": 4})
    again = client.post("/api/policy", {"set": [[["require", 1], {"t_closeness": {"t": 0.4}}]], "since": 4}, 422)
    assert "meanwhile" in again["problems"][0]["rule"]  # nor is one put in the place of another


def test_values_of_few_people_are_not_named_unless_somebody_asks(client: Client) -> None:
    text = client.ask("GET", "/api/columns", client.cookie).text
    assert "99999" not in text
    for path in ("/api/state", "/api/hierarchy/zip", "/api/promises", "/api/distribution", "/api/adversaries"):
        assert '"99999"' not in client.ask("GET", path, client.cookie).text, path
    told = client.ask("POST", "/api/tried/zip", client.own, b'{"csv": "47000;470;*\\n"}')
    assert told.status == 422 and "99999" not in told.text
    [zips] = [column for column in client.get("/api/columns?rare=1") if column["name"] == "zip"]
    assert ["99999", 1] in zips["common"]


def test_a_value_of_many_rows_and_one_person_is_not_named(tmp_path: Path) -> None:
    rows = [f"p{i % 40},{i % 3},{('flu', 'cold', 'gout')[i // 7 % 3]}" for i in range(200)] + ["p1,77,rabies"] * 30
    (tmp_path / "visits.csv").write_text("patient_id,age,disease\n" + "\n".join(rows) + "\n")
    made = Client(str(tmp_path / "visits.csv"), tmp_path)
    made.change((["attributes", "patient_id", "role"], "person"))
    made.decide()
    for path in ("/api/columns", "/api/state", "/api/hierarchy/age", "/api/promises", "/api/distribution"):
        text = made.ask("GET", path, made.cookie).text
        assert "rabies" not in text and '"77"' not in text, path
    names = {name: column for column in made.get("/api/columns") for name in [column["name"]]}
    assert names["patient_id"]["common"] == [] and names["patient_id"]["role"] == "person"
    made.close()


def test_numbers_that_name_people_are_not_shown_and_are_offered_as_whose_rows_they_are(tmp_path: Path) -> None:
    """Somebody with fourteen loans has a card whose number stands in fourteen rows: it is still one person's."""
    rows = [f"L{i % 50:03},{1950 + i % 50},{('travel', 'debts', 'crime')[i // 9 % 3]}" for i in range(400)]
    (tmp_path / "loans.csv").write_text("card_no,birth_year,topic\n" + "\n".join(rows) + "\n")
    made = Client(str(tmp_path / "loans.csv"), tmp_path)
    try:
        cards = {column["name"]: column for column in made.get("/api/columns")}["card_no"]
        assert cards["role"] == "identifier" and cards["common"] == [] and cards["hidden"] == cards["values"] == 50
        whose = next(decision for decision in made.get("/api/state")["open"] if decision["column"] is None)
        [answer] = [one for one in whose["answers"] if one["title"] == "card_no says whose row it is"]
        made.post("/api/policy", {"set": answer["set"]})
        now = made.get("/api/state")
        assert now["whose"]["people"] == "people" and all(decision["column"] for decision in now["open"])
    finally:
        made.close()


def test_a_secret_of_which_nothing_is_promised_is_told(client: Client) -> None:
    client.change((["attributes", "zip", "role"], "sensitive"), (["require"], [{"k_anonymity": {"k": 3}}]))
    assert client.get("/api/state")["unguarded"] == ["zip", "disease"]
    client.change((["require", 1], {"l_diversity": {"l": 2, "attribute": "zip"}}))
    assert client.get("/api/state")["unguarded"] == ["disease"]
    client.change((["require", 1], {"t_closeness": {"t": 0.5}}))
    assert client.get("/api/state")["unguarded"] == []


def test_what_singles_people_out_is_counted(client: Client) -> None:
    from discreet.engines.open import open_source

    columns = {column["name"]: column for column in client.get("/api/columns")}
    engine = open_source(client.explorer.session.start.source)
    rows = 240
    quasi = ["age", "sex", "zip"]
    for name in quasi:
        alone = engine.frequencies([name]).counts
        without = engine.frequencies([n for n in quasi if n != name]).counts
        assert columns[name]["unique_alone"] == pytest.approx((alone == 1).sum() / rows)
        assert columns[name]["unique_without"] == pytest.approx((without == 1).sum() / rows)
    assert columns["disease"]["unique_without"] is None and columns["zip"]["unique_alone"] == pytest.approx(1 / rows)


def test_several_rows_of_one_person_single_her_out(tmp_path: Path) -> None:
    rows = [f"p{i // 4},{20 + i // 4},{('flu', 'cold', 'gout')[i % 3]}" for i in range(200)]
    (tmp_path / "visits.csv").write_text("visitor,age,disease\n" + "\n".join(rows) + "\n")
    made = Client(str(tmp_path / "visits.csv"), tmp_path)
    made.change((["attributes", "visitor", "role"], "identifier"), (["attributes", "age", "role"], "quasi_identifier"))
    shares = []
    for role in ("identifier", "person"):
        made.change((["attributes", "visitor", "role"], role))
        shares += [column["unique_alone"] for column in made.get("/api/columns") if column["name"] == "age"]
    assert shares == [0.0, 1.0]
    made.close()


def test_a_hierarchy_is_tried_out_then_used(client: Client) -> None:
    tried = client.post("/api/tried/age", {"words": {"intervals": [10, 20]}})["hierarchy"]
    assert [level["labels"] for level in tried["levels"]] == [40, 4, 2, 1] and client.get("/api/state")["version"] == 1
    assert sum(child["rows"] for child in tried["tree"]["children"]) == tried["tree"]["rows"] == 240
    state = client.post("/api/hierarchy/age", {"words": {"intervals": [10, 20]}})["state"]
    assert state["policy"]["attributes"]["age"]["hierarchy"] == {"intervals": [10, 20]}
    assert client.get("/api/hierarchy/age")["levels"] == tried["levels"]
    wrong = client.post("/api/hierarchy/age", {"words": {"intervals": [10, 15]}}, 422)
    assert wrong["problems"] and client.get("/api/state")["version"] == 2


def test_a_table_of_levels_is_uploaded_and_gone(client: Client, tmp_path: Path) -> None:
    table = "f;women;*\nm;men;*\n"
    client.post("/api/hierarchy/sex", {"csv": table})
    words = client.get("/api/state")["policy"]["attributes"]["sex"]["hierarchy"]
    assert words == {"taxonomy": [["f", "women"], ["m", "men"]]}
    assert list((tmp_path / "private").iterdir()) == []
    for bad in ("f;women;*\n", "", "f\nm;x;*\n", "\0", "x" * 5_000_000):
        assert client.post("/api/hierarchy/sex", {"csv": bad}, 422)["problems"]


def test_values_are_dragged_into_groups(client: Client) -> None:
    groups = [{"label": "low", "values": [str(47000 + i) for i in (0, 5, 10)]}]
    refused = client.post("/api/hierarchy/zip", {"groups": groups}, 422)["problems"][0]
    assert "1 values of few" in refused["rule"] and "99999" not in str(refused)
    client.post("/api/hierarchy/sex", {"groups": [{"label": "all", "values": ["f", "m"]}]})
    assert client.get("/api/hierarchy/sex")["levels"][1]["labels"] == 1
    for bad in ([1], [{"label": "", "values": ["f"]}], [{"label": "x", "values": "f"}], [{"values": []}]):
        assert client.post("/api/hierarchy/sex", {"groups": bad}, 422)["problems"]


def test_jobs_tell_points_and_end(client: Client) -> None:
    path = client.get("/api/tradeoff")["axes"][0]["path"]
    told = client.job("tradeoff", over=path, publications=["generalization", "local_recoding"])
    points = [data for name, data in told if name == "point"]
    assert told[-1] == ("done", {"points": len(points)}) and {p["publication"] for p in points} == {
        "generalization",
        "local_recoding",
    }
    [done] = [data for name, data in client.job("lattice") if name == "done"]
    assert done["columns"][0]["name"] == "age" and client.get("/api/jobs") == []
    assert client.post("/api/jobs", {"kind": "nothing"}, 422)["problems"]
    assert client.events("0" * 16)[0][0] == "failed"


def test_a_job_is_stopped_and_gives_way_to_a_newer_one(tmp_path: Path) -> None:
    write_sample(tmp_path, rows=2000, seed=7)
    client = Client(str(tmp_path / "patients.csv"), tmp_path)
    wish = {"kind": "tradeoff", "over": ["require", 0, "k_anonymity", "k"], "publications": ["local_recoding"]}
    first = client.post("/api/jobs", wish)["job"]
    second = client.post("/api/jobs", wish)["job"]
    assert client.events(first)[-1][0] == "stopped"
    assert [job["job"] for job in client.get("/api/jobs")] == [second]
    assert client.post(f"/api/jobs/{second}/stop", {}) == {"stopped": True}
    assert client.events(second)[-1][0] == "stopped" and client.get("/api/jobs") == []
    assert client.post("/api/jobs/unknown/stop", {}) == {"stopped": False}
    client.close()


def test_who_listens_late_misses_nothing_and_goes_on_where_he_was(client: Client) -> None:
    job = client.post("/api/jobs", {"kind": "lattice"})["job"]
    told = client.events(job)
    assert client.events(job) == told and told[-1][0] == "done"
    again = client.get(f"/api/jobs/{job}?from={len(told) - 1}")
    assert again["ended"] and [name for name, _ in again["told"]] == ["done"]
    [standing] = [one for one in client.heard(lambda name, _: name == "jobs")[-1][1] if one["job"] == job]
    assert (standing["ended"], standing["told"], standing["kind"]) == (True, len(told), "lattice")


def test_a_fault_of_ours_is_told_without_what_it_quotes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Any) -> Any:
        raise KeyError("Ann has flu")

    monkeypatch.setattr(client.explorer.steps, "cards", fail)
    answer = client.ask("GET", "/api/promises", client.cookie)
    assert answer.status == 500 and "Ann" not in answer.text and "a fault of ours: KeyError" in answer.text


def test_a_policy_is_gone_on_from_and_its_people_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people())
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "mine.yaml").write_text(
        "source: people.csv\nattributes:\n  age: {role: quasi_identifier, hierarchy: {intervals: [10]}}\n"
        "  sex: {role: quasi_identifier, hierarchy: sex.csv}\n  disease: {role: sensitive}\n"
        "require: [{presence: {delta: [0, 0.9]}}]\nprivate: {disease: [gout, flu]}\n"
    )
    client = Client(str(tmp_path / "mine.yaml"), tmp_path)
    state = client.get("/api/state")
    assert state["open"] == [] and "private" not in state["policy"] and "source" not in state["policy"]
    assert client.get("/api/hierarchy/sex")["kind"] == "taxonomy"
    about = client.get("/api/publish")
    assert about["ready"] and about["command"] == "discreet anonymize mine-explored.yaml -o release"
    assert "gout" not in about["policy_text"] and "not shown here" in about["policy_text"]
    client.close()
