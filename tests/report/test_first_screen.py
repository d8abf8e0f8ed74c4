"""What the first screen of a report may claim: what was judged, what is left open with its figure, and no more."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import anonymize, policy_from_words, verify
from discreet.cli.main import app
from discreet.models.examples import groups_of
from discreet.report import exposures
from discreet.report.exposures import likely_shares, rare_share
from discreet.report.html import custodian_page, release_page
from discreet.report.text import to_text
from discreet.run.release import Release

AGE = {"role": "quasi_identifier", "hierarchy": {"intervals": [10]}}
ILL = {"role": "sensitive"}


def policy(require: list[dict[str, Any]], **words: Any) -> Any:
    attributes = words.pop("attributes", {"age": AGE, "ill": ILL})
    return policy_from_words({"attributes": attributes, "require": require} | words)


def published(tmp_path: Path, table: dict[str, list[str]], require: list[dict[str, Any]], **words: Any) -> Release:
    return anonymize(policy(require, **words), tmp_path / "release", source=table)


def csv_of(table: dict[str, list[str]], folder: Path) -> Path:
    lines = [",".join(table), *(",".join(row) for row in zip(*table.values(), strict=True))]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    return folder / "table.csv"


def first_screen(page: str) -> str:
    """The verdict of a page: its first section."""
    return page[page.index('<section class="verdict') :].partition("</section>")[0]


def pages(release: Release) -> list[str]:
    return [(folder / "report.html").read_text(encoding="utf-8") for folder in (release.folder, release.private)]


def test_a_group_that_agrees_is_told_in_red_on_every_first_screen(tmp_path: Path) -> None:
    table = {"age": ["21", "22", "23", "31", "32", "33"], "ill": ["flu", "flu", "flu", "cold", "gout", "flu"]}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 3}}])
    told = "ill: nothing is promised about it inside a group; in groups with 50% of the rows a value is certain"
    for page in pages(release):
        screen = first_screen(page)
        assert f'<li class="grave">{told}' in screen
        assert screen.startswith('<section class="verdict warned"')
    lines = to_text(release.report).splitlines()
    assert lines[0] == "This release keeps its promises, and they leave rows unprotected."
    assert lines[1].startswith(f"  GRAVE: {told}")
    first = release.to_json()["warnings"][0]
    assert (first["grave"], first["share"], release.to_json()["kept"]) == (True, 0.5, True)
    answer = CliRunner().invoke(app, ["verify", str(release.folder)])
    assert answer.exit_code == 0
    first, second, *_ = answer.output.splitlines()
    assert first == "Every promise is kept; what they leave open is grave."
    assert second.startswith(f"GRAVE   {told}")
    again = json.loads(CliRunner().invoke(app, ["verify", str(release.folder), "--json"]).output)
    assert (again["kept"], again["warnings"]) == (True, release.to_json()["warnings"])


def test_what_people_with_several_rows_risk_is_told_to_the_custodian(tmp_path: Path) -> None:
    """By rows no value has more than 3 in 10; Ann has five of ten rows, and flu in one of them with 91.7%."""
    ills = ["flu"] * 3 + ["cold"] * 3 + ["gout"] * 2 + ["ulcer"] * 2
    table = {
        "who": ["Ann"] * 5 + [f"P{i}" for i in range(15)],
        "age": ["21"] * 10 + ["31"] * 10,
        "ill": ills + ills,
    }
    attributes = {"who": {"role": "person"}, "age": AGE, "ill": ILL}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 5}}, {"l_diversity": {"l": 3}}], attributes=attributes)
    assert release.manifest["groups"] == 2
    told = "ill: whoever has most rows of a group has one of its values likelier than not, in groups with 50% of the"
    public, private = map(first_screen, pages(release))
    assert told in private and "likelier than not" not in public
    assert told in to_text(release.report)
    each = {**table, "who": [f"P{i}" for i in range(20)]}
    alone = anonymize(policy([{"k_anonymity": {"k": 5}}], attributes=attributes), tmp_path / "alone", source=each)
    assert "whoever has most rows" not in to_text(alone.report)


@pytest.mark.parametrize("publish", ["generalization", "local_recoding"])
def test_who_is_alone_with_all_rows_that_look_alike_is_told_to_the_custodian(publish: str, tmp_path: Path) -> None:
    """Nothing is promised about how many people a group has: three of eight fill groups of their own."""
    visits = [(f"p{who}", str(20 + 10 * min(who, 3)), ill) for who in range(8) for ill in ("flu", "cold", "gout")]
    table = {name: [row[i] for row in visits] for i, name in enumerate(("who", "age", "ill"))}
    attributes = {"who": {"role": "person"}, "age": AGE, "ill": ILL}
    release = published(tmp_path, table, [{"l_diversity": {"l": 3}}], attributes=attributes, publish=publish)
    assert release.manifest["groups"] == 4
    told = "37.5% of the people are alone in a group: all rows that look like theirs are their own."
    public, private = map(first_screen, pages(release))
    assert told in private and "alone in a group" not in public
    assert "promises kept, people unprotected" in private
    assert to_text(release.report).startswith("This release keeps its promises, and they leave people unprotected.")
    assert f"GRAVE: {told}" in to_text(release.report)
    theirs, ours = pages(release)
    assert "Yes: 37.5% of the people are alone in a group, with rows of their own only." in ours
    assert "Whether all rows of one are a single person&#39;s, the files don&#39;t tell." in theirs
    beside = CliRunner().invoke(app, ["verify", str(release.folder), "--source", str(csv_of(table, tmp_path))])
    assert beside.exit_code == 0 and "distinct 3-diversity of ill, by people" not in beside.output  # rows decide it


def test_verify_tells_what_was_reached_by_people(tmp_path: Path) -> None:
    visits = [(f"p{who}", str(20 + 10 * (who // 3)), ill) for who in range(6) for ill in ("flu", "cold")]
    table = {name: [row[i] for row in visits] for i, name in enumerate(("who", "age", "ill"))}
    attributes = {"who": {"role": "person"}, "age": AGE, "ill": ILL}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 3}}], attributes=attributes)
    source = csv_of(table, tmp_path)
    alone = CliRunner().invoke(app, ["verify", str(release.folder)])
    assert "3-anonymity: reaches 6" in alone.output and "by people: reaches" not in alone.output
    beside = CliRunner().invoke(app, ["verify", str(release.folder), "--source", str(source)])
    assert "3-anonymity: reaches 6" in beside.output and "kept    3-anonymity, by people: reaches 3" in beside.output
    [told] = json.loads(
        CliRunner().invoke(app, ["verify", str(release.folder), "--source", str(source), "--json"]).output
    )["verdicts_by_people"]
    assert (told["level"], told["holds"]) == (3, True)


def test_values_that_no_promise_lists_are_told(tmp_path: Path) -> None:
    table = {
        "age": [f"{20 + i}" for i in range(8)],
        "ill": ["HIV", "flu", "flu", "flu", "HIV", "cold", "cold", "cold"],
    }
    release = published(tmp_path, table, [{"robust": {"r": 2, "values": ["HIV"]}}], publish="bucketization")
    [told] = [one.sentence for one in release.report.exposures if one.sentence.startswith("ill")]
    assert "only listed values are protected, and 75% of the rows have other ones" in told
    assert any("100% of the rows are the only ones with theirs" in one.sentence for one in release.report.exposures)


def test_a_promise_that_only_the_source_can_judge_is_not_green_on_the_published_page(tmp_path: Path) -> None:
    table = {"age": [f"{20 + i}" for i in range(8)], "ill": ["a", "b", "c", "d"] * 2}
    release = published(tmp_path, table, [{"robust": {"r": 2}}], publish="bucketization")
    theirs, ours = map(first_screen, pages(release))
    assert theirs.startswith('<section class="verdict warned"')
    assert "Not judged by the release alone: 2-robustness of ill." in theirs
    assert "✓" not in theirs
    assert ours.startswith('<section class="verdict good"')
    assert verify(release.folder).kept is None
    assert verify(release.folder, source=table).kept


@pytest.mark.parametrize("publish", ["generalization", "multidimensional", "local_recoding"])
def test_nothing_left_of_the_quasi_identifiers_is_no_good_news(tmp_path: Path, publish: str) -> None:
    table = {"age": ["21", "35", "47", "60"], "ill": ["flu", "cold", "gout", "flu"]}
    flat = {"age": {"role": "quasi_identifier", "hierarchy": {"flat": True}}, "ill": ILL}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 4}}], attributes=flat, publish=publish)
    assert release.figures["loss"] == 1
    for page in pages(release):
        assert first_screen(page).startswith('<section class="verdict warned"')
    line = to_text(release.report).splitlines()[0]
    assert line == (
        "Nothing is left of the quasi-identifiers: all of their values are *. The release is of little use. "
        "Its promises are kept."
    )
    first = release.to_json()["warnings"][0]
    assert first["grave"] and first["text"].startswith("Nothing is left of the quasi-identifiers")


def test_a_release_of_which_little_is_left_is_no_good_news(tmp_path: Path) -> None:
    table = {"age": ["21", "22", "23", "24"] * 4, "ill": ["flu", "cold", "gout", "mumps"] * 4}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 4}}])
    theirs, ours = map(first_screen, pages(release))
    assert release.figures["loss"] == 1  # 20-29 is all there is, and no * tells it
    assert ours.startswith('<section class="verdict warned"')
    assert "Little is left of the quasi-identifiers: their loss of exactness is 100%." in ours
    assert "Little is left" not in theirs  # the published tables don't tell the loss


def test_an_empty_table_is_no_good_news(tmp_path: Path) -> None:
    table = {"age": ["21", "35", "47"], "ill": ["flu", "cold", "gout"]}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 4}}], suppress=1)
    for page in pages(release):
        assert first_screen(page).startswith('<section class="verdict warned"')
    assert to_text(release.report).startswith("Nothing is published: every row had to be left out.")
    assert json.dumps(release.to_json()["warnings"]).startswith('[{"text": "Nothing is published')
    assert verify(release.folder).kept


def test_costs_to_the_cent_find_everybody(tmp_path: Path) -> None:
    table = {"age": ["21", "22", "23", "24"] * 10, "ill": [f"{100 + i}.{i:02}" for i in range(40)]}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 4}}])
    told = "ill: 100% of the rows have a value that no other row has."
    assert all(f'<li class="grave">{told}' in first_screen(page) for page in pages(release))
    assert f"  GRAVE: {told}" in to_text(release.report)


def test_a_release_that_hides_what_it_should_is_green(tmp_path: Path) -> None:
    ages = [f"{tens}{ones}" for tens in (2, 3, 4) for ones in (1, 2, 3, 4)]
    table = {"age": ages * 4, "ill": ["flu", "cold", "gout", "mumps"] * 12}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 4}}])
    for page in (release_page(release.report), custodian_page(release.report)):
        assert first_screen(page).startswith('<section class="verdict good"')
    assert to_text(release.report).startswith("This release keeps its promises.\n")


GROUPS = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), min_size=1, max_size=6)


@given(GROUPS)
def test_shares_are_those_of_counting_row_by_row(values: list[list[str]]) -> None:
    groups = groups_of("ill", *values)
    everybody = Counter(value for group in values for value in group)
    rows = everybody.total()
    certain = nearly = likely = 0
    for group in values:
        value, count = Counter(group).most_common(1)[0]
        certain += len(group) if count == len(group) else 0
        nearly += len(group) if 10 * count > 9 * len(group) and 10 * everybody[value] <= 9 * rows else 0
        likely += len(group) if 2 * count > len(group) and 2 * everybody[value] <= rows else 0
    shares = likely_shares(groups, groups.tallies["ill"])
    assert shares == pytest.approx((certain / rows, nearly / rows, likely / rows))
    for fewest in (2, 3, 5):
        rare = sum(n for n in everybody.values() if n < fewest)
        assert rare_share(groups.tallies["ill"], fewest) == pytest.approx(rare / rows)


def test_a_value_that_few_have_is_told_in_a_whole_sentence(tmp_path: Path) -> None:
    table = {"age": ["21"] * 12, "ill": ["flu", "cold", "gout"] * 4}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 6}}])
    assert "ill: 100% of the rows have a value that fewer than 6 rows have. Whoever" in to_text(release.report)


def test_a_value_that_fifty_have_finds_nobody_however_large_k_is(tmp_path: Path) -> None:
    table = {"age": ["21"] * 150, "ill": ["flu", "cold", "gout"] * 50}
    release = published(tmp_path, table, [{"k_anonymity": {"k": 100}}])
    assert "finds the row" not in to_text(release.report)


def test_the_limits_are_those_that_are_stated() -> None:
    """Whoever reads that something is grave can look up from where on it is."""
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    section = text.partition("## The first screen")[2].partition("\n## ")[0]
    stated = [line.split("|")[2].strip() for line in section.splitlines() if line.startswith("| ") and "%" in line]
    limits = ("CERTAIN", "NEARLY_CERTAIN", "LIKELY", "FOUND_BY_VALUE", "FOUND_AMONG_FEW", "ALONE", "LITTLE_LEFT")
    assert stated == [f"{getattr(exposures, limit):.0%}" for limit in limits]
