"""Promises about presence in words: every mistake at once, no file opened, and a round trip through a manifest."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import PolicyError
from discreet.models.presence import Presence
from discreet.models.words import model_from_words
from discreet.policy import policy_from_words

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
        ({"delta": [0, 0.2], "attribute": "age"}, "presence.attribute: whether somebody is in the table is no matter"),
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
