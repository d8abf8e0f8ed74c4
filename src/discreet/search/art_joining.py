"""Joining groups: whoever can't be helped by single people asks whole groups.

This is ART's merging as it is printed: the closest group that shares no protected value, then the next, until all hold
together. Several are asked at once, exactly, and the nearest that says yes is taken.
"""

from __future__ import annotations

import numpy as np

from discreet.counts.groups import BoolArray
from discreet.hierarchies.hierarchy import IntArray
from discreet.search.art_draft import Draft, Gathered, gathered, together
from discreet.search.art_hosts import Hosts, nearest_hosts
from discreet.search.art_index import stock_of
from discreet.search.art_tree import take_all

_KINDS = 128  # nearest kinds whose groups are considered
_WEIGHED = 16  # groups of these that are weighed
_ASKED = 4  # and that are asked
_GUESTS = 200  # who ask at the same time


def join_groups(draft: Draft) -> None:
    """Whoever is left and can't be alone joins groups, or others who are left. The easiest first."""
    table, left = draft.table, draft.stock.left
    rows = draft.in_random_order(np.flatnonzero(draft.not_alone()))
    rows = rows[np.argsort(draft.priors(rows), kind="stable")]
    guests = np.repeat(rows, left[rows])
    done = draft.done
    first = len(done)
    units = together(done, gathered(np.ones(len(guests), dtype=np.int64), guests))
    hosts = _hosts(draft, units)
    made = []
    step = max(1, min(_GUESTS, len(units) // 64))  # who asks can't be asked
    for at in range(first, len(units), step):
        waiting = at + np.flatnonzero(hosts.free[at : at + step])
        made += _join(draft, units, hosts, waiting)
        draft.tell()
    take_all(table, draft.index, draft.stock, guests[~hosts.free[first:]], 1)
    hosts.free[first:] = False
    draft.parts = [units.only(hosts.free), *made]
    draft.tell()


def _hosts(draft: Draft, units: Gathered) -> Hosts:
    table, n = draft.table, max(len(units), 1)
    pairs = np.unique(table.kind[units.rows] * n + units.group)
    of_kind = np.bincount(pairs // n, minlength=len(table.signatures)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(of_kind)]).astype(np.int64)
    there = np.bincount(units.rows, minlength=len(table.kind)).astype(np.int64)
    alive = stock_of(table, draft.index, there).alive
    return Hosts(units.offsets, units.rows, np.ones(len(units), dtype=np.bool_), starts, pairs % n, of_kind, alive)


def _join(draft: Draft, units: Gathered, hosts: Hosts, waiting: IntArray) -> list[Gathered]:
    """The groups that the waiting units make with others. Whoever is in one is no longer free."""
    hosts.free[waiting] = False
    came, made = waiting[:, None], []  # which units are together
    while len(came):
        groups = units.merged(came)
        near = nearest_hosts(
            draft.table, draft.index, groups.offsets, groups.rows, hosts, draft.r, draft.most, _KINDS, _WEIGHED, _ASKED
        )
        which, rank = np.nonzero(near >= 0)
        yes = np.zeros(near.shape, dtype=np.bool_)
        yes[which, rank] = draft.holds(units.merged(np.column_stack([came[which], near[which, rank]])))
        partner = _matched(hosts.free, np.where(yes, near, -1))
        happy = partner >= 0
        made.append(units.merged(np.column_stack([came[happy], partner[happy]])))
        draft.merges += int(happy.sum()) * came.shape[1]
        # The others go on together with whoever came closest, if there is anybody.
        came, near = came[~happy], near[~happy]
        partner = _matched(hosts.free, near)
        hosts.free[came[partner < 0].ravel()] = True
        came = np.column_stack([came, partner])[partner >= 0]
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
