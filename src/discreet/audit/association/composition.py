"""Two releases about the same people: whoever is in both has a value that both of her groups have.

Ganta, Kasiviswanathan & Smith 2008: each release may keep its promise, and the two together still give somebody away.
How likely each value is then is worked out in `common_people`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray
from discreet.audit.association.chains import chained_chances
from discreet.audit.association.common_people import Counts, Fits, largest_expected
from discreet.audit.lines import ASSOCIATION, AT_MOST, EXACT, ROUNDED, Line, at_limits, line
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.reading.whose import AS_IF, UNSAID, Ownership
from discreet.audit.worlds.overlaps import MOST_PAIRS, overlapping
from discreet.audit.worlds.places import Places, places

THRESHOLD = 0.5

_ASSUMES = (
    "That somebody is in both releases with the same value in each, and that all ways to give a group's values to its "
    "{} are equally likely. "
)


def composition(
    view: ReleaseView, other: ReleaseView, listed: Population | None = None, threshold: float | None = None
) -> list[Line]:
    """A line per sensitive attribute that both releases have.

    She knows who is in both releases, with exact quasi-identifiers (`listed`); if there is no list, any two groups
    whose labels can be true of one person are taken to have somebody in common. She wants a person's value, and has won
    where one is more likely than the threshold. No line if the groups of people can't be told, or are too many.
    """
    limit = THRESHOLD if threshold is None else threshold
    if not (view.kind.rows_are_people and other.kind.rows_are_people):
        return []
    if listed is None:
        listed = view.kind.own_list() or other.kind.own_list()
    tallies = [(t, o) for t in view.tallies for o in other.tallies if t.attribute == o.attribute and _same_words(t, o)]
    if not tallies:
        return []
    if listed is None:
        pairs = overlapping(view, other)
        if pairs is None:
            return []
        return [_by_labels(view, other, mine, theirs, pairs, limit) for mine, theirs in tallies]
    here, there = places(view, listed), places(other, listed)
    if here is None or there is None or (here.many * there.many).sum() > MOST_PAIRS:
        return []
    return [_by_list(view, other, mine, theirs, listed, here, there, limit) for mine, theirs in tallies]


def _same_words(mine: Tally, theirs: Tally) -> bool:
    """Do two releases that have values have one in common? Else they are most likely written in another way."""
    here, there = ({t.values[i] for i in np.unique(t.value)} for t in (mine, theirs))
    return bool(here & there) or not (here and there)


def _by_list(
    view: ReleaseView,
    other: ReleaseView,
    mine: Tally,
    theirs: Tally,
    listed: Population,
    here: Places,
    there: Places,
    threshold: float,
) -> Line:
    people = np.asarray(listed.frequencies.counts, dtype=np.int64)
    person, first, second = _pairs(here, there)
    whole = _fills(here, people, view) and _fills(there, people, other)
    cells, cell = np.unique(first * len(other.sizes) + second, return_inverse=True)
    first, second = np.divmod(cells, max(len(other.sizes), 1))
    if whole:  # the list is the table: she knows how many people any two groups share
        common = np.bincount(cell, weights=people[person], minlength=len(cells)).astype(np.int64)
    else:
        common = np.ones(len(cells), dtype=np.int64)
    alone, exact = _chances(mine, theirs, first, second, common)
    chance = alone
    if whole and not (apart := _apart(first, second, common, view, other)).all():
        of_chains, counted = _chained(mine, theirs, first, second, common, (len(view.sizes), len(other.sizes)))
        possible_pair = alone >= 0
        chance = np.where(apart | ~possible_pair, alone, of_chains)
        exact = np.where(apart | ~possible_pair, exact, counted)
    # Whoever fits several pairs of groups is in one of them: the most telling one bounds what is known of her.
    best = np.full(len(people), -1.0)
    np.maximum.at(best, person, chance[cell])
    deciding = np.full(len(people), -1, dtype=np.int64)
    decides = chance[cell] == best[person]
    deciding[person[decides]] = first[cell[decides]]
    both = (here.many > 0) & (there.many > 0)
    several = both & (here.many * there.many > 1)
    possible = best >= 0
    whose = _whose(view, other)
    knows = (
        "Both releases, everybody's exact quasi-identifiers, and who is in both."
        if whole
        else "Both releases, the exact quasi-identifiers of somebody on the list, and that she is in both."
    )
    assumes = _assumes(whose) + (
        f"How many {whose.unit} two groups have in common is taken into account, and what groups that overlap in a "
        "chain tell of each other. In long chains the chance is bounded by what the counts of all groups leave; the "
        "estimate weighs each pair of groups by itself."
        if whole
        else "Nothing is known of who else is in both."
    )
    details: dict[str, Any] = {
        "people_in_both": int(people[both].sum()),
        "of_them_in_groups_without_a_common_value": int(people[both & ~possible].sum()),
        "pairs_of_groups": len(cells),
        "people_who_fit_one_pair_of_groups": int(people[both & ~several].sum()),
    }
    precision = EXACT if exact.all() else AT_MOST
    if not exact.all():
        likely = np.zeros(len(people))
        np.maximum.at(likely, person, np.maximum(alone[cell], 0.0))
        surest = np.zeros(len(people))
        np.maximum.at(surest, person[exact[cell]], np.maximum(chance[cell[exact[cell]]], 0.0))
        details["estimate"] = float(likely.max(initial=0.0))
        details["people_above_by_the_estimate"] = int(people[likely > threshold].sum())
        details["largest_exact_chance"] = float(surest.max(initial=0.0))
        details["people_above_for_certain"] = int(people[surest > threshold].sum())
    if several.any():
        precision = AT_MOST
        assumes += " Of somebody who fits several groups, the most telling ones are taken."
        likely = _weighed(view, other, mine, theirs, people, here, there)
        details["worst_if_her_groups_are_weighed"] = float(likely.max(initial=0.0))
        details["people_above_if_her_groups_are_weighed"] = int(
            people[at_limits(likely, [threshold], ROUNDED) > threshold].sum()
        )
    return line(
        **_words(mine.attribute),
        knows=knows,
        assumes=assumes,
        chance=best[possible],
        people=people[possible],
        group=deciding[possible],
        sizes=view.sizes,
        threshold=threshold,
        first_line=view.first_line,
        file=view.file,
        precision=precision,
        details=details,
        rounded=ROUNDED,
        whose=whose,
    )


def _by_labels(
    view: ReleaseView,
    other: ReleaseView,
    mine: Tally,
    theirs: Tally,
    pairs: tuple[IntArray, IntArray],
    threshold: float,
) -> Line:
    first, second = pairs
    chance, _ = _chances(mine, theirs, first, second, np.ones(len(first), dtype=np.int64))
    worst = np.zeros(len(view.sizes))
    np.maximum.at(worst, first, np.maximum(chance, 0.0))
    whose = _whose(view, other)
    return line(
        **_words(mine.attribute),
        knows="Both releases, the exact quasi-identifiers of somebody, and that she is in both.",
        assumes=_assumes(whose)
        + "Without a list of people, any two groups that may have somebody in common are taken to: "
        "for each group the most telling one of the other release counts.",
        chance=worst,
        people=view.sizes,
        group=np.arange(len(view.sizes)),
        sizes=view.sizes,
        threshold=threshold,
        first_line=view.first_line,
        file=view.file,
        precision=AT_MOST,
        rounded=ROUNDED,
        whose=whose,
        details={
            "pairs_of_groups": len(first),
            "of_them_without_a_common_value": int((chance < 0).sum()),
        },
    )


def _whose(view: ReleaseView, other: ReleaseView) -> Ownership:
    """Rows are people if they are in both releases."""
    return view.whose if other.whose.one_each else UNSAID


def _assumes(whose: Ownership) -> str:
    return whose.told("", AS_IF) + _ASSUMES.format(whose.unit)


def _words(attribute: str) -> dict[str, Any]:
    return {
        "adversary": "composition",
        "threat": ASSOCIATION,
        "title": "holds a second release about the same people",
        "attribute": attribute,
    }


def _pairs(here: Places, there: Places) -> tuple[IntArray, IntArray, IntArray]:
    """Every way to be in one group of each release: whose it is (a place on the list), and the two groups."""
    ways = here.many * there.many
    person = np.repeat(np.arange(len(ways)), ways)
    within = np.arange(len(person)) - np.repeat(np.cumsum(ways) - ways, ways)
    turn, step = np.divmod(within, np.maximum(there.many[person], 1))
    return person, here.groups[here.starts[person] + turn], there.groups[there.starts[person] + step]


def _fills(fits: Places, people: IntArray, view: ReleaseView) -> bool:
    """Are the people on the list those in the release? Each fits one group at most, and all groups are full."""
    only = fits.only
    if (only == -2).any():
        return False
    placed = only >= 0
    filled = np.bincount(only[placed], weights=people[placed], minlength=len(view.sizes))
    return bool((filled == view.sizes).all())


def _apart(first: IntArray, second: IntArray, common: IntArray, view: ReleaseView, other: ReleaseView) -> BoolArray:
    """Which pairs are right to be weighed by themselves: neither group is in another pair, or one is in this one whole.

    In a chain of groups (see `chains`), what the people of one pair have tells something about the others.
    """
    alone_1 = np.bincount(first, minlength=len(view.sizes))[first] == 1
    alone_2 = np.bincount(second, minlength=len(other.sizes))[second] == 1
    within_1, within_2 = alone_1 & (common == view.sizes[first]), alone_2 & (common == other.sizes[second])
    apart: BoolArray = (alone_1 & alone_2) | within_1 | within_2
    return apart


def _chances(
    mine: Tally, theirs: Tally, first: IntArray, second: IntArray, common: IntArray
) -> tuple[FloatArray, BoolArray]:
    """The largest posterior about people in each pair of groups (−1: nobody can be in both), and which are exact."""
    from discreet.audit.association.common_people_kernels import most_believed  # late: loads numba

    a, b, _ = _side_by_side(mine, theirs, int(first.max(initial=-1)) + 1, int(second.max(initial=-1)) + 1)
    chance, exact = np.zeros(len(first)), np.ones(len(first), dtype=np.bool_)
    most_believed(first, second, common, a, b, chance, exact)
    for i in np.flatnonzero(~exact).tolist():  # few pairs have so many people that another way is faster
        chance[i], exact[i] = largest_expected(*_shared(a, first[i], b, second[i]), int(common[i]))
    return np.round(chance, 12), exact  # a tie with the threshold is one, in spite of the sums


def _shared(mine: Counts, first: int, theirs: Counts, second: int) -> tuple[IntArray, IntArray]:
    """How often each of two groups has the values that both have."""
    here, there = (slice(c.starts[g], c.starts[g + 1]) for c, g in ((mine, first), (theirs, second)))
    _, at_1, at_2 = np.intersect1d(mine.values[here], theirs.values[there], return_indices=True)
    return mine.counts[here][at_1], theirs.counts[there][at_2]


def _chained(
    mine: Tally, theirs: Tally, first: IntArray, second: IntArray, common: IntArray, groups: tuple[int, int]
) -> tuple[FloatArray, BoolArray]:
    """The same where it is known who is in which groups: pairs tell of each other. A bound where it is not exact."""
    a, b, _ = _side_by_side(mine, theirs, *groups)
    return chained_chances(first, second, common, a, b)


def _weighed(
    view: ReleaseView, other: ReleaseView, mine: Tally, theirs: Tally, people: IntArray, here: Places, there: Places
) -> FloatArray:
    """The largest belief about everybody, if a group of n people that m people fit has each of them with chance n/m."""
    from discreet.audit.association.common_people_kernels import mixed_beliefs  # late: loads numba

    a, b, values = _side_by_side(mine, theirs, len(view.sizes), len(other.sizes))
    fits = []
    for placed, groups in ((here, len(view.sizes)), (there, len(other.sizes))):
        many = np.bincount(placed.groups, weights=np.repeat(people, placed.many), minlength=groups)
        fits.append(Fits(placed.starts, placed.groups, 1 / np.maximum(many, 1)))
    chance: FloatArray = mixed_beliefs(*fits, a, b, values)
    return chance


def _side_by_side(mine: Tally, theirs: Tally, groups_1: int, groups_2: int) -> tuple[Counts, Counts, int]:
    """Both tallies with the same numbers for the same values, and how many there are."""
    place = {value: i for i, value in enumerate(mine.values)}
    number = np.array([place.setdefault(value, len(place)) for value in theirs.values], dtype=np.int64)
    return _sorted(mine, np.arange(len(mine.values)), groups_1), _sorted(theirs, number, groups_2), len(place)


def _sorted(tally: Tally, number: IntArray, groups: int) -> Counts:
    """A tally with the values numbered anew, ascending within each group."""
    value = number[tally.value]
    order = np.lexsort((value, tally.group))
    starts = np.searchsorted(tally.group[order], np.arange(groups + 1))
    return Counts(starts.astype(np.int64), value[order], tally.count[order].astype(np.int64))
