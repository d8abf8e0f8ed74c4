"""What promises about who is in the table leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.labels.figures import chance, number, percent
from discreet.labels.whose import Whose
from discreet.report.marginals import shown
from discreet.report.sections.presence import Confident, Present

Risk = tuple[str, str]  # a title and an explanation

_NOT_ALL = "A population that is not complete"
_OTHER_CHANCES = (
    "Whoever can rule out some of them, or knows of others that could be in the table, finds other chances."
)


def presence_risks(
    presence: Present | None, confidences: Sequence[Confident], roles: Mapping[str, str], whose: Whose
) -> tuple[Risk, ...]:
    """Of the promises presence and confident_presence, as far as they were made."""
    if presence is None and not confidences:
        return ()
    return (
        *(_of_population(presence) if presence is not None else ()),
        *(risk for found in confidences for risk in _of_marginals(found)),
        *_known_besides(roles, whose),
    )


def presence_risks_in_general(promised: Sequence[str], roles: Mapping[str, str], whose: Whose) -> tuple[Risk, ...]:
    """The same for whoever has no list of the population: what is left open, without figures."""
    if not {"presence", "confident_presence"} & set(promised):
        return ()
    return (
        (
            _NOT_ALL,
            f"Chances were counted among the {whose.people} that the publisher listed or counted. {_OTHER_CHANCES}",
        ),
        *_known_besides(roles, whose),
    )


def _of_population(found: Present) -> list[Risk]:
    whose = found.whose
    risks = [
        (
            _NOT_ALL,
            f"Chances were counted among the {whose.so_many(found.people)} that the publisher listed. {_OTHER_CHANCES}",
        )
    ]
    if found.least is None:
        none = sum(b.people for b in found.bins if not b.high)
        sure = f"{none:,} {whose.people} ({percent(none / found.people)}) surely are not"
        risks.append(
            (
                f"Learning that {whose.somebody} is not in the table",
                f"No least chance was asked for, so some {whose.people} may be told not to be in the table. "
                "In this release " + (sure if none else f"the least chance is {chance(found.smallest)}") + ".",
            )
        )
    if found.most is None:
        risks.append(
            (
                f"Learning that {whose.somebody} is in the table",
                f"No largest chance was asked for, so some {whose.people} may be told to be in the table. In this "
                f"release the largest chance is {chance(found.largest)}.",
            )
        )
    return risks


def _of_marginals(found: Confident) -> list[Risk]:
    people = found.whose.people
    misses = 1 - found.asked
    odds = f"up to one in {number(round(1 / misses, 1))}" if misses > 0 else "none"
    risks = [
        (
            "Groups that go wrong",
            f"A confidence of {chance(found.asked)} leaves {odds} of the possible worlds in which a group's {people} "
            "are in the table with a chance beyond what was asked. That is promised of each group, not of all "
            f"together: {found.broken_in_words} are beyond it.",
        ),
        (
            "Counts that are not exact",
            f"How many of the {found.outside:,} {people} outside have each value was taken as given. With counts that "
            "are old, rounded or estimated, the confidence is no better than they are.",
        ),
    ]
    if not found.coverage:
        tolerated = "" if found.from_zero else " The least chance that was asked for is not promised to them."
        risks.append(
            (
                f"Learning that {found.whose.somebody} is not in the table",
                f"{found.whose.either('Whoever', 'What')} would stand in none of the published groups is "
                + ("surely not in the table" if not found.left_out else "hardly in the table, but for suppressed rows")
                + f".{tolerated} The option coverage asks for groups that {found.whose.everybody} would stand in.",
            )
        )
    return risks


def _known_besides(roles: Mapping[str, str], whose: Whose) -> list[Risk]:
    """Columns that are published beside the quasi-identifiers, and narrow down who a row could be."""
    person = whose.person
    besides = [shown(name) for name, role in roles.items() if role in ("sensitive", "other")]
    if not besides:
        return []
    return [
        (
            f"Knowing more of a {person} than quasi-identifiers",
            f"The release also tells {', '.join(besides)}. Whoever knows {'that' if len(besides) == 1 else 'those'} of "
            f"a {person}, too, may be surer of whether the {person} is in the table than promised.",
        )
    ]
