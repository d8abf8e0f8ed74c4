"""Values made coarser beside the table that they are said to be made of.

Does an assignment of rows of the source to published rows exist, so that every label is true of its row, all other
values are the same, and as many rows are left over as are said to be suppressed?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import IntArray
from discreet.audit.faults.comparison import Table, not_compared, recoded, rows_are, untrue
from discreet.audit.faults.matching import shortfall
from discreet.audit.lines import Fault
from discreet.audit.reading.equal_values import alike
from discreet.audit.reading.labels import Anything, Exactly, Label, OneOf, Values, covers
from discreet.audit.reading.release import ReleaseFiles, Rows, counted_people, labels_in, numbered
from discreet.audit.reading.texts import STAR
from discreet.audit.worlds.label_join import Covered, Fitting, fitting, joined, label_values


@dataclass(frozen=True, eq=False)
class Units:
    """Published rows that are alike are one unit: where it first stands, how many rows it has, and who `fits` it."""

    first: IntArray
    wanted: IntArray
    fits: Covered
    strange: tuple[Fault, ...]


def units_beside(release: ReleaseFiles, table: Table) -> Units:
    """Which combinations of the source fit which published rows; and what can't be compared of a column."""
    description, rows = release.description, release.grouped
    kept = np.flatnonzero(release.group >= 0)
    unit, first = numbered([rows.column(c)[1][kept] for c in table.columns], len(kept))
    columns, strange = [], []
    for column in table.columns:
        texts, codes = rows.column(column)
        used, label = np.unique(codes[kept[first]], return_inverse=True)
        of_column, untold = held(release, table, rows, column, [texts[i] for i in used], label.astype(np.int64))
        columns.append(of_column)
        strange += untold
    weights = counted_people(rows, description.count)[kept]
    wanted = np.bincount(unit, weights=weights, minlength=len(first)).astype(np.int64)
    return Units(kept[first], wanted, joined(columns, table.frequencies.counts, len(wanted)), tuple(strange))


def untrue_rows(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
    """Published rows that no row of the source can be, or is left for."""
    rows, units = release.grouped, units_beside(release, table)
    yield from units.strange
    wanted, fits, lines = units.wanted, units.fits, rows.first(units.first)
    nobody = np.maximum(wanted - fits.having, 0)
    if nobody.any():
        many = int(nobody.sum())
        rule = f"{rows_are(many)} published that no row of the source can be: a label or a value is untrue"
        yield untrue(rows.file, rule, many, lines, nobody > 0)
    elif fits.held:
        lacking = shortfall(fits.starts, fits.groups, table.frequencies.counts, wanted)
        if lacking.rows:
            rule = f"{rows_are(lacking.rows)} left over, however rows of the source are assigned to those that fit them"
            yield untrue(rows.file, rule, lacking.rows, lines, lacking.contested)
    else:
        rule = "so many rows fit every published one that each was compared by itself only, not all together"
        yield not_compared(rows.file, rule, "nothing to mend")


def held(
    release: ReleaseFiles, table: Table, rows: Rows, column: str, published: Sequence[str | None], label: IntArray
) -> tuple[Fitting, list[Fault]]:
    """A column of labels or exact values, held against the source's values; and what can't be compared of it.

    ``published[label[u]]`` is what unit u has.
    """
    ours, values = bool(release.description.manifest), table.values(column)
    place, strange = f"{rows.file}: {column}", []
    if release.view.kind.labelled and column in release.description.quasi_identifiers:
        labels, unread = _labels(release, column, published, values)
        if unread:
            rule = (
                f"{unread:,} of its {len(published):,} texts are no values of the source: as nobody says what they "
                "mean, anything fits"
            )
            repair = "give the column's hierarchy, or say in the description which values of the source they are"
            strange.append(not_compared(place, rule, repair, unread))
        pairs = label_values(labels, values)
        says = not all(isinstance(each, Anything) for each in labels)
    else:
        pairs, says = _exact(release, published, values)
    if says and not len(pairs[0]):
        strange.append(recoded(place, len(published), ours=ours))
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
    ours, suppressed = bool(release.description.manifest), release.description.suppressed
    both = alike([*published, *values], values, blank_is_null=not ours)
    own, theirs = both[: len(published)], both[len(published) :]
    order = np.argsort(theirs, kind="stable")  # values that are alike stand together
    low, high = (np.searchsorted(theirs[order], own, side=side) for side in ("left", "right"))
    many = np.where(own < 0, 0, high - low)
    at = np.repeat(low - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
    pairs = np.repeat(np.arange(len(published)), many), order[at]
    hidden = np.array([not ours and text == suppressed for text in published], dtype=np.bool_)
    if not hidden.any():
        return pairs, bool(len(published))
    shown = ~hidden[pairs[0]]
    more = _anything(np.flatnonzero(hidden), len(values))
    return (np.append(pairs[0][shown], more[0]), np.append(pairs[1][shown], more[1])), False


def _anything(labels: IntArray, values: int) -> tuple[IntArray, IntArray]:
    """Labels that every value fits."""
    return np.repeat(labels, values), np.tile(np.arange(values), len(labels))
