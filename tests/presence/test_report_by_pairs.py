"""What reports tell of a promise by pairs or with a margin: to the custodian with figures, to everybody in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discreet import anonymize, policy_from_words
from discreet.labels.whose import Whose
from discreet.models.presence.confident_presence import ConfidentPresence
from discreet.models.promise import Setting
from discreet.models.registry import MODELS
from discreet.report.sections.presence import confident
from discreet.run.intake import take_in
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Problem, Recoding

PEOPLE = range(3000)
EVERYBODY = {
    "age": [str(20 + i % 4) for i in PEOPLE],
    "job": [("cook", "clerk")[i // 4 % 2] for i in PEOPLE],
    "sex": ["fm"[(i % 4 + i // 4) % 2] for i in PEOPLE],  # what the two others tell together, and neither of them alone
    "in": ["no" if i % 11 else "yes" for i in PEOPLE],
}


def words(**more: Any) -> dict[str, Any]:
    return {
        "attributes": {name: {"role": "quasi_identifier"} for name in ("age", "job", "sex")},
        "require": [{"confident_presence": {"delta": [0, "1/5"], "confidence": 0.95, "known": "pairs"} | more}],
        "private": {"in": "yes"},
        "publish": "multidimensional",
    }


def released(**more: Any) -> tuple[Recoding, list[dict[str, Any]], ConfidentPresence]:
    policy = policy_from_words(words(**more))
    plan = mondrian(Problem(take_in(policy, EVERYBODY).frequency, tuple(policy.models)))
    [model] = policy.models
    assert isinstance(model, ConfidentPresence)
    return plan, [{"model": model.to_words(), "level": 0.95}], model


def test_confidences_are_those_that_are_surely_reached() -> None:
    plan, told, model = released(margin=0.25)
    [found] = confident(plan.groups, told, Whose.ONE_EACH, plan.frequency)
    assert found.smallest == pytest.approx(float(model.level(plan.groups).min()))
    assert found.smallest >= 0.95 and found.bounded and found.margin == 0.25
    assert "two together" in found.worlds_in_words and "1.28 times as large or as small" in found.worlds_in_words


def test_it_tells_which_margin_the_table_asks_for() -> None:
    for margin, told_of_it in ((0, "more than is allowed for"), (3, "which is allowed for")):
        plan, told, _ = released(margin=margin)
        [found] = confident(plan.groups, told, Whose.ONE_EACH, plan.frequency)
        assert found.measured is not None and 0 < found.measured < 3
        assert found.measured_in_words.endswith(told_of_it)
        assert f"a margin of {found.measured:g}" in found.measured_in_words


def test_without_the_pairs_nothing_is_told_of_it() -> None:
    plan, told, _ = released()
    groups = plan.groups
    assert groups.outside is not None
    unknown = replace(groups, outside=replace(groups.outside, marginals=replace(groups.outside.marginals, pairs=None)))
    assert confident(unknown, told, Whose.ONE_EACH) == ()


def test_the_published_report_says_what_was_known_and_what_stays_open(tmp_path: Path) -> None:
    made = anonymize(policy_from_words(words(margin=0.5)), tmp_path / "release", source=EVERYBODY)
    page = (made.folder / "report.html").read_text(encoding="utf-8")
    assert "how common each value is, and each two values together" in page
    assert "1.65 times too large or too small" in page
    assert "Three and more values that go together" in page
    own = (tmp_path / "release.private" / "report.html").read_text(encoding="utf-8")
    assert "what the table says" in own and "a margin of" in own and "what the table says" not in page


@pytest.mark.parametrize("whose", list(Whose))
def test_each_way_to_know_has_a_sentence_and_a_risk_of_its_own(whose: Whose) -> None:
    promise, setting = MODELS["confident_presence"], Setting(False, whose)
    ways: list[dict[str, Any]] = [{}, {"known": "pairs"}, {"margin": 0.5}, {"known": "pairs", "margin": 0.5}]
    ways = [{"delta": [0, 0.1], "confidence": 0.8} | way for way in ways]
    assert promise.sentence is not None
    assert len({promise.sentence(way, "", setting) for way in ways}) == 4
    assert len({str(promise.leaves_open(way, 0.0, setting)) for way in ways}) == 4
