"""A release beside the table that it is said to be made of: may every published row be a row of it, each at most once?

Nothing is asked of how the release was made. What is compared goes by the kind of release: see `comparison_labels` and
`comparison_apart`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.arrays import BoolArray, IntArray
from discreet.audit.lines import Fault
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.release import ReleaseFiles
from discreet.audit.reading.view import Promise
from discreet.engines.base import Frequencies
from discreet.engines.open import open_source
from discreet.errors import DataError, Mistake, did_you_mean

SAME = "publish the table again, or give the table that was published"
_SHARES = "p"  # a column of that name: no table of people, but of shares


@dataclass(frozen=True, eq=False)
class Table:
    """The source: its distinct combinations of the published columns."""

    columns: tuple[str, ...]
    frequencies: Frequencies

    @property
    def rows(self) -> int:
        return int(self.frequencies.counts.sum())

    def values(self, column: str) -> tuple[str | None, ...]:
        return self.frequencies.values[self.columns.index(column)]

    def codes(self, column: str) -> Any:
        return self.frequencies.codes[self.columns.index(column)]


def compare(release: ReleaseFiles, source: Any) -> tuple[list[Fault], str]:
    """Hold a release against its `source` (a path or a frame): faults, and a sentence if it may be of this table."""
    table, faults = read_source(release, source)
    return (faults, "") if table is None else compare_with(release, table, faults)


def read_source(release: ReleaseFiles, source: Any) -> tuple[Table | None, list[Fault]]:
    """The source's published columns; none, if it is a table of shares. And what it lacks."""
    description = release.description
    known = (*description.quasi_identifiers, *description.sensitive, *description.others)
    columns = [c for c in dict.fromkeys(c for rows in release.files for c in rows.columns) if c in known]
    engine = open_source(source, columns)
    lacking = [c for c in columns if c not in engine.columns]
    if any(c not in description.others for c in lacking):
        raise DataError(*(Mistake("source", f"has no column {c!r}", did_you_mean(c, engine.columns)) for c in lacking))
    if _SHARES in engine.columns and _SHARES not in columns:
        rule = "has a column p, and is read as shares of values: the release is compared with no table"
        return None, [not_compared("source", rule, "give the original table, without that column")]
    here = [c for c in columns if c in engine.columns]
    faults = [not_compared(c, "is not in the source: its values are compared with nothing") for c in lacking]
    return Table(tuple(here), engine.frequencies(here)), faults


def compare_with(release: ReleaseFiles, table: Table, lacking: Sequence[Fault] = ()) -> tuple[list[Fault], str]:
    """The same with a table that was read."""
    faults = [*lacking, *_lost_rows(release, table.rows)]
    faults += release.view.kind.compare(release, table)
    return faults, "" if any(fault.grave for fault in faults) else _sentence(release, table.rows, faults)


def not_compared(place: str, rule: str, repair: str = "give the table that was published") -> Fault:
    """Something that could not be compared; said, so that nobody takes silence for consent."""
    return Fault("not_compared", place, rule, repair, grave=False)


def recoded(place: str, *, ours: bool) -> Fault:
    """A column of which nothing is the same. In our own releases nothing is recoded, so that it is untrue."""
    rule = "none of its values is one of the source's: renamed or recoded, it is compared with nothing"
    return Fault("not_compared", place, rule, "give the source with the values that were published", grave=ours)


def untrue(place: str, rule: str, many: int, lines: IntArray | None, units: BoolArray) -> Fault:
    """Published rows that are not the source's."""
    line = None if lines is None or not units.any() else int(lines[units].min())
    return Fault("untrue_rows", place, rule, SAME, many, line)


def rows_are(many: int) -> str:
    """So many rows, in a sentence."""
    return "1 row is" if many == 1 else f"{many:,} rows are"


def _sentence(release: ReleaseFiles, rows: int, faults: Sequence[Fault]) -> str:
    part = ", as far as they can be compared" if faults else ""
    what = "every published row" if release.view.kind.labelled else "what is published of every group"
    left = rows - release.view.people
    rest = f", and {left:,} of them are not published" if left else ""
    return f"Compared with the source{part}: {what} can be made of its {rows:,} rows{rest}."


def _of_some(promise: Promise) -> bool:
    """May the release be about some people of the source?"""
    reading = reading_of(promise.model)
    return reading is not None and reading.of_some


def _lost_rows(release: ReleaseFiles, rows: int) -> Iterator[Fault]:
    """As many rows must be left over as are said to be suppressed, where anything is said."""
    view, manifest = release.view, release.description.manifest
    if view.people > rows:
        rule = f"{rows_are(view.people - rows)} published that the source has not"
        yield Fault("untrue_rows", view.file, rule, SAME, view.people - rows)
    elif manifest:
        about = int(manifest["rows"]["source"])
        some = any(_of_some(promise) for promise in view.promises) and about < rows
        left, said = rows - view.people, view.left_out + view.starred
        if not some and (left != said or about != rows):
            rule = f"{left:,} rows of the source are not published, but {said:,} of {about:,} are said to be suppressed"
            yield Fault("lost_rows", view.file, rule, SAME, max(abs(left - said), abs(rows - about)))
