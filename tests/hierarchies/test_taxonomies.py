"""Taxonomies that are drafted, checked and drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError, HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.taxonomies.check import check_taxonomy, paths_of_values
from discreet.hierarchies.taxonomies.countries import countries, country
from discreet.hierarchies.taxonomies.draft import LARGEST, Draft, draft_taxonomy
from discreet.hierarchies.taxonomies.icd10 import categories, parts_of
from discreet.hierarchies.taxonomies.tree import drawn, in_json, levels_of, tree_of
from discreet.hierarchies.taxonomy import read_taxonomy

VALUES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@given(st.dictionaries(st.one_of(VALUES, st.none(), st.just("")), st.integers(1, 1000), min_size=1, max_size=30))
def test_every_draft_can_be_used_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, counts: dict[str | None, int]
) -> None:
    try:
        draft = draft_taxonomy(counts, "column")
    except DiscreetError as refusal:
        assert "no taxonomy" in str(refusal) or "no values" in str(refusal)
        return
    file = tmp_path_factory.mktemp("draft") / "column.csv"
    file.write_text(draft.text, encoding="utf-8", newline="")
    checked = check_taxonomy(file, counts)
    assert {value for value in counts if value} <= set(checked.taxonomy.paths)
    hierarchy = build("column", counts, read_taxonomy(file.name, file.parent, "place"))
    assert set(counts) <= set(hierarchy.leaves)
    root = tree_of(paths_of_values(checked), counts)
    assert root.rows == sum(counts.values())
    assert drawn(root, hide_below=5)


def test_all_countries_are_listed_once_in_the_notation_of_the_table() -> None:
    for notation, counts in enumerate([{"DE": 4, "JP": 1}, {"DEU": 4, "JPN": 1}, {"Germany": 4, "Japan": 1}]):
        draft = draft_taxonomy(counts, "nation")
        assert draft.kind == "countries"
        assert [row[0] for row in draft.rows] == [row[notation] for row in countries()]
        assert draft.rows[213][1:] == ("Western Europe", "Europe", "*")


def test_what_a_draft_of_countries_lists_does_not_depend_on_which_occur() -> None:
    one = draft_taxonomy({"Turkey": 9, "Peru": 3}, "nation")
    other = draft_taxonomy({"Vietnam": 1, "Chad": 8}, "nation")
    assert one.rows == other.rows
    upper = draft_taxonomy({"VIET NAM": 1, "CHAD": 8}, "nation")
    assert [row[0] for row in upper.rows] == [row[2].upper() for row in countries()]


def test_values_that_are_no_country_stand_together() -> None:
    draft = draft_taxonomy({"France": 5, "Spain": 4, "Peru": 2, "Atlantis": 1}, "nation")
    assert draft.rows[-1] == ("Atlantis", "other", "other", "*")
    assert draft_taxonomy({"France": 5, "Atlantis": 4, "Mu": 2}, "nation").kind == "values"


def test_codes_of_states_are_not_taken_for_countries() -> None:
    listed = "ALAKAZARCACOCTDEFLGAHIIDILINIAKSKYLAMEMDMAMIMNMSMOMTNENVNHNJNMNY"
    states = [listed[i : i + 2] for i in range(0, len(listed), 2)]
    assert draft_taxonomy(dict.fromkeys(states, 10), "state").kind == "values"


def test_countries_have_their_codes() -> None:
    known = {"Germany": ("DE", "DEU"), "Switzerland": ("CH", "CHE"), "Japan": ("JP", "JPN"), "Brazil": ("BR", "BRA")}
    for name, codes in known.items():
        at, _ = country(name) or (-1, -1)
        assert countries()[at][:2] == codes
        assert all((country(code) or (-2, 0))[0] == at for code in codes)
    assert len({row[0] for row in countries()}) == len({row[1] for row in countries()}) == len(countries()) == 249


def test_diagnoses_have_categories_blocks_and_chapters() -> None:
    draft = draft_taxonomy({"I21.4": 5, "E11.9": 3, "J10": 2, "none": 1}, "icd")
    paths = {row[0]: row[1:] for row in draft.rows}
    assert draft.kind == "icd10"
    assert paths["I21.4"] == ("I21", "I20-I25", "IX I00-I99", "*")
    assert paths["J10"][0] == "J10" and paths["C50.9"][2] == "II C00-D48", "also what does not occur"
    assert paths["none"] == ("other", "other", "other", "*")
    bare = draft_taxonomy({"I21": 5, "E11": 3, "J10": 2}, "icd")
    assert [row[0] for row in bare.rows] == sorted(categories())
    assert len(bare.rows[0]) == 4


@given(st.from_regex(r"[A-Z][0-9]{2}(\.[0-9])?", fullmatch=True))
def test_every_code_lies_in_its_block(code: str) -> None:
    parts = parts_of(code)
    if parts is None:
        assert code[:3] not in categories()
        return
    block, chapter = categories()[parts[0]]
    for span in (block, chapter.split()[1]):
        first, last = span.split("-")
        assert first <= code[:3] <= last


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([str(i) for i in range(18, 60)], "intervals"),
        ([f"{i / 7:.2f}" for i in range(30)], "intervals"),
        (["2024-03-05", "2024-03-06"], "dates"),
        (["05.03.2024"], "dates"),
    ],
)
def test_numbers_and_dates_are_sent_to_their_words(values: list[str], words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        draft_taxonomy(dict.fromkeys(values, 1), "column")


def test_a_few_numbers_are_codes_of_answers() -> None:
    assert draft_taxonomy(dict.fromkeys("123456", 50), "married").kind == "values"


def test_postcodes_are_sent_to_prefixes() -> None:
    draft = draft_taxonomy({f"47{i:03}": 3 for i in range(0, 200, 5)}, "zip")
    assert draft.kind == "prefixes"
    assert any("{prefixes: [4, 3]}" in note for note in draft.notes)
    assert draft.rows[0] == ("47000", "4700*", "470**", "*")


def test_rare_values_are_put_together_under_a_name_of_their_own() -> None:
    draft = draft_taxonomy({"flu": 900, "gout": 500, "zoster": 2, "other": 1, "*": 700}, "disease")
    assert draft.rows == (
        ("flu", "flu", "*"),
        ("gout", "gout", "*"),
        ("*", "other values", "*"),
        ("other", "other values", "*"),
        ("zoster", "other values", "*"),
    )
    assert any("published with the release" in note for note in draft.notes)


def test_more_values_than_anybody_could_list_are_refused() -> None:
    with pytest.raises(DiscreetError, match="100,001 different values"):
        draft_taxonomy({f"v{i}": 1 for i in range(LARGEST + 1)}, "column")


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "nation.csv"
    file.write_text(
        "Spain;South;Europe;*\nItaly;South;America;*\nPeru;Andes;*\n"
        "Chad;;Africa;*\nChad;Sahel;Africa;*\n Mali;Sahel;Africa;*\n",
        encoding="utf-8",
    )
    counts = {"Spain": 9, "Mali": 7, "Nauru": 1, "Tonga": 6, None: 3}
    with pytest.raises(HierarchyError) as refusal:
        check_taxonomy(file, counts)
    told = "\n".join(str(mistake) for mistake in refusal.value.mistakes)
    for part in (
        "different length",
        "don't nest",
        "empty parents",
        "twice",
        "missing: 'Mali', 'Tonga', and 1 that fewer",
    ):
        assert part in told
    assert "Nauru" not in told, "a rare value is counted, not named"


def test_groups_of_one_and_lists_made_from_the_table_are_noted(tmp_path: Path) -> None:
    file = tmp_path / "nation.csv"
    file.write_text("Spain;Iberia;Europe;*\nItaly;Italy;Europe;*\nPeru;Andes;America;*\n", encoding="utf-8")
    checked = check_taxonomy(file, {"Spain": 9, "Italy": 2, "Peru": 7})
    assert checked.lonely == (2, 1)
    assert checked.unused == 0
    assert any("2 names stand for one value alone" in note for note in checked.notes)
    assert any("occurs in the table, 1 of it in fewer than 5 rows" in note for note in checked.notes)
    assert check_taxonomy(file, {"Spain": 9}).unused == 2
    assert not any("occurs in the table" in note for note in check_taxonomy(file).notes)


@given(
    st.dictionaries(st.integers(0, 400), st.integers(0, 40), min_size=1, max_size=120), st.integers(0, 9), st.booleans()
)
def test_a_drawing_hides_small_numbers_and_levels_add_up(counts: dict[int, int], hide: int, given: bool) -> None:
    rows = {f"v{i}": n for i, n in counts.items()}
    paths = {value: (f"a{int(value[1:]) // 5}", f"b{int(value[1:]) // 50}") for value in rows}
    known = rows if given else None
    root = tree_of(paths, known)
    text = drawn(root, hide_below=hide)
    assert len(text.splitlines()) <= 61
    for number in range(1, hide):
        assert f" {number} rows" not in text and f" {number} row\n" not in text
    assert root.leaves == len(rows) and root.rows == (sum(rows.values()) if given else None)
    for level, about in enumerate(levels_of(paths, known)):
        names = [path[level] for path in paths.values()]
        assert about.names == len(set(names))
        assert about.leaves[1] == max(map(names.count, names))

    def shown(node: dict[str, object]) -> list[object]:
        children = node.get("children", [])
        assert isinstance(children, list)
        return [node["rows"], *(n for child in children for n in shown(child))]

    assert all(n is None or n == 0 or n >= hide for n in shown(in_json(root, hide_below=hide)))  # type: ignore[operator]


def test_a_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    odd = ["a;b", 'say "hi"', " x", "x ", "two\nlines", "tab\t", "é", "a,b|c"]
    file = tmp_path / "odd.csv"
    file.write_text(Draft(tuple((v, v, "*") for v in odd), "values", "").text, encoding="utf-8", newline="")
    assert list(read_taxonomy("odd.csv", tmp_path, "place").paths) == odd
