"""What a release leaves open, in words a privacy board can use. No release is safe against everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.labels.whose import Whose
from discreet.models.promise import PRESENCE, RELEASES, SHIFT, VALUES, Risk, Setting, agreement
from discreet.models.registry import MODELS
from discreet.policy.kinds import PUBLICATIONS, is_exact
from discreet.report.marginals import shown
from discreet.report.words import attribute_of, model_of


def open_risks(
    promises: Sequence[Mapping[str, Any]],
    roles: Mapping[str, str],
    publish: str,
    agreeing: Mapping[str, float],
    whose: Whose,
    *,
    seeded: bool = False,
    stars: int = 0,
    exchanged: str = "",
    seen_through: str = "",
    who: Sequence[Risk] = (),
    tied: Sequence[Risk] = (),
    applied: Mapping[str, Any] | None = None,
) -> tuple[Risk, ...]:
    """What the release leaves open.

    `agreeing`: per sensitive column, the share of published rows in groups that agree on its value; `whose`: whose rows
    they are; `stars`: how many suppressed rows are in the file as ``*``; `exchanged`: which rows have a sensitive value
    not their own; `seen_through`: what a worst-case adversary learns, where nothing is promised about her; `who`: what
    promises about who is in the table leave open (`presence_risks`); `tied`: what sensitive columns tell of each other;
    `applied`: which earlier release it follows, if it does.
    """
    words = [model_of(p)[0] for p in promises]
    return (
        *_values(promises, roles, agreeing, whose),
        *tied,
        *_adversaries(promises, agreeing, Setting(is_exact(publish), whose)),
        *PUBLICATIONS[publish].leaves_open(words, seen_through, whose),
        *_columns(roles),
        *_presence(words, publish, whose),
        *who,
        # A promise about several releases is made to people with one row each.
        *(
            ()
            if any(RELEASES in _about(word) for word in words)
            else (*_together(applied, whose), *_several_rows(whose))
        ),
        *_always(publish),
        *_traces(seeded, stars, exchanged, whose),
    )


def _values(
    promises: Sequence[Mapping[str, Any]], roles: Mapping[str, str], agreeing: Mapping[str, float], whose: Whose
) -> list[Risk]:
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    found: list[Risk] = []
    for name in sensitive:
        about = [(word, p) for word, p in map(model_of, promises) if attribute_of(p, sensitive) in (name, None)]
        mine = {word for word, _ in about if VALUES in _about(word)}
        if mine == {"robust"} and any(p.get("values") for _, p in about):
            continue  # of values that are not listed it has more to say
        if not mine:
            found.append(
                (
                    f"Learning {shown(name)} from a group that agrees",
                    f"Nothing is promised about {shown(name)} inside a group. Where all rows of a group have the same "
                    f"value, whoever knows that a {whose.person} is in the group knows the value. "
                    + agreement(agreeing.get(name, 0.0)),
                )
            )
        elif not any(SHIFT in _about(word) for word in mine):
            found.append(
                (
                    f"Learning that a value of {shown(name)} is more likely",
                    f"The values of {shown(name)} in a group may be similar in meaning, or far more common than in the "
                    "whole table. Belief in them may rise, though not to certainty.",
                )
            )
    return found


def _about(word: str) -> frozenset[str]:
    """What a promise is about; one that we know nothing of protects nothing, as far as we know."""
    return MODELS[word].about if word in MODELS else frozenset()


def _adversaries(promises: Sequence[Mapping[str, Any]], agreeing: Mapping[str, float], setting: Setting) -> list[Risk]:
    """Those that a promise does not speak of; once, where it is made of several columns alike."""
    most = max(agreeing.values(), default=0.0)
    risks = (
        risk
        for word, parameters in map(model_of, promises)
        if word in MODELS
        for risk in MODELS[word].leaves_open(parameters, most, setting)
    )
    return [*dict.fromkeys(risks)]


def _columns(roles: Mapping[str, str]) -> list[Risk]:
    found: list[Risk] = []
    if "sensitive" not in roles.values():
        found.append(
            (
                "Sensitive columns that were not named",
                "The policy names no sensitive column, so no promise looks at what the rows of a group have in common.",
            )
        )
    other = [name for name, role in roles.items() if role == "other"]
    if other:
        found.append(
            (
                "Published without protection: " + ", ".join(map(shown, other)),
                "The promises do not look at columns with the role other. Whoever knows such a value may find the row "
                "by it.",
            )
        )
    return found


def _presence(words: Sequence[str], publish: str, whose: Whose) -> list[Risk]:
    if (shown_by := PUBLICATIONS[publish].shows_presence(whose)) is not None:
        return [shown_by]
    if any(PRESENCE in _about(word) for word in words):
        return []
    hidden = whose.either("which row is whose, not who took part", "which row is which, not that it is there")
    return [
        (
            f"Learning that {whose.somebody} is in the table",
            f"The promises hide {hidden}. If being in the table says something by itself (a register of patients), "
            "that is not hidden.",
        )
    ]


def _together(applied: Mapping[str, Any] | None, whose: Whose) -> list[Risk]:
    """What holding several releases tells; of one that follows an earlier one, what was judged of the two."""
    together = "Two releases that are safe alone may not be so together: groups overlap, and what they have in common "
    together += f"may be one {whose.person}. "
    title = f"Other releases about the same {whose.people}"
    if applied is None:
        return [(title, together + "The promises are about this release only.")]
    follows = "The rows of this release follow the rules of an earlier one. "
    if applied.get("all_new") is False:
        judged = (
            f"Its promises were also judged for whoever subtracts that one, in two cases: if {whose.nobody} in "
            f"it is in this one, and if as many {whose.people} as possible are. Then they hold for those that came, "
            "left and stayed. Not judged: that some stayed and others with equal rows did not, and releases besides "
            "these two."
        )
        return [(title, together + follows + judged)]
    judged = (
        f"That {whose.nobody} is in both is what its publisher said, and was not judged; if {whose.somebody} is, "
        f"whoever subtracts the earlier release may learn what {whose.people} have that came or left."
        if applied.get("all_new")
        else "What is learnt by subtracting that one was not judged."
    )
    return [
        (f"{whose.people.capitalize()} that are in the earlier release, too", follows + judged),
        *_together(None, whose),
    ]


def _several_rows(whose: Whose) -> list[Risk]:
    """What nobody can tell from the rows; where nothing is said of whose they are, the first screen says it."""
    if whose is Whose.NAMED:
        return [
            (
                "Rows that are known to be one person's",
                "People may have several rows, and the release does not tell which are whose. Whoever knows that some "
                "are one person's, from what these have in common or from elsewhere, may learn more about that "
                "person than promised.",
            )
        ]
    if whose is Whose.ONE_EACH:
        return [
            (
                "People with several rows",
                "That every row is another person's was stated, and not checked. Where a person has several, groups "
                "hold fewer people than rows.",
            )
        ]
    return []


def _always(publish: str) -> list[Risk]:
    fate = PUBLICATIONS[publish].words.undeclared
    return [
        (
            "Knowledge the policy did not foresee",
            "Which columns others may know was a decision of the publisher. A column that was not declared a "
            f"quasi-identifier {fate}",
        ),
    ]


def _traces(seeded: bool, stars: int, exchanged: str, whose: Whose) -> list[Risk]:
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
                f"What a group seems to say about {whose.somebody} may be false: a risk of its own"
                f"{whose.either(' for the people concerned', '')}.",
            )
        )
    return found
