"""Tables of exact values beside the table that they are said to be made of.

Bucketized: the people of the quasi-identifier table are people of the source, the values those that somebody has, and
in each group the values can be dealt out to its people so that everybody gets one that people like them have. Whether
one assignment does for all groups together is a question nobody answers fast (it is the three-way transport problem);
where people are told apart by their quasi-identifiers the groups by themselves are the answer. Ambiguous: rows of the
source can be assigned to groups so that each has the published counts of sensitive values, and all values of its rows
in every table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import IntArray
from discreet.audit.faults.comparison import Table, not_compared, recoded, rows_are, untrue
from discreet.audit.faults.matching import shortfall, turned
from discreet.audit.lines import Fault
from discreet.audit.reading.equal_values import tokens
from discreet.audit.reading.release import ReleaseFiles, Rows, counted_people, numbered
from discreet.audit.worlds.label_join import MOST_FITS

_MOST_PAIRS = 100_000_000  # of a person and a value in the same group


def bucketized(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
    """What is wrong with people and values in two tables."""
    description = release.description
    people, values = _files(release)
    distorted = tuple(str(c) for c in description.manifest.get("distorted") or ())
    for column in distorted:
        rule = "the search exchanged values on purpose, as the manifest says: they are compared with nothing"
        # The release says so itself: nothing that it claims is left open.
        yield replace(not_compared(f"{values.file}: {column}", rule, "nothing to mend"), judged=True)
    known, strange = _comparable(release, table, distorted)
    yield from strange
    weights = counted_people(values, description.count if description.count in values.columns else "")
    number = _groups(release, (people, values))
    own, person = _codes(people, table, [c for c in known if c in people.columns], bool(description.manifest))
    theirs, value = _codes(values, table, [c for c in known if c in values.columns], bool(description.manifest))
    wrong = [
        *_more_than_there_are(
            people, own, np.ones(len(people), dtype=np.int64), person, table.frequencies.counts, "quasi-identifiers"
        ),
        *_more_than_there_are(values, theirs, weights, value, table.frequencies.counts, "values"),
    ]
    yield from wrong
    if not wrong and any(c in values.columns for c in known):
        ones = np.ones(len(people), dtype=np.int64)
        yield from _not_theirs(
            (people, own, ones, number[people.file]), (values, theirs, weights, number[values.file]),
            (person, value, table.frequencies.counts),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Placed:
    """Quasi-identifiers in groups, each combination of a group once: `unit_key`, `unit_group`, and how often.

    Each combination of the source has the quasi-identifiers `kind_key` and the value `kind_value`; a group has the
    `values` group · span + value.
    """

    unit_key: IntArray
    unit_group: IntArray
    wanted: IntArray
    kind_key: IntArray
    kind_value: IntArray
    values: IntArray
    span: int


def groups_beside(release: ReleaseFiles, table: Table) -> Placed:
    """What tells which combinations of the source may stand in which groups of a bucketized release."""
    ours, (people, values) = bool(release.description.manifest), _files(release)
    distorted = tuple(str(c) for c in release.description.manifest.get("distorted") or ())
    known, _ = _comparable(release, table, distorted)
    number = _groups(release, (people, values))
    own, kind_key = _codes(people, table, [c for c in known if c in people.columns], ours)
    theirs, kind_value = _codes(values, table, [c for c in known if c in values.columns], ours)
    unit, first = numbered([number[people.file], own], len(people))
    wanted = np.bincount(unit, minlength=len(first)).astype(np.int64)
    span = int(max(theirs.max(initial=0), kind_value.max(initial=0))) + 1
    there = np.unique(number[values.file] * span + theirs)
    return Placed(own[first], number[people.file][first], wanted, kind_key, kind_value, there, span)


@dataclass(frozen=True, eq=False)
class Entries:
    """The sensitive values of the groups of an ambiguous release, each once: `first` where it stands, and how often.

    Combinations ``kinds[starts[i]:starts[i + 1]]`` of the source fit the i-th, so many rows in all (`having`). `listed`
    are the tables of other values, and `used` says which of their entries a fitting combination has.
    """

    values: Rows
    first: IntArray
    group: IntArray
    wanted: IntArray
    starts: IntArray
    kinds: NDArray[Any]
    having: IntArray
    held: bool
    listed: tuple[_Listed, ...]
    used: tuple[NDArray[np.bool_], ...]
    counts: IntArray
    strange: tuple[Fault, ...]


def entries_beside(release: ReleaseFiles, table: Table) -> Entries:
    """Which combinations of the source fit which sensitive value of a group: all their values are in its tables."""
    from discreet.audit.faults.comparison_kernels import fits_of_groups  # late: loads numba

    description, ours, sizes = release.description, bool(release.description.manifest), release.view.sizes
    [values] = [rows for rows in release.files if not {*rows.columns} & {*description.quasi_identifiers}]
    known, strange = _comparable(release, table)
    number = _groups(release, release.files)
    own, value = _codes(values, table, [c for c in known if c in values.columns], ours)
    order = np.lexsort((own, number[values.file]))
    unit, first = numbered([number[values.file][order], own[order]], len(values))
    first = order[first]
    weights = counted_people(values, description.count)[order]
    wanted = np.bincount(unit, weights=weights, minlength=len(first)).astype(np.int64)
    listed = [
        _Listed.of(rows, number[rows.file], *_codes(rows, table, [c for c in known if c in rows.columns], ours))
        for rows in release.files
        if rows is not values
    ]
    listed.sort(key=lambda one: -one.span)  # those that tell most people apart first
    kinds = np.stack([value, *(one.of_kind for one in listed)], axis=1).astype(np.int32)
    sorted_kinds = np.lexsort(kinds.T[::-1])
    before = np.cumsum([0, *(one.entry.shape[1] for one in listed)])
    offsets = np.stack([b + np.searchsorted(one.entry[0], np.arange(len(sizes) + 1))
                        for b, one in zip(before, listed, strict=False)])  # fmt: skip
    codes = np.concatenate([one.entry[1] for one in listed]).astype(np.int32)
    counts = table.frequencies.counts[sorted_kinds]
    starts, fitting, having, used, held = fits_of_groups(
        kinds[sorted_kinds], counts, number[values.file][first], own[first].astype(np.int32), offsets, codes,
        max(one.span for one in listed), MOST_FITS,
    )  # fmt: skip
    return Entries(
        values, first, number[values.file][first], wanted, starts, sorted_kinds[fitting], having, bool(held),
        tuple(listed), tuple(np.split(used, before[1:-1])), table.frequencies.counts, tuple(strange),
    )  # fmt: skip


def ambiguous(release: ReleaseFiles, table: Table) -> Iterator[Fault]:
    """What is wrong with values of groups in tables apart."""
    sizes, found = release.view.sizes, entries_beside(release, table)
    yield from found.strange
    for one in found.listed:
        crowded = np.bincount(one.entry[0], minlength=len(sizes)) > sizes
        if crowded.any():
            rule = f"{int(crowded.sum()):,} groups have more values here than rows"
            yield untrue(one.rows.file, rule, int(crowded.sum()), one.rows.lines, crowded[one.group])
    values, wanted = found.values, found.wanted
    nobody = np.maximum(wanted - found.having, 0)
    lines = values.first(found.first)
    if nobody.any():
        many = int(nobody.sum())
        rule = f"{rows_are(many)} published that no row of the source can be: none has such values together"
        yield untrue(values.file, rule, many, lines, nobody > 0)
    elif found.held:
        lacking = shortfall(*turned(found.starts, found.kinds, len(found.counts)), found.counts, wanted)
        if lacking.rows:
            rule = f"{rows_are(lacking.rows)} left over, however rows of the source are assigned to those that fit them"
            yield untrue(values.file, rule, lacking.rows, lines, lacking.contested)
    if not found.held:
        rule = "so many rows fit every group that each value was compared by itself only, not all together"
        yield not_compared(values.file, rule, "nothing to mend")
    for one, there in zip(found.listed, found.used, strict=True):
        idle = one.entry[0][~there] * one.span + one.entry[1][~there]
        if len(idle):
            rule = f"{len(idle):,} values stand in groups where no row of the source that fits the rest has them"
            yield untrue(one.rows.file, rule, len(idle), one.rows.lines, np.isin(one.group * one.span + one.code, idle))


@dataclass(frozen=True, eq=False)
class _Listed:
    """A table of the values of groups: group and code of each row and (sorted) of each entry; codes of the source."""

    rows: Rows
    group: IntArray
    code: IntArray
    of_kind: IntArray
    entry: IntArray
    span: int

    @classmethod
    def of(cls, rows: Rows, group: IntArray, code: IntArray, of_kind: IntArray) -> _Listed:
        span = int(max(code.max(initial=0), of_kind.max(initial=0))) + 1
        key = np.unique(group * span + code)
        return cls(rows, group, code, of_kind, np.stack([key // span, key % span]), span)


def _files(release: ReleaseFiles) -> tuple[Rows, Rows]:
    """The table of people, and that of values."""
    people, values = sorted(
        release.files, key=lambda rows: not {*rows.columns} & {*release.description.quasi_identifiers}
    )
    return people, values


def _groups(release: ReleaseFiles, files: Sequence[Rows]) -> Mapping[str, IntArray]:
    """The group of every row of every file."""
    names, codes = release.grouped.column(release.description.group)
    number = dict(zip(np.asarray(codes).tolist(), release.group.tolist(), strict=True))
    of_name = {names[code]: group for code, group in number.items()}
    groups_of = {}
    for rows in files:
        theirs, code = rows.column(release.description.group)
        groups_of[rows.file] = np.array([of_name[name] for name in theirs], dtype=np.int64)[code]
    return groups_of


def _comparable(release: ReleaseFiles, table: Table, but: Sequence[str] = ()) -> tuple[list[str], list[Fault]]:
    """The columns that have values of the source; of others it is said that they have none."""
    ours, known, strange = bool(release.description.manifest), [], []
    for rows in release.files:
        for column in (c for c in rows.columns if c in table.columns and c not in but):
            texts = tokens(rows.column(column)[0], not ours)
            if texts and not {*texts} & {*tokens(table.values(column), not ours)}:
                strange.append(recoded(f"{rows.file}: {column}", len(texts), ours=ours))
            else:
                known.append(column)
    return known, strange


def _codes(rows: Rows, table: Table, columns: Sequence[str], ours: bool) -> tuple[IntArray, NDArray[Any]]:
    """A number for the combination of some columns in every row, and in every combination of the source: equal ones."""
    both = []
    for column in columns:
        texts, codes = rows.column(column)
        own, theirs = tokens(texts, not ours), tokens(table.values(column), not ours)
        place = {token: i for i, token in enumerate(dict.fromkeys([*own, *theirs]))}
        of_text, of_value = (np.array([place[t] for t in each_text], dtype=np.int64) for each_text in (own, theirs))
        both.append(np.append(of_text[codes], of_value[table.codes(column)]))
    number, _ = numbered(both, len(rows) + len(table.frequencies.counts))
    return number[: len(rows)], number[len(rows) :]


def _more_than_there_are(
    rows: Rows, own: IntArray, weights: IntArray, theirs: IntArray, counts: IntArray, what: str
) -> Iterator[Fault]:
    """Combinations that are published more often than the source has them."""
    span = int(max(own.max(initial=0), theirs.max(initial=0))) + 1
    published = np.bincount(own, weights=weights, minlength=span).astype(np.int64)
    more = np.maximum(published - np.bincount(theirs, weights=counts, minlength=span).astype(np.int64), 0)
    if more.any():
        many = int(more.sum())
        rule = f"{rows_are(many)} published of {what} that the source does not have, or not so often"
        yield untrue(rows.file, rule, many, rows.lines, more[own] > 0)


def _not_theirs(
    people: tuple[Rows, IntArray, IntArray, IntArray],
    values: tuple[Rows, IntArray, IntArray, IntArray],
    pairs: tuple[IntArray, IntArray, IntArray],
) -> Iterator[Fault]:
    """Groups whose values can't all be those of its people."""
    person_of, _, person_count, person_group = _entries(*people)
    value_of, value_first, value_count, value_group = _entries(*values)
    by_group = np.argsort(value_group, kind="stable")
    low, high = (np.searchsorted(value_group[by_group], person_group, side=s) for s in ("left", "right"))
    many = high - low
    if many.sum() > _MOST_PAIRS:
        rule = "has so many rows and values in groups that they were compared by themselves only, not together"
        yield not_compared(values[0].file, rule, "nothing to mend")
        return
    kind = np.repeat(np.arange(len(many)), many)
    unit = by_group[np.repeat(low - (np.cumsum(many) - many), many) + np.arange(len(kind))]
    span = int(max(value_of.max(initial=0), pairs[1].max(initial=0))) + 1
    keys, place = np.unique(pairs[0] * span + pairs[1], return_inverse=True)
    there = np.bincount(place, weights=pairs[2], minlength=len(keys)).astype(np.int64)
    wanted = person_of[kind] * span + value_of[unit]
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    most = np.where(keys[at] == wanted, there[at], 0) if len(keys) else np.zeros(len(wanted), dtype=np.int64)
    fit = most > 0
    starts = np.concatenate([[0], np.cumsum(np.bincount(kind[fit], minlength=len(many)))])
    lacking = shortfall(starts, unit[fit], person_count, value_count, most[fit])
    if lacking.rows:
        groups = len(np.unique(value_group[lacking.lacking > 0]))
        where = "1 group" if groups == 1 else f"{groups:,} groups"
        rule = (
            f"in {where}, {rows_are(lacking.rows)} of none of its quasi-identifiers: with these, the source has other "
            "values"
        )
        yield untrue(values[0].file, rule, lacking.rows, values[0].first(value_first), lacking.lacking > 0)


def _entries(
    _: Rows, code: IntArray, weights: IntArray, group: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Distinct combinations of every group: which, where it first stands, how often, and the group."""
    entry, first = numbered([group, code], len(code))
    count = np.bincount(entry, weights=weights, minlength=len(first)).astype(np.int64)
    return code[first], first, count, group[first]
