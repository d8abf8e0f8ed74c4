"""What a command shows: a progress bar for people, one JSON object for scripts, or nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from discreet.progress import Progress, silent

if TYPE_CHECKING:
    from discreet.releases.verify import Findings

_PATIENCE = 0.7  # seconds before a bar appears: what is done by then needs none


class Screen:
    """Where a command's answer goes."""

    def __init__(self, as_json: bool = False, quiet: bool = False):
        self._json, self._quiet = as_json, quiet

    def say(self, answer: dict[str, Any], words: str) -> None:
        """The answer, in the form that was asked for."""
        if self._json:
            sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        elif not self._quiet:
            sys.stdout.write(words + "\n")

    def findings(self, release: Path, findings: Findings) -> None:
        """The verdict of a re-check."""
        from discreet.releases.manifest import promises

        answer = {
            "release": str(release),
            "kept": findings.kept,
            "groups": findings.groups,
            "smallest_group": findings.smallest_group,
            "verdicts": promises(findings.verdicts),
            "mistakes": [str(m) for m in findings.mistakes],
        }
        lines = [
            f"{'kept  ' if v.holds else 'BROKEN'}  {v.model.describe()}: reaches {v.level:.4g}, "
            f"asked for {v.model.require()} (deciding group: {v.deciding_group:,} rows)"
            for v in findings.verdicts
        ]
        lines += [f"WRONG   {m}" for m in findings.mistakes]
        lines.append("Every promise is kept." if findings.kept else "This release does not keep its promises.")
        self.say(answer, "\n".join(lines))

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A bar on a terminal, on everything that takes longer than a moment."""
        if self._json or self._quiet or not sys.stderr.isatty():
            yield silent
            return
        yield from _bar()


def _bar() -> Iterator[Progress]:
    started = monotonic()
    shown: list[Any] = []

    def show(stage: str, done: float, total: float, note: str = "") -> None:
        if not shown and monotonic() - started < _PATIENCE:
            return
        if not shown:
            from rich.console import Console
            from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[note]}"),
                TimeElapsedColumn(),
            )
            bar = Bar(*columns, console=Console(stderr=True), transient=True)
            bar.start()
            shown.extend([bar, bar.add_task(stage, total=None, note=note)])
        shown[0].update(shown[1], description=stage, completed=done, total=total or None, note=note)

    try:
        yield show
    finally:
        if shown:
            shown[0].stop()
