"""`discreet reproduce realistic` on invented people: what is proven must hold, what is measured must be right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet.cli.main import app
from discreet.errors import DataError, DiscreetError, Infeasible
from discreet.labels.figures import percent
from discreet.models.base import PrivacyModel
from discreet.models.groups.l_diversity import FrequencyDiversity
from discreet.models.realistic.adversaries import ClassTwo
from discreet.models.realistic.realistic import Realistic
from discreet.search.lattice.optimal import optimal
from discreet.search.plan import Problem
from discreet.studies.claims import Claim, Reproduction, to_json, to_text
from discreet.studies.page import to_html
from discreet.studies.realistic.data import from_folder, invented
from discreet.studies.realistic.example import worked_example
from discreet.studies.realistic.lattice import REFERENCE
from discreet.studies.realistic.study import STUDY
from discreet.studies.study import reproduce

ROWS = 60_000


@pytest.fixture(scope="module")
def made() -> Reproduction:
    return reproduce(STUDY, rows=ROWS)


def claim(made: Reproduction, words: str) -> Claim:
    [found] = [c for c in made.claims if words in c.says]
    return found


def test_table_3_has_the_numbers_of_the_paper_and_its_mistake() -> None:
    told = {c.says: (c.measured, c.holds) for c in worked_example()}
    assert told["Table 3, women and flu: 4-private against class I, D(12000, 18000)"] == ("smallest ε 4.0003", True)
    assert told["Table 3, women and flu: 6.4-private against class II, σ = 30,000"] == ("smallest ε 6.4001", True)
    assert told["Table 3, women and flu: 6-private against class III, shares (.4, .6)"] == ("smallest ε 6.0000", True)
    assert told["Table 3 is 3-private against class II, σ = 1000"] == ("smallest ε 3.0000", True)
    assert told["against class II, σ = 30,000, men below 40 need ε ≥ 61"] == ("smallest ε 61.0000", True)
    assert not told["Table 3 is 2.5-private against D(12000, 18000)"][1]


@pytest.mark.parametrize(
    "words",
    [
        "the lattice has 72 generalizations",
        "class I (the table's shares, σ = 10⁶) needs less ε",
        "class I (equal shares, σ = 10⁶) needs less ε",
        "the smallest ε grows with stubbornness",
        "least average group size at ε = 2.5 grow with stubbornness",
        "allow the same tables",
        "0.2-closeness without homogeneous groups implies",
    ],
)
def test_what_is_proven_holds_on_any_table(made: Reproduction, words: str) -> None:
    assert claim(made, words).holds, claim(made, words).measured


def test_class_two_and_diversity_are_compared_by_what_the_search_finds(made: Reproduction) -> None:
    frequency = made.comparison.lattice.frequency

    def least(model: PrivacyModel) -> float:
        try:
            return float(optimal(Problem(frequency, (model,))).losses.mean())
        except Infeasible:
            return float("inf")

    two = [least(Realistic("5/2", ClassTwo(10**n), "salary")) for n in range(1, 6)]
    four = least(FrequencyDiversity("5/4", "salary"))
    found = claim(made, "more useful tables than (4, 2)-diversity")
    assert found.holds == all(loss < four for loss in two)
    told = ", ".join("nothing" if np.isinf(loss) else percent(loss) for loss in two)
    assert found.measured.startswith(f"least loss {told} for")


def test_the_claims_that_fail_are_counted_as_such(made: Reproduction) -> None:
    assert made.held == sum(c.holds for c in made.claims) < len(made.claims)
    assert to_text(made).count("DOES NOT") == len(made.claims) - made.held
    assert to_html(made).count("✗ does not") == len(made.claims) - made.held
    assert f"{made.held} of {len(made.claims)} claims hold" in to_html(made)


def test_it_says_that_the_people_are_invented_and_how_many(made: Reproduction) -> None:
    assert not made.from_folder
    assert "invented people" in made.data
    assert f"{ROWS:,} rows" in made.data
    assert made.data in to_text(made)


def test_the_node_drawn_is_the_papers(made: Reproduction) -> None:
    c = made.comparison
    assert c.lattice.node(c.reference) == REFERENCE
    for family, points in c.families.items():
        columns = {o.name: o.column for o in c.opponents}
        assert points[0].epsilon == c.lattice.levels[c.reference, columns[f"{family} 10"]]


def test_invented_salaries_hang_on_age_and_sex_as_in_a_census() -> None:
    frequency = invented(100_000).frequency
    high = frequency.sensitive["salary"] == frequency.sensitive_hierarchies["salary"].index["high"]

    def rate(attribute: str, *values: str) -> float:
        at = frequency.attributes.index(attribute)
        codes = [frequency.hierarchies[at].index[v] for v in values]
        there = np.isin(frequency.codes[at], codes)
        return float(frequency.counts[there & high].sum() / frequency.counts[there].sum())

    assert rate("age", "18", "19", "20") < 0.15
    assert 0.38 < rate("age", "48", "49", "50") < 0.5
    assert 0.15 < rate("sex", "Female") < 0.25 < 0.35 < rate("sex", "Male") < 0.45


def test_a_census_of_a_folder_is_cut_where_a_third_earns_more(tmp_path: Path) -> None:
    folder = tmp_path / "census"
    (folder / "hierarchies").mkdir(parents=True)
    ages = [str(n) for n in range(20, 60)]
    paths = {
        "age": [[a, f"5:{int(a) // 5}", f"10:{int(a) // 10}", f"20:{int(a) // 20}", "40", "*"] for a in ages],
        "marital": [[str(n), "a" if n < 3 else "b", "*"] for n in range(1, 7)],
        "race": [[str(n), "*"] for n in range(1, 10)],
        "gender": [["1", "*"], ["2", "*"]],
    }
    for name, lines in paths.items():
        (folder / "hierarchies" / f"{name}.csv").write_text("\n".join(map(";".join, lines)) + "\n", encoding="utf-8")
    random = np.random.default_rng(1)
    columns = {name: random.choice([line[0] for line in lines], 3000) for name, lines in paths.items()}
    columns["salary"] = random.integers(0, 50, 3000).astype(str)
    import gzip

    rows = zip(*columns.values(), strict=True)
    text = "\n".join([",".join(columns), *(",".join(row) for row in rows)]) + "\n"
    (folder / "sal500k.csv.gz").write_bytes(gzip.compress(text.encode()))
    study = from_folder(tmp_path)
    assert study.from_folder
    assert study.frequency.rows == 3000
    two = study.frequency.sensitive_hierarchies["salary"]
    assert set(two.leaves) == {"low", "high"}
    share = study.frequency.totals["salary"][two.index["high"]] / 3000
    best = min(abs((columns["salary"].astype(int) >= cut).mean() - 0.334) for cut in range(50))
    assert abs(share - 0.334) == pytest.approx(best)
    ran = CliRunner().invoke(app, ["reproduce", "realistic", "--json"], env={"DISCREET_DATA": str(tmp_path)})
    assert json.loads(ran.stdout)["from_folder"] is True


def test_a_folder_without_the_census_is_a_mistake_if_it_was_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        from_folder(tmp_path)


def test_the_command_writes_page_and_json_and_exits_well_though_a_claim_fails(tmp_path: Path) -> None:
    arguments = ["reproduce", "realistic", "--rows", "5000", "-o", str(tmp_path / "out")]
    ran = CliRunner().invoke(app, arguments, env={"DISCREET_DATA": ""})
    assert ran.exit_code == 0, ran.output
    assert "DOES NOT" in ran.output
    page = (tmp_path / "out" / "realistic.html").read_text(encoding="utf-8")
    assert "<script" not in page
    told = json.loads((tmp_path / "out" / "realistic.json").read_text(encoding="utf-8"))
    assert told["from_folder"] is False
    assert len(told["comparison"]["nodes"]) == 72


def test_the_json_of_the_command_is_that_of_the_reproduction(made: Reproduction) -> None:
    told = json.loads(json.dumps(to_json(made), allow_nan=False))
    assert [c["holds"] for c in told["claims"]] == [c.holds for c in made.claims]


def test_another_paper_is_wrong_use() -> None:
    ran = CliRunner().invoke(app, ["reproduce", "realistc"])
    assert isinstance(ran.exception, DiscreetError)
    assert "did you mean 'realistic'?" in str(ran.exception)
