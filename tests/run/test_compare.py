"""`discreet compare`: its numbers against the optimal search, its page, its JSON, and the command itself."""

from __future__ import annotations

import json
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet import anonymize
from discreet.cli.main import app
from discreet.errors import DiscreetError, Infeasible
from discreet.labels.figures import percent
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.realistic.adversaries import ClassTwo
from discreet.models.realistic.realistic import Realistic
from discreet.policy.policy import Policy, policy_from_words
from discreet.releases.choices import PolicyComparison
from discreet.report.pages.compare_page import epsilon_text, to_html, to_json, to_text
from discreet.run.compare import compare
from discreet.run.intake import take_in
from discreet.samples.census import census_like
from discreet.search.lattice.comparison import Comparison
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem

ATTRIBUTES = {
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 40]}},
    "sex": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "race": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
    "disease": {"role": "sensitive"},
}
OWN = {"realistic": {"class": "II", "stubbornness": 300, "epsilon": 4}}


def policy(*require: object) -> Policy:
    return policy_from_words({"attributes": ATTRIBUTES, "require": list(require) or [{"k_anonymity": {"k": 3}}]})


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = census_like(4000, columns=list(ATTRIBUTES)).to_pydict()
    return found


@pytest.fixture(scope="module")
def compared(table: dict[str, list[str]]) -> PolicyComparison:
    return compare(policy({"k_anonymity": {"k": 3}}, OWN), source=table)


@pytest.fixture(scope="module")
def nodes(compared: PolicyComparison) -> Comparison:
    assert compared.nodes is not None
    return compared.nodes


@pytest.mark.parametrize("publish", ["generalization", "multidimensional"])
def test_the_first_line_says_what_the_policy_itself_delivers(
    table: dict[str, list[str]], publish: str, tmp_path: Path
) -> None:
    words = policy().to_words() | {"publish": publish, "suppress": 0.02, "search": None}
    asked = policy_from_words({word: said for word, said in words.items() if said is not None})
    found = compare(asked, source=table)
    delivered = anonymize(asked, tmp_path / "release", source=table)
    assert found.own is not None and found.own.loss == pytest.approx(delivered.figures["loss"])
    assert found.own.suppressed == delivered.manifest["rows"]["suppressed"]
    told = f"The policy (publish: {publish}, suppress: 0.02) has a loss of {percent(found.own.loss)}, with "
    for first, whole in ((to_text(found).splitlines()[0], to_text(found)), (to_html(found), to_html(found))):
        assert told in first and "Here every row is published" in whole
    assert to_json(found)["policy"]["loss"] == found.own.loss


def test_a_policy_without_a_release_is_not_given_a_loss(table: dict[str, list[str]]) -> None:
    found = compare(policy({"k_anonymity": {"k": 5000}}), source=table)
    first = (
        "By the policy (publish: generalization, suppress: 0), nothing can be published: 5000-anonymity can't be had"
    )
    assert first in to_text(found).splitlines()[0] and first in unescape(to_html(found))
    assert to_json(found)["policy"]["loss"] is None


def least_loss(table: object, *models: PrivacyModel) -> float | None:
    """What the search finds."""
    try:
        return float(optimal(Problem(take_in(policy(), table).frequency, models)).losses.mean())
    except Infeasible:
        return None


@pytest.mark.parametrize(
    ("promise", "model"),
    [
        ("5-anonymity", KAnonymity(5)),
        ("50-anonymity", KAnonymity(50)),
        ("(4, 2)-diversity", FrequencyDiversity("5/4", "disease")),
        ("0.3-closeness", TCloseness("0.3", "disease")),
        ("ε = 4 against class II, σ = 10³", Realistic(4, ClassTwo(1000), "disease")),
        ("ε = 4 against class II, σ = 10⁶", Realistic(4, ClassTwo(10**6), "disease")),
    ],
)
def test_the_least_loss_is_that_of_the_optimal_search(
    nodes: Comparison, table: dict[str, list[str]], promise: str, model: PrivacyModel
) -> None:
    cost = next(cost for cost in nodes.costs if cost.promise == promise)
    found = None if cost.best is None else float(nodes.lattice.loss[cost.best])
    assert found == pytest.approx(least_loss(table, model))


def test_the_policy_is_compared_as_a_whole_and_its_adversary_has_a_column(
    nodes: Comparison, table: dict[str, list[str]]
) -> None:
    cost = nodes.costs[-1]
    expected = least_loss(table, KAnonymity(3), Realistic(4, ClassTwo(300), "disease"))
    assert cost.kind == "policy"
    assert cost.best is not None
    assert float(nodes.lattice.loss[cost.best]) == pytest.approx(expected)
    assert nodes.reference == cost.best
    own = nodes.columns[-1]
    assert (own.name, own.asked) == ("policy", 4)
    assert nodes.epsilon == 4  # the policy's own, since no other was asked for


def test_the_points_of_a_family_are_its_adversaries_from_the_least_stubborn_on(nodes: Comparison) -> None:
    assert [p.stubbornness for p in nodes.families["II"]] == [10.0**n for n in range(1, 7)]
    for family, end in (("I table", "III table"), ("I equal", "III equal")):
        points = nodes.families[family]
        assert [p.stubbornness for p in points] == [*(10.0**n for n in range(1, 7)), float("inf")]
        column = next(o.column for o in nodes.opponents if o.name == end)
        assert points[-1].epsilon == nodes.lattice.levels[nodes.reference, column]
        assert points[-1].cost.nodes == int(nodes.lattice.holds(column, nodes.epsilon).sum())


def test_another_epsilon_gives_other_costs(table: dict[str, list[str]]) -> None:
    strict, lax = (compare(policy(), source=table, epsilon=Fraction(e)) for e in ("1.5", "10"))
    costs = [[c.nodes for c in found.costs if c.kind == "belief"] for found in (strict, lax)]
    assert all(a <= b for a, b in zip(*costs, strict=True))
    assert costs[0] != costs[1]


def test_the_json_has_every_node_and_no_number_that_is_none(compared: PolicyComparison, nodes: Comparison) -> None:
    told = json.loads(json.dumps(to_json(compared), allow_nan=False))
    assert len(told["nodes"]) == len(nodes.lattice) == 4 * 2 * 2
    for node in told["nodes"]:
        assert len(node["epsilon"]) == len(told["adversaries"]) == len(nodes.opponents)
        assert node["smallest_group"] * node["groups"] <= told["rows"]
    assert told["nodes"][-1]["loss"] == 1
    assert told["nodes"][-1]["largest_share"] == pytest.approx(max(shares(nodes)))


def shares(nodes: Comparison) -> list[float]:
    totals = nodes.lattice.frequency.totals["disease"]
    return [float(n / totals.sum()) for n in totals]


def test_no_value_of_the_table_is_in_text_json_or_page(compared: PolicyComparison, table: dict[str, list[str]]) -> None:
    told = to_text(compared) + json.dumps(to_json(compared)) + to_html(compared)
    for column in ("race", "disease"):
        for value in set(table[column]) - {"Other"}:
            assert value not in told


def test_names_that_are_markup_or_steer_terminals_stay_text() -> None:
    evil, beep = "<script>alert(1)</script>", "se\x1b[31mcret"
    words = {
        "attributes": {
            evil: {"role": "quasi_identifier", "hierarchy": {"flat": True}},
            beep: {"role": "sensitive"},
        },
        "require": [{"realistic": {"class": "III", "epsilon": 2}}],
    }
    found = compare(policy_from_words(words), source={evil: ["a", "b"] * 4, beep: ["x", "x", "y", "y"] * 2})
    page, text = to_html(found), to_text(found)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page + text


def test_the_page_is_one_file_that_loads_nothing(compared: PolicyComparison) -> None:
    page = to_html(compared)
    assert "default-src 'none'" in page
    assert not [word for word in ("<script", "src=", "http://", "https://", "@import", "url(") if word in page]
    assert page == to_html(compared)


def test_a_table_where_nothing_can_be_published_is_told_so(table: dict[str, list[str]]) -> None:
    same = {**table, "disease": ["flu"] * 3999 + ["cold"]}
    found = compare(policy(), source=same)
    assert "nothing can be published" in to_text(found)
    assert "nothing can be published" in to_html(found)


def test_an_epsilon_is_rounded_up_in_tables() -> None:
    assert [epsilon_text(e) for e in (1.0, 1.231, 12.31, 123.1, 12345.6)] == ["1", "1.24", "12.4", "124", "12,346"]


def test_without_a_sensitive_column_choices_are_compared_and_adversaries_are_not(table: dict[str, list[str]]) -> None:
    attributes = {name: said for name, said in ATTRIBUTES.items() if name != "disease"}
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}]}
    found = compare(policy_from_words(words), source={name: table[name] for name in attributes})
    assert found.own.loss is not None and found.choices.recommended is not None and found.nodes is None
    assert "no column is sensitive" in to_text(found) and "no column is sensitive" in to_html(found)
    told = to_json(found)
    assert told["nodes"] is None and told["policy"]["loss"] == found.own.loss


def test_a_lattice_too_large_to_walk_leaves_the_choices(monkeypatch: pytest.MonkeyPatch, table: Any) -> None:
    monkeypatch.setattr("discreet.run.compare.MOST_NODES", 15)
    found = compare(policy(), source=table)
    assert found.own.loss is not None and found.nodes is None
    assert "there are 16 combinations of levels, and at most 15 can be looked at" in to_text(found)


@pytest.fixture
def written(tmp_path: Path, table: dict[str, list[str]]) -> Path:
    lines = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = {"source": "people.csv", "attributes": ATTRIBUTES, "require": [{"k_anonymity": {"k": 3}}]}
    (tmp_path / "policy.yaml").write_text(json.dumps(words), encoding="utf-8")
    return tmp_path / "policy.yaml"


def test_the_command_prints_the_costs_and_writes_the_page(written: Path) -> None:
    page = written.parent / "compare.html"
    ran = CliRunner().invoke(app, ["compare", str(written), "-o", str(page)])
    assert ran.exit_code == 0, ran.output
    assert "5-anonymity" in ran.output
    assert str(page) in ran.output
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_answers_in_json_with_the_asked_epsilon(written: Path) -> None:
    ran = CliRunner().invoke(app, ["compare", str(written), "--json", "--epsilon", "7/2"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["epsilon"] == 3.5


@pytest.mark.parametrize("epsilon", ["0.5", "much"])
def test_an_epsilon_that_means_nothing_is_wrong_use(written: Path, epsilon: str) -> None:
    ran = CliRunner().invoke(app, ["compare", str(written), "--epsilon", epsilon])
    assert isinstance(ran.exception, DiscreetError)
    assert ran.exception.exit_code == 2
    assert "--epsilon" in str(ran.exception)
