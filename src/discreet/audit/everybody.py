"""Every adversary against one finished release: what is published, read by each of them, in one table.

Nothing is known here of how the release was made. Each attack gets what was read from the published files and what its
adversary is said to know besides; an adversary of whose knowledge nothing is said (a list of the population, a second
release, …) is not asked, and a note says what she would need.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.audit.lines import Fault, Level, Line


@dataclass(frozen=True)
class Audit:
    """What each adversary knows now about the people in a release.

    `lines` is one line per adversary (and sensitive attribute), `levels` are the release's promises read a second time,
    `faults` are things that must not be in a release whoever looks, `notes` say which adversaries were not asked, and
    what it would take.
    """

    release: str
    publish: str
    people: int
    groups: int
    smallest_group: int
    left_out: int
    lines: tuple[Line, ...]
    levels: tuple[Level, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Line | Level, ...]:
        """Whatever breaks what the release itself promises."""
        levels = tuple(level for level in self.levels if level.holds is False)
        return levels + tuple(line for line in self.lines if line.breaks)

    @property
    def kept(self) -> bool:
        """Is nothing broken that the release promises, and nothing in it that must not be?"""
        return not self.broken and not self.faults
