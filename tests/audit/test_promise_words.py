"""Promises that can't be judged are refused with the place, and all that can be are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.audit.promises.parameters import promise_mistakes
from tests.models.cases import KINDS


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_whatever_a_policy_can_promise_is_read(kind, data):
    [(model, parameters)] = data.draw(KINDS[kind]).to_words().items()
    assert promise_mistakes(model, parameters, "promise", ()) == []


WRONG = [
    ("l_diversity", {"kind": "distinct"}, "needs l"),
    ("l_diversity", {"l": 2, "kind": "recursive"}, "needs c"),
    ("l_diversity", {"l": 2, "kind": "entropic"}, "did you mean 'entropy'"),
    ("t_closeness", {"t": "near"}, "must be a number above 0"),
    ("alpha_k", {"alpha": 0.5}, "needs k"),
    ("delta_disclosure", {"delta": -1}, "must be a number above 0"),
    ("presence", {"delta": 0.5}, "must be two shares"),
    ("presence", {"delta": [0.5, 0.1]}, "must be two shares"),
    ("realistic", {"class": "II", "epsilon": 3}, "needs stubbornness"),
    ("realistic", {"class": "III", "epsilon": 3, "prior": "old"}, "can't be read"),
    ("realistic", {"class": "III", "epsilon": 3, "prior": {"flu": "many"}}, "can't be read"),
    ("realistic", {"class": "III", "epsilon": 3, "known": -1}, "whole number"),
    ("realistic", {"class": "III", "epsilon": 3, "predicates": "flu"}, "can't be read"),
    ("robust", {"r": 2, "values": "flu"}, "must be a list"),
    ("robust", {"r": 2, "attribute_sets": ["age"]}, "must be lists of columns"),
    ("robust", {"r": 2, "attribute_sets": [["agge"]]}, "did you mean 'age'"),
    ("robust", {"r": 2, "knowledge": [[{"age": "20"}, "flu"]]}, "can't be read"),
    ("robust", {"r": 2, "knowledge": [[{"age": "20"}, "flu", 2]]}, "can't be read"),
    ("ambiguity", {"alpha": 0.1}, "needs beta"),
]


@pytest.mark.parametrize(("model", "parameters", "rule"), WRONG)
def test_what_can_not_be_judged_is_refused(model, parameters, rule):
    [mistake] = promise_mistakes(model, parameters, "promise", ("age",))
    assert rule in str(mistake) and mistake.place.startswith("promise")


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("robust", {"r": "5/2", "values": [["flu", "cold"], "gout"], "attribute_sets": [["age"]], "min_support": 3}),
        ("robust", {"r": 2, "knowledge": [[{"age": "20"}, "flu", 0.2]]}),
        ("presence", {"delta": [0, "0.1"], "population": "people.csv"}),
        ("ambiguity", {"alpha": 0.1, "beta": 0.2, "tables": "best"}),
        (
            "realistic",
            {"class": "III", "epsilon": 3, "prior": {"flu": 0.4, "cold": 0.6}, "predicates": [{"not": "flu"}]},
        ),
    ],
)
def test_what_can_be_judged_is_not(model, parameters):
    assert promise_mistakes(model, parameters, "promise", ("age",)) == []
