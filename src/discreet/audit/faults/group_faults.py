"""Groups that must not be in a release as they are: pointed at by their number and the first line, never by values."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.arrays import IntArray
from discreet.audit.lines import Fault
from discreet.audit.reading.view import ReleaseView

MERGE = "merge them with other groups, or suppress them"
OTHERS = "put more rows with other values in them"


def group_faults(
    view: ReleaseView, fault: str, groups: IntArray, having: str, repair: str, *, grave: bool = True
) -> Iterator[Fault]:
    """One fault for all groups that have something; none if there are no such groups."""
    if len(groups):
        rule = f"{len(groups):,} {'group has' if len(groups) == 1 else 'groups have'} {having}"
        yield Fault(fault, view.file, rule, repair, len(groups), first_line(view, groups), grave)


def first_line(view: ReleaseView, groups: IntArray) -> int | None:
    """The line in which one of some groups first stands, where there are lines."""
    return None if view.first_line is None else int(view.first_line[groups].min())
