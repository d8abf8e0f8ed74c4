"""The instant study in small: invented people, a few settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product

import pytest

from discreet.counts.roll_up import RollUp
from discreet.models.base import all_hold
from discreet.search.lattice.optimal import full_domain_plan
from discreet.search.plan import Problem
from discreet.studies.claims import Claim, Reproduction, to_json, to_text
from discreet.studies.data.census import invented
from discreet.studies.figures import Figure
from discreet.studies.instant.database import Database, in_database, mondrian_in_database, mondrian_in_memory
from discreet.studies.instant.database_claims import database_claims
from discreet.studies.instant.example import worked_example
from discreet.studies.instant.paper_claims import claims_of
from discreet.studies.instant.paper_figures import figures_of
from discreet.studies.instant.parts import Parts
from discreet.studies.instant.runs import (
    ALL_FOUR,
    CUTS,
    EVERY,
    EXACT,
    INCOGNITO,
    OPTIMIZE,
    Case,
    Design,
    Instant,
    Runs,
    all_runs,
)
from discreet.studies.page import to_html

SMALL = Design(
    ks=(3, 10),
    k=5,
    ls=(2, 3),
    l=2,
    shares=(0.5, 1.0),
    attributes=(2, 3),
    suppress=(0.02,),
    thresholds=(0.1, 0.9),
    few=0.5,
    queries=3,
    patience=0.05,
)
ROWS = 600


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return Parts(invented(ROWS), tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def runs(parts: Parts) -> Runs:
    return all_runs(parts, ROWS, SMALL)


@pytest.fixture(scope="module")
def database(parts: Parts) -> Database:
    return in_database(parts, ROWS, SMALL)


@pytest.fixture(scope="module")
def made(runs: Runs, database: Database) -> Reproduction:
    claims = (*worked_example(), *claims_of(runs), *database_claims(runs, database))
    return Reproduction("a paper", "invented people", False, claims, 1.0, tuple(figures_of(runs, database)))


def claim(made: Reproduction, words: str) -> Claim:
    [found] = [c for c in made.claims if words in c.says]
    return found


def figure(made: Reproduction, words: str) -> Figure:
    [found] = [f for f in made.figures if f.title.startswith(words)]
    return found


def all_cases(runs: Runs) -> Iterator[Case]:
    yield from dict.fromkeys(case for case, _ in runs.by_case)


def test_the_papers_example_is_found_again_but_for_a_number_that_it_contradicts_itself() -> None:
    assert [c.where for c in worked_example() if not c.holds] == ["section 5.1"]


def test_a_part_has_its_rows_in_memory_in_the_file_and_in_the_summaries(parts: Parts) -> None:
    part = parts.part(300, 2)
    assert part.frequency.rows == 300
    assert len(part.frequency.hierarchies) == 2
    looked = part.looks("salary").at_node((0, 0))
    assert looked.rows == 300
    assert sorted(map(int, looked.totals["salary"])) == sorted(map(int, part.frequency.totals["salary"]))
    for summary in (part.histogram, part.network):
        assert summary.rows == 300
        for d in range(2):
            assert (summary.counts[d] == part.frequency.rows_by_leaf(d)).all()
    assert parts.part(300, 2) is part


def test_nothing_loses_less_than_the_optimum_which_incognito_finds_too(runs: Runs) -> None:
    for case in all_cases(runs):
        if (case, EXACT) in runs.by_case:
            best = runs.by_case[case, EXACT]
            assert runs.by_case[case, INCOGNITO].loss == pytest.approx(best.loss)
            for method in ALL_FOUR:
                if (case, method) in runs.by_case:
                    assert runs.by_case[case, method].loss >= best.loss - 1e-12


def test_the_optimum_is_that_of_a_look_at_every_node(runs: Runs, parts: Parts) -> None:
    case = Case("ℓ", 2, ROWS, 2)
    problem = Problem(parts.part(ROWS, 2).frequency, case.models)
    roll_up = RollUp(problem.frequency)
    nodes = product(*(range(h.height + 1) for h in problem.frequency.hierarchies))
    holding = [node for node in nodes if all_hold(problem.models, roll_up.groups(node).groups).all()]
    losses = [full_domain_plan(problem, roll_up, node, {}).losses.mean() for node in holding]
    assert runs.by_case[case, EXACT].loss == pytest.approx(min(losses))


def test_what_s_instant_publishes_keeps_the_promise(runs: Runs, parts: Parts) -> None:
    for (case, method), run in runs.by_case.items():
        if isinstance(method, Instant) and run.node is not None:
            groups = RollUp(parts.part(case.rows, case.attributes).frequency).groups(run.node).groups
            broken = int(groups.sizes[~all_hold(case.models, groups)].sum())
            assert broken == run.suppressed <= case.limit


def test_no_cut_loses_less_than_the_best_one(runs: Runs) -> None:
    for case, method in runs.by_case:
        if method in CUTS:
            best = runs.by_case[case, OPTIMIZE]
            assert best.facts["optimal"]
            assert runs.by_case[case, method].loss >= best.loss - 1e-12
            assert best.loss <= runs.by_case[case, EXACT].loss + 1e-12


def test_in_the_database_incognito_counts_what_it_counts_in_memory(runs: Runs, database: Database) -> None:
    case, waited = database.waited
    assert waited.waited_for
    assert waited.queries == runs.by_case[case, INCOGNITO].scans
    for asked in runs.cases("value"):
        guess = database.incognito[asked]
        assert guess.queries == runs.by_case[asked, INCOGNITO].scans
        assert guess.waited_for == (guess.queries <= SMALL.queries)
        assert guess.seconds > 0


def test_in_the_database_s_instant_finds_what_it_finds_in_memory(runs: Runs, database: Database) -> None:
    assert database.instant
    for key, run in database.instant.items():
        assert run.node == runs.by_case[key].node
        assert run.loss == pytest.approx(runs.by_case[key].loss)
        assert run.scans == runs.by_case[key].scans


def test_mondrian_in_the_database_is_guessed_when_patience_ends(parts: Parts) -> None:
    part, case = parts.part(ROWS, 2), Case("k", 5, ROWS, 2)
    groups = mondrian_in_memory(part, case).groups
    whole = mondrian_in_database(part, case, groups, patience=100)
    assert whole.waited_for
    guess = mondrian_in_database(part, case, groups, patience=0)
    assert not guess.waited_for
    assert groups <= guess.queries
    assert guess.queries < 10 * whole.queries


def test_every_figure_has_all_of_its_lines(made: Reproduction) -> None:
    for called in ("Figure 5(a)", "Figure 5(d)", "Figure 8(f)"):
        assert [s.name for s in figure(made, called).series] == [str(m) for m in EVERY]
    assert figure(made, "Figure 5(a)").places == ("3", "10")
    assert figure(made, "Figure 5(c)").places == ("0.3k", "0.6k")
    assert figure(made, "Figure 7(b)").places == ("2%",)
    assert figure(made, "Figure 8(e)").places == ("2", "3")
    assert figure(made, "Figure 11(a)").places == ("0.1", "0.9")
    titles = [f.title for f in made.figures]
    assert len(set(titles)) == len(titles)
    assert all(v is not None for f in made.figures for s in f.series for v in s.values)


def test_claims_are_judged_by_the_numbers_of_the_figures(made: Reproduction, runs: Runs) -> None:
    time = {s.name: s.values for s in figure(made, "Figure 5(a)").series}
    factors = [a / b for m in ALL_FOUR for a, b in zip(time[INCOGNITO], time[str(m)], strict=True)]  # type: ignore[operator]
    assert claim(made, "at least 100 times as fast as Incognito").holds == (min(factors) >= 100)
    counts = {s.name: s.values for f in made.figures if f.title.startswith("Figure 7: how") for s in f.series}
    once = all(v == 1 for m in ALL_FOUR if str(m) in counts for v in counts[str(m)])
    assert claim(made, "thousands of times, S-INSTANT once").holds == (once and max(counts[INCOGNITO]) >= 1000)  # type: ignore[type-var]


def test_it_is_told_as_text_page_and_json(made: Reproduction) -> None:
    assert to_text(made).count("measured:") == len(made.claims)
    page = to_html(made)
    assert page.count("✗ does not") == len(made.claims) - made.held
    assert page.count("The same as a table") == len(made.figures)
    told = json.loads(json.dumps(to_json(made), allow_nan=False))
    assert len(told["figures"]) == len(made.figures)
