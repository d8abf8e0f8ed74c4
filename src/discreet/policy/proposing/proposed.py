"""A policy for a table that nobody has described yet: everything that `init` does between a table and a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.engines.base import Engine
from discreet.engines.profile import ColumnProfile
from discreet.policy.proposing.coarser_values import with_coarser_values
from discreet.policy.proposing.draft import propose
from discreet.policy.proposing.found_reading import NOTHING_FOUND, FoundReading, open_as_found
from discreet.policy.proposing.owner import Owner, find_owner
from discreet.policy.proposing.proposals import Proposal, proposals_of
from discreet.policy.proposing.said_roles import SaidRoles, with_roles
from discreet.policy.proposing.whole_table import by_importance, with_figures, without_repetition
from discreet.policy.words import Role

_NOTHING_SAID = SaidRoles()


@dataclass(frozen=True)
class Proposed:
    """What each column of a table seems to be, whose rows they are, and how much the quasi-identifiers single out."""

    proposals: tuple[Proposal, ...]
    owner: Owner
    unique: str = ""  # in a sentence
    found: FoundReading = NOTHING_FOUND  # how its cells are written

    @property
    def decisions(self) -> list[Proposal]:
        """What is to be decided, what matters most first."""
        return by_importance([p for p in self.proposals if p.name != self.owner.column])

    def text(self, source: str) -> str:
        """The policy, in YAML, with a reason for each choice."""
        return propose(self.proposals, source, self.owner, self.found, self.unique)

    def decided(self, column: str, role: Role) -> Proposed:
        """The same after somebody decided on a column, and with it on all that are decided with it."""
        said = next(p for p in self.proposals if p.name == column)
        columns = said.block or (column,)
        if role == said.role:  # as proposed: the reasons stay
            kept = [replace(p, decide=False, question="") if p.name in columns else p for p in self.proposals]
            return replace(self, proposals=tuple(kept))
        return replace(self, proposals=tuple(with_roles(self.proposals, dict.fromkeys(columns, role))))


def proposed_for(
    source: Any,
    *,
    roles: SaidRoles = _NOTHING_SAID,
    person: str | None = None,
    one_row_per_person: bool = False,
) -> tuple[Proposed, Engine]:
    """The same for a file, an address or a frame, its cells read as they seem to be written; and its engine."""
    engine, profiles, found = open_as_found(source)
    seen = proposed(engine, profiles, found, roles=roles, person=person, one_row_per_person=one_row_per_person)
    return seen, engine


def proposed(
    engine: Engine,
    profiles: Sequence[ColumnProfile] | None = None,
    found: FoundReading = NOTHING_FOUND,
    *,
    roles: SaidRoles = _NOTHING_SAID,
    person: str | None = None,
    one_row_per_person: bool = False,
) -> Proposed:
    """What seems to be a good policy for an engine's table; what somebody says of it is taken for granted.

    >>> from discreet.engines.open import open_source
    >>> seen = proposed(open_source({"age": ["20", "30", "40"] * 20, "x": ["a", "b"] * 30}))
    >>> [(p.name, p.role.value, p.decide) for p in seen.proposals]
    [('age', 'quasi_identifier', False), ('x', 'quasi_identifier', True)]
    """
    said = roles.of(engine.columns)
    proposals = with_roles(proposals_of(engine.profile() if profiles is None else profiles), said)
    owner = find_owner(proposals, engine.ownership, person=person, one_row_per_person=one_row_per_person)
    if person is None and owner.column in said:
        owner = owner.nowhere()
    fixed = [*said, *([] if owner.column is None else [owner.column])]
    proposals = without_repetition(proposals, engine, fixed)
    proposals = with_coarser_values(proposals, engine, fixed)
    told, unique = with_figures(proposals, engine, owner.column)
    return Proposed(tuple(told), owner, unique, found)
