"""Small releases as an adversary sees them, from lists of values."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from discreet.audit.kinds.registry import AMBIGUOUS, BUCKETIZED, GENERALIZED
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.view import Promise, ReleaseView, Tally
from discreet.engines.base import Frequencies

VALUES = ("asthma", "cold", "gout", "", None)

groups_of_values = st.lists(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=6), min_size=1, max_size=4
)  # the sensitive values of each group


def tally_of(groups, attribute="disease"):
    """The tally of groups that are lists of values."""
    values = tuple(dict.fromkeys(value for group in groups for value in group))
    entries = [
        (g, code, counted[value])
        for g, counted in enumerate(map(Counter, groups))
        for code, value in enumerate(values)
        if counted[value]
    ]
    columns = [np.array(column, dtype=np.int64) for column in zip(*entries, strict=True)]
    return Tally(attribute, values, *columns)


def view_of(groups, publish=GENERALIZED, attribute="disease", promises=(), **more):
    """A release that shows the values of its groups, and that the first of each stands in the line of its number."""
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    lines = np.concatenate([[2], 2 + np.cumsum(sizes)[:-1]])
    return ReleaseView(
        publish,
        tuple(more.pop("quasi_identifiers", ())),
        sizes,
        (tally_of(groups, attribute),),
        promises=tuple(promises),
        first_line=lines,
        **more,
    )


def bucketized(groups, quasi_identifiers, attribute="disease", promises=(), **more):
    """A bucketized release: groups of people, each with quasi-identifiers, then the sensitive value."""
    rows = Counter((*person[:-1], g) for g, people in enumerate(groups) for person in people)
    table = Table(
        tuple(quasi_identifiers),
        _frequencies([row[:-1] for row in rows], list(rows.values())),
        np.array([row[-1] for row in rows], dtype=np.int64),
    )
    values = [[person[-1] for person in people] for people in groups]
    return view_of(
        values, BUCKETIZED, attribute, promises, quasi_identifiers=quasi_identifiers, tables=(table,), **more
    )


def ambiguous(groups, quasi_identifiers, attribute="disease", promises=()):
    """An ambiguous release of the same, a table for each quasi-identifier."""
    tables = []
    for i, name in enumerate(quasi_identifiers):
        rows = list(dict.fromkeys(((person[i],), g) for g, people in enumerate(groups) for person in people))
        found = _frequencies([row for row, _ in rows], [1] * len(rows))
        tables.append(Table((name,), found, np.array([g for _, g in rows], dtype=np.int64)))
    values = [[person[-1] for person in people] for people in groups]
    return view_of(values, AMBIGUOUS, attribute, promises, quasi_identifiers=quasi_identifiers, tables=tuple(tables))


def promise(model, attribute=None, **parameters):
    return Promise(model, parameters, attribute)


def _frequencies(rows, counts):
    columns = list(zip(*rows, strict=True))
    values = [tuple(dict.fromkeys(column)) for column in columns]
    codes = [np.array([v.index(x) for x in c], dtype=np.int32) for v, c in zip(values, columns, strict=True)]
    return Frequencies(tuple(values), tuple(codes), np.array(counts, dtype=np.int64))
