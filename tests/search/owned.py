"""Small tables in which people have several rows, and what is published of them, told row by row in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet
from discreet.engines.arrow import in_order, texts
from discreet.engines.base import Frequencies
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.search.plan import SUPPRESSED, Ambiguity, Bucketization, Plan
from tests.search.bucketized import QUASI, SENSITIVE, VALUES

Row = tuple[str | None, ...]  # whose it is, quasi-identifiers, then the sensitive value


def owned_table(rows: Sequence[Row]) -> FrequencySet:
    """The frequency set of these rows, of which it is known whose they are."""
    counted, width = Counter(rows), len(rows[0]) - 2
    columns = [[row[i] for row in counted] for i in range(1, width + 2)]
    values = [sorted(set(column), key=lambda v: (v is None, v)) for column in columns]
    codes = [np.array([v.index(x) for x in column], dtype=np.int32) for v, column in zip(values, columns, strict=True)]
    hierarchies = [build(n, column, Flat()) for n, column in zip([*QUASI[:width], SENSITIVE], columns, strict=True)]
    names, person = in_order([texts([row[0] for row in counted])])
    counts = np.array(list(counted.values()), dtype=np.int64)
    each = Frequencies(tuple(map(tuple, values)), tuple(codes), counts, person, names)
    return frequency_set(each, hierarchies[:-1], {SENSITIVE: hierarchies[-1]})


def grouped(rows: Sequence[Row], groups: Sequence[int], tables: tuple[tuple[int, ...], ...] | None = None) -> Plan:
    """The rows in these groups (−1: suppressed), as a bucketization, or with `tables` as an ambiguity.

    Somebody has several rows, and nobody's are NULL.
    """
    f = owned_table(rows).by_person
    assert f.owners is not None
    names = sorted({row[0] for row in rows}, key=str)
    leaves = [*(h.leaves for h in f.hierarchies), f.sensitive_hierarchies[SENSITIVE].leaves]
    found: dict[Row, int] = {}
    for i, (person, *codes) in enumerate(
        zip(f.owners.person.tolist(), *(c.tolist() for c in f.codes), f.sensitive[SENSITIVE].tolist(), strict=True)
    ):
        found[(names[person], *(own[c] for own, c in zip(leaves, codes, strict=True)))] = i
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for row, group in zip(rows, groups, strict=True):
        counted[found[row], group] += 1
    row, group = (np.array(column, dtype=np.int64) for column in zip(*counted, strict=True))
    count = np.array(list(counted.values()), dtype=np.int64)
    if tables is None:
        return Bucketization(f, row, count, group)
    return Ambiguity(f, row, count, group, tables)


def members(plan: Plan) -> dict[int, list[Row]]:
    """The rows of each group, and of −1 those that are suppressed, with what is published of them."""
    f = plan.frequency
    assert f.owners is not None
    assert f.owners.apart
    leaves = f.sensitive_hierarchies[SENSITIVE].leaves
    found: dict[int, list[Row]] = defaultdict(list)
    each = zip(
        plan.row.tolist(), plan.count.tolist(), plan.group.tolist(), plan.values(SENSITIVE).tolist(), strict=True
    )
    for row, count, group, value in each:
        own = [h.leaves[c[row]] for h, c in zip(f.hierarchies, f.codes, strict=True)]
        found[group] += [(str(f.owners.person[row]), *own, leaves[value])] * count
    return dict(found)


def published(plan: Plan) -> list[list[Row]]:
    """The published groups, in order."""
    found = members(plan)
    found.pop(SUPPRESSED, None)
    assert sorted(found) == list(range(plan.group_count))
    return [found[g] for g in sorted(found)]


def share(group: Sequence[Row], value: str | None) -> Fraction:
    """What part of a group has a value."""
    return Fraction(sum(row[-1] == value for row in group), len(group))


def worst_sums(groups: Sequence[Sequence[Row]]) -> dict[str, Fraction]:
    """For everybody, the largest sum over his groups of one value's share."""
    of_person: dict[str, list[Counter[str | None]]] = defaultdict(list)
    for g in groups:
        counts = Counter(row[-1] for row in g)
        for person in {str(row[0]) for row in g}:
            of_person[person].append(counts)
    return {
        p: max(sum((Fraction(c[v], c.total()) for c in own), Fraction(0)) for v in {v for c in own for v in c})
        for p, own in of_person.items()
    }


@st.composite
def owned_rows(draw: st.DrawFn, max_people: int = 8, max_rows: int = 3, min_rows: int = 1, width: int = 2) -> list[Row]:
    """People who have some rows each; some of them move. Somebody has two rows at least."""
    places = [p[:width] for p in product(["20", "30", None], ["A", ""], ["m", "f"])]
    rows: list[Row] = []
    values = st.sampled_from(draw(st.sampled_from([VALUES, VALUES[:3], VALUES[:2]])))
    for p in range(draw(st.integers(1, max_people))):
        home = draw(st.sampled_from(places))
        for i in range(draw(st.integers(max(min_rows, 2 if p == 0 else 1), max(max_rows, 2)))):
            away = i > 0 and draw(st.booleans()) and draw(st.booleans())
            where = draw(st.sampled_from(places)) if away else home
            rows.append((f"p{p}", *where, draw(values)))
    return rows
