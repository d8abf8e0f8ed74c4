"""How exact a count from the release is: bounds that no original table can leave, from the published tables alone.

Somebody who uses the data counts rows by the values that are published. Where these overlap (an exact age here, a
range there), or stand in tables apart, a count is a range, too. Told is how wide these ranges are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.groups import Groups, Tally
from discreet.hierarchies.hierarchy import EVERYTHING, Value
from discreet.publications.bucketized_tables import Bucketized
from discreet.publications.grouped import Grouped
from discreet.publications.meanings import ranges_of
from discreet.publications.published import Published
from discreet.report.marginals import most_common, shown
from discreet.report.sections.registry import RELEASE, Public, Section

MOST_QUESTIONS = 200  # per column, of its most common values
MOST_VALUES = 12  # of the sensitive column, for each of them


@dataclass(frozen=True)
class ErrorBar:
    """Counting by the values of some columns: half the width of the proven range, as a share of all published rows.

    `mean` is that of the questions (one for each of the most common values), `largest` that of the worst of them. Both
    are 0 where every count is exact.
    """

    columns: tuple[str, ...]
    mean: float
    largest: float


def error_bars(
    manifest: Mapping[str, Any], mapping: Mapping[str, Any], published: Published, groups: Groups
) -> tuple[ErrorBar, ...]:
    """For each quasi-identifier; with the sensitive column, where that is published apart.

    The `mapping` says what the values of a column stand for, where these may overlap.
    """
    names = [c for c in manifest["columns"] if manifest["roles"][c] == "quasi_identifier"]
    if not len(groups):
        return ()
    if isinstance(published, Bucketized):
        return _apart(names, published, groups)
    if "levels" in mapping:  # one level per column: its values exclude each other
        return tuple(ErrorBar((shown(name),), 0.0, 0.0) for name in names)
    if "groups" not in mapping:  # tables that list values, not how often they occur
        return ()
    counted = published.counted()
    return tuple(_mixed(name, mapping["hierarchies"][name], mapping["texts"][name], *counted[name]) for name in names)


def _mixed(
    name: str, words: object, listed: Sequence[Mapping[str, Any]], texts: Sequence[Value], rows: IntArray
) -> ErrorBar:
    """A column whose values may overlap: rows that surely have what one of them stands for, and rows that may."""
    parts = {entry["text"]: entry["parts"] for entry in listed}
    low, high = ranges_of([parts[text] for text in texts], name, words)
    asked = [i for i in most_common(texts, rows, MOST_QUESTIONS + 1) if texts[i] != EVERYTHING][:MOST_QUESTIONS]
    widths = []
    for i in asked:
        possible = (low <= high[i]) & (high >= low[i])
        sure = (low >= low[i]) & (high <= high[i])
        widths.append(int(rows[possible & ~sure].sum()))
    return _bar((name,), widths, int(rows.sum()))


def _apart(names: Sequence[str], published: Bucketized, groups: Groups) -> tuple[ErrorBar, ...]:
    """Quasi-identifiers and sensitive values in tables apart: each is exact, both together are a range.

    Of a group of n people of whom a have a quasi-identifier and b a sensitive value, at least a + b − n and at most
    min(a, b) have both.
    """
    bars = [ErrorBar((shown(name),), 0.0, 0.0) for name in names]
    for name, tally in groups.tallies.items():
        asked = np.argsort(-tally.reference, kind="stable")[:MOST_VALUES]
        having = [_per_group(tally, int(value), len(groups)) for value in asked if tally.reference[value]]
        bars += [
            _together(published.quasi_identifiers.index(column), (column, name), published.people, groups.sizes, having)
            for column in names
        ]
    return tuple(bars)


def _together(
    column: int, names: tuple[str, str], people: Grouped, sizes: IntArray, having: Sequence[IntArray]
) -> ErrorBar:
    codes, counts = people.frequencies.codes[column], people.frequencies.counts
    total = np.bincount(codes, weights=counts, minlength=len(people.frequencies.values[column]))
    widths = []
    for value in most_common(people.frequencies.values[column], total, MOST_QUESTIONS // max(len(having), 1) + 1):
        here = codes == value
        a = np.bincount(people.group[here], weights=counts[here], minlength=len(sizes))
        widths += [int((np.minimum(a, b) - np.maximum(a + b - sizes, 0)).sum()) for b in having]
    return _bar(names, widths, int(sizes.sum()))


def _per_group(tally: Tally, value: int, groups: int) -> IntArray:
    """How many rows of each group have a value."""
    here = tally.values == value
    group = np.repeat(np.arange(groups), np.diff(tally.offsets))[here]
    return np.bincount(group, weights=tally.counts[here], minlength=groups).astype(np.int64)


def _bar(names: Sequence[str], widths: Sequence[int], rows: int) -> ErrorBar:
    halves: FloatArray = np.array(widths, dtype=np.float64) / (2 * max(rows, 1))
    told = (float(halves.mean()), float(halves.max())) if len(halves) else (0.0, 0.0)
    return ErrorBar(tuple(shown(name) for name in names), *told)


def _figures(known: Public) -> tuple[ErrorBar, ...]:
    return error_bars(known.manifest, known.mapping, known.published, known.groups)


ERROR_BARS = Section(_figures, pages=(RELEASE,))
