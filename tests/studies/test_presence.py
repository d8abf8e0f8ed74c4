"""`discreet reproduce presence` on invented people: releases keep what they promise, and claims rest on the figures."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.counts.roll_up import RollUp
from discreet.models.base import all_hold
from discreet.models.verdicts import verdict
from discreet.search.lattice.optimal import full_domain_plan, optimal
from discreet.search.multidimensional.mondrian import mondrian
from discreet.studies.claims import Claim, Reproduction, to_json, to_text
from discreet.studies.figures import Figure
from discreet.studies.page import to_html
from discreet.studies.presence.data import DIABETES, RANDOM, SAMPLES, invented
from discreet.studies.presence.example import worked_example
from discreet.studies.presence.paper_claims import claims_of, evaluations, loss
from discreet.studies.presence.paper_figures import figures_of
from discreet.studies.presence.runs import (
    ALL,
    BESIDE,
    EXACT,
    FEW,
    MANY,
    MFALM,
    NO_DC,
    NO_PA,
    SPALM,
    Case,
    Design,
    Runs,
    all_runs,
    problem_of,
    steps,
)
from discreet.studies.presence.truth import KNOWN, PAIRS, SEARCHES, in_population

SMALL = Design(
    few=2,
    many=3,
    deltas=(("0.03", "0.06"), ("0", "0.1")),
    confidences=("0.6", "0.8", "0.95"),
    widths=(2, 4),
    sure=("0.5", "0.9"),
    part=100_000,
)


@pytest.fixture(scope="module")
def runs() -> Runs:
    return all_runs(invented(400), SMALL)


@pytest.fixture(scope="module")
def made(runs: Runs) -> Reproduction:
    claims = (*worked_example(), *claims_of(runs))
    return Reproduction("a paper", "invented people", False, claims, 1.0, tuple(figures_of(runs)))


def claim(made: Reproduction, words: str) -> Claim:
    [found] = [c for c in made.claims if words in c.says]
    return found


def figure(made: Reproduction, words: str) -> Figure:
    [found] = [f for f in made.figures if f.title.startswith(words)]
    return found


def cases(runs: Runs) -> list[Case]:
    return [case for sample in SAMPLES for n in (2, 3) for case in runs.by_delta(sample, n)]


def test_the_numbers_of_the_papers_examples_are_found_again() -> None:
    assert all(c.holds for c in worked_example())


def test_nothing_loses_less_than_the_exact_search(runs: Runs) -> None:
    for (case, method), run in runs.by_case.items():
        if method not in BESIDE:
            assert run.loss >= runs.by_case[case, EXACT].loss


def test_the_exact_search_is_no_worse_than_a_look_at_every_node(runs: Runs) -> None:
    case = Case(DIABETES, 2, ("0", "0.1"), "0.8")
    problem = problem_of(invented(400).table(DIABETES, 2), case)
    roll_up, rows = RollUp(problem.frequency), problem.frequency.rows
    losses = []
    for node in product(*(range(h.height + 1) for h in problem.frequency.hierarchies)):
        if all_hold(problem.models, roll_up.groups(node).groups).all():
            plan = full_domain_plan(problem, roll_up, node, {})
            assert plan.published.sum() == rows
            losses.append(plan.losses.mean())
    assert runs.by_case[case, EXACT].loss == pytest.approx(min(losses))
    assert runs.by_case[case, EXACT].facts["optimal"] is True


def test_the_truth_is_counted_in_the_population_that_there_is(runs: Runs) -> None:
    case = Case(RANDOM, 2, ("0", "0.1"), "0.8")
    table = invented(400).table(RANDOM, 2)
    assert table.population is not None
    plan = optimal(problem_of(table, case))
    kept = 0
    for low, high, size in zip(plan.low, plan.high, plan.groups.sizes, strict=True):
        inside = np.ones(len(table.population.counts), dtype=np.bool_)
        for d in range(2):
            inside &= (table.population.codes[d] >= low[d]) & (table.population.codes[d] <= high[d])
        kept += int(size) * (Fraction(int(size), int(table.population.counts[inside].sum())) <= Fraction(1, 10))
    assert runs.by_case[case, EXACT].people == kept / table.rows


def test_as_many_groups_as_expected_keep_delta_if_attributes_are_independent(runs: Runs) -> None:
    """What marginals leave open is drawn again and again: every attribute of the people outside, by itself."""
    case, table = Case(RANDOM, 2, ("0", "0.1"), "0.8"), invented(400).table(RANDOM, 2)
    assert table.marginals is not None
    plan, random = mondrian(problem_of(table, case)), np.random.default_rng(3)
    sizes, kept, draws = plan.groups.sizes, 0.0, 1_000
    values = [np.repeat(np.arange(len(c)), c) for c in table.marginals.counts]
    for _ in range(draws):
        inside = np.ones((len(sizes), table.marginals.size), dtype=np.bool_)
        for d, column in enumerate(values):
            drawn = random.permutation(column)
            inside &= (plan.low[:, [d]] <= drawn) & (drawn <= plan.high[:, [d]])
        kept += float((10 * sizes <= sizes + inside.sum(axis=1)).mean())
    assert runs.by_case[case, MFALM].expected == pytest.approx(kept / draws, abs=0.01)
    assert runs.by_case[case, MFALM].expected < 0.995  # there is something to tell


def test_a_release_that_tells_somebody_for_sure_is_told_to(made: Reproduction, runs: Runs) -> None:
    told = max(runs.by_case[case, MFALM].certain for case in cases(runs))
    assert (f"up to {told} people" if told else "Of nobody") in claim(made, "in the population that there is").measured
    worst = min(runs.by_case[case, MFALM].kept for case in cases(runs))
    assert claim(made, "in the population that there is").holds == (worst >= 0.8)


def test_the_promise_by_pairs_is_held_against_the_population(made: Reproduction, runs: Runs) -> None:
    assert len(runs.truths) == 2 * 2 * 2 * 2 * 2 * 2  # tables, attributes, δ, c, searches, what is known
    for search in SEARCHES:
        by_pairs = [(s, t) for (s, known), t in runs.truths.items() if s.search == search and known == PAIRS]
        kept = [t.kept >= float(s.confidence) for s, t in by_pairs]
        told = claim(made, f"of the groups of {search} keep δ among the people")
        assert told.holds == all(kept)
        assert f"by pairs in {sum(kept)} of {len(kept)} settings" in told.measured
    for search, known in product(SEARCHES, KNOWN):
        losses = [t.loss for (s, k), t in runs.truths.items() if (s.search, s.confidence, k) == (search, "0.9", known)]
        [line] = [s for s in figure(made, "What that costs").series if s.name == f"{search} by {known}"]
        assert line.values[-1] == pytest.approx(np.mean(losses))


def test_groups_that_keep_delta_are_counted_in_the_population() -> None:
    table = invented(400).table(RANDOM, 2)
    assert table.population is not None
    plan = optimal(problem_of(table, Case(RANDOM, 2, ("0", "0.1"), "0.5")))
    people, kept = in_population(plan, table, ("0", "0.1"))
    for g in range(len(plan.low)):
        inside = np.ones(len(table.population.counts), dtype=np.bool_)
        for d, codes in enumerate(table.population.codes):
            inside &= (plan.low[g, d] <= codes) & (codes <= plan.high[g, d])
        assert people[g] == table.population.counts[inside].sum()
        assert kept[g] == (10 * plan.groups.sizes[g] <= people[g])


def test_who_knows_the_population_keeps_delta_in_it(runs: Runs) -> None:
    for case in cases(runs):
        for method in BESIDE:
            if method != MFALM:
                assert runs.by_case[case, method].kept == 1
        assert 0 <= runs.by_case[case, MFALM].kept <= 1


def test_publishers_see_what_they_know_and_no_more() -> None:
    table, case = invented(400).table(DIABETES, 2), Case(DIABETES, 2, ("0", "0.1"), "0.8")
    assert problem_of(table, case).frequency.population is None
    assert problem_of(table, case, knowing=True).frequency.marginals is None
    [promise] = problem_of(table, case).models
    assert verdict(promise, optimal(problem_of(table, case)).groups).level >= 0.8


def test_pruning_checks_fewer_nodes_and_dc_evaluates_less(runs: Runs) -> None:
    for case in cases(runs):
        pruned, whole = runs.by_case[case, ALL].facts, runs.by_case.get((case, NO_PA))
        if whole is not None:
            assert int(str(pruned["nodes_checked"])) <= int(str(whole.facts["nodes_checked"]))
        assert evaluations(runs.by_case[case, ALL]) <= evaluations(runs.by_case[case, NO_DC])


def test_the_plain_recursion_stops_no_later_than_at_the_end(runs: Runs) -> None:
    assert set(runs.plain) == {case for case in cases(runs) if case.attributes == 2}
    assert all(0 < stopping <= whole for whole, stopping in runs.plain.values())


def test_every_figure_has_all_of_its_lines(made: Reproduction) -> None:
    assert len(made.figures) == 25
    for called, methods in (("Figure 4(b)", FEW), ("Figure 5(d)", MANY), ("Figure 7(d)", MANY)):
        assert tuple(s.name for s in figure(made, called).series) == methods
    assert figure(made, "Figure 4(a)").series[-1].name == "none (extrapolated)"
    assert figure(made, "Figure 5(a)").places == ("(0.03, 0.06)", "(0, 0.1)")
    assert all(v is not None for f in made.figures for s in f.series for v in s.values)


def test_a_method_has_one_colour_in_all_figures(made: Reproduction) -> None:
    seen: dict[str, set[int | None]] = {}
    for f in made.figures:
        for s in f.series:
            if s.name in (*FEW, *MANY):
                seen.setdefault(s.name, set()).add(s.colour)
    assert all(len(colours) == 1 for colours in seen.values())
    assert len({colour for colours in seen.values() for colour in colours}) == len(seen)


def test_claims_are_judged_by_the_numbers_of_the_figures(made: Reproduction, runs: Runs) -> None:
    few = figure(made, "Figure 4(b)").series
    worse = [a / b - 1 for a, b in zip(few[-1].values, few[0].values, strict=True)]  # type: ignore[operator]
    assert claim(made, "less than 5% worse").holds == (max(worse) < 0.05)
    random, biased = figure(made, "Figure 5(d)"), figure(made, "Figure 5(b)")
    ends = [(a, b) for i in (0, -1) for a, b in zip(random.series[i].values, biased.series[i].values, strict=True)]
    assert claim(made, "the random table loses less").holds == all(a < b for a, b in ends)  # type: ignore[operator]
    known = runs.by_case[Case(DIABETES, 3, ("0", "0.1"), "0.8"), SPALM].loss
    assert claim(made, "SPALM loses less than 0.6").holds == (known < 0.6)
    rates = [v for f in "ab" for s in figure(made, f"Figure 6({f})").series[:2] for v in s.values]
    assert claim(made, "prune 80 to 95%").holds == (min(rates) >= 0.8)  # type: ignore[type-var]
    assert claim(made, "at no loss of utility").holds


def test_table_5_is_beside_the_same_without_dc(runs: Runs) -> None:
    case = Case(DIABETES, 3, SMALL.delta, SMALL.confidence)
    expected = [runs.by_case[case, steps(w)].loss / runs.by_case[case, NO_DC].loss for w in SMALL.widths]
    assert runs.by_width(DIABETES, loss) == expected
    assert runs.by_case[case, steps(4)].node == runs.by_case[case, ALL].node


def test_it_is_told_as_text_page_and_json(made: Reproduction) -> None:
    text = to_text(made)
    assert text.count("measured:") == len(made.claims) == 28
    page = to_html(made)
    assert page.count("✗ does not") == len(made.claims) - made.held
    assert page.count("The same as a table") == len(made.figures)
    told = json.loads(json.dumps(to_json(made), allow_nan=False))
    assert len(told["figures"]) == len(made.figures)
