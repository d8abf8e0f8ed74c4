"""Commands that study rather than publish: what promises cost, what to ask for, and what papers claim."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.screen import Screen, a_path, write_page
from discreet.errors import DiscreetError, Mistake, did_you_mean
from discreet.studies.papers import PAPERS

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(compare)
    app.command()(reproduce)
    app.command()(harm)


def compare(
    policy: Annotated[Path, typer.Argument(help="The policy (YAML).")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="Write a page with charts there.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="Tell costs for this ε (default: the policy's, else 2.5).")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What each promise costs: every node of the lattice, against adversaries of every class.

    Of a policy that publishes exact values apart (bucketization, ambiguity): what each method costs and leaves open.
    """
    from discreet.models.parameters import Number, Wrong
    from discreet.policy.kinds import is_exact
    from discreet.policy.policy import read_policy

    screen = Screen(as_json, quiet)
    try:
        asked = None if epsilon is None else Number(1, closed=True, why="1 is no change of belief").read(epsilon)
    except Wrong as wrong:
        raise DiscreetError(Mistake("--epsilon", wrong.rule, wrong.repair)) from None
    read = read_policy(policy)
    if asked is not None and is_exact(read.publish):
        rule = f"is about coarser values; the policy publishes by {read.publish}"
        raise DiscreetError(Mistake("--epsilon", rule, "leave it out"))
    with screen.progress() as progress:
        if is_exact(read.publish):
            from discreet.report.pages import methods_page
            from discreet.run.methods import compare_methods

            methods = compare_methods(read, progress=progress)
            words, answer = methods_page.to_text(methods), methods_page.to_json(methods)
            page = methods_page.to_html(methods)
        else:
            from discreet.report.pages import compare_page
            from discreet.run.compare import compare as run

            found = run(read, epsilon=asked, progress=progress)
            words, answer, page = compare_page.to_text(found), compare_page.to_json(found), compare_page.to_html(found)
    if output is not None:
        write_page(output, page)
        words += f"\n\nPage: {output}"
    screen.say(answer, words)


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"Which one: {', '.join(PAPERS)}.")],
    data: Annotated[
        Path | None, typer.Option(help="The folder of the data (default: the environment variable DISCREET_DATA).")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(min=1000, help="So many rows: a sample of the folder's table, or people to invent."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="A folder for the page and the JSON.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a paper's experiments again: each claim beside what was measured. A claim that fails is not an error."""
    if paper not in PAPERS:
        raise DiscreetError(Mistake("reproduce", f"no such paper {paper!r}", did_you_mean(paper, PAPERS)))
    from discreet.studies.claims import to_json, to_text
    from discreet.studies.page import to_html
    from discreet.studies.papers import study as study_of
    from discreet.studies.study import reproduce as run

    study = study_of(paper)
    folder = data
    named = os.environ.get("DISCREET_DATA")
    if folder is None and named and study.source.is_in(Path(named)):
        folder = Path(named)
    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        reproduction = run(study, folder, rows, progress)
    words, answer = to_text(reproduction), to_json(reproduction)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        page = output / f"{paper}.html"
        page.write_text(to_html(reproduction), encoding="utf-8")
        (output / f"{paper}.json").write_text(
            json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8"
        )
        words += f"\n\nPage: {page}"
    screen.say(answer, words)


def harm(
    prior: Annotated[str, typer.Option(help="Share of all people who have the condition: 0.07.")],
    misuse: Annotated[str, typer.Option(help="What misuse of a raised belief may cost.")],
    cost: Annotated[str, typer.Option(help="What the condition costs, in the same unit.")],
    population: Annotated[int, typer.Option(help="How many people there are, those in the table included.")],
    table: Annotated[int, typer.Option(help="How many of them are in the table.")],
    misuse_below: Annotated[
        str | None, typer.Option(help="What misuse of a lowered belief may cost (default: the same).")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose δ of the promise presence from the harm: how sure others may become that somebody is in the table."""
    from discreet.models.presence.harm import harm as reckon
    from discreet.report.pages.harm import to_json, to_text

    try:
        found = reckon(prior, population, table, misuse, cost, misuse_below)
    except DiscreetError as error:
        options = {m: m.place.replace("harm.", "--").replace("_", "-") for m in error.mistakes}
        raise DiscreetError(*(Mistake(place, m.rule, m.repair) for m, place in options.items())) from None
    Screen(as_json, quiet).say(to_json(found), to_text(found))
