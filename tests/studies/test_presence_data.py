"""The tables of the presence study: who is drawn, and what is known of those who are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

from discreet.samples.census import census_like
from discreet.studies.presence.data import (
    BY_AGE,
    DIABETES,
    RANDOM,
    SAMPLES,
    SEX,
    PresenceTables,
    drawn,
    from_folder,
    invented,
    rates,
)


@pytest.fixture(scope="module")
def study() -> PresenceTables:
    return invented(20_000)


def shares(study: PresenceTables, name: str) -> dict[str, float]:
    """Of a private table, how many are old, young, black or male."""
    f, many = study.everybody, study.private[name]
    ages = np.array([int(age or 0) for age in f.hierarchies[0].leaves])[f.codes[0]]
    race, sex = f.hierarchies[6].index, f.sensitive_hierarchies[SEX].index
    who = {
        "old": ages >= 60,
        "young": ages < 20,
        "black": f.codes[6] == race["Black"],
        "male": f.sensitive[SEX] == sex["Male"],
    }
    return {word: float(many[chosen].sum() / many.sum()) for word, chosen in who.items()}


def test_both_tables_are_as_large_a_part_as_in_the_paper(study: PresenceTables) -> None:
    for name in SAMPLES:
        assert study.private[name].sum() == round(20_000 * 1957 / 45222)
        assert (study.private[name] <= study.everybody.counts).all()


def test_diabetes_strikes_the_old_men_and_blacks_more_often_than_chance(study: PresenceTables) -> None:
    by_chance, by_rate = shares(study, RANDOM), shares(study, DIABETES)
    assert by_rate["old"] > 1.8 * by_chance["old"]
    assert by_rate["black"] > by_chance["black"]
    assert by_rate["male"] > by_chance["male"]
    assert by_rate["young"] < 0.5 * by_chance["young"]


def test_rates_of_age_race_and_sex_are_multiplied(study: PresenceTables) -> None:
    f, found = study.everybody, rates(study.everybody)
    ages = np.array([int(age or 0) for age in f.hierarchies[0].leaves])[f.codes[0]]
    race, sex = f.hierarchies[6].index, f.sensitive_hierarchies[SEX].index
    one = (ages == 60) & (f.codes[6] == race["White"]) & (f.sensitive[SEX] == sex["Female"])
    assert found[one] == pytest.approx(0.209 * 0.087 / 0.096 * 0.088 / 0.096)
    assert BY_AGE[20] == pytest.approx(0.0623, abs=1e-4)  # 10.3 of 165.3 million


def test_a_weight_of_nothing_is_never_drawn_and_everybody_can_be() -> None:
    counts = np.array([3, 4, 5])
    assert drawn(counts, np.array([1.0, 0.0, 2.0]), 8, seed=1).tolist() == [3, 0, 5]
    assert drawn(counts, np.ones(3), 5, seed=1).sum() == 5


@pytest.mark.parametrize("attributes", [4, 7])
def test_the_marginals_are_of_those_who_are_not_in_the_table(study: PresenceTables, attributes: int) -> None:
    table = study.table(DIABETES, attributes)
    assert table.population is not None
    assert table.marginals is not None
    assert table.rows == study.private[DIABETES].sum()
    assert table.population.size == 20_000
    assert table.marginals.size == 20_000 - table.rows
    for d, h in enumerate(table.hierarchies):
        of_all = np.bincount(table.population.codes[d], table.population.counts, len(h.leaves))
        of_table = np.bincount(table.codes[d], table.counts, len(h.leaves))
        assert (table.marginals.counts[d] == of_all - of_table).all()
        assert (table.marginals.possible[d] == (of_all > 0)).all()


def test_each_combination_stands_in_a_table_once(study: PresenceTables) -> None:
    table = study.table(RANDOM, 4)
    assert len(np.unique(np.stack(table.codes), axis=1).T) == len(table.counts)
    assert table.sensitive == {}


def test_the_same_people_are_drawn_again() -> None:
    one, two = invented(1_000), invented(1_000)
    for name in SAMPLES:
        assert (one.private[name] == two.private[name]).all()


def test_incomplete_records_of_the_folder_are_left_out(tmp_path: Path) -> None:
    from discreet.samples.census import CENSUS

    table = census_like(
        50, columns=["age", "workclass", "education", "marital_status", "occupation", "relationship", "race", "sex"]
    )
    names = ["age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"]
    columns = [column.cast("string") for column in table.columns]
    work = columns[1].to_pylist()
    work[3] = "?"
    columns[1] = pyarrow.array(work)
    folder = tmp_path / "adult"
    (folder / "hierarchies").mkdir(parents=True)
    plain = pyarrow.csv.WriteOptions(quoting_header="none", quoting_style="none")
    pyarrow.csv.write_csv(pyarrow.table(dict(zip(names, columns, strict=True))), folder / "adult.csv", plain)
    for name in names[:-1]:
        values = CENSUS[name.replace("-", "_")].values
        (folder / "hierarchies" / f"{name}.csv").write_text("".join(f"{v};*\n" for v in values), encoding="utf-8")
    study = from_folder(tmp_path)
    assert study.from_folder
    assert study.everybody.rows == 49
    assert study.private[RANDOM].sum() == 2
    assert from_folder(tmp_path, 30).everybody.rows == 30
