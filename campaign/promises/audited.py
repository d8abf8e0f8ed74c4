"""What the audit says, beside what going through all possible worlds says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from campaign.promises import posteriors
from campaign.promises.case import Case, Row
from campaign.promises.definitions import Counts
from campaign.promises.ladders import covers
from campaign.promises.product import Answer, Line
from campaign.promises.reading import Folder, Group, Table, labelled_groups
from campaign.promises.rules import Rules, asked, delta

Trouble = tuple[str, str]
MORE = "more"  # could be better, and is no fault
_CLOSE = 1e-9  # figures of the product are floating point


def members(case: Case, groups: Sequence[Group], people: Sequence[Row]) -> list[list[int]]:
    """Of some people (by their places), those of whom each group's labels are true."""
    rules = [case.hierarchy(name) for name in case.quasi_identifiers]
    return [[at for at, person in enumerate(people) if all(map(covers, g.labels, person, rules))] for g in groups]


def foreign_file(case: Case, answer: Answer) -> Iterator[Trouble]:
    """A table that nobody checked: the audit must find each promise kept or broken as it is."""
    assert case.theirs is not None
    published = Folder({"data": Table(case.names, case.theirs)}, {"suppressed_as": "drop"})
    groups = labelled_groups(published, case.quasi_identifiers, case.sensitive)
    for promise in asked(case):
        rules = Rules(case, [promise])
        whole = {name: Counter(case.column(name)) for name in case.sensitive}
        kept: bool | None = all(rules.broken(group.size, group.values, whole) is None for group in groups)
        if promise.word == "presence":
            kept = _present_as_promised(case, groups, promise.about)
        said = [
            holds
            for word, attribute, holds in answer.levels
            if word == promise.word and attribute in (None, promise.attribute)  # of two parts, one is about no values
        ]
        same = sum((a.word, a.attribute) == (promise.word, promise.attribute) for a in asked(case))
        if kept is not None and same == 1 and (not said or None in said or all(said) != kept):
            yield "contradiction", f"audit says {said} of {promise.promise} ({promise.attribute}), it is {kept}"
    yield from _group_lines(groups, answer.lines)
    yield from _list_lines(case, groups, answer.lines)


def _present_as_promised(case: Case, groups: Sequence[Group], about: Mapping[str, Any]) -> bool | None:
    """Is everybody's chance of being in the table within δ, over all ways to fill the groups from the list?"""
    chances = _chances(case, groups)
    least, most = delta(about)
    return None if chances is None else all(least <= chance <= most for chance in chances)


def _chances(case: Case, groups: Sequence[Group]) -> list[Fraction] | None:
    """Everybody's chance of being in the table to whoever holds the list; None if the worlds are too many, or none."""
    people = case.people or ()
    fitting = members(case, groups, people)
    fits = [[g for g, inside in enumerate(fitting) if person in inside] for person in range(len(people))]
    return posteriors.presence_with_list(fits, [group.size for group in groups])


def audited(case: Case, groups: Sequence[Group], answer: Answer) -> Iterator[Trouble]:
    """Lines of the audit beside what going through all worlds says."""
    exact = case.words.get("publish") in ("bucketization", "ambiguity")
    # Where exact values are published, whose row it is depends on more than the group.
    yield from _group_lines(groups, [a for a in answer.lines if not (exact and a.adversary == "prosecutor")])
    if not exact:
        yield from _list_lines(case, groups, answer.lines)


def _group_lines(groups: Sequence[Group], lines: Sequence[Line]) -> Iterator[Trouble]:
    """Whose row it is, and who has what, to somebody who knows the group."""
    for line in lines:
        chances: list[tuple[Fraction, int]]
        match line.adversary:
            case "prosecutor":
                chances = [(Fraction(1, group.size), group.size) for group in groups]
            case "uniform_worlds":
                chances = [(_surest(group.values[str(line.attribute)]), group.size) for group in groups]
            case "homogeneity":
                chances = [(Fraction(len(group.values[str(line.attribute)]) == 1), group.size) for group in groups]
            case "known_rows_1":
                chances = [(_surest_beside(group.values[str(line.attribute)]), group.size) for group in groups]
            case _:
                continue
        yield from compared(line, chances)


def _surest(values: Counts) -> Fraction:
    return Fraction(max(values.values()), values.total())


def _surest_beside(values: Counts) -> Fraction:
    """The surest that she can be of somebody if she knows what one other of the group has."""
    if len(values) == 1:
        return Fraction(1)
    return Fraction(max(values.values()), values.total() - 1)


def compared(line: Line, chances: Sequence[tuple[Fraction, int]]) -> Iterator[Trouble]:
    """Is the worst what it is said to be, and are as many people above the limit?"""
    worst = max((chance for chance, _ in chances), default=Fraction(0))
    limit = Fraction(line.threshold).limit_denominator(10_000)
    above = sum(people for chance, people in chances if chance > limit)
    name = f"{line.adversary} {line.attribute or ''}".strip()
    match line.precision:
        case "exact":
            if abs(float(worst) - line.worst) > _CLOSE:
                yield "audit", f"{name}: {line.worst} is called exact, it is {worst}"
            elif above != line.above:
                yield "audit", f"{name}: {line.above} people above {limit}, there are {above}"
        case "at most":
            if float(worst) > line.worst + _CLOSE:
                yield "audit", f"{name}: at most {line.worst} is told, it is {worst}"
        case "at least":
            if float(worst) < line.worst - _CLOSE:
                yield "audit", f"{name}: at least {line.worst} is told, it is {worst}"
        case _:  # an estimate may be off; a bound beside it may not
            bounds = {key: bound for key, bound in line.details.items() if "at_most" in key}
            low = [key for key, bound in bounds.items() if float(worst) > float(bound) + _CLOSE]
            if low:
                yield "audit", f"{name}: {low} are below {worst}: {bounds}"
            elif not bounds and float(worst) > line.worst + _CLOSE:
                yield MORE, f"{name}: an estimate of {line.worst}, it is {worst}"


def _list_lines(case: Case, groups: Sequence[Group], lines: Sequence[Line]) -> Iterator[Trouble]:
    """Who is in the table, to somebody with a list of everybody: over all ways to fill the groups from it."""
    if case.people is None or sum(group.size for group in groups) < len(case.rows):
        return  # where whoever was left out is looked for, is another question
    chances = _chances(case, groups)
    for line in lines:
        if chances is not None and line.adversary == "presence_with_list":
            yield from compared(line, [(chance, 1) for chance in chances])


def composed(case: Case, one: Folder, two: Folder, answer: Answer) -> Iterator[Trouble]:
    """Two releases of the same table, to somebody who knows who is in it: over all worlds that give both."""
    people = case.parts(case.quasi_identifiers)
    both = [labelled_groups(each, case.quasi_identifiers, case.sensitive) for each in (one, two)]
    fitting = [members(case, groups, people) for groups in both]
    if any(sorted(at for inside in each for at in inside) != list(range(len(people))) for each in fitting):
        return  # somebody is left out, or fits several groups
    for line in answer.together:
        if line.adversary != "composition":
            continue
        name = str(line.attribute)
        dealt = [
            [(inside, group.values[name]) for inside, group in zip(each, groups, strict=True)]
            for each, groups in zip(fitting, both, strict=True)
        ]
        worlds = posteriors.both_releases(len(people), sorted(set(case.column(name)), key=str), *dealt)
        if worlds is not None:
            yield from compared(line, [(_surest(counts), 1) for counts in worlds])
