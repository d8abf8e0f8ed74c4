"""The release that the policy gives as it stands: searched beside the page, and kept until the policy changes."""

from __future__ import annotations

from threading import Condition
from typing import Any

from discreet.errors import DataError, HierarchyError, Infeasible, PolicyError, told_mistakes
from discreet.explorer.figures.answers import answer as release_of
from discreet.explorer.jobs import Job, Jobs, Stopped
from discreet.explorer.news import News
from discreet.explorer.session import Session

PATIENCE = 0.8  # seconds that a tab waits for its state; what takes longer is told when it is there


class ReleaseNow:
    """One answer for each version of the policy."""

    def __init__(self, session: Session, jobs: Jobs, news: News) -> None:
        self._session, self._jobs, self._news = session, jobs, news
        self._there = Condition()
        self._answers: dict[int, dict[str, Any] | None] = {}  # of the last version alone
        self._job: tuple[int, Job] | None = None

    def get(self, patience: float = PATIENCE) -> tuple[dict[str, Any] | None, str | None]:
        """The release, or None; and the job that looks for it, if it takes longer than we wait."""
        version = self._session.version
        policy = self._session.policy_or_none()
        if policy is None:
            return None, None
        with self._there:
            if version in self._answers:
                return self._answers[version], None
            if self._job is None or self._job[0] != version or self._job[1].ended:
                self._job = (version, self._jobs.start("candidate", self._work(version)))
            job = self._job[1]
            self._there.wait_for(lambda: version in self._answers or job.ended, patience)
            return self._answers.get(version), None if version in self._answers or job.ended else job.id

    def _work(self, version: int) -> Any:
        def run(job: Job) -> None:
            answer: dict[str, Any] | None = None
            try:
                policy = self._session.policy()
                answer = release_of(policy, self._session.counted(policy), progress=job.tell)
            except (DataError, HierarchyError, PolicyError, Infeasible) as error:
                first = told_mistakes(error.mistakes)[0]
                answer = {"impossible": {"rule": first.rule, "repair": first.repair, "nearest": None}}
            except Stopped:
                rule = "the search for this release was stopped"
                answer = {"impossible": {"rule": rule, "repair": "change what is promised, or how", "nearest": None}}
                raise
            finally:
                with self._there:
                    if answer is not None and version == self._session.version:
                        self._answers = {version: answer}
                    self._there.notify_all()
                if answer is not None:
                    self._news.tell()

        return run
