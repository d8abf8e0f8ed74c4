"""What realistic adversaries would come to believe of somebody because of this release: one line for each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from discreet.counts.groups import Groups
from discreet.models.realistic.adversaries import Adversary, ClassOne, ClassThree, ClassTwo
from discreet.models.realistic.priors import TABLE, UNIFORM
from discreet.models.realistic.several_adversaries import Panel
from discreet.report.marginals import shown
from discreet.report.sections.registry import CUSTODIAN, RELEASE, Public, Section

ADVERSARIES: tuple[Adversary, ...] = (
    ClassOne(1_000, TABLE),
    ClassOne(1_000_000, TABLE),
    ClassTwo(1_000),
    ClassTwo(1_000_000),
    ClassThree(TABLE),
    ClassThree(UNIFORM),
)


@dataclass(frozen=True)
class Belief:
    """The smallest ε at which the release is private against one adversary; None where no ε will do."""

    attribute: str
    adversary: str
    kind: str
    epsilon: float | None


def beliefs(groups: Groups) -> tuple[Belief, ...]:
    """Every sensitive attribute against a few adversaries of each class (`docs/realistic.md` says who they are)."""
    found: list[Belief] = []
    for name, t in groups.tallies.items() if len(groups) else ():
        worst = Panel(ADVERSARIES, name, t).worst(groups).tolist()
        for adversary, epsilon in zip(ADVERSARIES, worst, strict=True):
            kind = str(adversary.words()["class"])
            found.append(Belief(shown(name), in_words(adversary), kind, epsilon if math.isfinite(epsilon) else None))
    return tuple(found)


def in_words(adversary: Adversary) -> str:
    """What she believes beforehand.

    >>> in_words(ClassOne(1_000, TABLE)), in_words(ClassTwo(1_000_000))
    ("the table's shares, from data on 1,000 people", 'anything, from data on at most 1,000,000 people')
    >>> in_words(ClassThree(UNIFORM))
    'all values alike, and nothing changes her mind'
    """
    if isinstance(adversary, ClassTwo):
        return f"anything, from data on at most {int(adversary.stubbornness):,} people"
    shape = "all values alike" if adversary.prior is UNIFORM else "the table's shares"
    if isinstance(adversary, ClassOne):
        return f"{shape}, from data on {int(adversary.stubbornness):,} people"
    return f"{shape}, and nothing changes her mind"


def _figures(known: Public) -> tuple[Belief, ...]:
    return beliefs(known.groups)


BELIEFS = Section(_figures, "part_beliefs.html.j2", pages=(RELEASE, CUSTODIAN))
