"""Counting the nodes of a lattice: one look-up per raised attribute, then merging, from the nearest finer node.

A group's generalized values are packed into a key of one or more 64-bit words, a bit field per attribute, wide enough
for its leaves. Raising an attribute rewrites its field and merges the groups that have become equal.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, Outside, Tally, Together
from discreet.counts.kernels import Fields, Keys, merge_groups, merge_tallies, smallest_finer
from discreet.counts.owners import OwnedGroups
from discreet.hierarchies.hierarchy import Hierarchy

Node = tuple[int, ...]
_SMALL = 512  # groups; a node with fewer is merged faster than a better starting point is looked for


@dataclass(frozen=True, eq=False)
class Counted:
    """The groups of one node, with the keys that say what each group is."""

    node: Node
    keys: Keys
    groups: Groups

    def memory(self) -> int:
        g = self.groups
        size = self.keys.nbytes + g.sizes.nbytes
        for t in (*g.tallies.values(), g.together, g.wishes):
            if t is not None:
                size += 8 * len(t.offsets) + 12 * len(t.values)
        size += 0 if g.population is None else g.population.nbytes
        size += 0 if g.owners is None else g.owners.memory()
        return size + (0 if g.outside is None else 24 * g.outside.low.size)


class RollUp:
    """Counts nodes of the lattice of `frequency`, each from the nearest finer node it still remembers."""

    def __init__(
        self,
        frequency: FrequencySet,
        attributes: Set[str] | None = None,
        memory: int = 400_000_000,
        people_by: Set[str] | None = None,
    ):
        self.frequency = frequency
        # Only these sensitive attributes are tallied (None: all); a promise about sizes alone needs none.
        self._tallied = frequency.sensitive.keys() if attributes is None else attributes
        self._people_tallied = self._tallied if people_by is None else people_by  # the same for people
        self._hierarchies = frequency.hierarchies
        self._words, self.fields = _layout(self._hierarchies)
        # The changes of all climbs, one after the other, as they are taken.
        room = sum((h.height - level) * len(h.labels[level]) for h in self._hierarchies for level in range(h.height))
        self._changes, self._written = np.empty(room, dtype=np.uint64), 0
        self._starts: dict[tuple[int, int, int], int] = {}
        # Nodes that agree on the attributes with most values share a starting point: those raised, the others not.
        # On the searches of Adult (7 quasi-identifiers) that is 2 to 3.5 times fewer groups to merge.
        by_size = sorted(range(len(self._hierarchies)), key=lambda d: -len(self._hierarchies[d].leaves))
        self._large = frozenset(by_size[: round(0.4 * len(by_size))])
        # Remembered nodes, side by side: what was counted, the node, how many groups it has, when it last served.
        self._cache: dict[Node, Counted] = {}
        self._counts: list[Counted] = []
        self._memory = memory
        self._nodes = np.empty((64, len(self._hierarchies)), dtype=np.int16)
        self._lengths = np.empty(64, dtype=np.int64)
        self._served = np.empty(64, dtype=np.int64)
        self._clock = 0
        # For every combination of the frequency set, where it stands in the finest node, which is never forgotten.
        finest, group = self._finest()
        self._row_group = group[: len(frequency.counts)]
        self._remember(finest)

    def groups(self, node: Node) -> Counted:
        """The groups of `node`."""
        known = self._cache.get(node)
        if known is not None:
            return known
        finer = self._nearest(node)
        if len(finer.groups) > _SMALL:
            waypoint = tuple(level if d in self._large else 0 for d, level in enumerate(node))
            if waypoint not in self._cache and waypoint != node:
                finer = self._count(self._nearest(waypoint), waypoint)
        return self._count(finer, node)

    def _count(self, finer: Counted, node: Node) -> Counted:
        result = self.coarser(finer, node)
        self._remember(result)
        return result

    def coarser(self, counted: Counted, node: Node) -> Counted:
        """The groups of `node`, merged from those of a finer node; nothing is remembered."""
        keys, group, sizes = self._merge_keys(counted, node)
        return self._counted(node, keys, merged_groups(counted.groups, group, sizes))

    def group_of_rows(self, node: Node) -> tuple[Counted, Codes]:
        """The groups of `node`, and for every combination of the frequency set the group it falls in."""
        # Groups are numbered by their first row, whichever finer node they were merged from.
        _, group, _ = self._merge_keys(self._counts[0], node)
        return self.groups(node), group.take(self._row_group)

    def codes(self, counted: Counted, attribute: int, which: IntArray | None = None) -> IntArray:
        """The generalized value of `attribute` in each group (or only in the groups `which`)."""
        word = counted.keys[self.fields.word[attribute]]
        word = word if which is None else word[which]
        codes: IntArray = ((word >> self.fields.shift[attribute]) & self.fields.mask[attribute]).astype(np.int64)
        return codes

    def _finest(self) -> tuple[Counted, Codes]:
        """The finest node, and where every combination stands in it; then those of the population, if any."""
        zero = (0,) * len(self._hierarchies)
        rows = self._row_state(zero)
        keys, group, sizes = self._merge_keys(rows, zero)
        groups = replace(merged_groups(rows.groups, group, sizes), owners=self._owners(group, len(sizes)))
        return self._counted(zero, keys, groups), group

    def _row_state(self, zero: Node) -> Counted:
        """Every combination as a group of its own: where all counting starts. Then those of the population, if any."""
        f = self.frequency
        n = len(f.counts)
        sizes, population = f.counts, None
        if f.population is not None:
            people = f.population
            sizes = np.concatenate([f.counts, np.zeros_like(people.counts)])
            population = np.concatenate([np.zeros_like(f.counts), people.counts])
        keys = np.zeros((self._words, len(sizes)), dtype=np.uint64)
        self._fill(keys[:, :n], f.codes)
        if f.population is not None:
            self._fill(keys[:, n:], f.population.codes)
        offsets = np.minimum(np.arange(len(sizes) + 1, dtype=np.int64), n)
        tallies = {
            name: Tally(offsets, codes, f.counts, f.totals[name], f.sensitive_hierarchies[name])
            for name, codes in f.sensitive.items()
            if name in self._tallied
        }
        joint = f.joint
        together = None if joint is None else Together(offsets, joint.codes, f.counts, joint)
        wishes = f.wishes
        if wishes is not None and len(sizes) > n:  # those of the population say nothing
            nothing = np.full(len(sizes) - n, wishes.offsets[-1])
            wishes = replace(wishes, offsets=np.concatenate([wishes.offsets, nothing]))
        return Counted(zero, keys, Groups(sizes, tallies, population=population, together=together, wishes=wishes))

    def _fill(self, keys: Keys, columns: Sequence[Codes]) -> None:
        """Write each attribute's codes into its field of the keys."""
        for word, shift, codes in zip(self.fields.word, self.fields.shift, columns, strict=True):
            keys[word] |= codes.astype(np.uint64) << shift

    def _nearest(self, node: Node) -> Counted:
        """The finer node with the fewest groups among those remembered."""
        best: int = smallest_finer(self._nodes, self._lengths, len(self._cache), np.array(node, dtype=np.int16))
        self._clock += 1
        self._served[best] = self._clock
        return self._counts[best]

    def _merge_keys(self, finer: Counted, node: Node) -> tuple[Keys, Codes, IntArray]:
        """The keys of a node's groups, which of them each group of a finer node becomes, and their sizes."""
        starts = [
            -1 if lower == upper else self._start(d, lower, upper)
            for d, (lower, upper) in enumerate(zip(finer.node, node, strict=True))
        ]
        merged: tuple[Keys, Codes, IntArray] = merge_groups(
            finer.keys, self.fields, finer.groups.sizes, np.array(starts, dtype=np.int64), self._changes
        )
        return merged

    def _counted(self, node: Node, keys: Keys, groups: Groups) -> Counted:
        counted = Counted(node, keys, groups)
        if self.frequency.marginals is None:
            return counted
        return replace(counted, groups=replace(groups, outside=self._outside(counted)))

    def _owners(self, group: Codes, groups: int) -> OwnedGroups | None:
        """Whose rows stand in which group, where `group` is that of each combination: counted place by place."""
        places = self.frequency.owned_places
        if places is None:
            return None
        tallies = {name: t for name, t in places.tallies.items() if name in self._people_tallied}
        to = np.empty(len(places.settled), dtype=np.int32)
        to[self.frequency.places] = group[: len(self.frequency.counts)]
        return replace(places, tallies=tallies).merged(to, groups)

    def _outside(self, counted: Counted) -> Outside:
        """What each group shows, for promises that look at marginals."""
        assert self.frequency.marginals is not None
        low = np.empty((len(counted.groups), len(counted.node)), dtype=np.int32)
        high = np.empty_like(low)
        for d, (h, level) in enumerate(zip(self._hierarchies, counted.node, strict=True)):
            codes = self.codes(counted, d)
            low[:, d], high[:, d] = h.first[level][codes], h.last[level][codes]
        return Outside(low, high, self.frequency.marginals)

    def _start(self, attribute: int, lower: int, upper: int) -> int:
        """Where the bits of an attribute's field that change in a climb stand among the changes, value by value.

        They are written when a climb is first taken: a search that counts few nodes takes few of them.
        """
        climb = attribute, lower, upper
        start = self._starts.get(climb)
        if start is None:
            start = self._starts[climb] = self._written
            after = self._hierarchies[attribute].climb(lower, upper)
            flipped = (np.arange(len(after)) ^ after).astype(np.uint64) << self.fields.shift[attribute]
            self._written += len(after)
            self._changes[start : self._written] = flipped
        return start

    def _remember(self, counted: Counted) -> None:
        """Keep it as a starting point for coarser nodes; when memory runs out, forget what served longest ago."""
        need = counted.memory()
        while self._memory < need and len(self._cache) > 1:
            self._forget(1 + int(np.argmin(self._served[1 : len(self._cache)])))  # never the finest node
        if self._memory < need and self._cache:
            return
        self._memory -= need
        at = len(self._cache)
        if at == len(self._lengths):
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._lengths = np.concatenate([self._lengths, np.empty_like(self._lengths)])
            self._served = np.concatenate([self._served, np.empty_like(self._served)])
        self._nodes[at], self._lengths[at], self._served[at] = counted.node, len(counted.groups), self._clock
        self._cache[counted.node] = counted
        self._counts.append(counted)

    def _forget(self, at: int) -> None:
        """Give a remembered node's memory back; the last one takes its place."""
        self._memory += self._cache.pop(self._counts[at].node).memory()
        last = len(self._cache)
        self._counts[at] = self._counts[last]
        self._counts.pop()
        for column in (self._nodes, self._lengths, self._served):
            column[at] = column[last]


def _layout(hierarchies: Sequence[Hierarchy]) -> tuple[int, Fields]:
    """Give every attribute a bit field, and a new word when the current one is full; how many words that takes."""
    word, shift, mask, used = [-1], [], [], 64
    for h in hierarchies:
        bits = max(1, (len(h.leaves) - 1).bit_length())
        full = used + bits > 63
        used = 0 if full else used
        word.append(word[-1] + full)
        shift.append(used)
        mask.append((1 << bits) - 1)
        used += bits
    fields = Fields(
        np.array(word[1:], dtype=np.int64), np.array(shift, dtype=np.uint64), np.array(mask, dtype=np.uint64)
    )
    return max(word[-1] + 1, 1), fields


def merged_groups(groups: Groups, group: Codes, sizes: IntArray) -> Groups:
    """Groups when each becomes another (`group`), of which there are as many as `sizes`."""
    tallies = {name: _merged(t, group, len(sizes)) for name, t in groups.tallies.items()}
    together = groups.together
    if together is not None:
        j = together.joint
        offsets, values, counts = merge_tallies(
            group, len(sizes), together.offsets, together.values, together.counts, len(j)
        )
        together = Together(offsets, values, counts, j)
    population = groups.population
    if population is not None:
        population = np.bincount(group, weights=population, minlength=len(sizes)).astype(np.int64)
    owners = None if groups.owners is None else groups.owners.merged(group, len(sizes))
    wishes = None if groups.wishes is None else _merged(groups.wishes, group, len(sizes))
    return Groups(sizes, tallies, population=population, together=together, owners=owners, wishes=wishes)


def _merged(t: Tally, group: Codes, groups: int) -> Tally:
    offsets, values, counts = merge_tallies(group, groups, t.offsets, t.values, t.counts, len(t.reference))
    return Tally(offsets, values, counts, t.reference, t.hierarchy)
