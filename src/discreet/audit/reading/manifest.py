"""What our own releases say about themselves: the manifest, read without the code that wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.audit.kinds.registry import KINDS
from discreet.audit.promises.parameters import promise_mistakes
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.description import Description, How, Paths
from discreet.audit.reading.folder import AGAIN, MANIFEST, check_table, read_json
from discreet.audit.reading.texts import DATE, EXACT, INTERVAL, PREFIX, SET
from discreet.audit.reading.view import Promise, strange_promise
from discreet.audit.reading.whose import Ownership
from discreet.errors import DataError, Mistake
from discreet.files.numbers import MOST_ROWS, whole_number
from discreet.labels.whose import PERSON

ROLES = ("identifier", "quasi_identifier", "sensitive", "other", PERSON, "wishes")
_WRITTEN = {
    "intervals": INTERVAL,
    "cuts": INTERVAL,
    "quantiles": INTERVAL,
    "prefixes": PREFIX,
    "dates": DATE,
    "flat": SET,
}
# What reading a manifest that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError)
_MOST_PROMISES, _MOST_COLUMNS = 100, 10_000
_STRANGE = "is not the manifest of a release"


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """The manifest of a release."""
    if not (folder / MANIFEST).is_symlink() and not (folder / MANIFEST).exists():
        rule = "is not a release: it has no manifest.json"
        if not folder.exists():
            rule = "no such file" if folder.suffix else "no such folder"
        raise DataError(
            Mistake(str(folder), rule, "name the folder of a release, or a file that another tool published")
        )
    manifest = read_json(folder, MANIFEST)
    if not isinstance(manifest, dict):
        raise DataError(Mistake(MANIFEST, _STRANGE, AGAIN))
    return manifest


def described_by(manifest: Mapping[str, Any]) -> Description:
    """What a manifest says about the files beside it."""
    try:
        description = _described_by(manifest)
    except _NOT_OURS:
        raise DataError(Mistake(MANIFEST, _STRANGE, AGAIN)) from None
    if any(
        promise_mistakes(p.model, p.parameters, p.model, description.quasi_identifiers)
        or (p.attribute is not None and p.attribute not in description.sensitive)
        for p in description.promises
    ):
        raise DataError(Mistake(MANIFEST, "has a promise that can't be read", AGAIN))
    within = [c for columns in description.tables.values() for c in columns if c in description.quasi_identifiers]
    apart = [file for file, columns in description.tables.items() if {*columns} & {*description.quasi_identifiers}]
    if sorted(within) != sorted(description.quasi_identifiers) or (
        KINDS[description.publish].rows_are_people and len(apart) != 1
    ):
        raise DataError(Mistake(MANIFEST, "its tables don't have every quasi-identifier exactly once", AGAIN))
    return description


def check_tables(folder: Path, description: Description) -> None:
    """Every table is a file of the folder, or nothing is read."""
    for file in description.tables:
        check_table(folder, file)


def _described_by(manifest: Mapping[str, Any]) -> Description:
    publish, roles = manifest["publish"], _texts_of(manifest["roles"], ROLES)
    _expect(publish in KINDS)
    kind = KINDS[publish]
    published = _texts(manifest["columns"])
    _expect(all(c in roles for c in published))
    if not kind.labelled:
        tables = {file: tuple(_texts(columns)) for file, columns in _mapping(manifest["tables"]).items()}
    else:
        tables = {_text(manifest["table"]): tuple(published)}
    rows = {part: _rows(n) for part, n in _mapping(manifest["rows"]).items()}
    _expect({"source", "published", "suppressed"} <= rows.keys())
    star = manifest.get("suppressed_as") == "star"
    hierarchies = {c: _mapping(words) for c, words in _mapping(manifest.get("hierarchies") or {}).items()}
    levels = {c: _rows(level) for c, level in _mapping(manifest.get("node") or {}).items()}
    promises = _list(manifest["promises"])
    _expect(len(promises) <= _MOST_PROMISES and len(roles) <= _MOST_COLUMNS)
    _mapping(manifest.get("files") or {})
    _allowed_levels(_mapping(manifest.get("policy") or {}))
    _texts(manifest.get("distorted") or [])
    _references(manifest.get("references") or {})
    _texts_of(manifest.get("ranges") or {}, ("hierarchy", "values"))
    # Columns are named in the order of the policy: that of plans and mappings.
    return Description(
        quasi_identifiers=tuple(c for c, role in roles.items() if role == "quasi_identifier" and c in published),
        sensitive=tuple(c for c in published if roles[c] == "sensitive"),
        tables=tables,
        publish=kind.word,
        others=tuple(c for c in published if roles[c] == "other"),
        identifiers=tuple(c for c, role in roles.items() if role in ("identifier", "wishes")),
        group="" if not kind.has_groups else _text(manifest["group_column"]),
        count="" if kind.rows_are_people else _text(manifest["count_column"]),
        promises=tuple(_promise(_mapping(promise)["model"]) for promise in promises),
        hierarchies={c: paths for c, words in hierarchies.items() if (paths := _paths(words))},
        columns={c: _how(words, levels.get(c)) for c, words in hierarchies.items()},
        starred=star and rows["suppressed"] > 0,
        left_out=0 if star else rows["suppressed"],
        manifest=manifest,
        published_as={c: _level(words) for c, words in _mapping(manifest.get("published_as") or {}).items()},
        whose=_whose(manifest, roles),
    )


def _allowed_levels(policy: Mapping[str, Any]) -> None:
    """What the policy says of the levels that columns may have is one of them, or two."""
    for about in _mapping(policy.get("attributes") or {}).values():
        levels = _mapping(about).get("levels", 0)
        ends = _list(levels) if isinstance(levels, list) else [levels]
        _expect(0 < len(ends) <= 2)
        for end in ends:
            _rows(end)


def _whose(manifest: Mapping[str, Any], roles: Mapping[str, str]) -> Ownership:
    """Whose rows they are, by the roles and the words of the policy."""
    named = [c for c, role in roles.items() if role == PERSON]
    stated = _mapping(manifest.get("policy") or {}).get("one_row_per_person", False)
    _expect(len(named) <= 1 and isinstance(stated, bool) and not (named and stated))
    return Ownership(named[0] if named else "", one_each=stated)


def _level(words: Any) -> dict[str, Any]:
    """The words of one level of a hierarchy, that a column is published as."""
    level = _mapping(words)
    for row in _given(level, "taxonomy"):
        _expect(all(cell is None or bool(_cell(cell)) or cell == "" for cell in _row(row)))
    return level


def _expect(fine: bool) -> None:
    if not fine:
        raise ValueError


def _mapping(value: Any) -> dict[str, Any]:
    _expect(isinstance(value, dict))
    return dict(value)


def _list(value: Any) -> list[Any]:
    _expect(isinstance(value, list))
    return list(value)


def _text(value: Any) -> str:
    _expect(isinstance(value, str))
    return str(value)


def _texts(value: Any) -> list[str]:
    """Different texts."""
    texts = [_text(each) for each in _list(value)]
    _expect(len({*texts}) == len(texts))
    return texts


def _texts_of(value: Any, known: tuple[str, ...]) -> dict[str, str]:
    texts = {name: _text(each) for name, each in _mapping(value).items()}
    _expect({*texts.values()} <= {*known})
    return texts


def _rows(value: Any) -> int:
    rows = whole_number(value)
    _expect(rows is not None and 0 <= rows <= MOST_ROWS)
    return int(value)


def _references(shares_of: Any) -> None:
    """Shares of values in the source, in older releases: pairs of a value and a weight."""
    for said in _mapping(shares_of).values():
        for pair in said if isinstance(said, list) else ():
            value, weight = _list(pair)
            _expect(value is None or isinstance(value, str))
            _rows(weight)


def _promise(words: Any) -> Promise:
    [(model, body)] = _mapping(words).items()
    if reading_of(model) is None:  # somebody else's promise, which the audit tells that it can't read
        return strange_promise(model)
    attribute = _mapping(body).get("attribute")
    _expect(attribute is None or isinstance(attribute, str))
    return Promise(model, {word: value for word, value in body.items() if word != "attribute"}, attribute)


def _paths(words: Mapping[str, Any]) -> Paths:
    """The paths of a taxonomy. NULL goes with the empty text, where only that is listed."""
    rows = tuple(
        tuple(None if cell is None else _cell(cell) for cell in _row(row)) for row in _given(words, "taxonomy")
    )
    leaves = {row[0]: row for row in rows}
    return rows if None in leaves or "" not in leaves else (*rows, (None, *leaves[""][1:]))


def _given(words: Mapping[str, Any], word: str) -> list[Any]:
    return _list(words.get(word) or [])


def _row(value: Any) -> list[Any]:
    _expect(isinstance(value, list) and bool(value))
    return list(value)


def _cell(value: Any) -> str:
    _expect(isinstance(value, str | int | float) and not isinstance(value, bool))
    return str(value)


def _how(words: Mapping[str, Any], level: int | None) -> How:
    """How a column is written that was made coarser by a rule; on level 0 every text is the value itself."""
    if level == 0 or ("flat" in words and not words.get("sets")):
        return How(EXACT, level)
    kind = next((kind for word, kind in _WRITTEN.items() if word in words), "")
    return How(kind, level, days="day" in _given(words, "dates"))
