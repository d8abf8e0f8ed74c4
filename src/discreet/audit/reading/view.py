"""A finished release as an adversary sees it: groups of people, what is said about each group, and nothing else.

Everything an attack works on is here, read from published files (see `release`); what was planned is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from discreet.arrays import BoolArray, IntArray
from discreet.audit.kinds.registry import KINDS
from discreet.audit.reading.exact_tables import Table
from discreet.audit.reading.labels import Label
from discreet.audit.reading.whose import UNSAID, Ownership

if TYPE_CHECKING:
    from discreet.audit.kinds.base import Kind


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each group has each value of a sensitive attribute: an entry per group and value that it has.

    Entries are sorted by group, then value; ``value`` is a place in ``values``. No entry has the count 0. `whole` says
    how often each value is in the whole table, where that is not the sum over the groups: values that begin as these
    do, and a count for each.
    """

    attribute: str
    values: tuple[str | None, ...]
    group: IntArray
    value: IntArray
    count: IntArray
    whole: tuple[tuple[str | None, ...], IntArray] | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """Which sensitive values stand in one row: an entry per group and combination of values that it has.

    Attribute i has the value ``values[i][codes[i]]`` in each entry. No entry has the count 0.
    """

    attributes: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]
    group: IntArray
    codes: tuple[IntArray, ...]
    count: IntArray

    def column(self, attribute: str) -> tuple[tuple[str | None, ...], IntArray]:
        """The values of an attribute, and the place of each entry's."""
        at = self.attributes.index(attribute)
        return self.values[at], self.codes[at]


@dataclass(frozen=True, eq=False)
class Region:
    """What is said about one quasi-identifier: group g has the label ``labels[label[g]]``."""

    attribute: str
    labels: tuple[Label, ...]
    label: IntArray


@dataclass(frozen=True)
class Promise:
    """What the release says it keeps, in the words of a policy: ``Promise("k_anonymity", {"k": 5})``."""

    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    attribute: str | None = None


def strange_promise(word: str) -> Promise:
    """A promise that nobody here knows. A stranger's word is repeated only if it is one; nothing else of it is kept.

    >>> strange_promise("u_anonymity").model, strange_promise("<b>Ann has flu").model
    ('u_anonymity', 'unknown')
    """
    return Promise(word if re.fullmatch("[a-z_]{1,40}", word) else "unknown")


@dataclass(frozen=True, eq=False)
class Bounds:
    """How much is known of the people in the groups of a view that is by people: its sizes are the fewest there can be.

    A group has `at_most` so many people; the one with most rows has from `most_at_least` to `most_rows` of them. In
    groups that are `open` for an attribute it is not known how many people have which value. `rows` is the view by
    rows; `told_apart` is given parts of its groups (as a view, the group of each, and the attributes that they are told
    apart by), and answers with that by people.
    """

    rows: ReleaseView
    at_most: IntArray
    most_at_least: IntArray
    most_rows: IntArray
    open: Mapping[str, BoolArray]
    told_apart: Callable[[ReleaseView, IntArray, Sequence[str]], ReleaseView]


@dataclass(frozen=True, eq=False)
class ReleaseView:
    """What is published. Groups are numbered in the order in which they first stand in the files.

    A generalized release has `regions` (one per quasi-identifier) and no `tables`; a bucketized or ambiguous one has
    `tables` of exact values and no `regions`. `first_line[g]` is where group g first stands in `file` (the header is
    line 1), so that it can be pointed at without telling anybody's values. Rows that are ``*`` in every column,
    sensitive ones too, are nobody's in particular: `starred` counts them, no group has them. Rows that are ``*`` in
    every quasi-identifier but show a sensitive value are a group as any other. `left_out` people are said to be
    missing from the files (0 if nothing is said). `hierarchies` are those that the release tells, per attribute a
    tuple of paths: a value, then what stands for it level by level. `rows` tells which sensitive values stand in one
    row, where there are several (see `joint`). `whose` says whether rows are people. In a view
    by people (`bounds`), sizes and counts are of people, and `rows` tells of rows.
    """

    publish: str
    quasi_identifiers: tuple[str, ...]
    sizes: IntArray
    tallies: tuple[Tally, ...]
    regions: tuple[Region, ...] = ()
    tables: tuple[Table, ...] = ()
    starred: int = 0
    left_out: int = 0
    promises: tuple[Promise, ...] = ()
    file: str = "data.csv"
    first_line: IntArray | None = None
    hierarchies: Mapping[str, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    rows: Joint | None = None
    whose: Ownership = UNSAID
    bounds: Bounds | None = None

    @property
    def joint(self) -> Joint | None:
        """The sensitive values that stand in one row; None where there are none, or nothing is told of them."""
        if self.rows is None and len(self.tallies) == 1:
            [t] = self.tallies
            return Joint((t.attribute,), (t.values,), t.group, (t.value,), t.count)
        return self.rows

    @property
    def kind(self) -> Kind:
        """The release as one of its kind: what that tells whom."""
        return KINDS[self.publish](self)

    @property
    def people(self) -> int:
        """How many rows are published in groups: people, where each is another person's (`whose`)."""
        return int(self.sizes.sum())

    def promised(self, model: str, attribute: str | None = None) -> Mapping[str, Any] | None:
        """The parameters of a promise, if the release makes it (for an attribute)."""
        for promise in self.promises:
            if promise.model == model and (attribute is None or promise.attribute in (None, attribute)):
                return promise.parameters
        return None
