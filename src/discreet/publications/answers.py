"""COUNT queries answered from a release of each kind: from a plan, before it is published, and from the files after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

import numpy as np

from discreet.arrays import FloatArray, IntArray
from discreet.counts.frequency import FrequencySet
from discreet.counts.groups import People, Tally, tally
from discreet.engines.base import Frequencies
from discreet.errors import Mistake, PolicyError, did_you_mean
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.publications.ambiguous_tables import Ambiguous
from discreet.publications.bucketized_tables import Bucketized
from discreet.publications.grouped import Grouped
from discreet.publications.published import Manifest
from discreet.publications.recoded_tables import Recoded
from discreet.publications.source.table import value_codes
from discreet.search.plan import Ambiguity, Bucketization, Plan, Recoding
from discreet.utility.estimates import Combinations, estimates, estimates_exact, published_ranges, published_sets
from discreet.utility.published import read_published
from discreet.utility.queries import Workload


@singledispatch
def answers(plan: Plan, workload: Workload) -> FloatArray:
    """What an analyst who sees the release alone answers to each query (spec 02).

    Σ over groups of the people with a qualifying sensitive value, times the share of the group that qualifies by its
    quasi-identifiers: by overlap of ranges (recoded), of its exact people (bucketized), or table by table of the
    distinct values in it (ambiguous). Suppressed rows are in no group, and so in no answer.
    """
    raise TypeError(f"no way to answer queries from a {type(plan).__name__}")


def can_answer(plan: Plan) -> bool:
    """Does anybody know how to answer queries from such a plan?"""
    return answers.dispatch(type(plan)) is not answers.dispatch(object)


@answers.register
def from_recoding(plan: Recoding, workload: Workload) -> FloatArray:
    """By the overlap of a query's ranges with the published ones."""
    places, counted = _places(plan, workload)
    names = enumerate(plan.frequency.attributes)
    parts = [published_ranges(places[name], plan.low[:, d], plan.high[:, d]) for d, name in names if name in places]
    return estimates(workload, parts, plan.groups.sizes, counted)


@answers.register
def from_bucketization(plan: Bucketization, workload: Workload) -> FloatArray:
    """By the exact people of each group."""
    places, counted = _places(plan, workload)
    return estimates_exact(workload, [_everybody(plan.people, places)], plan.groups.sizes, counted)


@answers.register
def from_ambiguity(plan: Ambiguity, workload: Workload) -> FloatArray:
    """Table by table, by the distinct values of each group."""
    places, counted = _places(plan, workload)
    tables = [_apart(plan.people, table, places) for table in plan.tables]
    return estimates_exact(workload, tables, plan.groups.sizes, counted)


def from_bucketized(bucketized: Bucketized, table: FrequencySet, workload: Workload) -> FloatArray:
    """What both tables answer. The source (`table`) only says which values there are."""
    tables = [_entries(bucketized.people, bucketized.quasi_identifiers, table, workload, counted=True)]
    values = _tally_of(bucketized.values, bucketized.sensitive, table, workload)
    return estimates_exact(workload, tables, bucketized.people.sizes, values)


def from_ambiguous(ambiguous: Ambiguous, table: FrequencySet, workload: Workload) -> FloatArray:
    """What all tables answer."""
    sets = zip(ambiguous.auxiliary, ambiguous.sets, strict=True)
    tables = [_entries(auxiliary, attributes, table, workload) for auxiliary, attributes in sets]
    values = _tally_of(ambiguous.values, ambiguous.sensitive, table, workload)
    return estimates_exact(workload, tables, ambiguous.values.sizes, values)


def from_recoded(published: Recoded, manifest: Manifest, table: FrequencySet, workload: Workload) -> FloatArray:
    """Answers from a table whose texts stand for sets of leaves; rows that are all ``*`` are in no group."""
    kept = published.group >= 0
    frequencies, group = published.frequencies, published.group[kept]
    counts = frequencies.counts[kept]
    first = np.unique(group, return_index=True)[1]
    level = manifest["node"] or {}
    quasi_identifiers = [c for c in manifest["columns"] if manifest["roles"][c] == "quasi_identifier"]
    leaves = dict(zip(table.attributes, table.hierarchies, strict=True))
    parts = [
        published_sets(
            workload.attributes.index(name),
            frequencies.codes[i][kept][first].astype(np.int64),
            _leaves(frequencies.values[i], leaves[name], level.get(name)),
        )
        for i, name in enumerate(quasi_identifiers)
        if name in workload.attributes
    ]
    own = Grouped(
        "", Frequencies(frequencies.values, tuple(c[kept] for c in frequencies.codes), counts), group, published.groups
    )
    names = [*quasi_identifiers, *published.sensitive]
    return estimates(workload, parts, own.sizes, _tally_of(own, names, table, workload))


def _places(plan: Plan, workload: Workload) -> tuple[dict[str, int], Tally | None]:
    """Where the workload speaks of each quasi-identifier, and the tally of its sensitive attribute, if it has one."""
    last = workload.attributes[-1]
    tally = plan.groups.tallies.get(last)
    named = workload.attributes if tally is None else workload.attributes[:-1]
    known = plan.frequency.attributes
    strange = [a for a in named if a not in known]
    if strange:
        rule = "{!r} is not a quasi-identifier of the plan"
        raise PolicyError(*(Mistake("workload", rule.format(a), did_you_mean(a, known)) for a in strange))
    return {name: place for place, name in enumerate(named)}, tally


def _everybody(people: People, places: Mapping[str, int]) -> Combinations:
    """All quasi-identifiers in one table, with how many people have each combination."""
    named = [d for d, h in enumerate(people.hierarchies) if h.attribute in places]
    return Combinations(
        tuple(places[people.hierarchies[d].attribute] for d in named),
        people.offsets,
        tuple(people.codes[d] for d in named),
        people.counts,
    )


def _apart(people: People, table: tuple[int, ...], places: Mapping[str, int]) -> Combinations:
    """One table of an ambiguous release: the distinct combinations of its attributes, group by group."""
    from discreet.utility.leaf_bits import distinct

    group = people.group
    _, first = distinct([group, *(people.codes[d] for d in table)], len(group))
    named = [d for d in table if people.hierarchies[d].attribute in places]
    return Combinations(
        tuple(places[people.hierarchies[d].attribute] for d in named),
        np.searchsorted(group[first], np.arange(len(people.offsets))).astype(np.int64),
        tuple(people.codes[d][first] for d in named),
        np.ones(len(first), dtype=np.int64),
    )


def _entries(
    part: Grouped, columns: Sequence[str], table: FrequencySet, workload: Workload, *, counted: bool = False
) -> Combinations:
    """A published table of exact quasi-identifiers, group by group; `counted`, with how often each row is there."""
    order = np.argsort(part.group, kind="stable")
    leaves = dict(zip(table.attributes, table.hierarchies, strict=True))
    named = [(i, workload.attributes.index(c), leaves[c]) for i, c in enumerate(columns) if c in workload.attributes]
    return Combinations(
        tuple(place for _, place, _ in named),
        np.searchsorted(part.group[order], np.arange(part.groups + 1)).astype(np.int64),
        tuple(value_codes(h, part.frequencies.values[i])[part.frequencies.codes[i]][order] for i, _, h in named),
        part.frequencies.counts[order] if counted else np.ones(len(order), dtype=np.int64),
    )


def _tally_of(values: Grouped, names: Sequence[str], table: FrequencySet, workload: Workload) -> Tally | None:
    """How often each group has each value of the workload's sensitive attribute; None if it speaks of none."""
    last = workload.attributes[-1]
    if last not in table.sensitive:
        return None
    hierarchy = table.sensitive_hierarchies[last]
    column = list(names).index(last)
    code = value_codes(hierarchy, values.frequencies.values[column])[values.frequencies.codes[column]]
    return tally(values.group, code, values.frequencies.counts, values.groups, table.totals[last], hierarchy)


def _leaves(texts: Sequence[Value], hierarchy: Hierarchy, level: int | None) -> list[IntArray]:
    """What each text of a column stands for; a column published at one level uses the names of that level."""
    place = {} if level is None else {name: code for code, name in enumerate(hierarchy.labels[level])}
    if level is None or not place.keys() >= set(texts):
        return read_published(texts, hierarchy)
    first, last = hierarchy.first[level], hierarchy.last[level]
    return [np.arange(first[place[text]], last[place[text]] + 1) for text in texts]
