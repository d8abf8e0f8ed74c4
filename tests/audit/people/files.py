"""Releases of small tables as files that another tool wrote, and their source with a column that names people."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.audit.faults.comparison import read_source
from discreet.audit.people.persons import Persons, count_people
from discreet.audit.reading.release import look
from tests.audit.people.worlds import Released

SAID: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["s"], "columns": {"q": "set"}, "person": "who"}


def source_of(release: Released) -> dict[str, list[str]]:
    """The table, with a column that says whose rows they are."""
    who, q, s = zip(*release.rows, strict=True)
    return {"who": [f"person {p}" for p in who], "q": list(q), "s": list(s)}


def write(folder: Path, release: Released) -> Path:
    """The release as a file."""
    lines = ["q,s"]
    for (_, _, s), g in zip(release.rows, release.groups, strict=True):
        if g is not None:
            label = sorted(release.labels[g])
            lines.append(f'"{{{", ".join(label)}}}",{s}')
    (folder / "theirs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "theirs.csv"


def counted(release: Released, promises: Sequence[object] = ()) -> Persons:
    """The people of the release, as the audit counts them."""
    with tempfile.TemporaryDirectory() as folder:
        files = look(write(Path(folder), release), SAID | {"promises": list(promises)})
        table, _ = read_source(files, source_of(release))
        assert table is not None
        persons = count_people(files, table)
    assert persons is not None
    return persons


def bucketized(folder: Path, groups: Sequence[Sequence[tuple[str, str]]]) -> Path:
    """Exact quasi-identifiers in one table, values in another; values stand in the order of their names."""
    folder.mkdir(parents=True, exist_ok=True)
    people, values = ["q,g"], ["g,s"]
    for g, rows in enumerate(groups):
        people += [f"{q},{g}" for q, _ in rows]
        values += [f"{g},{s}" for s in sorted(s for _, s in rows)]
    (folder / "people.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    (folder / "values.csv").write_text("\n".join(values) + "\n", encoding="utf-8")
    return folder


APART: dict[str, Any] = {
    "quasi_identifiers": ["q"],
    "sensitive": ["s"],
    "tables": {"people.csv": ["q"], "values.csv": ["s"]},
    "group": "g",
    "person": "who",
}
