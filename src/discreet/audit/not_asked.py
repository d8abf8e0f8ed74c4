"""Who was not asked about a release, and what it would take: notes of the audit."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.audit.association.minimality import goal
from discreet.audit.kinds.registry import OWN_LABELS
from discreet.audit.lines import Fault
from discreet.audit.promises.registry import reading_of
from discreet.audit.reading.exact_tables import Population
from discreet.audit.reading.release import ReleaseFiles
from discreet.audit.reading.view import ReleaseView


def who_was_not_asked(
    view: ReleaseView,
    listed: Population | None,
    table: Population | None,
    second: ReleaseView | None,
    marginals: bool,
    undone: bool,
    intersected: bool,
    strange: Sequence[str] = (),
    several_rows: bool = False,
    why_no_list: str = "",
) -> list[str]:
    """Who was not asked, and what it would take. The `strange` quasi-identifiers have no values of the source; people
    may have `several_rows`, and then it may be that a list tells nothing of them (`why_no_list`).
    """
    notes = []
    if why_no_list:
        notes.append(
            "Somebody who knows the population, by a list, its size or how common each value is: people may have "
            f"several rows, and {why_no_list}."
        )
    elif listed is None:
        notes.append(
            "Somebody who holds a list of the population, and looks for people of it in the release: "
            "give the list (population)."
        )
    if listed is None and not marginals and not why_no_list and view.kind.labelled:
        notes.append(
            "Somebody who knows how common each value is in the population: give how many people have each value "
            "(marginals, size)."
        )
    if table is None:
        notes.append(
            "Somebody who knows how common each sensitive value is among people of every kind, or who tries to undo "
            "the search: give the original table (source)."
        )
    elif strange:
        notes.append(
            "Somebody who knows how common each sensitive value is among people of every kind, or who tries to undo "
            "the search: people of the source can't be found in the release, whose values of "
            f"{', '.join(strange)} are not the source's."
        )
    elif several_rows and (goal(view) is not None or _about_values(view)):
        notes.append(
            "Somebody who tries to undo the search: people have several rows, so that a finer release may have been "
            "refused for too few people in a group, or for one who has many of its rows, and not for its values; what "
            "she would learn then is not worked out."
        )
    elif not undone and goal(view) is None and _about_values(view):
        notes.append(
            "Somebody who tries to undo the search: what a search for these promises refuses is not known here, nor "
            "is what she would learn from it."
        )
    elif not undone:
        notes.append(
            "Somebody who tries to undo the search: nothing finer was refused for its sensitive values alone, as far "
            "as the release tells how it was made."
        )
    if view.left_out + view.starred and _chosen(view):
        notes.append(
            "Somebody who knows by what rule rows were left out: about these she may learn more than is "
            "counted here; the guide says by what rule (presence, words of a policy)."
        )
    if second is None and intersected:
        return notes
    if second is None and "applied" in view.manifest:
        notes.append(
            "Somebody who holds the earlier release whose rules this one follows, and subtracts it: give that one "
            "(other)."
        )
    elif second is None:
        notes.append("Somebody who holds another release about the same people: give that one (other).")
    elif not intersected:
        why = "they have no sensitive attribute with values in common, or too many groups fit everybody"
        if not (view.kind.rows_are_people and second.kind.rows_are_people):
            why = "an ambiguous release does not tell which values belong together"
        notes.append(f"Somebody who holds both releases: the people she asks about can't be placed in them; {why}.")
    return notes


def not_comparable(files: ReleaseFiles, all_faults: Sequence[Fault]) -> list[str]:
    """Quasi-identifiers of which values could not be held against the source."""
    places = {fault.place.rpartition(": ")[2] for fault in all_faults if not fault.judged}
    return [column for column in files.description.quasi_identifiers if column in places]


def _chosen(view: ReleaseView) -> bool:
    """Are rows left out for who is in the table, or one by one for their values?"""
    about_people = any(view.promised(model) is not None for model in ("presence", "confident_presence"))
    one_by_one = view.manifest.get("publish") in OWN_LABELS
    return about_people or (one_by_one and _about_values(view))


def _about_values(view: ReleaseView) -> bool:
    """Is there a promise that a search may have refused something for, because of sensitive values?"""
    readings = [reading_of(promise.model) for promise in view.promises]
    return any(reading is None or reading.of_values for reading in readings)
