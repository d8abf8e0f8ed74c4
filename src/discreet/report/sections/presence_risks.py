"""What promises about who is in the table leave open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.labels.figures import chance, number, percent
from discreet.report.marginals import shown
from discreet.report.sections.presence import Confident, Present

Risk = tuple[str, str]  # a title and an explanation


def presence_risks(
    presence: Present | None, confidences: Sequence[Confident], roles: Mapping[str, str]
) -> tuple[Risk, ...]:
    """Of the promises presence and confident_presence, as far as they were made."""
    if presence is None and not confidences:
        return ()
    return (
        *(_of_population(presence) if presence is not None else ()),
        *(risk for found in confidences for risk in _of_marginals(found)),
        *_known_besides(roles),
    )


def presence_risks_in_general(promised: Sequence[str], roles: Mapping[str, str]) -> tuple[Risk, ...]:
    """The same for whoever has no list of the population: what is left open, without figures."""
    if not {"presence", "confident_presence"} & set(promised):
        return ()
    return (
        (
            "A population that is not everybody",
            "Chances were counted among the people that the publisher listed or counted. Whoever can rule out some of "
            "them, or knows of others who could be in the table, finds other chances.",
        ),
        *_known_besides(roles),
    )


def _of_population(found: Present) -> list[Risk]:
    risks = [
        (
            "A population that is not everybody",
            f"Chances were counted among the {found.people:,} people that the publisher listed. Whoever can rule out "
            "some of them, or knows of others who could be in the table, finds other chances.",
        )
    ]
    if found.least is None:
        none = sum(b.people for b in found.bins if not b.high)
        sure = f"{none:,} people ({percent(none / found.people)}) surely are not"
        risks.append(
            (
                "Learning that somebody is not in the table",
                "No least chance was asked for, so some people may be told not to be in the table. In this release "
                + (sure if none else f"the least chance is {chance(found.smallest)}")
                + ".",
            )
        )
    if found.most is None:
        risks.append(
            (
                "Learning that somebody is in the table",
                "No largest chance was asked for, so some people may be told to be in the table. In this release the "
                f"largest chance is {chance(found.largest)}.",
            )
        )
    return risks


def _of_marginals(found: Confident) -> list[Risk]:
    misses = 1 - found.asked
    odds = f"up to one in {number(round(1 / misses, 1))}" if misses > 0 else "none"
    risks = [
        (
            "Groups that go wrong",
            f"A confidence of {chance(found.asked)} leaves {odds} of the possible worlds in which a group's people are "
            "in the table with a chance beyond what was asked. That is promised of each group, not of all together: "
            f"{found.broken_in_words} do.",
        ),
        (
            "Values that go together",
            "Nothing was known of people outside the table but how common each value is, so their columns are taken to "
            "have nothing to do with each other. Where they have (few of the widowed are young), a group may have far "
            "fewer people outside than reckoned with, and its people a larger chance of being in the table.",
        ),
        (
            "Counts that are not exact",
            f"How many of the {found.outside:,} people outside have each value was taken as given. With counts that "
            "are old, rounded or estimated, the confidence is no better than they are.",
        ),
    ]
    if not found.coverage:
        tolerated = "" if found.from_zero else " The least chance that was asked for is not promised to them."
        risks.append(
            (
                "Learning that somebody is not in the table",
                "Whoever would stand in none of the published groups is "
                + ("surely not in the table" if not found.left_out else "hardly in the table, but for suppressed rows")
                + f".{tolerated} The option coverage asks for groups that everybody would stand in.",
            )
        )
    return risks


def _known_besides(roles: Mapping[str, str]) -> list[Risk]:
    """Columns that are published beside the quasi-identifiers, and narrow down who a row could be."""
    besides = [shown(name) for name, role in roles.items() if role in ("sensitive", "other")]
    if not besides:
        return []
    return [
        (
            "Knowing more of a person than quasi-identifiers",
            f"The release also tells {', '.join(besides)}. Whoever knows {'that' if len(besides) == 1 else 'those'} of "
            "a person, too, may be surer of whether the person is in the table than promised.",
        )
    ]
