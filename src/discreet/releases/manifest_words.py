"""The words that a manifest may have, at every level where they are ours: it says no more than that.

Whoever publishes a folder publishes its manifest, too. A word that we don't know could say anything about anybody; a
word that names a file would make its reader open it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from types import UnionType
from typing import Any

from discreet.engines.reading_words import OF_COLUMN, OF_TABLE, column_reading, read_words
from discreet.errors import Mistake
from discreet.policy.levels import span_mistakes
from discreet.policy.policy import Policy
from discreet.policy.words import SUMMARIES
from discreet.publications.published import AGAIN, Manifest, names_file

MOST_PROMISES = 200

_MORE = "says more than a manifest does"
_OTHER = "is not what a manifest says there"
_FILES = "names a file; in a manifest everything is written out"
_LARGEST = 1 << 62


@dataclass(frozen=True)
class _Each:
    """A mapping of names that are the table's; every value has this form."""

    form: Any


@dataclass(frozen=True)
class _List:
    """A list of entries of one form."""

    form: Any


@dataclass(frozen=True)
class _Text:
    """A text of this form."""

    pattern: str


class _Anything:
    """Checked by those who read it."""


_ANYTHING = _Anything()
_VERSION = _Text(r"[\w.+!-]{1,60}")
_SHA256 = _Text(r"[0-9a-f]{64}")
_WORD = _Text(r"[a-z_]{1,40}")
_FILE = {"sha256": _SHA256, "bytes": int, "rows": int, "fingerprint": _SHA256}
_FORM: Mapping[str, Any] = {
    "discreet": _VERSION,
    "created": _Text(r"[0-9T:+-]{19,25}"),
    "publish": _WORD,
    "search": _WORD,
    "files": _Each({**_FILE, "parts": _Each(_FILE)}),
    "table": str,
    "tables": _Each(_List(str)),
    "group_column": str,
    "count_column": str,
    "distorted": _List(str),
    "columns": _List(str),
    "roles": _Each(_WORD),
    "promises": _List(
        {
            "model": _Each(_ANYTHING),
            "promise": str,
            "holds": bool,
            "level": float | int | None,
            "required": str,
            "deciding_group": int | None,
        }
    ),
    "rows": {"source": int, "published": int, "suppressed": int, "limit": int},
    "suppressed_as": _WORD,
    "node": _Each(int),
    "groups": int,
    "smallest_group": int,
    "discernibility": float | int | None,
    "average_group": float | int | None,
    "hierarchies": _Each(_ANYTHING),
    "published_as": _Each(_ANYTHING),
    "ranges": _Each(_Text("hierarchy|values")),
    "references": _Each(_ANYTHING),
    "population": {"people": int, "in_published_groups": int, "presence": _List(float | int)},
    "policy": {
        **{
            field.name: _ANYTHING
            for field in fields(Policy)
            if field.init and field.name not in ("seed", "private", "folder")
        },
        "attributes": _Each(
            {
                "role": _WORD,
                "hierarchy": _ANYTHING,
                "publish_as": _ANYTHING,
                "ranges": _WORD,
                "levels": _ANYTHING,
                **dict.fromkeys(OF_COLUMN, _ANYTHING),
            }
        ),
        "require": _List(_Each(_ANYTHING)),
    },
    "random": _Text("operating system|seed"),
    "versions": {name: _VERSION for name in ("python", "discreet", "duckdb", "numpy", "numba", "pyarrow")},
    "csv": {"formulas": _WORD},
    "database": {"engine": _WORD, "schema": str},
    "applied": {"manifest_sha256": _SHA256, "rows": int, "all_new": bool},
    "chain": {"position": int, "earlier": _List(_SHA256)},
    "notes": _List(str),
    "checksum": _SHA256,
}
_EMPTY_TOO = ("node",)  # null where there is none


def manifest_mistakes(manifest: Manifest) -> list[Mistake]:
    """Words that no manifest has, things that are not what their word means, and words that name a file."""
    rules = dict.fromkeys(_strange(manifest, _FORM, "") if isinstance(manifest, dict) else [("", _MORE)])
    mistakes = [Mistake(f"manifest.json{place}", rule, AGAIN) for place, rule in rules]
    if mistakes:
        return mistakes[:10]
    if len(manifest["promises"]) > MOST_PROMISES:
        mistakes.append(Mistake("manifest.json.promises", f"has more than {MOST_PROMISES}", AGAIN))
    columns = manifest["columns"]
    if len({*columns}) < len(columns) or not {*columns} <= manifest["roles"].keys():
        mistakes.append(Mistake("manifest.json.columns", "has columns twice, or without a role", AGAIN))
    mistakes += [Mistake(f"manifest.json{place}", _OTHER, AGAIN) for place in _misread(manifest["policy"])][:10]
    return mistakes + [Mistake(f"manifest.json{place}", _FILES, AGAIN) for place in _files_named(manifest)][:10]


def _misread(policy: Mapping[str, Any]) -> Iterator[str]:
    """Where words about reading the source say nothing that could be read by, or those about levels no level."""
    if read_words(policy, OF_TABLE)[1]:
        yield ".policy"
    attributes = policy.get("attributes", {}).values()
    if any(column_reading(about, "")[1] or span_mistakes(about.get("levels"), "") for about in attributes):
        yield ".policy.attributes"


def _strange(value: Any, form: Any, place: str) -> Iterator[tuple[str, str]]:
    """Where something stands that should not, and what is wrong with it. Nothing that stands there is told."""
    match form:
        case _Anything():
            return
        case Mapping() if isinstance(value, dict):
            if value.keys() - form.keys():
                yield place, _MORE
            for name in (n for n in value if n in form):
                if value[name] is not None or name not in _EMPTY_TOO:
                    yield from _strange(value[name], form[name], f"{place}.{name}")
        case _Each(inner) if isinstance(value, dict):
            for entry in value.values():
                yield from _strange(entry, inner, place)
        case _List(inner) if isinstance(value, list):
            for i, entry in enumerate(value):
                yield from _strange(entry, inner, f"{place}[{i}]")
        case _Text(pattern) if isinstance(value, str) and re.fullmatch(pattern, value):
            return
        case type() | UnionType() if isinstance(value, form) and (form is bool or not isinstance(value, bool)):
            if isinstance(value, int | float) and abs(value) > _LARGEST:
                yield place, _OTHER
        case _:
            yield place, _OTHER


def _files_named(manifest: Manifest) -> Iterator[str]:
    """Where hierarchies and promises are not written out."""
    if any(map(names_file, manifest.get("hierarchies", {}).values())):
        yield ".hierarchies"
    if any(map(names_file, manifest.get("published_as", {}).values())):
        yield ".published_as"
    policy = manifest["policy"]
    said = (about.get(word) for about in policy.get("attributes", {}).values() for word in ("hierarchy", "publish_as"))
    if any(map(names_file, said)):
        yield ".policy.attributes"
    if policy.get("summary", SUMMARIES[0]) not in SUMMARIES:
        yield ".policy.summary"
    entries = [("promises", i, entry.get("model", {})) for i, entry in enumerate(manifest["promises"])]
    entries += [("policy.require", i, entry) for i, entry in enumerate(policy.get("require", ()))]
    for place, i, entry in entries:
        if any(map(_promise_names_file, entry.values())):
            yield f".{place}[{i}]"


def _promise_names_file(parameters: object) -> bool:
    """Does it take what others believe, know or count from somewhere else? A population is given again, not opened."""
    if not isinstance(parameters, Mapping):
        return False
    told, known, counted = (parameters.get(word) for word in ("prior", "knowledge", "marginals"))
    pairs = parameters.get("pairs")
    listed = [*(counted.values() if isinstance(counted, Mapping) else [counted])]
    listed += pairs if isinstance(pairs, list) else [pairs]
    return (
        (isinstance(told, str) and told not in ("table", "uniform"))
        or (isinstance(known, str) and known != "table")
        or any(isinstance(each, str) for each in listed)
    )
