"""The report's table of realistic adversaries."""

from __future__ import annotations

import math

from discreet.labels.figures import epsilon_text
from discreet.models.realistic.realistic import smallest_epsilon
from discreet.report.html import custodian_page
from discreet.report.sections.beliefs import ADVERSARIES, beliefs
from tests.report.examples import custodian, manifest
from tests.report.towns import example


def test_each_line_is_the_smallest_epsilon_of_the_worst_group():
    plan = example(node=(1, 1), k=20)
    found = beliefs(plan.groups)
    assert [b.kind for b in found] == ["I", "I", "II", "II", "III", "III"]
    for belief, adversary in zip(found, ADVERSARIES, strict=True):
        worst = float(smallest_epsilon(plan.groups, adversary, "illness").max())
        if belief.epsilon is None:
            assert math.isinf(worst)
        else:
            assert math.isclose(belief.epsilon, worst, rel_tol=1e-9)


def test_the_page_has_a_line_for_every_adversary():
    plan = example(node=(1, 1), k=20)
    page = custodian_page(custodian(plan, manifest(plan, k=20)))
    assert page.count('data-of="her belief beforehand"') == len(ADVERSARIES)


def test_a_large_epsilon_is_never_told_smaller_than_it_is():
    assert epsilon_text(200_000.5) == "200,001"
    assert epsilon_text(1_000_000.0) == "1,000,000"
