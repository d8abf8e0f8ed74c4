"""Two tables published by one mapping, subtracted from each other.

People who stay in their group and keep their values have equal rows in both tables. So whoever holds both takes the
rows that both have (`stayed`) away from each, group by group: of the earlier table the rows of those who `left` remain,
of the later one the rows of those who `came`. Every group then falls into two parts, and she knows which part a person
is in whom she knows to have come, left or stayed.

Who is who is not known to us, and need not be: the two ends are judged. If nobody stayed, the later table is one of its
own. If as many stayed as the rows allow, its parts are as above, and every part must keep the promises like a group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import BoolArray, IntArray, number_equal
from discreet.engines.base import Frequencies
from discreet.models.base import PrivacyModel, all_hold
from discreet.publications.recoded_tables import Recoded


@dataclass(frozen=True, eq=False)
class TwoTables:
    """How often both tables have each published row (`rows`, every combination of values once; it has no counts).

    `group` is that of each row in either table, `later_row` the row that each combination of the later table became.
    """

    rows: Frequencies
    sensitive: tuple[str, ...]
    group: IntArray
    earlier: IntArray
    later: IntArray
    later_row: IntArray

    @property
    def groups(self) -> int:
        """How many groups the two tables have together."""
        return int(self.group.max(initial=-1)) + 1

    @property
    def stayed(self) -> IntArray:
        """The rows that both tables have."""
        both: IntArray = np.minimum(self.earlier, self.later)
        return both

    @property
    def came(self) -> IntArray:
        """The later table's rows less the earlier one's."""
        return self.later - self.stayed

    @property
    def left(self) -> IntArray:
        """The earlier table's rows less the later one's."""
        return self.earlier - self.stayed

    def failing(self, models: Sequence[PrivacyModel], hierarchies: Mapping[str, object], *parts: IntArray) -> BoolArray:
        """The groups with a part that breaks a promise, if a table consists of these parts (counts of each row).

        What models call the whole table is all parts together.
        """
        judged = self._cut(parts)
        holds = all_hold(models, judged.judged(hierarchies))
        fails = np.zeros(self.groups, dtype=np.bool_)
        fails[np.concatenate([self.group[part > 0] for part in parts])[~holds[judged.group]]] = True
        return fails

    def _cut(self, parts: Sequence[IntArray]) -> Recoded:
        """The table whose groups are the parts of groups that have rows."""
        filled = [np.flatnonzero(part) for part in parts]
        place = np.concatenate(filled)
        part_of = np.repeat(np.arange(len(parts)), [len(some) for some in filled])
        counts = np.concatenate([part[some] for part, some in zip(parts, filled, strict=True)])
        numbers, group = np.unique(self.group[place] * len(parts) + part_of, return_inverse=True)
        frequencies = Frequencies(self.rows.values, tuple(c[place] for c in self.rows.codes), counts)
        width = len(self.rows.values) - len(self.sensitive)
        columns = {name: width + i for i, name in enumerate(self.sensitive)}
        return Recoded(frequencies, group.astype(np.int64), len(numbers), columns)


def side_by_side(earlier: Recoded, later: Recoded) -> TwoTables:
    """Number the rows of two tables with the same columns alike; suppressed rows of the earlier one are nobody's."""
    kept = earlier.group >= 0
    values, codes = [], []
    for mine, theirs, a, b in zip(
        earlier.frequencies.values,
        later.frequencies.values,
        earlier.frequencies.codes,
        later.frequencies.codes,
        strict=True,
    ):
        unique = {v: i for i, v in enumerate(dict.fromkeys([*mine, *theirs]))}
        values.append(tuple(unique))
        ours = np.array([unique[v] for v in mine], dtype=np.int64)
        others = np.array([unique[v] for v in theirs], dtype=np.int64)
        codes.append(np.concatenate([ours[a[kept]], others[b]]))
    before = int(kept.sum())
    row = number_equal(codes, before + len(later.group))
    first = np.unique(row, return_index=True)[1]
    width = len(values) - len(earlier.sensitive)
    distinct = tuple(column[first] for column in codes)
    counts = [
        np.bincount(row[some], weights=numbers, minlength=len(first)).astype(np.int64)
        for some, numbers in (
            (slice(None, before), earlier.frequencies.counts[kept]),
            (slice(before, None), later.frequencies.counts),
        )
    ]
    return TwoTables(
        rows=Frequencies(tuple(values), distinct, np.zeros(len(first), dtype=np.int64)),
        sensitive=tuple(earlier.sensitive),
        group=number_equal(distinct[:width], len(first)),
        earlier=counts[0],
        later=counts[1],
        later_row=row[before:],
    )


@dataclass(frozen=True, eq=False)
class HeldBack:
    """What of the later table may be published: `published` times each row; of groups in `broken`, nothing helps."""

    published: IntArray
    broken: BoolArray  # groups whose earlier rows would break a promise, whatever is held back


def hold_back(
    tables: TwoTables, models: Sequence[PrivacyModel], hierarchies: Mapping[str, object], *, all_new: bool
) -> HeldBack:
    """Hold rows of the later table back until its groups, and all their parts, keep the promises.

    Of a group that fails, whoever came is held back: all of them, so that nothing is told by who is missing. If it
    still fails, all of its rows are: of the earlier table nothing then is told but what it tells by itself. If people
    are `all_new`, nobody stayed, and there are no parts.
    """
    while True:
        later, stayed = tables.later, tables.stayed
        fails = tables.failing(models, hierarchies, later)
        fails |= tables.failing(models, hierarchies, tables.earlier + later)
        if not all_new:
            fails |= tables.failing(models, hierarchies, stayed, tables.came)
            fails |= tables.failing(models, hierarchies, stayed, tables.left)
        filled = np.bincount(tables.group, weights=later, minlength=tables.groups) > 0
        if not (fails & filled).any():
            return HeldBack(later, fails)
        with_newcomers = np.bincount(tables.group, weights=tables.came, minlength=tables.groups) > 0
        # Held back alone, newcomers leave a group that is no larger: it may stay only if somebody can have stayed.
        without_newcomers = fails & with_newcomers & (not all_new)
        later = np.where(without_newcomers[tables.group], stayed, later)
        later = np.where((fails & ~without_newcomers)[tables.group], 0, later)
        tables = replace(tables, later=later)
