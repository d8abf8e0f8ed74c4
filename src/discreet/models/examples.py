"""Groups written out by hand, for examples and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.counts.groups import Groups, tally
from discreet.hierarchies.build import build
from discreet.hierarchies.hierarchy import Value
from discreet.hierarchies.rules import Flat, Taxonomy


def groups_of(
    attribute: str,
    *groups: Sequence[Value],
    table: Sequence[Value] | None = None,
    paths: Mapping[Value, tuple[Value, ...]] | None = None,
) -> Groups:
    """Groups that have these sensitive values; the whole table is all of them together, if it is not given.

    >>> groups_of("disease", ["flu", "flu", "cold"], ["flu"]).sizes
    array([3, 1])
    """
    rows = [value for group in groups for value in group]
    table = rows if table is None else table
    hierarchy = build(attribute, table, Flat() if paths is None else Taxonomy(paths))
    code = hierarchy.index
    reference = np.bincount([code[value] for value in table], minlength=len(hierarchy.leaves)).astype(np.int64)
    number = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    values = np.array([code[value] for value in rows], dtype=np.int32)
    counted = tally(number, values, np.ones(len(rows), dtype=np.int64), len(groups), reference, hierarchy)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    return Groups(sizes, {attribute: counted})
