"""`sweep`: policies that differ in a few values, of a table and a policy in whichever form both are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.python.arguments import WORDS, policy_of, table_of
from discreet.run.sweep import Sweep
from discreet.run.sweep import sweep as run

_LISTS = {"attributes", "require", "private"}  # words whose own value is a list or a mapping: never varied
_FIXED = {word.name for word in WORDS}


def sweep(
    table: Any = None,
    policy: Any = None,
    *,
    source: Any = None,
    one_in: int | None = None,
    progress: Progress = silent,
    **varied: Any,
) -> Sweep:
    """What `anonymize` would deliver by policies that differ in a few values: losses, errors and risks side by side.

    Table and policy are given as to `anonymize`; a policy or its words may also come first, without a table or with
    `source`. All other names are what is varied, each with a list of values: words of the policy (`publish`,
    `suppress`, `search`, `utility`, `suppressed`) and parameters of its promises: `k` is that of all promises that have
    one, ``**{"l_diversity.l": [2, 3]}`` that of one. Words of the policy with one value (`seed=1`) are the policy's.
    `one_in` is the limit of risk (`Risk.above`) for all points; if nothing is said, what the policy as it stands asks
    for, or 1 in 10. The table is counted once. Values that don't go together, and policies that no release keeps, are
    points too, which say why.

    >>> import discreet
    >>> table = {"age": ["23", "27", "31", "38"] * 3, "disease": ["flu", "cold", "cold", "gout"] * 3}
    >>> swept = discreet.sweep(
    ...     table,
    ...     attributes={"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    ...     require=[{"k_anonymity": {"k": 2}}], seed=1, k=[3, 6, 13])
    >>> [(p.settings, p.groups, round(p.risk.mean, 3)) for p in swept.points if p.possible]
    [((3,), 4, 0.333), ((6,), 1, 0.083)]
    >>> swept.points[2].why
    "13-anonymity can't be had: the table has 12 rows, and no group has more; ask for k of at most 12"
    """
    if policy is None and _is_policy(table):
        table, policy = None, table
    table, mistakes = table_of(table, source)
    own = {
        name: value
        for name, value in varied.items()
        if name in _FIXED and (name in _LISTS or not isinstance(value, list | tuple))
    }
    made = policy_of(policy, own, mistakes)
    rest = {name: values for name, values in varied.items() if name not in own}
    return run(made, rest, source=table, one_in=one_in, progress=progress)


def _is_policy(given: object) -> bool:
    """Whether this is a policy, or its words: no table has a column of promises beside one of attributes."""
    return isinstance(given, Policy) or (isinstance(given, Mapping) and "attributes" in given and "require" in given)
