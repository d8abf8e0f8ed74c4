"""`explore`: a page on this machine to choose a release by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.faults import told
from discreet.cli.screen import Screen


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command()(explore)


def explore(
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE | POLICY]",
            help="A table (a file, postgresql://…#table, spark:table) or a policy (YAML). Else an invented table.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0: any free port.")] = 0,
    into: Annotated[
        Path | None, typer.Option(help="The folder below which releases are written. Else the one you are in.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only show the address.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the address as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors; opens the browser.")] = False,
) -> None:
    """Choose a release by looking: a page of its own, on this machine alone. Ctrl-C ends it.

    Nothing but counts reaches the browser. What is published there is what `anonymize` publishes.
    """
    from discreet.explorer.places import checked_root
    from discreet.explorer.serving import check_installed, own_port, serve
    from discreet.explorer.starting import start
    from discreet.files.temporary import temporary_folder

    check_installed()
    root = None if into is None else checked_root(into)
    screen = Screen(as_json, quiet)
    listener = own_port(port)

    def ready(address: str) -> None:
        screen.say({"address": address}, f"The explorer: {address}\nOnly you can open it. Ctrl-C ends it.")
        if not no_browser:
            _open(address)

    with temporary_folder() as folder:
        with screen.progress() as progress:
            progress("read", 0, 0, "")
            begun = start(_invented(folder) if table is None else table)
        serve(begun, listener, told, ready, root)


def _invented(folder: Path) -> str:
    """A table to try things out with, which is gone afterwards."""
    from discreet.samples.hospital import write_sample

    write_sample(folder, rows=2000, seed=7)
    return str(folder / "patients.csv")


def _open(address: str) -> None:
    """In the browser, as soon as the server listens; some browsers keep us waiting for their end."""
    import webbrowser
    from threading import Thread

    Thread(target=webbrowser.open, args=[address], daemon=True).start()
