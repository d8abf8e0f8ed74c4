"""What may happen to a verdict when groups are merged or cut: monotonicity, and the least that is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.models.base import PrivacyModel, least_suppressed
from discreet.models.groups.alpha_k import AlphaK
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.l_diversity import EntropyDiversity, FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from tests.models.cases import ATTRIBUTE, KINDS, VALUES, as_groups, fewest_lost, groups, suppressed, verdicts_on_parts

kinds = pytest.mark.parametrize("kind", KINDS)
small_group = st.lists(st.sampled_from(VALUES), min_size=1, max_size=7)


@kinds
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_merging_two_groups_that_hold_gives_one_that_holds(kind: str, data: st.DataObject) -> None:
    model, by_group = data.draw(KINDS[kind]), data.draw(groups)
    table = [value for group in by_group for value in group] + data.draw(suppressed)
    assert model.monotone
    # The table itself holds most promises, so it is there to be merged with.
    by_group = [*by_group, table]
    holding = [group for group, holds in zip(by_group, model.holds(as_groups(by_group, table)), strict=True) if holds]
    merged = [a + b for a in holding for b in holding]
    assert model.holds(as_groups(merged, table)).all()


@kinds
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_no_way_to_cut_a_group_loses_fewer_rows_than_the_bound(kind: str, data: st.DataObject) -> None:
    model, group = data.draw(KINDS[kind]), data.draw(small_group)
    table = group + data.draw(st.lists(st.sampled_from(VALUES), max_size=12))
    bound = int(model.least_suppressed(as_groups([group], table, seed=len(table)))[0])
    assert 0 <= bound <= fewest_lost(model, group, table)


@kinds
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_no_larger_part_than_the_bound_allows_can_be_kept(kind: str, data: st.DataObject) -> None:
    """What is kept, put together, holds (that is monotonicity): so larger groups need not be cut in all ways."""
    model, counts = data.draw(KINDS[kind]), data.draw(st.tuples(*[st.integers(1, 9)] * 3))
    group = [
        value for value, count in zip(data.draw(st.permutations(VALUES)), counts, strict=False) for _ in range(count)
    ]
    table = group + data.draw(st.lists(st.sampled_from(VALUES), max_size=12))
    most = max((sum(part) for part, holds in verdicts_on_parts(model, group, table).items() if holds), default=0)
    assert model.least_suppressed(as_groups([group], table))[0] <= len(group) - most


@kinds
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_rows_are_lost_of_failing_groups_and_of_no_other(kind: str, data: st.DataObject) -> None:
    model, by_group = data.draw(KINDS[kind]), data.draw(groups)
    seen = as_groups(by_group, [value for group in by_group for value in group] + data.draw(suppressed))
    lost, holds = model.least_suppressed(seen), model.holds(seen)
    assert (lost[holds] == 0).all()
    assert (lost[~holds] >= 1).all()
    assert (lost <= seen.sizes).all()


@pytest.mark.parametrize("kind", ["k_anonymity", "distinct", "recursive"])
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_these_bounds_are_the_truth_itself(kind: str, data: st.DataObject) -> None:
    """Not needed for right answers, but a search prunes with them: a bound that got weak should be noticed."""
    model, group = data.draw(KINDS[kind]), data.draw(small_group)
    assert model.least_suppressed(as_groups([group], group))[0] == fewest_lost(model, group, group)


@pytest.mark.parametrize(
    ("model", "lost"),
    [
        (FrequencyDiversity(2, ATTRIBUTE), 2),  # two of six colds, then it is four of eight
        (FrequencyDiversity(4, ATTRIBUTE), 10),  # no four values, so nothing can be kept
        (AlphaK("0.5", 9, ATTRIBUTE), 10),  # eight would be left, fewer than nine
        (EntropyDiversity(4, ATTRIBUTE), 10),
        (TCloseness("0.39", ATTRIBUTE), 10),  # two fifths of the table are absent
        (BetaLikeness(1, ATTRIBUTE), 4),  # at most 2/5 colds: of seven that were two, too few
        (DeltaDisclosure(1, ATTRIBUTE), 10),  # two values of the table are absent
    ],
)
def test_bounds_are_as_sharp_as_worked_out_by_hand(model: PrivacyModel, lost: int) -> None:
    group = ["cold"] * 6 + ["asthma"] * 2 + ["gout"] * 2
    assert model.least_suppressed(as_groups([group], VALUES * 20)).tolist() == [lost]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@settings(deadline=None, max_examples=50)
@given(counts=st.tuples(st.integers(1, 30), st.integers(1, 30)), tenths=st.integers(1, 4))
def test_with_two_values_all_distances_lose_exactly_the_surplus(
    distance: str, counts: tuple[int, int], tenths: int
) -> None:
    """The table has half of each; the shares of what is kept may be off by t, so the larger is at most 1/2 + t."""
    group = ["asthma"] * counts[0] + ["gout"] * counts[1]
    model = TCloseness(tenths / 10, ATTRIBUTE, distance)
    largest_kept = min(counts) * (5 + tenths) // (5 - tenths)  # of the more frequent value
    lost = model.least_suppressed(as_groups([group], ["asthma", "gout"] * 40))
    assert lost.tolist() == [max(0, max(counts) - largest_kept)]


@settings(deadline=None, max_examples=50)
@given(data=st.data(), by_group=groups)
def test_several_promises_lose_what_the_strictest_loses(data: st.DataObject, by_group: list[list[str]]) -> None:
    models = [data.draw(KINDS[kind]) for kind in ("k_anonymity", "frequency", "equal")]
    seen = as_groups(by_group, [value for group in by_group for value in group])
    each = [model.least_suppressed(seen).tolist() for model in models]
    assert least_suppressed(models, seen).tolist() == [max(of_group) for of_group in zip(*each, strict=True)]
