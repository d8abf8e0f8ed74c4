"""What a database keeps about a policy's table, and what it should keep so that a summary needs no scan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.screen import Screen

if TYPE_CHECKING:
    from discreet.summaries.advice import Advice

_SHOWN = 12  # pairs and suggestions, for people


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(stats)


def stats(
    policy: Annotated[Path, typer.Argument(help="A policy (YAML) whose source is a table of PostgreSQL.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """What the database knows of a table for summary: statistics, and statements that would help. Changes nothing."""
    from discreet.policy.policy import read_policy
    from discreet.run.from_summary import advice

    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        progress("read", 0, 0, "")
        found = advice(read_policy(policy))
    screen.say(found.to_json(), to_text(found))


def to_text(advice: Advice) -> str:
    """The same for people."""
    s = advice.statistics
    when = s.analyzed.partition(".")[0] or "never"
    lines = [
        f"{s.table}: about {s.rows:,} rows on {s.pages:,} pages; analyzed: {when}; rows changed since: {s.changed:,}"
        if not s.sampled
        else f"{s.table}: nothing is kept about it; {s.seen:,} rows were drawn just now",
        "",
        "Columns: common values that are kept, the share of the rows that have one, other values",
    ]
    width = max(len(c.column) for c in advice.columns)
    lines += [f"  {c.column:<{width}}  {c.common:>7,}  {c.covered:>7.2%}  {c.others:>9,}" for c in advice.columns]
    known = sorted((p for p in advice.pairs if p.covered is not None or p.used), key=lambda p: -p.information)
    listed = sum(p.covered is not None for p in known)
    lines += [
        "",
        f"Pairs of columns: {listed} of {len(advice.pairs)} have a list of common combinations",
        "  the share of the rows that it covers, what one column tells of the other (nats)",
    ]
    for p in known[:_SHOWN]:
        covered = "   none" if p.covered is None else f"{p.covered:>7.2%}"
        used = "  in the network" if p.used else ""
        lines.append(f"  {', '.join(p.columns):<{2 * width + 2}}  {covered}  {p.information:.3f}{used}")
    lines += [f"  … and {len(known) - _SHOWN} more (--json)"] if len(known) > _SHOWN else []
    if advice.hidden:
        lines.append(f"  lists that only the table's owner may read, after an ANALYZE: {', '.join(advice.hidden)}")
    if not advice.suggestions:
        return "\n".join([*lines, "", "Nothing more would help."])
    lines += ["", "What would help, the most useful first; nothing was changed:"]
    for x in advice.suggestions:
        lines += [f"  {statement}" for statement in x.statements[:-1]]
        lines.append(
            f"    -- {x.why}; the next ANALYZE samples {x.rows_sampled:,} rows from {x.pages_read:,} pages and takes "
            f"about {x.seconds:g} s for this; {x.bytes:,} bytes in the catalog"
        )
    lines.append(f"  {advice.suggestions[0].statements[-1]}")
    return "\n".join(lines)
