"""discreet harm: the line that it prints is one that a policy can have."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from discreet.models.parameters import Interval
from discreet.models.presence.harm import delta_from_harm

WORDS = ["harm", "--prior", "0.07", "--cost", "10000", "--population", "45222", "--table", "1957"]


def test_what_is_printed_can_be_pasted(call: Any) -> None:
    answer = call(*WORDS, "--misuse", "100", "--misuse-below", "200")
    assert answer.code == 0
    line = next(line for line in answer.out.splitlines() if "- presence:" in line)
    [words] = yaml.safe_load(line)
    low, high = Interval().read(words["presence"]["delta"])
    exact = delta_from_harm(0.07, 45_222, 1_957, 100, 10_000, 200)
    assert exact[0] <= low <= high <= exact[1]
    assert (str(float(low)), str(float(high))) == ("0.02271", "0.05356")
    assert "with 8% instead of 7%" in answer.out


def test_scripts_get_the_numbers(call: Any) -> None:
    answer = call(*WORDS, "--misuse", "100", "--json").json
    low, high = delta_from_harm(0.07, 45_222, 1_957, 100, 10_000)
    assert answer["delta"] == [float(low), float(high)]
    assert answer["delta_exact"] == [str(low), str(high)]
    assert answer["belief"]["at_delta"] == pytest.approx([0.06, 0.08])
    assert answer["policy"].startswith("presence: {delta: [0.03299, 0.05356]")


def test_no_misuse_at_all_leaves_one_group(call: Any) -> None:
    line = call(*WORDS, "--misuse", "0", "--json").json["policy"]
    assert yaml.safe_load(line)["presence"]["delta"] == ["1957/45222", "1957/45222"]


def test_what_does_no_harm_needs_no_promise(call: Any) -> None:
    assert call(*WORDS, "--misuse", "10000", "--json").json["policy"] is None
    assert "nothing to promise" in call(*WORDS, "--misuse", "10000").out


def test_mistakes_name_the_options(call: Any) -> None:
    answer = call(*WORDS[:5], "--population", "0", "--table", "5", "--misuse", "x", "--misuse-below", "-1")
    assert answer.code == 2
    told = [line.split(": ")[1] for line in answer.err.splitlines()]
    assert told == ["--population", "--misuse", "--misuse-below"]
