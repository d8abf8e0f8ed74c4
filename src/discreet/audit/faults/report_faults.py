"""What the page beside a release must not tell: shares of the source, and values that the release hides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.audit.faults.comparison import Table
from discreet.audit.lines import Fault
from discreet.audit.reading.folder import MAPPING, REPORT, read_json, text_of
from discreet.audit.reading.labels import Exactly, OneOf
from discreet.audit.reading.page import Page, read_page
from discreet.audit.reading.release import ReleaseFiles, labels_in
from discreet.errors import DataError

_PRIVATE = "publish again: what is told of the source belongs in the custodian's folder"
_SOURCE = re.compile(r"(?:in |of )?(?:the )?(?:source|original|before|original table|source table)", re.IGNORECASE)
_SHARE = re.compile(r"[±~≈<>]?\s*[0-9]+(?:[.,][0-9]+)?\s*%")
_SAID = re.compile(
    r"\b(?:source|original|before)\b[:\s(]{1,3}[0-9]+(?:[.,][0-9]+)?\s*%"
    r"|[0-9]\s*%\s+(?:in|of)\s+the\s+(?:source|original)",
    re.IGNORECASE,
)
_WITH_SHARE = re.compile(r"(.+?)(?:\s*[:=,(–—]\s*|\s+)[0-9]+(?:[.,][0-9]+)?\s*%\)?", re.DOTALL)
_FIGURE = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]+)?%?")  # is as well a number of rows, or a share
_NOTHING = ("", "NULL", "(empty)")
# Whole texts of every page of ours: a value that is called like that is told by no page.
_OWN_WORDS = (
    *("yes", "no", "none", "other", "open", "kept", "exact", "coarser", "sensitive", "identifier", "I", "II", "III"),
    *("loss", "drop", "star", "seed", "class", "value", "values", "kind", "file", "role", "search", "rows", "groups"),
    *("certain", "question", "answer"),
)


def report_faults(release: ReleaseFiles, table: Table | None = None) -> Iterator[Fault]:
    """What is wrong with report.html; with the source, also which of its values are told though no table has them."""
    if not release.description.manifest:
        return
    html = text_of(release.path, REPORT)
    if html is None:
        return
    page = read_page(html)
    shares = _shares(page)
    if shares:
        rule = "tells how common values are in the source: with the tables, that may give people away"
        yield Fault("figures_of_the_source", REPORT, rule, _PRIVATE, shares)
    if table is not None:
        named = _named(page, _hidden(release, table))
        for column, many in named.items():
            what = "a value" if many == 1 else f"{many:,} values"
            rule = f"the report names {what} of {column} that the release hides"
            yield Fault("hidden_values_named", REPORT, rule, _PRIVATE, many)


def _shares(page: Page) -> int:
    """Shares under a heading that says they are the source's, and sentences that tell one."""
    shares = sum(_SAID.search(said.text) is not None for said in page.texts)
    for sheet in page.sheets:
        for row in sheet.rows:
            for at in (i for i, cell in enumerate(row) if _SOURCE.fullmatch(cell)):
                below = (other[at] for other in sheet.rows if len(other) > at)
                beside = row[at + 1 :] if at == 0 else ()
                shares += sum(_SHARE.fullmatch(cell) is not None for cell in (*below, *beside))
    return shares


@dataclass(frozen=True)
class _Hidden:
    """Values of a column of the source that its published texts hide; and those that no column has."""

    here: frozenset[str]
    everywhere: frozenset[str]


def _hidden(release: ReleaseFiles, table: Table) -> dict[str, _Hidden]:
    """The values of each column of the source that the files beside the page hide."""
    description = release.description
    policy = description.manifest.get("policy") or {}
    models = [promise.get("model") for promise in description.manifest["promises"]]
    words = [description.manifest.get(word) for word in ("hierarchies", "references", "roles")]
    anywhere: set[str | None] = {*_scalars([words, models, policy.get("attributes"), policy.get("require")])}
    if (release.path / MAPPING).exists():
        anywhere |= {*_scalars(_mapping(release))}
    anywhere |= {None, *_NOTHING}
    columns = [c for c in table.columns if c in (*description.quasi_identifiers, *description.sensitive)]
    shown = {column: {*_shown(release, column)} for column in columns}
    all_shown: set[str | None] = set().union(*shown.values()) | anywhere
    return {
        column: _Hidden(
            frozenset(v for v in table.values(column) if v is not None and v not in shown[column] | anywhere),
            frozenset(v for v in table.values(column) if v is not None and v not in all_shown),
        )
        for column in columns
    }


def _mapping(release: ReleaseFiles) -> Any:
    """What the mapping says; but not its groups, whose numbers are no values."""
    try:
        mapping = read_json(release.path, MAPPING)
    except DataError:  # what can't be read tells nothing; it is no file of ours
        return None
    return {word: said for word, said in mapping.items() if word != "groups"} if isinstance(mapping, dict) else mapping


def _shown(release: ReleaseFiles, column: str) -> Iterator[str | None]:
    """The texts of a column, and the members of published sets."""
    for rows in (rows for rows in release.files if column in rows.columns):
        texts = rows.column(column)[0]
        yield from texts
        if release.view.kind.labelled and column in release.description.quasi_identifiers:
            for label in labels_in(release.description, column, texts):
                yield from label.values if isinstance(label, OneOf) else ()
                yield label.value if isinstance(label, Exactly) else None


def _scalars(said: Any) -> Iterator[str]:
    """Every text and number, wherever it stands."""
    if isinstance(said, Mapping):
        for name, inner in said.items():
            yield str(name)
            yield from _scalars(inner)
    elif isinstance(said, list | tuple):
        for inner in said:
            yield from _scalars(inner)
    elif said is not None:
        yield str(said)


def _named(page: Page, hidden: Mapping[str, _Hidden]) -> dict[str, int]:
    """How many hidden values of each column the page names: as a whole text, or one with a share beside it.

    Where a heading says which column a text is about, it is held against that one; else a number of up to three digits
    is a figure like others, and what another column publishes is that.
    """
    names: dict[str, set[str]] = {}
    for said in page.texts:
        about = [column for column in said.about[:2] if column in hidden]
        for text in _candidates(said.text):
            if about:
                naming = [column for column in about if text in hidden[column].here]
            elif _FIGURE.fullmatch(text) or text in _OWN_WORDS:
                naming = []
            else:
                naming = [column for column, values in hidden.items() if text in values.everywhere]
            for column in naming:
                names.setdefault(column, set()).add(text)
    return {column: len(values) for column, values in names.items()}


def _candidates(text: str) -> Iterable[str]:
    with_share = _WITH_SHARE.fullmatch(text)
    parts: Sequence[str] = [] if with_share is None else [with_share[1]]
    return dict.fromkeys([text, *parts])
