"""Whose rows stand in the groups of exact values, as the custodian keeps it, or as files and source tell by themselves.

Somebody with several rows is found in every group that has one of them, so what is promised is judged by all of them
together. The files tell which quasi-identifiers (or values of each) a group has; whose rows they are follows from the
source where nobody else has the same. Elsewhere the custodian's list is needed (`kept_standing`). It is a proof here,
too: each group must have just the quasi-identifiers and the values that are published of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, number_equal
from discreet.counts.coding import merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, people_of
from discreet.counts.owners import Owners, owned
from discreet.publications.ambiguous_tables import Ambiguous
from discreet.publications.bucketized_tables import Bucketized
from discreet.publications.grouped import Grouped
from discreet.publications.source.kept_standing import listed_rows, person_columns, same_counts, whole_numbers
from discreet.publications.source.people import Standing
from discreet.publications.source.table import value_codes

# What reading a file that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
_MOST_PAIRS = 30_000_000  # of a combination and a group; more take too much memory


def kept_apart(
    words: Mapping[str, Any], published: Bucketized | Ambiguous, table: FrequencySet, groups: Groups
) -> Standing | None:
    """The published `groups` by the rows that stand in them, as it was kept; None if that can't be."""
    owners = table.owners
    if owners is None:
        return None
    try:
        group = whole_numbers(words["standing"]) - 1
    except _NOT_OURS:
        return None
    pair = listed_rows(owners, person_columns(table, owners, exact=True))
    if len(group) != len(pair) or ((group < -1) | (group >= published.groups)).any():
        return None
    here = np.flatnonzero(group >= 0)
    row, of = owners.row[pair[here]], group[here]
    if not (_have_values(table, row, of, published) and _have_people(table, row, of, published)):
        return None
    person = owners.person[pair[here]]
    return _standing(table, owners, groups, row, person, of, np.ones(len(groups), dtype=np.bool_))


def _have_values(table: FrequencySet, row: IntArray, group: IntArray, published: Bucketized | Ambiguous) -> bool:
    """Has every group the sensitive values that are published of it? Of values that were exchanged only how many."""
    values = published.values
    exchanged = published.distorted if isinstance(published, Bucketized) else ()
    ours: list[Any] = [group]
    theirs: list[Any] = [values.group]
    sizes = [max(published.groups, 1)]
    for i, name in enumerate(published.sensitive):
        hierarchy = table.sensitive_hierarchies[name]
        codes = value_codes(hierarchy, values.frequencies.values[i])[values.frequencies.codes[i]]
        if name in exchanged:
            continue
        ours.append(table.sensitive[name][row])
        theirs.append(codes)
        sizes.append(len(hierarchy.leaves))
    once = np.ones(len(row), dtype=np.int64)
    return same_counts(ours, once, theirs, values.frequencies.counts, sizes)


def _have_people(table: FrequencySet, row: IntArray, group: IntArray, published: Bucketized | Ambiguous) -> bool:
    """Has every group the quasi-identifiers that are published of it, or each table all that its rows have?"""
    if isinstance(published, Bucketized):
        return _has(table, row, group, published.people, range(len(table.attributes)), repeated=True)
    sets = [[table.attributes.index(name) for name in names] for names in published.sets]
    pairs = zip(published.auxiliary, sets, strict=True)
    return all(_has(table, row, group, one, places, repeated=False) for one, places in pairs)


def _has(table: FrequencySet, row: IntArray, group: IntArray, listed: Grouped, places: Any, *, repeated: bool) -> bool:
    """Has every group what a table of some attributes lists of it, as often (`repeated`) or once?"""
    theirs = _codes(table, listed, places)
    ours = [table.codes[d][row] for d in places]
    sizes = [max(listed.groups, 1), *(len(table.hierarchies[d].leaves) for d in places)]
    counts = listed.frequencies.counts
    own: list[Any] = [group, *ours]
    if not repeated:
        own = list(merged(own, sizes, np.ones(len(row), dtype=np.int64))[0])
        counts = np.ones_like(counts)
    return same_counts(own, np.ones(len(own[0]), dtype=np.int64), [listed.group, *theirs], counts, sizes)


def _codes(table: FrequencySet, listed: Grouped, places: Any) -> list[Codes]:
    """A published table in the source's leaves, all of which are there: that was looked at before."""
    frequencies = listed.frequencies
    return [
        value_codes(table.hierarchies[d], values)[codes]
        for d, values, codes in zip(places, frequencies.values, frequencies.codes, strict=True)
    ]


def found_apart(published: Bucketized | Ambiguous, table: FrequencySet, groups: Groups) -> Standing | None:
    """The published `groups` by the people whose rows they are as far as files and source tell; None if too many fit.

    Groups of which that is not plain are not certain.
    """
    if isinstance(published, Bucketized):
        return _by_quasi_identifiers(published, table, groups)
    return _by_values(published, table, groups)


def _by_quasi_identifiers(published: Bucketized, table: FrequencySet, groups: Groups) -> Standing:
    """People are found where their quasi-identifiers stand, if nobody else has these.

    Where several people share some, it makes no difference whose row a group has if each of them has one row in all.
    """
    owners = table.owners
    assert owners is not None
    people = published.people
    theirs = _codes(table, people, range(len(table.attributes)))
    rows = len(table.counts)
    both = number_equal(
        [np.concatenate(pair) for pair in zip(table.codes, theirs, strict=True)], rows + len(people.group)
    )
    place, shown = both[:rows], both[rows:]
    pairs = np.unique(place[owners.row] * owners.people + owners.person)
    of_place, person = pairs // owners.people, (pairs % owners.people).astype(np.int32)
    at = np.searchsorted(of_place, np.arange(int(both.max(initial=-1)) + 2))
    many = np.diff(at)
    several = np.bincount(of_place, weights=owners.rows[person] > 1, minlength=len(many))
    plain = (many == 1) | (several == 0)
    # The rows of a place, one after the other, are those of its only person, or of people with one row each.
    entry = np.argsort(shown, kind="stable")
    entry = np.repeat(entry, people.frequencies.counts[entry])
    where = shown[entry]
    nth = np.arange(len(entry)) - np.searchsorted(where, where)
    whose = person[at[where] + np.minimum(nth, many[where] - 1)]
    group = people.group[entry]
    certain = np.bincount(group, weights=~plain[where], minlength=published.groups) == 0
    first = np.zeros(len(many), dtype=np.int64)
    first[place] = np.arange(rows)  # any combination of the place: it is asked for its quasi-identifiers alone
    return _standing(table, owners, groups, first[where], whose, group, certain)


def _by_values(published: Ambiguous, table: FrequencySet, groups: Groups) -> Standing | None:
    """A row stands in a group that lists all of its values. Plain are groups of rows that fit no other, and fill it."""
    owners = table.owners
    assert owners is not None
    found = _fitting(published, table)
    if found is None:
        return None
    row, group = found
    options = np.bincount(row, minlength=len(table.counts))
    fitting = np.bincount(group, weights=table.counts[row], minlength=len(groups))
    elsewhere = np.bincount(group, weights=options[row] > 1, minlength=len(groups))
    certain = (fitting == groups.sizes) & (elsewhere == 0)
    of_row = np.full(len(table.counts), -1, dtype=np.int64)
    of_row[row[options[row] == 1]] = group[options[row] == 1]
    pair = np.repeat(np.arange(len(owners.row)), owners.count)
    pair = pair[of_row[owners.row[pair]] >= 0]
    return _standing(table, owners, groups, owners.row[pair], owners.person[pair], of_row[owners.row[pair]], certain)


def _fitting(published: Ambiguous, table: FrequencySet) -> tuple[IntArray, IntArray] | None:
    """Which combinations of the source fit which groups, in pairs; None if they are too many."""
    rows, values = len(table.counts), published.values
    if not published.groups:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    listed = []  # of each published table: a number for what a combination has of it, and what the groups list
    for one, names in zip(published.auxiliary, published.sets, strict=True):
        places = [table.attributes.index(name) for name in names]
        theirs = _codes(table, one, places)
        columns = [np.concatenate([table.codes[d], own]) for d, own in zip(places, theirs, strict=True)]
        listed.append((number_equal(columns, rows + len(one.group)), one.group))
    hierarchies = [table.sensitive_hierarchies[name] for name in published.sensitive]
    told = zip(hierarchies, values.frequencies.values, values.frequencies.codes, strict=True)
    of_values = [value_codes(h, texts)[codes] for h, texts, codes in told]
    columns = [np.concatenate([table.sensitive[n], own]) for n, own in zip(published.sensitive, of_values, strict=True)]
    listed.append((number_equal(columns, rows + len(values.group)), values.group))
    joined = [np.bincount(number[rows:], minlength=int(number.max()) + 1)[number[:rows]] for number, _ in listed]
    narrow = int(np.argmin([many.sum() for many in joined]))
    many = joined[narrow]
    if many.sum() > _MOST_PAIRS:
        return None
    number, of_group = listed[narrow]
    order = np.argsort(number[rows:], kind="stable")
    low = np.searchsorted(number[rows:][order], number[:rows])
    row = np.repeat(np.arange(rows), many)
    group = of_group[order[np.repeat(low - (np.cumsum(many) - many), many) + np.arange(len(row))]]
    for number, of_group in listed:
        known = np.unique(number[rows:] * published.groups + of_group)
        asked = number[row] * published.groups + group
        there = known[np.minimum(np.searchsorted(known, asked), len(known) - 1)] == asked
        row, group = row[there], group[there]
    return row, group


def _standing(
    table: FrequencySet,
    owners: Owners,
    groups: Groups,
    row: IntArray,
    person: Codes,
    group: IntArray,
    certain: BoolArray,
) -> Standing:
    """Groups by the people whose rows those have that are certain, each row a combination with its quasi-identifiers.

    Nobody may have two rows of a group, so as many people as rows have each of its values: whose are whose is not told,
    and not asked.
    """
    many = len(groups)
    order = np.argsort(group, kind="stable")
    order = order[certain[group[order]]]
    row, person, group = row[order], person[order], group[order]
    once = np.ones(len(row), dtype=np.int64)
    tallies, values = {}, {}
    for name, t in groups.tallies.items():
        tallies[name] = replace(t, reference=table.totals[name])
        here = certain[np.repeat(np.arange(many), np.diff(t.offsets))]
        values[name] = np.repeat(t.values[here], t.counts[here]).astype(np.int32), owners.values[name]
    people = replace(owned(group, person, once, many, values), found=True, everybody=owners.people)
    codes = tuple(column[row] for column in table.codes)
    told = people_of(group, codes, once, many, table.hierarchies, table, person)
    named = replace(groups, tallies=tallies, owners=people, people=told)
    return Standing(named, certain, np.where(certain, people.people, 1))
