"""Joining groups: whoever can't be helped by single people asks whole groups.

This is ART's merging as it is printed: the closest group that shares no protected value, then the next, until all hold
together. Several are asked at once, exactly, and the nearest that says yes is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.models.robust.robust import PRIOR
from discreet.search.art.draft import Draft, Gathered, gathered, together
from discreet.search.art.growth import empty_group
from discreet.search.art.hosts import Hosts, kinds_near, nearest_hosts, nothing_found
from discreet.search.art.index import stock_of
from discreet.search.art.people import Table
from discreet.search.art.tree import take_all
from discreet.search.art.weighing import room_for

_KINDS = 128  # nearest kinds whose groups are considered
_WEIGHED = 16  # groups of these that are weighed
_ASKED = 4  # and that are asked
_GUESTS = 200  # who ask at the same time
_APART = 10  # every tenth of them


def join_groups(draft: Draft) -> None:
    """Whoever is left and can't be alone joins groups, or others who are left. The easiest first."""
    table, left = draft.table, draft.stock.left
    lost = draft.not_alone()
    if not lost.any():
        return
    rows = draft.in_random_order(np.flatnonzero(lost))
    rows = rows[np.argsort(draft.priors(rows), kind="stable")]
    guests = np.repeat(rows, left[rows])
    done, rows = draft.done, np.flatnonzero(~lost & (left > 0))
    alone = gathered(left[rows], np.repeat(rows, left[rows]))  # equal rows together, as they will be published
    units = together(done, alone, gathered(np.ones(len(guests), dtype=np.int64), guests))
    hosts = _hosts(draft, units, guests)
    made = []
    for waiting in _rounds(len(done) + len(alone), len(units), max(1, min(_GUESTS, len(units) // 64))):
        made += _join(draft, units, hosts, waiting[hosts.free[waiting]])
        draft.tell()
    came = ~hosts.free
    came[: len(done)] = False
    take_all(table, draft.index, draft.stock, units.only(came).rows, 1)
    hosts.free[len(done) :] = False
    draft.parts = [units.only(hosts.free), *made]
    draft.tell()


def _rounds(first: int, last: int, guests: int) -> Iterator[IntArray]:
    """Who asks when: so many at once, for who asks can't be asked. Neighbours not together: they want the same.

    >>> [waiting.tolist() for waiting in _rounds(0, 7, 2)]
    [[0, 4], [1, 5], [2, 6], [3]]
    """
    for at in range(first, last, _APART * guests):
        block = np.arange(at, min(at + _APART * guests, last))
        rounds = -(-len(block) // guests)
        yield from (block[i::rounds] for i in range(rounds))


def _hosts(draft: Draft, units: Gathered, guests: IntArray) -> Hosts:
    """Whom guests may ask. Where each kind has people counts all units; listed are those whom somebody can join."""
    table, n = draft.table, max(len(units), 1)
    pairs = np.unique(table.kind[units.rows] * n + units.group)
    of_kind = np.bincount(pairs // n, minlength=len(table.signatures)).astype(np.int64)
    there = np.bincount(units.rows, minlength=len(table.kind)).astype(np.int64)
    alive = stock_of(table, draft.index, there).alive
    some_can = units.sizes < draft.most
    some_can[units.group[_all_clash(table, guests)[table.values[units.rows]]]] = False
    pairs = pairs[some_can[pairs % n]]
    starts = np.searchsorted(pairs // n, np.arange(len(of_kind) + 1)).astype(np.int64)
    return Hosts(units.offsets, units.rows, np.ones(len(units), dtype=np.bool_), starts, pairs % n, of_kind, alive)


def _all_clash(table: Table, guests: IntArray) -> BoolArray:
    """The values that are in a protected set of which every guest has a value: no group with one can take any guest."""
    number, ends = len(table.set_offsets) - 1, table.set_offsets
    values = np.unique(table.values[guests])
    guests_of = np.bincount(
        np.concatenate([table.sets[ends[v] : ends[v + 1]] for v in values]), minlength=table.sets.max(initial=-1) + 1
    )
    clash = np.zeros(number, dtype=np.bool_)
    clash[np.repeat(np.arange(number), np.diff(ends))[guests_of[table.sets] == len(values)]] = True
    return clash


def _join(draft: Draft, units: Gathered, hosts: Hosts, waiting: IntArray) -> list[Gathered]:
    """The groups that the waiting units make with others. Whoever is in one is no longer free."""
    hosts.free[waiting] = False
    kinds = np.full((len(waiting), _KINDS), -1, dtype=np.int32)
    kinds_near(draft.table, draft.index, units.rows[units.offsets[waiting]], hosts, kinds)
    room = empty_group(draft.table, draft.most), room_for(draft.table, draft.most)
    asking, made = {1: [waiting[:, None]]}, []  # which units are together, by how many they are
    while asking:
        came = np.concatenate(asking.pop(min(asking)))
        groups = units.merged(came)
        limits = draft.limits(draft.least, draft.most, _KINDS, _WEIGHED)
        theirs = kinds[np.searchsorted(waiting, came[:, 0])]
        found = nothing_found(len(groups), _ASKED, hosts)
        nearest_hosts(draft.table, theirs, groups.offsets, groups.rows, hosts, limits, found, room)
        near, lost = found.chosen, found.lost
        # Where people have several rows, it is their sums that are judged.
        exactly = draft.judge is not None or draft.robust.limit == PRIOR  # or she was surer before
        which, rank = np.nonzero((near >= 0) if exactly else (near >= 0) & ~lost)
        yes = np.zeros(near.shape, dtype=np.bool_)
        yes[which, rank] = draft.holds(units.merged(np.column_stack([came[which], near[which, rank]])))
        partner = _matched(hosts.free, np.where(yes, near, -1))
        happy = partner >= 0
        made.append(units.merged(np.column_stack([came[happy], partner[happy]])))
        draft.merges += int(happy.sum()) * came.shape[1]
        # Nobody says yes: on with whoever came closest. Others were faster: ask again. Nobody there: no group.
        partner = _matched(hosts.free, np.where(yes.any(axis=1, keepdims=True), -1, near))
        wider = np.column_stack([came, partner])[partner >= 0]
        again = came[~happy & (partner < 0) & (near >= 0).any(axis=1)]
        hosts.free[came[(near < 0).all(axis=1)].ravel()] = True
        for some in (again, wider):
            if len(some):
                asking.setdefault(some.shape[1], []).append(some)
    return made


def _matched(free: BoolArray, wishes: IntArray) -> IntArray:
    """For each row its first wish that is free, or −1; the first to wish gets it, and it is no longer free.

    >>> _matched(np.ones(3, dtype=bool), np.array([[2, 1], [2, 1], [2, -1]]))
    array([ 2,  1, -1])
    """
    got = np.full(len(wishes), -1, dtype=np.int64)
    for wish in wishes.T:
        asking = np.flatnonzero((got < 0) & (wish >= 0))
        asking = asking[free[wish[asking]]]
        asking = asking[np.unique(wish[asking], return_index=True)[1]]
        got[asking] = wish[asking]
        free[wish[asking]] = False
    return got
