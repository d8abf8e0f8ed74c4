"""The steps that are computed from counts: each module answers for one, this one hands it the policy and the counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import Any

from discreet.errors import DiscreetError, Mistake, PolicyError, unknown_word
from discreet.explorer.changes import Change
from discreet.explorer.figures import adversaries, data, tradeoff
from discreet.explorer.figures import lattice as nodes
from discreet.explorer.figures.answers import answer, meant
from discreet.explorer.figures.candidate import OutOfTime, until
from discreet.explorer.figures.cards import cards
from discreet.explorer.jobs import Job, Work
from discreet.explorer.release_now import ReleaseNow
from discreet.explorer.session import Session
from discreet.policy.policy import Policy
from discreet.run.intake import Counted

JOBS = ("tradeoff", "lattice", "audit")
_COSTS = 2.0  # seconds for what each promise costs


class Steps:
    """Answers for the session's policy, as it stands when they are asked for. Each is told by a job, which can stop."""

    def __init__(self, session: Session, now: ReleaseNow) -> None:
        self._session, self._now = session, now
        self._writing = Lock()  # a release is written by the engine that has the table

    def answer(self, job: Job, changes: Sequence[Change]) -> dict[str, Any]:
        """What the policy would give with some changes. Nothing is changed. What is meant is told before the search."""
        policy = self._session.policy(changes)
        job.point({"promises": meant(policy)})
        paths = [path for path, _ in changes]
        return answer(policy, self._counted(job, policy), changed=paths, progress=job.tell)

    def cards(self, job: Job) -> list[dict[str, Any]]:
        """Step 3. As long as the release is searched for, the promises can be read and moved, and none is judged."""
        session = self._session
        if (policy := session.looking()) is None:
            return []
        counted = self._counted(job, policy)
        if session.promises_nothing:
            return cards(policy, counted, require=[])
        _, searching = self._now.get()
        try:
            if searching is None:
                return cards(policy, counted, progress=until(monotonic() + _COSTS, job.tell))
        except OutOfTime:  # there is no release, and that takes long to see
            pass
        return cards(policy, counted, require=policy.require, costs=False)

    def axes(self, job: Job) -> dict[str, Any]:
        """Step 4: what a curve can be drawn over."""
        if (policy := self._session.policy_or_none()) is None:
            return {"axes": [], "publications": []}
        return tradeoff.offers(policy, self._counted(job, policy))

    def node(self, job: Job, levels: str) -> dict[str, Any]:
        """Step 5: one solution, by its levels with commas between."""
        parts = levels.split(",")[:1000]
        if not all(part.isdecimal() and len(part) < 6 for part in parts):
            raise PolicyError(Mistake("levels", "must be numbers with commas between"))
        policy = self._session.policy()
        return nodes.node(policy, self._counted(job, policy), [int(part) for part in parts], progress=job.tell)

    def distribution(self, job: Job) -> dict[str, Any]:
        """Step 6."""
        return data.data(*self._released(job), progress=job.tell)

    def adversaries(self, job: Job) -> dict[str, Any]:
        """Step 7: those that are quick."""
        return adversaries.adversaries(*self._released(job), progress=job.tell)

    def work(self, kind: str, body: Mapping[str, Any]) -> Work:
        """A job of the page."""
        if kind not in JOBS:
            raise DiscreetError(unknown_word("kind", kind, JOBS))
        policy = self._session.policy()

        def run(job: Job) -> dict[str, Any]:
            counted = self._counted(job, policy)
            if kind == "lattice":
                return nodes.lattice(policy, counted, progress=job.tell)
            if kind == "audit":
                with self._writing:
                    return adversaries.audited(policy, counted, emit=job.point, progress=job.tell)
            over, publications = body.get("over"), body.get("publications")
            if not isinstance(over, list) or not isinstance(publications, list):
                raise PolicyError(Mistake("over", "must be a path of the policy, with kinds of publication"))
            told = tradeoff.tradeoff(
                policy, counted, over=over, publications=publications, emit=job.point, progress=job.tell
            )
            return {"points": len(told["points"])}

        return run

    def _released(self, job: Job) -> tuple[Policy, Counted]:
        """The policy and what its table was counted into, once its release is found; raises what is missing in it."""
        policy = self._session.policy()
        self._now.wait(job)
        return policy, self._counted(job, policy)

    def _counted(self, job: Job, policy: Policy) -> Counted:
        job.tell("counts of the table", 0, 0)
        return self._session.counted(policy)
