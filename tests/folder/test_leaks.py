"""The two leaks that an attacker found in reports, and values that must not be in any public file, read as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from discreet import Infeasible, anonymize, policy_from_words
from tests.folder.reading import columns_of, differences, read_folder
from tests.releases.reading import Row, read_table

AT_HOME = "Zwiesel"  # most people from there are in the table


def towns(rows: int) -> list[str]:
    return [f"Town{i % 8}" for i in range(rows)]


def public_files(folder: Path) -> dict[str, bytes]:
    """Every file of a release; of Parquet also what is in its dictionaries, which are compressed."""
    found = {path.name: path.read_bytes() for path in sorted(folder.rglob("*"))}
    for path in folder.glob("*.parquet"):
        names = parquet.read_schema(path).names
        table = parquet.read_table(path, read_dictionary=names)
        chunks = [chunk for column in table.columns for chunk in column.chunks]
        told = [chunk.dictionary.to_pylist() if hasattr(chunk, "dictionary") else chunk.to_pylist() for chunk in chunks]
        found[f"{path.name}: dictionaries"] = repr(told).encode()
    return found


def naming(folder: Path, text: str) -> list[str]:
    """The public files in which a text stands."""
    return [name for name, content in public_files(folder).items() if text.encode() in content]


@pytest.mark.parametrize("publish", ["multidimensional", "generalization"])
def test_nothing_is_told_of_a_town_whose_people_must_not_be_found_in_the_table(tmp_path: Path, publish: str) -> None:
    """100 people of 4,000 live there, 95 of them are in the table of 1,000; presence ≤ 0.3."""
    inside: list[Row] = [(str(20 + i % 60), AT_HOME) for i in range(95)]
    inside += [(str(20 + i % 60), town) for i, town in enumerate(towns(905))]
    outside: list[Row] = [(str(20 + i % 60), AT_HOME) for i in range(5)]
    outside += [(str(20 + i % 60), town) for i, town in enumerate(towns(2995))]
    lines = [",".join(person) for person in [("age", "town"), *inside, *outside]]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20, 40]}},
            "town": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        },
        "require": [{"presence": {"delta": [0, 0.3], "population": "people.csv"}}],
        "publish": publish,
        "seed": 7,
    }
    made = anonymize(policy_from_words(asked, tmp_path), tmp_path / "r", source=columns_of(("age", "town"), inside))
    names, rows = read_table(made.folder)
    assert sum(row[names.index("town")] == "*" for row in rows) >= 95
    assert naming(made.folder, AT_HOME) == []
    if publish == "multidimensional":  # whose figures leaked: they are the custodian's now
        assert AT_HOME in (tmp_path / "r.private" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("publish", ["multidimensional", "local_recoding", "generalization"])
def test_a_column_that_is_all_hidden_is_nowhere_listed(tmp_path: Path, publish: str) -> None:
    """600 rows, k = 400: zip is published as *, and no zip stands in any file."""
    zips = ["47000", *(f"{48000 + 7 * i}" for i in range(5))]
    rows: list[Row] = [(zips[max(0, i % 12 - 6)], ("flu", "hiv", "cold")[i % 3]) for i in range(600)]
    attributes: dict[str, Any] = {
        "zip": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
        "disease": {"role": "sensitive"},
    }
    asked = {"attributes": attributes, "require": [{"k_anonymity": {"k": 400}}], "publish": publish, "seed": 7}
    made = anonymize(policy_from_words(asked), tmp_path / "r", source=columns_of(("zip", "disease"), rows))
    assert {row[0] for row in read_table(made.folder)[1]} == {"*"}
    assert [naming(made.folder, zip) for zip in zips] == [[]] * len(zips)


def test_the_value_of_the_only_suppressed_person_is_not_told_by_a_rounded_share(tmp_path: Path) -> None:
    """1,000 rows, one of them suppressed, 124 published with HIV: 12% or 13% of the source, if that one has it."""
    others: list[Row] = [(str(20 + i % 3), "hiv" if i < 124 else ("flu", "cold")[i % 2]) for i in range(999)]
    asked = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"flat": True}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"k_anonymity": {"k": 5}}],
        "suppress": 0.001,
        "seed": 7,
    }
    folders = []
    for value in ("hiv", "flu", "zoster"):
        source = columns_of(("age", "disease"), [*others, ("91", value)])
        anonymize(policy_from_words(asked), tmp_path / value / "r", source=source)
        folders.append(read_folder(tmp_path / value / "r"))
    assert [folder.suppressed for folder in folders] == [1, 1, 1]
    assert folders[0].tables == folders[1].tables == folders[2].tables
    assert [differences(folders[0], other) for other in folders[1:]] == [[], []]


KEPT: list[Row] = [
    (age, zip, d, "v") for age, zip in (("20", "11"), ("34", "21")) for d in ("flu", "hiv", "flu", "hiv")
]
ALONE: Row = ("77719113", "88824557", "zosterix", "visit9993")  # too long to stand in a fingerprint by chance
NAMES = ("age", "zip", "disease", "visit")
NUMBERS = {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}}
CODES = {"role": "quasi_identifier", "hierarchy": {"flat": True}}
OF_KIND: dict[str, dict[str, Any]] = {
    "generalization": {},
    "generalization by incognito": {"search": "incognito"},
    "generalization by a summary": {"search": "instant", "summary": "exact"},
    "stars": {"suppressed": "star"},
    "bucketization": {"publish": "bucketization", "require": [{"robust": {"r": 2, "min_support": 1}}]},
    "ambiguity": {"publish": "ambiguity", "require": [{"ambiguity": {"alpha": 1, "beta": 0.5}}]},
}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("kind", OF_KIND)
@pytest.mark.parametrize("hierarchy", ["given", "none"])
def test_what_only_a_suppressed_person_has_is_in_no_public_file(
    tmp_path: Path, kind: str, form: str, hierarchy: str
) -> None:
    attributes: dict[str, Any] = {
        "age": NUMBERS if hierarchy == "given" else {"role": "quasi_identifier"},
        "zip": CODES if hierarchy == "given" else {"role": "quasi_identifier"},
        "disease": {"role": "sensitive"},
        "visit": {"role": "identifier" if kind in ("ambiguity", "generalization by a summary") else "other"},
    }
    alone = ALONE if kind not in ("bucketization", "ambiguity") else (*ALONE[:2], "flu", ALONE[3])
    asked = {"attributes": attributes, "require": [{"k_anonymity": {"k": 2}}], "suppress": "1/9", "seed": 7}
    policy = policy_from_words(asked | {"format": form} | OF_KIND[kind])
    made = anonymize(policy, tmp_path / "r", source=columns_of(NAMES, [*KEPT, alone]))
    assert made.manifest["rows"]["suppressed"] == 1
    assert [naming(made.folder, text) for text in set(alone) - {"flu"}] == [[]] * len(set(alone) - {"flu"})


@pytest.mark.parametrize("taxonomy", [False, True])
def test_that_there_is_a_release_does_not_tell_what_the_suppressed_have(tmp_path: Path, taxonomy: bool) -> None:
    """A policy that names hiv is refused if nobody has it; one person has, and stands alone."""
    rows: list[Row] = [("20", "flu"), ("20", "cold")] * 6 + [("77", "hiv")]
    diseases = {"hierarchy": {"flat": True}}
    if taxonomy:  # lists what is possible, so that nobody is refused
        (tmp_path / "diseases.csv").write_text("flu;*\ncold;*\nhiv;*\n", encoding="utf-8")
        diseases = {"hierarchy": "diseases.csv"}
    realistic = {"class": "II", "stubbornness": 10, "epsilon": 1000, "predicates": ["hiv"]}
    words = {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"} | diseases},
        "require": [{"k_anonymity": {"k": 2}}, {"realistic": realistic}],
        "suppress": "1/10",
        "seed": 7,
    }
    policy = policy_from_words(words, tmp_path)
    source = columns_of(("age", "disease"), rows)
    if taxonomy:
        assert anonymize(policy, tmp_path / "r", source=source).manifest["rows"]["suppressed"] == 1
    else:
        assert anonymize(policy, tmp_path / "r", source=source).manifest["node"] == {"age": 1}  # among all others
        rare = {"class": "III", "prior": {"flu": 0.5, "cold": 0.49, "hiv": 0.01}, "epsilon": 2, "predicates": ["hiv"]}
        strict = policy_from_words(words | {"require": [{"realistic": rare}]}, tmp_path)
        with pytest.raises(Infeasible, match="every row with a value that it names would be suppressed"):
            anonymize(strict, tmp_path / "none", source=source)
