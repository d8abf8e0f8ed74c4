"""Which rows were put in which group, as the custodian keeps it, where files and source don't tell.

The file names nobody and has no value of the source: it is a list of groups, one for every row in an order that the
source gives. It is a proof, and is checked as one: every row must fit its group, and each group must have just what is
published of it. If it is so, the release could have been made by this very list, whoever wrote it, and promises to
people are kept or broken by it. If it is not, nothing is judged by it.

Of coarser values it is enough to know which of a person's rows with some sensitive values stand where: rows that differ
in their quasi-identifiers alone may be exchanged among these groups as far as the labels hold them, and groups have the
same people. So a list can be told by whoever has looked at the table no closer than it is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.arrays import IntArray, number_equal
from discreet.counts.coding import leaf_numbers, merged
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import Groups, tally
from discreet.counts.owners import Owners, owned
from discreet.errors import DataError, Mistake, ReleaseError
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.base import PrivacyModel
from discreet.policy.kinds import PUBLICATIONS
from discreet.publications.mapping import MappedGroups, mapped_groups, runs_of_groups
from discreet.publications.published import Manifest, Published, hierarchy_in_words
from discreet.publications.recoded_tables import Recoded
from discreet.publications.source.assignment import Asked, Labels, Offered, unplaced
from discreet.publications.source.people import Standing, judged_by_people
from discreet.publications.tables import published_values
from discreet.search.plan import SUPPRESSED, Plan, Recoding

STANDING = "standing.json"
# What reading a file that we did not write can raise.
_NOT_OURS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


def standing_words(plan: Plan, numbers: IntArray | None = None) -> dict[str, Any] | None:
    """What is kept of a plan; None if its rows can't be told so: of a person, some of equal rows stand elsewhere.

    The groups of a release of exact values are published under these `numbers`; those of others have labels.
    """
    f, owners = plan.frequency, plan.frequency.owners
    if owners is None:
        return None
    if owners.apart:
        pair, group, count = plan.row, plan.group, plan.count
    elif len(np.unique(plan.row)) == len(plan.row):
        of_row = np.full(len(f.counts), SUPPRESSED, dtype=np.int64)
        of_row[plan.row] = plan.group
        pair, group, count = np.arange(len(owners.row)), of_row[owners.row], owners.count
    else:
        return None
    left = owners.count - np.bincount(pair, weights=count, minlength=len(owners.count)).astype(np.int64)
    some = np.flatnonzero(left)  # of a plan that does not speak of all rows, the others are left out
    pair = np.concatenate([pair, some])
    group, count = np.concatenate([group, np.full(len(some), SUPPRESSED)]), np.concatenate([count, left[some]])
    columns = person_columns(f, owners, exact=plan.exact)
    order = np.lexsort((group, *(column[pair] for column in reversed(columns))))
    listed = np.repeat(group[order], count[order])
    if not isinstance(plan, Recoding):
        assert numbers is not None, "exact values are published in groups that have numbers"
        return {"standing": np.where(listed < 0, 0, numbers[listed]).tolist()}
    published = [published_values(plan, d) for d in range(len(f.hierarchies))]
    names = [texts for texts, _ in published]
    labels = [
        [texts[code] for texts, code in zip(names, codes, strict=True)]
        for codes in zip(*(codes.tolist() for _, codes in published), strict=True)
    ]
    return {"groups": labels, "standing": listed.tolist()}


def judged_and_kept(
    models: Sequence[PrivacyModel],
    plan: Plan,
    numbers: IntArray | None,
    published: Published,
    table: FrequencySet,
    mapping: Mapping[str, Any] | None,
    manifest: Manifest,
) -> dict[str, Any] | None:
    """What is promised to people, once more: by the tables as they were written, and whose rows fit them.

    Where tables and source don't tell that, what the custodian keeps of it, to tell later. What can't be judged so is
    not published.
    """
    if table.owners is None:
        return None
    kind, kept = PUBLICATIONS[manifest["publish"]], None
    standing = kind.standing(published, table, mapping, manifest)
    if standing is None or not standing.certain.all():
        kept = standing_words(plan, numbers)
        proven = None if kept is None else kind.proven(kept, published, table, mapping, manifest)
        standing = standing if proven is None else proven
    told = None if standing is None else judged_by_people(models, standing)
    if told is not None and told.mistakes:
        raise ReleaseError(*told.mistakes)
    if told is None or told.undecided:
        rule = "can't be judged by people once more: what was written does not tell whose rows stand where"
        raise ReleaseError(Mistake("release", rule, "publish in another way, and tell us"))
    return kept


def person_columns(f: FrequencySet, owners: Owners, *, exact: bool) -> list[IntArray]:
    """What tells pairs of combination and person apart in the list, as places in the order of texts: so the order
    hangs on no hierarchy. Whoever has no name is told apart by nothing.
    """
    named = 0 if owners.names is None else len(owners.names)
    quasi_identifiers = [_ranks(h)[codes[owners.row]] for h, codes in zip(f.hierarchies, f.codes, strict=True) if exact]
    sensitive = [_ranks(f.sensitive_hierarchies[name])[codes[owners.row]] for name, codes in f.sensitive.items()]
    return [*quasi_identifiers, *sensitive, np.minimum(owners.person, named).astype(np.int64)]


def _ranks(hierarchy: Hierarchy) -> IntArray:
    """The place of each leaf among the texts in order, NULL first."""
    order = sorted(range(len(hierarchy.leaves)), key=lambda leaf: _key(hierarchy.leaves[leaf]))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _key(text: Value) -> tuple[bool, str]:
    return (False, "") if text is None else (True, text)


def listed_rows(owners: Owners, columns: Sequence[IntArray]) -> IntArray:
    """The pair of combination and person of each row, in the order of the list."""
    order = np.lexsort(tuple(reversed(columns)))
    return np.repeat(order, owners.count[order])


def kept_standing(
    words: Mapping[str, Any], published: Recoded, table: FrequencySet, mapping: Mapping[str, Any]
) -> Standing | None:
    """The published groups by the rows that stand in them, as it was kept; None if that can't be."""
    owners = table.owners
    if owners is None or "levels" in mapping:  # where labels don't overlap, nothing need be kept
        return None
    try:
        number = {text: i for i, text in enumerate(published.texts())}
        becomes = np.array([*(number[tuple(text)] for text in words["groups"]), SUPPRESSED], dtype=np.int64)
        listed = whole_numbers(words["standing"])
        known = (listed >= SUPPRESSED) & (listed < len(becomes) - 1)
        columns = person_columns(table, owners, exact=False)
        pair = listed_rows(owners, columns)
        if len(listed) != len(pair) or not known.all():
            return None
        group = becomes[listed]
        fit = _are_published(table, owners.row[pair], group, published) and _fit(
            table, owners, columns, pair, group, published, mapping
        )
    except (*_NOT_OURS, DataError):
        return None
    return _standing(table, owners, pair, group, published.groups) if fit else None


def whole_numbers(listed: Any) -> IntArray:
    """A list of whole numbers that somebody else wrote; raises what reading such things raises."""
    if not isinstance(listed, list) or not all(type(number) is int for number in listed):  # NumPy takes True for one
        raise ValueError("not numbers")
    return np.array(listed, dtype=np.int64)


def _fit(
    table: FrequencySet,
    owners: Owners,
    columns: Sequence[IntArray],
    pair: IntArray,
    group: IntArray,
    published: Recoded,
    mapping: Mapping[str, Any],
) -> bool:
    """Can a person's rows with some sensitive values be given to their groups so that the labels are true of each?"""
    told = [hierarchy_in_words(h.attribute, mapping["hierarchies"][h.attribute], h.leaves) for h in table.hierarchies]
    leaves = [
        leaf_numbers(rule, own.leaves)[c][owners.row]
        for rule, own, c in zip(told, table.hierarchies, table.codes, strict=True)
    ]
    mapped = mapped_groups(mapping, [h.attribute for h in told])
    place = {text: i for i, text in enumerate(mapped.texts())}
    of_group = mapped.numbers[[place[text] for text in published.texts()]]
    runs = runs_of_groups(told, MappedGroups(mapped.entries, of_group))
    kind = number_equal(list(columns), len(owners.row))
    here = np.flatnonzero(group >= 0)
    (of_kind, of_place), count = merged(
        [kind[pair[here]], group[here]], [int(kind.max(initial=0)) + 1, published.groups], np.ones(len(here), np.int64)
    )
    wanted = Asked(of_kind.astype(np.int64), of_place.astype(np.int64), count)
    offered = Offered(kind, np.stack(leaves, axis=1).astype(np.int32), owners.count)
    return unplaced(offered, wanted, Labels(*runs, tuple(len(h.leaves) for h in told))) == 0


def _are_published(table: FrequencySet, row: IntArray, group: IntArray, published: Recoded) -> bool:
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
        ours.append(table.sensitive[name][row[here]])
        # What stands in the place of rows that were left out (*) need not be a value of the source.
        leaves = np.array([hierarchy.index.get(text, -1) for text in texts[i]], dtype=np.int64)[codes[i][shown]]
        if (leaves < 0).any():
            return False
        theirs.append(leaves)
    return same_counts(ours, np.ones(len(here), np.int64), theirs, published.frequencies.counts[shown], sizes)


def same_counts(
    ours: Sequence[Any], mine: IntArray, theirs: Sequence[Any], others: IntArray, sizes: Sequence[int]
) -> bool:
    """Are these the same combinations of codes, each as often?"""
    own, counts = merged(ours, sizes, mine)
    shown, wanted = merged(theirs, sizes, others)
    return np.array_equal(counts, wanted) and all(map(np.array_equal, own, shown))


def _standing(table: FrequencySet, owners: Owners, pair: IntArray, group: IntArray, groups: int) -> Standing:
    here = np.flatnonzero(group >= 0)
    of, row, count = group[here], owners.row[pair[here]], np.ones(len(here), dtype=np.int64)
    tallies = {
        name: tally(of, codes[row], count, groups, table.totals[name], table.sensitive_hierarchies[name])
        for name, codes in table.sensitive.items()
    }
    values = {name: (codes[row], owners.values[name]) for name, codes in table.sensitive.items()}
    people = owned(of, owners.person[pair[here]], count, groups, values)
    sizes = np.bincount(of, minlength=groups).astype(np.int64)
    return Standing(Groups(sizes, tallies, owners=people), np.ones(groups, dtype=np.bool_), people.people)
