"""Who came, left and stayed between two releases, where a column says whose rows they are.

Somebody who is in both tables is one person. So both are counted together, every person's rows by themselves, and the
new rows must keep the promises to people: by themselves; together with the earlier ones; and for those who came, those
who left and those who stayed, each by themselves, since whoever has both releases may know who is which. Rows that
somebody has in both tables, with equal values, are the same rows. Groups in which that fails are held back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray, number_equal
from discreet.counts.coding import frequency_set
from discreet.counts.frequency import FrequencySet
from discreet.counts.owners import owners_of
from discreet.engines.arrow import in_order
from discreet.engines.base import Frequencies
from discreet.errors import DiscreetError, Mistake
from discreet.hierarchies.build import build
from discreet.hierarchies.categories import Flat
from discreet.hierarchies.hierarchy import Value
from discreet.models.base import PrivacyModel, all_hold
from discreet.policy.policy import Policy
from discreet.publications.mapping import recode
from discreet.publications.published import Manifest
from discreet.publications.recoded_tables import Recoded
from discreet.publications.source.people import standing_in
from discreet.publications.source.table import count_source, read_source
from discreet.publications.tables import published_values
from discreet.run.intake import build_all, by_value
from discreet.search.multidimensional.partition import groups_of
from discreet.search.plan import SUPPRESSED, Recoding

_WHEN = "\0when"  # no column is called that
_EARLIER, _LATER = "earlier", "later"
Texts = tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class BothTables:
    """The rows of both tables, every person's by themselves: the published group of each, and whether it is new."""

    frequency: FrequencySet
    person: Codes
    group: IntArray
    later: BoolArray
    texts: tuple[Texts, ...]  # what each group publishes

    @property
    def in_both(self) -> int:
        """How many people have rows in both tables."""
        return len(np.intersect1d(self.person[self.later], self.person[~self.later]))

    def held_back(self, models: Sequence[PrivacyModel], held: BoolArray) -> BoolArray:
        """Which groups must not get new rows, those of `held` among them; nothing is left to fail then."""
        while True:
            published = (self.group != SUPPRESSED) & ~(self.later & held[self.group])
            was, comes = published & ~self.later, published & self.later
            earlier, later = (np.zeros(int(self.person.max(initial=-1)) + 1, dtype=np.bool_) for _ in range(2))
            earlier[self.person[was]], later[self.person[comes]] = True, True
            everybody = np.zeros(len(self.group), dtype=np.int64)
            own = self.frequency.counts
            together = np.where(published, self._once(was, comes), 0)
            fails = self._failing(models, comes * own, everybody) | self._failing(models, together, everybody)
            fails |= self._failing(models, comes * own, earlier[self.person].astype(np.int64))
            fails |= self._failing(models, was * own, later[self.person].astype(np.int64))
            new = np.zeros(len(held), dtype=np.bool_)
            new[self.group[comes]] = True
            if not (fails & new).any():
                return held
            held = held | (fails & new)

    def _once(self, was: BoolArray, comes: BoolArray) -> IntArray:
        """How many rows there are of each, if new ones that a person had before are not counted again."""
        f = self.frequency
        values = [codes for name, codes in f.sensitive.items() if name != _WHEN]
        same = number_equal([*f.codes, *values, self.person], len(f.counts))
        before = np.bincount(same, weights=np.where(was, f.counts, 0))[same].astype(np.int64)
        return np.where(comes, np.maximum(f.counts - before, 0), f.counts)

    def _failing(self, models: Sequence[PrivacyModel], rows: IntArray, part: IntArray) -> BoolArray:
        """The groups of which a part breaks a promise, if the table were so many rows of each."""
        fails = np.zeros(len(self.texts), dtype=np.bool_)
        at = np.flatnonzero(rows)
        if not len(at):
            return fails
        f = self.frequency
        sensitive = {name: codes[at] for name, codes in f.sensitive.items() if name != _WHEN}
        count, each = rows[at], np.arange(len(at))
        owners = owners_of(each, self.person[at], count, sensitive, f.sensitive_hierarchies)
        table = replace(
            f,
            codes=tuple(codes[at] for codes in f.codes),
            sensitive=sensitive,
            counts=count,
            owners=None if owners is None else replace(owners, apart=True),
        )
        keys, number = np.unique(self.group[at] * 2 + part[at], return_inverse=True)
        holds = all_hold(models, groups_of(table, each, count, number.reshape(-1), len(keys)))
        fails[keys[~holds] // 2] = True
        return fails


def both_tables(
    policy: Policy, manifest: Manifest, mapping: Mapping[str, Any], before: Recoded, earlier: Any, later: Frequencies
) -> BothTables:
    """Count the table that an earlier release was made from together with new rows, by the release's own mapping."""
    _check_certain(before, earlier, manifest, mapping)
    columns = [*policy.quasi_identifiers, *policy.sensitive]
    earlier_rows = count_source(earlier, columns, policy.published_as, policy.person, reading=policy.reading)
    joined = _joined(earlier_rows, later)
    hierarchies = build_all(policy, by_value(columns, joined))
    width = len(policy.quasi_identifiers)
    sensitive = dict(zip(policy.sensitive, hierarchies[width:], strict=True))
    when = build(_WHEN, {_EARLIER: 1, _LATER: 1}, Flat())
    f = frequency_set(joined, hierarchies[:width], {**sensitive, _WHEN: when})
    apart = f.by_person
    person = np.arange(f.rows, dtype=np.int32)
    if apart.owners is None:  # everybody has one row in both together: row by row then
        apart = replace(
            f,
            codes=tuple(np.repeat(codes, f.counts) for codes in f.codes),
            sensitive={name: np.repeat(codes, f.counts) for name, codes in f.sensitive.items()},
            counts=np.ones(f.rows, dtype=np.int64),
        )
    else:
        person = apart.owners.person
    plan = recode(apart, mapping)
    texts = texts_of(plan)
    new = apart.sensitive[_WHEN] == when.index[_LATER]
    published = set(before.texts())
    known = np.array([text in published for text in texts], dtype=np.bool_)
    group = np.where((plan.group == SUPPRESSED) | (~new & ~known[plan.group]), SUPPRESSED, plan.group)
    return BothTables(apart, person, group, new, texts)


def texts_of(plan: Recoding) -> tuple[Texts, ...]:
    """What each group of a plan publishes."""
    columns = []
    for d in range(len(plan.frequency.hierarchies)):
        texts, of_group = published_values(plan, d)
        columns.append([texts[i] for i in of_group.tolist()])
    return tuple(zip(*columns, strict=True))


def _check_certain(before: Recoded, earlier: Any, manifest: Manifest, mapping: Mapping[str, Any]) -> None:
    """Refuse to guess whose rows stand in the earlier release."""
    table = read_source(earlier, manifest, rules=True)
    standing = standing_in(before, table, mapping, int(manifest["rows"]["suppressed"]))
    if table.rows == manifest["rows"]["source"] and (standing is None or standing.certain.all()):
        return
    rule = "does not tell whose rows stand in the earlier release: it is another table, or its groups overlap"
    repair = "give the table that it was made from, or publish old and new rows together as a new release"
    raise DiscreetError(Mistake("earlier source", rule, repair))


def _joined(earlier: Frequencies, later: Frequencies) -> Frequencies:
    """Two tables under each other, with a last column that says which is which."""
    values, codes = [], []
    for one, other, a, b in zip(earlier.values, later.values, earlier.codes, later.codes, strict=True):
        number = {value: i for i, value in enumerate(dict.fromkeys([*one, *other]))}
        values.append(tuple(number))
        mine, theirs = (np.array([number[value] for value in some], dtype=np.int32) for some in (one, other))
        codes.append(np.concatenate([mine[a], theirs[b]]))
    names, rank = in_order([earlier.names, later.names])
    first = len(earlier.names)
    nobody = np.full(1, -1, dtype=np.int32)
    person = np.concatenate(
        [
            np.concatenate([of, nobody])[some.person]  # −1 is the last
            for of, some in ((rank[:first], earlier), (rank[first:], later))
        ]
    )
    when = np.repeat(np.arange(2, dtype=np.int32), [len(earlier.counts), len(later.counts)])
    return Frequencies(
        (*values, (_EARLIER, _LATER)),
        (*codes, when),
        np.concatenate([earlier.counts, later.counts]),
        person,
        names,
    )
