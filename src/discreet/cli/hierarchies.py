"""`hierarchy`: a taxonomy for a column, drafted, checked and drawn."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.screen import Screen, a_path, write_page
from discreet.errors import DiscreetError, Mistake

if TYPE_CHECKING:
    from discreet.hierarchies.hierarchy import Value

_PUBLISHED = "It is published with the release: list what is possible, not what is in the table."


def hierarchy(
    table: Annotated[
        str | None, typer.Argument(help="A CSV or Parquet file, postgresql://…#table or spark:table.")
    ] = None,
    column: Annotated[str | None, typer.Argument(help="The column whose values become coarser.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="Write the taxonomy there.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(callback=a_path, help="Check and draw this taxonomy instead, beside TABLE and COLUMN if given."),
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Numbers of rows below k are hidden.")] = 5,
    exact: Annotated[bool, typer.Option("--exact", help="Hide no numbers of rows.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Write a column's values as a taxonomy to fill in; check one that was filled in, and draw it."""
    screen = Screen(as_json, quiet)
    if (table is None) != (column is None) or (check is None and table is None):
        rule = "needs a table and one of its columns" if check is None else "a table needs a column beside it"
        repair = "write discreet hierarchy TABLE COLUMN -o FILE.csv, or discreet hierarchy --check FILE.csv"
        raise DiscreetError(Mistake("command line", rule, repair))
    if check is not None and output is not None:
        rule = "--check writes nothing, and --output is given"
        raise DiscreetError(Mistake("command line", rule, "leave one of them out"))
    if output is not None and output.exists() and not force:
        raise DiscreetError(Mistake(str(output), "already exists", "choose another file, or say --force"))
    from discreet.run.taxonomies import column_counts

    with screen.progress() as progress:
        progress("read", 0, 0, "")
        counts = None if table is None or column is None else column_counts(table, column)
    hide_below = 0 if exact else k
    if check is not None:
        _checked(screen, check, counts, column, k, hide_below)
    else:
        assert counts is not None and column is not None
        _drafted(screen, counts, column, output, hide_below, told=not (as_json or quiet))


def _drafted(
    screen: Screen, counts: Mapping[Value, int], column: str, output: Path | None, hide_below: int, *, told: bool
) -> None:
    from discreet.hierarchies.taxonomies.draft import draft_taxonomy

    draft = draft_taxonomy(counts, column)
    answer: dict[str, Any] = {
        "column": column,
        "proposal": draft.kind,
        "reason": draft.reason,
        "values": len(draft.rows),
        "notes": [*draft.notes],
    }
    if output is None:
        if told:
            sys.stderr.write("\n".join([f"{column}: {draft.reason}.", *_notes(draft.notes), ""]))
        screen.say(answer | {"taxonomy": draft.text}, draft.text.rstrip("\n"))
        return
    write_page(output, draft.text)
    paths: dict[Value, Sequence[Value]] = {row[0]: row[1:-1] for row in draft.rows}
    paths |= {value: (value,) * (len(draft.rows[0]) - 2) for value in counts if not value}
    picture, levels, tree = _picture(paths, counts, hide_below)
    words = [
        f"Wrote {output}: {column}, {draft.reason}; {len(draft.rows):,} values listed.",
        *_notes(draft.notes),
        "",
        picture,
        "",
        f"{_PUBLISHED} Edit it, then",
        f"  discreet hierarchy --check {output} TABLE {column}",
        f"and in the policy: {column}: {{role: quasi_identifier, hierarchy: {output.name}}}",
    ]
    screen.say(answer | {"file": str(output), "levels": levels, "tree": tree}, "\n".join(words))


def _checked(
    screen: Screen, file: Path, counts: Mapping[Value, int] | None, column: str | None, k: int, hide_below: int
) -> None:
    from discreet.hierarchies.taxonomies.check import check_taxonomy, paths_of_values

    checked = check_taxonomy(file, counts, rare=k)
    picture, levels, tree = _picture(paths_of_values(checked), counts, hide_below)
    listed = len(checked.taxonomy.paths)
    of_table = "" if counts is None else f", {checked.unused:,} of them in no row of the table"
    beside = "" if column is None else f", and has every value of {column}"
    words = [
        f"{file} can be used{beside}: {listed:,} values{of_table}.",
        *_notes(checked.notes),
        *_levels(levels),
        "",
        picture,
    ]
    answer = {
        "file": str(file),
        "column": column,
        "values": listed,
        "unused": None if counts is None else checked.unused,
        "levels": [level | {"groups_of_one": alone} for level, alone in zip(levels, checked.lonely, strict=True)],
        "notes": [*checked.notes],
        "tree": tree,
    }
    screen.say(answer, "\n".join(words))


def _picture(
    paths: Mapping[Value, Sequence[Value]], counts: Mapping[Value, int] | None, hide_below: int
) -> tuple[str, list[dict[str, Any]], dict[str, Any]]:
    """The tree as text, what each level puts together, and the tree for scripts."""
    from discreet.hierarchies.taxonomies.tree import drawn, in_json, levels_of, tree_of

    root = tree_of(paths, counts)
    levels = []
    for number, level in enumerate(levels_of(paths, counts), start=1):
        rows = None if level.rows is None else [n if n >= hide_below else None for n in level.rows]
        levels.append({"level": number, "names": level.names, "values": [*level.leaves], "rows": rows})
    return drawn(root, hide_below=hide_below), levels, in_json(root, hide_below=hide_below)


def _levels(levels: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for level in levels:
        few, many = level["values"]
        each = f"{few:,}" if few == many else f"{few:,} to {many:,}"
        rows = ""
        if level["rows"] is not None:
            least, most = ("few" if n is None else f"{n:,}" for n in level["rows"])
            rows = f", {least} to {most} rows" if least != most else f", {least} rows"
        lines.append(f"  level {level['level']}: {level['names']:,} names of {each} values each{rows}")
    return lines


def _notes(notes: Sequence[str]) -> list[str]:
    return [f"  note: {note}" for note in notes]
