"""Two releases by the same rules, subtracted: what is left belongs to those who are in one of them only.

Somebody who stays in her group and keeps her values has equal rows in both releases. Rows that both have are taken away
from each, group by group; what remains here are the rows of people who are in this release only, what remains there
those of people who are in the other one only. A group of twenty of which one row remains is a group of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arrays import BoolArray, FloatArray, IntArray, number_equal
from discreet.audit.lines import ASSOCIATION, ESTIMATE, EXACT, Line, line
from discreet.audit.reading.view import Joint, ReleaseView
from discreet.audit.reading.whose import AS_IF, UNSAID, Ownership
from discreet.audit.worlds.overlaps import overlapping

THRESHOLD = 0.5

_KNOWS = "Both releases, and of somebody the group, and whether that person is in only one of them or in both."
_ASSUMES = (
    "That whoever is in both has the same group and the same values in each, and that as many are in both as the rows "
    "allow. Whoever knows that fewer are may be surer, or less sure."
)
_APART = "exact values stand in tables apart, whose groups are numbered anew"
_ANEW = "groups are numbered anew, and groups that look alike need not have the same people"
_OTHER_COLUMNS = "they tell of other quasi-identifiers, or have no sensitive attribute with values in common"
_TOO_MANY = "too many groups of the two may have somebody in common"
_NO_TWIN = "no group has the same labels in both"


@dataclass(frozen=True, eq=False)
class _Parts:
    """The rows of two releases by label (groups with equal labels have one), and of each what both have.

    `group` has the first group of this release with each label, −1 where it has none.
    """

    label: IntArray  # of each distinct row
    codes: tuple[IntArray, ...]  # its sensitive values
    here: IntArray
    there: IntArray
    group: IntArray

    @property
    def both(self) -> IntArray:
        common: IntArray = np.minimum(self.here, self.there)
        return common


def subtraction(view: ReleaseView, other: ReleaseView, threshold: float | None = None) -> tuple[list[Line], str]:
    """A line per sensitive attribute that both releases have; or none, and why she can't be asked.

    She holds both releases and finds people's groups in them. She wants somebody's value, and has won where one is more
    likely than the threshold: n(v) / n of the rows that remain of the person's group. Groups without equals in the
    other release whose labels meet others of it can't be subtracted, and are counted apart.
    """
    if not (view.kind.labelled and other.kind.labelled):
        return [], _APART
    if view.kind.has_groups or other.kind.has_groups:
        return [], _ANEW
    names = [r.attribute for r in view.regions]
    attributes = _in_common(view.joint, other.joint)
    if sorted(names) != sorted(r.attribute for r in other.regions) or not attributes:
        return [], _OTHER_COLUMNS
    label_here, label_there = _labels(view, other)
    labels = int(max(label_here.max(initial=-1), label_there.max(initial=-1))) + 1
    pairs = overlapping(view, other)
    if pairs is None:
        return [], _TOO_MANY
    twin = np.zeros(labels, dtype=np.bool_)
    twin[np.intersect1d(label_here, label_there)] = True
    if not twin.any():
        return [], _NO_TWIN
    meets = np.zeros(labels, dtype=np.bool_)
    unequal = label_here[pairs[0]] != label_there[pairs[1]]
    meets[label_here[pairs[0][unequal]]] = True
    meets[label_there[pairs[1][unequal]]] = True
    compared = twin | ~meets
    parts = _parts(view, other, attributes, (label_here, label_there), labels)
    limit = THRESHOLD if threshold is None else threshold
    precision = ESTIMATE if (twin & meets).any() else EXACT
    more = {
        "groups_in_both": int(twin.sum()),
        "people_in_groups_that_can_not_be_compared": int((parts.here + parts.there)[~compared[parts.label]].sum()),
    }
    whose = view.whose if other.whose.one_each else UNSAID
    told = (compared, limit, precision, more, whose)
    return [_line(view, parts, attributes, i, *told) for i in range(len(attributes))], ""


def _line(
    view: ReleaseView,
    parts: _Parts,
    attributes: tuple[str, ...],
    at: int,
    compared: BoolArray,
    threshold: float,
    precision: str,
    more: dict[str, Any],
    whose: Ownership,
) -> Line:
    """What she believes of people who are only here, only there, and in both."""
    named = {
        "only_here": parts.here - parts.both,
        "only_there": parts.there - parts.both,
        "in_both": parts.both,
    }
    chances, people, groups, details = [], [], [], dict(more)
    for name, rows in named.items():
        chance, many = _largest_share(parts.label, parts.codes[at], np.where(compared[parts.label], rows, 0))
        details[f"people_{name}"] = int(many.sum())
        details[f"certain_{name}"] = int(many[chance == 1].sum())
        filled = many > 0
        chances.append(chance[filled])
        people.append(many[filled])
        groups.append(parts.group[np.flatnonzero(filled)])
    assumes = whose.told("", AS_IF) + _ASSUMES
    if precision == ESTIMATE:
        assumes += " Labels overlap, so that somebody may also have changed groups."
    if dict(view.manifest.get("applied") or {}).get("all_new") is True:
        assumes += " The publisher of this release says that nobody of the earlier one is in it."
    return line(
        adversary="subtraction",
        threat=ASSOCIATION,
        title="subtracts a second release by the same rules",
        knows=_KNOWS,
        assumes=assumes,
        chance=np.concatenate(chances),
        people=np.concatenate(people),
        group=np.concatenate(groups),
        sizes=view.sizes,
        threshold=threshold,
        first_line=view.first_line,
        file=view.file,
        precision=precision,
        attribute=attributes[at],
        details=details,
        whose=whose,
    )


def _in_common(mine: Joint | None, theirs: Joint | None) -> tuple[str, ...]:
    """The sensitive attributes of both; those without a common value are most likely written in another way."""
    if mine is None or theirs is None:
        return ()
    names = [name for name in mine.attributes if name in theirs.attributes]
    return tuple(name for name in names if _used(mine, name) & _used(theirs, name))


def _used(joint: Joint, name: str) -> set[str | None]:
    values, codes = joint.column(name)
    return {values[i] for i in np.unique(codes)}


def _labels(view: ReleaseView, other: ReleaseView) -> tuple[IntArray, IntArray]:
    """A number for the labels of each group, the same for equal ones of both releases."""
    theirs = {r.attribute: r for r in other.regions}
    columns = []
    for region in view.regions:
        second = theirs[region.attribute]
        place = {label: i for i, label in enumerate(dict.fromkeys([*region.labels, *second.labels]))}
        codes = [np.array([place[label] for label in r.labels], dtype=np.int64)[r.label] for r in (region, second)]
        columns.append(np.concatenate(codes))
    number = number_equal(columns, len(view.sizes) + len(other.sizes))
    return number[: len(view.sizes)], number[len(view.sizes) :]


def _parts(
    view: ReleaseView, other: ReleaseView, attributes: tuple[str, ...], label: tuple[IntArray, IntArray], labels: int
) -> _Parts:
    mine, theirs = view.joint, other.joint
    assert mine is not None and theirs is not None
    label_of_row = np.concatenate([label[0][mine.group], label[1][theirs.group]])
    columns = []
    for name in attributes:
        (values, codes), (others, other_codes) = mine.column(name), theirs.column(name)
        place = {value: i for i, value in enumerate(dict.fromkeys([*values, *others]))}
        coded = [
            np.array([place[value] for value in listed], dtype=np.int64)[codes_of]
            for listed, codes_of in ((values, codes), (others, other_codes))
        ]
        columns.append(np.concatenate(coded))
    row = number_equal([label_of_row, *columns], len(label_of_row))
    first = np.unique(row, return_index=True)[1]
    before = len(mine.group)
    counts = [
        np.bincount(row[some], weights=joint.count, minlength=len(first)).astype(np.int64)
        for some, joint in ((slice(None, before), mine), (slice(before, None), theirs))
    ]
    group = np.full(labels, -1, dtype=np.int64)
    group[label[0][::-1]] = np.arange(len(view.sizes))[::-1]
    return _Parts(label_of_row[first], tuple(column[first] for column in columns), counts[0], counts[1], group)


def _largest_share(label: IntArray, value: IntArray, rows: IntArray) -> tuple[FloatArray, IntArray]:
    """Per label the largest share of a value among some rows (0 where there are none), and how many rows there are."""
    labels, width = int(label.max(initial=-1)) + 1, int(value.max(initial=0)) + 1
    key, entry = np.unique(label * width + value, return_inverse=True)
    count = np.bincount(entry, weights=rows, minlength=len(key))
    largest = np.zeros(labels)
    np.maximum.at(largest, key // width, count)
    many = np.bincount(label, weights=rows, minlength=labels).astype(np.int64)
    return largest / np.maximum(many, 1), many
