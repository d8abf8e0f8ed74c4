"""A second opinion on a whole release: its promises from its tables, and its report from both.

Everything that lies in the folder will be read by adversaries, the report, too. It may say no more than the tables and
the manifest do, so it is written again from these, and must be the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError, Mistake, Unavailable
from discreet.files.small_files import read_small
from discreet.publications.published import AGAIN
from discreet.releases.contents import MAPPING, REPORT, read_manifest, read_mapping
from discreet.releases.manifest import versions
from discreet.releases.signature import check_signature
from discreet.releases.verify import Findings
from discreet.releases.verify import verify as verify_promises

if TYPE_CHECKING:
    from discreet.report.exposures import Exposure
    from discreet.report.release import ReleaseData

LARGEST_REPORT = 20_000_000  # bytes
_MORE = Mistake(REPORT, "is not the report of these tables and this manifest, and may tell more than they do", AGAIN)


def verify(
    folder: Path | str,
    source: Any = None,
    population: Any = None,
    database: str | None = None,
    key: Path | str | None = None,
    earlier: Sequence[Path | str] = (),
) -> Findings:
    """Re-check every promise of the release in `folder`, and that its report says no more than the release.

    `source` is the original table (a path or a frame), needed for promises about what an adversary knows of it. With
    it, the release is also compared with the table: is there a row of it for everything that is published? `population`
    is everybody who could be in the table, for promises about who is. `database` says where the tables are (a URL
    without credentials), if they are in one that the environment does not name. `key` is the file of a public key that
    the manifest must be signed by. `earlier` are the other releases of a chain, oldest first.
    """
    signature, unsigned = check_signature(Path(folder), key)
    findings = _verify(folder, source, population, database, [Path(one) for one in earlier])
    return replace(findings, signature=signature, mistakes=(*unsigned, *findings.mistakes))


def _verify(
    folder: Path | str, source: Any, population: Any, database: str | None, earlier: Sequence[Path]
) -> Findings:
    findings = verify_promises(folder, source, population, database, earlier)
    if findings.published is None or findings.mistakes:
        return findings  # what is told of the rest makes no difference
    manifest = read_manifest(Path(folder))
    if REPORT not in manifest["files"]:
        return findings
    if manifest["discreet"] != versions()["discreet"]:
        unread = f"{REPORT} was written by discreet {manifest['discreet']}, and is not compared with the release"
        return replace(findings, unread=(*findings.unread, unread))
    return (
        findings
        if _is_told(Path(folder), manifest, findings)
        else replace(findings, mistakes=(*findings.mistakes, _MORE))
    )


def warnings(folder: Path | str, findings: Findings) -> tuple[Exposure, ...]:
    """What a release leaves open whose promises are kept, or not judged: what its page has on the first screen."""
    if findings.kept is False or findings.published is None:
        return ()
    data = _release_data(Path(folder), read_manifest(Path(folder)), findings)
    return () if data is None else data.warnings


def _is_told(folder: Path, manifest: dict[str, Any], findings: Findings) -> bool:
    """Is the report what it has to be?"""
    from discreet.report.html import release_page

    data = _release_data(folder, manifest, findings)
    return data is not None and release_page(data) == read_small(folder / REPORT, REPORT, LARGEST_REPORT)


def _release_data(folder: Path, manifest: dict[str, Any], findings: Findings) -> ReleaseData | None:
    """What the page of a release says; None of a manifest that no page can be written of: it is not ours."""
    from discreet.report.release import release_data

    assert findings.published is not None
    assert findings.judged is not None
    try:
        mapping = read_mapping(folder) if MAPPING in manifest["files"] else {}
        return release_data(manifest, mapping, findings.published.alone, findings.judged)
    except Unavailable:
        raise
    except (DiscreetError, KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
        return None
