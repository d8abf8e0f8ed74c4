"""Kills at random moments, a few of them; `python -m tests.kills` does many."""

from __future__ import annotations

import signal

import pytest

from tests.kills import Kills

COUNT = 12


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return Kills(tmp_path_factory.mktemp("kills") / "place", rows=100_000)


@pytest.mark.xdist_group("kills")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_at_any_moment_leaves_a_whole_release_or_none_and_no_records(
    kills: Kills, number: signal.Signals
) -> None:
    for _ in range(COUNT):
        kills.turn(number)
