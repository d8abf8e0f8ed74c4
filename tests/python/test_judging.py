"""Audits, comparisons and re-checks from Python: of frames as of files, with pages of their own in a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet
from discreet.errors import DiscreetError, PolicyError
from discreet.run.compare import compare as compare_costs
from tests.python import people

PUBLISHED = {
    "age": ["20-29"] * 3 + ["30-39"] * 5,
    "sex": ["f"] * 3 + ["*"] * 5,
    "disease": ["flu", "cold", "gout", "flu", "flu", "flu", None, None],
}
ROLES = {
    "age": {"role": "quasi_identifier"},
    "sex": {"role": "quasi_identifier"},
    "disease": {"role": "sensitive"},
}
PROMISED = [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 3}}]


@pytest.fixture(scope="module")
def release() -> discreet.Release:
    return discreet.anonymize(people.pandas(), **people.WORDS)


@pytest.mark.parametrize(
    "make", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "arrow"]
)
def test_a_frame_is_audited_as_the_file_would_be(make: Any, tmp_path: Path) -> None:
    from pyarrow import parquet

    parquet.write_table(pa.table(PUBLISHED), tmp_path / "published.parquet")
    of_file = discreet.audit(tmp_path / "published.parquet", attributes=ROLES, require=PROMISED)
    of_frame = discreet.audit(make(PUBLISHED), attributes=ROLES, require=PROMISED)
    assert of_frame.kept is of_file.kept is False  # two values among five
    assert json.dumps(of_frame.to_json()) == json.dumps(of_file.to_json()).replace("published.parquet", "frame")
    words: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"], "promises": PROMISED}
    assert discreet.audit(make(PUBLISHED), description=words).to_json() == of_frame.to_json()
    policy = discreet.policy_from_words({"attributes": ROLES, "require": PROMISED})
    assert discreet.audit(make(PUBLISHED), policy).to_json() == of_frame.to_json()


def test_intervals_of_pandas_are_read_as_intervals() -> None:
    ages = pd.Series([21, 25, 33, 38, 52, 57])
    frame = pd.DataFrame({"age": pd.cut(ages, [20, 30, 40, 60]), "disease": ["flu", "cold"] * 3})
    before = frame.copy(deep=True)
    roles = {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}}
    source = {"age": ages.tolist(), "disease": ["flu", "cold"] * 3}
    found = discreet.audit(frame, attributes=roles, require=[{"k_anonymity": {"k": 2}}], source=source)
    assert found.kept and found.smallest_group == 2 and "6 of 6" not in str(found.faults)
    pd.testing.assert_frame_equal(frame, before)


def test_a_release_is_audited_as_its_folder(release: discreet.Release, tmp_path: Path) -> None:
    saved = release.save(tmp_path / "release")
    assert discreet.audit(release).to_json() == discreet.audit(saved.folder).to_json()
    assert discreet.audit(release, source=people.pandas()).kept
    assert discreet.audit_release(saved.folder).kept  # as ever


def test_what_nobody_says_of_a_frame_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(
        PolicyError, match="attributes: nothing is said about the columns of this frame; say attributes"
    ):
        discreet.audit(PUBLISHED)
    with pytest.raises(PolicyError, match="description: says the same as attributes"):
        discreet.audit(PUBLISHED, attributes=ROLES, description={"quasi_identifiers": ["age"]})
    with pytest.raises(PolicyError, match="attributes: nothing is said about the columns"):
        discreet.audit(PUBLISHED, require=PROMISED)
    with pytest.raises(DiscreetError) as caught:
        discreet.audit(PUBLISHED, attributes={"agee": {"role": "quasi_identifier"}})
    assert "agee" in str(caught.value) and "discreet-" not in str(caught.value)  # no path of ours
    with pytest.raises(DiscreetError, match="can't read a table from int"):
        discreet.audit(3, attributes=ROLES)


def test_a_comparison_is_that_of_the_command(release: discreet.Release, tmp_path: Path) -> None:
    policy = discreet.policy_from_words(people.WORDS)
    expected = compare_costs(policy, source=people.arrow())
    compared = discreet.compare(people.arrow(), policy)
    assert isinstance(compared, discreet.ComparisonResult)
    assert [c.promise for c in compared.costs] == [c.promise for c in expected.costs]
    assert compared.own == expected.own and compared.own is not None
    assert compared.own.loss == pytest.approx(release.figures["loss"])  # what anonymize delivers
    again = discreet.compare(policy, source=people.pandas())
    assert again.to_json() == compared.to_json()
    compared.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == compared.to_html()
    with pytest.raises(PolicyError) as caught:
        discreet.compare(people.arrow(), policy, epsilon=0.5, sed=1)
    assert [m.place for m in caught.value.mistakes] == ["epsilon", "sed"]


def test_methods_of_exact_values_are_compared_too() -> None:
    words: dict[str, Any] = {
        "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
        "require": [{"l_diversity": {"l": 2, "kind": "frequency"}}],
        "publish": "bucketization",
        "seed": 1,
    }
    table = {"age": list(range(40)), "disease": ["flu", "cold", "asthma", "gout"] * 10}
    compared = discreet.compare(table, **words)
    assert isinstance(compared, discreet.MethodsResult) and compared.to_json()
    with pytest.raises(PolicyError, match="epsilon: is about coarser values"):
        discreet.compare(table, **words, epsilon=2)


def test_results_show_themselves(release: discreet.Release) -> None:
    audit, found = discreet.audit(release), discreet.verify(release)
    compared = discreet.compare(people.arrow(), **people.WORDS)
    for result in (audit, compared):
        html = result._repr_html_()
        assert html.startswith('<iframe sandbox=""') and html.count("<") == 2
        assert repr(result) == str(result) == result.to_text() and len(repr(result).splitlines()) > 3
    assert repr(found).startswith("Every promise is kept")
    assert found.to_json()["kept"] is True and found.release == "release"


def test_a_re_check_finds_what_was_changed(release: discreet.Release, tmp_path: Path) -> None:
    saved = release.save(tmp_path / "release")
    assert discreet.verify(saved).kept and discreet.verify(str(saved.folder)).kept
    path = saved.folder / "data.csv"
    path.write_text(path.read_text().replace("flu", "HIV", 1))
    found = discreet.verify(saved)
    assert found.kept is False and "WRONG" in repr(found)
