"""`robust` in the words of a policy: what they mean, and everything that can be wrong with them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.models.examples import bucketized
from discreet.models.registry import model_from_words
from discreet.models.robust.given_knowledge import GivenKnowledge
from discreet.models.robust.robust import Robust

ROWS = [({"age": "30"}, "HIV", "0.003"), ({"age": "30", "zip": ""}, None, "1/3"), ({}, "flu", 0)]


def read(folder: Path = Path(), sensitive: tuple[str, ...] = ("disease",), **words: object) -> list[Robust]:
    models, mistakes = model_from_words("robust", words, "robust", sensitive, folder)
    assert not mistakes
    return models  # type: ignore[return-value]


def mistakes(folder: Path = Path(), sensitive: tuple[str, ...] = ("disease",), **words: object) -> list[str]:
    models, found = model_from_words("robust", words, "robust", sensitive, folder)
    assert not models
    return [str(mistake) for mistake in found]


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ({"r": 10}, Robust(10, "disease")),
        ({"r": "5/2", "knowledge": "table", "min_support": 5}, Robust(Fraction(5, 2), "disease", min_support=5)),
        ({"r": 2.5, "values": ["HIV", ["flu", None], None]}, Robust("2.5", "disease", ["HIV", ("flu", None), None])),
        (
            {"r": 2, "attribute_sets": [["age", "zip"], "age"]},
            Robust(2, "disease", attribute_sets=[["age", "zip"], "age"]),
        ),
        ({"r": 2, "knowledge": ROWS}, Robust(2, "disease", knowledge=GivenKnowledge(ROWS))),
    ],
)
def test_words_mean_models(words: dict[str, object], model: Robust) -> None:
    assert read(**words) == [model]


def test_a_promise_without_an_attribute_is_meant_for_each() -> None:
    assert read(sensitive=("a", "b"), r=3) == [Robust(3, "a"), Robust(3, "b")]
    assert read(sensitive=("a", "b"), r=3, attribute="b") == [Robust(3, "b")]


texts = st.sampled_from(["HIV", "flu", "", None, "1"])
names = st.sampled_from(["age", "zip", "p"])
signatures = st.dictionaries(names, texts, max_size=2)
rows = st.lists(
    st.tuples(signatures, texts, st.sampled_from(["0", "0.125", "1/3", "0.1"])),
    min_size=1,
    max_size=3,
    unique_by=lambda row: (tuple(sorted(row[0].items(), key=str)), row[1]),
)
sets = st.lists(st.lists(texts, min_size=1, max_size=3, unique=True), min_size=1, max_size=3)
attribute_sets = st.lists(st.lists(names, min_size=1, max_size=2, unique=True), min_size=1, max_size=3)
models = st.builds(
    Robust,
    st.sampled_from([2, 10, Fraction(7, 3), "1.5"]),
    st.just("disease"),
    st.none() | sets,
    st.none() | attribute_sets,
    st.integers(1, 50),
) | st.builds(
    lambda r, values, listed: Robust(r, "disease", values, knowledge=GivenKnowledge(listed)),
    st.sampled_from([2, Fraction(7, 3)]),
    st.none() | sets,
    rows,
)


@given(model=models)
def test_a_promise_written_out_is_read_back_the_same(model: Robust) -> None:
    [(word, parameters)] = json.loads(json.dumps(model.to_words())).items()
    assert model_from_words(word, parameters, word, ["disease"]) == ([model], [])
    assert hash(model) == hash(model_from_words(word, parameters, word, ["disease"])[0][0])


def test_a_csv_may_be_about_several_attribute_sets(tmp_path: Path) -> None:
    text = '\ufeffage,zip,disease,p\n30,,HIV,0.003\n30,"",,1/3\n\n"3,0", 47906 ,"say ""ah""",1e-3\n,,flu,0\n'
    (tmp_path / "known.csv").write_text(text, encoding="utf-8")
    [model] = read(tmp_path, r=2, knowledge="known.csv")
    quoted = ({"age": "3,0", "zip": "47906"}, 'say "ah"', "0.001")
    assert model.knowledge == GivenKnowledge([*ROWS[:2], quoted, ROWS[2]])


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_csv_may_have_other_separators(tmp_path: Path, separator: str) -> None:
    lines = [["age", "disease", "p"], ["30", "a, b", "0.5"], ["", "", "0.1"]]
    (tmp_path / "known.tsv").write_text("\n".join(separator.join(line) for line in lines), encoding="utf-8")
    [model] = read(tmp_path, r=2, knowledge="known.tsv")
    assert model.knowledge == GivenKnowledge([({"age": "30"}, "a, b", "0.5"), ({}, None, "0.1")])


def test_all_mistakes_are_told_at_once() -> None:
    words = {"values": ["HIV", 7, []], "attribute_sets": [[], "age"], "min_support": 0}
    empty = "an empty list"
    strange = "must be a value or a list of values, got {}; put values in quotes where they are numbers; "
    example = "for example [HIV, [flu, cold]]"
    assert mistakes(rr=3, **words, knowledge="tabel", attribute="illness") == [
        "robust.rr: no such parameter; did you mean 'r'?",
        "robust.r: is missing; for example robust: {r: 10}",
        "robust.min_support: must be at least 1, got 0; a signature that nobody has says nothing",
        f"robust.values[1]: {strange.format(7)}{example}",
        f"robust.values[2]: {strange.format('an empty list')}{example}",
        f"robust.attribute_sets[0]: must be a list of quasi-identifiers, got {empty}; for example [[age], [age, zip]]",
        "robust.knowledge: no such knowledge 'tabel'; did you mean 'table'? (or give the path of a CSV)",
        "robust.attribute: no such sensitive attribute; known: 'disease'",
    ]


def test_given_knowledge_leaves_no_choice_of_attributes_and_support() -> None:
    assert mistakes(r=2, attribute_sets=[["age"]], min_support=5, knowledge=ROWS) == [
        "robust.attribute_sets: is for the table's own distributions; leave it out, or write knowledge: table",
        "robust.min_support: is for the table's own distributions; leave it out, or write knowledge: table",
    ]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ({"r": 1}, "robust.r: must be above 1, got 1; a probability of 1/1 promises nothing"),
        ({"r": 2, "values": "HIV"}, "robust.values: must be a list of values or of lists of values, got 'HIV'"),
        ({"r": 2, "attribute_sets": "age"}, "robust.attribute_sets: must be a list of lists of quasi-identifiers"),
        ({"r": 2, "knowledge": {"a": 1}}, "robust.knowledge: must be rows of a signature, a value and a probability"),
        ({"r": 2, "knowledge": [[{"age": 30}, "a", 0.1]]}, "robust.knowledge[0]: a signature must be attributes"),
        ({"r": 2, "knowledge": "nowhere.csv"}, "robust.knowledge: no file 'nowhere.csv'"),
        ({"r": 2, "attribute": 7}, "robust.attribute: must be the name of a sensitive attribute, got 7"),
    ],
)
def test_what_can_not_be_meant_is_a_mistake(words: dict[str, object], rule: str) -> None:
    [found] = mistakes(**words)
    assert found.startswith(rule)


def test_a_promise_needs_a_sensitive_attribute() -> None:
    assert mistakes(sensitive=(), r=2) == ["robust: needs a sensitive attribute; give a column the role sensitive"]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (b"", ["'k.csv' is empty"]),
        (b"\n\n", ["'k.csv' is empty"]),
        (b"\xff\xfe", ["'k.csv' is not UTF-8 text"]),
        (b"age,illness,q\n", ["'k.csv' has no column 'disease'", "'k.csv' has no column 'p'"]),
        (b"age,age,disease,p\n", ["'k.csv' has a column twice"]),
        (
            b"age,disease,p\n30,a\n30,b,0.1\n31,b,lots\n",
            ["'k.csv', line 2: not 3 cells", "'k.csv', line 4: p is not a prob"],
        ),
        (b'age,disease,p\n30,"a" b,0.1\n', ["'k.csv', line 2: not 3 cells"]),
        (b"age,disease,p\n30,a,0.7\n30,b,0.7\n", ["the probabilities of age 30 add up to 1.4"]),
        (b"age,disease,p\n", ["has no rows"]),
    ],
)
def test_files_that_can_not_be_meant_are_mistakes(tmp_path: Path, text: bytes, rules: list[str]) -> None:
    (tmp_path / "k.csv").write_bytes(text)
    found = mistakes(tmp_path, r=2, knowledge="k.csv")
    assert len(found) == len(rules)
    for mistake, rule in zip(found, rules, strict=True):
        assert mistake.startswith(f"robust.knowledge: {rule}")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "k.csv").mkdir()
    [found] = mistakes(tmp_path, r=2, knowledge="k.csv")
    assert "'k.csv' is a folder" in found


def test_a_sensitive_attribute_called_p_has_no_place_in_a_csv(tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("age,p\n30,0.1\n", encoding="utf-8")
    [found] = mistakes(tmp_path, ("p",), r=2, knowledge="k.csv")
    assert "one column 'p' for values and probabilities" in found


def test_names_and_values_that_the_table_lacks_are_told() -> None:
    people = bucketized("disease", ["age", "zip"], [[("30", "1", "flu"), ("31", "2", None)]]).people
    assert people is not None and people.table is not None
    model = Robust(2, "disease", ["flue", [None, "cold"]], [["age", "zipp"]])
    assert [str(m) for m in model.misfits(people.table)] == [
        "robust.values: disease has no value 'flue'; did you mean 'flu'?",
        "robust.values: disease has no value 'cold'; known: 'flu', 'NULL'",
        "robust.attribute_sets: no such quasi-identifier 'zipp'; did you mean 'zip'?",
    ]
    given = Robust(2, "disease", knowledge=GivenKnowledge([({"sex": "f"}, "flu", 0.1)]))
    assert [m.place for m in given.misfits(people.table)] == ["robust.knowledge"]
    assert Robust(2, "disease", ["flu", None], [["age"]]).misfits(people.table) == []
