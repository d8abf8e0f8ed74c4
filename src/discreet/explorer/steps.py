"""The steps that are computed from counts: each module answers for one, this one hands it the policy and the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.errors import DiscreetError, Mistake, unknown_word
from discreet.explorer.answers import answer
from discreet.explorer.changes import Change
from discreet.explorer.jobs import Job, Work
from discreet.explorer.session import Session

JOBS = ("tradeoff", "lattice", "audit")


class Steps:
    """Answers for the session's policy, as it stands when they are asked for."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def answer(self, changes: Sequence[Change]) -> dict[str, Any]:
        """What the policy would give with some changes. Nothing is changed."""
        policy = self._session.policy(changes)
        return answer(policy, self._session.counted(policy), changed=[path for path, _ in changes])

    def cards(self) -> list[dict[str, Any]]:
        """Step 3."""
        return []

    def axes(self) -> dict[str, Any]:
        """Step 4: what a curve can be drawn over."""
        return {}

    def node(self, levels: str) -> dict[str, Any]:
        """Step 5: one solution."""
        return {}

    def distribution(self) -> dict[str, Any]:
        """Step 6."""
        return {}

    def adversaries(self) -> dict[str, Any]:
        """Step 7: those that are quick."""
        return {}

    def work(self, kind: str, body: Mapping[str, Any]) -> Work:
        """A job of the page."""
        if kind not in JOBS:
            raise DiscreetError(unknown_word("kind", kind, JOBS))
        raise DiscreetError(Mistake(kind, "not there"))
