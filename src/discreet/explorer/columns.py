"""Step 1: what each column is, how much it singles people out, and its common values."""

from __future__ import annotations

from typing import Any

from discreet.engines.profile import ColumnProfile
from discreet.explorer.session import Session
from discreet.policy.proposing.proposals import known_values
from discreet.policy.words import Role

SHOWN = 8  # values of a column
SHOWN_RARE = 40
_COUNTED = 40  # columns whose figures are counted


def columns(session: Session, rare: bool = False) -> list[dict[str, Any]]:
    """Each column of the table. Values of few people are named only if somebody asks for the `rare` ones, too."""
    words = session.words
    said = words.get("attributes", {})
    quasi = [name for name in session.columns if said.get(name, {}).get("role") == Role.QUASI_IDENTIFIER]
    alone, without = singled_out(session, quasi)
    person = next((name for name, words in said.items() if words.get("role") == Role.PERSON), None)
    limit = session.hidden_below
    found = []
    for name in session.columns:
        proposal, own = session.start.proposals[name], said.get(name, {})
        profile = proposal.profile
        role = own.get("role")
        named = role == Role.PERSON or (role == Role.IDENTIFIER and not rare)  # each is somebody's, however many rows
        values = [] if named else common(session, profile, person, 1 if rare else limit)
        shown = values[: SHOWN_RARE if rare else SHOWN]
        found.append(
            {
                "name": name,
                "role": role,
                "decide": bool(own.get("decide")),
                "question": own.get("decide", ""),
                "reason": _reason(session, name, role),
                "values": known_values(profile),
                "missing": profile.nulls / profile.rows if profile.rows else 0.0,
                "common": shown,
                "withheld": named,
                "hidden": profile.distinct - len(shown),
                "unique_alone": alone.get(name),
                "unique_without": without.get(name),
            }
        )
    return found


def _reason(session: Session, name: str, role: str | None) -> str:
    """Why `init` proposes what it does; if somebody chose another role, both are said."""
    proposal = session.start.proposals[name]
    if role == Role.PERSON and session.start.why_person:
        return session.start.why_person
    if role is None or role == proposal.role:
        return proposal.why
    return f"{proposal.why} (proposed: {proposal.role.value})"


def singled_out(session: Session, quasi: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """The share of rows unique by each column alone; and, of what others may know, by all of it without the column.

    Where a column names people, of rows that are one person's alone."""
    profiles = session.start.profiles
    several = [name for name in session.columns if profiles[name].distinct > 1]
    together = [name for name in quasi if name in several][:_COUNTED]
    person = [name for name, said in session.words.get("attributes", {}).items() if said.get("role") == Role.PERSON]
    others = [name for name in several if name not in (*together, *person)][: _COUNTED - len(together)]
    figures = session.uniqueness(together, others, next(iter(person), None))
    if figures is None:
        return {}, {}
    alone = dict(zip([*together, *others], figures.alone, strict=True))
    alone |= {name: 0.0 for name in session.columns if profiles[name].distinct <= 1}
    without = dict(zip(together, figures.changed, strict=False))
    return alone, without


def common(session: Session, profile: ColumnProfile, person: str | None, limit: int) -> list[tuple[str | None, int]]:
    """The values of at least so many people, with how many rows have each, the most frequent first."""
    if person is None:
        return [(value, rows) for value, rows in profile.values if rows >= limit]
    counted = session.values_by_people(profile.name, person)
    return [(value, rows) for value, rows, people in counted if people >= limit]
