"""The command that asks every adversary about a finished release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.screen import EXIT, Screen, a_path, write_page
from discreet.errors import DiscreetError, Mistake

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(audit)


def audit(
    release: Annotated[Path, typer.Argument(help="The folder of a release, or a file that another tool published.")],
    description: Annotated[
        Path | None, typer.Option(help="What the columns of another tool's file are, and what it promises (YAML).")
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="A list of everybody who may be in the table: CSV, Parquet, or an address.")
    ] = None,
    marginals: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=CSV", help="How many people of the population have each value; once per column."),
    ] = None,
    size: Annotated[int | None, typer.Option(min=1, help="How many people the population has.")] = None,
    confidence: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="How sure she wants to be of what marginals say.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="The original table, for those who know a lot about it.")] = None,
    other: Annotated[
        list[Path] | None,
        typer.Option(help="A second release about the same people; several, with --other-source, together."),
    ] = None,
    other_source: Annotated[
        list[str] | None, typer.Option(help="The table of an --other, in the same order; it names the people.")
    ] = None,
    other_description: Annotated[
        Path | None, typer.Option(help="The description of that one, if it needs one.")
    ] = None,
    known_rows: Annotated[int, typer.Option(min=0, help="How many other rows' values she knows.")] = 1,
    stubbornness: Annotated[
        float | None, typer.Option(help="On how many people's data her earlier belief rests.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Count people above this chance (default: as promised, else 0.2 or 0.5)."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="Where its tables are, if in a database that the environment does not name: postgresql://…"),
    ] = None,
    person: Annotated[
        str | None, typer.Option(help="The column of the source that says whose row it is, if the release does not.")
    ] = None,
    one_row_per_person: Annotated[
        bool,
        typer.Option("--one-row-per-person", help="Every row is another person's, if the release does not say so."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="Write a page with charts there.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What each adversary now knows about the people in a release.

    Exit 0: every promise is kept, no fault; 1: one is broken, or there is a fault; 3: nothing is broken, but a promise
    could not be judged, or something could not be compared with the source, and the answer says what it would take; 2:
    wrong use.
    """
    from discreet.audit.audit import audit_release
    from discreet.report.pages.audit_words import to_json, to_text

    if output is not None and release.is_dir() and release.resolve() in output.resolve().parents:
        rule = "lies in the release: whatever is in that folder is published, and an audit is not for publication"
        raise DiscreetError(Mistake("--output", rule, "write it somewhere else"))
    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        found = audit_release(
            release,
            description=description,
            population=population,
            marginals=_files(marginals),
            size=size,
            confidence=confidence,
            source=source,
            other=other,
            other_description=other_description,
            other_source=other_source or (),
            known_rows=known_rows,
            stubbornness=stubbornness,
            threshold=threshold,
            database=database,
            person=person,
            one_row_per_person=one_row_per_person,
            progress=progress,
        )
    words = to_text(found)
    if output is not None:
        from discreet.report.pages.audit_page import to_html

        write_page(output, to_html(found))
        words += f"\n\nPage: {output}"
    screen.say(to_json(found), words)
    raise typer.Exit(EXIT[found.kept])


def _files(given: Sequence[str] | None) -> dict[str, Path] | None:
    """``COLUMN=CSV`` as a mapping."""
    if not given:
        return None
    parts = [text.partition("=") for text in given]
    wrong = [Mistake("--marginals", f"{text!r} is not COLUMN=CSV") for text in given if not text.partition("=")[2]]
    names = [column for column, _, _ in parts]
    wrong += [Mistake("--marginals", f"names {name!r} twice") for name in dict.fromkeys(names) if names.count(name) > 1]
    if wrong:
        raise DiscreetError(*wrong)
    return {column: Path(file) for column, _, file in parts}
