"""S-INSTANT: whatever the summary says, what is published keeps every promise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import Codes
from discreet.counts.cells import Cells
from discreet.errors import DiscreetError, Infeasible
from discreet.models.base import PrivacyModel
from discreet.models.groups.k_anonymity import KAnonymity
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.groups.t_closeness import TCloseness
from discreet.models.likelihood.likely import Options
from discreet.models.presence.presence import Presence
from discreet.models.verdicts import verdict
from discreet.search.instant.s_instant import Tuning, candidates, coarsened, s_instant
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem, Recoding
from discreet.summaries.base import Summary, TooManyGroups
from discreet.utility.objectives import OBJECTIVES
from tests import strategies
from tests.models.cases import ATTRIBUTE
from tests.presence.worlds import World, deltas, outcome, worlds
from tests.search import brute_force
from tests.search.summarized import Knowing, Looks, Lying, looks
from tests.strategies import Node, Table, tables

PAPER = 0  # answers in a look: only candidates are looked at
answers = st.sampled_from([PAPER, 20, 500_000])
utilities = st.sampled_from(sorted(name for name, objective in OBJECTIVES.items() if not objective.needs_groups))
k_anonymities = st.builds(KAnonymity, st.integers(2, 4))
diversities = st.builds(FrequencyDiversity, st.integers(2, 3), st.just(ATTRIBUTE))
promises = st.lists(k_anonymities | diversities, min_size=1, max_size=2).map(tuple)


def found(
    table: Table, summary: Summary, models: tuple[PrivacyModel, ...], limit: int, answers: int, utility: str = "loss"
) -> tuple[Recoding | None, Looks]:
    """Search; everything that is published must hold, row by row."""
    seen = looks(table.frequency())
    try:
        plan = s_instant(summary, models, seen.at, limit, utility, tuning=Tuning(answers_in_a_look=answers))
    except Infeasible as error:
        assert error.closest and error.witness is not None
        return None, seen
    assert plan.facts["looks"] == len(seen.nodes) >= 1
    assert plan.node is not None
    [judged] = brute_force.candidates(table, models, [plan.node])
    assert plan.suppressed == judged.suppressed <= limit
    assert sorted(plan.groups.sizes.tolist()) == sorted(map(len, judged.kept))
    assert plan.losses.tolist() == pytest.approx([float(x) for x in judged.losses])
    assert plan.facts["score"] == pytest.approx(judged.score(utility))
    return plan, seen


@given(tables(), promises, st.integers(0, 5), st.booleans(), answers, utilities, st.integers(0, 9))
def test_what_is_published_keeps_every_promise_whatever_the_summary_says(
    table: Table,
    models: tuple[PrivacyModel, ...],
    limit: int,
    honest: bool,
    answers: int,
    utility: str,
    seed: int,
) -> None:
    f = table.frequency()
    summary = Knowing(f) if honest else Lying(f, seed)
    plan, _ = found(table, summary, models, limit, answers, utility)
    if limit == 0:
        [top] = brute_force.candidates(table, models, [table.heights])
        assert (plan is None) == (top.suppressed > 0)
    if plan is None:
        assert all(c.suppressed > limit for c in brute_force.candidates(table, models, [table.heights]))


@given(tables(), promises, st.integers(0, 5))
def test_one_look_that_is_fine_enough_gives_the_optimum(
    table: Table, models: tuple[PrivacyModel, ...], limit: int
) -> None:
    plan, seen = found(table, Knowing(table.frequency()), models, limit, 500_000)
    if plan is not None:
        assert len(seen.nodes) == 1
        best = optimal(Problem(table.frequency(), models, limit))
        assert plan.losses.mean() == pytest.approx(best.losses.mean())


def big(rows: int = 4000) -> Table:
    """Two attributes that are independent, with values that are rare and values that are not."""
    random = np.random.default_rng(5)
    trees = {f"v{i}": (f"pair {i // 2}", f"four {i // 4}") for i in range(12)}
    weights = 1.0 / np.arange(1, 13) ** 2
    names = list(trees)
    columns = [random.choice(names, rows, p=weights / weights.sum()) for _ in range(3)]
    disease = random.choice(["asthma", "cold", "gout"], rows, p=[0.4, 0.35, 0.25])
    from tests.models.cases import PATHS

    return Table((trees,) * 3, tuple(zip(*columns, strict=True)), {ATTRIBUTE: tuple(disease)}, {ATTRIBUTE: PATHS})


TABLE = big()
FREQUENCY = TABLE.frequency()


@pytest.mark.parametrize("limit", [0, 40])
@pytest.mark.parametrize("model", [KAnonymity(10), FrequencyDiversity(2, ATTRIBUTE)], ids=lambda m: m.describe())
def test_an_honest_summary_needs_few_looks_and_a_fine_one_finds_the_optimum(model: PrivacyModel, limit: int) -> None:
    best = optimal(Problem(FREQUENCY, (model,), limit))
    for many in (PAPER, 500_000):
        seen = looks(FREQUENCY)
        plan = s_instant(Knowing(FREQUENCY), (model,), seen.at, limit, tuning=Tuning(answers_in_a_look=many))
        assert len(seen.nodes) <= 2
        assert best.losses.mean() <= plan.losses.mean() + 1e-12
        if many != PAPER:
            assert plan.losses.mean() <= best.losses.mean() + 1e-12
        assert plan.suppressed <= limit
        assert plan.groups.sizes.min() >= (model.k if isinstance(model, KAnonymity) else 2)


def test_a_lie_costs_looks_but_not_many() -> None:
    for seed in range(5):
        seen = looks(FREQUENCY)
        plan = s_instant(Lying(FREQUENCY, seed), (KAnonymity(10),), seen.at, tuning=Tuning(answers_in_a_look=2_000))
        assert plan.groups.sizes.min() >= 10
        assert len(seen.nodes) <= 12
        assert len(set(seen.nodes)) == len(seen.nodes)


@pytest.mark.parametrize("limit", [0, 40])
def test_candidates_are_those_of_the_whole_lattice_in_order_of_loss(limit: int) -> None:
    models = (KAnonymity(10),)
    summary = Knowing(FREQUENCY)
    given_out = list(candidates(summary, models, limit))
    every = [c for c in (_alone(summary, models, limit, node) for node in TABLE.nodes) if c is not None]
    assert {c.node for c in given_out} == {node for node, _ in every}
    costs = [c.cost for c in given_out]
    assert costs == sorted(costs)
    exact = {c.node: float(sum(c.losses) / len(c.losses)) for c in brute_force.judged(TABLE, lambda rows: True)}
    share = [c.score.expectation / len(TABLE.rows) if limit else 0.0 for c in given_out]
    wanted = [exact[c.node] + s * (1 - exact[c.node]) for c, s in zip(given_out, share, strict=True)]
    assert costs == pytest.approx(wanted)


def _alone(summary: Summary, models: tuple[PrivacyModel, ...], limit: int, node: Node) -> tuple[Node, float] | None:
    """A node scored by itself, if it is a candidate."""
    from discreet.models.likelihood.likely import likely

    score = likely(models[0], summary.cells(node), summary.rows)
    good = score.expectation <= limit if limit else score.probability >= 0.8
    return (node, score.expectation) if good else None


def test_the_first_candidates_are_found_without_scoring_most_of_the_lattice() -> None:
    every = candidates(Knowing(FREQUENCY), (KAnonymity(10),))
    assert every.ahead(1) == every.ahead(1)
    assert every.scored < every.nodes / 2
    first = next(iter(every))
    assert first not in every.ahead(3)
    every.refuse(first.node)
    assert all(any(a > b for a, b in zip(c.node, first.node, strict=True)) for c in every)


def test_nothing_is_read_but_looks() -> None:
    """Phase 1 has no data: a table of a hundred times as many rows gives the same work."""
    few = Knowing(FREQUENCY)
    many = Knowing(replace(FREQUENCY, counts=FREQUENCY.counts * 100))
    assert candidates(few, (KAnonymity(10),)).ahead(1)[0].node >= candidates(many, (KAnonymity(10),)).ahead(1)[0].node
    seen = looks(FREQUENCY)
    candidates(few, (KAnonymity(10),)).ahead(5)
    assert not seen.nodes


class TooFine(Knowing):
    """A summary that can't answer for fine nodes."""

    def cells(self, node: Node, sensitive: str = "") -> Cells:
        if sum(node) < 5:
            raise TooManyGroups("too fine")
        return super().cells(node, sensitive)


def test_nodes_too_fine_for_the_summary_are_no_candidates() -> None:
    assert all(sum(c.node) >= 5 for c in candidates(TooFine(FREQUENCY), (KAnonymity(2),)))


class Fragile(TCloseness):
    """A promise that merging two groups may break."""

    monotone = False


def test_promises_that_can_not_be_searched_for_are_refused_together() -> None:
    with pytest.raises(DiscreetError) as caught:
        candidates(Knowing(FREQUENCY), (Presence((0, 0.5)), KAnonymity(2), Fragile(0.5, ATTRIBUTE)))
    assert len(caught.value.mistakes) == 2
    assert "foreseen" in str(caught.value)
    assert "survive merging" in str(caught.value)


@pytest.mark.parametrize("suppression", ["judged", "told"])
@given(worlds(), deltas, st.integers(2, 3), st.integers(0, 4), st.booleans(), answers)
def test_presence_is_searched_for_among_a_population(
    suppression: str, world: World, delta: tuple[Fraction, Fraction], k: int, limit: int, honest: bool, answers: int
) -> None:
    f = world.frequency()
    models = (Presence(delta, suppression=suppression), KAnonymity(k))
    hides = limit if suppression == "judged" else None
    summary = Knowing(f) if honest else Lying(f, 1)
    seen = looks(f)
    top = outcome(world, world.everybody.heights, delta, k, hides)
    try:
        tuning = Tuning(answers_in_a_look=answers)
        plan = s_instant(summary, models, seen.at, limit, tuning=tuning, population=f.population)
    except Infeasible:
        assert not top.allowed or top.suppressed > limit
        return
    assert plan.node is not None
    published = outcome(world, plan.node, delta, k, hides)
    assert published.allowed
    assert plan.suppressed == published.suppressed <= limit
    assert all(v.holds for v in (verdict(model, plan.groups) for model in models))


@given(tables(), strategies.promises(), answers)
def test_every_other_promise_is_searched_for_too(table: Table, models: tuple[PrivacyModel, ...], answers: int) -> None:
    plan, _ = found(table, Knowing(table.frequency()), models, 0, answers)
    [top] = brute_force.candidates(table, models, [table.heights])
    assert (plan is None) == (top.suppressed > 0)


def test_a_utility_that_needs_groups_is_refused() -> None:
    with pytest.raises(DiscreetError, match="does not tell"):
        candidates(Knowing(FREQUENCY), (KAnonymity(2),), utility="discernibility")


def test_options_reach_the_probabilities() -> None:
    paper = candidates(Knowing(FREQUENCY), (KAnonymity(10),), options=Options(counts="binomial", sums="normal"))
    assert 0.8 <= paper.ahead(1)[0].score.probability <= 1


@given(tables())
def test_coarsening_counts_equal_combinations_once(table: Table) -> None:
    f = table.frequency()
    for node in table.nodes:
        raised = coarsened(f, node)
        assert raised.rows == f.rows
        columns: list[Codes] = [*raised.codes, *raised.sensitive.values()]
        assert len(np.unique(np.stack(columns), axis=1).T) == len(raised.counts)
        for h, level, codes in zip(f.hierarchies, node, raised.codes, strict=True):
            assert np.isin(codes, h.first[level]).all()
