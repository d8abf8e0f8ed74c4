"""The mapping of a release as a file: how values were recoded, so that later rows can be published the same way.

It holds rules, levels and published values only, never a combination that somebody had.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.intervals import Cuts
from discreet.hierarchies.texts import span
from discreet.publications.published_rules import PublishedRule, last_filled, nodes_of
from discreet.publications.region_kernels import cheapest_cover
from discreet.publications.tables import published_values
from discreet.search.plan import SUPPRESSED, Recoding


def mapping_of(plan: Recoding, rules: Mapping[str, PublishedRule]) -> dict[str, Any]:
    """What `recode` needs: the rule of every attribute as it is told, and the levels or the published groups."""
    hierarchies = plan.frequency.hierarchies
    attributes = {h.attribute: rules[h.attribute].words for h in hierarchies}
    if plan.node is not None:
        return {"hierarchies": attributes, "levels": published_levels(plan, rules)}
    columns = []
    for d, h in enumerate(hierarchies):
        texts, of_group = published_values(plan, d)
        ranges = zip(plan.low[:, d].tolist(), plan.high[:, d].tolist(), of_group.tolist(), strict=True)
        columns.append([_entry(h, low, high, texts[text], rules[h.attribute]) for low, high, text in ranges])
    return {"hierarchies": attributes, "groups": _distinct([list(g) for g in zip(*columns, strict=True)])}


def published_levels(plan: Recoding, rules: Mapping[str, PublishedRule]) -> dict[str, int] | None:
    """The level of every attribute in the rule that is told; None where rows were treated differently."""
    if plan.node is None:
        return None
    return {name: rules[name].level(level) for name, level in zip(plan.frequency.attributes, plan.node, strict=True)}


def recode(frequency: FrequencySet, mapping: Mapping[str, Any]) -> Recoding:
    """Publish other rows by an earlier mapping. Rows that no published group covers are suppressed."""
    rows = np.arange(len(frequency.counts), dtype=np.int64)
    if "levels" in mapping:
        node = tuple(int(mapping["levels"][a]) for a in frequency.attributes)
        _check_levels(frequency.hierarchies, node)
        ranges = [
            (h.first[level][h.codes[level][c]], h.last[level][h.codes[level][c]])
            for h, level, c in zip(frequency.hierarchies, node, frequency.codes, strict=True)
        ]
        low, high = (np.stack([r[i] for r in ranges], axis=1).astype(np.int32) for i in (0, 1))
        keys, group = np.unique(low, axis=0, return_index=False, return_inverse=True)
        first = np.zeros(len(keys), dtype=np.int64)
        first[group] = rows
        return Recoding(frequency, rows, frequency.counts, group.astype(np.int64), low[first], high[first], node)
    low, high, of_box = boxes_of_groups(frequency.hierarchies, mapping["groups"])
    widths = np.array([max(len(h.leaves) - 1, 1) for h in frequency.hierarchies], dtype=np.float64)
    codes = np.stack(frequency.codes, axis=1)
    box = cheapest_cover(codes, low, high, ((high - low) / widths).sum(axis=1))
    group = np.where(box >= 0, of_box[box], SUPPRESSED) if len(of_box) else box
    texts = tuple(tuple(entry["text"] for entry in column) for column in zip(*mapping["groups"], strict=True))
    lows = np.full((len(mapping["groups"]), codes.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    highs = np.zeros_like(lows)
    np.minimum.at(lows, of_box, low)
    np.maximum.at(highs, of_box, high)
    return Recoding(frequency, rows, frequency.counts, group, lows, highs, texts=texts)


def _distinct(groups: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Every published group once, in an order that says nothing."""
    unique = {repr(group): group for group in groups}
    return [unique[key] for key in sorted(unique)]


def _entry(hierarchy: Hierarchy, low: int, high: int, text: Value, rule: PublishedRule) -> dict[str, Any]:
    """What a group publishes of one attribute, and what that text stands for, in parts.

    A part is a node of the hierarchy [level, name], the members of a set ["set", …], or a range of numbers or dates
    ["", from, to] with the ends that the text shows: the values that a group really has would say more than the release
    does. `meanings` tells whether a text is what its parts are written as.
    """
    nodes = nodes_of(hierarchy, low, high)
    if text in nodes:
        return {"text": text, "parts": rule.parts(nodes[text], text)}
    if not hierarchy.ordered:  # also a node whose name means something else too
        return {"text": text, "parts": [["set", *hierarchy.labels[0][low : high + 1]]]}
    last_number = last_filled(hierarchy, low, high)
    blanks = [[0, name] for name in hierarchy.labels[0][last_number + 1 : high + 1]]
    high = last_number
    shown = hierarchy.label(low, high)
    nodes = nodes_of(hierarchy, low, high)
    first, last = hierarchy.leaves[low], hierarchy.leaves[high]
    if shown in nodes:
        parts = rule.parts(nodes[shown], shown)
    elif first and last and shown == span(first, last):
        parts = [["", first, last]]
    else:  # written as a set, so it means no others
        parts = [[0, name] for name in hierarchy.labels[0][low : high + 1]]
    return {"text": text, "parts": parts + blanks}


def boxes_of_groups(hierarchies: Sequence[Hierarchy], groups: Sequence[Sequence[Any]]) -> tuple[Codes, Codes, IntArray]:
    """The published groups as ranges of the new table's leaves, a box for every choice of parts; and its group."""
    finders = [RangeFinder(h) for h in hierarchies]
    ends, owner = [], []
    for number, group in enumerate(groups):
        for box in product(*(finder.find(entry["parts"]) for finder, entry in zip(finders, group, strict=True))):
            ends.append(box)
            owner.append(number)
    both = np.array(ends, dtype=np.int32).reshape(len(ends), len(hierarchies), 2)
    return both[:, :, 0].copy(), both[:, :, 1].copy(), np.array(owner, dtype=np.int64)


def runs_of_groups(hierarchies: Sequence[Hierarchy], groups: Sequence[Sequence[Any]]) -> tuple[IntArray, Codes, Codes]:
    """The same as runs of leaves, apart and in order: those of group g and attribute d are ``run[g·D + d]:run[… + 1]``.

    Gives `run`, and the first and the last leaf of each.
    """
    finders, many, ends = [RangeFinder(h) for h in hierarchies], [0], []
    known: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for group in groups:
        for d, (finder, entry) in enumerate(zip(finders, group, strict=True)):
            key = (d, repr(entry["parts"]))
            if key not in known:
                known[key] = _apart(finder.find(entry["parts"]))
            ends += known[key]
            many.append(len(known[key]))
    both = np.array(ends, dtype=np.int32).reshape(len(ends), 2)
    return np.cumsum(many, dtype=np.int64), both[:, 0].copy(), both[:, 1].copy()


def _apart(runs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same leaves in runs that don't overlap, in order."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


class RangeFinder:
    """Which leaves of a new table a part of a published text stands for."""

    def __init__(self, hierarchy: Hierarchy):
        self._hierarchy = hierarchy
        self._names = [{name: code for code, name in enumerate(names)} for names in hierarchy.labels]
        self._keys = [hierarchy.rule.order(leaf) for leaf in hierarchy.leaves] if hierarchy.ordered else []

    def find(self, parts: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
        """First and last leaf of every run; none where the table has no such leaf."""
        return [finders for part in parts for finders in self._find(part)]

    def _find(self, part: Sequence[Any]) -> list[tuple[int, int]]:
        h = self._hierarchy
        if part[0] == "":
            first = bisect_left(self._keys, h.rule.order(part[1]))
            last = bisect_right(self._keys, h.rule.order(part[2])) - 1
            return [(first, last)] if first <= last else []
        if part[0] == "set":  # only its members: a new value that sorts between them is not what was published
            places = sorted(self._names[0][name] for name in part[1:] if name in self._names[0])
            starts = [p for i, p in enumerate(places) if i == 0 or places[i - 1] != p - 1]
            ends = [p for i, p in enumerate(places) if i == len(places) - 1 or places[i + 1] != p + 1]
            return list(zip(starts, ends, strict=True))
        level, name = part
        code = self._names[level].get(h.rule.renamed(name) if level and isinstance(h.rule, Cuts) else name)
        return [] if code is None else [(int(h.first[level][code]), int(h.last[level][code]))]


def _check_levels(hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> None:
    wrong = [
        Mistake(f"mapping.levels.{h.attribute}", f"has no level {level}", f"its levels are 0 to {h.height}")
        for h, level in zip(hierarchies, node, strict=True)
        if not 0 <= level <= h.height
    ]
    if wrong:
        raise DataError(*wrong)
