"""What the report says about releases of exact values agrees with counting by hand."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

from discreet.labels.figures import chance, percent
from discreet.report.data import ReportData
from discreet.report.html import custodian_page
from discreet.report.sections.ambiguous import ambiguous as how_sure
from discreet.report.sections.exact import exact, told_by_tables
from discreet.report.text import to_json, to_text
from discreet.search.plan import Ambiguity, Bucketization, Plan
from tests.patients import PATIENTS
from tests.report.examples import ambiguous, bucketized, custodian, frequencies, manifest, tables_of, without_values
from tests.report.patients import TABLE, people

COLUMNS = {name: {row[i]: () for row in PATIENTS} for i, name in enumerate(("age", "gender", "zip"))}


def patients(tables: tuple[tuple[int, ...], ...] = ((0,), (1,), (2,))) -> Ambiguity:
    """The eight patients of the ambiguity paper, in its two groups."""
    f = frequencies(PATIENTS, COLUMNS, ["disease"])
    return Ambiguity(f, np.arange(8), np.ones(8, dtype=np.int64), np.arange(8) // 4, tables)


def data_of(plan: Plan, **changes) -> ReportData:
    return custodian(plan, manifest(plan, 5, **changes))


def told(plan: Plan, **changes) -> str:
    """The report in all its forms."""
    data = data_of(plan, **changes)
    return custodian_page(data) + to_text(data) + json.dumps(to_json(without_values(data)))


def ambiguity(alpha: str, beta: str, level: float) -> dict:
    return {
        "model": {"ambiguity": {"alpha": alpha, "beta": beta, "attribute": "disease", "tables": "separate"}},
        "promise": f"({alpha}, {beta})-privacy of disease",
        "holds": True,
        "level": level,
        "required": f"presence at most {alpha} without a list of the people, association at most {beta}",
        "deciding_group": 4,
    }


def test_the_papers_patients_are_as_likely_as_in_the_paper():
    found = how_sure(patients().groups, "disease", [ambiguity("4/9", "1/2", 4 / 9)])
    assert found is not None
    assert (found.presence.largest, found.association.largest) == (4 / 9, 0.5)
    assert [(b.high, b.share) for b in found.presence.bins if b.share] == [(4 / 9, 1.0)]
    assert [(b.high, b.share) for b in found.association.bins if b.share] == [(0.5, 1.0)]
    assert found.presence.mean == pytest.approx((1 / 3 + 4 / 9) / 2)


def test_what_was_achieved_is_told_of_presence_and_of_association():
    data = data_of(patients(), promises=[ambiguity("4/9", "1/2", 4 / 9)])
    both = "presence 0.4444 in one group and 0.4444 over all groups together, association 0.5"
    assert data.promises[0].told == both  # one group has the men and the other the women: nobody is covered twice
    page = custodian_page(data)
    assert "α = 44.4%, as asked: nobody is above" in page
    assert "β = 50%, as asked: nobody is above" in page


def mixed() -> Ambiguity:
    """The same eight with men and women in both groups: both cover ages of 20, 50 and 60 in zip 23000."""
    f = frequencies(PATIENTS, COLUMNS, ["disease"])
    return Ambiguity(
        f, np.arange(8), np.ones(8, dtype=np.int64), np.array([0, 1, 0, 1, 0, 1, 1, 0]), ((0,), (1,), (2,))
    )


def test_presence_over_all_groups_is_on_the_first_screen_whatever_was_promised():
    plan = mixed()
    found = how_sure(plan.groups, "disease", [ambiguity("1/3", "1/2", 4 / 12)])
    listed = [
        [{row[i] for row, g in zip(PATIENTS, plan.group, strict=True) if g == group} for i in range(3)]
        for group in (0, 1)
    ]
    chances = [4 / math.prod(map(len, values)) for values in listed]
    sums = [
        sum(p for p, values in zip(chances, listed, strict=True) if all(v in s for v, s in zip(x, values, strict=True)))
        for x in product(*COLUMNS.values())
    ]
    assert found is not None and found.total_is_exact
    assert found.total == pytest.approx(max(sums)) and found.total > found.presence.largest == max(chances)
    data = data_of(plan, promises=[ambiguity("1/3", "1/2", 4 / 12)])
    first_screen = custodian_page(data).partition("Promises</h2>")[0]
    assert percent(found.total) in first_screen and percent(found.presence.largest) in first_screen
    assert f"over all groups together it comes to {chance(found.total)}" in to_text(data)


def test_it_is_not_open_where_all_groups_together_keep_alpha():
    data = data_of(patients(), promises=[ambiguity("4/9", "1/2", 4 / 9)])
    assert not any("over all groups together" in one.sentence for one in data.warnings)


def test_a_reader_takes_every_listed_value_for_as_many_rows():
    age, gender, zip_code = told_by_tables(patients())
    index = patients().frequency.hierarchies
    assert age[index[0].index["20"]] == pytest.approx(1 + 4 / 3)
    assert age[index[0].index["45"]] == pytest.approx(1)
    assert gender.tolist() == [4, 4]
    assert zip_code[index[2].index["23000"]] == pytest.approx(4 / 3 + 4 / 3)


def test_a_table_of_two_attributes_lists_their_combinations():
    together = patients(((0, 2), (1,)))
    age = told_by_tables(together)[0]
    assert age[together.frequency.hierarchies[0].index["60"]] == 3  # all eight combinations are different
    tables = exact(together, {"a.csv": ["age", "zip"], "b.csv": ["gender"], "s.csv": ["disease"]}).tables
    assert [(t.columns, t.sensitive, t.rows_per_group) for t in tables] == [
        (("age", "zip"), False, 4.0),
        (("gender",), False, 1.0),
        (("disease",), True, 3.5),
    ]


def test_the_release_as_a_reader_sees_it_has_all_published_rows():
    for plan in (ambiguous(TABLE, 7, left_out=30), ambiguous(TABLE, 7, tables=((0, 1),)), bucketized(TABLE, 7, 30)):
        for counts in told_by_tables(plan):
            assert counts.sum() == pytest.approx(plan.groups.sizes.sum())


def test_a_bucketized_release_tells_how_common_values_are():
    plan = bucketized(TABLE, 7)
    for counts, codes in zip(told_by_tables(plan), TABLE.codes, strict=True):
        assert counts.tolist() == np.bincount(codes, weights=TABLE.counts).tolist()
    assert all(m.moved == 0 for m in data_of(plan).marginals)


def test_values_that_only_suppressed_rows_have_are_counted_as_not_published():
    f = frequencies([("a", "x")] * 20 + [("b", "y")] * 20 + [("c", "z")], {"q": dict.fromkeys("abc", ())}, ["s"])
    rare = int(np.flatnonzero(f.counts == 1)[0])
    group = np.where(np.arange(3) == rare, -1, 0)
    plan = Bucketization(f, np.arange(3), f.counts, group)
    column = exact(plan, tables_of(plan)).columns[0]
    assert (column.originals, column.published) == (3, 2)
    assert ">c<" not in custodian_page(data_of(plan))


def test_exchanged_values_are_told_and_counted_as_published():
    f = frequencies([("a", "x")] * 30 + [("b", "y")] * 10, {"q": dict.fromkeys("ab", ())}, ["s"])
    x = f.sensitive_hierarchies["s"].index["x"]
    plan = Bucketization(
        f, np.arange(2), f.counts, np.zeros(2, dtype=np.int64), exchanged={"s": np.full(2, x, dtype=np.int32)}
    )
    data = data_of(plan)
    assert data.exact is not None and data.exact.exchanged == 0.25
    assert [(p.label, p.after) for p in data.marginals[1].pairs] == [("x", 100)]
    assert "Values that are not true" in dict(data.open_risks)
    assert "25% of the published rows" in custodian_page(data)
    assert "25% of the rows have an exchanged sensitive value" in to_text(data)


@pytest.mark.parametrize("plan", [bucketized(TABLE), ambiguous(TABLE)], ids=["bucketized", "ambiguous"])
def test_exact_values_are_not_said_to_be_coarser(plan: Plan):
    text = told(plan)
    assert "coarser" not in text
    assert "loss of exactness" not in text
    assert "cannot be told apart" not in text
    assert "looks the same" not in text


def test_who_is_in_a_bucketized_release_is_named_as_open():
    titles = dict(data_of(bucketized(TABLE)).open_risks)
    assert "Seeing who is in the table" in titles
    assert "Knowing what people of some kind tend to have" in titles


def test_what_an_ambiguous_release_leaves_open_is_named():
    data = data_of(patients(), promises=[ambiguity("4/9", "1/2", 4 / 9)])
    titles = dict(data.open_risks)
    assert {"A list of the population", "People that several groups cover"} <= set(titles)
    assert not any("in the table" in title for title in titles)
    assert "Being in the table is taken to be known to her" in custodian_page(data)


def test_no_rare_value_is_told_of_exact_values():
    rows = [*people(), ("seldom", "1", "rarity")]
    f = frequencies(rows, {"town": {r[0]: () for r in rows}, "age": {r[1]: () for r in rows}}, ["illness"])
    for plan in (bucketized(f), ambiguous(f)):
        text = told(plan)
        assert "seldom" not in text
        assert "rarity" not in text


def test_nothing_published_is_told_without_charts():
    for plan in (bucketized(TABLE, 5, left_out=1_000), ambiguous(TABLE, 5, left_out=1_000)):
        data = data_of(plan)
        assert data.published == 0
        assert "Nothing is published" in to_text(data)
        assert "How well it answers" not in custodian_page(data)
