"""The description of another tool's release, and what is told when it does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.audit.reading.description import How, describe, example
from discreet.audit.reading.view import Promise
from discreet.errors import DataError

FILES = {"data.csv": ("age", "zip", "disease")}
WHOLE = """
quasi_identifiers: [age, zip]
sensitive: [disease]
promises:
  - k_anonymity: {k: 5}
  - l_diversity: {l: 2, kind: distinct, attribute: disease}
  - t_closeness: {t: 0.2}
hierarchies: {zip: zip.csv}
columns: {age: interval}
suppressed: "?"
identifiers: [name]
"""


def mistakes(words, files=FILES):
    with pytest.raises(DataError) as raised:
        describe(words, files)
    return [str(m) for m in raised.value.mistakes]


def test_a_description_says_which_columns_are_what(tmp_path):
    (tmp_path / "zip.csv").write_text('47906;479**;*\n"12;345";;*\n')
    (tmp_path / "about.yaml").write_text(WHOLE)
    told = describe(tmp_path / "about.yaml", FILES)
    assert (told.quasi_identifiers, told.sensitive) == (("age", "zip"), ("disease",))
    assert told.promises == (
        Promise("k_anonymity", {"k": 5}),
        Promise("l_diversity", {"l": 2, "kind": "distinct"}, "disease"),
        Promise("t_closeness", {"t": 0.2}),
    )
    assert told.hierarchies == {"zip": (("47906", "479**", "*"), ("12;345", None, "*"))}
    assert (told.columns, told.suppressed, told.identifiers) == ({"age": How("interval")}, "?", ("name",))


def test_the_same_may_be_said_in_python():
    words = {"quasi_identifiers": ("age",), "sensitive": "disease", "promises": {"k_anonymity": {"k": 5}}}
    told = describe(words | {"hierarchies": {"age": [[20, "young", "*"], [None, "unknown", "*"]]}}, FILES)
    assert (told.quasi_identifiers, told.sensitive) == (("age",), ("disease",))
    assert told.promises == (Promise("k_anonymity", {"k": 5}),)
    assert told.hierarchies == {"age": (("20", "young", "*"), (None, "unknown", "*"))}


def test_columns_called_like_numbers_or_truth_values_are_columns(tmp_path):
    (tmp_path / "about.yaml").write_text("quasi_identifiers: [no, 2020, null]\nsensitive: [1.50]\n")
    told = describe(tmp_path / "about.yaml", {"x.csv": ("no", "2020", "null", "1.50")})
    assert (told.quasi_identifiers, told.sensitive) == (("no", "2020", "null"), ("1.50",))


def test_a_promise_may_be_written_as_a_fraction():
    words = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "promises": [{"t_closeness": {"t": "1/3"}}]}
    assert describe(words, FILES).promises == (Promise("t_closeness", {"t": "1/3"}),)
    words["promises"] = [{"t_closeness": {"t": "-1/3"}}]
    assert mistakes(words) == ["promises[0].t_closeness.t: must be a number above 0, got '-1/3'"]


def test_all_mistakes_are_told_at_once():
    words = {
        "quasi_identifiers": ["agee", "zip"],
        "sensitive": ["zip"],
        "sensitiv": [],
        "promises": [{"k_anonimity": {"k": 5}}, {"l_diversity": {"k": 2}}, {"k_anonymity": {"k": "many"}}, 5],
        "columns": {"age": "intervall", "nation": "set"},
        "hierarchies": {"zip": "nothing.csv", "age": 7},
        "suppressed": 5,
        "group": "g",
    }
    assert mistakes(words) == [
        "sensitiv: no such word 'sensitiv'; did you mean 'sensitive'?",
        "group: no such column 'g'; known: 'age', 'zip', 'disease'",
        "quasi_identifiers: no such column 'agee'; did you mean 'age'?",
        "zip: has two roles; name it once",
        "promises[0]: no such word 'k_anonimity'; did you mean 'k_anonymity'?",
        "promises[1].l_diversity.k: no such word 'k'; known: 'l', 'kind', 'c'",
        "promises[1].l_diversity: needs l; e.g. {l_diversity: {l: …}}",
        "promises[2].k_anonymity.k: must be a number above 0, got 'many'",
        "promises[3]: no such word 5; known: 'k_anonymity', 'l_diversity', 't_closeness', 'alpha_k', "
        "'beta_likeness', 'delta_disclosure', 'm_invariance', 'k_map', 'presence', 'confident_presence' and 3 more",
        "hierarchies.zip: no file 'nothing.csv'; paths are relative to the folder of the description",
        "hierarchies.age: must be a file or a list of lists, got 7",
        "columns: no such column 'nation'; known: 'age', 'zip', 'disease'",
        "columns.age: no such word 'intervall'; did you mean 'interval'?",
        "suppressed: must be a text, got 5; put it in quotes",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "quasi_identifiers: are missing; name the columns that others may know, e.g. [age, zip, disease]"),
        ({"quasi_identifiers": 5}, "quasi_identifiers: must be a list of columns, got 5"),
        ({"quasi_identifiers": ["age", "age"]}, "quasi_identifiers: names a column twice"),
        ({"quasi_identifiers": "age", "promises": "k"}, "promises: must be a list, got 'k'"),
        ({"quasi_identifiers": "age", "promises": [{"k_anonymity": 5}]}, "must have parameters, got 5"),
        ({"quasi_identifiers": "age", "promises": [[{"k_anonymity": {"k": 5}}]]}, "promises[0]: no such word a list"),
        ({"quasi_identifiers": "age", "columns": ["zip"]}, "columns: must be a mapping, got a list"),
        (
            {"quasi_identifiers": "age", "sensitive": "zip", "promises": [{"l_diversity": {"l": 2, "attribute": "x"}}]},
            "promises[0].l_diversity.attribute: 'x' is not sensitive; known: 'zip'",
        ),
        ({"quasi_identifiers": "age", "tables": {"data.csv": ["age"]}}, "group: is missing"),
        ({"quasi_identifiers": "age", "tables": {"date.csv": []}, "group": "g"}, "did you mean 'data.csv'?"),
        ({"quasi_identifiers": "age", "tables": {"data.csv": [[]]}, "group": "zip"}, "must be a list of columns"),
    ],
)
def test_a_mistake_says_what_to_mend(words, message):
    assert any(message in mistake for mistake in mistakes(words)), mistakes(words)


@pytest.mark.parametrize("text", ["[", "a: b: c", "5", "\x00", "- a"])
def test_what_is_no_description_is_told(tmp_path, text):
    path = tmp_path / "about.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=r"is not YAML|is not a description"):
        describe(path, FILES)
    with pytest.raises(DataError, match="no such file"):
        describe(Path(tmp_path / "nothing.yaml"), FILES)


@pytest.mark.parametrize("columns", [("age", "zip", "disease"), ("a b", "no: x", '"', "#5"), ("only",)])
def test_the_example_is_a_description_of_its_file(tmp_path, columns):
    path = tmp_path / "about.yaml"
    path.write_text(example(columns))
    told = describe(path, {"data.csv": columns})
    assert (*told.quasi_identifiers, *told.sensitive) == columns
