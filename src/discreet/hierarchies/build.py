"""From a rule and the values of a column to a coded hierarchy, checked to nest."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from discreet.errors import HierarchyError, Mistake, offenders
from discreet.hierarchies.hierarchy import EVERYTHING, Hierarchy, Rule, Value


def build(attribute: str, values: Iterable[Value], rule: Rule) -> Hierarchy:
    """Place every value of a column (and every leaf the rule knows besides) under `rule`.

    Two values that are together on one level stay together on all coarser ones; if the rule breaks that, the
    offenders are listed.
    """
    domain = dict.fromkeys(rule.extra_leaves()) | dict.fromkeys(values)
    paths = {value: rule.path(value) for value in domain}
    # Top-down path first, so that everything that is one value on some level is one range of leaves.
    position: dict[tuple[Value, ...], int] = {}
    for value in sorted(domain, key=rule.order):
        suffix = tuple(reversed(paths[value]))
        for end in range(1, len(suffix) + 1):
            position.setdefault(suffix[:end], len(position))
    leaves = sorted(
        domain,
        key=lambda v: (
            [position[tuple(reversed(paths[v]))[:end]] for end in range(1, len(paths[v]) + 1)],
            rule.order(v),
        ),
    )
    _check_nesting(attribute, leaves, paths)
    height = len(next(iter(paths.values()), ()))
    codes = [np.arange(len(leaves), dtype=np.int32)]
    labels: list[tuple[Value, ...]] = [tuple(leaves)]
    for level in range(height):
        names = [paths[value][level] for value in leaves]
        starts = [i == 0 or names[i] != names[i - 1] for i in range(len(names))]
        codes.append((np.cumsum(starts) - 1).astype(np.int32))
        labels.append(tuple(n for n, s in zip(names, starts, strict=True) if s))
    codes.append(np.zeros(len(leaves), dtype=np.int32))
    labels.append((EVERYTHING,) if leaves else ())
    return Hierarchy(attribute, rule, tuple(leaves), tuple(codes), tuple(labels))


def _check_nesting(attribute: str, leaves: list[Value], paths: dict[Value, tuple[Value, ...]]) -> None:
    mistakes = []
    height = len(next(iter(paths.values()), ()))
    for level in range(height - 1):
        parents: dict[Value, set[Value]] = {}
        for value in leaves:
            parents.setdefault(paths[value][level], set()).add(paths[value][level + 1])
        torn = [name for name, above in parents.items() if len(above) > 1]
        if torn:
            mistakes.append(
                Mistake(
                    f"attributes.{attribute}.hierarchy",
                    f"levels {level + 1} and {level + 2} don't nest: {offenders(torn)} "
                    f"of level {level + 1} would have more than one parent",
                    "give each of them one parent",
                )
            )
    if mistakes:
        raise HierarchyError(*mistakes)
