"""Where published ranges end: on the boundaries of a hierarchy, or at values of the table.

``10.02.1925-08.04.1972`` says that somebody was born on each of the two days; ``1925-02 to 1972-04`` does not. The word
`ranges` chooses, for the policy or for one attribute; without it ranges of dates, and wherever a hierarchy was given,
end on its boundaries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.errors import HierarchyError, Mistake, shown, unknown_word
from discreet.hierarchies.build import bounded
from discreet.hierarchies.dates import Dates
from discreet.hierarchies.defaults import follows_the_data
from discreet.hierarchies.hierarchy import Bounded, Hierarchy, Rule
from discreet.hierarchies.intervals import Cuts
from discreet.policy.places import attribute_place

if TYPE_CHECKING:
    from discreet.policy.policy import Policy
    from discreet.policy.words import Attribute

HIERARCHY, VALUES = "hierarchy", "values"
_ALONE = ("multidimensional", "local_recoding")  # without a promise of their own
_MIXED = (*_ALONE, "numbered_groups")
_UNORDERED = ("taxonomy", "prefixes", "flat", "labels")


def word_mistakes(word: object, place: str) -> list[Mistake]:
    """Is it one of the words?"""
    return [] if word in (None, HIERARCHY, VALUES) else [unknown_word(place, word, (HIERARCHY, VALUES))]


def has_ranges(publish: str) -> bool:
    """Has each group ranges of its own? Else whole columns are published at a level, or exact."""
    return publish in _MIXED


def ranges_misfits(publish: str, word: object, attributes: Sequence[Attribute]) -> list[Mistake]:
    """The word where there are no ranges that it could be about."""
    places = ["ranges"] * (word is not None)
    mistakes = []
    for a in attributes:
        place = f"{attribute_place(a.name)}.ranges"
        if a.ranges is None:
            continue
        if a.role != "quasi_identifier":
            rule = f"is of no use: an attribute with role {a.role} is not published in ranges"
            mistakes.append(Mistake(place, rule, "leave it out"))
        elif _unordered(a.hierarchy):
            rule = "is of no use: this hierarchy publishes its own names, and sets; ranges are of numbers and dates"
            mistakes.append(Mistake(place, rule, "leave it out"))
        else:
            places.append(place)
    if not has_ranges(publish):
        rule = f"is of no use: {shown(publish)} publishes no ranges but those of the hierarchies"
        mistakes += [Mistake(place, rule, f"leave it out, or write publish: {' or '.join(_ALONE)}") for place in places]
    return mistakes


def with_ranges(hierarchy: Hierarchy, policy: Policy, attribute: Attribute) -> Hierarchy:
    """The hierarchy of a quasi-identifier, with ranges that end where the policy says, wherever they ended before.

    Numbers without a hierarchy have bins that only the search for whole columns needs. A rule that somebody wrote in
    Python may have no boundaries: then nobody is told that ranges end there.
    """
    hierarchy = replace(hierarchy, unit=0) if hierarchy.unit else hierarchy
    if not has_ranges(policy.publish):
        return hierarchy
    asked_for = attribute.ranges or policy.ranges
    rule = hierarchy.rule
    if asked_for == HIERARCHY and rule.ordered and rule.ranges and not isinstance(rule, Bounded):
        why = "this hierarchy has no boundaries that ranges could end on"
        raise HierarchyError(
            Mistake(f"{attribute_place(attribute.name)}.ranges", why, f"write ranges: {VALUES}, or intervals")
        )
    return bounded(hierarchy) if chosen(asked_for, attribute.hierarchy, rule) == HIERARCHY else hierarchy


def chosen(asked_for: str | None, given: object, rule: Rule) -> str:
    """Where ranges end. Unless somebody says it, on boundaries: of dates, and wherever a hierarchy was given."""
    return asked_for or (HIERARCHY if given is not None or isinstance(rule, Dates) else VALUES)


def ranges_told(publish: str, hierarchies: Sequence[Hierarchy], told: Mapping[str, Rule]) -> dict[str, dict[str, str]]:
    """Where ranges end, for a manifest: of each quasi-identifier of which it is told that it is numbers or dates."""
    if not has_ranges(publish):
        return {}
    ordered = [h for h in hierarchies if told[h.attribute].ordered]
    return {"ranges": {h.attribute: HIERARCHY if h.unit else VALUES for h in ordered}}


def ranges_notes(told: Mapping[str, str], given: Mapping[str, object], rules: Mapping[str, Rule]) -> list[str]:
    """What everybody should know of ranges that end at values, or on boundaries that follow the table."""
    at_values = [name for name, ends in told.items() if ends == VALUES]
    cut = [name for name, ends in told.items() if ends == HIERARCHY and isinstance(rules[name], Cuts)]
    following = [name for name in cut if follows_the_data(given[name])]
    notes = []
    if at_values:
        names = " and ".join(at_values)
        notes.append(f"ranges of {names} begin and end at values that somebody in the table has (ranges: {VALUES})")
    if following:
        names = " and ".join(following)
        notes.append(f"ranges of {names} end at quantiles of the table: round numbers, which may be somebody's value")
    return notes


def _unordered(hierarchy: object) -> bool:
    if isinstance(hierarchy, Rule):
        return not hierarchy.ordered
    return isinstance(hierarchy, str) or (isinstance(hierarchy, Mapping) and bool({*hierarchy} & {*_UNORDERED}))
