"""Step 2: how the values of a column become coarser, and how many people each level puts together."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.errors import DataError, HierarchyError, Mistake, PolicyError, shown
from discreet.explorer.figures.people_counts import people_by_value
from discreet.explorer.session import Session
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.taxonomy import read_taxonomy
from discreet.hierarchies.words import rule_from_words
from discreet.policy.places import attribute_place
from discreet.policy.words import Role

MOST_VALUES = 500  # to be dragged into groups
MOST_CHILDREN = 100  # that a label of the tree shows
MOST_UPLOADED = 4_000_000  # characters of a table of levels
_KINDS = ("intervals", "cuts", "quantiles", "prefixes", "dates", "taxonomy", "flat")


def hierarchy_of(session: Session, column: str) -> dict[str, Any]:
    """The hierarchy of a column as it stands."""
    return _shown(session, column, _words(session, column))


def tried_out(session: Session, column: str, body: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The hierarchy of a column as somebody would have it. Nothing is changed."""
    return _shown(session, column, wanted(session, column, body, folder))


def use(session: Session, column: str, body: Mapping[str, Any], folder: Path) -> None:
    """Take it into the policy, once it is sure that it holds every value."""
    words = wanted(session, column, body, folder)
    _built(session, column, words)
    session.change([(["attributes", column, "hierarchy"], words)])


def wanted(session: Session, column: str, body: Mapping[str, Any], folder: Path) -> object:
    """The words of a policy for what somebody made on the page: words, groups, or a table of levels."""
    _words(session, column)  # is it a column that becomes coarser?
    place = f"{attribute_place(column)}.hierarchy"
    words, groups, table = body.get("words"), body.get("groups"), body.get("csv")
    if isinstance(words, dict):
        if isinstance(words.get("taxonomy"), str):
            raise PolicyError(Mistake(place, "no file can be named here", "upload it as a table of levels"))
        return words
    if isinstance(table, str):
        if len(table) > MOST_UPLOADED:
            raise DataError(Mistake(place, "is too large", f"at most {MOST_UPLOADED:,} characters are taken"))
        file = folder / f"levels-{secrets.token_hex(4)}.csv"
        file.write_text(table, encoding="utf-8")
        try:
            return read_taxonomy(file.name, folder, place).to_words()
        except DataError as error:
            raise HierarchyError(
                *(Mistake(m.place, m.rule.replace(shown(file.name), "the table"), m.repair) for m in error.mistakes)
            ) from None
        finally:
            file.unlink()
    if isinstance(groups, list):
        return {"taxonomy": _grouped(session, column, groups, place)}
    raise PolicyError(Mistake(place, "says nothing", "give words, groups or a table of levels"))


def _grouped(session: Session, column: str, groups: Sequence[object], place: str) -> list[list[Value]]:
    """A line for each value: the group it was dragged into, or itself. All values must be named: a list is public."""
    rows: list[list[Value]] = []
    for group in groups:
        label, values = (group.get("label"), group.get("values")) if isinstance(group, dict) else (None, None)
        texts = isinstance(values, list) and all(value is None or isinstance(value, str) for value in values)
        if not isinstance(label, str) or not label.strip() or not isinstance(values, list) or not texts:
            raise PolicyError(Mistake(place, "must be groups of values, each with a label"))
        rows += [[value, label] for value in values]
    placed = {row[0] for row in rows}
    counts, people = _values_of(session, column)
    left = [value for value in counts if value not in placed and value is not None]
    rare = [value for value in left if people[value] < session.hidden_below]
    if rare:
        rule = (
            f"{len(rare):,} values of few {session.whose.people} have no group, and would stand in the published list"
        )
        raise HierarchyError(Mistake(place, rule, "write a table of levels that lists what is possible"))
    rows += [[value, value] for value in left]
    return rows


def _words(session: Session, column: str) -> object:
    said = session.words.get("attributes", {}).get(column, {})
    if said.get("role") != Role.QUASI_IDENTIFIER:
        rule = f"{shown(column)} is not a column that becomes coarser"
        raise DataError(Mistake("hierarchy", rule, "give it the role quasi_identifier"))
    return said.get("hierarchy")


def _values_of(session: Session, column: str) -> tuple[dict[Value, int], dict[Value, int]]:
    """How many rows have each value, and how many people."""
    policy = session.looking()
    scanned = None if policy is None else session.scanned_values(policy)
    if scanned is None:
        raise DataError(Mistake("hierarchy", "nothing is counted yet", "choose what others may know"))
    frequencies, names = scanned
    at = names.index(column)
    rows = np.bincount(frequencies.codes[at], weights=frequencies.counts, minlength=len(frequencies.values[at])).astype(
        np.int64
    )
    people = people_by_value(frequencies, at)
    values = frequencies.values[at]
    return dict(zip(values, rows.tolist(), strict=True)), dict(zip(values, people.tolist(), strict=True))


def _built(session: Session, column: str, words: object) -> tuple[Hierarchy, dict[Value, int], dict[Value, int]]:
    """The hierarchy by its words; what is wrong with it is told without values of few people."""
    rows, people = _values_of(session, column)
    place = f"{attribute_place(column)}.hierarchy"
    try:
        rule = rule_from_words(words, place, session.start.folder, list(rows), list(rows.values()))
        return build(column, rows, rule), rows, people
    except HierarchyError as error:
        rare = [value for value in rows if value and people[value] < session.hidden_below]
        raise HierarchyError(*(_without(m, rare) for m in error.mistakes)) from None


def _without(mistake: Mistake, rare: Sequence[str]) -> Mistake:
    """The same without values that may name a person."""
    rule = mistake.rule
    for value in rare:
        rule = rule.replace(shown(value), "…")
    return Mistake(mistake.place, rule, mistake.repair)


def _shown(session: Session, column: str, words: object) -> dict[str, Any]:
    hierarchy, rows, people = _built(session, column, words)
    limit = session.hidden_below
    of_rows, of_people = (_of_leaves(hierarchy, counts) for counts in (rows, people))
    common = [value for value in rows if people[value] >= limit and value is not None]
    listed = sorted(common, key=lambda value: (-rows[value], value))[:MOST_VALUES]
    said = hierarchy.rule.to_words() if words is None else words
    return {
        "words": said if isinstance(said, Mapping) else {},
        "kind": _kind(said),
        "levels": _levels(hierarchy, of_rows, of_people, limit),
        "tree": _Tree(hierarchy, of_rows, of_people, limit).node(hierarchy.height, 0),
        "values": [(value, rows[value]) for value in listed],
        "hidden_values": len(rows) - len(listed) - (None in rows),
        "csv": _table(hierarchy, of_people, limit),
    }


def _kind(words: object) -> str:
    if isinstance(words, Mapping):
        return next((kind for kind in _KINDS if kind in words), "flat")
    return "taxonomy"


def _of_leaves(hierarchy: Hierarchy, counts: Mapping[Value, int]) -> IntArray:
    return np.array([counts.get(leaf, 0) for leaf in hierarchy.leaves], dtype=np.int64)


def _levels(hierarchy: Hierarchy, rows: IntArray, people: IntArray, limit: int) -> list[dict[str, Any]]:
    """What each level puts together: how many labels, the smallest, and what becomes of the commonest value."""
    if not len(hierarchy.leaves):
        return []
    most = int(np.argmax(people))
    found = []
    for level, (codes, labels) in enumerate(zip(hierarchy.codes, hierarchy.labels, strict=True)):
        together = np.bincount(codes, weights=people, minlength=len(labels))
        smallest = int(together[together > 0].min()) if together.any() else 0
        found.append(
            {
                "level": level,
                "labels": int((together > 0).sum()),
                "example": labels[codes[most]] if people[most] >= limit else "",
                "smallest": smallest if smallest >= limit else None,
            }
        )
    return found


class _Tree:
    """The labels of a hierarchy, each with how many rows have it; those of few people are counted, not named."""

    def __init__(self, hierarchy: Hierarchy, rows: IntArray, people: IntArray, limit: int) -> None:
        self.hierarchy, self.limit = hierarchy, limit
        numbers = [len(labels) for labels in hierarchy.labels]
        both = list(zip(hierarchy.codes, numbers, strict=True))
        self.rows = [np.bincount(codes, weights=rows, minlength=n).astype(np.int64) for codes, n in both]
        self.people = [np.bincount(codes, weights=people, minlength=n).astype(np.int64) for codes, n in both]

    def node(self, level: int, code: int) -> dict[str, Any]:
        """A label and what is below it. A label that is the only one below another of the same name is left out."""
        h = self.hierarchy
        made: dict[str, Any] = {"label": h.labels[level][code], "rows": int(self.rows[level][code])}
        below = level - 1
        while below >= 0:
            first, last = h.first[level][code], h.last[level][code]
            codes = range(int(h.codes[below][first]), int(h.codes[below][last]) + 1)
            if len(codes) > 1 or h.labels[below][codes[0]] != h.labels[level][code]:
                made["children"] = self._children(below, codes)
                break
            level, code, below = below, codes[0], below - 1
        return made

    def _children(self, level: int, codes: range) -> list[dict[str, Any]]:
        here = [code for code in codes if self.rows[level][code] > 0]
        named = [code for code in here if self.people[level][code] >= self.limit]
        shown = named[:MOST_CHILDREN]
        children = [self.node(level, code) for code in shown]
        children += [{"hidden": len(here) - len(named)}] if len(named) < len(here) else []
        return [*children, *([{"more": len(named) - len(shown)}] if len(shown) < len(named) else [])]


def _table(hierarchy: Hierarchy, people: IntArray, limit: int) -> str:
    """The hierarchy as a table of levels, to begin from; values of few people are not in it."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    for leaf, value in enumerate(hierarchy.leaves):
        if people[leaf] >= limit and value is not None and leaf < MOST_VALUES:
            names = (h[c[leaf]] for h, c in zip(hierarchy.labels[1:], hierarchy.codes[1:], strict=True))
            writer.writerow([value, *names])
    return text.getvalue()
