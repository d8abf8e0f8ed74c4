"""Larger groups for people who are likely to have a protected value: several of them, drawn nearly like everybody.

In a group of m who have a value she believes what she believed before, if as many are expected to have it by what she
knew; so, many who are likely to have it can stand together, and each brings what hides the others. All others of the
group share one unprotected value, so that its worlds can be counted. With odds q of having one of the group's protected
values (against all others, or against that one value), she believes about λ q / (1 + λ q) of each, with λ such that
these add up to m. Nobody may be believed more than max(1/r, P): that caps λ, for every attribute set, both ways. This
guides; the exact verdict decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import BoolArray, IntArray
from discreet.search.art.draft import Draft, Gathered, gathered
from discreet.search.art.tree import take_all

TOGETHER = (8, 16, 32)  # people with a protected value in a group
_ROOM = 30  # rows of a group for each of them, times what r asks for at least, at most
_CANDIDATES = 2000
_AT_ONCE = 4  # people who join together
_SPARE = (0.02, 0.08, 0.2)  # by how much more is asked for, since it is an estimate
_VALUES = 4  # unprotected values that are tried
_LIKELY = 0.05  # what it costs to take somebody who is likely to have a protected value
_FREE, _HIGHEST = np.float32(1e15), np.float32(1e9)  # of odds and caps that don't matter

Odds = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Weights:
    """Of some people, by attribute set and both ways: the odds, and the largest λ that each of them allows."""

    odds: Odds
    cap: Odds


def pool_the_likely(draft: Draft) -> None:
    """Groups of many for everybody with a protected value who has none yet."""
    for many in TOGETHER:
        rows = np.flatnonzero(draft.protected & (draft.stock.left > 0))
        rows = rows[np.argsort(draft.index.place[draft.table.kind[rows]], kind="stable")]
        seeds = np.repeat(rows, draft.stock.left[rows])
        blocks = np.array_split(seeds, max(len(seeds) // many, 1)) if len(seeds) else []
        for block in blocks:
            group = _pooled(draft, block)
            if group is not None:
                take_all(draft.table, draft.index, draft.stock, group.rows, 1)
                draft.merges += len(group.rows) - 1
                draft.parts.append(group)
            draft.tell()


def _pooled(draft: Draft, holders: IntArray) -> Gathered | None:
    """The smallest group that is found for these people; None if none is."""
    t, left = draft.table, draft.stock.left
    free = np.flatnonzero((left > 0) & ~draft.protected)
    if not len(free):
        return None
    supply = np.bincount(t.values[free], weights=left[free], minlength=len(t.set_offsets) - 1)
    here = float(np.mean(draft.index.place[t.kind[holders]]))
    for y in np.argsort(-supply, kind="stable")[:_VALUES].tolist():
        own = free[t.values[free] == y]
        own = own[np.argsort(np.abs(draft.index.place[t.kind[own]] - here), kind="stable")][: 4 * _CANDIDATES]
        own = np.sort(own[np.linspace(0, len(own) - 1, min(len(own), _CANDIDATES)).astype(np.int64)])
        rows = np.repeat(own, np.minimum(left[own], _AT_ONCE))
        for spare in _SPARE:
            chosen = _grown(draft, holders, rows, y, spare)
            if chosen is None:
                break
            group = gathered(np.array([len(holders) + len(chosen)]), np.concatenate([holders, chosen]))
            if draft.holds(group)[0]:
                return group
    return None


def _grown(draft: Draft, holders: IntArray, rows: IntArray, y: int, spare: float) -> IntArray | None:
    """Companions for these people, among these rows with the value y: whoever brings most of what is missing first."""
    many, most = len(holders), int(_ROOM * draft.least * len(holders) / 10)
    base, others = _weights(draft, holders, holders, y), _weights(draft, rows, holders, y)
    if not np.isfinite(base.odds[base.cap < _FREE]).all():  # somebody surely has not y
        return None
    cap = np.minimum(base.cap.min(axis=0), _HIGHEST)
    able: BoolArray = np.logical_and.reduce(np.isfinite(others.odds), axis=1)
    odds, caps = np.where(able[:, None], others.odds, 0), others.cap
    wanted, least = np.float32(many * (1 + spare)), int(np.ceil(draft.r * many))
    inside = np.zeros(len(rows), dtype=np.bool_)
    costs = _LIKELY * draft.most_likely(rows)  # others need the likely ones, too
    while True:
        picked = np.flatnonzero(inside)
        members = np.minimum(np.concatenate([base.odds, odds[picked]]), _FREE) * cap
        total = (members / (1 + members)).sum(axis=0, dtype=np.float32)
        size = many + len(picked)
        if size >= least and (total >= wanted).all():
            return rows[picked]
        if size >= most:
            return None
        new = np.minimum(cap, caps)
        joined = new * odds
        after = total * (new / cap) + joined / (1 + joined)
        missing = np.maximum(1 - after / wanted, 0).sum(axis=1) + costs
        missing[inside | ~able] = np.inf
        best = np.argpartition(missing, min(_AT_ONCE, len(missing) - 1))[:_AT_ONCE]
        best = best[np.isfinite(missing[best])]
        if not len(best):
            return None
        inside[best] = True
        cap = np.minimum(cap, caps[best].min(axis=0))


def _weights(draft: Draft, rows: IntArray, holders: IntArray, y: int) -> Weights:
    """The odds of people to have one of the holders' values: against y, and of their sets against everything else."""
    t, r = draft.table, np.float32(draft.r)
    at = t.signatures[t.kind[rows]]
    values, counts = np.unique(t.values[holders], return_counts=True)
    rarity = counts / np.maximum(t.chances[t.signatures[t.kind[holders]]][:, :, values].mean(axis=(0, 1)), 1e-9)
    rarity /= rarity.mean()
    before = np.max([t.inside[at, v] for v in values], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        full = (t.chances[at][:, :, values] * rarity.astype(np.float32)).sum(axis=2) / t.chances[at, y]
        two = before / (1 - before)
        limit = np.maximum(before, 1 / r)
        allowed = limit / (1 - limit)
        caps = [np.where(before >= 1, np.inf, allowed / np.maximum(q, 1e-30)) for q in (full, two)]
    odds = np.concatenate([full, two], axis=1)
    odds = np.where(np.isnan(odds), np.inf, odds).astype(np.float32)
    return Weights(odds, np.minimum(np.concatenate(caps, axis=1), _FREE).astype(np.float32))
