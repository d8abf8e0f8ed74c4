"""A mapping is that of its release, or it is refused: later rows are published by it."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import DiscreetError, anonymize, apply, policy_from_words, verify
from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy
from discreet.hierarchies.rules import Cuts, Dates, Flat, Intervals, Prefixes, Taxonomy
from discreet.publications.mapping import _entry
from discreet.publications.meanings import height, is_name, stands_for
from discreet.publications.published_rules import PublishedRule
from tests.releases.making import put_manifest
from tests.releases.reading import manifest_of, read_table

PUBLISH = ["generalization", "multidimensional", "local_recoding"]


def table(seed: int, rows: int = 120) -> dict[str, list[Any]]:
    chance = random.Random(seed)
    return {
        "age": [chance.choice(["", None, *map(str, range(20, 60))]) for _ in range(rows)],
        "nation": [chance.choice(["Peru", "Chile", "Spain"]) for _ in range(rows)],
        "disease": [chance.choice(["flu", "cold", "HIV"]) for _ in range(rows)],
    }


def words(publish: str) -> dict[str, Any]:
    taxonomy = [["Peru", "America"], ["Chile", "America"], ["Spain", "Europe"], ["Malta", "Europe"]]
    attributes = {
        "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [5, 20]}},
        "nation": {"role": "quasi_identifier", "hierarchy": {"taxonomy": taxonomy}},
        "disease": {"role": "sensitive"},
    }
    require = [{"k_anonymity": {"k": 4}}, {"l_diversity": {"l": 2}}]
    return {"attributes": attributes, "require": require, "suppress": 0.6, "publish": publish}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("made")
    for publish in PUBLISH:
        anonymize(policy_from_words(words(publish)), folder / publish, source=table(1))
    return {path.name: path for path in folder.iterdir()}


def forged(made: Path, folder: Path, change: Callable[[Any, Any], None]) -> Path:
    """A copy whose mapping (and manifest) is changed, all fingerprints right."""
    folder = Path(shutil.copytree(made, folder))
    mapping, manifest = json.loads((folder / "mapping.json").read_text(encoding="utf-8")), manifest_of(folder)
    change(mapping, manifest)
    (folder / "mapping.json").write_text(json.dumps(mapping), encoding="utf-8")
    put_manifest(folder, manifest)
    return folder


def entries(mapping: Any) -> list[Any]:
    return [entry for listed in mapping["texts"].values() for entry in listed]


def everybody_is_twenty(mapping: Any, manifest: Any) -> None:
    for entry in mapping["texts"]["age"]:
        entry["parts"] = [["", "0", "200"], [0, ""], [0, None]]


def a_wider_range(mapping: Any, manifest: Any) -> None:
    entry = next(e for e in entries(mapping) if e["parts"][0][0] == "" or "-" in str(e["text"]))
    entry["parts"] = [["", "20", "59"]]


def others_beside_them(mapping: Any, manifest: Any) -> None:
    mapping["texts"]["nation"][mapping["groups"][0][1]]["parts"].append([0, "Malta"])


def another_node(mapping: Any, manifest: Any) -> None:
    entry = next(e for e in entries(mapping) if e["text"] in ("Peru", "Chile"))
    entry["parts"] = [[1, "America"]]


def another_level(mapping: Any, manifest: Any) -> None:
    for entry in entries(mapping):
        for part in entry["parts"]:
            if part[0] in (1, 2):
                part[0] = 3 - part[0]


def another_rule(mapping: Any, manifest: Any) -> None:
    mapping["hierarchies"]["age"]["intervals"] = [60]


def a_group_more(mapping: Any, manifest: Any) -> None:
    for name, text in (("age", "59"), ("nation", "Malta")):
        mapping["texts"][name].append({"text": text, "parts": [[0, text]]})
    mapping["groups"].append([len(listed) - 1 for listed in mapping["texts"].values()])


def a_value_more(mapping: Any, manifest: Any) -> None:
    mapping["texts"]["nation"].append({"text": "Malta", "parts": [[0, "Malta"]]})


def a_value_twice(mapping: Any, manifest: Any) -> None:
    listed = mapping["texts"]["nation"]
    listed.append(dict(listed[mapping["groups"][0][1]]))
    mapping["groups"][0][1] = len(listed) - 1


def a_number_too_large(mapping: Any, manifest: Any) -> None:
    mapping["groups"][0][1] = len(mapping["texts"]["nation"])


def a_number_from_the_end(mapping: Any, manifest: Any) -> None:
    mapping["groups"][0][1] -= len(mapping["texts"]["nation"])


def a_number_that_is_none(mapping: Any, manifest: Any) -> None:
    group = next(g for g in mapping["groups"] if g[1] in (0, 1))
    group[1] = bool(group[1])


def columns_exchanged(mapping: Any, manifest: Any) -> None:
    mapping["texts"] = {name: mapping["texts"][name] for name in ("nation", "age")}


def a_group_less(mapping: Any, manifest: Any) -> None:
    mapping["groups"].pop()


def a_group_twice(mapping: Any, manifest: Any) -> None:
    mapping["groups"].append(mapping["groups"][0])


def a_word_more(mapping: Any, manifest: Any) -> None:
    mapping["texts"]["age"][0]["people"] = ["Ann"]


def as_levels(mapping: Any, manifest: Any) -> None:
    del mapping["groups"], mapping["texts"]
    mapping["levels"] = {"age": 0, "nation": 0}


@pytest.mark.parametrize("publish", PUBLISH[1:])
@pytest.mark.parametrize(
    "change",
    [
        everybody_is_twenty,
        a_wider_range,
        others_beside_them,
        another_node,
        another_level,
        another_rule,
        a_group_more,
        a_value_more,
        a_value_twice,
        a_number_too_large,
        a_number_from_the_end,
        a_number_that_is_none,
        columns_exchanged,
        a_group_less,
        a_group_twice,
        a_word_more,
        as_levels,
    ],
)
def test_groups_that_mean_other_people_are_refused(
    made: dict[str, Path], tmp_path: Path, publish: str, change: Callable[[Any, Any], None]
) -> None:
    folder = forged(made[publish], tmp_path / "release", change)
    found = verify(folder)
    assert {m.place for m in found.mistakes} == {"mapping.json"}
    with pytest.raises(DiscreetError, match=r"mapping\.json"):
        apply(folder, table(2), tmp_path / "applied")
    assert not (tmp_path / "applied").exists()


@pytest.mark.parametrize("change", [{"age": 0}, {"age": 1}, {"nation": 1}, {"age": 9}, {"age": -1}, {"age": True}])
@pytest.mark.parametrize("both", [True, False])
def test_levels_are_those_that_are_published(
    made: dict[str, Path], tmp_path: Path, change: dict[str, int], both: bool
) -> None:
    def forge(mapping: Any, manifest: Any) -> None:
        assert mapping["levels"] == {"age": 2, "nation": 0}
        mapping["levels"] |= change
        if both:
            manifest["node"] |= change

    folder = forged(made["generalization"], tmp_path / "release", forge)
    with pytest.raises(DiscreetError, match=r"mapping\.json|manifest\.json\.node"):
        apply(folder, table(2), tmp_path / "applied")


@settings(max_examples=60)
@given(data=st.data())
def test_a_mangled_mapping_is_a_mistake_never_a_fault(
    made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    publish = data.draw(st.sampled_from(PUBLISH))
    new = data.draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(["", "set", "20"]),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "parts"]), inner),
            max_leaves=5,
        )
    )

    def mangle(mapping: Any, manifest: Any) -> None:
        place: Any = mapping
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            assume(keys)
            key = data.draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
                place = place[key]
                continue
            assume(place[key] != new or type(place[key]) is not type(new))
            place[key] = new
            return

    folder = forged(made[publish], tmp_path_factory.mktemp("mangled") / "release", mangle)
    assert not verify(folder).kept


def test_an_untouched_mapping_is_that_of_its_release(made: dict[str, Path]) -> None:
    for publish in PUBLISH:
        assert verify(made[publish]).kept


def test_later_rows_keep_the_mapping_with_groups_that_nobody_is_in(made: dict[str, Path], tmp_path: Path) -> None:
    apply(made["multidimensional"], table(2, rows=90), tmp_path / "applied", all_new=True)
    groups = json.loads((tmp_path / "applied" / "mapping.json").read_text())["groups"]
    assert len({row[:2] for row in read_table(tmp_path / "applied")[1]}) < len(groups)
    assert verify(tmp_path / "applied").kept


TEXTS = st.sampled_from(["a", "ab", "abc", "b", "*", "**", "a*", "a**", "{a, b}", "a, b", "NULL", "{*}", "1-2", ""])
NUMBERS = st.sampled_from(
    ["0", "1", "5", "05", "5.0", "7", "12", "20", "39", "039", "-3", "-12", "95", "1e2", " 8", "", None]
)
DECIMALS = st.sampled_from(["0", "0.5", "1.25", "7", "12.5", "-3", "99.9", "100", "", None])
DAYS = st.sampled_from(["2024-03-05", "5.3.2024", "2024-12-31 10:30", "1987-11-30", "0001-01-02", "", None])
LEAVES = ["a", "b", "c", "d", "X", "*"]
TAXONOMIES = [
    Taxonomy({"a": ("X", "Z"), "b": ("X", "Z"), "c": ("Y", "Z"), "d": ("W", "V")}),
    Taxonomy({"a": ("X",), "X": ("Y",), "b": ("X",), "Y": ("Y",)}, sets=True),
    Taxonomy({"*": ("X",), "a": ("X",), "": ("Y",), "b": ("Y",)}, sets=True),
    Taxonomy({"a": ("a",), "b": ("a",), "c": ("c",)}),
]
RULES = [
    (Intervals((5, 20)), NUMBERS.filter(lambda n: n != "1e2")),
    (Intervals((1, 10), origin=3, bottom=4, top=90), NUMBERS),
    (Intervals((2.5, 5), bottom=1, top=99), DECIMALS),
    (Cuts(((-5, 10, 40), (10,))), NUMBERS),
    (Cuts(((0.5, 10), (10,))), DECIMALS),
    (Prefixes((3, 1)), TEXTS | st.none()),
    (Dates(("day", "month", "quarter", "year", "decade")), DAYS),
    (Flat(), TEXTS | st.none()),
    (Flat(sets=True), TEXTS | st.none()),
    *((rule, st.sampled_from([*rule.paths, "", None])) for rule in TAXONOMIES),
]


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    rule, values = draw(st.sampled_from(RULES))
    try:
        return build("x", draw(st.lists(values, min_size=1, max_size=8)), rule)
    except HierarchyError:
        assume(False)
        raise


@settings(max_examples=400)
@given(hierarchy=hierarchies())
def test_every_name_of_every_level_is_known_for_one(hierarchy: Hierarchy) -> None:
    assert height(hierarchy.rule) == hierarchy.height
    for level, names in enumerate(hierarchy.labels):
        for name in names:
            assert is_name(hierarchy.rule, level, name), (level, name)


@settings(max_examples=400)
@given(hierarchy=hierarchies(), data=st.data())
def test_what_we_write_into_a_mapping_stands_for_what_it_says(hierarchy: Hierarchy, data: st.DataObject) -> None:
    places = st.integers(0, len(hierarchy.leaves) - 1)
    low, high = hierarchy.cover(*sorted((data.draw(places), data.draw(places))))
    entry = _entry(hierarchy, low, high, hierarchy.label(low, high), PublishedRule(hierarchy.rule))
    assert stands_for(hierarchy.rule, entry["text"], entry["parts"]), entry


@settings(max_examples=400)
@given(hierarchy=hierarchies(), data=st.data())
def test_no_text_stands_for_the_leaves_of_another(hierarchy: Hierarchy, data: st.DataObject) -> None:
    places = st.integers(0, len(hierarchy.leaves) - 1)
    ranges = [hierarchy.cover(*sorted((data.draw(places), data.draw(places)))) for _ in range(2)]
    assume(ranges[0] != ranges[1])
    [text, _], [_, parts] = (
        [e["text"], e["parts"]]
        for e in (_entry(hierarchy, *r, hierarchy.label(*r), PublishedRule(hierarchy.rule)) for r in ranges)
    )
    assert not stands_for(hierarchy.rule, text, parts), (text, parts)
