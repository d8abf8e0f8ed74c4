"""The release that the policy gives as it stands: searched beside the page, and kept until the policy changes."""

from __future__ import annotations

import json
from threading import Lock
from time import monotonic
from typing import Any

from discreet.errors import DataError, HierarchyError, Infeasible, PolicyError, told_mistakes
from discreet.explorer.figures.answers import answer as release_of
from discreet.explorer.jobs import DONE, FAILED, Job, Jobs, Stopped, Work
from discreet.explorer.news import News
from discreet.explorer.session import Session

PATIENCE = 0.4  # seconds that a tab waits for its state; what takes longer is told when it is there
_KIND = "candidate"
_LOOK = 0.2  # seconds between two looks, for who waits for the release


class ReleaseNow:
    """One answer for each version of the policy."""

    def __init__(self, session: Session, jobs: Jobs, news: News) -> None:
        self._session, self._jobs, self._news = session, jobs, news
        self._lock = Lock()
        self._job: tuple[int, Job] | None = None

    def get(self, patience: float = PATIENCE) -> tuple[dict[str, Any] | None, str | None]:
        """The release, or None; and the job that looks for it, if it takes longer than we wait."""
        end = monotonic() + patience
        while (asked := self._asked()) is not None:
            version, job = asked
            ended = job.wait(max(end - monotonic(), 0.0))
            if version == self._session.version:  # else the policy was changed meanwhile
                return (_told(job), None) if ended else (None, job.id)
        return None, None

    def wait(self, job: Job) -> None:
        """Until the release is found, or it is known that there is none. `job` needs it, and tells how far that is.

        What was asked about a policy that has been changed meanwhile is of no interest any more.
        """
        version = self._session.version
        while (asked := self._asked()) is not None and asked[0] == version and not asked[1].wait(_LOOK):
            job.waits_for(asked[1])
        if self._session.version != version:
            raise Stopped

    def _asked(self) -> tuple[int, Job] | None:
        """The job that looks for the release as it stands; None as long as something is missing in the policy."""
        with self._lock:
            version = self._session.version
            if self._session.policy_or_none() is None:
                self._jobs.stop_kind(_KIND)
                return None
            if self._job is None or self._job[0] != version:
                self._job = (version, self._jobs.start(_KIND, self._work(), then=self._news.tell))
            return self._job

    def _work(self) -> Work:
        def run(job: Job) -> dict[str, Any]:
            try:
                policy = self._session.policy()
                return release_of(policy, self._session.counted(policy), progress=job.tell)
            except (DataError, HierarchyError, PolicyError, Infeasible) as error:
                first = told_mistakes(error.mistakes)[0]
                return _impossible(first.rule, first.repair)

        return run


def _told(job: Job) -> dict[str, Any]:
    """What came of the search."""
    name, text = job.end
    told: dict[str, Any] = json.loads(text)
    if name == DONE:
        return told
    if name == FAILED:
        return _impossible(told["problems"][0]["rule"], told["problems"][0]["repair"])
    return _impossible("the search for this release was stopped", "change what is promised, or how")


def _impossible(rule: str, repair: str) -> dict[str, Any]:
    return {"impossible": {"rule": rule, "repair": repair, "nearest": None}}
