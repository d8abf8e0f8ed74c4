"""Sensitive columns that tell each other: the audit and the report say so, from the published rows alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import anonymize, audit_release, policy_from_words, verify
from discreet.audit.association.other_values import other_values
from discreet.audit.reading.release import read

S1, S2 = ["flu", "flu", "hiv", "hiv", "gout", "gout"], ["x", "x", "y", "y", "z", "z"]


def published(folder: Path, s1: list[str], s2: list[str], **more: Any) -> Path:
    words = {
        "attributes": {
            "age": {"role": "quasi_identifier", "hierarchy": {"intervals": [20]}},
            "s1": {"role": "sensitive"},
            "s2": {"role": "sensitive"},
        },
        "require": [{"l_diversity": {"l": 3}}],
        **more,
    }
    table = {"age": [str(20 + i) for i in range(len(s1))], "s1": s1, "s2": s2}
    anonymize(policy_from_words(words), folder, source=table)
    return folder


def test_one_column_tells_the_other_and_both_pages_say_so(tmp_path: Path) -> None:
    release = published(tmp_path / "r", S1, S2)
    lines = {line.attribute: line for line in audit_release(release).lines if line.adversary == "other_values"}
    assert {name: (line.worst, line.above, line.people) for name, line in lines.items()} == {
        "s1": (1.0, 6, 6),
        "s2": (1.0, 6, 6),
    }
    assert lines["s2"].details == {
        "certain": 6,
        "certain_knowing_one_of_them": {"s1": 6},
        "certain_without_the_group": 6,
        "certain_by_the_group_alone": 0,
    }
    for page in (release / "report.html", tmp_path / "r.private" / "report.html"):
        text = page.read_text()
        assert "knows s1 of the row knows s2, too: 100% of the published rows. The promises above" in text
        assert "Learning s2 from s1" in text
    assert verify(release).kept


def test_columns_that_tell_nothing_of_each_other_are_no_warning(tmp_path: Path) -> None:
    both = [(a, b) for a in ("flu", "hiv", "gout") for b in "xyz"]
    release = published(tmp_path / "r", [a for a, _ in both], [b for _, b in both])
    [line, _] = [line for line in audit_release(release).lines if line.adversary == "other_values"]
    assert line.worst == pytest.approx(1 / 3)
    text = (release / "report.html").read_text()
    assert "The promises above are about each column" not in text
    assert "s2, too: 0% of the published rows" in text


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["20-39", "40-59"]), st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("uv")
        ),
        min_size=1,
        max_size=9,
    )
)
def test_every_chance_is_the_share_of_rows_that_look_alike(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str]]
) -> None:
    file = tmp_path_factory.mktemp("foreign") / "data.csv"
    file.write_text("age,a,b,c\n" + "\n".join(",".join(row) for row in rows) + "\n")
    view = read(file, {"quasi_identifiers": ["age"], "sensitive": ["a", "b", "c"]})
    for place, tally in enumerate(view.tallies, start=1):
        [found] = other_values(view, tally)
        alike = Counter((*row[:place], *row[place + 1 :]) for row in rows)
        whole = Counter(rows)
        chances = [
            max(Fraction(n, alike[key]) for r, n in whole.items() if (*r[:place], *r[place + 1 :]) == key)
            for key in ((*row[:place], *row[place + 1 :]) for row in rows)
        ]
        assert found.worst == pytest.approx(float(max(chances)))
        assert found.above == sum(chance > Fraction(1, 2) for chance in chances)
        assert found.details["certain"] == sum(chance == 1 for chance in chances)
