"""Small populations, tables of some of their people, and limits of presence that at least one release keeps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

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
