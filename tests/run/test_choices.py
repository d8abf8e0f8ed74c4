"""What `discreet compare` recommends: that `anonymize` delivers it, that it is no weaker than asked, what it says."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from discreet import anonymize
from discreet.errors import Infeasible
from discreet.labels.figures import percent
from discreet.models.presence.presence import Presence
from discreet.policy.policy import Policy, policy_from_words
from discreet.releases.choices import Choice, Choices, PolicyComparison
from discreet.report.pages.choices_part import (
    MEANT,
    chart,
    first_line,
    lines_to_set,
    promises,
    recommendation,
    tables,
    to_json,
)
from discreet.report.pages.compare_page import to_html, to_text
from discreet.run import choices as module
from discreet.run.choices import CHEAPER, DEARER, POINTS_MORE, choices
from discreet.run.compare import compare
from discreet.run.intake import count
from discreet.samples.census import census_like

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 40]}},
    "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "race": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "disease": {"role": "sensitive"},
}
K = {"k_anonymity": {"k": 3}}
SEVERAL = {"l_diversity": {"l": 2, "kind": "recursive", "c": 4}}
T = {"t_closeness": {"t": 0.4}}


def words(*require: dict[str, Any], **others: object) -> dict[str, Any]:
    return {"attributes": ATTRIBUTES, "require": list(require), "seed": 1, **others}


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    made: dict[str, list[str]] = census_like(1500, columns=list(ATTRIBUTES)).to_pydict()
    return made


def near(table: dict[str, Any], *require: dict[str, Any], **others: object) -> PolicyComparison:
    """What is near a policy, without the nodes, which are another matter."""
    policy = policy_from_words(words(*require, **others))
    chosen = choices(policy, counted := count(policy, table))
    rows = counted.frequency.rows
    return PolicyComparison(float(policy.suppress), policy.whose, rows, ("disease",), chosen, None, "not asked for")


def test_a_chain_of_coarser_values_is_compared_with_nothing_that_can_t_keep_it(table: dict[str, list[str]]) -> None:
    people = table | {"who": [f"P{i}" for i in range(len(table["age"]))]}
    attributes = ATTRIBUTES | {"who": {"role": "person"}}
    chain = {"attributes": attributes, "publish": "numbered_groups", "suppress": 0.1}
    found = near(people, {"m_invariance": {"m": 2}}, **chain).choices
    assert [way.publish for way in found.ways] == ["numbered_groups"] and found.asked.loss is not None
    assert found.recommended is not None and found.recommended.publish == "numbered_groups"
    others = near(table, K).choices  # nor do other policies name it
    assert {way.publish for way in others.ways} == {"generalization", "multidimensional", "local_recoding"}


def followed(c: PolicyComparison, asked: dict[str, Any]) -> Policy:
    """The policy after its custodian has written the recommended lines into it."""
    made = dict(asked)
    for line in lines_to_set(c):
        [(word, said)] = yaml.safe_load(line).items()
        if word == "publish":
            made["publish"] = said
        else:
            made["require"] = [{word: said} if word in entry else entry for entry in made["require"]]
    return policy_from_words(made)


CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (K, {}),
    (K, {"publish": "multidimensional"}),
    (K, {"publish": "local_recoding"}),
    (K, {"suppress": 0.05}),
    (SEVERAL, {}),
    (T, {}),
    ({"k_anonymity": {"k": 700}}, {}),
]


@pytest.mark.parametrize(("promise", "others"), CASES)
def test_the_recommended_lines_deliver_what_the_page_says(
    table: dict[str, Any], tmp_path: Path, promise: dict[str, Any], others: dict[str, Any]
) -> None:
    c = near(table, promise, **others)
    best = c.choices.recommended
    assert best is not None
    delivered = anonymize(followed(c, words(promise, **others)), tmp_path / "release", source=table)
    assert delivered.figures["loss"] == pytest.approx(best.loss)
    assert delivered.manifest["rows"]["suppressed"] == best.suppressed
    assert delivered.manifest["publish"] == best.publish
    assert len(promises(c)) == len(best.models)


@pytest.mark.parametrize(("promise", "others"), CASES)
def test_what_is_recommended_follows_its_rule(
    table: dict[str, Any], promise: dict[str, Any], others: dict[str, Any]
) -> None:
    """The rule, written down again: never weaker than asked, another way if clearly cheaper, as strong as is cheap."""
    c = near(table, promise, **others).choices
    losses = {way.publish: way.loss for way in c.ways}
    can = {publish: loss for publish, loss in losses.items() if loss is not None}
    cheapest = min(can, key=lambda publish: can[publish])
    asked = losses[c.asked.publish]
    way = cheapest if asked is None or can[cheapest] < CHEAPER * asked else c.asked.publish
    assert c.recommended is not None and c.recommended.publish == way
    limit = max(DEARER * can[way], can[way] + POINTS_MORE)
    of_way = [s for s in c.strengths if s.publish == way]
    stronger = of_way[[s.strength for s in of_way].index(c.asked.strength) :]
    cheap = [s for s in stronger if s.loss is not None and s.loss <= limit]
    assert c.recommended.strength == cheap[-1].strength
    beyond = of_way[of_way.index(c.recommended) + 1 :]
    assert c.stronger == (beyond[0] if beyond else None)


@pytest.mark.parametrize(
    ("promise", "strengths"),
    [
        (K, ["2", "3", "5", "10", "20", "50", "100"]),
        (SEVERAL, ["2", "3", "4", "5", "8"]),
        (T, ["0.5", "0.4", "0.3", "0.2", "0.1"]),
    ],
)
def test_the_dial_goes_from_weak_to_strong_with_the_asked_value_on_it(
    table: dict[str, Any], promise: dict[str, Any], strengths: list[str]
) -> None:
    c = near(table, promise).choices
    for _, group in itertools.groupby(c.strengths, key=lambda choice: choice.publish):
        turned = list(group)
        assert [choice.strength for choice in turned] == [Fraction(s) for s in strengths]
        if turned[0].publish == "generalization":  # optimal: a stronger promise never loses less
            losses = [float("inf") if choice.loss is None else choice.loss for choice in turned]
            assert losses == sorted(losses)


def test_of_an_interval_the_upper_end_is_turned(table: dict[str, Any], tmp_path: Path) -> None:
    asked = words({"presence": {"delta": [0, 0.4]}}, private={"race": "Black"})
    policy = policy_from_words(asked)
    chosen = choices(policy, counted := count(policy, table))
    assert [choice.strength for choice in chosen.strengths if choice.publish == policy.publish] == [
        Fraction(s) for s in ("0.5", "0.4", "0.3", "0.2", "0.1", "0.05")
    ]
    strong = replace(chosen, recommended=chosen.strengths[0])
    c = PolicyComparison(0.0, policy.whose, counted.frequency.rows, ("disease",), strong, None)
    assert [yaml.safe_load(line) for line in lines_to_set(c)] == [{"presence": {"delta": [0, 0.5]}}]
    assert tables(c)[1][0] == "Weaker and stronger: δmax"


@pytest.mark.parametrize("word", sorted(set(module._VALUES)))
def test_every_number_that_is_turned_has_words(word: str) -> None:
    assert MEANT[word]


def test_where_the_asked_can_not_be_had_the_strongest_that_can_is_told_as_weaker(table: dict[str, Any]) -> None:
    c = near(table, {"k_anonymity": {"k": 5000}})
    assert c.own.loss is None and c.choices.recommended is not None
    assert c.choices.recommended.strength == 100
    do, why = recommendation(c)
    assert do == "Ask for k = 100" and "It promises less than was asked for." in " ".join(why)
    assert "nothing can be published" in first_line(c)


def test_where_nothing_can_be_had_no_lines_are_given(table: dict[str, Any]) -> None:
    single = {**table, "disease": ["flu"] * 1500}
    c = near(single, {"l_diversity": {"l": 2, "kind": "distinct"}})
    do, why = recommendation(c)
    assert c.choices.recommended is None and do == "Change the table or the columns"
    assert lines_to_set(c) == [] and promises(c) == [] and chart(c) is None
    assert why[0].startswith("Nothing that keeps these promises can be published") and "any l that was" in why[0]


def test_a_release_that_tells_nothing_is_not_recommended_as_one() -> None:
    """Two rows, k = 2: all that can be published is *."""
    two = {"age": ["20", "70"], "sex": ["m", "f"], "race": ["a", "b"], "disease": ["flu", "cold"]}
    attributes = {
        name: {**said, "hierarchy": {"flat": True}} if name == "age" else said for name, said in ATTRIBUTES.items()
    }
    policy = policy_from_words(words({"k_anonymity": {"k": 2}}) | {"attributes": attributes})
    c = PolicyComparison(0.0, policy.whose, 2, ("disease",), choices(policy, count(policy, two)), None)
    assert c.own.loss == 1
    do, why = recommendation(c)
    assert do == "Change the table or the columns" and "tells nothing any more" in why[0]
    assert lines_to_set(c) == []


def test_a_value_that_a_whole_group_shares_is_told_with_its_mend() -> None:
    ages = [str(20 + n // 10) for n in range(60)]
    half = {"age": ages, "sex": ["m"] * 60, "race": ["a"] * 60, "disease": ["flu", "cold"] * 25 + ["hiv"] * 10}
    told = " ".join(recommendation(near(half, {"k_anonymity": {"k": 10}}))[1])
    assert "some group of it has a single value of disease, which is then known of all in it" in told
    assert "To prevent that, promise" in told and "a loss of" in told
    mixed = {**half, "disease": ["flu", "cold", "hiv", "gout"] * 15}
    assert "single value" not in " ".join(recommendation(near(mixed, {"k_anonymity": {"k": 10}}))[1])


def test_a_value_that_is_likelier_than_not_is_told_with_what_prevents_it_of_every_column() -> None:
    """As `init` proposes: three different values are promised, and one of them may still be most of a group."""
    ages = [str(20 + n // 10) for n in range(60)]
    mostly = {
        "age": ages,
        "sex": ["m"] * 60,
        "race": ["a"] * 30 + ["b"] * 30,
        "disease": (["flu"] * 7 + ["cold", "gout", "hiv"]) * 3 + (["cold"] * 3 + ["gout"] * 3 + ["hiv"] * 4) * 3,
    }
    c = near(mostly, {"k_anonymity": {"k": 10}}, {"l_diversity": {"l": 3}})
    told = " ".join(recommendation(c)[1])
    assert "some group of it makes a value likelier than not: of disease (70%)." in told
    assert "To prevent that, promise 2-diversity of disease (no value above 1/2) as well (l_diversity: {" in told
    frequent = [choice for choice in c.choices.further if "no value above 1/2" in choice.models[-1].describe()]
    assert frequent and frequent[0].point.risk is not None and frequent[0].point.risk.certain["disease"] <= 0.5
    promised = near(mostly, {"l_diversity": {"l": 2, "kind": "frequency"}}, {"k_anonymity": {"k": 10}})
    assert "likelier than not" not in " ".join(recommendation(promised)[1])
    assert all("no value above" not in choice.models[-1].describe() for choice in promised.choices.further)


def test_a_promise_keeps_its_other_words_in_the_lines_to_set(table: dict[str, Any]) -> None:
    c = near(table, SEVERAL)
    best = c.choices.strengths[-1]
    stronger = replace(c, choices=replace(c.choices, recommended=replace(best, point=c.own.point)))
    [line] = [line for line in lines_to_set(stronger) if line.startswith("l_diversity")]
    assert yaml.safe_load(line) == {"l_diversity": {"l": 8, "kind": "recursive", "c": 4}}


def test_a_promise_without_a_dial_is_published_in_each_way(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of an extension may be, of whose numbers nothing is known here."""
    monkeypatch.setattr(module, "_VALUES", {})
    c = near(table, {"delta_disclosure": {"delta": 2}})
    assert c.choices.dial is None and c.choices.strengths == () and chart(c) is None
    assert {way.publish for way in c.choices.ways} >= {"generalization", "multidimensional"}
    assert all(choice.strength is None for choice in c.choices.ways)


def test_a_way_that_would_do_if_no_row_were_left_out_is_told_with_its_repair(tmp_path: Path) -> None:
    people = {"age": [str(20 + n % 40) for n in range(400)], "sex": ["m", "f"] * 200, "race": ["a"] * 400}
    inside = {name: values[::4] for name, values in people.items()} | {"disease": ["flu", "cold"] * 50}
    population = tmp_path / "people.csv"
    population.write_text("\n".join(map(",".join, [people.keys(), *zip(*people.values(), strict=True)])) + "\n")
    hidden = {"presence": {"delta": [0, 0.5], "population": str(population)}}
    for suppress, why in ((0.02, "write suppress: 0"), (0, "")):
        policy = policy_from_words(words(hidden, suppress=suppress))
        ways = {way.publish: way.why for way in choices(policy, count(policy, inside)).ways}
        assert set(ways) == {"generalization", "multidimensional"}
        assert ways["generalization"] == "" and why in ways["multidimensional"]
        assert bool(ways["multidimensional"]) == bool(why)


def test_exact_values_are_named_as_not_tried(table: dict[str, Any]) -> None:
    c = near(table, K)
    assert not {way.publish for way in c.choices.ways} & {"bucketization", "ambiguity"}
    assert "Not tried: bucketization and ambiguity" in tables(c)[0][1]


def test_a_table_of_too_many_combinations_is_priced_as_asked_only(
    table: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_COMBINATIONS", 10)
    c = near(table, K).choices
    assert {choice.strength for choice in c.strengths} == {3}


def test_the_json_has_every_choice_with_its_figures(table: dict[str, Any]) -> None:
    c = near(table, K)
    told = json.loads(json.dumps(to_json(c.choices), allow_nan=False))
    assert told["dial"]["word"] == "k_anonymity" and told["dial"]["name"] == "k"
    for name in ("ways", "strengths", "further"):
        made = getattr(c.choices, name)
        assert [entry["loss"] for entry in told[name]] == [choice.loss for choice in made]
        assert [entry["publish"] for entry in told[name]] == [choice.publish for choice in made]
    assert told["recommended"]["loss"] == c.choices.recommended.loss  # type: ignore[union-attr]


def test_page_and_terminal_tell_the_same_recommendation_and_figures(table: dict[str, Any]) -> None:
    c = compare(policy_from_words(words(K)), source=table)
    do, why = recommendation(c)
    text, page = to_text(c), to_html(c)
    assert text.splitlines()[0] == first_line(c) + "."
    for sentence in (do[1:], *why):
        assert sentence in text and sentence in page
    for choice in shown(c.choices):
        assert percent(choice.loss or 0) in text and percent(choice.loss or 0) in page


def shown(c: Choices) -> list[Choice]:
    return [choice for choice in (*c.ways, *c.strengths, *c.further) if choice.loss is not None]


def test_an_impossible_policy_is_refused_by_anonymize_as_compare_says(table: dict[str, Any], tmp_path: Path) -> None:
    asked = words({"k_anonymity": {"k": 5000}})
    with pytest.raises(Infeasible):
        anonymize(policy_from_words(asked), tmp_path / "release", source=table)


def test_a_population_in_memory_goes_with_every_variant() -> None:
    """Of a model made in Python: no word of a policy leads back to its frame."""
    people = {"age": [str(20 + n % 40) for n in range(400)], "sex": ["m", "f"] * 200, "race": ["a"] * 400}
    inside = {name: values[::4] for name, values in people.items()} | {"disease": ["flu", "cold"] * 50}
    policy = policy_from_words(words() | {"require": [Presence((0, 0.5), people)]})
    made = choices(policy, count(policy, inside))
    assert {float(c.strength) for c in made.strengths if c.strength and c.loss is not None} >= {0.5, 0.3}
    assert not any("is missing" in c.why for c in (*made.ways, *made.strengths))
