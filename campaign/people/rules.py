"""What a policy promises of groups, in rows and in people, asked of any grouping of the table's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from campaign.people.definitions import Owner, counts, keeps_by_people, owners
from campaign.promises.case import Row, Value
from campaign.promises.definitions import Counts
from campaign.promises.rules import ABOUT_WORLDS, Asked, Rules

Rows = list[tuple[Owner, Value]]
_NOBODY: Counts = Counter()


class PeopleRules(Rules):
    """The promises of a case whose table says whose row each is."""

    def holds(self, group: Sequence[int], staying: Sequence[Sequence[int]]) -> bool:
        """Does a group keep all promises in rows, beside the others that stay, and in people?"""
        return self.broken_by_people(group) is None and super().holds(group, staying)

    def broken_by_people(self, group: Sequence[int]) -> Asked | None:
        """The first promise that a group of the table's rows breaks in people, held against all people of the table."""
        key = frozenset(group)
        if key not in self._broken:
            self._broken[key] = next(
                (
                    promise
                    for promise in self.asked
                    for meant in [None if promise.word in ABOUT_WORLDS else self.meant(promise, group)]
                    if meant is not None
                    and not keeps_by_people(
                        meant,
                        self.of_people(group, promise.attribute),
                        self.people_of_the_table.get(promise.attribute, _NOBODY),
                        promise.paths,
                    )
                ),
                None,
            )
        return self._broken[key]

    def of_people(self, group: Sequence[int], attribute: str) -> Rows:
        """Whose the rows are, and which values they have."""
        column = self._column(attribute)
        return [(self.owners[at], column[at]) for at in group]

    def speaking_for(self, rows: Sequence[int]) -> Sequence[int]:
        """What somebody asks for in any row counts wherever one of hers stands."""
        whose = {self.owners[at] for at in rows}
        return [at for at, owner in enumerate(self.owners) if owner in whose]

    def people_in(self, group: Sequence[int]) -> int:
        return len({self.owners[at] for at in group})

    @cached_property
    def listed(self) -> list[Row]:
        """Everybody on the list once; whoever has no name there is somebody of whom there is no other."""
        everybody = {
            place if row[-1] is None else row[-1]: row[:-1] for place, row in enumerate(self.case.people or ())
        }
        return list(everybody.values())

    @cached_property
    def owners(self) -> list[Owner]:
        return owners(self.case)

    @cached_property
    def people_of_the_table(self) -> Mapping[str, Counts]:
        """How many people of the source have each value, suppressed or not."""
        everybody = range(len(self.case.rows))
        return {name: counts(self.of_people(everybody, name)) for name in self.case.sensitive}

    @cached_property
    def _broken(self) -> dict[frozenset[int], Asked | None]:
        return {}

    def _column(self, attribute: str) -> Sequence[Value]:
        return self._columns[attribute] if attribute else [None] * len(self.case.rows)
