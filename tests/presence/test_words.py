"""Promises about presence in words: every mistake at once, no file opened, and a round trip through a manifest."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import PolicyError
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.presence.presence import Presence
from discreet.models.registry import model_from_words
from discreet.policy.policy import policy_from_words

AGE = {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10]}}


def mistakes(word: str, parameters: object) -> list[str]:
    models, found = model_from_words(word, parameters, word, [])
    assert not models
    return [str(m) for m in found]


def policy_mistakes(*require: object, **changes: Any) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        policy_from_words({"attributes": {"age": AGE}, "require": list(require)} | changes)
    return [str(m) for m in caught.value.mistakes]


def test_a_population_is_a_path_from_the_folder_of_the_policy_and_a_name_in_a_manifest() -> None:
    words = {"delta": [0, 0.2], "population": "data/people.csv"}
    [model], wrong = model_from_words("presence", words, "presence", [], Path("clinic"))
    assert not wrong and isinstance(model, Presence)
    assert model.delta == (0, Fraction(1, 5)) and model.population == Path("clinic/data/people.csv")
    assert model.to_words() == {"presence": {"delta": [0, 0.2], "population": "people.csv"}}


def test_words_of_a_manifest_are_read_without_the_file() -> None:
    for words in ({"delta": [0.1, "1/3"], "population": "gone.csv"}, {"delta": [0.1, "1/3"]}):
        [model], wrong = model_from_words("presence", words, "presence", [])
        assert not wrong
        assert model.to_words() == {"presence": words}


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({}, "presence.delta: is missing; for example presence: {delta: [0, 0.2], population: people.csv}"),
        ({"delta": 0.2}, "presence.delta: must be a pair [least, most] of probabilities, got 0.2"),
        ({"delta": [0.1]}, "presence.delta: must be a pair"),
        ({"delta": "0, 1"}, "presence.delta: must be a pair"),
        ({"delta": [0.3, 0.2]}, "presence.delta: must rise, and end at 1 at most, got [0.3, 0.2]"),
        ({"delta": [0, 1.2]}, "presence.delta: must rise, and end at 1 at most"),
        ({"delta": [0, 1]}, "presence.delta: must leave something out"),
        ({"delta": [-0.1, 1]}, "presence.delta: must be a pair of probabilities: must be at least 0, got -0.1"),
        ({"delta": [0, 0.2], "population": ""}, "presence.population: must be the path of a table, got ''"),
        ({"delta": [0, 0.2], "population": {"age": [1]}}, "presence.population: must be the path of a table, got a ma"),
        ({"delta": [0, 0.2], "confidence": 0.8}, "presence.confidence: no such parameter"),
        (
            {"delta": [0, 0.2], "attribute": "age"},
            "presence.attribute: whether somebody is in the table is not",
        ),
        ([0, 0.2], "presence: must have its parameters by name; for example presence: {delta"),
    ],
)
def test_a_mistake_names_the_place_the_rule_and_the_repair(parameters: object, told: str) -> None:
    [message] = mistakes("presence", parameters)
    assert message.startswith(told)


def test_all_mistakes_are_told_at_once() -> None:
    assert len(mistakes("presence", {"dleta": [0, 0.2], "population": 7, "size": 3})) == 4


def test_a_policy_must_say_among_whom() -> None:
    told = "population: is missing; name the table of everybody who could be in, or say with 'private' which rows"
    [words] = policy_mistakes({"presence": {"delta": [0, 0.2]}})
    assert words.startswith(f"require[0].presence.{told}")
    [model] = policy_mistakes(Presence((0, 0.2)))
    assert model.startswith(f"require[0].{told}")


@pytest.mark.parametrize("publish", ["local_recoding", "bucketization", "ambiguity"])
def test_presence_goes_with_groups_that_do_not_overlap(publish: str) -> None:
    promise = {"presence": {"delta": [0, 0.2], "population": "people.csv"}}
    attributes = {"age": AGE, "disease": {"role": "sensitive"}}
    told = policy_mistakes(promise, attributes=attributes, publish=publish)
    rule = f"publish: {publish!r} can't keep the promise 'presence'; write publish: generalization or multidimensional"
    assert rule in told


@pytest.mark.parametrize("publish", ["generalization", "multidimensional"])
def test_several_promises_speak_of_one_population(publish: str) -> None:
    one, other = ({"presence": {"delta": [0, d], "population": "people.csv"}} for d in (0.2, 0.5))
    words = {"attributes": {"age": AGE}, "publish": publish}
    assert len(policy_from_words(words | {"require": [one, other]}).models) == 2
    strange = {"presence": {"delta": [0, 0.5], "population": "others.csv"}}
    [told] = policy_mistakes(one, strange, publish=publish)
    assert told == (
        "require: promises about presence speak of 2 different populations; give all of them the same population"
    )


def test_frames_are_one_population_if_they_are_the_same_frame() -> None:
    frame, equal = ({"age": ["1", "2"]} for _ in range(2))
    words = {"attributes": {"age": AGE}}
    policy_from_words(words | {"require": [Presence((0, 0.2), frame), Presence((0, 0.5), frame)]})
    [told] = policy_mistakes(Presence((0, 0.2), frame), Presence((0, 0.5), equal))
    assert "2 different populations" in told


CONFIDENT = {"delta": [0, 0.2], "confidence": 0.8}


def confident(words: dict[str, Any], folder: Path = Path()) -> ConfidentPresence:
    [model], wrong = model_from_words("confident_presence", CONFIDENT | words, "confident_presence", [], folder)
    assert not wrong and isinstance(model, ConfidentPresence)
    return model


def test_confidence_may_rest_on_a_population() -> None:
    model = confident({"population": "people.csv", "coverage": True}, Path("clinic"))
    assert (model.delta, model.confidence, model.coverage) == ((0, Fraction(1, 5)), Fraction(4, 5), True)
    assert model.population == Path("clinic/people.csv") and model.marginals is None
    assert model.to_words() == {
        "confident_presence": CONFIDENT | {"population": "people.csv", "coverage": True},
    }


def test_marginals_may_be_listed_or_lie_in_files_and_a_manifest_has_them_all(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text('\ufeffage;people\n30;7\n"3;1";2\n"";1\n;5\n', encoding="utf-8")
    (tmp_path / "town.tsv").write_text("A, B\t0.25\n C\t3/4\n", encoding="utf-8")
    words = {"marginals": {"age": "age.csv", "town": "town.tsv", "sex": {"f": "1/3", 7: 2}}, "size": 15}
    model = confident(words, tmp_path)
    assert model.marginals == {
        "age": {"30": 7, "3;1": 2, "": 1, None: 5},
        "town": {"A, B": Fraction(1, 4), " C": Fraction(3, 4)},
        "sex": {"f": Fraction(1, 3), "7": 2},
    }
    [told] = model.to_words().values()
    assert confident(told, Path("elsewhere")).marginals == model.marginals
    assert json.loads(json.dumps(told)) == told


def test_marginals_in_a_file_that_is_not_there_are_kept_by_its_name() -> None:
    model = confident({"marginals": {"age": "age.csv"}}, Path("clinic"))
    assert model.marginals == {"age": Path("clinic/age.csv")}
    assert model.to_words()["confident_presence"]["marginals"] == {"age": "age.csv"}


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"confidence": 0}, "confidence: must be above 0 and at most 1, got 0"),
        ({"confidence": 1.1}, "confidence: must be above 0 and at most 1, got 1.1"),
        ({"confidence": None}, "confidence: is missing; for example confident_presence: {delta"),
        ({"delta": 0.1}, "delta: must be a pair"),
        ({"coverage": "yes"}, "coverage: must be true or false, got 'yes'"),
        ({"size": 10}, "size: is for marginals: a population is counted; leave it out"),
        ({"marginal": {}}, "marginal: no such parameter; did you mean 'marginals'?"),
        ({"attribute": "age"}, "attribute: whether somebody is in the table"),
        (
            {"marginals": {"age": {"1": 2}}, "size": 0},
            "size: must be at least 1, got 0; it is how many",
        ),
        ({"marginals": {"age": {"1": 2}}, "size": 2.5}, "size: must be a whole number, got 2.5"),
        ({"marginals": {}}, "marginals: must be a mapping of quasi-identifiers, got an empty one"),
        ({"marginals": ["age.csv"]}, "marginals: must be a mapping of quasi-identifiers, got a list"),
        ({"marginals": {"age": 7}}, "marginals.age: must have a number for each value, got 7"),
        ({"marginals": {"age": [["30", 1, 2]]}}, "marginals.age: must have a number for each value, got a list"),
        ({"marginals": {"age": {}}}, "marginals.age: lists no values"),
        ({"marginals": {"age": {"30": "many"}}}, "marginals.age.30: must be a number, got 'many'"),
        ({"marginals": {"age": {None: -1}}}, "marginals.age.NULL: must be at least 0, got -1"),
        ({"marginals": {"age": [["30", 1], [30, 2]]}}, "marginals.age.30: is given twice; keep one of them"),
        ({"marginals": {"age": [[1.5, 1]]}}, "marginals.age.1.5: a value must be text, got 1.5"),
        (
            {"marginals": {"age": {"30": 1}}, "population": "p.csv"},
            "marginals: the people outside of the table can't come from a population and from marginals at once",
        ),
    ],
)
def test_a_mistake_about_confidence_names_the_place_the_rule_and_the_repair(parameters: Any, told: str) -> None:
    [message] = mistakes("confident_presence", CONFIDENT | parameters)
    assert message.startswith(f"confident_presence.{told}")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("value,count\nA,1\nA,2\n", ["line 3: the same value as in line 2"]),
        ("value,count\nA\nB,many\nC,1\n", ["age.csv', line 2: not a value and a count", "line 3: not a value"]),
        ("A,1\nB,2,3\n", ["line 2: not a value and a count"]),
        ("", ["marginals.age: lists no values"]),
        ("value,1st\nA,1\n", ["line 1: not a value and a count"]),
    ],
)
def test_a_file_of_marginals_is_told_line_by_line(tmp_path: Path, content: str, expected: list[str]) -> None:
    (tmp_path / "age.csv").write_text(content)
    words = CONFIDENT | {"marginals": {"age": "age.csv"}}
    models, found = model_from_words("confident_presence", words, "confident_presence", [], tmp_path)
    assert not models
    for mistake, told in zip(found, expected, strict=True):
        assert told in str(mistake)


def test_marginals_of_one_policy_are_the_same_and_beside_no_population() -> None:
    one, other = ({"confident_presence": CONFIDENT | {"marginals": {"age": {"30": n}}}} for n in (5, 6))
    stricter = {"confident_presence": one["confident_presence"] | {"confidence": 0.9}}
    assert len(policy_from_words({"attributes": {"age": AGE}, "require": [one, stricter]}).models) == 2
    for strange in (other, {"presence": {"delta": [0, 0.2], "population": "people.csv"}}):
        [told] = policy_mistakes(one, strange)
        assert "2 different populations" in told


def test_a_policy_must_say_where_confidence_comes_from() -> None:
    [told] = policy_mistakes({"confident_presence": CONFIDENT})
    assert told.startswith("require[0].confident_presence.population: is missing; name the table of everybody")
