"""Small inputs that took hours or gigabytes, numbers that were faults of ours: all are mistakes, told at once.

None of these tests is timed; before the limits they did not end, or ended in another exception.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from discreet.audit.promises.parameters import promise_mistakes
from discreet.audit.reading.description import describe
from discreet.engines.open import open_source
from discreet.engines.rows import ListedIn, Rows
from discreet.errors import DataError, DiscreetError, HierarchyError, PolicyError
from discreet.hierarchies.build import build
from discreet.hierarchies.words import rule_from_words
from discreet.models.examples import groups_of
from discreet.models.groups.l_diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from discreet.policy.policy import policy_from_words, read_policy

WORDS: dict[str, Any] = {
    "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "require": [{"k_anonymity": {"k": 5}}],
}
HUGE = 10**400


def mistakes(words: object, folder: Path = Path()) -> list[str]:
    with pytest.raises(PolicyError) as refused:
        policy_from_words(words, folder)
    return [str(mistake) for mistake in refused.value.mistakes]


def bomb(depth: int = 9) -> str:
    """Lists of ten aliases each: below 1 KB, and a billion values."""
    names = [f"a{i}" for i in range(depth)]
    lines = [f"{names[0]}: &{names[0]} [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise(names)]
    return "\n".join(lines) + "\n"


def test_a_policy_of_aliases_that_stand_for_a_billion_values_is_a_mistake(tmp_path: Path) -> None:
    text = bomb()
    assert len(text) < 1000
    (tmp_path / "policy.yaml").write_text(text)
    with pytest.raises(PolicyError, match="has more than 100,000 values; put long lists into files"):
        read_policy(tmp_path / "policy.yaml")


def test_a_description_of_aliases_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "description.yaml").write_text(bomb() + "hierarchies: {age: *a8}\nquasi_identifiers: [age]\n")
    with pytest.raises(DataError, match="has more than 100,000 values"):
        describe(tmp_path / "description.yaml", {"table.csv": ["age"]})


def test_aliases_that_stand_for_few_values_are_read(tmp_path: Path) -> None:
    text = "attributes: {age: &qi {role: quasi_identifier}, sex: *qi}\nrequire: [{k_anonymity: {k: 5}}]\n"
    (tmp_path / "policy.yaml").write_text(text)
    assert read_policy(tmp_path / "policy.yaml").quasi_identifiers == ("age", "sex")


def test_a_policy_of_many_values_or_many_bytes_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text("source: [" + "a," * 200_000 + "]")
    with pytest.raises(PolicyError, match="has more than 100,000 values"):
        read_policy(tmp_path / "long.yaml")
    (tmp_path / "large.yaml").write_text("source: " + "a" * 3_000_000)
    with pytest.raises(PolicyError, match="is larger than 2 MB"):
        read_policy(tmp_path / "large.yaml")


@pytest.mark.parametrize(
    "share", ["1e-99999999", "1e99999999", "1/" + "9" * 10_000, "0." + "0" * 100_000 + "1", HUGE], ids=range(5)
)
def test_a_share_of_too_many_digits_is_a_mistake(share: object) -> None:
    [mistake] = mistakes(WORDS | {"suppress": share})
    assert "suppress: must be a share of the rows between 0 and 1" in mistake and len(mistake) < 400
    assert "numbers have at most 25 digits" in mistake


LONG = ["1e99999999", "1e-99999999", "9" * 5000, HUGE, 10**5000]
PARAMETERS = [
    ("k_anonymity", "k", {}),
    ("l_diversity", "l", {}),
    ("l_diversity", "l", {"kind": "entropy"}),
    ("l_diversity", "c", {"kind": "recursive", "l": 2}),
    ("t_closeness", "t", {}),
    ("alpha_k", "alpha", {"k": 2}),
    ("alpha_k", "k", {"alpha": 0.5}),
    ("beta_likeness", "beta", {}),
    ("delta_disclosure", "delta", {}),
    ("realistic", "stubbornness", {"class": "II", "epsilon": 3}),
    ("realistic", "epsilon", {"class": "II", "stubbornness": 3}),
    ("realistic", "known", {"class": "II", "stubbornness": 3, "epsilon": 3}),
    ("robust", "r", {}),
    ("robust", "min_support", {"r": 3}),
    ("ambiguity", "alpha", {"beta": 0.2}),
    ("confident_presence", "size", {"delta": [0, 0.2], "confidence": 0.8, "marginals": {"age": {"1": 5}}}),
    ("confident_presence", "confidence", {"delta": [0, 0.2]}),
]


@pytest.mark.parametrize("value", LONG, ids=[str(i) for i in range(len(LONG))])
@pytest.mark.parametrize(("word", "name", "others"), PARAMETERS)
def test_parameters_of_too_many_digits_are_mistakes(
    word: str, name: str, others: dict[str, object], value: object
) -> None:
    told = mistakes(WORDS | {"require": [{word: {name: value} | others}]})
    assert any(f"require[0].{word}.{name}: must be" in mistake for mistake in told)
    assert all(len(mistake) < 400 for mistake in told)


@pytest.mark.parametrize("value", LONG, ids=[str(i) for i in range(len(LONG))])
@pytest.mark.parametrize("listed", [{"counts": [["flu", None]]}, {"shares": [["flu", None]]}])
def test_priors_of_too_many_digits_are_mistakes(listed: dict[str, Any], value: object) -> None:
    prior = {kind: [[name, value] for name, _ in pairs] for kind, pairs in listed.items()}
    told = mistakes(WORDS | {"require": [{"realistic": {"class": "III", "epsilon": 3, "prior": prior}}]})
    assert any("prior.flu: must be" in mistake for mistake in told)


@pytest.mark.parametrize("value", LONG, ids=[str(i) for i in range(len(LONG))])
def test_promises_of_a_manifest_with_too_many_digits_can_not_be_judged(value: object) -> None:
    said = {"class": "II", "epsilon": 3, "stubbornness": value}
    [mistake] = promise_mistakes("realistic", said, "realistic", ())
    assert "realistic.stubbornness: must be a number" in str(mistake)


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *(("seed", value) for value in (1 << 64, HUGE, 10**5000)),
        *(("time_limit", value) for value in (HUGE, 10**5000, 1e300)),
        *(("threshold", value) for value in (HUGE, 10**5000, 1e300)),
    ],
    ids=[f"{word} {i}" for word in ("seed", "time", "threshold") for i in range(3)],
)
def test_words_of_too_many_digits_are_mistakes(word: str, value: object) -> None:
    [mistake] = mistakes(WORDS | {word: value})
    assert f"{word}: must be" in mistake and len(mistake) < 300


@pytest.mark.parametrize("digits", [400, 5000])
def test_numbers_in_yaml_may_be_long_and_are_mistakes_then(digits: int, tmp_path: Path) -> None:
    lines = ["attributes: {age: {role: quasi_identifier}}", "require: [{k_anonymity: {k: 5}}]"]
    (tmp_path / "policy.yaml").write_text("\n".join([*lines, "time_limit: " + "9" * digits]))
    with pytest.raises(PolicyError) as refused:
        read_policy(tmp_path / "policy.yaml")
    assert all(len(str(mistake)) < 300 for mistake in refused.value.mistakes)


@pytest.mark.parametrize("value", [2**63, 2**100, 10**12 + 1])
@pytest.mark.parametrize(("word", "name"), [("l_diversity", "l"), ("k_anonymity", "k")])
def test_more_people_than_any_table_has_are_a_mistake(word: str, name: str, value: int) -> None:
    [mistake] = mistakes(WORDS | {"require": [{word: {name: value}}]})
    assert f"{name}: must be at most 1,000,000,000,000" in mistake


HIERARCHIES: list[dict[str, object]] = [
    {"prefixes": [10**30]},
    {"prefixes": [10**5000]},
    {"prefixes": list(range(3000, 0, -1))},
    {"quantiles": 10**5000},
    {"intervals": [10**5000]},
    {"intervals": [10**30, 10**5000]},
    {"intervals": ["9" * 5000]},
    {"intervals": [5], "origin": 10**5000},
    {"intervals": [5], "top": HUGE},
    {"intervals": [5], "bottom": -(10**5000)},
    {"intervals": [5], "origin": "1e-999"},
    {"intervals": [2**i for i in range(300)]},
    {"cuts": [[10**5000]]},
    {"cuts": [[1, 10**1300]]},
    {"cuts": [list(range(400, i, -1))[::-1] for i in range(300)]},
    {"taxonomy": [[10**5000, "a"]]},
    {"taxonomy": [["leaf", *(f"level {i}" for i in range(3000))]]},
]


@pytest.mark.parametrize("hierarchy", HIERARCHIES, ids=[str(i) for i in range(len(HIERARCHIES))])
def test_hierarchies_of_gigantic_numbers_or_too_many_levels_are_mistakes(hierarchy: dict[str, object]) -> None:
    attributes = {"age": {"role": "quasi_identifier", "hierarchy": hierarchy}}
    told = mistakes({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]})
    assert all(mistake.startswith("attributes.age.hierarchy") and len(mistake) < 600 for mistake in told)


def special(folder: Path) -> list[str]:
    """Files that are no ordinary ones: a pipe that nobody writes to, a link to a device that never ends, a folder."""
    os.mkfifo(folder / "pipe.csv")
    (folder / "zero.csv").symlink_to("/dev/zero")
    (folder / "folder.csv").mkdir()
    return ["pipe.csv", "zero.csv", "folder.csv"]


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize(
    "words",
    [
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": "FILE"}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"taxonomy": "FILE"}}}},
        {"require": [{"realistic": {"class": "III", "epsilon": 3, "prior": "FILE"}}]},
        {"require": [{"robust": {"r": 3, "knowledge": "FILE"}}]},
        {
            "require": [
                {"confident_presence": {"delta": [0, 0.5], "confidence": 0.8, "marginals": {"age": "FILE"}, "size": 9}}
            ]
        },
    ],
)
def test_pipes_devices_and_folders_are_no_files_of_a_policy(words: dict[str, Any], at: int, tmp_path: Path) -> None:
    def named(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: named(value) for name, value in part.items()}
        return [named(value) for value in part] if isinstance(part, list) else file if part == "FILE" else part

    file = special(tmp_path)[at]
    told = mistakes(WORDS | named(words), tmp_path)
    assert any(f"'{file}' is a folder" in m or f"'{file}' is not a regular file" in m for m in told)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_pipes_devices_and_folders_are_no_policies_and_no_descriptions(at: int, tmp_path: Path) -> None:
    path = tmp_path / special(tmp_path)[at]
    with pytest.raises(PolicyError, match=r"is a folder|is not a regular file"):
        read_policy(path)
    with pytest.raises(DataError, match=r"is a folder|is not a regular file"):
        describe(path, {"table.csv": ["age"]})
    (tmp_path / "description.yaml").write_text(f"quasi_identifiers: [age]\nhierarchies: {{age: {path.name}}}")
    with pytest.raises(DataError, match=r"is a folder|is not a regular file"):
        describe(tmp_path / "description.yaml", {"table.csv": ["age"]})


@pytest.mark.parametrize("at", [0, 1])
def test_pipes_and_devices_are_no_lists_of_private_rows_and_no_tables(at: int, tmp_path: Path) -> None:
    path = tmp_path / special(tmp_path)[at]
    with pytest.raises(DataError, match="is not an ordinary file"):
        open_source({"id": ["1"]}).only(Rows((ListedIn("id", path),)))
    with pytest.raises(DiscreetError, match="is not an ordinary file"):
        open_source(path)


SOURCE = "name;city;age;disease\n" + "".join(f"Person{i} Smith{i % 7};Paris;{i % 5};flu\n" for i in range(60))


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize(
    "words",
    [
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": "table.csv"}}},
        {"attributes": {"age": {"role": "quasi_identifier", "hierarchy": {"taxonomy": "table.csv"}}}},
        {"require": [{"realistic": {"class": "III", "epsilon": 3, "prior": "table.csv"}}]},
        {"require": [{"robust": {"r": 3, "knowledge": "table.csv"}}]},
        {
            "require": [
                {"confident_presence": {"delta": [0, 0.5], "confidence": 0.8, "marginals": {"age": "table.csv"}}}
            ]
        },
    ],
)
@pytest.mark.parametrize("columns", [[0, 1, 2, 3], [0, 2], [1, 0, 2], [1, 2, 0, 0, 0]])
@pytest.mark.parametrize("header", [True, False])
def test_a_file_that_is_the_table_itself_is_not_quoted(
    words: dict[str, Any], separator: str, columns: list[int], header: bool, tmp_path: Path
) -> None:
    lines = [line.split(";") for line in SOURCE.splitlines()[0 if header else 1 :]]
    (tmp_path / "table.csv").write_text("\n".join(separator.join(line[c] for c in columns) for line in lines))
    sensitive = {"disease": {"role": "sensitive"}}
    attributes = words.get("attributes", {"age": {"role": "quasi_identifier"}}) | sensitive
    try:
        policy_from_words(WORDS | words | {"attributes": attributes}, tmp_path)
    except PolicyError as refused:
        assert "Smith" not in str(refused) and "Paris" not in str(refused) and "flu" not in str(refused)
    else:
        assert columns == [0, 2] or "attributes" in words  # a column and numbers: what else should it be?


def test_a_taxonomy_of_hundreds_of_thousands_of_leaves_is_read(tmp_path: Path) -> None:
    rows = (f"{i:06};{i // 10:05}*;{i // 1000:03}***;*\n" for i in range(300_000))
    (tmp_path / "zip.csv").write_text("".join(rows))
    attributes = {"zip": {"role": "quasi_identifier", "hierarchy": "zip.csv"}}
    policy = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]}, tmp_path)
    assert policy.quasi_identifiers == ("zip",)


def test_a_taxonomy_of_thousands_of_levels_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "deep.csv").write_text("".join(";".join(f"v{i}" for _ in range(3000)) + ";*\n" for i in range(50)))
    attributes = {"zip": {"role": "quasi_identifier", "hierarchy": "deep.csv"}}
    [mistake] = mistakes({"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}]}, tmp_path)
    assert "'deep.csv': has 3,000 levels, more than 100; keep those that a reader would want" in mistake


@pytest.mark.parametrize("words", [{"flat": True, "sets": True}, {"taxonomy": "zip.csv", "sets": True}])
def test_sets_of_thousands_of_values_are_a_mistake(words: dict[str, object], tmp_path: Path) -> None:
    values = [f"{i:04}" for i in range(3000)]
    (tmp_path / "zip.csv").write_text("".join(f"{value};{value[:2]};*\n" for value in values))
    rule = rule_from_words(words, "hierarchy", tmp_path, values, [1] * len(values))
    with pytest.raises(HierarchyError, match="sets of more than 2,000 values can't be written out"):
        build("zip", values, rule)


def test_a_promise_that_no_table_can_keep_needs_no_memory() -> None:
    groups = groups_of("disease", ["flu", "flu", "cold"], ["flu"])
    assert RecursiveDiversity(3, 10**12, "disease").holds(groups).tolist() == [False, False]
    assert EntropyDiversity(10**12, "disease").holds(groups).tolist() == [False, False]
    assert DistinctDiversity(10**12, "disease").holds(groups).tolist() == [False, False]
