"""`init`: proposes a policy, and asks what no table tells: whether every row is another person's."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.screen import Screen, a_path, write_page
from discreet.errors import DiscreetError, Mistake, shown

if TYPE_CHECKING:
    from discreet.policy.proposing.owner import Owner
    from discreet.policy.proposing.proposed import Proposed

_NAMED = 6  # open decisions that are told by name


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
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN=ROLE", help="The role of all columns whose whole name matches: 'q[0-9]+=sensitive'."
        ),
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask about every open decision, what matters most first.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Propose a policy for a table: roles, hierarchies and promises, each with the reason. Read it and edit it.

    On a terminal it asks whether every row is another person, if the table does not tell.
    """
    from discreet.addresses import is_address
    from discreet.labels.whose import Whose
    from discreet.policy.proposing.owner import find_owner
    from discreet.policy.proposing.proposed import proposed_for
    from discreet.policy.proposing.said_roles import said_roles

    screen = Screen(as_json, quiet)
    roles = said_roles(role or [])
    if output is not None and output.exists() and not force:
        raise DiscreetError(Mistake(str(output), "already exists", "choose another file, or say --force"))
    with screen.progress() as progress:
        progress("read", 0, 0, "")
        seen, engine = proposed_for(data, roles=roles, person=person, one_row_per_person=one_row_per_person)
    at_terminal = not (as_json or quiet) and sys.stdin.isatty() and sys.stdout.isatty()
    if ask and seen.owner.decide:
        from discreet.cli.asking import whether

        seen = replace(seen, owner=whether(seen.owner, sys.stdin, sys.stderr))
    if seen.owner.whose is Whose.UNSAID and (ask or at_terminal):
        from discreet.cli.asking import asked

        owner = asked(seen.owner, engine.columns, sys.stdin, sys.stderr)
        if owner.column is not None:
            owner = find_owner(seen.proposals, engine.ownership, person=owner.column)
        seen = replace(seen, owner=owner)
    if ask:
        from discreet.cli.asking import decided

        seen = decided(seen, sys.stdin, sys.stderr)
    # In a policy, paths start at the policy's own folder.
    source = data if output is None or is_address(data) else os.path.relpath(data, output.parent)
    text, owner = seen.text(source), seen.owner
    answer = {
        "policy": text,
        "decisions": [
            {"column": p.name, "like_it": list(p.block[1:]), "role": p.role.value, "why": p.why, "question": p.question}
            for p in seen.decisions
        ],
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
        f"Wrote {output}: read it, edit it, then\n  discreet anonymize {output} -o release\n"
        f"{_to_decide(seen)}{_in_words(owner)}",
    )


def _to_decide(seen: Proposed) -> str:
    """Which decisions are open, what matters most first."""
    published = {p.name for p in seen.proposals if p.role != "identifier"}
    names = [p.name for p in seen.decisions]
    names = [shown(name) for name in dict.fromkeys([*names, *(c for c in seen.found.questions if c in published)])]
    if not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"To decide first: {', '.join(names[:_NAMED])}{more}. (--ask asks; --role answers many at once.)\n"


def _in_words(owner: Owner) -> str:
    """What the policy says of whose rows they are."""
    if owner.one_row_each:
        return "Every row is another person, you say: what holds of rows holds of people."
    if owner.column is None:
        return "Whose rows they are is not said: the promises are about rows until it is. The policy has the words."
    unsure = " Decide whether it does: the policy has the question." if owner.decide else ""
    return f"{shown(owner.column)} says whose row it is, of {owner.number:,} people.{unsure}"
