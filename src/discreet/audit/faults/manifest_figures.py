"""Every number of a manifest that anybody can count from the tables, counted again; and what a manifest must not say.

The manifest is published beside the tables, and read by whoever reads them. What it tells of the source beyond them is
told to adversaries, too: how much a release lost of it, which values its rows had, how the search went.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isclose
from typing import Any, TypeGuard

import numpy as np

from discreet.audit.lines import Fault
from discreet.audit.promises.levels import levels
from discreet.audit.reading.folder import AGAIN, MANIFEST
from discreet.audit.reading.view import ReleaseView
from discreet.errors import shown

WORDS = (
    *("discreet", "created", "publish", "search", "files", "columns", "roles", "promises", "rows", "suppressed_as"),
    *("node", "hierarchies", "published_as", "policy", "random", "versions", "references", "notes", "table", "tables"),
    *("count_column", "distorted", "groups", "smallest_group", "discernibility", "average_group", "population"),
    *("group_column", "database", "applied", "chain", "checksum", "ranges"),
)
_OF_THE_SOURCE = ("loss", "losses", "loss_geometric", "facts", "seconds", "scans")
_SECRETS = {"seed": "the seed: whoever knows it may undo the order of rows", "private": "who is in the table"}
_PRIVATE = "publish again: figures about the source belong in the custodian's folder"
_SHOWN = 10


def manifest_faults(view: ReleaseView, manifest: Mapping[str, Any], rows: Mapping[str, int]) -> Iterator[Fault]:
    """Figures that are wrong, figures of the source, and words that no manifest has; `rows` has those of every file."""
    yield from _of_the_source(manifest)
    yield from _counted(view, manifest)
    yield from _rows(manifest, rows)
    yield from _levels(view, manifest)
    strange = [word for word in manifest if word not in (*WORDS, *_OF_THE_SOURCE)]
    for word in strange[:_SHOWN]:
        more = f" (and {len(strange) - _SHOWN:,} others)" if len(strange) > _SHOWN and word == strange[0] else ""
        rule = f"says more than a manifest does: {shown(word)}{more} is not read, and may tell anything"
        yield Fault("unknown_word", MANIFEST, rule, "remove it, or look at what it says", grave=False)


def _of_the_source(manifest: Mapping[str, Any]) -> Iterator[Fault]:
    for word in (word for word in _OF_THE_SOURCE if word in manifest):
        rule = "tells figures about the source: with the tables, they may give suppressed rows away"
        yield Fault("figures_of_the_source", f"{MANIFEST}: {word}", rule, _PRIVATE)
    references = manifest.get("references") or {}
    if any(said != "published" for said in references.values()):
        rule = "tells how common values are in the source: with the tables, that may give suppressed rows away"
        yield Fault("figures_of_the_source", f"{MANIFEST}: references", rule, _PRIVATE)
    for word, what in _SECRETS.items():
        if word in (manifest.get("policy") or {}):
            yield Fault("secret_told", f"{MANIFEST}: policy.{word}", f"tells {what}", "publish again without it")


def _counted(view: ReleaseView, manifest: Mapping[str, Any]) -> Iterator[Fault]:
    """What the manifest counts must be what is there."""
    rows = manifest["rows"]
    smallest = int(view.sizes.min(initial=view.people))
    for what, said, counted in (
        ("rows published", rows["published"], view.people),
        ("groups", manifest.get("groups"), len(view.sizes)),
        ("rows in the smallest group", manifest.get("smallest_group"), smallest),
        *([("rows suppressed", rows["suppressed"], view.starred)] if view.starred else []),
    ):
        if _is_number(said) and said != counted:
            rule = f"says {_figure(said)} {what}, but there are {counted:,}"
            yield Fault("wrong_count", MANIFEST, rule, AGAIN, _off(said, counted))
    lost = rows["source"] - rows["published"] - rows["suppressed"]
    if lost:
        rule = f"{abs(lost):,} rows of the source are neither published nor suppressed"
        yield Fault("lost_rows", MANIFEST, rule, "publish the table again", abs(lost))
    left_out = rows["suppressed"]
    squares = sum(size * size for size in view.sizes.tolist()) + left_out * (view.people + left_out)
    for word, reached in (
        ("discernibility", float(squares)),
        ("average_group", view.people / len(view.sizes) if len(view.sizes) else None),
    ):
        said = manifest.get(word)
        if reached is not None and _is_number(said) and not isclose(said, reached, rel_tol=1e-9):
            rule = f"says that {word} is {_figure(said)}, but from the tables it is {reached:,.6g}"
            yield Fault("wrong_count", MANIFEST, rule, AGAIN)


def _rows(manifest: Mapping[str, Any], rows: Mapping[str, int]) -> Iterator[Fault]:
    files = manifest.get("files") or {}
    for name, counted in rows.items():
        about = files.get(name)
        said = about.get("rows") if isinstance(about, dict) else None
        if _is_number(said) and said != counted:
            rule = f"says {_figure(said)} rows of {name}, but there are {counted:,}"
            yield Fault("wrong_count", MANIFEST, rule, AGAIN, _off(said, counted))


def _levels(view: ReleaseView, manifest: Mapping[str, Any]) -> Iterator[Fault]:
    """What promises are said to reach must be what they reach, where the tables alone tell it."""
    for promise, said in zip(view.promises, manifest["promises"], strict=True):
        level, deciding = said.get("level"), said.get("deciding_group")
        left_out = promise.model == "presence" and deciding == view.left_out + view.starred
        nobody = deciding == 0 and not len(view.sizes)  # nothing is published, so no group decides
        if _is_number(deciding) and not (view.sizes == deciding).any() and not left_out and not nobody:
            rule = f"says that a group of {_figure(deciding)} decides {promise.model}, but there is no such group"
            yield Fault("wrong_count", MANIFEST, rule, AGAIN)
        reached = [reading.achieved for reading in levels(replace(view, promises=(promise,)))]
        known = [float(each) for each in reached if each is not None]
        if not _is_number(level) or not known or len(known) < len(reached):
            continue
        # A share of 1/3 at most is told as 3 at least.
        if not any(
            isclose(level, as_told, rel_tol=1e-6, abs_tol=1e-12)
            for each in known
            for as_told in (each, 1 / (each or 1))
        ):
            rule = f"says that {promise.model} reaches {_figure(level)}, but from the tables it reaches {known[0]:,.6g}"
            yield Fault("wrong_level", MANIFEST, rule, AGAIN)


def _is_number(said: object) -> TypeGuard[float]:
    return isinstance(said, int | float) and not isinstance(said, bool)


def _figure(said: float) -> str:
    """A number of a stranger's manifest, in a few characters.

    >>> _figure(1234), _figure(0.25), _figure(10**300)
    ('1,234', '0.25', 'a very large number')
    """
    if abs(said) > 1e15:
        return "a very large number"
    return f"{said:,}" if isinstance(said, int) else f"{said:,.6g}"


def _off(said: float, counted: int) -> int:
    return int(min(abs(said - counted), np.iinfo(np.int64).max))
