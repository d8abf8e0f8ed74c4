"""A finished release in Python: its tables as frames, its report, and how it is put where it is to stay."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from discreet.engines.duckdb.formulas import are_escaped
from discreet.engines.duckdb.publishing import PublishedFiles, about_file
from discreet.engines.frames import ARROW_FRAME, FrameKind
from discreet.errors import DiscreetError, Mistake, ReleaseError, shown
from discreet.files.held import HeldFolder
from discreet.labels.notebook import in_frame
from discreet.policy.kinds import PUBLICATIONS
from discreet.policy.words import Role
from discreet.publications.published import AGAIN, Manifest
from discreet.releases.contents import REPORT, tables_of
from discreet.releases.figures import private_folder
from discreet.releases.folder import check_target, whole_folder
from discreet.releases.signature import read_signer
from discreet.report.data import ReportData


@dataclass(frozen=True, repr=False)
class Release:
    """A finished release, every promise proven: its tables, its manifest, the report's data.

    `frame` is the published table, as the kind of frame that came in; `frames` are all of them, if there are several.
    In a notebook a release shows the page that is published with it, `release.report` the one for you and your board.
    Without a `folder` of yours it lives in a private folder of ours, and goes with this object: `save` keeps it.

    >>> import discreet
    >>> release = discreet.anonymize(
    ...     {"age": [23, 27, 31, 38], "disease": ["flu", "cold", "flu", "asthma"]},
    ...     attributes={"age": {"role": "quasi_identifier", "hierarchy": {"intervals": [10, 20]}},
    ...                 "disease": {"role": "sensitive"}},
    ...     require=[{"k_anonymity": {"k": 2}}])
    >>> sorted(release.frame["age"]), release.kept
    (['20-29', '20-29', '30-39', '30-39'], True)
    >>> release.close()
    """

    folder: Path
    manifest: Manifest
    private: Path  # the custodian's folder beside it
    figures: Manifest  # about the source: not for publication
    report: ReportData
    types: Mapping[str, str] = field(default_factory=dict)  # of the source's columns, that values have again
    kind: FrameKind = ARROW_FRAME
    inputs: tuple[Path, ...] = ()  # what was read: nothing of it is ever replaced
    held: HeldFolder | None = field(default=None, compare=False)  # where it lives, if nobody named a folder

    @property
    def kept(self) -> bool | None:
        """Are all promises kept? (Of what is broken there is no release.)"""
        return self.report.kept

    @property
    def frame(self) -> Any:
        """The published table, as the kind of frame that came in: pandas, polars, Arrow, or a mapping of columns.

        Exact columns have the types that came in, coarser values are texts; rows are in random order.
        """
        if len(self.frames) > 1:
            names = ", ".join(map(shown, self.frames))
            rule = f"this release has {len(self.frames)} tables, {names}"
            raise DiscreetError(Mistake("release.frame", rule, f"write release.frames[{next(iter(self.frames))!r}]"))
        return next(iter(self.frames.values()))

    @cached_property
    def frames(self) -> dict[str, Any]:
        """All published tables by their names: one, unless exact values are published in tables apart."""
        self._check_there()
        self._check_files("release.frame", "read them there")
        from discreet.engines.duckdb.reading import whole_table

        exact = _exact_columns(self.manifest)
        numbers: dict[str | None, str] = {
            self.manifest.get(word): "BIGINT" for word in ("group_column", "count_column")
        }
        typed = {c: kind for c, kind in [*self.types.items(), *numbers.items()] if c in exact or (c and c in numbers)}
        tables = PublishedFiles(self.folder, escape=are_escaped(self.manifest.get("csv")))
        frames = {}
        for name in tables_of(self.manifest):
            _check_same(self.folder / name, self.manifest)
            engine = tables.open(name, _columns(self.manifest, name))
            frames[Path(name).stem] = self.kind.made(whole_table(engine, engine.columns, typed), exact)
        return frames

    def save(
        self,
        folder: Path | str,
        *,
        private: Path | str | None = None,
        replace: bool = False,
        sign: Path | str | None = None,
    ) -> Release:
        """Put the release into a folder, as if it had been made there, and return it as it is there.

        What is not to be published goes to `private`; if nothing is said, ``<folder>.private``. With `replace`, an
        older release there is replaced. `sign` is the file of an Ed25519 private key, to sign the manifest with.
        """
        self._check_there()
        self._check_files("release.save", "publish it with format: csv or format: parquet")
        target = Path(folder)
        kept = private_folder(target) if private is None else Path(private)
        check_target(target, private=kept, replace=replace, inputs=self.inputs)
        signer = None if sign is None else read_signer(sign)
        with whole_folder(target, private=kept, replace=replace, inputs=self.inputs) as work:
            assert work.private is not None
            for place, into in ((self.folder, work.public), (self.private, work.private)):
                shutil.copytree(place, into, dirs_exist_ok=True)
                into.chmod(0o700)  # until it is whole
            for name in tables_of(self.manifest):
                _check_same(work.public / name, self.manifest)
            if signer is not None:
                signer.sign(work.public)
        return self._at(target, kept)

    def _at(self, folder: Path, private: Path) -> Release:
        return replace(self, folder=folder, private=private, held=None)

    def close(self) -> None:
        """Remove what was not saved, now and not when this object goes. Frames that were taken stay."""
        if self.held is not None:
            self.held.close()

    def __fspath__(self) -> str:
        """Where it is, so that it can stand wherever a folder can."""
        self._check_there()
        return str(self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_json(self) -> dict[str, Any]:
        """One object for the custodian's scripts. A release that was not saved has no folder."""
        m, about = self.manifest, self.figures
        return {
            "release": str(self.folder) if self.held is None else None,
            "private": str(self.private) if self.held is None else None,
            "publish": m["publish"],
            "search": m["search"],
            "node": about["node"],
            "groups": m["groups"],
            "smallest_group": m["smallest_group"],
            "rows": m["rows"]["source"],
            "published": m["rows"]["published"],
            "suppressed": m["rows"]["suppressed"],
            "people": about["people"],
            "loss": about["loss"],
            "loss_geometric": about["loss_geometric"],
            "losses": about["losses"],
            "query_errors": [] if self.report.answers is None else [asdict(a) for a in self.report.answers.lines],
            "scans": about["scans"],
            "seconds": about["seconds"],
            "facts": about["facts"],
            "verdicts": [
                {
                    "model": p["promise"],
                    "holds": p["holds"],
                    "level": p["level"],
                    "required": p["required"],
                    "witness": {"group_size": p["deciding_group"]},
                }
                for p in about["promises"]
            ],
            "notes": [*m["notes"], *about["notes"]],
            "reading": about["reading"],
            "kept": self.report.kept,
            "warnings": [one.to_json() for one in self.report.warnings],
        }

    def __repr__(self) -> str:
        from discreet.report.text import to_text

        where = "not saved: release.save(folder)" if self.held is not None else f"in {self.folder}"
        return f"{to_text(self.report)}\n  {where}"

    def _repr_html_(self) -> str:
        """The page that is published with it."""
        self._check_there()
        return in_frame((self.folder / REPORT).read_text(encoding="utf-8"))

    def _check_there(self) -> None:
        if self.held is not None and self.held.closed:
            rule = "was closed, and had not been saved"
            raise DiscreetError(Mistake("release", rule, "save it before it is closed, or make it again"))

    def _check_files(self, place: str, repair: str) -> None:
        if "database" in self.manifest:
            raise DiscreetError(Mistake(place, "its tables are in a database", repair))


def _exact_columns(manifest: Manifest) -> list[str]:
    """Columns whose published values are those of the source, unless a row of them is ``*``."""
    exact, levels = PUBLICATIONS[manifest["publish"]].exact, manifest["node"] or {}
    roles, attributes = manifest["roles"], manifest["policy"]["attributes"]
    return [
        column
        for column in manifest["columns"]
        if (exact or roles[column] in (Role.SENSITIVE, Role.OTHER) or levels.get(column) == 0)
        and "publish_as" not in attributes.get(column, {})
    ]


def _columns(manifest: Manifest, table: str) -> list[str]:
    """Columns that a table has: they tell a header from a row."""
    return list(manifest["tables"][table] if "tables" in manifest else manifest["columns"])


def _check_same(file: Path, manifest: Manifest) -> None:
    """Is it the file that was judged?"""
    if not file.exists() or any(manifest["files"][file.name].get(k) != v for k, v in about_file(file).items()):
        raise ReleaseError(Mistake(str(file), "is not the file that was checked", AGAIN))
