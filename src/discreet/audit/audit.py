"""Every adversary against one finished release: what is published, read by each of them, in one table.

Nothing is known here of how the release was made. Each attack gets what was read from the published files and what its
adversary is said to know besides; an adversary of whose knowledge nothing is said (a list of the population, a second
release, …) is not asked, and a note says what she would need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.audit.association.association_lines import association
from discreet.audit.association.composition import composition
from discreet.audit.association.minimality import minimality
from discreet.audit.association.signatures import of_chain
from discreet.audit.association.subtraction import subtraction
from discreet.audit.faults.comparison import Table, check_columns, compare_with, is_shares, read_source
from discreet.audit.faults.faults import faults
from discreet.audit.faults.range_ends import range_ends
from discreet.audit.faults.report_faults import report_faults
from discreet.audit.faults.rows_of_one_person import faults_of_people
from discreet.audit.lines import Fault, Level, Line, of_each_kind
from discreet.audit.not_asked import not_comparable, who_was_not_asked
from discreet.audit.people import people_lines
from discreet.audit.people.by_people import SEVERAL, levels_by_people, of_the_population, rows_tell
from discreet.audit.people.persons import Persons, count_people
from discreet.audit.presence.marginals import read_marginals
from discreet.audit.presence.presence_lines import presence_lines
from discreet.audit.promises.levels import levels_of
from discreet.audit.promises.registry import Beside
from discreet.audit.reading.exact_tables import Population, read_population
from discreet.audit.reading.release import ReleaseFiles, look, read
from discreet.audit.reading.source import open_beside
from discreet.audit.reading.view import ReleaseView
from discreet.audit.reading.whose import Ownership
from discreet.audit.reading.wishes import read_wishes
from discreet.audit.reidentification.reidentification import at_large, reidentification
from discreet.audit.worst_case.knowledge import read_knowledges
from discreet.engines.reading_words import reading_from_words
from discreet.errors import DataError, Mistake, PolicyError, shown
from discreet.labels.whose import Whose
from discreet.progress import Progress, silent

Description = Path | str | Mapping[str, Any]


@dataclass(frozen=True)
class WhoseRows:
    """Whose the published rows are: `case` is "named", "one row each" or "unsaid"; `column` is the one that names them.

    Where the source was asked, so many different `people` are published, of whom so many are `alone`: all rows that
    look like theirs are their own (of `surely_alone` that is certain, where it is not `exact` whose rows groups have).
    `fewest_people` is how many the smallest group has. `why_not` says what it would take, if they could not be counted.
    """

    case: Whose = Whose.UNSAID
    column: str = ""
    people: int | None = None
    alone: int | None = None
    surely_alone: int | None = None
    fewest_people: int | None = None
    exact: bool = True
    why_not: str = ""

    @property
    def rows_are_people(self) -> bool:
        """Is every row another person's, as far as anybody says, or the source?"""
        return self.case is Whose.ONE_EACH or (self.people is not None and self.alone is None)


@dataclass(frozen=True)
class Audit:
    """What each adversary knows now about the people in a release.

    `lines` is one line per adversary (and sensitive attribute), `levels` are the release's promises read a second time,
    `faults` are things that should not be in a release whoever looks, `notes` say which adversaries were not asked, and
    what it would take. `compared` is a sentence: what was published can be of the table that was given as its source.
    Faults that are not judged are what could not be held against that table. `people` and `smallest_group` count rows,
    which are people only if `whose` says so. (What `discreet.audit` returns shows itself, too: `AuditResult`.)

    >>> Audit("published.csv", "", ours=False, people=4, groups=2, smallest_group=2, left_out=0, lines=()).kept
    True
    """

    release: str
    publish: str
    ours: bool  # it has a manifest; another tool's is told by a description
    people: int
    groups: int
    smallest_group: int
    left_out: int
    lines: tuple[Line, ...]
    levels: tuple[Level, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[str, ...] = ()
    compared: str = ""
    whose: WhoseRows = WhoseRows()

    @property
    def broken(self) -> tuple[Line | Level, ...]:
        """Whatever breaks what the release itself promises."""
        failing = tuple(level for level in self.levels if level.holds is False)
        return failing + tuple(line for line in self.lines if line.breaks)

    @property
    def unjudged(self) -> tuple[Level, ...]:
        """Promises of which it can't be said whether they are kept; the note of each says what it would take."""
        return tuple(level for level in self.levels if level.holds is None)

    @property
    def uncompared(self) -> tuple[Fault, ...]:
        """What could not be held against the source that was given, and why."""
        return tuple(fault for fault in self.faults if not fault.judged)

    @property
    def kept(self) -> bool | None:
        """Is everything kept that the release promises, and nothing in it that must not be?

        None: nothing is broken, but a promise could not be judged, or something could not be held against the source.
        """
        if self.broken or any(fault.grave for fault in self.faults):
            return False
        return None if self.unjudged or self.uncompared else True


def audit_release(
    release: Path | str,
    *,
    description: Description | None = None,
    population: Any = None,
    marginals: Mapping[str, Any] | None = None,
    size: int | None = None,
    confidence: float | None = None,
    source: Any = None,
    other: Path | str | Sequence[Path | str] | None = None,
    other_description: Description | None = None,
    other_source: Sequence[Any] = (),
    known_rows: int = 1,
    stubbornness: float | None = None,
    threshold: float | None = None,
    database: str | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    progress: Progress = silent,
) -> Audit:
    """Ask every adversary about a release of ours (a folder), or another tool's (a file) with a `description` of it.

    What they are said to know: `population`, a list of everybody who may be in the table; `marginals`, how many people
    of the population have each value of every quasi-identifier (with `size`, shares), believed with a `confidence`;
    `size`, how many people the population has; `source`, the original table (its quasi-identifiers for who tries to
    undo the search, its sensitive values for who knows how common they are among people of every kind); `other`, a
    second release about the same people, or several, each with its table in `other_source` and all with a column that
    names the people: these are attacked together; `known_rows`, how many people's values; `stubbornness`, on how many
    people's data a belief rests. Lists and tables are paths or frames. People of whom somebody is surer than the
    `threshold` are counted; by default what the release promises, else 0.2 for whose row it is and 0.5 for anything
    else. `database` says where tables are that the manifest says are in one, if the environment does not.

    Whose rows they are is said by the manifest or the description, or else here: `person` is the column of the source
    that names them, `one_row_per_person` says that every row is another person's. If neither is said, all figures are
    of rows; if a column names them, people are counted with the help of the source. (`discreet.audit` takes frames,
    and shows itself in a notebook.)

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "published.csv"
    >>> _ = file.write_text("age,disease\\n20-29,flu\\n20-29,cold\\n30-39,flu\\n30-39,gout\\n")
    >>> audit = audit_release(file, description={"quasi_identifiers": ["age"], "sensitive": ["disease"]})
    >>> audit.smallest_group, audit.people
    (2, 4)
    """
    several = [other] if isinstance(other, str | Path) else [*(other or ())]
    _check(size, confidence, known_rows, stubbornness, threshold, several, other_description, other_source, source)
    _check_whose(person, one_row_per_person)
    work = _Progress(progress, steps=9)
    work("the release")
    told = look(release, description, database)
    files = _said(told, person, one_row_per_person)
    view = files.view
    wanted = view.quasi_identifiers
    if source is not None:
        source = open_beside(source, [*wanted, *files.description.sensitive], files.description)
        if not is_shares(source, [*wanted, *files.description.sensitive]):
            check_columns(files, source, [*wanted, *files.description.sensitive])
    if population is not None:
        policy = files.description.manifest.get("policy")
        population = open_beside(population, wanted, reading=reading_from_words(policy))
    listed = None if population is None else read_population(population, wanted)
    table = None if source is None else _people_of(source, wanted)
    knowledge = None if source is None else read_knowledges(source, view)
    known_marginals = None if marginals is None else read_marginals(marginals, wanted, size)
    others = [read(one, other_description, database) for one in several]
    second = others[0] if len(others) == 1 else None
    listed_in = [open_beside(one, wanted, files.description) for one in other_source]
    work("whose rows they are")
    beside_source, lacking = (None, []) if source is None else read_source(files, source)
    persons, uncounted = _persons(files, beside_source, source)
    whose = _whose_rows(view, persons, uncounted)
    if persons is not None and persons.one_each:  # what is true of rows is true of people
        persons, view = None, replace(view, whose=Ownership(view.whose.person, one_each=True))
        files = replace(files, view=view, description=replace(files.description, whose=view.whose))
    by_people = persons.view if persons is not None and persons.settled else None
    named = bool(view.whose.person) and not view.whose.one_each
    if named and population is not None:
        listed = read_population(population, wanted, view.whose.person)
    # Of a list's people, rows tell nothing where these may have several, and it is not known whose stand where.
    of_everybody = population is not None or marginals is not None or size is not None
    told_of_list = not (named and by_people is None and view.kind.labelled)
    work("who is in the table")
    presence = presence_lines(by_people or view, listed, known_marginals, confidence, threshold, table)
    presence = presence if told_of_list else []
    work("whose row it is")
    among = (listed, size) if told_of_list else (None, None)
    if persons is None:
        lines = presence + reidentification(view, *among, threshold)
    else:
        lines = [*presence, people_lines.prosecutor(persons, threshold), people_lines.marketer(persons, threshold)]
        lines += at_large(by_people or view, *among, threshold)
    work("who has what")
    some_rows = min(known_rows, view.people)
    lines += association(view, some_rows, knowledge, stubbornness, threshold=threshold, persons=persons)
    work("how it was made")
    whole = table or listed
    # Where people have several rows a finer release may have been refused for too few people, or one with many rows.
    undone = [] if whole is None or persons is not None else minimality(view, whole, threshold)
    work("two releases")
    intersected = [] if second is None else composition(view, second, whole, threshold)
    subtracted, why_not = ([], "") if second is None else subtraction(view, second, threshold)
    lines += undone + intersected + subtracted
    together: list[Line] = []
    lost: list[Fault] = []
    why_open = ""
    if others and (listed_in or second is None):
        opened = [] if source is None else [source]
        folders = [Path(one) for one in (release, *several)]
        sources = [*opened, *listed_in]
        together, lost, why_open = of_chain(view, others, folders, sources, files.view.whose.person, threshold)
        lines += together
    one_other = bool(intersected or others[1:])
    work("beside the source")
    untrue, compared = _beside(files, source, beside_source, lacking)
    work("promises and faults")
    listed_line = _line_of(presence, "presence_with_list")
    failing = _line_of(presence, "presence_promise_fails")
    wishes = None if source is None else read_wishes(source, view)
    beside = Beside(listed, _presence(presence), failing, listed_line, knowledge or {}, wishes, table)
    # What is known of a population is known of people: such promises are judged by these, or not at all.
    of_rows = [p for p in view.promises if not of_the_population(p) or (by_people is None and rows_tell(p, named))]
    judged = [level for promise in of_rows for level in levels_of(promise, view, beside)]
    if view.whose.person and not view.whose.one_each:
        judged += levels_by_people(view, persons, beside, uncounted)
    all_faults = of_each_kind(
        [
            *([] if persons is None else faults_of_people(persons, stated=told.view.whose.one_each)),
            *faults(files, source, judged, beside_source),
            *range_ends(view, table),
            *untrue,
            *lost,
        ]
    )
    strange = not_comparable(files, all_faults)
    return Audit(
        release=Path(release).name,
        publish=str(view.manifest.get("publish", view.publish)),
        ours=bool(view.manifest),
        people=view.people,
        groups=len(view.sizes),
        smallest_group=int(view.sizes.min(initial=view.people)),
        left_out=view.left_out + view.starred,
        lines=tuple(lines),
        levels=tuple(judged),
        faults=tuple(all_faults),
        notes=(
            *who_was_not_asked(
                *(view, listed, table, second, bool(known_marginals), bool(undone), one_other, strange),
                several_rows=persons is not None,
                why_no_list="" if told_of_list or not of_everybody else uncounted or SEVERAL,
            ),
            *([f"Somebody who holds all {len(others) + 1} releases: {why_open}."] if why_open else []),
            *([f"Somebody who subtracts the other release from this one: {why_not}."] if why_not else []),
        ),
        compared=compared,
        whose=whose,
    )


def _said(files: ReleaseFiles, person: str | None, one_row_per_person: bool) -> ReleaseFiles:
    """The release, with what is said of whose rows they are beside its manifest or description."""
    named = files.view.whose.person
    if person and named not in ("", person):
        rule = f"the release says that {shown(named)} is the column that says whose rows they are"
        raise PolicyError(Mistake("person", rule, "leave it out"))
    if one_row_per_person and named:
        rule = f"the release says that {shown(named)} says whose rows they are"
        raise PolicyError(Mistake("one_row_per_person", rule, "leave it out"))
    if person and person in (*files.description.quasi_identifiers, *files.description.sensitive):
        rule = f"{shown(person)} is published, in another role"
        raise PolicyError(Mistake("person", rule, "name the column of the source that says whose rows they are"))
    whose = Ownership(person or named, not person and (one_row_per_person or files.view.whose.one_each))
    return replace(files, view=replace(files.view, whose=whose), description=replace(files.description, whose=whose))


def _persons(files: ReleaseFiles, table: Table | None, source: Any) -> tuple[Persons | None, str]:
    """The people of the release, if a column names them; or why they can't be counted."""
    column = files.view.whose.person
    if not column:
        return None, ""
    if source is None:
        return None, f"the files can't tell whose rows they are: needs the source, with its column {shown(column)}"
    if table is None or table.owners is None:
        return (
            None,
            f"the files can't tell whose rows they are, and the source that was given has no column {shown(column)}",
        )
    persons = count_people(files, table)
    return persons, "" if persons is not None else "it can't be told whose rows stand in which group"


def _whose_rows(view: ReleaseView, persons: Persons | None, why_not: str) -> WhoseRows:
    if persons is None:
        return WhoseRows(view.whose.case, view.whose.person, why_not=why_not)
    named = WhoseRows(view.whose.case, view.whose.person, persons.people, exact=persons.groups.exact)
    if persons.one_each:
        return named
    alone, surely = people_lines.alone(persons)
    fewest = int(persons.groups.fewest.min(initial=persons.people))
    return replace(named, alone=alone, surely_alone=surely, fewest_people=fewest)


def _beside(
    release: ReleaseFiles, source: Any, table: Table | None, lacking: Sequence[Fault]
) -> tuple[list[Fault], str]:
    """What is wrong with the page beside the tables, and what comparing with the source came to."""
    if table is None:
        return [*lacking, *report_faults(release)], ""
    all_faults, sentence = compare_with(release, table, lacking)
    return [*all_faults, *report_faults(release, table)], sentence


class _Progress:
    def __init__(self, progress: Progress, steps: int):
        self._progress, self._steps, self._done = progress, steps, 0

    def __call__(self, what: str) -> None:
        self._progress("audit", self._done, self._steps, what)
        self._done += 1


def _check(
    size: int | None,
    confidence: float | None,
    known_rows: int,
    stubbornness: float | None,
    threshold: float | None,
    other: Sequence[Path | str],
    other_description: Description | None,
    other_source: Sequence[Any],
    source: Any,
) -> None:
    """All that can't be meant, at once."""
    mistakes = []
    if threshold is not None and not 0 <= threshold <= 1:
        mistakes.append(Mistake("threshold", f"must be between 0 and 1, got {threshold}", "it is a probability"))
    if confidence is not None and not 0 <= confidence < 1:
        rule = f"must be at least 0 and below 1, got {confidence}"
        mistakes.append(Mistake("confidence", rule, "it is a probability, and never certain"))
    if size is not None and size < 1:
        mistakes.append(Mistake("size", f"must be at least 1, got {size}", "it is a number of people"))
    if known_rows < 0:
        mistakes.append(Mistake("known_rows", f"must be at least 0, got {known_rows}", "it is a number of people"))
    if stubbornness is not None and not 0 < stubbornness < float("inf"):
        mistakes.append(Mistake("stubbornness", f"must be above 0, got {stubbornness}", "it is a number of people"))
    if other_source and (source is None or len(other_source) != len(other)):
        rule = f"{len(other_source)} are given for {len(other)} other releases"
        repair = "give the source of this release, and of each other release in the same order"
        mistakes.append(Mistake("other_source", rule, repair))
    if len(other) > 1 and not other_source:
        rule = f"{len(other)} other releases are attacked together by who is who"
        repair = "name the table of each, in the same order, and that of this release"
        mistakes.append(Mistake("other_source", rule, repair))
    if not other and other_description is not None:
        mistakes.append(Mistake("other_description", "describes no release", "name the other release, too"))
    if mistakes:
        raise PolicyError(*mistakes)


def _check_whose(person: str | None, one_row_per_person: bool) -> None:
    if person and one_row_per_person:
        rule = "is of no use beside person: a column says whose rows they are"
        raise PolicyError(Mistake("one_row_per_person", rule, "keep one of the two"))


def _people_of(source: Any, columns: tuple[str, ...]) -> Population:
    """The people in the original table: whatever is wrong with it is the source's fault."""
    try:
        return read_population(source, columns)
    except DataError as error:
        own = (m if m.place != "population" else Mistake("source", m.rule, m.repair) for m in error.mistakes)
        raise DataError(*own) from None


def _presence(lines: list[Line]) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The smallest and the largest chance that somebody on the list is in the table, if the list may be everybody.

    Each between two bounds.
    """
    line = _line_of(lines, "presence_with_list")
    if line is None or not line.details.get("list_may_be_everybody"):
        return None
    smallest = float(line.details["smallest"])
    return (
        (smallest, float(line.details.get("smallest_is_at_most", smallest))),
        (float(line.details.get("worst_is_at_least", line.worst)), line.worst),
    )


def _line_of(lines: list[Line], adversary: str) -> Line | None:
    """The line of an adversary, if there is one."""
    return next((line for line in lines if line.adversary == adversary), None)
