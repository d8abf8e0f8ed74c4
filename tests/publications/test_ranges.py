"""Ranges end on the boundaries of a hierarchy, unless the policy says that they may end at values."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet import Infeasible, PolicyError, anonymize, apply, policy_from_words, verify
from discreet.audit.audit import audit_release as audit
from discreet.audit.faults.range_ends import _on_boundaries
from discreet.audit.reading.labels import Between
from discreet.errors import DiscreetError, HierarchyError
from discreet.hierarchies.base import BranchingRule
from discreet.hierarchies.build import bounded, build
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, Rule, Value
from discreet.hierarchies.rules import Cuts, Dates, Intervals
from discreet.publications.mapping import RangeFinder, _entry
from discreet.publications.meanings import on_boundaries, stands_for
from discreet.publications.published_rules import PublishedRule
from discreet.releases.manifest import checksum
from discreet.utility.published import leaves_of

RULES = [
    Intervals((5, 10)),
    Intervals((1, 4)),
    Intervals((5,), bottom=12, top=40),
    Intervals((2.5, 5)),
    Intervals((2.5,), bottom=11, top=33),
    Cuts(((10, 15, 30), (15,))),
    Cuts(((7.5, 20),)),
    Dates(),
    Dates(("day", "month")),
    Dates(("quarter", "year")),
    Dates(("year", "decade")),
    Dates(("decade",)),
    Dates(("day",)),
]
_NUMBERS = st.integers(-5, 50).map(str)
_DAYS = st.dates(date(1958, 1, 1), date(1994, 1, 1)).map(date.isoformat)
_SPELLINGS = st.sampled_from(["{0}", "{0}", "{0}", "{0}.0", "0{0}"])  # 5 and 5.0 are values of their own
_MOMENTS = st.sampled_from(["{0}", "{0}", "{0} 10:30"])


@st.composite
def hierarchies(draw: st.DrawFn, rule: Rule | None = None) -> Hierarchy:
    rule = draw(st.sampled_from(RULES)) if rule is None else rule
    plain, spelled = (_DAYS, _MOMENTS) if isinstance(rule, Dates) else (_NUMBERS, _SPELLINGS)
    some = st.builds(lambda value, form: form.format(value) if value[0] != "-" else value, plain, spelled)
    values: list[Value] = draw(st.lists(some, min_size=1, max_size=12))
    return bounded(build("x", [*values, *draw(st.lists(st.sampled_from([None, ""]), max_size=2))], rule))


@st.composite
def covered(draw: st.DrawFn) -> tuple[Hierarchy, int, int]:
    h = draw(hierarchies())
    low, high = sorted(draw(st.tuples(*[st.integers(0, len(h.leaves) - 1)] * 2)))
    return h, low, high


@given(covered())
def test_a_cover_is_a_value_or_whole_nodes_and_no_smaller_one_is(case: tuple[Hierarchy, int, int]) -> None:
    h, low, high = case
    first, last = h.cover(low, high)
    nodes = {(i, i) for i in range(len(h.leaves))}
    nodes |= {(int(a), int(b)) for f, e in zip(h.first, h.last, strict=True) for a, b in zip(f, e, strict=True)}
    unit = list(zip(h.first[h.unit].tolist(), h.last[h.unit].tolist(), strict=True))
    runs = {(a, b) for a, _ in unit for _, b in unit if a <= b}
    assert (first, last) in nodes | runs
    assert last - first == min(b - a for a, b in nodes | runs if a <= low and high <= b)


@given(covered())
@example((bounded(build("x", ["-4", "3", "3.0", "4"], Intervals((1, 4)))), 0, 1))
def test_the_text_of_a_cover_stands_for_it_and_for_nothing_else(case: tuple[Hierarchy, int, int]) -> None:
    h, low, high = case
    first, last = h.cover(low, high)
    text = h.label(first, last)
    assert leaves_of(text, h).tolist() == list(range(first, last + 1))
    entry = _entry(h, first, last, text, PublishedRule(h.rule))
    assert stands_for(h.rule, text, entry["parts"])
    assert on_boundaries(h.rule, entry["parts"])
    found = sorted(i for a, b in RangeFinder(h).find(entry["parts"]) for i in range(a, b + 1))
    assert found == list(range(first, last + 1))


@given(covered(), st.data())
def test_later_values_find_their_place_in_the_same_text(case: tuple[Hierarchy, int, int], data: st.DataObject) -> None:
    """What the parts of a text cover among other values is what the text says."""
    h, low, high = case
    first, last = h.cover(low, high)
    text = h.label(first, last)
    parts = _entry(h, first, last, text, PublishedRule(h.rule))["parts"]
    other = data.draw(hierarchies(h.rule))
    found = sorted(i for a, b in RangeFinder(other).find(parts) for i in range(a, b + 1))
    if text == EVERYTHING:
        assert found == list(range(len(other.leaves)))
    else:
        both = build("x", [*h.leaves, *other.leaves], h.rule)
        told = {both.leaves[i] for i in leaves_of(text, both).tolist()}
        assert {other.leaves[i] for i in found} == told & {*other.leaves}


def _table(n: int, seed: int = 3) -> dict[str, list[Any]]:
    random = np.random.default_rng(seed)
    days = [date.fromordinal(int(i)).isoformat() for i in random.integers(700_000, 728_000, n)]
    return {
        "birth": [day if random.random() < 0.95 else None for day in days],
        "age": [str(i) if random.random() < 0.95 else None for i in random.integers(17, 95, n)],
        "weight": [f"{x:.1f}" for x in random.normal(70, 12, n)],
        "costs": [str(i) for i in random.integers(100, 9999, n)],
        "disease": [str(i) for i in random.integers(0, 4, n)],
    }


ATTRIBUTES: Mapping[str, Any] = {
    "birth": {"role": "quasi_identifier"},
    "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 10, 20], "top": 90}},
    "weight": {"role": "quasi_identifier", "hierarchy": {"cuts": [[50, 60, 70, 80, 90], [70]]}},
    "costs": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
}
KINDS = [("multidimensional", "mondrian"), ("multidimensional", "instant"), ("local_recoding", "local")]


def _policy(publish: str = "local_recoding", search: str = "", attributes: Mapping[str, Any] = ATTRIBUTES, **more: Any):
    words = {"attributes": attributes, "require": [{"k_anonymity": {"k": 4}}], "publish": publish, "seed": 1}
    return policy_from_words(words | ({"search": search} if search else {}) | more)


def _published(folder: Path) -> dict[str, set[str]]:
    with (folder / "data.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: {row[name] for row in rows} for name in rows[0]}


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@pytest.mark.parametrize(("publish", "search"), KINDS)
def test_dates_and_given_hierarchies_end_on_boundaries_by_default(publish: str, search: str, tmp_path: Path) -> None:
    table = _table(200)
    release = anonymize(_policy(publish, search), tmp_path / "release", source=table)
    manifest = json.loads((release.folder / "manifest.json").read_text())
    assert manifest["ranges"] == {"birth": "hierarchy", "age": "hierarchy", "weight": "hierarchy", "costs": "values"}
    texts = _published(release.folder)
    assert not any(" to " in text and _DAY.search(text) for text in texts["birth"])
    assert any(
        re.search(r"[0-9]{4}-[0-9]{2} to ", text) or re.fullmatch("[0-9-]{4,9}", text) for text in texts["birth"]
    )
    ends = [re.fullmatch(r"([0-9]+)-([0-9]+)", text) for text in texts["age"]]
    assert any(ends) and all(int(m[1]) % 5 == 0 and (int(m[2]) + 1) % 5 == 0 for m in ends if m)
    cuts = {end for text in texts["weight"] for end in re.findall(r"(?<=[<=\[ ])[0-9.]+", text)}
    assert cuts and cuts <= {"50", "60", "70", "80", "90"}
    for source in (None, table):
        assert verify(release.folder, source=source).kept
        found = audit(release.folder, source=source)
        assert not [fault for fault in found.faults if fault.grave]
        assert {f.place for f in found.faults if f.fault == "ranges_end_at_values"} <= {"data.csv: costs"}


@pytest.mark.parametrize(("publish", "search"), KINDS)
def test_values_may_be_asked_for(publish: str, search: str, tmp_path: Path) -> None:
    table = _table(200)
    release = anonymize(_policy(publish, search, ranges="values"), tmp_path / "release", source=table)
    texts = _published(release.folder)
    spans = [text.strip("{}").split(", ")[0].split(" to ") for text in texts["birth"] if " to " in text]
    assert spans and all({*ends} <= {*table["birth"]} for ends in spans)
    manifest = json.loads((release.folder / "manifest.json").read_text())
    assert {*manifest["ranges"].values()} == {"values"}
    assert any("begin and end at values that somebody in the table has" in note for note in manifest["notes"])
    told = [f for f in audit(release.folder).faults if f.fault == "ranges_end_at_values"]
    assert told and not any(fault.grave for fault in told)
    assert verify(release.folder, source=table).kept


def test_a_column_may_differ_from_the_policy(tmp_path: Path) -> None:
    attributes = {**ATTRIBUTES, "age": {**ATTRIBUTES["age"], "ranges": "values"}}
    policy = _policy(attributes=attributes, ranges="hierarchy")
    assert policy_from_words(policy.to_words()) == policy
    release = anonymize(policy, tmp_path / "release", source=_table(100))
    manifest = json.loads((release.folder / "manifest.json").read_text())
    assert {name: ends for name, ends in manifest["ranges"].items() if ends == "values"} == {"age": "values"}


def test_both_reports_say_of_each_column_where_ranges_end(tmp_path: Path) -> None:
    attributes = {name: ATTRIBUTES[name] for name in ("age", "costs")}
    release = anonymize(_policy(attributes=attributes), tmp_path / "release", source=_table(100))
    for folder in (release.folder, release.private):
        page = (folder / "report.html").read_text()
        rows = re.findall(r"<tr.*?</tr>", page, re.DOTALL)
        told = {
            name: [row for row in rows if re.search(f">{name}<", row) and "ranges end" in row] for name in attributes
        }
        assert told["age"] and all("ranges end on its boundaries" in row for row in told["age"])
        assert told["costs"] and all("ranges end at values of the table" in row for row in told["costs"])
    page = (release.folder / "report.html").read_text()
    assert "ranges of costs begin and end at values that somebody in the table has" in page


_CENTS = [f"{i // 100}.{i % 100:02}" for i in range(1000, 9000, 37)]
_AS_FINE_AS_THE_VALUES: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "cents": (_CENTS, {"intervals": [0.01, 10]}, r"\[[0-9]*0, [0-9]*0\)"),
    "a half among whole ages": ([*map(str, range(18, 60)), "37.5"], {"intervals": [1, 10]}, r"\[[0-9]0, [0-9]0\)"),
    "each number cut": ([*map(str, range(18, 60))], {"cuts": [[*range(18, 60)], [30, 40]]}, r"(<30)|30-39|(>=40)"),
    "hundreds": ([str(100 * i) for i in range(10, 60)], {"intervals": [50, 1000]}, "[0-9]+000-[0-9]+999"),
    "fifteenths": (
        [f"{1950 + i // 12}-{i % 12 + 1:02}-15" for i in range(0, 240, 5)],
        {"dates": ["month", "quarter", "year", "decade"]},
        "[0-9]{4}-Q[1-4]( to [0-9]{4}-Q[1-4])?|[0-9]{4}(-[0-9]{4})?",
    ),
    "years of birth": ([f"{year}-01-01" for year in range(1930, 1990)], {"dates": ["year", "decade"]}, "19.0-19.9"),
}


@pytest.mark.parametrize(("publish", "search"), KINDS)
@pytest.mark.parametrize("case", _AS_FINE_AS_THE_VALUES)
def test_a_level_as_fine_as_the_values_has_no_boundaries(case: str, publish: str, search: str, tmp_path: Path) -> None:
    """``[1.32, 6.41)`` of costs to the cent would tell that somebody has 1.32, and somebody 6.40."""
    values, hierarchy, pattern = _AS_FINE_AS_THE_VALUES[case]
    attributes = {"x": {"role": "quasi_identifier", "hierarchy": hierarchy}}
    table = {"x": values + [None] * 3}
    release = anonymize(_policy(publish, search, attributes), tmp_path / "release", source=table)
    published = {text.removeprefix("{").removesuffix(", NULL}").strip('"') for text in _published(release.folder)["x"]}
    ranges = published - {*values, "", EVERYTHING}
    assert ranges or search == "instant"
    assert all(re.fullmatch(pattern, text) for text in ranges), ranges
    assert verify(release.folder, source=table).kept
    assert not [fault for fault in audit(release.folder, source=table).faults if fault.grave]
    second = apply(release.folder, {"x": table["x"] * 2}, tmp_path / "second", all_new=True)
    assert verify(second.folder).kept


@given(
    st.sampled_from([1, 5, 10, 50]),
    st.sampled_from([1, 2, 5, 10]),
    st.lists(st.integers(0, 400), min_size=2, max_size=12, unique=True),
)
def test_intervals_of_one_possible_value_each_are_no_ends(step: int, width: int, multiples: list[int]) -> None:
    h = bounded(build("x", [str(step * m) for m in multiples], Intervals((width, 100))))
    assert h.unit > (1 if width <= step and step % width == 0 else 0)


def test_many_values_are_judged_by_a_few_of_them_drawn_at_random() -> None:
    """Every hundredth of all cents is a whole number: intervals of 1 hide the others."""
    cents = [f"{i // 100}.{i % 100:02}" for i in range(100_000)]
    assert bounded(build("x", cents, Intervals((1, 10), decimals=True))).unit == 1
    assert bounded(build("x", cents, Intervals(("0.01", 1, 10)))).unit == 2


def test_boundaries_cost_something_and_nodes_alone_cost_more(tmp_path: Path) -> None:
    table = _table(300)
    losses = {}
    for ends in ("values", "hierarchy"):
        release = anonymize(_policy(ranges=ends), tmp_path / ends, source=table)
        losses[ends] = json.loads((release.private / "figures.json").read_text())["loss"]
    assert 0 < losses["values"] < losses["hierarchy"] < 1


def test_the_loss_that_is_told_is_that_of_the_published_texts(tmp_path: Path) -> None:
    table = _table(150)
    release = anonymize(_policy(), tmp_path / "release", source=table)
    with (release.folder / "data.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    rules = {
        "birth": Dates(("month", "year", "decade")),
        "age": Intervals((5,), top=90),
        "weight": Cuts(((70,),), True),
    }
    lost = []
    for name in ("birth", "age", "weight", "costs"):
        h = build(name, table[name], rules.get(name, Intervals((10,))))
        width = {text: len(leaves_of(text or None, h)) for text in {row[name] for row in rows}}
        lost.append(np.mean([(width[row[name]] - 1) / (len(h.leaves) - 1) for row in rows]))
    assert json.loads((release.private / "figures.json").read_text())["loss"] == pytest.approx(float(np.mean(lost)))


@pytest.mark.parametrize("ends", ["values", "hierarchy"])
def test_later_rows_are_published_in_the_same_ranges(ends: str, tmp_path: Path) -> None:
    attributes = {name: ATTRIBUTES[name] for name in ("birth", "age", "disease")}
    policy = _policy(attributes=attributes, ranges=ends, suppress=0.9)
    first = anonymize(policy, tmp_path / "first", source=_table(400))
    second = apply(first.folder, _table(400, seed=4), tmp_path / "second", all_new=True)
    for name, texts in _published(second.folder).items():
        assert name == "disease" or texts <= _published(first.folder)[name]
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (first.folder, second.folder)]
    assert manifests[0]["ranges"] == manifests[1]["ranges"]
    assert verify(second.folder).kept


def _forge(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    manifest["checksum"] = checksum(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_range_with_other_ends_is_a_fault(tmp_path: Path) -> None:
    """Whoever says that ranges end on boundaries, and publishes others, is found out by both readings."""
    folder = anonymize(_policy(ranges="values"), tmp_path / "release", source=_table(200)).folder
    _forge(folder, lambda manifest: manifest["ranges"].update(age="hierarchy"))
    findings = verify(folder)
    assert any("end elsewhere than on the boundaries" in m.rule for m in findings.mistakes)
    faults = [fault for fault in audit(folder).faults if fault.fault == "range_off_boundaries"]
    assert [fault.place for fault in faults] == ["data.csv: age"]
    assert faults[0].grave


def test_the_word_of_the_policy_is_held_against_the_files_too(tmp_path: Path) -> None:
    """A manifest that says values where its own policy says hierarchy is found out."""
    folder = anonymize(_policy(ranges="values"), tmp_path / "release", source=_table(200)).folder
    _forge(folder, lambda manifest: manifest["policy"].update(ranges="hierarchy"))
    assert any("end elsewhere than on the boundaries" in m.rule for m in verify(folder).mistakes)


def test_later_rows_of_a_release_that_is_older_than_the_word_end_at_values(tmp_path: Path) -> None:
    attributes = {name: ATTRIBUTES[name] for name in ("birth", "age", "disease")}
    policy = _policy(attributes=attributes, ranges="values", suppress=0.9)
    first = anonymize(policy, tmp_path / "first", source=_table(400)).folder

    def age(manifest: dict[str, Any]) -> None:
        del manifest["ranges"], manifest["policy"]["ranges"]
        manifest["discreet"] = "0.0.1"

    _forge(first, age)
    second = apply(first, _table(400, seed=4), tmp_path / "second", all_new=True).folder
    assert {*json.loads((second / "manifest.json").read_text())["ranges"].values()} == {"values"}
    assert _published(second)["birth"] <= _published(first)["birth"]


@pytest.mark.parametrize(
    "words",
    [{"intervals": "5"}, {"intervals": [0]}, {"intervals": ["1e99999999"]}, {"cuts": [["x"], 5]}, {"dates": 5}, {}],
    ids=str,
)
def test_a_rule_that_nobody_can_read_has_no_boundaries(words: dict[str, Any]) -> None:
    parts = [Between(20, 34), Between(20, 35, high_included=False), Between(700_000, 700_060, dates=True)]
    assert not any(_on_boundaries(part, words) for part in parts)


@pytest.mark.parametrize("ranges", [["age"], {"age": 5}, {"age": "nowhere"}], ids=str)
def test_other_words_of_ends_are_refused(ranges: object, tmp_path: Path) -> None:
    folder = anonymize(_policy(), tmp_path / "release", source=_table(100)).folder
    _forge(folder, lambda manifest: manifest.update(ranges=ranges))
    for read in (audit, verify):
        with pytest.raises(DiscreetError, match="manifest"):
            read(folder)


@pytest.mark.parametrize("hierarchy", [None, {"quantiles": 8}], ids=["none given", "quantiles"])
def test_boundaries_that_follow_the_table_are_told(hierarchy: object, tmp_path: Path) -> None:
    attributes = {"costs": {"role": "quasi_identifier"} | ({"hierarchy": hierarchy} if hierarchy else {})}
    release = anonymize(_policy(attributes=attributes, ranges="hierarchy"), tmp_path / "release", source=_table(100))
    assert release.manifest["ranges"] == {"costs": "hierarchy"}
    assert any("end at quantiles of the table" in note for note in release.manifest["notes"])
    assert verify(release.folder).kept


def test_a_rule_without_boundaries_can_promise_none(tmp_path: Path) -> None:
    attributes = {"age": {"role": "quasi_identifier", "hierarchy": _Halves()}}
    table = {"age": [str(i) for i in range(20)]}
    with pytest.raises(HierarchyError, match="no boundaries that ranges could end on"):
        anonymize(_policy(attributes=attributes, ranges="hierarchy"), tmp_path / "release", source=table)


class _Halves(BranchingRule):
    """Somebody's rule in Python: small numbers and large ones."""

    ordered = ranges = True
    between = 1

    def _climb(self, value: str) -> tuple[Value, ...]:
        return ("small" if int(value) < 10 else "large",)

    def _rank(self, value: str) -> tuple[object, ...]:
        return (int(value),)

    def to_words(self) -> object:
        return {"halves": True}


def test_a_mapping_may_not_name_a_value_that_stands_for_nothing() -> None:
    """[1, 25, 38] would cover the same as [1, 25, 35], and tell of somebody who is 38."""
    rule = Intervals((5, 10))
    assert stands_for(rule, "25-39", [[1, "25", "35"]])
    assert not stands_for(rule, "25-39", [[1, "25", "38"]])
    assert not stands_for(Dates(("day", "month")), "2024-03-05 to 2024-04-01", [[1, "2024-03-05", "2024-04-01"]])


@given(st.lists(st.tuples(_DAYS, _NUMBERS), min_size=2, max_size=8), st.sampled_from(KINDS))
@settings(max_examples=15, deadline=None)
def test_small_tables_are_true_and_tell_no_day(rows: list[tuple[str, str]], kind: tuple[str, str]) -> None:
    attributes = {"birth": {"role": "quasi_identifier"}, "age": ATTRIBUTES["age"]}
    days, ages = zip(*rows, strict=True)
    table = {"birth": list(days), "age": list(ages)}
    policy = policy_from_words(
        {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "publish": kind[0], "search": kind[1]}
    )
    with TemporaryDirectory() as name:
        try:
            folder = anonymize(policy, Path(name) / "release", source=table).folder
        except Infeasible:
            return
        assert verify(folder, source=table).kept
        assert not [fault for fault in audit(folder, source=table).faults if fault.grave]
        assert not any(_DAY.search(text) and not _DAY.fullmatch(text) for text in _published(folder)["birth"])


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "another word": ({"ranges": "hirarchy"}, ["ranges: no such word 'hirarchy'; did you mean 'hierarchy'?"]),
    "no word": ({"ranges": 5}, ["ranges: no such word 5; known: 'hierarchy', 'values'"]),
    "whole columns": (
        {"ranges": "values", "publish": "generalization"},
        [
            "ranges: is of no use: 'generalization' publishes no ranges but those of the hierarchies; "
            "leave it out, or write publish: multidimensional or local_recoding"
        ],
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_mistakes_are_told(words: str) -> None:
    more, expected = WRONG[words]
    with pytest.raises(PolicyError) as caught:
        _policy(**more)
    assert [str(mistake) for mistake in caught.value.mistakes] == expected


def test_of_columns_without_ranges_nothing_is_said() -> None:
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5]}, "ranges": "values"},
        "zip": {"role": "quasi_identifier", "hierarchy": {"prefixes": [2]}, "ranges": "hierarchy"},
        "disease": {"role": "sensitive", "ranges": "hierarchy"},
    }
    with pytest.raises(PolicyError) as caught:
        _policy(attributes=attributes)
    assert [mistake.place for mistake in caught.value.mistakes] == [
        "attributes.zip.ranges",
        "attributes.disease.ranges",
    ]
    wrong = {**attributes, "age": {**attributes["age"], "ranges": "value"}}
    with pytest.raises(PolicyError) as caught:
        _policy(attributes=wrong)
    assert [mistake.place for mistake in caught.value.mistakes] == ["attributes.age.ranges"]
