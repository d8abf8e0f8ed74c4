"""Which rows were put in which group, as the custodian keeps it: where labels overlap, files and source don't tell.

The file names nobody and has no value of the source: it is a list of groups, one for every pair of a combination and a
person in an order that the source gives. It is a proof, and is checked as one: every row must fit the labels of its
group, and each group must have just the rows that are published. If it is so, the release could have been made by this
very list, whoever wrote it, and promises to people are kept or broken by it. If it is not, nothing is judged by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.coding import leaf_numbers, merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, tally
from discreet.counts.owners import Owners, owned
from discreet.counts.wishes import wishes_in_groups
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.publications.published import hierarchy_in_words
from discreet.publications.recoded_tables import Recoded
from discreet.publications.regions import Regions, regions
from discreet.publications.source.people import Standing
from discreet.publications.tables import published_values
from discreet.search.plan import SUPPRESSED, Plan, Recoding

STANDING = "standing.json"
# What reading a file that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


def standing_words(plan: Plan) -> dict[str, Any] | None:
    """What is kept of a plan; None if its rows can't be told so: of a person, some of equal rows stand elsewhere."""
    owners = plan.frequency.owners
    if not isinstance(plan, Recoding) or owners is None or len(np.unique(plan.row)) < len(plan.row):
        return None
    group = np.full(len(plan.frequency.counts), SUPPRESSED, dtype=np.int64)
    group[plan.row] = plan.group
    columns = [published_values(plan, d) for d in range(len(plan.frequency.hierarchies))]
    names = [texts for texts, _ in columns]
    labels = [
        [texts[code] for texts, code in zip(names, codes, strict=True)]
        for codes in zip(*(codes.tolist() for _, codes in columns), strict=True)
    ]
    return {"groups": labels, "standing": group[owners.row[_in_order(plan.frequency, owners)]].tolist()}


def _in_order(f: FrequencySet, owners: Owners) -> IntArray:
    """The pairs of combination and person by their texts: an order that hangs on no hierarchy.

    Whoever has no name is told apart by nothing.
    """
    named = 0 if owners.names is None else len(owners.names)
    columns = [
        *(_ranks(h)[codes[owners.row]] for h, codes in zip(f.hierarchies, f.codes, strict=True)),
        *(_ranks(f.sensitive_hierarchies[name])[codes[owners.row]] for name, codes in f.sensitive.items()),
        np.minimum(owners.person, named),
    ]
    return np.lexsort(columns[::-1])


def _ranks(hierarchy: Hierarchy) -> IntArray:
    """The place of each leaf among the texts in order, NULL first."""
    order = sorted(range(len(hierarchy.leaves)), key=lambda leaf: _key(hierarchy.leaves[leaf]))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _key(text: Value) -> tuple[bool, str]:
    return (False, "") if text is None else (True, text)


def kept_standing(
    words: Mapping[str, Any], published: Recoded, table: FrequencySet, mapping: Mapping[str, Any]
) -> Standing | None:
    """The published groups by the rows that stand in them, as it was kept; None if that can't be."""
    owners = table.owners
    if owners is None:
        return None
    try:
        texts = published.texts()
        number = {text: i for i, text in enumerate(texts)}
        becomes = np.array([*(number[tuple(text)] for text in words["groups"]), SUPPRESSED], dtype=np.int64)
        listed = np.array(words["standing"], dtype=np.int64)
        known = (listed >= SUPPRESSED) & (listed < len(becomes) - 1)
        if len(listed) != len(owners.row) or not known.all():
            return None
        group = np.empty(len(listed), dtype=np.int64)
        group[_in_order(table, owners)] = becomes[listed]
        fit = _fits(table, owners, group, mapping, texts) and _are_published(table, owners, group, published)
    except _NOT_OURS:
        return None
    return _standing(table, owners, group, published.groups) if fit else None


def _fits(
    table: FrequencySet, owners: Owners, group: IntArray, mapping: Mapping[str, Any], texts: list[tuple[Value, ...]]
) -> bool:
    """Are the labels of its group true of every row?"""
    words = mapping["hierarchies"]
    told = [hierarchy_in_words(h.attribute, words[h.attribute], h.leaves) for h in table.hierarchies]
    here = np.flatnonzero(group >= 0)
    codes = np.stack(
        [
            leaf_numbers(rule, own.leaves)[c][owners.row[here]]
            for rule, own, c in zip(told, table.hierarchies, table.codes, strict=True)
        ],
        axis=1,
    )
    return bool(_inside(regions(told, mapping, texts), codes, group[here]).all())


def _inside(boxes: Regions, codes: Any, group: IntArray) -> Any:
    """Is each combination in a box of its group?"""
    order = np.argsort(boxes.group, kind="stable")
    starts = np.searchsorted(boxes.group[order], np.arange(boxes.groups + 1))
    many = np.diff(starts)
    inside = np.zeros(len(group), dtype=np.bool_)
    for nth in range(int(many.max(initial=0))):
        has = many[group] > nth
        box = order[np.minimum(starts[group] + nth, len(order) - 1)]
        inside |= has & ((boxes.low[box] <= codes) & (codes <= boxes.high[box])).all(axis=1)
    return inside


def _are_published(table: FrequencySet, owners: Owners, group: IntArray, published: Recoded) -> bool:
    """Has every group the rows that are published of it, no more and no fewer?"""
    here, shown = np.flatnonzero(group >= 0), np.flatnonzero(published.group >= 0)
    sizes = [max(published.groups, 1)]
    ours: list[Any] = [group[here]]
    theirs: list[Any] = [published.group[shown]]
    width = len(published.frequencies.values) - len(published.sensitive)
    texts, codes = published.frequencies.values[width:], published.frequencies.codes[width:]
    for i, name in enumerate(published.sensitive):
        hierarchy = table.sensitive_hierarchies[name]
        sizes.append(len(hierarchy.leaves))
        ours.append(table.sensitive[name][owners.row[here]])
        # What stands in the place of rows that were left out (*) need not be a value of the source.
        leaves = np.array([hierarchy.index.get(text, -1) for text in texts[i]], dtype=np.int64)[codes[i][shown]]
        if (leaves < 0).any():
            return False
        theirs.append(leaves)
    mine, counts = merged(ours, sizes, owners.count[here])
    others, wanted = merged(theirs, sizes, published.frequencies.counts[shown])
    return np.array_equal(counts, wanted) and all(map(np.array_equal, mine, others))


def _standing(table: FrequencySet, owners: Owners, group: IntArray, groups: int) -> Standing:
    here = np.flatnonzero(group >= 0)
    of, row, count = group[here], owners.row[here], owners.count[here]
    tallies = {
        name: tally(of, codes[row], count, groups, table.totals[name], table.sensitive_hierarchies[name])
        for name, codes in table.sensitive.items()
    }
    values = {name: (codes[row], owners.values[name]) for name, codes in table.sensitive.items()}
    people = owned(of, owners.person[here], count, groups, values)
    sizes = np.bincount(of, weights=count, minlength=groups).astype(np.int64)
    wishes = wishes_in_groups(table.wishes, row, of, groups)
    return Standing(
        Groups(sizes, tallies, owners=people, wishes=wishes), np.ones(groups, dtype=np.bool_), people.people
    )
