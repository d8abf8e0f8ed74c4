"""Somebody with rows in several groups: what all of them together tell, against all worlds of all of them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings

from discreet.audit.people.sums import over_all_groups, within
from tests.audit.people.files import counted
from tests.audit.people.worlds import Released, dealt, releases


def worlds_of(release: Released) -> dict[int, tuple[list[int], list[tuple[str, ...]]]]:
    """Of each group whose rows it has, and every way to deal its values out to them."""
    found = {}
    for g in sorted({g for g in release.groups if g is not None}):
        rows = [(p, s) for (p, _, s), at in zip(release.rows, release.groups, strict=True) if at == g]
        found[g] = ([p for p, _ in rows], dealt(tuple(s for _, s in rows)))
    return found


def numbers(release: Released) -> list[int]:
    """People in the order in which they first stand in the source."""
    return list(dict.fromkeys(p for p, _, _ in release.rows))


@settings(max_examples=60, deadline=None)
@given(releases(most=6, apart=True, whole=True))
def test_chances_over_all_groups_are_shares_of_worlds_and_no_larger_than_their_sum(release: Released) -> None:
    persons = counted(release)
    [tally] = persons.rows.tallies
    sums = over_all_groups(persons, tally)
    groups = worlds_of(release)
    everything = list(product(*(worlds for _, worlds in groups.values())))
    for person in sorted({p for p, _, _ in release.rows}):
        likely, added = Fraction(0), Fraction(0)
        for value in "xy":
            true = sum(
                any(
                    p == person and s == value
                    for (owners, _), world in zip(groups.values(), dealt_out, strict=True)
                    for p, s in zip(owners, world, strict=True)
                )
                for dealt_out in everything
            )
            likely = max(likely, Fraction(true, len(everything)))
            shares = (
                owners.count(person) * Fraction(Counter(worlds[0])[value], len(owners))
                for owners, worlds in groups.values()
            )
            added = max(added, sum(shares, Fraction(0)))
        at = list(sums.person).index(numbers(release).index(person))
        assert sums.chance[at] == pytest.approx(float(likely), rel=1e-12)
        assert sums.total[at] == pytest.approx(float(added), rel=1e-12)
        assert sums.chance[at] <= sums.total[at] * (1 + 1e-12)
        for limit, holds in ((added, True), (added - Fraction(1, 10**30), False)):
            kept, broken = within(sums, persons, tally, limit)
            assert (bool(kept[at]), bool(broken[at])) == (holds, not holds)


@settings(max_examples=60, deadline=None)
@given(releases(most=6))
def test_of_people_of_whom_it_is_not_plain_where_they_stand_sums_are_bounds(release: Released) -> None:
    if not release.published:
        return
    persons = counted(release)
    [tally] = persons.rows.tallies
    sums = over_all_groups(persons, tally)
    sizes = Counter(g for g, _ in release.published.elements())
    names = numbers(release)
    for world in release.possible():
        for value in "xy":
            added: Counter[int] = Counter()
            for (p, _, _), g in zip(release.rows, world, strict=True):
                if g is not None:
                    added[p] += Fraction(release.published[g, value], sizes[g])  # type: ignore[assignment]
            for p, most in added.items():
                at = list(sums.person).index(names.index(p))
                assert float(most) <= sums.total[at] * (1 + 1e-12)
