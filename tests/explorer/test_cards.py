"""Cards: every promise there is, outsiders' among them; what a button does, a policy can take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet import policy_from_words
from discreet.explorer.figures.answers import answer
from discreet.explorer.figures.cards import cards
from discreet.explorer.session import Session
from discreet.explorer.starting import start
from discreet.labels.whose import Whose
from discreet.models.registry import MODELS
from discreet.run.anonymize import anonymize
from discreet.run.intake import Counted, count
from tests.explorer.tables import KINDS, changed, counted, of_kind, people, plain, policy, words
from tests.extensions.at_most import AT_MOST


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


@pytest.fixture
def outsider() -> Iterator[None]:
    MODELS.register("at_most", AT_MOST)
    yield
    MODELS.unregister("at_most")


def by_word(told: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {card["word"]: card for card in told}


def test_every_promise_has_a_card_with_all_that_the_page_reads(counts: Counted, outsider: None) -> None:
    told = cards(of_kind("generalization"), counts)
    assert [card["word"] for card in told if card["on"]] == ["k_anonymity", "l_diversity"]
    assert {card["word"] for card in told} == set(MODELS)
    assert len({card["id"] for card in told}) == len(told) and plain(told)
    for card in told:
        assert card["title"] and card["sentence"] and card["adversary"].startswith("Against"), card["word"]
        assert card["on"] or card["available"] or card["why_not"]


@pytest.mark.parametrize("whose", [Whose.UNSAID, Whose.ONE_EACH])
def test_cards_speak_of_people_only_where_rows_are_people(whose: Whose, counts: Counted) -> None:
    stated = {"one_row_per_person": True} if whose is Whose.ONE_EACH else {}
    told = cards(policy({"k_anonymity": {"k": 5}}, **stated), counts, costs=False)
    texts = [f"{card['title']}. {card['sentence']} {card['adversary']}" for card in told]
    of_people = re.compile(r"\b(people|persons?|everybody|anybody|individuals?|Nobody stands)\b")
    # A belief may rest on data of other people; a chain is of named people, or refused.
    spoken = [
        text for text in texts if of_people.search(re.sub(r"worth of belief|people's|data on .* people", "", text))
    ]
    spoken = [text for text in spoken if "m-invariance" not in text and "ε-privacy" not in text]
    assert bool(spoken) == (whose is Whose.ONE_EACH), spoken


def test_what_is_on_is_what_the_answer_says(counts: Counted) -> None:
    for kind in KINDS:
        told = [card for card in cards(of_kind(kind), counts) if card["on"]]
        for card, fresh in zip(told, answer(of_kind(kind), counts)["promises"], strict=True):
            assert {name: card[name] for name in fresh} == fresh


def test_a_cost_is_the_difference_of_two_releases(counts: Counted, tmp_path: Path) -> None:
    require, more = KINDS["generalization"]
    told = cards(of_kind("generalization"), counts)
    both = anonymize(of_kind("generalization"), tmp_path / "both", source=people())
    for number, card in enumerate(told[:2]):
        alone = policy(*(entry for i, entry in enumerate(require) if i != number), **more)
        without = anonymize(alone, tmp_path / f"without {number}", source=people())
        assert card["cost"]["loss"] == pytest.approx(both.figures["loss"] - without.figures["loss"])
        rows = [r.manifest["rows"]["suppressed"] for r in (both, without)]
        assert card["cost"]["suppressed"] == pytest.approx((rows[0] - rows[1]) / 300)
    [alone_card, *_] = cards(policy(), counts)
    assert alone_card["cost"]["loss"] == answer(policy(), counts)["loss"]


def test_without_costs_nothing_is_searched_twice(counts: Counted) -> None:
    told = cards(of_kind("generalization"), counts, costs=False)
    assert all(card["cost"] is None for card in told if card["on"]) and told[0]["kept"]


def test_turning_a_promise_on_and_off(counts: Counted, outsider: None) -> None:
    said = words({"k_anonymity": {"k": 5}})
    offered = [card for card in cards(policy_from_words(said), counts) if not card["on"] and card["available"]]
    assert {"l_diversity", "t_closeness", "realistic", "robust", "ambiguity", "at_most"} <= set(by_word(offered))
    for card in offered:
        more = changed(said, card["turn_on"])
        assert len(more["require"]) == 2, card["word"]
        asked = policy_from_words(more)
        told = by_word(cards(asked, counts, costs=False))[card["word"]]
        assert told["on"] and told["sentence"] == card["sentence"], card["word"]
        assert policy_from_words(changed(more, told["turn_off"])).require == policy_from_words(said).require


def test_a_promise_that_can_t_be_made_says_why(counts: Counted) -> None:
    told = by_word(cards(policy(), counts))
    for word in ("presence", "confident_presence", "k_map"):
        assert not told[word]["available"] and "a list of everybody who could be in" in told[word]["why_not"]
    attributes = {"age": {"role": "quasi_identifier"}}
    alone = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]})
    told = by_word(cards(alone, count(alone, {"age": ["1", "1", "2", "2"]})))
    assert not told["l_diversity"]["available"] and "sensitive" in told["l_diversity"]["why_not"]


def test_a_page_can_show_that_nothing_is_promised(counts: Counted) -> None:
    told = cards(policy(), counts, require=[])
    assert not any(card["on"] for card in told) and by_word(told)["k_anonymity"]["available"]
    assert by_word(told)["k_anonymity"]["turn_on"] == [[["require", 0], {"k_anonymity": {"k": 5}}]]


def test_what_is_impossible_has_cards_too(counts: Counted) -> None:
    [first, *_] = cards(policy({"k_anonymity": {"k": 5000}}), counts)
    assert first["on"] and first["kept"] is None and first["cost"] is None
    assert first["parameters"][0]["value"] == 5000 and first["parameters"][0]["max"] >= 5000


def test_choices_lead_to_policies(counts: Counted) -> None:
    said = words({"l_diversity": {"l": 2}}, {"t_closeness": {"t": 0.5}})
    for card in cards(policy_from_words(said), counts)[:2]:
        choices = [p for p in card["parameters"] if "choices" in p]
        assert len(choices) == 1 and len(choices[0]["choices"]) > 1
        for option, _ in choices[0]["choices"]:
            policy_from_words(changed(said, [[choices[0]["path"], option]]))


def test_two_secrets_can_be_told_apart() -> None:
    attributes = {
        "age": {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
        "job": {"role": "sensitive"},
    }
    said: dict[str, Any] = {"attributes": attributes, "require": [{"l_diversity": {"l": 2}}], "seed": 1}
    table = {"age": ["1"] * 6, "disease": ["a", "b"] * 3, "job": ["x", "y", "z"] * 2}
    counts = count(policy_from_words(said), table)
    [card, *_] = cards(policy_from_words(said), counts)
    assert "disease: 2" in card["margin_text"] and "job: 3" in card["margin_text"]
    assert "each sensitive column" in card["sentence"]
    [choice] = [p for p in card["parameters"] if p["name"] == "attribute"]
    assert choice["value"] is None and [word for word, _ in choice["choices"]] == [None, "disease", "job"]
    one = cards(policy_from_words(changed(said, [[choice["path"], "job"]])), counts)[0]
    assert one["title"].endswith("of job") and one["parameters"][0]["max"] == 3


@pytest.mark.parametrize("whose", [Whose.UNSAID, Whose.ONE_EACH])
def test_sentences_speak_of_people_only_if_rows_are_people(whose: Whose, counts: Counted) -> None:
    asked = policy({"k_anonymity": {"k": 5}}, one_row_per_person=whose is Whose.ONE_EACH)
    [card, *_] = cards(asked, counts)
    assert whose.others(4) in card["sentence"] and whose.everybody in card["sentence"]


def test_why_a_promise_can_t_be_made_is_the_reason_that_stays(tmp_path: Path) -> None:
    """Of two secrets, no way to publish keeps `robust`: whoever chose the one that is named would be refused again."""
    (tmp_path / "people.csv").write_text(
        "age,ill,wage\n" + "".join(f"{20 + i % 9},{i % 3},{i % 4}\n" for i in range(60))
    )
    session = Session(start(str(tmp_path / "people.csv")))
    roles = {"age": "quasi_identifier", "ill": "sensitive", "wage": "sensitive"}
    session.change([(["attributes", name, "role"], role) for name, role in roles.items()])
    policy = session.policy()
    told = {card["word"]: card for card in cards(policy, session.counted(policy), costs=False)}
    assert "the policy has 2; give exactly one column the role sensitive" in told["robust"]["why_not"]
