"""Everybody's risk before and after, row by row; and what columns still say of each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize
from discreet.counts.frequency import FrequencySet
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Flat
from discreet.labels.whose import Whose
from discreet.report.associations import Most, associations, cramers_v
from discreet.report.html import custodian_page, release_page
from discreet.report.marginals import Grain
from discreet.report.sections.pairs_kept import MOST_COLUMNS, pairs_kept
from discreet.report.sections.risks import LEFT_OUT, RiskPicture, _of_table, guesses, risks
from discreet.report.text import to_json
from discreet.search.plan import Plan
from tests.report.examples import ambiguous, bucketized, custodian, frequencies, full_domain, manifest
from tests.report.patients import TABLE
from tests.report.towns import example
from tests.visits import policy as of_visits
from tests.visits import visits

PLANS = {
    "generalized": full_domain(TABLE, (1, 0), 5),
    "rows left out": full_domain(TABLE, (0, 0), 12),
    "bucketized": bucketized(TABLE, 6, left_out=20),
    "ambiguous": ambiguous(TABLE, 6),
}
FINE = Grain(1_000_000)


def rows_of(plan: Plan) -> list[tuple[tuple[int, ...], int, int]]:
    """Every row: its exact quasi-identifiers, its sensitive value, and its group."""
    f, [name] = plan.frequency, plan.frequency.sensitive
    return [
        (tuple(int(c[row]) for c in f.codes), int(f.sensitive[name][row]), int(group))
        for row, count, group in zip(plan.row, plan.count, plan.group, strict=True)
        for _ in range(int(count))
    ]


def picked(chance: float) -> str:
    """The step of a chance to pick a row, by its words."""
    many = round(1 / chance)
    steps = {1: "alone: found for certain", 2: "1 in 2", 4: "1 in 3 or 4", 9: "1 in 5 to 9"}
    steps |= {19: "1 in 10 to 19", 49: "1 in 20 to 49", 99: "1 in 50 to 99"}
    return next((label for most, label in steps.items() if many <= most), "1 in 100 or more")


def guessed(chance: float) -> str:
    if chance == 1:
        return "certain"
    steps = {0.9: "90% or more", 0.75: "75% to 90%", 0.5: "50% to 75%", 0.25: "25% to 50%", 0.1: "10% to 25%"}
    return next((label for least, label in steps.items() if chance >= least), "below 10%")


def check(picture: RiskPicture, before: list[float], after: list[float], left_out: int, step: Any) -> None:
    rows = len(before)
    old, new = Counter(map(step, before)), Counter(map(step, after)) + Counter({LEFT_OUT: left_out})
    for s in picture.steps:
        assert s.before == pytest.approx(100 * old[s.label] / rows, abs=0.5001), s
        assert s.after == pytest.approx(100 * new[s.label] / rows, abs=0.5001), s
        assert (s.told_before == "0%") == (old[s.label] == 0)
        assert (s.told_after == "0%") == (new[s.label] == 0)
    assert set(old) | set(new) <= {s.label for s in picture.steps}
    assert picture.mean_before == pytest.approx(np.mean(before))
    assert picture.mean_after == pytest.approx(np.mean(after))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_everybodys_risk_is_that_of_counting_row_by_row(plan: Plan) -> None:
    rows = rows_of(plan)
    places, groups = Counter(q for q, _, _ in rows), Counter(g for _, _, g in rows)
    of_place, of_group = Counter((q, v) for q, v, _ in rows), Counter((g, v) for _, v, g in rows)
    most = {q: max(n for (p, _), n in of_place.items() if p == q) for q in places}
    most_after = {g: max(n for (p, _), n in of_group.items() if p == g) for g in groups}
    kept = [row for row in rows if row[2] >= 0]
    found = risks(plan, Whose.ONE_EACH, FINE)
    assert found is not None
    guess = found.pictures[-1]
    check(
        guess,
        [most[q] / places[q] for q, _, _ in rows],
        [most_after[g] / groups[g] for _, _, g in kept],
        len(rows) - len(kept),
        guessed,
    )
    assert (guess.attribute, guess.of) == ("illness", "people")
    if plan.exact:
        assert len(found.pictures) == 1
    else:
        pick = found.pictures[0]
        check(
            pick,
            [1 / places[q] for q, _, _ in rows],
            [1 / groups[g] for _, _, g in kept],
            len(rows) - len(kept),
            picked,
        )


@given(data=st.data())
def test_risks_in_a_table_are_the_same_in_whatever_order_it_was_counted(data: st.DataObject) -> None:
    """And with a second sensitive column: only combinations in order that have one need no sorting."""
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=30, unique=True))
    order = data.draw(st.permutations(range(len(rows))))
    f = frequency_of(sorted(rows), data.draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows))))
    of_places = Counter[tuple[int, ...]]()
    for row, n in zip(sorted(rows), f.counts.tolist(), strict=True):
        of_places[row[:2]] += n
    wanted = sorted(of_places.values())
    most = [
        max(n for row, n in zip(sorted(rows), f.counts.tolist(), strict=True) if row[:2] == place)
        for place in sorted(of_places)
    ]
    sure = [n / of_places[place] for n, place in zip(most, sorted(of_places), strict=True)]
    places = np.array(order)
    for table in (f, shuffled(f, places), replace(f, sensitive={**f.sensitive, "t": f.sensitive["s"]})):
        (chance, sizes), guessed_values = _of_table(table)
        assert sorted(sizes.tolist()) == wanted
        assert chance.tolist() == (1 / sizes).tolist()
        assert guessed_values["s"][0].tolist() == sure


def frequency_of(rows: list[tuple[int, ...]], counts: list[int]) -> FrequencySet:
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    x, y, s, t = (build(name, ["a", "b", "c"], Flat()) for name in ("x", "y", "s", "t"))
    return FrequencySet((x, y), (columns[0], columns[1]), {"s": columns[2]}, {"s": s, "t": t}, np.array(counts))


def shuffled(f: FrequencySet, order: np.ndarray) -> FrequencySet:
    codes, sensitive = tuple(c[order] for c in f.codes), {name: c[order] for name, c in f.sensitive.items()}
    return replace(f, codes=codes, sensitive=sensitive, counts=f.counts[order])


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_leaves_of_what_is_published_are_those_of_its_rows(plan: Plan) -> None:
    kept = [q for q, _, group in rows_of(plan) if group >= 0]
    for d, leaves in enumerate(plan.published_leaves):
        counted = Counter(q[d] for q in kept)
        assert leaves.tolist() == [counted[leaf] for leaf in range(len(leaves))]


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS.keys())
def test_the_published_page_tells_the_guesses_that_the_release_tells(plan: Plan) -> None:
    """Shares of what is published, of nothing else: whoever holds the release could count them."""
    kept = [row for row in rows_of(plan) if row[2] >= 0]
    groups, of_group = Counter(g for _, _, g in kept), Counter((g, v) for _, v, g in kept)
    best = {g: max(n for (p, _), n in of_group.items() if p == g) / groups[g] for g in groups}
    steps = Counter(guessed(best[g]) for _, _, g in kept)
    [picture] = guesses(plan.groups, Whose.ONE_EACH)
    assert {s.label: round(s.after * len(kept) / 100) for s in picture.steps if s.after} == dict(steps)
    assert picture.mean_before is None
    assert all(s.before == 0 for s in picture.steps)


def test_both_pages_have_their_pictures_and_the_published_one_nothing_of_the_source(tmp_path: Path) -> None:
    plan = PLANS["generalized"]
    data = custodian(plan, manifest(plan, 5))
    ours, theirs = custodian_page(data), release_page(data)
    assert "Risk per person, before and after" in ours and "Which columns still go together" in ours
    assert "How well values can be guessed" in theirs and "How well values can be guessed" not in ours
    for words in ("before and after", "go together", "in the source", "Which column costs most"):
        assert words not in theirs
    assert json.loads(json.dumps(to_json(data)["risks"]))["pictures"][0]["of"] == "people"


def test_a_table_that_was_not_looked_at_closely_has_no_before() -> None:
    plan = example(node=(2, 1))
    looked = replace(plan.frequency, leaf_rows=plan.frequency.counted_leaves)
    blind = replace(plan, frequency=looked)
    assert risks(blind, Whose.ONE_EACH, FINE) is None
    assert pairs_kept(blind) is None


def test_people_with_several_rows_are_counted_once(tmp_path: Path) -> None:
    table = visits(60, 5)
    release = anonymize(of_visits({"k_anonymity": {"k": 4}}), tmp_path / "release", source=table)
    pick = release.report.sections["risks"].pictures[0]
    assert pick.of == "people"
    assert sum(s.before for s in pick.steps) == pytest.approx(100, abs=20)  # each is rounded to a coarse step
    assert "Bars show shares of all people" in custodian_page(release.report)


def test_what_goes_together_is_cramers_v_of_the_source_and_of_the_release() -> None:
    plan = PLANS["generalized"]
    found, all_of_it = pairs_kept(plan), associations(plan)
    assert found is not None and not found.sampled
    assert found.before == tuple(map(tuple, all_of_it.before))
    assert found.after == tuple(map(tuple, all_of_it.after))
    table = np.zeros((len(TABLE.hierarchies[0].leaves), len(TABLE.sensitive_hierarchies["illness"].leaves)))
    np.add.at(table, (TABLE.codes[0], TABLE.sensitive["illness"]), TABLE.counts)
    assert found.before[-1][0] == pytest.approx(cramers_v(table))


def test_the_pair_that_loses_most_is_told_first() -> None:
    rows = [(a, b, a) for a in "abcd" for b in "xy" for _ in range(30)]
    values: dict[str | None, tuple[str | None, ...]] = {v: () for v in "abcdxy"}
    table = frequencies(rows, {"a": values, "b": values}, ["s"])
    plan = full_domain(table, (1, 0), 2)  # nothing is left of the column that tells everything
    found = pairs_kept(plan)
    assert found is not None
    assert found.lost[0] == ("a", "s", pytest.approx(1.0), 0.0)
    page = custodian_page(custodian(plan, manifest(plan, 2)))
    assert "Most is lost between <b>a</b> and <b>s</b>: 1.00 became 0.00" in page


def test_of_many_columns_those_are_shown_that_say_most_of_the_sensitive_one() -> None:
    random = np.random.default_rng(3)
    sick = random.integers(0, 2, 400)
    columns = [
        np.where(random.random(400) < 0.9, sick, 1 - sick) if i == 11 else random.integers(0, 2, 400) for i in range(14)
    ]
    rows = [tuple(str(c[i]) for c in (*columns, sick)) for i in range(400)]
    table = frequencies(rows, {f"q{i}": {"0": (), "1": ()} for i in range(14)}, ["sick"])
    found = pairs_kept(full_domain(table, (0,) * 14, 1))
    assert found is not None
    assert len(found.names) == MOST_COLUMNS and "q11" in found.names
    assert (found.left_out, found.chosen_by) == (5, "sick")


def test_a_part_of_many_counts_comes_close() -> None:
    plan = example(2_000, (1, 1), 5)
    whole, part = associations(plan), associations(plan, most=Most(combinations=250, groups=1))
    assert part.sampled and not whole.sampled
    for a, b in zip(whole.before, part.before, strict=True):
        for x, y in zip(a, b, strict=True):
            assert (x is None) == (y is None)
            assert x is None or abs(x - y) < 0.3


def test_columns_are_ordered_by_what_they_cost() -> None:
    page = custodian_page(custodian(example(node=(3, 0)), manifest(example(node=(3, 0)), 20)))
    for heading in ('id="loss"', "Which column costs most"):
        table = page.partition(heading)[2].partition("<tbody>")[2].partition("</tbody>")[0]
        assert re.findall(r'class="name">(\w+)</th>', table) == ["town", "age"]
