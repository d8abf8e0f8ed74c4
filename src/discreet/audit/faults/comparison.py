"""A release beside the table that it is said to be made of: may every published row be a row of it, each at most once?

Nothing is asked of how the release was made. What is compared goes by the kind of release: see `comparison_labels` and
`comparison_apart`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray, number_equal
from discreet.audit.lines import Fault
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.release import ReleaseFiles
from discreet.audit.reading.source import Source, lacking_column, open_beside
from discreet.audit.reading.view import Promise
from discreet.engines.base import Frequencies
from discreet.errors import DataError

SAME = "publish the table again, or give the table that was published"
_SHARES = "p"  # a column of that name: no table of people, but of shares
_NAMED = 5  # places in a sentence


@dataclass(frozen=True, eq=False)
class Owners:
    """Whose rows of a table they are: ``rows[i]`` rows of combination ``kind[i]`` are those of person ``person[i]``.

    Each pair of the two stands there once. There are so many `people`, numbered from 0.
    """

    kind: IntArray
    person: IntArray
    rows: IntArray
    people: int


@dataclass(frozen=True, eq=False)
class Table:
    """The source: its distinct combinations of the published columns, and which one each row is, as they stand.

    The rows of a database stand in no order; then there are no `kinds`. `owners` are there if a column names them.
    """

    columns: tuple[str, ...]
    frequencies: Frequencies
    kinds: IntArray | None = None
    owners: Owners | None = None

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
    beside = open_beside(source, columns, description)
    if is_shares(beside, columns):
        rule = "has a column p, and is read as shares of values: the release is compared with no table"
        return None, [not_compared("source", rule, "give the original table, without that column")]
    lacking = check_columns(release, beside, columns)
    here = [c for c in columns if c not in lacking]
    texts = {c: next(len(rows.column(c)[0]) for rows in release.files if c in rows.columns) for c in lacking}
    faults = [
        not_compared(c, f"is not in the source: its values ({texts[c]:,}) are compared with nothing", many=texts[c])
        for c in lacking
    ]
    return _table(beside, here, beside.called(description.whose.person)), faults


def is_shares(beside: Source, columns: Sequence[str]) -> bool:
    """Is it no table of people, but one of shares of values: with a column p that the release has not?"""
    return _SHARES in beside.columns and _SHARES not in columns


def check_columns(release: ReleaseFiles, beside: Source, columns: Sequence[str]) -> list[str]:
    """The columns that the source lacks. Nothing can be held against a source without a quasi-identifier of the
    release, or without what its adversaries look for."""
    lacking, ours = [c for c in columns if c not in beside.columns], bool(release.description.manifest)
    if any(c not in release.description.others for c in lacking):
        raise DataError(*(lacking_column(beside, c, ours=ours) for c in lacking))
    return lacking


def _table(beside: Source, columns: Sequence[str], person: str | None) -> Table:
    """The columns, and whose rows they are, if a column `person` says it: one scan."""
    wanted = [*columns, *([person] if person and person not in columns else [])]
    if beside.has_order and columns:
        values, codes = beside.rows(wanted)
        many = np.ones(len(codes[0]), dtype=np.int64)
    else:
        counted = beside.frequencies(wanted)
        values, codes, many = counted.values, counted.codes, counted.counts
        if not person:
            return Table(tuple(columns), counted)
    kinds = number_equal(codes[: len(columns)], len(many))
    first = np.unique(kinds, return_index=True)[1]
    counts = np.bincount(kinds, weights=many, minlength=len(first)).astype(np.int64)
    distinct = Frequencies(values[: len(columns)], tuple(c[first] for c in codes[: len(columns)]), counts)
    at = wanted.index(person) if person else 0
    owners = _owners(kinds, values[at], codes[at], many) if person else None
    return Table(tuple(columns), distinct, kinds if beside.has_order and columns else None, owners)


def _owners(kinds: IntArray, names: Sequence[str | None], codes: Any, many: IntArray) -> Owners:
    """Whose rows are of each kind; a row of which it is not said (NULL) is that of a person of its own."""
    person = np.asarray(codes, dtype=np.int64)
    if None in names:
        unsaid = person == names.index(None)
        each = np.where(unsaid, many, 1)
        kinds, person, unsaid = (np.repeat(column, each) for column in (kinds, person, unsaid))
        many = np.where(unsaid, 1, np.repeat(many, each))
        person[unsaid] = len(names) + np.arange(int(unsaid.sum()))
    people, person = np.unique(person, return_inverse=True)
    pair, place = np.unique(kinds * max(len(people), 1) + person, return_inverse=True)
    rows = np.bincount(place, weights=many, minlength=len(pair)).astype(np.int64)
    return Owners(*np.divmod(pair, max(len(people), 1)), rows, len(people))


def compare_with(release: ReleaseFiles, table: Table, lacking: Sequence[Fault] = ()) -> tuple[list[Fault], str]:
    """The same with a table that was read."""
    faults = [*lacking, *_lost_rows(release, table.rows)]
    faults += release.view.kind.compare(release, table)
    return faults, "" if any(fault.grave for fault in faults) else _sentence(release, table.rows, faults)


def not_compared(place: str, rule: str, repair: str = "give the table that was published", many: int = 1) -> Fault:
    """Something that could not be compared: nobody may take silence for consent."""
    return Fault("not_compared", place, rule, repair, many, grave=False, judged=False)


def recoded(place: str, values: int, *, ours: bool) -> Fault:
    """A column of which nothing is the same. In our own releases nothing is recoded, so that it is untrue."""
    rule = f"none of its values ({values:,}) is one of the source's: recoded, it is compared with nothing"
    if ours:
        return Fault("not_compared", place, rule, "give the source with the values that were published", values)
    column = place.rpartition(": ")[2]
    repair = f"say which is which in the description: columns: {{{column}: {{values: {{published: source's}}}}}}"
    return not_compared(place, rule, repair, values)


def untrue(place: str, rule: str, many: int, lines: IntArray | None, units: BoolArray) -> Fault:
    """Published rows that are not the source's."""
    line = None if lines is None or not units.any() else int(lines[units].min())
    return Fault("untrue_rows", place, rule, SAME, many, line)


def rows_are(many: int) -> str:
    """So many rows, in a sentence."""
    return "1 row is" if many == 1 else f"{many:,} rows are"


def _sentence(release: ReleaseFiles, rows: int, faults: Sequence[Fault]) -> str:
    apart = list(dict.fromkeys(fault.place for fault in faults if fault.fault == "not_compared"))
    more = f" and {len(apart) - _NAMED:,} more" if len(apart) > _NAMED else ""
    part = f", but for {', '.join(apart[:_NAMED])}{more}" if apart else ""
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
        rule = f"{rows_are(view.people - rows)} published that the source does not have"
        yield Fault("untrue_rows", view.file, rule, SAME, view.people - rows)
    elif manifest:
        about = int(manifest["rows"]["source"])
        some = any(_of_some(promise) for promise in view.promises) and about < rows
        left, said = rows - view.people, view.left_out + view.starred
        if not some and (left != said or about != rows):
            rule = f"{left:,} rows of the source are not published, but {said:,} of {about:,} are said to be suppressed"
            yield Fault("lost_rows", view.file, rule, SAME, max(abs(left - said), abs(rows - about)))
