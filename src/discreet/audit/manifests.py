"""What our own releases say about themselves: the manifest, read without the code that wrote it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.audit.description import Description, How, Paths
from discreet.audit.promise_words import promise_mistakes
from discreet.audit.seen import AMBIGUOUS, BUCKETIZED, GENERALIZED, Promise
from discreet.audit.texts import DATE, EXACT, INTERVAL, PREFIX, SET
from discreet.errors import DataError, Mistake

AGAIN = "get the whole release again"
_KINDS = {
    "intervals": INTERVAL,
    "cuts": INTERVAL,
    "quantiles": INTERVAL,
    "prefixes": PREFIX,
    "dates": DATE,
    "flat": SET,
}
# What reading a manifest that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError)


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """The manifest of a release."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        rule = "is not a release: it has no manifest.json"
        if not folder.exists():
            rule = "no such file" if folder.suffix else "no such folder"
        repair = "name the folder of a release, or a file that another tool published"
        raise DataError(Mistake(str(folder), rule, repair)) from None
    except (OSError, ValueError, RecursionError):
        raise DataError(Mistake(str(folder / "manifest.json"), "can't be read", AGAIN)) from None
    if not isinstance(manifest, dict):
        raise DataError(Mistake("manifest.json", "is not the manifest of a release", AGAIN))
    return manifest


def described_by(manifest: Mapping[str, Any]) -> Description:
    """What a manifest says about the files beside it."""
    try:
        told = _described_by(manifest)
    except _NOT_OURS:
        raise DataError(Mistake("manifest.json", "is not the manifest of a release", AGAIN)) from None
    if any(Path(file).name != file for file in told.tables):
        raise DataError(Mistake("manifest.json", "names a file of another folder", AGAIN))
    if any(promise_mistakes(p.model, p.parameters, p.model, told.quasi_identifiers) for p in told.promises):
        raise DataError(Mistake("manifest.json", "has a promise that can't be read", AGAIN))
    within = [c for columns in told.tables.values() for c in columns if c in told.quasi_identifiers]
    apart = [file for file, columns in told.tables.items() if {*columns} & {*told.quasi_identifiers}]
    if sorted(within) != sorted(told.quasi_identifiers) or (told.publish != AMBIGUOUS and len(apart) != 1):
        raise DataError(Mistake("manifest.json", "its tables have not every quasi-identifier once", AGAIN))
    return told


def _described_by(manifest: Mapping[str, Any]) -> Description:
    publish, roles = str(manifest["publish"]), dict(manifest["roles"])
    published = [str(c) for c in manifest["columns"]]
    grouped = publish in (BUCKETIZED, AMBIGUOUS)
    if grouped:
        tables = {str(file): tuple(map(str, columns)) for file, columns in manifest["tables"].items()}
    else:
        tables = {str(manifest["table"]): tuple(published)}
    rows = manifest["rows"]
    star = manifest.get("suppressed_as") == "star"
    suppressed = int(rows["suppressed"])
    hierarchies = dict(manifest.get("hierarchies") or {})
    levels = manifest.get("node") or {}
    # Columns are named in the order of the policy: that of plans and mappings.
    return Description(
        quasi_identifiers=tuple(c for c, role in roles.items() if role == "quasi_identifier" and c in published),
        sensitive=tuple(c for c in published if roles[c] == "sensitive"),
        tables=tables,
        publish=publish if grouped else GENERALIZED,
        others=tuple(c for c in published if roles[c] == "other"),
        identifiers=tuple(c for c, role in roles.items() if role == "identifier"),
        group=str(manifest["group_column"]) if grouped else "",
        count=str(manifest["count_column"]) if publish == AMBIGUOUS else "",
        promises=tuple(_promise(promise["model"]) for promise in manifest["promises"]),
        hierarchies={c: paths for c, words in hierarchies.items() if (paths := _paths(words))},
        columns={c: _how(words, levels.get(c)) for c, words in hierarchies.items()},
        starred=star and suppressed > 0,
        left_out=0 if star else suppressed,
        manifest=manifest,
    )


def _promise(words: Mapping[str, Mapping[str, Any]]) -> Promise:
    [(model, body)] = words.items()
    attribute = body.get("attribute")
    return Promise(model, {word: given for word, given in body.items() if word != "attribute"}, attribute)


def _paths(words: Mapping[str, Any]) -> Paths:
    """The paths of a taxonomy. NULL goes with the empty text, where only that is listed."""
    rows = tuple(tuple(None if cell is None else str(cell) for cell in row) for row in words.get("taxonomy") or ())
    leaves = {row[0]: row for row in rows}
    return rows if None in leaves or "" not in leaves else (*rows, (None, *leaves[""][1:]))


def _how(words: Mapping[str, Any], level: int | None) -> How:
    """How a column is written that was made coarser by a rule; on level 0 every text is the value itself."""
    if level == 0 or ("flat" in words and not words.get("sets")):
        return How(EXACT, level)
    kind = next((kind for word, kind in _KINDS.items() if word in words), "")
    return How(kind, level, days="day" in words.get("dates", ()))
