"""Promises in people: what `role: person` adds to what a promise says of rows, in fractions.

Rows are published unlinked, so whoever looks for somebody knows his quasi-identifiers and how many rows of a group are
his, and not which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from campaign.promises.case import Case, Value
from campaign.promises.definitions import Counts, Paths, keeps, number

Owner = Hashable


def owners(case: Case) -> list[Owner]:
    """Whose each row is; one without a name is somebody's of whom there is no other."""
    assert case.person is not None
    return [place if name is None else name for place, name in enumerate(case.column(case.person))]


def chance(rows: int, having: int, own: int) -> Fraction:
    """How likely it is that one of somebody's own rows has a value, if `having` of the group's rows have it.

    >>> [round(float(chance(10, 3, own)), 4) for own in (1, 2, 5)]
    [0.3, 0.5333, 0.9167]
    """
    return 1 - Fraction(comb(rows - having, own), comb(rows, own))


def counts(group: Sequence[tuple[Owner, Value]]) -> Counts:
    """How many people have each value: everybody once for each.

    >>> counts([("ann", "flu"), ("ann", "flu"), ("ann", "cold"), ("bob", "flu")])
    Counter({'flu': 2, 'cold': 1})
    """
    return Counter(value for _, value in set(group))


def keeps_by_people(
    promise: Mapping[str, Any], group: Sequence[tuple[Owner, Value]], table: Counts, paths: Paths | None = None
) -> bool:
    """Does a group of these rows, each of somebody and with a value, keep the promise? `table` counts all people.

    >>> five_visits = [("ann", "flu")] * 3 + [("ann", "cold")] * 2
    >>> keeps_by_people({"k_anonymity": {"k": 5}}, five_visits, Counter())
    False
    """
    [(word, about)] = promise.items()
    people = len({owner for owner, _ in group})
    if word == "k_anonymity":
        return people >= number(about["k"])
    limit = limit_of(promise)
    if limit is not None:
        own = max(Counter(owner for owner, _ in group).values())
        most = max(Counter(value for _, value in group).values())
        return people >= number(about.get("k", 1)) and chance(len(group), most, own) <= limit
    return keeps(promise, counts(group), table, paths)


def limit_of(promise: Mapping[str, Any]) -> Fraction | None:
    """How sure anybody may be that somebody has a value, if the promise says that.

    >>> limit_of({"l_diversity": {"l": 4, "kind": "frequency"}}), limit_of({"l_diversity": {"l": 4}})
    (Fraction(1, 4), None)
    """
    [(word, about)] = promise.items()
    match word:
        case "alpha_k":
            return number(about["alpha"])
        case "ambiguity":
            return number(about["beta"])
        case "robust":
            return 1 / number(about["r"])
        case "l_diversity" if about.get("kind") == "frequency":
            return 1 / number(about["l"])
    return None
