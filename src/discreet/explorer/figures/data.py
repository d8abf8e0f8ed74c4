"""What became of the data: each column before and after, sizes of groups, and which pairs still hang together.

Labels are named only if enough people have them (`hidden_below`); all others are told together. Never a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.arrays import Codes, IntArray
from discreet.explorer.figures.candidate import Candidate, candidate, hidden_below, label, people_of_each
from discreet.hierarchies.hierarchy import Hierarchy, Value
from discreet.models.base import least_rows
from discreet.policy.policy import Policy
from discreet.progress import Progress, silent
from discreet.report.associations import associations
from discreet.report.marginals import shown, spread_counts
from discreet.report.release import size_bins
from discreet.run.intake import Counted
from discreet.search.plan import Recoding

MOST_NAMED = 24  # labels of a column; what is rarer is told together
_OTHERS = "(all others)"
_READABLE = 20  # labels that a distribution is best shown with

Share = tuple[Value, float]


def data(policy: Policy, counted: Counted, *, progress: Progress = silent) -> dict[str, Any]:
    """Distributions before and after, groups by size, and how strongly pairs of columns hang together.

    >>> from discreet.policy.policy import policy_from_words
    >>> from discreet.run.intake import count
    >>> policy = policy_from_words({"attributes": {"age": {"role": "quasi_identifier"}},
    ...                             "require": [{"k_anonymity": {"k": 5}}]})
    >>> told = data(policy, count(policy, {"age": ["23"] * 5 + ["31"] * 15}))
    >>> told["columns"][0]["after"], told["groups"][0]
    ([['23', 0.25], ['31', 0.75]], {'low': 5, 'high': 9, 'groups': 1, 'rows': 5})
    """
    made = candidate(policy, counted, progress)
    least, k = hidden_below(policy), least_rows(made.policy.models)
    asked = k if k > 1 else None
    sizes = made.plan.groups.sizes
    together = associations(made.plan)
    return {
        "groups": [{"low": b.low, "high": b.high, "groups": b.groups, "rows": b.rows} for b in size_bins(sizes, asked)],
        "k": asked,
        "unit": policy.whose.by_rows.people,  # what all shares and sizes here count
        "columns": [*_quasi_identifiers(made, least), *_secrets(made, least)],
        "associations": {
            "columns": [shown(name) for name in together.names],
            "before": together.before,
            "after": together.after,
            "measure": "Cramér's V",
        },
    }


def _quasi_identifiers(made: Candidate, least: int) -> list[dict[str, Any]]:
    plan, losses = made.plan, made.plan.losses.tolist()
    columns = []
    for d, h in enumerate(made.frequency.hierarchies):
        level = None if plan.node is None else plan.node[d]
        at = _readable(h, level)
        codes = h.codes[at][made.frequency.codes[d]]
        before, hidden = _named(
            h.labels[at],
            np.bincount(codes, weights=made.frequency.counts, minlength=len(h.labels[at])),
            people_of_each(made.frequency, codes, len(h.labels[at])),
            least,
        )
        columns.append(
            {
                "name": shown(h.attribute),
                "level": level,
                "height": h.height,
                "loss": losses[d],
                "before": before,
                "after": _after(made, d, h, at, least),
                "hidden": hidden,
            }
        )
    return columns


def _readable(h: Hierarchy, level: int | None) -> int:
    """The level at which a column is shown before: the finest with few enough labels, no coarser than it is after."""
    most = h.height - 1 if level is None else level
    return next((at for at in range(max(most, 0)) if len(h.labels[at]) <= _READABLE), max(most, 0))


def _after(made: Candidate, d: int, h: Hierarchy, level: int, least: int) -> list[list[Any]]:
    """The published labels of a column, with the share of published rows that each has; of ranges of all kinds the
    shares of labels of one level, if a range is spread evenly over its values."""
    plan, sizes, people = made.plan, made.plan.groups.sizes, made.plan.groups.persons
    if (
        isinstance(plan, Recoding) and plan.node is None and plan.texts is None
    ):  # mixed ranges, told at labels of one level
        leaves = spread_counts(h, plan.low[:, d], plan.high[:, d], sizes)
        rows = np.bincount(h.codes[level], weights=leaves, minlength=len(h.labels[level]))
        before = people_of_each(made.frequency, h.codes[level][made.frequency.codes[d]], len(rows))
        return _named(h.labels[level], rows, np.minimum(before, rows.astype(np.int64)), least)[0]
    if isinstance(plan, Recoding):
        pairs, of_group = np.unique(np.stack([plan.low[:, d], plan.high[:, d]]), axis=1, return_inverse=True)
        of_group = of_group.reshape(-1)
        labels = [h.label(int(low), int(high)) for low, high in pairs.T]
        if plan.texts is not None:
            labels = [plan.texts[d][int(g)] for g in np.unique(of_group, return_index=True)[1]]
        rows = np.bincount(of_group, weights=sizes, minlength=len(labels))
        return _named(labels, rows, _people(of_group, sizes, people, len(labels), made), least)[0]
    codes = h.codes[level][made.frequency.codes[d]]
    rows = np.bincount(codes, weights=plan.published, minlength=len(h.labels[level]))
    some = _published_people(made, codes, len(h.labels[level]))
    return _named(h.labels[level], rows, some, least)[0]


def _people(group: IntArray, sizes: IntArray, people: IntArray, many: int, made: Candidate) -> IntArray:
    """How many people have each label at least: those of its largest group, where somebody may stand in several."""
    if made.frequency.owners is None:
        return np.bincount(group, weights=sizes, minlength=many).astype(np.int64)
    most = np.zeros(many, dtype=np.int64)
    np.maximum.at(most, group, people)
    return most


def _published_people(made: Candidate, codes: Codes, many: int) -> IntArray:
    """How many people have each code among those of whom all rows are published, at least."""
    f, plan = made.frequency, made.plan
    if f.owners is None:
        return np.bincount(codes, weights=plan.published, minlength=many).astype(np.int64)
    if f is not plan.frequency:  # rows were parted by person: those who are left out are subtracted
        return np.maximum(people_of_each(f, codes, many) - plan.suppressed, 0)
    whole = (plan.published == f.counts)[f.owners.row]
    pairs = codes[f.owners.row[whole]].astype(np.int64) * f.owners.people + f.owners.person[whole]
    return np.bincount(np.unique(pairs) // max(f.owners.people, 1), minlength=many).astype(np.int64)


def _secrets(made: Candidate, least: int) -> list[dict[str, Any]]:
    """Sensitive columns: how common each value is among all, and among those that are published."""
    f, columns = made.frequency, []
    for name, codes in f.sensitive.items():
        h = f.sensitive_hierarchies[name]
        many = len(h.leaves)
        before, hidden = _named(h.leaves, f.totals[name], people_of_each(f, codes, many), least)
        tally = made.plan.groups.tallies[name]
        rows = np.bincount(tally.values, weights=tally.counts, minlength=many)
        some = rows.astype(np.int64) if f.owners is None else _published_people(made, codes, many)
        after, _ = _named(h.leaves, rows, some, least)
        columns.append(
            {"name": shown(name), "level": None, "loss": None, "before": before, "after": after, "hidden": hidden}
        )
    return columns


def _named(
    labels: Sequence[Value], rows: np.ndarray[Any, Any], people: IntArray, least: int
) -> tuple[list[list[Any]], float]:
    """The commonest labels in their order, each with its share of the rows; and the share of those that are too rare.

    What is common but not among the first is told together.
    """
    rows = np.asarray(rows, dtype=np.float64)
    total = max(float(rows.sum()), 1.0)
    common = np.flatnonzero((people >= least) & (rows > 0))
    rare = (rows > 0) & (people < least)
    first = common[np.argsort(-rows[common], kind="stable")[:MOST_NAMED]]
    merged: dict[Value, float] = {}
    for at in np.sort(first).tolist():  # two labels that look alike when shortened are one on the page
        merged[label(labels[at])] = merged.get(label(labels[at]), 0.0) + float(rows[at]) / total
    others = np.setdiff1d(common, first)
    if len(others):
        merged[_OTHERS] = merged.get(_OTHERS, 0.0) + float(rows[others].sum()) / total
    return [[name, share] for name, share in merged.items()], float(rows[rare].sum()) / total
