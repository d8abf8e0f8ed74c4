"""What could not be held against the source is said on every first screen, and the audit does not pass for it; a
description may say what columns and values are called in the source, and then everything is looked at."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from discreet.audit.audit import audit_release
from discreet.audit.reading.description import How, describe
from discreet.audit.reading.source import open_beside
from discreet.cli.main import app
from discreet.errors import DataError
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import to_json, to_text
from tests.audit.releasing import first_screen, people, publish, write_table
from tests.audit.releasing import words as policy_words

NAMES = {"F": "female", "M": "male"}
SAID: dict[str, Any] = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["disease"],
    "promises": [{"k_anonymity": {"k": 2}}],
}
MAPPED = SAID | {"columns": {"sex": {"source": "gender", "values": {"female": "F", "male": "M"}}}}


def table(seed: int = 1) -> dict[str, list[str]]:
    draw = random.Random(seed)
    return {
        "age": [str(draw.randint(20, 59)) for _ in range(200)],
        "gender": [draw.choice("FM") for _ in range(200)],
        "disease": [draw.choice(["flu", "cold", "gout", "stroke"]) for _ in range(200)],
    }


def published(path: Path, source: dict[str, list[str]], *, shuffled: bool = False) -> Path:
    """Ages made coarser, sexes written out: as another tool writes it that never moves a row."""
    rows = [
        {"age": f"{int(age) // 20 * 20}-{int(age) // 20 * 20 + 19}", "sex": NAMES[sex], "disease": disease}
        for age, sex, disease in zip(*source.values(), strict=True)
    ]
    return write_table(path, random.Random(3).sample(rows, len(rows)) if shuffled else rows)


def renamed(source: dict[str, list[str]]) -> dict[str, list[str]]:
    return {"sex" if column == "gender" else column: values for column, values in source.items()}


def audit_by_command(folder: Path, said: dict[str, Any], source: dict[str, list[str]], *more: str) -> Any:
    (folder / "said.yaml").write_text(json.dumps(said))
    write_table(
        folder / "source.csv", [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]
    )
    words = ["audit", str(folder / "theirs.csv"), "--description", str(folder / "said.yaml")]
    return CliRunner().invoke(app, [*words, "--source", str(folder / "source.csv"), *more])


def test_a_recoded_column_is_said_on_every_first_screen_and_does_not_pass(tmp_path: Path) -> None:
    source = renamed(table())
    path = published(tmp_path / "theirs.csv", source, shuffled=True)
    audit = audit_release(path, description=SAID, source=source)
    [fault] = audit.uncompared
    assert (fault.place, fault.count, fault.grave) == ("theirs.csv: sex", 2, False)
    assert audit.kept is None and not audit.broken
    text = to_text(audit).splitlines()
    assert text[1].startswith("Not judged: theirs.csv: sex beside the source (none of its values (2)")
    assert any(
        line.startswith("Not compared with the source: theirs.csv: sex: none of its values (2)") for line in text[:5]
    )
    page = first_screen(to_html(audit))
    assert '<span class="badge warn">not judged</span>' in page and "theirs.csv: sex: none of its values (2)" in page
    assert "promises kept" not in page and "no order" not in to_html(audit)
    told = json.loads(json.dumps(to_json(audit)))
    assert told["kept"] is None
    [entry] = told["not_judged"]
    assert (entry["place"], entry["count"]) == ("theirs.csv: sex", 2)
    assert audit_by_command(tmp_path, SAID, source, "--quiet").exit_code == 3


def test_what_the_other_columns_show_is_still_found(tmp_path: Path) -> None:
    source = renamed(table())
    published(tmp_path / "theirs.csv", source)
    told = audit_by_command(tmp_path, SAID, source, "--json")
    assert told.exit_code == 1
    assert "rows_in_order" in {fault["fault"] for fault in json.loads(told.stdout)["faults"] if fault["grave"]}


def test_a_description_maps_columns_and_values_so_that_everything_is_looked_at(tmp_path: Path) -> None:
    source = table()
    published(tmp_path / "theirs.csv", source, shuffled=True)
    told = audit_by_command(tmp_path, MAPPED, source, "--json")
    assert told.exit_code == 0
    audit = json.loads(told.stdout)
    assert audit["kept"] is True and audit["not_judged"] == []
    assert audit["compared"] == "Compared with the source: every published row can be made of its 200 rows."
    assert "worst_case" in " ".join(line["adversary"] for line in audit["lines"])
    lying = source | {"gender": ["M" if i == 7 and sex == "F" else "F" if i == 7 else sex
                                 for i, sex in enumerate(source["gender"])]}  # fmt: skip
    untrue = audit_by_command(tmp_path, MAPPED, lying, "--json")
    assert untrue.exit_code == 1
    assert "untrue_rows" in {fault["fault"] for fault in json.loads(untrue.stdout)["faults"]}


def test_in_the_order_of_the_source_a_mapped_file_is_found(tmp_path: Path) -> None:
    published(tmp_path / "theirs.csv", table())
    assert audit_by_command(tmp_path, MAPPED, table(), "--quiet").exit_code == 1


def test_a_renamed_column_is_named_with_the_words_that_map_it(tmp_path: Path) -> None:
    published(tmp_path / "theirs.csv", table())
    with pytest.raises(DataError, match=r"has no column 'sex'; say in the description .*columns: {sex: {source: …}}"):
        audit_release(tmp_path / "theirs.csv", description=SAID, source=table())


def test_columns_of_our_own_release_that_the_source_lacks_are_said(tmp_path: Path) -> None:
    source = people() | {"ward": [f"w{i % 7}" for i in range(300)]}
    attributes: Any = policy_words("generalization")["attributes"]
    folder = publish(tmp_path / "r", "generalization", source, attributes=attributes | {"ward": {"role": "other"}})
    assert audit_release(folder, source=source).kept is True
    audit = audit_release(folder, source={c: values for c, values in source.items() if c != "ward"})
    assert audit.kept is None
    assert [(fault.place, fault.count) for fault in audit.uncompared] == [("ward", 7)]
    assert "ward" in first_screen(to_html(audit))
    with pytest.raises(DataError, match="source: has no column 'zip'"):
        audit_release(folder, source={c: values for c, values in source.items() if c != "zip"})


def test_one_published_value_may_stand_for_several_of_the_source() -> None:
    words = SAID | {"columns": {"sex": {"kind": "exact", "values": {"known": ["F", "M"], "": "unknown"}}}}
    said = describe(words, {"theirs.csv": ["age", "sex", "disease"]})
    assert said.columns == {"sex": How("exact", words={"F": "known", "M": "known", "unknown": None})}
    beside = open_beside({"sex": ["F", "M", "unknown", "x"]}, ["sex"], said)
    counted = beside.frequencies(["sex"])
    counts = {counted.values[0][code]: n for code, n in zip(counted.codes[0], counted.counts.tolist(), strict=True)}
    assert counts == {"known": 2, None: 1, "x": 1}
    assert [codes.tolist() for codes in beside.rows(["sex"])[1]] == [[0, 0, 1, 2]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"sex": {"sorce": "gender"}}, "columns.sex.sorce: no such word 'sorce'; did you mean 'source'?"),
        ({"sex": {"source": ["gender"]}}, "columns.sex.source: must be the name of a column, got a list"),
        ({"sex": {"source": ""}}, "columns.sex.source: must be the name of a column, got ''"),
        ({"sex": {"values": ["F"]}}, "columns.sex.values: must be a mapping from published values to the source's"),
        ({"sex": {"values": {"female": {"F": 1}}}}, "columns.sex.values: must have texts, or lists of texts"),
        ({"sex": {"values": {"female": "F", "male": "F"}}}, "a value of the source is said to be two published ones"),
        ({"sex": {"source": "x"}, "age": {"source": "x"}}, "columns: two columns are said to be 'x' of the source"),
        ({"sex": {"kind": "sett"}}, "columns.sex: no such word 'sett'; did you mean 'set'?"),
    ],
)
def test_a_mistake_in_the_mapping_says_what_to_mend(words: Any, message: str) -> None:
    with pytest.raises(DataError) as raised:
        describe(SAID | {"columns": words}, {"theirs.csv": ["age", "sex", "disease"]})
    assert any(message in str(mistake) for mistake in raised.value.mistakes), raised.value.mistakes
