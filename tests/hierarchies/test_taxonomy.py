import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import HierarchyError
from discreet.hierarchies.build import build
from discreet.hierarchies.rules import Taxonomy
from discreet.hierarchies.taxonomy import DELIMITERS, read_taxonomy, taxonomy_from_rows

from .strategies import taxonomies

PLACE = "attributes.nation.hierarchy"


@pytest.fixture
def read(tmp_path):
    def read(content, name="nation.csv"):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_taxonomy(name, tmp_path, PLACE)

    return read


def mistakes_of(call, *given):
    with pytest.raises(HierarchyError) as caught:
        call(*given)
    return [str(m) for m in caught.value.mistakes]


NATIONS = {"Spain": ("Europe",), "Peru": ("America",)}


@pytest.mark.parametrize(
    "content",
    [
        "Spain;Europe;*\nPeru;America;*\n",
        "Spain,Europe,*\r\nPeru,America,*",
        "Spain\tEurope\t*\nPeru\tAmerica\t*\n",
        "Spain|Europe|*\nPeru|America|*\n",
        "Spain;Europe\nPeru;America\n",
        "\ufeffSpain;Europe;*\nPeru;America;*\n",
        '"Spain";"Europe";"*"\n"Peru";"America";"*"\n',
        "\n\nSpain;Europe;*\n   \n;;\nPeru;America;*\n\n",
        "Spain;Europe;*\nPeru;America;*\nSpain;Europe;*\n",
        "Spain;Europe;*;*\nPeru;America;*;*\n",
        "Spain;Europe;*;\nPeru;America;*;\n",
    ],
)
def test_a_csv_is_read_however_it_was_written(read, content):
    assert read(content) == Taxonomy(NATIONS)


def test_commas_in_values_do_not_pass_for_delimiters(read):
    rule = read('Congo, Rep.;Africa;*\nKorea, South;Asia;*\n"a;b";Asia;*\n')
    assert list(rule.paths) == ["Congo, Rep.", "Korea, South", "a;b"]


def test_a_list_of_values_alone_is_a_flat_taxonomy(read):
    assert read("low\nmiddle\nhigh\n") == Taxonomy({"low": (), "middle": (), "high": ()})


def test_leaves_keep_the_order_of_the_list(read):
    h = build("x", ["high", "low", None], read("low;*\nmiddle;*\nhigh;*\n"))
    assert h.leaves == ("low", "middle", "high", None)


@given(taxonomies(), st.sampled_from(DELIMITERS))
def test_what_a_csv_writer_writes_is_read_back(tmp_path_factory, rule, delimiter):
    assume(None not in rule.paths)  # a CSV can't tell NULL from nothing
    file = tmp_path_factory.mktemp("taxonomy") / "x.csv"
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([leaf, *path, "*"] for leaf, path in rule.paths.items())
    file.write_text(text.getvalue(), newline="")
    assert read_taxonomy("x.csv", file.parent, PLACE) == rule


def test_rows_of_different_length_are_listed(read):
    (mistake,) = mistakes_of(read, "a;A;*\nb;B;*\nc;*\nd;D;E;*\n")
    assert mistake == (
        f"{PLACE}: 'nation.csv': rows of different length; most have 3 columns, but not: lines 3, 4; "
        "give every leaf a value on every level"
    )


def test_every_kind_of_mistake_is_reported_at_once(read):
    found = mistakes_of(read, "a;A;X;*\na;B;X;*\nb;C;X;*\nc;C;Y;*\nd;D;*\ne;;Y;*\nf;*;Y;*\n")
    kinds = ["rows of different length", "`*` means everything", "empty parents", "listed twice", "don't nest"]
    assert len(found) == len(kinds)
    for mistake, kind, lines in zip(found, kinds, ["line 5", "line 7", "line 6", "line 2", "lines 3, 4"], strict=True):
        assert mistake.startswith(f"{PLACE}: 'nation.csv': ") and kind in mistake and lines in mistake


def test_ten_offenders_are_listed():
    rows = [[f"leaf{i:02}", parent] for i in range(13) for parent in "AB"]
    (mistake,) = mistakes_of(taxonomy_from_rows, rows, PLACE)
    assert "'leaf09' and 3 more" in mistake and "leaf10" not in mistake


def test_a_header_is_named_as_a_possible_cause(read):
    (mistake,) = mistakes_of(read, "nation;region;all\nSpain;Europe;*\nPeru;America;*\n")
    assert "if the first line is a header, remove it" in mistake


def test_values_missing_in_the_taxonomy_are_listed(read):
    rule = read("Spain;Europe;*\nPeru;America;*\n")
    (mistake,) = mistakes_of(build, "nation", ["Spain", "spain", "Chile", None, ""], rule)
    assert mistake == (
        "attributes.nation.hierarchy: missing in the taxonomy nation.csv: 'Chile', 'spain'; "
        "add a line for each of them, leaf first"
    )


def test_null_and_nothing_missing_in_the_taxonomy_have_branches_of_their_own():
    h = build("nation", ["Peru", None, ""], Taxonomy(NATIONS))
    assert h.labels[1] == ("Europe", "America", "", None)


def test_null_goes_with_the_empty_value_of_a_csv(read):
    h = build("nation", ["Peru", None], read("Spain;Europe;*\nPeru;America;*\n;unknown;*\n"))
    assert h.labels[1] == ("Europe", "America", "unknown")
    assert h.codes[1][h.index[None]] == 2


def test_a_missing_file_is_named_with_one_that_is_there(read, tmp_path):
    read("a;*\n", "nations.csv")
    (mistake,) = mistakes_of(read_taxonomy, "nation.csv", tmp_path, PLACE)
    assert mistake == f"{PLACE}: no file 'nation.csv'; did you mean 'nations.csv'?"
    (mistake,) = mistakes_of(read_taxonomy, "nowhere/nation.csv", tmp_path, PLACE)
    assert "relative to the folder of the policy" in mistake


def test_broken_text_is_named_with_its_line(read):
    (mistake,) = mistakes_of(read, b"a;A;*\nb\xff;B;*\n")
    assert mistake == f"{PLACE}: 'nation.csv' is not UTF-8 text (line 2); save the file as UTF-8"


def test_an_open_quote_is_an_error(read):
    (mistake,) = mistakes_of(read, 'a;A;*\n"b;B;*\nc;C;*\n')
    assert "is not a CSV: line 3" in mistake and "close the quotes" in mistake


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", " \n"])
def test_an_empty_file_is_an_error(read, content):
    (mistake,) = mistakes_of(read, content)
    assert "lists no values" in mistake


@pytest.mark.parametrize("path", [".", "", "a\0b", "x" * 5000])
def test_what_is_no_file_is_an_error(tmp_path, path):
    (mistake,) = mistakes_of(read_taxonomy, path, tmp_path, PLACE)
    assert "can't be read" in mistake or "is a folder" in mistake
