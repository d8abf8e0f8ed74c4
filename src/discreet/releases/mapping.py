"""The mapping of a release as a file: how values were recoded, so that later rows can be published the same way.

It holds rules, levels and published values only, never a combination that somebody had.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.counts.frequency import FrequencySet
from discreet.errors import DataError, Mistake
from discreet.hierarchies.hierarchy import Codes, Hierarchy
from discreet.releases.kernels import cheapest_cover
from discreet.releases.tables import published_values
from discreet.search.plan import Plan


def mapping_of(plan: Plan) -> dict[str, Any]:
    """What `recode` needs: the rule of every attribute, and the levels or the published groups."""
    hierarchies = plan.frequency.hierarchies
    attributes = {h.attribute: h.rule.to_words() for h in hierarchies}
    if plan.node is not None:
        return {"hierarchies": attributes, "levels": dict(zip(plan.frequency.attributes, plan.node, strict=True))}
    columns = []
    for d, h in enumerate(hierarchies):
        texts, of_group = published_values(plan, d)
        ranges = zip(plan.low[:, d].tolist(), plan.high[:, d].tolist(), of_group.tolist(), strict=True)
        columns.append([(*_range_words(h, low, high), texts[text]) for low, high, text in ranges])
    return {"hierarchies": attributes, "groups": [list(g) for g in sorted({*zip(*columns, strict=True)}, key=repr)]}


def recode(frequency: FrequencySet, mapping: Mapping[str, Any]) -> Plan:
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
        return Plan(frequency, low[first], high[first], rows, frequency.counts, group.astype(np.int64), node)
    low, high = _ranges(frequency.hierarchies, mapping["groups"])
    widths = np.array([max(len(h.leaves) - 1, 1) for h in frequency.hierarchies], dtype=np.float64)
    codes = np.stack(frequency.codes, axis=1)
    group = cheapest_cover(codes, low, high, ((high - low) / widths).sum(axis=1))
    texts = tuple(tuple(entry[2] for entry in column) for column in zip(*mapping["groups"], strict=True))
    return Plan(frequency, low, high, rows, frequency.counts, group, texts=texts)


def _range_words(hierarchy: Hierarchy, low: int, high: int) -> tuple[Any, ...]:
    """A published range: (from, to) of an ordered attribute, else (level, name)."""
    if hierarchy.ordered:
        return hierarchy.leaves[low], hierarchy.leaves[high]
    level = next(
        n
        for n in range(hierarchy.height + 1)
        if hierarchy.first[n][hierarchy.codes[n][low]] == low and hierarchy.last[n][hierarchy.codes[n][low]] == high
    )
    return level, hierarchy.labels[level][int(hierarchy.codes[level][low])]


def _ranges(hierarchies: Sequence[Hierarchy], groups: Sequence[Sequence[Any]]) -> tuple[Codes, Codes]:
    """The published groups as ranges of the new table's leaves; an empty range (high < low) where it has none."""
    low = np.zeros((len(groups), len(hierarchies)), dtype=np.int32)
    high = np.full_like(low, -1)
    for d, h in enumerate(hierarchies):
        names = [{name: code for code, name in enumerate(names)} for names in h.labels]
        keys = [h.rule.order(leaf) for leaf in h.leaves] if h.ordered else []
        for g, group in enumerate(groups):
            a, b, _ = group[d]
            if h.ordered:
                low[g, d], high[g, d] = bisect_left(keys, h.rule.order(a)), bisect_right(keys, h.rule.order(b)) - 1
            elif b in names[a]:
                code = names[a][b]
                low[g, d], high[g, d] = h.first[a][code], h.last[a][code]
    return low, high


def _check_levels(hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> None:
    wrong = [
        Mistake(f"mapping.levels.{h.attribute}", f"has no level {level}", f"its levels are 0 to {h.height}")
        for h, level in zip(hierarchies, node, strict=True)
        if not 0 <= level <= h.height
    ]
    if wrong:
        raise DataError(*wrong)
