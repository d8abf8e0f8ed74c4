"""Where the tables of a release are: files of its folder, or a schema of a database."""

from __future__ import annotations

from pathlib import Path

from discreet.engines.base import PublishedTables
from discreet.engines.files import PublishedFiles
from discreet.errors import DataError, Mistake
from discreet.releases.published import AGAIN, Manifest

POSTGRESQL = "postgresql"


def tables_of(folder: Path, manifest: Manifest, database: str | None = None) -> PublishedTables:
    """The tables of a finished release; `database` says where they are, if it is not the environment that does."""
    about = manifest.get("database")
    if about is None:
        return PublishedFiles(folder)
    if not isinstance(about, dict) or about.get("engine") != POSTGRESQL or not isinstance(about.get("schema"), str):
        raise DataError(Mistake("manifest.json", "names a database that nobody knows", AGAIN))
    from discreet.engines.postgresql import read_schema  # late: most releases are files

    return read_schema(database or f"{POSTGRESQL}://", about["schema"])
