"""Tables through pipes: `--source -` reads one from standard input, `--table -` writes the published one to output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.screen import whoever_listens
from discreet.errors import DiscreetError, Mistake, shown

if TYPE_CHECKING:
    from discreet.policy.policy import Policy
    from discreet.run.release import Release

PIPE = "-"
_INPUT = "standard input"  # what messages call the file that it becomes


def check_table(table: str | None, output: Path | None, as_json: bool, only_folder: dict[str, object]) -> None:
    """Where the answer goes, before anything is read. `only_folder` are options that are about a folder."""
    mistakes = []
    if table is None and output is None:
        rule = "nothing says where the release goes"
        mistakes.append(Mistake("--output", rule, "name its folder: -o release; or write the table on: --table -"))
    if table not in (None, PIPE):
        rule = f"writes to standard output alone, got {shown(table)}"
        mistakes.append(Mistake("--table", rule, "say --table - > FILE; for a whole release, -o FOLDER"))
    if table is not None and as_json:
        rule = "standard output has room for the table, or for one JSON object"
        mistakes.append(Mistake("--json", rule, "leave it out, or leave --table out"))
    if output is None and table is not None:
        mistakes += [
            Mistake(option, "is about the folder of a release", "say -o FOLDER, or leave it out")
            for option, given in only_folder.items()
            if given
        ]
    if mistakes:
        raise DiscreetError(*mistakes)


def to_be_piped(policy: Policy, source: Any, kept: bool) -> Policy:
    """The policy, if its release is one file that can be written on; `kept`, if it also gets a folder.

    A table in a database is published as a file, where nothing says otherwise.
    """
    from discreet.policy.kinds import PUBLICATIONS

    where = str(policy.location if source is None else source)
    mistakes = []
    if PUBLICATIONS[policy.publish].several:
        rule = f"{policy.publish} publishes several tables"
        mistakes.append(Mistake("--table", rule, "say -o FOLDER, or publish coarser values"))
    if where.startswith("spark:"):
        rule = "Spark writes a folder of Parquet files, not one table"
        mistakes.append(Mistake("--table", rule, "say -o FOLDER"))
    if policy.format == "table" or (kept and policy.format is None and where.startswith("postgres")):
        rule = "the release is written into a database"
        mistakes.append(Mistake("--table", rule, "write format: csv or parquet in the policy, or leave --table out"))
    if policy.format == "parquet" and sys.stdout.isatty():
        rule = "a Parquet file can't be shown on a terminal"
        mistakes.append(Mistake("--table", rule, "write it on: --table - > data.parquet; or use format: csv"))
    if mistakes:
        raise DiscreetError(*mistakes)
    return replace(policy, format="csv") if policy.format is None and where.startswith("postgres") else policy


def write_on(release: Release) -> None:
    """The published table to standard output, byte by byte as it was judged."""
    with (release.folder / str(release.manifest["table"])).open("rb") as table, whoever_listens():
        shutil.copyfileobj(table, sys.stdout.buffer, 1 << 20)


@contextmanager
def piped_in(source: str | None) -> Iterator[Any]:
    """The source as it is given; standard input as a file that nobody else can read, for as long as it takes."""
    if source != PIPE:
        yield source
        return
    from discreet.files.temporary import temporary_folder

    if sys.stdin.isatty():
        raise DiscreetError(Mistake("--source", f"{_INPUT} is a terminal", "pipe a table into it, or name a file"))
    with temporary_folder() as folder:
        head = sys.stdin.buffer.read(4)
        file = folder / f"table{_suffix(head)}"
        with file.open("xb") as spooled:
            spooled.write(head)
            shutil.copyfileobj(sys.stdin.buffer, spooled, 1 << 20)
        try:
            yield file
        except DiscreetError as error:
            error.mistakes = tuple(_called(mistake, file) for mistake in error.mistakes)
            raise


def _suffix(head: bytes) -> str:
    """What a file is by its first bytes.

    >>> _suffix(b"PAR1"), _suffix(b"\\x1f\\x8b\\x08\\x00"), _suffix(b"age,")
    ('.parquet', '.csv.gz', '.csv')
    """
    if head == b"PAR1":
        return ".parquet"
    return ".csv.gz" if head.startswith(b"\x1f\x8b") else ".csv"


def _called(mistake: Mistake, file: Path) -> Mistake:
    parts = (mistake.place, mistake.rule, mistake.repair)
    return Mistake(*(part.replace(str(file), _INPUT).replace(file.name, _INPUT) for part in parts))
