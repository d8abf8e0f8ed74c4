"""ART with the limit `prior`: by all worlds nobody gets surer, and who is left out tells nothing more either."""

from __future__ import annotations

import csv
import random
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import Infeasible
from discreet.models.robust.robust import Robust
from discreet.search.absence import absence_kept
from discreet.search.art.art import art
from discreet.search.plan import SUPPRESSED, Problem
from tests.models.prior_worlds import Person, S, frequency, keeps, people, published, rs, table_chances

listed = st.sampled_from([None, [("x",)], [("x", "y")]])


def keeps_by_worlds(
    group: Sequence[Person], rows: Sequence[Person], r: Fraction, sets: Sequence[Sequence[str]], support: int
) -> bool:
    """Of these people among all rows, by every set of attributes."""
    of_person = {q: i for i, (q, _) in enumerate(rows)}
    values = [value for _, value in group]
    for known in table_chances(rows, support):
        if not keeps(values, [known[of_person[q]] for q, _ in group], sets, r):
            return False
    return True


@given(st.lists(people, min_size=1, max_size=7), rs, listed, st.integers(1, 3), st.sampled_from(["prior", "absence"]))
def test_by_all_worlds_nobody_gets_surer_and_absence_tells_nothing(rows, r, protected, support, said) -> None:
    words = {"limit": "prior"} if said == "prior" else {"absence": "prior"}
    model = Robust(r, S, protected, min_support=support, **words)
    sets = protected or [(v,) for v in sorted({v for _, v in rows})]
    problem = Problem(frequency(rows), (model,), len(rows), seed=1)
    try:
        plan = absence_kept(problem, art(problem))
    except Infeasible:
        return
    for number, group in published(plan).items():
        if number == SUPPRESSED or said == "prior":
            assert keeps_by_worlds(group, rows, r, sets, support)


def patients(rows: int = 900) -> dict[str, list[str]]:
    """Of zip 1, three in ten have hiv, of the others one in fifty: 1/5 can't be promised to all of zip 1."""
    draw = random.Random(5)
    zips = [draw.choice("123456789") for _ in range(rows)]
    chance = {"1": 0.3}
    disease = ["hiv" if draw.random() < chance.get(z, 0.02) else draw.choice(["flu", "cold", "gout"]) for z in zips]
    return {"zip": zips, "sex": [draw.choice("mf") for _ in range(rows)], "disease": disease}


def policy(limit: str, suppress: float = 0) -> discreet.Policy:
    roles = {"zip": "quasi_identifier", "sex": "quasi_identifier", "disease": "sensitive"}
    return discreet.policy_from_words(
        {
            "attributes": {name: {"role": role} for name, role in roles.items()},
            "require": [{"robust": {"r": 5, "values": ["hiv"], "limit": limit}}],
            "publish": "bucketization",
            "search": "art",
            "suppress": suppress,
            "seed": 1,
        }
    )


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prior") / "release"
    discreet.anonymize(policy("prior"), folder, source=patients())
    return folder


def test_nobody_is_left_out_where_the_papers_limit_leaves_people_out(release: Path, tmp_path: Path) -> None:
    with pytest.raises(Infeasible):
        discreet.anonymize(policy("r"), tmp_path / "r", source=patients())
    paper = discreet.anonymize(policy("r", 0.2), tmp_path / "r", source=patients())
    assert paper.manifest["rows"]["suppressed"] > 0
    assert any(note.startswith("what absence tells") for note in paper.figures["notes"])
    verified = discreet.verify(release, source=patients())
    assert verified.kept
    assert verified.verdicts[0].model.limit == "prior"
    assert discreet.verify(release).kept is None  # what she knows is the table
    audit = discreet.audit_release(release, source=patients())
    [level] = audit.levels
    assert (audit.kept, level.holds, level.note) == (True, True, "")
    [likely] = [line for line in audit.lines if line.adversary == "worst_case"]
    assert likely.worst > 0.2  # of whom that was believed before
    assert level.achieved is not None
    assert level.achieved <= 0.2 + 1e-9


def test_two_readers_agree_of_a_release_with_two_values_exchanged(release: Path, tmp_path: Path) -> None:
    """A group of two people with hiv in place of one: `verify` and the audit both say that it is broken."""
    forged = tmp_path / "forged"
    shutil.copytree(release, forged)
    with (forged / "sensitive.csv").open() as file:
        rows = list(csv.DictReader(file))
    [first, second] = [row["group"] for row in rows if row["disease"] == "hiv"][:2]
    one = next(row for row in rows if row["group"] == first and row["disease"] == "hiv")
    other = next(row for row in rows if row["group"] == second and row["disease"] != "hiv")
    one["disease"], other["disease"] = other["disease"], "hiv"
    with (forged / "sensitive.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["group", "disease"])
        writer.writeheader()
        writer.writerows(rows)
    assert discreet.verify(forged, source=patients()).kept is False
    [level] = discreet.audit_release(forged, source=patients()).levels
    assert level.holds is False


def test_whoever_is_missing_from_a_release_that_promises_it_is_seen_by_both_readers(release: Path) -> None:
    """The same release, beside a table that has one more person of zip 1 with hiv."""
    more = {name: [*column, value] for (name, column), value in zip(patients().items(), ("1", "m", "hiv"), strict=True)}
    verified = discreet.verify(release, source=more)
    assert not verified.verdicts or not verified.verdicts[0].holds
    [level] = discreet.audit_release(release, source=more).levels
    assert level.holds is False
    assert "left out" in level.note
