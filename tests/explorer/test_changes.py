"""Changes of a policy's words: what comes with them, what is refused, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import PolicyError
from discreet.explorer.changes import changed, read_changes
from discreet.explorer.session import Session
from discreet.explorer.starting import start
from tests.explorer.clients import people


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    (tmp_path / "people.csv").write_text(people())
    yield Session(start(str(tmp_path / "people.csv")))


def test_init_proposes_what_is_looked_at_first(session: Session) -> None:
    words = session.words
    roles = {name: said["role"] for name, said in words["attributes"].items()}
    assert roles == {n: "quasi_identifier" for n in ("age", "sex", "zip")} | {"disease": "sensitive"}
    assert [word for entry in words["require"] for word in entry] == ["k_anonymity", "l_diversity"]
    assert session.policy().models and session.policy_or_none() is not None


def test_a_role_takes_its_words_along_and_back(session: Session) -> None:
    before = session.words
    session.change([(["attributes", "age", "role"], "identifier")])
    assert session.words["attributes"]["age"] == {"role": "identifier"}
    session.change([(["attributes", "age", "role"], "quasi_identifier")])
    assert session.words == before
    session.change([(["attributes", "age", "hierarchy"], {"intervals": [7, 14]})])
    session.change([(["attributes", "age", "role"], None)])
    assert "age" not in session.words["attributes"]
    session.change([(["attributes", "age", "role"], "quasi_identifier")])
    assert session.words["attributes"]["age"]["hierarchy"] == {"intervals": [7, 14]}
    assert list(session.words["attributes"]) == list(session.columns)


def test_levels_go_with_the_hierarchy_and_the_publication_that_they_are_of(session: Session) -> None:
    taken = [(["attributes", name, "levels"], level) for name, level in (("age", 1), ("zip", [0, 1]))]
    session.change(taken)
    assert [session.policy().attributes[i].levels for i in (0, 2)] == [1, [0, 1]]
    assert session.policy([(["publish"], "local_recoding")]).publish == "local_recoding"
    session.change([(["attributes", "age", "hierarchy"], {"intervals": [7, 14]})])
    assert "levels" not in session.words["attributes"]["age"]
    assert session.words["attributes"]["zip"]["levels"] == [0, 1]
    session.change([(["publish"], "multidimensional")])
    assert not any("levels" in said for said in session.words["attributes"].values())
    with pytest.raises(PolicyError, match="has no level of its own"):
        session.change([(["attributes", "zip", "levels"], 1)])


def test_a_promise_goes_with_the_column_that_it_is_about(session: Session) -> None:
    session.change([(["require", 1], {"l_diversity": {"l": 2, "attribute": "disease"}})])
    session.change([(["attributes", "disease", "role"], "other")])
    assert session.words["require"] == [{"k_anonymity": {"k": 5}}]
    session.change([(["attributes", "disease", "role"], "sensitive")])
    session.change([(["require", 1], {"t_closeness": {"t": 0.5}})])
    session.change([(["attributes", "disease", "role"], "identifier")])
    assert session.words["require"] == [{"k_anonymity": {"k": 5}}]


def test_nothing_may_be_promised_for_a_while_and_that_is_no_mistake(session: Session) -> None:
    session.change([(["require", 0], None), (["require", 0], None)])
    assert session.promises_nothing and session.policy_or_none() is None and session.looking() is not None
    for name in ("age", "sex", "zip"):
        session.change([(["attributes", name, "role"], "identifier")])
    assert session.looking() is None
    session.change([(["attributes", "sex", "role"], "quasi_identifier"), (["require", 0], {"k_anonymity": {"k": 2}})])
    assert session.policy().quasi_identifiers == ("sex",)


WRONG: list[tuple[list[Any], Any]] = [
    (["require", 0, "k_anonymity", "k"], 1),
    (["require", 0, "k_anonymity", "k"], "many"),
    (["require", 7], {"k_anonymity": {"k": 2}}),
    (["require", "x"], {"k_anonymity": {"k": 2}}),
    (["require", 0, "k_anonymity", "k", "deeper"], 2),
    (["require", 2], {"no_such_promise": {}}),
    (["suppress"], 2),
    (["publish"], "no such kind"),
    (["attributes", "age", "role"], "no such role"),
    (["attributes", "nobody", "role"], "sensitive"),
    (["attributes", "age", "hierarchy"], {"intervals": [-1]}),
    (["attributes", "age", "reading"], {}),
    (["seed"], -1),
]


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_what_is_wrong_is_refused_and_changes_nothing(session: Session, path: list[Any], value: Any) -> None:
    before, version = session.words, session.version
    with pytest.raises(PolicyError):
        session.change([(["suppress"], 0.1), (path, value)])
    assert (session.words, session.version) == (before, version)


@pytest.mark.parametrize(
    "body", [None, {}, "x", [1], [["a"]], [[[], 1]], [[[["a"]], 1]], [["a.b", 1, 2]], [[[1.5], 1]]]
)
def test_what_is_no_list_of_changes_is_refused(body: Any) -> None:
    with pytest.raises(PolicyError):
        read_changes(body)


def test_the_second_person_takes_the_place_of_the_first(session: Session) -> None:
    session.change([(["one_row_per_person"], True)])
    session.change([(["attributes", "zip", "role"], "person")])
    assert "one_row_per_person" not in session.words
    session.change([(["attributes", "sex", "role"], "person")])
    roles = {name: said["role"] for name, said in session.words["attributes"].items()}
    assert (roles["zip"], roles["sex"]) == ("identifier", "person")


def test_another_kind_of_publication_has_another_search(session: Session) -> None:
    session.change([(["publish"], "multidimensional")])
    assert session.policy().search == "mondrian"
    session.change([(["publish"], "generalization")])
    assert session.policy().search == "optimal"


def test_the_same_counts_answer_for_all_promises(session: Session) -> None:
    first = session.counted(session.policy())
    session.change([(["require", 0, "k_anonymity", "k"], 9), (["suppress"], 0.1), (["publish"], "local_recoding")])
    assert session.counted(session.policy()) is first
    scans = first.engine.scans
    session.change([(["attributes", "age", "hierarchy"], {"intervals": [20]})])
    other = session.counted(session.policy())
    assert other is not first and other.frequency.hierarchies[0].height == 2 and first.engine.scans == scans
    session.change([(["attributes", "age", "role"], "identifier")])
    assert session.counted(session.policy()).frequency.attributes == ("sex", "zip")


def test_words_are_never_changed_in_place() -> None:
    words = {"require": [{"k_anonymity": {"k": 5}}]}
    changed(words, [(["require", 0, "k_anonymity", "k"], 3)], ())
    assert words == {"require": [{"k_anonymity": {"k": 5}}]}
