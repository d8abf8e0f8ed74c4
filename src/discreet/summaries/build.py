"""From what an engine counted to a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from discreet.arrays import IntArray
from discreet.counts.coding import leaf_numbers, merged
from discreet.counts.frequency import Edge, FrequencySet
from discreet.counts.structure import chow_liu
from discreet.engines.base import PairCounts, SampledRows
from discreet.errors import Mistake, PolicyError, did_you_mean, shown
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.summaries.histogram import Histogram
from discreet.summaries.network import Network
from discreet.summaries.sample import Sample


def summary_from_pairs(
    pair_counts: PairCounts, hierarchies: Sequence[Hierarchy], sensitive: Mapping[str, Hierarchy], kind: str
) -> Network:
    """A `histogram` or a `network` of the columns that hierarchies are given for."""
    return (histogram_from_pairs if kind == "histogram" else network_from_pairs)(pair_counts, hierarchies, sensitive)


def histogram_from_pairs(
    pair_counts: PairCounts, hierarchies: Sequence[Hierarchy], sensitive: Mapping[str, Hierarchy]
) -> Histogram:
    """Counts of single values alone."""
    return Histogram(tuple(hierarchies), dict(sensitive), _singles(pair_counts, [*hierarchies, *sensitive.values()]))


def network_from_pairs(
    pair_counts: PairCounts,
    hierarchies: Sequence[Hierarchy],
    sensitive: Mapping[str, Hierarchy],
    edges: Iterable[tuple[str, str]] | None = None,
) -> Network:
    """The tree of Chow and Liu over all columns that hierarchies are given for, or the edges that somebody knows."""
    every = [*hierarchies, *sensitive.values()]
    place = [pair_counts.columns.index(h.attribute) for h in every]
    leaf = [leaf_numbers(h, pair_counts.values[c]) for h, c in zip(every, place, strict=True)]
    pairs: dict[Edge, IntArray] = {}
    for i in range(len(every)):
        for j in range(i + 1, len(every)):
            a, b = place[i], place[j]
            counted = pair_counts.pairs.get((min(a, b), max(a, b)))
            if counted is not None:
                pairs[i, j] = counted if a < b else counted.T
    chosen = chow_liu(pairs) if edges is None else _numbered(edges, [h.attribute for h in every], pairs)
    tables = {}
    for i, j in chosen:
        table = np.zeros((len(every[i].leaves), len(every[j].leaves)), dtype=np.int64)
        table[np.ix_(leaf[i], leaf[j])] = pairs[i, j]
        tables[i, j] = table
    return Network(tuple(hierarchies), dict(sensitive), _singles(pair_counts, every), tables)


def sample_from(drawn: SampledRows, hierarchies: Sequence[Hierarchy], sensitive: Mapping[str, Hierarchy]) -> Sample:
    """A sample whose columns are the quasi-identifiers, then the sensitive attributes, in order."""
    every = [*hierarchies, *sensitive.values()]
    frequencies = drawn.found
    codes = [leaf_numbers(h, v)[c] for h, v, c in zip(every, frequencies.values, frequencies.codes, strict=True)]
    columns, counts = merged(codes, [len(h.leaves) for h in every], frequencies.counts)
    width = len(hierarchies)
    frequency = FrequencySet(
        tuple(hierarchies),
        tuple(columns[:width]),
        dict(zip(sensitive, columns[width:], strict=True)),
        dict(sensitive),
        counts,
    )
    leaf_rows = (_by_leaf(h, v, n) for h, v, n in zip(hierarchies, frequencies.values, drawn.singles, strict=False))
    return Sample(frequency, tuple(leaf_rows))


def _singles(pair_counts: PairCounts, hierarchies: Iterable[Hierarchy]) -> tuple[IntArray, ...]:
    """How many rows have each leaf."""
    columns = [(h, pair_counts.columns.index(h.attribute)) for h in hierarchies]
    return tuple(_by_leaf(h, pair_counts.values[c], pair_counts.singles[c]) for h, c in columns)


def _by_leaf(hierarchy: Hierarchy, values: Sequence[Value], counts: IntArray) -> IntArray:
    by_leaf = np.zeros(len(hierarchy.leaves), dtype=np.int64)
    by_leaf[leaf_numbers(hierarchy, values)] = counts
    return by_leaf


def _numbered(edges: Iterable[tuple[str, str]], names: Sequence[str], pairs: Mapping[Edge, IntArray]) -> list[Edge]:
    """Edges by name as edges by number; all mistakes at once."""
    mistakes, chosen = [], []
    together = {name: {name} for name in names}
    for n, edge in enumerate(edges):
        place = f"edges[{n}]"
        strange = [name for name in edge if name not in names]
        mistakes += [Mistake(place, f"no attribute {shown(name)}", did_you_mean(name, names)) for name in strange]
        if strange:
            continue
        i, j = sorted(names.index(name) for name in edge)
        if edge[1] in together[edge[0]]:
            mistakes.append(Mistake(place, "closes a ring: its attributes are connected already", "leave it out"))
        elif (i, j) not in pairs:
            mistakes.append(Mistake(place, "its attributes have too many pairs of values", "leave it out"))
        else:
            joined = together[edge[0]] | together[edge[1]]
            together |= dict.fromkeys(joined, joined)
            chosen.append((i, j))
    if mistakes:
        raise PolicyError(*mistakes)
    return chosen
