"""What the attacks ask of a kind of release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from discreet.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from discreet.audit.faults.comparison import Table
    from discreet.audit.lines import Fault, Line
    from discreet.audit.people.reach import Reach
    from discreet.audit.presence.marginals import Marginals
    from discreet.audit.reading.description import Description
    from discreet.audit.reading.exact_tables import Population
    from discreet.audit.reading.release import ReleaseFiles, Rows
    from discreet.audit.reading.view import ReleaseView, Tally
    from discreet.audit.worlds.places import Places
    from discreet.audit.worst_case.knowledge import Knowledge, People


@dataclass(frozen=True, eq=False)
class Alike:
    """Published rows that can't be told apart: so many `rows` are of one `kind`, `people` of them stand in `group`."""

    kind: IntArray
    rows: IntArray
    people: IntArray
    group: IntArray


@dataclass(frozen=True, eq=False)
class AtLarge:
    """How likely somebody with a list is right about the rows that look alike.

    `missing` people stand in groups that can't be filled from the list; `details` are further figures.
    """

    chance: FloatArray
    precision: str
    missing: int
    details: Mapping[str, Any]


class Kind(Protocol):
    """A release of one kind, as an adversary sees it.

    `labelled`: quasi-identifiers are made coarser, and each group has one label for each (`view.regions`); otherwise
    exact values stand in tables apart (`view.tables`). `has_groups`: a column of the tables numbers groups.
    `rows_are_people`: one table has a row of quasi-identifiers for each person; otherwise it is not told which values
    belong together. `finds` says how she finds somebody's group, and `about_rows` what a row is, in sentences for
    people who decide.
    """

    word: ClassVar[str]
    labelled: ClassVar[bool]
    has_groups: ClassVar[bool]
    rows_are_people: ClassVar[bool]
    finds: ClassVar[str]
    about_rows: ClassVar[str]

    def __init__(self, view: ReleaseView) -> None: ...

    @classmethod
    def read(cls, description: Description, files: Sequence[Rows]) -> tuple[ReleaseView, IntArray]:
        """What is seen in the files, and the group of each row of the file that groups are pointed at in."""

    def alike(self) -> Alike:
        """Who looks alike."""

    def at_large(self, alike: Alike, population: Population) -> AtLarge:
        """How likely a row is somebody's, for her who holds a list of everybody but does not know who is in."""

    def places(self, listed: Population) -> Places | None:
        """The groups that people on a list may be in; None if they can't be placed."""

    def people(self, tally: Tally, knowledge: Knowledge | None) -> People | None:
        """The people whom she finds in groups, which have as many values of the attribute; None if she finds nobody."""

    def own_list(self) -> Population | None:
        """Everybody's exact quasi-identifiers, where the release itself publishes them."""

    def present(
        self,
        population: Population | None,
        marginals: Marginals | None,
        confidence: float | None,
        threshold: float | None,
        table: Population | None = None,
    ) -> list[Line]:
        """What a list of the population, or marginals of it, tell about who is in the table."""

    @staticmethod
    def compare(release: ReleaseFiles, table: Table) -> Iterable[Fault]:
        """What in the files can't be made of the table that is said to be their source."""

    @staticmethod
    def reach(release: ReleaseFiles, table: Table) -> Reach | None:
        """Which rows of the source may stand where, so that people can be counted; None if that can't be told."""


@dataclass(frozen=True, eq=False)
class Unplaced:
    """The usual answers, to derive from, of a kind that places nobody in a group and publishes no list of people.

    `compare` is not among them: silence there would pass for a sound release. People are not counted, which is told.
    """

    view: ReleaseView

    def places(self, listed: Population) -> Places | None:
        """It does not tell, one combination at a time, who may be in a group."""
        return None

    def people(self, tally: Tally, knowledge: Knowledge | None) -> People | None:
        return None

    def own_list(self) -> Population | None:
        return None

    def present(
        self,
        population: Population | None,
        marginals: Marginals | None,
        confidence: float | None,
        threshold: float | None,
        table: Population | None = None,
    ) -> list[Line]:
        return []

    @staticmethod
    def reach(release: ReleaseFiles, table: Table) -> Reach | None:
        return None
