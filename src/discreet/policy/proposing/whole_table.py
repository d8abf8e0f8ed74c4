"""What columns are beside each other: which say the same, and how many rows each tells apart beyond the others.

Both are counted in the engine. Of tables with very many columns, the figures are about some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from discreet.engines.base import Engine
from discreet.errors import shown
from discreet.labels.figures import percent
from discreet.policy.proposing.proposals import Proposal, known_values
from discreet.policy.words import Role

_COUNTED = 40  # columns whose figures are counted, for each of which all rows are grouped twice
_PAIRS = 40  # pairs of columns that may say the same: a query each
_LISTED = 1000  # values of a column that a profile tells
_UNIQUE = ("unique", "one person's alone")  # where people may have several rows, the second


def without_repetition(proposals: Sequence[Proposal], engine: Engine, fixed: Sequence[str] = ()) -> list[Proposal]:
    """The same, where of two columns that determine each other the second is left out; not one that is `fixed`.

    Equally frequent values are a hint that they do; the engine then counts the pairs of values.

    >>> from discreet.engines.open import open_source
    >>> from discreet.policy.proposing.proposals import proposals_of
    >>> school = open_source({"education": ["a", "b", "b"] * 20, "education-num": ["9", "13", "13"] * 20})
    >>> [p.role.value for p in without_repetition(proposals_of(school.profile()), school)]
    ['quasi_identifier', 'identifier']
    """
    answers = {name for p in proposals for name in p.block}
    published = [
        p
        for p in proposals
        if p.role != Role.IDENTIFIER and p.name not in answers and 1 < known_values(p.profile) <= _LISTED
    ]
    same: dict[str, str] = {}
    alike = [
        (p.name, q.name)
        for p, q in combinations(published, 2)
        if q.name not in fixed and q.role == p.role and _counts(p) == _counts(q)
    ]
    distinct = {p.name: p.profile.distinct for p in published}
    for first, second in alike[:_PAIRS]:
        if first in same or second in same:
            continue
        if len(engine.frequencies([first, second]).counts) == distinct[first]:
            same[second] = first
    return [_repeating(p, same[p.name]) if p.name in same else p for p in proposals]


def _counts(proposed: Proposal) -> list[int]:
    return sorted(count for _, count in proposed.profile.values)


def _repeating(proposed: Proposal, first: str) -> Proposal:
    why = f"says the same as {shown(first)}, value by value: one of them suffices; left out"
    return Proposal(proposed.profile, Role.IDENTIFIER, why)


def with_figures(proposals: Sequence[Proposal], engine: Engine, whose: str | None = None) -> tuple[list[Proposal], str]:
    """The same with how many rows each column makes unique, as a reason; and what the quasi-identifiers do together.

    `whose` is the column that says whose row it is: it is not counted, and several rows of one person that nobody
    else's are like are unique.
    """
    rows = proposals[0].profile.rows
    counted = [p for p in proposals if p.name != whose and p.profile.distinct > 1 and rows]
    quasi = [p.name for p in counted if p.role == Role.QUASI_IDENTIFIER][:_COUNTED]
    doubtful = [p.name for p in counted if p.role != Role.QUASI_IDENTIFIER and p.decide][: _COUNTED - len(quasi)]
    blocks = {p.name: _unique_answers(p.block[:_COUNTED], engine, rows, whose) for p in counted if p.block}
    if not quasi:
        return [_with_block(p, blocks.get(p.name), whose) for p in proposals], ""
    figures = engine.uniqueness(quasi, doubtful, rows, person=whose)
    alone = dict(zip([*quasi, *doubtful], figures.alone, strict=True))
    beyond = dict(zip([*quasi, *doubtful], figures.beyond, strict=True))
    about = "about " if figures.one_in > 1 else ""
    told = [
        _told(_with_block(p, blocks.get(p.name), whose), alone[p.name], beyond[p.name], about) if p.name in alone else p
        for p in proposals
    ]
    how = f" (an estimate: one combination in {figures.one_in:,} was looked at)" if about else ""
    if len(quasi) == _COUNTED:
        how += f"; the first {_COUNTED} of them were counted"
    are = _UNIQUE[whose is not None]
    return told, f"{about}{percent(figures.together)} of the rows are {are} by the quasi-identifiers together{how}"


def _unique_answers(block: Sequence[str], engine: Engine, rows: int, whose: str | None) -> tuple[int, float]:
    """How many answers were taken together, and the share of rows that nobody else answered like."""
    return len(block), engine.uniqueness(block, [], rows, each=False, person=whose).together


def _with_block(proposed: Proposal, unique: tuple[int, float] | None, whose: str | None) -> Proposal:
    if unique is None:
        return proposed
    answers, share = unique
    unique_rows = f"by {answers} answers together {percent(share)} of the rows are {_UNIQUE[whose is not None]}"
    risk = f"{unique_rows}: whoever knows enough of them finds the row"
    return replace(proposed, why=f"{proposed.why}; {risk}")


def _told(proposed: Proposal, alone: float, beyond: float, about: str) -> Proposal:
    """The figures as a reason: what the column singles out by itself, and what it adds to the others."""
    if proposed.role == Role.QUASI_IDENTIFIER:
        adds = f"singles out {about}{percent(beyond)} of the rows beyond the others"
    else:
        adds = f"with the quasi-identifiers it would single out {about}{percent(beyond)} more of the rows"
    by_itself = f", {percent(alone)} alone" if alone > 0 else ""
    return replace(proposed, why=f"{proposed.why}; {adds}{by_itself}", alone=alone, beyond=beyond)


def by_importance(proposals: Sequence[Proposal]) -> list[Proposal]:
    """What is to be decided, what matters most first: what singles out most; then blocks, which are many columns."""
    open_ones = [p for p in proposals if p.decide]
    return sorted(open_ones, key=lambda p: (-max(p.beyond or 0.0, p.alone or 0.0), -len(p.block), -p.profile.distinct))
