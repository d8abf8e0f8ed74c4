"""`init`: proposes a policy, and asks the one thing that no table tells: whether every row is another person's."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from discreet.cli.screen import Screen, a_path, write_page
from discreet.errors import DiscreetError, Mistake, did_you_mean, shown

if TYPE_CHECKING:
    from discreet.policy.owner import Owner

_QUESTION = "Is every row another person? [y/n/not sure] "
_WHICH = "Which column says whose row it is? [its name; nothing if none does] "


def init(
    data: Annotated[str, typer.Argument(help="A CSV or Parquet file, postgresql://…#table or spark:table.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=a_path, help="Write the policy there.")
    ] = None,
    person: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column that says whose row it is (role person).")
    ] = None,
    one_row_per_person: Annotated[
        bool, typer.Option("--one-row-per-person", help="You know that every row is another person's.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Propose a policy for a table: roles, hierarchies and promises, each with the reason. Read it and edit it.

    On a terminal it asks whether every row is another person, if the table does not tell.
    """
    from discreet.addresses import is_address
    from discreet.labels.whose import Whose
    from discreet.policy.draft import propose
    from discreet.policy.found_reading import open_as_found
    from discreet.policy.owner import find_owner
    from discreet.policy.proposals import proposals_of

    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        progress("read", 0, 0, "")
        engine, profiles, found = open_as_found(data)
        proposals = proposals_of(profiles)
        owner = find_owner(proposals, engine.ownership, person=person, one_row_per_person=one_row_per_person)
    if output is not None and output.exists() and not force:
        raise DiscreetError(Mistake(str(output), "already exists", "choose another file, or say --force"))
    if owner.whose is Whose.UNSAID and not (as_json or quiet) and sys.stdin.isatty() and sys.stdout.isatty():
        owner = asked(owner, engine.columns, sys.stdin, sys.stderr)
        if owner.column is not None:
            owner = find_owner(proposals, engine.ownership, person=owner.column)
    # In a policy, paths start at the policy's own folder.
    source = data if output is None or is_address(data) else os.path.relpath(data, output.parent)
    text = propose(proposals, source, owner, found)
    answer = {
        "policy": text,
        "person": owner.column,
        "one_row_per_person": owner.one_row_each,
        "people": owner.number,
    }
    if output is None:
        screen.say(answer, text.rstrip())
        return
    write_page(output, text)
    screen.say(
        answer | {"file": str(output)},
        f"Wrote {output}: read it, edit it, then\n  discreet anonymize {output} -o release\n{_in_words(owner)}",
    )


def asked(owner: Owner, columns: Sequence[str], answers: TextIO, questions: TextIO) -> Owner:
    """What somebody at the terminal says of whose rows they are; unsaid, where there is no answer."""
    answer = _answer(_QUESTION, answers, questions).casefold()
    if answer in ("y", "yes"):
        return replace(owner, one_row_each=True)
    if answer not in ("n", "no"):
        return owner
    while column := _answer(_WHICH, answers, questions):
        if column in columns:
            return replace(owner, column=column)
        questions.write(f"There is no column {shown(column)}; {did_you_mean(column, columns)}\n")
    return replace(owner, several=True)


def _answer(question: str, answers: TextIO, questions: TextIO) -> str:
    questions.write(question)
    questions.flush()
    return answers.readline().strip()


def _in_words(owner: Owner) -> str:
    """What the policy says of whose rows they are."""
    if owner.one_row_each:
        return "Every row is another person, you say: what holds of rows holds of people."
    if owner.column is None:
        return "Whose rows they are is not said: the promises are about rows until it is. The policy has the words."
    unsure = " Decide whether it does: the policy has the question." if owner.decide else ""
    return f"{shown(owner.column)} says whose row it is, of {owner.number:,} people.{unsure}"
