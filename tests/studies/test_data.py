"""Tables of studies: samples, and fewer columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError
from discreet.studies.data import census
from discreet.studies.data.tables import first_attributes, sample
from discreet.studies.realistic.data import invented
from discreet.studies.robust import data as robust_data


def test_a_sample_has_rows_of_the_table_and_as_many_as_asked_for() -> None:
    table = invented(5_000).frequency
    few = sample(table, 1_200)
    assert few.rows == 1_200
    assert sample(table, 5_000) is table
    assert sample(table, None) is table
    stacked = np.array([*table.codes, table.sensitive["salary"]]).T
    held = {tuple(line): n for line, n in zip(stacked.tolist(), table.counts.tolist(), strict=True)}
    drawn = np.array([*few.codes, few.sensitive["salary"]]).T
    assert all(0 < n <= held[tuple(line)] for line, n in zip(drawn.tolist(), few.counts.tolist(), strict=True))


def test_fewer_attributes_keep_every_row_and_every_sensitive_value() -> None:
    table = invented(3_000).frequency
    two = first_attributes(table, 2)
    assert two.attributes == table.attributes[:2]
    assert two.rows == table.rows
    assert (two.totals["salary"] == table.totals["salary"]).all()
    key = np.array([*two.codes, two.sensitive["salary"]]).T
    assert len({tuple(line) for line in key.tolist()}) == len(two.counts)


def test_a_denser_table_has_fewer_classes_of_salary_and_the_same_people() -> None:
    table = census.invented(4_000).frequency
    dense = census.denser(table, 5)
    assert census.denser(table, 1) is table
    before, after = table.totals["salary"], dense.totals["salary"]
    classes = {int(leaf or 0): int(n) for leaf, n in zip(_leaves(table), before, strict=True)}
    for leaf, n in zip(_leaves(dense), after, strict=True):
        assert n == sum(m for c, m in classes.items() if c // 5 == int(leaf or 0))
    for d in range(len(table.codes)):
        leaves = len(table.hierarchies[d].leaves)
        assert (
            np.bincount(dense.codes[d], dense.counts, leaves) == np.bincount(table.codes[d], table.counts, leaves)
        ).all()


def _leaves(table: FrequencySet) -> tuple[str | None, ...]:
    return table.sensitive_hierarchies["salary"].leaves


def test_of_adult_only_rows_without_unknown_values_are_taken(tmp_path: Path) -> None:
    columns = {
        "age": ["39", "50", "38", "53"],
        "workclass": ["Private", "?", "Private", "Private"],
        "marital-status": ["Divorced"] * 4,
        "occupation": ["Sales"] * 4,
        "race": ["White"] * 4,
        "sex": ["Male", "Male", "Female", "Female"],
        "hours-per-week": ["40", "40", "40", "?"],
        "native-country": ["Cuba"] * 4,
        "income": ["<=50K"] * 4,
        "education": ["Preschool", "HS-grad", "HS-grad", "HS-grad"],
    }
    folder = tmp_path / "adult"
    (folder / "hierarchies").mkdir(parents=True)
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    (folder / "adult.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, values in columns.items():
        words = "\n".join(f"{value};*" for value in sorted(set(values)))
        path = folder / "hierarchies" / f"{'salary-class' if name == 'income' else name}.csv"
        path.write_text(words + "\n", encoding="utf-8")
    study = robust_data.from_folder(tmp_path)
    assert study.frequency.rows == 2
    assert study.frequency.attributes[-1] == "salary-class"
    assert "50% have one of the protected levels" in study.data
    with pytest.raises(DataError, match="no such file"):
        robust_data.from_folder(tmp_path / "elsewhere")


def test_few_invented_people_have_little_education_and_it_hangs_on_their_work() -> None:
    study = robust_data.invented(40_000)
    table = study.frequency
    low = np.isin(_education(table), study.protected)
    assert 0.03 < table.counts[low].sum() / table.rows < 0.04
    at = table.attributes.index("occupation")
    rate = np.bincount(table.codes[at], table.counts * low) / np.bincount(table.codes[at], table.counts)
    there = np.bincount(table.codes[at], table.counts) > 1_000
    assert rate[there].max() > 4 * rate[there].min()


def _education(table: FrequencySet) -> np.ndarray:
    return np.array(table.sensitive_hierarchies["education"].leaves)[table.sensitive["education"]]
