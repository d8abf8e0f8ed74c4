"""How coarse a column may become: `levels` of an attribute, a level of its hierarchy or the finest and the coarsest.

A statistician may want ages by decades whatever else could be had, or countries never coarser than continents. The
search for whole columns then looks at these levels alone, and leaves rows out where they don't suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.errors import Mistake, PolicyError, shown
from discreet.policy.places import attribute_place

if TYPE_CHECKING:
    from discreet.hierarchies.hierarchy import Hierarchy
    from discreet.policy.words import Attribute

Span = tuple[int, int]  # the finest level and the coarsest, both allowed

PUBLISH, SEARCH = "generalization", "optimal"
_EXAMPLES = "write levels: 2, or levels: [1, 3] for the finest and the coarsest (0 is the value itself)"


def read_span(word: object) -> Span | None:
    """The finest level and the coarsest; None if the word says no such thing.

    >>> read_span(2), read_span([1, 3]), read_span([3, 1]), read_span("2"), read_span(True)
    ((2, 2), (1, 3), None, None, None)
    """
    both = word if isinstance(word, list | tuple) else (word, word)
    ends = [end for end in both if isinstance(end, int) and not isinstance(end, bool)]
    if len(both) != 2 or len(ends) != 2:
        return None
    low, high = ends
    return (low, high) if 0 <= low <= high else None


def span_mistakes(word: object, place: str) -> list[Mistake]:
    """Does the word say a level, or the finest and the coarsest?"""
    if word is None or read_span(word) is not None:
        return []
    return [Mistake(place, f"must be a level of the hierarchy, or two of them, got {shown(word)}", _EXAMPLES)]


def has_levels(publish: str) -> bool:
    """Has each column one level in the whole release?"""
    return publish == PUBLISH


def levels_misfits(publish: str, search: str, attributes: Sequence[Attribute]) -> list[Mistake]:
    """The word where no search would heed it."""
    mistakes = []
    for a in attributes:
        if a.levels is None:
            continue
        place = levels_place(a.name)
        if a.role != "quasi_identifier":
            rule = f"is of no use: an attribute with role {a.role} has no level that a search chooses"
            mistakes.append(Mistake(place, rule, "leave it out"))
        elif not has_levels(publish):
            rule = f"is of no use: with publish: {publish} a column has no level of its own"
            mistakes.append(Mistake(place, rule, f"leave it out, or write publish: {PUBLISH}"))
        elif search != SEARCH:
            rule = f"is not heeded by search: {search}"
            mistakes.append(Mistake(place, rule, f"leave it out, or write search: {SEARCH}"))
    return mistakes


def spans(attributes: Sequence[Attribute], hierarchies: Sequence[Hierarchy]) -> tuple[Span, ...]:
    """The levels that each hierarchy may be published at, none if all may; refused where it has no such level."""
    said = {a.name: a.levels for a in attributes if a.levels is not None}
    if not said:
        return ()
    found, mistakes = [], []
    for h in hierarchies:
        span = read_span(said.get(h.attribute)) or (0, h.height)
        found.append(span)
        if span[1] > h.height:
            rule = f"this hierarchy has the levels 0 to {h.height}, got {span[1]}"
            mistakes.append(Mistake(levels_place(h.attribute), rule, f"write {h.height} for all *"))
    if mistakes:
        raise PolicyError(*mistakes)
    return tuple(found)


def levels_place(name: str) -> str:
    """How messages call the word of an attribute."""
    return f"{attribute_place(name)}.levels"
