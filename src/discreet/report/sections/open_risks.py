"""What a release leaves open, in words a privacy board can use. No release is safe against everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.report.marginals import shown
from discreet.report.words import attribute_of, model_of, percent

Risk = tuple[str, str]  # a title and an explanation

# Promises that say something about the sensitive values of a group, and not only about its size.
ABOUT_VALUES = {
    "l_diversity",
    "t_closeness",
    "alpha_k",
    "beta_likeness",
    "delta_disclosure",
    "realistic",
    "robust",
    "ambiguity",
}
# Promises that limit how far a group's sensitive values may differ from everybody's.
ABOUT_SHIFT = {"t_closeness", "beta_likeness", "delta_disclosure", "realistic"}
ABOUT_PRESENCE = {"presence", "confident_presence", "ambiguity"}


def open_risks(
    promises: Sequence[Mapping[str, Any]],
    roles: Mapping[str, str],
    publish: str,
    agreeing: Mapping[str, float],
    *,
    seeded: bool = False,
    stars: int = 0,
    exchanged: str = "",
    seen_through: str = "",
    who: Sequence[Risk] = (),
) -> tuple[Risk, ...]:
    """What the release leaves open.

    `agreeing`: per sensitive column, the share of published rows in groups that agree on its value; `stars`: how many
    suppressed rows are in the file as ``*``; `exchanged`: which rows have a sensitive value not their own;
    `seen_through`: what a worst-case adversary learns, where nothing is promised about her; `who`: what promises about
    who is in the table leave open (`presence_risks`).
    """
    kinds = {model_of(p)[0] for p in promises}
    return (
        *_values(promises, roles, agreeing),
        *_adversaries(promises, publish, agreeing, seen_through),
        *_columns(roles),
        *_presence(kinds, publish),
        *who,
        *_always(publish),
        *_traces(seeded, stars, exchanged),
    )


def _values(
    promises: Sequence[Mapping[str, Any]], roles: Mapping[str, str], agreeing: Mapping[str, float]
) -> list[Risk]:
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    found: list[Risk] = []
    for name in sensitive:
        about = [(kind, p) for kind, p in map(model_of, promises) if attribute_of(p, sensitive) in (name, None)]
        mine = {kind for kind, _ in about if kind in ABOUT_VALUES}
        if mine == {"robust"} and any(p.get("values") for _, p in about):
            continue  # of values that are not listed it has more to say
        if not mine:
            found.append(
                (
                    f"Learning {shown(name)} from a group that agrees",
                    f"Nothing is promised about {shown(name)} inside a group. Where all rows of a group have the same "
                    "value, whoever knows that a person is in the group knows the value. "
                    + _agreement(agreeing.get(name, 0.0)),
                )
            )
        elif not mine & ABOUT_SHIFT:
            found.append(
                (
                    f"Learning that a value of {shown(name)} is more likely",
                    f"The values of {shown(name)} in a group may be similar in meaning, or far more common than in the "
                    "whole table. Belief in them may rise, though not to certainty.",
                )
            )
    return found


def _agreement(share: float) -> str:
    if share <= 0:
        return "In this release no group agrees on it."
    return f"In this release {percent(share)} of the published rows are in such a group."


def _adversaries(
    promises: Sequence[Mapping[str, Any]], publish: str, agreeing: Mapping[str, float], seen_through: str
) -> list[Risk]:
    """Those that a promise does not speak of."""
    found: list[Risk] = []
    robust = False
    for kind, p in map(model_of, promises):
        if kind == "realistic":
            found.append(("Adversaries other than the one assumed", _beyond_realistic(p)))
        if kind == "robust":
            robust = True
            found += _beyond_robust(p, max(agreeing.values(), default=0.0))
    if publish == "bucketization" and not robust:
        found.append(
            (
                "Knowing what people of some kind tend to have",
                "Everybody's quasi-identifiers stand beside their group. Whoever knows that a value is common among "
                "people like one of the group, and rare among people like the others, may guess whose it is. "
                "Only the promise robust limits that." + (f" In this release, {seen_through}." if seen_through else ""),
            )
        )
    if publish == "ambiguity":
        found.append(
            (
                "A list of the population",
                "A combination of values is taken to be as likely as any other of its group. Whoever holds a list of "
                "all the people there are can strike out what nobody has, and be surer of the rest than promised: "
                "discreet audit --population tells by how much.",
            )
        )
        found.append(
            (
                "People whom several groups cover",
                "The promise is about each group. Somebody whose values all occur in several groups may be in any of "
                "them: the chances add up, and may together exceed what is promised of one.",
            )
        )
    return found


def _beyond_realistic(p: Mapping[str, Any]) -> str:
    """What an ε-private release leaves open."""
    more = {
        "I": "Whoever expects other shares, or rests on more data, may learn more.",
        "II": "Whoever rests on more data may learn more.",
        "III": "Whoever expects other shares may learn more.",
    }
    sure = "" if not p.get("predicates") else " Only what the policy lists is protected, not every value."
    return (
        more[p["class"]] + " So may whoever expects different shares for different people, by their age for instance. "
        "And what the release teaches about everybody is not hidden: only what a person's own row adds to it." + sure
    )


def _beyond_robust(p: Mapping[str, Any], agreeing: float) -> list[Risk]:
    """What an r-robust release leaves open."""
    found = [
        (
            "Knowing individuals",
            "The adversary is taken to know how values are distributed among people of each kind, not what a certain "
            "person has. Whoever knows the value of somebody in a group can strike it out, and be surer of the others.",
        ),
        (
            "Knowing other distributions",
            "The promise is about the distributions named above. Whoever knows more, from columns that are not in the "
            "table or about kinds of people too rare to be counted, may learn more.",
        ),
    ]
    if p.get("values"):
        found.append(
            (
                "Values that the policy does not list",
                "They are not protected: a group may have only one of them, in the open. " + _agreement(agreeing),
            )
        )
    return found


def _columns(roles: Mapping[str, str]) -> list[Risk]:
    found: list[Risk] = []
    if "sensitive" not in roles.values():
        found.append(
            (
                "Sensitive columns nobody named",
                "The policy names no sensitive column, so no promise looks at what the rows of a group have in common.",
            )
        )
    other = [name for name, role in roles.items() if role == "other"]
    if other:
        found.append(
            (
                "Published without protection: " + ", ".join(map(shown, other)),
                "The promises do not look at columns of the role other. Whoever knows such a value about a person may "
                "find the row by it.",
            )
        )
    return found


def _presence(kinds: set[str], publish: str) -> list[Risk]:
    if publish == "bucketization":
        return [
            (
                "Seeing who is in the table",
                "The quasi-identifiers are published exactly, one row per person. Whoever knows those of a person sees "
                "whether the person took part, and in which group. If taking part says something by itself (a register "
                "of patients), publish otherwise.",
            )
        ]
    if ABOUT_PRESENCE & kinds:
        return []
    return [
        (
            "Learning that somebody is in the table",
            "The promises hide which row is whose, not who took part. If being in the table says something by "
            "itself (a register of patients), that is not hidden.",
        )
    ]


def _always(publish: str) -> list[Risk]:
    fate = {
        "bucketization": "was not separated from the others.",
        "ambiguity": "is protected only as the sensitive one is: inside its group.",
    }.get(publish, "was not made coarser.")
    return [
        (
            "Other releases about the same people",
            "Two releases that are safe alone may not be so together: groups overlap, and what they have in common "
            "may be one person. The promises are about this release only.",
        ),
        (
            "People with several rows",
            "The promises count rows. If one person has several rows in the table, groups hold fewer people than rows.",
        ),
        (
            "Knowledge the policy did not foresee",
            "Which columns others may know was a decision of the publisher. A column that was not declared a "
            f"quasi-identifier {fate}",
        ),
    ]


def _traces(seeded: bool, stars: int, exchanged: str) -> list[Risk]:
    found: list[Risk] = []
    if seeded:
        found.append(
            (
                "A known seed",
                "Random choices (such as the order of rows) follow from a seed. Whoever knows it may undo them: keep "
                "it to yourself, or publish without one.",
            )
        )
    if stars:
        found.append(
            (
                "That rows were suppressed",
                f"The {stars:,} suppressed rows are in the file with every value as *. They show "
                "that they exist, and nothing else.",
            )
        )
    if exchanged:
        found.append(
            (
                "Values that are not true",
                f"The search exchanged the sensitive value of {exchanged} for another. "
                "What a group seems to say about somebody may be false: a risk of its own for the people concerned.",
            )
        )
    return found
