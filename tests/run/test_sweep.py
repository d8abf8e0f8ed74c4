"""`discreet sweep`: points beside the releases themselves, risks beside a brute force, what can't be had."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet
from discreet import sweep
from discreet.cli.main import app
from discreet.counts.groups import Groups
from discreet.counts.owners import owned
from discreet.errors import DiscreetError, PolicyError
from discreet.policy.policy import Policy, policy_from_words
from discreet.releases.sweep import risk
from discreet.run.sweep import Sweep
from discreet.run.varied import MOST_POINTS
from discreet.samples.census import census_like
from discreet.samples.hospital import write_sample
from tests.visits import policy as of_visits
from tests.visits import visits

KINDS = ["generalization", "multidimensional", "local_recoding", "bucketization"]
WORDS: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20, 40]}},
        "sex": {"role": "quasi_identifier"},
        "education": {"role": "quasi_identifier"},
        "occupation": {"role": "sensitive"},
    },
    "require": [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2}}],
    "seed": 1,
}


@pytest.fixture(scope="module")
def table() -> Any:
    return census_like(400, seed=3)


def words(**more: Any) -> Policy:
    return policy_from_words(WORDS | more)


def test_the_table_is_counted_once(table: Any) -> None:
    swept = sweep(words(), source=table, k=[2, 5], publish=KINDS, suppress=[0, 0.02])
    assert swept.scans == 1
    assert len(swept.points) == 2 * len(KINDS) * 2
    assert all(p.possible for p in swept.points)


def test_a_population_is_counted_once_too(table: Any) -> None:
    rows = table.num_rows if hasattr(table, "num_rows") else len(next(iter(table.values())))
    everybody = _columns(table)
    everybody["in"] = ["yes" if i % 3 else "no" for i in range(rows)]
    attributes = {name: about for name, about in WORDS["attributes"].items() if name != "occupation"}
    policy = policy_from_words(
        {"attributes": attributes, "require": [{"presence": {"delta": [0, 0.9]}}], "private": {"in": "yes"}, "seed": 1}
    )
    swept = sweep(policy, source=everybody, delta=[[0, 0.75], [0, 0.9], [0, 0.01]])
    assert swept.scans == 2
    assert [p.possible for p in swept.points] == [True, True, False]
    assert "0.01" in swept.points[2].why


def _columns(table: Any) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = table.to_pydict() if hasattr(table, "to_pydict") else dict(table)
    return columns


def test_ranges_end_where_each_point_says(table: Any, tmp_path: Path) -> None:
    """Not where those of the policy do that the table was counted for."""
    kinds = ["multidimensional", "local_recoding"]
    swept = sweep(words(), source=table, publish=kinds, ranges=["hierarchy", "values"])
    assert swept.scans == 1
    for point in swept.points:
        publish, ranges = map(str, point.settings)
        release = discreet.anonymize(words(publish=publish, ranges=ranges), tmp_path / publish / ranges, source=table)
        assert (point.loss, point.groups) == (release.to_json()["loss"], release.to_json()["groups"])
    losses = [point.loss for point in swept.points]
    assert losses[0] > losses[1] and losses[2] > losses[3]
    back = sweep(words(publish="local_recoding", ranges="values"), source=table, publish=["generalization", *kinds])
    assert back.points[0].loss == sweep(words(), source=table, publish=["generalization"]).points[0].loss
    assert [p.loss for p in back.points[1:]] == losses[1::2]


def test_ranges_of_nothing_are_no_point(table: Any) -> None:
    swept = sweep(words(), source=table, publish=["generalization", "local_recoding"], ranges=["values"])
    assert [point.possible for point in swept.points] == [False, True]
    assert "publishes no ranges" in swept.points[0].why


@pytest.mark.parametrize("publish", KINDS)
@pytest.mark.parametrize("suppress", [0, 0.05])
def test_a_point_is_what_anonymize_delivers(table: Any, tmp_path: Path, publish: str, suppress: float) -> None:
    swept = sweep(words(), source=table, k=[3, 8], l=[2, 3], publish=[publish], suppress=[suppress])
    for point in swept.points:
        k, l, _, _ = point.settings  # noqa: E741
        own = words(require=[{"k_anonymity": {"k": k}}, {"l_diversity": {"l": l}}], publish=publish, suppress=suppress)
        release = discreet.anonymize(own, tmp_path / f"{k}-{l}", source=table)
        told = release.to_json()
        assert (point.loss, point.suppressed, point.groups) == (told["loss"], told["suppressed"], told["groups"])
        assert (point.smallest_group, point.search) == (told["smallest_group"], told["search"])
        assert point.node == told["node"]
        assert point.proven == told["facts"].get("optimal")
        assert release.report.answers is not None and release.report.answers.typical is not None
        assert point.count_error == release.report.answers.typical.median
        assert point.risk is not None and point.risk.largest == 1 / told["smallest_group"]
        assert point.risk.mean == pytest.approx(told["groups"] / told["published"])


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), min_size=1, max_size=6), st.integers(1, 9))
def test_risks_of_rows_by_hand(groups: list[list[str]], one_in: int) -> None:
    from discreet.models.examples import groups_of

    told = risk(groups_of("disease", *groups), one_in)
    chances = [Fraction(1, len(group)) for group in groups for _ in group]
    guesses = [Fraction(max(map(group.count, group)), len(group)) for group in groups for _ in group]
    assert told.largest == pytest.approx(float(max(chances)))
    assert told.mean == pytest.approx(float(sum(chances) / len(chances)))
    assert told.above == pytest.approx(sum(c > Fraction(1, one_in) for c in chances) / len(chances))
    assert told.values["disease"] == pytest.approx(float(sum(guesses) / len(guesses)))
    assert told.certain["disease"] == pytest.approx(float(max(guesses)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=20), st.integers(1, 6))
def test_risks_of_people_by_hand(rows: list[tuple[int, int]], one_in: int) -> None:
    """Each person once, in the group where fewest others are."""
    group = np.unique([g for g, _ in rows], return_inverse=True)[1]
    person = np.unique([p for _, p in rows], return_inverse=True)[1]
    inside, places = defaultdict(set), defaultdict(set)
    for g, p in zip(group.tolist(), person.tolist(), strict=True):
        inside[g].add(p)
        places[p].add(g)
    sizes = np.bincount(group)
    owners = owned(group, person, np.ones(len(rows), np.int64), len(sizes), {})
    told = risk(Groups(sizes, owners=owners), one_in)
    chances = [max(Fraction(1, len(inside[g])) for g in places[p]) for p in places]
    assert told.largest == pytest.approx(float(max(chances)))
    assert told.mean == pytest.approx(float(sum(chances) / len(chances)))
    assert told.above == pytest.approx(sum(c > Fraction(1, one_in) for c in chances) / len(chances))


def test_people_are_counted_once_each() -> None:
    swept = sweep(of_visits(), source=visits(moving=0.3), k=[2, 5], publish=["generalization", "local_recoding"])
    assert swept.people == 120
    for point in swept.points:
        assert point.risk is not None
        assert point.risk.largest <= 1 / int(str(point.settings[0]))
    assert "people" in swept.to_text() and "each counted once, in the smallest of their groups" in swept.to_html()


def test_what_cannot_be_had_is_told(table: Any) -> None:
    """No release, and words that don't go together: points like all others, with the reason and the repair."""
    swept = sweep(words(), source=table, k=[2, 100_000], publish=["generalization", "ambiguity"])
    possible = {p.settings: p.possible for p in swept.points}
    assert possible[2, "generalization"] and not possible[100_000, "generalization"]
    assert not possible[2, "ambiguity"]
    why = {p.settings: p.why for p in swept.points}
    assert "400 rows" in why[100_000, "generalization"]
    assert "ambiguity" in why[2, "ambiguity"]
    for told in (swept.to_text(), swept.to_html(), swept.to_csv(), json.dumps(swept.to_json())):
        assert "400 rows" in told
    lines = list(csv.DictReader(io.StringIO(swept.to_csv())))
    assert [line["possible"] for line in lines] == ["yes" if p.possible else "no" for p in swept.points]
    assert len(swept.to_json()["points"]) == 4


def test_a_summary_is_not_searched_here(table: Any) -> None:
    swept = sweep(words(), source=table, search=["optimal", "instant"])
    assert [p.possible for p in swept.points] == [True, False]
    assert "instant" in swept.points[1].why


@pytest.mark.parametrize(
    "varied, places",
    [
        ({}, ["sweep"]),
        ({"k": [1, "x"], "publish": ["generalisation"], "suppress": [2]}, ["k", "k", "publish", "suppress"]),
        ({"t": [0.1]}, ["t"]),
        ({"t_closeness.t": [0.1]}, ["t_closeness.t"]),
        ({"l_diversity.population": ["x.csv"]}, ["l_diversity.population"]),
        ({"k": []}, ["k"]),
        ({"k": list(range(2, MOST_POINTS + 3))}, ["sweep"]),
        ({"publish": ["ambiguity"]}, ["require"]),
        ({"one_in": 0, "k": [2]}, ["one_in"]),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_read(varied: dict[str, Any], places: list[str]) -> None:
    with pytest.raises(PolicyError) as refused:
        sweep(words(source="nowhere.csv"), **varied)
    assert [m.place for m in refused.value.mistakes] == places
    assert all(m.repair for m in refused.value.mistakes)


def test_only_the_named_promise_is_varied(table: Any) -> None:
    policy = words(require=[{"k_anonymity": {"k": 4}}, {"alpha_k": {"alpha": 0.9, "k": 2}}])
    both = sweep(policy, source=table, k=[6]).points[0]
    one = sweep(policy, source=table, **{"alpha_k.k": [3]}).points[0]
    assert all("6" in promise for promise in both.promises)
    assert "4-anonymity" in one.promises[0] and "3" in one.promises[1]


def test_words_and_tables_in_python(table: Any) -> None:
    by_words = sweep(WORDS, source=table, k=[3])
    by_table = sweep(table, **{name: WORDS[name] for name in ("attributes", "require", "seed")}, k=[3])
    assert by_words.points[0].loss == by_table.points[0].loss
    assert isinstance(discreet.sweep(WORDS, source=table, k=[3]), Sweep)
    assert sweep(table, WORDS, k=[3]).points[0].loss == by_table.points[0].loss
    assert "<iframe" in by_table._repr_html_() and "<script" not in by_table._repr_html_()
    with pytest.raises(PolicyError):
        sweep("words", source=table, k=[3])


def test_a_file_of_words_in_python(table: Any, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(json.dumps(WORDS), encoding="utf-8")
    swept = sweep(table, file, suppress=0.02, k=[3])  # one value is the policy's own, a list is varied
    assert swept.points[0].loss == sweep(words(suppress=0.02), source=table, k=[3]).points[0].loss
    assert [axis.name for axis in swept.axes] == ["k"]
    with pytest.raises(PolicyError, match="the table is the first argument already"):
        sweep(table, file, source=table, k=[3])


def test_the_clock_stops_a_point(table: Any) -> None:
    swept = sweep(words(time_limit=1e-9), source=table, k=[2, 3])
    assert [p.proven for p in swept.points] == [False, False]
    assert "has not shown that nothing is better" in swept.to_html()
    assert "not every search has shown" in swept.to_text()


def test_no_value_of_the_table_is_told() -> None:
    values = ["xylophone", "yardarm", "zeppelin", "quincunx"] * 6
    rows = {"instrument": values, "illness": ["vv-one", "vv-two", "vv-three"] * 8}
    attributes = {"instrument": {"role": "quasi_identifier"}, "illness": {"role": "sensitive"}}
    swept = sweep(rows, attributes=attributes, require=[{"k_anonymity": {"k": 2}}], k=[2, 7, 30], publish=KINDS[:3])
    for told in (swept.to_html(), swept.to_text(), swept.to_csv(), json.dumps(swept.to_json())):
        assert not any(value in told for value in (*values, "vv-"))


def test_the_page_says_what_its_words_mean(table: Any) -> None:
    page = sweep(words(), source=table, k=[2, 5, 10], publish=["generalization", "bucketization"]).to_html()
    assert page.count('<svg class="lines"') == 3  # loss, answers, guesses
    assert "1 in 4" in page  # the policy's own k is the limit
    assert "Quasi-identifiers are published as they are" in page
    assert "not for publication" in page
    assert "<script" not in page and "http:" not in page and "https:" not in page


def test_many_lines_are_told_to_be_too_many(table: Any) -> None:
    swept = sweep(words(), source=table, k=[2, 3], suppress=[0, 0.01, 0.02, 0.03, 0.04], utility=["loss", "height"])
    assert "2 more lines are not drawn" in swept.to_html()


def test_names_of_columns_can_do_no_harm() -> None:
    name = "<b>=cmd()"
    rows = {"age": ["1", "2"] * 6, name: ["a", "b", "c"] * 4}
    attributes = {"age": {"role": "quasi_identifier"}, name: {"role": "sensitive"}}
    swept = sweep(rows, attributes=attributes, require=[{"k_anonymity": {"k": 2}}], k=[2, 3])
    assert "<b>=cmd" not in swept.to_html()
    header = next(csv.reader(io.StringIO(swept.to_csv())))
    assert not any(cell.startswith("=") for cell in header)


def test_the_command(tmp_path: Path) -> None:
    write_sample(tmp_path, rows=300)
    runner = CliRunner()
    page, figures = tmp_path / "s.html", tmp_path / "s.csv"
    line = ["sweep", str(tmp_path / "policy.yaml"), "--k", "2,5", "--publish", "generalization,multidimensional"]
    said = runner.invoke(app, [*line, "--set", "l_diversity.l=2,3", "-o", str(page), "--csv", str(figures)])
    assert said.exit_code == 0, said.output
    assert "8 policies for 300 rows" in said.output
    assert len(figures.read_text().splitlines()) == 9 and page.read_text().startswith("<!doctype html>")
    told = json.loads(runner.invoke(app, [*line, "--suppress", "0,0.02", "--json"]).output)
    assert told["scans"] == 1 and told["varied"]["suppress"] == [0, 0.02] and len(told["points"]) == 8
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


@pytest.mark.parametrize(
    "options, place",
    [
        (["--k", "[2"], "--k"),
        (["--k", "1,x"], "--k"),
        (["--set", "l"], "--set"),
        (["--set", "k=3", "--k", "2"], "--set"),
        (["--set", "l_diversity.m=3"], "--set l_diversity.m"),
        (["--k", "2", "-o", "no/such/folder/page.html"], "no/such/folder/page.html"),
        ([], "command line"),
    ],
)
def test_wrong_use_of_the_command(tmp_path: Path, options: list[str], place: str) -> None:
    write_sample(tmp_path, rows=50)
    result = CliRunner().invoke(app, ["sweep", str(tmp_path / "policy.yaml"), *options])
    assert isinstance(result.exception, DiscreetError)
    assert place in {m.place for m in result.exception.mistakes}


def test_who_stops_it_finds_nothing_half_written(tmp_path: Path, table: Any) -> None:
    page = tmp_path / "page.html"
    page.write_text("of yesterday")

    def stop(stage: str, done: float, total: float, note: str = "") -> None:
        if done > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(words(), source=table, progress=stop, k=[2, 3, 4]).save(page=page)
    assert page.read_text() == "of yesterday"
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
