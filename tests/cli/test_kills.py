"""Kills at random moments, a few of them; `make test-deep` does more, `python -m tests.kills` many."""

from __future__ import annotations

import os
import signal

import pytest

from tests.kills import Kills

COUNT = {"few": 2, "usual": 3, "deep": 24}[os.environ.get("DISCREET_EXAMPLES", "usual")]


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return Kills(tmp_path_factory.mktemp("kills") / "place", rows=100_000)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_at_any_moment_leaves_a_whole_release_or_none_and_no_records(
    kills: Kills, number: signal.Signals
) -> None:
    for _ in range(COUNT):
        kills.turn(number)
