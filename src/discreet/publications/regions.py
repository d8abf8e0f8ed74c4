"""What the published groups of a recoded table stand for: runs of leaves per attribute, by the release's own mapping.

So anybody who knows a person's quasi-identifiers can find the group that this person would be in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.coding import leaf_numbers
from discreet.counts.frequency import FrequencySet, Population
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.publications.mapping import boxes_of_groups, mapped_groups
from discreet.publications.published import AGAIN, hierarchy_in_words

_STRANGE = Mistake("mapping.json", "is not the mapping of this release", AGAIN)
SEVERAL = -2  # the group of whoever falls in more than one
# What reading a mapping that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True, eq=False)
class Regions:
    """Boxes of leaves ``low[i, d]..high[i, d]``, each of a published group; the boxes of a group don't overlap."""

    low: Codes
    high: Codes
    group: IntArray
    groups: int

    def hull(self) -> tuple[Codes, Codes]:
        """Per group the first and the last leaf of each attribute; a group without boxes has none."""
        low = np.full((self.groups, self.low.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full_like(low, -1)
        np.minimum.at(low, self.group, self.low)
        np.maximum.at(high, self.group, self.high)
        return low, high

    def people(self, population: Population, hierarchies: Sequence[Hierarchy]) -> tuple[IntArray, int]:
        """How many people fall in each group, and how many fall in more than one."""
        owner = self.group_of(population.codes, len(population.counts), hierarchies)
        inside = owner >= 0
        inhabitants = np.bincount(owner[inside], weights=population.counts[inside], minlength=self.groups)
        return inhabitants.astype(np.int64), int(population.counts[owner == SEVERAL].sum())

    def group_of(self, codes: Sequence[Codes], combinations: int, hierarchies: Sequence[Hierarchy]) -> IntArray:
        """The group that each combination falls in; −1 if in none, SEVERAL if in more than one."""
        from discreet.publications.region_kernels import owners  # late: most re-checks need no compiled code

        if not len(hierarchies) or not len(self.low):
            return np.full(combinations, -1, dtype=np.int64)
        leaves = np.array([len(h.leaves) for h in hierarchies], dtype=np.int64)
        narrow = np.argsort(((self.high - self.low + 1) / leaves).sum(axis=0))
        columns = np.stack([codes[d] for d in narrow], axis=1)
        owner: IntArray = owners(columns, self.low[:, narrow], self.high[:, narrow], self.group, leaves[narrow])
        return owner


def groups_of_rows(table: FrequencySet, mapping: Mapping[str, Any], texts: Sequence[tuple[Value, ...]]) -> IntArray:
    """The published group that each combination of the source falls in; −1 if in none, SEVERAL if in more than one.

    By the rules that the mapping tells: the source may have been read by others, of which the release tells less.
    """
    words = mapping["hierarchies"]
    told = [hierarchy_in_words(h.attribute, words[h.attribute], h.leaves) for h in table.hierarchies]
    codes = [
        leaf_numbers(rule, own.leaves)[c] for rule, own, c in zip(told, table.hierarchies, table.codes, strict=True)
    ]
    return regions(told, mapping, texts).group_of(codes, len(table.counts), told)


def regions(
    hierarchies: Sequence[Hierarchy], mapping: Mapping[str, Any], texts: Sequence[tuple[Value, ...]]
) -> Regions:
    """Where the published groups lie, given by what they publish of each attribute."""
    try:
        placed = _by_level(hierarchies, mapping, texts) if "levels" in mapping else _by_box(hierarchies, mapping, texts)
    except _NOT_OURS:
        raise DataError(_STRANGE) from None
    return placed


def _by_level(hierarchies: Sequence[Hierarchy], mapping: Mapping[str, Any], texts: Sequence[Any]) -> Regions:
    """Every group is a box of nodes, one of the published level of each attribute."""
    low = np.zeros((len(texts), len(hierarchies)), dtype=np.int32)
    high = np.full_like(low, -1)
    known = np.ones(len(texts), dtype=np.bool_)
    for d, h in enumerate(hierarchies):
        level = mapping["levels"][h.attribute]
        if not 0 <= level <= h.height:
            raise DataError(_STRANGE)
        names = {name: code for code, name in enumerate(h.labels[level])}
        codes = np.array([names.get(text[d], -1) for text in texts], dtype=np.int64)
        known &= codes >= 0
        low[:, d], high[:, d] = h.first[level][codes], h.last[level][codes]
    return Regions(low[known], high[known], np.flatnonzero(known), len(texts))


def _by_box(hierarchies: Sequence[Hierarchy], mapping: Mapping[str, Any], texts: Sequence[Any]) -> Regions:
    """The published groups are listed, with what their texts stand for."""
    number = {text: i for i, text in enumerate(texts)}
    groups = mapped_groups(mapping, [h.attribute for h in hierarchies])
    listed = groups.texts()
    # A group that nobody is in tells that nobody is there: more than the table does.
    mistakes = [
        Mistake("mapping.json", f"{rule} ({many:,})", AGAIN)
        for many, rule in [
            (len(set(listed) - number.keys()), "lists groups that the table does not have"),
            (len(number.keys() - set(listed)), "lacks groups of the published table"),
        ]
        if many
    ]
    if mistakes:
        raise DataError(*mistakes)
    low, high, of_box = boxes_of_groups(hierarchies, groups)
    group = np.array([number[text] for text in listed], dtype=np.int64)[of_box]
    return Regions(low, high, group, len(texts))
