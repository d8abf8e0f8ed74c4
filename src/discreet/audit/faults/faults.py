"""Things that must not be in a release, whoever looks: broken promises that anybody can count, leaks, damage."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from discreet.audit.faults.comparison import Table
from discreet.audit.faults.finer_labels import finer_labels
from discreet.audit.faults.group_faults import MERGE, first_line, group_faults
from discreet.audit.faults.leaks import leaking_columns, order_of_rows
from discreet.audit.faults.manifest_figures import manifest_faults
from discreet.audit.faults.rare_values import nothing_left, rare_values
from discreet.audit.kinds.registry import OWN_LABELS
from discreet.audit.lines import Fault, Level
from discreet.audit.promises.levels import levels
from discreet.audit.promises.registry import of_others, reading_of
from discreet.audit.reading.folder import AGAIN, file_faults
from discreet.audit.reading.labels import Anything
from discreet.audit.reading.release import ReleaseFiles
from discreet.audit.reading.tallies import protected
from discreet.audit.reading.view import Promise, ReleaseView
from discreet.audit.reading.whose import so_many


def faults(
    release: ReleaseFiles, source: Any = None, judged: Sequence[Level] | None = None, table: Table | None = None
) -> list[Fault]:
    """Everything that is wrong with a release; with the `source` (a path or a frame) also what only it can show.

    Of a source that was read before, `table` is what was read.

    What a promise may allow is grave only if one forbids it: `judged` are the release's promises, read a second time.
    """
    judged = levels(release.view) if judged is None else judged
    return [
        *_files(release),
        *leaking_columns(release),
        *_promises(release.view),
        *_homogeneous(release, judged),
        *rare_values(release.view),
        *nothing_left(release.view),
        *_suppressed(release),
        *_unknown_values(release),
        *_finer(release),
        *order_of_rows(release, source, table),
    ]


def _files(release: ReleaseFiles) -> Iterator[Fault]:
    """Is everything as the manifest says?"""
    manifest = release.description.manifest
    if not manifest:
        return
    inside = release.description.tables if "database" in manifest else {}
    yield from file_faults(release.path, manifest.get("files") or {}, inside)
    words = {word: value for word, value in manifest.items() if word != "checksum"}
    checksum = hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()
    if manifest.get("checksum", checksum) != checksum:
        rule = "was changed after it was written: its checksum differs"
        yield Fault("changed_manifest", "manifest.json", rule, AGAIN)
    yield from manifest_faults(release.view, manifest, {rows.file: len(rows) for rows in release.files})


def _promises(view: ReleaseView) -> Iterator[Fault]:
    """Groups that break a promise for everybody to see."""
    for promise in view.promises:
        reading = reading_of(promise.model)
        if reading is not None and reading.faults is not None:
            yield from of_others(reading, partial(_listed, reading.faults, promise, view), lambda _: [])


def _listed(
    find: Callable[[Promise, ReleaseView], Iterable[Fault]], promise: Promise, view: ReleaseView
) -> list[Fault]:
    return list(find(promise, view))


def _homogeneous(release: ReleaseFiles, judged: Sequence[Level]) -> Iterator[Fault]:
    """Groups in which everybody has the same value: grave where a promise about such values is broken.

    Some promises allow them: t-closeness does, where the whole table is not far from it.
    """
    view = release.view
    broken = {level.attribute for level in judged if level.holds is False and _of_values(level.model)}
    for tally in view.tallies:
        values = np.bincount(tally.group, minlength=len(view.sizes))
        shown = np.array([value != release.description.suppressed for value in tally.values], dtype=np.bool_)
        alone = shown[tally.value] & (values[tally.group] == 1)
        named = protected(view, tally)[tally.value] & bool(broken & {None, tally.attribute})
        for grave, groups in ((True, tally.group[alone & named]), (False, tally.group[alone & ~named])):
            many = so_many(int(view.sizes[groups].sum()), view.whose.unit)
            rule = f"one value of {tally.attribute} only, which is thereby told of {many}"
            repair = MERGE if grave else "no promise forbids that: if it is not intended, make one that does"
            yield from group_faults(view, "homogeneous_group", groups, rule, repair, grave=grave)


def _of_values(model: str) -> bool:
    reading = reading_of(model)
    return reading is not None and reading.of_values


def _suppressed(release: ReleaseFiles) -> Iterator[Fault]:
    """Rows that say nothing of who they are about, but show a sensitive value."""
    view, manifest = release.view, release.description.manifest
    # A search that gives every group its own labels may end with a group of which nothing is said; that one is counted.
    own = manifest.get("publish") in OWN_LABELS and manifest["groups"] == len(view.sizes)
    if not view.kind.labelled or own or len(view.sizes) < 2:
        return
    nothing = np.ones(len(view.sizes), dtype=np.bool_)
    for region in view.regions:
        nothing &= np.array([isinstance(label, Anything) for label in region.labels], dtype=np.bool_)[region.label]
    for tally in view.tallies:
        shown = np.array([value != release.description.suppressed for value in tally.values], dtype=np.bool_)[
            tally.value
        ]
        left = shown & nothing[tally.group]
        rows = int(tally.count[left].sum())
        if rows:
            rule = f"{_are(rows, 'row')} suppressed in every quasi-identifier, but not here"
            repair = "leave these rows out, or suppress all of them"
            line = first_line(view, np.unique(tally.group[left]))
            yield Fault("suppressed_row_with_value", f"{view.file}: {tally.attribute}", rule, repair, rows, line)


def _unknown_values(release: ReleaseFiles) -> Iterator[Fault]:
    """Sensitive values that are suppressed, in rows that are not: they may be the same as others of the group."""
    view = release.view
    for tally in view.tallies if not release.description.manifest else ():
        hidden = np.array([value == release.description.suppressed for value in tally.values], dtype=np.bool_)[
            tally.value
        ]
        rows = int(tally.count[hidden].sum())
        if rows:
            rule = f"{_are(rows, 'value')} suppressed here, and counted as a value of its own: others may be surer"
            repair = "leave these rows out, and audit the rest"
            place, line = f"{view.file}: {tally.attribute}", first_line(view, tally.group[hidden])
            yield Fault("suppressed_value", place, rule, repair, rows, line, grave=False)


def _finer(release: ReleaseFiles) -> Iterator[Fault]:
    """Values that are published more exactly than others of their column, where whole columns are made coarser."""
    view, ours = release.view, release.description.manifest.get("publish")
    if ours not in (None, "generalization"):
        return
    for region in view.regions:
        groups = np.flatnonzero(finer_labels(region.labels)[region.label])
        people = int(view.sizes[groups].sum())
        # Other tools may give each group labels of its own: then finer ones are the rule, not the exception.
        if people and (ours or 20 * people <= view.people):
            rule = f"{_are(people, 'row')} published more exactly than others: inside a range or set that those have"
            repair = "publish the column in the same way in all rows"
            place, line = f"{view.file}: {region.attribute}", first_line(view, groups)
            yield Fault("finer_value", place, rule, repair, people, line, grave=ours is not None)


def _are(n: int, noun: str) -> str:
    return f"{n:,} {noun} is" if n == 1 else f"{n:,} {noun}s are"
