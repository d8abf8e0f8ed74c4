"""What must not be where people have several rows: too few people in a group, or two rows of one in a bucket."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.audit.faults.group_faults import MERGE, first_line, group_faults
from discreet.audit.lines import Fault
from discreet.audit.people.persons import Persons
from discreet.audit.promises.limits import limits_of
from discreet.audit.reading.whose import PEOPLE, so_many

_APART = "put them in different groups"


def faults_of_people(persons: Persons, *, stated: bool) -> Iterator[Fault]:
    """Groups of fewer people than promised, groups with several rows of one; `stated` that everybody has one row."""
    view, at = persons.rows, persons.groups
    several = int((persons.table_rows > 1).sum())
    if stated and several:
        have = "1 person has" if several == 1 else f"{so_many(several, PEOPLE)} have"
        rule = f"is said to have one row for each person, but {have} several in the source"
        yield Fault("several_rows_of_a_person", view.file, rule, "name the person, and publish again", several)
    for k in dict.fromkeys(limits_of(promise).people for promise in view.promises):
        if k is not None:
            small = np.flatnonzero(at.people * k.denominator < k.numerator)
            yield from group_faults(view, "group_below_k", small, f"fewer than {k} people", MERGE)
    if view.kind.labelled:
        return
    surely = at.most_at_least > 1
    having = "several rows of one person, to whom so many of its values belong"
    yield from group_faults(view, "rows_of_one_person", np.flatnonzero(surely), having, _APART)
    maybe = np.flatnonzero((at.most_rows > 1) & ~surely)
    if len(maybe):
        groups = "1 group may" if len(maybe) == 1 else f"{len(maybe):,} groups may"
        rule = f"{groups} have several rows of one person: people with the same values can't be told apart"
        place, line = view.file, first_line(view, maybe)
        yield Fault("rows_of_one_person", place, rule, _APART, len(maybe), line, grave=False, judged=False)
