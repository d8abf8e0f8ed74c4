"""Every adversary who wants to know what somebody has, for each sensitive attribute of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.audit.association.association import homogeneity, protected_values, skew, uniform_worlds
from discreet.audit.association.association import known_rows as knowing_rows
from discreet.audit.association.left_out import left_out
from discreet.audit.association.other_values import other_values
from discreet.audit.association.realistic import realistic_lines
from discreet.audit.lines import Line
from discreet.audit.people import belief_lines, people_lines
from discreet.audit.people.known_people import worst_case_of_people
from discreet.audit.people.persons import Persons
from discreet.audit.reading.view import ReleaseView, Tally
from discreet.audit.worst_case.knowledge import Knowledge
from discreet.audit.worst_case.worst_case import worst_case


def association(
    view: ReleaseView,
    known_rows: int = 1,
    knowledge: Mapping[str, Knowledge] | None = None,
    stubbornness: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
    persons: Persons | None = None,
) -> list[Line]:
    """All lines about associations, attribute by attribute.

    `known_rows` is how many people's values she knows (a line for one is always there), `knowledge` what is known of
    each attribute beforehand (see `read_knowledges`), `stubbornness` and `prior` describe realistic adversaries.
    Without a threshold, what the release promises is one, else one half. With `persons`, what the release by itself
    tells is told of people, each of whom may have several rows.
    """
    lines: list[Line] = []
    some = [rows for rows in dict.fromkeys((1, known_rows)) if rows > 0]
    for tally in view.tallies:
        known = (knowledge or {}).get(tally.attribute)
        if persons is not None:
            lines += _of_people(persons, tally, some, known, threshold)
            lines += left_out(view, tally, known, threshold)
            lines += belief_lines.realistic(persons, tally, stubbornness, prior, threshold)
            continue
        lines += [
            uniform_worlds(view, tally, threshold),
            *protected_values(view, tally, threshold),
            homogeneity(view, tally, threshold),
            skew(view, tally, threshold),
            *(knowing_rows(view, tally, rows, threshold) for rows in some),
        ]
        lines += other_values(view, tally, threshold)
        lines += worst_case(view, tally, known, threshold)
        lines += left_out(view, tally, known, threshold)
        lines += realistic_lines(view, tally, stubbornness, prior, threshold)
    return lines


def _of_people(
    persons: Persons, tally: Tally, some: Sequence[int], known: Knowledge | None, threshold: float | None
) -> list[Line]:
    return [
        people_lines.chance_of_a_value(persons, tally, threshold),
        *people_lines.chance_of_protected_values(persons, tally, threshold),
        *people_lines.several_groups(persons, tally, threshold),
        people_lines.homogeneity(persons, tally, threshold),
        belief_lines.skew(persons, tally, threshold),
        *(belief_lines.known_people(persons, tally, people, threshold) for people in some),
        *belief_lines.other_values(persons, tally, threshold),
        *worst_case_of_people(persons, tally, known, threshold),
    ]
