"""The best release that a re-check can confirm, against every node and every way to leave groups out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, policy_from_words, verify
from discreet.arrays import BoolArray, IntArray
from discreet.counts.groups import Groups
from discreet.errors import Infeasible
from discreet.models.base import PrivacyModel, all_hold, beyond_help, compares
from discreet.models.examples import groups_of
from discreet.models.groups.beta_likeness import BetaLikeness
from discreet.models.groups.delta_disclosure import DeltaDisclosure
from discreet.models.groups.t_closeness import TCloseness
from discreet.run.anonymize import find_plan
from discreet.run.intake import take_in
from discreet.search.confirmed import Confirmed, confirm
from discreet.search.lattice.incognito import incognito
from discreet.search.lattice.optimal import optimal
from discreet.search.lattice.optimize import optimize
from discreet.search.plan import Problem, Recoding
from tests.models.cases import ATTRIBUTE
from tests.search.brute_force import Candidate
from tests.search.confirmed_plans import TREE, case, case_of_cuts
from tests.strategies import Table, promises

TOLERANCE = 1e-12
Price = Callable[[IntArray], float]


def as_policy(table: Table, models: Sequence[PrivacyModel], limit: int) -> tuple[dict[str, object], dict[str, object]]:
    """The words of a policy that asks for it, and the table's columns."""
    columns: dict[str, object] = {f"q{d}": [row[d] for row in table.rows] for d in range(len(table.paths))}
    hierarchy = {"taxonomy": [[v, *p] for v, p in TREE.items()]}
    attributes = {name: {"role": "quasi_identifier", "hierarchy": hierarchy} for name in columns}
    words: dict[str, object] = {
        "attributes": attributes | {ATTRIBUTE: {"role": "sensitive"}},
        "require": [model.to_words() for model in models],
        "suppress": (limit + 0.5) / len(table.rows),
    }
    return words, columns | {ATTRIBUTE: list(table.sensitive[ATTRIBUTE])}


def check(plan: Recoding, every: list[Candidate], utility: str) -> None:
    """The plan is one of the candidates, and says of itself what is true."""
    sizes = sorted(plan.groups.sizes.tolist())
    same = [
        c
        for c in every
        if c.suppressed == plan.suppressed
        and sorted(map(len, c.kept)) == sizes
        and [float(x) for x in c.losses] == pytest.approx(plan.losses.tolist(), abs=TOLERANCE)
        and plan.node in (None, c.node)
    ]
    assert same
    score = plan.facts["score"]
    assert any(c.score(utility) == pytest.approx(score, abs=TOLERANCE) for c in same)
    least = min(c.score(utility) for c in every)
    assert plan.facts.get("lower_bound", score) <= score
    if utility == "average_group":  # leaving out more than must be is never considered, though it may lower the mean
        return
    assert plan.facts.get("lower_bound", score) <= least + TOLERANCE
    assert plan.facts["optimal"] is (plan.facts.get("lower_bound", score) == score)
    if plan.facts["optimal"]:
        assert score == pytest.approx(least, abs=TOLERANCE)


SEARCHES: list[Callable[..., Recoding]] = [optimal, incognito]


@pytest.mark.parametrize("utility", ["loss", "geometric_loss", "discernibility", "height", "average_group"])
@pytest.mark.parametrize("search", SEARCHES)
def test_the_optimum_is_that_of_all_plans_that_can_be_confirmed(search: Callable[..., Recoding], utility: str) -> None:
    """Both references, every set of groups: the optimum is found, and called so."""
    more = 0
    for seed in range(300):
        table, models, limit, every = case(seed)
        try:
            plan = search(Problem(table.frequency(), models, limit, utility, confirmed=True))
        except Infeasible:
            assert not every
            continue
        check(plan, every, utility)
        if utility != "average_group":
            assert plan.facts["optimal"] is True
        alone = search(Problem(table.frequency(), models, limit, utility))
        more += (plan.suppressed, plan.node) != (alone.suppressed, alone.node)
    assert more >= 5  # else nothing was tried


def test_the_best_cut_is_that_of_all_that_can_be_confirmed() -> None:
    more = 0
    for seed in range(120):
        table, models, limit, every = case_of_cuts(seed)
        try:
            plan = optimize(Problem(table.frequency(), models, limit, confirmed=True))
        except Infeasible:
            assert not every
            continue
        check(plan, every, "loss")
        assert plan.facts["optimal"] is True
        alone = optimize(Problem(table.frequency(), models, limit))
        more += plan.facts["score"] > alone.facts["score"]
    assert more >= 2


@pytest.mark.parametrize("search", [optimal, incognito, optimize])
def test_what_could_not_be_proven_is_not_called_optimal(
    search: Callable[..., Recoding], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few judgements: releases are confirmed all the same, bounds are true, and nobody says that none exists."""
    for module in ("node_judge", "cuts"):
        monkeypatch.setattr(f"discreet.search.lattice.{module}.JUDGEMENTS_IN_ALL", 1)
    open_ends = impossible = 0
    for seed in range(200):
        table, models, limit, every = case_of_cuts(seed) if search is optimize else case(seed)
        try:
            plan = search(Problem(table.frequency(), models, limit, confirmed=True))
        except Infeasible as error:
            assert not every or "more ways to leave groups out than could be tried" in str(error)
            impossible += bool(every)
            continue
        check(plan, every, "loss")
        open_ends += not plan.facts["optimal"]
    assert open_ends >= 2


@pytest.mark.parametrize("search", [optimal, optimize])
def test_what_many_sets_cost_is_what_each_of_them_costs(
    search: Callable[..., Recoding], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit: the order in which they are tried hangs on it."""
    compared = 0

    def compare(  # as the search calls it
        models: Sequence[PrivacyModel],
        groups: Groups,
        holds: BoolArray,
        limit: int,
        price: Price,
        *more: Any,
        **named: Any,
    ) -> Confirmed:
        nonlocal compared
        prices = named["prices"] if "prices" in named else more[-1]
        for left in chain.from_iterable(combinations(range(len(groups)), n) for n in (0, 1, 2)):
            others = [g for g in range(len(groups)) if g not in left]
            told = prices(np.array(left, dtype=np.int64), np.array(others, dtype=np.int64))
            assert told == [price(np.array([*left, g])) for g in others]
            compared += len(told)
        return confirm(models, groups, holds, limit, price, *more, **named)

    for module in ("node_judge", "cuts"):
        monkeypatch.setattr(f"discreet.search.lattice.{module}.confirm", compare)
    for seed in range(60):
        table, models, limit, every = case_of_cuts(seed) if search is optimize else case(seed)
        if every:
            search(Problem(table.frequency(), models, limit, "loss", confirmed=True))
    assert compared > 100


def test_one_row_left_out_changes_what_the_others_are_compared_with() -> None:
    """Level 0 without c would lose 0.125, but then a is 0.286 away from the published rows: `*` is the best."""
    rows = {"q": list("aaabbbbc"), "s": list("zzyxxzyz")}
    words = {
        "attributes": {"q": {"role": "quasi_identifier"}, "s": {"role": "sensitive"}},
        "require": [{"t_closeness": {"t": 0.25}}],
        "suppress": 0.2,
    }
    plan = find_plan(policy_from_words(words), take_in(policy_from_words(words), rows))
    assert (plan.node, plan.suppressed, plan.facts["optimal"]) == ((1,), 0, True)
    words["require"] = [{"t_closeness": {"t": 0.286}}]
    plan = find_plan(policy_from_words(words), take_in(policy_from_words(words), rows))
    assert (plan.node, plan.suppressed, plan.facts["optimal"], plan.facts["score"]) == ((0,), 1, True, 0.125)


_values = st.lists(st.sampled_from(["flu", "cold", "gout"]), min_size=1, max_size=5)
_promises: st.SearchStrategy[PrivacyModel] = st.one_of(
    st.builds(
        TCloseness,
        st.sampled_from([0.1, 0.2, 0.3]),
        st.just("s"),
        st.sampled_from(["equal", "ordered", "hierarchical"]),
    ),
    st.builds(BetaLikeness, st.sampled_from([0.2, 0.5, 1]), st.just("s"), st.sampled_from(["basic", "enhanced"])),
    st.builds(DeltaDisclosure, st.sampled_from([0.2, 0.5, 1]), st.just("s")),
)


@given(st.lists(_values, min_size=2, max_size=6), _promises, st.integers(0, 8))
def test_what_is_beyond_help_fails_whatever_else_is_left_out(
    rows: list[list[str]], model: PrivacyModel, more: int
) -> None:
    groups = groups_of("s", *rows)
    lost = beyond_help([model], groups.among_themselves(), more)
    sizes = groups.sizes
    for left in chain.from_iterable(combinations(range(len(rows)), n) for n in range(len(rows))):
        if sizes[list(left)].sum() <= more:
            stay = np.ones(len(rows), dtype=np.bool_)
            stay[list(left)] = False
            holds = all_hold([model], groups.where(stay).among_themselves())
            assert not (holds & lost[stay]).any()


@given(st.lists(_values, min_size=1, max_size=6), _promises, st.integers(0, 12), st.integers(0, 12))
def test_the_cheapest_way_to_leave_groups_out_is_found_or_bounded(
    rows: list[list[str]], model: PrivacyModel, limit: int, judgements: int
) -> None:
    """Against all sets of groups; prices that have nothing to do with sizes."""
    groups = groups_of("s", *rows)
    holds = all_hold([model], groups)
    prices = np.array([(7 * i) % 5 for i in range(len(rows))])

    def confirmed_plans() -> Iterator[tuple[float, int]]:
        for left in chain.from_iterable(combinations(np.flatnonzero(holds), n) for n in range(holds.sum() + 1)):
            stay = holds.copy()
            stay[list(left)] = False
            if groups.sizes[~stay].sum() <= limit and all_hold([model], groups.where(stay).among_themselves()).all():
                yield float(prices[list(left)].sum()), int(groups.sizes[list(left)].sum())

    every = list(confirmed_plans()) if groups.sizes[~holds].sum() <= limit else []
    if groups.sizes[~holds].sum() > limit:
        return
    whole = confirm([model], groups, holds, limit, lambda left: float(prices[left].sum()))
    if not every:
        assert whole.left_out is None and whole.least == inf
    else:
        assert whole.left_out is not None
        assert (prices[whole.left_out].sum(), groups.sizes[whole.left_out].sum()) == min(every)
        assert whole.least == min(every)[0]
        dear = confirm([model], groups, holds, limit, lambda left: float(prices[left].sum()), most=min(every)[0])
        assert dear.left_out is None and dear.least == inf
    told = confirm(
        [model],
        groups,
        holds,
        limit,
        lambda left: float(prices[left].sum()),
        prices=lambda left, more: [float(prices[left].sum() + one) for one in prices[more].tolist()],
    )
    assert (told.least, told.judgements) == (whole.least, whole.judgements)
    assert np.array_equal(told.left_out, whole.left_out)
    few = confirm([model], groups, holds, limit, lambda left: float(prices[left].sum()), judgements=judgements)
    assert few.judgements <= judgements
    assert few.least <= min(every, default=(inf, 0))[0]
    if few.left_out is not None:
        assert (prices[few.left_out].sum(), groups.sizes[few.left_out].sum()) in every


def test_what_a_policy_finds_is_that_optimum() -> None:
    """The whole path: 300 tables by the words of policies, where the limit was lowered until something held."""
    for seed in range(300):
        table, models, limit, every = case(seed)
        if getattr(models[0], "distance", "") == "ordered":
            continue  # the order of the values is another one there
        words, columns = as_policy(table, models, limit)
        policy = policy_from_words(words)
        try:
            plan = find_plan(policy, take_in(policy, columns))
        except Infeasible:
            assert not every
            continue
        assert plan.facts["optimal"] is True
        assert plan.facts["score"] == pytest.approx(min(c.score("loss") for c in every), abs=TOLERANCE)


@given(st.lists(_values, min_size=1, max_size=4), _values, st.data())
def test_who_says_that_only_the_group_counts_is_right(
    rows: list[list[str]], others: list[str], data: st.DataObject
) -> None:
    """Promises that don't compare: whatever else the table has, their verdicts are the same."""
    [model] = data.draw(promises(("s",), max_size=1))
    if compares(model):
        return
    groups = groups_of("s", *rows)
    bigger = groups_of("s", *rows, others)
    assert model.holds(groups).tolist() == model.holds(bigger)[: len(rows)].tolist()


@pytest.mark.parametrize("search", ["instant", "instant_cuts"])
def test_a_release_from_a_summary_is_confirmed_and_claims_no_optimum(search: str, tmp_path: Path) -> None:
    """It is refused only if there is no release at all."""
    for seed in range(24):
        table, models, limit, every = case(seed)
        if getattr(models[0], "distance", "") == "ordered":
            continue  # the order of the values is another one there
        words, columns = as_policy(table, models, limit)
        try:
            release = anonymize(policy_from_words(words | {"search": search}), tmp_path / str(seed), source=columns)
        except Infeasible as error:
            assert not every
            assert "time" not in str(error)
            continue
        assert verify(tmp_path / str(seed)).kept
        assert "optimal" not in release.figures["facts"]
        if search == "instant":
            assert release.figures["loss"] >= min(c.score("loss") for c in every) - TOLERANCE


def test_a_value_that_a_promise_names_is_kept_by_a_coarser_node() -> None:
    """At the finest node the only row with hiv would be suppressed, and that there is a release would tell it."""
    rare = {"class": "III", "epsilon": 3, "prior": "uniform", "predicates": ["hiv"]}
    towns = {"taxonomy": [["a", "x"], ["b", "x"], ["c", "y"], ["d", "y"]]}
    attributes = {"town": {"role": "quasi_identifier", "hierarchy": towns}, "disease": {"role": "sensitive"}}
    policy = policy_from_words({"attributes": attributes, "require": [{"realistic": rare}], "suppress": 0.5})
    table = {"town": ["b", "b", "c", "b", "d"], "disease": ["flu", "cold", "flu", "flu", "hiv"]}
    frequency = take_in(policy, table).frequency
    for search in SEARCHES:
        alone, confirmed = (search(Problem(frequency, policy.models, 2, confirmed=c)) for c in (False, True))
        assert (alone.node, alone.suppressed) == ((0,), 1)
        assert (confirmed.node, confirmed.suppressed, confirmed.facts["optimal"]) == ((1,), 0, True)


@given(st.lists(_values, min_size=1, max_size=6), _promises, st.integers(0, 12))
def test_whoever_listens_is_heard_before_every_judgement(
    rows: list[list[str]], model: PrivacyModel, limit: int
) -> None:
    groups = groups_of("s", *rows)
    holds = all_hold([model], groups)
    if groups.sizes[~holds].sum() > limit:
        return
    heard: list[None] = []
    judged = confirm([model], groups, holds, limit, lambda left: float(len(left)), listen=lambda: heard.append(None))
    assert len(heard) == judged.judgements > 0
