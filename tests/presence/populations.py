"""Small populations, tables of some of their people, and limits of presence that at least one release keeps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.releases.reading import covers, groups_of, manifest_of, read_table

QUASI_IDENTIFIERS = ("age", "zip", "sex")
HIERARCHIES: dict[str, Any] = {"age": {"intervals": [5, 10, 20]}, "zip": {"prefixes": [2, 1]}, "sex": {"flat": True}}
Person = tuple[str | None, ...]

people = st.tuples(
    st.sampled_from(["20", "23", "27", "31", "38"]),
    st.sampled_from(["120", "121", "135", "240", None]),
    st.sampled_from(["f", "m", ""]),
)


def columns(rows: list[Person], names: tuple[str, ...] = QUASI_IDENTIFIERS) -> dict[str, list[str | None]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def write(path: Path, rows: list[Person]) -> Path:
    """A CSV file in which NULL is nothing and "" a pair of quotes."""
    lines = [",".join("" if v is None else f'"{v}"' for v in row) for row in [QUASI_IDENTIFIERS, *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Person], list[Person], list[str]]:
    """A population, a table of some of its people, and a pair δ that at least everything as * keeps."""
    everybody = draw(st.lists(people, min_size=2, max_size=40))
    table = draw(st.lists(st.sampled_from(range(len(everybody))), min_size=1, max_size=len(everybody) - 1, unique=True))
    share = Fraction(len(table), len(everybody))
    low = share * draw(st.integers(0, 3)) / 4
    high = share + (1 - share) * draw(st.integers(0, 3)) / 4
    return everybody, [everybody[i] for i in table], [str(low), str(high)]


def policy_words(tmp: Path, population: list[Person], delta: list[str], **more: Any) -> dict[str, Any]:
    """A policy of presence alone, beside the population in a file."""
    return {
        "attributes": {
            name: {"role": "quasi_identifier", "hierarchy": HIERARCHIES[name]} for name in QUASI_IDENTIFIERS
        },
        "require": [{"presence": {"delta": delta, "population": str(write(tmp / "people.csv", population))}}],
        "seed": 1,
    } | more


def by_hand(folder: Path, population: list[Person], width: int = 3) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """(rows, people) of every published group, and of the rest, by what the published texts say of each person."""
    names, rows = read_table(folder)
    assert tuple(names[:width]) == QUASI_IDENTIFIERS[:width]
    said = manifest_of(folder)["rows"]
    stars = ("*",) * len(names)
    kept = [row for row in rows if row != stars] if said["suppressed"] else rows
    groups = groups_of(kept, width)
    found = {texts: [len(members), 0] for texts, members in groups.items()}
    elsewhere = 0
    for person in population:
        homes = [texts for texts in groups if all(map(covers, texts, person[:width]))]
        assert len(homes) <= 1, "published groups overlap"
        for texts in homes:
            found[texts][1] += 1
        elsewhere += not homes
    return [(n, p) for n, p in found.values()], (said["suppressed"], elsewhere)
