"""The commands. Each says what it does in `--help`, imports what it needs when it runs, and decides nothing itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from discreet.cli import auditing, exploring, stats, studies, sweeping
from discreet.cli.faults import told
from discreet.cli.hierarchies import hierarchy
from discreet.cli.parameters import take_as_they_are
from discreet.cli.proposing import init
from discreet.cli.screen import EXIT, Screen, a_path, one_line
from discreet.errors import DiscreetError, Mistake, told_mistakes

if TYPE_CHECKING:
    from discreet.run.release import Release

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Typer keeps its own copy of Click's errors, in a place that changes.
_WRONG_USE: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Database = Annotated[
    str | None,
    typer.Option(help="Where its tables are, if in a database that the environment does not name: postgresql://…"),
]
Private = Annotated[
    Path | None,
    typer.Option(
        callback=a_path,
        help="The folder for what is not to be published: the board's report, figures. Else OUTPUT.private.",
    ),
]
Sign = Annotated[
    Path | None, typer.Option(help="Sign the manifest with this Ed25519 private key (PEM); see docs/commands.md.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace an older release at the same place.")]


def _tell_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        sys.stdout.write(f"discreet {version('discreet')}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Publish tables about people without giving the people away."""


@app.command()
def sample(
    directory: Annotated[Path, typer.Option(help="Where to write it.")] = Path("sample"),
    rows: Annotated[
        int, typer.Option(min=1, max=100_000_000, help="How many patients, and about how many visits.")
    ] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 7,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files of an earlier sample.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write invented tables with policies, to try out: a hospital's patients, and patients with several visits."""
    from discreet.samples.hospital import write_sample

    if (directory / "policy.yaml").exists() and not force:
        raise DiscreetError(
            Mistake(str(directory), "has a sample already", "choose another --directory, or say --force")
        )
    written = write_sample(directory, rows=rows, seed=seed)
    screen = Screen(as_json, quiet)
    files = [str(p) for p in written]
    screen.say(
        {"files": files},
        f"Wrote {', '.join(files)}\nNext: discreet anonymize {directory / 'policy.yaml'} -o release\n"
        f"Patients with several rows: discreet anonymize {directory / 'visits.yaml'} -o visits",
    )


app.command()(init)
app.command()(hierarchy)


@app.command()
def anonymize(
    policy: Annotated[Path, typer.Argument(help="The policy (YAML).")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=a_path, help="The folder of the release; must not exist yet."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="-", help="Write the published table to standard output, when all of it is judged."),
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="DATA", help="Instead of the policy's table; - reads it from standard input.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="optimal, mondrian, art, …: instead of the policy's.")] = None,
    seed: Annotated[int | None, typer.Option(help="Make the random row order repeatable.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(min=0.0, help="Seconds for the search; the best release found by then.")
    ] = None,
    as_proposed: Annotated[
        bool, typer.Option("--as-proposed", help="Publish though decisions are open: columns as the policy has them.")
    ] = False,
    private: Private = None,
    sign: Sign = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Publish a table: search, write, read back, check. Exit 0: promise kept; 1: no such release; 2: wrong use."""
    from dataclasses import replace

    from discreet.cli.piping import check_table, piped_in, to_be_piped, write_on
    from discreet.policy.policy import read_policy

    screen = Screen(as_json, quiet, to_error=table is not None)
    check_table(table, output, as_json, {"--private": private, "--sign": sign, "--force": force})
    read = read_policy(policy)
    given: dict[str, Any] = {"search": search, "seed": seed, "time_limit": time_limit}
    read = replace(read, **{k: v for k, v in given.items() if v is not None})
    if table is not None:
        read = to_be_piped(read, source, kept=output is not None)
    from discreet.python.publishing import anonymize as run
    from discreet.report.text import to_text

    into: dict[str, Any] = {"folder": output, "private": private, "replace": force, "sign": sign}
    into["as_proposed"] = as_proposed
    with piped_in(source) as data, screen.progress() as progress:
        release = run(policy=read, source=data, progress=progress, **into)
    with release:
        where = _where(release) if output is not None else ""
        screen.say(release.to_json(), to_text(release.report) + where)
        if table is not None:
            write_on(release)


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    source: Annotated[
        str | None, typer.Option(help="The original table, or the policy that names it: is the release made from it?")
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="Everybody who could be in it, for promises about who is (presence).")
    ] = None,
    database: Database = None,
    key: Annotated[Path | None, typer.Option(help="The public key (PEM) that it must be signed by.")] = None,
    earlier: Annotated[
        list[Path] | None, typer.Option(help="An earlier release of its chain; all of them, oldest first.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Re-check every promise of a release from what is published alone.

    Exit 0: all are kept; 1: one is broken, or the release is not what was written; 3: nothing is broken, but a promise
    could not be judged, and the answer says what it would take; 2: wrong use, or its tables could not be looked at.
    """
    from discreet.run.verify import verify as run
    from discreet.run.verify import warnings

    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        progress("verify", 0, 0, "")
        findings = run(release, source, population, database, key, earlier or ())
        open_risks = warnings(release, findings)
    from discreet.report.findings import to_json, to_text

    screen.say(to_json(str(release), findings, open_risks), to_text(findings, open_risks))
    raise typer.Exit(EXIT[findings.kept])


@app.command()
def summarize(
    policy: Annotated[Path, typer.Argument(help="The policy (YAML).")],
    output: Annotated[
        Path, typer.Option("--output", "-o", callback=a_path, help="The file of the summary; as private as the table.")
    ],
    kind: Annotated[str, typer.Option(help="network, histogram, sample or exact.")] = "network",
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Summarize a policy's table in one scan, so that search: instant can serve many policies without another."""
    from dataclasses import replace

    from discreet.policy.policy import read_policy

    screen = Screen(as_json, quiet)
    read = replace(read_policy(policy), search="instant", summary=kind)
    if output.exists() and not force:
        raise DiscreetError(Mistake(str(output), "already exists", "choose another file, or say --force"))
    from discreet.run.from_summary import save_summary

    with screen.progress() as progress:
        progress("read", 0, 0, "")
        made = save_summary(read, output)
    screen.say(
        {"file": str(output), "kind": kind, "rows": made.rows},
        f"Wrote {output}: a {kind} of {made.rows:,} rows. In the policy:\n  search: instant\n  summary: {output}",
    )


@app.command()
def apply(
    releases: Annotated[
        list[Path],
        typer.Argument(metavar="RELEASE...", help="The folder of the earlier release; of a chain all, oldest first."),
    ],
    data: Annotated[str, typer.Argument(help="New rows, with the same columns.")],
    output: Annotated[Path, typer.Option("--output", "-o", callback=a_path, help="The folder of the new release.")],
    seed: Annotated[int | None, typer.Option(help="Make the random row order repeatable.")] = None,
    database: Database = None,
    private: Private = None,
    sign: Sign = None,
    key: Annotated[Path | None, typer.Option(help="The public key that the earlier release must be signed by.")] = None,
    all_new: Annotated[
        bool,
        typer.Option("--all-new", help="You know that nobody in these rows is in the earlier release; it will say so."),
    ] = False,
    earlier_source: Annotated[
        str | None,
        typer.Option(help="The table of the earlier release, where a column says whose rows they are: who is in both?"),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="The ledger of the chain, if it is not in the private folder beside the latest release."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Publish new rows as an earlier release was published, if the promises hold for them and for who came and left."""
    from discreet.report.text import to_text
    from discreet.run.apply import apply as run

    screen = Screen(as_json, quiet)
    with screen.progress() as progress:
        made = run(
            releases,
            data,
            output,
            seed=seed,
            private=private,
            replace=force,
            database=database,
            sign=sign,
            key=key,
            all_new=all_new,
            earlier_source=earlier_source,
            ledger=ledger,
            progress=progress,
        )
    screen.say(made.to_json(), to_text(made.report) + _where(made))


def _where(release: Release) -> str:
    """What may be published, and what may not."""
    return (
        f"\n\nTo publish: {release.folder} (its page: {release.folder / 'report.html'})"
        f"\nFor you and your board, not for publication: {release.private / 'report.html'}"
    )


auditing.register(app)
studies.register(app)
sweeping.register(app)
stats.register(app)
exploring.register(app)


def run(stopped: Callable[[], bool] = lambda: False) -> None:
    """The command: errors become messages and exit codes, never tracebacks.

    What fails because somebody `stopped` us is no error, and the caller knows the exit code.
    """
    wants_json = "--json" in sys.argv
    try:
        take_as_they_are()
        # Not app(): that has a hook of its own for errors, and quotes what was typed, passwords and all.
        code = get_command(app)(standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except _WRONG_USE as error:
        code = _wrong_use(error, wants_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it closes it
        code = 0
    except Exception as error:  # noqa: BLE001 - there is nobody above to handle it
        code = 130 if stopped() else report_error(told(error), wants_json)
    sys.exit(code)


def _wrong_use(error: Any, wants_json: bool) -> int:
    """What Click says of it, without passwords and in short: for people with the usage, for scripts as one object."""
    said = Mistake("command line", error.format_message())
    if wants_json:
        return report_error(DiscreetError(said), wants_json)
    error.format_message = lambda: said.rule
    error.show()
    return 2


def report_error(error: DiscreetError, wants_json: bool) -> int:
    """Every mistake on a line of its own, or as one JSON object; and the exit code."""
    if wants_json:
        mistakes: list[dict[str, Any]] = [
            {"place": m.place, "rule": m.rule, "repair": m.repair} for m in told_mistakes(error.mistakes)
        ]
        sys.stdout.write(one_line({"error": type(error).__name__, "mistakes": mistakes}) + "\n")
        return error.exit_code
    for mistake in told_mistakes(error.mistakes):
        sys.stderr.write(f"discreet: {mistake}\n")
    return error.exit_code
