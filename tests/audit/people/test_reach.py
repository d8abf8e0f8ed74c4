"""How many people a group has, and how many rows the one with most of them: against every way it may be."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from discreet.audit.people.reach import Owned, Standing, owned, standing
from tests.audit.people.worlds import Released, releases


def owned_by(release: Released) -> tuple[Owned, list[tuple[int, str]]]:
    reach, units = release.reach()
    owners = owned(reach, *release.table_owners())
    assert owners is not None
    return owners, units


def groups_of(release: Released) -> Standing:
    owners, _ = owned_by(release)
    return standing(owners, owners.reach.group, len(release.labels))


@settings(max_examples=300, deadline=None)
@given(releases())
def test_whatever_may_be_true_is_within_the_bounds(release: Released) -> None:
    at = groups_of(release)
    for world in release.possible():
        for g, own in release.owners(world).items():
            assert at.fewest[g] <= len(own) <= at.people[g]
            assert at.most_at_least[g] <= max(own.values()) <= at.most_rows[g]
            known = {int(p): i for i, p in enumerate(at.person) if at.cell[i] == g}
            people = sorted({person for person, _, _ in release.rows})
            for person, rows in own.items():
                i = known[people.index(person)]
                assert at.sure[i] <= rows <= at.most[i]


@settings(max_examples=300, deadline=None)
@given(releases())
def test_what_is_called_known_is_true_of_every_world(release: Released) -> None:
    owners, units = owned_by(release)
    at = standing(owners, np.arange(len(units)), len(units))
    seen = [release.having(world) for world in release.possible()]
    for u, unit in enumerate(units):
        many = {len(having[unit]) for having in seen}
        assert at.fewest[u] <= min(many) and max(many) <= at.people[u]
        if at.known[u]:
            assert many == {int(at.people[u])}
    if owners.exact:
        assert len({tuple(sorted((g, tuple(sorted(own.items()))) for g, own in release.owners(world).items()))
                    for world in release.possible()}) == 1  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(releases(apart=True, whole=True))
def test_where_labels_do_not_overlap_and_nothing_is_left_out_it_is_plain(release: Released) -> None:
    at = groups_of(release)
    assert at.exact
    for g, own in release.owners(release.groups).items():
        assert (at.fewest[g], at.people[g]) == (len(own), len(own))
        assert (at.most_at_least[g], at.most_rows[g]) == (max(own.values()), max(own.values()))


@settings(max_examples=200, deadline=None)
@given(releases(apart=True))
def test_of_rows_left_out_one_by_one_the_fewest_people_can_be(release: Released) -> None:
    """Where each group has one value, the bounds are reached by some world."""
    one = Released(tuple((p, q, "x") for p, q, _ in release.rows), release.labels, release.groups)
    at, worlds = groups_of(one), [one.owners(world) for world in one.possible()]
    for g in {g for g in one.groups if g is not None}:
        many = [len(own[g]) for own in worlds]
        assert (min(many), max(many)) == (at.fewest[g], at.people[g])
        assert max(max(own[g].values()) for own in worlds) == at.most_rows[g]


@settings(max_examples=200, deadline=None)
@given(releases(whole=True))
def test_people_of_the_whole_release_count_once(release: Released) -> None:
    owners, units = owned_by(release)
    together = standing(owners, np.zeros(len(units), dtype=np.int64), 1)
    published = {p for (p, _, _), g in zip(release.rows, release.groups, strict=True) if g is not None}
    assert together.fewest[0] <= len(published) <= together.people[0]


def test_what_one_group_takes_is_not_in_another() -> None:
    """a fits the first group alone, and fills it; so b and c fill the second, though a fits that one, too."""
    rows = ((0, "a", "x"), (1, "b", "x"), (2, "c", "x"))
    labels = (frozenset("a"), frozenset("abc"))
    at = groups_of(Released(rows, labels, (0, 1, 1)))
    assert at.exact and at.people.tolist() == [1, 2]
