"""From the words of a policy to models and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import PolicyError
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import DistinctDiversity, RecursiveDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.registry import model_from_words
from tests.models.cases import ATTRIBUTE, KINDS


def mistakes(word: object, parameters: object, sensitive: tuple[str, ...] = ("disease",)) -> list[str]:
    models, found = model_from_words(word, parameters, f"require[0].{word}", sensitive)
    assert bool(models) != bool(found)
    return [str(mistake) for mistake in found]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_a_model_is_read_back_from_its_own_words(kind: str, data: st.DataObject) -> None:
    model = data.draw(KINDS[kind])
    [(word, parameters)] = model.to_words().items()
    assert model_from_words(word, parameters, "", [ATTRIBUTE]) == ([model], [])


def test_words_are_plain_numbers_and_texts() -> None:
    assert AlphaK(0.3, 5, "x").to_words() == {"alpha_k": {"alpha": 0.3, "k": 5, "attribute": "x"}}
    assert AlphaK("1/3", 5, "x").to_words()["alpha_k"]["alpha"] == "1/3"
    assert RecursiveDiversity(3.0, 2, "x").to_words() == {
        "l_diversity": {"c": 3, "l": 2, "attribute": "x", "kind": "recursive"}
    }
    assert KAnonymity(5).to_words() == {"k_anonymity": {"k": 5}}


def test_a_promise_without_an_attribute_is_meant_for_each_sensitive_one() -> None:
    models, _ = model_from_words("l_diversity", {"l": 2}, "", ["disease", "salary"])
    assert models == [DistinctDiversity(2, "disease"), DistinctDiversity(2, "salary")]
    models, _ = model_from_words("t_closeness", {"t": 0.2, "attribute": "salary"}, "", ["disease", "salary"])
    assert models == [TCloseness("0.2", "salary")]


def test_k_anonymity_needs_no_sensitive_attribute_and_the_others_do() -> None:
    assert model_from_words("k_anonymity", {"k": 3}, "", []) == ([KAnonymity(3)], [])
    assert mistakes("l_diversity", {"l": 2}, ()) == [
        "require[0].l_diversity: needs a sensitive attribute; give a column the role sensitive"
    ]


def test_all_mistakes_are_told_at_once() -> None:
    assert mistakes("alpha_k", {"alpha": 1.5, "kk": 3, "attribute": "diseas"}) == [
        "require[0].alpha_k.kk: no such parameter; did you mean 'k'?",
        "require[0].alpha_k.k: is missing; for example alpha_k: {alpha: 0.5, k: 5}",
        "require[0].alpha_k.alpha: must be above 0 and below 1, got 1.5; "
        "with alpha = 1 no share is bounded: that is k_anonymity",
        "require[0].alpha_k.attribute: no such sensitive attribute; did you mean 'disease'?",
    ]


@pytest.mark.parametrize(
    ("word", "parameters", "told"),
    [
        ("k_anonimity", {"k": 2}, "no such promise; did you mean 'k_anonymity'?"),
        ("differential_privacy", {"epsilon": 1}, "no such promise; known:"),
        (7, {}, "no such promise"),
        ("k_anonymity", 5, "must have its parameters by name; for example k_anonymity: {k: 5}"),
        ("k_anonymity", None, "must have its parameters by name"),
        ("k_anonymity", {"k": "5"}, "k: must be a whole number, got '5'"),
        ("k_anonymity", {"k": True}, "k: must be a whole number, got true"),
        ("k_anonymity", {"k": 2.5}, "k: must be a whole number, got 2.5"),
        ("k_anonymity", {"k": 5, "attribute": "disease"}, "attribute: k_anonymity is about all"),
        ("l_diversity", {"l": 1}, "l: must be at least 2, got 1"),
        ("l_diversity", {"l": 2, "kind": "entropi"}, "kind: must be one of distinct, entropy, recursive, frequency"),
        ("l_diversity", {"l": 2, "kind": "recursiv", "c": 3}, "did you mean 'recursive'?"),
        ("l_diversity", {"l": 2, "c": 3}, "c: belongs to kind: recursive alone"),
        ("l_diversity", {"l": 2, "kind": "recursive"}, "c: is missing"),
        ("l_diversity", {"l": 2, "kint": "entropy"}, "kint: no such parameter; did you mean 'kind'?"),
        ("t_closeness", {"t": 1}, "t: must be at least 0 and below 1, got 1"),
        ("t_closeness", {"t": "lots"}, "t: must be a number, got 'lots'"),
        ("t_closeness", {"t": float("nan")}, "t: must be a number, got nan"),
        ("t_closeness", {"t": float("inf")}, "t: must be a number, got inf"),
        ("t_closeness", {"t": "1e-9999999"}, "t: must be a number"),
        ("t_closeness", {"t": "1/0"}, "t: must be a number"),
        ("t_closeness", {"t": [0.2]}, "t: must be a number, got a list"),
        ("t_closeness", {"t": 0.2, "distance": "order"}, "did you mean 'ordered'?"),
        ("t_closeness", {"t": 0.2, "attribute": ["disease"]}, "attribute: must be the name of a sensitive attribute"),
        ("beta_likeness", {"beta": 0}, "beta: must be above 0, got 0"),
        ("beta_likeness", {"beta": 1, "kind": 3}, "kind: must be one of basic, enhanced, got 3"),
        ("delta_disclosure", {"delta": -1}, "delta: must be above 0, got -1"),
        ("delta_disclosure", {}, "delta: is missing"),
    ],
)
def test_a_mistake_names_the_place_the_rule_and_the_repair(word: object, parameters: object, told: str) -> None:
    [message] = mistakes(word, parameters)
    assert message.startswith(f"require[0].{word}")
    assert told in message


def test_a_wrong_kind_hides_no_other_mistake() -> None:
    assert [m.split(":")[0] for m in mistakes("l_diversity", {"kind": "x", "l": 0})] == [
        "require[0].l_diversity.kind",
        "require[0].l_diversity.l",
    ]


def test_models_made_in_python_are_checked_alike() -> None:
    with pytest.raises(PolicyError) as caught:
        AlphaK(2, 1, "")
    assert [mistake.place for mistake in caught.value.mistakes] == ["alpha_k.alpha", "alpha_k.k", "alpha_k.attribute"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5)
@given(data=st.data())
def test_models_say_in_one_line_what_they_promise(kind: str, data: st.DataObject) -> None:
    model = data.draw(KINDS[kind])
    assert model.attribute in model.describe()
    assert "\n" not in model.describe() + model.require()
    assert model.require().split()[0] in ("at", "below")
