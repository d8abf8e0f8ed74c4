"""The example data, and the census-like table of tests and benchmarks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import csv

from discreet import anonymize, audit_release
from discreet.audit.lines import PRESENCE, REIDENTIFICATION
from discreet.errors import DiscreetError
from discreet.hierarchies.build import build
from discreet.hierarchies.words import rule_from_words
from discreet.policy.policy import check_columns, policy_from_words, read_policy
from discreet.samples.census import CENSUS, QUASI_IDENTIFIERS, census_attributes, census_like, draw_columns
from discreet.samples.hospital import patients, write_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("sample") / "deep"
    write_sample(where)
    return where


def read(path: Path) -> pa.Table:
    text = csv.ConvertOptions(
        column_types=dict.fromkeys(patients(1).column_names, pa.string()), strings_can_be_null=True
    )
    return csv.read_csv(path, convert_options=text)


def test_the_policy_of_the_sample_has_no_mistakes_and_fits_its_table(folder: Path) -> None:
    policy = read_policy(folder / "policy.yaml")
    table = read(folder / "patients.csv")
    assert check_columns(policy, table.column_names) == []
    assert {a.name for a in policy.attributes} == set(table.column_names)
    assert [str(word) for entry in policy.require for word in entry] == ["k_anonymity", "l_diversity"]
    assert policy.sensitive == ("disease",)
    assert policy.others == ()


@pytest.mark.parametrize("name", ["bucketization", "ambiguity"])
def test_the_sample_has_a_policy_for_every_way_to_publish_exact_values(folder: Path, name: str) -> None:
    policy = read_policy(folder / f"{name}.yaml")
    assert policy.publish == name
    assert policy.attributes == read_policy(folder / "policy.yaml").attributes


@pytest.mark.parametrize("name", ["policy", "bucketization", "ambiguity", "presence"])
def test_the_sample_s_releases_leave_nothing_grave_open(folder: Path, tmp_path: Path, name: str) -> None:
    """Who tries us out publishes these first. Of exact values it is plain to see who is in the table, and said so."""
    release = anonymize(replace(read_policy(folder / f"{name}.yaml"), seed=1), tmp_path / "release")
    assert [one.sentence for one in release.report.warnings if one.grave] == []
    table = folder / "patients.csv"
    # Coarser values promise nothing against somebody who knows the table's own distributions.
    knowing = {"policy": [{}], "presence": [{}, {"population": table}]}
    for known in knowing.get(name, [{}, {"source": table}]):
        audit = audit_release(release.folder, **known)
        assert audit.kept is not False and not audit.faults
        shown = {PRESENCE, REIDENTIFICATION} if name == "bucketization" else set()
        above = [line for line in audit.lines if line.worst > line.threshold and line.threat not in shown]
        assert [(line.title, line.worst) for line in above] == []
    assert audit.kept  # with what it takes


def test_every_value_of_the_sample_has_a_place_in_its_hierarchy(folder: Path) -> None:
    policy = read_policy(folder / "policy.yaml")
    table = read(folder / "patients.csv")
    for a in policy.attributes:
        if a.hierarchy is not None:
            counts = Counter(table[a.name].to_pylist())
            rule = rule_from_words(a.hierarchy, a.name, folder, list(counts), counts.values())
            hierarchy = build(a.name, counts, rule)
            assert set(counts) <= set(hierarchy.leaves)
            assert hierarchy.height >= 1


def test_the_sample_holds_a_few_missing_values_and_no_patient_twice(folder: Path) -> None:
    table = read(folder / "patients.csv")
    assert table.num_rows == 2_000
    assert pc.count_distinct(table["patient"]).as_py() == 2_000
    missing = sum(column.null_count for column in table.columns)
    assert 0 < missing < 20
    assert table["disease"].null_count == 0


def test_disease_goes_with_age(folder: Path) -> None:
    table = read(folder / "patients.csv")
    ages = {
        disease: pc.mean(table.filter(pc.equal(table["disease"], disease))["age"].cast(pa.int64())).as_py()
        for disease in ("Appendicitis", "Stroke")
    }
    assert ages["Stroke"] > ages["Appendicitis"] + 5


def test_the_same_seed_writes_the_same_files_and_another_one_does_not(tmp_path: Path) -> None:
    first, again, other = tmp_path / "first", tmp_path / "again", tmp_path / "other"
    names = [path.name for path in write_sample(first, 50)]
    write_sample(again, 50)
    write_sample(other, 50, seed=8)
    assert sorted(names) == sorted(path.name for path in first.iterdir())
    assert all((first / name).read_bytes() == (again / name).read_bytes() for name in names)
    assert (first / "patients.csv").read_bytes() != (other / "patients.csv").read_bytes()


def test_the_number_of_a_patient_does_not_tell_the_row() -> None:
    numbers = [int(text[1:]) for text in patients(500)["patient"].to_pylist()]
    assert abs(np.corrcoef(numbers, np.arange(500))[0, 1]) < 0.2


def test_a_larger_census_begins_with_the_smaller_one() -> None:
    small, large = census_like(100, columns=list(CENSUS)), census_like(1_003, columns=list(CENSUS))
    assert large.slice(0, 100).to_pydict() == small.to_pydict()


def test_a_column_is_the_same_whichever_others_are_asked_for() -> None:
    assert census_like(50, columns=["salary"])["salary"].to_pylist() == census_like(50)["salary"].to_pylist()


def test_the_shares_of_each_column_are_those_it_was_given() -> None:
    codes = draw_columns(CENSUS, list(CENSUS), 50_000, seed=1)
    for name, column in CENSUS.items():
        shares = np.bincount(codes[name], minlength=len(column.values)) / 50_000
        assert np.abs(shares - column.shares / column.shares.sum()).max() < 0.03, name


def test_columns_of_a_census_hang_together() -> None:
    codes = draw_columns(CENSUS, ["age", "sex", "marital_status", "education", "occupation"], 20_000, seed=1)
    place = {name: CENSUS[name].places[code] for name, code in codes.items()}
    assert np.corrcoef(place["age"], place["marital_status"])[0, 1] > 0.3
    assert np.corrcoef(place["education"], place["occupation"])[0, 1] > 0.3
    assert abs(np.corrcoef(place["age"], place["sex"])[0, 1]) < 0.05


def test_the_hierarchies_of_a_census_cover_all_its_values() -> None:
    attributes = census_attributes(15, ("salary", "disease"))
    policy = policy_from_words({"attributes": attributes, "require": [{"k_anonymity": {"k": 5}}]})
    assert policy.quasi_identifiers == QUASI_IDENTIFIERS
    assert len(QUASI_IDENTIFIERS) == 15
    for a in policy.attributes:
        values = CENSUS[a.name].values
        rule = rule_from_words(a.hierarchy, a.name, Path(), values, [1] * len(values))
        assert set(build(a.name, values, rule).leaves) == set(values)


def test_a_census_of_no_rows_has_its_columns() -> None:
    table = census_like(0, columns=["age", "salary"])
    assert table.num_rows == 0
    assert table.column_names == ["age", "salary"]


def test_a_seed_below_0_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="seed: must be a whole number from 0, got -1"):
        write_sample(tmp_path, 50, seed=-1)
