"""The example in which people have several rows, and its policy."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import comb
from pathlib import Path

import pyarrow as pa
import pytest

from discreet import Release, anonymize, audit_release
from discreet.hierarchies.build import build
from discreet.hierarchies.words import rule_from_words
from discreet.policy.policy import check_columns, read_policy
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import headline, judged, to_text
from discreet.samples.hospital import write_sample
from discreet.samples.visits import visits


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return visits()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("sample")
    write_sample(where)
    return where


@pytest.fixture(scope="module")
def release(folder: Path) -> Release:
    return anonymize(replace(read_policy(folder / "visits.yaml"), seed=1), folder / "release")


def by_patient(table: pa.Table, column: str) -> dict[str, list[str]]:
    """What each patient's visits say, day by day."""
    found = defaultdict(list)
    for patient, value in zip(table["patient"].to_pylist(), table[column].to_pylist(), strict=True):
        found[patient].append(value)
    return found


def test_four_hundred_patients_have_about_two_thousand_visits(table: pa.Table) -> None:
    rows = sorted(Counter(table["patient"].to_pylist()).values())
    assert len(rows) == 400 and 1_900 < sum(rows) == table.num_rows < 2_100
    assert (rows[0], rows[200], rows[-1]) == (1, 5, 9)


def test_birth_and_sex_stay_and_some_patients_move_once(table: pa.Table) -> None:
    assert all(len(set(values)) == 1 for column in ("born", "sex") for values in by_patient(table, column).values())
    places = by_patient(table, "zip").values()
    movers = [codes for codes in places if len(set(codes)) > 1]
    assert 0.05 * len(places) <= len(movers) <= 0.1 * len(places)
    assert all(sum(a != b for a, b in pairwise(codes)) == 1 for codes in movers)


def test_days_follow_each_other_and_nothing_is_missing(table: pa.Table) -> None:
    assert table["visited"].to_pylist() == sorted(table["visited"].to_pylist())
    assert sum(column.null_count for column in table.columns) == 0


def test_patients_come_again_for_what_they_have(table: pa.Table) -> None:
    again = [max(Counter(values).values()) for values in by_patient(table, "diagnosis").values() if len(values) > 3]
    assert sum(many > 1 for many in again) > len(again) / 2


def test_the_same_seed_gives_the_same_visits_and_another_one_does_not(table: pa.Table) -> None:
    assert visits().equals(table) and not visits(seed=8).equals(table)
    assert visits(1).num_rows >= 1


def test_the_policy_of_the_visits_has_no_mistakes_and_fits_its_table(folder: Path, table: pa.Table) -> None:
    policy = read_policy(folder / "visits.yaml")
    assert check_columns(policy, table.column_names) == []
    assert {a.name for a in policy.attributes} == set(table.column_names)
    assert (policy.person, policy.one_row_per_person, policy.others) == ("patient", False, ())
    for a in policy.attributes:
        if a.hierarchy is not None:
            counts = Counter(table[a.name].to_pylist())
            rule = rule_from_words(a.hierarchy, a.name, folder, list(counts), counts.values())
            assert set(counts) <= set(build(a.name, counts, rule).leaves)


def test_a_sample_of_more_patients_has_more_visits(tmp_path: Path) -> None:
    for rows, patients in ((1, 1), (50, 10)):
        write_sample(tmp_path, rows=rows)
        lines = (tmp_path / "visits.csv").read_text().splitlines()
        assert lines[0] == "patient,visited,born,sex,zip,diagnosis"
        assert len({line.split(",")[0] for line in lines[1:]}) == patients


def test_the_release_of_the_visits_is_worth_having(release: Release) -> None:
    assert release.figures["loss"] < 0.25
    assert release.manifest["rows"]["suppressed"] <= 0.02 * release.manifest["rows"]["source"]
    assert [one.sentence for one in release.report.warnings if one.grave] == []
    published = (release.folder / "data.csv").read_text()
    assert published.startswith("born,sex,zip,diagnosis\n")


def test_an_audit_that_is_told_whose_rows_they_are_finds_the_promises_kept(release: Release, folder: Path) -> None:
    audit = audit_release(release.folder, source=folder / "visits.csv")
    assert audit.kept and not audit.faults
    # What is promised of each group (α = 0.7) is the limit over all groups, too, and not called a promise there.
    lines = {line.adversary: line for line in audit.lines}
    assert (lines["uniform_worlds"].threshold, lines["uniform_worlds"].promised) == (0.7, 0.7)
    assert (lines["several_groups"].threshold, lines["several_groups"].promised) == (0.7, None)
    # Everybody was asked about people: nothing is said of rows alone.
    assert not [line for line in audit.lines if line.of == "rows" and line.threat == "association"]
    assert "rows alone" not in headline(audit) and "by rows" not in to_text(audit) + to_html(audit)
    assert "by rows" not in judged(audit, lines["several_groups"])


def test_by_brute_force_every_group_has_five_patients_and_no_diagnosis_is_likelier_than_promised(
    folder: Path, tmp_path: Path, table: pa.Table
) -> None:
    """With one coarseness per column every row fits one label, so that the groups' patients can be counted by it."""
    policy = replace(read_policy(folder / "visits.yaml"), publish="generalization", search=None, seed=1)
    made = anonymize(policy, tmp_path / "release")
    published = Counter(tuple(line.split(",")) for line in (made.folder / "data.csv").read_text().splitlines()[1:])
    labels = {label[:3] for label in published}

    def fits(label: tuple[str, ...], born: str, sex: str, code: str) -> bool:
        first, _, last = label[0].partition("-")
        in_years = label[0] == "*" or int(first) <= int(born) <= int(last or first)
        return in_years and label[1] in ("*", sex) and (label[2] == "*" or code.startswith(label[2].rstrip("*")))

    rows = list(zip(*(table[name].to_pylist() for name in ("patient", "diagnosis", "born", "sex", "zip")), strict=True))
    for label in labels:
        group = [(patient, diagnosis) for patient, diagnosis, *row in rows if fits(label, *row)]
        diagnoses = Counter(diagnosis for _, diagnosis in group)
        assert {(*label, diagnosis): n for diagnosis, n in diagnoses.items()}.items() <= published.items()
        patients = Counter(patient for patient, _ in group)
        assert len(patients) >= 5
        every, most, own = len(group), max(diagnoses.values()), max(patients.values())
        assert 1 - Fraction(comb(every - most, own), comb(every, own)) <= Fraction(7, 10)
