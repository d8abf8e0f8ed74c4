"""Cutting groups in parts, along their widest side, as long as all parts keep the promises.

All pieces propose their cuts at the same time, and one call to the models judges them all.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.arrays import BoolArray, Codes, IntArray
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.progress import Progress, silent
from discreet.search.multidimensional.partition import Partition, hold
from discreet.search.plan import Problem


def cut_down(problem: Problem, start: Partition, progress: Progress = silent) -> Partition:
    """Cut every group of `start` (which must hold) until no cut leaves only parts that hold."""
    group, groups = start.group.copy(), start.groups
    tried = np.zeros(groups, dtype=np.int64)  # how many attributes of a group could not be cut, the widest first
    cuttable = np.arange(groups)
    while len(cuttable):
        number = np.full(groups, -1, dtype=np.int64)
        number[cuttable] = np.arange(len(cuttable))
        members = np.flatnonzero(number[group] >= 0)
        pieces = replace(start, row=start.row[members], count=start.count[members], group=number[group[members]])
        progress("search", start.frequency.rows - pieces.count.sum(), start.frequency.rows, f"{groups:,} groups")
        part, of_group, proposed = propose(pieces, tried[cuttable])
        part, cut = judge_cuts(problem, pieces, part, of_group)
        # The first part of a cut piece keeps its number, the others get new ones.
        kept = np.unique(part)
        later = kept[1:][of_group[kept[1:]] == of_group[kept[:-1]]]
        fresh = later[cut[of_group[later]]]
        label = np.full(len(of_group), -1, dtype=np.int64)
        label[fresh] = groups + np.arange(len(fresh))
        moves = label[part] >= 0
        group[members[moves]] = label[part[moves]]
        tried[cuttable] = np.where(cut, 0, tried[cuttable] + 1)
        tried = np.concatenate([tried, np.zeros(len(fresh), dtype=np.int64)])
        cuttable = np.concatenate([cuttable[proposed], label[fresh]])
        groups += len(fresh)
    return replace(start, group=group)


def propose(pieces: Partition, tried: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """One cut for each piece, along the widest attribute that was not yet tried.

    Returns the part of each member, the piece of each part, and whether there was anything left to propose; a piece
    without a proposal is one part.
    """
    hierarchies = pieces.frequency.hierarchies
    low, high = pieces.covers
    share = (high - low) / np.array([max(len(h.leaves) - 1, 1) for h in hierarchies])
    widest = np.argsort(-share, axis=1, kind="stable")
    proposed = tried < (share > 0).sum(axis=1)
    attribute = widest[np.arange(len(tried)), np.where(proposed, tried, 0)] if len(hierarchies) else tried
    side = np.zeros(len(pieces.group), dtype=np.int64)
    for d, h in enumerate(hierarchies):
        here = np.flatnonzero((proposed & (attribute == d))[pieces.group])
        if len(here):
            leaf = pieces.frequency.codes[d][pieces.row[here]]
            group = pieces.group[here]
            ends = low[group, d], high[group, d]
            if not h.ranges:
                side[here] = children(h, leaf, *ends)
            elif not h.unit:
                side[here] = leaf > _median(leaf, pieces.count[here], group, len(tried))[group]
            else:  # between two values of that level, or one of them into what it is made of
                unit, (first, last) = h.codes[h.unit], (h.codes[h.unit][end] for end in ends)
                median = _median(unit[leaf], pieces.count[here], group, len(tried))
                side[here] = np.where(first != last, unit[leaf] > median[group], children(h, leaf, *ends))
    width = max((len(h.leaves) for h in hierarchies), default=1)
    keys, part = np.unique(pieces.group * width + side, return_inverse=True)
    return part.reshape(-1), keys // width, proposed


def _median(leaf: Codes, count: IntArray, piece: IntArray, pieces: int) -> IntArray:
    """Per piece, the last leaf of the lower part of the cut that comes closest to halves, both parts non-empty."""
    order = np.lexsort((leaf, piece))
    leaf, piece = leaf[order].astype(np.int64), piece[order]
    running = np.cumsum(count[order])
    ends = np.searchsorted(piece, np.arange(pieces), side="right")
    starts = np.searchsorted(piece, np.arange(pieces))
    before = np.concatenate([[0], running])[starts]
    half = (np.concatenate([[0], running])[ends] - before) / 2
    last = np.flatnonzero(np.append((leaf[1:] != leaf[:-1]) | (piece[1:] != piece[:-1]), True))
    last = last[np.append(piece[last][1:] == piece[last][:-1], False)]  # all but the last leaf of each piece
    off = np.abs(running[last] - before[piece[last]] - half[piece[last]])
    best = last[np.lexsort((leaf[last], off, piece[last]))]
    chosen, first = np.unique(piece[best], return_index=True)
    result = np.zeros(pieces, dtype=np.int64)
    result[chosen] = leaf[best[first]]
    return result


def children(hierarchy: Hierarchy, leaf: Codes, low: Codes, high: Codes) -> Codes:
    """The child of the node `low..high` that each leaf is under."""
    child = leaf.copy()
    for level in range(1, hierarchy.height):
        narrower = hierarchy.codes[level][low] != hierarchy.codes[level][high]
        child[narrower] = hierarchy.codes[level][leaf[narrower]]
    return child


def judge_cuts(problem: Problem, pieces: Partition, part: IntArray, of_piece: IntArray) -> tuple[IntArray, BoolArray]:
    """Which pieces may be cut as proposed; parts that fail are pooled as the rest, with as few others as needed."""
    n = len(pieces.covers[0])
    holds = hold(problem, pieces.row, pieces.count, part, len(of_piece))
    failing = np.bincount(of_piece, weights=~holds, minlength=n).astype(np.int64)
    passing = np.bincount(of_piece, weights=holds, minlength=n).astype(np.int64)
    cut = (failing == 0) & (passing > 1)
    # The smallest parts that hold join the rest first.
    sizes = np.bincount(part, weights=pieces.count, minlength=len(of_piece)).astype(np.int64)
    order = np.lexsort((sizes, ~holds, of_piece))
    starts = np.searchsorted(of_piece[order], np.arange(n))
    rank = np.empty(len(of_piece), dtype=np.int64)
    rank[order] = np.arange(len(of_piece)) - starts[of_piece[order]]
    joined = np.where(failing == 1, 1, 0)  # how many parts that hold are in the rest
    rest = np.full(n, -1, dtype=np.int64)
    pooled = np.zeros(len(of_piece), dtype=np.bool_)
    waiting = np.flatnonzero((failing > 0) & (passing > joined))
    while len(waiting):
        in_question = np.zeros(n, dtype=np.bool_)
        in_question[waiting] = True
        pooled = np.where(in_question[of_piece], ~holds | (rank < joined[of_piece]), pooled)
        members = np.flatnonzero((pooled & in_question[of_piece])[part])
        number = np.full(n, -1, dtype=np.int64)
        number[waiting] = np.arange(len(waiting))
        at = number[of_piece[part[members]]]
        good = hold(problem, pieces.row[members], pieces.count[members], at, len(waiting))
        cut[waiting[good]] = True
        joined[waiting[~good]] += 1
        waiting = waiting[~good & (passing[waiting] > joined[waiting])]
    in_rest = np.flatnonzero(pooled & cut[of_piece])
    rest[of_piece[in_rest[::-1]]] = in_rest[::-1]  # the rest goes by the number of its first part
    target = np.arange(len(of_piece))
    target[in_rest] = rest[of_piece[in_rest]]
    return target[part], cut
