"""What ART leaves out when groups are joined could not have changed what it does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.search.art.draft import gathered
from discreet.search.art.growth import empty_group
from discreet.search.art.joining import _all_clash
from discreet.search.art.weighing import room_for
from tests.inner_kernels import cannot_hold, conflict, fill, look_up, missing, weigh
from tests.search.drafts import VALUES, draft_of

ROWS = st.lists(
    st.tuples(st.tuples(st.sampled_from("xyz"), st.sampled_from("uvw")), st.sampled_from(VALUES)),
    min_size=4,
    max_size=60,
)
SETS = st.sampled_from([None, [["a"]], [["a", "b"]], [["a"], ["c", "d"]], [["a", "b"], ["b", "c"]]])


@given(ROWS, SETS, st.data())
def test_groups_are_weighed_to_the_last_bit_as_if_they_were_made(rows, sets, data) -> None:
    draft = draft_of(rows, sets)
    table = draft.table
    members = st.lists(st.integers(0, len(table.kind) - 1), min_size=1, max_size=6)
    known, plain, group = room_for(table, 12), empty_group(table, 12), empty_group(table, 12)
    for same in data.draw(st.lists(members, min_size=1, max_size=3)):
        look_up(table, known, np.array(same))
        for others in data.draw(st.lists(members, min_size=1, max_size=8)):
            weigh(table, known, np.array(others), group)
            fill(table, plain, np.array(same + others))
            _, distinct, protected = plain.numbers
            assert group.numbers.tolist() == plain.numbers.tolist()
            assert group.values[:distinct].tolist() == plain.values[:distinct].tolist()
            assert group.counts[:distinct].tolist() == plain.counts[:distinct].tolist()
            assert group.protected[:protected].tolist() == plain.protected[:protected].tolist()
            assert group.largest[:protected].tobytes() == plain.largest[:protected].tobytes()
            assert group.total[:protected].tobytes() == plain.total[:protected].tobytes()
            assert missing(table, group, 3.0, np.inf) == missing(table, plain, 3.0, np.inf)


@given(ROWS, SETS, st.data())
def test_who_cannot_hold_does_not(rows, sets, data) -> None:
    draft = draft_of(rows, sets)
    group = empty_group(draft.table, 12)
    members = np.array(data.draw(st.lists(st.integers(0, len(draft.table.kind) - 1), min_size=1, max_size=12)))
    fill(draft.table, group, members)
    if cannot_hold(draft.table, group, draft.r):
        assert not draft.holds(gathered(np.array([len(members)]), members)).any()


def test_a_group_whose_likeliest_member_is_beyond_doubt_cannot_hold() -> None:
    draft = draft_of(
        [*[(("x", "u"), "a")] * 9, (("x", "u"), "b"), *[(("y", "u"), "b")] * 9, (("y", "u"), "a")], [["a"]]
    )
    group, values = empty_group(draft.table, 12), draft.table.values
    likely = np.flatnonzero(draft.problem.frequency.counts == 9)
    fill(draft.table, group, likely)
    assert sorted(values[likely].tolist()) == [0, 1]
    assert cannot_hold(draft.table, group, draft.r)
    assert not cannot_hold(draft.table, group, 1.0)


@given(ROWS, SETS, st.data())
def test_no_guest_can_join_a_value_that_all_clash_with(rows, sets, data) -> None:
    """And only those are left out."""
    table = draft_of(rows, sets).table
    guests = np.array(data.draw(st.lists(st.integers(0, len(table.kind) - 1), min_size=1, max_size=8)))
    clash = _all_clash(table, guests)
    for value in range(len(clash)):
        everybody = all(conflict(table, table.values[guest], value) for guest in guests)
        assert not clash[value] or everybody
        if sets in (None, [["a"]], [["a", "b"]]):
            assert clash[value] == everybody
