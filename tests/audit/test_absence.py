"""What absence tells of a bucketized release, and what a list tells beside α."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.audit.lines import AT_MOST, EXACT, Line
from discreet.audit.worst_case.knowledge import MIN_SUPPORT
from discreet.report.pages.audit_page import to_html
from discreet.report.pages.audit_words import to_text
from tests.audit.releasing import first_screen, people, publish, write_table

ABOUT: dict[str, Any] = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["disease"],
    "tables": {"people.csv": ["age", "sex"], "values.csv": ["disease"]},
    "group": "gid",
}
Row = tuple[str, str, str]


def line_of(audit: Any, adversary: str) -> Line | None:
    return next((line for line in audit.lines if line.adversary == adversary), None)


def bucketized(folder: Path, rows: list[Row], out: set[int], seed: int = 0) -> Path:
    """All rows but some, in groups of four, people and values shuffled apart."""
    draw = random.Random(seed)
    kept = draw.sample([i for i in range(len(rows)) if i not in out], len(rows) - len(out))
    folder.mkdir()
    group = {i: place // 4 for place, i in enumerate(kept)}
    for file, cells in (
        ("people.csv", lambda r: {"age": r[0], "sex": r[1]}),
        ("values.csv", lambda r: {"disease": r[2]}),
    ):
        order = draw.sample(kept, len(kept))
        write_table(folder / file, [cells(rows[i]) | {"gid": group[i]} for i in order])
    return folder


def source_of(rows: list[Row]) -> dict[str, list[str]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(("age", "sex", "disease"))}


def truth(rows: list[Row], out: set[int], named: set[str] | None) -> float:
    """The largest share among the left out: all of them, and those alike in one attribute, if they are 30."""
    worst = 0.0
    for at in (None, 0, 1):
        values = {None} if at is None else {row[at] for row in rows}
        for value in values:
            those = [rows[i][2] for i in out if at is None or rows[i][at] == value]
            if those and (at is None or len(those) >= MIN_SUPPORT):
                counts = Counter(those)
                had = sum(counts[v] for v in named) if named else max(counts.values())
                worst = max(worst, had / len(those))
    return worst


@pytest.mark.parametrize("named", [None, {"hiv", "flu"}])
@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_shares_among_the_left_out_are_those_of_all_people_or_bounds(
    tmp_path: Path, seed: int, alike: bool, named: set[str] | None
) -> None:
    draw = random.Random(seed)
    rows: list[Row] = [
        (str(draw.randint(20, 23) if alike else 20 + i), draw.choice("FM"), draw.choice(["flu", "cold", "hiv", "gout"]))
        for i in range(240)
    ]
    out = {i for i in range(240) if draw.random() < (0.8 if rows[i][2] == "hiv" and rows[i][1] == "F" else 0.2)}
    promises = [{"robust": {"r": 2, "values": sorted(named)}}] if named else []
    audit = discreet.audit_release(
        bucketized(tmp_path / "r", rows, out, seed), description=ABOUT | {"promises": promises}, source=source_of(rows)
    )
    line = line_of(audit, "left_out")
    assert line is not None
    assert (line.people, line.details["left_out"]) == (len(out), len(out))
    if alike:
        assert line.precision in (EXACT, AT_MOST) and line.worst >= truth(rows, out, named) - 1e-12
    else:
        assert line.precision == EXACT and line.worst == pytest.approx(truth(rows, out, named), abs=1e-12)
    had = sum(rows[i][2] in (named or {"flu", "cold", "hiv", "gout"}) for i in out)
    assert line.details["of_them_with_a_protected_value"] == (had if named else 0)


@pytest.mark.parametrize("every", [False, True])
def test_everybody_who_was_left_out_had_the_protected_value(tmp_path: Path, every: bool) -> None:
    """ART leaves out whom it can't hide: all of them have what is protected."""
    draw = random.Random(7)
    rows: list[Row] = [(str(20 + i % 40), draw.choice("FM"), "hiv" if i % 4 == 0 else f"d{i % 9}") for i in range(200)]
    out = {i for i in range(0, 200, 4) if i % 3 == 0 or every}
    folder = bucketized(tmp_path / "r", rows, out)
    said = ABOUT | {"promises": [{"robust": {"r": 2, "values": ["hiv"]}}]}
    line = line_of(discreet.audit_release(folder, description=said, source=source_of(rows)), "left_out")
    assert line is not None
    assert (line.worst, line.above, line.people, line.precision) == (1.0, len(out), len(out), EXACT)
    assert line.details["of_them_with_a_protected_value"] == len(out)
    assert line.details["share_of_these_in_the_source"] == 0.25


def test_nothing_is_said_where_nobody_is_left_out_or_it_is_not_plain_who(tmp_path: Path) -> None:
    rows: list[Row] = [(str(20 + i), "F", "flu" if i % 2 else "cold") for i in range(40)]
    folder = bucketized(tmp_path / "r", rows, set())
    assert line_of(discreet.audit_release(folder, description=ABOUT, source=source_of(rows)), "left_out") is None
    coarser = publish(tmp_path / "coarser", "generalization")
    assert line_of(discreet.audit_release(coarser, source=people()), "left_out") is None


def test_our_own_bucketization_tells_whom_it_left_out(tmp_path: Path) -> None:
    folder = publish(
        tmp_path / "r", "bucketization", require=[{"robust": {"r": 3, "min_support": 5, "values": ["flu"]}}]
    )
    audit = discreet.audit_release(folder, source=people())
    line = line_of(audit, "left_out")
    assert (line is not None) == (audit.left_out > 0)
    if line is not None:
        assert line.people == audit.left_out


def test_a_list_is_told_beside_alpha(tmp_path: Path) -> None:
    folder = publish(tmp_path / "r", "ambiguity")
    without = discreet.audit_release(folder)
    assert [level.note for level in without.levels] == [""] * len(without.levels)
    assert any("without a list of the people" in level.figure for level in without.levels)
    audit = discreet.audit_release(folder, population=people())
    line = line_of(audit, "presence_with_list")
    assert line is not None
    presence = next(level for level in audit.levels if "without a list" in level.figure)
    certain, above = line.details["certain"], line.details["above_alpha"]
    assert certain > 0
    said = f"of 300 people, {certain} are certain to be in the table, and {above} are in it with more than α"
    assert presence.holds is True and said in presence.note
    assert above >= certain
    assert any(said in text for text in to_text(audit).splitlines()[:5])
    assert said in first_screen(to_html(audit))
