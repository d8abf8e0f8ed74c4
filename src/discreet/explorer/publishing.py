"""Step 8: the release, by the code of `anonymize`; the policy as a file, and the command that does the same."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, Mistake, PolicyError, shown
from discreet.explorer.jobs import Job
from discreet.explorer.places import below
from discreet.explorer.policy_file import command, free_name, policy_text, source_from
from discreet.explorer.session import Session
from discreet.files.whole import whole_files
from discreet.policy.policy import policy_from_words
from discreet.releases.contents import REPORT
from discreet.report.text import to_text
from discreet.run.anonymize import anonymize
from discreet.run.verify import verify

FOLDER = "release"
_OF_A_COLUMN = "    "  # how lines of single columns begin on a terminal; the report, which stands below them, has these


class Publisher:
    """Where the last release is, and the file that its policy was written into."""

    def __init__(self, session: Session, place: Path, root: Path) -> None:
        """Paths are told as seen from `place`; what is written lies below `root`."""
        self._session, self._place, self._root = session, Path(os.path.realpath(place)), root
        self.written: Path | None = None  # the policy
        self.private: Path | None = None  # of the last release

    def about(self) -> dict[str, Any]:
        """What publishing would do now."""
        why = self._why_not()
        folder = self._shown(free_name(self._root / FOLDER, None))
        return {
            "folder": str(folder),
            "root": str(self._root),
            "ready": not why,
            "why_not": why,
            "command": command(self._shown(self._policy_file()), str(folder), None, False),
            "policy_text": policy_text(self._session.words, self._source(), shown=True),
        }

    def _why_not(self) -> str:
        if self._session.open:
            return "Nothing is published while a question is open."
        try:
            self._session.policy()
        except PolicyError as error:
            return " · ".join(f"{m.rule}{'; ' + m.repair if m.repair else ''}" for m in error.mistakes)
        return ""

    def _policy_file(self) -> Path:
        given = self._session.start.policy_file
        if given is None:
            return free_name(self._root / "policy.yaml", self.written)
        return free_name(given.with_name(f"{given.stem}-explored{given.suffix}"), self.written)

    def _shown(self, path: Path) -> Path:
        """A path as somebody in the explorer's folder would type it."""
        return path.relative_to(self._place) if path.is_relative_to(self._place) else path

    def _source(self) -> str:
        start = self._session.start
        return source_from(start.source, self._policy_file().parent, self._place / start.folder)

    def work(self, body: Mapping[str, Any]) -> Any:
        """The job that publishes; what is wrong with the wish is told at once."""
        folder, seed, force = str(body.get("folder")), *read_wish(body)
        below(body.get("folder"), self._place, self._root)
        if why := self._why_not():
            raise PolicyError(Mistake("publish", why))
        session = self._session
        words = session.words
        meant = policy_from_words(session.meant(words), session.start.folder)
        policy = replace(meant, seed=seed) if seed is not None else meant

        def run(job: Job) -> dict[str, Any]:
            target = below(folder, self._place, self._root)  # once more: a link may be there by now
            release = anonymize(policy, target, replace=force, progress=job.tell)
            file = self._policy_file()
            whole_files({file: policy_text(words, self._source())})
            self.written, self.private = file, release.private
            findings = verify(release.folder)
            kept = bool(release.kept) and findings.kept is not False
            told = to_text(release.report).splitlines()
            return {
                "folder": folder,
                "private_folder": str(self._shown(release.private)),
                "policy_path": str(self._shown(file)),
                "verified": kept,
                "lines": [line.strip() for line in told if line.strip() and not line.startswith(_OF_A_COLUMN)],
                "report": f"/report?{release.manifest['checksum'][:16]}",
                "command": command(self._shown(file), folder, seed, force),
            }

        return run

    def report(self) -> str | None:
        """The page for the custodian of the last release; it is self-contained."""
        if self.private is None or not (self.private / REPORT).is_file():
            return None
        return (self.private / REPORT).read_text(encoding="utf-8")


def read_wish(body: Mapping[str, Any]) -> tuple[int | None, bool]:
    """The seed, and whether an older release may be replaced."""
    seed, force = body.get("seed"), body.get("force", False)
    mistakes = []
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        mistakes.append(Mistake("seed", f"must be a whole number from 0, got {shown(seed)}", "leave it empty"))
    if not isinstance(force, bool):
        mistakes.append(Mistake("force", f"must be true or false, got {shown(force)}"))
    if mistakes:
        raise DiscreetError(*mistakes)
    return seed, force
