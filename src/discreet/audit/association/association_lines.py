"""Every adversary who wants to know what somebody has, for each sensitive attribute of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.audit.association.association import homogeneity, protected_values, skew, uniform_worlds
from discreet.audit.association.association import known_rows as knowing_rows
from discreet.audit.association.knowledge import Knowledge
from discreet.audit.association.left_out import left_out
from discreet.audit.association.other_values import other_values
from discreet.audit.association.realistic import realistic_lines
from discreet.audit.association.worst_case import worst_case
from discreet.audit.lines import Line
from discreet.audit.reading.view import ReleaseView


def association(
    view: ReleaseView,
    known_rows: int = 1,
    knowledge: Mapping[str, Knowledge] | None = None,
    stubbornness: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
) -> list[Line]:
    """All lines about associations, attribute by attribute.

    `known_rows` is how many people's values she knows (a line for one is always there), `knowledge` what is known of
    each attribute beforehand (see `read_knowledges`), `stubbornness` and `prior` describe realistic adversaries.
    Without a threshold, what the release promises is one, else one half.
    """
    lines: list[Line] = []
    for tally in view.tallies:
        lines += [
            uniform_worlds(view, tally, threshold),
            *protected_values(view, tally, threshold),
            homogeneity(view, tally, threshold),
            skew(view, tally, threshold),
            *(knowing_rows(view, tally, rows, threshold) for rows in dict.fromkeys((1, known_rows)) if rows > 0),
        ]
        lines += other_values(view, tally, threshold)
        lines += worst_case(view, tally, (knowledge or {}).get(tally.attribute), threshold)
        lines += left_out(view, tally, (knowledge or {}).get(tally.attribute), threshold)
        lines += realistic_lines(view, tally, stubbornness, prior, threshold)
    return lines
