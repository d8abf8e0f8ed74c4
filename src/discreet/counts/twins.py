"""What `counts/kernels.py` does, in NumPy: the same answers, for tables that are not worth loading a compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.compiled import Twin

if TYPE_CHECKING:
    from discreet.counts.kernels import Fields, Keys, Levels, Spreads


def _group_equal(keys: Keys) -> tuple[Codes, Codes]:
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(first), dtype=np.int32)
    number[order] = np.arange(len(first), dtype=np.int32)
    return number[group], first[order].astype(np.int32)


def _merge_groups(
    keys: Keys, fields: Fields, sizes: IntArray, starts: IntArray, changes: Keys
) -> tuple[Keys, Codes, IntArray]:
    new = keys.copy()
    for d, start in enumerate(starts.tolist()):
        if start < 0:
            continue
        w = fields.word[d]
        new[w] ^= changes[start + ((keys[w] >> fields.shift[d]) & fields.mask[d]).astype(np.int64)]
    group, first = _group_equal(new[0])
    for word in new[1:]:
        other, _ = _group_equal(word)
        group, first = _group_equal((group.astype(np.uint64) << np.uint64(32)) | other.astype(np.uint64))
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, group, sizes)
    return np.ascontiguousarray(new[:, first]), group, merged


def _smallest_finer(nodes: Levels, lengths: IntArray, known: int, node: Levels) -> int:
    finer = np.flatnonzero((nodes[:known] <= node).all(axis=1))
    return int(finer[lengths[finer].argmin()]) if len(finer) else -1


def _members_by_group(group: Codes, groups: int) -> tuple[IntArray, Codes]:
    start = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=start[1:])
    return start, np.argsort(group, kind="stable").astype(np.int32)


def _merge_tallies(
    group: Codes, groups: int, offsets: IntArray, values: Codes, counts: IntArray, width: int
) -> tuple[IntArray, Codes, IntArray]:
    """Pairs stand in the order of the old groups, so a value's first place says when its new group met it."""
    pairs = slice(offsets[0], offsets[-1])
    key = np.repeat(group.astype(np.int64), np.diff(offsets)) * width + values[pairs]
    there = np.flatnonzero(counts[pairs] > 0)
    merged, first, place = np.unique(key[there], return_index=True, return_inverse=True)
    total = np.zeros(len(merged), dtype=np.int64)
    np.add.at(total, place, counts[pairs][there])
    order = np.lexsort((first, merged // width))
    out_offsets = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(merged // width, minlength=groups), out=out_offsets[1:])
    return out_offsets, (merged % width)[order].astype(np.int32), total[order]


def _suppression(
    keys: Keys,
    fields: Fields,
    spreads: Spreads,
    holds: BoolArray,
    published: BoolArray,
    sizes: IntArray,
    least: IntArray,
    limit: int,
) -> IntArray:
    which, attributes = np.flatnonzero(~(holds & published)), len(fields.word)
    least, gone = least[which], np.where(published, 0, sizes)[which]
    out = np.zeros(3 + 2 * attributes, dtype=np.int64)
    out[:3] = gone.sum(), least.sum(), (least * sizes[which]).sum()
    for d in range(attributes if out[1] <= limit else 0):
        code = ((keys[fields.word[d], which] >> fields.shift[d]) & fields.mask[d]).astype(np.int64)
        gap = spreads.widest[d] - spreads.spread[spreads.starts[d] + code]
        out[3 + d], out[3 + attributes + d] = (gone * gap).sum(), (least * gap).sum()
    return out


CALL = 200  # what a handful of calls of NumPy take by themselves
GROUP_EQUAL = Twin(_group_equal, lambda keys: CALL + len(keys))
MERGE_GROUPS = Twin(_merge_groups, lambda keys, *_: CALL + keys.size)
SMALLEST_FINER = Twin(_smallest_finer, lambda nodes, lengths, known, node: CALL + known // 10)
MEMBERS_BY_GROUP = Twin(_members_by_group, lambda group, _: CALL + len(group))
MERGE_TALLIES = Twin(_merge_tallies, lambda group, groups, offsets, values, *_: CALL + len(group) + 2 * len(values))
SUPPRESSION = Twin(
    _suppression, lambda keys, fields, spreads, holds, *_: CALL + len(holds) * (1 + len(fields.word)) // 10
)
