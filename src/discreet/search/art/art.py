"""ART: groups in which nobody can be linked to a protected value, even by somebody who knows who is likely to have it.

Wong, Fu, Wang, Xu, Pei & Yu, section 4.2. Each row starts alone; a group that breaks the promise is joined by whoever
is closest in the chances of its protected values, over all attribute sets, until it holds. Protected values (or sets of
them) occur at most once in a group. Their Theorem 1 only guides here: the exact posteriors decide, for many groups at
once. People are found by their chances (`index`), so that the time grows with the rows, not with their square.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from discreet.arrays import BoolArray, IntArray
from discreet.errors import Infeasible
from discreet.models.robust.robust import PRIOR, Robust
from discreet.models.robust.sizes import never_hidden
from discreet.models.verdicts import witness
from discreet.progress import Progress, silent
from discreet.search.art.companions import find_companions, nothing_seen
from discreet.search.art.draft import Draft, Gathered, gathered, start
from discreet.search.art.growth import empty_group, extend_groups, grow_groups
from discreet.search.art.index import stock_of
from discreet.search.art.joining import join_groups
from discreet.search.art.kinds import alike_groups
from discreet.search.art.no_surer import find_likely_companions
from discreet.search.art.scarcity import prices_of
from discreet.search.art.several_rows import (
    by_row,
    have_theirs,
    least_of_others,
    others_add_up,
    restock,
    settled,
    tickets_of,
)
from discreet.search.art.tree import take_all
from discreet.search.buckets.bucketizing import bucketization
from discreet.search.buckets.dealing import held, no_place
from discreet.search.found_people import check_people, several_rows
from discreet.search.plan import SUPPRESSED, Bucketization, Problem

_COMPANIONS = 1024, 200  # nearest kinds among which companions are looked for, and rows of a group at most
_MORE_COMPANIONS = 8192, 1000  # where a few too many are left without
_FEW = 200
# Where she is likely to know it anyway: how many kinds, and how large groups may be, in the order of the tries.
_LIKELY_KINDS = 8192
_LIKELY_SIZES = (200,), (16, 24, 40, 200)
_LIKELY_AT_ONCE = 25  # seeds between two looks at what is scarce
_EXCHANGES, _IN_VAIN = 600, 150  # how often groups are opened for those who are left, at most
_OPENED, _OPENED_OF = 8, 40  # groups at once, of so many nearest ones
_KINDS = 64  # nearest kinds among which a group looks for its next member
_WEIGHED = 96  # combinations of these that are weighed
_AT_ONCE = 2000  # seeds between two signs of progress


def art(problem: Problem, progress: Progress = silent) -> Bucketization:
    """Groups as small and as alike as can be in which every promise holds.

    Where protected values are rare, each gets companions without one; the others may stay alone, unless another promise
    forbids it. Where most values are protected, people who can't be told apart come first, then similar ones. Whoever
    can't be protected is suppressed. Raises `Infeasible` if those are too many rows.
    """
    if problem.frequency.owners is not None:
        return _by_people(_of_paper(problem).by_person, progress)
    draft = start(problem, progress)
    if draft.robust.limit == PRIOR:
        _without_the_likely(draft)
        _with_likely_companions(draft)
        _exchange(draft)
    elif draft.r * problem.frequency.counts[draft.protected].sum() <= problem.frequency.rows:
        _with_companions(draft, *_COMPANIONS)
        if 0 < draft.stock.left[draft.protected].sum() - problem.suppression_limit <= _FEW:
            _with_companions(draft, *_MORE_COMPANIONS)
    else:
        _with_their_kind(draft)
    _grow(draft, draft.protected, draft.least)
    _grow(draft, draft.not_alone() & ~draft.protected, draft.smallest)
    join_groups(draft)
    return _finish(draft)


def _by_people(problem: Problem, progress: Progress) -> Bucketization:
    """The same where people have several rows: those with the most protected ones first (see `several_rows`)."""
    check_people(problem)
    single, combination = by_row(problem.frequency)
    draft = start(replace(problem, frequency=single), progress)
    tickets = tickets_of(draft)
    plain = replace(single, owners=None)
    draft.judge = partial(tickets.hold, problem.models, plain)
    draft.table = draft.table._replace(once=~draft.protected)
    levels = np.unique(tickets.among_protected[draft.protected]).tolist()
    waiting = tickets.withheld.copy()
    for draft.times in levels:  # the easiest first: they take the fewest away
        level = draft.protected & (tickets.among_protected == draft.times)
        restock(draft, ~(waiting | have_theirs(draft, tickets)))
        if draft.r * draft.stock.left[level].sum() <= draft.stock.left.sum():
            _with_companions(draft, *_COMPANIONS, level)
    for draft.times in reversed(levels):  # the hardest first: others can fill their groups
        level = draft.protected & (tickets.among_protected == draft.times)
        restock(draft, level)
        if 2 * draft.stock.left[level].sum() > level.sum():
            _with_their_kind(draft)
        restock(draft, ~(waiting | have_theirs(draft, tickets)))
        _grow(draft, level, draft.least)
        waiting |= level
    draft.times, draft.table = 1, draft.table._replace(once=np.zeros_like(draft.protected))
    several = tickets.rows if others_add_up(problem.models) else np.ones_like(tickets.rows)
    for rows in np.unique(several)[::-1].tolist():
        restock(draft, ~draft.protected & (several <= rows))
        _grow(draft, draft.not_alone() & (several == rows), least_of_others(problem.models, rows))
    restock(draft, np.ones_like(draft.protected))
    last = settled(draft, tickets)
    draft.judge = partial(last.hold, problem.models, plain)
    lost = draft.not_alone()
    draft.times = int(tickets.among_protected[lost].max(initial=1))
    restock(draft, lost | ~last.withheld)
    join_groups(draft)
    restock(draft, np.ones_like(lost))
    found = _finish(draft)
    row = combination[found.row]
    plan = held(problem, bucketization(problem.frequency, row, found.count, found.group, {}, found.facts))
    if plan.suppressed > problem.suppression_limit:
        raise no_place(problem, plan.suppressed, "art", adds=True)
    return plan


def _with_companions(draft: Draft, kinds: int, most: int, wanted: BoolArray | None = None) -> None:
    """Everybody with a protected value gets companions without. The easiest first: they take the fewest away."""
    wanted = draft.protected if wanted is None else wanted
    rows = draft.in_random_order(np.flatnonzero(wanted & (draft.stock.left > 0)))
    rows = rows[np.argsort(draft.priors(rows), kind="stable")]
    seeds = np.repeat(rows, draft.stock.left[rows])
    limits = draft.limits(draft.least, most, kinds, _WEIGHED)
    seen = nothing_seen(draft.table, limits)
    for at in range(0, len(seeds), _AT_ONCE):
        some = seeds[at : at + _AT_ONCE]
        offsets, companions = find_companions(draft.table, draft.index, draft.stock, some, limits, seen)
        number = np.diff(offsets)
        rows = np.insert(companions, offsets[:-1][number > 0], some[number > 0])
        _settle(draft, gathered(number[number > 0] + 1, rows), most)


def _without_the_likely(draft: Draft) -> None:
    """Whoever is likely to have nothing gets companions of whom that is true, too, before all others.

    They take few away of what hides the likely ones: in a group with one of these, as many people must be expected to
    have the value as have it, and that is nobody's gain if another group could do with less.
    """
    every = np.arange(len(draft.table.kind))
    likely = draft.most_likely(every) > 1 / draft.r
    left = draft.stock.left.copy()
    draft.stock = stock_of(draft.table, draft.index, np.where(likely, 0, left))
    _with_companions(draft, *_COMPANIONS)
    draft.stock = stock_of(draft.table, draft.index, np.where(likely, left, draft.stock.left))


def _with_likely_companions(draft: Draft) -> None:
    """Whoever is likely to have his value anyway gets companions by whom she gets no surer.

    Companions of one value are enough at best: COUNT queries suffer from groups of several. Else the likeliest come
    first, for those who are like them are rare; or, where that leaves people out, those first who need the fewest
    companions. What hides more of them stays.
    """
    before, drawn, found = draft.kept(), draft.rng.bit_generator.state, []
    _with_no_more_than(draft, _LIKELY_SIZES[0][-1], _to_be_hidden(draft), (True,))
    if not draft.stock.left[draft.protected].any():
        return
    draft.rng.bit_generator.state = drawn  # what comes now is as if this had not been tried
    for sizes in _LIKELY_SIZES:
        draft.go_back(before)
        for most in sizes:
            _with_no_more_than(draft, most, _to_be_hidden(draft))
        found.append((int(draft.stock.left[draft.protected].sum()), draft.kept()))
        if found[-1][0] == 0:
            break
    draft.go_back(min(found, key=lambda pair: pair[0])[1])


def _to_be_hidden(draft: Draft) -> IntArray:
    """Everybody with a protected value who has no group, the likeliest first."""
    rows = draft.in_random_order(np.flatnonzero(draft.protected & (draft.stock.left > 0)))
    rows = rows[np.argsort(-draft.priors(rows), kind="stable")]
    return np.repeat(rows, draft.stock.left[rows])


def _exchange(draft: Draft) -> None:
    """Few who are left open groups near them: one is hidden first, then those who were in these. That stays unless it
    leaves more people out."""
    protected, vain = draft.protected, 0
    if draft.stock.left[protected].sum() > _FEW:
        return
    for _ in range(_EXCHANGES):
        waiting = np.flatnonzero(protected & (draft.stock.left > 0))
        if not len(waiting) or vain == _IN_VAIN:
            return
        number, before = int(draft.stock.left[waiting].sum()), draft.kept()
        first = int(draft.rng.choice(waiting))
        done = draft.done
        having = np.flatnonzero(protected[done.rows])
        place = draft.index.place[draft.table.kind].astype(np.int64)
        near = np.argsort(np.abs(place[done.rows[having]] - place[first]), kind="stable")[:_OPENED_OF]
        opened = np.zeros(len(done), dtype=np.bool_)
        opened[done.group[having[draft.rng.permutation(near)[:_OPENED]]]] = True
        members = done.only(opened).rows
        draft.parts = [done.only(~opened)]
        take_all(draft.table, draft.index, draft.stock, members, -1)
        others = members[protected[members]]
        others = others[np.argsort(-draft.priors(others), kind="stable")]
        _with_no_more_than(draft, _LIKELY_SIZES[0][-1], np.append(first, others))
        now = int(draft.stock.left[protected].sum())
        vain = 0 if now < number else vain + 1
        if now > number:
            draft.go_back(before)


def _with_no_more_than(draft: Draft, most: int, seeds: IntArray, alone: tuple[bool, ...] = (False, True)) -> None:
    """Groups of so many people at most for these. Where companions of several values do not hold, those of one may."""
    limits = draft.limits(draft.least, most, _LIKELY_KINDS, _WEIGHED)
    for at in range(0, len(seeds), _LIKELY_AT_ONCE):
        some = seeds[at : at + _LIKELY_AT_ONCE]
        for one_value in alone:
            offsets, companions = find_likely_companions(
                draft.table, draft.index, draft.stock, some, limits, prices_of(draft), one_value
            )
            number = np.diff(offsets)
            members = np.insert(companions, offsets[:-1][number > 0], some[number > 0])
            groups = gathered(number[number > 0] + 1, members)
            holds = draft.holds(groups)
            draft.parts.append(groups.only(holds))
            draft.merges += int((groups.sizes[holds] - 1).sum())
            take_all(draft.table, draft.index, draft.stock, groups.only(~holds).rows, -1)
            number[np.flatnonzero(number > 0)[~holds]] = 0
            some = some[number == 0]
        draft.tell()


def _of_paper(problem: Problem) -> Problem:
    """The same where what all rows of somebody tell together is kept to 1/r, whatever she knew: that is enough."""
    models = (model.of_paper if isinstance(model, Robust) else model for model in problem.models)
    return replace(problem, models=tuple(models))


def _with_their_kind(draft: Draft) -> None:
    """Whoever finds enough people whom nobody can tell from him, all with different values, is safe among them."""
    kinds = np.argsort(draft.table.alike, kind="stable")
    starts = np.searchsorted(draft.table.alike[kinds], np.arange(draft.table.alike.max(initial=-1) + 2))
    members = alike_groups(draft.table, draft.index, draft.stock, kinds, starts, draft.least)
    _settle(draft, gathered(np.full(len(members), draft.least), members.ravel()), draft.least)


def _grow(draft: Draft, wanted: BoolArray, least: int) -> None:
    """Groups around everybody who needs one and has none; those with the most frequent value first."""
    table, left = draft.table, draft.stock.left
    rows = draft.in_random_order(np.flatnonzero(wanted & (left > 0)))
    frequent = np.bincount(table.values[rows], weights=left[rows], minlength=1)
    rows = rows[np.lexsort((draft.index.place[table.kind[rows]], -frequent[table.values[rows]]))]
    seeds = np.repeat(rows, left[rows])
    # Not too many at once: groups that do not hold yet need others who are still there.
    step = max(1, min(_AT_ONCE, int(left.sum()) // (4 * draft.most)))
    limits = draft.limits(least, draft.most, _KINDS, _WEIGHED)
    room, kinds = empty_group(table, limits.most), np.empty(limits.kinds, dtype=np.int32)
    for at in range(0, len(seeds), step):
        some = seeds[at : at + step]
        offsets, members = grow_groups(table, draft.index, draft.stock, some, limits, room, kinds)
        _settle(draft, Gathered(offsets, members), draft.most)


def _settle(draft: Draft, groups: Gathered, most: int) -> None:
    """Groups that hold are done; the others get one more member at a time, until they hold or can't be helped."""
    limits = draft.limits(draft.least, most, _KINDS, _WEIGHED)
    kinds = np.empty(limits.kinds, dtype=np.int32)
    while len(groups):
        holds = draft.holds(groups)
        draft.merges += int((groups.sizes[holds] - 1).sum())
        draft.parts.append(groups.only(holds))
        draft.tell()
        groups = groups.only(~holds)
        small = groups.sizes < most
        joining = np.full(len(groups), -1, dtype=np.int64)
        some = groups.only(small)
        if len(some):
            room = empty_group(draft.table, int(some.sizes.max()))
            joining[small] = extend_groups(
                draft.table, draft.index, draft.stock, some.offsets, some.rows, limits, room, kinds
            )
        if (joining < 0).any():
            draft.failed = groups.only(joining < 0)
            take_all(draft.table, draft.index, draft.stock, draft.failed.rows, -1)
        groups = groups.only(joining >= 0).joined_by(joining[joining >= 0])


def _finish(draft: Draft) -> Bucketization:
    """Who is left and needs nobody stays alone; who can't be helped is suppressed, if so many may be."""
    f, left, done = draft.problem.frequency, draft.stock.left, draft.done
    lost = draft.not_alone()
    suppressed, alone = np.flatnonzero(lost), np.flatnonzero(~lost & (left > 0))
    if left[suppressed].sum() > draft.problem.suppression_limit:
        raise _refusal(draft, suppressed)
    key, count = np.unique(done.group * len(f.counts) + done.rows, return_counts=True)
    group, row = np.divmod(key, len(f.counts))
    alone_group = len(done) + np.arange(len(alone))
    plan = Bucketization(
        f,
        np.concatenate([row, alone, suppressed]),
        np.concatenate([count, left[alone], left[suppressed]]).astype(np.int64),
        np.concatenate([group, alone_group, np.full(len(suppressed), SUPPRESSED, dtype=np.int64)]),
    )
    decided = draft.robust.decided(plan.groups)
    protected = np.flatnonzero(draft.protected)
    facts = {
        "search": "art",
        "attribute_sets": draft.table.signatures.shape[1],
        "decided_exactly": decided["exactly"],
        "decided_by_bound": decided["by_bound"],
        "rows_alone": int(left[alone].sum()),
        "merges": draft.merges,
        "never_hidden": never_hidden(f, draft.robust),
        "left_out_protected": int(left[suppressed][draft.protected[suppressed]].sum()),
        "protected_share": float(f.counts[draft.protected].sum() / max(f.rows, 1)),
        "believed_before": int(f.counts[protected[draft.priors(protected) > 1 / draft.r]].sum()),
    }
    return replace(plan, facts=facts)


def _refusal(draft: Draft, rows: IntArray) -> Infeasible:
    f, left = draft.problem.frequency, draft.stock.left
    missing, limit = int(left[rows].sum()), draft.problem.suppression_limit
    known = int(left[rows[draft.priors(rows) > 1 / draft.r]].sum())
    share = draft.robust.require().removeprefix("at most ")
    whose = "" if f.owners is None else f"; {several_rows(f)}, no two of which may stand in one group, and these add up"
    return Infeasible(
        f"{missing:,} of {f.rows:,} rows could not be given a group in which every promise holds, and {limit:,} may be "
        f"suppressed; {known:,} of them have a protected value that more than {share} of the rows like them "
        f"have{whose}",
        closest=f"{f.rows - missing:,} rows can be published",
        witness=witness(draft.problem.models, draft.groups_of(draft.failed)) if len(draft.failed) else None,
        repair=f"write suppress: {_rounded_up(missing / f.rows):g}, ask for a smaller r, or raise min_support",
    )


def _rounded_up(share: float) -> float:
    """A share that is not smaller, for people to write.

    >>> _rounded_up(0.01232)
    0.013
    """
    return min(float(np.ceil(share * 1000) / 1000), 1.0)
