"""The mapping of a release as a file: how values were recoded, so that later rows can be published the same way.

It holds rules, levels and published values only, never a combination that somebody had.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray, number_equal
from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.hierarchies.intervals import Cuts
from discreet.hierarchies.texts import EVERYTHING, leaf_of, span
from discreet.publications.published_rules import PublishedRule, is_run, nodes_of
from discreet.publications.region_kernels import cheapest_cover
from discreet.publications.tables import published_values
from discreet.search.plan import SUPPRESSED, Recoding


@dataclass(frozen=True, eq=False)
class MappedGroups:
    """The groups of a mapping: group g publishes ``entries[d][numbers[g, d]]`` of attribute d."""

    entries: tuple[Sequence[Mapping[str, Any]], ...]
    numbers: IntArray

    def texts(self) -> list[tuple[Value, ...]]:
        """What each group publishes."""
        return list(zip(*self.columns(), strict=True)) if self.entries else [() for _ in self.numbers]

    def columns(self) -> list[list[Value]]:
        """The same, attribute by attribute."""
        texts = [[entry["text"] for entry in entries] for entries in self.entries]
        return [[own[n] for n in self.numbers[:, d].tolist()] for d, own in enumerate(texts)]


def mapping_of(plan: Recoding, rules: Mapping[str, PublishedRule]) -> dict[str, Any]:
    """What `recode` needs: the rule of every attribute as it is told, and the levels or the published groups.

    Groups are many and their texts are few: each text stands once, and groups are lists of their numbers.
    """
    hierarchies = plan.frequency.hierarchies
    attributes = {h.attribute: rules[h.attribute].words for h in hierarchies}
    if plan.node is not None:
        return {"hierarchies": attributes, "levels": published_levels(plan, rules)}
    listed, numbers = {}, []
    for d, h in enumerate(hierarchies):
        listed[h.attribute], of_group = _entries(plan, d, rules[h.attribute])
        numbers.append(of_group)
    # Each group once, in the order of its texts: an order of their own would tell of the rows.
    _, each = np.unique(number_equal(numbers, plan.group_count), return_index=True)
    groups = [of_group[each].tolist() for of_group in numbers]
    return {"hierarchies": attributes, "texts": listed, "groups": [list(group) for group in zip(*groups, strict=True)]}


def _entries(plan: Recoding, attribute: int, rule: PublishedRule) -> tuple[list[dict[str, Any]], IntArray]:
    """What is published of an attribute, each once, in an order that says nothing; and its number for each group."""
    hierarchy = plan.frequency.hierarchies[attribute]
    texts, text = published_values(plan, attribute)
    low, high = plan.low[:, attribute], plan.high[:, attribute]
    distinct = number_equal([low, high, text], len(text))
    _, first, number = np.unique(distinct, return_index=True, return_inverse=True)
    made = [_entry(hierarchy, int(low[g]), int(high[g]), texts[text[g]], rule) for g in first.tolist()]
    unique = {repr(entry): entry for entry in made}
    place = {key: i for i, key in enumerate(sorted(unique))}
    of_made = np.array([place[repr(entry)] for entry in made], dtype=np.int64)
    return [unique[key] for key in place], of_made[number.reshape(-1)]


def mapped_groups(mapping: Mapping[str, Any], attributes: Sequence[str]) -> MappedGroups:
    """The groups of a mapping. Of one that somebody else wrote, it raises what reading such things raises.

    >>> texts = {"sex": [{"text": "*", "parts": [[1, "*"]]}, {"text": "f", "parts": [[0, "f"]]}]}
    >>> mapped_groups({"texts": texts, "groups": [[0], [1]]}, ["sex"]).texts()
    [('*',), ('f',)]
    """
    entries = tuple(mapping["texts"][name] for name in attributes)
    groups = mapping["groups"]
    if not all(type(number) is int for group in groups for number in group):  # NumPy takes True for a number
        raise ValueError("not numbers")
    numbers = np.array(groups, dtype=np.int64).reshape(len(groups), len(attributes))
    if (numbers < 0).any() or (numbers >= [len(own) for own in entries]).any():
        raise ValueError("numbers of texts that are not there")
    return MappedGroups(entries, numbers)


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
    groups = mapped_groups(mapping, frequency.attributes)
    low, high, of_box = boxes_of_groups(frequency.hierarchies, groups)
    widths = np.array([max(len(h.leaves) - 1, 1) for h in frequency.hierarchies], dtype=np.float64)
    codes = np.stack(frequency.codes, axis=1)
    box = cheapest_cover(codes, low, high, ((high - low) / widths).sum(axis=1))
    group = np.where(box >= 0, of_box[box], SUPPRESSED) if len(of_box) else box
    texts = tuple(map(tuple, groups.columns()))
    lows = np.full(groups.numbers.shape, np.iinfo(np.int32).max, dtype=np.int32)
    highs = np.zeros_like(lows)
    np.minimum.at(lows, of_box, low)
    np.maximum.at(highs, of_box, high)
    return Recoding(frequency, rows, frequency.counts, group, lows, highs, texts=texts)


def _entry(hierarchy: Hierarchy, low: int, high: int, text: Value, rule: PublishedRule) -> dict[str, Any]:
    """What a group publishes of one attribute, and what that text stands for, in parts.

    A part is a node of the hierarchy [level, name], a run of nodes [level, one, other] with a value that stands for the
    first and for the last of them, the members of a set ["set", …], or a range of numbers or dates ["", from, to] with
    the ends that the text shows: the values that a group really has would say more than the release does. `meanings`
    tells whether a text is what its parts are written as.
    """
    nodes = nodes_of(hierarchy, low, high)
    if text in nodes:
        return {"text": text, "parts": rule.parts(nodes[text], text)}
    if not hierarchy.ordered:  # also a node whose name means something else too
        return {"text": text, "parts": [["set", *hierarchy.labels[0][low : high + 1]]]}
    last_number = hierarchy.last_filled(low, high)
    blanks = [[0, name] for name in hierarchy.labels[0][last_number + 1 : high + 1]]
    high = last_number
    if is_run(hierarchy, low, high):
        return {"text": text, "parts": rule.run(hierarchy, low, high) + blanks}
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


def boxes_of_groups(hierarchies: Sequence[Hierarchy], groups: MappedGroups) -> tuple[Codes, Codes, IntArray]:
    """The published groups as ranges of the new table's leaves, a box for every choice of parts; and its group."""
    numbers = groups.numbers
    runs = []
    for h, own in zip(hierarchies, groups.entries, strict=True):
        finder = RangeFinder(h)
        runs.append(_runs([finder.find(entry["parts"]) for entry in own]))
    many = np.ones_like(numbers)
    for d, (start, _, _) in enumerate(runs):
        many[:, d] = np.diff(start)[numbers[:, d]]
    of_box = np.repeat(np.arange(len(numbers)), many.prod(axis=1))
    choice = np.arange(len(of_box)) - np.searchsorted(of_box, of_box)
    low, high = (np.zeros((len(of_box), len(runs)), dtype=np.int32) for _ in range(2))
    for d in reversed(range(len(runs))):  # the last attribute's parts change fastest
        start, first, last = runs[d]
        run = start[numbers[of_box, d]] + choice % many[of_box, d]
        choice //= many[of_box, d]
        low[:, d], high[:, d] = first[run], last[run]
    return low, high, of_box


def runs_of_groups(hierarchies: Sequence[Hierarchy], groups: MappedGroups) -> tuple[IntArray, Codes, Codes]:
    """The same as runs of leaves, apart and in order: those of group g and attribute d are ``run[g·D + d]:run[… + 1]``.

    Gives `run`, and the first and the last leaf of each.
    """
    known: list[list[tuple[int, int]]] = []
    at = []
    for d, (h, own) in enumerate(zip(hierarchies, groups.entries, strict=True)):
        finder = RangeFinder(h)
        at.append(len(known) + groups.numbers[:, d])
        known += [_apart(finder.find(entry["parts"])) for entry in own]
    start, first, last = _runs(known)
    chosen = np.stack(at, axis=1).reshape(-1)
    many = np.diff(start)[chosen]
    run = np.concatenate([[0], np.cumsum(many)])
    places = np.repeat(start[chosen] - run[:-1], many) + np.arange(run[-1])
    return run, first[places], last[places]


def _runs(each: Sequence[Sequence[tuple[int, int]]]) -> tuple[IntArray, Codes, Codes]:
    """Where the runs of each begin among all, and the first and the last leaf of every run."""
    ends = np.array([run for runs in each for run in runs], dtype=np.int32).reshape(-1, 2)
    start = np.cumsum([0, *map(len, each)], dtype=np.int64)
    return start, ends[:, 0].copy(), ends[:, 1].copy()


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
            codes = (self._code(0, name) for name in part[1:])
            places = sorted(code for code in codes if code is not None)
            starts = [p for i, p in enumerate(places) if i == 0 or places[i - 1] != p - 1]
            ends = [p for i, p in enumerate(places) if i == len(places) - 1 or places[i + 1] != p + 1]
            return list(zip(starts, ends, strict=True))
        if len(part) == 3:
            return self._run(*part)
        level, name = part
        code = self._code(level, h.rule.renamed(name) if level and isinstance(h.rule, Cuts) else name)
        return [] if code is None else [(int(h.first[level][code]), int(h.last[level][code]))]

    def _code(self, level: int, name: Value) -> int | None:
        """A value `*` is called so where it is the only one of a table, and a set of itself among others."""
        code = self._names[level].get(name)
        if code is not None or level or leaf_of(name) != EVERYTHING or EVERYTHING not in self._hierarchy.leaves:
            return code
        return self._hierarchy.leaves.index(EVERYTHING)

    def _run(self, level: int, first: str, last: str) -> list[tuple[int, int]]:
        """From the node of one value to that of another; where the table has nothing in one, what lies between."""
        h = self._hierarchy
        one, other = (self._names[level].get(h.rule.path(value)[level - 1]) for value in (first, last))
        low = bisect_left(self._keys, h.rule.order(first)) if one is None else int(h.first[level][one])
        high = bisect_right(self._keys, h.rule.order(last)) - 1 if other is None else int(h.last[level][other])
        return [(low, high)] if low <= high else []


def _check_levels(hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> None:
    wrong = [
        Mistake(f"mapping.levels.{h.attribute}", f"has no level {level}", f"its levels are 0 to {h.height}")
        for h, level in zip(hierarchies, node, strict=True)
        if not 0 <= level <= h.height
    ]
    if wrong:
        raise DataError(*wrong)
