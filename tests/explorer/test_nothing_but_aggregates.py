"""Whatever the page is told: no value of too few people, and no record."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from discreet.explorer.figures.adversaries import adversaries, audited
from discreet.explorer.figures.answers import answer
from discreet.explorer.figures.candidate import HIDDEN_BELOW, candidate
from discreet.explorer.figures.cards import cards
from discreet.explorer.figures.data import data
from discreet.explorer.figures.lattice import lattice, node
from discreet.explorer.figures.tradeoff import offers, tradeoff
from discreet.policy.policy import Policy
from discreet.run.intake import Counted
from discreet.search.plan import Recoding
from tests.explorer.tables import ATTRIBUTES, KINDS, RARE, counted, of_kind, people, policy, rare_values, texts

K = ["require", 0, "k_anonymity", "k"]


def everything(asked: Policy, counts: Counted) -> dict[str, Any]:
    """All that every step says of a policy."""
    told: dict[str, Any] = {
        "answer": answer(asked, counts),
        "impossible": answer(policy({"k_anonymity": {"k": 5000}}, {"l_diversity": {"l": 9}}), counts),
        "cards": cards(asked, counts),
        "offers": offers(asked, counts),
        "data": data(asked, counts),
        "adversaries": adversaries(asked, counts),
        "audited": audited(asked, counts, source=people()),
    }
    if asked.publish != "ambiguity":
        told |= {"lattice": lattice(asked, counts), "node": node(asked, counts, (0, 0, 0))}
    if "k_anonymity" in asked.require[0]:  # type: ignore[operator]
        told["tradeoff"] = tradeoff(asked, counts, over=K, values=[2, 200])
    return told


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_of_too_few_is_named(kind: str, counts: Counted) -> None:
    rare = rare_values(people())
    assert set(RARE) <= rare and len(rare) > 3
    for step, told in everything(of_kind(kind), counts).items():
        for text in texts(told):
            assert text not in rare, (step, text)
            assert not any(value in text for value in RARE), (step, text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_list_of_labels_is_somebody_s_record(kind: str, counts: Counted) -> None:
    """Whatever names values of several columns is true of as many people."""
    table, plan = people(), candidate(of_kind(kind), counts).plan
    hierarchies = counts.frequency.hierarchies
    for card in answer(of_kind(kind), counts)["promises"]:
        labels = dict((card["deciding"] or {}).get("labels") or [])
        if not labels:
            continue
        assert set(labels) == {"age", "zip", "sex"} and set(labels).isdisjoint({"disease"})
        assert isinstance(plan, Recoding)
        groups = [
            g
            for g in range(len(plan.groups))
            if list(labels.values())
            == [h.label(int(a), int(b)) for h, a, b in zip(hierarchies, plan.low[g], plan.high[g], strict=True)]
        ]
        fits = 0
        for row in zip(*(table[h.attribute] for h in hierarchies), strict=True):
            leaves = [h.index[v] for h, v in zip(hierarchies, row, strict=True)]
            fits += any((plan.low[g] <= leaves).all() and (leaves <= plan.high[g]).all() for g in groups)
        assert fits >= HIDDEN_BELOW


def test_values_are_named_where_enough_people_have_them(counts: Counted) -> None:
    """The tests above would pass if nothing were ever named."""
    named = set(texts(data(of_kind("generalization"), counts)))
    assert {"flu", "cold", "gout"} <= named
    common = {v for name in ATTRIBUTES for v, n in Counter(people()[name]).items() if n > 40}
    assert len(common & named) >= 3
