"""`discreet reproduce ambiguity` on invented people: what is proven must hold, what is measured must be right."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.publications.answers import answers
from discreet.search.multidimensional.mondrian import mondrian
from discreet.search.plan import Ambiguity, Problem
from discreet.studies.ambiguity import study as ambiguity
from discreet.studies.ambiguity.measure import measure
from discreet.studies.ambiguity.paper_claims import claims_of
from discreet.studies.ambiguity.paper_figures import figures_of
from discreet.studies.ambiguity.runs import (
    ANATOMY,
    ATTRIBUTE_SETS,
    BETA,
    GENERALIZATION,
    METHODS,
    OVER_ALL,
    SEPARATE_TABLES,
    Design,
    Measured,
    Questions,
    release,
    same_groups,
)
from discreet.studies.claims import Claim, to_json, to_text
from discreet.studies.data.census import invented
from discreet.studies.page import to_html
from discreet.studies.study import reproduce

ROWS = 3_000
SMALL = Design(
    alphas=(Fraction(1, 10), Fraction(1, 30)),
    tighter=(Fraction(1, 30),),
    betas=(Fraction(1, 5), Fraction(1, 2)),
    densities=(1, 3),
    fifths=(5,),
    queries=500,
)


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure(invented(ROWS).frequency, SMALL)


def claim(measured: Measured, words: str) -> Claim:
    [found] = [c for c in claims_of(measured) if words in c.says]
    return found


def test_every_ambiguous_release_is_private_and_diverse(measured: Measured) -> None:
    assert claim(measured, "every release is (α, β)-private").holds
    assert claim(measured, "every release is ⌈1/β⌉-diverse").holds
    for (alpha, _), r in measured.grid.items():
        assert r is None or (r.largest_presence or 0) <= float(alpha)


def test_there_is_a_release_for_every_promise_of_the_study(measured: Measured) -> None:
    assert set(measured.grid) == {(alpha, beta) for alpha in SMALL.alphas for beta in SMALL.timed_betas}
    for method in METHODS:
        made = measured.by_beta[method, BETA]
        assert made is not None
        assert made.rows == pytest.approx(ROWS // 5 * (1 - made.suppressed))


def test_a_release_that_the_table_does_not_have_is_none() -> None:
    frequency = invented(1_000).frequency
    assert release(SEPARATE_TABLES, frequency, Fraction(1, 10), Fraction(1, 60)) is None  # of 50 values
    assert release(ANATOMY, frequency, Fraction(1, 10), Fraction(1, 40)) is None  # one value has 7%


def test_how_many_rows_find_no_group_is_told() -> None:
    made = release(SEPARATE_TABLES, invented(1_000).frequency, Fraction(1, 10), Fraction(1, 40))
    assert made is not None
    assert made.keeps
    assert made.suppressed > 0.1


def test_errors_are_means_over_queries_of_one_kind() -> None:
    frequency = invented(2_000).frequency
    questions = Questions(frequency, ((3, 0.1),), 300)
    queries, truth = questions.workloads[3, 0.1]
    plan = mondrian(Problem(frequency, (FrequencyDiversity(2, "salary"),)))
    off = [abs(a - t) / t for a, t in zip(answers(plan, queries), truth, strict=True) if t > 0]
    assert questions.errors(plan)[3, 0.1] == pytest.approx(sum(off) / len(off))


def test_the_same_groups_are_published_in_both_ways_and_counted_query_by_query() -> None:
    frequency = invented(2_000).frequency
    questions = Questions(frequency, ((3, 0.1),), 300)
    found = same_groups(questions, Fraction(1, 2), (3, 0.1))
    recoded = mondrian(Problem(frequency, (FrequencyDiversity(2, "salary"),), seed=7))
    apart = Ambiguity(frequency, recoded.row, recoded.count, recoded.group, tuple((d,) for d in range(7)))
    assert found.generalized == pytest.approx(questions.errors(recoded)[3, 0.1])
    assert found.ambiguous == pytest.approx(questions.errors(apart)[3, 0.1])
    assert 0 < found.worse < found.queries  # so theorem 6.1 is false


def test_what_is_said_of_generalization_is_what_was_measured(measured: Measured) -> None:
    found = claim(measured, "for every β")
    cases = [
        (ours.errors[3, s], theirs.errors[3, s])
        for beta in SMALL.betas
        for s in (0.01, 0.05, 0.1)
        if (ours := measured.by_beta[SEPARATE_TABLES, beta]) and (theirs := measured.by_beta[GENERALIZATION, beta])
    ]
    better = sum(a < b for a, b in cases)
    assert found.measured.startswith(f"it does in {better} of {len(cases)} cases")
    assert found.holds == (better == len(cases))


def test_a_tighter_alpha_is_kept_and_its_error_told(measured: Measured) -> None:
    [alpha] = SMALL.tighter
    for method in (SEPARATE_TABLES, ATTRIBUTE_SETS):
        made = measured.by_alpha[method, alpha]
        assert made is not None
        assert made.keeps
        assert (made.largest_presence or 0) <= float(alpha)


def test_over_all_groups_the_papers_releases_are_above_alpha_and_ours_are_not(measured: Measured) -> None:
    made = {(method, a): r for (method, a), r in measured.by_alpha.items() if r is not None and r.added_up is not None}
    ours = [r.added_up <= a for (method, a), r in made.items() if method == OVER_ALL]
    papers = [r.added_up > a for (method, a), r in made.items() if method == SEPARATE_TABLES]
    assert ours and all(ours)
    assert papers and all(papers)
    found = claim(measured, "nobody is in the table with more than α")
    assert not found.holds
    assert "presence: total" in found.measured


def test_a_time_that_is_a_plane_in_alpha_and_beta_is_called_linear(measured: Measured) -> None:
    def timed(of: Callable[[float, float], float]) -> Measured:
        keys = [(Fraction(1, a), Fraction(1, b)) for a in (10, 30, 100) for b in (2, 5, 10)]
        made = next(iter(measured.grid.values()))
        assert made is not None
        return replace(measured, grid={(a, b): replace(made, seconds=of(float(a), float(b))) for a, b in keys})

    assert not claim(timed(lambda a, b: 3 + 2 * a - b), "the time is linear").holds
    assert claim(timed(lambda a, b: 1 / (a * b)), "the time is linear").holds


def test_tables_over_sets_of_attributes_keep_the_promise_too(measured: Measured) -> None:
    made = [r for (method, _), r in measured.by_beta.items() if method == ATTRIBUTE_SETS]
    assert all(r is not None and r.keeps for r in made)
    assert "tables over sets of attributes" in claim(measured, "correlations").says


def test_figures_have_a_value_for_every_release(measured: Measured) -> None:
    figures = {f.title: f for f in figures_of(measured, ROWS)}
    six = figures["Figure 6: time over α and β"]
    assert len(six.series) == len(SMALL.timed_betas)
    assert all(len(s.values) == len(SMALL.alphas) for s in six.series)
    eight = figures["Figure 8: error over β, selectivity 5%"]
    ours = next(s for s in eight.series if s.name == SEPARATE_TABLES)
    made = [measured.by_beta[SEPARATE_TABLES, beta] for beta in SMALL.betas]
    assert list(ours.values) == [None if r is None else r.errors[3, 0.05] for r in made]


def test_the_whole_study_becomes_text_json_and_a_page(measured: Measured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ambiguity, "measure", lambda *_: measured)
    made = reproduce(ambiguity.STUDY, rows=ROWS)
    assert not made.from_folder
    assert "3,000 rows" in made.data
    page = to_html(made)
    assert page.count("<svg") >= len(made.figures)
    assert "Done differently from the paper" in page
    assert "<script" not in page
    told = json.loads(json.dumps(to_json(made), allow_nan=False))
    assert len(told["figures"]) == len(made.figures)
    assert to_text(made).count("measured:") == len(made.claims)
