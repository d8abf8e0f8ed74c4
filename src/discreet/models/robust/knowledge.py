"""What a worst-case adversary knows beforehand: how likely people of each kind are to have each sensitive value.

Wong, Fu, Wang, Xu, Pei & Yu: for a set of quasi-identifiers, a *signature* is a combination of their values; she knows
the distribution p(s : x) of the sensitive values x among people of every signature s, of every attribute set.

By default it is the table's own distribution. A signature that few rows have says more about these rows than about
people like them, and nobody but the publisher could know it: below `min_support` rows she takes its people for
anybody, of whom she knows the distribution in the whole table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb
from weakref import WeakKeyDictionary

import numpy as np

from discreet.arrays import Codes, FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import Mistake, PolicyError, did_you_mean, shown

MIN_SUPPORT = 30
ALL_SUBSETS_UP_TO = 5  # quasi-identifiers
MOST_SETS = 200  # beyond, subsets of fewer attributes
ANYBODY = 0

_KEYS = 1 << 62  # mixed-radix keys stay below
_DENSE = 1 << 22  # up to here a key is looked up in a table of all of them

AttributeSet = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Finder:
    """Finds the number of each signature of one attribute set: its place among the known ones, from 1; else 0.

    A signature is a mixed-radix key of its leaf numbers. Where the keys would not fit into 63 bits, those of the
    attributes so far are replaced by their rank among the known ones (`ranks`).
    """

    attributes: AttributeSet
    radices: tuple[int, ...]
    ranks: tuple[IntArray | None, ...]
    keys: IntArray  # of signature 1, 2, …, ascending

    @classmethod
    def of(cls, attributes: AttributeSet, radices: tuple[int, ...], codes: Sequence[Codes]) -> tuple[Finder, IntArray]:
        """The finder of all the signatures in these columns (one per attribute of the set), and their numbers."""
        from discreet.counts.kernels import group_equal  # late: reading a policy should not wait for numba

        key, span, ranks = np.zeros(len(codes[0]) if codes else 1, dtype=np.int64), 1, []
        for column, radix in zip(codes, radices, strict=True):
            known = None
            if span * radix >= _KEYS:
                known, key = np.unique(key, return_inverse=True)
                span = len(known)
            ranks.append(known)
            key = key * radix + column
            span *= radix
        signature, first = group_equal(key.astype(np.uint64))
        order = np.argsort(key[first])
        number = np.empty(len(first), dtype=np.int64)
        number[order] = np.arange(1, len(first) + 1)
        return cls(attributes, radices, tuple(ranks), key[first][order]), number[signature]

    def only(self, kept: IntArray) -> Finder:
        """The same for some of its signatures (counted from 0), numbered anew."""
        return Finder(self.attributes, self.radices, self.ranks, self.keys[kept])

    def __call__(self, codes: Sequence[Codes]) -> IntArray:
        """The number of each person's signature; `codes` has a column for every quasi-identifier."""
        people = len(codes[0]) if codes else 0
        key, unknown = np.zeros(people, dtype=np.int64), np.zeros(people, dtype=np.bool_)
        for a, radix, known in zip(self.attributes, self.radices, self.ranks, strict=True):
            if known is not None:
                rank = np.minimum(np.searchsorted(known, key), len(known) - 1)
                unknown |= known[rank] != key
                key = rank
            key = key * radix + codes[a]
        if self._dense is not None:
            return self._dense[key].astype(np.int64)
        if not len(self.keys):
            return np.zeros(people, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        return np.where(unknown | (self.keys[place] != key), ANYBODY, place + 1)

    @cached_property
    def _dense(self) -> Codes | None:
        span = 1
        for radix in self.radices:
            span *= radix
        if span > _DENSE:
            return None
        table = np.zeros(span, dtype=np.int32)
        table[self.keys] = np.arange(1, len(self.keys) + 1)
        return table


NOTHING = Finder((), (), (), np.zeros(0, dtype=np.int64))  # of the empty set: everybody is anybody


@dataclass(frozen=True, eq=False)
class Knowledge:
    """For every attribute set, how likely people of each signature are to have each sensitive value: p(s : x).

    `sets` are positions of quasi-identifiers. For each, p = `counts` / `supports`, exactly: whole numbers, a row per
    signature and a column per leaf of the sensitive attribute. Row 0 is anybody. There is always at least one set: the
    empty one, where she knows nothing of anybody in particular.
    """

    sets: tuple[AttributeSet, ...]
    finders: tuple[Finder, ...]
    rows: IntArray  # the counts of all sets, one below the other
    totals: IntArray  # what to divide each of these rows by
    starts: IntArray  # the first row of each set, and the end

    @cached_property
    def counts(self) -> tuple[IntArray, ...]:
        """Per set, a row per signature and a column per leaf of the sensitive attribute."""
        return tuple(self.rows[a:b] for a, b in pairwise(self.starts.tolist()))

    @cached_property
    def supports(self) -> tuple[IntArray, ...]:
        """Per set, how many each signature's counts are out of."""
        return tuple(self.totals[a:b] for a, b in pairwise(self.starts.tolist()))

    @cached_property
    def shares(self) -> tuple[FloatArray, ...]:
        """p(s : x) per set, rounded."""
        return tuple(c / s[:, None] for c, s in zip(self.counts, self.supports, strict=True))

    def signatures(self, codes: Sequence[Codes]) -> IntArray:
        """For every set (row) and person (column), which row of `counts` is meant; `codes` as in `People`."""
        people = len(codes[0]) if codes else 0
        signatures = np.empty((len(self.sets), people), dtype=np.int64)
        for i, finder in enumerate(self.finders):
            signatures[i] = finder(codes)
        return signatures


def table_knowledge(
    frequency: FrequencySet,
    attribute: str,
    sets: Iterable[Sequence[str]] | None = None,
    min_support: int = MIN_SUPPORT,
) -> Knowledge:
    """The table's own distribution of a sensitive attribute, for every signature that enough rows have.

    `sets` are names of quasi-identifiers; None stands for `default_sets`. A set none of whose signatures has enough
    support adds nothing and is left out. Made once per table.
    """
    key = (attribute, None if sets is None else tuple(tuple(s) for s in sets), min_support)
    made = _MADE.setdefault(frequency, {})
    if key not in made:
        made[key] = _of_table(frequency, attribute, positions(key[1], frequency.attributes), min_support)
    return made[key]


_MADE: WeakKeyDictionary[FrequencySet, dict[object, Knowledge]] = WeakKeyDictionary()


def default_sets(attributes: int) -> tuple[AttributeSet, ...]:
    """The attribute sets she knows about where none are named.

    All non-empty subsets of up to 5 quasi-identifiers; of more, those of at most 3 of them and the whole set (of at
    most 2, or single ones, if these are more than 200).

    >>> default_sets(2)
    ((0,), (1,), (0, 1))
    >>> [len(default_sets(n)) for n in (5, 6, 8, 10, 11, 30)]
    [31, 42, 93, 176, 67, 31]
    """
    largest = attributes
    if attributes > ALL_SUBSETS_UP_TO:
        sizes = (3, 2, 1)
        largest = next((k for k in sizes if sum(comb(attributes, i) for i in range(1, k + 1)) < MOST_SETS), 1)
    sets = [s for size in range(1, largest + 1) for s in combinations(range(attributes), size)]
    return tuple(sets if largest == attributes else [*sets, tuple(range(attributes))])


def positions(sets: Sequence[Sequence[str]] | None, attributes: Sequence[str]) -> tuple[AttributeSet, ...]:
    """Named attribute sets as positions, each once; the default ones for None."""
    if sets is None:
        return default_sets(len(attributes))
    strange = [name for s in sets for name in s if name not in attributes]
    if strange:
        mistakes = [
            Mistake("robust.attribute_sets", f"no such quasi-identifier {shown(name)}", did_you_mean(name, attributes))
            for name in dict.fromkeys(strange)
        ]
        raise PolicyError(*mistakes)
    return tuple(dict.fromkeys(tuple(sorted({attributes.index(name) for name in s})) for s in sets if s))


def _of_table(frequency: FrequencySet, attribute: str, sets: Sequence[AttributeSet], min_support: int) -> Knowledge:
    values, leaves = frequency.sensitive[attribute], len(frequency.sensitive_hierarchies[attribute].leaves)
    anybody = frequency.totals[attribute][None, :]
    parts = []
    for s in sets:
        radices = tuple(len(frequency.hierarchies[a].leaves) for a in s)
        finder, number = Finder.of(s, radices, [frequency.codes[a] for a in s])
        support = np.bincount(number - 1, weights=frequency.counts, minlength=len(finder.keys))
        kept = np.flatnonzero(support >= min_support)
        if not len(kept):
            continue
        row = np.full(len(support), -1, dtype=np.int64)
        row[kept] = np.arange(len(kept))
        row = row[number - 1]
        there = row >= 0
        counts = np.bincount(
            row[there] * leaves + values[there], weights=frequency.counts[there], minlength=len(kept) * leaves
        ).astype(np.int64)
        rows = np.concatenate([anybody, counts.reshape(len(kept), leaves)])
        parts.append((s, rows, np.maximum(rows.sum(axis=1), 1), finder.only(kept)))
    if not parts:
        parts = [((), anybody, np.maximum(anybody.sum(axis=1), 1), NOTHING)]
    return knowledge_of_sets(parts)


def knowledge_of_sets(parts: Sequence[tuple[AttributeSet, IntArray, IntArray, Finder]]) -> Knowledge:
    """Knowledge from each set's counts (a row per signature, that of anybody first), their supports and finder."""
    starts = np.cumsum([0, *(len(counts) for _, counts, _, _ in parts)], dtype=np.int64)
    rows = np.concatenate([counts for _, counts, _, _ in parts])
    supports = np.concatenate([support for _, _, support, _ in parts])
    return Knowledge(tuple(s for s, _, _, _ in parts), tuple(f for _, _, _, f in parts), rows, supports, starts)
