"""Curves: each point is the release with that value and kind; it is told as soon as it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet import policy_from_words
from discreet.errors import Infeasible, PolicyError
from discreet.explorer.figures.promised import slider_at
from discreet.explorer.figures.tradeoff import offers, tradeoff, usual_values
from discreet.policy.kinds import PUBLICATIONS
from discreet.report.sections.answers import answers
from discreet.run.anonymize import anonymize, find_plan
from discreet.run.intake import Counted, take_in
from tests.explorer.tables import KINDS, changed, counted, of_kind, people, plain, policy, words

K = ["require", 0, "k_anonymity", "k"]
BOTH = ({"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 2}})


@pytest.fixture(scope="module")
def counts() -> Counted:
    return counted()


@pytest.mark.parametrize("path", [K, ["require", 1, "l_diversity", "l"], ["suppress"]])
def test_every_point_is_a_release(path: list[Any], counts: Counted, tmp_path: Path) -> None:
    said, emitted = words(*BOTH, suppress=0.02), []
    wanted = {"k": [3, 9], "l": [2, 3], "suppress": [0, 0.1]}[path[-1]]
    told = tradeoff(policy_from_words(said), counts, over=path, values=wanted, emit=emitted.append)
    assert told["points"] == emitted and plain(told)
    assert {(p["x"], p["publication"]) for p in emitted} == {
        (x, word) for x in wanted for word in ("generalization", "multidimensional", "local_recoding", "bucketization")
    }
    for number, point in enumerate(emitted):
        asked = changed(said, [[path, point["x"]], [["publish"], point["publication"]]])
        if point["set"] is None:
            assert point["loss"] is None and point["text"].startswith("not possible: ")
            with pytest.raises(Infeasible):
                anonymize(policy_from_words(asked), tmp_path / str(number), source=people())
            continue
        assert changed(said, point["set"]) == asked
        release = anonymize(policy_from_words(asked), tmp_path / str(number), source=people())
        rows = release.manifest["rows"]
        assert point["loss"] == release.figures["loss"]
        assert point["suppressed"] == rows["suppressed"] / rows["source"]
        assert release.report.answers is not None and release.report.answers.typical is not None
        assert point["error"] == release.report.answers.typical.median


def test_a_curve_is_stopped_between_points(counts: Counted) -> None:
    class Stopped(BaseException):
        pass

    emitted: list[Any] = []

    def emit(point: Any) -> None:
        emitted.append(point)
        if len(emitted) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        tradeoff(policy(*BOTH), counts, over=K, emit=emit)
    assert len(emitted) == 3


def test_progress_only_grows_and_knows_its_end(counts: Counted) -> None:
    heard: list[tuple[float, float]] = []
    tradeoff(
        policy(*BOTH),
        counts,
        over=K,
        values=[2, 5],
        publications=["generalization"],
        progress=lambda stage, done, total, note: heard.append((done, total)),
    )
    assert heard == sorted(heard) and {total for _, total in heard} == {2}


def test_what_can_be_drawn(counts: Counted) -> None:
    told = offers(policy(*BOTH), counts)
    assert [axis["path"][-1] for axis in told["axes"]] == ["k", "l", "suppress"] and plain(told)
    assert [axis["percent"] for axis in told["axes"]] == [False, False, True]
    for kind in KINDS:
        words_of = {each["word"] for each in offers(of_kind(kind), counts)["publications"]}
        assert of_kind(kind).publish in words_of <= set(PUBLICATIONS)
    twice = offers(policy({"l_diversity": {"l": 2}}, {"l_diversity": {"l": 1.5, "kind": "entropy"}}), counts)
    assert len({axis["title"] for axis in twice["axes"]}) >= 2


def test_usual_values_have_the_own_one_and_stay_within(counts: Counted) -> None:
    asked = policy({"k_anonymity": {"k": 7}}, {"t_closeness": {"t": 0.33}}, suppress="1/30")
    for path in (K, ["require", 1, "t_closeness", "t"], ["suppress"]):
        slider = slider_at(asked, counts.frequency, path)
        assert slider is not None
        values = usual_values(slider)
        assert slider.value in values and values == sorted(set(values)) and 5 <= len(values) <= 20
        assert slider.low <= values[0] and values[-1] <= slider.high


@pytest.mark.parametrize("over", [["require", 5, "k_anonymity", "k"], ["seed"], [], ["require", 0, "k_anonymity"]])
def test_nothing_else_can_be_moved(over: list[Any], counts: Counted) -> None:
    with pytest.raises(PolicyError) as refused:
        tradeoff(policy(*BOTH), counts, over=over)
    assert refused.value.mistakes[0].place == "over"


@pytest.mark.parametrize("values", [[], ["many"], [None], list(range(2, 100))])
def test_values_are_a_few_numbers(values: list[Any], counts: Counted) -> None:
    with pytest.raises(PolicyError):
        tradeoff(policy(*BOTH), counts, over=K, values=values)


def test_an_unknown_kind_is_told(counts: Counted) -> None:
    with pytest.raises(PolicyError):
        tradeoff(policy(*BOTH), counts, over=K, publications=["generalisation"])


def test_errors_of_counts_are_those_of_the_report(counts: Counted) -> None:
    [point] = tradeoff(policy(*BOTH), counts, over=K, values=[5], publications=["generalization"])["points"]
    plan = find_plan(policy(*BOTH), take_in(policy(*BOTH), people()))
    told = answers(plan)
    assert told is not None and told.typical is not None and point["error"] == told.typical.median
