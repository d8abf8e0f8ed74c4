"""Whose rows they are: people counted in groups, where a person may have several rows.

People don't add up like rows: somebody with rows in two groups is one person of both together. Whoever stands in one
group is *settled* there, and counts; of the others, who *move*, the pairs of group and person are kept. When groups are
merged, movers settle; so the coarser, the fewer are left to be counted one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.hierarchies.hierarchy import Hierarchy

Values = tuple[IntArray, Codes, Codes]  # starts per person, then the group and the value of each entry


@dataclass(frozen=True, eq=False)
class Owners:
    """Who owns the rows of a frequency set: `count[i]` rows of combination `row[i]` are those of person `person[i]`.

    Each pair once, in the order of combinations. `people` is how many people there are; `values[attribute][v]` of them
    have value v in one of their rows or more. If the set is `apart`, each combination is one person's. `names` are the
    people's texts (an Arrow array) in the order of their numbers; those after the last one have no name.
    """

    row: IntArray
    person: Codes
    count: IntArray
    people: int
    values: Mapping[str, IntArray]
    apart: bool = False
    names: Any = None

    @cached_property
    def rows(self) -> IntArray:
        """How many rows each person has."""
        return np.bincount(self.person, weights=self.count, minlength=self.people).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PeopleTally:
    """How many settled people of each group have each value of an attribute; movers by themselves.

    Group g has the pairs ``offsets[g]:offsets[g + 1]`` of `values` and `counts`; `reference` is how many people of the
    whole table have each value.
    """

    offsets: IntArray
    values: Codes
    counts: IntArray
    reference: IntArray
    movers: Values


@dataclass(frozen=True, eq=False)
class OwnedGroups:
    """The people in each group: how many are settled there, the most rows that one of those has, and who moves.

    Mover p has ``mover_rows[e]`` rows in group ``mover_group[e]``, for e in ``mover_starts[p]:mover_starts[p + 1]``.
    If people are `constant`, nobody moves between the combinations of the frequency set's quasi-identifiers. If they
    are `found`, quasi-identifiers are published as they are: somebody is found in each group that he stands in.
    `everybody` is how many people the whole table has, those in none of the groups included.

    >>> two = owned([0, 0, 1, 1, 1], [0, 1, 1, 1, 2], np.ones(5, np.int64), 2, {})  # groups and people of five rows
    >>> two.people.tolist(), two.most.tolist(), two.merged(np.zeros(2, np.int32), 1).people.tolist()
    ([2, 2], [1, 2], [3])
    """

    settled: IntArray
    settled_most: IntArray
    mover_starts: IntArray
    mover_group: Codes
    mover_rows: IntArray
    tallies: Mapping[str, PeopleTally] = field(default_factory=dict)
    constant: bool = False
    found: bool = False
    everybody: int = 0

    @cached_property
    def people(self) -> IntArray:
        """How many different people stand in each group."""
        if not len(self.mover_group):
            return self.settled
        return self.settled + np.bincount(self.mover_group, minlength=len(self.settled))

    @cached_property
    def most(self) -> IntArray:
        """The most rows that one person has in each group."""
        if not len(self.mover_group):
            return self.settled_most
        most = self.settled_most.copy()
        np.maximum.at(most, self.mover_group, self.mover_rows)
        return most

    def values(self, attribute: str) -> tuple[IntArray, Codes, IntArray]:
        """How many different people of each group have each value of an attribute: offsets, values, counts."""
        t = self.tallies[attribute]
        _, group, value = t.movers
        return _added(np.arange(len(self.settled), dtype=np.int32), len(self.settled), t, group, value)

    def reference(self, attribute: str) -> IntArray:
        """How many people of the whole table have each value."""
        return self.tallies[attribute].reference

    def merged(self, group: Codes, groups: int) -> OwnedGroups:
        """The same when each group becomes another (`group`; −1: it is left out)."""
        from discreet.counts.owner_kernels import Movers, Settled, fold_rows, fold_values

        before = Movers(self.mover_starts, self.mover_group, self.mover_rows)
        settled, movers, home = fold_rows(Settled(self.settled, self.settled_most), before, group, groups)
        tallies = {}
        for name, t in self.tallies.items():
            starts, in_group, having = t.movers
            folded = fold_values(starts, in_group, having, group, home, len(t.reference))
            offsets, values, counts = _added(group, groups, t, *folded[:2])
            tallies[name] = PeopleTally(offsets, values, counts, t.reference, folded[2:])
        return replace(
            self,
            settled=settled.people,
            settled_most=settled.most,
            mover_starts=movers.starts,
            mover_group=movers.group,
            mover_rows=movers.rows,
            tallies=tallies,
        )

    def where(self, chosen: BoolArray) -> OwnedGroups:
        """The chosen groups alone."""
        return self.merged(np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32), int(chosen.sum()))

    def memory(self) -> int:
        """Bytes, about."""
        own = 16 * len(self.settled) + 8 * len(self.mover_starts) + 12 * len(self.mover_group)
        each = (8 * len(t.offsets) + 12 * len(t.values) + 8 * len(t.movers[1]) for t in self.tallies.values())
        return own + sum(each)


def _added(
    group: Codes, groups: int, t: PeopleTally, more_group: Codes, more_value: Codes
) -> tuple[IntArray, Codes, IntArray]:
    """The settled people of groups that become others, and one person more for each group and value given."""
    from discreet.counts.kernels import merge_tallies  # late: reading a policy should not wait for numba
    from discreet.counts.owner_kernels import counted_pairs

    if not len(t.values):
        pairs: tuple[IntArray, Codes, IntArray] = counted_pairs(more_group, groups, more_value, len(t.reference))
        return pairs
    offsets, values, counts = t.offsets, t.values, t.counts
    if (group < 0).any():
        stays, sizes = group >= 0, np.diff(offsets)
        here = np.repeat(stays, sizes)
        group, offsets = group[stays], np.append(0, np.cumsum(sizes[stays]))
        values, counts = values[here], counts[here]
    more = np.arange(1, len(more_group) + 1, dtype=np.int64)
    result: tuple[IntArray, Codes, IntArray] = merge_tallies(
        np.concatenate([group, more_group]).astype(np.int32),
        groups,
        np.concatenate([offsets, offsets[-1] + more]),
        np.concatenate([values, more_value]).astype(np.int32),
        np.concatenate([counts, np.ones(len(more), dtype=np.int64)]),
        len(t.reference),
    )
    return result


def owned(
    group: IntArray,
    person: Codes,
    count: IntArray,
    groups: int,
    values: Mapping[str, tuple[Codes, IntArray]],
) -> OwnedGroups:
    """Who stands in which group, from (group, person, rows) entries in any order and with repetitions.

    `values` has, per attribute, the value of each entry and how many people of the whole table have each value.
    """
    from discreet.counts.kernels import members_by_group

    person = np.asarray(person, dtype=np.int32)
    starts, order = members_by_group(person, int(person.max(initial=-1)) + 1)
    in_group: Codes = np.asarray(group, dtype=np.int32)[order]
    none = np.zeros(groups, dtype=np.int64)
    tallies = {
        name: PeopleTally(
            np.zeros(groups + 1, dtype=np.int64),
            np.empty(0, dtype=np.int32),
            np.empty(0, dtype=np.int64),
            reference,
            (starts, in_group, value[order].astype(np.int32)),
        )
        for name, (value, reference) in values.items()
    }
    people = int(np.count_nonzero(np.diff(starts)))
    everybody = OwnedGroups(none, none, starts, in_group, np.asarray(count)[order], tallies, everybody=people)
    return everybody.merged(np.arange(groups, dtype=np.int32), groups)


def owners_of(
    row: IntArray, person: Codes, count: IntArray, sensitive: Mapping[str, Codes], hierarchies: Mapping[str, Hierarchy]
) -> Owners | None:
    """The owners of combinations with these sensitive values; None if nobody has more than one row."""
    if int(np.bincount(person, weights=count).max(initial=0)) <= 1:
        return None
    from discreet.counts.kernels import members_by_group
    from discreet.counts.owner_kernels import people_by_value

    starts, order = members_by_group(person, int(person.max(initial=-1)) + 1)
    values = {
        name: people_by_value(starts, codes[row[order]], len(hierarchies[name].leaves))
        for name, codes in sensitive.items()
    }
    return Owners(row.astype(np.int64), person, count, int(np.count_nonzero(np.diff(starts))), values)


def regrouped(owners: Owners, row: IntArray) -> Owners:
    """The same people where combinations became others (`row`), several of them perhaps the same one."""
    key, at = np.unique(row[owners.row] * (owners.people + 1) + owners.person, return_inverse=True)
    count = np.bincount(at.reshape(-1), weights=owners.count, minlength=len(key)).astype(np.int64)
    new_row, person = np.divmod(key, owners.people + 1)
    return replace(owners, row=new_row, person=person.astype(np.int32), count=count)


def alone(owners: Owners) -> Owners:
    """The same for a frequency set in which every pair of combination and person is a combination of its own."""
    return replace(owners, row=np.arange(len(owners.row)), apart=True)
