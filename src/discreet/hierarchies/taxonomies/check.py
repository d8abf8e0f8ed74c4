"""A taxonomy that somebody filled in: what is wrong with it, and what to think of before it is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import HierarchyError, Mistake, offenders
from discreet.hierarchies.base import Misfit
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.taxonomy import Taxonomy, read_taxonomy, taxonomy_rows


@dataclass(frozen=True, eq=False)
class Checked:
    """A taxonomy that can be used, beside the table's values with their rows (None where no table was given).

    `unused` are leaves that no row has: that is as it should be. `lonely` counts, level by level, names that stand for
    one leaf and call it otherwise: they hide nothing.
    """

    taxonomy: Taxonomy
    counts: Mapping[Value, int] | None
    unused: int
    lonely: tuple[int, ...]
    notes: tuple[str, ...]


def check_taxonomy(file: Path | str, counts: Mapping[Value, int] | None = None, *, rare: int = 5) -> Checked:
    """Read a taxonomy file and hold it against a column, whose values have so many rows; all mistakes at once.

    Values that fewer than `rare` rows have are counted in messages, and not named.
    """
    file = Path(file)
    place = str(file)
    mistakes: list[Mistake] = []
    taxonomy = None
    try:
        taxonomy = read_taxonomy(file.name, file.parent, place)
    except HierarchyError as error:
        mistakes += error.mistakes
    leaves = set(taxonomy.paths) if taxonomy is not None else _leaves(file, place)
    if leaves is None:  # no file that can be read as rows
        raise HierarchyError(*mistakes)
    mistakes += _missing(leaves, counts or {}, place, rare)
    if mistakes:
        raise HierarchyError(*mistakes)
    assert taxonomy is not None
    lonely = _lonely(taxonomy)
    return Checked(taxonomy, counts, _unused(taxonomy, counts), lonely, _notes(taxonomy, counts, lonely, rare))


def _leaves(file: Path, place: str) -> set[str] | None:
    try:
        return {row[0] for row in taxonomy_rows(file.name, file.parent, place)[0]}
    except HierarchyError:
        return None


def _missing(leaves: set[Value] | set[str], counts: Mapping[Value, int], place: str, rare: int) -> list[Mistake]:
    """Values of the table that the file has not; NULL and the empty text may be missing."""
    missing = {value: rows for value, rows in counts.items() if value and value not in leaves}
    if not missing:
        return []
    named = sorted(value for value, rows in missing.items() if rows >= rare)
    hidden = len(missing) - len(named)
    which = [offenders(named)] if named else []
    which += [f"{hidden:,} that fewer than {rare} rows have each"] if hidden else []
    rule = f"values of the table are missing: {', and '.join(which)}"
    trimmed = sum(value.strip() in leaves for value in missing)
    repair = "add a line for each of them, leaf first"
    if trimmed:
        repair += f"; {trimmed:,} of them are there but for blanks at their ends"
    return [Mistake(place, rule, repair)]


def _unused(taxonomy: Taxonomy, counts: Mapping[Value, int] | None) -> int:
    return 0 if counts is None else sum(not counts.get(leaf) for leaf in taxonomy.paths)


def _lonely(taxonomy: Taxonomy) -> tuple[int, ...]:
    """Per level, names that stand for one leaf and call it otherwise."""
    lonely = []
    for level in range(taxonomy.between):
        sizes = Counter(path[level] for path in taxonomy.paths.values())
        lonely.append(sum(sizes[path[level]] == 1 and path[level] != leaf for leaf, path in taxonomy.paths.items()))
    return tuple(lonely)


def _notes(
    taxonomy: Taxonomy, counts: Mapping[Value, int] | None, lonely: tuple[int, ...], rare: int
) -> tuple[str, ...]:
    notes = []
    if not taxonomy.between:
        notes.append("it has no level between the values and *: it says no more than {flat: true}")
    for level, alone in enumerate(lonely, start=1):
        if alone:
            many = f"{alone:,} name{'s stand' if alone > 1 else ' stands'}"
            notes.append(f"level {level}: {many} for one value alone, and {'hide' if alone > 1 else 'hides'} nothing")
    for level in range(1, taxonomy.between):
        if all(path[level] == path[level - 1] for path in taxonomy.paths.values()):
            notes.append(f"level {level + 1} is the same as level {level}")
    if counts is not None and taxonomy.paths and all(counts.get(leaf) for leaf in taxonomy.paths):
        few = sum(counts.get(leaf, 0) < rare for leaf in taxonomy.paths)
        notes.append(
            "everything that it lists occurs in the table"
            + (f", {few:,} of it in fewer than {rare} rows" if few else "")
            + ": a taxonomy is published with the release, and one that was made from the table tells that somebody "
            "has each of its values; list what is possible"
        )
    return tuple(notes)


def paths_of_values(checked: Checked) -> dict[Value, tuple[Value, ...]]:
    """What each listed value, and each of the table, becomes; NULL and the empty text have their branch."""
    taxonomy = checked.taxonomy
    paths = dict(taxonomy.paths)
    for value in checked.counts or {}:
        try:
            paths.setdefault(value, taxonomy.path(value))
        except Misfit:  # checked before: everything but NULL and the empty text is listed
            continue
    return paths
