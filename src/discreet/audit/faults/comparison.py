"""A release beside the table that it is said to be made of: may every published row be a row of it, each at most once?

Nothing is asked of how the release was made. Generalized: does an assignment of rows of the source to published rows
exist, so that every label is true of its row, all other values are the same, and as many rows are left over as are
said to be suppressed? Of tables apart see `comparison_apart`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.audit.faults.matching import shortfall
from discreet.audit.lines import Fault
from discreet.audit.reading.equal_values import alike
from discreet.audit.reading.labels import Anything, Exactly, Label, OneOf, Values, covers
from discreet.audit.reading.release import ReleaseFiles, counted_people, labels_in, numbered
from discreet.audit.reading.texts import STAR
from discreet.audit.reading.view import BUCKETIZED, GENERALIZED
from discreet.audit.worlds.label_join import Fitting, fitting, joined, label_values
from discreet.engines.base import Frequencies
from discreet.engines.open import open_source
from discreet.errors import DataError, Mistake, did_you_mean

SAME = "publish the table again, or give the table that was published"
_SHARES = "p"  # a column of that name: no table of people, but of shares
_ELSEWHERE = ("presence", "confident_presence")  # promises of releases that are about some people of the source


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
    table, found = read_source(release, source)
    return (found, "") if table is None else compare_with(release, table, found)


def read_source(release: ReleaseFiles, source: Any) -> tuple[Table | None, list[Fault]]:
    """The source's published columns; none, if it is a table of shares. And what it lacks."""
    told = release.description
    known = (*told.quasi_identifiers, *told.sensitive, *told.others)
    columns = [c for c in dict.fromkeys(c for rows in release.files for c in rows.columns) if c in known]
    engine = open_source(source, columns)
    lacking = [c for c in columns if c not in engine.columns]
    if any(c not in told.others for c in lacking):
        raise DataError(*(Mistake("source", f"has no column {c!r}", did_you_mean(c, engine.columns)) for c in lacking))
    if _SHARES in engine.columns and _SHARES not in columns:
        rule = "has a column p, and is read as shares of values: the release is compared with no table"
        return None, [not_compared("source", rule, "give the original table, without that column")]
    here = [c for c in columns if c in engine.columns]
    found = [not_compared(c, "is not in the source: its values are compared with nothing") for c in lacking]
    return Table(tuple(here), engine.frequencies(here)), found


def compare_with(release: ReleaseFiles, table: Table, lacking: Sequence[Fault] = ()) -> tuple[list[Fault], str]:
    """The same with a table that was read."""
    found = [*lacking, *_lost_rows(release, table.rows)]
    if release.view.publish == GENERALIZED:
        found += _generalized(release, table)
    else:
        from discreet.audit.faults.comparison_apart import ambiguous, bucketized

        found += (bucketized if release.view.publish == BUCKETIZED else ambiguous)(release, table)
    return found, "" if any(fault.grave for fault in found) else _sentence(release, table.rows, found)


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


def _sentence(release: ReleaseFiles, rows: int, found: Sequence[Fault]) -> str:
    part = ", as far as they can be compared" if found else ""
    what = "every published row" if release.view.publish == GENERALIZED else "what is published of every group"
    left = rows - release.view.people
    rest = f", and {left:,} of them are not published" if left else ""
    return f"Compared with the source{part}: {what} can be made of its {rows:,} rows{rest}."


def _lost_rows(release: ReleaseFiles, rows: int) -> Iterator[Fault]:
    """As many rows must be left over as are said to be suppressed, where anything is said."""
    view, manifest = release.view, release.description.manifest
    if view.people > rows:
        rule = f"{rows_are(view.people - rows)} published that the source has not"
        yield Fault("untrue_rows", view.file, rule, SAME, view.people - rows)
    elif manifest:
        about = int(manifest["rows"]["source"])
        some = any(promise.model in _ELSEWHERE for promise in view.promises) and about < rows
        left, said = rows - view.people, view.left_out + view.starred
        if not some and (left != said or about != rows):
            rule = f"{left:,} rows of the source are not published, but {said:,} of {about:,} are said to be suppressed"
            yield Fault("lost_rows", view.file, rule, SAME, max(abs(left - said), abs(rows - about)))


def _generalized(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
    """Published rows that no row of the source can be, or is left for."""
    told, rows = release.description, release.grouped
    kept = np.flatnonzero(release.group >= 0)
    unit, first = numbered([rows.column(c)[1][kept] for c in table.columns], len(kept))
    columns = []
    for column in table.columns:
        texts, codes = rows.column(column)
        used, label = np.unique(codes[kept[first]], return_inverse=True)
        held, strange = _held(release, table, column, [texts[i] for i in used], label.astype(np.int64))
        columns.append(held)
        yield from strange
    weights = counted_people(rows, told.count)[kept]
    wanted = np.bincount(unit, weights=weights, minlength=len(first)).astype(np.int64)
    lines = rows.first(kept[first])
    fits = joined(columns, table.frequencies.counts, len(wanted))
    nobody = np.maximum(wanted - fits.having, 0)
    if nobody.any():
        many = int(nobody.sum())
        rule = f"{rows_are(many)} published that no row of the source can be: a label or a value is untrue"
        yield untrue(rows.file, rule, many, lines, nobody > 0)
    elif fits.held:
        lacking = shortfall(fits.starts, fits.groups, table.frequencies.counts, wanted)
        if lacking.rows:
            rule = f"{rows_are(lacking.rows)} nobody's, however rows of the source are assigned to those that fit them"
            yield untrue(rows.file, rule, lacking.rows, lines, lacking.contested)
    else:
        rule = "so many rows fit every published one that each was compared by itself only, not all together"
        yield not_compared(rows.file, rule, "nothing to mend")


def _held(
    release: ReleaseFiles, table: Table, column: str, published: Sequence[str | None], label: IntArray
) -> tuple[Fitting, list[Fault]]:
    """A column of labels or exact values, held against the source's values."""
    ours, values = bool(release.description.manifest), table.values(column)
    place, strange = f"{release.view.file}: {column}", []
    if column in release.description.quasi_identifiers:
        labels, unread = _labels(release, column, published, values)
        if unread:
            rule = f"{unread:,} of its texts are no values of the source: as nobody says what they mean, anything fits"
            strange.append(not_compared(place, rule, "give the column's hierarchy"))
        pairs = label_values(labels, values)
        says = not all(isinstance(each, Anything) for each in labels)
    else:
        pairs, says = _exact(release, published, values)
    if says and not len(pairs[0]):
        strange.append(recoded(place, ours=ours))
        pairs = _anything(np.arange(len(published)), len(values))
    return fitting(label, table.codes(column), pairs, len(values)), strange


def _labels(
    release: ReleaseFiles, column: str, published: Sequence[str | None], values: Sequence[str | None]
) -> tuple[Sequence[Label], int]:
    """What is said of a quasi-identifier. A name that another tool's release does not explain may stand for anything.

    That is so only where something in the column can be read; else the whole column is recoded.
    """
    labels = labels_in(release.description, column, published)
    if release.description.manifest:
        # {*} is a value called *, unless the table has one called {*}.
        called = zip(labels, published, strict=True)
        return [OneOf(frozenset({STAR, text})) if each == Exactly(STAR) else each for each, text in called], 0
    known = Values(values)
    unread = [isinstance(each, Exactly) and not known.places(each.value) for each in labels]
    blank = {i for i, each in enumerate(labels) if unread[i] and isinstance(each, Exactly) and not each.value}
    said: list[Label] = [
        each if not strange else _blank(known) if i in blank else Anything()
        for i, (each, strange) in enumerate(zip(labels, unread, strict=True))
    ]
    names = sum(unread) - len(blank)
    if not any(covers(each, known).any() for each, strange in zip(labels, unread, strict=True) if not strange):
        return labels, 0
    return said, names


def _blank(known: Values) -> Label:
    """Nothing at all: tools that can't write both take "" for NULL."""
    return Exactly(None if None in known.written else "")


def _exact(
    release: ReleaseFiles, published: Sequence[str | None], values: Sequence[str | None]
) -> tuple[tuple[IntArray, IntArray], bool]:
    """Pairs of published texts and the values that they are; and whether they say anything."""
    told = release.description
    both = alike([*published, *values], values, blank_is_null=not told.manifest)
    own, theirs = both[: len(published)], both[len(published) :]
    order = np.argsort(theirs, kind="stable")  # values that are alike stand together
    low, high = (np.searchsorted(theirs[order], own, side=side) for side in ("left", "right"))
    many = np.where(own < 0, 0, high - low)
    at = np.repeat(low - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
    pairs = np.repeat(np.arange(len(published)), many), order[at]
    hidden = np.array([not told.manifest and text == told.suppressed for text in published], dtype=np.bool_)
    if not hidden.any():
        return pairs, bool(len(published))
    shown = ~hidden[pairs[0]]
    more = _anything(np.flatnonzero(hidden), len(values))
    return (np.append(pairs[0][shown], more[0]), np.append(pairs[1][shown], more[1])), False


def _anything(labels: IntArray, values: int) -> tuple[IntArray, IntArray]:
    """Labels that every value fits."""
    return np.repeat(labels, values), np.tile(np.arange(values), len(labels))
